/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions and architectures in the IOMMU API, and
 * in bus addresses without an IOMMU.
 */
#ifndef PTWALK_COMPAT_IOMMU_H
#define PTWALK_COMPAT_IOMMU_H

#include <linux/iommu.h>

/*
 * Linux 7.0, a75b2be249d6: callers that hold the mutex of the group use another
 * function, and must not call iommu_get_domain_for_dev().
 */
static inline struct iommu_domain *ptwalk_group_domain(struct device *dev)
{
#ifdef PTWALK_HAS_iommu_driver_get_domain_for_dev
	return iommu_driver_get_domain_for_dev(dev);
#else
	return iommu_get_domain_for_dev(dev);
#endif
}

/*
 * Whether phys_to_dma() can be called: some architectures have their own and
 * don't export it. That of powerpc is inline.
 */
#define PTWALK_PHYS_TO_DMA	(!IS_ENABLED(CONFIG_ARCH_HAS_PHYS_TO_DMA) || \
				 IS_ENABLED(CONFIG_PPC))

#endif /* PTWALK_COMPAT_IOMMU_H */
