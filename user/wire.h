/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the family's messages to plain structures: no socket, no output.
 *
 * Every function returns 0, or -1 for a message that makes no sense: one that
 * lacks what the protocol promises, or holds half a record.
 */
#ifndef PTWALK_WIRE_H
#define PTWALK_WIRE_H

#include <linux/netlink.h>
#include "truth.h"

/**
 * struct wire_dump - one message of a dump
 * @vma: The VMA that the extents lie in.
 * @extents: Inside the message's own buffer, aligned; valid as long as it.
 * @nr: Number of @extents.
 * @levels: Mask of enum ptwalk_level that the process's tables have, or 0.
 */
struct wire_dump {
	struct truth_vma vma;
	struct ptwalk_extent *extents;
	size_t nr;
	uint32_t levels;
};

/**
 * struct wire_translations - the reply to one batch of addresses
 * @translations: Copy of the records; room for PTWALK_MAX_ADDRESSES.
 * @nr: Number of those.
 * @vmas: The VMAs told with them; room for PTWALK_MAX_ADDRESSES.
 * @nr_vmas: Number of those.
 * @levels: As in struct wire_dump.
 */
struct wire_translations {
	struct ptwalk_translation translations[PTWALK_MAX_ADDRESSES];
	size_t nr;
	struct truth_vma vmas[PTWALK_MAX_ADDRESSES];
	size_t nr_vmas;
	uint32_t levels;
};

int wire_info(const struct nlmsghdr *msg, struct kernel_info *info);

/*
 * Moves the extents inside @msg by a few bytes where they aren't aligned, so
 * a message can be read only once.
 */
int wire_dump(struct nlmsghdr *msg, struct wire_dump *dump);

int wire_translations(const struct nlmsghdr *msg,
		      struct wire_translations *out);

#endif /* PTWALK_WIRE_H */
