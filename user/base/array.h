/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow. */
#ifndef PTWALK_BASE_ARRAY_H
#define PTWALK_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room in an array, of which @array is the address of the pointer and
 * @max the number of elements that there is room for, for @nr of them, each of
 * @size bytes. Returns false without memory; the array is as before then.
 */
bool array_room(void *array, size_t *max, size_t nr, size_t size);

#endif /* PTWALK_BASE_ARRAY_H */
