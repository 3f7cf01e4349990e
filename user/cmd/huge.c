// SPDX-License-Identifier: GPL-2.0
/* ptwalk huge: what is mapped by huge leaves, and why the rest isn't. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "huge/count.h"
#include "module/client.h"
#include "module/entry.h"
#include "module/version.h"
#include "proc/maps.h"
#include "proc/subject.h"
#include "report/record.h"

#define SHARE_SIZE	32

/**
 * struct huge - the command at work
 * @header: It was printed.
 * @goal: Of --expect, which is @expect as it was given.
 * @facts: For @counter of the VMA that is being counted, if @counting, or was
 *	counted last.
 * @range: That is read.
 * @sum: Of all.
 * @at: Where the last extent begins that was counted.
 */
struct huge {
	struct subject subject;
	struct ptwalk *client;
	struct maps maps;
	struct ranges ranges;
	bool json, verbose, human, header;
	const char *expect;
	struct huge_goal goal;
	struct thp_settings settings;
	struct thp_process process;
	struct tmpfs_mounts tmpfs;
	struct truth truth;
	struct huge_facts facts;
	struct huge_counter counter;
	bool counting;
	const struct range *range;
	struct huge_sum sum;
	uint64_t at;
};

static const struct ptwalk_kernel *kernel_of(const struct huge *h)
{
	return ptwalk_kernel(h->client);
}

static uint64_t huge_size(const struct huge *h)
{
	return 1ULL << huge_shift(kernel_of(h));
}

static const char *size_of(const struct huge *h, uint64_t pages,
			   char buf[FORMAT_SIZE])
{
	const uint64_t bytes = pages << kernel_of(h)->page_shift;

	return h->human ? format_human(bytes, buf) : format_size(bytes, buf);
}

/* "12.5%", rounded down, so that 100.0% is all of it; "-" of nothing. */
static const char *share_of(uint64_t pages, uint64_t all, char buf[SHARE_SIZE])
{
	if (all)
		snprintf(buf, SHARE_SIZE, "%" PRIu64 ".%" PRIu64 "%%",
			 pages * 100 / all, pages * 1000 / all % 10);
	else
		snprintf(buf, SHARE_SIZE, "-");
	return buf;
}

static void print_huge_header(struct huge *h)
{
	const struct thp_settings *s = &h->settings;
	char size[FORMAT_SIZE], in[FORMAT_SIZE + 8];

	if (h->header)
		return;
	h->header = true;
	format_size(huge_size(h), size);
	if (s->absent || !(kernel_of(h)->features & PTWALK_FEATURE_THP))
		printf("no transparent huge pages\n");
	else
		printf("transparent huge pages: %s of anonymous memory, %s of files, %s of shared memory\n",
		       thp_mode_name(s->anon), thp_mode_name(s->files),
		       thp_mode_name(s->shmem));
	snprintf(in, sizeof(in), "IN %s", size);
	printf("%-37s %12s %9s %8s %8s %s\n", "RANGE", "MAPPED", in, "WINDOWS",
	       "HUGE", "NAME: WHY NOT");
}

static void print_huge_columns(const struct huge *h, const char *what,
			       const struct huge_sum *sum)
{
	char size[FORMAT_SIZE], share[SHARE_SIZE];

	printf("%-37s %12s %9s %8" PRIu64 " %8" PRIu64, what,
	       size_of(h, sum->present, size),
	       share_of(huge_at_least(sum, huge_size(h)), sum->present, share),
	       sum->windows, sum->huge);
}

/* "    leaves of 4K: 12M (60.0%), of 2M: 8M (40.0%)" */
static void print_bytes(const struct huge *h, const char *what, const uint64_t *pages,
			uint64_t all)
{
	char bytes[FORMAT_SIZE], size[FORMAT_SIZE], share[SHARE_SIZE];

	for (unsigned int i = 0; i < HUGE_SHIFTS; i++) {
		if (!pages[i])
			continue;
		printf("%s%s: %s (%s)", what, format_size(1ULL << i, bytes),
		       size_of(h, pages[i], size), share_of(pages[i], all, share));
		what = ", of ";
	}
}

/* The same of what is aligned, and of folios. */
static void print_huge_sizes(const struct huge *h, const struct huge_sum *sum)
{
	char size[FORMAT_SIZE], share[SHARE_SIZE];
	const char *separator = "\n    folios of order ";

	print_bytes(h, "    leaves of ", sum->leaf, sum->present);
	print_bytes(h, "\n    aligned for leaves of ", sum->aligned, sum->present);
	for (unsigned int i = 0; i < HUGE_SHIFTS; i++) {
		if (!sum->order[i])
			continue;
		printf("%s%u: %s (%s)", separator, i,
		       size_of(h, sum->order[i], size),
		       share_of(sum->order[i], sum->present, share));
		separator = ", of order ";
	}
	if (sum->no_folio)
		printf("\n    without a folio: %s (%s)",
		       size_of(h, sum->no_folio, size),
		       share_of(sum->no_folio, sum->present, share));
	if (sum->present)
		putchar('\n');
}

static bool has_reason(const struct huge_sum *sum, unsigned int reason)
{
	return sum->why[reason].windows || sum->why[reason].pages;
}

static void print_huge_reasons(const struct huge *h, const struct huge_sum *sum)
{
	char size[FORMAT_SIZE];

	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++)
		if (has_reason(sum, i))
			printf("    %-15s %8" PRIu64 " window%s %12s  %s [%s]\n",
			       huge_reasons[i].name, sum->why[i].windows,
			       sum->why[i].windows == 1 ? " " : "s",
			       size_of(h, sum->why[i].pages, size),
			       huge_reasons[i].text,
			       huge_decided_by(i, kernel_version(kernel_of(h))));
}

/* Of a VMA, what lies in the range that was asked for. */
static struct ptwalk_vma part_in_range(const struct huge *h, const struct ptwalk_vma *vma)
{
	struct ptwalk_vma part = *vma;

	if (h->range->start > vma->start) {
		part.start = h->range->start;
		part.pgoff += (part.start - vma->start) >> kernel_of(h)->page_shift;
	}
	if (h->range->last < vma->last)
		part.last = h->range->last;
	return part;
}

/* A line of a VMA in which something is mapped. */
static void print_huge_row(struct huge *h, const struct ptwalk_vma *vma)
{
	const struct ptwalk_vma part = part_in_range(h, vma);
	const char *name = maps_name_at(&h->maps, vma->start);
	const char *separator = ": ";
	char range[FORMAT_RANGE];

	if (!h->counter.sum.present)
		return;
	print_huge_header(h);
	print_huge_columns(h, format_range(part.start, part.last, range),
			   &h->counter.sum);
	putchar(' ');
	out_text(maps_title(name));
	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		if (!h->counter.sum.why[i].pages)
			continue;
		printf("%s%s", separator, huge_reasons[i].name);
		separator = ", ";
	}
	putchar('\n');
	if (h->verbose) {
		print_huge_sizes(h, &h->counter.sum);
		print_huge_reasons(h, &h->counter.sum);
	}
	out_check();
}

/* How many pages there are of each number of bytes. */
static void bytes_json(const char *name, const uint64_t *pages)
{
	char bytes[24];

	jsonw_object(name);
	for (unsigned int i = 0; i < HUGE_SHIFTS; i++) {
		if (!pages[i])
			continue;
		snprintf(bytes, sizeof(bytes), "%" PRIu64, (uint64_t)1 << i);
		jsonw_number(bytes, pages[i]);
	}
	jsonw_close();
}

static void orders_json(const struct huge_sum *sum)
{
	char order[24];

	jsonw_object("orders");
	for (unsigned int i = 0; i < HUGE_SHIFTS; i++) {
		if (!sum->order[i])
			continue;
		snprintf(order, sizeof(order), "%u", i);
		jsonw_number(order, sum->order[i]);
	}
	jsonw_close();
}

static void huge_reasons_json(const struct huge *h, const struct huge_sum *sum, bool words)
{
	jsonw_array("reasons");
	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		if (!has_reason(sum, i))
			continue;
		jsonw_object(NULL);
		jsonw_text("reason", huge_reasons[i].name);
		jsonw_number("windows", sum->why[i].windows);
		jsonw_number("pages", sum->why[i].pages);
		if (words) {
			jsonw_text("why", huge_reasons[i].text);
			jsonw_text("decided_by",
				   huge_decided_by(i, kernel_version(kernel_of(h))));
		}
		jsonw_close();
	}
	jsonw_close();
}

static void huge_sum_json(const struct huge *h, const struct huge_sum *sum, bool words)
{
	jsonw_number("mapped", sum->present);
	jsonw_number("in_huge", huge_at_least(sum, huge_size(h)));
	bytes_json("leaves", sum->leaf);
	bytes_json("aligned", sum->aligned);
	orders_json(sum);
	jsonw_number("no_folio", sum->no_folio);
	jsonw_number("windows", sum->windows);
	jsonw_number("huge", sum->huge);
	huge_reasons_json(h, sum, words);
}

static void print_huge_vma_json(const struct huge *h, const struct ptwalk_vma *vma)
{
	const struct ptwalk_vma part = part_in_range(h, vma);

	jsonw_begin("vma");
	jsonw_number("pid", h->subject.pid);
	record_vma_json(&part, false, maps_name_at(&h->maps, vma->start));
	huge_sum_json(h, &h->counter.sum, false);
	jsonw_end();
}

/* The VMA that is counted has ended, as @vma. */
static void end_vma_row(struct huge *h, const struct ptwalk_vma *vma)
{
	if (!h->counting)
		return;
	h->counting = false;
	h->counter.vma = *vma;
	huge_end(&h->counter);
	huge_add(&h->sum, &h->counter.sum);
	if (h->json)
		print_huge_vma_json(h, vma);
	else
		print_huge_row(h, vma);
}

/* Extents aren't kept, and of the VMAs only the one that is counted. */
static int count_extents(struct truth *truth, const struct ptwalk_extent *extents,
			 const struct ptwalk_page *pages, size_t nr)
{
	struct huge *h = truth->arg;

	if (truth->nr_vmas > 1) {
		end_vma_row(h, &truth->vmas[0]);
		truth->vmas[0] = truth->vmas[1];
		truth->nr_vmas = 1;
	}
	if (!h->counting)
		huge_begin(&h->counter, &h->facts, &truth->vmas[0]);
	h->counting = true;
	h->counter.vma = truth->vmas[0];
	huge_take(&h->counter, extents, pages, nr);
	h->at = extents[nr - 1].addr;
	return interrupted ? INTERRUPT_STOP : 0;
}

static int count_huge_range(struct huge *h, const struct range *range)
{
	int err;

	h->range = range;
	err = truth_read(h->client, h->subject.pid, range->start, range->last,
			 &h->truth);
	if ((!err || err == INTERRUPT_STOP) && h->truth.nr_vmas)
		end_vma_row(h, &h->truth.vmas[0]);
	return err;
}

static void limit_json(const char *name, uint64_t limit)
{
	jsonw_number_if(name, limit != THP_NO_LIMIT, limit);
}

static void goal_json(const struct huge *h)
{
	jsonw_object("expect");
	jsonw_number("percent", h->goal.percent);
	jsonw_number("size", h->goal.size);
	jsonw_number("pages", huge_at_least(&h->sum, h->goal.size));
	jsonw_bool("met", huge_goal_met(&h->goal, &h->sum));
	jsonw_close();
}

static void huge_summary_json(const struct huge *h)
{
	jsonw_begin("summary");
	jsonw_number("pid", h->subject.pid);
	jsonw_number("window_size", huge_size(h));
	huge_sum_json(h, &h->sum, true);
	jsonw_text("enabled_anon", thp_mode_name(h->settings.anon));
	jsonw_text("enabled_files", thp_mode_name(h->settings.files));
	jsonw_text("enabled_shmem", thp_mode_name(h->settings.shmem));
	limit_json("max_ptes_none", h->settings.max_none);
	limit_json("max_ptes_swap", h->settings.max_swap);
	limit_json("max_ptes_shared", h->settings.max_shared);
	interrupt_json();
	if (h->expect && !interrupted)
		goal_json(h);
	jsonw_end();
}

static void print_goal(const struct huge *h)
{
	const uint64_t pages = huge_at_least(&h->sum, h->goal.size);
	char size[FORMAT_SIZE], found[FORMAT_SIZE], all[FORMAT_SIZE];
	char share[SHARE_SIZE];
	const bool met = huge_goal_met(&h->goal, &h->sum);

	printf("%s%s%s: expected %" PRIu64 "%% in leaves of %s or more, found ",
	       out_colour(met ? OUT_GOOD : OUT_BAD), met ? "met" : "not met",
	       out_colour(OUT_PLAIN), h->goal.percent,
	       format_size(h->goal.size, size));
	if (h->sum.present)
		printf("%s (%s of %s)\n",
		       share_of(pages, h->sum.present, share),
		       size_of(h, pages, found),
		       size_of(h, h->sum.present, all));
	else
		printf("nothing mapped\n");
}

static void print_huge_summary(struct huge *h)
{
	print_huge_header(h);
	print_huge_columns(h, "total", &h->sum);
	putchar('\n');
	print_huge_sizes(h, &h->sum);
	print_huge_reasons(h, &h->sum);
	if (interrupted)
		printf("partial: interrupted at 0x%" PRIx64 "\n", h->at);
	else if (h->expect)
		print_goal(h);
}

static int count_ranges(struct huge *h)
{
	int err = thp_settings_read("/sys/kernel/mm", huge_size(h), &h->settings);

	if (!err)
		err = thp_limits_read("/sys/kernel/mm", &h->settings);
	if (!err)
		err = thp_process_read(h->subject.pid, &h->process);
	if (!err)
		err = tmpfs_read(h->subject.pid, &h->tmpfs);
	if (err)
		return err;
	h->facts = (struct huge_facts){
		.kernel = kernel_of(h),
		.settings = &h->settings,
		.process = &h->process,
		.tmpfs = &h->tmpfs,
	};
	h->truth.want_pages = true;
	h->truth.passing = true;
	h->truth.take = count_extents;
	h->truth.arg = h;
	for (size_t i = 0; !err && i < h->ranges.nr; i++)
		err = count_huge_range(h, &h->ranges.range[i]);
	if (err && err != INTERRUPT_STOP)
		return err;
	if (h->json)
		huge_summary_json(h);
	else
		print_huge_summary(h);
	if (interrupted)
		return interrupt_end();
	return h->expect && !huge_goal_met(&h->goal, &h->sum) ? EXIT_MISMATCH : 0;
}

/* Of a size that no leaf has, a share would never be reached. */
static int refuse_size(const struct huge *h)
{
	const char *why = huge_goal_beyond(&h->goal, kernel_of(h),
					   thp_hugetlb_sizes("/sys/kernel/mm"));

	return why ? fail(EXIT_USAGE, "--expect '%s': %s", h->expect, why) : 0;
}

static int run_huge(struct huge *h, int argc, char **argv)
{
	int status = open_subject(&h->subject, argc, argv);

	interrupt_begin();
	progress_begin(NULL, 0);
	if (!status)
		status = client_open(&h->client);
	if (!status && h->expect)
		status = refuse_size(h);
	if (!status)
		status = subject_maps(&h->subject, h->client, &h->maps);
	if (!status)
		status = subject_ranges(&h->subject, &h->maps, argv + 1,
					argc - 1, &h->ranges);
	return status ? status : count_ranges(h);
}

static int take_expect(void *to)
{
	struct huge *h = to;
	const char *why;
	int status;

	status = option_once(&h->expect, "--expect");
	if (status)
		return status;
	why = huge_goal_parse(optarg, &h->goal);
	return why ? fail(EXIT_USAGE, "--expect '%s': %s", optarg, why) : 0;
}

int cmd_huge(int argc, char **argv)
{
	struct huge h = { 0 };
	const struct command_option options[] = {
		{ "expect", .take = take_expect, .to = &h },
		{ "human", 'h', .flag = &h.human },
		{ "json", .flag = &h.json },
		{ "verbose", 'v', .flag = &h.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_huge(&h, argc - optind, argv + optind);

	truth_free(&h.truth);
	thp_process_free(&h.process);
	tmpfs_free(&h.tmpfs);
	ptwalk_close(h.client);
	ranges_free(&h.ranges);
	maps_free(&h.maps);
	subject_close(&h.subject);
	return status;
}
