/* SPDX-License-Identifier: GPL-2.0 */
/* QEMU's device edu, which the fixture driver has copy from and to its regions. */
#ifndef PTWALK_TEST_EDU_H
#define PTWALK_TEST_EDU_H

#include "build_driver.h"
#include "device.h"

/**
 * struct edu - the device, and one of its regions that is mapped
 * @ptw: To the module.
 * @m: With the file of the driver.
 * @region: The region.
 * @device: What the module says of the device.
 * @name: Its name.
 * @translated: An IOMMU stands before it.
 * @at: Where the region is mapped.
 * @pages: How long it is.
 */
struct edu {
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
	struct ptw_device device;
	char name[128];
	bool translated;
	char *at;
	u64 pages;
};

/* Maps a region; @e->m says what is missing, or what went wrong. */
void edu_map(struct edu *e, const char *region);

/* What the setup of a fixture with it begins with, as SETUP_MAPPING. */
#define SETUP_EDU(e, region) do { \
	SETUP_MAPPING(e, NULL); \
	edu_map(e, region); \
	ASSERT_STREQ("", (e)->m.broken); \
	if ((e)->m.lacks[0]) \
		SKIP(return, "%s", (e)->m.lacks); \
} while (0)

/* Whether the module was told to look at tables of an IOMMU that may be freed meanwhile. */
bool edu_may_walk(void);

/* Whether the kernel has the device's tables in a format in which they needn't be. */
bool edu_tables_are_known(void);

#endif /* PTWALK_TEST_EDU_H */
