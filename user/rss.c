// SPDX-License-Identifier: GPL-2.0
/*
 * A round reads the truth, what the kernel shows, and the truth again. Where
 * the two truths make the same of a figure and the kernel shows another, that
 * is a strike; so many in a row are a mismatch, one match ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "cmd.h"
#include "out.h"
#include "request.h"
#include "rss.h"

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
	bool told;
	bool moved;
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
	s->told = s->moved = false;
}

static void side_free(struct side *s)
{
	side_clear(s);
	truth_free(&s->truth);
}

/**
 * struct asker - pages that are asked about, batch by batch
 */
struct asker {
	struct client *client;
	pid_t pid;
	struct side *side;
	size_t vma;		/* of all addresses of the batch */
	uint64_t addr[BATCH];
	uint64_t bits[BATCH];
	uint64_t value[BATCH];
	struct ptwalk_translation out[BATCH];
	struct ptwalk_page page[BATCH];
	size_t nr;
};

static int flush(struct asker *a)
{
	const struct kernel_info *info = client_info(a->client);
	struct truth_vma *vmas = NULL;
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
		if (a->out[i].bits != a->bits[i] ||
		    a->out[i].value != a->value[i]) {
			a->side->moved = true;
			continue;
		}
		if (totals_page(&a->side->each[a->vma], info,
				&a->side->truth.vmas[a->vma], a->addr[i],
				a->bits[i], &a->page[i]))
			return request_no_memory();
	}
	a->nr = 0;
	return 0;
}

static int ask(struct asker *a, size_t vma, const struct extent *e)
{
	const struct kernel_info *info = client_info(a->client);
	const struct truth_vma *v = &a->side->truth.vmas[vma];
	bool hugetlb = v->flags & PTWALK_VMA_FLAG_HUGETLB;
	uint64_t step = hugetlb ? 1ULL << v->page_shift :
				  1ULL << info->page_shift;
	/* Only a huge page's beginning stands for it. */
	uint64_t from = ((e->addr + step - 1) & ~(step - 1)) - e->addr;
	int status;

	for (; from >> info->page_shift < e->pages; from += step) {
		if (a->nr == BATCH || (a->nr && a->vma != vma)) {
			status = flush(a);
			if (status)
				return status;
		}
		a->vma = vma;
		a->addr[a->nr] = e->addr + from;
		a->bits[a->nr] = e->bits;
		a->value[a->nr++] = e->value + (from >> info->page_shift);
	}
	return 0;
}

static bool has_page(const struct extent *e)
{
	return ptwalk_bits_kind(e->bits) == PTWALK_KIND_PRESENT &&
	       ptwalk_bits_flags(e->bits) & PTWALK_FLAG_PAGE;
}

static int ask_all(struct client *client, pid_t pid, struct side *s)
{
	struct asker *a = calloc(1, sizeof(*a));
	size_t vma = 0;
	int status = 0;

	if (!a)
		return request_no_memory();
	a->client = client;
	a->pid = pid;
	a->side = s;
	for (size_t i = 0; !status && i < s->truth.nr_extents; i++) {
		const struct extent *e = &s->truth.extents[i];

		while (s->truth.vmas[vma].last < e->addr)
			vma++;
		if (has_page(e))
			status = ask(a, vma, e);
	}
	if (!status)
		status = flush(a);
	free(a);
	return status;
}

static int count(struct side *s, const struct kernel_info *info)
{
	size_t vma = 0;

	side_clear(s);
	s->each = calloc(s->truth.nr_vmas ? s->truth.nr_vmas : 1,
			 sizeof(*s->each));
	if (!s->each)
		return request_no_memory();
	s->nr_each = s->truth.nr_vmas;
	for (size_t i = 0; i < s->nr_each; i++)
		totals_vma(&s->each[i], &s->truth.vmas[i], info->page_shift);
	for (size_t i = 0; i < s->truth.nr_extents; i++) {
		const struct extent *e = &s->truth.extents[i];

		while (s->truth.vmas[vma].last < e->addr)
			vma++;
		totals_extent(&s->each[vma], info, &s->truth.vmas[vma], e);
		totals_tables_extent(&s->tables, info, &s->truth.vmas[vma], e);
	}
	return 0;
}

static int read_side(struct client *client, pid_t pid,
		     const struct rss_options *options, struct side *s)
{
	uint64_t pages = 0;
	int status;

	status = truth_read(client, pid, 0, UINT64_MAX, &s->truth);
	if (!status)
		status = count(s, client_info(client));
	for (size_t i = 0; !status && i < s->nr_each; i++)
		pages += totals_present(&s->each[i]);
	if (!status && pages <= options->max_pages) {
		status = ask_all(client, pid, s);
		s->told = true;
	}
	for (size_t i = 0; !status && i < s->nr_each; i++)
		if (totals_add(&s->sum, &s->each[i]))
			status = request_no_memory();
	return status;
}

/* Nothing is compared with a file that can't be read; @rss tells why. */
static int read_file(struct rss *rss, pid_t pid, enum figure_source source)
{
	struct shown *s = &rss->shown;
	char path[48];
	size_t line = 0;
	FILE *stream;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid,
		 figure_source_name[source]);
	stream = fopen(path, "re");
	if (!stream)
		err = -errno;
	else if (source == FIGURE_STATUS)
		err = procstatus_parse(stream, &s->status);
	else if (source == FIGURE_STATM)
		err = statm_parse(stream, &s->statm);
	else if (source == FIGURE_SMAPS)
		err = smaps_parse(stream, &s->smaps, &line);
	else if (source == FIGURE_ROLLUP)
		err = smaps_parse(stream, &s->rollup, &line);
	else
		err = numa_maps_parse(stream, &s->numa, &line);
	if (stream)
		fclose(stream);

	if (!err)
		s->has |= 1U << source;
	if (err == -ESRCH || (err == -ENOENT && source == FIGURE_STATUS))
		return CLIENT_GONE;
	if (err == -EINVAL)
		return fail(EXIT_UNCHECKED, "%s:%zu: not understood", path,
			    line);
	if (err)
		snprintf(rss->why_not[source], sizeof(rss->why_not[source]),
			 "%s", strerror(-err));
	return 0;
}

static void clear_shown(struct shown *s)
{
	smaps_free(&s->smaps);
	smaps_free(&s->rollup);
	numa_maps_free(&s->numa);
	s->has = 0;
}

static int read_files(struct rss *rss, pid_t pid, uint32_t sources)
{
	int status = 0;

	clear_shown(&rss->shown);
	for (int i = 0; !status && i < NR_FIGURE_SOURCES; i++)
		if (sources & 1U << i)
			status = read_file(rss, pid, i);
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
static bool try_counters(void)
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

static void wait_before(unsigned int round)
{
	struct timespec time = { .tv_nsec = (round > 6 ? 50 : 1L << round >> 1) *
					    1000000L };

	if (round)
		nanosleep(&time, NULL);
}

/*
 * What a figure is about. Figures of two rounds with the same key are the
 * same one.
 */
static bool same_figure(const struct figure *a, const struct figure *b)
{
	return a->source == b->source && a->start == b->start &&
	       a->node == b->node && !strcmp(a->field, b->field);
}

/* Bounds that are alike: the two truths before and after agree on it. */
static bool same_bounds(const struct figure *a, const struct figure *b)
{
	return a->low == b->low && a->high == b->high && a->last == b->last;
}

/**
 * struct memory - of a figure that differed, from round to round
 * @figure: As it was the last time.
 * @strikes: Rounds in a row in which it differed while the truth held still.
 */
struct memory {
	struct figure figure;
	unsigned int strikes;
};

struct memories {
	struct memory *memory;
	size_t nr;
};

static struct memory *recall(struct memories *m, const struct figure *f)
{
	for (size_t i = 0; i < m->nr; i++)
		if (same_figure(&m->memory[i].figure, f))
			return &m->memory[i];
	return NULL;
}

/*
 * One round's figures, compared twice: with the truth before (@rss) and after
 * (@after). Sets the verdicts for the case that it is the last round; returns
 * whether all is decided, or -1 without memory.
 */
static int weigh(struct rss *rss, const struct figures *after, bool moved,
		 struct memories *m)
{
	struct memories next = { 0 };
	struct memory *old;
	struct figure *f;
	int decided = !moved;
	size_t j = 0;
	bool still;

	next.memory = calloc(rss->figures.nr + 1, sizeof(*next.memory));
	if (!next.memory)
		return -1;
	for (size_t i = 0; i < rss->figures.nr; i++) {
		f = &rss->figures.figure[i];
		if (f->verdict != FIGURE_MISMATCH)
			continue;
		while (j < after->nr && !same_figure(&after->figure[j], f))
			j++;
		if (j == after->nr)
			j = 0;
		still = after->nr && same_figure(&after->figure[j], f) &&
			same_bounds(&after->figure[j], f) && !moved;
		if (!still && after->nr &&
		    same_figure(&after->figure[j], f) &&
		    after->figure[j].verdict != FIGURE_MISMATCH && !moved) {
			*f = after->figure[j];
			continue;
		}
		old = recall(m, f);
		next.memory[next.nr].figure = *f;
		next.memory[next.nr].strikes = still ?
			(old ? old->strikes : 0) + 1 : 0;
		if (next.memory[next.nr].strikes < RSS_ROUNDS) {
			decided = 0;
			f->verdict = FIGURE_UNSTABLE;
		}
		next.nr++;
	}
	free(m->memory);
	*m = next;
	return decided;
}

static void set_counted(struct counted *c, const struct kernel_info *info,
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
	};

	rss->truth = s->truth;
	rss->each = s->each;
	rss->nr_each = s->nr_each;
	rss->told = s->told;
	*s = old;
}

static int one_round(struct client *client, pid_t pid,
		     const struct rss_options *options, struct rss *rss,
		     struct side *side, struct figures *after, bool *moved)
{
	const struct kernel_info *info = client_info(client);
	struct counted counted;
	bool other = false;
	int status;

	status = read_side(client, pid, options, side);
	if (status)
		return status;
	*moved = side->moved;
	set_counted(&counted, info, side);
	swap_sides(rss, side);
	rss->counted = counted;

	status = read_files(rss, pid, options->sources);
	if (!status)
		status = read_side(client, pid, options, side);
	if (status)
		return status;
	*moved |= side->moved;
	if (reconcile(&rss->counted, &rss->shown, &rss->figures, &other))
		return request_no_memory();
	*moved |= other;
	set_counted(&counted, info, side);
	if (reconcile(&counted, &rss->shown, after, &other))
		return request_no_memory();
	*moved |= other;
	return 0;
}

int rss_read(struct client *client, pid_t pid,
	     const struct rss_options *options, struct rss *rss)
{
	struct figures after = { 0 };
	struct memories memories = { 0 };
	struct side side = { 0 };
	int status = 0, decided = 0;
	bool moved = false;

	rss->shown.exact_counters = try_counters();
	rss->shown.known_bugs = options->known_bugs;
	rss->shown.cpus = sysconf(_SC_NPROCESSORS_CONF);
	for (unsigned int i = 0; !status && !decided && i < options->rounds;
	     i++) {
		wait_before(i);
		status = one_round(client, pid, options, rss, &side, &after,
				   &moved);
		if (!status)
			decided = weigh(rss, &after, moved, &memories);
		if (decided < 0)
			status = request_no_memory();
	}
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		rss->verdict[i] = 0;
	for (size_t i = 0; i < rss->figures.nr; i++)
		rss->verdict[rss->figures.figure[i].verdict]++;
	/* Mappings that came and went all the time have no figures. */
	if (moved)
		rss->verdict[FIGURE_UNSTABLE]++;
	side_free(&side);
	figures_free(&after);
	free(memories.memory);
	return status;
}

void rss_free(struct rss *rss)
{
	clear_shown(&rss->shown);
	for (size_t i = 0; i < rss->nr_each; i++)
		totals_free(&rss->each[i]);
	free(rss->each);
	totals_free(&rss->counted.sum);
	truth_free(&rss->truth);
	figures_free(&rss->figures);
	memset(rss, 0, sizeof(*rss));
}
