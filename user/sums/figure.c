// SPDX-License-Identifier: GPL-2.0
/* A figure of smaps, status and their like in words. */
#include <inttypes.h>
#include <string.h>
#include "base/format.h"
#include "module/names.h"
#include "sums/figure.h"

const char *figure_name(const struct figure *figure, char buf[FIGURE_NAME])
{
	if (strcmp(figure->field, "N"))
		return figure->field;
	snprintf(buf, FIGURE_NAME, "N%u", figure->node);
	return buf;
}

static bool is_flags(const struct figure *f)
{
	return !strcmp(f->unit, "flags");
}

static bool is(const struct figure *f, const char *field)
{
	return !strcmp(f->field, field);
}

/* What is no number, of the line of a mapping; false for all else. */
static bool in_words(const struct figure *f, uint64_t value, bool counted,
		     char buf[FIGURE_TEXT])
{
	char perms[] = "---p";

	if (is(f, "mapping")) {
		snprintf(buf, FIGURE_TEXT, value ? "there" : "not there");
	} else if (is(f, "name")) {
		snprintf(buf, FIGURE_TEXT, counted ? "as in maps" :
			 value ? "the same" : "another one");
	} else if (is(f, "file name")) {
		snprintf(buf, FIGURE_TEXT, value ? "of a file" :
						   "of no file");
	} else if (is(f, "place")) {
		snprintf(buf, FIGURE_TEXT, "%s",
			 value == 1 ? "[heap]" : value == 2 ? "[stack]" :
			 value ? "something else" : "neither heap nor stack");
	} else if (is(f, "vdso")) {
		snprintf(buf, FIGURE_TEXT, value ? "[vdso], code" : "[vvar], data");
	} else if (is(f, "is")) {
		snprintf(buf, FIGURE_TEXT, "%s",
			 value == NUMA_FILE ? "a file" :
			 value == NUMA_HEAP ? "heap" :
			 value == NUMA_STACK ? "stack" : "nothing of these");
	} else if (is(f, "policy")) {
		snprintf(buf, FIGURE_TEXT, "%s%s%s", numa_policy_name(value),
			 value >> 16 ? "=" : "", numa_policy_flags(value));
	} else if (is(f, "permissions")) {
		for (int i = 0; i < 4; i++)
			if (value >> i & 0x11)
				perms[i] = value >> i & 0x10 ? '?' : "rwxs"[i];
		snprintf(buf, FIGURE_TEXT, "%s", perms);
	} else if (is(f, "device")) {
		snprintf(buf, FIGURE_TEXT, "%02x:%02x",
			 (uint32_t)(value >> 32), (uint32_t)value);
	} else if (is(f, "offset") || is(f, "start") || is(f, "end") ||
		   is(f, "nodes")) {
		snprintf(buf, FIGURE_TEXT, "0x%" PRIx64, value);
	} else {
		return false;
	}
	return true;
}

uint64_t figure_unit_bytes(const struct figure *f, unsigned int page_shift)
{
	return !strcmp(f->unit, "kB") ? 1024 : !strcmp(f->unit, "bytes") ? 1 :
	       !strcmp(f->unit, "pages") ? 1ULL << page_shift : 0;
}

const char *figure_counted(const struct figure *f, char buf[FIGURE_TEXT])
{
	if (is_flags(f))
		names_mask(&names_vma_flag, f->low & ~f->seen, ",", buf,
			   FIGURE_TEXT);
	else if (in_words(f, f->low, true, buf))
		return buf;
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
	if (f->absent)
		snprintf(buf, FIGURE_TEXT, "not there");
	else if (is_flags(f))
		names_mask(&names_vma_flag, f->seen & ~f->low, ",", buf,
			   FIGURE_TEXT);
	else if (!in_words(f, f->seen, false, buf))
		snprintf(buf, FIGURE_TEXT, "%" PRIu64, f->seen);
	return buf;
}

/* "VmRSS", "Rss of 0x1000-0x2000" */
static void name_figure(const struct figure *f, char *buf, size_t size)
{
	char name[FIGURE_NAME], range[FORMAT_RANGE];

	if (f->last)
		snprintf(buf, size, "%s of %s", figure_name(f, name),
			 format_range(f->start, f->last, range));
	else
		snprintf(buf, size, "%s", figure_name(f, name));
}

/* Of flags. */
static const char *or_nothing(const char *flags)
{
	return strcmp(flags, "-") ? flags : "nothing";
}

void figure_sides(const struct figure *f, char *truth, char *seen, size_t size)
{
	char counted[FIGURE_TEXT], shown[FIGURE_TEXT], name[96];
	const char *bug = f->verdict == FIGURE_MISMATCH && f->bug ?
			  ", a bug of the kernel" : "";
	const char *blank = *f->unit ? " " : "";

	name_figure(f, name, sizeof(name));
	figure_counted(f, counted);
	figure_shown(f, shown);
	if (is_flags(f))
		snprintf(truth, size, "%s: the mapping has %s besides", name,
			 or_nothing(counted));
	else
		snprintf(truth, size, "%s: %s%s%s", name, counted, blank, f->unit);
	if (f->absent)
		snprintf(seen, size, "%s: %s (%s)%s", name, shown, f->where, bug);
	else if (is_flags(f))
		snprintf(seen, size, "%s: shows %s besides (%s)%s", name,
			 or_nothing(shown), f->where, bug);
	else
		snprintf(seen, size, "%s: %s%s%s (%s)%s", name, shown, blank, f->unit,
			 f->where, bug);
}

/* What has no more and no less. */
static bool is_no_amount(const struct figure *f)
{
	return is(f, "mapping") || is(f, "name") || is(f, "file name") ||
	       is(f, "place") || is(f, "is") || is(f, "policy");
}

void figure_difference(const struct figure *f, uint64_t *lacks,
		       uint64_t *excess)
{
	if (f->absent) {
		*lacks = 1;
		*excess = 0;
	} else if (is_flags(f) || is(f, "permissions")) {
		*lacks = f->low & ~f->seen;
		*excess = f->seen & ~f->low;
	} else if (is_no_amount(f)) {
		*lacks = f->low;
		*excess = f->seen;
	} else {
		*lacks = f->seen < f->low;
		*excess = f->seen > f->high;
	}
}
