// SPDX-License-Identifier: GPL-2.0
/* The dump operation: all that is mapped in a range, as a stream of runs. */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

/* A message with room for fewer words is left to the next buffer. */
#define DUMP_MIN_WORDS	64

/* What follows the runs in a message: its start and its VMA, with padding. */
#define DUMP_TAIL	(PTWALK_VMA_ROOM + 3 * NLA_HDRLEN + sizeof(u64))

/* How often a piece whose entries keep changing is begun anew. */
#define DUMP_TRIES	64

/*
 * How often PTWALK_WALK_BUDGET is granted to a piece while nobody waits for the
 * mmap lock; about 2 MiB of tables.
 */
#define DUMP_GRANTS	512

/**
 * struct ptwalk_dump - where a dump stands, from start to done
 * @target: The process.
 * @pid: As the caller knows it.
 * @begun: The first message has been made.
 * @addr: Next address, page-aligned.
 * @last: Last address, inclusive.
 * @finished: Whether there is nothing left to tell.
 * @ending: An error that ends the dump.
 */
struct ptwalk_dump {
	struct ptwalk_target target;
	u32 pid;
	bool begun;
	unsigned long addr;
	unsigned long last;
	bool finished;
	struct ptwalk_ending ending;
};

/* Outcome of a piece of work. */
enum ptwalk_dump_outcome {
	PIECE_ON,	/* the next one may follow at once */
	PIECE_REST,	/* much was walked: let the reader have what there is */
	PIECE_NONE,	/* nothing is left in the range */
};

/*
 * Reads on until the end, until the sink is full, or until somebody else wants
 * the processor or the mmap lock.
 */
static int ptwalk_dump_read(struct ptwalk_reader *reader, unsigned int *grants)
{
	struct mm_struct *mm = reader->walk.vma->vm_mm;
	int ret = 0;

	for (*grants = DUMP_GRANTS; *grants; --*grants) {
		reader->walk.budget = PTWALK_WALK_BUDGET;
		ret = ptwalk_reader_run(reader);
		if (ret || reader->walk.budget || mmap_lock_is_contended(mm) ||
		    need_resched())
			break;
	}
	return ret;
}

/*
 * Reads one piece: a part of one VMA, which begins at @start, as far as the
 * sink and the mmap lock go. Returns an enum ptwalk_dump_outcome or a negative
 * error.
 */
static int ptwalk_dump_piece(struct ptwalk_dump *dump, struct ptwalk_sink *sink,
			     struct ptwalk_vma *vma, u64 *start)
{
	struct vm_area_struct *area;
	struct ptwalk_reader reader;
	unsigned int grants;
	unsigned long end;
	bool contended;
	int ret;

	ret = ptwalk_target_lock(&dump->target);
	if (ret)
		return ret;

	area = find_vma(dump->target.mm, dump->addr);
	if (!area || area->vm_start > dump->last) {
		ret = PIECE_NONE;
		goto unlock;
	}

	ptwalk_vma_read(vma, area);
	*start = max(dump->addr, area->vm_start);
	end = min(area->vm_end - 1, dump->last | ~PAGE_MASK) + 1;
	ptwalk_reader_init(&reader, area, *start, end, sink);
	ret = ptwalk_dump_read(&reader, &grants);
	if (!ret || sink->last)
		ret = grants ? PIECE_ON : PIECE_REST;

	dump->addr = reader.walk.addr;
	if (dump->addr == end && end - 1 >= dump->last)
		dump->finished = true;
unlock:
	contended = mmap_lock_is_contended(dump->target.mm);
	ptwalk_target_unlock(&dump->target);
	/* One who sleeps in the queue would find the lock taken again. */
	if (contended)
		usleep_range(50, 200);
	return ret;
}

/* Puts what every message begins with; NULL if there is no room. */
static void *ptwalk_dump_put_header(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    const struct ptwalk_dump *dump)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			     &ptwalk_nl_family, NLM_F_MULTI, PTWALK_CMD_WALK);
	if (!header)
		return NULL;
	if (!nla_put_u32(skb, PTWALK_A_WALK_PID, dump->pid) &&
	    !nla_put_uint(skb, PTWALK_A_WALK_LEVELS,
			  ptwalk_mm_levels(dump->target.mm)) &&
	    !nla_put_uint(skb, PTWALK_A_WALK_RUN_BYTES,
			  sizeof(struct ptwalk_run)))
		return header;
	genlmsg_cancel(skb, header);
	return NULL;
}

/*
 * The first buffer is filled under generic netlink's cb_lock: its message has
 * no runs, for which the mmap lock would be needed.
 */
static int ptwalk_dump_first(struct sk_buff *skb, struct netlink_callback *cb,
			     struct ptwalk_dump *dump)
{
	void *header = ptwalk_dump_put_header(skb, cb, dump);

	if (!header)
		return -EMSGSIZE;
	genlmsg_end(skb, header);
	dump->begun = true;
	return skb->len;
}

/* Adds one message; returns an enum ptwalk_dump_outcome, or a negative error. */
static int ptwalk_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			       struct ptwalk_dump *dump)
{
	struct ptwalk_sink sink = {};
	struct ptwalk_vma vma;
	struct nlattr *runs;
	u64 start;
	void *header;
	int room, ret;

	header = ptwalk_dump_put_header(skb, cb, dump);
	if (!header)
		return -EMSGSIZE;

	room = min_t(int, skb_tailroom(skb), U16_MAX) - DUMP_TAIL -
	       2 * NLA_HDRLEN;
	room /= (int)sizeof(u64);
	if (room < DUMP_MIN_WORDS)
		goto full;
	/*
	 * Aligned on all architectures, not only where the kernel needs it:
	 * then a reader needn't move the records.
	 */
	if (!IS_ALIGNED((unsigned long)skb_tail_pointer(skb) + NLA_HDRLEN,
			sizeof(u64)))
		nla_reserve(skb, PTWALK_A_WALK_PAD, 0);
	runs = nla_reserve(skb, PTWALK_A_WALK_RUNS, room * sizeof(u64));
	if (!runs)
		goto full;
	sink.next = nla_data(runs);
	sink.end = sink.next + room;

	ret = ptwalk_dump_piece(dump, &sink, &vma, &start);
	if (ret < 0 || ret == PIECE_NONE) {
		genlmsg_cancel(skb, header);
		return ret;
	}

	runs->nla_len = nla_attr_size((void *)sink.next - nla_data(runs));
	skb_trim(skb, (unsigned char *)sink.next - skb->data);
	if (WARN_ON_ONCE(nla_put_uint(skb, PTWALK_A_WALK_START, start) ||
			 ptwalk_vma_put(skb, PTWALK_A_WALK_VMA, &vma)))
		goto full;
	genlmsg_end(skb, header);
	return ret;

full:
	genlmsg_cancel(skb, header);
	return -EMSGSIZE;
}

/* Reads the request; the dump may be left without a target on an error. */
static int ptwalk_dump_begin(struct ptwalk_dump *dump, struct netlink_callback *cb,
			     struct netlink_ext_ack *extack)
{
	struct nlattr **attrs = ptwalk_dump_attrs(cb);
	u64 start = 0, last = U64_MAX;
	int err;

	err = ptwalk_may_ask(cb->skb, extack);
	if (err)
		return err;
	if (!attrs[PTWALK_A_WALK_PID]) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, PTWALK_A_WALK_PID);
		NL_SET_ERR_MSG(extack, "a pid is needed");
		return -EINVAL;
	}
	if (attrs[PTWALK_A_WALK_START])
		start = nla_get_uint(attrs[PTWALK_A_WALK_START]);
	if (attrs[PTWALK_A_WALK_LAST])
		last = nla_get_uint(attrs[PTWALK_A_WALK_LAST]);
	if (last < start) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[PTWALK_A_WALK_LAST],
				    "the range ends before it starts");
		return -EINVAL;
	}

	dump->pid = nla_get_u32(attrs[PTWALK_A_WALK_PID]);
	dump->finished = start > ULONG_MAX;
	dump->addr = start & PAGE_MASK;
	dump->last = min_t(u64, last, ULONG_MAX);
	err = ptwalk_target_get(&dump->target, cb->skb, dump->pid, extack);
	if (err)
		NL_SET_BAD_ATTR(extack, attrs[PTWALK_A_WALK_PID]);
	return err;
}

/**
 * ptwalk_nl_walk_start() - begin a PTWALK_CMD_WALK
 * @cb: The dump.
 *
 * Later pieces run in whichever process reads the socket, so the target is
 * found here, in the context of the one who asks.
 *
 * Return: 0 or a negative error.
 */
int ptwalk_nl_walk_start(struct netlink_callback *cb)
{
	struct ptwalk_dump *dump;
	int err;

	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	err = ptwalk_dump_begin(dump, cb, cb->extack ?: &dump->ending.ack);
	err = ptwalk_ending_early(&dump->ending, cb, err);
	if (err) {
		kfree(dump);
		return err;
	}
	cb->args[0] = (long)dump;
	return 0;
}

static void ptwalk_dump_end(struct ptwalk_dump *dump, int err)
{
	dump->ending.err = err;
	ptwalk_target_tell(err, &dump->ending.ack);
}

/**
 * ptwalk_nl_walk_dumpit() - fill one buffer of a dump
 * @skb: The buffer.
 * @cb: The dump.
 *
 * Context: May sleep; but for the first buffer, which wants no lock, the mmap
 * lock of the target is waited for until a signal comes, and i_mmap_rwsem tried
 * for up to PTWALK_WAIT. The mmap lock is held for one piece of work at a time
 * and never on return.
 * Return: The length of @skb, 0 at the end, or a negative error.
 */
int ptwalk_nl_walk_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = (struct ptwalk_dump *)cb->args[0];
	unsigned int tries = 0;

	if (!dump->begun && !dump->ending.err)
		return ptwalk_dump_first(skb, cb, dump);

	dump->target.queue = true;
	dump->target.deadline = jiffies + PTWALK_WAIT;
	while (!dump->finished && !dump->ending.err) {
		int ret = ptwalk_dump_message(skb, cb, dump);

		if (ret == -EMSGSIZE && skb->len)
			break;
		if (ret == -EAGAIN && ++tries < DUMP_TRIES) {
			cond_resched();
			continue;
		}
		if (ret == -EBUSY) {
			ret = ptwalk_lock_pause(dump->target.deadline);
			if (!ret)
				continue;
		}
		if (ret < 0)
			ptwalk_dump_end(dump, ret);
		else if (ret == PIECE_NONE)
			dump->finished = true;
		tries = 0;
		if (ret == PIECE_REST)
			break;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}

	return ptwalk_ending_tell(&dump->ending, skb, cb);
}

/**
 * ptwalk_nl_walk_done() - end a dump, read to its end or not
 * @cb: The dump.
 *
 * Return: 0.
 */
int ptwalk_nl_walk_done(struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = (struct ptwalk_dump *)cb->args[0];

	if (dump->target.mm)
		ptwalk_target_put(&dump->target);
	kfree(dump);
	return 0;
}
