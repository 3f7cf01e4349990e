// SPDX-License-Identifier: GPL-2.0
/*
 * Who is shown what by pagemap and PAGEMAP_SCAN: that is decided when the file
 * is opened, and about the address space of that moment. And what both refuse.
 * This is a test of the kernel; ptwalk's own permissions are in access.c.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include "scan.h"
#include "test.h"

#define NOBODY		65534
#define SLEEPER		"PTWALK_TEST_SLEEPS"
#define CAPS		(1U << CAP_SYS_ADMIN)

/* What test programs are exec'ed for: they tell a pipe, before the module is looked for. */
static void __attribute__((constructor(101))) sleep_if_asked(void)
{
	const char *pipe = getenv(SLEEPER);

	if (!pipe)
		return;
	if (write(atoi(pipe), "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* A page of ours, and how to ask for it. */
FIXTURE(opener)
{
	char *page;
	size_t size;
	u64 addr;
};

FIXTURE_SETUP(opener)
{
	self->size = sysconf(_SC_PAGESIZE);
	self->page = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	memset(self->page, 1, self->size);
	self->addr = (uintptr_t)self->page;
}

FIXTURE_TEARDOWN(opener)
{
	munmap(self->page, self->size);
}

static int open_of(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The entry, 0 if the file ends before it, or 1 if it can't be read. */
static u64 entry_of(int fd, u64 addr)
{
	u64 entry = 0;

	return pread(fd, &entry, sizeof(entry), addr / sysconf(_SC_PAGESIZE) * 8) < 0 ?
	       1 : entry;
}

/* The categories of a page of which one is asked, 0 if it isn't reported. */
static u64 categories_of(int fd, u64 addr)
{
	struct scan_region region = {};
	struct scan scan = {
		.size = sizeof(scan), .start = addr, .end = addr + sysconf(_SC_PAGESIZE),
		.vec = (uintptr_t)&region, .vec_len = 1, .wanted = IS_PRESENT,
	};

	return ioctl(fd, SCAN, &scan) == 1 ? region.categories : 0;
}

static bool has_scan(int fd)
{
	struct scan scan = { .size = sizeof(scan) };

	return !ioctl(fd, SCAN, &scan);
}

static bool set_caps(u32 effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	data[0].effective = effective;
	return !syscall(SYS_capset, &header, data);
}

static u32 get_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	syscall(SYS_capget, &header, data);
	return data[0].effective;
}

/* Frames are for who had CAP_SYS_ADMIN when it opened the file, reads it who may. */
TEST_F(opener, capability)
{
	u32 caps = get_caps();
	int with, without;
	u64 shown, hidden;

	with = open_of(getpid());
	ASSERT_LE(0, with);
	shown = entry_of(with, self->addr);
	EXPECT_TRUE(shown & PM_PRESENT);
	EXPECT_NE(0, shown & PM_PFN);

	ASSERT_TRUE(set_caps(caps & ~CAPS));
	without = open_of(getpid());
	ASSERT_LE(0, without);
	EXPECT_EQ(shown, entry_of(with, self->addr));
	hidden = entry_of(without, self->addr);
	EXPECT_EQ(shown & ~PM_PFN, hidden);

	ASSERT_TRUE(set_caps(caps));
	EXPECT_EQ(hidden, entry_of(without, self->addr));
	if (has_scan(with)) {
		EXPECT_EQ(IS_PRESENT, categories_of(with, self->addr));
		EXPECT_EQ(IS_PRESENT, categories_of(without, self->addr));
	}
	close(with);
	close(without);
}

/* In a user namespace of its own a process has all capabilities, and sees none. */
TEST_F(opener, user_namespace)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int before = open_of(getpid()), after;
		u64 shown, hidden;

		if (before < 0 || unshare(CLONE_NEWUSER))
			_exit(2);
		after = open_of(getpid());
		if (after < 0)
			_exit(3);
		shown = entry_of(before, self->addr);
		hidden = entry_of(after, self->addr);
		_exit(!(shown & PM_PFN) || hidden != (shown & ~PM_PFN));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		SKIP(return, "no user namespaces");
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Becomes nobody, who may look at itself all the same. */
static bool become_nobody(void)
{
	return !syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) &&
	       !syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) &&
	       !prctl(PR_SET_DUMPABLE, 1);
}

/* One that may not be traced isn't shown, not even to who may open any file. */
TEST_F(opener, of_another)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int fd;

		if (prctl(PR_SET_KEEPCAPS, 1) || !become_nobody() ||
		    !set_caps(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH))
			_exit(2);
		fd = open_of(getppid());
		_exit(fd >= 0 || errno != EACCES ? 1 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Copies this program to @path with the set-user-ID bit. */
static bool copy_setuid(const char *path)
{
	char buf[4096];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n = -1;

	while (from >= 0 && to >= 0 && (n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			break;
	close(from);
	return !close(to) && !n && !chmod(path, 04755);
}

/* Opened before an exec, the file is about what was, and shows nothing after it. */
TEST_F(opener, before_exec_of_setuid)
{
	static const char path[] = "/tmp/ptwalk-setuid";
	int ready[2], awake[2], fd;
	char byte, number[16];
	pid_t pid;
	u64 addr;

	ASSERT_TRUE(copy_setuid(path));
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe(awake));
	pid = fork();
	if (!pid) {
		if (!become_nobody())
			_exit(1);
		/* Until the other has opened the file. */
		while (read(ready[0], &byte, 1) < 0)
			;
		snprintf(number, sizeof(number), "%d", awake[1]);
		setenv(SLEEPER, number, 1);
		execl(path, path, NULL);
		_exit(1);
	}
	fd = open_of(pid);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(entry_of(fd, self->addr) & PM_PRESENT);
	ASSERT_EQ(1, write(ready[1], "x", 1));
	/* Since 7.2 the kernel lets go of the old memory after all else of the exec. */
	close(awake[1]);
	ASSERT_EQ(1, read(awake[0], &byte, 1));
	close(awake[0]);
	for (addr = 0; addr < 1ULL << 31; addr += 1ULL << 20)
		EXPECT_EQ(0, entry_of(fd, addr));
	EXPECT_EQ(0, entry_of(fd, self->addr));
	EXPECT_EQ(0, categories_of(fd, self->addr));
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
}

/* Offsets between entries, and behind the last address. */
TEST_F(opener, refused_offsets)
{
	u64 entry[2] = { 7, 7 };
	int fd = open_of(getpid());
	long index = self->addr / self->size * 8;

	ASSERT_LE(0, fd);
	for (int i = 1; i < 8; i++) {
		EXPECT_EQ(-1, pread(fd, entry, 8, index + i));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(-1, pread(fd, entry, 8 + i, index));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(0, pread(fd, entry, 0, index));
	/* The last page that any address has. */
	EXPECT_EQ(0, pread64(fd, entry, 8, (UINTPTR_MAX / self->size) * 8LL));
	EXPECT_EQ(0, pread64(fd, entry, 16, (UINTPTR_MAX / self->size + 1) * 8LL));
	EXPECT_EQ(7, entry[0]);
	EXPECT_EQ(7, entry[1]);
	close(fd);
}

TEST_F(opener, refused_scans)
{
	struct scan_region region;
	const struct scan good = {
		.size = sizeof(good), .start = self->addr,
		.end = self->addr + self->size, .vec = (uintptr_t)&region,
		.vec_len = 1, .wanted = IS_PRESENT,
	};
	struct scan bad[8];
	int fd = open_of(getpid());

	ASSERT_LE(0, fd);
	if (!has_scan(fd))
		SKIP(close(fd); return, "the kernel has no PAGEMAP_SCAN");
	for (int i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].size++;
	bad[1].start++;
	bad[2].flags = 1ULL << 63;
	bad[3].wanted = 1ULL << 63;
	bad[4].mask = 1ULL << 63;
	bad[5].inverted = 1ULL << 63;
	bad[6].any_of = 1ULL << 63;
	bad[7].vec = 0;
	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(-1, ioctl(fd, SCAN, &bad[i]));
		EXPECT_EQ(EINVAL, errno) {
			TH_LOG("scan %d", i);
		}
	}
#ifndef __s390x__	/* where each number is an address of user space */
	bad[0] = good;
	bad[0].start = UINTPTR_MAX - self->size + 1;
	bad[0].end = UINTPTR_MAX;
	EXPECT_EQ(-1, ioctl(fd, SCAN, &bad[0]));
	EXPECT_EQ(EFAULT, errno);
#endif
	bad[0] = good;
	EXPECT_EQ(1, ioctl(fd, SCAN, &bad[0]));
	EXPECT_EQ(self->addr, region.start);
	close(fd);
}

TEST_HARNESS_MAIN
