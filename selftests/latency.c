// SPDX-License-Identifier: GPL-2.0
/*
 * How long a process waits for its own mmap lock while others read its page
 * tables: no longer with readers of ptwalk than with as many readers of
 * pagemap. Both are measured in turn in the same guest, so that its speed and
 * the load of the machine affect both. And how often a reader gives the lock back,
 * which no load makes rarer.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include "system.h"
#include "test.h"

#define READERS		4
#define ROUNDS		8
#define SAMPLES		10	/* in each round, beside each kind of reader */

/*
 * So many tables, with one page in each: a buffer of a dump has room for what is
 * told of all of them, so that a walk which doesn't give way ends behind them.
 */
#define TABLES		(sizeof(long) > 4 ? 512 : 64)

/* It is about the same; a walk that gives no way makes it forty times worse or more. */
#define WORSE		8

/*
 * Beside pagemap the lock is now and then free all the time. Less than this, in
 * nanoseconds, is what a scheduler's tick makes of it.
 */
#define CHANCE		1500000ULL

/*
 * Pages of which each is a run of its own, and how many of them may be told under
 * one hold of the lock: four times PTWALK_WALK_BUDGET (PTWALK_DUMP_GRANTS), of which
 * each takes 1 and PTWALK_ENTRY_RUN, or a bit more. A message has room for twice as
 * many.
 */
#define RUNS		4096
#define RUNS_AT_ONCE	700

/*
 * How many VMAs a search may go through under one hold: as above, of which each takes
 * PTWALK_DUMP_VMA; or of PTWALK_WALK_BUDGET, if others want the lock or the CPU, where
 * the work for the entries of each is less than as much again.
 */
#define VMAS_AT_MOST	86
#define VMAS_AT_LEAST	10

/*
 * A search of so many VMAs takes longer than it may be silent, 20 ms, unless the
 * machine is fast.
 */
#define VMAS		50000
#define SILENCE		(CLOCKS_PER_SEC / 50)

/* No frame of any machine. */
#define NOWHERE		(1ULL << 50)

#define TRACE		"/sys/kernel/tracing/"
#define EVENT		TRACE "events/mmap_lock/mmap_lock_acquire_returned/"

/**
 * struct shared - what the processes of a test tell each other
 * @ns: Time that the mmap() and munmap() of a step took.
 * @passes: Readings that ended.
 */
struct shared {
	u64 ns;
	unsigned long passes;
};

FIXTURE(latency)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
};

static struct shared *shared;

static void touch_each_table(struct mapping *m)
{
	u64 step = m->pages / TABLES * m->page_size;

	for (int i = 0; i < TABLES; i++)
		*(volatile char *)(uintptr_t)(m->start + i * step) = 1;
}

/* The process that is read: each step but the first maps and unmaps SAMPLES times. */
static void map_and_unmap(void *arg, int nr)
{
	/* Before all others, so that it is the lock alone that it waits for. */
	const struct sched_param first = { .sched_priority = 1 };
	struct mapping *m = arg;
	double begin;

	if (!nr) {
		sched_setscheduler(0, SCHED_FIFO, &first);
		return touch_each_table(m);
	}
	begin = seconds_now();
	for (int i = 0; i < SAMPLES; i++) {
		void *at = mmap(NULL, m->page_size, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(at, m->page_size);
	}
	shared->ns = (seconds_now() - begin) * 1e9;
}

static bool read_dump(struct ptw *ptw, const struct mapping *m, pid_t pid)
{
	struct ptw_dump dump;
	int err = ptw_dump(ptw, pid, m->start, m->start + m->pages * m->page_size - 1, &dump);

	ptw_dump_free(&dump);
	return !err;
}

static bool read_pagemap(struct ptw *ptw, const struct mapping *m, pid_t pid)
{
	static u64 entries[16384];
	const u64 nr = ARRAY_SIZE(entries);

	for (u64 i = 0; i < m->pages; i += nr)
		if (proc_pagemap(pid, m->start + i * m->page_size, entries, nr) < 0)
			return false;
	return true;
}

typedef bool (*reader_t)(struct ptw *ptw, const struct mapping *m, pid_t pid);

static void start_reader(reader_t read_all, const struct mapping *m, pid_t pid)
{
	struct ptw ptw;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptw_open(&ptw))
		_exit(1);
	while (read_all(&ptw, m, pid))
		__atomic_add_fetch(&shared->passes, 1, __ATOMIC_RELAXED);
	_exit(1);
}

/* The time of a step beside readers, in nanoseconds; 0 if one of them failed. */
static u64 time_beside(reader_t read_all, const struct mapping *m, struct target *target)
{
	unsigned long before = shared->passes;
	pid_t reader[READERS];
	bool good = true;

	for (int i = 0; i < READERS; i++) {
		reader[i] = fork();
		if (!reader[i])
			start_reader(read_all, m, target->pid);
	}
	for (int tries = 0; tries < 60000 && shared->passes < before + READERS; tries++)
		usleep(1000);
	good = shared->passes >= before + READERS && !target_step(target);
	for (int i = 0; i < READERS; i++) {
		good = good && !waitpid(reader[i], NULL, WNOHANG);
		process_end(reader[i]);
	}
	return good ? shared->ns : 0;
}

FIXTURE_SETUP(latency)
{
	u64 size;

	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, NULL));
	size = (u64)TABLES * self->m.info.entries[PTWALK_LEVEL_PTE] * self->m.page_size;
	ASSERT_NE(NULL, mapping_many_records(&self->m, size / self->m.page_size));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, target_start(&self->target, map_and_unmap, &self->m));
}

FIXTURE_TEARDOWN(latency)
{
	target_end(&self->target);
	munmap(shared, sizeof(*shared));
	ptw_close(&self->ptw);
}

TEST_F(latency, no_worse_than_pagemap)
{
	u64 dump = 0, pagemap = 0, ns;
	const int nr = ROUNDS * SAMPLES;

	for (int i = 0; i < ROUNDS; i++) {
		ns = time_beside(read_pagemap, &self->m, &self->target);
		ASSERT_LT(0, ns);
		pagemap += ns;
		ns = time_beside(read_dump, &self->m, &self->target);
		ASSERT_LT(0, ns);
		dump += ns;
	}
	TH_LOG("mmap() and munmap() beside %d readers: %llu us with dump, %llu us with pagemap",
	       READERS, dump / nr / 1000, pagemap / nr / 1000);
	if (pagemap < nr * CHANCE)
		pagemap = nr * CHANCE;
	EXPECT_LT(dump, WORSE * pagemap);
}

static void write_every_other(void *arg, int nr)
{
	struct mapping *m = arg;

	for (u64 i = 0; i < m->pages; i += 2)
		*(volatile char *)(uintptr_t)(m->start + i * m->page_size) = 1;
}

/* Of this process: each mmap lock that it takes. Returns 0 or a negative errno. */
static int trace_locks(bool on)
{
	char filter[32] = "0";
	int err;

	if (on)
		snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	err = proc_write(EVENT "filter", filter);
	return err ?: proc_write(EVENT "enable", on ? "1" : "0");
}

/*
 * Which lock this process takes is learnt first, alone: the clocks of two CPUs may differ,
 * and what the trace has of them isn't in order then. Counts the locks other than @own, or
 * finds it if it is empty, and clears the trace. -EOPNOTSUPP if the kernel shows all
 * locks as the same, as it does without random numbers.
 */
static int locks_but(char own[32])
{
	char line[1024], mm[32] = "(";
	FILE *trace = fopen(TRACE "trace", "r");
	int nr = 0;
	const char *at;

	while (trace && fgets(line, sizeof(line), trace)) {
		at = strstr(line, " mm=");
		if (*line == '#' || !at || !strstr(line, "success=true") ||
		    sscanf(at, " mm=%31s", mm) != 1)
			continue;
		if (!*own)
			strcpy(own, mm);
		nr += !!strcmp(own, mm);
	}
	if (trace)
		fclose(trace);
	trace = fopen(TRACE "trace", "w");
	if (trace)
		fclose(trace);
	return *mm == '(' ? -EOPNOTSUPP : nr;
}

FIXTURE(holds)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
	struct ptw_dump dump;
};

FIXTURE_SETUP(holds)
{
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, NULL));
	ASSERT_NE(NULL, mapping_many_records(&self->m, RUNS));
	if (access(EVENT, F_OK))
		mount("tracefs", TRACE, "tracefs", 0, NULL);
}

FIXTURE_TEARDOWN(holds)
{
	ptw_dump_free(&self->dump);
	target_end(&self->target);
	ptw_close(&self->ptw);
}

/* Dumps a process; returns how often that took its lock, or a negative errno. */
static int holds_of_dump(struct ptw *ptw, pid_t pid, const struct mapping *m,
			 struct ptw_dump *dump)
{
	char own[32] = "";
	int err;

	locks_but(own);
	*own = 0;
	if (trace_locks(true))
		return -EOPNOTSUPP;
	munmap(mmap(NULL, m->page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	       m->page_size);
	trace_locks(false);
	err = locks_but(own);
	if (err < 0)
		return err;
	if (trace_locks(true))
		return -EOPNOTSUPP;
	err = ptw_dump(ptw, pid, m->start, m->start + RUNS * m->page_size - 1, dump);
	trace_locks(false);
	return err ?: locks_but(own);
}

TEST_F(holds, are_bounded_by_runs)
{
	int nr;

	ASSERT_EQ(0, target_start(&self->target, write_every_other, &self->m));
	nr = holds_of_dump(&self->ptw, self->target.pid, &self->m, &self->dump);
	if (nr == -EOPNOTSUPP)
		SKIP(return, "the kernel doesn't trace mmap locks, or tell them apart");
	TH_LOG("%d runs under %d holds of the lock", RUNS, nr);
	EXPECT_EQ(RUNS, self->dump.nr);
	EXPECT_LE((RUNS - 1) / RUNS_AT_ONCE + 1, nr);
}

static void protect_every_other(void *arg, int nr)
{
	struct mapping *m = arg;

	for (u64 i = 0; i < m->pages; i += 2)
		mprotect((void *)(uintptr_t)(m->start + i * m->page_size), m->page_size,
			 PROT_NONE);
}

/* A search makes no message of each, and gives the lock back nevertheless. */
TEST_F(holds, of_a_search_are_bounded_by_vmas)
{
	int nr;

	ASSERT_EQ(0, target_start(&self->target, protect_every_other, &self->m));
	self->ptw.search = true;
	self->ptw.first_frame = NOWHERE;
	self->ptw.last_frame = NOWHERE;
	nr = holds_of_dump(&self->ptw, self->target.pid, &self->m, &self->dump);
	if (nr == -EOPNOTSUPP)
		SKIP(return, "the kernel doesn't trace mmap locks, or tell them apart");
	TH_LOG("%d VMAs under %d holds of the lock", RUNS, nr);
	EXPECT_LE(RUNS / VMAS_AT_MOST, nr);
	EXPECT_GE(RUNS / VMAS_AT_LEAST, nr);
}

/* Who is stopped, or gives up waiting, needn't search from the start again. */
TEST(a_search_tells_how_far_it_is)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct ptw_dump dump;
	clock_t took;
	struct ptw ptw;
	char *at;

	ASSERT_OPEN(&ptw);
	at = mmap(NULL, VMAS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, at);
	for (size_t i = 1; i < VMAS; i += 2)
		ASSERT_EQ(0, mprotect(at + i * page, page, PROT_READ));
	ptw.search = true;
	ptw.first_frame = NOWHERE;
	ptw.last_frame = NOWHERE;
	took = clock();
	EXPECT_EQ(0, ptw_dump(&ptw, getpid(), 0, PTW_LAST, &dump));
	took = clock() - took;
	TH_LOG("the search took %ld us of the CPU", (long)took);
	if (took > 2 * SILENCE)
		EXPECT_NE(0, dump.nr);
	for (size_t i = 0; i < dump.nr; i++)
		EXPECT_EQ(PTWALK_KIND_OTHER, ptwalk_bits_kind(dump.record[i].extent.bits));
	ptw_dump_free(&dump);
	munmap(at, VMAS * page);
	ptw_close(&ptw);
}

/* What a search decoded in one VMA isn't taken for what is in the next one. */
TEST(a_search_finds_inaccessible_pages)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	struct ptw_dump dump;
	struct ptw_page page;
	struct ptw ptw;
	u64 addr, found = 0;
	char *at;

	ASSERT_OPEN(&ptw);
	at = mmap(NULL, 4 * size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, at);
	ASSERT_EQ(0, munmap(at + size, size));
	ASSERT_EQ(0, mprotect(at, size, PROT_NONE));
	ASSERT_EQ(0, mprotect(at + 2 * size, 2 * size, PROT_NONE));
	addr = (uintptr_t)at + 3 * size;
	ASSERT_EQ(0, ptw_translate(&ptw, getpid(), &addr, 1, &page));
	ASSERT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	ptw.search = true;
	ptw.first_frame = page.t.value;
	ptw.last_frame = page.t.value;
	ASSERT_EQ(0, ptw_dump(&ptw, getpid(), (uintptr_t)at, addr + size - 1, &dump));
	for (size_t i = 0; i < dump.nr; i++)
		if (ptwalk_bits_kind(dump.record[i].extent.bits) == PTWALK_KIND_PRESENT)
			found = dump.record[i].extent.addr;
	EXPECT_EQ(addr, found);
	ptw_dump_free(&dump);
	munmap(at, 4 * size);
	ptw_close(&ptw);
}

TEST_HARNESS_MAIN
