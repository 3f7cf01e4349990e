// SPDX-License-Identifier: GPL-2.0
/* Arrays that grow. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"

bool array_room(void *array, size_t *max, size_t nr, size_t size)
{
	size_t wanted = *max ? *max : 32;
	void *p;

	if (nr <= *max)
		return true;
	while (wanted < nr)
		wanted *= 2;
	memcpy(&p, array, sizeof(p));
	p = reallocarray(p, wanted, size);
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*max = wanted;
	return true;
}
