// SPDX-License-Identifier: GPL-2.0
/* The module's records in words and in JSON, for translate and dump. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/print.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"
#include "report/record.h"

static void json_frame(json_t *object, const struct ptwalk_kernel *info,
		       uint64_t pfn, uint64_t bits, uint64_t offset)
{
	char buf[MEMTYPE_TEXT];

	json_object_set_new(object, "pfn", json_hex(pfn));
	if (ptwalk_bits_kind(bits) != PTWALK_KIND_PRESENT)
		return;
	json_object_set_new(object, "paddr",
			    json_hex((pfn << info->page_shift) | offset));
	json_object_set_new(object, "memory_type",
			    json_string(memtype_text(info, bits, buf)));
	if (info->features & PTWALK_FEATURE_PKEYS)
		json_object_set_new(object, "pkey",
				    json_integer(ptwalk_bits_pkey(bits)));
}

void record_json(json_t *object, const struct ptwalk_kernel *info,
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
			    json_integer(entry_size(info, bits)));
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

void record_vma(const struct ptwalk_vma *vma, const char *name)
{
	char range[FORMAT_RANGE], flags[ENTRY_FLAGS], perms[VMA_PERMISSIONS];

	printf("%s %s pgoff 0x%" PRIx64,
	       format_range(vma->start, vma->last, range),
	       vma_permissions(vma, perms), vma->pgoff);
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

json_t *record_vma_json(const struct ptwalk_vma *vma, const char *name)
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
