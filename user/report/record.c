// SPDX-License-Identifier: GPL-2.0
/* The module's records in words and in JSON, for translate and dump. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/print.h"
#include "lib/memory_types.h"
#include "lib/names.h"
#include "report/record.h"

const char *record_size(uint64_t bytes, char buf[RECORD_SIZE])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;

	while (bytes && !(bytes & 1023) && unit < sizeof(units) - 2) {
		bytes >>= 10;
		unit++;
	}
	snprintf(buf, RECORD_SIZE, "%" PRIu64 "%c", bytes, units[unit]);
	return buf;
}

const char *record_range(uint64_t start, uint64_t last, char buf[RECORD_RANGE])
{
	if (last == UINT64_MAX)
		snprintf(buf, RECORD_RANGE, "0x%" PRIx64 "-0x1%016d", start, 0);
	else
		snprintf(buf, RECORD_RANGE, "0x%" PRIx64 "-0x%" PRIx64, start,
			 last + 1);
	return buf;
}

uint64_t record_entry_size(const struct kernel_info *info, uint64_t bits)
{
	uint32_t level = ptwalk_bits_level(bits);

	if (level >= PTWALK_LEVELS || !(info->levels & 1U << level))
		return 0;
	return 1ULL << info->level_shift[level];
}

const char *record_memory_type(const struct kernel_info *info, uint64_t bits,
			       char buf[RECORD_SIZE])
{
	return memtype_text(info, bits, buf);
}

/* Types of a kind, of which the module has told at least one. */
static bool has_types(const struct kernel_info *info, unsigned int first,
		      unsigned int last)
{
	uint32_t mask = memtypes_there(info);

	return mask >> first & ((1U << (last - first + 1)) - 1);
}

const char *record_memory_decoded(const struct kernel_info *info, uint64_t bits,
				  char buf[RECORD_TEXT])
{
	uint32_t index = ptwalk_bits_aux(bits);
	char name[RECORD_SIZE];
	const char *type = record_memory_type(info, bits, name);
	const char *more = "", *table = NULL;
	unsigned int x86;

	/* x86 has eight of each; s390 has one that no entry tells. */
	if (info->nr_memory_types == 8 &&
	    has_types(info, PTWALK_MEMORY_TYPE_WB, PTWALK_MEMORY_TYPE_WP))
		table = "PAT entry";
	else if (info->nr_memory_types == 8 &&
		 has_types(info, PTWALK_MEMORY_TYPE_NORMAL,
			   PTWALK_MEMORY_TYPE_DEVICE_GRE))
		table = "MAIR index";
	/* pat_x_mtrr_type(): WB, WT and WP are as cached as the MTRRs let them. */
	x86 = index < info->nr_memory_types ? info->memory_types[index] : 0;
	if ((x86 == PTWALK_MEMORY_TYPE_WB || x86 == PTWALK_MEMORY_TYPE_WT ||
	     x86 == PTWALK_MEMORY_TYPE_WP) &&
	    !(ptwalk_bits_flags(bits) & (PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE |
					 PTWALK_FLAG_ZERO)))
		more = "; MTRRs, which count outside RAM, may make it uncached";
	if (table)
		snprintf(buf, RECORD_TEXT, "%s (%s %u%s)", type, table, index, more);
	else
		snprintf(buf, RECORD_TEXT, "%s", type);
	return buf;
}

const char *record_absent(uint64_t value, uint64_t bits, char buf[RECORD_TEXT])
{
	uint32_t aux = ptwalk_bits_aux(bits);
	uint32_t kind = ptwalk_bits_kind(bits);
	char names[64];
	const char *what = NULL;

	switch (kind) {
	case PTWALK_KIND_NONE:
		return "not present: empty";
	case PTWALK_KIND_NO_VMA:
		return "not present: in no VMA";
	case PTWALK_KIND_BAD:
		return "not present: a bad upper-level entry";
	case PTWALK_KIND_SWAP:
		snprintf(buf, RECORD_TEXT,
			 "not present: swap type %u offset 0x%" PRIx64, aux,
			 value);
		return buf;
	case PTWALK_KIND_MARKER:
		names_mask(&names_marker, value, ",", names, sizeof(names));
		snprintf(buf, RECORD_TEXT, "not present: marker %s", names);
		return buf;
	case PTWALK_KIND_MIGRATION:
		what = "migrating";
		break;
	case PTWALK_KIND_HWPOISON:
		what = "hardware-poisoned";
		break;
	case PTWALK_KIND_DEVICE_PRIVATE:
		what = "in device memory";
		break;
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		what = "held by a device";
		break;
	}
	if (what)
		snprintf(buf, RECORD_TEXT, "not present: %s, frame 0x%" PRIx64,
			 what, value);
	else
		snprintf(buf, RECORD_TEXT,
			 "not present: %s entry, type %u value 0x%" PRIx64,
			 name_of(&names_kind, kind, names), aux, value);
	return buf;
}

const char *record_flags(uint64_t bits, char buf[RECORD_FLAGS])
{
	uint32_t pkey = ptwalk_bits_pkey(bits);
	size_t len;

	names_mask(&names_flag, ptwalk_bits_flags(bits), ",", buf,
		   RECORD_FLAGS);
	len = strlen(buf);
	if (pkey)
		snprintf(buf + len, RECORD_FLAGS - len, ",pkey=%u", pkey);
	return buf;
}

static void json_frame(json_t *object, const struct kernel_info *info,
		       uint64_t pfn, uint64_t bits, uint64_t offset)
{
	char buf[RECORD_SIZE];

	json_object_set_new(object, "pfn", json_hex(pfn));
	if (ptwalk_bits_kind(bits) != PTWALK_KIND_PRESENT)
		return;
	json_object_set_new(object, "paddr",
			    json_hex((pfn << info->page_shift) | offset));
	json_object_set_new(object, "memory_type",
			    json_string(record_memory_type(info, bits, buf)));
	if (info->features & PTWALK_FEATURE_PKEYS)
		json_object_set_new(object, "pkey",
				    json_integer(ptwalk_bits_pkey(bits)));
}

void record_json(json_t *object, const struct kernel_info *info,
		 uint64_t value, uint64_t bits, uint64_t offset)
{
	uint32_t kind = ptwalk_bits_kind(bits);
	char buf[NAME_SIZE];

	json_object_set_new(object, "kind",
			    json_string(name_of(&names_kind, kind, buf)));
	if (kind == PTWALK_KIND_NO_VMA)
		return;

	json_object_set_new(object, "level",
			    json_string(name_of(&names_level,
						ptwalk_bits_level(bits), buf)));
	json_object_set_new(object, "page_size",
			    json_integer(record_entry_size(info, bits)));
	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		break;
	case PTWALK_KIND_MARKER:
		json_object_set_new(object, "marker",
				    json_mask(&names_marker, value));
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_UNKNOWN:
		json_object_set_new(object, "swap_type",
				    json_integer(ptwalk_bits_aux(bits)));
		json_object_set_new(object, "swap_offset", json_hex(value));
		break;
	default:
		json_frame(object, info, value, bits, offset);
	}
	json_object_set_new(object, "flags",
			    json_mask(&names_flag, ptwalk_bits_flags(bits)));
}

/* What /proc/PID/maps shows as "rw-p", and what follows from it. */
#define PERMS_MASK	(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE | \
			 PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_SHARED | \
			 PTWALK_VMA_FLAG_MAYREAD | PTWALK_VMA_FLAG_MAYWRITE | \
			 PTWALK_VMA_FLAG_MAYEXEC | PTWALK_VMA_FLAG_MAYSHARE)

void record_vma(const struct truth_vma *vma, const char *name)
{
	char range[RECORD_RANGE], flags[RECORD_FLAGS];

	printf("%s %c%c%c%c pgoff 0x%" PRIx64,
	       record_range(vma->start, vma->last, range),
	       vma->flags & PTWALK_VMA_FLAG_READ ? 'r' : '-',
	       vma->flags & PTWALK_VMA_FLAG_WRITE ? 'w' : '-',
	       vma->flags & PTWALK_VMA_FLAG_EXEC ? 'x' : '-',
	       vma->flags & PTWALK_VMA_FLAG_MAYSHARE ? 's' : 'p',
	       vma->pgoff);
	if (vma->inode)
		printf(" dev %u:%u inode %" PRIu64, vma->dev_major,
		       vma->dev_minor, vma->inode);
	names_mask(&names_vma_flag, vma->flags & ~(uint64_t)PERMS_MASK, ",",
		   flags, sizeof(flags));
	printf(" flags %s", flags);
	if (vma->pkey)
		printf(" pkey %" PRIu32, vma->pkey);
	if (*name) {
		putchar(' ');
		out_text(name);
	}
}

json_t *record_vma_json(const struct truth_vma *vma, const char *name)
{
	json_t *object = json_object();

	json_object_set_new(object, "start", json_hex(vma->start));
	json_object_set_new(object, "last", json_hex(vma->last));
	json_object_set_new(object, "flags",
			    json_mask(&names_vma_flag, vma->flags));
	json_object_set_new(object, "raw_flags", json_hex(vma->raw_flags));
	json_object_set_new(object, "page_prot", json_hex(vma->page_prot));
	json_object_set_new(object, "pgoff", json_hex(vma->pgoff));
	json_object_set_new(object, "pkey", json_integer(vma->pkey));
	if (vma->page_shift < 64)
		json_object_set_new(object, "page_size",
				    json_integer(1ULL << vma->page_shift));
	if (vma->inode) {
		json_object_set_new(object, "dev",
				    json_sprintf("%u:%u", vma->dev_major,
						 vma->dev_minor));
		json_object_set_new(object, "inode", json_integer(vma->inode));
	}
	if (*vma->ops)
		json_object_set_new(object, "ops", json_text(vma->ops));
	if (*name)
		json_object_set_new(object, "name", json_text(name));
	return object;
}
