// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include "check/rules.h"
#include "cmd/topics.h"
#include "dma/lead.h"
#include "expect/layout.h"
#include "guest/stale.h"
#include "lint/lints.h"
#include "pins/orphan.h"
#include "pins/pins.h"
#include "proc/cpuinfo.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "prove/bytes.h"
#include "tests.h"

#define PAGE	0x1000ULL
#define AT	TEST_ADDR
#define PID	100
#define OTHER	200

/* Indices of memory types: x86's, or ARM's. */
enum { WB, WC, UC_MINUS, UC };
enum { NORMAL, NC, NGNRNE, TAGGED, NGNRE };

#define DRIVER	(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER)
#define SPECIAL	(DRIVER | PTWALK_FLAG_SPECIAL)
#define WRITABLE (PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE)
#define PFNMAP	(WRITABLE | PTWALK_VMA_FLAG_PFNMAP)
#define COUNTED	(DRIVER | PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM)

static const char iomem_text[] =
	"00000000-00000fff : Reserved\n"
	"00001000-0009ffff : System RAM\n"
	"000a0000-000fffff : PCI Bus 0000:00\n"
	"  000c0000-000c7fff : Video ROM\n"
	"00100000-3fffffff : System RAM\n"
	"  01000000-01ffffff : Kernel code\n"
	"40000000-7fffffff : System RAM\n"
	"80000000-8fffffff : ACPI Tables\n"
	"c0000000-febfffff : PCI Bus 0000:00\n"
	"  e0000000-efffffff : PCI MMCONFIG 0000 [bus 00-ff]\n"
	"  fd000000-fdffffff : 0000:00:02.0\n"
	"    fd000000-fd00ffff : mydriver\n"
	"fed00000-fed003ff : HPET 0\n"
	"100000000-1ffffffff : Persistent Memory\n"
	"  100000000-1ffffffff : dax0.0\n";

static const char bar_text[] =
	"0xfd000000 0xfdffffff 0x42208\n"
	"0xfe000000 0xfe0000ff 0x40200\n"
	"0x0 0x0 0x0\n0x0 0x0 0x0\n0x0 0x0 0x0\n0x0 0x0 0x0\n"
	"0xfe100000 0xfe10ffff 0x46200\n";

struct scene {
	struct ptwalk_kernel kernel;
	struct iomem iomem;
	struct pcibars bars;
	struct ptwalk_vma vma;
	struct range range;
	struct ranges ranges;
	struct lint_findings out;
	struct lint_uses uses;
	struct linter linter;
};

static struct scene scene;

static FILE *text_file(const char *text, size_t size)
{
	return fmemopen((void *)text, size - 1, "r");
}

static void begin(bool arm)
{
	static const uint8_t x86_types[] = {
		PTWALK_MEMORY_TYPE_WB, PTWALK_MEMORY_TYPE_WC,
		PTWALK_MEMORY_TYPE_UC_MINUS, PTWALK_MEMORY_TYPE_UC,
	};
	static const uint8_t arm_types[] = {
		PTWALK_MEMORY_TYPE_NORMAL, PTWALK_MEMORY_TYPE_NORMAL_NC,
		PTWALK_MEMORY_TYPE_DEVICE_NGNRNE,
		PTWALK_MEMORY_TYPE_NORMAL_TAGGED,
		PTWALK_MEMORY_TYPE_DEVICE_NGNRE,
	};
	FILE *file;

	memset(&scene, 0, sizeof(scene));
	scene.kernel = test_kernel(6, 12);
	scene.kernel.flags = 0;
	scene.kernel.features &= ~PTWALK_FEATURE_SOFT_DIRTY;
	memcpy(scene.kernel.memory_types, arm ? arm_types : x86_types,
	       arm ? sizeof(arm_types) : sizeof(x86_types));
	scene.kernel.nr_memory_types = arm ? sizeof(arm_types) :
					     sizeof(x86_types);
	file = text_file(iomem_text, sizeof(iomem_text));
	assert_int_equal(iomem_parse(file, &scene.iomem), 0);
	fclose(file);
	file = text_file(bar_text, sizeof(bar_text));
	assert_int_equal(pcibars_parse(file, "0000:00:02.0", &scene.bars), 0);
	fclose(file);
	scene.vma = (struct ptwalk_vma) {
		.start = AT, .last = AT + 0x1000000 - 1,
		.flags = PFNMAP | PTWALK_VMA_FLAG_IO,
	};
	scene.range = (struct range) { 0, UINT64_MAX };
	scene.ranges = (struct ranges) { &scene.range, 1, 1 };
	scene.linter = (struct linter) {
		.kernel = &scene.kernel,
		.iomem = &scene.iomem,
		.bars = &scene.bars,
		.pid = PID,
		.ranges = &scene.ranges,
		.denies_exec = true,
		.out = &scene.out,
	};
}

static struct ptwalk_extent extent(uint64_t page, uint64_t pages, uint64_t paddr,
				   unsigned int type, uint32_t flags)
{
	struct ptwalk_extent e = {
		.addr = AT + page * PAGE,
		.pages = pages,
		.value = paddr / PAGE,
		.bits = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, type,
				    flags),
	};

	return e;
}

static void look(uint64_t page, uint64_t pages, uint64_t paddr,
		 unsigned int type, uint32_t flags)
{
	struct ptwalk_extent e = extent(page, pages, paddr, type, flags);

	lint_extents(&scene.linter, &scene.vma, &e, 1);
}

static void end(void)
{
	iomem_free(&scene.iomem);
	pcibars_free(&scene.bars);
	free(scene.out.finding);
	free(scene.uses.use);
}

/* Nothing is found, or one thing. */
static void clean(void)
{
	lint_end(&scene.linter);
	lint_sort(&scene.out);
	if (scene.out.nr)
		print_message("found: %s\n", lint_name[scene.out.finding[0].lint]);
	assert_int_equal(scene.out.nr, 0);
	end();
}

static void finds(enum lint lint, uint64_t page, uint64_t pages,
		  const char *found, const char *against)
{
	struct lint_finding *f;
	char text[LINT_TEXT];

	lint_end(&scene.linter);
	lint_sort(&scene.out);
	assert_int_equal(scene.out.nr, 1);
	f = scene.out.finding;
	assert_string_equal(lint_name[f->lint], lint_name[lint]);
	assert_int_equal((f->addr - AT) / PAGE, page);
	assert_int_equal(f->pages, pages);
	lint_found(f, &scene.kernel, text);
	assert_non_null(strstr(text, found));
	lint_against(f, &scene.kernel, text);
	if (!strstr(text, against))
		print_message("against: %s\n", text);
	assert_non_null(strstr(text, against));
	end();
}

static void right_ones(void **state)
{
	/* DMA memory, as remap_pfn_range() and as vm_insert_page() map it. */
	begin(false);
	look(0, 16, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	look(16, 8, 0x2b6d000, WB, COUNTED);
	/* Write-combining for the kernel, too: it keeps book of that. */
	look(32, 16, 0x3c30000, WC, SPECIAL | PTWALK_FLAG_RAM);
	/* The whole of a BAR, and a part; registers that fill no page. */
	look(64, 0x1000, 0xfd000000, UC_MINUS, SPECIAL);
	look(0x1100, 1, 0xfe000000, UC_MINUS, SPECIAL);
	look(0x1200, 1, 0xfed00000, UC_MINUS, SPECIAL);
	/* Tables and ROMs are memory, and so is persistent memory. */
	look(0x1210, 4, 0x80000000, WB, SPECIAL);
	look(0x1220, 1, 0xc0000, WB, SPECIAL);
	look(0x1230, 8, 0x100000000, WB, SPECIAL | PTWALK_FLAG_DEVMAP);
	look(0x1240, 8, 0x100000000, WB, SPECIAL);
	/* Of a hole in RAM the kernel has pages, too. */
	look(0x1250, 4, 0x90000000, UC_MINUS, SPECIAL | PTWALK_FLAG_RAM);
	clean();

	begin(true);
	look(0, 16, 0x2be0000, NC, SPECIAL | PTWALK_FLAG_RAM);
	look(16, 8, 0x2b6d000, TAGGED, COUNTED);
	look(64, 16, 0xfd000000, NGNRE, SPECIAL);
	look(128, 16, 0xfd000000, NC, SPECIAL);
	clean();

	/* Ordinary memory, with the zero page. */
	begin(false);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_ANONYMOUS;
	look(0, 4, 0x200000, WB, COUNTED);
	look(8, 1, 0x3000, WB, PTWALK_FLAG_SPECIAL | PTWALK_FLAG_ZERO | PTWALK_FLAG_RAM);
	clean();

	/* An architecture whose entries have no memory type. */
	begin(false);
	scene.kernel.nr_memory_types = 1;
	look(64, 16, 0xfd000000, WB, SPECIAL);
	clean();
}

static void ram_uncached(void **state)
{
	begin(false);
	look(3, 2, 0x2b51000, UC_MINUS, COUNTED);
	look(5, 2, 0x2b71000, UC_MINUS, COUNTED);
	look(7, 2, 0x2b91000, WB, COUNTED);
	finds(LINT_RAM_UNCACHED, 3, 4, "0x2b51000, memory type uc-minus", "RAM");

	begin(false);
	look(3, 2, 0x2b51000, WC, COUNTED);
	finds(LINT_RAM_UNCACHED, 3, 2, "wc", "RAM");

	begin(true);
	look(0, 16, 0x2be0000, NGNRNE, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_RAM_UNCACHED, 0, 16, "device-ngnrne", "RAM");

	/* The part of it that is RAM. */
	begin(true);
	look(0, 4, 0x7fffe000, NGNRE, DRIVER | PTWALK_FLAG_RAM);
	finds(LINT_RAM_UNCACHED, 0, 2, "device-ngnre", "RAM");

	/* Without /proc/iomem, what has a page. */
	begin(true);
	scene.iomem.why_not = "zeros";
	look(0, 4, 0x7fffe000, NGNRE, DRIVER | PTWALK_FLAG_RAM);
	finds(LINT_RAM_UNCACHED, 0, 4, "device-ngnre", "RAM");
}

/* Where the module can tell what the kernel itself has. */
static void ram_and_the_kernel(void **state)
{
	const uint32_t differs = PTWALK_FLAG_TYPE_DIFFERS;

	/* set_memory_wc() was called, and then vm_insert_page(). */
	begin(false);
	scene.kernel.flags = differs;
	look(0, 4, 0x2b51000, WC, COUNTED);
	look(4, 4, 0x2c51000, WB, COUNTED);
	/* remap_pfn_range_notrack(): its driver flushes caches by itself. */
	look(8, 4, 0x2d51000, WC, SPECIAL | PTWALK_FLAG_RAM | differs);
	clean();

	begin(false);
	scene.kernel.flags = differs;
	look(0, 4, 0x2b51000, WC, COUNTED | differs);
	finds(LINT_RAM_UNCACHED, 0, 4, "wc", "RAM");

	begin(false);
	scene.kernel.flags = differs;
	look(0, 4, 0x2b51000, WB, COUNTED | differs);
	finds(LINT_TWO_TYPES, 0, 4, "wb", "the kernel itself has the frame with another");
}

static void device_cached(void **state)
{
	begin(true);
	look(0, 8, 0xfd000000, NORMAL, SPECIAL);
	finds(LINT_DEVICE_CACHED, 0, 8, "normal", "BAR 0 of PCI device 0000:00:02.0");

	/* A device that isn't on a bus that tells. */
	begin(true);
	look(0, 1, 0xfed00000, NORMAL, SPECIAL);
	finds(LINT_DEVICE_CACHED, 0, 1, "normal", "HPET 0");

	begin(false);
	scene.kernel.features &= ~PTWALK_FEATURE_PTE_SPECIAL;
	look(0, 1, 0xfed00000, WB, DRIVER);
	finds(LINT_DEVICE_CACHED, 0, 1, "wb", "HPET 0");
}

static void past_resource(void **state)
{
	begin(false);
	look(0, 1, 0xfdfff000, UC_MINUS, SPECIAL);
	look(1, 1, 0xfe000000, UC_MINUS, SPECIAL | PTWALK_FLAG_WRITE);
	finds(LINT_PAST_RESOURCE, 1, 1, "0xfe000000", "BAR 0 of PCI device 0000:00:02.0");

	begin(false);
	look(0, 4, 0x7fffe000, WB, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_PAST_RESOURCE, 2, 2, "0x80000000", "System RAM");

	begin(false);
	look(0, 2, 0xfed00000, UC_MINUS, SPECIAL);
	finds(LINT_PAST_RESOURCE, 1, 1, "0xfed01000", "HPET 0");

	/* RAM in several resources; another mapping; and /dev/mem. */
	begin(false);
	look(0, 4, 0x3fffe000, WB, SPECIAL | PTWALK_FLAG_RAM);
	look(4, 1, 0xfdfff000, UC_MINUS, SPECIAL);
	scene.vma.start += 5 * PAGE;
	look(5, 1, 0xfe000000, UC_MINUS, SPECIAL);
	scene.vma.start += PAGE;
	strcpy(scene.vma.ops, "mmap_mem_ops");
	look(6, 2, 0xfdfff000, UC_MINUS, SPECIAL);
	clean();
}

/* What virt_to_phys() makes of vmalloc memory, and bus addresses. */
static void nowhere(void **state)
{
	begin(false);
	look(0, 16, 0x408000125000, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 16, "0x408000125000",
	      "; was virt_to_phys() given memory of vmalloc()?");

	/* Of RAM and of a BAR; not where the address is none of a page, or nobody's. */
	begin(false);
	look(0, 16, 0x40123000ULL << 12, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 16, "0x40123000000",
	      "was a physical address given for a PFN? There is System RAM");
	begin(false);
	look(0, 2, 0xfd000000ULL << 12, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0xfd000000000",
	      "was a physical address given for a PFN? There is ");
	begin(false);
	look(0, 2, 0x40123001ULL << 12, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0x40123001000", "given memory of vmalloc()?");
	begin(false);
	look(0, 2, 0xd0000000ULL, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0xd0000000", "windows to buses has the address");

	begin(false);
	scene.kernel.phys_bits = 40;
	look(0, 1, 0x10000000000, WB, SPECIAL);
	finds(LINT_NOWHERE, 0, 1, "0x10000000000", "more bits than the processor");

	/* As far as the next resource. */
	begin(false);
	look(0, 4, 0xfecfe000, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0xfecfe000", "no resource of /proc/iomem but windows");

	/* Other architectures have devices that no driver has asked for. */
	begin(true);
	scene.kernel.phys_bits = 48;
	look(0, 2, 0x408000125000, NGNRE, SPECIAL);
	clean();
	begin(true);
	look(0, 2, 0x408000125000, NORMAL, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0x408000125000", "no resource of /proc/iomem but windows");
	begin(true);
	scene.kernel.phys_bits = 40;
	look(0, 2, 0x408000125000, NGNRE, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0x408000125000", "no resource of /proc/iomem but windows");

	/* A window has no more than the devices behind it have. */
	begin(false);
	look(0, 4, 0xdfffe000, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 2, "0xdfffe000", "windows to buses");
	begin(false);
	look(0, 2, 0xfebff000, UC_MINUS, SPECIAL);
	finds(LINT_NOWHERE, 0, 1, "0xfebff000", "windows to buses");
	begin(false);
	look(0, 1, 0xfe000000, UC_MINUS, SPECIAL);
	clean();

	/* In the first megabyte, in reserved memory, through /dev/mem, or nothing known. */
	begin(false);
	scene.kernel.phys_bits = 40;
	look(0, 1, 0xa0000, UC_MINUS, SPECIAL);
	look(2, 1, 0x80000000, WB, SPECIAL);
	strcpy(scene.vma.ops, "mmap_mem_ops");
	look(4, 1, 0x408000125000, UC_MINUS, SPECIAL);
	clean();
	begin(false);
	scene.iomem.why_not = "none";
	look(0, 1, 0x408000125000, UC_MINUS, SPECIAL);
	clean();
}

static uint64_t flags_of_odd;

/* Odd frames have those flags, and beyond 2 GiB nothing is known. */
static size_t some_flags(uint64_t pfn, uint64_t *flags, size_t nr)
{
	size_t i;

	if (pfn >= 0x80000)
		return 0;
	/* One at a time, as a file may give less than was asked for. */
	for (i = 0; i < nr && i < 1; i++)
		flags[i] = (pfn + i) % 2 ? flags_of_odd : 0;
	return i;
}

static void of_others(void **state)
{
	static const struct {
		uint64_t flags;
		const char *text;
	} owned[] = {
		{ KPF_BIT(SLAB), "slab" }, { KPF_BIT(BUDDY), "free" },
		{ KPF_BIT(PGTABLE), "page table" },
		{ KPF_BIT(ANON) | KPF_BIT(LRU) | KPF_BIT(SWAPBACKED),
		  "anonymous" },
		{ KPF_BIT(LRU), "page cache" },
	}, free_to_map[] = {
		{ 0 }, { KPF_BIT(RESERVED) }, { KPF_BIT(NOPAGE) },
		{ KPF_BIT(LRU) | KPF_BIT(SWAPBACKED) | KPF_BIT(MMAP) },
		{ KPF_BIT(COMPOUND_HEAD) },
	};
	size_t i;

	for (i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) {
		begin(false);
		flags_of_odd = owned[i].flags;
		scene.linter.frame_flags = some_flags;
		look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
		finds(LINT_OTHERS, 1, 1, "0x2be1000", owned[i].text);
		/* With a page that is counted it isn't the number alone. */
		begin(false);
		scene.linter.frame_flags = some_flags;
		look(0, 3, 0x2be0000, WB, COUNTED);
		strcpy(scene.vma.ops, "mmap_mem_ops");
		look(4, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
		clean();
	}
	for (i = 0; i < sizeof(free_to_map) / sizeof(free_to_map[0]); i++) {
		begin(false);
		flags_of_odd = free_to_map[i].flags;
		scene.linter.frame_flags = some_flags;
		look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
		clean();
	}
	/* The kernel's code, unless it was freed, or the kernel maps it itself. */
	flags_of_odd = KPF_BIT(RESERVED);
	begin(false);
	scene.linter.frame_flags = some_flags;
	look(0, 3, 0x1100000, WB, SPECIAL | PTWALK_FLAG_RAM);
	scene.vma.inode = 1;
	look(4, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	look(8, 3, 0x1100000, WB, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_OTHERS, 9, 1, "0x1101000", "Kernel code");
	flags_of_odd = 0;
	begin(false);
	scene.linter.frame_flags = some_flags;
	scene.vma.inode = 1;
	look(0, 3, 0x1100000, WB, SPECIAL | PTWALK_FLAG_RAM);
	clean();
	flags_of_odd = KPF_BIT(SLAB);
	begin(false);
	scene.linter.frame_flags = some_flags;
	look(0, 3, 0x80000000, WB, SPECIAL | PTWALK_FLAG_RAM);
	clean();
	/* Others than those that are wanted are left out. */
	begin(false);
	scene.linter.frame_flags = some_flags;
	scene.linter.only = 1U << LINT_NOWHERE;
	look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	clean();
}

static void look_outside(uint64_t page, uint64_t pages, uint64_t value, uint64_t bits)
{
	struct ptwalk_extent e = { AT + page * PAGE, value, pages, bits };

	lint_outside(&scene.linter, &e, 1);
}

static void outside_vmas(void **state)
{
	const uint64_t ram = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, WB,
					 SPECIAL | PTWALK_FLAG_RAM);
	const uint64_t none = ptwalk_bits(PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0, 0);

	/* One finding, whoever has the frames; and each owner is told. */
	begin(false);
	look_outside(0, 3, 0, none);
	look_outside(3, 2, 0x2be0, ram);
	finds(LINT_OUTSIDE, 3, 2, "0x2be0000", "no VMA is there");
	begin(false);
	flags_of_odd = KPF_BIT(SLAB);
	scene.linter.frame_flags = some_flags;
	look_outside(3, 1, 0x2be1, ram);
	finds(LINT_OUTSIDE, 3, 1, "0x2be1000", "all the same: the kernel's slab allocator");
	/* Of what isn't RAM, nothing is asked. */
	begin(false);
	scene.linter.frame_flags = some_flags;
	look_outside(3, 2, 0xfd001, ram & ~((uint64_t)PTWALK_FLAG_RAM << PTWALK_BITS_FLAGS_SHIFT));
	finds(LINT_OUTSIDE, 3, 2, "0xfd001000", "no VMA is there, and the process reaches it all the same");
	/* Nothing needs to be present, but all of it lies in the range. */
	begin(false);
	scene.range = (struct range) { AT, AT + 4 * PAGE - 1 };
	look_outside(3, 2, 0x1f2, ptwalk_bits(PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 1, 0));
	finds(LINT_OUTSIDE, 3, 1, "swap type 1 offset 0x1f2", "no VMA is there");
	begin(false);
	scene.range = (struct range) { AT, AT + 3 * PAGE - 1 };
	look_outside(3, 2, 0x2be0, ram);
	clean();
}

/* A page of such flags, in a VMA of such. */
static void look_in(uint64_t vma_flags, uint32_t flags, unsigned int pkey)
{
	scene.kernel.features |= PTWALK_FEATURE_PAGE_MAPCOUNT |
				 PTWALK_FEATURE_SOFT_DIRTY | PTWALK_FEATURE_PKEYS;
	scene.vma.flags = vma_flags;
	scene.vma.pkey = pkey;
	look(2, 3, 0x2be0000, WB, flags);
}

static void laws_that_hold(void **state)
{
	const uint64_t soft = WRITABLE | PTWALK_VMA_FLAG_SOFTDIRTY;
	const uint32_t anon = COUNTED | PTWALK_FLAG_ANON;

	begin(false);
	look_in(soft, anon | PTWALK_FLAG_EXCLUSIVE, 0);
	look_in(soft, anon & ~PTWALK_FLAG_WRITE, 0);
	look_in(soft, COUNTED, 0);
	look_in(soft, (COUNTED | PTWALK_FLAG_KSM) & ~PTWALK_FLAG_WRITE, 0);
	look_in(soft, PTWALK_FLAG_ZERO | PTWALK_FLAG_USER | PTWALK_FLAG_SPECIAL, 0);
	look_in(soft, COUNTED | PTWALK_FLAG_UFFD_WP, 0);
	look_in(PFNMAP | PTWALK_VMA_FLAG_SOFTDIRTY, SPECIAL | PTWALK_FLAG_ZERO, 0);
	look_in(WRITABLE, COUNTED | PTWALK_FLAG_SOFT_DIRTY, 0);
	look_in(WRITABLE, COUNTED & ~PTWALK_FLAG_WRITE, 0);
	look_in(WRITABLE | PTWALK_VMA_FLAG_HUGETLB, COUNTED, 0);
	look_in(PFNMAP, SPECIAL, 0);
	look_in(soft, (COUNTED | PTWALK_FLAG_UFFD_WP) & ~PTWALK_FLAG_WRITE, 0);
	look_in(PFNMAP | PTWALK_VMA_FLAG_SOFTDIRTY, SPECIAL, 3);
	look_in(soft, PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_PAGE | PTWALK_FLAG_NUMA_HINT, 3);
	/* What the kernel can't know it isn't asked. */
	scene.kernel.features = 0;
	scene.vma.flags = WRITABLE;
	look(2, 3, 0x2be0000, WB, anon | PTWALK_FLAG_LARGE | PTWALK_FLAG_MAYBE_SHARED);
	clean();
}

static void laws_that_are_broken(void **state)
{
	static const struct {
		enum lint lint;
		uint64_t vma_flags;
		uint32_t flags;
		unsigned int pkey;
		const char *against;
	} broken[] = {
		{ LINT_SHARED_WRITABLE, PTWALK_VMA_FLAG_SOFTDIRTY, PTWALK_FLAG_ANON, 0, "more than once" },
		{ LINT_SHARED_WRITABLE, PTWALK_VMA_FLAG_SOFTDIRTY,
		  PTWALK_FLAG_ANON | PTWALK_FLAG_LARGE, 0, "more than once" },
		{ LINT_COMMON_WRITABLE, PTWALK_VMA_FLAG_SOFTDIRTY,
		  PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL, 0, "zero page" },
		{ LINT_COMMON_WRITABLE, PTWALK_VMA_FLAG_SOFTDIRTY, PTWALK_FLAG_KSM, 0, "KSM" },
		{ LINT_UNTRACKED, 0, 0, 0, "misses the next write" },
		{ LINT_UNPROTECTED, PTWALK_VMA_FLAG_SOFTDIRTY | PTWALK_VMA_FLAG_UFFD_WP,
		  PTWALK_FLAG_UFFD_WP, 0, "userfaultfd" },
		{ LINT_OTHER_KEY, PTWALK_VMA_FLAG_SOFTDIRTY, 0, 3, "protection key" },
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		begin(false);
		look_in(WRITABLE | broken[i].vma_flags, COUNTED | broken[i].flags,
			broken[i].pkey);
		finds(broken[i].lint, 2, 3, "0x2be0000", broken[i].against);
	}
	/* A migration entry that will be writable; of others nothing is said. */
	begin(false);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_UFFD_WP;
	{
		struct ptwalk_extent e = extent(2, 3, 0x2be0000, 0, 0);

		e.bits = ptwalk_bits(PTWALK_KIND_MIGRATION, PTWALK_LEVEL_PTE, 0,
				     PTWALK_FLAG_WRITE | PTWALK_FLAG_UFFD_WP);
		lint_extents(&scene.linter, &scene.vma, &e, 1);
		e.bits = ptwalk_bits(PTWALK_KIND_MIGRATION, PTWALK_LEVEL_PTE, 0,
				     PTWALK_FLAG_WRITE | PTWALK_FLAG_ANON);
		lint_extents(&scene.linter, &scene.vma, &e, 1);
	}
	finds(LINT_UNPROTECTED, 2, 3, "migrating", "userfaultfd");
	/* Where nothing may be done at all. */
	begin(false);
	scene.vma.flags = 0;
	look(2, 3, 0x2be0000, WB, COUNTED & ~PTWALK_FLAG_WRITE);
	finds(LINT_MORE, 2, 3, "accessible", "---p");
}

static void special_outside(void **state)
{
	begin(false);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_IO;
	look(0, 2, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_SPECIAL, 0, 2, "a special entry", "neither VM_PFNMAP nor VM_MIXEDMAP");

	begin(false);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_MIXEDMAP;
	look(0, 2, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	clean();
}

/* A page of ordinary memory with entry flags, in a VMA with flags. */
static void allow(uint64_t page, uint64_t vma_flags, uint32_t flags)
{
	scene.vma.flags = vma_flags | PTWALK_VMA_FLAG_ANONYMOUS;
	look(page, 1, 0x2be0000, WB, flags | PTWALK_FLAG_USER | PTWALK_FLAG_PAGE |
	     PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_RAM);
}

static void more_than_vma(void **state)
{
	const uint32_t w = PTWALK_FLAG_WRITE, x = PTWALK_FLAG_EXEC;
	const uint64_t rx = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_EXEC;

	/* NX is lost: the kernel's own fault. */
	begin(false);
	allow(0, WRITABLE, w | x);
	allow(1, WRITABLE, x);
	finds(LINT_MORE, 0, 2, "wb, executable", "the VMA allows rw-p and no more");

	begin(false);
	allow(0, rx | PTWALK_VMA_FLAG_MAYSHARE, w | x);
	finds(LINT_MORE, 0, 1, "wb, writable", "the VMA allows r-xs and no more");

	begin(true);
	allow(0, PTWALK_VMA_FLAG_READ, w | x);
	finds(LINT_MORE, 0, 1, "normal, writable, executable", "r--p");

	/* A driver that sets vm_page_prot by hand. */
	begin(false);
	scene.vma.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_PFNMAP;
	look(0, 16, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_MORE, 0, 16, "wb, writable", "r--p");

	/* Two ways of being wrong, which are told apart. */
	begin(false);
	allow(0, PTWALK_VMA_FLAG_READ, w);
	allow(1, PTWALK_VMA_FLAG_READ, x);
	assert_int_equal(scene.out.nr, 2);
	end();
}

static void no_more_than_vma(void **state)
{
	const uint32_t w = PTWALK_FLAG_WRITE, x = PTWALK_FLAG_EXEC;
	const uint64_t r = PTWALK_VMA_FLAG_READ, rx = r | PTWALK_VMA_FLAG_EXEC;

	/* As much as the VMA, or less: copy-on-write, dirty tracking. */
	begin(false);
	allow(0, WRITABLE, w);
	allow(1, WRITABLE, 0);
	allow(2, rx, x);
	allow(3, rx, 0);
	allow(4, WRITABLE | rx, w | x);
	allow(5, r, 0);
	clean();

	/* PROT_NONE, whose other bits mean nothing. */
	begin(false);
	allow(0, 0, w | x | PTWALK_FLAG_PROT_NONE);
	allow(1, r, w | PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_NUMA_HINT);
	clean();

	/* The entry isn't there; when it comes back, it is made of the VMA. */
	begin(false);
	scene.vma.flags = r;
	{
		struct ptwalk_extent e = {
			.addr = AT, .pages = 1, .value = 0x2be0,
			.bits = ptwalk_bits(PTWALK_KIND_MIGRATION, 0, 0, w | x),
		};

		lint_extents(&scene.linter, &scene.vma, &e, 1);
	}
	clean();

	/* A shadow stack that was made read-only. */
	begin(false);
	allow(0, r | PTWALK_VMA_FLAG_SHADOW_STACK, w);
	clean();

	/* Nothing can be kept from being executed. */
	begin(false);
	scene.linter.denies_exec = false;
	allow(0, WRITABLE, w | x);
	clean();
	begin(false);
	scene.linter.denies_exec = false;
	allow(0, r, w | x);
	finds(LINT_MORE, 0, 1, "wb, writable", "r--p");
}

static bool denies_exec(const char *machine, const char *cpuinfo)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	FILE *file = fmemopen((void *)cpuinfo, strlen(cpuinfo), "r");
	bool ret;

	kernel.flags |= PTWALK_FLAG_EXEC;
	strcpy(kernel.machine, machine);
	ret = noexec_parse(&kernel, file);
	rewind(file);
	/* Two levels: an x86 without PAE, whose entries have no bit 63. */
	kernel.levels = 1 << PTWALK_LEVEL_PTE | 1 << PTWALK_LEVEL_PGD;
	assert_int_equal(noexec_parse(&kernel, file), ret && !strstr(machine, "86"));
	rewind(file);
	/* A kernel that doesn't tell of execution at all. */
	kernel.flags &= ~PTWALK_FLAG_EXEC;
	assert_false(noexec_parse(&kernel, file));
	fclose(file);
	return ret;
}

static void who_denies_exec(void **state)
{
	static const char nx[] = "processor\t: 0\nflags\t\t: fpu syscall nx lm\nbugs\t\t:\n";
	static const char last[] = "flags\t\t: fpu nx\n";
	static const char none[] =
		"model name\t: nx of nx\nflags\t\t: fpu nxx xnx\nvmx flags\t: nx\n";
	static const char arm[] = "processor\t: 0\nFeatures\t: half thumb\n";

	assert_true(denies_exec("x86_64", nx));
	assert_true(denies_exec("i686", nx));
	assert_true(denies_exec("i586", last));
	assert_false(denies_exec("x86_64", none));
	assert_false(denies_exec("i686", none));
	assert_false(denies_exec("i686", arm));
	assert_true(denies_exec("aarch64", arm));
	assert_true(denies_exec("armv7l", arm));
	assert_true(denies_exec("riscv64", arm));
	assert_true(denies_exec("ppc64le", arm));
	assert_false(denies_exec("s390x", arm));
}

/* Only what is asked about. */
static void in_a_range(void **state)
{
	begin(true);
	scene.range = (struct range) { AT + 4 * PAGE, AT + 6 * PAGE - 1 };
	look(0, 16, 0xfd000000, NORMAL, SPECIAL);
	assert_int_equal(scene.out.pages, 2);
	finds(LINT_DEVICE_CACHED, 4, 2, "0xfd004000", "BAR 0");
}

/* What was not looked at, and what looking can't show, is counted. */
static void not_judged(void **state)
{
	struct range elsewhere = { AT, AT + 6 * PAGE - 1 };
	const struct ranges judged = { .range = &elsewhere, .nr = 1 };
	struct ptwalk_extent hole = extent(4, 3, 0, 0, 0);

	begin(false);
	hole.bits = ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0);
	scene.range = (struct range) { AT, AT + 6 * PAGE - 1 };
	scene.vma.flags = PFNMAP;
	scene.vma.inode = 1;
	lint_extents(&scene.linter, &scene.vma, &hole, 1);
	assert_int_equal(scene.out.absent, 2);
	/* The beginning of a driver's mapping, and not what follows. */
	look(0, 2, 0x2000000, WB, SPECIAL);
	assert_int_equal(scene.out.offsets, 0);
	scene.vma.pgoff = 1;
	look(0, 2, 0x2000000, WB, SPECIAL);
	look(2, 2, 0x2000000, WB, SPECIAL);
	assert_int_equal(scene.out.offsets, 1);
	/* Nor one of which --expect says where it should be, but of others. */
	scene.linter.judged = &judged;
	look(0, 2, 0x2000000, WB, SPECIAL);
	assert_int_equal(scene.out.offsets, 1);
	elsewhere.start = AT + PAGE;
	look(0, 2, 0x2000000, WB, SPECIAL);
	assert_int_equal(scene.out.offsets, 2);
	/* Of /dev/mem the offset is the address; what is no driver's has pages. */
	scene.vma.pgoff = 0x2000;
	look(0, 2, 0x2000000, WB, SPECIAL);
	scene.vma.pgoff = 1;
	scene.vma.flags = WRITABLE;
	look(0, 2, 0x2000000, WB, COUNTED);
	/* Where pages are copied on write, pgoff is the PFN, also of a copied one. */
	scene.vma.flags = PFNMAP | PTWALK_VMA_FLAG_MAYWRITE;
	look(0, 2, 0x2000000, WB, COUNTED);
	scene.vma.flags = PFNMAP;
	scene.vma.inode = 0;
	look(0, 2, 0x2000000, WB, SPECIAL);
	assert_int_equal(scene.out.offsets, 2);
	assert_int_equal(scene.out.absent, 2);
	end();
}

static void note(uint64_t page, uint64_t pages, uint64_t paddr, unsigned int type)
{
	struct ptwalk_extent e = extent(page, pages, paddr, type, COUNTED);

	lint_note_uses(&scene.linter, &e, 1, &scene.uses);
	lint_sort_uses(&scene.uses);
}

static void compare(pid_t pid, uint64_t page, uint64_t pages, uint64_t paddr,
		    unsigned int type)
{
	struct ptwalk_extent e = extent(page, pages, paddr, type, COUNTED);

	lint_compare_uses(&scene.linter, pid, &e, 1, &scene.uses);
}

static void two_types_in_a_process(void **state)
{
	/* Told once, of the one that is less like ordinary memory. */
	begin(false);
	note(8, 4, 0x2b55000, WC);
	compare(PID, 0, 8, 0x2b53000, WB);
	compare(PID, 8, 4, 0x2b55000, WC);
	assert_int_equal(scene.out.finding[0].other, AT + 2 * PAGE);
	finds(LINT_TWO_TYPES, 8, 4, "0x2b55000, memory type wc",
	      "memory type wb at 0x7f0000202000 of process 100");

	/* Scattered frames whose places follow each other. */
	begin(false);
	note(4, 1, 0x2b55000, WC);
	note(5, 1, 0x2b57000, WC);
	compare(PID, 0, 1, 0x2b55000, WB);
	compare(PID, 1, 1, 0x2b57000, WB);
	finds(LINT_TWO_TYPES, 4, 2, "wc", "wb");

	begin(false);
	note(4, 1, 0x2b55000, WC);
	note(6, 1, 0x2b55000, UC);
	compare(PID, 4, 1, 0x2b55000, WC);
	compare(PID, 6, 1, 0x2b55000, UC);
	finds(LINT_TWO_TYPES, 6, 1, "uc", "wc");

	/* RISC-V, where RAM is what the address says, or not cached. */
	begin(false);
	scene.kernel.memory_types[WB] = PTWALK_MEMORY_TYPE_PMA;
	scene.kernel.memory_types[WC] = PTWALK_MEMORY_TYPE_NC;
	note(4, 1, 0x2b55000, WC);
	compare(PID, 0, 1, 0x2b55000, WB);
	finds(LINT_TWO_TYPES, 4, 1, "nc", "pma");

	/* The one that is in the range. */
	begin(false);
	scene.range = (struct range) { AT, AT + PAGE - 1 };
	note(4, 1, 0x2b55000, WC);
	compare(PID, 0, 1, 0x2b55000, WB);
	finds(LINT_TWO_TYPES, 0, 1, "wb", "memory type wc");
}

static void one_type(void **state)
{
	begin(false);
	note(4, 4, 0x2b55000, WC);
	compare(PID, 4, 4, 0x2b55000, WC);
	compare(PID, 8, 4, 0x2b59000, WB);
	compare(PID, 16, 4, 0x2b51000, WB);
	note(20, 1, 0xfd000000, UC);
	compare(PID, 20, 1, 0xfd000000, UC);
	compare(PID, 24, 1, 0xfd000000, UC_MINUS);
	compare(PID, 28, 1, 0xfd000000, 9);	/* nobody knows */
	clean();

	begin(true);
	note(4, 4, 0x2b55000, TAGGED);
	assert_int_equal(scene.uses.nr, 0);
	compare(PID, 8, 4, 0x2b55000, NORMAL);
	clean();

	/* Neither is in the range. */
	begin(false);
	scene.range = (struct range) { 0, AT - 1 };
	note(4, 1, 0x2b55000, WC);
	compare(PID, 0, 1, 0x2b55000, WB);
	clean();
}

static void two_types_in_two_processes(void **state)
{
	/* A process that comes later. */
	begin(false);
	scene.linter.pid = OTHER;
	note(8, 4, 0x2b55000, WC);
	scene.linter.pid = PID;
	compare(PID, 0, 8, 0x2b53000, WB);
	finds(LINT_TWO_TYPES, 2, 4, "0x2b55000, memory type wb",
	      "memory type wc at 0x7f0000208000 of process 200");

	/* Scattered frames are told one by one: they are looked at again. */
	begin(false);
	scene.linter.pid = OTHER;
	note(4, 1, 0x2b55000, WC);
	note(5, 1, 0x2b57000, WC);
	scene.linter.pid = PID;
	compare(PID, 0, 1, 0x2b55000, WB);
	compare(PID, 1, 1, 0x2b57000, WB);
	assert_int_equal(scene.out.nr, 2);
	end();

	/* One that came before; its own uses are known already. */
	begin(false);
	note(8, 4, 0x2b55000, WC);
	compare(OTHER, 0, 8, 0x2b53000, WB);
	compare(OTHER, 8, 4, 0x2b55000, UC);
	finds(LINT_TWO_TYPES, 8, 4, "wc", "memory type wb at 0x7f0000202000 of process 200");
}

/* Uses that overlap, of which one is long. */
static void many_uses(void **state)
{
	begin(false);
	note(0, 1000, 0x2000000, WC);
	note(2000, 1, 0x2001000, WC);
	note(3000, 1, 0x2002000, WC);
	note(4000, 1, 0x3002000, WC);
	compare(PID, 9000, 1, 0x2100000, WB);
	assert_int_equal(scene.out.nr, 1);
	compare(PID, 9100, 1, 0x2002000, WB);
	assert_int_equal(scene.out.nr, 3);
	end();
}

static void what_others_had(void **state)
{
	struct ptwalk_extent e[2] = {
		extent(0, 2, 0x2000000, WC, COUNTED),
		extent(2, 2, 0x3000000, WC, COUNTED),
	};
	struct truth truth = { .extents = e, .nr_extents = 2 };
	struct lint_finding f = {
		.lint = LINT_TWO_TYPES,
		.pages = 1,
		.value = 0x2001,
		.other = AT + PAGE,
		.other_bits = ptwalk_bits(PTWALK_KIND_PRESENT, 0, WC, 0),
		.other_pid = OTHER,
	};

	assert_true(lint_holds(&f, &truth, 12));
	f.pages = 2;
	assert_false(lint_holds(&f, &truth, 12));
	e[1].value = 0x2002;
	assert_true(lint_holds(&f, &truth, 12));
	f.pages = 4;
	assert_false(lint_holds(&f, &truth, 12));
	f.pages = 1;
	f.value++;
	assert_false(lint_holds(&f, &truth, 12));
	f.value--;
	f.other_bits = ptwalk_bits(PTWALK_KIND_PRESENT, 0, UC, 0);
	assert_false(lint_holds(&f, &truth, 12));
	f.other_bits = e[0].bits;
	e[0].bits = ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0);
	assert_false(lint_holds(&f, &truth, 12));
	truth.nr_extents = 0;
	assert_false(lint_holds(&f, &truth, 12));
}

static void the_same_again(void **state)
{
	struct lint_findings before;

	begin(true);
	look(0, 8, 0xfd000000, NORMAL, SPECIAL);
	before = scene.out;
	memset(&scene.out, 0, sizeof(scene.out));
	look(0, 8, 0xfd000000, NORMAL, SPECIAL | PTWALK_FLAG_YOUNG);
	assert_true(lint_same(&before, &scene.out));
	scene.out.finding[0].pages--;
	assert_false(lint_same(&before, &scene.out));
	scene.out.finding[0].pages++;
	scene.out.finding[0].more = PTWALK_FLAG_EXEC;
	assert_false(lint_same(&before, &scene.out));
	scene.out.nr = 0;
	assert_false(lint_same(&before, &scene.out));
	free(before.finding);
	end();
}

static struct kernel_aliases beside;

static const struct kernel_aliases *kernel_aliases(void)
{
	return &beside;
}

static const struct kernel_aliases *kernel_not_known(void)
{
	return NULL;
}

/* 16 pages that the kernel has from the DMA API, as NC or, on x86, WC; and registers. */
static void begin_beside(bool arm, const char *extents)
{
	char text[1024];
	FILE *stream;

	snprintf(text, sizeof(text), "ptwalk-kernel 1 any 4 c\nmemory-types %x %x %x %x\n"
		 "region ffff000000000000 ffff00ffffffffff direct\n"
		 "region ffff800000000000 ffff80ffffffffff vmalloc\n"
		 "extent ffff000002be0000 40000 2be0000 1 rw-- 0\n%send 3 9 0\n",
		 arm ? PTWALK_MEMORY_TYPE_NORMAL : PTWALK_MEMORY_TYPE_WB,
		 arm ? PTWALK_MEMORY_TYPE_NORMAL_NC : PTWALK_MEMORY_TYPE_WC,
		 arm ? PTWALK_MEMORY_TYPE_DEVICE_NGNRE : PTWALK_MEMORY_TYPE_UC_MINUS,
		 PTWALK_MEMORY_TYPE_NORMAL_TAGGED, extents);
	begin(arm);
	scene.vma.inode = 1;
	scene.linter.kernel_aliases = kernel_aliases;
	stream = fmemopen(text, strlen(text), "r");
	assert_int_equal(kernel_tables_parse(stream, &beside.tables), 0);
	fclose(stream);
	assert_int_equal(kernel_aliases_sort(&beside), 0);
}

#define COHERENT	"extent ffff800000010000 10000 2be0000 1 rw-- 1\n"
#define REGISTERS	"extent ffff800000030000 10000 fd000000 1 rw-- 2\n"

static void two_types_with_the_kernel(void **state)
{
	begin_beside(true, COHERENT REGISTERS);
	/* One page before it, 16 of it, and one behind it. */
	look(0, 18, 0x2bdf000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_TWO_TYPES, 1, 16, "0x2be0000, memory type normal",
	      "at 0xffff800000010000 as normal-nc [vmalloc]");
	kernel_aliases_free(&beside);

	begin_beside(false, COHERENT REGISTERS);
	look(3, 1, 0x2be4000, WB, COUNTED);
	finds(LINT_TWO_TYPES, 3, 1, "wb", "0xffff800000014000 as wc");
	kernel_aliases_free(&beside);
}

/* Of what the driver doesn't have cached itself, none is said to be cached. */
static void uncached_beside_the_kernel(void **state)
{
	static const struct {
		enum lint lint;
		uint64_t page, pages;
	} of[] = {
		{ LINT_RAM_UNCACHED, 0, 1 }, { LINT_TWO_TYPES, 1, 16 },
		{ LINT_RAM_UNCACHED, 17, 1 },
	};
	const uint64_t at = 0x2bdf000;

	begin_beside(true, COHERENT REGISTERS);
	/* One page before it, 16 of it, and one behind it. */
	look(0, 18, at, NGNRNE, SPECIAL | PTWALK_FLAG_RAM);
	lint_end(&scene.linter);
	lint_sort(&scene.out);
	assert_int_equal(scene.out.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(scene.out.finding[i].lint, of[i].lint);
		assert_int_equal(scene.out.finding[i].value, (at >> 12) + of[i].page);
		assert_int_equal(scene.out.finding[i].pages, of[i].pages);
	}
	end();
	kernel_aliases_free(&beside);
	/* Who doesn't ask for the one is told the other. */
	begin_beside(true, COHERENT REGISTERS);
	scene.linter.only = 1U << LINT_RAM_UNCACHED;
	look(0, 18, at, NGNRNE, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_RAM_UNCACHED, 0, 18, "device-ngnrne", "RAM");
	kernel_aliases_free(&beside);
}

/* As translate -v judges it, too. */
static void aliases_that_differ(void **state)
{
	static const struct {
		unsigned int here;
		uint32_t flags;
		unsigned int there;
		bool is_direct, differs;
	} cases[] = {
		/* The driver has DMA memory as NC, and the process has it cached. */
		{ NORMAL, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_NORMAL_NC, false, true },
		{ NORMAL, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_NORMAL, true, false },
		{ NC, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_NORMAL_NC, false, false },
		/* The direct mapping is another one by design, whichever is cached. */
		{ NC, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_NORMAL, true, false },
		{ NC, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_NORMAL, false, true },
		/* What isn't cached differs of RAM only. */
		{ NC, 0, PTWALK_MEMORY_TYPE_DEVICE_NGNRE, false, false },
		{ NC, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_DEVICE_NGNRE, false, true },
		{ NORMAL, 0, PTWALK_MEMORY_TYPE_DEVICE_NGNRE, false, true },
		{ NORMAL, PTWALK_FLAG_RAM, PTWALK_MEMORY_TYPE_UNKNOWN, false, false },
	};
	struct kernel_alias alias = { 0 };
	struct ptwalk_extent e;

	begin(true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		alias.type = cases[i].there;
		alias.is_direct = cases[i].is_direct;
		e = extent(0, 1, 0x2be0000, cases[i].here, cases[i].flags);
		assert_int_equal(lint_alias_differs(&scene.kernel, e.bits, &alias),
				 cases[i].differs);
	}
	end();
	begin(false);
	e = extent(0, 1, 0x2be0000, WB, PTWALK_FLAG_RAM | PTWALK_FLAG_TYPE_DIFFERS);
	assert_true(lint_kernel_is_other(&scene.kernel, e.bits));
	e = extent(0, 1, 0x2be0000, WC, PTWALK_FLAG_RAM | PTWALK_FLAG_TYPE_DIFFERS);
	assert_false(lint_kernel_is_other(&scene.kernel, e.bits));
	e = extent(0, 1, 0x2be0000, WB, PTWALK_FLAG_RAM);
	assert_false(lint_kernel_is_other(&scene.kernel, e.bits));
	end();
}

static void one_type_with_the_kernel(void **state)
{
	/* What dma_mmap_coherent() does; the direct mapping has another type. */
	begin_beside(true, COHERENT REGISTERS);
	look(0, 16, 0x2be0000, NC, SPECIAL | PTWALK_FLAG_RAM);
	look(16, 16, 0x2bf0000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	/* Types of devices differ by driver; combining is the driver's choice. */
	look(64, 16, 0xfd000000, NGNRNE, SPECIAL);
	look(96, 16, 0xfd000000, NC, SPECIAL);
	clean();
	kernel_aliases_free(&beside);
	/* Normal and tagged memory are cached alike. */
	begin_beside(true, "extent ffff800000010000 10000 2be0000 1 rw-- 3\n" REGISTERS);
	look(0, 16, 0x2be0000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	clean();
	kernel_aliases_free(&beside);
	/* Memory that is of no driver isn't asked about. */
	begin_beside(true, COHERENT REGISTERS);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_ANONYMOUS;
	look(0, 16, 0x2be0000, NORMAL, COUNTED);
	clean();
	kernel_aliases_free(&beside);
	/* Nothing is known: that is counted, but not of hugetlb memory. */
	begin(true);
	scene.vma.inode = 1;
	scene.linter.kernel_aliases = kernel_not_known;
	look(0, 16, 0x2be0000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.alone, 16);
	scene.vma.flags = WRITABLE | PTWALK_VMA_FLAG_DONTEXPAND;
	look(16, 16, 0x2be0000, NORMAL, COUNTED);
	assert_int_equal(scene.out.alone, 32);
	scene.vma.flags |= PTWALK_VMA_FLAG_HUGETLB;
	look(32, 16, 0x2be0000, NORMAL, COUNTED);
	assert_int_equal(scene.out.alone, 32);
	/* Who asks for other lints alone isn't told that. */
	scene.vma.flags = PFNMAP;
	scene.linter.only = 1U << LINT_NOWHERE | 1U << LINT_OTHERS;
	look(48, 16, 0x2be0000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.alone, 32);
	scene.linter.only = 1U << LINT_TWO_TYPES;
	look(64, 16, 0x2be0000, NORMAL, SPECIAL | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.alone, 48);
	clean();
}

static struct ptwalk_page page_of_odd;

/* The second one is that; the others are mapped once, and once more referenced. */
static bool some_pages(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	for (size_t i = 0; i < nr; i++)
		pages[i] = i == 1 ? page_of_odd : (struct ptwalk_page){
			.counts = 2 | 1ULL << 32, .folio_counts = 1,
		};
	return true;
}

static bool asked;

static bool ask_pages(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	asked = true;
	return some_pages(pfns, nr, pages);
}

/* Frames are asked about only for lints that are wanted. */
static void freed_if_wanted(void **state)
{
	page_of_odd = (struct ptwalk_page){ 0 };
	for (int i = 0; i < 2; i++) {
		begin(false);
		asked = false;
		scene.linter.frame_pages = ask_pages;
		scene.linter.only = i ? 1U << LINT_FREED : 1U << LINT_NOWHERE;
		scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
		look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		assert_int_equal(asked, i);
		if (i)
			finds(LINT_FREED, 1, 1, "0x2be1000", "fewer than mappings");
		else
			clean();
	}
}

static void freed(void **state)
{
	static const struct {
		uint64_t counts, folio_counts;
		bool wrong;
	} cases[] = {
		{ 0, 0, true }, { 1 | 2ULL << 32, 2, true }, { 511 | 1ULL << 32, 512, true },
		{ 1 | 2ULL << 32, 0, true }, { UINT32_MAX | 1ULL << 32, 1, true },
		{ 1 | 1ULL << 32, 1, false }, { 2 | 2ULL << 32, 2, false }, { 1, 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		page_of_odd.counts = cases[i].counts;
		page_of_odd.folio_counts = cases[i].folio_counts;
		begin(false);
		scene.linter.frame_pages = some_pages;
		scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
		look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		if (cases[i].wrong)
			finds(LINT_FREED, 1, 1, "0x2be1000", "fewer than mappings");
		else
			clean();
	}
	/* Memory of a file or of a process isn't asked about, nor a device's. */
	page_of_odd = (struct ptwalk_page){ 0 };
	begin(false);
	scene.linter.frame_pages = some_pages;
	look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
	look(4, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_ANON);
	look(8, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE);
	look(12, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	finds(LINT_FREED, 13, 1, "0x2be1000", "fewer than mappings");
}

/*
 * The references of a large page, and the mappings of each of four of its pages; or another
 * process maps one after the other, and none is mapped otherwise.
 */
static uint64_t large_references;
static bool large_moves;

static bool large_pages(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	static uint64_t mapped;

	for (size_t i = 0; i < nr; i++)
		pages[i] = (struct ptwalk_page){
			.flags = PTWALK_PAGE_FLAG_LARGE,
			.counts = large_references |
				  (!large_moves || (mapped >> i & 1) != (i & 1)) * 1ULL << 32,
			.place = 2 | (pfns[i] & 3) << 32,
		};
	mapped = ~mapped;
	return true;
}

/* What maps a page of it holds the whole. */
static void freed_of_large(void **state)
{
	for (large_references = 3; large_references < 6; large_references++) {
		begin(false);
		scene.linter.frame_pages = large_pages;
		scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
		look(0, 8, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		if (large_references < 4)
			finds(LINT_FREED, 0, 8, "0x2be0000", "counts 3 references, fewer than");
		else
			clean();
		assert_int_equal(scene.linter.out->given, large_references == 4 ? 8 : 0);
	}
	/* Two of four each time, but not the same two. */
	begin(false);
	scene.linter.frame_pages = large_pages;
	scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
	large_references = 1;
	large_moves = true;
	look(0, 8, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	clean();
	large_moves = false;
}

/*
 * A fault handler's pages, of a VMA without a flag that tells; not those of the page cache,
 * nor of memory. An anonymous page is somebody else's in any file's shared mapping.
 */
static void freed_after_fault(void **state)
{
	const uint32_t page = PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM;

	for (int i = 0; i < 5; i++) {
		page_of_odd = (struct ptwalk_page){ .counts = UINT32_MAX | 1ULL << 32,
			.flags = i == 1 ? PTWALK_PAGE_FLAG_LRU : 0 };
		begin(false);
		scene.linter.frame_pages = some_pages;
		scene.vma.flags |= PTWALK_VMA_FLAG_SHARED |
				   (i == 2 ? PTWALK_VMA_FLAG_SHMEM : 0);
		scene.vma.inode = i != 3;
		look(0, 3, 0x2be0000, WB, page | (i == 4 ? PTWALK_FLAG_ANON : 0));
		if (!i)
			finds(LINT_FREED, 1, 1, "0x2be1000", "counts -1 references");
		else if (i == 4)
			finds(LINT_OTHERS, 0, 3, "0x2be0000", "anonymous memory of a process");
		else
			clean();
	}
	/* Of the page cache one page is asked about. */
	page_of_odd = (struct ptwalk_page){ .flags = PTWALK_PAGE_FLAG_LRU };
	begin(false);
	scene.vma.inode = 1;
	scene.linter.frame_pages = ask_pages;
	look(0, 3, 0x2be0000, WB, page);
	asked = false;
	look(3, 3, 0x2bf0000, WB, page);
	assert_false(asked);
	clean();
}

/* No flag, or some flag without meaning here. */
static size_t no_flags(uint64_t pfn, uint64_t *flags, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		flags[i] = i ? 0 : KPF_BIT(REFERENCED);
	return nr;
}

static size_t in_slab(uint64_t pfn, uint64_t *flags, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		flags[i] = KPF_BIT(SLAB);
	return nr;
}

static size_t (*flags_if_free)(uint64_t pfn, uint64_t *flags, size_t nr);

static size_t free_flags(const struct ptwalk_kernel *kernel, uint64_t pfn, uint64_t *flags,
			 size_t nr)
{
	assert_ptr_equal(kernel, &scene.kernel);
	return flags_if_free(pfn, flags, nr);
}

static bool all_free(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	for (size_t i = 0; i < nr; i++)
		pages[i] = (struct ptwalk_page){ .flags = PTWALK_PAGE_FLAG_FREE };
	return true;
}

static bool unknown(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	return false;
}

/* As many references as mappings: none, or fewer mappings, or fewer references, are another thing. */
static void given_away(void **state)
{
	static const struct {
		uint64_t counts, folio_counts;
		unsigned int given;
	} cases[] = {
		{ 1 | 1ULL << 32, 1, 1 }, { 3 | 3ULL << 32, 3, 1 }, { 2 | 1ULL << 32, 2, 1 },
		{ 2 | 1ULL << 32, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1 | 2ULL << 32, 2, 0 },
		{ 3 | 1ULL << 32, 2, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		page_of_odd = (struct ptwalk_page){ .counts = cases[i].counts,
						    .folio_counts = cases[i].folio_counts };
		begin(false);
		scene.linter.frame_pages = some_pages;
		scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
		look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		assert_int_equal(scene.out.given, cases[i].given);
		end();
	}
	/* Nobody is asked of memory that no driver has put there. */
	page_of_odd = (struct ptwalk_page){ .counts = 1 | 1ULL << 32, .folio_counts = 1 };
	begin(false);
	scene.linter.frame_pages = some_pages;
	look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.given, 0);
	end();
}

/* A page with a struct page that was freed, and that somebody else has taken. */
static void freed_and_taken(void **state)
{
	page_of_odd = (struct ptwalk_page){ .counts = 2 | 1ULL << 32, .folio_counts = 1 };
	for (int i = 0; i < 4; i++) {
		begin(false);
		scene.vma.inode = 1;
		scene.vma.flags |= i == 1 ? PTWALK_VMA_FLAG_MIXEDMAP : 0;
		/* As check --expect any: asks for it. */
		scene.linter.only = i == 3 ? 1U << LINT_OTHERS : 0;
		scene.linter.frame_pages = some_pages;
		flags_if_free = i == 2 ? no_flags : in_slab;
		scene.linter.free_flags = free_flags;
		look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		if (i == 2)
			clean();
		else
			finds(LINT_OTHERS, 0, 3, "0x2be0000", "slab");
	}
}

/* On a kernel that may crash when it reads the flags of what was freed. */
static void freed_crashes_nothing(void **state)
{
	page_of_odd = (struct ptwalk_page){ .counts = 2 | 1ULL << 32, .folio_counts = 1 };
	for (int i = 0; i < 2; i++) {
		begin(false);
		scene.kernel = test_kernel(6, i ? 1 : 2);
		scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
		scene.linter.frame_pages = some_pages;
		scene.linter.free_flags = frameflags_read_free;
		test_has_client = true;
		look(0, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
		test_has_client = false;
		if (i)
			clean();
		else
			finds(LINT_OTHERS, 0, 3, "0x2be0000", "the frame is free");
	}
}

/* In a list of a CPU, of which no flag tells; an older module doesn't, either. */
static void free_without_flag(void **state)
{
	begin(false);
	scene.linter.frame_flags = no_flags;
	scene.linter.frame_pages = unknown;
	look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.uncounted, 3);
	scene.linter.frame_pages = all_free;
	look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.uncounted, 3);
	finds(LINT_OTHERS, 0, 3, "0x2be0000", "the frame is free");
	/* What has an owner by its flags isn't asked about. */
	begin(false);
	scene.linter.frame_flags = in_slab;
	scene.linter.frame_pages = all_free;
	look(0, 3, 0x2be0000, WB, SPECIAL | PTWALK_FLAG_RAM);
	finds(LINT_OTHERS, 0, 3, "0x2be0000", "slab");
}

/* Whether they were freed while mapped an older module doesn't tell: that is counted. */
static void freed_is_unknown(void **state)
{
	begin(false);
	scene.linter.frame_pages = unknown;
	scene.vma.flags |= PTWALK_VMA_FLAG_MIXEDMAP;
	look(0, 200, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.uncounted, 200);
	scene.linter.only = 1U << LINT_NOWHERE;
	look(200, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.uncounted, 200);
	scene.linter.only = 0;
	scene.linter.frame_pages = NULL;
	look(203, 3, 0x2be0000, WB, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM);
	assert_int_equal(scene.out.uncounted, 200);
	clean();
}

static bool explained(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_topics; i++)
		if (!strcmp(topics[i].name, name))
			return true;
	print_message("not explained: %s\n", name);
	return false;
}

static void all_are_explained(void **state)
{
	unsigned int i, j, kernel = 0;

	for (i = 0; i < NR_LINTS; i++)
		assert_true(explained(lint_name[i]));
	for (i = LEAD_GOOD + 1; i < NR_LEADS; i++)
		assert_true(explained(lead_text[i].name));
	for (i = 0; i < NR_DEPARTURES; i++)
		assert_true(explained(departure_name[i]));
	assert_true(explained(bytes_rule[BYTES_MOVING]));
	assert_true(explained(bytes_rule[BYTES_APART]));
	assert_true(explained("expect-offset"));
	assert_true(explained("unclaimed"));
	assert_true(explained(PINNED_REPLACED));
	assert_true(explained(PINNED_ORPHAN));
	assert_true(explained(SECOND_STAGE_STALE));
	/* Those of ptwalk kernel are in no table: explain.sh looks for them. */
	for (i = 0; i < nr_topics; i++)
		kernel += !strcmp(topics[i].source, "kernel");
	assert_int_equal(nr_topics, NR_LINTS + NR_DEPARTURES + NR_LEADS - 1 + kernel + 9);
	for (i = 0; i < nr_topics; i++)
		for (j = 0; j < nr_rules; j++)
			assert_string_not_equal(topics[i].name, rules[j].name);
}

SUITE(suite_lints,
	cmocka_unit_test(right_ones),
	cmocka_unit_test(ram_uncached),
	cmocka_unit_test(ram_and_the_kernel),
	cmocka_unit_test(device_cached),
	cmocka_unit_test(past_resource),
	cmocka_unit_test(nowhere),
	cmocka_unit_test(of_others),
	cmocka_unit_test(outside_vmas),
	cmocka_unit_test(laws_that_hold),
	cmocka_unit_test(laws_that_are_broken),
	cmocka_unit_test(special_outside),
	cmocka_unit_test(more_than_vma),
	cmocka_unit_test(no_more_than_vma),
	cmocka_unit_test(who_denies_exec),
	cmocka_unit_test(in_a_range),
      cmocka_unit_test(not_judged),
	cmocka_unit_test(two_types_in_a_process),
	cmocka_unit_test(one_type),
	cmocka_unit_test(two_types_with_the_kernel),
	cmocka_unit_test(uncached_beside_the_kernel),
	cmocka_unit_test(aliases_that_differ),
	cmocka_unit_test(one_type_with_the_kernel),
	cmocka_unit_test(two_types_in_two_processes),
	cmocka_unit_test(many_uses),
	cmocka_unit_test(what_others_had),
	cmocka_unit_test(the_same_again),
	cmocka_unit_test(freed),
	cmocka_unit_test(freed_of_large),
	cmocka_unit_test(freed_after_fault),
	cmocka_unit_test(given_away), cmocka_unit_test(freed_and_taken),
	cmocka_unit_test(freed_crashes_nothing),
	cmocka_unit_test(freed_if_wanted),
	cmocka_unit_test(freed_is_unknown),
	cmocka_unit_test(free_without_flag),
	cmocka_unit_test(all_are_explained),
);
