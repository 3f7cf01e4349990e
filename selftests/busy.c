// SPDX-License-Identifier: GPL-2.0
/*
 * A process that holds its mmap lock for writing, as in an mmap() that waits for
 * a dead server: it can't be read, but the attempt must not delay others. And a
 * process whose threads take that lock all the time, which can be read.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include "command.h"
#include "driver.h"
#include "system.h"
#include "test.h"

#define DEVICE	"/dev/ptwalk_fixture_busy"

static struct output out;

FIXTURE(busy)
{
	struct ptw ptw;
	int fd;
	pid_t pid;
	const char *ptwalk;
	char number[16];
};

static void map_device(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	pause();
}

FIXTURE_SETUP(busy)
{
	char waiting[16] = "";
	int tries;

	ASSERT_OPEN(&self->ptw);
	self->ptwalk = ptwalk_command();
	self->fd = driver_load() ? -1 : open(DEVICE, O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "there is no ptwalk_fixture module");
	self->pid = fork();
	if (!self->pid)
		map_device(self->fd);
	for (tries = 0; tries < 6000 && strcmp(waiting, "1\n"); tries++) {
		usleep(5000);
		pread(self->fd, waiting, sizeof(waiting) - 1, 0);
	}
	ASSERT_STREQ("1\n", waiting);
	snprintf(self->number, sizeof(self->number), "%d", self->pid);
}

FIXTURE_TEARDOWN(busy)
{
	process_end(self->pid);
	close(self->fd);
	ptw_close(&self->ptw);
}

static void translate_forever(pid_t pid)
{
	struct ptw_page page;
	struct ptw ptw;

	while (!ptw_open(&ptw)) {
		ptw_translate_one(&ptw, pid, 0, &page);
		ptw_close(&ptw);
	}
}

static void dump_forever(pid_t pid)
{
	struct ptw_dump dump;
	struct ptw ptw;

	while (!ptw_open(&ptw)) {
		ptw_dump(&ptw, pid, 0, PTW_LAST, &dump);
		ptw_dump_free(&dump);
		ptw_close(&ptw);
	}
}

#define ASKERS	4

static void start_askers(pid_t askers[ASKERS], pid_t pid)
{
	int i;

	for (i = 0; i < ASKERS; i++) {
		askers[i] = fork();
		if (askers[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (i % 2)
			translate_forever(pid);
		else
			dump_forever(pid);
		_exit(1);
	}
	/* All of them are waiting then, or have waited already. */
	sleep(1);
}

static void stop_askers(pid_t askers[ASKERS])
{
	int i;

	for (i = 0; i < ASKERS; i++) {
		process_end(askers[i]);
	}
}

/* How long it takes to register a family, in milliseconds; -1: for ever. */
static int time_family(int fd)
{
	double begin = seconds_now();
	int status, tries;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(write(fd, "family", 6) != 6);
	for (tries = 0; tries < 4000; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status ? -1 : (seconds_now() - begin) * 1000;
		usleep(5000);
	}
	return -1;
}

#define FAMILIES	5

/* Of some times the least: the machine may have other things to do. */
TEST_F(busy, families_can_be_registered)
{
	pid_t askers[ASKERS];
	int i, least = -1;

	start_askers(askers, self->pid);
	for (i = 0; i < FAMILIES; i++) {
		int ms = time_family(self->fd);

		if (ms < 0) {
			least = -1;
			break;
		}
		if (!i || ms < least)
			least = ms;
	}
	stop_askers(askers);
	/* On a kernel where it waits, it waits for this. */
	EXPECT_EQ(2, write(self->fd, "go", 2));
	EXPECT_GE(least, 0)
		TH_LOG("another family couldn't be registered in 20 s");
	EXPECT_LT(least, 1000);
}

static void nothing(int sig)
{
}

static void signal_after_a_second(void)
{
	const struct itimerval second = {
		.it_value = { .tv_sec = 1 },
		.it_interval = { .tv_usec = 100000 },
	};
	const struct sigaction action = {
		.sa_handler = nothing,
		.sa_flags = SA_RESTART,
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &second, NULL);
}

TEST_F(busy, refused)
{
	struct ptw_page page;
	struct ptw_dump dump;

	EXPECT_EQ(-EBUSY, ptw_translate_one(&self->ptw, self->pid, 0, &page));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "busy"))
		TH_LOG("message: %s", self->ptw.error.message);
	/* A dump waits for the lock, until a signal comes. */
	signal_after_a_second();
	EXPECT_EQ(-EINTR, ptw_dump(&self->ptw, self->pid, 0, PTW_LAST, &dump));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "busy"))
		TH_LOG("message: %s", self->ptw.error.message);
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);
}

/* A process that got what it waited for is as any other. */
TEST_F(busy, no_longer)
{
	struct ptw_page page;
	int err, tries = 0;

	ASSERT_EQ(2, write(self->fd, "go", 2));
	do {
		err = ptw_translate_one(&self->ptw, self->pid, 0, &page);
	} while (err == -EBUSY && tries++ < 100);
	EXPECT_EQ(0, err);
}

/* A batch of the largest size takes no more time than one address. */
TEST_F(busy, batch)
{
	static struct ptw_page pages[PTWALK_MAX_ADDRESSES];
	static u64 addrs[PTWALK_MAX_ADDRESSES];

	EXPECT_EQ(-EBUSY, ptw_translate(&self->ptw, self->pid, addrs,
					PTWALK_MAX_ADDRESSES, pages));
}

/*
 * cb_lock is held for all messages of one sendmsg(): only the first one waits,
 * for 100 ms.
 */
TEST_F(busy, many_at_once)
{
	struct nl_msg *msg = ptw_request(&self->ptw, PTWALK_CMD_TRANSLATE,
					 NLM_F_ACK);
	double begin = seconds_now();
	u64 addr = 0;

	nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, self->pid);
	nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addr), &addr);
	EXPECT_EQ(-EBUSY, ptw_ask_at_once(&self->ptw, msg, 100));
	EXPECT_LT(seconds_now() - begin, 5);
}

#define EXPECT_BUSY(...) do { \
	run(&out, self->ptwalk, __VA_ARGS__); \
	EXPECT_EQ(3, out.status) \
		TH_LOG("%s", out.text); \
	EXPECT_NE(NULL, strstr(out.text, "busy")) \
		TH_LOG("%s", out.text); \
} while (0)

TEST_F(busy, commands)
{
	NEED_COMMAND();
	EXPECT_BUSY("translate", self->number, "0");
	EXPECT_BUSY("translate", self->number, "[stack]");
	EXPECT_BUSY("dump", self->number);
	EXPECT_BUSY("dump", "--summary", self->number);
	EXPECT_BUSY("pagemap", self->number);
	EXPECT_BUSY("rss", self->number);
	EXPECT_BUSY("share", "self", self->number);
	EXPECT_BUSY("frame", "--pid", self->number, "0");
	EXPECT_BUSY("check", self->number);
	if (!access("/proc/kcore", F_OK))
		EXPECT_BUSY("check", "--prove", self->number);
	EXPECT_BUSY("check", "--lint", self->number);
}

/* The others are checked; that it wasn't is said. */
TEST_F(busy, check_all)
{
	char line[64];

	NEED_COMMAND();
	run(&out, self->ptwalk, "check", "--all");
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
	const char *ptwalk = ptwalk_command();
	struct target target;
	char number[16];
	int i;

	NEED_COMMAND();
	ASSERT_EQ(0, target_start(&target, many_threads, NULL));
	snprintf(number, sizeof(number), "%d", target.pid);
	for (i = 0; i < 5; i++) {
		run(&out, ptwalk, "dump", "--summary", number);
		EXPECT_EQ(0, out.status)
			TH_LOG("%s", out.text);
	}
	target_end(&target);
}

TEST_HARNESS_MAIN
