// SPDX-License-Identifier: GPL-2.0
/* Files and shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <unistd.h>
#include "ext4.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

/*
 * Opens a file of @pages pages whose pages lie in the page cache and nowhere
 * else: one in a ramfs, which is there for as long as the file is open.
 */
static bool open_file(struct mapping *m, size_t pages)
{
	char dir[] = "/tmp/ptwalk-XXXXXX", path[64], *page;
	size_t i;

	if (!mkdtemp(dir)) {
		mapping_broken(m, "%s: %s", dir, strerror(errno));
		return false;
	}
	if (mount("ptwalk", dir, "ramfs", 0, NULL)) {
		mapping_lacks(m, "no ramfs can be mounted: %s", strerror(errno));
		rmdir(dir);
		return false;
	}
	snprintf(path, sizeof(path), "%s/file", dir);
	m->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	page = malloc(m->page_size);
	for (i = 0; i < pages && m->fd >= 0; i++) {
		memset(page, 'a' + i % 26, m->page_size);
		if (mapping_fill)
			mapping_fill(page, m->page_size);
		if (write(m->fd, page, m->page_size) != (ssize_t)m->page_size)
			mapping_broken(m, "writing a file: %s", strerror(errno));
	}
	free(page);
	if (m->fd < 0)
		mapping_broken(m, "creating a file: %s", strerror(errno));
	return !m->broken[0];
}

/* Such a file, mapped. */
static char *map_file(struct mapping *m, int prot, int flags)
{
	return open_file(m, PAGES) ?
	       mapping_place(m, PAGES * m->page_size, 0, prot, flags, m->fd) : NULL;
}

static struct expect expect_file(const char *at, u64 pages)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_USER | PTWALK_FLAG_PAGE |
		       PTWALK_FLAG_RAM,
		.clear = PTWALK_FLAG_ANON | PTWALK_FLAG_SPECIAL |
			 PTWALK_FLAG_ZERO | PTWALK_FLAG_HUGETLB,
		.pfn = ANY_PFN,
		.vma_clear = PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_PFNMAP,
		.pagemap_set = PM_PRESENT | PM_FILE,
		.pagemap_clear = PM_SWAP,
		.kpage_clear = KPF_ANON_ | KPF_NOPAGE_ | KPF_ZERO_PAGE_ | KPF_HUGE_,
		.distinct = true,
	};
}

BUILDER(file_shared)
{
	struct expect *e;
	char *at = map_file(m, PROT_READ | PROT_WRITE, MAP_SHARED);

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	e = mapping_expect(m, expect_file(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_WRITE;
	e->pagemap_set |= PM_EXCLUSIVE;
}

BUILDER(file_private)
{
	struct expect *e;
	char *at = map_file(m, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	if (!at)
		return;
	mapping_read(m, at, PAGES);
	e = mapping_expect(m, expect_file(at, PAGES));
	e->clear |= PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_WRITE;
	e->vma_clear |= PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
}

/*
 * The first half is read and the second half written to; another mapping shows
 * the file's own pages.
 */
BUILDER(file_private_copy)
{
	size_t half = PAGES / 2;
	struct expect *e;
	char *at, *own;
	size_t i;

	own = map_file(m, PROT_READ, MAP_SHARED);
	if (!own)
		return;
	at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE, m->fd);
	if (!at)
		return;
	mapping_read(m, own, PAGES);
	mapping_read(m, at, half);
	mapping_write(m, at + half * m->page_size, half);
	e = mapping_expect(m, expect_file(at, half));
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_clear |= PM_EXCLUSIVE;
	e = mapping_expect(m, expect_anon(m, at + half * m->page_size, half));
	e->vma_set = PTWALK_VMA_FLAG_WRITE;
	for (i = 0; i < PAGES; i++)
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(own) + i * m->page_size, i < half);
}

BUILDER(file_untouched)
{
	char *at = map_file(m, PROT_READ, MAP_SHARED);

	if (!at)
		return;
	/* The pages are in memory; this process has just not mapped them. */
	mapping_expect(m, expect_empty(at, PAGES))->vma_set = PTWALK_VMA_FLAG_SHARED;
}

static bool open_shmem(struct mapping *m, size_t size)
{
	m->fd = memfd_create("ptwalk", MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, size)) {
		mapping_broken(m, "memfd: %s", strerror(errno));
		return false;
	}
	return true;
}

BUILDER(shmem)
{
	char *at = mapping_shared(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	e = mapping_expect(m, expect_file(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
	e->pagemap_set |= PM_EXCLUSIVE;
}

/* Shared memory that is mapped twice, and written to in the one that is returned. */
static char *write_in_two_windows(struct mapping *m, char **other)
{
	const size_t size = PAGES * m->page_size;
	char *at;

	if (!open_shmem(m, size))
		return NULL;
	*other = mapping_place(m, size, 0, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!*other)
		return NULL;
	at = mapping_place(m, size, 0, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (at)
		mapping_write(m, at, PAGES);
	return at;
}

static void close_pipe(struct mapping *m)
{
	close(m->saved_number & INT_MAX);
	close(m->saved_number >> 32);
}

/* Has a pipe hold pages of @at until the mapping is released. */
static bool hold_pages(struct mapping *m, char *at, const int *page, size_t nr)
{
	struct iovec pages[2];
	int ends[2];
	size_t i;

	if (pipe(ends))
		return false;
	m->saved_number = ends[0] | (long long)ends[1] << 32;
	m->release = close_pipe;
	for (i = 0; i < nr; i++)
		pages[i] = (struct iovec){ at + page[i] * m->page_size, m->page_size };
	return vmsplice(ends[1], pages, nr, 0) == (ssize_t)(nr * m->page_size);
}

/*
 * Pages that differ although their entries have the same bits. Of 2 and 3 only the
 * map counts do, as one is mapped twice and the other held; of 11 and 12 the
 * reference counts, as one is held; 5 and 8 have been read, once and more often.
 */
BUILDER(shmem_neighbours)
{
	static const int held[] = { 3, 11 }, read[] = { 2, 5, 8, 8, 8, 12 };
	char *other, *at, byte;
	struct expect *e;
	size_t i;

	at = write_in_two_windows(m, &other);
	if (!at)
		return;
	mapping_write(m, other + 2 * m->page_size, 1);
	for (i = 0; i < sizeof(read) / sizeof(read[0]); i++)
		if (pread(m->fd, &byte, 1, read[i] * m->page_size) != 1)
			return mapping_broken(m, "pread: %s", strerror(errno));
	if (!hold_pages(m, at, held, 2))
		return mapping_broken(m, "vmsplice: %s", strerror(errno));
	e = mapping_expect(m, expect_file(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
}

/*
 * Pages whose entries were there, clean and writable, before they were written
 * to: the processor has noted that in the entries, and the kernel knows nothing.
 */
BUILDER(shmem_dirty_entry)
{
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	mapping_read(m, at, PAGES);
	mapping_write(m, at, PAGES);
}

static void restore_shmem_enabled(struct mapping *m)
{
	proc_write("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "never");
}

/* The same of a huge page. */
BUILDER(thp_shmem_dirty_entry)
{
	size_t size = mapping_level_size(m, PTWALK_LEVEL_PMD);
	struct proc_vma vma;
	char *at;

	if (!(m->info.features & PTWALK_FEATURE_THP) || !size)
		return mapping_lacks(m, "the kernel has no transparent huge pages");
	if (proc_write("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "advise"))
		return mapping_lacks(m, "the kernel has no huge pages of shared memory");
	m->release = restore_shmem_enabled;
	if (!open_shmem(m, size))
		return;
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!at)
		return;
	madvise(at, size, MADV_HUGEPAGE);
	mapping_read(m, at, 1);
	if (proc_vma(m->pid, PTR(at), &vma) || vma.shmem_huge != size)
		return mapping_lacks(m, "the kernel made no huge page of shared memory");
	mapping_write(m, at, size / m->page_size);
}

/* Room for a huge page in small ones, in entries as above. */
BUILDER(thp_shmem_pieces)
{
	size_t size = mapping_level_size(m, PTWALK_LEVEL_PMD), pages = size / m->page_size;
	char *at;

	if (!(m->info.features & PTWALK_FEATURE_THP) || !size || size > 4 << 20)
		return mapping_lacks(m, "the kernel has no huge pages of 4 MiB or less");
	if (!open_shmem(m, size))
		return;
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!at)
		return;
	madvise(at, size, MADV_NOHUGEPAGE);
	mapping_read(m, at, pages);
	mapping_write(m, at, pages);
}

#define WRITEBACK	"/proc/sys/vm/dirty_writeback_centisecs"

static void restore_writeback(struct mapping *m)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(WRITEBACK, text);
}

/* Of a file on a disk, which the kernel would write to it when it likes. */
BUILDER(disk_dirty_entry)
{
	char *at;

	if (!ext4_file(m, PAGES * m->page_size))
		return;
	m->saved_number = proc_number(WRITEBACK);
	m->release = restore_writeback;
	proc_write(WRITEBACK, "0");
	at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE, MAP_SHARED,
			   m->fd);
	if (!at)
		return;
	mapping_read(m, at, PAGES);
	mapping_write(m, at, PAGES);
}

BUILDER(shmem_two_windows)
{
	struct expect *e;
	char *at, *other;
	size_t i;

	at = write_in_two_windows(m, &other);
	if (!at)
		return;
	mapping_write(m, other, PAGES);
	e = mapping_expect(m, expect_file(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE;
	e->clear |= PTWALK_FLAG_EXCLUSIVE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
	e->pagemap_clear |= PM_EXCLUSIVE;
	for (i = 0; i + 1 < PAGES; i += 2) {
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(other) + i * m->page_size, true);
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(other) + (i + 1) * m->page_size, false);
	}
}

/* A segment of System V, attached twice. */
BUILDER(sysv_shm)
{
	int id = shmget(IPC_PRIVATE, PAGES * m->page_size, IPC_CREAT | 0600);
	char *at, *other;
	struct expect *e;
	int i;

	if (id < 0)
		return mapping_lacks(m, "shmget: %s", strerror(errno));
	at = shmat(id, NULL, 0);
	other = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_RMID, NULL);
	if (at == (void *)-1 || other == (void *)-1)
		return mapping_broken(m, "shmat: %s", strerror(errno));
	m->start = PTR(at);
	m->pages = PAGES;
	mapping_write(m, at, PAGES);
	mapping_read(m, other, PAGES);
	e = mapping_expect(m, expect_file(at, PAGES));
	e->set |= PTWALK_FLAG_WRITE;
	e->clear |= PTWALK_FLAG_EXCLUSIVE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
	e->pagemap_clear |= PM_EXCLUSIVE;
	for (i = 0; i < PAGES; i++)
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(other) + i * m->page_size, true);
}

/* Shared memory in large folios that PTEs map: Linux 6.11. */
BUILDER(mthp_shmem)
{
	const char *dir = "/sys/kernel/mm/transparent_hugepage/hugepages-64kB";
	size_t size = 64 << 10;
	char enabled[128], stat[128];
	struct expect *e;
	long long before;
	char *at;

	snprintf(enabled, sizeof(enabled), "%s/shmem_enabled", dir);
	snprintf(stat, sizeof(stat), "%s/stats/shmem_alloc", dir);
	if (access(enabled, W_OK) || size <= m->page_size)
		return mapping_lacks(m, "the kernel has no 64K folios of shared memory");
	if (!open_shmem(m, size))
		return;
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!at)
		return;
	if (proc_write(enabled, "advise") || madvise(at, size, MADV_HUGEPAGE))
		return mapping_lacks(m, "64K folios can't be had: %s", strerror(errno));
	before = proc_number(stat);
	mapping_write(m, at, size / m->page_size);
	if (proc_number(stat) <= before)
		return mapping_lacks(m, "the kernel gave no 64K folio");
	e = mapping_expect(m, expect_file(at, size / m->page_size));
	e->set |= PTWALK_FLAG_LARGE | PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
	e->kpage_set = KPF_THP_;
}

BUILDER(thp_shmem)
{
	size_t size = mapping_level_size(m, PTWALK_LEVEL_PMD);
	struct proc_vma vma;
	struct expect *e;
	char *at;

	if (!(m->info.features & PTWALK_FEATURE_THP) || !size)
		return mapping_lacks(m, "the kernel has no transparent huge pages");
	if (!open_shmem(m, size))
		return;
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd);
	if (!at)
		return;
	madvise(at, size, MADV_HUGEPAGE);
	mapping_write(m, at, size / m->page_size);
	/* MADV_COLLAPSE, Linux 6.1; needs no setting of shmem_enabled. */
	if (madvise(at, size, 25) || proc_vma(m->pid, PTR(at), &vma) ||
	    vma.shmem_huge != size)
		return mapping_lacks(m, "the kernel made no huge page of shared memory");
	mapping_read(m, at, size / m->page_size);
	e = mapping_expect(m, expect_file(at, size / m->page_size));
	e->level = PTWALK_LEVEL_PMD;
	e->set |= PTWALK_FLAG_LARGE;
	e->vma_set = PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_SHMEM;
	e->kpage_set = KPF_THP_;
}

/*
 * A file on a disk, of one huge page that an entry of its own maps: read-only,
 * since what is written gets write-protected whenever the kernel has written
 * it to the disk. NULL, with mapping_lacks() called, if the kernel has no such
 * files: Linux 6.16 has those of ext4.
 */
static char *map_huge_file(struct mapping *m, int flags, int prot)
{
	size_t size = mapping_level_size(m, PTWALK_LEVEL_PMD);
	struct proc_vma vma;
	char *at;

	if (!(m->info.features & PTWALK_FEATURE_THP) || !size || size > 4 << 20) {
		mapping_lacks(m, "the kernel has no huge pages of 4 MiB or less");
		return NULL;
	}
	if (!ext4_file(m, size))
		return NULL;
	at = mapping_place(m, size, size, prot, flags, m->fd);
	if (!at)
		return NULL;
	madvise(at, size, MADV_HUGEPAGE);
	mapping_read(m, at, size / m->page_size);
	if (!proc_vma(m->pid, PTR(at), &vma) && vma.file_huge == size)
		return at;
	mapping_lacks(m, "the kernel made no huge page of a file");
	return NULL;
}

static struct expect expect_huge_file(struct mapping *m, const char *at, size_t pages)
{
	struct expect e = expect_file(at, pages);

	e.level = PTWALK_LEVEL_PMD;
	e.set |= PTWALK_FLAG_LARGE;
	e.clear |= PTWALK_FLAG_WRITE;
	e.vma_clear |= PTWALK_VMA_FLAG_SHMEM;
	e.kpage_set = KPF_THP_;
	return e;
}

BUILDER(thp_file)
{
	char *at = map_huge_file(m, MAP_SHARED, PROT_READ);
	struct expect *e;

	if (!at)
		return;
	e = mapping_expect(m, expect_huge_file(m, at, m->pages));
	e->set |= PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_set |= PM_EXCLUSIVE;
}

/* A window that begins at the second page has the huge page in small entries. */
BUILDER(thp_file_pieces)
{
	char *whole = map_huge_file(m, MAP_SHARED, PROT_READ), *at;
	size_t pages = PAGES, skip = 1;
	struct expect *e;
	u64 first;

	if (!whole)
		return;
	if (!mapping_frame(m, whole, &first))
		return;
	at = mapping_place(m, pages * m->page_size, 0, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!at)
		return;
	if (mmap(at, pages * m->page_size, PROT_READ, MAP_SHARED | MAP_FIXED, m->fd,
		 skip * m->page_size) == MAP_FAILED)
		return mapping_broken(m, "mmap of a file: %s", strerror(errno));
	mapping_read(m, at, pages);
	e = mapping_expect(m, expect_huge_file(m, at, pages));
	e->level = PTWALK_LEVEL_PTE;
	e->clear |= PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_clear |= PM_EXCLUSIVE;
	e->pfn = first + skip;
}

/* Writing to one page has the huge entry taken apart. */
BUILDER(thp_file_copied)
{
	char *at = map_huge_file(m, MAP_PRIVATE, PROT_READ | PROT_WRITE);
	const size_t copied = 5;
	struct expect *e;

	if (!at)
		return;
	mapping_write(m, at + copied * m->page_size, 1);
	mapping_read(m, at, m->pages);
	e = mapping_expect(m, expect_huge_file(m, at, copied));
	e->level = PTWALK_LEVEL_PTE;
	e = mapping_expect(m, *e);
	e->addr += (copied + 1) * m->page_size;
	e->pages = m->pages - copied - 1;
	e = mapping_expect(m, expect_anon(m, at + copied * m->page_size, 1));
	e->vma_set = PTWALK_VMA_FLAG_WRITE;
}
