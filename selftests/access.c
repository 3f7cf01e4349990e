// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: only tasks with CAP_SYS_ADMIN in the initial user namespace may
 * ask. All requests are made in a second process, whose exit status says which
 * answer it got.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <netlink/attr.h>
#include "device.h"
#include "test.h"

#define NOBODY	65534

/* Exit statuses of the second process. */
enum outcome { ALLOWED = 10, REFUSED, ODD, UNABLE };

/* Whether the socket is in a network namespace that isn't root's. */
static bool foreign_net;

/* Whether the right to trace is what is said to be missing. */
static bool lacks_trace(const struct ptw *ptw, int err)
{
	return err == -EACCES && strstr(ptw->error.message, "CAP_SYS_PTRACE");
}

/* The tables of another process: only for those who may read its maps. */
static enum outcome try_other(struct ptw *ptw, pid_t pid)
{
	struct ptw_page page;
	struct ptw_dump dump;
	char path[32], maps[16];
	bool may, none;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	may = !proc_read(path, maps, sizeof(maps)) && maps[0];
	none = lacks_trace(ptw, ptw_translate_one(ptw, pid, 0, &page));
	/*
	 * Linux 7.2 lets who has CAP_SYS_ADMIN read maps (perfmon_capable() in
	 * may_access_mm()); the module is stricter then, and never less strict.
	 */
	if (!none && (!may || ptw->error.err))
		return ODD;
	/* Older kernels have no place for the reason. */
	if (ptw_dump(ptw, pid, 0, 0, &dump) != (none ? -EACCES : 0))
		return ODD;
	return none ? REFUSED : ALLOWED;
}

/* Older kernels have no place for the reason why a dump is refused. */
static bool refused_iova(struct ptw *ptw)
{
	static struct ptw_iova iova;

	return ptw_iova(ptw, "platform/no-such-device", 0, 0, &iova) == -EPERM;
}

static bool names_reason(const struct ptw *ptw)
{
	return strstr(ptw->error.message, foreign_net ? "network namespace" : "CAP_SYS_ADMIN");
}

/* One answer to each of the operations, which must be the same. */
static enum outcome try_all(struct ptw *ptw, pid_t pid)
{
	struct ptw_info info;
	struct ptw_page page;
	struct ptw_dump dump;
	struct ptw_device device;
	int err[4], i;

	err[0] = ptw_info(ptw, &info);
	if (err[0] == -EPERM && !names_reason(ptw))
		return ODD;
	err[1] = ptw_translate_one(ptw, pid, (uintptr_t)&page, &page);
	if (err[1] == -EPERM && !names_reason(ptw))
		return ODD;
	err[2] = ptw_dump(ptw, pid, (uintptr_t)&page, (uintptr_t)&page, &dump);
	err[3] = err[0];
	if (ptw->devices >= 0) {
		err[3] = ptw_device(ptw, "platform/no-such-device", NULL, 0, &device);
		if (err[3] == -EPERM && !names_reason(ptw))
			return ODD;
		/* Who may ask is told that there is no such device, nobody else is. */
		if (err[3] == -ENODEV)
			err[3] = 0;
		if (refused_iova(ptw) != (err[0] == -EPERM))
			return ODD;
	}
	for (i = 0; i < 4; i++)
		if (err[i] != err[0])
			return ODD;
	return !err[0] ? ALLOWED : err[0] == -EPERM ? REFUSED : ODD;
}

/* Keeps these capabilities as user @uid, and no others. */
static bool become(uid_t uid, u64 caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return !prctl(PR_SET_KEEPCAPS, 1) && !syscall(SYS_setresgid, uid, uid, uid) &&
	       !syscall(SYS_setresuid, uid, uid, uid) &&
	       !syscall(SYS_capset, &header, data);
}

/**
 * struct asker - how the second process asks
 * @caps: Capabilities that it keeps, or all of them.
 * @uid: Its user.
 * @namespaces: To leave, for clone flags.
 * @passed: It asks on a socket that the test opened.
 * @opens_first: It opens its socket before it gives anything up.
 * @opens_inside: It opens it with what root has outside, in a network namespace
 *	that belongs to a user namespace.
 * @unnamed: Sends without the kernel's address.
 * @other: It asks of the test's process instead of its own.
 */
struct asker {
	u64 caps;
	uid_t uid;
	int namespaces;
	bool passed, opens_first, opens_inside, unnamed, other;
};

#define ALL	(~0ULL)

/* Joins the network namespace of a process that made one in a user namespace. */
static bool enter_foreign_net(void)
{
	char path[32], byte;
	int to[2], fd = -1;
	pid_t pid;

	if (pipe(to))
		return false;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!unshare(CLONE_NEWUSER | CLONE_NEWNET) && write(to[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(to[1]);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (read(to[0], &byte, 1) == 1)
		fd = open(path, O_RDONLY);
	foreign_net = fd >= 0 && !setns(fd, CLONE_NEWNET);
	return foreign_net;
}

static int ask_as(const struct asker *a, struct ptw *passed)
{
	struct ptw own, *ptw = passed;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (a->opens_inside && !enter_foreign_net())
			_exit(UNABLE);
		if ((a->opens_first || a->opens_inside) && ptw_open(&own))
			_exit(UNABLE);
		if (a->namespaces && unshare(a->namespaces))
			_exit(UNABLE);
		if (a->namespaces & CLONE_NEWUSER) {
			proc_write("/proc/self/setgroups", "deny");
			if (proc_write("/proc/self/uid_map", "0 0 1") ||
			    proc_write("/proc/self/gid_map", "0 0 1") || geteuid())
				_exit(UNABLE);
		}
		if (a->caps != ALL && !become(a->uid, a->caps))
			_exit(UNABLE);
		if (!a->passed && !a->opens_first && !a->opens_inside && ptw_open(&own))
			_exit(ODD);
		if (!a->passed)
			ptw = &own;
		ptw->unnamed = a->unnamed;
		_exit(a->other ? try_other(ptw, getppid()) :
				 try_all(ptw, getpid()));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FIXTURE(access)
{
	struct ptw ptw;
};

FIXTURE_SETUP(access)
{
	ASSERT_OPEN(&self->ptw);
}

FIXTURE_TEARDOWN(access)
{
	ptw_close(&self->ptw);
}

#define CAP(name)	(1ULL << CAP_##name)

TEST_F(access, root)
{
	EXPECT_EQ(ALLOWED, ask_as(&(struct asker){ .caps = ALL }, NULL));
}

TEST_F(access, nobody)
{
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){ .uid = NOBODY }, NULL));
}

TEST_F(access, root_without_capabilities)
{
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){ .uid = 0 }, NULL));
}

TEST_F(access, net_admin_alone)
{
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .caps = CAP(NET_ADMIN) }, NULL));
}

TEST_F(access, all_but_sys_admin)
{
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.caps = ~CAP(SYS_ADMIN) & ((1ULL << (CAP_LAST_CAP + 1)) - 1) &
			((1ULL << 38) - 1) }, NULL));
}

TEST_F(access, sys_admin_alone)
{
	EXPECT_EQ(ALLOWED, ask_as(&(struct asker){
		.uid = NOBODY, .caps = CAP(SYS_ADMIN) }, NULL));
}

#define IN_NAMESPACE(...) do { \
	int _got = ask_as(&(struct asker){ .caps = ALL, __VA_ARGS__ }, &self->ptw); \
	if (_got == UNABLE) \
		SKIP(return, "no user namespace can be made"); \
	EXPECT_EQ(REFUSED, _got); \
} while (0)

TEST_F(access, root_of_a_user_namespace)
{
	IN_NAMESPACE(.namespaces = CLONE_NEWUSER);
}

TEST_F(access, root_of_a_user_and_network_namespace)
{
	IN_NAMESPACE(.namespaces = CLONE_NEWUSER | CLONE_NEWNET);
}

/* Whose owner may watch what goes through netlink there. */
TEST_F(access, root_in_the_network_of_a_user_namespace)
{
	IN_NAMESPACE(.opens_inside = true);
	/* In one of root's own, there is nobody else. */
	EXPECT_EQ(ALLOWED, ask_as(&(struct asker){
		.caps = ALL, .namespaces = CLONE_NEWNET }, NULL));
}

/* What the opener was allowed doesn't help whoever uses the socket. */
TEST_F(access, root_of_a_user_namespace_on_roots_socket)
{
	IN_NAMESPACE(.namespaces = CLONE_NEWUSER, .opens_first = true);
	IN_NAMESPACE(.namespaces = CLONE_NEWUSER, .passed = true);
}

TEST_F(access, nobody_on_roots_socket)
{
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .passed = true }, &self->ptw));
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .passed = true, .unnamed = true }, &self->ptw));
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .opens_first = true }, NULL));
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .opens_first = true, .unnamed = true }, NULL));
}

/* Of whose memory: one needs what /proc/PID/maps wants, too. */
TEST_F(access, another_process)
{
	EXPECT_EQ(ALLOWED, ask_as(&(struct asker){ .caps = ALL, .other = true }, NULL));
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = NOBODY, .caps = CAP(SYS_ADMIN), .other = true }, NULL));
	EXPECT_EQ(REFUSED, ask_as(&(struct asker){
		.uid = 0, .caps = CAP(SYS_ADMIN), .other = true }, NULL));
	EXPECT_EQ(ALLOWED, ask_as(&(struct asker){
		.uid = NOBODY, .caps = CAP(SYS_ADMIN) | CAP(SYS_PTRACE),
		.other = true }, NULL));
}

/* What was asked by one who may is read by whoever has the socket. */
TEST_F(access, nobody_reads_on)
{
	struct ptw_dump dump = {};
	int status;
	pid_t pid;

	ASSERT_EQ(0, ptw_dump_start(&self->ptw, getpid(), 0, PTW_LAST));
	pid = fork();
	if (!pid) {
		if (!become(NOBODY, 0))
			_exit(UNABLE);
		do {
			status = ptw_dump_read(&self->ptw, &dump);
		} while (status > 0);
		_exit(!status && dump.nr ? ALLOWED : REFUSED);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(ALLOWED, WEXITSTATUS(status));
}

/*
 * The other way round: nobody opens a socket and has root write to it without
 * knowing what it is, as a program that prints to its standard output does; or
 * hands it to a program of root that names the kernel as the receiver.
 */
TEST_F(access, root_on_nobodys_socket)
{
	struct ptw ptw;

	ASSERT_EQ(0, syscall(SYS_setresuid, NOBODY, NOBODY, 0));
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, syscall(SYS_setresuid, 0, 0, 0));
	ptw.unnamed = true;
	EXPECT_EQ(REFUSED, try_all(&ptw, getpid()));
	ptw.unnamed = false;
	EXPECT_EQ(REFUSED, try_all(&ptw, getpid()));
	ptw_close(&ptw);
}

/*
 * Whoever looks for a family that isn't there has the kernel ask for a module
 * with its alias. Ours, which has none, is loaded by its name alone.
 */
TEST(nobody_loads_it_by_a_look)
{
	if (!module_file_exists("ptwalk"))
		SKIP(return, "ptwalk is built in, or has no file");
	EXPECT_TRUE(module_file_has("ptwalk", "license=GPL"));
	EXPECT_FALSE(module_file_has("ptwalk", "alias="));
}

TEST_HARNESS_MAIN
