// SPDX-License-Identifier: GPL-2.0
/*
 * PAGEMAP_SCAN, an ioctl of /proc/PID/pagemap. Scans here only read: none
 * write-protects what it matches.
 *
 * What is drawn is scanned twice, without a filter and as the arguments say: both must
 * say the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "base/names.h"
#include "base/print.h"
#include "base/random.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "sources/scan.h"
#include "sources/source.h"

#define MANY_REGIONS	4096	/* of the scan that is meant to be done at once */
#define FEW_REGIONS	64	/* of it where there were fewer: the kernel clears them all */
/*
 * Pages that one scan goes over at most: the kernel holds the mmap lock until it
 * is at the end. More than a PTE table maps, so that no scan ends where it does.
 */
#define SCAN_PAGES	576

/* Regions that the kernel gathers, at least: PMD_SIZE is 1 MiB on s390. */
#define BUFFERED	256

/**
 * struct way - what a scan is asked, whatever pages it is about
 * @regions: Length of the vector.
 * @max_pages: As for the ioctl; 0 for no limit.
 * @within: It ends within a page, all of which it has.
 * @required: Categories that a page must have.
 * @inverted: Categories that count as the opposite.
 * @any_of: Categories of which it must have at least one; 0 for no matter.
 * @wanted: Categories that are asked for.
 */
struct way {
	size_t regions;
	uint64_t max_pages;
	bool within;
	uint64_t required, inverted, any_of, wanted;
};

/**
 * struct source_file - a process's pagemap
 * @fd: The file.
 * @page_shift: Of the base page.
 * @most: Pages that a scan goes over at most.
 * @rests: They don't change: a scan must go on while it has room, and store nothing
 *	behind what it tells.
 * @fault: The first of its faults.
 * @asked: What is read, or NULL.
 * @from: Where the scan begins.
 * @categories: All that the kernel knows.
 */
struct source_file {
	int fd;
	unsigned int page_shift;
	size_t most;
	bool rests;
	struct source_fault fault;
	const struct source_pages *asked;
	uint64_t from;
	uint64_t categories;
};

/* What the latest scan told, of whatever file; and one that the kernel must not store. */
static struct page_region told[MANY_REGIONS + 1];

/* How many there are, of one process, and what is wrong with each of them. */
static unsigned int nr_open;
static struct source_fault fault_of_all;

/* Keeps the first fault: what must be instead, and what is. */
static void __attribute__((format(printf, 3, 4)))
keep_fault(struct source_file *file, const char *must, const char *format, ...)
{
	struct source_fault *fault = &file->fault;
	va_list args;

	if (*fault->does)
		return;
	fault->must = must;
	va_start(args, format);
	vsnprintf(fault->does, sizeof(fault->does), format, args);
	va_end(args);
	if (!file->asked)
		return;
	fault->start = file->asked->addr;
	fault->last = fault->start + ((uint64_t)file->asked->nr << file->page_shift) - 1;
}

/* As messages name it. The vector of one with a filter is as long as it must be. */
static void way_text(const struct way *way, char *buf, size_t size)
{
	const bool filter = way->required | way->inverted | way->any_of;
	int len = 0;

	if (!filter || way->max_pages)
		len = snprintf(buf, size, "a vector of %zu", way->regions);
	if (way->max_pages)
		len += snprintf(buf + len, size - len, ", max_pages %" PRIu64, way->max_pages);
	if (filter)
		snprintf(buf + len, size - len, "%scategory_mask 0x%" PRIx64
			 ", category_inverted 0x%" PRIx64 ", category_anyof_mask 0x%" PRIx64
			 ", return_mask 0x%" PRIx64, len ? ", " : "", way->required,
			 way->inverted, way->any_of, way->wanted);
}

/* What it must say of a page that one without a filter calls so. */
static uint64_t way_filtered(const struct way *way, uint64_t value)
{
	const uint64_t tested = value ^ way->inverted;

	if (!(value & SCAN_REPORTED) || (tested & way->required) != way->required ||
	    (way->any_of && !(tested & way->any_of)))
		return 0;
	return (value & way->wanted) | SCAN_REPORTED;
}

static struct way way_of(const struct source_file *file, const uint64_t *arg)
{
	const uint64_t all = file->categories;

	return (struct way){
		.regions = arg[ARG_VECTOR] && arg[ARG_VECTOR] < MANY_REGIONS ?
			   arg[ARG_VECTOR] : MANY_REGIONS,
		.max_pages = arg[ARG_MAX_PAGES], .within = arg[ARG_WITHIN],
		.required = arg[ARG_MASK] & all, .inverted = arg[ARG_INVERTED] & all,
		.any_of = arg[ARG_ANY_OF] & all, .wanted = all & ~arg[ARG_NOT_RETURNED],
	};
}

void scan_args_text(const struct source_file *file, const uint64_t *arg, char *buf,
		    size_t size)
{
	const struct way way = way_of(file, arg);

	way_text(&way, buf, size);
}

/* Of a scan that wasn't refused, in that way. */
static void note_wrong(struct source_file *file, const struct way *way, const char *must,
		       const char *does)
{
	char with[SCAN_TEXT];

	way_text(way, with, sizeof(with));
	keep_fault(file, must, "%s, in a scan from 0x%" PRIx64 " on with %s", does,
		   file->from, with);
	file->fault.times += !strcmp(file->fault.must, must);
}

/* PM_SCAN_CHECK_WPASYNC of the page there is refused. */
static bool refuses_check(int fd, uint64_t start)
{
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .flags = 2, .start = start,
		.end = start + sysconf(_SC_PAGESIZE),
	};

	return ioctl(fd, PAGEMAP_SCAN, &arg) && errno == EPERM;
}

/* Whether the page there is PAGE_IS_WPALLOWED: it may be so no more. */
static bool is_wpallowed(int fd, uint64_t start)
{
	struct page_region region;
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .start = start,
		.end = start + sysconf(_SC_PAGESIZE),
		.vec = (uintptr_t)&region, .vec_len = 1,
		.category_mask = SCAN_WPALLOWED, .return_mask = SCAN_WPALLOWED,
	};

	return ioctl(fd, PAGEMAP_SCAN, &arg) == 1;
}

/* Twice, as the protection may go and come back between two scans. */
static bool refuses_wrongly(int fd, uint64_t start)
{
	for (int i = 0; i < 2; i++)
		if (!refuses_check(fd, start) || !is_wpallowed(fd, start))
			return false;
	return true;
}

/* Of what we write to ourselves nothing is protected by a userfaultfd. */
static bool has_unprotected(void)
{
	const uint64_t size = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool refused;

	refused = fd < 0 || refuses_check(fd, (uintptr_t)&size & -size);
	if (fd >= 0)
		close(fd);
	return !refused;
}

/*
 * What Documentation/admin-guide/mm/pagemap.rst doesn't have is refused. Returns what
 * isn't, or NULL.
 */
static const char *unrefused(int fd)
{
	const uint64_t page = sysconf(_SC_PAGESIZE), size = sizeof(struct pm_scan_arg);
	const uint64_t none = 1ULL << 63;
	struct {
		const char *has;
		struct pm_scan_arg arg;
	} wrong[] = {
		{ "another size", { .size = size - 1 } },
		{ "a start inside of a page", { .size = size, .start = page / 2, .end = page } },
		{ "a flag that there isn't", { .size = size, .flags = none } },
		{ "a vector at 0", { .size = size, .vec_len = 1 } },
		{ "a return_mask with bit 63", { .size = size, .return_mask = none } },
		{ "a category_mask with bit 63", { .size = size, .category_mask = none } },
		{ "a category_inverted with bit 63",
		  { .size = size, .category_inverted = none } },
		{ "a category_anyof_mask with bit 63",
		  { .size = size, .category_anyof_mask = none } },
	};
	int err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err = ioctl(fd, PAGEMAP_SCAN, &wrong[i].arg) ? errno : 0;
		if (err == ESRCH)	/* its memory is no more */
			return NULL;
		if (err != EINVAL)
			return wrong[i].has;
	}
	return has_unprotected() ? "PM_SCAN_CHECK_WPASYNC where no userfaultfd protects" : NULL;
}

static bool refuses_empty(int fd)
{
	struct pm_scan_arg arg = { .size = sizeof(arg) };

	return ioctl(fd, PAGEMAP_SCAN, &arg) && errno == EINVAL;
}

static uint64_t next_part;
static unsigned int parts_left = SCAN_OWN_PARTS, parts_each = 1;

void scan_own_begin(uint64_t seed, unsigned int nr)
{
	next_part = seed;
	parts_each = nr;
}

/* What is wrong of our own memory is so whatever process is asked about. */
static const struct source_fault *fault_of_own_scans(uint64_t categories)
{
	static struct source_fault fault;

	for (unsigned int i = 0; i < parts_each && parts_left; i++, parts_left--)
		scan_own(categories, next_part++ % SCAN_OWN_PARTS, &fault);
	return &fault;
}

/* Requests that are wrong must be refused, and others not. */
static void try_requests(struct source_file *file)
{
	const struct source_fault *ours = fault_of_own_scans(file->categories);
	const char *request = unrefused(file->fd);

	if (request)
		keep_fault(file, "it must be refused", "a scan isn't refused that has %s",
			   request);
	else if (refuses_empty(file->fd))
		keep_fault(file, "it has nothing to tell", "a scan is refused that has no page");
	else if (*ours->does)
		keep_fault(file, ours->must, "%s", ours->does);
}

/* What the kernel doesn't know it refuses. */
static uint64_t categories_of(int fd)
{
	static uint64_t categories;
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .end = sysconf(_SC_PAGESIZE),
	};

	if (categories)
		return categories;
	for (uint64_t bit = 1; bit < SCAN_REPORTED; bit <<= 1) {
		arg.return_mask = bit;
		if (ioctl(fd, PAGEMAP_SCAN, &arg) >= 0)
			categories |= bit;
	}
	return categories;
}

void scan_forget(struct source_file *file)
{
	file->fault = (struct source_fault){ .function = "do_pagemap_scan()" };
}

int scan_begin(pid_t pid, size_t most, bool rests, struct source_file **out)
{
	struct source_file *file = calloc(1, sizeof(*file));
	int fd = file ? procs_open(pid, "pagemap") : -ENOMEM;

	if (fd < 0) {
		free(file);
		return fd;
	}
	nr_open++;
	file->fd = fd;
	file->most = most;
	file->rests = rests;
	file->categories = categories_of(fd);
	file->page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	scan_forget(file);
	*out = file;
	return 0;
}

static int scan_open(const struct source *source, pid_t pid, struct source_file **out)
{
	int err = scan_begin(pid, SCAN_PAGES, false, out);

	if (err)
		return err;
	/* The same for all that are open at a time. */
	if (nr_open == 1) {
		try_requests(*out);
		fault_of_all = (*out)->fault;
	}
	(*out)->fault = fault_of_all;
	return 0;
}

static const struct source_fault *scan_fault(const struct source_file *file)
{
	return *file->fault.does ? &file->fault : NULL;
}

static void scan_close(struct source_file *file)
{
	nr_open--;
	close(file->fd);
	free(file);
}

/*
 * Stores the regions' categories. They must ascend, not overlap, and lie in what was
 * scanned; and have no more pages than max_pages. What stands in the same place, @up bits
 * from the lowest, is taken from them: it leaves what differs. Returns whether there was
 * room for more.
 */
static bool store(struct source_file *file, const struct source_pages *pages, size_t nr,
		  const struct way *way, unsigned int up, uint64_t *next, uint64_t *values)
{
	const unsigned int shift = file->page_shift;
	uint64_t last = pages->addr + (pages->nr << shift), value;
	uint64_t left = way->max_pages ? way->max_pages : UINT64_MAX;
	size_t i, page, end;

	for (i = 0; i < nr; i++) {
		bool sane = told[i].start >= *next &&
			    told[i].end > told[i].start &&
			    told[i].end <= last;

		if (!sane) {
			note_wrong(file, way, "regions in order, of the pages that were asked for",
				   "a region is out of order, told twice, or not of these pages");
			continue;
		}
		value = ((told[i].categories & SCAN_VALUE_MASK) | SCAN_REPORTED) << up;
		page = (told[i].start - pages->addr) >> shift;
		end = (told[i].end - pages->addr) >> shift;
		/* The end of a region may lie inside of a page. */
		end += (told[i].end & ((1ULL << shift) - 1)) != 0;
		if (end - page > left)
			note_wrong(file, way, "no more pages than max_pages",
				   "more pages than max_pages");
		left -= end - page < left ? end - page : left;
#pragma GCC unroll 8
		while (page < end)
			values[page++] ^= value;
		*next = told[i].end;
	}
	return left;
}

/* Of pages that don't change, where a scan before has had room up to @all. */
static void check_rests(struct source_file *file, const struct way *way, size_t nr,
			uint64_t all)
{
	if (nr && told->start < all)
		note_wrong(file, way, "a scan ends where its limits or its end are",
			   "a scan ends before, and this one tells more");
	if (told[nr].end)
		note_wrong(file, way, "no more regions than are told of",
			   "a region is stored behind those that are told of");
}

/*
 * Where a scan says that it ended, which must be behind its start, the next one
 * begins. Of one that has told more than its buffer in the kernel holds,
 * do_pagemap_scan() says where the buffer was full last, even if it went on to
 * the end (6.7 to 7.3, Documentation/kernel-bugs/pagemap-scan-walk-end.txt):
 * what it has told counts. Returns the number of pages up to where the
 * process's addresses end. @up is as for store().
 */
static ssize_t scan_pages(struct source_file *file, const struct source_pages *pages,
			  const struct way *way, unsigned int up, uint64_t *values)
{
	const uint64_t most = (uint64_t)file->most << file->page_shift;
	uint64_t last = pages->addr + (pages->nr << file->page_shift);
	uint64_t next = pages->addr, all = next, end;
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = pages->addr,
		.vec = (uintptr_t)told,
		.vec_len = way->regions,
		.max_pages = way->max_pages,
		.category_mask = way->required,
		.category_inverted = way->inverted,
		.category_anyof_mask = way->any_of,
		.return_mask = way->wanted,
	};
	int n = 0;

	while (arg.start < last) {
		end = last - arg.start > most ? arg.start + most : last;
		arg.end = end - way->within;
		if (way->regions == MANY_REGIONS)
			arg.vec_len = n < FEW_REGIONS ? FEW_REGIONS : MANY_REGIONS;
		file->from = arg.start;
		if (file->rests)
			memset(told, 0, (arg.vec_len + 1) * sizeof(*told));
		n = ioctl(file->fd, PAGEMAP_SCAN, &arg);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EFAULT)
			return 0;
		if (n < 0)
			return -errno;
		if ((uint64_t)n > arg.vec_len)
			note_wrong(file, way, "no more regions than the vector has room for",
				   "more regions than the vector has room for");
		if (n > MANY_REGIONS)
			n = MANY_REGIONS;
		if (file->rests)
			check_rests(file, way, n, all);
		if (store(file, pages, n, way, up, &next, values) && (uint64_t)n < arg.vec_len)
			all = end;
		if (n && told[n - 1].categories & SCAN_WPALLOWED &&
		    way->regions == MANY_REGIONS &&
		    refuses_wrongly(file->fd, told[n - 1].start))
			keep_fault(file, "PM_SCAN_CHECK_WPASYNC is done where it says PAGE_IS_WPALLOWED",
				   "a scan is refused that has PM_SCAN_CHECK_WPASYNC where it says PAGE_IS_WPALLOWED");
		if (n > BUFFERED && arg.walk_end < next)
			arg.walk_end = next;
		if (arg.walk_end <= arg.start || arg.walk_end > end) {
			note_wrong(file, way, "walk_end behind the start, up to the end",
				   "walk_end is not in what was scanned");
			/* What it has told is known, and so are the others then. */
			if (next <= arg.start || next > end)
				break;
			arg.walk_end = next;
		}
		arg.start = arg.walk_end;
	}
	return pages->nr;
}

/* What can't be asked is told by the reads of its pages. */
static bool scan_hole(struct source_file *file, uint64_t start, uint64_t last,
		      uint64_t *addr, uint64_t *value)
{
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = last + 1,
		.vec = (uintptr_t)told,
		.vec_len = 1,
		.return_mask = file->categories,
	};

	if (ioctl(file->fd, PAGEMAP_SCAN, &arg) != 1)
		return false;
	*addr = told->start;
	*value = (told->categories & SCAN_VALUE_MASK) | SCAN_REPORTED;
	return *addr >= start && *addr <= last;
}

/* Whether a second scan is wanted. */
static bool is_plain_request(const struct source_pages *pages)
{
	for (size_t i = 0; i < SOURCE_ARGS; i++)
		if (pages->arg[i])
			return false;
	return true;
}

ssize_t scan_again(struct source_file *file, const struct source_pages *pages,
		   uint64_t *values)
{
	const struct way way = way_of(file, pages->arg);

	for (size_t i = 0; i < pages->nr; i++)
		values[i] |= way_filtered(&way, values[i]) << SCAN_OTHER_SHIFT;
	return scan_pages(file, pages, &way, SCAN_OTHER_SHIFT, values);
}

/* In one scan for all categories, and in the one that the arguments describe. */
static ssize_t scan_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	const struct way plain = { .regions = MANY_REGIONS, .wanted = file->categories };
	ssize_t got, other;

	file->asked = pages;
	memset(values, 0, pages->nr * sizeof(*values));
	got = scan_pages(file, pages, &plain, 0, values);
	if (got > 0 && !is_plain_request(pages)) {
		other = scan_again(file, pages, values);
		got = other < got ? other : got;
	}
	file->asked = NULL;
	return got;
}

static uint64_t draw_vector(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_size(random, 4);
}

static uint64_t draw_max_pages(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_one_in(random, 2) ? 0 : random_size(random, 10);
}

static uint64_t draw_within(const struct env *env, struct random *random,
			uint64_t most)
{
	return random_below(random, 2);
}

static uint64_t only_written(const struct env *env, struct random *random,
			uint64_t most)
{
	return SCAN_WRITTEN;
}

static uint64_t all_but_written(const struct env *env, struct random *random,
			uint64_t most)
{
	return env->scan_categories & ~SCAN_WRITTEN;
}

static uint64_t draw_category(const struct env *env, struct random *random,
			uint64_t most)
{
	uint64_t all = env->scan_categories;

	for (uint64_t i = random_below(random, __builtin_popcountll(all)); i; i--)
		all &= all - 1;
	return all & -all;
}

/* None, one, or two of the categories, or any of them. */
static uint64_t draw_categories(const struct env *env, struct random *random,
			uint64_t most)
{
	switch (random_below(random, 6)) {
	case 0:
		return random_next(random) & env->scan_categories;
	case 1:
		return draw_category(env, random, most) | draw_category(env, random, most);
	case 2:
	case 3:
		return draw_category(env, random, most);
	default:
		return 0;
	}
}

/* Or all but those: what nobody asks for, the kernel need not look up. */
static uint64_t draw_left_out(const struct env *env, struct random *random,
			uint64_t most)
{
	const uint64_t drawn = draw_categories(env, random, most);

	return random_one_in(random, 2) ? drawn : env->scan_categories & ~drawn;
}

#define ARGUMENTS(vector, max_pages, mask, inverted, any_of, not_returned, within) {	\
	[ARG_VECTOR] = { "vector", vector, DIMENSION_RUNS },				\
	[ARG_MAX_PAGES] = { "max_pages", max_pages, DIMENSION_PAGES },			\
	[ARG_MASK] = { "category_mask", mask },						\
	[ARG_INVERTED] = { "category_inverted", inverted },				\
	[ARG_ANY_OF] = { "category_anyof_mask", any_of },				\
	[ARG_NOT_RETURNED] = { "not_returned", not_returned },				\
	[ARG_WITHIN] = { "within", within },						\
	{ }										\
}

static const struct dimension of_written[] =
	ARGUMENTS(NULL, draw_max_pages, only_written, NULL, NULL, all_but_written, draw_within);
static const struct dimension of_pieces[] =
	ARGUMENTS(draw_vector, draw_max_pages, NULL, NULL, NULL, NULL, draw_within);
static const struct dimension of_filters[] =
	ARGUMENTS(NULL, NULL, draw_categories, draw_categories, draw_categories,
		  draw_left_out, NULL);

static const char *scan_limit(struct env *env)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	env->scan_categories = SCAN_OLDEST;
	if (fd >= 0) {
		env->scan_categories = categories_of(fd);
		close(fd);
	}
	return "PAGE_IS_WRITTEN is compared with page tables only where userfaultfd write-protects, PAGE_IS_WPALLOWED only elsewhere; a bug of the kernel is passed over: walk_end of a scan that reports more regions than a table has entries";
}

static const char *const names[] = {
	"wpallowed", "written", "file", "present", "swapped", "pfnzero",
	"huge", "soft-dirty", "guard", "accessed", "bit_10", "bit_11",
	"bit_12", "bit_13", "bit_14", "reported",
};
static const struct names names_scan = { names, 16 };

static void scan_text(const struct env *env, uint64_t addr, uint64_t value,
		      char *buf, size_t size)
{
	uint64_t categories = value & SCAN_VALUE_MASK & ~SCAN_REPORTED;
	uint64_t other = value >> SCAN_OTHER_SHIFT & SCAN_VALUE_MASK;
	size_t len;

	if (!(value & SCAN_REPORTED))
		len = snprintf(buf, size, "not reported");
	else if (!categories)
		len = snprintf(buf, size, "no category");
	else
		len = names_mask(&names_scan, categories, " ", buf, size);
	if (!other || len >= size)
		return;
	len += snprintf(buf + len, size - len, "; another scan differs in ");
	if (len < size)
		names_mask(&names_scan, other, " ", buf + len, size - len);
}

static void scan_json(const struct env *env, uint64_t addr, uint64_t value)
{
	const uint64_t other = value >> SCAN_OTHER_SHIFT & SCAN_VALUE_MASK;

	jsonw_bool("reported", value & SCAN_REPORTED);
	jsonw_mask("categories", &names_scan, value & SCAN_VALUE_MASK & ~SCAN_REPORTED);
	if (other)
		jsonw_mask("another_scan_differs", &names_scan, other);
}

static uint64_t entry_categories(const struct page_truth *truth)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	uint32_t flags = ptwalk_bits_flags(truth->bits);
	bool file = page_is_file(truth);
	uint64_t categories = 0;

	if (kind == PTWALK_KIND_PRESENT) {
		categories |= SCAN_PRESENT;
		if (file)
			categories |= SCAN_FILE;
		if (flags & PTWALK_FLAG_ZERO)
			categories |= SCAN_PFNZERO;
	} else {
		categories |= SCAN_SWAPPED;
		if (kind_has_frame(kind) && file)
			categories |= SCAN_FILE;
		if (kind == PTWALK_KIND_MARKER &&
		    (truth->value & PTWALK_MARKER_GUARD))
			categories |= SCAN_GUARD;
	}
	if ((truth->vma->flags & PTWALK_VMA_FLAG_HUGETLB) ||
	    ptwalk_bits_level(truth->bits) == PTWALK_LEVEL_PMD)
		categories |= SCAN_HUGE;
	if (flags & PTWALK_FLAG_SOFT_DIRTY)
		categories |= SCAN_SOFT_DIRTY;
	if (!(flags & PTWALK_FLAG_UFFD_WP)) {
		categories |= SCAN_WRITTEN;
		if (truth->vma->flags & PTWALK_VMA_FLAG_UFFD_RWP)
			categories |= SCAN_ACCESSED;
	}
	return categories;
}

/*
 * What Documentation/admin-guide/mm/pagemap.rst says that PAGEMAP_SCAN
 * reports. Where a kernel does otherwise by design, that is a rule (check/rules.c).
 *
 * PAGE_IS_WRITTEN is compared in mappings that userfaultfd write-protects:
 * there it means the same on all kernels. Memory that isn't populated counts
 * as written, for where it was protected a marker would stand. Elsewhere what
 * it means has changed again and again, and two scans of the same kernel must
 * agree on it, no more.
 * PAGE_IS_WPALLOWED in such mappings depends on how they were registered,
 * which no page table tells. PAGE_IS_ACCESSED is about mappings that
 * userfaultfd protects from reading, and there means that a page isn't.
 */
void expect_scan(const struct env *env, const struct page_truth *truth,
		 struct expectation *out)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	uint64_t left_out = SCAN_WRITTEN;

	out->value = 0;
	out->step = 0;
	out->mask = SCAN_COMPARED;
	out->no_data = false;
	if (kind == PTWALK_KIND_NO_VMA || !truth->vma)
		return;

	out->value = SCAN_REPORTED;
	if (kind != PTWALK_KIND_NONE && kind != PTWALK_KIND_BAD)
		out->value |= entry_categories(truth);
	if (truth->vma->flags & PTWALK_VMA_FLAG_SOFTDIRTY)
		out->value |= SCAN_SOFT_DIRTY;
	if (truth->vma->flags & PTWALK_VMA_FLAG_UFFD_WP) {
		left_out |= SCAN_WPALLOWED;
		if (kind == PTWALK_KIND_NONE)
			out->value |= SCAN_WRITTEN;
		if (kind != PTWALK_KIND_BAD)
			left_out &= ~SCAN_WRITTEN;
	}
	out->value &= env->scan_categories | SCAN_REPORTED;
	out->mask &= ~left_out;
	out->value &= out->mask;
}

#define SCAN								\
	.rules = "pagemap-scan",					\
	.asks = "PAGEMAP_SCAN",						\
	.open = scan_open,						\
	.read = scan_read,						\
	.fault = scan_fault,						\
	.close = scan_close,						\
	.limit = scan_limit,						\
	.expect = expect_scan,						\
	.text = scan_text,						\
	.json = scan_json

const struct source source_scan = {
	SCAN,
	.name = "pagemap-scan",
	.help = "PAGEMAP_SCAN, all categories at once",
	.cost = { 5000, 160, 1 },
	.hole = scan_hole,
};

const struct source source_scan_written = {
	SCAN,
	.name = "pagemap-scan-written",
	.help = "PAGEMAP_SCAN for PAGE_IS_WRITTEN alone, its fast path",
	.trait.drawn = true,
	.dimension = of_written,
	.cost = { 7000, 320, 1 },
};

const struct source source_scan_pieces = {
	SCAN,
	.name = "pagemap-scan-pieces",
	.help = "PAGEMAP_SCAN with small vectors, and with max_pages",
	.trait.drawn = true,
	.dimension = of_pieces,
	.cost = { 7000, 320, 1 },
};

const struct source source_scan_filters = {
	SCAN,
	.name = "pagemap-scan-filters",
	.help = "PAGEMAP_SCAN with each of its filters",
	.trait.drawn = true,
	.dimension = of_filters,
	.cost = { 12000, 320, 1 },
	.trait.filters = true,
};
