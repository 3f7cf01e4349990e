/* SPDX-License-Identifier: GPL-2.0 */
/* For builders of swapped pages in special states. */
#ifndef PTWALK_TEST_BUILD_SWAP_H
#define PTWALK_TEST_BUILD_SWAP_H

#include "mapping.h"

/* Gets a swap device; false, with mapping_lacks() called, if there is none. */
bool swap_on(struct mapping *m);

/* Pushes all pages out; false, with mapping_lacks(), if the kernel wouldn't. */
bool push_out(struct mapping *m, char *at, bool shmem);

struct expect expect_swapped(const char *at, u64 pages);

#endif /* PTWALK_TEST_BUILD_SWAP_H */
