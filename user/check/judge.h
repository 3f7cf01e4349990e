/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict on a page that differed: it is read again in rounds (page tables,
 * interface, page tables) until the verdict is certain. second_look.c has these
 * functions. Pure.
 */
#ifndef PTWALK_CHECK_JUDGE_H
#define PTWALK_CHECK_JUDGE_H

#include "check/compare.h"
#include "check/rounds.h"

/**
 * struct judge - a page under suspicion
 * @rounds: How many there have been.
 * @streak: Those in a row in which the truth was one and the same, and the interface
 *	differed.
 * @agreed: Rounds in a row in which the two agreed.
 * @contradicted: There was a round in which they didn't.
 * @differed_once: In a round, or in the first look, they didn't while the truth
 *	stood still; @last_bad is what the interface showed, if @last_bad_has_data.
 * @bracketed: In such a round the truth was read right before and right after.
 * @moved: The truth was seen to be another one in some round.
 * @decided: @verdict is final.
 * @verdict: As long as nothing is decided, unstable; or what follows if no
 *	other round does.
 * @rules: That explain it, or that name the kernel's bug.
 * @truth: Of the last round.
 * @vma: What @truth points to; its readings don't last.
 * @facts: The same.
 * @seen: Of the last round, if @has_data.
 */
struct judge {
	struct streak streak;
	unsigned int rounds, agreed;
	bool contradicted;
	bool differed_once, bracketed, moved;
	uint64_t last_bad;
	bool last_bad_has_data;
	bool decided;
	enum verdict verdict;
	uint64_t rules;
	struct page_truth truth;
	struct ptwalk_vma vma;
	struct ptwalk_page facts;
	uint64_t seen;
	bool has_data;
};

/* Nothing is known. */
void judge_init(struct judge *judge);

/**
 * struct sighting - what the first look saw of a page that differed
 * @truth: Read some time before the interface. Until requests_sighting() gives it, its
 *	VMA only says whether there is one, which @vma is.
 * @seen: What the interface showed, if @has_data.
 */
struct sighting {
	struct page_truth truth;
	struct ptwalk_vma vma;
	uint64_t seen;
	bool has_data;
};

/**
 * judge_round() - takes one more round into account
 * @judge: The page.
 * @env: The run.
 * @source: The interface.
 * @before: Truth read before the interface.
 * @seen: What the interface showed, if @has_data.
 * @after: Truth read after it.
 * @slept: The process hasn't run since before the first round.
 *
 * An interface that shows what either truth demands has shown a state that
 * the page was in: that is a match. One that differs while the truth moved
 * proves nothing, and the count starts again; it does, too, where the truth is
 * another one than in the round before. A page that has become something that
 * the interface doesn't tell of, such as a swapped one for /proc/kpageflags, has
 * nothing to differ: that is a match, too.
 *
 * Of an entry on its way (a migration; an empty one of hugetlb, as it is for a
 * moment while it is changed) one agreement proves nothing, as it may be about
 * the way only: it counts if no round says otherwise until the entry is there,
 * or JUDGE_PAGE_ROUNDS in a row agree.
 *
 * Nor does one agreement wipe out a difference that was seen while the truth
 * stood still, unless the truth is seen to move: JUDGE_PAGE_ROUNDS must agree,
 * and then judge_conclude() says what the difference was.
 */
void judge_round(struct judge *judge, const struct env *env,
		 const struct source *source, const struct page_truth *before,
		 uint64_t seen, bool has_data, const struct page_truth *after,
		 bool slept);

/*
 * Takes the first look into account, before the first round is; @now is the
 * truth since.
 */
void judge_sighting(struct judge *judge, const struct source *source,
		    const struct sighting *sighting,
		    const struct page_truth *now);

/* A difference was seen that no agreement has wiped out, and nothing explains. */
bool judge_is_open(const struct judge *judge);

/**
 * judge_conclude() - the verdict after the last round
 * @judge: The page.
 * @env: The run.
 * @source: The interface.
 * @slept: The process hasn't run since the first look began,
 * @slept_lately: or not since the first round.
 *
 * A page that differed, but not in enough rounds in a row, while no reading
 * of the truth was ever another one: it may have changed and changed back in
 * between. Only its own process can do that, but for what transient.h lists.
 * So it is a mismatch if the process slept, and nothing of that list was shown.
 * Otherwise it is unstable where the truth was read right before and right
 * after, and a match where only the first look differed.
 */
void judge_conclude(struct judge *judge, const struct env *env,
		    const struct source *source, bool slept,
		    bool slept_lately);

/*
 * For what is looked at as a whole: in how many rounds in a row the same was
 * found, after one more round. @same is what this returned before, 0 at first.
 * With JUDGE_ROUNDS it is decided, as it is when nothing was found.
 */
unsigned int judge_same(unsigned int same, bool found, bool as_before);

#endif /* PTWALK_CHECK_JUDGE_H */
