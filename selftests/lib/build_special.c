// SPDX-License-Identifier: GPL-2.0
/* What the kernel and drivers map, and the ends of the address space. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))

BUILDER(stack)
{
	struct proc_vma vma;
	struct expect *e;

	if (proc_vma_named(m->pid, "[stack]", &vma))
		return mapping_broken(m, "no [stack]");
	if (PTR(&vma) < vma.start || PTR(&vma) >= vma.end)
		return mapping_broken(m, "a local variable isn't in [stack]");
	m->start = PTR(&vma) & ~(m->page_size - 1);
	m->pages = 1;
	e = mapping_expect(m, expect_anon(m, NULL, 1));
	e->addr = m->start;
	e->clear &= ~PTWALK_FLAG_EXEC;
	e->vma_clear &= ~PTWALK_VMA_FLAG_EXEC;
	e->vma_set |= PTWALK_VMA_FLAG_GROWSDOWN;
}

/* All of a mapping that the kernel made; false if it made none. */
static bool take_named(struct mapping *m, const char *name, struct proc_vma *vma)
{
	struct timespec now;
	int i;

	/* Have the pages faulted in. */
	for (i = 0; i < 3; i++)
		clock_gettime(i ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
	if (proc_vma_named(m->pid, name, vma)) {
		mapping_lacks(m, "the kernel maps no %s", name);
		return false;
	}
	m->start = vma->start;
	m->pages = (vma->end - vma->start) / m->page_size;
	return true;
}

BUILDER(vdso)
{
	struct proc_vma vma;

	if (!take_named(m, "[vdso]", &vma))
		return;
	mapping_read(m, (char *)(uintptr_t)m->start, m->pages);
	mapping_expect(m, (struct expect) {
		.addr = m->start,
		.pages = m->pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_PAGE | PTWALK_FLAG_EXEC,
		.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_EXEC,
		.pagemap_set = PM_PRESENT | PM_FILE,
		.distinct = true,
	});
}

/*
 * Since a page of it may be missing, or wait for its first use, only this is
 * known: pages of the kernel, read-only, and a hole in pagemap if the VMA is
 * VM_PFNMAP.
 */
BUILDER(vvar)
{
	struct proc_vma vma;
	struct expect *e;

	if (!take_named(m, "[vvar]", &vma))
		return;
	e = mapping_expect(m, (struct expect) {
		.addr = m->start,
		.pages = m->pages,
		.kinds = KIND(PRESENT) | KIND(NONE),
		.level = ANY_LEVEL,
		.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_ANON,
		.pfn = ANY_PFN,
		.vma_clear = PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_ANONYMOUS,
		.some_present = true,
	});
	if (vma.flags & PTWALK_VMA_FLAG_PFNMAP) {
		e->vma_set = PTWALK_VMA_FLAG_PFNMAP;
		e->pagemap_clear = ~PM_SOFT_DIRTY;
	} else {
		e->vma_clear |= PTWALK_VMA_FLAG_PFNMAP;
	}
}

#define FIXTURE	"/dev/ptwalk_fixture"

struct published {
	u64 offset, length, physical;
};

static bool open_fixture(struct mapping *m, const char *name,
			 struct published *region)
{
	char text[4096], *line, *save = NULL;
	int err = 0;

	if (access(FIXTURE, F_OK))
		err = module_load("ptwalk_fixture");
	if (err == -ENOENT) {
		mapping_lacks(m, "there is no ptwalk_fixture module");
		return false;
	}
	m->fd = open(FIXTURE, O_RDWR | O_CLOEXEC);
	if (m->fd < 0) {
		mapping_broken(m, "%s: %s (loading the module: %s)", FIXTURE,
			       strerror(errno), strerror(-err));
		return false;
	}
	if (proc_read(FIXTURE, text, sizeof(text))) {
		mapping_broken(m, "%s can't be read", FIXTURE);
		return false;
	}
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char found[64];

		if (sscanf(line, "%63s %llx %llx %llx", found, &region->offset,
			   &region->length, &region->physical) == 4 &&
		    !strcmp(found, name))
			return true;
	}
	mapping_broken(m, "%s has no region %s", FIXTURE, name);
	return false;
}

/* Maps a region from its page @skip on, leaving @leave pages off its end. */
static void build_fixture(struct mapping *m, u64 skip, u64 leave)
{
	struct published region;
	u64 length;
	char *at;

	if (!open_fixture(m, "coherent-remap", &region))
		return;
	skip *= m->page_size;
	length = region.length - skip - leave * m->page_size;
	at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
		  region.offset + skip);
	if (at == MAP_FAILED)
		return mapping_broken(m, "mmap of the region: %s", strerror(errno));
	m->start = PTR(at);
	m->pages = length / m->page_size;
	mapping_expect(m, (struct expect) {
		.addr = PTR(at),
		.pages = m->pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_SPECIAL | PTWALK_FLAG_WRITE | PTWALK_FLAG_USER,
		.clear = PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO |
			 PTWALK_FLAG_EXCLUSIVE,
		.pfn = (region.physical + skip) / m->page_size,
		.vma_set = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_SHARED |
			   PTWALK_VMA_FLAG_IO,
		.pagemap_clear = ~PM_SOFT_DIRTY,
		.distinct = true,
	});
}

BUILDER(fixture_region)
{
	build_fixture(m, 0, 0);
}

BUILDER(fixture_inside)
{
	build_fixture(m, 3, 2);
}

/* Anonymous pages, whose entries come next to those of the region. */
BUILDER(behind_pfnmap)
{
	struct published region;
	char *at;

	if (!open_fixture(m, "coherent-remap", &region))
		return;
	at = mapping_small(m, region.length / m->page_size + 16);
	if (!at)
		return;
	mapping_write(m, at + region.length, 16);
	if (mmap(at, region.length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 m->fd, region.offset) == MAP_FAILED)
		mapping_broken(m, "mmap of the region: %s", strerror(errno));
}

static void expect_no_vma(struct mapping *m, u64 addr)
{
	mapping_expect(m, (struct expect) {
		.addr = addr,
		.pages = 1,
		.kinds = KIND(NO_VMA),
		.level = ANY_LEVEL,
		.pfn = ANY_PFN,
		.pagemap_clear = ~0ULL,
	});
}

/* Three pages, of which the middle one is unmapped. */
BUILDER(between_vmas)
{
	char *at = mapping_small(m, 3);
	struct expect *e;

	if (!at)
		return;
	mapping_write(m, at, 3);
	if (munmap(at + m->page_size, m->page_size))
		return mapping_broken(m, "munmap: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, 1));
	e = mapping_expect(m, *e);
	e->addr += 2 * m->page_size;
	expect_no_vma(m, PTR(at) + m->page_size);
}

/*
 * The last page that a process can map. Where that is depends on the levels
 * of its tables, on the architecture and on how the kernel was built, so try.
 */
BUILDER(top_of_user_space)
{
	bool wide = sizeof(void *) == 8;
	u64 top = wide ? 1ULL << 57 : 1ULL << 32;
	char *at = MAP_FAILED;
	int step;

	while (at == MAP_FAILED && top > (wide ? 1ULL << 32 : 1ULL << 30)) {
		for (step = 1; step <= 4 && at == MAP_FAILED; step++)
			at = mmap((void *)(uintptr_t)(top - step * m->page_size),
				  m->page_size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS |
				  MAP_FIXED_NOREPLACE, -1, 0);
		top = wide ? top / 2 : top - (1 << 24);
	}
	if (at == MAP_FAILED)
		return mapping_lacks(m, "the last page of the address space is taken");
	m->start = PTR(at);
	m->pages = 1;
	mapping_write(m, at, 1);
	mapping_expect(m, expect_anon(m, at, 1));
}

/* The last page of all, which is nobody's. */
BUILDER(last_page)
{
	m->start = (u64)(uintptr_t)-m->page_size;
	m->pages = 1;
	m->unmapped = true;
	expect_no_vma(m, m->start);
}
