// SPDX-License-Identifier: GPL-2.0
/* ptwalk explain: rules, findings and flags in words. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "check/examine.h"
#include "check/rules.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/terms.h"
#include "cmd/topics.h"
#include "dirty/trackers.h"
#include "huge/reasons.h"
#include "sources/source.h"
#include "sums/reconcile.h"

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

#define WIDTH	78

/* Prints @text with lines of at most WIDTH characters. */
static void wrap(const char *label, const char *text)
{
	const int indent = 14;
	int column, len;

	printf("  %-*s", indent - 2, label);
	column = indent;
	while (*text) {
		len = strcspn(text, " ");
		if (column > indent && column + 1 + len > WIDTH) {
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
 * struct explanation - a rule for pages, a reason for figures, a finding, or a
 *	reason for small pages
 * @source: The interface, or of the latter two who finds it.
 * @kind: Of the latter two, in words: NULL of the others.
 * @versions: In words; none of those with a @kind.
 */
struct explanation {
	const char *name, *source, *what, *decided_by, *versions;
	bool bug, risk;
	const char *kind;
	char buf[HUGE_DECIDED_BY];
};

static void of_reason(struct explanation *e, const struct slack *reason, bool bug)
{
	*e = (struct explanation) {
		reason->name, "figures of smaps, status and their like",
		reason->text, reason->where,
		reason->versions ? reason->versions : "all", bug
	};
}

/* The @nr-th of all explanations; false: there are fewer. */
static bool explanation_at(size_t nr, struct explanation *e)
{
	const struct slack *lists[] = { slacks, kernel_bugs };

	if (nr < nr_rules) {
		const struct rule *r = &rules[nr];

		*e = (struct explanation) { r->name, r->source, r->what,
					    r->decided_by, NULL, r->bug, r->risk };
		e->versions = versions(r, e->buf, sizeof(e->buf));
		return true;
	}
	nr -= nr_rules;
	for (size_t i = 0; i < 2; i++)
		for (const struct slack *s = lists[i]; s->name; s++, nr--)
			if (!nr) {
				of_reason(e, s, i);
				return true;
			}
	if (nr < nr_topics) {
		*e = (struct explanation) { topics[nr].name, topics[nr].source,
					    topics[nr].what, topics[nr].decided_by,
					    .kind = topics[nr].kind ? topics[nr].kind :
						    "a mismatch" };
		return true;
	}
	nr -= nr_topics;
	if (nr >= NR_HUGE_REASONS)
		return false;
	*e = (struct explanation) { huge_reasons[nr].name, "huge",
				    huge_reasons[nr].text, .kind = "why no huge page" };
	e->decided_by = huge_decided_by_all(nr, e->buf);
	return true;
}

/* What a bug is to a check. */
static void print_bug(const struct explanation *e)
{
	if (e->risk) {
		printf(" (a bug: reading can crash the kernel)");
		return;
	}
	for (size_t i = 0; sources[i]; i++)
		if (sources[i]->trait.bugs && !strcmp(sources[i]->name, e->source)) {
			printf(" (a bug: a mismatch only with --source %s and without --known-bugs)",
			       e->source);
			return;
		}
	printf(" (a bug: a mismatch unless --known-bugs is given)");
}

static void print_explanation(const struct explanation *e, bool json)
{
	if (json) {
		jsonw_begin("rule");
		jsonw_text("rule", e->name);
		jsonw_text("source", e->source);
		if (!e->kind)
			jsonw_bool("bug", e->bug);
		jsonw_text("what", e->what);
		jsonw_text("decided_by", e->decided_by);
		if (!e->kind)
			jsonw_text("versions", e->versions);
		jsonw_end();
		return;
	}
	printf("%s", e->name);
	if (e->kind)
		printf(" (%s)", e->kind);
	if (e->bug)
		print_bug(e);
	putchar('\n');
	wrap(e->kind ? "found by" : "interface", e->source);
	wrap("what", e->what);
	wrap("decided by", e->decided_by);
	if (!e->kind)
		wrap("versions", e->versions);
	out_check();
}

/* Those called @name, or all if it is NULL; @any: something was printed. */
static void print_explanations(const char *name, bool json, bool *any)
{
	struct explanation e;

	for (size_t i = 0; explanation_at(i, &e); i++) {
		if (name && strcmp(e.name, name))
			continue;
		if (*any && !json)
			putchar('\n');
		print_explanation(&e, json);
		*any = true;
	}
}

/* The @nr-th of all names that have but a meaning; false: there are fewer. */
static bool term_at(size_t nr, struct term *t)
{
	const char *list = "Interfaces that are compared";

	if (nr < nr_terms) {
		*t = terms[nr];
		return true;
	}
	nr -= nr_terms;
	for (size_t i = 0; sources[i]; i++)
		if (!nr--) {
			*t = (struct term){ sources[i]->name, "", list, sources[i]->help };
			return true;
		}
	for (size_t i = 0; examinations[i]; i++)
		if (!nr--) {
			*t = (struct term){ examinations[i]->name, "", list,
					    examinations[i]->help };
			return true;
		}
	if (nr < NR_TRACKERS) {
		*t = (struct term){ tracker_name[nr], "", "Trackers of dirty",
				    tracker_what[nr] };
		return true;
	}
	nr -= NR_TRACKERS;
	if (nr < NR_TRACKER_REASONS) {
		*t = (struct term){ tracker_reasons[nr].name, "", "Reasons of dirty",
				    tracker_reasons[nr].text };
		return true;
	}
	return false;
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
	if (json) {
		jsonw_begin("term");
		jsonw_text("name", t->name);
		jsonw_text("list", t->list);
		jsonw_text("what", t->what);
		if (*t->kernel)
			jsonw_text("kernel_name", t->kernel);
		jsonw_end();
		return;
	}
	printf("%s (%s)\n", t->name, t->list);
	wrap("what", t->what);
	if (*t->kernel)
		wrap("kernel", t->kernel);
	out_check();
}

/* Of a name that finds things: which. */
static void print_found_by(const char *source)
{
	struct explanation e;
	char text[1024] = "";

	for (size_t i = 0; explanation_at(i, &e); i++)
		if (!strcmp(e.source, source) &&
		    strlen(text) + strlen(e.name) + 2 < sizeof(text))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? " " : "", e.name);
	if (*text)
		wrap("see also", text);
}

/* A name means one thing of entries and another of pages. */
static void print_terms(const char *name, bool json, bool *any)
{
	struct term t;

	for (size_t i = 0; term_at(i, &t); i++) {
		if (name && !is_meant(&t, name))
			continue;
		if (*any && !json)
			putchar('\n');
		print_term(&t, json);
		*any = true;
	}
}

/* In lines below the title of its group, which is the same as the last one's or not. */
static void print_name(const char *title, const char *group, const char *name)
{
	static const char *last = "";
	static int column;
	bool same = !strcmp(group, last);

	if (!same)
		printf("%s%s%s:", *last ? "\n\n" : "", title, group);
	if (!same || column + 1 + strlen(name) > WIDTH)
		column = printf("\n ") - 1;
	column += printf(" %s", name);
	last = group;
}

static void print_names(void)
{
	struct explanation e;
	struct term t;

	for (size_t i = 0; explanation_at(i, &e); i++)
		print_name(e.kind ? "Found by " : "Rules about ", e.source, e.name);
	for (size_t i = 0; term_at(i, &t); i++)
		print_name("", t.list, t.name);
	puts("\n\n`ptwalk explain NAME` says what one means, --all what all do.");
}

/* The @nr-th of all names that can be asked for, or NULL. */
static const char *explained_name(size_t nr)
{
	struct explanation e;
	struct term t;
	size_t nr_others = 0;

	if (explanation_at(nr, &e))
		return e.name;
	while (explanation_at(nr_others, &e))
		nr_others++;
	nr -= nr_others;
	if (term_at(nr, &t))
		return t.name;
	for (nr_others = 0; term_at(nr_others, &t);)
		nr_others++;
	nr -= nr_others;
	return nr < nr_terms ? terms[nr].kernel : NULL;
}

#define MOST_NEAR	4

/*
 * How far @name is from what was meant: a word with some letters wrong is nearer than one
 * that only has it in it, and that than one that it begins with; more than MOST_DISTANCE:
 * too far.
 */
#define MOST_LETTERS	3
#define MOST_DISTANCE	(MOST_LETTERS + 2)

#define NAME_MOST	64

static const char *lower(const char *name, char small[NAME_MOST])
{
	size_t i;

	for (i = 0; i < NAME_MOST - 1 && name[i]; i++)
		small[i] = tolower((unsigned char)name[i]);
	small[i] = '\0';
	return small;
}

/* Whether @word begins with @name, unless that is so short that it says nothing. */
static bool is_begun_by(const char *word, const char *name)
{
	const size_t len = strlen(name);

	return len > 3 && !strncmp(word, name, len);
}

static unsigned int distance(const char *word, const char *name)
{
	unsigned int letters;
	size_t len = strlen(word);
	char small[NAME_MOST];

	letters = parse_distance(word, lower(name, small));

	/* In a short word two letters are most of it. */
	if (letters <= (len < 4 ? 1 : len < 3 * MOST_LETTERS ? 2 : MOST_LETTERS))
		return letters;
	if (len > 2 && strcasestr(name, word))
		return MOST_LETTERS + 1;
	return is_begun_by(word, small) ? MOST_DISTANCE : MOST_DISTANCE + 1;
}

static bool is_among(const char *const *near, size_t nr, const char *name)
{
	while (nr--)
		if (!strcmp(near[nr], name))
			return true;
	return false;
}

/* No name, but a word of what is said of some, such as a function of the kernel. */
static int said_of(const char *word)
{
	struct explanation e;
	char text[256] = "";

	for (size_t i = 0; strlen(word) > 2 && explanation_at(i, &e); i++)
		if ((strcasestr(e.what, word) || (e.decided_by && strcasestr(e.decided_by, word))) &&
		    strlen(text) + strlen(e.name) + 5 < sizeof(text))
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "%s'%s'", *text ? ", " : "", e.name);
	return fail(EXIT_USAGE, "unknown name '%s': %s%s%ssee `ptwalk explain`", word,
		    *text ? "it is in what is said of " : "", text, *text ? "; or " : "");
}

/* Names a few of those that are nearest, the nearest first. */
static int unknown_name(const char *word)
{
	const char *near[MOST_NEAR] = { NULL }, *name;
	char text[256] = "", small[NAME_MOST];
	size_t nr = 0, at;

	lower(word, small);
	for (unsigned int far = 0; far <= MOST_DISTANCE; far++)
		for (at = 0; nr < MOST_NEAR && (name = explained_name(at)); at++)
			if (*name && distance(small, name) == far &&
			    !is_among(near, nr, name))
				near[nr++] = name;
	for (at = 0; at < nr; at++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s'%s'", at ? ", " : "did you mean ", near[at]);
	return nr ? fail(EXIT_USAGE, "unknown name '%s': %s? Or see `ptwalk explain`",
			 word, text) : said_of(word);
}

static int explain_one(const char *word, bool json)
{
	char small[NAME_MOST];
	bool any = false;

	print_terms(word, json, &any);
	print_explanations(lower(word, small), json, &any);
	if (any && !json)
		print_found_by(small);
	return any ? 0 : unknown_name(word);
}

int cmd_explain(int argc, char **argv)
{
	bool all = false, json = false, any = false;
	const struct command_option options[] = {
		{ "all", .flag = &all },
		{ "json", .flag = &json },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (status)
		return status;
	if (argc - optind > 1)
		return fail(EXIT_USAGE, "explain: '%s' is too much: one name at a time",
			    argv[optind + 1]);
	if (optind < argc && all)
		return fail(EXIT_USAGE, "explain: '%s' is too much: --all is all names",
			    argv[optind]);
	if (optind < argc)
		return explain_one(argv[optind], json);
	if (!all && !json) {
		print_names();
		return 0;
	}
	print_explanations(NULL, json, &any);
	print_terms(NULL, json, &any);
	return 0;
}
