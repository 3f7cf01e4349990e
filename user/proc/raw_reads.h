/* SPDX-License-Identifier: GPL-2.0 */
/* Reads of a file of /proc as they are, for trials of how it answers them. */
#ifndef PTWALK_PROC_RAW_READS_H
#define PTWALK_PROC_RAW_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What pread() of @size bytes at @at came to, or a negative errno. */
ssize_t raw_pread(int fd, void *buf, size_t size, uint64_t at);

/* The same of read(), and by how much the position has moved on, in @moved. */
ssize_t raw_read(int fd, void *buf, size_t size, uint64_t at, int64_t *moved);

/*
 * Whether the page at @addr is one that we may map, or have mapped: it is an address of
 * our memory. Where it is false, it may be one all the same.
 */
bool raw_maps(uint64_t addr);

#endif /* PTWALK_PROC_RAW_READS_H */
