// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/kpageflags, /proc/kpagecount and /proc/kpagecgroup: an u64 for each
 * frame of the machine, whoever maps it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/names.h"
#include "base/print.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"
#include "sources/stride.h"

struct source_file {
	int fd;
	bool cgroup, unrefused;
};

/* Frames that are so near each other are read together: it costs less. */
#define NEAR		4

/*
 * In a request about many spans, about so many are read with a margin; which, the
 * part of the file decides.
 */
#define MARGINS		32
#define PART_SHIFT	9

/**
 * struct span - wanted frames near each other, which one read covers
 * @first: First frame, to @last.
 * @margin: What is read with them.
 * @value: Place in the values of the request.
 */
struct span {
	uint64_t first, last;
	struct margin margin;
	size_t value;
};

/**
 * struct spans - all of a request
 * @values: What is read of them, margins included.
 */
struct spans {
	struct span *span;
	size_t nr;
	uint64_t *values;
};

static int compare_frames(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Makes spans of the @nr frames, which it sorts. Returns 0 or -ENOMEM. */
static int make_spans(struct spans *s, uint64_t *frame, size_t nr)
{
	struct span *last = NULL;

	s->span = calloc(nr ? nr : 1, sizeof(*s->span));
	if (!s->span)
		return -ENOMEM;
	if (nr)
		qsort(frame, nr, sizeof(*frame), compare_frames);
	for (size_t i = 0; i < nr; i++) {
		if (!last || frame[i] - last->last > NEAR) {
			last = &s->span[s->nr++];
			last->first = frame[i];
		}
		last->last = frame[i];
	}
	return 0;
}

static int compare_place(const void *key, const void *element)
{
	const uint64_t frame = *(const uint64_t *)key;
	const struct span *span = element;

	return frame < span->first ? -1 : frame > span->last;
}

/* Returns how many entries there are, up to @nr, or a negative errno. */
static ssize_t read_entries(int fd, uint64_t first, uint64_t *value, size_t nr)
{
	size_t done = 0;
	ssize_t n;

	while (done < nr * sizeof(*value)) {
		n = pread(fd, (char *)value + done, nr * sizeof(*value) - done,
			  first * sizeof(*value) + done);
		if (n < 0 && errno == EINTR)
			continue;
		/* No file can be that long. */
		if (n < 0 && (errno == EINVAL || errno == EOVERFLOW))
			n = 0;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done / sizeof(*value);
}

static struct margin margin_at(const struct spans *s, uint64_t frame)
{
	const uint64_t hash = (frame >> PART_SHIFT) * 0x9e3779b97f4a7c15ULL >> 20;
	struct margin margin = { 0 };
	uint64_t some = 1;

	/* A few pages more or less leave most of them what they were. */
	while (some * MARGINS < s->nr)
		some *= 2;
	if (!(hash & (some - 1)))
		margin = margin_of(hash >> 16);
	if (margin.before > frame)
		margin.before = frame;
	return margin;
}

/* Chooses the margins, and makes room for all. Returns 0 or -ENOMEM. */
static int place_spans(struct spans *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct span *span = &s->span[i];

		span->margin = margin_at(s, span->first);
		span->value = nr + span->margin.before;
		nr = span->value + (span->last - span->first + 1) +
		     span->margin.behind;
	}
	s->values = malloc((nr + 1) * sizeof(*s->values));
	return s->values ? 0 : -ENOMEM;
}

static int fill(struct source_file *file, struct spans *s,
		const struct span *span)
{
	const unsigned int before = span->margin.before;
	size_t nr = span->last - span->first + 1, got;
	uint64_t *value = s->values + span->value;
	ssize_t n;

	n = read_entries(file->fd, span->first - before, value - before,
			 before + nr + span->margin.behind);
	if (n < 0)
		return n;
	got = (uint64_t)n > before ? n - before : 0;
	for (size_t i = got; i < nr; i++)
		value[i] = KPAGE_END;
	for (size_t i = 0; file->unrefused && i < nr; i++)
		value[i] = KPAGE_UNREFUSED;
	return 0;
}

static uint64_t value_of(const struct spans *s, uint64_t frame)
{
	const struct span *span = bsearch(&frame, s->span, s->nr,
					  sizeof(*span), compare_place);

	return s->values[span->value + (frame - span->first)];
}

static uint64_t cgroup_value(const struct spans *s, uint64_t frame, uint64_t head)
{
	uint64_t inode = value_of(s, frame), value;

	if (inode == KPAGE_END || inode == KPAGE_UNREFUSED)
		return inode;
	value = inode & KPAGE_INODE_MASK;
	if (inode)
		value |= KPAGE_CHARGED;
	if (head != SOURCE_NO_FRAME && value_of(s, head) != inode)
		value |= KPAGE_UNLIKE_HEAD;
	return value;
}

/* The spans of all frames that @pages need; returns 0 or -ENOMEM. */
static int spans_of(struct spans *s, const struct source_file *file,
		    const struct source_pages *pages)
{
	uint64_t *frame = malloc((2 * pages->nr + 1) * sizeof(*frame));
	size_t nr = 0;
	int err;

	if (!frame)
		return -ENOMEM;
	for (size_t i = 0; i < pages->nr; i++) {
		if (pages->frame[i] != SOURCE_NO_FRAME)
			frame[nr++] = pages->frame[i];
		if (file->cgroup && pages->head[i] != SOURCE_NO_FRAME)
			frame[nr++] = pages->head[i];
	}
	err = make_spans(s, frame, nr);
	free(frame);
	return err ? err : place_spans(s);
}

static ssize_t kpage_read(struct source_file *file,
			  const struct source_pages *pages, uint64_t *values)
{
	struct spans s = { 0 };
	ssize_t err = spans_of(&s, file, pages);
	size_t i;

	for (i = 0; !err && i < s.nr; i++)
		err = fill(file, &s, &s.span[i]);
	for (i = 0; !err && i < pages->nr; i++) {
		if (pages->frame[i] == SOURCE_NO_FRAME)
			values[i] = 0;
		else if (file->cgroup)
			values[i] = cgroup_value(&s, pages->frame[i],
						 pages->head[i]);
		else
			values[i] = value_of(&s, pages->frame[i]);
	}
	free(s.values);
	free(s.span);
	return err ? err : (ssize_t)pages->nr;
}

/* The number of the first frame behind the end. */
static uint64_t end_of(int fd)
{
	uint64_t low = 0, high = 1ULL << 52, mid, value;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (read_entries(fd, mid, &value, 1) == 1)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Half entries, and reads from the middle of one, are refused; one across the
 * end of the file, which grows when memory is added, has what is before it.
 */
static bool has_unrefused(int fd)
{
	uint64_t value[4], end = end_of(fd);
	static const struct {
		size_t size;
		off_t offset;
	} odd[] = { { 8, 4 }, { 8, 1 }, { 12, 0 }, { 7, 8 }, { 1, 0 } };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (pread(fd, value, odd[i].size, odd[i].offset) >= 0 ||
		    errno != EINVAL)
			return true;
	return end < 2 || (read_entries(fd, end - 2, value, 4) != 2 &&
			   end_of(fd) == end);
}

static int kpage_open(const char *path, bool cgroup, struct source_file **out)
{
	struct source_file *file = malloc(sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->cgroup = cgroup;
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0) {
		int err = -errno;

		free(file);
		/* That is no process which went away. */
		return err == -ENOENT ? -ENXIO : err;
	}
	file->unrefused = has_unrefused(file->fd);
	*out = file;
	return 0;
}

static int flags_open(pid_t pid, struct source_file **file)
{
	return kpage_open("/proc/kpageflags", false, file);
}

static int count_open(pid_t pid, struct source_file **file)
{
	return kpage_open("/proc/kpagecount", false, file);
}

static int cgroup_open(pid_t pid, struct source_file **file)
{
	return kpage_open("/proc/kpagecgroup", true, file);
}

static void kpage_close(struct source_file *file)
{
	close(file->fd);
	free(file);
}

static const char *probe(const char *path)
{
	uint64_t value;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why = NULL;

	if (fd < 0)
		return errno == ENOENT ? "this kernel does not have it" :
					 strerror(errno);
	if (pread(fd, &value, sizeof(value), 0) != sizeof(value))
		why = "it can't be read";
	close(fd);
	return why;
}

static const char *flags_probe(void)
{
	return probe("/proc/kpageflags");
}

static const char *count_probe(void)
{
	return probe("/proc/kpagecount");
}

static const char *cgroup_probe(void)
{
	return probe("/proc/kpagecgroup");
}

static const char *flags_limit(struct env *env)
{
	return "flags that change apart from page tables (locked, LRU, dirty, ...) are not compared, and swapbacked and mlocked of small pages";
}

static const char *count_limit(struct env *env)
{
	return NULL;
}

/* Whether the memory controller is there and cgroup_disable= didn't name it. */
static bool has_memory_controller(void)
{
	FILE *stream = fopen("/proc/cgroups", "re");
	char line[128], name[32];
	unsigned int enabled = 0;

	if (!stream)
		return false;
	while (fgets(line, sizeof(line), stream))
		if (sscanf(line, "%31s %*u %*u %u", name, &enabled) == 2 &&
		    !strcmp(name, "memory"))
			break;
		else
			enabled = 0;
	fclose(stream);
	return enabled;
}

/*
 * Whether memory is charged at all is tried on a page of our own, lest all
 * depend on a file that not every kernel has the memory controller in. Where
 * that file has it, anonymous memory must be charged, be it to the root.
 */
static const char *cgroup_limit(struct env *env)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char here = 1;
	uint64_t entry = 0, inode = 0;
	off_t index = (uintptr_t)&here / sysconf(_SC_PAGESIZE);

	if (fd >= 0) {
		if (pread(fd, &entry, sizeof(entry), index * 8) != 8)
			entry = 0;
		close(fd);
	}
	fd = open("/proc/kpagecgroup", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if ((entry & PM_PRESENT) &&
		    pread(fd, &inode, sizeof(inode),
			  (entry & PM_PFN_MASK) * 8) != 8)
			inode = 0;
		close(fd);
	}
	env->memcg = inode || has_memory_controller();
	return env->memcg ?
	       "compared: whether a page is charged, and that all of a folio are to the same cgroup; not to which" :
	       "memory is charged to no cgroup here; only that all pages of a folio show the same is compared";
}

static const char *const names[] = {
	[KPF_LOCKED] = "locked", [KPF_ERROR] = "error",
	[KPF_REFERENCED] = "referenced", [KPF_UPTODATE] = "uptodate",
	[KPF_DIRTY] = "dirty", [KPF_LRU] = "lru", [KPF_ACTIVE] = "active",
	[KPF_SLAB] = "slab", [KPF_WRITEBACK] = "writeback",
	[KPF_RECLAIM] = "reclaim", [KPF_BUDDY] = "buddy",
	[KPF_MMAP] = "mmap", [KPF_ANON] = "anon",
	[KPF_SWAPCACHE] = "swapcache", [KPF_SWAPBACKED] = "swapbacked",
	[KPF_COMPOUND_HEAD] = "compound-head",
	[KPF_COMPOUND_TAIL] = "compound-tail", [KPF_HUGE] = "huge",
	[KPF_UNEVICTABLE] = "unevictable", [KPF_HWPOISON] = "hwpoison",
	[KPF_NOPAGE] = "nopage", [KPF_KSM] = "ksm", [KPF_THP] = "thp",
	[KPF_OFFLINE] = "offline", [KPF_ZERO_PAGE] = "zero-page",
	[KPF_IDLE] = "idle", [KPF_PGTABLE] = "pgtable",
	[KPF_RESERVED] = "reserved", [KPF_MLOCKED] = "mlocked",
	[KPF_OWNER_2] = "owner-2", [KPF_PRIVATE] = "private",
	[KPF_PRIVATE_2] = "private-2",
	[KPF_OWNER_PRIVATE] = "owner-private", [KPF_ARCH] = "arch",
	[KPF_SOFTDIRTY] = "softdirty", [KPF_ARCH_2] = "arch-2",
	[KPF_ARCH_3] = "arch-3",
};
static const struct names names_kpf = {
	names, sizeof(names) / sizeof(names[0]),
};

static void end_text(uint64_t value, char *buf, size_t size)
{
	snprintf(buf, size, value == KPAGE_END ? "ends before this frame" :
		 "answers reads of half an entry, or across its end, wrongly");
}

static void flags_text(const struct env *env, uint64_t addr, uint64_t value,
		       char *buf, size_t size)
{
	if (value >= KPAGE_UNREFUSED)
		end_text(value, buf, size);
	else
		names_mask(&names_kpf, value, " ", buf, size);
}

static json_t *flags_json(const struct env *env, uint64_t addr, uint64_t value)
{
	json_t *object = json_object();

	json_object_set_new(object, "ends", json_boolean(value == KPAGE_END));
	json_object_set_new(object, "unrefused",
			    json_boolean(value == KPAGE_UNREFUSED));
	if (value < KPAGE_UNREFUSED)
		json_object_set_new(object, "flags",
				    json_mask(&names_kpf, value));
	return object;
}

static void count_text(const struct env *env, uint64_t addr, uint64_t value,
		       char *buf, size_t size)
{
	if (value >= KPAGE_UNREFUSED)
		end_text(value, buf, size);
	else
		snprintf(buf, size, "mapped %" PRIu64 " times", value);
}

static json_t *count_json(const struct env *env, uint64_t addr, uint64_t value)
{
	json_t *object = json_object();

	json_object_set_new(object, "ends", json_boolean(value == KPAGE_END));
	json_object_set_new(object, "unrefused",
			    json_boolean(value == KPAGE_UNREFUSED));
	if (value < KPAGE_UNREFUSED)
		json_object_set_new(object, "count", json_integer(value));
	return object;
}

static void cgroup_text(const struct env *env, uint64_t addr, uint64_t value,
			char *buf, size_t size)
{
	if (value >= KPAGE_UNREFUSED)
		end_text(value, buf, size);
	else
		snprintf(buf, size, "inode %" PRIu64 "%s",
			 (uint64_t)(value & KPAGE_INODE_MASK),
			 value & KPAGE_UNLIKE_HEAD ?
			 ", not that of the folio's first page" : "");
}

static json_t *cgroup_json(const struct env *env, uint64_t addr,
			   uint64_t value)
{
	json_t *object = json_object();

	json_object_set_new(object, "ends", json_boolean(value == KPAGE_END));
	json_object_set_new(object, "unrefused",
			    json_boolean(value == KPAGE_UNREFUSED));
	if (value < KPAGE_UNREFUSED) {
		json_object_set_new(object, "inode",
				    json_integer(value & KPAGE_INODE_MASK));
		json_object_set_new(object, "unlike_head",
				    json_boolean(value & KPAGE_UNLIKE_HEAD));
	}
	return object;
}

/* As each page of a large folio is looked at by itself, which takes long. */
#define SAMPLE		64

#define KPAGE								\
	.sample = SAMPLE,						\
	.framed = true,							\
	.read = kpage_read,						\
	.close = kpage_close

const struct source source_kpageflags = {
	KPAGE,
	.bugs = true,
	.name = "kpageflags",
	.help = "/proc/kpageflags of each frame",
	.probe = flags_probe,
	.open = flags_open,
	.limit = flags_limit,
	.grain = grain_kpageflags,
	.expect = expect_kpageflags,
	.text = flags_text,
	.json = flags_json,
};

const struct source source_kpagecount = {
	KPAGE,
	.name = "kpagecount",
	.help = "/proc/kpagecount of each frame",
	.probe = count_probe,
	.open = count_open,
	.limit = count_limit,
	.grain = grain_kpagecount,
	.expect = expect_kpagecount,
	.text = count_text,
	.json = count_json,
};

const struct source source_kpagecgroup = {
	KPAGE,
	.name = "kpagecgroup",
	.help = "/proc/kpagecgroup of each frame",
	.probe = cgroup_probe,
	.open = cgroup_open,
	.limit = cgroup_limit,
	.grain = grain_kpagecgroup,
	.expect = expect_kpagecgroup,
	.text = cgroup_text,
	.json = cgroup_json,
};
