/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages as a check saw them, with the truth and the interface's value, as lines
 * of text: for tests, and to examine again what happened on another kernel.
 */
#ifndef PTWALK_RECORDING_PAGES_H
#define PTWALK_RECORDING_PAGES_H

#include <stdio.h>
#include "base/lines.h"
#include "check/check.h"
#include "sources/source.h"

/**
 * struct recorded - a page in a recording
 * @source: Name of the interface.
 * @truth: What the page tables held; it points into this structure.
 * @vma: The VMA's facts that comparisons look at.
 * @facts: Those of the page behind it.
 * @seen: What the interface showed, if @has_data.
 * @verdict: What the check said then.
 */
struct recorded {
	char source[32];
	struct page_truth truth;
	struct ptwalk_vma vma;
	struct ptwalk_page facts;
	uint64_t seen;
	bool has_data;
	enum verdict verdict;
};

/**
 * struct recording - a recording under way
 * @stream: Where it goes.
 * @env: The run.
 * @class: What has been recorded; pages alike are recorded once or twice.
 * @nr: Number of those.
 * @max: Room for those.
 * @lines: Lines that were written.
 */
struct recording {
	FILE *stream;
	const struct env *env;
	struct recording_class *class;
	size_t nr, max;
	uint64_t lines;
};

/* Begins with what is known of the kernel. */
void recording_begin(struct recording *recording, FILE *stream,
		     const struct env *env);
void recording_page(struct recording *recording, const struct source *source,
		    const struct page_truth *truth, uint64_t seen,
		    bool has_data, enum verdict verdict);

/* Writes the end mark, and frees what there is but the stream. */
void recording_end(struct recording *recording);

/*
 * Reads the next page of a recording. @kernel and @env receive what is said of
 * the kernel in the line before all pages. Returns 1, 0 after the end mark,
 * -ENODATA for a file that ends without one, -EINVAL for a line that makes no
 * sense, each with the reason in @lines; or another negative errno.
 */
int recording_next(struct lines *lines, struct ptwalk_kernel *kernel,
		   struct env *env, struct recorded *page);

/*
 * Judges the pages of a recording. Returns 0 or a negative errno, see
 * base/error.h.
 */
int check_replay(struct check *check, const char *path);

#endif /* PTWALK_RECORDING_PAGES_H */
