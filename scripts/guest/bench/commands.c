// SPDX-License-Identifier: GPL-2.0
/* What commands cost, in instructions and in memory. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

/*
 * How often a command is run, to take the least: the rest is the kernel's own,
 * and what was waited for. A long one is run less often, until all take ENOUGH,
 * but twice.
 */
#define RUNS	9
#define ENOUGH	1000000000ull

/* So many ticks before each run, the kernel has done what the last one left to do. */
#define TICKS	4

/* And so long it sleeps before these, which costs no instructions. */
#define CLEANUP_NS	500000000l

#define PROCESSES	500

/* Of those that are checked all. */
#define MANY		300

/**
 * struct way - a command that reads the memory
 * @name: What is printed of it.
 * @set: When it is run.
 * @whole: It reads the whole process, so that what it takes for one that has next to
 *	nothing is taken out, not what it takes for a page.
 * @argv: The command; PID and RANGE stand for those of the memory, PAGES for
 *	the range as page-types has it.
 */
static const struct way {
	const char *name;
	unsigned int set;
	bool whole;
	const char *argv[ARGUMENTS];
} ways[] = {
	{ "dump", SET_BULK, false,
	  { "ptwalk", "dump", "--summary", "PID", "RANGE" } },
	{ "text", SET_LINES, false, { "ptwalk", "dump", "PID", "RANGE" } },
	{ "json", SET_LINES, false,
	  { "ptwalk", "dump", "--json", "PID", "RANGE" } },
	{ "check", SET_CHECK, true, { "ptwalk", "check", "--json", "PID" } },
#define SOURCES(name, list) \
	{ "check-" name, SET_SOURCES, false, \
	  { "ptwalk", "check", "--json", "--known-bugs", "--source", \
	    list, "PID", "RANGE" } }
#define SOURCE(name) SOURCES(name, name)
	SOURCE("pagemap"),
	SOURCE("pagemap-single"),
	SOURCE("pagemap-4k"),
	/* Which scans for all categories, too, to compare. */
	SOURCES("pagemap-scan", "pagemap-scan-written"),
	SOURCE("move_pages"),
	SOURCE("kpageflags"),
	SOURCE("kpagecount"),
	SOURCE("kpagecgroup"),
#undef SOURCE
#undef SOURCES
	/* These tell of whole processes. */
	{ "check-smaps", SET_SOURCES, true,
	  { "ptwalk", "check", "--json", "--source", "smaps", "PID" } },
	{ "check-numa_maps", SET_SOURCES, true,
	  { "ptwalk", "check", "--json", "--source", "numa_maps", "PID" } },
	{ "page-types", SET_SOURCES, false,
	  { "page-types", "-p", "PID", "-a", "PAGES" } },
};

/* Of check, @with the seed that the layouts have; the random requests cost the same then. */
static const char *const *seeded(const char *const argv[], const char *with[])
{
	size_t nr = 0;

	if (!argv[1] || strcmp(argv[1], "check"))
		return argv;
	with[nr++] = *argv++;
	with[nr++] = *argv++;
	with[nr++] = "--seed";
	with[nr++] = getenv("SEED") ?: "1";
	do {
		with[nr++] = *argv;
	} while (*argv++);
	return with;
}

/* vfork(): a fork would copy the tables whose reading is measured. */
static pid_t start(const char *const argv[], const char *input)
{
	const char *with[ARGUMENTS + 2];
	int in = open("/dev/null", O_RDONLY), null = open("/dev/null", O_WRONLY);
	pid_t pid;

	if (input) {
		in = memfd_create("input", 0);
		if (in < 0 || write(in, input, strlen(input)) < 0 || lseek(in, 0, SEEK_SET))
			fail("input");
	}
	argv = seeded(argv, with);
	pid = vfork();
	if (!pid) {
		dup2(in, 0);
		dup2(null, 1);
		execvp(argv[0], (char **)argv);
		_exit(127);
	}
	close(in);
	close(null);
	if (pid < 0)
		fail("vfork");
	return pid;
}

/* Fails unless the command succeeds. */
void command_run(const char *const argv[], const char *input)
{
	pid_t pid = start(argv, input);
	int status;

	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "bench: %s %s: status %d\n", argv[0], argv[1], status);
		exit(1);
	}
}

/*
 * A run that is as long as the time between ticks has one or none, as chance has it;
 * so each begins behind one. Before, the kernel takes apart the network namespace of
 * the last run (cleanup_net()), for which it waits for RCU several times, and which
 * another one that is made meanwhile waits for.
 */
static void wait_for_ticks(void)
{
	const struct timespec cleanup = { .tv_nsec = CLEANUP_NS };
	struct timespec t, before;

	nanosleep(&cleanup, NULL);
	for (int i = 0; i < TICKS; i++) {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &before);
		do
			clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
		while (t.tv_sec == before.tv_sec && t.tv_nsec == before.tv_nsec);
	}
}

/*
 * The least of all runs, and *@spread by how much a quarter of them is above it: how
 * well the least is known. What timers and workers of the kernel add to the median
 * is no part of it.
 */
static uint64_t cost_and_spread(const char *const argv[], const char *input,
				uint64_t *spread)
{
	uint64_t cost[RUNS], begin, swap;
	int runs = 0;

	do {
		wait_for_ticks();
		begin = now();
		command_run(argv, input);
		cost[runs] = now() - begin;
		for (int i = runs++; i > 0 && cost[i - 1] > cost[i]; i--) {
			swap = cost[i];
			cost[i] = cost[i - 1];
			cost[i - 1] = swap;
		}
	} while (runs < 2 || (runs < RUNS && runs * cost[0] < ENOUGH));
	*spread = cost[(runs + 2) / 4] - cost[0];
	return cost[0];
}

uint64_t command_cost(const char *const argv[], const char *input)
{
	uint64_t spread;

	return cost_and_spread(argv, input, &spread);
}

static void fill_in(const char *const from[], pid_t of, size_t size,
		    const char *to[ARGUMENTS])
{
	static char pid[16], range[48], pages[48];
	size_t first = (uintptr_t)memory / page_size;

	snprintf(pid, sizeof(pid), "%d", of);
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)memory, size);
	snprintf(pages, sizeof(pages), "%zu,%zu", first, first + size / page_size);
	for (int i = 0; i < ARGUMENTS; i++) {
		to[i] = from[i];
		if (!to[i])
			break;
		if (!strcmp(to[i], "PID"))
			to[i] = pid;
		else if (!strcmp(to[i], "RANGE"))
			to[i] = range;
		else if (!strcmp(to[i], "PAGES"))
			to[i] = pages;
	}
}

static uint64_t cost_of(const struct way *w, pid_t pid, size_t size, uint64_t *spread)
{
	const char *argv[ARGUMENTS];

	fill_in(w->argv, pid, size, argv);
	return cost_and_spread(argv, NULL, spread);
}

void bench_commands(void)
{
	/* Executed: a fork would have all of the memory, too. */
	const char *const another[] = { "/proc/self/exe", "idle", NULL };
	pid_t idle = start(another, NULL);

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct way *w = &ways[i];
		uint64_t begin, all, spread;

		if (!(layout->sets & w->set))
			continue;
		/* Not every machine has that one. */
		if (times && !strcmp(w->name, "page-types") &&
		    system("command -v page-types >/dev/null"))
			continue;
		begin = w->whole ? cost_of(w, idle, 0, &spread) :
				   cost_of(w, getpid(), page_size, &spread);
		if (w->set == SET_BULK) {
			result("dump-start", begin);
			result("dump-spread", spread);
		}
		all = cost_of(w, getpid(), layout->size, &spread);
		result(w->name, all - begin);
		if (w->set == SET_CHECK)
			result("check-and-start", all);
	}
	kill(idle, SIGKILL);
	waitpid(idle, NULL, 0);
}

/* As people run them: nothing is taken out. */
void bench_whole(void)
{
	static const char *const idle[] = { "/proc/self/exe", "idle", NULL };
	static pid_t pid[MANY];
	char me[16], tiny[16], addr[24], frame[24];
	const struct {
		const char *name, *argv[ARGUMENTS];
	} whole[] = {
		{ "all-version", { "ptwalk", "--version" } },
		{ "all-decode", { "ptwalk", "decode", "8600000000000001" } },
		{ "all-translate", { "ptwalk", "translate", me, addr } },
		{ "all-frame", { "ptwalk", "frame", "--pid", me, frame } },
		{ "all-check", { "ptwalk", "check", tiny } },
		{ "all-true", { "true" } },
	};
	const char *const everybody[] = { "ptwalk", "check", "--all", NULL };

	pid[0] = start(idle, NULL);
	snprintf(me, sizeof(me), "%d", getpid());
	snprintf(tiny, sizeof(tiny), "%d", pid[0]);
	snprintf(addr, sizeof(addr), "%lx", (unsigned long)memory);
	snprintf(frame, sizeof(frame), "%llx", (unsigned long long)frame_of(memory));
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		result(whole[i].name, command_cost(whole[i].argv, NULL));
	for (int i = 1; i < MANY; i++)
		pid[i] = start(idle, NULL);
	sleep(5);
	result("processes", MANY);
	result("all-check-all", command_cost(everybody, NULL));
	for (int i = 0; i < MANY; i++)
		kill(pid[i], SIGKILL);
}

/* What the second half of something takes, and what the second quarter did. */
static void curve(const char *name, int64_t quarter, int64_t half, int64_t all)
{
	char what[32];

	snprintf(what, sizeof(what), "half-%s", name);
	result(what, all - half);
	snprintf(what, sizeof(what), "quarter-%s", name);
	result(what, half - quarter);
}

/* The last: it splits the mapping where the sizes end, as ends are looked at, too. */
void bench_curves(void)
{
	static const struct way curves[] = {
		{ "dump", 0, false,
		  { "ptwalk", "dump", "--summary", "PID", "RANGE" } },
		{ "check", 0, false, { "ptwalk", "check", "--json", "PID", "RANGE" } },
	};

	uint64_t spread;

	if (madvise(memory, layout->size / 4, MADV_DONTDUMP) ||
	    madvise(memory + layout->size / 2, layout->size / 2, MADV_DONTDUMP))
		fail("MADV_DONTDUMP");
	for (size_t i = 0; i < sizeof(curves) / sizeof(*curves); i++)
		curve(curves[i].name, cost_of(&curves[i], getpid(), layout->size / 4, &spread),
		      cost_of(&curves[i], getpid(), layout->size / 2, &spread),
		      cost_of(&curves[i], getpid(), layout->size, &spread));
}

/*
 * A process has the peak of what it was before exec() as well, so it is made by a
 * small one: "bench peak COMMAND...", which prints the KiB.
 */
int command_peak_main(char **argv)
{
	pid_t pid = fork();
	struct rusage usage;
	int status;

	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid || status)
		return 1;
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}

uint64_t command_peak(const char *const argv[])
{
	const char *all[ARGUMENTS + 2] = { "/proc/self/exe", "peak" };
	char text[24] = "";
	int out[2], status;
	pid_t pid;

	memcpy(all + 2, argv, ARGUMENTS * sizeof(*argv));
	if (pipe(out))
		fail("pipe");
	pid = vfork();
	if (!pid) {
		dup2(out[1], 1);
		execv(all[0], (char **)all);
		_exit(127);
	}
	close(out[1]);
	if (waitpid(pid, &status, 0) != pid || status || read(out[0], text, 23) <= 0) {
		fprintf(stderr, "bench: %s %s: status %d\n", argv[0], argv[1], status);
		exit(1);
	}
	close(out[0]);
	return strtoull(text, NULL, 10);
}

void bench_memory(void)
{
	static const char *const commands[] = { "dump", "check", "rss", "frame", "share" };
	const char *argv[ARGUMENTS] = { "ptwalk", NULL, NULL };
	char pid[16], other[16], frame[24], what[24];
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(frame, sizeof(frame), "%llx", (unsigned long long)frame_of(memory));
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		argv[1] = commands[i];
		argv[2] = strcmp(commands[i], "frame") ? pid : frame;
		if (!strcmp(commands[i], "share")) {
			child = fork_idle();
			while (!child)
				pause();
			snprintf(other, sizeof(other), "%d", child);
			argv[3] = other;
		}
		snprintf(what, sizeof(what), "peak-%s", commands[i]);
		result(what, command_peak(argv));
		if (argv[3])
			kill(atoi(argv[3]), SIGKILL);
	}
}

#define FRAMES		4
#define FRAMES_APART	1024

/* On average of some frames: which bits a number has decides what others it is told by. */
static uint64_t frame_cost(const char *own)
{
	const char *argv[ARGUMENTS] = { "ptwalk", "frame", NULL };
	uint64_t sum = 0;
	char frame[24];

	for (size_t i = 0; i < FRAMES; i++) {
		snprintf(frame, sizeof(frame), "%llx",
			 (unsigned long long)frame_of(own + i * FRAMES_APART * page_size));
		argv[2] = frame;
		sum += command_cost(argv, NULL);
	}
	return sum / FRAMES;
}

/* A frame that one process maps, with and without others to search. */
void bench_processes(void)
{
	const size_t size = FRAMES * FRAMES_APART * page_size;
	static pid_t pid[PROCESSES];
	char *own = map_pages(size, PROT_READ | PROT_WRITE, 0);
	uint64_t alone, cost[2], all;

	memset(own, 1, size);
	alone = frame_cost(own);
	if (madvise(own, size, MADV_DONTFORK))
		fail("MADV_DONTFORK");
	for (int i = 0; i < PROCESSES; i++) {
		pid[i] = fork_idle();
		if (!pid[i]) {
			for (size_t j = 0; j < layout->size; j += page_size)
				((volatile char *)memory)[j];
			for (;;)
				pause();
		}
		if (i + 1 != PROCESSES / 4 && i + 1 != PROCESSES / 2)
			continue;
		sleep(5);
		cost[i + 1 == PROCESSES / 2] = frame_cost(own);
	}
	sleep(5);
	all = frame_cost(own);
	result("processes", PROCESSES);
	result("frame", all - alone);
	curve("frame", cost[0], cost[1], all);
	for (int i = 0; i < PROCESSES; i++)
		kill(pid[i], SIGKILL);
}
