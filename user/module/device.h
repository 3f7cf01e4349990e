/* SPDX-License-Identifier: GPL-2.0 */
/* How a device accesses memory, as the module reports it. */
#ifndef PTWALK_MODULE_DEVICE_H
#define PTWALK_MODULE_DEVICE_H

#include <stdbool.h>
#include "base/parse.h"
#include "lib/ptwalk.h"

/*
 * Asks of a device, and for the bus addresses of up to PTWALK_MAX_ADDRESSES
 * physical ones. Returns 0 or a negative errno, see base/error.h.
 */
int device_read(struct ptwalk *client, const char *name, const uint64_t *phys,
		size_t nr, struct ptwalk_device *facts);

/* Whether the domain is one that device_stream() can ask about. */
bool device_translates(const struct ptwalk_device *facts);

/*
 * Whether the module refuses to look at the tables of that domain; it is asked, and
 * ptwalk_strerror() has its reason.
 */
bool device_is_refused(struct ptwalk *client, const struct ptwalk_device *facts);

/* The last bus address that gets through, from and to the device. */
uint64_t device_reach(const struct ptwalk_device *facts);

/* The smallest page of the domain. */
uint64_t device_page(const struct ptwalk_device *facts);

/*
 * Calls @each with what the IOMMU translates in a range, piece by piece. It
 * returns 0 to go on, anything else to stop; that is then returned. Otherwise 0
 * or a negative errno, see base/error.h.
 */
int device_stream(struct ptwalk *client, const char *name,
		  const struct range *range,
		  int (*each)(const struct ptwalk_stretches *s, void *arg),
		  void *arg);

#endif /* PTWALK_MODULE_DEVICE_H */
