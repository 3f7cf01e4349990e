/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of every mapping. Each returns NULL, or a text that says what is
 * wrong, which is valid until the next call.
 */
#ifndef PTWALK_TEST_CHECKS_H
#define PTWALK_TEST_CHECKS_H

#include "mapping.h"

/* The module translates every page as the builder says it must. */
const char *check_translate(struct ptw *ptw, struct mapping *m);

/* The VMA of each page is the one that smaps shows, with the same flags. */
const char *check_vma(struct ptw *ptw, struct mapping *m);

/* A dump is sound, leaves out nothing, and says what translate says. */
const char *check_dump(struct ptw *ptw, struct mapping *m);

/* A search finds all entries that hold a frame, and no others. */
const char *check_search(struct ptw *ptw, struct mapping *m);

/* pagemap says what the builder and the tables say, bit by bit. */
const char *check_pagemap(struct ptw *ptw, struct mapping *m);

/* The frames are what the builder says, by kpageflags and by comparison. */
const char *check_frames(struct ptw *ptw, struct mapping *m);

/*
 * Addresses of pages of a row: when it is long, those at the ends, and some.
 * Returns how many there are, SAMPLE_PAGES at most.
 */
#define SAMPLE_PAGES	1024
size_t sample_pages(u64 addr, u64 pages, u64 page_size, u64 *to);

/**
 * pagemap_expected() - what pagemap must say of a page
 * @page: The page, as the module tells it.
 * @info: The kernel.
 * @mask: Receives the bits that are known; the others depend on things that
 *	the tables don't tell.
 *
 * Return: The value of the bits in @mask.
 */
u64 pagemap_expected(const struct ptw_page *page, const struct ptw_info *info,
		     u64 *mask);

#endif /* PTWALK_TEST_CHECKS_H */
