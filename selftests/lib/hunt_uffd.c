// SPDX-License-Identifier: GPL-2.0
/* Operations of userfaultfd(2), and the write protection by PAGEMAP_SCAN. */
#include <errno.h>
#include "hunt.h"
#include "userfaultfd.h"

#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED	(1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC		(1 << 15)
#endif

#define EACH(s, p)	\
	for (struct hunt_page *p = &step_area(s)->page[(s)->first],			\
	     *end_ = p + (s)->count; p < end_; p++)

/* Whom nobody serves gets a SIGBUS: so nobody ever waits. */
#define OLD	(UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_SIGBUS | 1 << 12 | \
		 UFFD_FEATURE_MINOR_HUGETLBFS | UFFD_FEATURE_MINOR_SHMEM)
#define NEW	(OLD | UFFD_FEATURE_WP_UNPOPULATED | UFFD_FEATURE_POISON)

static int open_one(bool asynchronous)
{
	if (uffd >= 0)
		return 0;
	world.asynchronous = asynchronous;
	world.unpopulated = true;
	if (asynchronous && !DO(userfault_open, NEW | UFFD_FEATURE_MOVE | UFFD_FEATURE_WP_ASYNC))
		return 0;
	world.asynchronous = false;
	if (!DO(userfault_open, NEW | UFFD_FEATURE_MOVE) || !DO(userfault_open, NEW))
		return 0;
	world.unpopulated = false;
	return DO(userfault_open, OLD);
}

RUN(run_register)
{
	const word mode = o->what ? o->what : s->argument % 4 ? PROTECT :
			  s->argument & 4 ? MISSING : MISSING | PROTECT;
	int err;

	/* Linux 6.1 leaves out some of the first VMAs of all: userfaultfd_register(). */
	if (step_area(s)->kind == KIND_low && !kernel_is_since(6, 4))
		return -EBUSY;
	/*
	 * Another mode takes the place of the one before, unless that has it
	 * (userfaultfd_register_range()), and then entries stay protected for ever: a write
	 * makes them writable, and they keep the bit.
	 */
	EACH(s, p) {
		if (p->wp && !(mode & PROTECT) && !(p->registered & mode))
			return -EBUSY;
		/* Documentation/kernel-bugs/uffd-droppable.txt */
		if (p->droppable && !kernel_is_since(7, 2))
			return -EBUSY;
	}
	err = open_one(s->argument % 16 < 12);
	if (!err)
		err = DO(userfault_register, step_start(s), s->count * step_area(s)->unit, mode);
	if (err)
		return err;
	vmas_change(step_area(s));
	EACH(s, p) {
		world.shared_writes |= !p->private;
		if ((p->registered & mode) != mode)
			p->registered = mode;
	}
	return 0;
}

/* The bit of markers of other kinds, which a scan sets, stays. */
static void release(struct hunt_page *p)
{
	p->registered = 0;
	p->wp = p->wp && (p->guard || p->poison) ? MAY : NO;
}

RUN(run_unregister)
{
	int err = uffd < 0 ? -EBADF :
		DO(userfault_unregister, step_start(s), s->count * step_area(s)->unit);

	if (err)
		return err;
	vmas_change(step_area(s));
	EACH(s, p)
		release(p);
	return 0;
}

static bool anything_is_protected(void)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++)
			if (world.area[k].page[i].wp)
				return true;
	return false;
}

RUN(run_close)
{
	/* Before Linux 6.10, entries stayed protected then. */
	if (uffd < 0 || (!kernel_is_since(6, 10) && anything_is_protected()))
		return -EBADF;
	DO(userfault_close, );
	for (int k = 0; k < HUNT_AREAS; k++) {
		vmas_change(&world.area[k]);
		for (word i = 0; i < world.area[k].nr; i++)
			release(&world.area[k].page[i]);
	}
	return 0;
}

/* What has no page has a marker, but in anonymous memory before UFFD_FEATURE_WP_UNPOPULATED. */
static bool is_protected_absent(const struct hunt_page *p)
{
	return p->file != ANONYMOUS || world.unpopulated || surely_there(p) ||
	       (p->own && !p->lazy && !p->any);
}

RUN(run_protect)
{
	const bool on = o->what;
	int err = uffd < 0 ? -EBADF :
		DO(userfault_protect, step_start(s), s->count * step_area(s)->unit, on);

	entries_may_go();
	EACH(s, p) {
		if (err || p->guard || p->poison || p->lazy)
			p->wp = p->wp || on ? MAY : NO;
		else if (on)
			p->wp = is_protected_absent(p) ? YES : MAY;
		else
			p->wp = NO;
		if (p->dirty == YES && !on && !p->private && !kernel_is_since(6, 3))
			p->dirty = MAY;
	}
	return err;
}

/* What the kernel took for nothing is a page. */
static void found_none(const struct hunt_area *a, word i, const char *call)
{
	hunt_say("\treturn 1;\n");
	hunt_tell("contents", "%s found no page: %s", call, page_text(a, i));
}

RUN(run_copy)
{
	struct hunt_area *a = step_area(s);
	const word count = s->count < 8 ? s->count : 8;
	int done = 0;

	if (uffd < 0)
		return -EBADF;
	entries_may_go();
	world.tag += 0x10000;
	for (word k = 0; k < count; k++) {
		struct hunt_page *p = &a->page[s->first + k];
		const word at = page_at(a, s->first + k), value = world.tag + s->first + k + 1;
		const bool protected = s->argument & 1 && p->registered & PROTECT;

		if (DO(userfault_copy, at, a->unit, value, protected))
			continue;
		done++;
		if (surely_there(p) && (p->private ? p->own : true))
			found_none(a, s->first + k, "UFFDIO_COPY");
		page_written(a, s->first + k, value);
		p->wp = protected ? YES : NO;
		p->unsaved = true;
		p->guard = p->poison = NO;
		p->dirty = MAY;
	}
	return done ? 0 : -EEXIST;
}

RUN(run_zeropage)
{
	struct hunt_area *a = step_area(s);
	const word count = s->count < 8 ? s->count : 8;
	int done = 0;

	if (uffd < 0 || is_huge(a))
		return -EBADF;
	entries_may_go();
	for (word k = 0; k < count; k++) {
		struct hunt_page *p = &a->page[s->first + k];

		if (DO(userfault_zeropage, page_at(a, s->first + k), a->unit))
			continue;
		done++;
		if (surely_there(p) && (p->private ? p->own : true))
			found_none(a, s->first + k, "UFFDIO_ZEROPAGE");
		page_written(a, s->first + k, 0);
		p->wp = NO;
		p->guard = p->poison = NO;
		p->dirty = MAY;
	}
	return done ? 0 : -EEXIST;
}

/* What the file has there is mapped, and what is mapped already stays. */
RUN(run_continue)
{
	struct hunt_area *a = step_area(s);
	const word count = s->count < 8 ? s->count : 8;
	int done = 0;

	if (uffd < 0)
		return -EBADF;
	entries_may_go();
	for (word k = 0; k < count; k++) {
		struct hunt_page *p = &a->page[s->first + k];
		const bool protected = s->argument & 1 && p->registered & PROTECT;

		if (DO(userfault_continue, page_at(a, s->first + k), a->unit, protected))
			continue;
		done++;
		if (p->private && p->own && !p->lazy)
			found_none(a, s->first + k, "UFFDIO_CONTINUE");
		if (p->private)
			p->own = p->lazy = p->any = false;
		p->wp = protected ? YES : NO;
		p->guard = p->poison = NO;
		p->dirty = MAY;
	}
	return done ? 0 : -EEXIST;
}

/* move_present_pte(), move_swap_pte(); Documentation/kernel-bugs/uffd-move-swap.txt. */
static void moved(struct hunt_page *p, struct hunt_page *q, bool tight)
{
	q->own = p->own;
	q->lazy = p->lazy;
	q->any = p->any;
	q->value = p->value;
	q->unsaved = p->unsaved;
	q->dirty = tight && surely_there(p) ? YES : MAY;
	q->wp = p->wp || q->wp ? MAY : NO;
	page_discarded(p);
}

RUN(run_uffd_move)
{
	struct hunt_area *a = step_area(s), *to = &world.area[s->to];
	word count = s->count;
	long done;

	if (uffd < 0 || is_huge(a))
		return -EBADF;
	for (word k = 0; k < count; k++)
		if (!to->page[s->to_first + k].registered || to->page[s->to_first + k].own)
			count = k;
	if (!count)
		return -EINVAL;
	entries_may_go();
	done = DO(userfault_move, page_at(to, s->to_first), page_at(a, s->first), count * a->unit,
		  s->argument & 1 ? 3 : 1);
	for (word k = 0; done > 0 && k < done / a->unit; k++)
		moved(&a->page[s->first + k], &to->page[s->to_first + k],
		      is_tight(a) && is_tight(to));
	return done > 0 ? 0 : -EINVAL;
}

RUN(run_poison)
{
	struct hunt_area *a = step_area(s);
	const word count = s->count < 4 ? s->count : 4;
	long done;

	if (uffd < 0)
		return -EBADF;
	done = DO(userfault_poison, step_start(s), count * a->unit);
	for (word k = 0; done > 0 && k < done / a->unit; k++) {
		struct hunt_page *p = &a->page[s->first + k];

		if (surely_there(p) && p->private && p->own)
			found_none(a, s->first + k, "UFFDIO_POISON");
		p->poison = YES;
		p->wp = p->wp ? MAY : NO;
	}
	return done > 0 ? 0 : -EEXIST;
}

/* A page of the same table is there, so that its entries are looked at one by one. */
static bool has_table(const struct hunt_area *a, word i)
{
	const word table = page_size / sizeof(u64);

	for (word k = 0; is_tight(a) && k < a->nr; k++)
		if (page_at(a, k) / page_size / table == page_at(a, i) / page_size / table &&
		    surely_there(&a->page[k]) && a->page[k].private && a->page[k].own)
			return true;
	return false;
}

/* do_pagemap_scan(): only a limit, of pages or of the buffer, ends it earlier. */
void look_at_scan_end(const struct hunt_step *s)
{
	const word end = step_start(s) + s->count * step_area(s)->unit;

	if (scan_end == end)
		return;
	hunt_say("\treturn scan_end != %#lx;\n", end);
	hunt_tell("scan end", "walk_end is %#lx, must be %#lx: %s", scan_end, end,
		  page_text(step_area(s), s->first));
}

/*
 * Documentation/admin-guide/mm/pagemap.rst. What has no table isn't "written":
 * pagemap_scan_pte_hole(). A huge page of shared memory may lose it again:
 * Documentation/kernel-bugs/scan-shmem-thp.txt.
 */
RUN(run_scan)
{
	struct hunt_area *a = step_area(s);
	const bool present = s->argument & 1, some = s->argument >> 1 & 1;
	int err = DO(scan_protect, step_start(s), s->count * a->unit, present ? 8 : 2,
		     some ? 1 + s->argument / 4 % 64 : 0, present || s->argument >> 10 & 1);

	if (!err && !some)
		look_at_scan_end(s);
	entries_may_go();
	for (word k = 0; k < s->count; k++) {
		struct hunt_page *p = &a->page[s->first + k];
		/* Documentation/kernel-bugs/scan-hugetlb-limit.txt */
		const bool passed = !err && page_at(a, s->first + k) + a->unit <= scan_end &&
				    !(some && is_huge(a));

		if (p->wp == YES || !(p->registered & PROTECT))
			continue;
		if (passed && !present && !p->guard && !p->poison && !p->lazy &&
		    ((surely_there(p) && p->private && p->own) || has_table(a, s->first + k)))
			p->wp = YES;
		else
			p->wp = MAY;
	}
	return err;
}
