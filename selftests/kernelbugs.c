// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs of kernels that these tests have found. Each is shown at work; where it
 * is known the test is expected to fail (XFAIL), where it isn't it may not.
 */
#include "test.h"

/* Ends a test that has shown a bug that this kernel is known to have. */
#define KNOWN_BUG(...) do { \
	SKIP(, __VA_ARGS__); \
	_metadata->exit_code = KSFT_XFAIL; \
	return; \
} while (0)

/*
 * Linux 6.12 tests one bit of the two that mark a KSM page, which every
 * anonymous page has, too (stable_page_flags() in fs/proc/page.c).
 */
TEST(kpageflags_calls_every_anonymous_page_ksm)
{
	bool known = ksft_min_kernel_version(6, 9) && !ksft_min_kernel_version(6, 16);
	struct ptw_page page;
	struct mapping m;
	struct ptw ptw;
	u64 flags;

	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no kpageflags");
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, mapping_build(&m, &ptw, build_anon_written));
	ASSERT_EQ(0, ptw_translate_one(&ptw, m.pid, m.start, &page));
	ASSERT_EQ(0, ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_KSM);
	ASSERT_EQ(0, proc_kpage("/proc/kpageflags", page.t.value, &flags));
	if (flags & KPF_KSM_ && known)
		KNOWN_BUG("kpageflags shows KPF_KSM for a page that KSM never saw");
	EXPECT_EQ(0, flags & KPF_KSM_);
	mapping_release(&m);
	ptw_close(&ptw);
}

TEST_HARNESS_MAIN
