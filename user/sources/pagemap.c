// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/pagemap, one u64 a page; and the same file read in other ways,
 * which must not show anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/random.h"
#include "proc/interfaces.h"
#include "proc/pagemap_bits.h"
#include "proc/pagemap_entry.h"
#include "proc/processes.h"
#include "proc/untraced.h"
#include "sources/entries.h"
#include "sources/source.h"

/* The arguments of requests. */
enum { ARG_HISTORY, ARG_PIECE, ARG_FIRST };

/* Where a call stands to the one before. */
enum history {
	HISTORY_ANYWHERE,	/* it says where it begins */
	HISTORY_GOES_ON,	/* it begins where the last one ended, by itself */
	HISTORY_GOES_BACK,	/* it ends where the last one began */
	NR_HISTORIES
};

/* The kernel's function, what it must do, and what it does. */
static const struct source_fault
behind_fault = { "pagemap_read()", "it must find the end",
		 "a read behind all addresses is answered" },
namespace_fault = { "pagemap_read()", "they must be hidden",
		    "the root of a user namespace is shown PFNs" },
untraced_fault = { "pagemap_open()", "it must be refused",
		   "who may not trace a process opens it" };

/**
 * struct pieces - what a read(2) is about
 * @entries: How many, unless a request says otherwise; 0 for as many as are wanted.
 * @aligned: Pieces begin where the number of an entry is a multiple of that.
 */
struct pieces {
	unsigned int entries;
	bool aligned;
};

/**
 * struct source_file - a process's pagemap
 * @fd: The file.
 * @fault: What it answers wrongly, or NULL.
 * @at: Where the file is.
 * @page_shift: Of the base page.
 * @pieces: What a read(2) is about.
 */
struct source_file {
	int fd;
	const struct source_fault *fault;
	off_t at;
	unsigned int page_shift;
	struct pieces pieces;
};

static unsigned int page_shift(void)
{
	return __builtin_ctzl(sysconf(_SC_PAGESIZE));
}

/*
 * Behind what 64 bits can address there is nothing; 32-bit kernels don't look at so
 * much of a position.
 */
static void try_ours(struct source_fault *fault)
{
	const unsigned int shift = page_shift();
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t value;

	if (fd < 0)
		return;
	entries_try(fd, 1ULL << (8 * sizeof(long) - shift), shift, fault);
	fault->function = "pagemap_read()";
	if (!*fault->does && sizeof(long) == 8 &&
	    pread(fd, &value, sizeof(value), (1ULL << (64 - shift)) * sizeof(value)) > 0)
		*fault = behind_fault;
	else if (!*fault->does && untraced_opens("pagemap"))
		*fault = untraced_fault;
	close(fd);
}

/* What is so whatever process it is about is tried once. */
static const struct source_fault *fault_of_ours(void)
{
	static struct source_fault found;
	static bool tried;

	if (!tried)
		try_ours(&found);
	tried = true;
	return *found.does ? &found : NULL;
}

static int pagemap_open(const struct source *source, pid_t pid, struct source_file **out)
{
	const struct pieces *pieces = source->data;
	struct source_file *file;

	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->fd = procs_open(pid, "pagemap");
	if (file->fd < 0) {
		int err = file->fd;

		free(file);
		return err;
	}
	file->fault = fault_of_ours();
	file->page_shift = page_shift();
	if (pieces)
		file->pieces = *pieces;
	*out = file;
	return 0;
}

static ssize_t read_at(struct source_file *file, void *buf, size_t size, off_t at,
		       bool goes_on)
{
	ssize_t n;

	if (!goes_on)
		return pread(file->fd, buf, size, at);
	if (at != file->at && lseek(file->fd, at, SEEK_SET) < 0)
		return -1;
	n = read(file->fd, buf, size);
	file->at = n < 0 ? -1 : at + n;
	return n;
}

/*
 * A read may end early: at the end of the process's address space, or where a
 * signal came. Only one that gets nothing is the end.
 */
static ssize_t read_entries(struct source_file *file, uint64_t index,
			    size_t nr, uint64_t *values, bool goes_on)
{
	size_t size = nr * sizeof(*values), done = 0;
	ssize_t n;

	while (done < size) {
		n = read_at(file, (char *)values + done, size - done,
			    index * sizeof(*values) + done, goes_on);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done / sizeof(*values);
}

/*
 * Reads it in pieces, as the arguments say: how long they are, and the first one, and
 * whether the last one comes first. Behind a piece that is short, nothing counts.
 */
static ssize_t pagemap_read(struct source_file *file,
			    const struct source_pages *pages, uint64_t *values)
{
	const uint64_t index = pages->addr >> file->page_shift;
	const uint64_t history = pages->arg[ARG_HISTORY];
	const bool back = history == HISTORY_GOES_BACK;
	size_t nr = pages->nr, pieces, at, end, nth;
	size_t piece = pages->arg[ARG_PIECE] < nr ? pages->arg[ARG_PIECE] : nr;
	size_t first = pages->arg[ARG_FIRST] < nr ? pages->arg[ARG_FIRST] : nr;
	ssize_t got;

	if (!piece)
		piece = file->pieces.entries ? file->pieces.entries : nr;
	if (file->pieces.aligned)
		first = piece - index % piece;
	if (!first || first > piece)
		first = piece;
	pieces = nr > first ? 1 + (nr - first + piece - 1) / piece : 1;
	for (size_t i = 0; i < pieces; i++) {
		nth = back ? pieces - 1 - i : i;
		at = nth ? first + (nth - 1) * piece : 0;
		end = first + nth * piece < pages->nr ? first + nth * piece : pages->nr;
		got = read_entries(file, index + at, end - at, values + at,
				   history == HISTORY_GOES_ON);
		if (got < 0)
			return got;
		if ((size_t)got < end - at)
			nr = at + got;
		if ((size_t)got < end - at && !back)
			break;
	}
	return nr;
}

static uint64_t draw_history(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_below(random, NR_HISTORIES);
}

/* All in one, or not. */
static uint64_t draw_piece(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_one_in(random, 2) ? 0 : random_size(random, 15);
}

static uint64_t draw_first(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_one_in(random, 2) ? 0 : random_size(random, 9);
}

static const struct dimension in_any_pieces[] = {
	[ARG_HISTORY] = { "history", draw_history },
	[ARG_PIECE] = { "piece", draw_piece, DIMENSION_PAGES },
	[ARG_FIRST] = { "first", draw_first },
	{ }
};

static const struct dimension in_some_order[] = {
	[ARG_HISTORY] = { "history", draw_history },
	{ }
};

static void pagemap_close(struct source_file *file)
{
	close(file->fd);
	free(file);
}

static const struct source_fault *pagemap_fault(const struct source_file *file)
{
	return file->fault;
}

static int change_caps(struct __user_cap_data_struct caps[2],
		       uint32_t effective)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};

	caps[0].effective = effective;
	return syscall(SYS_capset, &header, caps) ? -errno : 0;
}

/* What the file shows is decided by who opened it, not by who reads it. */
static int unprivileged_open(const struct source *source, pid_t pid, struct source_file **out)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];
	uint32_t before;
	int err, restored;

	if (syscall(SYS_capget, &header, caps))
		return -errno;
	before = caps[0].effective;
	err = change_caps(caps, before & ~(1U << CAP_SYS_ADMIN));
	if (err)
		return err;
	err = pagemap_open(source, pid, out);
	restored = change_caps(caps, before);
	if (!err && !(*out)->fault && untraced_sees_frames())
		(*out)->fault = &namespace_fault;
	if (!err && restored) {
		pagemap_close(*out);
		err = restored;
	}
	return err;
}

static const char *unprivileged_probe(const struct source *source)
{
	struct source_file *file;
	int err = unprivileged_open(source, getpid(), &file);

	if (err)
		return strerror(-err);
	pagemap_close(file);
	return NULL;
}

/* Whether we are whom pagemap shows PFNs: file_ns_capable() in pagemap_read(). */
static bool is_privileged(void)
{
	struct privileges privileges;

	privileges_read(&privileges);
	return privileges.effective && privileges.initial_userns;
}

/*
 * Who opens pagemap without CAP_SYS_ADMIN in the initial user namespace sees
 * zero for all frames. Whether that is so is tried on a page of our own, for
 * frame 0 belongs to no process. Who has that privilege is not to be shown
 * zero: then all pages differ. Where it can't be tried, the privilege says it.
 */
static bool hides_frames(void)
{
	struct source_file *file;
	uint64_t value = 0;
	volatile char here = 1;
	ssize_t n = 0;
	int err = pagemap_open(&source_pagemap, getpid(), &file);

	if (err == -ENOENT)
		return false;
	if (!err) {
		n = read_entries(file, (uintptr_t)&here >> file->page_shift, 1,
				 &value, false);
		pagemap_close(file);
	}
	return !(n == 1 && (value & PM_PFN_MASK) && (value & PM_PRESENT)) && !is_privileged();
}

/* The same for all who read it in one way or another. */
static const char *pagemap_limit(struct env *env)
{
	static int hidden = -1;

	if (hidden < 0)
		hidden = hides_frames();
	env->pfn_hidden = hidden;
	return hidden ?
	       "PFNs and swap offsets are hidden: CAP_SYS_ADMIN in the initial user namespace is missing" :
	       NULL;
}

static void pagemap_text(const struct env *env, uint64_t addr, uint64_t value,
			 char *buf, size_t size)
{
	struct decoded d;

	decode(value, DECODE_NEW, &d);
	decode_text(&d, buf, size);
}

static void pagemap_json(const struct env *env, uint64_t addr,
			 uint64_t value)
{
	struct decoded d;

	decode(value, DECODE_NEW, &d);
	decode_json(&d);
}

/* Without the frames. */
static struct decoded decode_hidden(uint64_t value)
{
	struct decoded d;

	decode(value, DECODE_NEW, &d);
	d.hidden = !(value & PM_PFN_MASK);
	return d;
}

static void hidden_text(const struct env *env, uint64_t addr, uint64_t value,
			char *buf, size_t size)
{
	const struct decoded d = decode_hidden(value);

	decode_text(&d, buf, size);
}

static void hidden_json(const struct env *env, uint64_t addr,
			uint64_t value)
{
	const struct decoded d = decode_hidden(value);

	decode_json(&d);
}

/*
 * What Documentation/admin-guide/mm/pagemap.rst says that pagemap shows.
 * Where a kernel does otherwise by design, that is a rule (check/rules.c).
 */
void expect_pagemap(const struct env *env, const struct page_truth *truth,
		    struct expectation *out)
{
	const unsigned int kind = ptwalk_bits_kind(truth->bits);
	const unsigned int shift = env->kernel->swap_type_bits;
	const uint32_t flags = ptwalk_bits_flags(truth->bits);
	const bool is_hole = kind == PTWALK_KIND_NONE || kind == PTWALK_KIND_NO_VMA;
	uint64_t frame = 0, step = 0, bits = 0;

	if (kind == PTWALK_KIND_PRESENT) {
		bits = PM_PRESENT;
		frame = truth->value;
		step = 1;
		/* The zero pages belong to nobody, and nobody counts them. */
		if ((flags & PTWALK_FLAG_PAGE) && !(flags & PTWALK_FLAG_ZERO))
			bits |= (page_is_file(truth) ? PM_FILE : 0) |
				(flags & PTWALK_FLAG_EXCLUSIVE ? PM_EXCLUSIVE : 0);
	} else if (!is_hole && kind != PTWALK_KIND_BAD) {
		bits = PM_SWAP;
		frame = ptwalk_bits_aux(truth->bits) | truth->value << shift;
		if (ptwalk_kind_ascends(kind))
			step = 1ULL << shift;
		if (kind_has_frame(kind) && page_is_file(truth))
			bits |= PM_FILE;
		if (kind == PTWALK_KIND_MARKER)
			bits |= (truth->value & PTWALK_MARKER_UFFD_WP ? PM_UFFD_WP : 0) |
				(truth->value & PTWALK_MARKER_GUARD ? PM_GUARD : 0);
	}
	if (!is_hole)
		bits |= (flags & PTWALK_FLAG_SOFT_DIRTY ? PM_SOFT_DIRTY : 0) |
			(flags & PTWALK_FLAG_UFFD_WP ? PM_UFFD_WP : 0);
	if (truth->vma && (truth->vma->flags & PTWALK_VMA_FLAG_SOFTDIRTY))
		bits |= PM_SOFT_DIRTY;
	if (env->pfn_hidden)
		frame = step = 0;
	*out = (struct expectation){
		.value = (frame & PM_PFN_MASK) | bits, .step = step, .mask = UINT64_MAX,
	};
}

/* As a file shows it that was opened without the privilege to see frames. */
void expect_pagemap_hidden(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out)
{
	struct env hidden = *env;

	hidden.pfn_hidden = true;
	expect_pagemap(&hidden, truth, out);
}

#define PAGEMAP								\
	.rules = "pagemap",						\
	.asks = "/proc/self/pagemap",					\
	.open = pagemap_open,						\
	.read = pagemap_read,						\
	.fault = pagemap_fault,						\
	.close = pagemap_close,						\
	.limit = pagemap_limit,						\
	.expect = expect_pagemap,					\
	.text = pagemap_text,						\
	.json = pagemap_json

const struct source source_pagemap = {
	PAGEMAP,
	.name = "pagemap",
	.help = "/proc/PID/pagemap, all of its bits",
	.cost = { 7000, 200, 15 },
};

const struct source source_pagemap_single = {
	PAGEMAP,
	.name = "pagemap-single",
	.help = "/proc/PID/pagemap, one entry at a time, forward and back",
	.trait.drawn = true,
	.dimension = in_some_order,
	.cost = { .page = 4500, .empty = 4200 },
	.data = &(struct pieces){ 1 },
};

const struct source source_pagemap_4k = {
	PAGEMAP,
	.name = "pagemap-4k",
	.help = "/proc/PID/pagemap, in pieces of 4 KiB",
	.trait.drawn = true,
	.dimension = in_some_order,
	.cost = { 7000, 210, 15 },
	.data = &(struct pieces){ 512, .aligned = true },
};

const struct source source_pagemap_unaligned = {
	PAGEMAP,
	.name = "pagemap-unaligned",
	.help = "/proc/PID/pagemap, in pieces across mappings and holes",
	.trait.drawn = true,
	.dimension = in_any_pieces,
	.cost = { 8000, 250, 15 },
	/* A number without a factor in common with anything that tables are made of. */
	.data = &(struct pieces){ 61 },
};

const struct source source_pagemap_unprivileged = {
	.name = "pagemap-unprivileged",
	.help = "/proc/PID/pagemap, opened without CAP_SYS_ADMIN",
	.rules = "pagemap",
	.trait.drawn = true,
	.dimension = in_any_pieces,
	.cost = { 6000, 200, 15 },
	.asks = "/proc/self/pagemap",
	.probe = unprivileged_probe,
	.open = unprivileged_open,
	.read = pagemap_read,
	.fault = pagemap_fault,
	.close = pagemap_close,
	.expect = expect_pagemap_hidden,
	.text = hidden_text,
	.json = hidden_json,
};
