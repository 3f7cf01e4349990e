/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bench [--times] LAYOUT: makes memory of a layout, and prints what it costs to
 * read where its pages are, a line "LAYOUT WHAT NUMBER" for each way of reading.
 * Costs are nanoseconds: on a machine whose clock counts instructions (scripts/vm
 * --icount), instructions. With --times they are no such machine's, and differ
 * from run to run.
 * Exits with 4 if this machine can't have the layout.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct layout - memory that is read
 * @name: Its name.
 * @size: How many bytes of addresses.
 * @make: Makes it; returns its first address.
 * @sets: What is measured of it: a mask of the sets below.
 */
struct layout {
	const char *name;
	size_t size;
	char *(*make)(size_t size);
	unsigned int sets;
};

enum {
	SET_BULK	= 1 << 0,	/* dump, and the bulk interfaces of the kernel */
	SET_LINES	= 1 << 1,	/* dump as text and as JSON */
	SET_CHECK	= 1 << 2,	/* check of the whole process */
	SET_SOURCES	= 1 << 3,	/* check with each source, and page-types */
	SET_TRANSLATE	= 1 << 4,
	SET_PROCESSES	= 1 << 5,	/* frame among many processes */
	SET_MEMORY	= 1 << 6,	/* what commands take of memory at most */
	SET_HOLDS	= 1 << 7,	/* how long the mmap lock is held */
	SET_CURVES	= 1 << 8,	/* how costs grow with the memory */
	SET_DRAWN	= 1 << 9,	/* layouts that a seed draws */
	SET_WHOLE	= 1 << 10,	/* whole commands, and many tiny processes */
};

extern const struct layout layouts[];
extern size_t page_size;

/* What is measured now: set once at the start. */
extern const struct layout *layout;
extern char *memory;
extern bool times;

void fail(const char *what) __attribute__((noreturn));
void cannot(const char *why) __attribute__((noreturn));
uint64_t now(void);
void result(const char *what, int64_t number);
void write_file(const char *path, const char *text);
pid_t fork_idle(void);

/* Adds room for @size bytes to swap to, or huge pages; each once. */
void layout_swap(size_t size);
void layout_huge_pages(size_t nr);
void bench_drawn(void);

/* Undoes what a layout changed of the machine: also from a signal's handler. */
void layout_restore(void);

char *map_pages(size_t size, int protection, int flags);
uint64_t frame_of(const char *page);

/* Arguments of a command at most, with the NULL behind them. */
#define ARGUMENTS	12

uint64_t command_cost(const char *const argv[], const char *input);
uint64_t command_peak(const char *const argv[]);
int command_peak_main(char **argv);
void command_run(const char *const argv[], const char *input);
void bench_commands(void);
void bench_curves(void);
void bench_memory(void);
void bench_processes(void);
void bench_whole(void);

void bench_interfaces(void);
void bench_translate(void);

void bench_holds(void);
/* The longest hold of this process's mmap lock while a command runs; 0: unknown. */
uint64_t holds_of(const char *const argv[]);
void holds_restore(void);

#endif /* BENCH_H */
