/* SPDX-License-Identifier: GPL-2.0 */
/* The files page.css and page.js; see page_text.awk. */
#ifndef PTWALK_MAP_PAGE_TEXT_H
#define PTWALK_MAP_PAGE_TEXT_H

extern const char map_page_css[];
extern const char map_page_js[];

#endif /* PTWALK_MAP_PAGE_TEXT_H */
