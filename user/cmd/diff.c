// SPDX-License-Identifier: GPL-2.0
/* ptwalk diff: what changed in page tables between two recordings. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/input.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/replay.h"
#include "cmd/watch_laws.h"
#include "report/changes.h"

/**
 * struct diff - the command at work
 * @before: The older recording.
 * @after: The newer one.
 * @report: How changes are told.
 * @want_laws: Tell of entries that break a law, which are in @laws then.
 */
struct diff {
	struct rss_replay before, after;
	struct changes_report report;
	bool want_laws;
	struct watch_laws laws;
};

static const char *recorded_name_at(uint64_t addr, void *arg)
{
	const struct rss_replay *r = arg;

	return rss_replay_name(r, truth_vma_at(&r->truth, addr));
}

static void diff_about_json(void *arg)
{
	jsonw_text("recording", arg);
}

/* Of a recording; what the one before has, too, was told. */
static int look_for_laws(struct diff *d, struct rss_replay *r, const char *path)
{
	int err;

	d->laws.name = recorded_name_at;
	d->laws.arg = r;
	d->report.title = input_name(path);
	d->report.about = diff_about_json;
	d->report.about_arg = (void *)input_name(path);
	err = watch_laws_look(&d->laws, &r->truth, &d->report);
	d->report.about = NULL;
	d->report.title = NULL;
	return err;
}

static int tell_recorded_change(const struct change *change, void *arg)
{
	struct diff *d = arg;

	changes_print(&d->report, change, change->after.vma ?
		      rss_replay_name(&d->after, change->after.vma) :
		      rss_replay_name(&d->before, change->before.vma));
	return 0;
}

static const char *recorded_vma_name(const struct ptwalk_vma *vma, bool later, void *arg)
{
	struct diff *d = arg;

	return rss_replay_name(later ? &d->after : &d->before, vma);
}

static void tell_recorded_vma(const struct vma_change *change, void *arg)
{
	struct diff *d = arg;

	changes_print_vma(&d->report, change, recorded_vma_name, d);
}

static void print_diff_summary(const struct diff *d)
{
	if (d->report.json) {
		jsonw_begin("summary");
		jsonw_text("kernel", d->report.info->release);
		changes_vma_sums_json(&d->report);
		jsonw_object("changes");
		changes_sums_json(&d->report);
		jsonw_close();
		if (d->want_laws)
			jsonw_number("broken", d->laws.pages);
		jsonw_end();
		return;
	}
	printf("recorded on Linux %s: ", d->report.info->release);
	changes_print_vma_sums(&d->report);
	printf("; ");
	changes_print_sums(&d->report);
	if (d->want_laws)
		printf("; %" PRIu64 " page%s against a law", d->laws.pages,
		       plural(d->laws.pages));
	putchar('\n');
}

/* Whether it says where in its file, or the like, a VMA begins; it has raw flags, too. */
static bool has_places(const struct truth *truth)
{
	for (size_t i = 0; i < truth->nr_vmas; i++)
		if (truth->vmas[i].raw_flags)
			return true;
	return false;
}

static int diff_recordings(struct diff *d, uint32_t kinds, char **path)
{
	int status = replay_read(path[0], &d->before);

	if (!status)
		status = replay_read(path[1], &d->after);
	if (!status)
		status = replay_same_kernel(input_name(path[0]), &d->before.info,
					    input_name(path[1]), &d->after.info);
	if (status)
		return status;
	d->report.info = &d->after.info;
	if (d->want_laws)
		status = look_for_laws(d, &d->before, path[0]);
	if (d->want_laws && !status)
		status = look_for_laws(d, &d->after, path[1]);
	if (status)
		return status;
	if (has_places(&d->before.truth) && has_places(&d->after.truth))
		kinds |= CHANGES_PLACES;
	if (vmas_compare(d->report.info->page_shift, kinds & CHANGES_PLACES,
			 &d->before.truth, &d->after.truth, tell_recorded_vma, d) ||
	    changes_between(d->report.info, &d->before.truth, &d->after.truth,
			    kinds, tell_recorded_change, d) < 0)
		return error_no_memory();
	print_diff_summary(d);
	return d->laws.pages ? EXIT_MISMATCH : 0;
}

int cmd_diff(int argc, char **argv)
{
	struct diff d = { .report.recorded = true };
	bool all = false;
	const struct command_option options[] = {
		{ "all", 'a', .flag = &all },
		{ "json", .flag = &d.report.json },
		{ "laws", 'l', .flag = &d.want_laws },
		{ "verbose", 'v', .flag = &d.report.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status && argc - optind < 2)
		status = fail(EXIT_USAGE, "diff: give two recordings: `ptwalk rss --record FILE PID` makes one");
	else if (!status && argc - optind > 2)
		status = fail(EXIT_USAGE, "diff: '%s' is too much: give two recordings",
			      argv[optind + 2]);
	else if (!status && !strcmp(argv[optind], "-") &&
		 !strcmp(argv[optind + 1], "-"))
		status = fail(EXIT_USAGE, "only one of the recordings can be standard input");
	if (!status)
		status = diff_recordings(&d, all ? CHANGES_ALL : CHANGES_USUAL, argv + optind);
	watch_laws_free(&d.laws);
	rss_replay_free(&d.before);
	rss_replay_free(&d.after);
	return status;
}
