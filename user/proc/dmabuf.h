/* SPDX-License-Identifier: GPL-2.0 */
/* Who has made a dma-buf: the name of its exporter, as the kernel has it. */
#ifndef PTWALK_PROC_DMABUF_H
#define PTWALK_PROC_DMABUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define DMABUF_EXPORTER	64

/* Whether a mapping of this name in maps is one of a dma-buf. */
bool dmabuf_is(const char *name);

/*
 * The exporter of the dma-buf with the inode number @inode, which process @pid maps, in
 * @exporter: by fdinfo of a descriptor that the process has of it, or by dma_buf/bufinfo in
 * debugfs, where that is mounted. Returns false if neither tells.
 */
bool dmabuf_exporter(pid_t pid, uint64_t inode, char exporter[DMABUF_EXPORTER]);

/*
 * Whether there is a dma-buf of @exporter, a driver of that name with a node of its own, or
 * may be one; and *@bytes of the smallest one, by dma_buf/bufinfo, 0 if that can't be read.
 */
bool dmabuf_may_be_of(const char *exporter, uint64_t *bytes);

/*
 * For tests: the same by the text of fdinfo, and by that of bufinfo. Return 1 if it tells,
 * 0 if it doesn't, or a negative errno.
 */
int dmabuf_parse_fdinfo(FILE *stream, char exporter[DMABUF_EXPORTER]);
int dmabuf_parse_bufinfo(FILE *stream, uint64_t inode, char exporter[DMABUF_EXPORTER]);

#endif /* PTWALK_PROC_DMABUF_H */
