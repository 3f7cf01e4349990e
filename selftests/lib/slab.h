/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's slab caches hold, to detect leaks. */
#ifndef PTWALK_TEST_SLAB_H
#define PTWALK_TEST_SLAB_H

#include <stddef.h>

#define SLAB_CACHES	256

/**
 * struct slab_use - the caches that requests are answered out of
 * @name: Their names.
 * @objects: Objects in use, of each.
 * @nr: How many caches.
 */
struct slab_use {
	char name[SLAB_CACHES][40];
	long objects[SLAB_CACHES];
	size_t nr;
};

/* 0 or a negative errno. */
int slab_read(struct slab_use *use);

/*
 * Whether some cache has at least @objects more in use than in @before. Returns
 * its name with the numbers, or NULL. The text is good until the next call.
 */
const char *slab_growth(const struct slab_use *before, long objects);

/*
 * The same, of what is still there after half a minute: what is freed may wait
 * for a grace period, and others come and go.
 */
const char *slab_leak(const struct slab_use *before, long objects);

#endif /* PTWALK_TEST_SLAB_H */
