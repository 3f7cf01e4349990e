/* SPDX-License-Identifier: GPL-2.0 */
/* What the command must say of any mapping; the results are as in checks.h. */
#ifndef PTWALK_TEST_MAPPING_CHECKS_H
#define PTWALK_TEST_MAPPING_CHECKS_H

#include "mapping.h"

/* `ptwalk check` finds no mismatch in the mapping. */
const char *check_command(struct ptw *ptw, struct mapping *m);

/* `ptwalk check --lint` has no finding. */
const char *check_lints(const struct mapping *m);

/* `ptwalk check --claims` tells right claims from wrong ones. */
const char *check_claims(struct ptw *ptw, struct mapping *m);

/* Whether a page can be pinned is as `ptwalk translate -v` says; faults pages in. */
const char *check_pinning(struct ptw *ptw, struct mapping *m);

/* `ptwalk decode --pte` says of raw entries what the module says. */
const char *check_decode(struct ptw *ptw, struct mapping *m);

#endif /* PTWALK_TEST_MAPPING_CHECKS_H */
