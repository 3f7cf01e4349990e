/* SPDX-License-Identifier: GPL-2.0 */
/* Who holds a process's memory for I/O, and what of it the process no longer has. */
#ifndef PTWALK_PINS_PINS_H
#define PTWALK_PINS_PINS_H

#include <signal.h>
#include "pins/replaced.h"

/**
 * struct pinned_buffer - a registered buffer
 * @buffer: As the ring lists it.
 * @judged: Its pages can be judged: it was registered by this process, or no other has
 *	the ring. A child has its parent's, too, and other pages at the same addresses.
 * @pages: By state, if @judged. Those that were wrong, but not each time that they were
 *	looked at, are PIN_UNKNOWN.
 */
struct pinned_buffer {
	struct uring_buffer buffer;
	bool judged;
	uint64_t pages[NR_PIN_STATES];
};

/**
 * struct pins - those of a process; all zero is a valid empty one
 * @rings: What its rings list.
 * @buffer: Of those, one for each buffer.
 * @wrong: What was wrong each time.
 */
struct pins {
	struct urings rings;
	struct pinned_buffer *buffer;
	struct pin_stretches wrong;
};

/*
 * Reads those of process @pid. What is wrong is looked at again, JUDGE_PAGE_ROUNDS times
 * in all, or JUDGE_RUNNING_ROUNDS unless the process sleeps. When *@stop isn't 0 any more,
 * the looks end, and what was wrong until then is unknown; @stop may be NULL. Returns 0 or
 * a negative errno, see base/error.h.
 */
int pins_read(struct pins *pins, struct ptwalk *client, pid_t pid,
	      const volatile sig_atomic_t *stop);

/*
 * Keeps the buffers that @behind has, too, which was read after the page tables: the
 * pages of one that was unregistered before are pinned no more, and right.
 */
void pins_keep(struct pins *pins, const struct urings *behind);
void pins_free(struct pins *pins);

#define PIN_TEXT	160

/* "physical 0x1000: nobody pins the page", and "fd 4 of io_uring holds ...". */
void pin_stretch_found(const struct pin_stretch *s, unsigned int page_shift,
		       char buf[PIN_TEXT]);
void pin_stretch_against(const struct pin_stretch *s, char buf[PIN_TEXT]);

/* The name of the finding. */
#define PINNED_REPLACED	"pinned-replaced"

#endif /* PTWALK_PINS_PINS_H */
