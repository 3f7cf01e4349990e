/* SPDX-License-Identifier: GPL-2.0 */
/* What the page tables of a process hold, as the module reports it. */
#ifndef PTWALK_MODULE_TRUTH_H
#define PTWALK_MODULE_TRUTH_H

#include <stdbool.h>
#include <sys/types.h>
#include "lib/ptwalk.h"

/*
 * Whether a process holds its mmap lock for writing all the time, and so can't
 * be read now. Files of /proc that want the lock (maps, smaps, pagemap) wait
 * for as long as that lasts: ask this before them. Without @client it makes a
 * connection of its own; without the module nothing can be said: false.
 */
bool truth_busy(struct ptwalk *client, pid_t pid);

/*
 * Whether the VMA's pgoff is the PFN of its first page: remap_pfn_range() stores that
 * in a mapping that copies on write, whose file offset is lost then.
 */
static inline bool vma_pgoff_is_pfn(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_PFNMAP &&
	       vma->flags & PTWALK_VMA_FLAG_MAYWRITE &&
	       !(vma->flags & PTWALK_VMA_FLAG_SHARED);
}

/* Whether the value of an entry of this kind is a PFN. */
static inline bool kind_has_frame(unsigned int kind)
{
	return ptwalk_kind_ascends(kind) && kind != PTWALK_KIND_SWAP;
}

/**
 * struct truth - the extents of a range with the VMAs that they lie in
 * @extents: In ascending order, without overlap; nothing is said of addresses
 *	between them but that they lie in no VMA. All memory of empty entries
 *	inside VMAs has extents of PTWALK_KIND_NONE.
 * @vmas: In ascending order; each extent lies in exactly one.
 * @levels: Mask of enum ptwalk_level that the process's tables have.
 * @want_pages: Have truth_read() fill @pages, too.
 * @pages: The page behind the first entry of each extent, if @want_pages; see
 *	ptwalk_walk_pages(). Room for @max_pages.
 *
 * @take: Told of the extents of each message as they come, with the pages if
 *	those are wanted: they lie in the last of @vmas. Returns 0 or a negative
 *	errno, which ends the reading. It may have the last one alone left in
 *	@vmas. NULL: nobody is.
 * @take_runs: Told, instead of @take and of @passing alone, of what the message
 *	has as it stands there (see ptwalk_walk_runs()), with the pages behind the
 *	first entries of the runs: the cheapest way through much memory. What lies
 *	before @from isn't meant.
 * @arg: For @take and @take_runs.
 * @passing: Extents and pages aren't kept: of much memory there are many.
 *
 * The arrays grow as needed and are kept from one truth_read() to the next;
 * truth_free() frees them. All zero is a valid empty one.
 */
struct truth {
	struct ptwalk_extent *extents;
	size_t nr_extents, max_extents;
	struct ptwalk_vma *vmas;
	size_t nr_vmas, max_vmas;
	uint32_t levels;
	bool want_pages;
	struct ptwalk_page *pages;
	size_t max_pages;
	int (*take)(struct truth *truth, const struct ptwalk_extent *extents,
		    const struct ptwalk_page *pages, size_t nr);
	int (*take_runs)(struct truth *truth, const struct ptwalk_runs *runs,
			 const struct ptwalk_page *pages, uint64_t from);
	void *arg;
	bool passing;
};

/*
 * Reads the truth of [@start, @last] of process @pid into @truth; extents are
 * clipped to the range. A dump that was interrupted is asked for again. Each
 * piece of it is true of the moment in which it was walked; the pieces are
 * not of one moment.
 * Returns 0 or a negative errno, see base/error.h.
 */
int truth_read(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
	       struct truth *truth);
void truth_free(struct truth *truth);

/**
 * struct truth_reader - the same message by message, so that several processes
 *	can be read side by side
 * @extents: Of the message, @nr of them; they lie in the VMA @vma.
 * @vma_number: Another one for each VMA.
 *
 * The rest is for truth.c. All zero is one that was ended.
 */
struct truth_reader {
	const struct ptwalk_extent *extents;
	size_t nr;
	struct ptwalk_vma vma;
	uint64_t vma_number;
	struct ptwalk *client;
	pid_t pid;
	struct ptwalk_walk *walk;
	struct ptwalk_vma seen;
};

/* For all of process @pid. Returns 0 or a negative errno; truth_reader_end() either way. */
int truth_reader_begin(struct truth_reader *reader, struct ptwalk *client,
		       pid_t pid);

/* Returns 1, 0 behind the last message, or a negative errno. */
int truth_reader_next(struct truth_reader *reader);
void truth_reader_end(struct truth_reader *reader);

/* The VMA that holds @addr, or NULL. */
const struct ptwalk_vma *truth_vma_at(const struct truth *truth, uint64_t addr);

/* That of @vmas, which ascend, which holds @addr; or NULL. */
const struct ptwalk_vma *truth_vma_among(const struct ptwalk_vma *vmas, size_t nr,
					 uint64_t addr);

/*
 * Calls @each with what the messages hold, as it comes and as it stands there:
 * the cheapest way through much memory. Otherwise as truth_stream(); where the
 * range cuts a run, all of the run may come.
 */
int truth_runs(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
	       int (*each)(const struct ptwalk_runs *runs, void *arg),
	       void *arg);

/* As truth_runs(), without what pages say of themselves: see ptwalk_walk_entries_only(). */
int truth_entries(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		  int (*each)(const struct ptwalk_runs *runs, void *arg),
		  void *arg);

/*
 * As truth_runs() of the whole process, with what holds a frame from @first to
 * @last and little else: see ptwalk_walk_frames().
 */
int truth_frames(struct ptwalk *client, pid_t pid, uint64_t first, uint64_t last,
		 int (*each)(const struct ptwalk_runs *runs, void *arg),
		 void *arg);

/*
 * Calls @each with the messages' extents and VMA as they come, without
 * keeping them: for streams that are too big to hold. @each returns 0 to go
 * on, anything else to stop; that is then returned.
 */
typedef int truth_each(const struct ptwalk_vma *vma,
		       const struct ptwalk_extent *extents, size_t nr, void *arg);
int truth_stream(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		 truth_each *each, void *arg);

/* The same for the entries outside of all VMAs: see ptwalk_walk_outside(). */
int truth_outside(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		  truth_each *each, void *arg);

/*
 * Translates @nr addresses (any number; asked for in batches). @vmas receives
 * the VMAs that they lie in, in a malloc'ed array of @nr_vmas, each once.
 */
int truth_translate(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
		    size_t nr, struct ptwalk_translation *out,
		    struct ptwalk_vma **vmas, size_t *nr_vmas,
		    uint32_t *levels);

/*
 * The same, with the page behind each address in @pages; all zero where no
 * page that the kernel counts as mapped is behind it.
 */
int truth_translate_pages(struct ptwalk *client, pid_t pid,
			  const uint64_t *addrs, size_t nr,
			  struct ptwalk_translation *out,
			  struct ptwalk_page *pages, struct ptwalk_vma **vmas,
			  size_t *nr_vmas, uint32_t *levels);

/* With what each page is charged to, see ptwalk_translate_cgroups(). */
int truth_translate_cgroups(struct ptwalk *client, pid_t pid,
			    const uint64_t *addrs, size_t nr,
			    struct ptwalk_translation *out,
			    struct ptwalk_page *pages, uint64_t *cgroups,
			    struct ptwalk_vma **vmas, size_t *nr_vmas,
			    uint32_t *levels);

#endif /* PTWALK_MODULE_TRUTH_H */
