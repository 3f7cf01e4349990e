// SPDX-License-Identifier: GPL-2.0
/* Operations on mappings and pages: mmap(), mprotect(), madvise(), mlock(), accesses. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include "hunt.h"

#define RIGHTS	(PROT_READ | PROT_WRITE)

struct hunt_area *step_area(const struct hunt_step *s)
{
	return &world.area[s->area];
}

word step_start(const struct hunt_step *s)
{
	return page_at(step_area(s), s->first);
}

word step_length(const struct hunt_step *s)
{
	const struct hunt_area *a = step_area(s);
	word length = s->count * a->unit;

	return is_huge(a) || s->short_by >= length ? length : length - s->short_by;
}

/* Pages of a step: p and i. */
#define EACH_PAGE(s, p)	\
	for (struct hunt_page *p = &step_area(s)->page[(s)->first],			\
	     *end_ = p + (s)->count; p < end_; p++)

/* A page that may be written to by this way, as far as the VMA is concerned. */
static bool may_access(const struct hunt_page *p, bool writes, word way)
{
	/* FOLL_FORCE of /proc/PID/mem: check_vma_flags(). */
	if (way == 1)
		return !writes || p->private || p->prot & PROT_WRITE;
	/* The key counts for what the processor does, and the kernel for itself: pkeys(7). */
	if (writes && p->key && way != 2)
		return false;
	return p->prot & (writes ? PROT_WRITE : PROT_READ);
}

/* Refusals of an access to what may be accessed: a missing page, a protection, no memory. */
static bool may_be_refused(const struct hunt_area *a, const struct hunt_page *p, bool writes)
{
	if (p->poison || p->guard)
		return true;
	if (writes && p->wp && !world.asynchronous)
		return true;
	if (p->registered & MINOR && !(p->private && p->own && !p->lazy))
		return true;
	return is_huge(a) || (p->registered & MISSING && !surely_there(p));
}

static bool must_be_refused(const struct hunt_page *p, bool writes)
{
	return p->poison == YES || p->guard == YES ||
	       (writes && p->wp == YES && !world.asynchronous);
}

static void refusal(const struct hunt_area *a, word i, bool writes, word way, int err)
{
	const struct hunt_page *p = &a->page[i];
	const bool allowed = may_access(p, writes, way);
	const char *law = NULL;
	word value = 0;

	/* What tells of an access by force differs between kernels (PROC_MEM_FORCE_PTRACE). */
	if (way == 1 && !(p->prot & (writes ? PROT_WRITE : PROT_READ)))
		return;
	if (!err && !allowed)
		law = "permissions";
	else if (!err && must_be_refused(p, writes))
		law = p->guard == YES ? "guard lost" : p->poison == YES ? "poison lost" :
			"uffd-wp lost";
	else if (err && allowed && !may_be_refused(a, p, writes))
		law = "access refused";
	if (!law)
		return;
	hunt_say("\treturn access_is_wrong(%#lx, %#lx, %d, %lu, %d);\n", page_at(a, i), value,
		 writes, way, !err);
	hunt_tell(law, "%s %s (%d), way %lu: %s", writes ? "a write" : "a read",
		  err ? "is refused" : "is allowed", err, way, page_text(a, i));
}

/* Documentation/kernel-bugs/gup-pud-prot-none.txt: by /proc/self/mem it would never end. */
static bool would_hang(const struct hunt_area *a, word i, word way)
{
	return way == 1 && a->unit > huge_size && !a->page[i].prot;
}

bool store_page(struct hunt_area *a, word i, word value, word way)
{
	struct hunt_page *p = &a->page[i];
	int err;

	if (would_hang(a, i, way))
		return false;
	err = DO(store, page_at(a, i), a->unit, value, way);
	refusal(a, i, true, way, err);
	/* On its way to what refused it, it may have copied the page. */
	if (err) {
		page_copied(p);
		if (p->wp)
			p->wp = MAY;
		if (p->dirty == NO)
			p->dirty = MAY;
		return false;
	}
	page_written(a, i, value);
	if (p->wp)
		p->wp = NO;
	p->dirty = is_huge(a) || (!p->private && shared_is_untracked()) ? MAY : YES;
	/* What is zeros may be taken for the zero page. */
	p->unsaved = value && !p->droppable;
	written_beside(a, p);
	return true;
}

bool touch_page(const struct hunt_area *a, word i, word way, const char *who)
{
	struct hunt_page *p = &a->page[i];

	/*
	 * process_vm_readv() has a copy made of what a child had, if others refer to it, too;
	 * that isn't dirty, but will be written to swap: do_wp_page() with FAULT_FLAG_UNSHARE.
	 */
	if (way == 2 && p->private)
		p->unsaved = false;
	if (would_hang(a, i, way))
		return false;
	for (int half = 0; half < 2; half++) {
		word where = page_at(a, i) + (half ? a->unit - sizeof(word) : 0);
		int err = DO(fetch, where, way);

		refusal(a, i, false, way, err);
		if (err)
			return false;
		if (may_contain(p, fetched))
			continue;
		hunt_say("\treturn contents_are_wrong(%#lx, %#lx, %#lx, %lu);\n", where,
			 p->own ? p->value : base_of(p), base_of(p), way);
		hunt_tell("contents", "%s: %#lx, word %d: %s", who, fetched, half, page_text(a, i));
	}
	return true;
}

/* What the first argument chooses of the pages: each, or some, from any of the first ones on. */
static bool is_chosen(const struct hunt_step *s, word k)
{
	const word every = 1 + s->argument / 4 % 3, from = s->argument / 16 % every;

	return k % every == (from < s->count ? from : 0);
}

/* Calls take their time. */
static word way_of(const struct hunt_step *s)
{
	return s->count > 32 ? 0 : s->argument % 5;
}

RUN(run_write)
{
	struct hunt_area *a = step_area(s);
	const word way = way_of(s), same = s->argument >> 8 & 1;
	int done = 0;

	world.tag += 0x10000;
	entries_may_go();
	for (word k = 0; k < s->count; k++)
		if (is_chosen(s, k) && a->page[s->first + k].mapped)
			done += store_page(a, s->first + k, o->what ? 0 :
					   world.tag + (same ? 1 : s->first + k + 1), way);
	return done ? 0 : -EFAULT;
}

RUN(run_read)
{
	int done = 0;

	for (word k = 0; k < s->count; k++)
		if (is_chosen(s, k) && step_area(s)->page[s->first + k].mapped)
			done += touch_page(step_area(s), s->first + k, way_of(s), "read");
	return done ? 0 : -EFAULT;
}

RUN(run_mmap)
{
	struct hunt_area *a = step_area(s);
	const bool read_only = s->argument % 5 == 0, droppable = a->kind == KIND_droppable &&
			       kernel_is_since(6, 11);
	word flags = MAP_FIXED | MAP_PRIVATE, offset = 0, number = ANONYMOUS;
	int err;

	switch (a->kind) {
	case KIND_shmem:
		flags = MAP_FIXED | MAP_SHARED;
		__attribute__((fallthrough));
	case KIND_private:
		number = 0;
		offset = s->argument % 96;
		break;
	case KIND_shmem_thp:
		flags = MAP_FIXED | MAP_SHARED;
		number = 1;
		offset = s->first;
		break;
	case KIND_hugetlb_shared:
		flags = MAP_FIXED | MAP_SHARED;
		number = 2;
		offset = s->argument % 4;
		break;
	case KIND_hugetlb:
	case KIND_hugetlb_other:
		flags |= MAP_HUGETLB | (word)__builtin_ctzl(a->unit) << MAP_HUGE_SHIFT;
		__attribute__((fallthrough));
	default:
		flags |= MAP_ANONYMOUS;
		/* MAP_DROPPABLE, in the place of MAP_PRIVATE */
		flags ^= droppable ? MAP_PRIVATE | 8 : 0;
	}
	err = DO(map, step_start(s), s->count * a->unit, read_only ? PROT_READ : RIGHTS, flags,
		 number, offset * a->unit);
	/* What was there may be gone, if there are too few hugetlb pages. */
	if (err) {
		run_munmap(o, s);
		return err;
	}
	vmas_change(a);
	EACH_PAGE(s, p) {
		*p = (struct hunt_page) {
			.mapped = true, .private = !(flags & MAP_SHARED), .dirty = MAY,
			.prot = read_only ? PROT_READ : RIGHTS, .file = number, .offset = offset++,
			.fresh = true,
			.merge = world.merges && flags & MAP_PRIVATE && !is_huge(a),
			/* do_mmap() */
			.droppable = droppable, .wipe = droppable, .dont_dump = droppable,
		};
		if (a->kind == KIND_anon || a->kind == KIND_droppable)
			p->huge = 2;
		if (a->kind == KIND_thp || a->kind == KIND_large || a->kind == KIND_shmem_thp)
			p->huge = 1;
	}
	if (a->page[s->first].huge)
		DO(advise, step_start(s), s->count * a->unit,
		   a->page[s->first].huge == 1 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	vmas_merge(a);
	return 0;
}

RUN(run_munmap)
{
	int err = DO(unmap, step_start(s), step_length(s));

	if (err)
		return err;
	vmas_change(step_area(s));
	EACH_PAGE(s, p)
		memset(p, 0, sizeof(*p));
	return 0;
}

/* What becomes writable is populated if it is locked: mprotect_fixup(). */
static void rights_change(const struct hunt_step *s, word prot)
{
	vmas_change(step_area(s));
	EACH_PAGE(s, p) {
		if (p->locked && p->private && prot & PROT_WRITE) {
			p->dirty = MAY;
			page_copied(p);
			written_beside(step_area(s), p);
			if (p->wp)
				p->wp = MAY;
		}
		p->prot = prot;
	}
}

word drawn_prot(const struct hunt_step *s)
{
	const word prot[] = { RIGHTS, PROT_READ, RIGHTS, PROT_READ, PROT_NONE };

	return prot[s->argument % 5];
}

RUN(run_mprotect)
{
	int err = DO(protect, step_start(s), step_length(s), drawn_prot(s));

	rights_change(s, drawn_prot(s));
	if (!err)
		return 0;
	/* It takes no memory that could be lacking. */
	hunt_say("\treturn 1;\n");
	hunt_tell("mprotect", "refused (%d): %s", err, page_text(step_area(s), s->first));
}

RUN(run_pkey)
{
	const word number = s->argument & 8 ? key : 0;
	int err = key ? DO(protect_by_key, step_start(s), step_length(s), drawn_prot(s), number) :
		-EINVAL;

	if (err)
		return err;
	rights_change(s, drawn_prot(s));
	EACH_PAGE(s, p)
		p->key = number;
	return 0;
}

/*
 * What is moved beside something that is registered with the same userfaultfd is merged
 * with it before the registration is taken from what was moved:
 * Documentation/kernel-bugs/mremap-merge-uffd.txt.
 */
static bool takes_registration(const struct hunt_page *p, const struct hunt_area *to, word first,
			       word count)
{
	return p->registered && ((first && to->page[first - 1].registered) ||
				 (first + count < to->nr && to->page[first + count].registered));
}

/*
 * Each entry that is moved is soft-dirty then: move_soft_dirty_pte(). Whole tables are left
 * alone, even if the range begins behind the first entry: move_normal_pmd(), try_realign_addr().
 */
static bool moves_tables(const struct hunt_area *a, word first, const struct hunt_area *to,
			 word to_first)
{
	const word table = page_size / sizeof(u64) * page_size;

	return (page_at(to, to_first) - page_at(a, first)) % table == 0;
}

RUN(run_mremap)
{
	const bool stays = o->what;
	struct hunt_area *a = step_area(s), *to = &world.area[s->to];
	const word length = s->count * a->unit;
	/* What is more is unmapped first. */
	const word keep = stays || s->argument % 4 || s->count == 1 ? s->count :
			  1 + s->argument / 4 % (s->count - 1);
	int err;

	for (word k = 0; k < s->count; k++)
		if (to->page[s->to_first + k].mapped)
			return -EEXIST;
	/* Documentation/kernel-bugs/mremap-dontunmap-locked.txt */
	if (stays && a->page[s->first].locked && !kernel_is_since(7, 2) &&
	    (kernel_is_since(6, 13) || !kernel_is_since(6, 12)))
		return -EBUSY;
	/* Moved entries stayed protected where no userfaultfd is: mremap_userfaultfd_prep(). */
	for (word k = 0; k < s->count && !kernel_is_since(6, 12); k++)
		if (a->page[s->first + k].wp)
			return -EBUSY;
	if (takes_registration(&a->page[s->first], to, s->to_first, s->count))
		return -EBUSY;
	err = DO(move, step_start(s), length, keep * a->unit, MREMAP_MAYMOVE | MREMAP_FIXED |
		 (stays ? 4 : 0), page_at(to, s->to_first));
	if (keep < s->count) {
		/* Also if it failed after that, on its way. */
		if (err)
			DO(unmap, page_at(a, s->first + keep), length - keep * a->unit);
		vmas_change(a);
		memset(&a->page[s->first + keep], 0,
		       (s->count - keep) * sizeof(struct hunt_page));
	}
	if (err)
		return err;
	vmas_change(a);
	vmas_change(to);
	for (word k = 0; k < keep; k++) {
		struct hunt_page *p = &a->page[s->first + k], *q = &to->page[s->to_first + k];

		*q = *p;
		q->wp = p->wp && !p->registered ? MAY : NO;
		q->registered = 0;
		if (q->dirty == NO)
			q->dirty = MAY;
		if (q->locked) {
			page_copied(q);
			q->dirty = MAY;
			written_beside(to, q);
		}
		if (is_tight(a) && !moves_tables(a, s->first, to, s->to_first) && q->private &&
		    q->own && surely_there(q))
			q->dirty = YES;
		if (!stays) {
			memset(p, 0, sizeof(*p));
			continue;
		}
		page_discarded(p);
		p->locked = p->unsaved = false;
		p->guard = p->poison = NO;
	}
	vmas_merge(a);
	vmas_merge(to);
	return 0;
}

RUN(run_shrink)
{
	struct hunt_area *a = step_area(s);
	const word keep = s->argument % s->count;
	int err;

	if (!keep)
		return -EINVAL;
	err = DO(move, step_start(s), s->count * a->unit, keep * a->unit, 0, 0);
	if (err)
		return err;
	vmas_change(a);
	memset(&a->page[s->first + keep], 0, (s->count - keep) * sizeof(struct hunt_page));
	return 0;
}

RUN(run_grow)
{
	struct hunt_area *a = step_area(s);
	const word last = s->first + s->count - 1;
	const struct hunt_page *l = &a->page[last];
	word more = 0;
	int err;

	while (last + 1 + more < a->nr && !a->page[last + 1 + more].mapped &&
	       more < s->argument % 40 &&
	       (l->file == ANONYMOUS || l->offset + more + 1 < world.file_pages[l->file]))
		more++;
	if (!more)
		return -ENOMEM;
	err = DO(move, page_at(a, last), a->unit, (1 + more) * a->unit, 0, 0);
	if (err)
		return err;
	vmas_change(a);
	for (word k = 1; k <= more; k++) {
		struct hunt_page *p = &a->page[last + k];

		*p = *l;
		page_discarded(p);
		p->wp = p->guard = p->poison = NO;
		p->unsaved = false;
		p->offset += k;
		if (p->locked)
			page_copied(p);
	}
	return 0;
}

static void mlocked(struct hunt_area *a, struct hunt_page *p)
{
	/* vma_supports_mlock() */
	if (!is_huge(a) && !p->droppable)
		p->locked = true;
	p->dirty = p->dirty == YES && p->own ? YES : MAY;
	if (p->wp)
		p->wp = MAY;
	page_copied(p);
	written_beside(a, p);
}

/* What can't be populated is locked all the same: do_mlock(). */
RUN(run_mlock)
{
	int err = DO(lock, step_start(s), step_length(s), s->argument & 1);

	vmas_change(step_area(s));
	EACH_PAGE(s, p)
		mlocked(step_area(s), p);
	return err;
}

RUN(run_munlock)
{
	int err = DO(unlock, step_start(s), step_length(s));

	vmas_change(step_area(s));
	EACH_PAGE(s, p)
		p->locked = false;
	return err;
}

RUN(run_mlockall)
{
	int err = DO(lock_everything, );

	for (int k = 0; k < HUNT_AREAS; k++) {
		vmas_change(&world.area[k]);
		for (word i = 0; i < world.area[k].nr; i++) {
			if (!world.area[k].page[i].mapped)
				continue;
			mlocked(&world.area[k], &world.area[k].page[i]);
			world.area[k].page[i].locked = false;
		}
	}
	return err;
}

/* What follows of a page when a behaviour was not refused. */
static void advised(struct hunt_area *a, struct hunt_page *p, int behaviour)
{
	const bool anonymous = p->private && p->file == ANONYMOUS;
	const uint8_t wp = p->wp;

	switch (behaviour) {
	case MADV_DONTNEED:
	case 24:		/* MADV_DONTNEED_LOCKED */
		page_discarded(p);
		if (p->locked)
			p->dirty = MAY;
		/* zap_install_uffd_wp_if_needed() */
		if (p->file != ANONYMOUS && is_tight(a))
			p->wp = wp;
		break;
	case MADV_FREE:
		if (p->own)
			p->lazy = true;
		p->unsaved = false;
		p->dirty = MAY;
		if (p->wp)
			p->wp = MAY;
		break;
	case 21:		/* MADV_PAGEOUT */
		p->unsaved = false;
		break;
	case MADV_DONTFORK:
	case MADV_DOFORK:
		p->dont_fork = behaviour == MADV_DONTFORK;
		break;
	case MADV_DONTDUMP:
	case MADV_DODUMP:
		p->dont_dump = behaviour == MADV_DONTDUMP;
		break;
	case MADV_WIPEONFORK:
	case MADV_KEEPONFORK:
		p->wipe = behaviour == MADV_WIPEONFORK;
		break;
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
		if (!is_huge(a))
			p->huge = behaviour == MADV_HUGEPAGE ? 1 : 2;
		break;
	case MADV_MERGEABLE:
	case MADV_UNMERGEABLE:
		/* vma_ksm_compatible(): what is shared isn't marked. */
		if (p->private && !is_huge(a) && !p->droppable)
			p->merge = behaviour == MADV_MERGEABLE;
		if (p->dirty == NO)
			p->dirty = MAY;
		break;
	case 23:		/* MADV_POPULATE_WRITE */
		page_copied(p);
		written_beside(a, p);
		if (p->wp)
			p->wp = MAY;
		if (p->dirty == NO)
			p->dirty = MAY;
		break;
	case MADV_REMOVE:
		if (p->file != ANONYMOUS)
			world.content[p->file][p->offset] = 0;
		break;
	case 102:		/* MADV_GUARD_INSTALL */
		page_discarded(p);
		/* A guard that is there already stays, with what it has. */
		p->wp = p->wp && (p->guard || !anonymous) ? MAY : NO;
		p->poison = p->poison ? MAY : NO;
		p->guard = YES;
		break;
	case 103:		/* MADV_GUARD_REMOVE */
		p->guard = NO;
		break;
	default:
		break;
	}
}

/* Whose pages are the file's, wherever else they are mapped. */
static void file_changed(int number)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			if (!p->mapped || p->file != number)
				continue;
			p->unsaved = false;
			if (p->dirty == YES && !p->own)
				p->dirty = MAY;
			if (p->wp)
				p->wp = MAY;
			if (p->guard)
				p->guard = MAY;
			if (p->poison)
				p->poison = MAY;
			/* Private copies stay; but whether this was one is not always known. */
			if (p->own && p->lazy)
				p->any = true;
		}
}

static bool changes_vmas(int behaviour)
{
	switch (behaviour) {
	case MADV_DONTNEED:
	case MADV_FREE:
	case MADV_COLD:
	case MADV_PAGEOUT:
	case MADV_WILLNEED:
	case 22:
	case 23:
	case 24:
	case 102:
	case 103:
		return false;
	default:
		return true;
	}
}

/* Documentation/kernel-bugs/collapse-poison.txt: by any mapping of the file, from all of them. */
static bool loses_poison(const struct hunt_page *p, int behaviour)
{
	if (behaviour != 25 || p->file == ANONYMOUS)
		return false;
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++)
			if (world.area[k].page[i].file == p->file && world.area[k].page[i].poison)
				return true;
	return false;
}

RUN(run_advise)
{
	struct hunt_area *a = step_area(s);
	const struct hunt_page *p = &a->page[s->first];
	const int behaviour = o->what;
	bool part;
	int err;

	/* Documentation/kernel-bugs/guard-uffd-wp.txt: it would never end. */
	for (word k = 0; behaviour == 102 && k < s->count; k++)
		if (p[k].registered && p[k].file != ANONYMOUS)
			return -EBUSY;
	if (loses_poison(p, behaviour))
		return -EBUSY;
	entries_may_go();
	if (changes_vmas(behaviour))
		vmas_change(a);
	/* Of a huge page, a part is left alone: madvise_dontneed_free_valid_vma(). */
	part = is_huge(a) && behaviour == MADV_DONTNEED && s->short_by;
	if (part)
		err = DO(advise, step_start(s), step_length(s) - page_size, behaviour);
	else if (s->argument & 1 && (behaviour == MADV_COLD || behaviour == MADV_PAGEOUT ||
				behaviour == 25 || behaviour == MADV_WILLNEED))
		err = DO(advise_process, step_start(s), step_length(s), behaviour);
	else
		err = DO(advise, step_start(s), step_length(s), behaviour);
	if (behaviour == MADV_REMOVE && p->file != ANONYMOUS)
		file_changed(p->file);
	for (word k = 0; k < s->count && behaviour == 21; k++)
		if (p[k].file != ANONYMOUS)
			file_saved(p[k].file);
	for (word k = 0; k < s->count; k++) {
		struct hunt_page *q = &a->page[s->first + k];
		const struct hunt_page before = *q;

		if (part && k + 1 == s->count)
			break;
		if (!err || behaviour != MADV_REMOVE)
			advised(a, q, behaviour);
		if (err)
			page_either(q, &before);
	}
	return err;
}
