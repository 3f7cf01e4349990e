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
 * @ioas: the address space in it, and
 * @id: the device.
 * @group: Its group, or with iommufd its own node; or -1.
 * @fd: The device, by its group, or -1.
 * @reads: It gets memory to read only.
 * @lacks: Why it can't be had, if vfio_open() says so.
 */
struct vfio {
	const char *device, *driver;
	int container, group, fd;
	u32 ioas, id;
	bool reads;
	char lacks[128];
};

/* Takes a device, alone in IOMMU group @number, from its driver. */
bool vfio_open(struct vfio *v, const char *device, const char *driver, int number);

/* The same with iommufd in place of the container, which does as if it were that. */
bool vfio_open_compat(struct vfio *v, const char *device, const char *driver, int number);

/* The same with iommufd in place of a group and a container. */
bool vfio_open_iommufd(struct vfio *v, const char *device, const char *driver);

/* The same for one more device, in the same address space of @of. */
bool vfio_share_iommufd(struct vfio *v, const char *device, const char *driver,
			const struct vfio *of);

/* Whether the kernel has iommufd: then nothing of this may be missing. */
bool vfio_has_iommufd(void);

/* Another address space of iommufd, or 0. */
u32 vfio_ioas(struct vfio *v);

/* A domain of address space @ioas, made by itself, or 0. */
u32 vfio_domain(struct vfio *v, u32 ioas);

/* Has the device use an address space of iommufd, or a domain; 0 or a negative errno. */
int vfio_attach(struct vfio *v, u32 id);

/* Takes it out of its address space; 0 or a negative errno. */
int vfio_detach(struct vfio *v);

/* Maps memory of ours at a bus address; 0 or a negative errno. */
int vfio_map(struct vfio *v, const void *at, size_t size, u64 iova);

/* Copies a mapping as a whole from address space @from to that of the device. */
int vfio_copy(struct vfio *v, u32 from, u64 from_iova, size_t size, u64 iova);

/* Undoes that; 0 or a negative errno. */
int vfio_unmap(struct vfio *v, size_t size, u64 iova);

/* Gives the device back. */
void vfio_close(struct vfio *v);

#endif /* PTWALK_TEST_VFIO_H */
