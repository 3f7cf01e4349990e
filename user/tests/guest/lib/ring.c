// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "proc.h"
#include "ring.h"

int ring_open(void)
{
	struct io_uring_params params = { 0 };
	int ring;

	proc_write("/proc/sys/kernel/io_uring_disabled", "0");
	ring = syscall(SYS_io_uring_setup, 1, &params);
	return ring < 0 ? -errno : ring;
}

int ring_register(int ring, const struct iovec *buffers, unsigned int nr)
{
	return syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, buffers, nr) ?
	       -errno : 0;
}

int ring_unregister(int ring)
{
	return syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0) ?
	       -errno : 0;
}

int ring_update(int ring, unsigned int index, const struct iovec *buffer)
{
	struct io_uring_rsrc_update2 update = {
		.offset = index, .data = (unsigned long)buffer, .nr = 1,
	};

	return syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS_UPDATE, &update,
		       sizeof(update)) < 0 ? -errno : 0;
}

char *room(size_t size, size_t page)
{
	char *at = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + page, size, PROT_READ | PROT_WRITE))
		return NULL;
	return at + page;
}

char *huge_room(void)
{
	char *area = mmap(NULL, 2 * HUGE_ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;

	if (area == MAP_FAILED)
		return NULL;
	at = (char *)(((unsigned long)area + HUGE_ROOM - 1) & ~(HUGE_ROOM - 1));
	madvise(at, HUGE_ROOM, MADV_HUGEPAGE);
	return at;
}
