/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in generic netlink. */
#ifndef PTWALK_COMPAT_GENETLINK_H
#define PTWALK_COMPAT_GENETLINK_H

#include <linux/module.h>
#include <net/genetlink.h>

/*
 * Linux 6.2, 20b0b53acaf7: struct genl_split_ops, which is either a do or a
 * dump. No operation of ours is both, so struct genl_ops holds them as well.
 */
#ifndef PTWALK_HAS_genl_split_ops
#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops
#endif

/*
 * Newer than Linux 6.12: ynl_gen_c.py generates this for max-len. It is a range
 * here, since a policy dump doesn't show a mere maximum.
 */
#ifndef NLA_POLICY_MAX_LEN
#define NLA_POLICY_MAX_LEN(_len)	NLA_POLICY_RANGE(NLA_BINARY, 0, _len)
#endif

/*
 * Linux 6.7, 374d345d9b5e: NLA_UINT, a number of 32 or 64 bits. Before, a
 * function validates it; the initializers follow the type in a policy entry.
 */
#ifndef PTWALK_HAS_nla_get_uint
static inline int ptwalk_validate_uint(const struct nlattr *attr,
				       struct netlink_ext_ack *extack)
{
	if (nla_len(attr) == sizeof(u32) || nla_len(attr) == sizeof(u64))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "a number has 4 or 8 bytes");
	return -EINVAL;
}

#define NLA_UINT	NLA_BINARY, \
			.validation_type = NLA_VALIDATE_FUNCTION, \
			.validate = ptwalk_validate_uint

static inline u64 nla_get_uint(const struct nlattr *attr)
{
	return nla_len(attr) == sizeof(u32) ? nla_get_u32(attr) :
					      nla_get_u64(attr);
}

static inline int nla_put_uint(struct sk_buff *skb, int type, u64 value)
{
	if (value <= U32_MAX)
		return nla_put_u32(skb, type, value);
	return nla_put(skb, type, sizeof(value), &value);
}
#endif

/* Linux 6.6, 7288dd2fd488: dumps have a struct genl_info, too. */
static inline struct nlattr **ptwalk_dump_attrs(struct netlink_callback *cb)
{
#ifdef PTWALK_HAS_genl_info_dump
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Linux 6.12 has it as NL_ASSERT_DUMP_CTX_FITS(), 6.1 not at all. */
#ifndef NL_ASSERT_CTX_FITS
#define NL_ASSERT_CTX_FITS(type_name) \
	BUILD_BUG_ON(sizeof(type_name) > \
		     sizeof_field(struct netlink_callback, ctx))
#endif

#endif /* PTWALK_COMPAT_GENETLINK_H */
