// SPDX-License-Identifier: GPL-2.0
/* Processes that live, that don't, and that /proc doesn't show. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kcmp.h>
#include "base/lines.h"
#include "proc/map_files.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/second_stage.h"
#include "proc/spaces.h"
#include "proc/uring.h"
#include "sources/source.h"
#include "tests.h"

/* More than any kernel gives. */
#define NOBODY	((pid_t)0x7ffffff0)

static void stat_lines(void **state)
{
	unsigned int flags;
	char letter;

	assert_true(procs_parse_stat("1 (init) S 0 1 1 0 -1 4194560 7", &letter,
				     &flags));
	assert_int_equal(letter, 'S');
	assert_int_equal(flags, 4194560);
	assert_true(procs_parse_stat("7 (a) Z 1 (b) t 0 1 1 0 -1 12 7", &letter,
				     &flags));
	assert_int_equal(letter, 't');
	assert_int_equal(flags, 12);
	assert_false(procs_parse_stat("", &letter, &flags));
	assert_false(procs_parse_stat("1 (init", &letter, &flags));
	assert_false(procs_parse_stat("1 (init) S 0 1", &letter, &flags));
}

static void started_lines(void **state)
{
	uint64_t ticks;

	assert_true(procs_parse_started("7 (a) b) S 1 2 3 0 -1 4194560 7 8 9 10 11 12 13 14 20 -5 1 0 18446744073709551610 9",
					&ticks));
	assert_true(ticks == 18446744073709551610ULL);
	assert_false(procs_parse_started("", &ticks));
	assert_false(procs_parse_started("7 (a) S 1 2 3 0 -1 4194560 7 8 9 10 11 12 13 14 20 0 1 0",
					 &ticks));
}

static bool one_namespace(char *text)
{
	FILE *stream = fmemopen(text, strlen(text), "r");
	bool one;

	assert_int_equal(procs_parse_nspid(stream, &one), 0);

	fclose(stream);
	return one;
}

static void namespaces(void **state)
{
	assert_true(one_namespace("Name:\tx\nNSpid:\t31\nNSpgid:\t31\t4\n"));
	assert_false(one_namespace("Name:\tx\nNSpid:\t31\t31\n"));
	assert_false(one_namespace("NSpid:\t31\t1\t1\n"));
	assert_true(one_namespace("Name:\tx\nPid:\t3\n"));
}

static struct procs_mount mount_of(char *text)
{
	FILE *stream = fmemopen(text, strlen(text), "r");
	struct procs_mount mount;

	assert_int_equal(procs_parse_mount(stream, &mount), 0);
	fclose(stream);
	return mount;
}

#define PROC	"22 1 0:20 / /proc rw,nosuid shared:5 - proc proc rw"

static void mounts(void **state)
{
	assert_false(mount_of(PROC "\n").hides);
	assert_false(mount_of(PROC ",hidepid=off\n").hides);
	assert_false(mount_of(PROC ",hidepid=1\n").hides);
	assert_false(mount_of(PROC ",hidepid=noaccess\n").hides);
	assert_true(mount_of(PROC ",hidepid=2\n").hides);
	assert_false(mount_of(PROC ",hidepid=2\n").strict);
	assert_true(mount_of(PROC ",hidepid=invisible\n").hides);
	assert_true(mount_of(PROC ",gid=27,hidepid=invisible").hides);
	assert_int_equal(mount_of(PROC ",gid=27,hidepid=2\n").gid, 27);
	assert_int_equal(mount_of(PROC ",hidepid=2,gid=28\n").gid, 28);
	assert_true(mount_of(PROC ",hidepid=4\n").strict);
	assert_true(mount_of(PROC ",hidepid=ptraceable,subset=pid\n").strict);
	/* The last one is what is seen, and only there. */
	assert_true(mount_of(PROC "\n" PROC ",hidepid=2\n").hides);
	assert_false(mount_of(PROC ",hidepid=2\n" PROC "\n").hides);
	assert_true(mount_of(PROC ",hidepid=2\n"
			     "9 1 0:9 / /proc/fs rw - proc proc rw\n").hides);
	assert_false(mount_of("9 1 0:9 / /x rw - proc proc rw,hidepid=2\n").hides);
	assert_false(mount_of("9 1 0:9 / /proc rw - tmpfs t rw\n").hides);
	assert_false(mount_of("").hides);
}

/* A child that does @body, and what is written says when it has. */
static pid_t start(void (*body)(int fd))
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	assert_true(pid > 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void wait_here(int fd)
{
	if (write(fd, "", 1) == 1)
		for (;;)
			pause();
}

static void *other_thread(void *arg)
{
	wait_here(*(int *)arg);
	return NULL;
}

/* What a process has that loses its first thread, and is then nobody else's; or -1. */
static int ring = -1;

/* With IORING_SETUP_SQPOLL, the kernel makes a thread for it. */
static int make_ring(bool polled)
{
	return syscall(SYS_io_uring_setup, 1, (uint32_t[64]){ [2] = polled ? 2 : 0 });
}

static void lose_first_thread(int fd)
{
	static int there;
	pthread_t thread;

	there = fd;
	pthread_create(&thread, NULL, other_thread, &there);
	syscall(SYS_exit, 0);
}

static size_t lines_of(pid_t pid, const char *file)
{
	FILE *stream;
	size_t nr = 0;
	int err, c;

	stream = procs_fopen(pid, file, &err);
	if (!stream)
		return 0;
	while ((c = getc(stream)) != EOF)
		nr += c == '\n';
	fclose(stream);
	return nr;
}

static void states(void **state)
{
	siginfo_t info;
	pid_t pid;

	assert_int_equal(procs_state(getpid()), PROCS_THERE);
	assert_int_equal(procs_state(NOBODY), PROCS_NONE);
	assert_int_equal(procs_look(getpid()), 0);
	assert_int_equal(procs_look(NOBODY), -ESRCH);

	pid = start(wait_here);
	assert_int_equal(procs_state(pid), PROCS_THERE);
	assert_false(procs_gone(pid, -EACCES));
	assert_false(procs_gone(pid, -ENOENT));
	assert_true(procs_gone(pid, -ESRCH));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(procs_state(pid), PROCS_ENDED);
	assert_true(procs_gone(pid, -EACCES));
	assert_true(procs_gone(pid, -EIO));
	assert_int_equal(procs_space(pid), 0);
	assert_int_equal(procs_look(pid), -ESRCH);
	end(pid);
	assert_int_equal(procs_state(pid), PROCS_NONE);
	assert_true(procs_gone(pid, -ENOENT));
	assert_true(procs_gone(pid, -EINVAL));
}

/* Until it has ended, and maps has nothing to show in its name. */
static void wait_for_first_thread(pid_t pid)
{
	char path[64];
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	for (int c = 0; c != EOF;) {
		stream = fopen(path, "re");
		assert_non_null(stream);
		c = getc(stream);
		fclose(stream);
	}
}

static int take_map(char *line, void *arg)
{
	return sscanf(line, "%" SCNx64 "-%" SCNx64, (uint64_t *)arg, (uint64_t *)arg + 1) == 2;
}

/* The folder of a thread below task has none. Its links take root. */
static void map_files_of_other(pid_t pid)
{
	uint64_t ends[2] = { 0 };
	int err, fd;
	FILE *stream = map_files_fopen(pid, &err);

	if (err == -EPERM || err == -EACCES)
		return;
	assert_int_equal(err, 0);
	assert_non_null(stream);
	assert_int_equal(lines_each(stream, take_map, ends, NULL), 1);
	fclose(stream);
	fd = map_files_open(pid, ends[0], ends[1] - 1);
	/* They can be read, and not be followed. */
	if (fd == -EPERM)
		return;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(map_files_open(pid, ends[0], ends[0]), -ENOENT);
}

/* No errno of the first thread's, which has none. */
static void descriptor_of_other(pid_t pid)
{
	int fd = machine_open(pid, 0);

	if (fd < 0) {
		assert_true(fd == -EPERM || fd == -EINVAL || fd == -ENOSYS);
		return;
	}
	assert_true(fd > 0);
	close(fd);
}

/* By @owners, or if that is empty, as it is now. */
static bool ring_is_shared(struct uring_owners *owners, pid_t pid, int fd)
{
	struct pids sharers = { 0 };
	bool is_shared;
	size_t unread;

	if (!owners->is_read)
		assert_int_equal(uring_owners_read(owners, NULL), 0);
	assert_true(uring_owners_have(owners, pid, fd));
	assert_false(uring_owners_have(owners, pid, fd + 1));
	assert_int_equal(uring_sharers(&sharers, &unread, owners, pid, fd), 0);
	is_shared = sharers.nr;
	pids_free(&sharers);
	return is_shared;
}

/*
 * Two have it, and then one alone: we have another, which kcmp() is asked about. Who has
 * closed it since it was read who has one has it no more.
 */
static void ring_of_other(pid_t pid)
{
	struct uring_owners before = { 0 }, now = { 0 };
	const volatile sig_atomic_t stopped = 1;
	int other = make_ring(false), fd = ring;

	assert_int_equal(uring_owners_read(&before, &stopped), 1);
	assert_false(before.is_read);
	assert_true(ring_is_shared(&before, pid, fd));
	close(ring);
	ring = -1;
	assert_false(ring_is_shared(&now, pid, fd));
	assert_false(ring_is_shared(&before, pid, fd));
	close(other);
	uring_owners_free(&before);
	uring_owners_free(&now);
}

/* The address space is that of the threads that are left. */
static void without_first_thread(void **state)
{
	static const char *const files[] = { "maps", "smaps" };
	struct uring_owners owners = { 0 };
	bool is_told;
	pid_t pid;
	int err;

	ring = make_ring(false);
	/* As it seems, too, where kcmp() or a process's descriptors aren't allowed. */
	is_told = ring >= 0 && !ring_is_shared(&owners, getpid(), ring);
	uring_owners_free(&owners);
	pid = start(lose_first_thread);

	wait_for_first_thread(pid);
	assert_int_equal(procs_state(pid), PROCS_THERE);
	for (size_t i = 0; i < 2; i++)
		assert_true(lines_of(pid, files[i]) > 4);
	assert_true(procs_space(pid) != 0);
	map_files_of_other(pid);
	descriptor_of_other(pid);
	if (is_told)
		ring_of_other(pid);
	end(pid);
	assert_int_equal(lines_of(pid, "maps"), 0);
	assert_null(map_files_fopen(pid, &err));
	assert_int_not_equal(err, 0);
	if (ring >= 0)
		close(ring);
}

static void lose_first_of_three(int fd)
{
	make_ring(true);
	lose_first_thread(fd);
}

/* Not a thread of the kernel's own, even if that was made first. */
static void thread_of_kernel(void **state)
{
	pid_t pid = start(lose_first_of_three), tid;
	char name[64];

	wait_for_first_thread(pid);
	tid = procs_living_thread(pid);
	assert_true(tid > pid);
	procs_comm(tid, name, sizeof(name));
	assert_null(strstr(name, "iou-"));
	end(pid);
}

/* The first thread ends when it is told. */
static void end_first_thread(int fd)
{
	pthread_t thread;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, other_thread, &fd);
	if (!sigwait(&set, &sig))
		syscall(SYS_exit, 0);
}

/* A thread by which move_pages() is asked may end between two questions. */
static void asked_by_thread(void **state)
{
	enum { NR = 40 };
	static char here[NR * 4096] __attribute__((aligned(4096)));
	const struct source *s = &source_move_pages;
	struct source_pages pages = { .addr = (uintptr_t)here, .nr = NR };
	struct source_file *file;
	uint64_t values[NR];
	pid_t pid;

	if (source_lacks(s))
		skip();
	pid = start(end_first_thread);
	assert_int_equal(s->open(s, pid, &file), 0);
	assert_int_equal(s->read(file, &pages, values), NR);
	kill(pid, SIGUSR1);
	wait_for_first_thread(pid);
	assert_int_equal(s->read(file, &pages, values), NR);
	end(pid);
	assert_int_equal(s->read(file, &pages, values), -ESRCH);
	s->close(file);
}

static void exec_when_told(int fd)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (write(fd, "", 1) == 1 && !sigwait(&set, &sig))
		execlp("sleep", "sleep", "1000", NULL);
}

static void exec_is_seen(void **state)
{
	pid_t pid = start(exec_when_told);
	uint64_t before = procs_space(pid);
	char comm[32];

	assert_true(before != 0);
	assert_true(procs_space(pid) == before);
	kill(pid, SIGUSR1);
	do {
		procs_comm(pid, comm, sizeof(comm));
	} while (strcmp(comm, "sleep"));
	assert_true(procs_space(pid) != before);
	end(pid);
}

/* A thread that is there until @ends are closed. */
struct late_thread {
	int ends[2];
	pid_t tid;
};

static void *say_tid(void *arg)
{
	struct late_thread *t = arg;
	char byte;

	t->tid = syscall(SYS_gettid);
	assert_int_equal(write(t->ends[1], "", 1), 1);
	while (read(t->ends[1], &byte, 1) < 0)
		;
	return NULL;
}

/* By whichever thread, also one that is younger than the other process. */
static void who_was_first(void **state)
{
	const struct timespec ticks = { .tv_nsec = 50000000 };
	struct late_thread late;
	pthread_t thread;
	pid_t child;
	char byte;

	nanosleep(&ticks, NULL);
	child = start(wait_here);
	nanosleep(&ticks, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, late.ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, say_tid, &late), 0);
	assert_int_equal(read(late.ends[0], &byte, 1), 1);
	assert_true(procs_started_before(getpid(), child));
	assert_false(procs_started_before(child, getpid()));
	assert_true(procs_started_before(late.tid, child));
	assert_false(procs_started_before(child, late.tid));
	assert_false(procs_started_before(child, child));
	close(late.ends[0]);
	pthread_join(thread, NULL);
	close(late.ends[1]);
	end(child);
	assert_false(procs_started_before(child, getpid()));
	assert_true(procs_started_before(getpid(), child));
}

static void lists(void **state)
{
	struct pids pids = { 0 };
	pid_t self = getpid();
	size_t i;

	assert_int_equal(pids_add_list(&pids, "12,self,7"), 0);
	assert_int_equal(pids.nr, 3);
	assert_int_equal(pids.pid[0], 12);
	assert_int_equal(pids.pid[1], self);
	assert_int_equal(pids.pid[2], 7);
	assert_int_equal(pids_add(&pids, "12"), 0);
	assert_int_equal(pids.nr, 3);
	assert_int_equal(pids_add_list(&pids, ""), -EINVAL);
	assert_int_equal(pids_add_list(&pids, ","), -EINVAL);
	assert_int_equal(pids_add_list(&pids, "1,"), -EINVAL);
	assert_int_equal(pids_add_list(&pids, ",2"), -EINVAL);
	assert_int_equal(pids_add_list(&pids, "3,,4"), -EINVAL);
	assert_int_equal(pids_add_list(&pids, "0"), -EINVAL);
	assert_int_equal(pids_add_list(&pids, "5 6"), -EINVAL);
	pids_free(&pids);

	assert_int_equal(pids_add_all(&pids), 0);
	for (i = 0; i < pids.nr && pids.pid[i] != self; i++)
		assert_true(!i || pids.pid[i - 1] < pids.pid[i]);
	assert_true(i < pids.nr);
	pids_free(&pids);
}

static int wait_for_end(void *arg)
{
	for (;;)
		pause();
	return 0;
}

/* A child with our memory, as after vfork(); with a copy, as after fork(). */
static void address_spaces(void **state)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct spaces spaces = { 0 };
	pid_t same, copy;

	if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0))
		skip();
	same = clone(wait_for_end, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		     NULL);
	/* QEMU makes threads and copies only when it emulates user space. */
	if (same < 0 && errno == EINVAL)
		skip();
	assert_true(same > 0);
	copy = fork();
	if (!copy)
		_exit(wait_for_end(NULL));
	assert_true(copy > 0);
	/* Its auxiliary vector is ours, too: kcmp() decides. */
	assert_true(procs_space(copy) == procs_space(getpid()));
	assert_int_equal(spaces_add(&spaces, same), 0);
	assert_int_equal(spaces_add(&spaces, copy), 0);
	assert_int_equal(spaces_add(&spaces, getpid()), same);
	assert_int_equal(spaces_add(&spaces, copy), copy);
	assert_true(space_may_be_shared(same));
	assert_false(space_may_be_shared(copy));
	end(same);
	assert_false(space_may_be_shared(getpid()));
	/* What was seen is no more. */
	assert_int_equal(spaces_add(&spaces, getpid()), 0);
	end(copy);
	spaces_free(&spaces);
}

/* Copies of one process have all the same auxiliary vector. */
static void many_copies(void **state)
{
	enum { COPIES = 9 };
	struct spaces spaces = { 0 };
	pid_t copy[COPIES];

	if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0))
		skip();
	for (int i = 0; i < COPIES; i++) {
		copy[i] = fork();
		if (!copy[i])
			_exit(wait_for_end(NULL));
		assert_true(copy[i] > 0);
		if (i < COPIES - 1)
			assert_int_equal(spaces_add(&spaces, copy[i]), 0);
	}
	for (int i = COPIES - 2; i >= 0; i--)
		assert_int_equal(spaces_add(&spaces, copy[i]), copy[i]);
	/* The others are found nevertheless. */
	for (int i = 0; i < COPIES - 2; i += 2)
		end(copy[i]);
	assert_int_equal(spaces_add(&spaces, copy[COPIES - 1]), 0);
	for (int i = 1; i < COPIES; i += 2)
		assert_int_equal(spaces_add(&spaces, copy[i]), copy[i]);
	assert_int_equal(spaces_add(&spaces, copy[COPIES - 1]), copy[COPIES - 1]);
	for (int i = 1; i < COPIES; i += 2)
		end(copy[i]);
	end(copy[COPIES - 1]);
	spaces_free(&spaces);
}

static void *say_and_wait(void *arg)
{
	const int *fds = arg;
	pid_t tid = syscall(SYS_gettid);
	char byte;

	return write(fds[1], &tid, sizeof(tid)) == sizeof(tid) &&
	       !read(fds[2], &byte, 1) ? arg : NULL;
}

/* A process is one however often it is named, and by whichever thread. */
static void threads(void **state)
{
	struct pids pids = { 0 };
	char word[16];
	int fds[4];
	pthread_t thread;
	pid_t tid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(fds + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, say_and_wait, fds), 0);
	assert_int_equal(read(fds[0], &tid, sizeof(tid)), sizeof(tid));
	assert_true(tid != getpid());
	assert_true(procs_same(tid, getpid()));
	assert_true(procs_same(getpid(), tid));
	assert_false(procs_same(getpid(), getppid()));
	assert_false(procs_same(NOBODY, getpid()));
	snprintf(word, sizeof(word), "%d", (int)tid);
	assert_int_equal(pids_add(&pids, "self"), 0);
	assert_int_equal(pids_add(&pids, word), 0);
	assert_int_equal(pids.nr, 1);
	pids_free(&pids);
	close(fds[3]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* Any byte may be in a name; printing it is the business of others. */
static void names(void **state)
{
	static const char *const given[] = {
		"a\nb", "\n", "a\n", "", "\033[31m", "fifteen bytes..", "\xff",
	};
	char comm[32];

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		assert_int_equal(prctl(PR_SET_NAME, given[i]), 0);
		procs_comm(getpid(), comm, sizeof(comm));
		assert_string_equal(comm, given[i]);
	}
	prctl(PR_SET_NAME, "run");
	procs_comm(getpid(), comm, 3);
	assert_string_equal(comm, "ru");
	procs_comm(NOBODY, comm, sizeof(comm));
	assert_string_equal(comm, "");
}

static FILE *text(const char *status)
{
	return fmemopen((char *)status, strlen(status), "r");
}

/* Of a thread that wasn't switched in, both counters stay the same. */
static void asleep(void **state)
{
	static const struct {
		const char *status;
		bool asleep;
		uint64_t switches;
	} cases[] = {
		{ "Name:\tx\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t7\n"
		  "nonvoluntary_ctxt_switches:\t5\n", true, 12 },
		{ "State:\tt (tracing stop)\nvoluntary_ctxt_switches:\t1\n"
		  "nonvoluntary_ctxt_switches:\t0\n", true, 1 },
		/* A parent that waits in vfork() while its child runs. */
		{ "State:\tD (disk sleep)\nvoluntary_ctxt_switches:\t1\n"
		  "nonvoluntary_ctxt_switches:\t0\n", false, 1 },
		{ "State:\tR (running)\nvoluntary_ctxt_switches:\t1\n"
		  "nonvoluntary_ctxt_switches:\t2\n", false, 3 },
		{ "State:\tS (sleeping)\n", false, 0 },
		{ "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n",
		  false, 1 },
	};
	uint64_t switches;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *status = text(cases[i].status);

		assert_int_equal(procs_parse_asleep(status, &switches),
				 cases[i].asleep);
		assert_int_equal(switches, cases[i].switches);
		fclose(status);
	}
	/* Who reads this runs. */
	assert_int_equal(procs_asleep(getpid()), 0);
}

#define FOLDER	"a-folder-whose-name-makes-those-of-files-in-it-longer"
#define DEPTH	(PATH_MAX / (sizeof(FOLDER) - 1) + 1)

/* Closes @dir. */
static int enter(int dir, const char *name)
{
	int next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(next >= 0);
	close(dir);
	return next;
}

/* A file whose name is longer than PATH_MAX; it is removed at once. */
static int open_far_down(void)
{
	char top[] = "/tmp/ptwalk-tests-XXXXXX";
	int dir, file;

	assert_non_null(mkdtemp(top));
	dir = enter(open("/", O_RDONLY | O_CLOEXEC), top);
	for (size_t i = 0; i < DEPTH; i++) {
		assert_int_equal(mkdirat(dir, FOLDER, 0700), 0);
		dir = enter(dir, FOLDER);
	}
	file = openat(dir, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	assert_int_equal(unlinkat(dir, "file", 0), 0);
	for (size_t i = 0; i < DEPTH; i++) {
		dir = enter(dir, "..");
		assert_int_equal(unlinkat(dir, FOLDER, AT_REMOVEDIR), 0);
	}
	close(dir);
	assert_int_equal(rmdir(top), 0);
	return file;
}

/* There is no reading the target of such a link. */
static void name_too_long(void **state)
{
	size_t size = sysconf(_SC_PAGESIZE), nr = 0;
	int file = open_far_down(), err;
	char *line = NULL;
	FILE *stream;
	void *mem;

	assert_int_equal(ftruncate(file, size), 0);
	mem = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
	assert_ptr_not_equal(mem, MAP_FAILED);
	stream = map_files_fopen(getpid(), &err);
	assert_int_equal(err, 0);
	for (size_t max = 0; getline(&line, &max, stream) > 0;)
		nr += !strcmp(strrchr(line, ' '), " ?\n");
	assert_int_equal(nr, 1);
	free(line);
	fclose(stream);
	munmap(mem, size);
	close(file);
}

/* Each switch makes it another number, which is never 0. */
static void each_sleep(void **state)
{
	for (uint64_t i = 0; i < 16; i++) {
		uint64_t one = procs_add_asleep(1, 7, i);

		assert_int_equal(one % 2, 1);
		assert_int_equal(procs_add_asleep(one, 8, 0) % 2, 1);
		assert_true(one != procs_add_asleep(1, 7, i + 1));
		assert_true(one != procs_add_asleep(1, 8, i));
		assert_true(procs_add_asleep(one, 8, i) !=
			    procs_add_asleep(one, 8, i + 1));
	}
}

static void newest(void **state)
{
	const pid_t before = procs_newest();
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(before > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_not_equal(procs_newest(), before);
}

SUITE(suite_procs, cmocka_unit_test(asleep),
	cmocka_unit_test(each_sleep),
	cmocka_unit_test(newest),
	cmocka_unit_test(names),
	cmocka_unit_test(threads),
	cmocka_unit_test(stat_lines),
	cmocka_unit_test(started_lines),
	cmocka_unit_test(who_was_first),
	cmocka_unit_test(namespaces),
	cmocka_unit_test(mounts),
	cmocka_unit_test(states),
	cmocka_unit_test(without_first_thread),
	cmocka_unit_test(thread_of_kernel),
	cmocka_unit_test(name_too_long),
	cmocka_unit_test(asked_by_thread),
	cmocka_unit_test(exec_is_seen),
	cmocka_unit_test(lists), cmocka_unit_test(address_spaces), cmocka_unit_test(many_copies),
);
