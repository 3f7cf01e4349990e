/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that have a device through VFIO, by what their descriptors lead to. */
#ifndef PTWALK_PROC_VFIO_H
#define PTWALK_PROC_VFIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "proc/status.h"

/**
 * struct vfio_holder - a process
 * @pid: The process.
 * @fd: Its lowest descriptor that @is_sure, else its lowest of VFIO.
 * @is_sure: That is of this device or its group. Containers, iommufd, and devices that
 *	were opened by a group, don't say which devices they have.
 * @is_charged: Memory is charged to it, as that of a device is to who mapped it there, and
 *	not to a child, which has the device, too; or that can't be read.
 * @is_known: It could be, and @charges is what is charged.
 */
struct vfio_holder {
	pid_t pid;
	int fd;
	bool is_sure, is_charged, is_known;
	struct procstatus_charges charges;
};

/**
 * struct vfio_holders - all of them; all zero is a valid empty one
 * @unread: Processes whose descriptors couldn't be read, any of which may be one.
 */
struct vfio_holders {
	struct vfio_holder *holder;
	size_t nr, max, unread;
};

/*
 * Finds those that may have a device, of IOMMU group @group, whose node of its own is
 * /dev/vfio/devices/@node, or "" without one: those that are sure come first. Returns 0
 * or a negative errno, see base/error.h; -EACCES: there may be one that we may not see.
 */
int vfio_holders_find(struct vfio_holders *out, int64_t group, const char *node);
void vfio_holders_free(struct vfio_holders *holders);

/* The name of that node of a PCI device, such as "vfio0"; empty without one. */
void vfio_node(const char *device, char *buf, size_t size);

/*
 * How many devices VFIO has in place of their drivers, and the PCI address or the like of
 * one; 0 also where sysfs doesn't list them.
 */
size_t vfio_devices(char *one, size_t size);

/* For tests: the device of a link in /sys/class/vfio-dev; false: it is none. */
bool vfio_device_of(const char *link, char *buf, size_t size);

/* Whether a link of /proc/PID/fd is of VFIO or iommufd, of whichever device. */
bool vfio_link_of_any(const char *target);

/* For tests: whether a link of /proc/PID/fd is of VFIO, and then whether it @is_sure. */
bool vfio_link(const char *target, int64_t group, const char *node, bool *is_sure);

#endif /* PTWALK_PROC_VFIO_H */
