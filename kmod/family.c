// SPDX-License-Identifier: GPL-2.0
/*
 * The permission check of all operations. The family itself is generated
 * (netlink-gen.c). Its operations run in parallel (parallel_ops). It is in
 * every network namespace (netnsok), so that a caller in a container gets
 * -EPERM with a reason and not an unknown family.
 */
#include <linux/capability.h>
#include <net/sock.h>
#include "request.h"

/**
 * ptwalk_may_ask() - check the permission of the sender of a request
 * @skb: The request.
 * @extack: Receives the reason of a failure.
 *
 * As for the PFNs in /proc/PID/pagemap, CAP_SYS_ADMIN in the initial user
 * namespace is required, of the sender and of the opener of the socket.
 * netlink_capable() doesn't check the opener if the message has a destination
 * address (NETLINK_SKB_DST), and GENL_ADMIN_PERM would check CAP_NET_ADMIN.
 * A task that the socket is passed to can read the replies.
 *
 * Return: 0 or -EPERM.
 */
int ptwalk_may_ask(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (sk_capable(NETLINK_CB(skb).sk, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "CAP_SYS_ADMIN in the initial user namespace is needed");
	return -EPERM;
}
