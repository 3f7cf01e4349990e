/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON put together in memory, as JSON_COMPACT and JSON_ENSURE_ASCII make it. Nearly all
 * strings are plain, and libjansson looks at each of their characters.
 */
#ifndef PTWALK_BASE_PUT_JSON_H
#define PTWALK_BASE_PUT_JSON_H

#include <jansson.h>

/* What is put behind each other; @nr of @max bytes. */
struct json_put {
	char *text;
	size_t nr, max;
};

/* Puts @value behind what is there. Returns 0 or -1, for there is no memory. */
int json_put(struct json_put *to, json_t *value);

/* The same of an object, without its braces. */
int json_put_members(struct json_put *to, json_t *object);

#endif /* PTWALK_BASE_PUT_JSON_H */
