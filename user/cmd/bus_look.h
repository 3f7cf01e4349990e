/* SPDX-License-Identifier: GPL-2.0 */
/* Bus addresses of a device that lead somewhere, searched for where they usually are. */
#ifndef PTWALK_CMD_BUS_LOOK_H
#define PTWALK_CMD_BUS_LOOK_H

#include "dma/busmap.h"
#include "module/device.h"
#include "proc/maps.h"

/**
 * struct bus_look - a device, and what is known of its bus addresses
 * @client: To the module.
 * @facts: Of the device.
 * @map: What was found.
 * @scanned: What was looked up.
 * @wanted: What would have been, had it not been too much.
 * @found: Stretches found since it was last set to 0.
 */
struct bus_look {
	struct ptwalk *client;
	struct ptwalk_device facts;
	struct busmap map;
	struct ranges scanned;
	struct range wanted;
	size_t found;
};

/*
 * Looks up a range, or where bus addresses usually are. Returns 0, INTERRUPT_STOP or a
 * negative errno, see base/error.h.
 */
int bus_look(struct bus_look *l, uint64_t start, uint64_t last);
int bus_look_everywhere(struct bus_look *l);

/*
 * Looks up what of @own, virtual addresses of a process, wasn't yet, after bus_look_tidy():
 * users of VFIO often give a device its own virtual addresses, as DPDK and SPDK do. What
 * would take too long is left out. Returns the same.
 */
int bus_look_same(struct bus_look *l, const struct ranges *own);

/* Puts what was looked up in order, and in one piece where it goes on. */
void bus_look_tidy(struct bus_look *l);

/* Adds what of the wanted range wasn't looked up, after bus_look_tidy(). Returns 0 or -ENOMEM. */
int bus_look_unscanned(const struct bus_look *l, struct ranges *unscanned);

/* Prints ranges behind a word; or as an array of this name. */
void bus_ranges_print(const struct ranges *ranges);
void bus_ranges_json(const char *name, const struct ranges *ranges);

/* Cuts @range to what the domain can have; false: it has nothing of that. */
bool bus_look_cut(const struct ptwalk_device *facts, struct range *range);

#endif /* PTWALK_CMD_BUS_LOOK_H */
