// SPDX-License-Identifier: GPL-2.0
/*
 * The permission check of all operations, and how dumps end. The family itself is generated
 * (netlink-gen.c). Its operations run in parallel (parallel_ops). It is in
 * every network namespace (netnsok), so that a caller in a container gets
 * -EPERM with a reason and not an unknown family.
 */
#include <linux/capability.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "request.h"

/*
 * Checks the permission of the sender of a request. Returns 0 or -EPERM, with the reason.
 *
 * As for the PFNs in /proc/PID/pagemap, CAP_SYS_ADMIN in the initial user
 * namespace is required, of the sender and of the opener of the socket.
 * netlink_capable() doesn't check the opener if the message has a destination
 * address (NETLINK_SKB_DST), and GENL_ADMIN_PERM would check CAP_NET_ADMIN.
 * A task that the socket is passed to can read the replies.
 *
 * Netlink monitors (nlmon) of the socket's network namespace see all replies, and
 * who owns that may add one. So it must belong to the initial user namespace.
 */
int ptwalk_may_ask(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	struct sock *sk = NETLINK_CB(skb).sk;

	if (!sk_capable(sk, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(extack, "CAP_SYS_ADMIN in the initial user namespace is needed");
		return -EPERM;
	}
	if (sock_net(sk)->user_ns != &init_user_ns) {
		NL_SET_ERR_MSG(extack, "the network namespace of the socket belongs to a user namespace, whose root could read the replies");
		return -EPERM;
	}
	return 0;
}

/*
 * What a ->dumpit returns that has filled @skb: its length or, if it is empty, the error of
 * the dump, or 0 at the end. So messages that were added before an error aren't lost.
 */
int ptwalk_dump_error_return(const struct ptwalk_dump_error *error,
			     struct sk_buff *skb, struct netlink_callback *cb)
{
	if (skb->len)
		return skb->len;
	if (error->msg && cb->extack)
		cb->extack->_msg = error->msg;
	return error->err;
}
