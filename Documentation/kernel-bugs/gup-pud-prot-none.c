// SPDX-License-Identifier: GPL-2.0
/*
 * PTRACE_PEEKDATA of a hugetlb page of 1 GiB in PROT_NONE; see gup-pud-prot-none.txt.
 * x86-64, with hugepagesz=1G hugepages=1. Exits with 1 if it doesn't end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIB	(1UL << 30)
#define SECONDS	10

static int debug(char *at)
{
	pid_t target = fork();
	int status;
	long word;

	if (!target) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	if (target < 0 || waitpid(target, &status, 0) != target || !WIFSTOPPED(status))
		return 2;
	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, target, at, NULL);
	printf("it has ended: %ld (%s)\n", word, strerror(errno));
	return 0;
}

int main(void)
{
	char *at = mmap(NULL, GIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 30 << MAP_HUGE_SHIFT, -1, 0);
	int status, i;
	pid_t debugger;

	if (at == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	*at = 1;
	if (mprotect(at, GIB, PROT_NONE)) {
		perror("mprotect");
		return 2;
	}
	debugger = fork();
	if (!debugger) {
		i = debug(at);
		fflush(stdout);
		_exit(i);
	}
	for (i = 0; i < SECONDS * 10; i++) {
		if (waitpid(debugger, &status, WNOHANG) == debugger)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
		usleep(100000);
	}
	puts("it doesn't end");
	kill(debugger, SIGKILL);
	waitpid(debugger, NULL, 0);
	return 1;
}
