// SPDX-License-Identifier: GPL-2.0
/* The processes that a command line names. */
#include <stdlib.h>
#include <string.h>
#include "base/exit_status.h"
#include "base/parse.h"
#include "base/print.h"
#include "proc/pids.h"
#include "proc/processes.h"

int pid_take(const char *word, pid_t *pid)
{
	const char *why = parse_pid(word, pid);

	return why ? fail(EXIT_USAGE, "PID '%s': %s: give a number or `self`",
			  word, why) : 0;
}

int pids_add(struct pids *pids, const char *word)
{
	pid_t pid, *p;
	int status = pid_take(word, &pid);

	if (status)
		return status;
	for (size_t i = 0; i < pids->nr; i++)
		if (procs_same(pids->pid[i], pid))
			return 0;
	p = reallocarray(pids->pid, pids->nr + 1, sizeof(*p));
	if (!p)
		return fail(EXIT_UNCHECKED, "out of memory");
	pids->pid = p;
	p[pids->nr++] = pid;
	return 0;
}

int pids_add_list(struct pids *pids, const char *list)
{
	char *copy = strdup(list), *next = copy;
	int status = 0;

	if (!copy)
		return fail(EXIT_UNCHECKED, "out of memory");
	while (!status && next)
		status = pids_add(pids, strsep(&next, ","));
	free(copy);
	return status;
}

void pids_free(struct pids *pids)
{
	free(pids->pid);
	pids->pid = NULL;
	pids->nr = 0;
}
