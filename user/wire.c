// SPDX-License-Identifier: GPL-2.0
/* From the family's messages to plain structures. */
#include <stdbool.h>
#include <string.h>
#include <netlink/msg.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "wire.h"

static struct nla_policy info_policy[PTWALK_A_INFO_MAX + 1] = {
	[PTWALK_A_INFO_VERSION] = { .type = NLA_U32 },
	[PTWALK_A_INFO_PAGE_SHIFT] = { .type = NLA_U32 },
	[PTWALK_A_INFO_FLAGS] = { .type = NLA_U32 },
	[PTWALK_A_INFO_KINDS] = { .type = NLA_U32 },
	[PTWALK_A_INFO_VMA_FLAGS] = { .type = NLA_U64 },
	[PTWALK_A_INFO_FEATURES] = { .type = NLA_U32 },
	[PTWALK_A_INFO_SWAP_TYPE_BITS] = { .type = NLA_U32 },
	[PTWALK_A_INFO_ZERO_PFN] = { .type = NLA_U64 },
	[PTWALK_A_INFO_PHYS_BITS] = { .type = NLA_U32 },
};

static struct nla_policy level_policy[PTWALK_A_LEVEL_INFO_MAX + 1] = {
	[PTWALK_A_LEVEL_INFO_LEVEL] = { .type = NLA_U32 },
	[PTWALK_A_LEVEL_INFO_SHIFT] = { .type = NLA_U32 },
	[PTWALK_A_LEVEL_INFO_ENTRIES] = { .type = NLA_U32 },
	[PTWALK_A_LEVEL_INFO_ENTRY_SIZE] = { .type = NLA_U32 },
};

static struct nla_policy swap_type_policy[PTWALK_A_SWAP_TYPE_MAX + 1] = {
	[PTWALK_A_SWAP_TYPE_KIND] = { .type = NLA_U32 },
	[PTWALK_A_SWAP_TYPE_TYPE] = { .type = NLA_U32 },
};

static struct nla_policy vma_policy[PTWALK_A_VMA_MAX + 1] = {
	[PTWALK_A_VMA_START] = { .type = NLA_U64 },
	[PTWALK_A_VMA_LAST] = { .type = NLA_U64 },
	[PTWALK_A_VMA_FLAGS] = { .type = NLA_U64 },
	[PTWALK_A_VMA_RAW_FLAGS] = { .type = NLA_U64 },
	[PTWALK_A_VMA_PAGE_PROT] = { .type = NLA_U64 },
	[PTWALK_A_VMA_PGOFF] = { .type = NLA_U64 },
	[PTWALK_A_VMA_PAGE_SHIFT] = { .type = NLA_U32 },
	[PTWALK_A_VMA_DEV_MAJOR] = { .type = NLA_U32 },
	[PTWALK_A_VMA_DEV_MINOR] = { .type = NLA_U32 },
	[PTWALK_A_VMA_INODE] = { .type = NLA_U64 },
	[PTWALK_A_VMA_OPS] = { .type = NLA_STRING },
};

static struct nla_policy dump_policy[PTWALK_A_DUMP_MAX + 1] = {
	[PTWALK_A_DUMP_LEVELS] = { .type = NLA_U32 },
	[PTWALK_A_DUMP_START] = { .type = NLA_U64 },
};

static struct nla_policy translate_policy[PTWALK_A_TRANSLATE_MAX + 1] = {
	[PTWALK_A_TRANSLATE_LEVELS] = { .type = NLA_U32 },
};

static struct nla_policy device_policy[PTWALK_A_DEVICE_MAX + 1] = {
	[PTWALK_A_DEVICE_NAME] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_DRIVER] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_FLAGS] = { .type = NLA_U32 },
	[PTWALK_A_DEVICE_DMA_MASK] = { .type = NLA_U64 },
	[PTWALK_A_DEVICE_COHERENT_MASK] = { .type = NLA_U64 },
	[PTWALK_A_DEVICE_BUS_LIMIT] = { .type = NLA_U64 },
	[PTWALK_A_DEVICE_DMA_OPS] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_GROUP] = { .type = NLA_U32 },
	[PTWALK_A_DEVICE_DOMAIN] = { .type = NLA_U32 },
	[PTWALK_A_DEVICE_PAGE_SIZES] = { .type = NLA_U64 },
	[PTWALK_A_DEVICE_APERTURE_START] = { .type = NLA_U64 },
	[PTWALK_A_DEVICE_APERTURE_LAST] = { .type = NLA_U64 },
};

static struct nla_policy iova_policy[PTWALK_A_IOVA_MAX + 1] = {
	[PTWALK_A_IOVA_START] = { .type = NLA_U64 },
	[PTWALK_A_IOVA_LAST] = { .type = NLA_U64 },
};

static uint32_t u32_or_0(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint64_t u64_or_0(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static int parse(const struct nlmsghdr *msg, struct nlattr **tb, int max,
		 struct nla_policy *policy)
{
	if (!nlmsg_valid_hdr(msg, GENL_HDRLEN))
		return -1;
	return genlmsg_parse((struct nlmsghdr *)msg, 0, tb, max, policy) < 0 ?
		       -1 : 0;
}

static int parse_vma(struct nlattr *nest, struct truth_vma *vma)
{
	struct nlattr *tb[PTWALK_A_VMA_MAX + 1];

	if (nla_parse_nested(tb, PTWALK_A_VMA_MAX, nest, vma_policy) < 0 ||
	    !tb[PTWALK_A_VMA_START] || !tb[PTWALK_A_VMA_LAST] ||
	    !tb[PTWALK_A_VMA_FLAGS])
		return -1;

	/* Padding too: VMAs are compared with memcmp(). */
	memset(vma, 0, sizeof(*vma));
	vma->start = nla_get_u64(tb[PTWALK_A_VMA_START]);
	vma->last = nla_get_u64(tb[PTWALK_A_VMA_LAST]);
	vma->flags = nla_get_u64(tb[PTWALK_A_VMA_FLAGS]);
	vma->raw_flags = u64_or_0(tb[PTWALK_A_VMA_RAW_FLAGS]);
	vma->page_prot = u64_or_0(tb[PTWALK_A_VMA_PAGE_PROT]);
	vma->pgoff = u64_or_0(tb[PTWALK_A_VMA_PGOFF]);
	vma->page_shift = u32_or_0(tb[PTWALK_A_VMA_PAGE_SHIFT]);
	vma->dev_major = u32_or_0(tb[PTWALK_A_VMA_DEV_MAJOR]);
	vma->dev_minor = u32_or_0(tb[PTWALK_A_VMA_DEV_MINOR]);
	vma->inode = u64_or_0(tb[PTWALK_A_VMA_INODE]);
	if (tb[PTWALK_A_VMA_OPS])
		nla_strlcpy(vma->ops, tb[PTWALK_A_VMA_OPS], sizeof(vma->ops));
	return vma->start > vma->last ? -1 : 0;
}

static int parse_level(struct nlattr *nest, struct kernel_info *info)
{
	struct nlattr *tb[PTWALK_A_LEVEL_INFO_MAX + 1];
	uint32_t level, shift;

	if (nla_parse_nested(tb, PTWALK_A_LEVEL_INFO_MAX, nest,
			     level_policy) < 0 ||
	    !tb[PTWALK_A_LEVEL_INFO_LEVEL] || !tb[PTWALK_A_LEVEL_INFO_SHIFT])
		return -1;

	level = nla_get_u32(tb[PTWALK_A_LEVEL_INFO_LEVEL]);
	shift = nla_get_u32(tb[PTWALK_A_LEVEL_INFO_SHIFT]);
	if (level >= PTWALK_LEVELS || shift >= 64)
		return -1;

	info->levels |= 1U << level;
	info->level_shift[level] = shift;
	info->level_entries[level] = u32_or_0(tb[PTWALK_A_LEVEL_INFO_ENTRIES]);
	info->entry_size[level] = u32_or_0(tb[PTWALK_A_LEVEL_INFO_ENTRY_SIZE]);
	return 0;
}

/* A kind or a type that is too big for the masks is one of a later module. */
static int parse_swap_type(struct nlattr *nest, struct kernel_info *info)
{
	struct nlattr *tb[PTWALK_A_SWAP_TYPE_MAX + 1];
	uint32_t kind, type;

	if (nla_parse_nested(tb, PTWALK_A_SWAP_TYPE_MAX, nest,
			     swap_type_policy) < 0 ||
	    !tb[PTWALK_A_SWAP_TYPE_KIND] || !tb[PTWALK_A_SWAP_TYPE_TYPE])
		return -1;

	kind = nla_get_u32(tb[PTWALK_A_SWAP_TYPE_KIND]);
	type = nla_get_u32(tb[PTWALK_A_SWAP_TYPE_TYPE]);
	if (kind < 32 && type < 32)
		info->swap_type[kind] |= 1U << type;
	return 0;
}

int wire_info(const struct nlmsghdr *msg, struct kernel_info *info)
{
	struct nlattr *tb[PTWALK_A_INFO_MAX + 1];
	struct genlmsghdr *genl = nlmsg_data(msg);
	struct nlattr *attr, *types;
	int left, err = 0;

	if (parse(msg, tb, PTWALK_A_INFO_MAX, info_policy) ||
	    !tb[PTWALK_A_INFO_VERSION])
		return -1;

	/* Of another version nothing else is certain. */
	info->version = nla_get_u32(tb[PTWALK_A_INFO_VERSION]);
	if (info->version != PTWALK_PROTOCOL_VERSION)
		return 0;

	if (!tb[PTWALK_A_INFO_PAGE_SHIFT])
		return -1;
	info->page_shift = nla_get_u32(tb[PTWALK_A_INFO_PAGE_SHIFT]);
	if (info->page_shift < 10 || info->page_shift > 30)
		return -1;

	info->flags = u32_or_0(tb[PTWALK_A_INFO_FLAGS]);
	info->kinds = u32_or_0(tb[PTWALK_A_INFO_KINDS]);
	info->vma_flags = u64_or_0(tb[PTWALK_A_INFO_VMA_FLAGS]);
	info->features = u32_or_0(tb[PTWALK_A_INFO_FEATURES]);
	info->swap_type_bits = u32_or_0(tb[PTWALK_A_INFO_SWAP_TYPE_BITS]);
	info->zero_pfn = u64_or_0(tb[PTWALK_A_INFO_ZERO_PFN]);
	info->phys_bits = u32_or_0(tb[PTWALK_A_INFO_PHYS_BITS]);

	types = tb[PTWALK_A_INFO_MEMORY_TYPES];
	if (types) {
		info->nr_memory_types = nla_len(types);
		if (info->nr_memory_types > sizeof(info->memory_types))
			info->nr_memory_types = sizeof(info->memory_types);
		memcpy(info->memory_types, nla_data(types),
		       info->nr_memory_types);
	}

	nla_for_each_attr(attr, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), left) {
		if (nla_type(attr) == PTWALK_A_INFO_LEVEL)
			err |= parse_level(attr, info);
		else if (nla_type(attr) == PTWALK_A_INFO_SWAP_TYPE)
			err |= parse_swap_type(attr, info);
	}
	return err || !(info->levels & 1U << PTWALK_LEVEL_PTE) ? -1 : 0;
}

/*
 * An attribute is aligned to four bytes only, and its header, four bytes long,
 * isn't needed any more: there the words can move to.
 */
static void *aligned_words(struct nlattr *attr, size_t len)
{
	void *data = nla_data(attr);

	if ((uintptr_t)data % sizeof(uint64_t))
		data = memmove((char *)data - NLA_HDRLEN, data, len);
	return data;
}

/* Whether the runs can be walked without another look at their lengths. */
static bool runs_are_whole(const struct truth_runs *runs,
			   unsigned int page_shift)
{
	const uint64_t *end = runs->word + runs->nr;
	uint64_t addr = runs->start;
	const struct ptwalk_run *run;
	uint64_t left, room;

	if (addr < runs->vma.start)
		return false;
	for (left = runs->nr; left; left = end - (const uint64_t *)run) {
		run = (const void *)(end - left);
		if (left < 3 || !run->pages || addr > runs->vma.last)
			return false;
		room = ((runs->vma.last - addr) >> page_shift) + 1;
		if (run->pages > room ||
		    (ptwalk_bits_list(run->bits) && run->pages > left - 2))
			return false;
		/* Behind the very last page there is no next address. */
		if (run->pages == room && ptwalk_run_words(run) != left)
			return false;
		addr += run->pages << page_shift;
		run = (const void *)((const uint64_t *)run +
				     ptwalk_run_words(run));
	}
	return true;
}

int wire_dump(struct nlmsghdr *msg, unsigned int page_shift,
	      struct truth_runs *runs)
{
	struct nlattr *tb[PTWALK_A_DUMP_MAX + 1];
	struct nlattr *words;
	size_t len;

	if (parse(msg, tb, PTWALK_A_DUMP_MAX, dump_policy) ||
	    !tb[PTWALK_A_DUMP_VMA] || !tb[PTWALK_A_DUMP_START] ||
	    !tb[PTWALK_A_DUMP_RUNS] ||
	    parse_vma(tb[PTWALK_A_DUMP_VMA], &runs->vma))
		return -1;

	runs->levels = u32_or_0(tb[PTWALK_A_DUMP_LEVELS]);
	runs->start = nla_get_u64(tb[PTWALK_A_DUMP_START]);
	words = tb[PTWALK_A_DUMP_RUNS];
	len = nla_len(words);
	if (len % sizeof(*runs->word))
		return -1;
	runs->nr = len / sizeof(*runs->word);
	runs->word = aligned_words(words, len);
	return runs_are_whole(runs, page_shift) ? 0 : -1;
}

int wire_translations(const struct nlmsghdr *msg, struct wire_translations *out)
{
	struct nlattr *tb[PTWALK_A_TRANSLATE_MAX + 1];
	struct genlmsghdr *genl = nlmsg_data(msg);
	struct nlattr *attr;
	size_t len;
	int left;

	if (parse(msg, tb, PTWALK_A_TRANSLATE_MAX, translate_policy) ||
	    !tb[PTWALK_A_TRANSLATE_TRANSLATIONS])
		return -1;

	attr = tb[PTWALK_A_TRANSLATE_TRANSLATIONS];
	len = nla_len(attr);
	if (len % sizeof(*out->translations) || len > sizeof(out->translations))
		return -1;
	memcpy(out->translations, nla_data(attr), len);
	out->nr = len / sizeof(*out->translations);
	out->levels = u32_or_0(tb[PTWALK_A_TRANSLATE_LEVELS]);

	attr = tb[PTWALK_A_TRANSLATE_PAGES];
	out->has_pages = attr;
	if (attr) {
		if ((size_t)nla_len(attr) != out->nr * sizeof(*out->pages))
			return -1;
		memcpy(out->pages, nla_data(attr), nla_len(attr));
	}

	out->nr_vmas = 0;
	nla_for_each_attr(attr, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), left) {
		if (nla_type(attr) != PTWALK_A_TRANSLATE_VMA)
			continue;
		if (out->nr_vmas == PTWALK_MAX_ADDRESSES ||
		    parse_vma(attr, &out->vmas[out->nr_vmas]))
			return -1;
		out->nr_vmas++;
	}
	return 0;
}

int wire_device(const struct nlmsghdr *msg, struct device_facts *facts)
{
	struct nlattr *tb[PTWALK_A_DEVICE_MAX + 1], *bus;

	memset(facts, 0, sizeof(*facts));
	if (parse(msg, tb, PTWALK_A_DEVICE_MAX, device_policy) ||
	    !tb[PTWALK_A_DEVICE_NAME] || !tb[PTWALK_A_DEVICE_DOMAIN])
		return -1;

	nla_strlcpy(facts->name, tb[PTWALK_A_DEVICE_NAME], sizeof(facts->name));
	if (tb[PTWALK_A_DEVICE_DRIVER])
		nla_strlcpy(facts->driver, tb[PTWALK_A_DEVICE_DRIVER],
			    sizeof(facts->driver));
	if (tb[PTWALK_A_DEVICE_DMA_OPS])
		nla_strlcpy(facts->ops, tb[PTWALK_A_DEVICE_DMA_OPS],
			    sizeof(facts->ops));
	facts->flags = u32_or_0(tb[PTWALK_A_DEVICE_FLAGS]);
	facts->dma_mask = u64_or_0(tb[PTWALK_A_DEVICE_DMA_MASK]);
	facts->coherent_mask = u64_or_0(tb[PTWALK_A_DEVICE_COHERENT_MASK]);
	facts->bus_limit = u64_or_0(tb[PTWALK_A_DEVICE_BUS_LIMIT]);
	facts->group = tb[PTWALK_A_DEVICE_GROUP] ?
		       (int64_t)nla_get_u32(tb[PTWALK_A_DEVICE_GROUP]) : -1;
	facts->domain = nla_get_u32(tb[PTWALK_A_DEVICE_DOMAIN]);
	facts->page_sizes = u64_or_0(tb[PTWALK_A_DEVICE_PAGE_SIZES]);
	facts->aperture.start = u64_or_0(tb[PTWALK_A_DEVICE_APERTURE_START]);
	facts->aperture.last = u64_or_0(tb[PTWALK_A_DEVICE_APERTURE_LAST]);
	if (facts->aperture.start > facts->aperture.last)
		return -1;

	bus = tb[PTWALK_A_DEVICE_BUS_ADDRESSES];
	facts->is_direct = bus;
	if (!bus)
		return 0;
	if (nla_len(bus) % sizeof(*facts->bus) ||
	    (size_t)nla_len(bus) > sizeof(facts->bus))
		return -1;
	memcpy(facts->bus, nla_data(bus), nla_len(bus));
	return 0;
}

static bool stretches_are_whole(const struct device_stretches *s)
{
	uint64_t next = s->piece.start;

	for (size_t i = 0; i < s->nr; i++) {
		const struct ptwalk_stretch *stretch = &s->stretch[i];

		if (!stretch->bytes || stretch->iova < next ||
		    stretch->iova > s->piece.last ||
		    stretch->bytes - 1 > UINT64_MAX - stretch->iova ||
		    stretch->bytes - 1 > UINT64_MAX - stretch->phys)
			return false;
		next = stretch->iova + stretch->bytes;
		/* Behind the very last address there is no next one. */
		if (!next && i + 1 < s->nr)
			return false;
	}
	return true;
}

int wire_iova(struct nlmsghdr *msg, struct device_stretches *out,
	      struct ptwalk_stretch **stretch)
{
	struct nlattr *tb[PTWALK_A_IOVA_MAX + 1], *words;
	size_t len;

	if (parse(msg, tb, PTWALK_A_IOVA_MAX, iova_policy) ||
	    !tb[PTWALK_A_IOVA_START] || !tb[PTWALK_A_IOVA_LAST] ||
	    !tb[PTWALK_A_IOVA_STRETCHES])
		return -1;

	out->piece.start = nla_get_u64(tb[PTWALK_A_IOVA_START]);
	out->piece.last = nla_get_u64(tb[PTWALK_A_IOVA_LAST]);
	words = tb[PTWALK_A_IOVA_STRETCHES];
	len = nla_len(words);
	if (len % sizeof(*out->stretch) || out->piece.start > out->piece.last)
		return -1;
	out->nr = len / sizeof(*out->stretch);
	*stretch = aligned_words(words, len);
	out->stretch = *stretch;
	return stretches_are_whole(out) ? 0 : -1;
}
