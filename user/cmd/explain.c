// SPDX-License-Identifier: GPL-2.0
/* ptwalk explain: rules, findings and flags in words. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "base/parse.h"
#include "base/print.h"
#include "check/rules.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/terms.h"
#include "cmd/topics.h"
#include "sums/reconcile.h"

enum { OPT_JSON = 256 };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ }
};

static const char *versions(const struct rule *rule, char *buf, size_t size)
{
	int len = 0;

	if (!rule->since && !rule->before)
		return "all";
	if (rule->since)
		len = snprintf(buf, size, "since %u.%u", rule->since >> 16,
			       rule->since & 0xffff);
	if (rule->before)
		snprintf(buf + len, size - len, "%sbefore %u.%u",
			 len ? ", " : "", rule->before >> 16,
			 rule->before & 0xffff);
	return buf;
}

/* Prints @text with lines of at most 78 characters. */
static void wrap(const char *label, const char *text)
{
	const int indent = 14, width = 78;
	int column, len;

	printf("  %-*s", indent - 2, label);
	column = indent;
	while (*text) {
		len = strcspn(text, " ");
		if (column > indent && column + 1 + len > width) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/**
 * struct entry - a rule for pages, or a reason for figures
 */
struct entry {
	const char *name, *source, *what, *decided_by, *versions;
	bool bug;
};

static void print_entry(const struct entry *e, bool json)
{
	json_t *object;

	if (json) {
		object = json_object();
		json_object_set_new(object, "type", json_string("rule"));
		json_object_set_new(object, "rule", json_string(e->name));
		json_object_set_new(object, "source", json_string(e->source));
		json_object_set_new(object, "bug", json_boolean(e->bug));
		json_object_set_new(object, "what", json_string(e->what));
		json_object_set_new(object, "decided_by",
				    json_string(e->decided_by));
		json_object_set_new(object, "versions",
				    json_string(e->versions));
		out_json(object);
		return;
	}
	printf("%s%s\n", e->name,
	       e->bug ? " (a bug: a mismatch unless --known-bugs is given)" : "");
	wrap("interface", e->source);
	wrap("what", e->what);
	wrap("decided by", e->decided_by);
	wrap("versions", e->versions);
	out_check();
}

static void print_rule(const struct rule *rule, bool json)
{
	char buf[48];

	struct entry entry = {
		rule->name, rule->source, rule->what, rule->decided_by,
		versions(rule, buf, sizeof(buf)), rule->bug
	};

	print_entry(&entry, json);
}

static void print_reason(const struct slack *reason, bool bug, bool json)
{
	struct entry entry = {
		reason->name, "figures of smaps, status and their like",
		reason->text, reason->where,
		reason->versions ? reason->versions : "all", bug
	};

	print_entry(&entry, json);
}

static const struct slack *find_reason(const struct slack *all,
				       const char *name)
{
	for (; all->name; all++)
		if (!strcmp(all->name, name))
			return all;
	return NULL;
}

static void print_topic(const struct topic *topic, bool json)
{
	if (json) {
		json_t *object = json_object();

		json_object_set_new(object, "type", json_string("rule"));
		json_object_set_new(object, "rule", json_string(topic->name));
		json_object_set_new(object, "source",
				    json_string(topic->source));
		json_object_set_new(object, "what", json_string(topic->what));
		json_object_set_new(object, "decided_by",
				    json_string(topic->decided_by));
		out_json(object);
		return;
	}
	printf("%s (a mismatch)\n", topic->name);
	wrap("found by", topic->source);
	wrap("what", topic->what);
	wrap("decided by", topic->decided_by);
	out_check();
}

static const struct topic *find_topic(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_topics; i++)
		if (!strcmp(topics[i].name, name))
			return &topics[i];
	return NULL;
}

/* A name means one thing of entries and another of pages. */
static bool print_terms(const char *name, bool json)
{
	bool any = false;

	for (unsigned int i = 0; i < nr_terms; i++) {
		const struct term *t = &terms[i];

		if (name && strcmp(t->name, name))
			continue;
		if (json) {
			out_json(json_pack("{s:s, s:s, s:s, s:s}", "type",
					   "term", "name", t->name, "list",
					   t->list, "what", t->what));
		} else {
			printf("%s%s (%s)\n", name && !any ? "" : "\n",
			       t->name, t->list);
			wrap("what", t->what);
			out_check();
		}
		any = true;
	}
	return any;
}

/* @best is the nearest so far. */
static void try_name(const char *word, const char *name, const char **best,
		     unsigned int *least)
{
	unsigned int distance = parse_distance(word, name);

	if (distance < *least) {
		*least = distance;
		*best = name;
	}
}

static int unknown(const char *word)
{
	unsigned int least = 3, i;
	const char *best = NULL;

	for (i = 0; i < nr_rules; i++)
		try_name(word, rules[i].name, &best, &least);
	for (const struct slack *s = slacks; s->name; s++)
		try_name(word, s->name, &best, &least);
	for (i = 0; i < nr_topics; i++)
		try_name(word, topics[i].name, &best, &least);
	for (i = 0; i < nr_terms; i++)
		try_name(word, terms[i].name, &best, &least);
	return fail(EXIT_USAGE, "no rule and no flag '%s': %s%s%ssee `ptwalk explain`",
		    word, best ? "did you mean '" : "", best ? best : "",
		    best ? "'? Or " : "");
}

static int explain_one(const char *name, bool json)
{
	const struct slack *slack = find_reason(slacks, name);
	const struct slack *bug = find_reason(kernel_bugs, name);
	const struct rule *rule = rule_find(name);
	const struct topic *topic = find_topic(name);
	bool any = print_terms(name, json);

	if (topic)
		print_topic(topic, json);
	else if (rule)
		print_rule(rule, json);
	else if (slack || bug)
		print_reason(slack ? slack : bug, bug, json);
	else if (!any)
		return unknown(name);
	return 0;
}

static void explain_all(bool json)
{
	const struct slack *s;

	for (unsigned int i = 0; i < nr_rules; i++) {
		if (i && !json)
			putchar('\n');
		print_rule(&rules[i], json);
	}
	for (int bugs = 0; bugs < 2; bugs++)
		for (s = bugs ? kernel_bugs : slacks; s->name; s++) {
			if (!json)
				putchar('\n');
			print_reason(s, bugs, json);
		}
	for (unsigned int i = 0; i < nr_topics; i++) {
		if (!json)
			putchar('\n');
		print_topic(&topics[i], json);
	}
	print_terms(NULL, json);
}

int cmd_explain(int argc, char **argv)
{
	bool json = false;
	int o;

	opterr = 0;
	while ((o = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (o != OPT_JSON)
			return option_refused(o, argv);
		json = true;
	}
	if (argc - optind > 1)
		return fail(EXIT_USAGE, "explain: '%s' is too much: one name at a time",
			    argv[optind + 1]);
	if (optind < argc)
		return explain_one(argv[optind], json);
	explain_all(json);
	return 0;
}
