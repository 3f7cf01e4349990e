// SPDX-License-Identifier: GPL-2.0
/*
 * ftruncate() of a file in memory to a page inside a huge page that is swapped out; see
 * shmem-truncate-swap.txt. Needs swap, and shmem_enabled (of transparent_hugepage) of
 * "advise". Exits with 1 if it doesn't end, and nothing ends that process, or if what was
 * behind the new end isn't gone.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE	(2UL << 20)
#define SECONDS	10

static int truncate_inside(void)
{
	const int fd = memfd_create("file", 0);
	char *at;

	if (fd < 0 || ftruncate(fd, SIZE))
		return 2;
	at = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at += -(unsigned long)at % SIZE;
	if (mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != at ||
	    madvise(at, SIZE, MADV_HUGEPAGE))
		return 2;
	at[0] = 1;
	at[SIZE / 2] = 2;
	if (madvise(at, SIZE, MADV_PAGEOUT) || ftruncate(fd, SIZE / 2) || ftruncate(fd, SIZE))
		return 2;
	printf("it has ended; what was behind the end is %s\n", at[SIZE / 2] ? "there" : "gone");
	return at[0] != 1 || at[SIZE / 2];
}

int main(void)
{
	const pid_t pid = fork();
	int status, i;

	if (!pid) {
		i = truncate_inside();
		fflush(stdout);
		_exit(i);
	}
	for (i = 0; i < SECONDS * 10; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
		usleep(100000);
	}
	kill(pid, SIGKILL);
	sleep(1);
	printf("it doesn't end%s\n", waitpid(pid, &status, WNOHANG) ? "" : ", not even by SIGKILL");
	return 1;
}
