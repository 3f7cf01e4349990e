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
 * fork(). So a buffer is judged if a page of it is pinned, and the parent hasn't pinned
 * those that are wrong here; or if the ring is nobody else's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/parse.h"
#include "module/client.h"
#include "pins/pins.h"
#include "proc/descriptors.h"
#include "proc/processes.h"
#include "proc/vfio.h"

static int append_stretches(struct pin_stretches *to, const struct pin_stretches *from)
{
	if (!from->nr)
		return 0;
	if (!array_room(&to->stretch, &to->max, to->nr + from->nr, sizeof(*to->stretch)))
		return -ENOMEM;
	memcpy(to->stretch + to->nr, from->stretch, from->nr * sizeof(*to->stretch));
	to->nr += from->nr;
	return 0;
}

void pinned_ring_free(struct pinned_ring *ring)
{
	uring_free(&ring->ring);
	free(ring->buffer);
	free(ring->wrong.stretch);
	free(ring->open.stretch);
	doubts_free(&ring->doubts);
	memset(ring, 0, sizeof(*ring));
}

void pins_free(struct pins *pins)
{
	for (size_t i = 0; i < pins->nr; i++)
		pinned_ring_free(&pins->ring[i]);
	free(pins->ring);
	memset(pins, 0, sizeof(*pins));
}

static bool is_same(const struct uring_buffer *a, const struct uring_buffer *b)
{
	return a->fd == b->fd && a->index == b->index && a->addr == b->addr &&
	       a->length == b->length;
}

void pins_keep(struct pinned_ring *now, const struct uring *behind)
{
	struct pin_stretches *wrong = &now->wrong;
	size_t nr = 0, nr_wrong = 0;

	for (size_t i = 0, at = 0, j = 0; i < now->ring.nr; i++) {
		const struct uring_buffer b = now->ring.buffer[i];
		bool stays;

		while (j < behind->nr && behind->buffer[j].index < b.index)
			j++;
		stays = j < behind->nr && is_same(&behind->buffer[j], &b);
		for (; at < wrong->nr && is_same(&wrong->stretch[at].buffer, &b); at++)
			if (stays)
				wrong->stretch[nr_wrong++] = wrong->stretch[at];
		if (!stays)
			continue;
		now->buffer[nr] = now->buffer[i];
		now->ring.buffer[nr++] = b;
	}
	now->ring.nr = nr;
	now->ring.state = behind->state;
	wrong->nr = nr_wrong;
}

static void stretch_key(const struct pin_stretch *s, uint64_t key[DOUBT_KEYS])
{
	memcpy(key, (uint64_t[DOUBT_KEYS]){ s->buffer.index, s->buffer.addr, s->buffer.length },
	       DOUBT_KEYS * sizeof(*key));
}

int pins_untold(const struct pinned_ring *ring)
{
	size_t i = 0;

	while (i < ring->ring.nr && !ring->buffer[i].untold)
		i++;
	return i < ring->ring.nr ? ring->buffer[i].untold : 0;
}

int pins_look(struct pinned_ring *ring, struct pinned_ring *now, unsigned int page_shift,
	      bool slept)
{
	const enum uring_state state = now->ring.state;
	uint64_t key[DOUBT_KEYS];
	int err = 0;

	if (ring->ring.state == URING_READ &&
	    (state == URING_BUSY || state == URING_STRANGE ||
	     (pins_untold(now) && !pins_untold(ring)))) {
		pinned_ring_free(now);
		return 0;
	}
	for (size_t i = 0; !err && i < now->wrong.nr; i++) {
		const struct pin_stretch *s = &now->wrong.stretch[i];
		const uint64_t first = s->addr >> page_shift;

		stretch_key(s, key);
		err = doubts_add(&now->doubts, key, first, first + s->pages - 1);
	}
	if (!err)
		err = doubts_look(&ring->doubts, &now->doubts, slept);
	doubts_free(&now->doubts);
	now->doubts = ring->doubts;
	ring->doubts = (struct doubts){ 0 };
	pinned_ring_free(ring);
	*ring = *now;
	memset(now, 0, sizeof(*now));
	return err;
}

static struct pinned_buffer *buffer_of(struct pinned_ring *ring, const struct pin_stretch *s)
{
	size_t i = 0;

	while (ring->ring.buffer[i].index != s->buffer.index)
		i++;
	return &ring->buffer[i];
}

/* The proven parts of a stretch are added to @proven, the others are open, and unknown. */
static int settle_buffers(struct pinned_ring *ring, const struct pin_stretch *s,
			  struct pin_stretches *proven, unsigned int page_shift)
{
	struct pinned_buffer *b = buffer_of(ring, s);
	struct pin_stretch part = *s;
	uint64_t key[DOUBT_KEYS], left = s->pages;
	int err = 0;

	stretch_key(s, key);
	for (; !err && left; left -= part.pages) {
		const uint64_t at = part.addr >> page_shift;
		uint64_t last = at + left - 1;
		const bool is_proven = doubts_prove(&ring->doubts, key, at, &last);
		struct pin_stretches *to = is_proven ? proven : &ring->open;

		part.pages = last - at + 1;
		if (!array_add(to->stretch, to->nr, to->max, part))
			err = -ENOMEM;
		if (!is_proven) {
			b->pages[s->state] -= part.pages;
			b->pages[PIN_UNKNOWN] += part.pages;
			ring->unproven += part.pages;
		}
		part.addr += part.pages << page_shift;
		part.value += part.pages;
	}
	return err;
}

int pins_settle(struct pinned_ring *ring, unsigned int page_shift)
{
	struct pin_stretches proven = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < ring->wrong.nr; i++)
		err = settle_buffers(ring, &ring->wrong.stretch[i], &proven, page_shift);
	free(ring->wrong.stretch);
	ring->wrong = proven;
	return err;
}

/**
 * struct look - a look at the rings of a process
 * @tid: A thread of it, once it has a ring.
 * @owners: Who has which ring.
 * @now: What it sees of each, in the order of @pins. Those that are decided aren't looked
 *	at, and are URING_GONE here.
 * @stop: As that of pins_read().
 */
struct look {
	struct ptwalk *client;
	pid_t pid, tid;
	struct pins *pins;
	struct uring_owners *owners;
	struct pinned_ring *now;
	const volatile sig_atomic_t *stop;
};

/* What a look comes to that is stopped before its end: nothing. */
#define LOOK_STOPPED	1

static bool look_is_stopped(const struct look *l)
{
	return l->stop && *l->stop;
}

/**
 * struct asked - a ring that was asked about
 * @fd: Its descriptor; -1: none yet.
 * @sharers: The other processes that have it, and @unread that may.
 */
struct asked {
	int fd;
	struct pids sharers;
	size_t unread;
};

static int ask(const struct look *l, int fd, struct asked *asked)
{
	int ret = 0;

	if (asked->fd == fd)
		return 0;
	/* One that was started since has rings that aren't there. */
	if (!uring_owners_have(l->owners, l->pid, fd))
		ret = uring_owners_read(l->owners, l->stop);
	if (ret)
		return ret > 0 ? LOOK_STOPPED : ret;
	asked->fd = fd;
	asked->sharers.nr = 0;
	return uring_sharers(&asked->sharers, &asked->unread, l->owners, l->pid, fd);
}

/* Asks @sharers whether the buffer may be of one of them. *@b gets the answer. */
static int ask_sharers(const struct look *l, const struct uring_buffer *buffer,
		       const struct truth *here, const struct pids *sharers,
		       struct pinned_buffer *b)
{
	const unsigned int shift = ptwalk_kernel(l->client)->page_shift;
	struct truth there = { .want_pages = true };
	bool is_anothers = false;
	int err = 0;

	for (size_t i = 0; !err && !is_anothers && i < sharers->nr; i++) {
		if (look_is_stopped(l)) {
			err = LOOK_STOPPED;
			break;
		}
		err = truth_read(l->client, sharers->pid[i], buffer->addr,
				 buffer->addr + buffer->length - 1, &there);
		is_anothers = !err &&
			      pin_is_anothers(buffer, here, &there,
					      procs_started_before(sharers->pid[i], l->pid), shift);
		if (err == -EBUSY || err == -EACCES)
			b->untold = err;
		if (err == -EBUSY || err == -EACCES || err == -ESRCH)
			err = 0;
	}
	if (is_anothers)
		b->untold = 0;
	b->judged = !is_anothers && !b->untold;
	truth_free(&there);
	return err;
}

/* Whether the pages of a buffer in @here, @now, can be judged: *@b gets the answer. */
static int can_judge(const struct look *l, const struct uring_buffer *buffer,
		     const struct truth *here, const struct pin_stretches *now,
		     struct asked *asked, struct pinned_buffer *b)
{
	int err;

	b->judged = !now->nr;
	if (b->judged)
		return 0;
	err = ask(l, buffer->fd, asked);
	if (err)
		return err;
	if (asked->sharers.nr && now->pages[PIN_HELD])
		return ask_sharers(l, buffer, here, &asked->sharers, b);
	b->judged = !asked->sharers.nr;
	if (!b->judged && asked->unread == asked->sharers.nr)
		b->untold = -EACCES;
	return 0;
}

/* So much memory, in which there are several buffers with so little between, is read at once. */
#define AT_ONCE		(UINT64_C(1) << 30)
#define BETWEEN		(UINT64_C(64) << 10)

/* The memory of buffer number @i of a ring, and of those behind it that are read with it. */
static struct range read_at_once(const struct uring *ring, size_t i)
{
	const struct uring_buffer *b = &ring->buffer[i];
	struct range range = { b->addr, b->addr + b->length - 1 };

	for (i++; i < ring->nr; i++) {
		b = &ring->buffer[i];
		/* Or before it. */
		if (b->addr - range.start >= AT_ONCE ||
		    (b->addr > range.last && b->addr - range.last - 1 > BETWEEN))
			break;
		if (b->addr + b->length - 1 > range.last)
			range.last = b->addr + b->length - 1;
	}
	return range;
}

static int judge_buffers(const struct look *l, struct pinned_ring *ring)
{
	const unsigned int shift = ptwalk_kernel(l->client)->page_shift;
	struct truth truth = { .want_pages = true };
	struct range range = { 1, 0 };
	struct pin_stretches now = { 0 };
	struct pinned_buffer *buffers = calloc(ring->ring.nr + 1, sizeof(*buffers));
	struct asked asked = { .fd = -1 };
	int err = 0;

	if (!buffers)
		return error_no_memory();
	ring->buffer = buffers;
	for (size_t i = 0; !err && i < ring->ring.nr; i++) {
		const struct uring_buffer *buffer = &ring->ring.buffer[i];
		struct pinned_buffer *b = &buffers[i];

		/* A ring may have 16384, and there may be many rings. */
		if (look_is_stopped(l)) {
			err = LOOK_STOPPED;
			break;
		}
		if (buffer->addr < range.start || buffer->addr + buffer->length - 1 > range.last) {
			range = read_at_once(&ring->ring, i);
			err = truth_read(l->client, l->pid, range.start, range.last, &truth);
		}
		if (err)
			break;
		now.nr = 0;
		memset(now.pages, 0, sizeof(now.pages));
		if (pin_stretches_add(&now, buffer, &truth, shift)) {
			err = error_no_memory();
			break;
		}
		err = can_judge(l, buffer, &truth, &now, &asked, b);
		if (err || !b->judged)
			continue;
		memcpy(b->pages, now.pages, sizeof(b->pages));
		if (append_stretches(&ring->wrong, &now))
			err = error_no_memory();
	}
	free(now.stretch);
	truth_free(&truth);
	pids_free(&asked.sharers);
	return err;
}

static int told(pid_t pid, int err)
{
	if (err == -ENOMEM)
		return error_no_memory();
	if (err && procs_gone(pid, err))
		return client_gone(pid);
	if (err)
		return error_set(err, "/proc/%d/fdinfo: %s%s", (int)pid, strerror(-err),
				 err == -EACCES ? " (CAP_SYS_PTRACE)" : "");
	return 0;
}

static bool is_open(const struct pinned_ring *ring)
{
	return ring->ring.state == URING_BUSY || pins_untold(ring) == -EBUSY ||
	       doubts_state(&ring->doubts) != ROUNDS_DECIDED;
}

static int look_behind(const struct look *l, struct pinned_ring *now)
{
	struct uring behind = { 0 };
	int err = told(l->pid, uring_read(&behind, l->pid, now->ring.fd));

	if (!err)
		pins_keep(now, &behind);
	uring_free(&behind);
	return err;
}

/* At all rings that are open: their lists, the page tables, and the lists again. */
static int look_at_rings(const struct look *l, struct rounds *rounds)
{
	const unsigned int shift = ptwalk_kernel(l->client)->page_shift;
	struct pins *pins = l->pins;
	bool near = false, slept;
	int err = 0;

	for (size_t i = 0; !err && i < pins->nr; i++) {
		near |= doubts_near(&pins->ring[i].doubts);
		if (is_open(&pins->ring[i]))
			err = told(l->pid, uring_read(&l->now[i].ring, l->pid,
						      pins->ring[i].ring.fd));
	}
	for (size_t i = 0; !err && i < pins->nr; i++)
		if (l->now[i].ring.state == URING_READ)
			err = judge_buffers(l, &l->now[i]);
	for (size_t i = 0; !err && i < pins->nr; i++)
		if (l->now[i].wrong.nr)
			err = look_behind(l, &l->now[i]);
	slept = !near || rounds_slept(rounds);
	for (size_t i = 0; i < pins->nr; i++) {
		if (!err && is_open(&pins->ring[i]) &&
		    pins_look(&pins->ring[i], &l->now[i], shift, slept))
			err = error_no_memory();
		pinned_ring_free(&l->now[i]);
	}
	return err;
}

/* Of those that are the same ring, the first is taken. */
static int take_descriptor(int fd, const char *target, void *arg)
{
	struct look *l = arg;
	struct pins *pins = l->pins;
	/* Not read yet. */
	const struct pinned_ring ring = { .ring = { .fd = fd, .state = URING_BUSY } };

	pins->vfio |= vfio_link_of_any(target);
	if (!uring_link(target))
		return 0;
	if (!l->tid)
		l->tid = procs_living_thread(l->pid);
	for (size_t i = 0; i < pins->nr; i++)
		if (uring_same(l->tid, pins->ring[i].ring.fd, fd))
			return 0;
	return array_add(pins->ring, pins->nr, pins->max, ring) ? 0 : -ENOMEM;
}

static enum rounds_state state_of(const struct pins *pins)
{
	enum rounds_state state = ROUNDS_DECIDED, next;

	for (size_t i = 0; i < pins->nr && state != ROUNDS_INSIST; i++) {
		next = doubts_state(&pins->ring[i].doubts);
		if (next == ROUNDS_INSIST || is_open(&pins->ring[i]))
			state = next == ROUNDS_INSIST ? next : ROUNDS_OPEN;
	}
	return state;
}

/* Whether all of @some are in @all; both ascend. */
static bool are_in(const struct pids *some, const struct pids *all)
{
	size_t at = 0;

	for (size_t i = 0; i < some->nr; i++) {
		while (at < all->nr && all->pid[at] < some->pid[i])
			at++;
		if (at == all->nr || all->pid[at] != some->pid[i])
			return false;
	}
	return true;
}

/*
 * Whoever has got a ring since @l->owners was read wasn't asked: what is wrong may be of a
 * buffer of its own, and nothing is proven.
 */
static int doubt_unasked(const struct look *l, struct pinned_ring *ring,
			 const struct uring_owners *now)
{
	struct pids before = { 0 }, behind = { 0 };
	const int fd = ring->ring.fd;
	size_t unread;
	int err = uring_sharers(&before, &unread, l->owners, l->pid, fd);

	if (!err)
		err = uring_sharers(&behind, &unread, now, l->pid, fd);
	if (!err && !are_in(&behind, &before))
		doubts_free(&ring->doubts);
	pids_free(&before);
	pids_free(&behind);
	return err;
}

/* After the last look: reads once more who has which ring. */
static int ask_once_more(const struct look *l)
{
	struct uring_owners now = { 0 }, former;
	struct pins *pins = l->pins;
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < pins->nr; i++)
		any |= pins->ring[i].wrong.nr;
	if (any)
		err = uring_owners_read(&now, NULL);
	for (size_t i = 0; any && !err && i < pins->nr; i++)
		if (pins->ring[i].wrong.nr)
			err = doubt_unasked(l, &pins->ring[i], &now);
	if (any && !err) {
		former = *l->owners;
		*l->owners = now;
		now = former;
	}
	uring_owners_free(&now);
	return err;
}

int pins_read(struct pins *pins, struct ptwalk *client, pid_t pid, struct uring_owners *owners,
	      const volatile sig_atomic_t *stop)
{
	struct look l = {
		.client = client, .pid = pid, .pins = pins, .owners = owners, .stop = stop,
	};
	int err = told(pid, descriptors_each(pid, take_descriptor, &l));
	struct rounds rounds;
	int failed;

	if (err || !pins->nr)
		return err;
	rounds = doubts_rounds(pid, procs_asleep(pid));
	l.now = calloc(pins->nr, sizeof(*l.now));
	if (!l.now)
		return error_no_memory();
	/* A process that is busy needs time rather than rounds. */
	while ((!err || (err == -EBUSY && pins->seen)) && !look_is_stopped(&l) &&
	       rounds_next(&rounds, err ? ROUNDS_OPEN : state_of(pins))) {
		err = look_at_rings(&l, &rounds);
		pins->seen |= !err;
	}
	free(l.now);
	failed = ask_once_more(&l);
	for (size_t i = 0; !failed && i < pins->nr; i++)
		if (pins_settle(&pins->ring[i], ptwalk_kernel(client)->page_shift))
			failed = error_no_memory();
	if (failed)
		pins->seen = false;
	return failed ? failed : err == LOOK_STOPPED ? 0 : err;
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
