/* SPDX-License-Identifier: GPL-2.0 */
/* How commands report libptwalk's errors: a line on stderr, an exit status. */
#ifndef PTWALK_MODULE_CLIENT_H
#define PTWALK_MODULE_CLIENT_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/*
 * A process that is gone, and one whose memory can't be read as it holds its
 * mmap lock for writing: told without a line on stderr, so that a check of all
 * processes can go on.
 */
#define CLIENT_GONE	(-1)
#define CLIENT_BUSY	(-4)

/*
 * What @err, which a function of the library returned for a process, means:
 * CLIENT_GONE, CLIENT_BUSY, or EXIT_UNCHECKED after a line on stderr.
 */
int client_status(const struct ptwalk *client, int err);

/* The same for one that was not about a process. */
int client_fail(const struct ptwalk *client);

/* Returns 0, or EXIT_UNCHECKED after a line on stderr; *@client is NULL then. */
int client_open(struct ptwalk **client);

/* Whether the family is there, asked without a word on stderr. */
bool client_family_present(void);

#endif /* PTWALK_MODULE_CLIENT_H */
