// SPDX-License-Identifier: GPL-2.0
/*
 * Who may ask. The family itself is generated (netlink-gen.c): its operations
 * run in parallel and share nothing but what is set once at start-up. It is in
 * every network namespace, so that a caller in a container is refused for what
 * it lacks, and not told that there is no such family.
 */
#include <linux/capability.h>
#include <net/sock.h>
#include "request.h"

/**
 * ptwalk_may_ask() - whether the sender of a request may have answers
 * @skb: The request.
 * @extack: Receives the reason of a refusal.
 *
 * Physical addresses are for CAP_SYS_ADMIN in the initial user namespace only,
 * as in /proc/PID/pagemap: of the sender, and of the opener of the socket.
 * netlink_capable() doesn't ask the opener where the sender has named the
 * kernel as the receiver, and GENL_ADMIN_PERM would ask for CAP_NET_ADMIN. The
 * answers are the socket's: whoever is given that may read them.
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
