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
#include "base/array.h"
#include "base/jsonw.h"
#include "base/lines.h"
#include "base/names.h"
#include "base/print.h"
#include "base/random.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "sources/entries.h"
#include "sources/source.h"

/**
 * struct kpage - one of the files
 * @path: Of it.
 * @function: Of the kernel, that reads it.
 * @near: Frames that are so near each other are read together: to read what is
 *	between them costs less than another read.
 * @cgroup: It is kpagecgroup.
 * @alone: No frame is read but those that are wanted.
 * @fault: What is wrong with it, once that was @tried: whatever process is asked about.
 */
struct kpage {
	const char *path, *function;
	unsigned int near;
	bool cgroup, alone, tried;
	struct source_fault fault;
};

/**
 * struct source_file - one of the files, open
 * @fd: The file.
 * @kpage: Which.
 * @before: Entries that are read before a span of a request, and @behind it, of the next
 *	@spans.
 * @key: Room for the keys of a request, twice, and @max for how many.
 * @span: What is read at once of a span that has a margin, with room for
 *	@max_span.
 * @wanted: Of each frame from the lowest to the highest of a request that has most
 *	of them, whether it is one of it; room for @max_wanted.
 * @shown: What these show, or those of a span; room for @max_shown.
 */
struct source_file {
	int fd;
	struct kpage *kpage;
	uint64_t before, behind;
	unsigned int spans;
	uint64_t *key;
	size_t max;
	uint64_t *span;
	size_t max_span;
	uint8_t *wanted;
	size_t max_wanted;
	uint64_t *shown;
	size_t max_shown;
};

/* Frames there may be for each page of a request that isn't sorted. */
#define DENSE		4

/* The arguments of requests: what is read around each span of frames. */
enum { ARG_BEFORE, ARG_BEHIND };

#define FEW_BITS	6	/* of a number of entries, mostly */
#define MANY_BITS	12	/* and of one where so many are bearable, which is rare: */
#define MANY		(1 << MANY_BITS)
#define FEW_AROUND	64	/* entries, which more than one span has around it: */
#define SPANS_AROUND	32

/* A key is a frame above a place. The file of such a frame would have no end. */
#define PLACE_BITS	18
#define PLACE_MASK	((1ULL << PLACE_BITS) - 1)
#define FRAMES		(1ULL << (64 - PLACE_BITS))

/* So many frames are looked at in one go: loops run for every page. */
#define AT_ONCE		16

/* Keys are sorted by so many bits at a time, but for a few. */
#define DIGIT_BITS	10
#define FEW		64

static uint64_t frame_of_key(uint64_t key)
{
	return key >> PLACE_BITS;
}

/* Sorts by the digit that begins at bit @shift. */
static void sort_by(const uint64_t *from, uint64_t *to, size_t nr, unsigned int shift)
{
	const uint64_t mask = (1 << DIGIT_BITS) - 1;
	size_t place[1 << DIGIT_BITS] = { 0 }, sum = 0, n;

	for (size_t i = 0; i < nr; i++)
		place[from[i] >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++, sum += n) {
		n = place[i];
		place[i] = sum;
	}
	for (size_t i = 0; i < nr; i++)
		to[place[from[i] >> shift & mask]++] = from[i];
}

/* Sorts @nr keys by frame, with room for as many behind them. Returns where they are. */
static const uint64_t *sort_keys(uint64_t *key, size_t nr)
{
	uint64_t differs = 0, *other = key + nr, *swap;
	bool sorted = true;

	if (nr <= FEW) {
		qsort(key, nr, sizeof(*key), array_order);
		return key;
	}
	for (size_t i = 1; i < nr; i++) {
		sorted &= key[i - 1] < key[i];
		differs |= key[i - 1] ^ key[i];
	}
	for (unsigned int shift = PLACE_BITS; !sorted && shift < 64 && differs >> shift;
	     shift += DIGIT_BITS) {
		sort_by(key, other, nr, shift);
		swap = key;
		key = other;
		other = swap;
	}
	return key;
}

/* Returns how many entries there are, up to @nr, or a negative errno. */
static ssize_t read_kpage_entries(int fd, uint64_t first, uint64_t *value, size_t nr)
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

/*
 * Reads frame @first to @last, and what the request wants around them. What they show
 * goes to @to; returns 0 or a negative errno.
 */
static int read_span(struct source_file *file, uint64_t first, uint64_t last, uint64_t *to)
{
	const bool around = !file->kpage->alone && file->spans;
	const uint64_t before = !around ? 0 : file->before < first ? file->before : first;
	const size_t nr = last - first + 1;
	const size_t all = before + nr + (around ? file->behind : 0);
	uint64_t *value = to;
	size_t got;
	ssize_t n;

	file->spans -= around;
	if (all > nr) {
		if (!array_room(&file->span, &file->max_span, all, sizeof(*file->span)))
			return -ENOMEM;
		value = file->span;
	}
	n = read_kpage_entries(file->fd, first - before, value, all);
	if (n < 0)
		return n;
	got = (uint64_t)n > before ? n - before : 0;
	if (got > nr)
		got = nr;
	if (value != to)
		memcpy(to, value + before, got * sizeof(*to));
	for (size_t i = got; i < nr; i++)
		to[i] = KPAGE_END;
	return 0;
}

static unsigned int near_of(const struct source_file *file)
{
	return file->kpage->alone ? 1 : file->kpage->near;
}

/* How many of @nr sorted keys are of the first span. */
static size_t span_of(const struct source_file *file, const uint64_t *key, size_t nr)
{
	size_t i = 1;

	while (i < nr && frame_of_key(key[i]) - frame_of_key(key[i - 1]) <= near_of(file))
		i++;
	return i;
}

/* Reads what the sorted keys want. Returns 0 or a negative errno. */
static int read_keys(struct source_file *file, const uint64_t *key, size_t nr_keys,
		     uint64_t *values)
{
	size_t i, j, n;
	uint64_t first, last;
	int err;

	for (i = 0; i < nr_keys; i += n) {
		n = span_of(file, key + i, nr_keys - i);
		first = frame_of_key(key[i]);
		last = frame_of_key(key[i + n - 1]);
		if (!array_room(&file->shown, &file->max_shown, last - first + 1,
				sizeof(*file->shown)))
			return -ENOMEM;
		err = read_span(file, first, last, file->shown);
		if (err)
			return err;
		for (j = i; j < i + n; j++)
			values[key[j] & PLACE_MASK] = file->shown[frame_of_key(key[j]) - first];
	}
	return 0;
}

/* Has *@low and *@high include the frames; SOURCE_NO_FRAME is above all. */
static void include(const uint64_t *frame, size_t nr, uint64_t *low, uint64_t *high)
{
	uint64_t first = *low, last = *high;

#pragma GCC unroll 16
	for (size_t i = 0; i < nr; i++) {
		first = frame[i] < first ? frame[i] : first;
		last = frame[i] > last ? frame[i] : last;
	}
	*low = first;
	*high = last;
}

/* The lowest and the highest frame. Returns whether each page has one. */
static bool find_bounds(const struct source_pages *pages, uint64_t *low, uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	include(pages->frame, pages->nr, low, high);
	if (*high != SOURCE_NO_FRAME)
		return true;
	*high = 0;
	for (size_t i = 0; i < pages->nr; i++)
		if (pages->frame[i] != SOURCE_NO_FRAME)
			include(pages->frame + i, 1, low, high);
	return false;
}

/* The first of @nr frames from @from on that is wanted, or isn't; @nr: none. */
static size_t next_frame(const struct source_file *file, size_t from, size_t nr,
			 bool wanted)
{
	const uint8_t *at = memchr(file->wanted + from, wanted ? 1 : 0, nr - from);

	return at ? (size_t)(at - file->wanted) : nr;
}

/* The last frame of the span that begins at @first. */
static size_t end_of_span(const struct source_file *file, size_t first, size_t nr)
{
	size_t last, next;

	for (;; first = next) {
		last = next_frame(file, first, nr, false) - 1;
		next = next_frame(file, last + 1, nr, true);
		if (next == nr || next - last > near_of(file))
			return last;
	}
}

/*
 * Of frames from @low on, AT_ONCE at a time where @all pages have one; of what would be
 * the place of frame 0, that of each is known without a subtraction.
 */
static void want(struct source_file *file, uint64_t low, const uint64_t *frame, size_t nr,
		 bool all)
{
	const uintptr_t wanted = (uintptr_t)file->wanted - low;

	for (; all && nr >= AT_ONCE; nr -= AT_ONCE, frame += AT_ONCE) {
#pragma GCC unroll 16
		for (int i = 0; i < AT_ONCE; i++)
			*(uint8_t *)(wanted + (uintptr_t)frame[i]) = true;
	}
	for (size_t i = 0; i < nr; i++)
		if (frame[i] != SOURCE_NO_FRAME)
			file->wanted[frame[i] - low] = true;
}

static void take_shown(const struct source_file *file, uint64_t low, const uint64_t *frame,
		       size_t nr, bool all, uint64_t *values)
{
	const uintptr_t shown = (uintptr_t)file->shown - low * sizeof(*values);

	for (; all && nr >= AT_ONCE; nr -= AT_ONCE, frame += AT_ONCE, values += AT_ONCE) {
#pragma GCC unroll 16
		for (int i = 0; i < AT_ONCE; i++)
			values[i] = *(uint64_t *)(shown + (uintptr_t)frame[i] * sizeof(*values));
	}
	for (size_t i = 0; i < nr; i++)
		values[i] = frame[i] == SOURCE_NO_FRAME ? 0 :
							  file->shown[frame[i] - low];
}

/*
 * Reads what is wanted of @nr frames from @low on, most of which are: what each
 * shows has a place of its own. No page is without a frame if @all. Returns 0 or a
 * negative errno.
 */
static int read_dense(struct source_file *file, const struct source_pages *pages,
		      uint64_t low, size_t nr, bool all, uint64_t *values)
{
	size_t first, last;
	int err;

	if (!array_room(&file->wanted, &file->max_wanted, nr, sizeof(*file->wanted)) ||
	    !array_room(&file->shown, &file->max_shown, nr, sizeof(*file->shown)))
		return -ENOMEM;
	memset(file->wanted, false, nr * sizeof(*file->wanted));
	want(file, low, pages->frame, pages->nr, all);
	for (first = next_frame(file, 0, nr, true); first < nr;
	     first = next_frame(file, last + 1, nr, true)) {
		last = end_of_span(file, first, nr);
		err = read_span(file, low + first, low + last, file->shown + first);
		if (err)
			return err;
	}
	take_shown(file, low, pages->frame, pages->nr, all, values);
	return 0;
}

/* Frames that are anywhere. */
static int read_sparse(struct source_file *file, const struct source_pages *pages,
		       uint64_t *values)
{
	size_t nr = 0;

	if (!array_room(&file->key, &file->max, 2 * pages->nr, sizeof(*file->key)))
		return -ENOMEM;
	for (size_t i = 0; i < pages->nr; i++) {
		values[i] = pages->frame[i] == SOURCE_NO_FRAME ? 0 : KPAGE_END;
		if (pages->frame[i] < FRAMES)
			file->key[nr++] = pages->frame[i] << PLACE_BITS | i;
	}
	return read_keys(file, sort_keys(file->key, nr), nr, values);
}

static uint64_t cgroup_value(uint64_t inode)
{
	return inode == KPAGE_END || !inode ? inode :
	       (inode & KPAGE_INODE_MASK) | KPAGE_CHARGED;
}

/* Makes of the inodes what is compared. */
static void make_cgroups(uint64_t *values, size_t nr)
{
	uint64_t inode = 0, value = cgroup_value(inode);

	/* Nearly all are charged to the same. */
#pragma GCC unroll 8
	for (size_t i = 0; i < nr; i++) {
		if (values[i] != inode) {
			inode = values[i];
			value = cgroup_value(inode);
		}
		values[i] = value;
	}
}

static ssize_t kpage_read(struct source_file *file,
			  const struct source_pages *pages, uint64_t *values)
{
	uint64_t low, high;
	bool all;
	int err;

	if (pages->nr > PLACE_MASK)
		return -ENOMEM;
	file->before = pages->arg[ARG_BEFORE];
	file->behind = pages->arg[ARG_BEHIND];
	file->spans = file->before + file->behind > FEW_AROUND ? 1 : SPANS_AROUND;
	all = find_bounds(pages, &low, &high);
	if (high < FRAMES && high - low < DENSE * pages->nr)
		err = read_dense(file, pages, low, high - low + 1, all, values);
	else
		err = read_sparse(file, pages, values);
	if (!err && file->kpage->cgroup)
		make_cgroups(values, pages->nr);
	return err ? err : (ssize_t)pages->nr;
}

/* Frames that no machine has. On 32-bit kernels, positions have 32 bits. */
#define MOST_FRAMES	(1ULL << (sizeof(long) == 8 ? 52 : 29))

static int kpage_open(const struct source *source, pid_t pid, struct source_file **out)
{
	struct kpage *kpage = source->data;
	struct source_file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->kpage = kpage;
	file->fd = open(kpage->path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0) {
		int err = -errno;

		free(file);
		/* That is no process which went away. */
		return err == -ENOENT ? -ENXIO : err;
	}
	if (!kpage->tried)
		entries_try(file->fd, kpage->alone ? 0 : MOST_FRAMES, 0, &kpage->fault);
	kpage->fault.function = kpage->function;
	kpage->tried = true;
	*out = file;
	return 0;
}

/* Which frames may be read around others, flags_limit() knows. */
static struct kpage kpageflags = {
	"/proc/kpageflags", "kpageflags_read()", .near = 2, .alone = true,
};
static struct kpage kpagecount = { "/proc/kpagecount", "kpagecount_read()", .near = 8 };
static struct kpage kpagecgroup = {
	"/proc/kpagecgroup", "kpagecgroup_read()", .near = 4, .cgroup = true,
};

static const struct source_fault *kpage_fault(const struct source_file *file)
{
	return *file->kpage->fault.does ? &file->kpage->fault : NULL;
}

static void kpage_close(struct source_file *file)
{
	close(file->fd);
	free(file->key);
	free(file->span);
	free(file->wanted);
	free(file->shown);
	free(file);
}

#define FLAGS_LIMIT							\
	"flags that change apart from page tables (locked, LRU, dirty, ...) are not compared, " \
	"and swapbacked, swapcache and mlocked of small pages"

static const char *flags_limit(struct env *env)
{
	kpageflags.alone = kpageflags_crashes(env->kernel);
	if (!kpageflags.alone)
		return FLAGS_LIMIT;
	return env->careful ?
	       "large folios, hugetlb apart, are left out, and frames around what is compared: reading them can crash this kernel (ptwalk explain kpageflags-compound-bug); " FLAGS_LIMIT :
	       "frames around what is compared aren't read, as that can crash this kernel (ptwalk explain kpageflags-compound-bug); " FLAGS_LIMIT;
}

/* 1 for the line of the memory controller, where it is enabled. */
static int take_controller(char *line, void *arg)
{
	unsigned int enabled;
	char name[32];

	return sscanf(line, "%31s %*u %*u %u", name, &enabled) == 2 &&
	       !strcmp(name, "memory") && enabled;
}

/* Whether the memory controller is there and cgroup_disable= didn't name it. */
static bool has_memory_controller(void)
{
	return lines_in("/proc/cgroups", take_controller, NULL) > 0;
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
	       "to which cgroup pages are charged is compared of large folios and of some other pages, at the most; of the rest, whether they are" :
	       "memory is charged to no cgroup here";
}

#define ENDS	"ends before this frame"

static void kpageflags_text(const struct env *env, uint64_t addr, uint64_t value,
			    char *buf, size_t size)
{
	if (value == KPAGE_END)
		snprintf(buf, size, ENDS);
	else
		names_mask(&names_kpageflags, value, " ", buf, size);
}

static void flags_json(const struct env *env, uint64_t addr, uint64_t value)
{
	jsonw_bool("ends", value == KPAGE_END);
	if (value != KPAGE_END)
		jsonw_mask("flags", &names_kpageflags, value);
}

static void count_text(const struct env *env, uint64_t addr, uint64_t value,
		       char *buf, size_t size)
{
	if (value == KPAGE_END)
		snprintf(buf, size, ENDS);
	else
		snprintf(buf, size, "mapped %" PRIu64 " times", value);
}

static void kpagecount_json(const struct env *env, uint64_t addr, uint64_t value)
{
	jsonw_bool("ends", value == KPAGE_END);
	if (value != KPAGE_END)
		jsonw_number("count", value);
}

static void cgroup_text(const struct env *env, uint64_t addr, uint64_t value,
			char *buf, size_t size)
{
	const uint64_t inode = value & KPAGE_INODE_MASK;

	if (value == KPAGE_END)
		snprintf(buf, size, ENDS);
	else if (inode)
		snprintf(buf, size, "inode %" PRIu64, inode);
	else
		snprintf(buf, size, "none");
}

static void cgroup_json(const struct env *env, uint64_t addr, uint64_t value)
{
	jsonw_bool("ends", value == KPAGE_END);
	if (value != KPAGE_END)
		jsonw_number("inode", value & KPAGE_INODE_MASK);
}

/* Few, as they are read around many spans; or as many as are bearable, around one. */
static uint64_t draw_around(const struct env *env, struct random *random,
			    uint64_t most)
{
	if (random_one_in(random, 3))
		return 0;
	if (most >= MANY)
		return random_size(random, 1) << (MANY_BITS + random_below(random, 2));
	return random_size(random, random_one_in(random, 8) ? FEW_BITS + 4 : FEW_BITS) - 1;
}

static const struct dimension around[] = {
	[ARG_BEFORE] = { "before", draw_around, DIMENSION_ENTRIES },
	[ARG_BEHIND] = { "behind", draw_around, DIMENSION_ENTRIES },
	{ }
};

#define KPAGE								\
	.trait.drawn = true,						\
	.dimension = around,						\
	.trait.framed = true,						\
	.open = kpage_open,						\
	.read = kpage_read,						\
	.fault = kpage_fault,						\
	.close = kpage_close

const struct source source_kpageflags = {
	KPAGE,
	.cost = { 4000, 300 },
	.trait.factless = true,
	.trait.bugs = true,
	.name = "kpageflags",
	.help = "/proc/kpageflags of each frame",
	.data = &kpageflags,
	.asks = "/proc/kpageflags",
	.limit = flags_limit,
	.grain = grain_kpageflags,
	.stretch = stretch_kpageflags,
	.expect = expect_kpageflags,
	.bits = &names_kpageflags,
	.text = kpageflags_text,
	.json = flags_json,
};

const struct source source_kpagecount = {
	KPAGE,
	.cost = { 4000, 100 },
	.name = "kpagecount",
	.help = "/proc/kpagecount of each frame",
	.data = &kpagecount,
	.asks = "/proc/kpagecount",
	.grain = grain_kpagecount,
	.expect = expect_kpagecount,
	.text = count_text,
	.json = kpagecount_json,
};

const struct source source_kpagecgroup = {
	KPAGE,
	.cost = { 4000, 140 },
	.trait.factless = true,
	.name = "kpagecgroup",
	.help = "/proc/kpagecgroup of each frame",
	.data = &kpagecgroup,
	.asks = "/proc/kpagecgroup",
	.limit = cgroup_limit,
	.grain = grain_kpagecgroup,
	.expect = expect_kpagecgroup,
	.text = cgroup_text,
	.json = cgroup_json,
};
