/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an interface may show of a page for a moment although its process
 * doesn't run, and the page tables are before and after as if nothing had been:
 * a migration that fails, reclaim, map counts that others change. Pure.
 */
#ifndef PTWALK_CHECK_TRANSIENT_H
#define PTWALK_CHECK_TRANSIENT_H

#include "check/compare.h"

/**
 * transient_shows() - whether a page may have been what was seen for a moment
 * @env: The run.
 * @source: The interface.
 * @truth: The page before and after.
 * @seen: What the interface showed, if @has_data.
 *
 * - A page may be tried to be migrated, and stay: its entry is a migration
 *   entry meanwhile, and it has no mappings; of hugetlb the entry is empty.
 * - Another process may access its memory (/proc/PID/mem, ptrace(2)) between
 *   two rounds of reclaim, so that an anonymous page is swapped out and in again
 *   in the same frame, or in and out again to the same place.
 * - Tables of hugetlb may be shared with other processes.
 * - Others map and unmap pages of files and of KSM; an anonymous page that only
 *   this process maps is for nobody else to map while the process sleeps.
 * - Where userfaultfd protects, another process may be the one that does.
 * - The cgroups of a folio's pages are read one after the other.
 */
bool transient_shows(const struct env *env, const struct source *source,
		     const struct page_truth *truth, uint64_t seen,
		     bool has_data);

#endif /* PTWALK_CHECK_TRANSIENT_H */
