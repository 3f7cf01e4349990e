/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a page's bytes are where they are said to be. */
#ifndef ORACLE_BYTES_H
#define ORACLE_BYTES_H

#include "layout.h"
#include "monitor.h"
#include "report.h"

/* NULL if @page is found at @phys, else what is there instead. */
const char *bytes_wrong(const struct layout *l, struct monitor *m, uint64_t seed,
			const struct page *page, uint64_t phys, uint64_t page_size);

#endif /* ORACLE_BYTES_H */
