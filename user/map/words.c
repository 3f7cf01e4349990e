// SPDX-License-Identifier: GPL-2.0
/* Words and text in pictures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/escape.h"
#include "base/format.h"
#include "map/words.h"

/* Characters that UTF-8 has and XML hasn't: U+FFFE and U+FFFF. */
static bool is_no_xml(const char *s)
{
	return !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
}

static void put_xml(FILE *to, const char *s, const char *end)
{
	while (s < end) {
		if (is_no_xml(s)) {
			fputs("\\357\\277", to);
			s += 2;
			fprintf(to, "\\%03o", (unsigned char)*s++);
			continue;
		}
		switch (*s) {
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '&':
			fputs("&amp;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fputc(*s, to);
		}
		s++;
	}
}

static char *escaped(const char *text)
{
	char *copy = escape_text(text);

	if (!copy)
		exit_no_memory();
	return copy;
}

void map_xml(FILE *to, const char *text)
{
	char *copy = escaped(text);

	put_xml(to, copy, copy + strlen(copy));
	free(copy);
}

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

/* The last part of the path @name, escaped and cut; to be freed. */
static char *label(const char *name, unsigned int most, unsigned int *nr)
{
	char *copy = escaped(name), *s = copy, *end, *cut;

	if (*s == '/' && strrchr(s, '/')[1])
		s = strrchr(s, '/') + 1;
	memmove(copy, s, strlen(s) + 1);
	*nr = 0;
	cut = copy;
	for (end = copy; *end; end++) {
		if (is_continuation(*end))
			continue;
		if (++*nr == most)
			cut = end;
	}
	/* What stands for the rest has three bytes. */
	if (*nr <= most)
		return copy;
	*nr = most;
	*cut = '\0';
	copy = realloc(copy, cut - copy + sizeof("\xe2\x80\xa6"));
	if (!copy)
		exit_no_memory();
	return strcat(copy, "\xe2\x80\xa6");
}

unsigned int map_label(FILE *to, const char *name, unsigned int most)
{
	unsigned int nr;
	char *text = label(name, most, &nr);

	fputs(text, to);
	free(text);
	return nr;
}

void map_xml_label(FILE *to, const char *name, unsigned int most)
{
	unsigned int nr;
	char *text = label(name, most, &nr);

	put_xml(to, text, text + strlen(text));
	free(text);
}

void map_say_mapped(FILE *to, const struct map_count *count)
{
	const uint64_t mapped = map_count_mapped(count);

	fprintf(to, "%" PRIu64 " page%s mapped", mapped, plural(mapped));
	if (count->pages[MAP_SWAP])
		fprintf(to, ", %" PRIu64 " in swap", count->pages[MAP_SWAP]);
}

void map_say_count(FILE *to, const struct map_input *in,
		   const struct map_count *c)
{
	const char *separator = "";
	char size[FORMAT_SIZE];

	for (unsigned int i = NR_MAP_KINDS; i--;) {
		if (!c->pages[i])
			continue;
		fprintf(to, "%s%" PRIu64 " %s", separator, c->pages[i],
			map_kinds[i].text);
		separator = ", ";
	}
	if (!*separator)
		fputs("no pages", to);
	separator = "; in entries of ";
	for (unsigned int i = 0; i < 64; i++) {
		if (!c->leaf[i])
			continue;
		fprintf(to, "%s%s: %" PRIu64, separator,
			format_size(1ULL << i, size), c->leaf[i]);
		separator = ", ";
	}
}

const char *map_changes(uint32_t what, char buf[MAP_CHANGES])
{
	names_mask(&names_change, what, ", ", buf, MAP_CHANGES);
	return buf;
}

const char *map_size(uint64_t bytes, char buf[MAP_SIZE])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0, tenth = 0;

	while (bytes >= 1024) {
		tenth = (bytes & 1023) * 10 >> 10;
		bytes >>= 10;
		unit++;
	}
	if (bytes < 10 && tenth)
		snprintf(buf, MAP_SIZE, "%u.%u%c", (unsigned int)bytes, tenth,
			 units[unit]);
	else
		snprintf(buf, MAP_SIZE, "%u%c", (unsigned int)bytes,
			 units[unit]);
	return buf;
}
