// SPDX-License-Identifier: GPL-2.0
/*
 * A round reads the truth, what the kernel shows, and, unless all is well, the
 * truth again; what judge_figures.c makes of it decides whether there is another.
 * It goes through the mappings in parts, so that it takes little memory, and what
 * is compared was read shortly one after the other; the sums come behind them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "check/crash_risk.h"
#include "check/examine.h"
#include "module/client.h"
#include "module/entry.h"
#include "proc/map_files.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"
#include "proc/spaces.h"
#include "sums/rss.h"

#define PART_VMAS	1024
#define COUNTER_TRIES	5

/* What ends the reading of the truth: there is one VMA more. */
#define PART_FULL	1

/**
 * struct side - one reading of the truth, part by part
 * @info: The kernel.
 * @pid: The process.
 * @stop: As in struct rss_options.
 * @whole: It is about all of the process, of which the files are to be read.
 * @most: So many VMAs at a time.
 * @next: Where the next part begins.
 * @last: Where the last one ends.
 * @ended: There is no other part.
 * @truth: The VMAs of the part; the extents only for a recording.
 * @each: Totals of each of them, @nr_each; room for @max_each.
 * @sum: Totals of all parts so far, and @tables their page tables.
 * @first_vma: Where the first VMA begins, and @last_vma where the last one ends.
 */
struct side {
	const struct ptwalk_kernel *info;
	pid_t pid;
	const volatile sig_atomic_t *stop;
	bool whole;
	size_t most;
	uint64_t next, last;
	bool ended;
	struct truth truth;
	struct totals *each;
	size_t nr_each, max_each;
	struct totals sum;
	struct totals_tables tables;
	uint64_t first_vma, last_vma;
};

/* Forgets the part. */
static void side_clear(struct side *s)
{
	for (size_t i = 0; i < s->nr_each; i++)
		totals_free(&s->each[i]);
	s->nr_each = 0;
	s->truth.nr_vmas = 0;
}

static void side_free(struct side *s)
{
	side_clear(s);
	free(s->each);
	totals_free(&s->sum);
	truth_free(&s->truth);
}

static bool is_stopped(const volatile sig_atomic_t *stop)
{
	return stop && *stop;
}

static int stopped(void)
{
	return error_set(-EINTR, "interrupted");
}

/* Counts what a message tells. */
static int count_runs(struct truth *truth, const struct ptwalk_runs *runs,
		      const struct ptwalk_page *pages, uint64_t from)
{
	struct side *s = truth->arg;
	int err;

	if (is_stopped(s->stop))
		return stopped();
	if (truth->nr_vmas > s->most)
		return PART_FULL;
	err = s->whole ? crash_risk_in(s->info, s->pid, runs, true) : 0;
	if (err)
		return err;
	if (!array_room(&s->each, &s->max_each, truth->nr_vmas, sizeof(*s->each)))
		return error_no_memory();
	for (; s->nr_each < truth->nr_vmas; s->nr_each++)
		memset(&s->each[s->nr_each], 0, sizeof(*s->each));
	return totals_take(&s->each[s->nr_each - 1], &s->tables, s->info, runs,
			   pages, from) ? error_no_memory() : 0;
}

/* The same where extents are kept. */
static int count_kept_extents(struct truth *truth, const struct ptwalk_extent *extents,
			      const struct ptwalk_page *pages, size_t nr)
{
	const struct ptwalk_vma *vma = &truth->vmas[truth->nr_vmas - 1];
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];
		const uint64_t words[] = { e->bits, e->pages, e->value };
		const struct ptwalk_runs runs = {
			.vma = *vma, .start = e->addr, .word = words, .nr = 3,
		};

		err = count_runs(truth, &runs, &pages[i], e->addr);
	}
	return err;
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
static void side_cut(struct side *s, const struct ranges *ranges)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr_each; i++) {
		if (!lies_in(ranges, &s->truth.vmas[i])) {
			totals_free(&s->each[i]);
			continue;
		}
		s->truth.vmas[kept] = s->truth.vmas[i];
		s->each[kept++] = s->each[i];
	}
	s->truth.nr_vmas = s->nr_each = kept;
}

/* Reading begins anew, of [@start, @last]. */
static void side_begin(struct side *s, uint64_t start, uint64_t last)
{
	totals_free(&s->sum);
	memset(&s->tables, 0, sizeof(s->tables));
	s->next = start;
	s->last = last;
	s->ended = start > last;
}

/* Adds the policies to the mappings of the part, if there is who tells them. */
static int read_policies(struct ptwalk *client, struct side *s)
{
	const size_t nr = s->truth.nr_vmas;
	struct ptwalk_policy *policies = calloc(nr + 1, sizeof(*policies));
	uint64_t *addrs = calloc(nr + 1, sizeof(*addrs));
	int err = -ENOMEM;

	for (size_t i = 0; addrs && i < nr; i++)
		addrs[i] = s->truth.vmas[i].start;
	if (addrs && policies)
		err = ptwalk_policies(client, s->pid, addrs, nr, policies);
	for (size_t i = 0; !err && i < nr; i++) {
		struct ptwalk_vma *vma = &s->truth.vmas[i];

		vma->has_policy = policies[i].mode != PTWALK_NO_POLICY;
		vma->policy = vma->has_policy ? policies[i].mode : 0;
		vma->policy_nodes = policies[i].nodes;
	}
	free(addrs);
	free(policies);
	if (!err || err == -ENOENT || err == -EOPNOTSUPP)
		return 0;
	return err == -ENOMEM ? error_no_memory() : client_error(client, s->pid, err);
}

/* Reads the next part, unless it has ended. */
static int read_part(struct ptwalk *client, const struct rss_options *options,
		     struct side *s)
{
	int status;

	side_clear(s);
	if (s->ended)
		return 0;
	status = truth_read(client, s->pid, s->next, s->last, &s->truth);
	if (status == PART_FULL)
		s->truth.nr_vmas = s->most;
	else
		s->ended = true;
	if (status && status != PART_FULL)
		return status;
	if (!s->ended)
		s->next = s->truth.vmas[s->most - 1].last + 1;
	if (options->ranges)
		side_cut(s, options->ranges);
	if (options->sources & 1U << FIGURE_NUMA_MAPS) {
		status = read_policies(client, s);
		if (status)
			return status;
	}
	if (s->nr_each && !s->sum.vmas)
		s->first_vma = s->truth.vmas[0].start;
	for (size_t i = 0; i < s->nr_each; i++) {
		s->last_vma = s->truth.vmas[i].last;
		totals_vma(&s->each[i], &s->truth.vmas[i], s->info->page_shift);
		if (totals_add(&s->sum, &s->each[i]))
			return error_no_memory();
	}
	return 0;
}

/* Where the part ends that was read last. */
static uint64_t part_last(const struct side *s)
{
	return s->ended ? UINT64_MAX : s->next - 1;
}

/* Reads all of a file, and gives another to read it from. */
static int keep_text(FILE **stream, char **text)
{
	int err;

	free(*text);
	err = text_take(*stream, text);
	fclose(*stream);
	*stream = NULL;
	if (err)
		return err;
	*stream = **text ? fmemopen(*text, strlen(*text), "r") :
				    fopen("/dev/null", "re");
	return *stream ? 0 : -errno;
}

/**
 * struct round - one round
 * @client: The module.
 * @pid: The process.
 * @options: How to look.
 * @rss: What comes of it.
 * @side: The truth, and @again the same once more.
 * @start: Where it begins, to @last.
 * @lines: The files that are open, as far as they are read.
 * @after: The figures that differ, with the truth as it is then.
 */
struct round {
	struct ptwalk *client;
	pid_t pid;
	const struct rss_options *options;
	struct rss *rss;
	struct side side, again;
	uint64_t start, last;
	struct long_lines lines[NR_FIGURE_SOURCES];
	struct figures after;
};

static FILE *open_figures(const struct round *r, enum figure_source source, int *err)
{
	return source == FIGURE_QUERY ? procmap_query_fopen(r->pid, r->options->draw, err) :
	       source == FIGURE_MAP_FILES ? map_files_fopen(r->pid, err) :
	       procs_fopen(r->pid, figure_source_name[source], err);
}

/*
 * What came of a file that was opened or read. Nothing is compared with one that
 * can't be read; @rss tells why.
 */
static int judge_file(struct rss *rss, pid_t pid, enum figure_source source,
		      bool opened, int err, size_t line)
{
	if (err && procs_gone(pid, err))
		return client_gone(pid);
	if (err == -EINVAL)
		return error_set(err, "/proc/%d/%s:%zu: not understood",
				 (int)pid, figure_source_name[source], line);
	if (!opened && !err)
		rss->none |= 1U << source;
	if (!opened || err)
		snprintf(rss->why_not[source], sizeof(rss->why_not[source]),
			 "%s", err ? strerror(-err) : RSS_NONE);
	return 0;
}

static int open_source(struct round *r, enum figure_source source)
{
	struct long_lines *l = &r->lines[source];
	bool opened;
	int err;

	l->stream = open_figures(r, source, &err);
	opened = l->stream;
	if (opened && r->options->keep)
		err = keep_text(&l->stream, &r->rss->text[source]);
	return judge_file(r->rss, r->pid, source, opened, err, 0);
}

static void close_lines(struct round *r)
{
	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (r->lines[i].stream)
			fclose(r->lines[i].stream);
		free(r->lines[i].text);
	}
	memset(r->lines, 0, sizeof(r->lines));
}

/* What the files say of the mappings up to @last. */
static int read_lines(struct round *r, uint64_t last)
{
	struct shown *shown = &r->rss->shown;
	struct long_lines *l;
	int status = 0, err;

	shown_free_mappings(shown);
	for (int i = 0; !status && i < NR_FIGURE_SOURCES; i++) {
		l = &r->lines[i];
		if (!l->stream || r->rss->why_not[i][0])
			continue;
		err = shown_parse_until(shown, i, l, last);
		status = judge_file(r->rss, r->pid, i, true, err, l->number);
	}
	return status;
}

/* A file about the whole process. */
static int read_whole_file(struct round *r, enum figure_source source)
{
	FILE *stream;
	size_t line;
	int status = open_source(r, source), err;

	stream = r->lines[source].stream;
	if (status || !stream)
		return status;
	err = shown_parse(&r->rss->shown, source, stream, &line);
	fclose(stream);
	r->lines[source].stream = NULL;
	return judge_file(r->rss, r->pid, source, true, err, line);
}

/* Those with lines for each mapping are opened, and others read, if @whole. */
static int read_files(struct round *r, bool whole)
{
	const uint32_t sources = r->options->sources;
	int status = 0;

	for (int i = 0; !status && i < NR_FIGURE_SOURCES; i++) {
		if (!(sources & 1U << i) || !(SHOWN_BY_MAPPING & 1U << i) != whole)
			continue;
		status = whole ? read_whole_file(r, i) : open_source(r, i);
	}
	return status;
}

/* A number in a file of ourselves, behind @key, without a page fault on the way. */
static long own_number(int fd, const char *key)
{
	static char text[4096];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *p;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	p = strstr(text, key);
	return p ? strtol(p + strlen(key), NULL, 10) : -1;
}

bool rss_seen_at_once(const long *shown, size_t nr, long page)
{
	size_t i = 1;

	while (i < nr && shown[i - 1] >= 0 && shown[i] - shown[i - 1] == page)
		i++;
	return i == nr;
}

/* Of ourselves, as a file shows it behind @key, between writing one page and the next. */
static bool try_counter(const char *path, const char *key, long page)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	static long shown[COUNTER_TRIES + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	volatile char *mem;

	mem = mmap(NULL, size * COUNTER_TRIES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* What it takes to read is there before: all of @shown, and by one time more. */
	memset(shown, -1, sizeof(shown));
	if (mem != MAP_FAILED) {
		madvise((void *)mem, size * COUNTER_TRIES, MADV_NOHUGEPAGE);
		for (int i = -1; i <= COUNTER_TRIES; i++) {
			if (i > 0)
				mem[(i - 1) * size] = 1;
			shown[i < 0 ? 0 : i] = own_number(fd, key);
		}
		munmap((void *)mem, size * COUNTER_TRIES);
	}
	if (fd >= 0)
		close(fd);
	return rss_seen_at_once(shown, COUNTER_TRIES + 1, page);
}

/*
 * Whether a page more is seen at once. Up to Linux 6.15 counters were handed
 * over in batches, and some distributions have what mended it in older ones;
 * that was one change for status and statm. So where one of them is exact and
 * the other isn't, the other is wrong; statm is read for a seventh of it.
 */
static bool try_counters_once(void)
{
	return try_counter("/proc/self/statm", " ", 1) ||
	       try_counter("/proc/self/status", "\nRssAnon:", sysconf(_SC_PAGESIZE) >> 10);
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

/* How exact the counters can be that are shown of the whole process. */
static void find_slacks(struct shown *shown, const struct ptwalk_kernel *kernel)
{
	shown->exact_counters = try_counters();
	shown->only_mlock = rss_only_mlock("/sys", kernel);
	shown->cpus = sysconf(_SC_NPROCESSORS_CONF);
}

static struct counted counted_by(const struct round *r, const struct side *s)
{
	return (struct counted){
		.info = s->info,
		.levels = s->truth.levels,
		.vmas = s->truth.vmas,
		.each = s->each,
		.nr = s->nr_each,
		.sum = s->sum,
		.start = s->first_vma,
		.last = s->last_vma,
		.tables = s->tables,
		.part = r->options->ranges,
	};
}

/* Whether those from the @from-th on are well. */
static bool is_well(const struct figures *figures, size_t from)
{
	for (size_t i = from; i < figures->nr; i++)
		if (figures->figure[i].verdict == FIGURE_MISMATCH)
			return false;
	return true;
}

/*
 * Compares what @r->side has by @compare; if it differs, with a second look at the truth
 * from @start to @last, too, at @most VMAs at a time.
 */
static int look_twice(struct round *r, uint64_t start, uint64_t last, size_t most,
		      int (*compare)(const struct counted *counted,
				     const struct shown *shown, struct figures *figures))
{
	struct figures *figures = &r->rss->figures;
	struct counted counted = counted_by(r, &r->side);
	const size_t before = figures->nr;
	int status = 0;

	if (compare(&counted, &r->rss->shown, figures))
		return error_no_memory();
	if (is_well(figures, before))
		return 0;

	side_begin(&r->again, start, last);
	r->again.most = most;
	while (!status && !r->again.ended)
		status = read_part(r->client, r->options, &r->again);
	if (status)
		return status;
	counted = counted_by(r, &r->again);
	if (figures_want(&r->after, figures) ||
	    compare(&counted, &r->rss->shown, &r->after))
		return error_no_memory();
	return 0;
}

/* The part that @r->side has, from @start on. */
static int round_compare_part(struct round *r, uint64_t start)
{
	const uint64_t last = r->side.ended ? r->last : r->side.next - 1;
	int status;

	if (!r->side.nr_each && r->options->ranges)
		return 0;
	status = read_lines(r, part_last(&r->side));
	return status ? status : look_twice(r, start, last, SIZE_MAX, reconcile_mappings);
}

/* The sums, which are compared once all parts have been read. */
static int round_compare_whole(struct round *r)
{
	int status;

	if (r->options->ranges)
		return 0;
	status = read_files(r, true);
	return status ? status :
	       look_twice(r, r->start, r->last, r->side.most, reconcile_whole);
}

/* @r->after gets no figures if those of @r->rss are all well. */
static int one_round(struct round *r)
{
	const pid_t newest = procs_newest();
	uint64_t start;
	int status = 0;

	figures_restart(&r->rss->figures);
	figures_restart(&r->after);
	shown_free(&r->rss->shown);
	if (r->options->sources & 1U << FIGURE_SMAPS)
		status = thp_settings_read("/sys/kernel/mm",
					   1ULL << huge_shift(r->side.info),
					   &r->rss->shown.thp);
	side_begin(&r->side, r->start, r->last);
	if (!status)
		status = read_files(r, false);
	while (!status && !r->side.ended) {
		start = r->side.next;
		status = read_part(r->client, r->options, &r->side);
		if (!status)
			status = round_compare_part(r, start);
	}
	if (!status)
		status = round_compare_whole(r);
	close_lines(r);
	r->rss->forked = newest < 0 || procs_newest() != newest;
	return status;
}

/* From the first to the last of the ranges that are asked for. */
static void round_bounds(struct round *r)
{
	const struct ranges *ranges = r->options->ranges;

	r->start = ranges ? UINT64_MAX : 0;
	r->last = ranges ? 0 : UINT64_MAX;
	for (size_t i = 0; ranges && i < ranges->nr; i++) {
		if (ranges->range[i].start < r->start)
			r->start = ranges->range[i].start;
		if (ranges->range[i].last > r->last)
			r->last = ranges->range[i].last;
	}
}

static void side_prepare(struct side *s, const struct round *r)
{
	s->info = ptwalk_kernel(r->client);
	s->pid = r->pid;
	s->stop = r->options->stop;
	s->whole = !r->options->ranges;
	s->most = r->options->keep ? SIZE_MAX : PART_VMAS;
	s->truth.want_pages = true;
	s->truth.take_runs = r->options->keep ? NULL : count_runs;
	s->truth.take = count_kept_extents;
	s->truth.arg = s;
}

/* What @rss keeps of a round: the sums, and for a recording all of it. */
static void keep_round(struct round *r)
{
	struct rss *rss = r->rss;

	rss->counted = counted_by(r, &r->side);
	memset(&r->side.sum, 0, sizeof(r->side.sum));
	if (!r->options->keep) {
		rss->counted.vmas = NULL;
		rss->counted.each = NULL;
		rss->counted.nr = 0;
		return;
	}
	rss->truth = r->side.truth;
	rss->each = r->side.each;
	rss->nr_each = r->side.nr_each;
	memset(&r->side, 0, sizeof(r->side));
}

int rss_read(struct ptwalk *client, pid_t pid,
	     const struct rss_options *options, struct rss *rss)
{
	struct round r = {
		.client = client, .pid = pid, .options = options, .rss = rss,
	};
	struct strikes strikes = { 0 };
	struct figure_round round = { 0 };
	int status = 0, state = ROUNDS_OPEN;
	struct rounds rounds = {
		.pid = pid, .retries = options->rounds, .step = 3000000,
		.asleep = procs_asleep(pid),
	};

	/* The files show all of a process, whatever part of it is asked for. */
	if (options->ranges)
		status = crash_risk_refuse(client, pid, 0, UINT64_MAX, true);
	if (options->sources & ~SHOWN_BY_MAPPING)
		find_slacks(&rss->shown, ptwalk_kernel(client));
	rss->shown.known_bugs = options->known_bugs;
	rss->figures.sieve = !options->every;
	round_bounds(&r);
	side_prepare(&r.side, &r);
	side_prepare(&r.again, &r);
	while (!status && rounds_next(&rounds, state)) {
		status = is_stopped(options->stop) ? stopped() : one_round(&r);
		if (status)
			break;
		round.last = rounds_last(&rounds);
		round.forked = rss->forked;
		round.slept = r.after.nr && rounds_slept(&rounds);
		state = judge_figures(&rss->figures, &r.after, &round, &strikes);
		if (state < 0)
			status = error_no_memory();
		if (!round.slept && r.after.nr)
			rounds.asleep = procs_asleep(pid);
	}
	keep_round(&r);
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		rss->verdict[i] = 0;
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		rss->verdict[FIGURE_MATCH] += rss->figures.matched[i];
	for (size_t i = 0; i < rss->figures.nr; i++)
		rss->verdict[rss->figures.figure[i].verdict]++;
	side_free(&r.side);
	side_free(&r.again);
	figures_free(&r.after);
	strikes_free(&strikes);
	return status;
}

void rss_free(struct rss *rss)
{
	shown_free(&rss->shown);
	totals_free_all(rss->each, rss->nr_each);
	totals_free(&rss->counted.sum);
	truth_free(&rss->truth);
	figures_free(&rss->figures);
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		free(rss->text[i]);
	memset(rss, 0, sizeof(*rss));
}
