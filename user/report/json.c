// SPDX-License-Identifier: GPL-2.0
/* The events of a check as JSON, one object a line. */
#include <sys/wait.h>
#include "base/print.h"
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "proc/maps.h"
#include "report/alike.h"
#include "report/describe.h"
#include "sources/source.h"

static json_t *map_json(const struct map *map)
{
	json_t *object = json_object();

	json_object_set_new(object, "start", json_hex(map->start));
	json_object_set_new(object, "last", json_hex(map->last));
	json_object_set_new(object, "perms", json_string(map->perms));
	json_object_set_new(object, "name", json_text(map->name));
	return object;
}

static void set_rules(json_t *object, uint64_t set)
{
	json_t *array;

	json_object_set_new(object, "rule", set ?
		json_string(rules[__builtin_ctzll(set)].name) : json_null());
	if (!(set & (set - 1)))
		return;
	array = json_array();
	for (; set; set &= set - 1)
		json_array_append_new(array,
			json_string(rules[__builtin_ctzll(set)].name));
	json_object_set_new(object, "rules", array);
}

static void set_also(json_t *object, const struct report_finding *f)
{
	json_t *array;

	if (!f->also[0])
		return;
	array = json_array();
	for (int i = 0; i < FINDING_ALSO && f->also[i]; i++)
		json_array_append_new(array, json_string(f->also[i]->name));
	json_object_set_new(object, "also", array);
}

static void set_request(json_t *object, const struct report_finding *f)
{
	char request[READ_REQUEST_TEXT];

	if (!f->request.source)
		return;
	read_request_text(&f->request, request);
	json_object_set_new(object, "request", json_string(request));
}

static void set_sides(json_t *object, const struct report_finding *f)
{
	char buf[CLAIMS_HINT];
	const char *hint = finding_hint(f, buf);

	set_rules(object, f->rules);
	json_object_set_new(object, "source", json_string(f->source->name));
	set_also(object, f);
	json_object_set_new(object, "truth",
			    truth_json(f->env->kernel, &f->truth));
	json_object_set_new(object, "seen", f->has_data ?
		f->source->json(f->env, f->truth.addr, f->seen) :
		json_null());
	if (hint)
		json_object_set_new(object, "hint", json_string(hint));
	bits_json(object, f);
	set_request(object, f);
}

/* Objects, as those of other findings are. */
static json_t *side_json(const char *text, bool has_paddr, uint64_t paddr)
{
	json_t *object = json_object();

	json_object_set_new(object, "text", json_text(text));
	if (has_paddr)
		json_object_set_new(object, "paddr", json_hex(paddr));
	return object;
}

static void set_remark(json_t *object, const struct report_finding *f)
{
	json_object_set_new(object, "rule", f->remark->rule ?
		json_string(f->remark->rule) : json_null());
	json_object_set_new(object, "source", json_string(f->examination));
	set_also(object, f);
	if (f->remark->times)
		json_object_set_new(object, "times", json_integer(f->remark->times));
	if (f->remark->field) {
		json_object_set_new(object, "field",
				    json_string(f->remark->field));
		json_object_set_new(object, "function",
				    json_string(f->remark->function));
	}
	json_object_set_new(object, "truth",
			    side_json(f->remark->truth, f->remark->has_found,
				      f->remark->found));
	json_object_set_new(object, "seen",
			    side_json(f->remark->seen, f->remark->has_expected,
				      f->remark->expected));
	if (f->remark->has_found)
		json_object_set_new(object, "found_paddr",
				    json_hex(f->remark->found));
	if (f->remark->has_expected)
		json_object_set_new(object, "expected_paddr",
				    json_hex(f->remark->expected));
	set_request(object, f);
}

static void begin(bool verbose, unsigned int interfaces)
{
	alike_begin();
}

/* Says of all but the first of those that differ alike that they do. */
static void set_alike(json_t *object, const struct report_finding *f)
{
	if (f->verdict != VERDICT_EXPLAINED && alike_note(f) != ALIKE_NEW)
		json_object_set_new(object, "alike", json_true());
}

static void finding(const struct report_finding *f)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string("finding"));
	json_object_set_new(object, "pid", json_integer(f->pid));
	json_object_set_new(object, "comm", json_text(f->comm));
	json_object_set_new(object, "start", json_hex(f->truth.addr));
	json_object_set_new(object, "pages", json_integer(f->pages));
	json_object_set_new(object, "verdict",
			    json_string(verdict_name[f->verdict]));
	if (f->remark)
		set_remark(object, f);
	else
		set_sides(object, f);
	json_object_set_new(object, "vma",
			    f->map ? map_json(f->map) : json_null());
	set_alike(object, f);
	out_json(object);
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string("process"));
	json_object_set_new(object, "pid", json_integer(pid));
	json_object_set_new(object, "comm", json_text(comm));
	counts_json(object, counts);
	if (note)
		json_object_set_new(object, "unchecked", json_text(note));
	out_json(object);
	out_flush();
}

/* Under the name of the examination. */
static void sum_up(json_t *object, const struct report_source *source)
{
	if (source->used && source->examination &&
	    source->examination->sum_json)
		json_object_set_new(object, source->name,
				    source->examination->sum_json());
}

static json_t *during_json(const struct report_during *d)
{
	json_t *object = json_object(), *words = json_array();

	for (char **word = d->command; *word; word++)
		json_array_append_new(words, json_text(*word));
	json_object_set_new(object, "command", words);
	json_object_set_new(object, "rounds", json_integer(d->rounds));
	json_object_set_new(object, "milliseconds",
			    json_integer(d->seconds * 1000));
	json_object_set_new(object, "interrupted", json_boolean(d->interrupted));
	if (WIFEXITED(d->status))
		json_object_set_new(object, "exited",
				    json_integer(WEXITSTATUS(d->status)));
	else
		json_object_set_new(object, "signal",
				    json_integer(WTERMSIG(d->status)));
	return object;
}

static void summary(const struct report_summary *s)
{
	json_t *object = json_object(), *used = json_object();
	json_t *list = json_array(), *source;
	unsigned int i;

	json_object_set_new(object, "type", json_string("summary"));
	counts_json(object, &s->counts);
	json_object_set_new(object, "findings", json_integer(alike_findings()));
	json_object_set_new(object, "processes", json_integer(s->processes));
	json_object_set_new(object, "gone", json_integer(s->gone));
	json_object_set_new(object, "no_memory", json_integer(s->no_memory));
	json_object_set_new(object, "same_memory",
			    json_integer(s->same_memory));
	json_object_set_new(object, "elsewhere", json_integer(s->elsewhere));
	json_object_set_new(object, "unchecked", json_integer(s->unchecked));
	if (s->hidden)
		json_object_set_new(object, "hidden", json_string(s->hidden));
	for (i = 0; i < nr_rules; i++)
		if (s->rules[i])
			json_object_set_new(used, rules[i].name,
					    json_integer(s->rules[i]));
	for (i = 0; i < s->nr_reasons; i++)
		json_object_set_new(used, s->reasons[i].rule,
				    json_integer(s->reasons[i].findings));
	json_object_set_new(object, "rules", used);
	if (s->counts.left_out)
		json_object_set_new(object, "spared_for",
				    json_string(s->crash_rule->name));
	for (i = 0; i < s->nr_sources; i++) {
		source = json_object();
		json_object_set_new(source, "name",
				    json_string(s->sources[i].name));
		json_object_set_new(source, "used",
				    json_boolean(s->sources[i].used));
		json_object_set_new(source, "compared",
				    json_integer(s->sources[i].compared));
		if (s->sources[i].why)
			json_object_set_new(source, "why",
					    json_string(s->sources[i].why));
		json_array_append_new(list, source);
		sum_up(object, &s->sources[i]);
	}
	json_object_set_new(object, "sources", list);
	json_object_set_new(object, "kernel",
			    json_text(s->kernel->release));
	if (s->partial)
		json_object_set_new(object, "partial", json_string(s->partial));
	if (s->during)
		json_object_set_new(object, "during", during_json(s->during));
	json_object_set_new(object, "status", json_integer(s->status));
	out_json(object);
}

const struct renderer render_json = {
	.name = "json",
	.help = "one JSON object a line",
	.begin = begin,
	.finding = finding,
	.process = process,
	.summary = summary,
};
