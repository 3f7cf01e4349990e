/* SPDX-License-Identifier: GPL-2.0 */
/* A figure of smaps, status and the like: of what it is, and as text. Pure. */
#ifndef PTWALK_SUMS_FIGURE_H
#define PTWALK_SUMS_FIGURE_H

#include "sums/figures.h"

/**
 * enum figure_is - what is known of a field, whatever is shown
 * @OF_VMAS: The mappings alone decide it, which a process doesn't change while it sleeps;
 *	but not their flags and names: others may register them with a userfaultfd, clear
 *	soft-dirty, and rename files.
 * @OF_MAP_COUNTS: It depends on how often its pages are mapped, by any process.
 * @NO_AMOUNT: It has no more and no less.
 */
enum figure_is { OF_VMAS = 1, OF_MAP_COUNTS = 2, NO_AMOUNT = 4 };

/* Mask of these. */
unsigned int figure_is(const struct figure *figure);

/* "VmRSS"; of a node "N0". */
#define FIGURE_NAME	16
const char *figure_name(const struct figure *figure, char buf[FIGURE_NAME]);

#define FIGURE_TEXT	256

/*
 * As it was counted: "1234", ">=12", "12..34"; of flags those that the file
 * lacks.
 */
const char *figure_counted(const struct figure *figure, char buf[FIGURE_TEXT]);

/* How many bytes one of its unit is, or 0: it is no amount of memory. */
uint64_t figure_unit_bytes(const struct figure *figure, unsigned int page_shift);

/*
 * How it differs, which two of one field may do alike: flags that the file
 * lacks, and has besides; what is no amount, as it should be and as it is; or
 * of an amount 1 for too little, and 1 for too much.
 */
void figure_difference(const struct figure *figure, uint64_t *lacks,
		       uint64_t *excess);

/* As the file shows it; of flags those that were not there. */
const char *figure_shown(const struct figure *figure, char buf[FIGURE_TEXT]);

/* Both sides of a figure that differs, each behind its name, in @size bytes. */
void figure_sides(const struct figure *figure, char *truth, char *seen, size_t size);

#endif /* PTWALK_SUMS_FIGURE_H */
