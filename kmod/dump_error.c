// SPDX-License-Identifier: GPL-2.0
/* Errors that end a dump, and when they are reported to user space. */
#include "request.h"

/**
 * ptwalk_dump_error_start() - the return value of a ->start
 * @error: Error of the dump; receives @err if it can't be reported yet.
 * @cb: The dump.
 * @err: A negative error, or 0.
 * @msg: Its message, if @cb has no extended ack to which it was added.
 *
 * Up to Linux 6.1, ->start has no extended ack (genl_start()). The error is
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
 * ptwalk_dump_error_return() - the return value of a ->dumpit
 * @error: Error of the dump.
 * @skb: The buffer that was filled.
 * @cb: The dump.
 *
 * An error is returned only with an empty buffer, so that messages that were
 * added before it aren't lost.
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
