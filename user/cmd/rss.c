// SPDX-License-Identifier: GPL-2.0
/* ptwalk rss: pages counted by kind, reconciled with the kernel's own sums. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/replace.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "cmd/replay.h"
#include "cmd/rss_footprint.h"
#include "footprint/file_swap.h"
#include "module/client.h"
#include "module/names.h"
#include "proc/cgroups.h"
#include "proc/freeze.h"
#include "proc/maps.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/spaces.h"
#include "proc/subject.h"
#include "recording/sums.h"
#include "sums/figure.h"
#include "sums/rss.h"

/**
 * struct command - the command at work
 * @json: As JSON lines.
 * @verbose: Every figure of every mapping, and where it comes from.
 * @human: Amounts in units, unless they differ.
 * @freeze: Stop each process while it is looked at.
 * @record: Where all that was read is written, or NULL; @recorded is open.
 * @replay: Where such a recording is read from instead, or NULL.
 * @options: For rss_read().
 * @cgroup: A control group, whose processes are meant, or NULL.
 * @top: Of --top, as it was given, or NULL; and @retries.
 * @report: What is printed of all processes together, of @footprint.
 * @kcore: With --zeros, where these are looked for.
 * @pids: The processes.
 * @spaces: The address spaces that they had.
 * @info: What the module says of the kernel.
 * @file_swap: Pages of shared memory that the process at hand has in swap.
 * @verdict: Figures of all processes by verdict.
 * @processes: Those that were reconciled; @unchecked those that weren't.
 */
struct command {
	bool json, verbose, human, freeze;
	const char *record, *replay;
	FILE *recorded;
	struct rss_options options;
	const char *cgroup, *top, *retries;
	struct footprint_report report;
	struct footprint footprint;
	struct kcore kcore;
	struct pids pids;
	struct spaces spaces;
	const struct ptwalk_kernel *info;
	uint64_t file_swap;
	uint64_t verdict[NR_FIGURE_VERDICTS];
	uint64_t processes, unchecked;
};

static const enum out_colour colours[NR_FIGURE_VERDICTS] = {
	[FIGURE_MATCH] = OUT_GOOD,
	[FIGURE_SLACK] = OUT_DIM,
	[FIGURE_UNSTABLE] = OUT_WARN,
	[FIGURE_MISMATCH] = OUT_BAD,
};

/**
 * struct kind_count - a kind of page, for the table at the top
 */
struct kind_count {
	const char *name;
	uint64_t pages;
};

#define KINDS	20

static void count_kinds(const struct command *c, const struct rss *rss,
			struct kind_count kinds[KINDS])
{
	const struct totals *t = &rss->counted.sum;
	const uint64_t *class = t->detailed_class;
	const struct kind_count all[KINDS] = {
		{ "anon", class[CLASS_ANON] },
		{ "file", class[CLASS_FILE] },
		{ "shmem", class[CLASS_SHMEM] },
		{ "ksm", t->ksm },
		{ "thp", t->pmd[CLASS_ANON] + t->pmd[CLASS_FILE] +
			 t->pmd[CLASS_SHMEM] },
		{ "swap", t->swap },
		{ "shmem-swap", c->file_swap },
		{ "migration", t->migration },
		{ "device-private", t->device_private },
		{ "device-exclusive", t->device_exclusive },
		{ "hwpoison", t->hwpoison + t->hugetlb_poisoned },
		{ "marker", t->marker },
		{ "zero", t->zero },
		{ "huge-zero", t->huge_zero },
		{ "special", t->special },
		{ "hugetlb", t->hugetlb },
		{ "hugetlb-migration", t->hugetlb_absent - t->hugetlb_poisoned },
		{ "other", t->other },
		{ "none", t->none },
	};

	memcpy(kinds, all, sizeof(all));
}

static uint64_t tables_at(const struct rss *rss, unsigned int level)
{
	return totals_tables_count(&rss->counted.tables, rss->counted.info,
				   rss->counted.levels, level);
}

static void print_kinds(const struct command *c, const struct rss *rss)
{
	struct kind_count kinds[KINDS];
	char name[NAME_SIZE], amount[FORMAT_SIZE];
	uint64_t tables, kb;

	count_kinds(c, rss, kinds);
	printf("  %-18s %12s %12s\n", "COUNTED", "PAGES",
	       c->human ? "AMOUNT" : "KB");
	for (int i = 0; i < KINDS && kinds[i].name; i++) {
		kb = kinds[i].pages << (c->info->page_shift - 10);
		if (kinds[i].pages)
			printf("  %-18s %12" PRIu64 " %12s\n", kinds[i].name,
			       kinds[i].pages,
			       format_amount(kb, 10, c->human, amount));
	}
	for (unsigned int level = 0; level < PTWALK_LEVELS; level++) {
		tables = tables_at(rss, level);
		if (tables)
			printf("  %-3s %-14s %12" PRIu64 "\n",
			       name_of(&names_level, level, name), "tables",
			       tables);
	}
}

/* Counted and shown in units; false: as they are, as rounding hides differences. */
static bool in_units(const struct command *c, const struct figure *f,
		     char low[FIGURE_TEXT], char seen[FIGURE_TEXT])
{
	const uint64_t unit = figure_unit_bytes(f, c->info->page_shift);
	char text[FORMAT_SIZE];

	if (!c->human || !unit || f->verdict != FIGURE_MATCH)
		return false;
	format_human(f->low * unit, text);
	if (f->low == f->high)
		strcpy(low, text);
	else if (f->high == UINT64_MAX)
		sprintf(low, ">=%s", text);
	else
		sprintf(low, "%s..%s", text, format_human(f->high * unit, seen));
	format_human(f->seen * unit, seen);
	return true;
}

static void print_figure(const struct command *c, const struct figure *f)
{
	char low[FIGURE_TEXT], seen[FIGURE_TEXT], name[FIGURE_NAME];
	const char *unit = "";

	if (!in_units(c, f, low, seen)) {
		figure_counted(f, low);
		figure_shown(f, seen);
		unit = f->unit;
	}
	printf("  %-18s %18s %12s %-5s %s%s%s", figure_name(f, name), low, seen, unit,
	       out_colour(colours[f->verdict]),
	       figure_verdict_name[f->verdict], out_colour(OUT_PLAIN));
	if (f->verdict == FIGURE_SLACK && f->why)
		printf(" (%s)", f->why->name);
	if (f->verdict == FIGURE_MISMATCH && f->bug)
		printf(" (a bug of the kernel: %s)", f->bug->name);
	if (c->verbose || f->verdict == FIGURE_MISMATCH)
		printf("  %s", f->where);
	putchar('\n');
	out_check();
}

static bool is_odd(const struct figure *f)
{
	return f->bug || f->verdict > FIGURE_SLACK;
}

/* Above the table of mappings only what is wrong is told. */
static bool is_printed(const struct command *c, const struct figure *f)
{
	if (c->report.mappings)
		return is_odd(f);
	return c->verbose || f->verdict != FIGURE_MATCH;
}

/* The figures of mappings: those that differ, under a line for the mapping. */
static void print_mapping_figures(const struct command *c, const struct rss *rss,
				  const struct maps *maps)
{
	const struct figure *f, *above = NULL;
	char range[FORMAT_RANGE];
	const char *name;

	for (size_t i = 0; i < rss->figures.nr; i++) {
		f = &rss->figures.figure[i];
		if (!f->last || !is_printed(c, f))
			continue;
		if (!above || above->start != f->start ||
		    above->source != f->source) {
			name = maps_name_at(maps, f->start);
			printf("  %s of %s ", figure_source_name[f->source],
			       format_range(f->start, f->last, range));
			out_text(maps_title(name));
			putchar('\n');
		}
		above = f;
		print_figure(c, f);
	}
}

/* "28 match, 1 mismatch" */
static void print_verdicts(const uint64_t nr[NR_FIGURE_VERDICTS])
{
	const char *separator = "";

	for (int v = 0; v < NR_FIGURE_VERDICTS; v++) {
		if (!nr[v] && v != FIGURE_MATCH)
			continue;
		printf("%s%s%" PRIu64 " %s%s", separator, out_colour(colours[v]), nr[v],
		       figure_verdict_name[v], out_colour(OUT_PLAIN));
		separator = ", ";
	}
	putchar('\n');
}

/* Those with something to tell; and at last the verdict, of all. */
static void print_figure_sources(const struct command *c, const struct rss *rss)
{
	uint64_t by[NR_FIGURE_SOURCES][NR_FIGURE_VERDICTS] = { { 0 } };
	uint64_t sum[NR_FIGURE_VERDICTS] = { 0 }, all = 0, in_source;
	const struct figure *f;

	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		by[i][FIGURE_MATCH] = rss->figures.matched[i];
	for (size_t i = 0; i < rss->figures.nr; i++) {
		f = &rss->figures.figure[i];
		by[f->source][f->verdict]++;
	}
	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (rss->why_not[i][0]) {
			printf("  %s: not compared: %s\n",
			       figure_source_name[i], rss->why_not[i]);
			continue;
		}
		in_source = 0;
		for (int v = 0; v < NR_FIGURE_VERDICTS; v++) {
			sum[v] += by[i][v];
			in_source += by[i][v];
		}
		all += in_source;
		if (!c->verbose && by[i][FIGURE_MATCH] == in_source)
			continue;
		printf("  %s: ", figure_source_name[i]);
		print_verdicts(by[i]);
	}
	printf("%" PRIu64 " figure%s: ", all, plural(all));
	print_verdicts(sum);
}

/* Why there were bounds, slacks or bugs, each reason once. */
static void print_slacks(const struct rss *rss, const struct slack *all)
{
	for (const struct slack *s = all; s->name; s++) {
		for (size_t i = 0; i < rss->figures.nr; i++) {
			if (rss->figures.figure[i].why != s &&
			    rss->figures.figure[i].bug != s)
				continue;
			printf("  %s: %s; see %s\n", s->name, s->text,
			       s->where);
			break;
		}
	}
}

static void print_rss_text(const struct command *c, pid_t pid,
			   const struct rss *rss, const struct maps *maps)
{
	const struct figure *f;

	if (c->processes)
		putchar('\n');
	if (c->replay)
		printf("recorded on Linux %s: %" PRIu64 " VMA%s\n",
		       c->info->release, rss->counted.sum.vmas,
		       plural(rss->counted.sum.vmas));
	else
		printf("process %d: %" PRIu64 " VMA%s\n", (int)pid,
		       rss->counted.sum.vmas, plural(rss->counted.sum.vmas));
	print_kinds(c, rss);
	printf("  %-18s %18s %12s\n", "FIELD", "COUNTED", "SHOWN");
	for (size_t i = 0; i < rss->figures.nr; i++) {
		f = &rss->figures.figure[i];
		if (!f->last && (f->source == FIGURE_STATUS || is_printed(c, f)))
			print_figure(c, f);
	}
	print_mapping_figures(c, rss, maps);
	if (c->verbose)
		print_slacks(rss, slacks);
	print_slacks(rss, kernel_bugs);
	print_figure_sources(c, rss);
}

/* With --mappings, the figures that are wrong, as without. */
static void print_odd(const struct command *c, pid_t pid, const struct rss *rss,
		      const struct maps *maps)
{
	const struct figure *f = rss->figures.figure, *end = f + rss->figures.nr;

	while (f < end && !is_odd(f))
		f++;
	if (f == end)
		return;
	printf("process %d: sums of the kernel that differ from the pages that were counted:\n",
	       (int)pid);
	printf("  %-18s %18s %12s\n", "FIELD", "COUNTED", "SHOWN");
	for (; f < end; f++)
		if (!f->last && is_odd(f))
			print_figure(c, f);
	print_mapping_figures(c, rss, maps);
	print_slacks(rss, kernel_bugs);
	putchar('\n');
}

/* Flags that are counted and shown, or numbers. */
static void figure_sides_json(const struct figure *f)
{
	if (!strcmp(f->unit, "flags")) {
		jsonw_mask("flags_counted", &names_vma_flag, f->low);
		if (f->absent)
			jsonw_null("flags_shown");
		else
			jsonw_mask("flags_shown", &names_vma_flag, f->seen);
		return;
	}
	jsonw_number("low", f->low);
	jsonw_number_if("high", f->high != UINT64_MAX, f->high);
	jsonw_number("below", f->below);
	jsonw_number("above", f->above);
	jsonw_number_if("shown", !f->absent, f->seen);
}

static void print_figure_json(pid_t pid, const struct figure *f, const struct maps *maps)
{
	char name[FIGURE_NAME];

	jsonw_begin("figure");
	jsonw_number("pid", pid);
	jsonw_text("source", figure_source_name[f->source]);
	jsonw_text("field", figure_name(f, name));
	jsonw_text("unit", f->unit);
	if (f->last) {
		jsonw_hex("start", f->start);
		jsonw_hex("last", f->last);
		jsonw_text("name", maps_name_at(maps, f->start));
	}
	figure_sides_json(f);
	jsonw_text("verdict", figure_verdict_name[f->verdict]);
	jsonw_text("why", f->why ? f->why->name : NULL);
	jsonw_text("bug", f->bug ? f->bug->name : NULL);
	jsonw_text("where", f->where);
	jsonw_end();
}

static void figure_verdicts_json(const uint64_t *verdict)
{
	uint64_t all = 0;

	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		all += verdict[i];
	jsonw_number("figures", all);
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		jsonw_number(figure_verdict_name[i], verdict[i]);
}

static void pages_json(const struct command *c, const struct rss *rss)
{
	struct kind_count kinds[KINDS];

	count_kinds(c, rss, kinds);
	jsonw_object("pages");
	for (int i = 0; i < KINDS && kinds[i].name; i++)
		jsonw_number(kinds[i].name, kinds[i].pages);
	jsonw_close();
}

static void tables_json(const struct rss *rss)
{
	char name[NAME_SIZE];

	jsonw_object("tables");
	for (unsigned int l = 0; l <= PTWALK_LEVEL_PUD; l++)
		jsonw_number(name_of(&names_level, l, name), tables_at(rss, l));
	jsonw_close();
}

static void missing_json(const struct rss *rss)
{
	jsonw_object("missing");
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		if (rss->why_not[i][0])
			jsonw_text(figure_source_name[i], rss->why_not[i]);
	jsonw_close();
}

/* Those of the whole process first, which all are printed, but with --mappings. */
static void print_figures_json(const struct command *c, pid_t pid,
			       const struct rss *rss, const struct maps *maps)
{
	const struct figure *f;

	for (int mappings = 0; mappings < 2; mappings++) {
		for (size_t i = 0; i < rss->figures.nr; i++) {
			f = &rss->figures.figure[i];
			if (!f->last == !mappings &&
			    (is_printed(c, f) || !(mappings || c->report.mappings)))
				print_figure_json(pid, f, maps);
		}
	}
}

static void print_rss_json(const struct command *c, pid_t pid,
			   const struct rss *rss, const struct maps *maps)
{
	print_figures_json(c, pid, rss, maps);
	jsonw_begin("process");
	jsonw_number("pid", pid);
	jsonw_number("page_size", 1ULL << c->info->page_shift);
	jsonw_number("vmas", rss->counted.sum.vmas);
	pages_json(c, rss);
	tables_json(rss);
	missing_json(rss);
	figure_verdicts_json(rss->verdict);
	jsonw_end();
}

/* With --mappings, figures are judged, and their verdicts told at the end. */
static void print_outcome(struct command *c, pid_t pid, const struct rss *rss,
			  const struct maps *maps)
{
	if (c->report.mappings && c->json)
		print_figures_json(c, pid, rss, maps);
	else if (c->report.mappings)
		print_odd(c, pid, rss, maps);
	else if (c->json)
		print_rss_json(c, pid, rss, maps);
	else
		print_rss_text(c, pid, rss, maps);
	c->processes++;
	for (int i = 0; i < NR_FIGURE_VERDICTS; i++)
		c->verdict[i] += rss->verdict[i];
}

static int count_file_swap(struct command *c, struct ptwalk *client, pid_t pid,
			   const struct maps *maps)
{
	uint64_t pages;
	int err = 0;

	c->file_swap = 0;
	for (size_t i = 0; !err && i < maps->nr; i++) {
		err = file_swap_pages(client, pid, &maps->map[i], &pages);
		c->file_swap += pages;
	}
	return err;
}

/* A recording that isn't whole is none. */
static void write_rss_recording(struct command *c, const struct rss *rss)
{
	int err = rss_record(c->recorded, rss);

	if (!err)
		return;
	replace_drop(c->recorded);
	c->recorded = NULL;
	c->unchecked++;
	fail(0, "%s: %s", c->record, strerror(-err));
}

/* Whether frames are counted once in all that is looked at. */
static bool wants_footprint(const struct command *c)
{
	return c->report.mappings || c->report.zeros || c->cgroup || c->pids.nr > 1;
}

/* Once for each address space. */
static int add_footprint(struct command *c, struct ptwalk *client, pid_t pid,
			 const struct rss *rss, const struct maps *maps, bool known)
{
	int err;

	if (known || !wants_footprint(c))
		return 0;
	err = footprint_add(&c->footprint, client, pid, c->report.mappings ? rss : NULL,
			    maps);
	c->report.processes += !err;
	return err;
}

/* Of a control group, processes come and go, and the kernel's own have no memory. */
static bool is_nobody(const struct command *c, pid_t pid, int status)
{
	if (!c->cgroup)
		return false;
	return status == -ESRCH || procs_state(pid) == PROCS_KERNEL;
}

/* A process that can't be looked at is counted; the others go on. */
static void take_process(struct command *c, struct ptwalk *client, pid_t pid)
{
	struct subject subject = { .pid = pid };
	struct maps maps = { 0 };
	struct rss rss = { 0 };
	pid_t other;
	int status;

	other = spaces_add(&c->spaces, pid);
	if (other)
		fail(0, "process %d has the address space of process %d (vfork() or clone(CLONE_VM)): these are the same pages",
		     (int)pid, (int)other);
	status = procs_look(pid);
	if (status && is_nobody(c, pid, status))
		return;
	if (!status && c->freeze)
		status = freeze(pid);
	if (!status)
		status = subject_maps(&subject, client, &maps);
	if (!status)
		status = rss_read(client, pid, &c->options, &rss);
	if (!status)
		status = count_file_swap(c, client, pid, &maps);
	if (!status)
		status = add_footprint(c, client, pid, &rss, &maps, other);
	/* What was read of it says nothing yet. */
	if (status == -EINTR && interrupted)
		status = EXIT_UNCHECKED;
	status = error_status(status);
	if (error_status(thaw()) && !status)
		status = EXIT_UNCHECKED;
	if (status) {
		c->unchecked++;
	} else {
		print_outcome(c, pid, &rss, &maps);
		if (c->recorded)
			write_rss_recording(c, &rss);
	}
	rss_free(&rss);
	maps_free(&maps);
}

static int status_of(const struct command *c)
{
	if (c->verdict[FIGURE_MISMATCH])
		return EXIT_MISMATCH;
	if (c->unchecked)
		return EXIT_UNCHECKED;
	return c->verdict[FIGURE_UNSTABLE] ? EXIT_UNSTABLE : EXIT_MATCH;
}

static void rss_summary_json(const struct command *c)
{
	jsonw_begin("summary");
	jsonw_number("processes", c->processes);
	jsonw_number("unchecked", c->unchecked);
	figure_verdicts_json(c->verdict);
	jsonw_number("status", status_of(c));
	interrupt_json();
	jsonw_end();
}

/* What has been read of a recording is judged, and said, as that of a process. */
static int judge_replay(struct command *c, struct rss_replay *r)
{
	struct rss rss = { .counted = r->counted };
	const struct maps none = { 0 };

	r->shown.known_bugs = c->options.known_bugs;
	if (rss_replay_judge(r, &rss.figures))
		return error_no_memory();
	for (size_t i = 0; i < rss.figures.nr; i++)
		rss.verdict[rss.figures.figure[i].verdict]++;
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		if (!(r->shown.has & 1U << i))
			snprintf(rss.why_not[i], sizeof(rss.why_not[i]),
				 "not in the recording");
	c->info = &r->info;
	print_outcome(c, 0, &rss, &none);
	if (c->json)
		rss_summary_json(c);
	figures_free(&rss.figures);
	return status_of(c);
}

static int replay(struct command *c)
{
	struct rss_replay r = { 0 };
	int status = replay_read(c->replay, &r);

	if (!status)
		status = judge_replay(c, &r);
	rss_replay_free(&r);
	return status;
}

static int take_cgroup(struct command *c)
{
	char dir[PATH_MAX];
	uint64_t hidden;
	int err = cgroup_find(c->cgroup, dir, sizeof(dir));

	if (err)
		return fail(EXIT_UNCHECKED, "control group '%s': no such folder with a cgroup.procs, neither as it is nor where cgroupfs is mounted",
			    c->cgroup);
	err = cgroup_pids(dir, &c->pids, &hidden);
	if (err)
		return err;
	if (hidden)
		fail(0, "control group '%s': %" PRIu64 " process%s outside of this PID namespace",
		     c->cgroup, hidden, hidden == 1 ? " is" : "es are");
	c->report.charge = cgroup_charge(dir);
	return 0;
}

/* PIDs, or the processes of a control group. */
static int take_processes(struct command *c, int argc, char **argv)
{
	int status = 0;

	if (c->cgroup && argc)
		return fail(EXIT_USAGE, "--cgroup says which processes are meant: give it or PIDs");
	if (c->cgroup)
		return take_cgroup(c);
	if (!argc)
		return fail(EXIT_USAGE, "a PID is missing: give a number or `self`, or --cgroup PATH");
	status = whole_processes(argv, argc, "--mappings has a line a mapping, and `dump --summary PID RANGE` counts the pages of one");
	for (int i = 0; !status && i < argc; i++)
		status = pids_add(&c->pids, argv[i]);
	return status;
}

static int open_kcore(struct command *c)
{
	const char *why = c->report.zeros ? kcore_open(&c->kcore) : NULL;

	if (why)
		return fail(EXIT_UNCHECKED, "--zeros: /proc/kcore: %s", why);
	c->footprint.kcore = c->report.zeros ? &c->kcore : NULL;
	return 0;
}

static void print_together(struct command *c)
{
	uint64_t all = 0;

	if (!wants_footprint(c))
		return;
	footprint_print(&c->footprint, &c->report, c->info);
	if (c->json || !c->report.mappings)
		return;
	for (int v = 0; v < NR_FIGURE_VERDICTS; v++)
		all += c->verdict[v];
	printf("%" PRIu64 " figure%s: ", all, plural(all));
	print_verdicts(c->verdict);
}

static int run_rss(struct command *c, int argc, char **argv)
{
	struct ptwalk *client;
	int status = take_processes(c, argc, argv);

	if (status)
		return status;
	if (c->record && c->pids.nr > 1)
		return fail(EXIT_USAGE, "--record is about one process");
	status = procs_ready();
	if (!status)
		status = open_kcore(c);
	if (!status)
		status = client_open(&client);
	if (status)
		return status;
	if (c->record) {
		status = replace_begin(c->record, NULL, NULL, &c->recorded);
		if (status) {
			ptwalk_close(client);
			return status;
		}
	}
	c->info = ptwalk_kernel(client);
	interrupt_begin();
	c->options.stop = c->footprint.stop = &interrupted;
	c->options.keep |= c->report.mappings;
	c->report.json = c->json;
	c->report.human = c->human;
	progress_begin("process", c->pids.nr);
	for (size_t i = 0; i < c->pids.nr && !interrupted; i++) {
		progress_next();
		take_process(c, client, c->pids.pid[i]);
	}
	ptwalk_close(client);
	if (c->recorded && error_status(replace_end(c->recorded)))
		c->unchecked++;
	if (interrupted)
		c->unchecked = c->pids.nr - c->processes;
	print_together(c);
	if (c->json)
		rss_summary_json(c);
	else if (interrupted)
		printf("partial: interrupted after %" PRIu64 " of %zu process%s\n",
		       c->processes, c->pids.nr, c->pids.nr == 1 ? "" : "es");
	return interrupted ? interrupt_end() : status_of(c);
}

static int take_top(void *to)
{
	struct command *c = to;
	const char *why;
	int status = option_once(&c->top, "--top");

	if (status)
		return status;
	why = parse_decimal(optarg, UINT64_MAX, &c->report.top);
	return why ? fail(EXIT_USAGE, "--top '%s': %s", optarg, why) : 0;
}

static int take_all(void *to)
{
	optarg = "0";
	return take_top(to);
}

static int take_retries(void *to)
{
	struct command *c = to;

	return option_retries(&c->retries, &c->options.rounds);
}

int cmd_rss(int argc, char **argv)
{
	struct command command = {
		.options = RSS_DEFAULTS, .report = { .top = 20, .charge = -1 },
	};
	const struct command_option options[] = {
		{ "all", .take = take_all, .to = &command, .bare = true },
		{ "cgroup", .once = &command.cgroup },
		{ "freeze", .flag = &command.freeze },
		{ "human", 'h', .flag = &command.human },
		{ "json", .flag = &command.json },
		{ "known-bugs", .flag = &command.options.known_bugs },
		{ "mappings", .flag = &command.report.mappings },
		{ "record", .output = &command.record },
		{ "replay", .once = &command.replay },
		{ "retries", .take = take_retries, .to = &command },
		{ "top", .take = take_top, .to = &command },
		{ "verbose", 'v', .flag = &command.verbose },
		{ "zeros", .flag = &command.report.zeros },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	command.options.keep = command.record;
	command.options.every = command.record || command.verbose;
	if (!status && command.top && !command.report.mappings)
		status = fail(EXIT_USAGE, "--top and --all are about --mappings");
	else if (!status && command.replay)
		status = optind < argc || command.record || command.freeze ||
			 wants_footprint(&command) ?
			 fail(EXIT_USAGE, "--replay takes nothing but the recording") :
			 replay(&command);
	else if (!status)
		status = run_rss(&command, argc - optind, argv + optind);
	footprint_free(&command.footprint);
	if (command.report.zeros && command.kcore.segment)
		kcore_close(&command.kcore);
	pids_free(&command.pids);
	spaces_free(&command.spaces);
	return status;
}
