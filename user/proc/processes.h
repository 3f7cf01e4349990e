/* SPDX-License-Identifier: GPL-2.0 */
/* Processes as /proc shows them, and why one may be hidden. */
#ifndef PTWALK_PROC_PROCESSES_H
#define PTWALK_PROC_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * enum procs_state - what can be seen of a process
 * @PROCS_THERE: It lives, or at least one of its threads does.
 * @PROCS_NONE: There is no such process.
 * @PROCS_HIDDEN: There is, but /proc doesn't show it to us.
 * @PROCS_KERNEL: A kernel thread.
 * @PROCS_ENDED: It has exited, and its parent hasn't asked for the status.
 */
enum procs_state {
	PROCS_THERE,
	PROCS_NONE,
	PROCS_HIDDEN,
	PROCS_KERNEL,
	PROCS_ENDED,
	NR_PROCS_STATES
};

/* For people, to follow "process N: "; NULL for PROCS_THERE. */
extern const char *const procs_state_text[NR_PROCS_STATES];

enum procs_state procs_state(pid_t pid);

/*
 * Before anything else is asked of processes: whether /proc is there, and its
 * PIDs are those that the module knows, the ones of our own PID namespace.
 * Returns 0 or a negative errno, see base/error.h.
 */
int procs_ready(void);

/* Whether there is memory to look at; as procs_ready() otherwise. */
int procs_look(pid_t pid);

/* Why /proc doesn't list all processes, or NULL. */
const char *procs_hidden(void);

/* Whether a thread of a process hasn't ended. */
bool procs_thread_lives(pid_t pid, pid_t tid);

/*
 * The first thread if it lives, else another one that does and isn't one of the kernel's
 * own, else 0; or a negative errno.
 */
pid_t procs_living_thread(pid_t pid);

/* Whether a signal has stopped it. */
bool procs_stopped(pid_t pid);

/*
 * The PID that was given last to a process or thread, or -1 if it can't be read
 * (/proc/loadavg): another one later shows that there are new ones.
 */
pid_t procs_newest(void);

/* Who traces a thread of it, or 0. */
pid_t procs_tracer(pid_t pid, pid_t tid);

/*
 * Opens /proc/@pid/@file for reading. When the first thread has exited, the
 * address space is that of the others: the file is one of theirs then. Returns
 * a descriptor or a negative errno, for which procs_gone() has an answer.
 */
int procs_open(pid_t pid, const char *file);

/* The same as a stream; NULL, with the errno in *@err, without one. */
FILE *procs_fopen(pid_t pid, const char *file, int *err);

/*
 * Whether @err, a negative errno of opening or reading a file of a process,
 * means that the process, or the address space that the file is about, is
 * gone. Anything else is to be told.
 */
bool procs_gone(pid_t pid, int err);

/* Whether both are the same process, or threads of one. */
bool procs_same(pid_t a, pid_t b);

/*
 * Whether the process of thread @a was started before that of thread @b; of two that were
 * in the same tick of the clock, whether its PID is lower. One that is gone was before
 * none, and all others before it.
 */
bool procs_started_before(pid_t a, pid_t b);

/* Its name; empty if it is gone. */
void procs_comm(pid_t pid, char *buf, size_t size);

/*
 * A number for the address space of this moment, which an exec changes (unless
 * addresses aren't randomized); 0 if it can't be told.
 */
uint64_t procs_space(pid_t pid);

/* The same, with whose it is in *@tid: that of the first thread, or of one that lives. */
uint64_t procs_space_of(pid_t pid, pid_t *tid);

/*
 * A number that stays the same as long as no thread of a process runs, if all
 * of them sleep, are stopped, or have ended; else 0, as for very many threads.
 */
uint64_t procs_asleep(pid_t pid);

/* The parts that only parse, for tests. */

/* State letter and flags of a line of /proc/PID/stat; false: not understood. */
bool procs_parse_stat(const char *line, char *state, unsigned int *flags);

/* When it was started, in ticks since boot, by the same line; false: not understood. */
bool procs_parse_started(const char *line, uint64_t *ticks);

/*
 * Whether the status of a thread says that it sleeps, is stopped, or has ended;
 * *@switches receives how often it has been switched out.
 */
bool procs_parse_asleep(FILE *status, uint64_t *switches);

/* @sum, odd and 1 at first, with one thread more that has been switched so often; odd. */
uint64_t procs_add_asleep(uint64_t sum, pid_t tid, uint64_t switches);

/*
 * Whether the line NSpid of /proc/self/status tells of one PID namespace, in @one.
 * Returns 0 or a negative errno.
 */
int procs_parse_nspid(FILE *status, bool *one);

/**
 * struct procs_mount - how /proc is mounted
 * @hides: It shows only processes that one may look into.
 * @gid: But all to this group; meaningless with @strict.
 * @strict: To no group (hidepid=ptraceable).
 */
struct procs_mount {
	bool hides, strict;
	gid_t gid;
};

/* Returns 0 or a negative errno. */
int procs_parse_mount(FILE *mountinfo, struct procs_mount *mount);

#endif /* PTWALK_PROC_PROCESSES_H */
