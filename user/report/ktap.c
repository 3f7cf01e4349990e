// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a check as KTAP: a test for the run, and one for each interface.
 * Findings come as they are found, as diagnostics; names of tests and reasons of
 * skips are the same in each run, as parsers make one of the two.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/print.h"
#include "check/examine.h"
#include "check/rules.h"
#include "report/cases.h"
#include "report/describe.h"

static const char *const result[NR_OUTCOMES] = {
	[OUTCOME_PASS] = "",
	[OUTCOME_FAIL] = "",
	[OUTCOME_MISS] = " # SKIP could not be checked",
	[OUTCOME_DONE] = " # SKIP pages never held still",
	[OUTCOME_SKIP] = " # SKIP not compared",
};

static size_t planned;
static bool verbose;

/* Behind the results, where others have it, a plan is none in KTAP. */
static void begin(bool be_verbose, unsigned int interfaces)
{
	cases_begin(be_verbose, interfaces);
	verbose = be_verbose;
	if (planned)
		return;
	planned = 1 + interfaces;
	printf("KTAP version 1\n1..%zu\n", planned);
}

static void ktap_end_alike(void)
{
	const uint64_t nr = alike_left();

	if (nr && !verbose)
		printf("#   alike: %" PRIu64 " more of this process (-v prints all)\n",
		       nr);
}

static void finding(const struct report_finding *f)
{
	enum alike alike = cases_keep(f);
	char *text, *rest, *line;

	if (verbose)
		alike = ALIKE_NEW;
	if (alike == ALIKE_COUNTED || (f->verdict == VERDICT_EXPLAINED && !verbose))
		return;
	if (alike != ALIKE_NEXT)
		ktap_end_alike();
	text = cases_text(f, alike);
	rest = text;
	while ((line = strsep(&rest, "\n")) && *line)
		printf("# %s\n", line);
	free(text);
	out_check();
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	cases_process(pid, comm, counts, note);
	ktap_end_alike();
	printf("# %d (", (int)pid);
	out_text(comm);
	putchar(')');
	for (int i = 0; i < NR_VERDICTS; i++)
		printf(" %s:%" PRIu64, verdict_name[i], counts->verdict[i]);
	if (note) {
		printf(", not checked: ");
		out_text(note);
	}
	putchar('\n');
	out_flush();
}

/* What the tests don't tell. */
static void print_sums(const struct report_summary *s)
{
	char text[REPORT_SUM];
	uint64_t pages = 0;
	unsigned int i;

	for (i = 0; i < s->nr_sources; i++)
		if (report_sum_text(&s->sources[i], text))
			printf("# %s: %s\n", s->sources[i].name, text);
	if (s->counts.left_out)
		printf("# left out: %" PRIu64 " page%s whose reading can crash this kernel (%s)\n",
		       s->counts.left_out, plural(s->counts.left_out),
		       s->crash_rule->name);
	if (s->partial)
		printf("# partial: ended by the %s before all processes were checked\n",
		       s->partial);
	for (i = 0; i < NR_VERDICTS; i++)
		pages += s->counts.verdict[i];
	printf("# pages:%" PRIu64, pages);
	for (i = 0; i < NR_VERDICTS; i++)
		printf(" %s:%" PRIu64, verdict_name[i], s->counts.verdict[i]);
	printf(" figures:%" PRIu64 " findings:%" PRIu64 "\n",
	       s->counts.figures, alike_findings());
}

static void ktap_case(const struct test_case *c, size_t number)
{
	const char *dot = c->name ? "." : "", *name = c->name ? c->name : "";

	if (*c->why) {
		printf("# " CASE_SUITE "%s%s: ", dot, name);
		out_text(c->why);
		putchar('\n');
	}
	printf("%s %zu " CASE_SUITE "%s%s%s\n",
	       c->outcome == OUTCOME_FAIL ? "not ok" : "ok", number, dot, name,
	       result[c->outcome]);
}

static void ktap_elsewhere(enum verdict verdict, const char *text)
{
	printf("# %s: ", verdict_name[verdict]);
	out_text(text);
	puts(" (-v prints all)");
}

static void summary(const struct report_summary *s)
{
	struct test_case c;

	ktap_end_alike();
	if (!verbose)
		alike_elsewhere(ktap_elsewhere);
	print_sums(s);
	for (size_t i = 0; i < cases_number(s); i++) {
		c = cases_get(s, i);
		ktap_case(&c, i + 1);
	}
	/* It was ended by an error. */
	if (cases_number(s) < planned) {
		printf("Bail out! ");
		out_text(s->why ? s->why : "it could not be checked");
		putchar('\n');
	}
	out_check();
}

const struct renderer render_ktap = {
	.name = "ktap",
	.help = "KTAP: one test per interface",
	.document = true,
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};
