/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An interface of the kernel under test, or anything else that claims to know
 * a process's memory. To add one, see "An interface" in CONTRIBUTING.md.
 */
#ifndef PTWALK_SOURCES_SOURCE_H
#define PTWALK_SOURCES_SOURCE_H

#include "sources/page.h"

struct names;
struct random;
struct source_file;

/**
 * enum source_grain - how a source's view of like pages in a row is compared
 * @SOURCE_RUN: All at once: as the value of the truth ascends from page to
 *	page, so does what is expected, by expectation.step for each one.
 * @SOURCE_FACTS: Each page by itself, with the facts of the page behind it
 *	(page_truth.facts).
 * @SOURCE_SKIPS: Not at all: the interface is not about such pages.
 */
enum source_grain {
	SOURCE_RUN,
	SOURCE_FACTS,
	SOURCE_SKIPS,
};

#define SOURCE_ARGS	7

/**
 * struct source_pages - a request: all that decides what a source answers
 * @addr: Address of the first page.
 * @nr: How many there are.
 * @frame: Frame number of each page that the source doesn't skip,
 *	SOURCE_NO_FRAME for others; for interfaces that are indexed by frame.
 * @arg: How they are asked about: the arguments that source.dimension names. 0 is
 *	the usual one of each.
 */
struct source_pages {
	uint64_t addr;
	size_t nr;
	const uint64_t *frame;
	uint64_t arg[SOURCE_ARGS];
};

/**
 * enum dimension_of - what an argument counts
 * @DIMENSION_OTHER: Nothing.
 * @DIMENSION_ENTRIES: Entries that are read beside the pages.
 * @DIMENSION_PAGES: Pages of a call, where there are several.
 * @DIMENSION_RUNS: Runs of like pages of a call.
 */
enum dimension_of {
	DIMENSION_OTHER,
	DIMENSION_ENTRIES,
	DIMENSION_PAGES,
	DIMENSION_RUNS,
};

/**
 * struct dimension - an argument of requests
 * @name: As --request has it; NULL behind the last one.
 * @draw: Pure: one at random. NULL: it stays the usual one, unless somebody asks for
 *	another. @most: Entries that are bearable beside the pages.
 * @of: What it is a number of, unless it is 0: what it costs follows from that.
 */
struct dimension {
	const char *name;
	uint64_t (*draw)(const struct env *env, struct random *random, uint64_t most);
	enum dimension_of of;
};

#define SOURCE_TEXT_SIZE	240

/**
 * struct source_fault - what an interface answers wrongly, whatever pages it is about
 * @function: Of the kernel, that answers.
 * @must: What it must say or do instead.
 * @does: What it says or does; "" if nothing is wrong.
 * @times: How many of the requests that there were anyway are answered so; 0: one
 *	was made for it.
 * @start: First address that the first of these requests was about, to @last; 0: none.
 */
struct source_fault {
	const char *function, *must;
	char does[SOURCE_TEXT_SIZE];
	uint64_t times;
	uint64_t start, last;
};

/**
 * struct source_traits - what is special about an interface
 * @drawn: Unless chosen with --source, it is asked by requests that are drawn at
 *	random, and not about all pages.
 * @factless: Without the facts, struct source.expect says less, but something.
 * @bugs: A bug of the kernel that a rule names shows with so many pages that
 *	it would hide everything else: pages that differ by that alone are
 *	explained unless the source is chosen with --source.
 * @framed: Indexed by frame: struct source.read wants frames.
 * @filters: Pages may be left out of an answer by what they are.
 * @own: Tells a process of its own memory alone: of others, nothing is compared.
 * @at_rest: Says where pages are, not what their entries are: of one in
 *	migration nothing is right or wrong until it is there.
 */
struct source_traits {
	bool drawn, factless, bugs, framed, filters, own, at_rest;
};

/**
 * struct source - an interface
 * @name: As in --source and in reports.
 * @help: One line.
 * @rules: Whose rules hold: the name of the interface that it is a way to
 *	read. NULL: it has a name of its own there.
 * @dimension: What requests have beside the pages, or NULL.
 * @trait: What is special about it.
 * @cost: What it takes, about, in instructions: a call, each page of it, and each where
 *	nothing is.
 * @asks: What it asks, as proc/interfaces.h names it.
 * @probe: Whether it can, where that is there: NULL, or what is missing. NULL: it can.
 * @open: For one process. 0 or a negative errno.
 * @data: For these two, what tells it from others that have the same functions; or NULL.
 * @read: Fills @values with one value a page. Returns how many pages it got,
 *	fewer if the interface ends, or a negative errno.
 * @hole: Whether it shows anything from @start to @last, where nothing is
 *	mapped: at which address first, and what; in one request, however large
 *	that is. NULL: it has none of that kind.
 * @fault: What was seen so far to be wrong about its requests, or NULL: it is one
 *	finding, and no page's. NULL: such things aren't looked for.
 * @close: Of what @open opened.
 * @limit: What the interface hides from us or has not, or NULL; sets it in
 *	@env, too.
 * @grain: Pure: how pages with these bits are compared; the second look has the
 *	facts of all of them. NULL: SOURCE_RUN.
 * @stretch: Pure: for how many pages from this one on, at least, @grain says the
 *	same, and @expect without facts, as far as their bits are the same. NULL: for
 *	all.
 * @expect: Pure: what the documentation says that the interface shows.
 * @bits: Names of the bits of a value, if findings say which of them differ; or NULL.
 * @text: A value in words. Pure.
 * @json: The members of an object that is a value; see base/jsonw.h.
 */
struct source {
	const char *name;
	const char *help;
	const char *rules;
	struct source_traits trait;
	const struct dimension *dimension;
	struct {
		uint32_t call, page, empty;
	} cost;
	const char *asks;
	const char *(*probe)(const struct source *source);
	int (*open)(const struct source *source, pid_t pid, struct source_file **file);
	void *data;
	ssize_t (*read)(struct source_file *file,
			const struct source_pages *pages, uint64_t *values);
	bool (*hole)(struct source_file *file, uint64_t start, uint64_t last,
		     uint64_t *addr, uint64_t *value);
	const struct source_fault *(*fault)(const struct source_file *file);
	void (*close)(struct source_file *file);
	const char *(*limit)(struct env *env);
	enum source_grain (*grain)(const struct env *env,
				   const struct page_truth *truth);
	uint64_t (*stretch)(const struct env *env, const struct page_truth *truth);
	void (*expect)(const struct env *env, const struct page_truth *truth,
		       struct expectation *out);
	const struct names *bits;
	void (*text)(const struct env *env, uint64_t addr, uint64_t value,
		     char *buf, size_t size);
	void (*json)(const struct env *env, uint64_t addr, uint64_t value);
};

static inline enum source_grain source_grain(const struct source *source,
					     const struct env *env,
					     const struct page_truth *truth)
{
	return source->grain ? source->grain(env, truth) : SOURCE_RUN;
}

/* The interface that a source is a way to read. */
static inline const char *source_interface(const struct source *source)
{
	return source->rules ? source->rules : source->name;
}

/* Whether bugs that rules name are passed over, see struct source_traits. */
static inline bool source_around_bugs(const struct source *source,
				      const struct env *env)
{
	return source->trait.bugs && env->around_bugs;
}

#define SOURCES_MAX	16	/* in sources[] */

extern const struct source *const sources[];	/* ends with NULL */

/* Whether it can be used at all: NULL, or what is missing. */
const char *source_lacks(const struct source *source);

/* The one of sources[] whose name is the first @len bytes of @name, or NULL. */
const struct source *source_find(const char *name, size_t len);

extern const struct source source_pagemap, source_pagemap_single,
	source_pagemap_4k, source_pagemap_unaligned,
	source_pagemap_unprivileged;
extern const struct source source_scan, source_scan_written, source_scan_pieces,
	source_scan_filters;
extern const struct source source_kpageflags, source_kpagecount,
	source_kpagecgroup;
extern const struct source source_move_pages, source_mincore;

/*
 * The pure part of each source.
 */
void expect_pagemap(const struct env *env, const struct page_truth *truth,
		    struct expectation *out);
void expect_pagemap_hidden(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out);
void expect_scan(const struct env *env, const struct page_truth *truth,
		 struct expectation *out);
enum source_grain grain_kpageflags(const struct env *env,
				   const struct page_truth *truth);
uint64_t stretch_kpageflags(const struct env *env, const struct page_truth *truth);
void expect_kpageflags(const struct env *env, const struct page_truth *truth,
		       struct expectation *out);
enum source_grain grain_kpagecount(const struct env *env,
				   const struct page_truth *truth);
void expect_kpagecount(const struct env *env, const struct page_truth *truth,
		       struct expectation *out);
enum source_grain grain_kpagecgroup(const struct env *env,
				    const struct page_truth *truth);
void expect_kpagecgroup(const struct env *env, const struct page_truth *truth,
			struct expectation *out);
enum source_grain grain_move_pages(const struct env *env,
				   const struct page_truth *truth);
void expect_move_pages(const struct env *env, const struct page_truth *truth,
		       struct expectation *out);
enum source_grain grain_mincore(const struct env *env,
				const struct page_truth *truth);
void expect_mincore(const struct env *env, const struct page_truth *truth,
		    struct expectation *out);

#endif /* PTWALK_SOURCES_SOURCE_H */
