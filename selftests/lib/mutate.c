// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mutate.h"
#include "proc.h"
#include "system.h"

#define AREA_PAGES	64

#define OFFLINE_SECONDS	30

static size_t page_size, huge_size;

void mutate_setup(const struct ptw_info *info)
{
	page_size = (size_t)1 << info->page_shift;
	huge_size = 0;
	if (info->features & PTWALK_FEATURE_THP)
		huge_size = (size_t)1 << info->shift[PTWALK_LEVEL_PMD];
}

/* xorshift, one for each thread. */
u32 chance(u32 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

static void touch(char *at, size_t size, u32 *seed)
{
	size_t i;

	for (i = 0; i < size; i += page_size)
		if (chance(seed) % 2)
			*(volatile char *)(at + i) = 1;
}

void mutate_map(u32 *seed)
{
	size_t half = (1 + chance(seed) % 32) * page_size, size = 2 * half + page_size;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	touch(at, size, seed);
	/*
	 * A hole in the middle parts the VMA; it is another thread's to map
	 * something into from then on.
	 */
	munmap(at + half, page_size);
	mprotect(at, page_size, chance(seed) % 2 ? PROT_READ : PROT_NONE);
	munmap(at, half);
	munmap(at + half + page_size, half);
}

void mutate_move(u32 *seed)
{
	size_t size = (1 + chance(seed) % 32) * page_size;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *to;

	if (at == MAP_FAILED)
		return;
	touch(at, size, seed);
	to = mremap(at, size, size * 3, MREMAP_MAYMOVE);
	if (to != MAP_FAILED)
		munmap(to, size * 3);
	else
		munmap(at, size);
}

/* Huge pages come, are parted, collapse, and go. */
void mutate_huge(u32 *seed)
{
	static __thread char *area;
	char *at;

	if (!huge_size || huge_size > 32 << 20)
		return mutate_map(seed);
	if (!area) {
		area = mmap(NULL, 3 * huge_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (area == MAP_FAILED)
			_exit(1);
		madvise(area, 3 * huge_size, MADV_HUGEPAGE);
	}
	at = (char *)(((uintptr_t)area + huge_size - 1) / huge_size * huge_size);
	switch (chance(seed) % 4) {
	case 0:
		touch(at, huge_size, seed);
		break;
	case 1:
		madvise(at + chance(seed) % (huge_size / page_size) * page_size,
			page_size, MADV_DONTNEED);
		break;
	case 2:
		madvise(at, huge_size, 25);	/* MADV_COLLAPSE */
		break;
	case 3:
		madvise(at, huge_size, MADV_DONTNEED);
		break;
	}
}

void mutate_fork(u32 *seed)
{
	pid_t pid = fork();

	if (!pid) {
		mutate_map(seed);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

void mutate_exec(u32 *seed)
{
	pid_t pid = vfork();

	if (!pid) {
		execlp("true", "true", NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *short_life(void *seed)
{
	mutate_map(seed);
	return NULL;
}

void mutate_thread(u32 *seed)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, short_life, seed))
		pthread_join(thread, NULL);
}

/* Small pages of this thread's own, made once. */
static char *own_area(void)
{
	static __thread char *area;
	size_t size = AREA_PAGES * page_size;

	if (!area) {
		area = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (area == MAP_FAILED)
			_exit(1);
		madvise(area, size, MADV_NOHUGEPAGE);
	}
	return area;
}

/* Pages from @index on, at least one; @nr is set to how many. */
static char *some_pages(u32 *seed, size_t *nr)
{
	size_t index = chance(seed) % AREA_PAGES;

	*nr = 1 + chance(seed) % (AREA_PAGES - index);
	return own_area() + index * page_size;
}

/* By number: not every libc has them all. */
void mutate_advise(u32 *seed)
{
	static const int advice[] = {
		3 /* WILLNEED */, 4 /* DONTNEED */, 8 /* FREE */,
		12 /* MERGEABLE */, 13 /* UNMERGEABLE */, 20 /* COLD */,
		21 /* PAGEOUT */, 22 /* POPULATE_READ */, 23 /* POPULATE_WRITE */,
		102 /* GUARD_INSTALL */,
	};
	int which = chance(seed) % (sizeof(advice) / sizeof(advice[0]));
	size_t nr;
	char *at = some_pages(seed, &nr);

	madvise(at, nr * page_size, advice[which]);
	if (advice[which] == 102) {
		madvise(at, nr * page_size, 103);	/* GUARD_REMOVE */
		return;
	}
	at = some_pages(seed, &nr);
	touch(at, nr * page_size, seed);
}

void mutate_shmem(u32 *seed)
{
	size_t size = AREA_PAGES * page_size, hole = chance(seed) % AREA_PAGES;
	int fd = memfd_create("mutate", MFD_CLOEXEC);
	char *shared, *private;

	if (fd < 0 || ftruncate(fd, size))
		return;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (shared != MAP_FAILED && private != MAP_FAILED) {
		touch(shared, size, seed);
		touch(private, size, seed);
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  hole * page_size, page_size);
		madvise(shared, size, 21);		/* MADV_PAGEOUT */
		touch(shared, size, seed);
	}
	if (shared != MAP_FAILED)
		munmap(shared, size);
	if (private != MAP_FAILED)
		munmap(private, size);
	close(fd);
}

void mutate_node(u32 *seed)
{
	void *page[AREA_PAGES];
	int to[AREA_PAGES], status[AREA_PAGES], node = chance(seed) % 2;
	size_t i, nr;
	char *at;

	if (access("/sys/devices/system/node/node1", F_OK))
		return;
	at = some_pages(seed, &nr);
	touch(at, nr * page_size, seed);
	for (i = 0; i < nr; i++) {
		page[i] = at + i * page_size;
		to[i] = node;
	}
	syscall(SYS_move_pages, 0, nr, page, to, status, 2 /* MPOL_MF_MOVE */);
}

void mutate_uffd(u32 *seed)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), i;
	size_t nr;
	char *at = some_pages(seed, &nr);
	struct uffdio_range range = { .start = (uintptr_t)at, .len = nr * page_size };
	struct uffdio_register reg = {
		.range = range,
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect wp = { .range = range };

	if (fd < 0)
		return;
	touch(at, nr * page_size, seed);
	if (!ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg)) {
		for (i = 0; i < 4; i++) {
			wp.mode = i % 2 ? 0 : UFFDIO_WRITEPROTECT_MODE_WP;
			ioctl(fd, UFFDIO_WRITEPROTECT, &wp);
		}
		ioctl(fd, UFFDIO_UNREGISTER, &range);
	}
	close(fd);
}

void mutate_hugetlb(u32 *seed)
{
	int flags = chance(seed) % 2 ? MAP_SHARED : MAP_PRIVATE;
	size_t size = huge_size ? huge_size : 2 << 20;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			flags | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	pid_t pid;

	if (at == MAP_FAILED)
		return;
	/* Nobody is killed for want of a page: reading ahead of writing tells. */
	if (madvise(at, size, 23)) {		/* MADV_POPULATE_WRITE */
		munmap(at, size);
		return;
	}
	*(volatile char *)at = 1;
	pid = fork();
	if (!pid) {
		madvise(at, size, 23);
		mprotect(at, size, PROT_READ);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	munmap(at, size);
}

#define DEVICE	"/sys/bus/acpi/devices/PNP0C80:%02x/%s"
#define DEVICES	8

static bool is_plugged(unsigned int nr)
{
	char path[64];

	snprintf(path, sizeof(path), DEVICE, nr, "status");
	return proc_number(path) > 0;
}

unsigned int memory_devices(void)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < DEVICES; i++)
		nr += is_plugged(i);
	return nr;
}

static void unplug(u32 *seed)
{
	const unsigned int nr = chance(seed) % DEVICES;
	char path[64];

	snprintf(path, sizeof(path), DEVICE, nr, "eject");
	if (!is_plugged(nr) || proc_write(path, "1"))
		return;
	for (int i = 0; i < 50 && is_plugged(nr); i++)
		usleep(100000);
}

static void give_up(int signal)
{
}

/*
 * Offlining tries again as long as a page is pinned, and others, such as ksmd, wait for it
 * meanwhile, of which the kernel complains after two minutes: only a signal ends it.
 */
static bool offline(const char *path)
{
	const struct sigaction after = { .sa_handler = give_up };
	struct sigaction was;
	bool went;

	sigaction(SIGALRM, &after, &was);
	alarm(OFFLINE_SECONDS);
	went = !proc_write(path, "offline");
	alarm(0);
	sigaction(SIGALRM, &was, NULL);
	return went;
}

bool mutate_memory(u32 *seed)
{
	char path[64];
	bool went;

	if (!(chance(seed) % 16))
		unplug(seed);
	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%u/state",
		 chance(seed) % 64);
	if (access(path, F_OK))
		return false;
	went = offline(path);
	/* Also one that somebody left offline. */
	return !proc_write(path, "online") && went;
}

void mutate_machine(u32 *seed)
{
	switch (chance(seed) % 4) {
	case 0:
		proc_write("/proc/sys/vm/compact_memory", "1");
		break;
	case 1:
		proc_write("/proc/sys/vm/drop_caches", "1");
		break;
	case 2:
		mutate_memory(seed);
		break;
	case 3:
		/* Text and data that come and go, in pages whose rights change. */
		if (!module_load("nlmon"))
			module_unload("nlmon");
		break;
	}
	usleep(100000);
}

const struct mutator mutators[] = {
	{ "map", mutate_map },
	{ "move", mutate_move },
	{ "huge", mutate_huge },
	{ "fork", mutate_fork },
	{ "exec", mutate_exec },
	{ "thread", mutate_thread },
	{ "advise", mutate_advise },
	{ "shmem", mutate_shmem },
	{ "node", mutate_node },
	{ "uffd", mutate_uffd },
	{ "hugetlb", mutate_hugetlb },
};

const size_t nr_mutators = sizeof(mutators) / sizeof(mutators[0]);
