/* SPDX-License-Identifier: GPL-2.0 */
/* Pinned memory of processes that neither a page table nor a file has any more. Pure. */
#ifndef PTWALK_PINS_ORPHAN_H
#define PTWALK_PINS_ORPHAN_H

#include "lib/ptwalk.h"

/* What a frame is at one moment, of which nothing may say more the next. */
enum pin_orphan {
	PIN_NO_ORPHAN,
	PIN_MOVES,	/* would be one, but is locked, written back, or on no LRU list */
	PIN_ORPHAN,
};

/*
 * Of a frame of which the module tells @page: an orphan is anonymous, or truncated, with a
 * pin, mapped by nobody, and not in the swap cache. One that is migrated, is freed, or
 * waits in a processor's batch moves.
 */
enum pin_orphan pin_orphan(const struct ptwalk_page *page);

/* The name of the finding. */
#define PINNED_ORPHAN	"pinned-orphan"

#endif /* PTWALK_PINS_ORPHAN_H */
