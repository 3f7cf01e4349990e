// SPDX-License-Identifier: GPL-2.0
/* ptwalk dump: the whole translation of a process, as extents. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/put.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "dirty/faults.h"
#include "module/client.h"
#include "module/contiguity.h"
#include "module/entry.h"
#include "module/names.h"
#include "module/truth.h"
#include "proc/file_end.h"
#include "proc/maps.h"
#include "proc/places.h"
#include "proc/subject.h"
#include "proc/swapped.h"
#include "report/page.h"
#include "report/record.h"
#include "report/scattered.h"

/* Kinds and levels beyond those known share the last place. */
#define KINDS	16
#define LEVELS	8
/* Room for the line of an extent, and those of what is empty or would fault. */
#define LINE	(512 + ENTRY_COLUMNS)

struct total {
	uint64_t pages, extents;
};

/* More reasons than fault_of() has. */
#define FAULT_REASONS	16

/**
 * struct faulting - pages to which an access would fault for one reason
 * @verdict: Which one, and why; no reason in a place that isn't used.
 * @pages: How many.
 */
struct faulting {
	struct fault_verdict verdict;
	uint64_t pages;
};

/**
 * struct fault_stretch - such pages in a row
 * @start: The first address; @end the one behind the last.
 */
struct fault_stretch {
	uint64_t start, end;
	struct fault_verdict verdict;
};

/**
 * struct dump - the command at work
 * @subject: The process, and what --map maps.
 * @json: As JSON lines.
 * @summary: Totals only.
 * @present: Without empty entries.
 * @would_fault: Only extents to which an access would fault; @stretch: those in a row
 *	for one reason, which aren't printed yet; @faulting: pages by reason.
 * @scattered: Extents that aren't printed yet.
 * @verbose: With the handler of each mapping, and what its memory is, and each extent.
 * @human: Amounts in units, not pages.
 * @places: What physical addresses are, where @verbose.
 * @truth: What is read where @verbose, which is not kept.
 * @page: The page behind the extent that is being printed, where @verbose.
 * @maps: Of the process, for names.
 * @info: What the module says of the kernel.
 * @vma: The one that was announced last.
 * @ended: With @would_fault, the one that was seen last; its file ends at @file_end.
 * @nr_vmas: Number of VMAs seen.
 * @in_range: Messages with a VMA in the range under way.
 * @range: That under way.
 * @totals: By kind and level.
 * @contiguity: Of the pages that are present, with @summary.
 * @swapped: The mapping whose file was asked last what it has in swap; @in_swap, with
 *	@summary, the pages of shared mappings that their files have there.
 * @absent: Pages of @vma that aren't present, with @summary.
 * @width: Of the column of pages.
 * @columns: Of the extent that was put together last; @words the same in JSON.
 * @kept: Of the extents that were printed, the text or JSON.
 * @lines: That wait to be written.
 */
struct dump {
	struct subject subject;
	bool json, summary, present, would_fault, verbose, human;
	struct fault_stretch stretch;
	struct scattered scattered;
	struct faulting faulting[FAULT_REASONS];
	struct places places;
	struct truth truth;
	const struct ptwalk_page *page;
	struct maps maps;
	const struct ptwalk_kernel *info;
	struct ptwalk_vma vma, ended;
	uint64_t file_end, nr_vmas, in_range;
	const struct range *range;
	struct total totals[KINDS][LEVELS];
	struct contiguity contiguity;
	struct swapped swapped;
	uint64_t in_swap, absent;
	int width;
	struct entry_columns columns;
	struct record_words words;
	struct put_lines kept;
	struct out_lines lines;
};

static bool is_same_vma(const struct ptwalk_vma *a, const struct ptwalk_vma *b)
{
	return a->start == b->start && a->last == b->last && a->flags == b->flags;
}

static bool is_known(const struct dump *d, const struct ptwalk_vma *vma)
{
	return d->nr_vmas && is_same_vma(&d->vma, vma);
}

static struct total *total_of(struct dump *d, uint64_t bits)
{
	uint32_t kind = ptwalk_bits_kind(bits);
	uint32_t level = ptwalk_bits_level(bits);

	return &d->totals[kind < KINDS ? kind : KINDS - 1]
			 [level < LEVELS ? level : LEVELS - 1];
}

static void count_pages(struct dump *d, uint64_t bits, uint64_t pages, uint64_t extents)
{
	struct total *total = total_of(d, bits);

	total->pages += pages;
	total->extents += extents;
	if (!ptwalk_bits_present(bits))
		d->absent += pages;
}

static void count_lists(struct dump *d, struct contiguity_lists *lists)
{
	contiguity_lists_end(&d->contiguity, lists);
	for (size_t i = 0; i < PTWALK_MIXED_MAX; i++)
		if (lists->pages[i])
			count_pages(d, lists->bits[i], lists->pages[i], lists->extents[i]);
}

/* Of a run at @addr, what lies in the range; @mixed are the lists of the message. */
static void count_run(struct dump *d, const struct ptwalk_run *run, uint64_t addr,
		      struct contiguity_lists *mixed)
{
	const uint64_t bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
	const unsigned int shift = d->info->page_shift;
	const uint64_t last = addr + (run->pages << shift) - 1;
	uint64_t first = 0, pages = run->pages;
	struct contiguity_lists alike;

	if (addr > d->range->last || last < d->range->start)
		return;
	if (last > d->range->last)
		pages -= (last - d->range->last) >> shift;
	if (addr < d->range->start)
		first = (d->range->start - addr) >> shift;
	addr += first << shift;
	pages -= first;
	if (ptwalk_bits_kind(bits) == PTWALK_KIND_MIXED) {
		contiguity_lists_take(&d->contiguity, mixed, run, addr, first, pages);
	} else if (bits != run->bits) {
		contiguity_lists_begin(&alike, &bits, 1);
		contiguity_lists_take(&d->contiguity, &alike, run, addr, first, pages);
		count_lists(d, &alike);
	} else {
		count_pages(d, bits, pages, 1);
		if (ptwalk_bits_present(bits))
			contiguity_add(&d->contiguity, addr, run->value[0] + first, pages);
	}
}

/* Of what @vma maps from @addr on, how many pages its file has in swap. */
static uint64_t pages_in_swap(struct dump *d, const struct ptwalk_vma *vma,
			      uint64_t addr, uint64_t bytes)
{
	if (!(vma->flags & PTWALK_VMA_FLAG_SHMEM) ||
	    !swapped_open(&d->swapped, d->subject.pid, vma->start, vma->last,
			  vma->pgoff << d->info->page_shift))
		return 0;
	return swapped_pages(&d->swapped, addr, bytes);
}

/*
 * A page that is in swap has an entry in each shared mapping that isn't present; below
 * private ones, there may be a copy. So a mapping of which all is present isn't asked for.
 */
static void end_vma(struct dump *d)
{
	const uint64_t start = d->vma.start > d->range->start ? d->vma.start : d->range->start;
	const uint64_t last = d->vma.last < d->range->last ? d->vma.last : d->range->last;

	if (d->vma.flags & PTWALK_VMA_FLAG_MAYSHARE && d->absent)
		d->in_swap += pages_in_swap(d, &d->vma, start, last - start + 1);
	d->absent = 0;
}

/*
 * The bulk path: a handful of instructions a page. A summary of scattered
 * pages shall cost less than reading their pagemap.
 */
static int sum_runs(const struct ptwalk_runs *runs, void *arg)
{
	struct contiguity_lists mixed;
	const struct ptwalk_run *run;
	uint64_t addr = runs->start;
	struct dump *d = arg;

	d->in_range++;
	if (!is_known(d, &runs->vma)) {
		end_vma(d);
		d->vma = runs->vma;
		d->nr_vmas++;
	}
	contiguity_lists_begin(&mixed, runs->mixed, runs->nr_mixed);
	ptwalk_for_each_run(run, runs) {
		count_run(d, run, addr, &mixed);
		addr += run->pages << d->info->page_shift;
	}
	count_lists(d, &mixed);
	return interrupted ? INTERRUPT_STOP : 0;
}

/* The summary of the range under way. */
static int sum_range(struct dump *d, struct ptwalk *client)
{
	int status = truth_entries(client, d->subject.pid, d->range->start, d->range->last,
				   sum_runs, d);

	end_vma(d);
	return status;
}

static void print_vma(const struct dump *d, const struct ptwalk_vma *vma)
{
	const char *name = maps_name_at(&d->maps, vma->start);

	if (d->json) {
		jsonw_begin("vma");
		jsonw_number("pid", d->subject.pid);
		record_vma_json(vma, false, name);
		jsonw_end();
	} else {
		if (d->nr_vmas == 1 && d->would_fault && !d->verbose)
			printf("  %-37s %*s\n", "START-END", d->width,
			       d->human ? "AMOUNT" : "PAGES");
		else if (d->nr_vmas == 1)
			printf("  %-37s %-42s %*s %-4s %-8s %s\n", "START-END",
			       "PHYSICAL", d->width, d->human ? "AMOUNT" : "PAGES",
			       "SIZE", "TYPE", "FLAGS");
		record_vma(vma, name);
		putchar('\n');
		if (d->verbose && *vma->ops) {
			printf("  %-9s ", "handler");
			out_text(vma->ops);
			putchar('\n');
		}
	}
}

/* In @width columns, to their right. */
static char *put_human(uint64_t bytes, int width, char *p)
{
	char size[FORMAT_SIZE];

	format_human(bytes, size);
	p = put_blanks(p, p, width - strlen(size));
	return put_text(p, size);
}

/* @as_one: instead of where it is, or NULL. */
static char *put_text_line(struct dump *d, const struct ptwalk_extent *e, const char *as_one,
			   char *p)
{
	unsigned int shift = d->info->page_shift;
	uint64_t bytes = e->pages << shift;
	char absent[ENTRY_TEXT], *column;

	p = put_text(p, "  ");
	column = p;
	p = put_range(p, e->addr, e->addr + bytes - 1);
	p = put_blanks(p, column, 37);
	*p++ = ' ';
	column = p;
	if (as_one)
		p = put_text(p, as_one);
	else if (ptwalk_bits_present(e->bits))
		p = put_range(p, e->value << shift,
			      (e->value << shift) + bytes - 1);
	else
		p = put_text(p, entry_absent(e->value, e->bits, absent));
	p = put_blanks(p, column, 42);
	*p++ = ' ';
	p = d->human ? put_human(bytes, d->width, p) :
		       put_decimal(p, e->pages, d->width);
	*p++ = ' ';
	return entry_columns(p, &d->columns, d->info, e->bits, true);
}

/*
 * What a physical address is, and whether that memory is pinned: with -v, behind
 * the line of the extent.
 */
static void print_place(struct dump *d, const struct ptwalk_vma *vma,
			const struct ptwalk_extent *e)
{
	const char *place;
	size_t len;
	char *p;

	place = places_text(&d->places, e->value << d->info->page_shift, e->bits, vma,
			    &len);
	out_lines_take(&d->lines, put_text(out_lines_room(&d->lines, LINE), "    physical  "));
	out_lines_put(&d->lines, place, len);
	p = out_lines_room(&d->lines, LINE);
	if (ptwalk_bits_flags(e->bits) & PTWALK_FLAG_PAGE)
		p = put_text(put_text(p, "; "), page_pinned(d->page));
	*p++ = '\n';
	out_lines_take(&d->lines, p);
}

/* The same as members. */
static void place_json(struct dump *d, const struct ptwalk_vma *vma,
		       const struct ptwalk_extent *e)
{
	places_json(&d->places, e->value << d->info->page_shift, e->bits, vma);
	if (ptwalk_bits_flags(e->bits) & PTWALK_FLAG_PAGE)
		jsonw_bool("maybe_pinned", page_maybe_pinned(d->page));
}

/* What the file has in swap of an extent that is empty here. */
static uint64_t extent_in_swap(struct dump *d, const struct ptwalk_vma *vma,
			       const struct ptwalk_extent *e)
{
	return ptwalk_bits_kind(e->bits) == PTWALK_KIND_NONE ?
		       pages_in_swap(d, vma, e->addr, e->pages << d->info->page_shift) : 0;
}

static char *put_in_swap(uint64_t pages, char *p)
{
	if (!pages)
		return p;
	p = put_text(p, "    empty here; ");
	p = put_decimal(p, pages, 0);
	return put_text(p, pages == 1 ? " page of the file is in swap\n" :
					" pages of the file are in swap\n");
}

static const char *access_text(enum fault_access access)
{
	return access == FAULT_ANY ? "any access" : "a write";
}

/* "    any access would fault: there is no page: one is made" */
static char *put_fault(struct fault_verdict v, char *p)
{
	p = put_text(p, "    ");
	p = put_text(p, access_text(v.access));
	p = put_text(p, " would fault: ");
	p = put_text(p, v.why);
	*p++ = '\n';
	return p;
}

/* The extents that differ in nothing but where their pages are, as one. */
static void print_fault_stretch(struct dump *d)
{
	struct fault_stretch *s = &d->stretch;
	char *p, *column;

	if (s->end == s->start)
		return;
	p = put_text(out_lines_room(&d->lines, LINE), "  ");
	column = p;
	p = put_range(p, s->start, s->end - 1);
	p = put_blanks(p, column, 37);
	*p++ = ' ';
	p = d->human ? put_human(s->end - s->start, d->width, p) :
		       put_decimal(p, (s->end - s->start) >> d->info->page_shift, d->width);
	*p++ = '\n';
	out_lines_take(&d->lines, put_fault(s->verdict, p));
	*s = (struct fault_stretch){ 0 };
}

static void count_fault(struct dump *d, struct fault_verdict v, uint64_t pages)
{
	size_t i = 0;

	while (i < FAULT_REASONS - 1 && d->faulting[i].verdict.why &&
	       (d->faulting[i].verdict.access != v.access ||
		strcmp(d->faulting[i].verdict.why, v.why)))
		i++;
	d->faulting[i].verdict = v;
	d->faulting[i].pages += pages;
}

static void add_to_stretch(struct dump *d, const struct ptwalk_extent *e, struct fault_verdict v)
{
	struct fault_stretch *s = &d->stretch;

	if (s->end != e->addr || s->verdict.access != v.access || s->verdict.why != v.why) {
		print_fault_stretch(d);
		*s = (struct fault_stretch){ .start = e->addr, .verdict = v };
	}
	s->end = e->addr + (e->pages << d->info->page_shift);
}

static struct fault_verdict fault_at(const struct dump *d, const struct ptwalk_vma *vma,
				     const struct ptwalk_extent *e)
{
	return fault_of(vma, e->bits, e->addr >= d->file_end);
}

static void extent_json(struct dump *d, const struct ptwalk_extent *e)
{
	jsonw_number("pid", d->subject.pid);
	jsonw_hex("start", e->addr);
	jsonw_hex("last", e->addr + (e->pages << d->info->page_shift) - 1);
	jsonw_number("pages", e->pages);
	record_json(&d->words, d->info, e->value, e->bits, 0);
}

static void print_extent_json(struct dump *d, const struct ptwalk_vma *vma,
			      const struct ptwalk_extent *e)
{
	const uint64_t swapped = extent_in_swap(d, vma, e);

	jsonw_begin("extent");
	extent_json(d, e);
	if (swapped)
		jsonw_number("file_in_swap", swapped);
	if (d->would_fault) {
		jsonw_text("faults", fault_access_name[fault_at(d, vma, e).access]);
		jsonw_text("why", fault_at(d, vma, e).why);
	}
	if (d->verbose && ptwalk_bits_present(e->bits))
		place_json(d, vma, e);
}

static void print_extent_text(struct dump *d, const struct ptwalk_vma *vma,
			      const struct ptwalk_extent *e)
{
	char *p = put_text_line(d, e, NULL, out_lines_room(&d->lines, LINE));

	p = put_in_swap(extent_in_swap(d, vma, e), p);
	if (d->would_fault)
		p = put_fault(fault_at(d, vma, e), p);
	out_lines_take(&d->lines, p);
	if (d->verbose && ptwalk_bits_present(e->bits))
		print_place(d, vma, e);
}

/* What decides what is printed of an extent; false if that is more than there is room for. */
static bool extent_what(struct dump *d, const struct ptwalk_vma *vma,
			const struct ptwalk_extent *e, struct put_what *what)
{
	const unsigned int shift = d->info->page_shift;
	const uint64_t bytes = e->pages << shift, paddr = e->value << shift;
	const uint32_t kind = ptwalk_bits_kind(e->bits);

	if (d->would_fault)
		return false;
	what->key[0] = e->bits;
	what->key[1] = e->pages;
	what->key[2] = 0;
	what->number[0] = e->addr;
	what->number[1] = e->addr + bytes - d->json;
	what->number[2] = e->value;
	what->number[3] = paddr;
	what->nr = kind == PTWALK_KIND_PRESENT ? 4 : kind == PTWALK_KIND_SWAP ? 3 : 2;
	if (kind == PTWALK_KIND_SWAP)
		return true;
	if (kind != PTWALK_KIND_PRESENT)
		return kind == PTWALK_KIND_NONE && !(vma->flags & PTWALK_VMA_FLAG_SHMEM);
	if (!d->json) {
		what->number[2] = paddr;
		what->number[3] = paddr + bytes;
	}
	if (d->verbose)
		what->key[2] = places_key(&d->places, paddr, e->bits, vma) << 1 |
			       page_maybe_pinned(d->page);
	return !d->verbose || what->key[2] >> 1;
}

static void print_extent(struct dump *d, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *e)
{
	struct put_what what;
	const bool keep = extent_what(d, vma, e, &what);
	char *p, *end;
	size_t written;

	if (d->json) {
		if (keep && jsonw_again(&d->kept, &what))
			return;
		print_extent_json(d, vma, e);
		if (keep)
			jsonw_end_kept(&d->kept, &what);
		else
			jsonw_end();
		return;
	}
	p = out_lines_room(&d->lines, PUT_LINE);
	end = keep ? put_again(p, &d->kept, &what) : NULL;
	if (end) {
		out_lines_take(&d->lines, end);
		return;
	}
	written = d->lines.written;
	print_extent_text(d, vma, e);
	/* Unless some of it had to be written first. */
	if (keep && d->lines.written == written)
		put_keep(&d->kept, &what, p, d->lines.text + d->lines.nr);
}

static void print_scattered(struct dump *d)
{
	struct scattered *s = &d->scattered;
	struct ptwalk_extent all = s->extent[0];
	char text[SCATTERED_TEXT];

	if (scattered_text(s, d->info, text)) {
		all.pages = s->pages;
		out_lines_take(&d->lines, put_text_line(d, &all, text,
							out_lines_room(&d->lines, LINE)));
	} else {
		for (size_t i = 0; i < s->nr; i++)
			print_extent(d, &d->vma, &s->extent[i]);
	}
	s->nr = 0;
	s->pages = 0;
}

static void add_scattered(struct dump *d, const struct ptwalk_extent *e)
{
	if (scattered_add(&d->scattered, d->info, e))
		return;
	print_scattered(d);
	scattered_add(&d->scattered, d->info, e);
}

static bool extent_is_wanted(const struct dump *d, const struct ptwalk_vma *vma,
			     const struct ptwalk_extent *e)
{
	return !(d->present && ptwalk_bits_kind(e->bits) == PTWALK_KIND_NONE) &&
	       !(d->would_fault && !fault_at(d, vma, e).access);
}

static bool any_wanted(const struct dump *d, const struct ptwalk_vma *vma,
		       const struct ptwalk_extent *extents, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (extent_is_wanted(d, vma, &extents[i]))
			return true;
	return false;
}

/* With @would_fault. */
static void print_fault_at(struct dump *d, const struct ptwalk_vma *vma,
			   const struct ptwalk_extent *e)
{
	const struct fault_verdict v = fault_at(d, vma, e);

	count_fault(d, v, e->pages);
	if (d->verbose || d->json)
		print_extent(d, vma, e);
	else
		add_to_stretch(d, e, v);
}

/* An extent of empty entries may go on behind the end of the file. */
static void print_fault_parts(struct dump *d, const struct ptwalk_vma *vma,
			      const struct ptwalk_extent *e)
{
	const unsigned int shift = d->info->page_shift;
	struct ptwalk_extent part = *e;

	if (ptwalk_bits_kind(e->bits) == PTWALK_KIND_NONE && e->addr < d->file_end &&
	    (d->file_end - e->addr) >> shift < e->pages) {
		part.pages = (d->file_end - e->addr) >> shift;
		print_fault_at(d, vma, &part);
		part.addr = d->file_end;
		part.pages = e->pages - part.pages;
	}
	print_fault_at(d, vma, &part);
}

/*
 * The bulk path: lines are put together without printf(), and many of them are
 * written at once.
 */
static void print_extents(struct dump *d, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *extents, size_t nr)
{
	for (size_t i = 0; i < nr && !interrupted; i++) {
		if (!extent_is_wanted(d, vma, &extents[i]))
			continue;
		if (d->would_fault) {
			print_fault_parts(d, vma, &extents[i]);
		} else if (!d->verbose && !d->json && ptwalk_bits_present(extents[i].bits)) {
			add_scattered(d, &extents[i]);
		} else {
			if (d->scattered.nr)
				print_scattered(d);
			print_extent(d, vma, &extents[i]);
		}
	}
}

static void print_in_vma(struct dump *d, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *extents, size_t nr)
{
	d->in_range++;
	if (d->would_fault && !is_same_vma(&d->ended, vma)) {
		d->ended = *vma;
		d->file_end = vma->inode ? file_end(d->subject.pid, vma, d->info->page_shift) :
					   UINT64_MAX;
	}
	if (d->would_fault && !any_wanted(d, vma, extents, nr))
		return;
	if (!is_known(d, vma)) {
		d->vma = *vma;
		d->nr_vmas++;
		print_fault_stretch(d);
		print_scattered(d);
		out_lines_end(&d->lines);
		print_vma(d, vma);
	}
	print_extents(d, vma, extents, nr);
}

/* Ends what was printed of a message. */
static int end_message(struct dump *d)
{
	out_lines_end(&d->lines);
	out_check();
	return interrupted ? INTERRUPT_STOP : 0;
}

static int dump_extents(const struct ptwalk_vma *vma,
			const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	print_in_vma(arg, vma, extents, nr);
	return end_message(arg);
}

/* @e and those behind it that differ in nothing that is printed, as one. */
static size_t join_extents(const struct dump *d, struct ptwalk_extent *e,
			   const struct ptwalk_extent *extents,
			   const struct ptwalk_page *pages, size_t nr)
{
	const uint64_t step = ptwalk_kind_ascends(ptwalk_bits_kind(e->bits));
	size_t i;

	for (i = 1; i < nr && extents[i].bits == e->bits &&
	     extents[i].addr == e->addr + (e->pages << d->info->page_shift) &&
	     extents[i].value == e->value + step * e->pages &&
	     page_maybe_pinned(&pages[i]) == page_maybe_pinned(pages); i++)
		e->pages += extents[i].pages;
	return i;
}

/* Extents are apart here where counts of their pages differ. */
static int print_with_pages(struct truth *truth, const struct ptwalk_extent *extents,
			    const struct ptwalk_page *pages, size_t nr)
{
	const struct ptwalk_vma *vma = &truth->vmas[truth->nr_vmas - 1];
	struct dump *d = truth->arg;

	for (size_t i = 0; i < nr && !interrupted;) {
		struct ptwalk_extent e = extents[i];

		d->page = &pages[i];
		i += join_extents(d, &e, &extents[i], &pages[i], nr - i);
		print_in_vma(d, vma, &e, 1);
	}
	truth->vmas[0] = *vma;
	truth->nr_vmas = 1;
	return end_message(d);
}

static int read_range(struct dump *d, struct ptwalk *client, const struct range *r)
{
	if (d->summary)
		return sum_range(d, client);
	if (!d->verbose)
		return truth_stream(client, d->subject.pid, r->start, r->last, dump_extents, d);
	d->truth.want_pages = true;
	d->truth.passing = true;
	d->truth.take = print_with_pages;
	d->truth.arg = d;
	return truth_read(client, d->subject.pid, r->start, r->last, &d->truth);
}

static void contiguity_json(const struct dump *d)
{
	const struct contiguity *c = &d->contiguity;

	jsonw_object("contiguous");
	if (c->longest.pages) {
		jsonw_object("longest");
		jsonw_hex("start", c->longest.addr);
		jsonw_number("pages", c->longest.pages);
		jsonw_hex("paddr", c->longest.pfn << d->info->page_shift);
		jsonw_close();
	} else {
		jsonw_null("longest");
	}
	jsonw_array("runs");
	for (unsigned int i = 0; i < 64; i++) {
		if (!c->runs[i])
			continue;
		jsonw_object(NULL);
		jsonw_number("least", 1ULL << i);
		jsonw_number("pages", c->pages[i]);
		jsonw_number("runs", c->runs[i]);
		jsonw_close();
	}
	jsonw_close();
	jsonw_close();
}

static void totals_json(const struct dump *d)
{
	char name[NAME_SIZE];

	jsonw_array("totals");
	for (unsigned int i = 0; i < KINDS * LEVELS; i++) {
		const struct total *total = &d->totals[i / LEVELS][i % LEVELS];
		uint64_t bits = ptwalk_bits(i / LEVELS, i % LEVELS, 0, 0);

		if (!total->extents)
			continue;
		jsonw_object(NULL);
		jsonw_text("kind", name_of(&names_kind, i / LEVELS, name));
		jsonw_text("level", name_of(&names_level, i % LEVELS, name));
		jsonw_number("page_size", entry_size(d->info, bits));
		jsonw_number("pages", total->pages);
		jsonw_number("extents", total->extents);
		jsonw_close();
	}
	jsonw_close();
}

/* @sum: NULL without --summary. */
static void dump_summary_json(const struct dump *d, const struct total *sum)
{
	jsonw_begin("summary");
	jsonw_number("pid", d->subject.pid);
	jsonw_number("vmas", d->nr_vmas);
	if (sum) {
		jsonw_number("pages", sum->pages);
		jsonw_number("extents", sum->extents);
		jsonw_number("file_in_swap", d->in_swap);
		totals_json(d);
		contiguity_json(d);
	}
	interrupt_json();
	jsonw_end();
}

/* A number of pages, or with -h how much that is. */
static const char *extent_amount(const struct dump *d, uint64_t pages, char buf[FORMAT_SIZE])
{
	return format_amount(pages, d->info->page_shift, d->human, buf);
}

/* What of the present pages lies in a row. */
static void contiguity_text(const struct dump *d)
{
	const struct contiguity *c = &d->contiguity;
	const unsigned int shift = d->info->page_shift;
	char pages[FORMAT_SIZE], of[FORMAT_SIZE], range[FORMAT_RANGE];
	const uint64_t paddr = c->longest.pfn << shift;
	uint64_t present = 0;

	if (!c->longest.pages)
		return;
	printf("\n%-28s %12s %12s\n", "CONTIGUOUS RUNS OF AT LEAST",
	       d->human ? "AMOUNT" : "PAGES", "RUNS");
	for (unsigned int i = 0; i < 64; i++) {
		present += c->pages[i];
		if (c->runs[i])
			printf("%-28s %12s %12" PRIu64 "\n",
			       format_size(1ULL << i << shift, of),
			       extent_amount(d, c->pages[i], pages), c->runs[i]);
	}
	printf("longest: %s of %s%s present, from 0x%" PRIx64 " on, physical %s\n",
	       extent_amount(d, c->longest.pages, pages), extent_amount(d, present, of),
	       d->human ? "" : present == 1 ? " page" : " pages", c->longest.addr,
	       format_range(paddr, paddr + (c->longest.pages << shift) - 1, range));
}

static void print_partial(const struct dump *d)
{
	char range[FORMAT_RANGE];

	if (d->nr_vmas)
		printf("partial: interrupted in VMA %s\n",
		       format_range(d->vma.start, d->vma.last, range));
	else
		printf("partial: interrupted before the first VMA\n");
}

static void dump_summary_text(const struct dump *d, const struct total *sum)
{
	char kind[NAME_SIZE], level[NAME_SIZE], size[FORMAT_SIZE], pages[FORMAT_SIZE];

	printf("%-16s %-5s %-5s %12s %12s\n", "KIND", "LEVEL", "SIZE",
	       d->human ? "AMOUNT" : "PAGES", "EXTENTS");
	for (unsigned int i = 0; i < KINDS * LEVELS; i++) {
		const struct total *total = &d->totals[i / LEVELS][i % LEVELS];
		uint64_t bits = ptwalk_bits(i / LEVELS, i % LEVELS, 0, 0);

		if (!total->extents)
			continue;
		printf("%-16s %-5s %-5s %12s %12" PRIu64 "\n",
		       name_of(&names_kind, i / LEVELS, kind),
		       name_of(&names_level, i % LEVELS, level),
		       format_size(entry_size(d->info, bits), size),
		       extent_amount(d, total->pages, pages), total->extents);
	}
	printf("%-16s %-5s %-5s %12s %12" PRIu64 " in %" PRIu64 " VMA%s\n",
	       "total", "", "", extent_amount(d, sum->pages, pages), sum->extents,
	       d->nr_vmas, plural(d->nr_vmas));
	if (d->in_swap)
		printf("of shared memory, %s%s empty here, and in swap by its file\n",
		       extent_amount(d, d->in_swap, pages),
		       d->human ? " is" : d->in_swap == 1 ? " page is" : " pages are");
	contiguity_text(d);
	if (interrupted)
		print_partial(d);
}

/* That what was printed is not all, where that has no summary to say it. */
static void print_interrupted(const struct dump *d)
{
	if (d->json)
		dump_summary_json(d, NULL);
	else
		print_partial(d);
}

static void print_dump_summary(struct dump *d)
{
	struct total sum = { 0 };

	contiguity_end(&d->contiguity);
	for (unsigned int i = 0; i < KINDS * LEVELS; i++) {
		struct total *total = &d->totals[i / LEVELS][i % LEVELS];

		if (d->present && i / LEVELS == PTWALK_KIND_NONE)
			*total = (struct total){ 0 };
		sum.pages += total->pages;
		sum.extents += total->extents;
	}
	if (d->json)
		dump_summary_json(d, &sum);
	else
		dump_summary_text(d, &sum);
}

/* How many pages, and of them by reason. */
static void print_faulting(struct dump *d)
{
	uint64_t pages[NR_FAULT_ACCESSES] = { 0 };

	print_fault_stretch(d);
	out_lines_end(&d->lines);
	for (size_t i = 0; i < FAULT_REASONS; i++)
		pages[d->faulting[i].verdict.access] += d->faulting[i].pages;
	printf("would fault: %" PRIu64 " page%s at any access, %" PRIu64 " at a write\n",
	       pages[FAULT_ANY], plural(pages[FAULT_ANY]), pages[FAULT_WRITE]);
	for (size_t i = 0; i < FAULT_REASONS && d->faulting[i].verdict.why; i++)
		printf("%10" PRIu64 " at %s: %s\n", d->faulting[i].pages,
		       access_text(d->faulting[i].verdict.access), d->faulting[i].verdict.why);
}

/*
 * Refuses the RANGEs @args of which one has no mapping, if that wasn't seen when they were
 * read. Such as [vsyscall] is in maps but is no VMA.
 */
static int refuse_unmapped(struct dump *d, struct ptwalk *client, char **args, int nr)
{
	struct ranges ranges = { 0 };
	char range[FORMAT_RANGE];
	int status = 0;

	if (!d->maps.nr)
		status = subject_maps(&d->subject, client, &d->maps);
	if (!status)
		status = subject_ranges(&d->subject, &d->maps, args, nr, &ranges);
	ranges_free(&ranges);
	return status ? status :
	       fail(EXIT_UNCHECKED, "process %d has no mapping in %s", (int)d->subject.pid,
		    format_range(d->range->start, d->range->last, range));
}

static int dump_ranges(struct dump *d, struct ptwalk *client, const struct ranges *ranges,
		       char **args, int nr)
{
	int status = 0;

	d->info = ptwalk_kernel(client);
	d->contiguity.page_shift = d->info->page_shift;
	d->width = format_columns(maps_bytes(&d->maps) >> d->info->page_shift, 8);
	progress_begin(NULL, 0);
	for (const struct range *r = ranges->range;
	     !status && r < ranges->range + ranges->nr; r++) {
		d->in_range = 0;
		d->range = r;
		status = read_range(d, client, r);
		if (!status && !d->in_range)
			status = refuse_unmapped(d, client, args, nr);
	}
	print_scattered(d);
	out_lines_end(&d->lines);
	if (status == INTERRUPT_STOP)
		status = 0;
	if (!status && d->summary)
		print_dump_summary(d);
	else if (!status && interrupted)
		print_interrupted(d);
	else if (!status && d->would_fault && !d->json)
		print_faulting(d);
	if (!status && d->subject.pid != getpid() && ptwalk_interrupted(client))
		fail(0, "mappings of process %d may have changed while it was dumped: stop it first (kill -STOP) for a dump of one moment",
		     (int)d->subject.pid);
	return interrupted ? interrupt_end() : status;
}

static int run_dump(struct dump *d, int argc, char **argv)
{
	struct ranges ranges = { 0 };
	struct ptwalk *client = NULL;
	bool names = !d->summary;
	int status;

	subject_args(&d->subject, &argv, &argc);
	status = open_subject(&d->subject, argc, argv);
	if (status)
		return status;
	interrupt_begin();
	for (int i = 1; i < argc; i++)
		names |= parse_is_name(argv[i]);
	status = client_open(&client);
	if (!status && names)
		status = subject_maps(&d->subject, client, &d->maps);
	if (!status)
		status = subject_ranges(&d->subject, names ? &d->maps : NULL, argv + 1,
					argc - 1, &ranges);
	if (!status)
		status = dump_ranges(d, client, &ranges, argv + 1, argc - 1);
	ptwalk_close(client);
	ranges_free(&ranges);
	return status;
}

int cmd_dump(int argc, char **argv)
{
	static struct dump d;
	const struct command_option options[] = {
		{ "human", 'h', .flag = &d.human },
		{ "json", .flag = &d.json },
		{ OPTION_MAP(&d.subject) },
		{ "present", .flag = &d.present },
		{ "summary", 's', .flag = &d.summary },
		{ "touch", .flag = &d.subject.touch },
		{ "verbose", 'v', .flag = &d.verbose },
		{ "would-fault", .flag = &d.would_fault },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status && d.would_fault && d.summary)
		status = fail(EXIT_USAGE, "--would-fault prints extents, and --summary none");
	if (!status && d.verbose)
		status = places_read(&d.places);
	if (!status)
		status = run_dump(&d, argc - optind, argv + optind);

	swapped_close(&d.swapped);
	truth_free(&d.truth);
	maps_free(&d.maps);
	places_free(&d.places);
	subject_close(&d.subject);
	return status;
}
