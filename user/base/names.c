// SPDX-License-Identifier: GPL-2.0
/* Names of numbered things: the values of an enum, the bits of a mask. */
#include <stdio.h>
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

size_t names_mask(const struct names *names, uint64_t mask,
		  const char *separator, char *buf, size_t size)
{
	char name[NAME_SIZE];
	size_t len = 0;
	int n;

	if (!mask)
		return snprintf(buf, size, "-");
	for (; mask; mask &= mask - 1) {
		n = snprintf(len < size ? buf + len : NULL,
			     len < size ? size - len : 0, "%s%s",
			     len ? separator : "",
			     name_bit(names, __builtin_ctzll(mask), name));
		len += n;
	}
	return len;
}
