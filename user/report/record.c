// SPDX-License-Identifier: GPL-2.0
/* The module's records in words and in JSON, for translate and dump. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/print.h"
#include "base/put.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"
#include "report/record.h"

/* The bits of @mask as an array of strings. */
static int print_mask(char *to, size_t size, const struct names *names,
		      uint64_t mask)
{
	char text[RECORD_MASK];

	names_mask(names, mask, "\",\"", text, sizeof(text));
	return mask ? snprintf(to, size, "[\"%s\"]", text) :
		      snprintf(to, size, "[]");
}

/* The members before those that @bits alone don't tell. */
static void begin_words(struct record_words *w, const struct ptwalk_kernel *info,
			uint64_t bits)
{
	uint32_t kind = ptwalk_bits_kind(bits);
	char name[NAME_SIZE], level[NAME_SIZE];
	size_t size = sizeof(w->before);
	int len;

	len = snprintf(w->before, size, ",\"kind\":\"%s\"",
		       name_of(&names_kind, kind, name));
	if (kind != PTWALK_KIND_NO_VMA)
		len += snprintf(w->before + len, size - len,
				",\"level\":\"%s\",\"page_size\":%" PRIu64,
				name_of(&names_level, ptwalk_bits_level(bits),
					level), entry_size(info, bits));
	w->before_len = len;
}

/* Those behind them. */
static void end_words(struct record_words *w, const struct ptwalk_kernel *info,
		      uint64_t bits)
{
	size_t size = sizeof(w->after);
	char type[MEMTYPE_TEXT];
	int len = 0;

	if (ptwalk_bits_kind(bits) == PTWALK_KIND_PRESENT) {
		len = snprintf(w->after, size, ",\"memory_type\":\"%s\"",
			       memtype_text(info, bits, type));
		if (info->features & PTWALK_FEATURE_PKEYS)
			len += snprintf(w->after + len, size - len,
					",\"pkey\":%u", ptwalk_bits_pkey(bits));
	}
	len += snprintf(w->after + len, size - len, ",\"flags\":");
	len += print_mask(w->after + len, size - len, &names_flag,
			  ptwalk_bits_flags(bits));
	w->after_len = len;
}

char *record_json(char *to, struct record_words *w,
		  const struct ptwalk_kernel *info, uint64_t value,
		  uint64_t bits, uint64_t offset)
{
	uint32_t kind = ptwalk_bits_kind(bits);

	if (!w->before_len || w->bits != bits) {
		begin_words(w, info, bits);
		end_words(w, info, bits);
		w->bits = bits;
	}
	to = put_bytes(to, w->before, w->before_len);
	switch (kind) {
	case PTWALK_KIND_NO_VMA:
		return to;
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		break;
	case PTWALK_KIND_MARKER:
		to = put_text(to, ",\"marker\":");
		to += print_mask(to, RECORD_MASK, &names_marker, value);
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_UNKNOWN:
		to = put_text(to, ",\"swap_type\":");
		to = put_decimal(to, ptwalk_bits_aux(bits), 0);
		to = put_text(to, ",\"swap_offset\":\"");
		to = put_hex(to, value);
		*to++ = '"';
		break;
	default:
		to = put_text(to, ",\"pfn\":\"");
		to = put_hex(to, value);
		*to++ = '"';
		if (kind != PTWALK_KIND_PRESENT)
			break;
		to = put_text(to, ",\"paddr\":\"");
		to = put_hex(to, (value << info->page_shift) | offset);
		*to++ = '"';
	}
	return put_bytes(to, w->after, w->after_len);
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
