// SPDX-License-Identifier: GPL-2.0
/* Whoever pins memory of a process: what is no more the process's has no mapping. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "check/rounds.h"
#include "module/client.h"
#include "pins/orphan.h"

#define PAUSE	7	/* 50 ms, of pause_before_round() */
#define AT_ONCE	PTWALK_MAX_ADDRESSES

/* GUP_PIN_COUNTING_BIAS: a pin of a small page. Of a large folio, pins have a count. */
#define PIN_REFERENCES	1024

static bool is_of_large_folio(const struct ptwalk_page *page)
{
	return page->place & 0xff;
}

static bool has_pins_alone(const struct ptwalk_page *page)
{
	return is_of_large_folio(page) || (uint32_t)page->counts % PIN_REFERENCES == 0;
}

enum pin_orphan pin_orphan(const struct ptwalk_page *page, bool was, bool counted)
{
	const bool listed = page->flags & (PTWALK_PAGE_FLAG_LRU | PTWALK_PAGE_FLAG_HUGETLB);

	if (!(page->flags & (PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_TRUNCATED)) &&
	    (listed || !was))
		return PIN_NO_ORPHAN;
	/* Found again, or left alone for good. */
	if (page->flags & (PTWALK_PAGE_FLAG_SWAPCACHE | PTWALK_PAGE_FLAG_KSM |
			   PTWALK_PAGE_FLAG_HWPOISON))
		return PIN_NO_ORPHAN;
	if (!(page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED) || !(uint32_t)page->counts)
		return PIN_NO_ORPHAN;
	/* The pages of hugetlb are mapped together. */
	if (!counted && is_of_large_folio(page) && !(page->flags & PTWALK_PAGE_FLAG_HUGETLB) &&
	    (uint32_t)page->folio_counts)
		return PIN_UNCOUNTED;
	if (page->counts >> 32)
		return PIN_NO_ORPHAN;
	if ((uint32_t)page->folio_counts)
		return PIN_PARTED;
	return listed && has_pins_alone(page) &&
	       !(page->flags & (PTWALK_PAGE_FLAG_LOCKED | PTWALK_PAGE_FLAG_WRITEBACK)) ?
	       PIN_ORPHAN : PIN_MOVES;
}

int orphans_look(struct orphan_list *out, struct ptwalk *client, const struct orphan *before,
		 size_t nr)
{
	uint64_t pfns[AT_ONCE] = { 0 };
	struct ptwalk_page pages[AT_ONCE];
	const bool counted = ptwalk_kernel(client)->features & PTWALK_FEATURE_PAGE_MAPCOUNT;
	int err;

	for (size_t i = 0; i < nr; i++)
		pfns[i] = before[i].pfn;
	err = ptwalk_frames(client, pfns, nr, pages);
	if (err)
		return client_error(client, 0, err);
	for (size_t i = 0; i < nr; i++) {
		const enum pin_orphan is = pin_orphan(&pages[i], before[i].looks, counted);
		struct orphan next;

		out->uncounted += is == PIN_UNCOUNTED;
		if (is == PIN_NO_ORPHAN || is == PIN_UNCOUNTED)
			continue;
		/* What is told is of a look that proves it. */
		next = before[i];
		if (is == PIN_ORPHAN || !next.looks)
			next.page = pages[i];
		next.looks += is == PIN_ORPHAN;
		next.parted += is == PIN_PARTED;
		if (!array_add(out->orphan, out->nr, out->max, next))
			return error_no_memory();
	}
	return 0;
}

static int look_again(struct orphan_list *s, struct ptwalk *client)
{
	struct orphan_list now = { .uncounted = s->uncounted };
	int err = 0;

	for (size_t i = 0; !err && i < s->nr; i += AT_ONCE)
		err = orphans_look(&now, client, &s->orphan[i],
				   s->nr - i < AT_ONCE ? s->nr - i : AT_ONCE);
	free(s->orphan);
	*s = now;
	return err;
}

/* Whether any was an orphan, or parted, in fewer than @looks. */
static bool looks_short(const struct orphan_list *s, unsigned int looks)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->orphan[i].looks < looks && s->orphan[i].parted < looks)
			return true;
	return false;
}

/* To move no pages begins so (do_pages_move(), lru_cache_disable(), since 5.13). */
void orphans_drain(void)
{
	const int node = 0;
	int status;

	syscall(SYS_move_pages, 0, 0UL, NULL, &node, &status, 0);
}

int orphans_confirm(struct orphan_list *s, struct ptwalk *client,
		    const volatile sig_atomic_t *stop, uint64_t *unknown, uint64_t *parted)
{
	size_t nr = 0;
	int err = 0;

	for (unsigned int looks = 1; !err && !*stop && looks < 2 * JUDGE_PAGE_ROUNDS; looks++) {
		if (!looks_short(s, JUDGE_PAGE_ROUNDS))
			break;
		pause_before_round(PAUSE);
		if (looks_short(s, looks))
			orphans_drain();
		err = look_again(s, client);
	}
	for (size_t i = 0; !err && i < s->nr; i++) {
		if (s->orphan[i].looks >= JUDGE_PAGE_ROUNDS)
			s->orphan[nr++] = s->orphan[i];
		else if (s->orphan[i].parted >= JUDGE_PAGE_ROUNDS)
			++*parted;
		else
			++*unknown;
	}
	s->nr = nr;
	return err;
}
