// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed and meaningless requests. Each is refused with the right error, a
 * reason, and the attribute at fault.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "device.h"
#include "driver.h"
#include "test.h"

#define NO_ATTRIBUTE	(-1)

FIXTURE(request)
{
	struct ptw ptw;
	struct nl_msg *msg;
	u64 addr;
};

FIXTURE_SETUP(request)
{
	ASSERT_OPEN(&self->ptw);
	self->addr = (uintptr_t)self & ~(u64)(sysconf(_SC_PAGESIZE) - 1);
}

FIXTURE_TEARDOWN(request)
{
	ptw_close(&self->ptw);
}

static void translation(struct ptw *ptw, struct nl_msg **msg)
{
	*msg = ptw_request(ptw, PTWALK_CMD_TRANSLATE, NLM_F_ACK);
}

static void dump(struct ptw *ptw, struct nl_msg **msg)
{
	*msg = ptw_request(ptw, PTWALK_CMD_WALK, NLM_F_DUMP);
}

/*
 * Older kernels have no place for the attribute at fault when a dump is refused
 * at its start.
 */
static bool attribute_may_be_lost(const struct genlmsghdr *header)
{
	return (header->cmd == PTWALK_CMD_WALK || header->cmd == PTWALK_CMD_IOVA) &&
	       !ksft_min_kernel_version(6, 11);
}

/*
 * Sends @msg, and tells what is wrong with the refusal, if anything. @attribute
 * is the one at fault, or NO_ATTRIBUTE if none can be.
 */
static const char *refusal(struct ptw *ptw, struct nl_msg *msg, int err,
			   int attribute)
{
	static char text[512];
	const struct ptw_error *e = &ptw->error;
	bool lost = attribute_may_be_lost(nlmsg_data(nlmsg_hdr(msg)));
	int got = ptw_ask(ptw, msg);

	text[0] = '\0';
	if (got != -err)
		snprintf(text, sizeof(text), "error %d (%s; %s), not %d (%s)", -got,
			 strerror(-got), e->message, err, strerror(err));
	else if (!e->message[0] && !e->missing)
		snprintf(text, sizeof(text), "no reason is given");
	else if (lost && e->offset < 0)
		return NULL;
	else if (attribute != NO_ATTRIBUTE && e->offset < 0)
		snprintf(text, sizeof(text), "no attribute is named (%s)", e->message);
	else if (attribute != NO_ATTRIBUTE && e->attribute != attribute)
		snprintf(text, sizeof(text), "attribute %d is named, not %d (%s)",
			 e->attribute, attribute, e->message);
	return text[0] ? text : NULL;
}

#define REFUSED(err, attribute) \
	EXPECT_GOOD(refusal(&self->ptw, self->msg, err, attribute))

static void put_address(struct nl_msg *msg, u64 addr)
{
	nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addr), &addr);
}

/* What the others leave out or alter. */
TEST_F(request, good)
{
	struct ptw_page page;

	EXPECT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &page));
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));

	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	EXPECT_EQ(0, ptw_ask(&self->ptw, self->msg));
}

TEST_F(request, unknown_command)
{
	self->msg = ptw_request(&self->ptw, 99, NLM_F_ACK);
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
}

TEST_F(request, translate_as_a_dump)
{
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_TRANSLATE, NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
}

TEST_F(request, dump_not_as_a_dump)
{
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_WALK, NLM_F_ACK);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
}

TEST_F(request, unknown_attribute)
{
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_INFO, NLM_F_ACK);
	nla_put_u32(self->msg, 40, 1);
	REFUSED(EINVAL, 40);

	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	put_address(self->msg, self->addr);
	nla_put_u32(self->msg, 41, 1);
	REFUSED(EINVAL, 41);

	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, 42, 1);
	REFUSED(EINVAL, 42);
}

/* Attributes that stand in replies alone. */
TEST_F(request, attribute_of_a_reply)
{
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_INFO, NLM_F_ACK);
	nla_put_u32(self->msg, PTWALK_A_INFO_PAGE_SHIFT, 1);
	REFUSED(EINVAL, PTWALK_A_INFO_PAGE_SHIFT);

	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	put_address(self->msg, self->addr);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_LEVELS, 1);
	REFUSED(EINVAL, PTWALK_A_TRANSLATE_LEVELS);

	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, PTWALK_A_WALK_LEVELS, 1);
	REFUSED(EINVAL, PTWALK_A_WALK_LEVELS);
}

TEST_F(request, missing_pid)
{
	translation(&self->ptw, &self->msg);
	put_address(self->msg, self->addr);
	REFUSED(EINVAL, NO_ATTRIBUTE);

	dump(&self->ptw, &self->msg);
	REFUSED(EINVAL, NO_ATTRIBUTE);
}

TEST_F(request, missing_addresses)
{
	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	REFUSED(EINVAL, NO_ATTRIBUTE);
}

TEST_F(request, pid_of_a_wrong_length)
{
	static const char bytes[9];
	static const int lengths[] = { 0, 1, 2, 3, 5, 8 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		translation(&self->ptw, &self->msg);
		nla_put(self->msg, PTWALK_A_TRANSLATE_PID, lengths[i], bytes);
		put_address(self->msg, self->addr);
		EXPECT_NE(0, ptw_ask(&self->ptw, self->msg))
			TH_LOG("%d bytes", lengths[i]);
		EXPECT_NE('\0', self->ptw.error.message[0]);
		EXPECT_EQ(PTWALK_A_TRANSLATE_PID, self->ptw.error.attribute);
	}
}

TEST_F(request, range_of_a_wrong_length)
{
	static const char bytes[16];
	static const int lengths[] = { 0, 1, 2, 3, 5, 6, 7, 9, 12, 16 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		dump(&self->ptw, &self->msg);
		nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
		nla_put(self->msg, PTWALK_A_WALK_START, lengths[i], bytes);
		EXPECT_NE(0, ptw_ask(&self->ptw, self->msg))
			TH_LOG("%d bytes", lengths[i]);
		EXPECT_NE('\0', self->ptw.error.message[0]);
		EXPECT_EQ(PTWALK_A_WALK_START, self->ptw.error.attribute);
	}
}

/* A number has as many bytes as it needs, or more. */
TEST_F(request, range_of_either_length)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u64(self->msg, PTWALK_A_WALK_START, 0);
	nla_put_u32(self->msg, PTWALK_A_WALK_LAST, 0xffff);
	EXPECT_EQ(0, ptw_ask(&self->ptw, self->msg));
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, PTWALK_A_WALK_START, 0xffff);
	nla_put_u64(self->msg, PTWALK_A_WALK_LAST, 0xfffe);
	REFUSED(EINVAL, PTWALK_A_WALK_LAST);
}

TEST_F(request, address_array_odd_or_empty)
{
	static const char bytes[24];
	int length;

	for (length = 0; length < 24; length++) {
		if (length && length % 8 == 0)
			continue;
		translation(&self->ptw, &self->msg);
		nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
		nla_put(self->msg, PTWALK_A_TRANSLATE_ADDRESSES, length, bytes);
		REFUSED(EINVAL, PTWALK_A_TRANSLATE_ADDRESSES);
	}
}

TEST_F(request, too_many_addresses)
{
	static u64 addrs[PTWALK_MAX_ADDRESSES + 1];

	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	nla_put(self->msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addrs), addrs);
	REFUSED(ERANGE, PTWALK_A_TRANSLATE_ADDRESSES);
}

/* As many as there may be, in any order, some twice, each its own answer. */
TEST_F(request, most_addresses)
{
	static struct ptw_page pages[PTWALK_MAX_ADDRESSES];
	static u64 addrs[PTWALK_MAX_ADDRESSES];
	struct ptw_page here;
	size_t i;

	for (i = 0; i < PTWALK_MAX_ADDRESSES; i++)
		addrs[i] = i % 3 ? self->addr + i % 7 : i;
	ASSERT_EQ(0, ptw_translate(&self->ptw, getpid(), addrs, PTWALK_MAX_ADDRESSES, pages));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->addr, &here));
	for (i = 0; i < PTWALK_MAX_ADDRESSES; i++) {
		EXPECT_EQ(addrs[i], pages[i].t.addr);
		EXPECT_EQ(i % 3 ? here.t.value : 0, pages[i].t.value);
		EXPECT_EQ(i % 3 ? PTWALK_KIND_PRESENT : PTWALK_KIND_NO_VMA,
			  ptwalk_bits_kind(pages[i].t.bits));
	}
}

static int longest_reply(struct nlmsghdr *header, void *arg)
{
	u32 *longest = arg;

	if (header->nlmsg_len > *longest)
		*longest = header->nlmsg_len;
	return 0;
}

/*
 * A reply is never longer than 8 KiB, even if each address is in a VMA of its
 * own: it answers as many as it has room for, and the rest is asked for again.
 */
TEST_F(request, reply_of_many_vmas)
{
	static struct ptw_page pages[PTWALK_MAX_ADDRESSES];
	static u64 addrs[PTWALK_MAX_ADDRESSES];
	size_t size = sysconf(_SC_PAGESIZE), length = 2 * PTWALK_MAX_ADDRESSES * size;
	u32 longest = 0;
	size_t i;
	char *at;

	at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, at);
	for (i = 0; i < PTWALK_MAX_ADDRESSES; i++) {
		ASSERT_EQ(0, mprotect(at + (2 * i + 1) * size, size, PROT_NONE));
		addrs[i] = (uintptr_t)at + 2 * i * size;
		if (i % 2)
			at[2 * i * size] = 1;
	}

	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	nla_put(self->msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addrs), addrs);
	nla_put_flag(self->msg, PTWALK_A_TRANSLATE_WANT_PAGES);
	EXPECT_EQ(0, ptw_ask_each(&self->ptw, self->msg, longest_reply, &longest));
	EXPECT_GT(longest, 0);
	EXPECT_LE(longest, PTW_SMALL_BUFFER);

	ASSERT_EQ(0, ptw_translate(&self->ptw, getpid(), addrs, PTWALK_MAX_ADDRESSES, pages));
	for (i = 0; i < PTWALK_MAX_ADDRESSES; i++) {
		EXPECT_EQ(addrs[i], pages[i].t.addr);
		EXPECT_EQ(i % 2 ? PTWALK_KIND_PRESENT : PTWALK_KIND_NONE,
			  ptwalk_bits_kind(pages[i].t.bits));
		EXPECT_EQ(addrs[i], pages[i].vma.start);
		EXPECT_EQ(addrs[i] + size - 1, pages[i].vma.last);
	}
	munmap(at, length);
}

/* Addresses that no process of this size can have. */
TEST_F(request, any_address)
{
	static const u64 addrs[] = {
		0, 1, 1ULL << 31, 1ULL << 32, (1ULL << 32) + 4096, 1ULL << 47,
		1ULL << 56, 1ULL << 63, 0xffff800000000000ULL,
		0xffffffffff600000ULL, ~0ULL - 1, ~0ULL,
	};
	struct ptw_page pages[ARRAY_SIZE(addrs)];
	size_t i;

	ASSERT_EQ(0, ptw_translate(&self->ptw, getpid(), addrs, ARRAY_SIZE(addrs), pages));
	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_NO_VMA)
			EXPECT_LE(pages[i].vma.start, addrs[i]);
		if (addrs[i] > UINTPTR_MAX)
			EXPECT_EQ(PTWALK_KIND_NO_VMA, ptwalk_bits_kind(pages[i].t.bits));
	}
}

static void ask_pid(struct ptw *ptw, struct nl_msg **msg, bool as_dump, u32 pid)
{
	const u64 addr = 0;

	if (as_dump) {
		dump(ptw, msg);
		nla_put_u32(*msg, PTWALK_A_WALK_PID, pid);
	} else {
		translation(ptw, msg);
		nla_put_u32(*msg, PTWALK_A_TRANSLATE_PID, pid);
		nla_put(*msg, PTWALK_A_TRANSLATE_ADDRESSES, sizeof(addr), &addr);
	}
}

/* The pid attribute has the same number in both requests. */
_Static_assert(PTWALK_A_TRANSLATE_PID == (int)PTWALK_A_WALK_PID, "");

#define PID_REFUSED(pid, err) do { \
	ask_pid(&self->ptw, &self->msg, false, pid); \
	REFUSED(err, PTWALK_A_TRANSLATE_PID); \
	ask_pid(&self->ptw, &self->msg, true, pid); \
	REFUSED(err, PTWALK_A_WALK_PID); \
} while (0)

TEST_F(request, pid_zero)
{
	PID_REFUSED(0, ERANGE);
}

TEST_F(request, pid_of_nobody)
{
	PID_REFUSED(4194303, ESRCH);
	PID_REFUSED(0x7fffffff, ESRCH);
	PID_REFUSED(0x80000000, ESRCH);
	PID_REFUSED(0xffffffff, ESRCH);
}

TEST_F(request, kernel_thread)
{
	PID_REFUSED(2, EINVAL);
	ask_pid(&self->ptw, &self->msg, false, 2);
	REFUSED(EINVAL, PTWALK_A_TRANSLATE_PID);
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "kernel thread"));
}

TEST_F(request, zombie)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	/* Wait, but leave it there. */
	ASSERT_EQ(0, waitid(P_PID, pid, &(siginfo_t){}, WEXITED | WNOWAIT));
	PID_REFUSED(pid, ESRCH);
	waitpid(pid, NULL, 0);
}

TEST_F(request, inverted_range)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u64(self->msg, PTWALK_A_WALK_START, 0x2000);
	nla_put_u64(self->msg, PTWALK_A_WALK_LAST, 0x1fff);
	REFUSED(EINVAL, PTWALK_A_WALK_LAST);
}

TEST_F(request, inverted_frames)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, PTWALK_A_WALK_FIRST_FRAME, 2);
	nla_put_u64(self->msg, PTWALK_A_WALK_LAST_FRAME, 1);
	REFUSED(EINVAL, PTWALK_A_WALK_LAST_FRAME);
}

TEST_F(request, pages_of_a_search)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, PTWALK_A_WALK_FIRST_FRAME, 1);
	nla_put_flag(self->msg, PTWALK_A_WALK_WANT_PAGES);
	REFUSED(EINVAL, PTWALK_A_WALK_WANT_PAGES);
}

TEST_F(request, pages_of_entries_only)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_flag(self->msg, PTWALK_A_WALK_ENTRIES_ONLY);
	nla_put_flag(self->msg, PTWALK_A_WALK_WANT_PAGES);
	REFUSED(EINVAL, PTWALK_A_WALK_WANT_PAGES);
}

/* A search that is done at once must not let the next one follow under cb_lock. */
TEST_F(request, searches_at_once)
{
	dump(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_WALK_PID, getpid());
	nla_put_u32(self->msg, PTWALK_A_WALK_FIRST_FRAME, 1);
	nla_put_u32(self->msg, PTWALK_A_WALK_LAST_FRAME, 1);
	EXPECT_EQ(-EBUSY, ptw_ask_at_once(&self->ptw, self->msg, 20));
}

TEST_F(request, range_at_the_end)
{
	struct ptw_dump d;

	EXPECT_EQ(0, ptw_dump(&self->ptw, getpid(), ~0ULL, ~0ULL, &d));
	EXPECT_EQ(0, d.nr);
	ptw_dump_free(&d);
	EXPECT_EQ(0, ptw_dump(&self->ptw, getpid(), UINTPTR_MAX, UINTPTR_MAX, &d));
	EXPECT_EQ(0, d.nr);
	ptw_dump_free(&d);
	EXPECT_EQ(0, ptw_dump(&self->ptw, getpid(), 0, 0, &d));
	EXPECT_EQ(0, d.nr);
	ptw_dump_free(&d);
}

/* One byte in the middle of a page stands for the page. */
TEST_F(request, range_of_one_byte)
{
	struct ptw_dump d;

	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), self->addr + 5, self->addr + 5, &d));
	ASSERT_EQ(1, d.nr);
	EXPECT_EQ(self->addr, d.record[0].extent.addr);
	EXPECT_EQ(1, d.record[0].extent.pages);
	ptw_dump_free(&d);
}

TEST_F(request, garbage_behind_the_attributes)
{
	translation(&self->ptw, &self->msg);
	nla_put_u32(self->msg, PTWALK_A_TRANSLATE_PID, getpid());
	put_address(self->msg, self->addr);
	nlmsg_append(self->msg, "abc", 3, 0);
	EXPECT_EQ(-EINVAL, ptw_ask(&self->ptw, self->msg));
	EXPECT_NE('\0', self->ptw.error.message[0]);
}

/* The driver's own device: it is there, and no IOMMU stands before it. */
#define DEVICE	"platform/ptwalk_fixture"

static void device(struct ptw *ptw, struct nl_msg **msg, const char *name)
{
	*msg = ptw_request(ptw, PTWALK_CMD_DEVICE, NLM_F_ACK);
	if (name)
		nla_put_string(*msg, PTWALK_A_DEVICE_NAME, name);
}

static void iova(struct ptw *ptw, struct nl_msg **msg, const char *name)
{
	*msg = ptw_request(ptw, PTWALK_CMD_IOVA, NLM_F_DUMP);
	if (name)
		nla_put_string(*msg, PTWALK_A_IOVA_NAME, name);
}

/* The name has the same number in both requests. */
_Static_assert(PTWALK_A_DEVICE_NAME == (int)PTWALK_A_IOVA_NAME, "");

#define NEEDS_DEVICES() do { \
	if (self->ptw.devices < 0) \
		SKIP(return, NO_DEVICES); \
} while (0)

#define NAME_REFUSED(name, err, attribute) do { \
	device(&self->ptw, &self->msg, name); \
	REFUSED(err, attribute); \
	iova(&self->ptw, &self->msg, name); \
	REFUSED(err, attribute); \
} while (0)

TEST_F(request, device)
{
	u64 phys[3] = { 0, 0x1000, ~0ULL };
	struct ptw_device d;

	NEEDS_DEVICES();
	if (driver_load())
		SKIP(return, "there is no ptwalk_fixture module");
	ASSERT_EQ(0, ptw_device(&self->ptw, DEVICE, phys, 3, &d));
	EXPECT_EQ(PTWALK_DOMAIN_NONE, d.domain);
	EXPECT_TRUE(d.flags & PTWALK_DEVICE_FLAG_DMA);
	EXPECT_EQ(0xffffffff, d.mask);
	EXPECT_EQ(-1, d.group);
	EXPECT_EQ(3, d.nr_bus);
	EXPECT_EQ(0x1000, d.bus[1] - d.bus[0]);
	ASSERT_EQ(0, ptw_device(&self->ptw, DEVICE, NULL, 0, &d));
	EXPECT_EQ(0, d.nr_bus);
	iova(&self->ptw, &self->msg, DEVICE);
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "no IOMMU domain"));
}

TEST_F(request, device_of_no_name)
{
	static const char *const names[] = {
		"", "pci", "pci/", "/", "pci/0000:ff:1f.7", "platform/", "nonsense",
		"platform/no-such-device", "Platform/ptwalk_fixture", "usb/1-1",
		" platform/ptwalk_fixture", "platform/ptwalk_fixture ",
		"platform//ptwalk_fixture", "platform/../ptwalk_fixture",
	};
	size_t i;

	NEEDS_DEVICES();
	for (i = 0; i < ARRAY_SIZE(names); i++)
		NAME_REFUSED(names[i], ENODEV, PTWALK_A_DEVICE_NAME);
	NAME_REFUSED(NULL, EINVAL, NO_ATTRIBUTE);
}

TEST_F(request, device_name_of_a_wrong_length)
{
	char longest[PTWALK_MAX_DEVICE_NAME + 2];

	NEEDS_DEVICES();
	memset(longest, 'x', sizeof(longest));
	longest[PTWALK_MAX_DEVICE_NAME] = '\0';
	NAME_REFUSED(longest, ENODEV, PTWALK_A_DEVICE_NAME);
	longest[PTWALK_MAX_DEVICE_NAME] = 'x';
	longest[PTWALK_MAX_DEVICE_NAME + 1] = '\0';
	NAME_REFUSED(longest, EINVAL, PTWALK_A_DEVICE_NAME);

	/* No byte that ends it, and none at all. */
	device(&self->ptw, &self->msg, NULL);
	nla_put(self->msg, PTWALK_A_DEVICE_NAME, 8, "platform");
	REFUSED(EINVAL, PTWALK_A_DEVICE_NAME);
	device(&self->ptw, &self->msg, NULL);
	nla_put(self->msg, PTWALK_A_DEVICE_NAME, 0, "");
	REFUSED(EINVAL, PTWALK_A_DEVICE_NAME);
}

TEST_F(request, device_addresses_odd_empty_or_too_many)
{
	static u64 addrs[PTWALK_MAX_ADDRESSES + 1];
	static const int odd[] = { 0, 1, 7, 12, 20 };
	struct ptw_device d;
	size_t i;

	NEEDS_DEVICES();
	if (driver_load())
		SKIP(return, "there is no ptwalk_fixture module");
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		device(&self->ptw, &self->msg, DEVICE);
		nla_put(self->msg, PTWALK_A_DEVICE_ADDRESSES, odd[i], addrs);
		REFUSED(EINVAL, PTWALK_A_DEVICE_ADDRESSES);
	}
	device(&self->ptw, &self->msg, DEVICE);
	nla_put(self->msg, PTWALK_A_DEVICE_ADDRESSES, sizeof(addrs), addrs);
	REFUSED(ERANGE, PTWALK_A_DEVICE_ADDRESSES);
	ASSERT_EQ(0, ptw_device(&self->ptw, DEVICE, addrs, PTWALK_MAX_ADDRESSES, &d));
	EXPECT_EQ(PTWALK_MAX_ADDRESSES, d.nr_bus);
}

/*
 * Somebody keeps the device's lock, as a driver does that waits for hardware: a
 * request, in which all of generic netlink waits with us, doesn't wait with him.
 */
TEST_F(request, device_that_is_locked)
{
	static struct ptw_iova found;
	struct nl_msg *msg;
	struct ptw_device d;
	int err = 0, tries;
	double begin;
	pid_t pid;

	NEEDS_DEVICES();
	if (driver_load())
		SKIP(return, "there is no ptwalk_fixture module");
	pid = fork();
	if (!pid) {
		int fd = open(DRIVER_DEVICE, O_RDWR | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(write(fd, "lock 50", 7) != 7);
	}
	for (tries = 0; tries < 1000 && !err && !waitpid(pid, NULL, WNOHANG); tries++) {
		err = ptw_device(&self->ptw, DEVICE, NULL, 0, &d);
		usleep(10000);
	}
	if (!err)
		SKIP(return, "unsafe=1 is not set");
	EXPECT_EQ(-EBUSY, err);
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "the device is busy"))
		TH_LOG("%s", self->ptw.error.message);
	/* cb_lock is held for all of them. */
	msg = ptw_request(&self->ptw, PTWALK_CMD_DEVICE, NLM_F_ACK);
	nla_put_string(msg, PTWALK_A_DEVICE_NAME, DEVICE);
	begin = seconds_now();
	EXPECT_EQ(-EBUSY, ptw_ask_at_once(&self->ptw, msg, 100));
	EXPECT_LT(seconds_now() - begin, 5);
	EXPECT_EQ(-EBUSY, ptw_iova(&self->ptw, DEVICE, 0, 0, &found));
	EXPECT_EQ(1, found.headers);
	EXPECT_NE(NULL, strstr(self->ptw.error.message, "the device is busy"))
		TH_LOG("%s", self->ptw.error.message);
	/* It was held all the time. */
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	process_end(pid);
	EXPECT_EQ(0, ptw_device(&self->ptw, DEVICE, NULL, 0, &d));
}

TEST_F(request, device_attribute_of_a_reply)
{
	NEEDS_DEVICES();
	device(&self->ptw, &self->msg, DEVICE);
	nla_put_u32(self->msg, PTWALK_A_DEVICE_DOMAIN, 0);
	REFUSED(EINVAL, PTWALK_A_DEVICE_DOMAIN);
	iova(&self->ptw, &self->msg, DEVICE);
	nla_put(self->msg, PTWALK_A_IOVA_STRETCHES, 0, NULL);
	REFUSED(EINVAL, PTWALK_A_IOVA_STRETCHES);
}

TEST_F(request, iova_range)
{
	NEEDS_DEVICES();
	iova(&self->ptw, &self->msg, DEVICE);
	nla_put_u64(self->msg, PTWALK_A_IOVA_START, 0x2000);
	nla_put_u64(self->msg, PTWALK_A_IOVA_LAST, 0x1fff);
	REFUSED(EINVAL, PTWALK_A_IOVA_LAST);
	iova(&self->ptw, &self->msg, DEVICE);
	nla_put(self->msg, PTWALK_A_IOVA_START, 5, "12345");
	EXPECT_NE(0, ptw_ask(&self->ptw, self->msg));
	EXPECT_EQ(PTWALK_A_IOVA_START, self->ptw.error.attribute);
}

TEST_F(request, device_and_iova_the_other_way)
{
	NEEDS_DEVICES();
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_DEVICE, NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
	self->msg = ptw_request(&self->ptw, PTWALK_CMD_IOVA, NLM_F_ACK);
	EXPECT_EQ(-EOPNOTSUPP, ptw_ask(&self->ptw, self->msg));
}

/* xorshift, so that a failure can be had again. */
static u32 chance(void)
{
	static u32 x = 0x2545f491;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

TEST_F(request, random_attributes)
{
	static const struct {
		int command, flags;
	} commands[] = {
		{ PTWALK_CMD_INFO, NLM_F_ACK }, { PTWALK_CMD_TRANSLATE, NLM_F_ACK },
		{ PTWALK_CMD_WALK, NLM_F_DUMP },
		{ PTWALK_CMD_DEVICE, NLM_F_ACK }, { PTWALK_CMD_IOVA, NLM_F_DUMP },
		{ PTWALK_CMD_FRAMES, NLM_F_ACK }, { PTWALK_CMD_POLICIES, NLM_F_ACK },
	};
	const size_t nr_commands = ARRAY_SIZE(commands) - (self->ptw.devices < 0 ? 4 : 0);
	int i, j, k, refused = 0, err;

	for (i = 0; i < 600; i++) {
		size_t nr = chance() % nr_commands;

		self->msg = ptw_request(&self->ptw, commands[nr].command,
					commands[nr].flags);
		for (j = chance() % 4; j > 0; j--) {
			u32 payload[64], length = chance() % 4 ? 4 << chance() % 2 : chance() % 256;

			for (k = 0; k < 64; k++)
				payload[k] = chance() % 2 ? (u32)getpid() :
					     chance() % 3 ? chance() : 0;
			nla_put(self->msg, chance() % 9, length, payload);
		}
		err = ptw_ask(&self->ptw, self->msg);
		refused += err != 0;
		ASSERT_TRUE(err == 0 || err == -EINVAL || err == -ERANGE ||
			    err == -ESRCH || err == -ENODEV)
			TH_LOG("request %d: %s (%s)", i, strerror(-err),
			       self->ptw.error.message);
	}
	EXPECT_GT(refused, 300);
	EXPECT_LT(refused, 600);
}

TEST_HARNESS_MAIN
