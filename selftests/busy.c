// SPDX-License-Identifier: GPL-2.0
/*
 * A process that holds its mmap lock for writing, as in an mmap() that waits for
 * a dead server: it can't be read, but the attempt must not delay others.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include "busy.h"
#include "system.h"
#include "test.h"

FIXTURE(busy)
{
	struct ptw ptw;
	int fd;
	pid_t pid;
};

FIXTURE_SETUP(busy)
{
	ASSERT_OPEN(&self->ptw);
	self->pid = busy_start(&self->fd);
	if (self->pid == -ENOENT)
		SKIP(return, "there is no ptwalk_fixture module");
	ASSERT_LT(0, self->pid);
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

	for (i = 0; i < ASKERS; i++)
		process_end(askers[i]);
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

/* Nobody waits behind a dump that needs the lock for writing: it only tries. */
TEST_F(busy, outside)
{
	struct ptw_dump dump;

	self->ptw.outside = true;
	EXPECT_EQ(-EBUSY, ptw_dump(&self->ptw, self->pid, 0, PTW_LAST, &dump));
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

TEST_HARNESS_MAIN
