/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups: their folders, and the processes in them. */
#ifndef PTWALK_PROC_CGROUPS_H
#define PTWALK_PROC_CGROUPS_H

#include <stddef.h>
#include <stdint.h>
#include "proc/pids.h"

/*
 * The folder of the group @path in @dir, of @size bytes: a folder of cgroupfs, or the
 * path of a group as /proc/PID/cgroup has it, or a line of that, of the memory
 * controller where that has a hierarchy of its own. Returns 0 or a negative errno.
 */
int cgroup_find(const char *path, char *dir, size_t size);

/*
 * The path in a line of /proc/PID/cgroup, "0::/path" or "4:memory:/path" of version 1,
 * and in *@version which one's; NULL: it is no such line, or not of memory.
 */
const char *cgroup_line_path(const char *line, int *version);

/*
 * Adds the processes of the group in @dir and of all below it to @pids, those that
 * this PID namespace has numbers for; *@hidden counts the others. Returns 0 or a
 * negative errno, see base/error.h.
 */
int cgroup_pids(const char *dir, struct pids *pids, uint64_t *hidden);

/**
 * struct cgroups - the groups that the memory of pages can be charged to
 * @group: In the order of their inode numbers.
 */
struct cgroups {
	struct cgroup {
		uint64_t inode;
		char *path;
	} *group;
	size_t nr, max;
};

/* Reads all that are mounted. What can't be read is left out. */
void cgroups_read(struct cgroups *groups);

/* The path of the group in its hierarchy, beginning with a slash; or NULL. */
const char *cgroups_path(const struct cgroups *groups, uint64_t inode);
void cgroups_free(struct cgroups *groups);

/* The charge of the group in @dir, in bytes; -1 if it isn't told. */
int64_t cgroup_charge(const char *dir);

#endif /* PTWALK_PROC_CGROUPS_H */
