// SPDX-License-Identifier: GPL-2.0
/* The program, and what its parts share. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

size_t page_size;
const struct layout *layout;
char *memory;

void fail(const char *what)
{
	perror(what);
	exit(1);
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void result(const char *what, uint64_t number)
{
	printf("%s %s %llu\n", layout->name, what, (unsigned long long)number);
	fflush(stdout);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "peak"))
		return command_peak_main(argv + 2);
	for (layout = layouts; layout->name; layout++)
		if (argc == 2 && !strcmp(argv[1], layout->name))
			break;
	if (!layout->name) {
		fprintf(stderr, "usage: bench LAYOUT\n");
		return 2;
	}

	page_size = sysconf(_SC_PAGESIZE);
	memory = layout->make(layout->size);
	/* The kernel is still at work from boot: let it finish. */
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
	return 0;
}
