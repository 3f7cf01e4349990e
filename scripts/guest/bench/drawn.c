// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a seed draws (SEED, 1): many small layouts, each of runs of a few kinds
 * of pages with drawn lengths. Each is read by dump and by pagemap, and holds of the
 * mmap lock are measured. The worst and the median of the layouts are what counts:
 * a loop that fits one layout may not fit the one beside it.
 *
 * What needs a mapping of its own is drawn for BLOCK pages at a time.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

#define LAYOUTS	64
#define BLOCK	512
#define KINDS_AT_ONCE	4
#define HUGE	((size_t)2 << 20)

#define HUGE_PAGES	"/proc/sys/vm/nr_hugepages"
#define LARGE_FOLIOS	"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled"

enum kind { PRESENT, EMPTY, SWAPPED, ZERO, FORKED, KINDS };

static const char *const kind_names[KINDS] = {
	"present", "empty", "swapped", "zero", "forked",
};

enum block { PLAIN, SHARED, FILE_PRIVATE, READ_ONLY, EXECUTABLE, KEY, LARGE, THP, HUGETLB,
	     BLOCKS };

/**
 * struct drawn - a layout
 * @seed: Of its own.
 * @kinds: Whose runs take turns, with @nr.
 * @longest: Most pages of a run.
 * @scattered: Pages are touched in no order.
 * @blocks: Of how many blocks each is drawn; 0: all are PLAIN.
 */
struct drawn {
	uint64_t seed;
	enum kind kinds[KINDS_AT_ONCE];
	unsigned int nr;
	size_t longest;
	bool scattered, blocks;
};

/**
 * struct costs - what reading a layout takes
 * @dump: Instructions, of the kernel and the command.
 * @pagemap: Likewise.
 * @hold: The longest hold of the mmap lock, by command.
 */
struct costs {
	int64_t dump, pagemap;
	uint64_t hold[3];
};

static const char *const hold_names[] = { "hold-dump", "hold-verbose", "hold-frame" };

static int layouts_to_draw = LAYOUTS;
static uint64_t state;

/* splitmix64 */
static uint64_t chance(uint64_t below)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static struct drawn draw(void)
{
	static const size_t longest[] = { 1, 1, 2, 4, 16, 64, 512 };
	struct drawn d = { .nr = 1 + chance(KINDS_AT_ONCE) };

	for (unsigned int i = 0; i < d.nr; i++)
		d.kinds[i] = chance(KINDS);
	/* Nobody asks what is nowhere. */
	if (d.nr == 1 && d.kinds[0] == EMPTY)
		d.kinds[0] = PRESENT;
	d.longest = longest[chance(sizeof(longest) / sizeof(*longest))];
	d.scattered = chance(2);
	d.blocks = chance(2);
	d.seed = chance(UINT64_MAX);
	return d;
}

static char *map_at(char *at, size_t size, int protection, int flags, int fd)
{
	if (mmap(at, size, protection, flags | MAP_FIXED, fd, 0) == MAP_FAILED)
		fail("mmap of a block");
	return at;
}

static int file_of(size_t size)
{
	int fd = memfd_create("drawn", 0);

	if (fd < 0 || ftruncate(fd, size))
		fail("memfd_create");
	return fd;
}

/* A key for each process; 0 where the processor has none. */
static int key(void)
{
	static int key = -1;

	if (key < 0)
		key = pkey_alloc(0, 0);
	return key < 0 ? 0 : key;
}

/* Prepares a block before it is touched; returns whether all of it is to be. */
static bool make_block(enum block block, char *at, size_t size)
{
	int fd;

	switch (block) {
	case SHARED:
	case FILE_PRIVATE:
		fd = file_of(size);
		map_at(at, size, PROT_READ | PROT_WRITE,
		       block == SHARED ? MAP_SHARED : MAP_PRIVATE, fd);
		close(fd);
		return true;
	case LARGE:
		madvise(at + HUGE / 2, size - HUGE / 2, MADV_HUGEPAGE);
		return true;
	case THP:
		madvise(at, size, MADV_HUGEPAGE);
		return true;
	case HUGETLB:
		map_at(at, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
		return true;
	default:
		return false;
	}
}

/* What is done with a block when its pages are there. */
static void finish_block(enum block block, char *at, size_t size)
{
	if (block == READ_ONLY)
		mprotect(at, size, PROT_READ);
	else if (block == EXECUTABLE)
		mprotect(at, size, PROT_READ | PROT_WRITE | PROT_EXEC);
	else if (block == KEY)
		pkey_mprotect(at, size, PROT_READ | PROT_WRITE, key());
}

static void shuffle(uint32_t *order, size_t nr)
{
	for (size_t i = nr - 1; i > 0; i--) {
		size_t j = chance(i + 1);
		uint32_t swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
}

/* Makes the layout at @memory. Returns the process that shares it, or 0. */
static pid_t make(const struct drawn *d)
{
	const size_t pages = layout->size / page_size;
	static enum block blocks[4096];
	static uint8_t kind[65536];
	static uint32_t order[65536];
	pid_t child = 0;

	state = d->seed;
	for (size_t i = 0, run = 0, turn = 0; i < pages; i++) {
		if (!run--) {
			run = chance(d->longest);
			turn++;
		}
		kind[i] = d->kinds[turn % d->nr];
		order[i] = i;
	}
	if (d->scattered)
		shuffle(order, pages);
	memory = map_pages(layout->size, PROT_READ | PROT_WRITE, 0);
	for (size_t i = 0; i < pages; i += BLOCK) {
		blocks[i / BLOCK] = d->blocks ? chance(BLOCKS) : PLAIN;
		if (make_block(blocks[i / BLOCK], memory + i * page_size, BLOCK * page_size))
			memset(kind + i, PRESENT, BLOCK);
	}
	for (size_t i = 0; i < pages; i++)
		if (kind[order[i]] == ZERO)
			((volatile char *)memory)[order[i] * page_size];
		else if (kind[order[i]] != EMPTY)
			memory[order[i] * page_size] = 1;
	if (memchr(kind, FORKED, pages)) {
		child = fork_idle();
		while (!child)
			pause();
		for (size_t i = 0; i < pages; i++)
			if (kind[order[i]] == PRESENT || kind[order[i]] == SWAPPED)
				memory[order[i] * page_size] = 2;
	}
	for (size_t i = 0; i < pages; i++)
		if (kind[i] == SWAPPED &&
		    madvise(memory + i * page_size, page_size, MADV_PAGEOUT))
			fail("MADV_PAGEOUT");
	for (size_t i = 0; i < pages; i += BLOCK)
		finish_block(blocks[i / BLOCK], memory + i * page_size, BLOCK * page_size);
	return child;
}

static uint64_t pagemap_cost(void)
{
	static uint64_t buffer[1 << 17];
	const size_t bytes = layout->size / page_size * sizeof(*buffer);
	off_t from = (uintptr_t)memory / page_size * sizeof(*buffer);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t least = UINT64_MAX, begin;

	if (fd < 0)
		fail("pagemap");
	memset(buffer, 1, sizeof(buffer));
	for (int i = 0; i < 3; i++) {
		begin = now();
		if (pread(fd, buffer, bytes, from) != (ssize_t)bytes)
			fail("pread");
		begin = now() - begin;
		least = begin < least ? begin : least;
	}
	close(fd);
	return least;
}

static struct costs measure(void)
{
	char pid[16], range[48], one[48], frame[24];
	const char *const dump[ARGUMENTS] = { "ptwalk", "dump", "--summary", pid, range };
	const char *const start[ARGUMENTS] = { "ptwalk", "dump", "--summary", pid, one };
	const char *const verbose[ARGUMENTS] = { "ptwalk", "dump", "-v", pid, range };
	const char *const search[ARGUMENTS] = { "ptwalk", "frame", frame };
	struct costs costs;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)memory, layout->size);
	snprintf(one, sizeof(one), "%lx+%zx", (unsigned long)memory, page_size);
	snprintf(frame, sizeof(frame), "%llx", (unsigned long long)frame_of(pid));
	costs.pagemap = pagemap_cost();
	costs.dump = command_cost(dump, NULL) - command_cost(start, NULL);
	costs.hold[0] = holds_of(dump);
	costs.hold[1] = holds_of(verbose);
	costs.hold[2] = holds_of(search);
	return costs;
}

/* A name that says what it is, for who looks for the worst one. */
static void name_of(const struct drawn *d, int nr, const char *what, char *name, size_t size)
{
	int len = snprintf(name, size, "%02d%s%s-%zu", nr, d->scattered ? "-scattered" : "",
			   d->blocks ? "-blocks" : "", d->longest);

	for (unsigned int i = 0; i < d->nr; i++)
		len += snprintf(name + len, size - len, "-%s", kind_names[d->kinds[i]]);
	snprintf(name + len, size - len, "-%s", what);
}

static int by_ratio(const void *a, const void *b)
{
	const struct costs *x = a, *y = b;
	double difference = (double)x->dump / x->pagemap - (double)y->dump / y->pagemap;

	return difference < 0 ? -1 : difference > 0;
}

void bench_drawn(void)
{
	static struct costs costs[LAYOUTS];
	uint64_t hold[3] = { 0 }, next;
	struct drawn d;
	char name[128];
	pid_t child;

	if (getenv("DRAWN"))
		layouts_to_draw = atoi(getenv("DRAWN"));
	state = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
	layout_swap(2 * layout->size);
	layout_huge_pages(layout->size / HUGE);
	if (!access(LARGE_FOLIOS, W_OK))
		write_file(LARGE_FOLIOS, "madvise");
	for (int i = 0; i < layouts_to_draw; i++) {
		d = draw();
		next = state;
		child = make(&d);
		costs[i] = measure();
		name_of(&d, i, "dump", name, sizeof(name));
		result(name, costs[i].dump);
		name_of(&d, i, "pagemap", name, sizeof(name));
		result(name, costs[i].pagemap);
		for (int j = 0; j < 3; j++) {
			name_of(&d, i, hold_names[j], name, sizeof(name));
			result(name, costs[i].hold[j]);
			if (costs[i].hold[j] > hold[j])
				hold[j] = costs[i].hold[j];
		}
		if (child > 0) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
		munmap(memory, layout->size);
		state = next;
	}
	qsort(costs, layouts_to_draw, sizeof(*costs), by_ratio);
	result("median-dump", costs[layouts_to_draw / 2].dump);
	result("median-pagemap", costs[layouts_to_draw / 2].pagemap);
	result("worst-dump", costs[layouts_to_draw - 1].dump);
	result("worst-pagemap", costs[layouts_to_draw - 1].pagemap);
	for (int j = 0; j < 3; j++)
		result(hold_names[j], hold[j]);
}
