// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "build_huge.h"
#include "operate.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif
#define MF_MOVE_ALL		4	/* MPOL_MF_MOVE_ALL of linux/mempolicy.h */

static struct cell *noted;
static struct written *notes;

static void note(void *page, u64 page_size)
{
	static u64 seed;
	u64 *word = page, x = ++seed * 0xd1342543de82ef95ULL + getpid();
	u64 index = ((u64)(uintptr_t)page - noted->m.start) / page_size, size = page_size;

	/* Nobody looks at the contents of huge pages that are that large. */
	if (noted->m.pages > LOOK_PAGES)
		size = sizeof(*word);
	for (u64 i = 0; i < size / sizeof(*word); i++)
		word[i] = x += 0x9e3779b97f4a7c15ULL;
	/* What is outside is the text of a file, which is going to be mapped. */
	if (noted->m.start && index < noted->m.pages && index < LOOK_PAGES)
		notes[index] = (struct written) {
			.sum = look_sum(page, size),
			.is = true,
		};
}

void cell_note(struct cell *c, struct written *written)
{
	noted = c;
	notes = written;
	mapping_fill = note;
}

/* A part in the middle, or one page; whole entries of hugetlb it is not. */
static size_t part(struct cell *c, size_t *pages)
{
	c->parts = *pages = c->m.pages / 4 ? c->m.pages / 4 : 1;
	c->part = c->m.pages / 2;
	return c->part;
}

static void advise(struct cell *c, int advice)
{
	refused(c, madvise(at(c, 0), size(c), advice));
}

static void mprotect_read(struct cell *c)
{
	refused(c, mprotect(at(c, 0), size(c), prot_of(c) & PROT_READ));
}

static void mprotect_none(struct cell *c)
{
	refused(c, mprotect(at(c, 0), size(c), PROT_NONE));
}

static void mprotect_back(struct cell *c)
{
	int prot = prot_of(c);

	if (!refused(c, mprotect(at(c, 0), size(c), prot & PROT_READ)) &&
	    !refused(c, mprotect(at(c, 0), size(c), PROT_NONE)))
		refused(c, mprotect(at(c, 0), size(c), prot));
}

char *place(struct cell *c, size_t bytes, const char *like)
{
	size_t huge = mapping_level_size(&c->m, PTWALK_LEVEL_PMD);
	char *reserved;

	if (huge > 4 << 20 || !huge)
		huge = c->m.page_size;
	reserved = mmap(NULL, bytes + 2 * huge + 2 * c->m.page_size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (refused(c, reserved == MAP_FAILED))
		return NULL;
	reserved += c->m.page_size;
	return reserved + ((uintptr_t)like - (uintptr_t)reserved) % huge;
}

static void move(struct cell *c, int flags)
{
	char *to = place(c, size(c), at(c, 0));

	if (to && !refused(c, mremap(at(c, 0), size(c), size(c),
				     MREMAP_MAYMOVE | MREMAP_FIXED | flags, to) != to))
		c->start = (uintptr_t)to;
}

static void mremap_move(struct cell *c)
{
	move(c, 0);
}

static void mremap_dontunmap(struct cell *c)
{
	move(c, MREMAP_DONTUNMAP);
}

/* Writes one word: wherever the kernel copies the page to, it has all others, too. */
static void write_word(struct cell *c, size_t i)
{
	static u64 copy[(64 << 10) / sizeof(u64)];
	u64 *page = (u64 *)at(c, i), word = i % (c->m.page_size / sizeof(u64));

	memcpy(copy, page, c->m.page_size);
	if (c->before.page[i].read &&
	    look_sum(copy, c->m.page_size) != c->before.page[i].sum)
		return;
	copy[word] = ~copy[word] + getpid();
	page[word] = copy[word];
	notes[i] = (struct written) {
		.sum = look_sum(copy, c->m.page_size),
		.is = true,
	};
}

/* Writes to every page that can be written to without waiting for anybody. */
static void write_all(struct cell *c)
{
	for (size_t i = 0; i < c->m.pages; i++) {
		const struct look_page *p = &c->before.page[i];
		u32 kind = ptwalk_bits_kind(p->bits);

		if (kind == PTWALK_KIND_MARKER || !(p->vma & PTWALK_VMA_FLAG_WRITE) ||
		    p->vma & PTWALK_VMA_FLAG_PFNMAP)
			continue;
		if (kind == PTWALK_KIND_PRESENT)
			write_word(c, i);
		else
			mapping_write(&c->m, at(c, i), 1);
	}
}

static void fork_and(struct cell *c, bool write_there)
{
	pid_t parent = getpid(), child;
	int done[2];
	char byte = 0;

	/* For the copy. */
	if (write_there && c->before.page[0].vma & PTWALK_VMA_FLAG_HUGETLB &&
	    !hugetlb_reserve(&c->extra, hugetlb_default_size()))
		return lacks(c, "there is no further hugetlb page");
	if (refused(c, pipe(done)))
		return;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, 9);
		if (getppid() != parent)
			_exit(1);
		cell_note(c, c->other_wrote);
		if (write_there)
			write_all(c);
		if (write(done[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	/* The child has the cell, too. */
	c->other = child;
	close(done[1]);
	if (!refused(c, child < 0) && read(done[0], &byte, 1) != 1)
		lacks(c, "the other process got no memory");
	close(done[0]);
}

static void fork_alone(struct cell *c)
{
	fork_and(c, false);
}

static void fork_child_writes(struct cell *c)
{
	fork_and(c, true);
}

/* What writes to pages, or brings them in for that, would wait for its owner. */
static bool waits(struct cell *c)
{
	if (!(c->before.page[0].vma & PTWALK_VMA_FLAG_UFFD_WP))
		return false;
	lacks(c, "a write would wait for the userfaultfd");
	return true;
}

static void write_pages(struct cell *c)
{
	if (waits(c))
		return;
	/* Of pages that aren't soft-dirty, if the kernel has such a bit. */
	proc_write("/proc/self/clear_refs", "4");
	write_all(c);
}

void migrate_every(struct cell *c, size_t step)
{
	static void *page[LOOK_PAGES];
	static int to[LOOK_PAGES], status[LOOK_PAGES];
	size_t nr = 0;

	if (access("/sys/devices/system/node/node1", F_OK))
		return lacks(c, "the machine has one NUMA node");
	for (size_t i = 0; i < c->m.pages; i += step, nr++) {
		page[nr] = at(c, i);
		to[nr] = !((c->before.page[i].page.place >> 8) & 0xffffff);
	}
	refused(c, syscall(SYS_move_pages, 0, nr, page, to, status, MF_MOVE_ALL) < 0);
}

static void migrate(struct cell *c)
{
	migrate_every(c, 1);
}

/* More than once: what waits in a list of its own isn't found at first. */
static void pageout(struct cell *c)
{
	for (int i = 0; i < 3; i++)
		advise(c, 21);		/* MADV_PAGEOUT */
}

/* Twice: what isn't dirty when it is back would be lost. */
static void swap_in(struct cell *c)
{
	for (int i = 0; i < 2; i++) {
		pageout(c);
		/* MADV_POPULATE_READ, which goes no further than PROT_NONE. */
		madvise(at(c, 0), size(c), 22);
	}
}

static void cold(struct cell *c)
{
	advise(c, 20);			/* MADV_COLD */
}

/* Of a large folio; that is split. */
static void cold_part(struct cell *c)
{
	size_t pages, from = part(c, &pages);

	refused(c, madvise(at(c, from), pages * c->m.page_size, 20));
}

static void mprotect_part(struct cell *c)
{
	size_t pages, from = part(c, &pages);

	refused(c, mprotect(at(c, from), pages * c->m.page_size, prot_of(c) & PROT_READ));
}

static void munmap_part(struct cell *c)
{
	size_t pages, from = part(c, &pages);

	refused(c, munmap(at(c, from), pages * c->m.page_size));
}

/* There and back, which leaves all pages where they were. */
static void mremap_part(struct cell *c)
{
	size_t pages, from = part(c, &pages), bytes = pages * c->m.page_size;
	char *to = place(c, bytes, at(c, from));

	if (to && !refused(c, mremap(at(c, from), bytes, bytes,
				     MREMAP_MAYMOVE | MREMAP_FIXED, to) != to))
		refused(c, mremap(to, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
				  at(c, from)) != at(c, from));
}

static void collapse(struct cell *c)
{
	madvise(at(c, 0), size(c), MADV_HUGEPAGE);
	advise(c, 25);			/* MADV_COLLAPSE */
}

static void populate_read(struct cell *c)
{
	advise(c, 22);			/* MADV_POPULATE_READ */
}

static void populate_write(struct cell *c)
{
	if (!waits(c))
		advise(c, 23);		/* MADV_POPULATE_WRITE */
}

/*
 * In a child, which has nothing of it then; @done is closed by that. The new
 * program's own mappings could stand where the pages were, as both begin at a
 * random address within as little as 1 GiB (arm64, CONFIG_ARCH_MMAP_RND_BITS 18).
 * With ADDR_COMPAT_LAYOUT they grow upwards from a third of all addresses instead
 * (mmap_is_legacy()), where no mapping of a cell is.
 */
static void exec_child(struct cell *c)
{
	pid_t parent = getpid(), child;
	int done[2];
	char byte;

	if (refused(c, pipe2(done, O_CLOEXEC)))
		return;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		personality(personality(0xffffffff) | ADDR_COMPAT_LAYOUT);
		if (getppid() == parent)
			execlp("sleep", "sleep", "600", NULL);
		_exit(write(done[1], "", 1));
	}
	c->other = child;
	close(done[1]);
	if (!refused(c, child < 0) && read(done[0], &byte, 1))
		lacks(c, "there is no sleep(1)");
	close(done[0]);
}

/* Past the pages in memory. */
static void read_disk(struct cell *c)
{
	const u64 bytes = c->m.page_size;
	char path[32];
	void *page;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->m.fd);
	fd = c->m.fd < 0 ? -1 : open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return;
	if (posix_memalign(&page, bytes, bytes))
		page = NULL;
	for (size_t i = 0; page && i < c->m.pages; i++)
		if (pread(fd, page, bytes, i * bytes) == (ssize_t)bytes)
			c->on_disk[i] = (struct written) {
				.sum = look_sum(page, bytes),
				.is = true,
			};
	free(page);
	close(fd);
}

static void sync_file(struct cell *c)
{
	if (!refused(c, msync(at(c, 0), size(c), MS_SYNC)))
		read_disk(c);
}

/* What is in the file only is read from there again. */
static void sync_and_drop(struct cell *c)
{
	sync_file(c);
	pageout(c);
}

/* A file that has a page less by half, and then as many as before. */
static void truncate_file(struct cell *c)
{
	off_t length = lseek(c->m.fd, 0, SEEK_END);

	if (c->m.fd < 0 || length <= 0)
		return lacks(c, "it is no file");
	if (!refused(c, ftruncate(c->m.fd, size(c) / 2)))
		refused(c, ftruncate(c->m.fd, length));
	c->part = c->m.pages / 2;
	c->parts = c->m.pages - c->part;
}

static void clear_refs(struct cell *c)
{
	int err = proc_write("/proc/self/clear_refs", "4");

	if (!(c->m.info.features & PTWALK_FEATURE_SOFT_DIRTY))
		return lacks(c, "the kernel has no soft-dirty bits");
	c->err = err;
}

static void lazy_free(struct cell *c)
{
	advise(c, MADV_FREE);
}

static void dontneed(struct cell *c)
{
	advise(c, MADV_DONTNEED);
}

static void unmerge(struct cell *c)
{
	advise(c, MADV_UNMERGEABLE);
}

#define TO_SWAP	(MAY_SWAP | MAY_DROP | MAY_CLEAN)

/* What moves is no longer protected (entries, too, since Linux 6.13), nor merged. */
#define MOVES	"mremap_userfaultfd_prep(), move_vma(): ksm_madvise()"

/* Whether memory is counted depends on whether it can be written to. */
#define RIGHTS		(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE | \
			 PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_ACCOUNT)
#define UFFD		(PTWALK_VMA_FLAG_UFFD_MISSING | PTWALK_VMA_FLAG_UFFD_WP | \
			 PTWALK_VMA_FLAG_UFFD_MINOR)
#define LOCKED		(PTWALK_VMA_FLAG_LOCKED | PTWALK_VMA_FLAG_LOCKONFAULT)
#define ADVICE		(PTWALK_VMA_FLAG_HUGEPAGE | PTWALK_VMA_FLAG_NOHUGEPAGE)
#define ANEW		(~0ULL)		/* another VMA */

const struct operation operations[NR_OPERATIONS] = {
	[OPERATION_mprotect_read] = { "mprotect_read", mprotect_read, .vma_may = RIGHTS },
	[OPERATION_mprotect_none] = { "mprotect_none", mprotect_none, .vma_may = RIGHTS },
	[OPERATION_mprotect_back] = { "mprotect_back", mprotect_back, .vma_may = RIGHTS },
	[OPERATION_mremap_move] = {
		"mremap_move", mremap_move,
		.may = MAY_CLEAR_UFFD_WP | MAY_UNMERGE,
		.vma_may = UFFD,
		.source = MOVES,
	},
	[OPERATION_mremap_dontunmap] = {
		"mremap_dontunmap", mremap_dontunmap,
		.may = MAY_CLEAR_UFFD_WP | MAY_UNMERGE,
		.vma_may = UFFD,
		.source = MOVES,
	},
	[OPERATION_fork] = {
		"fork", fork_alone,
		.other_may = MAY_DROP | MAY_CLEAR_UFFD_WP,
		.vma_may = LOCKED | UFFD,
		.source = "vma_needs_copy(), dup_userfaultfd()",
	},
	[OPERATION_write] = {
		"write", write_pages, .may = MAY_CLEAR_SOFT_DIRTY,
		.source = "Documentation/admin-guide/mm/soft-dirty.rst",
	},
	[OPERATION_fork_child_writes] = {
		"fork_child_writes", fork_child_writes,
		/* What isn't copied, the child's access brings in. */
		.other_may = MAY_DROP | MAY_CLEAR_UFFD_WP | MAY_FAULT_IN,
		.vma_may = LOCKED | UFFD,
		.source = "vma_needs_copy(), dup_userfaultfd()",
	},
	[OPERATION_migrate] = {
		"migrate", migrate, .may = MAY_MOVE, .source = "move_pages(2)",
	},
	[OPERATION_pageout] = {
		"pageout", pageout, .may = TO_SWAP, .needs_swap = true,
		.source = "madvise(2): MADV_PAGEOUT, try_to_unmap_one()",
	},
	[OPERATION_swap_in] = {
		"swap_in", swap_in, .may = TO_SWAP | MAY_MOVE | MAY_FAULT_IN,
		.needs_swap = true,
		.source = "madvise(2): MADV_PAGEOUT, MADV_POPULATE_READ",
	},
	[OPERATION_cold] = { "cold", cold },
	[OPERATION_cold_part] = {
		"cold_part", cold_part, .may = MAY_DROP,
		.source = "unmap_folio() drops entries of files",
	},
	[OPERATION_mprotect_part] = {
		"mprotect_part", mprotect_part, .may = MAY_DROP,
		.vma_may = RIGHTS,
		.source = "__split_huge_pmd_locked() drops huge entries of files",
	},
	[OPERATION_munmap_part] = {
		"munmap_part", munmap_part, .may = MAY_UNMAP | MAY_DROP,
		.source = "munmap(2), __split_huge_pmd_locked()",
	},
	[OPERATION_mremap_part] = {
		"mremap_part", mremap_part,
		.may = MAY_CLEAR_UFFD_WP | MAY_UNMERGE | MAY_DROP,
		.vma_may = UFFD,
		.source = MOVES ", __split_huge_pmd_locked()",
	},
	[OPERATION_collapse] = {
		"collapse", collapse, .may = MAY_MOVE | MAY_FAULT_IN,
		.vma_may = ADVICE,
		.source = "madvise(2): MADV_COLLAPSE",
	},
	[OPERATION_khugepaged] = {
		"khugepaged", khugepaged_collapse, .may = MAY_MOVE | MAY_FAULT_IN | MAY_DROP,
		.vma_may = ADVICE,
		.source = "collapse_huge_page(), retract_page_tables()",
	},
	[OPERATION_ksm_merge] = {
		"ksm_merge", ksm_merge, .may = MAY_MOVE | MAY_LOSE_MARKS,
		.vma_may = PTWALK_VMA_FLAG_MERGEABLE,
		.source = "replace_page(), Documentation/kernel-bugs/ksm-merge-marks.txt",
	},
	[OPERATION_numa_hints] = {
		"numa_hints", numa_hints, .may = MAY_MOVE,
		.source = "change_prot_numa(), do_numa_page()",
	},
	[OPERATION_populate_read] = {
		"populate_read", populate_read, .may = MAY_FAULT_IN,
		.source = "madvise(2): MADV_POPULATE_READ",
	},
	[OPERATION_populate_write] = {
		"populate_write", populate_write, .may = MAY_FAULT_IN | MAY_MOVE,
		.source = "madvise(2): MADV_POPULATE_WRITE, wp_page_copy()",
	},
	[OPERATION_exec] = {
		"exec", exec_child, .other_may = MUST_UNMAP,
		.source = "execve(2)",
	},
	[OPERATION_msync] = {
		"msync", sync_file, .may = MAY_WRITE_BACK,
		.source = "msync(2), folio_mkclean()",
	},
	[OPERATION_msync_drop] = {
		"msync_drop", sync_and_drop, .may = MAY_WRITE_BACK | TO_SWAP,
		.needs_swap = true,
		.source = "msync(2), madvise(2): MADV_PAGEOUT",
	},
	[OPERATION_truncate] = {
		"truncate", truncate_file, .may = MAY_REMOVE | MAY_DISCARD | MAY_DROP,
		.source = "ftruncate(2), truncate_pagecache()",
	},
	[OPERATION_clear_refs] = {
		"clear_refs", clear_refs, .may = MAY_CLEAR_SOFT_DIRTY,
		.source = "Documentation/admin-guide/mm/soft-dirty.rst",
	},
	[OPERATION_free] = {
		"free", lazy_free, .may = MAY_DISCARD,
		.source = "madvise(2): MADV_FREE",
	},
	[OPERATION_dontneed] = {
		"dontneed", dontneed, .may = MAY_DISCARD | MAY_DROP,
		.source = "madvise(2): MADV_DONTNEED",
	},
	[OPERATION_unmerge] = {
		"unmerge", unmerge, .may = MAY_UNMERGE | MUST_UNMERGE,
		.vma_may = PTWALK_VMA_FLAG_MERGEABLE,
		.source = "madvise(2): MADV_UNMERGEABLE",
	},
	[OPERATION_uffd_wp_on] = {
		"uffd_wp_on", uffd_wp_on,
		.may = MAY_SET_UFFD_WP | MUST_SET_UFFD_WP | MAY_DROP,
		.vma_may = UFFD,
		.source = "ioctl_userfaultfd(2), change_pmd_range() splits huge entries of files",
	},
	[OPERATION_uffd_wp_off] = {
		"uffd_wp_off", uffd_wp_off,
		.may = MAY_CLEAR_UFFD_WP | MAY_DROP | MAY_UNTRACK,
		.vma_may = UFFD,
		.source = "ioctl_userfaultfd(2), change_pmd_range() splits huge entries of files; Documentation/kernel-bugs/uffd-wp-soft-dirty.txt",
	},
	[OPERATION_scan_wp] = {
		"scan_wp", scan_wp,
		.may = MAY_SET_UFFD_WP | MUST_SET_UFFD_WP | MUST_SET_UFFD_WP_ANYWHERE |
		       MAY_DROP,
		.vma_may = UFFD,
		.source = "Documentation/admin-guide/mm/pagemap.rst: PM_SCAN_WP_MATCHING",
	},
	[OPERATION_uffd_move] = {
		"uffd_move", uffd_move, .may = MAY_CLEAR_UFFD_WP | MAY_LEAVE_PROTECTED,
		.vma_may = ANEW,
		.source = "move_present_pte(), Documentation/kernel-bugs/uffd-move-swap.txt",
	},
	[OPERATION_uffd_poison] = {
		"uffd_poison", uffd_poison, .may = MAY_BAR,
		.source = "ioctl_userfaultfd(2): UFFDIO_POISON",
	},
};
