/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What check examines of a process besides comparing it page by page with the
 * sources: totals, lints, expectations, the bytes themselves. To add one, write
 * a file with these functions and a line in examinations[].
 */
#ifndef PTWALK_CHECK_EXAMINE_H
#define PTWALK_CHECK_EXAMINE_H

#include <signal.h>
#include "check/compare.h"
#include "check/rounds.h"
#include "proc/maps.h"

struct process;
struct ptwalk;
struct ptwalk_kernel;

#define REMARK_TEXT	288

/**
 * struct remark - an outcome of an examination
 * @start: Address of the first page that it is about.
 * @pages: Their number, in base pages; 0: a figure of the whole process, or
 *	with @start of a mapping, which counts as one page.
 * @verdict: Never VERDICT_MATCH.
 * @rule: The lint, expectation or rule by name. Static.
 * @field: Of a figure, the field of its file, and @function, which of the kernel
 *	adds it up; "request", and which answers it, of one that is answered wrongly;
 *	NULL of all else. Static.
 * @times: Of a request that is answered wrongly, how many such requests there were; 0
 *	if one was made for it.
 * @lacks: How a figure differs, with @excess: the flags, 1 for less or for more,
 *	or what it is and should be.
 * @truth: What the page tables say, in words; terminated.
 * @seen: What stands against it.
 * @found: Physical address of the first page, if @has_found.
 * @expected: The one that it should have, if @has_expected.
 * @beyond: It is about pages that should be there, behind those asked about.
 */
struct remark {
	uint64_t start, pages;
	enum verdict verdict;
	const char *rule, *field, *function;
	uint64_t times;
	uint64_t lacks, excess;
	bool has_found, has_expected, beyond;
	uint64_t found, expected;
	char truth[REMARK_TEXT];
	char seen[REMARK_TEXT];
};

/**
 * struct examinee - a process under examination
 * @client: The module.
 * @env: What the comparisons share.
 * @pid: The process.
 * @maps: Its /proc/PID/maps.
 * @ranges: What is asked about; [0, UINT64_MAX] for everything.
 * @whole: It is everything.
 * @thorough: The user chose what is asked, and wants all of it.
 * @all: It is one of all processes: what isn't there is nobody's fault.
 * @retries: How often something that differs is looked at again.
 * @seed: Decides what is drawn.
 * @effort: How much of it: so many times what the plain requests cost, or @least
 *	instructions if that is more.
 * @arg: Of the command line (see check_ask() in check.h).
 * @examination: That which is asked now.
 * @process: For examine.c, and for check_warn().
 */
struct examinee {
	struct ptwalk *client;
	const struct env *env;
	pid_t pid;
	const struct maps *maps;
	const struct ranges *ranges;
	bool whole, all;
	bool thorough;
	unsigned int retries;
	uint64_t seed, effort, least;
	const void *arg;
	const struct examination *examination;
	struct process *process;
};

/**
 * struct examination - a question
 * @name: As in --source and in reports.
 * @help: One line.
 * @wanted: Only if chosen: with --source, or an option of its own.
 * @whole: It is about sums of the whole process, and can't be asked of ranges.
 * @limit: What is left out unless it is chosen, or NULL.
 * @lacks: What this kernel's file or a module hasn't of what others have, as a
 *	sentence, or NULL; NULL if all have the same.
 * @probe: Whether it can be asked at all: NULL, or what is missing.
 * @examine: Asks it, calling examine_remark() and examine_compared(). Returns
 *	0 or a negative errno, see base/error.h.
 * @release: Lets go of what @examine keeps for the examinations that follow;
 *	called when all have been asked about a process. Or NULL.
 * @sum_text: In the end, what there is to say of all processes: one line, or
 *	none. NULL if there is nothing to say but the findings.
 * @sum_json: The same, as members of an object.
 */
struct examination {
	const char *name;
	const char *help;
	bool wanted;
	bool whole;
	const char *limit;
	const char *(*lacks)(const struct examination *self,
			     const struct ptwalk_kernel *kernel, struct ptwalk *client);
	const char *(*probe)(const struct examination *self);
	int (*examine)(const struct examinee *x);
	void (*release)(void);
	void (*sum_text)(char *buf, size_t size);
	void (*sum_json)(void);
};

extern const struct examination *const examinations[];	/* ends with NULL */
extern const struct examination examination_expect, examination_lint,
	examination_prove;

extern const struct examination examination_smaps, examination_smaps_rollup,
	examination_numa_maps, examination_status, examination_statm,
	examination_stat, examination_maps, examination_procmap_query,
	examination_map_files;

/* Notes what was found; @remark is copied. */
void examine_remark(const struct examinee *x, const struct remark *remark);

/* What ends the check once it isn't 0, or NULL; and whether it does, as an error then. */
const volatile sig_atomic_t *examine_stop(const struct examinee *x);
int examine_stopped(const struct examinee *x);

/* Says that so many more pages were examined, whatever the outcome. */
void examine_compared(const struct examinee *x, uint64_t pages);

/* The same of figures, such as the fields of smaps: they are no pages. */
void examine_figures(const struct examinee *x, uint64_t figures);

/*
 * Of those, figures that never held still, and that nobody asked for by name:
 * they are counted as not compared.
 */
void examine_unsettled(const struct examinee *x, uint64_t figures);

/* Counts claims of which nothing can be said; that is noted if nobody else can. */
void examine_unproven(const struct examinee *x, uint64_t claims);

/* Why there is nothing to compare, for the case that others have nothing, too. */
void examine_none(const struct examinee *x, const char *why);

/* Whether @other is asked about the same process. */
bool examine_asks(const struct examinee *x, const struct examination *other);

/*
 * The lints, or only those in the mask of 1 << enum lint, for an examination
 * that has counted its pages itself.
 */
int examine_lints(const struct examinee *x, uint32_t only);
/* What those with a mask couldn't look at: @sum_text and @sum_json of who asked for them. */
void lints_for_expect_text(char *buf, size_t size);
void lints_for_expect_json(void);

/*
 * Says before the lints that whether a driver heeds the offset has been judged of
 * the mappings that begin in these ranges. Returns 0 or a negative errno.
 */
int lint_offsets_judged(const struct ranges *ranges);

#endif /* PTWALK_CHECK_EXAMINE_H */
