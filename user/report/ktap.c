// SPDX-License-Identifier: GPL-2.0
/* The events of a check as KTAP: one test a process. */
#include <inttypes.h>
#include "base/format.h"
#include "base/print.h"
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "proc/maps.h"
#include "report/describe.h"
#include "sources/source.h"

static unsigned int tests;
static bool verbose;

/* Behind the results, where others have it, a plan is none in KTAP. */
static void begin(bool be_verbose, unsigned int processes)
{
	verbose = be_verbose;
	puts("KTAP version 1");
	if (processes)
		printf("1..%u\n", processes);
}

static void line(const char *label, const char *text)
{
	printf("#   %s: ", label);
	out_text(text);
	putchar('\n');
}

static void remark(const struct report_finding *f)
{
	printf("# %s: ", verdict_name[f->verdict]);
	if (f->pages)
		printf("0x%" PRIx64 ", %" PRIu64 " page%s, ",
		       (uint64_t)f->truth.addr, f->pages, plural(f->pages));
	puts(f->remark->rule ? f->remark->rule : "the whole process");
}

static void compared(const struct report_finding *f)
{
	printf("# %s: 0x%" PRIx64 ", %" PRIu64 " page%s, ",
	       verdict_name[f->verdict], (uint64_t)f->truth.addr, f->pages,
	       plural(f->pages));
	out_text(f->map ? f->map->name : "outside every mapping");
	if (f->rules)
		printf(", rule %s", rules[__builtin_ctzll(f->rules)].name);
	putchar('\n');
}

static void finding(const struct report_finding *f)
{
	if (f->verdict == VERDICT_EXPLAINED && !verbose)
		return;
	if (f->remark)
		remark(f);
	else
		compared(f);
	describe_finding(f, line);
	out_check();
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	bool bad = counts->verdict[VERDICT_MISMATCH];
	bool moved = counts->verdict[VERDICT_UNSTABLE];

	printf("%s %u %d ", bad ? "not ok" : "ok", ++tests, (int)pid);
	for (; *comm; comm++)	/* # would start a directive */
		putchar(*comm <= ' ' || *comm > '~' || *comm == '#' ? '_' :
								      *comm);
	if (!bad && note) {
		printf(" # SKIP ");
		out_text(note);
	} else if (!bad && moved) {
		printf(" # SKIP pages never held still");
	}
	putchar('\n');
	out_flush();
}

static void summary(const struct report_summary *s)
{
	char text[REPORT_SUM];
	uint64_t pages = 0;
	unsigned int i;

	for (i = 0; s->counts.comparisons && i < s->nr_sources; i++)
		if (s->sources[i].why)
			printf("# source %s: %s\n", s->sources[i].name,
			       s->sources[i].why);
	for (i = 0; i < s->nr_sources; i++)
		if (sum_text(&s->sources[i], text))
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
	printf(" figures:%" PRIu64 "\n", s->counts.figures);
}

const struct renderer render_ktap = {
	.name = "ktap",
	.help = "one test a process, for test harnesses",
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};
