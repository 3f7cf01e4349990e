/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The heart of a check: what the page tables hold, set beside what an
 * interface of the kernel shows. Pure: numbers in, verdicts out.
 */
#ifndef PTWALK_CHECK_COMPARE_H
#define PTWALK_CHECK_COMPARE_H

#include <stdbool.h>
#include "lib/truth.h"

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

/**
 * struct env - what all comparisons of a run share
 * @kernel: The kernel whose interfaces are under test.
 * @pfn_hidden: The interface was opened without the privilege to see PFNs.
 * @known_bugs: Take what a rule calls a bug of the kernel for explained.
 * @scan_categories: Those that this kernel's PAGEMAP_SCAN knows.
 * @memcg: Memory is charged to cgroups.
 */
struct env {
	const struct kernel_info *kernel;
	bool pfn_hidden;
	bool known_bugs;
	uint64_t scan_categories;
	bool memcg;
};

/**
 * struct page_truth - a page as the page tables have it
 * @addr: Its address.
 * @value: As in struct extent, for this very page.
 * @bits: As in struct extent.
 * @vma: The VMA that it lies in; NULL for PTWALK_KIND_NO_VMA.
 * @facts: Of the page behind it, if they were asked for, or NULL.
 * @gate: /proc/PID/maps lists it, but the process has no VMA there.
 */
struct page_truth {
	uint64_t addr;
	uint64_t value;
	uint64_t bits;
	const struct truth_vma *vma;
	const struct ptwalk_page *facts;
	bool gate;
};

/* Whether the value of a kind ascends by one with each page. */
bool kind_ascends(unsigned int kind);

/* Whether it is a PFN. */
bool kind_has_frame(unsigned int kind);

/* The @nr-th page (from 0) of an extent that starts with @first. */
struct page_truth page_at(const struct page_truth *first, uint64_t nr,
			  unsigned int page_shift);

/**
 * struct expectation - what an interface must show for pages in a row
 * @value: For the first page.
 * @step: What is added for each page that follows, as its value of the truth
 *	is one higher; of kinds whose value doesn't ascend it is 0.
 * @mask: The bits that are compared.
 * @no_data: The interface must end before the page instead.
 */
struct expectation {
	uint64_t value;
	uint64_t step;
	uint64_t mask;
	bool no_data;
};

/*
 * Rules may hold together, one for each aspect of a page; so a page is
 * compared with what each set of them says. A set is a mask of indices into
 * rules[] (rules.h); the empty one is what the documentation says.
 */
#define COMPARE_MAX_RULES	3	/* that hold for one page */
#define COMPARE_MAX_SETS	(1 << COMPARE_MAX_RULES)

struct expected {
	unsigned int nr;
	uint64_t rules[COMPARE_MAX_SETS];
	struct expectation expectation[COMPARE_MAX_SETS];
};

/* All that @source may show for @truth, the documented first. */
void expect_all(const struct env *env, const struct source *source,
		const struct page_truth *truth, struct expected *out);

/**
 * struct run - pages in a row with the same outcome
 * @first: Index of the first page.
 * @pages: Number of pages.
 * @verdict: MATCH, EXPLAINED, or MISMATCH, which is here only a suspicion.
 * @rules: The rules that explain it, or that name the kernel's bug.
 */
struct run {
	uint64_t first;
	uint64_t pages;
	enum verdict verdict;
	uint64_t rules;
};

/**
 * compare_pages() - compares an extent of pages
 * @env: The run.
 * @source: The interface.
 * @first: The truth of the first page; the others follow from it.
 * @pages: Number of pages.
 * @list: The value of the truth for each page, or NULL: they ascend.
 * @seen: What the interface showed, one value a page.
 * @nr_seen: How many there are; the interface ended before the others.
 * @each: Called for the runs in ascending order; all pages are in one.
 * @arg: For @each.
 */
void compare_pages(const struct env *env, const struct source *source,
		   const struct page_truth *first, uint64_t pages,
		   const uint64_t *list, const uint64_t *seen,
		   uint64_t nr_seen,
		   void (*each)(const struct run *run, void *arg), void *arg);

/* The same for one page. */
struct run compare_page(const struct env *env, const struct source *source,
			const struct page_truth *truth, uint64_t seen,
			bool has_data);

/*
 * Whether @source must show the same for both readings of a page's truth: of
 * the same frame, or whatever else the entry tells.
 */
bool truth_held(const struct env *env, const struct source *source,
		const struct page_truth *before,
		const struct page_truth *after);

#endif /* PTWALK_CHECK_COMPARE_H */
