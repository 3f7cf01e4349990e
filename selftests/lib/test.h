/* SPDX-License-Identifier: GPL-2.0 */
/* What every test program includes. */
#ifndef PTWALK_TEST_TEST_H
#define PTWALK_TEST_TEST_H

#if defined(__has_include)
#if !__has_include("kselftest_harness.h")
#error "no kselftest_harness.h: name tools/testing/selftests of a kernel source with KSFT_DIR="
#endif
#endif
#include <stdlib.h>
#include <unistd.h>
#include "kselftest_harness.h"
#include "checks.h"
#include "system.h"

/*
 * A kernel that checks itself, under emulation on a busy machine, takes
 * minutes for what takes others a second. This is for tests that hang.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	900

/* Arguments of constructors are glibc's. */
#ifdef __GLIBC__
static bool is_test(const char *name)
{
	for (struct __fixture_metadata *f = __fixture_list; f; f = f->next)
		for (struct __test_metadata *t = f->tests; t; t = t->next)
			if (!strcmp(t->name, name))
				return true;
	return false;
}

/*
 * To the harness, a test that there isn't is one that didn't fail. Its own
 * constructors, which list the tests, come before those without a priority.
 */
static void __attribute__((constructor)) refuse_unknown_tests(int argc, char **argv)
{
	int option;

	opterr = 0;
	while ((option = getopt(argc, argv, "hlF:f:V:v:t:T:r:")) != -1) {
		if (option != 't' || is_test(optarg))
			continue;
		fprintf(stderr, "%s: no test '%s' (-l lists them)\n", argv[0], optarg);
		exit(KSFT_FAIL);
	}
	opterr = 1;
	optind = 1;
}
#endif

/*
 * Without the module, or the right to ask it, there is nothing to test, and
 * nothing that fails. One that was installed with the tests is loaded.
 * A constructor, because the harness's main() is its own.
 */
static void __attribute__((constructor)) skip_without_module(void)
{
	const char *lacks = NULL;
	struct ptw ptw;
	int err;

	err = ptw_open(&ptw);
	if (err == -ENOENT && module_is_beside("ptwalk") && !module_load("ptwalk"))
		err = ptw_open(&ptw);
	if (!err && ptw.devices < 0 && module_is_beside("ptwalk_device"))
		module_load("ptwalk_device");
	if (!err)
		ptw_close(&ptw);
	if (geteuid())
		lacks = "only root may ask ptwalk";
	else if (err == -ENOENT)
		lacks = "the kernel has no ptwalk: load the module first";
	if (!lacks)
		return;
	printf("TAP version 13\n1..0 # SKIP %s\n", lacks);
	exit(KSFT_SKIP);
}

/* Fails with the text that an expression gives if something is wrong. */
#define EXPECT_GOOD(expression) do { \
	const char *_why = (expression); \
	EXPECT_TRUE(!_why) \
		TH_LOG("%s", _why); \
} while (0)

/* Ends a test that has shown a bug that this kernel is known to have. */
#define KNOWN_BUG(...) do { \
	SKIP(, __VA_ARGS__); \
	_metadata->exit_code = KSFT_XFAIL; \
	return; \
} while (0)

/* To end a test with whose checks were good, but for the mapping's bug. */
#define KNOWN_BUG_OF(m) do { \
	if ((m)->shown && _metadata->exit_code == KSFT_PASS) \
		KNOWN_BUG("%s", (m)->bug); \
} while (0)

#define ASSERT_OPEN(ptw)	ASSERT_OPEN_SIZED(ptw, PTW_BUFFER)

#define ASSERT_OPEN_SIZED(ptw, size) \
	ASSERT_EQ(0, ptw_open_sized(ptw, size)) \
		TH_LOG("the kernel has no ptwalk family: is the module loaded?")

/*
 * What the setup of a fixture with a mapping begins with. There is no teardown
 * after a setup that ends early.
 */
#define SETUP_MAPPING(self, builder) do { \
	ASSERT_OPEN(&(self)->ptw); \
	ASSERT_EQ(0, mapping_build(&(self)->m, &(self)->ptw, builder)); \
	if ((self)->m.lacks[0]) { \
		mapping_release(&(self)->m); \
		SKIP(return, "%s", (self)->m.lacks); \
	} \
	ASSERT_EQ('\0', (self)->m.broken[0]) { \
		TH_LOG("%s", (self)->m.broken); \
		mapping_release(&(self)->m); \
	} \
} while (0)

#endif /* PTWALK_TEST_TEST_H */
