/* SPDX-License-Identifier: GPL-2.0 */
/* What ptwalk rss --mappings and --cgroup print of all processes together. */
#ifndef PTWALK_CMD_RSS_FOOTPRINT_H
#define PTWALK_CMD_RSS_FOOTPRINT_H

#include "footprint/footprint.h"

/**
 * struct footprint_report - how it is printed
 * @json: As JSON lines; @human: in units.
 * @mappings: A line for each mapping; @top: as many at most, 0: all.
 * @zeros: Zeros were looked for.
 * @processes: How many there were.
 * @charge: What the control group is charged, in bytes; -1: there is none.
 */
struct footprint_report {
	bool json, human, mappings, zeros;
	uint64_t top, processes;
	int64_t charge;
};

/* Prints all of @f, which is put in order. */
void footprint_print(struct footprint *f, const struct footprint_report *report,
		     const struct ptwalk_kernel *kernel);

#endif /* PTWALK_CMD_RSS_FOOTPRINT_H */
