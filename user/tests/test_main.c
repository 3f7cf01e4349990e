// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/stat.h>
#include "tests.h"

const struct source test_pagemap = {
	.name = "pagemap",
	.expect = expect_pagemap,
};

const struct source test_pagemap_hidden = {
	.name = "pagemap-unprivileged",
	.rules = "pagemap",
	.expect = expect_pagemap_hidden,
};

const struct source test_scan = {
	.name = "pagemap-scan",
	.expect = expect_scan,
};

const struct source test_kpageflags = {
	.name = "kpageflags",
	.trait.framed = true,
	.grain = grain_kpageflags,
	.stretch = stretch_kpageflags,
	.expect = expect_kpageflags,
};

const struct source test_kpagecount = {
	.name = "kpagecount",
	.trait.framed = true,
	.grain = grain_kpagecount,
	.expect = expect_kpagecount,
};

const struct source test_kpagecgroup = {
	.name = "kpagecgroup",
	.trait.framed = true,
	.grain = grain_kpagecgroup,
	.expect = expect_kpagecgroup,
};

const struct source test_move_pages = {
	.name = "move_pages",
	.grain = grain_move_pages,
	.expect = expect_move_pages,
};

const struct source test_mincore = {
	.name = "mincore",
	.grain = grain_mincore,
	.expect = expect_mincore,
};

void test_put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!text) {
		assert_int_equal(mkdir(path, 0700), 0);
		return;
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

void test_compare_pages(const struct env *env, const struct source *source,
			const struct page_truth *first, uint64_t pages,
			const uint64_t *list, const uint64_t *seen, uint64_t nr_seen,
			void (*each)(const struct outcome *outcome, void *arg), void *arg)
{
	struct expected expected;

	expect_all(env, source, first, &expected);
	compare_expected(env, source, &expected, first, pages, list, seen, nr_seen, each,
			 arg);
}

FILE *test_stream(const char *text)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(stream);
	return stream;
}

struct ptwalk_kernel test_kernel(unsigned int major, unsigned int minor)
{
	struct ptwalk_kernel kernel = {
		.version = PTWALK_FAMILY_VERSION,
		.page_shift = 12,
		.levels = 0x1f,
		.level_shift = { 12, 21, 30, 39, 48 },
		.flags = ~0U,
		.features = PTWALK_FEATURE_SOFT_DIRTY |
			    PTWALK_FEATURE_UFFD_WP |
			    PTWALK_FEATURE_PTE_SPECIAL |
			    PTWALK_FEATURE_PAGE_MAPCOUNT |
			    PTWALK_FEATURE_THP | PTWALK_FEATURE_HUGETLB |
			    PTWALK_FEATURE_MM_ID,
		.swap_type_bits = 5,
		.zero_pfn = 0x3000,
		.phys_bits = 46,
		.machine = "x86_64",
		.major = major,
		.minor = minor,
	};

	return kernel;
}

struct page_truth test_page(unsigned int kind, unsigned int level,
			    unsigned int aux, uint32_t flags, uint64_t value,
			    const struct ptwalk_vma *vma)
{
	struct page_truth page = {
		.addr = TEST_ADDR,
		.value = value,
		.bits = ptwalk_bits(kind, level, aux, flags),
		.vma = vma,
	};

	return page;
}

int (*test_ioctl)(unsigned long request, void *arg);

int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, ...);
/* Its name where 32-bit programs have 64 bits for the time. */
int __wrap___ioctl_time64(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return test_ioctl ? test_ioctl(request, arg) : __real_ioctl(fd, request, arg);
}

int __wrap___ioctl_time64(int fd, unsigned long request, ...)
	__attribute__((alias("__wrap_ioctl")));

void __wrap_pause_before_round(unsigned int round);
void __wrap_pause_out_of_step(long ns);

/* What stands in for processes and devices changes when it is asked, not as time passes. */
void __wrap_pause_before_round(unsigned int round)
{
}

void __wrap_pause_out_of_step(long ns)
{
}

/* All suites as one group: TAP allows one plan a program. -NAME leaves one out. */
int main(int argc, char **argv)
{
	static const struct suite *const suites[] = {
		&suite_parse, &suite_maps, &suite_claims, &suite_names,
		&suite_decode, &suite_pte, &suite_pinning, &suite_frame_sum, &suite_expect,
		&suite_rules, &suite_oldbugs,
		&suite_compare, &suite_judge, &suite_mutants, &suite_netns, &suite_wire,
		&suite_truth, &suite_places,
		&suite_rss, &suite_share, &suite_frames, &suite_distinct, &suite_dirty,
		&suite_pins,
		&suite_guest,
		&suite_layout, &suite_lints, &suite_recording,
		&suite_procs, &suite_watch, &suite_huge, &suite_map,
		&suite_during,
		&suite_kcore, &suite_bytes, &suite_iova, &suite_iommu_pt,
		&suite_crash_risk,
		&suite_dmadump, &suite_kernel, &suite_input, &suite_freeze, &suite_process,
		&suite_second_look,
		&suite_scan,
		&suite_error, &suite_report, &suite_cases, &suite_put, &suite_jsonw, &suite_prometheus,
		&suite_progress, &suite_fold, &suite_contiguity, &suite_contiguous, &suite_entries,
		&suite_procmap_query,
	};
	static struct CMUnitTest tests[1024];
	static char names[1024][64];
	size_t nr = 0, i, j;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		if (argc > 1 && !strcmp(argv[1] + 1, suites[i]->name))
			continue;
		for (j = 0; j < suites[i]->nr && nr < 1024; j++, nr++) {
			tests[nr] = suites[i]->test[j];
			snprintf(names[nr], sizeof(names[nr]), "%s: %s",
				 suites[i]->name, tests[nr].name);
			tests[nr].name = names[nr];
		}
	}
	return _cmocka_run_group_tests("ptwalk", tests, nr, NULL, NULL);
}
