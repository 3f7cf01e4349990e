// SPDX-License-Identifier: GPL-2.0
/* Looking for the mappings of some frames in a stream of runs. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "rmap/frames.h"

/* The first frame wanted from @pfn on, or the end. */
static size_t first_frame_from(const struct frames *frames, uint64_t pfn)
{
	return array_from(frames->frame, frames->nr, pfn, pfn);
}

int frames_add(struct frames *frames, const struct frame *frame)
{
	return array_add(frames->frame, frames->nr, frames->max, *frame) ? 0 : -ENOMEM;
}

void frames_sort(struct frames *frames)
{
	size_t nr = 0;

	if (frames->nr)
		qsort(frames->frame, frames->nr, sizeof(*frames->frame), array_order);
	for (size_t i = 0; i < frames->nr; i++) {
		const struct frame *f = &frames->frame[i];

		if (nr && frames->frame[nr - 1].pfn == f->pfn) {
			frames->frame[nr - 1].as_number |= f->as_number;
			frames->frame[nr - 1].alone |= f->alone;
		} else {
			frames->frame[nr++] = *f;
		}
	}
	frames->nr = nr;
}

void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->nr; i++)
		free(frames->frame[i].mapping);
	for (size_t i = 0; i < frames->nr_vmas; i++)
		free(frames->vma[i].name);
	free(frames->frame);
	free(frames->vma);
	memset(frames, 0, sizeof(*frames));
}

/* A migration entry isn't counted as a mapping while it stands. */
static void count_entry(struct frame *f, pid_t pid, uint64_t bits, bool own)
{
	uint32_t kind = ptwalk_bits_kind(bits);

	f->entries++;
	f->own += own;
	if (f->latest != pid) {
		f->latest = pid;
		f->processes++;
	}
	if (kind != PTWALK_KIND_PRESENT && kind != PTWALK_KIND_DEVICE_PRIVATE &&
	    kind != PTWALK_KIND_DEVICE_EXCLUSIVE)
		return;
	f->present++;
	if (ptwalk_bits_flags(bits) & PTWALK_FLAG_PAGE) {
		f->counted++;
		f->own_counted += own;
	}
}

/* The VMA as the latest one that is known; it comes again with each message. */
static int note_frame_vma(struct frames *frames, pid_t pid, uint64_t addr,
			  const struct ptwalk_vma *vma)
{
	const struct frame_vma *v = frames->vma + frames->nr_vmas;

	if (frames->nr_vmas && v[-1].pid == pid && v[-1].vma.start == vma->start &&
	    v[-1].vma.last == vma->last)
		return 0;
	return array_add(frames->vma, frames->nr_vmas, frames->max_vmas, (struct frame_vma){
		.pid = pid, .addr = addr, .vma = *vma,
	}) ? 0 : -ENOMEM;
}

/* There may be very many frames, most of which have one mapping. */
static bool has_room(struct frame *f)
{
	struct frame_mapping *new;

	if (f->nr & (f->nr - 1))
		return true;
	new = reallocarray(f->mapping, f->nr ? 2 * f->nr : 1, sizeof(*new));
	if (new)
		f->mapping = new;
	return new;
}

static int note_mapping(struct frames *frames, size_t at, pid_t pid, unsigned int shift,
			uint64_t addr, uint64_t bits, const struct ptwalk_vma *vma)
{
	struct frame *f = &frames->frame[at];
	struct frame_mapping *m = f->nr ? &f->mapping[f->nr - 1] : NULL;

	bits &= ~(1ULL << PTWALK_BITS_LIST_SHIFT);
	count_entry(f, pid, bits, pid == frames->self);
	if (m && m->pid == pid && m->bits == bits &&
	    frames->vma[m->vma].vma.start == vma->start &&
	    m->addr + (m->pages << shift) == addr) {
		m->pages++;
		return 0;
	}
	if (f->nr == FRAME_MAPPINGS)
		return 0;
	if (note_frame_vma(frames, pid, addr, vma) || !has_room(f))
		return -ENOMEM;
	f->mapping[f->nr++] = (struct frame_mapping){
		.pid = pid, .vma = frames->nr_vmas - 1, .addr = addr, .pages = 1,
		.bits = bits,
	};
	return 0;
}

static int note_list(struct frames *frames, pid_t pid, unsigned int shift,
		     const struct ptwalk_run *run, uint64_t addr,
		     const struct ptwalk_vma *vma)
{
	uint64_t least = frames->frame[0].pfn;
	uint64_t most = frames->frame[frames->nr - 1].pfn;
	size_t i;

	for (uint64_t page = 0; page < run->pages; page++) {
		uint64_t pfn = run->value[page];

		if (pfn < least || pfn > most)
			continue;
		i = first_frame_from(frames, pfn);
		if (frames->frame[i].pfn == pfn &&
		    note_mapping(frames, i, pid, shift, addr + (page << shift),
				 run->bits, vma))
			return -ENOMEM;
	}
	return 0;
}

static int take_run(struct frames *frames, pid_t pid, unsigned int shift,
		    const struct ptwalk_run *run, uint64_t addr,
		    const struct ptwalk_vma *vma)
{
	uint64_t first = run->value[0];

	if (ptwalk_bits_list(run->bits))
		return note_list(frames, pid, shift, run, addr, vma);
	for (size_t i = first_frame_from(frames, first); i < frames->nr &&
	     frames->frame[i].pfn - first < run->pages; i++)
		if (note_mapping(frames, i, pid, shift,
				 addr + ((frames->frame[i].pfn - first) << shift),
				 run->bits, vma))
			return -ENOMEM;
	return 0;
}

int frames_take(struct frames *frames, pid_t pid, unsigned int page_shift,
		const struct ptwalk_runs *runs)
{
	const struct ptwalk_run *run;
	uint64_t addr = runs->start;

	if (!frames->nr)
		return 0;
	ptwalk_for_each_run(run, runs) {
		if (kind_has_frame(ptwalk_bits_kind(run->bits)) &&
		    take_run(frames, pid, page_shift, run, addr, &runs->vma))
			return -ENOMEM;
		addr += run->pages << page_shift;
	}
	return 0;
}
