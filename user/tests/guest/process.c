// SPDX-License-Identifier: GPL-2.0
/*
 * The command with unusual processes: of another PID namespace, hidden, without
 * their first thread, dead, or ending meanwhile.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include "command.h"
#include "pin.h"
#include "stepped.h"
#include "test.h"
#include "workers.h"

#define NOBODY		65534
#define POINTS		6	/* at which a target goes away */

static struct output out;

#define PTWALK(...)	run(&out, self->ptwalk, __VA_ARGS__)

FIXTURE(process)
{
	struct ptw ptw;
	struct mapping m;
	const char *ptwalk;
	char pid[16], addr[32], frame[32];
	struct target target;
	struct stepped stepped;
};

FIXTURE_SETUP(process)
{
	struct ptw_page page;

	self->ptwalk = ptwalk_command();
	if (!self->ptwalk)
		SKIP(return, "there is no ptwalk command in PATH");
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_anon_written));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->m.start, &page));
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	snprintf(self->addr, sizeof(self->addr), "%llx", self->m.start);
	snprintf(self->frame, sizeof(self->frame), "%llx", (u64)page.t.value);
}

FIXTURE_TEARDOWN(process)
{
	target_end(&self->target);
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* Each command that has to do with processes; @pid may be "self". */
#define COMMANDS(pid)							\
	{ self->ptwalk, "check", pid },					\
	{ self->ptwalk, "translate", pid, self->addr },			\
	{ self->ptwalk, "dump", pid },					\
	{ self->ptwalk, "dump", "-s", pid },				\
	{ self->ptwalk, "pagemap", pid },				\
	{ self->ptwalk, "rss", pid },					\
	{ self->ptwalk, "share", pid, "2" },				\
	{ self->ptwalk, "frame", "--pid", pid, self->frame },		\
	{ self->ptwalk, "iova", "-p", pid, "platform/no-such-device" }

/* And those that look at all of them. */
#define ALL_COMMANDS							\
	{ self->ptwalk, "check", "--all" },				\
	{ self->ptwalk, "frame", self->frame }

#define EXPECT_UNCHECKED(words) do { \
	EXPECT_EQ(UNCHECKED, out.status) \
		TH_LOG("%s %s printed: %.600s", argv[i][1], argv[i][2], out.text); \
	EXPECT_NE(NULL, strstr(out.text, words)) \
		TH_LOG("%s %s printed: %.600s", argv[i][1], argv[i][2], out.text); \
} while (0)

/* /proc is that of the first namespace, and ptwalk is in another. */
TEST_F(process, pid_namespace_of_its_own)
{
	const char *const argv[][6] = { COMMANDS("1"), COMMANDS("self"), ALL_COMMANDS };
	int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	size_t i;

	if (own < 0)
		SKIP(return, "the kernel has no PID namespaces");
	for (i = 0; i < ARRAY_SIZE(argv); i++) {
		ASSERT_EQ(0, unshare(CLONE_NEWPID));
		run_as(&out, 0, argv[i]);
		ASSERT_EQ(0, setns(own, CLONE_NEWPID));
		EXPECT_UNCHECKED("PID namespace");
		EXPECT_ONE_LINE();
	}
	close(own);
}

static int in_namespace_of_its_own(void *arg)
{
	int *fds = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount("proc", "/proc", "proc", 0, NULL) || write(fds[1], "", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* The other way round: ptwalk is in the first, with the /proc of another. */
TEST_F(process, proc_of_another_pid_namespace)
{
	const char *const argv[][6] = { COMMANDS("1"), COMMANDS("self"), ALL_COMMANDS };
	static char stack[65536] __attribute__((aligned(16)));
	int fds[2];
	pid_t pid;
	char byte;
	size_t i;

	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	pid = clone(in_namespace_of_its_own, stack + sizeof(stack) - 256,
		    CLONE_NEWPID | SIGCHLD, fds);
	if (pid < 0)
		SKIP(return, "the kernel has no PID namespaces");
	ASSERT_EQ(1, read(fds[0], &byte, 1));
	for (i = 0; i < ARRAY_SIZE(argv); i++) {
		run_as(&out, 0, argv[i]);
		EXPECT_UNCHECKED("PID namespace");
		EXPECT_ONE_LINE();
	}
	process_end(pid);
}

TEST_F(process, no_proc)
{
	const char *const argv[][6] = { COMMANDS(self->pid), COMMANDS("self"), ALL_COMMANDS };
	size_t i;

	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	ASSERT_EQ(0, mount("tmpfs", "/proc", "tmpfs", 0, NULL));
	for (i = 0; i < ARRAY_SIZE(argv); i++) {
		run_as(&out, 0, argv[i]);
		EXPECT_UNCHECKED("there is no /proc");
		EXPECT_ONE_LINE();
	}
}

/* One thing, and the same words from all. */
TEST_F(process, one_wording)
{
	const char *const none[][6] = { COMMANDS("4194303") };
	const char *const kernel[][6] = { COMMANDS("2") };
	const char *const zombie[][6] = { COMMANDS(self->addr) };
	char pids[32];
	siginfo_t info;
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		const char *const (*argv)[6] = none;

		run_as(&out, 0, argv[i]);
		EXPECT_UNCHECKED("process 4194303: no such process\n");
	}
	for (i = 0; i < ARRAY_SIZE(kernel); i++) {
		const char *const (*argv)[6] = kernel;

		if (!strcmp(argv[i][1], "share"))
			continue;	/* given twice */
		run_as(&out, 0, argv[i]);
		EXPECT_UNCHECKED("process 2: a kernel thread has no address space\n");
	}
	snprintf(pids, sizeof(pids), "2,%s", self->pid);
	run(&out, self->ptwalk, "frame", "--pid", pids, "0");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("process 2: a kernel thread has no address space\n");
	EXPECT_PRINTED("frame 0x0");
	run(&out, self->ptwalk, "share", self->pid, "2");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("process 2: a kernel thread has no address space\n");

	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	/* The table above holds the pointer. */
	snprintf(self->addr, sizeof(self->addr), "%d", pid);
	for (i = 0; i < ARRAY_SIZE(zombie); i++) {
		const char *const (*argv)[6] = zombie;

		run_as(&out, 0, argv[i]);
		EXPECT_UNCHECKED("it has exited and has no address space\n");
	}
	waitpid(pid, NULL, 0);
}

TEST_F(process, bad_lists)
{
	static const char *const lists[] = { "", ",", "1,", ",1", "1,,2", "0", "x" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		PTWALK("frame", "--pid", lists[i], "1");
		EXPECT_EQ(USAGE, out.status)
			TH_LOG("of '%s': %.600s", lists[i], out.text);
		EXPECT_ONE_LINE();
	}
	PTWALK("share", "1", "1");
	EXPECT_STATUS(USAGE);
	PTWALK("frame", "--pid", "1,1", "--pid", "1", "1");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("among 1 process\n");
}

/* The line of kpageflags in the output. */
static bool says_ksm(void)
{
	char *line = strstr(out.text, "kpageflags "), *end, *ksm;

	if (!line)
		return false;
	end = line + strcspn(line, "\n");
	ksm = strstr(line, "ksm");
	/* Not in the name of the bug. */
	return ksm && ksm < end && (ksm[-1] == ',' || ksm[-1] == ' ');
}

TEST_F(process, frame_of_anonymous_memory_is_not_ksm)
{
	PTWALK("frame", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("anon");
	EXPECT_PRINTED("kpageflags ");
	EXPECT_FALSE(says_ksm())
		TH_LOG("printed: %.600s", out.text);
	PTWALK("frame", "--json", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("\"ksm\"", "\"anon\"");
	/* Nor if nobody is asked who has it mapped. */
	PTWALK("frame", "--pid", "1", self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("kpageflags ");
	EXPECT_FALSE(says_ksm())
		TH_LOG("printed: %.600s", out.text);
}

TEST_F(process, frame_of_ksm_is)
{
	struct ptw_page page;

	mapping_release(&self->m);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_ksm));
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->m.start, &page));
	snprintf(self->frame, sizeof(self->frame), "%llx", (u64)page.t.value);
	PTWALK("frame", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_TRUE(says_ksm())
		TH_LOG("printed: %.600s", out.text);
}

/* frame, translate -v and dump -v say so, in text and in JSON; the module's part is in pinned. */
TEST_F(process, pinned_memory)
{
	struct ptw_page page;
	char range[48];
	int ring;

	snprintf(range, sizeof(range), "%s+%llx", self->addr, (u64)self->m.page_size);
	PTWALK("translate", "-v", self->pid, self->addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\n  page      references ");
	EXPECT_PRINTED("; not pinned\n");
	PTWALK("dump", "-v", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("; not pinned\n");
	ring = pin_begin((void *)(uintptr_t)self->m.start, self->m.page_size);
	if (ring < 0)
		SKIP(return, "a buffer of io_uring: %s", strerror(-ring));
	PTWALK("translate", "-v", self->pid, self->addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(",maybe-pinned; may be pinned, for DMA or the like\n");
	PTWALK("translate", "-v", "--json", self->pid, self->addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"maybe-pinned\"]");
	PTWALK("dump", "-v", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("; may be pinned, for DMA or the like\n");
	PTWALK("dump", "-v", "--json", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"maybe_pinned\":true");
	/* Where it is now, as memory that could be moved was, first. */
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->m.start, &page));
	snprintf(self->frame, sizeof(self->frame), "%llx", (u64)page.t.value);
	PTWALK("frame", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("; may be pinned, for DMA or the like\n");
	PTWALK("frame", "--json", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"maybe-pinned\"]");
	pin_end(ring);
}

/* What translate prints is an address, and frame takes a number. */
TEST_F(process, frame_that_is_an_address)
{
	u64 addr = strtoull(self->frame, NULL, 16) * self->m.page_size;
	char arg[32], hint[64];

	snprintf(arg, sizeof(arg), "%#llx", addr);
	snprintf(hint, sizeof(hint), "ask for phys:%llx\n", addr);
	PTWALK("frame", "--pid", self->pid, arg);
	EXPECT_PRINTED(hint);
	snprintf(arg, sizeof(arg), "phys:%llx", addr);
	PTWALK("frame", "--pid", self->pid, arg);
	EXPECT_UNPRINTED("ask for", self->addr);
	EXPECT_PRINTED(self->addr);
	PTWALK("frame", "--pid", self->pid, self->frame);
	EXPECT_UNPRINTED("ask for", self->addr);
}

/* Where the entry point of a program stands in its file; 0 if that isn't found. */
static u64 entry_offset(int fd)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) ph;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return 0;
	for (int i = 0; i < header.e_phnum; i++)
		if (pread(fd, &ph, sizeof(ph), header.e_phoff + i * sizeof(ph)) ==
			    sizeof(ph) &&
		    ph.p_type == PT_LOAD &&
		    header.e_entry - ph.p_vaddr < ph.p_filesz)
			return header.e_entry - ph.p_vaddr + ph.p_offset;
	return 0;
}

/* What maps a frame only because it runs is told from the others. */
TEST_F(process, frame_of_the_command_itself)
{
	const u64 size = self->m.page_size;
	int fd = open(self->ptwalk, O_RDONLY | O_CLOEXEC);
	struct ptw_page page;
	u64 offset;
	void *map;

	ASSERT_LE(0, fd);
	offset = entry_offset(fd) & ~(size - 1);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
	ASSERT_NE(MAP_FAILED, map);
	(void)*(volatile char *)map;
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), (uintptr_t)map, &page));
	snprintf(self->frame, sizeof(self->frame), "%llx", (u64)page.t.value);
	PTWALK("frame", self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("(ptwalk, this command itself) 0x");
	EXPECT_PRINTED("\n  own          1 of 2 entries found is of this command itself\n");
	EXPECT_UNPRINTED("mapped by nobody", "mapped");
	PTWALK("frame", "--json", self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"own\":true");
	EXPECT_PRINTED("\"own\":false");
	EXPECT_PRINTED("\"own\":1,");
	ASSERT_EQ(0, munmap(map, size));
	PTWALK("frame", self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\n  mapped by nobody else among ");
	EXPECT_PRINTED("\n  own          1 of 1 entry found is of this command itself\n");
	close(fd);
	PTWALK("frame", "--json", "--pid", self->pid, self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"entries\":0,\"own\":0,");
}

TEST_F(process, first_thread_has_exited)
{
	pid_t pid = worker_without_first_thread(NULL, NULL);
	char number[16], line[64];

	ASSERT_LT(0, pid);
	snprintf(number, sizeof(number), "%d", pid);
	PTWALK("translate", number, self->addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("anon");
	PTWALK("translate", "-v", number, self->addr);
	EXPECT_STATUS(MATCH);
	PTWALK("dump", number);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("[stack]");
	PTWALK("dump", number, "[stack]");
	EXPECT_STATUS(MATCH);
	PTWALK("pagemap", number);
	EXPECT_STATUS(MATCH);
	PTWALK("rss", number);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("VmRSS");
	PTWALK("share", number, self->pid);
	EXPECT_STATUS(MATCH);
	PTWALK("check", number);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" match");
	PTWALK("check", "--source", "all", "--known-bugs", number);
	EXPECT_STATUS(MATCH);
	if (!access("/proc/kcore", R_OK)) {
		PTWALK("check", "--source", "prove", number);
		EXPECT_STATUS(MATCH);
	}
	PTWALK("frame", "--pid", number, self->frame);
	EXPECT_STATUS(MATCH);
	snprintf(line, sizeof(line), "\n  %d (", pid);
	EXPECT_PRINTED(line);
	snprintf(line, sizeof(line), "\n%d (", pid);
	PTWALK("check", "--all");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(line);
	process_end(pid);
}

static int wait_for_end(void *arg)
{
	for (;;)
		pause();
	return 0;
}

/* A process that is no thread of ours, but has our address space. */
TEST_F(process, address_space_of_two)
{
	static char stack[65536] __attribute__((aligned(16)));
	char number[16];
	pid_t pid;

	if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0))
		SKIP(return, "kcmp() is missing (CONFIG_KCMP)");
	pid = clone(wait_for_end, stack + sizeof(stack) - 256, CLONE_VM | SIGCHLD,
		    NULL);
	ASSERT_LT(0, pid);
	snprintf(number, sizeof(number), "%d", pid);
	/* Its mappings are ours, which the kernel counts once. */
	PTWALK("frame", "--json", self->frame);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"entries\":1,");
	EXPECT_PRINTED("\"processes\":1,");
	EXPECT_PRINTED("\"warning\":null");
	PTWALK("check", "--all", "--source", "pagemap");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(", 1 with the address space of another");
	/* Each that is named is answered for. */
	PTWALK("check", self->pid, number);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\n2 processes ");
	PTWALK("rss", self->pid, number);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("these are the same pages");
	PTWALK("share", self->pid, number);
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	process_end(pid);
}

/* Everything but the right to look into others, and not of their group. */
static bool only_admin(void)
{
	return !prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE) &&
	       !syscall(SYS_setgroups, 0, NULL) &&
	       !syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
}

static const char *const hidings[] = { "hidepid=2", "hidepid=4", "hidepid=2,gid=77" };

TEST_F(process, hidden)
{
	const char *const argv[][6] = { COMMANDS(self->pid), ALL_COMMANDS };
	size_t hiding, i;

	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	ASSERT_TRUE(only_admin());
	for (hiding = 0; hiding < ARRAY_SIZE(hidings); hiding++) {
		ASSERT_EQ(0, mount("proc", "/proc", "proc", 0, hidings[hiding]));
		for (i = 0; i < ARRAY_SIZE(argv); i++) {
			run_as(&out, 0, argv[i]);
			EXPECT_UNCHECKED("hidepid");
		}
		PTWALK("check", "self");
		EXPECT_STATUS(MATCH);
		PTWALK("translate", "self", self->addr);
		EXPECT_STATUS(MATCH);
	}
}

/* Who may see all isn't told that something was hidden. */
TEST_F(process, hidden_from_others)
{
	size_t i;

	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	for (i = 0; i < ARRAY_SIZE(hidings); i++) {
		ASSERT_EQ(0, mount("proc", "/proc", "proc", 0, hidings[i]));
		PTWALK("frame", self->frame);
		EXPECT_STATUS(MATCH);
		PTWALK("check", self->pid);
		EXPECT_STATUS(MATCH);
	}
}

static void sleeper(void *arg, int nr)
{
	if (nr)
		execlp("sleep", "sleep", "600", NULL);
}

/* Waits until the target is what it becomes; false: it never is. */
static bool has_become(pid_t pid, const char *wanted)
{
	char path[64], comm[64];
	int tries;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	for (tries = 0; tries < 3000; tries++) {
		if (!proc_read(path, comm, sizeof(comm)) && !strcmp(comm, wanted))
			return true;
		usleep(10000);
	}
	return false;
}

/* Looks at a process, whose PID comes last. */
static const char *const looks[][4] = {
	{ "check", "--known-bugs" }, { "rss", "--known-bugs" }, { "dump", "-v" },
	{ "pagemap", "--json" }, { "share", "1" }, { "frame", "1", "--pid" },
};

/*
 * Has ptwalk look at a target that goes away when it is at step @point, by exec
 * or by exit. Returns the steps that it took, or 0 when that failed.
 */
static unsigned int look_and_go(struct stepped *s, struct target *t, const char *ptwalk,
				const char *const *look, unsigned int point, bool exec)
{
	const char *argv[8] = { ptwalk };
	char pid[16], byte = 0;
	int i;

	if (target_start(t, sleeper, NULL))
		return 0;
	snprintf(pid, sizeof(pid), "%d", t->pid);
	for (i = 0; look[i]; i++)
		argv[1 + i] = look[i];
	argv[1 + i] = pid;
	if (stepped_start(s, argv))
		return 0;
	while (stepped_step(s, &out)) {
		if (s->steps < point)
			continue;
		if (!exec)
			target_end(t);
		else if (write(t->in, &byte, 1) != 1 || !has_become(t->pid, "sleep\n"))
			return 0;
		stepped_release(s, 0);
		stepped_finish(s, &out);
		break;
	}
	target_end(t);
	return s->steps;
}

static bool says_why(void)
{
	return strstr(out.text, "went away") || strstr(out.text, "no such process") ||
	       strstr(out.text, "has exited");
}

#define GO_AT_EACH_POINT(look, points, exec) do { \
	unsigned int steps, point, n, unchecked = 0; \
	\
	steps = look_and_go(&self->stepped, &self->target, self->ptwalk, look, -1, exec); \
	ASSERT_LT(0, steps); \
	EXPECT_STATUS(MATCH); \
	srandom(1); \
	for (n = 0; n < (points); n++) { \
		point = n * steps / (points) + random() % (steps / (points)); \
		ASSERT_LT(0, look_and_go(&self->stepped, &self->target, self->ptwalk, \
					 look, point, exec)); \
		EXPECT_UNPRINTED("on the way", "\n"); \
		EXPECT_TRUE(out.status == MATCH || (out.status == UNCHECKED && says_why())) \
			TH_LOG("%s at step %u of %u, status %d: %.600s", (look)[0], point, \
			       steps, out.status, out.text); \
		unchecked += out.status == UNCHECKED; \
	} \
	if ((points) == POINTS) \
		EXPECT_LT(POINTS / 4, unchecked); \
} while (0)

TEST_F(process, execs_at_each_point)
{
	GO_AT_EACH_POINT(looks[0], POINTS, true);
}

TEST_F(process, exits_at_each_point)
{
	GO_AT_EACH_POINT(looks[0], POINTS, false);
}

/* The same of the other commands, at fewer points. */
TEST_F(process, execs_before_other_commands)
{
	size_t i;

	for (i = 1; i < ARRAY_SIZE(looks); i++)
		GO_AT_EACH_POINT(looks[i], 4, true);
}

TEST_F(process, exits_before_other_commands)
{
	size_t i;

	for (i = 1; i < ARRAY_SIZE(looks); i++)
		GO_AT_EACH_POINT(looks[i], 4, false);
}

TEST_HARNESS_MAIN
