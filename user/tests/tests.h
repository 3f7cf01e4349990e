/* SPDX-License-Identifier: GPL-2.0 */
/* What the host tests share: made-up kernels, VMAs and pages. */
#ifndef PTWALK_TESTS_H
#define PTWALK_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "check/compare.h"
#include "sources/source.h"

/**
 * struct suite - the tests of one file
 */
struct suite {
	const char *name;
	const struct CMUnitTest *test;
	size_t nr;
};

#define SUITE(name, ...)						\
	static const struct CMUnitTest name##_tests[] = { __VA_ARGS__ };	\
	const struct suite name = {					\
		&#name[sizeof("suite_") - 1], name##_tests,		\
		sizeof(name##_tests) / sizeof(name##_tests[0])		\
	}

extern const struct suite suite_parse, suite_maps, suite_claims, suite_decode, suite_pte, suite_pinning, suite_frame_sum,
	suite_names, suite_expect, suite_rules, suite_oldbugs, suite_compare,
	suite_judge, suite_mutants, suite_netns, suite_wire, suite_truth, suite_places;
extern const struct suite suite_rss, suite_share, suite_frames;
extern const struct suite suite_distinct, suite_dirty, suite_pins, suite_guest;
extern const struct suite suite_layout, suite_lints, suite_recording, suite_procs;
extern const struct suite suite_watch, suite_huge, suite_map, suite_during;
extern const struct suite suite_kcore, suite_bytes, suite_iova, suite_iommu_pt, suite_crash_risk;
extern const struct suite suite_dmadump, suite_kernel, suite_input, suite_freeze, suite_process,
	suite_second_look, suite_scan;
extern const struct suite suite_error, suite_report, suite_cases, suite_put, suite_jsonw,
	suite_prometheus, suite_progress, suite_fold, suite_contiguity, suite_contiguous, suite_empty, suite_sample,
	suite_entries, suite_procmap_query;

/* The sources without their input and output. */
extern const struct source test_pagemap, test_pagemap_hidden, test_scan,
	test_kpageflags, test_kpagecount, test_kpagecgroup,
	test_move_pages, test_mincore;

/* A kernel as the module would describe it. */
struct ptwalk_kernel test_kernel(unsigned int major, unsigned int minor);

/* Opens a text, which isn't empty. */
FILE *test_stream(const char *text);

/* A page at TEST_ADDR; @vma may be NULL. */
struct page_truth test_page(unsigned int kind, unsigned int level,
			    unsigned int aux, uint32_t flags, uint64_t value,
			    const struct ptwalk_vma *vma);

/* compare_expected() by what expect_all() says of the first page. */
void test_compare_pages(const struct env *env, const struct source *source,
			const struct page_truth *first, uint64_t pages,
			const uint64_t *list, const uint64_t *seen, uint64_t nr_seen,
			void (*each)(const struct outcome *outcome, void *arg), void *arg);

/* Mutants of a recording of ptwalk rss (test_figures.c), added to both. */
void figures_mutants(const char *path, unsigned long *mutants,
		     unsigned long *killed);

/* Makes the file @name in @dir, with @text, or without one a folder. */
void test_put(const char *dir, const char *name, const char *text);

/* What stands in for ioctl(), or NULL. */
extern int (*test_ioctl)(unsigned long request, void *arg);

/* Whether a command has a handle, NULL, for which tests stand in for the module. */
extern bool test_has_client;

/* The kernel that it tells of. */
extern struct ptwalk_kernel told_kernel;

/* What stands in for truth_read(), or NULL; of a process that sleeps if @test_asleep. */
struct truth;
extern int (*test_truth_read)(pid_t pid, uint64_t start, uint64_t last, struct truth *truth);
extern bool test_asleep;

#define TEST_ADDR	0x7f0000200000ULL

#endif /* PTWALK_TESTS_H */
