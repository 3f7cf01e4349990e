/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of check share: the process that is being checked. check.c calls
 * them all: process.c opens it, batch.c makes the pass over the stream, first_look.c
 * compares, second_look.c reads again what differed, examine.c has asked what is no
 * page's; check.c takes and counts what they find.
 */
#ifndef PTWALK_CHECK_PROCESS_H
#define PTWALK_CHECK_PROCESS_H

#include "check/check.h"
#include "check/compare.h"
#include "check/requests.h"
#include "check/draw.h"
#include "module/truth.h"
#include "proc/maps.h"

#define BATCH_PAGES	65536	/* pages in a row whose truth is gathered before sources are read */
#define FOUND_MOST	2048	/* findings more before what is over is printed */
#define BATCH_VMAS	512	/* that its pages are of */
#define KNOWN_BITS	3	/* log2 of the places for what is expected, by kind of entry */
#define WINDOW_PAGES	16384	/* most pages of one second look */

/**
 * struct suspect - pages in a row that are looked at again
 * @addr: The first one.
 * @pages: How many there are.
 * @request_nr: Number of the request in which they differed, or 0.
 * @sighting: Number of what was seen of the first one then (see requests.h); the
 *	others follow. Or 0.
 */
struct suspect {
	uint64_t addr, pages;
	size_t request_nr, sighting;
};

struct suspects {
	struct suspect *suspect;
	size_t nr, max;
};

/**
 * struct piece - a run of the module, or a part of one
 * @addr: Of its first page.
 * @pages: How many there are.
 * @bits: As in struct ptwalk_run.
 * @value: Of the first page.
 * @list: Those of all pages, or NULL: they ascend if the kind does.
 * @vma: That it lies in, or NULL.
 */
struct piece {
	uint64_t addr, pages;
	uint64_t bits, value;
	const uint64_t *list;
	const struct ptwalk_vma *vma;
};

/**
 * struct found - a finding that is kept until it is told
 * @finding: It, with its @remark. Until it is told its truth's VMA only says whether
 *	there is one, which @vma is.
 * @told: It was told behind one that differs alike.
 */
struct found {
	struct report_finding finding;
	struct ptwalk_vma vma;
	struct remark *remark;
	bool told;
};

/**
 * struct judged - pages in a row with one verdict, of findings that were printed
 * @first: The number of the first one.
 * @pages: How many there are; 0 for a figure.
 * @verdict: Never VERDICT_MATCH.
 */
struct judged {
	uint64_t first, pages;
	enum verdict verdict;
};

/**
 * struct batch - pages in a row whose truth is known and that sources are read for
 * @piece: The pieces, clipped, with @nr and room for @max, and their @pages.
 * @lists: The lists of the pieces, where their pages stand in the batch.
 * @vmas: The VMAs that they lie in, with @nr_vmas.
 * @told: What the last one of these is a copy of, while that stays; or NULL.
 * @values: What a source shows, for BATCH_PAGES.
 * @frame: Frames of the pages of one read, as in struct source_pages.
 * @known: What each source was expected to show of pages of some kinds.
 */
struct batch {
	struct piece *piece;
	size_t nr, max;
	uint64_t pages;
	uint64_t *lists;
	struct ptwalk_vma *vmas;
	size_t nr_vmas;
	const struct ptwalk_vma *told;
	uint64_t *values, *frame;
	struct expected_of (*known)[1 << KNOWN_BITS];
};

/**
 * struct range_walk - how far the walk of a range has come
 * @range: The range.
 * @next: First address of it that no VMA has covered yet.
 * @covered: All of it is covered.
 * @left_out: What was left out of @range, as reading it can crash the kernel.
 * @no_sums: Some of what was left out, of any range, forbids sums, too.
 * @empty: Empty pages that may still be read whole.
 * @span: From the first VMA to the last, in @range; all 0: there is none.
 * @mapped: Pages of all mappings of the process.
 * @present: Pages of @range that are present.
 * @unreadable: What process_error() said of a read during the stream, or 0.
 */
struct range_walk {
	struct range range;
	uint64_t next;
	bool covered;
	struct ranges left_out;
	bool no_sums;
	uint64_t empty;
	struct range span;
	uint64_t mapped, present;
	int unreadable;
};

/**
 * struct drawing - what is drawn of a range
 * @on: Requests are drawn, and nothing else is read.
 * @random: Decides what is asked.
 * @places: Where mistakes are made.
 * @plain: What the plain read has cost, about.
 * @budget: What requests may still cost, around the place @near.
 * @spent: What those of each source have cost.
 * @differing: In how many requests pages differed, by source.
 * @picks: Pages of a request whose facts are asked for.
 */
struct drawing {
	bool on;
	struct random random;
	struct places places;
	uint64_t plain, budget, near, spent[CHECK_MAX_SOURCES];
	unsigned int differing[CHECK_MAX_SOURCES];
	struct picks picks;
};

/**
 * struct again - what the second look is about, by source
 * @suspects: Pages that differed.
 * @requests: And in which requests.
 * @narrowed: How many findings had their request narrowed.
 */
struct again {
	struct suspects suspects[CHECK_MAX_SOURCES];
	struct requests requests[CHECK_MAX_SOURCES];
	unsigned int narrowed;
};

/**
 * struct findings - what was found
 * @found: Findings that weren't printed yet, @nr; @rest of them were kept when others
 *	were printed last.
 * @judged: Of the others, the pages and their verdicts.
 * @latest: The finding that was added last, by source, as index + 1.
 * @compared: Pages that were compared, by source.
 */
struct findings {
	struct found *found;
	size_t nr, max, rest;
	struct judged *judged;
	size_t nr_judged, max_judged;
	size_t latest[CHECK_MAX_SOURCES];
	uint64_t compared[CHECK_MAX_SOURCES];
};

/**
 * struct examining - the present examination
 * @name: Its name.
 * @counted: Where what it compares in all processes is counted.
 * @pages: Pages that it looked at, and @most of all examinations.
 * @unproven: Claims that nothing could be said of.
 */
struct examining {
	const char *name;
	uint64_t *counted;
	uint64_t pages, most, unproven;
};

/**
 * struct present_request - the request that is being compared
 * @source: The index of its source.
 * @pages: What it asks.
 * @number: Of it, once a page has differed; 0 before.
 */
struct present_request {
	size_t source;
	struct source_pages pages;
	size_t number;
};

/**
 * struct process - the process that is being checked
 * @check: The run.
 * @pid: The process.
 * @comm: Its name.
 * @space: Its address space, as in procs_space().
 * @why: It can't be checked, if that is known so far.
 * @none: Why there was nothing to compare, if that is known.
 * @maps: Its /proc/PID/maps, for names and for the gate area.
 * @file: Its file, as each source has it open.
 * @asleep: As procs_asleep() said before the first look.
 * @frozen: It stands still: nothing is printed meanwhile, as it may be who reads
 *	that.
 * @page_shift: Of the base page.
 * @counts: Pages by verdict, of what process_settle() has added up; the others at once.
 */
struct process {
	struct check *check;
	pid_t pid;
	char comm[32];
	uint64_t space;
	const char *why, *none;
	struct maps maps;
	struct source_file *file[CHECK_MAX_SOURCES];
	uint64_t asleep;
	bool frozen;
	unsigned int page_shift;
	struct range_walk walk;
	struct batch batch;
	struct drawing draw;
	struct again again;
	struct findings findings;
	struct examining examining;
	struct report_counts counts;
	struct present_request req;
};

/* @array with room for one more than @nr elements, or no return. */
void *process_grow(void *array, size_t *max, size_t nr, size_t size);

/* Whether the memory at @addr is the gate area. */
bool process_is_gate(const struct process *p, uint64_t addr);

/* The truth of a page that has these @bits, in @vma or in none. */
static inline struct page_truth process_page(const struct process *p, uint64_t addr,
					     uint64_t value, uint64_t bits,
					     const struct ptwalk_vma *vma)
{
	return (struct page_truth){
		.addr = addr,
		.value = value,
		.bits = bits,
		.vma = vma,
		.gate = !vma && process_is_gate(p, addr),
	};
}

/* Whether a source has no plain read of everything. */
bool process_only_draws(const struct process *p, size_t source);

/* A finding more, that the caller fills in. */
struct found *process_add_found(struct process *p);

/* Counts pages in a row that were compared. */
void process_count(struct process *p, size_t source, const struct page_truth *truth,
		   uint64_t pages);

/*
 * Counts them and, unless they match, notes the finding; has them recorded. Returns
 * the finding if it is a new one, for its request.
 */
struct report_finding *process_note(struct process *p, size_t source,
				    const struct page_truth *truth, uint64_t seen,
				    bool has_data, uint64_t pages,
				    enum verdict verdict, uint64_t rules);

/*
 * Notes what the sources answered wrongly whatever pages they were asked about: of all
 * ways to read an interface the same fault once.
 */
void process_note_faults(struct process *p);

/* What was asked of a source, to be written down. */
struct read_request process_request(const struct process *p, size_t source,
				    const struct source_pages *pages);

/*
 * Notes pages that must be looked at again; @request_nr and @sighting as in
 * struct suspect.
 */
void process_suspect(struct process *p, size_t source, uint64_t addr,
			uint64_t pages, size_t request_nr, size_t sighting);

/*
 * Keeps the message of @err, a negative errno of a source's file, and returns it,
 * or -ESRCH if the process is gone.
 */
int process_error(struct process *p, size_t source, int err);

/* A read of a source that failed: the error is kept, if it is the first, and ends the walk. */
void process_unreadable(struct process *p, size_t source, int err);

/*
 * Prints what was found so far, unless @frozen, and forgets it but for the sum;
 * for a check that goes on and on.
 */
void process_settle(struct process *p);

/* Prints what was found, and adds it up; @why it isn't all, or NULL. */
void process_report(struct process *p, const char *why);

/*
 * Has a range compared: its plain read, what differed in it again, and what is drawn.
 * Returns 0 or a negative errno, see base/error.h.
 */
int process_check_range(struct process *p, const struct range *range);

/*
 * Has all of p->walk.range compared with what each source shows, unless requests are being
 * drawn: then these. Returns 0 or a negative errno.
 */
int process_walk(struct process *p);

/* The piece with the page @at of the batch, whose pieces are in a row. */
const struct piece *process_piece_at(const struct process *p, uint64_t at);

/*
 * Has the batch compared with p->req.source, in several requests with drawn arguments. What
 * can't be read is kept by process_unreadable().
 */
void process_compare_batch(struct process *p);

/*
 * Has @nr pages of the batch from the @from-th on compared with what p->req.source shows by
 * one request with these arguments.
 */
void process_compare(struct process *p, uint64_t from, uint64_t nr, const uint64_t *arg);

/*
 * Has requests drawn about a window, which is no larger than the batch. Returns 0 or a
 * negative errno.
 */
int process_walk_window(struct process *p, const struct range *window);

/*
 * Has the module and the source of @request compared in all its pages, by that
 * request alone. Returns 0 or a negative errno.
 */
int process_repeat(struct process *p, const struct read_request *request);

/*
 * Looks again at what differed in @source until each page has a verdict. Returns 0 or a
 * negative errno.
 */
int process_recheck(struct process *p, size_t source);

/*
 * Opens @p.pid and its sources. Anything but 0: it was reported why not.
 * Close it in any case.
 */
int process_open(struct process *p);
void process_close(struct process *p);

/* The ranges of the command line, or everything. */
int process_ranges(struct process *p, char **args, int nr_args,
		   struct ranges *ranges);

/* Asks what there is to ask beside the sources. Returns 0 or a negative errno. */
int process_examine(struct process *p, const struct ranges *ranges, bool whole);

/*
 * Stops it until process_finish(), if @check.freeze. Returns 0 or a negative
 * errno, see base/error.h.
 */
int process_freeze(struct process *p);

/* The end of a check, in which @err happened, or nothing (0). */
void process_finish(struct process *p, int err);

#endif /* PTWALK_CHECK_PROCESS_H */
