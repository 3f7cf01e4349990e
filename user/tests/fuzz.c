// SPDX-License-Identifier: GPL-2.0
/*
 * What the command reads of files that others wrote, under libFuzzer; by hand:
 *
 *   make fuzz O=DIR CC=clang [SECONDS=60]
 *
 * The first byte says which kind of file the rest is. Recordings are judged as
 * well: each number of them must be fit for all that is done with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "check/recording.h"
#include "sources/claims_file.h"
#include "sums/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct lines lines;

static void read_claims(FILE *stream)
{
	struct claims claims;

	if (claims_open(&claims, stream, "claims", 16))
		abort();
	while (!claims_next(&claims) && !claims.last)
		;
	claims_close(&claims);
}

static void read_pages(FILE *stream)
{
	const struct source kinds[] = {
		{ .name = "pagemap", .expect = expect_pagemap },
		{ .name = "pagemap-scan", .expect = expect_scan },
		{ .name = "kpageflags", .expect = expect_kpageflags },
		{ .name = "kpagecount", .expect = expect_kpagecount },
		{ .name = "kpagecgroup", .expect = expect_kpagecgroup },
	};
	struct env env = { .kernel = NULL };
	struct kernel_info kernel;
	struct recorded page;

	lines_begin(&lines, stream);
	while (recording_next(&lines, &kernel, &env, &page) > 0)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			compare_page(&env, &kinds[i], &page.truth, page.seen,
				     page.has_data);
	fclose(stream);
}

static void read_sums(FILE *stream)
{
	struct rss_replay replay = { 0 };
	struct figures figures = { 0 };

	int err;

	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, &replay);
	/* Else none but a few would be judged. */
	if (err == -ENODATA)
		err = rss_replay_count(&replay);
	if (!err)
		rss_replay_judge(&replay, &figures);
	fclose(stream);
	figures_free(&figures);
	rss_replay_free(&replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const read[])(FILE *stream) = { read_claims, read_pages,
						      read_sums };
	FILE *stream;

	if (size < 2)
		return 0;
	stream = fmemopen((void *)(data + 1), size - 1, "r");
	if (!stream)
		abort();
	read[*data % 3](stream);
	return 0;
}
