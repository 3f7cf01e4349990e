// SPDX-License-Identifier: GPL-2.0
/* Registered buffers: their list, and which of their pages are others now. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "base/array.h"
#include "base/exit_status.h"
#include "cmd/bus_look.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/pins_device.h"
#include "pins/charge.h"
#include "pins/device.h"
#include "pins/orphan.h"
#include "pins/pins.h"
#include "proc/iomem.h"
#include "proc/processes.h"
#include "proc/status.h"
#include "proc/vfio.h"
#include "tests.h"
#include "told.h"

#define SHIFT	12
#define AT	0x7f0000000000ULL
#define PRESENT	PTWALK_KIND_PRESENT
#define NONE	PTWALK_KIND_NONE
#define SWAP	PTWALK_KIND_SWAP
#define PAGE	PTWALK_FLAG_PAGE
#define SHARED	PTWALK_VMA_FLAG_MAYSHARE

static int parse(const char *text, struct uring *ring)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	int err;

	uring_free(ring);
	ring->fd = 5;
	err = uring_parse(stream, ring);
	fclose(stream);
	return err;
}

static void lists(void **state)
{
	struct uring ring = { 0 };

	/* Linux 6.12, with an empty slot; a file's name that looks like a list. */
	assert_int_equal(parse("pos:\t0\nUserFiles:\t2\n    0: a\nUserBufs:\t1\n    0: 0x1000/9\n    1: b\n"
			       "UserBufs:\t2\n    0: 0xffffffffffffffff/4294967295\n"
			       "    1: 0x7f0000000000/65536\nPollList:\n  op=1, task_works=0\n",
			       &ring), 0);
	assert_int_equal(ring.state, URING_READ);
	assert_int_equal(ring.nr, 1);
	assert_int_equal(ring.files, 2);
	assert_int_equal(ring.kernel, 0);
	assert_int_equal(ring.buffer[0].fd, 5);
	assert_int_equal(ring.buffer[0].index, 1);
	assert_int_equal(ring.buffer[0].addr, AT);
	assert_int_equal(ring.buffer[0].length, 65536);
	/* Linux 7.2: one of the kernel's buffers. */
	assert_int_equal(parse("UserFiles:\t0\nUserBufs:\t2\n    0: <none>\n    1: 0x0/4096\nPollList:\n",
			       &ring), 0);
	assert_int_equal(ring.nr, 0);
	assert_int_equal(ring.kernel, 1);
	/* Many. */
	assert_int_equal(parse("UserBufs:\t2\n 9999: 0x1000/9\n10000: 0x2000/9\nPollList:\n",
			       &ring), 0);
	assert_int_equal(ring.nr, 2);
	assert_int_equal(ring.buffer[1].index, 10000);
	/* Busy: without the list, or without anything. */
	assert_int_equal(parse("UserFiles:\t3\nUserBufs:\t2\nPollList:\n", &ring), -EAGAIN);
	assert_int_equal(ring.state, URING_BUSY);
	assert_int_equal(ring.files, 0);
	assert_int_equal(parse("pos:\t0\nflags:\t02\n", &ring), -EAGAIN);
	/* Nonsense. */
	assert_int_equal(parse("UserBufs:\t2\n    0: 0x1000\n    1: 0x2000/5\n", &ring), -EINVAL);
	assert_int_equal(ring.state, URING_STRANGE);
	assert_string_equal(ring.strange, "    0: 0x1000");
	assert_int_equal(ring.nr, 0);
	assert_int_equal(parse("UserBufs:\t1\n    x: 0x1000/1\n", &ring), -EINVAL);
	assert_string_equal(ring.strange, "    x: 0x1000/1");
	uring_free(&ring);
}

static uint64_t bits_of(uint32_t kind, uint32_t flags)
{
	return kind | (uint64_t)flags << PTWALK_BITS_FLAGS_SHIFT;
}

static void states(void **state)
{
	static const struct {
		uint32_t kind, flags;
		uint64_t vma, page;
		enum pin_state is;
	} cases[] = {
		{ PRESENT, PAGE, 0, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_HELD },
		{ PRESENT, PAGE, SHARED, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_HELD },
		{ PRESENT, PAGE, 0, 0, PIN_REPLACED },
		{ PRESENT, PAGE, SHARED, 0, PIN_REPLACED },
		/* The zero page has thousands of references. */
		{ PRESENT, PTWALK_FLAG_ZERO, 0, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_ZERO },
		{ PRESENT, PTWALK_FLAG_SPECIAL, 0, 0, PIN_UNKNOWN },
		{ NONE, 0, 0, 0, PIN_ABSENT },
		{ SWAP, 0, 0, 0, PIN_ABSENT },
		{ PTWALK_KIND_MARKER, 0, 0, 0, PIN_ABSENT },
		{ NONE, 0, SHARED, 0, PIN_UNKNOWN },
		{ PTWALK_KIND_MIGRATION, 0, 0, 0, PIN_UNKNOWN },
		{ PTWALK_KIND_HWPOISON, 0, 0, 0, PIN_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma vma = { .flags = cases[i].vma };
		const struct ptwalk_page page = { .flags = cases[i].page };

		assert_int_equal(pin_state_of(&vma, bits_of(cases[i].kind, cases[i].flags), &page),
				 cases[i].is);
	}
}

/*
 * A buffer of three pages, of which the other process has pinned the first two, or only
 * the first; and this one none, the second, or the first, which fork() has left to both.
 */
static void of_another(void **state)
{
	const uint32_t pinned = PTWALK_PAGE_FLAG_MAYBE_PINNED;
	static const struct {
		uint32_t here[3], there[3];
		uint64_t frames, flags;
		bool earlier, later;
	} cases[] = {
		{ { 0, 1, 0 }, { 1, 1, 0 }, 200, 0, true, false },
		{ { 0, 1, 1 }, { 1, 1, 0 }, 200, 0, true, false },
		{ { 0, 1, 0 }, { 0, 1, 0 }, 200, 0, false, false },
		{ { 0, 1, 0 }, { 1, 0, 0 }, 200, 0, true, false },
		{ { 1, 1, 0 }, { 1, 1, 0 }, 200, 0, false, false },
		{ { 1, 1, 0 }, { 1, 1, 1 }, 100, 0, false, false },
		{ { 1, 1, 1 }, { 1, 1, 1 }, 200, 0, false, false },
		/* A child has registered all, of which its parent has a page in another ring. */
		{ { 0, 1, 0 }, { 1, 1, 1 }, 200, 0, true, true },
		/* What both share, and either may have registered. */
		{ { 0, 1, 0 }, { 1, 1, 0 }, 200, SHARED, true, true },
		{ { 0, 1, 0 }, { 0, 1, 0 }, 100, SHARED, false, false },
		{ { 1, 1, 0 }, { 1, 1, 0 }, 100, SHARED, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_page pages[2][3] = { 0 };
		struct ptwalk_extent extents[2][3];
		struct ptwalk_vma vma = {
			.start = AT, .last = AT + 0x2fff, .flags = cases[i].flags,
		};
		struct truth truth[2];
		const struct uring_buffer buffer = { 5, 1, AT + 10, 0x2ff0 };

		for (unsigned int j = 0; j < 3; j++) {
			pages[0][j].flags = cases[i].here[j] ? pinned : 0;
			pages[1][j].flags = cases[i].there[j] ? pinned : 0;
			extents[0][j] = (struct ptwalk_extent){ AT + j * 0x1000, 100 + j, 1,
								bits_of(PRESENT, PAGE) };
			extents[1][j] = extents[0][j];
			extents[1][j].value = cases[i].frames + j;
		}
		for (unsigned int j = 0; j < 2; j++)
			truth[j] = (struct truth){
				.extents = extents[j], .nr_extents = 3, .vmas = &vma, .nr_vmas = 1,
				.pages = pages[j], .max_pages = 3,
			};
		assert_int_equal(pin_is_anothers(&buffer, &truth[0], &truth[1], true, SHIFT),
				 cases[i].earlier);
		assert_int_equal(pin_is_anothers(&buffer, &truth[0], &truth[1], false, SHIFT),
				 cases[i].later);
		/* Who has nothing there has pinned nothing. */
		truth[1].nr_extents = 0;
		assert_false(pin_is_anothers(&buffer, &truth[0], &truth[1], true, SHIFT));
	}
}

/*
 * Shared memory of two pages, of which the second is wrong; who has the ring, too, hasn't
 * touched it. It is right there only if that is other memory.
 */
static void of_shared_memory(void **state)
{
	static const struct {
		struct ptwalk_vma there;
		bool here_absent, is;
	} cases[] = {
		{ { .flags = SHARED, .pgoff = 3, .dev_minor = 1, .inode = 7 }, .is = false },
		{ { .flags = SHARED, .pgoff = 3, .dev_minor = 1, .inode = 8 }, .is = true },
		{ { .flags = SHARED, .pgoff = 3, .dev_minor = 2, .inode = 7 }, .is = true },
		{ { .flags = SHARED, .pgoff = 4, .dev_minor = 1, .inode = 7 }, .is = true },
		/* Private memory without a page has none. */
		{ { .pgoff = 3, .dev_minor = 1, .inode = 7 }, .is = false },
		/* What isn't mapped here may be the page that was registered. */
		{ { .flags = SHARED, .pgoff = 3, .dev_minor = 1, .inode = 7 }, .here_absent = true,
		  .is = true },
	};
	const struct uring_buffer buffer = { 5, 1, AT, 0x2000 };
	struct ptwalk_page pages[2] = { { .flags = PTWALK_PAGE_FLAG_MAYBE_PINNED } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_vma here = {
			.start = AT, .last = AT + 0x1fff, .flags = SHARED, .pgoff = 3,
			.dev_minor = 1, .inode = 7,
		}, there = cases[i].there;
		struct ptwalk_extent extents[2][2] = {
			{ { AT, 100, 1, bits_of(PRESENT, PAGE) },
			  { AT + 0x1000, 101, 1, bits_of(PRESENT, PAGE) } },
			{ { AT, 100, 1, bits_of(PRESENT, PAGE) },
			  { AT + 0x1000, 0, 1, bits_of(NONE, 0) } },
		};
		struct truth truth[2] = {
			{ .extents = extents[0], .nr_extents = 2 - cases[i].here_absent,
			  .vmas = &here, .nr_vmas = 1, .pages = pages, .max_pages = 2 },
			{ .extents = extents[1], .nr_extents = 2, .vmas = &there, .nr_vmas = 1,
			  .pages = pages, .max_pages = 2 },
		};

		there.start = here.start;
		there.last = here.last;
		assert_int_equal(pin_is_anothers(&buffer, &truth[0], &truth[1], false, SHIFT),
				 cases[i].is);
	}
}

/* Two extents with a hole between them, which a buffer begins and ends outside of. */
static void stretches(void **state)
{
	struct ptwalk_page pages[] = { { 0 }, { .flags = PTWALK_PAGE_FLAG_MAYBE_PINNED } };
	struct ptwalk_vma vmas[] = {
		{ .start = AT, .last = AT + 0x3fff },
		{ .start = AT + 0x6000, .last = AT + 0x8fff },
	};
	struct ptwalk_extent extents[] = {
		{ AT, 100, 4, bits_of(PRESENT, PAGE) },
		{ AT + 0x6000, 200, 3, bits_of(PRESENT, PAGE) },
	};
	const struct truth truth = {
		.extents = extents, .nr_extents = 2, .vmas = vmas, .nr_vmas = 2,
		.pages = pages, .max_pages = 2,
	};
	const struct uring_buffer buffer = { 5, 1, AT + 0x1010, 0x8000 };
	struct pin_stretches now = { 0 };

	assert_int_equal(pin_stretches_add(&now, &buffer, &truth, SHIFT), 0);
	assert_int_equal(now.pages[PIN_REPLACED], 3);
	assert_int_equal(now.pages[PIN_UNMAPPED], 3);
	assert_int_equal(now.pages[PIN_HELD], 3);
	assert_int_equal(now.nr, 3);
	assert_int_equal(now.stretch[0].addr, AT + 0x1000);
	assert_int_equal(now.stretch[0].value, 101);
	assert_int_equal(now.stretch[1].addr, AT + 0x4000);
	assert_int_equal(now.stretch[1].pages, 2);
	assert_int_equal(now.stretch[2].addr, AT + 0x9000);
	assert_int_equal(now.stretch[2].pages, 1);
	free(now.stretch);
}

/* Buffers with a page that nobody pins and another that isn't there: who keeps these. */
static void buffers_kept(void **state)
{
	struct uring_buffer listed[] = {
		{ 3, 0, AT, 8192 }, { 3, 1, AT, 8192 }, { 3, 2, AT, 8192 },
		{ 3, 3, AT, 8192 }, { 3, 4, AT, 8192 },
	};
	/* The first is gone, the fourth is at another address; one is new. */
	struct uring_buffer stay[] = {
		listed[1], listed[2], { 3, 3, AT + 4096, 8192 }, listed[4], { 3, 5, AT, 8192 },
	};
	struct pin_stretch wrong[10];
	struct pinned_buffer buffers[5];
	struct pinned_ring now = {
		.ring = { .fd = 3, .state = URING_READ, .buffer = listed, .nr = 5 },
		.buffer = buffers, .wrong = { .stretch = wrong, .nr = 10 },
	};
	struct uring behind = { .fd = 3, .state = URING_READ, .buffer = stay, .nr = 5 };
	static const unsigned int indices[] = { 1, 2, 4 };

	for (unsigned int i = 0; i < 5; i++) {
		buffers[i] = (struct pinned_buffer){ .judged = true, .pages[PIN_HELD] = i };
		wrong[2 * i] = (struct pin_stretch){ listed[i], PIN_REPLACED, AT, 1, 100 };
		wrong[2 * i + 1] = (struct pin_stretch){ listed[i], PIN_ABSENT, AT + 4096, 1 };
	}
	pins_keep(&now, &behind);
	assert_int_equal(now.ring.state, URING_READ);
	assert_int_equal(now.ring.nr, 3);
	assert_int_equal(now.wrong.nr, 6);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(now.ring.buffer[i].index, indices[i]);
		assert_int_equal(now.buffer[i].pages[PIN_HELD], indices[i]);
		assert_int_equal(wrong[2 * i].buffer.index, indices[i]);
		assert_int_equal(wrong[2 * i].state, PIN_REPLACED);
		assert_int_equal(wrong[2 * i + 1].buffer.index, indices[i]);
		assert_int_equal(wrong[2 * i + 1].state, PIN_ABSENT);
	}
	/* What it has can't be said. */
	behind = (struct uring){ .fd = 3, .state = URING_BUSY };
	pins_keep(&now, &behind);
	assert_int_equal(now.ring.state, URING_BUSY);
	assert_int_equal(now.ring.nr, 0);
	assert_int_equal(now.wrong.nr, 0);
}

#define RING_PAGES	8	/* of each of two buffers, at the same addresses */
#define MOST_LOOKS	60

/**
 * struct drawn - what looks see of a ring
 * @state: Of the ring, by look.
 * @slept: The process did; once it hasn't, it hasn't any more.
 * @length: Of the second buffer, which is another one with another length.
 * @wrong: Pages of each buffer that are wrong.
 * @frame: Of the first; another frame is wrong all the same.
 */
struct drawn {
	enum uring_state state[MOST_LOOKS];
	bool slept[MOST_LOOKS];
	uint64_t length[MOST_LOOKS], frame[MOST_LOOKS];
	unsigned int wrong[MOST_LOOKS][2];
};

static unsigned int draw(unsigned int most)
{
	return random() % most;
}

static void draw_looks(struct drawn *d)
{
	const unsigned int rare = 2 + draw(60), busy = 1 + draw(12);
	unsigned int wrong[2] = { draw(1 << RING_PAGES), draw(1 << RING_PAGES) };
	enum uring_state state = URING_READ;
	bool slept = draw(2), longer = false;

	for (unsigned int i = 0; i < MOST_LOOKS; i++) {
		/* Stretches shrink, grow and move. */
		if (!draw(rare))
			wrong[draw(2)] ^= 1 << draw(RING_PAGES);
		if (!draw(4 * rare))
			wrong[0] = wrong[0] << 1 & ((1 << RING_PAGES) - 1);
		if (!draw(4 * rare))
			longer = !longer;
		if (!draw(4 * rare))
			slept = false;
		if (!draw(busy))
			state = !draw(8) ? URING_GONE : draw(3) ? URING_BUSY : URING_STRANGE;
		else if (busy > 1)
			state = URING_READ;
		d->state[i] = state;
		d->slept[i] = slept;
		d->length[i] = RING_PAGES * 4096 - longer;
		d->frame[i] = 100 + draw(2);
		memcpy(d->wrong[i], wrong, sizeof(wrong));
	}
}

/* The look as pins_look() gets it. */
static void see(struct pinned_ring *now, const struct drawn *d, unsigned int look)
{
	const struct uring_buffer both[] = {
		{ 3, 0, AT, RING_PAGES * 4096 }, { 3, 1, AT, d->length[look] },
	};

	*now = (struct pinned_ring){ .ring = { .fd = 3, .state = d->state[look] } };
	if (d->state[look] != URING_READ)
		return;
	now->buffer = calloc(2, sizeof(*now->buffer));
	assert_non_null(now->buffer);
	for (int i = 0; i < 2; i++) {
		struct pinned_buffer *b = &now->buffer[now->ring.nr];

		assert_true(array_add(now->ring.buffer, now->ring.nr, now->ring.max, both[i]));
		b->judged = true;
		for (unsigned int page = 0, nr; page < RING_PAGES; page += nr) {
			const bool is_wrong = d->wrong[look][i] >> page & 1;
			const struct pin_stretch s = {
				both[i], PIN_REPLACED, AT + page * 4096, 1, d->frame[look] + page
			};

			for (nr = 1; page + nr < RING_PAGES; nr++)
				if ((d->wrong[look][i] >> (page + nr) & 1) != is_wrong)
					break;
			b->pages[is_wrong ? PIN_REPLACED : PIN_HELD] += nr;
			if (!is_wrong)
				continue;
			assert_true(array_add(now->wrong.stretch, now->wrong.nr,
					      now->wrong.max, s));
			now->wrong.stretch[now->wrong.nr - 1].pages = nr;
		}
	}
}

/**
 * struct by_page - what is known, page by page
 * @streak: Of each page of each buffer.
 * @last: The last look that could read the ring; -1: none.
 */
struct by_page {
	struct streak streak[2][RING_PAGES];
	int last;
	enum uring_state state;
};

static void expect(struct by_page *e, const struct drawn *d, unsigned int look)
{
	if (d->state[look] != URING_READ && d->state[look] != URING_GONE) {
		if (e->state != URING_READ)
			e->state = d->state[look];
		return;
	}
	for (int i = 0; i < 2; i++)
		for (unsigned int page = 0; page < RING_PAGES; page++) {
			struct streak *s = &e->streak[i][page];
			const bool other = i && e->last >= 0 && d->length[e->last] != d->length[look];

			if (d->state[look] == URING_GONE || other)
				*s = (struct streak){ 0 };
			if (d->state[look] == URING_GONE || !(d->wrong[look][i] >> page & 1)) {
				*s = (struct streak){ 0 };
				continue;
			}
			s->nr++;
			s->slept = d->slept[look] ? s->slept + 1 : 0;
		}
	e->state = d->state[look];
	e->last = d->state[look] == URING_READ ? (int)look : -1;
}

/* The pages of stretches, by buffer, the first of which has this frame. */
static void note_pages(const struct pin_stretches *stretches, uint64_t frame, uint64_t pages[2])
{
	for (size_t i = 0; i < stretches->nr; i++) {
		const struct pin_stretch *s = &stretches->stretch[i];
		const uint64_t first = (s->addr - AT) >> SHIFT;

		assert_int_equal(s->value, frame + first);
		for (uint64_t page = first; page < first + s->pages; page++)
			pages[s->buffer.index] |= 1 << page;
	}
}

/* What is told after the last look: of the last one that saw the ring, all pages. */
static unsigned int compare(struct pinned_ring *ring, const struct by_page *e,
			    const struct drawn *d)
{
	const uint64_t frame = e->last < 0 ? 0 : d->frame[e->last];
	uint64_t told[2] = { 0 }, open[2] = { 0 }, unproven = 0;
	unsigned int proven = 0;

	assert_int_equal(pins_settle(ring, SHIFT), 0);
	assert_int_equal(ring->ring.state, e->state);
	assert_int_equal(ring->ring.nr, e->last < 0 ? 0 : 2);
	note_pages(&ring->wrong, frame, told);
	note_pages(&ring->open, frame, open);
	for (int i = 0; e->last >= 0 && i < 2; i++) {
		uint64_t pages[NR_PIN_STATES] = { 0 };

		for (unsigned int page = 0; page < RING_PAGES; page++) {
			const bool is_wrong = d->wrong[e->last][i] >> page & 1;
			const bool is_told = is_wrong && streak_proves(&e->streak[i][page]);

			assert_int_equal(told[i] >> page & 1, is_told);
			assert_int_equal(open[i] >> page & 1, is_wrong && !is_told);
			pages[is_told ? PIN_REPLACED : is_wrong ? PIN_UNKNOWN : PIN_HELD]++;
			proven += is_told;
			unproven += is_wrong && !is_told;
		}
		assert_memory_equal(ring->buffer[i].pages, pages, sizeof(pages));
	}
	assert_int_equal(ring->unproven, unproven);
	return proven;
}

/*
 * Looks that end at any point: what is told is what page by page comes to. Rings are busy
 * always, at first or in between, or are gone; buffers become others.
 */
static void looks_at_rings(void **state)
{
	unsigned int proven = 0, busy = 0, both = 0;

	for (unsigned int seed = 1; seed <= 100; seed++) {
		struct drawn d;

		srandom(seed);
		draw_looks(&d);
		for (unsigned int end = 0; end <= MOST_LOOKS; end++) {
			struct pinned_ring ring = { .ring = { .fd = 3, .state = URING_BUSY } }, now;
			struct by_page e = { .last = -1, .state = URING_BUSY };
			unsigned int told;

			for (unsigned int look = 0; look < end; look++) {
				see(&now, &d, look);
				assert_int_equal(pins_look(&ring, &now, SHIFT, d.slept[look]), 0);
				expect(&e, &d, look);
			}
			told = compare(&ring, &e, &d);
			proven += !!told;
			busy += e.state == URING_BUSY;
			both += told && d.state[end - 1] == URING_BUSY;
			pinned_ring_free(&ring);
		}
	}
	/* Each has been tried. */
	if (!proven || !busy || !both)
		fail_msg("%u with findings, %u busy, %u both", proven, busy, both);
}

/**
 * struct failing - looks at a process of which some can't read it
 * @from: The first of those, or one in which it is so that @stops.
 * @err: What that comes to.
 * @for_ever: So do all that follow.
 * @stops: A signal ends them.
 * @runs: The process doesn't sleep.
 * @whole: How many read it; 0: as many as there are.
 */
struct failing {
	unsigned int from;
	int err;
	bool for_ever, stops, runs;
	unsigned int whole;
};

static const struct failing *failing;
static unsigned int nr_looks, nr_whole;
static volatile sig_atomic_t stop;

/* What descriptors lead to; NULL: those of the process. */
static const char *const *test_links;

#define RING	"anon_inode:[io_uring]"

struct ptwalk_kernel told_kernel = { .page_shift = SHIFT };

const struct ptwalk_kernel *__real_ptwalk_kernel(const struct ptwalk *client);
const struct ptwalk_kernel *__wrap_ptwalk_kernel(const struct ptwalk *client);

const struct ptwalk_kernel *__wrap_ptwalk_kernel(const struct ptwalk *client)
{
	return client ? __real_ptwalk_kernel(client) : &told_kernel;
}

bool test_has_client;

int __real_client_open(struct ptwalk **client);
int __wrap_client_open(struct ptwalk **client);

int __wrap_client_open(struct ptwalk **client)
{
	*client = NULL;
	return test_links || test_has_client ? 0 : __real_client_open(client);
}

/* Of so manieth process they can't be read; 0: of none. */
static unsigned int links_fail;

int __real_descriptors_each(pid_t pid, int (*take)(int fd, const char *target, void *arg),
			    void *arg);
int __wrap_descriptors_each(pid_t pid, int (*take)(int fd, const char *target, void *arg),
			    void *arg);

int __wrap_descriptors_each(pid_t pid, int (*take)(int fd, const char *target, void *arg),
			    void *arg)
{
	int err = 0;

	if (!test_links)
		return __real_descriptors_each(pid, take, arg);
	if (links_fail && !--links_fail)
		return -EIO;
	for (int fd = 0; !err && test_links[fd]; fd++)
		err = take(fd, test_links[fd], arg);
	return err;
}

/* Where the buffers of a ring are; nowhere: one is at AT. */
static struct ranges test_buffers;

int __wrap_uring_read(struct uring *ring, pid_t pid, int fd);

int __wrap_uring_read(struct uring *ring, pid_t pid, int fd)
{
	const struct range one = { AT, AT + (4 << SHIFT) - 1 };
	const struct range *at = test_buffers.nr ? test_buffers.range : &one;

	*ring = (struct uring){ .fd = fd, .state = URING_READ };
	for (unsigned int i = 0; !i || i < test_buffers.nr; i++) {
		const struct uring_buffer buffer = {
			fd, i, at[i].start, at[i].last - at[i].start + 1
		};

		assert_true(array_add(ring->buffer, ring->nr, ring->max, buffer));
	}
	return 0;
}

/* A descriptor that is the same ring as the first one; 0: none. */
static int test_twin;

bool __real_uring_same(pid_t tid, int a, int b);
bool __wrap_uring_same(pid_t tid, int a, int b);

bool __wrap_uring_same(pid_t tid, int a, int b)
{
	return test_links ? test_twin && !a && b == test_twin : __real_uring_same(tid, a, b);
}

/*
 * Who has a ring, too; NULL: those who do. They can be read, or not; so many have come by the
 * time that they are asked for again.
 */
static const struct pids *test_sharers;
static size_t test_unread, test_come;

/* What the command knows of them. */
static struct uring_owners owners;

int __real_uring_sharers(struct pids *out, size_t *unread, const struct uring_owners *all,
			 pid_t pid, int fd);
int __wrap_uring_sharers(struct pids *out, size_t *unread, const struct uring_owners *all,
			 pid_t pid, int fd);

int __wrap_uring_sharers(struct pids *out, size_t *unread, const struct uring_owners *all,
			 pid_t pid, int fd)
{
	size_t nr;

	if (!test_sharers)
		return __real_uring_sharers(out, unread, all, pid, fd);
	*unread = test_unread;
	nr = test_sharers->nr - (all == &owners ? test_come : 0);
	for (size_t i = 0; i < nr; i++)
		assert_true(array_add(out->pid, out->nr, out->max, test_sharers->pid[i]));
	return 0;
}

/* The first page is held, the second isn't there, nor one of the others in turn. */
static int read_or_fail(pid_t pid, uint64_t start, uint64_t last, struct truth *truth)
{
	const unsigned int look = nr_looks++;
	unsigned int other;

	stop |= failing->stops && look >= failing->from;
	if (failing->err && (failing->for_ever ? look >= failing->from : look == failing->from))
		return failing->err;
	truth_free(truth);
	other = 2 + nr_whole++ % 2;
	truth->nr_vmas = 1;
	truth->nr_extents = 2;
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents = calloc(2, sizeof(*truth->extents));
	truth->pages = calloc(2, sizeof(*truth->pages));
	truth->vmas[0] = (struct ptwalk_vma){ .start = AT, .last = AT + (4 << SHIFT) - 1 };
	for (unsigned int i = 0; i < 2; i++) {
		truth->pages[i].flags = PTWALK_PAGE_FLAG_MAYBE_PINNED;
		truth->extents[i] = (struct ptwalk_extent){
			AT + (i * other << SHIFT), 100 + i, 1, bits_of(PRESENT, PAGE)
		};
	}
	return 0;
}

/* What whole looks have proven holds, whatever comes behind them. */
static void looks_that_fail(void **state)
{
	static const char *const links[] = { "/dev/null", RING, NULL };
	static const struct failing cases[] = {
		{ 0 },
		{ .from = 0, .err = -EBUSY, .for_ever = true },
		{ .from = 0, .err = -ESRCH, .for_ever = true },
		{ .from = 4, .err = -EBUSY },
		{ .from = 8, .err = -EBUSY },
		{ .from = 4, .err = -EBUSY, .for_ever = true, .whole = 4 },
		{ .from = 8, .err = -EBUSY, .for_ever = true, .whole = 8 },
		{ .from = 8, .err = -EBUSY, .for_ever = true, .runs = true, .whole = 8 },
		{ .from = 4, .err = -ESRCH, .for_ever = true, .whole = 4 },
		{ .from = 8, .err = -ESRCH, .for_ever = true, .whole = 8 },
		{ .from = 4, .stops = true, .whole = 5 },
		{ .from = 8, .stops = true, .whole = 9 },
		{ .from = 8, .err = -EBUSY, .stops = true, .whole = 8 },
	};
	static const struct pids alone;

	test_truth_read = read_or_fail;
	test_links = links;
	test_sharers = &alone;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool none = !cases[i].from && cases[i].err;
		const bool fails = cases[i].for_ever || (cases[i].err && cases[i].stops);
		const struct pin_stretch *s;
		struct pins pins = { 0 };

		failing = &cases[i];
		nr_looks = nr_whole = stop = 0;
		test_asleep = !cases[i].runs;
		assert_int_equal(pins_read(&pins, NULL, 1, &owners, &stop),
				 fails ? cases[i].err : 0);
		assert_int_equal(pins.seen, !none);
		/* The pauses alone bound them. */
		assert_true(nr_looks <= 4 * JUDGE_PAGE_ROUNDS);
		if (none || cases[i].whole)
			assert_int_equal(nr_whole, cases[i].whole);
		else
			assert_true(nr_whole > JUDGE_PAGE_ROUNDS);
		if (!none) {
			const bool proven = nr_whole >= JUDGE_PAGE_ROUNDS && !cases[i].runs;

			s = pins.ring[0].wrong.stretch;
			assert_int_equal(pins.ring[0].wrong.nr, proven);
			assert_true(!proven || (s->addr == AT + (1 << SHIFT) && s->pages == 1));
			assert_int_equal(pins.ring[0].unproven, !proven + 1);
		}
		pins_free(&pins);
	}
}

#define LAST(at, pages)	((at) + ((pages) << SHIFT) - 1)
#define FAR		(AT + (1ULL << 40))
#define GIB		(1ULL << 30)

static struct ranges read_ranges;

/* Of each four pages the last one isn't there, the others are pinned. */
static int read_rows(pid_t pid, uint64_t start, uint64_t last, struct truth *truth)
{
	const size_t nr = (last >> (SHIFT + 2)) - (start >> (SHIFT + 2)) + 1;

	assert_int_equal(ranges_add(&read_ranges, start, last), 0);
	start &= ~((4ULL << SHIFT) - 1);
	truth_free(truth);
	truth->nr_vmas = 1;
	truth->nr_extents = nr;
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents = calloc(nr, sizeof(*truth->extents));
	truth->pages = calloc(nr, sizeof(*truth->pages));
	truth->vmas[0] = (struct ptwalk_vma){ .start = start, .last = last };
	for (size_t i = 0; i < nr; i++) {
		truth->pages[i].flags = PTWALK_PAGE_FLAG_MAYBE_PINNED;
		truth->extents[i] = (struct ptwalk_extent){
			start + (i << (SHIFT + 2)), 4 * i, 3, bits_of(PRESENT, PAGE)
		};
	}
	return 0;
}

/* Buffers that are near each other are read at once, and each is judged by its own pages. */
static void looks_at_near_buffers(void **state)
{
	static const char *const links[] = { RING, NULL };
	static const struct pids alone;
	struct range buffers[] = {
		{ AT, LAST(AT, 4ULL) }, { AT + 0x1000, LAST(AT, 8ULL) },
		{ AT + 0x14000, LAST(AT, 24ULL) },
		{ FAR, LAST(FAR, 8ULL) }, { AT, LAST(AT, 4ULL) }, { AT + 0x4000, LAST(AT, 12ULL) },
		{ FAR, FAR + GIB - 1 }, { FAR + GIB, LAST(FAR + GIB, 4ULL) },
		{ FAR + GIB + 0x14000, LAST(FAR + GIB, 24ULL) },
		{ FAR + GIB + 0x28001, LAST(FAR + GIB, 44ULL) },
	};
	static const struct range wanted[] = {
		{ AT, LAST(AT, 24ULL) }, { FAR, LAST(FAR, 8ULL) }, { AT, LAST(AT, 12ULL) },
		{ FAR, FAR + GIB - 1 }, { FAR + GIB, LAST(FAR + GIB, 24ULL) },
		{ FAR + GIB + 0x28001, LAST(FAR + GIB, 44ULL) },
	};
	static const uint64_t wrong[] = { 1, 2, 1, 2, 1, 2, GIB >> (SHIFT + 2), 1, 1, 1 };
	const size_t nr = sizeof(wanted) / sizeof(wanted[0]);
	struct pins pins = { 0 };

	test_buffers = (struct ranges){ buffers, sizeof(buffers) / sizeof(buffers[0]) };
	test_truth_read = read_rows;
	test_links = links;
	test_sharers = &alone;
	test_asleep = true;
	stop = 0;
	assert_int_equal(pins_read(&pins, NULL, 1, &owners, &stop), 0);
	assert_int_equal(read_ranges.nr % nr, 0);
	for (size_t i = 0; i < read_ranges.nr; i++)
		assert_memory_equal(&read_ranges.range[i], &wanted[i % nr], sizeof(wanted[0]));
	for (size_t i = 0; i < test_buffers.nr; i++)
		assert_int_equal(pin_wrong(pins.ring[0].buffer[i].pages), wrong[i]);
	ranges_free(&read_ranges);
	pins_free(&pins);
}

/**
 * struct sharing - looks at a process whose ring the first process has, too
 * @looks: A letter for each look at that: it has Other pages there, Pins them, is Gone, is
 *	Busy, or may not be looked at, Denied. The last one stands for those that follow.
 * @sharers: How many there are; the second is Denied. @come: of these, that weren't there
 *	before the last look.
 * @held: Pages of the process that are pinned, of four.
 * @unread: Sharers whose descriptors can't be read.
 * @untold, @judged, @wrong, @unproven: What becomes of its buffer, and of its pages.
 */
static const struct sharing {
	const char *looks;
	size_t sharers, held, unread;
	int untold;
	bool judged;
	size_t wrong, unproven, come;
} sharings[] = {
	{ "", 0, 1, 0, 0, true, 3, 0 },
	{ "O", 1, 1, 0, 0, true, 3, 0 },
	{ "O", 2, 1, 0, -EACCES, false, 0, 0 },
	{ "O", 2, 1, 0, 0, true, 0, 3, 1 },
	{ "", 1, 1, 0, 0, true, 0, 3, 1 },
	{ "P", 1, 1, 0, 0, false, 0, 0 },
	{ "G", 1, 1, 0, 0, true, 3, 0 },
	{ "B", 1, 1, 0, -EBUSY, false, 0, 0 },
	{ "D", 1, 1, 0, -EACCES, false, 0, 0 },
	{ "BBO", 1, 1, 0, 0, true, 3, 0 },
	{ "OOBO", 1, 1, 0, 0, true, 3, 0 },
	{ "OB", 1, 1, 0, 0, true, 0, 3 },
	{ "BP", 1, 1, 0, 0, false, 0, 0 },
	{ "O", 1, 0, 0, 0, false, 0, 0 },
	{ "O", 1, 0, 1, -EACCES, false, 0, 0 },
	{ "O", 2, 0, 1, 0, false, 0, 0 },
};

static const struct sharing *sharing;

/* At each address of four another frame for each process. */
static void see_pages(struct truth *truth, pid_t pid, size_t nr)
{
	truth_free(truth);
	truth->nr_vmas = 1;
	truth->nr_extents = nr;
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents = calloc(4, sizeof(*truth->extents));
	truth->pages = calloc(4, sizeof(*truth->pages));
	truth->vmas[0] = (struct ptwalk_vma){ .start = AT, .last = AT + (4 << SHIFT) - 1 };
	for (size_t i = 0; i < nr; i++) {
		truth->pages[i].flags = PTWALK_PAGE_FLAG_MAYBE_PINNED;
		truth->extents[i] = (struct ptwalk_extent){
			AT + (i << SHIFT), 100 * pid + i, 1, bits_of(PRESENT, PAGE)
		};
	}
}

static int read_sharer(pid_t pid, uint64_t start, uint64_t last, struct truth *truth)
{
	const size_t end = strlen(sharing->looks) - 1;

	if (pid == getpid()) {
		see_pages(truth, pid, sharing->held);
		return 0;
	}
	if (pid != 1)
		return -EACCES;
	switch (sharing->looks[nr_looks < end ? nr_looks++ : end]) {
	case 'B':
		return -EBUSY;
	case 'D':
		return -EACCES;
	case 'G':
		return -ESRCH;
	case 'P':
		see_pages(truth, pid, 4);
		return 0;
	}
	see_pages(truth, pid, 0);
	return 0;
}

/* What isn't known of them isn't taken for an answer. */
static void looks_at_sharers(void **state)
{
	static const char *const links[] = { RING, NULL };
	static pid_t pids[2] = { 1 };
	static struct pids sharers;

	pids[1] = fork();
	if (!pids[1]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	test_truth_read = read_sharer;
	test_links = links;
	sharers.pid = pids;
	test_sharers = &sharers;
	test_asleep = true;
	stop = 0;
	for (size_t i = 0; i < sizeof(sharings) / sizeof(sharings[0]); i++) {
		const struct pinned_ring *ring;
		struct pins pins = { 0 };

		sharing = &sharings[i];
		sharers.nr = sharing->sharers;
		test_unread = sharing->unread;
		test_come = sharing->come;
		uring_owners_free(&owners);
		nr_looks = 0;
		assert_int_equal(pins_read(&pins, NULL, getpid(), &owners, &stop), 0);
		assert_true(pins.seen);
		ring = &pins.ring[0];
		assert_int_equal(ring->ring.state, URING_READ);
		assert_int_equal(ring->buffer[0].judged, sharing->judged);
		assert_int_equal(ring->buffer[0].untold, sharing->untold);
		assert_int_equal(pins_untold(ring), sharing->untold);
		assert_int_equal(ring->wrong.nr, !!sharing->wrong);
		assert_int_equal(pin_wrong(ring->buffer[0].pages), sharing->wrong);
		assert_int_equal(ring->unproven, sharing->unproven);
		pins_free(&pins);
	}
	kill(pids[1], SIGKILL);
	waitpid(pids[1], NULL, 0);
}

static void look_at_self(void *status)
{
	char *argv[] = { (char *)"pins", (char *)"self", NULL };

	*(int *)status = cmd_pins(2, argv);
}

/* One that has the ring, too, may have what isn't right here, and can't be asked. */
static void untold_statuses(void **state)
{
	static const char *const links[] = { RING, NULL };
	static const struct {
		struct sharing sharing;
		int status;
		bool is_untold;
	} cases[] = {
		{ { "O", .held = 1 }, EXIT_MISMATCH },
		{ { "P", .held = 1 }, EXIT_MATCH },
		{ { "B", .held = 1 }, EXIT_UNSTABLE, true },
		{ { "D", .held = 1 }, EXIT_UNCHECKED, true },
		{ { "O", .held = 0, .unread = 1 }, EXIT_UNCHECKED, true },
	};
	static pid_t first = 1;
	static struct pids sharers = { &first, 1 };

	test_truth_read = read_sharer;
	test_links = links;
	test_sharers = &sharers;
	test_asleep = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;
		int status;

		sharing = &cases[i].sharing;
		test_unread = sharing->unread;
		nr_looks = 0;
		text = told_text(look_at_self, &status);
		if (status != cases[i].status)
			fail_msg("case %zu: %d: %s", i, status, text);
		assert_int_equal(!!strstr(text, "left out: 1 buffer: pages of it look replaced"),
				 cases[i].is_untold);
		free(text);
	}
}

/**
 * struct wide - looks at a device whose process has many mappings, most of them empty, in
 *	rows of 1 GiB, and as much memory at bus addresses elsewhere; of that, later looks
 *	find the first page alone, which the process has no more
 * @extents: So many mappings, and pages elsewhere.
 * @charged: Pages that are charged to it; @is_hidden: that can't be read,
 *	as JSON tells.
 * @bar: The first page elsewhere is no RAM.
 * @stops: A signal comes in the look elsewhere, in that at the table, in the second of
 *	those at its own addresses, or in the second at all that was found.
 * @own: So many looks at its own addresses there are.
 * @told: What is told, or a part of it, or NULL.
 */
struct wide {
	size_t extents;
	uint64_t charged;
	bool is_hidden, bar;
	enum { WIDE_ELSEWHERE = 1, WIDE_TABLE, WIDE_OWN, WIDE_AGAIN } stops;
	unsigned int own;
	const char *told;
};

static const struct wide *wide;

/* So many calls for frames, less one, are answered, 0: all; there is memory for two of them. */
static unsigned int frames_answered;
static bool has_little_memory;

static int no_stand_in(void **state)
{
	has_little_memory = false;
	frames_answered = 0;
	test_sharers = NULL;
	test_unread = test_come = 0;
	uring_owners_free(&owners);
	test_truth_read = NULL;
	test_links = NULL;
	test_twin = 0;
	test_buffers.nr = 0;
	wide = NULL;
	return 0;
}

/* One look at the descriptors tells of rings and of VFIO. */
static void looks_at_descriptors(void **state)
{
	static const struct {
		const char *const links[4];
		size_t rings;
		bool vfio;
		int twin;
	} cases[] = {
		{ { NULL }, 0, false },
		{ { "/dev/null", RING " (deleted)" }, 0, false },
		{ { RING, RING }, 2, false },
		{ { RING, RING }, 1, false, 1 },
		{ { RING, RING, RING }, 2, false, 2 },
		{ { "/dev/iommu", RING }, 1, true },
		{ { RING, "/dev/vfio/7" }, 1, true },
		{ { "/dev/vfio/noiommu-7" }, 0, true },
		{ { "/dev/vfio" }, 0, false },
	};

	stop = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pins pins = { 0 };

		test_links = cases[i].links;
		test_twin = cases[i].twin;
		assert_int_equal(pins_read(&pins, NULL, 1, &owners, &stop), 0);
		assert_int_equal(pins.nr, cases[i].rings);
		assert_int_equal(pins.vfio, cases[i].vfio);
		pins_free(&pins);
	}
}

/* Not at the end of the look, which may be far. */
static void looks_stopped_within(void **state)
{
	static const char *const links[] = { RING, RING, RING, NULL };
	static const struct failing at_second = { .from = 1, .stops = true };
	struct pins pins = { 0 };

	test_truth_read = read_or_fail;
	test_links = links;
	failing = &at_second;
	nr_looks = nr_whole = stop = 0;
	assert_int_equal(pins_read(&pins, NULL, 1, &owners, &stop), 0);
	assert_int_equal(nr_looks, 2);
	assert_int_equal(pins.nr, 3);
	assert_false(pins.seen);
	pins_free(&pins);
}

static void look_at_all(void *status)
{
	char *argv[] = { (char *)"pins", NULL };

	*(int *)status = cmd_pins(1, argv);
}

/* Who stops at an error hasn't looked at all processes. */
static void looks_at_all(void **state)
{
	static const char *const links[] = { "/dev/null", NULL };

	if (procs_hidden())
		skip();
	test_links = links;
	for (unsigned int fails = 0; fails < 3; fails += 2) {
		char *text;
		int status;

		links_fail = fails;
		text = told_text(look_at_all, &status);
		assert_int_equal(status, fails ? EXIT_UNCHECKED : EXIT_MATCH);
		assert_int_equal(!strstr(text, "looked at all processes: no descriptor of an io_uring ring"), !!fails);
		assert_int_equal(!strstr(text, "0 processes, 0 rings with"), !fails);
		assert_int_equal(links_fail, 0);
		free(text);
	}
}

static void look_for_orphans(void *status)
{
	char *argv[] = { (char *)"pins", (char *)"--orphans", NULL };

	*(int *)status = cmd_pins(2, argv);
}

/* What was seen before an error is told of nobody. */
static void orphans_not_looked_at(void **state)
{
	static const char *const links[] = { "/dev/null", NULL };
	static const struct {
		unsigned int answered;
		int status;
		const char *told;
	} cases[] = {
		{ 0, EXIT_MISMATCH, "left out: 1 page: no process maps it" },
		{ 0, EXIT_MISMATCH, " frames looked at: 1 pinned" },
		{ 1, EXIT_UNCHECKED, "\n0 frames looked at: 0 pinned" },
		{ 2, EXIT_UNCHECKED, "\n0 frames looked at: 0 pinned" },
		{ 5, EXIT_UNCHECKED, "\n0 frames looked at: 0 pinned" },
	};

	if (procs_hidden())
		skip();
	test_links = links;
	has_little_memory = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;
		int status;

		frames_answered = cases[i].answered ? cases[i].answered + 1 : 0;
		text = told_text(look_for_orphans, &status);
		if (status != cases[i].status || !strstr(text, cases[i].told) ||
		    !strstr(text, "left out: ") != (status == EXIT_UNCHECKED))
			fail_msg("case %zu: %d: %s", i, status, text);
		free(text);
	}
}

/* A signal before the first look: nothing is known of the ring, not even that it is busy. */
static void looks_not_begun(void **state)
{
	static const char *const links[] = { RING, NULL };
	struct pins pins = { 0 };

	stop = 1;
	test_links = links;
	assert_int_equal(pins_read(&pins, NULL, 1, &owners, &stop), 0);
	assert_int_equal(pins.nr, 1);
	assert_false(pins.seen);
	pins_free(&pins);
}

static const struct ptwalk_page orphan = {
	.flags = PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_LRU |
		 PTWALK_PAGE_FLAG_MAYBE_PINNED | PTWALK_PAGE_FLAG_UPTODATE,
	.counts = 1024,
};

/* Each fact that makes it another page. */
static void orphans(void **state)
{
	static const uint64_t without[] = {
		PTWALK_PAGE_FLAG_ANON, PTWALK_PAGE_FLAG_MAYBE_PINNED,
	}, with[] = {
		PTWALK_PAGE_FLAG_SWAPCACHE, PTWALK_PAGE_FLAG_KSM, PTWALK_PAGE_FLAG_HWPOISON,
	}, moves[] = {
		PTWALK_PAGE_FLAG_LOCKED, PTWALK_PAGE_FLAG_WRITEBACK, PTWALK_PAGE_FLAG_LRU,
	};
	struct ptwalk_page page = orphan;

	assert_int_equal(pin_orphan(&page, true, true), PIN_ORPHAN);
	page.flags ^= PTWALK_PAGE_FLAG_LRU | PTWALK_PAGE_FLAG_HUGETLB;
	assert_int_equal(pin_orphan(&page, true, true), PIN_ORPHAN);
	page = orphan;
	page.flags ^= PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_TRUNCATED;
	assert_int_equal(pin_orphan(&page, true, true), PIN_ORPHAN);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		page = orphan;
		page.flags &= ~without[i];
		assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
	}
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		page = orphan;
		page.flags |= with[i];
		assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
	}
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		page = orphan;
		page.flags ^= moves[i];
		assert_int_equal(pin_orphan(&page, true, true), PIN_MOVES);
	}
	/* Two pins; another reference, or as many that aren't pins; one, of a large folio. */
	page = orphan;
	page.counts = 2048;
	assert_int_equal(pin_orphan(&page, true, true), PIN_ORPHAN);
	page.counts = 1030;
	assert_int_equal(pin_orphan(&page, true, true), PIN_MOVES);
	page.place = 1;
	assert_int_equal(pin_orphan(&page, true, true), PIN_ORPHAN);
	page = orphan;
	page.counts |= 1ULL << 32;
	assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
	page = orphan;
	page.folio_counts = 1;	/* another page of the folio */
	assert_int_equal(pin_orphan(&page, true, true), PIN_PARTED);
	page.flags ^= PTWALK_PAGE_FLAG_MAYBE_PINNED;
	assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
	/* All pages of a folio have its map count where the kernel has no other. */
	page = orphan;
	page.place = 9;
	page.counts |= 1ULL << 32;
	page.folio_counts = 1;
	assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
	assert_int_equal(pin_orphan(&page, true, false), PIN_UNCOUNTED);
	page.flags ^= PTWALK_PAGE_FLAG_MAYBE_PINNED;
	assert_int_equal(pin_orphan(&page, true, false), PIN_NO_ORPHAN);
	page.flags ^= PTWALK_PAGE_FLAG_MAYBE_PINNED | PTWALK_PAGE_FLAG_HUGETLB;
	assert_int_equal(pin_orphan(&page, true, false), PIN_NO_ORPHAN);
	page = orphan;
	page.place = 9;
	assert_int_equal(pin_orphan(&page, true, false), PIN_ORPHAN);
	/* Cut out of a file, and off its list. */
	page = orphan;
	page.flags &= ~(uint64_t)(PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_LRU);
	assert_int_equal(pin_orphan(&page, true, true), PIN_MOVES);
	assert_int_equal(pin_orphan(&page, false, true), PIN_NO_ORPHAN);
	page = (struct ptwalk_page){ 0 };
	assert_int_equal(pin_orphan(&page, true, true), PIN_NO_ORPHAN);
}

/**
 * struct orphan_case - what looks have seen of a frame, and what it is then
 * @looks: A letter for each look: Orphan, Moves, Parted, No orphan, Uncounted.
 * @taken: So many of them are taken.
 */
static const struct orphan_case {
	const char *looks;
	unsigned int taken;
	bool told, unknown, parted, uncounted;
} orphan_cases[] = {
	{ "OOOOOO", 6, true, false },
	{ "MMMMMMMMMMMM", 12, false, true },
	{ "MMMMMMOOOOOO", 12, true, false },
	{ "MMMMMMMOOOOO", 12, false, true },
	{ "OOOOOMMMMMMM", 12, false, true },
	{ "OMOMOMOMOMO", 11, true, false },
	{ "OOOOON", 6, false, false },
	{ "MN", 2, false, false },
	{ "OOOOOM" "MMMMMN", 12, false, false },
	{ "PPPPPP", 6, false, false, true },
	{ "PN", 2, false, false },
	{ "PPPPPN", 6, false, false },
	{ "MPMPMPMPMPMP", 12, false, false, true },
	{ "OOOPPPOOPPMM", 12, false, true },
	{ "PPPPPOOOOOO", 11, true, false },
	{ "U", 1, false, false, false, true },
	{ "OU", 2, false, false, false, true },
	{ "N", 1, false, false },
};

/* The case that is looked at, and how often it was; NULL: none. */
static const struct orphan_case *orphan_case;
static unsigned int orphan_looks;

static struct ptwalk_page orphan_look_page(void)
{
	struct ptwalk_page page = orphan;

	assert_in_range(orphan_looks, 0, strlen(orphan_case->looks) - 1);
	switch (orphan_case->looks[orphan_looks++]) {
	case 'M':
		page.flags |= PTWALK_PAGE_FLAG_LOCKED;
		break;
	case 'N':
		page.counts |= 1ULL << 32;
		break;
	case 'P':
		page.folio_counts = 1;
		break;
	case 'U':
		page.place = 9;
		page.folio_counts = 1;
		break;
	}
	return page;
}

static void orphan_looks_prove(void **state)
{
	const volatile sig_atomic_t stopped = 1;
	volatile sig_atomic_t stop = 0;

	for (size_t i = 0; i < sizeof(orphan_cases) / sizeof(orphan_cases[0]); i++) {
		const struct orphan frame = { .pfn = 0x100 };
		struct orphan_list list = { 0 };
		uint64_t unknown = 0, parted = 0;

		told_kernel.features = orphan_cases[i].uncounted ? 0 : PTWALK_FEATURE_PAGE_MAPCOUNT;
		orphan_case = &orphan_cases[i];
		orphan_looks = 0;
		assert_int_equal(orphans_look(&list, NULL, &frame, 1), 0);
		assert_int_equal(orphans_confirm(&list, NULL, &stop, &unknown, &parted), 0);
		assert_int_equal(orphan_looks, orphan_case->taken);
		assert_int_equal(list.nr, orphan_case->told);
		assert_int_equal(unknown, orphan_case->unknown);
		assert_int_equal(parted, orphan_case->parted);
		assert_int_equal(list.uncounted, orphan_case->uncounted);
		free(list.orphan);
		/* Given up after the first. */
		list = (struct orphan_list){ 0 };
		unknown = parted = orphan_looks = 0;
		assert_int_equal(orphans_look(&list, NULL, &frame, 1), 0);
		assert_int_equal(orphans_confirm(&list, NULL, &stopped, &unknown, &parted), 0);
		assert_int_equal(list.nr, 0);
		assert_int_equal(unknown, !strchr("NU", orphan_case->looks[0]));
		assert_int_equal(parted, 0);
		free(list.orphan);
	}
	orphan_case = NULL;
}

#define ZERO	0x21	/* the zero page */
#define FREE	0x2000	/* a free one */

/* Of frames from 0x100 on: a file's if odd; of others, those from 0x1000 on are mapped. */
static int frames(void *arg, uint64_t pfn, size_t nr, struct ptwalk_page *pages)
{
	for (size_t i = 0; i < nr; i++, pfn++)
		pages[i] = (struct ptwalk_page){
			.flags = (pfn == ZERO ? 0 : PTWALK_PAGE_FLAG_UPTODATE) |
				 (pfn & 1 ? 0 : PTWALK_PAGE_FLAG_ANON),
			.counts = 1025 | (pfn >= 0x1000 ? 1ULL << 32 : 0),
			.folio_counts = 1,
		};
	if (pfn - nr <= FREE && FREE < pfn)
		pages[FREE - (pfn - nr)] = (struct ptwalk_page){ .flags = PTWALK_PAGE_FLAG_FREE };
	return 0;
}

#define BUS	0x100000ULL

/**
 * struct device_case - a device's four pages, and the process that has it
 * @vaddr: Where the process has memory from, of six pages.
 * @frame: The frames at which the device has its pages; what the process has at its pages
 *	1 to 4 is in @has, 0 for none there. At page 6 it has @elsewhere.
 * @states: Of each page of the device, a letter: Held, Unknown, Moved, Lost, Free.
 * @now: What stands there: Mapped nothing, Absent, Other, - for what isn't known.
 * @flags: Of the memory.
 */
static const struct device_case {
	uint64_t vaddr, frame[4], has[4], elsewhere;
	const char *states, *now;
	uint64_t flags;
} device_cases[] = {
	/* All of it. */
	{ AT, { 2, 4, 6, 8 }, { 2, 4, 6, 8 }, 0, "HHHH", "----" },
	{ BUS, { 2, 4, 6, 8 }, { 2, 4, 6, 8 }, 0, "HHHH", "----" },
	/* Nothing, or another page, between two neighbours or beside one. */
	{ AT, { 2, 4, 6, 8 }, { 2, 0, 6, 8 }, 0, "HLHH", "-A--" },
	{ AT, { 2, 4, 6, 8 }, { 2, 4, 10, 8 }, 0, "HHLH", "--O-" },
	{ AT, { 2, 4, 6, 8 }, { 0, 4, 6, 8 }, 0, "LHHH", "A---" },
	{ AT, { 2, 4, 6, 8 }, { 2, 4, 6, 12 }, 0, "HHHL", "---O" },
	/* A file's page can come back, unless another is there for sure. */
	{ AT, { 2, 3, 6, 8 }, { 2, 0, 6, 8 }, 0, "HUHH", "-A--" },
	{ AT, { 2, 3, 6, 8 }, { 2, 5, 6, 8 }, 0, "HLHH", "-O--", SHARED },
	/* Between private memory, it was mapped for the device by itself. */
	{ AT, { 2, 3, 6, 8 }, { 2, 5, 6, 8 }, 0, "HUHH", "-O--" },
	{ AT, { 2, 4, 6, 7 }, { 2, 4, 6, 9 }, 0, "HHHU", "---O" },
	/* What others have mapped may be right. */
	{ AT, { 2, 0x1000, 6, 8 }, { 2, 0, 6, 8 }, 0, "HUHH", "-A--" },
	/* What is free is nobody's, wherever it was. */
	{ AT, { 2, FREE, 6, 8 }, { 2, 4, 6, 8 }, 0, "HFHH", "-O--" },
	{ AT, { FREE, 3, 5, 7 }, { 0, 0, 0, 0 }, 0, "FUUU", "----" },
	/* All of it gone: nothing tells the addresses. */
	{ AT, { 2, 4, 6, 8 }, { 0, 0, 0, 0 }, 0, "LLLL", "----" },
	{ AT, { 1, 3, 5, 7 }, { 0, 0, 0, 0 }, 0, "UUUU", "----" },
	/* Elsewhere in the process: wrong where addresses are its own. */
	{ AT, { 2, 4, 6, 8 }, { 2, 0, 6, 8 }, 4, "HHHH", "----" },
	{ BUS, { 2, 4, 6, 8 }, { 2, 0, 6, 8 }, 4, "HMHH", "-A--" },
	{ BUS, { 2, 4, 6, 8 }, { 2, 10, 6, 8 }, 4, "HMHH", "-O--" },
	{ BUS, { 2, 3, 6, 8 }, { 2, 0, 6, 8 }, 3, "HHHH", "-A--" },
	{ BUS, { 2, 3, 6, 8 }, { 2, 5, 6, 8 }, 3, "HMHH", "-O--" },
	/* Beside these, not between them, another mapping may begin. */
	{ BUS, { 2, 4, 6, 8 }, { 2, 4, 6, 0 }, 8, "HHHH", "----" },
	{ BUS, { 2, 4, 6, 8 }, { 2, 4, 6, 10 }, 8, "HHHH", "----" },
	{ BUS, { 2, 4, 6, 8 }, { 0, 4, 6, 8 }, 2, "HHHH", "----" },
	{ BUS, { 2, 4, 6, 8 }, { 2, 4, 6, 0 }, 0, "HHHL", "---A" },
	{ BUS, { 2, 3, 6, 7 }, { 2, 5, 6, 7 }, 0, "HLHH", "-O--" },
	{ BUS, { 2, 3, 6, 7 }, { 2, 3, 6, 9 }, 0, "HHHU", "---O" },
	/* The zero page is nobody's, but it is there, or isn't any more. */
	{ AT, { 2, ZERO, 6, 8 }, { 2, ZERO, 6, 8 }, 0, "HHHH", "-O--" },
	{ BUS, { 2, ZERO, ZERO, 8 }, { 2, ZERO, ZERO, 8 }, 0, "HHHH", "-OO-" },
	{ AT, { 2, ZERO, 6, 8 }, { 2, 10, 6, 8 }, 0, "HLHH", "-O--" },
	{ AT, { 2, 4, 6, 8 }, { 2, ZERO, 6, 8 }, 0, "HLHH", "-O--" },
};

/* Asked for so many times, the last of which ends the work. */
static int stop_in(void *arg)
{
	return --*(int *)arg ? 0 : INTERRUPT_STOP;
}

/* The @steps are counted down; returns as device_parts_add(). */
static int judge_in(int *steps, const struct device_case *c, struct device_parts *out)
{
	struct ptwalk_vma vma = {
		.start = c->vaddr, .last = c->vaddr + 0x5fff, .flags = c->flags,
	};
	struct ptwalk_extent extents[5];
	struct truth truth = { .extents = extents, .vmas = &vma, .nr_vmas = 1 };
	const struct device_tables tables = {
		.truth = &truth, .nr = 1, .frames = frames, .stop = stop_in, .arg = steps,
		.page_shift = SHIFT,
	};
	struct busmap map = { 0 };
	int err;

	for (unsigned int i = 0; i < 4; i++) {
		const uint64_t bus = c->vaddr == BUS ? BUS : 0x8000;
		const struct ptwalk_stretch s = {
			bus + (i << SHIFT), 4096, c->frame[i] << SHIFT
		};

		assert_int_equal(busmap_add(&map, &s), 0);
		extents[i] = (struct ptwalk_extent){
			c->vaddr + (i << SHIFT), c->has[i], 1,
			bits_of(c->has[i] ? PRESENT : NONE,
				c->has[i] == ZERO ? PTWALK_FLAG_ZERO : c->has[i] ? PAGE : 0)
		};
	}
	extents[4] = (struct ptwalk_extent){
		c->vaddr + 0x5000, c->elsewhere, 1, bits_of(c->elsewhere ? PRESENT : NONE, PAGE)
	};
	truth.nr_extents = 5;
	err = device_parts_add(out, &map, &tables);
	busmap_free(&map);
	return err;
}

static void judge_case(const struct device_case *c, struct device_parts *out)
{
	assert_int_equal(judge_in(&(int){ 1000 }, c, out), 0);
}

static const struct device_part *part_at(const struct device_parts *parts, uint64_t bus)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (bus - parts->part[i].bus < parts->part[i].bytes)
			return &parts->part[i];
	fail();
	return NULL;
}

static void devices(void **state)
{
	for (size_t i = 0; i < sizeof(device_cases) / sizeof(device_cases[0]); i++) {
		const struct device_case *c = &device_cases[i];
		const uint64_t bus = c->vaddr == BUS ? BUS : 0x8000;
		struct device_parts parts = { 0 };

		judge_case(c, &parts);
		for (unsigned int page = 0; page < 4; page++) {
			const struct device_part *p = part_at(&parts, bus + (page << SHIFT));

			if ("HUMLF"[p->state] != c->states[page] || "-MAO"[p->now] != c->now[page])
				fail_msg("case %zu, page %u: %c%c", i, page, "HUMLF"[p->state],
					 "-MAO"[p->now]);
			if (p->now != NOW_UNKNOWN)
				assert_int_equal(p->vaddr + (bus + (page << SHIFT) - p->bus),
						 c->vaddr + (page << SHIFT));
		}
		device_parts_free(&parts);
	}
}

/*
 * A file's page between two pages at one distance from their bus addresses, where another
 * one is now: it may have been mapped for the device by itself if that place is private
 * memory, unless what is on both sides is shared, of which it may have been a part.
 */
static void devices_of_files(void **state)
{
	for (unsigned int shared = 0; shared < 8; shared++) {
		struct ptwalk_vma vmas[3];
		struct ptwalk_extent extents[] = {
			{ AT, 2, 2, bits_of(PRESENT, PAGE) },
			{ AT + 0x2000, 50, 1, bits_of(PRESENT, PAGE) },
			{ AT + 0x3000, 6, 2, bits_of(PRESENT, PAGE) },
		};
		static const uint64_t start[] = { AT, AT + 0x2000, AT + 0x3000, AT + 0x5000 };
		const struct truth truth = {
			.extents = extents, .nr_extents = 3, .vmas = vmas, .nr_vmas = 3,
		};
		const struct device_tables tables = {
			.truth = &truth, .nr = 1, .frames = frames, .page_shift = SHIFT,
		};
		static const struct ptwalk_stretch stretches[] = {
			{ 0x8000, 2 << SHIFT, 2 << SHIFT }, { 0xa000, 1 << SHIFT, 11 << SHIFT },
			{ 0xb000, 2 << SHIFT, 6 << SHIFT },
		};
		const bool own = !(shared & 2) && (shared & 5) != 5;
		struct device_parts parts = { 0 };
		struct busmap map = { 0 };

		for (size_t i = 0; i < 3; i++) {
			vmas[i] = (struct ptwalk_vma){
				.start = start[i], .last = start[i + 1] - 1,
				.flags = shared >> i & 1 ? SHARED : 0,
			};
			assert_int_equal(busmap_add(&map, &stretches[i]), 0);
		}
		assert_int_equal(device_parts_add(&parts, &map, &tables), 0);
		assert_int_equal(part_at(&parts, 0xa000)->state, own ? PART_UNKNOWN : PART_LOST);
		assert_int_equal(part_at(&parts, 0x9000)->state, PART_HELD);
		assert_int_equal(part_at(&parts, 0xb000)->state, PART_HELD);
		device_parts_free(&parts);
		busmap_free(&map);
	}
}

/* At each step the work can end: at five extents, and twice at each of four pages. */
static void devices_stopped(void **state)
{
	for (size_t i = 0; i < sizeof(device_cases) / sizeof(device_cases[0]); i++) {
		struct device_parts parts = { 0 };
		int left = 1000, steps;

		assert_int_equal(judge_in(&left, &device_cases[i], &parts), 0);
		device_parts_free(&parts);
		steps = 1000 - left;
		if (!i)
			assert_int_equal(steps, 5 + 4 + 4);
		for (int last = 1; last <= steps; last++) {
			left = last;
			assert_int_equal(judge_in(&left, &device_cases[i], &parts), INTERRUPT_STOP);
			assert_int_equal(left, 0);
			device_parts_free(&parts);
		}
	}
}

/*
 * The process has two pages where their bus addresses are its own, and four at addresses
 * that it chose behind these, of which the second is another one now.
 */
static void devices_beside_own(void **state)
{
	struct ptwalk_vma vmas[] = {
		{ .start = BUS, .last = BUS + 0x5fff },
		{ .start = AT, .last = AT + 0x3fff, .flags = SHARED },
	};
	struct ptwalk_extent extents[] = {
		{ BUS, 2, 2, bits_of(PRESENT, PAGE) },
		{ BUS + 0x2000, 50, 4, bits_of(PRESENT, PAGE) },
		{ AT, 10, 1, bits_of(PRESENT, PAGE) },
		{ AT + 0x1000, 60, 1, bits_of(PRESENT, PAGE) },
		{ AT + 0x2000, 12, 2, bits_of(PRESENT, PAGE) },
	};
	const struct truth truth = {
		.extents = extents, .nr_extents = 5, .vmas = vmas, .nr_vmas = 2,
	};
	const struct device_tables tables = {
		.truth = &truth, .nr = 1, .frames = frames, .page_shift = SHIFT,
	};
	static const struct ptwalk_stretch stretches[] = {
		{ BUS, 2 << SHIFT, 2 << SHIFT }, { BUS + 0x2000, 4 << SHIFT, 10 << SHIFT },
	};
	struct device_parts parts = { 0 };
	struct busmap map = { 0 };

	for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++)
		assert_int_equal(busmap_add(&map, &stretches[i]), 0);
	assert_int_equal(device_parts_add(&parts, &map, &tables), 0);
	for (unsigned int page = 0; page < 6; page++)
		assert_int_equal(part_at(&parts, BUS + (page << SHIFT))->state,
				 page == 3 ? PART_LOST : PART_HELD);
	assert_int_equal(part_at(&parts, BUS + 0x3000)->vaddr, AT + 0x1000);
	assert_int_equal(part_at(&parts, BUS + 0x3000)->now_phys, 60 << SHIFT);
	device_parts_free(&parts);
	busmap_free(&map);
}

static void look_at_device(struct doubts *doubts, const struct device_case *c,
			   struct device_parts *parts)
{
	struct doubts wrong = { 0 };

	judge_case(c, parts);
	assert_int_equal(device_parts_doubt(parts, &wrong, SHIFT), 0);
	assert_int_equal(doubts_look(doubts, &wrong, true), 0);
}

/* What is wrong in some looks only, or led elsewhere before, isn't known to be. */
static void devices_settled(void **state)
{
	struct device_case wrong = { AT, { 2, 4, 6, 8 }, { 2, 0, 0, 8 } };
	const struct device_case other = { AT, { 2, 10, 6, 8 }, { 2, 0, 0, 8 } };
	static const struct {
		unsigned int other, before;
		const char *states;
	} cases[] = {
		{ 0, JUDGE_PAGE_ROUNDS - 1, "HUUH" }, { 0, JUDGE_PAGE_ROUNDS, "HLLH" },
		{ 1, JUDGE_PAGE_ROUNDS - 1, "HULH" }, { 1, JUDGE_PAGE_ROUNDS, "HLLH" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device_parts parts = { 0 };
		struct doubts doubts = { 0 };
		uint64_t unproven = 0, unknown = 0;

		for (unsigned int n = 0; n < cases[i].other + cases[i].before; n++) {
			device_parts_free(&parts);
			look_at_device(&doubts, n < cases[i].other ? &other : &wrong, &parts);
		}
		assert_int_equal(device_parts_settle(&parts, &doubts, SHIFT, &unproven), 0);
		for (unsigned int page = 0; page < 4; page++) {
			const struct device_part *p = part_at(&parts, 0x8000 + (page << SHIFT));

			assert_int_equal("HUMLF"[p->state], cases[i].states[page]);
			unknown += p->state == PART_UNKNOWN;
		}
		assert_int_equal(unproven, unknown);
		device_parts_free(&parts);
		doubts_free(&doubts);
	}
}

/*
 * Addresses that were looked up twice count once. One process has all of them in a row,
 * another each second page.
 */
static void devices_twice(void **state)
{
	static const struct ptwalk_stretch stretches[] = {
		{ 0x8000, 6 << SHIFT, 6 << SHIFT }, { 0x9000, 2 << SHIFT, 7 << SHIFT },
		{ 0x8000, 3 << SHIFT, 6 << SHIFT },
	};
	struct ptwalk_vma vma = { .start = AT, .last = AT + 0x7fff };
	struct ptwalk_extent all[] = { { AT, 6, 6, bits_of(PRESENT, PAGE) } };
	struct ptwalk_extent some[] = {
		{ AT, 6, 1, bits_of(PRESENT, PAGE) }, { AT + 0x2000, 8, 1, bits_of(PRESENT, PAGE) },
		{ AT + 0x4000, 10, 1, bits_of(PRESENT, PAGE) },
	};
	struct truth truth[] = {
		{ .extents = all, .nr_extents = 1, .vmas = &vma, .nr_vmas = 1 },
		{ .extents = some, .nr_extents = 3, .vmas = &vma, .nr_vmas = 1 },
	};
	const struct device_tables tables = {
		.truth = truth, .nr = 2, .frames = frames, .page_shift = SHIFT,
	};
	struct device_parts parts = { 0 };
	struct busmap map = { 0 };
	uint64_t next = 0x8000;

	for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++)
		assert_int_equal(busmap_add(&map, &stretches[i]), 0);
	assert_int_equal(device_parts_add(&parts, &map, &tables), 0);
	for (size_t i = 0; i < parts.nr; i++) {
		assert_int_equal(parts.part[i].state, PART_HELD);
		assert_int_equal(parts.part[i].bus, next);
		next += parts.part[i].bytes;
	}
	assert_int_equal(next, 0x8000 + (6 << SHIFT));
	device_parts_free(&parts);
	busmap_free(&map);
}

static int stopped(void *arg, uint64_t pfn, size_t nr, struct ptwalk_page *pages)
{
	return ++*(int *)arg > 2 ? 1001 : frames(NULL, pfn, nr, pages);
}

#define MANY	(1U << 18)

/*
 * Many pages of which each second one is lost, and one row that another process has
 * behind all of them: what is done is in proportion to them, or this takes minutes.
 */
static void devices_many(void **state)
{
	struct ptwalk_extent *extents = calloc(MANY, sizeof(*extents));
	struct ptwalk_extent one = { AT, 1 << 20, 4 * MANY, bits_of(PRESENT, PAGE) };
	struct ptwalk_vma vma = { .start = AT, .last = AT + (8ULL * MANY << SHIFT) };
	struct truth truth[] = {
		{ .extents = &one, .nr_extents = 1, .vmas = &vma, .nr_vmas = 1 },
		{ .extents = extents, .nr_extents = MANY, .vmas = &vma, .nr_vmas = 1 },
	};
	struct device_tables tables = {
		.truth = truth, .nr = 2, .frames = frames, .page_shift = SHIFT,
	};
	const struct ptwalk_stretch held = { 0, 4ULL * MANY << SHIFT, 1ULL << 20 << SHIFT };
	const struct ptwalk_stretch lost = {
		1ULL << 40, 2ULL * MANY << SHIFT, 1ULL << 30 << SHIFT
	};
	struct doubts doubts = { 0 }, wrong = { 0 };
	struct device_parts now = { 0 };
	struct busmap map = { 0 };
	uint64_t unproven = 0;
	int asked = 0;

	assert_non_null(extents);
	/* Each second page of what all is of the first process; and of what is lost there. */
	for (size_t i = 0; i < MANY; i++)
		extents[i] = (struct ptwalk_extent){
			AT + (2 * i << SHIFT), (i & 1 ? 1 << 20 : 1 << 30) + 2 * i, 1,
			bits_of(PRESENT, PAGE)
		};
	assert_int_equal(busmap_add(&map, &held), 0);
	assert_int_equal(busmap_add(&map, &lost), 0);
	assert_int_equal(device_parts_add(&now, &map, &tables), 0);
	for (int i = 0; i < JUDGE_PAGE_ROUNDS - 1; i++) {
		assert_int_equal(device_parts_doubt(&now, &wrong, SHIFT), 0);
		assert_int_equal(doubts_look(&doubts, &wrong, true), 0);
	}
	assert_int_equal(device_parts_settle(&now, &doubts, SHIFT, &unproven), 0);
	if (unproven < MANY / 4)
		fail_msg("%llu in doubt", (unsigned long long)unproven);
	doubts_free(&doubts);
	device_parts_free(&now);
	/* Who asks of the frames ends it. */
	tables.frames = stopped;
	tables.arg = &asked;
	assert_int_equal(device_parts_add(&now, &map, &tables), 1001);
	assert_int_equal(asked, 3);
	device_parts_free(&now);
	busmap_free(&map);
	free(extents);
}

static void links_of_vfio(void **state)
{
	static const struct {
		const char *target;
		bool is, sure;
	} links[] = {
		{ "/dev/vfio/7", true, true }, { "/dev/vfio/devices/vfio3", true, true },
		{ "/dev/vfio/vfio", true, false }, { "/dev/iommu", true, false },
		{ "anon_inode:[vfio-device]", true, false },
		{ "/dev/vfio/70", false, false }, { "/dev/vfio/devices/vfio", false, false },
		{ "/dev/vfio/devices/vfio33", false, false }, { "/dev/vfio", false, false },
		{ "anon_inode:[io_uring]", false, false }, { "/dev/vfio/noiommu-7", false, false },
	};
	char own[32];
	bool sure;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		assert_int_equal(vfio_link(links[i].target, 7, "vfio3", &sure), links[i].is);
		assert_int_equal(sure, links[i].sure);
	}
	assert_true(vfio_device_of("../../devices/pci0000:00/0000:00:12.0/vfio-dev/vfio0", own,
				   sizeof(own)));
	assert_string_equal(own, "0000:00:12.0");
	assert_false(vfio_device_of("../../devices/pci0000:00/0000:00:12.0", own, sizeof(own)));
	assert_false(vfio_device_of("/vfio-dev/vfio0", own, sizeof(own)));
	/* Without a node of its own, or a group. */
	assert_false(vfio_link("/dev/vfio/devices/", 7, "", &sure));
	assert_false(vfio_link("/dev/vfio/-1", -1, "", &sure));
}

/**
 * struct holding - looks at a device of a process
 * @busy: So many first ones can't read the process.
 * @second: From this one on another process has it, too; 0: from none.
 * @copies: That has what the device has, at the same addresses, as after a fork() that
 *	forgets to copy it; 2: and shares it.
 * @charged: Which of both have memory charged to them: bits 0 and 1.
 * @least: So many there are at least, and @most at most.
 * @replaced: Pages that are proven to be.
 */
struct holding {
	unsigned int busy, second, copies, charged, least, most, replaced;
};

static const struct holding *holding;

static unsigned int nr_own;

#define WIDE_ROW	64	/* GiB that have mappings */
#define WIDE_BUS	0xffe000ULL	/* the last frame that nobody has mapped */

#define DEVICE	"pci/0000:00:00.0"

int __wrap_device_read(struct ptwalk *client, const char *name, const uint64_t *phys, size_t nr,
		       struct ptwalk_device *device);

int __wrap_device_read(struct ptwalk *client, const char *name, const uint64_t *phys, size_t nr,
		       struct ptwalk_device *device)
{
	*device = (struct ptwalk_device){
		.name = DEVICE, .group = -1, .domain = PTWALK_DOMAIN_UNMANAGED,
		.aperture_last = (1ULL << 48) - 1,
	};
	return 0;
}

int __real_vfio_holders_find(struct vfio_holders *out, int64_t group, const char *node);
int __wrap_vfio_holders_find(struct vfio_holders *out, int64_t group, const char *node);

int __wrap_vfio_holders_find(struct vfio_holders *out, int64_t group, const char *node)
{
	const struct vfio_holder first = {
		.pid = 1, .fd = 3, .is_known = true, .is_charged = holding && holding->charged & 1
	}, second = {
		.pid = 2, .fd = 3, .is_known = true, .is_charged = holding && holding->charged & 2
	};

	if (!test_truth_read)
		return __real_vfio_holders_find(out, group, node);
	nr_looks++;
	assert_true(array_add(out->holder, out->nr, out->max, first));
	if (wide)
		out->holder[0].charges.locked = wide->charged << (SHIFT - 10);
	if (wide)
		out->holder[0].is_known = !wide->is_hidden;
	if (holding && holding->second && nr_looks >= holding->second)
		assert_true(array_add(out->holder, out->nr, out->max, second));
	return 0;
}

int __wrap_bus_look(struct bus_look *l, uint64_t start, uint64_t last);

/* Each second page, so that they don't go on. */
static void add_wide(struct bus_look *l, uint64_t bus, size_t nr)
{
	for (uint64_t i = 0; i < nr; i++, bus += 2 << SHIFT)
		assert_int_equal(busmap_add(&l->map, &(struct ptwalk_stretch){
			bus, 1 << SHIFT, bus
		}), 0);
}

static int wide_signal(unsigned int at)
{
	if (wide->stops == at)
		interrupted = SIGINT;
	return 0;
}

void __real_iomem_read(struct iomem *iomem);
void __wrap_iomem_read(struct iomem *iomem);

void __wrap_iomem_read(struct iomem *iomem)
{
	const uint64_t start = wide && wide->bar ? WIDE_BUS + 0x1000 : 0;

	if (has_little_memory)
		assert_true(array_add(iomem->resource, iomem->nr, iomem->max,
				      (struct iomem_resource){
			0, (2 * PTWALK_MAX_ADDRESSES << SHIFT) - 1, 0, strdup("System RAM")
		}));
	else if (!wide)
		__real_iomem_read(iomem);
	else
		assert_true(array_add(iomem->resource, iomem->nr, iomem->max,
				      (struct iomem_resource){
			start, 1ULL << 48, 0, strdup("System RAM")
		}));
}

int __wrap_bus_look_everywhere(struct bus_look *l);

int __wrap_bus_look_everywhere(struct bus_look *l)
{
	assert_non_null(wide);
	/* After a signal at the table there is no look. */
	assert_false(interrupted);
	l->wanted = (struct range){ 0, (1ULL << 48) - 1 };
	add_wide(l, WIDE_BUS, wide->extents);
	return wide_signal(WIDE_ELSEWHERE);
}

int __wrap_bus_look(struct bus_look *l, uint64_t start, uint64_t last)
{
	if (wide) {
		if (!l->map.nr && wide->stops == WIDE_AGAIN) {
			wide_signal(WIDE_AGAIN);
			return INTERRUPT_STOP;
		}
		if (l->map.nr < wide->extents) {
			add_wide(l, start, start == WIDE_BUS);
			return 0;
		}
		add_wide(l, start, 1);
		assert_int_equal(ranges_add(&l->scanned, start, last), 0);
		return ++nr_own == 2 ? wide_signal(WIDE_OWN) : 0;
	}
	for (uint64_t i = 0; i < 3; i++) {
		const struct ptwalk_stretch s = { BUS + (i << SHIFT), 1 << SHIFT, 2 * i << SHIFT };

		assert_int_equal(busmap_add(&l->map, &s), 0);
	}
	return 0;
}

int __wrap_ptwalk_frames(struct ptwalk *client, const uint64_t *pfns, size_t nr,
			 struct ptwalk_page *pages);
int __real_ptwalk_frames(struct ptwalk *client, const uint64_t *pfns, size_t nr,
			 struct ptwalk_page *pages);

int __wrap_ptwalk_frames(struct ptwalk *client, const uint64_t *pfns, size_t nr,
			 struct ptwalk_page *pages)
{
	if (frames_answered && !--frames_answered) {
		frames_answered = 1;
		return -EIO;
	}
	if (has_little_memory) {
		memset(pages, 0, nr * sizeof(*pages));
		for (size_t i = 0; i < nr; i++)
			if (pfns[i] <= 1)
				pages[i] = orphan;
		/* The second one is of a large folio, of which a page is mapped. */
		for (size_t i = 0; i < nr; i++)
			if (pfns[i] == 1)
				pages[i].place = pages[i].folio_counts = 1;
		return 0;
	}
	if (orphan_case) {
		*pages = orphan_look_page();
		return 0;
	}
	return client ? __real_ptwalk_frames(client, pfns, nr, pages) :
			frames(NULL, pfns[0], nr, pages);
}

/* The second of three pages is another one. */
static int read_holder(pid_t pid, uint64_t start, uint64_t last, struct truth *truth)
{
	static const uint64_t pfns[2][3] = { { 0, 60, 4 }, { 0, 2, 4 } };

	if (nr_looks <= holding->busy)
		return -EBUSY;
	truth_free(truth);
	truth->nr_vmas = 1;
	truth->nr_extents = pid == 1 || holding->copies ? 3 : 0;
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents = calloc(3, sizeof(*truth->extents));
	truth->vmas[0] = (struct ptwalk_vma){
		.start = AT, .last = AT + (3 << SHIFT) - 1,
		.flags = holding->copies == 2 ? PTWALK_VMA_FLAG_MAYSHARE : 0,
	};
	for (unsigned int i = 0; i < 3; i++)
		truth->extents[i] = (struct ptwalk_extent){
			AT + (i << SHIFT), pfns[pid - 1][i], 1, bits_of(PRESENT, PAGE)
		};
	return 0;
}

static void look_and_print(void *sum)
{
	assert_int_equal(pins_device(sum, NULL, DEVICE), 0);
}

/* A process that is busy at first, or always; another one that comes later. */
static void devices_of_busy(void **state)
{
	static const struct holding cases[] = {
		{ .least = 6, .most = 6, .replaced = 1 },
		{ .busy = 1, .least = 7, .most = 7, .replaced = 1 },
		{ .busy = 3, .least = 9, .most = 9, .replaced = 1 },
		{ .busy = UINT_MAX, .least = 6, .most = 24 },
		{ .second = 1, .least = 48, .most = 60, .replaced = 1 },
		{ .second = 3, .least = 48, .most = 60, .replaced = 1 },
		/* What a child has that mapped nothing is no more the device's. */
		{ .second = 1, .copies = 1, .charged = 1, .least = 48, .most = 60, .replaced = 1 },
		{ .second = 1, .copies = 2, .charged = 1, .least = 1, .most = 60 },
		{ .second = 1, .copies = 1, .charged = 3, .least = 1, .most = 60 },
		{ .second = 1, .copies = 1, .least = 1, .most = 60 },
	};

	test_truth_read = read_holder;
	test_asleep = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pins_devices sum = { 0 };
		char *text;

		holding = &cases[i];
		nr_looks = 0;
		assert_int_equal(ranges_add(&sum.iovas, BUS, BUS + (3 << SHIFT) - 1), 0);
		text = told_text(look_and_print, &sum);
		assert_in_range(nr_looks, cases[i].least, cases[i].most);
		assert_int_equal(sum.replaced, cases[i].replaced);
		assert_int_equal(sum.unproven, 0);
		assert_int_equal(sum.unread, cases[i].busy == UINT_MAX);
		assert_int_equal(!*text, sum.unread);
		assert_int_equal(!!strstr(text, "pinned-replaced"), sum.replaced);
		free(text);
		ranges_free(&sum.iovas);
	}
}

/* Mappings without a page, of which the last one alone has some. */
static int read_wide(pid_t pid, uint64_t start, uint64_t last, struct truth *truth)
{
	const size_t nr = wide->extents;
	const uint64_t step = (uint64_t)WIDE_ROW << 30;
	int (*take)(struct truth *, const struct ptwalk_extent *, const struct ptwalk_page *,
		    size_t) = truth->take;

	wide_signal(WIDE_TABLE);
	truth_free(truth);
	truth->nr_vmas = 1;
	truth->nr_extents = nr;
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents = calloc(nr, sizeof(*truth->extents));
	truth->vmas[0] = (struct ptwalk_vma){ .start = AT, .last = AT + step - 1 };
	for (size_t i = 0; i < nr; i++)
		truth->extents[i] = (struct ptwalk_extent){
			AT + (step / nr * i & -4096ULL), i + 1 == nr ? 1000 : 0, 1,
			bits_of(i + 1 == nr ? PRESENT : NONE, 0)
		};
	return take ? take(truth, truth->extents, NULL, nr) : 0;
}

/*
 * Each look at its own addresses is worth as much as is charged and not found yet, and
 * is done in proportion to the mappings: this took minutes, and no signal ended it.
 */
static void devices_wide(void **state)
{
	static const struct wide cases[] = {
		/* That with a page, and all others; the last look finds one. */
		{ .extents = 1 << 18, .charged = 1 << 18, .own = 1, .told = "found: 262143 " },
		{ .extents = 1 << 18, .charged = 1 << 19, .own = WIDE_ROW,
		  .told = "found: 524287 " },
		{ .extents = 20000, .charged = 20009, .own = 9, .told = "found: 20008 " },
		/* What isn't charged isn't found, either. */
		{ .extents = 20000, .charged = 20009, .own = 10, .bar = true,
		  .told = "found: 20009 " },
		/* No figure is one without what is charged, */
		{ .extents = 20000, .charged = 20009, .own = 1, .is_hidden = true,
		  .told = "\"not_found\":null" },
		/* and of the last look that was whole. */
		{ .extents = 20000, .charged = 1 << 20, .own = WIDE_ROW,
		  .stops = WIDE_AGAIN, .told = "found: 1028512 " },
		{ .extents = 20000, .charged = 1 << 30, .stops = WIDE_ELSEWHERE },
		{ .extents = 20000, .charged = 1 << 30, .stops = WIDE_TABLE },
		{ .extents = 20000, .charged = 1 << 30, .stops = WIDE_OWN, .own = 2 },
	};

	test_truth_read = read_wide;
	test_asleep = true;
	holding = NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pins_devices sum = { .json = cases[i].is_hidden };
		const clock_t begun = clock();
		char *text;

		wide = &cases[i];
		nr_looks = nr_own = 0;
		text = told_text(look_and_print, &sum);
		interrupted = 0;
		assert_int_equal(nr_own, wide->own);
		if (wide->told ? !strstr(text, wide->told) : !!*text)
			fail_msg("case %zu: %s", i, text);
		assert_int_equal(!!strstr(text, "\nnot found: "), wide->told && !wide->is_hidden);
		assert_true(clock() - begun < 5 * CLOCKS_PER_SEC);
		free(text);
	}
}

/*
 * What was counted isn't looked at again, but for the last stretch, which grows. And only
 * RAM is charged, if it is known.
 */
static void charge_once(void **state)
{
	struct range some[] = { { 0x2000, 0x2fff }, { 0x4000, 0x8fff }, { 0xa000, 0xafff } };
	const struct ranges rams[] = { { 0 }, { some, 3, 3 } };
	const struct ptwalk_stretch stretches[] = {
		{ 0x1000, 3 << SHIFT, 0x1000 }, { 0x8000, 2 << SHIFT, 0x9000 },
		{ 0xa000, 1 << SHIFT, 0xb000 }, { 0xf000, 8 << SHIFT, 0x1000 },
	};
	static const uint64_t missing[2][4] = { { 7, 5, 4, 0 }, { 9, 8, 8, 2 } };

	for (size_t ram = 0; ram < 2; ram++) {
		struct charge charge = { .ram = &rams[ram], .charged = 10 << SHIFT };
		struct busmap map = { 0 };

		assert_int_equal(charge_missing(&charge, &map), 10 << SHIFT);
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(busmap_add(&map, &stretches[i]), 0);
			assert_int_equal(charge_missing(&charge, &map), missing[ram][i] << SHIFT);
			assert_int_equal(charge.counted, map.nr - 1);
		}
		assert_int_equal(map.nr, 3);
		busmap_free(&map);
	}
}

/* What mlock() has locked is charged without a device, and what is pinned may be twice. */
static void charge_without_mlock(void **state)
{
	static const struct {
		struct procstatus_charges charges;
		uint64_t locked_pages, charged;
	} cases[] = {
		{ { 0, 0 }, 0, 0 }, { { 16, 0 }, 0, 4 }, { { 0, 16 }, 0, 4 },
		{ { 16, 16 }, 0, 4 }, { { 16, 8 }, 0, 4 }, { { 8, 16 }, 0, 4 },
		{ { 16, 0 }, 3, 1 }, { { 16, 0 }, 4, 0 }, { { 16, 8 }, 4, 2 }, { { 16, 0 }, 9, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_vma vmas[] = {
			{ .start = AT, .last = AT + 0xfff },
			{ .start = AT + 0x1000, .flags = PTWALK_VMA_FLAG_LOCKED },
		};
		const struct truth truth = {
			.vmas = vmas, .nr_vmas = 1 + !!cases[i].locked_pages,
		};

		vmas[1].last = vmas[1].start + (cases[i].locked_pages << SHIFT) - 1;
		assert_int_equal(charge_of_process(&cases[i].charges, &truth),
				 cases[i].charged << SHIFT);
	}
}

static void charged_memory(void **state)
{
	static const struct {
		const char *text;
		uint64_t locked, pinned;
	} cases[] = {
		{ "VmLck:\t       4 kB\nVmPin:\t       8 kB\n", 4, 8 },
		{ "VmPeak:\t    9000 kB\nVmLck:\t       0 kB\nVmPin:\t       0 kB\n", 0, 0 },
		{ "Threads:\t1\n", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *stream = test_stream(cases[i].text);
		struct procstatus_charges charges = { 1, 1 };

		assert_int_equal(procstatus_charged(stream, &charges), 0);
		assert_int_equal(charges.locked, cases[i].locked);
		assert_int_equal(charges.pinned, cases[i].pinned);
		fclose(stream);
	}
}

/* Who may not see our descriptors doesn't know that we have no device. */
static void hidden_descriptors(void **state)
{
	struct vfio_holders holders = { 0 };
	int status;
	pid_t child;

	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	child = fork();
	if (!child) {
		if (!geteuid() && setuid(65534))
			_exit(2);
		_exit(vfio_holders_find(&holders, -1, "") != -EACCES && !procs_hidden());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	prctl(PR_SET_DUMPABLE, 1);
	if (WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(status, 0);
}

SUITE(suite_pins,
	cmocka_unit_test(buffers_kept),
	cmocka_unit_test(charge_once),
	cmocka_unit_test(charge_without_mlock),
	cmocka_unit_test(charged_memory),
	cmocka_unit_test(devices),
	cmocka_unit_test(devices_beside_own),
	cmocka_unit_test(devices_many),
	cmocka_unit_test_teardown(devices_of_busy, no_stand_in),
	cmocka_unit_test(devices_of_files),
	cmocka_unit_test(devices_settled),
	cmocka_unit_test(devices_stopped),
	cmocka_unit_test(devices_twice),
	cmocka_unit_test_teardown(devices_wide, no_stand_in),
	cmocka_unit_test(links_of_vfio),
	cmocka_unit_test(hidden_descriptors),
	cmocka_unit_test(of_another),
	cmocka_unit_test(of_shared_memory),
	cmocka_unit_test(orphans),
	cmocka_unit_test(orphan_looks_prove),
	cmocka_unit_test(lists),
	cmocka_unit_test_teardown(looks_at_all, no_stand_in),
	cmocka_unit_test_teardown(looks_at_descriptors, no_stand_in),
	cmocka_unit_test_teardown(looks_at_near_buffers, no_stand_in),
	cmocka_unit_test(looks_at_rings),
	cmocka_unit_test_teardown(looks_not_begun, no_stand_in),
	cmocka_unit_test_teardown(looks_stopped_within, no_stand_in),
	cmocka_unit_test_teardown(looks_at_sharers, no_stand_in),
	cmocka_unit_test_teardown(looks_that_fail, no_stand_in),
	cmocka_unit_test_teardown(orphans_not_looked_at, no_stand_in),
	cmocka_unit_test(states),
	cmocka_unit_test(stretches),
	cmocka_unit_test_teardown(untold_statuses, no_stand_in),
);
