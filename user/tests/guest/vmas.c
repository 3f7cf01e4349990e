// SPDX-License-Identifier: GPL-2.0
/*
 * What the files of a process say of its VMAs beside the pages in them: NUMA
 * policy, heap and stack, and whether they may have huge pages.
 */
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "command.h"
#include "system.h"
#include "test.h"

#define SIZE		(64UL << 20)
#define SETTINGS	"/sys/kernel/mm/transparent_hugepage/"

static struct output out;

FIXTURE(vmas)
{
	char *at;
	char pid[16];
	pid_t child;
};

FIXTURE_SETUP(vmas)
{
	NEED_COMMAND();
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	self->at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->at);
}

FIXTURE_TEARDOWN(vmas)
{
	process_end(self->child);
	munmap(self->at, SIZE);
}

/* A child in which @differ(@at) was called; it has the VMAs that we have. */
static pid_t fork_other(int (*differ)(char *at), char *at)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		byte = differ(at);
		if (write(ready[1], &byte, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && (read(ready[0], &byte, 1) != 1 || byte)) {
		process_end(pid);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

/*
 * The child is as well as we are; and @field differs, with @value, if the child's
 * file is shown in the place of ours.
 */
static void expect_noticed(struct __test_metadata *_metadata,
			   FIXTURE_DATA(vmas) *self, const char *source,
			   const char *field, const char *value)
{
	char ours[64], theirs[64], child[16];

	ASSERT_LT(0, self->child);
	snprintf(child, sizeof(child), "%d", self->child);
	snprintf(ours, sizeof(ours), "/proc/%s/%s", self->pid, source);
	snprintf(theirs, sizeof(theirs), "/proc/%s/%s", child, source);
	run(&out, ptwalk_command(), "check", "--source", source, child);
	EXPECT_STATUS(MATCH);
	run(&out, ptwalk_command(), "check", "--source", source, self->pid);
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(theirs, ours, NULL, MS_BIND, NULL));
	run(&out, ptwalk_command(), "check", "--source", source, self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(field);
	EXPECT_PRINTED(value);
	ASSERT_EQ(0, umount(ours));
}

static int bind_memory(char *at, int mode)
{
	unsigned long node = 1;

	return syscall(SYS_mbind, at, SIZE, mode, &node, 8 * sizeof(node), 0);
}

static int bind_strictly(char *at)
{
	return bind_memory(at, MPOL_BIND);
}

static int interleave(char *at)
{
	unsigned long node = 1;

	return syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &node,
		       8 * sizeof(node));
}

TEST_F(vmas, numa_policy)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	ASSERT_EQ(0, bind_memory(self->at, MPOL_PREFERRED));
	self->child = fork_other(bind_strictly, self->at);
	expect_noticed(_metadata, self, "numa_maps", "policy of ", ": bind ");
}

#define NO_POLICY	"no policy is compared"

/* Another module tells policies, which may not be there. */
TEST_F(vmas, numa_policy_without_module)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	if (!module_loaded("ptwalk_device") || !module_file_exists("ptwalk_device"))
		SKIP(return, "the module couldn't be loaded again");
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	run(&out, ptwalk_command(), "check", "-v", "--source", "numa_maps", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(NO_POLICY);
	ASSERT_EQ(0, module_load("ptwalk_device"));
	run(&out, ptwalk_command(), "check", "-v", "--source", "numa_maps", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(NULL, strstr(out.text, NO_POLICY));
}

#define BALANCED	(MPOL_BIND | 1 << 13)	/* MPOL_F_NUMA_BALANCING */

static int bind_balanced(char *at)
{
	return bind_memory(at, BALANCED);
}

static int bind_all_balanced(char *at)
{
	unsigned long node = 1;

	return syscall(SYS_set_mempolicy, BALANCED, &node, 8 * sizeof(node));
}

TEST_F(vmas, numa_policy_with_balancing)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	ASSERT_EQ(0, bind_strictly(self->at));
	self->child = fork_other(bind_balanced, self->at);
	expect_noticed(_metadata, self, "numa_maps", "policy of ",
		       ": bind=balancing ");
}

TEST_F(vmas, numa_policy_of_the_process_with_balancing)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	self->child = fork_other(bind_all_balanced, self->at);
	expect_noticed(_metadata, self, "numa_maps", "policy of ",
		       ": bind=balancing ");
}

/*
 * Maps two parts of a file in shared memory: of the first one @mode is the policy,
 * behind a range with another, and the second has none.
 */
static int share(char *at, int mode)
{
	const size_t page = sysconf(_SC_PAGESIZE), part = 16 * page;
	const int how = MAP_SHARED | MAP_FIXED;
	int fd = memfd_create("shared", MFD_CLOEXEC);
	unsigned long node = 1;
	bool bound, mapped;
	char *whole;

	if (fd < 0 || ftruncate(fd, 4 * part))
		return -1;
	whole = mmap(NULL, 4 * part, PROT_READ, MAP_SHARED, fd, 0);
	bound = !syscall(SYS_mbind, whole, part, MPOL_INTERLEAVE, &node,
			 8 * sizeof(node), 0) &&
		!syscall(SYS_mbind, whole + part, part, mode, &node,
			 8 * sizeof(node), 0);
	munmap(whole, 4 * part);
	mapped = mmap(at, part, PROT_READ, how, fd, part + 4 * page) == at &&
		 mmap(at + part, part, PROT_READ, how, fd, 2 * part) == at + part;
	close(fd);
	return bound && mapped ? 0 : -1;
}

static int share_bound(char *at)
{
	return share(at, MPOL_BIND);
}

TEST_F(vmas, numa_policy_of_shared_memory)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	ASSERT_EQ(0, share(self->at, MPOL_PREFERRED));
	self->child = fork_other(share_bound, self->at);
	expect_noticed(_metadata, self, "numa_maps", "policy of ", ": bind ");
}

/* Of VMAs that have none, it is that of the process. */
TEST_F(vmas, numa_policy_of_the_process)
{
	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	self->child = fork_other(interleave, self->at);
	expect_noticed(_metadata, self, "numa_maps", "policy of ",
		       ": interleave ");
}

static int interleave_and_stay(void *arg)
{
	int *ready = arg;
	char byte = interleave(NULL);

	if (write(ready[1], &byte, 1) == 1)
		for (;;)
			pause();
	return 1;
}

/* Of processes with the same memory, each has its own. */
TEST_F(vmas, numa_policy_of_another_process)
{
	char child[16], byte;
	int ready[2];

	if (access("/proc/self/numa_maps", R_OK))
		SKIP(return, "the kernel has no numa_maps");
	ASSERT_EQ(0, pipe(ready));
	self->child = clone(interleave_and_stay, self->at + SIZE,
			    CLONE_VM | SIGCHLD, ready);
	ASSERT_LT(0, self->child);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	ASSERT_EQ(0, byte);
	close(ready[0]);
	close(ready[1]);
	snprintf(child, sizeof(child), "%d", self->child);
	run(&out, ptwalk_command(), "check", "--source", "numa_maps", child);
	EXPECT_STATUS(MATCH);
	run(&out, ptwalk_command(), "check", "--source", "numa_maps", self->pid);
	EXPECT_STATUS(MATCH);
}

/* The heap ends behind the mapping, and all memory on the way is part of it. */
static int extend_heap(char *at)
{
	return prctl(PR_SET_MM, PR_SET_MM_BRK, (long)at + SIZE, 0, 0);
}

/* A heap of several pieces, and another one that is larger. */
TEST_F(vmas, heap)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *heap = sbrk(4 * page);

	ASSERT_NE((void *)-1, heap);
	heap = (char *)(((uintptr_t)heap + page) & -page);
	ASSERT_EQ(0, mprotect(heap, page, PROT_READ));
	self->child = fork_other(extend_heap, self->at);
	expect_noticed(_metadata, self, "maps", "place of ", "[heap]");
	expect_noticed(_metadata, self, "smaps", "place of ", "[heap]");
	if (!access("/proc/self/numa_maps", R_OK))
		expect_noticed(_metadata, self, "numa_maps", "is of ", ": heap");
	ASSERT_EQ(0, mprotect(heap, page, PROT_READ | PROT_WRITE));
}

/* Writes a setting, and keeps what it was in @was; false if there is none. */
static bool set(const char *name, const char *value, char was[64])
{
	char path[128], text[128], *word;
	FILE *file;

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	file = fopen(path, "r+e");
	if (!file)
		return false;
	word = fgets(text, sizeof(text), file) ? strchr(text, '[') : NULL;
	if (word && was)
		snprintf(was, 64, "%.*s", (int)strcspn(word + 1, "]"), word + 1);
	rewind(file);
	fputs(value, file);
	return !fclose(file) && word;
}

/* Mappings that are advised in each way, of more than a huge page and of less. */
static void advise(char *at)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	madvise(at, SIZE / 4, MADV_HUGEPAGE);
	madvise(at + SIZE / 4, SIZE / 4, MADV_NOHUGEPAGE);
	madvise(at + SIZE / 2, page, MADV_HUGEPAGE);
	mprotect(at + SIZE / 2 + page, 16 * page, PROT_READ);
}

static int forbid_thp(char *at)
{
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

TEST_F(vmas, thp_eligible)
{
	static const char *const modes[] = { "never", "madvise", "always" };
	static const char size[] = "hugepages-64kB/enabled";
	char was[64], was_size[64];
	bool sizes;

	if (!set("enabled", "always", was))
		SKIP(return, "the kernel has no transparent huge pages");
	sizes = set(size, "never", was_size);
	advise(self->at);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		set("enabled", modes[i], NULL);
		for (size_t j = 0; j < (sizes ? ARRAY_SIZE(modes) : 1); j++) {
			if (sizes)
				set(size, modes[j], NULL);
			run(&out, ptwalk_command(), "check", "--known-bugs",
			    "--source", "smaps", self->pid);
			EXPECT_STATUS(MATCH);
		}
	}
	self->child = fork_other(forbid_thp, self->at);
	expect_noticed(_metadata, self, "smaps", "THPeligible of ", ": 0 ");
	set("enabled", was, NULL);
	if (sizes)
		set(size, was_size, NULL);
}

/* What smaps says of the mapping that begins there: a mended kernel says 0. */
static bool called_eligible(const void *at)
{
	unsigned long start, want = (uintptr_t)at;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	bool here = false, eligible = false;
	char line[512], after;
	int value;

	while (smaps && fgets(line, sizeof(line), smaps))
		if (sscanf(line, "%lx%c", &start, &after) == 2 && after == '-')
			here = start == want;
		else if (here && sscanf(line, "THPeligible: %d", &value) == 1)
			eligible = value;
	if (smaps)
		fclose(smaps);
	return eligible;
}

/* Documentation/kernel-bugs/thp-eligible-low.txt */
TEST_F(vmas, thp_eligible_low)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	long long size = proc_number(SETTINGS "hpage_pmd_size");
	char was[64];
	void *at;

	if (size <= 0)
		SKIP(return, "the kernel has no transparent huge pages");
	at = mmap((void *)(uintptr_t)(size / 4 * 3), page, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		SKIP(return, "something is mapped below the size of a huge page");
	EXPECT_TRUE(set("enabled", "madvise", was));
	madvise(at, page, MADV_HUGEPAGE);
	run(&out, ptwalk_command(), "check", "--source", "smaps", "--known-bugs",
	    self->pid);
	EXPECT_STATUS(MATCH);
	if (called_eligible(at)) {
		EXPECT_PRINTED("thp-eligible-low");
		run(&out, ptwalk_command(), "check", "--source", "smaps", self->pid);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("thp-eligible-low");
		run(&out, ptwalk_command(), "rss", "--mappings", self->pid);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("mismatch (a bug of the kernel: thp-eligible-low)");
		run(&out, ptwalk_command(), "rss", "--mappings", "--known-bugs", self->pid);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED("slack (thp-eligible-low)");
		EXPECT_PRINTED("\n  thp-eligible-low: a mapping that ends");
		run(&out, ptwalk_command(), "rss", "--mappings", "--json", self->pid);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("\"bug\":\"thp-eligible-low\"");
	} else {
		run(&out, ptwalk_command(), "check", "--source", "smaps", self->pid);
		EXPECT_STATUS(MATCH);
	}
	munmap(at, page);
	/* What agrees isn't told above the table. */
	run(&out, ptwalk_command(), "rss", "--mappings", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("  FIELD ", "\neach frame once");
	set("enabled", was, NULL);
}

/* Linux 6.18: all but what madvise() has advised. */
static int forbid_thp_unadvised(char *at)
{
	return prctl(PR_SET_THP_DISABLE, 1, 1 << 1, 0, 0);
}

TEST_F(vmas, thp_eligible_if_advised)
{
	char was[64];

	if (!set("enabled", "always", was))
		SKIP(return, "the kernel has no transparent huge pages");
	advise(self->at);
	self->child = fork_other(forbid_thp_unadvised, self->at);
	if (self->child < 0) {
		self->child = 0;
		SKIP(return, "PR_SET_THP_DISABLE has no exceptions here");
	}
	expect_noticed(_metadata, self, "smaps", "THPeligible of ", ": 0 ");
	set("enabled", was, NULL);
}

/* More than are compared at a time (PART_VMAS of user/sums/rss.c), in three parts. */
#define MANY	2500

static char *last_of_many(char *at)
{
	return at + (MANY - 2) * sysconf(_SC_PAGESIZE);
}

static int touch_last(char *at)
{
	*last_of_many(at) = 1;
	return 0;
}

/* What differs in the last of many VMAs is noticed, and in them all nothing is. */
TEST_F(vmas, many)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char vmas[32];

	if (MANY * page > SIZE)
		SKIP(return, "pages are too large");
	for (size_t i = 0; i < MANY; i += 2) {
		ASSERT_EQ(0, mprotect(self->at + (i + 1) * page, page, PROT_READ));
		if (i % 100 == 0)
			self->at[i * page] = 1;
	}
	run(&out, ptwalk_command(), "rss", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	snprintf(vmas, sizeof(vmas), "\"vmas\":%d", MANY / 1000);
	EXPECT_PRINTED(vmas);
	run(&out, ptwalk_command(), "check", self->pid);
	EXPECT_STATUS(MATCH);
	self->child = fork_other(touch_last, self->at);
	expect_noticed(_metadata, self, "smaps", "Rss of ", ": 4 kB");
}

/* What a command may keep of each VMA, and what isn't due to them, in bytes. */
#define EACH_VMA	128
#define NOT_OF_VMAS	(3 << 19)

static long vmas_wanted;

/* A VMA for each page, all of which are there. */
static int part_pages(char *at)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	madvise(at, SIZE, MADV_NOHUGEPAGE);
	for (long i = 0; i < vmas_wanted; i++) {
		at[i * page] = 1;
		if (i % 2 && mprotect(at + i * page, page, PROT_READ))
			return 1;
	}
	return 0;
}

/* The memory that commands take hardly grows with the number of VMAs. */
TEST_F(vmas, memory)
{
	static const char *const commands[] = { "check", "rss" };
	/* Of the first one, too, there is more than is compared at a time. */
	static const long sizes[] = { 1200, 5200 };
	long first[ARRAY_SIZE(commands)] = { 0 };
	char child[16];

	if (sizes[1] * sysconf(_SC_PAGESIZE) > SIZE)
		SKIP(return, "pages are too large");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* A command has at least the peak of who starts it. */
		vmas_wanted = sizes[i];
		self->child = fork_other(part_pages, self->at);
		ASSERT_LT(0, self->child);
		snprintf(child, sizeof(child), "%d", self->child);
		for (size_t j = 0; j < ARRAY_SIZE(commands); j++) {
			run(&out, ptwalk_command(), commands[j], child);
			EXPECT_STATUS(MATCH);
			first[j] = i ? first[j] : out.peak;
			EXPECT_GE(first[j] + (NOT_OF_VMAS +
				  (sizes[i] - sizes[0]) * EACH_VMA) / 1024, out.peak)
				TH_LOG("%s of %ld VMAs: %ld KiB", commands[j],
				       sizes[i], out.peak);
		}
		process_end(self->child);
		self->child = 0;
	}
}

TEST_HARNESS_MAIN
