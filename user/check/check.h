/* SPDX-License-Identifier: GPL-2.0 */
/* The check of processes: reads both sides and has them compared. */
#ifndef PTWALK_CHECK_CHECK_H
#define PTWALK_CHECK_CHECK_H

#include <signal.h>
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "proc/spaces.h"
#include "sources/source.h"

#define CHECK_MAX_SOURCES	SOURCES_MAX	/* and examinations, see check_ask() */
#define CHECK_MAX_REASONS	64

/**
 * enum claims_of - which pages must be claimed
 * @CLAIMS_OF_ALL: Each one that is present.
 * @CLAIMS_AS_PAGEMAP: Each one that pagemap shows; others are explained.
 * @CLAIMS_PARTIAL: None.
 */
enum claims_of {
	CLAIMS_OF_ALL,
	CLAIMS_AS_PAGEMAP,
	CLAIMS_PARTIAL,
};

struct claims;
struct recording;

/**
 * struct effort - how much is asked of each process
 * @whole: Of each source compare all, not a sample.
 * @times: What requests that are drawn may cost: so many times what the plain read
 *	does, about.
 * @seed: Decides which, with the number of those that drew before: @draws.
 * @shared: Instructions that small processes draw for beyond what their plain reads cost,
 *	shared by those that are still to be checked: @left, 0 for one that shares with none.
 * @retries: How often a page that differs is looked at again.
 */
struct effort {
	bool whole;
	unsigned int times, retries;
	uint64_t seed, draws, shared;
	size_t left;
};

/**
 * struct check_tally - what is counted for the summary, over all processes
 * @compared: Pages or figures compared: by source, and behind these by examination.
 * @rules: Pages by rule.
 * @reason: What explained findings of examinations, with @nr_reasons.
 */
struct check_tally {
	uint64_t compared[2 * CHECK_MAX_SOURCES];
	uint64_t rules[RULES_MAX];
	struct report_reason reason[CHECK_MAX_REASONS];
	size_t nr_reasons;
};

/**
 * struct check - a run over some processes
 * @client: The module.
 * @env: What the comparisons share.
 * @renderer: Who prints.
 * @warn: Told, a line each, why something isn't checked, and what else is no
 *	finding; see check_warn().
 * @source: The interfaces that are compared, with @nr_sources.
 * @asked: What is asked beside them, with @nr_asked; see check_ask().
 * @freeze: Stop each process while it is looked at.
 * @stop: Ends the check once it isn't 0, but the signal that is to end it, of
 *	which SIGALRM is the end of its budget; set by a handler. Or NULL.
 * @claims: What is judged instead of the interfaces: the @list, or NULL; which pages
 *	must be claimed; and whether it is judged by the bytes alone, but for those.
 * @effort: How much is asked of each process.
 * @request: The one request that is made instead of all others, or NULL.
 * @all: Processes that go away are nobody's fault, and each address space is
 *	checked once.
 * @spaces: Those that were.
 * @record: Keeps pages as they were compared, in @recording; or NULL.
 * @recorded: The kernel of a recording that is replayed.
 * @summary: Grows from process to process, as @tally does.
 */
struct check {
	struct ptwalk *client;
	struct env env;
	const struct renderer *renderer;
	void (*warn)(const char *message);
	const struct source *source[CHECK_MAX_SOURCES];
	size_t nr_sources;
	struct {
		const struct examination *examination;
		const void *arg;
	} asked[CHECK_MAX_SOURCES];
	size_t nr_asked;
	bool freeze;
	const volatile sig_atomic_t *stop;
	struct {
		struct claims *list;
		enum claims_of partial;
		bool by_bytes;
	} claims;
	struct effort effort;
	bool all;
	const struct read_request *request;
	struct spaces spaces;
	void (*record)(struct recording *recording, const struct source *source,
		       const struct page_truth *truth, uint64_t seen, bool has_data,
		       enum verdict verdict);
	struct recording *recording;
	struct ptwalk_kernel recorded;
	struct report_summary summary;
	struct check_tally tally;
};

/*
 * Has @examination asked as well, once; @arg is for it, and stays the
 * caller's.
 */
void check_ask(struct check *check, const struct examination *examination,
	       const void *arg);

/* Why a process, of which it was reported, isn't checked to the end. */
#define CHECK_OUT_OF_TIME	"out of time (--budget)"
#define CHECK_INTERRUPTED	"interrupted"

/*
 * Whether the check is to end: 0, or -EINTR with the message, see base/error.h.
 * What is being checked then isn't judged any further, and counts as not checked.
 */
int check_stopped(const struct check *check);

/* Has a line for @check->warn. */
void check_warn(struct check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Checks @pid in the ranges that @args name (all of it if @nr_args is 0), and
 * reports what it finds. A process that can't be checked is warned of, and
 * counted in the summary. Returns an error of usage, as of @args that are written wrong.
 */
int check_process(struct check *check, pid_t pid, char **args, int nr_args);

/* What the command returns of all that was checked. */
int check_status(const struct report_summary *summary);

#endif /* PTWALK_CHECK_CHECK_H */
