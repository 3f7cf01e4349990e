// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "slab.h"

/* Messages, sockets and what the module keeps; and the targets' memory. */
static int is_watched(const char *name)
{
	return !strncmp(name, "kmalloc-", 8) || !strncmp(name, "skbuff_", 7) ||
	       !strncmp(name, "mm_struct", 9);
}

/*
 * A cache that counts whole slabs of a processor as in use gives them back
 * when it is told to shrink.
 */
static void shrink(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		fprintf(stderr, "# %s\n", path);
	close(fd);
}

static int read_once(struct slab_use *use)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	char line[512], name[40];
	long objects;

	if (!file)
		return -errno;
	use->nr = 0;
	while (fgets(line, sizeof(line), file) && use->nr < SLAB_CACHES) {
		if (sscanf(line, "%39s %ld", name, &objects) != 2 || !is_watched(name))
			continue;
		strcpy(use->name[use->nr], name);
		use->objects[use->nr++] = objects;
	}
	fclose(file);
	return use->nr ? 0 : -ENOENT;
}

int slab_read(struct slab_use *use)
{
	int err = read_once(use);

	for (size_t i = 0; !err && i < use->nr; i++)
		shrink(use->name[i]);
	return err ? err : read_once(use);
}

static long objects_before(const struct slab_use *before, const char *name)
{
	for (size_t i = 0; i < before->nr; i++)
		if (!strcmp(before->name[i], name))
			return before->objects[i];
	return 0;
}

const char *slab_growth(const struct slab_use *before, long objects)
{
	static char text[128];
	struct slab_use now;

	text[0] = '\0';
	if (slab_read(&now))
		return "/proc/slabinfo can't be read";
	for (size_t i = 0; i < now.nr; i++) {
		long was = objects_before(before, now.name[i]);

		if (now.objects[i] - was >= objects)
			snprintf(text, sizeof(text), "%s: %ld objects, %ld before",
				 now.name[i], now.objects[i], was);
	}
	return text[0] ? text : NULL;
}

const char *slab_leak(const struct slab_use *before, long objects)
{
	const char *growth = slab_growth(before, objects);

	for (int tries = 0; tries < 60 && growth; tries++) {
		usleep(500000);
		growth = slab_growth(before, objects);
	}
	return growth;
}
