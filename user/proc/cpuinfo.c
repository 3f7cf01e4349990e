// SPDX-License-Identifier: GPL-2.0
/* Whether the processor can keep memory from being executed. */
#include <stdlib.h>
#include <string.h>
#include "proc/cpuinfo.h"

static bool is_x86(const char *machine)
{
	return !strcmp(machine, "x86_64") ||
	       (strlen(machine) == 4 && machine[0] == 'i' && !strcmp(machine + 2, "86"));
}

/* Whether the line "flags" has a word "nx". */
static bool has_nx(FILE *cpuinfo)
{
	char *line = NULL, *word, *rest;
	bool found = false;
	size_t size = 0;

	while (!found && getline(&line, &size, cpuinfo) > 0) {
		word = strtok_r(line, " \t:\n", &rest);
		if (!word || strcmp(word, "flags"))
			continue;
		while (!found && (word = strtok_r(NULL, " \t:\n", &rest)))
			found = !strcmp(word, "nx");
	}
	free(line);
	return found;
}

bool noexec_parse(const struct ptwalk_kernel *kernel, FILE *cpuinfo)
{
	if (!(kernel->flags & PTWALK_FLAG_EXEC))
		return false;
	/* Facility 130, which "noexec=off" turns off; nothing tells for sure. */
	if (!strcmp(kernel->machine, "s390x"))
		return false;
	/* Entries of 32 bits, in two levels of tables, have no place for NX. */
	if (is_x86(kernel->machine))
		return kernel->levels & 1U << PTWALK_LEVEL_PMD && has_nx(cpuinfo);
	return true;
}

bool noexec_read(const struct ptwalk_kernel *kernel)
{
	FILE *cpuinfo = fopen("/proc/cpuinfo", "re");
	bool denies;

	if (!cpuinfo)
		return false;
	denies = noexec_parse(kernel, cpuinfo);
	fclose(cpuinfo);
	return denies;
}
