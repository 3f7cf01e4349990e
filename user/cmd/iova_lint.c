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

/**
 * struct part - pages of a stretch that are looked at together
 * @stretch: That.
 * @pfn: Where the first of them leads to.
 * @lead: Of each of the @nr.
 */
struct part {
	const struct ptwalk_stretch *stretch;
	uint64_t pfn;
	enum lead lead[AT_ONCE];
	size_t nr;
};

/* Physical and bus address of a page; the first of a stretch may begin anywhere in its frame. */
static uint64_t phys_of(const struct iova_lint *lint, const struct part *part, size_t i)
{
	const uint64_t phys = (part->pfn + i) << iova_shift(lint);

	return phys < part->stretch->phys ? part->stretch->phys : phys;
}

static uint64_t bus_of(const struct iova_lint *lint, const struct part *part, size_t i)
{
	return part->stretch->iova + (phys_of(lint, part, i) - part->stretch->phys);
}

static int read_leads(const struct iova_lint *lint, struct part *part)
{
	struct ptwalk_page pages[AT_ONCE];
	uint64_t flags[AT_ONCE], pfns[AT_ONCE];
	size_t told;
	int err;

	for (size_t i = 0; i < part->nr; i++)
		pfns[i] = part->pfn + i;
	err = ptwalk_frames(lint->client, pfns, part->nr, pages);
	if (err)
		return client_error(lint->client, 0, err);
	told = frameflags_read_free(ptwalk_kernel(lint->client), part->pfn, flags, part->nr);
	if (!told)
		return fail(-EACCES, "/proc/kpageflags cannot be read: --lint needs it");
	/* The file ends where memory does. */
	for (size_t i = 0; i < part->nr; i++)
		part->lead[i] = i < told ? lead_of(flags[i], &pages[i], is_managed(lint)) : LEAD_GOOD;
	return 0;
}

/* Which of them lead there still: the others have become good. */
struct still {
	const struct iova_lint *lint;
	const struct part *part;
	bool is[AT_ONCE];
};

static int keep_same(const struct ptwalk_stretches *s, void *arg)
{
	struct still *still = arg;

	for (size_t i = 0; i < still->part->nr; i++) {
		const uint64_t bus = bus_of(still->lint, still->part, i);
		const uint64_t phys = phys_of(still->lint, still->part, i);

		for (size_t j = 0; j < s->nr; j++)
			if (bus - s->stretch[j].iova < s->stretch[j].bytes &&
			    s->stretch[j].phys + (bus - s->stretch[j].iova) == phys)
				still->is[i] = true;
	}
	return 0;
}

static void keep_listed(struct still *still)
{
	const struct ptwalk_device *facts = still->lint->facts;
	struct dmadump now = { 0 };

	dmadump_read(strchr(facts->name, '/') + 1, device_page(facts), &now);
	for (size_t i = 0; i < still->part->nr; i++)
		still->is[i] = dmadump_leads(&now, bus_of(still->lint, still->part, i),
					     phys_of(still->lint, still->part, i));
	dmadump_free(&now);
}

static int leads_there(struct still *still)
{
	const struct iova_lint *lint = still->lint;
	const uint64_t page = device_page(lint->facts);
	const struct range range = {
		bus_of(lint, still->part, 0) & ~(page - 1),
		bus_of(lint, still->part, still->part->nr - 1) | (page - 1),
	};

	if (!lint->by_list)
		return device_stream(lint->client, lint->facts->name, &range, keep_same, still);
	keep_listed(still);
	return 0;
}

static bool is_good(const struct part *part)
{
	for (size_t i = 0; i < part->nr; i++)
		if (part->lead[i] != LEAD_GOOD)
			return false;
	return true;
}

/* Memory is unmapped and given back all the time: a lead holds only if it stays so. */
static int confirm_leads(const struct iova_lint *lint, struct part *part)
{
	int status = 0;

	for (int round = 1; !status && round < ROUNDS && !is_good(part); round++) {
		struct still still = { .lint = lint, .part = part };
		struct part now = *part;

		status = leads_there(&still);
		if (!status)
			status = read_leads(lint, &now);
		for (size_t i = 0; !status && i < part->nr; i++)
			if (!still.is[i] || now.lead[i] != part->lead[i])
				part->lead[i] = LEAD_GOOD;
	}
	return status;
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
	const uint64_t last = (s->phys + s->bytes - 1) >> shift;
	struct part part = { .stretch = s, .pfn = s->phys >> shift };
	struct run run = { LEAD_GOOD };
	int status = 0;

	for (; !status && part.pfn <= last && !interrupted; part.pfn += part.nr) {
		part.nr = last - part.pfn < AT_ONCE ? last - part.pfn + 1 : AT_ONCE;
		status = read_leads(lint, &part);
		if (!status)
			status = confirm_leads(lint, &part);
		for (size_t i = 0; !status && i < part.nr; i++)
			add_to_run(lint, &run, part.lead[i], bus_of(lint, &part, i),
				   phys_of(lint, &part, i));
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

/* Whether frameflags_read_free() reads anything. */
static bool has_flags(const struct iova_lint *lint)
{
	return !kpageflags_crashes(ptwalk_kernel(lint->client));
}

void iova_lint_print(const struct iova_lint *lint)
{
	const uint64_t wrong = iova_lint_wrong(lint);

	printf("lint: %" PRIu64 " pages, %" PRIu64 " mismatch, %" PRIu64 " to be looked at\n",
	       lint->pages, wrong, lint->pages - lint->of[LEAD_GOOD] - wrong);
	if (!has_flags(lint))
		printf("lint: free frames, page tables and slabs were not looked for, as that can crash this kernel (ptwalk explain kpageflags-compound-bug)\n");
}

void iova_lint_json(const struct iova_lint *lint)
{
	jsonw_object("lint");
	jsonw_number("pages", lint->pages);
	jsonw_bool("kpageflags", has_flags(lint));
	for (int i = 0; i < NR_LEADS; i++)
		if (lint->of[i])
			jsonw_number(lead_text[i].name, lint->of[i]);
	jsonw_close();
}
