// SPDX-License-Identifier: GPL-2.0
/* What the kernel does of its own accord, if it is told that it may. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "operate.h"

/* How long a daemon is waited for, if nothing happens. */
#define WAIT		10.0

static void set_number(const char *path, long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	proc_write(path, text);
}

/* Copies what is present, which takes no fault: nothing else changes. */
static size_t copy_present(struct cell *c, char *copies)
{
	const u64 bytes = c->m.page_size;
	size_t nr = 0;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	for (size_t i = 0; i < c->m.pages; i++) {
		char *copy = copies + nr * bytes;

		if (ptwalk_bits_kind(c->before.page[i].bits) == PTWALK_KIND_PRESENT &&
		    pread(fd, copy, bytes, c->m.start + i * bytes) == (ssize_t)bytes)
			nr++;
	}
	close(fd);
	return nr;
}

#define KSM	"/sys/kernel/mm/ksm/"

/*
 * With two copies of each page in a row. KSM meets the pages before these or
 * after them, not between, and so it is one of the copies that they are
 * replaced by.
 */
void ksm_merge(struct cell *c)
{
	double end = seconds_now() + WAIT;
	size_t bytes = 2 * size(c), nr;
	long long scans;
	char *copies;

	if (access(KSM "run", W_OK))
		return lacks(c, "the kernel has no KSM");
	if (refused(c, madvise(at(c, 0), size(c), MADV_MERGEABLE)))
		return;
	copies = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (refused(c, copies == MAP_FAILED))
		return;
	madvise(copies, bytes, MADV_NOHUGEPAGE);
	nr = copy_present(c, copies);
	memcpy(copies + nr * c->m.page_size, copies, nr * c->m.page_size);
	madvise(copies, bytes, MADV_MERGEABLE);
	proc_write(KSM "sleep_millisecs", "1");
	proc_write(KSM "pages_to_scan", "10000");
	proc_write(KSM "run", "1");
	/* It merges what stayed as it was from one scan to the next. */
	scans = proc_number(KSM "full_scans") + 5;
	while (seconds_now() < end && proc_number(KSM "full_scans") < scans &&
	       proc_number("/proc/self/ksm_merging_pages") < 3 * (long long)nr)
		usleep(10000);
	proc_write(KSM "run", "0");
	if (proc_number("/proc/self/ksm_merging_pages") < 2 * (long long)nr)
		lacks(c, "KSM didn't merge the copies");
}

#define THP		"/sys/kernel/mm/transparent_hugepage/"
#define KHUGEPAGED	THP "khugepaged/"

static bool is_huge(const struct cell *c)
{
	struct proc_vma vma;

	return !proc_vma(getpid(), c->m.start, &vma) &&
	       (vma.anon_huge == size(c) || vma.shmem_huge == size(c));
}

/*
 * khugepaged scans only processes that have memory for it, which that is only with a page
 * in it. Where the others are none, such as those of hugetlb, it would count no scans, and
 * would be waited for in vain.
 */
static void have_scanned(struct cell *c)
{
	size_t bytes = 2 * mapping_level_size(&c->m, PTWALK_LEVEL_PMD);
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return;
	*(volatile char *)at = 1;
	madvise(at, bytes, MADV_HUGEPAGE);
}

void khugepaged_collapse(struct cell *c)
{
	const char *sleep = KHUGEPAGED "scan_sleep_millisecs", *done = KHUGEPAGED "full_scans";
	/* After it got no huge page, which may have been before. */
	const char *pause = KHUGEPAGED "alloc_sleep_millisecs";
	long long slept = proc_number(sleep), paused = proc_number(pause);
	long long scans = proc_number(done);
	double end = seconds_now() + WAIT;

	if (slept < 0)
		return lacks(c, "the kernel has no khugepaged");
	if (size(c) < mapping_level_size(&c->m, PTWALK_LEVEL_PMD))
		return lacks(c, "it is smaller than a huge page");
	/* Of shared memory, too; it is "never" otherwise, and madvise() then no hint. */
	proc_write(THP "shmem_enabled", "advise");
	if (refused(c, madvise(at(c, 0), size(c), MADV_HUGEPAGE))) {
		proc_write(THP "shmem_enabled", "never");
		return;
	}
	have_scanned(c);
	set_number(pause, 1);
	set_number(sleep, 1);
	/* The first may have begun before. */
	while (seconds_now() < end && proc_number(done) < scans + 2 && !is_huge(c))
		usleep(10000);
	set_number(sleep, slept);
	set_number(pause, paused);
	proc_write(THP "shmem_enabled", "never");
}

#define BALANCING	"/proc/sys/kernel/numa_balancing"

#define DELAY		"/sys/kernel/debug/sched/numa_balancing/scan_delay_ms"

/*
 * Computes until the kernel has left hints, or doesn't within half a second of
 * its time, which is what the kernel goes by.
 */
static void *compute(void *arg)
{
	long long updates = proc_vmstat("numa_pte_updates");
	const struct cell *c = arg;
	struct timespec t;

	set_number(BALANCING, 1);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		if (proc_vmstat("numa_pte_updates") >= updates + (long long)c->m.pages)
			break;
	} while (!t.tv_sec && t.tv_nsec < 500000000);
	return NULL;
}

/*
 * Every other page is on the other node. The kernel leaves no hints to private
 * pages that are where the only thread is, and so there are two before it begins.
 * Of the half in the middle the hints are taken away by touching it: what is on
 * the other node is migrated then.
 */
void numa_hints(struct cell *c)
{
	u64 vma = c->before.page[0].vma;
	long long balanced = proc_number(BALANCING);
	pthread_t thread;

	if (access("/sys/devices/system/node/node1", F_OK) || balanced < 0)
		return lacks(c, "the machine has one NUMA node, or the kernel doesn't balance");
	if (vma & (PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP) ||
	    !(vma & PTWALK_VMA_FLAG_READ))
		return lacks(c, "the kernel leaves no hints there");
	/* What is migrated is dirty in the folio; a huge page as a whole. */
	if (!ptwalk_bits_level(c->before.page[0].bits))
		migrate_every(c, 2);
	proc_write(DELAY, "10");
	if (!refused(c, pthread_create(&thread, NULL, compute, c)))
		pthread_join(thread, NULL);
	set_number(BALANCING, balanced);
	for (size_t i = c->m.pages / 4; i < c->m.pages - c->m.pages / 4; i++)
		if (ptwalk_bits_kind(c->before.page[i].bits) == PTWALK_KIND_PRESENT)
			*(volatile char *)at(c, i);
}
