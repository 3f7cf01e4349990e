/* SPDX-License-Identifier: GPL-2.0 */
/* iova --lint: whether a device's bus addresses lead to memory that it may use. */
#ifndef PTWALK_CMD_IOVA_LINT_H
#define PTWALK_CMD_IOVA_LINT_H

#include "dma/busmap.h"
#include "dma/lead.h"
#include "module/device.h"

/**
 * struct iova_lint - what was found
 * @client: To the module.
 * @facts: Of the device.
 * @json: As JSON lines.
 * @by_list: Stretches are of the kernel's list, and are looked for there again.
 * @pages: How many were looked at, and @of each lead.
 */
struct iova_lint {
	struct ptwalk *client;
	const struct ptwalk_device *facts;
	bool json, by_list;
	uint64_t pages, of[NR_LEADS];
};

/*
 * Looks at each frame of a stretch and prints what is wrong. Returns 0 or a negative
 * errno, see base/error.h.
 */
int iova_lint_stretch(struct iova_lint *lint, const struct ptwalk_stretch *s);

/* How many pages are wrong, not only to be looked at. */
uint64_t iova_lint_wrong(const struct iova_lint *lint);

/* The last line, and its members. */
void iova_lint_print(const struct iova_lint *lint);
void iova_lint_json(const struct iova_lint *lint);

#endif /* PTWALK_CMD_IOVA_LINT_H */
