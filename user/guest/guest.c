// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds of second stage and page tables. What one round finds may have changed between
 * its two readings; what is the same wrong thing in all of them hasn't.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "check/examine.h"
#include "check/judge.h"
#include "guest/guest.h"

/* The memory from the first address of any slot to the last. */
static int read_truth(struct truth *truth, const struct second_stage *stage,
		      struct ptwalk *client, pid_t pid)
{
	uint64_t start = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stage->nr; i++) {
		const struct stage_extent *e = &stage->extent[i];

		start = e->hva < start ? e->hva : start;
		last = e->hva + e->bytes - 1 > last ? e->hva + e->bytes - 1 : last;
	}
	return stage->nr ? truth_read(client, pid, start, last, truth) : 0;
}

static int round_of(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	struct truth truth = { 0 };
	int err;

	memset(guest, 0, sizeof(*guest));
	err = second_stage_read(&guest->stage, vm, pid);
	if (!err)
		err = read_truth(&truth, &guest->stage, client, pid);
	if (!err && stale_find(&guest->wrong, &guest->stage, &truth))
		err = error_no_memory();
	truth_free(&truth);
	return err;
}

int guest_compare(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	unsigned int round = 0;
	int err = round_of(guest, client, vm, pid);

	/* Of a root that is lost, nothing is known of what comes behind. */
	while (!err && guest->stage.lost && ++round < JUDGE_PAGE_ROUNDS) {
		guest_free(guest);
		pause_before_round(round);
		err = round_of(guest, client, vm, pid);
	}
	for (round = 1; !err && guest->wrong.nr && round < JUDGE_PAGE_ROUNDS; round++) {
		struct guest before = *guest;

		pause_before_round(round);
		err = round_of(guest, client, vm, pid);
		stale_both(&guest->wrong, &before.wrong);
		guest->stage.lost += before.stage.lost;
		guest_free(&before);
	}
	return err;
}

void guest_free(struct guest *guest)
{
	second_stage_free(&guest->stage);
	free(guest->wrong.page);
	memset(guest, 0, sizeof(*guest));
}
