/* SPDX-License-Identifier: GPL-2.0 */
/* What a translator may have done wrong. Pure. */
#ifndef PTWALK_CLAIMS_HINT_H
#define PTWALK_CLAIMS_HINT_H

#include "sources/page.h"

#define CLAIMS_HINT	128

/*
 * What is known to lead from the @truth of a page, whose address is that of the claim,
 * and from the pages @beside it, to the claimed @value, as claim_value() has it. Returns
 * @buf, or NULL if nothing is.
 */
const char *claims_hint(const struct env *env, const struct page_truth *truth,
			const struct page_beside *beside, uint64_t value,
			char buf[CLAIMS_HINT]);

#endif /* PTWALK_CLAIMS_HINT_H */
