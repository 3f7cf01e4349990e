// SPDX-License-Identifier: GPL-2.0
/* The table of sources. */
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
