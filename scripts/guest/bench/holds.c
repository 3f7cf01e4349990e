// SPDX-License-Identifier: GPL-2.0
/*
 * The longest hold of the target's mmap lock, by the kernel's own tracepoints,
 * which not every kernel has. The time-stamp counter of an emulated processor
 * whose clock counts instructions counts these, too; elsewhere the trace has
 * microseconds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench.h"

#define TRACING	"/sys/kernel/tracing"
/* A buffer of its own, with a clock of its own. */
#define TRACE	TRACING "/instances/ptwalk-bench/"
#define EVENTS	TRACE "events/mmap_lock/"
#define SWITCH	TRACE "events/sched/sched_switch/enable"

/* Tasks whose holds are followed at a time. */
#define TASKS	64

static void trace_begin(void)
{
	write_file(TRACE "trace_clock", times ? "mono" : "x86-tsc");
	write_file(TRACE "buffer_size_kb", "65536");
	write_file(TRACE "trace", "\n");
	write_file(EVENTS "mmap_lock_acquire_returned/enable", "1");
	write_file(EVENTS "mmap_lock_released/enable", "1");
	write_file(SWITCH, "1");
}

static void trace_end(void)
{
	write_file(SWITCH, "0");
	write_file(EVENTS "mmap_lock_acquire_returned/enable", "0");
	write_file(EVENTS "mmap_lock_released/enable", "0");
}

/**
 * struct event - a line of the trace
 * @task: PID.
 * @at: When: in nanoseconds, or as the counter has it.
 * @mm: Whose lock, as a number that stands for it; empty if another task got the
 *	processor.
 * @taken: The lock was taken, not released.
 * @next: The task that got the processor, of one that would have gone on: @preempted.
 */
struct event {
	int task, next;
	unsigned long long at;
	char mm[24];
	bool taken, preempted;
};

/**
 * struct hold - of a task
 * @task: PID.
 * @since: When it took the lock; 0 if it hasn't.
 * @away: Since when another task has its processor; 0 if none has.
 */
struct hold {
	int task;
	unsigned long long since, away;
};

static bool parse(char *line, struct event *e)
{
	char *mm = strstr(line, " mm="), *next = strstr(line, " next_pid=");
	char *flags = strstr(line, " ["), *time = flags;

	if (*line == '#' || (!mm && !next) || !flags)
		return false;
	while (time > line && time[-1] != '-')
		time--;
	e->task = atoi(time);
	time = strchr(flags + 2, ' ');		/* behind the CPU */
	time += strspn(time, " ");
	time += strcspn(time, " ");		/* and the flags */
	e->at = strtoull(time, &time, 10);
	if (*time == '.')
		e->at = e->at * 1000000000 + strtoull(time + 1, NULL, 10) * 1000;
	e->taken = strstr(line, "mmap_lock_acquire_returned:");
	*e->mm = '\0';
	e->preempted = strstr(line, " prev_state=R");
	return next ? sscanf(next, " next_pid=%d", &e->next) == 1 :
		      sscanf(mm, " mm=%23s", e->mm) == 1;
}

/* That of a task, or room for it; NULL if there is none. */
static struct hold *hold_of(struct hold *hold, int task)
{
	struct hold *free = NULL;

	for (int i = 0; i < TASKS; i++) {
		if (hold[i].task == task)
			return &hold[i];
		if (!free && !hold[i].since)
			free = &hold[i];
	}
	if (free)
		*free = (struct hold){ .task = task };
	return free;
}

static void switched(struct hold *hold, const struct event *e)
{
	for (int i = 0; i < TASKS; i++) {
		if (!hold[i].since)
			continue;
		if (hold[i].task == e->task && e->preempted)
			hold[i].away = e->at;
		if (hold[i].task != e->next || !hold[i].away)
			continue;
		hold[i].since += e->at - hold[i].away;
		hold[i].away = 0;
	}
}

/* Ours is the lock that this process took itself when the trace began. */
static uint64_t longest_hold(void)
{
	struct hold hold[TASKS] = { 0 }, *of;
	FILE *trace = fopen(TRACE "trace", "r");
	char line[512], mm[24] = "";
	uint64_t longest = 0;
	struct event e;

	if (!trace)
		fail("trace");
	while (fgets(line, sizeof(line), trace)) {
		if (!parse(line, &e))
			continue;
		if (!*e.mm) {
			switched(hold, &e);
			continue;
		}
		if (!*mm && e.task == getpid())
			strcpy(mm, e.mm);
		if (strchr(mm, '_')) {
			fprintf(stderr, "bench: the trace doesn't tell address spaces apart\n");
			exit(1);
		}
		if (!*mm || strcmp(mm, e.mm) || e.task == getpid())
			continue;
		of = hold_of(hold, e.task);
		if (!of)
			continue;
		if (!e.taken && of->since && e.at - of->since > longest)
			longest = e.at - of->since;
		of->since = e.taken ? e.at : 0;
		of->away = 0;
	}
	fclose(trace);
	return longest;
}

void holds_restore(void)
{
	rmdir(TRACE);
}

/* Whether the kernel has the events; makes the buffer. */
static bool tracing(void)
{
	static bool made;
	char random;

	if (made)
		return true;
	/* Before that, the trace has "(____ptrval____)" for each address space. */
	if (getrandom(&random, 1, 0) != 1)
		fail("getrandom");
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	if ((mkdir(TRACE, 0700) && errno != EEXIST) || access(EVENTS, F_OK)) {
		if (!times)
			fail(EVENTS);
		fprintf(stderr, "bench: this kernel has no events of the mmap lock\n");
		return false;
	}
	made = true;
	return true;
}

uint64_t holds_of(const char *const argv[])
{
	if (!tracing())
		return 0;
	trace_begin();
	munmap(map_pages(page_size, PROT_READ, 0), page_size);
	command_run(argv, NULL);
	trace_end();
	return longest_hold();
}

void bench_holds(void)
{
	static const struct {
		const char *name;
		const char *argv[ARGUMENTS];
	} commands[] = {
		{ "hold-dump", { "ptwalk", "dump", "--summary", NULL } },
		{ "hold-check", { "ptwalk", "check", "--known-bugs", "--source",
				  "pagemap,pagemap-4k,pagemap-unaligned,pagemap-scan,"
				  "pagemap-scan-written,pagemap-scan-pieces,pagemap-scan-filters,move_pages,"
				  "kpageflags,kpagecount,kpagecgroup", NULL } },
		/* These hold it for a mapping, whoever reads them. */
		{ "hold-files", { "sh", "-c", "cd /proc/$0 && "
				  "cat maps smaps smaps_rollup numa_maps", NULL } },
		{ "hold-default", { "ptwalk", "check", NULL } },
	};
	const char *argv[ARGUMENTS] = { NULL };
	char pid[16];

	if (!tracing())
		return;
	snprintf(pid, sizeof(pid), "%d", getpid());
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		memcpy(argv, commands[i].argv, sizeof(argv));
		for (int j = 0; j < ARGUMENTS; j++)
			if (!argv[j]) {
				argv[j] = pid;
				break;
			}
		result(commands[i].name, holds_of(argv));
	}
}
