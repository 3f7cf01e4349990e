/* SPDX-License-Identifier: GPL-2.0 */
/* Who holds a process's memory for I/O, and what of it the process no longer has. */
#ifndef PTWALK_PINS_PINS_H
#define PTWALK_PINS_PINS_H

#include <signal.h>
#include "pins/doubts.h"
#include "pins/replaced.h"

/**
 * struct pinned_buffer - a registered buffer
 * @judged: Its pages can be judged: it was registered by this process, or no other has
 *	the ring. A child has its parent's, too, and other pages at the same addresses.
 * @untold: Otherwise, why a process that has the ring, too, couldn't be asked whether it is
 *	its buffer: -EBUSY or -EACCES; 0 if it may well be.
 * @pages: By state, if @judged. Those that were wrong, but aren't proven to be, are
 *	PIN_UNKNOWN.
 */
struct pinned_buffer {
	bool judged;
	int untold;
	uint64_t pages[NR_PIN_STATES];
};

/**
 * struct pinned_ring - a ring, as the last look saw it that could read it
 * @ring: What it lists.
 * @buffer: Of those, one for each.
 * @wrong: What was wrong, and from pins_settle() on what is proven to be.
 * @open: From then on the rest of it, @unproven pages.
 * @doubts: In how many looks it was.
 */
struct pinned_ring {
	struct uring ring;
	struct pinned_buffer *buffer;
	struct pin_stretches wrong, open;
	struct doubts doubts;
	uint64_t unproven;
};

/**
 * struct pins - those of a process; all zero is a valid empty one
 * @seen: There was a whole look, and what it and later ones have seen is settled.
 * @vfio: It has a descriptor of VFIO or iommufd.
 */
struct pins {
	struct pinned_ring *ring;
	size_t nr, max;
	bool seen, vfio;
};

/*
 * Reads those of process @pid, and looks again at each ring that was busy, or has
 * something wrong that isn't proven, until *@stop isn't 0 any more; @stop may be NULL.
 * @owners serves all processes of a command, and is read when it is needed: once, and once
 * more for each process with something wrong. Returns 0, or of the last look a negative
 * errno, see base/error.h: what is @seen of @pins holds all the same.
 */
int pins_read(struct pins *pins, struct ptwalk *client, pid_t pid, struct uring_owners *owners,
	      const volatile sig_atomic_t *stop);
void pins_free(struct pins *pins);

/* Why a buffer isn't judged, if that is so of one: @untold of the first such. */
int pins_untold(const struct pinned_ring *ring);

/* The parts that only join what looks have seen, for tests. */

/*
 * Keeps of a look at the page tables the buffers that @behind has, too, as the ring was
 * listed after them: the pages of one that was unregistered before are pinned no more,
 * and right. If that couldn't be read, neither could @now.
 */
void pins_keep(struct pinned_ring *now, const struct uring *behind);

/*
 * Takes a look, @now, into account, and frees it. If the ring couldn't be read, what is
 * known of it stays. @slept: as of struct streak. Returns 0 or -ENOMEM.
 */
int pins_look(struct pinned_ring *ring, struct pinned_ring *now, unsigned int page_shift,
	      bool slept);

/* After the last look: what isn't proven to be wrong isn't known. Returns the same. */
int pins_settle(struct pinned_ring *ring, unsigned int page_shift);
void pinned_ring_free(struct pinned_ring *ring);

#define PIN_TEXT	160

/* "physical 0x1000: nobody pins the page", and "fd 4 of io_uring holds ...". */
void pin_stretch_found(const struct pin_stretch *s, unsigned int page_shift,
		       char buf[PIN_TEXT]);
void pin_stretch_against(const struct pin_stretch *s, char buf[PIN_TEXT]);

/* The name of the finding. */
#define PINNED_REPLACED	"pinned-replaced"

#endif /* PTWALK_PINS_PINS_H */
