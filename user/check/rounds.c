// SPDX-License-Identifier: GPL-2.0
/* When something is looked at again. */
#include "check/rounds.h"
#include "proc/processes.h"
#include "proc/spaces.h"

/* However much it insists. */
static bool is_most(const struct rounds *r)
{
	return r->nr >= r->retries + JUDGE_RUNNING_ROUNDS;
}

bool rounds_last(const struct rounds *r)
{
	return r->paused >= r->retries || is_most(r);
}

bool rounds_next(struct rounds *r, enum rounds_state state)
{
	if (state == ROUNDS_DECIDED || is_most(r) || (state == ROUNDS_OPEN && rounds_last(r)))
		return false;
	/* What insists needs rounds rather than time. */
	if (state == ROUNDS_OPEN)
		pause_before_round(r->paused++);
	else if (r->step)
		pause_out_of_step(r->step);
	r->nr++;
	return true;
}

bool rounds_slept(struct rounds *r)
{
	if (!space_has_slept(r->pid, r->asleep))
		r->asleep = 0;
	return r->asleep;
}
