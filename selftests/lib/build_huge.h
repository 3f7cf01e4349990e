/* SPDX-License-Identifier: GPL-2.0 */
/* For builders of huge pages in special states. */
#ifndef PTWALK_TEST_BUILD_HUGE_H
#define PTWALK_TEST_BUILD_HUGE_H

#include "mapping.h"

/* A THP, written to; NULL, with mapping_lacks() called, if there is none. */
char *thp_write(struct mapping *m, size_t *size);
struct expect expect_thp(struct mapping *m, const char *at, size_t pages);

/*
 * Room for one hugetlb page of @size in a mapping with these flags; NULL, with
 * mapping_lacks() called, if there is no such page.
 */
char *hugetlb_place(struct mapping *m, u64 size, int flags);
/* The same of the size where none is asked for; and written to. */
char *hugetlb_usual(struct mapping *m, int flags);
char *hugetlb_write(struct mapping *m, int flags);
/* Of a page that was written to. */
struct expect hugetlb_expect(struct mapping *m, const char *at, u64 size,
			     bool shared);
/* The size of hugetlb pages where none is asked for, or 0. */
u64 hugetlb_default_size(void);
/* Has @m->saved and so on say how many pages there were, and puts them back. */
bool hugetlb_reserve(struct mapping *m, u64 size);
void hugetlb_put_back(struct mapping *m);

#endif /* PTWALK_TEST_BUILD_HUGE_H */
