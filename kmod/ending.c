// SPDX-License-Identifier: GPL-2.0
/* Errors that end a dump. */
#include "request.h"

/**
 * ptwalk_ending_early() - an error at the start of a dump
 * @ending: Of the dump; keeps the error if it can't be told yet.
 * @cb: The dump.
 * @err: The error, whose message is in @cb->extack or else in @ending->ack;
 *	or 0.
 *
 * Linux 6.1 has no extended ack at this point (genl_start()); then an error is
 * told with the first piece, where there is one.
 *
 * Return: 0 if the dump goes on, or @err.
 */
int ptwalk_ending_early(struct ptwalk_ending *ending,
			struct netlink_callback *cb, int err)
{
	if (cb->extack)
		return err;
	ending->err = err;
	return 0;
}

/**
 * ptwalk_ending_tell() - what a call for one buffer of a dump returns
 * @ending: Of the dump.
 * @skb: The buffer.
 * @cb: The dump.
 *
 * Return: The length of @skb; if it is empty the error, or 0 at the end.
 */
int ptwalk_ending_tell(const struct ptwalk_ending *ending, struct sk_buff *skb,
		       struct netlink_callback *cb)
{
	if (skb->len)
		return skb->len;
	/* The error is sent with the extended ack of this call. */
	if (ending->ack._msg && cb->extack)
		cb->extack->_msg = ending->ack._msg;
	return ending->err;
}
