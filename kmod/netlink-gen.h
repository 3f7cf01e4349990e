/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _LINUX_PTWALK_GEN_H
#define _LINUX_PTWALK_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/ptwalk.h>

int ptwalk_nl_walk_start(struct netlink_callback *cb);
int ptwalk_nl_walk_done(struct netlink_callback *cb);

int ptwalk_nl_info_doit(struct sk_buff *skb, struct genl_info *info);
int ptwalk_nl_translate_doit(struct sk_buff *skb, struct genl_info *info);
int ptwalk_nl_walk_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

extern struct genl_family ptwalk_nl_family;

#endif /* _LINUX_PTWALK_GEN_H */
