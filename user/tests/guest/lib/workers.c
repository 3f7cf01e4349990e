// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "proc.h"
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

static void *last_thread(void *arg)
{
	pause();
	return NULL;
}

/* By the system call, as pthread_exit() wants a library that isn't everywhere. */
pid_t worker_without_first_thread(bool (*first)(void *arg), void *arg)
{
	char path[64], text[64];
	pthread_t thread;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if ((first && !first(arg)) || pthread_create(&thread, NULL, last_thread, NULL))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	while (!proc_read(path, text, sizeof(text)) && text[0])
		usleep(10000);
	return pid;
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
