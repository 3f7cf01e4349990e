// SPDX-License-Identifier: GPL-2.0
/* Scans of a made-up PAGEMAP_SCAN that has a bug, which each must notice. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "proc/pagemap_bits.h"
#include "sources/scan.h"
#include "sources/source.h"
#include "check/draw.h"
#include "tests.h"

#define PAGES	16
#define MANY	10000	/* more than one scan goes over, or a part */
#define TWO_READS	1024	/* pages that two reads of pagemap go over */
#define BUFFERED	512
#define FIRST	7	/* category of the first page; each page has another one */
#define ALL	0xffULL	/* categories that there are */

enum bug {
	NONE,
	ENDS_EARLY,		/* a page before the end, which was told */
	ENDS_WHERE_IT_BEGAN,
	ENDS_FILTERED,		/* the same of a scan with a filter */
	SKIPS,			/* a page, when the vector is full */
	TELLS_TWICE,		/* the last page */
	ENDS_AT_A_BUFFER,	/* though all has been told, as Linux does */
	HEEDS_NO_FILTER,	/* by the category @filter */
	HEEDS_NO_ANY_OF,	/* of the category @filter alone */
	HEEDS_NO_INVERTED,
	LOOKS_UP_WHAT_IS_ASKED,	/* only: whether a page is of a file */
	TELLS_ALL,		/* if @filter alone is asked for */
	REFUSES_A_FILTER,	/* by the category @filter */
	REFUSES_NOTHING,
	CHECKS_NOTHING,		/* PM_SCAN_CHECK_WPASYNC */
	REFUSES_THE_CHECK,	/* where it may be asked for */
	REFUSES_EMPTY,		/* what has no page */
	TELLS_ONE_MORE,		/* if max_pages is a multiple of 512 */
	TELLS_MORE,		/* in the last region if max_pages is 5 */
	ENDS_BEFORE_A_PART,	/* of a page */
	TAKES_IN,		/* what is behind, if there is room for one region */
	LOSES_WITHOUT_FILE,	/* swapped, if FILE isn't of interest */
	LOSES_UNASKED,		/* the category @filter, if @other isn't asked for */
	FINDS_NO_PAIR,		/* if category_mask is @filter */
	FINDS_NO_EITHER,	/* if category_anyof_mask is @filter */
	LOSES_ALONE,		/* all categories of a page that is scanned alone */
	LOSES_A_PAGE,		/* in the middle, if there is a filter */
	HAS_MORE_ROOM,		/* if there is some for three regions */
	/* Of what it has told as many regions of as it gathers: */
	FORGETS_REQUIRED,
	FORGETS_INVERTED,
	FORGETS_ANY_OF,
	FORGETS_WANTED,
	FORGETS_NUMBER,		/* how many pages that were */
	FORGETS_ROOM,		/* has room for one more */
	/* Of ptwalk's own pages: */
	STOPS_EARLY,		/* a page before max_pages, if these are 512 */
	STOPS_BEFORE_THE_VECTOR,	/* is full, if it has room for 520 regions */
	STORES_MORE,		/* a region more than it tells of, if there is max_pages */
};

static enum bug bug;
static uint64_t filter, other;
static uint64_t widest;		/* scan so far, in pages */
static uint64_t row = 1;	/* pages that are alike */
static uint64_t scans, cleared;	/* of our pages: how many, and regions the kernel clears */

/* What ptwalk has made is two by turns. */
static uint64_t category_of(uint64_t addr)
{
	if (addr == getauxval(AT_SYSINFO_EHDR))
		return SCAN_PRESENT | SCAN_FILE;
	if (addr < TEST_ADDR || addr - TEST_ADDR >= MANY << 12)
		return addr >> 12 & 1 ? SCAN_PRESENT | SCAN_PFNZERO : SCAN_WRITTEN;
	return 1ULL << (FIRST + ((addr - TEST_ADDR) >> 12) / row) % 8;
}

static bool is_wanted(const struct pm_scan_arg *arg, uint64_t category)
{
	uint64_t tested = category ^ arg->category_inverted;

	if (bug == HEEDS_NO_FILTER && arg->category_mask == filter)
		return true;
	if (bug == HEEDS_NO_ANY_OF && arg->category_anyof_mask == filter)
		return true;
	if (bug == HEEDS_NO_INVERTED && arg->category_inverted == filter)
		tested = category;
	if ((bug == FINDS_NO_PAIR && arg->category_mask == filter) ||
	    (bug == FINDS_NO_EITHER && arg->category_anyof_mask == filter))
		return false;
	if (bug == LOOKS_UP_WHAT_IS_ASKED && !(arg->return_mask & SCAN_FILE))
		tested = (category & ~SCAN_FILE) ^ arg->category_inverted;
	return (tested & arg->category_mask) == arg->category_mask &&
	       (!arg->category_anyof_mask || tested & arg->category_anyof_mask);
}

/* Of what isn't ours. */
static bool is_allowed(uint64_t addr)
{
	return addr - TEST_ADDR < MANY << 12 && category_of(addr) == SCAN_WPALLOWED;
}

/* 0, or what it is refused with. */
static int error_of(const struct pm_scan_arg *arg)
{
	uint64_t masks = arg->return_mask | arg->category_mask |
			 arg->category_inverted | arg->category_anyof_mask;

	if (bug != REFUSES_NOTHING &&
	    (arg->size != sizeof(*arg) || arg->start % 4096 || arg->flags & ~3ULL ||
	     (arg->vec_len && !arg->vec) || masks & ~ALL))
		return EINVAL;
	if (bug == REFUSES_EMPTY && arg->start == arg->end)
		return EINVAL;
	return arg->flags & 2 && bug != CHECKS_NOTHING &&
	       (bug == REFUSES_THE_CHECK || !is_allowed(arg->start)) ? EPERM : 0;
}

/* A buffer has been stored: what is forgotten of the request then. */
static void forget(struct pm_scan_arg *arg, uint64_t *told)
{
	switch (bug) {
	case FORGETS_REQUIRED:
		arg->category_mask = 0;
		break;
	case FORGETS_INVERTED:
		arg->category_mask &= ~arg->category_inverted;
		arg->category_inverted = 0;
		break;
	case FORGETS_ANY_OF:
		arg->category_anyof_mask = 0;
		break;
	case FORGETS_WANTED:
		arg->return_mask = ALL;
		break;
	case FORGETS_NUMBER:
		*told = 0;
		break;
	case FORGETS_ROOM:
		arg->vec_len++;
		break;
	default:
		break;
	}
}

/* Pages in a row that are alike are a region. */
static int fake_scan(struct pm_scan_arg *asked)
{
	struct pm_scan_arg own = *asked, *arg = &own;
	struct page_region *region = (void *)(uintptr_t)arg->vec;
	uint64_t end = arg->end + (bug == ENDS_BEFORE_A_PART ? 0 : 4095), limit;
	uint64_t addr, categories, n = 0, told = 0;

	errno = error_of(arg);
	if (errno)
		return -1;
	end &= ~4095ULL;
	if (bug == HAS_MORE_ROOM && arg->vec_len == 3)
		arg->vec_len++;
	if (bug == STOPS_BEFORE_THE_VECTOR && arg->vec_len == 520)
		arg->vec_len--;
	limit = arg->max_pages + (bug == TELLS_ONE_MORE && !(arg->max_pages % 512)) -
		(bug == STOPS_EARLY && arg->max_pages == 512);
	if (arg->start >= TEST_ADDR) {
		scans++;
		cleared += arg->vec_len < BUFFERED ? arg->vec_len : BUFFERED;
	}
	if ((end - arg->start) / 4096 > widest)
		widest = (end - arg->start) / 4096;
	for (addr = arg->start; addr < end; addr += 4096) {
		if (!is_wanted(arg, category_of(addr)) ||
		    (bug == LOSES_A_PAGE && arg->category_mask &&
		     addr == TEST_ADDR + MANY / 2 * 4096))
			continue;
		if (bug == TAKES_IN && n == 1 && arg->vec_len == 1) {
			region[0].end = addr + 4096;
			continue;
		}
		if (arg->max_pages && told == limit)
			break;
		categories = category_of(addr) & arg->return_mask;
		if (bug == TELLS_ALL && arg->return_mask == filter)
			categories = category_of(addr);
		if (bug == LOSES_WITHOUT_FILE &&
		    !((arg->category_mask | arg->category_anyof_mask | arg->return_mask) &
		      SCAN_FILE))
			categories &= ~SCAN_SWAPPED;
		if (bug == LOSES_UNASKED && !(arg->return_mask & other))
			categories &= ~filter;
		if (bug == LOSES_ALONE && arg->start > TEST_ADDR && end - arg->start == 4096)
			categories = 0;
		if (n && region[n - 1].end == addr &&
		    region[n - 1].categories == categories)
			n--;
		else if (n < arg->vec_len)
			region[n] = (struct page_region){ addr, addr, categories };
		else
			break;
		region[n++].end += 4096;
		told++;
		if (n == BUFFERED)
			forget(arg, &told);
	}
	arg->walk_end = addr;
	if (bug == SKIPS && addr < end)
		arg->walk_end += 4096;
	if (bug == ENDS_EARLY && addr == end && addr > arg->start)
		arg->walk_end -= 4096;
	if (bug == ENDS_AT_A_BUFFER && n > BUFFERED)
		arg->walk_end = arg->start + BUFFERED * 4096;
	if (bug == ENDS_WHERE_IT_BEGAN || (bug == ENDS_FILTERED && arg->category_mask))
		arg->walk_end = arg->start;
	if (bug == TELLS_MORE && arg->max_pages == 5 && n)
		region[n - 1].end += 3 * 4096;
	if (bug == STORES_MORE && arg->max_pages && n)
		region[n] = region[n - 1];
	if (bug == TELLS_TWICE && addr == end && n && n < arg->vec_len) {
		region[n] = region[n - 1];
		n++;
	}
	asked->walk_end = arg->walk_end;
	return n;
}

static int scan_ioctl(unsigned long request, void *arg)
{
	const struct pm_scan_arg *scan = arg;

	if (bug == REFUSES_A_FILTER && scan->category_mask & filter) {
		errno = EINVAL;
		return -1;
	}
	return fake_scan(arg);
}

/* Whether the source shows some page otherwise than it is, or has a fault: then what. */
static char fault[SOURCE_TEXT_SIZE];
static bool another;

static bool shows_by(const struct source *source, enum bug present, size_t nr,
		     const uint64_t *arg)
{
	struct source_pages pages = { .addr = TEST_ADDR, .nr = nr };
	const struct source_fault *found;
	struct source_file *file;
	uint64_t value[MANY];

	memcpy(pages.arg, arg, sizeof(pages.arg));
	test_ioctl = scan_ioctl;
	bug = present;
	if (source->open(source, getpid(), &file)) {
		test_ioctl = NULL;
		skip();
	}
	assert_int_equal(source->read(file, &pages, value), nr);
	found = source->fault(file);
	snprintf(fault, sizeof(fault), "%s", found ? found->does : "");
	if (found)
		assert_true(found->function && found->must);
	/* Which request it was, but for those that are made when it is opened. */
	if (found && strstr(fault, "in a scan from 0x"))
		assert_true(found->start == pages.addr &&
			    found->last == pages.addr + (nr << 12) - 1);
	else if (found)
		assert_false(found->last && !strstr(fault, "PM_SCAN_CHECK_WPASYNC"));
	source->close(file);
	test_ioctl = NULL;
	another = false;
	for (uint64_t i = 0; i < nr; i++)
		another |= value[i] != (SCAN_REPORTED |
					category_of(TEST_ADDR + (i << 12)));
	return another || found;
}

#define DRAWN	100

/* The same in how many of DRAWN requests; of a source that has but one, in that. */
static unsigned int times(const struct source *source, enum bug present, size_t nr)
{
	const struct env env = { .scan_categories = ALL };
	struct random random = { 1 };
	struct source_pages pages = { 0 };
	unsigned int found = 0;

	for (int i = 0; i < (source->dimension ? DRAWN : 1); i++) {
		draw_args(source, &env, &random, 1024, &pages);
		found += shows_by(source, present, nr, pages.arg);
	}
	return found;
}

static bool shows_in(const struct source *source, enum bug present, size_t nr)
{
	return times(source, present, nr);
}

static bool shows(const struct source *source, enum bug present)
{
	return shows_in(source, present, PAGES);
}

static void right(void **state)
{
	assert_false(shows_in(&source_scan, NONE, MANY));
	assert_false(shows_in(&source_scan, ENDS_AT_A_BUFFER, MANY));
	assert_false(shows_in(&source_scan_written, NONE, MANY));
	assert_false(shows_in(&source_scan_written, ENDS_AT_A_BUFFER, MANY));
	assert_false(shows(&source_scan, NONE));
	assert_false(shows(&source_scan_written, NONE));
	assert_false(shows(&source_scan_pieces, NONE));
	assert_false(shows(&source_scan_filters, NONE));
}

/* Regions of any length. */
static void rows(void **state)
{
	for (row = 2; row < MANY; row = 3 * row + 1) {
		assert_false(shows_in(&source_scan, NONE, MANY));
		assert_false(shows_in(&source_scan_written, NONE, MANY));
		assert_false(shows_in(&source_scan_pieces, NONE, MANY));
		assert_false(shows_in(&source_scan_filters, NONE, MANY));
		assert_true(shows_in(&source_scan, ENDS_EARLY, MANY));
	}
	row = MANY / 5;		/* one of these is PAGE_IS_WRITTEN */
	assert_true(shows_in(&source_scan_written, LOSES_A_PAGE, MANY));
	row = 1;
}

/* However many pages there are. */
static void alone(void **state)
{
	row = MANY;
	for (size_t nr = 2; nr < 40; nr += 9)
		assert_true(shows_in(&source_scan_pieces, LOSES_ALONE, nr));
	row = 1;
	for (size_t nr = 2; nr < 40; nr += 9)
		assert_false(shows_in(&source_scan_pieces, NONE, nr));
}

/* The kernel holds the mmap lock until a scan is at its end. */
static void bounded(void **state)
{
	const struct source *const scans[] = {
		&source_scan, &source_scan_written, &source_scan_pieces,
		&source_scan_filters,
	};

	widest = 0;
	for (size_t i = 0; i < 4; i++)
		assert_false(shows_in(scans[i], NONE, MANY));
	assert_in_range(widest, BUFFERED + 1, TWO_READS);
}

/*
 * Pages that are alike are scanned with little room for regions, which the kernel clears
 * in each scan; others in hardly more scans.
 */
static void costs_little(void **state)
{
	for (row = 1; row <= MANY; row = 10 * row) {
		scans = cleared = 0;
		assert_false(shows_in(&source_scan, NONE, MANY));
		assert_in_range(scans, MANY / TWO_READS, 2 * MANY / BUFFERED);
		assert_in_range(cleared, scans, row == 1 ? MANY : MANY / 8);
	}
	row = 1;
}

static void ends(void **state)
{
	assert_true(shows(&source_scan, ENDS_EARLY));
	assert_true(shows(&source_scan, ENDS_WHERE_IT_BEGAN));
	assert_true(shows(&source_scan_pieces, SKIPS));
	assert_true(shows(&source_scan, TELLS_TWICE));
	assert_true(shows(&source_scan_written, ENDS_BEFORE_A_PART));
	assert_true(shows(&source_scan_pieces, TAKES_IN));
}

static void refuses(void **state)
{
	assert_true(shows(&source_scan, REFUSES_NOTHING));
	assert_true(shows(&source_scan, CHECKS_NOTHING));
	row = PAGES - 1;	/* the last one is PAGE_IS_WPALLOWED */
	assert_true(shows(&source_scan, REFUSES_THE_CHECK));
	assert_string_equal(fault, "a scan is refused that has PM_SCAN_CHECK_WPASYNC where it says PAGE_IS_WPALLOWED");
	row = 1;
}

/* What is wrong, and which request it is wrong of. */
static void names_what_is_wrong(void **state)
{
	const struct {
		const struct source *source;
		enum bug bug;
		const char *text;
		uint64_t arg[SOURCE_ARGS];
	} cases[] = {
		{ &source_scan, TELLS_TWICE,
		  "a region is out of order, told twice, or not of these pages, in a scan from 0x7f0000200000 on with a vector of 4096" },
		{ &source_scan, ENDS_WHERE_IT_BEGAN,
		  "walk_end is not in what was scanned, in a scan from 0x7f0000200000 on with a vector of 4096" },
		{ &source_scan_pieces, ENDS_WHERE_IT_BEGAN,
		  "walk_end is not in what was scanned, in a scan from 0x7f0000200000 on with a vector of 4096" },
		{ &source_scan_filters, ENDS_FILTERED,
		  "walk_end is not in what was scanned, in a scan from 0x7f0000200000 on with category_mask 0x9, category_inverted 0x1, category_anyof_mask 0x0, return_mask 0xff",
		  { 0, 0, 9, 1 } },
		{ &source_scan_written, ENDS_FILTERED,
		  "walk_end is not in what was scanned, in a scan from 0x7f0000200000 on with a vector of 4096, max_pages 512, category_mask 0x2, category_inverted 0x0, category_anyof_mask 0x0, return_mask 0x2",
		  { 0, 512, 2, 0, 0, 0xfd, 1 } },
		{ &source_scan_pieces, TELLS_MORE,
		  "more pages than max_pages, in a scan from 0x7f0000200000 on with a vector of 3, max_pages 5",
		  { 3, 5 } },
		{ &source_scan_pieces, HAS_MORE_ROOM,
		  "more regions than the vector has room for, in a scan from 0x7f0000200000 on with a vector of 3, max_pages 5",
		  { 3, 5 } },
		{ &source_scan, REFUSES_NOTHING,
		  "a scan isn't refused that has another size" },
		{ &source_scan, REFUSES_EMPTY,
		  "a scan is refused that has no page" },
		{ &source_scan, CHECKS_NOTHING,
		  "a scan isn't refused that has PM_SCAN_CHECK_WPASYNC where no userfaultfd protects" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(shows_by(cases[i].source, cases[i].bug, PAGES, cases[i].arg));
		assert_string_equal(fault, cases[i].text);
		/* It is no page's, but where a region has what isn't like its pages. */
		assert_int_equal(another, cases[i].bug == TELLS_MORE);
	}
}

static void scan_all_own(struct source_fault *found)
{
	for (unsigned int part = 0; part < SCAN_OWN_PARTS; part++)
		scan_own(ALL, part, found);
}

/* What is asked for is heeded behind what the kernel gathers at once, too. */
static void own_pages(void **state)
{
	static const struct {
		enum bug bug;
		const char *does;
	} cases[] = {
		{ NONE, "" }, { ENDS_AT_A_BUFFER, "" },
		{ TELLS_ONE_MORE, "of 1056 pages of ptwalk's own, others are told with a vector of 1056, max_pages 512" },
		{ FORGETS_NUMBER, "of 1056 pages of ptwalk's own, others are told with a vector of 1056, max_pages 514" },
		{ FORGETS_REQUIRED, "of 1056 pages of ptwalk's own, others are told with category_mask 0x8, category_inverted 0x0, category_anyof_mask 0x0, return_mask 0x8" },
		{ FORGETS_INVERTED, "of 1056 pages of ptwalk's own, others are told with category_mask 0x8, category_inverted 0x8, category_anyof_mask 0x0, return_mask 0xff" },
		{ FORGETS_ANY_OF, "of 1056 pages of ptwalk's own, others are told with category_mask 0x0, category_inverted 0x0, category_anyof_mask 0x8, return_mask 0xff" },
		{ FORGETS_WANTED, "of 1056 pages of ptwalk's own, others are told with category_mask 0x8, category_inverted 0x0, category_anyof_mask 0x0, return_mask 0x8" },
		{ FORGETS_ROOM, "of 1056 pages of ptwalk's own, others are told with a vector of 520" },
		{ STOPS_EARLY, "of 1056 pages of ptwalk's own, others are told with a vector of 1056, max_pages 512" },
		{ STOPS_BEFORE_THE_VECTOR, "of 1056 pages of ptwalk's own, others are told with a vector of 520" },
		{ STORES_MORE, "of 1056 pages of ptwalk's own, others are told with a vector of 1056, max_pages 511" },
		{ TELLS_TWICE, "of ptwalk's own pages, a region is out of order, told twice, or not of these pages" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_fault found = { 0 };
		char *from;

		test_ioctl = scan_ioctl;
		bug = cases[i].bug;
		scan_all_own(&found);
		test_ioctl = NULL;
		from = strstr(found.does, ", in a scan from 0x");
		if (from)
			*from = '\0';
		assert_string_equal(found.does, cases[i].does);
	}
}

/* Any category alone, whatever pages are looked at then. */
static void own_categories(void **state)
{
	static const enum bug bugs[] = {
		HEEDS_NO_FILTER, HEEDS_NO_ANY_OF, HEEDS_NO_INVERTED, TELLS_ALL,
		REFUSES_A_FILTER,
	};
	struct source_fault found;

	test_ioctl = scan_ioctl;
	for (filter = 1; filter & ALL; filter <<= 1)
		for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
			found = (struct source_fault){ 0 };
			bug = bugs[i];
			scan_all_own(&found);
			assert_true(*found.does);
		}
	found = (struct source_fault){ 0 };
	bug = LOOKS_UP_WHAT_IS_ASKED;
	scan_all_own(&found);
	test_ioctl = NULL;
	if (getauxval(AT_SYSINFO_EHDR))
		assert_string_equal(found.does, "of 1 pages of ptwalk's own, others are told with category_mask 0x0, category_inverted 0x0, category_anyof_mask 0x4, return_mask 0xfb");
}

/* By whichever category. */
static void filters(void **state)
{
	for (filter = 1; filter & ALL; filter <<= 1)
		assert_true(shows(&source_scan_filters, HEEDS_NO_FILTER));
	assert_true(shows(&source_scan_filters, LOSES_WITHOUT_FILE));
}

/* By whichever two of them. */
static void pairs(void **state)
{
	struct source_fault found;
	unsigned int drawn = 0;

	for (uint64_t one = 1; one & ALL; one <<= 1)
		for (uint64_t two = 2 * one; two & ALL; two <<= 1) {
			filter = one | two;
			drawn += shows(&source_scan_filters, FINDS_NO_EITHER);

			test_ioctl = scan_ioctl;
			bug = FINDS_NO_PAIR;
			found = (struct source_fault){ 0 };
			scan_all_own(&found);
			assert_true(*found.does);
			bug = FINDS_NO_EITHER;
			found = (struct source_fault){ 0 };
			scan_all_own(&found);
			assert_int_equal(!!*found.does, !!(filter & (SCAN_PRESENT | SCAN_PFNZERO |
								     SCAN_WRITTEN)));
			test_ioctl = NULL;
		}
	/* Of 28, those that so few requests have shown. */
	assert_in_range(drawn, 5, 28);
}

/* One category by another: nearly any two of them. */
static void asked_for(void **state)
{
	unsigned int found = 0;

	for (filter = 1; filter & ALL; filter <<= 1)
		for (other = 1; other & ALL; other <<= 1) {
			if (filter == other)
				continue;
			found += times(&source_scan_filters, LOSES_UNASKED, 16) > 0;
		}
	assert_in_range(found, 50, 56);
}

SUITE(suite_scan, cmocka_unit_test(right), cmocka_unit_test(rows),
      cmocka_unit_test(bounded), cmocka_unit_test(costs_little),
      cmocka_unit_test(alone), cmocka_unit_test(ends),
      cmocka_unit_test(refuses), cmocka_unit_test(filters),
      cmocka_unit_test(names_what_is_wrong), cmocka_unit_test(own_pages),
      cmocka_unit_test(own_categories), cmocka_unit_test(pairs),
      cmocka_unit_test(asked_for));
