// SPDX-License-Identifier: GPL-2.0
/*
 * A round reads the truth, what the kernel shows, and, unless all is well, the
 * truth again; what judge_figures.c makes of it decides whether there is another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "check/crash_risk.h"
#include "module/client.h"
#include "proc/map_files.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"
#include "sums/rss.h"

/* Addresses of one request for pages. */
#define BATCH	PTWALK_MAX_ADDRESSES

/**
 * struct side - one reading of the truth
 */
struct side {
	struct truth truth;
	struct totals *each;
	size_t nr_each;
	struct totals sum;
	struct totals_tables tables;
	bool page_by_page;
	uint64_t asked;
	bool moved;
	bool keep;
	struct rss_page *page;
	size_t nr_pages, max_pages;
};

static void side_clear(struct side *s)
{
	for (size_t i = 0; i < s->nr_each; i++)
		totals_free(&s->each[i]);
	free(s->each);
	s->each = NULL;
	s->nr_each = 0;
	totals_free(&s->sum);
	memset(&s->tables, 0, sizeof(s->tables));
	s->page_by_page = s->moved = false;
	s->nr_pages = s->asked = 0;
}

static void side_free(struct side *s)
{
	side_clear(s);
	free(s->page);
	truth_free(&s->truth);
}

static int keep_page(struct side *s, uint64_t addr, uint64_t bits,
		     const struct ptwalk_page *page)
{
	if (!s->keep)
		return 0;
	if (!array_room(&s->page, &s->max_pages, s->nr_pages + 1, sizeof(*s->page)))
		return -ENOMEM;
	s->page[s->nr_pages++] = (struct rss_page){ addr, bits, *page };
	return 0;
}

/**
 * struct asker - pages that are asked about, batch by batch
 */
struct asker {
	struct ptwalk *client;
	pid_t pid;
	struct side *side;
	size_t vma;		/* of all addresses of the batch */
	uint64_t addr[BATCH];
	uint64_t bits[BATCH];
	uint64_t value[BATCH];
	uint64_t alike[BATCH];	/* see totals_alike() */
	struct ptwalk_translation out[BATCH];
	struct ptwalk_page page[BATCH];
	size_t nr;
};

/* The page at @i of the batch, and those that are like it. */
static int take_pages(struct asker *a, size_t i, unsigned int shift)
{
	const struct ptwalk_vma *vma = &a->side->truth.vmas[a->vma];
	uint64_t n = vma->flags & PTWALK_VMA_FLAG_HUGETLB ? 1 : a->alike[i];
	struct ptwalk_page page = a->page[i];
	uint64_t addr = a->addr[i];
	int err = 0;

	for (; !err && n; n--, addr += 1ULL << shift, page.place += 1ULL << 32) {
		err = totals_page(&a->side->each[a->vma],
				  ptwalk_kernel(a->client), vma, addr,
				  a->out[i].bits, &page);
		if (!err)
			err = keep_page(a->side, addr, a->out[i].bits, &page);
	}
	return err;
}

static int flush(struct asker *a)
{
	/* Kernels sample who uses what (DAMON), and clear it all the time. */
	const uint64_t young = (uint64_t)PTWALK_FLAG_YOUNG <<
			       PTWALK_BITS_FLAGS_SHIFT;
	struct ptwalk_vma *vmas = NULL;
	uint32_t levels;
	size_t nr;
	int status;

	if (!a->nr)
		return 0;
	status = truth_translate_pages(a->client, a->pid, a->addr, a->nr,
				       a->out, a->page, &vmas, &nr, &levels);
	if (status)
		return status;
	free(vmas);
	for (size_t i = 0; i < a->nr; i++) {
		if ((a->out[i].bits ^ a->bits[i]) & ~young ||
		    a->out[i].value != a->value[i]) {
			a->side->moved = true;
			continue;
		}
		if (take_pages(a, i, ptwalk_kernel(a->client)->page_shift))
			return error_no_memory();
	}
	a->nr = 0;
	return 0;
}

/* Returns 1 if more would have to be asked about than may be. */
static int ask(struct asker *a, size_t vma, const struct ptwalk_extent *e,
	       uint64_t max_pages)
{
	const struct ptwalk_kernel *info = ptwalk_kernel(a->client);
	const struct ptwalk_vma *v = &a->side->truth.vmas[vma];
	uint64_t addr, alike;
	int status;

	for (uint64_t from = 0; from < e->pages; from += alike ? alike : 1) {
		addr = e->addr + (from << info->page_shift);
		alike = totals_alike(info, v, e, addr);
		if (!alike)
			continue;
		if (a->side->asked++ == max_pages)
			return 1;
		if (a->nr == BATCH || (a->nr && a->vma != vma)) {
			status = flush(a);
			if (status)
				return status;
		}
		a->vma = vma;
		a->addr[a->nr] = addr;
		a->bits[a->nr] = e->bits;
		a->alike[a->nr] = alike;
		a->value[a->nr++] = e->value + from;
	}
	return 0;
}

static bool has_page(const struct ptwalk_extent *e)
{
	return ptwalk_bits_kind(e->bits) == PTWALK_KIND_PRESENT &&
	       ptwalk_bits_flags(e->bits) & PTWALK_FLAG_PAGE;
}

/* Asks about each page, until @max_pages have been asked about. */
static int ask_all(struct ptwalk *client, pid_t pid, struct side *s,
		   uint64_t max_pages)
{
	struct asker *a = calloc(1, sizeof(*a));
	size_t vma = 0;
	int status = 0;

	if (!a)
		return error_no_memory();
	a->client = client;
	a->pid = pid;
	a->side = s;
	for (size_t i = 0; !status && i < s->truth.nr_extents; i++) {
		const struct ptwalk_extent *e = &s->truth.extents[i];

		while (s->truth.vmas[vma].last < e->addr)
			vma++;
		if (has_page(e))
			status = ask(a, vma, e, max_pages);
	}
	s->page_by_page = !status;
	if (status >= 0)
		status = flush(a);
	free(a);
	return status;
}

static int count(struct side *s, const struct ptwalk_kernel *info)
{
	side_clear(s);
	s->nr_each = s->truth.nr_vmas;
	s->each = totals_of(info, &s->truth, &s->tables);
	return s->each ? 0 : error_no_memory();
}

static bool lies_in(const struct ranges *ranges, const struct ptwalk_vma *vma)
{
	for (size_t i = 0; i < ranges->nr; i++)
		if (vma->start >= ranges->range[i].start &&
		    vma->last <= ranges->range[i].last)
			return true;
	return false;
}

/* Leaves the mappings that lie in @ranges as a whole. */
static void cut(struct truth *t, const struct ranges *ranges)
{
	size_t vmas = 0, extents = 0, next = 0;
	bool kept;

	for (size_t i = 0; i < t->nr_vmas; i++) {
		const struct ptwalk_vma vma = t->vmas[i];

		kept = lies_in(ranges, &vma);
		for (; next < t->nr_extents &&
		       t->extents[next].addr <= vma.last; next++)
			if (kept)
				t->extents[extents++] = t->extents[next];
		if (kept)
			t->vmas[vmas++] = vma;
	}
	t->nr_vmas = vmas;
	t->nr_extents = extents;
}

static int read_truth(struct ptwalk *client, pid_t pid,
		      const struct rss_options *options, struct truth *truth)
{
	const struct ranges *ranges = options->ranges;
	uint64_t start = UINT64_MAX, last = 0;
	int status;

	if (!ranges)
		return truth_read(client, pid, 0, UINT64_MAX, truth);
	for (size_t i = 0; i < ranges->nr; i++) {
		if (ranges->range[i].start < start)
			start = ranges->range[i].start;
		if (ranges->range[i].last > last)
			last = ranges->range[i].last;
	}
	if (start > last)
		return 0;
	status = truth_read(client, pid, start, last, truth);
	if (!status)
		cut(truth, ranges);
	return status;
}

static int read_side(struct ptwalk *client, pid_t pid,
		     const struct rss_options *options, struct side *s)
{
	int status;

	status = read_truth(client, pid, options, &s->truth);
	if (!status)
		status = count(s, ptwalk_kernel(client));
	if (!status)
		status = ask_all(client, pid, s, options->max_pages);
	for (size_t i = 0; !status && i < s->nr_each; i++)
		if (totals_add(&s->sum, &s->each[i]))
			status = error_no_memory();
	return status;
}

/* Reads all of a file, and gives another to read it from. */
static int keep_text(FILE **stream, char **text)
{
	size_t size = 0;
	int err = 0;

	free(*text);
	*text = NULL;
	if (getdelim(text, &size, '\0', *stream) < 0 && ferror(*stream))
		err = -errno;
	fclose(*stream);
	*stream = *text && **text ? fmemopen(*text, strlen(*text), "r") :
				    fopen("/dev/null", "re");
	return err ? err : *stream ? 0 : -errno;
}

/* Nothing is compared with a file that can't be read; @rss tells why. */
static int read_file(struct rss *rss, pid_t pid, enum figure_source source,
		     bool keep)
{
	struct shown *s = &rss->shown;
	size_t line = 0;
	FILE *stream;
	int err;

	stream = source == FIGURE_QUERY ? procmap_query_fopen(pid, &err) :
		 source == FIGURE_MAP_FILES ? map_files_fopen(pid, &err) :
		 procs_fopen(pid, figure_source_name[source], &err);
	if (stream && keep)
		err = keep_text(&stream, &rss->text[source]);
	if (stream && !err)
		err = shown_parse(s, source, stream, &line);
	if (stream)
		fclose(stream);

	if (err && procs_gone(pid, err))
		return client_gone(pid);
	if (err == -EINVAL)
		return error_set(err, "/proc/%d/%s:%zu: not understood",
				 (int)pid, figure_source_name[source], line);
	if (!stream && !err)
		rss->none |= 1U << source;
	if (!stream || err)
		snprintf(rss->why_not[source], sizeof(rss->why_not[source]),
			 "%s", err ? strerror(-err) : RSS_NONE);
	return 0;
}

static int read_files(struct rss *rss, pid_t pid,
		      const struct rss_options *options)
{
	int status = 0;

	shown_free(&rss->shown);
	for (int i = 0; !status && i < NR_FIGURE_SOURCES; i++)
		if (options->sources & 1U << i)
			status = read_file(rss, pid, i, options->keep);
	return status;
}

/* RssAnon of ourselves, without a page fault on the way. */
static long own_anon(int fd)
{
	static char text[4096];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *p;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	p = strstr(text, "\nRssAnon:");
	return p ? strtol(p + strlen("\nRssAnon:"), NULL, 10) : -1;
}

/*
 * Whether a page more is seen at once. Up to Linux 6.15 counters were handed
 * over in batches, and some distributions have what mended it in older ones.
 */
static bool try_counters_once(void)
{
	const int tries = 5;
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	volatile char *mem;
	bool exact = fd >= 0;
	long before, after;

	if (fd < 0)
		return false;
	mem = mmap(NULL, page * tries, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED) {
		close(fd);
		return false;
	}
	madvise((void *)mem, page * tries, MADV_NOHUGEPAGE);
	own_anon(fd);
	own_anon(fd);
	for (int i = 0; exact && i < tries; i++) {
		before = own_anon(fd);
		mem[i * page] = 1;
		after = own_anon(fd);
		exact = before >= 0 && after - before == (long)(page >> 10);
	}
	munmap((void *)mem, page * tries);
	close(fd);
	return exact;
}

static bool try_counters(void)
{
	static int exact = -1;

	if (exact < 0)
		exact = try_counters_once();
	return exact;
}

static bool is_there(const char *sys, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", sys, name);
	return !access(path, F_OK);
}

/*
 * Users of account_locked_vm() and of locked_vm itself, by what they register;
 * without sysfs there may be any.
 */
bool rss_only_mlock(const char *sys, const struct ptwalk_kernel *kernel)
{
	return is_there(sys, "class/misc") && is_there(sys, "bus") &&
	       !is_there(sys, "class/misc/vfio") &&
	       !is_there(sys, "class/misc/iommu") &&
	       !is_there(sys, "bus/dfl") &&
	       (kernel->machine[0] == 'x' ||
		!is_there(sys, "class/misc/kvm"));
}

static void wait_before(unsigned int round)
{
	struct timespec time = { .tv_nsec = (round > 6 ? 50 : 1L << round >> 1) *
					    1000000L };

	if (round)
		nanosleep(&time, NULL);
}

static void set_counted(struct counted *c, const struct ptwalk_kernel *info,
			const struct side *s)
{
	c->info = info;
	c->levels = s->truth.levels;
	c->vmas = s->truth.vmas;
	c->each = s->each;
	c->nr = s->nr_each;
	c->sum = s->sum;
	c->tables = s->tables;
}

/* What @rss has from the round before goes to @s, for its arrays' sake. */
static void swap_sides(struct rss *rss, struct side *s)
{
	struct side old = {
		.truth = rss->truth,
		.each = rss->each,
		.nr_each = rss->nr_each,
		.sum = rss->counted.sum,
		.keep = s->keep,
		.page = rss->page,
		.max_pages = rss->nr_pages,
	};

	rss->truth = s->truth;
	rss->each = s->each;
	rss->nr_each = s->nr_each;
	rss->page_by_page = s->page_by_page;
	rss->page = s->page;
	rss->nr_pages = s->nr_pages;
	*s = old;
}

static bool is_well(const struct figures *figures)
{
	for (size_t i = 0; i < figures->nr; i++)
		if (figures->figure[i].verdict == FIGURE_MISMATCH)
			return false;
	return true;
}

/* One round; @after gets no figures if those of @rss are all well. */
static int one_round(struct ptwalk *client, pid_t pid,
		     const struct rss_options *options, struct rss *rss,
		     struct side *side, struct figures *after)
{
	const struct ptwalk_kernel *info = ptwalk_kernel(client);
	const pid_t newest = procs_newest();
	struct counted counted;
	int status;

	after->nr = 0;
	status = read_side(client, pid, options, side);
	if (status)
		return status;
	rss->moved = side->moved;
	rss->asked = side->asked;
	set_counted(&counted, info, side);
	counted.part = options->ranges;
	swap_sides(rss, side);
	rss->counted = counted;
	/* Of a part of a mapping, no file shows anything. */
	if (options->ranges && !rss->truth.nr_vmas) {
		rss->figures.nr = 0;
		return 0;
	}

	status = read_files(rss, pid, options);
	if (status)
		return status;
	if (reconcile(&rss->counted, &rss->shown, &rss->figures))
		return error_no_memory();
	if (!rss->moved && is_well(&rss->figures))
		return 0;

	status = read_side(client, pid, options, side);
	if (status)
		return status;
	rss->moved |= side->moved;
	rss->forked = newest < 0 || procs_newest() != newest;
	set_counted(&counted, info, side);
	counted.part = options->ranges;
	if (figures_want(after, &rss->figures) ||
	    reconcile(&counted, &rss->shown, after))
		return error_no_memory();
	return 0;
}

int rss_read(struct ptwalk *client, pid_t pid,
	     const struct rss_options *options, struct rss *rss)
{
	struct figures after = { 0 };
	struct strikes strikes = { 0 };
	struct side side = { .keep = options->keep };
	struct rss_options now = *options;
	int status = 0, decided = 0;
	bool last;

	/* The files show all of a process, whatever part of it is asked for. */
	status = crash_risk_refuse(client, pid, 0, UINT64_MAX, true);
	rss->shown.exact_counters = try_counters();
	rss->shown.only_mlock = rss_only_mlock("/sys", ptwalk_kernel(client));
	rss->shown.known_bugs = options->known_bugs;
	rss->figures.sieve = !options->every;
	rss->shown.cpus = sysconf(_SC_NPROCESSORS_CONF);
	for (unsigned int i = 0; !status && !decided && i < options->rounds;
	     i++) {
		last = i + 1 == options->rounds;
		wait_before(i);
		/* What is at work all over is not asked about again and again. */
		if (i > 1 && rss->moved && rss->asked > options->calm_pages)
			now.max_pages = 0;
		status = one_round(client, pid, &now, rss, &side, &after);
		if (!status)
			decided = judge_figures(&rss->figures, &after,
						rss->moved, rss->forked, last,
						&strikes);
		if (decided < 0)
			status = error_no_memory();
	}
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		rss->verdict[i] = 0;
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		rss->verdict[FIGURE_MATCH] += rss->figures.matched[i];
	for (size_t i = 0; i < rss->figures.nr; i++)
		rss->verdict[rss->figures.figure[i].verdict]++;
	if (rss->moved)
		rss->verdict[FIGURE_UNSTABLE]++;
	side_free(&side);
	figures_free(&after);
	strikes_free(&strikes);
	return status;
}

void rss_free(struct rss *rss)
{
	shown_free(&rss->shown);
	for (size_t i = 0; i < rss->nr_each; i++)
		totals_free(&rss->each[i]);
	free(rss->each);
	totals_free(&rss->counted.sum);
	truth_free(&rss->truth);
	figures_free(&rss->figures);
	free(rss->page);
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		free(rss->text[i]);
	memset(rss, 0, sizeof(*rss));
}
