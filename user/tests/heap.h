/* SPDX-License-Identifier: GPL-2.0 */
/* The heap of glibc, for functions that stand in front of its own. */
#ifndef PTWALK_TESTS_HEAP_H
#define PTWALK_TESTS_HEAP_H

#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *memory);

#endif /* PTWALK_TESTS_HEAP_H */
