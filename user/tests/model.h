/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel on the host: an address space as data, its interfaces as functions over
 * it, and one bug in one of them. model.c has the address space and the interfaces,
 * which stand in for the system calls of the command's own sources; curve.c draws
 * the bugs, and counts how many a check finds.
 */
#ifndef PTWALK_TESTS_MODEL_H
#define PTWALK_TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_interface {
	MODEL_PAGEMAP, MODEL_SCAN, MODEL_KPAGEFLAGS, MODEL_KPAGECOUNT, MODEL_KPAGECGROUP,
	MODEL_MOVE_PAGES,
	MODEL_INTERFACES
};

/**
 * enum model_when - when a bug shows, with the number that goes with it
 * @WHEN_ALWAYS: In each answer.
 * @WHEN_PAGE: Of pages (or frames) whose number ends so: see struct model_condition.
 * @WHEN_OFFSET: That many entries behind the first of a call.
 * @WHEN_BEHIND: From that many on.
 * @WHEN_LAST: In the last entry of a call.
 * @WHEN_LENGTH: If a call asks for so many.
 * @WHEN_LONGER: For more.
 * @WHEN_SHORTER: For fewer.
 * @WHEN_START: If a call begins so many entries behind the beginning of a table.
 * @WHEN_CROSSED: From the second table of a call on, that many entries behind its border.
 * @WHEN_GOES_ON: If the call goes on at the position of the file, by itself.
 * @WHEN_GOES_BACK: If a call begins before the last one of that file.
 * @WHEN_UNPRIVILEGED: If who opened the file may not see frames.
 * @WHEN_FIRST: In the first page of a VMA.
 * @WHEN_END: In the last page of a VMA.
 * @WHEN_VMAS: Where a call has gone over a VMA's end.
 * @WHEN_LEAF: Inside of a leaf above the last level, but for its first page.
 * @WHEN_CALL: In one call of so many.
 * @WHEN_REQUIRED: If a scan's category_mask has the categories, and so on.
 * @WHEN_VECTOR: If the vector of a scan has room for no more.
 * @WHEN_MAX_PAGES: If a scan has a limit of pages.
 * @WHEN_REGION: If that many regions were told before.
 */
enum model_when {
	WHEN_ALWAYS, WHEN_PAGE, WHEN_OFFSET, WHEN_BEHIND, WHEN_LAST, WHEN_LENGTH, WHEN_LONGER,
	WHEN_SHORTER, WHEN_START, WHEN_CROSSED, WHEN_GOES_ON, WHEN_GOES_BACK,
	WHEN_UNPRIVILEGED, WHEN_FIRST, WHEN_END, WHEN_VMAS, WHEN_LEAF, WHEN_CALL,
	WHEN_REQUIRED, WHEN_INVERTED, WHEN_ANY_OF, WHEN_WANTED, WHEN_VECTOR, WHEN_MAX_PAGES,
	WHEN_REGION,
	NR_WHEN
};

/**
 * struct model_condition - one of them
 * @number: Of it.
 * @of: With @number: what it is the rest of a division by; or 0.
 */
struct model_condition {
	enum model_when when;
	uint64_t number, of;
};

/**
 * struct model_bug - what is wrong
 * @interface: Where.
 * @bits: That are turned over.
 * @next: It shows the value of the next entry instead.
 * @condition: All must hold.
 * @name: Of one that is listed.
 */
struct model_bug {
	enum model_interface interface;
	uint64_t bits;
	bool next;
	struct model_condition condition[2];
	const char *name;
};

/**
 * struct model_cost - what was asked of the kernel
 * @calls: How often.
 * @instructions: About what that takes in the kernel; see model.c.
 */
struct model_cost {
	uint64_t calls, instructions;
};

/* The next number of a sequence that @state decides, below @below. */
uint64_t model_draw(uint64_t *state, uint64_t below);

/* An address space that the seed decides, small or of 64 MiB and more. */
void model_make(uint64_t seed, bool large);

/* It, checked with that bug or NULL. Returns how many findings that mismatch there were. */
unsigned int model_check(const struct model_bug *bug, uint64_t seed, struct model_cost *cost);

#endif /* PTWALK_TESTS_MODEL_H */
