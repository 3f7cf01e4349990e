// SPDX-License-Identifier: GPL-2.0
/*
 * How long a process waits for its own mmap lock while others read its page
 * tables: no longer with readers of ptwalk than with as many readers of
 * pagemap. Both are measured in turn in the same guest, so that its speed and
 * the load of the machine affect both.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

TEST_HARNESS_MAIN
