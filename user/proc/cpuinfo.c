// SPDX-License-Identifier: GPL-2.0
/* Whether the processor can keep memory from being executed. */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "base/lines.h"
#include "proc/cpuinfo.h"

#define CPUINFO	"/proc/cpuinfo"

static bool is_x86(const char *machine)
{
	return !strcmp(machine, "x86_64") ||
	       (strlen(machine) == 4 && machine[0] == 'i' && !strcmp(machine + 2, "86"));
}

/* 1 for the line "flags" with a word "nx". */
static int take_cpuinfo_line(char *line, void *arg)
{
	char *word, *rest;

	word = strtok_r(line, " \t:", &rest);
	if (!word || strcmp(word, "flags"))
		return 0;
	while ((word = strtok_r(NULL, " \t:", &rest)))
		if (!strcmp(word, "nx"))
			return 1;
	return 0;
}

/* Whether @kernel lets memory be denied execution; -1 if the processor decides. */
static int by_kernel(const struct ptwalk_kernel *kernel)
{
	if (!(kernel->flags & PTWALK_FLAG_EXEC))
		return 0;
	/* Facility 130, which "noexec=off" turns off; nothing tells for sure. */
	if (!strcmp(kernel->machine, "s390x"))
		return 0;
	/* Entries of 32 bits, in two levels of tables, have no place for NX. */
	if (is_x86(kernel->machine))
		return kernel->levels & 1U << PTWALK_LEVEL_PMD ? -1 : 0;
	return 1;
}

int noexec_parse(const struct ptwalk_kernel *kernel, FILE *cpuinfo)
{
	int denies = by_kernel(kernel);

	return denies < 0 ? lines_each(cpuinfo, take_cpuinfo_line, NULL, NULL) : denies;
}

int noexec_read(const struct ptwalk_kernel *kernel, bool *denies)
{
	int found = by_kernel(kernel);

	if (found < 0)
		found = lines_in(CPUINFO, take_cpuinfo_line, NULL);
	*denies = found > 0;
	/* A /proc of processes alone doesn't have it. */
	return found < 0 ? error_unless_missing(found, CPUINFO) : 0;
}
