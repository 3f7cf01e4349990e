// SPDX-License-Identifier: GPL-2.0
/* Shared memory that is in swap, of which the page tables show nothing. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/swap.h>
#include "build_swap.h"
#include "command.h"
#include "proc.h"
#include "system.h"
#include "test.h"
#include "workers.h"

#define PAGES	16

static struct output out;

FIXTURE(swapped)
{
	struct mapping m;
	char *at;
	size_t size;
	char pid[16], range[64];
};

FIXTURE_SETUP(swapped)
{
	NEED_COMMAND();
	self->m = (struct mapping){
		.pid = getpid(), .page_size = sysconf(_SC_PAGESIZE), .pages = PAGES,
	};
	self->size = PAGES * self->m.page_size;
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
}

FIXTURE_TEARDOWN(swapped)
{
	if (self->at)
		munmap(self->at, self->size);
	if (self->m.release)
		swapoff(self->m.saved);
}

/* Until smaps has all of it in Swap. */
static bool push(FIXTURE_DATA(swapped) *self)
{
	struct proc_vma vma;

	snprintf(self->range, sizeof(self->range), "%#lx+%#zx", (unsigned long)self->at,
		 self->size);
	for (int tries = 0; tries < 200; tries++) {
		madvise(self->at, self->size, MADV_PAGEOUT);
		if (!proc_vma(getpid(), (unsigned long)self->at, &vma) && !vma.rss &&
		    vma.swap == self->size)
			return true;
		usleep(20000);
	}
	return false;
}

static bool place(FIXTURE_DATA(swapped) *self, int flags, int fd)
{
	self->at = mmap(NULL, self->size, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (self->at == MAP_FAILED) {
		self->at = NULL;
		return false;
	}
	memset(self->at, 1, self->size);
	return true;
}

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

/* All commands say it of each page; and of none any more once they are read. */
#define EXPECT_IN_SWAP() do {							\
	RUN("dump", self->pid, self->range);					\
	EXPECT_STATUS(MATCH);							\
	EXPECT_PRINTED("    empty here; 16 pages of the file are in swap\n");	\
	RUN("dump", "--json", self->pid, self->range);				\
	EXPECT_PRINTED("\"file_in_swap\":16");					\
	RUN("dump", "-s", self->pid, self->range);				\
	EXPECT_PRINTED("of shared memory, 16 pages are empty here, and in swap by its file\n"); \
	RUN("pagemap", self->pid, self->range);					\
	EXPECT_STATUS(MATCH);							\
	EXPECT_PRINTED("\n    empty here; 16 pages of the file are in swap\n");	\
	RUN("pagemap", "--json", self->pid, self->range);			\
	EXPECT_PRINTED("\"file_in_swap\":16");					\
	snprintf(self->range, sizeof(self->range), "%lx", (unsigned long)self->at); \
	RUN("translate", self->pid, self->range);				\
	EXPECT_STATUS(MATCH);							\
	EXPECT_PRINTED("not present: empty here; the page of the file is in swap\n"); \
	RUN("translate", "-v", "--json", self->pid, self->range);		\
	EXPECT_PRINTED("\"file_in_swap\":true");				\
	RUN("rss", "--json", self->pid);					\
	EXPECT_STATUS(MATCH);							\
	EXPECT_PRINTED("\"shmem-swap\":16,");					\
	for (size_t i = 0; i < self->size; i++)					\
		(void)((volatile char *)self->at)[i];				\
	RUN("translate", self->pid, self->range);				\
	EXPECT_UNPRINTED("in swap", "\n");				\
	RUN("rss", "--json", self->pid);					\
	EXPECT_PRINTED("\"shmem-swap\":0,");					\
} while (0)

#define NEED_SWAP() do {							\
	if (!swap_on(&self->m))							\
		SKIP(return, "%s", self->m.lacks);				\
} while (0)

#define PUSH_OUT() do {								\
	if (!push(self))							\
		SKIP(return, "the kernel didn't swap the pages out");		\
} while (0)

TEST_F(swapped, memfd)
{
	int fd = memfd_create("swapped", MFD_CLOEXEC);

	NEED_SWAP();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_TRUE(place(self, MAP_SHARED, fd));
	close(fd);
	PUSH_OUT();
	EXPECT_IN_SWAP();
}

TEST_F(swapped, anonymous)
{
	NEED_SWAP();
	ASSERT_TRUE(place(self, MAP_SHARED | MAP_ANONYMOUS, -1));
	PUSH_OUT();
	EXPECT_IN_SWAP();
}

TEST_F(swapped, tmpfs)
{
	char dir[] = "/tmp/ptwalk-XXXXXX", path[64];
	int fd;

	NEED_SWAP();
	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	ASSERT_EQ(0, mount("none", dir, "tmpfs", 0, NULL));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_TRUE(place(self, MAP_SHARED, fd));
	close(fd);
	if (push(self))
		EXPECT_IN_SWAP();
	munmap(self->at, self->size);
	self->at = NULL;
	EXPECT_EQ(0, umount(dir));
	rmdir(dir);
}

TEST_F(swapped, system_v)
{
	int id = shmget(IPC_PRIVATE, self->size, IPC_CREAT | 0600);

	NEED_SWAP();
	if (id < 0)
		SKIP(return, "the kernel has no System V shared memory");
	self->at = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	ASSERT_NE((void *)-1, self->at);
	memset(self->at, 1, self->size);
	PUSH_OUT();
	EXPECT_IN_SWAP();
}

/* Below a private mapping, half of which are copies, the other half is in swap. */
TEST_F(swapped, below_copies)
{
	int fd = memfd_create("swapped", MFD_CLOEXEC);
	char *private;

	NEED_SWAP();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_TRUE(place(self, MAP_SHARED, fd));
	private = mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, private);
	close(fd);
	memset(private, 2, self->size / 2);
	PUSH_OUT();
	snprintf(self->range, sizeof(self->range), "%#lx+%#zx", (unsigned long)private,
		 self->size);
	RUN("dump", self->pid, self->range);
	EXPECT_PRINTED("    empty here; 8 pages of the file are in swap\n");
	RUN("pagemap", self->pid, self->range);
	EXPECT_PRINTED("\n    empty here; 8 pages of the file are in swap\n");
	RUN("rss", "--json", self->pid);
	EXPECT_PRINTED("\"shmem-swap\":24,");
	munmap(private, self->size);
}

/* Nothing but an offset is in such an entry: no bit says that an empty one is other. */
TEST_F(swapped, holes_behind_entries_without_flags)
{
	const size_t page = self->m.page_size;
	pid_t child;
	int fd;

	NEED_SWAP();
	ASSERT_TRUE(place(self, MAP_PRIVATE | MAP_ANONYMOUS, -1));
	PUSH_OUT();
	child = worker_copies(self->at, 0);
	ASSERT_LT(0, child);
	fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		EXPECT_EQ(1, write(fd, "4", 1));
		close(fd);
	}
	for (size_t i = 1; i < PAGES; i += 2)
		EXPECT_EQ(0, madvise(self->at + i * page, page, MADV_DONTNEED));
	RUN("check", "--source", "pagemap", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	process_end(child);
}

TEST_HARNESS_MAIN
