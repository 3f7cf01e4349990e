/* SPDX-License-Identifier: GPL-2.0 */
/* Which of the kernel's interfaces to memory exist, found by trying them. */
#ifndef PTWALK_PROC_INTERFACES_H
#define PTWALK_PROC_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct interface - what a try at an interface found
 * @name: Such as "/proc/self/pagemap".
 * @usable: It answered.
 * @lacks: It isn't there, or is forbidden. An error or a short answer is neither.
 * @detail: What it hides from us, or why it isn't usable; "" for nothing.
 */
struct interface {
	const char *name;
	bool usable, lacks;
	char detail[112];
};

#define NR_INTERFACES	18

/* Tries them all. */
void interfaces_try(struct interface found[NR_INTERFACES]);

/* Tries the one of that name: why there is nothing to check, or NULL. */
const char *interface_lacks(const char *name);

/**
 * struct privileges - what the caller may do
 * @effective: CAP_SYS_ADMIN is in the effective set.
 * @initial_userns: In the initial user namespace.
 */
struct privileges {
	bool effective;
	bool initial_userns;
};

void privileges_read(struct privileges *privileges);

#endif /* PTWALK_PROC_INTERFACES_H */
