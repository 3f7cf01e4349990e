// SPDX-License-Identifier: GPL-2.0
/* Which pages of a registered buffer are no more those that were registered. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "pins/replaced.h"

const char *const pin_state_text[NR_PIN_STATES] = {
	[PIN_HELD] = "the page is pinned",
	[PIN_UNKNOWN] = "nothing can be said of the page",
	[PIN_REPLACED] = "nobody pins the page",
	[PIN_ZERO] = "the zero page",
	[PIN_ABSENT] = "no page is there",
	[PIN_UNMAPPED] = "nothing is mapped",
};

/* io_sqe_buffer_register() pins for writing: private memory has a page of its own then. */
static enum pin_state of_absent(const struct ptwalk_vma *vma, unsigned int kind)
{
	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_MARKER:
		/* Of a file, a page that is pinned may be unmapped, and is found again. */
		return vma->flags & PTWALK_VMA_FLAG_MAYSHARE ? PIN_UNKNOWN : PIN_ABSENT;
	default:
		return PIN_UNKNOWN;
	}
}

enum pin_state pin_state_of(const struct ptwalk_vma *vma, uint64_t bits,
			    const struct ptwalk_page *page)
{
	const uint32_t flags = ptwalk_bits_flags(bits);

	if (!ptwalk_bits_present(bits))
		return of_absent(vma, ptwalk_bits_kind(bits));
	if (flags & PTWALK_FLAG_ZERO)
		return PIN_ZERO;
	if (!(flags & PTWALK_FLAG_PAGE))
		return PIN_UNKNOWN;
	return page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED ? PIN_HELD : PIN_REPLACED;
}

uint64_t pin_wrong(const uint64_t pages[NR_PIN_STATES])
{
	uint64_t wrong = 0;

	for (unsigned int state = 0; state < NR_PIN_STATES; state++)
		wrong += pin_is_wrong(state) ? pages[state] : 0;
	return wrong;
}

static int add_stretch(struct pin_stretches *out, const struct pin_stretch *next,
		       unsigned int page_shift)
{
	struct pin_stretch *last = out->nr ? &out->stretch[out->nr - 1] : NULL;

	out->pages[next->state] += next->pages;
	if (!pin_is_wrong(next->state))
		return 0;
	if (last && !memcmp(&last->buffer, &next->buffer, sizeof(last->buffer)) &&
	    last->state == next->state &&
	    last->addr + (last->pages << page_shift) == next->addr &&
	    (next->state != PIN_REPLACED || last->value + last->pages == next->value)) {
		last->pages += next->pages;
		return 0;
	}
	return array_add(out->stretch, out->nr, out->max, *next) ? 0 : -ENOMEM;
}

int pin_stretches_add(struct pin_stretches *out, const struct uring_buffer *buffer,
		      const struct truth *truth, unsigned int page_shift)
{
	const uint64_t mask = (1ULL << page_shift) - 1;
	uint64_t at = buffer->addr & ~mask;
	uint64_t left = ((buffer->addr + buffer->length - 1 - at) >> page_shift) + 1;
	struct pin_stretch next = { .buffer = *buffer };
	/* The one before may reach into the buffer. */
	size_t i = array_from(truth->extents, truth->nr_extents, addr, at);
	int err = 0;

	for (i -= i > 0; !err && left && i < truth->nr_extents; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];
		uint64_t skip = e->addr < at ? (at - e->addr) >> page_shift : 0;
		uint64_t gap = e->addr > at ? (e->addr - at) >> page_shift : 0;

		if (skip >= e->pages)
			continue;
		if (gap >= left)
			break;
		if (gap) {
			next.state = PIN_UNMAPPED;
			next.addr = at;
			next.pages = gap;
			err = add_stretch(out, &next, page_shift);
			at += gap << page_shift;
			left -= gap;
		}
		next.state = pin_state_of(truth_vma_at(truth, e->addr), e->bits,
					  &truth->pages[i]);
		next.addr = at;
		next.pages = e->pages - skip < left ? e->pages - skip : left;
		next.value = e->value + skip;
		if (!err)
			err = add_stretch(out, &next, page_shift);
		at += next.pages << page_shift;
		left -= next.pages;
	}
	next.state = PIN_UNMAPPED;
	next.addr = at;
	next.pages = left;
	return err || !left ? err : add_stretch(out, &next, page_shift);
}

/* A page of a process; @is_private if it belongs to it alone, unless fork() left it to two. */
struct pin_page {
	enum pin_state state;
	bool is_private;
	uint64_t frame;
	const struct ptwalk_vma *vma;
};

static uint64_t pin_page_offset(const struct pin_page *p, uint64_t addr, unsigned int page_shift)
{
	return p->vma->pgoff + ((addr - p->vma->start) >> page_shift);
}

/* Of shared memory, what one maps the other finds there, too. */
static bool is_page_of_both(const struct pin_page *a, const struct pin_page *b, uint64_t addr,
			    unsigned int page_shift)
{
	return a->vma && b->vma && !a->is_private && !b->is_private &&
	       a->vma->inode == b->vma->inode && a->vma->dev_major == b->vma->dev_major &&
	       a->vma->dev_minor == b->vma->dev_minor &&
	       pin_page_offset(a, addr, page_shift) == pin_page_offset(b, addr, page_shift);
}

static struct pin_page pin_page_at(const struct truth *truth, uint64_t addr,
				   unsigned int page_shift)
{
	const size_t nr = array_from(truth->extents, truth->nr_extents, addr, addr + 1);
	const struct ptwalk_extent *e = nr ? &truth->extents[nr - 1] : NULL;
	const struct ptwalk_vma *vma;

	if (!e || (addr - e->addr) >> page_shift >= e->pages)
		return (struct pin_page){ .state = PIN_UNMAPPED };
	vma = truth_vma_at(truth, e->addr);
	return (struct pin_page){
		.state = pin_state_of(vma, e->bits, &truth->pages[nr - 1]),
		.is_private = !(vma->flags & PTWALK_VMA_FLAG_MAYSHARE), .vma = vma,
		.frame = e->value + ((addr - e->addr) >> page_shift),
	};
}

bool pin_is_anothers(const struct uring_buffer *buffer, const struct truth *here,
		     const struct truth *there, bool earlier, unsigned int page_shift)
{
	const uint64_t last = buffer->addr + buffer->length - 1;
	bool own = false, has_pinned = false, may_be_right = false, is_right = true;

	for (uint64_t page = buffer->addr >> page_shift; page <= last >> page_shift; page++) {
		const struct pin_page a = pin_page_at(here, page << page_shift, page_shift);
		const struct pin_page b = pin_page_at(there, page << page_shift, page_shift);
		const bool pinned = b.state == PIN_HELD && b.is_private;

		if (a.state == PIN_HELD && a.is_private) {
			if (pinned && a.frame == b.frame)
				return false;
			own = true;
		}
		is_right &= !pin_is_wrong(b.state);
		has_pinned |= pin_is_wrong(a.state) && pinned;
		may_be_right |= pin_is_wrong(a.state) && !pin_is_wrong(b.state) &&
				!(a.state == PIN_REPLACED && b.state == PIN_UNKNOWN &&
				  is_page_of_both(&a, &b, page << page_shift, page_shift));
	}
	return own ? has_pinned && (earlier || is_right) : may_be_right;
}
