/* SPDX-License-Identifier: GPL-2.0 */
/* libptwalk's errors, with the messages that the command has for them. */
#ifndef PTWALK_MODULE_CLIENT_H
#define PTWALK_MODULE_CLIENT_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/* What is said of a process that was there when it was first looked at. */
#define CLIENT_WENT_AWAY	"it went away: it has exited or called exec"

/*
 * The errors, as base/error.h has them, of a process that is gone (-ESRCH), and
 * of one that holds its mmap lock for writing (-EBUSY).
 */
int client_gone(pid_t pid);
int client_busy(pid_t pid);

/*
 * Keeps the message of @err, which a function of the library returned for
 * process @pid, or for none if that is 0; returns @err.
 */
int client_error(const struct ptwalk *client, pid_t pid, int err);

/* Returns 0 or a negative errno, see base/error.h; *@client is NULL then. */
int client_open(struct ptwalk **client);

/* Whether @err of client_open() says that the family isn't there, or can't be asked for. */
bool client_absent(int err);

#endif /* PTWALK_MODULE_CLIENT_H */
