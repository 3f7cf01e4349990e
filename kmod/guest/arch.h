/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a second stage is on each architecture. Levels count from 1, that of PTEs, and a
 * table is a page.
 *
 * s2_why_not()			why no second stage can be read; NULL: it can be
 * s2_root_of(vcpu, root)	the root that a virtual CPU has now
 * s2_is_nested(vcpu)		whether it has tables for a guest of the guest, too
 * s2_slot_gfn(kvm, gfn)	the frame by which slots know it
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

static inline const char *s2_why_not(void)
{
	return NULL;
}

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

/* Where the guest shares memory with the host, TDX has a bit of the address say so. */
static inline u64 s2_slot_gfn(const struct kvm *kvm, u64 gfn)
{
#ifdef KVM_X86_TDX_VM
	return gfn & ~kvm->arch.gfn_direct_bits;
#else
	return gfn;
#endif
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

#elif defined(CONFIG_ARM64)

#include <asm/kvm_emulate.h>
#include <asm/kvm_pgtable.h>
#include <asm/virt.h>

/* Of VMSAv8-64: without the second one, a valid entry above PTEs is a block. */
#define ENTRY_VALID	BIT_ULL(0)
#define ENTRY_TABLE	BIT_ULL(1)
#define ENTRY_WRITE	BIT_ULL(7)

static inline const char *s2_why_not(void)
{
	return is_protected_kvm_enabled() ? "the hypervisor of pKVM keeps it" : NULL;
}

/*
 * Of the guest itself, whose virtual CPUs have one and the same: those of its guests are
 * in nested_mmus. It goes with the memory of the process, under the lock that the caller
 * has for reading. Levels are counted down to 3 here, and the granule is the page.
 */
static inline void s2_root_of(const struct kvm_vcpu *vcpu, struct s2_root *root)
{
	const struct kvm_s2_mmu *mmu = &vcpu->kvm->arch.mmu;

	*root = (struct s2_root) { .phys = S2_ROOTLESS };
	if (!mmu->pgt)
		return;
	root->phys = mmu->pgd_phys;
	root->levels = 4 - mmu->pgt->start_level;
	root->bits = mmu->pgt->ia_bits;
}

/* Of an older kernel, no guest has guests. */
static inline bool s2_is_nested(const struct kvm_vcpu *vcpu)
{
#ifdef KVM_ARM_VCPU_HAS_EL2
	return vcpu_has_nv(vcpu);
#else
	return false;
#endif
}

static inline u64 s2_slot_gfn(const struct kvm *kvm, u64 gfn)
{
	return gfn;
}

static inline bool s2_is_present(u64 e)
{
	return e & ENTRY_VALID;
}

static inline bool s2_is_table(u64 e, unsigned int level)
{
	return level > 1 && e & ENTRY_VALID && e & ENTRY_TABLE;
}

static inline bool s2_is_writable(u64 e)
{
	return e & ENTRY_WRITE;
}

static inline u64 s2_phys(u64 e)
{
	return kvm_pte_to_phys(e);
}

#endif

#endif /* PTWALK_GUEST_ARCH_H */
