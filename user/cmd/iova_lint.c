// SPDX-License-Identifier: GPL-2.0
/* iova --lint: whether a device's bus addresses lead to memory that it may use. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/interrupt.h"
#include "cmd/iova_lint.h"
#include "dma/dmadump.h"
#include "module/client.h"
#include "proc/kpageflags.h"

/* So often in a row a frame must be what it shouldn't, at the same bus address. */
#define ROUNDS	4

#define AT_ONCE	PTWALK_MAX_ADDRESSES

/**
 * struct run - pages in a row with one lead
 * @lead: That.
 * @bus: Bus address of the first; @phys where it leads.
 * @pages: How many.
 */
struct run {
	enum lead lead;
	uint64_t bus, phys, pages;
};

static bool is_managed(const struct iova_lint *lint)
{
	return lint->facts->domain == PTWALK_DOMAIN_UNMANAGED;
}

static unsigned int iova_shift(const struct iova_lint *lint)
{
	return ptwalk_kernel(lint->client)->page_shift;
}

/* The leads of @nr frames from @pfn on. */
static int read_leads(const struct iova_lint *lint, uint64_t pfn, enum lead *lead, size_t nr)
{
	struct ptwalk_page pages[AT_ONCE];
	uint64_t flags[AT_ONCE], pfns[AT_ONCE];
	size_t told;
	int err;

	for (size_t i = 0; i < nr; i++)
		pfns[i] = pfn + i;
	err = ptwalk_frames(lint->client, pfns, nr, pages);
	if (err)
		return client_error(lint->client, 0, err);
	told = frameflags_read(pfn, flags, nr);
	if (!told)
		return fail(-EACCES, "/proc/kpageflags cannot be read: --lint needs it");
	/* The file ends where memory does. */
	for (size_t i = 0; i < nr; i++)
		lead[i] = i < told ? lead_of(flags[i], &pages[i], is_managed(lint)) : LEAD_GOOD;
	return 0;
}

static int take_same(const struct ptwalk_stretches *s, void *arg)
{
	struct ptwalk_stretch *wanted = arg;

	for (size_t i = 0; i < s->nr; i++)
		if (wanted->iova - s->stretch[i].iova < s->stretch[i].bytes &&
		    s->stretch[i].phys + (wanted->iova - s->stretch[i].iova) == wanted->phys)
			wanted->bytes = 1;
	return 0;
}

static bool is_listed_still(const struct iova_lint *lint, uint64_t bus, uint64_t phys)
{
	struct dmadump now = { 0 };
	bool is;

	dmadump_read(strchr(lint->facts->name, '/') + 1, device_page(lint->facts), &now);
	is = dmadump_leads(&now, bus, phys);
	dmadump_free(&now);
	return is;
}

/* Whether the bus address leads there still; @same is set. */
static int leads_there(const struct iova_lint *lint, uint64_t bus, uint64_t phys, bool *same)
{
	const uint64_t page = device_page(lint->facts);
	const struct range range = { bus & ~(page - 1), bus | (page - 1) };
	struct ptwalk_stretch wanted = { .iova = bus, .phys = phys };
	int status;

	*same = lint->by_list && is_listed_still(lint, bus, phys);
	if (lint->by_list)
		return 0;
	status = device_stream(lint->client, lint->facts->name, &range, take_same, &wanted);
	*same = wanted.bytes;
	return status;
}

/* Memory is unmapped and given back all the time: *@lead holds only if it stays so. */
static int confirm_lead(const struct iova_lint *lint, uint64_t bus, uint64_t phys, enum lead *lead)
{
	enum lead now;
	bool same;
	int status;

	for (int i = 1; i < ROUNDS && *lead != LEAD_GOOD; i++) {
		status = leads_there(lint, bus, phys, &same);
		if (!status)
			status = read_leads(lint, phys >> iova_shift(lint), &now, 1);
		if (status)
			return status;
		if (!same || now != *lead)
			*lead = LEAD_GOOD;
	}
	return 0;
}

static void print_lead_run(const struct iova_lint *lint, const struct run *run)
{
	const struct lead_text *text = &lead_text[run->lead];
	const bool wrong = lead_is_wrong(run->lead, is_managed(lint));

	if (!run->pages)
		return;
	if (!lint->json) {
		printf("%s%s%s %s: bus address 0x%" PRIx64 ", physical 0x%" PRIx64 ", %" PRIu64 " page%s: %s\n",
		       out_colour(wrong ? OUT_BAD : OUT_WARN), wrong ? "mismatch" : "note",
		       out_colour(OUT_PLAIN), text->name, run->bus, run->phys, run->pages,
		       plural(run->pages), text->why);
		printf("  explain   ptwalk explain %s\n", text->name);
		return;
	}
	jsonw_begin("lint");
	jsonw_text("device", lint->facts->name);
	jsonw_text("verdict", wrong ? "mismatch" : "note");
	jsonw_text("rule", text->name);
	jsonw_hex("bus", run->bus);
	jsonw_hex("paddr", run->phys);
	jsonw_number("pages", run->pages);
	jsonw_text("text", text->why);
	jsonw_end();
}

/* One more page, in the order of the bus addresses. */
static void add_to_run(struct iova_lint *lint, struct run *run, enum lead lead, uint64_t bus,
		       uint64_t phys)
{
	lint->pages++;
	lint->of[lead]++;
	if (run->pages && run->lead == lead) {
		run->pages++;
		return;
	}
	print_lead_run(lint, run);
	*run = (struct run){ lead, bus, phys, lead != LEAD_GOOD };
}

int iova_lint_stretch(struct iova_lint *lint, const struct ptwalk_stretch *s)
{
	const unsigned int shift = iova_shift(lint);
	const uint64_t first = s->phys >> shift, last = (s->phys + s->bytes - 1) >> shift;
	struct run run = { LEAD_GOOD };
	enum lead lead[AT_ONCE];
	int status = 0;

	for (uint64_t pfn = first; !status && pfn <= last && !interrupted;) {
		const size_t nr = last - pfn < AT_ONCE ? last - pfn + 1 : AT_ONCE;

		status = read_leads(lint, pfn, lead, nr);
		for (size_t i = 0; !status && i < nr; i++, pfn++) {
			const uint64_t phys = pfn == first ? s->phys : pfn << shift;
			const uint64_t bus = s->iova + (phys - s->phys);

			status = confirm_lead(lint, bus, phys, &lead[i]);
			if (!status)
				add_to_run(lint, &run, lead[i], bus, phys);
		}
	}
	print_lead_run(lint, &run);
	return status;
}

uint64_t iova_lint_wrong(const struct iova_lint *lint)
{
	uint64_t pages = 0;

	for (int i = 0; i < NR_LEADS; i++)
		if (lead_is_wrong(i, is_managed(lint)))
			pages += lint->of[i];
	return pages;
}

void iova_lint_print(const struct iova_lint *lint)
{
	const uint64_t wrong = iova_lint_wrong(lint);

	printf("lint: %" PRIu64 " pages, %" PRIu64 " mismatch, %" PRIu64 " to be looked at\n",
	       lint->pages, wrong, lint->pages - lint->of[LEAD_GOOD] - wrong);
}

void iova_lint_json(const struct iova_lint *lint)
{
	jsonw_object("lint");
	jsonw_number("pages", lint->pages);
	for (int i = 0; i < NR_LEADS; i++)
		if (lint->of[i])
			jsonw_number(lead_text[i].name, lint->of[i]);
	jsonw_close();
}
