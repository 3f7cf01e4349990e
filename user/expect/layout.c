// SPDX-License-Identifier: GPL-2.0
/* What a mapping is expected to be, parsed, and compared with its pages. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/format.h"
#include "expect/layout.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"

#define HUGE_LEVELS	(~(1U << PTWALK_LEVEL_PTE))

const char *const departure_name[NR_DEPARTURES] = {
	[DEPARTS_ADDRESS] = "expect-address",
	[DEPARTS_SCATTERED] = "expect-contiguous",
	[DEPARTS_HOLE] = "expect-hole",
	[DEPARTS_SHORT] = "expect-short",
	[DEPARTS_PAST] = "expect-end",
	[DEPARTS_TYPE] = "expect-memory-type",
	[DEPARTS_FLAGS] = "expect-flags",
	[DEPARTS_LEVEL] = "expect-level",
};

/* What an attribute that is no memory type asks for. */
static const struct {
	const char *word;
	uint32_t set, clear, levels;
} attributes[] = {
	{ "rw", .set = PTWALK_FLAG_WRITE },
	{ "ro", .clear = PTWALK_FLAG_WRITE },
	{ "ram", .set = PTWALK_FLAG_RAM },
	{ "mmio", .clear = PTWALK_FLAG_RAM },
	{ "pte", .levels = 1U << PTWALK_LEVEL_PTE },
	{ "pmd", .levels = 1U << PTWALK_LEVEL_PMD },
	{ "pud", .levels = 1U << PTWALK_LEVEL_PUD },
	{ "huge", .levels = HUGE_LEVELS },
};

static const char *no_attribute(const char *word, size_t len)
{
	const size_t nr = sizeof(attributes) / sizeof(attributes[0]);
	const char *meant = NULL;
	static char reason[320];
	char typed[33];
	int at;

	snprintf(typed, sizeof(typed), "%.*s", (int)(len < 32 ? len : 32), word);
	for (size_t i = 0; i < nr; i++)
		meant = parse_nearer(typed, attributes[i].word, meant);
	meant = memtype_nearest(typed, meant);
	at = snprintf(reason, sizeof(reason),
		      "no attribute '%s': %s%s%sgive a memory type (such as wb, wc, uc-minus, normal, device-ngnre; cached, combining, uncached, device)",
		      typed, meant ? "did you mean '" : "", meant ? meant : "",
		      meant ? "'? Or " : "");
	for (size_t i = 0; i < nr && at < (int)sizeof(reason); i++)
		at += snprintf(reason + at, sizeof(reason) - at, "%s%s",
			       i + 1 < nr ? ", " : " or ", attributes[i].word);
	return reason;
}

static const char *add_attribute(struct layout_piece *piece, const char *word,
				 size_t len)
{
	uint32_t types = memtype_parse(word, len);
	size_t i;

	if (types) {
		piece->types |= types;
		return NULL;
	}
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (!parse_is_word(word, len, attributes[i].word))
			continue;
		piece->set |= attributes[i].set;
		piece->clear |= attributes[i].clear;
		piece->levels |= attributes[i].levels;
		return piece->set & piece->clear ?
		       "asks for a thing and its opposite" : NULL;
	}
	return no_attribute(word, len);
}

static bool whole_pages(uint64_t length, uint64_t page_size)
{
	return length && !(length % page_size);
}

/* "64K", "0x10000", or digits alone, of which only one reading can be meant. */
static const char *parse_length(const char *s, uint64_t page_size,
				uint64_t *length)
{
	uint64_t dec = 0, hex = 0;
	const char *reason;

	if (strspn(s, "0123456789abcdefABCDEF") != strlen(s))
		return parse_size(s, length) ?
		       "LENGTH is no number: give 64K or 0x10000" : NULL;
	reason = parse_hex(s, &hex);
	if (reason)
		return "LENGTH is no number: give 64K or 0x10000";
	if (parse_decimal(s, UINT64_MAX, &dec))
		dec = 0;
	if (whole_pages(dec, page_size) == whole_pages(hex, page_size) &&
	    dec != hex)
		return "is LENGTH decimal or hexadecimal? Give 64K or 0x10000";
	*length = whole_pages(dec, page_size) ? dec : hex;
	return NULL;
}

static const char *parse_piece(const char *text, uint64_t page_size,
			       struct layout_piece *piece)
{
	const char *colon = strchr(text, ':'), *reason, *p;
	char start[40], length[40];
	uint64_t bytes;
	size_t len;

	piece->text = text;
	if (!colon)
		return "no ':': give PHYS:LENGTH[,ATTRIBUTE...]";
	len = strcspn(colon + 1, ",");
	if ((size_t)(colon - text) >= sizeof(start) || len >= sizeof(length))
		return "more than 64 bits";
	snprintf(start, sizeof(start), "%.*s", (int)(colon - text), text);
	snprintf(length, sizeof(length), "%.*s", (int)len, colon + 1);

	piece->anywhere = !strcmp(start, "any");
	if (!piece->anywhere) {
		reason = parse_hex(start, &piece->start);
		if (reason && !*start)
			return "no PHYS: give the physical address in hexadecimal, or `any`";
		if (reason)
			return "PHYS is no hexadecimal number, nor `any`";
		if (piece->start % page_size)
			return "PHYS is not the beginning of a page: pages are what is mapped (of a frame number, the address is wanted)";
	}
	if (!len)
		return "no LENGTH: give PHYS:LENGTH[,ATTRIBUTE...]";
	reason = parse_length(length, page_size, &bytes);
	if (reason)
		return reason;
	if (!bytes)
		return "LENGTH is 0";
	piece->pages = (bytes - 1) / page_size + 1;
	if (bytes - 1 > UINT64_MAX - piece->start)
		return "ends behind the last address";

	for (p = colon + 1 + len; *p; p += len) {
		p++;
		len = strcspn(p, ",");
		reason = len ? add_attribute(piece, p, len) :
			       "an attribute is missing behind a comma";
		if (reason)
			return reason;
	}
	return NULL;
}

const char *layout_add(struct layout *layout, const char *text,
		       uint64_t page_size)
{
	struct layout_piece piece = { 0 };
	const char *reason = parse_piece(text, page_size, &piece);

	if (reason)
		return reason;
	if (!array_add(layout->piece, layout->nr, layout->max, piece))
		return "out of memory";
	return NULL;
}

bool layout_typed(const struct layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++)
		if (layout->piece[i].types)
			return true;
	return false;
}

bool layout_anywhere(const struct layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++)
		if (layout->piece[i].anywhere)
			return true;
	return false;
}

void layout_free(struct layout *layout)
{
	free(layout->piece);
	memset(layout, 0, sizeof(*layout));
}

const struct layout_piece *layout_beyond(const struct layout *layout,
					 const struct ptwalk_kernel *kernel)
{
	uint32_t there = memtypes_there(kernel);
	size_t i;

	for (i = 0; i < layout->nr; i++)
		if (layout->piece[i].types && !(layout->piece[i].types & there))
			return &layout->piece[i];
	return NULL;
}

/**
 * struct comparison - a comparison under way
 * @layout: What is expected.
 * @kernel: The kernel.
 * @out: Where departures go.
 * @latest: The latest departure of each kind, as index + 1.
 * @piece: Index of the piece.
 * @done: Pages of it that are behind us.
 * @index: Pages of the layout that are behind us.
 * @anchor: Frame of the first page of the piece, if @anchored.
 * @right: Some page of the piece is where it should be.
 * @first: Index of the first departure from the piece.
 * @failed: No memory.
 */
struct comparison {
	const struct layout *layout;
	const struct ptwalk_kernel *kernel;
	struct layout_result *out;
	size_t latest[NR_DEPARTURES];
	size_t piece;
	uint64_t done, index;
	uint64_t anchor;
	bool anchored, right;
	size_t first;
	bool failed;
};

/**
 * struct stretch - pages in a row that are mapped alike, or not at all
 * @addr: Address of the first one.
 * @pages: How many.
 * @value: As in struct ptwalk_extent.
 * @bits: As in struct ptwalk_extent.
 * @vma: That they lie in, or NULL.
 */
struct stretch {
	uint64_t addr, pages;
	uint64_t value, bits;
	const struct ptwalk_vma *vma;
};

static uint64_t departure_shift(const struct departure *d,
				const struct ptwalk_kernel *kernel)
{
	return d->value - (d->expected >> kernel->page_shift);
}

/* Whether @d goes on where @last ended, in the same way. */
static bool departure_goes_on(const struct comparison *c, const struct departure *last,
			      const struct departure *d)
{
	const struct layout_piece *piece = d->piece;

	if (last->piece != piece || last->index + last->pages != d->index ||
	    last->addr + (last->pages << c->kernel->page_shift) != d->addr)
		return false;
	switch (d->kind) {
	case DEPARTS_ADDRESS:
		return departure_shift(last, c->kernel) == departure_shift(d, c->kernel);
	case DEPARTS_HOLE:
	case DEPARTS_SHORT:
		return last->beyond == d->beyond &&
		       ptwalk_bits_kind(last->bits) == ptwalk_bits_kind(d->bits);
	case DEPARTS_TYPE:
		return ptwalk_bits_aux(last->bits) == ptwalk_bits_aux(d->bits);
	case DEPARTS_FLAGS:
		return !((ptwalk_bits_flags(last->bits) ^
			  ptwalk_bits_flags(d->bits)) &
			 (piece->set | piece->clear));
	case DEPARTS_LEVEL:
		return ptwalk_bits_level(last->bits) ==
		       ptwalk_bits_level(d->bits);
	default:
		return true;
	}
}

static void depart(struct comparison *c, const struct departure *d)
{
	struct layout_result *out = c->out;
	struct departure *last = c->latest[d->kind] ?
				 &out->departure[c->latest[d->kind] - 1] : NULL;

	if (last && departure_goes_on(c, last, d)) {
		last->pages += d->pages;
		return;
	}
	if (!array_room(&out->departure, &out->max, out->nr + 1, sizeof(*d))) {
		c->failed = true;
		return;
	}
	out->departure[out->nr++] = *d;
	c->latest[d->kind] = out->nr;
}

static void begin_piece(struct comparison *c)
{
	const struct layout_piece *piece = &c->layout->piece[c->piece];

	c->done = 0;
	c->right = false;
	c->first = c->out->nr;
	c->anchored = c->piece < c->layout->nr && !piece->anywhere;
	if (c->anchored)
		c->anchor = piece->start >> c->kernel->page_shift;
}

/*
 * A piece that is somewhere else as a whole is one thing, and one that is in
 * pieces is another.
 */
static void end_piece(struct comparison *c)
{
	struct layout_result *out = c->out;
	struct departure *d, *to, *scattered = NULL, *first = NULL;
	bool parted = c->right;
	size_t i;

	for (i = c->first; i < out->nr; i++) {
		d = &out->departure[i];
		if (d->kind != DEPARTS_ADDRESS)
			continue;
		if (first && departure_shift(first, c->kernel) != departure_shift(d, c->kernel))
			parted = true;
		first = d;
	}
	if (c->first == out->nr)
		parted = false;
	to = parted ? out->departure + c->first : NULL;
	for (i = c->first; parted && i < out->nr; i++) {
		d = &out->departure[i];
		if (d->kind == DEPARTS_ADDRESS) {
			d->kind = DEPARTS_SCATTERED;
			if (scattered && departure_goes_on(c, scattered, d)) {
				scattered->pages += d->pages;
				continue;
			}
			scattered = to;
		}
		*to++ = *d;
	}
	if (parted)
		out->nr = to - out->departure;
	memset(c->latest, 0, sizeof(c->latest));
	c->piece++;
	begin_piece(c);
}

static struct departure departure_of(const struct comparison *c,
				     const struct stretch *s)
{
	unsigned int shift = c->kernel->page_shift;
	struct departure d = {
		.addr = s->addr,
		.pages = s->pages,
		.index = c->index,
		.value = s->value,
		.bits = s->bits,
		.has_vma = s->vma,
	};

	if (s->vma)
		d.pgoff = s->vma->pgoff + ((s->addr - s->vma->start) >> shift);
	if (c->piece < c->layout->nr)
		d.piece = &c->layout->piece[c->piece];
	if (c->anchored)
		d.expected = (c->anchor + c->done) << shift;
	return d;
}

/* A stretch that lies in one piece. */
static void compare_stretch(struct comparison *c, const struct stretch *s)
{
	const struct layout_piece *piece = &c->layout->piece[c->piece];
	uint32_t flags = ptwalk_bits_flags(s->bits);
	struct departure d = departure_of(c, s);

	if (!ptwalk_bits_present(s->bits)) {
		d.kind = DEPARTS_HOLE;
		depart(c, &d);
		return;
	}
	if (!c->anchored) {
		c->anchor = s->value - c->done;
		c->anchored = true;
		d = departure_of(c, s);
	}
	if (s->value == c->anchor + c->done) {
		c->right = true;
	} else {
		d.kind = DEPARTS_ADDRESS;
		depart(c, &d);
	}
	if (piece->types &&
	    !(piece->types & 1U << memtype_of(c->kernel, s->bits))) {
		d.kind = DEPARTS_TYPE;
		depart(c, &d);
	}
	if ((flags & piece->set) != piece->set || flags & piece->clear) {
		d.kind = DEPARTS_FLAGS;
		depart(c, &d);
	}
	if (piece->levels &&
	    !(piece->levels & 1U << ptwalk_bits_level(s->bits))) {
		d.kind = DEPARTS_LEVEL;
		depart(c, &d);
	}
}

/* What the mapping has behind the last piece. */
static void compare_past(struct comparison *c, const struct stretch *s)
{
	struct departure d = departure_of(c, s);

	if (!ptwalk_bits_present(s->bits))
		return;
	d.kind = DEPARTS_PAST;
	depart(c, &d);
	c->out->pages += s->pages;
}

static void take_stretch(struct comparison *c, struct stretch s)
{
	bool ascends = ptwalk_kind_ascends(ptwalk_bits_kind(s.bits));
	struct stretch part;

	for (; s.pages && c->piece < c->layout->nr; s.pages -= part.pages) {
		const struct layout_piece *piece = &c->layout->piece[c->piece];

		part = s;
		if (part.pages > piece->pages - c->done)
			part.pages = piece->pages - c->done;
		compare_stretch(c, &part);
		s.addr += part.pages << c->kernel->page_shift;
		if (ascends)
			s.value += part.pages;
		c->done += part.pages;
		c->index += part.pages;
		c->out->pages += part.pages;
		if (c->done == piece->pages)
			end_piece(c);
	}
	if (s.pages) {
		compare_past(c, &s);
		c->index += s.pages;
	}
}

/* The address behind the range; 0 for the end of all. */
static void take_layout_range(struct comparison *c, const struct range *range,
			      const struct truth *truth)
{
	unsigned int shift = c->kernel->page_shift;
	uint64_t mask = (1ULL << shift) - 1;
	uint64_t addr = range->start & ~mask, last = range->last | mask;
	struct stretch hole = {
		.bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
	};
	struct stretch s;
	size_t i;

	for (i = 0; i < truth->nr_extents; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];
		uint64_t skip = e->addr < addr ? (addr - e->addr) >> shift : 0;

		if (e->addr > last || skip >= e->pages)
			continue;
		s = (struct stretch) {
			.addr = e->addr + (skip << shift),
			.pages = e->pages - skip,
			.value = e->value,
			.bits = e->bits,
			.vma = truth_vma_at(truth, e->addr),
		};
		if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
			s.value += skip;
		if (s.addr > addr) {
			hole.addr = addr;
			hole.pages = (s.addr - addr) >> shift;
			take_stretch(c, hole);
		}
		if (s.pages > ((last - s.addr) >> shift) + 1)
			s.pages = ((last - s.addr) >> shift) + 1;
		take_stretch(c, s);
		addr = s.addr + (s.pages << shift);
		if (addr > last || !addr)
			return;
	}
	hole.addr = addr;
	hole.pages = ((last - addr) >> shift) + 1;
	take_stretch(c, hole);
}

/* What should still come when the ranges have ended at @addr. */
static void take_missing(struct comparison *c, uint64_t addr)
{
	struct stretch s = {
		.addr = addr,
		.bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
	};
	struct departure d;

	while (c->piece < c->layout->nr) {
		s.pages = c->layout->piece[c->piece].pages - c->done;
		d = departure_of(c, &s);
		d.kind = DEPARTS_SHORT;
		d.beyond = true;
		depart(c, &d);
		c->index += s.pages;
		c->out->pages += s.pages;
		s.addr += s.pages << c->kernel->page_shift;
		end_piece(c);
	}
}

/* A hole that nothing follows is an end. */
static void mark_short_end(struct layout_result *out, uint64_t end)
{
	size_t i;

	for (i = out->nr; i--;) {
		struct departure *d = &out->departure[i];

		if (d->kind != DEPARTS_HOLE && d->kind != DEPARTS_SHORT)
			continue;
		if (d->index + d->pages != end)
			return;
		d->kind = DEPARTS_SHORT;
		end = d->index;
	}
}

int layout_compare(const struct layout *layout, const struct ptwalk_kernel *kernel,
		   const struct ranges *ranges, const struct truth *truth,
		   struct layout_result *result)
{
	struct comparison c = {
		.layout = layout,
		.kernel = kernel,
		.out = result,
	};
	uint64_t end = 0;
	size_t i;

	result->nr = 0;
	result->pages = 0;
	begin_piece(&c);
	for (i = 0; i < ranges->nr; i++)
		take_layout_range(&c, &ranges->range[i], &truth[i]);
	if (ranges->nr)
		end = ranges->range[ranges->nr - 1].last + 1;
	take_missing(&c, end);
	for (i = end = 0; i < layout->nr; i++)
		end += layout->piece[i].pages;
	mark_short_end(result, end);
	return c.failed ? -ENOMEM : 0;
}

void layout_result_free(struct layout_result *result)
{
	free(result->departure);
	memset(result, 0, sizeof(*result));
}

bool layout_same(const struct layout_result *a, const struct layout_result *b)
{
	size_t i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++) {
		const struct departure *d = &a->departure[i];
		const struct departure *e = &b->departure[i];

		if (d->kind != e->kind || d->addr != e->addr ||
		    d->pages != e->pages || d->expected != e->expected ||
		    d->value != e->value ||
		    ptwalk_bits_kind(d->bits) != ptwalk_bits_kind(e->bits) ||
		    ptwalk_bits_level(d->bits) != ptwalk_bits_level(e->bits) ||
		    ptwalk_bits_aux(d->bits) != ptwalk_bits_aux(e->bits))
			return false;
	}
	return true;
}

bool departure_has_found(const struct departure *d)
{
	return ptwalk_bits_present(d->bits);
}

bool departure_has_expected(const struct departure *d)
{
	return d->piece && (d->expected || !d->piece->anywhere);
}

/*
 * Drivers that forget the offset of a mapping give the beginning, and those
 * that add it where the kernel has done so give what is twice as far. vm_pgoff is in
 * pages: so is a frame number, and an address isn't.
 */
static const char *guess(const struct departure *d, int64_t shift, unsigned int page_shift)
{
	uint64_t far = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;
	/* Of the mapping, if the layout begins with it. */
	const uint64_t offset = d->has_vma && d->index <= d->pgoff ? d->pgoff - d->index : 0;

	if (offset && shift > 0 && far == (offset << page_shift) - offset)
		return "; was the offset of the mapping added in bytes to a frame number?";
	if (offset >> page_shift && shift < 0 && far == offset - (offset >> page_shift))
		return "; was the offset of the mapping, in pages, added to an address?";
	if (!d->has_vma || far > d->pgoff)
		return "";
	return shift < 0 ? "; was the offset of the mapping ignored?" :
			   "; was the offset of the mapping added twice?";
}

/* A frame number where the address is wanted, and an address that was taken for one. */
static const char *other_unit(const struct departure *d, unsigned int shift)
{
	const uint64_t start = d->piece ? d->piece->start : 0;
	const uint64_t first = d->value - ((d->expected - start) >> shift);

	if (!start || d->piece->anywhere)
		return NULL;
	if (first == start)
		return "; expected is its frame number, and not its address";
	if (start >> shift >> shift == first && first << shift << shift == start)
		return "; expected is its address, shifted as if it was a frame number";
	return NULL;
}

static void found_elsewhere(const struct departure *d,
			    const struct ptwalk_kernel *kernel, char *buf,
			    size_t size)
{
	uint64_t paddr = d->value << kernel->page_shift;
	int64_t shift = departure_shift(d, kernel);
	uint64_t far = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;
	const char *unit = other_unit(d, kernel->page_shift);

	if (d->kind == DEPARTS_SCATTERED)
		snprintf(buf, size,
			 "physical 0x%" PRIx64 ", which does not follow the pages before",
			 paddr);
	else
		snprintf(buf, size,
			 "physical 0x%" PRIx64 ", %" PRIu64 " page%s %s what is expected%s",
			 paddr, far, plural(far),
			 shift < 0 ? "before" : "behind",
			 unit ? unit : guess(d, shift, kernel->page_shift));
}

static void layout_flags_text(uint32_t flags, uint32_t asked, char *buf, size_t size)
{
	const char *access = !(asked & PTWALK_FLAG_WRITE) ? "" :
			     flags & PTWALK_FLAG_WRITE ? "writable" :
							 "read-only";
	const char *ram = !(asked & PTWALK_FLAG_RAM) ? "" :
			  flags & PTWALK_FLAG_RAM ? "RAM" : "no RAM";

	snprintf(buf, size, "%s%s%s", access, *access && *ram ? ", " : "", ram);
}

void departure_found(const struct departure *d, const struct ptwalk_kernel *kernel,
		     char *buf, size_t size)
{
	char text[ENTRY_TEXT], name[NAME_SIZE];
	uint64_t paddr = d->value << kernel->page_shift;

	switch (d->kind) {
	case DEPARTS_ADDRESS:
	case DEPARTS_SCATTERED:
		found_elsewhere(d, kernel, buf, size);
		break;
	case DEPARTS_HOLE:
	case DEPARTS_SHORT:
		snprintf(buf, size, "%s%s", d->beyond ? "the range ends here" :
			 entry_absent(d->value, d->bits, text),
			 ptwalk_bits_kind(d->bits) == PTWALK_KIND_NONE ?
			 "; a page that is mapped when it is touched has to be touched first (--touch)" :
			 "");
		break;
	case DEPARTS_PAST:
		snprintf(buf, size,
			 "physical 0x%" PRIx64 ": the mapping goes on", paddr);
		break;
	case DEPARTS_TYPE:
		snprintf(buf, size, "physical 0x%" PRIx64 ", memory type %s",
			 paddr, memtype_text(kernel, d->bits, text));
		break;
	case DEPARTS_FLAGS:
		layout_flags_text(ptwalk_bits_flags(d->bits),
				  d->piece->set | d->piece->clear, text, sizeof(text));
		snprintf(buf, size, "physical 0x%" PRIx64 ", %s", paddr, text);
		break;
	default:
		snprintf(buf, size, "physical 0x%" PRIx64 ", level %s", paddr,
			 name_of(&names_level, ptwalk_bits_level(d->bits),
				 name));
	}
}

void departure_expected(const struct departure *d,
			const struct ptwalk_kernel *kernel, char *buf,
			size_t size)
{
	char text[160], where[40] = "";

	if (departure_has_expected(d))
		snprintf(where, sizeof(where), "physical 0x%" PRIx64,
			 (uint64_t)d->expected);
	switch (d->kind) {
	case DEPARTS_PAST:
		snprintf(buf, size, "nothing: what is expected has ended");
		return;
	case DEPARTS_SCATTERED:
	case DEPARTS_ADDRESS:
	case DEPARTS_HOLE:
	case DEPARTS_SHORT:
		snprintf(buf, size, "%s%s%s", where, *where ? ", of " : "of ",
			 d->piece->text);
		return;
	case DEPARTS_TYPE:
		memtypes_text(d->piece->types & memtypes_there(kernel), text,
			      sizeof(text));
		snprintf(buf, size, "memory type %s", text);
		return;
	case DEPARTS_FLAGS:
		layout_flags_text(d->piece->set, d->piece->set | d->piece->clear,
				  text, sizeof(text));
		break;
	default:
		names_mask(&names_level, d->piece->levels & kernel->levels,
			   " or ", text, sizeof(text));
		snprintf(buf, size, "level %s", text);
		return;
	}
	snprintf(buf, size, "%s", text);
}
