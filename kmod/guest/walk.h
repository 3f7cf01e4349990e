/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The second stage of a virtual machine of KVM, as extents: from the guest's physical
 * addresses to the host's, with the virtual address that the slot has there.
 *
 * What flows through: walk.c copies entries of one table at a time and joins them to
 * extents, main.c prints these into a file of debugfs. What the process's own tables
 * say of those virtual addresses is for user space, which has ptwalk.ko.
 *
 * No symbol of KVM is used, only the structures of its headers: the root is that of
 * the virtual CPUs, and the tables are read with copy_from_kernel_nofault(). Held while
 * one table is looked for and copied: kvm->srcu, so that slots stay what they are;
 * kvm->mmu_lock for reading, which keeps MMU notifiers from being half done; and the
 * RCU read lock, behind which KVM frees tables. What depends on the architecture is in
 * arch.h.
 */
#ifndef PTWALK_GUEST_WALK_H
#define PTWALK_GUEST_WALK_H

#include <linux/pgtable.h>
#include <linux/types.h>

struct kvm;

/* Roots of a machine that are told from each other; more may be walked several times. */
#define PTWALK_S2_ROOTS	32

/**
 * enum s2_extent_kind - what guest-physical addresses have
 * @GUEST_MAPPED: Leaves of a slot with memory of the process.
 * @GUEST_PRIVATE: Leaves of a slot with a guest_memfd.
 * @GUEST_NO_SLOT: Leaves where no slot is, that lead to memory.
 * @GUEST_DEVICE: Such that lead to none, as to the GIC on arm64.
 */
enum s2_extent_kind {
	GUEST_MAPPED,
	GUEST_PRIVATE,
	GUEST_NO_SLOT,
	GUEST_DEVICE,
};

/**
 * struct s2_extent - leaves in a row that are alike
 * @kind: What they are of.
 * @level: Of the entries: 1 is that of PTEs.
 * @write: The guest can write there without a fault.
 * @read_only: Its slot says that it can't, of GUEST_MAPPED.
 * @gpa: First address in the guest.
 * @hva: Its address in the process, of GUEST_MAPPED.
 * @hpa: Where the first byte is.
 * @bytes: Length.
 */
struct s2_extent {
	enum s2_extent_kind kind;
	unsigned int level;
	bool write, read_only;
	u64 gpa, hva, hpa, bytes;
};

/**
 * struct s2_root - what a virtual CPU's accesses to guest-physical addresses begin at
 * @phys: The first table, with others behind it if one hasn't enough entries.
 * @levels: How many there are; 0 if it is no second stage.
 * @bits: How many bits an address has.
 * @slots: Number of the address space whose slots it maps.
 */
struct s2_root {
	u64 phys;
	unsigned int levels, bits, slots;
};

/* In place of the first table: the virtual CPU has none. */
#define S2_ROOTLESS	U64_MAX

/**
 * struct s2_walk - a walk through the roots of all virtual CPUs
 * @kvm: The machine; the caller has a reference of it.
 * @cpu: Number of the virtual CPU whose root is walked.
 * @gfn: The guest frame behind the last entry that was taken.
 * @roots: How many roots were walked: the same one is walked once.
 * @rootless: Virtual CPUs that have none now, as before they first run.
 * @shadow: Those whose tables aren't a second stage.
 * @nested: Those that have tables for a guest of the guest, too.
 * @lost: Roots that were replaced before their end, or whose tables can't be read.
 * @root: The one that is walked.
 * @walked: The roots until now, the first of them.
 * @level: Of the entries below.
 * @at: The entry that comes next.
 * @nr: How many there are.
 * @entries: Copied from one table, the first is that of @gfn.
 * @hva: What the slot has there, with a bit for a read-only one; or an enum
 *	s2_extent_kind, which no page begins at.
 */
struct s2_walk {
	struct kvm *kvm;
	unsigned int cpu;
	u64 gfn;
	u64 roots, rootless, shadow, nested, lost;
	u64 walked[PTWALK_S2_ROOTS];
	struct s2_root root;
	unsigned int level, at, nr;
	u64 entries[PTRS_PER_PTE], hva[PTRS_PER_PTE];
};

void s2_walk_begin(struct s2_walk *walk, struct kvm *kvm);
int s2_walk_next(struct s2_walk *walk, struct s2_extent *extent);

#endif /* PTWALK_GUEST_WALK_H */
