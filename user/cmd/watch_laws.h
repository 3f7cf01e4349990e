/* SPDX-License-Identifier: GPL-2.0 */
/* ptwalk watch --laws: entries that no operation may leave behind. */
#ifndef PTWALK_CMD_WATCH_LAWS_H
#define PTWALK_CMD_WATCH_LAWS_H

#include "lint/lints.h"
#include "proc/maps.h"
#include "report/changes.h"

/**
 * struct watch_laws - what was found in a range
 * @found: In the look before and in this one.
 *
 * All zero is one in which nothing was looked for yet.
 */
struct watch_laws {
	struct lint_findings found[2];
};

/*
 * Looks at @truth, and prints each finding that the look before didn't have.
 * Returns how many pages those are, or -ENOMEM.
 */
int64_t watch_laws_look(struct watch_laws *laws, const struct truth *truth,
			const struct maps *maps, struct changes_report *report);
void watch_laws_free(struct watch_laws *laws);

#endif /* PTWALK_CMD_WATCH_LAWS_H */
