// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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

/* Not all systems have <linux/iommufd.h>, nor what <linux/vfio.h> has of it. */
struct ioas_alloc {
	u32 size, flags, id;
};

struct ioas_map {
	u32 size, flags, id, reserved;
	u64 user_va, length, iova;
};

struct bind_iommufd {
	u32 argsz, flags;
	int iommufd;
	u32 id;
};

struct attach_iommufd {
	u32 argsz, flags, id;
};

#define IOAS_ALLOC	_IO(';', 0x81)
#define IOAS_MAP	_IO(';', 0x85)
#define IOAS_FIXED	(1 << 0)
#define IOAS_WRITE	(1 << 1)
#define IOAS_READ	(1 << 2)
#define BIND_IOMMUFD	_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ATTACH_IOMMUFD	_IO(VFIO_TYPE, VFIO_BASE + 19)

/* Takes the device from @v->driver; @dma is the module that maps memory for it. */
static bool take_device(struct vfio *v, const char *device, const char *dma)
{
	static struct output out;

	run(&out, "modprobe", "-q", dma);
	/* The guest's devices don't remap interrupts, see scripts/check. */
	put("1", "/sys/module/%s/parameters/allow_unsafe_interrupts", dma);
	run(&out, "modprobe", "-q", "vfio-pci");
	if (access("/sys/bus/pci/drivers/vfio-pci", F_OK))
		return lacks(v, "the driver vfio-pci");
	v->device = device;
	put(device, "/sys/bus/pci/drivers/%s/unbind", v->driver);
	if (!put("vfio-pci", "/sys/bus/pci/devices/%s/driver_override", device) ||
	    !put(device, "/sys/bus/pci/drivers/%s/bind", "vfio-pci"))
		return lacks(v, "vfio-pci for the device");
	return true;
}

bool vfio_open(struct vfio *v, const char *device, const char *driver, int number)
{
	char path[64];

	*v = (struct vfio){ .driver = driver, .container = -1, .group = -1 };
	if (!take_device(v, device, "vfio_iommu_type1"))
		return false;
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

/* The node of the device, which has it without a group; -1 without one. */
static int open_node(const char *device)
{
	char pattern[128];
	glob_t found;
	int fd = -1;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/vfio-dev/vfio*", device);
	if (!glob(pattern, 0, NULL, &found)) {
		snprintf(pattern, sizeof(pattern), "/dev/vfio/devices%s",
			 strrchr(found.gl_pathv[0], '/'));
		fd = open(pattern, O_RDWR | O_CLOEXEC);
	}
	globfree(&found);
	return fd;
}

bool vfio_open_iommufd(struct vfio *v, const char *device, const char *driver)
{
	struct ioas_alloc alloc = { .size = sizeof(alloc) };
	struct bind_iommufd bind = { .argsz = sizeof(bind) };
	struct attach_iommufd attach = { .argsz = sizeof(attach) };

	*v = (struct vfio){ .driver = driver, .container = -1, .group = -1 };
	if (!take_device(v, device, "iommufd"))
		return false;
	v->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	if (v->container < 0)
		return lacks(v, "/dev/iommu");
	v->group = open_node(device);
	if (v->group < 0)
		return lacks(v, "/dev/vfio/devices");
	bind.iommufd = v->container;
	if (ioctl(v->container, IOAS_ALLOC, &alloc) || ioctl(v->group, BIND_IOMMUFD, &bind))
		return lacks(v, "VFIO_DEVICE_BIND_IOMMUFD");
	v->ioas = alloc.id;
	attach.id = alloc.id;
	if (ioctl(v->group, ATTACH_IOMMUFD, &attach))
		return lacks(v, "VFIO_DEVICE_ATTACH_IOMMUFD_PT");
	return true;
}

static int map_iommufd(struct vfio *v, const void *at, size_t size, u64 iova)
{
	struct ioas_map map = {
		.size = sizeof(map),
		.flags = IOAS_FIXED | IOAS_READ | IOAS_WRITE,
		.id = v->ioas,
		.user_va = (uintptr_t)at,
		.length = size,
		.iova = iova,
	};

	return ioctl(v->container, IOAS_MAP, &map) ? -errno : 0;
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

	if (v->ioas)
		return map_iommufd(v, at, size, iova);
	return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

int vfio_unmap(struct vfio *v, size_t size, u64 iova)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = iova,
		.size = size,
	};

	return ioctl(v->container, VFIO_IOMMU_UNMAP_DMA, &unmap) ? -errno : 0;
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
