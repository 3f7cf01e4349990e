// SPDX-License-Identifier: GPL-2.0
/* What trackers of writes say, and each reason why. */
#include "dirty/faults.h"
#include "dirty/trackers.h"
#include "tests.h"

#define PRESENT	PTWALK_KIND_PRESENT
#define NONE	PTWALK_KIND_NONE
#define SWAP	PTWALK_KIND_SWAP
#define PAGE	PTWALK_FLAG_PAGE
#define WP_VMA	PTWALK_VMA_FLAG_UFFD_WP
#define HUGETLB	PTWALK_VMA_FLAG_HUGETLB
#define SD_VMA	PTWALK_VMA_FLAG_SOFTDIRTY
#define PFNMAP	PTWALK_VMA_FLAG_PFNMAP

/* Lacks: bits of what the kernel hasn't. */
#define L_SD	1
#define L_WP	2
#define L_SCAN	4
#define L_OWN	8

static void answers(void **state)
{
	static const struct {
		enum tracker tracker;
		uint32_t kind, flags;
		uint64_t vma;
		unsigned int tracked, lacks;
		enum tracker_answer answer;
		enum tracker_reason reason;
	} cases[] = {
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE | PTWALK_FLAG_SOFT_DIRTY, SD_VMA,
		  TRACKED_SOFT_DIRTY, 0, TRACKER_YES, REASON_WRITTEN },
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE, SD_VMA, TRACKED_SOFT_DIRTY, 0,
		  TRACKER_YES, REASON_VMA_SOFT_DIRTY },
		{ TRACKER_SOFT_DIRTY, NONE, 0, SD_VMA, TRACKED_SOFT_DIRTY, 0,
		  TRACKER_YES, REASON_VMA_SOFT_DIRTY },
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE, 0, 0, 0, TRACKER_NO, REASON_CLEAN },
		{ TRACKER_SOFT_DIRTY, NONE, 0, 0, 0, 0, TRACKER_NO, REASON_EMPTY },
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE, HUGETLB | SD_VMA, TRACKED_SOFT_DIRTY, 0,
		  TRACKER_YES, REASON_HUGETLB_SOFT_DIRTY },
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE, HUGETLB, 0, 0, TRACKER_NO,
		  REASON_HUGETLB_SOFT_DIRTY },
		{ TRACKER_SOFT_DIRTY, PRESENT, 0, PFNMAP, 0, 0, TRACKER_NO, REASON_PFNMAP },
		{ TRACKER_SOFT_DIRTY, PRESENT, PAGE, SD_VMA, 0, L_SD, TRACKER_NOTHING,
		  REASON_NO_SOFT_DIRTY },

		{ TRACKER_UFFD_WP, PRESENT, PAGE, WP_VMA, TRACKED_UFFD_WP, 0, TRACKER_YES,
		  REASON_PROTECTED },
		{ TRACKER_UFFD_WP, PRESENT, PAGE, WP_VMA, 0, 0, TRACKER_NO,
		  REASON_UNPROTECTED },
		{ TRACKER_UFFD_WP, PRESENT, PTWALK_FLAG_ZERO, WP_VMA, 0, 0, TRACKER_NO,
		  REASON_ZERO_UNPROTECTED },
		{ TRACKER_UFFD_WP, NONE, 0, WP_VMA, 0, 0, TRACKER_NO,
		  REASON_EMPTY_UNPROTECTED },
		{ TRACKER_UFFD_WP, PRESENT, PAGE, 0, 0, 0, TRACKER_NOTHING,
		  REASON_UNREGISTERED },
		{ TRACKER_UFFD_WP, PRESENT, 0, PFNMAP, 0, 0, TRACKER_NOTHING, REASON_PFNMAP },
		{ TRACKER_UFFD_WP, PRESENT, PAGE, WP_VMA, 0, L_WP, TRACKER_NOTHING,
		  REASON_NO_UFFD_WP },

		{ TRACKER_WRITTEN, PRESENT, PAGE, WP_VMA, TRACKED_WRITTEN, 0, TRACKER_YES,
		  REASON_UNPROTECTED },
		{ TRACKER_WRITTEN, PRESENT, PTWALK_FLAG_ZERO, WP_VMA, TRACKED_WRITTEN, 0,
		  TRACKER_YES, REASON_ZERO_UNPROTECTED },
		{ TRACKER_WRITTEN, PRESENT, PAGE, 0, TRACKED_WRITTEN, 0, TRACKER_YES,
		  REASON_UNREGISTERED },
		{ TRACKER_WRITTEN, PRESENT, PAGE, WP_VMA, TRACKED_UFFD_WP, 0, TRACKER_NO,
		  REASON_PROTECTED },
		{ TRACKER_WRITTEN, NONE, 0, WP_VMA, 0, 0, TRACKER_NO, REASON_NO_TABLE },
		{ TRACKER_WRITTEN, NONE, 0, 0, 0, 0, TRACKER_NO, REASON_NO_TABLE },
		{ TRACKER_WRITTEN, NONE, 0, HUGETLB, 0, 0, TRACKER_NO, REASON_EMPTY },
		{ TRACKER_WRITTEN, NONE, 0, 0, TRACKED_WRITTEN, 0, TRACKER_YES,
		  REASON_UNREGISTERED },
		{ TRACKER_WRITTEN, NONE, 0, WP_VMA, TRACKED_WRITTEN, 0, TRACKER_YES,
		  REASON_EMPTY_UNPROTECTED },
		{ TRACKER_WRITTEN, PRESENT, 0, PFNMAP, 0, 0, TRACKER_NOTHING, REASON_PFNMAP },
		{ TRACKER_WRITTEN, PRESENT, PAGE, WP_VMA, 0, L_SCAN, TRACKER_NOTHING,
		  REASON_NO_SCAN },

		{ TRACKER_DIRTY, PRESENT, PAGE | PTWALK_FLAG_DIRTY, 0, 0, 0, TRACKER_YES,
		  REASON_DIRTY_BIT },
		{ TRACKER_DIRTY, PRESENT, PAGE, 0, 0, 0, TRACKER_NO, REASON_NO_DIRTY_BIT },
		{ TRACKER_DIRTY, PRESENT, PTWALK_FLAG_ZERO, 0, 0, 0, TRACKER_NO,
		  REASON_ZERO_PAGE },
		{ TRACKER_DIRTY, PRESENT, PAGE | PTWALK_FLAG_DIRTY, HUGETLB, 0, 0,
		  TRACKER_YES, REASON_HUGETLB_DIRTY },
		{ TRACKER_DIRTY, SWAP, 0, 0, 0, 0, TRACKER_NOTHING, REASON_ABSENT },
		{ TRACKER_DIRTY, NONE, 0, 0, 0, 0, TRACKER_NOTHING, REASON_EMPTY },

		{ TRACKER_IN_CORE, PRESENT, PAGE, 0, TRACKED_IN_CORE, 0, TRACKER_YES,
		  REASON_IN_CORE },
		{ TRACKER_IN_CORE, SWAP, 0, 0, 0, 0, TRACKER_NO, REASON_NOT_IN_CORE },
		{ TRACKER_IN_CORE, NONE, 0, 0, TRACKED_NOTHING, 0, TRACKER_NOTHING,
		  REASON_NOT_ASKED },
		{ TRACKER_WRITTEN, NONE, 0, WP_VMA, TRACKED_NOTHING, 0, TRACKER_NOTHING,
		  REASON_NOT_ASKED },
		{ TRACKER_DIRTY, NONE, 0, 0, TRACKED_NOTHING, 0, TRACKER_NOTHING,
		  REASON_EMPTY },
		{ TRACKER_IN_CORE, PRESENT, PAGE, 0, TRACKED_IN_CORE, L_OWN,
		  TRACKER_NOTHING, REASON_OTHERS_CORE },
	};
	uint32_t told = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_kernel kernel = {
			.features = (cases[i].lacks & L_SD ? 0 : PTWALK_FEATURE_SOFT_DIRTY) |
				    (cases[i].lacks & L_WP ? 0 : PTWALK_FEATURE_UFFD_WP),
		};
		const struct ptwalk_vma vma = { .flags = cases[i].vma };
		const struct page_trackers trackers = {
			.has_scan = !(cases[i].lacks & L_SCAN),
			.is_own = !(cases[i].lacks & L_OWN),
		};
		const struct tracked_page page = {
			&kernel, &vma, &trackers,
			ptwalk_bits(cases[i].kind, 0, 0, cases[i].flags), cases[i].tracked,
		};
		const struct tracker_verdict v = tracker_ask(cases[i].tracker, &page);

		if (v.answer != cases[i].answer || v.reason != cases[i].reason)
			fail_msg("case %zu: %s, %s", i, tracker_answer_name[v.answer],
				 tracker_reasons[v.reason].name);
		told |= 1U << v.reason;
	}
	/* Every reason there is. */
	assert_int_equal(told, (1U << NR_TRACKER_REASONS) - 1);
	for (unsigned int r = 0; r < NR_TRACKER_REASONS; r++)
		assert_true(tracker_reasons[r].name && tracker_reasons[r].text);
	for (unsigned int t = 0; t < NR_TRACKERS; t++)
		assert_true(tracker_name[t] && tracker_what[t]);
}

/* Which access, by entry and VMA; and each reason. */
static void faults(void **state)
{
	const uint64_t r = PTWALK_VMA_FLAG_READ, w = r | PTWALK_VMA_FLAG_WRITE;
	const uint64_t anon = w | PTWALK_VMA_FLAG_ANONYMOUS, file = w;
	const uint64_t shared = w | PTWALK_VMA_FLAG_MAYSHARE;
	const uint64_t huge = w | PTWALK_VMA_FLAG_HUGETLB, shmem = w | PTWALK_VMA_FLAG_SHMEM;
	const uint32_t mine = PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE;
	const struct {
		uint64_t vma;
		uint32_t kind, flags;
		enum fault_access access;
		const char *why;
		bool behind;
	} cases[] = {
		{ anon, PRESENT, mine | PTWALK_FLAG_WRITE, FAULT_NO, NULL },
		{ r, PRESENT, mine, FAULT_NO, NULL },
		{ 0, NONE, 0, FAULT_NO, NULL },
		{ anon, NONE, 0, FAULT_ANY, "one is made" },
		{ file, NONE, 0, FAULT_ANY, "that of the file" },
		{ file, NONE, 0, FAULT_ANY, "behind the end of the file: SIGBUS", true },
		{ shared, PRESENT, PAGE, FAULT_WRITE, "file system", true },
		{ file | PFNMAP, NONE, 0, FAULT_ANY, "SIGBUS" },
		{ huge, NONE, 0, FAULT_ANY, "from the pool, or SIGBUS" },
		{ huge | PTWALK_VMA_FLAG_MAYSHARE, NONE, 0, FAULT_ANY, "from the pool, or SIGBUS" },
		{ shmem, NONE, 0, FAULT_ANY, "read from swap, or made" },
		{ anon, SWAP, 0, FAULT_ANY, "in swap" },
		{ anon, PTWALK_KIND_MIGRATION, 0, FAULT_ANY, "waits" },
		{ anon, PTWALK_KIND_HWPOISON, 0, FAULT_ANY, "failed" },
		{ anon, PTWALK_KIND_DEVICE_PRIVATE, 0, FAULT_ANY, "brought back" },
		{ anon, PTWALK_KIND_DEVICE_EXCLUSIVE, 0, FAULT_ANY, "for itself" },
		{ anon, PTWALK_KIND_MARKER, 0, FAULT_ANY, "marker" },
		{ anon, PTWALK_KIND_BAD, 0, FAULT_ANY, "no page" },
		{ anon, PRESENT, mine | PTWALK_FLAG_PROT_NONE, FAULT_ANY, "no access" },
		{ anon, PRESENT, mine | PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_NUMA_HINT,
		  FAULT_ANY, "NUMA" },
		{ anon, PRESENT, mine, FAULT_WRITE, "its own" },
		{ anon, PRESENT, PAGE | PTWALK_FLAG_ANON, FAULT_WRITE, "another process" },
		{ anon, PRESENT, PTWALK_FLAG_ZERO, FAULT_WRITE, "zero page" },
		{ anon, PRESENT, PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_KSM, FAULT_WRITE, "KSM" },
		{ anon, PRESENT, mine | PTWALK_FLAG_UFFD_WP, FAULT_WRITE, "userfaultfd" },
		{ file, PRESENT, PAGE, FAULT_WRITE, "page of the file" },
		{ shared, PRESENT, PAGE, FAULT_WRITE, "file system" },
		{ shared | shmem, PRESENT, PAGE, FAULT_WRITE, "becomes writable" },
		{ shared | huge, PRESENT, PAGE, FAULT_WRITE, "becomes writable" },
		{ huge, PRESENT, PAGE | PTWALK_FLAG_ANON, FAULT_WRITE, "of the pool, or" },
		{ huge, PRESENT, PAGE, FAULT_WRITE, "of the pool, or" },
		{ huge, PRESENT, mine, FAULT_WRITE, "its own" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma vma = { .flags = cases[i].vma };
		const struct fault_verdict v =
			fault_of(&vma, ptwalk_bits(cases[i].kind, 0, 0, cases[i].flags),
				 cases[i].behind);

		if (v.access != cases[i].access ||
		    (v.why && (!cases[i].why || !strstr(v.why, cases[i].why))))
			fail_msg("case %zu: %s, %s", i, fault_access_name[v.access],
				 v.why ? v.why : "-");
	}
}

SUITE(suite_dirty, cmocka_unit_test(answers), cmocka_unit_test(faults));
