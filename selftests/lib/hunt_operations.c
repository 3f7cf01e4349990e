// SPDX-License-Identifier: GPL-2.0
/* The table of operations, and what the kernel has that isn't among them. */
#include <string.h>
#include <sys/mman.h>
#include "hunt.h"

#define MADVISE(word, number, often, state, covers)					\
	{ word, run_advise, .weight = often, .wants = state, .instead = "mmap",	\
	  .what = number, .kernel = covers, .source = "madvise(2)" }

const struct hunt_operation hunt_operations[] = {
	{ "mmap", run_mmap, 5, UNMAPPED, .instead = "munmap", .kernel = "mmap",
	  .source = "mmap(2)" },
	{ "munmap", run_munmap, 3, MAPPED, .instead = "mmap", .kernel = "munmap",
	  .source = "munmap(2)" },
	{ "write", run_write, 14, MAPPED, .instead = "mmap",
	  .kernel = "process_vm_writev read readv preadv", .source = "soft-dirty.rst" },
	{ "zeros", run_write, 4, MAPPED, .instead = "mmap", .what = 1, .source = "soft-dirty.rst" },
	{ "read", run_read, 7, MAPPED, .instead = "mmap", .kernel = "process_vm_readv write vmsplice",
	  .source = "mmap(2)" },
	{ "mprotect", run_mprotect, 12, MAPPED, .instead = "mmap", .kernel = "mprotect",
	  .source = "mprotect(2)" },
	{ "pkey_mprotect", run_pkey, 2, MAPPED, .instead = "mmap",
	  .kernel = "pkey_mprotect pkey_alloc pkey_free", .source = "pkeys(7)" },
	{ "mremap", run_mremap, 6, MAPPED, .instead = "mmap", .uniform = true, .kernel = "mremap",
	  .source = "mremap(2), mremap_userfaultfd_prep()" },
	{ "mremap_dontunmap", run_mremap, 4, MAPPED, .instead = "mmap", .uniform = true, .what = 1,
	  .source = "mremap(2): MREMAP_DONTUNMAP" },
	{ "mremap_shrink", run_shrink, 2, MAPPED, .instead = "mmap", .uniform = true,
	  .source = "mremap(2)" },
	{ "mremap_grow", run_grow, 2, MAPPED, .instead = "mmap", .source = "mremap(2)" },
	{ "mlock", run_mlock, 3, MAPPED, .instead = "mmap", .kernel = "mlock mlock2",
	  .source = "mlock(2), populate_vma_page_range()" },
	{ "munlock", run_munlock, 2, MAPPED, .instead = "mmap", .kernel = "munlock",
	  .source = "mlock(2)" },
	{ "mlockall", run_mlockall, 1, ANYWHERE, .kernel = "mlockall munlockall",
	  .source = "mlock(2)" },
	{ "fork", run_fork, 6, MAPPED, .instead = "mmap", .kernel = "clone clone3",
	  .source = "fork(2), vma_needs_copy(), dup_userfaultfd()" },
	{ "clear_refs", run_clear_refs, 8, ANYWHERE, .source = "soft-dirty.rst" },
	{ "register", run_register, 6, MAPPED, .instead = "mmap",
	  .kernel = "userfaultfd REGISTER API", .source = "ioctl_userfaultfd(2)" },
	{ "register_minor", run_register, 2, OF_FILE, .instead = "mmap", .what = MINOR,
	  .source = "ioctl_userfaultfd(2): UFFDIO_REGISTER_MODE_MINOR" },
	{ "unregister", run_unregister, 2, REGISTERED, .instead = "register", .kernel = "UNREGISTER",
	  .source = "ioctl_userfaultfd(2), userfaultfd_clear_vma()" },
	{ "uffd_close", run_close, 2, ANYWHERE, .source = "userfaultfd_release()" },
	{ "protect", run_protect, 7, REGISTERED, .instead = "register", .what = 1,
	  .kernel = "WRITEPROTECT", .source = "ioctl_userfaultfd(2)" },
	{ "unprotect", run_protect, 3, REGISTERED, .instead = "register",
	  .source = "ioctl_userfaultfd(2)" },
	{ "copy", run_copy, 4, EMPTY_REGISTERED, .instead = "register", .kernel = "COPY",
	  .source = "ioctl_userfaultfd(2)" },
	{ "zeropage", run_zeropage, 2, EMPTY_REGISTERED, .instead = "register", .kernel = "ZEROPAGE",
	  .source = "ioctl_userfaultfd(2)" },
	{ "continue", run_continue, 3, MINOR_REGISTERED, .instead = "register_minor",
	  .kernel = "CONTINUE", .source = "ioctl_userfaultfd(2): UFFDIO_CONTINUE" },
	{ "uffd_move", run_uffd_move, 5, WRITTEN, .instead = "write", .kernel = "MOVE",
	  .source = "ioctl_userfaultfd(2): UFFDIO_MOVE, move_present_pte()" },
	{ "poison", run_poison, 1, EMPTY_REGISTERED, .instead = "register", .kernel = "POISON",
	  .source = "ioctl_userfaultfd(2): UFFDIO_POISON" },
	{ "scan_protect", run_scan, 5, REGISTERED, .instead = "register",
	  .source = "pagemap.rst: PM_SCAN_WP_MATCHING" },
	{ "swapoff", run_swapoff, 2, ANYWHERE, .kernel = "swapoff swapon", .source = "swapon(2)" },
	{ "reclaim", run_reclaim, 3, ANYWHERE, .source = "madvise(2): MADV_PAGEOUT" },
	{ "move_pages", run_migrate, 4, MAPPED, .instead = "mmap",
	  .kernel = "move_pages", .source = "move_pages(2)" },
	{ "migrate_pages", run_migrate_all, 2, ANYWHERE, .kernel = "migrate_pages",
	  .source = "migrate_pages(2)" },
	{ "mbind", run_migrate, 2, MAPPED, .instead = "mmap", .what = 1,
	  .kernel = "mbind set_mempolicy set_mempolicy_home_node", .source = "mbind(2)" },
	{ "compact", run_compact, 1, ANYWHERE, .source = "Documentation/admin-guide/sysctl/vm.rst" },
	{ "split", run_split, 3, MAPPED, .instead = "mmap", .source = "split_huge_pages_pid()" },
	{ "ksm", run_ksm, 2, MERGEABLE, .instead = "mergeable", .source = "Documentation/admin-guide/mm/ksm.rst" },
	{ "merge_any", run_merge_any, 1, ANYWHERE, .kernel = "prctl",
	  .source = "PR_SET_MEMORY_MERGE(2const), ksm_add_vma()" },
	{ "punch", run_punch, 3, OF_FILE, .instead = "mmap", .uniform = true, .kernel = "fallocate",
	  .source = "fallocate(2)" },
	{ "truncate", run_truncate, 2, OF_FILE, .instead = "mmap", .uniform = true,
	  .kernel = "ftruncate truncate", .source = "ftruncate(2), truncate_pagecache()" },
	MADVISE("normal", MADV_NORMAL, 1, MAPPED, "MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL"),
	MADVISE("willneed", MADV_WILLNEED, 1, MAPPED, "MADV_WILLNEED"),
	MADVISE("dontneed", MADV_DONTNEED, 5, MAPPED, "MADV_DONTNEED"),
	MADVISE("dontneed_locked", 24, 1, MAPPED, "MADV_DONTNEED_LOCKED"),
	MADVISE("free", MADV_FREE, 4, WRITTEN, "MADV_FREE"),
	{ "remove", run_advise, 2, OF_FILE, .instead = "mmap", .uniform = true,
	  .what = MADV_REMOVE, .kernel = "MADV_REMOVE", .source = "madvise(2)" },
	MADVISE("dontfork", MADV_DONTFORK, 1, MAPPED, "MADV_DONTFORK"),
	MADVISE("dofork", MADV_DOFORK, 1, MAPPED, "MADV_DOFORK"),
	MADVISE("mergeable", MADV_MERGEABLE, 2, MAPPED, "MADV_MERGEABLE"),
	MADVISE("unmergeable", MADV_UNMERGEABLE, 2, MAPPED, "MADV_UNMERGEABLE"),
	MADVISE("hugepage", MADV_HUGEPAGE, 2, MAPPED, "MADV_HUGEPAGE"),
	MADVISE("nohugepage", MADV_NOHUGEPAGE, 2, MAPPED, "MADV_NOHUGEPAGE"),
	MADVISE("dontdump", MADV_DONTDUMP, 1, MAPPED, "MADV_DONTDUMP"),
	MADVISE("dodump", MADV_DODUMP, 1, MAPPED, "MADV_DODUMP"),
	MADVISE("wipeonfork", MADV_WIPEONFORK, 1, MAPPED, "MADV_WIPEONFORK"),
	MADVISE("keeponfork", MADV_KEEPONFORK, 1, MAPPED, "MADV_KEEPONFORK"),
	MADVISE("cold", 20, 2, MAPPED, "MADV_COLD"),
	MADVISE("pageout", 21, 8, MAPPED, "MADV_PAGEOUT process_madvise"),
	MADVISE("populate_read", 22, 2, MAPPED, "MADV_POPULATE_READ"),
	MADVISE("populate_write", 23, 2, MAPPED, "MADV_POPULATE_WRITE"),
	MADVISE("collapse", 25, 4, MAPPED, "MADV_COLLAPSE"),
	MADVISE("guard", 102, 2, MAPPED, "MADV_GUARD_INSTALL"),
	MADVISE("unguard", 103, 2, GUARDED, "MADV_GUARD_REMOVE"),
};

const int nr_hunt_operations = sizeof(hunt_operations) / sizeof(hunt_operations[0]);
_Static_assert(sizeof(hunt_operations) / sizeof(hunt_operations[0]) <= HUNT_OPERATIONS,
	       "the coverage has room for all");

int hunt_operation_named(const char *name)
{
	for (int i = 0; i < nr_hunt_operations; i++)
		if (!strcmp(hunt_operations[i].name, name))
			return i;
	return -1;
}
