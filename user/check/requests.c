// SPDX-License-Identifier: GPL-2.0
/* Requests whose answers differed from the page tables, kept to be repeated. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/parse.h"
#include "check/process.h"
#include "check/requests.h"

/* Of more, the other pages will do. */
#define MAX_SEEN	65536

size_t requests_add(struct requests *r, const struct source_pages *pages)
{
	r->request = process_grow(r->request, &r->max, r->nr,
				  sizeof(*r->request));
	r->request[r->nr] = *pages;
	r->request[r->nr].frame = NULL;
	return ++r->nr;
}

size_t requests_saw(struct requests *r, const struct page_truth *truth,
		    uint64_t seen, bool has_data)
{
	struct sighting *new;

	if (r->nr_seen >= MAX_SEEN)
		return 0;
	r->seen = process_grow(r->seen, &r->max_seen, r->nr_seen, sizeof(*r->seen));
	new = &r->seen[r->nr_seen++];
	*new = (struct sighting){ .truth = *truth, .seen = seen, .has_data = has_data };
	if (truth->vma)
		new->vma = *truth->vma;
	return r->nr_seen;
}

const struct sighting *requests_sighting(struct requests *r, size_t number)
{
	struct sighting *sighting = &r->seen[number - 1];

	/* Where it stands now. */
	if (sighting->truth.vma)
		sighting->truth.vma = &sighting->vma;
	return sighting;
}

void requests_free(struct requests *r)
{
	free(r->request);
	free(r->seen);
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

const char *read_request_parse(const char *s, uint64_t page_size,
			  struct read_request *request)
{
	const char *colon = strchr(s, ':'), *reason;
	struct range range;
	char text[READ_REQUEST_TEXT], *rest;

	if (!colon || strlen(colon + 1) >= sizeof(text))
		return "write it as SOURCE:START-END, as a finding prints it";
	request->source = source_find(s, colon - s);
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
