// SPDX-License-Identifier: GPL-2.0
/* Reasons for slack, and known bugs of the kernel. */
#include <stddef.h>
#include "sums/job.h"

const struct slack slacks[] = {
	[SPLIT_RSS] = {
		"split-rss",
		"each thread keeps the counts of its last page faults to itself",
		"check_sync_rss_stat(), mm/memory.c",
		"before 6.2",
	},
	[PERCPU_BATCH] = {
		"percpu-batch",
		"the sum leaves out what each processor has not handed over",
		"get_mm_counter(), include/linux/mm.h",
		"since 6.2, before 6.16; older ones may have what ended it",
	},
	[SHMEM_SWAP] = {
		"shmem-swap",
		"swapped pages of shmem leave no trace in the page tables, and smaps adds those of the object",
		"smap_gather_stats(), fs/proc/task_mmu.c",
	},
	[NOT_TOLD] = {
		"not-told",
		"the kernel has no map counts of the pages of a large folio, so that only bounds are known",
		"smaps_page_accumulate(), fs/proc/task_mmu.c",
	},
	[ABSENT_PAGES] = {
		"absent-pages",
		"of a migrating, poisoned or device page the kernel cannot tell who else maps it, and versions guess differently",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[YOUNG_PAGES] = {
		"young-pages",
		"pages that idle tracking found accessed count, too",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[SWAP_COUNT] = {
		"swap-count",
		"how many processes share a swap entry is not in the page tables",
		"swp_swapcount(), mm/swapfile.c",
	},
	[HUGETLB_PMD_SHARE] = {
		"hugetlb-pmd-share",
		"pages in a shared PMD table are counted only for the process that faulted them in",
		"huge_pmd_share(), mm/hugetlb.c",
	},
	[LOCKED_VM] = {
		"locked-vm",
		"drivers such as VFIO charge pages that they pin to the same counter",
		"account_locked_vm(), mm/util.c",
	},
	[PEAK] = {
		"peak",
		"the highest figure so far",
		"task_mem(), fs/proc/task_mmu.c",
	},
	[CODE] = {
		"code",
		"where the executable's code begins and ends is not in the page tables, and was not told",
		"task_mem(), fs/proc/task_mmu.c",
	},
	[AS_IT_STANDS] = {
		"as-it-stands",
		"the counters are read without what each thread or processor has not handed over, also where status adds that up",
		"get_mm_rss(), include/linux/mm.h",
	},
	[SILENT_FLAGS] = {
		"silent-flags",
		"VM_MTE_ALLOWED is a flag that has no letters",
		"show_smap_vma_flags(), fs/proc/task_mmu.c",
	},
	[PREALLOCATED] = {
		"preallocated-pmds",
		"with PAE a process has its PMD tables from the start, the empty ones, too",
		"preallocate_pmds(), arch/x86/mm/pgtable.c",
	},
	[OWN_LEVELS] = {
		"own-levels",
		"the process has more levels of tables than ptwalk's own, and those are not counted",
		"crst_table_upgrade(), arch/s390/mm/pgalloc.c",
	},
	{ NULL },
};

const struct slack kernel_bugs[] = {
	[HUGETLB_UNSHARED] = {
		"hugetlb-unshared",
		"when a shared table of huge pages is given up, the pages in it that were counted stay so for ever",
		"__unmap_hugepage_range(), mm/hugetlb.c",
	},
	[PSS_OVERFLOW] = {
		"pss-overflow",
		"the share of a huge page that is mapped once does not fit into 32 bits, and nothing is left of it",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[SHMEM_SWAP_ORDER] = {
		"shmem-swap-order",
		"each empty entry over a large folio of shmem that is in swap counts as all of that folio",
		"shmem_partial_swap_usage(), mm/shmem.c",
		"since 6.12",
	},
	[SHMEM_READONLY_SWAP] = {
		"shmem-readonly-swap",
		"of a private mapping of shmem that may not be written to any more, what the file has in swap below private copies counts, too",
		"smap_gather_stats(), fs/proc/task_mmu.c",
	},
	[HUGETLB_SHARE_COUNT] = {
		"hugetlb-share-count-bug",
		"of huge pages that stand in another table than the PMD's, a share count is read that is not there, and calls at random all of one table shared, or none",
		"smaps_hugetlb_range(), fs/proc/task_mmu.c",
		"since 6.12",
	},
	[THP_PROT_NONE] = {
		"thp-prot-none-bug",
		"a huge entry that allows nothing, of PROT_NONE memory or as a NUMA hint, is passed over",
		"smaps_pmd_entry(), fs/proc/task_mmu.c",
		"since 6.1, not in 6.12",
	},
	[THP_ELIGIBLE_LOW] = {
		"thp-eligible-low",
		"a mapping that ends below the size of a huge page is taken for one with room for it",
		"__thp_vma_allowable_orders(), mm/huge_memory.c",
	},
	[NUMA_BALANCING_POLICY] = {
		"numa-balancing-policy-bug",
		"a policy with NUMA balancing is shown as the default, which has no nodes",
		"mpol_to_str(), mm/mempolicy.c",
		"before 6.11; older ones may have what ended it",
	},
	{ NULL },
};
