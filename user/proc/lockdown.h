/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel refuses to root, too: see kernel_lockdown(7). */
#ifndef PTWALK_PROC_LOCKDOWN_H
#define PTWALK_PROC_LOCKDOWN_H

#include <stddef.h>

#define LOCKDOWN_MODE	24

/*
 * The mode that is in brackets in @text, "none [integrity] confidentiality"; ""
 * without one.
 */
const char *lockdown_parse(const char *text, char mode[LOCKDOWN_MODE]);

/* The same of this kernel; "" too where it has no lockdown, or doesn't show it. */
const char *lockdown_read(char mode[LOCKDOWN_MODE]);

#endif /* PTWALK_PROC_LOCKDOWN_H */
