// SPDX-License-Identifier: GPL-2.0
/* The iova operation: dumps what an IOMMU translates, as stretches. */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "device.h"
#include "../request.h"
#include "netlink-gen.h"

/* No message is begun in a buffer with room for fewer stretches. */
#define IOVA_MIN_STRETCHES	16

/* Bytes of the attributes after the stretches of a message, with padding. */
#define IOVA_TAIL	(2 * (2 * NLA_HDRLEN + sizeof(u64)))

/* Calls of ptwalk_iova_piece() for one message at most. */
#define IOVA_MESSAGE_PIECES	64

/**
 * struct ptwalk_iova_dump - the state of a dump, from ->start to ->done
 * @headed: The first message has been made.
 * @device: The device; its @dev is NULL until the second ->dumpit has found it.
 * @walk: The range and the position in it.
 * @error: An error that ends the dump.
 */
struct ptwalk_iova_dump {
	bool headed;
	struct ptwalk_device device;
	struct ptwalk_iova_walk walk;
	struct ptwalk_dump_error error;
};

static struct ptwalk_iova_dump **ptwalk_iova_ctx(struct netlink_callback *cb)
{
	return (struct ptwalk_iova_dump **)cb->ctx;
}

/* Fills the message until it is full or has taken IOVA_MESSAGE_PIECES. */
static int ptwalk_iova_fill(struct ptwalk_iova_dump *dump)
{
	int pieces, ret = 0;

	for (pieces = 0; pieces < IOVA_MESSAGE_PIECES && !ret; pieces++) {
		ret = ptwalk_iova_piece(&dump->device, &dump->walk);
		if (dump->walk.finished)
			break;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return ret == -ENOSPC ? 0 : ret;
}

/* Adds a message without stretches; returns 0 or a negative error. */
static int ptwalk_iova_header(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			     &ptwalk_device_nl_family, NLM_F_MULTI, PTWALK_CMD_IOVA);
	if (!header)
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_IOVA_STRETCH_BYTES,
			 sizeof(struct ptwalk_stretch))) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

/* Adds a message with stretches; returns 0 or a negative error. */
static int ptwalk_iova_message(struct sk_buff *skb, struct netlink_callback *cb,
			       struct ptwalk_iova_dump *dump)
{
	struct ptwalk_iova_walk *walk = &dump->walk;
	struct nlattr *stretches;
	u64 start = walk->next, last;
	void *header;
	int room, err;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			     &ptwalk_device_nl_family, NLM_F_MULTI, PTWALK_CMD_IOVA);
	if (!header)
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_IOVA_STRETCH_BYTES,
			 sizeof(struct ptwalk_stretch)))
		goto full;

	room = min_t(int, skb_tailroom(skb), U16_MAX) - IOVA_TAIL -
	       2 * NLA_HDRLEN;
	room /= (int)sizeof(struct ptwalk_stretch);
	if (room < IOVA_MIN_STRETCHES)
		goto full;
	/* Aligned for user space as well, see ptwalk_dump_message(). */
	if (!IS_ALIGNED((unsigned long)skb_tail_pointer(skb) + NLA_HDRLEN,
			sizeof(u64)))
		nla_reserve(skb, PTWALK_A_IOVA_PAD, 0);
	stretches = nla_reserve(skb, PTWALK_A_IOVA_STRETCHES,
				room * sizeof(struct ptwalk_stretch));
	if (!stretches)
		goto full;
	walk->stretch = nla_data(stretches);
	walk->nr = 0;
	walk->max = room;

	err = ptwalk_iova_fill(dump);
	/* What was read before an error is sent; the next message meets it again. */
	if (err && (err == -EINTR || walk->next == start)) {
		genlmsg_cancel(skb, header);
		return err;
	}

	stretches->nla_len = nla_attr_size(walk->nr * sizeof(*walk->stretch));
	skb_trim(skb, (unsigned char *)(walk->stretch + walk->nr) - skb->data);
	last = walk->finished ? walk->last : walk->next - 1;
	if (WARN_ON_ONCE(nla_put_uint(skb, PTWALK_A_IOVA_START, start) ||
			 nla_put_uint(skb, PTWALK_A_IOVA_LAST, last)))
		goto full;
	genlmsg_end(skb, header);
	return 0;

full:
	genlmsg_cancel(skb, header);
	return -EMSGSIZE;
}

/* Parses the request. Runs under cb_lock, so it waits for no other lock. */
static int ptwalk_iova_parse(struct ptwalk_iova_dump *dump,
			     struct netlink_callback *cb,
			     struct netlink_ext_ack *extack)
{
	struct nlattr **attrs = ptwalk_dump_attrs(cb);
	int err;

	err = ptwalk_may_ask(cb->skb, extack);
	if (err)
		return err;
	if (!attrs[PTWALK_A_IOVA_NAME]) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, PTWALK_A_IOVA_NAME);
		NL_SET_ERR_MSG(extack, "the name of a device is needed");
		return -EINVAL;
	}
	dump->walk.last = U64_MAX;
	if (attrs[PTWALK_A_IOVA_START])
		dump->walk.next = nla_get_uint(attrs[PTWALK_A_IOVA_START]);
	if (attrs[PTWALK_A_IOVA_LAST])
		dump->walk.last = nla_get_uint(attrs[PTWALK_A_IOVA_LAST]);
	if (dump->walk.last < dump->walk.next) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[PTWALK_A_IOVA_LAST],
				    "the range ends before it starts");
		return -EINVAL;
	}
	return ptwalk_device_check(attrs[PTWALK_A_IOVA_NAME], extack);
}

/* Finds the device and begins the walk; returns 0 or a negative error. */
static int ptwalk_iova_find_device(struct ptwalk_iova_dump *dump,
				   struct netlink_callback *cb)
{
	struct netlink_ext_ack ack = {};
	int err;

	err = ptwalk_device_get_locked(&dump->device,
				       ptwalk_dump_attrs(cb)[PTWALK_A_IOVA_NAME],
				       ptwalk_wait_begin(PTWALK_WAIT_SHARED), &ack);
	if (!err) {
		ptwalk_device_unlock(&dump->device);
		err = ptwalk_iova_begin(&dump->device, &dump->walk, &ack);
	}
	dump->error.msg = ack._msg;
	return err;
}

/**
 * ptwalk_device_nl_iova_start() - begin a PTWALK_CMD_IOVA
 * @cb: The dump.
 *
 * Checks the permission of the sender and the request. The device is looked up
 * again, and its lock taken, by the second ->dumpit.
 *
 * Context: Process context of the sender, under cb_lock.
 * Return: 0 or a negative error.
 */
int ptwalk_device_nl_iova_start(struct netlink_callback *cb)
{
	struct ptwalk_iova_dump *dump;
	struct netlink_ext_ack ack = {};
	int err;

	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	err = ptwalk_iova_parse(dump, cb, cb->extack ?: &ack);
	dump->error = (struct ptwalk_dump_error) { .err = err, .msg = ack._msg };
	/* As ptwalk_nl_walk_start(). */
	if (err && cb->extack) {
		kfree(dump);
		return err;
	}
	*ptwalk_iova_ctx(cb) = dump;
	return 0;
}

static void ptwalk_iova_end(struct ptwalk_iova_dump *dump, int err)
{
	dump->error.err = err;
	if (dump->error.msg)
		return;
	if (err == -ENODEV)
		dump->error.msg = "the device is gone";
	else if (err == -EBUSY)
		dump->error.msg = "the IOMMU's tables change all the time: ask again";
	else if (err == -ESTALE)
		dump->error.msg = "the device has another IOMMU domain now: ask again";
}

/**
 * ptwalk_device_nl_iova_dumpit() - fill one buffer of a dump
 * @skb: The buffer.
 * @cb: The dump.
 *
 * The first buffer is filled under cb_lock and gets a message without
 * stretches. Later ones are filled without it, so that only these wait for
 * locks.
 *
 * Context: Process context of the reader. The mutex of the IOMMU group is held
 * for one ptwalk_iova_piece() at a time and never on return.
 * Return: The length of @skb, 0 at the end, or a negative error.
 */
int ptwalk_device_nl_iova_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ptwalk_iova_dump *dump = *ptwalk_iova_ctx(cb);
	int ret = 0;

	if (dump->error.err || dump->walk.finished)
		return ptwalk_dump_error_return(&dump->error, skb, cb);
	if (!dump->headed) {
		dump->headed = true;
		return ptwalk_iova_header(skb, cb) ?: skb->len;
	}
	if (!dump->device.dev)
		ret = ptwalk_iova_find_device(dump, cb);
	/* One message per call, since each may take long. */
	if (!ret)
		ret = ptwalk_iova_message(skb, cb, dump);
	if (ret == -EINTR)
		return ret;
	if (ret)
		ptwalk_iova_end(dump, ret);
	return ptwalk_dump_error_return(&dump->error, skb, cb);
}

/**
 * ptwalk_device_nl_iova_done() - end a dump, whether or not it was read to its end
 * @cb: The dump.
 *
 * Return: 0.
 */
int ptwalk_device_nl_iova_done(struct netlink_callback *cb)
{
	struct ptwalk_iova_dump *dump = *ptwalk_iova_ctx(cb);

	if (dump->device.dev)
		ptwalk_device_put(&dump->device);
	kfree(dump);
	return 0;
}
