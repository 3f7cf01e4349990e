// SPDX-License-Identifier: GPL-2.0
/*
 * Prints which attributes the operations of a generic netlink family take,
 * and within which limits: what POLICIES, text of a kernel source, means and
 * not how it is written. Attributes that are refused are not there.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/ptwalk.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* As linux/genetlink.h and net/netlink.h of the kernel have them. */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NLA_TYPES(X) \
	X(UNSPEC) X(U8) X(U16) X(U32) X(U64) X(STRING) X(FLAG) X(MSECS) \
	X(NESTED) X(NESTED_ARRAY) X(NUL_STRING) X(BINARY) X(S8) X(S16) X(S32) \
	X(S64) X(BITFIELD32) X(REJECT) X(BE16) X(BE32) X(SINT) X(UINT)

#define NLA_TYPE(name)	NLA_##name,
#define NLA_NAME(name)	#name,

enum { NLA_TYPES(NLA_TYPE) };
static const char *const names[] = { NLA_TYPES(NLA_NAME) };

enum { NLA_VALIDATE_NONE, NLA_VALIDATE_RANGE, NLA_VALIDATE_MASK };

struct nla_policy {
	u8 type;
	u8 validation_type;
	u16 len;
	long long min, max;
	u32 mask;
};

#define NLA_POLICY_RANGE(tp, lo, hi) \
	{ .type = tp, .validation_type = NLA_VALIDATE_RANGE, .min = lo, .max = hi }
#define NLA_POLICY_MIN(tp, lo)	NLA_POLICY_RANGE(tp, lo, 0)
#define NLA_POLICY_MAX(tp, hi)	NLA_POLICY_RANGE(tp, 0, hi)
#define NLA_POLICY_MIN_LEN(lo)	NLA_POLICY_MIN(NLA_BINARY, lo)
#define NLA_POLICY_MAX_LEN(hi)	NLA_POLICY_MAX(NLA_BINARY, hi)
#define NLA_POLICY_EXACT_LEN(n)	NLA_POLICY_RANGE(NLA_BINARY, n, n)
#define NLA_POLICY_MASK(tp, m) \
	{ .type = tp, .validation_type = NLA_VALIDATE_MASK, .mask = m }

#define GENL_ADMIN_PERM		0x01
#define GENL_UNS_ADMIN_PERM	0x10
#define GENL_CMD_CAP_DO		0x02
#define GENL_CMD_CAP_DUMP	0x04

struct genl_ops {
	const struct nla_policy *policy;
	unsigned int maxattr, cmd, flags, validate;
	int doit, start, dumpit, done, pre_doit, post_doit;
};

#define genl_split_ops	genl_ops

#include POLICIES

int main(void)
{
	for (const struct genl_ops *op = OPS; op < OPS + ARRAY_SIZE(OPS); op++) {
		printf("command %u%s%s\n", op->cmd, op->doit ? " do" : "",
		       op->dumpit ? " dump" : "");
		for (unsigned int i = 0; op->policy && i <= op->maxattr; i++) {
			const struct nla_policy *p = &op->policy[i];
			long long max = p->max;

			if (p->type == NLA_UNSPEC || p->type == NLA_REJECT)
				continue;
			if ((p->type == NLA_BINARY || p->type == NLA_NUL_STRING) && !max)
				max = p->len;
			printf("  attribute %u: %s, from %lld to %lld, mask %#x\n",
			       i, names[p->type], p->min, max, p->mask);
		}
	}
	return 0;
}
