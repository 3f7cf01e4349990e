// SPDX-License-Identifier: GPL-2.0
/* What an entry of a page table holds, or a VMA allows, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "base/put.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"

uint64_t entry_size(const struct ptwalk_kernel *info, uint64_t bits)
{
	uint32_t level = ptwalk_bits_level(bits);

	if (level >= PTWALK_LEVELS || !(info->levels & 1U << level))
		return 0;
	return 1ULL << info->level_shift[level];
}

/* Types of a kind, of which the module has told at least one. */
static bool has_types(const struct ptwalk_kernel *info, unsigned int first,
		      unsigned int last)
{
	uint32_t mask = memtypes_there(info);

	return mask >> first & ((1U << (last - first + 1)) - 1);
}

const char *entry_memory_decoded(const struct ptwalk_kernel *info, uint64_t bits,
				 char buf[ENTRY_TEXT])
{
	uint32_t index = ptwalk_bits_aux(bits);
	char name[MEMTYPE_TEXT];
	const char *type = memtype_text(info, bits, name);
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
		snprintf(buf, ENTRY_TEXT, "%s (%s %u%s)", type, table, index, more);
	else
		snprintf(buf, ENTRY_TEXT, "%s", type);
	return buf;
}

const char *entry_absent(uint64_t value, uint64_t bits, char buf[ENTRY_TEXT])
{
	uint32_t aux = ptwalk_bits_aux(bits);
	uint32_t kind = ptwalk_bits_kind(bits);
	char names[64];
	const char *what = NULL;
	char *end;

	switch (kind) {
	case PTWALK_KIND_NONE:
		return "not present: empty";
	case PTWALK_KIND_NO_VMA:
		return "not present: in no VMA";
	case PTWALK_KIND_BAD:
		return "not present: a bad upper-level entry";
	case PTWALK_KIND_SWAP:
		end = put_text(buf, "not present: swap type ");
		end = put_decimal(end, aux, 0);
		end = put_text(end, " offset ");
		*put_hex(end, value) = '\0';
		return buf;
	case PTWALK_KIND_MARKER:
		names_mask(&names_marker, value, ",", names, sizeof(names));
		snprintf(buf, ENTRY_TEXT, "not present: marker %s", names);
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
		snprintf(buf, ENTRY_TEXT, "not present: %s, frame 0x%" PRIx64,
			 what, value);
	else
		snprintf(buf, ENTRY_TEXT,
			 "not present: %s entry, type %u value 0x%" PRIx64,
			 name_of(&names_kind, kind, names), aux, value);
	return buf;
}

const char *entry_flags(uint64_t bits, char buf[ENTRY_FLAGS])
{
	uint32_t pkey = ptwalk_bits_pkey(bits);
	size_t len;

	names_mask(&names_flag, ptwalk_bits_flags(bits), ",", buf,
		   ENTRY_FLAGS);
	len = strlen(buf);
	if (pkey)
		snprintf(buf + len, ENTRY_FLAGS - len, ",pkey=%u", pkey);
	return buf;
}

char *entry_columns(char *to, struct entry_columns *last,
		    const struct ptwalk_kernel *info, uint64_t bits, bool typed)
{
	char size[FORMAT_SIZE], type[MEMTYPE_TEXT], flags[ENTRY_FLAGS];
	const char *memory = "-";

	if (!last->len || last->bits != bits) {
		last->bits = bits;
		format_size(entry_size(info, bits), size);
		if (ptwalk_bits_present(bits))
			memory = memtype_text(info, bits, type);
		entry_flags(bits, flags);
		last->len = typed ? snprintf(last->text, sizeof(last->text),
					     "%-4s %-8s %s\n", size, memory, flags) :
				    snprintf(last->text, sizeof(last->text),
					     "%-4s %s\n", size, flags);
	}
	return put_bytes(to, last->text, last->len);
}

const char *vma_permissions(const struct ptwalk_vma *vma,
			    char buf[VMA_PERMISSIONS])
{
	buf[0] = vma->flags & PTWALK_VMA_FLAG_READ ? 'r' : '-';
	buf[1] = vma->flags & PTWALK_VMA_FLAG_WRITE ? 'w' : '-';
	buf[2] = vma->flags & PTWALK_VMA_FLAG_EXEC ? 'x' : '-';
	buf[3] = vma->flags & PTWALK_VMA_FLAG_MAYSHARE ? 's' : 'p';
	buf[4] = '\0';
	return buf;
}

unsigned int huge_shift(const struct ptwalk_kernel *kernel)
{
	unsigned int level = PTWALK_LEVEL_PMD;

	while (level < PTWALK_LEVEL_PGD && !(kernel->levels & 1U << level))
		level++;
	return kernel->level_shift[level];
}
