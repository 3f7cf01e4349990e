/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of --prove share: examine.c makes the first pass and reports
 * the result, second_look.c reads again what differed.
 */
#ifndef PTWALK_PROVE_PROVE_H
#define PTWALK_PROVE_PROVE_H

#include "check/examine.h"
#include "proc/kcore.h"
#include "proc/mem.h"
#include "prove/bytes.h"

struct claims;

#define PROVE_WINDOW	64	/* pages that are looked at again together */

/*
 * Rounds in a row in which words must have stood apart. A word that somebody
 * changes to and fro does so by chance in one of 16 rounds, and there are many
 * words in a page.
 */
#define PROVE_ROUNDS	12

/* Why a page can't be proven. */
enum reason {
	CAN_BE_READ,
	ELSEWHERE,
	NOT_RAM,
	NOT_READ,
	NEVER_ENDS,
	REFUSED,
	NOT_IN_KCORE,
	FAILED_MEMORY,
	OUR_OWN,
	NOT_THERE,
	CLAIMED_ABSENT,
	NR_REASONS
};

/**
 * struct target - a page that is looked at again
 * @addr: Its virtual address, of the page's beginning.
 * @paddr: The physical address that is claimed for it, if claims are proven.
 * @claim: Index of the claim then.
 * @streak: Of the rounds in a row in which it held still and differed.
 * @words: What differed in all of them.
 * @frame: Where the page tables say that it is.
 * @done: Nothing more is to be said.
 * @result: What was said: the verdict, if @why is CAN_BE_READ.
 * @why: Or why nothing can be said.
 */
struct target {
	uint64_t addr, paddr;
	size_t claim;
	struct bytes_streak streak;
	struct bytes_words words;
	uint64_t frame;
	bool done;
	enum verdict result;
	enum reason why;
};

/**
 * struct prover - the process whose bytes are compared
 * @x: It.
 * @claims: Translations to prove instead of the module's, or NULL.
 * @peek: Its memory.
 * @kcore: All memory, by physical addresses.
 * @page_size: Of the base page.
 * @suspect: Pages to look at again, with @nr.
 * @proven: Pages that are proven.
 * @compared: Pages about which anything can be said.
 * @why_not: Those about which nothing can.
 * @asleep: Whether the process slept before pages were looked at again.
 * @remark: Of pages in a row, not yet given away; none if it has no pages.
 */
struct prover {
	const struct examinee *x;
	const struct claims *claims;
	struct peek peek;
	const struct kcore *kcore;
	uint64_t page_size;
	struct target *suspect;
	size_t nr, max;
	uint64_t proven, compared;
	uint64_t why_not[NR_REASONS];
	bool asleep;
	struct remark remark;
};

/*
 * Whether at a page there is anything that has bytes; if so, @why they can't be
 * read, if they can't.
 */
bool prove_has_bytes(const struct prover *p, uint64_t bits,
		     const struct ptwalk_vma *vma, enum reason *why);

/* The kernel has no page behind it that it would read for us. */
bool prove_is_special(uint64_t bits, const struct ptwalk_vma *vma);

/* Counts pages that can't be read, and one that is proven. */
void prove_leave_out(struct prover *p, enum reason why, uint64_t pages);
void prove_page(struct prover *p, uint64_t frame, const char *bytes);

/*
 * Looks at pages until there is something to be said of each, and says it; at
 * most PROVE_WINDOW of them. Returns 0 or a negative errno, see base/error.h.
 */
int prove_again(struct prover *p, struct target *t, size_t nr);

/* Says what is left to be said of pages in a row. */
void prove_say(struct prover *p);

#endif /* PTWALK_PROVE_PROVE_H */
