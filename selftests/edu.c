// SPDX-License-Identifier: GPL-2.0
/*
 * A device that really does DMA. It writes to a bus address, the process finds
 * the data in its memory, and the module translates that bus address to the
 * frame in the process's page tables: both behind an IOMMU, where the bus
 * address differs from the physical one, and without.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <netlink/netlink.h>
#define EDU_NEEDS()
#include "edu_fixture.h"
#include "lockdown.h"
#include "proc.h"
#include "system.h"

/* How much the device copies at a time: not a whole page, nor its start. */
#define BYTES	1024

static char text[64 * 1024];

/* One request to the driver; 0 or a negative errno. */
static int command(int fd, const char *format, ...)
{
	char line[64];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return write(fd, line, n) == n ? 0 : -errno;
}

static void fill(unsigned char *at, size_t size, u32 seed)
{
	size_t i;

	for (i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		at[i] = seed >> 16;
	}
}

/* Physical address of an address of ours, by our page tables. */
static u64 phys_of(struct __test_metadata *_metadata, struct edu *self,
		   const void *at)
{
	u64 size = self->m.page_size;
	struct ptw_page page;

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), (uintptr_t)at, &page));
	ASSERT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	return page.t.value * size + (uintptr_t)at % size;
}

/* Physical address of a bus address, as the module has it. */
static u64 phys_of_bus(struct __test_metadata *_metadata,
		       struct edu *self, u64 bus)
{
	struct ptw_iova iova;
	u64 phys = 0;

	ASSERT_EQ(0, ptw_iova(&self->ptw, self->name, bus, bus, &iova))
		TH_LOG("%s", iova.flaw ?: self->ptw.error.message);
	ASSERT_TRUE(ptw_iova_find(&iova, bus, &phys));
	return phys;
}

/* Bus address of a physical one, as the module has it without an IOMMU. */
static u64 bus_of_phys(struct __test_metadata *_metadata,
		       struct edu *self, u64 phys)
{
	struct ptw_device device;

	ASSERT_EQ(0, ptw_device(&self->ptw, self->name, &phys, 1, &device));
	ASSERT_EQ(1, device.nr_bus);
	return device.bus[0];
}

TEST_F(device, facts)
{
	EXPECT_STREQ("ptwalk_fixture", self->e.device.driver);
	EXPECT_TRUE(self->e.device.flags & PTWALK_DEVICE_FLAG_DMA);
	EXPECT_LE(24, __builtin_popcountll(self->e.device.mask));
	EXPECT_GE(32, __builtin_popcountll(self->e.device.mask));
	EXPECT_EQ(0, self->e.device.mask & (self->e.device.mask + 1));
	EXPECT_EQ(0, self->e.device.nr_bus);
	if (self->e.translated) {
		EXPECT_LE(0, self->e.device.group);
		EXPECT_TRUE(self->e.device.page_sizes & self->e.m.page_size);
		EXPECT_LT(self->e.device.first, self->e.device.last);
	} else {
		EXPECT_EQ(0, self->e.device.page_sizes);
	}
}

/* What the process wrote comes back at another place, and nowhere else. */
TEST_F(edu, dma)
{
	u64 size = self->e.m.page_size, length = self->e.region.length;
	unsigned char *before = malloc(length);
	u64 from = size + 256, to = 5 * size + 512;

	ASSERT_TRUE(self->e.region.has_dma);
	fill((void *)self->e.at, length, 7);
	memcpy(before, self->e.at, length);
	ASSERT_EQ(0, command(self->e.m.fd, "load %llx %x", self->e.region.dma + from, BYTES));
	ASSERT_EQ(0, command(self->e.m.fd, "store %llx %x", self->e.region.dma + to, BYTES));
	EXPECT_NE(0, memcmp(before + to, self->e.at + to, BYTES));
	EXPECT_EQ(0, memcmp(before + from, self->e.at + to, BYTES));
	memcpy(before + to, before + from, BYTES);
	EXPECT_EQ(0, memcmp(before, self->e.at, length));
	free(before);
}

/* Each page: virtual to physical by its tables is bus to physical by others. */
TEST_F(edu, addresses)
{
	u64 size = self->e.m.page_size, i;

	for (i = 0; i < self->e.pages; i++) {
		u64 bus = self->e.region.dma + i * size;
		u64 phys = phys_of(_metadata, &self->e, self->e.at + i * size);

		EXPECT_EQ(driver_frame(&self->e.region, i, size) * size, phys);
		if (self->e.translated) {
			EXPECT_EQ(phys, phys_of_bus(_metadata, &self->e, bus));
			/* The point of it all. */
			EXPECT_NE(bus, phys);
		} else {
			EXPECT_EQ(bus, bus_of_phys(_metadata, &self->e, phys));
		}
	}
}

/* The whole region at once, and just before it and behind it what there is. */
TEST_F(edu, stretches)
{
	u64 size = self->e.m.page_size, first = self->e.region.dma, found = 0, i, phys;
	struct ptw_iova iova;
	int err;

	err = ptw_iova(&self->e.ptw, self->e.name, first, first + self->e.region.length - 1,
		       &iova);
	if (!self->e.translated) {
		EXPECT_EQ(-EOPNOTSUPP, err);
		EXPECT_NE(NULL, strstr(self->e.ptw.error.message, "no IOMMU domain"));
		return;
	}
	ASSERT_EQ(0, err)
		TH_LOG("%s", iova.flaw ?: self->e.ptw.error.message);
	for (i = 0; i < iova.nr; i++)
		found += iova.stretch[i].bytes;
	EXPECT_EQ(self->e.region.length, found);
	if (!self->e.region.nr_pages)
		EXPECT_EQ(1, iova.nr);
	for (i = 0; i < self->e.pages; i++) {
		ASSERT_TRUE(ptw_iova_find(&iova, first + i * size + 5, &phys));
		EXPECT_EQ(driver_frame(&self->e.region, i, size) * size + 5, phys);
	}
}

/* Behind an IOMMU, a physical address given to the device leads nowhere. */
TEST_F(device, physical_address_instead)
{
	u64 phys = phys_of(_metadata, &self->e, self->e.at);
	struct ptw_iova iova;
	char before[BYTES];

	if (!self->e.translated) {
		/* Here it is the bus address, but for the device's offset. */
		EXPECT_EQ(self->e.region.dma, bus_of_phys(_metadata, &self->e, phys));
		return;
	}
	ASSERT_GE(self->e.device.mask, phys + BYTES - 1);
	ASSERT_EQ(0, ptw_iova(&self->e.ptw, self->e.name, phys, phys + BYTES - 1, &iova));
	EXPECT_EQ(0, iova.nr);
	fill((void *)self->e.at, self->e.region.length, 11);
	memcpy(before, self->e.at, BYTES);
	ASSERT_EQ(0, command(self->e.m.fd, "load %llx %x",
			     self->e.region.dma + 4 * self->e.m.page_size, BYTES));
	ASSERT_EQ(0, command(self->e.m.fd, "store %llx %x", phys, BYTES));
	EXPECT_EQ(0, memcmp(before, self->e.at, BYTES));
	ASSERT_EQ(0, command(self->e.m.fd, "store %llx %x", self->e.region.dma, BYTES));
	EXPECT_NE(0, memcmp(before, self->e.at, BYTES));
}

/* Memory that isn't the driver's to give is refused. */
TEST_F(device, refused)
{
	u64 end = self->e.region.dma + self->e.region.length;
	static char page[4096];

	/* Regions may follow each other, but none is copied to across its end. */
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store %llx %x", end - BYTES + 1, BYTES));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store %llx %x", self->e.region.dma - 1, BYTES));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store 0 %x", BYTES));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store %llx 0", self->e.region.dma));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "load %llx 1001", self->e.region.dma));
	EXPECT_EQ(-EINVAL,
		  command(self->e.m.fd, "store %llx ffffffffffffffff", self->e.region.dma));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "pin %lx 10", (unsigned long)page));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "pin 0 0"));
	EXPECT_EQ(-EFAULT, command(self->e.m.fd, "pin 0 %llx", self->e.m.page_size));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "nonsense"));
}

/**
 * struct pinned - a page of ours that the device may use
 */
struct pinned {
	u64 addr, phys, bus;
};

static size_t read_pinned(int fd, struct pinned *pinned, size_t max)
{
	size_t nr = 0;
	ssize_t n, done = 0;
	char *line;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, text + done, sizeof(text) - 1 - done)) > 0)
		done += n;
	text[done] = '\0';
	for (line = strstr(text, "\npinned "); line && nr < max;
	     line = strstr(line + 1, "\npinned "))
		if (sscanf(line, " pinned %llx %llx %llx", &pinned[nr].addr,
			   &pinned[nr].phys, &pinned[nr].bus) == 3)
			nr++;
	return nr;
}

#define PINS	4

/* Anonymous memory of this process, as a driver gets it from its caller. */
TEST_F(device, own_memory)
{
	u64 size = self->e.m.page_size, i;
	struct pinned pinned[PINS + 1];
	struct ptw_iova iova;
	unsigned char *own;
	char before[BYTES];

	own = mmap(NULL, PINS * size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, own);
	fill(own, PINS * size, 13);
	ASSERT_EQ(0, command(self->e.m.fd, "pin %lx %llx", (unsigned long)own, PINS * size));
	EXPECT_EQ(-EBUSY, command(self->e.m.fd, "pin %lx %llx", (unsigned long)own, size));
	ASSERT_EQ(PINS, read_pinned(self->e.m.fd, pinned, PINS + 1));
	for (i = 0; i < PINS; i++) {
		EXPECT_EQ((uintptr_t)own + i * size, pinned[i].addr);
		EXPECT_EQ(phys_of(_metadata, &self->e, own + i * size), pinned[i].phys);
		if (self->e.translated) {
			EXPECT_EQ(pinned[i].phys, phys_of_bus(_metadata, &self->e, pinned[i].bus));
			EXPECT_NE(pinned[i].phys, pinned[i].bus);
		} else if (bus_of_phys(_metadata, &self->e, pinned[i].phys) + size - 1 <=
			   self->e.device.mask) {
			EXPECT_EQ(pinned[i].bus, bus_of_phys(_metadata, &self->e, pinned[i].phys));
		} else {
			/* What the device doesn't reach is copied. */
			EXPECT_GE(self->e.device.mask, pinned[i].bus + size - 1);
		}
	}

	memcpy(before, own + 2 * size, BYTES);
	ASSERT_EQ(0, command(self->e.m.fd, "load %llx %x", pinned[0].bus + 512, BYTES));
	ASSERT_EQ(0, command(self->e.m.fd, "store %llx %x", pinned[2].bus, BYTES));
	EXPECT_NE(0, memcmp(before, own + 2 * size, BYTES));
	EXPECT_EQ(0, memcmp(own + 512, own + 2 * size, BYTES));

	ASSERT_EQ(0, command(self->e.m.fd, "unpin"));
	EXPECT_EQ(0, read_pinned(self->e.m.fd, pinned, PINS + 1));
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store %llx %x", pinned[2].bus, BYTES));
	for (i = 0; self->e.translated && i < PINS; i++) {
		ASSERT_EQ(0, ptw_iova(&self->e.ptw, self->e.name, pinned[i].bus,
				      pinned[i].bus, &iova));
		EXPECT_EQ(0, iova.nr);
	}
	munmap(own, PINS * size);
}

/* Writes to a file of sysfs; 0 or a negative errno. */
static int write_sysfs(const char *text_to_write, const char *format, ...)
{
	char path[256];
	va_list args;
	int fd, n, err = 0;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = strlen(text_to_write);
	if (write(fd, text_to_write, n) != n)
		err = -errno;
	close(fd);
	return err;
}

/*
 * Begins a dump: reads the header, which has the kernel fill the next buffer,
 * the first in which it may wait for locks.
 */
static int begin(struct ptw *ptw, struct ptw_iova *iova, const char *name,
		 u64 start, u64 last)
{
	int err = ptw_send(ptw, ptw_iova_request(ptw, name, start, last));

	memset(iova, 0, sizeof(*iova));
	iova->headers = 1;
	if (!err && recv(nl_socket_get_fd(ptw->sock), ptw->buffer, ptw->size, 0) <= 0)
		err = -errno;
	return err;
}

/* Reads what the kernel has of a dump until it ends. */
static int drain(struct ptw *ptw, struct ptw_iova *iova)
{
	return ptw_take_rest(ptw, ptw_iova_reply, iova);
}

/* The device is taken from its driver: nothing of it stays mapped. */
TEST_F(edu, unbound)
{
	const char *device = self->e.name + strlen("pci/");
	struct ptw_device facts;
	struct ptw_page page;

	ASSERT_EQ(0, command(self->e.m.fd, "load %llx %x", self->e.region.dma, BYTES));
	ASSERT_EQ(0, write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/unbind"));
	EXPECT_EQ(0, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts));
	EXPECT_STREQ("", facts.driver);
	EXPECT_EQ(0, ptw_translate_one(&self->e.ptw, getpid(), (uintptr_t)self->e.at, &page));
	EXPECT_EQ(PTWALK_KIND_NONE, ptwalk_bits_kind(page.t.bits));
	EXPECT_EQ(-ENODEV, command(self->e.m.fd, "load %llx %x", self->e.region.dma, BYTES));
	EXPECT_EQ(0, write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/bind"));
	ASSERT_EQ(0, driver_read(text, sizeof(text)));
	EXPECT_EQ(0, driver_region(text, variant->region, &self->e.region));
	EXPECT_STREQ("", self->e.region.absent);
	EXPECT_EQ(0, command(self->e.m.fd, "load %llx %x", self->e.region.dma, BYTES));
}

/* Whether the driver's file has a line that reads so. */
static bool file_has_line(int fd, const char *line)
{
	ssize_t n, done = 0;

	while ((n = pread(fd, text + done, sizeof(text) - 1 - done, done)) > 0)
		done += n;
	text[done] = '\0';
	return strstr(text, line);
}

/*
 * In a process of its own, since the other's mmap lock is held: has the device
 * unbound while that one's mmap() is held, and ends that after a second, or
 * when the device is unbound. Returns what is to be its exit status.
 */
static int unbind_held(int fd, const char *device)
{
	int tries, status;
	pid_t pid;

	for (tries = 0; tries < 6000 && !file_has_line(fd, "\nheld\n"); tries++)
		usleep(5000);
	if (tries == 6000)
		return 2;
	pid = fork();
	if (!pid)
		_exit(!!write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/unbind"));
	for (tries = 0; tries < 200 && !waitpid(pid, &status, WNOHANG); tries++)
		usleep(5000);
	command(fd, "go");
	if (tries < 200)
		return 3;
	waitpid(pid, &status, 0);
	return !!status;
}

/*
 * Nor does what is being mapped right then, with everything mapped, but when
 * unmap_mapping_range() doesn't find the VMA yet.
 */
TEST_F(edu, unbound_within_mmap)
{
	const char *device = self->e.name + strlen("pci/");
	struct ptw_page page;
	int status;
	void *at;
	pid_t pid;

	if (command(self->e.m.fd, "hold"))
		SKIP(return, "the fixture was loaded without unsafe=1");
	pid = fork();
	if (!pid)
		_exit(unbind_held(self->e.m.fd, device));
	at = mmap(NULL, self->e.region.length, PROT_READ, MAP_SHARED,
		  self->e.m.fd, self->e.region.offset);
	waitpid(pid, &status, 0);
	ASSERT_NE(MAP_FAILED, at);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, ptw_translate_one(&self->e.ptw, getpid(), (uintptr_t)at, &page));
	EXPECT_EQ(PTWALK_KIND_NONE, ptwalk_bits_kind(page.t.bits));
	munmap(at, self->e.region.length);
	EXPECT_EQ(0, write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/bind"));
}

/**
 * struct copied - a page of ours that the device is to overwrite
 */
struct copied {
	unsigned char *own, *before;
	u64 bus;
};

static void pin_copied(struct __test_metadata *_metadata, struct edu *e,
		       struct copied *c)
{
	u64 size = e->m.page_size;
	struct pinned pinned;

	c->before = malloc(size);
	c->own = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, c->own);
	fill((void *)e->at, BYTES, 17);
	ASSERT_EQ(0, command(e->m.fd, "load %llx %x", e->region.dma, BYTES));
	fill(c->own, size, 19);
	memcpy(c->before, c->own, size);
	ASSERT_EQ(0, command(e->m.fd, "pin %lx %llx", (unsigned long)c->own, size));
	ASSERT_EQ(1, read_pinned(e->m.fd, &pinned, 1));
	c->bus = pinned.bus;
}

/* Waits until the device is through with a copy that it was cut off from. */
static void let_device_end(struct __test_metadata *_metadata, struct edu *e)
{
	int tries, err = -EBUSY;

	for (tries = 0; tries < 1000 && err == -EBUSY; tries++) {
		err = command(e->m.fd, "load %llx %x", e->region.dma, BYTES);
		usleep(20000);
	}
	EXPECT_EQ(0, err);
}

static void free_copied(struct copied *c, u64 size)
{
	munmap(c->own, size);
	free(c->before);
}

/*
 * QEMU's device copies when 100 ms of the guest's time are over. A machine that
 * stands still for that long has the copy done before it is ended: such a try
 * proves nothing.
 */
#define COPY_SECONDS	0.1
#define COPY_TRIES	20

/*
 * Pins a page, has @end end a copy to it that it begins, and unpins it. Returns
 * whether that was before the device could have copied anything; @kept then is
 * whether nothing came of it.
 */
static bool end_copy(struct __test_metadata *_metadata, struct edu *e,
		     int (*end)(struct edu *e, u64 bus), int *err, bool *kept)
{
	struct pinned pinned;
	struct copied c;
	double begin;
	bool early;

	pin_copied(_metadata, e, &c);
	begin = seconds_now();
	*err = end(e, c.bus);
	early = seconds_now() < begin + COPY_SECONDS;
	EXPECT_EQ(0, read_pinned(e->m.fd, &pinned, 1));
	let_device_end(_metadata, e);
	*kept = !memcmp(c.before, c.own, e->m.page_size);
	free_copied(&c, e->m.page_size);
	return early;
}

static int give_up(struct edu *e, u64 bus)
{
	int err = command(e->m.fd, "store %llx %x 0", bus, BYTES);

	command(e->m.fd, "unpin");
	return err;
}

/* What was given up doesn't reach memory, though the device goes on with it. */
TEST_F(device, given_up)
{
	int tries = 0, err;
	struct copied c;
	bool kept;

	pin_copied(_metadata, &self->e, &c);
	EXPECT_EQ(-EINVAL, command(self->e.m.fd, "store %llx %x 99999", c.bus, BYTES));
	EXPECT_EQ(0, command(self->e.m.fd, "unpin"));
	free_copied(&c, self->e.m.page_size);
	while (!end_copy(_metadata, &self->e, give_up, &err, &kept))
		ASSERT_LT(tries++, COPY_TRIES);
	EXPECT_EQ(-ETIMEDOUT, err);
	EXPECT_TRUE(kept);
}

static void *unpin_soon(void *arg)
{
	struct edu *e = arg;

	usleep(10000);
	command(e->m.fd, "unpin");
	return NULL;
}

static int store_unpinned(struct edu *e, u64 bus)
{
	pthread_t thread;
	int err;

	if (pthread_create(&thread, NULL, unpin_soon, e))
		return -ENOMEM;
	err = command(e->m.fd, "store %llx %x", bus, BYTES);
	pthread_join(thread, NULL);
	return err;
}

/* Who frees memory doesn't wait for a copy to it, but ends it. */
TEST_F(device, unpinned_meanwhile)
{
	int tries = 0, err;
	bool kept;

	/* Nor does it prove anything if the page is unpinned before. */
	while (!end_copy(_metadata, &self->e, store_unpinned, &err, &kept) ||
	       err == -EINVAL)
		ASSERT_LT(tries++, COPY_TRIES);
	EXPECT_EQ(-ECANCELED, err);
	EXPECT_TRUE(kept);
}

/* A dump that pauses while the device goes ends with a word about that. */
TEST_F(device, removed_meanwhile)
{
	const char *device = self->e.name + strlen("pci/");
	static struct ptw_iova iova;

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	if (edu_tables_are_known())
		SKIP(return, "a hole in these tables takes no time: the dump doesn't pause");
	ASSERT_EQ(0, begin(&self->e.ptw, &iova, self->e.name, 0, (1ULL << 31) - 1));
	ASSERT_EQ(0, write_sysfs("1", "/sys/bus/pci/devices/%s/remove", device));
	EXPECT_EQ(-ENODEV, drain(&self->e.ptw, &iova));
	EXPECT_EQ(NULL, iova.flaw)
		TH_LOG("%s", iova.flaw);
	EXPECT_NE(NULL, strstr(self->e.ptw.error.message, "the device is gone"))
		TH_LOG("%s", self->e.ptw.error.message);
	EXPECT_EQ(-ENODEV, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &self->e.device));
	ASSERT_EQ(0, write_sysfs("1", "/sys/bus/pci/rescan"));
	EXPECT_EQ(0, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &self->e.device));
	EXPECT_STREQ("ptwalk_fixture", self->e.device.driver);
}

/* Nor is another domain taken for the one that the dump began with. */
TEST_F(device, another_domain_meanwhile)
{
	const char *device = self->e.name + strlen("pci/");
	static struct ptw_iova iova;
	int group = self->e.device.group, err;
	struct ptw_device facts;
	u64 start = 1ULL << 20;

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	if (edu_tables_are_known())
		SKIP(return, "a hole in these tables takes no time: the dump doesn't pause");
	ASSERT_EQ(0, write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/unbind"));
	ASSERT_EQ(0, begin(&self->e.ptw, &iova, self->e.name, start, (1ULL << 31) - 1));
	err = write_sysfs("identity", "/sys/kernel/iommu_groups/%d/type", group);
	if (!err) {
		EXPECT_EQ(-ESTALE, drain(&self->e.ptw, &iova));
		EXPECT_NE(NULL, strstr(self->e.ptw.error.message, "another IOMMU domain"))
			TH_LOG("%s", self->e.ptw.error.message);
		EXPECT_EQ(0, ptw_device(&self->e.ptw, self->e.name, &start, 1, &facts));
		EXPECT_EQ(PTWALK_DOMAIN_IDENTITY, facts.domain);
		EXPECT_EQ(1, facts.nr_bus);
		EXPECT_EQ(start, facts.bus[0]);
		EXPECT_EQ(-EOPNOTSUPP, ptw_iova(&self->e.ptw, self->e.name, start, start, &iova));
		EXPECT_EQ(0, write_sysfs("auto", "/sys/kernel/iommu_groups/%d/type", group));
	} else {
		drain(&self->e.ptw, &iova);
	}
	EXPECT_EQ(0, write_sysfs(device, "/sys/bus/pci/drivers/ptwalk_fixture/bind"));
	if (err)
		SKIP(return, "the domain of the group can't be changed: %s", strerror(-err));
}

/* Somebody who keeps the lock of the device's group, for 60 s; 0 if none can. */
static pid_t keep_group(FIXTURE_DATA(device) *self)
{
	struct ptw_device facts;
	int busy = 0, i;
	pid_t pid = fork();

	if (!pid)
		_exit(command(self->e.m.fd, "group 3c") == -EINVAL);
	for (i = 0; i < 300 && !busy; i++)
		busy = ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts) == -EBUSY;
	if (busy)
		return pid;
	process_end(pid);
	return 0;
}

/* Until its lock can be had again; false if that never happens. */
static bool let_go(FIXTURE_DATA(device) *self, pid_t keeper)
{
	struct ptw_device facts;
	int i;

	kill(keeper, SIGTERM);
	waitpid(keeper, NULL, 0);
	for (i = 0; i < 300 && ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts); i++)
		usleep(10000);
	return i < 300;
}

/*
 * Who keeps the lock of a group holds up no more than the questions about that
 * group, for a fifth of a second each, and no removal of the module waits for it.
 */
TEST_F(device, kept_group)
{
	struct ptw_device facts;
	pid_t keeper;
	int i;

	if (self->e.device.group < 0)
		SKIP(return, "the device is in no IOMMU group");
	keeper = keep_group(self);
	if (!keeper)
		SKIP(return, "the fixture was loaded without unsafe=1");
	for (i = 0; i < 20; i++)
		EXPECT_EQ(-EBUSY, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts));
	EXPECT_EQ(0, ptw_device(&self->e.ptw, "pci/0000:00:00.0", NULL, 0, &facts))
		TH_LOG("%s", self->e.ptw.error.message);
	if (module_loaded("ptwalk_device") && module_file_exists("ptwalk_device"))
		EXPECT_NE(0, module_unload("ptwalk_device"));
	EXPECT_TRUE(let_go(self, keeper));
}

/* A dump that is not read to its end keeps the module until its socket is closed. */
TEST_F(device, dump_keeps_module)
{
	struct ptw ptw;

	if (!module_loaded("ptwalk_device") || !module_file_exists("ptwalk_device"))
		SKIP(return, "the module couldn't be loaded again");
	ptw_close(&self->e.ptw);
	/* The worker that has answered may not have ended yet. */
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, ptw_send(&ptw, ptw_iova_request(&ptw, self->e.name, 0, PTW_LAST)));
	EXPECT_EQ(1, module_references("ptwalk_device"));
	EXPECT_EQ(-EWOULDBLOCK, module_unload("ptwalk_device"));
	ptw_close(&ptw);
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	ASSERT_EQ(0, module_load("ptwalk_device"));
	ASSERT_OPEN(&self->e.ptw);
}

/*
 * Tables that may be freed meanwhile are for those who have asked for them, and those of
 * a known format for everybody.
 */
TEST_F(device, unasked)
{
	const bool known = edu_tables_are_known();
	static struct ptw_iova iova;
	pid_t keeper;
	u64 phys;
	int err;

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	if (!module_loaded("ptwalk_device") || !module_file_exists("ptwalk_device"))
		SKIP(return, "the module couldn't be loaded again");
	ptw_close(&self->e.ptw);
	/* The worker that has answered may not have ended yet. */
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	ASSERT_EQ(0, module_load_with("ptwalk_device", ""));
	EXPECT_FALSE(edu_may_walk());
	ASSERT_OPEN(&self->e.ptw);
	err = ptw_iova(&self->e.ptw, self->e.name, self->e.region.dma,
		       self->e.region.dma, &iova);
	EXPECT_EQ(known ? 0 : -EOPNOTSUPP, err);
	if (known && !err) {
		EXPECT_TRUE(ptw_iova_find(&iova, self->e.region.dma, &phys));
		EXPECT_EQ(driver_frame(&self->e.region, 0, self->e.m.page_size) *
			  self->e.m.page_size, phys);
	} else {
		EXPECT_NE(NULL, strstr(self->e.ptw.error.message, "sets ptwalk_device.iommu_walk=1"))
			TH_LOG("%s", self->e.ptw.error.message);
	}
	/* Nor do they wait for a lock that somebody keeps. */
	keeper = keep_group(self);
	if (keeper) {
		EXPECT_EQ(-EBUSY, ptw_iova(&self->e.ptw, self->e.name, self->e.region.dma,
					   self->e.region.dma, &iova));
		EXPECT_NE(NULL, strstr(self->e.ptw.error.message, "the device is busy"))
			TH_LOG("%s", self->e.ptw.error.message);
		EXPECT_TRUE(let_go(self, keeper));
	}
	ptw_close(&self->e.ptw);
	/* What waited for the lock ends after those who asked. */
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	ASSERT_EQ(0, module_load("ptwalk_device"));
	ASSERT_OPEN(&self->e.ptw);
}

/* What can crash the kernel isn't for root where the kernel is locked down. */
TEST(locked_down_kernel_takes_no_iommu_walk)
{
	int lock;

	if (!module_file_exists("ptwalk_device"))
		SKIP(return, "ptwalk_device is built in, or has no file");
	module_settles("ptwalk_device", 0);
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	lock = locked_down("LOCKDOWN_MODULE_PARAMETERS");
	if (lock >= 0) {
		EXPECT_EQ(-EPERM, module_load_with("ptwalk_device", "iommu_walk=1"));
		EXPECT_FALSE(module_loaded("ptwalk_device"));
		EXPECT_EQ(0, module_load_with("ptwalk_device", "iommu_walk=0"));
		EXPECT_EQ(0, module_unload("ptwalk_device"));
		close(lock);
		EXPECT_EQ(0, module_load_with("ptwalk_device", "iommu_walk=1"));
		EXPECT_EQ(0, module_unload("ptwalk_device"));
	}
	EXPECT_EQ(0, module_load("ptwalk_device"));
	if (lock == -EOPNOTSUPP)
		SKIP(return, "no program can refuse it (CONFIG_BPF_LSM, CONFIG_DEBUG_INFO_BTF)");
	EXPECT_LE(0, lock);
}

TEST_HARNESS_MAIN
