// SPDX-License-Identifier: GPL-2.0
/*
 * Who else gets the module's answers: an nlmon device sees those to all sockets of
 * its network namespace, and none to the command, whose sockets are in another.
 */
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "command.h"
#include "ptw.h"
#include "test.h"

#define DEVICE		"listener"
#define ETH_P_ALL	0x0003

static void put_text(struct nlmsghdr *msg, int type, const char *text)
{
	struct rtattr *attr = (void *)((char *)msg + NLMSG_ALIGN(msg->nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(strlen(text) + 1);
	strcpy(RTA_DATA(attr), text);
	msg->nlmsg_len = NLMSG_ALIGN(msg->nlmsg_len) + RTA_ALIGN(attr->rta_len);
}

/* Makes the device in the namespace that we are in; 0 or a negative errno. */
static int make_device(void)
{
	union {
		struct nlmsghdr msg;
		char all[256];
	} request = { .msg = {
		.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
		.nlmsg_type = RTM_NEWLINK,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
	} }, answer;
	struct ifinfomsg *link = NLMSG_DATA(&request.msg);
	struct rtattr *nest;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t n = -1;

	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	put_text(&request.msg, IFLA_IFNAME, DEVICE);
	nest = (void *)((char *)&request.msg + request.msg.nlmsg_len);
	nest->rta_type = IFLA_LINKINFO;
	request.msg.nlmsg_len += RTA_LENGTH(0);
	put_text(&request.msg, IFLA_INFO_KIND, "nlmon");
	nest->rta_len = (char *)&request.msg + request.msg.nlmsg_len - (char *)nest;
	if (fd >= 0 && send(fd, &request, request.msg.nlmsg_len, 0) > 0)
		n = recv(fd, &answer, sizeof(answer), 0);
	close(fd);
	if (n < 0 || answer.msg.nlmsg_type != NLMSG_ERROR)
		return -EIO;
	return ((struct nlmsgerr *)NLMSG_DATA(&answer.msg))->error;
}

/* A socket that gets what passes through the device. */
static int listen_to_device(void)
{
	struct sockaddr_ll where = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(DEVICE),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	if (fd >= 0 && bind(fd, (struct sockaddr *)&where, sizeof(where))) {
		close(fd);
		return -1;
	}
	return fd;
}

FIXTURE(nlmon)
{
	struct ptw ptw;
	int listener;
	u64 addr;
};

FIXTURE_SETUP(nlmon)
{
	int err;

	self->listener = -1;
	self->ptw.sock = NULL;
	NEED_COMMAND();
	if (unshare(CLONE_NEWNET))
		SKIP(return, "no network namespaces");
	/* Where the kernel can't ask for it by itself. */
	module_load("nlmon");
	err = make_device();
	if (err)
		SKIP(return, "no nlmon device (CONFIG_NLMON): %s", strerror(-err));
	self->listener = listen_to_device();
	ASSERT_LE(0, self->listener);
	ASSERT_EQ(0, ptw_open(&self->ptw));
	self->addr = (uintptr_t)&self->addr;
}

FIXTURE_TEARDOWN(nlmon)
{
	if (self->ptw.sock)
		ptw_close(&self->ptw);
	close(self->listener);
}

/* How many messages of the family it has got by now, and whether one holds @value. */
static int heard(int listener, int family, u64 value, bool *with_value)
{
	static char buf[128 * 1024];
	struct pollfd ready = { .fd = listener, .events = POLLIN };
	int nr = 0;
	ssize_t n;

	*with_value = false;
	/* What the kernel hands over, it does before the sender's call ends. */
	while (poll(&ready, 1, 0) > 0) {
		n = recv(listener, buf, sizeof(buf), 0);
		if (n < (ssize_t)sizeof(struct nlmsghdr) ||
		    ((struct nlmsghdr *)buf)->nlmsg_type != family)
			continue;
		nr++;
		*with_value |= memmem(buf, n, &value, sizeof(value)) != NULL;
	}
	return nr;
}

TEST_F(nlmon, hears_whoever_asks_here)
{
	struct ptw_page page;
	bool with_value;

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &page));
	/* The request, and the reply. */
	EXPECT_LE(2, heard(self->listener, self->ptw.family, page.t.value, &with_value));
	EXPECT_TRUE(with_value);
}

TEST_F(nlmon, hears_nothing_of_the_command)
{
	static struct output out;
	char pid[16], addr[20], before[64] = "", after[64] = "";
	const char *const with[][4] = {
		{ "translate", pid, addr }, { "dump", pid }, { "rss", pid },
		{ "check", "--source=pagemap", pid }, { "huge", pid },
		{ "frame", "--pid", pid, "1" }, { "info" },
	};
	struct ptw_page page;
	bool with_value;

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &page));
	ASSERT_LT(0, heard(self->listener, self->ptw.family, page.t.value, &with_value));
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(addr, sizeof(addr), "%llx", self->addr);
	ASSERT_LT(0, readlink("/proc/self/ns/net", before, sizeof(before) - 1));
	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		run(&out, ptwalk_command(), with[i][0], with[i][1], with[i][2], with[i][3]);
		EXPECT_EQ(MATCH, out.status)
			TH_LOG("%s: %.300s", with[i][0], out.text);
		EXPECT_EQ(0, heard(self->listener, self->ptw.family, page.t.value,
				   &with_value))
			TH_LOG("%s", with[i][0]);
	}
	/* It is in ours all the same, as what it runs is. */
	run(&out, ptwalk_command(), "check", "--during", "--source=pagemap", pid, "--",
	    "readlink", "/proc/self/ns/net");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(before);
	ASSERT_LT(0, readlink("/proc/self/ns/net", after, sizeof(after) - 1));
	EXPECT_STREQ(before, after);
	/* And all of it could have been heard. */
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &page));
	EXPECT_LT(0, heard(self->listener, self->ptw.family, page.t.value, &with_value));
}

/* From now on @call fails with @err, for what is run, too. */
static int forbid(long call, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = ARRAY_SIZE(code), .filter = code };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Whoever may ask, but may not make a namespace, is told so, and not answered here. */
TEST_F(nlmon, hears_nothing_where_a_filter_forbids_namespaces)
{
	static const int errors[] = { EPERM, ENOSYS, EINVAL };
	static struct output out;
	char pid[16], addr[20];
	struct ptw_page page;
	bool with_value;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(addr, sizeof(addr), "%llx", self->addr);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (forbid(SYS_unshare, errors[i]))
			SKIP(return, "no filters of system calls: %s", strerror(errno));
		ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &page));
		EXPECT_LT(0, heard(self->listener, self->ptw.family, page.t.value,
				   &with_value));
		EXPECT_TRUE(with_value);
		run(&out, ptwalk_command(), "translate", pid, addr);
		EXPECT_STATUS(UNCHECKED);
		EXPECT_PRINTED("cannot make a network namespace");
		heard(self->listener, self->ptw.family, page.t.value, &with_value);
		EXPECT_FALSE(with_value);
	}
}

/* No namespace is made by what asks nothing. */
TEST_F(nlmon, nothing_asked_makes_no_namespace)
{
	static const char *const with[][3] = {
		{ "--version" }, { "help" }, { "explain" }, { "decode", "0x1" },
		{ "decode", "--pte", "0x8000000006535867" },
	};
	static struct output out;

	if (forbid(SYS_unshare, EMFILE))
		SKIP(return, "no filters of system calls: %s", strerror(errno));
	run(&out, ptwalk_command(), "info");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED(strerror(EMFILE));
	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		run(&out, ptwalk_command(), with[i][0], with[i][1], with[i][2]);
		EXPECT_EQ(MATCH, out.status)
			TH_LOG("%s: %.300s", with[i][0], out.text);
	}
}

TEST_HARNESS_MAIN
