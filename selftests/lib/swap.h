/* SPDX-License-Identifier: GPL-2.0 */
/* A swap area. */
#ifndef PTWALK_TEST_SWAP_H
#define PTWALK_TEST_SWAP_H

#include <stdbool.h>

#define SWAP_SIZE	(16 << 20)
#define BRD		"/dev/ram0"

bool has_brd(void);

/* All of the device; brd that is built in has the size that its kernel gives it. */
bool write_swap_header(const char *device, unsigned long page_size);

/*
 * On a RAM disk of the kernel: zram, or brd. The device, or NULL and in @lacks what is
 * missing.
 */
const char *swap_area_on(const char **lacks);

#endif /* PTWALK_TEST_SWAP_H */
