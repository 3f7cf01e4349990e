/* SPDX-License-Identifier: GPL-2.0 */
/* What an entry of a page table holds, or a VMA allows, as text. Pure. */
#ifndef PTWALK_MODULE_ENTRY_H
#define PTWALK_MODULE_ENTRY_H

#include "module/client.h"

#define ENTRY_TEXT	128
#define ENTRY_FLAGS	512

/* Bytes that an entry covers at the level where @bits stands. */
uint64_t entry_size(const struct ptwalk_kernel *info, uint64_t bits);

/* The memory type and where it is from: "wc (PAT entry 1)", "normal (MAIR index 0)". */
const char *entry_memory_decoded(const struct ptwalk_kernel *info, uint64_t bits,
				 char buf[ENTRY_TEXT]);

/*
 * What stands where no page is mapped: "swap type 0 offset 0x1f2", "in no
 * VMA", "migrating, frame 0x4711".
 */
const char *entry_absent(uint64_t value, uint64_t bits, char buf[ENTRY_TEXT]);

#define VMA_PERMISSIONS	5

/* As in /proc/PID/maps: "rw-p". */
const char *vma_permissions(const struct ptwalk_vma *vma,
			    char buf[VMA_PERMISSIONS]);

/* "write,user,dirty", or "-". */
const char *entry_flags(uint64_t bits, char buf[ENTRY_FLAGS]);

/**
 * struct entry_columns - the last columns of a line about an entry
 * @bits: Of the entry for which they were written. The next one mostly has the
 *	same.
 *
 * All zero is a valid one.
 */
struct entry_columns {
	uint64_t bits;
	size_t len;
	char text[ENTRY_FLAGS + 64];
};

#define ENTRY_COLUMNS	sizeof(((struct entry_columns *)0)->text)

/*
 * Puts the page size, the memory type unless @typed is false, "-" if the entry
 * isn't present, and the flags at @to, with the end of the line. At most
 * ENTRY_COLUMNS bytes. Returns the place behind them, as in base/put.h. @last is
 * kept from line to line, for the same @typed.
 */
char *entry_columns(char *to, struct entry_columns *last,
		    const struct ptwalk_kernel *info, uint64_t bits, bool typed);

/* log2 of the bytes of a huge leaf: of the lowest level above the PTE level. */
unsigned int huge_shift(const struct ptwalk_kernel *kernel);

#endif /* PTWALK_MODULE_ENTRY_H */
