/* SPDX-License-Identifier: GPL-2.0 */
/* What is there for those with less rights. */
#ifndef PTWALK_PROC_UNTRACED_H
#define PTWALK_PROC_UNTRACED_H

#include <stdbool.h>

/*
 * Whether who may not trace a process may open that file of it. It is tried once, on
 * our own files; false, if nobody can be made here who may not.
 */
bool untraced_opens(const char *file);

/* Whether pagemap shows frames to the root of a user namespace; tried with that. */
bool untraced_sees_frames(void);

#endif
