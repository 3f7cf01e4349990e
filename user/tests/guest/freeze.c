// SPDX-License-Identifier: GPL-2.0
/*
 * check --freeze: the target is stopped, and continues as before, whatever
 * happens to ptwalk.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "command.h"
#include "stepped.h"
#include "test.h"

#define THREADS		8

static struct output out;

#define PTWALK(...)	run(&out, self->ptwalk, __VA_ARGS__)

/* Of threads that count as long as they may, and make others. */
struct counters {
	volatile u64 count[THREADS];
	volatile u64 made;
};

FIXTURE(freeze)
{
	const char *ptwalk;
	char pid[16];
	struct counters *counters;
	struct target target;
	struct stepped stepped;
};

FIXTURE_SETUP(freeze)
{
	struct ptw ptw;

	self->ptwalk = ptwalk_command();
	if (!self->ptwalk)
		SKIP(return, "there is no ptwalk command in PATH");
	ASSERT_OPEN(&ptw);
	ptw_close(&ptw);
	self->counters = mmap(NULL, sizeof(*self->counters), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->counters);
}

FIXTURE_TEARDOWN(freeze)
{
	target_end(&self->target);
}

static void still(void *arg, int nr)
{
}

static void *no_thread(void *arg)
{
	((struct counters *)arg)->made++;
	return NULL;
}

static void *count(void *arg)
{
	volatile u64 *counter = arg;

	for (;; usleep(1000))
		++*counter;
	return NULL;
}

static void *make(void *arg)
{
	pthread_t thread;

	for (;; usleep(1000))
		if (!pthread_create(&thread, NULL, no_thread, arg))
			pthread_join(thread, NULL);
	return NULL;
}

static void busy(void *arg, int nr)
{
	struct counters *c = arg;
	pthread_t thread;
	int i;

	for (i = 0; !nr && i < THREADS; i++)
		pthread_create(&thread, NULL, count, (void *)&c->count[i]);
	if (!nr)
		pthread_create(&thread, NULL, make, c);
}

/*
 * Whether all threads of it go by themselves: nobody traces or stops any. Each
 * one's status is read once: one that ends meanwhile is traced by nobody.
 */
static bool is_free(pid_t pid)
{
	char path[300], text[4096], *state, *tracer;
	struct dirent *entry;
	bool free = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && free && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/status", pid, entry->d_name);
		if (entry->d_name[0] == '.' || proc_read(path, text, sizeof(text)))
			continue;
		state = strstr(text, "State:\t");
		tracer = strstr(text, "TracerPid:\t");
		free = state && state[7] != 't' && state[7] != 'T' &&
		       tracer && tracer[11] == '0';
	}
	if (dir)
		closedir(dir);
	return free;
}

static bool becomes_free(pid_t pid)
{
	int tries;

	for (tries = 0; tries < 6000; tries++) {
		if (is_free(pid))
			return true;
		usleep(10000);
	}
	return false;
}

static long long tracer_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return proc_field(path, "TracerPid");
}

static char state_of(pid_t pid)
{
	char path[64], text[512], *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (proc_read(path, text, sizeof(text)))
		return '-';
	at = strrchr(text, ')');
	return at ? at[2] : '-';
}

/* Steps from the beginning of the freeze until ptwalk knows that it is done. */
#define STEPS_TO_KNOW	8

/* Has ptwalk check the target, and stops it when that stands still. */
static bool stop_in_the_middle(struct stepped *s, struct target *t, const char *ptwalk,
			       char *pid)
{
	const char *const argv[] = { ptwalk, "check", "--freeze", pid, NULL };
	int i;

	snprintf(pid, 16, "%d", t->pid);
	/* The one that stops the target. */
	if (stepped_start(s, argv) || !stepped_to_child(s, &out))
		return false;
	while (!tracer_of(t->pid) || state_of(t->pid) != 't')
		if (!stepped_step(s, &out))
			return false;
	for (i = 0; i < STEPS_TO_KNOW; i++)
		if (!stepped_step(s, &out))
			return false;
	return true;
}

TEST_F(freeze, lets_go_after_each_signal)
{
	/* What ends it, what stops it, what does nothing; each one takes seconds. */
	int signals[] = {
		SIGKILL, SIGSTOP, SIGINT, SIGTERM, SIGSEGV, SIGUSR1, SIGALRM, SIGXCPU,
		SIGXFSZ, SIGCHLD, SIGTSTP, SIGRTMIN,
	};
	size_t i;

	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target, self->ptwalk,
					       self->pid));
		stepped_release(&self->stepped, signals[i]);
		EXPECT_TRUE(becomes_free(self->target.pid))
			TH_LOG("after signal %d to ptwalk the target is in state %c", signals[i],
			       state_of(self->target.pid));
		kill(self->stepped.pid, SIGCONT);
		stepped_finish(&self->stepped, &out);
		/* It says that it was let go, and by then it may have been done. */
		if (signals[i] == SIGSTOP) {
			EXPECT_STATUS(UNCHECKED);
			EXPECT_PRINTED("was let go");
		}
		ASSERT_EQ(0, target_step(&self->target));
	}
}

TEST_F(freeze, notices_that_somebody_lets_go)
{
	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target, self->ptwalk, self->pid));
	kill(tracer_of(self->target.pid), SIGKILL);
	ASSERT_TRUE(becomes_free(self->target.pid));
	stepped_release(&self->stepped, 0);
	stepped_finish(&self->stepped, &out);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("was let go");
	ASSERT_EQ(0, target_step(&self->target));
}

TEST_F(freeze, target_is_killed)
{
	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target, self->ptwalk, self->pid));
	target_end(&self->target);
	stepped_release(&self->stepped, 0);
	stepped_finish(&self->stepped, &out);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("went away");
}

/* A signal doesn't end the stillness of the target, and isn't lost. */
TEST_F(freeze, stopped_stays_stopped)
{
	int ways[] = { 0, SIGKILL }, i, tries;

	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	kill(self->target.pid, SIGSTOP);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target, self->ptwalk,
					       self->pid));
		stepped_release(&self->stepped, ways[i]);
		stepped_finish(&self->stepped, &out);
		if (!ways[i])
			EXPECT_STATUS(MATCH);
		for (tries = 0; tries < 3000 && (tracer_of(self->target.pid) ||
						 state_of(self->target.pid) != 'T'); tries++)
			usleep(10000);
		EXPECT_EQ(0, tracer_of(self->target.pid));
		EXPECT_EQ('T', state_of(self->target.pid));
	}
	kill(self->target.pid, SIGCONT);
	ASSERT_EQ(0, target_step(&self->target));
	EXPECT_TRUE(is_free(self->target.pid));
}

static u64 sum(const struct counters *c)
{
	u64 all = c->made;
	int i;

	for (i = 0; i < THREADS; i++)
		all += c->count[i];
	return all;
}

/* Threads that work, and that others make meanwhile, stand still as well. */
TEST_F(freeze, all_threads_stand_still)
{
	u64 before, after;

	ASSERT_EQ(0, target_start(&self->target, busy, self->counters));
	while (!self->counters->made || !self->counters->count[THREADS - 1])
		usleep(1000);
	ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target, self->ptwalk, self->pid));
	before = sum(self->counters);
	usleep(300000);
	after = sum(self->counters);
	EXPECT_EQ(before, after);
	stepped_release(&self->stepped, 0);
	stepped_finish(&self->stepped, &out);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("never at rest", "1 process on ");
	EXPECT_TRUE(becomes_free(self->target.pid));
	after = sum(self->counters);
	while (sum(self->counters) == after)
		usleep(1000);
}

/* Makes another one like itself, and ends. */
static void *relay(void *arg)
{
	pthread_t next;

	((struct counters *)arg)->made++;
	usleep(1000);
	if (pthread_create(&next, NULL, relay, arg))
		_exit(1);
	pthread_detach(next);
	return NULL;
}

static void start_relay(void *arg, int nr)
{
	pthread_t first;

	if (!nr && !pthread_create(&first, NULL, relay, arg))
		pthread_detach(first);
}

/* None of which is there for as long as it takes to look at all. */
TEST_F(freeze, threads_that_make_each_other)
{
	u64 before, after;
	int i;

	ASSERT_EQ(0, target_start(&self->target, start_relay, self->counters));
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(stop_in_the_middle(&self->stepped, &self->target,
					       self->ptwalk, self->pid));
		before = self->counters->made;
		usleep(100000);
		EXPECT_EQ(before, self->counters->made);
		stepped_release(&self->stepped, 0);
		stepped_finish(&self->stepped, &out);
		EXPECT_STATUS(MATCH);
		after = self->counters->made;
		while (self->counters->made == after)
			usleep(1000);
	}
}

TEST_F(freeze, traced_already)
{
	char words[64];

	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	ASSERT_EQ(0, ptrace(PTRACE_SEIZE, self->target.pid, 0, 0));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	snprintf(words, sizeof(words), "process %d traces it already", getpid());
	PTWALK("check", "--freeze", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED(words);
	EXPECT_EQ(getpid(), tracer_of(self->target.pid));
	PTWALK("rss", "--freeze", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED(words);
}

/* Waits, as who has called vfork() does, in a way that no tracer interrupts. */
static int wait_for_byte(void *arg)
{
	struct target *t = arg;
	char byte;

	return read(t->in, &byte, 1) == 1 ? 0 : 1;
}

static void call_vfork(void *arg, int nr)
{
	static char stack[65536] __attribute__((aligned(16)));

	if (nr == 1)
		clone(wait_for_byte, stack + sizeof(stack) - 256,
		      CLONE_VM | CLONE_VFORK | SIGCHLD, arg);
}

TEST_F(freeze, uninterruptible)
{
	struct target ends;
	char byte = 0;
	int fds[2], tries;

	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	ends.in = fds[0];
	ASSERT_EQ(0, target_start(&self->target, call_vfork, &ends));
	ASSERT_EQ(1, write(self->target.in, &byte, 1));
	for (tries = 0; tries < 3000 && state_of(self->target.pid) != 'D'; tries++)
		usleep(10000);
	ASSERT_EQ('D', state_of(self->target.pid));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	PTWALK("check", "--freeze", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("can't be stopped");
	EXPECT_TRUE(becomes_free(self->target.pid));
	ASSERT_EQ(1, write(fds[1], &byte, 1));
	ASSERT_EQ(1, read(self->target.out, &byte, 1));
	EXPECT_TRUE(is_free(self->target.pid));
}

#define CGROUP	"/tmp/freeze-cgroup"

/* Held still by a cgroup already: nothing hangs, and it stays so. */
TEST_F(freeze, frozen_by_a_cgroup)
{
	ASSERT_EQ(0, target_start(&self->target, still, NULL));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		SKIP(return, "the kernel has no cgroup v2 that can be mounted");
	if (mkdir(CGROUP "/target", 0700) ||
	    proc_write(CGROUP "/target/cgroup.procs", self->pid) ||
	    proc_write(CGROUP "/target/cgroup.freeze", "1")) {
		umount2(CGROUP, MNT_DETACH);
		SKIP(return, "the kernel can't freeze a cgroup");
	}
	PTWALK("check", "--freeze", self->pid);
	EXPECT_TRUE(out.status == MATCH ||
		    (out.status == UNCHECKED && strstr(out.text, "can't be stopped")))
		TH_LOG("status %d, printed: %.600s", out.status, out.text);
	EXPECT_EQ(1, proc_number(CGROUP "/target/cgroup.freeze"));
	EXPECT_EQ(0, tracer_of(self->target.pid));
	EXPECT_EQ(0, proc_write(CGROUP "/target/cgroup.freeze", "0"));
	ASSERT_EQ(0, target_step(&self->target));
	EXPECT_TRUE(becomes_free(self->target.pid));
	target_end(&self->target);
	rmdir(CGROUP "/target");
	umount2(CGROUP, MNT_DETACH);
}

/* Its parents, and itself: nothing waits for what it has stopped. */
TEST_F(freeze, everything)
{
	struct dirent *entry;
	DIR *dir;

	PTWALK("check", "--all", "--freeze");
	EXPECT_STATUS(MATCH);
	PTWALK("check", "--freeze", "self");
	EXPECT_STATUS(MATCH);
	dir = opendir("/proc");
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir)))
		if (atoi(entry->d_name))
			EXPECT_TRUE(becomes_free(atoi(entry->d_name)))
				TH_LOG("process %s isn't free", entry->d_name);
	closedir(dir);
}

TEST_HARNESS_MAIN
