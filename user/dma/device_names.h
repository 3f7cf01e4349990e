/* SPDX-License-Identifier: GPL-2.0 */
/* The names that users give a device, and the module's name for it. */
#ifndef PTWALK_DMA_DEVICE_NAMES_H
#define PTWALK_DMA_DEVICE_NAMES_H

#include <linux/ptwalk_device.h>

/* "pci/0000:00:04.0", or "platform/fd500000.pcie". */
#define DEVNAME_SIZE	(PTWALK_MAX_DEVICE_NAME + 1)

/* What to give, for messages. */
#define DEVNAME_FORMS	"0000:00:04.0, platform/NAME or a path in /sys"
#define DEVNAME_SUCH_AS	"give one such as " DEVNAME_FORMS

/*
 * Takes 0000:00:04.0, 00:04.0 (of PCI domain 0), BUS/NAME, or a path below
 * /sys that leads to a device. Of a path that leads to something without DMA
 * of its own, such as /sys/class/net/eth0, the nearest device above it is
 * taken. Returns 0 or a negative errno, see base/error.h: what can be no device is
 * a wrong command line, a path in /sys that leads to none is not.
 */
int devname_parse(const char *arg, char name[DEVNAME_SIZE]);

/*
 * The same for the resolved path of a folder in sysfs; @root is "/sys", or
 * where a test has made one like it. Returns NULL, or a reason as the parsers do.
 */
const char *devname_from_path(const char *root, const char *path,
			      char name[DEVNAME_SIZE]);

#endif /* PTWALK_DMA_DEVICE_NAMES_H */
