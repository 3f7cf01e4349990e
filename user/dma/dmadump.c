// SPDX-License-Identifier: GPL-2.0
/* Parser of /sys/kernel/debug/dma-api/dump. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/lines.h"
#include "dma/dmadump.h"

/* The number behind " K=", with or without 0x. */
static bool number_behind(const char *text, const char *key, uint64_t *value)
{
	const char *at = strstr(text, key);
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	errno = 0;
	*value = strtoull(at, &end, 16);
	return end != at && !errno && (*end == ' ' || !*end);
}

/* Whether the words before the type have the device first (6.1) or last. */
static bool is_of(const char *words, size_t length, const char *device)
{
	size_t n = strlen(device);

	if (length <= n)
		return false;
	return (!strncmp(words, device, n) && words[n] == ' ') ||
	       (!strncmp(words + length - n, device, n) &&
		words[length - n - 1] == ' ');
}

/*
 * DEVICE DRIVER TYPE idx N P=PHYS N=PFN D=BUS L=LENGTH DIRECTION CHECKED in
 * Linux 6.1, DRIVER DEVICE TYPE idx N P=0xPHYS D=BUS L=LENGTH... in 6.12.
 */
static bool parse_dma_mapping(const char *line, const char *device, uint64_t page,
			      struct dma_mapping *m)
{
	const char *idx = strstr(line, " idx "), *type = idx;
	uint64_t rest;

	while (type && type > line && type[-1] != ' ')
		type--;
	if (!idx || type == line || !is_of(line, type - line - 1, device) ||
	    !number_behind(idx, " P=", &m->phys) || !number_behind(idx, " D=", &m->bus) ||
	    !number_behind(idx, " L=", &m->bytes) || !m->bytes ||
	    m->bytes - 1 > UINT64_MAX - m->bus ||
	    m->bytes - 1 > UINT64_MAX - m->phys)
		return false;
	rest = page - m->phys % page;
	m->known = m->bytes;
	if (!strncmp(type, "scatter-gather ", 15))
		m->known = 0;
	else if (!strncmp(type, "coherent ", 9) && m->known > rest)
		m->known = rest;
	return true;
}

/**
 * struct reading - the list being read
 * @device: Whose lines are taken.
 * @page: Bytes.
 */
struct reading {
	struct dmadump *dump;
	const char *device;
	uint64_t page;
};

static int take_dmadump_line(char *line, void *arg)
{
	const struct reading *r = arg;
	struct dma_mapping m;

	return !parse_dma_mapping(line, r->device, r->page, &m) ||
	       array_add(r->dump->mapping, r->dump->nr, r->dump->max, m) ? 0 : -ENOMEM;
}

int dmadump_parse(FILE *stream, const char *device, uint64_t page,
		  struct dmadump *dump)
{
	struct reading r = { dump, device, page };

	return lines_each(stream, take_dmadump_line, &r, NULL);
}

void dmadump_read(const char *device, uint64_t page, struct dmadump *dump)
{
	struct reading r = { dump, device, page };
	int err;

	dump->nr = 0;
	dump->why_not = NULL;
	err = lines_in(DMADUMP_PATH, take_dmadump_line, &r);
	if (err)
		dump->why_not = strerror(-err);
}

void dmadump_free(struct dmadump *dump)
{
	free(dump->mapping);
	*dump = (struct dmadump){ 0 };
}

bool dmadump_has(const struct dmadump *dump, const struct dma_mapping *mapping)
{
	for (size_t i = 0; i < dump->nr; i++)
		if (!memcmp(&dump->mapping[i], mapping, sizeof(*mapping)))
			return true;
	return false;
}

bool dmadump_leads(const struct dmadump *dump, uint64_t bus, uint64_t phys)
{
	for (size_t i = 0; i < dump->nr; i++) {
		const struct dma_mapping *m = &dump->mapping[i];

		if (bus - m->bus < m->known && m->phys + (bus - m->bus) == phys)
			return true;
	}
	return false;
}

uint64_t dmadump_pages(const struct dma_mapping *mapping, uint64_t page)
{
	if ((mapping->bus | mapping->phys | mapping->bytes) % page)
		return 0;
	return mapping->known / page;
}

bool dmadump_differs(const struct dma_mapping *mapping, uint64_t page,
		     const struct busmap *map, struct dma_finding *finding)
{
	uint64_t nr = dmadump_pages(mapping, page);

	finding->mapping = *mapping;
	for (uint64_t i = 0; i < nr; i++) {
		finding->bus = mapping->bus + i * page;
		finding->phys = mapping->phys + i * page;
		finding->is_mapped = busmap_find(map, finding->bus, &finding->seen);
		if (!finding->is_mapped || finding->seen != finding->phys)
			return true;
	}
	return false;
}
