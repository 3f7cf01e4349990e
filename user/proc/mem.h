/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the memory of a process as a debugger does; that of ptwalk itself also
 * where the kernel refuses to read it.
 */
#ifndef PTWALK_PROC_MEM_H
#define PTWALK_PROC_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PEEK_BYTES	(256UL << 10)	/* most that is read at once */

/**
 * struct peek - a process whose memory is read
 * @pid: It.
 * @mem: Its /proc/PID/mem.
 * @self: It is ptwalk itself...
 * @pipe: ...whose memory goes through this, which doesn't mind what isn't there.
 * @page_size: Of the base page.
 * @virt: PEEK_BYTES twice, for what is read, aligned to eight bytes; all of the
 *	buffers are there from the beginning on.
 * @phys: The same for what is read elsewhere.
 * @buffers: All four, with @buffers_size.
 * @stack: The last byte of our stack that is written to between two reads.
 */
struct peek {
	pid_t pid;
	int mem;
	bool self;
	int pipe[2];
	uint64_t page_size;
	char *virt[2], *phys[2];
	char *buffers;
	size_t buffers_size;
	uint64_t stack;
};

/*
 * Opens the memory of @pid. @frame is that of the function whose stack, with all
 * below it, changes while memory is read. Returns 0 or a
 * negative errno, see base/error.h. Close it in any case.
 */
int peek_open(struct peek *peek, pid_t pid, uint64_t page_size,
	      const void *frame);
void peek_close(struct peek *peek);

/* The same anew: after an exec, an open one is about the memory that was. */
int peek_reopen(struct peek *peek);

/* Whether a page is of our own and written to between two reads. */
bool peek_is_own(const struct peek *peek, uint64_t addr);

/*
 * Reads @nr pages; returns how many could be read, from the first one on.
 * *@refused: not even that one, and never. @special: the kernel has no page
 * behind them that /proc/PID/mem could read; only our own are read then.
 */
size_t peek_virtual(struct peek *peek, uint64_t addr, size_t nr, bool special,
		    char *buf, bool *refused);

#endif /* PTWALK_PROC_MEM_H */
