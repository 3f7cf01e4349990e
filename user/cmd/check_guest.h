/* SPDX-License-Identifier: GPL-2.0 */
/* check --guest: the second stage of a virtual machine against its process. */
#ifndef PTWALK_CMD_CHECK_GUEST_H
#define PTWALK_CMD_CHECK_GUEST_H

#include <stdbool.h>

/* @which: "PID[:FD]". Returns the exit status, or a negative errno. */
int check_guest(const char *which, bool json);

#endif /* PTWALK_CMD_CHECK_GUEST_H */
