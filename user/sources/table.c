// SPDX-License-Identifier: GPL-2.0
/* The table of sources. */
#include <string.h>
#include "proc/interfaces.h"
#include "sources/source.h"

const struct source *const sources[] = {
	&source_pagemap,
	&source_pagemap_single,
	&source_pagemap_4k,
	&source_pagemap_unaligned,
	&source_pagemap_unprivileged,
	&source_scan,
	&source_scan_written,
	&source_scan_pieces,
	&source_scan_filters,
	&source_kpageflags,
	&source_kpagecount,
	&source_kpagecgroup,
	&source_move_pages,
	&source_mincore,
	NULL
};

_Static_assert(sizeof(sources) / sizeof(sources[0]) - 1 <= SOURCES_MAX, "room for each");

const struct source *source_find(const char *name, size_t len)
{
	for (size_t i = 0; sources[i]; i++)
		if (strlen(sources[i]->name) == len && !memcmp(sources[i]->name, name, len))
			return sources[i];
	return NULL;
}

const char *source_lacks(const struct source *source)
{
	const char *why = interface_lacks(source->asks);

	return why || !source->probe ? why : source->probe(source);
}
