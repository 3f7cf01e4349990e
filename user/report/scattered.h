/* SPDX-License-Identifier: GPL-2.0 */
/* Extents behind each other that differ in nothing but their frames, as one line. */
#ifndef PTWALK_REPORT_SCATTERED_H
#define PTWALK_REPORT_SCATTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "module/entry.h"

/* So many of them have a line each; more have one, and those of zero pages always. */
#define SCATTERED	4
#define SCATTERED_TEXT	64

/**
 * struct scattered - such extents; all zero is valid: none
 * @extent: The first ones, of @nr.
 * @pages: Of all.
 * @repeated: Each begins with the frame of the first one, and is no longer.
 */
struct scattered {
	struct ptwalk_extent extent[SCATTERED];
	size_t nr;
	uint64_t pages;
	bool repeated;
};

/* Adds @e. Returns false where it doesn't go on with the others, and isn't added. */
bool scattered_add(struct scattered *s, const struct ptwalk_kernel *info,
		   const struct ptwalk_extent *e);

/* What says where all are, if they are to be one line. */
bool scattered_text(const struct scattered *s, const struct ptwalk_kernel *info,
		    char text[SCATTERED_TEXT]);

#endif /* PTWALK_REPORT_SCATTERED_H */
