/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the operations of the family. */
#ifndef PTWALK_REQUEST_H
#define PTWALK_REQUEST_H

#include "compat/genetlink.h"
#include "netlink-gen.h"
#include "target.h"
#include "vma.h"

int ptwalk_may_ask(struct sk_buff *skb, struct netlink_ext_ack *extack);
bool ptwalk_symbol_name(const void *at, char *name, size_t size);

/* An error that ends a dump. */
struct ptwalk_dump_error {
	const char *msg;	/* for the extended ack, or NULL */
	int err;		/* a negative error, or 0 */
};

int ptwalk_dump_error_return(const struct ptwalk_dump_error *error,
			     struct sk_buff *skb, struct netlink_callback *cb);

#endif /* PTWALK_REQUEST_H */
