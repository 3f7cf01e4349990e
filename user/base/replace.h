/* SPDX-License-Identifier: GPL-2.0 */
/* Files that others read at any time, who must never see half of one. */
#ifndef PTWALK_BASE_REPLACE_H
#define PTWALK_BASE_REPLACE_H

#include <stddef.h>

/*
 * Both write a temporary file beside @path, whose name is @path with a suffix.
 * They return 0 or a negative errno, see base/error.h; nothing is left then,
 * and a file that was at @path is as it was.
 */

/* Whether that can be done now; @path must be a regular file if it is there. */
int replace_try(const char *path);

/* Makes @path a file with this text, at once: of two that do so, the last wins. */
int replace_file(const char *path, const char *text, size_t size);

#endif /* PTWALK_BASE_REPLACE_H */
