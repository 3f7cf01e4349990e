// SPDX-License-Identifier: GPL-2.0
/* Address spaces that several processes have in common. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/kcmp.h>
#include "base/array.h"
#include "proc/processes.h"
#include "proc/spaces.h"

/**
 * struct space - an address space
 * @pid: The first process that had it.
 * @number: Its procs_space(): those of different numbers need no kcmp().
 */
struct space {
	pid_t pid;
	uint64_t number;
};

/* Threads that have exited have none, and would all be the same. */
static bool is_same(pid_t a, pid_t b)
{
	pid_t x = procs_living_thread(a), y = procs_living_thread(b);

	return x && y && !syscall(SYS_kcmp, x, y, KCMP_VM, 0, 0) &&
	       procs_thread_lives(a, x) && procs_thread_lives(b, y);
}

pid_t spaces_add(struct spaces *spaces, pid_t pid)
{
	const struct space this = { pid, procs_space(pid) };

	if (!this.number)
		return 0;
	for (size_t i = 0; i < spaces->nr; i++)
		if (spaces->space[i].number == this.number &&
		    is_same(spaces->space[i].pid, pid))
			return spaces->space[i].pid;
	if (array_room(&spaces->space, &spaces->max, spaces->nr + 1,
		       sizeof(this)))
		spaces->space[spaces->nr++] = this;
	return 0;
}

void spaces_free(struct spaces *spaces)
{
	free(spaces->space);
	memset(spaces, 0, sizeof(*spaces));
}
