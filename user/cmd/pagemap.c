// SPDX-License-Identifier: GPL-2.0
/* What /proc/PID/pagemap says, page by page, folded into runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/put.h"
#include "check/crash_risk.h"
#include "check/process.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "module/client.h"
#include "proc/kpageflags.h"
#include "proc/maps.h"
#include "proc/pagemap_bits.h"
#include "proc/pagemap_entry.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "proc/swapped.h"
#include "report/scattered.h"
#include "sources/source.h"

#define PIECE_PAGES	8192	/* that are read at once */
#define ZERO_TEXT	", the zero page"

/**
 * struct run - consecutive pages whose entries are equal, or consecutive, too
 * @addr: The first page; @entry: its entry.
 * @pages: Their number.
 */
struct run {
	uint64_t addr, entry, pages;
};

/**
 * struct view - a pagemap being printed
 * @subject: The process.
 * @maps: Its mappings.
 * @client: The module, if it is there and may be asked; or NULL.
 * @file: Its pagemap, open.
 * @values: PIECE_PAGES of it.
 * @page_shift: Of the base page.
 * @json: One object for each run.
 * @raw: One line for each entry.
 * @verbose: What is scattered has a line for each piece.
 * @hidden: Frames and places in swap are withheld from us; @limit says so, or is NULL.
 * @run: The run under way; without pages, none.
 * @held: Those before it that differ only in their place, the first ones of @nr_held.
 * @held_pages: Of all of these.
 * @pieces: What is being printed stands for so many of them, or 0.
 * @repeated: The places of the first so many of them come again and again: those of the
 *	zero page, or of a marker.
 * @map: The mapping that it lies in.
 * @swapped: The mapping whose file was asked last what it has in swap.
 * @shown: Pages printed.
 * @gate: The mapping that pagemap ends before, once it was asked about; or NULL.
 * @short_read: It has also ended in another one: the process has gone.
 * @lines: That wait to be written.
 * @words: Of the entry that was put together last.
 * @kept: Of the runs that were printed, the text or JSON.
 * @tail: The name of @map as it is printed, and the end of the line; @tail_len bytes.
 */
struct view {
	struct subject subject;
	struct maps maps;
	struct ptwalk *client;
	struct source_file *file;
	uint64_t *values;
	unsigned int page_shift;
	bool json, raw, verbose, hidden;
	const char *limit;
	struct run run, held[SCATTERED];
	uint64_t nr_held, held_pages, pieces, repeated;
	const struct map *map;
	struct swapped swapped;
	uint64_t shown;
	const struct map *gate;
	bool short_read;
	struct out_lines lines;
	struct decode_words words;
	char *tail;
	size_t tail_len;
	struct put_lines kept;
};

/* Of a run that is absent here, what the file of the mapping has in swap. */
static uint64_t run_in_swap(struct view *v)
{
	const struct map *m = v->map;

	if (v->run.entry & (PM_PFN_MASK | PM_PRESENT | PM_SWAP) ||
	    !swapped_open_map(&v->swapped, v->subject.pid, m))
		return 0;
	return swapped_pages(&v->swapped, v->run.addr, v->run.pages << v->page_shift);
}

/* Of a run, but for the name of its mapping: 0xADDR, pages, the entry, what it means. */
#define RUN_TEXT	(3 * PUT_HEX + PUT_DECIMAL + 16 + DECODE_TEXT_SIZE + sizeof(ZERO_TEXT))

static void print_run_text(struct view *v, const struct decoded *d, uint64_t swapped)
{
	char *p = out_lines_room(&v->lines, RUN_TEXT);

	p = put_hex(p, v->run.addr);
	*p++ = ' ';
	p = put_decimal(p, v->run.pages, 8);
	p = put_text(p, v->run.pages == 1 ? " page   " : " pages  ");
	if (v->raw) {
		p = put_hex_whole(p, v->run.entry);
		p = put_text(p, "  ");
	}
	p = decode_put(p, &v->words, d);
	if (v->repeated && v->run.entry & PM_PRESENT)
		p = put_text(p, ZERO_TEXT);
	out_lines_take(&v->lines, p);
	out_lines_put(&v->lines, v->tail, v->tail_len);
	if (!swapped)
		return;
	p = out_lines_room(&v->lines, RUN_TEXT);
	p = put_decimal(put_text(p, "    empty here; "), swapped, 0);
	p = put_text(p, swapped == 1 ? " page of the file is in swap\n" :
				       " pages of the file are in swap\n");
	out_lines_take(&v->lines, p);
}

static void print_run_json(struct view *v, const struct decoded *d, uint64_t swapped)
{
	uint64_t paddr;

	jsonw_begin("run");
	decode_place_json(d);
	jsonw_mask("flags", &names_pagemap, d->flags);
	jsonw_number("pid", v->subject.pid);
	jsonw_hex("start", v->run.addr);
	jsonw_number("pages", v->run.pages);
	if (!d->hidden && decode_paddr(d, v->page_shift, &paddr))
		jsonw_hex("paddr", paddr);
	if (swapped)
		jsonw_number("file_in_swap", swapped);
	jsonw_text("name", v->map->name);
}

/* What decides what is printed of a run of which the file has nothing in swap. */
static struct put_what run_what(const struct view *v)
{
	const bool present = v->run.entry & PM_PRESENT, swapped = !present && v->run.entry & PM_SWAP;
	const uint64_t type = swapped ? v->run.entry & PM_SWAP_TYPE_MASK : 0;
	uint64_t place = v->run.entry & PM_PFN_MASK;
	struct put_what what = {
		.key = { (v->run.entry & ~PM_PFN_MASK) | type | !!v->repeated, v->run.pages,
			 (uintptr_t)v->map },
	};
	uint64_t *n = what.number;

	if (swapped)
		place >>= PM_SWAP_TYPE_BITS;
	if (!v->json)
		*n++ = v->run.addr;
	if (v->json || v->raw)
		*n++ = v->run.entry;
	if (!v->hidden && (present || swapped || place))
		*n++ = place;
	if (v->json)
		*n++ = v->run.addr;
	if (v->json && present && !v->hidden)
		*n++ = place << v->page_shift;
	what.nr = n - what.number;
	return what;
}

/* False: it must be put together. */
static bool print_again(struct view *v, const struct put_what *what)
{
	char *end;

	if (v->json)
		return jsonw_again(&v->kept, what);
	end = put_again(out_lines_room(&v->lines, PUT_LINE), &v->kept, what);
	if (end)
		out_lines_take(&v->lines, end);
	return end;
}

static void print_anew(struct view *v, const struct put_what *what, uint64_t swapped)
{
	const char *begin = v->lines.text + v->lines.nr;
	const size_t written = v->lines.written;
	struct decoded d;

	decode(v->run.entry, DECODE_NEW, &d);
	d.hidden = v->hidden;
	d.pieces = v->pieces;
	if (!v->json) {
		print_run_text(v, &d, swapped);
		/* Unless some of it had to be written first. */
		if (!swapped && !v->pieces && v->lines.written == written)
			put_keep(&v->kept, what, begin, v->lines.text + v->lines.nr);
		return;
	}
	print_run_json(v, &d, swapped);
	if (swapped)
		jsonw_end();
	else
		jsonw_end_kept(&v->kept, what);
}

static void print_page_run(struct view *v)
{
	struct put_what what;
	uint64_t swapped;

	if (!v->run.pages)
		return;
	what = run_what(v);
	swapped = run_in_swap(v);
	if (v->pieces || swapped || !print_again(v, &what))
		print_anew(v, &what, swapped);
	v->shown += v->run.pages;
	v->run.pages = v->repeated = v->pieces = 0;
}

/* What is added to an entry for the page that follows in memory or swap. */
static uint64_t entry_step(uint64_t entry)
{
	if (!(entry & PM_PFN_MASK))
		return 0;
	if (entry & PM_PRESENT)
		return 1;
	return entry & PM_SWAP && !(entry & PM_GUARD) ?
	       1ULL << PM_SWAP_TYPE_BITS : 0;
}

static bool entry_goes_on(const struct view *v, uint64_t entry)
{
	const uint64_t nr = v->repeated ? v->run.pages % v->repeated : v->run.pages;

	return v->run.entry + nr * entry_step(v->run.entry) == entry;
}

/* Whether all pages of memory that was only read have it; a huge one is as good. */
static bool is_zero_page(uint64_t entry)
{
	uint64_t flags;

	return entry & PM_PRESENT && frameflags_read(entry & PM_PFN_MASK, &flags, 1) == 1 &&
	       flags & KPF_BIT(ZERO_PAGE);
}

/*
 * Whether the run begins anew with @entry: a marker is the same in each page, and so is the
 * zero page, of which JSON has each. In raw, each entry is a run.
 */
static bool place_repeats(struct view *v, uint64_t entry)
{
	const bool is_swap = entry & PM_SWAP && !(entry & PM_PRESENT);

	if (v->raw || v->repeated || entry != v->run.entry ||
	    (is_swap ? v->run.pages > 1 : v->json || v->hidden || !is_zero_page(entry)))
		return false;
	v->repeated = v->run.pages;
	return true;
}

/* The entry of a run without its place, which is all that pieces may differ in. */
static uint64_t without_place(const struct run *run)
{
	const uint64_t place = run->entry & PM_PRESENT ? PM_PFN_MASK :
			       PM_PFN_MASK & ~PM_SWAP_TYPE_MASK;

	return run->entry & ~place;
}

/* Prints what was held back, as one line if that is much; a run under way stays. */
static void print_held(struct view *v)
{
	const struct run run = v->run;
	const uint64_t nr = v->nr_held, repeated = v->repeated;

	v->nr_held = v->repeated = 0;
	for (uint64_t i = 0; i < nr && nr <= SCATTERED; i++) {
		v->run = v->held[i];
		print_page_run(v);
	}
	if (nr > SCATTERED) {
		v->run = v->held[0];
		v->run.pages = v->held_pages;
		v->pieces = nr;
		print_page_run(v);
	}
	v->held_pages = 0;
	v->run = run;
	v->repeated = repeated;
}

/* Of frames and places in swap, others may follow. */
static void end_page_run(struct view *v)
{
	const struct run *run = &v->run, *first = &v->held[0];

	if (!run->pages)
		return;
	if (v->nr_held &&
	    (first->addr + (v->held_pages << v->page_shift) != run->addr ||
	     without_place(first) != without_place(run)))
		print_held(v);
	if (v->json || v->raw || v->verbose || v->hidden || v->repeated ||
	    !entry_step(run->entry)) {
		print_held(v);
		print_page_run(v);
		return;
	}
	if (v->nr_held < SCATTERED)
		v->held[v->nr_held] = *run;
	v->nr_held++;
	v->held_pages += run->pages;
	v->run.pages = 0;
}

static void end_page_runs(struct view *v)
{
	end_page_run(v);
	print_held(v);
}

static void add_entry(struct view *v, uint64_t addr, uint64_t entry)
{
	if (v->run.pages && !v->raw &&
	    v->run.addr + (v->run.pages << v->page_shift) == addr &&
	    (entry_goes_on(v, entry) || place_repeats(v, entry))) {
		v->run.pages++;
		return;
	}
	end_page_run(v);
	v->run.addr = addr;
	v->run.entry = entry;
	v->run.pages = 1;
}

/* Runs end with their mapping. */
static int begin_map(struct view *v, const struct map *map)
{
	char *name = *map->name ? escape_text(map->name) : NULL;
	int len = -1;

	end_page_runs(v);
	free(v->tail);
	v->tail = NULL;
	v->map = map;
	if (name || !*map->name)
		len = asprintf(&v->tail, "%s%s\n", name ? "  " : "", name ? name : "");
	free(name);
	if (len < 0) {
		v->tail = NULL;
		return error_no_memory();
	}
	v->tail_len = len;
	return 0;
}

/* [@start, @last] lies in the mapping at hand. */
static int show_piece(struct view *v, uint64_t start, uint64_t last)
{
	uint64_t left = ((last - start) >> v->page_shift) + 1;
	struct source_pages pages;
	ssize_t got, i;
	size_t n;

	while (left) {
		n = left < PIECE_PAGES ? left : PIECE_PAGES;
		pages = (struct source_pages){ .addr = start, .nr = n };
		got = source_pagemap.read(v->file, &pages, v->values);
		if (got < 0) {
			out_lines_end(&v->lines);
			return fail(EXIT_UNCHECKED, "pagemap of process %d: %s",
				    (int)v->subject.pid, strerror(-got));
		}
		for (i = 0; i < got; i++, start += 1ULL << v->page_shift)
			add_entry(v, start, v->values[i]);
		out_check();
		if (!got && maps_is_gate(v->map->name))
			v->gate = v->map;
		else if ((size_t)got < n)
			v->short_read = true;
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
		err = begin_map(v, map);
		if (!err)
			err = show_piece(v, start, last);
	}
	end_page_runs(v);
	out_lines_end(&v->lines);
	return err;
}

static void print_note(struct view *v, const char *text)
{
	if (!v->json) {
		printf("# %s\n", text);
		return;
	}
	jsonw_begin("note");
	jsonw_number("pid", v->subject.pid);
	jsonw_text("text", text);
	jsonw_end();
}

/* Its addresses are the kernel's: of them, a read of pagemap gets 0 bytes. */
static int tell_gate(struct view *v)
{
	char text[128];

	if (!v->shown)
		return fail(EXIT_UNCHECKED, "process %d: pagemap ends before %s, by design",
			    (int)v->subject.pid, v->gate->name);
	snprintf(text, sizeof(text), "%s is left out: pagemap ends before it, by design",
		 v->gate->name);
	print_note(v, text);
	return 0;
}

static int show_ranges(struct view *v, char **args, int nr)
{
	struct ranges ranges = { 0 };
	int err;
	size_t r;

	err = subject_ranges(&v->subject, &v->maps, args, nr, &ranges);
	if (!err && v->limit)
		print_note(v, v->limit);
	for (r = 0; !err && r < ranges.nr; r++)
		err = show_range(v, ranges.range[r]);
	if (!err && (v->short_read || (!v->shown && !v->gate)))
		err = client_gone(v->subject.pid);
	else if (!err && v->gate)
		err = tell_gate(v);
	ranges_free(&ranges);
	return err;
}

static int open_client(struct view *v)
{
	struct env env = { .kernel = NULL };
	int err = 0;

	v->limit = source_pagemap.limit(&env);
	v->hidden = env.pfn_hidden;
	/* Who may not see frames may not ask the module, either. */
	if (!v->hidden)
		err = client_open(&v->client);
	/* One of another release is as good as none. */
	return client_absent(err) || err == -EPROTONOSUPPORT ? 0 : err;
}

static int open_view(struct view *v)
{
	int err = open_client(v);

	if (!err)
		err = subject_maps(&v->subject, v->client, &v->maps);
	if (err)
		return err;
	if (!v->maps.nr)
		return client_gone(v->subject.pid);
	err = source_pagemap.open(&source_pagemap, v->subject.pid, &v->file);
	if (err && procs_gone(v->subject.pid, err))
		return client_gone(v->subject.pid);
	if (err)
		return fail(EXIT_UNCHECKED, "pagemap of process %d: %s",
			    (int)v->subject.pid, strerror(-err));
	v->values = calloc(PIECE_PAGES, sizeof(*v->values));
	return v->values ? 0 : error_no_memory();
}

int cmd_pagemap(int argc, char **argv)
{
	static struct view v;
	const struct command_option options[] = {
		{ "json", .flag = &v.json },
		{ "raw", .flag = &v.raw },
		{ OPTION_MAP(&v.subject) },
		{ "touch", .flag = &v.subject.touch },
		{ "verbose", 'v', .flag = &v.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	v.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	argc -= optind;
	argv += optind;
	subject_args(&v.subject, &argv, &argc);
	if (!status)
		status = open_subject(&v.subject, argc, argv);
	if (!status)
		status = open_view(&v);
	if (!status)
		status = show_ranges(&v, argv + 1, argc - 1);
	if (v.file)
		source_pagemap.close(v.file);
	free(v.values);
	swapped_close(&v.swapped);
	free(v.tail);
	ptwalk_close(v.client);
	maps_free(&v.maps);
	subject_close(&v.subject);
	return status;
}
