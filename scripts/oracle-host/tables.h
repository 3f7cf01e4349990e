/* SPDX-License-Identifier: GPL-2.0 */
/* Page tables, as they stand in memory and in QEMU's eyes. */
#ifndef ORACLE_TABLES_H
#define ORACLE_TABLES_H

#include "layout.h"
#include "monitor.h"
#include "report.h"

/*
 * Looks for the raw entries of a walk in memory, from the table of the top level
 * down, whose address is @root, or 0 if nobody told it: then the entries of
 * that level aren't looked for. Adds to *found; NULL if nothing was wrong.
 */
const char *tables_wrong(const struct layout *l, const struct report *r, const char *arch,
			 const struct walk *walk, uint64_t root, unsigned int *found);
/* Whether the tables of this architecture are known here. */
bool tables_known(const char *arch);

/**
 * struct tlb - what "info tlb" of x86 says of an address
 * @addr: The address.
 * @phys: Where it leads.
 * @flags: As it shows them.
 */
struct tlb {
	uint64_t addr, phys;
	char flags[10];
};

/* The entries of the process that runs; returns how many, the kernel's left out. */
size_t tlb_parse(const char *text, struct tlb **tlb);

/* Compares all of them; the number of differences, and tells the first few. */
unsigned int tlb_compare(const struct report *r, const struct tlb *tlb, size_t nr,
			 bool quietly);

#endif /* ORACLE_TABLES_H */
