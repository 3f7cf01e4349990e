/* SPDX-License-Identifier: GPL-2.0 */
/* Translations that somebody claims, compared as what a source shows. */
#ifndef PTWALK_CLAIMS_CLAIMS_H
#define PTWALK_CLAIMS_CLAIMS_H

#include "check/check.h"
#include "claims/file.h"

/*
 * The claims of a file. It is no interface of a process that could be read page by page;
 * check_claims() brings the values.
 */
extern const struct source source_claims;

/* What a claim of "not mapped" is as a value: no page is there. */
#define CLAIM_UNMAPPED	((uint64_t)INT64_MAX)

/* The same of a claim that @vaddr is at @paddr. */
uint64_t claim_value(uint64_t vaddr, uint64_t paddr, unsigned int page_shift);

/* The pure part of the source. */
void expect_claims(const struct env *env, const struct page_truth *truth,
		   struct expectation *out);

/*
 * Judges claims about @pid. Returns 0, or a negative errno for a line of theirs that
 * can't be understood; see base/error.h.
 */
int check_claims(struct check *check, pid_t pid, struct claims *claims,
		 char **args, int nr_args);

/* The same of a process that is open, of those in @ranges; @whole: these are all it has. */
int claims_judge(struct process *p, struct claims *claims,
		 const struct ranges *ranges, bool whole);

/* What was said of the claim at @index; each counts once, with the worst. */
void examine_claim(const struct examinee *x, size_t index, enum verdict verdict);

#endif /* PTWALK_CLAIMS_CLAIMS_H */
