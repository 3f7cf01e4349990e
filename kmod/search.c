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
	const u64 other = ptwalk_bits(PTWALK_KIND_OTHER, 0, 0, 0);
	struct ptwalk_run *last = reader->sink->last;

	if (last && last->bits == other) {
		last->pages += pages;
		return true;
	}
	return !pages || ptwalk_reader_add(reader, 0, pages, other);
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

/**
 * ptwalk_search_hole() - tell of pages that aren't looked for
 * @walk: That of a reader with a search.
 * @addr: The first address.
 * @next: One past the last.
 * @level: Isn't told.
 * @bad: Isn't told either.
 *
 * Return: @next, or @addr if there is no room.
 */
unsigned long ptwalk_search_hole(struct ptwalk_walk *walk, unsigned long addr,
				 unsigned long next, enum ptwalk_level level, bool bad)
{
	return ptwalk_search_add_other(to_ptwalk_reader(walk),
				       (next - addr) >> PAGE_SHIFT) ? next : addr;
}

/* How many PTEs are looked at together. */
#define PTWALK_SEARCH_ROW	16

/* The bits that all PTEs of a row have. */
static __always_inline u64 ptwalk_search_all(const pte_t *pte)
{
	u64 bits = ptwalk_pte_still(pte);
	unsigned int i;

#pragma GCC unroll 16
	for (i = 1; i < PTWALK_SEARCH_ROW; i++)
		bits &= ptwalk_pte_still(pte + i);
	return bits;
}

/* The bits that any PTE of a row has. noinline: rarely needed, and never first. */
static noinline u64 ptwalk_search_any(const pte_t *pte)
{
	u64 bits = ptwalk_pte_still(pte);
	unsigned int i;

#pragma GCC unroll 16
	for (i = 1; i < PTWALK_SEARCH_ROW; i++)
		bits |= ptwalk_pte_still(pte + i);
	return bits;
}

/* Whether a PTE is empty, or plain and maps another frame. */
static __always_inline bool ptwalk_search_is_other(const pte_t *pte, u64 mask, u64 key)
{
	u64 val = ptwalk_pte_still(pte);

	return val & PTWALK_PTE_PLAIN ? (val & mask) != key : ptwalk_value_is_none(val);
}

/* How many PTEs of a row, from the first one on, are so. */
static noinline unsigned int ptwalk_search_count(const pte_t *pte, u64 mask, u64 key)
{
	unsigned int i = 0;

	while (i < PTWALK_SEARCH_ROW && ptwalk_search_is_other(pte + i, mask, key))
		i++;
	return i;
}

/* The same of a row whose PTEs are all plain. */
static noinline unsigned int ptwalk_search_count_plain(const pte_t *pte, u64 mask,
						       u64 key)
{
	unsigned int i;

#pragma GCC unroll 16
	for (i = 0; i < PTWALK_SEARCH_ROW; i++)
		if ((ptwalk_pte_still(pte + i) & mask) == key)
			break;
	return i;
}

/**
 * ptwalk_search_pass() - pass over PTEs that aren't looked for
 * @walk: That of a reader with a search.
 * @ptep: The first PTE.
 * @nr: How many there are.
 *
 * Frames of memory that was allocated at a time mostly have a bit in common that
 * those which are looked for lack, or the other way round: then no more needs to be
 * known of a row. This loop runs for nearly every page.
 *
 * Context: The page-table lock is held.
 * Return: How many from @ptep on are empty, or present and map other frames; 0 also
 * where their raw values don't show that.
 */
unsigned int ptwalk_search_pass(struct ptwalk_walk *walk, pte_t *ptep, unsigned int nr)
{
	const struct ptwalk_search *search = to_ptwalk_reader(walk)->search;
	const u64 mask = search->mask, key = search->key;
	const pte_t *pte = ptep, *end = ptep + nr;
	const pte_t *rows = end - nr % PTWALK_SEARCH_ROW;

	if (!ptwalk_ptes_are_values())
		return 0;
	for (; pte < rows; pte += PTWALK_SEARCH_ROW) {
		u64 all = ptwalk_search_all(pte);
		unsigned int others = PTWALK_SEARCH_ROW;

		if (!(all & PTWALK_PTE_PLAIN)) {
			if (!ptwalk_value_is_none(ptwalk_search_any(pte)))
				others = ptwalk_search_count(pte, mask, key);
		} else if (!(all & ~key & mask) && !(key & ~ptwalk_search_any(pte))) {
			others = ptwalk_search_count_plain(pte, mask, key);
		}
		if (others < PTWALK_SEARCH_ROW)
			return pte + others - ptep;
	}
	while (pte < end && ptwalk_search_is_other(pte, mask, key))
		pte++;
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
