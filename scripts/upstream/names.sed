# SPDX-License-Identifier: GPL-2.0
#
# What kmod/compat calls otherwise, by the names that the kernel of the series
# has. What is no mere name is in native.patch.

s,^#include "(\.\./)*uapi/(linux/[^"]*)",#include <\2>,
s,^#include "compat/(mm|page)\.h",#include <linux/mm.h>,
s,^#include "compat/cgroup\.h",#include <linux/memcontrol.h>,
s,^#include "compat/file\.h",#include <linux/fs.h>,
s,^#include "compat/module\.h",#include <linux/module.h>,
s,^#include "compat/genetlink\.h",#include <net/genetlink.h>,
s,^#include "compat/pgtable\.h",#include <linux/pgtable.h>,
s,^#include "compat/softleaf\.h",#include <linux/leafops.h>,
s,^#include "\.\./compat/fault\.h",#include <linux/mm.h>,

s/\bptwalk_pmdp_get\(/pmdp_get_lockless(/g
# As follow_pfnmap_start() has it: arm with two levels can't copy a pgd_t.
s/\bpgdp_get\(pgdp\)/*pgdp/g
s/\bptwalk_(p4d|pud)_offset\(/\1_offset(/g
s/\bptwalk_pmd_offset\(pudp, pud, /pmd_offset(pudp, /
s/\bptwalk_has_soft_dirty\(/pgtable_supports_soft_dirty(/g
s/\bptwalk_has_uffd_wp\(/pgtable_supports_uffd(/g
s/\bptwalk_uffd_rwp\(/userfaultfd_pte_rwp(/g
s/\bpte(_swp)?_uffd_wp\(/pte\1_uffd(/g
s/\bptwalk_folio_mapcount\(/folio_mapcount(/g
s/\bptwalk_folio_maybe_shared\(folio, page\)/folio_maybe_mapped_shared(folio)/
s/!PTWALK_PAGE_MAPCOUNT\b/IS_ENABLED(CONFIG_NO_PAGE_MAPCOUNT)/g
s/\(PTWALK_PAGE_MAPCOUNT \? (\w+) : 0\)/(IS_ENABLED(CONFIG_NO_PAGE_MAPCOUNT) ? 0 : \1)/
s/\bPTWALK_PAGE_MAPCOUNT\b/!IS_ENABLED(CONFIG_NO_PAGE_MAPCOUNT)/g
s/\bPTWALK_HUGETLB_PMD_SHARING\b/IS_ENABLED(CONFIG_HUGETLB_PMD_PAGE_TABLE_SHARING)/g
s/\bptwalk_flags_word\(&(\w+\.page)\)/\1.flags.f/g
s/\bptwalk_flags_word\((\w+)\)/READ_ONCE(\1->flags.f)/g
s/\bptwalk_tail_word\((\w+)\)/data_race(\1->compound_info)/g
s/\bptwalk_tail_word\(\)/->compound_info/g
s/\bptwalk_peek\(/data_race(/g
s/\bptwalk_mm_flag\(/mm_flags_test(/g
s/\bptwalk_vma_is_(heap|stack)\(/vma_is_initial_\1(/g
s/\bptwalk_page_cgroup_ino\(/page_cgroup_ino(/g
s/\bptwalk_maps_inode\(/file_user_inode(/g
s/\bptwalk_dump_attrs\(cb\)/genl_info_dump(cb)->attrs/g
s/\bptwalk_pfn\((\w+)\)/\1/g
s/\bptwalk_vm_flags_set\(/vm_flags_set(/g
s/\bkzalloc\(sizeof\(\*(\w+)\), GFP_KERNEL\)/kzalloc_obj(*\1)/

# A folio has a map count of its own.
/CHARGE_COUNT\t/d
/struct folio \*counted = reader->large\.folio;/{N;d}
/if \(reader->large\.folio != counted\)/{N;N;d}
