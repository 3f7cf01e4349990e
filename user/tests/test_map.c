// SPDX-License-Identifier: GPL-2.0
/* What of an address space is drawn where. */
#include <stdio.h>
#include <stdlib.h>
#include "map/html.h"
#include "map/picture.h"
#include "map/svg.h"
#include "map/terminal.h"
#include "tests.h"

#define BASE	0x400000ULL
#define MANY	5000

/* A process, its memory, and the picture of both. */
struct world {
	struct ptwalk_kernel kernel;
	struct ptwalk_vma *vmas;
	struct map_vma *vma;
	struct ptwalk_extent *extents;
	struct truth truth;
	struct zones zones;
	struct places places;
	struct map_input input;
	struct map_picture picture;
};

static struct world *world(size_t nr)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->kernel = test_kernel(6, 12);
	w->vmas = calloc(nr + 1, sizeof(*w->vmas));
	w->vma = calloc(nr + 1, sizeof(*w->vma));
	w->extents = calloc(4 * nr + 1, sizeof(*w->extents));
	assert_true(w->vmas && w->vma && w->extents);
	w->truth.vmas = w->vmas;
	w->truth.extents = w->extents;
	w->input = (struct map_input){
		.kernel = &w->kernel, .truth = &w->truth, .vma = w->vma,
		.zones = &w->zones, .places = &w->places, .of = "a <test>",
	};
	return w;
}

static void end(struct world *w)
{
	map_picture_free(&w->picture);
	free(w->vmas);
	free(w->vma);
	free(w->extents);
	free(w);
}

static void add_vma(struct world *w, uint64_t start, uint64_t pages,
		    const char *name)
{
	struct ptwalk_vma *vma = &w->vmas[w->truth.nr_vmas++];

	vma->start = start;
	vma->last = start + (pages << 12) - 1;
	vma->page_shift = 12;
	vma->flags = PTWALK_VMA_FLAG_READ;
	w->vma[w->input.nr_vmas++] = (struct map_vma){ vma, name, false };
}

static void add_extent(struct world *w, uint64_t addr, uint64_t pages,
		       uint64_t frame, uint32_t level, uint32_t flags)
{
	w->extents[w->truth.nr_extents++] = (struct ptwalk_extent){
		addr, frame, pages,
		ptwalk_bits(flags ? PTWALK_KIND_PRESENT : PTWALK_KIND_NONE,
			    level, 0, flags),
	};
}

#define ANON	(PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_RAM)
#define FILED	(PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM)
#define DEVICE	PTWALK_FLAG_SPECIAL

static void make(struct world *w)
{
	assert_int_equal(map_picture_make(&w->input, &w->picture), 0);
}

/* In what is written, by any of the writers. */
static char *written(struct world *w, void (*write)(FILE *to,
						    const struct map_picture *p))
{
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	write(to, &w->picture);
	fclose(to);
	return text;
}

static void in_html(FILE *to, const struct map_picture *p)
{
	assert_int_equal(map_html(to, p), 0);
}

static void on_terminal(FILE *to, const struct map_picture *p)
{
	map_terminal(to, p, 60, false);
}

static void in_colours(FILE *to, const struct map_picture *p)
{
	map_terminal(to, p, 60, true);
}

static void kinds(void **state)
{
	static const struct {
		uint32_t kind, flags;
		enum map_kind expected;
	} cases[] = {
		{ PTWALK_KIND_NONE, 0, MAP_EMPTY },
		{ PTWALK_KIND_PRESENT, ANON, MAP_ANON },
		{ PTWALK_KIND_PRESENT, FILED, MAP_FILE },
		{ PTWALK_KIND_PRESENT, ANON | PTWALK_FLAG_KSM, MAP_KSM },
		{ PTWALK_KIND_PRESENT, ANON | PTWALK_FLAG_HUGETLB, MAP_HUGETLB },
		{ PTWALK_KIND_PRESENT, PTWALK_FLAG_ZERO, MAP_ZERO },
		{ PTWALK_KIND_PRESENT, DEVICE, MAP_SPECIAL },
		{ PTWALK_KIND_SWAP, 0, MAP_SWAP },
		{ PTWALK_KIND_MIGRATION, 0, MAP_AWAY },
		{ PTWALK_KIND_DEVICE_PRIVATE, 0, MAP_AWAY },
		{ PTWALK_KIND_DEVICE_EXCLUSIVE, 0, MAP_AWAY },
		{ PTWALK_KIND_HWPOISON, 0, MAP_POISON },
		{ PTWALK_KIND_MARKER, 0, MAP_MARKER },
		{ PTWALK_KIND_BAD, 0, MAP_UNREAD },
		{ PTWALK_KIND_UNKNOWN, 0, MAP_UNREAD },
		{ 77, 0, MAP_UNREAD },
	};
	struct ptwalk_vma vma = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(map_kind_of(&vma, ptwalk_bits(cases[i].kind, 0,
							       0, cases[i].flags)),
				 cases[i].expected);
	vma.flags = PTWALK_VMA_FLAG_SHMEM;
	assert_int_equal(map_kind_of(&vma, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
						       FILED)), MAP_SHMEM);
	/* What vm_insert_page() has mapped; of a private mapping's copies, each is one. */
	vma.flags = PTWALK_VMA_FLAG_MIXEDMAP;
	assert_int_equal(map_kind_of(&vma, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
						       FILED)), MAP_SPECIAL);
	assert_int_equal(map_kind_of(&vma, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
						       ANON)), MAP_ANON);
}

/* Each page is counted once, and what is missing is unread. */
static void counts(void **state)
{
	struct world *w = world(1);
	struct map_count *c = &w->picture.count;

	add_vma(w, BASE, 1024, "");
	add_extent(w, BASE + 0x1000, 3, 100, PTWALK_LEVEL_PTE, ANON);
	add_extent(w, BASE + 0x200000, 512, 0x200, PTWALK_LEVEL_PMD, ANON);
	make(w);
	assert_int_equal(c->pages[MAP_ANON], 515);
	assert_int_equal(c->pages[MAP_UNREAD], 509);
	assert_int_equal(c->leaf[12], 3);
	assert_int_equal(c->leaf[21], 512);
	end(w);
}

static void shares(void **state)
{
	const unsigned int weight[] = { 1, 3, 0 }, skip[] = { 0, 2, 1 };
	unsigned int column[3], width[3];

	map_share_out(3, weight, skip, 5, 58, column, width);
	assert_int_equal(column[0], 0);
	assert_int_equal(width[0], 15);
	assert_int_equal(column[1], 17);
	assert_int_equal(width[1], 35);
	assert_int_equal(column[2], 53);
	assert_int_equal(width[2], 5);
	map_share_out(0, weight, skip, 5, 58, column, width);
}

/* What is narrower than a column is seen all the same. */
static void tiles(void **state)
{
	struct map_column columns[4] = { 0 };
	const struct map_place place = { .to = 4 * MAP_STEPS, .pages = 1ULL << 40 };
	struct map_tile tile = { 0 };

	map_columns_add(columns, &place, 0, 1ULL << 40, MAP_EMPTY, 12, true);
	map_columns_add(columns, &place, (1ULL << 40) - 1, 1, MAP_FILE, 12, false);
	map_columns_add(columns, &place, 5, 1, MAP_ANON, 12, false);
	assert_true(map_tile_next(columns, 4, &tile));
	assert_int_equal(tile.kind, MAP_ANON);
	assert_int_equal(tile.columns, 1);
	assert_true(tile.sparse);
	assert_true(map_tile_next(columns, 4, &tile));
	assert_int_equal(tile.kind, MAP_EMPTY);
	assert_int_equal(tile.columns, 2);
	assert_true(map_tile_next(columns, 4, &tile));
	assert_int_equal(tile.kind, MAP_FILE);
	assert_false(map_tile_next(columns, 4, &tile));
	/* Poison before anything. */
	map_columns_add(columns, &place, 0, 1, MAP_POISON, 12, false);
	tile = (struct map_tile){ 0 };
	assert_true(map_tile_next(columns, 4, &tile));
	assert_int_equal(tile.kind, MAP_POISON);
}

/* Cells don't overlap, are in order, and have each mapping once. */
static void check_strip(const struct map_strip *s, size_t nr)
{
	unsigned int column = 0;
	size_t vma = s->vma;

	assert_true(s->nr_cells <= MAP_CELLS);
	for (size_t i = 0; i < s->nr_cells; i++) {
		const struct map_cell *cell = &s->cell[i];

		assert_int_equal(cell->vma, vma);
		assert_int_equal(cell->gap_column, column);
		assert_true(cell->column >= column + cell->gap_columns);
		assert_true(cell->columns >= 6);
		for (size_t j = 0; j < cell->nr; j++) {
			const struct map_place *p = &s->place[vma + j - s->vma];

			assert_true(p->from < p->to);
			assert_true(p->from >= cell->column << MAP_STEP_SHIFT);
			assert_true(p->to <= (cell->column + cell->columns) <<
					     MAP_STEP_SHIFT);
		}
		vma += cell->nr;
		column = cell->column + cell->columns;
	}
	assert_int_equal(vma, s->vma + nr);
	assert_true(column <= MAP_COLUMNS);
}

/* Up to the most that there can be, near each other and far apart. */
static void strips(void **state)
{
	const size_t numbers[] = { 0, 1, 2, 95, 96, 97, 500, MANY, 65530 };
	const uint64_t gaps[] = { 0, 0x1000, 1ULL << 31 };
	struct world *w;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (size_t g = 0; g < 3; g++) {
			w = world(numbers[i]);
			for (size_t j = 0; j < numbers[i]; j++)
				add_vma(w, BASE + j * (0x1000 + gaps[g]), 1, "");
			assert_int_equal(map_strip_make(&w->input, 0, numbers[i],
							&w->picture.strip), 0);
			check_strip(&w->picture.strip, numbers[i]);
			if (numbers[i] && numbers[i] <= 96 && g < 2)
				assert_int_equal(w->picture.strip.nr_cells,
						 numbers[i]);
			end(w);
		}
}

/* A driver's mapping and one with much memory aren't merged with others. */
static void alone(void **state)
{
	struct world *w = world(MANY);
	const struct map_strip *s = &w->picture.strip;
	unsigned int single = 0;

	for (uint64_t i = 0; i < MANY; i++)
		add_vma(w, BASE + i * 0x1000000, i == 77 ? 512 : 1, "");
	w->vmas[1234].flags |= PTWALK_VMA_FLAG_PFNMAP;
	add_extent(w, w->vmas[77].start, 512, 0x10000, PTWALK_LEVEL_PTE, ANON);
	add_extent(w, w->vmas[200].start, 1, 0x20000, PTWALK_LEVEL_PTE, ANON);
	make(w);
	check_strip(s, MANY);
	for (size_t i = 0; i < s->nr_cells; i++)
		if (s->cell[i].nr == 1 &&
		    (s->cell[i].vma == 77 || s->cell[i].vma == 1234))
			single++;
	assert_int_equal(single, 2);
	end(w);
}

/* Zones, a BAR, a resource in a zone's hole, and what nobody knows. */
static void areas(void **state)
{
	static struct zone zones[] = {
		{ 0x1, 0xfff, 0, "DMA" }, { 0x1000, 0xfffff, 0, "DMA32" },
		{ 0x100000, 0x1fffff, 1, "Normal" },
	};
	static struct iomem_resource resource = {
		0xa0000, 0xbffff, 0, "Video <RAM>",
	};
	static struct pcibar bar = { 0x200000000, 0x200003fff, "0000:00:02.0", 2 };
	struct world *w = world(1);
	const struct map_memory *m = &w->picture.memory;
	const char *const names[] = {
		"node 0 DMA", "Video <RAM>", "node 0 DMA", "node 0 DMA32",
		"node 1 Normal", "0000:00:02.0 BAR 2", "no RAM",
	};
	const uint64_t pages[] = { 0, 1, 0, 1, 1, 2, 1 };

	w->zones = (struct zones){ zones, 3, 3 };
	w->places.iomem = (struct iomem){ &resource, 1, 1, NULL };
	w->places.bars = (struct pcibars){ &bar, 1, 1 };
	add_vma(w, BASE, 8, "");
	add_extent(w, BASE, 1, 0xa8, PTWALK_LEVEL_PTE, DEVICE);
	add_extent(w, BASE + 0x1000, 2, 0xfffff, PTWALK_LEVEL_PTE, ANON);
	add_extent(w, BASE + 0x3000, 2, 0x200001, PTWALK_LEVEL_PTE, DEVICE);
	add_extent(w, BASE + 0x5000, 1, 0x900000, PTWALK_LEVEL_PTE, DEVICE);
	make(w);
	assert_int_equal(m->nr, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_string_equal(m->area[i].name, names[i]);
		assert_int_equal(m->area[i].pages, pages[i]);
		assert_true(m->area[i].columns >= 10);
		if (i)
			assert_true(m->area[i - 1].last < m->area[i].start);
	}
	/* One for each area that has pages. */
	assert_int_equal(w->picture.nr_bands, 5);
	assert_int_equal(w->picture.band[4].area, 6);
	assert_int_equal(w->picture.band[4].kind, MAP_SPECIAL);
	end(w);
}

/* However scattered, there are few areas and few bands. */
static void scattered(void **state)
{
	struct world *w = world(MANY);
	uint64_t frame = 1;

	add_vma(w, BASE, 4 * MANY, "");
	for (size_t i = 0; i < 4 * MANY; i++) {
		frame = frame * 6364136223846793005ULL + 1442695040888963407ULL;
		add_extent(w, BASE + (i << 12), 1, frame >> 28, PTWALK_LEVEL_PTE,
			   i % 2 ? ANON : DEVICE);
	}
	make(w);
	assert_true(w->picture.memory.nr <= MAP_AREAS);
	assert_true(w->picture.nr_bands <= 2 * MAP_AREAS);
	assert_int_equal(w->picture.count.pages[MAP_ANON], 2 * MANY);
	end(w);
}

static void empty(void **state)
{
	struct world *w = world(0);
	char *text;

	make(w);
	text = written(w, map_svg);
	assert_non_null(strstr(text, "a &lt;test&gt;: 0 mappings, 0 pages mapped, 0 findings"));
	assert_non_null(strstr(text, "There is no mapping."));
	free(text);
	text = written(w, in_html);
	assert_non_null(strstr(text, "There is no mapping."));
	free(text);
	text = written(w, on_terminal);
	assert_string_equal(text, "a <test>: 0 mappings, 0 pages mapped\n");
	free(text);
	end(w);
}

/* What others have named is text, and no markup or control character. */
static void odd_names(void **state)
{
	static const char name[] =
		"/x/<b a='\"'>&amp;\001\033\n\xff\xc3\xa9\xef\xbf\xbf]]>";
	struct map_finding finding = {
		BASE, BASE + 0xfff, "odd", (char *)name, name,
	};
	struct world *w = world(1);
	char *text;

	add_vma(w, BASE, 1, name);
	w->input.finding = &finding;
	w->input.nr_findings = 1;
	make(w);
	for (int i = 0; i < 3; i++) {
		text = written(w, i == 2 ? on_terminal : i ? in_html : map_svg);
		for (const char *s = text; *s; s++)
			assert_true((unsigned char)*s >= ' ' || *s == '\n' ||
				    *s == '\t');
		assert_null(strchr(text, '\xff'));
		assert_null(strstr(text, i == 2 ? "\xff" : "<b a"));
		assert_null(strstr(text, i == 2 ? "\xff" : "]]>"));
		assert_non_null(strstr(text, i == 2 ? "&amp;\\001\\033\\012\\377\xc3\xa9" :
				       "&amp;amp;\\001\\033\\012\\377\xc3\xa9\\357\\277\\277]]&gt;"));
		free(text);
	}
	end(w);
}

/* What is swapped out isn't mapped, though there are more mapped pages around it. */
static void swapped(void **state)
{
	void (*const writers[])(FILE *to, const struct map_picture *p) = {
		on_terminal, map_svg, in_html,
	};
	struct world *w = world(1);

	add_vma(w, BASE, 64, "");
	add_extent(w, BASE, 40, 0x200, PTWALK_LEVEL_PTE, ANON);
	w->extents[w->truth.nr_extents++] = (struct ptwalk_extent){
		.addr = BASE + 40 * 4096, .pages = 24,
		.bits = ptwalk_bits(PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 0, 0),
	};
	make(w);
	assert_int_equal(map_count_mapped(&w->picture.count), 40);
	assert_int_equal(map_count_there(&w->picture.count), 64);
	for (int i = 0; i < 3; i++) {
		char *text = written(w, writers[i]);

		assert_non_null(strstr(text, ": 1 mapping, 40 pages mapped, 24 in swap"));
		free(text);
	}
	end(w);
}

static void terminal(void **state)
{
	struct world *w = world(2);
	char *text;

	add_vma(w, BASE, 1024, "/bin/a-name-that-is-too-long");
	w->vmas[0].flags |= PTWALK_VMA_FLAG_ANONYMOUS;
	add_extent(w, BASE, 512, 0x200, PTWALK_LEVEL_PMD, ANON);
	add_extent(w, BASE + 0x200000, 256, 0x9000, PTWALK_LEVEL_PTE, FILED);
	add_extent(w, BASE + 0x300000, 256, 0, PTWALK_LEVEL_PTE, 0);
	add_vma(w, 1ULL << 46, 1, "");
	make(w);
	text = written(w, on_terminal);
	assert_string_equal(text,
"a <test>: 2 mappings, 768 pages mapped\n"
"0x400000       r--p    4M AAAAAAAAAAfffff....   a-name-that…\n"
"0x400000000000 r--p    4K ???????????????????   anonymous\n"
"physical memory, as far as it is mapped here:\n"
"0x200000             143M A.................f   RAM\n"
". nothing mapped, a anonymous, f file, ? could not be read, capitals: huge leaves\n");
	free(text);
	text = written(w, in_colours);
	assert_non_null(strstr(text, "\033[34mAAA"));
	free(text);
	end(w);
}

/* The size is bounded, and a strip shows each mapping. */
static void many(void **state)
{
	struct world *w = world(MANY);
	size_t cells = 0;
	char *text;

	for (uint64_t i = 0; i < MANY; i++) {
		add_vma(w, BASE + i * 0x200000 + (i / 1000 << 40), 100 + i % 7,
			"/usr/lib/x86_64-linux-gnu/libsomething-long.so.1.2.3");
		for (size_t j = 0; j < 4; j++)
			add_extent(w, w->vmas[i].start + (j << 14), j + 1,
				   i * 1000 + j * 77, PTWALK_LEVEL_PTE,
				   j % 2 ? ANON : FILED);
	}
	make(w);
	check_strip(&w->picture.strip, MANY);
	text = written(w, in_html);
	assert_true(strlen(text) < 5 << 20);
	for (const char *s = text; (s = strstr(s, "<g class=\"c\">")); s++)
		cells++;
	assert_int_equal(cells, MANY);
	free(text);
	end(w);
}

SUITE(suite_map,
	cmocka_unit_test(kinds),
	cmocka_unit_test(counts),
	cmocka_unit_test(shares),
	cmocka_unit_test(tiles),
	cmocka_unit_test(strips),
	cmocka_unit_test(alone),
	cmocka_unit_test(areas),
	cmocka_unit_test(scattered),
	cmocka_unit_test(empty),
	cmocka_unit_test(odd_names),
	cmocka_unit_test(swapped),
	cmocka_unit_test(terminal),
	cmocka_unit_test(many));
