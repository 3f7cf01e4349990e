// SPDX-License-Identifier: GPL-2.0
/* ptwalk dirty: what each tracker of writes says of each stretch, and why. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "check/crash_risk.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "dirty/trackers.h"
#include "module/client.h"
#include "module/names.h"
#include "proc/maps.h"
#include "proc/processes.h"
#include "proc/subject.h"

/* So many pages of an empty extent are asked about: 16 GiB of small ones. */
#define MOST_EMPTY	(1ULL << 22)

/**
 * struct stretch - pages in a row of which all trackers say the same for the same reason
 * @pages: How many; 0: none yet.
 * @kind: Of their entries, an enum ptwalk_kind.
 * @vma: First address of their VMA.
 */
struct stretch {
	uint64_t start, pages;
	unsigned int kind;
	uint64_t vma;
	struct tracker_verdict says[NR_TRACKERS];
};

/**
 * struct dirty - the command at work
 * @header: It was printed.
 * @stretch: Pages that may go on.
 * @pages: Of all, by tracker, reason and answer.
 * @all: All pages.
 */
struct dirty {
	struct subject subject;
	struct ptwalk *client;
	struct maps maps;
	struct ranges ranges;
	bool json, verbose, header;
	struct page_trackers trackers;
	struct stretch stretch;
	uint64_t pages[NR_TRACKERS][NR_TRACKER_REASONS][NR_TRACKER_ANSWERS];
	uint64_t all;
};

static unsigned int dirty_shift(const struct dirty *d)
{
	return ptwalk_kernel(d->client)->page_shift;
}

static uint64_t stretch_last(const struct dirty *d, const struct stretch *s)
{
	return s->start + (s->pages << dirty_shift(d)) - 1;
}

static void print_stretch_json(const struct dirty *d, const struct stretch *s)
{
	char kind[NAME_SIZE];

	jsonw_begin("stretch");
	jsonw_number("pid", d->subject.pid);
	jsonw_hex("start", s->start);
	jsonw_hex("last", stretch_last(d, s));
	jsonw_number("pages", s->pages);
	jsonw_text("kind", name_of(&names_kind, s->kind, kind));
	jsonw_object("trackers");
	for (unsigned int t = 0; t < NR_TRACKERS; t++) {
		jsonw_object(tracker_name[t]);
		if (s->says[t].answer == TRACKER_NOTHING)
			jsonw_null("says");
		else
			jsonw_bool("says", s->says[t].answer == TRACKER_YES);
		jsonw_text("reason", tracker_reasons[s->says[t].reason].name);
		jsonw_close();
	}
	jsonw_close();
	jsonw_text("name", maps_name_at(&d->maps, s->start));
	jsonw_end();
}

static void print_stretch_text(struct dirty *d, const struct stretch *s)
{
	const char *name = maps_name_at(&d->maps, s->start);
	char range[FORMAT_RANGE], kind[NAME_SIZE];

	if (!d->header) {
		printf("%-37s %8s %-9s", "START-END", "PAGES", "KIND");
		for (unsigned int t = 0; t < NR_TRACKERS; t++)
			printf(" %s", tracker_name[t]);
		printf(" NAME\n");
	}
	d->header = true;
	printf("%-37s %8" PRIu64 " %-9s", format_range(s->start, stretch_last(d, s), range),
	       s->pages, name_of(&names_kind, s->kind, kind));
	for (unsigned int t = 0; t < NR_TRACKERS; t++)
		printf(" %-*s", (int)strlen(tracker_name[t]),
		       tracker_answer_name[s->says[t].answer]);
	putchar(' ');
	out_text(name);
	putchar('\n');
	for (unsigned int t = 0; d->verbose && t < NR_TRACKERS; t++)
		printf("    %-10s %-3s %s: %s\n", tracker_name[t],
		       tracker_answer_name[s->says[t].answer],
		       tracker_reasons[s->says[t].reason].name,
		       tracker_reasons[s->says[t].reason].text);
	out_check();
}

static void end_stretch(struct dirty *d)
{
	if (d->stretch.pages && d->json)
		print_stretch_json(d, &d->stretch);
	else if (d->stretch.pages)
		print_stretch_text(d, &d->stretch);
	d->stretch.pages = 0;
}

static bool stretch_goes_on(const struct dirty *d, const struct stretch *next)
{
	const struct stretch *s = &d->stretch;

	return s->pages && s->start + (s->pages << dirty_shift(d)) == next->start &&
	       s->kind == next->kind && s->vma == next->vma &&
	       !memcmp(s->says, next->says, sizeof(s->says));
}

/* @pages from @addr on, of which all that is known is @page. */
static void take_tracked_pages(struct dirty *d, const struct tracked_page *page, uint64_t addr,
			       uint64_t pages)
{
	struct stretch next = {
		.start = addr, .pages = pages, .kind = ptwalk_bits_kind(page->bits),
		.vma = page->vma->start,
	};

	for (unsigned int t = 0; t < NR_TRACKERS; t++) {
		next.says[t] = tracker_ask(t, page);
		d->pages[t][next.says[t].reason][next.says[t].answer] += pages;
	}
	d->all += pages;
	if (stretch_goes_on(d, &next)) {
		d->stretch.pages += pages;
		return;
	}
	end_stretch(d);
	d->stretch = next;
}

static int take_tracked_extent(struct dirty *d, const struct ptwalk_vma *vma,
			       const struct ptwalk_extent *e)
{
	const bool empty = ptwalk_bits_kind(e->bits) == PTWALK_KIND_NONE;
	struct tracked_page page = {
		.kernel = ptwalk_kernel(d->client), .vma = vma,
		.trackers = &d->trackers, .bits = e->bits,
	};
	unsigned char tracked[TRACKED_PAGES];
	uint64_t addr = e->addr, left = e->pages, rest = 0;
	size_t nr, same;
	int err;

	if (empty && left > MOST_EMPTY) {
		rest = left - MOST_EMPTY;
		left = MOST_EMPTY;
	}
	while (left && !interrupted) {
		nr = left < TRACKED_PAGES ? left : TRACKED_PAGES;
		err = page_trackers_read(&d->trackers, addr, nr, tracked);
		if (err)
			return procs_gone(d->subject.pid, err) ? -ESRCH :
			       error_set(err, "pagemap of process %d: %s",
					 (int)d->subject.pid, strerror(-err));
		for (size_t i = 0; i < nr; i += same) {
			for (same = 1; i + same < nr && tracked[i + same] == tracked[i];)
				same++;
			page.tracked = tracked[i];
			take_tracked_pages(d, &page, addr + ((uint64_t)i << dirty_shift(d)), same);
		}
		addr += (uint64_t)nr << dirty_shift(d);
		left -= nr;
	}
	if (rest && !interrupted) {
		page.tracked = TRACKED_NOTHING;
		take_tracked_pages(d, &page, addr, rest);
	}
	return 0;
}

static int take_tracked_extents(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
				size_t nr, void *arg)
{
	struct dirty *d = arg;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = take_tracked_extent(d, vma, &extents[i]);
	return err ? err : interrupted ? INTERRUPT_STOP : 0;
}

/* How many pages each tracker says what of, and for which reasons. */
static void sums_json(const struct dirty *d)
{
	jsonw_begin("summary");
	jsonw_number("pid", d->subject.pid);
	jsonw_number("pages", d->all);
	jsonw_array("counts");
	for (unsigned int t = 0; t < NR_TRACKERS; t++)
		for (unsigned int r = 0; r < NR_TRACKER_REASONS; r++)
			for (unsigned int a = 0; a < NR_TRACKER_ANSWERS; a++) {
				if (!d->pages[t][r][a])
					continue;
				jsonw_object(NULL);
				jsonw_text("tracker", tracker_name[t]);
				if (a == TRACKER_NOTHING)
					jsonw_null("says");
				else
					jsonw_bool("says", a == TRACKER_YES);
				jsonw_text("reason", tracker_reasons[r].name);
				jsonw_text("why", tracker_reasons[r].text);
				jsonw_number("pages", d->pages[t][r][a]);
				jsonw_close();
			}
	jsonw_close();
	interrupt_json();
	jsonw_end();
}

static void sums_text(const struct dirty *d)
{
	printf("%s%-10s %-3s %12s  %s\n", d->header ? "\n" : "", "TRACKER", "", "PAGES",
	       "WHY");
	for (unsigned int t = 0; t < NR_TRACKERS; t++)
		for (unsigned int a = NR_TRACKER_ANSWERS; a--;)
			for (unsigned int r = 0; r < NR_TRACKER_REASONS; r++)
				if (d->pages[t][r][a])
					printf("%-10s %-3s %12" PRIu64 "  %s: %s\n",
					       tracker_name[t], tracker_answer_name[a],
					       d->pages[t][r][a], tracker_reasons[r].name,
					       tracker_reasons[r].text);
	if (interrupted)
		printf("partial: interrupted after %" PRIu64 " pages\n", d->all);
}

static int look_at_trackers(struct dirty *d)
{
	int err = page_trackers_open(&d->trackers, d->subject.pid);

	if (err && procs_gone(d->subject.pid, err))
		return client_gone(d->subject.pid);
	if (err)
		return fail(EXIT_UNCHECKED, "pagemap of process %d: %s",
			    (int)d->subject.pid, strerror(-err));
	for (size_t i = 0; !err && i < d->ranges.nr; i++) {
		const struct range *r = &d->ranges.range[i];

		err = crash_risk_refuse(d->client, d->subject.pid, r->start, r->last,
					false);
		if (!err)
			err = truth_stream(d->client, d->subject.pid, r->start, r->last,
					   take_tracked_extents, d);
	}
	page_trackers_close(&d->trackers);
	if (err && err != INTERRUPT_STOP)
		return err;
	end_stretch(d);
	if (d->json)
		sums_json(d);
	else
		sums_text(d);
	return interrupted ? interrupt_end() : 0;
}

static int run_dirty(struct dirty *d, int argc, char **argv)
{
	int status = open_subject(&d->subject, argc, argv);

	interrupt_begin();
	progress_begin(NULL, 0);
	if (!status)
		status = client_open(&d->client);
	if (!status)
		status = subject_maps(&d->subject, d->client, &d->maps);
	if (!status)
		status = subject_ranges(&d->subject, &d->maps, argv + 1, argc - 1,
					&d->ranges);
	return status ? status : look_at_trackers(d);
}

int cmd_dirty(int argc, char **argv)
{
	struct dirty d = { 0 };
	const struct command_option options[] = {
		{ "json", .flag = &d.json },
		{ "verbose", 'v', .flag = &d.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_dirty(&d, argc - optind, argv + optind);
	ptwalk_close(d.client);
	ranges_free(&d.ranges);
	maps_free(&d.maps);
	subject_close(&d.subject);
	return status;
}
