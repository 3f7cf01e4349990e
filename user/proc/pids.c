// SPDX-License-Identifier: GPL-2.0
/* Lists of processes: those that a command line names, all, or threads of one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/parse.h"
#include "proc/pids.h"
#include "proc/processes.h"

int pid_take(const char *word, pid_t *pid)
{
	const char *why = parse_pid(word, pid);

	return why ? error_usage("PID '%s': %s: give a number or `self`", word,
				 why) : 0;
}

static int append_pid(struct pids *pids, pid_t pid)
{
	return array_add(pids->pid, pids->nr, pids->max, pid) ? 0 : error_no_memory();
}

int pids_add(struct pids *pids, const char *word)
{
	pid_t pid;
	int err = pid_take(word, &pid);

	if (err)
		return err;
	for (size_t i = 0; i < pids->nr; i++)
		if (procs_same(pids->pid[i], pid))
			return 0;
	return append_pid(pids, pid);
}

int pids_add_list(struct pids *pids, const char *list)
{
	char *copy = strdup(list), *next = copy;
	int err = 0;

	if (!copy)
		return error_no_memory();
	while (!err && next)
		err = pids_add(pids, strsep(&next, ","));
	free(copy);
	return err;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

static int take_pid_name(const char *name, void *arg)
{
	int pid = atoi(name);

	return pid > 0 ? append_pid(arg, pid) : 0;
}

/* The entries of a folder whose names are numbers. */
static int add_folder(struct pids *pids, const char *path)
{
	int err = folder_each(path, take_pid_name, pids);

	if (pids->nr)
		qsort(pids->pid, pids->nr, sizeof(*pids->pid), by_pid);
	return err ? error_set(err, "%s: %s", path, strerror(-err)) : 0;
}

int pids_add_all(struct pids *pids)
{
	return add_folder(pids, "/proc");
}

int pids_add_threads(struct pids *pids, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return add_folder(pids, path);
}

void pids_free(struct pids *pids)
{
	free(pids->pid);
	memset(pids, 0, sizeof(*pids));
}
