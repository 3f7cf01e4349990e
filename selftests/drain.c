// SPDX-License-Identifier: GPL-2.0
/*
 * Requests leak nothing: after thousands of dumps that are not read to their
 * end, however they are abandoned, and after each allocation has failed once.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "device.h"
#include "slab.h"
#include "test.h"

#define PAGES	16384

#define DUMPS	2000
#define AT_ONCE	250

/*
 * A dump that leaves an object behind adds DUMPS to one cache; one in eight is
 * noticed. The kernel's own comings and goings stay below that.
 */
#define NOTICED	(DUMPS / 8)

FIXTURE(drain)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
};

static void victim(void *arg, int nr)
{
	if (!nr)
		mapping_read_every_other(arg);
	else
		execlp("sleep", "sleep", "600", NULL);
}

FIXTURE_SETUP(drain)
{
	const struct rlimit files = { 4096, 4096 };

	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, NULL));
	ASSERT_NE(NULL, mapping_many_records(&self->m, PAGES));
	setrlimit(RLIMIT_NOFILE, &files);
}

FIXTURE_TEARDOWN(drain)
{
	target_end(&self->target);
	ptw_close(&self->ptw);
}

/* Opens a socket, starts a dump on it, and reads one buffer if @read. */
static int begin(struct ptw *ptw, struct mapping *m, pid_t pid, bool read)
{
	struct ptw_dump dump = {};
	int err = ptw_open_sized(ptw, PTW_SMALL_BUFFER);

	if (!err)
		err = ptw_dump_start(ptw, pid, m->start, PTW_LAST);
	if (!err && read) {
		err = ptw_dump_read(ptw, &dump);
		ptw_dump_free(&dump);
		return err == 1 ? 0 : -EPROTO;
	}
	return err;
}

/* Sends @fd through @to; 0 or a negative errno. */
static int pass(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &msg, MSG_DONTWAIT) == 1 ? 0 : -errno;
}

static int receive(int from)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(from, &msg, 0) != 1)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -ENOENT;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/*
 * Dumps of a process that goes on, dies or execs, on sockets that are closed,
 * or under way to somebody who never takes them; some read once, some never.
 * Returns what went wrong, or NULL.
 */
static const char *leave_dumps(struct mapping *m, int nr, int round)
{
	static struct ptw ptw[AT_ONCE];
	const char *why = NULL;
	struct target target;
	int ends[2], i;

	if (target_start(&target, victim, m))
		return "no target";
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
		return "no sockets";
	for (i = 0; i < nr && !why; i++) {
		if (begin(&ptw[i], m, target.pid, i % 4))
			why = "a dump can't be begun";
		if (!why && i % 5 == 0)
			pass(ends[0], nl_socket_get_fd(ptw[i].sock));
	}
	if (round % 3 == 1)
		target_end(&target);
	else if (round % 3 == 2 && write(target.in, "", 1) != 1)
		why = "the target isn't there";
	/* Some are asked for more, of a process that is gone or another. */
	while (i--) {
		struct ptw_dump dump = {};

		if (i % 7 == 0)
			ptw_dump_read(&ptw[i], &dump);
		ptw_dump_free(&dump);
		ptw_close(&ptw[i]);
	}
	close(ends[0]);
	close(ends[1]);
	if (round % 3 != 1)
		target_end(&target);
	return why;
}

TEST_F_TIMEOUT(drain, half_read_dumps, 1200)
{
	int references = module_settles("ptwalk", 0), round;
	struct slab_use before;

	/* Caches fill up at first. */
	for (round = 0; round < 3; round++)
		EXPECT_GOOD(leave_dumps(&self->m, AT_ONCE, round));
	EXPECT_EQ(references, module_settles("ptwalk", references));
	if (slab_read(&before))
		SKIP(return, "there is no /proc/slabinfo");
	for (round = 0; round < DUMPS / AT_ONCE; round++)
		EXPECT_GOOD(leave_dumps(&self->m, AT_ONCE, round));
	EXPECT_EQ(references, module_settles("ptwalk", references));
	EXPECT_GOOD(slab_leak(&before, NOTICED));
}

/* The check above does see what is held. */
TEST_F_TIMEOUT(drain, what_is_held_is_seen, 600)
{
	static struct ptw ptw[AT_ONCE];
	struct slab_use before;
	const char *growth;

	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	if (slab_read(&before))
		SKIP(return, "there is no /proc/slabinfo");
	for (int i = 0; i < AT_ONCE; i++)
		ASSERT_EQ(0, begin(&ptw[i], &self->m, self->target.pid, true));
	growth = slab_growth(&before, AT_ONCE / 2);
	EXPECT_NE(NULL, growth);
	TH_LOG("%d dumps under way: %s", AT_ONCE, growth ?: "nothing");
	for (int i = 0; i < AT_ONCE; i++)
		ptw_close(&ptw[i]);
	EXPECT_GOOD(slab_leak(&before, AT_ONCE / 2));
}

/* What all slabs take, in KiB, with what is too large for them. */
static long long slab_total(void)
{
	char line[128];
	long long kib, total = 0;
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SReclaimable: %lld", &kib) == 1 ||
		    sscanf(line, "SUnreclaim: %lld", &kib) == 1)
			total += kib;
	if (file)
		fclose(file);
	return total;
}

/*
 * What a dump that is half read holds beside its socket: one message of netlink,
 * which is as large as what the reader receives at a time, and its request. The
 * allocation of a message is rounded up to a power of two.
 */
TEST_F_TIMEOUT(drain, bytes_of_a_half_read_dump, 600)
{
	const size_t sizes[] = { PTW_SMALL_BUFFER, PTW_BUFFER }, most[] = { 20, 36 };
	static struct ptw ptw[AT_ONCE];

	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	for (size_t size = 0; size < ARRAY_SIZE(sizes); size++) {
		long long before, each;
		int i;

		for (i = 0; i < AT_ONCE; i++)
			ASSERT_OPEN_SIZED(&ptw[i], sizes[size]);
		before = slab_total();
		for (i = 0; i < AT_ONCE; i++) {
			struct ptw_dump dump = {};

			ASSERT_EQ(0, ptw_dump_start(&ptw[i], self->target.pid, self->m.start,
						    PTW_LAST));
			ASSERT_EQ(1, ptw_dump_read(&ptw[i], &dump));
			ptw_dump_free(&dump);
		}
		each = (slab_total() - before) * 1024 / AT_ONCE;
		TH_LOG("%d dumps half read, %zu bytes at a time: %lld bytes each", AT_ONCE,
		       sizes[size], each);
		/* Else it isn't seen. */
		EXPECT_LT(8192, each);
		EXPECT_GT(most[size] * 1024, each);
		for (i = 0; i < AT_ONCE; i++)
			ptw_close(&ptw[i]);
	}
}

/* Reads the rest of a dump on the socket of another; how many pages it tells. */
static u64 read_rest(int fd, const struct ptw *other)
{
	struct ptw_dump dump = { .headed = true };
	struct ptw ptw;
	u64 pages = 0;

	if (ptw_open_sized(&ptw, other->size) || dup2(fd, nl_socket_get_fd(ptw.sock)) < 0)
		return 0;
	ptw.sequence = other->sequence;
	while (ptw_dump_read(&ptw, &dump) > 0)
		;
	for (size_t i = 0; i < dump.nr; i++)
		pages += dump.record[i].extent.pages;
	return ptw.error.err ? 0 : pages;
}

/* A dump goes on in whichever process has its socket now. */
TEST_F(drain, passed_on)
{
	int ends[2], status, i;
	struct ptw_dump dump = {};
	u64 pages = 0;
	struct ptw ptw;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	ASSERT_OPEN_SIZED(&ptw, PTW_SMALL_BUFFER);
	ASSERT_EQ(0, ptw_dump_start(&ptw, self->target.pid, self->m.start,
				    self->m.start + PAGES * self->m.page_size - 1));
	ASSERT_EQ(1, ptw_dump_read(&ptw, &dump));
	for (i = 0; i < dump.nr; i++)
		pages += dump.record[i].extent.pages;
	EXPECT_LT(pages, PAGES);
	pid = fork();
	if (!pid) {
		int fd = receive(ends[1]);

		close(nl_socket_get_fd(ptw.sock));
		_exit(fd >= 0 && read_rest(fd, &ptw) == PAGES - pages ? 0 : 1);
	}
	EXPECT_EQ(0, pass(ends[0], nl_socket_get_fd(ptw.sock)));
	ptw_close(&ptw);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ptw_dump_free(&dump);
}

static int fail_nth(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/* Whether the allocation that was to fail was reached. */
static bool has_failed(int fd)
{
	char text[16] = {};

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

static int knob(const char *fault, const char *name, const char *value)
{
	char path[128];
	int fd, err;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", fault, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* How often each allocation fails; a leak is seen if it is one object each time. */
#define ROUNDS	50

enum request { INFO, TRANSLATE, WALK, DEVICE, IOVA, REQUESTS };

static int ask(struct ptw *ptw, enum request which, struct mapping *m, pid_t pid)
{
	const u64 addrs[] = { m->start, m->start + m->page_size };
	struct nl_msg *msg;

	switch (which) {
	case INFO:
		return ptw_ask(ptw, ptw_request(ptw, PTWALK_CMD_INFO, NLM_F_ACK));
	case TRANSLATE:
		msg = ptw_request(ptw, PTWALK_CMD_TRANSLATE, NLM_F_ACK);
		nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, pid);
		nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addrs), addrs);
		nla_put_flag(msg, PTWALK_A_TRANSLATE_WANT_PAGES);
		return ptw_ask(ptw, msg);
	case WALK:
		msg = ptw_request(ptw, PTWALK_CMD_WALK, NLM_F_DUMP);
		nla_put_u32(msg, PTWALK_A_WALK_PID, pid);
		nla_put_u64(msg, PTWALK_A_WALK_START, m->start);
		nla_put_u64(msg, PTWALK_A_WALK_LAST, m->start + 64 * m->page_size);
		return ptw_ask(ptw, msg);
	case DEVICE:
		msg = ptw_request(ptw, PTWALK_CMD_DEVICE, NLM_F_ACK);
		nla_put_string(msg, PTWALK_A_DEVICE_NAME, "platform/ptwalk_fixture");
		nla_put(msg, PTWALK_A_DEVICE_ADDRESSES, sizeof(addrs), addrs);
		return ptw_ask(ptw, msg);
	default:
		return ptw_ask(ptw, ptw_iova_request(ptw, "platform/ptwalk_fixture", 0, 1 << 20));
	}
}

/*
 * Has each allocation fail that a request makes, one at a time: how many did,
 * or -1 if the module no longer answers.
 */
static int fail_each(int fd, enum request which, struct mapping *m, pid_t pid, int wanted)
{
	int n;

	for (n = 1; n < 1000; n++) {
		struct ptw ptw;
		bool failed;
		int err;

		if (ptw_open(&ptw))
			return -1;
		if (fail_nth(fd, n))
			return -1;
		ask(&ptw, which, m, pid);
		failed = has_failed(fd);
		fail_nth(fd, 0);
		ptw_close(&ptw);
		if (!failed)
			return n - 1;
		if (ptw_open(&ptw))
			return -1;
		err = ask(&ptw, which, m, pid);
		ptw_close(&ptw);
		if (err != wanted)
			return -1;
	}
	return n;
}

TEST_F_TIMEOUT(drain, allocations_fail, 1200)
{
	int fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC), i, wanted[REQUESTS];
	int references = module_settles("ptwalk", 0);
	int of_devices = module_settles("ptwalk_device", 0);
	struct slab_use before;

	if (fd < 0)
		SKIP(return, "the kernel has no fail-nth (CONFIG_FAULT_INJECTION)");
	if (knob("failslab", "ignore-gfp-wait", "N"))
		SKIP(return, "the kernel has no failslab (CONFIG_FAILSLAB), or no debugfs");
	/* Nor a stack in the log for each. */
	knob("failslab", "verbose", "0");
	ASSERT_EQ(0, target_start(&self->target, victim, &self->m));
	for (i = 0; i < REQUESTS; i++)
		wanted[i] = ask(&self->ptw, i, &self->m, self->target.pid);
	EXPECT_EQ(0, wanted[INFO] | wanted[TRANSLATE] | wanted[WALK]);
	slab_read(&before);
	for (int round = 0; round < ROUNDS; round++) {
		for (i = 0; i < REQUESTS; i++) {
			int failed = fail_each(fd, i, &self->m, self->target.pid, wanted[i]);

			EXPECT_LT(wanted[i] ? 0 : 1, failed)
				TH_LOG("request %d: %d allocations failed", i, failed);
			if (!round)
				TH_LOG("request %d: %d allocations failed", i, failed);
		}
	}
	knob("failslab", "ignore-gfp-wait", "Y");
	knob("failslab", "verbose", "2");
	close(fd);
	EXPECT_EQ(references, module_settles("ptwalk", references));
	EXPECT_EQ(of_devices, module_settles("ptwalk_device", of_devices));
	/* One object that each round leaves behind. */
	EXPECT_GOOD(slab_leak(&before, ROUNDS));
}

TEST_HARNESS_MAIN
