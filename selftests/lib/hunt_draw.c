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

/* What was impossible, so that what it needs was done: it comes next, twice of three times. */
static int wish;

/* How far its beginning has come. */
static unsigned int begun;

/* Of a userfaultfd: one of these alone does little. */
static bool is_uffd(const struct hunt_operation *o)
{
	return o->operate == run_register || o->operate == run_close || o->wants == REGISTERED ||
	       o->wants == EMPTY_REGISTERED || o->wants == MINOR_REGISTERED;
}

/* Of which others need what it makes: soft-dirty bits that are clear, and swapped pages. */
static bool makes_state(const struct hunt_operation *o)
{
	return o->operate == run_clear_refs ||
	       (o->operate == run_advise && o->what == MADV_PAGEOUT);
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

/* A page of 1 GiB takes seconds, and so is rare; THPs have most states. */
static unsigned int draw_kinds(void)
{
	unsigned int chosen = 0;

	if (one_in(100))
		return 1U << KIND_hugetlb_other;
	if (one_in(8))
		return 1U << (one_in(3) ? KIND_shmem_thp : KIND_thp);
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
	wish = -1;
	begun = one_in(2) ? 0 : ~0U;
	for (int i = 0; i < nr_hunt_operations; i++) {
		const struct hunt_operation *o = &hunt_operations[i];

		on[i] = is_uffd(o) ? registers && !one_in(4) : o->operate == run_write ? writes :
			makes_state(o) ? !one_in(4) :
			one_in(o->operate == run_munmap ? 2 : few) || o->wants == UNMAPPED ||
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

static bool has_huge(const struct hunt_area *a)
{
	return a->unit < huge_size && a->nr > huge_size / a->unit;
}

static bool collapses(const struct hunt_operation *o)
{
	return o->operate == run_advise && o->what == 25;
}

/* What makes or wants huge pages, or would split them where a VMA begins. */
static bool is_of_whole(const struct hunt_operation *o, const struct hunt_area *a)
{
	return has_huge(a) && (o->operate == run_mmap || o->operate == run_register ||
			       o->operate == run_protect || collapses(o));
}

/* Of a run, from where a huge page begins; false if none of these is in it. */
static bool has_whole(struct hunt_step *s)
{
	const word at = step_start(s), skipped = (-at & (huge_size - 1)) / page_size;

	if (!has_huge(step_area(s)) || s->count < skipped + huge_size / page_size)
		return false;
	s->first += skipped;
	s->count -= skipped;
	return true;
}

static void draw_extent(struct hunt_step *s, const struct hunt_operation *o)
{
	const struct hunt_area *a = &world.area[s->area];
	const word nr = a->nr, huge = huge_size / a->unit;

	s->first = hunt_random() % nr;
	/* Half of the time a whole huge page, or almost always. */
	if (has_huge(a) && (one_in(2) || (is_of_whole(o, a) && !one_in(4)))) {
		s->count = huge;
		s->first -= s->first % huge;
		return;
	}
	switch (hunt_random() % (has_huge(a) ? 8 : 6)) {
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
static bool draw_pages_once(struct hunt_step *s, const struct hunt_operation *o,
			    const struct hunt_step *last)
{
	const int begin = hunt_random() % in_pool;
	const bool again = last && !one_in(4), vain = one_in(8);

	for (int k = 0; k < in_pool; k++) {
		bool there = again && !k;

		s->area = there ? last->area : pool[(begin + k) % in_pool];
		there = there && !is_of_whole(o, step_area(s));
		if (is_vain(o, &world.area[s->area]) && !vain)
			continue;
		draw_extent(s, o);
		if (o->operate == run_mremap && one_in(2)) {
			s->first = 0;
			s->count = world.area[s->area].nr;
		} else if (there && one_in(2)) {
			s->first = last->first;
			s->count = last->count;
		} else if (there && one_in(2)) {
			draw_part(s, last);
		}
		if (find_run(s, o->wants, o->uniform) && (!collapses(o) || has_whole(s) || vain))
			return true;
	}
	return false;
}

/*
 * SAME_PLACE: where the last operation was. RARE_PLACE: half of the time of three draws that
 * whose first entry says most; most are holes, and few are huge, swapped or protected.
 */
enum where { ANY_PLACE, SAME_PLACE, RARE_PLACE };

static bool draw_pages(struct hunt_step *s, const struct hunt_operation *o,
		       const struct hunt_step *last, enum where where)
{
	const struct hunt_step empty = *s;

	if (where == SAME_PLACE) {
		s->area = last->area;
		s->first = last->first;
		s->count = last->count;
		return find_run(s, o->wants, o->uniform);
	}
	if (!draw_pages_once(s, o, last))
		return false;
	if (where == ANY_PLACE || o->wants == UNMAPPED || o->wants == EMPTY_REGISTERED ||
	    o->operate == run_munmap || one_in(2))
		return true;
	for (int tries = 0; tries < 2; tries++) {
		struct hunt_step other = empty;

		if (draw_pages_once(&other, o, last) &&
		    entry_state(step_start(&other)) > entry_state(step_start(s)))
			*s = other;
	}
	return true;
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

/* UFFDIO_MOVE: only to where nothing is, not even a marker, and to the same rights. */
static bool takes_page(const struct hunt_page *q, const struct hunt_page *p)
{
	return fits_state(q, EMPTY_REGISTERED) && !q->wp && q->prot == p->prot;
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
			       (registered ? takes_page(&to->page[first + n], &a->page[s->first]) :
				!to->page[first + n].mapped) &&
			       (to != a || first + n < s->first || first + n >= s->first + s->count))
				n++;
			if (!n || (n < s->count && !registered && !one_in(4)))
				continue;
			if (registered && entry_state(page_at(to, first)) != ENTRY_HOLE)
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
 * rights that are taken away and not given back; nor does what is discarded, until it comes
 * back. What follows so is done to the same pages.
 */
static int draw_next(const struct hunt_step *last, bool *follows)
{
	static const struct {
		const char *before, *after;
		unsigned int one_in;
	} next[] = {
		{ "mmap", "read", 3 }, { "mmap", "write", 2 }, { "register", "protect", 2 },
		{ "mprotect", "mprotect", 4 }, { "dontneed", "read", 2 },
	};

	for (size_t k = 0; last && k < sizeof(next) / sizeof(next[0]); k++) {
		const int after = hunt_operation_named(next[k].after);

		*follows = last->operation == hunt_operation_named(next[k].before) && on[after] &&
			   one_in(next[k].one_in);
		if (*follows)
			return after;
	}
	return draw_operation();
}

/*
 * Half of the episodes begin with one area as a whole: mapped, and each of the others half of
 * the time. So there is something whole before it goes to pieces.
 */
static bool draw_beginning(struct hunt_step *s)
{
	static const char *const name[] = { "mmap", "read", "write", "clear_refs", "write",
					    "register", "protect", "pageout" };

	while (begun < sizeof(name) / sizeof(name[0])) {
		const int i = hunt_operation_named(name[begun++]);
		const struct hunt_operation *o = &hunt_operations[i];

		if (!on[i] || (begun > 1 && one_in(2)))
			continue;
		*s = (struct hunt_step) { .operation = i, .area = pool[in_pool - 1],
					  .argument = hunt_random() };
		s->count = step_area(s)->nr;
		if (find_run(s, o->wants, o->uniform))
			return true;
	}
	return false;
}

static bool draw_one(struct hunt_step *s, const struct hunt_step *last)
{
	bool follows = false;
	int i, first;

	if (draw_beginning(s))
		return true;
	i = wish >= 0 && !one_in(3) ? wish : draw_next(last, &follows);
	first = i;
	wish = -1;
	for (int depth = 0; depth < 4; depth++) {
		const struct hunt_operation *o = &hunt_operations[i];

		memset(s, 0, sizeof(*s));
		s->operation = i;
		s->argument = hunt_random();
		s->short_by = one_in(collapses(o) ? 8 : 3) ? hunt_random() % (page_size - 1) : 0;
		s->area = pool[hunt_random() % in_pool];
		draw_extent(s, o);
		if (depth)
			wish = first;
		if (o->wants == ANYWHERE)
			return true;
		if (!draw_pages(s, o, last, depth ? ANY_PLACE : follows ? SAME_PLACE : RARE_PLACE))
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
