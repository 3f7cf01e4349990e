// SPDX-License-Identifier: GPL-2.0
/* Drawn blocks of entries: right ones, and those with one mistake. */
#include <stdio.h>
#include <stdlib.h>
#include "lint/lints.h"
#include "tests.h"

#define ENTRIES	128
#define DRAWS	2000

static const struct {
	const char *machine;
	unsigned int page_shift, entries[2];
} machines[] = {
	{ "aarch64", 12, { 16, 16 } },
	{ "aarch64", 14, { 128, 32 } },
	{ "aarch64", 16, { 32, 32 } },
	{ "riscv64", 12, { 16, 0 } },
};

/* The flags that are of the entry itself and not set by the processor. */
static const struct {
	uint32_t flag;
	const char *told;
} flags[] = {
	{ PTWALK_FLAG_CONT, "in being part of a block" },
	{ PTWALK_FLAG_PROT_NONE, "in being valid" },
	{ PTWALK_FLAG_WRITE, "in the right to write" },
	{ PTWALK_FLAG_USER, "in other rights" },
	{ PTWALK_FLAG_EXEC, "in other rights" },
	{ PTWALK_FLAG_GLOBAL, "in being global" },
	{ PTWALK_FLAG_SPECIAL, "in a bit of the kernel's" },
	{ PTWALK_FLAG_DEVMAP, "in a bit of the kernel's" },
	{ PTWALK_FLAG_SOFT_DIRTY, "in a bit of the kernel's" },
	{ PTWALK_FLAG_UFFD_WP, "in a bit of the kernel's" },
};

#define NR_FLAGS	(sizeof(flags) / sizeof(flags[0]))

enum { TYPE = NR_FLAGS, KEY, FRAME, HOLE, UNALIGNED, NR_MISTAKES };

/**
 * struct scene - blocks in a row
 * @kernel: With @entries in a block at @level, of @pages each.
 * @extent: The entries of three blocks; the mistakes are in the second one.
 */
struct scene {
	struct ptwalk_kernel kernel;
	struct iomem iomem;
	struct pcibars bars;
	enum ptwalk_level level;
	unsigned int entries;
	uint64_t pages;
	struct ptwalk_extent extent[3 * ENTRIES];
	struct range range;
	struct ranges ranges;
	struct lint_findings out;
	struct linter linter;
};

static struct scene scene;

static uint64_t bits_of(uint32_t entry_flags, unsigned int type)
{
	return ptwalk_bits(PTWALK_KIND_PRESENT, scene.level, type, entry_flags);
}

/* What the processor sets, and what is of the page. */
static uint32_t noise(void)
{
	return (rand() % 2 ? PTWALK_FLAG_YOUNG : 0) | (rand() % 2 ? PTWALK_FLAG_DIRTY : 0) |
	       (rand() % 2 ? PTWALK_FLAG_EXCLUSIVE : 0);
}

static void begin(void)
{
	const size_t machine = rand() % (sizeof(machines) / sizeof(machines[0]));
	const unsigned int shift = machines[machine].page_shift;
	uint64_t size, value = 0;
	uint32_t set = PTWALK_FLAG_CONT;
	unsigned int type = rand() % 4;
	const bool varied = rand() % 2, apart = rand() % 2;

	memset(&scene, 0, sizeof(scene));
	scene.kernel = test_kernel(7, 2);
	scene.kernel.page_shift = shift;
	scene.kernel.level_shift[PTWALK_LEVEL_PTE] = shift;
	scene.kernel.level_shift[PTWALK_LEVEL_PMD] = 2 * shift - 3;
	snprintf(scene.kernel.machine, sizeof(scene.kernel.machine), "%s",
		 machines[machine].machine);
	scene.level = machines[machine].entries[1] ? rand() % 2 : PTWALK_LEVEL_PTE;
	scene.entries = machines[machine].entries[scene.level];
	scene.pages = 1ULL << (scene.kernel.level_shift[scene.level] - shift);
	size = scene.entries * scene.pages << shift;
	for (size_t i = 0; i < NR_FLAGS; i++)
		set |= flags[i].flag != PTWALK_FLAG_PROT_NONE && rand() % 2 ? flags[i].flag : 0;
	for (unsigned int i = 0; i < 3 * scene.entries; i++) {
		if (i % scene.entries == 0 && (!i || apart))
			value = (1 + rand() % 1000) * scene.entries * scene.pages;
		scene.extent[i] = (struct ptwalk_extent) {
			.addr = (TEST_ADDR & ~(size - 1)) + (i * scene.pages << shift),
			.value = value + (apart ? i % scene.entries : i) * scene.pages,
			.pages = scene.pages,
			.bits = bits_of(set | (varied ? noise() : 0), type),
		};
	}
	scene.range = (struct range) { 0, UINT64_MAX };
	scene.ranges = (struct ranges) { &scene.range, 1, 1 };
	scene.linter = (struct linter) {
		.kernel = &scene.kernel,
		.iomem = &scene.iomem,
		.bars = &scene.bars,
		.ranges = &scene.ranges,
		.only = 1U << LINT_CONTIGUOUS,
		.out = &scene.out,
	};
}

static struct ptwalk_extent *second(unsigned int entry)
{
	return &scene.extent[scene.entries + entry];
}

static void flip(struct ptwalk_extent *e, uint32_t flag)
{
	e->bits ^= (uint64_t)flag << PTWALK_BITS_FLAGS_SHIFT;
}

/* Returns what is told of it. */
static const char *spoil(unsigned int mistake, unsigned int entry)
{
	struct ptwalk_extent *e = second(entry);

	switch (mistake) {
	case TYPE:
		e->bits ^= bits_of(0, 1) ^ bits_of(0, 0);
		return "in the memory type";
	case KEY:
		e->bits ^= 1ULL << PTWALK_BITS_PKEY_SHIFT;
		return "in the protection key";
	case FRAME:
		e->value += 1 + rand() % 1000;
		return "in the frame";
	case HOLE:
		e->bits = ptwalk_bits(PTWALK_KIND_NONE, scene.level, 0, 0);
		e->value = 0;
		return " entries aren't present";
	case UNALIGNED:
		for (unsigned int i = 0; i < scene.entries; i++)
			second(i)->value += scene.pages;
		return "isn't a multiple of";
	default:
		flip(e, flags[mistake].flag);
		return flags[mistake].told;
	}
}

/* As many entries as go on are one extent, or as each is. */
static unsigned int combine(struct ptwalk_extent *out)
{
	const bool each = rand() % 2;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < 3 * scene.entries; i++) {
		const struct ptwalk_extent *e = &scene.extent[i];

		if (i && !each && e->bits == out[nr - 1].bits &&
		    out[nr - 1].value + out[nr - 1].pages == e->value)
			out[nr - 1].pages += e->pages;
		else
			out[nr++] = *e;
	}
	return nr;
}

/* In pieces of a drawn number of extents, of two VMAs. */
static void look(void)
{
	const struct ptwalk_vma vma[2] = { { .flags = PTWALK_VMA_FLAG_READ } };
	struct ptwalk_extent extent[3 * ENTRIES];
	unsigned int nr = combine(extent), n;

	for (unsigned int i = 0; i < nr; i += n) {
		n = 1 + rand() % (nr - i);
		lint_extents(&scene.linter, &vma[rand() % 2], &extent[i], n);
	}
	lint_end(&scene.linter);
}

static void end(void)
{
	free(scene.out.finding);
}

static void silent(void)
{
	look();
	if (scene.out.nr)
		print_message("%s\n", scene.out.finding[0].text);
	assert_int_equal(scene.out.nr, 0);
	end();
}

static void right_blocks(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		srand(seed);
		begin();
		silent();
	}
}

/* Entries that are no block may be as they like, and so may those that are invalid. */
static void no_blocks(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		const bool invalid = seed % 2;
		unsigned int mistake;

		srand(seed);
		begin();
		for (unsigned int i = 0; i < 3 * scene.entries; i++)
			flip(&scene.extent[i], invalid ? PTWALK_FLAG_PROT_NONE : PTWALK_FLAG_CONT);
		do
			mistake = rand() % NR_MISTAKES;
		while (mistake < NR_FLAGS &&
		       flags[mistake].flag == (invalid ? PTWALK_FLAG_PROT_NONE : PTWALK_FLAG_CONT));
		spoil(mistake, rand() % scene.entries);
		silent();
	}
}

/* On other machines there are none. */
static void other_machines(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		srand(seed);
		begin();
		spoil(rand() % NR_MISTAKES, rand() % scene.entries);
		strcpy(scene.kernel.machine, "x86_64");
		silent();
	}
}

static void mistakes(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		const unsigned int mistake = seed % NR_MISTAKES;
		const struct lint_finding *f;
		unsigned int entry, first = 0;
		char text[LINT_TEXT], number[64];
		const char *told;

		srand(seed);
		begin();
		entry = rand() % scene.entries;
		told = spoil(mistake, entry);
		first += mistake == HOLE && !entry;
		look();
		assert_int_equal(scene.out.nr, 1);
		f = scene.out.finding;
		assert_int_equal(f->lint, LINT_CONTIGUOUS);
		lint_against(f, &scene.kernel, text);
		if (!strstr(text, told))
			print_message("seed %u: %s\n", seed, text);
		assert_non_null(strstr(text, told));
		assert_int_equal(f->addr, second(first)->addr);
		assert_int_equal(f->value, second(first)->value);
		assert_int_equal(f->pages, (scene.entries - first -
					    (mistake == HOLE && entry == scene.entries - 1)) *
				 scene.pages);
		/* The first entry is what the others are compared with. */
		snprintf(number, sizeof(number), "entry %u of %u ", entry ?: 1, scene.entries);
		if (mistake < HOLE)
			assert_non_null(strstr(text, number));
		end();
	}
}

/* Where one page is asked about, all of its block counts, and that page is told. */
static void in_a_range(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		uint64_t page, beside;

		srand(seed);
		begin();
		spoil(rand() % FRAME, rand() % scene.entries);
		page = second(rand() % scene.entries)->addr;
		beside = scene.extent[rand() % scene.entries].addr;
		scene.range = (struct range) { page, page };
		look();
		assert_int_equal(scene.out.nr, 1);
		assert_int_equal(scene.out.finding[0].addr, page);
		assert_int_equal(scene.out.finding[0].pages, 1);
		free(scene.out.finding);
		memset(&scene.out, 0, sizeof(scene.out));
		/* And of the blocks beside it nothing. */
		scene.range = (struct range) { beside, beside };
		silent();
	}
}

/* A block that was read in two pieces, and isn't like that in one. */
static void read_in_pieces(void **state)
{
	for (unsigned int seed = 0; seed < DRAWS; seed++) {
		struct truth truth = { 0 };
		const unsigned int mistake = seed % UNALIGNED;
		struct ptwalk_extent right, wrong;
		struct lint_finding *f;
		struct range block;
		unsigned int entry;

		srand(seed);
		begin();
		truth.nr_extents = scene.entries;
		entry = rand() % scene.entries;
		right = *second(entry);
		spoil(mistake, entry);
		wrong = *second(entry);
		look();
		assert_int_equal(scene.out.nr, 1);
		f = scene.out.finding;
		block = lint_block(f, &scene.kernel);
		assert_int_equal(block.start, second(0)->addr);
		assert_int_equal(block.last + 1, scene.extent[2 * scene.entries].addr);
		truth.extents = second(0);
		assert_true(lint_block_holds(f, &truth, &scene.kernel));
		*second(entry) = right;
		assert_false(lint_block_holds(f, &truth, &scene.kernel));
		/* The same mistake, of another entry. */
		if (mistake != HOLE && entry > 1) {
			*second(entry) = wrong;
			second(entry - 1)->bits = bits_of(0, 0);
			assert_false(lint_block_holds(f, &truth, &scene.kernel));
		}
		end();
	}
}

SUITE(suite_contiguous,
	cmocka_unit_test(right_blocks),
	cmocka_unit_test(no_blocks),
	cmocka_unit_test(other_machines),
	cmocka_unit_test(mistakes),
	cmocka_unit_test(in_a_range),
	cmocka_unit_test(read_in_pieces),
);
