// SPDX-License-Identifier: GPL-2.0
/* move_pages(2) without nodes: it moves nothing, and tells where pages are. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "proc/numa_nodes.h"
#include "proc/processes.h"
#include "sources/source.h"

struct source_file {
	pid_t pid, tid;
};

/*
 * Of an array of 32-bit addresses, do_pages_stat() of older 64-bit kernels finds
 * no more than the first DO_PAGES_STAT_CHUNK_NR: from there on it goes in steps
 * of its own pointers.
 */
#define AT_ONCE		(sizeof(long) == 4 ? 16 : SIZE_MAX)

static int node_query(pid_t pid, size_t nr, void **page, int *status)
{
	return syscall(SYS_move_pages, pid, nr, page, NULL, status, 0) ?
	       -errno : 0;
}

static const char *node_probe(void)
{
	int here, status, err;
	void *page = &here;

	err = node_query(0, 1, &page, &status);
	return err == -ENOSYS ? "this kernel does not have it" :
	       err ? strerror(-err) : NULL;
}

/* A process whose first thread has ended is asked about by another one. */
static int node_open(pid_t pid, struct source_file **out)
{
	pid_t tid = procs_living_thread(pid);
	struct source_file *file;

	if (tid <= 0)
		return tid ? tid : -ESRCH;
	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->pid = pid;
	file->tid = tid;
	*out = file;
	return 0;
}

static void node_close(struct source_file *file)
{
	free(file);
}

/* Another thread is asked by if the one so far has ended. */
static int ask(struct source_file *file, size_t nr, void **page, int *status)
{
	int err = node_query(file->tid, nr, page, status);
	pid_t tid;

	if (err != -ESRCH && err != -EINVAL)
		return err;
	tid = procs_living_thread(file->pid);
	if (tid < 0)
		return tid;
	if (tid && tid != file->tid) {
		file->tid = tid;
		err = node_query(tid, nr, page, status);
	}
	/* Memory that is no more. */
	return err == -EINVAL ? -ESRCH : err;
}

static ssize_t node_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	void **page = malloc(pages->nr * sizeof(*page));
	int *status = malloc(pages->nr * sizeof(*status));
	size_t size = sysconf(_SC_PAGESIZE), i, nr;
	int err = page && status ? 0 : -ENOMEM;

	for (i = 0; !err && i < pages->nr; i++) {
		page[i] = (void *)(uintptr_t)(pages->addr + i * size);
		status[i] = INT32_MAX;		/* of one left out */
	}
	for (i = 0; !err && i < pages->nr; i += nr) {
		nr = pages->nr - i < AT_ONCE ? pages->nr - i : AT_ONCE;
		err = ask(file, nr, page + i, status + i);
	}
	for (i = 0; !err && i < pages->nr; i++)
		values[i] = (int64_t)status[i];
	free(page);
	free(status);
	return err ? err : (ssize_t)pages->nr;
}

static const char *node_limit(struct env *env)
{
	struct nodes nodes = { 0 };

	if (nodes_read(&nodes, NODES_SYSFS))
		nodes.only = -1;
	env->many_nodes = nodes.only < 0;
	env->node = nodes.only;
	nodes_free(&nodes);
	return NULL;
}

static void node_text(const struct env *env, uint64_t addr, uint64_t value,
		      char *buf, size_t size)
{
	int status = value;

	if (status >= 0)
		snprintf(buf, size, "node %d", status);
	else
		snprintf(buf, size, "no node: %s", strerror(-status));
}

static void node_json(const struct env *env, uint64_t addr, uint64_t value)
{
	int status = value;

	if (status >= 0)
		jsonw_number("node", status);
	else
		jsonw_text("error", strerror(-status));
}

const struct source source_move_pages = {
	.name = "move_pages",
	.help = "move_pages(2), asked for the node of each page",
	.drawn = true,
	.call_cost = 1500,
	.page_cost = 400,
	.empty_cost = 400,
	.factless = true,
	.probe = node_probe,
	.open = node_open,
	.read = node_read,
	.close = node_close,
	.limit = node_limit,
	.grain = grain_move_pages,
	.expect = expect_move_pages,
	.text = node_text,
	.json = node_json,
};
