// SPDX-License-Identifier: GPL-2.0
/*
 * ptwalk pins DEVICE where iommufd does what VFIO's container can't: several address
 * spaces, one for several devices, copied mappings, domains made by themselves; and where
 * it stands in for that container. What both can is in vfio_command.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "command.h"
#include "edu.h"
#include "proc.h"
#include "system.h"
#include "test.h"
#include "vfio.h"

#define PAGES	16
#define GIB	(1ULL << 30)

/* Bus addresses that any IOMMU has, and that aren't the process's. */
#define BUS	(5 * GIB)
#define COPY	(6 * GIB)

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

FIXTURE(iommufd)
{
	struct edu e;
	struct vfio vfio, other;
	const char *device;
	size_t page, size;
	char *at;
};

FIXTURE_SETUP(iommufd)
{
	self->vfio = (struct vfio){ .container = -1, .group = -1, .fd = -1 };
	self->other = self->vfio;
	NEED_COMMAND();
	if (!vfio_has_iommufd())
		SKIP(return, "the kernel has no iommufd");
	SETUP_EDU(&self->e, "edu-stream");
	self->device = self->e.name + strlen("pci/");
	self->page = self->e.m.page_size;
	self->size = PAGES * self->page;
	self->at = mmap(NULL, 2 * self->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->at);
	madvise(self->at, 2 * self->size, MADV_NOHUGEPAGE);
	memset(self->at, 1, 2 * self->size);
}

FIXTURE_TEARDOWN(iommufd)
{
	vfio_close(&self->other);
	vfio_close(&self->vfio);
	munmap(self->at, 2 * self->size);
	mapping_release(&self->e.m);
	ptw_close(&self->e.ptw);
}

#define OPEN()	\
	ASSERT_TRUE(vfio_open_iommufd(&self->vfio, self->device, "ptwalk_fixture")) \
		TH_LOG("%s", self->vfio.lacks)

/* Page @number of our memory. */
#define PAGE(number)	(self->at + (number) * self->page)

#define FORGET(number)	ASSERT_EQ(0, madvise(PAGE(number), self->page, MADV_DONTNEED))

/* Device @name has @held pages, and they are the process's. */
#define EXPECT_SILENT(name, held) do { \
	char _words[64]; \
	RUN("pins", name); \
	EXPECT_STATUS(MATCH); \
	snprintf(_words, sizeof(_words), ": %d held, 0 replaced, 0 unknown\n", held); \
	EXPECT_PRINTED(_words); \
	EXPECT_UNPRINTED("not found: ", "\nnot looked up 0x"); \
} while (0)

/*
 * Device @name has @held pages, and by descriptor @fd at @bus another one than the process
 * has for page @number of our memory.
 */
#define EXPECT_TOLD(name, held, number, fd, bus) do { \
	char _words[512]; \
	RUN("pins", name); \
	EXPECT_STATUS(MISMATCH); \
	snprintf(_words, sizeof(_words), ": %d held, 1 replaced, 0 unknown\n", held); \
	EXPECT_PRINTED(_words); \
	snprintf(_words, sizeof(_words), \
		 "mismatch: %d (iommufd_command) %#lx, 1 page, pinned-replaced\n", \
		 getpid(), (unsigned long)PAGE(number)); \
	EXPECT_PRINTED(_words); \
	snprintf(_words, sizeof(_words), \
		 "%s has what was there: fd %d, bus address %#llx, physical 0x", \
		 name, fd, bus); \
	EXPECT_PRINTED(_words); \
} while (0)

/* What an address space has in which no device is, no device has. */
TEST_F(iommufd, two_spaces)
{
	struct vfio elsewhere;

	OPEN();
	elsewhere = self->vfio;
	elsewhere.ioas = vfio_ioas(&self->vfio);
	ASSERT_NE(0, elsewhere.ioas);
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	ASSERT_EQ(0, vfio_map(&elsewhere, PAGE(PAGES), self->size, BUS + self->size));
	EXPECT_SILENT(self->device, PAGES);
	FORGET(PAGES + 4);
	EXPECT_SILENT(self->device, PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, BUS + 4 * self->page);
	/* The other way round, once the device is there. */
	memset(PAGE(0), 1, 2 * self->size);
	ASSERT_EQ(0, vfio_attach(&self->vfio, elsewhere.ioas));
	EXPECT_SILENT(self->device, PAGES);
	FORGET(4);
	EXPECT_SILENT(self->device, PAGES);
	FORGET(PAGES + 5);
	EXPECT_TOLD(self->device, PAGES - 1, PAGES + 5, self->vfio.group,
		    BUS + self->size + 5 * self->page);
}

/* A mapping that was copied is of the same pages, also when the first is gone. */
TEST_F(iommufd, copied)
{
	struct vfio elsewhere;

	OPEN();
	elsewhere = self->vfio;
	elsewhere.ioas = vfio_ioas(&self->vfio);
	ASSERT_NE(0, elsewhere.ioas);
	ASSERT_EQ(0, vfio_map(&elsewhere, PAGE(0), self->size, BUS));
	ASSERT_EQ(0, vfio_copy(&self->vfio, elsewhere.ioas, BUS, self->size, COPY));
	EXPECT_SILENT(self->device, PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, COPY + 4 * self->page);
	ASSERT_EQ(0, vfio_unmap(&elsewhere, self->size, BUS));
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, COPY + 4 * self->page);
}

/* Of several mappings beside one another only what is left. */
TEST_F(iommufd, unmapped)
{
	OPEN();
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(PAGES), self->size, BUS + self->size));
	EXPECT_SILENT(self->device, 2 * PAGES);
	/* Not a part of one. */
	EXPECT_EQ(-ENOENT, vfio_unmap(&self->vfio, self->page, BUS));
	ASSERT_EQ(0, vfio_unmap(&self->vfio, self->size, BUS));
	FORGET(4);
	EXPECT_SILENT(self->device, PAGES);
	FORGET(PAGES + 4);
	EXPECT_TOLD(self->device, PAGES - 1, PAGES + 4, self->vfio.group,
		    BUS + self->size + 4 * self->page);
}

/* A domain that was asked for, of an address space that has memory already. */
TEST_F(iommufd, domain)
{
	u32 ioas, domain;

	OPEN();
	ioas = vfio_ioas(&self->vfio);
	domain = vfio_domain(&self->vfio, ioas);
	ASSERT_NE(0, domain);
	self->vfio.ioas = ioas;
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	/* It is pinned for that domain, in which the device isn't. */
	RUN("pins", self->device);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\nnot found: 16 pages that are charged ");
	ASSERT_EQ(0, vfio_attach(&self->vfio, domain));
	EXPECT_SILENT(self->device, PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, BUS + 4 * self->page);
}

#define IVSHMEM	"0x1110"

/* Another device that can be had, QEMU's ivshmem, which no driver takes. */
static bool find_other(char *device, size_t size)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	struct dirent *entry;
	char path[512], id[16];
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device", entry->d_name);
		found = !proc_read(path, id, sizeof(id)) && !strncmp(id, IVSHMEM, strlen(IVSHMEM));
		if (found)
			snprintf(device, size, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Each of the devices in an address space has what that has. */
TEST_F(iommufd, two_devices)
{
	char name[256];

	ASSERT_TRUE(find_other(name, sizeof(name)));
	OPEN();
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	ASSERT_TRUE(vfio_share_iommufd(&self->other, name, "none", &self->vfio))
		TH_LOG("%s", self->other.lacks);
	EXPECT_SILENT(self->device, PAGES);
	EXPECT_SILENT(name, PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, BUS + 4 * self->page);
	EXPECT_TOLD(name, PAGES - 1, 4, self->other.group, BUS + 4 * self->page);
	/* In one of its own, it has nothing. */
	ASSERT_EQ(0, vfio_attach(&self->other, vfio_ioas(&self->vfio)));
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, BUS + 4 * self->page);
	RUN("pins", name);
	EXPECT_STATUS(MATCH);
}

/* iommufd in place of the container of a group. */
TEST_F(iommufd, compat)
{
	ASSERT_TRUE(vfio_open_compat(&self->vfio, self->device, "ptwalk_fixture",
				     self->e.device.group))
		TH_LOG("%s", self->vfio.lacks);
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	EXPECT_SILENT(self->device, PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, PAGES - 1, 4, self->vfio.group, BUS + 4 * self->page);
	ASSERT_EQ(0, vfio_unmap(&self->vfio, self->size, BUS));
	RUN("pins", self->device);
	EXPECT_STATUS(MATCH);
}

/* A device that is bound and in no address space reaches nothing. */
TEST_F(iommufd, detached)
{
	OPEN();
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	FORGET(4);
	ASSERT_EQ(0, vfio_detach(&self->vfio));
	RUN("pins", self->device);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	EXPECT_PRINTED("nothing is mapped for it: its domain is 'blocked'\n");
	/* The pages were given back, and what is there now is pinned. */
	ASSERT_EQ(0, vfio_attach(&self->vfio, self->vfio.ioas));
	EXPECT_SILENT(self->device, PAGES);
}

/* Two processes have mapped memory for a device, each its own. */
TEST_F(iommufd, two_processes)
{
	char words[64];
	int done[2];
	pid_t pid;
	char ok;

	OPEN();
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ok = !vfio_map(&self->vfio, PAGE(0), self->size, BUS);
		write(done[1], &ok, 1);
		pause();
	}
	ASSERT_EQ(1, read(done[0], &ok, 1));
	ASSERT_EQ(1, ok);
	ASSERT_EQ(0, vfio_map(&self->vfio, PAGE(0), self->size, BUS + self->size));
	EXPECT_SILENT(self->device, 2 * PAGES);
	FORGET(4);
	EXPECT_TOLD(self->device, 2 * PAGES - 1, 4, self->vfio.group,
		    BUS + self->size + 4 * self->page);
	/* Of whom the other half was. */
	process_end(pid);
	RUN("pins", self->device);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), ": 15 held, 17 replaced, 0 unknown\n");
	EXPECT_PRINTED(words);
	close(done[0]);
	close(done[1]);
}

/* Memory of a process that has ended, and left the device to another. */
TEST_F(iommufd, left)
{
	char words[128];
	int status = -1;
	pid_t pid;

	OPEN();
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(!!vfio_map(&self->vfio, PAGE(0), self->size, BUS));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	RUN("pins", self->device);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), "mismatch: %d (iommufd_command), 16 pages, pinned-replaced\n",
		 getpid());
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("truth     no page table has the page any more\n");
}

TEST_HARNESS_MAIN
