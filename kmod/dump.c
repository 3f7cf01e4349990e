// SPDX-License-Identifier: GPL-2.0
/* The walk operation: dumps the entries of a range, as runs of pages. */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/sched/signal.h>
#include <net/sock.h>
#include "arch/arch.h"
#include "compat/mm.h"
#include "compat/pgtable.h"
#include "entry.h"
#include "request.h"

/* No message is begun in a buffer with room for fewer words of runs. */
#define PTWALK_DUMP_MIN_WORDS	64

/* Bytes of the attributes after the runs: start and VMA, with padding; and mixed. */
#define PTWALK_DUMP_TAIL	(PTWALK_VMA_ROOM + 3 * NLA_HDRLEN + sizeof(u64))
#define PTWALK_DUMP_MIXED	(NLA_HDRLEN + PTWALK_MIXED_MAX * sizeof(u64))

/* What is charged for the next VMA of a search under the same hold. */
#define PTWALK_DUMP_VMA		2000

/* And for one that a walk outside of VMAs skips. */
#define PTWALK_DUMP_GAP		100

/* How often the lock is taken for one message; about 2 MiB of tables. */
#define PTWALK_DUMP_HOLDS	128

/* How often for what a search does in the first buffer. */
#define PTWALK_DUMP_FIRST	8

/*
 * How long a search that finds nothing may report nothing, in jiffies. If a signal comes
 * while the next hold is waited for, what was searched since the last report is lost.
 */
#define PTWALK_DUMP_SILENCE	DIV_ROUND_UP(HZ, 50)

/*
 * How many buffers in a row may be without records because the process was busy,
 * each after PTWALK_TRIES attempts: about a second in all.
 */
#define PTWALK_DUMP_IDLE	400

/*
 * The state of a dump between two ->dumpit calls. It fits into the ctx of the
 * netlink_callback, so that a dump that is never read to its end needs no memory of its own.
 */
struct ptwalk_dump {
	struct mm_struct *mm;		/* pinned by mm_count; NULL after an error in ->start */
	unsigned long addr;		/* the next one, page-aligned */
	unsigned long last;		/* inclusive */
	struct ptwalk_dump_error error;
	u32 pid;			/* in the request */
	u16 idle;			/* buffers in a row without records: PTWALK_DUMP_IDLE */
	bool want_pages:1;		/* runs carry the pages behind the entries */
	bool want_mixed:1;		/* runs may be mixed lists */
	bool entries_only:1;		/* runs have no facts of pages */
	bool outside:1;			/* what lies outside of all VMAs is read */
	bool begun:1;			/* the first message has been made */
	bool finished:1;		/* the end of the range has been reached */
};

static struct ptwalk_dump *ptwalk_dump_ctx(struct netlink_callback *cb)
{
	NL_ASSERT_CTX_FITS(struct ptwalk_dump);

	return (struct ptwalk_dump *)cb->ctx;
}

/* Outcome of one message, or of one hold of the mmap lock for it. */
enum ptwalk_dump_outcome {
	DUMP_MORE,	/* the range may continue */
	DUMP_AGAIN,	/* of a hold: the message may continue, too */
	DUMP_PAUSE,	/* that was enough: return the buffer to the reader */
	DUMP_SKIP,	/* the piece, or a VMA, has nothing to report */
	DUMP_END,	/* no VMA is left in the range; nothing was added */
};

/* What one message reports: one VMA or a part of it, or what lies between two. */
struct ptwalk_piece {
	struct ptwalk_sink sink;		/* receives the runs, */
	u64 *first;				/* from here on */
	const struct ptwalk_search *search;	/* what is looked for, or NULL */
	struct ptwalk_online online;		/* memory that is known to be online */
	unsigned int holds;			/* how often the mmap lock may be taken */
	struct ptwalk_vma vma;
	unsigned long start;			/* the first address */
	unsigned int seq;			/* ptwalk_mm_seq() at the last of @holds */
	bool begun;				/* there was one */
};

/* How one buffer is filled. */
struct ptwalk_fill {
	struct ptwalk_target target;		/* the process; how to wait for its mmap lock */
	const struct ptwalk_search *search;	/* what is looked for, or NULL */
	/*
	 * Of the VMA in the last message, unless the process was waited for since. If its
	 * module is gone, so is that VMA, and messages of two moments can have the name of
	 * what was there before.
	 */
	struct ptwalk_driver driver;
};

/*
 * Finds the next gap between VMAs at or behind @dump->addr, and describes it as a VMA
 * for the walk. It is VM_PFNMAP: the kernel counts none of its entries as mappings. It
 * is empty if so many VMAs follow each other without a gap that the budget is used up.
 * ARM may have its vectors before FIRST_USER_ADDRESS. Returns NULL behind the
 * last address of the process.
 */
static struct vm_area_struct *ptwalk_dump_gap(const struct ptwalk_dump *dump,
					      struct ptwalk_walk *walk,
					      struct vm_area_struct *gap)
{
	unsigned long addr = max_t(unsigned long, dump->addr, FIRST_USER_ADDRESS);
	unsigned long end = arch_table_end(dump->mm) & PAGE_MASK;
	struct vm_area_struct *vma;

	while ((vma = find_vma(dump->mm, addr)) && vma->vm_start <= addr && walk->budget) {
		addr = vma->vm_end;
		ptwalk_charge(walk, PTWALK_DUMP_GAP);
	}
	if (vma)
		end = max(addr, vma->vm_start);
	if (addr >= end && walk->budget)
		return NULL;
	gap->vm_start = addr;
	gap->vm_end = end;
	return gap;
}

/*
 * Whether a piece has nothing but empty entries, or others than those that are
 * looked for. Runs of these have one value each.
 */
static bool ptwalk_dump_is_empty(const struct ptwalk_piece *piece)
{
	enum ptwalk_kind kind = piece->search ? PTWALK_KIND_OTHER : PTWALK_KIND_NONE;
	size_t bytes = piece->sink.page ? sizeof(struct ptwalk_page_run) :
					  sizeof(struct ptwalk_run);
	const u64 *word;

	for (word = piece->first; word < piece->sink.next; word += bytes / sizeof(u64) + 1)
		if (ptwalk_bits_kind(((const struct ptwalk_run *)word)->bits) != kind)
			return false;
	return true;
}

/* As ptwalk_vma_read(), also of what ptwalk_dump_gap() found. */
static void ptwalk_dump_vma_read(const struct ptwalk_dump *dump,
				 struct ptwalk_vma *out, struct vm_area_struct *vma)
{
	if (!dump->outside) {
		ptwalk_vma_read(out, vma);
		return;
	}
	memset(out, 0, sizeof(*out));
	out->start = vma->vm_start;
	out->last = (u64)vma->vm_end - 1;
	out->page_shift = PAGE_SHIFT;
}

/* Whether a piece that has begun can continue: in the same VMA, which didn't change. */
static bool ptwalk_dump_continues(const struct ptwalk_dump *dump,
				  const struct ptwalk_piece *piece,
				  struct vm_area_struct *vma)
{
	struct ptwalk_vma now;

	ptwalk_dump_vma_read(dump, &now, vma);
	return ptwalk_vma_same(&piece->vma, &now) && vma->vm_start <= dump->addr;
}

/*
 * Reads until the end of the VMA or of the range, until the sink is full, until the CPU
 * or the mmap lock is contended, or until the hold has no budget left. Returns an enum
 * ptwalk_dump_outcome or a negative error; DUMP_SKIP if a search has found nothing up to
 * the end of the VMA, and there is budget for another.
 */
static int ptwalk_dump_vma(struct ptwalk_dump *dump, struct ptwalk_piece *piece,
			   struct vm_area_struct *vma, struct ptwalk_reader *reader)
{
	unsigned long start, end;
	int ret;

	if (!vma || vma->vm_start > dump->last)
		return DUMP_END;
	if (piece->begun && !ptwalk_dump_continues(dump, piece, vma))
		return DUMP_MORE;

	start = max(dump->addr, vma->vm_start);
	end = min(vma->vm_end - 1, dump->last | ~PAGE_MASK) + 1;
	ptwalk_reader_move(reader, vma, start, end);
	ret = ptwalk_walk(&reader->walk);
	if (!ret || reader->walk.addr != start)
		ret = reader->walk.budget ? DUMP_MORE : DUMP_AGAIN;

	dump->addr = reader->walk.addr;
	if (dump->addr == end) {
		dump->finished = end - 1 >= dump->last;
		ret = DUMP_MORE;
		if (piece->search && !dump->outside && !dump->finished &&
		    ptwalk_dump_is_empty(piece) && reader->walk.budget > PTWALK_DUMP_VMA) {
			ptwalk_charge(&reader->walk, PTWALK_DUMP_VMA);
			return DUMP_SKIP;
		}
	}
	if (!piece->begun) {
		ptwalk_dump_vma_read(dump, &piece->vma, vma);
		piece->start = start;
		piece->begun = true;
	}
	return ret;
}

/*
 * Reads what one hold of the mmap lock is enough for. Returns an enum
 * ptwalk_dump_outcome or a negative error.
 */
static int ptwalk_dump_hold(struct ptwalk_dump *dump, struct ptwalk_target *target,
			    struct ptwalk_piece *piece)
{
	VMA_ITERATOR(vmas, dump->mm, dump->addr);
	struct vm_area_struct gap = { .vm_mm = dump->mm, .vm_flags = VM_PFNMAP };
	struct vm_area_struct *vma;
	struct ptwalk_reader reader;
	bool contended;
	int ret;

	ret = ptwalk_target_lock(target);
	if (ret)
		return ret;

	ptwalk_reader_init(&reader, dump->mm, &piece->sink, &piece->online, piece->search);
	reader.uncounted = dump->outside;
	reader.facts = !dump->entries_only;
	vma = dump->outside ? ptwalk_dump_gap(dump, &reader.walk, &gap) : vma_next(&vmas);
	piece->seq = ptwalk_mm_seq(dump->mm);
	ret = ptwalk_dump_vma(dump, piece, vma, &reader);
	while (ret == DUMP_SKIP) {
		piece->sink.next = piece->first;
		piece->sink.last = NULL;
		piece->begun = false;
		ret = ptwalk_dump_vma(dump, piece, vma_next(&vmas), &reader);
		if (ret < 0) {	/* it got on: the next hold is for the error */
			ret = DUMP_SKIP;
			break;
		}
	}

	/* With dump->outside, the lock is only tried: waiters come first anyway. */
	contended = !dump->outside && mmap_lock_is_contended(dump->mm);
	ptwalk_target_unlock(target);
	/*
	 * Let the waiters, which have to wake up, take the lock first. In the first
	 * buffer, nothing more is read if there are any.
	 */
	if (contended && piece->holds > 1)
		usleep_range(50, 200);
	return ret;
}

/*
 * Reads one piece, with a hold of the mmap lock for each part of it. If a piece that has
 * begun ends by an error, the next piece reports it. Returns an enum
 * ptwalk_dump_outcome other than DUMP_AGAIN, or a negative error.
 */
static int ptwalk_dump_piece(struct ptwalk_dump *dump, struct ptwalk_target *target,
			     struct ptwalk_piece *piece)
{
	int ret;

	ret = ptwalk_dump_hold(dump, target, piece);
	while (ret == DUMP_AGAIN && --piece->holds && !fatal_signal_pending(current)) {
		cond_resched();
		ret = ptwalk_dump_hold(dump, target, piece);
		if (ret < 0 || ret == DUMP_END)
			ret = DUMP_MORE;
	}
	if (ret == DUMP_AGAIN)
		ret = DUMP_PAUSE;
	/* A reader that was signalled, or waits for a search, gets how far it is. */
	if (ret >= 0 && ret != DUMP_END && (dump->outside || piece->search) &&
	    ptwalk_dump_is_empty(piece))
		ret = piece->sink.next != piece->first &&
		      (signal_pending(current) ||
		       (piece->search && time_after_eq(jiffies, piece->search->report))) ?
		      DUMP_PAUSE : DUMP_SKIP;
	return ret;
}

/* Adds the attributes that every message begins with; NULL without room. */
static void *ptwalk_dump_put_header(struct sk_buff *skb, struct netlink_callback *cb,
				    const struct ptwalk_dump *dump)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			     &ptwalk_nl_family, NLM_F_MULTI, PTWALK_CMD_WALK);
	if (!header)
		return NULL;
	if (!nla_put_u32(skb, PTWALK_A_WALK_PID, dump->pid) &&
	    !nla_put_uint(skb, PTWALK_A_WALK_LEVELS, ptwalk_mm_levels(dump->mm)) &&
	    !nla_put_uint(skb, PTWALK_A_WALK_RUN_BYTES,
			  dump->want_pages ? sizeof(struct ptwalk_page_run) :
					     sizeof(struct ptwalk_run)))
		return header;
	genlmsg_cancel(skb, header);
	return NULL;
}

/*
 * Adds one message. Returns an enum ptwalk_dump_outcome, -EMSGSIZE if the
 * buffer has no room for it, or an error of ptwalk_dump_piece().
 */
static int ptwalk_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			       struct ptwalk_dump *dump, struct ptwalk_fill *fill,
			       unsigned int holds)
{
	struct ptwalk_page page = {};
	u64 mixed[PTWALK_MIXED_MAX];
	struct ptwalk_piece piece = {
		.sink.page = dump->want_pages ? &page : NULL,
		.sink.mixed = dump->want_mixed ? mixed : NULL,
		.search = fill->search,
		.holds = holds,
	};
	struct ptwalk_sink *sink = &piece.sink;
	struct nlattr *runs;
	void *header;
	int room, ret;

	header = ptwalk_dump_put_header(skb, cb, dump);
	if (!header)
		return -EMSGSIZE;

	room = min_t(int, skb_tailroom(skb), U16_MAX) - PTWALK_DUMP_TAIL -
	       2 * NLA_HDRLEN - (dump->want_mixed ? PTWALK_DUMP_MIXED : 0);
	room /= (int)sizeof(u64);
	if (room < PTWALK_DUMP_MIN_WORDS)
		goto full;
	/*
	 * The runs are aligned to u64 on all architectures, so that a reader
	 * whose buffer is aligned can use them in place; unless it receives
	 * with a size that isn't a multiple of 8, by which netlink_dump() moves
	 * the start of its buffer.
	 */
	if (!IS_ALIGNED((unsigned long)skb_tail_pointer(skb) + NLA_HDRLEN, sizeof(u64)))
		nla_reserve(skb, PTWALK_A_WALK_PAD, 0);
	runs = nla_reserve(skb, PTWALK_A_WALK_RUNS, room * sizeof(u64));
	if (!runs)
		goto full;
	piece.first = nla_data(runs);
	sink->next = piece.first;
	sink->end = sink->next + room;

	ret = ptwalk_dump_piece(dump, &fill->target, &piece);
	if (piece.seq) {
		cb->seq = piece.seq;
		/* A piece without a message comes before the others all the same. */
		if (!cb->prev_seq)
			cb->prev_seq = piece.seq;
	}
	if (ret < 0 || ret == DUMP_SKIP || ret == DUMP_END) {
		genlmsg_cancel(skb, header);
		return ret;
	}

	runs->nla_len = nla_attr_size((void *)sink->next - nla_data(runs));
	skb_trim(skb, (unsigned char *)sink->next - skb->data);
	if (WARN_ON_ONCE(nla_put_uint(skb, PTWALK_A_WALK_START, piece.start) ||
			 ptwalk_vma_put(skb, PTWALK_A_WALK_VMA, &piece.vma, &fill->driver) ||
			 (sink->lists && nla_put(skb, PTWALK_A_WALK_MIXED,
						 sink->nr_mixed * sizeof(u64), sink->mixed))))
		goto full;
	genl_dump_check_consistent(cb, header);
	genlmsg_end(skb, header);
	return ret;

full:
	genlmsg_cancel(skb, header);
	return -EMSGSIZE;
}

/* Adds a message without records. Returns the length of @skb or -EMSGSIZE. */
static int ptwalk_dump_nothing(struct sk_buff *skb, struct netlink_callback *cb,
			       const struct ptwalk_dump *dump)
{
	void *header = ptwalk_dump_put_header(skb, cb, dump);

	if (!header)
		return -EMSGSIZE;
	genlmsg_end(skb, header);
	return skb->len;
}

/*
 * The first buffer is filled under cb_lock. Its first message has no runs: reading
 * them takes the mmap lock. Of a search, which mostly finds nothing, what can be
 * read without waiting for a lock follows, and so the end if that was all; but only
 * of the first request of a sendmsg(), for the reason that ptwalk_wait_shared() has:
 * the next one can begin once a dump has ended.
 */
static int ptwalk_dump_first(struct sk_buff *skb, struct netlink_callback *cb,
			     struct ptwalk_dump *dump,
			     const struct ptwalk_search *search)
{
	struct ptwalk_fill fill = {
		.target.mm = dump->mm,
		.target.wait = { .deadline = jiffies, .tries = PTWALK_TRIES },
		.search = search,
	};
	unsigned int holds = PTWALK_DUMP_FIRST;
	int len = ptwalk_dump_nothing(skb, cb, dump);
	int ret = DUMP_SKIP;

	if (len < 0)
		return len;
	dump->begun = true;
	if (!search || dump->outside || skb_headroom(cb->skb))
		return len;
	while (ret == DUMP_SKIP && !dump->finished && holds-- &&
	       !mmap_lock_is_contended(dump->mm)) {
		ret = ptwalk_dump_message(skb, cb, dump, &fill, 1);
		cond_resched();
	}
	return dump->finished || ret == DUMP_END ? 0 : skb->len;
}

/* The number in @attr, or @other without it. */
static u64 ptwalk_dump_number(const struct nlattr *attr, u64 other)
{
	return attr ? nla_get_uint(attr) : other;
}

/* What the request has looked for; false if it is nothing in particular. */
static bool ptwalk_dump_search(struct netlink_callback *cb, struct ptwalk_search *search)
{
	struct nlattr **attrs = ptwalk_dump_attrs(cb);

	ptwalk_search_init(search, ptwalk_dump_number(attrs[PTWALK_A_WALK_FIRST_FRAME], 0),
			   ptwalk_dump_number(attrs[PTWALK_A_WALK_LAST_FRAME], U64_MAX));
	return attrs[PTWALK_A_WALK_FIRST_FRAME] || attrs[PTWALK_A_WALK_LAST_FRAME];
}

/* Parses the request and pins its address space. */
static int ptwalk_dump_parse(struct ptwalk_dump *dump, struct netlink_callback *cb,
			     struct netlink_ext_ack *extack)
{
	struct nlattr **attrs = ptwalk_dump_attrs(cb);
	const u64 start = ptwalk_dump_number(attrs[PTWALK_A_WALK_START], 0);
	const u64 last = ptwalk_dump_number(attrs[PTWALK_A_WALK_LAST], U64_MAX);
	struct ptwalk_search search;
	struct ptwalk_target target;
	bool searches;
	int err;

	err = ptwalk_may_ask(cb->skb, extack);
	if (err)
		return err;
	if (!attrs[PTWALK_A_WALK_PID]) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, PTWALK_A_WALK_PID);
		NL_SET_ERR_MSG(extack, "a pid is needed");
		return -EINVAL;
	}
	if (last < start) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[PTWALK_A_WALK_LAST],
				    "the range ends before it starts");
		return -EINVAL;
	}
	searches = ptwalk_dump_search(cb, &search);
	if (search.last < search.first) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[PTWALK_A_WALK_LAST_FRAME],
				    "the frames end before they start");
		return -EINVAL;
	}
	if (attrs[PTWALK_A_WALK_WANT_PAGES] && (searches || attrs[PTWALK_A_WALK_ENTRIES_ONLY])) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[PTWALK_A_WALK_WANT_PAGES],
				    "neither a search for frames nor entries alone tell of pages");
		return -EINVAL;
	}

	dump->pid = nla_get_u32(attrs[PTWALK_A_WALK_PID]);
	dump->want_pages = nla_get_flag(attrs[PTWALK_A_WALK_WANT_PAGES]);
	dump->want_mixed = nla_get_flag(attrs[PTWALK_A_WALK_WANT_MIXED]) &&
			   !dump->want_pages && !searches;
	dump->entries_only = nla_get_flag(attrs[PTWALK_A_WALK_ENTRIES_ONLY]);
	dump->outside = nla_get_flag(attrs[PTWALK_A_WALK_OUTSIDE]);
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

/*
 * Begins a PTWALK_CMD_WALK, in the context of the sender, under cb_lock. Later buffers are
 * filled by whichever task reads the socket, so permissions are checked and the process is
 * looked up here.
 */
int ptwalk_nl_walk_start(struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = ptwalk_dump_ctx(cb);
	struct netlink_ext_ack ack = {};
	int err;

	err = ptwalk_dump_parse(dump, cb, cb->extack ?: &ack);
	dump->error = (struct ptwalk_dump_error) { .err = err, .msg = ack._msg };
	/* Up to Linux 6.1, there is no extended ack here (genl_start()): ->dumpit has one. */
	return cb->extack ? err : 0;
}

static void ptwalk_dump_fail(struct ptwalk_dump *dump, int err)
{
	struct netlink_ext_ack ack = {};

	ptwalk_target_explain(err, &ack);
	dump->error.err = err;
	dump->error.msg = ack._msg;
}

/*
 * Whether no other task can send on the socket of a dump while @current fills a
 * buffer: netlink has a second dump on it wait for that, with cb_lock held
 * (__netlink_dump_start()). Who gets at the only descriptor of a task with
 * CAP_SYS_ADMIN has that capability, too. A registered file of io_uring counts
 * once for any number of requests, and other tasks may have the ring: a task that
 * has used one isn't alone, whether a worker fills the buffer or the task itself.
 */
static bool ptwalk_dump_has_socket_alone(const struct netlink_callback *cb)
{
	const struct socket *socket = NETLINK_CB(cb->skb).sk->sk_socket;

#ifdef CONFIG_IO_URING
	if (current->io_uring)
		return false;
#endif
	return socket && socket->file && file_count(socket->file) == 1 &&
	       !(current->flags & PF_IO_WORKER) &&
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/* Fills a buffer. Returns 0, or the error that ends the dump for now. */
static int ptwalk_dump_fill(struct sk_buff *skb, struct netlink_callback *cb,
			    struct ptwalk_dump *dump,
			    const struct ptwalk_search *search)
{
	struct ptwalk_fill fill = {
		.target.mm = dump->mm,
		.target.wait = ptwalk_wait_begin(0),
		.target.queue = !dump->outside && ptwalk_dump_has_socket_alone(cb),
		.target.exclusive = dump->outside,
		.search = search,
	};
	int ret = 0;

	while (!dump->finished && ret != DUMP_PAUSE) {
		ret = ptwalk_dump_message(skb, cb, dump, &fill,
					  dump->outside ? 1 : PTWALK_DUMP_HOLDS);
		if (ret == -EMSGSIZE && skb->len)
			return 0;
		if (ret < 0) {
			ret = ptwalk_target_retry(&fill.target, ret);
			if (ret)
				return ret;
			fill.driver = (struct ptwalk_driver) {};
			continue;
		}
		dump->idle = 0;
		fill.target.wait = ptwalk_wait_begin(0);
		dump->finished |= ret == DUMP_END;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/*
 * Fills one buffer of a dump. NLM_F_DUMP_INTR is set in a message, or at the end, if
 * ptwalk_mm_seq() has changed since the message before, or before the first one since the
 * dump began to read.
 *
 * Context: Process context, of the reader except for the first buffer, which is filled under
 * cb_lock and waits for no lock. For the others the mmap lock of the process is waited for
 * until a signal comes if ptwalk_dump_has_socket_alone(). Otherwise, and i_mmap_rwsem and an
 * entry that changes always, it is tried PTWALK_TRIES times; then the buffer gets a message
 * without records, PTWALK_DUMP_IDLE times in a row at most. The mmap lock is held for one
 * piece at a time and never on return. A search that finds nothing returns after
 * PTWALK_DUMP_SILENCE.
 * Return: The length of @skb, 0 at the end, or a negative error.
 */
int ptwalk_nl_walk_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ptwalk_dump *dump = ptwalk_dump_ctx(cb);
	struct ptwalk_search search;
	bool searches;
	int ret;

	searches = ptwalk_dump_search(cb, &search);
	search.report = jiffies + PTWALK_DUMP_SILENCE;
	if (!dump->begun && !dump->error.err)
		return ptwalk_dump_first(skb, cb, dump, searches ? &search : NULL);

	if (!dump->error.err) {
		ret = ptwalk_dump_fill(skb, cb, dump, searches ? &search : NULL);
		if (ret && ret != -EBUSY && ret != -EAGAIN)
			ptwalk_dump_fail(dump, ret);
		else if (ret && !skb->len && dump->idle++ < PTWALK_DUMP_IDLE)
			return ptwalk_dump_nothing(skb, cb, dump);
		else if (ret && !skb->len)
			ptwalk_dump_fail(dump, ret);
	}
	return ptwalk_dump_error_return(&dump->error, skb, cb);
}

/* Ends a dump, whether or not it was read to its end. */
int ptwalk_nl_walk_done(struct netlink_callback *cb)
{
	struct ptwalk_target target = { .mm = ptwalk_dump_ctx(cb)->mm };

	if (target.mm)
		ptwalk_target_put(&target);
	return 0;
}
