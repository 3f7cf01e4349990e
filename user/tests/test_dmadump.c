// SPDX-License-Identifier: GPL-2.0
/* The kernel's list of DMA mappings, and what it is compared with. */
#include <stdio.h>
#include <stdlib.h>
#include "dma/dmadump.h"
#include "tests.h"

#define DEVICE	"0000:00:12.0"

static void parse(const char *text, struct dmadump *dump)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");

	*dump = (struct dmadump){ 0 };
	assert_non_null(stream);
	assert_int_equal(dmadump_parse(stream, DEVICE, 4096, dump), 0);
	fclose(stream);
}

static void mapping_is(const struct dma_mapping *m, uint64_t bus, uint64_t bytes,
		       uint64_t phys, uint64_t known)
{
	assert_true(m->bus == bus);
	assert_true(m->bytes == bytes);
	assert_true(m->phys == phys);
	assert_true(m->known == known);
}

/* As dump_show() in kernel/dma/debug.c of Linux 6.1, 6.12 and 7.3 prints it. */
static void versions(void **state)
{
	static const char *const text[] = {
		"0000:00:03.0 e1000e single idx 1 P=1000 N=1 D=ffff1000 L=1000 DMA_TO_DEVICE dma map error checked\n"
		DEVICE " ptwalk_fixture coherent idx 16 P=3c40800 N=3c40 D=fffe0000 L=10000 DMA_BIDIRECTIONAL dma map error check not applicable\n"
		DEVICE " ptwalk_fixture single idx 17 P=112233000 N=112233 D=fffd0000 L=3000 DMA_BIDIRECTIONAL dma map error checked\n"
		DEVICE " ptwalk_fixture scatter-gather idx 18 P=4000 N=4 D=fffc0000 L=2000 DMA_TO_DEVICE dma map error checked\n",
		"e1000e 0000:00:03.0 single idx 1 P=0x0000000000001000 D=ffff1000 L=1000 cln=0x0000000000000040 DMA_TO_DEVICE dma map error checked\n"
		"ptwalk_fixture " DEVICE " coherent idx 16 P=0x0000000003c40800 D=fffe0000 L=10000 cln=0x00000000000f1020 DMA_BIDIRECTIONAL dma map error check not applicable\n"
		"ptwalk_fixture " DEVICE " single idx 17 P=0x0000000112233000 D=fffd0000 L=3000 cln=0x000000000448acc0 DMA_BIDIRECTIONAL dma map error checked\n"
		"ptwalk_fixture " DEVICE " scatter-gather idx 18 P=0x0000000000004000 D=fffc0000 L=2000 cln=0x0000000000000100 DMA_TO_DEVICE dma map error checked\n",
		"ptwalk_fixture " DEVICE " coherent idx 16 P=0x0000000003c40800 D=fffe0000 L=10000 cln=0x00000000000f1020 DMA_BIDIRECTIONAL dma map error check not applicable attrs=0x0\n"
		"a driver " DEVICE " phy idx 17 P=0x0000000112233000 D=fffd0000 L=3000 cln=0x000000000448acc0 DMA_BIDIRECTIONAL dma map error checked attrs=0x20\n"
		"ptwalk_fixture " DEVICE " scatter-gather idx 18 P=0x0000000000004000 D=fffc0000 L=2000 cln=0x0000000000000100 DMA_TO_DEVICE dma map error checked attrs=0x0\n",
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct dmadump dump;

		parse(text[i], &dump);
		assert_int_equal(dump.nr, 3);
		/* Of what may be scattered, the page that P lies in. */
		mapping_is(&dump.mapping[0], 0xfffe0000, 0x10000, 0x3c40800, 0x800);
		mapping_is(&dump.mapping[1], 0xfffd0000, 0x3000, 0x112233000, 0x3000);
		mapping_is(&dump.mapping[2], 0xfffc0000, 0x2000, 0x4000, 0);
		assert_true(dmadump_has(&dump, &dump.mapping[1]));
		dump.mapping[0] = dump.mapping[1];
		dump.mapping[0].bus += 0x1000;
		dump.nr = 1;
		assert_false(dmadump_has(&dump, &dump.mapping[1]));
		dmadump_free(&dump);
	}
}

static void nonsense(void **state)
{
	static const char *const text[] = {
		"", "\n", " idx \n", DEVICE "\n", DEVICE " idx 1 P=1 D=1 L=1\n",
		"x" DEVICE " single idx 1 P=0x1 D=1 L=1\n",
		"d " DEVICE "1 single idx 1 P=0x1 D=1 L=1\n",
		"d " DEVICE " single idx 1 P=0x1 D=1 L=0\n",
		"d " DEVICE " single idx 1 P=0x1 D=1\n",
		"d " DEVICE " single idx 1 P=zz D=1 L=1\n",
		"d " DEVICE " single idx 1 P=0x1 D=ffffffffffffffff L=2\n",
		"d " DEVICE " single idx 1 P=0x1 D=1ffffffffffffffff L=2\n",
		"d " DEVICE " single idx 1 P=0xffffffffffffffff D=1 L=2\n",
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct dmadump dump = { 0 };

		if (*text[i])
			parse(text[i], &dump);
		if (dump.nr)
			fail_msg("case %zu is taken for a mapping", i);
		dmadump_free(&dump);
	}
}

static void compared(void **state)
{
	const struct dma_mapping good = { 0x10000, 0x3000, 0x80000, 0x3000 };
	const struct dma_mapping part = { 0x10000, 0x2800, 0x80000, 0x2800 };
	const struct dma_mapping list = { 0x10000, 0x3000, 0x80000, 0 };
	const struct dma_mapping first = { 0x10000, 0x3000, 0x80000, 0x1000 };
	struct ptwalk_stretch s[] = {
		{ 0x10000, 0x1000, 0x80000 }, { 0x11000, 0x2000, 0x81000 },
	};
	struct busmap map = { .stretch = s, .nr = 2 };
	struct dma_finding f;

	assert_int_equal(dmadump_pages(&good, 4096), 3);
	assert_int_equal(dmadump_pages(&part, 4096), 0);
	assert_int_equal(dmadump_pages(&list, 4096), 0);
	assert_int_equal(dmadump_pages(&first, 4096), 1);
	assert_false(dmadump_differs(&good, 4096, &map, &f));
	s[1].phys += 0x1000;
	assert_true(dmadump_differs(&good, 4096, &map, &f));
	assert_true(f.bus == 0x11000 && f.phys == 0x81000);
	assert_true(f.is_mapped && f.seen == 0x82000);
	assert_false(dmadump_differs(&first, 4096, &map, &f));
	assert_false(dmadump_differs(&part, 4096, &map, &f));
	s[1].phys -= 0x1000;
	s[1].bytes = 0x1000;
	assert_true(dmadump_differs(&good, 4096, &map, &f));
	assert_true(f.bus == 0x12000 && !f.is_mapped);
	map.nr = 0;
	assert_true(dmadump_differs(&first, 4096, &map, &f));
	assert_true(f.bus == 0x10000 && !f.is_mapped);
}

/* What is known of the physical address, to the last byte. */
static void leads_by_list(void **state)
{
	struct dma_mapping mappings[] = {
		{ 0x10000, 0x2000, 0x80000, 0x1000 }, { 0x20000, 0x2000, 0x90000, 0x2000 },
	};
	const struct dmadump dump = { .mapping = mappings, .nr = 2 };

	assert_true(dmadump_leads(&dump, 0x10fff, 0x80fff));
	assert_false(dmadump_leads(&dump, 0x11000, 0x81000));
	assert_false(dmadump_leads(&dump, 0x10000, 0x81000));
	assert_false(dmadump_leads(&dump, 0xffff, 0x7ffff));
	assert_true(dmadump_leads(&dump, 0x21000, 0x91000));
	assert_false(dmadump_leads(&dump, 0x22000, 0x92000));
}

SUITE(suite_dmadump, cmocka_unit_test(leads_by_list),
      cmocka_unit_test(versions), cmocka_unit_test(nonsense),
      cmocka_unit_test(compared));
