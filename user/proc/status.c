// SPDX-License-Identifier: GPL-2.0
/* The memory counters of /proc/PID/status and statm, parsed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "proc/status.h"

const char *const status_field_name[NR_STATUS_FIELDS] = {
	[STATUS_VMSIZE] = "VmSize",
	[STATUS_VMLCK] = "VmLck",
	[STATUS_VMHWM] = "VmHWM",
	[STATUS_VMRSS] = "VmRSS",
	[STATUS_RSSANON] = "RssAnon",
	[STATUS_RSSFILE] = "RssFile",
	[STATUS_RSSSHMEM] = "RssShmem",
	[STATUS_VMPTE] = "VmPTE",
	[STATUS_VMSWAP] = "VmSwap",
	[STATUS_HUGETLBPAGES] = "HugetlbPages",
	[STATUS_THREADS] = "Threads",
};

static int take_line(const char *line, struct procstatus *status)
{
	size_t len = strcspn(line, ":");
	uint64_t value;
	int used = 0;

	if (!line[len])
		return 0;
	for (int i = 0; i < NR_STATUS_FIELDS; i++) {
		if (strlen(status_field_name[i]) != len ||
		    memcmp(status_field_name[i], line, len))
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

int procstatus_parse(FILE *stream, struct procstatus *status)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	memset(status, 0, sizeof(*status));
	while (!err && getline(&line, &size, stream) > 0)
		err = take_line(line, status);
	if (!err && ferror(stream))
		err = errno ? -errno : -EIO;
	free(line);
	return err;
}

int statm_parse(FILE *stream, struct statm *statm)
{
	memset(statm, 0, sizeof(*statm));
	if (fscanf(stream, "%" SCNu64 " %" SCNu64 " %" SCNu64, &statm->size,
		   &statm->resident, &statm->shared) == 3)
		return 0;
	return ferror(stream) && errno ? -errno : -EINVAL;
}
