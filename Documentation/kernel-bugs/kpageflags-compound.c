// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/kpageflags of frames of which huge pages are made meanwhile; see
 * kpageflags-compound.txt. As root, with two processors, on a machine that does
 * nothing else: that crashes the kernel. Exits with 1 if such a page was only called
 * mapped, which it never is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#define PAGES		512	/* of a huge page */
#define MOST		4096
#define SECONDS		30

#define KPF_MMAP	(1ULL << 11)
#define KPF_ANON	(1ULL << 12)
#define KPF_HEAD	(1ULL << 15)
#define KPF_TAIL	(1ULL << 16)
#define KPF_HUGE	(1ULL << 17)
#define KPF_NOPAGE	(1ULL << 20)

static unsigned long nr, rounds;
static uint64_t frame[MOST];
static size_t chosen, found;
static time_t end;

static unsigned long pool(unsigned long size)
{
	FILE *file = fopen("/proc/sys/vm/nr_hugepages", "r+");

	if (!file || fprintf(file, "%lu\n", size) < 0 || fflush(file) ||
	    fseek(file, 0, SEEK_SET) || fscanf(file, "%lu", &size) != 1) {
		perror("nr_hugepages");
		exit(2);
	}
	fclose(file);
	return size;
}

/* Gives the huge pages up, and has them made of the same frames again. */
static void *make(void *unused)
{
	(void)unused;
	for (; time(NULL) < end; rounds++) {
		pool(0);
		pool(nr);
	}
	pool(0);
	return NULL;
}

/*
 * The huge pages behind which no frame is mapped up to a hole in memory, or else
 * those at its end.
 */
static void choose(int flags, int counts)
{
	static uint64_t flag[PAGES], count[PAGES];
	uint64_t at;

	for (at = 0; pread(flags, flag, sizeof(flag), at * 8) == sizeof(flag) &&
		     pread(counts, count, sizeof(count), at * 8) == sizeof(count); at += PAGES) {
		/* It is larger. */
		if ((flag[0] & KPF_TAIL) && found > chosen && frame[found - 1] == at - PAGES)
			found--;
		if ((flag[0] & KPF_HUGE) && (flag[0] & KPF_HEAD) && found < MOST)
			frame[found++] = at;
		for (int i = 0; i < PAGES; i++) {
			if (flag[i] & KPF_NOPAGE)
				chosen = found;
			else if (count[i])
				found = chosen;
		}
	}
}

int main(void)
{
	int flags = open("/proc/kpageflags", O_RDONLY);
	int counts = open("/proc/kpagecount", O_RDONLY);
	unsigned long reads = 0, wrong = 0;
	struct sysinfo info;
	pthread_t thread;
	uint64_t word;

	if (flags < 0 || counts < 0 || sysinfo(&info) || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return 2;
	nr = pool((uint64_t)info.freeram * info.mem_unit / 10 * 9 / PAGES / getpagesize());
	choose(flags, counts);
	printf("%zu of %lu huge pages have no mapped page behind them\n", found, nr);
	fflush(stdout);
	if (!found)
		return 2;
	end = time(NULL) + SECONDS;
	if (pthread_create(&thread, NULL, make, NULL))
		return 2;
	while (time(NULL) < end)
		for (size_t i = 0; i < found; i++, reads++) {
			if (pread(flags, &word, sizeof(word), frame[i] * 8) != sizeof(word))
				return 2;
			wrong += (word & KPF_HEAD) && (word & KPF_MMAP) &&
				 !(word & KPF_ANON);
		}
	pthread_join(thread, NULL);
	printf("made %lu times, %lu reads: %lu say KPF_MMAP\n", rounds, reads, wrong);
	return !!wrong;
}
