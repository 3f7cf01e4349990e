/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has open: links of /proc/PID/fd. */
#ifndef PTWALK_PROC_DESCRIPTORS_H
#define PTWALK_PROC_DESCRIPTORS_H

#include <sys/types.h>

/*
 * Calls @take with each descriptor of process @pid and the target of its link, until that
 * returns other than 0. Returns that, or a negative errno, for which procs_gone() has an
 * answer. Targets of 64 bytes or more are left out.
 */
int descriptors_each(pid_t pid, int (*take)(int fd, const char *target, void *arg), void *arg);

#endif /* PTWALK_PROC_DESCRIPTORS_H */
