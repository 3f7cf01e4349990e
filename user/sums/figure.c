// SPDX-License-Identifier: GPL-2.0
/* What is known of the fields of smaps, status and their like, and figures in words. */
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

/**
 * struct field - what is known of a field
 * @name: As the file has it; with OF_MAP_COUNTS, all that begin so.
 * @is: Mask of enum figure_is.
 * @words: Of a WORD, what stands for 0, 1 and so on, and the last one for all others.
 * @counted: What stands for any that is counted.
 */
static const struct field {
	const char *name;
	unsigned int is;
	enum { NUMBER, WORD, HEX, DEVICE, POLICY, PERMISSIONS } as;
	const char *words[4], *counted;
} fields[] = {
	{ "mapping", OF_VMAS | NO_AMOUNT, WORD, { "not there", "there" } },
	{ "name", NO_AMOUNT, WORD, { "another one", "the same" }, "as in maps" },
	{ "file name", NO_AMOUNT, WORD, { "of no file", "of a file" } },
	{ "place", OF_VMAS | NO_AMOUNT, WORD,
	  { "neither heap nor stack", "[heap]", "[stack]", "something else" } },
	{ "vdso", OF_VMAS, WORD, { "[vvar], data", "[vdso], code" } },
	{ "is", OF_VMAS | NO_AMOUNT, WORD,
	  { [NUMA_NAMELESS] = "nothing of these", [NUMA_FILE] = "a file",
	    [NUMA_HEAP] = "heap", [NUMA_STACK] = "stack" } },
	{ "policy", NO_AMOUNT, POLICY }, { "nodes", 0, HEX },
	{ "permissions", OF_VMAS, PERMISSIONS },
	{ "device", OF_VMAS, DEVICE }, { "offset", OF_VMAS, HEX },
	{ "start", OF_VMAS, HEX }, { "end", OF_VMAS, HEX },
	{ "links", OF_VMAS }, { "inode", OF_VMAS }, { "huge", OF_VMAS },
	{ "Size", OF_VMAS }, { "KernelPageSize", OF_VMAS }, { "MMUPageSize", OF_VMAS },
	{ "ProtectionKey", OF_VMAS }, { "kernelpagesize_kB", OF_VMAS },
	{ "VmSize", OF_VMAS }, { "VmData", OF_VMAS }, { "VmStk", OF_VMAS },
	{ "VmExe", OF_VMAS }, { "VmLib", OF_VMAS }, { "vsize", OF_VMAS },
	{ "size", OF_VMAS }, { "text", OF_VMAS }, { "lib", OF_VMAS },
	{ "data", OF_VMAS }, { "dt", OF_VMAS }, { "Pss", OF_MAP_COUNTS },
	{ "Shared_", OF_MAP_COUNTS }, { "Private_", OF_MAP_COUNTS },
	{ "Locked", OF_MAP_COUNTS }, { "mapmax", OF_MAP_COUNTS },
	{ NULL }	/* all others */
};

static const struct field *field_of(const struct figure *f)
{
	const struct field *field = fields;

	while (field->name && (field->is & OF_MAP_COUNTS ?
			       strncmp(f->field, field->name, strlen(field->name)) :
			       strcmp(f->field, field->name)))
		field++;
	return field;
}

unsigned int figure_is(const struct figure *f)
{
	return field_of(f)->is;
}

static bool is_flags(const struct figure *f)
{
	return !strcmp(f->unit, "flags");
}

/* What is no plain number; false of all else. */
static bool in_words(const struct figure *f, uint64_t value, char buf[FIGURE_TEXT])
{
	const struct field *field = field_of(f);
	unsigned int word = value < 3 ? value : 3;

	switch (field->as) {
	case WORD:
		while (!field->words[word])
			word--;
		snprintf(buf, FIGURE_TEXT, "%s", field->words[word]);
		break;
	case HEX:
		snprintf(buf, FIGURE_TEXT, "0x%" PRIx64, value);
		break;
	case DEVICE:
		snprintf(buf, FIGURE_TEXT, "%02x:%02x", (uint32_t)(value >> 32),
			 (uint32_t)value);
		break;
	case POLICY:
		snprintf(buf, FIGURE_TEXT, "%s%s%s", numa_policy_name(value),
			 value >> 16 ? "=" : "", numa_policy_flags(value));
		break;
	case PERMISSIONS:
		snprintf(buf, FIGURE_TEXT, "---p");
		for (int i = 0; i < 4; i++)
			if (value >> i & 0x11)
				buf[i] = value >> i & 0x10 ? '?' : "rwxs"[i];
		break;
	default:
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
	else if (field_of(f)->counted)
		snprintf(buf, FIGURE_TEXT, "%s", field_of(f)->counted);
	else if (in_words(f, f->low, buf))
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
	else if (!in_words(f, f->seen, buf))
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

void figure_difference(const struct figure *f, uint64_t *lacks,
		       uint64_t *excess)
{
	if (f->absent) {
		*lacks = 1;
		*excess = 0;
	} else if (is_flags(f) || field_of(f)->as == PERMISSIONS) {
		*lacks = f->low & ~f->seen;
		*excess = f->seen & ~f->low;
	} else if (figure_is(f) & NO_AMOUNT) {
		*lacks = f->low;
		*excess = f->seen;
	} else {
		*lacks = f->seen < f->low;
		*excess = f->seen > f->high;
	}
}
