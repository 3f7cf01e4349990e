// SPDX-License-Identifier: GPL-2.0
/* The walk operation: dumps what is mapped in a range, as runs of pages. */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include "compat/mm.h"
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

/* A message with less room than this many words is left to the next buffer. */
#define PTWALK_DUMP_MIN_WORDS	64

/* What follows the runs in a message: its start and its VMA, with padding. */
#define PTWALK_DUMP_TAIL	(PTWALK_VMA_ROOM + 3 * NLA_HDRLEN + sizeof(u64))

/* How often a piece is tried again whose entry changes under our hands. */
#define PTWALK_DUMP_TRIES	64

/*
 * How often PTWALK_WALK_BUDGET is renewed under one hold of the mmap lock if
 * nobody waits for it; about 2 MiB of tables.
 */
#define PTWALK_DUMP_RENEWALS	512

/**
 * struct ptwalk_dump - the state of a dump between two of its buffers
 * @mm: The address space, held by mm_count; NULL after an error at the start.
 * @addr: Next address, page-aligned.
 * @last: Last address, inclusive.
 * @error: An error that ends the dump.
 * @pid: The process, as the caller numbers it.
 * @begun: The first message has been made.
 * @finished: The end of the range has been reached.
 *
 * Lives in the netlink_callback: a dump that nobody reads to its end holds no
 * memory of its own.
 */
struct ptwalk_dump {
	struct mm_struct *mm;
	unsigned long addr;
	unsigned long last;
	struct ptwalk_dump_error error;
	u32 pid;
	bool begun;
	bool finished;
};

static struct ptwalk_dump *ptwalk_dump_ctx(struct netlink_callback *cb)
{
	NL_ASSERT_CTX_FITS(struct ptwalk_dump);

	return (struct ptwalk_dump *)cb->ctx;
}

/* What became of a message. */
enum ptwalk_dump_outcome {
	DUMP_MORE,	/* there may be more */
	DUMP_PAUSE,	/* much was walked for it: return it to the reader */
	DUMP_END,	/* nothing is left in the range, and nothing was added */
};

/*
 * Reads until the end, until the sink is full, or until somebody else wants
 * the CPU or the mmap lock. @renewals receives how often the budget could still
 * have been renewed.
 */
static int ptwalk_dump_read(struct ptwalk_reader *reader, unsigned int *renewals)
{
	struct mm_struct *mm = reader->walk.vma->vm_mm;
	int ret = 0;

	for (*renewals = PTWALK_DUMP_RENEWALS; *renewals; --*renewals) {
		reader->walk.budget = PTWALK_WALK_BUDGET;
		ret = ptwalk_reader_run(reader);
		if (ret || reader->walk.budget || mmap_lock_is_contended(mm) ||
		    need_resched())
			break;
	}
	return ret;
}

/*
 * Reads one piece, under one hold of the mmap lock: a part of one VMA, which
 * begins at @start. @seq receives ptwalk_mm_seq(). Returns an enum
 * ptwalk_dump_outcome or a negative error.
 */
static int ptwalk_dump_piece(struct ptwalk_dump *dump,
			     struct ptwalk_target *target,
			     struct ptwalk_sink *sink, struct ptwalk_vma *out,
			     u64 *start, unsigned int *seq)
{
	struct vm_area_struct *vma;
	struct ptwalk_reader reader;
	unsigned int renewals;
	unsigned long end;
	bool contended;
	int ret;

	ret = ptwalk_target_lock(target);
	if (ret)
		return ret;

	*seq = ptwalk_mm_seq(dump->mm);
	vma = find_vma(dump->mm, dump->addr);
	if (!vma || vma->vm_start > dump->last) {
		ret = DUMP_END;
		goto unlock;
	}

	ptwalk_vma_read(out, vma);
	*start = max(dump->addr, vma->vm_start);
	end = min(vma->vm_end - 1, dump->last | ~PAGE_MASK) + 1;
	ptwalk_reader_init(&reader, vma, *start, end, sink);
	ret = ptwalk_dump_read(&reader, &renewals);
	if (!ret || sink->last)
		ret = renewals ? DUMP_MORE : DUMP_PAUSE;

	dump->addr = reader.walk.addr;
	if (dump->addr == end && end - 1 >= dump->last)
		dump->finished = true;
unlock:
	contended = mmap_lock_is_contended(dump->mm);
	ptwalk_target_unlock(target);
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
			  ptwalk_mm_levels(dump->mm)) &&
	    !nla_put_uint(skb, PTWALK_A_WALK_RUN_BYTES,
			  sizeof(struct ptwalk_run)))
		return header;
	genlmsg_cancel(skb, header);
	return NULL;
}

/*
 * The first buffer is filled under generic netlink's cb_lock. Its message has
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

/*
 * Adds one message. Returns an enum ptwalk_dump_outcome; -EMSGSIZE if the
 * buffer has no room for it, or what ptwalk_dump_piece() returned.
 */
static int ptwalk_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			       struct ptwalk_dump *dump,
			       struct ptwalk_target *target)
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

	room = min_t(int, skb_tailroom(skb), U16_MAX) - PTWALK_DUMP_TAIL -
	       2 * NLA_HDRLEN;
	room /= (int)sizeof(u64);
	if (room < PTWALK_DUMP_MIN_WORDS)
		goto full;
	/*
	 * The runs are aligned on all architectures, not only where the kernel
	 * needs it, so that a reader can use them in place.
	 */
	if (!IS_ALIGNED((unsigned long)skb_tail_pointer(skb) + NLA_HDRLEN,
			sizeof(u64)))
		nla_reserve(skb, PTWALK_A_WALK_PAD, 0);
	runs = nla_reserve(skb, PTWALK_A_WALK_RUNS, room * sizeof(u64));
	if (!runs)
		goto full;
	sink.next = nla_data(runs);
	sink.end = sink.next + room;

	ret = ptwalk_dump_piece(dump, target, &sink, &vma, &start, &cb->seq);
	if (ret < 0 || ret == DUMP_END) {
		genlmsg_cancel(skb, header);
		return ret;
	}

	runs->nla_len = nla_attr_size((void *)sink.next - nla_data(runs));
	skb_trim(skb, (unsigned char *)sink.next - skb->data);
	if (WARN_ON_ONCE(nla_put_uint(skb, PTWALK_A_WALK_START, start) ||
			 ptwalk_vma_put(skb, PTWALK_A_WALK_VMA, &vma)))
		goto full;
	genl_dump_check_consistent(cb, header);
	genlmsg_end(skb, header);
	return ret;

full:
	genlmsg_cancel(skb, header);
	return -EMSGSIZE;
}

/* Parses the request and pins its address space. */
static int ptwalk_dump_parse(struct ptwalk_dump *dump, struct netlink_callback *cb,
			     struct netlink_ext_ack *extack)
{
	struct nlattr **attrs = ptwalk_dump_attrs(cb);
	u64 start = 0, last = U64_MAX;
	struct ptwalk_target target;
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
	err = ptwalk_target_get(&target, cb->skb, dump->pid, extack);
	if (err) {
		NL_SET_BAD_ATTR(extack, attrs[PTWALK_A_WALK_PID]);
		return err;
	}
	dump->mm = target.mm;
	return 0;
}

/**
 * ptwalk_nl_walk_start() - begin a PTWALK_CMD_WALK
 * @cb: The dump.
 *
 * Later buffers are filled by whichever task reads the socket, so the process
 * is looked up here, in the context of the sender.
 *
 * Return: 0 or a negative error.
 */
int ptwalk_nl_walk_start(struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = ptwalk_dump_ctx(cb);
	struct netlink_ext_ack ack = {};
	int err;

	err = ptwalk_dump_parse(dump, cb, cb->extack ?: &ack);
	return ptwalk_dump_error_start(&dump->error, cb, err, ack._msg);
}

static void ptwalk_dump_fail(struct ptwalk_dump *dump, int err)
{
	struct netlink_ext_ack ack = {};

	ptwalk_target_explain(err, &ack);
	dump->error.err = err;
	dump->error.msg = ack._msg;
}

/**
 * ptwalk_nl_walk_dumpit() - fill one buffer of a dump
 * @skb: The buffer.
 * @cb: The dump.
 *
 * NLM_F_DUMP_INTR is set in a message if ptwalk_mm_seq() has changed since the
 * message before.
 *
 * Context: May sleep. The first buffer needs no lock. For the others the mmap
 * lock of the process is waited for until a signal comes, and i_mmap_rwsem is
 * tried for up to PTWALK_WAIT. The mmap lock is held for one piece at a time
 * and never on return.
 * Return: The length of @skb, 0 at the end, or a negative error.
 */
int ptwalk_nl_walk_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = ptwalk_dump_ctx(cb);
	struct ptwalk_target target = {
		.mm = dump->mm,
		.deadline = jiffies + PTWALK_WAIT,
		.queue = true,
	};
	unsigned int tries = 0;

	if (!dump->begun && !dump->error.err)
		return ptwalk_dump_first(skb, cb, dump);

	while (!dump->finished && !dump->error.err) {
		int ret = ptwalk_dump_message(skb, cb, dump, &target);

		if (ret == -EMSGSIZE && skb->len)
			break;
		if (ret == -EAGAIN && ++tries < PTWALK_DUMP_TRIES) {
			cond_resched();
			continue;
		}
		if (ret == -EBUSY) {
			ret = ptwalk_lock_pause(target.deadline);
			if (!ret)
				continue;
		}
		if (ret < 0)
			ptwalk_dump_fail(dump, ret);
		else if (ret == DUMP_END)
			dump->finished = true;
		tries = 0;
		if (ret == DUMP_PAUSE)
			break;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}

	return ptwalk_dump_error_return(&dump->error, skb, cb);
}

/**
 * ptwalk_nl_walk_done() - end a dump, whether or not it was read to its end
 * @cb: The dump.
 *
 * Return: 0.
 */
int ptwalk_nl_walk_done(struct netlink_callback *cb)
{
	struct ptwalk_target target = { .mm = ptwalk_dump_ctx(cb)->mm };

	if (target.mm)
		ptwalk_target_put(&target);
	return 0;
}
