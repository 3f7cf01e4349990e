// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "proc.h"
#include "system.h"

/*
 * Whether the programs' static data hold a whole aligned 2 MiB depends on where
 * they were loaded. A THP there would be shared with each child, and show
 * bugs of the kernel in tests of something else.
 */
static void __attribute__((constructor)) keep_own_data_small(void)
{
	extern char __bss_start[], _end[];
	uintptr_t mask = sysconf(_SC_PAGESIZE) - 1;
	uintptr_t start = ((uintptr_t)__bss_start + mask) & ~mask;
	uintptr_t end = ((uintptr_t)_end + mask) & ~mask;

	if (start < end)
		madvise((void *)start, end - start, MADV_NOHUGEPAGE);
}

int target_start(struct target *t, void (*step)(void *arg, int nr), void *arg)
{
	int to[2], from[2], nr;
	pid_t parent = getpid();
	char byte = 0;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -errno;
	t->pid = fork();
	if (t->pid < 0)
		return -errno;
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(to[1]);
		close(from[0]);
		for (nr = 0;; nr++) {
			step(arg, nr);
			if (write(from[1], &byte, 1) != 1 || read(to[0], &byte, 1) != 1)
				_exit(0);
		}
	}
	close(to[0]);
	close(from[1]);
	t->in = to[1];
	t->out = from[0];
	return read(t->out, &byte, 1) == 1 ? 0 : -ECHILD;
}

int target_step(struct target *t)
{
	char byte = 0;

	if (write(t->in, &byte, 1) != 1 || read(t->out, &byte, 1) != 1)
		return -ECHILD;
	return 0;
}

void process_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void target_end(struct target *t)
{
	if (t->pid <= 0)
		return;
	process_end(t->pid);
	close(t->in);
	close(t->out);
	t->pid = 0;
}

void exec_without_aslr(void)
{
	long persona = syscall(SYS_personality, 0xffffffffUL);

	if (persona >= 0)
		syscall(SYS_personality, persona | ADDR_NO_RANDOMIZE);
}

struct spawn {
	const char *const *argv;
	uid_t uid;
	int out;
	int null;
};

/*
 * The first thing that the new process does, in the memory of the old one,
 * which waits meanwhile. The raw system calls leave libc's state alone.
 */
static int child(void *arg)
{
	const struct spawn *s = arg;

	if (s->uid && (syscall(SYS_setgroups, 0, NULL) ||
		       syscall(SYS_setresgid, s->uid, s->uid, s->uid) ||
		       syscall(SYS_setresuid, s->uid, s->uid, s->uid)))
		_exit(126);
	dup2(s->null, 0);
	dup2(s->out, 1);
	dup2(s->out, 2);
	exec_without_aslr();
	execvp(s->argv[0], (char *const *)s->argv);
	_exit(127);
}

void run_as(struct output *out, uid_t uid, const char *const *argv)
{
	const size_t stack_size = 256 * 1024;
	struct spawn spawn = { .argv = argv, .uid = uid };
	struct rusage usage;
	ssize_t n = 0;
	char *stack;
	int status;
	pid_t pid;

	out->status = -1;
	out->text[0] = '\0';
	spawn.out = memfd_create("output", MFD_CLOEXEC);
	spawn.null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (spawn.out < 0 || spawn.null < 0 || stack == MAP_FAILED)
		return;
	/* On arm, syscall() reads above the arguments that it is given. */
	pid = clone(child, stack + stack_size - 256, CLONE_VM | CLONE_VFORK | SIGCHLD,
		    &spawn);
	if (pid > 0 && wait4(pid, &status, 0, &usage) == pid) {
		out->peak = usage.ru_maxrss;
		out->status = WIFEXITED(status) ? WEXITSTATUS(status) :
						  128 + WTERMSIG(status);
		n = pread(spawn.out, out->text, sizeof(out->text) - 1, 0);
	}
	out->text[n > 0 ? n : 0] = '\0';
	munmap(stack, stack_size);
	close(spawn.out);
	close(spawn.null);
}

bool kernel_since(unsigned int major, unsigned int minor)
{
	struct utsname name;
	unsigned int x, y;

	return !uname(&name) && sscanf(name.release, "%u.%u", &x, &y) == 2 &&
	       (x > major || (x == major && y >= minor));
}

static bool is_32_bit_x86(void)
{
	struct utsname name;

	return !uname(&name) && name.machine[0] == 'i' && !strcmp(name.machine + 2, "86");
}

bool processor_can_forbid_execution(void)
{
	bool is_x86 = is_32_bit_x86(), can = false;
	char line[4096];
	FILE *f;

#ifdef __x86_64__
	is_x86 = true;
#endif
	if (!is_x86)
		return true;
	f = fopen("/proc/cpuinfo", "re");
	while (f && !can && fgets(line, sizeof(line), f))
		can = !strncmp(line, "flags", 5) && strstr(line, " nx ");
	if (f)
		fclose(f);
	return can;
}

bool kernel_forbids_execution(void)
{
	return processor_can_forbid_execution() && !is_32_bit_x86();
}

/* Where make kselftest-install puts it: beside the program. */
static bool module_beside(const char *name, char *path, size_t size)
{
	char program[256];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program));
	char *slash = n > 0 ? memrchr(program, '/', n) : NULL;

	if (!slash)
		return false;
	snprintf(path, size, "%.*s/modules/%s.ko", (int)(slash - program), program, name);
	return !access(path, F_OK);
}

bool module_is_beside(const char *name)
{
	char path[512];

	return module_beside(name, path, sizeof(path));
}

static void module_path(const char *name, char *path, size_t size)
{
	struct utsname uts;

	if (module_beside(name, path, size))
		return;
	uname(&uts);
	snprintf(path, size, "/lib/modules/%s/extra/%s.ko", uts.release, name);
	if (access(path, F_OK))
		snprintf(path, size, "/lib/modules/%s/kernel/mm/ptwalk/%s.ko",
			 uts.release, name);
}

/* As modprobe does: those that the kernel's command line has for the module. */
static void module_params(const char *name, char *params, size_t size)
{
	size_t length = strlen(name), used = 0;
	char line[4096], *save = NULL, *word;
	ssize_t n;
	int fd;

	params[0] = '\0';
	fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	for (word = strtok_r(line, "\n ", &save); word;
	     word = strtok_r(NULL, "\n ", &save))
		if (!strncmp(word, name, length) && word[length] == '.' &&
		    used + strlen(word) < size)
			used += sprintf(params + used, "%s ", word + length + 1);
}

int module_load_with(const char *name, const char *params)
{
	static struct output out;
	char path[512];
	int fd, err = 0;

	module_path(name, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		run(&out, "modprobe", name);
		return out.status ? -ENOENT : 0;
	}
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

int module_load(const char *name)
{
	char params[1024];

	module_params(name, params, sizeof(params));
	return module_load_with(name, params);
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

bool module_file_has(const char *name, const char *text)
{
	char path[512];
	struct stat st;
	bool has = false;
	void *at;
	int fd;

	module_path(name, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st)) {
		at = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			has = memmem(at, st.st_size, text, strlen(text));
			munmap(at, st.st_size);
		}
	}
	close(fd);
	return has;
}

int module_references(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	return proc_number(path);
}

int module_settles(const char *name, int wanted)
{
	int tries, now = module_references(name);

	for (tries = 0; tries < 3000 && now > wanted; tries++) {
		usleep(10000);
		now = module_references(name);
	}
	return now;
}

void stay_on_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu < 0 ? 0 : cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

bool module_loaded(const char *name)
{
	return module_references(name) >= 0;
}

bool module_file_exists(const char *name)
{
	char path[512];

	module_path(name, path, sizeof(path));
	return !access(path, F_OK);
}

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
