/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the virtual CPU of a test's machine does: it reads or writes each page of the only
 * slot behind the first one, which has the code, and leaves.
 *
 * guest_make(vm, cpu, at, page, size)	once, for a slot of that memory at GUEST_START
 * guest_begin(cpu, at, writes)		before KVM_RUN
 * guest_has_left(run)			after it: whether it has done all of that
 */
#ifndef PTWALK_TESTS_GUEST_CODE_H
#define PTWALK_TESTS_GUEST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/kvm.h>

#if defined(__x86_64__)

#define GUEST_START	0x10000UL

/*
 * In real mode, where segments are 4096 bytes apart if their numbers are 0x100 apart:
 *
 *	mov $0x1100, %ax	from the second page on
 * 1:	mov %ax, %ds
 *	incb 0x10
 *	add $0x100, %ax
 *	cmp $0x5000, %ax
 *	jne 1b
 *	hlt
 */
static const unsigned char guest_code[] = {
	0xb8, 0x00, 0x11, 0x8e, 0xd8, 0xfe, 0x06, 0x10, 0x00, 0x05, 0x00, 0x01,
	0x3d, 0x00, 0x50, 0x75, 0xf2, 0xf4,
};

static bool guest_make(int vm, int cpu, char *at, size_t page, size_t size)
{
	return page == 4096 && size == 64 * page;
}

/* It reads with mov 0x10, %bl in place of incb. */
static bool guest_begin(int cpu, char *at, bool writes)
{
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rip = GUEST_START, .rflags = 2 };

	memcpy(at, guest_code, sizeof(guest_code));
	if (!writes)
		memcpy(at + 5, (const unsigned char[]){ 0x8a, 0x1e }, 2);
	if (ioctl(cpu, KVM_GET_SREGS, &sregs))
		return false;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	return !ioctl(cpu, KVM_SET_SREGS, &sregs) && !ioctl(cpu, KVM_SET_REGS, &regs);
}

static bool guest_has_left(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_HLT;
}

#elif defined(__aarch64__)

/* Behind what one first table has, with 4K and 16K pages. */
#define GUEST_START	((1UL << 39) + 0x10000)

/*
 * Without an MMU. x0 and x1 are the first page's address and the end, x2 the size of a
 * page; x3 is an address in no slot; and x4 says whether to write:
 *
 * 0:	mov x5, x0
 * 1:	ldr w6, [x5]
 *	cbz x4, 2f
 *	str w6, [x5]
 * 2:	add x5, x5, x2
 *	cmp x5, x1
 *	b.ne 1b
 *	str wzr, [x3]
 *	b 0b
 *
 * It isn't changed once it has run, so no cache has it as it was.
 */
static const __u32 guest_code[] = {
	0xaa0003e5, 0xb94000a6, 0xb4000044, 0xb90000a6, 0x8b0200a5, 0xeb0100bf,
	0x54ffff61, 0xb900007f, 0x17fffff8,
};

static bool guest_set(int cpu, __u64 reg, __u64 value)
{
	const struct kvm_one_reg one = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | reg,
		.addr = (unsigned long)&value,
	};

	return !ioctl(cpu, KVM_SET_ONE_REG, &one);
}

static bool guest_make(int vm, int cpu, char *at, size_t page, size_t size)
{
	struct kvm_vcpu_init init;

	memcpy(at, guest_code, sizeof(guest_code));
	return !ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) &&
	       !ioctl(cpu, KVM_ARM_VCPU_INIT, &init) &&
	       guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.regs[0]), GUEST_START + page) &&
	       guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.regs[1]), GUEST_START + size) &&
	       guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.regs[2]), page) &&
	       guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.regs[3]), 0) &&
	       guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.pc), GUEST_START);
}

/* It goes on behind the store by which it has left. */
static bool guest_begin(int cpu, char *at, bool writes)
{
	return guest_set(cpu, KVM_REG_ARM_CORE_REG(regs.regs[4]), writes);
}

static bool guest_has_left(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO && !run->mmio.phys_addr;
}

#endif

#endif /* PTWALK_TESTS_GUEST_CODE_H */
