// SPDX-License-Identifier: GPL-2.0
/* The memory types that x86 has given out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/lines.h"
#include "base/parse.h"
#include "module/client.h"
#include "proc/memtype_list.h"

/* cattr_name() */
static const struct {
	const char *name;
	unsigned int type;
} types[] = {
	{ "uncached", PTWALK_MEMORY_TYPE_UC },
	{ "uncached-minus", PTWALK_MEMORY_TYPE_UC_MINUS },
	{ "write-combining", PTWALK_MEMORY_TYPE_WC },
	{ "write-through", PTWALK_MEMORY_TYPE_WT },
	{ "write-protected", PTWALK_MEMORY_TYPE_WP },
	{ "write-back", PTWALK_MEMORY_TYPE_WB },
};

/* "PAT: [mem 0x00000000fed00000-0x00000000fed01000] uncached-minus" */
static int take_memtype_line(char *line, void *arg)
{
	static const char head[] = "PAT: [mem ";
	struct memtype_list *list = arg;
	struct memtype_range range = { 0 };
	char *dash, *bracket;

	if (strncmp(line, head, strlen(head)))
		return 0;
	line += strlen(head);
	dash = strchr(line, '-');
	bracket = dash ? strstr(dash, "] ") : NULL;
	if (!bracket)
		return -EINVAL;
	*dash = *bracket = '\0';
	if (parse_hex(line, &range.start) || parse_hex(dash + 1, &range.end) ||
	    range.end <= range.start)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(bracket + 2, types[i].name))
			range.type = types[i].type;
	return array_add(list->range, list->nr, list->max, range) ? 0 : -ENOMEM;
}

int memtype_list_parse(FILE *stream, struct memtype_list *list)
{
	return lines_each(stream, take_memtype_line, list, NULL);
}

int memtype_list_read(struct memtype_list *list)
{
	int err = lines_in(MEMTYPE_LIST, take_memtype_line, list);

	list->is_there = err != -ENOENT;
	return !err || err == -ENOENT ? 0 : lines_failed(MEMTYPE_LIST, err);
}

void memtype_list_free(struct memtype_list *list)
{
	free(list->range);
	memset(list, 0, sizeof(*list));
}
