// SPDX-License-Identifier: GPL-2.0
/*
 * A second stage against page tables, in rounds. What one reading of both finds may have
 * changed in between; what differs from the tables before and after, and is the same
 * wrong thing in all rounds, hasn't.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "check/examine.h"
#include "check/judge.h"
#include "guest/guest.h"
#include "proc/processes.h"
#include "proc/spaces.h"

#define TRIES	(2 * JUDGE_RUNNING_ROUNDS)	/* rounds, with those that are lost */

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

/* Compares @stage with the tables as they are now. */
static int compare_now(struct stale *out, const struct second_stage *stage,
		       struct ptwalk *client, pid_t pid)
{
	struct truth truth = { 0 };
	int err = read_truth(&truth, stage, client, pid);

	if (!err && stale_find(out, stage, &truth))
		err = error_no_memory();
	truth_free(&truth);
	return err;
}

static int look(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	int err;

	memset(guest, 0, sizeof(*guest));
	err = second_stage_read(&guest->stage, vm, pid);
	return err ? err : compare_now(&guest->wrong, &guest->stage, client, pid);
}

/*
 * A round: the page tables, where the second stage was last; the second stage; and the
 * page tables. Of a second stage that is lost, nothing is known of what comes behind:
 * what was known before is kept, also where to read, and the round doesn't count.
 */
static int look_again(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	struct guest former = *guest;
	struct truth truth = { 0 };
	struct stale now = { 0 };
	int err = read_truth(&truth, &former.stage, client, pid);

	memset(guest, 0, sizeof(*guest));
	if (!err)
		err = second_stage_read(&guest->stage, vm, pid);
	if (!err && stale_find(&guest->wrong, &guest->stage, &truth))
		err = error_no_memory();
	truth_free(&truth);
	if (!err)
		err = compare_now(&now, &guest->stage, client, pid);
	stale_both(&now, &guest->wrong);
	free(guest->wrong.page);
	guest->wrong = now;
	if (!err && guest->stage.lost) {
		const struct guest lost = *guest;

		*guest = former;
		former = lost;
	} else {
		stale_both(&guest->wrong, &former.wrong);
	}
	guest->stage.lost += former.stage.lost;
	guest_free(&former);
	return err;
}

/* Too many rounds were lost: nothing is certain. Returns 0. */
static int all_moved(struct stale *wrong)
{
	for (size_t i = 0; i < wrong->nr; i++)
		wrong->page[i].moved = true;
	return 0;
}

int guest_compare(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	const uint64_t asleep = procs_asleep(pid);
	unsigned int round = 0, tries;
	int err = look(guest, client, vm, pid);

	while (!err && guest->stage.lost && ++round < JUDGE_PAGE_ROUNDS) {
		guest_free(guest);
		pause_before_round(round);
		err = look(guest, client, vm, pid);
	}
	/* Who runs may change a page and change it back, and be in step with the readings. */
	for (round = tries = 1; !err && guest->wrong.nr && round < JUDGE_RUNNING_ROUNDS; tries++) {
		const uint64_t lost = guest->stage.lost;

		if (round >= JUDGE_PAGE_ROUNDS && space_has_slept(pid, asleep))
			break;
		if (tries > TRIES)
			return all_moved(&guest->wrong);
		pause_before_round(tries);
		err = look_again(guest, client, vm, pid);
		round += guest->stage.lost == lost;
	}
	return err;
}

void guest_free(struct guest *guest)
{
	second_stage_free(&guest->stage);
	free(guest->wrong.page);
	memset(guest, 0, sizeof(*guest));
}
