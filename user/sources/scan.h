/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctl PAGEMAP_SCAN, asked again with other arguments. */
#ifndef PTWALK_SOURCES_SCAN_H
#define PTWALK_SOURCES_SCAN_H

#include "sources/source.h"

/* The arguments of requests: what the second of two scans is asked. */
enum {
	ARG_VECTOR, ARG_MAX_PAGES, ARG_MASK, ARG_INVERTED, ARG_ANY_OF, ARG_NOT_RETURNED,
	ARG_WITHIN,
};

/*
 * Opens the pagemap of @pid; a scan goes over @most pages. @rests: they don't change, so
 * that a scan must go on while it has room. Returns 0 or a negative errno.
 */
int scan_begin(pid_t pid, size_t most, bool rests, struct source_file **file);

/* Forgets the fault that has been found. */
void scan_forget(struct source_file *file);

/*
 * @values has what a scan without arguments tells of the pages. Adds by which categories
 * one with them tells other than follows from that, SCAN_OTHER_SHIFT bits higher. Returns
 * how many pages it got, or a negative errno.
 */
ssize_t scan_again(struct source_file *file, const struct source_pages *pages,
		   uint64_t *values);

/* Those arguments, as messages have them. */
#define SCAN_TEXT	176
void scan_args_text(const struct source_file *file, const uint64_t *arg, char *buf,
		    size_t size);

/*
 * Whether limits, filters and the end of the vector are heeded of memory of ptwalk's own,
 * by @categories, which the kernel knows. @part: 0: where there are more regions than the
 * kernel gathers at once; 1 to SCAN_OWN_PARTS - 1: by some pairs of categories. Leaves
 * @fault alone if they are.
 */
#define SCAN_OWN_PARTS	4
void scan_own(uint64_t categories, unsigned int part, struct source_fault *fault);

/*
 * Which part comes first: that of @seed. Each process that is opened has @nr others, until
 * there is none left.
 */
void scan_own_begin(uint64_t seed, unsigned int nr);

#endif /* PTWALK_SOURCES_SCAN_H */
