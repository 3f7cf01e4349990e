/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/map_files: a link for each mapping of a file. */
#ifndef PTWALK_PROC_MAP_FILES_H
#define PTWALK_PROC_MAP_FILES_H

#include <stdio.h>
#include <sys/types.h>

/*
 * The links of process @pid as lines of maps with no more than ends and names;
 * "?" is a name too long to be read. Returns NULL with a negative errno in @err,
 * or with 0 there if the process has none: its first thread has ended.
 */
FILE *map_files_fopen(pid_t pid, int *err);

#endif /* PTWALK_PROC_MAP_FILES_H */
