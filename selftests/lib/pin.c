// SPDX-License-Identifier: GPL-2.0
/* Pages pinned as a registered buffer of io_uring, with FOLL_LONGTERM. */
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "pin.h"

int pin_begin(void *at, size_t size)
{
	struct io_uring_params params = { 0 };
	struct iovec buffer = { .iov_base = at, .iov_len = size };
	int ring = syscall(SYS_io_uring_setup, 1, &params), err;

	if (ring < 0)
		return -errno;
	if (!syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
		return ring;
	err = -errno;
	close(ring);
	return err;
}

void pin_end(int ring)
{
	syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
	close(ring);
}
