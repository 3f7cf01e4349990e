/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/map_files: a link for each mapping of a file. */
#ifndef PTWALK_PROC_MAP_FILES_H
#define PTWALK_PROC_MAP_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * The links of process @pid as lines of maps with no more than ends and names;
 * "?" is a name too long to be read. Returns NULL with a negative errno in @err.
 */
FILE *map_files_fopen(pid_t pid, int *err);

/*
 * The file of the mapping of process @pid with these ends, as O_PATH: no device and no
 * pipe is opened, which alone may do something. Returns a descriptor or a negative errno.
 */
int map_files_open(pid_t pid, uint64_t start, uint64_t last);

#endif /* PTWALK_PROC_MAP_FILES_H */
