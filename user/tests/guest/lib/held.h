/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of several kinds that a ring or a device holds, and what may be done to it. */
#ifndef PTWALK_TEST_HELD_H
#define PTWALK_TEST_HELD_H

#include <stdbool.h>
#include "ptw.h"
#include "vfio.h"

#define HELD_PAGES	16
#define HELD_BUFFERS	3

/**
 * struct held - buffers of one ring, or of one device
 * @ring: The ring; or
 * @vfio: the device, which has the buffers at other bus addresses.
 * @page: Bytes of a page.
 * @small: HELD_PAGES of anonymous memory; @shared: of shared memory.
 * @huge: Where a huge page may be, of which the buffer is the pages from the fifth on.
 */
struct held {
	int ring;
	struct vfio vfio;
	size_t page;
	char *small, *shared, *huge;
};

/* With a ring. 0 or a negative errno: -ENOSYS without io_uring. */
int held_start(struct held *h, size_t page);

/* With @h->vfio, which is open. 0 or a negative errno. */
int held_start_device(struct held *h, size_t page);

/* Forks, writes, protects, reclaims, splits, compacts: the pages stay the process's. */
void held_disturb(struct held *h, u32 *seed);

/* Replaces page @nr of @small; the ring or device has the one that was there. */
bool held_replace(struct held *h, unsigned int nr);

/* Registers, or maps for the device, what is there now. */
bool held_mend(struct held *h);

#endif /* PTWALK_TEST_HELD_H */
