/* SPDX-License-Identifier: GPL-2.0 */
/* pins --orphans: a look at all memory for what is pinned and in nobody's tables. */
#ifndef PTWALK_CMD_PINS_ORPHANS_H
#define PTWALK_CMD_PINS_ORPHANS_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/**
 * struct orphans - what was found
 * @json: As JSON lines.
 * @scanned: Frames that were looked at.
 * @pages: Those that are orphans.
 * @unknown: Those that may be: they moved in most looks, or the last looks were given up.
 * @of_dmabuf: Those that a dma-buf may have, from which they can be mapped.
 * @parted: Others that may be: of a large folio that is pinned, and partly mapped.
 * @uncounted: Those of which the kernel doesn't tell whether they are mapped.
 */
struct orphans {
	bool json;
	uint64_t scanned, pages, unknown, of_dmabuf, parted, uncounted;
};

/*
 * Looks at all frames of RAM until that is done or the command is interrupted, and
 * prints what is proven to be an orphan. Returns 0 or a negative errno, see
 * base/error.h.
 */
int orphans_find(struct orphans *o, struct ptwalk *client);

#endif /* PTWALK_CMD_PINS_ORPHANS_H */
