/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libptwalk: reads the page tables of processes through the ptwalk module. See
 * libptwalk(3).
 *
 * Units: addresses are in bytes, frames (PFNs) and lengths in pages of the
 * base page size (1 << ptwalk_kernel(p)->page_shift), whatever the level of
 * the entry. A range ends with its last address, inclusive.
 *
 * Errors: a function that can fail returns 0 (or a positive number where it
 * says so) or a negative errno; ptwalk_strerror() then returns the message,
 * with the kernel's own if there is one:
 *	-ENOENT		the module is not loaded; of ptwalk_device() and
 *			ptwalk_iova_start(): the one for devices
 *	-EPERM, -EACCES	CAP_SYS_ADMIN in the initial user namespace is missing,
 *			or the right to trace the process
 *	-EPROTONOSUPPORT the module has another version of the protocol
 *	-ESRCH		no such process, or it has exited
 *	-EINVAL		a kernel thread, which has no address space, or an argument
 *			that makes no sense
 *	-EBUSY		the process holds its mmap lock, for seconds
 *	-EAGAIN		an entry kept changing while it was read
 *	-ENODEV		no such device
 *	-EBADMSG	the module's reply makes no sense
 *	-ENOMEM		memory ran out
 * and others that the kernel may return. Nothing is printed, no function ends
 * the program, and signals are left alone.
 *
 * Ownership: memory behind a const pointer belongs to the handle or to the
 * walk, and is valid until the next call with it; for other pointers, the
 * function says who frees the memory.
 *
 * Inline functions, including those of linux/ptwalk_record.h, are also in the library,
 * for languages that can't include this file.
 *
 * Growth: structures of the caller (ptwalk_entry, ptwalk_vma, ptwalk_device) end with
 * reserved words; ptwalk_extent and the records of linux/ptwalk_record.h stay as they
 * are. Structures that only the library allocates may grow at their end.
 *
 * Threads: a handle and its walks may be used by one thread at a time.
 * Different handles don't share anything.
 *
 * A walk waits while the process holds its mmap lock for writing. A signal with
 * a handler ends that wait: the call then continues or returns -EBUSY, within
 * seconds.
 */
#ifndef PTWALK_H
#define PTWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * For the module alone; below ptwalk/, as the kernel's own headers are in linux/. All are
 * from one place: linux/ptwalk.h of older versions has what ptwalk_device.h has.
 */
#if __has_include(<linux/ptwalk_device.h>)
#include <linux/ptwalk_record.h>
#include <linux/ptwalk_device.h>
#else
#include <ptwalk/linux/ptwalk_record.h>
/* Not after a linux/ptwalk.h of older versions that was included before this. */
#ifndef PTWALK_MAX_DEVICE_NAME
#include <ptwalk/linux/ptwalk_device.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ptwalk;
struct ptwalk_walk;
struct ptwalk_iova;

/**
 * struct ptwalk_kernel - what the module tells about the running kernel
 * @version: Version of the family, which is that of the protocol.
 * @page_shift: log2 of the base page size.
 * @levels: Mask of enum ptwalk_level that the kernel uses.
 * @level_shift: log2 of the bytes that an entry covers, by level.
 * @level_entries: Entries in one table, by level.
 * @entry_size: Bytes of one entry, by level.
 * @flags: Mask of enum ptwalk_flag that can occur.
 * @kinds: Mask of (1 << enum ptwalk_kind) that can occur.
 * @vma_flags: Mask of enum ptwalk_vma_flag that can occur.
 * @features: Mask of enum ptwalk_feature.
 * @swap_type_bits: Width of the swap type in pagemap.
 * @swap_type: Swap types of each special kind, as a mask of (1 << type).
 * @memory_types: enum ptwalk_memory_type by memory type index.
 * @nr_memory_types: Number of those.
 * @zero_pfn: PFN of the zero page.
 * @phys_bits: Width of a physical address.
 * @release: Release of the kernel as in uname -r; @major and @minor from it.
 *	For texts and rules that name a version, never to guess a feature.
 * @machine: As in uname -m, for rules about code of one architecture.
 */
struct ptwalk_kernel {
	uint32_t version;
	uint32_t page_shift;
	uint32_t levels;
	uint32_t level_shift[PTWALK_LEVELS];
	uint32_t level_entries[PTWALK_LEVELS];
	uint32_t entry_size[PTWALK_LEVELS];
	uint32_t flags;
	uint32_t kinds;
	uint64_t vma_flags;
	uint32_t features;
	uint32_t swap_type_bits;
	uint32_t swap_type[32];
	uint8_t memory_types[32];
	size_t nr_memory_types;
	uint64_t zero_pfn;
	uint32_t phys_bits;
	char release[65];
	char machine[65];
	unsigned int major, minor;
};

/*
 * Connects to the module. Returns NULL only if memory runs out, else a handle.
 * ptwalk_error() says whether the handle can be used; if not, all calls with it
 * return that error. Call ptwalk_close() in any case; it accepts NULL.
 */
struct ptwalk *ptwalk_open(void);

/*
 * The same; @flags is a mask. Without flags, the sockets are opened in a network
 * namespace of their own, which the handle keeps, as each nlmon device in the
 * namespace of a socket sees the module's answers. That takes a short-lived thread
 * and an open file. PTWALK_OPEN_HERE opens the sockets in the namespace of the
 * calling thread.
 */
#define PTWALK_OPEN_HERE	(1U << 0)

struct ptwalk *ptwalk_open_flags(uint32_t flags);

/* Closes the handle. Its walks must have ended. */
void ptwalk_close(struct ptwalk *p);

/* The negative errno of the last call that failed, or 0. */
int ptwalk_error(const struct ptwalk *p);

/* Its message, one line without an end; "" if no call has failed. */
const char *ptwalk_strerror(const struct ptwalk *p);

/* Asked once, by ptwalk_open(); valid as long as the handle. */
const struct ptwalk_kernel *ptwalk_kernel(const struct ptwalk *p);

/*
 * Whether mappings of the process may have changed between two messages of a walk
 * with @p: memory that moved may be missing, or have come twice.
 */
bool ptwalk_interrupted(const struct ptwalk *p);

/**
 * struct ptwalk_vma - a VMA as the module saw it while it walked
 * @start: First address.
 * @last: Last address, inclusive.
 * @flags: Mask of enum ptwalk_vma_flag.
 * @raw_flags: vm_flags as the kernel numbers them.
 * @page_prot: vm_page_prot.
 * @pgoff: vm_pgoff.
 * @page_shift: log2 of the mapping's page size.
 * @pkey: Its protection key.
 * @dev_major: Device of the file's inode, with @dev_minor; @inode is 0
 *	without a file.
 * @ops: Symbol of the mapping's operations, with their module; empty if there
 *	are none.
 * @has_policy: For the caller of ptwalk_policies(): whether its NUMA policy is known.
 * @policy: Its mode; @policy_nodes has its nodes as a mask.
 * @reserved: For later; 0.
 */
struct ptwalk_vma {
	uint64_t start, last;
	uint64_t flags;
	uint64_t raw_flags;
	uint64_t page_prot;
	uint64_t pgoff;
	uint32_t page_shift;
	uint32_t pkey;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	char ops[128];
	uint32_t has_policy, policy;
	uint64_t policy_nodes;
	uint64_t reserved[2];
};

/**
 * struct ptwalk_entry - the translation of one address
 * @addr: The address, without tag bits.
 * @value: What the entry holds, by kind: a PFN, or what struct ptwalk_run in
 *	linux/ptwalk_record.h says.
 * @bits: Kind, level, flags and the like: see ptwalk_bits_kind(),
 *	ptwalk_bits_level(), ptwalk_bits_flags() there.
 * @raw: The raw entry at each level, as in struct ptwalk_translation.
 * @reserved: For later; 0.
 */
struct ptwalk_entry {
	uint64_t addr;
	uint64_t value;
	uint64_t bits;
	uint64_t raw[PTWALK_LEVELS];
	uint64_t reserved[4];
};

/* Translates @addr of process @pid. An address in no VMA is no error. */
int ptwalk_translate(struct ptwalk *p, pid_t pid, uint64_t addr,
		     struct ptwalk_entry *entry);

/* Whether entries with these bits map a page. */
static inline bool ptwalk_bits_present(uint64_t bits)
{
	return ptwalk_bits_kind(bits) == PTWALK_KIND_PRESENT;
}

/* The physical address of @addr, of which the entry holds the PFN @value. */
static inline uint64_t ptwalk_paddr_at(const struct ptwalk *p, uint64_t addr,
				       uint64_t value)
{
	uint32_t shift = ptwalk_kernel(p)->page_shift;

	return value << shift | (addr & ((UINT64_C(1) << shift) - 1));
}

/* Whether a page is mapped there. */
static inline bool ptwalk_present(const struct ptwalk_entry *entry)
{
	return ptwalk_bits_present(entry->bits);
}

/* The physical address of @entry's address, if ptwalk_present(). */
static inline uint64_t ptwalk_paddr(const struct ptwalk *p,
				    const struct ptwalk_entry *entry)
{
	return ptwalk_paddr_at(p, entry->addr, entry->value);
}

/*
 * As macros, these two also take a struct ptwalk_translation, or a struct ptwalk_extent
 * for its first page.
 */
#define ptwalk_present(entry)	ptwalk_bits_present((entry)->bits)
#define ptwalk_paddr(p, entry)	ptwalk_paddr_at((p), (entry)->addr, (entry)->value)

/* Bytes that an entry with these bits covers: of a leaf, its size; 0 in no VMA. */
uint64_t ptwalk_leaf_size(const struct ptwalk *p, uint64_t bits);

/* enum ptwalk_memory_type of a present entry with these bits. */
uint32_t ptwalk_memory_type(const struct ptwalk *p, uint64_t bits);

/* The enum or mask whose number or bit ptwalk_name() names. */
enum ptwalk_names {
	PTWALK_NAMES_KIND,
	PTWALK_NAMES_LEVEL,
	PTWALK_NAMES_FLAG,		/* bits */
	PTWALK_NAMES_PAGE_FLAG,		/* bits */
	PTWALK_NAMES_MARKER,		/* bits */
	PTWALK_NAMES_VMA_FLAG,		/* bits */
	PTWALK_NAMES_FEATURE,		/* bits */
	PTWALK_NAMES_MEMORY_TYPE,
	PTWALK_NAMES_DOMAIN,
	PTWALK_NAMES_DEVICE_FLAG,	/* bits */
};

/* As ptwalk-flags(7) has it, such as "soft-dirty"; NULL if there is none. */
const char *ptwalk_name(enum ptwalk_names of, uint32_t number);

/*
 * Writes the path of the file that @vma of process @pid maps to @path, of @size
 * bytes, as /proc/PID/maps has it; "" without a file. Returns its length or an error:
 * -ESTALE if the mapping isn't there any more, -ENAMETOOLONG.
 */
ssize_t ptwalk_vma_path(struct ptwalk *p, pid_t pid, const struct ptwalk_vma *vma,
			char *path, size_t size);

/*
 * Translates any number @nr of addresses, in batches. @pages, if not NULL,
 * receives the page behind each, all zero for an entry without a page that has a
 * map count. @vmas receives the VMAs of the addresses, each once and ascending,
 * in a malloc'ed array of @nr_vmas that the caller frees; @levels the mask of
 * enum ptwalk_level of the process's tables.
 */
int ptwalk_translate_all(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			 size_t nr, struct ptwalk_translation *out,
			 struct ptwalk_page *pages, struct ptwalk_vma **vmas,
			 size_t *nr_vmas, uint32_t *levels);

/* Instead of a cgroup: a kernel without memory cgroups, or an older module. */
#define PTWALK_NO_CGROUP	UINT64_MAX

/*
 * The same, with the memory cgroup that each page is charged to in @cgroups, by
 * the inode number of its directory; 0 if it is charged to none. @pages isn't
 * NULL.
 */
int ptwalk_translate_cgroups(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			     size_t nr, struct ptwalk_translation *out,
			     struct ptwalk_page *pages, uint64_t *cgroups,
			     struct ptwalk_vma **vmas, size_t *nr_vmas,
			     uint32_t *levels);

/*
 * Describes @nr frames, whether or not a process maps them: @pages receives the page of
 * each, which is all zero without a reference, as for a free page, and without online
 * memory. Returns 0 or an error: -ENOENT without the module ptwalk_device, -EOPNOTSUPP if
 * that is older.
 */
int ptwalk_frames(struct ptwalk *p, const uint64_t *pfns, size_t nr,
		  struct ptwalk_page *pages);

/*
 * The NUMA policies of the process's VMAs at @nr addresses, in that order. Returns 0 or
 * an error, as ptwalk_frames() does.
 */
int ptwalk_policies(struct ptwalk *p, pid_t pid, const uint64_t *addrs, size_t nr,
		    struct ptwalk_policy *policies);

/**
 * struct ptwalk_extent - consecutive pages that are mapped alike
 * @addr: Virtual address of the first page.
 * @value: As in struct ptwalk_run, for the first page; ascends by one with
 *	each page if ptwalk_kind_ascends().
 * @pages: Number of pages.
 * @bits: As in struct ptwalk_run, without the list bit.
 */
struct ptwalk_extent {
	uint64_t addr;
	uint64_t value;
	uint64_t pages;
	uint64_t bits;
};

/*
 * Begins a walk of [@start, @last] of process @pid; ptwalk_walk_end() ends it.
 * Its extents ascend and don't overlap. Addresses between them are in no VMA;
 * empty entries have PTWALK_KIND_NONE. A walk that the kernel interrupts is
 * continued. A walk is not a snapshot: each entry was true when it was read.
 * Other calls and other walks may be made before it ends.
 */
int ptwalk_walk_start(struct ptwalk *p, pid_t pid, uint64_t start,
		      uint64_t last, struct ptwalk_walk **walk);

/*
 * Makes a walk that has returned nothing yet also report the page behind each extent:
 * ptwalk_walk_pages(). All pages of an extent then have the same flags and counts.
 * Returns 0 or an error: -EOPNOTSUPP from a module without
 * PTWALK_FEATURE_WALK_PAGES.
 */
int ptwalk_walk_want_pages(struct ptwalk_walk *walk);

/*
 * Makes a walk that has returned nothing yet report entries outside of all VMAs, where
 * there should be none, instead of those in VMAs. Its VMAs are the gaps between the
 * process's VMAs, with flags 0; gaps without an entry are left out. The mmap lock of
 * the process is held for writing, for 512 entries at a time. Returns 0 or an error:
 * -EOPNOTSUPP from a module without PTWALK_FEATURE_WALK_OUTSIDE.
 */
int ptwalk_walk_outside(struct ptwalk_walk *walk);

/*
 * Makes a walk that has returned nothing yet search for entries with a frame from @first
 * to @last. It reports these, and some of the entries between them as
 * PTWALK_KIND_OTHER. Not with ptwalk_walk_want_pages(). Returns 0 or an error:
 * -EOPNOTSUPP from a module without PTWALK_FEATURE_WALK_FRAMES.
 */
int ptwalk_walk_frames(struct ptwalk_walk *walk, uint64_t first, uint64_t last);

/*
 * Makes a walk that has returned nothing yet return mixed lists among its runs, if the
 * module knows them (PTWALK_FEATURE_WALK_MIXED): they cost least for alternating pages of
 * different kinds. A walk with pages, or that searches for frames, has none. Extents are
 * the same with it.
 */
void ptwalk_walk_mixed(struct ptwalk_walk *walk);

/*
 * Makes a walk that has returned nothing yet read no struct page, which is most of its
 * cost, if the module knows that (PTWALK_FEATURE_WALK_ENTRIES): the flags from
 * PTWALK_FLAG_PAGE on may be missing then. Not with ptwalk_walk_want_pages().
 */
void ptwalk_walk_entries_only(struct ptwalk_walk *walk);

/*
 * The page behind the first entry of each extent or run of the last call; all zero for
 * an entry without a page that has a map count. Valid until the next call. NULL
 * without ptwalk_walk_want_pages().
 */
const struct ptwalk_page *ptwalk_walk_pages(const struct ptwalk_walk *walk);

/* The page that is @nr entries behind that of @page, in the same extent. */
static inline struct ptwalk_page ptwalk_page_behind(struct ptwalk_page page,
						    uint64_t nr)
{
	if (ptwalk_page_order(&page))
		page.place += nr << 32;
	return page;
}

/*
 * The next extent, clipped to the range, and its VMA (@vma may be NULL). Returns 1,
 * 0 after the last one, or an error.
 */
int ptwalk_walk_next(struct ptwalk_walk *walk, struct ptwalk_extent *extent,
		     const struct ptwalk_vma **vma);

/* The same for all extents of one message, in one VMA. */
int ptwalk_walk_extents(struct ptwalk_walk *walk,
			const struct ptwalk_extent **extents, size_t *nr,
			const struct ptwalk_vma **vma);

/**
 * struct ptwalk_runs - a message of the module: a piece of a VMA
 * @vma: The VMA.
 * @start: Address of the first page of the runs.
 * @word: The runs, one behind the other; see struct ptwalk_run.
 * @nr: Number of words.
 * @levels: Mask of enum ptwalk_level that the process's tables have.
 * @mixed: The bits of the pages of mixed lists, by ptwalk_mixed_number() of their
 *	values: @nr_mixed of them; of others the kind is unknown.
 * @nr_mixed: See @mixed.
 */
struct ptwalk_runs {
	struct ptwalk_vma vma;
	uint64_t start;
	const uint64_t *word;
	size_t nr;
	uint32_t levels;
	uint64_t mixed[PTWALK_MIXED_MAX];
	size_t nr_mixed;
};

/*
 * The number of the first page behind page @i of a mixed list that doesn't continue a
 * run with it: with the same bits, and the next value; at most @end.
 */
static inline uint64_t ptwalk_mixed_break(const struct ptwalk_runs *runs,
					  const struct ptwalk_run *run, uint64_t i,
					  uint64_t end)
{
	uint64_t bits = runs->mixed[ptwalk_mixed_number(run->value[i])];
	uint64_t step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));

	do
		i++;
	while (i < end && run->value[i] == run->value[i - 1] + step);
	return i;
}

#define ptwalk_for_each_run(run, runs)					\
	for (run = (const struct ptwalk_run *)(runs)->word;		\
	     (const uint64_t *)run < (runs)->word + (runs)->nr;		\
	     run = (const struct ptwalk_run *)((const uint64_t *)run +	\
					       ptwalk_run_words(run)))

/*
 * The runs of the next message as they came, which is cheapest. A run at an end of the
 * range may go beyond it.
 */
int ptwalk_walk_runs(struct ptwalk_walk *walk, const struct ptwalk_runs **runs);

/* Mask of enum ptwalk_level of the tables, as far as the walk has come. */
uint32_t ptwalk_walk_levels(const struct ptwalk_walk *walk);

/* Ends a walk at any time, and frees it; accepts NULL. */
void ptwalk_walk_end(struct ptwalk_walk *walk);

/*
 * Whether the process holds its mmap lock for writing all the time. Files of
 * /proc that take the lock (maps, smaps, pagemap) block as long: call this before
 * reading them. Returns 1, 0, or an error.
 */
int ptwalk_busy(struct ptwalk *p, pid_t pid);

/**
 * struct ptwalk_device - what stands between a device and the memory
 * @name: Bus and name, as the module knows it.
 * @driver: Its driver, or "".
 * @flags: Mask of enum ptwalk_device_flag.
 * @dma_mask: Bus addresses that it can reach.
 * @coherent_mask: Likewise, of coherent memory.
 * @bus_limit: The last that the way to it lets through; 0 without a limit.
 * @ops: Symbol of DMA operations of its own, or "".
 * @group: IOMMU group, or -1.
 * @domain: enum ptwalk_domain.
 * @page_sizes: A bit for each size of the domain's pages; 0 if it doesn't
 *	translate.
 * @aperture_start: First bus address that it can translate, if it does.
 * @aperture_last: Last one.
 * @is_direct: Bus addresses follow from the physical ones; those of the
 *	request are in @bus, UINT64_MAX where there is none.
 * @bus: Of the request's addresses, in their order.
 * @reserved: For later; 0.
 */
struct ptwalk_device {
	char name[PTWALK_MAX_DEVICE_NAME + 1];
	char driver[64];
	uint32_t flags;
	uint64_t dma_mask;
	uint64_t coherent_mask;
	uint64_t bus_limit;
	char ops[64];
	int64_t group;
	uint32_t domain;
	uint64_t page_sizes;
	uint64_t aperture_start, aperture_last;
	bool is_direct;
	uint64_t bus[PTWALK_MAX_ADDRESSES];
	uint64_t reserved[16];
};

/*
 * Asks of a device, named by bus and name such as "pci/0000:00:03.0", and for
 * the bus addresses of up to PTWALK_MAX_ADDRESSES physical ones.
 */
int ptwalk_device(struct ptwalk *p, const char *name, const uint64_t *phys,
		  size_t nr, struct ptwalk_device *device);

/**
 * struct ptwalk_stretches - a message: what is translated in a piece of a range
 * @start: First bus address of the piece, all of which was looked up.
 * @last: Its last one.
 * @stretch: In ascending order of iova, inside of the piece.
 * @nr: How many.
 */
struct ptwalk_stretches {
	uint64_t start, last;
	const struct ptwalk_stretch *stretch;
	size_t nr;
};

/*
 * Begins to list what the IOMMU translates for a device in the bus addresses
 * [@start, @last]; for ptwalk_iova_end().
 */
int ptwalk_iova_start(struct ptwalk *p, const char *name, uint64_t start,
		      uint64_t last, struct ptwalk_iova **iova);

/* The next piece, clipped. Returns 1, 0 behind the last one, or an error. */
int ptwalk_iova_next(struct ptwalk_iova *iova,
		     const struct ptwalk_stretches **stretches);

/* Ends the list, also one that isn't through, and frees it; NULL is fine. */
void ptwalk_iova_end(struct ptwalk_iova *iova);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* PTWALK_H */
