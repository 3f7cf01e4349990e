// SPDX-License-Identifier: GPL-2.0
/*
 * The frames operation: what the kernel counts of frames, whoever maps them.
 *
 * Without an entry that maps the page, nothing but a reference keeps its folio from
 * being freed or split. So one is taken for that moment, as page_idle_get_folio() and
 * damon_get_folio() do, and isn't counted.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "page.h"
#include "request.h"

/* A reference to the folio of @pfn, or NULL: nobody holds it, or it's no online memory. */
static struct folio *ptwalk_frame_get(unsigned long pfn)
{
	struct folio *folio = NULL;
	struct page *page;

	/* Memory that goes offline is removed behind readers; see page.c. */
	rcu_read_lock();
	page = pfn_to_online_page(pfn);
	if (page) {
		folio = page_folio(page);
		if (!folio_try_get(folio))
			folio = NULL;
	}
	/* It was split, or freed and used otherwise, before the reference was taken. */
	if (folio && page_folio(page) != folio) {
		folio_put(folio);
		folio = NULL;
	}
	rcu_read_unlock();
	return folio;
}

static void ptwalk_frame_read(u64 pfn, struct ptwalk_page *out)
{
	const struct ptwalk_frame frame = { .pfn = pfn };
	struct folio *folio = pfn <= ULONG_MAX ? ptwalk_frame_get(pfn) : NULL;
	struct ptwalk_large large = {};
	u32 references;

	if (!folio)
		return;
	references = folio_ref_count(folio) - 1;
	/* What slabs have in the place of a map count is something else. */
	if (!folio_test_slab(folio))
		ptwalk_page_read(&frame, PTWALK_FLAG_PAGE |
				 (folio_test_hugetlb(folio) ? PTWALK_FLAG_HUGETLB : 0),
				 out, &large);
	out->counts = references | (out->counts >> 32 << 32);
	/* So do page tables and others that have a type, as a negative number. */
	if ((s64)out->counts < 0)
		out->counts = references;
	if ((s32)out->folio_counts < 0)
		out->folio_counts = 0;
	if (!folio_test_large(folio) && references < GUP_PIN_COUNTING_BIAS)
		out->flags &= ~(u64)PTWALK_PAGE_FLAG_MAYBE_PINNED;
	folio_put(folio);
}

static int ptwalk_frames_send(struct genl_info *info, const struct ptwalk_page *pages,
			      u32 nr)
{
	const size_t bytes = nr * sizeof(*pages);
	struct sk_buff *reply = genlmsg_new(nla_total_size_64bit(bytes) +
					    nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &ptwalk_nl_family, 0, PTWALK_CMD_FRAMES);
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
 * ptwalk_nl_frames_doit() - answer PTWALK_CMD_FRAMES
 * @skb: The request.
 * @info: The parsed request.
 *
 * Context: Process context, under cb_lock. Takes no lock, and for a moment a reference
 * to each folio.
 * Return: 0 or a negative error.
 */
int ptwalk_nl_frames_doit(struct sk_buff *skb, struct genl_info *info)
{
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
		ptwalk_frame_read(pfn, &pages[i]);
		cond_resched();
	}
	err = ptwalk_frames_send(info, pages, nr);
	kfree(pages);
	return err;
}
