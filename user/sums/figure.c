// SPDX-License-Identifier: GPL-2.0
/* A figure of smaps, status and their like in words. */
#include <inttypes.h>
#include <string.h>
#include "module/names.h"
#include "sums/figure.h"

static bool is_flags(const struct figure *f)
{
	return !strcmp(f->unit, "flags");
}

static bool is_mapping(const struct figure *f)
{
	return !strcmp(f->field, "mapping");
}

const char *figure_counted(const struct figure *f, char buf[FIGURE_TEXT])
{
	if (is_flags(f))
		names_mask(&names_vma_flag, f->low & ~f->seen, ",", buf,
			   FIGURE_TEXT);
	else if (is_mapping(f))
		snprintf(buf, FIGURE_TEXT, f->low ? "there" : "not there");
	else if (f->low == f->high)
		snprintf(buf, FIGURE_TEXT, "%" PRIu64, f->low);
	else if (f->high == UINT64_MAX)
		snprintf(buf, FIGURE_TEXT, ">=%" PRIu64, f->low);
	else
		snprintf(buf, FIGURE_TEXT, "%" PRIu64 "..%" PRIu64, f->low,
			 f->high);
	return buf;
}

const char *figure_shown(const struct figure *f, char buf[FIGURE_TEXT])
{
	if (is_flags(f))
		names_mask(&names_vma_flag, f->seen & ~f->low, ",", buf,
			   FIGURE_TEXT);
	else if (is_mapping(f))
		snprintf(buf, FIGURE_TEXT, f->seen ? "there" : "not there");
	else
		snprintf(buf, FIGURE_TEXT, "%" PRIu64, f->seen);
	return buf;
}
