// SPDX-License-Identifier: GPL-2.0
/* Operations on everything, on files, and on processes. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "hunt.h"

/*
 * Documentation/admin-guide/mm/soft-dirty.rst. In Linux 6.1, migration sets it again:
 * remove_migration_pte(), pte_mkdirty().
 */
RUN(run_clear_refs)
{
	const bool stays = kernel_is_since(6, 4);

	DO(clear_refs, );
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			p->dirty = stays && p->mapped && is_tight(&world.area[k]) && !p->locked ?
				NO : MAY;
			p->fresh = false;
		}
	return 0;
}

RUN(run_swapoff)
{
	entries_may_go();
	return world.can_swap ? DO(swap_off_and_on, ) : -ENODEV;
}

/*
 * madvise(2): MADV_PAGEOUT, of everything; what was freed lazily is gone. It looks at entries,
 * so those of a file's pages are made first: then what is taken for clean is lost.
 */
RUN(run_reclaim)
{
	entries_may_go();
	for (int k = 0; k < HUNT_AREAS; k++) {
		struct hunt_area *a = &world.area[k];

		for (word i = 0, n; i < a->nr && !is_huge(a); i += n) {
			struct hunt_page *p = &a->page[i];

			for (n = 0; i + n < a->nr && p[n].mapped && p[n].file == p->file; n++) {
				p[n].unsaved = false;
				if (p[n].lazy)
					page_disturbed(&p[n]);
			}
			if (n && p->file != ANONYMOUS)
				DO(advise, page_at(a, i), n * a->unit, 22);
			if (n)
				DO(advise, page_at(a, i), n * a->unit, 21);
			n += !n;
		}
	}
	return 0;
}

RUN(run_migrate)
{
	struct hunt_area *a = step_area(s);
	const word node = s->argument & 1;

	if (world.nodes < 2)
		return -ENODEV;
	entries_may_go();
	if (!o->what)
		return DO(move_to_node, step_start(s), a->unit, s->count, node);
	vmas_change(a);
	return DO(bind_to_node, step_start(s), s->count * a->unit, node);
}

RUN(run_migrate_all)
{
	const word from = s->argument & 1;

	if (world.nodes < 2)
		return -ENODEV;
	entries_may_go();
	return DO(move_from_node, from, !from);
}

RUN(run_compact)
{
	entries_may_go();
	DO(compact, );
	return 0;
}

RUN(run_split)
{
	entries_may_go();
	return DO(split_huge, step_start(s), s->count * step_area(s)->unit);
}

/* What is merged loses its marks: Documentation/kernel-bugs/ksm-merge-marks.txt. */
RUN(run_ksm)
{
	bool any = false;
	int err;

	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++)
			any |= world.area[k].page[i].merge;
	err = any ? DO(merge_pages, ) : -ENOENT;
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			if (!p->merge)
				continue;
			p->unsaved = false;
			p->dirty = MAY;
			if (p->wp)
				p->wp = MAY;
		}
	return err;
}

/* Of all private memory, and of what is mapped later; a child has it, too: MMF_INIT_MASK. */
RUN(run_merge_any)
{
	const bool on = s->argument & 3;
	int err = DO(merge_all_memory, on);

	/* Nothing, if it was so: ksm_enable_merge_any(), ksm_disable_merge_any(). */
	if (err || on == world.merges)
		return err;
	world.merges = on;
	for (int k = 0; k < HUNT_AREAS; k++) {
		struct hunt_area *a = &world.area[k];

		vmas_change(a);
		for (word i = 0; i < a->nr; i++)
			if (a->page[i].mapped && a->page[i].private && !is_huge(a) &&
			    !a->page[i].droppable)
				a->page[i].merge = on;
	}
	return 0;
}

/* A hole shows zeros; private copies stay, what is behind a file's end is gone. */
static void file_is_cut(int number, word first, word count, bool copies)
{
	for (word i = first; i < first + count && i < world.file_pages[number]; i++)
		world.content[number][i] = 0;
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			if (!p->mapped || p->file != number)
				continue;
			p->unsaved = false;
			if (p->wp)
				p->wp = MAY;
			if (p->dirty == YES)
				p->dirty = MAY;
			if (p->offset < first || p->offset >= first + count)
				continue;
			if (copies && p->private)
				page_discarded(p);
			else if (p->lazy)
				p->any = true;
			if (p->guard)
				p->guard = MAY;
			if (p->poison)
				p->poison = MAY;
		}
}

/* fallocate(2): FALLOC_FL_PUNCH_HOLE */
RUN(run_punch)
{
	struct hunt_area *a = step_area(s);
	const struct hunt_page *p = &a->page[s->first];
	int err;

	if (!p->mapped || p->file == ANONYMOUS)
		return -EINVAL;
	err = DO(punch, p->file, p->offset * a->unit, s->count * a->unit);
	entries_may_go();
	if (!err)
		file_is_cut(p->file, p->offset, s->count, false);
	return err;
}

/* ftruncate(2) */
RUN(run_truncate)
{
	struct hunt_area *a = step_area(s);
	const struct hunt_page *p = &a->page[s->first];
	int err;

	if (!p->mapped || p->file == ANONYMOUS)
		return -EINVAL;
	/* Documentation/kernel-bugs/shmem-truncate-swap.txt: of huge pages, it would never end. */
	if (p->file == 1 && p->offset * a->unit % huge_size && kernel_is_since(6, 12))
		return -EBUSY;
	err = DO(cut_file, p->file, p->offset * a->unit);
	entries_may_go();
	if (!err)
		file_is_cut(p->file, p->offset, world.file_pages[p->file], true);
	return err;
}

/* What a child has: vma_needs_copy(), dup_userfaultfd(), madvise(2). */
static void become_child(void)
{
	world.child = true;
	uffd = -1;
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			if (p->dont_fork) {
				*p = (struct hunt_page) { 0 };
				continue;
			}
			p->registered = 0;
			p->locked = false;
			/* Tables of files aren't copied, but for protections. */
			if (p->file != ANONYMOUS || p->dirty == NO)
				p->dirty = MAY;
			/* __copy_present_ptes() */
			if (!p->private)
				p->unsaved = false;
			/* Linux 6.1 keeps it of hugetlb: copy_hugetlb_page_range(). */
			if (p->wp)
				p->wp = is_huge(&world.area[k]) && !kernel_is_since(6, 4) ?
					MAY : NO;
			if (p->wipe) {
				page_discarded(p);
				p->guard = p->guard ? MAY : NO;
			}
			if (p->poison)
				p->poison = MAY;
			/* Not of private memory of files before Linux 6.15. */
			if (p->guard && p->file != ANONYMOUS)
				p->guard = MAY;
		}
}

/* What the child writes to. Where it may be refused, its parent couldn't know of shared memory. */
static bool child_writes_to(const struct hunt_area *a, const struct hunt_page *p)
{
	/* Documentation/kernel-bugs/hugetlb-fork-wp.txt */
	if (is_huge(a) && p->wp && !kernel_is_since(6, 4))
		return false;
	return p->mapped && (p->private || !(p->guard || p->poison || is_huge(a)));
}

/* What the child writes to shared memory, its parent has. */
static void child_has_written(const struct hunt_step *s, word tag)
{
	struct hunt_area *a = step_area(s);

	for (word k = 0; k < s->count; k++) {
		const struct hunt_page *p = &a->page[s->first + k];

		if (child_writes_to(a, p) && !p->private && p->prot & PROT_WRITE && !p->key &&
		    !p->dont_fork)
			page_written(a, s->first + k, tag + s->first + k + 1);
	}
}

static void operate(const char *name, struct hunt_step s, word argument)
{
	const struct hunt_operation *o = &hunt_operations[hunt_operation_named(name)];

	s.argument = argument;
	o->operate(o, &s);
}

/* What two processes share stays shared whatever is done to it, but for a write. */
static void disturb(const struct hunt_step *s, unsigned int how)
{
	static const char *const name[] = { "move_pages", "pageout", "split", "collapse" };
	const struct hunt_page *p = &step_area(s)->page[s->first];
	const bool writable = p->prot & PROT_WRITE;

	if (how < sizeof(name) / sizeof(name[0]))
		return operate(name[how], *s, s->argument);
	/* What is new there. */
	if (how == 6 && world.child && p->private)
		return operate("mmap", *s, s->argument);
	for (word k = 1; k < s->count; k++)
		if (!same_vma(p, p + k, k))
			return;
	if (how < 6 && p->prot) {
		operate("mprotect", *s, how == 4 ? 1 : 4);
		operate("mprotect", *s, writable ? 0 : 1);
	}
}

static void in_child(const struct hunt_step *s, bool writes, word tag)
{
	struct hunt_area *a = step_area(s);

	become_child();
	look_at_all_entries();
	look_at_all_truth();
	if (s->argument & 1 << 12)
		disturb(s, s->argument >> 9 & 7);
	for (int k = 0; k < HUNT_AREAS; k++)
		if (&world.area[k] == a || !(s->argument & 16))
			for (word i = 0; i < world.area[k].nr; i++)
				if (world.area[k].page[i].mapped && world.area[k].page[i].private &&
				    world.area[k].page[i].own)
					touch_page(&world.area[k], i, s->argument / 32 % 8 == 1, "child");
	for (word k = 0; writes && k < s->count; k++)
		if (child_writes_to(a, &a->page[s->first + k]))
			store_page(a, s->first + k, tag + s->first + k + 1, 0);
	look_at_all_entries();
	look_at_counters();
	look_at_mappings();
	look_at_all_truth();
	look_at_contents(a, s->first, s->count, 0);
	hunt_say("\t\t_exit(0);\n\t}\n");
	_exit(0);
}

RUN(run_fork)
{
	struct hunt_area *a = step_area(s);
	const bool child_writes = s->argument & 1, parent_writes = s->argument & 2;
	int pid, status;

	world.tag += 0x10000;
	hunt_say("\tpid = split_process();\n");
	entries_may_go();
	pid = split_process();
	if (pid < 0)
		return pid;
	if (!pid) {
		hunt_say("\tif (!pid) {\n");
		in_child(s, child_writes, world.tag);
	}
	disturb(s, s->argument >> 13 & 7);
	if (parent_writes) {
		hunt_say("\tif (pid) {\n");
		world.tag += 0x10000;
		for (word k = 0; k < s->count; k++)
			if (a->page[s->first + k].mapped && a->page[s->first + k].private)
				store_page(a, s->first + k, world.tag + s->first + k + 1, 0);
		hunt_say("\t}\n");
		world.tag -= 0x10000;
	}
	status = join(pid);
	hunt_say("\tif (join(pid))\n\t\treturn 1;\n");
	if (status == 1)
		_exit(1);
	if (status) {
		hunt_tell("fork", "the child ended with status %d: %s", status,
			  page_text(a, s->first));
	}
	if (child_writes)
		child_has_written(s, world.tag);
	look_at_contents(a, s->first, s->count, 0);
	world.tag += 0x10000;
	return 0;
}
