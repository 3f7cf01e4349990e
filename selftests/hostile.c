// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that are generated from the specification and then corrupted. Each
 * that violates the specification must be refused with a reason, and the module
 * must answer afterwards as it did before. PTWALK_FUZZ is the number of
 * messages, and PTWALK_SEED the number of the first; both are printed.
 */
#include <signal.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "proc.h"
#include "spec.h"
#include "test.h"

#define MESSAGES	10000
#define PAYLOAD		2048

/* What must become of a message. */
enum verdict {
	EITHER,		/* well-formed: it may make sense or not */
	REFUSED,	/* with a reason */
	UNHEARD,	/* by generic netlink itself, which gives no reason */
};

static const char *const verdicts[] = { "well-formed", "malformed", "unheard" };

FIXTURE(hostile)
{
	struct ptw ptw;
	struct target target;
};

static void step(void *arg, int nr)
{
}

FIXTURE_SETUP(hostile)
{
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, target_start(&self->target, step, NULL));
}

FIXTURE_TEARDOWN(hostile)
{
	target_end(&self->target);
	ptw_close(&self->ptw);
}

static u64 state;

/* xorshift64*: the same for the same seed. */
static u32 chance(u32 below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)(state * 0x2545f4914f6cdd1dULL >> 32) % below;
}

static u64 env(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static const struct spec_attribute *attribute_of(const struct spec_operation *op,
						 int type)
{
	for (size_t i = 0; i < op->nr; i++)
		if (op->attribute[i].number == type)
			return &op->attribute[i];
	return NULL;
}

static bool is_string(const char *data, size_t len, size_t max)
{
	const char *end = memchr(data, 0, len < max + 1 ? len : max + 1);

	return end && len - !data[len - 1] <= max;
}

/* Whether the specification allows an attribute with this payload. */
static bool is_allowed(const struct spec_attribute *spec, const void *data,
		       size_t len)
{
	u32 value;

	if (!spec)
		return false;
	switch (spec->type) {
	case SPEC_FLAG:
		return !len;
	case SPEC_U32:
		memcpy(&value, data, len < 4 ? len : 4);
		return len == 4 && value >= spec->min;
	case SPEC_UINT:
		return len == 4 || len == 8;
	case SPEC_STRING:
		return is_string(data, len, spec->max);
	case SPEC_BINARY:
		return len <= spec->max;
	}
	return false;
}

static enum verdict judge(const struct ptw *ptw, const struct nlmsghdr *header)
{
	const unsigned short known = NLM_F_REQUEST | NLM_F_ACK | NLM_F_ECHO;
	const struct genlmsghdr *genl = nlmsg_data(header);
	bool as_dump = (header->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	const struct spec_operation *op = NULL;
	const char *at = (const char *)(genl + 1);
	int left = header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	bool half[PTWALK_A_DEVICE_MAX + 1] = {};

	for (size_t i = 0; i < ARRAY_SIZE(spec_operations); i++)
		if (spec_operations[i].command == genl->cmd)
			op = &spec_operations[i];
	if (left < 0 || !op || op->is_dump != as_dump ||
	    header->nlmsg_type != ptw_family(ptw, genl->cmd))
		return UNHEARD;
	if (genl->reserved || header->nlmsg_flags & ~(known | (as_dump ? NLM_F_DUMP : 0)))
		return REFUSED;
	while (left >= NLA_HDRLEN) {
		const struct spec_attribute *spec;
		struct nlattr attr;

		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > left)
			return REFUSED;
		spec = attribute_of(op, attr.nla_type & NLA_TYPE_MASK);
		if (attr.nla_type & NLA_F_NESTED ||
		    !is_allowed(spec, at + NLA_HDRLEN, attr.nla_len - NLA_HDRLEN))
			return REFUSED;
		/* Of several of a kind, which is allowed, the last one counts. */
		half[spec->number] = spec->unit && (attr.nla_len - NLA_HDRLEN) % spec->unit;
		at += NLA_ALIGN(attr.nla_len);
		left -= NLA_ALIGN(attr.nla_len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(half); i++)
		if (half[i])
			return REFUSED;
	return left > 0 ? REFUSED : EITHER;
}

/* A value that makes sense, more often than not; returns its length. */
static size_t draw_value(const struct spec_attribute *spec, pid_t target, void *data)
{
	static const char *const names[] = {
		"platform/ptwalk_fixture", "pci/0000:00:04.0", "x", "platform/", "",
	};
	const u32 pids[] = { getpid(), target, 1, 2, 4194303, chance(1 << 16) };
	u64 *word = data;
	const char *name;

	switch (spec->type) {
	case SPEC_FLAG:
		return 0;
	case SPEC_U32:
		*(u32 *)data = pids[chance(ARRAY_SIZE(pids))];
		return sizeof(u32);
	case SPEC_UINT:
		*word = chance(2) ? (uintptr_t)data + chance(1 << 20) : chance(1 << 30);
		return chance(2) ? sizeof(u32) : sizeof(u64);
	case SPEC_STRING:
		name = names[chance(ARRAY_SIZE(names))];
		memcpy(data, name, strlen(name) + 1);
		return strlen(name) + 1;
	case SPEC_BINARY:
		for (size_t i = 0; i < spec->max / 8; i++)
			word[i] = (uintptr_t)data + 4096 * chance(1 << 12);
		return spec->unit * (1 + chance(chance(4) ? 4 : spec->max / spec->unit));
	}
	return 0;
}

static size_t odd_length(void)
{
	static const unsigned short lengths[] = {
		0, 1, 2, 3, 5, 7, 9, 12, 16, 127, 128, 129, 1023, 1032,
	};

	return chance(4) ? lengths[chance(ARRAY_SIZE(lengths))] : chance(PAYLOAD);
}

static void put_spoiled(struct nl_msg *msg, int type, size_t len, u64 *data)
{
	for (size_t i = 0; i < PAYLOAD / sizeof(*data); i++)
		if (!chance(3))
			data[i] = (u64)chance(~0U) << chance(33);
	switch (chance(6)) {
	case 0:
		type |= NLA_F_NESTED;
		break;
	case 1:
		type = chance(32);
		break;
	case 2:
		type = chance(1 << 16);
		break;
	case 3:	/* attributes in it, and in those, and so on */
		for (size_t depth = 0; depth < 64; depth++) {
			struct nlattr *nest = (void *)&data[depth];

			nest->nla_len = 8 * (64 - depth);
			nest->nla_type = type | NLA_F_NESTED;
		}
		len = 512;
		break;
	default:
		len = odd_length();
		break;
	}
	nla_put(msg, type, len, data);
}

/* What is done to a message as a whole. */
static void spoil(struct nlmsghdr *header)
{
	struct genlmsghdr *genl = nlmsg_data(header);
	char *attrs = (char *)(genl + 1);
	u32 len = header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	switch (chance(8)) {
	case 0:	/* cut off, as far as into the header of generic netlink */
		header->nlmsg_len -= 1 + chance(len + GENL_HDRLEN);
		break;
	case 1:	/* the room behind the message is there, and has zeros */
		header->nlmsg_len += 1 + chance(1024);
		break;
	case 2:
		genl->cmd = chance(256);
		break;
	case 3:
		genl->reserved = chance(1 << 16);
		break;
	case 4:
		header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | chance(1 << 16);
		break;
	case 5:
		header->nlmsg_flags ^= NLM_F_DUMP;
		break;
	case 6:	/* the first attribute has another length */
		if (len)
			*(unsigned short *)attrs = chance(2) ? chance(1 << 16) : chance(len + 8);
		break;
	case 7:
		for (u32 i = chance(8); i && len; i--)
			attrs[chance(len)] = chance(256);
		break;
	}
}

static struct nl_msg *draw(struct ptw *ptw, pid_t target)
{
	const struct spec_operation *op = &spec_operations[chance(ARRAY_SIZE(spec_operations))];
	struct nl_msg *msg = ptw_request(ptw, op->command, op->is_dump ? NLM_F_DUMP : NLM_F_ACK);
	bool good = !chance(4);

	((struct genlmsghdr *)nlmsg_data(nlmsg_hdr(msg)))->version = chance(3);
	for (size_t i = 0; i < op->nr; i++) {
		u64 data[PAYLOAD / sizeof(u64)] = {};
		size_t len;

		if (!chance(8))
			continue;
		len = draw_value(&op->attribute[i], target, data);
		if (good || chance(4))
			nla_put(msg, op->attribute[i].number, len, data);
		else
			put_spoiled(msg, op->attribute[i].number, len, data);
		if (!chance(8))
			i--;	/* once more */
		if (nlmsg_hdr(msg)->nlmsg_len > 8192)
			break;
	}
	if (!good && !chance(3))
		spoil(nlmsg_hdr(msg));
	return msg;
}

/* A message for who looks for the fault: its header, and its attributes' own. */
static void describe(const struct nlmsghdr *header, char *text, size_t size)
{
	const struct genlmsghdr *genl = nlmsg_data(header);
	const char *at = (const char *)(genl + 1);
	int left = header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	size_t used;

	used = snprintf(text, size, "command %u, flags %#x, %u bytes:", genl->cmd,
			header->nlmsg_flags, header->nlmsg_len);
	while (left >= NLA_HDRLEN && used < size) {
		struct nlattr attr;

		memcpy(&attr, at, sizeof(attr));
		used += snprintf(text + used, size - used, " %#x(%u)", attr.nla_type,
				 attr.nla_len);
		if (attr.nla_len < NLA_HDRLEN)
			break;
		at += NLA_ALIGN(attr.nla_len);
		left -= NLA_ALIGN(attr.nla_len);
	}
}

/* Sends @msg and tells what is wrong with what becomes of it, if anything. */
static const char *answer_flaw(struct ptw *ptw, struct nl_msg *msg, enum verdict verdict,
			       int *err)
{
	static char text[512];
	const struct ptw_error *e = &ptw->error;

	*err = ptw_ask(ptw, msg);
	if (!*err && verdict == EITHER)
		return NULL;
	if (*err == -EAGAIN || *err == -EPROTO)
		snprintf(text, sizeof(text), "no answer, or one that is none");
	else if (!*err)
		snprintf(text, sizeof(text), "it was taken");
	else if (!e->message[0] && !e->missing && e->offset < 0 && verdict != UNHEARD)
		snprintf(text, sizeof(text), "no reason is given (%s)", strerror(-*err));
	else
		return NULL;
	return text;
}

/* The module says of this page and of the kernel what it said at first. */
static void still_right(struct __test_metadata *_metadata, struct ptw *ptw,
			const struct ptw_info *info, struct target *target)
{
	u64 addr = (uintptr_t)target, entry;
	struct ptw_info again;
	struct ptw_page page;
	struct ptw_dump dump;

	ASSERT_EQ(0, ptw_info(ptw, &again));
	EXPECT_EQ(0, memcmp(info, &again, sizeof(again)));
	/* A page may be moved in between. */
	for (int tries = 0; tries < 100; tries++) {
		ASSERT_EQ(0, ptw_translate_one(ptw, getpid(), addr, &page));
		ASSERT_EQ(1, proc_pagemap(getpid(), addr, &entry, 1));
		if ((entry & PM_PFN) == page.t.value)
			break;
	}
	EXPECT_EQ(entry & PM_PFN, page.t.value);
	EXPECT_EQ(0, ptw_dump(ptw, target->pid, 0, PTW_LAST, &dump));
	EXPECT_GOOD(ptw_dump_flaw(&dump, info, 0, PTW_LAST));
	EXPECT_LT(0, dump.nr);
	ptw_dump_free(&dump);
}

TEST_F_TIMEOUT(hostile, messages, 7200)
{
	u64 seed = env("PTWALK_SEED", 1), nr = env("PTWALK_FUZZ", MESSAGES), i;
	u64 count[ARRAY_SIZE(verdicts)] = {}, answered = 0;
	struct ptw_info info;

	ASSERT_EQ(0, ptw_info(&self->ptw, &info));
	TH_LOG("PTWALK_FUZZ=%llu PTWALK_SEED=%llu", nr, seed);
	for (i = 0; i < nr; i++) {
		struct nl_msg *msg;
		enum verdict verdict;
		const char *why;
		char sent[512];
		int err;

		/* Any one can be had again alone, by its own number. */
		state = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
		msg = draw(&self->ptw, self->target.pid);
		verdict = judge(&self->ptw, nlmsg_hdr(msg));
		describe(nlmsg_hdr(msg), sent, sizeof(sent));
		why = answer_flaw(&self->ptw, msg, verdict, &err);
		ASSERT_EQ(NULL, why)
			TH_LOG("PTWALK_SEED=%llu PTWALK_FUZZ=1, a %s message: %s: %s",
			       seed + i, verdicts[verdict], why, sent);
		count[verdict]++;
		answered += !err;
		if (i % 1000 == 0)
			still_right(_metadata, &self->ptw, &info, &self->target);
	}
	still_right(_metadata, &self->ptw, &info, &self->target);
	TH_LOG("%llu well-formed (%llu answered), %llu malformed, %llu unheard",
	       count[EITHER], answered, count[REFUSED], count[UNHEARD]);
	if (nr < MESSAGES)
		return;
	EXPECT_LT(nr / 50, answered);
	EXPECT_LT(nr / 4, count[REFUSED]);
	EXPECT_LT(nr / 50, count[UNHEARD]);
}

/*
 * Messages so short that netlink itself drops them, and datagrams that hold
 * less than they say: whoever asks next is answered.
 */
TEST_F(hostile, short_messages)
{
	int fd = nl_socket_get_fd(self->ptw.sock);
	struct ptw_info info;

	for (u32 len = 0; len < NLMSG_HDRLEN + GENL_HDRLEN; len++) {
		struct nl_msg *msg = ptw_request(&self->ptw, PTWALK_CMD_INFO, 0);

		nlmsg_hdr(msg)->nlmsg_len = len;
		send(fd, nlmsg_hdr(msg), NLMSG_HDRLEN + GENL_HDRLEN, 0);
		send(fd, nlmsg_hdr(msg), len, 0);
		nlmsg_hdr(msg)->nlmsg_len = 1 << 20;
		send(fd, nlmsg_hdr(msg), NLMSG_HDRLEN + len % GENL_HDRLEN, 0);
		nlmsg_free(msg);
	}
	EXPECT_EQ(0, ptw_info(&self->ptw, &info));
}

TEST_HARNESS_MAIN
