// SPDX-License-Identifier: GPL-2.0
/*
 * ptwalk pins, and its finding of check --lint: pages of a registered buffer of io_uring
 * that the process has no more, each told with its address and its holder; and nothing
 * where all is right.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if_xdp.h>
#include <linux/io_uring.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "busy.h"
#include "command.h"
#include "proc.h"
#include "ptw.h"
#include "rdma.h"
#include "ring.h"
#include "test.h"
#include "userfaultfd.h"
#include "workers.h"

#define POOL		"/proc/sys/vm/nr_hugepages"
#define PAGES		16
#define PATIENCE	60	/* seconds that a kernel may take to let go of pages */

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

FIXTURE(pins)
{
	size_t page, size;
	char *at;
	char pid[16];
	long long pool;
	int ring;
};

static void set_pool(long long pages)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", pages);
	proc_write(POOL, text);
}

FIXTURE_SETUP(pins)
{
	NEED_COMMAND();
	self->pool = proc_number(POOL);
	self->ring = -1;
	self->page = sysconf(_SC_PAGESIZE);
	self->size = PAGES * self->page;
	self->at = room(self->size, self->page);
	ASSERT_NE(NULL, self->at);
	madvise(self->at, self->size, MADV_NOHUGEPAGE);
	memset(self->at, 1, self->size);
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
}

FIXTURE_TEARDOWN(pins)
{
	if (self->ring >= 0)
		close(self->ring);
	munmap(self->at - self->page, self->size + 2 * self->page);
	if (self->pool >= 0 && self->pool != proc_number(POOL))
		set_pool(self->pool);
}

/* All of the memory as buffer 1, a sparse slot or the first page as buffer 0. */
static int hold(FIXTURE_DATA(pins) *self)
{
	const struct iovec buffers[] = {
		{ self->at, self->page }, { self->at, self->size },
	};

	self->ring = ring_open();
	return self->ring < 0 ? self->ring : ring_register(self->ring, buffers, 2);
}

#define HOLD() do { \
	int _err = hold(self); \
	if (_err == -ENOSYS) \
		SKIP(return, "the kernel has no io_uring"); \
	ASSERT_EQ(0, _err); \
} while (0)

/* Both say nothing, and see that there is something. */
#define EXPECT_SILENT(pages) do { \
	char _held[32]; \
	snprintf(_held, sizeof(_held), "%d pages held, 0 replaced", pages); \
	RUN("pins", self->pid); \
	EXPECT_STATUS(MATCH); \
	EXPECT_PRINTED(_held); \
	RUN("check", "--lint", self->pid); \
	EXPECT_STATUS(MATCH); \
	EXPECT_UNPRINTED("pinned-replaced", "0 mismatch"); \
} while (0)

/* Pages from number @first on, @pages of them, are told of buffer 1. */
#define EXPECT_TOLD(first, pages, truth) do { \
	const unsigned long long _addr = (unsigned long)self->at + (first) * self->page; \
	char _words[256]; \
	RUN("pins", self->pid); \
	EXPECT_STATUS(MISMATCH); \
	snprintf(_words, sizeof(_words), ") %#llx, %d page%s, pinned-replaced\n", _addr, \
		 pages, (pages) == 1 ? "" : "s"); \
	EXPECT_PRINTED(_words); \
	EXPECT_PRINTED(truth); \
	snprintf(_words, sizeof(_words), "fd %d, buffer 1, %#lx+%#zx\n", self->ring, \
		 (unsigned long)self->at, self->size); \
	EXPECT_PRINTED(_words); \
	RUN("check", "--json", "--lint", self->pid); \
	EXPECT_STATUS(MISMATCH); \
	snprintf(_words, sizeof(_words), "\"start\":\"%#llx\",\"pages\":%d,\"verdict\":\"mismatch\",\"rule\":\"pinned-replaced\"", \
		 _addr, pages); \
	EXPECT_PRINTED(_words); \
} while (0)

TEST_F(pins, untouched)
{
	RUN("pins", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("looked at 1 process: no descriptor of an io_uring ring\n");
	HOLD();
	EXPECT_SILENT(PAGES + 1);
	RUN("pins", "--all");
	EXPECT_PRINTED(" io_uring ");
}

TEST_F(pins, dontneed)
{
	HOLD();
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, 3 * self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 3, "truth     no page is there\n");
	self->at[5 * self->page] = 2;
	EXPECT_TOLD(5, 1, ": nobody pins the page\n");
	/* Read only: the zero page. */
	(void)((volatile char *)self->at)[6 * self->page];
	EXPECT_TOLD(6, 1, "truth     the zero page\n");
	/* Elsewhere nothing is wrong. */
	char range[64];

	snprintf(range, sizeof(range), "%#lx+%#zx", (unsigned long)self->at, 4 * self->page);
	RUN("check", "--lint", self->pid, range);
	EXPECT_STATUS(MATCH);
	/* Nor is it once the buffers are those that are there. */
	close(self->ring);
	HOLD();
	EXPECT_SILENT(PAGES + 1);
}

/* Of many places that are alike, the first are told, and the others counted. */
TEST_F(pins, many_places)
{
	char fourth[32];

	HOLD();
	for (int i = 2; i < 12; i += 2)
		ASSERT_EQ(0, madvise(self->at + i * self->page, self->page, MADV_DONTNEED));
	self->at[2 * self->page] = 2;
	EXPECT_TOLD(2, 1, ": nobody pins the page\n");
	EXPECT_TOLD(8, 1, "truth     no page is there\n");
	RUN("pins", self->pid);
	snprintf(fourth, sizeof(fourth), ") %#lx,", (unsigned long)self->at + 10 * self->page);
	EXPECT_UNPRINTED(fourth, "  alike     1 more page, at 1 place: no page is there (--json prints all)\n");
	EXPECT_PRINTED(" 5 replaced, 0 unknown");
	RUN("pins", "--json", self->pid);
	snprintf(fourth, sizeof(fourth), "\"start\":\"%#lx\",\"pages\":1,",
		 (unsigned long)self->at + 10 * self->page);
	EXPECT_PRINTED(fourth);
}

/* It is one ring. */
TEST_F(pins, duplicates)
{
	int copies[2];

	HOLD();
	copies[0] = dup(self->ring);
	copies[1] = dup(self->ring);
	EXPECT_SILENT(PAGES + 1);
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 1, "truth     no page is there\n");
	RUN("pins", self->pid);
	EXPECT_PRINTED("1 process, 1 ring with 2 buffers: 16 pages held, 1 replaced, 0 unknown\n");
	close(copies[0]);
	close(copies[1]);
}

TEST_F(pins, map_fixed)
{
	HOLD();
	ASSERT_NE(MAP_FAILED, mmap(self->at + 8 * self->page, 2 * self->page,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_TOLD(8, 2, "truth     no page is there\n");
	self->at[8 * self->page] = 2;
	EXPECT_TOLD(8, 1, ": nobody pins the page\n");
}

TEST_F(pins, mremap)
{
	void *other;

	HOLD();
	other = mremap(self->at + 8 * self->page, 2 * self->page, 2 * self->page,
		       MREMAP_MAYMOVE | MREMAP_FIXED, room(2 * self->page, self->page));
	ASSERT_NE(MAP_FAILED, other);
	EXPECT_TOLD(8, 2, "truth     nothing is mapped\n");
}

/* All of it, so that no page of the buffer tells whose it is. */
TEST_F(pins, all_of_it)
{
	HOLD();
	ASSERT_EQ(0, madvise(self->at, self->size, MADV_DONTNEED));
	EXPECT_TOLD(0, PAGES, "truth     no page is there\n");
}

/* Who runs is looked at for seconds, which a budget ends: what is wrong isn't known then. */
TEST_F(pins, budget)
{
	char child[16], seconds[16];
	int ready[2], err = -1;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		err = hold(self) ?: madvise(self->at, self->page, MADV_DONTNEED);
		if (write(ready[1], &err, sizeof(err)) != sizeof(err))
			_exit(1);
		for (;;)
			;
	}
	close(ready[1]);
	ASSERT_EQ(sizeof(err), read(ready[0], &err, sizeof(err)));
	close(ready[0]);
	if (err == -ENOSYS) {
		process_end(pid);
		SKIP(return, "the kernel has no io_uring");
	}
	EXPECT_EQ(0, err);
	snprintf(child, sizeof(child), "%d", pid);
	/* It is of two buffers. */
	RUN("pins", child);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(" 2 replaced, 0 unknown");
	/* Until the first look is within the budget. */
	for (int budget = 1; budget < PATIENCE; budget++) {
		snprintf(seconds, sizeof(seconds), "%d", budget);
		RUN("pins", "--budget", seconds, child);
		if (out.status != UNSTABLE || strstr(out.text, " 2 unknown"))
			break;
	}
	EXPECT_STATUS(UNSTABLE);
	EXPECT_PRINTED(" 0 replaced, 2 unknown");
	EXPECT_UNPRINTED("pinned-replaced", "partial: ended by the budget");
	process_end(pid);
}

/**
 * struct worked_with - a ring with a buffer that somebody works with until @uffd is closed
 * @files: Memory without a page, from which the numbers of files are read.
 * @ended: They were.
 */
struct worked_with {
	int ring, uffd;
	struct iovec buffer;
	char *files;
	volatile bool ended;
	pthread_t thread;
};

static void *wait_for_page(void *arg)
{
	struct worked_with *w = arg;

	syscall(SYS_io_uring_register, w->ring, IORING_REGISTER_FILES, w->files, 1);
	w->ended = true;
	return NULL;
}

static bool work_with(struct worked_with *w, size_t page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	w->buffer = (struct iovec){ room(page, page), page };
	w->files = room(page, page);
	range.range = (struct uffdio_range){ (unsigned long)w->files, page };
	w->ring = ring_open();
	w->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return w->buffer.iov_base && w->files && w->ring >= 0 && w->uffd >= 0 &&
	       !ring_register(w->ring, &w->buffer, 1) &&
	       !ioctl(w->uffd, UFFDIO_API, &api) &&
	       !ioctl(w->uffd, UFFDIO_REGISTER, &range) &&
	       !pthread_create(&w->thread, NULL, wait_for_page, w);
}

/* Whether it waits for the page; the ring can't be read from then on. */
static bool is_worked_with(const struct worked_with *w)
{
	struct pollfd fault = { .fd = w->uffd, .events = POLLIN };

	while (!w->ended)
		if (poll(&fault, 1, 100) == 1)
			return true;
	return false;
}

static void end_work(struct worked_with *w)
{
	close(w->uffd);
	pthread_join(w->thread, NULL);
}

/* A ring that is busy all the time doesn't hide what is wrong with another. */
TEST_F(pins, beside_a_busy_one)
{
	struct worked_with w = { 0 };

	HOLD();
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, 3 * self->page, MADV_DONTNEED));
	ASSERT_TRUE(work_with(&w, self->page));
	ASSERT_TRUE(is_worked_with(&w));
	EXPECT_TOLD(4, 3, "truth     no page is there\n");
	RUN("pins", self->pid);
	EXPECT_PRINTED(" 1 ring with 2 buffers: 14 pages held, 3 replaced, 0 unknown\n");
	EXPECT_PRINTED("left out: 1 ring: somebody worked with it each time that it was read\n");
	end_work(&w);
	RUN("pins", self->pid);
	EXPECT_PRINTED(" 2 rings with 3 buffers: 15 pages held, 3 replaced, 0 unknown\n");
	EXPECT_UNPRINTED("somebody worked with", " 2 rings with ");
	close(w.ring);
}

/* A hole in shared memory, and another page in it. */
TEST_F(pins, shared)
{
	int fd = memfd_create("pins", 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_NE(MAP_FAILED, mmap(self->at, self->size, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	memset(self->at, 1, self->size);
	HOLD();
	EXPECT_SILENT(PAGES + 1);
	/* Unmapped for now, as by reclaim: it is the same page. */
	ASSERT_EQ(0, madvise(self->at, 2 * self->page, MADV_DONTNEED));
	RUN("pins", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("14 pages held, 0 replaced, 3 unknown");
	memset(self->at, 1, self->size);
	EXPECT_SILENT(PAGES + 1);
	ASSERT_EQ(0, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       8 * self->page, self->page));
	self->at[8 * self->page] = 2;
	EXPECT_TOLD(8, 1, ": nobody pins the page\n");
	close(fd);
}

/*
 * A child has the ring, and other pages: those that are pinned are copied at once. It has
 * a ring of its own, too.
 */
TEST_F(pins, fork)
{
	int ready[2], ring;
	char byte, child[16];
	pid_t pid;

	HOLD();
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		char *own = room(self->page, self->page);
		const struct iovec buffer = { own, self->page };

		*own = 1;
		ring = ring_open();
		byte = ring < 0 || ring_register(ring, &buffer, 1);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(0, byte);
	memset(self->at, 2, self->size);
	EXPECT_SILENT(PAGES + 1);
	snprintf(child, sizeof(child), "%d", pid);
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("2 rings with 3 buffers: 1 pages held, 0 replaced");
	EXPECT_PRINTED("left out: 2 buffers: it may be that of another process");
	RUN("check", "--lint", child);
	EXPECT_STATUS(MATCH);
	/* The parent's is told, and not the child's. */
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 1, "truth     no page is there\n");
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	process_end(pid);
	close(ready[0]);
	close(ready[1]);
}

/* The file of the memory, at the same place, by a descriptor that can't write. */
TEST_F(pins, shared_read_only)
{
	const int fd = memfd_create("pins", 0);
	char path[64];
	int other;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_EQ((void *)self->at, mmap(self->at, self->size, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_FIXED, fd, 0));
	memset(self->at, 1, self->size);
	HOLD();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, other);
	ASSERT_EQ((void *)self->at, mmap(self->at, self->size, PROT_READ,
					 MAP_SHARED | MAP_FIXED, other, 0));
	RUN("pins", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" 0 pages held, 0 replaced, 17 unknown\n");
	for (size_t i = 0; i < self->size; i += self->page)
		EXPECT_EQ(1, ((volatile char *)self->at)[i]);
	EXPECT_SILENT(PAGES + 1);
	close(other);
	close(fd);
}

/* What a child of theirs does with pages that are its own, and that its parent pins. */
static bool pins_in_same_ring(FIXTURE_DATA(pins) *self)
{
	const struct iovec part = { self->at, 4 * self->page };

	return !ring_update(self->ring, 0, &part);
}

/* Behind the parent's buffer, but in its last page. */
static bool pins_in_own_ring(FIXTURE_DATA(pins) *self)
{
	const struct iovec beside = { self->at + self->size, 100 };
	const int ring = ring_open();

	return ring >= 0 && !ring_register(ring, &beside, 1);
}

static bool touches_shared(FIXTURE_DATA(pins) *self)
{
	memset(self->at, 2, self->size);
	return true;
}

static pid_t child_that(FIXTURE_DATA(pins) *self, bool (*does)(FIXTURE_DATA(pins) *self))
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = does(self);
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	if (read(ready[0], &byte, 1) != 1)
		byte = 0;
	close(ready[0]);
	close(ready[1]);
	if (pid > 0 && !byte)
		process_end(pid);
	return byte ? pid : -1;
}

/* Some pages of its parent's buffer are pinned in a child, by itself; its parent's are told. */
static void child_is_silent(struct __test_metadata *_metadata, FIXTURE_DATA(pins) *self,
			    bool (*does)(FIXTURE_DATA(pins) *self), int held)
{
	pid_t pid = child_that(self, does);
	char child[16], words[32];

	ASSERT_LT(0, pid);
	snprintf(child, sizeof(child), "%d", pid);
	snprintf(words, sizeof(words), ": %d pages held, 0 replaced", held);
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("left out: ");
	RUN("check", "--lint", child);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 1, "truth     no page is there\n");
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	process_end(pid);
}

TEST_F(pins, child_in_same_ring)
{
	HOLD();
	child_is_silent(_metadata, self, pins_in_same_ring, 4);
}

TEST_F(pins, child_in_same_page)
{
	self->size -= 200;
	HOLD();
	child_is_silent(_metadata, self, pins_in_own_ring, 1);
	self->size += 200;
}

/* A process with PID @pid or soon behind it that does it, or -1. */
static pid_t child_with(FIXTURE_DATA(pins) *self, int pid, bool (*does)(FIXTURE_DATA(pins) *self))
{
	char before[16];
	pid_t child;

	snprintf(before, sizeof(before), "%d", pid - 1);
	if (proc_write("/proc/sys/kernel/ns_last_pid", before))
		return -1;
	child = child_that(self, does);
	if (child < pid || child > pid + 1000) {
		process_end(child);
		return -1;
	}
	return child;
}

static pid_t *lower;	/* the child of the next one */

/* Doesn't have the last page of its buffer any more, of which a child has pinned its own. */
static bool is_parent_of_lower(FIXTURE_DATA(pins) *self)
{
	if (hold(self) || usleep(100000))
		return false;
	*lower = child_with(self, 10000, pins_in_own_ring);
	return *lower > 0 &&
	       !madvise(self->at + (PAGES - 1) * self->page, self->page, MADV_DONTNEED);
}

/* The ring was there before the child, and the buffer is the child's: the parent has none. */
static bool pins_all_in_same_ring(FIXTURE_DATA(pins) *self)
{
	const struct iovec all = { self->at, self->size };

	memset(self->at, 2, self->size);
	return !ring_register(self->ring, &all, 1);
}

TEST_F(pins, child_in_ring_of_both)
{
	const struct iovec first = { self->at, 4 * self->page };
	const int other = ring_open();
	char child[16];
	pid_t pid;

	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	/* Of its own, the parent has some of these pages pinned. */
	ASSERT_EQ(0, ring_register(other, &first, 1));
	pid = child_that(self, pins_all_in_same_ring);
	ASSERT_LT(0, pid);
	snprintf(child, sizeof(child), "%d", pid);
	RUN("pins", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("2 rings with 2 buffers: 4 pages held, 0 replaced");
	EXPECT_PRINTED("left out: 1 buffer: it may be that of another process");
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" 0 replaced");
	process_end(pid);
	close(other);
}

/* Behind the last PID comes a low one: the time says who was there before. */
TEST_F(pins, lower_pid)
{
	char parent[16], child[16], words[64];
	pid_t pid;

	lower = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)lower);
	self->size -= 200;
	HOLD();
	close(self->ring);
	self->ring = -1;
	pid = child_with(self, 20000, is_parent_of_lower);
	if (pid < 0 && access("/proc/sys/kernel/ns_last_pid", W_OK))
		SKIP(return, "PIDs can't be chosen (CONFIG_CHECKPOINT_RESTORE)");
	ASSERT_LT(0, pid);
	snprintf(parent, sizeof(parent), "%d", pid);
	snprintf(child, sizeof(child), "%d", *lower);
	snprintf(words, sizeof(words), ") %#lx, 1 page, pinned-replaced\n",
		 (unsigned long)self->at + (PAGES - 1) * self->page);
	RUN("pins", parent);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(words);
	RUN("pins", child);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("left out: 2 buffers: it may be that of another process");
	process_end(pid);
	self->size += 200;
	munmap(lower, self->page);
}

/* A buffer of private memory and of a file, of which a child has the pinned pages. */
TEST_F(pins, child_of_both)
{
	char *at = self->at + 8 * self->page;
	const int fd = memfd_create("pins", 0);
	int err;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_EQ((void *)at, mmap(at, 8 * self->page, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	memset(self->at, 1, self->size);
	close(fd);
	err = hold(self);
	/* Before Linux 6.5 a buffer is of one kind of memory: io_pin_pages(). */
	if (err == -EINVAL)
		SKIP(return, "the kernel takes no buffer of two kinds of memory");
	if (err == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	ASSERT_EQ(0, err);
	child_is_silent(_metadata, self, touches_shared, 0);
}

static bool gives_up_half(FIXTURE_DATA(pins) *self)
{
	memset(self->at, 2, self->size);
	return !munmap(self->at + self->size / 2, self->size / 2);
}

/* Has the buffers of its parent's ring be its own, which has the same pages. */
static bool takes_over(FIXTURE_DATA(pins) *self)
{
	const struct iovec first = { self->at, self->page }, all = { self->at, self->size };

	memset(self->at, 2, self->size);
	return !ring_update(self->ring, 0, &first) && !ring_update(self->ring, 1, &all);
}

#define OTHERS	"left out: 1 buffer: it may be that of another process"

/* Shared memory that one has registered, the other may unmap. What is in no file is told. */
TEST_F(pins, shared_with_child)
{
	const int fd = memfd_create("pins", MFD_CLOEXEC);
	const bool parents[] = { true, false };
	char child[16];
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, ftruncate(fd, self->size));
		ASSERT_EQ((void *)self->at, mmap(self->at, self->size, PROT_READ | PROT_WRITE,
						 MAP_SHARED | MAP_FIXED, fd, 0));
		memset(self->at, 1, self->size);
		HOLD();
		pid = child_that(self, parents[i] ? gives_up_half : takes_over);
		ASSERT_LT(0, pid);
		snprintf(child, sizeof(child), "%d", pid);
		if (!parents[i])
			ASSERT_EQ(0, munmap(self->at + self->size / 2, self->size / 2));
		RUN("pins", parents[i] ? child : self->pid);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(OTHERS);
		RUN("check", "--lint", parents[i] ? child : self->pid);
		EXPECT_STATUS(MATCH);
		RUN("pins", parents[i] ? self->pid : child);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(": 17 pages held, 0 replaced");
		if (parents[i]) {
			ASSERT_EQ(0, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					       4 * self->page, self->page));
			self->at[4 * self->page] = 2;
			EXPECT_TOLD(4, 1, ": nobody pins the page\n");
		}
		process_end(pid);
		close(self->ring);
	}
	self->ring = -1;
	close(fd);
}

/* A program that goes on with the ring of the one before it, and not with its memory. */
TEST_F(pins, exec)
{
	char child[16], words[128];
	double begun = seconds_now();
	pid_t pid;

	HOLD();
	close(self->ring);
	self->ring = -1;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (!hold(self) && !fcntl(self->ring, F_SETFD, 0))
			execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	snprintf(child, sizeof(child), "%d", pid);
	/* Until it is another program. */
	do {
		RUN("pins", child);
	} while (out.status != MISMATCH && seconds_now() < begun + PATIENCE);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), " (sleep) %#lx, %d pages, pinned-replaced\n",
		 (unsigned long)self->at, PAGES);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("truth     nothing is mapped\n");
	RUN("check", "--lint", child);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("pinned-replaced");
	process_end(pid);
}

/* A fork() that forgets to copy them: who writes first gets another page, the parent here. */
TEST_F(pins, fork_forgets)
{
	pid_t pid;

	HOLD();
	if (!busy_forget_pins())
		SKIP(return, "no driver that has fork() forget");
	pid = worker_copies(self->at, 0);
	ASSERT_LT(0, pid);
	EXPECT_SILENT(PAGES + 1);
	self->at[4 * self->page] = 2;
	EXPECT_TOLD(4, 1, ": nobody pins the page\n");
	process_end(pid);
}

/* Pages that are to be moved away or swapped out, and stay. */
TEST_F(pins, reclaim)
{
	HOLD();
	madvise(self->at, self->size, MADV_PAGEOUT);
	proc_write("/proc/sys/vm/compact_memory", "1");
	EXPECT_SILENT(PAGES + 1);
	madvise(self->at, self->size, MADV_COLD);
	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_NONE));
	EXPECT_SILENT(PAGES + 1);
	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_READ | PROT_WRITE));
}

/* Rings that were closed let go of their pages after a while. */
static void await_no_orphans(void)
{
	const double begun = seconds_now();

	do {
		RUN("pins", "--orphans");
	} while (out.status != MATCH && seconds_now() < begun + PATIENCE);
}

/* A buffer in a huge page, which is then mapped by small entries. */
TEST_F(pins, split)
{
	char *at = huge_room();
	struct iovec buffer;

	ASSERT_NE(NULL, at);
	memset(at, 1, HUGE_ROOM);
	buffer = (struct iovec){ at + 5 * self->page, 8 * self->page };
	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	ASSERT_EQ(0, ring_register(self->ring, &buffer, 1));
	EXPECT_SILENT(8);
	ASSERT_EQ(0, mprotect(at + 6 * self->page, self->page, PROT_READ));
	EXPECT_SILENT(8);
	await_no_orphans();
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("left out: 1 page:", " frames looked at: 0 pinned");
	ASSERT_EQ(0, madvise(at + 7 * self->page, self->page, MADV_DONTNEED));
	RUN("pins", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("7 pages held, 1 replaced");
	/* Its pins are those of all of the huge page, if it is one. */
	RUN("pins", "--orphans");
	EXPECT_TRUE(strstr(out.text, "left out: 1 page: no process maps it, but its large folio") ||
		    strstr(out.text, " frames looked at: 1 pinned and in nobody's"))
		TH_LOG("printed: %.600s", out.text);
	munmap(at, HUGE_ROOM);
}

/* What the process has no more is in nobody's tables, as long as its holder has it. */
#define EXPECT_ORPHAN() do { \
	struct ptw_page _page; \
	char _words[128]; \
	struct ptw _ptw; \
	ASSERT_EQ(0, ptw_open(&_ptw)); \
	await_no_orphans(); \
	EXPECT_STATUS(MATCH); \
	EXPECT_PRINTED(" frames looked at: 0 pinned and in nobody's tables"); \
	ASSERT_EQ(0, ptw_translate_one(&_ptw, getpid(), \
				       (unsigned long)self->at + 4 * self->page, &_page)); \
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED)); \
	RUN("pins", "--orphans"); \
	EXPECT_STATUS(MISMATCH); \
	snprintf(_words, sizeof(_words), "mismatch: physical %#llx, 1 page, pinned-orphan\n", \
		 (unsigned long long)_page.t.value * self->page); \
	EXPECT_PRINTED(_words); \
	EXPECT_PRINTED("held by nobody's tables"); \
	EXPECT_PRINTED(" frames looked at: 1 pinned and in nobody's tables"); \
	ptw_close(&_ptw); \
} while (0)

TEST_F(pins, orphans)
{
	HOLD();
	EXPECT_ORPHAN();
	RUN("pins", "--orphans", "--budget", "0");
	EXPECT_STATUS(UNSTABLE);
	EXPECT_PRINTED("partial: ended by the budget");
}

static unsigned long long pfn_of(struct ptw *ptw, const char *at)
{
	struct ptw_page page;

	return ptw_translate_one(ptw, getpid(), (unsigned long)at, &page) ? 0 : page.t.value;
}

/* As many are told, if any: no file tells of whom. */
#define EXPECT_ORPHANS(nr) do { \
	char _words[128]; \
	RUN("pins", "--orphans"); \
	EXPECT_STATUS((nr) ? MISMATCH : MATCH); \
	snprintf(_words, sizeof(_words), " frames looked at: %d pinned and in nobody's tables", \
		 nr); \
	EXPECT_PRINTED(_words); \
} while (0)

/* A hole in a file of hugetlb: its pages are on no LRU list, in a file or out of it. */
TEST_F(pins, hole_of_hugetlb)
{
	const int fd = memfd_create("pins", MFD_HUGETLB);
	char *at = MAP_FAILED, words[128];
	struct iovec buffer;
	unsigned long long pfn;
	struct stat stat;
	struct ptw ptw;

	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	if (fd < 0)
		SKIP(return, "the kernel has no hugetlb");
	ASSERT_EQ(0, fstat(fd, &stat));
	set_pool(self->pool + 2);
	if (proc_number(POOL) >= self->pool + 2 && !ftruncate(fd, 2 * stat.st_blksize))
		at = mmap(NULL, 2 * stat.st_blksize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		SKIP(return, "the pool has no two pages");
	memset(at, 1, 2 * stat.st_blksize);
	buffer = (struct iovec){ at, 2 * stat.st_blksize };
	ASSERT_EQ(0, ring_register(self->ring, &buffer, 1));
	ASSERT_EQ(0, ptw_open(&ptw));
	pfn = pfn_of(&ptw, at);
	ptw_close(&ptw);
	await_no_orphans();
	EXPECT_ORPHANS(0);
	ASSERT_EQ(0, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			       stat.st_blksize));
	EXPECT_ORPHANS((int)(stat.st_blksize / self->page));
	snprintf(words, sizeof(words), "mismatch: physical %#llx, %zu pages, pinned-orphan\n",
		 pfn * self->page, (size_t)(stat.st_blksize / self->page));
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("memory that was cut out of its file, pinned (references ");
	munmap(at, 2 * stat.st_blksize);
	close(fd);
}

static void of_poison(int sig)
{
}

/* A memory error in a page of hugetlb: the ring keeps what the kernel lets nobody have. */
TEST_F(pins, poisoned_hugetlb)
{
	struct iovec buffer = { .iov_len = HUGE_ROOM };
	char *at;

	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	/* Those of the test before this one are none of the pool then. */
	await_no_orphans();
	set_pool(proc_number(POOL) + 2);
	at = mmap(NULL, HUGE_ROOM, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (at == MAP_FAILED || madvise(at, HUGE_ROOM, MADV_POPULATE_WRITE))
		SKIP(return, "the pool has no page of 2 MiB");
	buffer.iov_base = at;
	ASSERT_EQ(0, ring_register(self->ring, &buffer, 1));
	signal(SIGBUS, of_poison);
	if (madvise(at + 4 * self->page, self->page, MADV_HWPOISON) && errno != EBUSY)
		SKIP(return, "MADV_HWPOISON: %s", strerror(errno));
	await_no_orphans();
	EXPECT_ORPHANS(0);
	RUN("pins", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("with a memory error");
	munmap(at, HUGE_ROOM);
}

/* Memory that a region of RDMA has, or a socket of AF_XDP for its packets. */
FIXTURE(region)
{
	struct rdma rdma;
	struct ptw ptw;
	size_t page, size;
	char *at;
};

FIXTURE_VARIANT(region)
{
	bool is_umem;
};

FIXTURE_VARIANT_ADD(region, rdma) { .is_umem = false };
FIXTURE_VARIANT_ADD(region, umem) { .is_umem = true };

static int holder_open(struct rdma *rdma, bool is_umem)
{
	if (!is_umem)
		return rdma_open(rdma);
	rdma->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (rdma->fd >= 0)
		return 0;
	return errno == EAFNOSUPPORT ? -ENOSYS : -errno;
}

static int holder_register(struct rdma *rdma, bool is_umem, void *at, size_t size)
{
	const struct xdp_umem_reg umem = {
		.addr = (unsigned long)at, .len = size, .chunk_size = 2048,
	};

	if (!is_umem)
		return rdma_register(rdma, at, size);
	return setsockopt(rdma->fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) ? -errno : 0;
}

FIXTURE_SETUP(region)
{
	int err;

	NEED_COMMAND();
	self->rdma.fd = -1;
	self->page = sysconf(_SC_PAGESIZE);
	self->size = PAGES * self->page;
	ASSERT_EQ(0, ptw_open(&self->ptw));
	self->at = room(self->size, self->page);
	ASSERT_NE(NULL, self->at);
	madvise(self->at, self->size, MADV_NOHUGEPAGE);
	memset(self->at, 1, self->size);
	err = holder_open(&self->rdma, variant->is_umem);
	if (err == -ENOSYS)
		SKIP(return, "the kernel has no %s", variant->is_umem ? "AF_XDP" : "rdma_rxe");
	ASSERT_EQ(0, err);
	/* Of the test before this one, too. */
	await_no_orphans();
	EXPECT_STATUS(MATCH);
}

FIXTURE_TEARDOWN(region)
{
	if (self->rdma.fd >= 0)
		close(self->rdma.fd);
	munmap(self->at - self->page, self->size + 2 * self->page);
	ptw_close(&self->ptw);
}

static bool is_pinned(struct ptw *ptw, const char *at)
{
	struct ptw_page page;

	ptw->want_pages = true;
	return !ptw_translate_one(ptw, getpid(), (unsigned long)at, &page) &&
	       page.page.flags & PTWALK_PAGE_FLAG_MAYBE_PINNED;
}

/* Nothing is told of a region of all of the memory, which is there. */
#define REGISTER() do { \
	ASSERT_EQ(0, holder_register(&self->rdma, variant->is_umem, self->at, self->size)); \
	EXPECT_TRUE(is_pinned(&self->ptw, self->at)); \
	EXPECT_TRUE(is_pinned(&self->ptw, self->at + self->size - self->page)); \
	EXPECT_ORPHANS(0); \
} while (0)

#define EXPECT_FRAME(pfn) do { \
	char _words[64]; \
	snprintf(_words, sizeof(_words), "mismatch: physical %#llx, 1 page, pinned-orphan\n", \
		 (pfn) * self->page); \
	EXPECT_PRINTED(_words); \
} while (0)

TEST_F(region, dontneed)
{
	unsigned long long pfn;

	REGISTER();
	pfn = pfn_of(&self->ptw, self->at + 4 * self->page);
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_ORPHANS(1);
	EXPECT_FRAME(pfn);
	/* Another page doesn't make it the process's. */
	self->at[4 * self->page] = 2;
	EXPECT_ORPHANS(1);
	EXPECT_FRAME(pfn);
	EXPECT_FALSE(is_pinned(&self->ptw, self->at + 4 * self->page));
}

static bool is_on_list(struct ptw *ptw, const char *at)
{
	struct ptw_page page;

	return !ptw_translate_one(ptw, getpid(), (unsigned long)at, &page) &&
	       page.page.flags & PTWALK_PAGE_FLAG_LRU;
}

/* One that waits for its LRU list in the batch of a processor that has nothing to do. */
TEST_F(region, batch)
{
	const double begun = seconds_now();
	char *at = self->at + 4 * self->page;
	int cpu, node = 0, status;
	cpu_set_t all, one;

	if (syscall(SYS_move_pages, 0, 0UL, NULL, &node, &status, 0))
		SKIP(return, "the kernel has no move_pages(), and doesn't know NUMA");
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	if (CPU_COUNT(&all) < 2)
		SKIP(return, "a single processor");
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &all); cpu--)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CPU_CLR(cpu, &all);
	/* Its 15th or 31st page, or another process, may empty the batch. */
	do {
		ASSERT_EQ(0, madvise(at, self->page, MADV_DONTNEED));
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
		*at = 1;
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
		self->ptw.want_pages = true;
	} while (is_on_list(&self->ptw, at) && seconds_now() < begun + PATIENCE);
	EXPECT_FALSE(is_on_list(&self->ptw, at));
	ASSERT_EQ(0, holder_register(&self->rdma, variant->is_umem, self->at, self->size));
	ASSERT_EQ(0, madvise(at, self->page, MADV_DONTNEED));
	EXPECT_ORPHANS(1);
}

TEST_F(region, map_fixed)
{
	REGISTER();
	ASSERT_NE(MAP_FAILED, mmap(self->at + 8 * self->page, 2 * self->page,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	self->at[8 * self->page] = 2;
	EXPECT_ORPHANS(2);
}

/* A hole in shared memory: its pages are in no file any more. */
TEST_F(region, hole)
{
	const int fd = memfd_create("rdma", 0);
	unsigned long long pfn;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_NE(MAP_FAILED, mmap(self->at, self->size, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	memset(self->at, 1, self->size);
	REGISTER();
	/* Unmapped for now, as by reclaim: they are found again. */
	ASSERT_EQ(0, madvise(self->at, 2 * self->page, MADV_DONTNEED));
	EXPECT_ORPHANS(0);
	pfn = pfn_of(&self->ptw, self->at + 8 * self->page);
	ASSERT_EQ(0, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       8 * self->page, self->page));
	EXPECT_ORPHANS(1);
	EXPECT_FRAME(pfn);
	EXPECT_PRINTED("memory that was cut out of its file, pinned (references ");
	close(fd);
}

/* The process has the pages still, elsewhere; which address a region has, nobody tells. */
TEST_F(region, mremap)
{
	char *other = room(2 * self->page, self->page);

	REGISTER();
	ASSERT_EQ(other, mremap(self->at + 8 * self->page, 2 * self->page, 2 * self->page,
				MREMAP_MAYMOVE | MREMAP_FIXED, other));
	EXPECT_TRUE(is_pinned(&self->ptw, other));
	EXPECT_ORPHANS(0);
	munmap(other, 2 * self->page);
	EXPECT_ORPHANS(2);
}

/* A child has copies of what is pinned, and its parent's region. */
TEST_F(region, fork)
{
	pid_t pid;

	REGISTER();
	pid = worker_copies(self->at, self->size);
	ASSERT_LT(0, pid);
	memset(self->at, 2, self->size);
	EXPECT_ORPHANS(0);
	ASSERT_EQ(0, madvise(self->at, 3 * self->page, MADV_DONTNEED));
	EXPECT_ORPHANS(3);
	process_end(pid);
}

/* A program that goes on with the region of the one before it, and not with its memory. */
TEST_F(region, exec)
{
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct rdma own;	/* only who has opened it may register */

		if (!holder_open(&own, variant->is_umem) &&
		    !holder_register(&own, variant->is_umem, self->at, self->size)) {
			fcntl(own.fd, F_SETFD, 0);
			execlp("sleep", "sleep", "1000", NULL);
		}
		_exit(1);
	}
	/* Until it has registered them, and is another program. */
	for (double begun = seconds_now(); seconds_now() < begun + PATIENCE; usleep(100000)) {
		RUN("pins", "--orphans");
		if (out.status == MISMATCH)
			break;
	}
	EXPECT_ORPHANS(PAGES);
	process_end(pid);
}

#define TAKEN	1030	/* references, of which 1024 look like a pin */

/* Has as many buffers of @pipe refer to the page at @at. */
static bool splice_often(int pipe, char *at, size_t page)
{
	struct iovec byte = { at, 1 };

	if (fcntl(pipe, F_SETPIPE_SZ, TAKEN * page) < 0)
		return false;
	for (unsigned int i = 0; i < TAKEN; i++)
		if (vmsplice(pipe, &byte, 1, SPLICE_F_NONBLOCK) != 1)
			return false;
	return true;
}

/* What a pipe has is in nobody's tables either, and isn't pinned. */
TEST_F(pins, spliced)
{
	char *at = self->at + 4 * self->page;
	struct ptw ptw;
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, ptw_open(&ptw));
	await_no_orphans();
	EXPECT_STATUS(MATCH);
	ASSERT_TRUE(splice_often(pipes[1], at, self->page));
	EXPECT_TRUE(is_pinned(&ptw, at));
	ASSERT_EQ(0, madvise(at, self->page, MADV_DONTNEED));
	RUN("pins", "--orphans");
	EXPECT_STATUS(UNSTABLE);
	EXPECT_PRINTED("left out: 1 pinned page: ");
	EXPECT_PRINTED(" frames looked at: 0 pinned and in nobody's tables");
	close(pipes[0]);
	close(pipes[1]);
	EXPECT_ORPHANS(0);
	ptw_close(&ptw);
}

/* A dma-buf with the pages of a new *@memfd; -1: there is none. */
static int dmabuf_of(size_t bytes, int *memfd)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes };
	const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int fd = -1;

	*memfd = memfd_create("pins", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	create.memfd = *memfd;
	if (device >= 0 && !ftruncate(*memfd, bytes) &&
	    !fcntl(*memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(device, UDMABUF_CREATE, &create);
	close(device);
	return fd;
}

/* Once the file is closed, its pages are in none, but in the dma-buf; pinned since 6.11. */
TEST_F(pins, dmabuf)
{
	const int cut_out = kernel_since(6, 11) ? 2 : 0;
	int memfd, fd = dmabuf_of(self->size, &memfd);

	if (fd < 0)
		SKIP(return, "there is no udmabuf");
	EXPECT_ORPHANS(0);
	/* Who writes to the file doesn't reach the dma-buf there any more. */
	ASSERT_EQ(0, fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			       2 * self->page));
	EXPECT_ORPHANS(cut_out);
	/* Without debugfs nobody knows how large the dma-buf is. */
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ASSERT_EQ(0, umount2("/sys/kernel/debug", MNT_DETACH));
	RUN("pins", "--orphans");
	EXPECT_STATUS(cut_out ? UNSTABLE : MATCH);
	if (cut_out)
		EXPECT_PRINTED(": 2 pinned pages: cut out of a file, and a dma-buf of udmabuf");
	ASSERT_EQ(0, mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL));
	close(memfd);
	RUN("pins", "--orphans");
	EXPECT_STATUS(cut_out ? UNSTABLE : MATCH);
	if (cut_out)
		EXPECT_PRINTED(": 16 pinned pages: cut out of a file, and a dma-buf of udmabuf");
	EXPECT_UNPRINTED("pinned-orphan", " frames looked at: 0 pinned");
	close(fd);
	EXPECT_ORPHANS(0);
}

/* Of a range of frames, those are listed that can't be moved away, and no others. */
TEST_F(pins, in_the_way)
{
	unsigned long long held, other;
	char *beside = room(self->page, self->page);
	char range[64], line[32], frame[32];
	struct ptw ptw;

	ASSERT_EQ(0, ptw_open(&ptw));
	ASSERT_NE(NULL, beside);
	*beside = 1;
	HOLD();
	held = pfn_of(&ptw, self->at);
	other = pfn_of(&ptw, beside);
	ASSERT_NE(0, held);
	ASSERT_NE(0, other);
	snprintf(range, sizeof(range), "[%llx, %llx)", held, held + 2);
	snprintf(line, sizeof(line), "frame %#llx: ", held);
	RUN("frame", "--pid", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(line);
	EXPECT_PRINTED("\nanonymous ");
	snprintf(range, sizeof(range), "[%llx, %llx)", other, other + 2);
	snprintf(line, sizeof(line), "frame %#llx: ", other);
	RUN("frame", "--pid", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED(line, "\nanonymous ");
	RUN("frame", "-v", "--pid", self->pid, range);
	EXPECT_PRINTED(line);
	/* What is asked about by its own number is always told. */
	snprintf(frame, sizeof(frame), "%llx", other);
	RUN("frame", "--pid", self->pid, range, frame);
	EXPECT_PRINTED(line);
	ptw_close(&ptw);
	munmap(beside - self->page, 3 * self->page);
}

#define JOBS	20

/* Registers the memory and lets go of it again all the time, for longer each time, and counts. */
static void job_after_job(FIXTURE_DATA(pins) *self, volatile unsigned long *done)
{
	const struct iovec buffer = { self->at, self->size };
	const int ring = ring_open();

	while (ring >= 0 && !ring_register(ring, &buffer, 1) && !usleep(*done) &&
	       !ring_unregister(ring))
		++*done;
	_exit(1);
}

/* A buffer for each job, at the same address: what isn't registered isn't pinned. */
TEST_F(pins, job_after_job)
{
	volatile unsigned long *done = mmap(NULL, self->page, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long before;
	/* Earlier kernels wait for RCU once a buffer isn't listed any more. */
	bool listed = !kernel_since(6, 4);
	double until = seconds_now() + PATIENCE;
	char pid[16];
	pid_t child;

	ASSERT_NE(MAP_FAILED, (void *)done);
	HOLD();
	close(self->ring);
	self->ring = -1;
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		job_after_job(self, done);
	snprintf(pid, sizeof(pid), "%d", child);
	for (int i = 0; !*done && i < PATIENCE * 10; i++)
		usleep(100000);
	for (int i = 0; i < JOBS || (!listed && seconds_now() < until); i++) {
		before = *done;
		RUN("pins", pid);
		EXPECT_UNPRINTED("pinned-replaced", " 0 replaced, ");
		listed |= !!strstr(out.text, " io_uring ");
		for (int i = 0; *done == before && i < PATIENCE * 10; i++)
			usleep(100000);
		ASSERT_LT(before, *done);
	}
	EXPECT_TRUE(listed);
	process_end(child);
	munmap((void *)done, self->page);
}

static int times_printed(const char *what)
{
	int nr = 0;

	for (const char *at = out.text; (at = strstr(at, what)); at += strlen(what))
		nr++;
	return nr;
}

/* Many at once, wherever they are: one finding where the addresses are in a row. */
TEST_F(pins, many_at_once)
{
	int places;

	HOLD();
	await_no_orphans();
	EXPECT_ORPHANS(0);
	ASSERT_EQ(0, madvise(self->at, self->size, MADV_DONTNEED));
	memset(self->at, 2, self->size);
	RUN("pins", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(", 16 pages, pinned-replaced\n");
	EXPECT_EQ(2, times_printed("mismatch: "));	/* the first page is in a buffer alone */
	RUN("pins", "--orphans", "--json");
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"orphans\":16,");
	/* The first page has two pins: it is told apart. */
	places = times_printed("\"pinned-orphan\"") - 1;
	EXPECT_ORPHANS(PAGES);
	EXPECT_EQ((places < 3 ? places : 3) + 1, times_printed(", pinned-orphan\n"));
	EXPECT_EQ(places > 3, times_printed("\n  alike     "));
}

/* Slots without a buffer, and registered files, are none. */
TEST_F(pins, left_out)
{
	const struct iovec buffers[] = { { NULL, 0 }, { self->at, self->size } };
	int file = open("/proc/self/exe", O_RDONLY);

	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	ASSERT_EQ(0, ring_register(self->ring, buffers, 2));
	ASSERT_EQ(0, syscall(SYS_io_uring_register, self->ring, IORING_REGISTER_FILES, &file, 1));
	EXPECT_SILENT(PAGES);
	RUN("pins", self->pid);
	EXPECT_PRINTED("1 ring with 1 buffer:");
	EXPECT_PRINTED("left out: 1 registered file: it is no memory\n");
	close(file);
}

/* One that can't be looked at is named, and hides nothing of the others. */
TEST_F(pins, beside_nobody)
{
	RUN("pins", "4194305", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("process 4194305: no such process\n");
	EXPECT_PRINTED("looked at 1 process: no descriptor of an io_uring ring\n");
	HOLD();
	ASSERT_EQ(0, madvise(self->at, self->page, MADV_DONTNEED));
	RUN("pins", "4194305", "2", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("process 4194305: no such process\n");
	EXPECT_PRINTED("process 2: a kernel thread has no address space\n");
	EXPECT_PRINTED(" replaced, 0 unknown\n");
}

TEST_F(pins, without_the_right)
{
	ASSERT_EQ(0, prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE));
	RUN("pins");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("Permission denied (CAP_SYS_PTRACE)\n");
}

#define NOBODY	65534

/* Where /proc shows some of the processes, the others may have rings. */
TEST_F(pins, hidden)
{
	HOLD();
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ASSERT_EQ(0, mount("proc", "/proc", "proc", 0, "hidepid=2"));
	RUN("pins");
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("hidepid", " io_uring ");
	ASSERT_EQ(0, prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE));
	ASSERT_EQ(0, syscall(SYS_setgroups, 0, NULL));
	ASSERT_EQ(0, syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY));
	RUN("pins");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("/proc shows only some of the processes (hidepid)");
	EXPECT_UNPRINTED("looked at all processes", "0 processes, 0 rings with ");
	RUN("pins", "--json");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("\"hidden\":\"/proc shows only some of the processes (hidepid)");
	RUN("pins", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("/proc doesn't show it (hidepid)");
}

#define PROCESSES	500
#define WITH_RING	10	/* each so manieth of them */

/* @nr-th process: has a page registered, or none, says so, and holds still. */
static void hold_a_page(int nr, int ready, size_t page)
{
	char *at = room(page, page), failed = 0;
	const struct iovec buffer = { at, page };
	int ring;

	if (nr % WITH_RING == 0) {
		*at = 1;
		ring = ring_open();
		failed = ring < 0 || ring_register(ring, &buffer, 1);
	}
	if (write(ready, &failed, 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

/* So many processes are done within a budget that one could give to check --all, too. */
TEST_F(pins, many)
{
	pid_t pids[PROCESSES];
	int ready[2], nr;
	char failed = 1;

	self->ring = ring_open();
	if (self->ring == -ENOSYS)
		SKIP(return, "the kernel has no io_uring");
	close(self->ring);
	self->ring = -1;
	ASSERT_EQ(0, pipe(ready));
	for (nr = 0; nr < PROCESSES; nr++) {
		pids[nr] = fork();
		if (pids[nr] < 0)
			break;
		if (!pids[nr])
			hold_a_page(nr, ready[1], self->page);
		if (read(ready[0], &failed, 1) != 1 || failed)
			break;
	}
	EXPECT_EQ(PROCESSES, nr);
	RUN("pins", "--all", "--budget", "30");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\n50 processes, 50 rings with 50 buffers: 50 pages held, 0 replaced, 0 unknown\n");
	RUN("pins", "--all", "--budget", "0");
	EXPECT_STATUS(UNSTABLE);
	for (int i = 0; i <= nr && i < PROCESSES; i++)
		process_end(pids[i]);
	close(ready[0]);
	close(ready[1]);
}

TEST_F(pins, usage)
{
	RUN("pins", "mlx5_0");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	EXPECT_PRINTED("neither a PID nor a device");
	RUN("pins", "--all", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("pins", "--orphans", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	EXPECT_PRINTED("'1': --orphans searches all memory, and all processes: leave it out");
	RUN("pins", "4194305");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
}

TEST_HARNESS_MAIN
