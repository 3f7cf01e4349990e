/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says about a request that it refused. */
#ifndef PTWALK_LIB_EXTACK_H
#define PTWALK_LIB_EXTACK_H

#include <linux/netlink.h>

/**
 * struct extack - the end of a request, as the kernel tells it
 * @error: errno (positive), or 0 for success.
 * @message: The kernel's own words, or "".
 * @attribute: Name of the attribute at fault, or "" where none is named.
 * @missing: @attribute isn't wrong but was left out.
 */
struct extack {
	int error;
	char message[256];
	char attribute[32];
	int missing;
};

/*
 * Reads the NLMSG_ERROR or NLMSG_DONE message @reply, which ends @request (the
 * message that was sent), into @extack. Returns 0, or -EBADMSG if @reply is too
 * short to be one.
 */
int extack_parse(const struct nlmsghdr *reply, const struct nlmsghdr *request,
		 struct extack *extack);

#endif /* PTWALK_LIB_EXTACK_H */
