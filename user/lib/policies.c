// SPDX-License-Identifier: GPL-2.0
/* The NUMA policies of mappings. */
#include <errno.h>
#include <netlink/attr.h>
#include "lib/exchange.h"
#include "lib/patience.h"
#include "lib/wire.h"

/**
 * struct policies_batch - a reply under way
 * @policies: Where its policies go.
 * @nr: How many are asked for; then, how many came.
 */
struct policies_batch {
	struct ptwalk_policy *policies;
	size_t nr;
};

static int take_policies(struct nlmsghdr *msg, void *arg)
{
	struct policies_batch *b = arg;
	ssize_t nr = wire_policies(msg, b->policies, b->nr);

	if (nr < 0)
		return nr;
	b->nr = nr;
	return 0;
}

static int ask_policies(struct ptwalk *p, pid_t pid, const uint64_t *addrs,
			struct policies_batch *b)
{
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_POLICIES, 0);

	if (!msg)
		return ptwalk_error(p);
	if (nla_put_u32(msg, PTWALK_A_POLICIES_PID, pid) < 0 ||
	    nla_put(msg, PTWALK_A_POLICIES_ADDRESSES, b->nr * sizeof(*addrs), addrs) < 0) {
		nlmsg_free(msg);
		return handle_no_memory(p);
	}
	return exchange_run(p, msg, take_policies, b);
}

int ptwalk_policies(struct ptwalk *p, pid_t pid, const uint64_t *addrs, size_t nr,
		    struct ptwalk_policy *policies)
{
	struct policies_batch b;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i += b.nr) {
		struct patience patience = { 0 };

		b = (struct policies_batch){
			.policies = policies + i,
			.nr = nr - i < PTWALK_MAX_ADDRESSES ? nr - i : PTWALK_MAX_ADDRESSES,
		};
		do {
			err = ask_policies(p, pid, addrs + i, &b);
		} while (patience_left(&patience, err));
	}
	return err;
}
