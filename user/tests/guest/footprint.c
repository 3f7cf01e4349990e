// SPDX-License-Identifier: GPL-2.0
/* ptwalk rss --mappings, --cgroup and --zeros: where memory goes. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "command.h"
#include "proc.h"
#include "test.h"

#define PAGES	64

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

FIXTURE(footprint)
{
	struct target target;
	char pid[16];
	size_t page, size;
	char *at;
};

static char *memory;
static size_t page_size;

/* Half of it is zeros. */
static void write_half(void *arg, int nr)
{
	memset(memory, 0, PAGES / 2 * page_size);
	memset(memory + PAGES / 2 * page_size, 1, PAGES / 2 * page_size);
}

FIXTURE_SETUP(footprint)
{
	NEED_COMMAND();
	self->page = page_size = sysconf(_SC_PAGESIZE);
	self->size = PAGES * self->page;
}

FIXTURE_TEARDOWN(footprint)
{
	target_end(&self->target);
	if (self->at)
		munmap(self->at, self->size);
}

/* A process that has written to @at. */
static bool start(FIXTURE_DATA(footprint) *self, int flags)
{
	memory = mmap(NULL, self->size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return false;
	self->at = memory;
	madvise(memory, self->size, MADV_NOHUGEPAGE);
	if (target_start(&self->target, write_half, NULL) || target_step(&self->target))
		return false;
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	return true;
}

/* "NAME":number of the line of the mapping at @start, or -1. */
static long long number_of(const char *start, const char *name)
{
	char wanted[64];
	const char *line = strstr(out.text, start), *end, *found;

	if (!line)
		return -1;
	end = strchr(line, '\n');
	snprintf(wanted, sizeof(wanted), "\"%s\":", name);
	found = strstr(line, wanted);
	return found && (!end || found < end) ? atoll(found + strlen(wanted)) : -1;
}

/*
 * All mappings, and their figures as smaps has them; but for Pss, which is another one
 * once the command, which has the same libraries, has ended.
 */
TEST_F(footprint, as_smaps)
{
	char path[64], line[512], start_text[64] = "", field[64];
	unsigned long long first, last, kb, compared = 0;
	FILE *smaps;

	ASSERT_TRUE(start(self, MAP_PRIVATE));
	RUN("rss", "--mappings", "--top", "0", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	snprintf(path, sizeof(path), "/proc/%s/smaps", self->pid);
	smaps = fopen(path, "r");
	ASSERT_NE(NULL, smaps);
	while (fgets(line, sizeof(line), smaps)) {
		const char *name = NULL;

		if (sscanf(line, "%llx-%llx ", &first, &last) == 2) {
			snprintf(start_text, sizeof(start_text), "\"start\":\"%#llx\"",
				 first);
			/* The gate area is no mapping. */
			if (strstr(line, "[vsyscall]"))
				break;
			EXPECT_NE(NULL, strstr(out.text, start_text))
				TH_LOG("not there: %s", line);
			continue;
		}
		if (sscanf(line, "%63[^:]: %llu kB", field, &kb) != 2)
			continue;
		if (!strcmp(field, "Size"))
			name = "size";
		else if (!strcmp(field, "Rss"))
			name = "rss";
		else if (!strcmp(field, "Swap"))
			name = "swap";
		if (!name)
			continue;
		compared++;
		EXPECT_EQ((long long)kb, number_of(start_text, name))
			TH_LOG("%s of %s", name, start_text);
	}
	fclose(smaps);
	EXPECT_LT(8, compared);
	/* What it has written is its own, and where it has most. */
	snprintf(start_text, sizeof(start_text), "\"start\":\"%#lx\"",
		 (unsigned long)self->at);
	EXPECT_EQ((long long)self->size >> 10, number_of(start_text, "private"));
	EXPECT_EQ(0, number_of(start_text, "shared"));
	EXPECT_EQ((long long)self->size >> 10, number_of(start_text, "pss"));
	RUN("rss", "--mappings", "--top", "1", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" more: --all has them\n");
	EXPECT_PRINTED("\nKIND ");
	EXPECT_PRINTED("\ntotal ");
	EXPECT_PRINTED("\neach frame once, of 1 process; ");
}

/* Frames of shared memory that these processes have, each once; -1: not told. */
static long long shmem_frames(void)
{
	const char *found = strstr(out.text, "\"shmem\":");

	return found ? atoll(found + strlen("\"shmem\":")) : -1;
}

#define SHARED	"\"kind\":\"shared memory\",\"mappings\":"

/* Maps a file in memory three times; the first time, so that all code for it is there. */
static void map_three_times(void *arg, int nr)
{
	const size_t size = PAGES * page_size;
	int fd = memfd_create("thrice", MFD_CLOEXEC);
	char *at;

	if (fd < 0 || ftruncate(fd, size))
		return;
	for (int i = 0; i < 3; i++) {
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			return;
		memset(at, 1, size);
		if (!nr)
			munmap(at, size);
	}
	close(fd);
}

/* Memory that is mapped three times is there once. */
TEST_F(footprint, mapped_three_times)
{
	long long frames, kb;

	ASSERT_EQ(0, target_start(&self->target, map_three_times, NULL));
	ASSERT_EQ(0, target_step(&self->target));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	/* The harness has shared memory, too, and so may have the guest's root. */
	RUN("rss", "--mappings", "--json", self->pid);
	frames = shmem_frames();
	kb = number_of(SHARED, "rss");
	ASSERT_EQ(0, target_step(&self->target));
	RUN("rss", "--mappings", "--json", self->pid);
	EXPECT_EQ(frames + PAGES, shmem_frames());
	/* In smaps, it has each of its pages three times. */
	EXPECT_EQ((kb < 0 ? 0 : kb) + 3 * (long long)(self->size >> 10),
		  number_of(SHARED, "rss"));
}

TEST_F(footprint, zeros)
{
	char start_text[64];

	ASSERT_TRUE(start(self, MAP_PRIVATE));
	if (access("/proc/kcore", R_OK))
		SKIP(return, "the kernel has no /proc/kcore");
	RUN("rss", "--mappings", "--zeros", "--all", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	snprintf(start_text, sizeof(start_text), "\"start\":\"%#lx\"",
		 (unsigned long)self->at);
	EXPECT_EQ((long long)self->size / 2 >> 10, number_of(start_text, "zeros"));
	EXPECT_EQ((long long)self->size >> 10, number_of(start_text, "rss"));
	RUN("rss", "--zeros", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("  of zeros only ");
}

static bool write_text(const char *dir, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !proc_write(path, text);
}

/* Two processes that share memory, each in a group of its own below another. */
TEST_F(footprint, control_group)
{
	char root[] = "/tmp/cgroups-XXXXXX", group[64], below[80], pid[16], script[160];
	bool has_memory;
	char *page;

	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_TRUE(start(self, MAP_SHARED));
	ASSERT_NE(NULL, mkdtemp(root));
	if (mount("none", root, "cgroup2", 0, NULL))
		SKIP(return, "the kernel has no cgroup2");
	has_memory = write_text(root, "cgroup.subtree_control", "+memory");
	snprintf(group, sizeof(group), "%s/footprint", root);
	snprintf(below, sizeof(below), "%s/below", group);
	ASSERT_EQ(0, mkdir(group, 0700));
	ASSERT_EQ(0, mkdir(below, 0700));
	RUN("rss", "--cgroup", group);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("each frame once, of 0 processes; 0 pages");
	ASSERT_TRUE(write_text(group, "cgroup.procs", self->pid));
	memset(self->at, 1, self->size);
	ASSERT_TRUE(write_text(below, "cgroup.procs", pid));
	RUN("rss", "--cgroup", "/footprint", "--json");
	EXPECT_STATUS(MATCH);
	/* The command itself is in the group of its parent. */
	EXPECT_PRINTED("\"type\":\"distinct\",\"processes\":3,");
	EXPECT_LE(PAGES, shmem_frames());
	RUN("rss", "--cgroup", group, "--mappings");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("PROCESS, START ");
	RUN("rss", "--cgroup", below, "--json");
	EXPECT_PRINTED("\"type\":\"distinct\",\"processes\":2,");
	/* What is charged to the group is charged to this path. */
	page = mmap(NULL, self->page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	snprintf(script, sizeof(script),
		 "ptwalk translate %s %lx | { read a b c; ptwalk frame phys:$b; }", pid,
		 (unsigned long)page);
	run(&out, "sh", "-c", script);
	EXPECT_STATUS(MATCH);
	/* A group that has no memory controller is charged nothing. */
	if (has_memory && !access("/proc/kpagecgroup", R_OK))
		EXPECT_PRINTED("\n  kpagecgroup  /footprint");
	munmap(page, self->page);
	write_text(root, "cgroup.procs", pid);
	write_text(root, "cgroup.procs", self->pid);
	rmdir(below);
	rmdir(group);
	EXPECT_EQ(0, umount2(root, MNT_DETACH));
	rmdir(root);
}

TEST_F(footprint, refused)
{
	RUN("rss", "--top", "3", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("rss", "--all", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("rss", "--mappings", "--top", "x", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("rss", "--cgroup", "/no/such/group");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	RUN("rss", "--cgroup", "/", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("rss", "--mappings", "--replay", "/dev/null");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

TEST_HARNESS_MAIN
