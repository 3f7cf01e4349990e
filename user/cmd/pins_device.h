/* SPDX-License-Identifier: GPL-2.0 */
/* pins DEVICE: what a device has mapped through VFIO, against its holders' page tables. */
#ifndef PTWALK_CMD_PINS_DEVICE_H
#define PTWALK_CMD_PINS_DEVICE_H

#include "lib/ptwalk.h"
#include "proc/maps.h"

/**
 * struct pins_devices - what was found
 * @json: As JSON lines.
 * @header: That of the table was printed.
 * @iovas: Bus addresses that are looked at; none: wherever there may be some.
 * @replaced: Pages that a device has, and its holders have no more.
 * @unread: Devices of which a holder couldn't be read.
 * @unproven: Pages that looked replaced, and aren't proven to be.
 */
struct pins_devices {
	bool json, header;
	struct ranges iovas;
	uint64_t replaced, unread, unproven;
};

/*
 * Looks at a device, by the module's name for it, and prints what its domain has. Returns
 * 0, or an exit status after a message, or a negative errno, see base/error.h.
 */
int pins_device(struct pins_devices *sum, struct ptwalk *client, const char *name);

#endif /* PTWALK_CMD_PINS_DEVICE_H */
