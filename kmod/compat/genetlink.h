/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernel versions in generic netlink. */
#ifndef PTWALK_COMPAT_GENETLINK_H
#define PTWALK_COMPAT_GENETLINK_H

#include <linux/version.h>
#include <net/genetlink.h>

/* Linux 6.6, 7288dd2fd488: a dump has a struct genl_info of its own. */
static inline struct nlattr **ptwalk_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_info_dump(cb)->attrs;
#endif
}

#endif /* PTWALK_COMPAT_GENETLINK_H */
