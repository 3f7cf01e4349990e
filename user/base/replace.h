/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a command writes. Each is written beside its place and renamed into it
 * when it is whole, so that nobody sees half of one, nothing is written through a
 * link that somebody else has put there, and what was there stays if there is
 * nothing to take its place.
 */
#ifndef PTWALK_BASE_REPLACE_H
#define PTWALK_BASE_REPLACE_H

#include <stddef.h>
#include <stdio.h>

/*
 * All return 0 or a negative errno, see base/error.h; after an error nothing new is
 * left, and a file that was at @path is as it was.
 */

/*
 * Begins one that nobody but the user may read. A device or a pipe at @path is
 * written to as it is, if it belongs to the user or to root, and so is a descriptor
 * that the shell has given us, such as /dev/fd/63. Another symbolic link is refused.
 * If the program exits before replace_end(), @finish, unless NULL, writes what makes
 * it whole, which is put in its place then; without @finish it is given up. What
 * can't be put there then, tell_at_exit() tells.
 */
int replace_begin(const char *path, void (*finish)(FILE *stream, void *arg),
		  void *arg, FILE **stream);

/* Closes it and puts it in its place, unless it is empty. */
int replace_end(FILE *stream);

/* Gives it up: what is at its place stays. */
void replace_drop(FILE *stream);

/* Gives up all, in a signal handler that ends the program. */
void replace_drop_all(void);

/* Whether replace_file() can be done now; what is at @path must be a regular file. */
int replace_try(const char *path);

/*
 * Makes @path a file with this text, which others may read as the umask says: of two
 * that do so, the last wins.
 */
int replace_file(const char *path, const char *text, size_t size);

#endif /* PTWALK_BASE_REPLACE_H */
