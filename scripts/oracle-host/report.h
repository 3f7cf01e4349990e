/* SPDX-License-Identifier: GPL-2.0 */
/* What the guest printed; see user/tests/guest/oracle.c. */
#ifndef ORACLE_REPORT_H
#define ORACLE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum content {
	CONTENT_ANY,
	CONTENT_PATTERN,
	CONTENT_DIGEST,
	CONTENT_WORD,
};

/**
 * struct kind - a kind of mapping
 * @name: Its name.
 * @lacks: Why it isn't there.
 * @broken: It should be, as other tests see; not beside all others.
 */
struct kind {
	char name[48];
	char lacks[200];
	bool broken;
};

/**
 * struct page - a page, as the program saw it that mapped it
 * @kind: Index of its kind.
 * @pid: Whose it is.
 * @addr: Where.
 * @content: What is in it.
 * @value: See there.
 */
struct page {
	size_t kind;
	int pid;
	uint64_t addr;
	enum content content;
	uint64_t value;
};

/* In the order of level names in report.c. */
#define LEVELS	5

/**
 * struct extent - what ptwalk dump says of present pages in a row
 * @pid: Of this process.
 * @start: First address.
 * @last: Last address.
 * @phys: Physical address of the first.
 * @step: What an entry covers.
 * @level: Where the entries stand, 0 for the lowest.
 * @write: Flags, as ptwalk names them.
 * @type: Memory type by name.
 */
struct extent {
	int pid;
	uint64_t start, last, phys, step;
	int level;
	bool write, user, exec, young, dirty, global, prot_none;
	char type[16];
};

/**
 * struct walk - what ptwalk translate -v says of an address
 * @addr: The address.
 * @entry: The raw entry by level.
 * @has: Whether there is one.
 */
struct walk {
	uint64_t addr;
	uint64_t entry[LEVELS];
	bool has[LEVELS];
};

/* All of it; the arrays grow. */
struct report {
	uint64_t page_size, mailbox;
	int pid;
	struct kind *kind;
	struct page *page;
	struct extent *extent;
	struct walk *walk;
	size_t nr_kinds, nr_pages, nr_extents, nr_walks;
	bool held;
};

/* Reads up to the next "hold", or to the end, in place of what was read before. */
void report_read(struct report *r, FILE *in);

/* The extent that has this page, or NULL. */
const struct extent *report_extent(const struct report *r, int pid, uint64_t addr);

#endif /* ORACLE_REPORT_H */
