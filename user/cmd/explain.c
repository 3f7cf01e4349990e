// SPDX-License-Identifier: GPL-2.0
/* ptwalk explain: rules, findings and flags in words. */
#include <ctype.h>
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

/* The two letters of a VMA flag in smaps end what is said of it: "(pf).". */
static bool has_letters(const struct term *t, const char *name)
{
	const char *open = strrchr(t->what, '(');

	return open && strlen(name) == 2 && !strncasecmp(open + 1, name, 2) &&
	       open[3] == ')' && !strcmp(t->list, "Flags of VMAs");
}

static bool is_meant(const struct term *t, const char *name)
{
	return !strcasecmp(t->name, name) ||
	       (*name && !strcasecmp(t->kernel, name)) ||
	       has_letters(t, name);
}

static void print_term(const struct term *t, bool json)
{
	json_t *object;

	if (json) {
		object = json_pack("{s:s, s:s, s:s, s:s}", "type", "term",
				   "name", t->name, "list", t->list, "what",
				   t->what);
		if (*t->kernel)
			json_object_set_new(object, "kernel_name",
					    json_string(t->kernel));
		out_json(object);
		return;
	}
	printf("%s (%s)\n", t->name, t->list);
	wrap("what", t->what);
	if (*t->kernel)
		wrap("kernel", t->kernel);
	out_check();
}

/* A name means one thing of entries and another of pages. */
static bool print_terms(const char *name, bool json)
{
	bool any = false;

	for (unsigned int i = 0; i < nr_terms; i++) {
		if (name && !is_meant(&terms[i], name))
			continue;
		if (!json && (!name || any))
			putchar('\n');
		print_term(&terms[i], json);
		any = true;
	}
	return any;
}

/* The @nr-th of all that can be asked for, or NULL. */
static const char *name_at(size_t nr)
{
	const struct slack *lists[] = { slacks, kernel_bugs };

	if (nr < nr_rules)
		return rules[nr].name;
	nr -= nr_rules;
	for (size_t i = 0; i < 2; i++)
		for (const struct slack *s = lists[i]; s->name; s++, nr--)
			if (!nr)
				return s->name;
	if (nr < nr_topics)
		return topics[nr].name;
	nr -= nr_topics;
	if (nr < nr_terms)
		return terms[nr].name;
	nr -= nr_terms;
	return nr < nr_terms ? terms[nr].kernel : NULL;
}

#define MOST_NEAR	4

/*
 * How far @name is from what was meant: a word with a letter or two wrong is
 * nearer than one that only has it in it; more than MOST_DISTANCE: too far.
 */
#define MOST_DISTANCE	3

#define NAME_MOST	64

static const char *lower(const char *name, char small[NAME_MOST])
{
	size_t i;

	for (i = 0; i < NAME_MOST - 1 && name[i]; i++)
		small[i] = tolower((unsigned char)name[i]);
	small[i] = '\0';
	return small;
}

static unsigned int distance(const char *word, const char *name)
{
	unsigned int letters;
	size_t len = strlen(word);
	char small[NAME_MOST];

	letters = parse_distance(word, lower(name, small));

	/* In a short word two letters are most of it. */
	if (letters <= (len < 4 ? 1 : 2))
		return letters;
	return len > 2 && strcasestr(name, word) ? MOST_DISTANCE :
						   MOST_DISTANCE + 1;
}

static bool is_among(const char *const *near, size_t nr, const char *name)
{
	while (nr--)
		if (!strcmp(near[nr], name))
			return true;
	return false;
}

/* Names a few of those that are nearest, the nearest first. */
static int unknown(const char *word)
{
	const char *near[MOST_NEAR] = { NULL }, *name;
	char text[256] = "", small[NAME_MOST];
	size_t nr = 0, at;

	lower(word, small);
	for (unsigned int far = 0; far <= MOST_DISTANCE; far++)
		for (at = 0; nr < MOST_NEAR && (name = name_at(at)); at++)
			if (*name && distance(small, name) == far &&
			    !is_among(near, nr, name))
				near[nr++] = name;
	for (at = 0; at < nr; at++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s'%s'", at ? ", " : "did you mean ", near[at]);
	return fail(EXIT_USAGE, "no rule and no flag '%s': %s%ssee `ptwalk explain`",
		    word, text, nr ? "? Or " : "");
}

static int explain_one(const char *word, bool json)
{
	char small[NAME_MOST];
	const char *name = lower(word, small);
	const struct slack *slack = find_reason(slacks, name);
	const struct slack *bug = find_reason(kernel_bugs, name);
	const struct rule *rule = rule_find(name);
	const struct topic *topic = find_topic(name);
	bool any = print_terms(word, json);

	if (topic)
		print_topic(topic, json);
	else if (rule)
		print_rule(rule, json);
	else if (slack || bug)
		print_reason(slack ? slack : bug, bug, json);
	else if (!any)
		return unknown(word);
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
