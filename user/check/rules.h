/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences that are by design. A rule says what the interface shows
 * instead, bit by bit, and that is compared.
 */
#ifndef PTWALK_CHECK_RULES_H
#define PTWALK_CHECK_RULES_H

#include "check/compare.h"
#include "module/version.h"

/**
 * struct rule_pages - some pages, by what their entries and VMAs tell
 * @kinds: Mask of 1 << kind of entry; 0: it is none at all.
 * @levels: Mask of 1 << level; 0: any.
 * @vma: Flags that the VMA has, all of them, and none of @not_vma. Where either has
 *	some, there is a VMA.
 * @has: Flags of the entry, likewise, with @lacks; and of @any one at least, unless it
 *	is 0.
 * @value: Bits of what the entry holds.
 */
struct rule_pages {
	uint32_t kinds, levels;
	uint64_t vma, not_vma;
	uint32_t has, lacks, any;
	uint64_t value;
};

#define ANY_KIND	UINT32_MAX

/**
 * struct rule - a difference by design
 * @name: As in reports, and for "ptwalk explain".
 * @source: The interface that it is about.
 * @way: The one way to read it that shows this (struct source.name), or NULL
 *	for all.
 * @what: What happens and why, for the author of a driver.
 * @decided_by: The kernel function that decides it, and how.
 * @since: First version for which it holds, as KERNEL(6, 12); 0: all.
 * @before: First version for which it no longer does; 0: none. As the change may be in
 *	a stable kernel as well, such a rule may always show what is documented.
 * @blind: The interface never reads such entries. What it shows for empty ones
 *	is right only by chance, and so explained by this rule.
 * @bug: The kernel is wrong; a mismatch unless --known-bugs.
 * @about: The pages that it is about; none if nothing is compared by it.
 * @holds: Whether it is about one of these, as the kernel or the page decides. Versions
 *	are checked already. NULL: it is about all of them.
 * @may: Whether such a page may as well show what is documented: what decides
 *	isn't in the page tables. NULL: never; then that is a mismatch, too. Of a
 *	bug, which may have been mended, it always may.
 * @crashes: The pages that the kernel may crash at when it is asked about them, of
 *	which it shows nothing then.
 * @risk: Nothing differs: to read the interface can crash the kernel, by bad luck.
 * @sums: Nor may it be asked for sums over such pages.
 * @clears: The bits that aren't shown, whatever the documentation says;
 * @sets: those that are; and
 * @compares: those that are compared, beside the documented ones.
 * @shows: Alters it further, as the page decides; or NULL.
 */
struct rule {
	const char *name;
	const char *source;
	const char *way;
	const char *what;
	const char *decided_by;
	unsigned int since, before;
	bool blind;
	bool bug, risk;
	struct rule_pages about, crashes;
	bool (*holds)(const struct env *env, const struct page_truth *truth);
	bool (*may)(const struct env *env, const struct page_truth *truth);
	bool sums;
	uint64_t clears, sets, compares;
	void (*shows)(const struct env *env, const struct page_truth *truth,
		      struct expectation *out);
};

#define RULES_MAX	64	/* a set of rules is a 64-bit mask */

extern const struct rule rules[];
extern const unsigned int nr_rules;

/* The mask of the rules that hold for a page seen through @source. */
uint64_t rules_for(const struct env *env, const struct source *source,
		   const struct page_truth *truth);

/* Those of them by which the interface doesn't look at an empty page. */
uint64_t rules_blind(const struct env *env, const struct source *source,
		     const struct page_truth *truth);

/* Those of a set that must be seen to hold. */
uint64_t rules_required(const struct env *env, const struct page_truth *truth,
			uint64_t set);

/* Whether a set of rules has one that names a bug. */
bool rules_have_bug(uint64_t set);

/* A rule that names a bug of this kernel in @source, or NULL. */
const struct rule *rules_bug_of(const struct env *env,
				const struct source *source);

/*
 * Whether rules_crash() is to be asked about an entry: one that has no page,
 * and none of the many that have.
 */
static inline bool rules_may_crash(uint64_t bits)
{
	return ptwalk_bits_flags(bits) & (PTWALK_FLAG_SPECIAL | PTWALK_FLAG_STALE);
}

/* The rule by which this kernel may crash when it is asked about a page, or NULL. */
const struct rule *rules_crash(const struct env *env,
			       const struct page_truth *truth);

const struct rule *rule_find(const char *name);

#endif /* PTWALK_CHECK_RULES_H */
