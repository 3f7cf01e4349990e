/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces that several processes have in common, though they are no
 * threads of one process: after vfork() or clone(CLONE_VM).
 */
#ifndef PTWALK_PROC_SPACES_H
#define PTWALK_PROC_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "proc/processes.h"

struct space;

/**
 * struct spaces - those that were seen; all zero is a valid empty list
 * @space: In ascending order of their numbers, and among those that have the same
 *	in the kernel's, unless @unordered.
 */
struct spaces {
	struct space *space;
	size_t nr, max;
	bool unordered;
};

/*
 * The process given before whose address space @pid has now; or 0, also where
 * the kernel doesn't tell (kcmp() without CONFIG_KCMP, or without the right to
 * trace both): @pid is remembered then, unless memory runs out.
 */
pid_t spaces_add(struct spaces *spaces, pid_t pid);
void spaces_free(struct spaces *spaces);

/* Whether another process may have the address space of @pid. Reads all of /proc. */
bool space_may_be_shared(pid_t pid);

/*
 * Whether nobody who could change the address space of @pid has run since
 * procs_asleep() returned @then.
 */
static inline bool space_has_slept(pid_t pid, uint64_t then)
{
	/* The latter reads all of /proc: only where it matters. */
	return then && procs_asleep(pid) == then && !space_may_be_shared(pid);
}

#endif /* PTWALK_PROC_SPACES_H */
