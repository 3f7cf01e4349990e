// SPDX-License-Identifier: GPL-2.0
/* The kernel's own tables, its lists of what is in them, and what differs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "cmd/cmd.h"
#include "kernel/aliases.h"
#include "kernel/compare.h"
#include "kernel/pieces.h"
#include "kernel/recording.h"
#include "proc/pagemap_bits.h"
#include "watch/changes.h"
#include "tests.h"
#include "told.h"

#define DIRECT	"ff11000000000000"
#define VMALLOC	"ffa0000000000000"
#define IMAGE	"ffffffff81000000"

#define HEADER \
	"ptwalk-kernel 1 x86_64 5 c\n" \
	"memory-types 1 3 5 4\n" \
	"region " DIRECT " ff90ffffffffffff direct\n" \
	"region " VMALLOC " ffd1ffffffffffff vmalloc\n" \
	"region ffffffff80000000 ffffffffbfffffff image\n" \
	"region ffffffffc0000000 fffffffffeffffff modules\n" \
	"region ffffffffff600000 ffffffffff600fff vsyscall\n"
static char header[512] = HEADER;

/* RAM in 4M; its first 2M in small pages, as is the second half of 4M of the image. */
#define RAM	"extent " DIRECT " 200000 0 1 rw-- 0\n" \
		"extent ff11000000200000 200000 200000 2 rw-- 0\n"
/* And 2G of it in two huge pages, behind a hole. */
#define GIGS	RAM "extent ff11000100000000 80000000 100000000 3 rw-- 0\n"
#define STACK	"extent " VMALLOC " 4000 1000 1 rw-- 0\n"
#define TIMER	"extent ffa0000000008000 1000 fed00000 1 rw-- 3\n"
#define KERNEL	"extent " IMAGE " 200000 400000 2 r-x- 0\n" \
		"extent ffffffff81200000 100000 600000 1 r--- 0\n" \
		"extent ffffffff81300000 100000 700000 1 rw-- 0\n"

#define STACK_LINE	"0x" VMALLOC "-0xffa0000000005000 20480 clone+0x1/0x2 pages=4 vmalloc N0=4\n"
#define OTHER_LINE	"0x" VMALLOC "-0xffa0000000005000 20480 0xffffffffc0400000 pages=4 vmalloc N0=4\n"
#define TIMER_LINE	"0xffa0000000008000-0xffa000000000a000 8192 hpet+0x1/0x2 phys=0xfed00000 ioremap\n"
#define LINES		STACK_LINE TIMER_LINE
#define SIZES		"DirectMap4k: 2048 kB\nDirectMap2M: 2048 kB\n"

static int read_tables(const char *extents, unsigned int nr, struct kernel_tables *tables)
{
	char text[4096];
	FILE *stream;
	int err;

	snprintf(text, sizeof(text), "%s%send %x 9 0\n", header, extents, nr);
	*tables = (struct kernel_tables){ 0 };
	stream = test_stream(text);
	err = kernel_tables_parse(stream, tables);
	fclose(stream);
	return err;
}

static void read_areas(const char *lines, struct vmallocinfo *areas)
{
	FILE *stream = test_stream(lines);

	assert_int_equal(vmallocinfo_parse(stream, areas), 0);
	fclose(stream);
}

/* How many lines of extents there are. */
static unsigned int lines_of(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		nr += strncmp(text, "gone ", 5) != 0;
	return nr;
}

/*
 * What is found of these extents, areas (before, if others) and sizes: the rule of the
 * only finding, "" of none, "several" of more.
 */
static struct kernel_finding last;
static uint64_t by_design;
/* What /proc/iomem says meanwhile, and what is behind the pages of areas. */
static const char *iomem = "";
static struct frame_run *frame_runs;
static size_t nr_frame_runs;

static const char *found_between(const char *extents, const char *before, const char *after,
				 const char *sizes)
{
	struct kernel_facts facts = { 0 };
	struct kernel_findings f = { 0 };
	FILE *stream = test_stream(sizes);
	const char *rule;

	assert_int_equal(read_tables(extents, lines_of(extents), &facts.tables), 0);
	read_areas(before, &facts.before);
	read_areas(after, &facts.areas);
	assert_int_equal(directmap_parse(stream, &facts.directmap), 0);
	fclose(stream);
	if (*iomem) {
		stream = test_stream(iomem);
		assert_int_equal(iomem_parse(stream, &facts.iomem), 0);
		fclose(stream);
	}
	kernel_compare_areas(&facts, &f);
	kernel_compare_directmap(&facts, &f);
	kernel_lint_rights(&facts, &f);
	kernel_lint_aliases(&facts, &f);
	facts.frames = (struct area_frames){ frame_runs, nr_frame_runs };
	kernel_lint_areas(&facts, &f);
	kernel_count_unread(&facts, &f);
	by_design = f.by_design;
	rule = f.nr > 1 ? "several" : f.nr ? f.finding[0].rule : "";
	if (f.nr)
		last = f.finding[0];
	kernel_findings_free(&f);
	kernel_tables_free(&facts.tables);
	vmallocinfo_free(&facts.before);
	vmallocinfo_free(&facts.areas);
	iomem_free(&facts.iomem);
	return rule;
}

#define FOUND(extents, lines)	found_between(extents, lines, lines, SIZES)

static void areas(void **state)
{
	assert_string_equal(FOUND(RAM STACK TIMER, LINES), "");
	/* Too few, too many, not from the beginning on. */
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 3000 1000 1 rw-- 0\n" TIMER, LINES),
			    "vmalloc-pages");
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 5000 1000 1 rw-- 0\n" TIMER, LINES),
			    "vmalloc-pages");
	assert_string_equal(FOUND(RAM "extent ffa0000000001000 4000 1000 1 rw-- 0\n" TIMER, LINES),
			    "vmalloc-pages");
	assert_string_equal(FOUND(RAM STACK "extent ffa0000000008000 1000 fed01000 1 rw-- 3\n",
				  LINES), "vmalloc-phys");
	assert_string_equal(FOUND(RAM STACK, LINES), "vmalloc-pages");
	/* A guard page of a device is mapped, and one of its registers isn't. */
	assert_string_equal(FOUND(RAM STACK "extent ffa0000000008000 2000 fed00000 1 rw-- 3\n",
				  LINES), "vmalloc-pages");
	assert_string_equal(FOUND(RAM STACK "extent ffa0000000009000 1000 fed01000 1 rw-- 3\n",
				  LINES), "vmalloc-pages");
	/* What changed meanwhile is nothing to compare with. */
	assert_string_equal(found_between(RAM "extent " VMALLOC " 3000 1000 1 rw-- 0\n" TIMER,
					  TIMER_LINE, LINES, SIZES), "");
	/* Who made an area may be called otherwise: that was a module's start-up code. */
	assert_string_equal(found_between(RAM "extent " VMALLOC " 3000 1000 1 rw-- 0\n" TIMER,
					  OTHER_LINE TIMER_LINE, LINES, SIZES), "vmalloc-pages");
	/* Of a table that can't be read, nothing is said. */
	assert_string_equal(FOUND(RAM "changing " VMALLOC " 1000 0 1\n" TIMER, LINES), "");
}

/* A device that has a part of a page, in a resource with others inside. */
static void resources(void **state)
{
	static const struct {
		const char *iomem, *rule;
	} cases[] = {
		{ "fed00000-fed003ff : HPET 0\n", "" },
		{ "fed00000-fed00fff : A\n  fed00000-fed003ff : B\nfed01000-fed01fff : C\n", "" },
		{ "fec00000-fecfffff : PCI Bus 0000:00\n", "" },
		{ "fed00000-fed013ff : HPET 0\n", "" },
		{ "fed01000-fed013ff : HPET 0\n", "iomem" },
		{ "fed00000-fed00fff : PCI Bus 0000:00\n", "iomem" },
		{ "fed00000-fed00fff : pnp 00:01\n", "iomem" },
		{ "fed00000-fed00fff : A\n  fed00000-fed000ff : B\n", "iomem" },
		/* These are busy: a driver's, and memory. */
		{ "fed00000-fed00fff : A\nfed01000-fed01fff : B\n", "" },
		{ "fed00000-fed00fff : ACPI Tables\n  fed00000-fed000ff : B\n", "" },
		{ "fed00000-fed00fff : PCI MMCONFIG 0000 [bus 00-ff]\n  fed00000-fed000ff : B\n", "" },
	};
	const char *const two = "0xffa0000000008000-0xffa000000000b000 12288 hpet+0x1/0x2 phys=0xfed00000 ioremap\n";
	const char *const one = TIMER_LINE;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool is_one = i < 2;
		char lines[256];

		iomem = cases[i].iomem;
		snprintf(lines, sizeof(lines), STACK_LINE "%s", is_one ? one : two);
		assert_string_equal(FOUND(is_one ? RAM STACK TIMER : RAM STACK
					  "extent ffa0000000008000 2000 fed00000 1 rw-- 3\n", lines),
				    cases[i].rule);
	}
	iomem = "";
}

static void owners(void **state)
{
	assert_string_equal(FOUND(RAM STACK TIMER, TIMER_LINE), "vmalloc-nobody");
	assert_true(last.start == 0xffa0000000000000 && last.bytes == 0x4000);
	/* It is enough to have had it before, or to have it afterwards. */
	assert_string_equal(found_between(RAM STACK TIMER, LINES, TIMER_LINE, SIZES), "");
	assert_string_equal(found_between(RAM STACK TIMER, TIMER_LINE, LINES, SIZES), "");
	/* What is freed owns nothing, whatever its addresses are used for now. */
	assert_string_equal(FOUND(RAM STACK TIMER, TIMER_LINE
				  "0x" VMALLOC "-0xffa0000000005000 20480 unpurged vm_area\n"),
			    "vmalloc-nobody");
	assert_string_equal(FOUND(RAM STACK TIMER, LINES
				  "0xffa0000000001000-0xffa0000000002000 4096 unpurged vm_area\n"),
			    "");
	/* A part of an extent. */
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 8000 1000 1 rw-- 0\n" TIMER,
				  "0x" VMALLOC "-0xffa0000000005000 20480 map+0x1/0x2 vmap\n"
				  TIMER_LINE), "vmalloc-nobody");
	assert_true(last.start == 0xffa0000000005000 && last.bytes == 0x3000);
	assert_string_equal(FOUND(RAM "extent ffffffffc0000000 1000 5000 1 rw-- 0\n" STACK TIMER,
				  LINES), "several");
}

static void sizes(void **state)
{
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES,
					  "DirectMap4k: 2052 kB\nDirectMap2M: 2048 kB\n"),
			    "directmap");
	assert_false(last.known);
	/* Without the lines, as on arm64. */
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES, "MemFree: 1 kB\n"), "");
	/* As much as the one huge page of the image that was split. */
	assert_string_equal(found_between(RAM STACK TIMER KERNEL, LINES, LINES,
					  "DirectMap4k: 4096 kB\nDirectMap2M: 2048 kB\n"),
			    "directmap");
	assert_true(last.known);
	assert_string_equal(found_between(RAM STACK TIMER KERNEL, LINES, LINES,
					  "DirectMap4k: 4100 kB\nDirectMap2M: 2048 kB\n"),
			    "directmap");
	assert_false(last.known);
	assert_string_equal(found_between(RAM STACK TIMER KERNEL, LINES, LINES, SIZES), "");
	/* RAM that isn't mapped any more is counted still. What is no RAM never was. */
	iomem = "00000000-00000fff : Reserved\n00001000-00404fff : System RAM\n";
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES,
					  "DirectMap4k: 2068 kB\nDirectMap2M: 2048 kB\n"), "");
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES, SIZES), "directmap");
	iomem = "00001000-003fffff : System RAM\n00400000-00404fff : Reserved\n";
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES, SIZES), "");
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES,
					  "DirectMap4k: 2068 kB\nDirectMap2M: 2048 kB\n"),
			    "directmap");
	/* Two huge pages: not split, or one of them, or both, and more or less than that. */
	iomem = "00001000-007fffff : System RAM\n";
	for (int huge = -1; huge <= 3; huge++) {
		char lines[64];

		snprintf(lines, sizeof(lines), "DirectMap4k: %d kB\nDirectMap2M: %d kB\n",
			 2048 * (3 - huge), 2048 * (1 + huge));
		assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES, lines),
				    huge < 0 || huge > 2 ? "several" : "");
	}
	assert_string_equal(found_between(RAM STACK TIMER, LINES, LINES, SIZES), "directmap");
	iomem = "";
	/* One leaf counted three times; not a whole one; too few; more than steps met. */
	assert_string_equal(found_between(GIGS STACK TIMER, LINES, LINES,
					  SIZES "DirectMap1G: 4194304 kB\n"), "directmap");
	assert_true(last.known);
	assert_string_equal(found_between(GIGS STACK TIMER, LINES, LINES,
					  SIZES "DirectMap1G: 2099200 kB\n"), "directmap");
	assert_false(last.known);
	assert_string_equal(found_between(GIGS STACK TIMER, LINES, LINES,
					  SIZES "DirectMap1G: 1048576 kB\n"), "directmap");
	assert_false(last.known);
	assert_string_equal(found_between(GIGS STACK TIMER, LINES, LINES,
					  SIZES "DirectMap1G: 9437184 kB\n"), "directmap");
	assert_false(last.known);
	assert_string_equal(found_between(GIGS STACK TIMER, LINES, LINES,
					  SIZES "DirectMap1G: 2097152 kB\n"), "");
}

/* An extent goes on where a part of the addresses ends, or another begins within it. */
static void borders(void **state)
{
	static const uint64_t pieces[][2] = {
		{ 0x1000, 0 }, { 0xfe000, 1 }, { 0x1000, 2 }, { 0x1000, 1 },
	};
	struct kernel_facts facts = { 0 };
	struct kernel_piece p;
	struct kernel_extent e;

	snprintf(header, sizeof(header), "ptwalk-kernel 1 s390x 3 c 14 1f\nmemory-types 1\n"
		 "region 0 1fff lowcore\nregion 0 ffffffffff direct\nregion 100000 100fff copy\n");
	assert_int_equal(read_tables("extent 1000 101000 1000 1 rw-- 0\n", 1, &facts.tables), 0);
	strcpy(header, HEADER);
	e = facts.tables.extent[0];
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		p = kernel_piece_cut(&facts, &e);
		assert_int_equal(p.extent.bytes, pieces[i][0]);
		assert_ptr_equal(p.region, &facts.tables.region[pieces[i][1]]);
	}
	assert_int_equal(e.bytes, 0);
	kernel_tables_free(&facts.tables);
}

/*
 * On s390 tables are of two sizes, and the lowcore is mapped where RAM would be, or
 * elsewhere, and is in no size.
 */
static void sizes_of_s390(void **state)
{
	static const struct {
		const char *regions, *extents, *sizes, *rule;
	} cases[] = {
#define AT_0	"region 0 1fff lowcore\nregion 0 ffffffffff direct\n"
#define RAM_0	"extent 0 1000 0 1 rwx- 0\nextent 1000 ff000 1000 1 rw-- 0\n" \
		"extent 100000 200000 100000 2 rw-- 0\nextent 80000000 80000000 80000000 3 rw-- 0\n"
#define RELOCATED	"region 70000 71fff lowcore\nregion 0 ffffffffff direct\n"
#define RAM_0_TO_70000	"extent 0 70000 0 1 rw-- 0\nextent 70000 2000 0 1 rw-- 0\n"
#define SEGMENTS	"extent 100000 200000 100000 2 rw-- 0\n"
#define MEMINFO	"DirectMap1M: 2048 kB\nDirectMap2G: 2097152 kB\nDirectMap4k: "
		{ AT_0, RAM_0, MEMINFO "1016 kB\n", "" },
		{ AT_0, RAM_0, MEMINFO "1024 kB\n", "directmap" },
		{ "region 0 1fff lowcore\nregion 10000000000 1ffffffffff direct\n",
		  "extent 0 2000 0 1 rw-- 0\nextent 10000002000 fe000 2000 1 rw-- 0\n"
		  "extent 10000100000 200000 100000 2 rw-- 0\n"
		  "extent 10080000000 80000000 80000000 3 rw-- 0\n",
		  MEMINFO "1016 kB\n", "" },
		/* Relocated, it is in place of RAM, and not of the page behind that. */
		{ RELOCATED, RAM_0_TO_70000 "extent 72000 8e000 72000 1 rw-- 0\n" SEGMENTS,
		  "DirectMap4k: 1016 kB\nDirectMap1M: 2048 kB\n", "" },
		{ RELOCATED, RAM_0_TO_70000 "extent 73000 8d000 73000 1 rw-- 0\n" SEGMENTS,
		  "DirectMap4k: 1016 kB\nDirectMap1M: 2048 kB\n", "" },
		{ RELOCATED, RAM_0_TO_70000 "extent 73000 8d000 73000 1 rw-- 0\n" SEGMENTS,
		  "DirectMap4k: 1012 kB\nDirectMap1M: 2048 kB\n", "directmap" },
		{ RELOCATED, "extent 2000 6d000 2000 1 rw-- 0\n"
		  "extent 70000 2000 0 1 rw-- 0\nextent 72000 8e000 72000 1 rw-- 0\n" SEGMENTS,
		  "DirectMap4k: 1008 kB\nDirectMap1M: 2048 kB\n", "" },
		/* Of other pages, and of others in it, it is told; and of 1M that was taken out. */
		{ AT_0, "extent 0 1000 0 1 rw-- 0\nextent 1000 1000 1000 1 rwx- 0\n",
		  "DirectMap4k: 3064 kB\n", "write-exec" },
		{ AT_0, "extent 0 2000 0 1 rwx- 0\n", "DirectMap4k: 3064 kB\n", "write-exec" },
		{ AT_0, "extent 0 100000 0 1 rw-- 0\nextent 200000 100000 200000 2 rw-- 0\n",
		  "DirectMap4k: 1016 kB\nDirectMap1M: 2048 kB\n", "" },
	};
	static const struct {
		const char *extents, *sizes;
		bool known;
	} images[] = {
#define IMAGE_OF(text, frame, data) \
	RAM_0 "extent 30000004000 " text " 1000" frame " 1 r-x- 0\n" \
	"extent 30000300000 100000 100300000 2 r--- 0\n" \
	"extent 30000400000 " data " 100400000 1 rw-- 0\n"
#define LARGER(small, large) \
	"DirectMap2G: 2097152 kB\nDirectMap4k: " small " kB\nDirectMap1M: " large " kB\n"
		{ IMAGE_OF("2fc000", "04000", "fc000"), LARGER("3064", "2048"), true },
		{ IMAGE_OF("2fc000", "04000", "fc000"), LARGER("1016", "0"), true },
		{ IMAGE_OF("2fc000", "04000", "fc000"), LARGER("2040", "2048"), false },
		{ IMAGE_OF("2fc000", "04000", "fc000"), LARGER("4088", "2048"), false },
		{ IMAGE_OF("2fc000", "04000", "fc000"), LARGER("5112", "2048"), false },
		{ IMAGE_OF("2fc000", "04000", "100000"), LARGER("4088", "2048"), true },
		{ IMAGE_OF("2fc000", "08000", "100000"), LARGER("4088", "2048"), false },
		{ IMAGE_OF("2fc000", "08000", "100000"), LARGER("2040", "2048"), true },
		/* It isn't split as far as meminfo says of the next larger pages. */
		{ IMAGE_OF("2fc000", "04000", "fc000"),
		  MEMINFO "1016 kB\nDirectMap2G: 2095104 kB\n", false },
	};
	static const char *const before = "ptwalk-kernel 1 s390x 3 c 14 1f\nmemory-types 1\n";

	iomem = "00000000-002fffff : System RAM\n80000000-ffffffff : System RAM\n";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(header, sizeof(header), "%s%s", before, cases[i].regions);
		if (i == 3)
			iomem = "00000000-002fffff : System RAM\n";
		assert_string_equal(found_between(cases[i].extents, "", "", cases[i].sizes),
				    cases[i].rule);
	}
	iomem = "";
	/* Of the image, 2M are split; at both ends, and where frames aren't aligned, none was. */
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		snprintf(header, sizeof(header), "%s%sregion 30000000000 3ffffffffff image\n",
			 before, AT_0);
		assert_string_equal(found_between(images[i].extents, "", "", images[i].sizes),
				    "directmap");
		assert_int_equal(last.known, images[i].known);
	}
	/* The image is in RAM, too, and its code isn't protected there. */
	snprintf(header, sizeof(header), "%s%sregion 30000000000 3ffffffffff image\n", before, AT_0);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(found_between(i ? "extent 0 100000 0 1 rw-- 0\n"
						  "extent 30000000000 1000 4000 1 r-x- 0\n" :
						  "extent 0 100000 0 1 rw-- 0\n"
						  "extent 28000000000 1000 4000 1 r-x- 0\n",
						  "", "", ""), "writable-alias");
		assert_int_equal(last.known, i);
	}
	strcpy(header, HEADER);
}

/*
 * What is found of a dump that was read between two readings of tables, and how many
 * lines have mappings.
 */
static const char *found_in_dump_between(const char *extents, const char *after,
					 const char *lines, uint64_t mapped)
{
	struct kernel_facts facts = { 0 };
	struct kernel_findings f = { 0 };
	FILE *stream = test_stream(lines);
	const char *rule;

	assert_int_equal(read_tables(extents, lines_of(extents), &facts.tables), 0);
	assert_int_equal(read_tables(after, lines_of(after), &facts.tables_after), 0);
	assert_int_equal(ptdump_parse(stream, &facts.ptdump), 0);
	fclose(stream);
	kernel_compare_ptdump(&facts, &f);
	assert_int_equal(f.dumped, mapped);
	rule = f.nr > 1 ? "several" : f.nr ? f.finding[0].rule : "";
	if (f.nr)
		last = f.finding[0];
	kernel_findings_free(&f);
	kernel_tables_free(&facts.tables);
	kernel_tables_free(&facts.tables_after);
	ptdump_free(&facts.ptdump);
	return rule;
}

static const char *found_in_dump(const char *extents, const char *lines, uint64_t mapped)
{
	return found_in_dump_between(extents, extents, lines, mapped);
}

#define DUMP_USER	"0x0000000000000000-0x0000000000001000 4K USR RW x  pte\n"
#define DUMP_NOTHING	"0xff11000000400000-0xff12000000000000 252T pgd\n"
#define DUMP_RAM	"0x" DIRECT "-0xff11000000200000 2M RW GLB NX pte\n" \
			"0xff11000000200000-0xff11000000400000 2M RW PSE GLB NX pmd\n"
#define DUMP_TIMER	"0xffa0000000008000-0xffa0000000009000 4K RW PWT PCD GLB NX pte\n"
#define DUMP_REST	"0xffa0000000009000-0x0000000000000000 4K pmd\n"

static void dumps(void **state)
{
	static const char *const wrong[] = {
		"0x" DIRECT "-0xff11000000200000 2M ro GLB NX pte\n",
		"0x" DIRECT "-0xff11000000200000 2M RW GLB x  pte\n",
		"0x" DIRECT "-0xff11000000200000 2M USR RW GLB NX pte\n",
		"0x" DIRECT "-0xff11000000200000 2M RW PSE GLB NX pmd\n",
		"0x" DIRECT "-0xff11000000200000 2M RW PWT GLB NX pte\n",
		"0x" DIRECT "-0xff11000000200000 2M RW MEM/NORMAL NX pte\n",
	};

	assert_string_equal(found_in_dump(RAM TIMER, "---[ x ]---\n" DUMP_USER DUMP_RAM
					  DUMP_NOTHING DUMP_TIMER DUMP_REST, 3), "");
	/* What isn't told is nothing to compare with. */
	assert_string_equal(found_in_dump(RAM TIMER, "... 9 entries skipped ...\n", 0), "");
	assert_string_equal(found_in_dump("changing " DIRECT " 200000 0 1\n", wrong[0], 1), "");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_string_equal(found_in_dump(RAM, wrong[i], 1), "ptdump");
		assert_true(last.start == 0xff11000000000000 && last.bytes == 0x200000);
	}
	/* A line that is missing, and one that the kernel has left out. */
	assert_string_equal(found_in_dump(RAM TIMER, DUMP_RAM DUMP_REST, 2), "ptdump");
	assert_true(last.start == 0xffa0000000008000 && last.bytes == 0x1000);
	assert_string_equal(found_in_dump(RAM TIMER, DUMP_RAM "... 1 entry skipped ...\n" DUMP_REST,
					  2), "");
	/* What was gone before the dump, or came before the tables were read once more. */
	assert_string_equal(found_in_dump_between(RAM TIMER, RAM, DUMP_RAM DUMP_REST, 2), "");
	assert_string_equal(found_in_dump_between(RAM, RAM TIMER, DUMP_RAM DUMP_REST, 2), "");
	assert_string_equal(found_in_dump_between(RAM TIMER, RAM, DUMP_RAM DUMP_TIMER DUMP_REST, 3),
			    "");
	/* One entry more, and one less, each in the midst of others. */
	assert_string_equal(found_in_dump(RAM, "0xff110000001ff000-0xff11000000200000 4K pte\n", 0),
			    "ptdump");
	assert_true(last.start == 0xff110000001ff000 && last.bytes == 0x1000);
	assert_string_equal(found_in_dump(RAM TIMER,
					  "0xffa0000000008000-0xffa000000000a000 8K RW PWT PCD NX pte\n",
					  1), "ptdump");
	assert_true(last.start == 0xffa0000000009000 && last.bytes == 0x1000);
	assert_string_equal(found_in_dump(RAM TIMER, "0xffa0000000000000-0x0000000000000000 4K pmd\n",
					  0), "ptdump");
	assert_true(last.start == 0xffa0000000008000 && last.bytes == 0x1000);
}

/* Of riscv64: another column, which must not be taken for one line after another. */
static void other_dumps(void **state)
{
	FILE *stream = test_stream("0xff60000000000000-0xff60000000200000    "
				 "0x0000000080000000         2M PMD     D A G . . W R V\n");
	struct ptdump dump = { 0 };

	assert_int_equal(ptdump_parse(stream, &dump), -EOPNOTSUPP);
	assert_int_equal(dump.nr, 0);
	fclose(stream);
	/* Of s390: all addresses are the kernel's. */
	stream = test_stream("0x0000000000000000-0x0000000000001000         4K PTE RW X\n"
			   "0x0000000000738000-0x0000000000739000         4K PTE RO NX\n");
	assert_int_equal(ptdump_parse(stream, &dump), -EOPNOTSUPP);
	fclose(stream);
	ptdump_free(&dump);
}

static void rights(void **state)
{
	assert_string_equal(FOUND(RAM STACK TIMER "extent " IMAGE " 1000 400000 1 rwx- 0\n",
				  LINES), "write-exec");
	assert_string_equal(FOUND(RAM STACK TIMER "extent " IMAGE " 1000 400000 1 r--u 0\n",
				  LINES), "user");
	assert_string_equal(FOUND(RAM STACK TIMER
				  "extent ffffffffff600000 1000 400000 1 r-xu 0\n", LINES), "");
}

static void aliases(void **state)
{
	/* Index 1 is write-combining. */
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 4000 1000 1 rw-- 1\n" TIMER, LINES),
			    "two-types");
	assert_true(last.start == 0xffa0000000000000 && last.bytes == 0x4000);
	/* Coherent memory for DMA has a type of its own by design. */
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 4000 1000 1 rw-- 1\n" TIMER,
				  "0x" VMALLOC "-0xffa0000000005000 20480 dma+0x1/0x2 dma-coherent\n"
				  TIMER_LINE), "");
	assert_true(by_design == 0x4000);
	/* Half of it in each of two extents of the direct mapping, half behind it. */
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 4000 1fe000 1 rw-- 1\n" TIMER, LINES),
			    "several");
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 4000 3fe000 1 rw-- 1\n" TIMER, LINES),
			    "two-types");
	assert_true(last.bytes == 0x2000);
	assert_string_equal(FOUND(RAM "extent " VMALLOC " 4000 1000 1 r-x- 0\n" TIMER, LINES),
			    "writable-alias");
	/* One that came or went meanwhile may have other memory by now. */
	assert_string_equal(found_between(RAM "extent " VMALLOC " 4000 1000 1 r-x- 1\n" TIMER,
					  TIMER_LINE, LINES, SIZES), "");
	assert_string_equal(found_between(RAM "extent " VMALLOC " 4000 1000 1 r-x- 1\n" TIMER,
					  LINES, TIMER_LINE, SIZES), "");
}

static void frames(void **state)
{
	static const struct {
		uint64_t first, second, timer;
		const char *rule;
	} cases[] = {
		{ FRAME_RAM, KPF_BIT(RESERVED) | FRAME_RAM, 0, "" },
		{ FRAME_RAM, 0, KPF_BIT(RESERVED) | FRAME_RAM, "" },
		{ FRAME_RAM, 0, FRAME_RAM, "ioremap-ram" },
		{ FRAME_RAM, KPF_BIT(BUDDY) | FRAME_RAM, 0, "freed-page" },
		{ KPF_BIT(PGTABLE), 0, 0, "freed-page" },
		{ KPF_BIT(OFFLINE), KPF_BIT(BUDDY), 0, "freed-page" },
		{ 0, KPF_BIT(BUDDY), FRAME_RAM, "several" },
	};
	struct frame_run runs[] = {
		{ 0xffa0000000000000, 0x1000, 0x1000 }, { 0xffa0000000001000, 0x3000, 0x2000 },
		{ 0xffa0000000008000, 0x1000, 0xfed00000 },
	};

	frame_runs = runs;
	nr_frame_runs = 3;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		runs[0].flags = cases[i].first;
		runs[1].flags = cases[i].second;
		runs[2].flags = cases[i].timer;
		assert_string_equal(FOUND(RAM STACK TIMER, LINES), cases[i].rule);
	}
	/* The finding is of the area, whichever of its pages it is. */
	runs[2].flags = 0;
	assert_string_equal(FOUND(RAM STACK TIMER, LINES), "freed-page");
	assert_true(last.start == 0xffa0000000000000 && last.bytes == 0x5000);
	assert_non_null(strstr(last.text, "0xffa0000000001000 is mapped to 0x2000"));
	assert_true(last.page == 0xffa0000000001000 && last.more == 0x2000);
	/* An area that was freed, or made, meanwhile may have been there before, too. */
	assert_string_equal(found_between(RAM STACK TIMER, TIMER_LINE, LINES, SIZES), "");
	frame_runs = NULL;
	nr_frame_runs = 0;
}

static void leftovers(void **state)
{
	const char *const made = "0x" VMALLOC "-0xffa0000000005000 20480 %s pages=4 vmalloc\n" TIMER_LINE;
	static const struct {
		const char *caller, *gone, *rule, *text;
	} cases[] = {
		{ "0xffffffffc0001010", "gone ffffffffc0001000 ffffffffc0001fff rtc ffffffffc0000000\n",
		  "module-leftover", "where rtc+0x1010 was" },
		{ "0xffffffffc0001010", "gone ffffffffc0001000 ffffffffc0001fff rtc 0\n",
		  "module-leftover", "the start-up code of rtc was" },
		{ "0xffffffffc0001010", "gone ffffffffc0002000 ffffffffc0002fff rtc 0\n", "", "" },
		{ "0xffffffffc0001010", "", "", "" },
		{ "probe+0x1/0x2 [rtc]", "gone ffffffffc0001000 ffffffffc0001fff rtc 0\n", "", "" },
	};
	char lines[256], extents[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(lines, sizeof(lines), made, cases[i].caller);
		snprintf(extents, sizeof(extents), "%s%s", cases[i].gone, RAM STACK TIMER);
		assert_string_equal(FOUND(extents, lines), cases[i].rule);
		if (*cases[i].rule)
			assert_non_null(strstr(last.text, cases[i].text));
	}
}

static void kcore(void **state)
{
	/* The second half of RAM, part of the image, and what isn't mapped at all. */
	struct kcore_segment segments[] = {
		{ 0xff11000000200000, 0x200000, 0x200000, 0x3000 },
		{ 0xffffffff81100000, 0x500000, 0x200000, 0x203000 },
		{ 0xff12000000000000, 0x900000, 0x200000, 0x403000 },
	};
	struct kernel_facts facts = { .kcore.segment = segments, .kcore.nr = 3 };
	struct kernel_findings f = { 0 };

	assert_int_equal(read_tables(RAM KERNEL, lines_of(RAM KERNEL), &facts.tables), 0);
	kernel_compare_kcore(&facts, &f);
	assert_int_equal(f.nr, 0);
	assert_int_equal(f.segments, 3);
	segments[1].paddr += 0x1000;
	kernel_compare_kcore(&facts, &f);
	assert_int_equal(f.nr, 2);
	assert_string_equal(f.finding[0].rule, "kcore");
	assert_true(f.finding[0].start == 0xffffffff81100000 && f.finding[0].bytes == 0x100000);
	assert_true(f.finding[1].start == 0xffffffff81200000 && f.finding[1].bytes == 0x100000);
	kernel_findings_free(&f);
	kernel_tables_free(&facts.tables);
}

/* What is found of the timer and @lines of a list of memory types; how many were compared. */
static const char *found_in_list(const char *lines, uint64_t compared)
{
	struct kernel_facts facts = { 0 };
	struct kernel_findings f = { 0 };
	FILE *stream = test_stream(lines);
	const char *rule;

	assert_int_equal(read_tables(RAM STACK TIMER, lines_of(RAM STACK TIMER), &facts.tables), 0);
	read_areas(LINES, &facts.before);
	read_areas(LINES, &facts.areas);
	assert_int_equal(memtype_list_parse(stream, &facts.memtypes), 0);
	fclose(stream);
	if (*iomem) {
		stream = test_stream(iomem);
		assert_int_equal(iomem_parse(stream, &facts.iomem), 0);
		fclose(stream);
	}
	kernel_compare_memtypes(&facts, &f);
	assert_int_equal(f.memtypes, compared);
	rule = f.nr > 1 ? "several" : f.nr ? f.finding[0].rule : "";
	kernel_findings_free(&f);
	kernel_tables_free(&facts.tables);
	vmallocinfo_free(&facts.before);
	vmallocinfo_free(&facts.areas);
	memtype_list_free(&facts.memtypes);
	iomem_free(&facts.iomem);
	return rule;
}

#define LIST	"PAT memtype list:\n" \
		"PAT: [mem 0x0000000000001000-0x0000000000005000] write-combining\n"

static void memtypes(void **state)
{
	/* Index 3 is uncached, with or without the minus. */
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfed00000-0xfed01000] uncached\n", 1), "");
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfec00000-0xfed02000] uncached-minus\n", 1),
			    "");
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfed00000-0xfed01000] write-back\n", 1),
			    "memtype");
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfed01000-0xfed02000] uncached\n", 0),
			    "memtype");
	/* Of reserved RAM, the pages know it. */
	iomem = "fed00000-fed00fff : System RAM\n";
	assert_string_equal(found_in_list(LIST, 0), "");
	iomem = "fed00000-fed00fff : Reserved\n";
	assert_string_equal(found_in_list(LIST, 0), "memtype");
	iomem = "";
	/* Two have asked for it. */
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfed00000-0xfed01000] write-back\n"
					  "PAT: [mem 0xfed00000-0xfed02000] write-back\n", 2),
			    "memtype");
	/* A kernel without a list, and a type of tomorrow. */
	assert_string_equal(found_in_list("PAT memtype list:\n", 0), "");
	assert_string_equal(found_in_list(LIST "PAT: [mem 0xfed00000-0xfed01000] other\n", 1), "");
}

static void size_of_vmalloc(void **state)
{
	static const struct {
		struct vmalloc_used used;
		const char *rule;
	} cases[] = {
		{ { true, 4096, 4096, 0 }, "" },
		{ { true, 4100, 4096, 0 }, "vmalloc-used" },
		{ { true, 4096, 4100, 0 }, "vmalloc-used" },
		{ { true, 4600, 4092, 508 }, "" },
		{ { true, 4604, 4092, 508 }, "vmalloc-used" },
		{ { true, 4092, 4600, 508 }, "" },
		{ { true, 4092, 4604, 508 }, "vmalloc-used" },
		{ { false, 1, 2, 0 }, "" },
	};
	struct vmallocinfo one = { 0 }, other = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_facts facts = { .used = cases[i].used };
		struct kernel_findings f = { 0 };

		kernel_compare_used(&facts, &f);
		assert_string_equal(f.nr ? f.finding[0].rule : "", cases[i].rule);
		assert_int_equal(f.sizes, cases[i].used.is_known);
		kernel_findings_free(&f);
	}
	/* The same areas, but for what was freed; one has other pages, or is missing. */
	read_areas(LINES "0xffa0000000001000-0xffa0000000002000 4096 unpurged vm_area\n", &one);
	read_areas(OTHER_LINE TIMER_LINE, &other);
	assert_true(vmallocinfo_same(&one, &other) && vmallocinfo_same(&other, &one));
	other.area[0].pages++;
	assert_false(vmallocinfo_same(&one, &other));
	other.area[0].pages--;
	other.nr--;
	assert_false(vmallocinfo_same(&one, &other) || vmallocinfo_same(&other, &one));
	vmallocinfo_free(&one);
	vmallocinfo_free(&other);
}

/* The rule of what is found of a section at the beginning of the image, "" of nothing. */
static const char *found_of_section(const char *extents, struct module_section section,
				    struct module_section after, uint64_t compared)
{
	struct kernel_facts facts = {
		.sections = { &section, 1, 1 }, .sections_after = { &after, 1, 1 },
	};
	struct kernel_findings f = { 0 };
	const char *rule;

	assert_int_equal(read_tables(extents, lines_of(extents), &facts.tables), 0);
	kernel_compare_modules(&facts, &f);
	assert_int_equal(f.sections, compared);
	rule = f.nr ? f.finding[0].rule : "";
	kernel_findings_free(&f);
	kernel_tables_free(&facts.tables);
	return rule;
}

static void sections(void **state)
{
	static const char *const rights[] = { "r---", "r-x-", "rw--", "rwx-" };
	struct module_section s = { .addr = 0xffffffff81000010, .name = ".text", .module = "a" };
	struct module_section later = s;
	char extents[64];

	for (unsigned int is = 0; is < 4; is++) {
		snprintf(extents, sizeof(extents), "extent " IMAGE " 1000 400000 1 %s 0\n",
			 rights[is]);
		for (unsigned int should = 0; should < 3; should++) {
			s.write = should == 2;
			s.exec = should == 1;
			assert_string_equal(found_of_section(extents, s, s, 1),
					    is == should ? "" : "module-rights");
		}
	}
	assert_string_equal(found_of_section(RAM, s, s, 1), "module-rights");
	assert_string_equal(found_of_section("changing " IMAGE " 1000 0 1\n", s, s, 0), "");
	/* The module has gone meanwhile, or come again elsewhere, or as another one. */
	later.addr += 0x1000;
	assert_string_equal(found_of_section(RAM, s, later, 0), "");
	later = s;
	later.module[0] = 'b';
	assert_string_equal(found_of_section(RAM, s, later, 0), "");
}

/* A module that runs, and one that starts; what is no address, and what isn't known. */
static void sections_in_sysfs(void **state)
{
	char top[] = "/tmp/ptwalk-XXXXXX", path[64], remove[64];
	struct module_sections s = { 0 };

	assert_non_null(mkdtemp(top));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, i ? "starts" : "runs");
		assert_int_equal(mkdir(path, 0700), 0);
		test_put(path, "initstate", i ? "coming\n" : "live\n");
		strcat(path, "/sections");
		assert_int_equal(mkdir(path, 0700), 0);
		test_put(path, ".text", "0xffffffffc0000000\n");
		test_put(path, ".rodata", "0x0000000000000000\n");
		test_put(path, ".data", "nothing\n");
		test_put(path, ".init.text", "0xffffffffc0004000\n");
	}
	assert_int_equal(module_sections_read(&s, top), 0);
	assert_int_equal(s.nr, 1);
	assert_string_equal(s.section[0].module, "runs");
	assert_string_equal(s.section[0].name, ".text");
	assert_true(s.section[0].addr == 0xffffffffc0000000 && s.section[0].exec);
	module_sections_free(&s);
	snprintf(remove, sizeof(remove), "rm -r %s", top);
	assert_int_equal(system(remove), 0);
	assert_int_equal(module_sections_read(&s, top), 0);
	assert_int_equal(s.nr, 0);
}

static void nonsense(void **state)
{
	static const char *const bad[] = {
		"extent " DIRECT " 0 0 1 rw-- 0\n",
		"extent " DIRECT " 1000 0 1 rw\n",
		"extent " DIRECT " 1000 0 0 rw-- 0\n",
		"extent " DIRECT " 1000 0 6 rw-- 0\n",
		"extent ffffffffffff0000 20000 0 1 rw-- 0\n",
		"extent " DIRECT " 1000 0 1 rw-- 0\nextent " DIRECT " 1000 0 1 rw-- 0\n",
		"extent " DIRECT "\n",
		/* Not whole pages; and a second header. */
		"extent ff11000000000800 1000 0 1 rw-- 0\n",
		"extent " DIRECT " 1800 0 1 rw-- 0\n",
		"extent " DIRECT " 1000 800 1 rw-- 0\n",
		"changing " DIRECT " 800 0 1\n",
		"ptwalk-kernel 1 x86_64 5 10\n",
		"gone 2000 1fff rtc\n",
		"gone 1000 1fff\n",
	};
	static const struct {
		const char *levels;
		int err;
	} headers[] = {
		{ "3 c 14 1f", 0 }, { "1 c", 0 }, { "5 e", 0 },
		/* No level; one below or at the one before; more bits than an address has. */
		{ "0 c", -EINVAL }, { "0 c 14", -EINVAL }, { "3 c 14 14", -EINVAL },
		{ "3 c 14 13", -EINVAL }, { "2 c c", -EINVAL }, { "3 c 14 40", -EINVAL },
		{ "5 10", -EINVAL }, { "5 14", -EINVAL }, { "2 b 14", -EINVAL },
	};
	struct kernel_tables tables;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_tables(bad[i], lines_of(bad[i]), &tables), -EINVAL);
		kernel_tables_free(&tables);
	}
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		snprintf(header, sizeof(header), "ptwalk-kernel 1 s390x %s\n", headers[i].levels);
		assert_int_equal(read_tables("", 0, &tables), headers[i].err);
		kernel_tables_free(&tables);
	}
	strcpy(header, HEADER);
	/* The physical address of a table is only printed. */
	assert_int_equal(read_tables("changing " DIRECT " 1000 800 1\n", 1, &tables), 0);
	kernel_tables_free(&tables);
	/* An extent is missing. */
	assert_int_equal(read_tables(RAM, 3, &tables), -EIO);
	kernel_tables_free(&tables);
	/* A word that isn't known, and one more. */
	assert_int_equal(read_tables("later 1 2\nextent " DIRECT " 1000 0 1 rw-- 0 new\n", 1,
				     &tables), 0);
	assert_int_equal(tables.nr, 1);
	kernel_tables_free(&tables);
}

/* Adds "ADDR+BYTES type", or more, of what reaches an address. */
static char told[512];

static void tell(const struct kernel_alias *alias, void *arg)
{
	char text[KERNEL_ALIAS_TEXT];
	size_t at = strlen(told);

	kernel_alias_text(alias, text);
	snprintf(told + at, sizeof(told) - at, "%" PRIx64 "+%" PRIx64 " %s;", alias->addr,
		 alias->bytes, text);
}

static const char *reach(const struct kernel_aliases *a, uint64_t phys, uint64_t bytes)
{
	*told = '\0';
	kernel_aliases_of(a, phys, bytes, tell, NULL);
	return told;
}

#define TWO_AREAS "0x" VMALLOC "-0xffa0000000002000 8192 dma_x+0x1/0x2 [drv] dma-coherent\n" \
		  "0xffa0000000002000-0xffa0000000005000 12288 vm_x+0x1/0x2 vmap\n"

static void reached(void **state)
{
	struct kernel_aliases a = { 0 };

	assert_int_equal(read_tables(RAM "extent " VMALLOC " 4000 1000 1 rw-- 1\n" TIMER KERNEL
				     "extent ffffffffc0000000 1000 2000 1 r-x- 0\n", 8, &a.tables), 0);
	read_areas(TWO_AREAS TIMER_LINE, &a.areas);
	assert_int_equal(kernel_aliases_sort(&a), 0);
	/* By several, whose areas end in between; the direct mapping is the last. */
	assert_string_equal(reach(&a, 0x2000, 0x2000),
			    "ffa0000000001000+1000 wc [dma-coherent, dma_x [drv]];"
			    "ffa0000000002000+1000 wc [vmap, vm_x];"
			    "ffffffffc0000000+1000 wb [modules];"
			    "ff11000000002000+2000 wb [direct];");
	/* By two pieces of the direct mapping alone, a device's, and by nothing. */
	assert_string_equal(reach(&a, 0x1ff000, 0x2000),
			    "ff110000001ff000+1000 wb [direct];ff11000000200000+1000 wb [direct];");
	assert_string_equal(reach(&a, 0xfed00000, 0x1000), "ffa0000000008000+1000 uc [ioremap, hpet];");
	assert_string_equal(reach(&a, 0xfed01000, 0x1000), "");
	/* Of the largest extent the last page, though smaller ones come before. */
	assert_string_equal(reach(&a, 0x5ff000, 0x1000), "ffffffff811ff000+1000 wb [image];");
	kernel_aliases_free(&a);
	/* Nothing is known of areas. */
	assert_int_equal(read_tables(STACK, 1, &a.tables), 0);
	a.areas.why_not = "hashed";
	assert_int_equal(kernel_aliases_sort(&a), 0);
	assert_string_equal(reach(&a, 0x1000, 0x1000), "ffa0000000000000+1000 wb [vmalloc];");
	kernel_aliases_free(&a);
}

/* Adds "ADDR+PAGES CHANGES;" of each difference. */
static int tell_change(const struct change *c, void *arg)
{
	char what[128];
	size_t at = strlen(told);

	names_mask(&names_change, c->what, ",", what, sizeof(what));
	snprintf(told + at, sizeof(told) - at, "%" PRIx64 "+%" PRIx64 " %s;", c->addr, c->pages,
		 what);
	return 0;
}

/* Of two moments with these areas, the changes of what is wanted. */
static const char *changes_of(const struct kernel_wanted *wanted, const char *extents,
			      const char *later, const char *lines)
{
	struct kernel_facts before = { 0 }, after = { 0 };
	struct truth a = { 0 }, b = { 0 };
	struct ptwalk_kernel info = { 0 };
	uint64_t unread;

	*told = '\0';
	assert_int_equal(read_tables(extents, lines_of(extents), &before.tables), 0);
	assert_int_equal(read_tables(later, lines_of(later), &after.tables), 0);
	read_areas(lines, &before.areas);
	read_areas(lines, &after.areas);
	kernel_pieces_describe(&after, &info);
	assert_int_equal(kernel_pieces_truth(&before, &after, wanted, &a), 0);
	assert_int_equal(kernel_pieces_truth(&after, &before, wanted, &b), 0);
	unread = kernel_pieces_unread(&before, &after, wanted);
	assert_true(unread == kernel_pieces_unread(&after, &before, wanted));
	assert_int_equal(changes_between(&info, &a, &b, CHANGES_ALL, tell_change, NULL), 0);
	if (unread)
		snprintf(told + strlen(told), 32, "unread %" PRIx64, unread);
	truth_free(&a);
	truth_free(&b);
	kernel_tables_free(&before.tables);
	kernel_tables_free(&after.tables);
	vmallocinfo_free(&before.areas);
	vmallocinfo_free(&after.areas);
	return told;
}

static const char *changes(const char *extents, const char *later, const char *lines)
{
	return changes_of(&(struct kernel_wanted){ 0 }, extents, later, lines);
}

static void differences(void **state)
{
	assert_string_equal(changes(RAM STACK TIMER KERNEL, RAM STACK TIMER KERNEL, LINES), "");
	assert_string_equal(changes(RAM STACK, RAM STACK TIMER, LINES), "ffa0000000008000+1 mapped;");
	assert_string_equal(changes(RAM STACK TIMER, RAM TIMER, LINES), "ffa0000000000000+4 unmapped;");
	/* Its second page can't be written to any more, and is executable. */
	assert_string_equal(changes(STACK, "extent " VMALLOC " 1000 1000 1 rw-- 0\n"
				    "extent ffa0000000001000 1000 2000 1 r-x- 0\n"
				    "extent ffa0000000002000 2000 3000 1 rw-- 0\n", LINES),
			    "ffa0000000001000+1 allowed,denied;");
	assert_string_equal(changes(STACK, "extent " VMALLOC " 4000 1000 1 rw-- 1\n", LINES),
			    "ffa0000000000000+4 retyped;");
	assert_string_equal(changes(STACK, "extent " VMALLOC " 4000 9000 1 rw-- 0\n", LINES),
			    "ffa0000000000000+4 moved;");
	/* A huge leaf of the direct mapping is split; each area is told of alone. */
	assert_string_equal(changes("extent " DIRECT " 400000 0 2 rw-- 0\n", RAM, LINES),
			    "ff11000000000000+200 split;");
	assert_string_equal(changes(RAM, RAM "extent " VMALLOC " 4000 1000 1 rw-- 1\n", TWO_AREAS),
			    "ffa0000000000000+2 mapped;ffa0000000002000+2 mapped;");
}

#define HUGE_RAM	"extent " DIRECT " 400000 0 2 rw-- 0\n"
/* Its first half as it was, its second half in small pages. */
#define SPLIT_RAM	"extent " DIRECT " 200000 0 2 rw-- 0\n" \
			"extent ff11000000200000 200000 200000 1 rw-- 0\n"

/* What is in no range, or isn't mapped to these frames, is on neither side. */
static void differences_of_some(void **state)
{
	const struct range frames = { 0x1ff000, 0x200fff };
	const struct range ranges[] = {
		{ 0xff11000000300000, 0xff11000000300fff },
		{ 0xff11000000000000, 0xff11000000200fff },
		{ 0xff11000000200000, 0xff11000000201fff },
	};
	struct kernel_wanted wanted = { .range = ranges, .nr_ranges = 1 };

	assert_string_equal(changes(HUGE_RAM, SPLIT_RAM, LINES), "ff11000000200000+200 split;");
	assert_string_equal(changes_of(&wanted, HUGE_RAM, SPLIT_RAM, LINES),
			    "ff11000000300000+1 split;");
	assert_string_equal(changes_of(&wanted, SPLIT_RAM, HUGE_RAM, LINES),
			    "ff11000000300000+1 collapsed;");
	/* Ranges in any order that overlap. */
	wanted.nr_ranges = 3;
	assert_string_equal(changes_of(&wanted, HUGE_RAM, SPLIT_RAM, LINES),
			    "ff11000000200000+2 split;ff11000000300000+1 split;");
	assert_string_equal(changes_of(&wanted, "", RAM STACK, LINES),
			    "ff11000000000000+202 mapped;ff11000000300000+1 mapped;");
	wanted = (struct kernel_wanted){ .frames = &frames };
	assert_string_equal(changes_of(&wanted, HUGE_RAM, SPLIT_RAM, LINES),
			    "ff11000000200000+1 split;");
	assert_string_equal(changes_of(&wanted, HUGE_RAM STACK, "", LINES),
			    "ff110000001ff000+2 unmapped;");
}

/* Of what couldn't be read at one of the moments, nothing is said. */
static void differences_unread(void **state)
{
	const struct range frames = { 0, 0xfff };
	const struct range range = { 0xff11000000200000, 0xff11000000200fff };
	const struct kernel_wanted of_frames = { .frames = &frames };
	const struct kernel_wanted of_range = { .range = &range, .nr_ranges = 1 };

	assert_string_equal(changes(RAM STACK, RAM "changing " VMALLOC " 200000 5000 1\n", LINES),
			    "unread 200000");
	/* A table in the midst of what is one extent; what is around it was read. */
	assert_string_equal(changes(HUGE_RAM, "extent " DIRECT " 100000 0 2 rw-- 0\n"
				    "unreadable ff11000000100000 100000 5000 1\n"
				    "extent ff11000000200000 200000 200000 2 rw-- 0\n", LINES),
			    "unread 100000");
	assert_string_equal(changes(HUGE_RAM, "unreadable ff11000000100000 100000 5000 1\n"
				    "changing ff11000000200000 1000 6000 1\n", LINES),
			    "ff11000000000000+100 unmapped;ff11000000201000+1ff unmapped;"
			    "unread 101000");
	/* It begins before an area does. */
	assert_string_equal(changes("extent ffa0000000008000 1000 fed00000 1 rw-- 3\n",
				    "changing " VMALLOC " 200000 5000 1\n", LINES), "unread 200000");
	/* At both moments, in part. */
	assert_string_equal(changes("changing " DIRECT " 3000 5000 1\n",
				    "changing ff11000000001000 4000 5000 1\n", LINES),
			    "unread 5000");
	/* It may map any frame; and only where it is asked for. */
	assert_string_equal(changes_of(&of_frames, HUGE_RAM, SPLIT_RAM
				       "changing " VMALLOC " 200000 5000 1\n", LINES),
			    "unread 200000");
	assert_string_equal(changes_of(&of_range, "changing " DIRECT " 400000 5000 1\n", HUGE_RAM,
				       LINES), "unread 1000");
	assert_string_equal(changes_of(&of_range, HUGE_RAM, HUGE_RAM
				       "changing " VMALLOC " 200000 5000 1\n", LINES), "");
}

/**
 * struct command - `ptwalk kernel` with arguments
 * @argument: Them, up to NULL.
 * @status: How it ended.
 */
struct command {
	const char *argument[7];
	int status;
};

static void run_command(void *arg)
{
	struct command *c = arg;
	char *argv[8] = { (char *)"kernel" };
	int argc = 1;

	while (c->argument[argc - 1]) {
		argv[argc] = (char *)c->argument[argc - 1];
		argc++;
	}
	c->status = cmd_kernel(argc, argv);
}

/* What it prints, to be freed. */
static char *output(int status, const char *a, const char *b, const char *c, const char *d,
		    const char *e)
{
	struct command command = { .argument = { a, b, c, d, e } };
	char *text = told_text(run_command, &command);

	assert_int_equal(command.status, status);
	return text;
}

/* Records these extents, of a boot, in a file, whose name ends in XXXXXX. */
static void record_boot(const char *boot, const char *extents, char *path)
{
	struct kernel_recorded kernel = { "6.12.1", "x86_64" };
	struct kernel_facts facts = { 0 };
	FILE *stream = fdopen(mkstemp(path), "w");

	assert_non_null(stream);
	strcpy(kernel.boot, boot);
	assert_int_equal(read_tables(extents, lines_of(extents), &facts.tables), 0);
	read_areas(LINES, &facts.areas);
	assert_int_equal(kernel_record(stream, &kernel, &facts), 0);
	fclose(stream);
	kernel_tables_free(&facts.tables);
	vmallocinfo_free(&facts.areas);
}

static void record_extents(const char *extents, char *path)
{
	record_boot("", extents, path);
}

static void expect_output(const char *part, int status, const char *a, const char *b,
			  const char *c, const char *d, const char *e)
{
	char *text = output(status, a, b, c, d, e);

	if (!strstr(text, part))
		fail_msg("no '%s' in: %s", part, text);
	free(text);
}

static void commands(void **state)
{
	char huge[] = "/tmp/ptwalk-XXXXXX", split[] = "/tmp/ptwalk-XXXXXX";
	char unread[] = "/tmp/ptwalk-XXXXXX";

	record_extents(HUGE_RAM STACK, huge);
	record_extents(SPLIT_RAM STACK, split);
	record_extents(SPLIT_RAM "changing " VMALLOC " 4000 5000 1\n", unread);
	/* Only so much of an extent is counted as is asked for, in whole pages. */
	expect_output("\"bytes\":{\"pte\":0,\"pmd\":4194304,", 0, "--json", "--summary",
		      "--replay", huge, NULL);
	expect_output("\"bytes\":{\"pte\":0,\"pmd\":4096,\"pud\":0},\"writable\":4096,", 0,
		      "--json", "--summary", "--replay", huge, "--phys=300008");
	expect_output("\"bytes\":{\"pte\":0,\"pmd\":8192,", 0, "--json", "--summary", "--replay",
		      huge, "ff11000000300008-ff11000000301008");
	expect_output("1 split", 0, "--diff", huge, "--replay", split, "ff11000000300008");
	expect_output("split", 0, "--diff", huge, "--replay", split, "--phys=300008");
	/* What couldn't be read makes it no success. */
	expect_output("4 pages could not be looked at", EXIT_UNSTABLE, "--diff", split, "--replay",
		      unread, NULL);
	expect_output("\"unstable\":4", EXIT_UNSTABLE, "--json", "--diff", unread, "--replay", unread);
	expect_output("", 0, "--diff", unread, "--replay", unread, "direct");
	/* A recording is written in one way. */
	expect_output("", EXIT_USAGE, "--record", "/dev/null", "--json", NULL, NULL);
	expect_output("", EXIT_USAGE, "--record", "/dev/null", "-v", NULL, NULL);
	unlink(huge);
	unlink(split);
	unlink(unread);
}

static void run_map(void *arg)
{
	struct command *c = arg;
	char *argv[8] = { (char *)"map" };
	int argc = 1;

	while (c->argument[argc - 1]) {
		argv[argc] = (char *)c->argument[argc - 1];
		argc++;
	}
	c->status = cmd_map(argc, argv);
}

static void expect_map(const char *part, int status, const char *a, const char *b,
		       const char *c, const char *d, const char *e)
{
	struct command command = { .argument = { "--kernel", a, b, c, d, e } };
	char *text = told_text(run_map, &command);

	assert_int_equal(command.status, status);
	if (!strstr(text, part))
		fail_msg("no '%s' in: %s", part, text);
	free(text);
}

/* Areas, what is mapped in them by which leaves, and what has changed. */
static void pictures(void **state)
{
	char first[] = "/tmp/ptwalk-XXXXXX", second[] = "/tmp/ptwalk-XXXXXX";
	char unread[] = "/tmp/ptwalk-XXXXXX", other[] = "/tmp/ptwalk-XXXXXX";

	record_extents(HUGE_RAM STACK, first);
	record_extents(SPLIT_RAM "extent " VMALLOC " 1000 1000 1 rw-- 0\n"
		       "extent ffa0000000003000 1000 1000 1 rw-- 0\n", second);
	record_extents("extent " DIRECT " 1000 0 1 rw-- 0\n"
		       "changing ff11000000001000 1000 5000 1\n"
		       "extent ff11000000002000 1000 2000 1 rw-- 0\n", unread);
	record_boot("", GIGS "extent " IMAGE " 1000 400000 1 r-x- 0\n", other);
	expect_map("\"name\":\"direct\",\"kinds\":{\"special\":1024},\"leaves\":{\"2097152\":1024}",
		   0, "--json", "--replay", first, NULL, NULL);
	expect_map("\"name\":\"vmalloc clone+0x1/0x2\",\"kinds\":{\"special\":4}",
		   0, "--json", "--replay", first, NULL, NULL);
	/* What isn't mapped in the midst of an area, and what nobody knows. */
	expect_map("\"kinds\":{\"empty\":2,\"special\":2}", 0, "--json", "--replay", second,
		   NULL, NULL);
	expect_map("\"kinds\":{\"special\":2,\"unread\":1}", 0, "--json", "--replay", unread,
		   NULL, NULL);
	expect_map("<svg", 0, "--replay", first, "--format=svg", NULL, NULL);
	expect_map("the kernel's own tables, Linux 6.12.1", 0, "--replay", first, NULL, NULL, NULL);
	/* Two pages of the stack are gone, and half of the RAM is split. */
	expect_map("rw-p   16K", 0, "--replay", first, NULL, NULL, NULL);
	expect_map("-vmalloc clone", 0, "--replay", second, "--before", first, NULL);
	expect_map("~direct", 0, "--replay", second, "--before", first, NULL);
	expect_map("   RAM", 0, "--replay", first, NULL, NULL, NULL);
	expect_map("", EXIT_USAGE, NULL, NULL, NULL, NULL, NULL);
	expect_map("r-xp    4K", 0, "--replay", other, NULL, NULL, NULL);
	unlink(first);
	unlink(second);
	unlink(unread);
	unlink(other);
}

/* All of it may be at the same addresses in two boots. An old recording names none. */
static void boots(void **state)
{
	char none[] = "/tmp/ptwalk-XXXXXX", one[] = "/tmp/ptwalk-XXXXXX";
	char other[] = "/tmp/ptwalk-XXXXXX";

	record_boot("", RAM, none);
	record_boot("01234567-89ab-cdef-0123-456789abcdef", RAM, one);
	record_boot("01234567-89ab-cdef-0123-456789abcdee", RAM, other);
	expect_output("", EXIT_USAGE, "--diff", one, "--replay", other, NULL);
	expect_output("pages changed: none", 0, "--diff", one, "--replay", one, NULL);
	expect_output("pages changed: none", 0, "--diff", none, "--replay", other, NULL);
	expect_output("pages changed: none", 0, "--diff", one, "--replay", none, NULL);
	unlink(none);
	unlink(one);
	unlink(other);
}

/* What is recorded is read again, and is the same. */
static void recordings(void **state)
{
	const struct kernel_recorded kernel = {
		"6.12.1", "x86_64", "01234567-89ab-cdef-0123-456789abcdef",
	};
	struct kernel_facts facts = { 0 }, again = { 0 };
	struct kernel_recorded read = { 0 };
	struct lines lines;
	char text[4096] = "", *end;
	FILE *stream = fmemopen(text, sizeof(text), "w");

	assert_int_equal(read_tables(RAM "same-table ff11000000400000 1000 5000 1\n"
				     "extent " VMALLOC " 4000 1000 1 r-xu 1\n" TIMER, 5,
				     &facts.tables), 0);
	read_areas(TWO_AREAS TIMER_LINE, &facts.areas);
	assert_int_equal(kernel_record(stream, &kernel, &facts), 0);
	fclose(stream);
	stream = test_stream(text);
	lines_begin(&lines, stream);
	assert_int_equal(kernel_replay(&lines, &read, &again), 0);
	fclose(stream);
	assert_string_equal(read.release, "6.12.1");
	assert_string_equal(read.machine, "x86_64");
	assert_string_equal(read.boot, kernel.boot);
	assert_int_equal(again.tables.nr, facts.tables.nr);
	for (size_t i = 0; i < facts.tables.nr; i++)
		assert_memory_equal(&again.tables.extent[i], &facts.tables.extent[i],
				    sizeof(struct kernel_extent));
	assert_int_equal(again.tables.nr_regions, facts.tables.nr_regions);
	assert_int_equal(again.areas.nr, facts.areas.nr);
	for (size_t i = 0; i < facts.areas.nr; i++)
		assert_memory_equal(&again.areas.area[i], &facts.areas.area[i],
				    sizeof(struct vmalloc_area));
	kernel_tables_free(&again.tables);
	vmallocinfo_free(&again.areas);
	/* Without its end, or with something else in it, it is none. */
	end = strstr(text, "\nareas ");
	for (int i = 0; i < 2; i++) {
		strcpy(end + 1, i ? "other\n" : "");
		stream = test_stream(text);
		lines_begin(&lines, stream);
		memset(&read, 0, sizeof(read));
		assert_int_equal(kernel_replay(&lines, &read, &again), i ? -EINVAL : -ENODATA);
		fclose(stream);
		kernel_tables_free(&again.tables);
		vmallocinfo_free(&again.areas);
	}
	kernel_tables_free(&facts.tables);
	vmallocinfo_free(&facts.areas);
	/* Nor without the header of the tables, or with an extent before that. */
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "kernel-tables 6.12.1 x86_64\n%s%s%sareas -\nend %x\n",
			 i == 1 ? "tables extent 0 1000 0 1 rw-- 0\n" : "",
			 i ? "tables ptwalk-kernel 1 x86_64 5 c\n" : "",
			 i == 1 ? "tables end 1 0 0\n" : "tables end 0 0 0\n", i == 1 ? 5 : i ? 4 : 3);
		stream = test_stream(text);
		lines_begin(&lines, stream);
		memset(&read, 0, sizeof(read));
		assert_int_equal(kernel_replay(&lines, &read, &again), i < 2 ? -EINVAL : 0);
		fclose(stream);
		kernel_tables_free(&again.tables);
		vmallocinfo_free(&again.areas);
	}
}

static void looks(void **state)
{
	/* Figures of one that is told may move; how wrong they are may not. */
	struct kernel_finding a[] = { { .rule = "user", .start = 1, .more = 1 },
				      { .rule = "user", .start = 2, .text = "x" },
				      { .rule = "freed-page", .more = 3, .page = 4 } };
	struct kernel_finding b[] = { { .rule = "user", .start = 2, .text = "y" },
				      { .rule = "user", .start = 1, .more = 2 },
				      { .rule = "freed-page", .more = 3, .page = 5 } };
	struct kernel_findings first = { .finding = a, .nr = 3 };
	const struct kernel_findings second = { .finding = b, .nr = 3 };

	kernel_findings_keep(&first, &second);
	assert_int_equal(first.nr, 1);
	assert_true(a[0].start == 2);
}

SUITE(suite_kernel,
      cmocka_unit_test(areas), cmocka_unit_test(resources), cmocka_unit_test(owners),
      cmocka_unit_test(sizes), cmocka_unit_test(borders), cmocka_unit_test(sizes_of_s390),
      cmocka_unit_test(dumps), cmocka_unit_test(other_dumps),
      cmocka_unit_test(kcore),
      cmocka_unit_test(memtypes), cmocka_unit_test(size_of_vmalloc),
      cmocka_unit_test(sections), cmocka_unit_test(sections_in_sysfs),
      cmocka_unit_test(rights), cmocka_unit_test(aliases),
      cmocka_unit_test(frames), cmocka_unit_test(leftovers), cmocka_unit_test(nonsense),
      cmocka_unit_test(reached), cmocka_unit_test(differences),
      cmocka_unit_test(differences_of_some), cmocka_unit_test(differences_unread),
      cmocka_unit_test(commands), cmocka_unit_test(pictures), cmocka_unit_test(boots),
      cmocka_unit_test(recordings), cmocka_unit_test(looks));
