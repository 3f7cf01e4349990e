// SPDX-License-Identifier: GPL-2.0
/* How a device gets at memory, as the module tells it. */
#include <stdlib.h>
#include <netlink/attr.h>
#include "lib/exchange.h"
#include "lib/wire.h"

static int take_device_reply(struct nlmsghdr *msg, void *arg)
{
	return wire_device(msg, arg);
}

int ptwalk_device(struct ptwalk *p, const char *name, const uint64_t *phys,
		  size_t nr, struct ptwalk_device *device)
{
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_DEVICE, 0);

	if (!msg)
		return ptwalk_error(p);
	if (nla_put_string(msg, PTWALK_A_DEVICE_NAME, name) < 0 ||
	    (nr && nla_put(msg, PTWALK_A_DEVICE_ADDRESSES, nr * sizeof(*phys),
			   phys) < 0)) {
		nlmsg_free(msg);
		return handle_no_memory(p);
	}
	return exchange_run(p, msg, take_device_reply, device);
}

/**
 * struct ptwalk_iova - a list of translations under way
 * @ex: The request.
 * @start: First bus address that is wanted.
 * @last: Last one.
 * @stretches: Of the message that came last.
 * @over: Nothing more will come, for @err or because all has come.
 * @err: Of the call that failed.
 */
struct ptwalk_iova {
	struct exchange ex;
	uint64_t start, last;
	struct ptwalk_stretches stretches;
	bool over;
	int err;
};

int ptwalk_iova_start(struct ptwalk *p, const char *name, uint64_t start,
		      uint64_t last, struct ptwalk_iova **out)
{
	struct ptwalk_iova *iova = calloc(1, sizeof(*iova));
	struct nl_msg *msg;
	int err;

	*out = NULL;
	if (!iova)
		return handle_no_memory(p);
	iova->start = start;
	iova->last = last;
	msg = exchange_message(p, PTWALK_CMD_IOVA, NLM_F_DUMP);
	if (!msg) {
		free(iova);
		return ptwalk_error(p);
	}
	if (nla_put_string(msg, PTWALK_A_IOVA_NAME, name) < 0 ||
	    nla_put_u64(msg, PTWALK_A_IOVA_START, start) < 0 ||
	    nla_put_u64(msg, PTWALK_A_IOVA_LAST, last) < 0) {
		nlmsg_free(msg);
		free(iova);
		return handle_no_memory(p);
	}
	err = exchange_begin(&iova->ex, p, msg);
	if (err) {
		ptwalk_iova_end(iova);
		return err;
	}
	*out = iova;
	return 0;
}

void ptwalk_iova_end(struct ptwalk_iova *iova)
{
	if (!iova)
		return;
	exchange_end(&iova->ex);
	free(iova);
}

/* The module looks up whole pages; the ends are cut to what is wanted. */
static void clip_stretch(struct ptwalk_stretch *s, const struct ptwalk_iova *iova)
{
	uint64_t last = s->iova + s->bytes - 1, cut = 0;

	if (s->iova < iova->start)
		cut = iova->start - s->iova;
	if (last > iova->last)
		last = iova->last;
	s->iova += cut;
	s->phys += cut;
	s->bytes = last - s->iova + 1;
}

/* As ptwalk_iova_next(); 0 for a message that tells of no piece, too. */
static int take_stretches(struct ptwalk_iova *iova, struct nlmsghdr *msg)
{
	struct ptwalk_stretches *s = &iova->stretches;
	struct ptwalk_stretch *stretch;
	int kind = wire_iova(msg, s, &stretch);

	if (kind)
		return kind < 0 ? exchange_nonsense(&iova->ex) : 0;
	if (s->nr) {
		clip_stretch(&stretch[0], iova);
		clip_stretch(&stretch[s->nr - 1], iova);
	}
	if (s->start < iova->start)
		s->start = iova->start;
	if (s->last > iova->last)
		s->last = iova->last;
	return 1;
}

int ptwalk_iova_next(struct ptwalk_iova *iova,
		     const struct ptwalk_stretches **stretches)
{
	struct nlmsghdr *msg;
	int ret;

	*stretches = &iova->stretches;
	while (!iova->over) {
		ret = exchange_next(&iova->ex, &msg);
		if (ret > 0) {
			ret = take_stretches(iova, msg);
			if (ret > 0)
				return ret;
			if (!ret)
				continue;
		}
		iova->over = true;
		iova->err = ret;
	}
	return iova->err;
}
