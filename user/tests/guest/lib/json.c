// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "json.h"

#define MAX_MEMBERS	64

/* What is an address or a frame wherever it stands. */
static const char *const addresses[] = {
	"start", "last", "vaddr", "paddr", "pfn", "bus", "entry", "pgoff",
	"raw_flags", "page_prot", "swap_offset", "zero_pfn", "pci_offset",
	"file_offset", "found_paddr", "expected_paddr", "coherent_mask",
};

static char wrong[256];

struct member {
	char name[32];
	char type;
	const char *text;	/* of a string */
};

struct object {
	struct member member[MAX_MEMBERS];
	size_t nr;
};

static const char *value(const char *p, char *type, struct object *top);

static const char *string(const char *p, char *type)
{
	const char *begin = ++p;

	for (; *p != '"'; p++) {
		if (*p < ' ' || *p > '~')
			return NULL;
		if (*p != '\\')
			continue;
		if (!*++p || !strchr("\"\\/bfnrtu", *p))
			return NULL;
		for (int i = 0; *p == 'u' && i < 4; i++)
			if (!isxdigit((unsigned char)p[1 + i]))
				return NULL;
	}
	*type = !strncmp(begin, "0x", 2) && p > begin + 2 &&
		strspn(begin + 2, "0123456789abcdef") == (size_t)(p - begin - 2) ?
		'x' : 's';
	return p + 1;
}

static bool is_right(const char *name, char type)
{
	if (!strcmp(name, "pid"))
		return type == 'n';
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (!strcmp(name, addresses[i]))
			return type == 'x' || type == '0';
	return true;
}

static const char *object(const char *p, struct object *top)
{
	struct member m;
	const char *key;
	char type;

	if (*++p == '}')
		return p + 1;
	for (;;) {
		key = p + 1;
		p = *p == '"' ? string(p, &type) : NULL;
		if (!p || *p != ':')
			return NULL;
		snprintf(m.name, sizeof(m.name), "%.*s", (int)(p - 1 - key), key);
		m.text = p + 2;
		p = value(p + 1, &m.type, NULL);
		if (!p)
			return NULL;
		if (!is_right(m.name, m.type)) {
			snprintf(wrong, sizeof(wrong), "%s is of the type %c",
				 m.name, m.type);
			return NULL;
		}
		if (top && top->nr < MAX_MEMBERS)
			top->member[top->nr++] = m;
		if (*p == '}')
			return p + 1;
		if (*p++ != ',')
			return NULL;
	}
}

static const char *array(const char *p)
{
	char type;

	if (*++p == ']')
		return p + 1;
	for (;;) {
		p = value(p, &type, NULL);
		if (!p || *p == ']')
			return p ? p + 1 : NULL;
		if (*p++ != ',')
			return NULL;
	}
}

/* Behind the value at @p; NULL if it is none. */
static const char *value(const char *p, char *type, struct object *top)
{
	static const char *const words[] = { "true", "false", "null" };

	*type = *p == '{' ? 'o' : *p == '[' ? 'a' : 'n';
	if (*p == '"')
		return string(p, type);
	if (*p == '{')
		return object(p, top);
	if (*p == '[')
		return array(p);
	for (int i = 0; i < 3; i++)
		if (!strncmp(p, words[i], strlen(words[i]))) {
			*type = i < 2 ? 'b' : '0';
			return p + strlen(words[i]);
		}
	p += *p == '-';
	return isdigit((unsigned char)*p) ? p + strspn(p, "0123456789") : NULL;
}

static const struct member *find(const struct object *o, const char *name)
{
	for (size_t i = 0; i < o->nr; i++)
		if (!strcmp(o->member[i].name, name))
			return &o->member[i];
	return NULL;
}

/* Whether @wanted has a member of that name. */
static bool is_wanted(const char *name, const char *wanted)
{
	size_t len = strlen(name);
	const char *p;

	for (p = wanted; (p = strstr(p, name)); p += len)
		if ((p == wanted || p[-1] == ' ') && p[len] == ':')
			return true;
	return !strcmp(name, "type");
}

static const char *members(const struct object *o, const char *all)
{
	const char *wanted = all;
	const struct member *m;
	char name[32], type, more[3];
	int len;

	for (; *wanted; wanted += len + strspn(wanted + len, " ")) {
		more[0] = '\0';
		len = strcspn(wanted, " ");
		if (sscanf(wanted, "%31[^:]:%c%2[0?]", name, &type, more) < 2)
			return "a mistake in the test";
		m = find(o, name);
		if (!m && strchr(more, '?'))
			continue;
		if (m && (type == '*' || m->type == type ||
			  (m->type == 'x' && type == 's') ||
			  (m->type == '0' && strchr(more, '0'))))
			continue;
		snprintf(wrong, sizeof(wrong), "%s is %s%c", name,
			 m ? "of the type " : "missing", m ? m->type : '.');
		return wrong;
	}
	for (size_t i = 0; i < o->nr; i++) {
		if (is_wanted(o->member[i].name, all))
			continue;
		snprintf(wrong, sizeof(wrong), "%.*s is in no list, see ptwalk-json(7)",
			 (int)sizeof(o->member[i].name), o->member[i].name);
		return wrong;
	}
	return NULL;
}

const char *json_check(const char *line, const char *command,
		       const struct json_lines *lines, size_t nr)
{
	const struct member *type;
	struct object o = { .nr = 0 };
	const char *end;
	char what;

	wrong[0] = '\0';
	end = *line == '{' ? value(line, &what, &o) : NULL;
	if (!end || *end)
		return wrong[0] ? wrong : "no JSON object";
	type = find(&o, "type");
	for (size_t i = 0; type && i < nr; i++) {
		size_t len = strlen(lines[i].type);

		if (!strcmp(lines[i].command, command) &&
		    !strncmp(type->text, lines[i].type, len) &&
		    type->text[len] == '"')
			return members(&o, lines[i].members);
	}
	return "no type, or an unknown one";
}

static const struct json_lines all_lines[] = {
#include "json_lines.h"
};

const char *json_wrong(char *text, const char *command, size_t wanted)
{
	const char *why = NULL;
	size_t nr = 0;
	char *line;

	for (; !why && (line = strsep(&text, "\n")) && text; nr++)
		why = json_check(line, command, all_lines,
				 sizeof(all_lines) / sizeof(all_lines[0]));
	return why ? why : nr == wanted ? NULL : "another number of lines";
}
