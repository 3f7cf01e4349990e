/* SPDX-License-Identifier: GPL-2.0 */
/* Findings of pins that differ in their place alone: people are told the first ones. */
#ifndef PTWALK_CMD_PINS_ALIKE_H
#define PTWALK_CMD_PINS_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct pins_alike - findings that are alike
 * @told: Places that were told.
 * @places: The others, with @pages.
 */
struct pins_alike {
	unsigned int told;
	uint64_t places, pages;
};

/* Whether the next place, of @pages, is to be told; if not, it is counted. */
bool pins_alike_tell(struct pins_alike *a, uint64_t pages);

/* Says how many there are beyond those that were told, and why if @why isn't NULL. */
void pins_alike_end(struct pins_alike *a, const char *why);

#endif /* PTWALK_CMD_PINS_ALIKE_H */
