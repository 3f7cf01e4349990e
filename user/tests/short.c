// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a text of the kernel is ever taken for a shorter one: each reader gets
 * one, and either an allocation fails, each in turn, or reading does behind each
 * byte. It must say so, or have all of the text.
 *
 *   short CORPUS     prints what is wrong, and nothing else; -v all
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/print.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "proc/cgroups.h"
#include "proc/cpuinfo.h"
#include "proc/dmabuf.h"
#include "proc/iomem.h"
#include "proc/map_files.h"
#include "proc/maps.h"
#include "proc/numa_nodes.h"
#include "proc/pci_bars.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"
#include "proc/thp.h"
#include "proc/tmpfs.h"
#include "proc/zones.h"
#include "recording/sums.h"
#include "heap.h"
#include "tests/readers.h"

/* How many allocations are still to come before the one that fails; 0 is none. */
static unsigned long fail_in;
static bool has_failed;

static bool fails(void)
{
	has_failed |= fail_in == 1;
	return fail_in && !--fail_in;
}

void *malloc(size_t size)
{
	if (!fails())
		return __libc_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *calloc(size_t nr, size_t size)
{
	if (!fails())
		return __libc_calloc(nr, size);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *old, size_t size)
{
	if (!fails())
		return __libc_realloc(old, size);
	errno = ENOMEM;
	return NULL;
}

static int read_text(FILE *stream)
{
	char *text;
	int err = text_take(stream, &text);

	reader_text(text);
	free(text);
	return err;
}

static int read_cpuinfo(FILE *stream)
{
	const struct ptwalk_kernel kernel = {
		.machine = "x86_64",
		.flags = PTWALK_FLAG_EXEC,
		.levels = 1 << PTWALK_LEVEL_PTE | 1 << PTWALK_LEVEL_PMD,
	};
	int denies = noexec_parse(&kernel, stream);

	reader_number(denies);
	return denies < 0 ? denies : 0;
}

static int read_eligible(FILE *stream)
{
	struct thp_process process = { 0 };
	int err = thp_parse_smaps(stream, &process);

	for (size_t i = 0; i < process.nr; i++)
		reader_number(process.vma[i].start << 1 | process.vma[i].eligible);
	thp_process_free(&process);
	return err;
}

/* "It may be running" is as good as an error. */
static int read_asleep(FILE *stream)
{
	uint64_t switches;

	if (!procs_parse_asleep(stream, &switches))
		return -EIO;
	reader_number(switches);
	return 0;
}

/* What was found is whole; nothing found is an error of its own. */
static int read_exporter(FILE *stream)
{
	char exporter[DMABUF_EXPORTER] = "";
	int found = dmabuf_parse_bufinfo(stream, 7, exporter);

	reader_text(exporter);
	return found < 0 ? found : found ? 0 : -ENOENT;
}

static int read_recording(FILE *stream)
{
	static struct lines lines;
	struct rss_replay replay = { 0 };
	int err;

	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, &replay);
	reader_add_smaps(&replay.shown.smaps);
	reader_add_smaps(&replay.shown.maps);
	reader_add_numa(&replay.shown.numa);
	reader_add(&replay.shown.has, sizeof(replay.shown.has));
	reader_number(replay.truth.nr_extents);
	rss_replay_free(&replay);
	/* What isn't understood for want of memory would be blamed on the file. */
	if (err == -EINVAL && has_failed)
		reader_digest = err = 0;
	return err;
}

/* The rest is of this machine, and of a process that sleeps. */
static pid_t child;

/* Its first thread has ended. */
static pid_t orphan;

static int read_own_maps(FILE *none)
{
	struct maps maps = { 0 };
	uint64_t addr = 0;
	int err = maps_read(child, &maps);

	for (size_t i = 0; i < maps.nr; i++)
		reader_number(maps.map[i].last);
	/* A reason is no error. */
	if (!err && maps_address(&maps, "stack", &addr) &&
	    maps_address(&maps, "[stack]+0", &addr))
		err = -ENOENT;
	reader_number(addr);
	maps_free(&maps);
	return err;
}

static int add_stream(FILE *stream, int err)
{
	char buf[65536];

	if (!stream)
		return err ? err : -ENOENT;
	err = text_read_stream(stream, buf, sizeof(buf));
	reader_text(buf);
	fclose(stream);
	return err < 0 ? err : 0;
}

static int read_query(FILE *none)
{
	int err;
	FILE *stream = procmap_query_fopen(child, NULL, &err);

	return add_stream(stream, err);
}

static int read_map_files(FILE *none)
{
	int err;
	FILE *stream = map_files_fopen(child, &err);

	return add_stream(stream, err);
}

static int read_threads(FILE *none)
{
	struct pids pids = { 0 };
	int err = pids_add_threads(&pids, child);

	reader_add(pids.pid, pids.nr * sizeof(*pids.pid));
	pids_free(&pids);
	return err;
}

/* Of a process whose first thread has none any more. */
static int read_others_maps(FILE *none)
{
	struct maps maps = { 0 };
	int err = maps_read(orphan, &maps);

	reader_number(maps.nr);
	maps_free(&maps);
	return err;
}

static int read_living(FILE *none)
{
	pid_t tid = procs_living_thread(orphan);

	reader_number(tid);
	return tid < 0 ? tid : 0;
}

static int read_nodes(FILE *none)
{
	struct nodes nodes;
	int err = nodes_read(&nodes, NODES_SYSFS);

	for (size_t i = 0; i < nodes.nr; i++)
		reader_number(nodes.block[i].block);
	reader_number(nodes.only);
	nodes_free(&nodes);
	return err;
}

static int read_own_bars(FILE *none)
{
	struct pcibars bars;
	int err = pcibars_read(&bars);

	reader_number(bars.nr);
	pcibars_free(&bars);
	return err;
}

static int read_own_zones(FILE *none)
{
	struct zones zones;
	int err = zones_read(&zones);

	reader_number(zones.nr);
	zones_free(&zones);
	return err;
}

static int read_own_iomem(FILE *none)
{
	struct iomem iomem;
	int err;

	iomem_read(&iomem);
	reader_number(iomem.nr);
	err = iomem.why_not && strstr(iomem.why_not, "memory") ? -ENOMEM : 0;
	iomem_free(&iomem);
	return err;
}

static int read_own_thp(FILE *none)
{
	struct thp_process process = { 0 };
	int err = thp_process_read(child, &process);

	reader_number(process.nr);
	thp_process_free(&process);
	return err;
}

/* A group and one below it, as files have them; made and removed with @make. */
static char group[] = "/tmp/ptwalk-XXXXXX";

static void groups(bool make)
{
	static const char *const below[] = { "", "/below" };
	char dir[64], path[96];
	FILE *procs;

	for (int i = 0; i < 2; i++) {
		snprintf(dir, sizeof(dir), "%s%s", group, below[make ? i : 1 - i]);
		snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
		if (!make) {
			unlink(path);
			rmdir(dir);
			continue;
		}
		if (!(i ? !mkdir(dir, 0700) : !!mkdtemp(group)))
			continue;
		snprintf(path, sizeof(path), "%s%s/cgroup.procs", group, below[i]);
		procs = fopen(path, "w");
		if (procs && fprintf(procs, "%d\n0\n", 7 + i) > 0)
			fclose(procs);
	}
}

static int read_members(FILE *none)
{
	struct pids pids = { 0 };
	uint64_t hidden;
	int err = cgroup_pids(group, &pids, &hidden);

	reader_add(pids.pid, pids.nr * sizeof(*pids.pid));
	reader_number(hidden);
	/* Two of each. */
	if (!err && !has_failed && (pids.nr != 2 || hidden != 2))
		err = -ENOENT;
	pids_free(&pids);
	return err;
}

/* A whole command, with what it prints; each in a process of its own. */
static int run_command(FILE *none)
{
	static char buf[65536];
	int fd = memfd_create("", 0), status = -1;
	char number[16];
	char *argv[] = { "pagemap", number, "stack", NULL };
	pid_t pid;

	snprintf(number, sizeof(number), "%d", (int)child);
	pid = fork();
	if (!pid) {
		dup2(fd, STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		status = out_finish(cmd_pagemap(3, argv));
		_exit(has_failed << 3 | status);
	}
	waitpid(pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	/* The failure was in the child. */
	has_failed = status < 0 || status >> 3;
	lseek(fd, 0, SEEK_SET);
	text_read(fd, buf, sizeof(buf));
	reader_text(buf);
	close(fd);
	return status & 7 ? -ENOMEM : 0;
}

/**
 * struct reader - what is tried
 * @corpus: The sample of tests/corpus that it reads; NULL if it opens its own.
 * @read: Does it.
 * @enough: Need not come to the end.
 * @step: Bytes from one error to the next; 0 is one.
 * @lean: Allocates nothing.
 * @folder: Of this machine, without which there is nothing to read: a container may
 *	have no /sys.
 */
struct reader {
	const char *name, *corpus;
	int (*read)(FILE *stream);
	bool enough, lean;
	size_t step;
	const char *folder;
};

static const struct reader readers[] = {
	{ "maps", "maps/some", reader_maps },
	{ "smaps", "smaps/heap", reader_smaps },
	{ "THPeligible of smaps", "smaps/heap", read_eligible },
	{ "numa_maps", "numa_maps/some", reader_numa_maps },
	{ "status", "status/some", reader_status },
	{ "switches of status", "status/some", read_asleep, .enough = true },
	{ "statm", "statm/some", reader_statm, .lean = true },
	{ "stat", "stat/some", reader_stat, .lean = true },
	{ "a file as a whole", "smaps/heap", read_text },
	{ "iomem", "iomem/pc", reader_iomem },
	{ "kernel tables", "kernel-tables/x86", reader_kernel_tables },
	{ "vmallocinfo", "vmallocinfo/x86", reader_vmallocinfo },
	{ "memory types", "memtypes/x86", reader_memtypes },
	{ "ptdump", "ptdump/x86", reader_ptdump },
	{ "fdinfo of a ring", "uring/6.12", reader_uring },
	{ "second stage", "second-stage/x86", reader_second_stage },
	{ "directmap", "directmap/x86", reader_directmap },
	{ "zoneinfo", "zoneinfo/pc", reader_zones },
	{ "resource", "pci-bars/edu", reader_pci_bars },
	{ "cpuinfo", "cpuinfo/x86", read_cpuinfo, .enough = true },
	{ "dma-api/dump", "dma-dump/6.12", reader_dma_dump },
	{ "mountinfo", "mountinfo/proc", reader_mount },
	{ "mounts of tmpfs", "mountinfo/tmpfs", reader_tmpfs },
	{ "bufinfo", "dmabuf/bufinfo", read_exporter, .enough = true, .lean = true },
	{ "a recording of the kernel", "kernel-recording/x86", reader_kernel_recording },
	{ "a recording", "../recordings/rss-6.12", read_recording, .step = 4999 },
	{ "maps of a process", NULL, read_own_maps },
	{ "PROCMAP_QUERY", NULL, read_query },
	{ "map_files", NULL, read_map_files },
	{ "task", NULL, read_threads },
	{ "a living thread", NULL, read_living },
	{ "maps of another thread", NULL, read_others_maps },
	{ "node", NULL, read_nodes, .folder = "/sys/devices/system/node" },
	{ "PCI devices", NULL, read_own_bars, .folder = "/sys/bus/pci/devices" },
	{ "members of a group", NULL, read_members },
	{ "zoneinfo of this machine", NULL, read_own_zones },
	{ "iomem of this machine", NULL, read_own_iomem },
	{ "THP of a process", NULL, read_own_thp },
	{ "ptwalk pagemap", NULL, run_command },
};

#define NR_READERS	(sizeof(readers) / sizeof(readers[0]))

/* A sample as a file whose reading fails behind @good bytes; not if that is SIZE_MAX. */
static struct {
	char text[256 * 1024];
	size_t size, at, good;
} sample;

static ssize_t read_sample(void *cookie, char *buf, size_t size)
{
	size_t left = (sample.good < sample.size ? sample.good : sample.size) - sample.at;

	if (!left && sample.good != SIZE_MAX) {
		errno = EIO;
		return -1;
	}
	if (size > left)
		size = left;
	memcpy(buf, sample.text + sample.at, size);
	sample.at += size;
	return size;
}

/* Reads once; the allocation @allocation, from 1 on, fails, or none for 0. */
static int try(const struct reader *r, unsigned long allocation, size_t good)
{
	const cookie_io_functions_t functions = { .read = read_sample };
	FILE *stream = NULL;
	int err;

	sample.at = 0;
	sample.good = good;
	if (r->corpus)
		stream = fopencookie(NULL, "r", functions);
	reader_digest = 0xcbf29ce484222325;
	has_failed = false;
	fail_in = allocation;
	err = r->read(stream);
	fail_in = 0;
	if (stream)
		fclose(stream);
	return err;
}

static bool verbose;

static int wrong(const struct reader *r, const char *what, unsigned long where)
{
	fprintf(stderr, "%s: %s %lu\n", r->name, what, where);
	return 1;
}

static int without_memory(const struct reader *r, uint64_t whole)
{
	unsigned long n;
	int err;

	for (n = 1;; n++) {
		err = try(r, n, SIZE_MAX);
		if (!has_failed)
			break;
		if (err >= 0 && reader_digest != whole)
			return wrong(r, "is short, and says nothing of it, without allocation", n);
	}
	if (verbose)
		printf("%s: %lu allocations\n", r->name, n - 1);
	/* stdio has a buffer to go on with, and so must something else fail. */
	return n < 2 && !r->lean ? wrong(r, "allocations:", n - 1) : 0;
}

static int with_errors(const struct reader *r, uint64_t whole)
{
	int err;

	for (size_t good = 0; good <= sample.size; good += r->step ? r->step : 1) {
		err = try(r, 0, good);
		if (err >= 0 && (!r->enough || reader_digest != whole))
			return wrong(r, "takes an error for the end, behind byte", good);
	}
	return 0;
}

static int try_all(const struct reader *r, const char *corpus)
{
	char path[512];
	ssize_t size = 0;
	uint64_t whole;
	int err;

	if (r->folder && access(r->folder, F_OK)) {
		printf("%s: not tried: there is no %s\n", r->name, r->folder);
		return 0;
	}
	if (r->corpus) {
		snprintf(path, sizeof(path), "%s/%s", corpus, r->corpus);
		size = text_of(path, sample.text, sizeof(sample.text));
	}
	sample.size = size;
	err = size < 0 ? size : try(r, 0, SIZE_MAX);
	whole = reader_digest;
	/* Such as map_files for those who may not. */
	if (err && !r->corpus) {
		printf("%s: not tried: %s\n", r->name, strerror(-err));
		return 0;
	}
	if (err)
		return wrong(r, "can't be read: error", -err);
	err = without_memory(r, whole);
	return r->corpus ? with_errors(r, whole) | err : err;
}

__attribute__((noreturn)) static void *sleep_on(void *none)
{
	for (;;)
		pause();
}

static pid_t make_child(bool thread)
{
	pthread_t other;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (thread && !pthread_create(&other, NULL, sleep_on, NULL))
		syscall(SYS_exit, 0);
	sleep_on(NULL);
}

int main(int argc, char **argv)
{
	int failed = 0;

	verbose = argc > 2;
	groups(true);
	child = make_child(false);
	orphan = make_child(true);
	while (procs_thread_lives(orphan, orphan))
		usleep(1000);
	for (size_t i = 0; i < NR_READERS; i++)
		failed |= try_all(&readers[i], argv[1]);
	groups(false);
	kill(child, SIGKILL);
	kill(orphan, SIGKILL);
	return failed;
}
