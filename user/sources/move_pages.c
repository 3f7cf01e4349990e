// SPDX-License-Identifier: GPL-2.0
/* move_pages(2) without nodes: it moves nothing, and tells where pages are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "module/version.h"
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

/* A process whose first thread has ended is asked about by another one. */
static int node_open(const struct source *source, pid_t pid, struct source_file **out)
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
static int ask_nodes(struct source_file *file, size_t nr, void **page, int *status)
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
		err = ask_nodes(file, nr, page + i, status + i);
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

static bool is_here(const struct page_truth *truth)
{
	const uint32_t here = PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM;

	return page_kind(truth) == PTWALK_KIND_PRESENT &&
	       (page_flags(truth) & here) == here;
}

/* Memory that older kernels see, too. */
static bool is_plain_page(const struct page_truth *truth)
{
	const uint64_t special = PTWALK_VMA_FLAG_HUGETLB |
				 PTWALK_VMA_FLAG_DONTDUMP |
				 PTWALK_VMA_FLAG_PFNMAP |
				 PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO;

	return is_here(truth) && truth->vma && !(truth->vma->flags & special) &&
	       !(page_flags(truth) & PTWALK_FLAG_PROT_NONE);
}

/* Huge pages of drivers in an entry of the PUD are taken for any page. */
static bool is_defined(const struct env *env, const struct page_truth *truth)
{
	if (kernel_version(env->kernel) < KERNEL(6, 12))
		return is_plain_page(truth);
	return is_here(truth) || !truth->vma ||
	       ptwalk_bits_level(truth->bits) <= PTWALK_LEVEL_PMD;
}

enum source_grain grain_move_pages(const struct env *env,
				   const struct page_truth *truth)
{
	if (!is_defined(env, truth))
		return SOURCE_SKIPS;
	return env->many_nodes && is_here(truth) ? SOURCE_FACTS : SOURCE_RUN;
}

/*
 * What move_pages(2) says of a page that it is not to move: its node; EFAULT if
 * it is the zero page or not mapped by the process; ENOENT if it isn't present.
 * From Linux 6.12 on it does. Before, its errors depended on the mapping, and
 * it saw no page of hugetlb, of secret memory, or that allows nothing.
 */
void expect_move_pages(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	uint64_t mask = UINT64_MAX;
	int status;

	if (page_kind(truth) == PTWALK_KIND_NO_VMA || !truth->vma ||
	    page_flags(truth) & PTWALK_FLAG_ZERO)
		status = -EFAULT;
	else if (!is_here(truth))
		status = -ENOENT;
	else if (truth->facts)
		status = truth->facts->place >> 8 & 0xffffff;
	else
		status = env->node;
	/* Of which node, only the facts tell; but no error. */
	if (env->many_nodes && is_here(truth) && !truth->facts) {
		status = 0;
		mask = 1ULL << 63;
	}
	*out = (struct expectation){
		.value = (int64_t)status & mask, .mask = mask,
	};
}

const struct source source_move_pages = {
	.name = "move_pages",
	.help = "move_pages(2): the node of each page",
	.trait.drawn = true,
	.cost = { 1500, 400, 400 },
	.trait.factless = true,
	.asks = "move_pages",
	.open = node_open,
	.read = node_read,
	.close = node_close,
	.limit = node_limit,
	.grain = grain_move_pages,
	.expect = expect_move_pages,
	.text = node_text,
	.json = node_json,
};
