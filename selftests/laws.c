// SPDX-License-Identifier: GPL-2.0
/*
 * What must survive each operation of the kernel on each kind of pages
 * (Documentation/laws.md): looks at the pages, operates, looks again, judges.
 * Each cell of that table has a process of its own. Its end is a check as well:
 * the kernel complains of counters that aren't zero then ("Bad rss-counter").
 *
 * ENTRY in the environment names the one kind of pages that is looked at. A
 * kernel that has bugs planted is told the number in MUTANT for as long as an
 * operation takes, which switches that bug on.
 */
#include <signal.h>
#include <sys/mman.h>
#include "build_swap.h"
#include "laws_selfcheck.h"
#include "operations.h"
#include "test.h"

#define ENTRIES(X)		\
	X(anon_written)		\
	X(anon_every_other)	\
	X(fork_before_write)	\
	X(soft_dirty)		\
	X(mthp_64k)		\
	X(thp)			\
	X(thp_parted)		\
	X(thp_forked)		\
	X(hugetlb_private)	\
	X(hugetlb_shared)	\
	X(shmem)		\
	X(thp_shmem)		\
	X(file_shared)		\
	X(file_private)		\
	X(file_private_copy)	\
	X(zero_page)		\
	X(huge_zero_page)	\
	X(prot_none)		\
	X(ksm)			\
	X(swapped)		\
	X(swapped_shmem)	\
	X(uffd_wp)		\
	X(uffd_wp_marker)	\
	X(uffd_wp_shmem)	\
	X(uffd_wp_thp)		\
	X(uffd_wp_hugetlb)	\
	X(uffd_wp_swapped)	\
	X(guard)		\
	X(hugetlb_shared_table)	\
	X(fixture_region)	\
	X(driver_pages_combining) \
	X(driver_insert_page)	\
	LAW_BUILDERS(X)		\
	X(soft_dirty_shmem)

#define ENTRY(name)	{ #name, build_##name },
static const struct {
	const char *name;
	builder_t build;
} entries[] = { ENTRIES(ENTRY) };

#define NR_ENTRIES	(sizeof(entries) / sizeof(entries[0]))

/* What the columns of the printed table are called. */
static const char columns[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* After which the process of a cell is taken for one that hangs. */
#define SECONDS		60

#define say(format, ...)	fprintf(stderr, "# " format "\n", ##__VA_ARGS__)

/* Shared by all tests, each of which is a process. */
static char (*results)[NR_ENTRIES];

static void __attribute__((constructor)) share_results(void)
{
	results = mmap(NULL, NR_OPERATIONS * sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		exit(KSFT_FAIL);
	memset(results, ' ', NR_OPERATIONS * sizeof(*results));
}

#define KHUGEPAGED_SLEEP \
	"/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs"

static long long khugepaged_slept = -1;

/*
 * khugepaged looks for work every ten seconds, and would make a huge page again of
 * what an operation has just taken apart. But for its own operation, it sleeps.
 */
static void __attribute__((constructor)) send_khugepaged_to_sleep(void)
{
	khugepaged_slept = proc_number(KHUGEPAGED_SLEEP);
	proc_write(KHUGEPAGED_SLEEP, "3600000");
}

static void __attribute__((destructor)) wake_khugepaged(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", khugepaged_slept);
	if (khugepaged_slept >= 0)
		proc_write(KHUGEPAGED_SLEEP, text);
}

FIXTURE(laws)
{
	struct ptw ptw;
	struct ptw_info info;
	struct cell *cell;
};

FIXTURE_SETUP(laws)
{
	/* The process of a cell may end at any time. */
	signal(SIGPIPE, SIG_IGN);
	ASSERT_OPEN(&self->ptw);
	self->ptw.want_pages = true;
	ASSERT_EQ(0, ptw_info(&self->ptw, &self->info));
	self->cell = mmap(NULL, sizeof(*self->cell), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->cell);
}

FIXTURE_TEARDOWN(laws)
{
	ptw_close(&self->ptw);
}

/**
 * struct player - what the process of a cell is told
 * @cell: The cell.
 * @build: The builder of its pages.
 * @ptw: A socket.
 */
struct player {
	struct cell *cell;
	builder_t build;
	struct ptw *ptw;
};

static void switch_mutant(const char *number)
{
	if (getenv("MUTANT"))
		proc_write("/sys/module/kernel/parameters/mutant", number);
}

/* Protects the pages, if they are anonymous memory that can be written to, and ends that. */
static void protect_and_back(const struct cell *c)
{
	const u64 vma = c->before.page[0].vma, wanted = PTWALK_VMA_FLAG_WRITE |
		PTWALK_VMA_FLAG_ANONYMOUS, not = PTWALK_VMA_FLAG_SHARED;
	void *start = (void *)(uintptr_t)c->start;
	int prot = vma & PTWALK_VMA_FLAG_EXEC ? PROT_EXEC : 0;

	if ((vma & (wanted | not)) == wanted &&
	    !mprotect(start, c->m.pages * c->m.page_size, prot | PROT_READ))
		mprotect(start, c->m.pages * c->m.page_size, prot | PROT_READ | PROT_WRITE);
}

static void release(struct cell *c)
{
	process_end(c->other);
	munmap((void *)(uintptr_t)c->start, c->m.pages * c->m.page_size);
	mapping_release(&c->m);
	mapping_release(&c->extra);
}

static void play(void *arg, int nr)
{
	struct player *p = arg;
	struct cell *c = p->cell;

	if (c->done)
		return release(c);
	switch (nr) {
	case 0:
		alarm(SECONDS);
		stay_on_cpu();
		c->err = mapping_build(&c->extra, p->ptw, NULL);
		if (c->err || (c->operation->needs_swap && !swap_on(&c->extra)))
			break;
		cell_note(c, c->built);
		c->err = mapping_build(&c->m, p->ptw, p->build);
		c->start = c->m.start;
		break;
	case 1:
		cell_note(c, c->wrote);
		switch_mutant(getenv("MUTANT"));
		c->operation->operate(c);
		switch_mutant("0");
		break;
	default:
		protect_and_back(c);
	}
}

/* What the contents of a page must be, if that is known. */
static void expect_contents(struct moments *m, const struct cell *c, size_t i)
{
	const struct look_page *b = m->before;
	u32 kind = ptwalk_bits_kind(b->bits);

	if (b->read) {
		m->sum = b->sum;
	} else if (kind == PTWALK_KIND_NONE && b->vma & PTWALK_VMA_FLAG_ANONYMOUS) {
		m->sum = look_sum_of_zeros(m->page_size);
	} else if ((kind == PTWALK_KIND_NONE || kind == PTWALK_KIND_SWAP) &&
		   c->built[i].is) {
		m->sum = c->built[i].sum;
	} else {
		return;
	}
	m->known = true;
}

static void expect_written(struct moments *m, const struct written *w)
{
	if (!w->is)
		return;
	m->wrote = true;
	m->known = true;
	m->sum = w->sum;
}

/* What an operation may do to a page, or to that of the other process. */
static u32 allowed(const struct cell *c, size_t i, bool other)
{
	u32 may = other ? c->operation->other_may : c->operation->may;

	if (c->err)
		return 0;
	/* Mended in Linux 6.3. */
	if (kernel_since(6, 3))
		may &= ~MAY_UNTRACK;
	return c->parts && i - c->part >= c->parts ? may & ~MAY_HERE : may;
}

static u64 vma_allowed(const struct cell *c, size_t i, bool other)
{
	bool beside = c->parts && i - c->part >= c->parts;

	return beside || (c->other > 0 && !other) ? 0 : c->operation->vma_may;
}

/*
 * The laws that don't hold of a page; of that of the other process if @other.
 * The operation may do all but @except.
 */
static u32 broken_at(const struct cell *c, size_t i, bool other, u32 except)
{
	struct moments m = {
		.info = &c->m.info,
		.page_size = c->m.page_size,
		.before = &c->before.page[i],
		.after = other ? &c->other_after.page[i] : &c->after.page[i],
		.may = allowed(c, i, other) & ~except,
		.vma_may = vma_allowed(c, i, other),
	};

	if (c->other > 0)
		m.other = other ? &c->after.page[i] : &c->other_after.page[i];
	expect_contents(&m, c, i);
	if (other || m.before->vma & PTWALK_VMA_FLAG_SHARED)
		expect_written(&m, &c->other_wrote[i]);
	if (!other)
		expect_written(&m, &c->wrote[i]);
	m.stale = m.known && c->on_disk[i].is && c->on_disk[i].sum != m.sum;
	return laws_broken(&m);
}

static void tell(const struct cell *c, const char *entry, bool other, size_t i, u32 broken)
{
	const struct look_page *b = &c->before.page[i];
	const struct look_page *a = other ? &c->other_after.page[i] : &c->after.page[i];

	for (size_t law = 0; law < nr_laws; law++)
		if (broken & 1U << law)
			say("%s of %s%s: %s: page %zu: %#llx %#llx %#llx, then %#llx %#llx %#llx",
			    c->operation->name, entry, other ? ", other process" : "",
			    laws[law].text, i, b->bits, b->value, b->page.flags,
			    a->bits, a->value, a->page.flags);
}

static u32 judge_process(const struct cell *c, const char *entry, bool other)
{
	u32 broken = laws_broken_sums(other ? &c->other_after : &c->after), here;

	if (broken)
		tell(c, entry, other, 0, broken);
	for (size_t i = 0; i < c->before.nr; i++) {
		here = broken_at(c, i, other, 0);
		/* Each law is told once. */
		if (here & ~broken)
			tell(c, entry, other, i, here & ~broken);
		broken |= here;
	}
	return broken;
}

static bool shows_bug(const struct cell *c)
{
	for (size_t i = 0; i < c->before.nr; i++)
		if (broken_at(c, i, false, MAY_BY_BUG))
			return true;
	return false;
}

static bool anything_changed(const struct cell *c)
{
	for (size_t i = 0; i < c->before.nr; i++) {
		const struct look_page *b = &c->before.page[i], *a = &c->after.page[i];

		if (b->bits != a->bits || b->value != a->value || b->vma != a->vma)
			return true;
	}
	return c->start != c->m.start;
}

/*
 * Does an operation to pages. A letter of the result: '+' what may change has
 * changed, '=' nothing has, 'r' refused, '-' there is no such cell, 'X' a law
 * is broken, 'k' the same by a bug that is known, '?' the test went wrong.
 */
static char run_cell(struct ptw *ptw, struct cell *c, const struct operation *operation,
		     size_t entry)
{
	struct player player = { c, entries[entry].build, ptw };
	const char *name = entries[entry].name;
	struct target target = { 0 };
	char letter = '?';
	u32 broken;

	memset(c, 0, sizeof(*c));
	c->operation = operation;
	if (target_start(&target, play, &player) || c->err) {
		say("%s of %s: no process", operation->name, name);
		goto out;
	}
	if (c->m.broken[0] || c->extra.broken[0]) {
		say("%s of %s: %s%s", operation->name, name, c->m.broken, c->extra.broken);
		goto out;
	}
	if (c->m.lacks[0] || c->extra.lacks[0] || c->m.pages > LOOK_PAGES) {
		letter = '-';
		goto out;
	}
	if (look_take(&c->before, ptw, target.pid, c->m.start, c->m.pages, false) ||
	    target_step(&target)) {
		say("%s of %s: the process ended", operation->name, name);
		goto out;
	}
	if (c->lacks[0]) {
		letter = '-';
		goto out;
	}
	if (look_take(&c->after, ptw, target.pid, c->start, c->m.pages, true) ||
	    (c->other > 0 && look_take(&c->other_after, ptw, c->other, c->start,
				       c->m.pages, true))) {
		say("%s of %s: %s", operation->name, name, ptw->error.message);
		goto out;
	}
	if (target_step(&target) || look_protected(&c->after, ptw, target.pid, c->start)) {
		say("%s of %s: the process ended afterwards", operation->name, name);
		goto out;
	}
	broken = judge_process(c, name, false);
	if (c->other > 0)
		broken |= judge_process(c, name, true);
	letter = broken ? 'X' : c->err ? 'r' : shows_bug(c) ? 'k' :
		 anything_changed(c) ? '+' : '=';
out:
	c->done = true;
	if (target.pid > 0)
		target_step(&target);
	target_end(&target);
	return letter;
}

static bool is_entry(const char *name)
{
	for (size_t i = 0; i < NR_ENTRIES; i++)
		if (!strcmp(entries[i].name, name))
			return true;
	return false;
}

/* Whether there is any memory here to which this can be done. */
static bool run_operation(struct ptw *ptw, struct cell *c, int nr)
{
	const char *only = getenv("ENTRY");
	size_t i, there = 0;

	for (i = 0; i < NR_ENTRIES; i++) {
		if (only && strcmp(entries[i].name, only))
			continue;
		results[nr][i] = run_cell(ptw, c, &operations[nr], i);
		there += results[nr][i] != '-';
	}
	say("%-20s %.*s", operations[nr].name, (int)NR_ENTRIES, results[nr]);
	return there;
}

TEST_F(laws, selfcheck)
{
	EXPECT_GOOD(laws_flaw());
	EXPECT_TRUE(is_entry("anon_written"));
	EXPECT_FALSE(is_entry("anon"));
}

#define OPERATION_TEST(name)							\
	TEST_F(laws, name)							\
	{									\
		const char *row = results[OPERATION_##name];			\
		const char *only = getenv("ENTRY");				\
										\
		ASSERT_TRUE(!only || is_entry(only))				\
			TH_LOG("ENTRY=%s: no such entry; those that there are: laws -t table", \
			       only);						\
		if (!run_operation(&self->ptw, self->cell, OPERATION_##name))	\
			SKIP(return, "%s", self->cell->lacks[0] ? self->cell->lacks : \
			     "the kernel has no such memory");			\
		EXPECT_EQ(NULL, memchr(row, 'X', NR_ENTRIES));			\
		EXPECT_EQ(NULL, memchr(row, '?', NR_ENTRIES));			\
		if (memchr(row, 'k', NR_ENTRIES) && _metadata->exit_code == KSFT_PASS)	\
			KNOWN_BUG("%s", operations[OPERATION_##name].source);		\
		if (!memchr(row, '+', NR_ENTRIES) && !memchr(row, 'X', NR_ENTRIES) &&	\
		    !memchr(row, '?', NR_ENTRIES))				\
			SKIP(return, "it changes nothing that there is here");	\
	}
OPERATIONS(OPERATION_TEST)

/* Last, because it tells the results of the others. */
TEST_F(laws, table)
{
	size_t i;
	int nr;

	say("+ all laws hold, = and nothing has changed, r refused and nothing has changed,");
	say("- there is no such cell, X a law is broken, k by a bug of this kernel that is known,");
	say("? the test went wrong");
	for (i = 0; i < NR_ENTRIES; i++)
		say("%c = %s", columns[i], entries[i].name);
	say("%-20s %.*s", "", (int)NR_ENTRIES, columns);
	for (nr = 0; nr < NR_OPERATIONS; nr++)
		say("%-20s %.*s", operations[nr].name, (int)NR_ENTRIES, results[nr]);
}

TEST_HARNESS_MAIN
