// SPDX-License-Identifier: GPL-2.0
/* Reads the second stage, and joins its entries to extents. */
#include <linux/kvm_host.h>
#include <linux/memory_hotplug.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "arch.h"
#include "walk.h"

/* Of an address in struct s2_walk: its slot is read-only. */
#define S2_HVA_READ_ONLY	1ULL

#ifndef KVM_MEM_GUEST_MEMFD
#define KVM_MEM_GUEST_MEMFD	BIT(2)
#endif

/* Frames below an entry of a level, as a power of two. */
static unsigned int s2_shift(unsigned int level)
{
	return (level - 1) * (PAGE_SHIFT - 3);
}

/* Under the RCU read lock: the memory may go offline, but isn't removed (../memory.h). */
static bool s2_copy(u64 *to, u64 phys, unsigned int nr)
{
	return pfn_to_online_page(PHYS_PFN(phys)) &&
	       !copy_from_kernel_nofault(to, __va(phys), nr * sizeof(u64));
}

/*
 * Whether the virtual CPU still has the root that is walked. It may be replaced while it
 * is read: so this is asked before, and after. With PREEMPT_RT the reader may be
 * interrupted in between: then a table is read as what it has become, which is what the
 * command's rounds are for.
 */
static bool s2_is_root(const struct s2_walk *walk, const struct kvm_vcpu *vcpu)
{
	struct s2_root now;

	s2_root_of(vcpu, &now);
	return now.phys == walk->root.phys && now.levels == walk->root.levels &&
	       now.bits == walk->root.bits && now.slots == walk->root.slots;
}

static unsigned int s2_cpus(const struct kvm *kvm)
{
	return atomic_read(&kvm->online_vcpus);
}

/* Frames from that of @walk->gfn to the end of its entry, number 0. */
static u64 s2_rest(const struct s2_walk *walk)
{
	const u64 frames = 1ULL << s2_shift(walk->level);

	/* It may have become a large leaf that began before. */
	return frames - (walk->gfn & (frames - 1));
}

/*
 * Copies the entries from that of @walk->gfn on to the end of their table, or to a table
 * below it. What is a leaf is decided by the copy: a table may come where nothing was.
 * Returns false behind the last one, or if a table can't be read.
 */
static bool s2_copy_table(struct s2_walk *walk)
{
	unsigned int level = walk->root.levels, index, i;
	u64 table = walk->root.phys, e;

	if (walk->gfn >> (walk->root.bits - PAGE_SHIFT))
		return false;
	/* The first tables lie one behind the other. */
	table += (walk->gfn >> s2_shift(level + 1)) * PAGE_SIZE;
	for (;; level--, table = s2_phys(e)) {
		index = (walk->gfn >> s2_shift(level)) & (PTRS_PER_PTE - 1);
		table += index * sizeof(u64);
		if (!s2_copy(&e, table, 1))
			break;
		if (s2_is_table(e, level))
			continue;
		walk->nr = PTRS_PER_PTE - index;
		if (!s2_copy(walk->entries, table, walk->nr))
			break;
		e = walk->entries[0];
		if (s2_is_table(e, level))
			continue;
		walk->level = level;
		for (i = 1; i < walk->nr; i++)
			if (s2_is_table(walk->entries[i], level))
				walk->nr = i;
		return true;
	}
	walk->lost++;
	return false;
}

static u64 s2_hva(struct kvm_memslots *slots, u64 gfn, u64 entry)
{
	const struct kvm_memory_slot *slot = search_memslots(slots, gfn, false);
	u64 hva;

	if (!slot)
		return pfn_to_online_page(PHYS_PFN(s2_phys(entry))) ? GUEST_NO_SLOT : GUEST_DEVICE;
	if (slot->flags & KVM_MEM_GUEST_MEMFD)
		return GUEST_PRIVATE;
	hva = slot->userspace_addr + ((gfn - slot->base_gfn) << PAGE_SHIFT);
	return slot->flags & KVM_MEM_READONLY ? hva | S2_HVA_READ_ONLY : hva;
}

/*
 * The slots are looked up before the entries: these can't be of a slot that came later
 * in the place of another, as the one before goes for good behind kvm->srcu only.
 */
static bool s2_load(struct s2_walk *walk)
{
	struct kvm *kvm = walk->kvm;
	const struct kvm_vcpu *vcpu = kvm_get_vcpu(kvm, walk->cpu);
	u64 gfn = walk->gfn;
	struct kvm_memslots *slots;
	bool copied = false;
	unsigned int i;
	int idx;

	if (!vcpu)
		return false;
	idx = srcu_read_lock(&kvm->srcu);
	read_lock(&kvm->mmu_lock);
	rcu_read_lock();
	slots = __kvm_memslots(kvm, walk->root.slots);
	if (s2_is_root(walk, vcpu))
		copied = s2_copy_table(walk);
	else
		walk->lost++;
	/* The copy is read before the root is. */
	smp_rmb();
	if (copied && !s2_is_root(walk, vcpu)) {
		copied = false;
		walk->lost++;
	}
	rcu_read_unlock();
	read_unlock(&kvm->mmu_lock);

	for (i = 0; copied && i < walk->nr; i++) {
		if (s2_is_present(walk->entries[i]))
			walk->hva[i] = s2_hva(slots, s2_slot_gfn(kvm, gfn), walk->entries[i]);
		gfn += i ? 1ULL << s2_shift(walk->level) : s2_rest(walk);
	}
	srcu_read_unlock(&kvm->srcu, idx);
	walk->at = 0;
	walk->nr = copied ? walk->nr : 0;
	return copied;
}

/* Whether a root was walked before: another virtual CPU has it, too. */
static bool s2_is_walked(const struct s2_walk *walk, u64 root)
{
	unsigned int i;

	for (i = 0; i < walk->roots && i < PTWALK_S2_ROOTS; i++)
		if (walk->walked[i] == root)
			return true;
	return false;
}

/* Whether the virtual CPU has a root that wasn't walked yet; others are counted. */
static bool s2_enter(struct s2_walk *walk)
{
	const struct kvm_vcpu *vcpu = kvm_get_vcpu(walk->kvm, walk->cpu);
	struct s2_root *root = &walk->root;

	if (!vcpu)
		return false;
	read_lock(&walk->kvm->mmu_lock);
	s2_root_of(vcpu, root);
	read_unlock(&walk->kvm->mmu_lock);
	walk->nested += s2_is_nested(vcpu);
	if (root->phys == S2_ROOTLESS) {
		walk->rootless++;
		return false;
	}
	if (!root->levels) {
		walk->shadow++;
		return false;
	}
	if (s2_is_walked(walk, root->phys))
		return false;
	if (walk->roots < PTWALK_S2_ROOTS)
		walk->walked[walk->roots] = root->phys;
	walk->roots++;
	return true;
}

/* Whether the entry continues @extent, or is the first of it; it is taken then. */
static bool s2_join(const struct s2_walk *walk, struct s2_extent *extent)
{
	const u64 entry = walk->entries[walk->at], hva = walk->hva[walk->at];
	const u64 whole = PAGE_SIZE << s2_shift(walk->level);
	const u64 size = s2_rest(walk) << PAGE_SHIFT;
	struct s2_extent new = {
		.kind = hva < PAGE_SIZE && hva ? hva : GUEST_MAPPED,
		.level = walk->level,
		.write = s2_is_writable(entry),
		.gpa = walk->gfn << PAGE_SHIFT,
		.hpa = (s2_phys(entry) & ~(whole - 1)) + whole - size,
		.bytes = size,
	};

	if (new.kind == GUEST_MAPPED) {
		new.hva = hva & ~S2_HVA_READ_ONLY;
		new.read_only = hva & S2_HVA_READ_ONLY;
	}
	if (!extent->bytes) {
		*extent = new;
		return true;
	}
	if (new.kind != extent->kind || new.level != extent->level ||
	    new.write != extent->write || new.read_only != extent->read_only ||
	    new.gpa != extent->gpa + extent->bytes ||
	    new.hpa != extent->hpa + extent->bytes ||
	    (new.kind == GUEST_MAPPED && new.hva != extent->hva + extent->bytes))
		return false;
	extent->bytes += size;
	return true;
}

/**
 * s2_walk_begin() - start at the first root
 * @walk: Set to it; its size is more than that of a stack.
 * @kvm: The machine.
 */
void s2_walk_begin(struct s2_walk *walk, struct kvm *kvm)
{
	memset(walk, 0, sizeof(*walk));
	walk->kvm = kvm;
	walk->gfn = U64_MAX;
	walk->cpu = -1;
}

/* Goes on to the next table, or root. Returns 1, 0 behind the last one, or -EINTR. */
static int s2_advance(struct s2_walk *walk)
{
	for (;;) {
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (walk->gfn != U64_MAX && s2_load(walk))
			return 1;
		/* Of this root there is no more, whoever asks next. */
		walk->gfn = U64_MAX;
		do {
			if (++walk->cpu >= s2_cpus(walk->kvm))
				return 0;
		} while (!s2_enter(walk));
		walk->gfn = 0;
	}
}

/**
 * s2_walk_next() - find the next extent
 * @walk: The walk.
 * @extent: Receives it.
 *
 * An entry is true of the moment at which it was read.
 *
 * Context: Process context.
 * Return: 1; 0 behind the last one; -EINTR if the process is being killed.
 */
int s2_walk_next(struct s2_walk *walk, struct s2_extent *extent)
{
	int ret;

	extent->bytes = 0;
	for (;;) {
		if (walk->at == walk->nr) {
			ret = s2_advance(walk);
			if (ret <= 0)
				return extent->bytes ? 1 : ret;
		}
		if (s2_is_present(walk->entries[walk->at])) {
			if (!s2_join(walk, extent))
				return 1;
		} else if (extent->bytes) {
			return 1;
		}
		walk->gfn += s2_rest(walk);
		walk->at++;
	}
}
