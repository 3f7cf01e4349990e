// SPDX-License-Identifier: GPL-2.0
/* Anonymous memory in small pages. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

BUILDER(anon_written)
{
	char *at = mapping_written(m, PAGES);

	if (!at)
		return;
	mapping_expect(m, expect_anon(m, at, PAGES));
}

BUILDER(anon_untouched)
{
	char *at = mapping_small(m, PAGES);

	if (!at)
		return;
	mapping_expect(m, expect_empty(at, PAGES));
}

BUILDER(anon_every_other)
{
	char *at = mapping_small(m, 2 * MAX_EXPECTS);
	struct expect e;
	int i;

	if (!at)
		return;
	/* What is behind the last expectation is for the other checks. */
	for (i = 0; i < 2 * MAX_EXPECTS; i += 2)
		mapping_write(m, at + i * m->page_size, 1);
	for (i = 0; i < MAX_EXPECTS; i++) {
		if (i % 2)
			e = expect_empty(at + i * m->page_size, 1);
		else
			e = expect_anon(m, at + i * m->page_size, 1);
		mapping_expect(m, e);
	}
}

/* With a NUMA policy of its own, which is in no entry. */
static void written_bound(struct mapping *m, int flags)
{
	const unsigned long node = 1;
	char *at = mapping_small(m, PAGES);

	if (!at)
		return;
	if (syscall(SYS_mbind, at, PAGES * m->page_size, MPOL_BIND | flags, &node,
		    8 * sizeof(node), 0)) {
		mapping_lacks(m, "the kernel has no such NUMA policies");
		return;
	}
	mapping_write(m, at, PAGES);
	mapping_expect(m, expect_anon(m, at, PAGES));
}

BUILDER(anon_bound)
{
	written_bound(m, 0);
}

/* Which numa_maps says behind the mode. */
BUILDER(anon_bound_balanced)
{
	written_bound(m, 1 << 13 /* MPOL_F_NUMA_BALANCING */);
}

BUILDER(anon_made_read_only)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (mprotect(at, PAGES * m->page_size, PROT_READ))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~PTWALK_FLAG_WRITE;
	e->clear |= PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_MAYWRITE;
	e->vma_clear = PTWALK_VMA_FLAG_WRITE;
}

BUILDER(anon_executable)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (mprotect(at, PAGES * m->page_size, PROT_READ | PROT_EXEC))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~PTWALK_FLAG_WRITE;
	e->set |= PTWALK_FLAG_EXEC;
	e->clear &= ~PTWALK_FLAG_EXEC;
	e->clear |= PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_EXEC;
	e->vma_clear = PTWALK_VMA_FLAG_WRITE;
}

BUILDER(anon_no_reserve)
{
	char *at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (!at)
		return;
	mapping_write(m, at, PAGES / 2);
	mapping_expect(m, expect_anon(m, at, PAGES / 2));
	mapping_expect(m, expect_empty(at + PAGES / 2 * m->page_size, PAGES / 2));
}

BUILDER(zero_page)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_read(m, at, PAGES);
	e = (struct expect) {
		.addr = PTR(at),
		.pages = PAGES,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL,
		.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_PAGE |
			 PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_ANONYMOUS,
		.pagemap_set = PM_PRESENT,
		.pagemap_clear = PM_FILE | PM_SWAP | PM_EXCLUSIVE,
		.kpage_set = KPF_ZERO_PAGE_,
		.kpage_clear = KPF_ANON_,
	};
	mapping_expect(m, e);
#ifndef __s390x__	/* has several zero pages */
	e.pages = 1;
	e.pfn = m->info.zero_pfn;
	mapping_expect(m, e);
	mapping_relate(m, PTR(at), PTR(at) + (PAGES - 1) * m->page_size, true);
#endif
}

BUILDER(prot_none)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (mprotect(at, PAGES * m->page_size, PROT_NONE))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER);
	e->set |= PTWALK_FLAG_PROT_NONE;
	/* x86 keeps the bit that forbids execution out of such entries. */
	e->clear &= ~(PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_EXEC);
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_NUMA_HINT;
	e->vma_set = PTWALK_VMA_FLAG_ANONYMOUS;
	e->vma_clear = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE;
}

BUILDER(locked)
{
	char *at = mapping_small(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	/* Nobody touches the pages: locking them is what brings them in. */
	if (mlock(at, PAGES * m->page_size))
		return mapping_broken(m, "mlock: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->vma_set |= PTWALK_VMA_FLAG_LOCKED;
}

/* The second process writes to the first half, from step 1 on. */
static void touch_half(void *arg, int nr)
{
	struct mapping *m = arg;

	if (nr)
		mapping_write(m, (char *)(uintptr_t)m->start, m->pages / 2);
}

static char *forked(struct mapping *m)
{
	char *at = mapping_small(m, PAGES);

	if (!at)
		return NULL;
	mapping_write(m, at, PAGES);
	if (target_start(&m->target, touch_half, m)) {
		mapping_broken(m, "no second process");
		return NULL;
	}
	return at;
}

static void relate_across(struct mapping *m, const char *at, bool same)
{
	mapping_relate(m, PTR(at), PTR(at), same);
	m->relation[m->nr_relations - 1].pid[1] = m->target.pid;
}

BUILDER(fork_before_write)
{
	char *at = forked(m);
	struct expect *e;
	int i;

	if (!at)
		return;
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE);
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_set = PM_PRESENT;
	e->pagemap_clear |= PM_EXCLUSIVE;
	for (i = 0; i < PAGES; i++)
		relate_across(m, at + i * m->page_size, true);
}

BUILDER(fork_after_write)
{
	char *at = forked(m);
	struct expect *e;
	int i;

	if (!at)
		return;
	if (target_step(&m->target))
		return mapping_broken(m, "the second process is gone");
	e = mapping_expect(m, expect_anon(m, at, PAGES / 2));
	/* Not copied, but alone now; it becomes writable when written to. */
	e->set &= ~PTWALK_FLAG_WRITE;
	e = mapping_expect(m, expect_anon(m, at + PAGES / 2 * m->page_size, PAGES / 2));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE);
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_set = PM_PRESENT;
	e->pagemap_clear |= PM_EXCLUSIVE;
	for (i = 0; i < PAGES; i++)
		relate_across(m, at + i * m->page_size, i >= PAGES / 2);
}

static void stop_ksm(struct mapping *m)
{
	proc_write("/sys/kernel/mm/ksm/run", "2");
	proc_write("/sys/kernel/mm/ksm/run", "0");
}

BUILDER(ksm)
{
	char *at = mapping_small(m, PAGES);
	struct expect *e;
	int tries, i;

	if (!at)
		return;
	if (access("/sys/kernel/mm/ksm/run", W_OK) ||
	    access("/proc/self/ksm_merging_pages", R_OK))
		return mapping_lacks(m, "the kernel has no KSM");
	memset(at, 0x5a, PAGES * m->page_size);
	if (mapping_fill)
		mapping_fill(at, m->page_size);
	for (i = 1; i < PAGES; i++)
		memcpy(at + i * m->page_size, at, m->page_size);
	if (madvise(at, PAGES * m->page_size, MADV_MERGEABLE))
		return mapping_lacks(m, "MADV_MERGEABLE: %s", strerror(errno));
	m->release = stop_ksm;
	proc_write("/sys/kernel/mm/ksm/sleep_millisecs", "10");
	proc_write("/sys/kernel/mm/ksm/pages_to_scan", "1000");
	proc_write("/sys/kernel/mm/ksm/run", "1");
	for (tries = 0; tries < 3000; tries++) {
		if (proc_number("/proc/self/ksm_merging_pages") == PAGES)
			break;
		usleep(10000);
	}
	proc_write("/sys/kernel/mm/ksm/run", "0");
	if (tries == 3000)
		return mapping_lacks(m, "KSM didn't merge the pages within half a minute");
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set = PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_KSM;
	e->clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->vma_set |= PTWALK_VMA_FLAG_MERGEABLE;
	e->pagemap_set = PM_PRESENT;
	e->pagemap_clear |= PM_EXCLUSIVE;
	e->kpage_set = KPF_KSM_ | KPF_ANON_;
	e->kpage_clear = 0;
	e->distinct = false;
	mapping_relate(m, PTR(at), PTR(at) + m->page_size, true);
}

/* The kernel merges pages of zeros with the zero page, if it is told to. */
BUILDER(ksm_zero)
{
	const char *use = "/sys/kernel/mm/ksm/use_zero_pages";
	char *at = mapping_small(m, PAGES);
	struct proc_vma vma;
	int tries;

	if (!at)
		return;
	if (access(use, W_OK))
		return mapping_lacks(m, "the kernel has no KSM");
	memset(at, 0, PAGES * m->page_size);
	if (madvise(at, PAGES * m->page_size, MADV_MERGEABLE))
		return mapping_lacks(m, "MADV_MERGEABLE: %s", strerror(errno));
	m->release = stop_ksm;
	proc_write(use, "1");
	proc_write("/sys/kernel/mm/ksm/sleep_millisecs", "10");
	proc_write("/sys/kernel/mm/ksm/pages_to_scan", "1000");
	proc_write("/sys/kernel/mm/ksm/run", "1");
	for (tries = 0; tries < 3000; tries++) {
		if (!proc_vma(m->pid, PTR(at), &vma) && !vma.rss)
			break;
		usleep(10000);
	}
	proc_write("/sys/kernel/mm/ksm/run", "0");
	proc_write(use, "0");
	if (tries == 3000)
		return mapping_lacks(m, "KSM didn't merge the pages within half a minute");
	mapping_expect(m, (struct expect) {
		.addr = PTR(at),
		.pages = PAGES,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL,
		.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
			 PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_KSM,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_MERGEABLE,
		.pagemap_set = PM_PRESENT,
		.pagemap_clear = PM_FILE | PM_SWAP | PM_EXCLUSIVE,
		.kpage_set = KPF_ZERO_PAGE_,
	});
}

/* Memory that the kernel may take back without writing it anywhere. */
BUILDER(lazy_free)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (madvise(at, PAGES * m->page_size, MADV_FREE))
		return mapping_lacks(m, "MADV_FREE: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~PTWALK_FLAG_DIRTY;
	/* s390x and arm take a clean page for one to be written to first. */
	e->set &= ~PTWALK_FLAG_WRITE;
}

/* The same, before the fact: Linux 6.11. */
BUILDER(droppable)
{
	char *at = mapping_place(m, PAGES * m->page_size, 0, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct expect *e;

	if (!at)
		return;
	/* MAP_DROPPABLE is a type of mapping, as MAP_PRIVATE is. */
	if (mmap(at, PAGES * m->page_size, PROT_READ | PROT_WRITE,
		 0x08 | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return mapping_lacks(m, "the kernel has no droppable memory");
	madvise(at, PAGES * m->page_size, MADV_NOHUGEPAGE);
	mapping_write(m, at, PAGES);
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->vma_set |= PTWALK_VMA_FLAG_DROPPABLE;
}

/* Written to again, what lazy_free has may not be taken back. */
BUILDER(lazy_free_written)
{
	build_lazy_free(m);
	if (m->pages && !m->lacks[0])
		mapping_write(m, (char *)(uintptr_t)m->start, m->pages);
}

/* A protection key of its own. */
BUILDER(anon_keyed)
{
	char *at = mapping_small(m, PAGES);
	int key;

	if (!at)
		return;
	key = pkey_alloc(0, 0);
	if (key < 0)
		return mapping_lacks(m, "the processor or the kernel has no protection keys");
	mapping_write(m, at, PAGES);
	if (pkey_mprotect(at, PAGES * m->page_size, PROT_READ | PROT_WRITE, key))
		mapping_broken(m, "pkey_mprotect: %s", strerror(errno));
}

/* Pages that mremap() has moved are the same ones in another place. */
BUILDER(moved)
{
	size_t half = PAGES / 2;
	struct ptw_page before[PAGES];
	u64 addrs[PAGES];
	struct expect *e;
	struct ptw ptw;
	char *from, *at;
	size_t i;

	from = mapping_small(m, PAGES);
	at = from ? mapping_small(m, PAGES) : NULL;
	if (!at)
		return;
	mapping_write(m, from, half);
	for (i = 0; i < half; i++)
		addrs[i] = PTR(from) + i * m->page_size;
	if (ptw_open(&ptw) || ptw_translate(&ptw, m->pid, addrs, half, before))
		return mapping_broken(m, "the pages can't be translated");
	ptw_close(&ptw);
	if (mremap(from, PAGES * m->page_size, PAGES * m->page_size,
		   MREMAP_MAYMOVE | MREMAP_FIXED, at) != at)
		return mapping_broken(m, "mremap: %s", strerror(errno));
	for (i = 0; i < half; i++) {
		e = mapping_expect(m, expect_anon(m, at + i * m->page_size, 1));
		e->pfn = before[i].t.value;
	}
	mapping_expect(m, expect_empty(at + half * m->page_size, half));
}

#define NUMA_BALANCING	"/proc/sys/kernel/numa_balancing"

static void restore_balancing(struct mapping *m)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(NUMA_BALANCING, text);
}

/* Moves the pages to a node; false if one of them isn't there then. */
static bool move_pages_to(struct mapping *m, char *at, int node)
{
	void *page[PAGES];
	int to[PAGES], status[PAGES], i;

	for (i = 0; i < PAGES; i++) {
		page[i] = at + i * m->page_size;
		to[i] = node;
		status[i] = -1;
	}
	syscall(SYS_move_pages, 0, PAGES, page, to, status, 2 /* MPOL_MF_MOVE */);
	for (i = 0; i < PAGES; i++)
		if (status[i] != node)
			return false;
	return true;
}

/* Computes for a while, which is when the kernel looks at a process's nodes. */
static void compute(int milliseconds)
{
	struct timespec t;
	double end = 0, now;

	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = t.tv_sec * 1e3 + t.tv_nsec / 1e6;
		end = end ?: now + milliseconds;
	} while (now < end);
}

static bool all_hints(struct mapping *m, char *at)
{
	struct ptw_page pages[PAGES];
	u64 addrs[PAGES];
	struct ptw ptw;
	int i, err;

	for (i = 0; i < PAGES; i++)
		addrs[i] = PTR(at) + i * m->page_size;
	if (ptw_open(&ptw))
		return false;
	err = ptw_translate(&ptw, m->pid, addrs, PAGES, pages);
	ptw_close(&ptw);
	for (i = 0; i < PAGES && !err; i++)
		if (!(ptwalk_bits_flags(pages[i].t.bits) & PTWALK_FLAG_NUMA_HINT))
			return false;
	return !err;
}

/* Pages of another node, which the kernel wants to see touched. */
BUILDER(numa_hint)
{
	struct expect *e;
	int tries;
	char *at;

	if (access("/sys/devices/system/node/node1", F_OK))
		return mapping_lacks(m, "the machine has one NUMA node");
	m->saved_number = proc_number(NUMA_BALANCING);
	if (m->saved_number < 0)
		return mapping_lacks(m, "the kernel doesn't balance NUMA nodes");
	at = mapping_small(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!move_pages_to(m, at, 1) && !move_pages_to(m, at, 1))
		return mapping_lacks(m, "the pages wouldn't move to node 1");
	m->release = restore_balancing;
	proc_write("/sys/kernel/debug/sched/numa_balancing/scan_delay_ms", "10");
	proc_write(NUMA_BALANCING, "1");
	for (tries = 0; tries < 600 && !all_hints(m, at); tries++)
		compute(50);
	restore_balancing(m);
	if (tries == 600)
		return mapping_lacks(m, "the kernel left no hints within half a minute");
	e = mapping_expect(m, expect_anon(m, at, PAGES));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER);
	e->set |= PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_NUMA_HINT;
	e->clear &= ~(PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_EXEC);
}
