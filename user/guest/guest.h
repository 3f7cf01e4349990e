/* SPDX-License-Identifier: GPL-2.0 */
/* A virtual machine of a process, compared with its page tables. */
#ifndef PTWALK_GUEST_GUEST_H
#define PTWALK_GUEST_GUEST_H

#include "guest/stale.h"

/**
 * struct guest - a machine; all zero is a valid empty one
 * @stage: Its second stage, by the last look that didn't lose it.
 * @wrong: What was wrong in that look; with @moved, of pages that aren't proven to be.
 */
struct guest {
	struct second_stage stage;
	struct stale wrong;
};

/*
 * Compares the machine @vm, our own descriptor, with process @pid. What differs is
 * looked at again. Returns 0 or a negative errno with a message.
 */
int guest_compare(struct guest *guest, struct ptwalk *client, int vm, pid_t pid);
void guest_free(struct guest *guest);

#endif /* PTWALK_GUEST_GUEST_H */
