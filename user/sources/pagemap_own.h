/* SPDX-License-Identifier: GPL-2.0 */
/* How pagemap answers requests, tried on ptwalk's own. */
#ifndef PTWALK_SOURCES_PAGEMAP_OWN_H
#define PTWALK_SOURCES_PAGEMAP_OWN_H

#include "sources/source.h"

/* The first of the faults of this pagemap of ours, whose pages have 1 << @shift bytes. */
const struct source_fault *pagemap_own_fault(int fd, unsigned int shift);

#endif /* PTWALK_SOURCES_PAGEMAP_OWN_H */
