/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk_device.yaml */
/* YNL-GEN uapi header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _UAPI_LINUX_PTWALK_DEVICE_H
#define _UAPI_LINUX_PTWALK_DEVICE_H

#define PTWALK_DEVICE_FAMILY_NAME	"ptwalk_device"
#define PTWALK_DEVICE_FAMILY_VERSION	1

#define PTWALK_MAX_DEVICE_NAME	127

/**
 * enum ptwalk_domain - What an IOMMU does with the bus addresses of a device.
 * @PTWALK_DOMAIN_NONE: The device is behind no IOMMU.
 * @PTWALK_DOMAIN_BLOCKED: All DMA is blocked.
 * @PTWALK_DOMAIN_IDENTITY: Bus addresses are physical addresses (passthrough).
 * @PTWALK_DOMAIN_DMA: Translates what the DMA API has mapped.
 * @PTWALK_DOMAIN_DMA_LAZY: As dma, with unmapped addresses flushed later, in
 *   batches.
 * @PTWALK_DOMAIN_UNMANAGED: Translates what a driver such as VFIO has mapped.
 * @PTWALK_DOMAIN_OPAQUE: Translates by tables that the kernel can't look up.
 */
enum ptwalk_domain {
	PTWALK_DOMAIN_NONE,
	PTWALK_DOMAIN_BLOCKED,
	PTWALK_DOMAIN_IDENTITY,
	PTWALK_DOMAIN_DMA,
	PTWALK_DOMAIN_DMA_LAZY,
	PTWALK_DOMAIN_UNMANAGED,
	PTWALK_DOMAIN_OPAQUE,
};

/**
 * enum ptwalk_device_flag - Properties of a device's DMA.
 * @PTWALK_DEVICE_FLAG_DMA: The device can do DMA; dma-mask is present.
 * @PTWALK_DEVICE_FLAG_COHERENT: DMA is coherent with the processors' caches.
 * @PTWALK_DEVICE_FLAG_BOUNCE: The DMA API copies all that it maps through
 *   bounce buffers.
 */
enum ptwalk_device_flag {
	PTWALK_DEVICE_FLAG_DMA = 1,
	PTWALK_DEVICE_FLAG_COHERENT = 2,
	PTWALK_DEVICE_FLAG_BOUNCE = 4,
};

enum {
	PTWALK_A_DEVICE_PAD = 1,
	PTWALK_A_DEVICE_NAME,
	PTWALK_A_DEVICE_ADDRESSES,
	PTWALK_A_DEVICE_BUS_ADDRESSES,
	PTWALK_A_DEVICE_DRIVER,
	PTWALK_A_DEVICE_FLAGS,
	PTWALK_A_DEVICE_DMA_MASK,
	PTWALK_A_DEVICE_COHERENT_MASK,
	PTWALK_A_DEVICE_BUS_LIMIT,
	PTWALK_A_DEVICE_DMA_OPS,
	PTWALK_A_DEVICE_GROUP,
	PTWALK_A_DEVICE_DOMAIN,
	PTWALK_A_DEVICE_PAGE_SIZES,
	PTWALK_A_DEVICE_APERTURE_START,
	PTWALK_A_DEVICE_APERTURE_LAST,

	__PTWALK_A_DEVICE_MAX,
	PTWALK_A_DEVICE_MAX = (__PTWALK_A_DEVICE_MAX - 1)
};

enum {
	PTWALK_A_IOVA_PAD = 1,
	PTWALK_A_IOVA_NAME,
	PTWALK_A_IOVA_START,
	PTWALK_A_IOVA_LAST,
	PTWALK_A_IOVA_STRETCHES,
	PTWALK_A_IOVA_STRETCH_BYTES,

	__PTWALK_A_IOVA_MAX,
	PTWALK_A_IOVA_MAX = (__PTWALK_A_IOVA_MAX - 1)
};

enum {
	PTWALK_A_FRAMES_PAD = 1,
	PTWALK_A_FRAMES_FRAMES,
	PTWALK_A_FRAMES_PAGES,
	PTWALK_A_FRAMES_PAGE_BYTES,

	__PTWALK_A_FRAMES_MAX,
	PTWALK_A_FRAMES_MAX = (__PTWALK_A_FRAMES_MAX - 1)
};

enum {
	PTWALK_A_POLICIES_PAD = 1,
	PTWALK_A_POLICIES_PID,
	PTWALK_A_POLICIES_ADDRESSES,
	PTWALK_A_POLICIES_POLICIES,
	PTWALK_A_POLICIES_POLICY_BYTES,

	__PTWALK_A_POLICIES_MAX,
	PTWALK_A_POLICIES_MAX = (__PTWALK_A_POLICIES_MAX - 1)
};

enum {
	PTWALK_CMD_DEVICE = 4,
	PTWALK_CMD_IOVA,
	PTWALK_CMD_FRAMES,
	PTWALK_CMD_POLICIES,

	__PTWALK_DEVICE_CMD_MAX,
	PTWALK_DEVICE_CMD_MAX = (__PTWALK_DEVICE_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_PTWALK_DEVICE_H */
