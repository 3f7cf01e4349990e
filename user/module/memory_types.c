// SPDX-License-Identifier: GPL-2.0
/* What memory types mean for a driver, whatever the processor. */
#include <stdio.h>
#include "base/parse.h"
#include "module/memory_types.h"
#include "module/names.h"

#define TYPE(name)	(1U << PTWALK_MEMORY_TYPE_##name)
#define DEVICE		(TYPE(DEVICE_NGNRNE) | TYPE(DEVICE_NGNRE) | \
			 TYPE(DEVICE_GRE) | TYPE(IO))

/* PMA leaves it to the address; what that means the processor knows. */
static const enum caching cachings[] = {
	[PTWALK_MEMORY_TYPE_WB] = CACHING_FULL,
	[PTWALK_MEMORY_TYPE_WT] = CACHING_THROUGH,
	[PTWALK_MEMORY_TYPE_WC] = CACHING_COMBINING,
	[PTWALK_MEMORY_TYPE_UC] = CACHING_NONE,
	[PTWALK_MEMORY_TYPE_UC_MINUS] = CACHING_NONE,
	[PTWALK_MEMORY_TYPE_WP] = CACHING_THROUGH,
	[PTWALK_MEMORY_TYPE_NORMAL] = CACHING_FULL,
	[PTWALK_MEMORY_TYPE_NORMAL_NC] = CACHING_COMBINING,
	[PTWALK_MEMORY_TYPE_NORMAL_WT] = CACHING_THROUGH,
	[PTWALK_MEMORY_TYPE_NORMAL_TAGGED] = CACHING_FULL,
	[PTWALK_MEMORY_TYPE_DEVICE_NGNRNE] = CACHING_NONE,
	[PTWALK_MEMORY_TYPE_DEVICE_NGNRE] = CACHING_NONE,
	[PTWALK_MEMORY_TYPE_DEVICE_GRE] = CACHING_NONE,
	[PTWALK_MEMORY_TYPE_NC] = CACHING_COMBINING,
	[PTWALK_MEMORY_TYPE_IO] = CACHING_NONE,
};

#define NR_CACHINGS	(sizeof(cachings) / sizeof(cachings[0]))

static const struct {
	const char *word;
	uint32_t types;
} words[] = {
	{ "uc-", TYPE(UC_MINUS) },
	{ "cached", TYPE(WB) | TYPE(NORMAL) | TYPE(NORMAL_TAGGED) | TYPE(PMA) },
	{ "combining", TYPE(WC) | TYPE(NORMAL_NC) | TYPE(NC) },
	{ "uncached", TYPE(UC) | TYPE(UC_MINUS) | DEVICE },
	{ "device", DEVICE },
};

enum caching memtype_caching(unsigned int type)
{
	return type < NR_CACHINGS ? cachings[type] : CACHING_UNKNOWN;
}

unsigned int memtype_of(const struct ptwalk_kernel *kernel, uint64_t bits)
{
	uint32_t index = ptwalk_bits_aux(bits);

	return index < kernel->nr_memory_types ? kernel->memory_types[index] :
						 PTWALK_MEMORY_TYPE_UNKNOWN;
}

const char *memtype_text(const struct ptwalk_kernel *kernel, uint64_t bits,
			 char buf[MEMTYPE_TEXT])
{
	unsigned int type = memtype_of(kernel, bits);

	if (type != PTWALK_MEMORY_TYPE_UNKNOWN)
		return name_of(&names_memory_type, type, buf);
	snprintf(buf, MEMTYPE_TEXT, "index %u", ptwalk_bits_aux(bits));
	return buf;
}

uint32_t memtype_parse(const char *word, size_t len)
{
	unsigned int i;

	for (i = 1; i < names_memory_type.nr && i < 32; i++)
		if (names_memory_type.name[i] &&
		    parse_is_word(word, len, names_memory_type.name[i]))
			return 1U << i;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (parse_is_word(word, len, words[i].word))
			return words[i].types;
	return 0;
}

const char *memtype_nearest(const char *word, const char *best)
{
	unsigned int i;

	for (i = 1; i < names_memory_type.nr; i++)
		if (names_memory_type.name[i])
			best = parse_nearer(word, names_memory_type.name[i], best);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		best = parse_nearer(word, words[i].word, best);
	return best;
}

uint32_t memtypes_there(const struct ptwalk_kernel *kernel)
{
	uint32_t mask = 0;
	size_t i;

	for (i = 0; i < kernel->nr_memory_types; i++)
		if (kernel->memory_types[i] < 32)
			mask |= 1U << kernel->memory_types[i];
	return mask & ~TYPE(UNKNOWN);
}

void memtypes_text(uint32_t mask, char *buf, size_t size)
{
	names_mask(&names_memory_type, mask, ", ", buf, size);
}
