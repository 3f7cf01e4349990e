/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of the command, each of which has a struct output @out. */
#ifndef PTWALK_TEST_COMMAND_H
#define PTWALK_TEST_COMMAND_H

#include "system.h"

/* The ptwalk command: $PTWALK, or the one in PATH; NULL without one. */
const char *ptwalk_command(void);

/*
 * An option for checks of memory in which huge pages come and go: without
 * kpageflags before Linux 6.2, which reading that can crash
 * (kpageflags-compound-bug), or else without what a check hasn't anyway.
 */
const char *without_crash(void);

/* Where it isn't, a test is skipped. */
#define NEED_COMMAND() do { \
	if (!ptwalk_command()) \
		SKIP(return, "there is no ptwalk command in PATH"); \
} while (0)

/* Exit statuses of the command. */
enum { MATCH, MISMATCH, USAGE, UNCHECKED, UNSTABLE, FAILED };

#define EXPECT_STATUS(wanted) \
	EXPECT_EQ(wanted, out.status) \
		TH_LOG("printed: %.600s", out.text)

#define EXPECT_PRINTED(words) \
	EXPECT_NE(NULL, strstr(out.text, words)) \
		TH_LOG("not printed: %s; but: %.600s", words, out.text)

/* The output has @witness, as it does when these @words are missing from it. */
#define EXPECT_UNPRINTED(words, witness) \
	EXPECT_TRUE(strstr(out.text, witness) && !strstr(out.text, words)) \
		TH_LOG("printed: %s, or not: %s; but: %.600s", words, witness, out.text)

/* One clear line, for people; not a page of help. */
#define EXPECT_ONE_LINE() \
	EXPECT_EQ(out.text + strlen(out.text), strchr(out.text, '\n') + 1) \
		TH_LOG("printed: %.600s", out.text)

#endif /* PTWALK_TEST_COMMAND_H */
