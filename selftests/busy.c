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

static bool register_family(int fd)
{
	return write(fd, "family", 6) == 6;
}

/* Resolves the family's name, by the family that all names are resolved by. */
static bool look_up(int fd)
{
	struct ptw ptw;

	return !ptw_open(&ptw);
}

/* How long that takes, in milliseconds; -1: for ever. */
static int time_of(bool (*what)(int fd), int fd)
{
	double begin = seconds_now();
	int status, tries;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(!what(fd));
	for (tries = 0; tries < 4000; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status ? -1 : (seconds_now() - begin) * 1000;
		usleep(5000);
	}
	return -1;
}

#define TIMES	5

/* Of some times the least: the machine may have other things to do. */
static int least_time_of(bool (*what)(int fd), int fd)
{
	int i, ms, least = -1;

	for (i = 0; i < TIMES; i++) {
		ms = time_of(what, fd);
		if (ms < 0)
			return -1;
		if (!i || ms < least)
			least = ms;
	}
	return least;
}

TEST_F(busy, families_can_be_registered)
{
	pid_t askers[ASKERS];
	int least;

	start_askers(askers, self->pid);
	least = least_time_of(register_family, self->fd);
	stop_askers(askers);
	/* On a kernel where it waits, it waits for this. */
	EXPECT_EQ(2, write(self->fd, "go", 2));
	EXPECT_GE(least, 0)
		TH_LOG("another family couldn't be registered in 20 s");
	EXPECT_LT(least, 1000);
}

/* Takes whatever comes on the socket, and asks again when a dump has ended. */
static void dump_on(struct ptw *ptw, pid_t pid)
{
	const struct nlmsghdr *header = (void *)ptw->buffer;
	ssize_t len;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ptw_dump_start(ptw, pid, 0, PTW_LAST);
		do {
			len = recv(nl_socket_get_fd(ptw->sock), ptw->buffer, ptw->size, 0);
		} while (len > 0 && header->nlmsg_type != NLMSG_DONE &&
			 header->nlmsg_type != NLMSG_ERROR);
	}
}

/* Sends requests for dumps on a socket on which one runs. */
static void intrude(struct ptw *ptw, pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresuid(65534, 65534, 65534))
		_exit(1);
	for (;;) {
		ptw_dump_start(ptw, pid, 0, PTW_LAST);
		usleep(1000);
	}
}

/*
 * Who sends on the socket of another makes nobody wait: netlink has a second dump
 * wait for the buffer of the first one that is being filled, and does so with the
 * lock held that registering a family takes, behind which all look-ups wait.
 */
TEST_F(busy, nobody_waits_for_a_second_dump)
{
	int family, name;
	pid_t reader, intruder, registrar;

	reader = fork();
	if (!reader)
		dump_on(&self->ptw, self->pid);
	intruder = fork();
	if (!intruder)
		intrude(&self->ptw, self->pid);
	registrar = fork();
	if (!registrar) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			register_family(self->fd);
	}
	sleep(1);
	name = least_time_of(look_up, -1);
	process_end(registrar);
	family = name < 0 ? -1 : least_time_of(register_family, self->fd);
	process_end(intruder);
	process_end(reader);
	/* On a kernel where somebody waits, it is for this. */
	EXPECT_EQ(2, write(self->fd, "go", 2));
	EXPECT_GE(name, 0)
		TH_LOG("a family couldn't be looked up in 20 s");
	EXPECT_GE(family, 0)
		TH_LOG("a family couldn't be registered in 20 s");
	EXPECT_LT(name, 1000);
	EXPECT_LT(family, 1000);
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
	struct ptw own;

	EXPECT_EQ(-EBUSY, ptw_translate_one(&self->ptw, self->pid, 0, &page));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "busy"))
		TH_LOG("message: %s", self->ptw.error.message);
	/* The busy process has that socket, too, and could send on it. */
	EXPECT_EQ(-EBUSY, ptw_dump(&self->ptw, self->pid, 0, PTW_LAST, &dump));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "busy"))
		TH_LOG("message: %s", self->ptw.error.message);
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);
	/* On one that nobody else has, a dump waits until a signal comes. */
	ASSERT_OPEN(&own);
	signal_after_a_second();
	EXPECT_EQ(-EINTR, ptw_dump(&own, self->pid, 0, PTW_LAST, &dump));
	EXPECT_NE(NULL, strstr(own.error.message, "busy"))
		TH_LOG("message: %s", own.error.message);
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);
	ptw_close(&own);
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
