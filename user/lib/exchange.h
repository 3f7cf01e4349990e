/* SPDX-License-Identifier: GPL-2.0 */
/* A request to the module and its answer, message by message. */
#ifndef PTWALK_LIB_EXCHANGE_H
#define PTWALK_LIB_EXCHANGE_H

#include <errno.h>
#include <stdbool.h>
#include <netlink/msg.h>
#include "lib/ptwalk.h"

/**
 * struct exchange - a request under way
 * @p: The handle.
 * @sock: A socket that nobody else uses meanwhile.
 * @request: As sent.
 * @buf: Room for what is received.
 * @next: The next message in it, with @left bytes from there on; NULL before the
 *	first.
 * @left: See @next.
 * @ended: The kernel has ended it; nothing more will come.
 */
struct exchange {
	struct ptwalk *p;
	struct nl_sock *sock;
	struct nl_msg *request;
	unsigned char *buf;
	struct nlmsghdr *next;
	int left;
	bool ended;
};

/*
 * Notes the message of an error in the handle, and returns @err, which is
 * negative.
 */
int handle_fail(struct ptwalk *p, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int handle_no_memory(struct ptwalk *p);

/* 0, or -EOPNOTSUPP if the module lacks @feature (enum ptwalk_feature). */
int handle_needs(struct ptwalk *p, uint32_t feature);

/* A message for @cmd, or NULL: see ptwalk_error(). */
struct nl_msg *exchange_message(struct ptwalk *p, uint8_t cmd, int flags);

/* Sends @request and frees it in the end. exchange_end() even if it fails. */
int exchange_begin(struct exchange *ex, struct ptwalk *p,
		   struct nl_msg *request);

/*
 * The next message of the answer, which may be written to and is valid until
 * the next call. Returns 1, 0 after a good end, or a negative errno with a
 * message in the handle.
 */
int exchange_next(struct exchange *ex, struct nlmsghdr **msg);

/* The message that came last makes no sense: returns -EBADMSG. */
int exchange_nonsense(struct exchange *ex);

void exchange_end(struct exchange *ex);

/*
 * All of it, which is one message unless they are marked as several: calls @take
 * with each, which returns 0, or -1 for one that makes no sense.
 */
int exchange_run(struct ptwalk *p, struct nl_msg *request,
		 int (*take)(struct nlmsghdr *msg, void *arg), void *arg);

#endif /* PTWALK_LIB_EXCHANGE_H */
