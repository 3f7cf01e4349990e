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
#include "module/entry.h"
#include "proc/map_files.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"
#include "sums/rss.h"

/**
 * struct side - one reading of the truth
 * @info: The kernel.
 * @pid: The process.
 * @stop: As in struct rss_options.
 * @whole: It is about all of the process, of which the files are to be read.
 * @truth: Its VMAs; the extents only for a recording.
 * @each: Totals of each of them, @nr_each; room for @max_each.
 */
struct side {
	const struct ptwalk_kernel *info;
	pid_t pid;
	const volatile sig_atomic_t *stop;
	bool whole;
	struct truth truth;
	struct totals *each;
	size_t nr_each, max_each;
	struct totals sum;
	struct totals_tables tables;
};

static void side_clear(struct side *s)
{
	totals_free_all(s->each, s->nr_each);
	s->each = NULL;
	s->nr_each = s->max_each = 0;
	totals_free(&s->sum);
	memset(&s->tables, 0, sizeof(s->tables));
	s->truth.nr_vmas = 0;
}

static void side_free(struct side *s)
{
	side_clear(s);
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
static int count(struct truth *truth, const struct ptwalk_runs *runs,
		 const struct ptwalk_page *pages, uint64_t from)
{
	struct side *s = truth->arg;
	int err;

	if (is_stopped(s->stop))
		return stopped();
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
static int count_extents(struct truth *truth, const struct ptwalk_extent *extents,
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

		err = count(truth, &runs, &pages[i], e->addr);
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
static void cut(struct side *s, const struct ranges *ranges)
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

static int read_side(struct ptwalk *client, pid_t pid,
		     const struct rss_options *options, struct side *s)
{
	const struct ranges *ranges = options->ranges;
	uint64_t start = ranges ? UINT64_MAX : 0;
	uint64_t last = ranges ? 0 : UINT64_MAX;
	int status;

	for (size_t i = 0; ranges && i < ranges->nr; i++) {
		if (ranges->range[i].start < start)
			start = ranges->range[i].start;
		if (ranges->range[i].last > last)
			last = ranges->range[i].last;
	}
	side_clear(s);
	if (start > last)
		return 0;
	s->info = ptwalk_kernel(client);
	s->pid = pid;
	s->stop = options->stop;
	s->whole = !ranges;
	s->truth.want_pages = true;
	s->truth.take_runs = options->keep ? NULL : count;
	s->truth.take = count_extents;
	s->truth.arg = s;
	status = truth_read(client, pid, start, last, &s->truth);
	if (status)
		return status;
	if (ranges)
		cut(s, ranges);
	for (size_t i = 0; i < s->nr_each; i++) {
		totals_vma(&s->each[i], &s->truth.vmas[i], s->info->page_shift);
		if (totals_add(&s->sum, &s->each[i]))
			return error_no_memory();
	}
	return 0;
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
	if (options->sources & 1U << FIGURE_SMAPS)
		thp_settings_read("/sys/kernel/mm",
				  1ULL << huge_shift(rss->counted.info),
				  &rss->shown.thp);
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
	};

	rss->truth = s->truth;
	rss->each = s->each;
	rss->nr_each = s->nr_each;
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
	if (is_well(&rss->figures))
		return 0;

	status = read_side(client, pid, options, side);
	if (status)
		return status;
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
	struct side side = { 0 };
	int status = 0, decided = 0;
	bool last;

	/* The files show all of a process, whatever part of it is asked for. */
	if (options->ranges)
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
		status = is_stopped(options->stop) ? stopped() :
			 one_round(client, pid, options, rss, &side, &after);
		if (!status)
			decided = judge_figures(&rss->figures, &after,
						rss->forked, last, &strikes);
		if (decided < 0)
			status = error_no_memory();
	}
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		rss->verdict[i] = 0;
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		rss->verdict[FIGURE_MATCH] += rss->figures.matched[i];
	for (size_t i = 0; i < rss->figures.nr; i++)
		rss->verdict[rss->figures.figure[i].verdict]++;
	side_free(&side);
	figures_free(&after);
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
