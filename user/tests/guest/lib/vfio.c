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

struct ioas_copy {
	u32 size, flags, to, from;
	u64 length, to_iova, from_iova;
};

struct ioas_unmap {
	u32 size, id;
	u64 iova, length;
};

struct hwpt_alloc {
	u32 size, flags, device, ioas, id, reserved, data_type, data_len;
	u64 data;
};

struct bind_iommufd {
	u32 argsz, flags;
	int iommufd;
	u32 id;
};

struct attach_iommufd {
	u32 argsz, flags, id;
};

struct detach_iommufd {
	u32 argsz, flags;
};

#define IOAS_ALLOC	_IO(';', 0x81)
#define IOAS_COPY	_IO(';', 0x83)
#define IOAS_MAP	_IO(';', 0x85)
#define IOAS_UNMAP	_IO(';', 0x86)
#define HWPT_ALLOC	_IO(';', 0x89)
#define IOAS_FIXED	(1 << 0)
#define IOAS_WRITE	(1 << 1)
#define IOAS_READ	(1 << 2)
#define BIND_IOMMUFD	_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ATTACH_IOMMUFD	_IO(VFIO_TYPE, VFIO_BASE + 19)
#define DETACH_IOMMUFD	_IO(VFIO_TYPE, VFIO_BASE + 20)

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

static struct vfio unopened(const char *driver)
{
	return (struct vfio){ .driver = driver, .container = -1, .group = -1, .fd = -1 };
}

static bool open_group(struct vfio *v, const char *container, int number)
{
	char path[64];

	v->container = open(container, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/vfio/%d", number);
	v->group = open(path, O_RDWR | O_CLOEXEC);
	if (v->container < 0 || v->group < 0)
		return lacks(v, path);
	if (ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container) ||
	    ioctl(v->container, VFIO_SET_IOMMU, VFIO_TYPE1_IOMMU))
		return lacks(v, "VFIO_SET_IOMMU");
	return true;
}

bool vfio_open(struct vfio *v, const char *device, const char *driver, int number)
{
	*v = unopened(driver);
	return take_device(v, device, "vfio_iommu_type1") &&
	       open_group(v, "/dev/vfio/vfio", number);
}

/* Unlike a container, it gives the device a domain when that is opened. */
bool vfio_open_compat(struct vfio *v, const char *device, const char *driver, int number)
{
	*v = unopened(driver);
	if (!take_device(v, device, "iommufd") || !open_group(v, "/dev/iommu", number))
		return false;
	v->fd = ioctl(v->group, VFIO_GROUP_GET_DEVICE_FD, device);
	return v->fd >= 0 || lacks(v, "VFIO_GROUP_GET_DEVICE_FD");
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

bool vfio_has_iommufd(void)
{
	static struct output out;

	run(&out, "modprobe", "-q", "iommufd");
	return !access("/dev/iommu", F_OK);
}

u32 vfio_ioas(struct vfio *v)
{
	struct ioas_alloc alloc = { .size = sizeof(alloc) };

	return ioctl(v->container, IOAS_ALLOC, &alloc) ? 0 : alloc.id;
}

u32 vfio_domain(struct vfio *v, u32 ioas)
{
	struct hwpt_alloc alloc = { .size = sizeof(alloc), .device = v->id, .ioas = ioas };

	return ioctl(v->container, HWPT_ALLOC, &alloc) ? 0 : alloc.id;
}

int vfio_attach(struct vfio *v, u32 id)
{
	struct attach_iommufd attach = { .argsz = sizeof(attach), .id = id };

	return ioctl(v->group, ATTACH_IOMMUFD, &attach) ? -errno : 0;
}

int vfio_detach(struct vfio *v)
{
	struct detach_iommufd detach = { .argsz = sizeof(detach) };

	return ioctl(v->group, DETACH_IOMMUFD, &detach) ? -errno : 0;
}

/* Gives iommufd the device, which stands in address space @ioas then. */
static bool open_device(struct vfio *v, u32 ioas)
{
	struct bind_iommufd bind = { .argsz = sizeof(bind), .iommufd = v->container };

	v->group = open_node(v->device);
	if (v->group < 0)
		return lacks(v, "/dev/vfio/devices");
	if (!ioas || ioctl(v->group, BIND_IOMMUFD, &bind))
		return lacks(v, "VFIO_DEVICE_BIND_IOMMUFD");
	v->ioas = ioas;
	v->id = bind.id;
	return !vfio_attach(v, ioas) || lacks(v, "VFIO_DEVICE_ATTACH_IOMMUFD_PT");
}

bool vfio_open_iommufd(struct vfio *v, const char *device, const char *driver)
{
	*v = unopened(driver);
	if (!take_device(v, device, "iommufd"))
		return false;
	v->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	if (v->container < 0)
		return lacks(v, "/dev/iommu");
	return open_device(v, vfio_ioas(v));
}

bool vfio_share_iommufd(struct vfio *v, const char *device, const char *driver,
			const struct vfio *of)
{
	*v = unopened(driver);
	if (!take_device(v, device, "iommufd"))
		return false;
	v->container = fcntl(of->container, F_DUPFD_CLOEXEC, 0);
	return open_device(v, of->ioas);
}

static int map_iommufd(struct vfio *v, const void *at, size_t size, u64 iova)
{
	struct ioas_map map = {
		.size = sizeof(map),
		.flags = IOAS_FIXED | IOAS_READ | (v->reads ? 0 : IOAS_WRITE),
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
		.flags = VFIO_DMA_MAP_FLAG_READ | (v->reads ? 0 : VFIO_DMA_MAP_FLAG_WRITE),
		.vaddr = (uintptr_t)at,
		.iova = iova,
		.size = size,
	};

	if (v->ioas)
		return map_iommufd(v, at, size, iova);
	return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

int vfio_copy(struct vfio *v, u32 from, u64 from_iova, size_t size, u64 iova)
{
	struct ioas_copy copy = {
		.size = sizeof(copy),
		.flags = IOAS_FIXED | IOAS_READ | IOAS_WRITE,
		.to = v->ioas,
		.from = from,
		.length = size,
		.to_iova = iova,
		.from_iova = from_iova,
	};

	return ioctl(v->container, IOAS_COPY, &copy) ? -errno : 0;
}

static int unmap_iommufd(struct vfio *v, size_t size, u64 iova)
{
	struct ioas_unmap unmap = {
		.size = sizeof(unmap),
		.id = v->ioas,
		.iova = iova,
		.length = size,
	};

	return ioctl(v->container, IOAS_UNMAP, &unmap) ? -errno : 0;
}

int vfio_unmap(struct vfio *v, size_t size, u64 iova)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = iova,
		.size = size,
	};

	if (v->ioas)
		return unmap_iommufd(v, size, iova);
	return ioctl(v->container, VFIO_IOMMU_UNMAP_DMA, &unmap) ? -errno : 0;
}

void vfio_close(struct vfio *v)
{
	if (v->fd >= 0)
		close(v->fd);
	if (v->group >= 0)
		close(v->group);
	if (v->container >= 0)
		close(v->container);
	v->fd = -1;
	v->group = -1;
	v->container = -1;
	if (!v->device)
		return;
	put(v->device, "/sys/bus/pci/drivers/%s/unbind", "vfio-pci");
	put("\n", "/sys/bus/pci/devices/%s/driver_override", v->device);
	put(v->device, "/sys/bus/pci/drivers/%s/bind", v->driver);
	v->device = NULL;
}
