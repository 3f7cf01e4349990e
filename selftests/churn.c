// SPDX-License-Identifier: GPL-2.0
/*
 * Processes whose memory changes all the time while others dump it. Whatever
 * the dumps find, each of them must be consistent (ptw_dump_flaw()).
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <netlink/attr.h>
#include "mutate.h"
#include "system.h"
#include "test.h"

#define SECONDS	3
#define DUMPERS	3

static size_t page_size;

static void (*const changes[])(u32 *) = {
	mutate_map, mutate_move, mutate_huge, mutate_fork
};

static void *change(void *arg)
{
	u32 seed = 0x9e3779b9 + (uintptr_t)arg;
	void (*how)(u32 *) = changes[(uintptr_t)arg];

	for (;;)
		how(&seed);
	return NULL;
}

/* The process that is dumped: a thread for each way to change. */
static void start_changing(void *arg, int nr)
{
	pthread_t thread;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++)
		if (pthread_create(&thread, NULL, change, (void *)(uintptr_t)i))
			_exit(1);
}

/*
 * Dumps and translates until the time is over, but more than once on the
 * slowest machine; exits with 1 at a flaw.
 */
static void dump_on(pid_t target, size_t buffer)
{
	double end = seconds_now() + SECONDS;
	struct ptw_info info;
	struct ptw ptw;
	long dumps = 0;
	u32 seed = getpid();

	if (ptw_open_sized(&ptw, buffer) || ptw_info(&ptw, &info))
		_exit(2);
	while (seconds_now() < end || dumps < 2) {
		struct ptw_dump dump;
		struct ptw_page page;
		const char *why;
		int err;

		dumps++;
		err = ptw_dump(&ptw, target, 0, PTW_LAST, &dump);
		why = err ? ptw.error.message : ptw_dump_flaw(&dump, &info, 0, PTW_LAST);
		if (err && err != -EAGAIN) {
			fprintf(stderr, "# dump: %s (%s)\n", strerror(-err), why);
			_exit(1);
		}
		if (!err && (why || dump.nr < 10)) {
			fprintf(stderr, "# dump of %zu records: %s\n", dump.nr,
				why ?: "too few");
			_exit(1);
		}
		if (!err && dump.nr) {
			struct ptw_extent *e = &dump.record[chance(&seed) % dump.nr].extent;

			err = ptw_translate_one(&ptw, target, e->addr, &page);
			/* It only tries to get the lock; a dump queues. */
			if (err && err != -EAGAIN && err != -EBUSY) {
				fprintf(stderr, "# translate: %s\n", strerror(-err));
				_exit(1);
			}
		}
		ptw_dump_free(&dump);
	}
	_exit(0);
}

FIXTURE(churn)
{
	struct ptw ptw;
	struct target target;
	struct ptw_info info;
};

FIXTURE_SETUP(churn)
{
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, ptw_info(&self->ptw, &self->info));
	page_size = sysconf(_SC_PAGESIZE);
	mutate_setup(&self->info);
}

FIXTURE_TEARDOWN(churn)
{
	target_end(&self->target);
	ptw_close(&self->ptw);
}

/* Runs dumpers of @pid; returns how many of them failed. */
static int dumpers(pid_t pid, int nr)
{
	int status, failed = 0, i;
	pid_t child[16];

	for (i = 0; i < nr; i++) {
		child[i] = fork();
		if (!child[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			/* Small buffers make for many pauses. */
			dump_on(pid, i % 2 ? PTW_BUFFER : PTW_SMALL_BUFFER);
		}
	}
	for (i = 0; i < nr; i++) {
		waitpid(child[i], &status, 0);
		failed += status != 0;
	}
	return failed;
}

TEST_F(churn, memory_that_changes)
{
	const char *scan = "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs";
	long long before = proc_number(scan);
	char text[32];

	proc_write(scan, "1");
	ASSERT_EQ(0, target_start(&self->target, start_changing, NULL));
	EXPECT_EQ(0, dumpers(self->target.pid, DUMPERS));
	EXPECT_EQ(0, waitpid(self->target.pid, NULL, WNOHANG))
		TH_LOG("the process whose memory changes has died");
	snprintf(text, sizeof(text), "%lld", before);
	if (before >= 0)
		proc_write(scan, text);
}

#define SPLIT_HUGE_PAGES "/sys/kernel/debug/split_huge_pages"

/*
 * One THP that is always mapped: its entry is split by mprotect() of a page, and
 * the folio itself where the kernel offers that, which puts migration entries in
 * its place for a moment; then it is collapsed again.
 */
static void *split_and_collapse(void *arg)
{
	struct mapping *m = arg;
	char *at = (char *)(uintptr_t)m->start, text[64];
	size_t size = m->pages * m->page_size;

	snprintf(text, sizeof(text), "%d,%#llx,%#llx", getpid(), m->start, m->start + size);
	for (;;) {
		proc_write(SPLIT_HUGE_PAGES, text);
		madvise(at, size, 25);		/* MADV_COLLAPSE */
		mprotect(at + m->page_size, m->page_size, PROT_READ);
		mprotect(at + m->page_size, m->page_size, PROT_READ | PROT_WRITE);
		madvise(at, size, 25);
	}
	return NULL;
}

static void start_splitting(void *arg, int nr)
{
	struct mapping *m = arg;
	char *at = (char *)(uintptr_t)m->start;
	pthread_t thread;

	/* Not a copy of the parent's, which would be copied page by page. */
	madvise(at, m->pages * m->page_size, MADV_DONTNEED);
	mapping_write(m, at, m->pages);
	if (pthread_create(&thread, NULL, split_and_collapse, m))
		_exit(1);
}

/* Asks what is known of the pages of the THP, and passes over the answer. */
static int ask_pages(struct ptw *ptw, pid_t pid, const struct mapping *m)
{
	struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_TRANSLATE, NLM_F_ACK);
	u64 addrs[PTWALK_MAX_ADDRESSES];

	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++)
		addrs[i] = m->start + i % m->pages * m->page_size;
	nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, pid);
	nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addrs), addrs);
	nla_put_flag(msg, PTWALK_A_TRANSLATE_WANT_PAGES);
	return ptw_ask(ptw, msg);
}

/* What is wrong with a dump of the THP, or NULL; counts its records by level. */
static const char *split_flaw(struct ptw *ptw, pid_t pid, const struct mapping *m,
			      unsigned long seen[PTWALK_LEVELS])
{
	u64 last = m->start + m->pages * m->page_size - 1, pages = 0;
	const char *flaw = NULL;
	struct ptw_dump dump;
	int err;

	err = ptw_dump(ptw, pid, m->start, last, &dump);
	if (!err)
		flaw = ptw_dump_flaw(&dump, &m->info, m->start, last);
	else if (err != -EAGAIN)
		flaw = ptw->error.message;
	for (size_t i = 0; i < dump.nr && !flaw; i++) {
		const struct ptw_extent *e = &dump.record[i].extent;
		u32 kind = ptwalk_bits_kind(e->bits);

		if (kind != PTWALK_KIND_PRESENT && kind != PTWALK_KIND_MIGRATION)
			flaw = "a page that is always mapped was reported not to be";
		seen[ptwalk_bits_level(e->bits)]++;
		pages += e->pages;
	}
	if (!err && !flaw && pages != m->pages)
		flaw = "pages are missing, or reported twice";
	ptw_dump_free(&dump);
	return flaw;
}

TEST_F(churn, splits_and_collapses)
{
	unsigned long seen[PTWALK_LEVELS] = {};
	double begin = seconds_now();
	struct mapping m;
	int looks, err;

	ASSERT_EQ(0, mapping_build(&m, &self->ptw, build_thp));
	if (m.lacks[0])
		SKIP(return, "%s", m.lacks);
	ASSERT_EQ(0, target_start(&self->target, start_splitting, &m));
	/* Until both were seen, on the slowest machine too. */
	for (looks = 0; seconds_now() < begin + SECONDS || looks < 20 ||
	     !seen[PTWALK_LEVEL_PMD] || !seen[PTWALK_LEVEL_PTE]; looks++) {
		EXPECT_GOOD(split_flaw(&self->ptw, self->target.pid, &m, seen));
		err = ask_pages(&self->ptw, self->target.pid, &m);
		EXPECT_TRUE(!err || err == -EAGAIN || err == -EBUSY)
			TH_LOG("translate: %s (%s)", strerror(-err), self->ptw.error.message);
		if (_metadata->exit_code == KSFT_FAIL || seconds_now() > begin + 300)
			break;
	}
	TH_LOG("%d looks: %lu records of a huge entry, %lu of small ones", looks,
	       seen[PTWALK_LEVEL_PMD], seen[PTWALK_LEVEL_PTE]);
	EXPECT_LT(0, seen[PTWALK_LEVEL_PMD]);
	EXPECT_LT(0, seen[PTWALK_LEVEL_PTE]);
	EXPECT_EQ(0, waitpid(self->target.pid, NULL, WNOHANG));
}

/* Pages in a row are a run, and not a list with a word for each. */
TEST_F(churn, rows_are_runs)
{
	struct ptw_dump dump;
	struct mapping m;
	u64 next, last;

	ASSERT_EQ(0, mapping_build(&m, &self->ptw, build_thp));
	if (m.lacks[0])
		SKIP(return, "%s", m.lacks);
	/* Splits the entry of a huge page. */
	ASSERT_EQ(0, mprotect((void *)(uintptr_t)m.start, m.page_size, PROT_READ));
	next = m.start + m.page_size;
	last = m.start + m.pages * m.page_size - 1;
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), next, last, &dump));
	EXPECT_GOOD(ptw_dump_flaw(&dump, &m.info, next, last));
	ASSERT_LT(0, dump.nr);
	EXPECT_EQ(PTWALK_LEVEL_PTE, ptwalk_bits_level(dump.record[0].extent.bits));
	EXPECT_GT(m.pages / 4, dump.nr);
	ptw_dump_free(&dump);
}

/* Many at once, of a process that is one of them. */
TEST_F(churn, many_dumpers)
{
	EXPECT_EQ(0, dumpers(getpid(), 8));
}

/* Processes that come and go, each dumped at whatever moment it is in. */
TEST_F(churn, short_lives)
{
	double end = seconds_now() + SECONDS;
	int answers = 0, gone = 0, i;

	do {
		pid_t pid[8];

		for (i = 0; i < 8; i++) {
			pid[i] = vfork();
			if (!pid[i])
				execlp("true", "true", NULL), _exit(127);
		}
		for (i = 0; i < 8; i++) {
			struct ptw_dump dump;
			int err = ptw_dump(&self->ptw, pid[i], 0, PTW_LAST, &dump);

			EXPECT_TRUE(!err || err == -ESRCH || err == -EAGAIN)
				TH_LOG("%s (%s)", strerror(-err), self->ptw.error.message);
			if (!err)
				EXPECT_GOOD(ptw_dump_flaw(&dump, &self->info, 0, PTW_LAST));
			answers += !err;
			gone += err != 0;
			ptw_dump_free(&dump);
		}
		for (i = 0; i < 8; i++)
			waitpid(pid[i], NULL, 0);
	} while (seconds_now() < end);
	EXPECT_GE(answers + gone, 8);
}

static char why[200];

/* What is wrong with a dump of a process beside its maps, or NULL. */
static const char *beside_maps(struct ptw *ptw, const struct ptw_info *info,
			       pid_t pid, bool *seen)
{
	const char *flaw = NULL;
	struct proc_vma vma;
	struct ptw_dump dump;
	u64 addr, at;
	int err;

	err = ptw_dump(ptw, pid, 0, PTW_LAST, &dump);
	*seen = !err;
	if (!err)
		flaw = ptw_dump_flaw(&dump, info, 0, PTW_LAST);
	else if (err != -ESRCH && err != -EINVAL)
		flaw = strerror(-err);
	for (addr = 0; !err && !flaw && !proc_vma(pid, addr, &vma); addr = vma.end) {
		struct ptw_extent page;

		if (!vma.end || !strcmp(vma.name, "[vsyscall]") ||
		    !strcmp(vma.name, "[vectors]"))
			break;
		for (at = vma.start; at < vma.end && !flaw; at += page_size)
			if (!ptw_dump_find(&dump, info->page_shift, at, &page, NULL)) {
				snprintf(why, sizeof(why), "nothing about %#llx in %s",
					 at, vma.name);
				flaw = why;
			}
	}
	ptw_dump_free(&dump);
	return flaw;
}

/*
 * Every process that there is, and every VMA of each. Another process may map
 * something between the dump and its maps, but not each time; this one does.
 */
TEST_F(churn, everybody)
{
	const char *flaw;
	int seen = 0, tries;
	bool here;
	pid_t pid;

	for (pid = 1; pid < getpid(); pid++) {
		for (tries = 0; tries < 10; tries++) {
			flaw = beside_maps(&self->ptw, &self->info, pid, &here);
			if (!flaw)
				break;
			usleep(50000);
		}
		EXPECT_EQ(NULL, flaw)
			TH_LOG("%d: %s", pid, flaw);
		seen += here;
	}
	EXPECT_GT(seen, 1);
}

TEST_HARNESS_MAIN
