// SPDX-License-Identifier: GPL-2.0
/* The translate operation: a batch of addresses, level by level. */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

/* How often an address whose entry keeps changing is begun anew. */
#define TRANSLATE_TRIES	8

/*
 * Translates @out->addr under the mmap lock. @vma receives the VMA; its last
 * is left at 0 if there is none. @page may be NULL.
 */
static int translate_locked(struct mm_struct *mm,
			    struct ptwalk_translation *out,
			    struct ptwalk_page *page, struct ptwalk_vma *vma)
{
	u64 words[3] = {};
	struct ptwalk_sink sink = { .next = words, .end = words + ARRAY_SIZE(words) };
	struct ptwalk_reader reader;
	struct vm_area_struct *area = NULL;
	unsigned long start;
	int err, level;

	if (out->addr <= ULONG_MAX) {
		out->addr = untagged_addr_remote(mm, (unsigned long)out->addr);
		area = find_vma(mm, out->addr);
	}
	if (!area || area->vm_start > out->addr) {
		out->bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
		return 0;
	}

	start = out->addr & PAGE_MASK;
	ptwalk_vma_read(vma, area);
	ptwalk_reader_init(&reader, area, start, start + PAGE_SIZE, &sink);
	reader.page = page;
	err = ptwalk_reader_run(&reader);
	if (err)
		return err;

	if (WARN_ON_ONCE(!sink.last))
		return -EAGAIN;
	out->value = sink.last->value[0];
	out->bits = sink.last->bits;
	for (level = reader.walk.entry_level; level < PTWALK_LEVELS; level++)
		out->entry[level] = reader.walk.entry[level];
	return 0;
}

static int translate(struct ptwalk_target *target,
		     struct ptwalk_translation *out, struct ptwalk_page *page,
		     struct ptwalk_vma *vma)
{
	int tries, err;

	for (tries = 0; tries < TRANSLATE_TRIES; tries++) {
		err = ptwalk_target_lock(target);
		if (err)
			return err;
		err = translate_locked(target->mm, out, page, vma);
		ptwalk_target_unlock(target);
		if (err != -EAGAIN)
			break;
		cond_resched();
	}
	return err;
}

/*
 * Levels that the process doesn't have are told as 0. What stands there is the
 * entry of the top level; where folding is decided at boot (arm64), it is the
 * better one: pgd_offset() then takes each address for one of the first slot.
 */
static void drop_folded(struct ptwalk_translation *out, u32 levels)
{
	int level;

	for (level = PTWALK_LEVEL_P4D; level > PTWALK_LEVEL_PTE; level--) {
		if (levels & BIT(level))
			break;
		out->entry[PTWALK_LEVEL_PGD] = out->entry[level];
		out->entry[level] = 0;
	}
}

static int put_translations(struct sk_buff *skb, struct ptwalk_target *target,
			    const struct nlattr *addresses,
			    struct ptwalk_translation *out,
			    struct ptwalk_page *pages, u32 nr,
			    struct netlink_ext_ack *extack)
{
	u32 levels = ptwalk_mm_levels(target->mm);
	struct ptwalk_vma told = {};
	u32 i;

	for (i = 0; i < nr; i++) {
		struct ptwalk_vma vma = {};
		int err;

		memcpy(&out[i].addr, nla_data(addresses) + i * sizeof(u64),
		       sizeof(u64));
		err = translate(target, &out[i], pages ? &pages[i] : NULL, &vma);
		if (err == -EAGAIN)
			NL_SET_ERR_MSG(extack, "the entry of an address keeps changing");
		if (err == -ESRCH)
			NL_SET_ERR_MSG(extack, "the process is gone: it has exited or called exec");
		if (err)
			return err;
		drop_folded(&out[i], levels);
		if (vma.last && !ptwalk_vma_same(&vma, &told)) {
			if (ptwalk_vma_put(skb, PTWALK_A_TRANSLATE_VMA, &vma))
				return -EMSGSIZE;
			told = vma;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
	}

	if (nla_put_uint(skb, PTWALK_A_TRANSLATE_LEVELS, levels) ||
	    nla_put_uint(skb, PTWALK_A_TRANSLATE_TRANSLATION_BYTES,
			 sizeof(*out)) ||
	    nla_put_64bit(skb, PTWALK_A_TRANSLATE_TRANSLATIONS,
			  nr * sizeof(*out), out, PTWALK_A_TRANSLATE_PAD))
		return -EMSGSIZE;
	if (pages &&
	    (nla_put_uint(skb, PTWALK_A_TRANSLATE_PAGE_BYTES, sizeof(*pages)) ||
	     nla_put_64bit(skb, PTWALK_A_TRANSLATE_PAGES, nr * sizeof(*pages),
			   pages, PTWALK_A_TRANSLATE_PAD)))
		return -EMSGSIZE;
	return 0;
}

static int translate_reply(struct genl_info *info, struct ptwalk_target *target,
			   const struct nlattr *addresses)
{
	u32 nr = nla_len(addresses) / sizeof(u64);
	struct ptwalk_page *pages = NULL;
	struct ptwalk_translation *out;
	struct sk_buff *reply;
	void *header;
	int err = -ENOMEM;

	out = kcalloc(nr, sizeof(*out), GFP_KERNEL);
	if (nla_get_flag(info->attrs[PTWALK_A_TRANSLATE_WANT_PAGES])) {
		pages = kcalloc(nr, sizeof(*pages), GFP_KERNEL);
		if (!pages)
			goto free_records;
	}
	reply = genlmsg_new(nr * (sizeof(*out) + sizeof(*pages) +
				  PTWALK_VMA_ROOM) + 64, GFP_KERNEL);
	if (!out || !reply)
		goto free;

	err = -EMSGSIZE;
	header = genlmsg_put_reply(reply, info, &ptwalk_nl_family, 0,
				   PTWALK_CMD_TRANSLATE);
	if (!header ||
	    nla_put_u32(reply, PTWALK_A_TRANSLATE_PID,
			nla_get_u32(info->attrs[PTWALK_A_TRANSLATE_PID])))
		goto free;
	err = put_translations(reply, target, addresses, out, pages, nr,
			       info->extack);
	if (err)
		goto free;

	genlmsg_end(reply, header);
	err = genlmsg_reply(reply, info);
	goto free_records;

free:
	nlmsg_free(reply);
free_records:
	kfree(pages);
	kfree(out);
	return err;
}

/**
 * ptwalk_nl_translate_doit() - answer PTWALK_CMD_TRANSLATE
 * @skb: The request.
 * @info: Its parts.
 *
 * Each address is translated under a lock of its own: the answers of a batch
 * are each true, and of moments that may differ.
 *
 * Return: 0 or a negative error.
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

	err = ptwalk_target_get(&target,
				nla_get_u32(info->attrs[PTWALK_A_TRANSLATE_PID]),
				info->extack);
	if (err) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[PTWALK_A_TRANSLATE_PID]);
		return err;
	}
	err = translate_reply(info, &target, addresses);
	ptwalk_target_put(&target);
	return err;
}
