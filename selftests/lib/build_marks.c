// SPDX-License-Identifier: GPL-2.0
/* Marks on entries: soft-dirty, userfaultfd, guards; and swap. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <linux/userfaultfd.h>
#include <unistd.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

BUILDER(soft_dirty)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	if (!(m->info.features & PTWALK_FEATURE_SOFT_DIRTY))
		return mapping_lacks(m, "the kernel has no soft-dirty bits");
	mapping_write(m, at, PAGES);
	if (proc_write("/proc/self/clear_refs", "4"))
		return mapping_broken(m, "clear_refs can't be written");
	mapping_write(m, at + 4 * m->page_size, 2);

	e = expect_anon(m, at, 4);
	e.set &= ~PTWALK_FLAG_WRITE;
	e.clear |= PTWALK_FLAG_SOFT_DIRTY;
	e.vma_clear |= PTWALK_VMA_FLAG_SOFTDIRTY;
	e.pagemap_clear |= PM_SOFT_DIRTY;
	mapping_expect(m, &e);
	e.addr += 6 * m->page_size;
	e.pages = PAGES - 6;
	mapping_expect(m, &e);
	e = expect_anon(m, at + 4 * m->page_size, 2);
	e.set |= PTWALK_FLAG_SOFT_DIRTY;
	e.pagemap_set |= PM_SOFT_DIRTY;
	mapping_expect(m, &e);
}

/* Opens a userfaultfd for write protection of @at; false if there is none. */
static bool uffd_register(struct mapping *m, char *at, u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register reg = {
		.range = { .start = PTR(at), .len = m->pages * m->page_size },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	m->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0) {
		mapping_lacks(m, "userfaultfd: %s", strerror(errno));
		return false;
	}
	if (ioctl(m->fd, UFFDIO_API, &api) || (api.features & features) != features) {
		mapping_lacks(m, "userfaultfd here doesn't write-protect such memory");
		return false;
	}
	if (ioctl(m->fd, UFFDIO_REGISTER, &reg) ||
	    !(reg.ioctls & 1ULL << _UFFDIO_WRITEPROTECT)) {
		mapping_lacks(m, "userfaultfd doesn't register such memory: %s",
			      strerror(errno));
		return false;
	}
	return true;
}

static bool uffd_protect(struct mapping *m, char *at, size_t pages)
{
	struct uffdio_writeprotect wp = {
		.range = { .start = PTR(at), .len = pages * m->page_size },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (!ioctl(m->fd, UFFDIO_WRITEPROTECT, &wp))
		return true;
	mapping_broken(m, "UFFDIO_WRITEPROTECT: %s", strerror(errno));
	return false;
}

BUILDER(uffd_wp)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!uffd_register(m, at, UFFD_FEATURE_PAGEFAULT_FLAG_WP) ||
	    !uffd_protect(m, at, PAGES / 2))
		return;
	e = expect_anon(m, at, PAGES / 2);
	e.set &= ~PTWALK_FLAG_WRITE;
	e.set |= PTWALK_FLAG_UFFD_WP;
	e.clear &= ~PTWALK_FLAG_UFFD_WP;
	e.clear |= PTWALK_FLAG_WRITE;
	e.vma_set |= PTWALK_VMA_FLAG_UFFD_WP;
	e.pagemap_set |= PM_UFFD_WP;
	e.pagemap_clear &= ~PM_UFFD_WP;
	mapping_expect(m, &e);
	e = expect_anon(m, at + PAGES / 2 * m->page_size, PAGES / 2);
	e.vma_set |= PTWALK_VMA_FLAG_UFFD_WP;
	mapping_expect(m, &e);
}

/* Shared memory that nobody touched keeps the protection in a marker. */
BUILDER(uffd_wp_marker)
{
	char *at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1);
	struct expect e;

	if (!at)
		return;
	if (!uffd_register(m, at, UFFD_FEATURE_PAGEFAULT_FLAG_WP |
				  UFFD_FEATURE_WP_HUGETLBFS_SHMEM) ||
	    !uffd_protect(m, at, PAGES))
		return;
	e = (struct expect) {
		.addr = PTR(at),
		.pages = PAGES,
		.kinds = KIND(MARKER),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_UFFD_WP,
		.pfn = ANY_PFN,
		.value = PTWALK_MARKER_UFFD_WP,
		.vma_set = PTWALK_VMA_FLAG_UFFD_WP,
		.pagemap_set = PM_SWAP | PM_UFFD_WP,
		.pagemap_clear = PM_PRESENT | PM_GUARD,
	};
	mapping_expect(m, &e);
}

BUILDER(guard)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	/* MADV_GUARD_INSTALL, Linux 6.13. */
	if (madvise(at + 2 * m->page_size, 3 * m->page_size, 102))
		return mapping_lacks(m, "the kernel has no guard regions");
	e = expect_anon(m, at, 2);
	mapping_expect(m, &e);
	e = expect_anon(m, at + 5 * m->page_size, PAGES - 5);
	mapping_expect(m, &e);
	e = (struct expect) {
		.addr = PTR(at) + 2 * m->page_size,
		.pages = 3,
		.kinds = KIND(MARKER),
		.level = PTWALK_LEVEL_PTE,
		.pfn = ANY_PFN,
		.value = PTWALK_MARKER_GUARD,
		/* Bit 58 came two versions later, with Linux 6.15. */
		.pagemap_set = PM_SWAP,
		.pagemap_clear = PM_PRESENT | PM_UFFD_WP,
	};
	mapping_expect(m, &e);
}

static void told_of_poison(int sig)
{
}

/* A page whose memory is said to have failed; the frame is lost to the guest. */
BUILDER(hwpoisoned)
{
	char *at = mapping_small(m, PAGES);
	struct expect e;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	/* MADV_HWPOISON; a signal that can't be ignored tells us that the page is gone. */
	signal(SIGBUS, told_of_poison);
	if (madvise(at + 3 * m->page_size, m->page_size, 100))
		return mapping_lacks(m, "MADV_HWPOISON: %s", strerror(errno));
	e = expect_anon(m, at, 3);
	mapping_expect(m, &e);
	e = (struct expect) {
		.addr = PTR(at) + 3 * m->page_size,
		.pages = 1,
		.kinds = KIND(HWPOISON),
		.level = PTWALK_LEVEL_PTE,
		.pfn = ANY_PFN,
		.value = ANY_PFN,
		.pagemap_set = PM_SWAP,
		.pagemap_clear = PM_PRESENT | PM_UFFD_WP,
	};
	mapping_expect(m, &e);
	e = expect_anon(m, at + 4 * m->page_size, PAGES - 4);
	mapping_expect(m, &e);
}

#define SWAP_SIZE	(16 << 20)

static void swap_off(struct mapping *m)
{
	munmap((void *)(uintptr_t)m->start, m->pages * m->page_size);
	swapoff(m->saved);
}

static bool write_swap_header(const char *device, u64 page_size)
{
	int fd = open(device, O_WRONLY | O_CLOEXEC);
	char *page = calloc(1, page_size);
	bool good = false;

	if (fd >= 0 && page) {
		u32 *header = (u32 *)(page + 1024);

		header[0] = 1;				/* version */
		header[1] = SWAP_SIZE / page_size - 1;	/* last page */
		memcpy(page + page_size - 10, "SWAPSPACE2", 10);
		good = write(fd, page, page_size) == (ssize_t)page_size && !fsync(fd);
	}
	if (fd >= 0)
		close(fd);
	free(page);
	return good;
}

/* Swap on a RAM disk of the kernel: zram, or brd. */
static bool swap_on(struct mapping *m)
{
	static struct output out;
	char size[32];

	if (access("/proc/swaps", F_OK)) {
		mapping_lacks(m, "the kernel has no swap");
		return false;
	}
	snprintf(size, sizeof(size), "%d", SWAP_SIZE);
	run(&out, "modprobe", "-q", "zram");
	strcpy(m->saved, "/dev/zram0");
	if (access(m->saved, F_OK) ||
	    (proc_number("/sys/block/zram0/disksize") <= 0 &&
	     proc_write("/sys/block/zram0/disksize", size))) {
		run(&out, "modprobe", "-q", "brd", "rd_nr=1", "rd_size=16384");
		strcpy(m->saved, "/dev/ram0");
	}
	if (access(m->saved, F_OK)) {
		mapping_lacks(m, "there is neither zram nor brd");
		return false;
	}
	if (!write_swap_header(m->saved, m->page_size) ||
	    (swapon(m->saved, 0) && errno != EBUSY)) {
		mapping_broken(m, "swap on %s: %s", m->saved, strerror(errno));
		return false;
	}
	m->release = swap_off;
	return true;
}

/* Pushes all pages out; false if the kernel wouldn't. */
static bool push_out(struct mapping *m, char *at, bool shmem)
{
	size_t size = m->pages * m->page_size;
	struct proc_vma vma;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		madvise(at, size, MADV_PAGEOUT);
		if (!proc_vma(m->pid, PTR(at), &vma) && !vma.rss &&
		    (shmem || vma.swap == size))
			return true;
		usleep(20000);
	}
	mapping_lacks(m, "the kernel didn't swap the pages out");
	return false;
}

BUILDER(swapped)
{
	struct expect e;
	char *at;

	if (!swap_on(m))
		return;
	at = mapping_small(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!push_out(m, at, false))
		return;
	e = (struct expect) {
		.addr = PTR(at),
		.pages = PAGES,
		.kinds = KIND(SWAP),
		.level = PTWALK_LEVEL_PTE,
		.clear = PTWALK_FLAG_PAGE | PTWALK_FLAG_UFFD_WP,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_ANONYMOUS,
		.pagemap_set = PM_SWAP,
		.pagemap_clear = PM_PRESENT | PM_FILE | PM_EXCLUSIVE,
		.distinct = true,
	};
	mapping_expect(m, &e);
}

/* The page cache knows where such pages are, and the tables don't. */
BUILDER(swapped_shmem)
{
	struct expect e;
	char *at;

	if (!swap_on(m))
		return;
	at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!push_out(m, at, true))
		return;
	e = (struct expect) {
		.addr = PTR(at),
		.pages = PAGES,
		.kinds = KIND(NONE),
		.level = ANY_LEVEL,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_SHMEM,
		.pagemap_clear = ~PM_SOFT_DIRTY,
	};
	mapping_expect(m, &e);
}
