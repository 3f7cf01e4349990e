// SPDX-License-Identifier: GPL-2.0
/* What becomes of the run and of each interface, from the events of a check. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/format.h"
#include "check/check.h"
#include "check/rules.h"
#include "report/cases.h"
#include "report/describe.h"
#include "sources/source.h"

#define LOG_SIZE	8192	/* KCIDB takes 16384 characters */
#define LOG_END		96	/* room for how many are left out */

/**
 * struct log - findings of the run, or of an interface
 * @name: Its name; NULL of the run.
 * @findings: How many there were, by verdict; those that differ alike are one.
 * @left_out: How many of them aren't in @text as there is no room, and @alike
 *	how many as they differ like one that is.
 * @text: The first of them.
 */
struct log {
	const char *name;
	uint64_t findings[NR_VERDICTS];
	uint64_t left_out, alike;
	size_t length;
	char text[LOG_SIZE];
};

static struct log logs[1 + 2 * CHECK_MAX_SOURCES];
static size_t nr_logs = 1;
static char note_of_first[CASE_WHY];
static struct timespec start;
static time_t start_time;

/* That of an interface; one that had no findings has none yet. */
static struct log *log_of(const char *name)
{
	size_t i;

	for (i = 1; i < nr_logs; i++)
		if (!strcmp(logs[i].name, name))
			return &logs[i];
	return NULL;
}

static struct log *log_for(const char *name)
{
	struct log *log = log_of(name);

	if (log || nr_logs == sizeof(logs) / sizeof(logs[0]))
		return log;
	logs[nr_logs].name = name;
	return &logs[nr_logs++];
}

/* @text is NULL of one that isn't told. */
static void keep_in_log(struct log *log, enum verdict verdict, enum alike alike,
			const char *text, size_t length)
{
	char *end;

	if (!log)
		return;
	log->findings[verdict] += alike == ALIKE_NEW;
	if (!text) {
		log->alike++;
	} else if (log->left_out || log->length + length >= LOG_SIZE - LOG_END) {
		log->left_out++;
	} else {
		memcpy(log->text + log->length, text, length + 1);
		log->length += length;
	}
	end = log->text + log->length;
	if (log->alike)
		end += sprintf(end, "%" PRIu64 " more alike\n", log->alike);
	if (log->left_out)
		sprintf(end, "and %" PRIu64 " more\n", log->left_out);
}

void cases_begin(bool verbose, unsigned int interfaces)
{
	memset(logs, 0, sizeof(logs));
	nr_logs = 1;
	alike_begin();
	note_of_first[0] = '\0';
	start_time = time(NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
}

static FILE *text_to;

static void log_line(const char *label, const char *text)
{
	fprintf(text_to, "  %s: ", label);
	escape_print(text_to, text);
	fputc('\n', text_to);
}

static void print_head(const struct report_finding *f)
{
	fprintf(text_to, "%s: %d (", verdict_name[f->verdict], (int)f->pid);
	escape_print(text_to, f->comm);
	fputc(')', text_to);
	if (f->pages)
		fprintf(text_to, " 0x%" PRIx64 ", %" PRIu64 " page%s",
			(uint64_t)f->truth.addr, f->pages, plural(f->pages));
	if (f->map) {
		fputs(", ", text_to);
		escape_print(text_to, finding_place(f));
	}
	if (f->remark && f->remark->rule)
		fprintf(text_to, ", %s", f->remark->rule);
	if (f->rules)
		fprintf(text_to, ", rule %s",
			rules[__builtin_ctzll(f->rules)].name);
	fputc('\n', text_to);
}

char *cases_text(const struct report_finding *f, enum alike alike)
{
	char *text = NULL;
	size_t length;

	text_to = open_memstream(&text, &length);
	if (!text_to)
		exit_no_memory();
	if (alike != ALIKE_NEXT)
		print_head(f);
	describe_finding(f, log_line);
	if (fclose(text_to))
		exit_no_memory();
	return text;
}

enum alike cases_keep(const struct report_finding *f)
{
	size_t length = 0;
	char *text = NULL;
	enum alike alike;

	if (f->verdict == VERDICT_EXPLAINED)
		return ALIKE_NEW;
	alike = alike_note(f);
	if (alike != ALIKE_COUNTED) {
		text = cases_text(f, alike);
		length = strlen(text);
	}
	keep_in_log(&logs[0], f->verdict, alike, text, length);
	keep_in_log(log_for(f->remark ? f->examination : f->source->name), f->verdict,
		    alike, text, length);
	for (int i = 0; i < FINDING_ALSO && f->also[i]; i++)
		keep_in_log(log_for(f->also[i]->name), f->verdict, alike, text,
			    length);
	free(text);
	return alike;
}

void cases_finding(const struct report_finding *f)
{
	cases_keep(f);
}

void cases_process(pid_t pid, const char *comm,
		   const struct report_counts *counts, const char *note)
{
	if (note && !*note_of_first)
		snprintf(note_of_first, sizeof(note_of_first), "process %d: %s",
			 (int)pid, note);
}

size_t cases_number(const struct report_summary *s)
{
	return 1 + s->nr_sources;
}

static enum case_outcome outcome_of_run(const struct report_summary *s)
{
	switch (s->status) {
	case EXIT_MATCH:
		return OUTCOME_PASS;
	case EXIT_MISMATCH:
		return OUTCOME_FAIL;
	case EXIT_UNSTABLE:
		return OUTCOME_DONE;
	default:
		return OUTCOME_MISS;
	}
}

static struct test_case whole_run(const struct report_summary *s)
{
	struct test_case run = {
		.outcome = outcome_of_run(s),
		.log = logs[0].text,
	};
	const uint64_t *pages = s->counts.verdict;
	const char *why = *note_of_first ? note_of_first : s->why;

	if (run.outcome == OUTCOME_MISS)
		snprintf(run.why, sizeof(run.why), "%s",
			 why ? why : "nothing compared");
	else
		snprintf(run.why, sizeof(run.why), "%" PRIu64 " match, %" PRIu64
			 " explained, %" PRIu64 " unstable, %" PRIu64 " mismatch",
			 pages[VERDICT_MATCH], pages[VERDICT_EXPLAINED],
			 pages[VERDICT_UNSTABLE], pages[VERDICT_MISMATCH]);
	return run;
}

static uint64_t log_findings(const struct log *log, enum verdict verdict)
{
	return log ? log->findings[verdict] : 0;
}

/* One that was asked of some processes only hasn't passed. */
static enum case_outcome outcome_of(const struct report_summary *s,
				    const struct report_source *source,
				    const struct log *log)
{
	if (log_findings(log, VERDICT_MISMATCH))
		return OUTCOME_FAIL;
	if (!source->used)
		return OUTCOME_SKIP;
	if (report_incomplete(s))
		return OUTCOME_MISS;
	return log_findings(log, VERDICT_UNSTABLE) ? OUTCOME_DONE : OUTCOME_PASS;
}

struct test_case cases_get(const struct report_summary *s, size_t i)
{
	const struct report_source *source;
	struct test_case c = { .log = "" };
	const struct log *log;
	uint64_t nr;

	if (!i)
		return whole_run(s);
	source = &s->sources[i - 1];
	log = log_of(source->name);
	c.name = source->name;
	c.outcome = outcome_of(s, source, log);
	if (log)
		c.log = log->text;
	nr = log_findings(log, c.outcome == OUTCOME_FAIL ? VERDICT_MISMATCH :
						       VERDICT_UNSTABLE);
	if (c.outcome == OUTCOME_FAIL || c.outcome == OUTCOME_DONE)
		snprintf(c.why, sizeof(c.why), "%" PRIu64 " finding%s", nr,
			 plural(nr));
	else if (c.outcome == OUTCOME_MISS)
		snprintf(c.why, sizeof(c.why), "not all of it could be checked");
	else if (source->why)
		snprintf(c.why, sizeof(c.why), "%s", source->why);
	return c;
}

const char *cases_start(char buf[CASE_TIME])
{
	struct tm tm;

	strftime(buf, CASE_TIME, "%Y-%m-%dT%H:%M:%S", gmtime_r(&start_time, &tm));
	return buf;
}

double cases_seconds(void)
{
	return seconds_since(&start);
}
