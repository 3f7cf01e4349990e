// SPDX-License-Identifier: GPL-2.0
/* Frame buffers of displays. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "build_foreign.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

/* As in drm/drm_mode.h, which not every system has. */
struct dumb_create {
	u32 height, width, bpp, flags, handle, pitch;
	u64 size;
};

struct dumb_map {
	u32 handle, pad;
	u64 offset;
};

#define DUMB_CREATE	_IOWR('d', 0xb2, struct dumb_create)
#define DUMB_MAP	_IOWR('d', 0xb3, struct dumb_map)

/* Other tests want the display's memory without a driver on it. */
static void stop_display(struct mapping *m)
{
	int tries;

	munmap((void *)(uintptr_t)m->start, m->pages * m->page_size);
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	if (!m->saved_number)
		return;
	for (tries = 0; tries < 50 && module_unload("bochs") == -EAGAIN; tries++)
		usleep(20000);
}

/* Opens a device of a display; QEMU's is the one that there can be here. */
static bool open_display(struct mapping *m, const char *path)
{
	static struct output out;
	int tries;

	m->fd = open(path, O_RDWR | O_CLOEXEC);
	if (m->fd < 0) {
		run(&out, "modprobe", "-q", "bochs");
		m->saved_number = module_loaded("bochs");
		m->release = stop_display;
	}
	for (tries = 0; m->fd < 0 && tries < 10 && m->saved_number; tries++) {
		m->fd = open(path, O_RDWR | O_CLOEXEC);
		if (m->fd < 0)
			usleep(50000);
	}
	if (m->fd < 0)
		mapping_lacks(m, "%s: %s", path, strerror(errno));
	return m->fd >= 0;
}

BUILDER(framebuffer)
{
	if (!open_display(m, "/dev/fb0"))
		return;
	foreign_buffer(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
}

BUILDER(dumb_buffer)
{
	struct dumb_create create = { .width = 256, .height = 64, .bpp = 32 };
	struct dumb_map map = { 0 };

	if (!open_display(m, "/dev/dri/card0"))
		return;
	if (ioctl(m->fd, DUMB_CREATE, &create))
		return mapping_broken(m, "CREATE_DUMB: %s", strerror(errno));
	map.handle = create.handle;
	if (ioctl(m->fd, DUMB_MAP, &map))
		return mapping_broken(m, "MAP_DUMB: %s", strerror(errno));
	foreign_buffer(m, m->fd, map.offset, create.size, FOREIGN_WRITE);
}
