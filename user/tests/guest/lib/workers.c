// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "system.h"
#include "workers.h"

pid_t worker_start(void (*work)(u32 *seed), u32 seed)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(3);
	}
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	work(&seed);
	_exit(0);
}

pid_t worker_copies(void *at, size_t size)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	memset(at, 3, size);
	pause();
	_exit(0);
}

bool worker_ends(pid_t pid, double end, const char *what)
{
	int status = 0;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (seconds_now() >= end + WORKER_LATE) {
			printf("# wrong: %s did not end in %d s\n", what, WORKER_LATE);
			process_end(pid);
			return false;
		}
		usleep(50000);
	}
	return !status;
}

void worker_count(unsigned long *figure, unsigned long by)
{
	__atomic_add_fetch(figure, by, __ATOMIC_RELAXED);
}
