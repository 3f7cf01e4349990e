// SPDX-License-Identifier: GPL-2.0
/*
 * ptwalk check --guest: a guest of KVM with one slot, which writes to each of its pages
 * and leaves. Its second stage agrees with this process's page table whatever becomes of
 * the memory; and a page table that KVM wasn't told of, by the module
 * ptwalk_guest_fixture, is found.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "command.h"
#include "json.h"
#include "ptw.h"
#include "system.h"
#include "test.h"
#include "workers.h"

/* Not all architectures have <linux/kvm.h>, and no other ones have the module. */
#if defined(__x86_64__) || defined(__aarch64__)
#include "guest_code.h"

#define MODULE		"ptwalk_guest"
#define MISTAKES	"ptwalk_guest_fixture"

#define PAGES		64
#define MOVED		32		/* the first page that tests do something to */

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), "check", "--guest", __VA_ARGS__)

FIXTURE(guest)
{
	size_t page, size;
	char *at;
	char pid[16], machine[32];
	int kvm, vm, cpu;
	struct kvm_run *run;
	size_t run_size;
};

static bool slot_set(FIXTURE_DATA(guest) *self, size_t size, unsigned int flags)
{
	struct kvm_userspace_memory_region slot = {
		.guest_phys_addr = GUEST_START,
		.memory_size = size,
		.userspace_addr = (unsigned long)self->at,
		.flags = flags,
	};

	return !ioctl(self->vm, KVM_SET_USER_MEMORY_REGION, &slot);
}

static bool machine_make(FIXTURE_DATA(guest) *self)
{
	self->vm = ioctl(self->kvm, KVM_CREATE_VM, 0);
	if (self->vm < 0 || !slot_set(self, self->size, 0))
		return false;
	self->cpu = ioctl(self->vm, KVM_CREATE_VCPU, 0);
	self->run_size = ioctl(self->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	self->run = mmap(NULL, self->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->cpu, 0);
	return self->run != MAP_FAILED &&
	       guest_make(self->vm, self->cpu, self->at, self->page, self->size);
}

static bool guest_leaves(FIXTURE_DATA(guest) *self, bool writes)
{
	return guest_begin(self->cpu, self->at, writes) && !ioctl(self->cpu, KVM_RUN, 0) &&
	       guest_has_left(self->run);
}

/* Whether the guest has written to all of its pages. */
static bool guest_runs(FIXTURE_DATA(guest) *self)
{
	return guest_leaves(self, true);
}

/* Whether it has read them. */
static bool guest_reads(FIXTURE_DATA(guest) *self)
{
	return guest_leaves(self, false);
}

FIXTURE_SETUP(guest)
{
	NEED_COMMAND();
	if (!module_file_exists(MODULE))
		SKIP(return, "there is no module " MODULE " for this architecture");
	module_load("kvm_amd");
	self->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (self->kvm < 0)
		SKIP(return, "there is no KVM (/dev/kvm: %s)", strerror(errno));
	ASSERT_EQ(0, module_load(MODULE));
	self->page = sysconf(_SC_PAGESIZE);
	self->size = PAGES * self->page;
	self->at = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->at);
	madvise(self->at, self->size, MADV_NOHUGEPAGE);
	ASSERT_TRUE(machine_make(self));
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	snprintf(self->machine, sizeof(self->machine), "%d:%d", getpid(), self->vm);
}

FIXTURE_TEARDOWN(guest)
{
	module_unload(MISTAKES);
	munmap(self->run, self->run_size);
	close(self->cpu);
	close(self->vm);
	close(self->kvm);
	munmap(self->at, self->size);
	module_unload(MODULE);
}

/* All that the guest still has is right, and that are so many pages. */
#define EXPECT_PAGES(pages) do { \
	char _words[64]; \
	snprintf(_words, sizeof(_words), "%d pages compared, %d match", pages, pages); \
	RUN(self->machine); \
	EXPECT_STATUS(MATCH); \
	EXPECT_PRINTED(_words); \
} while (0)

TEST_F(guest, agrees)
{
	ASSERT_TRUE(guest_runs(self));
	EXPECT_PAGES(PAGES);
	RUN(self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("1 virtual CPU, 1 second stage: ");
	RUN(self->pid, "--json");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("{\"type\":\"summary\",\"machines\":1,\"unchecked\":0,\"pages\":64,\"match\":64,");
	EXPECT_EQ(NULL, json_wrong(out.text, "check-guest", 2));
}

TEST_F(guest, has_not_run)
{
	RUN(self->machine);
	EXPECT_STATUS(UNCHECKED);
#ifdef __x86_64__
	EXPECT_PRINTED("not compared: 1 virtual CPU: it has no tables now");
#else
	EXPECT_PRINTED("1 virtual CPU, 1 second stage: 0 pages compared");
#endif
	EXPECT_PRINTED("nothing to compare");
}

/* KVM is told of each of these, and takes its entries away. */
TEST_F(guest, dontneed)
{
	ASSERT_TRUE(guest_runs(self));
	ASSERT_EQ(0, madvise(self->at + MOVED * self->page, 8 * self->page, MADV_DONTNEED));
	EXPECT_PAGES(PAGES - 8);
	memset(self->at + MOVED * self->page, 1, 8 * self->page);
	EXPECT_PAGES(PAGES - 8);
	ASSERT_TRUE(guest_runs(self));
	EXPECT_PAGES(PAGES);
}

TEST_F(guest, remapped)
{
	char *at = self->at + MOVED * self->page;

	ASSERT_TRUE(guest_runs(self));
	ASSERT_EQ(at, mmap(at, 4 * self->page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	memset(at, 1, 4 * self->page);
	EXPECT_PAGES(PAGES - 4);
	ASSERT_TRUE(guest_runs(self));
	EXPECT_PAGES(PAGES);
}

/* What nobody has written to is the zero page for both, until the process writes there. */
TEST_F(guest, zero_page)
{
	ASSERT_TRUE(guest_reads(self));
	EXPECT_PAGES(PAGES);
	self->at[MOVED * self->page] = 2;
	EXPECT_PAGES(PAGES - 1);
	ASSERT_TRUE(guest_reads(self));
	EXPECT_PAGES(PAGES);
}

TEST_F(guest, forked)
{
	pid_t child;

	ASSERT_TRUE(guest_runs(self));
	child = worker_copies(self->at, 0);
	/* All of it is shared with the child now, and nobody may write to it. */
	RUN(self->machine);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("1 second stage: 0 pages compared");
	EXPECT_PRINTED(", or after fork(): let it run, and ask again\n");
	self->at[MOVED * self->page] = 2;
	ASSERT_TRUE(guest_runs(self));
	EXPECT_PAGES(PAGES);
	process_end(child);
}

TEST_F(guest, read_only)
{
	const unsigned long at = (unsigned long)self->at + MOVED * self->page;
	char params[80];

	ASSERT_TRUE(guest_runs(self));
	snprintf(params, sizeof(params), "wrong=read-only pid=%d addr=0x%lx", getpid(), at);
	ASSERT_EQ(0, module_load_with(MISTAKES, params));
	RUN(self->machine);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(", read-only\n  guest ");
	EXPECT_PRINTED("64 pages compared, 63 match, 0 unstable, 1 mismatch");
	module_unload(MISTAKES);
	EXPECT_PAGES(PAGES);
}

/* The page has gone, and KVM wasn't told. */
TEST_F(guest, zapped)
{
	const unsigned long at = (unsigned long)self->at + MOVED * self->page;
	struct ptw_page page;
	char params[80], words[160];
	struct ptw ptw;

	ASSERT_TRUE(guest_runs(self));
	ASSERT_EQ(0, ptw_open(&ptw));
	ASSERT_EQ(0, ptw_translate_one(&ptw, getpid(), at, &page));
	ptw_close(&ptw);
	snprintf(params, sizeof(params), "wrong=zapped pid=%d addr=0x%lx", getpid(), at);
	ASSERT_EQ(0, module_load_with(MISTAKES, params));
	RUN(self->machine);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), ") %#lx, 1 page, second-stage-stale\n", at);
	EXPECT_PRINTED(words);
	snprintf(words, sizeof(words), "physical %#llx", (u64)page.t.value * self->page);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("64 pages compared, 63 match, 0 unstable, 1 mismatch");
	module_unload(MISTAKES);
	EXPECT_PAGES(PAGES);
}

/* The slot has gone, and KVM has forgotten what the guest had of it. */
TEST_F(guest, slot_gone)
{
	char params[64];
	size_t lines = 0;
	bool alike;
	int err;

	ASSERT_TRUE(guest_runs(self));
	snprintf(params, sizeof(params), "wrong=slot pid=%d", getpid());
	err = module_load_with(MISTAKES, params);
	if (err == -EOPNOTSUPP)
		SKIP(return, "the kernel has no kprobes");
	ASSERT_EQ(0, err);
	ASSERT_TRUE(slot_set(self, 0, 0));
	module_unload(MISTAKES);
	RUN(self->machine);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(") no address, ");
	EXPECT_PRINTED("truth     no slot is there\n");
	EXPECT_PRINTED("64 pages compared, 0 match, 0 unstable, 64 mismatch");
	alike = strstr(out.text, "\n  alike     ");
	RUN(self->machine, "--json");
	EXPECT_PRINTED("\"start\":null,");
	/* As many findings as there are rows of frames. */
	for (const char *at = out.text; (at = strchr(at, '\n')); at++)
		lines++;
	EXPECT_EQ(NULL, json_wrong(out.text, "check-guest", lines));
	EXPECT_EQ(lines > 2 + 3, alike);
	/* Another one in its place has its own memory, which is the same. */
	ASSERT_TRUE(slot_set(self, self->size, 0));
	EXPECT_PAGES(PAGES);
}

/* What the module tells of the machine, of which @text has the beginning. */
static bool stage_text(FIXTURE_DATA(guest) *self, char *text, size_t size)
{
	int fd = open("/sys/kernel/debug/ptwalk_guest/second_stage", O_RDWR | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0 && dprintf(fd, "%d %d", self->vm, getpid()) > 0)
		n = read(fd, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	return n > 0;
}

/* As firmware has it: the process may write there, and the guest may not. */
TEST_F(guest, read_only_slot)
{
	char text[4096];

	ASSERT_TRUE(guest_reads(self));
	ASSERT_TRUE(stage_text(self, text, sizeof(text)));
	EXPECT_EQ(NULL, strstr(text, " r-- "));
	ASSERT_TRUE(slot_set(self, 0, 0));
	ASSERT_TRUE(slot_set(self, self->size, KVM_MEM_READONLY));
	ASSERT_TRUE(guest_reads(self));
	EXPECT_PAGES(PAGES);
	ASSERT_TRUE(stage_text(self, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, " r-- "));
}

TEST_F(guest, swapped_places)
{
	const unsigned long at = (unsigned long)self->at + MOVED * self->page;
	char params[64], words[160];

	ASSERT_TRUE(guest_runs(self));
	snprintf(params, sizeof(params), "pid=%d addr=0x%lx", getpid(), at);
	ASSERT_EQ(0, module_load_with(MISTAKES, params));
	RUN(self->machine);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), ") %#lx, 1 page, second-stage-stale\n", at);
	EXPECT_PRINTED(words);
	snprintf(words, sizeof(words), " at %#lx of the guest\n",
		 GUEST_START + MOVED * self->page);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("64 pages compared, 62 match, 0 unstable, 2 mismatch");
	RUN(self->machine, "--json");
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), "\"start\":\"%#lx\",\"pages\":1,\"verdict\":\"mismatch\",\"rule\":\"second-stage-stale\",\"source\":\"guest\"",
		 at);
	EXPECT_PRINTED(words);
	EXPECT_EQ(NULL, json_wrong(out.text, "check-guest", 4));
	module_unload(MISTAKES);
	EXPECT_PAGES(PAGES);
}

TEST_F(guest, refuses)
{
	char which[32];

	RUN("1");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("has no virtual machine of KVM open");
	snprintf(which, sizeof(which), "%d:%d", getpid(), self->cpu);
	RUN(which);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("this is no virtual machine of KVM");
	snprintf(which, sizeof(which), "%d:%d", getpid(), 1000);
	RUN(which);
	EXPECT_STATUS(UNCHECKED);
	RUN(self->machine, "--lint");
	EXPECT_STATUS(USAGE);
}

/* A child has the descriptor, and other memory. */
TEST_F(guest, of_another)
{
	pid_t child;
	char which[32];

	ASSERT_TRUE(guest_runs(self));
	child = worker_copies(self->at, 0);
	snprintf(which, sizeof(which), "%d:%d", child, self->vm);
	RUN(which);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("has the memory of another process");
	snprintf(which, sizeof(which), "%d", child);
	RUN(which, "--json");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("{\"type\":\"summary\",\"machines\":0,\"unchecked\":1,");
	process_end(child);
}

static bool machine_of_own(void *arg)
{
	FIXTURE_DATA(guest) *self = arg;

	close(self->cpu);
	close(self->vm);
	return machine_make(self) && guest_runs(self);
}

/* KVM has a thread of its own there, which has no descriptors. */
TEST_F(guest, first_thread_has_exited)
{
	pid_t child = worker_without_first_thread(machine_of_own, self);
	/* Whether the kernel knows PIDFD_THREAD: it refuses flags before it looks. */
	bool gives = syscall(SYS_pidfd_open, getpid(), O_EXCL) >= 0;
	char which[32];

	ASSERT_LT(0, child);
	snprintf(which, sizeof(which), "%d", child);
	RUN(which);
	EXPECT_STATUS(gives ? MATCH : UNCHECKED);
	EXPECT_PRINTED(gives ? "64 pages compared, 64 match" : "its first thread has exited");
	process_end(child);
}

TEST_F(guest, without_module)
{
	module_unload(MODULE);
	RUN(self->machine);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("the module ptwalk_guest isn't loaded");
}

#else

TEST(guest)
{
	SKIP(return, "the module ptwalk_guest is for x86-64 and arm64");
}

#endif

TEST_HARNESS_MAIN
