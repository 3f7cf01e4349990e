// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for the entries that hold some frames. They are decoded as ever, and what
 * has none of the frames is told as PTWALK_KIND_OTHER. PTEs whose raw values show
 * that they map other frames aren't decoded.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include "arch/arch.h"
#include "pte.h"
#include "search.h"

static bool ptwalk_search_has_frame(u64 bits)
{
	enum ptwalk_kind kind = ptwalk_bits_kind(bits);

	return ptwalk_kind_ascends(kind) && kind != PTWALK_KIND_SWAP;
}

static bool ptwalk_search_add_other(struct ptwalk_reader *reader, u64 pages)
{
	return !pages || ptwalk_reader_add(reader, 0, pages,
					   ptwalk_bits(PTWALK_KIND_OTHER, 0, 0, 0));
}

/**
 * ptwalk_search_add() - tell of pages whose entries are alike
 * @reader: The reader, whose runs carry no pages.
 * @value: Of the first page.
 * @pages: How many, above 0.
 * @bits: As in a run.
 *
 * Those that aren't looked for are told as PTWALK_KIND_OTHER.
 *
 * Return: false if there is no room; nothing was added then.
 */
bool ptwalk_search_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits)
{
	const struct ptwalk_search *search = reader->search;
	u64 first = max(value, search->first);
	u64 end = min(value + pages, search->last + 1);

	if (!ptwalk_search_has_frame(bits) || first >= end)
		return ptwalk_search_add_other(reader, pages);
	return reader->sink->end - reader->sink->next >= PTWALK_SEARCH_WORDS &&
	       ptwalk_search_add_other(reader, first - value) &&
	       ptwalk_reader_add(reader, first, end - first, bits) &&
	       ptwalk_search_add_other(reader, value + pages - end);
}

/*
 * Whether an entry, which has the bit PTWALK_PTE_PLAIN as @key has it, maps another
 * frame. The bits that it hasn't as @key has them are added to @differ.
 */
static __always_inline bool ptwalk_search_is_other(pte_t *ptep, u64 mask, u64 key,
						   u64 *differ)
{
	u64 other = ptwalk_pte_value(ptep) ^ key;

	*differ |= other;
	return other & mask;
}

/**
 * ptwalk_search_pass() - pass over PTEs that aren't looked for
 * @walk: That of a reader with a search.
 * @ptep: The first PTE.
 * @nr: How many there are.
 *
 * This loop runs for nearly every page.
 *
 * Context: The page-table lock is held.
 * Return: How many from @ptep on are present, and map other frames; 0 also where
 * their raw values don't show that.
 */
unsigned int ptwalk_search_pass(struct ptwalk_walk *walk, pte_t *ptep, unsigned int nr)
{
	const struct ptwalk_search *search = to_ptwalk_reader(walk)->search;
	const u64 mask = search->mask, key = search->key | PTWALK_PTE_PLAIN;
	pte_t *pte = ptep, *end = ptep + nr;
	u64 differ = 0;

	if (!PTWALK_PTE_PLAIN || !ptwalk_ptes_are_values())
		return 0;
	for (; end - pte >= 8; pte += 8)
		if (!ptwalk_search_is_other(pte, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 1, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 2, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 3, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 4, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 5, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 6, mask, key, &differ) ||
		    !ptwalk_search_is_other(pte + 7, mask, key, &differ) ||
		    differ & PTWALK_PTE_PLAIN)
			break;
	for (; pte < end; pte++) {
		differ = 0;
		if (!ptwalk_search_is_other(pte, mask, key, &differ) ||
		    differ & PTWALK_PTE_PLAIN)
			break;
	}
	return pte - ptep;
}

/**
 * ptwalk_search_init() - prepare a search
 * @search: The search.
 * @first: The first PFN that is looked for.
 * @last: The last one, inclusive.
 */
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
