// SPDX-License-Identifier: GPL-2.0
/*
 * The command and a process that holds its mmap lock for writing, which can't be
 * read; and one whose threads take that lock all the time, which can be.
 */
#include <pthread.h>
#include <sys/mman.h>
#include "busy.h"
#include "command.h"
#include "test.h"

static struct output out;

FIXTURE(busy)
{
	int fd;
	pid_t pid;
	char number[16];
};

FIXTURE_SETUP(busy)
{
	self->pid = busy_start(&self->fd);
	if (self->pid == -ENOENT)
		SKIP(return, "there is no ptwalk_fixture module");
	ASSERT_LT(0, self->pid);
	snprintf(self->number, sizeof(self->number), "%d", self->pid);
}

FIXTURE_TEARDOWN(busy)
{
	process_end(self->pid);
	close(self->fd);
}

/* Runs commands at the same time, each of which has to wait; what they print is in @outs. */
static void run_at_once(struct output *outs, const char *const (*argvs)[6], size_t nr)
{
	pid_t pid[nr];

	for (size_t i = 0; i < nr; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		run_as(&outs[i], 0, argvs[i]);
		_exit(0);
	}
	for (size_t i = 0; i < nr; i++)
		waitpid(pid[i], NULL, 0);
}

TEST_F(busy, commands)
{
	const char *const p = ptwalk_command(), *const pid = self->number;
	const char *const argvs[][6] = {
		{ p, "translate", pid, "0" },
		{ p, "translate", pid, "[stack]" },
		{ p, "dump", pid },
		{ p, "dump", "--summary", pid },
		{ p, "pagemap", pid },
		{ p, "rss", pid },
		{ p, "share", "self", pid },
		{ p, "frame", "--pid", pid, "0" },
		{ p, "check", pid },
		{ p, "check", "--lint", pid },
		{ p, "check", "--prove", pid },
	};
	const size_t nr = ARRAY_SIZE(argvs) - !!access("/proc/kcore", F_OK);
	struct output *outs;

	NEED_COMMAND();
	outs = mmap(NULL, nr * sizeof(*outs), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, outs);
	run_at_once(outs, argvs, nr);
	for (size_t i = 0; i < nr; i++) {
		EXPECT_EQ(3, outs[i].status)
			TH_LOG("%s: %.600s", argvs[i][1], outs[i].text);
		EXPECT_NE(NULL, strstr(outs[i].text, "busy"))
			TH_LOG("%s: %.600s", argvs[i][1], outs[i].text);
	}
	munmap(outs, nr * sizeof(*outs));
}

/* The others are checked; that it wasn't is said. */
TEST_F(busy, check_all)
{
	char line[64];

	NEED_COMMAND();
	run(&out, ptwalk_command(), "check", "--all");
	EXPECT_EQ(3, out.status);
	snprintf(line, sizeof(line), "process %d: not checked: busy", self->pid);
	EXPECT_NE(NULL, strstr(out.text, line))
		TH_LOG("%s", out.text);
	EXPECT_NE(NULL, strstr(out.text, "1 (init): "));
	EXPECT_NE(NULL, strstr(out.text, ", 0 mismatch"))
		TH_LOG("%s", out.text);
}

static void *map_forever(void *arg)
{
	const size_t size = 64 * 1024;

	for (;;) {
		void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at != MAP_FAILED)
			munmap(at, size);
	}
	return NULL;
}

#define THREADS	8

static void many_threads(void *arg, int nr)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, map_forever, NULL))
			_exit(1);
}

/*
 * With so many threads there is always one that waits for the lock: who only
 * tries, without a place in the queue, as translate does, may not get it.
 */
TEST(busy_threads)
{
	struct target target;
	char number[16];
	int i;

	NEED_COMMAND();
	ASSERT_EQ(0, target_start(&target, many_threads, NULL));
	snprintf(number, sizeof(number), "%d", target.pid);
	for (i = 0; i < 5; i++) {
		run(&out, ptwalk_command(), "dump", "--summary", number);
		EXPECT_EQ(0, out.status)
			TH_LOG("%s", out.text);
	}
	target_end(&target);
}

TEST_HARNESS_MAIN
