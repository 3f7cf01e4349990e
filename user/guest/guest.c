// SPDX-License-Identifier: GPL-2.0
/*
 * A second stage against page tables, in looks. What one reading of both finds may have
 * changed in between; what differs from the tables before and after, and is the same
 * wrong thing in many looks, hasn't.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "guest/guest.h"
#include "proc/processes.h"

/* The memory from the first address of any slot to the last. */
static int read_guest_truth(struct truth *truth, const struct second_stage *stage,
			    struct ptwalk *client, pid_t pid)
{
	uint64_t start = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stage->nr; i++) {
		const struct stage_extent *e = &stage->extent[i];

		if (e->slotless)
			continue;
		start = e->hva < start ? e->hva : start;
		last = e->hva + e->bytes - 1 > last ? e->hva + e->bytes - 1 : last;
	}
	return start < last ? truth_read(client, pid, start, last, truth) : 0;
}

/* Compares @stage with the tables as they are now. */
static int compare_now(struct stale *out, const struct second_stage *stage,
		       struct ptwalk *client, pid_t pid)
{
	struct truth truth = { 0 };
	int err = read_guest_truth(&truth, stage, client, pid);

	if (!err && stale_find(out, stage, &truth))
		err = error_no_memory();
	truth_free(&truth);
	return err;
}

/*
 * A look: the page tables, where the second stage was in the look before; the second
 * stage; and the page tables.
 */
static int look_at_guest(struct guest *now, const struct guest *before, struct ptwalk *client,
			 int vm, pid_t pid)
{
	struct truth truth = { 0 };
	struct stale wrong = { 0 };
	int err = read_guest_truth(&truth, &before->stage, client, pid);

	if (!err)
		err = second_stage_read(&now->stage, vm, pid);
	if (!err)
		err = compare_now(&now->wrong, &now->stage, client, pid);
	if (!err && before->stage.nr) {
		if (stale_find(&wrong, &now->stage, &truth))
			err = error_no_memory();
		stale_both(&now->wrong, &wrong);
	}
	truth_free(&truth);
	free(wrong.page);
	return err;
}

/* Takes a look into account that lost nothing. */
static int take_guest_look(struct doubts *doubts, const struct guest *now, struct rounds *rounds)
{
	const bool near = doubts_near(doubts);
	struct doubts wrong = { 0 };
	int err = stale_doubt(&now->wrong, &wrong, now->stage.page_shift);

	if (!err)
		err = doubts_look(doubts, &wrong, !near || rounds_slept(rounds));
	return err ? error_no_memory() : 0;
}

/*
 * Of a second stage that is lost, nothing is known of what comes behind: what is known of
 * one that wasn't stays, also where to read.
 */
int guest_compare(struct guest *guest, struct ptwalk *client, int vm, pid_t pid)
{
	/* Who runs may change a page and change it back, and be in step with the readings. */
	struct rounds rounds = doubts_rounds(pid, procs_asleep(pid));
	enum rounds_state state = ROUNDS_OPEN;
	struct doubts doubts = { 0 };
	bool any = false;
	int err = 0;

	while (!err && rounds_next(&rounds, state)) {
		struct guest now = { 0 };

		err = look_at_guest(&now, guest, client, vm, pid);
		if (!err && !now.stage.lost)
			err = take_guest_look(&doubts, &now, &rounds);
		if (!any || !now.stage.lost) {
			const struct guest former = *guest;

			any |= !now.stage.lost;
			*guest = now;
			now = former;
		}
		guest_free(&now);
		state = any ? doubts_state(&doubts) : ROUNDS_OPEN;
	}
	stale_settle(&guest->wrong, &doubts, guest->stage.page_shift);
	doubts_free(&doubts);
	return err;
}

void guest_free(struct guest *guest)
{
	second_stage_free(&guest->stage);
	free(guest->wrong.page);
	memset(guest, 0, sizeof(*guest));
}
