// SPDX-License-Identifier: GPL-2.0
/*
 * Who has made a dma-buf: "exp_name" of fdinfo (dma_buf_show_fdinfo()), or of
 * dma_buf/bufinfo in debugfs (dma_buf_debug_show()).
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/folder.h"
#include "base/lines.h"
#include "proc/dmabuf.h"
#include "proc/processes.h"

#define NAME	"/dmabuf:"
#define BUFINFO	"/sys/kernel/debug/dma_buf/bufinfo"

/**
 * struct wanted - a dma-buf
 * @pid: A process that maps it, or one of its threads.
 * @inode: Its inode number.
 * @exporter: Receives the name.
 */
struct wanted {
	pid_t pid;
	uint64_t inode;
	char *exporter;
};

bool dmabuf_is(const char *name)
{
	return !strncmp(name, NAME, strlen(NAME));
}

/* "exp_name:\tsystem" */
static int take_fdinfo(char *line, void *arg)
{
	const struct wanted *w = arg;

	return sscanf(line, "exp_name: %63s", w->exporter) == 1;
}

/* "00065536\t00000002\t00080007\t00000003\tsystem\t00000001\t<none>", in decimal */
static bool parse_bufinfo(const char *line, unsigned long long *bytes,
			  char name[DMABUF_EXPORTER], unsigned long long *inode)
{
	return sscanf(line, "%llu %*s %*s %*s %63s %llu", bytes, name, inode) == 3;
}

static int take_bufinfo(char *line, void *arg)
{
	const struct wanted *w = arg;
	unsigned long long bytes, inode;
	char name[DMABUF_EXPORTER];

	if (!parse_bufinfo(line, &bytes, name, &inode) || inode != w->inode)
		return 0;
	memcpy(w->exporter, name, sizeof(name));
	return 1;
}

/* The smallest one of @exporter until now. */
struct smallest {
	const char *exporter;
	uint64_t bytes;
};

static int take_smallest(char *line, void *arg)
{
	struct smallest *s = arg;
	unsigned long long bytes, inode;
	char name[DMABUF_EXPORTER];

	if (parse_bufinfo(line, &bytes, name, &inode) && !strcmp(name, s->exporter) &&
	    (!s->bytes || bytes < s->bytes))
		s->bytes = bytes;
	return 0;
}

static int take_dmabuf_fd(const char *fd, void *arg)
{
	const struct wanted *w = arg;
	char path[64], link[sizeof(NAME)];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)w->pid, fd);
	if (readlink(path, link, sizeof(link) - 1) < (ssize_t)sizeof(link) - 1 ||
	    strncmp(link, NAME, strlen(NAME)) || stat(path, &st) || st.st_ino != w->inode)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)w->pid, fd);
	return lines_in(path, take_fdinfo, arg) == 1;
}

int dmabuf_parse_fdinfo(FILE *stream, char exporter[DMABUF_EXPORTER])
{
	struct wanted w = { .exporter = exporter };

	return lines_each(stream, take_fdinfo, &w, NULL);
}

int dmabuf_parse_bufinfo(FILE *stream, uint64_t inode, char exporter[DMABUF_EXPORTER])
{
	struct wanted w = { .inode = inode, .exporter = exporter };

	return lines_each(stream, take_bufinfo, &w, NULL);
}

bool dmabuf_may_be_of(const char *exporter, uint64_t *bytes)
{
	struct smallest s = { .exporter = exporter };
	char path[64];

	*bytes = 0;
	if (lines_in(BUFINFO, take_smallest, &s) < 0) {
		snprintf(path, sizeof(path), "/sys/class/misc/%s", exporter);
		return !access(path, F_OK);
	}
	*bytes = s.bytes;
	return s.bytes;
}

bool dmabuf_exporter(pid_t pid, uint64_t inode, char exporter[DMABUF_EXPORTER])
{
	struct wanted w = { .inode = inode, .exporter = exporter };
	char path[32];

	/* A first thread that has exited has no descriptors any more. */
	w.pid = procs_living_thread(pid);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)w.pid);
	return folder_each(path, take_dmabuf_fd, &w) == 1 ||
	       lines_in(BUFINFO, take_bufinfo, &w) == 1;
}
