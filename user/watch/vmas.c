// SPDX-License-Identifier: GPL-2.0
/* What became of the VMAs between two readings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "watch/vmas.h"

static const char *const words[] = {
	[VMA_NEW] = "new",
	[VMA_GONE] = "gone",
	[VMA_GREW] = "grew",
	[VMA_SHRANK] = "shrank",
	[VMA_SPLIT] = "split",
	[VMA_MERGED] = "merged",
	[VMA_MOVED] = "moved",
	[VMA_CHANGED] = "changed",
};

const struct names names_vma_word = { words, NR_VMA_WORDS };

/* What decides of whose memory it is, beside the file. */
#define KINDS	(PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_SHMEM | \
		 PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_PFNMAP)

static int by_object(const struct ptwalk_vma *a, const struct ptwalk_vma *b)
{
	if (a->dev_major != b->dev_major)
		return a->dev_major < b->dev_major ? -1 : 1;
	if (a->dev_minor != b->dev_minor)
		return a->dev_minor < b->dev_minor ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if ((a->flags ^ b->flags) & KINDS)
		return (a->flags & KINDS) < (b->flags & KINDS) ? -1 : 1;
	return 0;
}

/**
 * struct vma_group - VMAs that belong together
 * @first: Where its earlier ones begin among all that are in groups; @nr_before of
 *	them, and behind them its later ones, @nr_after.
 */
struct vma_group {
	size_t first, nr_before, nr_after;
};

/**
 * struct vma_match - both readings at work
 * @nr: VMAs of both; the later ones have the numbers behind the earlier ones.
 * @head: By number, another one of the same group, or itself.
 * @is_joined: By number, it was joined with another one.
 * @group: By the number that is the head of all of a group.
 * @sorted: The VMAs group by group.
 * @by_offset: The earlier ones in the order of by_offset().
 * @is_source: By number, a part of it has moved elsewhere.
 * @told: By number, of a head: its group was told.
 */
struct vma_match {
	const struct truth *before, *after;
	unsigned int page_shift;
	bool places;
	size_t nr, *head;
	struct vma_group *group;
	const struct ptwalk_vma **sorted, **by_offset;
	bool *is_joined, *is_source, *told;
};

static const struct ptwalk_vma *vma_number(const struct vma_match *m, size_t i)
{
	return i < m->before->nr_vmas ? &m->before->vmas[i] :
					&m->after->vmas[i - m->before->nr_vmas];
}

static size_t head_of(struct vma_match *m, size_t i)
{
	while (m->head[i] != i)
		i = m->head[i] = m->head[m->head[i]];
	return i;
}

static void join_vmas(struct vma_match *m, size_t a, size_t b)
{
	m->is_joined[a] = true;
	m->is_joined[b] = true;
	a = head_of(m, a);
	b = head_of(m, b);
	m->head[a < b ? b : a] = a < b ? a : b;
}

/* Whether what @a has at an address is what @b has there. */
static bool same_place(const struct vma_match *m, const struct ptwalk_vma *a,
		       const struct ptwalk_vma *b)
{
	return !by_object(a, b) &&
	       (!m->places || a->pgoff - (a->start >> m->page_shift) ==
			      b->pgoff - (b->start >> m->page_shift));
}

static void join_overlapping(struct vma_match *m)
{
	const size_t nr_before = m->before->nr_vmas;
	size_t i = 0, j = 0;

	while (i < nr_before && j < m->after->nr_vmas) {
		const struct ptwalk_vma *a = &m->before->vmas[i];
		const struct ptwalk_vma *b = &m->after->vmas[j];

		if (a->last >= b->start && b->last >= a->start && same_place(m, a, b))
			join_vmas(m, i, nr_before + j);
		if (a->last < b->last)
			i++;
		else
			j++;
	}
}

/* What brk() adds may be another VMA: it goes with the one of the heap before it. */
static void join_heap(struct vma_match *m)
{
	bool alone, heap_alone = false;
	size_t heap = m->nr;

	for (size_t i = 0; i < m->nr; i++) {
		if (!(vma_number(m, i)->flags & PTWALK_VMA_FLAG_HEAP))
			continue;
		alone = !m->is_joined[i];
		if (heap < m->nr && (alone || heap_alone))
			join_vmas(m, heap, i);
		heap = i;
		heap_alone = alone;
	}
}

static void sort_groups(struct vma_match *m)
{
	size_t first = 0;

	for (size_t i = 0; i < m->nr; i++) {
		struct vma_group *g = &m->group[head_of(m, i)];

		if (i < m->before->nr_vmas)
			g->nr_before++;
		else
			g->nr_after++;
	}
	for (size_t i = 0; i < m->nr; i++) {
		m->group[i].first = first;
		first += m->group[i].nr_before + m->group[i].nr_after;
		m->group[i].nr_before = m->group[i].nr_after = 0;
	}
	for (size_t i = 0; i < m->nr; i++) {
		struct vma_group *g = &m->group[head_of(m, i)];

		m->sorted[g->first + g->nr_before + g->nr_after] = vma_number(m, i);
		if (i < m->before->nr_vmas)
			g->nr_before++;
		else
			g->nr_after++;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct ptwalk_vma *x = *(const struct ptwalk_vma *const *)a;
	const struct ptwalk_vma *y = *(const struct ptwalk_vma *const *)b;
	int order = by_object(x, y);

	if (order)
		return order;
	if (x->pgoff != y->pgoff)
		return x->pgoff < y->pgoff ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static uint64_t vma_pages(const struct vma_match *m, const struct ptwalk_vma *vma)
{
	return (vma->last - vma->start + 1) >> m->page_shift;
}

/* Whether the pages of @old that @new begins with aren't there any more. */
static bool has_left(const struct vma_match *m, const struct ptwalk_vma *old,
		     const struct ptwalk_vma *new)
{
	const uint64_t addr = old->start + ((new->pgoff - old->pgoff) << m->page_shift);
	const struct ptwalk_vma *there = truth_vma_at(m->after, addr);

	return !there || !same_place(m, old, there);
}

/* The number of the earlier VMA of which @new is, or was a part; or m->nr. */
static size_t source_of(const struct vma_match *m, const struct ptwalk_vma *new)
{
	const bool anon = new->flags & PTWALK_VMA_FLAG_ANONYMOUS;
	size_t low = 0, high = m->before->nr_vmas, mid;

	/* All stacks have the same offsets; what is of no file and not anonymous, none. */
	if (!m->places || new->flags & PTWALK_VMA_FLAG_GROWSDOWN ||
	    (!anon && !new->inode))
		return m->nr;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (by_object(m->by_offset[mid], new) < 0 ||
		    (!by_object(m->by_offset[mid], new) &&
		     m->by_offset[mid]->pgoff <= new->pgoff))
			low = mid + 1;
		else
			high = mid;
	}
	/* Of a file, several may have that page. */
	while (low-- && !by_object(m->by_offset[low], new)) {
		const struct ptwalk_vma *old = m->by_offset[low];

		if (new->pgoff - old->pgoff < vma_pages(m, old) && has_left(m, old, new))
			return old - m->before->vmas;
		if (anon)
			break;
	}
	return m->nr;
}

static uint64_t pages_of_vmas(const struct vma_match *m, const struct ptwalk_vma *const *vma,
			      size_t nr)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < nr; i++)
		pages += vma_pages(m, vma[i]);
	return pages;
}

static uint32_t of_size(const struct vma_match *m, const struct vma_change *c)
{
	const uint64_t before = pages_of_vmas(m, c->before, c->nr_before);
	const uint64_t after = pages_of_vmas(m, c->after, c->nr_after);

	return before < after ? 1U << VMA_GREW : before > after ? 1U << VMA_SHRANK : 0;
}

static uint32_t what_vma_changed(const struct vma_match *m, const struct vma_change *c)
{
	uint32_t what;

	if (!c->nr_before)
		return 1U << VMA_NEW;
	if (!c->nr_after)
		return 1U << VMA_GONE;
	if (c->nr_before == 1 && c->nr_after == 1 &&
	    !memcmp(c->before[0], c->after[0], sizeof(**c->after)))
		return 0;
	what = of_size(m, c);
	if (c->nr_before != c->nr_after)
		what |= 1U << (c->nr_before < c->nr_after ? VMA_SPLIT : VMA_MERGED);
	return what ? what : 1U << VMA_CHANGED;
}

/* Several that all are as they were: the heap. */
static bool is_as_it_was(const struct vma_change *c)
{
	for (size_t i = 0; i < c->nr_before; i++)
		if (c->nr_before != c->nr_after ||
		    memcmp(c->before[i], c->after[i], sizeof(**c->after)))
			return false;
	return c->nr_before;
}

static void tell_group(struct vma_match *m, size_t head,
		       void (*each)(const struct vma_change *change, void *arg),
		       void *arg)
{
	const struct vma_group *g = &m->group[head];
	struct vma_change c = {
		.before = &m->sorted[g->first], .nr_before = g->nr_before,
		.after = &m->sorted[g->first + g->nr_before], .nr_after = g->nr_after,
	};
	const struct ptwalk_vma *from;
	size_t source = m->nr;

	if (!c.nr_before && c.nr_after == 1)
		source = source_of(m, c.after[0]);
	if (source < m->nr) {
		from = vma_number(m, source);
		c.before = &from;
		c.nr_before = 1;
		c.what = 1U << VMA_MOVED;
		if (!m->group[head_of(m, source)].nr_after)
			c.what |= of_size(m, &c);
	} else if (!(c.nr_before == 1 && !c.nr_after && m->is_source[head]) &&
		   !is_as_it_was(&c)) {
		c.what = what_vma_changed(m, &c);
	}
	if (c.what)
		each(&c, arg);
}

static void find_sources(struct vma_match *m)
{
	size_t source;

	for (size_t i = m->before->nr_vmas; i < m->nr; i++) {
		if (m->group[i].nr_before || m->group[i].nr_after != 1)
			continue;
		source = source_of(m, vma_number(m, i));
		if (source < m->nr)
			m->is_source[source] = true;
	}
}

static void tell_all(struct vma_match *m,
		     void (*each)(const struct vma_change *change, void *arg),
		     void *arg)
{
	const size_t nr_before = m->before->nr_vmas, nr_after = m->after->nr_vmas;
	size_t b = 0, a = 0, next;

	while (b < nr_before || a < nr_after) {
		if (a == nr_after ||
		    (b < nr_before && m->before->vmas[b].start <= m->after->vmas[a].start))
			next = b++;
		else
			next = nr_before + a++;
		next = head_of(m, next);
		if (!m->told[next])
			tell_group(m, next, each, arg);
		m->told[next] = true;
	}
}

static bool alloc_match(struct vma_match *m)
{
	const size_t nr = m->nr + 1;

	m->head = calloc(nr, sizeof(*m->head));
	m->group = calloc(nr, sizeof(*m->group));
	m->sorted = calloc(nr, sizeof(*m->sorted));
	m->by_offset = calloc(nr, sizeof(*m->by_offset));
	m->is_joined = calloc(nr, sizeof(*m->is_joined));
	m->is_source = calloc(nr, sizeof(*m->is_source));
	m->told = calloc(nr, sizeof(*m->told));
	return m->head && m->group && m->sorted && m->by_offset && m->is_joined &&
	       m->is_source && m->told;
}

int vmas_compare(unsigned int page_shift, bool places, const struct truth *before,
		 const struct truth *after,
		 void (*each)(const struct vma_change *change, void *arg), void *arg)
{
	struct vma_match m = {
		.before = before, .after = after, .page_shift = page_shift,
		.places = places, .nr = before->nr_vmas + after->nr_vmas,
	};
	const bool room = alloc_match(&m);

	for (size_t i = 0; room && i < m.nr; i++)
		m.head[i] = i;
	for (size_t i = 0; room && i < before->nr_vmas; i++)
		m.by_offset[i] = &before->vmas[i];
	if (room) {
		if (before->nr_vmas)
			qsort(m.by_offset, before->nr_vmas, sizeof(*m.by_offset),
			      by_offset);
		join_overlapping(&m);
		join_heap(&m);
		sort_groups(&m);
		find_sources(&m);
		tell_all(&m, each, arg);
	}
	free(m.head);
	free(m.group);
	free(m.sorted);
	free(m.by_offset);
	free(m.is_joined);
	free(m.is_source);
	free(m.told);
	return room ? 0 : -ENOMEM;
}
