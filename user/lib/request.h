/* SPDX-License-Identifier: GPL-2.0 */
/* The one way to ask the module something. */
#ifndef PTWALK_LIB_REQUEST_H
#define PTWALK_LIB_REQUEST_H

#include <stdbool.h>
#include <netlink/msg.h>
#include "lib/client.h"

/* A message for @cmd (PTWALK_CMD_*), or NULL after a line on stderr. */
struct nl_msg *request_new(struct client *client, uint8_t cmd, int flags);

/*
 * request_run() returned because the kernel marked the dump as interrupted:
 * what the callback saw before holds, the rest must be asked for again.
 */
#define REQUEST_AGAIN	(-2)

/* The callback's message makes no sense; request_run() says so. */
#define REQUEST_NONSENSE	(-3)

/*
 * Sends @msg, frees it, and calls @reply (may be NULL) with each message of
 * the answer, which it may write to, until the kernel has ended it or @reply
 * returns other than 0; that is then returned.
 *
 * Returns 0 after a good end, an exit status after a line on stderr that has
 * the kernel's own message and the attribute at fault, CLIENT_GONE for a
 * process that isn't there, CLIENT_BUSY for one that can't be read now, or
 * REQUEST_AGAIN.
 */
int request_run(struct client *client, struct nl_msg *msg,
		int (*reply)(struct nlmsghdr *msg, void *arg), void *arg);

/*
 * The same of a request whose answer is of no interest: without a line on
 * stderr, and 0 for any other error of the kernel.
 */
int request_try(struct client *client, struct nl_msg *msg);

/*
 * A connection for request_try() alone: nothing is asked of the kernel, and not
 * a word said if there is no module. client_close() closes it.
 */
struct client *client_open_quietly(void);

/* Says that memory ran out, and returns the exit status for that. */
int request_no_memory(void);

/* Whether the family is there, asked without a word on stderr. */
bool client_family_present(void);

#endif /* PTWALK_LIB_REQUEST_H */
