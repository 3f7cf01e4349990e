/* SPDX-License-Identifier: GPL-2.0 */
/* Short texts of the kernel, read as a whole. */
#ifndef PTWALK_BASE_TEXT_H
#define PTWALK_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Reads all of a file, or as much of it as fits into @size bytes with a NUL
 * behind it. Returns how many bytes that is, or a negative errno; @buf is empty
 * then.
 */
ssize_t text_of(const char *path, char *buf, size_t size);

/* The same of an open one, from where it is. */
ssize_t text_read(int fd, char *buf, size_t size);
ssize_t text_read_stream(FILE *stream, char *buf, size_t size);

/*
 * The rest of @stream, up to a NUL byte if there is one, as a string to be freed.
 * Returns 0, or a negative errno without a string.
 */
int text_take(FILE *stream, char **text);

#endif /* PTWALK_BASE_TEXT_H */
