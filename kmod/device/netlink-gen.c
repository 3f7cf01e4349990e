// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk_device.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink-gen.h"

#include <uapi/linux/ptwalk_device.h>

/* PTWALK_CMD_DEVICE - do */
static const struct nla_policy ptwalk_device_device_nl_policy[PTWALK_A_DEVICE_ADDRESSES + 1] = {
	[PTWALK_A_DEVICE_NAME] = { .type = NLA_NUL_STRING, .len = 127, },
	[PTWALK_A_DEVICE_ADDRESSES] = NLA_POLICY_MAX_LEN(1024),
};

/* PTWALK_CMD_IOVA - dump */
static const struct nla_policy ptwalk_device_iova_nl_policy[PTWALK_A_IOVA_LAST + 1] = {
	[PTWALK_A_IOVA_NAME] = { .type = NLA_NUL_STRING, .len = 127, },
	[PTWALK_A_IOVA_START] = { .type = NLA_UINT, },
	[PTWALK_A_IOVA_LAST] = { .type = NLA_UINT, },
};

/* PTWALK_CMD_FRAMES - do */
static const struct nla_policy ptwalk_device_frames_nl_policy[PTWALK_A_FRAMES_FRAMES + 1] = {
	[PTWALK_A_FRAMES_FRAMES] = NLA_POLICY_MAX_LEN(1024),
};

/* PTWALK_CMD_POLICIES - do */
static const struct nla_policy ptwalk_device_policies_nl_policy[PTWALK_A_POLICIES_ADDRESSES + 1] = {
	[PTWALK_A_POLICIES_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[PTWALK_A_POLICIES_ADDRESSES] = NLA_POLICY_MAX_LEN(1024),
};

/* Ops table for ptwalk_device */
const struct genl_split_ops ptwalk_device_nl_ops[4] = {
	{
		.cmd		= PTWALK_CMD_DEVICE,
		.doit		= ptwalk_device_nl_device_doit,
		.policy		= ptwalk_device_device_nl_policy,
		.maxattr	= PTWALK_A_DEVICE_ADDRESSES,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PTWALK_CMD_IOVA,
		.start		= ptwalk_device_nl_iova_start,
		.dumpit		= ptwalk_device_nl_iova_dumpit,
		.done		= ptwalk_device_nl_iova_done,
		.policy		= ptwalk_device_iova_nl_policy,
		.maxattr	= PTWALK_A_IOVA_LAST,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= PTWALK_CMD_FRAMES,
		.doit		= ptwalk_device_nl_frames_doit,
		.policy		= ptwalk_device_frames_nl_policy,
		.maxattr	= PTWALK_A_FRAMES_FRAMES,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= PTWALK_CMD_POLICIES,
		.doit		= ptwalk_device_nl_policies_doit,
		.policy		= ptwalk_device_policies_nl_policy,
		.maxattr	= PTWALK_A_POLICIES_ADDRESSES,
		.flags		= GENL_CMD_CAP_DO,
	},
};
