/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of a file in /proc, and which kernels have them. */
#ifndef PTWALK_PROC_FIELD_H
#define PTWALK_PROC_FIELD_H

#include <stdbool.h>
#include "module/version.h"

/**
 * struct proc_field - a field
 * @name: As the file calls it.
 * @since: The first kernel that has it, as KERNEL(); 0: all that there is a
 *	module for.
 * @feature: The enum ptwalk_feature without which there is none, or 0.
 */
struct proc_field {
	const char *name;
	unsigned int since;
	uint32_t feature;
};

/* Whether that kernel's file must have it. */
static inline bool proc_field_due(const struct proc_field *field,
				  const struct ptwalk_kernel *kernel)
{
	return kernel_version(kernel) >= field->since &&
	       (!field->feature || kernel->features & field->feature);
}

#endif /* PTWALK_PROC_FIELD_H */
