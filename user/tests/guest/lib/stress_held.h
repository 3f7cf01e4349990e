/* SPDX-License-Identifier: GPL-2.0 */
/* The part of stress that is about memory which a ring and a device hold. */
#ifndef PTWALK_TEST_STRESS_HELD_H
#define PTWALK_TEST_STRESS_HELD_H

#include "command.h"
#include "ptw.h"

/**
 * struct held_figures - what was done, in memory that processes share
 * @pins: Looks of pins at a process's memory that a ring holds, and that is right.
 * @device: Likewise at a device's; @lints: of check --lint; @orphans: of pins --orphans.
 * @busy: Looks at pages that never held still.
 * @replaced: Pages that were replaced while a ring or a device held them;
 * @replaced_found: and told.
 */
struct held_figures {
	unsigned long pins, device, lints, orphans, busy, replaced, replaced_found;
};

/*
 * Until @end, and once at least: memory that a ring and a device hold, with everything done
 * to it that leaves it right, and then pages of it replaced. @complain is told what pins
 * and check --lint shouldn't have said.
 */
void keep_held(struct held_figures *figures, double end,
	       void (*complain)(const char *what, const struct output *out), u32 *seed);

#endif /* PTWALK_TEST_STRESS_HELD_H */
