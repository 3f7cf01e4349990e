// SPDX-License-Identifier: GPL-2.0
/*
 * A picture as SVG. All lengths are whole units, of which the picture is WIDTH
 * wide: the same input makes the same bytes everywhere.
 */
#include <inttypes.h>
#include <string.h>
#include "base/format.h"
#include "map/svg.h"
#include "map/words.h"
#include "module/entry.h"

#define MARGIN		20
#define COLUMN		2
#define WIDTH		(2 * MARGIN + MAP_COLUMNS * COLUMN)
#define LETTER		7	/* width of a letter, a line is LINE high */
#define LINE		16

/* A strip, from its top on. */
#define LABEL		18	/* letters of the name of a mapping */
#define FOOT		212	/* where the pages stand; names end above them */
#define NAMES		144
#define MARK		(FOOT - 58)
#define MARK_RADIUS	9
#define STRIP		224

/* The picture, from its top on. */
#define TOP		40
#define BANDS		(TOP + STRIP)
#define MEMORY		(BANDS + 190)
#define AREA		58	/* height of an area of memory */
#define AREA_NAMES	(MEMORY + AREA + LINE)

static unsigned int x_of(unsigned int column)
{
	return MARGIN + column * COLUMN;
}

/* Small pages are low, a page of 2M or 1G is higher. */
static unsigned int height_of(const struct map_picture *p,
			      const struct map_tile *tile)
{
	unsigned int more = tile->shift - p->input->kernel->page_shift;

	return 14 + (more < 21 ? more : 21) * 2;
}

/* As a shape, and as a square in a table. */
static void put_kind_style(FILE *to, const struct map_kind_look *kind, const char *colour)
{
	fprintf(to, ".%s{fill:%s}.k%s{background:%s}", kind->name, colour, kind->name,
		*colour == '#' ? colour : "#888");
}

void map_svg_style(FILE *to)
{
	fputs("svg{font:12px ui-monospace,\"DejaVu Sans Mono\",monospace;"
	      "fill:#1a1a1a;background:#fff}"
	      "a{text-decoration:none;cursor:pointer}"
	      ".o{fill:#000;fill-opacity:.05;stroke:#999;stroke-width:.5}"
	      ".gone .o{stroke:#c00000;stroke-dasharray:4 3;stroke-width:1.5}"
	      ".gap{fill:none;stroke:#999}"
	      ".dim{fill:#666}.h{font-size:16px}"
	      ".b{fill-opacity:.4}.b2{fill-opacity:.2}.b3{fill-opacity:.07}"
	      ".many .b{fill-opacity:.13}.many .b2,.many .b3{fill-opacity:.04}"
	      ".s{fill-opacity:.5}"
	      "g.c:hover .o{fill-opacity:.15}.b:hover,.b.on{fill-opacity:.7}"
	      ".mark{fill:#c00000}.marked{fill:#fff;font-weight:bold}"
	      ".added{fill:#000}.lost{fill:#c00000}"
	      ".moved{fill:#d07c00}.else{fill:#5577aa}"
	      ".hatch{stroke:#555;stroke-width:2}\n", to);
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		put_kind_style(to, &map_kinds[i], map_kinds[i].light);
	fputs("\n@media screen and (prefers-color-scheme:dark){"
	      "svg{fill:#e8e8e8;background:#161616}"
	      ".o{fill:#fff;fill-opacity:.08;stroke:#777}"
	      ".dim{fill:#a8a8a8}"
	      ".mark{fill:#ff5050}.marked{fill:#000}"
	      ".added{fill:#fff}.lost{fill:#ff5050}"
	      ".moved{fill:#f0a030}.else{fill:#88aadd}"
	      ".hatch{stroke:#bbb}\n", to);
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		put_kind_style(to, &map_kinds[i], map_kinds[i].dark);
	fputs("}\n", to);
}

/* From @top on, so many units high. */
static void put_open(FILE *to, unsigned int top, unsigned int height,
		     const char *label)
{
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 %u %d %u\" "
		"width=\"100%%\" role=\"img\" aria-label=\"%s\">\n",
		top, WIDTH, height, label);
}

static void put_hatch(FILE *to)
{
	fputs("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	      "<path class=\"hatch\" d=\"M0 0v6\"/></pattern></defs>\n", to);
}

/* Text from bottom to top; @class is an attribute or "". */
static void put_upright(FILE *to, unsigned int x, unsigned int y,
			const char *class)
{
	fprintf(to, "<text%s transform=\"translate(%u %u)rotate(-90)\">", class,
		x, y);
}

/* The names of the mappings of a cell, as far as there is room for them. */
static void put_cell_names(FILE *to, const struct map_picture *p,
			   const struct map_cell *cell)
{
	const struct map_vma *vma = &p->input->vma[cell->vma];
	unsigned int nr = 0;

	for (size_t i = 0; i < cell->nr; i++) {
		if (!*vma[i].name || (i && !strcmp(vma[i].name, vma[i - 1].name)))
			continue;
		if (nr++ == 12) {
			fputs(", \xe2\x80\xa6", to);
			return;
		}
		fputs(nr > 1 ? ", " : "\n", to);
		map_xml_label(to, vma[i].name, 60);
	}
}

/* The numbers of a cell, for those who point at it. */
static void put_title(FILE *to, const struct map_picture *p,
		      const struct map_cell *cell)
{
	const struct map_vma *v = &p->input->vma[cell->vma];
	char range[FORMAT_RANGE], perms[VMA_PERMISSIONS], what[MAP_CHANGES];
	char size[MAP_SIZE];
	const uint64_t last = v[cell->nr - 1].vma->last;

	format_range(v->vma->start, last, range);
	fputs("<title>", to);
	if (cell->nr == 1) {
		fprintf(to, "%s %s ", range, vma_permissions(v->vma, perms));
		map_xml(to, map_vma_name(v));
		fprintf(to, "%s\n%s: ", v->gone ? " (gone)" : "",
			map_size(last - v->vma->start + 1, size));
	} else {
		fprintf(to, "%zu mappings in %s\n", cell->nr, range);
	}
	map_say_count(to, p->input, &cell->count);
	if (cell->changed)
		fprintf(to, "\nchanged: %" PRIu64 " page%s: %s", cell->changed,
			plural(cell->changed), map_changes(cell->what, what));
	if (cell->nr > 1)
		put_cell_names(to, p, cell);
	fputs("</title>", to);
}

/**
 * struct tiles - columns @from to @end, as tiles that stand at @y
 * @down: They hang down from there instead.
 */
struct tiles {
	const struct map_picture *p;
	const struct map_column *columns;
	unsigned int from, end, y;
	bool down;
};

/* A number for what has a colour of its own. */
static unsigned int look_of(const struct map_tile *tile)
{
	return 2 * tile->kind + tile->sparse;
}

/* Those that look so, as one shape. */
static void put_look(FILE *to, const struct tiles *t, unsigned int look)
{
	struct map_tile tile = { .column = t->from };
	unsigned int height;

	fprintf(to, "<path class=\"%s%s\" d=\"", map_kinds[look / 2].name,
		look % 2 ? " s" : "");
	while (map_tile_next(t->columns, t->end, &tile)) {
		if (look_of(&tile) != look)
			continue;
		height = height_of(t->p, &tile);
		fprintf(to, "M%u %uh%uv%uh-%uz", x_of(tile.column),
			t->down ? t->y : t->y - height, tile.columns * COLUMN,
			height, tile.columns * COLUMN);
	}
	fputs("\"/>", to);
}

static void put_tiles(FILE *to, const struct tiles *t)
{
	struct map_tile tile = { .column = t->from };
	uint64_t looks = 0;

	while (map_tile_next(t->columns, t->end, &tile))
		looks |= 1ULL << look_of(&tile);
	/* What is empty, the frame shows. */
	for (unsigned int i = 2 * (MAP_EMPTY + 1); i < 2 * NR_MAP_KINDS; i++)
		if (looks & 1ULL << i)
			put_look(to, t, i);
}

static const char *change_class(uint32_t what)
{
	const uint32_t moved = 1U << CHANGE_MOVED | 1U << CHANGE_COPIED |
			       1U << CHANGE_SWAPPED_OUT |
			       1U << CHANGE_SWAPPED_IN |
			       1U << CHANGE_MIGRATING | 1U << CHANGE_SPLIT |
			       1U << CHANGE_COLLAPSED;

	if (what & (1U << CHANGE_UNMAPPED | 1U << CHANGE_POISONED))
		return "lost";
	if (what & 1U << CHANGE_MAPPED)
		return "added";
	return what & moved ? "moved" : "else";
}

/* What changed, in a line below. */
static void put_changes(FILE *to, const struct map_strip *s,
			const struct map_cell *cell, unsigned int y)
{
	const unsigned int end = cell->column + cell->columns;
	unsigned int at, from;
	const char *class;

	for (at = cell->column; at < end;) {
		from = at++;
		if (!s->column[from].what)
			continue;
		class = change_class(s->column[from].what);
		while (at < end && s->column[at].what &&
		       !strcmp(class, change_class(s->column[at].what)))
			at++;
		fprintf(to, "<path class=\"%s\" d=\"M%u %uh%uv6h-%uz\"/>", class,
			x_of(from), y, (at - from) * COLUMN,
			(at - from) * COLUMN);
	}
}

static void put_gap(FILE *to, const struct map_cell *cell, unsigned int y)
{
	const unsigned int x = x_of(cell->gap_column);
	const unsigned int middle = x + cell->gap_columns * COLUMN / 2;
	char size[MAP_SIZE];

	if (!cell->gap)
		return;
	map_size(cell->gap, size);
	fprintf(to, "<g><title>%s: in no mapping</title>", size);
	if (cell->gap >= MAP_WIDE_GAP) {
		fprintf(to, "<path class=\"gap\" d=\"M%u %ul-4 -8 8 -8 -4 -8\"/>",
			middle, y);
		put_upright(to, middle + 4, y - 30, " class=\"dim\"");
		fprintf(to, "%s</text>", size);
	} else {
		fprintf(to, "<path class=\"gap\" d=\"M%u %uv-8\"/>", middle, y);
	}
	fputs("</g>\n", to);
}

/* Where the mark of the first finding of a cell is. */
static unsigned int mark_x(const struct map_picture *p,
			   const struct map_strip *s,
			   const struct map_cell *cell)
{
	const struct map_finding *f = &p->input->finding[cell->finding];
	const size_t vma = map_vma_at(p->input, f->addr);
	const unsigned int first = x_of(cell->column) + MARK_RADIUS + 1;
	const unsigned int end = x_of(cell->column + cell->columns);
	unsigned int x = x_of(map_strip_column(p->input, s, vma, f->addr)) + 1;

	if (x + MARK_RADIUS > end)
		x = end - MARK_RADIUS;
	return x < first ? first : x;
}

static void put_mark(FILE *to, const struct map_picture *p,
		     const struct map_cell *cell, unsigned int x,
		     unsigned int y)
{
	const struct map_finding *f = &p->input->finding[cell->finding];

	fprintf(to, "<a href=\"#f%zu\"><g><title>", cell->finding + 1);
	for (size_t i = 0; i < cell->findings && i < 8; i++) {
		fputs(i ? "\n" : "", to);
		map_xml(to, f[i].name);
		fputs(": ", to);
		map_xml(to, f[i].text);
	}
	if (cell->findings > 8)
		fprintf(to, "\nand %zu more", cell->findings - 8);
	fprintf(to, "</title><circle class=\"mark\" cx=\"%u\" cy=\"%u\" r=\"%d\"/>"
		"<text class=\"marked\" text-anchor=\"middle\" x=\"%u\" y=\"%u\">%zu%s</text>"
		"</g></a>\n", x, y, MARK_RADIUS, x, y + 4, cell->finding + 1,
		cell->findings > 1 ? "+" : "");
}

static void put_marks(FILE *to, const struct map_picture *p,
		      const struct map_strip *s, unsigned int y)
{
	unsigned int x, end = 0;
	bool lower = false;

	for (size_t i = 0; i < s->nr_cells; i++) {
		if (!s->cell[i].findings)
			continue;
		x = mark_x(p, s, &s->cell[i]);
		/* Below the one before if there is no room beside it. */
		lower = !lower && x < end;
		put_mark(to, p, &s->cell[i], x,
			 lower ? y + 2 * MARK_RADIUS : y);
		end = x + 2 * MARK_RADIUS;
	}
}

/* @link: cells of several mappings lead to them. @whole: bands begin there. */
static void put_cell(FILE *to, const struct map_picture *p,
		     const struct map_strip *s, size_t i, unsigned int top,
		     bool link, bool whole)
{
	const struct map_cell *cell = &s->cell[i];
	const struct map_vma *v = &p->input->vma[cell->vma];
	const unsigned int x = x_of(cell->column);
	const unsigned int width = cell->columns * COLUMN;
	const bool several = cell->nr > 1;
	char number[40] = "";

	if (whole)
		snprintf(number, sizeof(number), " data-n=\"%zu\"", i);
	if (several && link)
		fprintf(to, "<a href=\"#g%zu\">", i);
	fprintf(to, "<g class=\"c%s%s\"%s>", several ? " m" : "",
		!several && v->gone ? " gone" : "", number);
	put_title(to, p, cell);
	fprintf(to, "<path class=\"o\" d=\"M%u %uh%uv68h-%uz\"/>", x,
		top + FOOT - 68, width, width);
	put_tiles(to, &(struct tiles){
		.p = p, .columns = s->column, .from = cell->column,
		.end = cell->column + cell->columns, .y = top + FOOT });
	put_upright(to, x + width / 2 + 4, top + NAMES - 4, "");
	if (!several || map_cell_has_name(p->input, cell))
		map_xml_label(to, map_vma_name(v), several ? LABEL - 5 : LABEL);
	if (several)
		fprintf(to, map_cell_has_name(p->input, cell) ?
			" \xc3\x97%zu" : "%zu mappings", cell->nr);
	fputs("</text>", to);
	put_changes(to, s, cell, top + FOOT + 2);
	fprintf(to, "</g>%s\n", several && link ? "</a>" : "");
}

static void put_strip(FILE *to, const struct map_picture *p,
		      const struct map_strip *s, unsigned int top, bool link)
{
	for (size_t i = 0; i < s->nr_cells; i++) {
		put_gap(to, &s->cell[i], top + FOOT);
		put_cell(to, p, s, i, top, link, s == &p->strip);
	}
	put_marks(to, p, s, top + MARK);
}

void map_svg_strip(FILE *to, const struct map_picture *p,
		   const struct map_strip *s)
{
	put_open(to, 0, STRIP, "some of the mappings");
	put_strip(to, p, s, 0, false);
	fputs("</svg>\n", to);
}

static void put_area_range(FILE *to, const struct map_picture *p,
			   const struct map_area *a)
{
	const unsigned int shift = p->input->kernel->page_shift;
	char range[FORMAT_RANGE];

	fputs(format_range(a->start << shift,
			   ((a->last + 1) << shift) - 1, range), to);
}

#define THIN	4
#define MANY	200	/* bands, which are paler all in all */

/* What is wide and scattered is pale, or else hides all else. */
static const char *density(const struct map_picture *p,
			   const struct map_band *b)
{
	uint64_t room = 0;

	for (unsigned int m = 0; m < b->memories; m++)
		room += p->memory.column[b->memory + m].room;
	if (b->memories <= THIN || b->pages >= room / 4)
		return "";
	return b->pages >= room / 16 ? " b2" : " b3";
}

static void put_band(FILE *to, const struct map_picture *p,
		     const struct map_band *b)
{
	const struct map_cell *cell = &p->strip.cell[b->cell];
	const struct map_vma *v = &p->input->vma[cell->vma];
	const struct map_area *a = &p->memory.area[b->area];
	const unsigned int left = x_of(b->column), below = x_of(b->memory);
	const unsigned int right = left + b->columns * COLUMN;
	const unsigned int end = below + b->memories * COLUMN;
	const unsigned int middle = (BANDS + MEMORY) / 2;

	fprintf(to, "<path class=\"b %s%s c%zu\" d=\"M%u %dC%u %u %u %u %u %dH%uC%u %u %u %u %u %dz\"><title>",
		map_kinds[b->kind].name, density(p, b), b->cell, left, BANDS,
		left, middle, below, middle, below, MEMORY, end, end, middle, right, middle, right,
		BANDS);
	if (cell->nr > 1)
		fprintf(to, "%zu mappings", cell->nr);
	else
		map_xml(to, map_vma_name(v));
	fprintf(to, "\n%" PRIu64 " page%s in ", b->pages, plural(b->pages));
	map_xml(to, a->name);
	fputs("</title></path>\n", to);
}

static unsigned int letters_of(const struct map_area *a)
{
	return a->columns * COLUMN / LETTER;
}

/* Where the names of areas end, some of which may stand upright. */
static unsigned int legend_top(const struct map_picture *p)
{
	unsigned int end = AREA_NAMES + 3 * LINE, letters;

	for (size_t i = 0; i < p->memory.nr; i++) {
		if (letters_of(&p->memory.area[i]) > LABEL)
			continue;
		letters = strlen(p->memory.area[i].name);
		if (letters > LABEL)
			letters = LABEL;
		if (end < AREA_NAMES + letters * LETTER + LINE)
			end = AREA_NAMES + letters * LETTER + LINE;
	}
	return end;
}

static void put_svg_area(FILE *to, const struct map_picture *p,
			 const struct map_area *a)
{
	const unsigned int x = x_of(a->column), width = a->columns * COLUMN;
	const unsigned int letters = letters_of(a);
	char size[MAP_SIZE];

	fputs("<g class=\"a\"><title>", to);
	map_xml(to, a->name);
	fputc(' ', to);
	put_area_range(to, p, a);
	fprintf(to, "\n%s, of which %" PRIu64 " page%s mapped here</title>",
		map_size((a->last - a->start + 1) <<
			 p->input->kernel->page_shift, size),
		a->pages, a->pages == 1 ? " is" : "s are");
	fprintf(to, "<path class=\"o\" d=\"M%u %dh%uv%dh-%uz\"/>", x, MEMORY,
		width, AREA, width);
	put_tiles(to, &(struct tiles){
		.p = p, .columns = p->memory.column, .from = a->column,
		.end = a->column + a->columns, .y = MEMORY, .down = true });
	if (letters > LABEL) {
		fprintf(to, "<text x=\"%u\" y=\"%d\">", x, AREA_NAMES);
		map_xml_label(to, a->name, letters - 1);
		fprintf(to, "</text><text class=\"dim\" x=\"%u\" y=\"%d\">", x,
			AREA_NAMES + LINE);
		if (letters > FORMAT_RANGE)
			put_area_range(to, p, a);
		else
			fprintf(to, "0x%" PRIx64, a->start <<
				p->input->kernel->page_shift);
		fputs("</text>", to);
	} else {
		fprintf(to, "<text transform=\"translate(%u %d)rotate(90)\">",
			x + width / 2 - 4, MEMORY + AREA + 6);
		map_xml_label(to, a->name, LABEL);
		fputs("</text>", to);
	}
	fputs("</g>\n", to);
}

/**
 * struct legend - where its next entry goes
 */
struct legend {
	FILE *to;
	unsigned int x, y;
};

static void put_svg_legend(struct legend *l, const char *class, unsigned int height,
			   const char *text)
{
	const unsigned int width = 24 + LETTER * (strlen(text) + 3);

	if (l->x + width > WIDTH) {
		l->x = MARGIN;
		l->y += LINE + 6;
	}
	if (height)
		fprintf(l->to, "<path class=\"%s\" d=\"M%u %uh16v%uh-16z\"/>",
			class, l->x, l->y + 2 - height, height);
	fprintf(l->to, "<text x=\"%u\" y=\"%u\">%s</text>\n",
		l->x + (height ? 22 : 0), l->y, text);
	l->x += width;
}

/* @page has a switch for what makes mappings wide. Returns where it ends. */
static unsigned int put_legends(FILE *to, const struct map_picture *p, bool page)
{
	struct legend l = { .to = to, .x = MARGIN, .y = legend_top(p) };

	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		if (p->count.pages[i] || i == MAP_EMPTY || i == MAP_UNREAD)
			put_svg_legend(&l, i == MAP_EMPTY ? "o" : map_kinds[i].name,
				       12, map_kinds[i].text);
	put_svg_legend(&l, "anon s", 12, "pale: less than half of it");
	if (p->input->compared) {
		put_svg_legend(&l, "added", 6, "mapped since");
		put_svg_legend(&l, "lost", 6, "unmapped since");
		put_svg_legend(&l, "moved", 6, "moved, copied, swapped, split...");
		put_svg_legend(&l, "else", 6, "changed otherwise");
	}
	l.x = MARGIN;
	l.y += LINE + 6;
	put_svg_legend(&l, "", 0, page ?
		       "Higher: larger pages. Wider: more. Gaps are cut short. "
		       "Below: physical memory; bands join what is mapped where." :
		       "Higher: larger pages. Wider: more, by the logarithm. Gaps are cut short. "
		       "Below: physical memory; bands join what is mapped where.");
	return l.y;
}

void map_svg_heading(FILE *to, const struct map_picture *p)
{
	const struct map_input *in = p->input;

	map_xml(to, in->of);
	fprintf(to, ": %zu mapping%s, ", in->nr_vmas, plural(in->nr_vmas));
	map_say_mapped(to, &p->count);
	fprintf(to, ", %zu finding%s", in->nr_findings, plural(in->nr_findings));
	if (in->compared && !in->nr_changes)
		fputs(", nothing changed since", to);
}

static void put_picture(FILE *to, const struct map_picture *p, bool link)
{
	put_hatch(to);
	if (!p->input->nr_vmas)
		fprintf(to, "<text x=\"%d\" y=\"%d\">There is no mapping.</text>\n",
			MARGIN, TOP + NAMES);
	fprintf(to, "<g%s>\n", p->nr_bands > MANY ? " class=\"many\"" : "");
	for (size_t i = 0; i < p->nr_bands; i++)
		put_band(to, p, &p->band[i]);
	fputs("</g>\n", to);
	put_strip(to, p, &p->strip, TOP, link);
	for (size_t i = 0; i < p->memory.nr; i++)
		put_svg_area(to, p, &p->memory.area[i]);
}

void map_svg_picture(FILE *to, const struct map_picture *p)
{
	/* The heading is the page's. */
	put_open(to, TOP, legend_top(p) + 4 * LINE - TOP, "memory map");
	put_picture(to, p, true);
	put_legends(to, p, true);
	fputs("</svg>\n", to);
}

#define FINDINGS	40	/* lines of them, and one that says how many more */

static void put_svg_findings(FILE *to, const struct map_input *in, unsigned int y)
{
	const struct map_finding *f = in->finding;
	char range[FORMAT_RANGE];

	for (size_t i = 0; i < in->nr_findings && i < FINDINGS; i++, y += LINE) {
		fprintf(to, "<g id=\"f%zu\"><title>", i + 1);
		map_xml(to, f[i].why);
		fprintf(to, "</title><text x=\"%d\" y=\"%u\">%zu ", MARGIN, y,
			i + 1);
		map_xml(to, f[i].name);
		fprintf(to, " %s: ", format_range(f[i].addr, f[i].last, range));
		map_xml_label(to, f[i].text, 140);
		fputs("</text></g>\n", to);
	}
	if (in->nr_findings > FINDINGS)
		fprintf(to, "<text x=\"%d\" y=\"%u\">and %zu more</text>\n",
			MARGIN, y, in->nr_findings - FINDINGS);
}

void map_svg(FILE *to, const struct map_picture *p)
{
	const size_t nr = p->input->nr_findings;
	const unsigned int lines = nr > FINDINGS ? FINDINGS + 1 : nr;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	put_open(to, 0, legend_top(p) + (lines + 6) * LINE, "memory map");
	fputs("<style>", to);
	map_svg_style(to);
	fprintf(to, "</style>\n<text class=\"h\" x=\"%d\" y=\"24\">", MARGIN);
	map_svg_heading(to, p);
	fputs("</text>\n", to);
	put_picture(to, p, false);
	put_svg_findings(to, p->input, put_legends(to, p, false) + 2 * LINE);
	fputs("</svg>\n", to);
}
