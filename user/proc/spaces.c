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
 * @pid: The first process that had it, and @tid a thread of it that lived then.
 * @number: Its procs_space(): those of different numbers need no kcmp().
 */
struct space {
	pid_t pid, tid;
	uint64_t number;
};

/* What kcmp() says of two that differ, in an order of the kernel's. */
enum { SPACE_LESS = 1, SPACE_GREATER };

/*
 * 0 if they have one address space, SPACE_LESS or more if not, -1 if that can't be
 * told. Threads that have exited have none, and would all be the same.
 */
static int compare_spaces(pid_t a, pid_t b)
{
	pid_t x = procs_living_thread(a), y = procs_living_thread(b);
	int found = x > 0 && y > 0 ? syscall(SYS_kcmp, x, y, KCMP_VM, 0, 0) : -1;

	return procs_thread_lives(a, x) && procs_thread_lives(b, y) ? found : -1;
}

/*
 * The same of two that are kept, without a look at all threads: one that has exited
 * meanwhile has no address space, and is like no other but another such one.
 */
static int compare_kept(const struct space *a, const struct space *b)
{
	int found = a->tid && b->tid ?
		    syscall(SYS_kcmp, a->tid, b->tid, KCMP_VM, 0, 0) : -1;

	return found > 0 ? found : compare_spaces(a->pid, b->pid);
}

/* The first one that has @number or a higher one, or the end. */
static size_t first_space(const struct spaces *spaces, uint64_t number)
{
	return array_from(spaces->space, spaces->nr, number, number);
}

static size_t search_all(const struct spaces *spaces, const struct space *this,
			 bool *same)
{
	size_t i = first_space(spaces, this->number);

	for (; i < spaces->nr && spaces->space[i].number == this->number; i++) {
		*same = !compare_kept(this, &spaces->space[i]);
		if (*same)
			break;
	}
	return i;
}

/*
 * Where @this is or belongs among those that have its number; processes that one
 * has forked have all the same. Once an order can't be told, as a process went
 * away, there is none any more.
 */
static size_t search_space(struct spaces *spaces, const struct space *this, bool *same)
{
	size_t low = first_space(spaces, this->number);
	size_t high = this->number == UINT64_MAX ? spaces->nr :
		      first_space(spaces, this->number + 1);

	while (!spaces->unordered && low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_kept(this, &spaces->space[middle]);

		*same = !order;
		if (*same)
			return middle;
		if (order == SPACE_LESS)
			high = middle;
		else if (order == SPACE_GREATER)
			low = middle + 1;
		else
			spaces->unordered = true;
	}
	return spaces->unordered ? search_all(spaces, this, same) : low;
}

pid_t spaces_add(struct spaces *spaces, pid_t pid)
{
	struct space this = { .pid = pid };
	bool same = false;
	size_t at;

	this.number = procs_space_of(pid, &this.tid);
	if (!this.number)
		return 0;
	at = search_space(spaces, &this, &same);
	if (same)
		return spaces->space[at].pid;
	if (!array_room(&spaces->space, &spaces->max, spaces->nr + 1, sizeof(this)))
		return 0;
	memmove(&spaces->space[at + 1], &spaces->space[at],
		(spaces->nr++ - at) * sizeof(this));
	spaces->space[at] = this;
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
