// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/vfio.h>
#include <unistd.h>
#include "system.h"
#include "vfio.h"

static bool put(const char *text, const char *format, const char *name)
{
	char path[256];
	bool done;
	int fd;

	snprintf(path, sizeof(path), format, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

static bool lacks(struct vfio *v, const char *what)
{
	snprintf(v->lacks, sizeof(v->lacks), "%s: %s", what, strerror(errno));
	vfio_close(v);
	return false;
}

bool vfio_open(struct vfio *v, const char *device, const char *driver, int number)
{
	static struct output out;
	char path[64];

	*v = (struct vfio){ .driver = driver, .container = -1, .group = -1 };
	run(&out, "modprobe", "-q", "vfio_iommu_type1");
	/* The guest's devices don't remap interrupts, see scripts/check. */
	put("1", "/sys/module/%s/parameters/allow_unsafe_interrupts", "vfio_iommu_type1");
	run(&out, "modprobe", "-q", "vfio-pci");
	if (access("/sys/bus/pci/drivers/vfio-pci", F_OK))
		return lacks(v, "the driver vfio-pci");
	v->device = device;
	put(device, "/sys/bus/pci/drivers/%s/unbind", driver);
	if (!put("vfio-pci", "/sys/bus/pci/devices/%s/driver_override", device) ||
	    !put(device, "/sys/bus/pci/drivers/%s/bind", "vfio-pci"))
		return lacks(v, "vfio-pci for the device");
	v->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/vfio/%d", number);
	v->group = open(path, O_RDWR | O_CLOEXEC);
	if (v->container < 0 || v->group < 0)
		return lacks(v, path);
	if (ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container) ||
	    ioctl(v->container, VFIO_SET_IOMMU, VFIO_TYPE1_IOMMU))
		return lacks(v, "VFIO_SET_IOMMU");
	return true;
}

int vfio_map(struct vfio *v, const void *at, size_t size, u64 iova)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)at,
		.iova = iova,
		.size = size,
	};

	return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

void vfio_close(struct vfio *v)
{
	if (v->group >= 0)
		close(v->group);
	if (v->container >= 0)
		close(v->container);
	v->group = v->container = -1;
	if (!v->device)
		return;
	put(v->device, "/sys/bus/pci/drivers/%s/unbind", "vfio-pci");
	put("\n", "/sys/bus/pci/devices/%s/driver_override", v->device);
	put(v->device, "/sys/bus/pci/drivers/%s/bind", v->driver);
	v->device = NULL;
}
