// SPDX-License-Identifier: GPL-2.0
/*
 * The command and a device that really does DMA: bus addresses of what a process
 * has mapped, behind an IOMMU and without.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "command.h"
#define EDU_NEEDS()	NEED_COMMAND()
#include "edu_fixture.h"
#include "terminal.h"
#include "vfio.h"

static struct output output;

/*
 * A bus address taken for a physical one is noticed by check --claims; the
 * physical one that the module tells of the bus address is not.
 */
TEST_F(edu, claims)
{
	char path[] = "/tmp/claims-XXXXXX", pid[16];
	u64 size = self->e.m.page_size, i;
	int fd = mkstemp(path), wrong;

	ASSERT_LE(0, fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	for (wrong = 0; wrong < 2; wrong++) {
		ASSERT_EQ(0, ftruncate(fd, 0));
		lseek(fd, 0, SEEK_SET);
		for (i = 0; i < self->e.pages; i++)
			dprintf(fd, "%llx %llx\n", (u64)(uintptr_t)self->e.at + i * size,
				wrong ? self->e.region.dma + i * size :
				driver_frame(&self->e.region, i, size) * size);
		run(&output, ptwalk_command(), "check", "--partial", "--claims", path, pid);
		EXPECT_EQ(wrong && self->e.translated, output.status)
			TH_LOG("%s", output.text);
	}
	close(fd);
	unlink(path);
}

/* Finds the line of JSON that has all of the words. */
static const char *json_line(const char *word, ...)
{
	static char line[4096];
	const char *at, *end, *w;
	va_list args;

	for (at = output.text; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		va_start(args, word);
		for (w = word; w && strstr(line, w); w = va_arg(args, const char *))
			;
		va_end(args);
		if (!w)
			return line;
	}
	return NULL;
}

/* This user address, this frame, this bus address. */
TEST_F(edu, command)
{
	u64 size = self->e.m.page_size;
	char pid[16], range[64], vaddr[64], paddr[64], bus[64];

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%llx+%llx", (u64)(uintptr_t)self->e.at + 3 * size, size);
	snprintf(vaddr, sizeof(vaddr), "\"vaddr\":\"%#llx\"", (u64)(uintptr_t)self->e.at + 3 * size);
	snprintf(paddr, sizeof(paddr), "\"paddr\":\"%#llx\"",
		 driver_frame(&self->e.region, 3, size) * size);
	snprintf(bus, sizeof(bus), "\"bus\":\"%#llx\"", self->e.region.dma + 3 * size);
	run(&output, ptwalk_command(), "iova", self->e.name + strlen("pci/"), "--json",
	    "--pid", pid, range);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, json_line(vaddr, paddr, bus, "\"reachable\":true", NULL))
		TH_LOG("no line with %s %s %s in %s", vaddr, paddr, bus, output.text);
	EXPECT_NE(NULL, json_line("\"type\":\"device\"", "\"driver\":\"ptwalk_fixture\"", NULL));

	snprintf(range, sizeof(range), "%llx+%llx", self->e.region.dma + 3 * size, size);
	run(&output, ptwalk_command(), "iova", self->e.name, "--json", range);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, json_line(paddr, bus, "\"type\":\"stretch\"", NULL))
		TH_LOG("no line with %s %s in %s", paddr, bus, output.text);
	if (self->e.translated)
		return;
	EXPECT_NE(NULL, json_line("\"type\":\"summary\"", "\"offset\":", NULL));
	run(&output, ptwalk_command(), "iova", self->e.name);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, strstr(output.text, "no IOMMU that translates: the bus address is the physical address plus"));

	run(&output, ptwalk_command(), "iova", "-p", "self", "--map", "/proc/self/exe", "--touch",
	    self->e.name);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, strstr(output.text, "VIRTUAL"))
		TH_LOG("%s", output.text);
}

/* A page that is mapped again and again is in as many pieces, and they are one line. */
TEST_F(edu, scattered)
{
	const size_t size = self->e.m.page_size;
	const int fd = memfd_create("scattered", 0);
	char *at = mmap(NULL, 9 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char pid[16], range[64], each[32];

	ASSERT_EQ(0, ftruncate(fd, size));
	ASSERT_NE(MAP_FAILED, at);
	for (size_t i = 0; i < 8; i++)
		ASSERT_EQ(at + i * size, mmap(at + i * size, size, PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0));
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)at, 8 * size);
	snprintf(each, sizeof(each), "  %#lx-", (unsigned long)at + 3 * size);
	run(&output, ptwalk_command(), "iova", "--pid", pid, self->e.name, range);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, strstr(output.text, "scattered: in 8 pieces"))
		TH_LOG("%s", output.text);
	EXPECT_EQ(NULL, strstr(output.text, each))
		TH_LOG("%s", output.text);
	run(&output, ptwalk_command(), "iova", "-v", "--pid", pid, self->e.name, range);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(NULL, strstr(output.text, "scattered"))
		TH_LOG("%s", output.text);
	EXPECT_NE(NULL, strstr(output.text, each))
		TH_LOG("%s", output.text);
	/* So few that each has a line. */
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)at, 4 * size);
	run(&output, ptwalk_command(), "iova", "--pid", pid, self->e.name, range);
	EXPECT_NE(NULL, strstr(output.text, each))
		TH_LOG("%s", output.text);
	munmap(at, 9 * size);
	close(fd);
}

/* All forms of what iova prints fit the terminal, and have the region. */
TEST_F(edu, fits_the_terminal)
{
	static const char *const with[] = { NULL, "--lint", "--pid" };
	char pid[16], range[64], bus[32];
	const char *shown, *line = "";

	snprintf(pid, sizeof(pid), "%d", getpid());
	unsetenv("COLUMNS");
	/* Without an IOMMU, only what a process has mapped is looked up. */
	for (size_t i = self->e.translated ? 0 : 2; i < ARRAY_SIZE(with); i++)
		for (unsigned short columns = 80; columns <= 100; columns += 20) {
			const bool of_process = i == 2;
			const char *const argv[] = {
				ptwalk_command(), "iova", self->e.name, range, with[i],
				of_process ? pid : NULL, NULL,
			};
			const u64 start = of_process ? (uintptr_t)self->e.at : self->e.region.dma;

			snprintf(range, sizeof(range), "%llx+%llx", start,
				 self->e.pages * (u64)self->e.m.page_size);
			snprintf(bus, sizeof(bus), "%#llx", self->e.region.dma);
			EXPECT_EQ(0, terminal_show(columns, argv, &shown))
				TH_LOG("%s", shown);
			EXPECT_NE(NULL, strstr(shown, bus))
				TH_LOG("no %s in %s", bus, shown);
			EXPECT_GE(columns, terminal_widest(shown, &line))
				TH_LOG("%.160s", line);
		}
}

/* What can't be answered is one line, and the status that is meant for it. */
TEST_F(device, command_refused)
{
	static const struct {
		const char *args[4];
		int status;
		const char *why;
	} refused[] = {
		{ { "0000:7f:1f.7" }, 3, "device 'pci/0000:7f:1f.7': no such device" },
		{ { "platform/no-such" }, 3, "device 'platform/no-such': no such device" },
		{ { "/sys/bus/pci/devices/nowhere" }, 3, "no such path" },
		{ { "/proc/self" }, 2, "not a path in sysfs" },
		{ { "nonsense" }, 2, "no PCI address" },
		{ { "usb/1-1" }, 2, "no such bus" },
		{ { "--pid", "x", "0000:00:02.0" }, 2, "PID 'x'" },
		{ { "0000:00:02.0", "1000-" }, 2, "range '1000-'" },
		{ { "0000:00:02.0", "1000+0" }, 2, "an empty range" },
		{ { "0000:00:02.0", "0-ffffffffffffffff" }, 2, "more than 1T" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		const char *const *a = refused[i].args;

		run(&output, ptwalk_command(), "iova", a[0], a[1], a[2]);
		EXPECT_EQ(refused[i].status, output.status)
			TH_LOG("%s %s: %s", a[0], a[1] ?: "", output.text);
		EXPECT_NE(NULL, strstr(output.text, refused[i].why))
			TH_LOG("%s %s: %s", a[0], a[1] ?: "", output.text);
	}
}

/* People are told as much as programs of whether DMA is coherent. */
TEST_F(device, command_coherent)
{
	bool coherent;

	run(&output, ptwalk_command(), "iova", "--json", self->e.name);
	coherent = json_line("\"type\":\"device\"", "\"coherent\"", NULL);
	EXPECT_NE(NULL, json_line("\"type\":\"device\"", "\"coherent_mask\"", NULL))
		TH_LOG("%s", output.text);
	run(&output, ptwalk_command(), "iova", self->e.name);
	EXPECT_NE(NULL, strstr(output.text, coherent ? "\n  coherent  yes: " : "\n  coherent  no: "))
		TH_LOG("%s", output.text);
}

/* The last page of the aperture is answered; at one behind it an access would fault. */
TEST_F(device, command_outside)
{
	const u64 size = self->e.m.page_size, behind = self->e.device.last + 1;
	const struct {
		u64 start, bytes;	/* 0: a single address */
		u64 lost;		/* where what would fault begins */
	} asked[] = {
		{ behind - size, 2 * size, behind },
		{ behind, size, behind },
		{ behind + size, size, behind + size },
		{ behind, 0, behind },
	};
	const char *outside = "outside of the aperture: an access of the device would fault";
	char range[64], line[96], bus[32];

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	snprintf(range, sizeof(range), "%llx+%llx", behind - size, size);
	run(&output, ptwalk_command(), "iova", self->e.name, range);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(NULL, strstr(output.text, "would fault"))
		TH_LOG("%s", output.text);
	/* With an aperture of 64 bits there is no such page. */
	for (size_t i = 0; behind && i < ARRAY_SIZE(asked); i++) {
		snprintf(range, sizeof(range), asked[i].bytes ? "%llx+%llx" : "%llx",
			 asked[i].start, asked[i].bytes);
		snprintf(line, sizeof(line), "\n  0x%llx", asked[i].lost);
		run(&output, ptwalk_command(), "iova", self->e.name, range);
		EXPECT_EQ(1, output.status);
		EXPECT_NE(NULL, strstr(output.text, line))
			TH_LOG("%s: %s", range, output.text);
		EXPECT_NE(NULL, strstr(output.text, outside))
			TH_LOG("%s: %s", range, output.text);
		run(&output, ptwalk_command(), "iova", "--json", self->e.name, range);
		snprintf(bus, sizeof(bus), "\"bus\":\"0x%llx\"", asked[i].lost);
		EXPECT_EQ(1, output.status);
		EXPECT_NE(NULL, json_line("\"type\":\"fault\"", bus, NULL))
			TH_LOG("%s: %s", range, output.text);
	}
}

/* A BAR whose driver is there can't be mapped, and that is said. */
TEST_F(device, registers_of_a_driver)
{
	char path[128], map[160];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0",
		 strchr(self->e.name, '/') + 1);
	snprintf(map, sizeof(map), "%s:0:0x1000", path);
	run(&output, ptwalk_command(), "translate", "--map", map, "self", path);
	if (!output.status)
		SKIP(return, "this kernel lets registers of a driver be mapped");
	EXPECT_EQ(3, output.status)
		TH_LOG("%s", output.text);
	EXPECT_NE(NULL, strstr(output.text, "IO_STRICT_DEVMEM"))
		TH_LOG("%s", output.text);
}

#define GIB	(1ULL << 30)

/*
 * A process that has the device through VFIO: what it maps from 5 GiB on is found
 * though there is nothing from 4 GiB on, and so is what is mapped below.
 */
TEST_F(device, beyond_a_hole)
{
	u64 size = self->e.m.page_size, bus[] = { 16 * size, 5 * GIB, 5 * GIB + 16 * size };
	char pid[16], range[64], want[3][64];
	struct ptw_device facts;
	unsigned char *own;
	struct vfio vfio;
	size_t i;

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	own = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, own);
	if (!vfio_open(&vfio, self->e.name + strlen("pci/"), "ptwalk_fixture",
		       self->e.device.group))
		SKIP(return, "%s", vfio.lacks);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, vfio_map(&vfio, own + i * size, size, bus[i]));
		snprintf(want[i], sizeof(want[i]), "\"bus\":\"%#llx\"", bus[i]);
	}
	EXPECT_EQ(0, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts));
	EXPECT_EQ(PTWALK_DOMAIN_UNMANAGED, facts.domain);
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%llx+%llx", (u64)(uintptr_t)own, 3 * size);
	run(&output, ptwalk_command(), "iova", self->e.name, "--json", "--pid", pid, range);
	EXPECT_EQ(0, output.status);
	for (i = 0; i < 3; i++)
		EXPECT_NE(NULL, json_line("\"vaddr\"", want[i], NULL))
			TH_LOG("no line with %s in %s", want[i], output.text);
	vfio_close(&vfio);
	EXPECT_EQ(0, ptw_device(&self->e.ptw, self->e.name, NULL, 0, &facts));
	EXPECT_STREQ("ptwalk_fixture", facts.driver);
	munmap(own, 3 * size);
}

/* What --lint says of the page that the driver was told to map for the device. */
static void lint(struct edu *e, u64 bus)
{
	char range[64];

	snprintf(range, sizeof(range), "%llx+%llx", bus, e->m.page_size);
	run(&output, ptwalk_command(), "iova", "--lint", "--json", e->name, range);
}

/* Bus address of the first page that is pinned, 0 if none is. */
static u64 pinned_bus(int fd)
{
	unsigned long long addr, phys, bus = 0;
	static char text[65536];
	char *line;
	ssize_t len = 0, got = 0;

	lseek(fd, 0, SEEK_SET);
	do {
		len += got;
		got = read(fd, text + len, sizeof(text) - 1 - len);
	} while (got > 0);
	text[len] = '\0';
	line = strstr(text, "\npinned ");
	if (line)
		sscanf(line, " pinned %llx %llx %llx", &addr, &phys, &bus);
	return bus;
}

/* More than a processor's lists of free pages hold. */
#define MANY	4096

static char *many_pages(u64 size)
{
	char *pages = mmap(NULL, MANY * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || madvise(pages, MANY * size, MADV_NOHUGEPAGE))
		return NULL;
	for (u64 i = 0; i < MANY; i++)
		pages[i * size] = 1;
	return pages;
}

/*
 * A page that a driver has pinned for its device; forgotten by its process; and one
 * that the driver lets go of while the device has it still.
 */
TEST_F(device, lint)
{
	u64 size = self->e.m.page_size, bus;
	char text[64], *own, *others;
	int i;

	if (!self->e.translated) {
		run(&output, ptwalk_command(), "iova", "--lint", self->e.name);
		EXPECT_EQ(3, output.status);
		EXPECT_NE(NULL, strstr(output.text, "--lint judges what an IOMMU translates"))
			TH_LOG("%s", output.text);
		return;
	}
	own = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, own);
	snprintf(text, sizeof(text), "pin %lx %llx", (unsigned long)own, size);
	ASSERT_EQ(strlen(text), write(self->e.m.fd, text, strlen(text)));
	bus = pinned_bus(self->e.m.fd);
	ASSERT_NE(0, bus);
	lint(&self->e, bus);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, json_line("\"type\":\"summary\"",
				  "\"lint\":{\"pages\":1,\"kpageflags\":true,\"good\":1}", NULL))
		TH_LOG("%s", output.text);

	ASSERT_EQ(0, munmap(own, size));
	lint(&self->e, bus);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, json_line("\"rule\":\"iova-gone\"", "\"verdict\":\"note\"", NULL))
		TH_LOG("%s", output.text);

	/*
	 * What is freed last is given out next: the command itself would get the page.
	 * Behind many others, it goes from the processor's list to where all are.
	 */
	others = many_pages(size);
	ASSERT_NE(NULL, others);
	ASSERT_EQ(4, write(self->e.m.fd, "drop", 4));
	ASSERT_EQ(0, munmap(others, MANY * size));
	for (i = 0; i < 20; i++) {
		lint(&self->e, bus);
		if (output.status == 1)
			break;
		EXPECT_EQ(NULL, json_line("\"iova-gone\"", NULL));
		if (system("echo 1 >/proc/sys/vm/compact_memory 2>/dev/null"))
			break;
	}
	EXPECT_NE(NULL, json_line("\"type\":\"lint\"", "\"rule\":\"iova-", NULL))
		TH_LOG("%s", output.text);
	if (output.status)
		EXPECT_NE(NULL, json_line("\"rule\":\"iova-free\"", "\"verdict\":\"mismatch\"", NULL))
			TH_LOG("%s", output.text);

	ASSERT_EQ(5, write(self->e.m.fd, "unpin", 5));
	snprintf(text, sizeof(text), "%llx", bus);
	run(&output, ptwalk_command(), "iova", "--json", self->e.name, text);
	EXPECT_EQ(1, output.status);
	EXPECT_NE(NULL, json_line("\"type\":\"fault\"", text, NULL))
		TH_LOG("%s", output.text);
	snprintf(text, sizeof(text), "%llx", self->e.region.dma);
	run(&output, ptwalk_command(), "iova", "--json", self->e.name, text);
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, json_line("\"type\":\"stretch\"", text, NULL))
		TH_LOG("%s", output.text);
}

/*
 * Tables that may be freed meanwhile are for those who have asked for them, and those of
 * a known format for everybody.
 */
TEST_F(device, command_unasked)
{
	/* The kernel itself lists what is mapped for DMA. */
	const bool listed = !access("/sys/kernel/debug/dma-api/dump", F_OK);

	if (!self->e.translated)
		SKIP(return, "no IOMMU stands before the device");
	if (!module_loaded("ptwalk_device") || !module_file_exists("ptwalk_device"))
		SKIP(return, "the module couldn't be loaded again");
	ptw_close(&self->e.ptw);
	/* The worker that has answered may not have ended yet. */
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	ASSERT_EQ(0, module_load_with("ptwalk_device", ""));
	run(&output, ptwalk_command(), "iova", self->e.name);
	EXPECT_EQ(edu_tables_are_known() || listed ? 0 : 3, output.status);
	EXPECT_NE(NULL, strstr(output.text, edu_tables_are_known() ? "\nlooked up 0x" :
			       listed ? "not compared with the tables: " :
			       "which can crash the kernel"))
		TH_LOG("%s", output.text);
	run(&output, ptwalk_command(), "info");
	EXPECT_NE(NULL, strstr(output.text, "loaded, without iommu_walk=1"))
		TH_LOG("%s", output.text);
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	ASSERT_EQ(0, module_load("ptwalk_device"));
	ASSERT_OPEN(&self->e.ptw);
}

/* Devices have a module of their own, which may not be there. */
TEST_F(device, command_without_module)
{
	if (!module_loaded("ptwalk_device") || !module_file_exists("ptwalk_device"))
		SKIP(return, "the module couldn't be loaded again");
	ptw_close(&self->e.ptw);
	ASSERT_EQ(0, module_settles("ptwalk_device", 0));
	ASSERT_EQ(0, module_unload("ptwalk_device"));
	run(&output, ptwalk_command(), "iova", self->e.name);
	EXPECT_EQ(3, output.status);
	EXPECT_NE(NULL, strstr(output.text, "`modprobe ptwalk_device` if it is installed"))
		TH_LOG("%s", output.text);
	run(&output, ptwalk_command(), "frame", "1000");
	EXPECT_EQ(0, output.status);
	EXPECT_NE(NULL, strstr(output.text, "counts of frames isn't told: the module ptwalk_device is not loaded"))
		TH_LOG("%s", output.text);
	EXPECT_NE(NULL, strstr(output.text, "\nframe 0x1000: "));
	run(&output, ptwalk_command(), "dump", "self");
	EXPECT_EQ(0, output.status);
	run(&output, ptwalk_command(), "info");
	EXPECT_NE(NULL, strstr(output.text, "ptwalk_device is not loaded"))
		TH_LOG("%s", output.text);
	run(&output, ptwalk_command(), "info", "--json");
	EXPECT_NE(NULL, json_line("\"devices\":false", NULL));
	ASSERT_EQ(0, module_load("ptwalk_device"));
	run(&output, ptwalk_command(), "info", "--json");
	EXPECT_NE(NULL, json_line("\"devices\":true", NULL));
	ASSERT_OPEN(&self->e.ptw);
}

TEST_HARNESS_MAIN
