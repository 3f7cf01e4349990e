/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the protocol's numbers. Pure. */
#ifndef PTWALK_MODULE_NAMES_H
#define PTWALK_MODULE_NAMES_H

#include "base/names.h"

extern const struct names names_kind;		/* enum ptwalk_kind */
extern const struct names names_level;		/* enum ptwalk_level */
extern const struct names names_flag;		/* enum ptwalk_flag */
extern const struct names names_page_flag;	/* enum ptwalk_page_flag */
extern const struct names names_marker;		/* enum ptwalk_marker */
extern const struct names names_vma_flag;	/* enum ptwalk_vma_flag */
extern const struct names names_feature;	/* enum ptwalk_feature */
extern const struct names names_memory_type;	/* enum ptwalk_memory_type */
extern const struct names names_domain;		/* enum ptwalk_domain */
extern const struct names names_device_flag;	/* enum ptwalk_device_flag */

#endif /* PTWALK_MODULE_NAMES_H */
