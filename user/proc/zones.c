// SPDX-License-Identifier: GPL-2.0
/* Which frames each zone spans, by /proc/zoneinfo. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "proc/zones.h"

/* A physical address has no more than 64 bits, a page no less than 12. */
#define MOST_FRAMES	(UINT64_MAX >> 12)

/**
 * struct reading - zones being read
 * @zone: The one under way, of which @spanned frames were told.
 */
struct reading {
	struct zones *zones;
	struct zone zone;
	uint64_t spanned;
};

/* "start_pfn:" is the last line of a zone. */
static int take_zone_line(char *line, void *arg)
{
	struct reading *r = arg;
	struct zones *zones = r->zones;
	uint64_t start;

	/* Most lines are about something else. */
	if (!strchr("Ns", line[strspn(line, " ")]))
		return 0;
	if (sscanf(line, "Node %9u, zone %15s", &r->zone.node,
		   r->zone.name) == 2) {
		r->spanned = 0;
		return 0;
	}
	if (sscanf(line, " spanned %" SCNu64, &r->spanned) == 1 ||
	    sscanf(line, " start_pfn: %" SCNu64, &start) != 1 || !r->spanned)
		return 0;
	if (!r->zone.name[0] || start > MOST_FRAMES ||
	    r->spanned > MOST_FRAMES - start)
		return -EINVAL;
	if (!array_room(&zones->zone, &zones->max, zones->nr + 1,
			sizeof(*zones->zone)))
		return -ENOMEM;
	r->zone.start = start;
	r->zone.last = start + r->spanned - 1;
	zones->zone[zones->nr++] = r->zone;
	return 0;
}

int zones_parse(FILE *stream, struct zones *zones)
{
	struct reading r = { .zones = zones };

	return lines_each(stream, take_zone_line, &r, NULL);
}

/* What isn't understood is a kernel of another kind. */
int zones_read(struct zones *zones)
{
	struct reading r = { .zones = zones };
	int err;

	memset(zones, 0, sizeof(*zones));
	err = lines_in("/proc/zoneinfo", take_zone_line, &r);
	if (err)
		zones_free(zones);
	return err == -EINVAL ? 0 : error_unless_missing(err, "/proc/zoneinfo");
}

void zones_free(struct zones *zones)
{
	free(zones->zone);
	memset(zones, 0, sizeof(*zones));
}
