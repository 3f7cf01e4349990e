/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings to test with. A builder makes pages of one kind, leaves them alone,
 * and states what must be true of them; every check of checks.h then runs on
 * every builder. To add a kind of page, write its builder and name it in
 * BUILDERS() below.
 *
 * What a builder states comes from how it made the pages, or from interfaces of
 * the kernel other than those under test (smaps, mincore, a driver). A builder
 * that can't make its kind here calls mapping_lacks() and says what is missing;
 * if something fails that should work it calls mapping_broken().
 */
#ifndef PTWALK_TEST_MAPPING_H
#define PTWALK_TEST_MAPPING_H

#include "driver.h"
#include "proc.h"
#include "ptw.h"
#include "system.h"

#define BUILDERS(X)		\
	X(anon_written)		\
	X(anon_untouched)	\
	X(anon_every_other)	\
	X(anon_bound)		\
	X(anon_bound_balanced)	\
	X(anon_made_read_only)	\
	X(anon_executable)	\
	X(anon_no_reserve)	\
	X(zero_page)		\
	X(huge_zero_page)	\
	X(prot_none)		\
	X(locked)		\
	X(file_shared)		\
	X(file_private)		\
	X(file_private_copy)	\
	X(file_untouched)	\
	X(shmem)		\
	X(shmem_two_windows)	\
	X(shmem_neighbours)	\
	X(thp)			\
	X(thp_offset)		\
	X(thp_parted)		\
	X(thp_shmem)		\
	X(mthp_64k)		\
	X(hugetlb_private)	\
	X(hugetlb_shared)	\
	X(hugetlb_untouched)	\
	X(hugetlb_smallest)	\
	X(hugetlb_largest)	\
	X(fork_before_write)	\
	X(fork_after_write)	\
	X(stack)		\
	X(vdso)			\
	X(vvar)			\
	X(fixture_region)	\
	X(fixture_inside)	\
	X(between_vmas)		\
	X(top_of_user_space)	\
	X(last_page)		\
	X(soft_dirty)		\
	X(uffd_wp)		\
	X(uffd_wp_marker)	\
	X(guard)		\
	X(hwpoisoned)		\
	X(swapped)		\
	X(swapped_shmem)	\
	X(ksm)			\
	DRIVER_BUILDERS(X)

/*
 * The same, for a process of their own each: kinds that change what the whole
 * machine does while they are there, or that nobody may touch.
 */
#define LONE_BUILDERS(X)	\
	X(perf_ring)		\
	X(packet_ring)		\
	X(uring_submission)	\
	X(uring_completion)	\
	X(uring_entries)	\
	X(xdp_ring)		\
	X(bpf_array)		\
	X(bpf_ring)		\
	X(trace_ring)		\
	X(kernel_btf)		\
	X(udmabuf)		\
	X(dma_heap)		\
	X(secret)		\
	X(pci_resource)		\
	X(pci_resource_wc)	\
	X(pci_proc)		\
	X(dev_mem_device)	\
	X(dev_mem_firmware)	\
	X(framebuffer)		\
	X(dumb_buffer)		\
	X(lazy_free)		\
	X(droppable)		\
	X(moved)		\
	X(sysv_shm)		\
	X(thp_cut)		\
	X(thp_forked)		\
	X(thp_prot_none)	\
	X(thp_file)		\
	X(thp_file_pieces)	\
	X(thp_file_copied)	\
	X(dax_file)		\
	X(dax_hole)		\
	X(dax_huge)		\
	X(dax_huge_hole)	\
	X(dax_private)		\
	X(dax_device)		\
	X(mthp_16k)		\
	X(mthp_256k)		\
	X(mthp_1m)		\
	X(mthp_shmem)		\
	X(hugetlb_second)	\
	X(hugetlb_forked)	\
	X(hugetlb_prot_none)	\
	X(hugetlb_shared_table)	\
	X(uffd_wp_shmem)	\
	X(uffd_wp_thp)		\
	X(uffd_wp_hugetlb)	\
	X(uffd_wp_hugetlb_marker) \
	X(uffd_wp_swapped)	\
	X(uffd_poison)		\
	X(uffd_poison_hugetlb)	\
	X(guard_shmem)		\
	X(hwpoisoned_shmem)	\
	X(hwpoisoned_hugetlb)	\
	X(hwpoisoned_hugetlb_part) \
	X(swapped_thp)		\
	X(swapped_cached)	\
	X(swapped_readonly)	\
	X(swapped_readonly_copied) \
	X(swapped_soft_dirty)	\
	X(swapped_zswap)	\
	X(swapped_second)	\
	X(swapped_turns)	\
	X(ksm_zero)		\
	X(migrating)		\
	X(migrating_shmem)	\
	X(migrating_forked)	\
	X(migrating_thp)	\
	X(device_private)	\
	X(device_private_thp)	\
	X(device_exclusive)	\
	X(numa_hint)

/*
 * For processes of hold alone, which are compared and of which nothing else is
 * stated.
 */
#define EDGE_BUILDERS(X)	\
	X(large_written)	\
	X(larger_written)	\
	X(large_thps)		\
	X(large_untouched)	\
	X(large_every_other)	\
	X(soft_dirty_below)	\
	X(soft_dirty_shmem)	\
	X(soft_dirty_thp)	\
	X(locked_thp)		\
	X(forked_twice)		\
	X(other_node)		\
	X(file_far)		\
	X(file_read_only)	\
	X(uffd_wp_zero)		\
	X(uffd_wp_async)	\
	X(behind_pfnmap)	\
	X(soft_dirty_hugetlb)	\
	X(locked_on_fault)	\
	X(read_at_random)	\
	X(interleaved)		\
	X(thp_parted_by_child)	\
	X(thp_less_in_child)	\
	X(mapped_often)		\
	X(files_many)		\
	X(named)		\
	X(file_with_blank)	\
	X(read_from_swap)

/* For laws alone, which judges by what it sees. */
#define LAW_BUILDERS(X)		\
	X(anon_keyed)		\
	X(lazy_free_written)	\
	X(shmem_dirty_entry)	\
	X(thp_shmem_dirty_entry) \
	X(thp_shmem_pieces)	\
	X(disk_dirty_entry)	\
	X(poisoned)		\
	X(soft_dirty_mthp)	\
	X(tracked_thp)		\
	X(lazy_free_thp_written) \
	X(uffd_wp_pieces)

#define ANY_LEVEL	(-1)
#define ANY_PFN		(~0ULL)
#define KIND(name)	(1U << PTWALK_KIND_##name)
#define ANY_KIND	(~KIND(NO_VMA))

/**
 * struct expect - what must be true of some pages in a row
 * @addr: Address of the first page.
 * @pages: How many, in base pages.
 * @kinds: Which kinds they may have, by KIND().
 * @level: enum ptwalk_level, or ANY_LEVEL.
 * @set: Flags that must be set, so far as this kernel has them. The accessed bit
 *	is none of them: reclaim clears it when it likes.
 * @clear: Flags that must not be set.
 * @pfn: PFN of the first page, the others following; or ANY_PFN.
 * @value: With KIND(MARKER): the marker bits.
 * @vma_set: VMA flags that must be set, so far as this kernel has them.
 * @vma_clear: VMA flags that must not be set.
 * @pagemap_set: Bits of pagemap that must be set.
 * @pagemap_clear: Bits of pagemap that must not be set.
 * @pagemap_lost: Those of @pagemap_set that the mapping's bug may lose.
 * @kpage_set: Bits of /proc/kpageflags that must be set.
 * @kpage_clear: Bits of /proc/kpageflags that must not be set.
 * @distinct: No two of the pages have the same frame.
 * @some_present: Not all of them may be empty.
 */
struct expect {
	u64 addr, pages;
	u32 kinds;
	int level;
	u32 set, clear;
	u64 pfn;
	u64 value;
	u64 vma_set, vma_clear;
	u64 pagemap_set, pagemap_clear, pagemap_lost;
	u64 kpage_set, kpage_clear;
	bool distinct;
	bool some_present;
};

/**
 * struct relation - whether two pages have the same frame
 * @pid: Process of each page.
 * @addr: Address of each page.
 * @same: Or different ones.
 */
struct relation {
	pid_t pid[2];
	u64 addr[2];
	bool same;
};

#define MAX_EXPECTS	16
#define MAX_RELATIONS	16

/**
 * struct mapping - pages, and what must be true of them
 * @info: The kernel; set before a builder runs.
 * @page_size: Size of a base page; set before a builder runs.
 * @pid: The process; the caller unless a builder says otherwise.
 * @start: First address that all checks look at.
 * @pages: How many base pages they look at.
 * @expect: See struct expect.
 * @relation: See struct relation.
 * @bug: The bug of this kernel that the mapping may show, by the name of its
 *	rule, or NULL.
 * @shown: A check has seen it, and nothing else that is wrong.
 * @unmapped: Nothing is mapped there, so there is nothing to compare.
 * @lacks: What is missing to make this mapping.
 * @broken: What went wrong.
 * @release: Undoes what doesn't go with the process.
 * @target: A second process, if @target.pid is set; ended by release.
 * @fd: A file to close, or -1.
 * @saved: For @release.
 * @saved_number: Likewise.
 */
struct mapping {
	struct ptw_info info;
	u64 page_size;
	pid_t pid;
	u64 start, pages;
	struct expect expect[MAX_EXPECTS];
	int nr_expects;
	struct relation relation[MAX_RELATIONS];
	int nr_relations;
	const char *bug;
	bool shown;
	bool unmapped;
	char lacks[160];
	char broken[160];
	void (*release)(struct mapping *m);
	struct target target;
	int fd;
	char saved[256];
	long long saved_number;
};

typedef void (*builder_t)(struct mapping *m);

#define BUILDER(name)		void build_##name(struct mapping *m)
#define DECLARE_BUILDER(name)	BUILDER(name);
BUILDERS(DECLARE_BUILDER)
LONE_BUILDERS(DECLARE_BUILDER)
EDGE_BUILDERS(DECLARE_BUILDER)
LAW_BUILDERS(DECLARE_BUILDER)

/* For builders. */
void mapping_lacks(struct mapping *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void mapping_broken(struct mapping *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns what is kept of @e, for what differs from it. */
struct expect *mapping_expect(struct mapping *m, struct expect e);
void mapping_relate(struct mapping *m, u64 a, u64 b, bool same);

/*
 * Maps @size bytes at a multiple of @align, with inaccessible pages before and
 * behind, so that the kernel merges it with no other mapping. NULL, with
 * mapping_broken() called, if that fails. @align may be 0.
 */
char *mapping_place(struct mapping *m, size_t size, size_t align, int prot,
		    int flags, int fd);

/* Anonymous private memory as above, of small pages only. */
char *mapping_small(struct mapping *m, size_t pages);
/* The same, each page of which has been written to. */
char *mapping_written(struct mapping *m, size_t pages);

/*
 * The same for mapping_read_every_other(), which makes every second page the
 * zero page: as many records, which no buffer of a dump holds, and no memory, of
 * which there isn't enough where pages are large.
 */
char *mapping_many_records(struct mapping *m, size_t pages);
void mapping_read_every_other(struct mapping *m);

/* Anonymous shared memory as above: shmem. */
char *mapping_shared(struct mapping *m, size_t pages);

/* If set, fills a page for mapping_write(), and one of a file to be written. */
extern void (*mapping_fill)(void *page, u64 size);
/* Writes something of its own to each page, so that no two are alike. */
void mapping_write(struct mapping *m, char *at, size_t pages);
/* Declares all clean, and writes to these; false, with mapping_lacks() called, if it can't. */
bool mapping_write_anew(struct mapping *m, char *at, size_t pages);
/* Reads each page. */
void mapping_read(struct mapping *m, const char *at, size_t pages);

/* Size of a page at a level, or 0 if this kernel has no such level. */
size_t mapping_level_size(struct mapping *m, enum ptwalk_level level);

/* Anonymous memory written to, of base pages, as most builders want it. */
struct expect expect_anon(struct mapping *m, const void *at, size_t pages);
/* Nothing is there. */
struct expect expect_empty(const void *at, size_t pages);
/* PTEs that are such markers. */
struct expect expect_marker(const void *at, size_t pages, u64 marker);

/* The frame of a page; mapping_broken() is called if it can't be translated. */
bool mapping_frame(struct mapping *m, const void *at, u64 *pfn);

/* For tests. */
int mapping_build(struct mapping *m, struct ptw *ptw, builder_t builder);
void mapping_release(struct mapping *m);

#endif /* PTWALK_TEST_MAPPING_H */
