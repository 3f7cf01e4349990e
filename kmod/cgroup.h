/* SPDX-License-Identifier: GPL-2.0 */
/* Which memory cgroup a page is charged to. */
#ifndef PTWALK_CGROUP_H
#define PTWALK_CGROUP_H

#include <linux/types.h>

struct folio;

u64 ptwalk_folio_cgroup(struct folio *folio);

#endif /* PTWALK_CGROUP_H */
