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

/* PROC_USER_INIT_INO: the number is part of the kernel's interface. */
#define INITIAL_USERNS	0xeffffffdU

static void say(struct interface *i, bool usable, const char *detail)
{
	i->usable = usable;
	snprintf(i->detail, sizeof(i->detail), "%s", detail);
}

/* It isn't usable for that error. One that isn't of these is an answer, which a check judges. */
static void say_error(struct interface *i, int err)
{
	i->lacks = err == ENOENT || err == EACCES || err == EPERM || err == ENOSYS ||
		   err == ENOTTY;
	say(i, false, err == ENOENT || err == ENOSYS || err == ENOTTY ?
		      "this kernel does not have it" : strerror(err));
}

/* Tries to read @size bytes at @offset; what it reads, it writes to @buf. */
static bool try_read(struct interface *i, off_t offset, void *buf, size_t size)
{
	int fd = open(i->name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) {
		say_error(i, errno);
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

	if (fd >= 0 && !ioctl(fd, PAGEMAP_SCAN, &arg)) {
		say(i, true, "");
	} else if (fd >= 0 && (errno == ENOTTY || errno == EINVAL)) {
		i->lacks = true;
		say(i, false, "this kernel does not have it (Linux 6.7)");
	} else {
		say_error(i, errno);
	}
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
	if (err)
		say_error(i, errno);
	else
		say(i, true, "");
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

static void try_first_byte(struct interface *i)
{
	char byte;

	try_read(i, 0, &byte, sizeof(byte));
}

static void try_frames(struct interface *i)
{
	uint64_t word;

	try_read(i, 0, &word, sizeof(word));
}

static void try_links(struct interface *i)
{
	try_call(i, access(i->name, R_OK | X_OK));
}

static const struct {
	const char *name;
	void (*try)(struct interface *i);
} known[NR_INTERFACES] = {
	{ "/proc/self/pagemap", try_pagemap }, { "PAGEMAP_SCAN", try_pagemap_scan },
	{ "/proc/kpageflags", try_frames }, { "/proc/kpagecount", try_frames },
	{ "/proc/kpagecgroup", try_frames }, { "/proc/self/smaps", try_first_byte },
	{ "/proc/self/smaps_rollup", try_first_byte }, { "/proc/self/numa_maps", try_first_byte },
	{ "/proc/self/status", try_first_byte }, { "/proc/self/statm", try_first_byte },
	{ "/proc/self/stat", try_first_byte }, { "/proc/self/maps", try_first_byte },
	{ "/proc/self/map_files", try_links }, { "PROCMAP_QUERY", try_procmap_query },
	{ "mincore", try_mincore }, { "move_pages", try_move_pages },
	{ "/proc/kcore", try_first_byte }, { "/proc/iomem", try_iomem },
};

static void try_known(struct interface *i, size_t n)
{
	i->name = known[n].name;
	i->lacks = false;
	known[n].try(i);
}

void interfaces_try(struct interface found[NR_INTERFACES])
{
	for (size_t n = 0; n < NR_INTERFACES; n++)
		try_known(&found[n], n);
}

const char *interface_lacks(const char *name)
{
	static struct interface found[NR_INTERFACES];
	size_t n = 0;

	while (strcmp(known[n].name, name))
		n++;
	try_known(&found[n], n);
	return found[n].lacks ? found[n].detail : NULL;
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
