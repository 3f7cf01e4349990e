// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink-gen.h"

#include <uapi/linux/ptwalk.h>

/* PTWALK_CMD_TRANSLATE - do */
static const struct nla_policy ptwalk_translate_nl_policy[PTWALK_A_TRANSLATE_WANT_PAGES + 1] = {
	[PTWALK_A_TRANSLATE_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[PTWALK_A_TRANSLATE_ADDRESSES] = NLA_POLICY_MAX_LEN(1024),
	[PTWALK_A_TRANSLATE_WANT_PAGES] = { .type = NLA_FLAG, },
};

/* PTWALK_CMD_WALK - dump */
static const struct nla_policy ptwalk_walk_nl_policy[PTWALK_A_WALK_ENTRIES_ONLY + 1] = {
	[PTWALK_A_WALK_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[PTWALK_A_WALK_START] = { .type = NLA_UINT, },
	[PTWALK_A_WALK_LAST] = { .type = NLA_UINT, },
	[PTWALK_A_WALK_WANT_PAGES] = { .type = NLA_FLAG, },
	[PTWALK_A_WALK_OUTSIDE] = { .type = NLA_FLAG, },
	[PTWALK_A_WALK_FIRST_FRAME] = { .type = NLA_UINT, },
	[PTWALK_A_WALK_LAST_FRAME] = { .type = NLA_UINT, },
	[PTWALK_A_WALK_WANT_MIXED] = { .type = NLA_FLAG, },
	[PTWALK_A_WALK_ENTRIES_ONLY] = { .type = NLA_FLAG, },
};

/* Ops table for ptwalk */
static const struct genl_split_ops ptwalk_nl_ops[] = {
	{
		.cmd	= PTWALK_CMD_INFO,
		.doit	= ptwalk_nl_info_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PTWALK_CMD_TRANSLATE,
		.doit		= ptwalk_nl_translate_doit,
		.policy		= ptwalk_translate_nl_policy,
		.maxattr	= PTWALK_A_TRANSLATE_WANT_PAGES,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PTWALK_CMD_WALK,
		.start		= ptwalk_nl_walk_start,
		.dumpit		= ptwalk_nl_walk_dumpit,
		.done		= ptwalk_nl_walk_done,
		.policy		= ptwalk_walk_nl_policy,
		.maxattr	= PTWALK_A_WALK_ENTRIES_ONLY,
		.flags		= GENL_CMD_CAP_DUMP,
	},
};

struct genl_family ptwalk_nl_family __ro_after_init = {
	.name		= PTWALK_FAMILY_NAME,
	.version	= PTWALK_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= ptwalk_nl_ops,
	.n_split_ops	= ARRAY_SIZE(ptwalk_nl_ops),
};
