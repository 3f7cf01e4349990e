// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "stepped.h"

#define SYSCALL_STOP	(SIGTRAP | 0x80)	/* by PTRACE_O_TRACESYSGOOD */
#define OPTIONS		(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)

/* On the CPU at hand; children inherit that. */
static void stay(struct stepped *s)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	sched_getaffinity(0, sizeof(s->cpus), &s->cpus);
	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void leave(struct stepped *s)
{
	sched_setaffinity(0, sizeof(s->cpus), &s->cpus);
}

int stepped_start(struct stepped *s, const char *const *argv)
{
	int status;

	*s = (struct stepped){ .out = memfd_create("output", MFD_CLOEXEC) };
	stay(s);
	s->pid = fork();
	if (!s->pid) {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		dup2(null, 0);
		dup2(s->out, 1);
		dup2(s->out, 2);
		exec_without_aslr();
		if (!ptrace(PTRACE_TRACEME, 0, 0, 0))
			execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (s->pid < 0)
		return -errno;
	/* exec stops it. */
	if (waitpid(s->pid, &status, 0) != s->pid || !WIFSTOPPED(status))
		return -ECHILD;
	return ptrace(PTRACE_SETOPTIONS, s->pid, 0, OPTIONS) ? -errno : 0;
}

static void ended(struct stepped *s, int status, struct output *out)
{
	ssize_t n = pread(s->out, out->text, sizeof(out->text) - 1, 0);

	out->text[n > 0 ? n : 0] = '\0';
	out->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					  128 + WTERMSIG(status);
	close(s->out);
	s->pid = 0;
	leave(s);
}

/* The child that it has just made is stopped, and traced as it is. */
static bool let_go_of_child(struct stepped *s)
{
	unsigned long child;
	int status;

	return !ptrace(PTRACE_GETEVENTMSG, s->pid, 0, &child) &&
	       waitpid(child, &status, __WALL) == (pid_t)child &&
	       !ptrace(PTRACE_DETACH, child, 0, 0) &&
	       !ptrace(PTRACE_SETOPTIONS, s->pid, 0, OPTIONS);
}

bool stepped_to_child(struct stepped *s, struct output *out)
{
	int status, sig = 0;

	ptrace(PTRACE_SETOPTIONS, s->pid, 0, OPTIONS | PTRACE_O_TRACEFORK);
	for (;;) {
		ptrace(PTRACE_CONT, s->pid, 0, sig);
		if (waitpid(s->pid, &status, 0) != s->pid)
			return false;
		if (!WIFSTOPPED(status)) {
			ended(s, status, out);
			return false;
		}
		if (status >> 16 == PTRACE_EVENT_FORK)
			return let_go_of_child(s);
		sig = WSTOPSIG(status);
	}
}

bool stepped_step(struct stepped *s, struct output *out)
{
	int status, sig = 0;

	for (;;) {
		ptrace(PTRACE_SYSCALL, s->pid, 0, sig);
		if (waitpid(s->pid, &status, 0) != s->pid)
			return false;
		if (!WIFSTOPPED(status)) {
			ended(s, status, out);
			return false;
		}
		sig = WSTOPSIG(status);
		if (sig == SYSCALL_STOP) {
			s->steps++;
			return true;
		}
	}
}

void stepped_release(struct stepped *s, int sig)
{
	leave(s);
	sched_setaffinity(s->pid, sizeof(s->cpus), &s->cpus);
	if (sig)
		kill(s->pid, sig);
	ptrace(PTRACE_DETACH, s->pid, 0, 0);
}

void stepped_finish(struct stepped *s, struct output *out)
{
	int status;

	if (s->pid > 0 && waitpid(s->pid, &status, 0) == s->pid)
		ended(s, status, out);
}
