// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "held.h"
#include "mutate.h"
#include "proc.h"
#include "ring.h"

#define FIRST	5	/* page of @huge that is the buffer's */

/* Where any IOMMU of the guests can have bus addresses. */
#define BUS	(5ULL << 30)

/* Where the device has the buffers, in a row but for a page between them. */
static u64 bus_of(const struct held *h, int i)
{
	return BUS + i * (HELD_PAGES + 1) * h->page;
}

static int hold(struct held *h)
{
	const size_t size = HELD_PAGES * h->page;
	const struct iovec buffers[HELD_BUFFERS] = {
		{ h->small, size }, { h->shared, size }, { h->huge + FIRST * h->page, size },
	};
	int err = 0;

	memset(h->small, 1, size);
	memset(h->shared, 1, size);
	memset(h->huge, 1, HUGE_ROOM);
	if (h->ring >= 0)
		return ring_register(h->ring, buffers, HELD_BUFFERS);
	for (int i = 0; !err && i < HELD_BUFFERS; i++)
		err = vfio_map(&h->vfio, buffers[i].iov_base, size, bus_of(h, i));
	return err;
}

static int make_memory(struct held *h, size_t page)
{
	const size_t size = HELD_PAGES * page;
	const int fd = memfd_create("held", MFD_CLOEXEC);

	h->page = page;
	h->small = room(size, page);
	h->huge = huge_room();
	h->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!h->huge || !h->small || ftruncate(fd, size) || h->shared == MAP_FAILED)
		return -ENOMEM;
	close(fd);
	madvise(h->small, size, MADV_NOHUGEPAGE);
	return 0;
}

int held_start(struct held *h, size_t page)
{
	const int err = make_memory(h, page);

	if (err)
		return err;
	h->ring = ring_open();
	return h->ring < 0 ? h->ring : hold(h);
}

int held_start_device(struct held *h, size_t page)
{
	const int err = make_memory(h, page);

	h->ring = -1;
	return err ? err : hold(h);
}

static void protect(const struct held *h, int prot)
{
	mprotect(h->small, HELD_PAGES * h->page, prot);
	mprotect(h->huge + (FIRST + 1) * h->page, h->page, prot);
}

/* The child writes to its copies, and the parent meanwhile to what is held. */
static void fork_once(const struct held *h)
{
	const pid_t pid = fork();

	if (!pid || pid > 0) {
		memset(h->small, 2, HELD_PAGES * h->page);
		memset(h->huge, 2, HUGE_ROOM / 2);
	}
	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void held_disturb(struct held *h, u32 *seed)
{
	switch (chance(seed) % 5) {
	case 0:
		fork_once(h);
		break;
	case 1:
		protect(h, PROT_NONE);
		protect(h, PROT_READ | PROT_WRITE);
		break;
	case 2:
		madvise(h->small, HELD_PAGES * h->page, MADV_PAGEOUT);
		madvise(h->shared, HELD_PAGES * h->page, MADV_PAGEOUT);
		madvise(h->huge, HUGE_ROOM, MADV_PAGEOUT);
		break;
	case 3:
		/* Beside the buffer. */
		madvise(h->huge, h->page, MADV_DONTNEED);
		madvise(h->huge + HUGE_ROOM / 2, HUGE_ROOM / 2, MADV_DONTNEED);
		break;
	default:
		proc_write("/proc/sys/vm/compact_memory", "1");
	}
}

bool held_replace(struct held *h, unsigned int nr)
{
	char *at = h->small + nr * h->page;

	if (madvise(at, h->page, MADV_DONTNEED))
		return false;
	*at = 3;
	return true;
}

bool held_mend(struct held *h)
{
	if (h->ring >= 0)
		return !ring_unregister(h->ring) && !hold(h);
	for (int i = 0; i < HELD_BUFFERS; i++)
		if (vfio_unmap(&h->vfio, HELD_PAGES * h->page, bus_of(h, i)))
			return false;
	return !hold(h);
}
