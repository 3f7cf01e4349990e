// SPDX-License-Identifier: GPL-2.0
#include <linux/ptwalk_record.h>
#include "module/version.h"
#include "pte/pte.h"
#include "tests.h"

#define W	PTWALK_FLAG_WRITE
#define U	PTWALK_FLAG_USER
#define X	PTWALK_FLAG_EXEC
#define Y	PTWALK_FLAG_YOUNG
#define D	PTWALK_FLAG_DIRTY
#define S	PTWALK_FLAG_SOFT_DIRTY
#define N	PTWALK_FLAG_PROT_NONE

/* A table is told by its address, a swap entry by type and offset. */
static const struct {
	const char *arch;
	unsigned int level, version;
	uint64_t value;
	enum pte_kind kind;
	uint64_t paddr;
	uint64_t flags;
	unsigned int type;
	uint64_t offset;
	const char *memory, *note;
	unsigned int c_bit;
	bool c_shares;
} cases[] = {
	{ "x86_64", 0, 0, 0x8000000006535867, PTE_PRESENT, 0x6535000, W | U | Y | D | S,
	  .memory = "wb" },
	{ "x86_64", 0, 0, 0x6535025, PTE_PRESENT, 0x6535000, U | X | Y, .memory = "wb" },
	{ "x86_64", 0, 0, 0x80000000fd0000bf, PTE_PRESENT, 0xfd000000, W | U | Y, .memory = "wt" },
	/* PROT_NONE, inverted: the frame is 0x1234. */
	{ "x86_64", 0, 0, 0x800ffffffedcb160, PTE_PRESENT, 0x1234000, Y | D | N,
	  .memory = "wb", .note = "L1TF" },
	{ "x86_64", 0, 0, 0x000ffffffedcb160, PTE_PRESENT, 0x1234000, Y | D | N,
	  .memory = "wb", .note = "L1TF" },
	/* Of which the encryption bit isn't, set or not. */
	{ "x86_64", 0, 0, 0x8008000006535867, PTE_PRESENT, 0x6535000,
	  W | U | Y | D | S | PTWALK_FLAG_ENCRYPTED, .memory = "wb", .c_bit = 51 },
	{ "x86_64", 0, 0, 0x800ffffffedcb160, PTE_PRESENT, 0x1234000,
	  Y | D | N | PTWALK_FLAG_ENCRYPTED, .memory = "wb", .note = "L1TF", .c_bit = 51 },
	{ "x86_64", 0, 0, 0x8007fffffedcb160, PTE_PRESENT, 0x1234000, Y | D | N,
	  .memory = "wb", .note = "L1TF", .c_bit = 51 },
	/* The bit of what is shared. */
	{ "x86_64", 0, 0, 0x8008000006535867, PTE_PRESENT, 0x6535000, W | U | Y | D | S,
	  .memory = "wb", .c_bit = 51, .c_shares = true },
	{ "x86_64", 1, 0, 0x80000001400008e7, PTE_PRESENT, 0x140000000,
	  W | U | Y | D | S | PTWALK_FLAG_ENCRYPTED, .memory = "wb", .c_bit = 47, .c_shares = true },
	{ "x86_64", 1, 0, 0x1f66067, PTE_TABLE, 0x1f66000,
	  W | U | X | Y | PTWALK_FLAG_ENCRYPTED, .c_bit = 47, .c_shares = true },
	{ "x86_64", 1, 0, 0x80000001400008e7, PTE_PRESENT, 0x140000000, W | U | Y | D | S,
	  .memory = "wb" },
	{ "x86_64", 1, 0, 0x80000001400018e7, PTE_PRESENT, 0x140000000, W | U | Y | D | S,
	  .memory = "wb" },
	{ "x86_64", 2, 0, 0x80000001400000e7, PTE_PRESENT, 0x140000000, W | U | Y | D,
	  .memory = "wb" },
	{ "x86_64", 1, 0, 0x1f66067, PTE_TABLE, 0x1f66000, W | U | X | Y },
	{ "x86_64", 4, 0, 0xe7, PTE_BAD, .note = "bit 7" },
	{ "x86_64", 0, 0, (uint64_t)3 << 59 | ~0x1234ULL << 14 >> 5 | 2,
	  PTE_SWAP, 0, S, .type = 3, .offset = 0x1234 },
	{ "x86_64", 0, 0, (uint64_t)31 << 59 | ~1ULL << 14 >> 5,
	  PTE_MARKER, 0, 0, .type = 31, .offset = 1 },
	/* As older kernels have them, which taken for today's would be beyond any device. */
	{ "x86_64", 0, KERNEL(4, 1), 0xfd20b000 | 5 << 1 | BIT64(7), PTE_SWAP, 0, S,
	  .type = 5, .offset = 0x7e9058 },
	{ "x86_64", 0, KERNEL(4, 8), 0x3f482ULL << 14 | 24 << 9 | BIT64(7), PTE_SWAP, 0, S,
	  .type = 24, .offset = 0x3f482 },
	{ "x86_64", 0, KERNEL(4, 18), 0x3f482ULL << 14 | 31 << 9 | 2, PTE_SWAP, 0, S,
	  .type = 31, .offset = 0x3f482 },
	{ "x86_64", 0, KERNEL(4, 18), 0x8000000001234160, PTE_PRESENT, 0x1234000, Y | D | N,
	  .memory = "wb" },
	/* Stable kernels have these of before and of after 4.19. */
	{ "x86_64", 0, KERNEL(4, 14), 0x7ffffffffdb9600, PTE_SWAP, 0, 0, .offset = 0x1234,
	  .note = "August 2018" },
	{ "x86_64", 0, KERNEL(4, 4), 0x7ffffffffdb9600, PTE_SWAP, 0, 0, .offset = 0x1234,
	  .note = "August 2018" },
	{ "x86_64", 0, KERNEL(4, 18), 0x800ffffffedcb160, PTE_PRESENT, 0x1234000, Y | D | N,
	  .memory = "wb", .note = "August 2018" },
	{ "i386-pae", 0, KERNEL(4, 1), (0x1234ULL << 5 | 3) << 32, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234 },
	{ "i386-pae", 0, KERNEL(4, 14), (uint64_t)3 << 59 | ~0x1234ULL << 14 >> 5, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234, .note = "August 2018" },
	{ "x86_64", 0, KERNEL(4, 19), 0xfd20b000, PTE_SWAP, 0, 0,
	  .offset = 0x3ffffff816fa7, .note = "so large" },
	{ "x86_64", 0, KERNEL(6, 1), 0x8400000006535025, PTE_PRESENT, 0x6535000,
	  U | Y | PTWALK_FLAG_DEVMAP, .memory = "wb" },
	{ "x86_64", 0, KERNEL(6, 12), 0x8400000006535025, PTE_PRESENT, 0x6535000,
	  U | Y | D | PTE_SAVED_DIRTY, .memory = "wb", .note = "devmap before" },
	{ "x86_64", 0, 0, 0x0010000006535025, PTE_PRESENT, 0x6535000, U | X | Y,
	  .memory = "wb", .note = "nothing uses" },
	{ "i386", 0, 0, 0x6535067, PTE_PRESENT, 0x6535000, W | U | X | Y | D, .memory = "wb" },
	{ "i386", 0, 0, 0x1234 << 9 | 3 << 1 | 0x80, PTE_SWAP, 0, PTWALK_FLAG_SWAP_EXCLUSIVE,
	  .type = 3, .offset = 0x1234 },
	{ "i386", 0, 0, 0x100000000, PTE_BAD, .note = "32 bits" },
	{ "i386-pae", 0, 0, 0x8000000006535067, PTE_PRESENT, 0x6535000, W | U | Y | D,
	  .memory = "wb" },
	{ "arm64", 0, 0, 0xe8000041c7df43, PTE_PRESENT, 0x41c7d000,
	  W | U | Y | D | PTE_PXN | PTE_SHARED, .memory = "normal" },
	{ "arm64", 0, 0, 0xe8000041c7d74f, PTE_PRESENT, 0x41c7d000, W | U | Y | D |
	  PTWALK_FLAG_GLOBAL | PTE_PXN | PTE_SHARED, .memory = "device-ngnrne" },
	{ "arm64", 1, 0, 0x60000040200f41, PTE_PRESENT, 0x40200000,
	  U | Y | PTE_PXN | PTE_SHARED, .memory = "normal" },
	{ "arm64", 1, 0, 0x41c7d003, PTE_TABLE, 0x41c7d000 },
	{ "arm64", 0, 0, 0x1234ULL << 12 | 3 << 6 | 4, PTE_SWAP, 0,
	  PTWALK_FLAG_SWAP_EXCLUSIVE, .type = 3, .offset = 0x1234, .note = "6.10" },
	{ "arm64", 0, KERNEL(6, 1), 0x1234ULL << 8 | 3 << 3, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234 },
	{ "arm64", 0, 0, 0xe8000041c7df42, PTE_PRESENT, 0x41c7d000,
	  W | U | Y | D | N | PTE_PXN | PTE_SHARED, .memory = "normal" },
	{ "arm", 0, 0, 0x4567855f & ~0x80, PTE_PRESENT, 0x45678000, W | U | X | Y | D | PTE_SHARED,
	  .memory = "normal" },
	{ "arm", 0, 0, 0x1234 << 8 | 3 << 2 | 0x80, PTE_SWAP, 0, PTWALK_FLAG_SWAP_EXCLUSIVE,
	  .type = 3, .offset = 0x1234 },
	{ "arm-lpae", 0, 0, 0xc000004567875f, PTE_PRESENT, 0x45678000, W | U | Y | D | PTE_SHARED,
	  .memory = "normal" },
	/* No page has bit 0 alone; a huge one without access has neither. */
	{ "arm-lpae", 0, 0, 0xc000004567875d, PTE_BAD, .note = "bits 0 and 1" },
	{ "arm-lpae", 1, 0, 0x2c000004560074c, PTE_PRESENT, 0x45600000,
	  W | U | Y | D | N | PTE_SHARED, .memory = "normal" },
	{ "arm-lpae", 1, 0, 0x1234ULL << 8 | 3 << 2, PTE_SWAP, 0, 0, .type = 3, .offset = 0x1234 },
	{ "riscv64", 0, 0, 0x1234ULL << 10 | 0xd7, PTE_PRESENT, 0x1234000, W | U | Y | D,
	  .memory = "pma" },
	{ "riscv64", 0, 0, BIT64(61) | 0x1234ULL << 10 | 0xd7, PTE_PRESENT, 0x1234000,
	  W | U | Y | D, .memory = "nc" },
	{ "riscv64", 0, 0, BIT64(63) | 0x1238ULL << 10 | 0xd7, PTE_PRESENT, 0x1230000,
	  W | U | Y | D | PTWALK_FLAG_CONT, .memory = "pma", .note = "16 entries" },
	{ "riscv64", 1, 0, 0x1234ULL << 10 | 1, PTE_TABLE, 0x1234000 },
	{ "riscv64", 0, 0, 0x1234ULL << 12 | 3 << 7 | 0x40, PTE_SWAP, 0,
	  PTWALK_FLAG_SWAP_EXCLUSIVE, .type = 3, .offset = 0x1234 },
	{ "riscv64", 0, KERNEL(6, 1), 0x1234ULL << 11 | 3 << 6, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234 },
	{ "s390x", 0, 0, 0x400, PTE_EMPTY },
	{ "s390x", 0, 0, 0x123413f, PTE_PRESENT, 0x1234000, W | U | Y | D | S, .memory = "wb" },
	{ "s390x", 0, 0, 0x1234ULL << 12 | 3 << 2 | 0x600, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234 },
	{ "s390x", 1, KERNEL(6, 12), 0x12303403, PTE_PRESENT, 0x12300000, W | U | X | Y | D,
	  .memory = "wb", .note = "6.15" },
	{ "s390x", 1, KERNEL(7, 2), 0x1230f403, PTE_PRESENT, 0x12300000,
	  W | U | X | Y | D | S, .memory = "wb", .note = "6.15" },
	{ "s390x", 1, 0, 0x20, PTE_EMPTY }, { "s390x", 2, 0, 0x24, PTE_EMPTY },
	{ "s390x", 1, 0, 0x12300820, PTE_BAD, .note = "not the empty entry" },
	{ "ppc64le", 0, 0, 0xc000000012340387, PTE_PRESENT, 0x12340000, W | U | X | Y | D | S,
	  .memory = "wb" },
	{ "ppc64le", 0, 0, BIT64(62) | 0x1234ULL << 16 | 3, PTE_SWAP, 0, 0,
	  .type = 3, .offset = 0x1234 },
};

static void entries(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pte_arch *arch = pte_arch_named(cases[i].arch);
		struct pte_request r = {
			.level = cases[i].level,
			.c_bit = cases[i].c_bit,
			.c_shares = cases[i].c_shares,
			.page_shift = arch->page_shift,
			.version = cases[i].version ? cases[i].version : KERNEL(99, 0),
		};
		struct pte pte;

		pte_decode(arch, cases[i].value, &r, &pte);
		if (pte.kind != cases[i].kind || pte.paddr != cases[i].paddr ||
		    pte.flags != cases[i].flags || pte.type != cases[i].type ||
		    pte.offset != cases[i].offset ||
		    !pte.memory_type != !cases[i].memory ||
		    (pte.memory_type && strcmp(pte.memory_type, cases[i].memory)) ||
		    (cases[i].note ? !strstr(pte.note, cases[i].note) : *pte.note))
			fail_msg("case %zu, %s %llx: kind %u paddr %llx flags %llx type %u offset %llx %s; %s",
				 i, cases[i].arch, (unsigned long long)cases[i].value, pte.kind,
				 (unsigned long long)pte.paddr, (unsigned long long)pte.flags,
				 pte.type, (unsigned long long)pte.offset,
				 pte.memory_type ? pte.memory_type : "-", pte.note);
	}
}

/* Any value gives something, at each level, and no name too many. */
static void any_value(void **state)
{
	uint64_t value = 1;

	for (unsigned int i = 0; i < 200000; i++) {
		const struct pte_arch *arch = &pte_archs[i % nr_pte_archs];
		struct pte_request r = {
			.level = i / nr_pte_archs % 5, .page_shift = arch->page_shift,
			.version = i & 1 ? KERNEL(6, 1) : KERNEL(99, 0),
		};
		struct pte pte;

		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		pte_decode(arch, arch->bits == 32 ? value >> 32 : value, &r, &pte);
		assert_true(pte.kind <= PTE_BAD);
		/* None is cut off. */
		assert_true(strlen(pte.note) < PTE_NOTE - 1);
		if (pte.kind == PTE_PRESENT)
			assert_int_equal(pte.paddr & (pte.bytes - 1) &
					 (BIT64(r.page_shift) - 1), 0);
	}
	assert_null(pte_arch_named("z80"));
	assert_ptr_equal(pte_arch_named("aarch64"), pte_arch_named("arm64"));
	assert_true(pte_is_likely(pte_arch_named("x86_64"), 0, 0x8000000006535867));
	assert_true(pte_is_likely(pte_arch_named("arm64"), 0, 0xe8000041c7df43));
	assert_true(pte_is_likely(pte_arch_named("arm64"), 1, 0xe0000040200f41));
	for (unsigned int i = 0; i < nr_pte_archs; i++)
		assert_false(pte_is_likely(&pte_archs[i], 0, 0xe0000040200f41));
	assert_false(pte_is_likely(pte_arch_named("x86_64"), 0, 0x81800000000fd6d6));
	assert_int_equal(pte_turned(pte_arch_named("arm"), 0x4567855f), 0x5f856745);
}

SUITE(suite_pte, cmocka_unit_test(entries), cmocka_unit_test(any_value));
