/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory read in two ways: whether it is the same memory, and what equal bytes
 * prove. Pure.
 */
#ifndef PTWALK_PROVE_BYTES_H
#define PTWALK_PROVE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bytes {
	BYTES_SAME,
	BYTES_MOVING,
	BYTES_APART,
};

/* As in reports, and for "ptwalk explain"; NULL for BYTES_SAME. */
extern const char *const bytes_rule[];

/**
 * struct bytes_pair - a page read twice in each way
 * @virt: Through the virtual address.
 * @phys: Through the physical one; the order of the four readings was
 *	virt[0], phys[0], virt[1], phys[1].
 */
struct bytes_pair {
	const void *virt[2], *phys[2];
};

/**
 * struct bytes_words - what became of the words of a page
 * @words: How many there are.
 * @apart: How many stood still in both ways, and differ.
 * @first: Offset of the first of those.
 */
struct bytes_words {
	size_t words, apart;
	size_t first;
};

/**
 * bytes_judge() - whether two ways lead to the same memory
 * @pair: The readings, aligned to eight bytes.
 * @size: Of the page, a multiple of eight.
 * @words: Filled in, but for BYTES_SAME only if it took a second look.
 *
 * Where somebody writes meanwhile, a word counts as the same if the two ways
 * ever showed the same, and says nothing if it moved in both. One that moves
 * only in one of them keeps the page from being the same: a wrong page that
 * holds still must not pass for a right one that doesn't.
 */
enum bytes bytes_judge(const struct bytes_pair *pair, size_t size,
		       struct bytes_words *words);

/**
 * struct bytes_streak - words that are apart, from round to round
 * @word: What they were, the page in one way and then in the other; the others
 *	are equal there. NULL to begin with.
 * @rounds: How many rounds in a row had such words; 0: none.
 */
struct bytes_streak {
	uint64_t *word;
	unsigned int rounds;
};

/**
 * bytes_again() - takes a round into account in which words were apart
 * @streak: Of the rounds so far.
 * @pair: The readings, of which bytes_judge() has said BYTES_APART.
 * @size: Of the page.
 * @words: @apart and @first are left for the words that were apart in all rounds
 *	of the streak, and the same each time. One that somebody changes to and
 *	fro is apart in this round or that one. If there are no others, a new
 *	streak begins.
 *
 * Return: whether there was memory for it.
 */
bool bytes_again(struct bytes_streak *streak, const struct bytes_pair *pair,
		 size_t size, struct bytes_words *words);
void bytes_streak_free(struct bytes_streak *streak);

/* Whether a page holds nothing but zeros. */
bool bytes_zero(const void *page, size_t size);

/**
 * struct bytes_seen - frames whose bytes were compared, by their contents
 * @slot: A hash table of frames.
 * @nr: Frames in it.
 * @max: Slots.
 * @left_out: Frames that were seen when it was full.
 *
 * A page of zeros, or one that many others equal, could be any of them. All
 * zero is a valid empty one.
 */
struct bytes_seen {
	struct bytes_slot *slot;
	size_t nr, max;
	uint64_t left_out;
};

/* Frames that are remembered at most: 128 MiB of them. */
#define BYTES_SEEN_MAX	(4UL << 20)

/* Notes what a frame holds; the first time counts. False: out of memory. */
bool bytes_see(struct bytes_seen *seen, uint64_t frame, const void *page,
	       size_t size);

/**
 * struct bytes_sum - what the frames held
 * @frames: How many there are.
 * @zero: Those of nothing but zeros.
 * @alone: Those whose contents no other of them had.
 */
struct bytes_sum {
	uint64_t frames, zero, alone;
};

struct bytes_sum bytes_sum(const struct bytes_seen *seen);
void bytes_free(struct bytes_seen *seen);

#endif /* PTWALK_PROVE_BYTES_H */
