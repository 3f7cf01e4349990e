// SPDX-License-Identifier: GPL-2.0
/*
 * PAGEMAP_SCAN, an ioctl of /proc/PID/pagemap. Scans here only read: none
 * write-protects what it matches.
 *
 * Each source scans the same pages in two ways or more that must say the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/array.h"
#include "base/names.h"
#include "base/print.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "sources/source.h"

#define MANY_REGIONS	4096	/* of the scan that is meant to be done at once */
#define FEW_REGIONS	3
#define FEW_PAGES	5	/* max_pages; divides no huge page */
#define TABLE_PAGES	512	/* max_pages; as many as a page has entries */

/*
 * Pages that one scan goes over at most: the kernel holds the mmap lock until it
 * is at the end. More than a PTE table maps, so that no scan ends where it does.
 */
#define SCAN_PAGES	576

/* What is scanned in one way before it is in the next. */
#define PART_PAGES	(16 * SCAN_PAGES)

#define SAMPLE		64
#define FILTER_SAMPLE	16

/* Regions that the kernel gathers, at least: PMD_SIZE is 1 MiB on s390. */
#define BUFFERED	256

/* What differs in so many pages at once is told by one test. */
#define AT_ONCE		8

#define IMPOSSIBLE	(SCAN_REPORTED >> 1)
#define BROKEN		(SCAN_REPORTED | IMPOSSIBLE)

/* Behind BROKEN, what is wrong, in 3 bits, with 13 of which request. */
#define WRONG_SHIFT	32
#define WRONG_MASK	0xffffULL

enum wrong {
	WRONG_REGION = 1,	/* out of order, told twice, or from elsewhere */
	WRONG_NUMBER,		/* more pages than max_pages */
	WRONG_END,		/* walk_end is not in what was scanned */
	WRONG_LIMIT,		/* of ptwalk's own pages another number than max_pages */
	WRONG_DONE,		/* one that is wrong isn't refused */
	WRONG_REFUSED,		/* one that is right is */
	WRONG_BITS = 3,		/* that each of these has */
};

/* Of a scan: its max_pages, and these. */
#define WRONG_MAX_PAGES	0x3ffULL
#define WRONG_FEW	0x400ULL
#define WRONG_ONE	0x800ULL
#define WRONG_FILTER	0x1000ULL

/**
 * struct source_file - a process's pagemap
 * @fd: The file.
 * @page_shift: Of the base page.
 * @wrong: BROKEN, if scans that are wrong are done, or one tells more than it
 *	may; or 0.
 * @categories: All that the kernel knows.
 * @region: Room for MANY_REGIONS.
 * @other: What another scan says of the pages, with room for @max of them.
 */
struct source_file {
	int fd;
	unsigned int page_shift;
	uint64_t wrong;
	uint64_t categories;
	struct page_region *region;
	uint64_t *other;
	size_t max;
};

/**
 * struct way - one way to scan
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

static uint64_t broken(enum wrong wrong, uint64_t request)
{
	return BROKEN | (wrong | request << WRONG_BITS) << WRONG_SHIFT;
}

static uint64_t broken_by(enum wrong wrong, const struct way *way)
{
	return broken(wrong, (way->max_pages & WRONG_MAX_PAGES) |
		      (way->regions == FEW_REGIONS ? WRONG_FEW : 0) |
		      (way->regions == 1 ? WRONG_ONE : 0) |
		      (way->required | way->inverted | way->any_of ?
		       WRONG_FILTER : 0));
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

/* Of more pages than max_pages a scan tells so many. */
static bool heeds_limit(int fd, struct pm_scan_arg arg)
{
	const struct page_region *region = (void *)(uintptr_t)arg.vec;
	int n = ioctl(fd, PAGEMAP_SCAN, &arg);
	uint64_t told = 0;

	for (int i = 0; i < n; i++)
		told += region[i].end - region[i].start;
	return n < 0 || told == arg.max_pages * sysconf(_SC_PAGESIZE);
}

/*
 * Without a filter all pages of a mapping are told, be they there or not. Returns
 * the limit that isn't heeded, or 0.
 */
static uint64_t unheeded(struct source_file *file)
{
	const size_t size = 2 * TABLE_PAGES * sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)memory, .end = (uintptr_t)memory + size,
		.vec = (uintptr_t)file->region, .vec_len = MANY_REGIONS,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t limit = 0;

	for (arg.max_pages = TABLE_PAGES - 1;
	     memory != MAP_FAILED && fd >= 0 && arg.max_pages <= TABLE_PAGES + 1;
	     arg.max_pages++)
		if (!limit && !heeds_limit(fd, arg))
			limit = arg.max_pages;
	if (fd >= 0)
		close(fd);
	if (memory != MAP_FAILED)
		munmap(memory, size);
	return limit;
}

/* What must be refused, in the order in which unrefused() tries it. */
static const char *const wrong_request[] = {
	"another size", "a start inside of a page", "a flag that there isn't",
	"a vector at 0", "a return_mask with bit 63",
	"a category_mask with bit 63", "a category_inverted with bit 63",
	"a category_anyof_mask with bit 63",
	"PM_SCAN_CHECK_WPASYNC where no userfaultfd protects",
};

#define WRONG_REQUESTS	(sizeof(wrong_request) / sizeof(wrong_request[0]))

/*
 * What Documentation/admin-guide/mm/pagemap.rst doesn't have is refused. Returns
 * the index of what isn't, or WRONG_REQUESTS.
 */
static size_t unrefused(int fd)
{
	const uint64_t page = sysconf(_SC_PAGESIZE), size = sizeof(struct pm_scan_arg);
	const uint64_t none = 1ULL << 63;
	struct pm_scan_arg wrong[] = {
		{ .size = size - 1 },
		{ .size = size, .start = page / 2, .end = page },
		{ .size = size, .flags = none },
		{ .size = size, .vec_len = 1 },
		{ .size = size, .return_mask = none },
		{ .size = size, .category_mask = none },
		{ .size = size, .category_inverted = none },
		{ .size = size, .category_anyof_mask = none },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!ioctl(fd, PAGEMAP_SCAN, &wrong[i]) || errno != EINVAL)
			return i;
	return WRONG_REQUESTS - has_unprotected();
}

/* BROKEN, if something is wrong whatever pages are asked about; or 0. */
static uint64_t wrong_at_all(struct source_file *file)
{
	size_t request = unrefused(file->fd);
	uint64_t limit;

	if (request < WRONG_REQUESTS)
		return broken(WRONG_DONE, request);
	limit = unheeded(file);
	return limit ? broken(WRONG_LIMIT, limit) : 0;
}

static int scan_open(pid_t pid, struct source_file **out)
{
	static uint64_t categories;
	struct pm_scan_arg arg = { .size = sizeof(arg) };
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
	/* What the kernel doesn't know it refuses. */
	if (!categories) {
		arg.start = arg.end = 0;
		for (uint64_t bit = 1; bit < SCAN_REPORTED; bit <<= 1) {
			arg.return_mask = bit;
			if (ioctl(file->fd, PAGEMAP_SCAN, &arg) >= 0)
				categories |= bit;
		}
	}
	file->categories = categories;
	file->page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	file->region = calloc(MANY_REGIONS, sizeof(*file->region));
	if (!file->region) {
		close(file->fd);
		free(file);
		return -ENOMEM;
	}
	file->wrong = wrong_at_all(file);
	*out = file;
	return 0;
}

static void scan_close(struct source_file *file)
{
	close(file->fd);
	free(file->region);
	free(file->other);
	free(file);
}

/* Has @nr pages show @value. */
static void fill(uint64_t *values, size_t nr, uint64_t value)
{
	size_t done = 1;

	if (!nr)
		return;
	values[0] = value;
	/* What is filled is copied: a region may have very many pages. */
	for (; done <= nr / 2; done *= 2)
		memcpy(values + done, values, done * sizeof(*values));
	memcpy(values + done, values, (nr - done) * sizeof(*values));
}

/*
 * Stores the regions' categories. They must ascend, not overlap, and lie in
 * what was scanned; a page that is reported twice or from elsewhere, or that
 * is one more than max_pages, is given categories that don't exist (BROKEN), so
 * that it differs from everything.
 */
static void store(const struct source_pages *pages, unsigned int shift,
		  const struct page_region *region, size_t nr,
		  const struct way *way, uint64_t *next, uint64_t *values)
{
	uint64_t last = pages->addr + (pages->nr << shift), value;
	uint64_t left = way->max_pages ? way->max_pages : UINT64_MAX;
	size_t i, page, end, told;

	for (i = 0; i < nr; i++) {
		bool sane = region[i].start >= *next &&
			    region[i].end > region[i].start &&
			    region[i].end <= last;

		if (!sane) {
			page = (*next - pages->addr) >> shift;
			values[page < pages->nr ? page : pages->nr - 1] =
				broken_by(WRONG_REGION, way);
			continue;
		}
		value = (region[i].categories & (SCAN_VALUE_MASK & ~BROKEN)) |
			SCAN_REPORTED;
		page = (region[i].start - pages->addr) >> shift;
		end = (region[i].end - pages->addr) >> shift;
		/* The end of a region may lie inside of a page. */
		end += (region[i].end & ((1ULL << shift) - 1)) != 0;
		told = end - page < left ? end - page : left;
		fill(values + page, told, value);
		fill(values + page + told, end - page - told,
		     broken_by(WRONG_NUMBER, way));
		left -= told;
		*next = region[i].end;
	}
}

/*
 * Where a scan says that it ended, which must be behind its start, the next one
 * begins. Of one that has told more than its buffer in the kernel holds,
 * do_pagemap_scan() says where the buffer was full last, even if it went on to
 * the end (6.7 to 7.3, Documentation/kernel-bugs/pagemap-scan-walk-end.txt):
 * what it has told counts. Returns the number of pages up to where the
 * process's addresses end.
 */
static ssize_t scan(struct source_file *file, const struct source_pages *pages,
		    const struct way *way, uint64_t *values)
{
	const uint64_t most = (uint64_t)SCAN_PAGES << file->page_shift;
	uint64_t last = pages->addr + (pages->nr << file->page_shift);
	uint64_t next = pages->addr, end;
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = pages->addr,
		.vec = (uintptr_t)file->region,
		.vec_len = way->regions,
		.max_pages = way->max_pages,
		.category_mask = way->required,
		.category_inverted = way->inverted,
		.category_anyof_mask = way->any_of,
		.return_mask = way->wanted,
	};
	int n;

	memset(values, 0, pages->nr * sizeof(*values));
	while (arg.start < last) {
		end = last - arg.start > most ? arg.start + most : last;
		arg.end = end - way->within;
		n = ioctl(file->fd, PAGEMAP_SCAN, &arg);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EFAULT)
			return 0;
		if (n < 0)
			return -errno;
		store(pages, file->page_shift, file->region, n, way, &next,
		      values);
		if (n && file->region[n - 1].categories & SCAN_WPALLOWED &&
		    way->regions == MANY_REGIONS &&
		    refuses_check(file->fd, file->region[n - 1].start) &&
		    is_wpallowed(file->fd, file->region[n - 1].start))
			values[(arg.start - pages->addr) >> file->page_shift] =
				broken_by(WRONG_REFUSED, way);
		if (n > BUFFERED && arg.walk_end < next)
			arg.walk_end = next;
		if (arg.walk_end <= arg.start || arg.walk_end > end) {
			values[(arg.start - pages->addr) >> file->page_shift] =
				broken_by(WRONG_END, way);
			break;
		}
		arg.start = arg.walk_end;
	}
	for (uint64_t i = 0; file->wrong && i < pages->nr; i++)
		values[i] = file->wrong;
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
		.vec = (uintptr_t)file->region,
		.vec_len = 1,
		.return_mask = file->categories,
	};

	if (ioctl(file->fd, PAGEMAP_SCAN, &arg) != 1)
		return false;
	*addr = file->region->start;
	*value = (file->region->categories & SCAN_VALUE_MASK) | SCAN_REPORTED;
	return *addr >= start && *addr <= last;
}

/* What a scan in that way must say of a page that one without a filter calls so. */
static uint64_t filtered(const struct way *way, uint64_t value)
{
	uint64_t tested = value ^ way->inverted;

	if (!(value & SCAN_REPORTED) ||
	    (tested & way->required) != way->required ||
	    (way->any_of && !(tested & way->any_of)))
		return 0;
	return (value & way->wanted) | SCAN_REPORTED;
}

/*
 * How many pages from the first on, by AT_ONCE, one scan calls @value and the other
 * one @same.
 */
static size_t alike(const uint64_t *values, uint64_t value,
		    const uint64_t *other, uint64_t same, size_t nr)
{
	uint64_t differs;
	size_t i;

	for (i = 0; i + AT_ONCE <= nr; i += AT_ONCE) {
		differs = 0;
#pragma GCC unroll 8
		for (int j = 0; j < AT_ONCE; j++)
			differs |= ((values[i + j] ^ value) & SCAN_VALUE_MASK) |
				   (other[i + j] ^ same);
		if (differs)
			break;
	}
	return i;
}

/* Notes where what one scan says of pages is not what another one makes of it. */
static void compare_ways(const struct way *way, size_t nr, const uint64_t *other,
			 uint64_t *values)
{
	uint64_t value, latest = 0, same = filtered(way, latest), differs;

	for (size_t i = 0; i < nr; i++) {
		value = values[i] & SCAN_VALUE_MASK;
		if (value == latest && same == other[i]) {
			i += alike(values + i + 1, value, other + i + 1, same,
				   nr - i - 1);
			continue;
		}
		if (value != latest)
			same = filtered(way, value);
		latest = value;
		differs = same ^ other[i];
		/* Of several scans that are wrong, the first one is told. */
		if (values[i] >> (SCAN_OTHER_SHIFT + WRONG_SHIFT))
			differs &= SCAN_VALUE_MASK;
		values[i] |= differs << SCAN_OTHER_SHIFT;
	}
}

/* In the first of the ways, which has no filter, and in the others. */
static ssize_t scan_part(struct source_file *file,
			 const struct source_pages *pages,
			 const struct way *way, size_t nr, uint64_t *values)
{
	ssize_t got, again;
	size_t j;

	if (!array_room(&file->other, &file->max, pages->nr, sizeof(*file->other)))
		return -ENOMEM;
	got = scan(file, pages, &way[0], values);
	for (j = 1; got > 0 && j < nr; j++) {
		again = scan(file, pages, &way[j], file->other);
		if (again < got)
			got = again;
		if (got > 0)
			compare_ways(&way[j], got, file->other, values);
	}
	return got;
}

/* Part by part, so that what the others say takes little memory. */
static ssize_t scan_ways(struct source_file *file,
			 const struct source_pages *pages,
			 const struct way *way, size_t nr, uint64_t *values)
{
	struct source_pages part = *pages;
	size_t done, left;
	ssize_t got;

	for (done = 0; done < pages->nr; done += got) {
		left = pages->nr - done;
		part.addr = pages->addr + (done << file->page_shift);
		part.nr = left < PART_PAGES ? left : PART_PAGES;
		got = scan_part(file, &part, way, nr, values + done);
		if (got < 0)
			return got;
		if ((size_t)got < part.nr)
			return done + got;
	}
	return done;
}

static ssize_t scan_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	const struct way ways[] = {
		{ .regions = MANY_REGIONS, .wanted = file->categories },
		{ .regions = MANY_REGIONS, .max_pages = TABLE_PAGES,
		  .within = true, .required = SCAN_WRITTEN,
		  .wanted = SCAN_WRITTEN },
	};

	return scan_ways(file, pages, ways, 2, values);
}

static ssize_t pieces_read(struct source_file *file,
			   const struct source_pages *pages, uint64_t *values)
{
	const struct way ways[] = {
		{ .regions = 1, .wanted = file->categories },
		{ .regions = FEW_REGIONS, .max_pages = FEW_PAGES,
		  .wanted = file->categories },
	};

	return scan_ways(file, pages, ways, 2, values);
}

/* The @nr-th of the categories that the kernel knows, round and round. */
static uint64_t category(const struct source_file *file, uint64_t nr)
{
	uint64_t left = file->categories;

	for (nr %= __builtin_popcountll(left); nr; nr--)
		left &= left - 1;
	return left & -left;
}

/*
 * Each of the categories in a filter of its own, and two of them in others; which
 * ones depends on the address and the number of pages, so that the same request
 * has the same filters. With these there is room for one region more than there can
 * be: the kernel allocates and clears as much for each scan, up to a table's worth.
 */
static ssize_t filters_read(struct source_file *file,
			    const struct source_pages *pages, uint64_t *values)
{
	const uint64_t nr = (pages->addr >> file->page_shift) + pages->nr;
	const uint64_t one = category(file, nr);
	const uint64_t all = file->categories, two = category(file, nr + 1);
	const size_t regions = pages->nr < MANY_REGIONS ? pages->nr + 1 : MANY_REGIONS;
	struct way ways[64] = {
		{ .regions = MANY_REGIONS, .wanted = all },
		{ .regions = regions, .required = one | two,
		  .inverted = one, .wanted = all },
		{ .regions = regions, .inverted = two,
		  .any_of = one | two, .wanted = all & ~one },
		{ .regions = MANY_REGIONS, .wanted = one },
	};
	size_t nr_ways = 4;

	for (uint64_t left = all; left; left &= left - 1)
		ways[nr_ways++] = (struct way){
			.regions = regions, .wanted = all,
			.required = left & -left,
		};
	return scan_ways(file, pages, ways, nr_ways, values);
}

static const char *scan_probe(void)
{
	struct pm_scan_arg arg = { .size = sizeof(arg) };
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	const char *why = NULL;

	if (fd < 0)
		return strerror(errno);
	if (ioctl(fd, PAGEMAP_SCAN, &arg))
		why = errno == ENOTTY || errno == EINVAL ?
		      "this kernel does not have it (Linux 6.7)" :
		      strerror(errno);
	close(fd);
	return why;
}

static const char *scan_limit(struct env *env)
{
	struct source_file *file;

	env->scan_categories = SCAN_OLDEST;
	if (!scan_open(getpid(), &file)) {
		env->scan_categories = file->categories;
		scan_close(file);
	}
	return "PAGE_IS_WRITTEN is compared with page tables only where userfaultfd write-protects, PAGE_IS_WPALLOWED only elsewhere; a bug of the kernel is passed over: walk_end of a scan that reports more regions than a table has entries";
}

static const char *const names[] = {
	"wpallowed", "written", "file", "present", "swapped", "pfnzero",
	"huge", "soft-dirty", "guard", "accessed", "bit_10", "bit_11",
	"bit_12", "bit_13", "impossible", "reported",
};
static const struct names names_scan = { names, 16 };

/* What is wrong, and with which request; @code is what stands behind BROKEN. */
static int wrong_text(uint64_t code, char *buf, size_t size)
{
	static const char *const wrong[] = {
		[WRONG_REGION] = "a region is out of order, told twice, or not of these pages",
		[WRONG_NUMBER] = "more pages than max_pages",
		[WRONG_END] = "walk_end is not in what was scanned",
	};
	const uint64_t request = code >> WRONG_BITS, most = request & WRONG_MAX_PAGES;
	const unsigned int kind = code & ((1 << WRONG_BITS) - 1);
	char limit[32] = "";

	switch (kind) {
	case WRONG_LIMIT:
		return snprintf(buf, size, "of %d of ptwalk's own pages, max_pages %" PRIu64 " tells another number",
				2 * TABLE_PAGES, request);
	case WRONG_DONE:
		return snprintf(buf, size, "a scan isn't refused that has %s",
				request < WRONG_REQUESTS ?
				wrong_request[request] : "what it may not");
	case WRONG_REFUSED:
		return snprintf(buf, size, "a scan is refused that has PM_SCAN_CHECK_WPASYNC where it says PAGE_IS_WPALLOWED");
	case WRONG_REGION:
	case WRONG_NUMBER:
	case WRONG_END:
		break;
	default:
		return snprintf(buf, size, "can't be");
	}
	/* Their vector is as long as it must be. */
	if (request & WRONG_FILTER && !most)
		return snprintf(buf, size, "%s, in a scan with a filter",
				wrong[kind]);
	if (most)
		snprintf(limit, sizeof(limit), ", max_pages %" PRIu64, most);
	return snprintf(buf, size, "%s, in a scan with a vector of %d%s%s",
			wrong[kind],
			request & WRONG_ONE ? 1 :
			request & WRONG_FEW ? FEW_REGIONS : MANY_REGIONS, limit,
			request & WRONG_FILTER ? ", a filter" : "");
}

static void scan_text(const struct env *env, uint64_t addr, uint64_t value,
		      char *buf, size_t size)
{
	uint64_t categories = value & SCAN_VALUE_MASK & ~SCAN_REPORTED;
	uint64_t other = value >> SCAN_OTHER_SHIFT & SCAN_VALUE_MASK;
	size_t len;

	if (value & IMPOSSIBLE)
		len = wrong_text(value >> WRONG_SHIFT & WRONG_MASK, buf, size);
	else if (!(value & SCAN_REPORTED))
		len = snprintf(buf, size, "not reported");
	else if (!categories)
		len = snprintf(buf, size, "no category");
	else
		len = names_mask(&names_scan, categories, " ", buf, size);
	if (other & IMPOSSIBLE && len < size) {
		len += snprintf(buf + len, size - len, "; another scan: ");
		if (len < size)
			wrong_text(value >> (SCAN_OTHER_SHIFT + WRONG_SHIFT),
				   buf + len, size - len);
	} else if (other && len < size) {
		len += snprintf(buf + len, size - len,
				"; another scan differs in ");
		if (len < size)
			names_mask(&names_scan, other, " ", buf + len,
				   size - len);
	}
}

static json_t *scan_json(const struct env *env, uint64_t addr, uint64_t value)
{
	const uint64_t other = value >> SCAN_OTHER_SHIFT & SCAN_VALUE_MASK;
	json_t *object = json_object();
	char text[256];

	json_object_set_new(object, "reported",
			    json_boolean(value & SCAN_REPORTED));
	json_object_set_new(object, "categories",
			    json_mask(&names_scan, value & SCAN_VALUE_MASK &
				      ~SCAN_REPORTED));
	if (other)
		json_object_set_new(object, "another_scan_differs",
				    json_mask(&names_scan, other));
	if ((value | other) & IMPOSSIBLE) {
		scan_text(env, addr, value, text, sizeof(text));
		json_object_set_new(object, "wrong", json_string(text));
	}
	return object;
}

#define SCAN								\
	.rules = "pagemap-scan",					\
	.probe = scan_probe,						\
	.open = scan_open,						\
	.close = scan_close,						\
	.limit = scan_limit,						\
	.expect = expect_scan,						\
	.text = scan_text,						\
	.json = scan_json

const struct source source_scan = {
	SCAN,
	.name = "pagemap-scan",
	.help = "PAGEMAP_SCAN, all categories at once, and the fast path of PAGE_IS_WRITTEN",
	.at_once = SCAN_PAGES,
	.read = scan_read,
	.hole = scan_hole,
};

const struct source source_scan_pieces = {
	SCAN,
	.name = "pagemap-scan-pieces",
	.help = "PAGEMAP_SCAN with a vector of 3, and with max_pages as well",
	.sample = SAMPLE,
	.read = pieces_read,
};

const struct source source_scan_filters = {
	SCAN,
	.name = "pagemap-scan-filters",
	.help = "PAGEMAP_SCAN with category_mask, category_inverted, category_anyof_mask, return_mask",
	.sample = FILTER_SAMPLE,
	.filters = true,
	.read = filters_read,
};
