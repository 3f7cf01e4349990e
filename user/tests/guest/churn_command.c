// SPDX-License-Identifier: GPL-2.0
/* The command and a process whose memory changes all the time. */
#include <pthread.h>
#include "command.h"
#include "mutate.h"
#include "test.h"

/* Records of a dump that takes many messages. */
#define PAGES	16384

static struct output out;

FIXTURE(churn)
{
	struct ptw ptw;
	struct target target;
};

FIXTURE_SETUP(churn)
{
	struct ptw_info info;

	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, ptw_info(&self->ptw, &info));
	mutate_setup(&info);
}

FIXTURE_TEARDOWN(churn)
{
	target_end(&self->target);
	ptw_close(&self->ptw);
}

static void *map_forever(void *arg)
{
	u32 seed = 0x9e3779b9;

	for (;;)
		mutate_map(&seed);
	return NULL;
}

/* Maps and unmaps all the time, beside memory whose dump takes a while. */
static void start_mapping(void *arg, int nr)
{
	pthread_t thread;

	mapping_read_every_other(arg);
	if (pthread_create(&thread, NULL, map_forever, NULL))
		_exit(1);
}

/*
 * The command takes such a process as it is: a dump ends well and says that it is
 * of no single moment, and a check isn't kept from an end.
 */
TEST_F(churn, command)
{
	char number[16], range[40];
	struct mapping m;
	int tries;

	NEED_COMMAND();
	ASSERT_EQ(0, mapping_build(&m, &self->ptw, NULL));
	ASSERT_NE(NULL, mapping_many_records(&m, PAGES));
	ASSERT_EQ(0, target_start(&self->target, start_mapping, &m));
	snprintf(number, sizeof(number), "%d", self->target.pid);
	snprintf(range, sizeof(range), "%llx+%llx", m.start, (u64)PAGES * m.page_size);
	for (tries = 0; tries < 50; tries++) {
		run(&out, ptwalk_command(), "dump", "--summary", number, range);
		EXPECT_STATUS(MATCH);
		if (strstr(out.text, "may have changed"))
			break;
	}
	EXPECT_LT(tries, 50);
	run(&out, ptwalk_command(), "check", without_crash(), number, range);
	EXPECT_STATUS(MATCH);
}

TEST_HARNESS_MAIN
