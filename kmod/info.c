// SPDX-License-Identifier: GPL-2.0
/* The info operation: page-table geometry and features of this kernel. */
#include <linux/hugetlb.h>
#include <linux/pgtable.h>
#include <linux/pkeys.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include "arch/arch.h"
#include "compat/page.h"
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

static int ptwalk_info_put_level(struct sk_buff *skb, enum ptwalk_level level,
				 u32 shift, u32 entries, u32 size)
{
	struct nlattr *nest = nla_nest_start(skb, PTWALK_A_INFO_LEVEL);

	if (!nest ||
	    nla_put_uint(skb, PTWALK_A_LEVEL_INFO_LEVEL, level) ||
	    nla_put_uint(skb, PTWALK_A_LEVEL_INFO_SHIFT, shift) ||
	    nla_put_uint(skb, PTWALK_A_LEVEL_INFO_ENTRIES, entries) ||
	    nla_put_uint(skb, PTWALK_A_LEVEL_INFO_ENTRY_SIZE, size))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * Puts the levels of the caller's page tables. All processes have the same,
 * except on s390.
 */
static int ptwalk_info_put_levels(struct sk_buff *skb)
{
	const struct {
		u32 shift, entries, size;
	} below[] = {
		[PTWALK_LEVEL_PTE] = { PAGE_SHIFT, PTRS_PER_PTE, sizeof(pte_t) },
		[PTWALK_LEVEL_PMD] = { PMD_SHIFT, PTRS_PER_PMD, sizeof(pmd_t) },
		[PTWALK_LEVEL_PUD] = { PUD_SHIFT, PTRS_PER_PUD, sizeof(pud_t) },
		[PTWALK_LEVEL_P4D] = { P4D_SHIFT, PTRS_PER_P4D, sizeof(p4d_t) },
	};
	u32 levels = ptwalk_mm_levels(current->mm);
	u32 top = PGDIR_SHIFT, entries = PTRS_PER_PGD;
	enum ptwalk_level i;

	for (i = PTWALK_LEVEL_PTE; i < PTWALK_LEVEL_PGD; i++)
		if (levels & BIT(i) &&
		    ptwalk_info_put_level(skb, i, below[i].shift, below[i].entries,
					  below[i].size))
			return -EMSGSIZE;
	/* With folded levels, a top-level entry covers what theirs would. */
	if (!(levels & BIT(PTWALK_LEVEL_P4D))) {
		top = P4D_SHIFT;
		entries = max_t(u32, entries, PTRS_PER_P4D);
		if (!(levels & BIT(PTWALK_LEVEL_PUD)) && levels & BIT(PTWALK_LEVEL_PMD)) {
			top = PUD_SHIFT;
			entries = max_t(u32, entries, PTRS_PER_PUD);
		}
	}
	return ptwalk_info_put_level(skb, PTWALK_LEVEL_PGD, top, entries, sizeof(pgd_t));
}

static int ptwalk_info_put_swap_types(struct sk_buff *skb)
{
	unsigned int type;

	for (type = 0; type < 1 << MAX_SWAPFILES_SHIFT; type++) {
		enum ptwalk_kind kind = ptwalk_swap_type_kind(type);
		struct nlattr *nest;

		if (kind == PTWALK_KIND_SWAP || kind == PTWALK_KIND_UNKNOWN)
			continue;
		nest = nla_nest_start(skb, PTWALK_A_INFO_SWAP_TYPE);
		if (!nest ||
		    nla_put_uint(skb, PTWALK_A_SWAP_TYPE_KIND, kind) ||
		    nla_put_uint(skb, PTWALK_A_SWAP_TYPE_TYPE, type))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static u32 ptwalk_info_features(void)
{
	return (ptwalk_has_soft_dirty() ? PTWALK_FEATURE_SOFT_DIRTY : 0) |
	       (ptwalk_has_uffd_wp() ? PTWALK_FEATURE_UFFD_WP : 0) |
	       (IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) ?
		PTWALK_FEATURE_PTE_SPECIAL : 0) |
	       (PTWALK_PAGE_MAPCOUNT ? PTWALK_FEATURE_PAGE_MAPCOUNT : 0) |
	       (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? PTWALK_FEATURE_THP : 0) |
	       (IS_ENABLED(CONFIG_HUGETLB_PAGE) ? PTWALK_FEATURE_HUGETLB : 0) |
	       (IS_ENABLED(CONFIG_MM_ID) ? PTWALK_FEATURE_MM_ID : 0) |
	       (arch_pkeys_enabled() ? PTWALK_FEATURE_PKEYS : 0) |
	       PTWALK_FEATURE_WALK_PAGES | PTWALK_FEATURE_WALK_OUTSIDE |
	       PTWALK_FEATURE_WALK_FRAMES | PTWALK_FEATURE_WALK_MIXED |
	       PTWALK_FEATURE_WALK_ENTRIES;
}

static int ptwalk_info_put(struct sk_buff *skb)
{
	if (nla_put_uint(skb, PTWALK_A_INFO_PAGE_SHIFT, PAGE_SHIFT) ||
	    ptwalk_info_put_levels(skb) ||
	    nla_put_uint(skb, PTWALK_A_INFO_FLAGS, ptwalk_entry_flags_known()) ||
	    nla_put_uint(skb, PTWALK_A_INFO_KINDS, ptwalk_entry_kinds_known()) ||
	    nla_put_uint(skb, PTWALK_A_INFO_VMA_FLAGS, ptwalk_vma_flags_known()) ||
	    nla_put_uint(skb, PTWALK_A_INFO_FEATURES, ptwalk_info_features()) ||
	    nla_put_uint(skb, PTWALK_A_INFO_SWAP_TYPE_BITS, MAX_SWAPFILES_SHIFT) ||
	    ptwalk_info_put_swap_types(skb) ||
	    nla_put(skb, PTWALK_A_INFO_MEMORY_TYPES, ptwalk_nr_memtypes, ptwalk_memtypes) ||
	    nla_put_uint(skb, PTWALK_A_INFO_ZERO_PFN, page_to_pfn(ZERO_PAGE(0))) ||
	    nla_put_uint(skb, PTWALK_A_INFO_PHYS_BITS, PTWALK_PHYS_BITS))
		return -EMSGSIZE;
	return 0;
}

/* Answers PTWALK_CMD_INFO, under cb_lock. Takes no other lock. */
int ptwalk_nl_info_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *header;
	int err;

	err = ptwalk_may_ask(skb, info->extack);
	if (err)
		return err;
	/* Up to Linux 6.1, generic netlink ignores the attributes of an op without a policy. */
	if (nlmsg_attrlen(nlmsg_hdr(skb), GENL_HDRLEN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, nlmsg_attrdata(nlmsg_hdr(skb), GENL_HDRLEN),
				    "info takes no attributes");
		return -EINVAL;
	}

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &ptwalk_nl_family, 0, PTWALK_CMD_INFO);
	if (!header || ptwalk_info_put(reply)) {
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}
