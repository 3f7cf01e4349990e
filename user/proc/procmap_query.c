// SPDX-License-Identifier: GPL-2.0
/* Mappings as PROCMAP_QUERY tells them, in the words of smaps. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/escape.h"
#include "base/lines.h"
#include "base/random.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"

/* struct procmap_query; the headers of older systems don't have it. */
struct query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define QUERY	_IOWR('f', 17, struct query)

/* Readable, writable, executable and shared are 1, 2, 4 and 8. */
#define COVERING_OR_NEXT	0x10
#define FILE_BACKED		0x20
#define UNKNOWN			0x80000000

/* Queries about a mapping that are drawn: what it isn't, its name, what comes next. */
#define QUERIES			9

/* In bytes that aren't the kernel's to write. */
#define OURS			0x3c

/**
 * struct answer - what one asks and is told
 * @behind: Something has been written behind a name.
 */
struct answer {
	struct query query;
	bool behind;
	char name[PATH_MAX];
};

static int ask_mapping(int fd, uint64_t addr, uint64_t flags, struct answer *a)
{
	const size_t last = sizeof(a->name) - 1;

	a->name[last] = OURS;
	a->query = (struct query){
		.size = sizeof(a->query), .query_addr = addr,
		.query_flags = flags, .vma_name_size = sizeof(a->name),
		.vma_name_addr = (uintptr_t)a->name,
	};
	if (!ioctl(fd, QUERY, &a->query)) {
		a->behind |= a->query.vma_name_size <= last && a->name[last] != OURS;
		if (!a->query.vma_name_size)
			a->name[0] = '\0';
		a->name[last] = '\0';
		return 0;
	}
	if (errno != ENAMETOOLONG)
		return -errno;
	a->query.vma_name_size = a->query.vma_name_addr = 0;
	strcpy(a->name, "?");
	return ioctl(fd, QUERY, &a->query) ? -errno : 0;
}

/* Of @fd, which is closed; less than 0: why it couldn't be opened. */
static int ask_file(int fd, uint64_t addr, struct answer *a)
{
	int err = fd < 0 ? fd : ask_mapping(fd, addr, 0, a);

	if (fd >= 0)
		close(fd);
	return err;
}

char *procmap_query_name(pid_t pid, uint64_t addr, int *err)
{
	char *name = NULL, path[32];
	struct answer a;
	FILE *stream;
	size_t size;
	int fd;

	a.behind = false;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*err = ask_file(fd < 0 ? -errno : fd, addr, &a);
	/* The first thread has exited: others may live. */
	if (*err == -ESRCH)
		*err = ask_file(procs_open(pid, "maps"), addr, &a);
	if (!*err && !a.query.vma_name_addr)
		*err = -ENAMETOOLONG;
	if (*err)
		return NULL;
	stream = open_memstream(&name, &size);
	if (stream)
		escape_newlines(stream, a.name);
	if (!stream || fclose(stream)) {
		free(name);
		*err = -ENOMEM;
		return NULL;
	}
	return name;
}

static void print_answer(FILE *stream, const struct answer *a)
{
	const struct query *q = &a->query;
	char perms[] = "---p";

	for (int i = 0; i < 4; i++)
		if (q->vma_flags >> i & 1)
			perms[i] = "rwxs"[i];
	fprintf(stream, "%" PRIx64 "-%" PRIx64 " %s %" PRIx64 " %x:%x %" PRIu64
		" ", q->vma_start, q->vma_end, perms, q->vma_offset,
		q->dev_major, q->dev_minor, q->inode);
	escape_newlines(stream, a->name);
	fprintf(stream, "\nKernelPageSize: %" PRIu64 " kB\n",
		q->vma_page_size >> 10);
}

static bool finds(int fd, uint64_t addr, uint64_t flags)
{
	struct query query = {
		.size = sizeof(query), .query_addr = addr, .query_flags = flags,
	};

	return !ioctl(fd, QUERY, &query);
}

/*
 * What must be refused is not, or a struct longer than any with nothing in the rest
 * is, of @here, where there is a mapping, if it hasn't gone.
 */
static bool answers_nonsense(int fd, uint64_t here)
{
	struct query query;
	const uint64_t some = (uintptr_t)&query;
	const struct query wrong[] = {
		{ .size = sizeof(struct query), .query_flags = UNKNOWN },
		{ .size = offsetof(struct query, vma_start) - 1 },
		{ .size = 2 * sysconf(_SC_PAGESIZE) },
		{ .size = sizeof(struct query), .vma_name_size = PATH_MAX },
		{ .size = sizeof(struct query), .vma_name_addr = some },
		{ .size = sizeof(struct query), .build_id_size = PATH_MAX },
		{ .size = sizeof(struct query), .build_id_addr = some },
	};
	union {
		struct query query;
		char all[1024];
	} longer;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		query = wrong[i];
		query.query_addr = here;
		if (!ioctl(fd, QUERY, &query))
			return true;
	}
	memset(&longer, 0, sizeof(longer));
	longer.query.size = sizeof(longer);
	longer.query.query_addr = here;
	if (ioctl(fd, QUERY, &longer) && (errno == E2BIG || errno == EINVAL))
		return true;
	memset(&longer, 0, sizeof(longer));
	longer.query.size = sizeof(longer);
	longer.query.query_addr = here;
	longer.all[sizeof(longer) - 1] = 1;
	return !ioctl(fd, QUERY, &longer);
}

/**
 * struct draw - which queries about a mapping are made
 * @random: Decides it.
 * @from: How many; NULL: all.
 */
struct draw {
	struct random random;
	const struct procmap_draw *from;
};

static struct draw draw_begin(const struct procmap_draw *from, uint64_t start)
{
	return (struct draw){ .random = { from ? from->seed ^ start : start }, .from = from };
}

static bool is_drawn(struct draw *d)
{
	return !d->from || random_below(&d->random, d->from->mappings * QUERIES) < d->from->queries;
}

/* The mapping is found as what it isn't, alone or beside what it is. */
static bool finds_wrong(int fd, uint64_t start, uint64_t flags, struct draw *d)
{
	const uint64_t lacks = ~flags & (COVERING_OR_NEXT - 1);
	uint64_t any;

	for (uint64_t flag = 1; flag <= FILE_BACKED; flag <<= 1)
		if (flag != COVERING_OR_NEXT && !(flags & flag) && is_drawn(d) &&
		    finds(fd, start, flag))
			return true;
	if (!lacks || !is_drawn(d))
		return false;
	do {
		any = 1ULL << random_below(&d->random, 4);
	} while (!(lacks & any));
	return finds(fd, start, flags | any);
}

/*
 * It is passed over by a query for the next one that is what it is. From the mapping
 * below on, whatever else comes and goes, that one can't begin behind it. A struct
 * that ends where this does must do, and what is behind it is not the kernel's.
 */
static bool query_passes_over(int fd, uint64_t below, uint64_t start, uint64_t flags)
{
	const size_t size = offsetof(struct query, vma_end);
	struct query query, asked;

	memset(&query, OURS, sizeof(query));
	query.size = size;
	query.query_addr = below;
	query.query_flags = flags | COVERING_OR_NEXT;
	asked = query;
	if (ioctl(fd, QUERY, &query))
		return errno == ENOENT || errno == EINVAL;
	return query.vma_start > start ||
	       memcmp((char *)&query + size, (char *)&asked + size, sizeof(query) - size);
}

/* What is said of a name for which there is room for @size bytes: 0 or a negative errno. */
static int ask_name(int fd, uint64_t start, uint32_t size)
{
	char name[PATH_MAX];
	struct query query = {
		.size = sizeof(query), .query_addr = start,
		.vma_name_size = size, .vma_name_addr = (uintptr_t)name,
	};

	return ioctl(fd, QUERY, &query) ? -errno : 0;
}

/* The name that was told isn't refused where it just has room, */
static bool name_fits(int fd, const struct answer *a, struct draw *d)
{
	const uint32_t size = a->query.vma_name_size;

	return !size || !is_drawn(d) || ask_name(fd, a->query.vma_start, size) != -ENAMETOOLONG;
}

/* and is where it has less. */
static bool fits_less(int fd, const struct answer *a, struct draw *d)
{
	const uint32_t size = a->query.vma_name_size;

	return size > 1 && is_drawn(d) && !ask_name(fd, a->query.vma_start, size - 1);
}

/* One of the queries that are drawn about a mapping, of which @a is told, is answered wrongly. */
static bool answers_wrong(int fd, uint64_t below, uint64_t flags, const struct answer *a,
			  const struct procmap_draw *from)
{
	const uint64_t start = a->query.vma_start;
	struct draw d = draw_begin(from, start);

	return finds_wrong(fd, start, flags, &d) || !name_fits(fd, a, &d) || fits_less(fd, a, &d) ||
	       (is_drawn(&d) && query_passes_over(fd, below, start, flags));
}

/* The answer about @addr, which came to @err, is one that ends before it. */
static bool answer_is_below(int fd, uint64_t addr, int err, const struct answer *a)
{
	if (err == -ENOENT)
		return finds(fd, addr, 0) && !finds(fd, addr, COVERING_OR_NEXT);
	return !err && a->query.vma_end <= addr;
}

static int print_answers(int fd, FILE *stream, struct answer *a, const struct procmap_draw *draw)
{
	uint64_t addr = 0, last = 0, below = 0, start, flags;
	bool hole, first = true;
	int err;

	do {
		err = ask_mapping(fd, addr, COVERING_OR_NEXT, a);
		if (answer_is_below(fd, addr, err, a)) {
			a->query = (struct query){
				.vma_start = addr, .vma_end = addr + 1,
			};
			print_answer(stream, a);
			return 0;
		}
		start = a->query.vma_start;
		/* From where a hole ends it must be the same. */
		hole = !err && start > addr;
		if (hole)
			err = ask_mapping(fd, start - 1, COVERING_OR_NEXT, a);
		if (err)
			return err == -ENOENT ? 0 : err;
		last = addr;
		addr = a->query.vma_end;
		flags = a->query.vma_flags & (COVERING_OR_NEXT - 1);
		if (a->query.inode || a->query.dev_major || a->query.dev_minor)
			flags |= FILE_BACKED;
		err = ask_mapping(fd, addr - 1, flags, a);
		if (err && err != -ENOENT)
			return err;
		/* Not found by what it is: one without permissions differs. */
		if (err || a->behind || (hole && finds(fd, start - 1, 0)) ||
		    (first && answers_nonsense(fd, start)) ||
		    answers_wrong(fd, below, flags, a, draw))
			a->query = (struct query){
				.vma_start = addr - 1, .vma_end = addr,
			};
		print_answer(stream, a);
		below = start;
		first = false;
	} while (addr > last);
	return 0;
}

FILE *procmap_query_fopen(pid_t pid, const struct procmap_draw *draw, int *err)
{
	int fd = procs_open(pid, "maps");
	FILE *stream = fd < 0 ? NULL : lines_scratch();
	struct answer *a = stream ? calloc(1, sizeof(*a)) : NULL;

	*err = fd < 0 ? fd : a ? print_answers(fd, stream, a, draw) : -errno;
	if (fd >= 0)
		close(fd);
	free(a);
	return lines_scratch_end(stream, err);
}

const char *procmap_query_probe(void)
{
	struct query query = {
		.size = sizeof(query), .query_flags = COVERING_OR_NEXT,
	};
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *why = NULL;

	if (fd < 0 || ioctl(fd, QUERY, &query))
		why = fd >= 0 && errno == ENOTTY ?
			      "this kernel does not have it" : strerror(errno);
	if (fd >= 0)
		close(fd);
	return why;
}
