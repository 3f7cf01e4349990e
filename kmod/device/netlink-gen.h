/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk_device.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _LINUX_PTWALK_DEVICE_GEN_H
#define _LINUX_PTWALK_DEVICE_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/ptwalk_device.h>

/* Ops table for ptwalk_device */
extern const struct genl_split_ops ptwalk_device_nl_ops[4];

int ptwalk_device_nl_iova_start(struct netlink_callback *cb);
int ptwalk_device_nl_iova_done(struct netlink_callback *cb);

int ptwalk_device_nl_device_doit(struct sk_buff *skb, struct genl_info *info);
int ptwalk_device_nl_iova_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int ptwalk_device_nl_frames_doit(struct sk_buff *skb, struct genl_info *info);
int ptwalk_device_nl_policies_doit(struct sk_buff *skb, struct genl_info *info);

#endif /* _LINUX_PTWALK_DEVICE_GEN_H */
