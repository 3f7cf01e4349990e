// SPDX-License-Identifier: GPL-2.0
/* Names of numbered things: the values of an enum, the bits of a mask. */
#include <stdio.h>
#include <string.h>
#include "base/names.h"

static const char *lookup(const struct names *names, unsigned int value,
			  const char *prefix, char *buf)
{
	if (value < names->nr && names->name[value])
		return names->name[value];
	snprintf(buf, NAME_SIZE, "%s_%u", prefix, value);
	return buf;
}

const char *name_of(const struct names *names, unsigned int value,
		    char buf[NAME_SIZE])
{
	return lookup(names, value, "value", buf);
}

const char *name_bit(const struct names *names, unsigned int bit,
		     char buf[NAME_SIZE])
{
	return lookup(names, bit, "bit", buf);
}

/* Copies what there is room for; returns the length of all. */
static size_t append_name(char *buf, size_t size, size_t len, const char *text)
{
	size_t more = strlen(text);

	if (len + more < size)
		memcpy(buf + len, text, more + 1);
	else if (len < size)
		snprintf(buf + len, size - len, "%s", text);
	return len + more;
}

size_t names_mask(const struct names *names, uint64_t mask,
		  const char *separator, char *buf, size_t size)
{
	char name[NAME_SIZE];
	size_t len = 0;

	if (!mask)
		return append_name(buf, size, 0, "-");
	for (; mask; mask &= mask - 1) {
		if (len)
			len = append_name(buf, size, len, separator);
		len = append_name(buf, size, len,
				  name_bit(names, __builtin_ctzll(mask), name));
	}
	return len;
}
