// SPDX-License-Identifier: GPL-2.0
/* Who has a device of VFIO, by what descriptors lead to. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "proc/descriptors.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/vfio.h"

#define CLASS	"/sys/class/vfio-dev"

bool vfio_link(const char *target, int64_t group, const char *node, bool *is_sure)
{
	char own[64];

	snprintf(own, sizeof(own), "/dev/vfio/%" PRId64, group);
	*is_sure = group >= 0 && !strcmp(target, own);
	snprintf(own, sizeof(own), "/dev/vfio/devices/%s", node);
	*is_sure |= *node && !strcmp(target, own);
	return *is_sure || !strcmp(target, "/dev/vfio/vfio") || !strcmp(target, "/dev/iommu") ||
	       !strcmp(target, "anon_inode:[vfio-device]");
}

bool vfio_link_of_any(const char *target)
{
	bool is_sure;

	return vfio_link(target, -1, "", &is_sure) ||
	       !strncmp(target, "/dev/vfio/", strlen("/dev/vfio/"));
}

/* The descriptors of a process being looked at. */
struct look {
	int64_t group;
	const char *node;
	struct vfio_holder holder;
};

static int take_vfio_link(int fd, const char *target, void *arg)
{
	struct look *look = arg;
	struct vfio_holder *h = &look->holder;
	bool sure;

	if (!vfio_link(target, look->group, look->node, &sure) || (h->is_sure && !sure))
		return 0;
	if (h->fd < 0 || sure > h->is_sure || fd < h->fd)
		h->fd = fd;
	h->is_sure = sure;
	return 0;
}

static void read_charges(struct vfio_holder *h)
{
	FILE *stream = procs_fopen(h->pid, "status", &(int){ 0 });

	h->is_known = stream && !procstatus_charged(stream, &h->charges);
	h->is_charged = !h->is_known || h->charges.locked || h->charges.pinned;
	if (stream)
		fclose(stream);
}

static int by_surety(const void *a, const void *b)
{
	const struct vfio_holder *x = a, *y = b;

	if (x->is_sure != y->is_sure)
		return x->is_sure ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

int vfio_holders_find(struct vfio_holders *out, int64_t group, const char *node)
{
	struct pids pids = { 0 };
	int err = pids_add_all(&pids), failed;

	for (size_t i = 0; !err && i < pids.nr; i++) {
		struct look look = {
			.group = group, .node = node,
			.holder = { .pid = pids.pid[i], .fd = -1 },
		};

		failed = descriptors_each(pids.pid[i], take_vfio_link, &look);
		/* One that has gone meanwhile has nothing. */
		if (failed && procs_gone(pids.pid[i], failed))
			continue;
		if (failed == -EACCES)
			err = error_set(-EACCES, "process %d, which may have the device: /proc/%d/fd: %s (CAP_SYS_PTRACE)",
					(int)pids.pid[i], (int)pids.pid[i], strerror(EACCES));
		out->unread += !!failed;
		if (failed)
			continue;
		if (look.holder.fd < 0)
			continue;
		read_charges(&look.holder);
		err = array_add(out->holder, out->nr, out->max, look.holder) ? 0 :
		      error_no_memory();
	}
	pids_free(&pids);
	if (out->nr)
		qsort(out->holder, out->nr, sizeof(*out->holder), by_surety);
	return err;
}

void vfio_holders_free(struct vfio_holders *holders)
{
	free(holders->holder);
	memset(holders, 0, sizeof(*holders));
}

/* A name and its room. */
struct room {
	char *buf;
	size_t size;
};

static int take_vfio_node(const char *name, void *arg)
{
	const struct room *room = arg;

	if (strncmp(name, "vfio", strlen("vfio")))
		return 0;
	snprintf(room->buf, room->size, "%s", name);
	return 1;
}

bool vfio_device_of(const char *link, char *buf, size_t size)
{
	const char *end = strstr(link, "/vfio-dev/"), *name = end;

	if (!end)
		return false;
	while (name > link && name[-1] != '/')
		name--;
	snprintf(buf, size, "%.*s", (int)(end - name), name);
	return name < end;
}

/* Devices of VFIO, one of which is in @room. */
struct devices {
	struct room room;
	size_t nr;
};

static int take_taken(const char *name, void *arg)
{
	struct devices *d = arg;
	char path[64], link[512];
	ssize_t n;

	snprintf(path, sizeof(path), CLASS "/%s", name);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return 0;
	link[n] = '\0';
	d->nr += vfio_device_of(link, d->room.buf, d->room.size);
	return 0;
}

size_t vfio_devices(char *one, size_t size)
{
	struct devices d = { .room = { one, size } };

	*one = '\0';
	folder_each(CLASS, take_taken, &d);
	return d.nr;
}

void vfio_node(const char *device, char *buf, size_t size)
{
	struct room room = { buf, size };
	char path[128];

	*buf = '\0';
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vfio-dev", device);
	folder_each(path, take_vfio_node, &room);
}
