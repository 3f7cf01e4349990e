// SPDX-License-Identifier: GPL-2.0
/*
 * The frames operation: what the kernel counts of frames, whoever maps them.
 *
 * Without an entry that maps the page, nothing but a reference keeps its folio from
 * being freed or split. Reclaim, migration and others take one at any time of what
 * is on the LRU, in a file, anonymous or of hugetlb, and so does this for a moment.
 * Who frees other memory, such as CMA's, virtio-mem's or reserved pages, may rely on
 * having the last one: that is read without, as /proc/kpagecount does.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "device.h"
#include "free.h"
#include "../page.h"
#include "../request.h"
#include "netlink-gen.h"

/*
 * So many links of lists of free pages are followed for one sendmsg(): milliseconds, all of
 * which one frame may take, in one section of RCU. Of pages behind that it isn't told that
 * they are free; they look like others without an owner.
 */
#define PTWALK_FREE_LINKS	65536U

static bool ptwalk_frame_may_be_held(struct folio *folio)
{
	return folio_test_lru(folio) || folio_test_hugetlb(folio) ||
	       (!folio_test_slab(folio) && ptwalk_peek(folio->mapping));
}

/* A balloon's pages, for one, have a type in place of a map count, as a negative number. */
static void ptwalk_frame_describe(struct page *page, u32 facts, struct ptwalk_page *out)
{
	struct ptwalk_large large = {};

	ptwalk_page_read(page, facts, out, &large);
	if ((s64)out->counts < 0)
		out->counts = (u32)out->counts;
	if ((s32)out->folio_counts < 0)
		out->folio_counts = 0;
}

/* With a reference, which isn't counted. Without one, nothing is known. */
static void ptwalk_frame_read_held(struct page *page, struct folio *folio,
				   struct ptwalk_page *out)
{
	u32 references;

	if (!folio_try_get(folio))
		return;
	/* Otherwise it was split, or freed and used anew, before that. */
	if (page_folio(page) == folio && ptwalk_frame_may_be_held(folio)) {
		references = folio_ref_count(folio) - 1;
		ptwalk_frame_describe(page, folio_test_hugetlb(folio) ? PTWALK_FLAG_HUGETLB : 0,
				      out);
		out->counts = references | out->counts >> 32 << 32;
		/* Of hugetlb, what is being allocated has no mapping yet, and no pin. */
		if ((folio_test_lru(folio) ||
		     (folio_test_hugetlb(folio) && folio_maybe_dma_pinned(folio))) &&
		    !folio_test_swapcache(folio) && !ptwalk_peek(folio->mapping))
			out->flags |= PTWALK_PAGE_FLAG_TRUNCATED;
		if (!folio_test_large(folio) && references < GUP_PIN_COUNTING_BIAS)
			out->flags &= ~(u64)PTWALK_PAGE_FLAG_MAYBE_PINNED;
	}
	folio_put(folio);
}

/*
 * Without a reference, as of one moment only what is in one struct page. Slabs have
 * something else in the places of flags and of a map count.
 */
static void ptwalk_frame_peek(struct page *page, struct folio *folio,
			      struct ptwalk_page *out, struct ptwalk_free *known)
{
	const bool slab = folio_test_slab(folio);
	struct folio copy;
	u32 references;

	/* What it belongs to may change until it is copied. */
	ptwalk_peek(memcpy(&copy.page, page, sizeof(copy.page)));
	if (!slab && !PageCompound(&copy.page)) {
		if (page_ref_count(&copy.page))
			ptwalk_frame_describe(&copy.page, 0, out);
		else if (ptwalk_page_is_free(page, known))
			*out = (struct ptwalk_page) {
				.flags = PTWALK_PAGE_FLAG_FREE,
				.place = (u64)(page_to_nid(page) & 0xffffff) << 8,
			};
		return;
	}
	references = ptwalk_peek(page_ref_count(&folio->page));
	if (!references)
		return;
	*out = (struct ptwalk_page) {
		.flags = PageCompound(&copy.page) ? PTWALK_PAGE_FLAG_LARGE : 0,
		.counts = references | (slab ? 0 :
			  (u64)max(atomic_read(&copy.page._mapcount) + 1, 0) << 32),
		.place = ptwalk_peek(folio_order(folio)) |
			 (u64)(page_to_nid(page) & 0xffffff) << 8 |
			 (u64)folio_page_idx(folio, page) << 32,
	};
	if (page_folio(page) != folio)
		*out = (struct ptwalk_page) {};
}

static void ptwalk_frame_read(u64 pfn, struct ptwalk_page *out, struct ptwalk_free *known)
{
	struct folio *folio;
	struct page *page;

	/* Memory that goes offline is removed behind readers; see memory.h. */
	rcu_read_lock();
	page = pfn <= ULONG_MAX ? pfn_to_online_page(pfn) : NULL;
	if (page) {
		folio = page_folio(page);
		if (!ptwalk_frame_may_be_held(folio))
			ptwalk_frame_peek(page, folio, out, known);
		else
			ptwalk_frame_read_held(page, folio, out);
	}
	rcu_read_unlock();
}

static int ptwalk_frames_send(struct genl_info *info, const struct ptwalk_page *pages, u32 nr)
{
	const size_t bytes = nr * sizeof(*pages);
	struct sk_buff *reply = genlmsg_new(nla_total_size_64bit(bytes) +
					    nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &ptwalk_device_nl_family, 0,
				   PTWALK_CMD_FRAMES);
	if (!header ||
	    nla_put_uint(reply, PTWALK_A_FRAMES_PAGE_BYTES, sizeof(*pages)) ||
	    nla_put_64bit(reply, PTWALK_A_FRAMES_PAGES, bytes, pages, PTWALK_A_FRAMES_PAD)) {
		WARN_ON_ONCE(header);
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

/**
 * ptwalk_device_nl_frames_doit() - answer PTWALK_CMD_FRAMES
 * @skb: The request.
 * @info: The parsed request.
 *
 * Context: Process context, under cb_lock. Takes the RCU read lock for each frame, and
 * a reference to its folio at the most.
 * Return: 0 or a negative error.
 */
int ptwalk_device_nl_frames_doit(struct sk_buff *skb, struct genl_info *info)
{
	/* As ptwalk_wait_shared(): further requests of one sendmsg() take no time. */
	struct ptwalk_free known = { .links = skb_headroom(skb) ? 0 : PTWALK_FREE_LINKS };
	const struct nlattr *frames;
	struct ptwalk_page *pages;
	u32 i, nr;
	u64 pfn;
	int err;

	err = ptwalk_may_ask(skb, info->extack);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, PTWALK_A_FRAMES_FRAMES)) {
		NL_SET_ERR_MSG(info->extack, "frames are needed");
		return -EINVAL;
	}
	frames = info->attrs[PTWALK_A_FRAMES_FRAMES];
	if (!nla_len(frames) || nla_len(frames) % sizeof(u64)) {
		NL_SET_ERR_MSG_ATTR(info->extack, frames,
				    "one or more frames of 8 bytes each are needed");
		return -EINVAL;
	}

	nr = nla_len(frames) / sizeof(u64);
	pages = kcalloc(nr, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		memcpy(&pfn, nla_data(frames) + i * sizeof(pfn), sizeof(pfn));
		ptwalk_frame_read(pfn, &pages[i], &known);
		cond_resched();
	}
	err = ptwalk_frames_send(info, pages, nr);
	kfree(pages);
	return err;
}
