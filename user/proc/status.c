// SPDX-License-Identifier: GPL-2.0
/* The memory counters of /proc/PID/status, statm and stat, parsed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ptwalk.h>
#include "base/lines.h"
#include "base/parse.h"
#include "base/text.h"
#include "proc/status.h"

const struct proc_field status_field[NR_STATUS_FIELDS] = {
	[STATUS_VMPEAK] = { "VmPeak" },
	[STATUS_VMSIZE] = { "VmSize" },
	[STATUS_VMLCK] = { "VmLck" },
	[STATUS_VMHWM] = { "VmHWM" },
	[STATUS_VMRSS] = { "VmRSS" },
	[STATUS_RSSANON] = { "RssAnon" },
	[STATUS_RSSFILE] = { "RssFile" },
	[STATUS_RSSSHMEM] = { "RssShmem" },
	[STATUS_VMDATA] = { "VmData" },
	[STATUS_VMSTK] = { "VmStk" },
	[STATUS_VMEXE] = { "VmExe" },
	[STATUS_VMLIB] = { "VmLib" },
	[STATUS_VMPTE] = { "VmPTE" },
	[STATUS_VMSWAP] = { "VmSwap" },
	[STATUS_HUGETLBPAGES] = { "HugetlbPages", 0, PTWALK_FEATURE_HUGETLB },
	[STATUS_THREADS] = { "Threads" },
};

static int take_status_line(char *line, void *arg)
{
	struct procstatus *status = arg;
	size_t len = strcspn(line, ":");
	uint64_t value;
	int used = 0;

	if (!line[len])
		return 0;
	for (int i = 0; i < NR_STATUS_FIELDS; i++) {
		if (!parse_is_word(line, len, status_field[i].name))
			continue;
		if (sscanf(line + len + 1, "%" SCNu64 "%n", &value, &used) != 1)
			return -EINVAL;
		line += len + 1 + used;
		if (i != STATUS_THREADS && strncmp(line, " kB", 3))
			return -EINVAL;
		status->value[i] = value;
		status->has |= 1U << i;
	}
	return 0;
}

static int take_charge(char *line, void *arg)
{
	struct procstatus_charges *charges = arg;
	uint64_t value;

	if (sscanf(line, "VmLck: %" SCNu64, &value) == 1)
		charges->locked = value;
	if (sscanf(line, "VmPin: %" SCNu64, &value) == 1)
		charges->pinned = value;
	return 0;
}

int procstatus_charged(FILE *stream, struct procstatus_charges *charges)
{
	*charges = (struct procstatus_charges){ 0 };
	return lines_each(stream, take_charge, charges, NULL);
}

int procstatus_parse(FILE *stream, struct procstatus *status)
{
	memset(status, 0, sizeof(*status));
	return lines_each(stream, take_status_line, status, NULL);
}

int statm_parse(FILE *stream, struct statm *statm)
{
	char text[256];
	ssize_t n = text_read_stream(stream, text, sizeof(text));

	memset(statm, 0, sizeof(*statm));
	if (n < 0)
		return n;
	statm->nr = sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64, &statm->size,
			   &statm->resident, &statm->shared, &statm->text,
			   &statm->lib, &statm->data, &statm->dt);
	return statm->nr > 0 ? 0 : -EINVAL;
}

/* The name of the program, in parentheses, may hold anything, lines, too. */
int procstat_parse(FILE *stream, struct procstat *stat)
{
	char text[1024];
	ssize_t n = text_read_stream(stream, text, sizeof(text));
	char *rest;

	memset(stat, 0, sizeof(*stat));
	if (n < 0)
		return n;
	rest = memrchr(text, ')', n);
	if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %" SCNu64
			    " %" SCNu64 " %*u %" SCNu64 " %" SCNu64,
			    &stat->vsize, &stat->rss, &stat->code_start,
			    &stat->code_end) != 4)
		return -EINVAL;
	return 0;
}
