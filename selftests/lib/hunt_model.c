// SPDX-License-Identifier: GPL-2.0
/* What must be true of memory: data, and what happens to a page. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <stdio.h>
#include "hunt.h"

#define HUNT_NAME(name)	#name,
const char *const hunt_kind_name[NR_HUNT_KINDS] = { HUNT_KINDS(HUNT_NAME) };

struct hunt_world world;

#define GIB		((word)1 << 30)
#define PAGES		96
#define LOW_PAGES	16
#define FILE_PAGES	256
#define HUGETLB_PAGES	4
#define HUGETLB_FILE	8
#define OTHER_PAGES	2

static void *room(word bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void area(int nr, enum hunt_kind kind, word start, word unit, word pages)
{
	world.area[nr] = (struct hunt_area) { kind, start, unit, pages,
					      room(pages * sizeof(struct hunt_page)) };
}

/*
 * Two areas for most kinds. The second one lies over the end of a table, or begins
 * in the middle of a huge page.
 */
void hunt_world_make(void)
{
	const word per_huge = huge_size / page_size, across = huge_size - 40 * page_size;
	int nr = 0;

	for (int second = 0; second < 2; second++)
		for (int kind = 0; kind < NR_HUNT_KINDS; kind++) {
			word start = (64 + 4 * kind + 2 * second) * GIB;

			switch (kind) {
			case KIND_low:
				if (!second)
					area(nr++, kind, 0, page_size, LOW_PAGES);
				break;
			case KIND_thp:
			case KIND_shmem_thp:
				area(nr++, kind, start, page_size, 2 * per_huge);
				break;
			case KIND_hugetlb:
			case KIND_hugetlb_shared:
				area(nr++, kind, start + GIB - (second ? 3 : 1) * huge_size,
				     huge_size, HUGETLB_PAGES);
				break;
			case KIND_hugetlb_other:
				if (second)
					area(nr++, kind, start, world.other_size,
					     world.other_size ? OTHER_PAGES : 0);
				break;
			default:
				area(nr++, kind, start + (second ? across : 0), page_size, PAGES);
			}
		}
	world.file_pages[0] = FILE_PAGES;
	world.file_pages[1] = 2 * per_huge;
	world.file_pages[2] = HUGETLB_FILE;
	for (int i = 0; i < HUNT_FILES; i++)
		world.content[i] = room(world.file_pages[i] * sizeof(word));
}

bool kernel_is_since(unsigned int major, unsigned int minor)
{
	static unsigned int a, b;
	struct utsname name;

	if (!a && (uname(&name) || sscanf(name.release, "%u.%u", &a, &b) != 2))
		return false;
	return a > major || (a == major && b >= minor);
}

/*
 * Writes to shared memory may not be noticed: before Linux 6.3 and 6.19,
 * Documentation/kernel-bugs/uffd-wp-soft-dirty.txt and merge-soft-dirty.txt.
 */
bool shared_is_untracked(void)
{
	return (world.shared_writes && !kernel_is_since(6, 3)) ||
	       (world.merged && !kernel_is_since(6, 19));
}

word page_at(const struct hunt_area *a, word i)
{
	return a->start + i * a->unit;
}

bool is_huge(const struct hunt_area *a)
{
	return a->kind == KIND_hugetlb || a->kind == KIND_hugetlb_shared ||
	       a->kind == KIND_hugetlb_other;
}

/* Each page has an entry and bits of its own. */
bool is_tight(const struct hunt_area *a)
{
	return a->kind == KIND_anon || a->kind == KIND_low || a->kind == KIND_shmem ||
	       a->kind == KIND_private || a->kind == KIND_droppable;
}

word base_of(const struct hunt_page *p)
{
	return p->file == ANONYMOUS ? 0 : world.content[p->file][p->offset];
}

bool may_contain(const struct hunt_page *p, word value)
{
	if (p->any)
		return true;
	if (!p->own)
		return value == base_of(p);
	return value == p->value || (p->lazy && value == base_of(p));
}

/* It must have contents that nobody else could bring back, so that it isn't missing. */
bool surely_there(const struct hunt_page *p)
{
	if (p->any || (p->own && p->lazy))
		return false;
	return (p->own ? p->value : base_of(p)) != 0;
}

void page_written(struct hunt_area *a, word i, word value)
{
	struct hunt_page *p = &a->page[i];

	p->any = false;
	if (p->private) {
		p->own = true;
		p->lazy = p->droppable;
		p->value = value;
	} else if (p->file != ANONYMOUS) {
		world.content[p->file][p->offset] = value;
	}
}

/* A private page of a file may have become a copy of it: by mlock(), for instance. */
void page_copied(struct hunt_page *p)
{
	if (!p->private || p->file == ANONYMOUS)
		return;
	if (!p->own) {
		p->own = p->lazy = true;
		p->value = base_of(p);
	} else if (p->lazy && p->value != base_of(p)) {
		p->any = true;
	}
	if (p->wp == YES)
		p->wp = MAY;
}

/* Where one bit is of more than a page, a write to one sets that of others. */
void written_beside(struct hunt_area *a, const struct hunt_page *p)
{
	if (is_tight(a) && p->huge != 1)
		return;
	for (word k = 0; k < a->nr; k++)
		if (a->page[k].dirty == NO)
			a->page[k].dirty = MAY;
}

/* What is in the swap area, or cut off, is dirty no more, wherever it is mapped. */
void file_saved(int number)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++)
			if (world.area[k].page[i].file == number)
				world.area[k].page[i].unsaved = false;
}

void page_discarded(struct hunt_page *p)
{
	if (p->private) {
		p->own = p->lazy = p->any = p->unsaved = false;
		p->value = 0;
	}
	p->dirty = MAY;
	if (p->wp)
		p->wp = MAY;
	if (p->poison)
		p->poison = MAY;
}

static uint8_t either(uint8_t a, uint8_t b)
{
	return a == b ? a : MAY;
}

/* What failed on its way may have been done to a page, or not: it is as before, or as after. */
void page_either(struct hunt_page *p, const struct hunt_page *before)
{
	const struct hunt_page after = *p;

	*p = *before;
	p->wp = either(before->wp, after.wp);
	p->dirty = either(before->dirty, after.dirty);
	p->guard = either(before->guard, after.guard);
	p->poison = either(before->poison, after.poison);
	p->unsaved &= after.unsaved;
	p->any |= after.any;
	p->lazy |= after.lazy || before->own != after.own;
	if (after.own && !before->own) {
		p->own = true;
		p->value = after.value;
	}
}

/* What was freed lazily may be gone. */
void page_disturbed(struct hunt_page *p)
{
	const struct hunt_page before = *p;

	page_discarded(p);
	page_either(p, &before);
}

/*
 * The entry of what isn't a private page may be dropped, and its soft-dirty bit with it:
 * try_to_unmap_one(), __split_huge_pmd_locked(), zap_pte_range().
 */
void entries_may_go(void)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		for (word i = 0; i < world.area[k].nr; i++) {
			struct hunt_page *p = &world.area[k].page[i];

			if (p->dirty == YES && !(p->private && p->own && !p->lazy))
				p->dirty = MAY;
		}
}

/*
 * What is merged with a VMA that isn't soft-dirty may not be any more, before Linux 6.19:
 * vma_merge() with VM_IGNORE_MERGE.
 */
void vmas_merge(struct hunt_area *a)
{
	bool all = true;

	for (word i = 0; i < a->nr; i++)
		all &= a->page[i].fresh || !a->page[i].mapped;
	for (word i = 0; i < a->nr && !all; i++) {
		if (a->page[i].fresh) {
			a->page[i].dirty = MAY;
			world.merged = true;
		}
		a->page[i].fresh = false;
	}
}

/*
 * VMAs are made, split or merged, which adds VM_SOFTDIRTY to more pages: mmap_region(),
 * vma_merge() with VM_IGNORE_MERGE.
 */
void vmas_change(struct hunt_area *a)
{
	for (word i = 0; i < a->nr; i++)
		if (a->page[i].dirty == NO)
			a->page[i].dirty = MAY;
	vmas_merge(a);
	entries_may_go();
}
