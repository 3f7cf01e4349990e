/* SPDX-License-Identifier: GPL-2.0 */
/* The names in a folder, read to its end. */
#ifndef PTWALK_BASE_FOLDER_H
#define PTWALK_BASE_FOLDER_H

/*
 * Calls @take with each name, "." and ".." too, until it returns other than 0.
 * Returns that, 0 at the end of the folder, or the negative errno of opening or
 * reading it.
 */
int folder_each(const char *path, int (*take)(const char *name, void *arg), void *arg);

/* The same of an open one; @fd is closed. */
int folder_each_of(int fd, int (*take)(const char *name, void *arg), void *arg);

#endif /* PTWALK_BASE_FOLDER_H */
