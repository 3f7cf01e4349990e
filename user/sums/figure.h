/* SPDX-License-Identifier: GPL-2.0 */
/* A figure of smaps, status and the like as text. Pure. */
#ifndef PTWALK_SUMS_FIGURE_H
#define PTWALK_SUMS_FIGURE_H

#include "sums/figures.h"

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
