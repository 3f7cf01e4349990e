/* SPDX-License-Identifier: GPL-2.0 */
/* The findings of a process in the order in which they are told. Pure. */
#ifndef PTWALK_CHECK_FINDINGS_H
#define PTWALK_CHECK_FINDINGS_H

#include <stddef.h>

struct found;

/*
 * Puts findings in ascending order, and what several ways of reading one
 * interface show alike into one, which names them: of the @nr of @found, those
 * that are to be told come first. Returns how many.
 */
size_t findings_order(struct found *found, size_t nr, unsigned int page_shift);

#endif /* PTWALK_CHECK_FINDINGS_H */
