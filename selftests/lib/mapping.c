// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))

void mapping_lacks(struct mapping *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->lacks, sizeof(m->lacks), format, args);
	va_end(args);
}

void mapping_broken(struct mapping *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->broken, sizeof(m->broken), format, args);
	va_end(args);
}

struct expect *mapping_expect(struct mapping *m, struct expect e)
{
	if (m->nr_expects == MAX_EXPECTS)
		abort();
	m->expect[m->nr_expects] = e;
	return &m->expect[m->nr_expects++];
}

void mapping_relate(struct mapping *m, u64 a, u64 b, bool same)
{
	if (m->nr_relations == MAX_RELATIONS)
		abort();
	m->relation[m->nr_relations++] = (struct relation) {
		.pid = { m->pid, m->pid },
		.addr = { a, b },
		.same = same,
	};
}

char *mapping_place(struct mapping *m, size_t size, size_t align, int prot,
		    int flags, int fd)
{
	size_t room = size + 2 * m->page_size + align;
	char *reserved, *at;

	if (!align)
		align = m->page_size;
	reserved = mmap(NULL, room, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reserved == MAP_FAILED) {
		mapping_broken(m, "reserving %zu bytes: %s", room, strerror(errno));
		return NULL;
	}
	at = (char *)((PTR(reserved) + m->page_size + align - 1) / align * align);
	if (mmap(at, size, prot, flags | MAP_FIXED, fd, 0) == MAP_FAILED) {
		mapping_broken(m, "mmap of %zu bytes: %s", size, strerror(errno));
		return NULL;
	}
	m->start = PTR(at);
	m->pages = size / m->page_size;
	return at;
}

char *mapping_small(struct mapping *m, size_t pages)
{
	char *at = mapping_place(m, pages * m->page_size, 0,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1);

	/* Fails on kernels that have no large pages. */
	if (at)
		madvise(at, pages * m->page_size, MADV_NOHUGEPAGE);
	return at;
}

char *mapping_written(struct mapping *m, size_t pages)
{
	char *at = mapping_small(m, pages);

	if (at)
		mapping_write(m, at, pages);
	return at;
}

char *mapping_many_records(struct mapping *m, size_t pages)
{
	char *at = mapping_place(m, pages * m->page_size, 0, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	/* The huge zero page would be one record. */
	if (at)
		madvise(at, pages * m->page_size, MADV_NOHUGEPAGE);
	return at;
}

void mapping_read_every_other(struct mapping *m)
{
	for (u64 i = 0; i < m->pages; i += 2)
		mapping_read(m, (char *)(uintptr_t)m->start + i * m->page_size, 1);
}

char *mapping_shared(struct mapping *m, size_t pages)
{
	return mapping_place(m, pages * m->page_size, 0, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1);
}

void (*mapping_fill)(void *page, u64 size);

void mapping_write(struct mapping *m, char *at, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++) {
		char *page = at + i * m->page_size;

		if (mapping_fill)
			mapping_fill(page, m->page_size);
		else
			*(volatile u64 *)page = PTR(at) + i;
	}
}

bool mapping_write_anew(struct mapping *m, char *at, size_t pages)
{
	if (!(m->info.features & PTWALK_FEATURE_SOFT_DIRTY)) {
		mapping_lacks(m, "the kernel has no soft-dirty bits");
		return false;
	}
	if (proc_write("/proc/self/clear_refs", "4")) {
		mapping_broken(m, "clear_refs can't be written");
		return false;
	}
	mapping_write(m, at, pages);
	return true;
}

void mapping_read(struct mapping *m, const char *at, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		(void)*(volatile const char *)(at + i * m->page_size);
}

size_t mapping_level_size(struct mapping *m, enum ptwalk_level level)
{
	u32 shift = m->info.shift[level];

	return shift && shift < 8 * sizeof(size_t) ? (size_t)1 << shift : 0;
}

struct expect expect_anon(struct mapping *m, const void *at, size_t pages)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
		       PTWALK_FLAG_DIRTY | PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
		       PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_RAM,
		.clear = PTWALK_FLAG_SPECIAL | PTWALK_FLAG_UFFD_WP |
			 PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_ZERO |
			 PTWALK_FLAG_KSM | PTWALK_FLAG_HUGETLB |
			 PTWALK_FLAG_EXEC,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |
			   PTWALK_VMA_FLAG_ANONYMOUS,
		.vma_clear = PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_SHARED |
			     PTWALK_VMA_FLAG_PFNMAP,
		.pagemap_set = PM_PRESENT | PM_EXCLUSIVE,
		.pagemap_clear = PM_FILE | PM_SWAP | PM_UFFD_WP | PM_GUARD,
		.kpage_set = KPF_ANON_,
		.kpage_clear = KPF_HUGE_ | KPF_ZERO_PAGE_ | KPF_NOPAGE_,
		.distinct = true,
	};
}

struct expect expect_empty(const void *at, size_t pages)
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

struct expect expect_marker(const void *at, size_t pages, u64 marker)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(MARKER),
		.level = PTWALK_LEVEL_PTE,
		.pfn = ANY_PFN,
		.value = marker,
		.pagemap_set = PM_SWAP,
		.pagemap_clear = PM_PRESENT | PM_UFFD_WP,
	};
}

bool mapping_frame(struct mapping *m, const void *at, u64 *pfn)
{
	struct ptw_page page;
	struct ptw ptw;

	if (ptw_open(&ptw) || ptw_translate_one(&ptw, m->pid, PTR(at), &page)) {
		mapping_broken(m, "the first page can't be translated");
		return false;
	}
	ptw_close(&ptw);
	*pfn = page.t.value;
	return true;
}

/**
 * mapping_build() - make a mapping
 * @m: Filled; mapping_release() undoes it, whatever came of it.
 * @ptw: To ask the kernel about its page sizes.
 * @builder: Which mapping; NULL for none yet.
 *
 * Return: 0 or a negative errno of the asking. Look at @m->lacks and
 * @m->broken, too.
 */
int mapping_build(struct mapping *m, struct ptw *ptw, builder_t builder)
{
	int err;

	memset(m, 0, sizeof(*m));
	m->pid = getpid();
	m->page_size = sysconf(_SC_PAGESIZE);
	m->fd = -1;
	err = ptw_info(ptw, &m->info);
	if (err || !builder)
		return err;
	builder(m);
	/* On s390 a mapping far up adds a level to the tables. */
	return ptw_info(ptw, &m->info);
}

void mapping_release(struct mapping *m)
{
	target_end(&m->target);
	if (m->release)
		m->release(m);
	if (m->fd >= 0)
		close(m->fd);
}
