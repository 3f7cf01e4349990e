// SPDX-License-Identifier: GPL-2.0
/* ptwalk watch: what changes in a process's page tables, look by look. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "cmd/watch_laws.h"
#include "module/client.h"
#include "proc/cpuinfo.h"
#include "proc/maps.h"
#include "proc/subject.h"
#include "report/changes.h"

#define DEFAULT_INTERVAL	1000	/* ms */
#define TOO_FEW	"give 2 or more, as looks are compared; --laws takes 1, too"

/**
 * struct watch - the command at work
 * @kinds: Mask of the changes that are told.
 * @enter: Look at each line of standard input.
 * @interval: Else so many milliseconds after the look before; @paced: it was given.
 * @looks: How many looks; 0: until the process has ended.
 * @want_laws: Tell of entries that break a law, which are in @laws then.
 * @watched: Of each range, the look before and this one; the former isn't there
 *	yet unless it was @seen.
 * @maps: Of the process, for names.
 * @nr: Looks so far, @busy of them in vain.
 * @begun: When the first one began.
 * @report: How changes are told.
 * @title: Of this look.
 */
struct watch {
	struct subject subject;
	struct ptwalk *client;
	struct ranges ranges;
	uint32_t kinds;
	bool enter, paced;
	uint64_t interval, looks;
	bool want_laws;
	struct watch_laws laws;
	struct {
		struct truth truth[2];
		bool seen;
	} *watched;
	struct maps maps;
	uint64_t nr, busy;
	struct timespec begun;
	struct changes_report report;
	char title[64];
};

static int tell_watched_change(const struct change *change, void *arg)
{
	struct watch *w = arg;

	changes_print(&w->report, change, maps_name_at(&w->maps, change->addr));
	return interrupted;
}

/* The names are those of now. */
static const char *watched_vma_name(const struct ptwalk_vma *vma, bool later, void *arg)
{
	struct watch *w = arg;

	return later ? maps_name_at(&w->maps, vma->start) : "";
}

static void tell_watched_vma(const struct vma_change *change, void *arg)
{
	struct watch *w = arg;

	changes_print_vma(&w->report, change, watched_vma_name, w);
}

/* Compares a range with the look before. */
static int compare_looks(struct watch *w, const struct truth *before,
			 const struct truth *after)
{
	const struct ptwalk_kernel *kernel = ptwalk_kernel(w->client);
	int err;

	err = vmas_compare(kernel->page_shift, true, before, after, tell_watched_vma, w);
	if (!err)
		err = changes_between(kernel, before, after, w->kinds, tell_watched_change, w);
	return err < 0 ? error_no_memory() : 0;
}

/* So that who reads the JSON knows that all of a look was told. */
static void tell_look(const struct watch *w, bool busy)
{
	if (!w->report.json || interrupted)
		return;
	jsonw_begin("look");
	jsonw_number("pid", w->subject.pid);
	jsonw_number("look", w->nr);
	jsonw_number("milliseconds", seconds_since(&w->begun) * 1000);
	jsonw_bool("busy", busy);
	jsonw_end();
}

/* What all that a look finds has in common. */
static void watch_about_json(void *arg)
{
	const struct watch *w = arg;

	jsonw_number("pid", w->subject.pid);
	jsonw_number("look", w->nr);
}

static void begin_look(struct watch *w)
{
	snprintf(w->title, sizeof(w->title), "look %" PRIu64 ", after %.1f s:",
		 w->nr, seconds_since(&w->begun));
	w->report.title = w->title;
}

static int look_once(struct watch *w)
{
	int err = 0;

	begin_look(w);
	maps_free(&w->maps);
	err = subject_maps(&w->subject, w->client, &w->maps);
	for (size_t i = 0; !err && i < w->ranges.nr; i++) {
		const struct range *r = &w->ranges.range[i];
		struct truth *t = w->watched[i].truth, latest = t[1];

		err = truth_read(w->client, w->subject.pid, r->start, r->last,
				 &t[0]);
		if (err)
			break;
		/* The one that is new takes the place of the oldest. */
		t[1] = t[0];
		t[0] = latest;
		if (w->watched[i].seen)
			err = compare_looks(w, &t[0], &t[1]);
		w->watched[i].seen = true;
		if (!err && w->want_laws)
			err = watch_laws_look(&w->laws, &t[1], &w->report);
	}
	if (!err || err == -EBUSY)
		tell_look(w, err);
	return err;
}

/* Waits for the next look; false if there is none. */
static bool wait_for_next(struct watch *w)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char c = '\0';

	if (w->looks && w->nr >= w->looks)
		return false;
	if (!w->enter) {
		/* No descriptor: a pause that a signal ends. */
		poll(NULL, 0, w->interval);
		return !interrupted;
	}
	/* One line a look: what follows it is for the next ones. */
	while (c != '\n')
		if (poll(&input, 1, -1) < 0 || read(STDIN_FILENO, &c, 1) != 1)
			return false;
	return !interrupted;
}

/* @failed: The last look was ended by an error. */
static void print_watch_summary(const struct watch *w, bool ended, bool failed)
{
	if (w->report.json) {
		jsonw_begin("summary");
		jsonw_number("pid", w->subject.pid);
		jsonw_number("looks", w->nr);
		jsonw_number("busy", w->busy);
		jsonw_bool("ended", ended);
		jsonw_object("changes");
		changes_sums_json(&w->report);
		jsonw_close();
		if (w->want_laws)
			jsonw_number("broken", w->laws.pages);
		if (failed)
			jsonw_text("partial", "error");
		jsonw_end();
		return;
	}
	printf("%" PRIu64 " look%s in %.1f s at process %d%s", w->nr,
	       plural(w->nr), seconds_since(&w->begun), (int)w->subject.pid,
	       ended ? ", which has ended" : failed ? ", until an error" : "");
	if (w->busy)
		printf(", %" PRIu64 " in vain, as it was busy", w->busy);
	printf("; ");
	changes_print_sums(&w->report);
	if (w->want_laws)
		printf("; %" PRIu64 " page%s against a law", w->laws.pages,
		       plural(w->laws.pages));
	putchar('\n');
}

static int watch(struct watch *w)
{
	bool ended = false;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &w->begun);
	do {
		w->nr++;
		err = look_once(w);
		out_flush();
		if (err == -EBUSY) {
			w->busy++;
			err = 0;
		}
	} while (!err && !interrupted && wait_for_next(w));
	/* Who watches a process to its end has seen what there was. */
	if (err == -ESRCH && w->nr > w->busy + 1) {
		ended = true;
		err = 0;
	}
	if (err && !w->laws.pages)
		return err;
	if (w->nr == w->busy)
		return client_busy(w->subject.pid);
	/* What was found stays found. */
	error_status(err);
	print_watch_summary(w, ended, err);
	return w->laws.pages ? EXIT_MISMATCH : 0;
}

static const char *watched_name_at(uint64_t addr, void *arg)
{
	return maps_name_at(arg, addr);
}

static int run_watch(struct watch *w, int argc, char **argv)
{
	int status = open_subject(&w->subject, argc, argv);

	interrupt_begin();
	if (!status)
		status = client_open(&w->client);
	if (!status)
		status = subject_maps(&w->subject, w->client, &w->maps);
	if (!status)
		status = subject_ranges(&w->subject, &w->maps, argv + 1,
					argc - 1, &w->ranges);
	if (status)
		return status;
	w->watched = calloc(w->ranges.nr, sizeof(*w->watched));
	if (!w->watched)
		return error_no_memory();
	w->report.info = ptwalk_kernel(w->client);
	w->report.about = watch_about_json;
	w->report.about_arg = w;
	if (w->want_laws)
		status = noexec_read(w->report.info, &w->laws.denies_exec);
	if (status)
		return status;
	w->laws.name = watched_name_at;
	w->laws.arg = &w->maps;
	return watch(w);
}

static int take_interval(void *to)
{
	struct watch *w = to;
	double seconds;
	int status = option_seconds("--interval", &seconds);

	if (!status)
		w->interval = seconds * 1000;
	w->paced = true;
	return status;
}

static int take_looks(void *to)
{
	struct watch *w = to;
	const char *why = parse_decimal(optarg, UINT32_MAX, &w->looks);

	if (!why && !w->looks)
		why = TOO_FEW;
	return why ? fail(EXIT_USAGE, "--looks '%s': %s", optarg, why) : 0;
}

int cmd_watch(int argc, char **argv)
{
	struct watch w = { .interval = DEFAULT_INTERVAL };
	bool all = false;
	const struct command_option options[] = {
		{ "all", 'a', .flag = &all },
		{ "enter", 'e', .flag = &w.enter },
		{ "interval", 'i', .take = take_interval, .to = &w },
		{ "json", .flag = &w.report.json },
		{ "laws", 'l', .flag = &w.want_laws },
		{ "looks", 'n', .take = take_looks, .to = &w },
		{ "verbose", 'v', .flag = &w.report.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	w.kinds = (all ? CHANGES_ALL : CHANGES_USUAL) | CHANGES_PLACES;
	if (!status && w.looks == 1 && !w.want_laws)
		status = fail(EXIT_USAGE, "--looks '1': %s", TOO_FEW);
	if (!status && w.paced && w.enter)
		status = fail(EXIT_USAGE, "--interval and --enter are two ways to say when: give one of them");
	if (!status)
		status = run_watch(&w, argc - optind, argv + optind);

	for (size_t i = 0; w.watched && i < w.ranges.nr; i++) {
		truth_free(&w.watched[i].truth[0]);
		truth_free(&w.watched[i].truth[1]);
	}
	free(w.watched);
	watch_laws_free(&w.laws);
	ptwalk_close(w.client);
	ranges_free(&w.ranges);
	maps_free(&w.maps);
	subject_close(&w.subject);
	return status;
}
