/* SPDX-License-Identifier: GPL-2.0 */
/* Pinned memory of processes that neither a page table nor a file has any more. Pure. */
#ifndef PTWALK_PINS_ORPHAN_H
#define PTWALK_PINS_ORPHAN_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/*
 * Whether a frame of which the module tells @page is one at this moment: anonymous, or
 * truncated, with a pin, mapped by nobody, and not in the swap cache. A page that moves,
 * is freed, is locked for either, or waits in a processor's batch, is not on an LRU list,
 * or locked.
 */
bool pin_is_orphan(const struct ptwalk_page *page);

/* The name of the finding. */
#define PINNED_ORPHAN	"pinned-orphan"

#endif /* PTWALK_PINS_ORPHAN_H */
