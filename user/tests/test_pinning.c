// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "report/pinning.h"
#include "tests.h"

#define R	PTWALK_VMA_FLAG_READ
#define W	PTWALK_VMA_FLAG_WRITE

/* What of the VMA or of the entry decides, and what is said of it. */
static void decided(void **state)
{
	static const struct {
		uint64_t vma;
		unsigned int kind;
		uint32_t flags;
		uint64_t value;
		bool read, write;
		const char *says;
	} cases[] = {
		{ R | W, PTWALK_KIND_PRESENT, PTWALK_FLAG_WRITE, 1, true, true, "ZONE_MOVABLE" },
		{ R | W, PTWALK_KIND_PRESENT, 0, 1, true, true, "copy on write" },
		{ R | W, PTWALK_KIND_PRESENT, PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL, 1,
		  true, true, "zero page" },
		{ R, PTWALK_KIND_PRESENT, 0, 1, true, false, "VM_WRITE" },
		{ W, PTWALK_KIND_PRESENT, PTWALK_FLAG_WRITE, 1, false, true, "VM_READ" },
		{ 0, PTWALK_KIND_PRESENT, PTWALK_FLAG_PROT_NONE, 1, false, false, "PROT_NONE" },
		{ R | W | PTWALK_VMA_FLAG_PFNMAP, PTWALK_KIND_PRESENT, PTWALK_FLAG_WRITE, 1,
		  false, false, "dma-buf" },
		{ R | W | PTWALK_VMA_FLAG_IO, PTWALK_KIND_NONE, 0, 0, false, false, "VM_IO" },
		{ R | W | PTWALK_VMA_FLAG_MIXEDMAP, PTWALK_KIND_PRESENT,
		  PTWALK_FLAG_SPECIAL | PTWALK_FLAG_WRITE, 1, false, false, "special" },
		{ R | W, PTWALK_KIND_PRESENT,
		  PTWALK_FLAG_SPECIAL | PTWALK_FLAG_DEVMAP | PTWALK_FLAG_WRITE, 1,
		  true, true, "ZONE_MOVABLE" },
		{ R | W | PTWALK_VMA_FLAG_SHADOW_STACK, PTWALK_KIND_PRESENT, 0, 1,
		  true, false, "VM_WRITE" },
		{ R | W, PTWALK_KIND_SWAP, 0, 9, true, true, "brought by a fault" },
		{ R | W, PTWALK_KIND_HWPOISON, 0, 9, false, false, "EFAULT: the page has failed" },
		{ R | W, PTWALK_KIND_MARKER, 0, PTWALK_MARKER_POISONED, false, false,
		  "EHWPOISON with FOLL_HWPOISON" },
		{ R | W, PTWALK_KIND_MARKER, 0, PTWALK_MARKER_GUARD, false, false, "guard" },
		{ R | W, PTWALK_KIND_MARKER, 0, PTWALK_MARKER_UFFD_WP, true, true, "fault" },
		{ R | W, PTWALK_KIND_PRESENT, PTWALK_FLAG_STALE, 1, false, false, "removed" },
		{ R | W | PTWALK_VMA_FLAG_HUGETLB, PTWALK_KIND_PRESENT,
		  PTWALK_FLAG_WRITE | PTWALK_FLAG_HUGETLB, 1, true, true, "hugetlb" },
	};
	const struct ptwalk_kernel info = { .machine = "x86_64", .page_shift = 12 };
	const struct ptwalk_kernel arm = { .machine = "armv7l", .page_shift = 12 };
	const struct ptwalk_page shmem = { .flags = PTWALK_PAGE_FLAG_SHMEM };
	struct ptwalk_vma vma = { 0 };
	struct pinning p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vma.flags = cases[i].vma;
		/* A driver's file, or none. */
		vma.inode = vma.flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO) ? 5 : 0;
		p = pinning_of(&info, ptwalk_bits(cases[i].kind, 0, 0, cases[i].flags),
			       cases[i].value, NULL, &vma, false);
		if (p.read != cases[i].read || p.write != cases[i].write ||
		    !strstr(p.why, cases[i].says))
			fail_msg("case %zu: read %d write %d: %s", i, p.read, p.write, p.why);
		/* In words each is told for itself. */
		assert_int_equal(!!strstr(pinning_text(&p), "reading"), p.read);
		assert_int_equal(!!strstr(pinning_text(&p), "writing"), p.write);
	}
	/* Behind the end of a file nothing is brought, which is not asked of what is there. */
	for (int behind = 0; behind < 2; behind++) {
		static const struct {
			unsigned int kind;
			uint64_t value;
			bool absent;
		} at[] = {
			{ PTWALK_KIND_NONE, 0, true },
			{ PTWALK_KIND_MARKER, PTWALK_MARKER_UFFD_WP, true },
			{ PTWALK_KIND_PRESENT, 1, false },
			{ PTWALK_KIND_MIGRATION, 1, false },
		};

		vma = (struct ptwalk_vma){ .flags = R | W, .inode = 5 };
		for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			p = pinning_of(&info, ptwalk_bits(at[i].kind, 0, 0, PTWALK_FLAG_RAM),
				       at[i].value, NULL, &vma, behind);
			assert_int_equal(!p.read, behind && at[i].absent);
			assert_int_equal(!!strstr(p.why, "EFAULT: behind the end"), !p.read);
		}
	}
	vma.flags = W;
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0), 0, NULL, &vma, false);
	assert_string_equal(pinning_text(&p), "for writing only");
	/* No driver can be told what to do about the kernel's own, such as [vvar]. */
	vma.flags = R | PTWALK_VMA_FLAG_PFNMAP;
	for (vma.inode = 0; vma.inode < 2; vma.inode++) {
		p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, 0), 1,
		       NULL, &vma, false);
		assert_int_equal(!!strstr(p.why, "vm_insert_page()"), vma.inode);
		assert_string_equal(pinning_text(&p), "no");
	}
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0), 0, NULL, NULL, false);
	assert_string_equal(pinning_text(&p), "no");
	vma.flags = R | W;
	snprintf(vma.ops, sizeof(vma.ops), "secretmem_vm_ops");
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1,
		       NULL, &vma, false);
	assert_non_null(strstr(p.why, "memfd_secret"));
	vma.ops[0] = '\0';
	vma.flags |= PTWALK_VMA_FLAG_SHARED;
	vma.inode = 5;
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1,
		       NULL, &vma, false);
	assert_non_null(strstr(p.why, "short-term pins only"));
	assert_string_equal(pinning_text(&p), "for reading and writing");
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, 0), 1, NULL, &vma, false);
	assert_non_null(strstr(p.why, "page_mkwrite() first: EFAULT if it refuses"));
	assert_non_null(strstr(p.why, "short-term pins only"));
	/* A page that a driver's fault handler has returned, without a page_mkwrite(). */
	vma.page_prot = 0x8000000000000027;
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1, NULL,
		       &vma, false);
	assert_null(strstr(p.why, "not FOLL_LONGTERM"));
	p = pinning_of(&arm, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1, NULL,
		       &vma, false);
	assert_non_null(strstr(p.why, "not FOLL_LONGTERM"));
	vma.page_prot = 0x8000000000000025;
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1, NULL,
		       &vma, false);
	assert_non_null(strstr(p.why, "not FOLL_LONGTERM"));
	/* A page of shmem is taken without a look at the VMA, if its entry allows it. */
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, 0), 1, &shmem, &vma, false);
	assert_non_null(strstr(p.why, "not FOLL_LONGTERM"));
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1, &shmem,
		       &vma, false);
	assert_null(strstr(p.why, "not FOLL_LONGTERM"));
	assert_non_null(strstr(p.why, "gup_fast_folio_allowed()"));
	/* Nor does a hole of a file of DAX get a page that is not the file's. */
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_ZERO), 1,
		       NULL, &vma, false);
	assert_non_null(strstr(p.why, "short-term pins only"));
	/* Nor is a private mapping of one, before the page is copied. */
	vma.flags &= ~PTWALK_VMA_FLAG_SHARED;
	for (int i = 0; i < 4; i++) {
		snprintf(vma.ops, sizeof(vma.ops), i == 1 ? "ext4_dax_vm_ops [ext4]" : "");
		p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_PAGE |
					   (i == 2 ? PTWALK_FLAG_ZERO : 0) |
					   (i ? PTWALK_FLAG_RAM : 0)), 1, NULL, &vma, false);
		assert_int_equal(!strstr(p.why, "not FOLL_LONGTERM"), i == 3);
	}
	/* That the zero page is there doesn't make one of /dev/zero, or of shmem. */
	for (int i = 0; i < 2; i++) {
		const uint64_t flag = i ? PTWALK_VMA_FLAG_SHMEM : PTWALK_VMA_FLAG_ANONYMOUS;

		vma.flags |= flag;
		p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
					   PTWALK_FLAG_ZERO | PTWALK_FLAG_RAM), 1,
			       NULL, &vma, false);
		assert_non_null(strstr(p.why, "gup_must_unshare()"));
		vma.flags &= ~flag;
	}
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
				   PTWALK_FLAG_WRITE | PTWALK_FLAG_ANON | PTWALK_FLAG_RAM), 1,
		       NULL, &vma, false);
	assert_null(strstr(p.why, "not FOLL_LONGTERM"));
	vma.flags |= PTWALK_VMA_FLAG_SHARED;
	/* What vm_insert_page() has put into a mapping of a device is no page of a file. */
	vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
	p = pinning_of(&info, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE), 1,
		       NULL, &vma, false);
	assert_non_null(strstr(p.why, "ZONE_MOVABLE"));
	assert_string_equal(pinning_text(&p), "for reading and writing");
}

SUITE(suite_pinning, cmocka_unit_test(decided));
