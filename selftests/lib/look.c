// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "look.h"

u64 look_sum(const void *page, u64 size)
{
	const u64 *word = page;
	u64 sum = 0;

	for (u64 i = 0; i < size / sizeof(*word); i++)
		sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15ULL + i;
	return sum;
}

u64 look_sum_of_zeros(u64 size)
{
	static u64 sum, of;
	void *page;

	if (of != size) {
		page = calloc(1, size);
		sum = page ? look_sum(page, size) : 0;
		of = size;
		free(page);
	}
	return sum;
}

static int translate(struct ptw *ptw, pid_t pid, u64 start, u64 page_size,
		     size_t nr, struct ptw_page *pages)
{
	u64 addrs[LOOK_PAGES];

	for (size_t i = 0; i < nr; i++)
		addrs[i] = start + i * page_size;
	return ptw_translate(ptw, pid, addrs, nr, pages);
}

/*
 * Stops tracing; that takes a process that is stopped, which then goes on with
 * the system call that it waits in.
 */
static void untrace(pid_t pid)
{
	if (!ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		waitpid(pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

/*
 * By /proc/PID/mem, which reads what PROT_NONE forbids, too; of some kernels
 * (CONFIG_PROC_MEM_FORCE_PTRACE) for tracers only. Special mappings can't be
 * read.
 */
static int read_contents(struct look *look, pid_t pid, u64 start, bool touch)
{
	char path[32], *page = malloc(look->page_size);
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	for (size_t i = 0; fd >= 0 && page && i < look->nr; i++) {
		struct look_page *p = &look->page[i];

		if (!touch && ptwalk_bits_kind(p->bits) != PTWALK_KIND_PRESENT)
			continue;
		p->read = pread(fd, page, look->page_size, start + i * look->page_size) ==
			  (ssize_t)look->page_size;
		if (p->read)
			p->sum = look_sum(page, look->page_size);
	}
	untrace(pid);
	free(page);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -ENOENT : 0;
}

static void take_sums(struct look *look, pid_t pid, u64 start)
{
	u64 end = start + look->nr * look->page_size, at = start;
	struct proc_vma vma;

	while (at < end && !proc_vma(pid, at, &vma) && vma.start < end) {
		if (vma.start < start || vma.end > end)
			return;
		look->rss += vma.rss;
		look->swap += vma.swap;
		at = vma.end;
	}
	look->summed = true;
}

int look_protected(struct look *look, struct ptw *ptw, pid_t pid, u64 start)
{
	static struct ptw_page pages[LOOK_PAGES];
	int err = translate(ptw, pid, start, look->page_size, look->nr, pages);

	for (size_t i = 0; !err && i < look->nr; i++)
		look->page[i].protected_bits = pages[i].t.bits;
	return err;
}

int look_take(struct look *look, struct ptw *ptw, pid_t pid, u64 start, size_t nr,
	      bool touch)
{
	static struct ptw_page pages[LOOK_PAGES];
	size_t i;
	int err;

	memset(look, 0, sizeof(*look));
	look->page_size = sysconf(_SC_PAGESIZE);
	look->nr = nr;
	err = translate(ptw, pid, start, look->page_size, nr, pages);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		look->page[i] = (struct look_page) {
			.bits = pages[i].t.bits,
			.value = pages[i].t.value,
			.vma = pages[i].vma.flags,
			.page = pages[i].page,
		};
	take_sums(look, pid, start);
	err = read_contents(look, pid, start, touch);
	if (err || !touch)
		return err;
	err = translate(ptw, pid, start, look->page_size, nr, pages);
	for (i = 0; i < nr; i++) {
		look->page[i].touched_bits = pages[i].t.bits;
		look->page[i].touched = pages[i].page;
	}
	return err;
}
