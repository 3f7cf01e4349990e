// SPDX-License-Identifier: GPL-2.0
/* Which operation comes next, and on what: drawn, against what there is. */
#include <string.h>
#include <sys/mman.h>
#include "hunt.h"

static u64 state;

/* splitmix64 */
u64 hunt_random(void)
{
	u64 z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void hunt_seed(u64 seed)
{
	state = seed;
}

static bool one_in(unsigned int n)
{
	return hunt_random() % n == 0;
}

/* What takes part in this episode. */
static bool on[HUNT_OPERATIONS];
static unsigned int total;
static int pool[HUNT_AREAS], in_pool;

/* Of a userfaultfd: one of these alone does little. */
static bool is_uffd(const struct hunt_operation *o)
{
	return o->operate == run_register || o->operate == run_close || o->wants == REGISTERED ||
	       o->wants == EMPTY_REGISTERED || o->wants == MINOR_REGISTERED;
}

/* Memory of a kind to which it can't do anything. */
static bool is_vain(const struct hunt_operation *o, const struct hunt_area *a)
{
	const enum hunt_kind kind = a->kind;
	const bool huge = is_huge(a);
	const bool of_file = kind == KIND_shmem || kind == KIND_private ||
			     kind == KIND_shmem_thp || kind == KIND_hugetlb_shared;
	const bool thp = kind == KIND_thp || kind == KIND_shmem_thp;

	if (o->wants == OF_FILE || o->wants == MINOR_REGISTERED)
		return !of_file;
	if (o->wants == MERGEABLE)
		return huge || kind == KIND_droppable || (of_file && kind != KIND_private);
	if (o->wants == WRITTEN || o->operate == run_zeropage)
		return huge || (of_file && o->wants == WRITTEN);
	if (o->operate == run_register || o->wants == REGISTERED)
		return kind == KIND_droppable;
	if (o->operate == run_split)
		return !thp && kind != KIND_large;
	/* UFFDIO_COPY has the contents faulted in page by page. */
	if (o->operate == run_copy)
		return a->unit > huge_size;
	if (o->operate != run_advise)
		return false;
	switch (o->what) {
	case 25:		/* MADV_COLLAPSE */
		return !thp;
	case 102:		/* MADV_GUARD_INSTALL */
		return huge || !kernel_is_since(6, 13);
	case MADV_WIPEONFORK:
		return of_file;
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
	case MADV_MERGEABLE:
	case MADV_COLD:
	case MADV_PAGEOUT:
		return huge;
	default:
		return false;
	}
}

static bool is_vain_everywhere(const struct hunt_operation *o)
{
	for (int k = 0; k < in_pool; k++)
		if (!is_vain(o, &world.area[pool[k]]))
			return false;
	return o->wants != ANYWHERE;
}

/* A page of 1 GiB takes seconds, and so is rare. */
static unsigned int draw_kinds(void)
{
	unsigned int chosen = 0;

	if (one_in(100))
		return 1U << KIND_hugetlb_other;
	if (one_in(2))
		return 1U << hunt_random() % KIND_hugetlb_other;
	for (int k = 0; k < KIND_hugetlb_other; k++)
		chosen |= one_in(3) << k;
	return chosen;
}

/*
 * Half of the time one kind of memory, and half of the time one area; and any half or
 * quarter of the operations that can do something to it, those of a userfaultfd together
 * or not at all. What is written to or unmapped can't show what it had: not each time.
 */
void hunt_draw_episode(unsigned int kinds)
{
	const unsigned int few = one_in(2) ? 2 : 4;
	const bool registers = one_in(2), writes = !one_in(4);
	unsigned int chosen;

	do
		chosen = draw_kinds() & kinds;
	while (!chosen);
	in_pool = 0;
	for (int k = 0; k < HUNT_AREAS; k++)
		if (chosen >> world.area[k].kind & 1)
			pool[in_pool++] = k;
	if (one_in(2)) {
		pool[0] = pool[hunt_random() % in_pool];
		in_pool = 1;
	}
	total = 0;
	for (int i = 0; i < nr_hunt_operations; i++) {
		const struct hunt_operation *o = &hunt_operations[i];

		on[i] = is_uffd(o) ? registers && !one_in(4) : o->operate == run_write ? writes :
			one_in(o->operate == run_munmap ? 2 : few) || o->operate == run_mmap ||
			o->operate == run_read;
		on[i] = on[i] && !is_vain_everywhere(o);
		total += on[i] ? o->weight : 0;
	}
}

bool fits_state(const struct hunt_page *p, enum hunt_state wanted)
{
	switch (wanted) {
	case UNMAPPED:
		return !p->mapped;
	case ANON_MAPPED:
		return p->mapped && p->private && p->file == ANONYMOUS;
	case WRITTEN:
		return p->mapped && p->private && p->file == ANONYMOUS && p->own && !p->lazy;
	case REGISTERED:
		return p->mapped && p->registered & PROTECT;
	case EMPTY_REGISTERED:
		return p->mapped && p->registered && !surely_there(p);
	case MINOR_REGISTERED:
		return p->mapped && p->registered & MINOR;
	case MERGEABLE:
		return p->mapped && p->merge;
	case GUARDED:
		return p->mapped && p->guard;
	case OF_FILE:
		return p->mapped && p->file != ANONYMOUS;
	case MAPPED:
		return p->mapped;
	default:
		return true;
	}
}

bool same_vma(const struct hunt_page *p, const struct hunt_page *q, word apart)
{
	return p->private == q->private && p->prot == q->prot && p->file == q->file &&
	       p->droppable == q->droppable && p->locked == q->locked &&
	       p->registered == q->registered && p->huge == q->huge &&
	       p->merge == q->merge && p->wipe == q->wipe && p->dont_fork == q->dont_fork &&
	       p->dont_dump == q->dont_dump && p->key == q->key &&
	       (p->file == ANONYMOUS || q->offset == p->offset + apart);
}

static void draw_extent(struct hunt_step *s)
{
	const struct hunt_area *a = &world.area[s->area];
	const word nr = a->nr, huge = huge_size / a->unit;

	s->first = hunt_random() % nr;
	/* Half of the time a whole huge page. */
	if (huge > 1 && nr > huge && one_in(2)) {
		s->count = huge;
		s->first -= s->first % huge;
		return;
	}
	switch (hunt_random() % (huge > 1 && nr > huge ? 8 : 6)) {
	/* Of a huge page, what it begins or ends with. */
	case 6:
		s->first -= s->first % huge;
		s->count = 1 + hunt_random() % huge;
		break;
	case 7:
		s->count = huge - s->first % huge;
		break;
	case 0:
	case 1:
		s->first = 0;
		s->count = nr;
		break;
	case 2:
		s->count = 1;
		break;
	case 3:
		s->count = 1 + hunt_random() % 8;
		break;
	case 4:
		s->count = 1 + hunt_random() % nr;
		break;
	default:
		s->first = 0;
		s->count = 1 + hunt_random() % nr;
	}
}

/* The next pages from there on that are in this state, as many as follow each other. */
static bool find_run(struct hunt_step *s, enum hunt_state wanted, bool uniform)
{
	const struct hunt_area *a = &world.area[s->area];
	const struct hunt_page *f;
	word i, n;

	for (i = 0; i < a->nr && !fits_state(&a->page[(s->first + i) % a->nr], wanted); i++)
		;
	if (i == a->nr)
		return false;
	s->first = (s->first + i) % a->nr;
	f = &a->page[s->first];
	for (n = 1; n < s->count && s->first + n < a->nr; n++)
		if (!fits_state(f + n, wanted) || (uniform && !same_vma(f, f + n, n)))
			break;
	s->count = n;
	return true;
}

/* Any part of where the last operation was. */
static void draw_part(struct hunt_step *s, const struct hunt_step *last)
{
	const word skipped = hunt_random() % last->count;

	s->first = last->first + skipped;
	s->count = 1 + hunt_random() % (last->count - skipped);
}

/*
 * Where the last operation was, three times of four: half of the time all of that, or a part.
 * What is moved is half of the time all that there is.
 */
static bool draw_pages(struct hunt_step *s, const struct hunt_operation *o,
		       const struct hunt_step *last)
{
	const int begin = hunt_random() % in_pool;
	const bool again = last && !one_in(4), vain = one_in(8);

	for (int k = 0; k < in_pool; k++) {
		s->area = again && !k ? last->area : pool[(begin + k) % in_pool];
		if (is_vain(o, &world.area[s->area]) && !vain)
			continue;
		draw_extent(s);
		if (o->operate == run_mremap && one_in(2)) {
			s->first = 0;
			s->count = world.area[s->area].nr;
		} else if (again && !k && one_in(2)) {
			s->first = last->first;
			s->count = last->count;
		} else if (again && !k && one_in(2)) {
			draw_part(s, last);
		}
		if (find_run(s, o->wants, o->uniform))
			return true;
	}
	return false;
}

static int draw_operation(void)
{
	unsigned int w = hunt_random() % total;
	int i;

	for (i = 0; i < nr_hunt_operations; i++) {
		if (!on[i])
			continue;
		if (w < hunt_operations[i].weight)
			break;
		w -= hunt_operations[i].weight;
	}
	return i;
}

/* Where to move it: an area with pages of that size, and room there. False if there is none. */
static bool draw_place(struct hunt_step *s, bool registered)
{
	const struct hunt_area *a = &world.area[s->area];
	const int begin = hunt_random() % HUNT_AREAS;
	word from = one_in(3) ? hunt_random() : s->first;

	for (int k = 0; k < HUNT_AREAS; k++) {
		const struct hunt_area *to = &world.area[(begin + k) % HUNT_AREAS];

		if (to->unit != a->unit || (is_tight(to) != is_tight(a) && !registered))
			continue;
		for (word i = 0; i < to->nr; i++) {
			const word first = (from + i) % to->nr;
			word n = 0;

			while (n < s->count && first + n < to->nr &&
			       (registered ? fits_state(&to->page[first + n], EMPTY_REGISTERED) :
				!to->page[first + n].mapped) &&
			       (to != a || first + n < s->first || first + n >= s->first + s->count))
				n++;
			if (!n || (n < s->count && !registered && !one_in(4)))
				continue;
			s->to = to - world.area;
			s->to_first = first;
			s->count = n;
			return true;
		}
	}
	return false;
}

/*
 * What nobody has touched shows little; nor does what is registered, but not protected, and
 * rights that are taken away and not given back.
 */
static int draw_next(const struct hunt_step *last)
{
	static const char *const next[][2] = {
		{ "mmap", "read" }, { "mmap", "write" }, { "register", "protect" },
		{ "mprotect", "mprotect" },
	};
	const int i = draw_operation(), k = hunt_random() % 4;
	const int after = hunt_operation_named(next[k][1]);

	return last && last->operation == hunt_operation_named(next[k][0]) && on[after] ? after : i;
}

static bool draw_one(struct hunt_step *s, const struct hunt_step *last)
{
	int i = draw_next(last);

	for (int depth = 0; depth < 4; depth++) {
		const struct hunt_operation *o = &hunt_operations[i];

		memset(s, 0, sizeof(*s));
		s->operation = i;
		s->argument = hunt_random();
		s->short_by = one_in(2) ? hunt_random() % (page_size - 1) : 0;
		s->area = pool[hunt_random() % in_pool];
		draw_extent(s);
		if (o->wants == ANYWHERE)
			return true;
		if (!draw_pages(s, o, last))
			i = o->instead ? hunt_operation_named(o->instead) : -1;
		else if (o->operate == run_mremap && !draw_place(s, false))
			i = hunt_operation_named("munmap");
		else if (o->operate == run_uffd_move && !draw_place(s, true))
			i = hunt_operation_named("register");
		else
			return true;
		if (i < 0)
			return false;
	}
	return false;
}

/* False if there is nothing to which anything can be done. */
bool hunt_draw(struct hunt_step *s, const struct hunt_step *last)
{
	if (!draw_one(s, last))
		return false;
	/* Rights that it has already change nothing. */
	if (hunt_operations[s->operation].operate == run_mprotect &&
	    step_area(s)->page[s->first].prot == drawn_prot(s))
		s->argument++;
	return true;
}
