// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for the entries that hold some frames. They are decoded as ever, and what
 * has none of the frames is reported as PTWALK_KIND_OTHER. PTEs whose raw values show
 * that they map other frames aren't decoded.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include "arch/arch.h"
#include "entry.h"

/* Of pages that are added at a time, what is looked for may be in the middle. */
#define PTWALK_SEARCH_WORDS	(3 * (int)(sizeof(struct ptwalk_run) / sizeof(u64) + 1))

/* Reports pages that aren't looked for. Returns false if there is no room; none was added. */
bool ptwalk_search_add_other(struct ptwalk_reader *reader, u64 pages)
{
	return !pages || ptwalk_sink_add(reader->sink, 0, pages,
					 ptwalk_bits(PTWALK_KIND_OTHER, 0, 0, 0));
}

/*
 * Reports one or more pages whose entries are alike, by runs that carry no pages; those that
 * aren't looked for as PTWALK_KIND_OTHER. As ptwalk_sink_add() otherwise.
 */
bool ptwalk_search_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits)
{
	const struct ptwalk_search *search = reader->search;
	const enum ptwalk_kind kind = ptwalk_bits_kind(bits);
	u64 first = max(value, search->first);
	u64 end = min(value + pages, search->last + 1);

	if (!ptwalk_kind_ascends(kind) || kind == PTWALK_KIND_SWAP || first >= end)
		return ptwalk_search_add_other(reader, pages);
	return reader->sink->end - reader->sink->next >= PTWALK_SEARCH_WORDS &&
	       ptwalk_search_add_other(reader, first - value) &&
	       ptwalk_sink_add(reader->sink, first, end - first, bits) &&
	       ptwalk_search_add_other(reader, value + pages - end);
}

/*
 * How many PTEs from @ptep on are empty, or present and map other frames than those that
 * are looked for; 0 also where their raw values don't show that. The page-table lock is held.
 */
unsigned int ptwalk_search_skip(const struct ptwalk_search *search, pte_t *ptep,
				unsigned int nr)
{
	const u64 mask = search->mask, key = search->key;
	unsigned int i;

	for (i = 0; PTWALK_PTE_PLAIN && i < nr; i++) {
		u64 val = pte_val(arch_ptep_get(ptep + i));

		if (val & PTWALK_PTE_PLAIN ? (val & mask) == key : !pte_none(__pte(val)))
			break;
	}
	return i;
}

/* Prepares to look for the PFNs from @first to @last, inclusive. */
void ptwalk_search_init(struct ptwalk_search *search, u64 first, u64 last)
{
	const u64 pfn_bits = PTWALK_PTE_PFN_BITS;
	const u64 step = pfn_bits & -pfn_bits;
	u64 differ = first ^ last;

	search->first = first;
	search->last = min_t(u64, last, U64_MAX - 1);
	search->mask = differ ? ~(U64_MAX >> (64 - fls64(differ))) : U64_MAX;
	search->mask = search->mask * step & pfn_bits;
	search->key = first * step & search->mask;
}
