/* SPDX-License-Identifier: GPL-2.0 */
/* What the module reports about devices, read as in ptw.h; and edu. */
#ifndef PTWALK_TEST_DEVICE_H
#define PTWALK_TEST_DEVICE_H

#include "ptw.h"

/**
 * struct ptw_device - how a device gets at memory
 * @domain: enum ptwalk_domain.
 * @flags: enum ptwalk_device_flag.
 * @mask: Its DMA mask.
 * @driver: Its driver, or "".
 * @group: IOMMU group, or -1.
 * @page_sizes: Of the domain.
 * @first: Of the domain's aperture.
 * @last: Likewise, inclusive.
 * @nr_bus: How many bus addresses were told.
 * @bus: Those.
 */
struct ptw_device {
	u32 domain, flags;
	u64 mask;
	char driver[64];
	int group;
	u64 page_sizes, first, last;
	size_t nr_bus;
	u64 bus[PTWALK_MAX_ADDRESSES];
};

/* Why a test of devices is skipped. */
#define NO_DEVICES	"the kernel has no ptwalk_device: load the module first"

#define PTW_STRETCHES	512

/**
 * struct ptw_iova - what an IOMMU translates in a range
 * @stretch: The stretches, of all messages.
 * @nr: How many.
 * @headers: Messages before the first that tells of something, or any.
 * @messages: How many messages there were that tell of something.
 * @next: What the next message must begin with.
 * @flaw: What is wrong with them, or NULL.
 */
struct ptw_iova {
	struct ptwalk_stretch stretch[PTW_STRETCHES];
	size_t nr;
	u32 headers, messages;
	u64 next;
	const char *flaw;
};

int ptw_device(struct ptw *ptw, const char *name, const u64 *phys, size_t nr,
	       struct ptw_device *device);
struct nl_msg *ptw_iova_request(struct ptw *ptw, const char *name, u64 start,
				u64 last);
int ptw_iova(struct ptw *ptw, const char *name, u64 start, u64 last,
	     struct ptw_iova *iova);
/* Takes what was received last, as messages of a dump; 0 or a negative errno. */
int ptw_iova_reply(struct nlmsghdr *header, void *iova);

/* Whether its IOMMU can be asked what it translates. */
bool ptw_translates(const struct ptw_device *device);

/* The physical address behind a bus address; false if there is none. */
bool ptw_iova_find(const struct ptw_iova *iova, u64 bus, u64 *phys);

/* Name of the device that the fixture driver drives, as pci/...; false without. */
bool edu_name(char *name, size_t size);

#endif /* PTWALK_TEST_DEVICE_H */
