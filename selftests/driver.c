// SPDX-License-Identifier: GPL-2.0
/*
 * What the fixture driver maps, beyond the checks of all mappings: memory
 * types, parts of regions, and mappings that are wrong on purpose, each of
 * which must show in what the module reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "build_driver.h"
#include "device.h"
#include "proc.h"
#include "test.h"

static char text[64 * 1024];

FIXTURE(driver)
{
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
};

FIXTURE_VARIANT(driver)
{
	const char *builder;
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(driver, name) { .builder = #name, .build = build_##name };
DRIVER_BUILDERS(ADD)

FIXTURE_SETUP(driver)
{
	SETUP_MAPPING(self, variant->build);
	ASSERT_EQ(0, build_driver_region(variant->builder, &self->region));
}

FIXTURE_TEARDOWN(driver)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* The first, a middle and the last page have the memory type as published. */
TEST_F(driver, memory_type)
{
	u64 pages = self->region.length / self->m.page_size;
	u64 nr[3] = { 0, pages / 2, pages - 1 };
	struct ptw_page page;
	int i;

	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	for (i = 0; i < 3; i++) {
		u64 addr = self->m.start + nr[i] * self->m.page_size;

		ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, addr, &page));
		EXPECT_STREQ(self->region.cache,
			     driver_cache_name(&self->m.info, page.t.bits));
		EXPECT_FALSE(ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_TYPE_DIFFERS);
	}
}

/* The pages are as long a row as published: what follows isn't mapped. */
TEST_F(driver, length)
{
	u64 end = self->m.start + self->region.length;
	struct ptw_page page;

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid,
				       end - self->m.page_size, &page));
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, end, &page));
	EXPECT_NE(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
}

/*
 * A part of a region of huge pages, in the middle of one: the same frames, by
 * entries of a lower level.
 */
static void huge_part(struct __test_metadata *_metadata,
		      FIXTURE_DATA(driver) *self)
{
	u64 size = self->m.page_size, skip = self->region.length / size / 2 + 1;
	struct ptw_page page;
	char *at;

	at = mmap(NULL, 4 * size, PROT_READ | PROT_WRITE, MAP_SHARED, self->m.fd,
		  self->region.offset + skip * size);
	ASSERT_NE(MAP_FAILED, at);
	(void)*(volatile u32 *)(at + size + 0x80);
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid,
				       (uintptr_t)at + size, &page));
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
	EXPECT_EQ(PTWALK_LEVEL_PTE, ptwalk_bits_level(page.t.bits));
	EXPECT_EQ(driver_frame(&self->region, skip + 1, size), page.t.value);
}

/* A part of the region, which begins and ends inside of it. */
TEST_F(driver, part)
{
	struct mapping part;
	char name[64];

	if (driver_level(&self->region) != PTWALK_LEVEL_PTE)
		return huge_part(_metadata, self);
	memset(&part, 0, sizeof(part));
	part.info = self->m.info;
	part.page_size = self->m.page_size;
	part.pid = self->m.pid;
	build_driver_name(variant->builder, name, sizeof(name));
	build_driver_part(&part, name, 3, 2);
	ASSERT_STREQ("", part.lacks);
	ASSERT_STREQ("", part.broken);
	EXPECT_GOOD(check_translate(&self->ptw, &part));
	EXPECT_GOOD(check_dump(&self->ptw, &part));
	EXPECT_GOOD(check_pagemap(&self->ptw, &part));
	mapping_release(&part);
}

/* Mappings that are wrong, and what else isn't a variant. */
FIXTURE(wrong)
{
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
	struct ptw_page page[DRIVER_PAGES];
	u64 pages;
	char *at;
};

FIXTURE_SETUP(wrong)
{
	SETUP_MAPPING(self, NULL);
}

FIXTURE_TEARDOWN(wrong)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/*
 * Maps a wrong region from page @skip on, and has it translated to
 * self->page[]. Whatever the driver did, pagemap tells nothing that isn't so.
 */
static void map_wrong(struct __test_metadata *_metadata,
		      FIXTURE_DATA(wrong) *self, const char *name,
		      const char *mistake, u64 skip)
{
	u64 addr[DRIVER_PAGES], i;

	if (!build_driver_open(&self->m, name, &self->region)) {
		ASSERT_STREQ("", self->m.broken);
		return;
	}
	ASSERT_STREQ(mistake, self->region.wrong);
	self->pages = self->region.length / self->m.page_size - skip;
	ASSERT_GE(DRIVER_PAGES, self->pages);
	self->at = build_driver_map(&self->m, &self->region, skip, self->pages);
	ASSERT_NE(NULL, self->at)
		TH_LOG("%s", self->m.broken);
	for (i = 0; i < self->pages; i++)
		addr[i] = (uintptr_t)self->at + i * self->m.page_size;
	ASSERT_EQ(0, ptw_translate(&self->ptw, self->m.pid, addr, self->pages,
				   self->page));
	EXPECT_GOOD(check_dump(&self->ptw, &self->m));
	EXPECT_GOOD(check_pagemap(&self->ptw, &self->m));
}

#define MAP_WRONG(name, mistake, skip) do { \
	map_wrong(_metadata, self, name, mistake, skip); \
	if (self->m.lacks[0]) \
		SKIP(return, "%s", self->m.lacks); \
} while (0)

static u64 right_frame(FIXTURE_DATA(wrong) *self, u64 index)
{
	return driver_frame(&self->region, index, self->m.page_size);
}

static u32 kind_of(const struct ptw_page *page)
{
	return ptwalk_bits_kind(page->t.bits);
}

static const char *cache_of(FIXTURE_DATA(wrong) *self, u64 index)
{
	return driver_cache_name(&self->m.info, self->page[index].t.bits);
}

/* From page 3 on, and page 0 is what the process gets. */
TEST_F(wrong, offset_ignored)
{
	u64 i;

	MAP_WRONG("wrong-offset", "offset-ignored", 3);
	for (i = 0; i < self->pages; i++) {
		EXPECT_EQ(right_frame(self, i), self->page[i].t.value);
		EXPECT_NE(right_frame(self, 3 + i), self->page[i].t.value);
	}
}

/* From the beginning on, there is nothing to see. */
TEST_F(wrong, offset_ignored_without_offset)
{
	MAP_WRONG("wrong-offset", "offset-ignored", 0);
	EXPECT_EQ(right_frame(self, 0), self->page[0].t.value);
}

TEST_F(wrong, page_missing)
{
	u64 i;

	MAP_WRONG("wrong-short", "page-missing", 0);
	for (i = 0; i < self->pages - 1; i++) {
		EXPECT_EQ(PTWALK_KIND_PRESENT, kind_of(&self->page[i]));
		EXPECT_EQ(right_frame(self, i), self->page[i].t.value);
	}
	EXPECT_EQ(PTWALK_KIND_NONE, kind_of(&self->page[i]));
}

TEST_F(wrong, not_contiguous)
{
	u64 i;

	MAP_WRONG("wrong-scattered", "not-contiguous", 0);
	EXPECT_EQ(0, self->region.nr_pages);
	EXPECT_EQ(right_frame(self, 0), self->page[0].t.value);
	for (i = 1; i < self->pages; i++) {
		EXPECT_EQ(PTWALK_KIND_PRESENT, kind_of(&self->page[i]));
		EXPECT_NE(self->page[i - 1].t.value + 1, self->page[i].t.value);
	}
}

TEST_F(wrong, two_types_for_one_frame)
{
	u64 half, i;

	MAP_WRONG("wrong-alias", "two-types", 0);
	half = self->pages / 2;
	for (i = 0; i < half; i++) {
		EXPECT_EQ(right_frame(self, i), self->page[i].t.value);
		EXPECT_EQ(self->page[i].t.value, self->page[half + i].t.value);
		if (!strcmp(self->region.cache, "-"))
			continue;
		EXPECT_STREQ(self->region.cache, cache_of(self, i));
		EXPECT_STRNE(self->region.cache, cache_of(self, half + i));
	}
}

/*
 * x86 knows how RAM is mapped and gives remap_pfn_range() that, whatever was
 * asked for; elsewhere the process gets what the driver wanted.
 */
TEST_F(wrong, ram_uncached_by_remap)
{
	MAP_WRONG("wrong-uncached-remap", "ram-uncached", 0);
	EXPECT_EQ(right_frame(self, 0), self->page[0].t.value);
	EXPECT_TRUE(ptwalk_bits_flags(self->page[0].t.bits) & PTWALK_FLAG_RAM);
	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	EXPECT_STREQ(self->region.cache, cache_of(self, 0));
}

TEST_F(wrong, ram_uncached_by_insert)
{
	MAP_WRONG("wrong-uncached-page", "ram-uncached", 0);
	EXPECT_EQ(right_frame(self, 0), self->page[0].t.value);
	EXPECT_TRUE(ptwalk_bits_flags(self->page[0].t.bits) & PTWALK_FLAG_RAM);
	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	EXPECT_STREQ(self->region.cache, cache_of(self, 0));
	EXPECT_STRNE("wb", cache_of(self, 0));
	EXPECT_STRNE("normal", cache_of(self, 0));
	EXPECT_EQ(self->m.info.flags & PTWALK_FLAG_TYPE_DIFFERS,
		  ptwalk_bits_flags(self->page[0].t.bits) & PTWALK_FLAG_TYPE_DIFFERS);
}

/* On x86, where the MTRRs say so the kernel makes it uncached all the same. */
TEST_F(wrong, device_cached)
{
	const char *cache;
	u64 i;

	MAP_WRONG("wrong-pci-cached", "device-cached", 0);
	for (i = 0; i < self->pages; i++) {
		EXPECT_EQ(right_frame(self, i), self->page[i].t.value);
		EXPECT_FALSE(ptwalk_bits_flags(self->page[i].t.bits) & PTWALK_FLAG_RAM);
	}
	cache = cache_of(self, 0);
	if (strcmp(cache, "-") && strcmp(cache, "uc-minus"))
		EXPECT_TRUE(!strcmp(cache, "wb") || !strcmp(cache, "normal"));
}

/* Whether all of a page is in one "System RAM" of /proc/iomem. */
static bool is_ram(u64 start, u64 last)
{
	FILE *file = fopen("/proc/iomem", "re");
	u64 first, end;
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " : System RAM") &&
			sscanf(line, " %llx-%llx", &first, &end) == 2 &&
			start >= first && last <= end;
	if (file)
		fclose(file);
	return found;
}

/*
 * The first MiB of a PC is RAM and firmware by turns, and one page is both in
 * part. A dump that has met one of them tells the others rightly.
 */
TEST(ram_and_firmware)
{
	const size_t length = 1024 * 1024, size = sysconf(_SC_PAGESIZE);
	size_t turns = 0, at;
	struct ptw_dump dump;
	struct ptw_extent e;
	bool last = false;
	struct ptw ptw;
	int fd, shift;
	char *start;

#if !defined(__x86_64__) && !defined(__i386__)
	SKIP(return, "not a PC");
#endif
	fd = open("/dev/mem", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP(return, "there is no /dev/mem");
	start = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (start == MAP_FAILED)
		SKIP(return, "the first MiB of /dev/mem can't be mapped");
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, ptw_dump(&ptw, getpid(), (uintptr_t)start,
			      (uintptr_t)start + length - 1, &dump));
	shift = __builtin_ctzl(size);
	for (at = 0; at < length; at += size) {
		bool ram = is_ram(at, at + size - 1);

		ASSERT_TRUE(ptw_dump_find(&dump, shift, (uintptr_t)start + at, &e, NULL));
		EXPECT_EQ(at >> shift, e.value);
		EXPECT_EQ(ram ? PTWALK_FLAG_RAM : PTWALK_FLAG_ONLINE,
			  ptwalk_bits_flags(e.bits) &
			  (PTWALK_FLAG_RAM | PTWALK_FLAG_ONLINE))
			TH_LOG("at %#zx", at);
		turns += ram != last;
		last = ram;
	}
	EXPECT_LE(2, turns);
	ptw_dump_free(&dump);
	ptw_close(&ptw);
	munmap(start, length);
}

/* Last address of the resource that the driver has claimed; 0 without one. */
static u64 end_of_resource(u64 phys)
{
	FILE *file = fopen("/proc/iomem", "re");
	u64 start, last, end = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, ": ptwalk_fixture") &&
		    sscanf(line, " %llx-%llx", &start, &last) == 2 &&
		    phys >= start && phys <= last)
			end = last;
	if (file)
		fclose(file);
	return end;
}

TEST_F(wrong, past_end)
{
	u64 end;

	MAP_WRONG("wrong-pci-past", "past-end", 0);
	ASSERT_EQ(2, self->pages);
	end = end_of_resource(self->region.phys);
	ASSERT_NE(0, end);
	EXPECT_GE(end, self->page[0].t.value * self->m.page_size);
	EXPECT_LT(end, self->page[1].t.value * self->m.page_size);
}

/* Entries that lie outside of all VMAs are told if asked for, and no others. */
TEST_F(wrong, outside_vma)
{
	struct ptw_dump dump;
	u64 behind, found = 0;
	char *at;

	if (!build_driver_open(&self->m, "wrong-outside", &self->region)) {
		ASSERT_STREQ("", self->m.broken);
		SKIP(return, "%s", self->m.lacks);
	}
	ASSERT_STREQ("outside-vma", self->region.wrong);
	self->ptw.outside = true;
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), 0, ~0ULL, &dump));
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);

	at = build_driver_map_alone(&self->m, &self->region, 4);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	behind = (uintptr_t)at + 4 * self->m.page_size;
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), 0, ~0ULL, &dump));
	EXPECT_EQ(0, dump.interrupted);
	for (size_t i = 0; i < dump.nr; i++) {
		const struct ptw_record *r = &dump.record[i];
		u32 kind = ptwalk_bits_kind(r->extent.bits);

		EXPECT_EQ(0, r->vma.flags);
		if (kind == PTWALK_KIND_NONE)
			continue;
		found++;
		EXPECT_EQ(PTWALK_KIND_PRESENT, kind);
		EXPECT_EQ(behind, r->extent.addr);
		EXPECT_EQ(1, r->extent.pages);
		EXPECT_NE(0, ptwalk_bits_flags(r->extent.bits) & PTWALK_FLAG_ZERO);
		EXPECT_EQ(behind, r->vma.start);
	}
	EXPECT_EQ(1, found);
	ptw_dump_free(&dump);

	/* In a part of the address space, too; and nothing of it without asking. */
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), (uintptr_t)at, behind, &dump));
	EXPECT_EQ(1, dump.nr);
	ptw_dump_free(&dump);
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), 0, behind - 1, &dump));
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);
	self->ptw.outside = false;
	ASSERT_EQ(0, ptw_dump(&self->ptw, getpid(), behind, behind, &dump));
	EXPECT_EQ(0, dump.nr);
	ptw_dump_free(&dump);
}

/*
 * Up to Linux 7.2, pagemap_pmd_range() takes every PMD for one of a page that
 * is mapped and counted; vm_normal_page_pmd() would tell that a special one
 * isn't. Here there is a struct page, so only PM_FILE is wrong; for memory of
 * a device without struct pages, it reads one that doesn't exist.
 */
TEST_F(wrong, pagemap_of_special_pmd)
{
	bool known = !ksft_min_kernel_version(7, 3);
	struct ptw_page page;
	u64 entry;

	build_driver_part(&self->m, "huge-pmd-mixed", 0, 0);
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_STREQ("", self->m.broken);
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
	EXPECT_GOOD(check_vma(&self->ptw, &self->m));
	EXPECT_GOOD(check_dump(&self->ptw, &self->m));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.start, &page));
	EXPECT_TRUE(ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_SPECIAL);
	EXPECT_FALSE(ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_PAGE);
	ASSERT_EQ(1, proc_pagemap(self->m.pid, self->m.start, &entry, 1));
	EXPECT_EQ(PM_PRESENT | page.t.value, entry & (PM_PRESENT | PM_PFN));
	if (entry & PM_FILE && known)
		self->m.bug = "special-pmd-bug";
	EXPECT_EQ(self->m.bug ? PM_FILE : 0, entry & (PM_FILE | PM_EXCLUSIVE));
	if (self->m.bug && _metadata->exit_code == KSFT_PASS)
		KNOWN_BUG("%s", self->m.bug);
}

/* What the device refuses. */
TEST_F(wrong, refused)
{
	u64 size = self->m.page_size;
	struct driver_region *r = &self->region;
	struct stat st;
	void *at;

	if (!build_driver_open(&self->m, "fault-pfn", r))
		SKIP(return, "%s", self->m.lacks);
	ASSERT_EQ(0, fstat(self->m.fd, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);

	at = mmap(NULL, r->length + size, PROT_READ, MAP_SHARED, self->m.fd, r->offset);
	EXPECT_EQ(MAP_FAILED, at);
	EXPECT_EQ(EINVAL, errno);
	at = mmap(NULL, size, PROT_READ, MAP_SHARED, self->m.fd, r->offset + r->length);
	EXPECT_EQ(MAP_FAILED, at);
	EXPECT_EQ(ENXIO, errno);
	at = mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, self->m.fd,
		  r->offset + r->length - size);
	EXPECT_EQ(MAP_FAILED, at);
	EXPECT_EQ(EINVAL, errno);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->m.fd, r->offset);
	EXPECT_EQ(MAP_FAILED, at);
	EXPECT_EQ(EINVAL, errno);
}

/* A mapping keeps the module, and what is mapped; then all of it can go. */
TEST_F(wrong, unload)
{
	char *at;
	int i;

	if (!build_driver_open(&self->m, "insert-page", &self->region))
		SKIP(return, "%s", self->m.lacks);
	if (!module_loaded("ptwalk_fixture"))
		SKIP(return, "the driver is built in");
	if (!module_file_exists("ptwalk_fixture"))
		SKIP(return, "the module couldn't be loaded again");
	at = mmap(NULL, self->m.page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  self->m.fd, self->region.offset);
	ASSERT_NE(MAP_FAILED, at);
	close(self->m.fd);
	self->m.fd = -1;
	if (module_references("ptwalk_fixture") > 1)
		SKIP(return, "another process uses the driver");
	EXPECT_EQ(-EWOULDBLOCK, module_unload("ptwalk_fixture"));
	*(volatile u64 *)at = 1;
	ASSERT_EQ(0, munmap(at, self->m.page_size));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, module_unload("ptwalk_fixture"));
		ASSERT_EQ(0, module_load("ptwalk_fixture"));
	}
}

static char published[64 * 1024];

/* Ends the test if the driver can't be unloaded now; on success it isn't there. */
#define UNLOAD() do { \
	if (driver_load() || !module_loaded("ptwalk_fixture")) \
		SKIP(return, "the driver is built in, or missing"); \
	if (!module_file_exists("ptwalk_fixture")) \
		SKIP(return, "the module couldn't be loaded again"); \
	if (module_references("ptwalk_fixture") > 0) \
		SKIP(return, "another process uses the driver"); \
	ASSERT_EQ(0, module_unload("ptwalk_fixture")); \
} while (0)

/* Its regions whose names begin like that can't be mapped, but are named. */
static bool all_absent(const char *prefix)
{
	const char *at = published - 1;
	bool found = false;

	for (; at; at = strchr(at + 1, '\n')) {
		if (strncmp(at + 1, prefix, strlen(prefix)))
			continue;
		found = true;
		if (strncmp(strchrnul(at + 1, ' '), " - - - - - - - absent: ", 23))
			return false;
	}
	return found;
}

/* Whoever loads it without a word has no device taken, and nothing is wrong. */
TEST(loaded_by_mistake)
{
	char name[128];
	int err;

	UNLOAD();
	ASSERT_EQ(0, module_load_with("ptwalk_fixture", ""));
	err = driver_read(published, sizeof(published));
	EXPECT_FALSE(edu_name(name, sizeof(name)))
		TH_LOG("%s was taken", name);
	proc_read("/proc/iomem", text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "System RAM"));
	EXPECT_EQ(NULL, strstr(text, "ptwalk_fixture"));
	EXPECT_EQ(0, module_unload("ptwalk_fixture"));
	ASSERT_EQ(0, module_load("ptwalk_fixture"));
	ASSERT_EQ(0, err);
	EXPECT_TRUE(all_absent("wrong-"));
	if (!strstr(published, "\npci-"))
		SKIP(return, "the driver was built without PCI");
	EXPECT_TRUE(all_absent("pci-"));
	EXPECT_TRUE(all_absent("edu-"));
	EXPECT_TRUE(all_absent("huge-pmd-pci"));
	EXPECT_TRUE(all_absent("huge-pud-pci"));
}

/* A device that is asked for is taken then, by one way and by the other. */
TEST(takes_what_is_named)
{
	char name[128], params[160], path[192];

	if (!edu_name(name, sizeof(name)))
		SKIP(return, "there is no device edu, or edu= doesn't name it");
	UNLOAD();
	snprintf(params, sizeof(params), "edu=0000:7f:1f.7 edu_bits=32");
	ASSERT_EQ(0, module_load_with("ptwalk_fixture", params));
	EXPECT_FALSE(edu_name(params, sizeof(params)));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override", name + 4);
	ASSERT_EQ(0, module_unload("ptwalk_fixture"));

	ASSERT_EQ(0, module_load_with("ptwalk_fixture", "edu_bits=32"));
	EXPECT_EQ(0, proc_write(path, "ptwalk_fixture"));
	EXPECT_EQ(0, proc_write("/sys/bus/pci/drivers_probe", name + 4));
	EXPECT_TRUE(edu_name(params, sizeof(params)));
	EXPECT_STREQ(name, params);
	EXPECT_EQ(0, driver_read(published, sizeof(published)));
	EXPECT_FALSE(all_absent("edu-"));
	EXPECT_EQ(0, proc_write(path, "\n"));
	EXPECT_EQ(0, module_unload("ptwalk_fixture"));
	ASSERT_EQ(0, module_load("ptwalk_fixture"));
	EXPECT_TRUE(edu_name(params, sizeof(params)));
}

TEST_HARNESS_MAIN
