/* SPDX-License-Identifier: GPL-2.0 */
/* Versions of Linux, to be compared. */
#ifndef PTWALK_MODULE_VERSION_H
#define PTWALK_MODULE_VERSION_H

#include "lib/ptwalk.h"

#define KERNEL(major, minor)	((major) << 16 | (minor))

/* As KERNEL(6, 12). */
static inline unsigned int kernel_version(const struct ptwalk_kernel *kernel)
{
	return KERNEL(kernel->major, kernel->minor);
}

#endif /* PTWALK_MODULE_VERSION_H */
