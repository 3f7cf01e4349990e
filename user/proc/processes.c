// SPDX-License-Identifier: GPL-2.0
/* The processes of /proc, and why one may not be seen. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/error.h"
#include "base/folder.h"
#include "base/lines.h"
#include "base/text.h"
#include "proc/pids.h"
#include "proc/processes.h"

/* include/linux/sched.h */
#define PF_EXITING	0x00000004
#define PF_IO_WORKER	0x00000010
#define PF_USER_WORKER	0x00004000	/* from Linux 6.4 on; nothing else's before */
#define PF_KTHREAD	0x00200000

/* A thread that exits while one of its files is opened is replaced by another. */
#define OPEN_TRIES	16

/* More of them aren't looked at one by one: some will be running. */
#define ASLEEP_THREADS	256

#define PATH		64

const char *const procs_state_text[NR_PROCS_STATES] = {
	[PROCS_NONE] = "no such process",
	[PROCS_HIDDEN] = "/proc doesn't show it (hidepid): that takes CAP_SYS_PTRACE",
	[PROCS_KERNEL] = "a kernel thread has no address space",
	[PROCS_ENDED] = "it has exited and has no address space",
};

bool procs_parse_stat(const char *line, char *state, unsigned int *flags)
{
	/* The name in parentheses may hold anything. */
	const char *p = strrchr(line, ')');

	return p && sscanf(p + 1, " %c %*d %*d %*d %*d %*d %u", state,
			   flags) == 2;
}

bool procs_parse_started(const char *line, uint64_t *ticks)
{
	const char *p = strrchr(line, ')');
	unsigned long long started;

	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			 &started) != 1)
		return false;
	*ticks = started;
	return true;
}

/* Returns 0 or a negative errno. */
static int read_stat(const char *path, char *state, unsigned int *flags)
{
	char line[1024];
	ssize_t n = text_of(path, line, sizeof(line));

	if (n < 0)
		return n;
	return procs_parse_stat(line, state, flags) ? 0 : -EINVAL;
}

/* Or is about to end: it may have no memory before it is a zombie. */
static bool is_ending(char state, unsigned int flags)
{
	return state == 'Z' || state == 'X' || state == 'x' ||
	       flags & PF_EXITING;
}

static bool is_living(pid_t pid, pid_t tid, unsigned int *flags)
{
	char path[PATH], state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid,
		 (int)tid);
	return !read_stat(path, &state, flags) && !is_ending(state, *flags);
}

bool procs_thread_lives(pid_t pid, pid_t tid)
{
	unsigned int flags;

	return is_living(pid, tid, &flags);
}

/* One that the kernel has made needn't have the descriptors: KVM's and vhost's don't. */
static int take_living(const char *name, void *arg)
{
	pid_t pid = *(pid_t *)arg, tid = atoi(name);
	unsigned int flags;

	return tid > 0 && is_living(pid, tid, &flags) &&
	       !(flags & (PF_IO_WORKER | PF_USER_WORKER)) ? tid : 0;
}

pid_t procs_living_thread(pid_t pid)
{
	char path[PATH];
	int found;

	if (procs_thread_lives(pid, pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	found = folder_each(path, take_living, &pid);
	return found == -ENOENT || found == -ESRCH ? 0 : found;
}

bool procs_stopped(pid_t pid)
{
	unsigned int flags;
	char path[PATH], state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return !read_stat(path, &state, &flags) && state == 'T';
}

pid_t procs_newest(void)
{
	char loads[128];
	int newest;

	text_of("/proc/loadavg", loads, sizeof(loads));
	return sscanf(loads, "%*s %*s %*s %*s %d", &newest) == 1 ? newest : -1;
}

static int take_tracer(char *line, void *arg)
{
	return sscanf(line, "TracerPid: %d", (int *)arg) == 1;
}

pid_t procs_tracer(pid_t pid, pid_t tid)
{
	char path[PATH];
	int tracer = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid,
		 (int)tid);
	lines_in(path, take_tracer, &tracer);
	return tracer;
}

enum procs_state procs_state(pid_t pid)
{
	unsigned int flags;
	char path[PATH], state;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	err = read_stat(path, &state, &flags);
	if (err == -ENOENT || err == -ESRCH)
		return kill(pid, 0) && errno == ESRCH ? PROCS_NONE :
							PROCS_HIDDEN;
	if (err)
		return PROCS_THERE;	/* the next file tells what is wrong */
	if (flags & PF_KTHREAD)
		return PROCS_KERNEL;
	return !is_ending(state, flags) || procs_living_thread(pid) ? PROCS_THERE :
								PROCS_ENDED;
}

int procs_look(pid_t pid)
{
	const char *why = procs_state_text[procs_state(pid)];

	return why ? error_set(-ESRCH, "process %d: %s", (int)pid, why) : 0;
}

int procs_open(pid_t pid, const char *file)
{
	char path[PATH];
	int fd, tries;
	pid_t tid;

	/* The first thread, if it is still there now, was so before. */
	for (tries = 0, tid = pid;; tries++, tid = procs_living_thread(pid)) {
		if (tid < 0)
			return tid;
		/* What task/TID lacks, as map_files, the folder of a thread's own has. */
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)(tid ? tid : pid), file);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		if (!tid || tries == OPEN_TRIES || procs_thread_lives(pid, tid))
			return fd;
		if (fd >= 0)
			close(fd);
	}
}

FILE *procs_fopen(pid_t pid, const char *file, int *err)
{
	int fd = procs_open(pid, file);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	*err = fd < 0 ? fd : stream ? 0 : -errno;
	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

/*
 * ESRCH is what files of an address space say that is no more, be it by exit
 * or by exec; others fail in ways of their own when the process is gone.
 */
bool procs_gone(pid_t pid, int err)
{
	enum procs_state state;

	if (err == -ESRCH)
		return true;
	state = procs_state(pid);
	return state == PROCS_NONE || state == PROCS_ENDED;
}

bool procs_same(pid_t a, pid_t b)
{
	char path[PATH];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)a, (int)b);
	return a == b || !access(path, F_OK);
}

static int take_tgid(char *line, void *arg)
{
	return sscanf(line, "Tgid: %d", (int *)arg) == 1;
}

/* Of thread @tid the number of the process, in *@pid, and when that was started. */
static bool started(pid_t tid, int *pid, uint64_t *ticks)
{
	char path[PATH], line[1024];

	*pid = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	lines_in(path, take_tgid, pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", *pid);
	return *pid && text_of(path, line, sizeof(line)) > 0 && procs_parse_started(line, ticks);
}

bool procs_started_before(pid_t a, pid_t b)
{
	uint64_t ticks_a, ticks_b;
	int pid_a, pid_b;

	if (!started(a, &pid_a, &ticks_a))
		return false;
	if (!started(b, &pid_b, &ticks_b))
		return true;
	return ticks_a != ticks_b ? ticks_a < ticks_b : pid_a < pid_b;
}

void procs_comm(pid_t pid, char *buf, size_t size)
{
	char path[PATH];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	n = text_of(path, buf, size);
	/* The last newline is the file's; others are in the name. */
	if (n > 0 && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
}

/* Reads @fd, and closes it; @fd may be negative. */
static ssize_t read_all(int fd, void *buf, size_t size)
{
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size);

	if (fd >= 0)
		close(fd);
	return n;
}

uint64_t procs_space_of(pid_t pid, pid_t *tid)
{
	unsigned char auxv[4096];
	uint64_t hash = 0xcbf29ce484222325;	/* FNV-1a */
	char path[PATH];
	ssize_t n, i;

	/* If the first thread has exited, its file is empty: then take another's. */
	*tid = pid;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	n = read_all(open(path, O_RDONLY | O_CLOEXEC), auxv, sizeof(auxv));
	if (n <= 0) {
		*tid = procs_living_thread(pid);
		n = read_all(procs_open(pid, "auxv"), auxv, sizeof(auxv));
	}
	for (i = 0; i < n; i++)
		hash = (hash ^ auxv[i]) * 0x100000001b3;
	return n > 0 ? hash : 0;
}

uint64_t procs_space(pid_t pid)
{
	pid_t tid;

	return procs_space_of(pid, &tid);
}

/**
 * struct sleep - a status being read
 * @state: A letter.
 * @switches: Voluntary ones, and involuntary, in @counters lines.
 */
struct sleep {
	char state;
	unsigned long long switches[2];
	int counters;
};

static int take_switches(char *line, void *arg)
{
	struct sleep *s = arg;

	if (!strchr("Svn", *line))
		return 0;
	sscanf(line, "State: %c", &s->state);
	s->counters += sscanf(line, "voluntary_ctxt_switches: %llu",
			      &s->switches[0]) == 1;
	s->counters += sscanf(line, "nonvoluntary_ctxt_switches: %llu",
			      &s->switches[1]) == 1;
	return 0;
}

static bool is_asleep(const struct sleep *s)
{
	return s->counters == 2 && s->state && strchr("STtZX", s->state);
}

bool procs_parse_asleep(FILE *status, uint64_t *switches)
{
	struct sleep s = { 0 };
	int err = lines_each(status, take_switches, &s, NULL);

	*switches = s.switches[0] + s.switches[1];
	return !err && is_asleep(&s);
}

uint64_t procs_add_asleep(uint64_t sum, pid_t tid, uint64_t switches)
{
	return (sum ^ (uint64_t)tid << 1) * 0x100000001b3 + 2 * switches;
}

/* Of one thread; false if it may be running. */
static bool add_asleep(pid_t pid, pid_t tid, uint64_t *sum)
{
	struct sleep s = { 0 };
	char path[PATH];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid,
		 (int)tid);
	err = lines_in(path, take_switches, &s);
	*sum = procs_add_asleep(*sum, tid, s.switches[0] + s.switches[1]);
	return !err && is_asleep(&s);
}

uint64_t procs_asleep(pid_t pid)
{
	struct pids threads = { 0 };
	uint64_t sum = 1;
	bool asleep;
	size_t i;

	asleep = !pids_add_threads(&threads, pid) && threads.nr &&
		 threads.nr <= ASLEEP_THREADS;
	for (i = 0; asleep && i < threads.nr; i++)
		asleep = add_asleep(pid, threads.pid[i], &sum);
	pids_free(&threads);
	return asleep ? sum : 0;
}

/* In the first namespace a process has one number. */
static int take_nspid(char *line, void *arg)
{
	int first, second, nr;

	nr = *line == 'N' ? sscanf(line, "NSpid: %d %d", &first, &second) : 0;
	*(bool *)arg = nr < 2;
	return nr >= 1;
}

int procs_parse_nspid(FILE *status, bool *one)
{
	int ret;

	*one = true;	/* a kernel without PID namespaces */
	ret = lines_each(status, take_nspid, one, NULL);
	return ret < 0 ? ret : 0;
}

/* The PID that /proc has for us, by a link that an outsider doesn't find. */
static bool same_namespace(void)
{
	char link[16], own[16];
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);
	bool same = true;

	if (n < 0)
		return false;
	link[n] = '\0';
	snprintf(own, sizeof(own), "%d", (int)getpid());
	if (strcmp(link, own))
		return false;
	/* Numbers may be equal by chance. */
	lines_in("/proc/self/status", take_nspid, &same);
	return same;
}

int procs_ready(void)
{
	struct statfs fs;

	if (statfs("/proc", &fs) || (unsigned long)fs.f_type != PROC_SUPER_MAGIC)
		return error_set(-ENOENT,
				 "there is no /proc here: mount it (mount -t proc proc /proc)");
	if (!same_namespace())
		return error_set(-EXDEV,
				 "/proc is that of another PID namespace, in which numbers mean other processes: mount one of our own (as `unshare --mount-proc` does), or run ptwalk where that /proc belongs");
	return 0;
}

/* @options is a list with commas; returns what follows @name and "=", or NULL. */
static const char *option(const char *options, const char *name)
{
	size_t len = strlen(name);

	for (; *options; options += strcspn(options, ","),
	     options += *options == ',')
		if (!strncmp(options, name, len) && options[len] == '=')
			return options + len + 1;
	return NULL;
}

static bool is_one_of(const char *value, const char *word, const char *number)
{
	size_t len = strcspn(value, ",\n");

	return (strlen(word) == len && !strncmp(value, word, len)) ||
	       (strlen(number) == len && !strncmp(value, number, len));
}

/* The last mount on a place is the one that is seen. */
static int take_proc_mount(char *line, void *arg)
{
	struct procs_mount *mount = arg;
	char *p = strstr(line, " - "), where[16], type[16];
	const char *value;
	int at = 0;

	if (sscanf(line, "%*d %*d %*s %*s %15s", where) != 1 ||
	    strcmp(where, "/proc") || !p ||
	    sscanf(p, " - %15s %*s %n", type, &at) != 1 || !at)
		return 0;
	memset(mount, 0, sizeof(*mount));
	value = strcmp(type, "proc") ? NULL : option(p + at, "hidepid");
	if (!value)
		return 0;
	mount->strict = is_one_of(value, "ptraceable", "4");
	mount->hides = mount->strict || is_one_of(value, "invisible", "2");
	value = option(p + at, "gid");
	mount->gid = value ? strtoul(value, NULL, 10) : 0;
	return 0;
}

int procs_parse_mount(FILE *mountinfo, struct procs_mount *mount)
{
	memset(mount, 0, sizeof(*mount));
	return lines_each(mountinfo, take_proc_mount, mount, NULL);
}

static bool in_group(gid_t gid)
{
	gid_t groups[1024];
	int nr = getgroups(1024, groups);

	if (getegid() == gid)
		return true;
	while (nr-- > 0)
		if (groups[nr] == gid)
			return true;
	return false;
}

static bool may_trace(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];

	return !syscall(SYS_capget, &header, caps) &&
	       caps[0].effective & 1U << CAP_SYS_PTRACE;
}

const char *procs_hidden(void)
{
	struct procs_mount mount = { 0 };
	int err = lines_in("/proc/self/mountinfo", take_proc_mount, &mount);

	if (err && err != -ENOENT)
		return "whether /proc shows all processes isn't known: /proc/self/mountinfo can't be read";
	if (!mount.hides || may_trace() ||
	    (!mount.strict && in_group(mount.gid)))
		return NULL;
	return "/proc shows only some of the processes (hidepid): all of them take CAP_SYS_PTRACE";
}
