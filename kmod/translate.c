// SPDX-License-Identifier: GPL-2.0
/* The translate operation: a batch of addresses, level by level. */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

/*
 * Bytes of attributes in a reply at most, so that it fits into a buffer of
 * 8 KiB: the size of a reader's buffer that netlink recommends.
 */
#define PTWALK_REPLY_MAX	(SKB_WITH_OVERHEAD(8192UL) - NLMSG_HDRLEN - GENL_HDRLEN)

/* Bytes of the attributes beside records and VMAs, and of the headers of those. */
#define PTWALK_REPLY_FIXED	(8 * (NLA_HDRLEN + sizeof(u64)))

/*
 * Translates @out->addr, which lies in @vma; the mmap lock is held. @page and @cgroup
 * may be NULL, and are all zero. Returns 0 or an error of ptwalk_walk().
 */
static int ptwalk_translate_locked(struct vm_area_struct *vma, struct ptwalk_online *online,
				   struct ptwalk_translation *out,
				   struct ptwalk_page *page, u64 *cgroup)
{
	unsigned long start = out->addr & PAGE_MASK;
	u64 words[PTWALK_PAGE_RUN_WORDS] = {};
	struct ptwalk_sink sink = {
		.next = words,
		.end = words + ARRAY_SIZE(words),
		.page = page,
	};
	struct ptwalk_reader reader;
	int err, level;

	ptwalk_reader_init(&reader, vma->vm_mm, &sink, online, NULL);
	ptwalk_reader_move(&reader, vma, start, start + PAGE_SIZE);
	reader.cgroup = cgroup;
	err = ptwalk_walk(&reader.walk);
	if (err)
		return err;

	if (WARN_ON_ONCE(!sink.last))
		return -EAGAIN;
	out->value = sink.next[-1];
	out->bits = sink.last->bits & ~PTWALK_BITS_LIST;
	for (level = reader.walk.entry_level; level < PTWALK_LEVELS; level++)
		out->entry[level] = reader.walk.entry[level];
	return 0;
}

/* The addresses of a request and what is told of each. */
struct ptwalk_batch {
	const void *addresses;		/* not aligned */
	u32 nr;				/* how many there are */
	u32 done;			/* how many, from the first on, are translated */
	size_t size;			/* bytes of the attributes that tell of these, at most */
	struct ptwalk_translation *out;	/* one for each address */
	struct ptwalk_page *pages;	/* one for each, or NULL */
	u64 *cgroups;			/* what each of these is charged to */
	/* In the order of the addresses; for several of them in a row, the same one once. */
	struct ptwalk_vma *vmas;
	u32 nr_vmas;
	struct vm_area_struct *likely;	/* found last under this hold, or NULL */
	u32 levels;			/* mask of 1 << enum ptwalk_level: what the tables have */
};

static void ptwalk_batch_free(struct ptwalk_batch *batch)
{
	kfree(batch->out);
	kfree(batch->pages);
	kfree(batch->cgroups);
	kfree(batch->vmas);
}

static int ptwalk_batch_alloc(struct ptwalk_batch *batch,
			      const struct nlattr *addresses, bool want_pages)
{
	u32 nr = nla_len(addresses) / sizeof(u64);
	/* No more VMAs fit into a reply: one translation comes with each. */
	u32 max_vmas = min_t(u32, nr, PTWALK_REPLY_MAX /
			     (PTWALK_VMA_ROOM + sizeof(*batch->out)) + 1);

	*batch = (struct ptwalk_batch) {
		.addresses = nla_data(addresses),
		.nr = nr,
		.size = PTWALK_REPLY_FIXED,
		.out = kcalloc(nr, sizeof(*batch->out), GFP_KERNEL),
		.vmas = kcalloc(max_vmas, sizeof(*batch->vmas), GFP_KERNEL),
	};
	if (want_pages) {
		batch->pages = kcalloc(nr, sizeof(*batch->pages), GFP_KERNEL);
		batch->cgroups = kcalloc(nr, sizeof(*batch->cgroups), GFP_KERNEL);
	}
	if (batch->out && batch->vmas && (!want_pages || (batch->pages && batch->cgroups)))
		return 0;
	ptwalk_batch_free(batch);
	return -ENOMEM;
}

/*
 * Whether the last of @batch->vmas tells of @vma: under one hold of the mmap lock,
 * nothing of a VMA changes but its ends, if it is a stack.
 */
static bool ptwalk_batch_has(const struct ptwalk_batch *batch,
			     const struct vm_area_struct *vma)
{
	const struct ptwalk_vma *last = &batch->vmas[batch->nr_vmas] - 1;

	return batch->nr_vmas && last->start == vma->vm_start &&
	       last->last == (u64)vma->vm_end - 1;
}

/*
 * Translates the next address; the mmap lock is held. Returns 0, -ENOSPC if
 * the reply has no room for it, or an error of ptwalk_translate_locked().
 */
static int ptwalk_batch_add(struct ptwalk_target *target, struct ptwalk_online *online,
			    struct ptwalk_batch *batch)
{
	struct ptwalk_translation *out = &batch->out[batch->done];
	struct ptwalk_page *page = batch->pages ? &batch->pages[batch->done] : NULL;
	u64 *cgroup = page ? &batch->cgroups[batch->done] : NULL;
	size_t size = batch->size + sizeof(*out) + (page ? sizeof(*page) + sizeof(*cgroup) : 0);
	struct vm_area_struct *vma;
	bool new_vma;
	int err;

	memcpy(&out->addr, batch->addresses + batch->done * sizeof(u64), sizeof(u64));
	if (out->addr <= ULONG_MAX)
		out->addr = untagged_addr_remote(target->mm, (unsigned long)out->addr);
	vma = batch->likely;
	if (!vma || out->addr < vma->vm_start || out->addr >= vma->vm_end)
		vma = out->addr <= ULONG_MAX ? vma_lookup(target->mm, out->addr) : NULL;
	batch->likely = vma;
	new_vma = vma && !ptwalk_batch_has(batch, vma);
	if (new_vma)
		size += PTWALK_VMA_ROOM;
	if (size > PTWALK_REPLY_MAX)
		return -ENOSPC;
	if (vma) {
		err = ptwalk_translate_locked(vma, online, out, page, cgroup);
		if (err)
			return err;
	} else {
		out->bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	}
	if (new_vma)
		ptwalk_vma_read(&batch->vmas[batch->nr_vmas++], vma);
	batch->size = size;
	batch->done++;
	return 0;
}

/*
 * Translates as many addresses as a reply has room for, under one hold of the
 * mmap lock, or until somebody waits for that or for the CPU. With the page of
 * each, kernels before 6.10 count the mappings of all pages of a folio. Returns 0
 * if there is at least one translation, or a negative error.
 */
static int ptwalk_batch_translate(struct ptwalk_target *target, struct ptwalk_batch *batch)
{
	int err;

	batch->levels = ptwalk_mm_levels(target->mm);
	do {
		struct ptwalk_online online = {};

		err = ptwalk_target_lock(target);
		if (err)
			return err;
		batch->likely = NULL;
		while (!err && batch->done < batch->nr) {
			err = ptwalk_batch_add(target, &online, batch);
			if (mmap_lock_is_contended(target->mm) || need_resched())
				break;
		}
		ptwalk_target_unlock(target);
		/* Many requests may come with one sendmsg(). */
		cond_resched();
		if (batch->done)
			return 0;
		err = ptwalk_target_retry(target, err);
	} while (!err);
	return err;
}

static int ptwalk_batch_put(struct sk_buff *skb, const struct ptwalk_batch *batch)
{
	struct ptwalk_driver driver = {};
	u32 i;

	for (i = 0; i < batch->nr_vmas; i++)
		if (ptwalk_vma_put(skb, PTWALK_A_TRANSLATE_VMA, &batch->vmas[i], &driver))
			return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_TRANSLATE_LEVELS, batch->levels) ||
	    nla_put_uint(skb, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(*batch->out)) ||
	    nla_put_64bit(skb, PTWALK_A_TRANSLATE_TRANSLATIONS,
			  batch->done * sizeof(*batch->out), batch->out,
			  PTWALK_A_TRANSLATE_PAD))
		return -EMSGSIZE;
	if (batch->pages &&
	    (nla_put_uint(skb, PTWALK_A_TRANSLATE_PAGE_BYTES, sizeof(*batch->pages)) ||
	     nla_put_64bit(skb, PTWALK_A_TRANSLATE_PAGES,
			   batch->done * sizeof(*batch->pages), batch->pages,
			   PTWALK_A_TRANSLATE_PAD)))
		return -EMSGSIZE;
	if (IS_ENABLED(CONFIG_MEMCG) && batch->pages &&
	    nla_put_64bit(skb, PTWALK_A_TRANSLATE_CGROUPS,
			  batch->done * sizeof(*batch->cgroups), batch->cgroups,
			  PTWALK_A_TRANSLATE_PAD))
		return -EMSGSIZE;
	return 0;
}

static int ptwalk_batch_send(struct genl_info *info, const struct ptwalk_batch *batch)
{
	struct sk_buff *reply = genlmsg_new(batch->size, GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;

	header = genlmsg_put_reply(reply, info, &ptwalk_nl_family, 0, PTWALK_CMD_TRANSLATE);
	if (!header ||
	    nla_put_u32(reply, PTWALK_A_TRANSLATE_PID,
			nla_get_u32(info->attrs[PTWALK_A_TRANSLATE_PID])) ||
	    WARN_ON_ONCE(ptwalk_batch_put(reply, batch))) {
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static int ptwalk_translate_reply(struct genl_info *info, struct ptwalk_target *target,
				  const struct nlattr *addresses)
{
	struct ptwalk_batch batch;
	int err;

	err = ptwalk_batch_alloc(&batch, addresses,
				 nla_get_flag(info->attrs[PTWALK_A_TRANSLATE_WANT_PAGES]));
	if (err)
		return err;
	err = ptwalk_batch_translate(target, &batch);
	if (err)
		ptwalk_target_explain(err, info->extack);
	else
		err = ptwalk_batch_send(info, &batch);
	ptwalk_batch_free(&batch);
	return err;
}

/*
 * Answers PTWALK_CMD_TRANSLATE: as many addresses, from the first one on, as fit into a reply
 * of 8 KiB and as can be walked at the first attempt while nobody waits for the mmap lock or
 * the CPU; the caller asks again for the rest. An error is returned only if the first address
 * can't be answered.
 *
 * Context: Process context, under cb_lock. Locks are tried for ptwalk_wait_shared() in all.
 * The mmap lock is held once, for up to PTWALK_MAX_ADDRESSES walks of one page, one if it is
 * contended.
 * Return: 0 or a negative error: among others -EBUSY if the locks can't be taken in time,
 * -EAGAIN if an entry keeps changing, or an error of ptwalk_may_ask() or ptwalk_target_get().
 */
int ptwalk_nl_translate_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ptwalk_target target;
	const struct nlattr *addresses;
	int err;

	err = ptwalk_may_ask(skb, info->extack);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, PTWALK_A_TRANSLATE_PID) ||
	    GENL_REQ_ATTR_CHECK(info, PTWALK_A_TRANSLATE_ADDRESSES)) {
		NL_SET_ERR_MSG(info->extack, "a pid and addresses are needed");
		return -EINVAL;
	}

	addresses = info->attrs[PTWALK_A_TRANSLATE_ADDRESSES];
	if (!nla_len(addresses) || nla_len(addresses) % sizeof(u64)) {
		NL_SET_ERR_MSG_ATTR(info->extack, addresses,
				    "one or more addresses of 8 bytes each are needed");
		return -EINVAL;
	}

	err = ptwalk_target_get(&target, skb, nla_get_u32(info->attrs[PTWALK_A_TRANSLATE_PID]),
				info->extack);
	if (err) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[PTWALK_A_TRANSLATE_PID]);
		return err;
	}
	err = ptwalk_translate_reply(info, &target, addresses);
	ptwalk_target_put(&target);
	return err;
}
