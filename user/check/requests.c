// SPDX-License-Identifier: GPL-2.0
/* Requests whose answers differed from the page tables, kept to be repeated. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/parse.h"
#include "check/process.h"
#include "check/requests.h"

/* Of more, the other pages will do. */
#define MAX_SEEN	65536

/**
 * struct seen - a page that differed
 * @addr: Its address, with @value and @bits of its truth.
 * @seen: What was shown, if @has_data.
 * @vma: The number of its VMA, from 1 on; 0 for none.
 */
struct seen {
	uint64_t addr, value, bits, seen;
	size_t vma;
	bool has_data, gate;
};

size_t requests_add(struct requests *r, const struct source_pages *pages)
{
	r->request = process_grow(r->request, &r->max, r->nr,
				  sizeof(*r->request));
	r->request[r->nr] = *pages;
	r->request[r->nr].frame = r->request[r->nr].head = NULL;
	return ++r->nr;
}

static size_t add_vma(struct requests *r, const struct ptwalk_vma *vma)
{
	struct ptwalk_vma *own;

	if (!vma)
		return 0;
	if (r->nr_vmas && !memcmp(r->vma[r->nr_vmas - 1], vma, sizeof(*vma)))
		return r->nr_vmas;
	r->vma = process_grow(r->vma, &r->max_vmas, r->nr_vmas,
			      sizeof(*r->vma));
	own = malloc(sizeof(*own));
	if (!own)
		exit_no_memory();
	memcpy(own, vma, sizeof(*own));
	r->vma[r->nr_vmas++] = own;
	return r->nr_vmas;
}

size_t requests_saw(struct requests *r, const struct page_truth *truth,
		    uint64_t seen, bool has_data)
{
	if (r->nr_seen >= MAX_SEEN)
		return 0;
	r->seen = process_grow(r->seen, &r->max_seen, r->nr_seen,
			       sizeof(*r->seen));
	r->seen[r->nr_seen++] = (struct seen){
		.addr = truth->addr,
		.value = truth->value,
		.bits = truth->bits,
		.seen = seen,
		.vma = add_vma(r, truth->vma),
		.has_data = has_data,
		.gate = truth->gate,
	};
	return r->nr_seen;
}

struct sighting requests_sighting(const struct requests *r, size_t number)
{
	const struct seen *seen = &r->seen[number - 1];
	struct sighting sighting = {
		.truth = {
			.addr = seen->addr,
			.value = seen->value,
			.bits = seen->bits,
			.vma = seen->vma ? r->vma[seen->vma - 1] : NULL,
			.gate = seen->gate,
		},
		.seen = seen->seen,
		.has_data = seen->has_data,
	};

	return sighting;
}

void requests_free(struct requests *r)
{
	size_t i;

	for (i = 0; i < r->nr_vmas; i++)
		free(r->vma[i]);
	free(r->request);
	free(r->seen);
	free(r->vma);
	memset(r, 0, sizeof(*r));
}

void read_request_text(const struct read_request *request, char *buf)
{
	const struct dimension *d = request->source->dimension;
	char range[FORMAT_RANGE], behind = ':';
	int len;

	format_range(request->start, request->last, range);
	len = snprintf(buf, READ_REQUEST_TEXT, "%s:%s", request->source->name, range);
	for (size_t i = 0; d && d[i].name && len < READ_REQUEST_TEXT; i++) {
		if (!request->arg[i])
			continue;
		len += snprintf(buf + len, READ_REQUEST_TEXT - len, "%c%s=0x%" PRIx64,
				behind, d[i].name, request->arg[i]);
		behind = ',';
	}
}

/* Those that @text has, which it changes. Returns NULL, or what is wrong. */
static const char *parse_args(char *text, struct read_request *request)
{
	const struct dimension *d = request->source->dimension;
	char *word, *value, *save = NULL, *end;
	size_t i;

	if (!*text)
		return "its arguments are missing";
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		value = strchr(word, '=');
		if (!value)
			return "write its arguments as NAME=NUMBER,...";
		*value++ = '\0';
		for (i = 0; d && d[i].name && strcmp(d[i].name, word); i++)
			;
		if (!d || !d[i].name)
			return "the interface has no such argument";
		errno = 0;
		request->arg[i] = strtoull(value, &end, 0);
		if (errno || end == value || *end)
			return "an argument isn't a number";
	}
	return NULL;
}

/* One of sources[], whose name ends before a colon. */
static const struct source *source_before(const char *s, size_t len)
{
	size_t i;

	for (i = 0; sources[i]; i++)
		if (strlen(sources[i]->name) == len &&
		    !memcmp(sources[i]->name, s, len))
			return sources[i];
	return NULL;
}

const char *read_request_parse(const char *s, uint64_t page_size,
			  struct read_request *request)
{
	const char *colon = strchr(s, ':'), *reason;
	struct range range;
	char text[READ_REQUEST_TEXT], *rest;

	if (!colon || strlen(colon + 1) >= sizeof(text))
		return "write it as SOURCE:START-END, as a finding prints it";
	request->source = source_before(s, colon - s);
	if (!request->source)
		return "no interface of that name is read page by page";
	strcpy(text, colon + 1);
	rest = strchr(text, ':');
	if (rest)
		*rest++ = '\0';
	reason = parse_range(text, &range);
	memset(request->arg, 0, sizeof(request->arg));
	if (!reason && rest)
		reason = parse_args(rest, request);
	if (reason)
		return reason;
	if (range.start % page_size || (range.last + 1) % page_size)
		return "it begins or ends inside a page";
	if ((range.last - range.start) / page_size >= BATCH_PAGES)
		return "more than 65536 pages";
	request->start = range.start;
	request->last = range.last;
	return NULL;
}
