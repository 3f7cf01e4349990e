/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings that are wrong whatever their driver meant. Pure: extents in,
 * findings out.
 */
#ifndef PTWALK_LINT_LINTS_H
#define PTWALK_LINT_LINTS_H

#include <stdbool.h>
#include <sys/types.h>
#include "kernel/aliases.h"
#include "lint/contiguous.h"
#include "module/truth.h"
#include "proc/iomem.h"
#include "proc/maps.h"
#include "proc/pci_bars.h"

enum lint {
	LINT_TWO_TYPES,
	LINT_RAM_UNCACHED,
	LINT_DEVICE_CACHED,
	LINT_PAST_RESOURCE,
	LINT_SPECIAL,
	LINT_MORE,
	LINT_NOWHERE,
	LINT_OTHERS,
	LINT_OUTSIDE,
	LINT_SHARED_WRITABLE,
	LINT_COMMON_WRITABLE,
	LINT_UNTRACKED,
	LINT_UNPROTECTED,
	LINT_OTHER_KEY,
	LINT_FREED,
	LINT_CONTIGUOUS,
	NR_LINTS
};

/* As in reports, and for "ptwalk explain". */
extern const char *const lint_name[NR_LINTS];

#define LINT_TEXT	256

/**
 * struct lint_finding - pages in a row that are mapped wrongly
 * @lint: In what way.
 * @addr: Address of the first page.
 * @pages: How many.
 * @value: Frame of the first page.
 * @bits: As in struct ptwalk_extent.
 * @other: With LINT_TWO_TYPES, where the same frame is mapped otherwise, in
 *	@other_pid, as @other_bits say; @other_pid is 0 for the kernel's own
 *	mapping, of which @text tells if more is known.
 * @more: With LINT_MORE, the flags that the VMA doesn't allow.
 * @text: With LINT_PAST_RESOURCE and LINT_DEVICE_CACHED the resource, in words;
 *	with LINT_MORE what the VMA allows, as in /proc/PID/maps; with
 *	LINT_OTHERS whose the frames are, with LINT_FREED how many references they
 *	have, with LINT_CONTIGUOUS in what they differ, and with LINT_OUTSIDE whose the
 *	first one is, or "".
 */
struct lint_finding {
	enum lint lint;
	uint64_t addr, pages;
	uint64_t value, bits;
	uint64_t other, other_bits;
	pid_t other_pid;
	uint32_t more;
	char text[128];
};

/* All zero is a valid empty one. */
struct lint_findings {
	struct lint_finding *finding;
	size_t nr, max;
	uint64_t pages;		/* present ones that were looked at */
	uint64_t absent;	/* those that aren't present */
	uint64_t offsets;	/* drivers' mappings that begin within a file, not @judged */
	uint64_t alone;		/* pages of drivers that the kernel's weren't compared with */
	uint64_t uncounted;	/* pages of drivers of which @frame_pages told nothing */
	uint64_t given;		/* pages of drivers that have as many references as mappings */
	bool unread;		/* what lies outside of all VMAs couldn't be read */
	bool failed;		/* no memory */
};

/**
 * struct linter - the lints at work on a process
 * @kernel: The kernel.
 * @iomem: What is where, with @bars; all zero for nothing known.
 * @pid: The process.
 * @ranges: What is asked about.
 * @judged: Where mappings begin whose offset was judged otherwise; NULL: nowhere.
 * @frame_flags: Reads the /proc/kpageflags of so many frames from @pfn on, and
 *	returns of how many it could; NULL: nothing is known of them.
 * @free_flags: Likewise of frames that may be free, as frameflags_read_free().
 * @kernel_aliases: What the kernel maps itself, or NULL if that can't be known; @alone
 *	counts then. NULL: not wanted.
 * @frame_pages: Reads what the module counts of these frames, and returns whether it
 *	could, or else @uncounted counts them; NULL: not wanted.
 * @only: Mask of 1 << enum lint: those that are wanted; 0: all.
 * @denies_exec: Memory can be there without being executable; see proc/cpuinfo.h.
 * @out: Where findings go.
 * @cached_last: For lints.c: the end of the VMA of a file whose pages are in the page cache.
 * @run: For lints.c: the frames in a row at the end of what was looked at.
 * @block: For lints.c: the last entries at the levels of PTEs and PMDs, of all VMAs.
 */
struct linter {
	const struct ptwalk_kernel *kernel;
	const struct iomem *iomem;
	const struct pcibars *bars;
	pid_t pid;
	const struct ranges *ranges, *judged;
	size_t (*frame_flags)(uint64_t pfn, uint64_t *flags, size_t nr);
	size_t (*free_flags)(const struct ptwalk_kernel *kernel, uint64_t pfn, uint64_t *flags,
			     size_t nr);
	const struct kernel_aliases *(*kernel_aliases)(void);
	bool (*frame_pages)(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages);
	uint32_t only;
	bool denies_exec;
	struct lint_findings *out;
	uint64_t cached_last;
	struct lint_run {
		uint64_t addr, pages, value, bits;
		uint64_t vma_start;
	} run;
	struct contiguous block[PTWALK_LEVEL_PMD + 1];
};

/*
 * Looks at extents of one VMA, which follow those looked at before; what the
 * ranges don't have of them is left out.
 */
void lint_extents(struct linter *l, const struct ptwalk_vma *vma,
		  const struct ptwalk_extent *extents, size_t nr);
/* All of what was read. */
void lint_truth(struct linter *l, const struct truth *truth);
/* Looks at extents that lie outside of all VMAs. */
void lint_outside(struct linter *l, const struct ptwalk_extent *extents, size_t nr);
/* Behind the last ones. */
void lint_end(struct linter *l);

/**
 * struct lint_use - frames in a row that aren't mapped as ordinary memory is
 * @value: The first frame.
 * @pages: How many.
 * @bits: As in struct ptwalk_extent.
 * @addr: Where, in @pid.
 * @furthest: For lints.c.
 */
struct lint_use {
	uint64_t value, pages, bits;
	uint64_t addr;
	pid_t pid;
	uint64_t furthest;
};

struct lint_uses {
	struct lint_use *use;
	size_t nr, max;
	bool failed;
};

/* Adds what extents of a process map otherwise than ordinary memory. */
void lint_note_uses(const struct linter *l, const struct ptwalk_extent *extents,
		    size_t nr, struct lint_uses *uses);
/* To be called before they are looked at, and after each change. */
void lint_sort_uses(struct lint_uses *uses);

/*
 * Compares extents of a process, by default @l->pid, with what is known of
 * the same frames. With another process's @pid, findings are about uses by
 * @l->pid.
 */
void lint_compare_uses(struct linter *l, pid_t pid, const struct ptwalk_extent *extents,
		       size_t nr, const struct lint_uses *uses);

/*
 * Whether @truth, of the process and the pages that LINT_TWO_TYPES found to
 * have the same frames, still says so.
 */
bool lint_holds(const struct lint_finding *f, const struct truth *truth,
		unsigned int page_shift);

/* The block of entries in which LINT_CONTIGUOUS found something. */
struct range lint_block(const struct lint_finding *f, const struct ptwalk_kernel *kernel);
/* Whether @truth, of that block alone and so of one moment, says the same of it. */
bool lint_block_holds(const struct lint_finding *f, const struct truth *truth,
		      const struct ptwalk_kernel *kernel);

/*
 * Whether the kernel's own mapping of a page and a process's, of @bits as in struct
 * ptwalk_extent, are two memory types of one frame. That the direct mapping has another
 * type is by design.
 */
bool lint_alias_differs(const struct ptwalk_kernel *kernel, uint64_t bits,
			const struct kernel_alias *alias);
/* The same, as the kernel's own book of memory types says, of a page that is mapped cached. */
bool lint_kernel_is_other(const struct ptwalk_kernel *kernel, uint64_t bits);

void lint_sort(struct lint_findings *findings);
bool lint_same(const struct lint_findings *a, const struct lint_findings *b);

/*
 * Bytes from the first page of @e, which a driver has mapped by its number, to the end of
 * the device's memory that it is in, of which @text tells; 0: it is in none.
 */
uint64_t lint_device_rest(const struct linter *l, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *e, char text[LINT_TEXT]);

/* What is there, and what stands against it. */
void lint_found(const struct lint_finding *f, const struct ptwalk_kernel *kernel,
		char buf[LINT_TEXT]);
void lint_against(const struct lint_finding *f, const struct ptwalk_kernel *kernel,
		  char buf[LINT_TEXT]);

#endif /* PTWALK_LINT_LINTS_H */
