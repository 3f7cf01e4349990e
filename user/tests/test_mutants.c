// SPDX-License-Identifier: GPL-2.0
/*
 * A checker that cannot fail is worth nothing. Here pages as real kernels
 * showed them, and some that no kernel could be made to show, are altered:
 * one bit, one page, one offset at a time, in what the interface says and in
 * what the page tables say. The check must call each a mismatch.
 *
 * Two things are no mutants, and are counted apart: an alteration that ends
 * in another value that is right for the page (such as the value without the
 * kernel's bug, where the recorded one has it), and one of something that the
 * source says it doesn't compare; those are listed here, not asked of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "check/judge.h"
#include "check/rules.h"
#include "proc/pagemap_bits.h"
#include "recording/pages.h"
#include "tests.h"

static unsigned long mutants, killed, excused;

/* Excused alterations by rule; the last is for the documented value. */
static unsigned long excused_by[RULES_MAX + 1];

static const struct source *source_of(const char *name)
{
	static const struct {
		const char *name;
		const struct source *source;
	} known[] = {
		{ "pagemap", &test_pagemap },
		{ "pagemap-single", &test_pagemap },
		{ "pagemap-4k", &test_pagemap },
		{ "pagemap-unaligned", &test_pagemap },
		{ "pagemap-unprivileged", &test_pagemap_hidden },
		{ "pagemap-scan", &test_scan },
		{ "pagemap-scan-written", &test_scan },
		{ "pagemap-scan-pieces", &test_scan },
		{ "pagemap-scan-filters", &test_scan },
		{ "kpageflags", &test_kpageflags },
		{ "kpagecount", &test_kpagecount },
		{ "kpagecgroup", &test_kpagecgroup },
		{ "move_pages", &test_move_pages },
		{ "mincore", &test_mincore },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return known[i].source;
	return NULL;
}

/*
 * The bits that a source must compare of a page, written down again and apart
 * from the code that does it.
 */
static uint64_t must_compare(const struct source *s,
			     const struct page_truth *t)
{
	unsigned int kind = ptwalk_bits_kind(t->bits);
	uint32_t flags = ptwalk_bits_flags(t->bits);
	bool small = !(flags & PTWALK_FLAG_LARGE);
	uint64_t bits;

	if (s == &test_scan) {
		/* What is above is of no scan, but says which one it was. */
		bits = 0xffffffff & ~SCAN_WRITTEN;
		if (!t->vma)
			return 0xffffffff;
		if (t->vma->flags & PTWALK_VMA_FLAG_UFFD_WP) {
			bits &= ~SCAN_WPALLOWED;
			if (kind != PTWALK_KIND_BAD)
				bits |= SCAN_WRITTEN;
		}
		return bits;
	}
	if (s == &test_kpageflags) {
		if (!(flags & PTWALK_FLAG_RAM))
			return UINT64_MAX;
		bits = KPF_BIT(NOPAGE);
		if (kind == PTWALK_KIND_HWPOISON)
			return bits | KPF_BIT(HWPOISON);
		if (kind == PTWALK_KIND_MIGRATION)
			return bits | KPF_BIT(ANON) | KPF_BIT(KSM) |
			       KPF_BIT(BUDDY) | KPF_BIT(SLAB);
		if (flags & PTWALK_FLAG_ZERO)
			return bits | KPF_BIT(ZERO_PAGE) | KPF_BIT(ANON) |
			       KPF_BIT(KSM) | KPF_BIT(HUGE) | KPF_BIT(BUDDY) |
			       KPF_BIT(SLAB) |
			       (ptwalk_bits_level(t->bits) == PTWALK_LEVEL_PTE ?
				KPF_BIT(RESERVED) : 0);
		if (!(flags & PTWALK_FLAG_PAGE))
			return bits;
		bits |= KPF_BIT(MMAP) | KPF_BIT(ANON) | KPF_BIT(KSM) |
			KPF_BIT(HUGE) | KPF_BIT(COMPOUND_HEAD) |
			KPF_BIT(COMPOUND_TAIL) | KPF_BIT(ZERO_PAGE) |
			KPF_BIT(SLAB) | KPF_BIT(BUDDY) | KPF_BIT(OFFLINE) |
			KPF_BIT(PGTABLE);
		if (small || (flags & PTWALK_FLAG_ANON))
			bits |= KPF_BIT(THP);
		if (small)
			bits |= KPF_BIT(HWPOISON);
		return bits;
	}
	if (s == &test_kpagecgroup) {
		if (!(flags & PTWALK_FLAG_RAM) || (flags & PTWALK_FLAG_ZERO))
			return UINT64_MAX;
		/* What tells an end of the file from all else, of each page. */
		bits = 1ULL << 62;
		if ((flags & PTWALK_FLAG_ANON) && !(flags & PTWALK_FLAG_HUGETLB))
			bits |= KPAGE_CHARGED;
		return bits;
	}
	return UINT64_MAX;
}

/* Through all that a page under suspicion goes through. */
static struct judge judged(const struct env *env, const struct source *source,
			   const struct page_truth *truth, uint64_t seen,
			   bool has_data)
{
	struct judge judge;
	unsigned int i;

	judge_init(&judge);
	for (i = 0; i < JUDGE_PAGE_ROUNDS; i++)
		judge_round(&judge, env, source, truth, seen, has_data, truth, true);
	return judge;
}

static void excuse(uint64_t set)
{
	excused++;
	excused_by[set ? __builtin_ctzll(set) : RULES_MAX]++;
}

/**
 * struct subject - a page to alter
 * @env: The run.
 * @source: The interface.
 * @truth: The page tables' side.
 * @seen: The interface's side, if @has_data.
 * @rules: The set of rules that @seen is right by.
 * @expected: All that is right.
 */
struct subject {
	struct env env;
	const struct source *source;
	struct page_truth truth;
	uint64_t seen;
	bool has_data;
	uint64_t rules;
	struct expected expected;
};

/* Whether the interface may say so of the subject as it is. */
static bool is_right(const struct subject *s, uint64_t seen, bool has_data,
		     uint64_t *set)
{
	const struct expectation *e;
	unsigned int i;

	for (i = 0; i < s->expected.nr; i++) {
		e = &s->expected.expectation[i];
		*set = s->expected.rules[i];
		if (s->expected.valid[i] && e->no_data == !has_data &&
		    (!has_data || !((e->value ^ seen) & e->mask)))
			return true;
	}
	return false;
}

static void mutate_seen(const struct subject *s, uint64_t seen, bool has_data,
			const char *what, int detail)
{
	struct judge judge;
	uint64_t set;

	if (seen == s->seen && has_data == s->has_data)
		return;
	if (is_right(s, seen, has_data, &set)) {
		/* Only if something that is compared tells them apart. */
		if (has_data != s->has_data || set != s->rules)
			excuse(set);
		else if (must_compare(s->source, &s->truth) &
			 (seen ^ s->seen))
			fail_msg("%s: %s %d is not compared: bits 0x%llx of 0x%llx",
				 s->source->name, what, detail,
				 (unsigned long long)s->truth.bits,
				 (unsigned long long)s->seen);
		return;
	}
	mutants++;
	judge = judged(&s->env, s->source, &s->truth, seen, has_data);
	if (judge.decided && judge.verdict == VERDICT_MISMATCH)
		killed++;
	else
		print_message("survived: %s: %s %d: truth 0x%llx seen 0x%llx\n",
			      s->source->name, what, detail,
			      (unsigned long long)s->truth.bits,
			      (unsigned long long)seen);
}

static bool same_expectation(const struct expectation *a,
			     const struct expectation *b)
{
	return a->value == b->value && a->mask == b->mask &&
	       a->no_data == b->no_data;
}

/* Whether the source has nothing to say of what was altered. */
static bool is_equivalent(const struct subject *s,
			  const struct page_truth *truth)
{
	struct expected e;
	unsigned int i, j;

	if (source_grain(s->source, &s->env, truth) == SOURCE_SKIPS)
		return true;
	expect_all(&s->env, s->source, truth, &e);
	for (i = 0; i < e.nr; i++)
		for (j = 0; j < s->expected.nr; j++)
			if (e.rules[i] == s->rules && e.valid[i] &&
			    s->expected.rules[j] == s->rules &&
			    same_expectation(&e.expectation[i],
					     &s->expected.expectation[j]))
				return true;
	return false;
}

static void mutate_truth(const struct subject *s,
			 const struct page_truth *truth, const char *what,
			 int detail)
{
	struct judge judge;

	if (is_equivalent(s, truth))
		return;
	judge = judged(&s->env, s->source, truth, s->seen, s->has_data);
	if (judge.verdict != VERDICT_MISMATCH) {
		struct expected e;
		unsigned int i;

		/* Is what was seen right of the altered page, too? */
		expect_all(&s->env, s->source, truth, &e);
		for (i = 0; i < e.nr; i++) {
			const struct expectation *x = &e.expectation[i];

			if (e.valid[i] && x->no_data == !s->has_data &&
			    (!s->has_data || !((x->value ^ s->seen) & x->mask)))
				break;
		}
		assert_true(i < e.nr || (!s->has_data && !truth->vma));
		excuse(judge.rules);
		return;
	}
	mutants++;
	killed += judge.decided;
	if (!judge.decided)
		print_message("survived: %s: truth's %s %d\n", s->source->name,
			      what, detail);
}

static void mutate_interface(const struct subject *s, uint64_t other)
{
	const struct expectation *e = &s->expected.expectation[0];
	uint64_t step = e->step;
	int bit;

	if (s->has_data) {
		for (bit = 0; bit < 64; bit++)
			if (must_compare(s->source, &s->truth) & 1ULL << bit)
				mutate_seen(s, s->seen ^ 1ULL << bit, true,
					    "bit", bit);
		if (s->truth.vma || s->truth.gate)
			mutate_seen(s, 0, false, "an end", 0);
		if (step && !s->rules) {
			mutate_seen(s, s->seen + step, true, "offset", 1);
			mutate_seen(s, s->seen - step, true, "offset", -1);
		}
		mutate_seen(s, 0, true, "a lost page", 0);
		if (s->source->trait.framed)
			mutate_seen(s, KPAGE_END, true, "an end of the file", 0);
	}
	mutate_seen(s, other, true, "another page", 0);
}

static void mutate_tables(const struct subject *s)
{
	static const uint64_t vma_flags[] = {
		PTWALK_VMA_FLAG_PFNMAP, PTWALK_VMA_FLAG_HUGETLB,
		PTWALK_VMA_FLAG_SOFTDIRTY, PTWALK_VMA_FLAG_UFFD_WP,
	};
	unsigned int kind = ptwalk_bits_kind(s->truth.bits);
	struct page_truth t = s->truth;
	struct ptwalk_page facts;
	struct ptwalk_vma vma;
	unsigned int i;
	int bit;

	for (bit = 0; bit < 40; bit++, t = s->truth) {
		t.value ^= 1ULL << bit;
		mutate_truth(s, &t, "value", bit);
	}
	if (ptwalk_kind_ascends(kind)) {
		t.value = s->truth.value + 1;
		mutate_truth(s, &t, "offset", 1);
		t.value = s->truth.value - 1;
		mutate_truth(s, &t, "offset", -1);
		t = s->truth;
	}
	for (bit = 0; bit < 25; bit++) {
		t.bits = s->truth.bits ^
			 1ULL << (PTWALK_BITS_FLAGS_SHIFT + bit);
		mutate_truth(s, &t, "flag", bit);
	}
	for (bit = 0; bit < 5 && kind != PTWALK_KIND_PRESENT; bit++) {
		t.bits = s->truth.bits ^ 1ULL << (PTWALK_BITS_AUX_SHIFT + bit);
		mutate_truth(s, &t, "swap type", bit);
	}
	for (i = 0; i <= PTWALK_KIND_NO_VMA; i++) {
		t.bits = (s->truth.bits & ~0xffULL) | i;
		mutate_truth(s, &t, "kind", i);
	}
	t = s->truth;
	for (i = 0; t.vma && i < sizeof(vma_flags) / sizeof(*vma_flags); i++) {
		vma = *s->truth.vma;
		vma.flags ^= vma_flags[i];
		t.vma = &vma;
		mutate_truth(s, &t, "VMA flag", i);
	}
	t = s->truth;
	for (bit = 0; t.facts && bit < 32; bit++) {
		facts = *s->truth.facts;
		facts.counts ^= 1ULL << (32 + bit);
		t.facts = &facts;
		mutate_truth(s, &t, "map count", bit);
	}
	if (t.facts) {
		facts = *s->truth.facts;
		facts.place ^= (facts.place >> 32 ? facts.place >> 32 : 1)
			       << 32;
		mutate_truth(s, &t, "place in the folio", 0);
	}
}

struct hits {
	uint64_t wrong;		/* mask of pages that don't match */
};

static void hit(const struct outcome *run, void *arg)
{
	struct hits *hits = arg;
	uint64_t i;

	if (run->verdict == VERDICT_MISMATCH)
		for (i = 0; i < run->pages; i++)
			hits->wrong |= 1ULL << (run->first + i);
}

/* One page of a run of eight: that one is found, and no other. */
static void mutate_runs(const struct subject *s, bool scattered)
{
	const struct expectation *e = &s->expected.expectation[0];
	uint64_t seen[8], list[8], kept;
	struct hits hits;
	int i, how;

	for (i = 0; i < 8; i++) {
		list[i] = s->truth.value + (scattered ? 5 * i : i);
		seen[i] = e->value + (list[i] - list[0]) * e->step;
	}
	for (how = 0; how < 3; how++) {
		for (i = 0; i < 8; i++) {
			kept = seen[i];
			if (how == 0)
				seen[i] += e->step;
			else if (how == 1)
				seen[i] = 0;
			else
				seen[i] = seen[(i + 1) % 8];
			hits.wrong = 0;
			test_compare_pages(&s->env, s->source, &s->truth, 8, scattered ?
					   list : NULL, seen, 8, hit, &hits);
			seen[i] = kept;
			mutants++;
			killed += hits.wrong == 1ULL << i;
			if (hits.wrong != 1ULL << i)
				print_message("survived: %s: page %d of a run, %d\n",
					      s->source->name, i, how);
		}
	}
	/* Entries at the wrong index. */
	for (i = 0; i < 8; i++)
		seen[i] += e->step;
	hits.wrong = 0;
	test_compare_pages(&s->env, s->source, &s->truth, 8, scattered ? list : NULL, seen,
			   8, hit, &hits);
	mutants++;
	killed += hits.wrong == 0xff;
}

static void mutate(struct subject *s, uint64_t other)
{
	struct outcome run;

	expect_all(&s->env, s->source, &s->truth, &s->expected);
	run = compare_page(&s->env, s->source, &s->truth, s->seen,
			   s->has_data);
	/* What is recorded was right, be it with a bug of the kernel's. */
	if (run.verdict == VERDICT_MISMATCH)
		fail_msg("%s: truth 0x%llx seen 0x%llx is a mismatch",
			 s->source->name, (unsigned long long)s->truth.bits,
			 (unsigned long long)s->seen);
	s->rules = run.rules;
	mutate_interface(s, other);
	mutate_tables(s);
	if (s->has_data && !s->rules && s->expected.nr == 1 &&
	    s->expected.expectation[0].step) {
		mutate_runs(s, false);
		mutate_runs(s, true);
	}
}

static void replay(const char *path)
{
	FILE *stream = fopen(path, "r");
	struct ptwalk_kernel kernel;
	struct recorded page;
	struct subject s = { .env = { .kernel = NULL } };
	uint64_t other = 0x8000000000054321;
	struct lines lines;
	size_t pages = 0;
	int more;

	if (!stream)
		fail_msg("%s can't be opened", path);
	lines_begin(&lines, stream);
	while ((more = recording_next(&lines, &kernel, &s.env, &page)) > 0) {
		s.source = source_of(page.source);
		assert_non_null(s.source);
		assert_int_not_equal(page.verdict, VERDICT_MISMATCH);
		if (page.verdict == VERDICT_UNSTABLE)
			continue;
		s.env.known_bugs = true;
		s.truth = page.truth;
		s.seen = page.seen;
		s.has_data = page.has_data;
		mutate(&s, other);
		/* A verdict that changed is a rule that changed. */
		assert_int_equal(page.verdict, s.rules ? VERDICT_EXPLAINED :
							 VERDICT_MATCH);
		other = page.seen;
		pages++;
	}
	fclose(stream);
	if (more)
		fail_msg("%s:%zu: %s", path, lines.number, lines.reason);
	assert_in_range(pages, 100, 100000);
}

static void recorded(void **state)
{
	replay(RECORDINGS "/6.1");
	replay(RECORDINGS "/6.12");
	replay(RECORDINGS "/6.12-armhf");
	replay(RECORDINGS "/7.2");
}

/* Sums, such as smaps and status show. */
static void figures(void **state)
{
	static const char *const paths[] = {
		RECORDINGS "/rss-6.12", RECORDINGS "/rss-6.12-armhf",
		RECORDINGS "/rss-7.2",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		figures_mutants(paths[i], &mutants, &killed);
}

/* What is written can be read, down to what rules ask of the kernel. */
static void round_trip(void **state)
{
	static const struct ptwalk_vma vma = { .page_shift = 30 };
	struct ptwalk_kernel kernel = test_kernel(6, 12), read;
	struct env env = { .kernel = &kernel, .scan_categories = 0x3ff };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT,
					   PTWALK_LEVEL_PUD, 0,
					   PTWALK_FLAG_PAGE, 0x40000, &vma);
	const uint64_t seen = 0xa000000000040000;
	struct env env_read = { .kernel = NULL };
	struct recording recording;
	struct recorded recorded;
	char *text = NULL;
	struct lines lines;
	FILE *stream;
	size_t size;

	strcpy(kernel.release, "6.12.3-some");
	strcpy(kernel.machine, "armv7l");
	kernel.flags = PTWALK_FLAG_PMD_SHARED;
	stream = open_memstream(&text, &size);
	recording_begin(&recording, stream, &env);
	recording_page(&recording, &test_pagemap, &page, seen, true,
		       VERDICT_MATCH);
	recording_end(&recording);
	assert_int_equal(fclose(stream), 0);

	stream = fmemopen(text, size, "r");
	lines_begin(&lines, stream);
	assert_int_equal(recording_next(&lines, &read, &env_read, &recorded),
			 1);
	assert_int_equal(read.flags, kernel.flags);
	assert_int_equal(read.levels, kernel.levels);
	assert_int_equal(read.minor, 12);
	assert_string_equal(read.machine, kernel.machine);
	assert_memory_equal(read.level_shift, kernel.level_shift,
			    sizeof(read.level_shift));
	assert_int_equal(env_read.scan_categories, 0x3ff);
	assert_true(recorded.seen == seen);
	assert_true(recorded.truth.bits == page.bits);
	assert_int_equal(recorded.vma.page_shift, 30);
	assert_int_equal(recording_next(&lines, &read, &env_read, &recorded),
			 0);
	fclose(stream);
	free(text);
}

/* Kinds that no guest could be made to have when the recordings were made. */
static void synthesised(void **state)
{
	enum {
		PAGE = PTWALK_FLAG_PAGE, ANON = PTWALK_FLAG_ANON,
		RAM = PTWALK_FLAG_RAM, ONCE = PTWALK_FLAG_EXCLUSIVE,
		WP = PTWALK_FLAG_UFFD_WP, SD = PTWALK_FLAG_SOFT_DIRTY,
		HUGE = PTWALK_FLAG_HUGETLB | PTWALK_FLAG_LARGE,
		KSM = PTWALK_FLAG_KSM,
	};
	static const struct ptwalk_vma plain = {
		.flags = PTWALK_VMA_FLAG_READ,
	}, uffd = {
		.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_UFFD_WP,
	}, hugetlb = {
		.flags = PTWALK_VMA_FLAG_HUGETLB,
		.page_shift = 30,
	};
	static const struct ptwalk_page shared = {
		.counts = 9 | 3ULL << 32,
		.folio_counts = 3,
	}, part = {
		.counts = 9 | 1ULL << 32,
		.folio_counts = 17 | 1ULL << 32,
		.place = 4 | 3ULL << 32,
	};
	static const struct {
		unsigned int kind, level, aux;
		uint32_t flags;
		uint64_t value;
		const struct ptwalk_vma *vma;
		const struct ptwalk_page *facts;
	} pages[] = {
		{ PTWALK_KIND_MIGRATION, 0, 30, PAGE | ANON | RAM, 0x12345,
		  &plain },
		{ PTWALK_KIND_MIGRATION, 0, 29, PAGE | RAM | SD, 0x12345,
		  &plain },
		{ PTWALK_KIND_MIGRATION, 0, 29, PAGE | ANON | RAM | WP,
		  0x12345, &uffd },
		{ PTWALK_KIND_MIGRATION, PTWALK_LEVEL_PMD, 30,
		  PAGE | ANON | RAM | PTWALK_FLAG_LARGE, 0x12200, &plain },
		{ PTWALK_KIND_HWPOISON, 0, 31, PAGE | ANON | RAM, 0x12345,
		  &plain },
		{ PTWALK_KIND_HWPOISON, 0, 31, PAGE | RAM, 0x12345, &plain },
		{ PTWALK_KIND_DEVICE_PRIVATE, 0, 28, PAGE | ANON, 0x12345,
		  &plain },
		{ PTWALK_KIND_DEVICE_EXCLUSIVE, 0, 27, PAGE | ANON | RAM,
		  0x12345, &plain },
		{ PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_POISONED,
		  &plain },
		{ PTWALK_KIND_MARKER, 0, 27, WP, PTWALK_MARKER_UFFD_WP,
		  &uffd },
		{ PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_GUARD, &plain },
		{ PTWALK_KIND_UNKNOWN, 0, 29, 0, 6, &plain },
		{ PTWALK_KIND_BAD, PTWALK_LEVEL_PMD, 0, 0, 0, &plain },
		{ PTWALK_KIND_SWAP, 0, 3, SD, 6, &plain },
		{ PTWALK_KIND_SWAP, 0, 3, WP, 6, &uffd },
		{ PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD, 0,
		  PAGE | ANON | RAM | ONCE | HUGE, 0x40000, &hugetlb, &part },
		{ PTWALK_KIND_PRESENT, 0, 0, PAGE | RAM, 0x12345, &plain,
		  &shared },
		{ PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | KSM | RAM, 0x12345,
		  &plain, &shared },
		{ PTWALK_KIND_PRESENT, 0, 0,
		  PAGE | ANON | RAM | PTWALK_FLAG_LARGE, 0x12343, &plain,
		  &part },
		{ PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM | ONCE, 0x12345,
		  &uffd },
		{ PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM | WP, 0x12345,
		  &uffd, &shared },
		{ PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0,
		  &plain },
		{ PTWALK_KIND_NO_VMA, 0, 0, 0, 0, NULL },
	};
	static const struct source *const all[] = {
		&test_pagemap, &test_pagemap_hidden, &test_scan,
		&test_kpageflags, &test_kpagecount, &test_kpagecgroup,
		&test_move_pages, &test_mincore,
	};
	static const unsigned int versions[][2] = {
		{ 6, 1 }, { 6, 12 }, { 7, 2 }, { 7, 3 },
	};
	struct ptwalk_kernel kernel;
	struct subject s = {
		.env = { .kernel = &kernel, .scan_categories = 0x1ff,
			 .memcg = true },
		.has_data = true,
	};
	struct expected e;
	size_t i, j, v, set;

	for (v = 0; v < 2 * 4; v++) {
		kernel = test_kernel(versions[v / 2][0], versions[v / 2][1]);
		if (v & 1)
			kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
		for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
			for (j = 0; j < sizeof(all) / sizeof(all[0]); j++) {
				s.source = all[j];
				s.truth = test_page(pages[i].kind,
						    pages[i].level,
						    pages[i].aux,
						    pages[i].flags,
						    pages[i].value,
						    pages[i].vma);
				s.truth.facts = pages[i].facts;
				if (source_grain(all[j], &s.env, &s.truth) ==
				    SOURCE_SKIPS)
					continue;
				expect_all(&s.env, all[j], &s.truth, &e);
				for (set = 0; !e.valid[set]; set++)
					;
				s.seen = e.expectation[set].value;
				mutate(&s, 0x8000000000054321);
			}
	}
}

static void result(void **state)
{
	unsigned int i;

	printf("killed %lu of %lu mutants\n", killed, mutants);
	printf("# no mutants, for the altered page and what is seen go together: %lu\n",
	       excused);
	for (i = 0; i <= RULES_MAX; i++)
		if (excused_by[i])
			printf("#   %lu by %s\n", excused_by[i],
			       i < RULES_MAX ? rules[i].name :
			       "what is documented");
	assert_int_equal(killed, mutants);
	assert_in_range(mutants, 100000, 10000000);
	/* Few enough to know them. */
	assert_in_range(excused * 100, 0, mutants * 2);
}

SUITE(suite_mutants,
      cmocka_unit_test(round_trip), cmocka_unit_test(recorded),
      cmocka_unit_test(figures), cmocka_unit_test(synthesised),
      cmocka_unit_test(result));
