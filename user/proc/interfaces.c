// SPDX-License-Identifier: GPL-2.0
/* Which of the kernel's interfaces to memory there are, found by trying. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lines.h"
#include "proc/interfaces.h"
#include "proc/iomem.h"
#include "proc/pagemap_bits.h"
#include "proc/procmap_query.h"

/* Of Linux 6.7; the headers of older systems don't have it. */
#ifndef PAGEMAP_SCAN
struct pm_scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define PAGEMAP_SCAN	_IOWR('f', 16, struct pm_scan_arg)
#endif

/* PROC_USER_INIT_INO: the number is part of the kernel's interface. */
#define INITIAL_USERNS	0xeffffffdU

static void say(struct interface *i, bool usable, const char *detail)
{
	i->usable = usable;
	snprintf(i->detail, sizeof(i->detail), "%s", detail);
}

/* Tries to read @size bytes at @offset; what it reads, it writes to @buf. */
static bool try_read(struct interface *i, off_t offset, void *buf, size_t size)
{
	int fd = open(i->name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) {
		say(i, false, strerror(errno));
		return false;
	}
	n = pread(fd, buf, size, offset);
	if (n < 0)
		say(i, false, strerror(errno));
	else if ((size_t)n < size)
		say(i, false, "the read ended early");
	else
		say(i, true, "");
	close(fd);
	return i->usable;
}

static void try_pagemap(struct interface *i)
{
	volatile char here = 0;
	uint64_t entry;
	off_t offset = (uintptr_t)&here / sysconf(_SC_PAGESIZE);

	if (!try_read(i, offset * sizeof(entry), &entry, sizeof(entry)))
		return;
	if (!(entry & PM_PRESENT))
		say(i, true, "shows a touched page as not present");
	else if (!(entry & PM_PFN_MASK))
		say(i, true, "PFNs hidden: it shows them to CAP_SYS_ADMIN in the initial user namespace");
	else
		say(i, true, "PFNs visible");
}

static void try_pagemap_scan(struct interface *i)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char here = 0;
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)&here & -page,
		.end = ((uintptr_t)&here & -page) + page,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && !ioctl(fd, PAGEMAP_SCAN, &arg))
		say(i, true, "");
	else
		say(i, false, fd >= 0 && errno == ENOTTY ?
			      "this kernel does not have it" : strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void try_procmap_query(struct interface *i)
{
	const char *why = procmap_query_probe();

	say(i, !why, why ? why : "");
}

/* Of what a system call answers, nothing is hidden. */
static void try_call(struct interface *i, long err)
{
	say(i, !err, err ? strerror(errno) : "");
}

static void try_mincore(struct interface *i)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char here = 0;
	unsigned char there;

	try_call(i, mincore((void *)((uintptr_t)&here & -page), page, &there));
}

static void try_move_pages(struct interface *i)
{
	int status;
	void *here = &status;

	try_call(i, syscall(SYS_move_pages, 0, 1, &here, NULL, &status, 0));
}

static void try_iomem(struct interface *i)
{
	struct iomem iomem;

	iomem_read(&iomem);
	say(i, !iomem.why_not, iomem.why_not ? iomem.why_not : "");
	iomem_free(&iomem);
}

void interfaces_try(struct interface found[NR_INTERFACES])
{
	static const char * const names[NR_INTERFACES] = {
		"/proc/self/pagemap", "PAGEMAP_SCAN", "/proc/kpageflags",
		"/proc/kpagecount", "/proc/kpagecgroup", "/proc/self/smaps",
		"/proc/self/smaps_rollup", "/proc/self/numa_maps", "/proc/self/status",
		"/proc/self/statm", "/proc/self/stat", "/proc/self/maps",
		"/proc/self/map_files",
		"PROCMAP_QUERY", "mincore", "move_pages",
		"/proc/kcore", "/proc/iomem",
	};
	uint64_t word;
	char byte;

	for (size_t n = 0; n < NR_INTERFACES; n++) {
		struct interface *i = &found[n];

		i->name = names[n];
		if (!strcmp(i->name, "/proc/self/pagemap"))
			try_pagemap(i);
		else if (!strcmp(i->name, "PAGEMAP_SCAN"))
			try_pagemap_scan(i);
		else if (!strcmp(i->name, "PROCMAP_QUERY"))
			try_procmap_query(i);
		else if (!strcmp(i->name, "mincore"))
			try_mincore(i);
		else if (!strcmp(i->name, "move_pages"))
			try_move_pages(i);
		else if (!strcmp(i->name, "/proc/self/map_files"))
			try_call(i, access(i->name, R_OK | X_OK));
		else if (!strcmp(i->name, "/proc/iomem"))
			try_iomem(i);
		else if (!strncmp(i->name, "/proc/kpage", 11))
			try_read(i, 0, &word, sizeof(word));
		else
			try_read(i, 0, &byte, sizeof(byte));
	}
}

static int take_effective(char *line, void *arg)
{
	return sscanf(line, "CapEff: %" SCNx64, (uint64_t *)arg) == 1;
}

void privileges_read(struct privileges *privileges)
{
	uint64_t caps = 0;
	struct stat st;

	lines_in("/proc/self/status", take_effective, &caps);
	privileges->effective = caps >> CAP_SYS_ADMIN & 1;
	/* A kernel without user namespaces has only the initial one. */
	privileges->initial_userns = stat("/proc/self/ns/user", &st) ?
		errno == ENOENT : st.st_ino == INITIAL_USERNS;
}
