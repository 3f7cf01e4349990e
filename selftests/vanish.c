// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps of processes that exit, change or are replaced while they are dumped,
 * readers that don't read, and removal of the module meanwhile. A dump pauses
 * when its reader does: the kernel fills only one buffer ahead.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/sched.h>
#include "test.h"

#define PAGES	16384
#define SEARCHED	4096	/* of which each is a VMA */

FIXTURE(vanish)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
	struct ptw_dump dump;
};

enum { UNMAP = 1, EXEC, MAP, PROTECT, MOVE };

static int after;

static void victim(void *arg, int nr)
{
	struct mapping *m = arg;
	char *at = (char *)(uintptr_t)m->start;

	if (!nr)
		mapping_read_every_other(m);
	else if (after == UNMAP)
		munmap(at, PAGES * m->page_size);
	else if (after == MAP)
		mmap(NULL, m->page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else if (after == PROTECT)
		mprotect(at + PAGES / 2 * m->page_size, m->page_size, PROT_NONE);
	/* From the end of the range to its start: as many VMAs and pages as before. */
	else if (after == MOVE)
		mremap(at + (PAGES - 1) * m->page_size, m->page_size, m->page_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

/* Does exec of something that then only waits, as if a step had ended. */
static void exec_victim(void *arg, int nr)
{
	if (nr)
		execlp("sleep", "sleep", "600", NULL);
	victim(arg, nr);
}

FIXTURE_SETUP(vanish)
{
	ASSERT_OPEN_SIZED(&self->ptw, PTW_SMALL_BUFFER);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, NULL));
	ASSERT_NE(NULL, mapping_many_records(&self->m, PAGES));
}

FIXTURE_TEARDOWN(vanish)
{
	target_end(&self->target);
	ptw_dump_free(&self->dump);
	ptw_close(&self->ptw);
}

#define LAST(m)	((m)->start + PAGES * (m)->page_size - 1)

/* Starts a dump of the target's pages, and reads one buffer. */
static int begin(struct ptw *ptw, struct mapping *m, pid_t pid, struct ptw_dump *dump)
{
	int ret = ptw_dump_start(ptw, pid, m->start, LAST(m));

	return ret ? ret : ptw_dump_read(ptw, dump);
}

static int finish(struct ptw *ptw, struct ptw_dump *dump)
{
	int ret;

	do {
		ret = ptw_dump_read(ptw, dump);
	} while (ret > 0);
	return ret;
}

/* The measure for the others: nobody interferes. */
TEST_F(vanish, undisturbed)
{
	u64 pages = 0;
	size_t i;

	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	EXPECT_LT(self->dump.nr, PAGES / 2);
	ASSERT_EQ(0, finish(&self->ptw, &self->dump));
	EXPECT_GOOD(ptw_dump_flaw(&self->dump, &self->m.info, self->m.start, LAST(&self->m)));
	EXPECT_GT(self->dump.messages, 3);
	for (i = 0; i < self->dump.nr; i++) {
		const struct ptw_extent *e = &self->dump.record[i].extent;
		u64 nr = (e->addr - self->m.start) / self->m.page_size;

		EXPECT_EQ(1, e->pages);
		/* Every other page was read, and is the zero page. */
		ASSERT_EQ(nr % 2 ? PTWALK_KIND_NONE : PTWALK_KIND_PRESENT,
			  ptwalk_bits_kind(e->bits))
			TH_LOG("page %llu", nr);
		pages += e->pages;
	}
	EXPECT_EQ(PAGES, pages);
	EXPECT_EQ(0, self->dump.interrupted);
}

/*
 * VMAs that change between two messages: one later message says so, or the end
 * of the dump, and the rest is told all the same. Kernels without per-VMA locks
 * don't see all changes.
 */
TEST_F(vanish, interrupted)
{
	const bool locks = kernel_since(6, 4) && sizeof(long) == 8;
	const int changes[] = { UNMAP, MAP, PROTECT, MOVE };

	for (size_t i = 0; i < ARRAY_SIZE(changes) - !locks; i++) {
		after = changes[i];
		ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
		ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
		EXPECT_EQ(0, self->dump.interrupted);
		ASSERT_EQ(0, target_step(&self->target));
		EXPECT_EQ(0, finish(&self->ptw, &self->dump));
		EXPECT_EQ(1, self->dump.interrupted)
			TH_LOG("change %d", after);
		EXPECT_GOOD(ptw_dump_flaw(&self->dump, &self->m.info, self->m.start,
					  LAST(&self->m)));
		ptw_dump_free(&self->dump);
		target_end(&self->target);
	}
}

/*
 * The same of a search that finds nothing and so has no message but the end. The
 * first VMAs are searched before the reader wants to know.
 */
TEST_F(vanish, interrupted_search)
{
	const bool locks = kernel_since(6, 4) && sizeof(long) == 8;
	const int changes[] = { 0, UNMAP, MAP, PROTECT, MOVE };
	char *at = (char *)(uintptr_t)self->m.start;

	self->ptw.search = true;
	self->ptw.first_frame = 1;
	self->ptw.last_frame = 1;
	for (u64 i = 0; i < SEARCHED; i += 2)
		ASSERT_EQ(0, mprotect(at + i * self->m.page_size, self->m.page_size,
				      PROT_READ));
	for (size_t i = 0; i < ARRAY_SIZE(changes) - !locks; i++) {
		after = changes[i];
		ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
		ASSERT_EQ(0, ptw_dump_start(&self->ptw, self->target.pid, self->m.start,
					    LAST(&self->m)));
		ASSERT_EQ(0, target_step(&self->target));
		EXPECT_EQ(0, finish(&self->ptw, &self->dump));
		EXPECT_EQ(!!after, self->dump.interrupted)
			TH_LOG("change %d", after);
		ptw_dump_free(&self->dump);
		target_end(&self->target);
	}
}

TEST_F(vanish, exits)
{
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	target_end(&self->target);
	ASSERT_EQ(-ESRCH, finish(&self->ptw, &self->dump));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "gone"))
		TH_LOG("message: %s", self->ptw.error.message);
	EXPECT_GOOD(ptw_dump_flaw(&self->dump, &self->m.info, self->m.start, LAST(&self->m)));
	EXPECT_LT(self->dump.nr, PAGES);
}

TEST_F(vanish, execs)
{
	struct ptw_page page;
	char byte = 0, exe[64], path[64];
	int tries;

	ASSERT_EQ(0, target_start(&self->target, exec_victim, &self->m));
	/* From the bottom on, so that the new program's memory is ahead. */
	ASSERT_EQ(0, ptw_dump_start(&self->ptw, self->target.pid, self->m.start, PTW_LAST));
	ASSERT_EQ(1, ptw_dump_read(&self->ptw, &self->dump));
	ASSERT_EQ(1, write(self->target.in, &byte, 1));
	snprintf(path, sizeof(path), "/proc/%d/comm", self->target.pid);
	for (tries = 0; tries < 3000; tries++) {
		if (!proc_read(path, exe, sizeof(exe)) && !strcmp(exe, "sleep\n"))
			break;
		usleep(10000);
	}
	ASSERT_NE(3000, tries);
	ASSERT_EQ(-ESRCH, finish(&self->ptw, &self->dump));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "exec"));
	EXPECT_LT(self->dump.nr, PAGES);
	/* Who asks again gets the new program. */
	EXPECT_EQ(0, ptw_translate_one(&self->ptw, self->target.pid, self->m.start, &page));
	EXPECT_EQ(PTWALK_KIND_NO_VMA, ptwalk_bits_kind(page.t.bits));
}

TEST_F(vanish, unmaps)
{
	u64 end = 0;
	size_t i;

	after = UNMAP;
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	ASSERT_EQ(0, target_step(&self->target));
	ASSERT_EQ(0, finish(&self->ptw, &self->dump));
	EXPECT_GOOD(ptw_dump_flaw(&self->dump, &self->m.info, self->m.start, LAST(&self->m)));
	for (i = 0; i < self->dump.nr; i++)
		end += self->dump.record[i].extent.pages;
	/* What was read ahead may be told, and nothing beyond. */
	EXPECT_LT(end, PAGES / 2);
}

/* Tells when its process's first thread, the caller, is a zombie. */
static void *outlive(void *out)
{
	char stat[512];

	do {
		usleep(1000);
	} while (proc_read("/proc/self/stat", stat, sizeof(stat)) ||
		 !strstr(stat, ") Z "));
	if (write(*(int *)out, "x", 1) != 1)
		_exit(1);
	pause();
	return NULL;
}

/* A process lives, and has its memory, as long as one of its threads does. */
TEST_F(vanish, first_thread_exits)
{
	struct ptw_page page;
	pthread_t thread;
	u64 pages = 0;
	int ends[2];
	char byte;
	pid_t pid;
	size_t i;

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		victim(&self->m, 0);
		if (!pthread_create(&thread, NULL, outlive, &ends[1]))
			syscall(SYS_exit, 0);
		_exit(1);
	}
	close(ends[1]);
	ASSERT_EQ(1, read(ends[0], &byte, 1));
	EXPECT_EQ(0, ptw_translate_one(&self->ptw, pid, self->m.start, &page))
		TH_LOG("message: %s", self->ptw.error.message);
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	EXPECT_EQ(self->m.info.zero_pfn, page.t.value);
	EXPECT_EQ(0, ptw_dump(&self->ptw, pid, self->m.start, LAST(&self->m),
			      &self->dump));
	for (i = 0; i < self->dump.nr; i++)
		pages += self->dump.record[i].extent.pages;
	EXPECT_EQ(PAGES, pages);
	process_end(pid);
}

/* Another process gets the number of the one that is dumped. */
TEST_F(vanish, replaced)
{
	pid_t wanted = 0, pid;
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = 1,
	};
	struct ptw_page page;
	int ends[2];
	char byte;

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	wanted = self->target.pid;
	target_end(&self->target);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		after = 0;
		victim(&self->m, 0);
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (pid < 0)
		SKIP(return, "a process can't be given a number: %s", strerror(errno));
	ASSERT_EQ(wanted, pid);
	ASSERT_EQ(1, read(ends[0], &byte, 1));
	EXPECT_EQ(-ESRCH, finish(&self->ptw, &self->dump));
	EXPECT_EQ(0, ptw_translate_one(&self->ptw, pid, self->m.start, &page));
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	process_end(pid);
}

#define READERS		32
#define WITNESSES	256

/* The zero page, which all others are, tells nobody that it was unmapped. */
static void write_witnesses(void *arg, int nr)
{
	struct mapping *m = arg;

	victim(arg, nr);
	for (u64 i = 0; !nr && i < WITNESSES; i++)
		mapping_write(m, (char *)(uintptr_t)(m->start + 2 * i * m->page_size), 1);
}

/*
 * Readers that never read hold nothing that the process needs: it goes on
 * mapping, and its memory goes with it.
 */
TEST_F(vanish, nobody_reads)
{
	static struct ptw readers[READERS];
	int before = module_settles("ptwalk", 0), i;
	struct ptw_page pages[WITNESSES];
	u64 addrs[WITNESSES], count;
	struct ptw ptw;

	after = UNMAP;
	ASSERT_EQ(0, target_start(&self->target, write_witnesses, &self->m));
	for (i = 0; i < WITNESSES; i++)
		addrs[i] = self->m.start + 2 * i * self->m.page_size;
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, ptw_translate(&ptw, self->target.pid, addrs, WITNESSES, pages));
	ptw_close(&ptw);
	for (i = 0; !access("/proc/kpagecount", R_OK) && i < WITNESSES; i++) {
		ASSERT_EQ(0, proc_kpage("/proc/kpagecount", pages[i].t.value, &count));
		ASSERT_EQ(1, count);
	}
	for (i = 0; i < READERS; i++) {
		ASSERT_OPEN(&readers[i]);
		ASSERT_EQ(0, ptw_dump_start(&readers[i], self->target.pid, 0, PTW_LAST));
	}
	if (before >= 0)
		EXPECT_EQ(before + READERS, module_references("ptwalk"));
	ASSERT_EQ(0, target_step(&self->target));
	target_end(&self->target);
	EXPECT_TRUE(proc_any_unmapped(pages, WITNESSES))
		TH_LOG("the pages of the process are still mapped");
	for (i = 0; i < READERS; i++)
		ptw_close(&readers[i]);
	EXPECT_EQ(before, module_settles("ptwalk", before));
}

TEST_F(vanish, socket_closed_in_the_middle)
{
	int before = module_settles("ptwalk", 0), i;

	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	for (i = 0; i < 20; i++) {
		struct ptw_dump dump = {};
		struct ptw ptw;

		ASSERT_OPEN_SIZED(&ptw, PTW_SMALL_BUFFER);
		ASSERT_EQ(1, begin(&ptw, &self->m, self->target.pid, &dump));
		ptw_close(&ptw);
		ptw_dump_free(&dump);
	}
	EXPECT_EQ(before, module_settles("ptwalk", before));
}

/* A second dump on a socket whose first one isn't read to its end. */
TEST_F(vanish, dump_upon_dump)
{
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	ASSERT_EQ(0, ptw_dump_start(&self->ptw, self->target.pid, 0, PTW_LAST));
	/* Ends somewhere, with EBUSY for the second or as it is. */
	while (ptw_dump_read(&self->ptw, &self->dump) > 0)
		;
}

/* A reader that is killed in the middle, with the socket in its hands. */
TEST_F(vanish, reader_killed)
{
	int before = module_settles("ptwalk", 0);
	struct target reader;

	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	reader.pid = fork();
	if (!reader.pid) {
		for (;;) {
			struct ptw_dump dump = {};
			struct ptw ptw;

			if (ptw_open(&ptw))
				_exit(1);
			ptw_dump(&ptw, self->target.pid, 0, PTW_LAST, &dump);
			ptw_close(&ptw);
			ptw_dump_free(&dump);
		}
	}
	usleep(300000);
	process_end(reader.pid);
	EXPECT_EQ(before, module_settles("ptwalk", before));
}

TEST_F(vanish, module_removed)
{
	static struct output out;
	struct ptw ptw;
	int err;

	if (!module_loaded("ptwalk"))
		SKIP(return, "ptwalk is built in");
	if (!module_file_exists("ptwalk"))
		SKIP(return, "there is no file to load ptwalk from again");
	ASSERT_EQ(0, module_settles("ptwalk", 0));
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_EQ(1, begin(&self->ptw, &self->m, self->target.pid, &self->dump));
	err = module_unload("ptwalk");
	EXPECT_TRUE(err == -EBUSY || err == -EAGAIN)
		TH_LOG("removing it with a dump under way: %s", strerror(-err));
	ASSERT_EQ(0, finish(&self->ptw, &self->dump));
	EXPECT_GOOD(ptw_dump_flaw(&self->dump, &self->m.info, self->m.start, LAST(&self->m)));

	/* A dump that has ended, on a socket that is still open, is no dump. */
	EXPECT_EQ(0, module_unload("ptwalk"));
	EXPECT_EQ(-ENOENT, ptw_open(&ptw));
	/*
	 * Then every test program is skipped as a whole, unless it has the
	 * module beside it: it would load that, and run this test in turn.
	 */
	if (!module_is_beside("ptwalk")) {
		run(&out, "/proc/self/exe");
		EXPECT_EQ(KSFT_SKIP, out.status);
		EXPECT_NE(NULL, strstr(out.text, "\n1..0 # SKIP "))
			TH_LOG("printed: %.200s", out.text);
	}
	ASSERT_EQ(0, module_load("ptwalk"));
	ASSERT_OPEN(&ptw);
	ptw_close(&ptw);
}

/*
 * Loaded and removed again and again while others ask, until it could be
 * removed at least once.
 */
TEST_F(vanish, module_coming_and_going)
{
	int i, err, removed = 0;
	pid_t pid;

	if (!module_loaded("ptwalk") || !module_file_exists("ptwalk"))
		SKIP(return, "ptwalk is built in, or has no file");
	pid = fork();
	if (!pid) {
		for (;;) {
			struct ptw_dump dump = {};
			struct ptw ptw;

			if (ptw_open(&ptw))
				continue;
			ptw_dump(&ptw, getppid(), 0, PTW_LAST, &dump);
			ptw_close(&ptw);
			ptw_dump_free(&dump);
		}
	}
	for (i = 0; i < 30 || (!removed && i < 5000); i++) {
		err = module_unload("ptwalk");
		EXPECT_TRUE(!err || err == -EAGAIN || err == -EBUSY || err == -ENOENT)
			TH_LOG("removing: %s", strerror(-err));
		usleep(5000);
		ASSERT_EQ(0, module_load("ptwalk"));
		usleep(5000 + i * 37);
		removed += !err;
	}
	process_end(pid);
	EXPECT_GT(removed, 0);
	EXPECT_TRUE(module_loaded("ptwalk"));
}

TEST_HARNESS_MAIN
