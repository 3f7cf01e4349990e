/* SPDX-License-Identifier: GPL-2.0 */
/* --laws of ptwalk watch and diff: entries that no operation may leave behind. */
#ifndef PTWALK_CMD_WATCH_LAWS_H
#define PTWALK_CMD_WATCH_LAWS_H

#include "lint/lints.h"
#include "report/changes.h"

/**
 * struct watch_laws - what was found so far
 * @name: Of the mapping at an address, "" for none; it is given @arg.
 * @denies_exec: Memory can be there without being executable; see proc/cpuinfo.h.
 * @told: Where, by law.
 * @pages: How many pages that are.
 * @found: In this look.
 */
struct watch_laws {
	const char *(*name)(uint64_t addr, void *arg);
	void *arg;
	bool denies_exec;
	struct ranges told[NR_LINTS];
	uint64_t pages;
	struct lint_findings found;
};

/* Looks at @truth, and prints what wasn't told before. Returns 0 or -ENOMEM. */
int watch_laws_look(struct watch_laws *laws, const struct truth *truth,
		    struct changes_report *report);
void watch_laws_free(struct watch_laws *laws);

#endif /* PTWALK_CMD_WATCH_LAWS_H */
