/* SPDX-License-Identifier: GPL-2.0 */
/* Findings that differ in their place alone: people are told the first ones. */
#ifndef PTWALK_CMD_ALIKE_PLACES_H
#define PTWALK_CMD_ALIKE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct alike_places - findings that are alike
 * @told: Places that were told.
 * @places: The others, with @pages.
 */
struct alike_places {
	unsigned int told;
	uint64_t places, pages;
};

/* Whether the next place, of @pages, is to be told; if not, it is counted. */
bool alike_places_tell(struct alike_places *a, uint64_t pages);

/* Says how many there are beyond those that were told, and why if @why isn't NULL. */
void alike_places_end(struct alike_places *a, const char *why);

#endif /* PTWALK_CMD_ALIKE_PLACES_H */
