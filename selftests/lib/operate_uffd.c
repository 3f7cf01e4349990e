// SPDX-License-Identifier: GPL-2.0
/* What a userfaultfd is needed for. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "operate.h"
#include "scan.h"
#include "userfaultfd.h"

/* One with these features, or -1, with lacks() called. */
static int open_uffd(struct cell *c, u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) &&
	    (api.features & features) == features)
		return fd;
	lacks(c, "there is no such userfaultfd");
	close(fd);
	return -1;
}

static bool register_range(struct cell *c, int fd, const char *start, u64 mode)
{
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)start, .len = size(c) },
		.mode = mode,
	};

	return !refused(c, ioctl(fd, UFFDIO_REGISTER, &reg));
}

/*
 * A userfaultfd that protects these pages: the builder's, if there is one, or
 * else one with these features. -1, with refused() or lacks() called.
 */
static int protector(struct cell *c, u64 features)
{
	int fd;

	if (c->before.page[0].vma & PTWALK_VMA_FLAG_UFFD_WP)
		return c->m.fd;
	fd = open_uffd(c, features);
	return fd >= 0 && register_range(c, fd, at(c, 0), UFFDIO_REGISTER_MODE_WP) ? fd : -1;
}

#define UFFD_WP		(UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM)
/* UFFD_FEATURE_WP_UNPOPULATED and UFFD_FEATURE_WP_ASYNC, Linux 6.4 and 6.7. */
#define UFFD_ASYNC	(UFFD_WP | 1 << 13 | 1 << 15)

static void protect(struct cell *c, int fd, u64 mode)
{
	struct uffdio_writeprotect wp = {
		.range = { .start = c->m.start, .len = size(c) },
		.mode = mode,
	};

	refused(c, fd < 0 || ioctl(fd, UFFDIO_WRITEPROTECT, &wp));
}

void uffd_wp_on(struct cell *c)
{
	int fd = protector(c, UFFD_WP);

	if (fd >= 0)
		protect(c, fd, UFFDIO_WRITEPROTECT_MODE_WP);
}

void uffd_wp_off(struct cell *c)
{
	int fd = protector(c, UFFD_WP);

	if (fd >= 0) {
		protect(c, fd, UFFDIO_WRITEPROTECT_MODE_WP);
		protect(c, fd, 0);
	}
}

/* PM_SCAN_WP_MATCHING and PM_SCAN_CHECK_WPASYNC, of all that was written to. */
void scan_wp(struct cell *c)
{
	struct scan scan = {
		.size = sizeof(scan),
		.flags = 3,
		.start = c->m.start,
		.end = c->m.start + size(c),
		.mask = 2,		/* PAGE_IS_WRITTEN */
		.wanted = 2,
	};
	int fd = protector(c, UFFD_ASYNC), pagemap;

	if (fd < 0)
		return;
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (ioctl(pagemap, SCAN, &scan) < 0) {
		if (errno == ENOTTY)
			lacks(c, "the kernel has no PAGEMAP_SCAN");
		refused(c, true);
	}
	close(pagemap);
}

/*
 * The end of a userfaultfd ends its registrations, too: pages that are missing
 * are nobody's to wait for.
 */
void uffd_move(struct cell *c)
{
	struct uffdio_move moved = {
		.src = c->m.start,
		.len = size(c),
		.mode = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES,
	};
	int fd = open_uffd(c, UFFD_FEATURE_MOVE), tries, failed;
	char *to;

	if (fd < 0)
		return;
	to = place(c, size(c), at(c, 0));
	if (!to || refused(c, mmap(to, size(c), prot_of(c), MAP_PRIVATE | MAP_ANONYMOUS |
				   MAP_FIXED, -1, 0) != to) ||
	    !register_range(c, fd, to, UFFDIO_REGISTER_MODE_MISSING))
		goto out;
	moved.dst = (uintptr_t)to;
	/* What is locked or in a list of its own is to be tried again. */
	for (tries = 0; tries < 100; tries++) {
		moved.move = 0;
		failed = ioctl(fd, UFFDIO_MOVE, &moved);
		if (!failed || (moved.move <= 0 && errno != EAGAIN))
			break;
		if (moved.move > 0) {
			moved.src += moved.move;
			moved.dst += moved.move;
			moved.len -= moved.move;
		}
	}
	if (moved.src == c->m.start)
		refused(c, failed);
	else if (failed)
		lacks(c, "some of the pages can't be moved");
	if (!c->err)
		c->start = (uintptr_t)to;
out:
	close(fd);
}

/* Whether a userfaultfd of the operation can have these pages. */
static bool has_uffd(struct cell *c)
{
	if (!(c->before.page[0].vma & PTWALK_VMA_FLAG_UFFD_WP))
		return false;
	lacks(c, "a userfaultfd has these pages already");
	return true;
}

void uffd_poison(struct cell *c)
{
	struct uffdio_poison poison = {
		.range = { .start = c->m.start, .len = size(c) },
	};
	int fd;

	if (has_uffd(c))
		return;
	fd = open_uffd(c, UFFD_FEATURE_POISON);
	if (fd < 0)
		return;
	if (register_range(c, fd, at(c, 0), UFFDIO_REGISTER_MODE_MISSING) &&
	    !refused(c, madvise(at(c, 0), size(c), MADV_DONTNEED)) &&
	    ioctl(fd, UFFDIO_POISON, &poison))
		lacks(c, "not all of the pages can be poisoned");
	close(fd);
}
