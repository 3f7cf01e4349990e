// SPDX-License-Identifier: GPL-2.0
/* Whether files of a process are there for who may not trace it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "proc/untraced.h"

static const char *const files[] = {
	"pagemap", "maps", "smaps", "smaps_rollup", "numa_maps",
};

#define NR_FILES	(sizeof(files) / sizeof(files[0]))

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
	struct __user_cap_data_struct caps[2];
	int fd, opened = 0;

	if (syscall(SYS_capget, &header, caps) ||
	    !(caps[0].permitted & 1U << CAP_SYS_PTRACE))
		return 0;
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
	return opened;
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
		_exit(open_without_right(paths));
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

bool untraced_opens(const char *file)
{
	static int opened = -1;

	if (opened < 0)
		opened = try_in_child();
	for (size_t i = 0; i < NR_FILES; i++)
		if (!strcmp(files[i], file))
			return opened >> i & 1;
	return false;
}
