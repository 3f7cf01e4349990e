// SPDX-License-Identifier: GPL-2.0
/* Reads the kernel's tables, and joins their entries to extents. */
#include <linux/memory_hotplug.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "../arch/arch.h"
#include "arch.h"

/* How often a table is read that has been replaced meanwhile. */
#define MOST_READS	16

/**
 * struct ktable_step - an entry on the way to a table
 * @phys: Where it is.
 * @value: What it was.
 */
struct ktable_step {
	u64 phys, value;
};

/*
 * Copies @nr entries from a physical address, each at once; returns whether they could
 * be read. The RCU read lock is held for that, for a table at most: the memory may go
 * offline, but isn't removed (../memory.h). It may have been freed, or be taken out of
 * the direct mapping: then it is read as it is, or not at all.
 */
static bool ktable_copy(u64 *to, u64 phys, unsigned int nr)
{
	bool copied;

	rcu_read_lock();
	copied = pfn_to_online_page(PHYS_PFN(phys)) &&
		 !copy_from_kernel_nofault(to, __va(phys), nr * sizeof(u64));
	rcu_read_unlock();
	return copied;
}

/* Whether the entry is a table: processors may set its accessed bit meanwhile. */
static bool ktable_leads_to(u64 e, unsigned int level, u64 phys)
{
	return ktable_is_present(e, level) && !ktable_is_leaf(e, level) &&
	       ktable_phys(e, level) == phys;
}

/* Whether the entries from level @top down to above @level are what they were. */
static bool ktable_still_there(const struct ktable_step *step, unsigned int top,
			       unsigned int level)
{
	u64 e;

	/* The table was copied before the entries that led to it are read again. */
	smp_rmb();
	for (; top > level; top--)
		if (!ktable_copy(&e, step[top].phys, 1) ||
		    !ktable_leads_to(e, top, ktable_phys(step[top].value, top)))
			return false;
	return true;
}

static void ktable_put_one(struct ktable_walk *walk, unsigned int level,
			   enum ktable_extent_kind kind, u64 entry)
{
	walk->level = level;
	walk->kind = kind;
	walk->entries[0] = entry;
	walk->nr = 1;
}

/*
 * Copies the entries from that of @walk->next on to the end of their table, or to a
 * table below it. Returns whether they belong together: none was replaced meanwhile.
 */
static bool ktable_load(struct ktable_walk *walk, const struct ktable_root *root)
{
	struct ktable_step step[KTABLE_MAX_LEVELS + 1];
	unsigned int level = root->levels, index, nr = root->nr, entered = 0, i;
	u64 table = root->phys, two[2];
	bool kept;

	walk->rights = (struct ktable_rights) { true, true, true };
	walk->at = 0;
	index = root->first + ((walk->next - root->start) >> ktable_shift(level));
	for (;; level--, nr = ktable_entries(level),
	     index = (walk->next >> ktable_shift(level)) & (nr - 1)) {
		step[level].phys = table + index * sizeof(u64);
		/* With the entry before it, if it has one. */
		if (!ktable_copy(&two[!index], step[level].phys - (index ? 8 : 0),
				 index ? 2 : 1)) {
			ktable_put_one(walk, min(level + 1, root->levels), KTABLE_UNREADABLE,
				       level < root->levels ? step[level + 1].value : 0);
			break;
		}
		step[level].value = two[1];
		entered += level == root->levels ? walk->next == root->start :
			   !(walk->next & (BIT_ULL(ktable_shift(level + 1)) - 1));
		if (!ktable_is_present(two[1], level) || ktable_is_leaf(two[1], level)) {
			walk->level = level;
			walk->kind = KTABLE_MAPPED;
			walk->nr = nr - index;
			if (!ktable_copy(walk->entries, step[level].phys, walk->nr))
				return false;
			for (i = 0; i < walk->nr; i++)
				if (ktable_is_present(walk->entries[i], level) &&
				    !ktable_is_leaf(walk->entries[i], level))
					walk->nr = i;
			break;
		}
		if (index && ktable_leads_to(two[0], level, ktable_phys(two[1], level))) {
			ktable_put_one(walk, level, KTABLE_SAME_TABLE, two[1]);
			break;
		}
		ktable_narrow(two[1], false, &walk->rights);
		table = ktable_phys(two[1], level);
	}
	kept = walk->nr && ktable_still_there(step, root->levels, level);
	walk->tables += kept ? entered : 0;
	return kept;
}

static void ktable_load_whole(struct ktable_walk *walk)
{
	struct ktable_root root;
	unsigned int reads = 0;

	ktable_root(&root);
	while (!ktable_load(walk, &root)) {
		walk->again++;
		cond_resched();
		if (++reads == MOST_READS) {
			ktable_put_one(walk, 1, KTABLE_CHANGING, 0);
			walk->at = 0;
			return;
		}
	}
}

/* Whether the entry continues @extent, or is the first of it; it is taken then. */
static bool ktable_join(struct ktable_walk *walk, u64 entry, u64 size,
			struct ktable_extent *extent)
{
	/* Behind a table that changed, a larger leaf may have begun before @next. */
	const u64 offset = walk->next & (size - 1);
	struct ktable_extent new = {
		.kind = walk->kind, .level = walk->level, .rights = walk->rights,
		.start = walk->next, .bytes = size - offset,
		.phys = ktable_phys(entry, walk->level),
	};

	if (walk->kind == KTABLE_MAPPED) {
		ktable_narrow(entry, true, &new.rights);
		new.memtype = arch_memtype(entry, walk->level == 1 ? PTWALK_LEVEL_PTE :
								     PTWALK_LEVEL_PMD);
		new.phys = walk->level == 1 ?
			   PFN_PHYS(arch_pte_pfn(__pte(entry), walk->next)) :
			   (new.phys & ~(size - 1)) + offset;
	}
	if (!extent->bytes) {
		*extent = new;
		return true;
	}
	if (new.kind != extent->kind || new.level != extent->level ||
	    new.memtype != extent->memtype ||
	    memcmp(&new.rights, &extent->rights, sizeof(new.rights)) ||
	    new.start != extent->start + extent->bytes ||
	    new.phys != extent->phys + (walk->kind == KTABLE_MAPPED ? extent->bytes : 0))
		return false;
	extent->bytes += new.bytes;
	return true;
}

/**
 * ktable_walk_begin() - start at the kernel's first address
 * @walk: Set to it; its size is more than that of a stack.
 */
void ktable_walk_begin(struct ktable_walk *walk)
{
	struct ktable_root root;

	ktable_root(&root);
	memset(walk, 0, sizeof(*walk));
	walk->next = root.start;
	walk->end = root.start + ((u64)(root.nr - root.first) << ktable_shift(root.levels));
}

/**
 * ktable_walk_next() - find the next extent
 * @walk: The walk.
 * @extent: Receives it.
 *
 * An entry is true of the moment at which it was read.
 *
 * Context: Process context of a process that has an address space. Takes no lock.
 * Return: 1; 0 behind the last one; -EINTR if the process is being killed.
 */
int ktable_walk_next(struct ktable_walk *walk, struct ktable_extent *extent)
{
	u64 size, entry;

	extent->bytes = 0;
	while (!walk->done) {
		if (walk->at == walk->nr) {
			cond_resched();
			if (fatal_signal_pending(current))
				return -EINTR;
			ktable_load_whole(walk);
		}
		size = 1ULL << ktable_shift(walk->level);
		entry = walk->entries[walk->at];
		if (walk->kind != KTABLE_MAPPED || ktable_is_present(entry, walk->level)) {
			if (!ktable_join(walk, entry, size, extent))
				return 1;
		} else if (extent->bytes) {
			return 1;
		}
		walk->at++;
		walk->next = (walk->next | (size - 1)) + 1;
		walk->done = walk->next == walk->end;
	}
	return extent->bytes ? 1 : 0;
}
