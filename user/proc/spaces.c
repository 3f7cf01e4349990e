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
#include "proc/pids.h"
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

/*
 * 0 if they have one address space, more if not, -1 if that can't be told.
 * Threads that have exited have none, and would all be the same.
 */
static int compare_spaces(pid_t a, pid_t b)
{
	pid_t x = procs_living_thread(a), y = procs_living_thread(b);
	int found = x && y ? syscall(SYS_kcmp, x, y, KCMP_VM, 0, 0) : -1;

	return procs_thread_lives(a, x) && procs_thread_lives(b, y) ? found : -1;
}

pid_t spaces_add(struct spaces *spaces, pid_t pid)
{
	const struct space this = { pid, procs_space(pid) };

	if (!this.number)
		return 0;
	for (size_t i = 0; i < spaces->nr; i++)
		if (spaces->space[i].number == this.number &&
		    !compare_spaces(spaces->space[i].pid, pid))
			return spaces->space[i].pid;
	if (array_room(&spaces->space, &spaces->max, spaces->nr + 1,
		       sizeof(this)))
		spaces->space[spaces->nr++] = this;
	return 0;
}

bool space_may_be_shared(pid_t pid)
{
	const uint64_t number = procs_space(pid);
	struct pids all = { 0 };
	bool shared = !number || pids_add_all(&all);
	size_t i;

	for (i = 0; !shared && i < all.nr; i++)
		shared = all.pid[i] != pid &&
			 procs_space(all.pid[i]) == number &&
			 compare_spaces(all.pid[i], pid) <= 0;
	pids_free(&all);
	return shared;
}

void spaces_free(struct spaces *spaces)
{
	free(spaces->space);
	memset(spaces, 0, sizeof(*spaces));
}
