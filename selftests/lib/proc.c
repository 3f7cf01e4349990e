// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "proc.h"

static int open_proc(pid_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int proc_pagemap(pid_t pid, u64 addr, u64 *entries, size_t nr)
{
	u64 page_size = sysconf(_SC_PAGESIZE);
	int fd = open_proc(pid, "pagemap");
	size_t done = 0;

	if (fd < 0)
		return fd;
	while (done < nr) {
		ssize_t n = pread(fd, entries + done, (nr - done) * sizeof(u64),
				  (addr / page_size + done) * sizeof(u64));

		if (n < 0) {
			n = -errno;
			close(fd);
			return n;
		}
		if (n < (ssize_t)sizeof(u64))
			break;
		done += n / sizeof(u64);
	}
	close(fd);
	return done;
}

int proc_kpage(const char *name, u64 pfn, u64 *word)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, word, sizeof(*word), pfn * sizeof(*word));
	if (n < 0)
		n = -errno;
	close(fd);
	return n == sizeof(*word) ? 0 : n < 0 ? n : -ERANGE;
}

bool proc_any_unmapped(const struct ptw_page *pages, size_t nr)
{
	u64 count;
	int tries;
	size_t i;

	for (tries = 0; tries < 3000; tries++) {
		for (i = 0; i < nr; i++)
			if (proc_kpage("/proc/kpagecount", pages[i].t.value, &count) ||
			    !count)
				return true;
		usleep(10000);
	}
	return false;
}

static const struct {
	char name[3];
	u64 flag;
} vm_flags[] = {
	{ "rd", PTWALK_VMA_FLAG_READ },		{ "wr", PTWALK_VMA_FLAG_WRITE },
	{ "ex", PTWALK_VMA_FLAG_EXEC },		{ "sh", PTWALK_VMA_FLAG_SHARED },
	{ "mr", PTWALK_VMA_FLAG_MAYREAD },	{ "mw", PTWALK_VMA_FLAG_MAYWRITE },
	{ "me", PTWALK_VMA_FLAG_MAYEXEC },	{ "ms", PTWALK_VMA_FLAG_MAYSHARE },
	{ "gd", PTWALK_VMA_FLAG_GROWSDOWN },	{ "pf", PTWALK_VMA_FLAG_PFNMAP },
	{ "mm", PTWALK_VMA_FLAG_MIXEDMAP },	{ "io", PTWALK_VMA_FLAG_IO },
	{ "ht", PTWALK_VMA_FLAG_HUGETLB },	{ "sd", PTWALK_VMA_FLAG_SOFTDIRTY },
	{ "lo", PTWALK_VMA_FLAG_LOCKED },	{ "dc", PTWALK_VMA_FLAG_DONTCOPY },
	{ "de", PTWALK_VMA_FLAG_DONTEXPAND },	{ "dd", PTWALK_VMA_FLAG_DONTDUMP },
	{ "ac", PTWALK_VMA_FLAG_ACCOUNT },	{ "nr", PTWALK_VMA_FLAG_NORESERVE },
	{ "hg", PTWALK_VMA_FLAG_HUGEPAGE },	{ "nh", PTWALK_VMA_FLAG_NOHUGEPAGE },
	{ "mg", PTWALK_VMA_FLAG_MERGEABLE },	{ "wf", PTWALK_VMA_FLAG_WIPEONFORK },
	{ "sf", PTWALK_VMA_FLAG_SYNC },		{ "sr", PTWALK_VMA_FLAG_SEQ_READ },
	{ "rr", PTWALK_VMA_FLAG_RAND_READ },	{ "um", PTWALK_VMA_FLAG_UFFD_MISSING },
	{ "uw", PTWALK_VMA_FLAG_UFFD_WP },	{ "ui", PTWALK_VMA_FLAG_UFFD_MINOR },
};

static void take_vm_flags(const char *text, struct proc_vma *vma)
{
	size_t i;

	for (i = 0; i < sizeof(vm_flags) / sizeof(vm_flags[0]); i++) {
		char word[8];

		snprintf(word, sizeof(word), " %.2s ", vm_flags[i].name);
		vma->flags_known |= vm_flags[i].flag;
		if (strstr(text, word))
			vma->flags |= vm_flags[i].flag;
	}
}

static void take_size(const char *line, struct proc_vma *vma)
{
	const struct {
		const char *name;
		u64 *to;
	} sizes[] = {
		{ "Rss:", &vma->rss },
		{ "Referenced:", &vma->referenced },
		{ "Anonymous:", &vma->anonymous },
		{ "AnonHugePages:", &vma->anon_huge },
		{ "ShmemPmdMapped:", &vma->shmem_huge },
		{ "FilePmdMapped:", &vma->file_huge },
		{ "Swap:", &vma->swap },
		{ "Locked:", &vma->locked },
		{ "Private_Dirty:", &vma->private_dirty },
		{ "Private_Clean:", &vma->private_clean },
		{ "Shared_Dirty:", &vma->shared_dirty },
		{ "Shared_Clean:", &vma->shared_clean },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strncmp(line, sizes[i].name, strlen(sizes[i].name)))
			*sizes[i].to = strtoull(strchr(line, ':') + 1, NULL, 10) * 1024;
}

/*
 * Finds the VMA called @name, or without one the first that ends above @addr.
 */
static int find_vma(pid_t pid, u64 addr, const char *name, struct proc_vma *vma)
{
	int fd = open_proc(pid, "smaps");
	char line[512];
	bool found = false;
	FILE *smaps;

	if (fd < 0)
		return fd;
	smaps = fdopen(fd, "r");
	memset(vma, 0, sizeof(*vma));
	while (fgets(line, sizeof(line), smaps)) {
		u64 start, end;
		int at = 0;

		if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &at) >= 2 && at) {
			if (found)
				break;
			line[strcspn(line, "\n")] = '\0';
			found = name ? !strcmp(line + at, name) : addr < end;
			if (!found)
				continue;
			vma->start = start;
			vma->end = end;
			snprintf(vma->name, sizeof(vma->name), "%.*s",
				 (int)sizeof(vma->name) - 1, line + at);
		} else if (found && !strncmp(line, "VmFlags:", 8)) {
			line[strcspn(line, "\n")] = ' ';
			take_vm_flags(line, vma);
		} else if (found) {
			take_size(line, vma);
		}
	}
	fclose(smaps);
	return found ? 0 : -ENOENT;
}

int proc_vma(pid_t pid, u64 addr, struct proc_vma *vma)
{
	return find_vma(pid, addr, NULL, vma);
}

int proc_vma_named(pid_t pid, const char *name, struct proc_vma *vma)
{
	return find_vma(pid, 0, name, vma);
}

long long proc_field(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	long long value = -1;
	char line[256];

	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = strtoll(line + strlen(name) + 1, NULL, 10);
	fclose(file);
	return value;
}

long long proc_vmstat(const char *name)
{
	FILE *file = fopen("/proc/vmstat", "re");
	long long value = -1, number;
	char found[128];

	while (file && value < 0 && fscanf(file, "%127s %lld", found, &number) == 2)
		if (!strcmp(found, name))
			value = number;
	if (file)
		fclose(file);
	return value;
}

int proc_faults(pid_t pid, u64 *minor, u64 *major)
{
	char path[64], text[1024];
	const char *p;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	err = proc_read(path, text, sizeof(text));
	if (err)
		return err;
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu",
			 minor, major) != 2)
		return -EPROTO;
	return 0;
}

u64 proc_symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256], found[128];
	u64 addr = 0, here;

	while (file && !addr && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %127s", &here, found) == 2 &&
		    !strcmp(found, name))
			addr = here;
	if (file)
		fclose(file);
	return addr;
}

int proc_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? n : 0;
}

int proc_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	text[n] = '\0';
	return 0;
}

long long proc_number(const char *path)
{
	char text[64];

	return proc_read(path, text, sizeof(text)) ? -1 : strtoll(text, NULL, 10);
}
