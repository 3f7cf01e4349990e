// SPDX-License-Identifier: GPL-2.0
/*
 * The metrics of a check. All are gauges, as they are of one run: what counts
 * anew each time is no counter. Labels have a bounded number of values: what
 * processes and addresses there are is told by the other renderer.
 */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/replace.h"
#include "check/check.h"
#include "check/examine.h"
#include "check/rules.h"
#include "module/client.h"
#include "module/names.h"
#include "report/prometheus.h"
#include "sources/source.h"
#include "sums/slacks.h"

#define PREFIX		"ptwalk_check_"
#define MAX_SERIES	256
#define MAX_NAMES	(2 * CHECK_MAX_SOURCES)

/**
 * struct mismatches - mismatches that are alike
 * @source: The interface.
 * @field: The field of it, or the kind of entry in the page tables.
 * @function: The kernel's function that adds the field up, or "".
 * @rule: The known bug, lint or rule, or "".
 * @pages: How many pages, or figures.
 */
struct mismatches {
	const char *source, *field, *function, *rule;
	uint64_t pages;
};

/* By name, as many as there can be: interfaces or bugs. */
struct tally {
	const char *name;
	uint64_t nr[NR_VERDICTS];
};

enum not_checked { BUSY, GONE, BUDGET, SIGNAL, OTHER, NR_NOT_CHECKED };

/**
 * run - what is known of the run
 * @mismatch: Processes with one, @unstable: with nothing worse; @unclean: with
 *	either, that were checked to the end.
 * @not_checked: Others, by reason.
 * @text: The metrics, @size bytes.
 */
static struct {
	struct mismatches mismatches[MAX_SERIES];
	size_t nr_mismatches;
	struct tally source[MAX_NAMES], bug[RULES_MAX];
	uint64_t mismatch, unstable, unclean;
	uint64_t not_checked[NR_NOT_CHECKED];
	struct timespec start;
	char *text;
	size_t size;
} run;

static FILE *to;

static void begin(bool verbose, unsigned int interfaces)
{
	free(run.text);
	memset(&run, 0, sizeof(run));
	clock_gettime(CLOCK_MONOTONIC, &run.start);
}

/* That of @name, which is added; NULL if there is no room. */
static struct tally *find_tally(struct tally *list, size_t max, const char *name)
{
	size_t i;

	for (i = 0; i < max && list[i].name; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	if (i == max)
		return NULL;
	list[i].name = name;
	return &list[i];
}

static void count_verdict(struct tally *list, size_t max, const char *name,
			  const struct report_finding *f)
{
	struct tally *t = find_tally(list, max, name);

	if (t)
		t->nr[f->verdict] += f->pages ? f->pages : 1;
}

static void count_sources(const struct report_finding *f)
{
	count_verdict(run.source, MAX_NAMES, f->remark ? f->examination : f->source->name, f);
	for (int i = 0; !f->remark && i < FINDING_ALSO && f->also[i]; i++)
		count_verdict(run.source, MAX_NAMES, f->also[i]->name, f);
}

static void count_bugs(const struct report_finding *f)
{
	const struct slack *bug;
	uint64_t set;

	for (set = f->rules; set; set &= set - 1)
		if (rules[__builtin_ctzll(set)].bug)
			count_verdict(run.bug, RULES_MAX, rules[__builtin_ctzll(set)].name, f);
	for (bug = kernel_bugs; f->remark && f->remark->rule && bug->name; bug++)
		if (!strcmp(bug->name, f->remark->rule))
			count_verdict(run.bug, RULES_MAX, bug->name, f);
}

static const char *or_none(const char *text)
{
	return text ? text : "";
}

static const char *entry_kind_name(const struct page_truth *truth)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);

	return kind < names_kind.nr && names_kind.name[kind] ?
	       names_kind.name[kind] : "other";
}

static struct mismatches series_of(const struct report_finding *f)
{
	if (f->remark)
		return (struct mismatches){
			.source = f->examination,
			.field = or_none(f->remark->field),
			.function = or_none(f->remark->function),
			.rule = or_none(f->remark->rule),
		};
	return (struct mismatches){
		.source = f->source->name,
		.field = entry_kind_name(&f->truth),
		.function = "",
		.rule = f->rules ? rules[__builtin_ctzll(f->rules)].name : "",
	};
}

/* The last series is for all that find no place among the others. */
static void count_mismatch(const struct report_finding *f)
{
	struct mismatches new = series_of(f), *m;
	size_t i;

	for (i = 0; i < run.nr_mismatches && i < MAX_SERIES - 1; i++) {
		m = &run.mismatches[i];
		if (!strcmp(m->source, new.source) && !strcmp(m->field, new.field) &&
		    !strcmp(m->function, new.function) && !strcmp(m->rule, new.rule))
			break;
	}
	if (i == MAX_SERIES - 1)
		new = (struct mismatches){ "other", "", "", "", 0 };
	m = &run.mismatches[i];
	if (i == run.nr_mismatches) {
		*m = new;
		run.nr_mismatches++;
	}
	m->pages += f->pages ? f->pages : 1;
}

static void finding(const struct report_finding *f)
{
	count_sources(f);
	count_bugs(f);
	if (f->verdict == VERDICT_MISMATCH)
		count_mismatch(f);
}

/* One that has a mismatch counts as such, even if not all of it was checked. */
static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	bool bad = counts->verdict[VERDICT_MISMATCH];
	bool moved = counts->verdict[VERDICT_UNSTABLE];

	if (note)
		run.not_checked[!strcmp(note, "busy") ? BUSY :
				!strcmp(note, CLIENT_WENT_AWAY) ? GONE :
				!strcmp(note, CHECK_OUT_OF_TIME) ? BUDGET :
				!strcmp(note, CHECK_INTERRUPTED) ? SIGNAL : OTHER]++;
	else if (bad || moved)
		run.unclean++;
	run.mismatch += bad;
	run.unstable += !bad && moved && !note;
}

static void family(const char *name, const char *help)
{
	fprintf(to, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s gauge\n",
		name, help, name);
}

/* The labels of a sample, and their values by turns. */
#define LABELS(...)	((const char *const []){ __VA_ARGS__, NULL })

/* A value of a label may have any bytes. */
static void print_label(const char *separator, const char *label, const char *value)
{
	char *text = escape_text(value);

	if (!text)
		exit_no_memory();
	fprintf(to, "%s%s=\"", separator, label);
	for (const char *p = text; *p; p++)
		fprintf(to, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
	fputc('"', to);
	free(text);
}

/* @labels may be NULL. */
static void sample(const char *name, double value, const char *const *labels)
{
	fprintf(to, PREFIX "%s", name);
	for (size_t i = 0; labels && labels[i]; i += 2)
		print_label(i ? "," : "{", labels[i], labels[i + 1]);
	fprintf(to, "%s %.15g\n", labels ? "}" : "", value);
}

static void single(const char *name, const char *help, double value)
{
	family(name, help);
	sample(name, value, NULL);
}

static void print_run_metrics(const struct report_summary *s)
{
	family("info", "The kernel and the ptwalk of the latest run.");
	sample("info", 1, LABELS("kernel", s->kernel->release, "version", VERSION));
	single("up", "Whether any process could be checked: not without the module, nor without the permission.",
	       s->processes.checked > 0);
	single("partial", "Whether the run was ended by its budget or a signal before all processes were checked.",
	       !!s->partial);
	single("timestamp_seconds", "When the run ended, in seconds since 1970.",
	       time(NULL));
	single("duration_seconds", "How long it took.", seconds_since(&run.start));
	single("exit_status", "0 match or explained, 1 mismatch, 2 wrong command line, 3 not all could be checked, 4 unstable pages.",
	       s->status);
}

static void print_processes(const struct report_summary *s)
{
	static const char *const reason[NR_NOT_CHECKED] = {
		"busy", "went_away", "budget", "signal", "other",
	};
	const char *name = "processes";
	uint64_t told = 0;

	family(name, "Processes that were checked, by result; those with a mismatch even if not checked to the end.");
	sample(name, s->processes.checked > run.unclean ? s->processes.checked - run.unclean : 0,
	       LABELS("result", "ok"));
	sample(name, run.mismatch, LABELS("result", "mismatch"));
	sample(name, run.unstable, LABELS("result", "unstable"));

	/* Those that weren't begun. */
	for (int i = 0; i < NR_NOT_CHECKED; i++)
		told += run.not_checked[i];
	if (s->processes.unchecked > told)
		run.not_checked[!s->partial ? OTHER :
				!strcmp(s->partial, "budget") ? BUDGET : SIGNAL] +=
			s->processes.unchecked - told;
	run.not_checked[GONE] += s->processes.gone;

	name = "processes_not_checked";
	family(name, "Processes that were not checked, or not to the end, by reason.");
	for (int i = 0; i < NR_NOT_CHECKED; i++)
		sample(name, run.not_checked[i], LABELS("reason", reason[i]));
	sample(name, s->processes.no_memory, LABELS("reason", "no_address_space"));
	sample(name, s->processes.same_memory, LABELS("reason", "same_address_space"));
	sample(name, s->processes.elsewhere, LABELS("reason", "nothing_in_range"));
	single("processes_hidden", "Whether /proc may hide processes (hidepid), which were not checked.",
	       !!s->hidden);
}

static void print_count_metrics(const struct report_counts *counts)
{
	family("pages", "Pages compared, by the worst verdict of all interfaces.");
	for (int i = 0; i < NR_VERDICTS; i++)
		sample("pages", counts->verdict[i], LABELS("verdict", verdict_name[i]));
	family("pages_left_out", "Pages that were not compared, by reason.");
	sample("pages_left_out", counts->sampled, LABELS("reason", "sample"));
	sample("pages_left_out", counts->left_out, LABELS("reason", "crashes_kernel"));
	single("figures", "Fields of smaps, status and their like that were compared.",
	       counts->figures);
	single("figures_unsettled", "Those of them that kept changing.",
	       counts->unsettled);
}

/* Of each interface, with zeros: what isn't there can't be compared with. */
static void print_interfaces(const struct report_summary *s)
{
	const char *name = "interface_used";

	family(name, "Whether this kernel has the interface, and it was compared.");
	for (size_t i = 0; i < s->nr_sources; i++)
		sample(name, s->sources[i].used, LABELS("source", s->sources[i].name));
	name = "interface_compared";
	family(name, "Pages or figures that were compared with the interface.");
	for (size_t i = 0; i < s->nr_sources; i++) {
		find_tally(run.source, MAX_NAMES, s->sources[i].name);
		sample(name, s->sources[i].compared,
		       LABELS("source", s->sources[i].name));
	}
	name = "interface_differences";
	family(name, "Those of them that differ, by verdict.");
	for (size_t i = 0; i < MAX_NAMES && run.source[i].name; i++)
		for (int v = VERDICT_EXPLAINED; v < NR_VERDICTS; v++)
			sample(name, run.source[i].nr[v],
			       LABELS("source", run.source[i].name,
				      "verdict", verdict_name[v]));
}

static void print_mismatches(void)
{
	const struct mismatches *m = run.mismatches;

	family("mismatches", "Mismatches by the field of the interface, or the kind of entry, the kernel's function that adds it up, and the bug or rule.");
	for (; m < run.mismatches + run.nr_mismatches; m++)
		sample("mismatches", m->pages,
		       LABELS("source", m->source, "field", m->field,
			      "function", m->function, "rule", m->rule));
	family("known_bugs", "Pages or figures in which a known bug of the kernel shows.");
	for (size_t i = 0; i < RULES_MAX && run.bug[i].name; i++)
		sample("known_bugs", run.bug[i].nr[VERDICT_EXPLAINED] +
		       run.bug[i].nr[VERDICT_MISMATCH], LABELS("bug", run.bug[i].name));
}

static void summary(const struct report_summary *s)
{
	to = open_memstream(&run.text, &run.size);
	if (!to)
		exit_no_memory();
	print_run_metrics(s);
	print_processes(s);
	print_count_metrics(&s->counts);
	print_interfaces(s);
	print_mismatches();
	if (fclose(to))
		exit_no_memory();
}

const struct renderer render_prometheus = {
	.name = "prometheus",
	.help = "metrics",
	.document = true,
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};

int prometheus_save(const char *path)
{
	return run.text ? replace_file(path, run.text, run.size) : 0;
}

static const struct renderer *other;

static void begin_both(bool verbose, unsigned int interfaces)
{
	begin(verbose, interfaces);
	other->begin(verbose, interfaces);
}

static void finding_both(const struct report_finding *f)
{
	finding(f);
	other->finding(f);
}

static void process_both(pid_t pid, const char *comm,
			 const struct report_counts *counts, const char *note)
{
	process(pid, comm, counts, note);
	other->process(pid, comm, counts, note);
}

static void summary_both(const struct report_summary *s)
{
	summary(s);
	other->summary(s);
}

const struct renderer *prometheus_beside(const struct renderer *renderer)
{
	static struct renderer both;

	other = renderer;
	both = *renderer;
	both.begin = begin_both;
	both.finding = finding_both;
	both.process = process_both;
	both.summary = summary_both;
	return &both;
}
