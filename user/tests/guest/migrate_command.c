// SPDX-License-Identifier: GPL-2.0
/*
 * The command and pages that are moved, split or given up while it looks at them:
 * whatever it sees, there is no mismatch.
 */
#include <sys/mman.h>
#include "area.h"
#include "command.h"
#include "test.h"

#define SECONDS		4

static char why[200];

#define wrong(...)	(snprintf(why, sizeof(why), __VA_ARGS__), why)

/* Moves them to and fro until it is killed, from step 1 on. */
static void restless(void *arg, int nr)
{
	int node = 0;

	if (!nr)
		return area_fill(arg);
	for (;;)
		area_move_to(arg, node ^= 1);
}

/* Takes the huge page apart and puts it together again, likewise. */
static void splitter(void *arg, int nr)
{
	const struct area *area = arg;

	area_fill(area);
	while (nr) {
		madvise(area->at + area->pages / 2 * area->page_size, area->page_size,
			MADV_DONTNEED);
		area_fill(area);
		madvise(area->at, area_size(area), 25);	/* MADV_COLLAPSE */
	}
}

/* Gives its pages up and takes others, likewise. */
static void visitor(void *arg, int nr)
{
	const struct area *area = arg;

	area_fill(area);
	while (nr) {
		madvise(area->at, area_size(area), MADV_DONTNEED);
		area_fill(area);
	}
}

FIXTURE(moving)
{
	struct target target;
	struct area area;
};

FIXTURE_VARIANT(moving)
{
	enum area_kind kind;
};

FIXTURE_VARIANT_ADD(moving, small) { .kind = SMALL };
FIXTURE_VARIANT_ADD(moving, thp) { .kind = THP };
FIXTURE_VARIANT_ADD(moving, hugetlb) { .kind = HUGETLB };

FIXTURE_SETUP(moving)
{
	const char *lacks;
	struct ptw_info info;
	struct ptw ptw;

	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, ptw_info(&ptw, &info));
	ptw_close(&ptw);
	lacks = area_nodes() < 2 ? "the machine has one NUMA node" :
		area_find_room(&self->area, &info, variant->kind);
	if (lacks) {
		area_release(&self->area);
		SKIP(return, "%s", lacks);
	}
}

FIXTURE_TEARDOWN(moving)
{
	target_end(&self->target);
	area_release(&self->area);
}

/* Checks the pages while their process, from step 1 on, changes them. */
static const char *check_meanwhile(struct target *t, const struct area *area,
				   int *runs)
{
	static struct output out;
	double end = seconds_now() + SECONDS;
	char pid[16], range[64], byte = 0;

	if (write(t->in, &byte, 1) != 1)
		return "the process is gone";
	snprintf(pid, sizeof(pid), "%d", t->pid);
	snprintf(range, sizeof(range), "%llx+%zx", area_address(area, 0), area_size(area));
	for (*runs = 0; seconds_now() < end; (*runs)++) {
		run(&out, ptwalk_command(), "check", without_crash(), pid, range);
		if (out.status && out.status != 4)
			return wrong("check: exit status %d: %.150s", out.status, out.text);
	}
	return NULL;
}

TEST_F(moving, check)
{
	int runs = 0;

	NEED_COMMAND();
	ASSERT_EQ(0, target_start(&self->target, restless, &self->area));
	EXPECT_GOOD(check_meanwhile(&self->target, &self->area, &runs));
	TH_LOG("%d checks", runs);
}

/* The command on pages with which their process does @what all the time. */
static const char *check_of(enum area_kind kind, void (*what)(void *arg, int nr),
			    const char **lacks, int *runs)
{
	struct target target = { 0 };
	struct ptw_info info;
	struct area area;
	const char *flaw;
	struct ptw ptw;

	if (ptw_open(&ptw) || ptw_info(&ptw, &info))
		return "the kernel has no ptwalk family: is the module loaded?";
	ptw_close(&ptw);
	*lacks = area_find_room(&area, &info, kind);
	if (*lacks)
		return NULL;
	if (target_start(&target, what, &area))
		return "no second process";
	flaw = check_meanwhile(&target, &area, runs);
	target_end(&target);
	area_release(&area);
	return flaw;
}

TEST(check_of_a_thp_that_is_parted)
{
	const char *lacks = NULL;
	int runs = 0;

	NEED_COMMAND();
	EXPECT_GOOD(check_of(THP, splitter, &lacks, &runs));
	if (lacks)
		SKIP(return, "%s", lacks);
	TH_LOG("%d checks", runs);
}

TEST(check_of_pages_that_come_and_go)
{
	const char *lacks = NULL;
	int runs = 0;

	NEED_COMMAND();
	EXPECT_GOOD(check_of(SMALL, visitor, &lacks, &runs));
	if (lacks)
		SKIP(return, "%s", lacks);
	TH_LOG("%d checks", runs);
}

TEST_HARNESS_MAIN
