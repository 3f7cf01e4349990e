/* SPDX-License-Identifier: GPL-2.0 */
/* Pinned memory of processes that neither a page table nor a file has any more. */
#ifndef PTWALK_PINS_ORPHAN_H
#define PTWALK_PINS_ORPHAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "lib/ptwalk.h"

/* What a frame is at one moment, of which nothing may say more the next. */
enum pin_orphan {
	PIN_NO_ORPHAN,
	/*
	 * Of a large folio that is pinned and mapped, where the kernel doesn't count how often
	 * each page is (CONFIG_NO_PAGE_MAPCOUNT): nobody can tell.
	 */
	PIN_UNCOUNTED,
	/* Of a large folio that is pinned, and mapped elsewhere: another page may be pinned. */
	PIN_PARTED,
	/* Would be one, but is locked, written back, on no LRU list, or referred to. */
	PIN_MOVES,
	PIN_ORPHAN,
};

/*
 * Of a frame of which the module tells @page: an orphan is anonymous, or truncated, with a
 * pin, mapped by nobody, which @counted says is known of each page, and not in the swap
 * cache. One that is migrated, is freed, or
 * waits in a processor's batch moves, and so does a small page to which others refer, too,
 * as pipes and packets do: as many of these look like a pin. Of one that was cut out of a
 * file no more is known meanwhile than what an earlier look has seen, so if it @was one.
 * Pure.
 */
enum pin_orphan pin_orphan(const struct ptwalk_page *page, bool was, bool counted);

/**
 * struct orphan - a frame
 * @cgroup: Inode of the control group that it is charged to, 0 without one.
 * @looks: In so many was it an orphan, in @parted it was PIN_PARTED, in the others it moved.
 */
struct orphan {
	uint64_t pfn, cgroup;
	unsigned int looks, parted;
	struct ptwalk_page page;
};

/* Those that no look has refuted, ascending; others were PIN_UNCOUNTED. */
struct orphan_list {
	struct orphan *orphan;
	size_t nr, max;
	uint64_t uncounted;
};

/*
 * Looks at @nr of @before, PTWALK_MAX_ADDRESSES at most, and adds those that may be
 * orphans. Returns 0 or a negative errno, see base/error.h.
 */
int orphans_look(struct orphan_list *out, struct ptwalk *client, const struct orphan *before,
		 size_t nr);

/*
 * Puts pages on their LRU list that wait for it in a processor's batch, where one that is
 * idle leaves them for as long as it is. Waits for each processor that has some.
 */
void orphans_drain(void);

/*
 * Looks again at those of a first look until they are proven to be orphans, which stay in
 * the list, or of parted folios, which are counted in *@parted, and drops the others, of
 * which those that moved too often, or until @stop was set, are counted in *@unknown.
 * Returns as orphans_look().
 */
int orphans_confirm(struct orphan_list *s, struct ptwalk *client,
		    const volatile sig_atomic_t *stop, uint64_t *unknown, uint64_t *parted);

/* The name of the finding. */
#define PINNED_ORPHAN	"pinned-orphan"

#endif /* PTWALK_PINS_ORPHAN_H */
