/* SPDX-License-Identifier: GPL-2.0 */
/* IOMMU tables in the formats of generic page tables, read without a lock. */
#ifndef PTWALK_IOMMU_PT_H
#define PTWALK_IOMMU_PT_H

#include <linux/types.h>

struct iommu_domain;

/**
 * struct ptwalk_iommu_place - what a domain does with a bus address
 * @mapped: It translates it.
 * @last: The last bus address of the same entry, inclusive.
 * @phys: Physical address, if @mapped.
 */
struct ptwalk_iommu_place {
	bool mapped;
	u64 last;
	u64 phys;
};

#ifdef PTWALK_HAS_iommupt_from_domain
bool ptwalk_iommu_pt_knows(struct iommu_domain *domain);
int ptwalk_iommu_pt_look_up(struct iommu_domain *domain, u64 iova,
			    struct ptwalk_iommu_place *place);
#else
static inline bool ptwalk_iommu_pt_knows(struct iommu_domain *domain)
{
	return false;
}

static inline int ptwalk_iommu_pt_look_up(struct iommu_domain *domain, u64 iova,
					  struct ptwalk_iommu_place *place)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* PTWALK_IOMMU_PT_H */
