// SPDX-License-Identifier: GPL-2.0
/* Buffers that parts of the kernel share with user space. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include <linux/dma-heap.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/udmabuf.h>
#include <unistd.h>
#include "build_foreign.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

char *foreign_map(struct mapping *m, int fd, u64 offset, u64 size,
		  enum foreign_window window)
{
	int prot = window == FOREIGN_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;
	int flags = window == FOREIGN_PRIVATE ? MAP_PRIVATE : MAP_SHARED;
	char *at;

	/* Some drivers map only where they choose to. */
	at = mmap(NULL, size, prot, flags, fd, offset);
	if (at == MAP_FAILED)
		return NULL;
	m->start = PTR(at);
	m->pages = size / m->page_size;
	return at;
}

struct expect foreign_expect(struct mapping *m, const char *at, u64 pages,
			     bool ram)
{
	struct expect e = {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_USER,
		.clear = PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO | PTWALK_FLAG_UFFD_WP |
			 PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_HUGETLB,
		.pfn = ANY_PFN,
		.vma_clear = PTWALK_VMA_FLAG_ANONYMOUS,
		.distinct = true,
	};
	struct proc_vma vma;

	if (ram)
		e.set |= PTWALK_FLAG_RAM;
	else
		e.clear |= PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE;
	if (proc_vma(m->pid, PTR(at), &vma) || vma.start > PTR(at)) {
		mapping_broken(m, "smaps doesn't have %p", at);
		return e;
	}
	if (vma.flags & PTWALK_VMA_FLAG_PFNMAP) {
		e.set |= PTWALK_FLAG_SPECIAL;
		e.clear |= PTWALK_FLAG_PAGE | PTWALK_FLAG_EXCLUSIVE;
		e.vma_set = PTWALK_VMA_FLAG_PFNMAP;
		e.pagemap_clear = ~PM_SOFT_DIRTY;
	} else {
		e.set |= PTWALK_FLAG_PAGE;
		e.clear |= PTWALK_FLAG_SPECIAL;
		e.vma_clear |= PTWALK_VMA_FLAG_PFNMAP;
		e.pagemap_set = PM_PRESENT | PM_FILE;
		e.pagemap_clear = PM_SWAP;
		e.kpage_clear = KPF_ANON_ | KPF_NOPAGE_ | KPF_ZERO_PAGE_;
	}
	return e;
}

/* The first pages of two windows, and the last ones, have the same frames. */
static void relate_windows(struct mapping *m, const char *at, const char *other,
			   u64 pages)
{
	u64 i, from, nr = pages < MAX_RELATIONS ? pages : MAX_RELATIONS;

	for (i = 0; i < nr; i++) {
		from = i < nr / 2 ? i : pages - nr + i;
		mapping_relate(m, PTR(at) + from * m->page_size,
			       PTR(other) + from * m->page_size, true);
	}
}

void foreign_buffer(struct mapping *m, int fd, u64 offset, u64 size,
		    enum foreign_window window)
{
	char *at, *other;
	u64 pages;

	size = (size + m->page_size - 1) & ~(m->page_size - 1);
	pages = size / m->page_size;
	other = foreign_map(m, fd, offset, size, window);
	at = other ? foreign_map(m, fd, offset, size, window) : NULL;
	if (!at)
		return mapping_broken(m, "mmap of %llu bytes at %#llx: %s", size,
				      offset, strerror(errno));
	mapping_read(m, other, pages);
	mapping_read(m, at, pages);
	mapping_expect(m, foreign_expect(m, at, pages, true));
	relate_windows(m, at, other, pages);
}

BUILDER(perf_ring)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
	};

	m->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (m->fd < 0)
		return mapping_lacks(m, "perf_event_open: %s", strerror(errno));
	foreign_buffer(m, m->fd, 0, (1 + PAGES) * m->page_size, FOREIGN_WRITE);
}

BUILDER(packet_ring)
{
	struct tpacket_req req = {
		.tp_block_size = 4 * m->page_size,
		.tp_block_nr = PAGES / 4,
		.tp_frame_size = 2048,
		.tp_frame_nr = PAGES * m->page_size / 2048,
	};

	/* Of no protocol: nothing is ever received. */
	m->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (m->fd < 0)
		return mapping_lacks(m, "a packet socket: %s", strerror(errno));
	if (setsockopt(m->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		return mapping_broken(m, "PACKET_RX_RING: %s", strerror(errno));
	foreign_buffer(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
}

#define URING_ENTRIES	1024

static bool uring_setup(struct mapping *m, struct io_uring_params *params)
{
	m->fd = syscall(SYS_io_uring_setup, URING_ENTRIES, params);
	if (m->fd < 0)
		mapping_lacks(m, "io_uring_setup: %s", strerror(errno));
	return m->fd >= 0;
}

BUILDER(uring_submission)
{
	struct io_uring_params params = { 0 };

	if (uring_setup(m, &params))
		foreign_buffer(m, m->fd, IORING_OFF_SQ_RING,
			       params.sq_off.array + params.sq_entries * sizeof(u32),
			       FOREIGN_WRITE);
}

BUILDER(uring_completion)
{
	struct io_uring_params params = { 0 };

	if (uring_setup(m, &params))
		foreign_buffer(m, m->fd, IORING_OFF_CQ_RING,
			       params.cq_off.cqes +
			       params.cq_entries * sizeof(struct io_uring_cqe),
			       FOREIGN_WRITE);
}

BUILDER(uring_entries)
{
	struct io_uring_params params = { 0 };

	if (uring_setup(m, &params))
		foreign_buffer(m, m->fd, IORING_OFF_SQES,
			       params.sq_entries * sizeof(struct io_uring_sqe),
			       FOREIGN_WRITE);
}

/* The ring of AF_XDP that a program receives from. */
BUILDER(xdp_ring)
{
	struct xdp_mmap_offsets offsets;
	socklen_t size = sizeof(offsets);
	int entries = 4096;

	m->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (m->fd < 0)
		return mapping_lacks(m, "an XDP socket: %s", strerror(errno));
	if (setsockopt(m->fd, SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)) ||
	    getsockopt(m->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size))
		return mapping_broken(m, "XDP_RX_RING: %s", strerror(errno));
	foreign_buffer(m, m->fd, XDP_PGOFF_RX_RING,
		       offsets.rx.desc + entries * sizeof(struct xdp_desc),
		       FOREIGN_WRITE);
}

static bool bpf_map(struct mapping *m, union bpf_attr *attr)
{
	m->fd = syscall(SYS_bpf, BPF_MAP_CREATE, attr, sizeof(*attr));
	if (m->fd < 0)
		mapping_lacks(m, "BPF_MAP_CREATE: %s", strerror(errno));
	return m->fd >= 0;
}

BUILDER(bpf_array)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = m->page_size,
		.max_entries = PAGES,
		.map_flags = BPF_F_MMAPABLE,
	};

	if (bpf_map(m, &attr))
		foreign_buffer(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
}

/* The data follow two pages of positions, and stand there twice in a row. */
BUILDER(bpf_ring)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = PAGES * m->page_size,
	};
	char *at;
	int i;

	if (!bpf_map(m, &attr))
		return;
	at = foreign_map(m, m->fd, m->page_size, (1 + 2 * PAGES) * m->page_size,
			 FOREIGN_READ);
	if (!at)
		return mapping_broken(m, "mmap of the ring: %s", strerror(errno));
	mapping_read(m, at, 1 + 2 * PAGES);
	mapping_expect(m, foreign_expect(m, at, 1 + PAGES, true));
	for (i = 1; i <= PAGES; i++)
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(at) + (PAGES + i) * m->page_size, true);
}

#define TRACEFS	"/sys/kernel/tracing"

static void stop_tracefs(struct mapping *m)
{
	if (m->saved_number)
		umount2(TRACEFS, MNT_DETACH);
}

/* The page of positions, and the first pages of the tracing ring of a CPU. */
BUILDER(trace_ring)
{
	const char *path = TRACEFS "/per_cpu/cpu0/trace_pipe_raw";

	if (access(path, R_OK)) {
		m->saved_number = !mount("tracefs", TRACEFS, "tracefs", 0, NULL);
		m->release = stop_tracefs;
	}
	m->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (m->fd < 0)
		return mapping_lacks(m, "%s: %s", path, strerror(errno));
	if (!foreign_map(m, m->fd, 0, m->page_size, FOREIGN_READ))
		return mapping_lacks(m, "the tracing ring can't be mapped: %s",
				     strerror(errno));
	foreign_buffer(m, m->fd, 0, 2 * m->page_size, FOREIGN_READ);
}

/*
 * Where the kernel's image begins in memory, as /proc/iomem tells it; or 0:
 * elsewhere, "Kernel code" doesn't begin with _text.
 */
static u64 kernel_code(void)
{
#ifdef __x86_64__
	FILE *file = fopen("/proc/iomem", "re");
	char line[256];
	u64 start = 0, end;

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, " : Kernel code") &&
		    sscanf(line, "%llx-%llx", &start, &end) == 2)
			break;
	if (file)
		fclose(file);
	return start;
#else
	return 0;
#endif
}

/* A part of the kernel's own image, Linux 6.16. */
BUILDER(kernel_btf)
{
	const char *path = "/sys/kernel/btf/vmlinux";
	u64 btf, text, physical;
	struct expect *e;
	struct stat st;
	char *at;

	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0 || fstat(m->fd, &st))
		return mapping_lacks(m, "%s: %s", path, strerror(errno));
	if (st.st_size < (off_t)(PAGES * m->page_size))
		return mapping_lacks(m, "%s is too small", path);
	at = foreign_map(m, m->fd, 0, PAGES * m->page_size, FOREIGN_PRIVATE);
	if (!at)
		return mapping_lacks(m, "%s can't be mapped: %s", path,
				     strerror(errno));
	e = mapping_expect(m, foreign_expect(m, at, PAGES, true));
	e->clear |= PTWALK_FLAG_WRITE;
	text = proc_symbol("_text");
	btf = proc_symbol("__start_BTF");
	physical = kernel_code();
	if (text && btf && physical)
		e->pfn = (physical + btf - text) / m->page_size;
}

/* A memfd of which a DMA buffer can be made; @flags for hugetlb. */
static int sealed_memfd(struct mapping *m, u64 size, unsigned int flags)
{
	int fd = memfd_create("ptwalk", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		mapping_broken(m, "a sealed memfd: %s", strerror(errno));
		return -1;
	}
	return fd;
}

BUILDER(udmabuf)
{
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memfd;
	struct udmabuf_create create = {
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.offset = 2 * m->page_size,
		.size = PAGES * m->page_size,
	};
	char *at, *own;
	int i;

	if (device < 0)
		return mapping_lacks(m, "/dev/udmabuf: %s", strerror(errno));
	memfd = sealed_memfd(m, (PAGES + 4) * m->page_size, 0);
	if (memfd < 0)
		return;
	own = foreign_map(m, memfd, 0, (PAGES + 4) * m->page_size, FOREIGN_WRITE);
	if (!own)
		return mapping_broken(m, "mmap of a memfd: %s", strerror(errno));
	mapping_write(m, own, PAGES + 4);
	create.memfd = memfd;
	m->fd = ioctl(device, UDMABUF_CREATE, &create);
	if (m->fd < 0)
		return mapping_broken(m, "UDMABUF_CREATE: %s", strerror(errno));
	close(device);
	close(memfd);
	at = foreign_map(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
	if (!at)
		return mapping_broken(m, "mmap of a DMA buffer: %s", strerror(errno));
	mapping_read(m, at, PAGES);
	mapping_expect(m, foreign_expect(m, at, PAGES, true));
	for (i = 0; i < PAGES; i++)
		mapping_relate(m, PTR(at) + i * m->page_size,
			       PTR(own) + (2 + i) * m->page_size, true);
}

BUILDER(dma_heap)
{
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	struct dma_heap_allocation_data data = {
		.len = PAGES * m->page_size,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};

	if (heap < 0)
		return mapping_lacks(m, "/dev/dma_heap/system: %s", strerror(errno));
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data))
		return mapping_broken(m, "DMA_HEAP_IOCTL_ALLOC: %s", strerror(errno));
	close(heap);
	m->fd = data.fd;
	foreign_buffer(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
}

/* Memory that the kernel itself can't see. */
BUILDER(secret)
{
	struct expect *e;
	char *at, *other;

#ifdef SYS_memfd_secret
	m->fd = syscall(SYS_memfd_secret, O_CLOEXEC);
#else
	errno = ENOSYS;
#endif
	if (m->fd < 0)
		return mapping_lacks(m, "memfd_secret: %s", strerror(errno));
	if (ftruncate(m->fd, PAGES * m->page_size))
		return mapping_broken(m, "ftruncate: %s", strerror(errno));
	other = foreign_map(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE);
	at = other ? foreign_map(m, m->fd, 0, PAGES * m->page_size, FOREIGN_WRITE) :
		     NULL;
	if (!at)
		return mapping_broken(m, "mmap of a secret: %s", strerror(errno));
	mapping_write(m, at, PAGES);
	mapping_read(m, other, PAGES);
	e = mapping_expect(m, foreign_expect(m, at, PAGES, true));
	e->set |= PTWALK_FLAG_WRITE | PTWALK_FLAG_DIRTY;
	e->vma_set |= PTWALK_VMA_FLAG_DONTDUMP;
	relate_windows(m, at, other, PAGES);
}
