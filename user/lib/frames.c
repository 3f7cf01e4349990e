// SPDX-License-Identifier: GPL-2.0
/* What the kernel counts of frames, whoever maps them. */
#include <netlink/attr.h>
#include "lib/exchange.h"
#include "lib/wire.h"

/**
 * struct frames_batch - a reply under way
 * @pages: Where its pages go.
 * @nr: How many were asked for.
 */
struct frames_batch {
	struct ptwalk_page *pages;
	size_t nr;
};

static int take_frames(struct nlmsghdr *msg, void *arg)
{
	struct frames_batch *b = arg;

	return wire_frames(msg, b->pages, b->nr);
}

static int ask_frames(struct ptwalk *p, const uint64_t *pfns, struct frames_batch *b)
{
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_FRAMES, 0);

	if (!msg)
		return ptwalk_error(p);
	if (nla_put(msg, PTWALK_A_FRAMES_FRAMES, b->nr * sizeof(*pfns), pfns) < 0) {
		nlmsg_free(msg);
		return handle_no_memory(p);
	}
	return exchange_run(p, msg, take_frames, b);
}

int ptwalk_frames(struct ptwalk *p, const uint64_t *pfns, size_t nr,
		  struct ptwalk_page *pages)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr; i += PTWALK_MAX_ADDRESSES) {
		struct frames_batch b = {
			.pages = pages + i,
			.nr = nr - i < PTWALK_MAX_ADDRESSES ? nr - i : PTWALK_MAX_ADDRESSES,
		};

		err = ask_frames(p, pfns + i, &b);
	}
	return err;
}
