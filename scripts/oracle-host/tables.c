// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tables.h"
#include "tap.h"

/*
 * How tables lie in memory. Where levels have no shifts here, a table is a page
 * of eight-byte entries.
 */
static const struct format {
	const char *arch;
	bool big_endian;
	/* Where the next table is. */
	uint64_t mask;
	int left;
	int shift[LEVELS], bits[LEVELS];
} formats[] = {
	{ .arch = "amd64", .mask = 0x000ffffffffff000 },
	{ .arch = "arm64", .mask = 0x0000fffffffff000 },
	{ .arch = "riscv64", .mask = 0x003ffffffffffc00, .left = 2 },
	{
		.arch = "s390x", .big_endian = true, .mask = ~0x7ffULL,
		.shift = { 12, 20, 31, 42, 53 }, .bits = { 8, 11, 11, 11, 11 },
	},
};

static char why[160];

static const struct format *format_of(const char *arch)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].arch, arch))
			return &formats[i];
	return NULL;
}

bool tables_known(const char *arch)
{
	return format_of(arch);
}

static uint64_t entry_addr(const struct format *f, const struct report *r, int level,
			   int rank, uint64_t table, uint64_t addr)
{
	int page_shift = __builtin_ctzll(r->page_size);
	int bits = f->bits[level] ?: page_shift - 3;
	int shift = f->shift[level] ?: page_shift + rank * bits;

	return table + (addr >> shift & ((1U << bits) - 1)) * sizeof(uint64_t);
}

/* Levels that this kernel has folded are in no walk. */
static int rank_of(const struct report *r, int level)
{
	bool has[LEVELS] = { false };
	int rank = 0;

	for (size_t i = 0; i < r->nr_walks; i++)
		for (int l = 0; l < LEVELS; l++)
			has[l] |= r->walk[i].has[l];
	for (int l = 0; l < level; l++)
		rank += has[l];
	return rank;
}

const char *tables_wrong(const struct layout *l, const struct report *r, const char *arch,
			 const struct walk *walk, uint64_t root, unsigned int *found)
{
	const struct format *f = format_of(arch);
	uint64_t table = root, entry, at;

	for (int level = LEVELS - 1; level >= 0; level--) {
		if (!walk->has[level])
			continue;
		at = entry_addr(f, r, level, rank_of(r, level), table, walk->addr);
		if (table) {
			if (!layout_read(l, at, &entry, sizeof(entry)))
				entry = 0;
			entry = f->big_endian ? be64toh(entry) : le64toh(entry);
			if (entry != walk->entry[level]) {
				snprintf(why, sizeof(why),
					 "%#" PRIx64 " level %d: the entry at %#" PRIx64
					 " is %#" PRIx64 ", not %#" PRIx64, walk->addr, level,
					 at, entry, walk->entry[level]);
				return why;
			}
			++*found;
		}
		table = (walk->entry[level] & f->mask) << f->left;
		/* s390's tables above the lowest are whole pages. */
		if (level > 1)
			table &= ~0xfffULL;
	}
	return NULL;
}

size_t tlb_parse(const char *text, struct tlb **tlb)
{
	size_t nr = 0, room = 0;

	*tlb = NULL;
	while (*text) {
		struct tlb t;

		if (sscanf(text, "%" SCNx64 ": %" SCNx64 " %9s", &t.addr, &t.phys, t.flags) == 3 &&
		    !(t.addr >> 63)) {
			if (nr == room) {
				room = room ? 2 * room : 4096;
				*tlb = realloc(*tlb, room * sizeof(t));
				if (!*tlb)
					exit(1);
			}
			(*tlb)[nr++] = t;
		}
		text += strcspn(text, "\n");
		text += !!*text;
	}
	return nr;
}

static bool differ(bool quietly, unsigned int nr, uint64_t addr, const char *what,
		   const char *monitor, const char *ptwalk)
{
	if (!quietly && nr < 8)
		tap_note("%#" PRIx64 ": %s: info tlb %s, ptwalk %s", addr, what, monitor,
			 ptwalk);
	return true;
}

/* The bits that choose a memory type: PAT, PCD, PWT, as Linux has set them up. */
static int cache_bits(const char *type)
{
	static const char *const types[] = {
		"wb", "wc", "uc-minus", "uc", NULL, "wp", NULL, "wt",
	};

	for (int i = 0; i < 8; i++)
		if (types[i] && !strcmp(types[i], type))
			return i;
	return -1;
}

/* XGPDACTUW, as an entry of ptwalk's extent would have them. */
static void expected_flags(const struct extent *e, const struct tlb *t, char *flags)
{
	int cache = cache_bits(e->type);
	bool dirty = e->dirty;

	/*
	 * What is read-only keeps its dirty bit elsewhere, from Linux 6.6 on, and
	 * both are dirty to the kernel.
	 */
	if (dirty && !e->write)
		dirty = t->flags[3] == 'D';
	flags[0] = e->exec ? '-' : 'X';
	flags[1] = e->global ? 'G' : '-';
	flags[2] = e->level || cache & 4 ? 'P' : '-';
	flags[3] = dirty ? 'D' : '-';
	flags[4] = e->young ? 'A' : '-';
	flags[5] = cache & 2 ? 'C' : '-';
	flags[6] = cache & 1 ? 'T' : '-';
	flags[7] = e->user ? 'U' : '-';
	flags[8] = e->write ? 'W' : '-';
	flags[9] = '\0';
	/* A type of no name: neither of these. */
	if (cache < 0)
		flags[5] = '?';
}

static unsigned int compare_one(const struct extent *e, uint64_t addr, const struct tlb *t,
				bool quietly, unsigned int differences)
{
	uint64_t phys = e->phys + (addr - e->start);
	char a[32], b[32];

	if (t->phys != phys) {
		snprintf(a, sizeof(a), "%#" PRIx64, t->phys);
		snprintf(b, sizeof(b), "%#" PRIx64, phys);
		return differ(quietly, differences, addr, "address", a, b);
	}
	expected_flags(e, t, a);
	return strcmp(a, t->flags) &&
	       differ(quietly, differences, addr, "flags", t->flags, a);
}

unsigned int tlb_compare(const struct report *r, const struct tlb *tlb, size_t nr,
			 bool quietly)
{
	const struct tlb *t = tlb, *end = tlb + nr;
	unsigned int n = 0;

	for (size_t i = 0; i < r->nr_extents; i++) {
		const struct extent *e = &r->extent[i];

		if (e->pid != r->pid || e->prot_none)
			continue;
		for (uint64_t addr = e->start; addr < e->last; addr += e->step) {
			for (; t < end && t->addr < addr; t++)
				n += differ(quietly, n, t->addr, "presence", "has it",
					    "has nothing");
			if (t == end || t->addr != addr)
				n += differ(quietly, n, addr, "presence", "has nothing",
					    "has it");
			else
				n += compare_one(e, addr, t++, quietly, n);
		}
	}
	for (; t < end; t++)
		n += differ(quietly, n, t->addr, "presence", "has it", "has nothing");
	return n;
}
