/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Linux 6.19, 68aa2fdbf57f (linux/leafops.h): a non-present entry is decoded
 * into a softleaf_t; before, into a swp_entry_t. Some stable kernels have the
 * names without the header, so the header is tested for.
 */
#ifndef PTWALK_COMPAT_SOFTLEAF_H
#define PTWALK_COMPAT_SOFTLEAF_H

#include <linux/swapops.h>

#if __has_include(<linux/leafops.h>)
#include <linux/leafops.h>
#else

typedef swp_entry_t softleaf_t;

#ifndef softleaf_from_pte
#define softleaf_from_pte(pte)	pte_to_swp_entry(pte)
#endif

static inline softleaf_t softleaf_from_pmd(pmd_t pmd)
{
#ifdef CONFIG_ARCH_ENABLE_THP_MIGRATION
	return pmd_to_swp_entry(pmd);
#else
	return swp_entry(0, 0);
#endif
}

#define softleaf_is_migration(leaf)		is_migration_entry(leaf)
#define softleaf_is_migration_write(leaf)	is_writable_migration_entry(leaf)
#ifdef CONFIG_MIGRATION
#define softleaf_is_migration_read_exclusive(leaf)	\
	is_readable_exclusive_migration_entry(leaf)
#else
#define softleaf_is_migration_read_exclusive(leaf)	false
#endif
#define softleaf_is_hwpoison(leaf)		is_hwpoison_entry(leaf)
#define softleaf_is_device_private(leaf)	is_device_private_entry(leaf)
#define softleaf_is_device_exclusive(leaf)	is_device_exclusive_entry(leaf)
#define softleaf_is_marker(leaf)		is_pte_marker_entry(leaf)

#endif

#endif /* PTWALK_COMPAT_SOFTLEAF_H */
