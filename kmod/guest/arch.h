/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a second stage is on each architecture. Levels count from 1, that of PTEs, and a
 * table is a page.
 *
 * s2_root_of(vcpu, root)	the root that a virtual CPU has now
 * s2_is_nested(vcpu)		whether it has tables for a guest of the guest, too
 * s2_is_present(e), s2_is_table(e, level), s2_is_writable(e), s2_phys(e)
 *				of an entry: whether it leads somewhere, to a table,
 *				whether the guest can write there; where it leads
 */
#ifndef PTWALK_GUEST_ARCH_H
#define PTWALK_GUEST_ARCH_H

#include <linux/kvm_host.h>
#include "walk.h"

#if defined(CONFIG_X86_64)

/* As arch/x86/kvm/mmu/spte.h has them: such entries lead somewhere. */
#define ENTRY_PRESENT	BIT_ULL(11)
#define ENTRY_HUGE	BIT_ULL(7)
#define ENTRY_WRITE	BIT_ULL(1)

/* Tables for a guest without paging have fewer levels when they are shadows. */
#define LEAST_LEVELS	4

/*
 * Of the guest itself: that of its guests, if it has any, is in guest_mmu. KVM takes a
 * root from a virtual CPU only after it has freed the tables behind RCU.
 */
static inline void s2_root_of(const struct kvm_vcpu *vcpu, struct s2_root *root)
{
	const struct kvm_mmu *mmu = &vcpu->arch.root_mmu;
	const u64 phys = READ_ONCE(mmu->root.hpa);
	const union kvm_mmu_page_role role = { .word = READ_ONCE(mmu->root_role.word) };
	const bool shadow = !role.direct || role.level < LEAST_LEVELS;

	*root = (struct s2_root) {
		.phys = VALID_PAGE(phys) ? phys : S2_ROOTLESS,
		.levels = shadow ? 0 : role.level,
		.bits = PAGE_SHIFT + role.level * (PAGE_SHIFT - 3),
		.slots = role.smm,
	};
}

static inline bool s2_is_nested(const struct kvm_vcpu *vcpu)
{
	return VALID_PAGE(READ_ONCE(vcpu->arch.guest_mmu.root.hpa));
}

static inline bool s2_is_present(u64 e)
{
	return e & ENTRY_PRESENT;
}

static inline bool s2_is_table(u64 e, unsigned int level)
{
	return level > 1 && e & ENTRY_PRESENT && !(e & ENTRY_HUGE);
}

static inline bool s2_is_writable(u64 e)
{
	return e & ENTRY_WRITE;
}

static inline u64 s2_phys(u64 e)
{
	return e & PTE_PFN_MASK;
}

#endif

#endif /* PTWALK_GUEST_ARCH_H */
