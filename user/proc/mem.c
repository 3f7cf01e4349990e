// SPDX-License-Identifier: GPL-2.0
/*
 * Through /proc/PID/mem, not process_vm_readv(): that pins what it reads, for
 * which the kernel parts a copy-on-write page, and what we look at were no
 * longer what it was.
 *
 * Reading copies: to our buffers, and on the way to pages of the kernel's own.
 * If such a page were taken for the one that was read, the bytes would seem to
 * prove it. So nothing is read in one piece from the beginning of a page on,
 * and no copy lies in its page as the original does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/error.h"
#include "module/client.h"
#include "proc/mem.h"
#include "proc/processes.h"

#define HEAD		64		/* bytes that are read apart */
#define STACK_BYTES	(256UL << 10)	/* that are in use below a frame */

int peek_reopen(struct peek *peek)
{
	int err;

	if (peek->mem >= 0)
		close(peek->mem);
	peek->mem = procs_open(peek->pid, "mem");
	if (peek->mem >= 0)
		return 0;
	err = peek->mem;
	if (procs_gone(peek->pid, err))
		return client_gone(peek->pid);
	return error_set(err, "/proc/%d/mem: %s%s", (int)peek->pid,
			 strerror(-err), err == -EPERM || err == -EACCES ?
			 " (CAP_SYS_PTRACE, kernel.yama.ptrace_scope)" : "");
}

int peek_open(struct peek *peek, pid_t pid, uint64_t page_size,
	      const void *frame)
{
	*peek = (struct peek) {
		.pid = pid,
		.mem = -1,
		.self = pid == getpid(),
		.pipe = { -1, -1 },
		.page_size = page_size,
		.buffers_size = 4 * (PEEK_BYTES + HEAD),
		.stack = (uintptr_t)frame | (page_size - 1),
	};
	peek->buffers = mmap(NULL, peek->buffers_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (peek->buffers == MAP_FAILED) {
		peek->buffers_size = 0;
		return error_no_memory();
	}
	peek->virt[0] = peek->buffers + HEAD;
	peek->virt[1] = peek->virt[0] + PEEK_BYTES + HEAD;
	peek->phys[0] = peek->virt[1] + PEEK_BYTES + HEAD;
	peek->phys[1] = peek->phys[0] + PEEK_BYTES + HEAD;
	if (peek->self && pipe2(peek->pipe, O_CLOEXEC | O_NONBLOCK))
		return error_set(-errno, "pipe: %s", strerror(errno));
	return peek_reopen(peek);
}

void peek_close(struct peek *peek)
{
	if (peek->mem >= 0)
		close(peek->mem);
	if (peek->pipe[0] >= 0) {
		close(peek->pipe[0]);
		close(peek->pipe[1]);
	}
	if (peek->buffers_size)
		munmap(peek->buffers, peek->buffers_size);
}

bool peek_is_own(const struct peek *peek, uint64_t addr)
{
	return peek->self &&
	       (addr - (uintptr_t)peek->buffers < peek->buffers_size ||
		(addr <= peek->stack && peek->stack - addr < STACK_BYTES));
}

static ssize_t read_piece(struct peek *peek, uint64_t addr, void *buf,
			  size_t size)
{
	/* pread() takes no offset with the sign bit. */
	if (addr <= INT64_MAX)
		return pread(peek->mem, buf, size, addr);
	if (lseek(peek->mem, (off_t)addr, SEEK_SET) == -1)
		return -1;
	return read(peek->mem, buf, size);
}

static ssize_t read_memory(struct peek *peek, uint64_t addr, char *buf,
			   size_t size)
{
	ssize_t head, got;

	head = read_piece(peek, addr, buf, HEAD);
	if (head != HEAD)
		return head;
	got = read_piece(peek, addr + HEAD, buf + HEAD, size - HEAD);
	return got < 0 ? HEAD : HEAD + got;
}

/* A pipe says "bad address" where a load of ours would be fatal. */
static bool copy_piece(struct peek *peek, uint64_t addr, char *buf, size_t size)
{
	ssize_t got = write(peek->pipe[1], (const void *)(uintptr_t)addr, size);

	if (got > 0 && read(peek->pipe[0], buf, got) != got)
		return false;
	return got == (ssize_t)size;
}

static bool copy_page(struct peek *peek, uint64_t addr, char *buf)
{
	return copy_piece(peek, addr, buf, HEAD) &&
	       copy_piece(peek, addr + HEAD, buf + HEAD,
			  peek->page_size - HEAD);
}

size_t peek_virtual(struct peek *peek, uint64_t addr, size_t nr, bool special,
		    char *buf, bool *refused)
{
	size_t done = 0;
	ssize_t got;

	*refused = false;
	if (!peek->self || !special) {
		got = read_memory(peek, addr, buf, nr * peek->page_size);
		*refused = got < 0;
		return got < 0 ? 0 : got / peek->page_size;
	}
	while (done < nr && copy_page(peek, addr + done * peek->page_size,
				      buf + done * peek->page_size))
		done++;
	*refused = !done;
	return done;
}
