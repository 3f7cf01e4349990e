// SPDX-License-Identifier: GPL-2.0
/* The module's records in words and in JSON, for translate and dump. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/put.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"
#include "report/record.h"

/* The bits of @mask as an array of strings. */
static int print_mask_json(char *to, size_t size, const struct names *names,
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

	len = snprintf(w->before, size, "\"kind\":\"%s\"",
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

	if (ptwalk_bits_present(bits)) {
		len = snprintf(w->after, size, "\"memory_type\":\"%s\",",
			       memtype_text(info, bits, type));
		if (info->features & PTWALK_FEATURE_PKEYS)
			len += snprintf(w->after + len, size - len,
					"\"pkey\":%u,", ptwalk_bits_pkey(bits));
	}
	len += snprintf(w->after + len, size - len, "\"flags\":");
	len += print_mask_json(w->after + len, size - len, &names_flag,
			       ptwalk_bits_flags(bits));
	w->after_len = len;
}

void record_json(struct record_words *w, const struct ptwalk_kernel *info,
		 uint64_t value, uint64_t bits, uint64_t offset)
{
	uint32_t kind = ptwalk_bits_kind(bits);

	if (!w->before_len || w->bits != bits) {
		begin_words(w, info, bits);
		end_words(w, info, bits);
		w->bits = bits;
	}
	jsonw_members(w->before, w->before_len);
	switch (kind) {
	case PTWALK_KIND_NO_VMA:
		return;
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		break;
	case PTWALK_KIND_MARKER:
		jsonw_mask("marker", &names_marker, value);
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_UNKNOWN:
		jsonw_number("swap_type", ptwalk_bits_aux(bits));
		jsonw_hex("swap_offset", value);
		break;
	default:
		jsonw_hex("pfn", value);
		if (kind == PTWALK_KIND_PRESENT)
			jsonw_hex("paddr", (value << info->page_shift) | offset);
	}
	jsonw_members(w->after, w->after_len);
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

void record_vma_json(const struct ptwalk_vma *vma, bool recorded, const char *name)
{
	jsonw_hex("start", vma->start);
	jsonw_hex("last", vma->last);
	jsonw_mask("flags", &names_vma_flag, vma->flags);
	jsonw_hex("raw_flags", vma->raw_flags);
	if (!recorded)
		jsonw_hex("page_prot", vma->page_prot);
	jsonw_hex("pgoff", vma->pgoff);
	jsonw_number("pkey", vma->pkey);
	if (vma->page_shift < 64)
		jsonw_number("page_size", 1ULL << vma->page_shift);
	if (vma->inode) {
		jsonw_format("dev", "%u:%u", vma->dev_major, vma->dev_minor);
		jsonw_number("inode", vma->inode);
	}
	if (*vma->ops)
		jsonw_text("ops", vma->ops);
	if (*name)
		jsonw_text("name", name);
}
