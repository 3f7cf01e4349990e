// SPDX-License-Identifier: GPL-2.0
/*
 * What an IOMMU translates, from its tables: of pages of all sizes, which the command shows
 * as one stretch each, and while others map and unmap beside. VFIO maps memory of ours, and
 * our page tables say where that is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "command.h"
#include "edu.h"
#include "proc.h"
#include "system.h"
#include "test.h"
#include "vfio.h"

#define GIB	(1ULL << 30)
#define MIB	(1ULL << 20)

/* Where any IOMMU of the guests can have bus addresses, of 39 bits. */
#define BUS	(64 * GIB)

#ifndef MAP_HUGE_1GB
#define MAP_HUGE_1GB	(30 << 26)
#endif

FIXTURE(tables)
{
	struct edu e;
	struct vfio vfio;
	u64 page;
};

FIXTURE_SETUP(tables)
{
	self->vfio = (struct vfio){ .container = -1, .group = -1, .fd = -1 };
	NEED_COMMAND();
	SETUP_EDU(&self->e, "edu-stream");
	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	self->page = self->e.m.page_size;
	if (!vfio_open(&self->vfio, self->e.name + strlen("pci/"), "ptwalk_fixture",
		       self->e.device.group))
		SKIP(return, "%s", self->vfio.lacks);
}

FIXTURE_TEARDOWN(tables)
{
	vfio_close(&self->vfio);
	mapping_release(&self->e.m);
	ptw_close(&self->e.ptw);
}

static u64 phys_of(struct __test_metadata *_metadata, FIXTURE_DATA(tables) *self,
		   const void *at)
{
	struct ptw_page page;

	ASSERT_EQ(0, ptw_translate_one(&self->e.ptw, getpid(), (uintptr_t)at, &page));
	ASSERT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	return page.t.value * self->page;
}

/**
 * struct block - memory in one piece
 * @at: Where it is mapped, NULL if there is none.
 * @size: Its size, of which its physical address is a multiple.
 * @phys: That.
 */
struct block {
	char *at;
	u64 size, phys;
};

/* As large as it can be had: one hugetlb page of 1 GiB, or a large page of 2 MiB. */
static void get_block(struct __test_metadata *_metadata, FIXTURE_DATA(tables) *self,
		      struct block *b)
{
	char *room;

	b->size = GIB;
	b->at = mmap(NULL, b->size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_1GB, -1, 0);
	if (b->at == MAP_FAILED) {
		b->size = 2 * MIB;
		room = mmap(NULL, 2 * b->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, room);
		b->at = (char *)(((uintptr_t)room + b->size - 1) & -b->size);
		madvise(b->at, b->size, MADV_HUGEPAGE);
	}
	memset(b->at, 1, self->page);
	b->phys = phys_of(_metadata, self, b->at);
	if (b->phys & (b->size - 1))
		b->at = NULL;
	else if (b->size < GIB &&
		 phys_of(_metadata, self, b->at + b->size - 1) != b->phys + b->size - self->page)
		b->at = NULL;
}

/* Messages end anywhere. */
static void join_stretches(struct ptw_iova *iova)
{
	size_t i, nr = 0;

	for (i = 0; i < iova->nr; i++) {
		struct ptwalk_stretch *s = &iova->stretch[i], *last = &iova->stretch[nr - 1];

		if (nr && last->iova + last->bytes == s->iova &&
		    last->phys + last->bytes == s->phys)
			last->bytes += s->bytes;
		else
			iova->stretch[nr++] = *s;
	}
	iova->nr = nr;
}

/* From a bus address on there is this and nothing else, and nothing beside it. */
#define EXPECT_ONLY(bus, length, there) do { \
	const u64 _bus = bus, _length = length, _phys = there; \
	struct ptw_iova _iova; \
	ASSERT_EQ(0, ptw_iova(&self->e.ptw, self->e.name, _bus - 3 * self->page, \
			      _bus + _length + 3 * self->page - 1, &_iova)) \
		TH_LOG("%s", _iova.flaw ?: self->e.ptw.error.message); \
	join_stretches(&_iova); \
	ASSERT_EQ(1, _iova.nr) \
		TH_LOG("%#llx+%#llx at %#llx", _bus, _length, _phys); \
	EXPECT_EQ(_bus, _iova.stretch[0].iova); \
	EXPECT_EQ(_length, _iova.stretch[0].bytes) \
		TH_LOG("%#llx at %#llx", _bus, _phys); \
	EXPECT_EQ(_phys, _iova.stretch[0].phys) \
		TH_LOG("%#llx+%#llx", _bus, _length); \
} while (0)

/* A part from the middle of it, and a single byte. */
#define EXPECT_PART(bus, skip, length, there) do { \
	const u64 _start = (bus) + (skip), _bytes = length, _to = (there) + (skip); \
	struct ptw_iova _iova; \
	u64 _found = 0; \
	ASSERT_EQ(0, ptw_iova(&self->e.ptw, self->e.name, _start, _start + _bytes - 1, &_iova)); \
	join_stretches(&_iova); \
	ASSERT_EQ(1, _iova.nr); \
	EXPECT_EQ(_start, _iova.stretch[0].iova); \
	EXPECT_EQ(_bytes, _iova.stretch[0].bytes); \
	EXPECT_EQ(_to, _iova.stretch[0].phys); \
	ASSERT_EQ(0, ptw_iova(&self->e.ptw, self->e.name, _start + 5, _start + 5, &_iova)); \
	EXPECT_TRUE(ptw_iova_find(&_iova, _start + 5, &_found)); \
	EXPECT_EQ(_to + 5, _found); \
} while (0)

/* And so says the command. */
static void expect_printed(struct __test_metadata *_metadata, FIXTURE_DATA(tables) *self,
			   u64 bus, u64 length, u64 phys)
{
	static struct output output;
	char range[64], words[160];

	snprintf(range, sizeof(range), "%llx+%llx", bus, length);
	snprintf(words, sizeof(words), "\"bus\":\"%#llx\",\"paddr\":\"%#llx\",\"bytes\":%llu,",
		 bus, phys, length);
	run(&output, ptwalk_command(), "iova", "--json", self->e.name, range);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, strstr(output.text, words))
		TH_LOG("no %s in %s", words, output.text);
}

/*
 * Pages of all sizes that the IOMMU has: each power of two, where both addresses are
 * multiples of it.
 */
TEST_F(tables, sizes)
{
	struct block b;
	u64 size, half;

	get_block(_metadata, self, &b);
	if (!b.at)
		SKIP(return, "no large page was to be had");
	TH_LOG("pages of %#llx, up to %#llx", self->e.device.page_sizes, b.size);
	for (size = self->page; size <= b.size; size *= 2) {
		ASSERT_EQ(0, vfio_map(&self->vfio, b.at, size, BUS));
		EXPECT_ONLY(BUS, size, b.phys);
		expect_printed(_metadata, self, BUS, size, b.phys);
		EXPECT_PART(BUS, size - self->page, self->page, b.phys);
		half = size / 2 & -self->page;
		EXPECT_PART(BUS, half, half / 2 & -self->page ?: self->page, b.phys);
		ASSERT_EQ(0, vfio_unmap(&self->vfio, size, BUS));
	}
}

#define DRAWS	32

/* And of those that begin and end anywhere, beside each other in the tables. */
TEST_F(tables, drawn)
{
	u64 pages, skip, nr, bus;
	unsigned int seed = getpid() ^ time(NULL);
	struct block b;
	int i;

	get_block(_metadata, self, &b);
	if (!b.at)
		SKIP(return, "no large page was to be had");
	TH_LOG("seed %u", seed);
	pages = (b.size > 16 * MIB ? 16 * MIB : b.size) / self->page;
	for (i = 0; i < DRAWS; i++) {
		/* Sizes of all orders alike. */
		nr = 1 + rand_r(&seed) % ((pages - 1) >> rand_r(&seed) % 8 ?: 1);
		skip = rand_r(&seed) % (pages - nr + 1);
		bus = (skip + rand_r(&seed) % 2) & -(1ULL << rand_r(&seed) % 9);
		bus = BUS + bus * self->page;
		ASSERT_EQ(0, vfio_map(&self->vfio, b.at + skip * self->page, nr * self->page, bus));
		EXPECT_ONLY(bus, nr * self->page, b.phys + skip * self->page);
		ASSERT_EQ(0, vfio_unmap(&self->vfio, nr * self->page, bus));
	}
}

/* So much that a table is there for it alone, and goes with it. */
#define ROOM	(2 * MIB)
#define SHOWN	(BUS + ROOM)
#define SECONDS	5

/**
 * struct beside - a thread that maps and unmaps all the time
 * @vfio: The device.
 * @at: The memory, of ROOM.
 * @stop: It is to end.
 * @err: What went wrong, or 0.
 */
struct beside {
	struct vfio *vfio;
	char *at;
	bool stop;
	int err;
};

/*
 * Gets pages that were tables, and writes what would be entries there, of any format: they
 * lead where nothing of ours is.
 */
static int take_freed(void)
{
	const u64 wrong = 0x6000000123456003ULL;
	size_t i;
	u64 *at;

	at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	madvise(at, ROOM, MADV_NOHUGEPAGE);
	for (i = 0; i < ROOM / sizeof(*at); i++)
		at[i] = wrong;
	return munmap(at, ROOM) ? -errno : 0;
}

static void *map_beside(void *arg)
{
	struct beside *b = arg;

	while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED) && !b->err) {
		b->err = vfio_map(b->vfio, b->at, ROOM, SHOWN);
		if (!b->err)
			b->err = vfio_unmap(b->vfio, ROOM, SHOWN);
		if (!b->err)
			b->err = take_freed();
	}
	return NULL;
}

/*
 * What is told of memory that is mapped and unmapped meanwhile is that memory or nothing:
 * the tables are freed each time, and used for something else.
 */
TEST_F(tables, mapped_beside)
{
	struct beside b = { .vfio = &self->vfio };
	u64 *phys, i, there, with = 0, without = 0, busy = 0;
	static struct ptw_iova iova;
	pthread_t thread;
	double end;
	char *room;
	int err;

	if (!edu_tables_are_known())
		SKIP(return, "whoever unmaps beside a look at these tables may crash the kernel");
	room = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, room);
	b.at = (char *)(((uintptr_t)room + ROOM - 1) & -ROOM);
	madvise(b.at, ROOM, MADV_NOHUGEPAGE);
	memset(b.at, 1, ROOM);
	/* It stays pinned, so that it stays where it is. */
	ASSERT_EQ(0, vfio_map(&self->vfio, b.at, ROOM, BUS + 8 * ROOM));
	phys = calloc(ROOM / self->page, sizeof(*phys));
	for (i = 0; i < ROOM / self->page; i++)
		phys[i] = phys_of(_metadata, self, b.at + i * self->page);
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_beside, &b));
	end = seconds_now() + SECONDS;
	while (seconds_now() < end || ((!with || !without) && seconds_now() < end + 120)) {
		err = ptw_iova(&self->e.ptw, self->e.name, SHOWN - ROOM / 2, SHOWN + 2 * ROOM - 1,
			       &iova);
		busy += err == -EBUSY;
		if (err) {
			ASSERT_EQ(-EBUSY, err)
				TH_LOG("%s", self->e.ptw.error.message);
			continue;
		}
		with += !!iova.nr;
		without += !iova.nr;
		for (i = 0; i < iova.nr; i++) {
			const struct ptwalk_stretch *s = &iova.stretch[i];

			ASSERT_LE(SHOWN, s->iova);
			ASSERT_GE(SHOWN + ROOM, s->iova + s->bytes);
			for (there = 0; there < s->bytes; there += self->page)
				ASSERT_EQ(phys[(s->iova - SHOWN + there) / self->page],
					  s->phys + there);
		}
	}
	__atomic_store_n(&b.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, b.err);
	EXPECT_NE(0, with);
	EXPECT_NE(0, without);
	TH_LOG("looked %llu times with it, %llu without; busy %llu times",
	       with, without, busy);
	free(phys);
	munmap(room, 2 * ROOM);
}

TEST_HARNESS_MAIN
