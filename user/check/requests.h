/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requests of the first look in whose answers pages differed, so that they
 * can be repeated, and what was seen of these pages.
 */
#ifndef PTWALK_CHECK_REQUESTS_H
#define PTWALK_CHECK_REQUESTS_H

#include "check/judge.h"
#include "sources/source.h"

/**
 * struct requests - requests, with what differed
 * @request: The requests, with @nr of them, and room for @max.
 * @seen: The pages that differed, with @nr_seen, and room for @max_seen.
 */
struct requests {
	struct source_pages *request;
	size_t nr, max;
	struct sighting *seen;
	size_t nr_seen, max_seen;
};

/* Keeps a copy without the frames. Returns its number, from 1 on. */
size_t requests_add(struct requests *requests, const struct source_pages *pages);

/*
 * Keeps what was seen of a page that differed. Returns its number, from 1 on;
 * 0 if there are so many that they aren't kept any more.
 */
size_t requests_saw(struct requests *requests, const struct page_truth *truth,
		    uint64_t seen, bool has_data);

/* What was kept as @number, until another page is. */
const struct sighting *requests_sighting(struct requests *requests, size_t number);

/* Forgets all. */
void requests_free(struct requests *requests);

/**
 * struct read_request - a request that can be written down and repeated
 * @source: Which interface.
 * @start: First address of what is asked, and @last the last one.
 * @arg: As in struct source_pages.
 * @freeze: Made of a process that was stopped for it, and @known_bugs: with
 *	bugs of the kernel explained; options of their own.
 */
struct read_request {
	const struct source *source;
	uint64_t start, last;
	uint64_t arg[SOURCE_ARGS];
	bool freeze, known_bugs;
};

#define READ_REQUEST_TEXT	256	/* room for one in words */

/* As SOURCE:START-END, and :NAME=NUMBER,... behind for arguments that aren't the usual. */
void read_request_text(const struct read_request *request, char *buf);

/* The same read. Returns NULL, or what is wrong with it. */
const char *read_request_parse(const char *s, uint64_t page_size,
			  struct read_request *request);

#endif /* PTWALK_CHECK_REQUESTS_H */
