// SPDX-License-Identifier: GPL-2.0
/* Findings that differ in their place alone: people are told the first ones. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/print.h"
#include "cmd/alike_places.h"
#include "report/alike.h"

bool alike_places_tell(struct alike_places *a, uint64_t pages)
{
	if (a->told < ALIKE_TOLD) {
		a->told++;
		return true;
	}
	a->places++;
	a->pages += pages;
	return false;
}

void alike_places_end(struct alike_places *a, const char *why)
{
	if (a->places)
		printf("  alike     %" PRIu64 " more page%s, at %" PRIu64 " place%s%s%s (--json prints all)\n",
		       a->pages, plural(a->pages), a->places, plural(a->places),
		       why ? ": " : "", why ?: "");
	out_check();
	*a = (struct alike_places){ 0 };
}
