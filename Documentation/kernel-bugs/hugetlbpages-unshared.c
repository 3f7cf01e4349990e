// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#define G (1UL << 30)
static void show(const char *w)
{
	char b[256];
	FILE *f = fopen("/proc/self/status", "r");
	printf("%s %d: ", w, getpid());
	while (fgets(b, 256, f))
		if (!strncmp(b, "Huge", 4))
			printf("%s", b);
	fclose(f);
}
int main()
{
	setvbuf(stdout, 0, _IONBF, 0);
	int fd = memfd_create("h", MFD_HUGETLB);
	ftruncate(fd, 2 * G);
	char *r = mmap(0, 4 * G, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	r = (char *)(((unsigned long)r + G - 1) & ~(G - 1));
	char *p = mmap(r, 2 * G, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
		       0);
	if (p == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	/* the child maps anew, so that it shares the tables */
	int pp[2], qq[2];
	pipe(pp);
	pipe(qq);
	char c;
	p[0] = 1;
	show("parent faulted 1");
	pid_t k = fork();
	if (!k) {
		p[2 << 20] = 1;
		p[4 << 20] = 1;
		volatile char x = p[0];
		show("child faulted 2, touched 3");
		write(pp[1], "x", 1);
		read(qq[0], &c, 1);
		munmap(p, 2 * G);
		show("child after munmap");
		write(pp[1], "x", 1);
		pause();
	}
	read(pp[0], &c, 1);
	volatile char x = p[2 << 20];
	show("parent maps 3");
	char cmd[200];
	snprintf(
		cmd, 200,
		"ptwalk rss %d | grep -E 'Huge|hugetlb|shared' ; ptwalk rss %d | grep -E 'Huge|huge'; ptwalk translate -v %d %p | head -3",
		getpid(), k, getpid(), p);
	system(cmd);
	write(qq[1], "x", 1);
	read(pp[0], &c, 1);
	snprintf(cmd, 200, "ptwalk rss %d; echo status $?", k);
	system(cmd);
	kill(k, 9);
	wait(0);
	return 0;
}
