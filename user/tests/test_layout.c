// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include "expect/layout.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "tests.h"

#define PAGE	0x1000ULL
#define AT	TEST_ADDR
#define WB	0		/* indices of memory types, as in test_types() */
#define WC	1
#define UC	2

static struct ptwalk_kernel test_types(void)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);

	kernel.memory_types[WB] = PTWALK_MEMORY_TYPE_WB;
	kernel.memory_types[WC] = PTWALK_MEMORY_TYPE_WC;
	kernel.memory_types[UC] = PTWALK_MEMORY_TYPE_UC_MINUS;
	kernel.nr_memory_types = 3;
	return kernel;
}

static struct layout_piece parsed(const char *text)
{
	struct layout layout = { 0 };
	struct layout_piece piece;
	const char *reason = layout_add(&layout, text, PAGE);

	if (reason)
		print_message("%s: %s\n", text, reason);
	assert_null(reason);
	assert_int_equal(layout.nr, 1);
	piece = layout.piece[0];
	layout_free(&layout);
	return piece;
}

static void arguments(void **state)
{
	struct layout_piece p = parsed("79c60000:64K");

	assert_int_equal(p.start, 0x79c60000);
	assert_int_equal(p.pages, 16);
	assert_false(p.anywhere);
	assert_int_equal(p.types | p.levels | p.set | p.clear, 0);

	assert_int_equal(parsed("0x79c60000:0x10000").pages, 16);
	assert_int_equal(parsed("0x79c60000:64k").pages, 16);
	assert_int_equal(parsed("79c60000:2M").pages, 512);
	assert_int_equal(parsed("79c60000:1g").pages, 1 << 18);
	assert_int_equal(parsed("79c60000:1T").pages, 1 << 28);
	/* Digits alone have only one reading that is whole pages. */
	assert_int_equal(parsed("79c60000:10000").pages, 16);
	assert_int_equal(parsed("79c60000:65536").pages, 16);
	assert_int_equal(parsed("79c60000:1f000").pages, 31);
	/* A device with less than a page is mapped with a page. */
	assert_int_equal(parsed("fed00000:0x400").pages, 1);
	assert_int_equal(parsed("fffffffffffff000:4K").pages, 1);
	assert_int_equal(parsed("0:4K").start, 0);

	p = parsed("any:8K,wc,rw,ram,pte");
	assert_true(p.anywhere);
	assert_int_equal(p.pages, 2);
	assert_int_equal(p.types, 1 << PTWALK_MEMORY_TYPE_WC);
	assert_int_equal(p.set, PTWALK_FLAG_WRITE | PTWALK_FLAG_RAM);
	assert_int_equal(p.levels, 1 << PTWALK_LEVEL_PTE);
	p = parsed("0:4K,uc-,wb,ro,mmio,huge");
	assert_int_equal(p.types, 1 << PTWALK_MEMORY_TYPE_UC_MINUS |
				  1 << PTWALK_MEMORY_TYPE_WB);
	assert_int_equal(p.clear, PTWALK_FLAG_WRITE | PTWALK_FLAG_RAM);
	assert_int_equal(p.levels & 3, 1 << PTWALK_LEVEL_PMD);
	p = parsed("0:4K,device");
	assert_true(p.types & 1 << PTWALK_MEMORY_TYPE_DEVICE_NGNRNE);
	assert_true(p.types & 1 << PTWALK_MEMORY_TYPE_DEVICE_NGNRE);
	assert_false(p.types & 1 << PTWALK_MEMORY_TYPE_NORMAL_NC);
}

static void wrong_arguments(void **state)
{
	static const char *const wrong[] = {
		"", "79c60000", ":64K", "79c60000:", "xyz:64K", "79c60001:64K",
		"-1:4K", "79c60000:-4K", "79c60000:0", "79c60000:0K", "79c60000:K",
		"79c60000:64Q", "79c60000:64KB", "79c60000:4096000",
		"79c60000:256", "79c60000:4K,", "79c60000:4K,,wb",
		"79c60000:4K,wb,", "79c60000:4K,wbb", "79c60000:4K,ro,rw",
		"79c60000:4K,ram,mmio", "fffffffffffff000:8K", "1:2:3",
		"10000000000000000:4K", "0:99999999999999T", "anywhere:4K",
		"79c60000:0x10000000000000000", "79c60000: 4K",
	};
	struct layout layout = { 0 };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *reason = layout_add(&layout, wrong[i], PAGE);

		if (!reason)
			print_message("taken: %s\n", wrong[i]);
		assert_non_null(reason);
		assert_null(strchr(reason, '\n'));
	}
	assert_int_equal(layout.nr, 0);
	layout_free(&layout);
}

static void types_of_other_processors(void **state)
{
	struct ptwalk_kernel kernel = test_types();
	struct layout layout = { 0 };

	assert_null(layout_add(&layout, "0:4K,uncached", PAGE));
	assert_null(layout_add(&layout, "0:4K", PAGE));
	assert_null(layout_beyond(&layout, &kernel));
	assert_null(layout_add(&layout, "0:4K,normal-nc", PAGE));
	assert_ptr_equal(layout_beyond(&layout, &kernel), &layout.piece[2]);
	layout_free(&layout);
}

/* What a scenario compares: some extents of one VMA, in one range. */
struct scene {
	struct ptwalk_kernel kernel;
	struct ptwalk_extent extent[16];
	struct ptwalk_vma vma;
	struct truth truth;
	struct range range;
	struct ranges ranges;
	struct layout layout;
	struct layout_result result;
};

static struct scene scene;

static void begin(uint64_t pages, uint64_t pgoff)
{
	memset(&scene, 0, sizeof(scene));
	scene.kernel = test_types();
	scene.vma = (struct ptwalk_vma) {
		.start = AT, .last = AT + pages * PAGE - 1, .pgoff = pgoff,
	};
	scene.truth = (struct truth) {
		.extents = scene.extent, .vmas = &scene.vma, .nr_vmas = 1,
	};
	scene.range = (struct range) { AT, AT + pages * PAGE - 1 };
	scene.ranges = (struct ranges) { &scene.range, 1, 1 };
}

static void expect(const char *text)
{
	assert_null(layout_add(&scene.layout, text, PAGE));
}

static void extent(uint64_t page, uint64_t pages, uint64_t pfn,
		   unsigned int type, uint32_t flags)
{
	struct ptwalk_extent *e = &scene.extent[scene.truth.nr_extents++];

	e->addr = AT + page * PAGE;
	e->pages = pages;
	e->value = pfn;
	e->bits = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, type,
			      flags);
}

static void empty(uint64_t page, uint64_t pages)
{
	extent(page, pages, 0, 0, 0);
	scene.extent[scene.truth.nr_extents - 1].bits =
		ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0);
}

static void compare(size_t departures)
{
	assert_int_equal(layout_compare(&scene.layout, &scene.kernel,
					&scene.ranges, &scene.truth,
					&scene.result), 0);
	if (scene.result.nr != departures)
		for (size_t i = 0; i < scene.result.nr; i++)
			print_message("departure %zu: %s page %d, %d pages\n",
				      i, departure_name[scene.result.departure[i].kind],
				      (int)((scene.result.departure[i].addr - AT) / PAGE),
				      (int)scene.result.departure[i].pages);
	assert_int_equal(scene.result.nr, departures);
}

static void departs(size_t nr, enum departure_kind kind, uint64_t page,
		    uint64_t pages)
{
	const struct departure *d = &scene.result.departure[nr];

	assert_string_equal(departure_name[d->kind], departure_name[kind]);
	assert_int_equal((d->addr - AT) / PAGE, page);
	assert_int_equal(d->pages, pages);
}

static void says(size_t nr, const char *found, const char *expected)
{
	char text[256];

	departure_found(&scene.result.departure[nr], &scene.kernel, text,
			sizeof(text));
	if (!strstr(text, found))
		print_message("found: %s\n", text);
	assert_non_null(strstr(text, found));
	departure_expected(&scene.result.departure[nr], &scene.kernel, text,
			   sizeof(text));
	if (!strstr(text, expected))
		print_message("expected: %s\n", text);
	assert_non_null(strstr(text, expected));
}

static void end(void)
{
	layout_free(&scene.layout);
	layout_result_free(&scene.result);
}

static void all_right(void **state)
{
	begin(16, 0);
	expect("79c60000:64K,wb,rw,ram,pte");
	extent(0, 16, 0x79c60, WB, PTWALK_FLAG_WRITE | PTWALK_FLAG_RAM);
	compare(0);
	assert_int_equal(scene.result.pages, 16);
	end();

	/* In several extents and ranges, in several pieces, with one anywhere. */
	begin(8, 0);
	expect("1000:8K");
	expect("9000:4K");
	expect("any:8K");
	expect("6000:12K,uncached");
	extent(0, 1, 1, WB, 0);
	extent(1, 1, 2, WB, PTWALK_FLAG_DIRTY);
	extent(2, 1, 9, WC, 0);
	extent(3, 2, 0x77, WC, 0);
	extent(5, 3, 6, UC, 0);
	compare(0);
	end();

	/* Memory behind the end in which nothing is mapped. */
	begin(16, 0);
	expect("79c60000:32K");
	extent(0, 8, 0x79c60, WB, 0);
	empty(8, 8);
	compare(0);
	end();

	/* A part of an extent. */
	begin(16, 0);
	scene.range.start += 4 * PAGE;
	scene.range.last -= 4 * PAGE;
	expect("79c64000:32K");
	extent(0, 16, 0x79c60, WB, 0);
	compare(0);
	end();

	/* The end of the address space. */
	begin(1, 0);
	scene.vma.start = scene.range.start = -PAGE;
	scene.vma.last = scene.range.last = UINT64_MAX;
	expect("1000:4K");
	extent(0, 1, 1, WB, 0);
	scene.extent[0].addr = -PAGE;
	compare(0);
	end();
}

/* The number of the first frame where its address is wanted, or that shifted twice. */
static void numbers_for_addresses(void **state)
{
	begin(3, 0);
	expect("79c60000:12K");
	extent(0, 3, 0x79c60000, WB, 0);
	compare(1);
	departs(0, DEPARTS_ADDRESS, 0, 3);
	says(0, "; expected is its frame number, and not its address",
	     "physical 0x79c60000");
	end();

	begin(3, 0);
	expect("79c60000:12K");
	extent(0, 3, 0x79, WB, 0);
	compare(1);
	says(0, "pages before what is expected", "physical 0x79c60000");
	end();

	begin(3, 0);
	expect("79000000:12K");
	extent(0, 3, 0x79, WB, 0);
	compare(1);
	says(0, "; expected is its address, shifted as if it was a frame number",
	     "physical 0x79000000");
	end();
}

static void offset_ignored(void **state)
{
	begin(13, 3);
	expect("79c63000:52K");
	extent(0, 13, 0x79c60, WB, 0);
	compare(1);
	departs(0, DEPARTS_ADDRESS, 0, 13);
	says(0, "physical 0x79c60000, 3 pages before what is expected; was the offset of the mapping ignored?",
	     "physical 0x79c63000");
	end();

	begin(13, 3);
	expect("79c63000:52K");
	extent(0, 13, 0x79c66, WB, 0);
	compare(1);
	says(0, "3 pages behind what is expected; was the offset of the mapping added twice?",
	     "physical 0x79c63000");
	end();

	/* vm_pgoff << PAGE_SHIFT added to a frame number, and vm_pgoff to an address. */
	begin(4, 3);
	expect("79c63000:16K");
	extent(0, 4, 0x79c60 + 0x3000, WB, 0);
	compare(1);
	says(0, "was the offset of the mapping added in bytes to a frame number?",
	     "physical 0x79c63000");
	end();
	begin(4, 0x2000);
	expect("7bc60000:16K");
	extent(0, 4, 0x79c60 + 2, WB, 0);
	compare(1);
	says(0, "was the offset of the mapping, in pages, added to an address?",
	     "physical 0x7bc60000");
	end();

	/* Without an offset there is none to be ignored. */
	begin(4, 0);
	expect("79c63000:16K");
	extent(0, 4, 0x79c62, WB, 0);
	compare(1);
	departs(0, DEPARTS_ADDRESS, 0, 4);
	says(0, "1 page before what is expected", "0x79c63000");
	assert_int_equal(scene.result.departure[0].expected, 0x79c63000);
	end();
}

static void scattered(void **state)
{
	begin(4, 0);
	expect("79c60000:16K");
	extent(0, 1, 0x79c60, WB, 0);
	extent(1, 1, 0x79c5e, WB, 0);
	extent(2, 1, 0x79c5c, WB, 0);
	extent(3, 1, 0x79c63, WB, 0);
	compare(1);
	departs(0, DEPARTS_SCATTERED, 1, 2);
	says(0, "0x79c5e000, which does not follow", "0x79c61000");
	end();

	begin(4, 0);
	expect("any:16K");
	extent(0, 3, 0x79c60, WB, 0);
	extent(3, 1, 0x79c64, WB, 0);
	compare(1);
	departs(0, DEPARTS_SCATTERED, 3, 1);
	says(0, "0x79c64000", "physical 0x79c63000, of any:16K");
	end();

	/* Nowhere where it should be, and in two places. */
	begin(4, 0);
	expect("1000:16K");
	extent(0, 2, 0x10, WB, 0);
	extent(2, 2, 0x20, WB, 0);
	compare(1);
	departs(0, DEPARTS_SCATTERED, 0, 4);
	end();
}

static void holes(void **state)
{
	/* One page short. */
	begin(16, 0);
	expect("79c60000:64K");
	extent(0, 15, 0x79c60, WB, 0);
	empty(15, 1);
	compare(1);
	departs(0, DEPARTS_SHORT, 15, 1);
	says(0, "not present: empty", "physical 0x79c6f000");
	end();

	/* The range is one page short. */
	begin(15, 0);
	expect("79c60000:64K");
	extent(0, 15, 0x79c60, WB, 0);
	compare(1);
	departs(0, DEPARTS_SHORT, 15, 1);
	says(0, "the range ends here", "physical 0x79c6f000");
	assert_true(scene.result.departure[0].beyond);
	assert_int_equal(scene.result.pages, 16);
	end();

	begin(16, 0);
	expect("79c60000:64K");
	extent(0, 7, 0x79c60, WB, 0);
	empty(7, 2);
	extent(9, 7, 0x79c69, WB, 0);
	compare(1);
	departs(0, DEPARTS_HOLE, 7, 2);
	says(0, "not present", "physical 0x79c67000");
	end();

	/* A hole between VMAs, and nothing at all. */
	begin(3, 0);
	expect("1000:12K");
	extent(0, 1, 1, WB, 0);
	extent(2, 1, 3, WB, 0);
	compare(1);
	departs(0, DEPARTS_HOLE, 1, 1);
	says(0, "in no VMA", "physical 0x2000");
	end();
	begin(4, 0);
	expect("any:16K");
	empty(0, 4);
	compare(1);
	departs(0, DEPARTS_SHORT, 0, 4);
	says(0, "touched first", "of any:16K");
	assert_false(departure_has_expected(&scene.result.departure[0]));
	end();

	/* The last two pieces are missing, each is told. */
	begin(4, 0);
	expect("1000:4K");
	expect("8000:4K");
	expect("9000:8K");
	extent(0, 1, 1, WB, 0);
	empty(1, 3);
	compare(2);
	departs(0, DEPARTS_SHORT, 1, 1);
	departs(1, DEPARTS_SHORT, 2, 2);
	end();
}

static void past_the_end(void **state)
{
	begin(16, 0);
	expect("79c60000:32K");
	extent(0, 16, 0x79c60, WB, 0);
	compare(1);
	departs(0, DEPARTS_PAST, 8, 8);
	says(0, "physical 0x79c68000: the mapping goes on", "nothing");
	assert_int_equal(scene.result.pages, 16);
	assert_false(departure_has_expected(&scene.result.departure[0]));
	end();

	/* What goes on behind the range isn't asked for. */
	begin(8, 0);
	scene.vma.last += PAGE;
	expect("79c60000:32K");
	extent(0, 9, 0x79c60, WB, 0);
	compare(0);
	assert_int_equal(scene.result.pages, 8);
	end();
}

static void attributes(void **state)
{
	begin(4, 0);
	expect("1000:16K,wc");
	extent(0, 2, 1, WC, 0);
	extent(2, 2, 3, UC, 0);
	compare(1);
	departs(0, DEPARTS_TYPE, 2, 2);
	says(0, "memory type uc-minus", "memory type wc");
	end();

	/* A type that the module doesn't know is none that is allowed. */
	begin(1, 0);
	expect("1000:4K,cached");
	extent(0, 1, 1, 7, 0);
	compare(1);
	says(0, "index 7", "wb");
	end();

	begin(2, 0);
	expect("1000:8K,rw,mmio");
	extent(0, 1, 1, UC, PTWALK_FLAG_WRITE);
	extent(1, 1, 2, UC, PTWALK_FLAG_RAM);
	compare(1);
	departs(0, DEPARTS_FLAGS, 1, 1);
	says(0, "read-only, RAM", "writable, no RAM");
	end();

	begin(2, 0);
	expect("1000:8K,ro,huge");
	extent(0, 2, 1, WB, PTWALK_FLAG_WRITE);
	compare(2);
	departs(0, DEPARTS_FLAGS, 0, 2);
	says(0, "writable", "read-only");
	departs(1, DEPARTS_LEVEL, 0, 2);
	says(1, "level pte", "pmd or pud");
	end();
}

/* Somewhere else and of another type: two things. */
static void all_wrong(void **state)
{
	begin(3, 0);
	expect("1000:8K,wb");
	extent(0, 2, 5, WC, 0);
	extent(2, 1, 9, WB, 0);
	compare(3);
	departs(0, DEPARTS_ADDRESS, 0, 2);
	departs(1, DEPARTS_TYPE, 0, 2);
	departs(2, DEPARTS_PAST, 2, 1);
	end();
}

static void sameness(void **state)
{
	struct layout_result before;

	begin(2, 0);
	expect("1000:8K");
	extent(0, 2, 5, WB, 0);
	compare(1);
	before = scene.result;
	memset(&scene.result, 0, sizeof(scene.result));
	compare(1);
	assert_true(layout_same(&before, &scene.result));
	/* Accessed and dirty bits come and go. */
	scene.extent[0].bits |= (uint64_t)PTWALK_FLAG_DIRTY << 32;
	compare(1);
	assert_true(layout_same(&before, &scene.result));
	scene.extent[0].value++;
	compare(1);
	assert_false(layout_same(&before, &scene.result));
	layout_result_free(&before);
	end();
}

static void processors_words(void **state)
{
	struct ptwalk_kernel kernel = test_types();
	char text[MEMTYPE_TEXT];

	assert_int_equal(memtype_parse("wb", 2), 1 << PTWALK_MEMORY_TYPE_WB);
	assert_int_equal(memtype_parse("wbx", 2), 1 << PTWALK_MEMORY_TYPE_WB);
	assert_int_equal(memtype_parse("unknown", 7), 0);
	assert_int_equal(memtype_parse("", 0), 0);
	assert_int_equal(memtypes_there(&kernel), 1 << PTWALK_MEMORY_TYPE_WB |
			 1 << PTWALK_MEMORY_TYPE_WC |
			 1 << PTWALK_MEMORY_TYPE_UC_MINUS);
	assert_int_equal(memtype_caching(PTWALK_MEMORY_TYPE_NORMAL_TAGGED),
			 CACHING_FULL);
	assert_int_equal(memtype_caching(PTWALK_MEMORY_TYPE_DEVICE_GRE),
			 CACHING_NONE);
	assert_int_equal(memtype_caching(PTWALK_MEMORY_TYPE_PMA),
			 CACHING_UNKNOWN);
	assert_int_equal(memtype_caching(1000), CACHING_UNKNOWN);
	assert_string_equal(memtype_text(&kernel, ptwalk_bits(1, 0, 3, 0), text),
			    "index 3");
}

static void decoded_types(void **state)
{
	struct ptwalk_kernel kernel = test_types();
	char text[ENTRY_TEXT];

	kernel.nr_memory_types = 8;
	assert_string_equal(entry_memory_decoded(&kernel, ptwalk_bits(1, 0, WC, 0), text),
			    "wc (PAT entry 1)");
	memset(kernel.memory_types, 0, sizeof(kernel.memory_types));
	kernel.memory_types[2] = PTWALK_MEMORY_TYPE_DEVICE_NGNRE;
	assert_string_equal(entry_memory_decoded(&kernel, ptwalk_bits(1, 0, 2, 0), text),
			    "device-ngnre (MAIR index 2)");
	assert_string_equal(entry_memory_decoded(&kernel, ptwalk_bits(1, 0, 3, 0), text),
			    "index 3 (MAIR index 3)");
	kernel.nr_memory_types = 1;
	kernel.memory_types[0] = PTWALK_MEMORY_TYPE_WB;
	assert_string_equal(entry_memory_decoded(&kernel, ptwalk_bits(1, 0, 0, 0), text),
			    "wb");
}

SUITE(suite_layout,
	cmocka_unit_test(decoded_types),
	cmocka_unit_test(arguments),
	cmocka_unit_test(wrong_arguments),
	cmocka_unit_test(types_of_other_processors),
	cmocka_unit_test(all_right),
	cmocka_unit_test(numbers_for_addresses),
	cmocka_unit_test(offset_ignored),
	cmocka_unit_test(scattered),
	cmocka_unit_test(holes),
	cmocka_unit_test(past_the_end),
	cmocka_unit_test(attributes),
	cmocka_unit_test(all_wrong),
	cmocka_unit_test(sameness),
	cmocka_unit_test(processors_words),
);
