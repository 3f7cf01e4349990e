/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a check, and their renderers. cmd_check() generates events; a
 * renderer turns them into one of the formats of --format. Other commands print
 * through base/print.h.
 */
#ifndef PTWALK_CHECK_EVENTS_H
#define PTWALK_CHECK_EVENTS_H

#include "check/requests.h"

struct examination;
struct map;
struct remark;

#define FINDING_ALSO	4	/* pagemap has most ways to be read */

/**
 * struct report_finding - pages in a row with the same outcome
 * @pid: The process; @comm its name.
 * @map: The line of /proc/PID/maps that it lies in, or NULL.
 * @truth: Of the first page.
 * @beside: Of a wrong claim, what lies around the first page.
 * @seen: What the source showed for the first page, if @has_data.
 * @has_data: False when the source ended before the page.
 * @differs: By what @seen differs, as compare_difference() has it, unless it is explained.
 * @pages: Number of pages.
 * @verdict: Never VERDICT_MATCH.
 * @rules: The rules that explain it (or name the kernel's bug), as a mask of
 *	indices into rules[].
 * @request: What shows it, if it has a source.
 * @source: Which interface; NULL for a finding of an examination.
 * @also: Other ways to read it that show the same, of all of the pages or some;
 *	NULL behind the last.
 * @examination: Its name then, or that of an interface that answers a request wrongly
 *	whatever pages it is about, and @remark what it found; of @truth only the
 *	address holds, and @pages is 0 for a figure of the whole process.
 * @env: The run.
 */
struct report_finding {
	pid_t pid;
	const char *comm;
	const struct map *map;
	struct page_truth truth;
	struct page_beside beside;
	uint64_t seen;
	bool has_data;
	struct difference differs;
	uint64_t pages;
	enum verdict verdict;
	uint64_t rules;
	struct read_request request;
	const struct source *source, *also[FINDING_ALSO];
	const char *examination;
	const struct remark *remark;
	const struct env *env;
};

/**
 * struct report_counts - pages by verdict
 * @verdict: A page counts once, with the worst verdict of all sources.
 * @comparisons: Here it counts once for each source.
 * @sampled: Pages of empty memory that were left out between samples.
 * @requests: Requests that were drawn at random, and what they cost, about, in
 *	instructions: @cost.
 * @left_out: Pages that were left out since the kernel crashes when it is asked
 *	about them.
 * @figures: Figures that examinations compared, such as fields of smaps.
 * @unsettled: Of these, figures that were not compared, as they never held
 *	still.
 * @of_claims: What is counted are claims, not pages, and @unclaimed pages, which are
 *	present and aren't claimed.
 * @in_vmas: Pages compared that lie in mappings, not in holes beside them,
 *	and figures.
 */
struct report_counts {
	uint64_t verdict[NR_VERDICTS];
	uint64_t comparisons;
	uint64_t sampled, left_out;
	uint64_t requests, cost;
	uint64_t figures, unsettled;
	uint64_t in_vmas;
	uint64_t unclaimed;
	bool of_claims;
};

/**
 * struct report_reason - why findings of examinations were explained
 * @rule: By name.
 * @findings: How many.
 */
struct report_reason {
	const char *rule;
	uint64_t findings;
};

/**
 * struct report_source - a source in the summary
 * @name: As in --source.
 * @used: False: @why says what was missing.
 * @why: What was missing, or a limit ("PFNs are hidden"), or NULL.
 * @examination: Who sums up what was found, or NULL.
 * @compared: Pages that were compared with it, or figures of it.
 */
struct report_source {
	const char *name;
	bool used;
	const char *why;
	const struct examination *examination;
	uint64_t compared;
};

/* Room for what an examination says in the end. */
#define REPORT_SUM	1024

/**
 * struct report_during - the command beside which processes were checked
 * @command: Its words, NULL behind the last.
 * @rounds: How often they were; the last one ended with the command.
 * @seconds: How long it ran.
 * @runs: It hadn't ended when this was told.
 * @status: How it ended, as waitpid(2) has it, unless @runs.
 * @interrupted: Somebody wanted it to end, as with Ctrl-C.
 */
struct report_during {
	char **command;
	uint64_t rounds;
	double seconds;
	bool runs;
	int status;
	bool interrupted;
};

/**
 * struct report_processes - processes by what became of them
 * @checked: Those that were.
 * @gone: Those that went away meanwhile.
 * @no_memory: Those without an address space: kernel threads, zombies.
 * @same_memory: Those that have the address space of one that was checked, when
 *	all processes are.
 * @elsewhere: Those that have nothing in the ranges that all are asked about.
 * @unchecked: Those that could not be checked; each was warned of.
 */
struct report_processes {
	uint64_t checked, gone, no_memory, same_memory, elsewhere, unchecked;
};

/**
 * struct report_summary - the last event
 * @counts: Of all processes.
 * @processes: What became of each of them.
 * @hidden: Why there may be processes that weren't seen at all, or NULL.
 * @rules: Pages that each rule is about, indexed as rules[].
 * @reasons: The same of examinations, with @nr_reasons.
 * @crash_rule: The rule because of which pages were left out.
 * @sources: All that there are, with @nr_sources.
 * @during: A command, and all that is counted is of all rounds; or NULL.
 * @effort: Of each process: see struct check, with the @seed.
 * @partial: What ended the check before all processes were checked, as one word:
 *	"budget" or "signal"; or NULL.
 * @status: The exit status.
 * @why: What was last said of why something can't be checked, or NULL.
 */
struct report_summary {
	struct report_counts counts;
	struct report_processes processes;
	const char *hidden;
	const uint64_t *rules;
	const struct report_reason *reasons;
	size_t nr_reasons;
	const struct rule *crash_rule;
	const struct report_source *sources;
	size_t nr_sources;
	const struct ptwalk_kernel *kernel;
	const struct report_during *during;
	unsigned int effort;
	uint64_t seed;
	const char *partial;
	int status;
	const char *why;
};

/* Whether something was not checked that should have been. */
static inline bool report_incomplete(const struct report_summary *s)
{
	return s->processes.unchecked || s->hidden || !s->processes.checked;
}

/**
 * struct renderer - what becomes of events
 * @name: As in --format.
 * @help: One line.
 * @document: What it prints is no good without its end: the summary comes even if
 *	nothing could be checked, or a signal ended the check.
 * @configure: Takes what follows the name and a comma in --format, and may cut it
 *	up and keep it; returns NULL, or why it can't be. NULL: nothing may follow.
 * @begin: Before the first; the summary will name so many interfaces.
 * @finding: A finding of the process that was announced last.
 * @process: A process was checked; @note, if not NULL, is why it was not.
 * @summary: The end.
 */
struct renderer {
	const char *name, *help;
	bool document;
	const char *(*configure)(char *settings);
	void (*begin)(bool verbose, unsigned int interfaces);
	void (*finding)(const struct report_finding *finding);
	void (*process)(pid_t pid, const char *comm,
			const struct report_counts *counts, const char *note);
	void (*summary)(const struct report_summary *summary);
};

extern const struct renderer render_text, render_json, render_ktap,
	render_kcidb, render_junit;

#endif /* PTWALK_CHECK_EVENTS_H */
