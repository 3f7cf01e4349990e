/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that are drawn at random: mistakes are made at some places more than at
 * others, and the walk says where these are.
 */
#ifndef PTWALK_CHECK_DRAW_H
#define PTWALK_CHECK_DRAW_H

#include "base/random.h"
#include "sources/source.h"

struct process;
struct piece;

/* What effort is if nobody says otherwise: see Documentation/interfaces.md. */
#define DRAW_EFFORT	1

/*
 * Instructions that the plain read of a process is taken to cost at least; all that are
 * checked together share the second number, as they have one kernel.
 */
#define PLAIN_LEAST		4000000ULL
#define PLAIN_LEAST_SHARED	128000000ULL

/* The least for the next process of those that are @left, which have that to share. */
static inline uint64_t draw_plain_least(uint64_t shared, size_t left)
{
	const uint64_t share = left ? shared / left : PLAIN_LEAST;

	return share < PLAIN_LEAST ? share : PLAIN_LEAST;
}

/**
 * enum place - where mistakes are made
 */
enum place {
	PLACE_VMA,	/* where a VMA begins or ends */
	PLACE_TABLE,	/* where a table of the last level does, beside something */
	PLACE_UPPER,	/* where one of a level above does */
	PLACE_PIECE,	/* where entries of one kind do */
	PLACE_LEAF,	/* inside of a leaf above the last level */
	PLACE_HOLE,	/* where nothing is mapped: in its middle, and in its first table */
	PLACE_ANYWHERE,
	NR_PLACES
};

#define PLACES_KEPT	32	/* of each */
#define KINDS_KEPT	64	/* of kinds of entries */

/**
 * struct places - what a walk has passed
 * @of: Of each enum place some, at random of all @seen.
 * @kind: Of each kind of entries one, at random of all @seen: by the bits that say it.
 */
struct places {
	struct {
		uint64_t addr[PLACES_KEPT], seen;
	} of[NR_PLACES];
	struct {
		uint64_t bits, addr, seen;
	} kind[KINDS_KEPT];
};

#define FACTS_MOST	4	/* pages of a request whose facts are asked for, */
#define FACTS_IN	4	/* and of one drawn in so many where all show the same */

/**
 * struct picks - pages of a request whose facts are asked for
 * @odd: Some of @nr that show something else than the one before, by their places.
 * @any: One of all @pages.
 * @bits: Of the last one, with the @value that it shows.
 */
struct picks {
	uint64_t odd[FACTS_MOST], nr;
	uint64_t any, pages;
	uint64_t bits, value;
};

/* Keeps some places of the piece, as @random decides. */
void draw_note(struct places *places, struct random *random,
	       const struct ptwalk_kernel *kernel, const struct piece *piece);

/* Keeps where a VMA begins, or the page behind it. */
void draw_note_at(struct places *places, struct random *random, enum place place,
		  uint64_t addr);

/* One of the kept, of any class; false: there is none. */
bool draw_place(const struct places *places, struct random *random, uint64_t *addr);

/* The arguments of a request, beside the pages; of entries, no more than about @most. */
void draw_args(const struct source *source, const struct env *env, struct random *random,
	       uint64_t most, struct source_pages *pages);

/* Pages in a row of @all, more often at an end of these, or near @near of them. */
void draw_span(struct random *random, uint64_t all, uint64_t near, uint64_t *from,
	       uint64_t *nr);

/* What a request about pages of the batch takes, about, in instructions. */
uint64_t draw_cost(const struct process *p, const struct source *s, uint64_t from,
		   const struct source_pages *pages);

/*
 * Has requests about the memory in p->walk.range compared, until they have cost @budget
 * instructions. Returns 0 or a negative errno.
 */
int draw_requests(struct process *p, uint64_t budget);

/*
 * Has all present pages of p->walk.range compared with the interfaces that show facts of
 * pages, if a quarter of *@budget is enough for that; takes that off. Returns 0 or a
 * negative errno.
 */
int facts_look(struct process *p, uint64_t *budget);

/* Those about what has been walked now, all of which is in the batch. */
void draw_in_batch(struct process *p);

#endif /* PTWALK_CHECK_DRAW_H */
