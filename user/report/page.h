/* SPDX-License-Identifier: GPL-2.0 */
/* The page behind an entry: its counts and flags, as text and as JSON. */
#ifndef PTWALK_REPORT_PAGE_H
#define PTWALK_REPORT_PAGE_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/* Prints "references 2, mapped 1 times, uptodate,anon; not pinned", without an end. */
void page_write(const struct ptwalk_page *page);

/* Whether it may be pinned, for DMA or the like; if not, that is sure. */
bool page_maybe_pinned(const struct ptwalk_page *page);

/* The same in words. */
const char *page_pinned(const struct ptwalk_page *page);

/* The members of an object that is one. */
void page_json(const struct ptwalk_page *page);

#endif /* PTWALK_REPORT_PAGE_H */
