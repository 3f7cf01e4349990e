/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a file of 64-bit entries, such as pagemap, answers requests: what must be so
 * whichever entries they are about.
 */
#ifndef PTWALK_SOURCES_ENTRIES_H
#define PTWALK_SOURCES_ENTRIES_H

#include "sources/source.h"

/*
 * Tries requests on @fd, a file that has less than @most entries; 0: only its first two
 * are read. If @shift, they are pages of our memory, of 1 << @shift bytes. Puts what is
 * wrong, but for the function, into @fault, or leaves it alone.
 */
void entries_try(int fd, uint64_t most, unsigned int shift, struct source_fault *fault);

#endif /* PTWALK_SOURCES_ENTRIES_H */
