// SPDX-License-Identifier: GPL-2.0
/* What is there for those with less rights, tried in one child: a fork is dear. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "proc/pagemap_bits.h"
#include "proc/untraced.h"

static const char *const files[] = {
	"pagemap", "maps", "smaps", "smaps_rollup", "numa_maps",
};

#define NR_FILES	(sizeof(files) / sizeof(files[0]))

#define SHOWS_FRAMES	(1 << NR_FILES)

#define PATH		64

/*
 * Of our parent, which is allowed more: a bit for each that opens. The modes of files
 * are no matter for CAP_DAC_OVERRIDE.
 */
static int open_without_right(char paths[][PATH])
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct before[2], caps[2];
	int fd, opened = 0;

	if (syscall(SYS_capget, &header, before) ||
	    !(before[0].permitted & 1U << CAP_SYS_PTRACE))
		return 0;
	memcpy(caps, before, sizeof(caps));
	caps[0].effective &= 1U << CAP_DAC_OVERRIDE;
	caps[1].effective = 0;
	if (syscall(SYS_capset, &header, caps))
		return 0;
	for (size_t i = 0; i < NR_FILES; i++) {
		fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		opened |= 1 << i;
		close(fd);
	}
	before[0].effective = before[0].permitted;
	return syscall(SYS_capset, &header, before) ? 0 : opened;
}

/* With all privileges in a user namespace of its own: whether frames are shown. */
static bool sees_frames(void)
{
	const off_t here = (uintptr_t)&here / sysconf(_SC_PAGESIZE) * sizeof(uint64_t);
	uint64_t value = 0;
	int fd = unshare(CLONE_NEWUSER) ? -1 :
		 open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && pread(fd, &value, sizeof(value), here) == sizeof(value) &&
	       (value & PM_PRESENT) && (value & PM_PFN_MASK);
}

static int try_all(char paths[][PATH])
{
	const int opened = open_without_right(paths);

	return opened | (sees_frames() ? SHOWS_FRAMES : 0);
}

static int try_in_child(void)
{
	char paths[NR_FILES][PATH];
	int status = 0;
	pid_t child;

	/* What the child doesn't do there, it has no page faults of its own for. */
	for (size_t i = 0; i < NR_FILES; i++)
		snprintf(paths[i], PATH, "/proc/%d/%s", (int)getpid(), files[i]);
	child = fork();
	if (!child)
		_exit(try_all(paths));
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static int tried(void)
{
	static int found = -1;

	if (found < 0)
		found = try_in_child();
	return found;
}

bool untraced_opens(const char *file)
{
	for (size_t i = 0; i < NR_FILES; i++)
		if (!strcmp(files[i], file))
			return tried() >> i & 1;
	return false;
}

bool untraced_sees_frames(void)
{
	return tried() & SHOWS_FRAMES;
}
