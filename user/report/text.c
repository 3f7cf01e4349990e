// SPDX-License-Identifier: GPL-2.0
/* The events of a check as text for people. */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include "base/format.h"
#include "base/print.h"
#include "check/check.h"
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "report/alike.h"
#include "report/describe.h"
#include "sources/source.h"

/* Explained findings are only counted, by rule, with one for an example. */
static struct {
	uint64_t places;
	pid_t pid;
	char comm[32];
	uint64_t start, pages;
	char name[64];
} explained[RULES_MAX];

/* Interfaces with findings that no rule explains; NULL behind the last. */
static const char *suspected[2 * CHECK_MAX_SOURCES + 1];

static bool verbose;
static bool any_process;

static const enum out_colour colours[NR_VERDICTS] = {
	[VERDICT_MATCH] = OUT_GOOD,
	[VERDICT_EXPLAINED] = OUT_DIM,
	[VERDICT_UNSTABLE] = OUT_WARN,
	[VERDICT_MISMATCH] = OUT_BAD,
};

static void begin(bool be_verbose, unsigned int interfaces)
{
	verbose = be_verbose;
	alike_begin();
}

static void remember_explained(const struct report_finding *f)
{
	unsigned int rule = __builtin_ctzll(f->rules);

	if (explained[rule].places++)
		return;
	explained[rule].pid = f->pid;
	explained[rule].start = f->truth.addr;
	explained[rule].pages = f->pages;
	snprintf(explained[rule].comm, sizeof(explained[rule].comm), "%s",
		 f->comm);
	snprintf(explained[rule].name, sizeof(explained[rule].name), "%s",
		 finding_place(f));
}

/* Its place among those that are suspected, or that for the next one. */
static size_t suspect_at(const char *name)
{
	size_t i = 0;

	while (suspected[i] && strcmp(suspected[i], name))
		i++;
	return i;
}

static void suspect_source(const char *name)
{
	size_t i = suspect_at(name);

	if (i < 2 * CHECK_MAX_SOURCES)
		suspected[i] = name;
}

/* Of a mismatch, a rule that is no bug is one that should have held. */
static void print_rules(enum verdict verdict, uint64_t set)
{
	const char *separator = "";

	for (; set; set &= set - 1, separator = ", ") {
		const struct rule *rule = &rules[__builtin_ctzll(set)];

		printf("%s%s%s", separator, rule->name,
		       rule->bug ? " (a bug of the kernel)" :
		       verdict == VERDICT_MISMATCH ? " (not seen to hold)" : "");
	}
}

static void print_line(const char *label, const char *text)
{
	printf("  %-9s ", label);
	out_text(text);
	putchar('\n');
}

static void remark(const struct report_finding *f)
{
	printf("%s%s%s: %d (", out_colour(colours[f->verdict]),
	       verdict_name[f->verdict], out_colour(OUT_PLAIN), (int)f->pid);
	out_text(f->comm);
	putchar(')');
	if (f->pages) {
		printf(" 0x%" PRIx64 ", %" PRIu64 " page%s, ",
		       (uint64_t)f->truth.addr, f->pages, plural(f->pages));
		out_text(finding_place(f));
	}
	if (f->remark->rule)
		printf("%s%s", f->pages ? ", " : " ", f->remark->rule);
	putchar('\n');
}

static void compared(const struct report_finding *f)
{
	printf("%s%s%s: %d (", out_colour(colours[f->verdict]),
	       verdict_name[f->verdict], out_colour(OUT_PLAIN), (int)f->pid);
	out_text(f->comm);
	printf(") 0x%" PRIx64 ", %" PRIu64 " page%s, ",
	       (uint64_t)f->truth.addr, f->pages, plural(f->pages));
	out_text(finding_place(f));
	if (f->rules) {
		printf(", rule ");
		print_rules(f->verdict, f->rules);
	}
	putchar('\n');
}

/* Where the block of findings that differ alike ends. */
static void text_end_alike(void)
{
	const uint64_t nr = alike_left();

	if (nr && !verbose)
		printf("  alike     %" PRIu64 " more of this process (-v prints all)\n",
		       nr);
}

static void finding(const struct report_finding *f)
{
	enum alike alike = ALIKE_NEW;

	if (f->verdict == VERDICT_EXPLAINED && f->rules)
		remember_explained(f);
	if (f->verdict == VERDICT_EXPLAINED && !verbose)
		return;
	if (f->verdict != VERDICT_EXPLAINED) {
		suspect_source(f->source ? f->source->name : f->examination);
		for (int i = 0; i < FINDING_ALSO && f->also[i]; i++)
			suspect_source(f->also[i]->name);
		alike = alike_note(f);
	}
	if (verbose)
		alike = ALIKE_NEW;
	if (alike == ALIKE_COUNTED)
		return;
	if (alike != ALIKE_NEXT) {
		text_end_alike();
		if (f->remark)
			remark(f);
		else
			compared(f);
	}
	describe_finding(f, print_line);
	out_check();
}

static uint64_t total(const struct report_counts *counts)
{
	uint64_t pages = 0;
	int i;

	for (i = 0; i < NR_VERDICTS; i++)
		pages += counts->verdict[i];
	return pages;
}

static void print_counts(const struct report_counts *counts)
{
	uint64_t pages = total(counts) - counts->unclaimed;
	int i;

	printf("%" PRIu64 " %s%s", pages, counts->of_claims ? "claim" : "page",
	       plural(pages));
	if (counts->unclaimed)
		printf(" and %" PRIu64 " unclaimed page%s", counts->unclaimed,
		       plural(counts->unclaimed));
	printf(" compared");
	for (i = 0; i < NR_VERDICTS; i++) {
		bool loud = counts->verdict[i];

		printf(", %s%" PRIu64 " %s%s",
		       loud ? out_colour(colours[i]) : "",
		       counts->verdict[i], verdict_name[i],
		       loud ? out_colour(OUT_PLAIN) : "");
	}
}

static void print_figures(const struct report_counts *counts)
{
	if (counts->figures)
		printf("; %" PRIu64 " figure%s", counts->figures,
		       plural(counts->figures));
	if (counts->unsettled)
		printf(", %" PRIu64 " of them never at rest (see --freeze)",
		       counts->unsettled);
}

static void print_findings(void)
{
	if (alike_findings())
		printf("; %" PRIu64 " finding%s", alike_findings(),
		       plural(alike_findings()));
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	any_process = true;
	text_end_alike();
	printf("%d", (int)pid);
	if (*comm) {
		printf(" (");
		out_text(comm);
		putchar(')');
	}
	printf(": ");
	if (note && !total(counts)) {
		printf("not checked: ");
		out_text(note);
		putchar('\n');
	} else {
		print_counts(counts);
		print_figures(counts);
		if (counts->sampled)
			printf("; %" PRIu64 " empty page%s between samples left out",
			       counts->sampled, plural(counts->sampled));
		if (counts->left_out)
			printf("; %" PRIu64 " page%s left out whose reading can crash the kernel",
			       counts->left_out, plural(counts->left_out));
		if (note)
			printf("; ");
		out_text(note ? note : "");
		putchar('\n');
	}
	out_flush();
}

static bool counts_are_empty(const struct report_counts *counts)
{
	return !total(counts) && !counts->figures;
}

/* Limits are told of all interfaces with -v, else of those that are suspected. */
static bool is_told(const struct report_source *source)
{
	return source->why && (verbose || suspected[suspect_at(source->name)]);
}

static bool same_reason(const struct report_source *a,
			const struct report_source *b)
{
	return is_told(a) && is_told(b) && a->used == b->used &&
	       !strcmp(a->why, b->why);
}

/* What is missing or left out; sources for the same reason in one line. */
static void print_sources(const struct report_summary *s)
{
	const struct report_source *source = s->sources;
	size_t i, j;

	for (i = 0; i < s->nr_sources; i++) {
		for (j = 0; j < i && !same_reason(&source[j], &source[i]); j++)
			;
		if (!is_told(&source[i]) || j < i)
			continue;
		printf("source %s", source[i].name);
		for (j = i + 1; j < s->nr_sources; j++)
			if (same_reason(&source[i], &source[j]))
				printf(", %s", source[j].name);
		printf("%s: %s\n", source[i].used ? "" : " not used",
		       source[i].why);
	}
}

/* Of how many pages or figures each has shown what was compared. */
static void print_compared(const struct report_summary *s)
{
	const char *before = "compared: ";

	for (size_t i = 0; verbose && i < s->nr_sources; i++) {
		if (!s->sources[i].used)
			continue;
		printf("%s%s %" PRIu64, before, s->sources[i].name, s->sources[i].compared);
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

static void print_during(const struct report_during *d)
{
	printf("sums of %" PRIu64 " round%s in %.1f s beside `", d->rounds,
	       plural(d->rounds), d->seconds);
	for (char **word = d->command; *word; word++) {
		out_text(*word);
		if (word[1])
			putchar(' ');
	}
	if (d->runs)
		printf("`, which hasn't ended yet");
	else if (WIFEXITED(d->status))
		printf("`, which exited with %d", WEXITSTATUS(d->status));
	else
		printf("`, which signal %d (%s) ended", WTERMSIG(d->status),
		       strsignal(WTERMSIG(d->status)));
	puts(d->interrupted ? "; interrupted" : "");
}

static void text_elsewhere(enum verdict verdict, const char *text)
{
	printf("%s%s%s: ", out_colour(colours[verdict]), verdict_name[verdict],
	       out_colour(OUT_PLAIN));
	out_text(text);
	puts(" (-v prints all)");
}

static void summary(const struct report_summary *s)
{
	char text[REPORT_SUM];
	unsigned int i;

	text_end_alike();
	if (any_process)
		putchar('\n');
	if (!verbose)
		alike_elsewhere(text_elsewhere);
	for (i = 0; i < nr_rules; i++) {
		if (!explained[i].places)
			continue;
		/* Without the pages: drawn requests ask for one many times. */
		printf("explained by %s: %" PRIu64 " place%s, such as %d (", rules[i].name,
		       explained[i].places, plural(explained[i].places),
		       (int)explained[i].pid);
		out_text(explained[i].comm);
		printf(") 0x%" PRIx64 " ", explained[i].start);
		out_text(explained[i].name);
		putchar('\n');
	}
	for (i = 0; i < s->nr_reasons; i++)
		printf("explained by %s: %" PRIu64 " figure%s\n",
		       s->reasons[i].rule, s->reasons[i].findings,
		       plural(s->reasons[i].findings));
	if (!counts_are_empty(&s->counts)) {
		print_sources(s);
		print_compared(s);
	}
	for (i = 0; i < s->nr_sources; i++)
		if (report_sum_text(&s->sources[i], text))
			printf("%s: %s\n", s->sources[i].name, text);
	if (s->counts.requests)
		printf("drawn: %" PRIu64 " request%s, about %" PRIu64 " million instructions (--effort %u --seed %" PRIu64 ")\n",
		       s->counts.requests, plural(s->counts.requests),
		       (s->counts.cost + 500000) / 1000000, s->effort, s->seed);
	if (s->counts.sampled)
		printf("sampled: %" PRIu64 " page%s of empty memory left out between samples\n",
		       s->counts.sampled, plural(s->counts.sampled));
	if (s->counts.left_out)
		printf("left out: %" PRIu64 " page%s whose reading can crash this kernel (ptwalk explain %s)\n",
		       s->counts.left_out, plural(s->counts.left_out),
		       s->crash_rule->name);
	if (s->partial)
		printf("partial: ended by the %s before all processes were checked\n",
		       s->partial);
	printf("%" PRIu64 " process%s on Linux %s",
	       s->processes.checked, s->processes.checked == 1 ? "" : "es",
	       s->kernel->release);
	if (s->processes.gone)
		printf(", %" PRIu64 " went away", s->processes.gone);
	if (s->processes.no_memory)
		printf(", %" PRIu64 " without an address space",
		       s->processes.no_memory);
	if (s->processes.same_memory)
		printf(", %" PRIu64 " with the address space of another",
		       s->processes.same_memory);
	if (s->processes.elsewhere)
		printf(", %" PRIu64 " without a mapping there", s->processes.elsewhere);
	if (s->processes.unchecked)
		printf(", %" PRIu64 " not checked", s->processes.unchecked);
	if (counts_are_empty(&s->counts)) {
		printf(": nothing compared");
	} else {
		printf(": ");
		print_counts(&s->counts);
		print_figures(&s->counts);
		print_findings();
	}
	putchar('\n');
	if (s->during)
		print_during(s->during);
}

const struct renderer render_text = {
	.name = "text",
	.help = "for people",
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};
