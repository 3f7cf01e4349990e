// SPDX-License-Identifier: GPL-2.0
/* A line of /proc/PID/maps: there may be hundreds of thousands. */
#include <string.h>
#include "proc/map_line.h"

static unsigned int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

bool map_line_number(const char **s, unsigned int base, uint64_t *value)
{
	const char *at = *s;
	unsigned int digit;
	uint64_t v = 0;

	for (; (digit = digit_of(*at)) < base; at++)
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	if (at == *s)
		return false;
	*value = v;
	*s = at;
	return true;
}

/* The same, with @end behind it: a blank stands for any number of them, or none. */
static bool number_until(const char **s, unsigned int base, char end, uint64_t *value)
{
	if (!map_line_number(s, base, value))
		return false;
	if (end == ' ') {
		*s += strspn(*s, " ");
		return true;
	}
	return *(*s)++ == end;
}

bool map_line_parse(const char *line, struct map_line *out)
{
	const char *s = line + strspn(line, " ");
	uint64_t major, minor;
	size_t len;

	if (!number_until(&s, 16, '-', &out->start) || !number_until(&s, 16, ' ', &out->end))
		return false;
	len = strcspn(s, " ");
	if (!len || len >= sizeof(out->perms))
		return false;
	memcpy(out->perms, s, len);
	out->perms[len] = '\0';
	s += len;
	s += strspn(s, " ");
	if (!number_until(&s, 16, ' ', &out->offset) || !number_until(&s, 16, ':', &major) ||
	    !number_until(&s, 16, ' ', &minor) || !number_until(&s, 10, ' ', &out->inode))
		return false;
	out->dev_major = major;
	out->dev_minor = minor;
	out->name = s;
	return true;
}
