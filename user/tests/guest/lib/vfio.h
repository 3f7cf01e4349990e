/* SPDX-License-Identifier: GPL-2.0 */
/* A PCI device that a process has through VFIO, and its IOMMU domain. */
#ifndef PTWALK_TEST_VFIO_H
#define PTWALK_TEST_VFIO_H

#include "mapping.h"

/**
 * struct vfio - a device in the hands of this process
 * @device: Its PCI address; NULL while its driver has it.
 * @driver: The driver that it gets back.
 * @container: Whose domain it is in, or -1; closing it ends that. Or iommufd, and then
 * @ioas: the address space in it.
 * @group: Its group, or with iommufd its own node; or -1.
 * @lacks: Why it can't be had, if vfio_open() says so.
 */
struct vfio {
	const char *device, *driver;
	int container, group;
	u32 ioas;
	char lacks[128];
};

/* Takes a device, alone in IOMMU group @number, from its driver. */
bool vfio_open(struct vfio *v, const char *device, const char *driver, int number);

/* The same with iommufd in place of a group and a container. */
bool vfio_open_iommufd(struct vfio *v, const char *device, const char *driver);

/* Maps memory of ours at a bus address; 0 or a negative errno. */
int vfio_map(struct vfio *v, const void *at, size_t size, u64 iova);

/* Undoes that, without iommufd; 0 or a negative errno. */
int vfio_unmap(struct vfio *v, size_t size, u64 iova);

/* Gives the device back. */
void vfio_close(struct vfio *v);

#endif /* PTWALK_TEST_VFIO_H */
