/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the protocol's requests and their attributes; see protocol_names.awk. */
#ifndef PTWALK_LIB_PROTOCOL_NAMES_H
#define PTWALK_LIB_PROTOCOL_NAMES_H

#include <stddef.h>
#include <linux/ptwalk.h>
#include <linux/ptwalk_device.h>

/**
 * struct request_names - names of a request
 * @name: Its own.
 * @attribute: Those of its attributes, by number; may have holes.
 * @nr: Length of @attribute.
 */
struct request_names {
	const char *name;
	const char *const *attribute;
	size_t nr;
};

/* By enum PTWALK_CMD_*; may have holes. */
extern const struct request_names request_names[PTWALK_DEVICE_CMD_MAX + 1];

#endif /* PTWALK_LIB_PROTOCOL_NAMES_H */
