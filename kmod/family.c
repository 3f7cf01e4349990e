// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family: its operations, policies, and who may ask. */
#include <linux/capability.h>
#include <linux/module.h>
#include "request.h"
#include "uapi/linux/ptwalk_record.h"

static const struct nla_policy info_policy[] = {
	/* Takes no attributes; without a policy they would go unnoticed. */
	[PTWALK_A_INFO_PAD] = { .type = NLA_REJECT },
};

static const struct nla_policy translate_policy[] = {
	[PTWALK_A_TRANSLATE_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[PTWALK_A_TRANSLATE_ADDRESSES] = {
		.type = NLA_BINARY,
		.len = PTWALK_MAX_ADDRESSES * sizeof(u64),
	},
	[PTWALK_A_TRANSLATE_WANT_PAGES] = { .type = NLA_FLAG },
};

static const struct nla_policy walk_policy[] = {
	[PTWALK_A_DUMP_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[PTWALK_A_DUMP_START] = { .type = NLA_U64 },
	[PTWALK_A_DUMP_LAST] = { .type = NLA_U64 },
};

static const struct nla_policy device_policy[] = {
	[PTWALK_A_DEVICE_NAME] = {
		.type = NLA_NUL_STRING,
		.len = PTWALK_MAX_DEVICE_NAME,
	},
	[PTWALK_A_DEVICE_ADDRESSES] = {
		.type = NLA_BINARY,
		.len = PTWALK_MAX_ADDRESSES * sizeof(u64),
	},
};

static const struct nla_policy iova_policy[] = {
	[PTWALK_A_IOVA_NAME] = {
		.type = NLA_NUL_STRING,
		.len = PTWALK_MAX_DEVICE_NAME,
	},
	[PTWALK_A_IOVA_START] = { .type = NLA_U64 },
	[PTWALK_A_IOVA_LAST] = { .type = NLA_U64 },
};

static const struct genl_ops ptwalk_ops[] = {
	{
		.cmd		= PTWALK_CMD_INFO,
		.policy		= info_policy,
		.maxattr	= ARRAY_SIZE(info_policy) - 1,
		.doit		= ptwalk_info_doit,
	},
	{
		.cmd		= PTWALK_CMD_TRANSLATE,
		.policy		= translate_policy,
		.maxattr	= ARRAY_SIZE(translate_policy) - 1,
		.doit		= ptwalk_translate_doit,
	},
	{
		.cmd		= PTWALK_CMD_WALK,
		.policy		= walk_policy,
		.maxattr	= ARRAY_SIZE(walk_policy) - 1,
		.start		= ptwalk_dump_start,
		.dumpit		= ptwalk_dump_dumpit,
		.done		= ptwalk_dump_done,
	},
	{
		.cmd		= PTWALK_CMD_DEVICE,
		.policy		= device_policy,
		.maxattr	= ARRAY_SIZE(device_policy) - 1,
		.doit		= ptwalk_device_doit,
	},
	{
		.cmd		= PTWALK_CMD_IOVA,
		.policy		= iova_policy,
		.maxattr	= ARRAY_SIZE(iova_policy) - 1,
		.start		= ptwalk_iova_start,
		.dumpit		= ptwalk_iova_dumpit,
		.done		= ptwalk_iova_done,
	},
};

/*
 * Operations run side by side: they share nothing but what is set once at
 * start-up. All network namespaces may ask, so that a caller in a container
 * is refused for what it lacks and not told that there is no such family.
 */
struct genl_family ptwalk_family __ro_after_init = {
	.name		= PTWALK_FAMILY_NAME,
	.version	= PTWALK_FAMILY_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	.parallel_ops	= true,
	.ops		= ptwalk_ops,
	.n_ops		= ARRAY_SIZE(ptwalk_ops),
};

/**
 * ptwalk_may_ask() - whether the sender of a request may have answers
 * @skb: The request.
 * @extack: Receives the reason of a refusal.
 *
 * Physical addresses are for CAP_SYS_ADMIN in the initial user namespace only,
 * as in /proc/PID/pagemap. netlink_capable() asks it of the opener of the
 * socket as well as of the sender; GENL_ADMIN_PERM would ask for
 * CAP_NET_ADMIN.
 *
 * Return: 0 or -EPERM.
 */
int ptwalk_may_ask(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "CAP_SYS_ADMIN in the initial user namespace is needed");
	return -EPERM;
}
