// SPDX-License-Identifier: GPL-2.0
/* From the family's messages to plain structures. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <netlink/msg.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "lib/wire.h"

/* A number has 4 or 8 bytes, as it needs. */
#define UINT	{ .minlen = sizeof(uint32_t) }

static struct nla_policy info_policy[PTWALK_A_INFO_MAX + 1] = {
	[PTWALK_A_INFO_PAGE_SHIFT] = UINT,
	[PTWALK_A_INFO_FLAGS] = UINT,
	[PTWALK_A_INFO_KINDS] = UINT,
	[PTWALK_A_INFO_VMA_FLAGS] = UINT,
	[PTWALK_A_INFO_FEATURES] = UINT,
	[PTWALK_A_INFO_SWAP_TYPE_BITS] = UINT,
	[PTWALK_A_INFO_ZERO_PFN] = UINT,
	[PTWALK_A_INFO_PHYS_BITS] = UINT,
};

static struct nla_policy level_policy[PTWALK_A_LEVEL_INFO_MAX + 1] = {
	[PTWALK_A_LEVEL_INFO_LEVEL] = UINT,
	[PTWALK_A_LEVEL_INFO_SHIFT] = UINT,
	[PTWALK_A_LEVEL_INFO_ENTRIES] = UINT,
	[PTWALK_A_LEVEL_INFO_ENTRY_SIZE] = UINT,
};

static struct nla_policy swap_type_policy[PTWALK_A_SWAP_TYPE_MAX + 1] = {
	[PTWALK_A_SWAP_TYPE_KIND] = UINT,
	[PTWALK_A_SWAP_TYPE_TYPE] = UINT,
};

static struct nla_policy vma_policy[PTWALK_A_VMA_MAX + 1] = {
	[PTWALK_A_VMA_START] = UINT,
	[PTWALK_A_VMA_LAST] = UINT,
	[PTWALK_A_VMA_FLAGS] = UINT,
	[PTWALK_A_VMA_RAW_FLAGS] = UINT,
	[PTWALK_A_VMA_PAGE_PROT] = UINT,
	[PTWALK_A_VMA_PGOFF] = UINT,
	[PTWALK_A_VMA_PAGE_SHIFT] = UINT,
	[PTWALK_A_VMA_DEV_MAJOR] = UINT,
	[PTWALK_A_VMA_DEV_MINOR] = UINT,
	[PTWALK_A_VMA_INODE] = UINT,
	[PTWALK_A_VMA_OPS] = { .type = NLA_STRING },
	[PTWALK_A_VMA_PKEY] = UINT,
};

static struct nla_policy walk_policy[PTWALK_A_WALK_MAX + 1] = {
	[PTWALK_A_WALK_LEVELS] = UINT,
	[PTWALK_A_WALK_START] = UINT,
	[PTWALK_A_WALK_RUN_BYTES] = UINT,
};

static struct nla_policy translate_policy[PTWALK_A_TRANSLATE_MAX + 1] = {
	[PTWALK_A_TRANSLATE_LEVELS] = UINT,
	[PTWALK_A_TRANSLATE_TRANSLATION_BYTES] = UINT,
	[PTWALK_A_TRANSLATE_PAGE_BYTES] = UINT,
};

static struct nla_policy device_policy[PTWALK_A_DEVICE_MAX + 1] = {
	[PTWALK_A_DEVICE_NAME] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_DRIVER] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_FLAGS] = UINT,
	[PTWALK_A_DEVICE_DMA_MASK] = UINT,
	[PTWALK_A_DEVICE_COHERENT_MASK] = UINT,
	[PTWALK_A_DEVICE_BUS_LIMIT] = UINT,
	[PTWALK_A_DEVICE_DMA_OPS] = { .type = NLA_STRING },
	[PTWALK_A_DEVICE_GROUP] = UINT,
	[PTWALK_A_DEVICE_DOMAIN] = UINT,
	[PTWALK_A_DEVICE_PAGE_SIZES] = UINT,
	[PTWALK_A_DEVICE_APERTURE_START] = UINT,
	[PTWALK_A_DEVICE_APERTURE_LAST] = UINT,
};

static struct nla_policy iova_policy[PTWALK_A_IOVA_MAX + 1] = {
	[PTWALK_A_IOVA_START] = UINT,
	[PTWALK_A_IOVA_LAST] = UINT,
	[PTWALK_A_IOVA_STRETCH_BYTES] = UINT,
};

static struct nla_policy frames_policy[PTWALK_A_FRAMES_MAX + 1] = {
	[PTWALK_A_FRAMES_PAGE_BYTES] = UINT,
};

static struct nla_policy policies_policy[PTWALK_A_POLICIES_MAX + 1] = {
	[PTWALK_A_POLICIES_POLICY_BYTES] = UINT,
};

static uint64_t uint_of(struct nlattr *attr)
{
	return nla_len(attr) < (int)sizeof(uint64_t) ? nla_get_u32(attr) :
						       nla_get_u64(attr);
}

static uint64_t uint_or_0(struct nlattr *attr)
{
	return attr ? uint_of(attr) : 0;
}

static int parse(const struct nlmsghdr *msg, struct nlattr **tb, int max,
		 struct nla_policy *policy)
{
	if (!nlmsg_valid_hdr(msg, GENL_HDRLEN))
		return -EBADMSG;
	return genlmsg_parse((struct nlmsghdr *)msg, 0, tb, max, policy) < 0 ?
		       -EBADMSG : 0;
}

static int parse_vma(struct nlattr *nest, struct ptwalk_vma *vma)
{
	struct nlattr *tb[PTWALK_A_VMA_MAX + 1];

	if (nla_parse_nested(tb, PTWALK_A_VMA_MAX, nest, vma_policy) < 0 ||
	    !tb[PTWALK_A_VMA_START] || !tb[PTWALK_A_VMA_LAST] ||
	    !tb[PTWALK_A_VMA_FLAGS])
		return -EBADMSG;

	/* Padding too: VMAs are compared with memcmp(). */
	memset(vma, 0, sizeof(*vma));
	vma->start = uint_of(tb[PTWALK_A_VMA_START]);
	vma->last = uint_of(tb[PTWALK_A_VMA_LAST]);
	vma->flags = uint_of(tb[PTWALK_A_VMA_FLAGS]);
	vma->raw_flags = uint_or_0(tb[PTWALK_A_VMA_RAW_FLAGS]);
	vma->page_prot = uint_or_0(tb[PTWALK_A_VMA_PAGE_PROT]);
	vma->pgoff = uint_or_0(tb[PTWALK_A_VMA_PGOFF]);
	vma->page_shift = uint_or_0(tb[PTWALK_A_VMA_PAGE_SHIFT]);
	vma->dev_major = uint_or_0(tb[PTWALK_A_VMA_DEV_MAJOR]);
	vma->dev_minor = uint_or_0(tb[PTWALK_A_VMA_DEV_MINOR]);
	vma->inode = uint_or_0(tb[PTWALK_A_VMA_INODE]);
	vma->pkey = uint_or_0(tb[PTWALK_A_VMA_PKEY]);
	if (tb[PTWALK_A_VMA_OPS])
		nla_strlcpy(vma->ops, tb[PTWALK_A_VMA_OPS], sizeof(vma->ops));
	/* No leaf is larger than a PGD's entry of the largest pages. */
	return vma->start > vma->last || vma->page_shift > 63 ? -EBADMSG : 0;
}

/* Whether the entry can be of a level that there is. */
static bool bits_are_sane(uint64_t bits)
{
	return ptwalk_bits_level(bits) < PTWALK_LEVELS;
}

static int parse_level(struct nlattr *nest, struct ptwalk_kernel *info)
{
	struct nlattr *tb[PTWALK_A_LEVEL_INFO_MAX + 1];
	uint32_t level, shift;

	if (nla_parse_nested(tb, PTWALK_A_LEVEL_INFO_MAX, nest,
			     level_policy) < 0 ||
	    !tb[PTWALK_A_LEVEL_INFO_LEVEL] || !tb[PTWALK_A_LEVEL_INFO_SHIFT])
		return -EBADMSG;

	level = uint_of(tb[PTWALK_A_LEVEL_INFO_LEVEL]);
	shift = uint_of(tb[PTWALK_A_LEVEL_INFO_SHIFT]);
	if (level >= PTWALK_LEVELS || shift >= 64)
		return -EBADMSG;

	info->levels |= 1U << level;
	info->level_shift[level] = shift;
	info->level_entries[level] = uint_or_0(tb[PTWALK_A_LEVEL_INFO_ENTRIES]);
	info->entry_size[level] = uint_or_0(tb[PTWALK_A_LEVEL_INFO_ENTRY_SIZE]);
	return 0;
}

/* A kind or a type that is too big for the masks is one of a later module. */
static int parse_swap_type(struct nlattr *nest, struct ptwalk_kernel *info)
{
	struct nlattr *tb[PTWALK_A_SWAP_TYPE_MAX + 1];
	uint32_t kind, type;

	if (nla_parse_nested(tb, PTWALK_A_SWAP_TYPE_MAX, nest,
			     swap_type_policy) < 0 ||
	    !tb[PTWALK_A_SWAP_TYPE_KIND] || !tb[PTWALK_A_SWAP_TYPE_TYPE])
		return -EBADMSG;

	kind = uint_of(tb[PTWALK_A_SWAP_TYPE_KIND]);
	type = uint_of(tb[PTWALK_A_SWAP_TYPE_TYPE]);
	if (kind < 32 && type < 32)
		info->swap_type[kind] |= 1U << type;
	return 0;
}

int wire_info(const struct nlmsghdr *msg, struct ptwalk_kernel *info)
{
	struct nlattr *tb[PTWALK_A_INFO_MAX + 1];
	struct genlmsghdr *genl = nlmsg_data(msg);
	struct nlattr *attr, *types;
	int left, err = 0;

	if (parse(msg, tb, PTWALK_A_INFO_MAX, info_policy) ||
	    !tb[PTWALK_A_INFO_PAGE_SHIFT])
		return -EBADMSG;
	info->page_shift = uint_of(tb[PTWALK_A_INFO_PAGE_SHIFT]);
	if (info->page_shift < 10 || info->page_shift > 30)
		return -EBADMSG;

	info->flags = uint_or_0(tb[PTWALK_A_INFO_FLAGS]);
	info->kinds = uint_or_0(tb[PTWALK_A_INFO_KINDS]);
	info->vma_flags = uint_or_0(tb[PTWALK_A_INFO_VMA_FLAGS]);
	info->features = uint_or_0(tb[PTWALK_A_INFO_FEATURES]);
	info->swap_type_bits = uint_or_0(tb[PTWALK_A_INFO_SWAP_TYPE_BITS]);
	info->zero_pfn = uint_or_0(tb[PTWALK_A_INFO_ZERO_PFN]);
	info->phys_bits = uint_or_0(tb[PTWALK_A_INFO_PHYS_BITS]);

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
	return err || !(info->levels & 1U << PTWALK_LEVEL_PTE) ? -EBADMSG : 0;
}

/*
 * Bytes of one record, as a message tells them: no less than those that we
 * know, and whole words. 0 if it is otherwise.
 */
static size_t record_bytes(struct nlattr *attr, size_t known)
{
	uint64_t bytes = uint_or_0(attr);

	return bytes >= known && bytes <= UINT16_MAX &&
	       bytes % sizeof(uint64_t) == 0 ? bytes : 0;
}

/*
 * Moves the records of @attr to @to, each without the words that we don't know;
 * @to may be a place before them in the same message. Returns how many there
 * are, or -EBADMSG if there are more than @max or the last one isn't whole.
 */
static ssize_t move_records(void *to, size_t max, size_t known,
			    struct nlattr *attr, struct nlattr *size)
{
	size_t bytes = record_bytes(size, known), nr;
	const char *from = nla_data(attr);

	if (!bytes || nla_len(attr) % bytes || nla_len(attr) / bytes > max)
		return -EBADMSG;
	nr = nla_len(attr) / bytes;
	if (bytes == known) {
		memmove(to, from, nr * known);
		return nr;
	}
	for (size_t i = 0; i < nr; i++)
		memmove((char *)to + i * known, from + i * bytes, known);
	return nr;
}

/*
 * An attribute is aligned to four bytes only, and its header, four bytes long,
 * isn't needed any more: there the words can move to.
 */
static void *aligned_place(const struct nlattr *attr)
{
	uintptr_t data = (uintptr_t)nla_data(attr);

	return (void *)(data & ~(sizeof(uint64_t) - 1));
}

/*
 * Takes the words that we don't know out of the runs, of which each has @head
 * words before its values; and those of the page, which go to @pages unless that
 * is NULL. Returns how many are left, or -EBADMSG.
 */
static ssize_t shorten_runs(uint64_t *word, size_t nr, size_t head,
			    struct ptwalk_page *pages)
{
	const size_t known = sizeof(struct ptwalk_run) / sizeof(*word);
	size_t in = 0, out = 0;

	while (in < nr) {
		uint64_t values = 1;

		if (nr - in < head)
			return -EBADMSG;
		if (ptwalk_bits_list(word[in]))
			values = word[in + 1];
		if (values > nr - in - head)
			return -EBADMSG;
		if (pages)
			*pages++ = ((const struct ptwalk_page_run *)&word[in])->page;
		memmove(&word[out], &word[in], known * sizeof(*word));
		memmove(&word[out + known], &word[in + head],
			values * sizeof(*word));
		in += head + values;
		out += known + values;
	}
	return out;
}

/* The words of a message's runs, as struct ptwalk_run has them; 0 or -EBADMSG. */
static int take_run_words(struct nlattr *attr, struct nlattr *size,
			  struct ptwalk_runs *runs, struct ptwalk_page *pages)
{
	uint64_t *word = aligned_place(attr);
	size_t head = record_bytes(size, pages ? sizeof(struct ptwalk_page_run) :
						 sizeof(struct ptwalk_run));
	ssize_t nr = nla_len(attr) / sizeof(*word);

	if (!head || nla_len(attr) % sizeof(*word))
		return -EBADMSG;
	memmove(word, nla_data(attr), nr * sizeof(*word));
	if (head > sizeof(struct ptwalk_run))
		nr = shorten_runs(word, nr, head / sizeof(*word), pages);
	if (nr < 0)
		return -EBADMSG;
	runs->word = word;
	runs->nr = nr;
	return 0;
}

/* What the pages of mixed lists are; none, if the message has no such list. */
static int take_mixed(struct nlattr *attr, struct ptwalk_runs *runs)
{
	const uint64_t list = 1ULL << PTWALK_BITS_LIST_SHIFT;
	size_t bytes = attr ? nla_len(attr) : 0;

	if (bytes % sizeof(*runs->mixed) || bytes > sizeof(runs->mixed))
		return -EBADMSG;
	for (size_t i = 0; i < PTWALK_MIXED_MAX; i++)
		runs->mixed[i] = ptwalk_bits(PTWALK_KIND_UNKNOWN, 0, 0, 0);
	if (bytes)
		memcpy(runs->mixed, nla_data(attr), bytes);
	runs->nr_mixed = bytes / sizeof(*runs->mixed);
	for (size_t i = 0; i < runs->nr_mixed; i++)
		if (runs->mixed[i] & list || !bits_are_sane(runs->mixed[i]))
			return -EBADMSG;
	return 0;
}

/* Whether the runs can be walked without another look at their lengths. */
static bool runs_are_whole(const struct ptwalk_runs *runs,
			   unsigned int page_shift)
{
	const uint64_t *end = runs->word + runs->nr;
	uint64_t left, words, room;
	const struct ptwalk_run *run;

	if (runs->start < runs->vma.start || runs->start > runs->vma.last ||
	    runs->vma.page_shift < page_shift)
		return false;
	room = ((runs->vma.last - runs->start) >> page_shift) + 1;
	for (left = runs->nr; left; left -= words) {
		run = (const void *)(end - left);
		if (left < 3 || !run->pages || run->pages > room ||
		    !bits_are_sane(run->bits))
			return false;
		room -= run->pages;
		words = ptwalk_run_words(run);
		if (ptwalk_bits_list(run->bits) ? run->pages > left - 2 :
		    ptwalk_bits_kind(run->bits) == PTWALK_KIND_MIXED)
			return false;
	}
	return true;
}

/* The first message of a dump tells what the process is, and nothing else. */
static bool is_first_of_dump(struct nlattr **tb)
{
	return tb[PTWALK_A_WALK_PID] && !tb[PTWALK_A_WALK_START] &&
	       !tb[PTWALK_A_WALK_VMA] && !tb[PTWALK_A_WALK_RUNS];
}

int wire_walk(struct nlmsghdr *msg, unsigned int page_shift,
	      struct ptwalk_runs *runs, struct ptwalk_page *pages)
{
	static const uint64_t nothing;
	struct nlattr *tb[PTWALK_A_WALK_MAX + 1];

	if (parse(msg, tb, PTWALK_A_WALK_MAX, walk_policy))
		return -EBADMSG;
	runs->levels = uint_or_0(tb[PTWALK_A_WALK_LEVELS]);
	runs->word = &nothing;
	runs->nr = 0;
	runs->nr_mixed = 0;
	if (is_first_of_dump(tb))
		return 0;
	if (!tb[PTWALK_A_WALK_VMA] || !tb[PTWALK_A_WALK_START] ||
	    !tb[PTWALK_A_WALK_RUNS] ||
	    parse_vma(tb[PTWALK_A_WALK_VMA], &runs->vma))
		return -EBADMSG;

	runs->start = uint_of(tb[PTWALK_A_WALK_START]);
	if (take_run_words(tb[PTWALK_A_WALK_RUNS], tb[PTWALK_A_WALK_RUN_BYTES], runs,
			   pages))
		return -EBADMSG;
	if (take_mixed(tb[PTWALK_A_WALK_MIXED], runs))
		return -EBADMSG;
	return runs_are_whole(runs, page_shift) ? 0 : -EBADMSG;
}

int wire_translations(const struct nlmsghdr *msg, struct wire_translations *out)
{
	struct nlattr *tb[PTWALK_A_TRANSLATE_MAX + 1];
	struct genlmsghdr *genl = nlmsg_data(msg);
	struct nlattr *attr;
	ssize_t nr;
	int left;

	if (parse(msg, tb, PTWALK_A_TRANSLATE_MAX, translate_policy) ||
	    !tb[PTWALK_A_TRANSLATE_TRANSLATIONS])
		return -EBADMSG;

	nr = move_records(out->translations, PTWALK_MAX_ADDRESSES,
			  sizeof(*out->translations),
			  tb[PTWALK_A_TRANSLATE_TRANSLATIONS],
			  tb[PTWALK_A_TRANSLATE_TRANSLATION_BYTES]);
	if (nr < 0)
		return -EBADMSG;
	out->nr = nr;
	for (ssize_t i = 0; i < nr; i++)
		if (!bits_are_sane(out->translations[i].bits))
			return -EBADMSG;
	out->levels = uint_or_0(tb[PTWALK_A_TRANSLATE_LEVELS]);

	attr = tb[PTWALK_A_TRANSLATE_PAGES];
	out->has_pages = attr;
	if (attr && move_records(out->pages, out->nr, sizeof(*out->pages), attr,
				 tb[PTWALK_A_TRANSLATE_PAGE_BYTES]) != nr)
		return -EBADMSG;

	attr = tb[PTWALK_A_TRANSLATE_CGROUPS];
	memset(out->cgroups, 0xff, nr * sizeof(*out->cgroups));
	if (attr && nla_len(attr) != (int)(nr * sizeof(*out->cgroups)))
		return -EBADMSG;
	if (attr)
		memcpy(out->cgroups, nla_data(attr), nla_len(attr));

	out->nr_vmas = 0;
	nla_for_each_attr(attr, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), left) {
		if (nla_type(attr) != PTWALK_A_TRANSLATE_VMA)
			continue;
		if (out->nr_vmas == PTWALK_MAX_ADDRESSES ||
		    parse_vma(attr, &out->vmas[out->nr_vmas]))
			return -EBADMSG;
		out->nr_vmas++;
	}
	return 0;
}

int wire_frames(const struct nlmsghdr *msg, struct ptwalk_page *pages, size_t nr)
{
	struct nlattr *tb[PTWALK_A_FRAMES_MAX + 1];

	if (parse(msg, tb, PTWALK_A_FRAMES_MAX, frames_policy) ||
	    !tb[PTWALK_A_FRAMES_PAGES] ||
	    move_records(pages, nr, sizeof(*pages), tb[PTWALK_A_FRAMES_PAGES],
			 tb[PTWALK_A_FRAMES_PAGE_BYTES]) != (ssize_t)nr)
		return -EBADMSG;
	return 0;
}

ssize_t wire_policies(const struct nlmsghdr *msg, struct ptwalk_policy *policies, size_t max)
{
	struct nlattr *tb[PTWALK_A_POLICIES_MAX + 1];
	ssize_t nr;

	if (parse(msg, tb, PTWALK_A_POLICIES_MAX, policies_policy) ||
	    !tb[PTWALK_A_POLICIES_POLICIES])
		return -EBADMSG;
	nr = move_records(policies, max, sizeof(*policies), tb[PTWALK_A_POLICIES_POLICIES],
			  tb[PTWALK_A_POLICIES_POLICY_BYTES]);
	return nr ? nr : -EBADMSG;
}

int wire_device(const struct nlmsghdr *msg, struct ptwalk_device *facts)
{
	struct nlattr *tb[PTWALK_A_DEVICE_MAX + 1], *bus;

	memset(facts, 0, sizeof(*facts));
	if (parse(msg, tb, PTWALK_A_DEVICE_MAX, device_policy) ||
	    !tb[PTWALK_A_DEVICE_NAME] || !tb[PTWALK_A_DEVICE_DOMAIN])
		return -EBADMSG;

	nla_strlcpy(facts->name, tb[PTWALK_A_DEVICE_NAME], sizeof(facts->name));
	if (tb[PTWALK_A_DEVICE_DRIVER])
		nla_strlcpy(facts->driver, tb[PTWALK_A_DEVICE_DRIVER],
			    sizeof(facts->driver));
	if (tb[PTWALK_A_DEVICE_DMA_OPS])
		nla_strlcpy(facts->ops, tb[PTWALK_A_DEVICE_DMA_OPS],
			    sizeof(facts->ops));
	facts->flags = uint_or_0(tb[PTWALK_A_DEVICE_FLAGS]);
	facts->dma_mask = uint_or_0(tb[PTWALK_A_DEVICE_DMA_MASK]);
	facts->coherent_mask = uint_or_0(tb[PTWALK_A_DEVICE_COHERENT_MASK]);
	facts->bus_limit = uint_or_0(tb[PTWALK_A_DEVICE_BUS_LIMIT]);
	facts->group = tb[PTWALK_A_DEVICE_GROUP] ?
		       (int64_t)uint_of(tb[PTWALK_A_DEVICE_GROUP]) : -1;
	facts->domain = uint_of(tb[PTWALK_A_DEVICE_DOMAIN]);
	facts->page_sizes = uint_or_0(tb[PTWALK_A_DEVICE_PAGE_SIZES]);
	facts->aperture_start = uint_or_0(tb[PTWALK_A_DEVICE_APERTURE_START]);
	facts->aperture_last = uint_or_0(tb[PTWALK_A_DEVICE_APERTURE_LAST]);
	if (facts->aperture_start > facts->aperture_last)
		return -EBADMSG;

	bus = tb[PTWALK_A_DEVICE_BUS_ADDRESSES];
	facts->is_direct = bus;
	if (!bus)
		return 0;
	if (nla_len(bus) % sizeof(*facts->bus) ||
	    (size_t)nla_len(bus) > sizeof(facts->bus))
		return -EBADMSG;
	memcpy(facts->bus, nla_data(bus), nla_len(bus));
	return 0;
}

static bool stretches_are_whole(const struct ptwalk_stretches *s)
{
	uint64_t next = s->start;

	for (size_t i = 0; i < s->nr; i++) {
		const struct ptwalk_stretch *stretch = &s->stretch[i];

		if (!stretch->bytes || stretch->iova < next ||
		    stretch->iova > s->last ||
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

int wire_iova(struct nlmsghdr *msg, struct ptwalk_stretches *out,
	      struct ptwalk_stretch **stretch)
{
	struct nlattr *tb[PTWALK_A_IOVA_MAX + 1];
	ssize_t nr;

	if (parse(msg, tb, PTWALK_A_IOVA_MAX, iova_policy))
		return -EBADMSG;
	if (tb[PTWALK_A_IOVA_STRETCH_BYTES] && !tb[PTWALK_A_IOVA_START] &&
	    !tb[PTWALK_A_IOVA_LAST] && !tb[PTWALK_A_IOVA_STRETCHES])
		return 1;
	if (!tb[PTWALK_A_IOVA_START] || !tb[PTWALK_A_IOVA_LAST] ||
	    !tb[PTWALK_A_IOVA_STRETCHES])
		return -EBADMSG;

	out->start = uint_of(tb[PTWALK_A_IOVA_START]);
	out->last = uint_of(tb[PTWALK_A_IOVA_LAST]);
	if (out->start > out->last)
		return -EBADMSG;
	*stretch = aligned_place(tb[PTWALK_A_IOVA_STRETCHES]);
	nr = move_records(*stretch, SIZE_MAX, sizeof(**stretch),
			  tb[PTWALK_A_IOVA_STRETCHES],
			  tb[PTWALK_A_IOVA_STRETCH_BYTES]);
	if (nr < 0)
		return -EBADMSG;
	out->nr = nr;
	out->stretch = *stretch;
	return stretches_are_whole(out) ? 0 : -EBADMSG;
}
