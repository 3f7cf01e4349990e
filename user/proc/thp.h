/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's settings say of transparent huge pages. */
#ifndef PTWALK_PROC_THP_H
#define PTWALK_PROC_THP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Those behind THP_ALWAYS are of shmem_enabled only. */
enum thp_mode {
	THP_UNKNOWN, THP_NEVER, THP_MADVISE, THP_ALWAYS,
	THP_WITHIN_SIZE, THP_ADVISE, THP_DENY, THP_FORCE,
};

#define THP_NO_LIMIT	UINT64_MAX

/**
 * struct thp_settings - transparent_hugepage of sysfs
 * @absent: There is none: the kernel has no THP, or the processor can't.
 * @files: The setting for mappings of files.
 * @anon: That for anonymous memory, of huge pages of the PMD's size.
 * @shmem: shmem_enabled, for shared memory without a mount of its own; and as "deny"
 *	and "force" for all mounts.
 * @shmem_size: The same of huge pages of the PMD's size (from Linux 6.11), as @shmem
 *	if there is no such file.
 * @always: Sizes of which anonymous memory is always to have pages, up to that of
 *	the PMD, as a mask: the sizes themselves; @advised those of memory that
 *	madvise() says it of, with the others.
 * @known: All of this could be read.
 * @max_none: khugepaged/max_ptes_none, THP_NO_LIMIT if it can't be read;
 *	likewise @max_swap and @max_shared.
 */
struct thp_settings {
	bool absent;
	enum thp_mode files, anon, shmem, shmem_size;
	uint64_t always, advised;
	bool known;
	uint64_t max_none, max_swap, max_shared;
};

/*
 * Reads those below @dir (/sys/kernel/mm) but for khugepaged's; @size is the bytes of a
 * PMD leaf. What isn't there is unknown. Returns 0 or a negative errno.
 */
int thp_settings_read(const char *dir, uint64_t size, struct thp_settings *settings);

/* "always" and the like, alone or in a mount's huge=; or THP_UNKNOWN. */
enum thp_mode thp_mode_parse(const char *word);

/* Those of khugepaged: max_none, max_swap and max_shared. Likewise. */
int thp_limits_read(const char *dir, struct thp_settings *settings);

/* The sizes of hugetlb pages, below @dir as well, as a mask: the sizes themselves. */
uint64_t thp_hugetlb_sizes(const char *dir);

/* As sysfs has it, or "unknown". */
const char *thp_mode_name(enum thp_mode mode);

/**
 * struct thp_vma - a mapping in smaps
 * @eligible: THPeligible isn't 0.
 */
struct thp_vma {
	uint64_t start;
	bool eligible;
};

/**
 * struct thp_process - what /proc/PID says
 * @disabled: THP_enabled of status is 0.
 * @vma: Of smaps, ascending; those without THPeligible aren't there.
 */
struct thp_process {
	bool disabled;
	struct thp_vma *vma;
	size_t nr, max;
};

/* Each reads @stream to its end. Returns 0 or a negative errno. */
int thp_parse_status(FILE *stream, struct thp_process *process);
int thp_parse_smaps(FILE *stream, struct thp_process *process);

/*
 * Reads both files of @pid; what isn't there, or not for us, stays unknown. It can
 * wait for the mmap lock: see truth_busy(). Returns 0 or a negative errno.
 */
int thp_process_read(pid_t pid, struct thp_process *process);
void thp_process_free(struct thp_process *process);

/* Whether smaps says that the mapping at @start can't have any THP. */
bool thp_process_refuses(const struct thp_process *process, uint64_t start);

#endif /* PTWALK_PROC_THP_H */
