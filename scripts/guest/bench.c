// SPDX-License-Identifier: GPL-2.0
/*
 * bench LAYOUT MEGABYTES
 *
 * Fills memory in a layout (contiguous, scattered or huge), and prints what
 * it costs to read where its pages are, in nanoseconds a page. On a machine
 * whose clock counts instructions (scripts/vm --icount) these are
 * instructions. A line for each way of reading: LAYOUT WAY NS-PER-PAGE.
 *
 * The cost of a command's start is taken out by running it over one page as
 * well; it is printed once as a line of its own, in nanoseconds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often a command is run, to take the least. */
#define RUNS	4

static size_t page_size;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* The same order on every run: a linear congruential generator. */
static void touch_scattered(char *memory, size_t pages)
{
	uint32_t *order = malloc(pages * sizeof(*order));
	uint32_t random = 1;
	size_t i;

	if (!order)
		fail("malloc");
	for (i = 0; i < pages; i++)
		order[i] = i;
	for (i = pages - 1; i > 0; i--) {
		size_t j;
		uint32_t swap;

		random = random * 1664525u + 1013904223u;
		j = random % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < pages; i++)
		memory[order[i] * page_size] = 1;
	free(order);
}

static char *make(const char *layout, size_t size)
{
	const size_t huge = 2 << 20;
	int advice = strcmp(layout, "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
	char *memory = mmap(NULL, size + huge, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t i;

	if (memory == MAP_FAILED)
		fail("mmap");
	memory = (char *)(((uintptr_t)memory + huge - 1) & ~(huge - 1));
	if (madvise(memory, size, advice))
		fail("madvise");
	if (!strcmp(layout, "scattered"))
		touch_scattered(memory, size / page_size);
	else
		for (i = 0; i < size; i += page_size)
			memory[i] = 1;
	return memory;
}

static uint64_t read_pagemap(const char *memory, size_t pages, size_t at_once)
{
	uint64_t *buffer = malloc(at_once * sizeof(*buffer));
	off_t offset = (uintptr_t)memory / page_size * sizeof(*buffer);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t begin;
	size_t i;

	if (fd < 0 || !buffer)
		fail("/proc/self/pagemap");
	memset(buffer, 0, at_once * sizeof(*buffer));
	begin = now();
	for (i = 0; i < pages; i += at_once)
		if (pread(fd, buffer, at_once * sizeof(*buffer),
			  offset + i * sizeof(*buffer)) !=
		    (ssize_t)(at_once * sizeof(*buffer)))
			fail("pread");
	begin = now() - begin;
	close(fd);
	free(buffer);
	return begin;
}

/* vfork(): a fork would copy the tables whose reading is measured. */
static uint64_t run(char *const argv[])
{
	uint64_t begin = now();
	pid_t pid = vfork();
	int status;

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "bench: %s %s: status %d\n", argv[0], argv[1],
			status);
		exit(1);
	}
	return now() - begin;
}

/*
 * What a command costs over a range: the least of several runs, since the rest
 * is the kernel's own business.
 */
static uint64_t run_over(const char *command, const char *option, char *memory,
			 size_t size)
{
	char pid[16], range[64];
	char *argv[] = { "ptwalk", (char *)command, (char *)option, pid, range,
			 NULL };
	uint64_t least = UINT64_MAX;
	unsigned int i;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)memory, size);
	for (i = 0; i < RUNS; i++) {
		uint64_t cost = run(argv);

		if (cost < least)
			least = cost;
	}
	return least;
}

static void bench_command(const char *layout, const char *command,
			  const char *option, char *memory, size_t size)
{
	uint64_t start = run_over(command, option, memory, page_size);
	uint64_t all = run_over(command, option, memory, size);

	printf("%s %s %.2f\n", layout, command,
	       (double)(all - start) / (size / page_size));
	printf("%s %s-start %llu\n", layout, command,
	       (unsigned long long)start);
}

int main(int argc, char **argv)
{
	size_t size, pages;
	char *memory;

	if (argc != 3) {
		fprintf(stderr, "usage: bench contiguous|scattered|huge MEGABYTES\n");
		return 2;
	}
	page_size = sysconf(_SC_PAGESIZE);
	size = strtoul(argv[2], NULL, 10) << 20;
	pages = size / page_size;
	memory = make(argv[1], size);

	/* The kernel is still at work from boot: let it finish. */
	sleep(5);
	printf("%s pagemap %.1f\n", argv[1],
	       (double)read_pagemap(memory, pages, 512) / pages);
	printf("%s pread %.1f\n", argv[1],
	       (double)read_pagemap(memory, pages / 16, 1) / (pages / 16));
	bench_command(argv[1], "dump", "--summary", memory, size);
	bench_command(argv[1], "check", "--json", memory, size);
	return 0;
}
