// SPDX-License-Identifier: GPL-2.0
#include "cmd/terms.h"
#include "module/names.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_entry.h"
#include "proc/smaps.h"
#include "proc/status.h"
#include "tests.h"
#include "watch/changes.h"

static void known(void **state)
{
	char buf[NAME_SIZE];

	assert_string_equal(name_of(&names_kind, PTWALK_KIND_NO_VMA, buf),
			    "no-vma");
	assert_string_equal(name_of(&names_level, PTWALK_LEVEL_PGD, buf),
			    "pgd");
	assert_string_equal(name_bit(&names_flag,
				     __builtin_ctzll(PTWALK_FLAG_RAM), buf),
			    "ram");
	assert_string_equal(name_bit(&names_vma_flag,
				     __builtin_ctzll(PTWALK_VMA_FLAG_SHMEM),
				     buf), "shmem");
}

static void unknown(void **state)
{
	char buf[NAME_SIZE];

	assert_string_equal(name_of(&names_kind, 99, buf), "value_99");
	assert_string_equal(name_bit(&names_flag, 31, buf), "bit_31");
	assert_string_equal(name_bit(&names_vma_flag, 63, buf), "bit_63");
}

static void masks(void **state)
{
	char buf[64], tiny[8];

	names_mask(&names_flag, PTWALK_FLAG_WRITE | 1U << 31, "|", buf,
		   sizeof(buf));
	assert_string_equal(buf, "write|bit_31");
	names_mask(&names_flag, 0, "|", buf, sizeof(buf));
	assert_string_equal(buf, "-");
	assert_int_equal(names_mask(&names_flag, PTWALK_FLAG_WRITE |
				    PTWALK_FLAG_USER, " ", tiny, sizeof(tiny)),
			 strlen("write user"));
	assert_string_equal(tiny, "write u");
}

#define FIELDS	"Fields of smaps and status"

static bool is_explained(const char *name, const char *list)
{
	for (unsigned int i = 0; i < nr_terms; i++)
		if (!strcmp(terms[i].name, name) && !strcmp(terms[i].list, list))
			return strlen(terms[i].what) > 10;
	return false;
}

/* Each name has its words in ptwalk-flags(7), and no words lack their name. */
static void explained(void **state)
{
	static const struct {
		const struct names *names;
		const char *list;
	} tables[] = {
		{ &names_kind, "Kinds of entries" },
		{ &names_flag, "Flags of entries" },
		{ &names_page_flag, "Flags of pages" },
		{ &names_marker, "Markers" },
		{ &names_vma_flag, "Flags of VMAs" },
		{ &names_memory_type, "Memory types" },
		{ &names_domain, "Domains of an IOMMU" },
		{ &names_pagemap, "Bits of pagemap" },
		{ &names_kpageflags, "Flags of frames" },
		{ &names_change, "Changes of pages" },
	};
	unsigned int nr = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (unsigned int j = 0; j < tables[i].names->nr; j++) {
			if (!tables[i].names->name[j])
				continue;
			nr++;
			assert_true(is_explained(tables[i].names->name[j],
						 tables[i].list));
		}
	for (unsigned int i = 0; i < nr_terms; i++) {
		if (strcmp(terms[i].list, "Categories of PAGEMAP_SCAN"))
			continue;
		nr++;
		assert_int_equal(strncmp(terms[i].kernel, "PAGE_IS_", 8), 0);
	}
	for (int i = 0; i < NR_VERDICTS; i++, nr++)
		assert_true(is_explained(verdict_name[i], "Verdicts"));
	for (int i = 0; i < NR_SMAPS_FIELDS; i++, nr++)
		assert_true(is_explained(smaps_field[i].name, FIELDS));
	for (int i = 0; i < NR_STATUS_FIELDS; i++, nr++)
		assert_true(is_explained(status_field[i].name, FIELDS));
	/* What isn't compared, or not as a field. */
	for (size_t i = 0; i < 2; i++, nr++)
		assert_true(is_explained(i ? "VmPin" : "VmFlags", FIELDS));
	for (unsigned int i = 0; i < nr_terms; i++)
		nr += !strcmp(terms[i].list, "Attributes of --expect") ||
		      !strcmp(terms[i].list, "Extents of dump in one line");
	assert_int_equal(nr, nr_terms);
}

SUITE(suite_names, cmocka_unit_test(known), cmocka_unit_test(unknown),
      cmocka_unit_test(masks), cmocka_unit_test(explained));
