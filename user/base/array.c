// SPDX-License-Identifier: GPL-2.0
/* Arrays that grow, and those in order. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"

bool array_room(void *array, size_t *max, size_t nr, size_t size)
{
	size_t wanted = *max ? *max : 32;
	void *old, *new;

	if (nr <= *max)
		return true;
	while (wanted < nr)
		wanted *= 2;
	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, wanted, size);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*max = wanted;
	return true;
}

int array_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}
