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

#endif /* PTWALK_MODULE_ENTRY_H */
