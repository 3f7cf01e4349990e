// SPDX-License-Identifier: GPL-2.0
/* What people type: addresses, ranges, PIDs. */
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "base/parse.h"

static int hex_digit(char c)
{
	unsigned int digit = (unsigned char)c - '0';

	if (digit < 10)
		return digit;
	digit = ((unsigned char)c | 0x20) - 'a';
	return digit < 6 ? (int)digit + 10 : -1;
}

/**
 * hex_part() - the hexadecimal number at the start of a text
 * @s: Moved behind the number.
 * @value: Set to the number.
 * @wide: Allow 2^64 itself, the end of the last page of an address space; it
 *	reads as 0. NULL forbids it. Set to whether it was 2^64.
 *
 * Return: NULL or a reason.
 */
static const char *hex_part(const char **s, uint64_t *value, bool *wide)
{
	const char *p = *s;
	uint64_t v = 0;
	int digit;

	if (wide)
		*wide = false;
	if (*p == '-' || (*p == '+' && p[1]))
		return "a sign does not belong there";
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	if (hex_digit(*p) < 0)
		return *p ? "not a hexadecimal number" : "no number";
	for (; (digit = hex_digit(*p)) >= 0; p++) {
		if (v >> 60) {
			if (!wide || v != 1ULL << 60 || digit ||
			    hex_digit(p[1]) >= 0)
				return strspn(*s, "0123456789") == strlen(*s) ?
				       "more than 64 bits, or decimal" :
				       "more than 64 bits";
			*wide = true;
		}
		v = v << 4 | digit;
	}
	*s = p;
	*value = v;
	return NULL;
}

const char *parse_hex(const char *s, uint64_t *value)
{
	const char *reason;
	uint64_t v;

	if (!*s)
		return "empty";
	reason = hex_part(&s, &v, NULL);
	if (reason)
		return reason;
	if (*s)
		return "trailing garbage";
	*value = v;
	return NULL;
}

const char *parse_decimal(const char *s, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (!*s)
		return "empty";
	if (*s < '0' || *s > '9')
		return "not a decimal number";
	for (; *s >= '0' && *s <= '9'; s++) {
		if (v > (max - (*s - '0')) / 10 ||
		    (uint64_t)(*s - '0') > max)
			return "too large";
		v = v * 10 + (*s - '0');
	}
	if (*s)
		return "trailing garbage";
	*value = v;
	return NULL;
}

const char *parse_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	size_t len = strspn(s, "0123456789");
	const char *reason, *unit = NULL;
	unsigned int shift = 0;
	char digits[32];

	if (s[0] == '0' && (s[1] | 0x20) == 'x')
		return parse_hex(s, bytes);
	if (len && s[len] && !s[len + 1])
		unit = strchr(units, s[len] & ~0x20);
	if (!unit)
		return parse_decimal(s, UINT64_MAX, bytes);
	if (len >= sizeof(digits))
		return "too large";
	memcpy(digits, s, len);
	digits[len] = '\0';
	shift = 10 * (unit - units + 1);
	reason = parse_decimal(digits, UINT64_MAX >> shift, bytes);
	if (!reason)
		*bytes <<= shift;
	return reason;
}

/* Of START+LENGTH: in hexadecimal, or with a unit, as sizes are. */
static const char *length_part(const char **s, uint64_t *value, bool *wide)
{
	size_t len = strlen(*s);
	const char *reason;

	if (!len || !strchr("KMGTkmgt", (*s)[len - 1]))
		return hex_part(s, value, wide);
	*wide = false;
	reason = parse_size(*s, value);
	*s += len;
	return reason;
}

const char *parse_range(const char *s, struct range *range)
{
	const char *reason;
	uint64_t start, end;
	bool wide;
	char op;

	if (!*s)
		return "empty";
	reason = hex_part(&s, &start, NULL);
	if (reason)
		return reason;
	op = *s;
	if (!op)
		return "no end";
	if (op != '-' && op != '+')
		return "trailing garbage";
	s++;
	reason = op == '+' ? length_part(&s, &end, &wide) :
			     hex_part(&s, &end, &wide);
	if (reason)
		return reason;
	if (*s)
		return "trailing garbage";

	if (op == '+') {
		if (!end && !wide)
			return "an empty range";
		if (wide ? start != 0 : end - 1 > UINT64_MAX - start)
			return "ends behind the last address";
		end = start + end - 1;
	} else {
		if (!wide && end == start)
			return "an empty range";
		if (!wide && end < start)
			return "ends before it starts";
		end--;
	}
	range->start = start;
	range->last = end;
	return NULL;
}

const char *parse_range_or_address(const char *s, struct range *range, bool *single)
{
	uint64_t addr;

	*single = !parse_hex(s, &addr);
	if (!*single)
		return parse_range(s, range);
	*range = (struct range){ addr, addr };
	return NULL;
}

const char *parse_pid(const char *s, pid_t *pid)
{
	const char *reason;
	uint64_t v;

	if (!strcmp(s, "self")) {
		*pid = getpid();
		return NULL;
	}
	reason = parse_decimal(s, INT_MAX, &v);
	if (reason)
		return reason;
	if (!v)
		return "PIDs start at 1";
	*pid = v;
	return NULL;
}

bool parse_is_name(const char *s)
{
	struct range range;

	if (*s == '[' || *s == '/' || strchr(s, ':'))
		return true;
	if (!parse_range(s, &range))
		return false;
	return *s && !strchr("0123456789+-", *s) &&
	       s[strspn(s, "0123456789abcdefABCDEFxX+-")];
}

bool parse_is_word(const char *s, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(s, word, length);
}

unsigned int parse_distance(const char *a, const char *b)
{
	unsigned int row[33], left, above, i, j;
	size_t len = strlen(b);

	if (len >= sizeof(row) / sizeof(row[0]))
		return -1U;
	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		above = row[0];
		row[0] = i + 1;
		for (j = 0; j < len; j++) {
			left = row[j] + 1;
			if (above + (a[i] != b[j]) < left)
				left = above + (a[i] != b[j]);
			above = row[j + 1];
			row[j + 1] = left < above + 1 ? left : above + 1;
		}
	}
	return row[len];
}

const char *parse_nearer(const char *word, const char *name, const char *best)
{
	/* Most words have a letter wrong, or two have changed places. */
	unsigned int most = strlen(word) < 3 ? 1 : 2;
	unsigned int letters = parse_distance(word, name);

	if (letters > most || (best && parse_distance(word, best) <= letters))
		return best;
	return name;
}
