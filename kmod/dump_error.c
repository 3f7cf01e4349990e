// SPDX-License-Identifier: GPL-2.0
/* Errors that end a dump, and when user space is told of them. */
#include "request.h"

/**
 * ptwalk_dump_error_start() - what a ->start returns on an error
 * @error: Of the dump; keeps the error if it can't be reported yet.
 * @cb: The dump.
 * @err: The error, or 0.
 * @msg: Its message, which is in @cb->extack if there is one.
 *
 * Up to Linux 6.1 a ->start has no extended ack (genl_start()). The error is
 * then kept and reported by ->dumpit, which has one.
 *
 * Return: 0 if the dump goes on, or @err.
 */
int ptwalk_dump_error_start(struct ptwalk_dump_error *error,
			    struct netlink_callback *cb, int err,
			    const char *msg)
{
	if (cb->extack)
		return err;
	error->err = err;
	error->msg = msg;
	return 0;
}

/**
 * ptwalk_dump_error_return() - what a ->dumpit returns
 * @error: Of the dump.
 * @skb: The buffer that was filled.
 * @cb: The dump.
 *
 * An error is returned only with an empty buffer, so that what was read before
 * it isn't lost.
 *
 * Return: The length of @skb; if it is empty the error, or 0 at the end.
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
