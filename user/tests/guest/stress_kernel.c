// SPDX-License-Identifier: GPL-2.0
/*
 * stress_kernel [-s SEED] [-t SECONDS]
 *
 * Looks at the kernel's own tables (ptwalk kernel), compares and lints them, while
 * modules, huge and small areas of vmalloc(), kernel stacks, BPF programs and secret
 * memory come and go, memory changes its type, and goes offline or is unplugged where
 * the machine can. Nothing may be found. Then, in the midst of it, each mistake that
 * ptwalk_kernel_fixture makes must be. Prints what was done, each minute up to then, and
 * exits with 1 if anything was wrong. The seed gives the same choices, but not the same timing.
 */
#include <linux/filter.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "command.h"
#include "mutate.h"
#include "proc.h"
#include "system.h"
#include "workers.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CHANGING	3	/* processes */
#define LOOKING		2
#ifndef __NR_memfd_secret
#define __NR_memfd_secret	447
#endif

static void change_area(u32 *seed);
static void change_module(u32 *seed);
static void change_stack(u32 *seed);
static void change_filter(u32 *seed);
static void change_secret(u32 *seed);
static void change_memory(u32 *seed);

static const struct mutator changes[] = {
	{ "areas", change_area }, { "modules", change_module }, { "stacks", change_stack },
	{ "BPF programs", change_filter }, { "secret pages", change_secret },
	{ "blocks of memory", change_memory },
};

static const char *const mistakes[] = {
	"page-missing", "page-extra", "two-types", "write-exec", "writable-alias", "user",
};

enum { LISTED, CHECKED, UNSTABLE_LOOKS, WRONG, AREAS, SIZES, DUMPED, UNREAD, NR_FIGURES };

/* Of the summaries of checks. */
static const char *const member[NR_FIGURES] = {
	[AREAS] = "\"areas\":", [SIZES] = "\"sizes\":", [DUMPED] = "\"dumped\":",
	[UNREAD] = "\"unstable\":",
};

/**
 * struct figures - what all processes of this program have done
 * @changes: As in the list of them; of those that the kernel can.
 * @number: Of what was looked at.
 */
static struct figures {
	unsigned long changes[ARRAY_SIZE(changes)], number[NR_FIGURES];
} *figures;

static double end;

static void changed(void (*how)(u32 *seed))
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (changes[i].change == how)
			worker_count(&figures->changes[i], 1);
}

/* Semaphores lie in vmalloc() space if they are many, and in huge leaves of it. */
static void change_area(u32 *seed)
{
	int id = semget(IPC_PRIVATE, 1000 + chance(seed) % 200000, 0600);

	if (id < 0)
		return;
	semctl(id, 0, IPC_RMID);
	changed(change_area);
}

/* ptwalk_fixture also gives pages another memory type, and takes it from them. */
static void change_module(u32 *seed)
{
	const char *name = chance(seed) % 2 ? "ptwalk_fixture" : "nlmon";

	if (module_load(name))
		return;
	module_unload(name);
	changed(change_module);
}

static void change_stack(u32 *seed)
{
	pid_t pid[8];

	for (size_t i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pid); i++)
		if (pid[i] > 0)
			waitpid(pid[i], NULL, 0);
	changed(change_stack);
}

static void change_filter(u32 *seed)
{
	struct sock_filter accept[] = { BPF_STMT(BPF_RET | BPF_K, ~0U) };
	const struct sock_fprog program = { .len = 1, .filter = accept };
	int fd[16];

	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd[i] >= 0 && !setsockopt(fd[i], SOL_SOCKET, SO_ATTACH_FILTER, &program,
					      sizeof(program)) && !i)
			changed(change_filter);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
}

/* Such pages are taken out of the direct mapping, whose huge leaves are split. */
static void change_secret(u32 *seed)
{
	const size_t size = (1 + chance(seed) % 16) * getpagesize();
	int fd = syscall(__NR_memfd_secret, 0);
	char *mem;

	if (fd < 0)
		return;
	mem = ftruncate(fd, size) ? MAP_FAILED :
	      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem != MAP_FAILED) {
		memset(mem, 1, size);
		munmap(mem, size);
		changed(change_secret);
	}
	close(fd);
}

static void change_memory(u32 *seed)
{
	if (mutate_memory(seed))
		changed(change_memory);
}

static void change(u32 *seed)
{
	if (nice(5) < 0)
		_exit(1);
	for (;;)
		changes[chance(seed) % ARRAY_SIZE(changes)].change(seed);
}

/* Prints the first findings, or else how it began. */
static void complain(const char *what, const struct output *out)
{
	const char *at = strstr(out->text, "\"verdict\":\"mismatch\"");

	while (at && at > out->text && at[-1] != '\n')
		at--;
	worker_count(&figures->number[WRONG], 1);
	printf("# wrong: %s: status %d: %.1200s\n", what, out->status, at ? at : out->text);
}

static void take_summary(const struct output *out)
{
	const char *summary = strstr(out->text, "\"type\":\"summary\""), *at;

	for (int i = 0; summary && i < NR_FIGURES; i++) {
		at = member[i] ? strstr(summary, member[i]) : NULL;
		if (at)
			worker_count(&figures->number[i], strtoul(at + strlen(member[i]), NULL, 10));
	}
}

static void check(struct output *out)
{
	run(out, "ptwalk", "kernel", "--check", "--lint", "--known-bugs", "--json");
	worker_count(&figures->number[CHECKED], 1);
}

static void look(u32 *seed)
{
	static struct output out;

	do {
		if (!(chance(seed) % 4)) {
			run(&out, "ptwalk", "kernel", "--summary");
			worker_count(&figures->number[LISTED], 1);
		} else {
			check(&out);
			take_summary(&out);
		}
		if (out.status == UNSTABLE)
			worker_count(&figures->number[UNSTABLE_LOOKS], 1);
		else if (out.status != MATCH)
			complain("ptwalk kernel", &out);
	} while (seconds_now() < end);
}

/* Returns whether it was found, and nothing else. */
static bool finds(const char *mistake)
{
	static struct output out;
	char params[32];

	snprintf(params, sizeof(params), "wrong=%s", mistake);
	if (module_load_with("ptwalk_kernel_fixture", params)) {
		snprintf(out.text, sizeof(out.text), "ptwalk_kernel_fixture can't be loaded\n");
		out.status = -1;
	} else {
		check(&out);
		module_unload("ptwalk_kernel_fixture");
	}
	if (out.status == MISMATCH && strstr(out.text, "\"mismatch\":1}"))
		return true;
	complain(mistake, &out);
	return false;
}

static void tell_looks(u32 seed, double seconds, unsigned int unplugged)
{
	const unsigned long *n = figures->number;

	printf("seed %u, %.0f seconds\nchanges:", seed, seconds);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		printf(" %lu %s,", figures->changes[i], changes[i].name);
	printf(" %u devices with memory unplugged\n", unplugged);
	printf("looks: %lu checks, %lu summaries; %lu with tables that never held still, %lu wrong\n",
	       n[CHECKED], n[LISTED], n[UNSTABLE_LOOKS], n[WRONG]);
	printf("compared: %lu areas, %lu sizes, %lu lines of the kernel's own dump; %lu pages unstable\n",
	       n[AREAS], n[SIZES], n[DUMPED], n[UNREAD]);
}

int main(int argc, char **argv)
{
	pid_t changing[CHANGING], looking[LOOKING];
	u32 seed = time(NULL), next;
	int opt, i, seconds = 60;
	unsigned int plugged;
	size_t found = 0;
	bool good = true;
	double begin, left;

	while ((opt = getopt(argc, argv, "s:t:")) != -1) {
		if (opt == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (opt == 't')
			seconds = atoi(optarg);
		else
			return 2;
	}
	figures = mmap(NULL, sizeof(*figures), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!ptwalk_command() || figures == MAP_FAILED || module_load("ptwalk_kernel") ||
	    proc_write("/proc/sys/kernel/kptr_restrict", "1")) {
		fprintf(stderr, "stress_kernel: the module ptwalk_kernel or the command is missing\n");
		return 3;
	}
	proc_write("/proc/sys/kernel/sem", "262144 16777216 32 128");
	plugged = memory_devices();
	seed = seed ? seed : 1;
	next = seed;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %u, %d seconds\n", seed, seconds);
	begin = seconds_now();
	end = begin + seconds;
	for (i = 0; i < CHANGING; i++)
		changing[i] = worker_start(change, chance(&next));
	for (i = 0; i < LOOKING; i++)
		looking[i] = worker_start(look, chance(&next));
	/* Whoever ends the machine early has had the figures of the last minute. */
	while ((left = end - seconds_now()) > 0) {
		sleep(left < 60 ? left + 1 : 60);
		tell_looks(seed, seconds_now() - begin, plugged - memory_devices());
	}
	for (i = 0; i < LOOKING; i++)
		good &= worker_ends(looking[i], end, "a look");
	for (size_t m = 0; m < ARRAY_SIZE(mistakes); m++)
		found += finds(mistakes[m]);
	for (i = 0; i < CHANGING; i++)
		process_end(changing[i]);
	tell_looks(seed, seconds_now() - begin, plugged - memory_devices());
	printf("planted: %zu mistakes, %zu found\n", ARRAY_SIZE(mistakes), found);
	good &= !figures->number[WRONG] && figures->number[AREAS] && found == ARRAY_SIZE(mistakes);
	printf("stress: %s\n", good ? "passed" : "failed");
	return !good;
}
