/* SPDX-License-Identifier: GPL-2.0 */
/* Processes to test with, programs to run, modules to load. */
#ifndef PTWALK_TEST_SYSTEM_H
#define PTWALK_TEST_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct target - a process that does a step when told to, and else holds still
 * @pid: The process.
 * @in: Steps are told here.
 * @out: And done here.
 */
struct target {
	pid_t pid;
	int in, out;
};

/* Kills and reaps a child; nothing where fork() failed: kill(-1) is everybody. */
void process_end(pid_t pid);

/*
 * Starts a process that calls @step with 0 and returns when that is done; each
 * target_step() calls it again with the next number. It ends with its parent.
 */
int target_start(struct target *t, void (*step)(void *arg, int nr), void *arg);
int target_step(struct target *t);
/* Kills and reaps the process. */
void target_end(struct target *t);

/*
 * What this process executes from now on is always at the same addresses. An
 * emulator that has translated a program once does so no more, which was the
 * half of the time that tests take. Not for processes to be looked at.
 */
void exec_without_aslr(void);

/**
 * struct output - what a program printed, out and err in one
 * @text: As a string; cut when longer.
 * @status: Its exit status, or 128 and the signal; -1 if it didn't start.
 * @peak: The most memory that it had, in KiB; no less than the caller's before.
 */
struct output {
	char text[1024 * 1024];
	int status;
	long peak;
};

/*
 * Runs a program and waits for it. The caller's memory isn't touched by it: no
 * page becomes copy-on-write. @uid is whom it shall run as; 0 for the caller.
 */
void run_as(struct output *out, uid_t uid, const char *const *argv);

/* run(&out, "modprobe", "zram"): as above, without the array. */
#define run(out, ...) \
	run_as(out, 0, (const char *const []){ __VA_ARGS__, NULL })

/* Whether the kernel is of this version or newer. */
bool kernel_since(unsigned int major, unsigned int minor);

/* Whether there is a bit for that: of x86, not each processor has it. */
bool processor_can_forbid_execution(void);

/* Whether the kernel makes use of it (Documentation/kernel-bugs/x86-pae-nx.txt). */
bool kernel_forbids_execution(void);

/* 0 or a negative errno; -ENOENT when there is no such file. */
int module_load(const char *name);
/* The same with these parameters; those are for a module of ours only. */
int module_load_with(const char *name, const char *params);
int module_unload(const char *name);
/* Whether it is loaded as a module, and not built in or missing. */
bool module_loaded(const char *name);
/* Whether make kselftest-install has put it beside the program. */
bool module_is_beside(const char *name);
/*
 * Whether entries tell how memory is cached. Those of riscv mostly leave it to the address,
 * and those of s390 always.
 */
#if defined(__riscv) || defined(__s390x__)
#define ENTRIES_TELL_CACHING	0
#else
#define ENTRIES_TELL_CACHING	1
#endif

/* Whether the running kernel has a file for it. */
bool module_file_exists(const char *name);
/* Whether these bytes are in that file. */
bool module_file_has(const char *name, const char *text);
/* Its reference count, or -1. */
int module_references(const char *name);
/*
 * The same when those that are on their way out are gone: @wanted of them, or
 * however many there are after half a minute. Sockets that are closed in the
 * middle of a dump give theirs back when the kernel gets to it.
 */
int module_settles(const char *name, int wanted);

/*
 * Stays on one processor: what the kernel takes from it (pages to be pushed
 * out or moved, say) may not wait in a list of another one.
 */
void stay_on_cpu(void);

/* CLOCK_MONOTONIC, in seconds. */
double seconds_now(void);

#endif /* PTWALK_TEST_SYSTEM_H */
