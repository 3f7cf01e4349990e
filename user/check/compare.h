/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core of a check: compares what the page tables hold with what an
 * interface of the kernel shows. Pure: numbers in, verdicts out.
 */
#ifndef PTWALK_CHECK_COMPARE_H
#define PTWALK_CHECK_COMPARE_H

#include <stdbool.h>
#include "sources/page.h"

struct source;
struct rule;

enum verdict {
	VERDICT_MATCH,
	VERDICT_EXPLAINED,
	VERDICT_UNSTABLE,
	VERDICT_MISMATCH,
	NR_VERDICTS
};

extern const char *const verdict_name[NR_VERDICTS];

/*
 * Rules may hold together, one for each aspect of a page; so a page is
 * compared with what each set of them says. A set is a mask of indices into
 * rules[] (rules.h); the empty one is what the documentation says.
 */
#define COMPARE_MAX_RULES	3	/* that hold for one page */
#define COMPARE_MAX_SETS	(1 << COMPARE_MAX_RULES)

/**
 * struct expected - all that an interface may show for a page
 * @nr: Number of sets.
 * @rules: The sets, as masks; elsewhere a set is given by its index here.
 * @expectation: What is shown by each.
 * @valid: Whether that is right: a rule that must hold is in the set, or makes
 *	no difference.
 */
struct expected {
	unsigned int nr;
	bool valid[COMPARE_MAX_SETS];
	uint64_t rules[COMPARE_MAX_SETS];
	struct expectation expectation[COMPARE_MAX_SETS];
};

/* All that @source may show for @truth, the documented first. */
void expect_all(const struct env *env, const struct source *source,
		const struct page_truth *truth, struct expected *out);

/**
 * struct expected_of - what was expected of a page, for others that are like it
 * @bits: As of the page, with @vma, which is NULL if there was none so far.
 * @value: Of the page that @expected is of now.
 * @plain: What is documented needs no rule to be right.
 */
struct expected_of {
	uint64_t bits, value;
	bool plain;
	const struct ptwalk_vma *vma;
	struct expected expected;
};

/*
 * expect_all() of a page without facts, from @known if that is of pages like it,
 * of which @source expects what follows from the value.
 */
const struct expected *expect_like(const struct env *env, const struct source *source,
				   const struct page_truth *truth,
				   struct expected_of *known);

/*
 * Whether @pages pages in a row, whose truth is @value of the first and so on, and else
 * like that of @known, show what is documented.
 */
static inline bool expect_shown(const struct expected_of *known, uint64_t value,
				uint64_t pages, const uint64_t *seen)
{
	const struct expectation *e = &known->expected.expectation[0];
	uint64_t shown = e->value + (value - known->value) * e->step, differs = 0;

	for (uint64_t i = 0; i < pages; i++, shown += e->step)
		differs |= shown ^ seen[i];
	return !(differs & e->mask);
}

/**
 * struct outcome - pages in a row with the same outcome
 * @first: Index of the first page.
 * @pages: Number of pages.
 * @verdict: MATCH, EXPLAINED, or MISMATCH, which is here only a suspicion; of
 *	what the interface showed each such page is alone.
 * @rules: The rules that explain it, that name the kernel's bug, or that
 *	should hold where the documented value is shown instead.
 */
struct outcome {
	uint64_t first;
	uint64_t pages;
	enum verdict verdict;
	uint64_t rules;
};

/**
 * compare_expected() - compares an extent of pages
 * @env: The run.
 * @source: The interface.
 * @expected: What is expected of the first page.
 * @first: Its truth; the others follow from it.
 * @pages: Number of pages.
 * @list: The value of the truth for each page, or NULL: they ascend.
 * @seen: What the interface showed, one value a page.
 * @nr_seen: How many there are; the interface ended before the others.
 * @each: Called for the runs in ascending order; all pages are in one.
 * @arg: For @each.
 */
void compare_expected(const struct env *env, const struct source *source,
		      const struct expected *expected,
		      const struct page_truth *first, uint64_t pages,
		      const uint64_t *list, const uint64_t *seen,
		      uint64_t nr_seen,
		      void (*each)(const struct outcome *outcome, void *arg), void *arg);

/* The same for one page. */
struct outcome compare_page(const struct env *env, const struct source *source,
			    const struct page_truth *truth, uint64_t seen,
			    bool has_data);

/**
 * struct difference - by what bits a value differs from what it may be
 * @lacks: Those that it should have.
 * @excess: Those that it shouldn't.
 */
struct difference {
	uint64_t lacks, excess;
};

/* By what @seen differs from what comes nearest to it of all that is right for @truth. */
struct difference compare_difference(const struct env *env, const struct source *source,
				     const struct page_truth *truth, uint64_t seen);

/* One and the same in all that anything is expected by; so it is of both. */
bool truth_is_same(const struct page_truth *a, const struct page_truth *b);

/*
 * Whether @source must show the same for both readings of a page's truth: of
 * the same frame, or whatever else the entry tells.
 */
bool truth_held(const struct env *env, const struct source *source,
		const struct page_truth *before,
		const struct page_truth *after);

#endif /* PTWALK_CHECK_COMPARE_H */
