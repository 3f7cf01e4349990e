// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include "ptw.h"

/* How long an answer may take before the test is told that none came. */
#define PATIENCE	20

/**
 * ptw_open_sized() - open a socket of the family
 * @ptw: Filled.
 * @size: Size of the pieces in which to receive. It can't change later: the
 *	kernel fills buffers of the largest size that was ever received with.
 *
 * Return: 0, -ENOENT when the kernel has no such family, or another error.
 */
int ptw_open_sized(struct ptw *ptw, size_t size)
{
	const struct timeval patience = { .tv_sec = PATIENCE };
	int on = 1, fd;

	memset(ptw, 0, sizeof(*ptw));
	ptw->size = size;
	ptw->buffer = malloc(size);
	ptw->sock = nl_socket_alloc();
	if (!ptw->buffer || !ptw->sock || genl_connect(ptw->sock))
		return -ENOMEM;
	nl_socket_set_msg_buf_size(ptw->sock, size);
	nl_socket_disable_msg_peek(ptw->sock);
	fd = nl_socket_get_fd(ptw->sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ptw->family = genl_ctrl_resolve(ptw->sock, PTWALK_FAMILY_NAME);
	if (ptw->family < 0) {
		ptw_close(ptw);
		return -ENOENT;
	}
	/* The kernel would look for a module each time. */
	ptw->devices = access("/sys/module/" PTWALK_DEVICE_FAMILY_NAME, F_OK) ? -ENOENT :
		       genl_ctrl_resolve(ptw->sock, PTWALK_DEVICE_FAMILY_NAME);
	return 0;
}

int ptw_open(struct ptw *ptw)
{
	return ptw_open_sized(ptw, PTW_BUFFER);
}

void ptw_close(struct ptw *ptw)
{
	nl_socket_free(ptw->sock);
	free(ptw->buffer);
	ptw->sock = NULL;
	ptw->buffer = NULL;
}

int ptw_family(const struct ptw *ptw, int command)
{
	return command < PTWALK_CMD_DEVICE ? ptw->family : ptw->devices;
}

struct nl_msg *ptw_request(struct ptw *ptw, int command, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(16 * 1024);

	if (!msg || !genlmsg_put(msg, 0, ++ptw->sequence, ptw_family(ptw, command), 0,
				 NLM_F_REQUEST | flags, command,
				 PTWALK_FAMILY_VERSION))
		abort();
	return msg;
}

/* Sends the first @len bytes of @msg, and frees it. */
static int send_bytes(struct ptw *ptw, struct nl_msg *msg, size_t len)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent;

	ptw->error = (struct ptw_error){ .offset = -1 };
	sent = sendto(nl_socket_get_fd(ptw->sock), nlmsg_hdr(msg), len, 0,
		      ptw->unnamed ? NULL : (const struct sockaddr *)&kernel,
		      ptw->unnamed ? 0 : sizeof(kernel));
	if (sent < 0)
		ptw->error.err = errno;
	nlmsg_free(msg);
	return -ptw->error.err;
}

/**
 * ptw_send() - send a request
 * @ptw: The socket.
 * @msg: The request; freed.
 *
 * Return: 0 or a negative errno.
 */
int ptw_send(struct ptw *ptw, struct nl_msg *msg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);

	header->nlmsg_pid = nl_socket_get_local_port(ptw->sock);
	return send_bytes(ptw, msg, header->nlmsg_len);
}

static ssize_t receive(struct ptw *ptw)
{
	ssize_t len = recv(nl_socket_get_fd(ptw->sock), ptw->buffer, ptw->size,
			   MSG_TRUNC);

	if (len < 0)
		len = -errno;
	else if ((size_t)len > ptw->size)
		len = -EOVERFLOW;
	return len;
}

static int attribute_at(const struct nlmsghdr *request, int offset, int len)
{
	struct nlattr attr;

	if (offset < 0 || offset + (int)sizeof(attr) > len)
		return -1;
	memcpy(&attr, (const char *)request + offset, sizeof(attr));
	return attr.nla_type & NLA_TYPE_MASK;
}

static void take_acks(struct ptw *ptw, struct nlattr *attrs, int len,
		      const struct nlmsghdr *request, int request_len)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = {};

	nla_parse(tb, NLMSGERR_ATTR_MAX, attrs, len, NULL);
	if (tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(ptw->error.message, tb[NLMSGERR_ATTR_MSG],
			    sizeof(ptw->error.message));
	if (tb[NLMSGERR_ATTR_OFFS] && request) {
		ptw->error.offset = nla_get_u32(tb[NLMSGERR_ATTR_OFFS]);
		ptw->error.attribute = attribute_at(request, ptw->error.offset,
						    request_len);
	}
#ifdef NLM_F_ACK_TLVS
	/* NLMSGERR_ATTR_MISS_TYPE, which older headers don't name. */
	if (NLMSGERR_ATTR_MAX >= 5 && tb[5])
		ptw->error.missing = nla_get_u32(tb[5]);
#endif
}

/* An error message or an ack; returns its error, negative. */
static int take_error(struct ptw *ptw, struct nlmsghdr *header)
{
	struct nlmsgerr *e = nlmsg_data(header);
	int skip = sizeof(*e), len;

	ptw->error.err = -e->error;
	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return e->error;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	len = nlmsg_datalen(header) - skip;
	take_acks(ptw, (void *)((char *)nlmsg_data(header) + skip), len, &e->msg,
		  header->nlmsg_flags & NLM_F_CAPPED ? 0 : e->msg.nlmsg_len);
	return e->error;
}

/* The end of a dump; returns its error, negative. */
static int take_done(struct ptw *ptw, struct nlmsghdr *header)
{
	int err = 0;

	if (nlmsg_datalen(header) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(header), sizeof(err));
	ptw->error.err = err < 0 ? -err : 0;
	if (header->nlmsg_flags & NLM_F_ACK_TLVS)
		take_acks(ptw, (void *)((char *)nlmsg_data(header) + sizeof(err)),
			  nlmsg_datalen(header) - sizeof(err), NULL, 0);
	return err < 0 ? err : 0;
}

/*
 * Receives until the answer is complete. @reply, if any, gets each message of
 * the family. Returns 0 or the error of the answer.
 */
static int take_answer(struct ptw *ptw,
		       int (*reply)(struct nlmsghdr *header, void *arg),
		       void *arg)
{
	for (;;) {
		struct nlmsghdr *header = (void *)ptw->buffer;
		ssize_t received = receive(ptw);
		int left = received, err;

		if (received < 0)
			return received;
		for (; nlmsg_ok(header, left); header = nlmsg_next(header, &left)) {
			if (header->nlmsg_seq != ptw->sequence)
				continue;
			if (header->nlmsg_type == NLMSG_ERROR)
				return take_error(ptw, header);
			if (header->nlmsg_type == NLMSG_DONE)
				return take_done(ptw, header);
			if (header->nlmsg_type != ptw->family &&
			    header->nlmsg_type != ptw->devices)
				return -EPROTO;
			err = reply ? reply(header, arg) : 0;
			if (err)
				return err;
		}
	}
}

/**
 * ptw_ask() - send a request, and take nothing of the answer but its error
 * @ptw: The socket.
 * @msg: The request; freed.
 *
 * Return: 0 or a negative errno.
 */
int ptw_ask(struct ptw *ptw, struct nl_msg *msg)
{
	int err = ptw_send(ptw, msg);

	return err ? err : take_answer(ptw, NULL, NULL);
}

/**
 * ptw_ask_at_once() - send a request many times with one sendmsg()
 * @ptw: The socket.
 * @msg: The request; freed.
 * @nr: How many times.
 *
 * Return: 0 or a negative errno, that of the answer to the last one.
 */
int ptw_ask_at_once(struct ptw *ptw, struct nl_msg *msg, size_t nr)
{
	size_t len = NLMSG_ALIGN(nlmsg_hdr(msg)->nlmsg_len);
	struct nl_msg *all = nlmsg_alloc_size(nr * len);
	int room = 65536 * nr;

	if (!all)
		abort();
	/* Without room for all answers the last one is lost. */
	setsockopt(nl_socket_get_fd(ptw->sock), SOL_SOCKET, SO_RCVBUFFORCE,
		   &room, sizeof(room));
	for (size_t i = 0; i < nr; i++) {
		struct nlmsghdr *copy = (void *)((char *)nlmsg_hdr(all) + i * len);

		memcpy(copy, nlmsg_hdr(msg), len);
		copy->nlmsg_len = len;
		/* take_answer() passes over the answers to the others. */
		if (i + 1 < nr)
			copy->nlmsg_seq = 0;
	}
	nlmsg_free(msg);
	return send_bytes(ptw, all, nr * len) ?: take_answer(ptw, NULL, NULL);
}

int ptw_ask_each(struct ptw *ptw, struct nl_msg *msg,
		 int (*reply)(struct nlmsghdr *header, void *arg), void *arg)
{
	int err = ptw_send(ptw, msg);

	return err ? err : take_answer(ptw, reply, arg);
}

int ptw_take_rest(struct ptw *ptw,
		  int (*reply)(struct nlmsghdr *header, void *arg), void *arg)
{
	return take_answer(ptw, reply, arg);
}

u64 ptw_uint(struct nlattr *attr)
{
	if (!attr)
		return 0;
	return nla_len(attr) < (int)sizeof(u64) ? nla_get_u32(attr) :
						  nla_get_u64(attr);
}

static int parse(struct nlmsghdr *header, struct nlattr **tb, int max)
{
	return genlmsg_parse(header, 0, tb, max, NULL) ? -EPROTO : 0;
}

static int info_reply(struct nlmsghdr *header, void *arg)
{
	struct nlattr *tb[PTWALK_A_INFO_MAX + 1];
	struct ptw_info *info = arg;
	struct nlattr *attr;
	int left;

	if (parse(header, tb, PTWALK_A_INFO_MAX))
		return -EPROTO;
	info->page_shift = ptw_uint(tb[PTWALK_A_INFO_PAGE_SHIFT]);
	info->flags = ptw_uint(tb[PTWALK_A_INFO_FLAGS]);
	info->kinds = ptw_uint(tb[PTWALK_A_INFO_KINDS]);
	info->vma_flags = ptw_uint(tb[PTWALK_A_INFO_VMA_FLAGS]);
	info->features = ptw_uint(tb[PTWALK_A_INFO_FEATURES]);
	info->swap_type_bits = ptw_uint(tb[PTWALK_A_INFO_SWAP_TYPE_BITS]);
	info->zero_pfn = ptw_uint(tb[PTWALK_A_INFO_ZERO_PFN]);
	if (tb[PTWALK_A_INFO_MEMORY_TYPES])
		info->nr_memtypes = nla_memcpy(info->memtypes,
					       tb[PTWALK_A_INFO_MEMORY_TYPES],
					       sizeof(info->memtypes));
	nlmsg_for_each_attr(attr, header, GENL_HDRLEN, left) {
		struct nlattr *level[PTWALK_A_LEVEL_INFO_MAX + 1];
		u32 nr;

		if (nla_type(attr) != PTWALK_A_INFO_LEVEL)
			continue;
		if (nla_parse_nested(level, PTWALK_A_LEVEL_INFO_MAX, attr, NULL))
			return -EPROTO;
		nr = ptw_uint(level[PTWALK_A_LEVEL_INFO_LEVEL]);
		if (nr >= PTWALK_LEVELS)
			return -EPROTO;
		info->shift[nr] = ptw_uint(level[PTWALK_A_LEVEL_INFO_SHIFT]);
		info->entries[nr] = ptw_uint(level[PTWALK_A_LEVEL_INFO_ENTRIES]);
	}
	return 0;
}

int ptw_info(struct ptw *ptw, struct ptw_info *info)
{
	memset(info, 0, sizeof(*info));
	return ptw_ask_each(ptw, ptw_request(ptw, PTWALK_CMD_INFO, NLM_F_ACK),
		   info_reply, info);
}

static int take_vma(struct nlattr *attr, struct ptw_vma *vma)
{
	struct nlattr *tb[PTWALK_A_VMA_MAX + 1];

	if (nla_parse_nested(tb, PTWALK_A_VMA_MAX, attr, NULL) ||
	    !tb[PTWALK_A_VMA_START] || !tb[PTWALK_A_VMA_LAST] ||
	    !tb[PTWALK_A_VMA_FLAGS])
		return -EPROTO;
	*vma = (struct ptw_vma) {
		.start = ptw_uint(tb[PTWALK_A_VMA_START]),
		.last = ptw_uint(tb[PTWALK_A_VMA_LAST]),
		.flags = ptw_uint(tb[PTWALK_A_VMA_FLAGS]),
		.raw_flags = ptw_uint(tb[PTWALK_A_VMA_RAW_FLAGS]),
		.page_prot = ptw_uint(tb[PTWALK_A_VMA_PAGE_PROT]),
		.pgoff = ptw_uint(tb[PTWALK_A_VMA_PGOFF]),
		.page_shift = ptw_uint(tb[PTWALK_A_VMA_PAGE_SHIFT]),
		.dev_major = ptw_uint(tb[PTWALK_A_VMA_DEV_MAJOR]),
		.dev_minor = ptw_uint(tb[PTWALK_A_VMA_DEV_MINOR]),
		.inode = ptw_uint(tb[PTWALK_A_VMA_INODE]),
		.has_file = tb[PTWALK_A_VMA_INODE],
	};
	return 0;
}

/**
 * struct translate_reply - the reply to a request
 * @pages: Receives the translations.
 * @nr: Number of addresses in the request, then how many of them, from the first
 *	on, are answered.
 * @seen: A reply came.
 */
struct translate_reply {
	struct ptw_page *pages;
	size_t nr;
	bool seen;
};

/* What stands behind the entries, if that was asked for. */
static int take_pages(struct nlattr **tb, struct ptw_page *pages, size_t nr)
{
	struct nlattr *attr = tb[PTWALK_A_TRANSLATE_PAGES];

	if (!attr)
		return 0;
	if (nla_len(attr) != nr * sizeof(pages->page) ||
	    ptw_uint(tb[PTWALK_A_TRANSLATE_PAGE_BYTES]) != sizeof(pages->page))
		return -EPROTO;
	for (size_t i = 0; i < nr; i++)
		memcpy(&pages[i].page, (char *)nla_data(attr) + i * sizeof(pages->page),
		       sizeof(pages->page));
	attr = tb[PTWALK_A_TRANSLATE_CGROUPS];
	if (attr && nla_len(attr) != nr * sizeof(u64))
		return -EPROTO;
	for (size_t i = 0; attr && i < nr; i++)
		memcpy(&pages[i].cgroup, (char *)nla_data(attr) + i * sizeof(u64),
		       sizeof(u64));
	return 0;
}

static int translate_reply(struct nlmsghdr *header, void *arg)
{
	struct nlattr *tb[PTWALK_A_TRANSLATE_MAX + 1];
	struct translate_reply *reply = arg;
	struct nlattr *attr, *records;
	struct ptw_vma vma;
	size_t nr, i;
	int left;

	if (parse(header, tb, PTWALK_A_TRANSLATE_MAX))
		return -EPROTO;
	records = tb[PTWALK_A_TRANSLATE_TRANSLATIONS];
	nr = records ? nla_len(records) / sizeof(struct ptwalk_translation) : 0;
	if (!nr || nr > reply->nr ||
	    nla_len(records) % sizeof(struct ptwalk_translation) ||
	    ptw_uint(tb[PTWALK_A_TRANSLATE_TRANSLATION_BYTES]) !=
			sizeof(struct ptwalk_translation))
		return -EPROTO;
	reply->nr = nr;
	for (i = 0; i < reply->nr; i++) {
		memcpy(&reply->pages[i].t, (char *)nla_data(records) +
		       i * sizeof(struct ptwalk_translation),
		       sizeof(struct ptwalk_translation));
		memset(&reply->pages[i].vma, 0, sizeof(vma));
		memset(&reply->pages[i].page, 0, sizeof(reply->pages[i].page));
		reply->pages[i].cgroup = 0;
	}
	if (take_pages(tb, reply->pages, nr))
		return -EPROTO;
	nlmsg_for_each_attr(attr, header, GENL_HDRLEN, left) {
		if (nla_type(attr) != PTWALK_A_TRANSLATE_VMA)
			continue;
		if (take_vma(attr, &vma))
			return -EPROTO;
		for (i = 0; i < reply->nr; i++)
			if (reply->pages[i].t.addr >= vma.start &&
			    reply->pages[i].t.addr <= vma.last)
				reply->pages[i].vma = vma;
	}
	reply->seen = true;
	return 0;
}

/**
 * ptw_translate() - translate addresses
 * @ptw: The socket.
 * @pid: The process.
 * @addrs: The addresses.
 * @nr: How many; any number.
 * @pages: Filled, one for each address.
 *
 * Return: 0 or a negative errno.
 */
int ptw_translate(struct ptw *ptw, pid_t pid, const u64 *addrs, size_t nr,
		  struct ptw_page *pages)
{
	size_t done, piece;

	for (done = 0; done < nr; ) {
		struct translate_reply reply = { .pages = pages + done };
		struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_TRANSLATE,
						 NLM_F_ACK);
		int err;

		piece = nr - done;
		if (piece > PTWALK_MAX_ADDRESSES)
			piece = PTWALK_MAX_ADDRESSES;
		reply.nr = piece;
		nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, pid);
		nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES, piece * sizeof(u64),
			addrs + done);
		if (ptw->want_pages)
			nla_put_flag(msg, PTWALK_A_TRANSLATE_WANT_PAGES);
		err = ptw_ask_each(ptw, msg, translate_reply, &reply);
		if (err)
			return err;
		if (!reply.seen)
			return -EPROTO;
		done += reply.nr;
	}
	return 0;
}

int ptw_translate_one(struct ptw *ptw, pid_t pid, u64 addr,
		      struct ptw_page *page)
{
	return ptw_translate(ptw, pid, &addr, 1, page);
}

static int frames_reply(struct nlmsghdr *header, void *arg)
{
	struct nlattr *tb[PTWALK_A_FRAMES_MAX + 1];
	struct ptwalk_page *page = arg;

	if (genlmsg_parse(header, 0, tb, PTWALK_A_FRAMES_MAX, NULL) < 0 ||
	    !tb[PTWALK_A_FRAMES_PAGES] ||
	    ptw_uint(tb[PTWALK_A_FRAMES_PAGE_BYTES]) != sizeof(*page) ||
	    nla_len(tb[PTWALK_A_FRAMES_PAGES]) != sizeof(*page))
		return -EPROTO;
	memcpy(page, nla_data(tb[PTWALK_A_FRAMES_PAGES]), sizeof(*page));
	return 0;
}

int ptw_frame(struct ptw *ptw, u64 pfn, struct ptwalk_page *page)
{
	struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_FRAMES, NLM_F_ACK);

	nla_put(msg, PTWALK_A_FRAMES_FRAMES, sizeof(pfn), &pfn);
	return ptw_ask_each(ptw, msg, frames_reply, page);
}

/**
 * ptw_dump_start() - begin a dump
 * @ptw: The socket; nothing else may be asked on it until the dump has ended.
 * @pid: The process.
 * @start: First address.
 * @last: Last address, inclusive.
 *
 * Return: 0 or a negative errno of sending; refusals are seen when reading.
 */
int ptw_dump_start(struct ptw *ptw, pid_t pid, u64 start, u64 last)
{
	struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_WALK, NLM_F_DUMP);

	nla_put_u32(msg, PTWALK_A_WALK_PID, pid);
	nla_put_u64(msg, PTWALK_A_WALK_START, start);
	nla_put_u64(msg, PTWALK_A_WALK_LAST, last);
	if (ptw->want_pages)
		nla_put_flag(msg, PTWALK_A_WALK_WANT_PAGES);
	if (ptw->want_mixed)
		nla_put_flag(msg, PTWALK_A_WALK_WANT_MIXED);
	if (ptw->entries_only)
		nla_put_flag(msg, PTWALK_A_WALK_ENTRIES_ONLY);
	if (ptw->outside)
		nla_put_flag(msg, PTWALK_A_WALK_OUTSIDE);
	if (ptw->search) {
		nla_put_u64(msg, PTWALK_A_WALK_FIRST_FRAME, ptw->first_frame);
		nla_put_u64(msg, PTWALK_A_WALK_LAST_FRAME, ptw->last_frame);
	}
	return ptw_send(ptw, msg);
}

static void append(struct ptw_dump *dump, const struct ptw_record *record)
{
	if (dump->nr == dump->room) {
		dump->room = dump->room ? dump->room * 2 : 64;
		dump->record = reallocarray(dump->record, dump->room,
					    sizeof(*dump->record));
		if (!dump->record)
			abort();
	}
	dump->record[dump->nr++] = *record;
}

/* What is behind the entry that is @nr behind that of @page, in the same run. */
static struct ptwalk_page page_behind(struct ptwalk_page page, u64 nr)
{
	if (page.place & 0xff)
		page.place += nr << 32;
	return page;
}

/* Takes a mixed list, as one extent for each page. */
static size_t take_mixed(struct ptw_dump *dump, struct ptw_record *record,
			 const u64 *words, size_t nr, struct nlattr *mixed,
			 u32 page_shift)
{
	struct ptw_extent *e = &record->extent;
	u32 number;
	u64 i;

	if (dump->with_pages || !mixed || !ptwalk_bits_list(words[0]) ||
	    !words[1] || words[1] > nr - 2)
		return 0;
	for (i = 0; i < words[1]; i++) {
		number = ptwalk_mixed_number(words[2 + i]);
		if (number >= nla_len(mixed) / sizeof(u64))
			return 0;
		memcpy(&e->bits, (char *)nla_data(mixed) + number * sizeof(u64),
		       sizeof(u64));
		e->value = ptwalk_mixed_value(words[2 + i]);
		e->pages = 1;
		e->page = (struct ptwalk_page){ 0 };
		append(dump, record);
		e->addr += 1ULL << page_shift;
	}
	return 2 + words[1];
}

/*
 * Takes the run at @words, which is one extent, or one for each page; returns
 * the number of its words, 0 if there aren't so many.
 */
static size_t take_run(struct ptw_dump *dump, struct ptw_record *record,
		       const u64 *words, size_t nr, struct nlattr *mixed,
		       u32 page_shift)
{
	const size_t head = dump->with_pages ? 6 : 2;
	struct ptw_extent *e = &record->extent;
	struct ptwalk_page page = { 0 };
	u64 values, i;

	if (nr < head + 1)
		return 0;
	if (dump->with_pages)
		memcpy(&page, words + 2, sizeof(page));
	if (ptwalk_bits_kind(words[0]) == PTWALK_KIND_MIXED)
		return take_mixed(dump, record, words, nr, mixed, page_shift);
	e->bits = words[0] & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
	e->pages = words[1];
	values = 1;
	if (ptwalk_bits_list(words[0])) {
		values = e->pages;
		e->pages = 1;
	}
	if (!values || values > nr - head)
		return 0;
	for (i = 0; i < values; i++) {
		e->value = words[head + i];
		e->page = page_behind(page, i);
		append(dump, record);
		e->addr += e->pages << page_shift;
	}
	return head + values;
}

static int dump_reply(struct nlmsghdr *header, struct ptw_dump *dump)
{
	struct ptw_record record = { .message = dump->messages };
	struct nlattr *tb[PTWALK_A_WALK_MAX + 1];
	static u64 words[PTW_BUFFER / sizeof(u64)];
	size_t nr, at, taken;
	struct nlattr *runs;

	if (parse(header, tb, PTWALK_A_WALK_MAX))
		return -EPROTO;
	dump->pid = ptw_uint(tb[PTWALK_A_WALK_PID]);
	dump->levels = ptw_uint(tb[PTWALK_A_WALK_LEVELS]);
	runs = tb[PTWALK_A_WALK_RUNS];
	/* The first one tells only what the process is. */
	if (!dump->headed) {
		dump->headed = true;
		return runs ? -EPROTO : 0;
	}
	/* The process was busy. */
	if (!runs)
		return tb[PTWALK_A_WALK_START] || tb[PTWALK_A_WALK_VMA] ? -EPROTO : 0;
	if (!tb[PTWALK_A_WALK_VMA] || !tb[PTWALK_A_WALK_START] ||
	    take_vma(tb[PTWALK_A_WALK_VMA], &record.vma) ||
	    ptw_uint(tb[PTWALK_A_WALK_RUN_BYTES]) != (dump->with_pages ? 48 : 16) ||
	    !nla_len(runs) || nla_len(runs) % sizeof(u64))
		return -EPROTO;
	memcpy(words, nla_data(runs), nla_len(runs));
	nr = nla_len(runs) / sizeof(u64);
	record.extent.addr = ptw_uint(tb[PTWALK_A_WALK_START]);
	for (at = 0; at < nr; at += taken) {
		taken = take_run(dump, &record, words + at, nr - at,
				 tb[PTWALK_A_WALK_MIXED], __builtin_ctzl(sysconf(_SC_PAGESIZE)));
		if (!taken)
			return -EPROTO;
	}
	dump->messages++;
	return 0;
}

/**
 * ptw_dump_read() - read one buffer of a dump, and before the first one that
 * which has no extents
 * @ptw: The socket.
 * @dump: What is read is appended.
 *
 * Return: 1 if there is more, 0 at the end, or a negative errno.
 */
int ptw_dump_read(struct ptw *ptw, struct ptw_dump *dump)
{
	struct nlmsghdr *header = (void *)ptw->buffer;
	bool headed = dump->headed;
	ssize_t received = receive(ptw);
	int left = received, err;

	dump->with_pages = ptw->want_pages;
	if (received < 0)
		return received;
	for (; nlmsg_ok(header, left); header = nlmsg_next(header, &left)) {
		if (header->nlmsg_type == NLMSG_ERROR)
			return take_error(ptw, header);
		if (header->nlmsg_flags & NLM_F_DUMP_INTR)
			dump->interrupted++;
		if (header->nlmsg_type == NLMSG_DONE)
			return take_done(ptw, header);
		if (header->nlmsg_type != ptw->family ||
		    header->nlmsg_seq != ptw->sequence)
			return -EPROTO;
		err = dump_reply(header, dump);
		if (err)
			return err;
	}
	return headed ? 1 : ptw_dump_read(ptw, dump);
}

/**
 * ptw_dump() - dump a range
 * @ptw: The socket.
 * @pid: The process.
 * @start: First address.
 * @last: Last address, inclusive.
 * @dump: Filled; ptw_dump_free() frees it, after an error too.
 *
 * Return: 0 or a negative errno.
 */
int ptw_dump(struct ptw *ptw, pid_t pid, u64 start, u64 last,
	     struct ptw_dump *dump)
{
	int err;

	memset(dump, 0, sizeof(*dump));
	err = ptw_dump_start(ptw, pid, start, last);
	if (err)
		return err;
	do {
		err = ptw_dump_read(ptw, dump);
	} while (err > 0);
	return err;
}

void ptw_dump_free(struct ptw_dump *dump)
{
	free(dump->record);
	memset(dump, 0, sizeof(*dump));
}

/**
 * ptw_dump_find() - what a dump says of one page
 * @dump: A dump, ascending.
 * @page_shift: log2 of the page size.
 * @addr: Any address of the page.
 * @page: Filled: the extent that this page would be alone.
 * @vma: Filled, if given.
 *
 * Return: false if the dump says nothing of it.
 */
bool ptw_dump_find(const struct ptw_dump *dump, u32 page_shift, u64 addr,
		   struct ptw_extent *page, struct ptw_vma *vma)
{
	size_t low = 0, high = dump->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct ptw_record *r = &dump->record[middle];
		u64 skip = (addr - r->extent.addr) >> page_shift;

		if (addr < r->extent.addr) {
			high = middle;
		} else if (skip >= r->extent.pages) {
			low = middle + 1;
		} else {
			*page = r->extent;
			page->addr += skip << page_shift;
			page->page = page_behind(page->page, skip);
			page->pages = 1;
			if (ptwalk_kind_ascends(ptwalk_bits_kind(page->bits)))
				page->value += skip;
			if (vma)
				*vma = r->vma;
			return true;
		}
	}
	return false;
}

#define flaw(...)	(snprintf(text, sizeof(text), __VA_ARGS__), text)

static const char *record_flaw(const struct ptw_record *r,
			       const struct ptw_info *info)
{
	static char text[256];
	const struct ptw_extent *e = &r->extent;
	u64 addr = e->addr, pages = e->pages, bits = e->bits;
	u64 page_size = 1ULL << info->page_shift;
	u32 kind = ptwalk_bits_kind(bits), flags = ptwalk_bits_flags(bits);
	u32 level = ptwalk_bits_level(bits);

	if (addr & (page_size - 1))
		return flaw("%#llx is not page-aligned", addr);
	if (!pages)
		return flaw("an extent of no pages at %#llx", addr);
	if (addr < r->vma.start || addr > r->vma.last ||
	    pages - 1 > (r->vma.last - addr) >> info->page_shift)
		return flaw("extent %#llx of %llu pages is not inside its VMA %#llx-%#llx",
			    addr, pages, r->vma.start, r->vma.last);
	if (kind == PTWALK_KIND_NO_VMA || !(info->kinds & 1U << kind))
		return flaw("kind %u at %#llx, unknown to this kernel", kind, addr);
	if (level >= PTWALK_LEVELS)
		return flaw("level %u at %#llx", level, addr);
	if (flags & ~info->flags)
		return flaw("flags %#x at %#llx, unknown to this kernel",
			    flags & ~info->flags, addr);
	if (r->vma.flags & ~info->vma_flags)
		return flaw("VMA flags %#llx, unknown to this kernel",
			    r->vma.flags & ~info->vma_flags);
	if (!ptwalk_kind_ascends(kind) && kind != PTWALK_KIND_MARKER &&
	    kind != PTWALK_KIND_UNKNOWN && e->value)
		return flaw("value %#llx of kind %u at %#llx",
			    (u64)e->value, kind, addr);
	return NULL;
}

/*
 * Whether @r may follow @prev. The VMAs may have changed between two messages,
 * but then each still begins where the one before it had ended, unless there
 * was no VMA.
 */
static const char *order_flaw(const struct ptw_record *prev,
			      const struct ptw_record *r, u32 page_shift)
{
	static char text[256];
	u64 end = prev->extent.addr + (prev->extent.pages << page_shift);
	u64 addr = r->extent.addr;

	if (addr < end || end <= prev->extent.addr)
		return flaw("extent %#llx follows one that ends at %#llx", addr, end);
	if (addr == end)
		return NULL;
	if (r->message == prev->message)
		return flaw("gap %#llx-%#llx inside a message", end, addr);
	if (r->vma.start <= end)
		return flaw("gap %#llx-%#llx at the start of a message", end, addr);
	if (r->vma.start != addr)
		return flaw("VMA %#llx begins with a gap up to %#llx",
			    r->vma.start, addr);
	return NULL;
}

/**
 * ptw_dump_flaw() - what is wrong with a dump, whatever the process did
 * @dump: A dump that was read to its end.
 * @info: The kernel.
 * @start: First address that was asked for.
 * @last: Last address that was asked for, inclusive.
 *
 * Return: A text that is good until the next call, or NULL.
 */
const char *ptw_dump_flaw(const struct ptw_dump *dump,
			  const struct ptw_info *info, u64 start, u64 last)
{
	u64 page_mask = ~((1ULL << info->page_shift) - 1);
	static char text[256];
	const char *why;
	size_t i;

	for (i = 0; i < dump->nr; i++) {
		const struct ptw_record *r = &dump->record[i];
		u64 addr = r->extent.addr;

		why = record_flaw(r, info);
		if (!why && i)
			why = order_flaw(r - 1, r, info->page_shift);
		if (why)
			return why;
		if (addr < (start & page_mask) || addr > last ||
		    r->extent.pages - 1 >
		    ((last | ~page_mask) - addr) >> info->page_shift)
			return flaw("extent %#llx is outside of what was asked for",
				    addr);
		/* A gap before the first record is one without a VMA. */
		if (!i && addr > (start & page_mask) && r->vma.start < addr)
			return flaw("nothing is said of %#llx-%#llx",
				    r->vma.start, addr);
	}
	return NULL;
}
