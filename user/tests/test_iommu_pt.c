// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/device/iommu_pt.c, built for the host, on memory that is made up: tables of each
 * format, written by the specifications of the IOMMUs from mappings that are drawn, and
 * answers compared with the mappings. Before a read that is drawn too, tables change, are
 * freed and become something else: what is told must have been so before or afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include "tests.h"

typedef uint64_t u64;
typedef int64_t s64;

/* Of the kernel, what the file needs. */
#define PTWALK_HAS_iommupt_from_domain
#define BIT(n)			(1UL << (n))
#define U64_MAX			(~0ULL)
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(high, low)	(~0ULL >> (63 - (high)) & ~0ULL << (low))
#define FIELD_GET(mask, value)	(((value) & (mask)) >> __builtin_ctzll(mask))
#define ffz(word)		((unsigned int)__builtin_ctzll(~(u64)(word)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define PHYS_PFN(phys)		((phys) >> 12)
#define __va(phys)		((void *)(uintptr_t)(phys))
#define __sme_clr(entry)	((entry) & ~sme_mask)
/* A memory barrier, where one thread is. */
#define smp_rmb()		cond_resched()
#define cond_resched()		do { } while (0)

struct iommu_domain {
	const struct iommu_domain_ops {
		u64 (*iova_to_phys)(struct iommu_domain *domain, u64 iova);
	} *ops;
};

struct pt_iommu {
	struct iommu_domain domain;
};

struct pt_common {
	unsigned int features;
};

struct pt_iommu_amdv1 {
	struct pt_iommu iommu;
	struct {
		struct pt_common common;
	} amdpt;
};

struct pt_iommu_vtdss {
	struct pt_iommu iommu;
};

struct pt_iommu_x86_64 {
	struct pt_iommu iommu;
	struct {
		struct pt_common common;
	} x86_64_pt;
};

struct pt_iommu_amdv1_hw_info {
	u64 host_pt_root;
	unsigned int mode;
};

struct pt_iommu_vtdss_hw_info {
	u64 ssptptr;
	unsigned int aw;
};

struct pt_iommu_x86_64_hw_info {
	u64 gcr3_pt;
	unsigned int levels;
};

enum {
	PT_FEAT_SIGN_EXTEND,
	PT_FEAT_AMDV1_ENCRYPT_TABLES,
	PT_FEAT_X86_64_AMD_ENCRYPT_TABLES,
};

struct ptwalk_wait {
	unsigned int most, tries;
};

#define PTWALK_WAIT_SHARED	16
#define ptwalk_wait_begin(most)	((struct ptwalk_wait){ most, 0 })
#define ptwalk_wait_is_over(w)	((w)->tries == (w)->most)

#define FRAMES		256
#define FIRST_FRAME	0x1000ULL

/**
 * struct frame - a page of the memory that there is
 * @table: A table is in it.
 * @offline: It can't be read; @faults: only with a fault.
 */
static struct frame {
	bool table, offline, faults;
	u64 entry[512];
} memory[FRAMES];

static u64 sme_mask;
static unsigned int rcu, reads;
/* Called before each read. */
static void (*before_read)(void);

static struct frame *frame_at(u64 phys)
{
	const u64 nr = PHYS_PFN(phys) - FIRST_FRAME;

	return nr < FRAMES ? &memory[nr] : NULL;
}

static void rcu_read_lock(void)
{
	assert_int_equal(rcu++, 0);
}

static void rcu_read_unlock(void)
{
	assert_int_equal(--rcu, 0);
}

static bool pfn_to_online_page(u64 pfn)
{
	const struct frame *f = frame_at(pfn << 12);

	reads++;
	if (before_read)
		before_read();
	return f && !f->offline;
}

static int copy_from_kernel_nofault(u64 *to, const void *from, size_t bytes)
{
	const u64 phys = (uintptr_t)from;
	const struct frame *f = frame_at(phys);

	assert_int_equal(rcu, 1);
	assert_non_null(f);
	assert_false(f->offline);
	assert_int_equal(bytes, sizeof(*to));
	if (f->faults)
		return -EFAULT;
	*to = f->entry[phys % 4096 / 8];
	return 0;
}

enum drawn_format { AMDV1, VTDSS, X86_64 };

#define PIECES	12

/**
 * struct piece - bus addresses that lead to memory in a row
 * @shift: How many, as a power of two.
 */
struct piece {
	u64 iova, phys;
	unsigned int shift;
};

/* A domain with its tables, and what they were written from. */
static struct drawn {
	enum drawn_format format;
	union {
		struct pt_iommu iommu;
		struct pt_iommu_amdv1 amdv1;
		struct pt_iommu_vtdss vtdss;
		struct pt_iommu_x86_64 x86_64;
	};
	bool encrypted, extends;
	unsigned int levels, nr;
	u64 root;
	struct piece piece[PIECES];
} drawn;

/* Drivers take these; nobody calls them. */
static u64 pt_iommu_amdv1_iova_to_phys(struct iommu_domain *domain, u64 iova)
{
	return AMDV1;
}

static u64 pt_iommu_vtdss_iova_to_phys(struct iommu_domain *domain, u64 iova)
{
	return VTDSS;
}

static u64 pt_iommu_x86_64_iova_to_phys(struct iommu_domain *domain, u64 iova)
{
	return X86_64;
}

static u64 of_another_driver(struct iommu_domain *domain, u64 iova)
{
	return iova;
}

static struct pt_iommu *iommupt_from_domain(struct iommu_domain *domain)
{
	return container_of(domain, struct pt_iommu, domain);
}

static void pt_iommu_amdv1_hw_info(struct pt_iommu_amdv1 *pt,
				   struct pt_iommu_amdv1_hw_info *info)
{
	*info = (struct pt_iommu_amdv1_hw_info){ drawn.root, drawn.levels };
}

static void pt_iommu_vtdss_hw_info(struct pt_iommu_vtdss *pt,
				   struct pt_iommu_vtdss_hw_info *info)
{
	*info = (struct pt_iommu_vtdss_hw_info){ drawn.root, drawn.levels - 2 };
}

static void pt_iommu_x86_64_hw_info(struct pt_iommu_x86_64 *pt,
				    struct pt_iommu_x86_64_hw_info *info)
{
	*info = (struct pt_iommu_x86_64_hw_info){ drawn.root, drawn.levels };
}

/* kmod/device/iommu_pt.h and .c without what they include. */
#include "iommu_pt_source.h"

static u64 random_state;

static u64 draw(u64 below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return below ? random_state % below : random_state;
}

static bool draw_one_in(unsigned int nr)
{
	return !draw(nr);
}

static u64 low_bits(unsigned int nr)
{
	return nr < 64 ? (1ULL << nr) - 1 : ~0ULL;
}

/* Bits of a bus address that the tables translate. */
static unsigned int bus_bits(void)
{
	return min(12 + 9 * drawn.levels, 64U);
}

static u64 extended(u64 iova)
{
	const unsigned int above = 64 - bus_bits();

	return drawn.extends ? (u64)((s64)(iova << above) >> above) : iova;
}

static u64 new_table(void)
{
	for (unsigned int i = 0; i < FRAMES; i++) {
		if (memory[i].table)
			continue;
		memory[i] = (struct frame){ .table = true };
		return (FIRST_FRAME + i) << 12;
	}
	fail();
	return 0;
}

/* What is in a frame that was freed, and is used for something else. */
static void reuse(struct frame *f)
{
	const u64 style = draw(6);

	*f = (struct frame){ .offline = style == 4, .faults = style == 5 };
	for (unsigned int i = 0; style < 3 && i < 512; i++) {
		const u64 entry[] = {
			draw(0), draw(0) << 12 | 1,
			(FIRST_FRAME + draw(FRAMES)) << 12 | draw(4096),
		};

		f->entry[i] = entry[style];
	}
}

/* Bits that say nothing of where an entry leads, and are ignored or of access alone. */
static u64 draw_ignored(bool leaf)
{
	static const u64 table[] = {
		[AMDV1] = 3ULL << 61 | 0x7fULL << 52 | 1 << 5,
		[VTDSS] = 0xfffULL << 52 | 0xf00,
		[X86_64] = 1ULL << 63 | 0x7ffULL << 52 | 0xe3e,
	}, page[] = {
		[AMDV1] = 3ULL << 59, [VTDSS] = 1ULL << 62 | 0x78, [X86_64] = 0x140,
	};

	return draw(0) & (table[drawn.format] | (leaf ? page[drawn.format] : 0));
}

static u64 with_key(u64 entry)
{
	return entry | (drawn.encrypted ? sme_mask : 0);
}

static u64 table_entry(u64 table, unsigned int level)
{
	u64 entry = with_key(table | draw_ignored(false));

	switch (drawn.format) {
	case AMDV1:
		return entry | (u64)(level - 1) << 9 | 1;
	case VTDSS:
		return (entry & ~(1ULL << 7)) | 3;
	default:
		return (entry & ~(1ULL << 7)) | 1;
	}
}

/* The level whose entries have pages of this size, or are repeated for it. */
static unsigned int level_of(unsigned int shift)
{
	return (shift - 12) / 9 + 1;
}

static u64 page_entry(const struct piece *p)
{
	const unsigned int level = level_of(p->shift);
	/* In the lowest level, the bit is ignored, or of the memory type. */
	const u64 is_large = level > 1 || draw(2);
	u64 entry = p->phys | draw_ignored(true);

	if (!draw_one_in(4))
		entry = with_key(entry);
	switch (drawn.format) {
	case AMDV1:
		if ((p->shift - 12) % 9)
			entry |= ((1ULL << (p->shift - 1)) - 4096) | 7 << 9;
		return entry | 1;
	case VTDSS:
		return entry | is_large << 7 | (1 + draw(3));
	default:
		/* Of a large page, bit 12 is of the memory type. */
		return entry | is_large << 7 | (level > 1) * draw(2) << 12 | 1;
	}
}

static unsigned int index_at(u64 iova, unsigned int level)
{
	return iova >> (12 + 9 * (level - 1)) & 511;
}

static u64 *entry_at(u64 table, u64 iova, unsigned int level)
{
	return &frame_at(table)->entry[index_at(iova, level)];
}

/* As ours, not as the file that is tested has it: tables are where table[] says. */
static u64 next_table(u64 entry)
{
	return entry & GENMASK_ULL(51, 12) & ~(drawn.encrypted ? sme_mask : 0);
}

static void write_piece(const struct piece *p)
{
	const unsigned int end = level_of(p->shift);
	const u64 leaf = page_entry(p);
	u64 table = drawn.root;

	for (unsigned int level = drawn.levels; level > end; level--) {
		u64 *entry = entry_at(table, p->iova, level);

		if (!*entry)
			*entry = table_entry(new_table(), level);
		table = next_table(*entry);
	}
	for (unsigned int i = 0; i < 1U << (p->shift - 12) % 9; i++)
		entry_at(table, p->iova, end)[i] = leaf;
}

static bool is_empty(u64 table)
{
	const struct frame *f = frame_at(table);

	for (unsigned int i = 0; i < 512; i++)
		if (f->entry[i])
			return false;
	return true;
}

/* Clears what leads to it, and frees tables that are empty then, as the drivers do. */
static void clear_piece(const struct piece *p, u64 table, unsigned int level)
{
	const unsigned int end = level_of(p->shift);
	u64 *entry = entry_at(table, p->iova, level), below;

	if (level == end) {
		for (unsigned int i = 0; i < 1U << (p->shift - 12) % 9; i++)
			entry[i] = 0;
		return;
	}
	below = next_table(*entry);
	clear_piece(p, below, level - 1);
	if (is_empty(below)) {
		*entry = 0;
		reuse(frame_at(below));
	}
}

static unsigned int draw_shift(void)
{
	if (drawn.format == AMDV1)
		return 12 + draw(min(bus_bits() - 12, 30));
	return 12 + 9 * draw(3);
}

static bool overlaps(const struct piece *a, const struct piece *b)
{
	return !((a->iova ^ b->iova) >> (a->shift > b->shift ? a->shift : b->shift));
}

static bool fits(const struct piece *p)
{
	for (unsigned int i = 0; i < drawn.nr; i++)
		if (overlaps(p, &drawn.piece[i]))
			return false;
	return true;
}

/* Near another one, mostly, so that they share tables. */
static struct piece draw_piece(void)
{
	const unsigned int phys_bits = drawn.encrypted ? __builtin_ctzll(sme_mask) : 52;
	struct piece p = { .iova = draw(0), .shift = draw_shift() };

	if (drawn.nr && !draw_one_in(3))
		p.iova = drawn.piece[draw(drawn.nr)].iova ^ (p.iova & low_bits(13 + draw(20)));
	p.iova = extended(p.iova & low_bits(bus_bits()) & ~low_bits(p.shift));
	p.phys = draw(0) & low_bits(phys_bits) & ~low_bits(p.shift);
	return p;
}

/* Unless there is no room: few levels have one of 2 MiB. */
static void add_piece(void)
{
	struct piece p = draw_piece();

	if (!fits(&p))
		return;
	write_piece(&p);
	drawn.piece[drawn.nr++] = p;
}

static void remove_piece(unsigned int nr)
{
	clear_piece(&drawn.piece[nr], drawn.root, drawn.levels);
	drawn.piece[nr] = drawn.piece[--drawn.nr];
}

/* AMD's driver adds a level when an address needs it. */
static void grow(void)
{
	const u64 root = new_table();

	frame_at(root)->entry[0] = table_entry(drawn.root, drawn.levels + 1);
	drawn.root = root;
	drawn.levels++;
}

static const struct iommu_domain_ops ops_of[] = {
	[AMDV1] = { pt_iommu_amdv1_iova_to_phys },
	[VTDSS] = { pt_iommu_vtdss_iova_to_phys },
	[X86_64] = { pt_iommu_x86_64_iova_to_phys },
};

static struct iommu_domain *domain_of(void)
{
	return &drawn.iommu.domain;
}

static void draw_domain(enum drawn_format format, unsigned int nr)
{
	memset(&drawn, 0, sizeof(drawn));
	for (unsigned int i = 0; i < FRAMES; i++)
		if (memory[i].table)
			reuse(&memory[i]);
	drawn.format = format;
	drawn.levels = format == AMDV1 ? 1 + draw(6) : 3 + draw(3);
	sme_mask = 1ULL << (43 + draw(9));
	if (format == X86_64) {
		drawn.extends = draw(2);
		drawn.encrypted = draw(2);
		drawn.x86_64.x86_64_pt.common.features =
			drawn.extends << PT_FEAT_SIGN_EXTEND |
			drawn.encrypted << PT_FEAT_X86_64_AMD_ENCRYPT_TABLES;
	} else if (format == AMDV1) {
		drawn.encrypted = draw(2);
		drawn.amdv1.amdpt.common.features =
			drawn.encrypted << PT_FEAT_AMDV1_ENCRYPT_TABLES;
	}
	domain_of()->ops = &ops_of[format];
	drawn.root = new_table();
	for (unsigned int i = 0; i < nr; i++)
		add_piece();
}

static bool is_within(const struct piece *p, u64 iova)
{
	return !((p->iova ^ iova) >> p->shift);
}

/* Whether tables of @d have no entry for @iova; @last is the last of such addresses. */
static bool is_beyond(const struct drawn *d, u64 iova, u64 *last)
{
	const unsigned int bits = 12 + 9 * d->levels;

	if (bits >= 64)
		return false;
	*last = d->extends ? (~0ULL << (bits - 1)) - 1 : ~0ULL;
	return iova <= *last && iova >> (bits - d->extends);
}

/* Whether the answer is what @d was written from. */
static bool is_true(const struct drawn *d, u64 iova, const struct ptwalk_iommu_place *place)
{
	u64 last;

	if (is_beyond(d, iova, &last))
		return !place->mapped && place->last == last;
	if (place->last < iova)
		return false;
	for (unsigned int i = 0; i < d->nr; i++) {
		const struct piece *p = &d->piece[i];

		if (is_within(p, iova))
			return place->mapped && place->last == (iova | low_bits(p->shift)) &&
			       place->phys == p->phys + (iova - p->iova);
		if (!place->mapped && p->iova > iova && p->iova <= place->last)
			return false;
	}
	return !place->mapped;
}

static u64 draw_address(void)
{
	const struct piece *p = &drawn.piece[drawn.nr ? draw(drawn.nr) : 0];
	const u64 last = p->iova | low_bits(p->shift);

	switch (draw(8)) {
	case 0:
		return p->iova - 1;
	case 1:
		return last + 1;
	case 2:
		return last;
	case 3:
		return draw(0);
	case 4:
		return p->iova ^ 1ULL << draw(64);
	case 5:
		return (0 - draw(3)) << (bus_bits() - draw(2)) % 64;
	default:
		return p->iova + draw(1ULL << p->shift);
	}
}

#define DOMAINS		300
#define ADDRESSES	200

/* A hole is never longer than it is, nor so short that it takes long. */
static void translates(enum drawn_format format)
{
	struct ptwalk_iommu_place place;

	for (unsigned int i = 0; i < DOMAINS; i++) {
		draw_domain(format, 1 + draw(PIECES));
		assert_true(ptwalk_iommu_pt_knows(domain_of()));
		for (unsigned int j = 0; j < ADDRESSES; j++) {
			const u64 iova = draw_address();

			assert_int_equal(ptwalk_iommu_pt_look_up(domain_of(), iova, &place), 0);
			if (!is_true(&drawn, iova, &place))
				fail_msg("format %d, %d levels, %#llx: %d, last %#llx, %#llx",
					 format, drawn.levels, (long long)iova, place.mapped,
					 (long long)place.last, (long long)place.phys);
		}
	}
}

static void amdv1_translates(void **state)
{
	translates(AMDV1);
}

static void vtdss_translates(void **state)
{
	translates(VTDSS);
}

static void x86_64_translates(void **state)
{
	translates(X86_64);
}

/* The read before which something happens, and what was mapped before. */
static unsigned int strike_at, victim;
static struct drawn former;

/* What was freed may be the table of something else at once. */
static void strike(void)
{
	if (reads != strike_at)
		return;
	former = drawn;
	if (drawn.format == AMDV1 && drawn.levels < 6 && draw_one_in(4))
		grow();
	else
		remove_piece(victim);
	while (drawn.nr < PIECES && draw(2))
		add_piece();
}

static bool is_looked_up_right(u64 iova)
{
	struct ptwalk_iommu_place place;

	reads = 0;
	assert_int_equal(ptwalk_iommu_pt_look_up(domain_of(), iova, &place), 0);
	return is_true(&drawn, iova, &place) ||
	       (reads >= strike_at && is_true(&former, iova, &place));
}

#define STRIKES	5000

/*
 * One change, before each read that a lookup makes: tables of the way to an address go,
 * and have other contents when they are read.
 */
static void tells_what_was(void **state)
{
	unsigned int struck = 0;

	before_read = strike;
	for (unsigned int i = 0; i < STRIKES; i++) {
		u64 iova;

		strike_at = 0;
		draw_domain(i % 3, 1 + draw(PIECES - 1));
		victim = draw(drawn.nr);
		iova = drawn.piece[victim].iova + draw(1ULL << drawn.piece[victim].shift);
		strike_at = 1 + draw(2 * drawn.levels);
		assert_true(is_looked_up_right(iova));
		struck += reads >= strike_at;
	}
	before_read = NULL;
	/* Some are over before. */
	assert_in_range(struck, STRIKES / 2, STRIKES);
}

static void change_root(void)
{
	drawn.root = new_table();
}

static void gives_up(void **state)
{
	struct ptwalk_iommu_place place;

	draw_domain(AMDV1, 1);
	before_read = change_root;
	assert_int_equal(ptwalk_iommu_pt_look_up(domain_of(), 0, &place), -EBUSY);
	before_read = NULL;
	assert_int_equal(ptwalk_iommu_pt_look_up(domain_of(), 0, &place), 0);
}

static void knows_its_formats(void **state)
{
	static const struct iommu_domain_ops other = { of_another_driver };

	draw_domain(VTDSS, 1);
	assert_true(ptwalk_iommu_pt_knows(domain_of()));
	domain_of()->ops = &other;
	assert_false(ptwalk_iommu_pt_knows(domain_of()));
}

static int draw_anew(void **state)
{
	const char *seed = getenv("SEED");

	random_state = seed ? strtoull(seed, NULL, 0) : 1;
	random_state = (random_state + 1) * 0x9e3779b97f4a7c15ULL;
	return 0;
}

SUITE(suite_iommu_pt,
	cmocka_unit_test_setup(amdv1_translates, draw_anew),
	cmocka_unit_test_setup(vtdss_translates, draw_anew),
	cmocka_unit_test_setup(x86_64_translates, draw_anew),
	cmocka_unit_test_setup(tells_what_was, draw_anew),
	cmocka_unit_test_setup(gives_up, draw_anew),
	cmocka_unit_test(knows_its_formats),
);
