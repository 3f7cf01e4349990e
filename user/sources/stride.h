/* SPDX-License-Identifier: GPL-2.0 */
/* Small reads of a few entries, which may begin at any entry. */
#ifndef PTWALK_SOURCES_STRIDE_H
#define PTWALK_SOURCES_STRIDE_H

#include "proc/maps.h"

/**
 * struct stride - one read
 * @first: Index of the first entry that is read.
 * @nr: How many are read.
 * @skip: How many of them come before the one that is wanted.
 */
struct stride {
	uint64_t first;
	size_t nr, skip;
};

/*
 * The read with the entry @wanted in it, where one of each @length entries
 * begins at @phase; cut to what lies between @low and @high, as @wanted does.
 */
struct stride stride_at(uint64_t wanted, unsigned int length,
			unsigned int phase, uint64_t low, uint64_t high);

/*
 * Divides a read with a border of tables of @table entries in it, or in front of it, so
 * that, by the wanted entry, one ends with the first entry behind the border, one begins
 * with the last entry before it, and one some entries behind it. Pieces of less than a
 * table; nothing before @low is read.
 */
struct stride stride_at_border(struct stride stride, uint64_t table, uint64_t low);

/*
 * Cuts [*@low, *@high] to what is left around [@first, @last] when none of
 * @left_out is to be read.
 */
void stride_keep_off(const struct ranges *left_out, uint64_t first, uint64_t last,
		     uint64_t *low, uint64_t *high);

/**
 * struct margin - entries that are read with those that are wanted
 * @before: In front of them, if there are as many.
 * @behind: Behind them.
 */
struct margin {
	unsigned int before, behind;
};

/*
 * That of part @nr of a file. It may be wrong about the last entry of a read,
 * the second one, or one far behind the first; long margins take time, and are
 * for few. It is @nr that decides, so that a page that is looked at again is in
 * the same place of a read.
 */
struct margin margin_of(uint64_t nr);

#define LONG_READ	8448	/* entries of 66 KiB */

/**
 * struct long_end - the entry at which the one long read ends that is made of each file
 * @index: Of the entry, if @chosen.
 */
struct long_end {
	uint64_t index;
	bool chosen;
};

/* Chooses that entry, if none is and enough are before it. */
void long_end_choose(struct long_end *end, uint64_t index);

/* Whether it ends there. A page that is looked at again is in the same place of it. */
bool long_end_among(const struct long_end *end, uint64_t first, uint64_t last);

/* What is read before the entries from @first on for it. */
unsigned int long_end_margin(const struct long_end *end, uint64_t first);

#endif /* PTWALK_SOURCES_STRIDE_H */
