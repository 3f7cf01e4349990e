/* SPDX-License-Identifier: GPL-2.0 */
/* Rings of io_uring that a process has open, and the buffers registered with them. */
#ifndef PTWALK_PROC_URING_H
#define PTWALK_PROC_URING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "proc/pids.h"

/**
 * struct uring_buffer - memory registered with a ring (IORING_REGISTER_BUFFERS)
 * @fd: Descriptor of the ring in the process.
 * @index: Of the buffer in the ring.
 * @addr: Its first address in the memory of whoever registered it.
 * @length: In bytes.
 */
struct uring_buffer {
	int fd;
	unsigned int index;
	uint64_t addr, length;
};

/**
 * enum uring_state - what reading a ring came to
 * @URING_GONE: The descriptor is none of a ring any more.
 * @URING_BUSY: Somebody worked with it each time.
 * @URING_STRANGE: It lists what isn't understood.
 * @URING_READ: It was read.
 */
enum uring_state {
	URING_GONE,
	URING_BUSY,
	URING_STRANGE,
	URING_READ
};

/**
 * struct uring - a ring
 * @fd: Its descriptor in the process.
 * @state: The rest is only of one that was read, but for @strange.
 * @buffer: What is registered, in ascending order of the index.
 * @files: Files registered with it; they are no memory.
 * @kernel: Buffers of the kernel (IO_REGISTER_BVEC of ublk): no process has them.
 * @strange: The line that isn't understood, as far as there is room.
 */
struct uring {
	int fd;
	enum uring_state state;
	struct uring_buffer *buffer;
	size_t nr, max;
	uint64_t files, kernel;
	char strange[80];
};

/* Whether a link of /proc/PID/fd is of a ring. */
bool uring_link(const char *target);

/*
 * Reads the ring @fd of process @pid into @ring, which has nothing yet. Returns 0 or a
 * negative errno, for which procs_gone() has an answer.
 */
int uring_read(struct uring *ring, pid_t pid, int fd);
void uring_free(struct uring *ring);

/*
 * Whether two descriptors of a process, by its thread @tid, are the same ring, as after
 * dup(). Not where the kernel doesn't tell, see uring_sharers().
 */
bool uring_same(pid_t tid, int a, int b);

/**
 * struct uring_owner - a descriptor of a ring
 * @pid: The process; its PID is that of its first thread.
 * @fd: The descriptor; -1: those of the process can't be read.
 */
struct uring_owner {
	pid_t pid;
	int fd;
};

/**
 * struct uring_owners - those of all processes, as they were when they were read; all zero
 *	at first
 * @owner: In ascending order of the PIDs.
 * @is_read: They were.
 */
struct uring_owners {
	struct uring_owner *owner;
	size_t nr, max;
	bool is_read;
};

/*
 * Reads them, anew if they were before. Returns 0, 1 once *@stop isn't 0 any more, or a
 * negative errno, see base/error.h: then nothing has changed. @stop may be NULL.
 */
int uring_owners_read(struct uring_owners *all, const volatile sig_atomic_t *stop);
void uring_owners_free(struct uring_owners *all);

/* Whether process @pid had the ring @fd then. */
bool uring_owners_have(const struct uring_owners *all, pid_t pid, int fd);

/*
 * Adds to @out, which is empty, those of @all that still have the ring @fd of process @pid,
 * too, as a child has, in ascending order. Also where the kernel doesn't tell (kcmp()
 * without CONFIG_KCMP, or without the right), and those whose descriptors couldn't be read,
 * @unread of them. Returns 0 or a negative errno, see base/error.h.
 */
int uring_sharers(struct pids *out, size_t *unread, const struct uring_owners *all, pid_t pid,
		  int fd);

/*
 * The part that only parses the fdinfo of @ring->fd. Returns 0, or a negative errno:
 * -EAGAIN of a ring that was busy, and -EINVAL of one with a line that isn't understood.
 * Whatever it is, @ring->state says so.
 */
int uring_parse(FILE *fdinfo, struct uring *ring);

#endif /* PTWALK_PROC_URING_H */
