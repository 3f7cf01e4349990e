/* SPDX-License-Identifier: GPL-2.0 */
/* Memory regions of RDMA, on a device that the kernel makes of the loopback interface (rxe). */
#ifndef PTWALK_TEST_RDMA_H
#define PTWALK_TEST_RDMA_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct rdma - an open device
 * @fd: Of the device; closing it ends all memory regions.
 * @pd: The protection domain that regions are in.
 */
struct rdma {
	int fd;
	uint32_t pd;
};

/*
 * Makes a device, which stays, and opens it. Returns 0, -ENOSYS if the kernel has no
 * module for it, or another negative errno.
 */
int rdma_open(struct rdma *r);

/* Registers memory of ours, as ibv_reg_mr() does. Returns 0 or a negative errno. */
int rdma_register(const struct rdma *r, void *at, size_t size);

#endif /* PTWALK_TEST_RDMA_H */
