/* SPDX-License-Identifier: GPL-2.0 */
/* A long read of a file with an entry for each frame, and its entries by themselves. */
#ifndef PTWALK_SOURCES_APART_H
#define PTWALK_SOURCES_APART_H

#include <sys/types.h>
#include "sources/source.h"

/* Reads up to @nr entries from @first on; returns how many, or a negative errno. */
typedef ssize_t read_entries_fn(int fd, uint64_t first, uint64_t *value, size_t nr);

/*
 * Whether some of the @nr entries from @first on, which one read has shown as @shown,
 * are shown alike when each is read alone. One that isn't must be so each time that
 * both are read again: entries change at any time. Leaves @fault alone if they are.
 */
void read_apart(read_entries_fn *read, int fd, uint64_t first, const uint64_t *shown,
		size_t nr, struct source_fault *fault);

#endif /* PTWALK_SOURCES_APART_H */
