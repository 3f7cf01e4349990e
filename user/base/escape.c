// SPDX-License-Identifier: GPL-2.0
/* Names of files as they are printed for people, and as people type them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/escape.h"

#define ESCAPED	5	/* "\ooo", or UTF-8 of four bytes */

size_t utf8_character(const char *text, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t c = s[0] & (0xff >> (len + 1));

	*character = s[0];
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*character = c;
	return len;
}

bool utf8_is_control(uint32_t c)
{
	/* Those that turn the order of others around, join them, or have no width. */
	static const struct {
		uint32_t first, last;
	} unseen[] = {
		{ 0xad, 0xad }, { 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x180b, 0x180f },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	if (c < ' ' || (c >= 0x7f && c < 0xa0))
		return true;
	for (size_t i = 0; c >= unseen[0].first && i < sizeof(unseen) / sizeof(unseen[0]); i++)
		if (c >= unseen[i].first && c <= unseen[i].last)
			return true;
	return false;
}

/* How the character at @text is printed; returns the bytes that it has. */
static size_t escape_one(const char *text, char out[ESCAPED])
{
	uint32_t c;
	size_t len = utf8_character(text, &c);

	if (!len || utf8_is_control(c)) {
		snprintf(out, ESCAPED, "\\%03o", (unsigned char)*text);
		return 1;
	}
	memcpy(out, text, len);
	out[len] = '\0';
	return len;
}

/* Bytes at @text that are printed as they are, whatever follows them. */
static size_t escape_plain(const char *text)
{
	const char *p = text;

	while (*p >= ' ' && *p <= '~')
		p++;
	return p - text;
}

void escape_print(FILE *to, const char *text)
{
	char out[ESCAPED];

	while (*text) {
		size_t plain = escape_plain(text);

		fwrite_unlocked(text, 1, plain, to);
		text += plain;
		if (!*text)
			break;
		text += escape_one(text, out);
		fputs(out, to);
	}
}

char *escape_text(const char *text)
{
	char *escaped = malloc(strlen(text) * (ESCAPED - 1) + 1);
	char *p = escaped, out[ESCAPED];
	size_t plain;

	if (!escaped)
		return NULL;
	*p = '\0';
	while (*text) {
		plain = escape_plain(text);
		p = mempcpy(p, text, plain);
		*p = '\0';
		text += plain;
		if (!*text)
			break;
		text += escape_one(text, out);
		p = stpcpy(p, out);
	}
	return escaped;
}

bool escape_is(const char *name, const char *arg)
{
	return escape_is_part(name, strlen(name), arg);
}

bool escape_is_part(const char *name, size_t bytes, const char *arg)
{
	const char *end = name + bytes;
	char out[ESCAPED];
	size_t len;

	for (; name < end; name += len) {
		len = escape_one(name, out);
		if (!strncmp(arg, out, strlen(out)))
			arg += strlen(out);
		else if (*arg == *name)
			arg += len = 1;
		else
			return false;
	}
	return !*arg;
}

void escape_newlines(FILE *to, const char *name)
{
	for (; *name; name++)
		if (*name == '\n')
			fputs("\\012", to);
		else
			fputc(*name, to);
}
