/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the operations of the family. */
#ifndef PTWALK_REQUEST_H
#define PTWALK_REQUEST_H

#include "compat/genetlink.h"
#include "netlink-gen.h"
#include "target.h"
#include "vma.h"

int ptwalk_may_ask(struct sk_buff *skb, struct netlink_ext_ack *extack);

/**
 * struct ptwalk_ending - an error that ends a dump
 * @err: The error, told once what came before it is read; or 0.
 * @ack: Its message, for the call that tells it.
 */
struct ptwalk_ending {
	int err;
	struct netlink_ext_ack ack;
};

int ptwalk_ending_early(struct ptwalk_ending *ending,
			struct netlink_callback *cb, int err);
int ptwalk_ending_tell(const struct ptwalk_ending *ending, struct sk_buff *skb,
		       struct netlink_callback *cb);

#endif /* PTWALK_REQUEST_H */
