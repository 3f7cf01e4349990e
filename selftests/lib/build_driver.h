/* SPDX-License-Identifier: GPL-2.0 */
/* For builders of driver mappings, and for tests that make wrong ones. */
#ifndef PTWALK_TEST_BUILD_DRIVER_H
#define PTWALK_TEST_BUILD_DRIVER_H

#include "driver.h"
#include "mapping.h"

/* Opens the device as @m->fd and finds a region; else says what is missing. */
bool build_driver_open(struct mapping *m, const char *name,
		       struct driver_region *region);

/* Maps @pages from page @skip on, as aligned as the region's entries are. */
char *build_driver_map(struct mapping *m, const struct driver_region *region,
		       u64 skip, u64 pages);

/* Maps the first pages, with holes around them. */
char *build_driver_map_alone(struct mapping *m, const struct driver_region *region,
			     u64 pages);

/* What must be true of all pages of a region, but for address and frame. */
struct expect build_driver_expect(const struct mapping *m,
				  const struct driver_region *region);

/* The whole builder: all but the first @skip and the last @leave pages. */
void build_driver_part(struct mapping *m, const char *name, u64 skip, u64 leave);

/* Name of a region, from that of its builder. */
void build_driver_name(const char *builder, char *name, size_t size);

/* What the driver publishes of the region of a builder; 0 or a negative errno. */
int build_driver_region(const char *builder, struct driver_region *region);

#endif /* PTWALK_TEST_BUILD_DRIVER_H */
