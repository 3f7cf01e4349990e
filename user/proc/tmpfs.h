/* SPDX-License-Identifier: GPL-2.0 */
/* The mounts of tmpfs, and what they say of transparent huge pages. */
#ifndef PTWALK_PROC_TMPFS_H
#define PTWALK_PROC_TMPFS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include "proc/thp.h"

/**
 * struct tmpfs_mount - a mount of tmpfs
 * @dev_major: Of the device of its files, with @dev_minor.
 * @huge: Its option huge=, THP_NEVER without.
 */
struct tmpfs_mount {
	unsigned int dev_major, dev_minor;
	enum thp_mode huge;
};

/**
 * struct tmpfs_mounts - those that a process sees
 * @mount: They, @nr of them.
 * @dev_major: Of the kernel's own mount, with @dev_minor: there are memfds, System V
 *	shared memory, and anonymous memory that is mapped shared. It is in no list.
 * @has_own: It is known.
 */
struct tmpfs_mounts {
	struct tmpfs_mount *mount;
	size_t nr, max;
	unsigned int dev_major, dev_minor;
	bool has_own;
};

/* Takes a mountinfo to its end. Returns 0 or a negative errno. */
int tmpfs_parse(FILE *mountinfo, struct tmpfs_mounts *mounts);

/*
 * Reads that of @pid, and learns the kernel's own; what isn't for us stays unknown.
 * Returns 0 or a negative errno.
 */
int tmpfs_read(pid_t pid, struct tmpfs_mounts *mounts);
void tmpfs_free(struct tmpfs_mounts *mounts);

/*
 * What decides of shared memory on this device: shmem_enabled, or the mount's
 * huge=, of which "deny" and "force" make nothing. THP_UNKNOWN: no such mount is
 * known; @mounts may be NULL. (shmem_allowable_huge_orders())
 */
enum thp_mode tmpfs_mode(const struct tmpfs_mounts *mounts,
			 const struct thp_settings *settings,
			 unsigned int dev_major, unsigned int dev_minor);

#endif /* PTWALK_PROC_TMPFS_H */
