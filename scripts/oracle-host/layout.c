// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "layout.h"

bool layout_add_file(struct layout *l, const char *arg)
{
	const char *path = strchr(arg, '=');

	if (!path || l->nr_files == MAX_FILES)
		return false;
	snprintf(l->file[l->nr_files].name, sizeof(l->file[0].name), "%.*s",
		 (int)(path - arg), arg);
	l->file[l->nr_files].fd = open(path + 1, O_RDWR | O_CLOEXEC);
	return l->file[l->nr_files++].fd >= 0;
}

static void take(struct layout *l, const char *line)
{
	struct region r = { .fd = -1 };
	const char *at;

	if (l->nr == MAX_REGIONS ||
	    sscanf(line, " %" SCNx64 "-%" SCNx64 " (prio %*d, %15[^)]): %47s", &r.start,
		   &r.last, r.type, r.name) != 4)
		return;
	at = strstr(line, " @");
	if (at)
		sscanf(at, " @%" SCNx64, &r.offset);
	for (size_t i = 0; i < l->nr_files; i++)
		if (!strcmp(l->file[i].name, r.name))
			r.fd = l->file[i].fd;
	l->region[l->nr++] = r;
}

/*
 * Address spaces with the same view share one, and what is in it stands below
 * their names. Ours is what a processor sees.
 */
void layout_parse(struct layout *l, const char *mtree)
{
	bool ours = false;
	char line[256];

	l->nr = 0;
	while (*mtree) {
		size_t n = strcspn(mtree, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, mtree);
		if (!strncmp(line, "FlatView", 8))
			ours = false;
		else if (!strncmp(line, " AS \"memory\"", 12))
			ours = true;
		else if (ours)
			take(l, line);
		mtree += n + !!mtree[n];
	}
}

const struct region *layout_find(const struct layout *l, uint64_t phys)
{
	for (size_t i = 0; i < l->nr; i++)
		if (phys >= l->region[i].start && phys <= l->region[i].last)
			return &l->region[i];
	return NULL;
}

/* Its place in a file, or -1. */
static off_t place(const struct region *r, uint64_t phys, size_t size)
{
	if (!r || r->fd < 0 || size - 1 > r->last - phys)
		return -1;
	return r->offset + (phys - r->start);
}

bool layout_read(const struct layout *l, uint64_t phys, void *to, size_t size)
{
	const struct region *r = layout_find(l, phys);
	off_t at = place(r, phys, size);

	return at >= 0 && pread(r->fd, to, size, at) == (ssize_t)size;
}

bool layout_write(const struct layout *l, uint64_t phys, const void *from, size_t size)
{
	const struct region *r = layout_find(l, phys);
	off_t at = place(r, phys, size);

	return at >= 0 && pwrite(r->fd, from, size, at) == (ssize_t)size;
}
