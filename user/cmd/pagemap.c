// SPDX-License-Identifier: GPL-2.0
/* What /proc/PID/pagemap says, page by page, folded into runs. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "check/crash_risk.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "module/client.h"
#include "proc/maps.h"
#include "proc/pagemap_bits.h"
#include "proc/pagemap_entry.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "proc/swapped.h"
#include "sources/source.h"

#define BATCH_PAGES	65536

enum { OPT_JSON = 256, OPT_RAW, OPT_MAP, OPT_TOUCH };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "map", required_argument, NULL, OPT_MAP },
	{ "touch", no_argument, NULL, OPT_TOUCH },
	{ }
};

/**
 * struct view - a pagemap being printed
 * @subject: The process.
 * @maps: Its mappings.
 * @client: The module, if it is there and may be asked; or NULL.
 * @file: Its pagemap, open.
 * @values: BATCH_PAGES of it.
 * @page_shift: Of the base page.
 * @json: One object for each run.
 * @raw: One line for each entry.
 * @hidden: Frames and places in swap are withheld from us.
 * @addr: First page of the run under way.
 * @entry: Its entry.
 * @pages: Length of the run; 0 for none.
 * @map: The mapping that the run lies in, or NULL.
 * @swapped: The mapping whose file was asked last what it has in swap.
 * @shown: Pages printed.
 */
struct view {
	struct subject subject;
	struct maps maps;
	struct ptwalk *client;
	struct source_file *file;
	uint64_t *values;
	unsigned int page_shift;
	bool json, raw, hidden;
	uint64_t addr, entry, pages;
	const struct map *map;
	struct swapped swapped;
	uint64_t shown;
};

/* Of a run that is absent here, what the file of the mapping has in swap. */
static uint64_t in_swap(struct view *v)
{
	const struct map *m = v->map;

	if (v->entry & (PM_PFN_MASK | PM_PRESENT | PM_SWAP) || !m ||
	    !swapped_open_map(&v->swapped, v->subject.pid, m))
		return 0;
	return swapped_pages(&v->swapped, v->addr, v->pages << v->page_shift);
}

static void print_run(struct view *v)
{
	uint64_t paddr;
	char text[DECODE_TEXT_SIZE];
	struct decoded d;
	uint64_t swapped;

	if (!v->pages)
		return;
	decode(v->entry, DECODE_NEW, &d);
	swapped = in_swap(v);
	d.hidden = v->hidden;
	if (v->json) {
		jsonw_begin("run");
		decode_json(&d);
		jsonw_number("pid", v->subject.pid);
		jsonw_hex("start", v->addr);
		jsonw_number("pages", v->pages);
		if (!d.hidden && decode_paddr(&d, v->page_shift, &paddr))
			jsonw_hex("paddr", paddr);
		if (swapped)
			jsonw_number("file_in_swap", swapped);
		jsonw_text("name", v->map ? v->map->name : "");
		jsonw_end();
	} else {
		decode_text(&d, text, sizeof(text));
		printf("0x%" PRIx64 " %8" PRIu64 " page%s  ", v->addr, v->pages,
		       v->pages == 1 ? " " : "s");
		if (v->raw)
			printf("0x%016" PRIx64 "  ", v->entry);
		printf("%s%s", text, v->map && *v->map->name ? "  " : "");
		if (v->map)
			out_text(v->map->name);
		if (swapped)
			printf("\n    empty here; %" PRIu64 " page%s of the file %s in swap",
			       swapped, plural(swapped), swapped == 1 ? "is" : "are");
		putchar('\n');
		out_check();
	}
	v->shown += v->pages;
	v->pages = 0;
}

/* What is added to an entry for the page that follows in memory or swap. */
static uint64_t step_of(uint64_t entry)
{
	if (!(entry & PM_PFN_MASK))
		return 0;
	if (entry & PM_PRESENT)
		return 1;
	return entry & PM_SWAP && !(entry & PM_GUARD) ?
	       1ULL << PM_SWAP_TYPE_BITS : 0;
}

static void take(struct view *v, const struct map *map, uint64_t addr,
		 uint64_t entry)
{
	if (v->pages && !v->raw && map == v->map &&
	    v->addr + (v->pages << v->page_shift) == addr &&
	    v->entry + v->pages * step_of(v->entry) == entry) {
		v->pages++;
		return;
	}
	/* Swapped entries in a row may all be the same: markers are. */
	if (v->pages == 1 && !v->raw && map == v->map && v->entry == entry &&
	    v->addr + (1ULL << v->page_shift) == addr &&
	    (entry & PM_SWAP) && !(entry & PM_PRESENT)) {
		v->pages++;
		return;
	}
	print_run(v);
	v->map = map;
	v->addr = addr;
	v->entry = entry;
	v->pages = 1;
}

/* [@start, @last] lies in @map, or in no mapping. */
static int show_piece(struct view *v, const struct map *map, uint64_t start,
		      uint64_t last)
{
	uint64_t left = ((last - start) >> v->page_shift) + 1;
	struct source_pages pages;
	ssize_t got, i;
	size_t n;

	while (left) {
		n = left < BATCH_PAGES ? left : BATCH_PAGES;
		pages = (struct source_pages){ .addr = start, .nr = n };
		got = source_pagemap.read(v->file, &pages, v->values);
		if (got < 0)
			return fail(EXIT_UNCHECKED, "pagemap of process %d: %s",
				    (int)v->subject.pid, strerror(-got));
		for (i = 0; i < got; i++, start += 1ULL << v->page_shift)
			take(v, map, start, v->values[i]);
		if ((size_t)got < n)
			break;
		left -= n;
	}
	return 0;
}

/* Only what lies in mappings is shown: the holes are most of 2^64. */
static int show_range(struct view *v, struct range range)
{
	uint64_t mask = (1ULL << v->page_shift) - 1;
	size_t i;
	int err;

	range.start &= ~mask;
	range.last |= mask;
	err = crash_risk_refuse(v->client, v->subject.pid, range.start,
				range.last, false);
	if (err)
		return err;
	for (i = 0; !err && i < v->maps.nr; i++) {
		const struct map *map = &v->maps.map[i];
		uint64_t start = map->start, last = map->last;

		if (last < range.start || start > range.last)
			continue;
		if (start < range.start)
			start = range.start;
		if (last > range.last)
			last = range.last;
		err = show_piece(v, map, start, last);
	}
	print_run(v);
	return err;
}

static int show(struct view *v, char **args, int nr)
{
	struct ranges ranges = { 0 };
	struct env env = { .kernel = NULL };
	const char *limit;
	int err;
	size_t r;

	err = subject_ranges(&v->subject, &v->maps, args, nr, &ranges);
	if (err)
		goto out;
	limit = source_pagemap.limit(&env);
	v->hidden = env.pfn_hidden;
	/* Who may not see frames may not ask the module, either. */
	if (!v->hidden && client_family_present())
		err = client_open(&v->client);
	/* One of another release is as good as none. */
	if (err == -EPROTONOSUPPORT)
		err = 0;
	if (limit && v->json) {
		jsonw_begin("note");
		jsonw_number("pid", v->subject.pid);
		jsonw_text("text", limit);
		jsonw_end();
	} else if (limit) {
		printf("# %s\n", limit);
	}
	for (r = 0; !err && r < ranges.nr; r++)
		err = show_range(v, ranges.range[r]);
	if (!err && !v->shown)
		err = client_gone(v->subject.pid);
out:
	ranges_free(&ranges);
	return err;
}

static int open_view(struct view *v)
{
	int err = subject_maps(&v->subject, NULL, &v->maps);

	if (err)
		return err;
	if (!v->maps.nr)
		return client_gone(v->subject.pid);
	err = source_pagemap.open(v->subject.pid, &v->file);
	if (err && procs_gone(v->subject.pid, err))
		return client_gone(v->subject.pid);
	if (err)
		return fail(EXIT_UNCHECKED, "pagemap of process %d: %s",
			    (int)v->subject.pid, strerror(-err));
	v->values = calloc(BATCH_PAGES, sizeof(*v->values));
	return v->values ? 0 : error_no_memory();
}

int cmd_pagemap(int argc, char **argv)
{
	struct view v = {
		.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};
	int o, status = 0;

	opterr = 0;
	while ((o = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (o) {
		case OPT_JSON:
			v.json = true;
			break;
		case OPT_RAW:
			v.raw = true;
			break;
		case OPT_MAP:
			status = subject_take_map(&v.subject, optarg);
			if (status)
				return status;
			break;
		case OPT_TOUCH:
			v.subject.touch = true;
			break;
		default:
			return option_refused(o, argv, options);
		}
	}
	argc -= optind;
	argv += optind;
	if (argc)
		status = ranges_check(argv + 1, argc - 1);
	if (!status)
		status = subject_open(&v.subject, argc ? argv[0] : NULL);
	if (!status)
		status = open_view(&v);
	if (!status)
		status = show(&v, argv + 1, argc - 1);
	if (v.file)
		source_pagemap.close(v.file);
	free(v.values);
	swapped_close(&v.swapped);
	ptwalk_close(v.client);
	maps_free(&v.maps);
	subject_close(&v.subject);
	return status;
}
