// SPDX-License-Identifier: GPL-2.0
/* Anonymous memory in small pages, and what is done to it. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

/* Nothing was ever there. */
static struct expect expect_empty(const char *at, u64 pages)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(NONE),
		.level = ANY_LEVEL,
		.pfn = ANY_PFN,
		.pagemap_clear = ~PM_SOFT_DIRTY,
	};
}

BUILDER(anon_written)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	e = expect_anon(m, at, PAGES);
	mapping_expect(m, &e);
}

BUILDER(anon_untouched)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	e = expect_empty(at, PAGES);
	mapping_expect(m, &e);
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
		mapping_expect(m, &e);
	}
}

BUILDER(anon_made_read_only)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (mprotect(at, PAGES * m->page_size, PROT_READ))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = expect_anon(m, at, PAGES);
	e.set &= ~PTWALK_FLAG_WRITE;
	e.clear |= PTWALK_FLAG_WRITE;
	e.vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_MAYWRITE;
	e.vma_clear = PTWALK_VMA_FLAG_WRITE;
	mapping_expect(m, &e);
}

BUILDER(anon_executable)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (mprotect(at, PAGES * m->page_size, PROT_READ | PROT_EXEC))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = expect_anon(m, at, PAGES);
	e.set &= ~PTWALK_FLAG_WRITE;
	e.set |= PTWALK_FLAG_EXEC;
	e.clear &= ~PTWALK_FLAG_EXEC;
	e.clear |= PTWALK_FLAG_WRITE;
	e.vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_EXEC;
	e.vma_clear = PTWALK_VMA_FLAG_WRITE;
	mapping_expect(m, &e);
}

BUILDER(anon_no_reserve)
{
	char *at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES / 2);
	e = expect_anon(m, at, PAGES / 2);
	mapping_expect(m, &e);
	e = expect_empty(at + PAGES / 2 * m->page_size, PAGES / 2);
	mapping_expect(m, &e);
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
	mapping_expect(m, &e);
#ifndef __s390x__	/* has several zero pages */
	e.pages = 1;
	e.pfn = m->info.zero_pfn;
	mapping_expect(m, &e);
	mapping_relate(m, PTR(at), PTR(at) + (PAGES - 1) * m->page_size, true);
#endif
}

BUILDER(prot_none)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (mprotect(at, PAGES * m->page_size, PROT_NONE))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = expect_anon(m, at, PAGES);
	e.set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER);
	e.set |= PTWALK_FLAG_PROT_NONE;
	/* x86 keeps the bit that forbids execution out of such entries. */
	e.clear &= ~(PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_EXEC);
	e.clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_NUMA_HINT;
	e.vma_set = PTWALK_VMA_FLAG_ANONYMOUS;
	e.vma_clear = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE;
	mapping_expect(m, &e);
}

BUILDER(locked)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	/* Nobody touches the pages: locking them is what brings them in. */
	if (mlock(at, PAGES * m->page_size))
		return mapping_broken(m, "mlock: %s", strerror(errno));
	e = expect_anon(m, at, PAGES);
	e.vma_set |= PTWALK_VMA_FLAG_LOCKED;
	mapping_expect(m, &e);
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
	struct expect e;
	int i;

	if (!at)
		return;
	e = expect_anon(m, at, PAGES);
	e.set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE);
	e.clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e.pagemap_set = PM_PRESENT;
	e.pagemap_clear |= PM_EXCLUSIVE;
	mapping_expect(m, &e);
	for (i = 0; i < PAGES; i++)
		relate_across(m, at + i * m->page_size, true);
}

BUILDER(fork_after_write)
{
	char *at = forked(m);
	struct expect e;
	int i;

	if (!at)
		return;
	if (target_step(&m->target))
		return mapping_broken(m, "the second process is gone");
	e = expect_anon(m, at, PAGES / 2);
	/* Not copied, but alone now; it becomes writable when written to. */
	e.set &= ~PTWALK_FLAG_WRITE;
	mapping_expect(m, &e);
	e = expect_anon(m, at + PAGES / 2 * m->page_size, PAGES / 2);
	e.set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE);
	e.clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e.pagemap_set = PM_PRESENT;
	e.pagemap_clear |= PM_EXCLUSIVE;
	mapping_expect(m, &e);
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
	struct expect e;
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
	for (tries = 0; tries < 500; tries++) {
		if (proc_number("/proc/self/ksm_merging_pages") == PAGES)
			break;
		usleep(10000);
	}
	proc_write("/sys/kernel/mm/ksm/run", "0");
	if (tries == 500)
		return mapping_lacks(m, "KSM didn't merge the pages within five seconds");
	e = expect_anon(m, at, PAGES);
	e.set = PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_KSM;
	e.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e.vma_set |= PTWALK_VMA_FLAG_MERGEABLE;
	e.pagemap_set = PM_PRESENT;
	e.pagemap_clear |= PM_EXCLUSIVE;
	e.kpage_set = KPF_KSM_ | KPF_ANON_;
	e.kpage_clear = 0;
	e.distinct = false;
	mapping_expect(m, &e);
	mapping_relate(m, PTR(at), PTR(at) + m->page_size, true);
}
