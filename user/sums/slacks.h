/* SPDX-License-Identifier: GPL-2.0 */
/* Why what the kernel shows need not be what was counted. */
#ifndef PTWALK_SUMS_SLACKS_H
#define PTWALK_SUMS_SLACKS_H


/**
 * struct slack - why a figure is not, or need not be, the counted one
 * @name: Short.
 * @text: A sentence.
 * @where: The kernel's function that decides it.
 * @versions: In words; NULL is all.
 */
struct slack {
	const char *name;
	const char *text;
	const char *where;
	const char *versions;
};

/* All reasons that there are; ends with one that has no name. */
extern const struct slack slacks[];

/* The same of the known bugs. */
extern const struct slack kernel_bugs[];

#endif /* PTWALK_SUMS_SLACKS_H */
