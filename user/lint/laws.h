/* SPDX-License-Identifier: GPL-2.0 */
/* What no entry may be at any moment, whoever made it. Pure. */
#ifndef PTWALK_LINT_LAWS_H
#define PTWALK_LINT_LAWS_H

#include <stdbool.h>
#include "lint/lints.h"

/**
 * struct law - something that holds of all present entries
 * @lint: Its number.
 * @broken: Whether an entry with @bits in @vma breaks it.
 * @against: What that means, for lint_against().
 * @migrating: It holds of migration entries, too.
 */
struct law {
	enum lint lint;
	bool (*broken)(const struct ptwalk_kernel *kernel,
		       const struct ptwalk_vma *vma, uint64_t bits);
	const char *against;
	bool migrating;
};

extern const struct law laws[];
extern const unsigned int nr_laws;

/* Their lints, and LINT_MORE: no operation of the kernel leaves such an entry. */
uint32_t laws_lints(void);

/* Whether an entry has any of @flags, PTWALK_FLAG_*. */
static inline bool bits_have(uint64_t bits, uint32_t flags)
{
	return ptwalk_bits_flags(bits) & flags;
}

#endif /* PTWALK_LINT_LAWS_H */
