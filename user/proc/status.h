/* SPDX-License-Identifier: GPL-2.0 */
/* The memory counters of /proc/PID/status, statm and stat, parsed. */
#ifndef PTWALK_PROC_STATUS_H
#define PTWALK_PROC_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "proc/field.h"

/* Fields of status; all but the last are in kB. */
enum status_field {
	STATUS_VMPEAK,
	STATUS_VMSIZE,
	STATUS_VMLCK,
	STATUS_VMHWM,
	STATUS_VMRSS,
	STATUS_RSSANON,
	STATUS_RSSFILE,
	STATUS_RSSSHMEM,
	STATUS_VMDATA,
	STATUS_VMSTK,
	STATUS_VMEXE,
	STATUS_VMLIB,
	STATUS_VMPTE,
	STATUS_VMSWAP,
	STATUS_HUGETLBPAGES,
	STATUS_THREADS,
	NR_STATUS_FIELDS
};

/**
 * struct procstatus - /proc/PID/status
 * @value: By field.
 * @has: Mask of 1 << field: the file has it. A process without memory (a
 *	kernel thread, a zombie) has none but the threads.
 */
struct procstatus {
	uint64_t value[NR_STATUS_FIELDS];
	uint32_t has;
};

/**
 * struct statm - /proc/PID/statm, in pages; @lib and @dt are always 0
 * @nr: How many numbers it has, of 7, and at least one; the others are 0.
 */
struct statm {
	uint64_t size, resident, shared, text, lib, data, dt;
	int nr;
};

/**
 * struct procstat - what /proc/PID/stat has of memory
 * @vsize: In bytes.
 * @rss: In pages.
 * @code_start: Of the executable's code, which ends before @code_end; both are
 *	only told to who may trace the process, and 0 or 1 to others.
 */
struct procstat {
	uint64_t vsize, rss, code_start, code_end;
};

/* As the file calls it. */
extern const struct proc_field status_field[NR_STATUS_FIELDS];

/* Reads @stream to its end. Returns 0 or a negative errno. */
int procstatus_parse(FILE *stream, struct procstatus *status);
int statm_parse(FILE *stream, struct statm *statm);

/**
 * struct procstatus_charges - what is charged to a process, in kB
 * @locked: VmLck: mappings of mlock(), and what VFIO's containers pin.
 * @pinned: VmPin: what iommufd, io_uring and RDMA pin. Of memory that iommufd has in place
 *	of a container, VmLck has each page, too.
 */
struct procstatus_charges {
	uint64_t locked, pinned;
};

/* Of status. Returns 0 or a negative errno. */
int procstatus_charged(FILE *stream, struct procstatus_charges *charges);
int procstat_parse(FILE *stream, struct procstat *stat);

#endif /* PTWALK_PROC_STATUS_H */
