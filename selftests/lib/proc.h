/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the kernel's own interfaces. */
#ifndef PTWALK_TEST_PROC_H
#define PTWALK_TEST_PROC_H

#include "ptw.h"

#define PM_PFN		((1ULL << 55) - 1)
#define PM_SOFT_DIRTY	(1ULL << 55)
#define PM_EXCLUSIVE	(1ULL << 56)
#define PM_UFFD_WP	(1ULL << 57)
#define PM_GUARD	(1ULL << 58)
#define PM_FILE		(1ULL << 61)
#define PM_SWAP		(1ULL << 62)
#define PM_PRESENT	(1ULL << 63)

/* Of /proc/kpageflags; linux/kernel-page-flags.h. */
#define KPF_REFERENCED_	(1ULL << 2)
#define KPF_ANON_	(1ULL << 12)
#define KPF_COMPOUND_HEAD_ (1ULL << 15)
#define KPF_COMPOUND_TAIL_ (1ULL << 16)
#define KPF_HUGE_	(1ULL << 17)
#define KPF_NOPAGE_	(1ULL << 20)
#define KPF_KSM_	(1ULL << 21)
#define KPF_THP_	(1ULL << 22)
#define KPF_ZERO_PAGE_	(1ULL << 24)

/* Returns how many of @nr entries were read, or a negative errno. */
int proc_pagemap(pid_t pid, u64 addr, u64 *entries, size_t nr);

/* One word of /proc/kpageflags or the like; 0 or a negative errno. */
int proc_kpage(const char *name, u64 pfn, u64 *word);

/*
 * Whether, within half a minute, one of these pages isn't mapped by anybody
 * (/proc/kpagecount). Frames that were given up may be somebody else's at once,
 * but not all of them. Where the kernel has no such file, true.
 */
bool proc_any_unmapped(const struct ptw_page *pages, size_t nr);

/**
 * struct proc_vma - a VMA as smaps tells it
 * @start: First address.
 * @end: Behind the last one.
 * @flags: Its VmFlags that the module tells, too, as enum ptwalk_vma_flag.
 * @flags_known: Those that VmFlags would show.
 * @name: What stands at the end of the line.
 * @rss: Rss in bytes; those below likewise.
 */
struct proc_vma {
	u64 start, end;
	u64 flags, flags_known;
	char name[128];
	u64 rss, referenced, anonymous, anon_huge, shmem_huge, file_huge, swap, locked;
	u64 private_dirty, private_clean, shared_dirty, shared_clean;
};

/* The VMA that @addr lies in, or the first one above; -ENOENT without one. */
int proc_vma(pid_t pid, u64 addr, struct proc_vma *vma);

/* The same by name, such as "[vdso]". */
int proc_vma_named(pid_t pid, const char *name, struct proc_vma *vma);

/* A line "NAME:   NUMBER kB" of /proc/PID/status or /proc/meminfo, or -1. */
long long proc_field(const char *path, const char *name);

/* A line "NAME NUMBER" of /proc/vmstat, or -1. */
long long proc_vmstat(const char *name);

/* Minor and major faults of a process; 0 or a negative errno. */
int proc_faults(pid_t pid, u64 *minor, u64 *major);

/* A line of /proc/kallsyms; 0 if there is no such symbol or it is hidden. */
u64 proc_symbol(const char *name);

int proc_write(const char *path, const char *text);
int proc_read(const char *path, char *text, size_t size);
long long proc_number(const char *path);

#endif /* PTWALK_TEST_PROC_H */
