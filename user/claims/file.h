/* SPDX-License-Identifier: GPL-2.0 */
/* Translations that somebody claims, read from a file. Pure on the stream. */
#ifndef PTWALK_CLAIMS_FILE_H
#define PTWALK_CLAIMS_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/lines.h"

/**
 * struct claim - a line "VADDR PADDR"
 * @vaddr: Virtual address.
 * @paddr: Physical address, if @mapped.
 * @mapped: False for "VADDR -".
 * @line: Its number in the file.
 * @verdict: The worst that was said of it, or -1; for claims/check.c.
 */
struct claim {
	uint64_t vaddr, paddr;
	bool mapped;
	size_t line;
	int verdict;
};

/**
 * struct claims - claims, as many at a time as one can look at
 * @name: Of the file, for messages.
 * @lines: It.
 * @claim: Those that were read last, sorted by address; @nr, and room for
 *	@max.
 * @all: How many there have been.
 * @mapped: Those of them that were judged and name a physical address, and how many of
 *	these are wrong by no known mistake: @unlike. For claims/check.c.
 * @latest: The last of them, and whether it was of those: @latest_unlike. The next one may
 *	have been made by going on from it.
 * @last: The file has no more, or nobody wants more.
 * @stop: Once this isn't 0 nobody does; NULL: never.
 */
struct claims {
	const char *name;
	struct lines lines;
	struct claim *claim;
	size_t nr, max;
	uint64_t all, mapped, unlike;
	struct claim latest;
	bool latest_unlike, last;
	const volatile sig_atomic_t *stop;
};

/* Returns 0 or -ENOMEM; at most @most will be read at a time. */
int claims_open(struct claims *claims, FILE *stream, const char *name,
		size_t most);

/**
 * claims_next() - reads the next lines of VADDR PADDR
 * @claims: Receives the claims.
 *
 * Empty lines and what follows a # are skipped. A last line without a newline
 * is refused: an address that was cut off would make a mismatch of its own. A file may
 * have no claims at all.
 *
 * Return: 0; -EINVAL with the line's number and the reason in @claims->lines; or
 * another negative errno.
 */
int claims_next(struct claims *claims);

/*
 * Calls @tell for each claim read last that is about the address of one in an
 * earlier line, the @first of those.
 */
void claims_repeats(const struct claims *claims,
		    void (*tell)(const struct claim *claim,
				 const struct claim *first, void *arg),
		    void *arg);

/* Whether they look like those of another process: most are wrong, and nothing says why. */
bool claims_unlike(const struct claims *claims);
void claims_close(struct claims *claims);

#endif /* PTWALK_CLAIMS_FILE_H */
