/* SPDX-License-Identifier: GPL-2.0 */
/* ptwalk decode --pte: raw entries of page tables. */
#ifndef PTWALK_CMD_DECODE_PTE_H
#define PTWALK_CMD_DECODE_PTE_H

#include <stdbool.h>
#include "pte/pte.h"

/**
 * struct pte_options - what the command line says of raw entries
 * @pte: --pte was given.
 * @arch: What --arch said, or NULL; @as is it, or that of this machine.
 * @level: What --level said, or NULL.
 * @kernel: What --kernel said, or NULL.
 * @c_bit: What --c-bit said, or NULL; @shared_bit is what --shared-bit said.
 * @request: The same, parsed; the page size is the caller's, 0 for the usual one.
 */
struct pte_options {
	bool pte;
	const char *arch, *level, *kernel, *c_bit, *shared_bit;
	const struct pte_arch *as;
	struct pte_request request;
};

/* Parses them. Returns 0, or EXIT_USAGE after a line. */
int pte_options_take(struct pte_options *options);
void pte_print(const struct pte_options *options, uint64_t value, bool json);

/*
 * The architecture of whose page tables @value may be an entry, at a level up to @most,
 * which *@level then is; this machine's before others; or NULL.
 */
const struct pte_arch *pte_likely(uint64_t value, unsigned int most, unsigned int *level);

#endif /* PTWALK_CMD_DECODE_PTE_H */
