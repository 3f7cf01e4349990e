// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

/* Room for one more; the count is in *nr. */
static void *grow(void *array, size_t *nr, size_t size)
{
	if (!(*nr & (*nr - 1))) {
		array = realloc(array, (*nr ? 2 * *nr : 1) * size);
		if (!array) {
			perror("oracle");
			exit(1);
		}
	}
	memset((char *)array + *nr * size, 0, size);
	++*nr;
	return array;
}

#define ADD(array, nr) \
	((array) = grow(array, &(nr), sizeof(*(array))), &(array)[(nr) - 1])

static void take_kind(struct report *r, const char *line)
{
	struct kind *k = ADD(r->kind, r->nr_kinds);
	char how[16] = "";

	sscanf(line, "kind %47s %15s %199[^\n]", k->name, how, k->lacks);
	k->broken = !strcmp(how, "broken");
}

static void take_pages(struct report *r, const char *line)
{
	static const char *const contents[] = {
		[CONTENT_ANY] = "any",
		[CONTENT_PATTERN] = "pattern",
		[CONTENT_DIGEST] = "digest",
		[CONTENT_WORD] = "word",
	};
	char name[48], content[16];
	uint64_t addr, value = 0, count, i;
	struct page *p;
	int pid;

	if (sscanf(line, "pages %47s %d %" SCNx64 " %" SCNu64 " %15s %" SCNx64, name, &pid,
		   &addr, &count, content, &value) < 5)
		return;
	for (i = 0; i < count; i++) {
		p = ADD(r->page, r->nr_pages);
		p->kind = r->nr_kinds - 1;
		p->pid = pid;
		p->addr = addr + i * r->page_size;
		p->value = value;
		for (size_t c = 0; c < sizeof(contents) / sizeof(contents[0]); c++)
			if (!strcmp(content, contents[c]))
				p->content = c;
		if (p->content == CONTENT_PATTERN)
			p->value += i;
	}
}

/* What follows "KEY": in a line of JSON; NULL without it. */
static const char *value_of(const char *json, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(json, quoted);
	return at ? at + strlen(quoted) : NULL;
}

static bool number_of(const char *json, const char *key, uint64_t *number)
{
	const char *at = value_of(json, key);

	if (at)
		*number = strtoull(at + (*at == '"'), NULL, 0);
	return at;
}

static bool is_text(const char *json, const char *key, const char *text)
{
	const char *at = value_of(json, key);
	size_t n = strlen(text);

	return at && *at == '"' && !strncmp(at + 1, text, n) && at[1 + n] == '"';
}

static bool has_flag(const char *json, const char *flag)
{
	const char *at = value_of(json, "flags"), *end = at ? strchr(at, ']') : NULL;
	const char *found;
	char quoted[32];

	snprintf(quoted, sizeof(quoted), "\"%s\"", flag);
	found = end ? strstr(at, quoted) : NULL;
	return found && found < end;
}

static const char *const levels[LEVELS] = { "pte", "pmd", "pud", "p4d", "pgd" };

static void take_extent(struct report *r, const char *line)
{
	uint64_t pid = 0;
	struct extent *e;

	if (!is_text(line, "kind", "present"))
		return;
	e = ADD(r->extent, r->nr_extents);
	number_of(line, "pid", &pid);
	number_of(line, "start", &e->start);
	number_of(line, "last", &e->last);
	number_of(line, "paddr", &e->phys);
	number_of(line, "page_size", &e->step);
	sscanf(value_of(line, "memory_type") ?: "", "\"%15[^\"]", e->type);
	e->pid = pid;
	for (int i = 0; i < LEVELS; i++)
		if (is_text(line, "level", levels[i]))
			e->level = i;
	e->write = has_flag(line, "write");
	e->user = has_flag(line, "user");
	e->exec = has_flag(line, "exec");
	e->young = has_flag(line, "young");
	e->dirty = has_flag(line, "dirty");
	e->global = has_flag(line, "global");
	e->prot_none = has_flag(line, "prot-none");
}

static void take_walk(struct report *r, const char *line)
{
	const char *entries = value_of(line, "entries");
	struct walk *w;

	if (!entries)
		return;
	w = ADD(r->walk, r->nr_walks);
	number_of(line, "vaddr", &w->addr);
	for (int i = 0; i < LEVELS; i++)
		w->has[i] = number_of(entries, levels[i], &w->entry[i]);
}

void report_read(struct report *r, FILE *in)
{
	char *line = NULL;
	size_t room = 0;

	free(r->kind);
	free(r->page);
	free(r->extent);
	free(r->walk);
	memset(r, 0, sizeof(*r));
	while (!r->held && getline(&line, &room, in) > 0) {
		if (!strncmp(line, "oracle ", 7))
			sscanf(line, "oracle %" SCNu64 " %d %" SCNx64, &r->page_size,
			       &r->pid, &r->mailbox);
		else if (!strncmp(line, "kind ", 5))
			take_kind(r, line);
		else if (!strncmp(line, "pages ", 6) && r->nr_kinds && r->page_size)
			take_pages(r, line);
		else if (*line == '{' && is_text(line, "type", "extent"))
			take_extent(r, line);
		else if (*line == '{' && is_text(line, "type", "translation"))
			take_walk(r, line);
		r->held = !strcmp(line, "hold\n");
	}
	free(line);
}

const struct extent *report_extent(const struct report *r, int pid, uint64_t addr)
{
	for (size_t i = 0; i < r->nr_extents; i++) {
		const struct extent *e = &r->extent[i];

		if (e->pid == pid && addr >= e->start && addr <= e->last)
			return e;
	}
	return NULL;
}
