/* SPDX-License-Identifier: GPL-2.0 */
/* Devices, and the IOMMU domains that translate their bus addresses. */
#ifndef PTWALK_DEVICE_H
#define PTWALK_DEVICE_H

#include <linux/netlink.h>
#include <linux/types.h>
#include "../lock.h"
#include "../uapi/linux/ptwalk_device.h"
#include "../uapi/linux/ptwalk_record.h"

struct device;
struct genl_family;
struct iommu_group;
struct netlink_ext_ack;
struct nlattr;

extern struct genl_family ptwalk_device_nl_family;

/**
 * struct ptwalk_device - references to a device and its IOMMU group
 * @dev: The device, which may be removed nevertheless.
 * @group: Its IOMMU group, or NULL.
 */
struct ptwalk_device {
	struct device *dev;
	struct iommu_group *group;
};

int ptwalk_device_check(const struct nlattr *name,
			struct netlink_ext_ack *extack);
int ptwalk_device_get_locked(struct ptwalk_device *device,
			     const struct nlattr *name, struct ptwalk_wait wait,
			     struct netlink_ext_ack *extack);
void ptwalk_device_unlock(struct ptwalk_device *device);
void ptwalk_device_put(struct ptwalk_device *device);

/**
 * struct ptwalk_domain_facts - facts of an IOMMU domain
 * @kind: enum ptwalk_domain.
 * @readable: ptwalk_iommu_pt_look_up() knows the format of its tables.
 * @page_sizes: Mask of the page sizes, if the domain translates; 0 otherwise,
 *	as are the following.
 * @first: First bus address that the domain can translate.
 * @last: The last one, inclusive.
 */
struct ptwalk_domain_facts {
	u32 kind;
	bool readable;
	u64 page_sizes;
	u64 first;
	u64 last;
};

/**
 * struct ptwalk_iova_walk - a walk of a range of bus addresses
 * @next: The next bus address, a multiple of @step.
 * @last: The last one, inclusive.
 * @step: Smallest page size of the domain.
 * @domain: The domain at the beginning of the walk; it is compared and never
 *	dereferenced, since it may have been freed.
 * @facts: The facts of that domain.
 * @stretch: Buffer for stretches.
 * @nr: Number of stretches in @stretch.
 * @max: Number that @stretch has room for.
 * @finished: Whether the walk has got to @last.
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
		       struct ptwalk_wait wait,
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
				     struct ptwalk_wait wait,
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
