// SPDX-License-Identifier: GPL-2.0
/* The events of a check as JSON, one object a line. */
#include <sys/wait.h>
#include "base/jsonw.h"
#include "base/print.h"
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "proc/maps.h"
#include "report/alike.h"
#include "report/describe.h"
#include "sources/source.h"

static void map_json(const struct map *map)
{
	if (!map) {
		jsonw_null("vma");
		return;
	}
	jsonw_object("vma");
	jsonw_hex("start", map->start);
	jsonw_hex("last", map->last);
	jsonw_text("perms", map->perms);
	jsonw_text("name", map->name);
	jsonw_close();
}

static void rules_json(uint64_t set)
{
	jsonw_text("rule", set ? rules[__builtin_ctzll(set)].name : NULL);
	if (!(set & (set - 1)))
		return;
	jsonw_array("rules");
	for (; set; set &= set - 1)
		jsonw_text(NULL, rules[__builtin_ctzll(set)].name);
	jsonw_close();
}

static void also_json(const struct report_finding *f)
{
	if (!f->also[0])
		return;
	jsonw_array("also");
	for (int i = 0; i < FINDING_ALSO && f->also[i]; i++)
		jsonw_text(NULL, f->also[i]->name);
	jsonw_close();
}

static void request_json(const struct report_finding *f)
{
	char request[READ_REQUEST_TEXT];

	if (!f->request.source)
		return;
	read_request_text(&f->request, request);
	jsonw_text("request", request);
}

static void sides_json(const struct report_finding *f)
{
	char buf[CLAIMS_HINT];
	const char *hint = finding_hint(f, buf);

	rules_json(f->rules);
	jsonw_text("source", f->source->name);
	also_json(f);
	jsonw_object("truth");
	truth_json(f->env->kernel, &f->truth);
	jsonw_close();
	if (f->has_data) {
		jsonw_object("seen");
		f->source->json(f->env, f->truth.addr, f->seen);
		jsonw_close();
	} else {
		jsonw_null("seen");
	}
	if (hint)
		jsonw_text("hint", hint);
	bits_json(f);
	request_json(f);
}

/* Objects, as those of other findings are. */
static void finding_side_json(const char *name, const char *text, bool has_paddr, uint64_t paddr)
{
	jsonw_object(name);
	jsonw_text("text", text);
	if (has_paddr)
		jsonw_hex("paddr", paddr);
	jsonw_close();
}

static void remark_json(const struct report_finding *f)
{
	const struct remark *r = f->remark;

	jsonw_text("rule", r->rule);
	jsonw_text("source", f->examination);
	also_json(f);
	if (r->times)
		jsonw_number("times", r->times);
	if (r->field) {
		jsonw_text("field", r->field);
		jsonw_text("function", r->function);
	}
	finding_side_json("truth", r->truth, r->has_found, r->found);
	finding_side_json("seen", r->seen, r->has_expected, r->expected);
	if (r->has_found)
		jsonw_hex("found_paddr", r->found);
	if (r->has_expected)
		jsonw_hex("expected_paddr", r->expected);
	request_json(f);
}

static void begin(bool verbose, unsigned int interfaces)
{
	alike_begin();
}

/* Says of all but the first of those that differ alike that they do. */
static void alike_json(const struct report_finding *f)
{
	if (f->verdict != VERDICT_EXPLAINED && alike_note(f) != ALIKE_NEW)
		jsonw_bool("alike", true);
}

static void finding(const struct report_finding *f)
{
	jsonw_begin("finding");
	jsonw_number("pid", f->pid);
	jsonw_text("comm", f->comm);
	jsonw_hex("start", f->truth.addr);
	jsonw_number("pages", f->pages);
	jsonw_text("verdict", verdict_name[f->verdict]);
	if (f->remark)
		remark_json(f);
	else
		sides_json(f);
	map_json(f->map);
	alike_json(f);
	jsonw_end();
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	jsonw_begin("process");
	jsonw_number("pid", pid);
	jsonw_text("comm", comm);
	counts_json(counts);
	if (note)
		jsonw_text("unchecked", note);
	jsonw_end();
	out_flush();
}

/* Pages that each rule is about, and findings of examinations. */
static void report_rules_json(const struct report_summary *s)
{
	jsonw_object("rules");
	for (unsigned int i = 0; i < nr_rules; i++)
		if (s->rules[i])
			jsonw_number(rules[i].name, s->rules[i]);
	for (size_t i = 0; i < s->nr_reasons; i++)
		jsonw_number(s->reasons[i].rule, s->reasons[i].findings);
	jsonw_close();
}

/* What an examination sums up, under its name. */
static void source_sum_json(const struct report_source *source)
{
	if (!source->used || !source->examination || !source->examination->sum_json)
		return;
	jsonw_object(source->name);
	source->examination->sum_json();
	jsonw_close();
}

static void source_json(const struct report_source *source)
{
	jsonw_object(NULL);
	jsonw_text("name", source->name);
	jsonw_bool("used", source->used);
	jsonw_number("compared", source->compared);
	if (source->why)
		jsonw_text("why", source->why);
	jsonw_close();
}

static void during_json(const struct report_during *d)
{
	jsonw_object("during");
	jsonw_array("command");
	for (char **word = d->command; *word; word++)
		jsonw_text(NULL, *word);
	jsonw_close();
	jsonw_number("rounds", d->rounds);
	jsonw_number("milliseconds", d->seconds * 1000);
	jsonw_bool("interrupted", d->interrupted);
	if (!d->runs && WIFEXITED(d->status))
		jsonw_number("exited", WEXITSTATUS(d->status));
	else if (!d->runs)
		jsonw_number("signal", WTERMSIG(d->status));
	jsonw_close();
}

static void summary(const struct report_summary *s)
{
	jsonw_begin("summary");
	counts_json(&s->counts);
	jsonw_number("findings", alike_findings());
	if (s->counts.requests) {
		jsonw_number("effort", s->effort);
		jsonw_number("seed", s->seed);
	}
	jsonw_number("processes", s->processes.checked);
	jsonw_number("gone", s->processes.gone);
	jsonw_number("no_memory", s->processes.no_memory);
	jsonw_number("same_memory", s->processes.same_memory);
	jsonw_number("elsewhere", s->processes.elsewhere);
	jsonw_number("unchecked", s->processes.unchecked);
	if (s->hidden)
		jsonw_text("hidden", s->hidden);
	report_rules_json(s);
	if (s->counts.left_out)
		jsonw_text("spared_for", s->crash_rule->name);
	for (size_t i = 0; i < s->nr_sources; i++)
		source_sum_json(&s->sources[i]);
	jsonw_array("sources");
	for (size_t i = 0; i < s->nr_sources; i++)
		source_json(&s->sources[i]);
	jsonw_close();
	jsonw_text("kernel", s->kernel->release);
	if (s->partial)
		jsonw_text("partial", s->partial);
	if (s->during)
		during_json(s->during);
	jsonw_number("status", s->status);
	jsonw_end();
}

const struct renderer render_json = {
	.name = "json",
	.help = "one JSON object per line",
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};
