/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow, and those in order. */
#ifndef PTWALK_BASE_ARRAY_H
#define PTWALK_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes room in an array, of which @array is the address of the pointer and
 * @max the number of elements that there is room for, for @nr of them, each of
 * @size bytes. Returns false without memory; the array is as before then.
 */
bool array_room(void *array, size_t *max, size_t nr, size_t size);

/* Appends an element, which comes last, to @nr of them; false without memory. */
#define array_add(array, nr, max, ...)					\
	(array_room(&(array), &(max), (nr) + 1, sizeof(*(array))) &&	\
	 ((array)[(nr)++] = (__VA_ARGS__), true))

/*
 * The index of the first of @nr elements whose @member, a uint64_t, is @wanted or
 * more; @nr if there is none. They ascend by it.
 */
#define array_from(array, nr, member, wanted)				\
	array_first((nr) ? &(array)->member : NULL, (nr),		\
		    sizeof(*(array)), (wanted))

/* The same of numbers @size bytes apart, of which @first is the first. */
static inline size_t array_first(const uint64_t *first, size_t nr, size_t size,
				 uint64_t wanted)
{
	size_t low = 0, high = nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (*(const uint64_t *)((const char *)first + mid * size) <
		    wanted)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* For qsort() and elements that begin with a uint64_t: they ascend by it. */
int array_order(const void *a, const void *b);

#endif /* PTWALK_BASE_ARRAY_H */
