// SPDX-License-Identifier: GPL-2.0
/*
 * Files whose pages are the disk's own memory (DAX): on persistent memory, or
 * on RAM that the kernel uses as such, for example with memmap=64M!256M.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ext4.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16
#define DISK	"/dev/pmem0"

static bool open_dax(struct mapping *m, size_t size, bool allocated)
{
	static struct output out;
	int disk, tries;

	run(&out, "modprobe", "-q", "nd_e820");
	run(&out, "modprobe", "-q", "nd_pmem");
	for (tries = 0; tries < 20 && !access("/sys/bus/nd/devices/region0", F_OK) &&
	     access(DISK, F_OK); tries++)
		usleep(50000);
	disk = open(DISK, O_RDWR | O_CLOEXEC);
	if (disk < 0) {
		mapping_lacks(m, "there is no persistent memory: %s", strerror(errno));
		return false;
	}
	if (!ext4_make(disk) || fsync(disk))
		mapping_broken(m, "a file system on %s: %s", DISK, strerror(errno));
	close(disk);
	if (m->broken[0] || !ext4_open(m, DISK, "dax=always"))
		return false;
	if (ftruncate(m->fd, size) || (allocated && fallocate(m->fd, 0, 0, size)))
		mapping_broken(m, "a file of DAX: %s", strerror(errno));
	return !m->broken[0];
}

/* Such a file, mapped at a multiple of @align. */
static char *map_dax(struct mapping *m, size_t size, size_t align, int prot, bool allocated)
{
	return open_dax(m, size, allocated) ?
	       mapping_place(m, size, align, prot, MAP_SHARED, m->fd) : NULL;
}

/*
 * Up to Linux 6.14 their entries are special, where there is such a bit, and
 * nobody counts them as mappings; from then on they are like those of any file.
 */
static struct expect expect_dax(const char *at, u64 pages)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_USER,
		.clear = PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO |
			 PTWALK_FLAG_HUGETLB | PTWALK_FLAG_RAM,
		.pfn = ANY_PFN,
		.vma_clear = PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_PFNMAP |
			     PTWALK_VMA_FLAG_SHMEM,
		.pagemap_set = PM_PRESENT,
		.pagemap_clear = PM_SWAP,
		.kpage_clear = KPF_ANON_ | KPF_ZERO_PAGE_ | KPF_HUGE_,
		.distinct = true,
	};
}

BUILDER(dax_file)
{
	char *at = map_dax(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE, true);
	struct expect *e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	e = mapping_expect(m, expect_dax(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE;
}

/* A hole that is read is the zero page. */
BUILDER(dax_hole)
{
	char *at = map_dax(m, PAGES * m->page_size, 0, PROT_READ, false);
	struct expect *e;

	if (!at)
		return;
	mapping_read(m, at, PAGES);
	e = mapping_expect(m, expect_dax(at, PAGES));
	e->set = PTWALK_FLAG_ZERO;
	e->clear = PTWALK_FLAG_ANON | PTWALK_FLAG_PAGE | PTWALK_FLAG_WRITE;
	e->kpage_clear = 0;
	e->kpage_set = KPF_ZERO_PAGE_;
	e->distinct = false;
}

static void dax_pmd(struct mapping *m, bool hole)
{
	size_t size = mapping_level_size(m, PTWALK_LEVEL_PMD);
	struct expect *e;
	char *at;

	if (!size || size > 4 << 20)
		return mapping_lacks(m, "huge pages are too large");
	at = map_dax(m, size, size, PROT_READ | PROT_WRITE, !hole);
	if (!at)
		return;
	madvise(at, size, MADV_HUGEPAGE);
	if (hole)
		mapping_read(m, at, 1);
	else
		mapping_write(m, at, size / m->page_size);
	e = mapping_expect(m, expect_dax(at, size / m->page_size));
	e->level = PTWALK_LEVEL_PMD;
	if (hole) {
		e->set = PTWALK_FLAG_ZERO;
		e->kpage_clear = 0;
		e->clear &= ~(PTWALK_FLAG_ZERO | PTWALK_FLAG_RAM);
	}
}

BUILDER(dax_huge)
{
	dax_pmd(m, false);
}

BUILDER(dax_huge_hole)
{
	dax_pmd(m, true);
}

/* A private copy of one page beside pages of the file. */
BUILDER(dax_private)
{
	char *at = map_dax(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE, true);
	struct expect *e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE, m->fd);
	if (!at)
		return;
	mapping_read(m, at, PAGES);
	mapping_write(m, at, 3);
	e = mapping_expect(m, expect_anon(m, at, 3));
	e->vma_set = PTWALK_VMA_FLAG_WRITE;
	e = mapping_expect(m, expect_dax(at + 3 * m->page_size, PAGES - 3));
	e->clear |= PTWALK_FLAG_WRITE;
}

/*
 * The same memory without a file system, for whoever has bound it to a device.
 * What that is aligned to is what an entry maps. One of the PUD doesn't outlive
 * a look at pagemap: the kernel's walker takes it apart, which unmaps it.
 */
BUILDER(dax_device)
{
	long long size = proc_number("/sys/bus/dax/devices/dax0.0/align");
	struct expect *e;
	int level;
	char *at;

	m->fd = open("/dev/dax0.0", O_RDWR | O_CLOEXEC);
	if (m->fd < 0)
		return mapping_lacks(m, "/dev/dax0.0: %s", strerror(errno));
	for (level = PTWALK_LEVEL_PTE; level <= PTWALK_LEVEL_PMD; level++)
		if ((long long)mapping_level_size(m, level) == size)
			break;
	if (level > PTWALK_LEVEL_PMD)
		return mapping_lacks(m, "/dev/dax0.0 has another alignment");
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!at)
		return;
	mapping_write(m, at, 1);
	e = mapping_expect(m, expect_dax(at, m->pages));
	e->level = level;
	e->set |= PTWALK_FLAG_WRITE;
}
