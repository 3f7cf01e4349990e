// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cmd.h"
#include "options.h"
#include "out.h"
#include "rules.h"
#include "topics.h"

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

static void print_rule(const struct rule *rule, bool json)
{
	char buf[48];

	if (json) {
		json_t *object = json_object();

		json_object_set_new(object, "type", json_string("rule"));
		json_object_set_new(object, "rule", json_string(rule->name));
		json_object_set_new(object, "source",
				    json_string(rule->source));
		json_object_set_new(object, "bug", json_boolean(rule->bug));
		json_object_set_new(object, "what", json_string(rule->what));
		json_object_set_new(object, "decided_by",
				    json_string(rule->decided_by));
		json_object_set_new(object, "versions",
				    json_string(versions(rule, buf,
							 sizeof(buf))));
		out_json(object);
		return;
	}
	printf("%s%s\n", rule->name,
	       rule->bug ? " (a bug: a mismatch unless --known-bugs is given)" : "");
	wrap("interface", rule->source);
	wrap("what", rule->what);
	wrap("decided by", rule->decided_by);
	wrap("versions", versions(rule, buf, sizeof(buf)));
	out_check();
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

int cmd_explain(int argc, char **argv)
{
	const struct topic *topic;
	const struct rule *rule;
	bool json = false;
	unsigned int i;
	int o;

	opterr = 0;
	while ((o = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (o != OPT_JSON)
			return option_refused(o, argv);
		json = true;
	}
	if (argc - optind > 1)
		return fail(EXIT_USAGE, "explain: one rule at a time");
	if (optind < argc) {
		rule = rule_find(argv[optind]);
		topic = find_topic(argv[optind]);
		if (topic) {
			print_topic(topic, json);
			return 0;
		}
		if (!rule)
			return fail(EXIT_USAGE, "no rule '%s': see `ptwalk explain`",
				    argv[optind]);
		print_rule(rule, json);
		return 0;
	}
	for (i = 0; i < nr_rules; i++) {
		if (i && !json)
			putchar('\n');
		print_rule(&rules[i], json);
	}
	for (i = 0; i < nr_topics; i++) {
		if (!json)
			putchar('\n');
		print_topic(&topics[i], json);
	}
	return 0;
}
