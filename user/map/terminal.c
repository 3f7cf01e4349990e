// SPDX-License-Identifier: GPL-2.0
/* A picture as lines of letters: one for each mapping, and for each area. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "base/escape.h"
#include "base/format.h"
#include "huge/count.h"
#include "map/terminal.h"
#include "map/words.h"
#include "module/entry.h"

#define LEAST_WIDTH	48
#define START		20	/* of an address with all its digits */
#define SIZE_LETTERS	5
#define MOST_NAME	32

/**
 * struct lines - how the lines are made
 * @blocks: Letters for the pages.
 * @start: Width of addresses, @name of names.
 * @finding: Findings before this one, and changes before @change, have been told.
 * @used: Mask of 1 << enum map_kind that were shown; @huge: one as a capital.
 */
struct lines {
	FILE *to;
	const struct map_picture *p;
	bool colour;
	unsigned int blocks, start, name;
	size_t finding, change;
	uint32_t used;
	bool huge;
};

static char symbol_of(struct lines *l, const struct map_tile *tile)
{
	const char symbol = map_kinds[tile->kind].symbol;

	l->used |= 1U << tile->kind;
	if (!map_is_mapped(tile->kind) ||
	    tile->shift < huge_shift(l->p->input->kernel))
		return symbol;
	l->huge = true;
	return toupper(symbol);
}

static void put_blocks(struct lines *l, const struct map_column *columns)
{
	struct map_tile tile = { 0 };
	char symbol;

	while (map_tile_next(columns, l->blocks, &tile)) {
		symbol = symbol_of(l, &tile);
		if (l->colour)
			fprintf(l->to, "\033[%sm", map_kinds[tile.kind].sgr);
		for (unsigned int i = 0; i < tile.columns; i++)
			fputc(symbol, l->to);
		if (l->colour)
			fputs("\033[0m", l->to);
	}
}

/* Where something begins, its permissions if it has any, and its size. */
static void put_start(struct lines *l, uint64_t start, uint64_t last,
		      const char *perms)
{
	char hex[START], size[MAP_SIZE];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, start);
	fprintf(l->to, "%-*s %-4s %*s ", l->start, hex, perms, SIZE_LETTERS,
		map_size(last - start + 1, size));
}

/**
 * struct row - the columns of a mapping
 */
struct row {
	struct map_place place;
	struct map_column column[MAP_COLUMNS];
};

static void fill_row(const struct map_piece *piece, void *arg)
{
	struct row *row = arg;

	map_columns_add(row->column, &row->place, piece->first, piece->pages,
			piece->kind, piece->shift, true);
}

static uint64_t change_last(const struct lines *l, const struct change *c)
{
	return c->addr + ((c->pages - 1) << l->p->input->kernel->page_shift);
}

/* What changed in a mapping; those before it have been looked at. */
static uint32_t changes_of(struct lines *l, const struct map_vma *v)
{
	const struct map_input *in = l->p->input;
	uint32_t what = v->gone ? 1U << CHANGE_UNMAPPED : 0;

	while (l->change < in->nr_changes &&
	       change_last(l, &in->change[l->change]) < v->vma->start)
		l->change++;
	for (size_t i = l->change; i < in->nr_changes &&
	     in->change[i].addr <= v->vma->last; i++)
		what |= in->change[i].what;
	return what;
}

/* '!' before what has findings; '+', '-' or '~' before what has changed. */
static void put_remarks(struct lines *l, const struct map_vma *v)
{
	const struct map_input *in = l->p->input;
	const uint32_t what = changes_of(l, v);
	char found = ' ', changed = what ? '~' : ' ';

	while (l->finding < in->nr_findings &&
	       in->finding[l->finding].addr < v->vma->start)
		l->finding++;
	if (l->finding < in->nr_findings &&
	    in->finding[l->finding].addr <= v->vma->last)
		found = '!';
	if (what & 1U << CHANGE_UNMAPPED)
		changed = '-';
	else if (what & 1U << CHANGE_MAPPED)
		changed = '+';
	fprintf(l->to, " %c%c", found, changed);
}

static void put_vma(struct lines *l, const struct map_vma *v)
{
	const struct map_input *in = l->p->input;
	struct row row = {
		.place = {
			.to = l->blocks << MAP_STEP_SHIFT,
			.pages = map_vma_pages(in, v),
		},
	};
	char perms[VMA_PERMISSIONS];

	map_pieces(in, v, fill_row, &row);
	put_start(l, v->vma->start, v->vma->last,
		  vma_permissions(v->vma, perms));
	put_blocks(l, row.column);
	put_remarks(l, v);
	map_label(l->to, map_vma_name(v), l->name);
	fputc('\n', l->to);
}

/* The columns of an area, as many as there is room for. */
static void put_area_line(struct lines *l, const struct map_area *a)
{
	const unsigned int shift = l->p->input->kernel->page_shift;
	struct map_column column[MAP_COLUMNS] = { 0 };
	const struct map_column *from = &l->p->memory.column[a->column];
	unsigned int at;

	for (unsigned int i = 0; i < a->columns; i++) {
		at = i * l->blocks / a->columns;
		for (unsigned int j = 0; j < NR_MAP_KINDS; j++) {
			column[at].pages[j] += from[i].pages[j];
			if (column[at].shift[j] < from[i].shift[j])
				column[at].shift[j] = from[i].shift[j];
		}
	}
	put_start(l, a->start << shift, ((a->last + 1) << shift) - 1, "");
	put_blocks(l, column);
	fputs("   ", l->to);
	map_label(l->to, a->name, l->name);
	fputc('\n', l->to);
}

static void put_legend_line(const struct lines *l)
{
	const char *separator = "";

	for (unsigned int i = 0; i < NR_MAP_KINDS; i++) {
		if (!(l->used & 1U << i))
			continue;
		fprintf(l->to, "%s%c %s", separator, map_kinds[i].symbol,
			map_kinds[i].text);
		separator = ", ";
	}
	if (l->huge)
		fprintf(l->to, "%scapitals: huge leaves", separator);
	if (l->p->input->nr_findings)
		fprintf(l->to, "%s! finding", separator);
	if (l->p->input->compared)
		fprintf(l->to, "%s+ mapped since, - unmapped, ~ changed",
			separator);
	fputc('\n', l->to);
}

/* How wide the longest address is. */
static unsigned int start_width(const struct map_input *in)
{
	uint64_t start = 0;

	if (in->nr_vmas)
		start = in->vma[in->nr_vmas - 1].vma->start;
	return snprintf(NULL, 0, "0x%" PRIx64, start);
}

void map_terminal_title(FILE *to, const struct map_picture *p)
{
	escape_print(to, p->input->of);
	fprintf(to, ": %zu mapping%s, ", p->input->nr_vmas,
		plural(p->input->nr_vmas));
	map_say_mapped(to, &p->count);
	fputc('\n', to);
}

void map_terminal(FILE *to, const struct map_picture *p, unsigned int width,
		  bool colour)
{
	const struct map_input *in = p->input;
	struct lines l = { .to = to, .p = p, .colour = colour };
	char range[FORMAT_RANGE];
	unsigned int left;

	l.start = start_width(in);
	if (width < LEAST_WIDTH)
		width = LEAST_WIDTH;
	left = width - l.start - SIZE_LETTERS - 10;
	l.name = left * 2 / 5 < MOST_NAME ? left * 2 / 5 : MOST_NAME;
	l.blocks = left - l.name < MAP_COLUMNS ? left - l.name : MAP_COLUMNS;
	map_terminal_title(to, p);
	for (size_t i = 0; i < in->nr_vmas; i++)
		put_vma(&l, &in->vma[i]);
	if (p->memory.nr)
		fputs("physical memory, as far as it is mapped here:\n", to);
	for (size_t i = 0; i < p->memory.nr; i++)
		if (p->memory.area[i].pages)
			put_area_line(&l, &p->memory.area[i]);
	if (in->nr_vmas)
		put_legend_line(&l);
	for (size_t i = 0; i < in->nr_findings; i++) {
		fprintf(to, "! %s %s: ", in->finding[i].name,
			format_range(in->finding[i].addr, in->finding[i].last,
				     range));
		escape_print(to, in->finding[i].text);
		fputc('\n', to);
	}
}
