// SPDX-License-Identifier: GPL-2.0
/*
 * What `ptwalk check --expect` and `--lint` report for the fixture driver's
 * mappings: nothing for correct ones, and the right finding for each wrong one.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "build_driver.h"
#include "command.h"
#include "mapping_checks.h"
#include "test.h"

#define MAX_ARGS	(2 * DRIVER_PAGES + 8)

static char text[64 * 1024];
static struct output out;

/* `ptwalk check --json PID START+LENGTH`, with more arguments. */
static const char *args[MAX_ARGS];
static char words[MAX_ARGS][96];
static int nr_args;

static void begin_check(pid_t pid, u64 start, u64 length)
{
	nr_args = 0;
	args[nr_args++] = ptwalk_command();
	args[nr_args++] = "check";
	args[nr_args++] = "--json";
	snprintf(words[nr_args], sizeof(words[0]), "%d", pid);
	args[nr_args] = words[nr_args];
	nr_args++;
	snprintf(words[nr_args], sizeof(words[0]), "%llx+%llx", start, length);
	args[nr_args] = words[nr_args];
	nr_args++;
}

/* Single pages, by their number, in this order. */
static void begin_pages(pid_t pid, u64 start, u64 size, const char *order)
{
	begin_check(pid, start, size);
	for (nr_args--; *order; order++, nr_args++) {
		snprintf(words[nr_args], sizeof(words[0]), "%llx+%llx",
			 start + (*order - '0') * size, size);
		args[nr_args] = words[nr_args];
	}
}

static void expect(const char *place, u64 length, const char *attribute)
{
	args[nr_args++] = "--expect";
	snprintf(words[nr_args], sizeof(words[0]), "%s:%#llx%s%s", place, length,
		 *attribute ? "," : "", attribute);
	args[nr_args] = words[nr_args];
	nr_args++;
}

static void expect_at(u64 phys, u64 length, const char *attribute)
{
	char place[24];

	snprintf(place, sizeof(place), "%llx", phys);
	expect(place, length, attribute);
}

static void end_check(void)
{
	args[nr_args] = NULL;
	run_as(&out, 0, args);
}

static int printed_times(const char *what)
{
	const char *p = out.text;
	int nr = 0;

	while ((p = strstr(p, what))) {
		p++;
		nr++;
	}
	return nr;
}

static int findings(void)
{
	return printed_times("\"type\":\"finding\"");
}

/* The check found one thing, or @nr things, and this is among them. */
#define EXPECT_FOUND(nr, rule, pages) do { \
	EXPECT_STATUS(MISMATCH); \
	EXPECT_EQ(nr, findings()) \
		TH_LOG("printed: %.900s", out.text); \
	EXPECT_PRINTED("\"rule\":\"" rule "\""); \
	snprintf(text, sizeof(text), "\"pages\":%llu,\"verdict\":\"mismatch\",\"rule\":\"" \
		 rule "\"", (u64)(pages)); \
	EXPECT_PRINTED(text); \
} while (0)

#define EXPECT_NOTHING() do { \
	EXPECT_STATUS(MATCH); \
	EXPECT_EQ(0, findings()); \
} while (0)

/* Where all memory can be executed, that is found unless it may be. */
static void lint(pid_t pid, u64 start, u64 length)
{
	if (pid == getpid() && !kernel_forbids_execution())
		mprotect((void *)(uintptr_t)start, length,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
	begin_check(pid, start, length);
	args[nr_args++] = "--lint";
	end_check();
}

static const char *attribute_of(const struct driver_region *region)
{
	return strcmp(region->cache, "-") ? region->cache : "";
}

/* What the driver publishes of pages @skip to @skip + @pages, moved by @shift. */
static void expect_region(const struct driver_region *r, u64 skip, u64 pages,
			  u64 size, u64 shift)
{
	u64 i;

	if (!r->nr_pages)
		expect_at(r->phys + (skip + shift) * size, pages * size,
			  attribute_of(r));
	for (i = skip; r->nr_pages && i < skip + pages; i++)
		expect_at(r->page[i] + shift * size, size, attribute_of(r));
}

FIXTURE(right)
{
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
	u64 pages;
};

FIXTURE_VARIANT(right)
{
	const char *builder;
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(right, name) { .builder = #name, .build = build_##name };
DRIVER_BUILDERS(ADD)

FIXTURE_SETUP(right)
{
	NEED_COMMAND();
	SETUP_MAPPING(self, variant->build);
	ASSERT_EQ(0, build_driver_region(variant->builder, &self->region));
	self->pages = self->region.length / self->m.page_size;
}

FIXTURE_TEARDOWN(right)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

TEST_F(right, as_expected)
{
	begin_check(self->m.pid, self->m.start, self->region.length);
	expect_region(&self->region, 0, self->pages, self->m.page_size, 0);
	end_check();
	EXPECT_NOTHING();
}

/* One page too far, too few, too many; and other attributes. */
TEST_F(right, not_what_it_is_not)
{
	u64 size = self->m.page_size, pages = self->pages;
	struct driver_region *r = &self->region;

	begin_check(self->m.pid, self->m.start, r->length);
	expect_region(r, 0, pages, size, 1);
	end_check();
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"expect-address\"");

	begin_check(self->m.pid, self->m.start, r->length);
	expect_region(r, 0, pages - 1, size, 0);
	end_check();
	EXPECT_FOUND(1, "expect-end", 1);

	begin_check(self->m.pid, self->m.start, r->length - size);
	expect_region(r, 0, pages, size, 0);
	end_check();
	EXPECT_FOUND(1, "expect-short", 1);

	begin_check(self->m.pid, self->m.start, r->length);
	expect_region(r, 0, pages, size, 0);
	strcat(words[nr_args - 1], ",ro");
	end_check();
	EXPECT_FOUND(1, "expect-flags", r->nr_pages ? 1 : pages);

	if (!*attribute_of(r))
		return;
	strcpy(r->cache, !strcmp(r->cache, "wb") || !strcmp(r->cache, "normal") ?
	       "combining" : "cached");
	begin_check(self->m.pid, self->m.start, size);
	expect_region(r, 0, 1, size, 0);
	end_check();
	EXPECT_FOUND(1, "expect-memory-type", 1);
}

/* The kernel's own mappings have another type only where that is by design. */
TEST_F(right, no_lint)
{
	const bool has_kernel = !module_load("ptwalk_kernel");

	lint(self->m.pid, self->m.start, self->region.length);
	module_unload("ptwalk_kernel");
	EXPECT_NOTHING();
	if (has_kernel)
		EXPECT_PRINTED("\"kernel_not_compared\":0");
}

static void verbose(const char *command, pid_t pid, u64 start, u64 length)
{
	begin_check(pid, start, length);
	args[1] = command;
	if (!strcmp(command, "translate"))
		snprintf(words[nr_args - 1], sizeof(words[0]), "%llx", start);
	args[nr_args++] = "-v";
	end_check();
}

/* What the author of the driver wants to know of it, and knows. */
TEST_F(right, explained)
{
	struct driver_region *r = &self->region;
	unsigned int first = 1, last = 1;
	u64 size = self->m.page_size;

	verbose("translate", self->m.pid, self->m.start + size, size);
	EXPECT_STATUS(MATCH);
	snprintf(text, sizeof(text), "\"file_offset\":\"%#llx\"", r->offset + size);
	EXPECT_PRINTED(text);
	if (module_loaded("ptwalk_fixture"))
		EXPECT_PRINTED("[ptwalk_fixture]\"");
	EXPECT_PRINTED(!strcmp(r->entries, "pfnmap") ? "\"pfnmap\"" : "\"mixedmap\"");
	EXPECT_PRINTED(r->device ? "\"pci_device\":\"0000:" : "\"System RAM\"");
	if (*attribute_of(r)) {
		snprintf(text, sizeof(text), "\"memory_type\":\"%s\"", r->cache);
		EXPECT_PRINTED(text);
	}
	/* Pages that were had one by one may be neighbours all the same. */
	while (r->nr_pages && first && r->page[first - 1] + size == r->page[first])
		first--;
	while (last + 1 < r->nr_pages && r->page[last] + size == r->page[last + 1])
		last++;
	if (r->nr_pages)
		snprintf(text, sizeof(text), "\"block\":{\"start\":\"%#llx\",\"paddr\":\"%#llx\",\"pages\":%u}",
			 self->m.start + first * size, r->page[first], last - first + 1);
	else
		snprintf(text, sizeof(text), "\"block\":{\"start\":\"%#llx\",\"paddr\":\"%#llx\",\"pages\":%llu}",
			 self->m.start, r->phys, self->pages);
	EXPECT_PRINTED(text);

	verbose("dump", self->m.pid, self->m.start, r->length);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"ops\":");
	EXPECT_PRINTED(r->device ? "\"pci_device\":\"0000:" : "\"System RAM\"");
	snprintf(text, sizeof(text), "\"paddr\":\"%#llx\"", r->phys);
	EXPECT_PRINTED(text);
}

FIXTURE(wrong)
{
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
	u64 pages, size, start;
};

FIXTURE_SETUP(wrong)
{
	NEED_COMMAND();
	SETUP_MAPPING(self, NULL);
	self->size = self->m.page_size;
}

FIXTURE_TEARDOWN(wrong)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

static void map_wrong(struct __test_metadata *_metadata,
		      FIXTURE_DATA(wrong) *self, const char *name, u64 skip)
{
	char *at;

	if (!build_driver_open(&self->m, name, &self->region)) {
		ASSERT_STREQ("", self->m.broken);
		return;
	}
	self->pages = self->region.length / self->size - skip;
	at = build_driver_map(&self->m, &self->region, skip, self->pages);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	self->start = (uintptr_t)at;
	/* Whatever the driver did, pagemap and the others tell what is so. */
	EXPECT_GOOD(check_command(&self->ptw, &self->m));
}

#define MAP_WRONG(name, skip) do { \
	map_wrong(_metadata, self, name, skip); \
	if (self->m.lacks[0]) \
		SKIP(return, "%s", self->m.lacks); \
} while (0)

static void check_region(FIXTURE_DATA(wrong) *self, u64 skip, u64 pages)
{
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect_region(&self->region, skip, pages, self->size, 0);
	end_check();
}

static void lint_region(FIXTURE_DATA(wrong) *self)
{
	lint(self->m.pid, self->start, self->pages * self->size);
}

/* Memory type of a page of the mapping, as the driver names it. */
static const char *type_of(FIXTURE_DATA(wrong) *self, u64 index)
{
	struct ptw_page page;

	if (ptw_translate_one(&self->ptw, self->m.pid,
			      self->start + index * self->size, &page))
		return "unknown";
	return driver_cache_name(&self->m.info, page.t.bits);
}

TEST_F(wrong, offset_ignored)
{
	MAP_WRONG("wrong-offset", 3);
	check_region(self, 3, self->pages);
	EXPECT_FOUND(1, "expect-address", self->pages);
	EXPECT_PRINTED("\"truth\":{\"text\":");
	EXPECT_PRINTED("\"seen\":{\"text\":");
	EXPECT_PRINTED("3 pages before what is expected; was the offset of the mapping ignored?");
	lint_region(self);
	EXPECT_NOTHING();
}

TEST_F(wrong, offset_ignored_without_offset)
{
	MAP_WRONG("wrong-offset", 0);
	check_region(self, 0, self->pages);
	EXPECT_NOTHING();
}

TEST_F(wrong, page_missing)
{
	MAP_WRONG("wrong-short", 0);
	check_region(self, 0, self->pages);
	EXPECT_FOUND(1, "expect-short", 1);
	/* Of a piece that is in the middle, the page is a hole. */
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect_region(&self->region, 0, self->pages - 1, self->size, 0);
	end_check();
	EXPECT_NOTHING();
}

TEST_F(wrong, not_contiguous)
{
	char pid[16], range[64], pieces[64];

	MAP_WRONG("wrong-scattered", 0);
	snprintf(pid, sizeof(pid), "%d", self->m.pid);
	/* Without -v, what is scattered is one line. */
	snprintf(range, sizeof(range), "%#llx+%#llx", self->start, self->pages * self->size);
	snprintf(pieces, sizeof(pieces), "scattered: in %llu pieces", self->pages);
	run(&out, ptwalk_command(), "dump", pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(pieces);
	snprintf(range, sizeof(range), "%#llx+%#llx", self->start, 4 * self->size);
	run(&out, ptwalk_command(), "dump", pid, range);
	EXPECT_UNPRINTED("scattered", " 1 4K ");
	check_region(self, 0, self->pages);
	EXPECT_FOUND(1, "expect-contiguous", self->pages - 1);
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect("any", self->pages * self->size, "");
	end_check();
	EXPECT_FOUND(1, "expect-contiguous", self->pages - 1);
	lint_region(self);
	EXPECT_NOTHING();
}

TEST_F(wrong, two_types)
{
	MAP_WRONG("wrong-alias", 0);
	check_region(self, 0, self->pages);
	lint_region(self);
	if (!strcmp(self->region.cache, "-")) {
		EXPECT_STATUS(strstr(out.text, "two-memory-types") ? MISMATCH : MATCH);
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	}
	/* On x86 the kernel knows nothing of it, so it is wrong by itself. */
	EXPECT_FOUND(strcmp(self->region.cache, "wb") ? 1 : 2, "two-memory-types",
		     self->pages / 2);

	/* Each half is right by itself, so far as the types go. */
	begin_check(self->m.pid, self->start, self->pages / 2 * self->size);
	expect_region(&self->region, 0, self->pages / 2, self->size, 0);
	end_check();
	EXPECT_NOTHING();
	begin_check(self->m.pid, self->start + self->pages / 2 * self->size,
		    self->pages / 2 * self->size);
	expect_region(&self->region, 0, self->pages / 2, self->size, 0);
	end_check();
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"expect-memory-type\"");
}

/* The second half of the region, for a process of its own. */
static void map_half(void *arg, int nr)
{
	struct driver_region *r = arg;
	u64 length = r->length / 2;
	int fd = open(DRIVER_DEVICE, O_RDWR | O_CLOEXEC);

	mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	     r->offset + length);
}

TEST_F(wrong, two_types_in_two_processes)
{
	char mine[16], other[16];
	char *at;

	if (!build_driver_open(&self->m, "wrong-alias", &self->region))
		SKIP(return, "%s", self->m.lacks);
	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	self->pages = self->region.length / self->size / 2;
	/* The other one first, so that it doesn't inherit anything. */
	ASSERT_EQ(0, target_start(&self->m.target, map_half, &self->region));
	at = build_driver_map(&self->m, &self->region, 0, self->pages);
	ASSERT_NE(NULL, at);
	self->start = (uintptr_t)at;
	lint_region(self);
	EXPECT_NOTHING();

	snprintf(mine, sizeof(mine), "%d", getpid());
	snprintf(other, sizeof(other), "%d", self->m.target.pid);
	run(&out, ptwalk_command(), "check", "--lint", "--json", mine, other);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"two-memory-types\"");
	EXPECT_PRINTED("of process");
	run(&out, ptwalk_command(), "check", "--lint", "--json", other, mine);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"two-memory-types\"");
}

/* The kernel has the pages write-combining, and the process has them cached. */
TEST_F(wrong, two_types_with_the_kernel)
{
	MAP_WRONG("wrong-forgotten", 0);
	check_region(self, 0, self->pages);
	EXPECT_NOTHING();
	lint_region(self);
	if (!(self->m.info.flags & PTWALK_FLAG_TYPE_DIFFERS))
		SKIP(return, "the module can't tell the kernel's own memory types here");
	EXPECT_FOUND(1, "two-memory-types", self->pages);
	EXPECT_PRINTED("the kernel itself has the frame with another memory type");
}

/* The kernel has the pages with another type in vmalloc's addresses. */
static void expect_alias(struct __test_metadata *_metadata, FIXTURE_DATA(wrong) *self)
{
	check_region(self, 0, self->pages);
	EXPECT_NOTHING();
	lint_region(self);
	EXPECT_NOTHING();
	EXPECT_UNPRINTED("\"kernel_not_compared\":0", "\"kernel_not_compared\":");
	verbose("translate", self->m.pid, self->start, self->size);
	EXPECT_UNPRINTED("\"two_types\"", "\"memory_type_index\"");

	ASSERT_EQ(0, module_load("ptwalk_kernel"));
	lint_region(self);
	EXPECT_FOUND(1, "two-memory-types", self->pages);
	EXPECT_PRINTED("\"kernel_not_compared\":0");
	EXPECT_PRINTED("the kernel itself has the frame at 0xff");
	verbose("translate", self->m.pid, self->start, self->size);
	EXPECT_PRINTED("\"two_types\":true");
	EXPECT_PRINTED("\"part\":\"direct\"");
	EXPECT_PRINTED("\"part\":\"vmalloc\"");
	run(&out, ptwalk_command(), "translate", "-v", "self", "--map", DRIVER_DEVICE);
	EXPECT_PRINTED(" [direct]");
	EXPECT_UNPRINTED("two memory types", "  kernel ");
	module_unload("ptwalk_kernel");
	run(&out, ptwalk_command(), "translate", "-v", "self", "--map", DRIVER_DEVICE);
	EXPECT_PRINTED("not known: the module ptwalk_kernel isn't loaded");
}

TEST_F(wrong, two_types_with_vmap)
{
	if (!ENTRIES_TELL_CACHING || !module_file_exists("ptwalk_kernel"))
		SKIP(return, "there is no module ptwalk_kernel for this architecture, or no memory type");
	MAP_WRONG("wrong-vmap", 0);
	expect_alias(_metadata, self);
}

TEST_F(wrong, two_types_with_coherent)
{
	if (!ENTRIES_TELL_CACHING || !module_file_exists("ptwalk_kernel"))
		SKIP(return, "there is no module ptwalk_kernel for this architecture, or no memory type");
	MAP_WRONG("wrong-coherent", 0);
	expect_alias(_metadata, self);
}

/* x86 doesn't let it happen; the driver doesn't get what it wanted. */
TEST_F(wrong, ram_uncached_by_remap)
{
	MAP_WRONG("wrong-uncached-remap", 0);
	check_region(self, 0, self->pages);
	EXPECT_NOTHING();
	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	lint_region(self);
	if (strcmp(self->region.cache, "wb")) {
		EXPECT_FOUND(1, "ram-uncached", self->pages);
		return;
	}
	EXPECT_NOTHING();
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect_at(self->region.phys, self->region.length, "uncached");
	end_check();
	EXPECT_FOUND(1, "expect-memory-type", self->pages);
}

TEST_F(wrong, ram_uncached_by_insert)
{
	MAP_WRONG("wrong-uncached-page", 0);
	check_region(self, 0, self->pages);
	EXPECT_NOTHING();
	if (!strcmp(self->region.cache, "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	lint_region(self);
	EXPECT_FOUND(1, "ram-uncached", self->pages);
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect("any", self->size, "cached");
	end_check();
	EXPECT_PRINTED("\"rule\":\"expect-memory-type\"");
}

/* Unless the MTRRs of an x86 have it uncached all the same. */
TEST_F(wrong, device_cached)
{
	bool cached;

	MAP_WRONG("wrong-pci-cached", 0);
	cached = !strcmp(type_of(self, 0), "wb") || !strcmp(type_of(self, 0), "normal");
	lint_region(self);
	if (cached)
		EXPECT_FOUND(1, "device-cached", self->pages);
	else
		EXPECT_NOTHING();
	if (!strcmp(type_of(self, 0), "-"))
		SKIP(return, "the driver doesn't know the memory types of this architecture");
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect_at(self->region.phys, self->region.length, cached ? "uncached" : "cached");
	end_check();
	EXPECT_FOUND(1, "expect-memory-type", self->pages);
}

TEST_F(wrong, past_end)
{
	MAP_WRONG("wrong-pci-past", 0);
	lint_region(self);
	EXPECT_FOUND(1, "past-resource", 1);
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect("any", self->pages * self->size, "");
	end_check();
	EXPECT_FOUND(1, "past-resource", 1);
	EXPECT_PRINTED("\"source\":\"expect\"");
	check_region(self, 0, 1);
	EXPECT_FOUND(1, "expect-end", 1);
	/* Page by page, the last one first. */
	begin_pages(self->m.pid, self->start, self->size, "10");
	args[nr_args++] = "--lint";
	end_check();
	EXPECT_FOUND(1, "past-resource", 1);
}

/* What is expected stands in the order of the ranges, also of those that overlap. */
TEST_F(wrong, order_of_ranges)
{
	static const char *const orders[] = { "01", "10", "210", "1101" };
	const struct driver_region *r = &self->region;

	MAP_WRONG("pages-remap", 0);
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		const char *order = orders[i], *told = "expect-address";

		begin_pages(self->m.pid, self->start, self->size, order);
		for (const char *page = order; *page; page++)
			if (strchr(order, *page) == page)
				expect_at(r->phys + (*page - '0') * self->size, self->size, "");
		end_check();
		EXPECT_NOTHING();
		/* In the other order, both are wrong. */
		begin_pages(self->m.pid, self->start, self->size, order);
		for (char page = '0'; page < '3'; page++)
			if (strchr(order, page))
				expect_at(r->phys + (page - '0') * self->size, self->size, "");
		end_check();
		EXPECT_EQ(i ? 2 : 0, printed_times(told)) TH_LOG("%s: %.900s", order, out.text);
	}
}

/* A mapping that is right, of a driver that would map more than there is, and one of another. */
TEST_F(wrong, past_end_if_asked)
{
	static const char *const names[] = { "wrong-pci-past", "pci-uncached" };
	struct driver_region *r = &self->region;
	char map[64];

	for (int i = 0; i < 2; i++) {
		if (!build_driver_open(&self->m, names[i], r))
			SKIP(return, "%s", self->m.lacks);
		snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset, self->size);
		run(&out, ptwalk_command(), "check", "self", "--lint", "--json", "--map", map);
		if (i) {
			EXPECT_NOTHING();
			continue;
		}
		EXPECT_FOUND(1, "past-resource", 1);
		EXPECT_PRINTED("of PCI device 0000:");
		EXPECT_PRINTED("the driver compares no length");
		snprintf(text, sizeof(text), "%#llx bytes at offset %#llx of the file can be mapped, to physical %#llx",
			 2 * self->size, r->offset, r->phys + self->size);
		EXPECT_PRINTED(text);
	}
}

/* What virt_to_phys() makes of vmalloc memory; nobody may touch it. */
TEST_F(wrong, nothing_there)
{
	MAP_WRONG("wrong-vmalloc-address", 0);
	lint_region(self);
	EXPECT_FOUND(1, "no-resource", self->pages);
	EXPECT_PRINTED("no resource of /proc/iomem");
	begin_check(self->m.pid, self->start, self->pages * self->size);
	expect("any", self->pages * self->size, "");
	end_check();
	EXPECT_FOUND(1, "no-resource", self->pages);
	EXPECT_PRINTED("\"source\":\"expect\"");
}

/* As behind the first page of a buffer that is no block. */
TEST_F(wrong, frames_of_others)
{
	MAP_WRONG("wrong-slab", 0);
	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no /proc/kpageflags");
	lint_region(self);
	EXPECT_FOUND(1, "frame-of-others", self->pages - 1);
	EXPECT_PRINTED("slab");
	begin_check(self->m.pid, self->start + self->size, self->size);
	expect("any", self->size, "");
	end_check();
	EXPECT_FOUND(1, "frame-of-others", 1);
	begin_check(self->m.pid, self->start, self->size);
	expect("any", self->size, "");
	end_check();
	EXPECT_NOTHING();
}

/* Of a mapping that is wrong from the first look on, watch tells it once. */
TEST_F(wrong, more_than_vma)
{
	char pid[16], *at;

	if (!build_driver_open(&self->m, "wrong-writable", &self->region))
		SKIP(return, "%s", self->m.lacks);
	snprintf(pid, sizeof(pid), "%d", getpid());
	run(&out, ptwalk_command(), "watch", "--laws", "--json", "-n", "2", "-i", "0.1",
	    pid, "[stack]");
	if (kernel_forbids_execution() || !processor_can_forbid_execution())
		EXPECT_STATUS(MATCH);
	at = build_driver_map_alone(&self->m, &self->region, 4);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	begin_check(getpid(), (uintptr_t)at, 4 * self->size);
	args[nr_args++] = "--lint";
	end_check();
	EXPECT_FOUND(1, "more-than-vma", 4);
	begin_check(getpid(), (uintptr_t)at, 4 * self->size);
	args[1] = "watch";
	args[nr_args++] = "--laws";
	args[nr_args++] = "--looks";
	args[nr_args++] = "3";
	args[nr_args++] = "--interval";
	args[nr_args++] = "0.1";
	end_check();
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(1, printed_times("\"type\":\"broken\""));
	EXPECT_PRINTED("\"rule\":\"more-than-vma\"");
	EXPECT_PRINTED("\"broken\":4");
}

/* Freed while it is mapped. */
TEST_F(wrong, frames_that_were_freed)
{
	MAP_WRONG("wrong-freed", 0);
	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no /proc/kpageflags");
	lint_region(self);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"frame-of-others\"");
	EXPECT_PRINTED("the frame is free, for whoever asks next");
}

/* The last page of the block of four that the region begins with. */
static void run_frame(FIXTURE_DATA(wrong) *self)
{
	char at[32];

	snprintf(at, sizeof(at), "phys:%llx", self->region.phys + 3 * self->size);
	run(&out, ptwalk_command(), "frame", at);
}

/*
 * In small blocks, which stand in a CPU's lists afterwards, or are back in the
 * allocator's, as kpageflags has it then. Nobody asks for memory of their zone.
 */
TEST_F(wrong, small_blocks_that_were_freed)
{
	char *at;

	if (!build_driver_open(&self->m, "wrong-freed-small", &self->region))
		SKIP(return, "%s", self->m.lacks);
	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no /proc/kpageflags");
	run_frame(self);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("  page         no references\n");
	at = build_driver_map_alone(&self->m, &self->region, 8);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	lint(getpid(), (uintptr_t)at, 8 * self->size);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"frame-of-others\"");
	EXPECT_PRINTED("the frame is free, for whoever asks next");
	run_frame(self);
	EXPECT_STATUS(MATCH);
	if (!printed_times("buddy"))
		EXPECT_PRINTED("  page         free\n");
	munmap(at, 8 * self->size);
}

/*
 * A page with fewer references than mappings, and no other one. Nothing but the lint
 * looks at it: move_pages() of 6.1 warns of a page without references.
 */
static void find_freed(struct __test_metadata *_metadata, FIXTURE_DATA(wrong) *self,
		       const char *name, unsigned int pages)
{
	char *at, *to;

	if (!build_driver_open(&self->m, name, &self->region))
		SKIP(return, "%s", self->m.lacks);
	at = build_driver_map_alone(&self->m, &self->region, pages);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	*(volatile char *)at;
	lint(getpid(), (uintptr_t)at, pages * self->size);
	EXPECT_FOUND(1, "freed-while-mapped", 1);
	snprintf(text, sizeof(text), "\"start\":\"%#llx\"", (u64)(uintptr_t)at);
	EXPECT_PRINTED(text);
	EXPECT_PRINTED("the kernel counts 0 references, fewer than mappings");
	/* Wherever a page may be, it isn't meant to be free. */
	begin_check(getpid(), (uintptr_t)at, self->size);
	expect("any", self->size, "");
	end_check();
	EXPECT_FOUND(1, "freed-while-mapped", 1);
	/* It is so where it is moved to, which opens a VMA, and then closes the first. */
	to = mmap(NULL, pages * self->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)to);
	ASSERT_EQ(to, mremap(at, pages * self->size, pages * self->size,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to));
	lint(getpid(), (uintptr_t)to, pages * self->size);
	EXPECT_FOUND(1, "freed-while-mapped", 1);
	munmap(to, pages * self->size);
}

TEST_F(wrong, page_freed_once_too_often)
{
	find_freed(_metadata, self, "wrong-counts", 4);
}

/* In a VMA of which no flag says that it is a driver's. */
TEST_F(wrong, page_freed_after_fault)
{
	find_freed(_metadata, self, "wrong-fault", 1);
}

/*
 * The mapping has the only reference: the summary says so, and of a driver that keeps its
 * own, such as that of the right mappings, says nothing.
 */
TEST_F(wrong, page_given_away)
{
	static const char given[] = "with as many references as mappings";
	char *at;

	for (int i = 0; i < 2; i++) {
		if (!build_driver_open(&self->m, i ? "insert-page" : "given-away",
				       &self->region))
			SKIP(return, "%s", self->m.lacks);
		at = build_driver_map_alone(&self->m, &self->region, 4);
		ASSERT_NE(NULL, at)
			TH_LOG("%s", self->m.broken);
		*(volatile char *)at;
		*(volatile char *)(at + 2 * self->size);
		begin_check(getpid(), (uintptr_t)at, 4 * self->size);
		args[2] = "--lint";
		end_check();
		EXPECT_STATUS(MATCH);
		if (i) {
			EXPECT_UNPRINTED(given, "match");
		} else {
			EXPECT_PRINTED(given);
		}
		lint(getpid(), (uintptr_t)at, 4 * self->size);
		EXPECT_NOTHING();
		EXPECT_EQ(!i, !!strstr(out.text, "\"given_away\":2,"));
		munmap(at, 4 * self->size);
	}
}

/* More than was asked for. */
TEST_F(wrong, outside_vma)
{
	char *at;

	if (!build_driver_open(&self->m, "wrong-outside", &self->region))
		SKIP(return, "%s", self->m.lacks);
	at = build_driver_map_alone(&self->m, &self->region, 4);
	ASSERT_NE(NULL, at)
		TH_LOG("%s", self->m.broken);
	lint(getpid(), (uintptr_t)at, 4 * self->size);
	EXPECT_FOUND(1, "outside-vma", 1);
	snprintf(text, sizeof(text), "\"start\":\"%#llx\"",
		 (u64)(uintptr_t)at + 4 * self->size);
	EXPECT_PRINTED(text);
	EXPECT_PRINTED("no VMA is there, and the process reaches it all the same");
}

/* Blocks of entries: the first one is right, and each other one has a mistake of its own. */
TEST_F(wrong, contiguous_differs)
{
	static const char *const told[] = {
		NULL, "entry 5 of %llu differs from entry 0 in the right to write",
		"entry 5 of %llu differs from entry 0 in other rights",
		"entry 5 of %llu differs from entry 0 in the memory type",
		"entry 5 of %llu differs from entry 0 in being part of a block",
		"entry 5 of %llu differs from entry 0 in the frame, which doesn't follow",
		"1 of %llu entries aren't present", "the first frame isn't a multiple of %llu",
	};
	const u64 blocks = sizeof(told) / sizeof(told[0]);
	u64 entries, size;
	char *at;

	if (!build_driver_open(&self->m, "wrong-contiguous", &self->region))
		SKIP(return, "%s", self->m.lacks);
	size = self->region.length / blocks;
	entries = size / self->size;
	at = mapping_place(&self->m, self->region.length, size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	ASSERT_NE(NULL, at);
	ASSERT_EQ(at, mmap(at, self->region.length, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, self->m.fd, self->region.offset));
	for (u64 i = 0; i < blocks; i++) {
		lint(self->m.pid, (uintptr_t)at + i * size, size);
		if (!told[i]) {
			EXPECT_NOTHING();
			continue;
		}
		EXPECT_FOUND(1, "contiguous-differs", entries);
		snprintf(text, sizeof(text), told[i], entries);
		EXPECT_PRINTED(text);
	}
	/* All at once, and one page, of whose block another entry differs. */
	lint(self->m.pid, (uintptr_t)at, self->region.length);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(blocks - 1, findings());
	lint(self->m.pid, (uintptr_t)at + size, self->size);
	EXPECT_FOUND(1, "contiguous-differs", 1);
	munmap(at, self->region.length);
}

/* In all of the system, with nothing wrong mapped, nothing is found. */
TEST_F(wrong, nothing_else)
{
	bool can_tell = self->m.info.shift[PTWALK_LEVEL_PMD];

	run(&out, ptwalk_command(), "check", "--all", "--lint", "--json");
	EXPECT_PRINTED("\"type\":\"summary\"");
	if (!can_tell || !processor_can_forbid_execution() || kernel_forbids_execution()) {
		EXPECT_NOTHING();
		return;
	}
	/* But for that which the kernel does to all (Documentation/kernel-bugs/x86-pae-nx.txt) */
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"rule\":\"more-than-vma\"");
	EXPECT_EQ(findings(), printed_times("\"rule\":\"more-than-vma\""));
}

/* The command makes the mapping itself, and touches it. */
TEST_F(wrong, mapped_by_the_command)
{
	char map[64], place[64];
	struct driver_region *r = &self->region;

	if (!build_driver_open(&self->m, "pages-remap", r))
		SKIP(return, "%s", self->m.lacks);
	snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset, r->length);
	snprintf(place, sizeof(place), "%#llx:%#llx", r->phys, r->length);
	run(&out, ptwalk_command(), "check", "self", "--json", "--map", map, "--expect", place);
	EXPECT_NOTHING();
	snprintf(text, sizeof(text), "\"pages\":%llu", r->length / self->size);
	EXPECT_PRINTED(text);

	ASSERT_EQ(0, driver_read(text, sizeof(text)));
	ASSERT_EQ(0, driver_region(text, "fault-pfn", r));
	snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset, self->size);
	snprintf(place, sizeof(place), "%#llx:%#llx", r->phys, self->size);
	run(&out, ptwalk_command(), "check", "self", "--json", "--map", map, "--expect", place);
	EXPECT_FOUND(1, "expect-short", 1);
	run(&out, ptwalk_command(), "check", "self", "--json", "--map", map, "--expect", place,
	    "--touch");
	EXPECT_NOTHING();
}

/* All interfaces of a driver's mapping, as check compares them without options. */
TEST_F(wrong, check_of_own_mapping)
{
	static const char *const names[] = {
		"pages-remap", "pages-combining", "insert-page", "coherent-remap",
		"fault-pfn",
	};
	struct driver_region *r = &self->region;
	char map[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!build_driver_open(&self->m, names[i], r)) {
			TH_LOG("%s: %s", names[i], self->m.lacks);
			continue;
		}
		snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset,
			 self->size);
		run(&out, ptwalk_command(), "check", "self", "--touch", "--map", map);
		EXPECT_STATUS(MATCH);
		/* Since 7.3, mincore() reads the entries of such mappings, too. */
		EXPECT_EQ(strcmp(names[i], "insert-page") && !kernel_since(7, 3),
			  !!strstr(out.text, "mincore-pfnmap-hidden"));
	}
}

/* What can't be judged is said: of pages that aren't there, and of offsets. */
TEST_F(wrong, not_judged)
{
	struct driver_region *r = &self->region;
	char map[64], place[32];

	if (!build_driver_open(&self->m, "fault-pfn", r))
		SKIP(return, "%s", self->m.lacks);
	snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset, 2 * self->size);
	run(&out, ptwalk_command(), "check", "self", "--lint", "--map", map);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("not checked: nothing is present there\n");
	EXPECT_PRINTED("lint: 2 pages not present");
	run(&out, ptwalk_command(), "check", "self", "--lint", "--touch", "--map", map);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("not present", "lint: ");
	EXPECT_PRINTED("lint: 1 mapping of a driver at an offset: ");
	EXPECT_PRINTED("--expect any:LENGTH");
	/* Before the region there is none, so that nothing can be compared. */
	snprintf(place, sizeof(place), "any:%#llx", 2 * self->size);
	run(&out, ptwalk_command(), "check", "self", "--touch", "--map", map, "--expect", place);
	EXPECT_PRINTED(" cannot be mapped at offset ");
	EXPECT_PRINTED("whether it ignores the offset is not known");
	run(&out, ptwalk_command(), "check", "self", "--touch", "--lint", "--map", map,
	    "--expect", place);
	EXPECT_PRINTED("lint: 1 mapping of a driver at an offset: ");
}

/* Of a mapping whose offset was judged, the lints don't ask for that. */
TEST_F(wrong, offset_judged)
{
	struct driver_region *r = &self->region;
	char map[64], place[2][40];

	if (!build_driver_open(&self->m, "pages-remap", r))
		SKIP(return, "%s", self->m.lacks);
	snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx", r->offset + self->size,
		 self->size);
	snprintf(place[0], sizeof(place[0]), "any:%#llx", self->size);
	snprintf(place[1], sizeof(place[1]), "%#llx:%#llx", r->phys + self->size, self->size);
	for (int i = 0; i < 2; i++) {
		run(&out, ptwalk_command(), "check", "self", "--lint", "--map", map,
		    "--expect", place[i]);
		EXPECT_STATUS(MATCH);
		EXPECT_UNPRINTED("at an offset", "1 process on ");
		run(&out, ptwalk_command(), "check", "self", "--lint", "--json", "--map", map,
		    "--expect", place[i]);
		EXPECT_PRINTED("\"offsets_not_judged\":0");
	}
}

/* A driver that ignores the offset is found wherever its buffer is. */
TEST_F(wrong, offset_ignored_anywhere)
{
	static const char *const names[] = { "wrong-offset", "pages-remap" };
	char map[64], place[32];
	struct driver_region *r = &self->region;

	for (int i = 0; i < 2; i++) {
		if (!build_driver_open(&self->m, names[i], r))
			SKIP(return, "%s", self->m.lacks);
		snprintf(map, sizeof(map), DRIVER_DEVICE ":%#llx:%#llx",
			 r->offset + self->size, r->length - self->size);
		snprintf(place, sizeof(place), "any:%#llx", r->length - self->size);
		run(&out, ptwalk_command(), "check", "self", "--json", "--map", map,
		    "--expect", place);
		if (i)
			EXPECT_NOTHING();
		else
			EXPECT_FOUND(1, "expect-offset", r->length / self->size - 1);
	}
}

/* A line that says what is wrong, and no more. */
TEST_F(wrong, arguments)
{
	static const char *const wrong[] = {
		"", "1000", ":4K", "1000:", "xyz:4K", "1001:4K", "1000:0", "1000:4Q",
		"1000:4K,", "1000:4K,nothing", "1000:4K,ro,rw", "1000:4096000",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		run(&out, ptwalk_command(), "check", "self", "[heap]", "--expect", wrong[i]);
		EXPECT_STATUS(USAGE);
		EXPECT_ONE_LINE();
	}
	run(&out, ptwalk_command(), "check", "self", "--expect", "1000:4K");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	run(&out, ptwalk_command(), "check", "--all", "[heap]", "--expect", "1000:4K");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	run(&out, ptwalk_command(), "check", "self", "--source", "expect");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	/* x86 and ARM have no type in common. */
	run(&out, ptwalk_command(), "check", "self", "[stack]", "--expect",
#if defined(__x86_64__) || defined(__i386__)
	    "any:4K,device-ngnrne");
#else
	    "any:4K,uc-minus");
#endif
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("this kernel has no such memory type");
	EXPECT_ONE_LINE();
	run(&out, ptwalk_command(), "explain", "ram-uncached");
	EXPECT_STATUS(MATCH);
}

FIXTURE(folded)
{
	struct ptw ptw;
	struct mapping m;
};

FIXTURE_VARIANT(folded)
{
	builder_t build;
};

FIXTURE_VARIANT_ADD(folded, mthp_64k) { .build = build_mthp_64k };
FIXTURE_VARIANT_ADD(folded, mthp_1m) { .build = build_mthp_1m };
FIXTURE_VARIANT_ADD(folded, hugetlb_smallest) { .build = build_hugetlb_smallest };

FIXTURE_SETUP(folded)
{
	NEED_COMMAND();
	SETUP_MAPPING(self, variant->build);
	if (!(self->m.info.flags & PTWALK_FLAG_CONT))
		SKIP(return, "no contiguous entries");
}

FIXTURE_TEARDOWN(folded)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

static bool is_marked(FIXTURE_DATA(folded) *self, u64 index)
{
	struct ptw_page page;

	return !ptw_translate_one(&self->ptw, self->m.pid,
				  self->m.start + index * self->m.page_size, &page) &&
	       ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_CONT;
}

/* What the kernel makes contiguous itself, before and after its VMA is split. */
TEST_F(folded, no_lint)
{
	const u64 half = self->m.pages / 2;
	char *middle = (char *)(uintptr_t)self->m.start + half * self->m.page_size;

	if (!is_marked(self, half) && self->m.page_size != 4096)
		SKIP(return, "a block has more pages");
	EXPECT_TRUE(is_marked(self, half));
	lint(self->m.pid, self->m.start, self->m.pages * self->m.page_size);
	EXPECT_NOTHING();
	if (madvise(middle, half * self->m.page_size, MADV_DONTFORK))
		return;
	EXPECT_TRUE(is_marked(self, half - 1));
	EXPECT_TRUE(is_marked(self, half));
	lint(self->m.pid, self->m.start, self->m.pages * self->m.page_size);
	EXPECT_NOTHING();
	/* Taken apart where one page becomes another. */
	if (mprotect(middle, self->m.page_size, PROT_READ))
		return;
	EXPECT_FALSE(is_marked(self, half));
	lint(self->m.pid, self->m.start, self->m.pages * self->m.page_size);
	EXPECT_NOTHING();
}

TEST_HARNESS_MAIN
