// SPDX-License-Identifier: GPL-2.0
/* JSON put together in memory. */
#include <stdbool.h>
#include <string.h>
#include "base/array.h"
#include "base/put.h"
#include "base/put_json.h"

/* Where there is room for @size bytes more, or NULL. */
static char *room(struct json_put *to, size_t size)
{
	if (to->max - to->nr < size &&
	    !array_room(&to->text, &to->max, to->nr + size, 1))
		return NULL;
	return to->text + to->nr;
}

static int put(const char *from, size_t size, void *arg)
{
	struct json_put *to = arg;
	char *at = room(to, size);

	if (!at)
		return -1;
	memcpy(at, from, size);
	to->nr += size;
	return 0;
}

/* Whatever it is. */
static int put_any(struct json_put *to, const json_t *value)
{
	return json_dump_callback(value, put, to, JSON_COMPACT |
				  JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
}

static bool is_plain(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
			return false;
	return true;
}

/* "text", and @behind. */
static int put_plain(struct json_put *to, const char *text, size_t size,
		     const char *behind)
{
	const size_t more = strlen(behind);
	char *at = room(to, size + 2 + more);

	if (!at)
		return -1;
	*at++ = '"';
	at = put_bytes(at, text, size);
	*at++ = '"';
	put_bytes(at, behind, more);
	to->nr += size + 2 + more;
	return 0;
}

static int put_key(struct json_put *to, const char *key)
{
	json_t *string;
	int err;

	if (is_plain(key, strlen(key)))
		return put_plain(to, key, strlen(key), ":");
	string = json_string(key);
	err = string ? put_any(to, string) : -1;
	json_decref(string);
	return err ? err : put(":", 1, to);
}

static int put_integer(struct json_put *to, json_int_t value)
{
	char *at = room(to, 1 + PUT_DECIMAL);

	if (!at)
		return -1;
	if (value < 0)
		*at++ = '-';
	at = put_decimal(at, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
	to->nr = at - to->text;
	return 0;
}

static int put_array(struct json_put *to, json_t *array)
{
	int err = put("[", 1, to);

	for (size_t i = 0; !err && i < json_array_size(array); i++) {
		if (i)
			err = put(",", 1, to);
		if (!err)
			err = json_put(to, json_array_get(array, i));
	}
	return err ? err : put("]", 1, to);
}

int json_put_members(struct json_put *to, json_t *object)
{
	void *first = json_object_iter(object);
	int err = 0;

	for (void *i = first; !err && i; i = json_object_iter_next(object, i)) {
		if (i != first)
			err = put(",", 1, to);
		if (!err)
			err = put_key(to, json_object_iter_key(i));
		if (!err)
			err = json_put(to, json_object_iter_value(i));
	}
	return err;
}

static int put_object(struct json_put *to, json_t *object)
{
	int err = put("{", 1, to);

	if (!err)
		err = json_put_members(to, object);
	return err ? err : put("}", 1, to);
}

int json_put(struct json_put *to, json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return put_object(to, value);
	case JSON_ARRAY:
		return put_array(to, value);
	case JSON_INTEGER:
		return put_integer(to, json_integer_value(value));
	case JSON_STRING:
		if (is_plain(json_string_value(value), json_string_length(value)))
			return put_plain(to, json_string_value(value),
					 json_string_length(value), "");
		/* fall through */
	default:
		return put_any(to, value);
	}
}
