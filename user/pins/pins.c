// SPDX-License-Identifier: GPL-2.0
/*
 * Registered buffers of io_uring, as /proc lists them, joined with the page tables
 * and with what the module tells of pins.
 *
 * A ring holds the pages that were at a buffer's addresses when it was registered. If
 * the page that is there now isn't pinned, it is another one: I/O goes to a page that
 * the process doesn't see. Whose addresses they are, no file of /proc tells, nor does
 * VmPin: a ring that was set up with CAP_IPC_LOCK isn't counted in newer kernels (7.2).
 * A child has its parent's ring, and other pages: those that are pinned are copied by
 * fork(). So a buffer is judged if a page of it is pinned, or if the ring is nobody
 * else's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "check/examine.h"
#include "check/rounds.h"
#include "module/client.h"
#include "pins/pins.h"
#include "proc/processes.h"
#include "proc/spaces.h"

static int append(struct pin_stretches *to, const struct pin_stretches *from)
{
	if (!from->nr)
		return 0;
	if (!array_room(&to->stretch, &to->max, to->nr + from->nr, sizeof(*to->stretch)))
		return error_no_memory();
	memcpy(to->stretch + to->nr, from->stretch, from->nr * sizeof(*to->stretch));
	to->nr += from->nr;
	return 0;
}

/* What uring_is_shared() said of the ring that was asked about last. */
struct asked {
	int fd;
	bool shared;
};

static bool is_shared(pid_t pid, int fd, struct asked *asked)
{
	if (asked->fd != fd)
		*asked = (struct asked){ fd, uring_is_shared(pid, fd) };
	return asked->shared;
}

/* Whether pins of pages of a buffer may be those of another ring of the process. */
static bool is_in_others(const struct pins *pins, const struct uring_buffer *buffer)
{
	for (size_t i = 0; i < pins->rings.nr; i++) {
		const struct uring_buffer *other = &pins->rings.buffer[i];

		if (other->fd != buffer->fd && other->addr < buffer->addr + buffer->length &&
		    buffer->addr < other->addr + other->length)
			return true;
	}
	return false;
}

static int judge(struct pins *pins, struct ptwalk *client, pid_t pid)
{
	const unsigned int shift = ptwalk_kernel(client)->page_shift;
	struct truth truth = { .want_pages = true };
	struct pin_stretches now = { 0 };
	struct asked asked = { .fd = -1 };
	int err = 0;

	for (size_t i = 0; !err && i < pins->rings.nr; i++) {
		struct pinned_buffer *b = &pins->buffer[i];

		b->buffer = pins->rings.buffer[i];
		err = truth_read(client, pid, b->buffer.addr,
				 b->buffer.addr + b->buffer.length - 1, &truth);
		if (err)
			break;
		now.nr = 0;
		memset(now.pages, 0, sizeof(now.pages));
		if (pin_stretches_add(&now, &b->buffer, &truth, shift)) {
			err = error_no_memory();
			break;
		}
		b->judged = !now.nr ||
			    (now.pages[PIN_HELD] && !is_in_others(pins, &b->buffer)) ||
			    !is_shared(pid, b->buffer.fd, &asked);
		if (!b->judged)
			continue;
		memcpy(b->pages, now.pages, sizeof(b->pages));
		err = append(&pins->wrong, &now);
	}
	free(now.stretch);
	truth_free(&truth);
	return err;
}

static int list(struct urings *rings, pid_t pid)
{
	const int err = urings_read(rings, pid);

	if (err == -ENOMEM)
		return error_no_memory();
	if (err && procs_gone(pid, err))
		return client_gone(pid);
	if (err)
		return error_set(err, "/proc/%d/fdinfo: %s", (int)pid, strerror(-err));
	return 0;
}

void pins_keep(struct pins *pins, const struct urings *behind)
{
	struct pin_stretches *wrong = &pins->wrong;
	size_t nr = 0, nr_wrong = 0;

	for (size_t i = 0, at = 0, j = 0; i < pins->rings.nr; i++) {
		const struct uring_buffer b = pins->rings.buffer[i];
		bool stays;

		while (j < behind->nr && uring_buffer_order(&behind->buffer[j], &b) < 0)
			j++;
		stays = j < behind->nr && !memcmp(&behind->buffer[j], &b, sizeof(b));
		for (; at < wrong->nr && !uring_buffer_order(&wrong->stretch[at].buffer, &b); at++)
			if (stays)
				wrong->stretch[nr_wrong++] = wrong->stretch[at];
		if (!stays)
			continue;
		pins->buffer[nr] = pins->buffer[i];
		pins->rings.buffer[nr++] = b;
	}
	pins->rings.nr = nr;
	wrong->nr = nr_wrong;
	if (pins->rings.busy < behind->busy)
		pins->rings.busy = behind->busy;
}

static int round_of(struct pins *pins, struct ptwalk *client, pid_t pid)
{
	struct urings behind = { 0 };
	int err;

	memset(pins, 0, sizeof(*pins));
	err = list(&pins->rings, pid);
	if (err || !pins->rings.nr)
		return err;
	pins->buffer = calloc(pins->rings.nr, sizeof(*pins->buffer));
	if (!pins->buffer)
		return error_no_memory();
	err = judge(pins, client, pid);
	if (err || !pins->wrong.nr)
		return err;
	err = list(&behind, pid);
	if (!err)
		pins_keep(pins, &behind);
	urings_free(&behind);
	return err;
}

/* What wasn't wrong each time isn't known to be. */
static void settle(struct pins *pins)
{
	size_t at = 0;

	for (size_t i = 0; i < pins->rings.nr; i++) {
		struct pinned_buffer *b = &pins->buffer[i];
		const uint64_t before = pin_wrong(b->pages);

		for (unsigned int state = PIN_REPLACED; state < NR_PIN_STATES; state++)
			b->pages[state] = 0;
		for (; at < pins->wrong.nr; at++) {
			const struct pin_stretch *s = &pins->wrong.stretch[at];

			if (uring_buffer_order(&s->buffer, &b->buffer))
				break;
			b->pages[s->state] += s->pages;
		}
		b->pages[PIN_UNKNOWN] += before - pin_wrong(b->pages);
	}
}

int pins_read(struct pins *pins, struct ptwalk *client, pid_t pid,
	      const volatile sig_atomic_t *stop)
{
	const unsigned int shift = ptwalk_kernel(client)->page_shift;
	const uint64_t asleep = procs_asleep(pid);
	int err = round_of(pins, client, pid);

	/* Who runs may unregister a buffer and register it again, in step with the readings. */
	for (unsigned int round = 1; !err && pins->wrong.nr && round < JUDGE_RUNNING_ROUNDS;
	     round++) {
		struct pins before = *pins;

		if (round >= JUDGE_PAGE_ROUNDS && space_has_slept(pid, asleep))
			break;
		if (stop && *stop) {
			pins->wrong.nr = 0;
			break;
		}
		pause_before_round(round);
		err = round_of(pins, client, pid);
		if (!err && pin_stretches_both(&pins->wrong, &before.wrong, shift))
			err = error_no_memory();
		pins_free(&before);
	}
	if (!err)
		settle(pins);
	return err;
}

void pins_free(struct pins *pins)
{
	urings_free(&pins->rings);
	free(pins->buffer);
	free(pins->wrong.stretch);
	memset(pins, 0, sizeof(*pins));
}

void pin_stretch_found(const struct pin_stretch *s, unsigned int page_shift,
		       char buf[PIN_TEXT])
{
	if (s->state == PIN_REPLACED)
		snprintf(buf, PIN_TEXT, "physical 0x%" PRIx64 ": %s", s->value << page_shift,
			 pin_state_text[s->state]);
	else
		snprintf(buf, PIN_TEXT, "%s", pin_state_text[s->state]);
}

void pin_stretch_against(const struct pin_stretch *s, char buf[PIN_TEXT])
{
	snprintf(buf, PIN_TEXT,
		 "io_uring holds what was there: fd %d, buffer %u, 0x%" PRIx64 "+0x%" PRIx64,
		 s->buffer.fd, s->buffer.index, s->buffer.addr, s->buffer.length);
}
