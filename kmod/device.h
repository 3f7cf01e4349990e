/* SPDX-License-Identifier: GPL-2.0 */
/* The device whose DMA is asked about, and its IOMMU. */
#ifndef PTWALK_DEVICE_H
#define PTWALK_DEVICE_H

#include <linux/netlink.h>
#include <linux/types.h>
#include "uapi/linux/ptwalk_record.h"

struct device;
struct iommu_group;
struct netlink_ext_ack;
struct nlattr;

/**
 * struct ptwalk_device - a device, pinned
 * @dev: Its structure stays; the device itself may go away.
 * @group: Its IOMMU group, likewise; NULL without one.
 */
struct ptwalk_device {
	struct device *dev;
	struct iommu_group *group;
};

int ptwalk_device_check(const struct nlattr *name,
			struct netlink_ext_ack *extack);
int ptwalk_device_get_locked(struct ptwalk_device *device,
			     const struct nlattr *name,
			     struct netlink_ext_ack *extack);
void ptwalk_device_unlock(struct ptwalk_device *device);
void ptwalk_device_put(struct ptwalk_device *device);

/**
 * struct ptwalk_domain_facts - the facts of an IOMMU domain
 * @kind: enum ptwalk_domain.
 * @page_sizes: A bit for each size of its pages, if it translates.
 * @first: First bus address that it can translate.
 * @last: Last one, inclusive.
 */
struct ptwalk_domain_facts {
	u32 kind;
	u64 page_sizes;
	u64 first;
	u64 last;
};

/**
 * struct ptwalk_iova_walk - a look at a range of bus addresses
 * @next: The next one, a multiple of @step.
 * @last: The last one, inclusive.
 * @step: Smallest page of the domain.
 * @domain: Which domain it began with; not to be followed.
 * @facts: Those of that domain.
 * @stretch: Where stretches go.
 * @nr: How many there are.
 * @max: How many there can be.
 * @finished: Whether @last was reached.
 */
struct ptwalk_iova_walk {
	u64 next;
	u64 last;
	u64 step;
	const void *domain;
	struct ptwalk_domain_facts facts;
	struct ptwalk_stretch *stretch;
	unsigned int nr;
	unsigned int max;
	bool finished;
};

#ifdef CONFIG_IOMMU_API
int ptwalk_iommu_init(void);
void ptwalk_iommu_exit(void);
int ptwalk_domain_read(const struct ptwalk_device *device,
		       struct ptwalk_domain_facts *out);
int ptwalk_iova_begin(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk,
		      struct netlink_ext_ack *extack);
int ptwalk_iova_piece(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk);
#else
static inline int ptwalk_iommu_init(void)
{
	return 0;
}

static inline void ptwalk_iommu_exit(void) { }

static inline int ptwalk_domain_read(const struct ptwalk_device *device,
				     struct ptwalk_domain_facts *out)
{
	*out = (struct ptwalk_domain_facts) { .kind = PTWALK_DOMAIN_NONE };
	return 0;
}

static inline int ptwalk_iova_begin(const struct ptwalk_device *device,
				    struct ptwalk_iova_walk *walk,
				    struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "a kernel without IOMMUs (CONFIG_IOMMU_API)");
	return -EOPNOTSUPP;
}

static inline int ptwalk_iova_piece(const struct ptwalk_device *device,
				    struct ptwalk_iova_walk *walk)
{
	return -ENODEV;
}
#endif

#endif /* PTWALK_DEVICE_H */
