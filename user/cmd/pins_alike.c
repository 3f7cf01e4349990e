// SPDX-License-Identifier: GPL-2.0
/* Findings of pins that differ in their place alone: people are told the first ones. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/print.h"
#include "cmd/pins_alike.h"
#include "report/alike.h"

bool pins_alike_tell(struct pins_alike *a, uint64_t pages)
{
	if (a->told < ALIKE_TOLD) {
		a->told++;
		return true;
	}
	a->places++;
	a->pages += pages;
	return false;
}

void pins_alike_end(struct pins_alike *a, const char *why)
{
	if (a->places)
		printf("  alike     %" PRIu64 " more page%s, at %" PRIu64 " place%s%s%s (--json prints all)\n",
		       a->pages, plural(a->pages), a->places, plural(a->places),
		       why ? ": " : "", why ?: "");
	out_check();
	*a = (struct pins_alike){ 0 };
}
