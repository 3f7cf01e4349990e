/* SPDX-License-Identifier: GPL-2.0 */
/* Translations that somebody claims, read from a file. Pure on the stream. */
#ifndef PTWALK_CLAIMS_H
#define PTWALK_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct claim - a line "VADDR PADDR"
 * @vaddr: Virtual address.
 * @paddr: Physical address, if @mapped.
 * @mapped: False for "VADDR -".
 * @line: Its number in the file.
 */
struct claim {
	uint64_t vaddr, paddr;
	bool mapped;
	size_t line;
};

/* All zero is a valid empty one. */
struct claims {
	struct claim *claim;
	size_t nr, max;
};

/**
 * claims_parse() - reads lines of VADDR PADDR
 * @stream: Read to its end.
 * @claims: Receives the claims, sorted by address.
 * @line: Receives the number of the line at fault.
 * @reason: Receives what is wrong with it.
 *
 * Empty lines and what follows a # are skipped. A last line without a newline
 * is refused: an address that was cut off would make a mismatch of its own.
 *
 * Return: 0; -EINVAL with @line (0: of the file as a whole) and @reason; or
 * another negative errno.
 */
int claims_parse(FILE *stream, struct claims *claims, size_t *line,
		 const char **reason);
void claims_free(struct claims *claims);

#endif /* PTWALK_CLAIMS_H */
