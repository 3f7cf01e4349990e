/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that somebody holds for I/O against the page tables: a page that was
 * pinned and is another one now has been replaced. Pure.
 */
#ifndef PTWALK_PINS_REPLACED_H
#define PTWALK_PINS_REPLACED_H

#include <stdbool.h>
#include "module/truth.h"
#include "proc/uring.h"

/**
 * enum pin_state - what a page of a registered buffer is now
 * @PIN_HELD: Pinned, and so the page that was registered, unless somebody else pins it.
 * @PIN_UNKNOWN: It can't be told: a file's page that isn't mapped now, which may well
 *	still be pinned; one on its way; memory without a struct page.
 * @PIN_REPLACED: Present, and nobody pins it: it is another one.
 * @PIN_ZERO: The zero page, which is never registered.
 * @PIN_ABSENT: Private memory has no page there. What is pinned isn't swapped out.
 * @PIN_UNMAPPED: No VMA is there.
 */
enum pin_state {
	PIN_HELD,
	PIN_UNKNOWN,
	PIN_REPLACED,
	PIN_ZERO,
	PIN_ABSENT,
	PIN_UNMAPPED,
	NR_PIN_STATES
};

static inline bool pin_is_wrong(enum pin_state state)
{
	return state >= PIN_REPLACED;
}

/* How many of @pages, which are counted by state, are wrong. */
uint64_t pin_wrong(const uint64_t pages[NR_PIN_STATES]);

/* What stands there now, for people. */
extern const char *const pin_state_text[NR_PIN_STATES];

/* Of the pages behind entries with @bits in @vma; @page is the module's word on them. */
enum pin_state pin_state_of(const struct ptwalk_vma *vma, uint64_t bits,
			    const struct ptwalk_page *page);

/**
 * struct pin_stretch - pages in a row of a buffer that are alike
 * @buffer: The buffer.
 * @state: Of all of them.
 * @addr: Of the first.
 * @pages: How many.
 * @value: Frame of the first, if they are present.
 */
struct pin_stretch {
	struct uring_buffer buffer;
	enum pin_state state;
	uint64_t addr, pages, value;
};

/* All zero is a valid empty one. */
struct pin_stretches {
	struct pin_stretch *stretch;
	size_t nr, max;
	uint64_t pages[NR_PIN_STATES];	/* of all, also of those that aren't kept */
};

/*
 * Adds the pages of @buffer, of which @truth (with pages) has all, and keeps those
 * that are wrong. Returns 0 or -ENOMEM.
 */
int pin_stretches_add(struct pin_stretches *out, const struct uring_buffer *buffer,
		      const struct truth *truth, unsigned int page_shift);

/*
 * Whether the buffer may be that of another process, which has the ring, too, and was
 * started @earlier. If private memory is pinned by @here, it must have pinned private pages,
 * by @there, that are wrong by @here, and if it came later, have the whole buffer: a child
 * pins some of its own, too. If only what both may share is pinned, it is enough that a page
 * that is wrong here may be right there. Not if both have one pinned page of private memory:
 * then fork() has forgotten to copy it, and either may have got another.
 */
bool pin_is_anothers(const struct uring_buffer *buffer, const struct truth *here,
		     const struct truth *there, bool earlier, unsigned int page_shift);

#endif /* PTWALK_PINS_REPLACED_H */
