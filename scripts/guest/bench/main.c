// SPDX-License-Identifier: GPL-2.0
/* The program, and what its parts share. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

size_t page_size;
const struct layout *layout;
char *memory;
bool times;

void fail(const char *what)
{
	perror(what);
	exit(1);
}

void cannot(const char *why)
{
	fprintf(stderr, "bench: not %s: %s\n", layout->name, why);
	exit(4);
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Less than 0 is what a difference of two times may come to. */
void result(const char *what, int64_t number)
{
	printf("%s %s %lld\n", layout->name, what, (long long)number);
	fflush(stdout);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path);
	close(fd);
}

/* One that ends with this one. */
pid_t fork_idle(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	return pid;
}

static void restore(void)
{
	holds_restore();
	layout_restore();
}

static void interrupted(int sig)
{
	restore();
	_exit(128 + sig);
}

/* "bench idle": has next to nothing, and ends with the one that made it. */
static void idle(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "peak"))
		return command_peak_main(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "idle"))
		idle();
	times = argc == 3 && !strcmp(argv[1], "--times");
	for (layout = layouts; layout->name; layout++)
		if (argc == 2 + times && !strcmp(argv[1 + times], layout->name))
			break;
	if (!layout->name) {
		fprintf(stderr, "usage: bench [--times] LAYOUT\n");
		return 2;
	}

	atexit(restore);
	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	page_size = sysconf(_SC_PAGESIZE);
	memory = layout->make(layout->size);
	/* The kernel is still at work from boot: let it finish. */
	if (!times)
		sleep(5);
	result("pages", layout->size / page_size);
	if (layout->sets & SET_BULK)
		bench_interfaces();
	bench_commands();
	if (layout->sets & SET_TRANSLATE)
		bench_translate();
	if (layout->sets & SET_HOLDS)
		bench_holds();
	if (layout->sets & SET_PROCESSES)
		bench_processes();
	if (layout->sets & SET_MEMORY)
		bench_memory();
	if (layout->sets & SET_CURVES)
		bench_curves();
	if (layout->sets & SET_DRAWN)
		bench_drawn();
	if (layout->sets & SET_WHOLE)
		bench_whole();
	return 0;
}
