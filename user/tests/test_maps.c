// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/escape.h"
#include "proc/maps.h"
#include "proc/subject.h"
#include "tests.h"

static const char text[] =
	"00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/my prog (deleted)\n"
	"00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/my prog (deleted)\n"
	"00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
	"7f00aa000000-7f00aa021000 rw-p 00000000 00:00 0 \n"
	"7f00bb000000-7f00bb001000 rw-s 12345678000 103:1f 18446744073709551615 /tmp/new\\012line\n"
	"7f00cc000000-7f00cc001000 rw-s 00000000 00:05 9   /tmp/a+b\n"
	"fffffffffffff000-ffffffffffffffff r-xp 00000000 00:00 0 [last]\n";

static struct maps parsed(const char *from)
{
	FILE *stream = fmemopen((void *)from, strlen(from), "r");
	struct maps maps = { 0 };
	size_t line;

	assert_non_null(stream);
	assert_int_equal(maps_parse(stream, &maps, &line), 0);
	fclose(stream);
	return maps;
}

static void fields(void **state)
{
	struct maps maps = parsed(text);
	const struct map *m = maps.map;

	assert_int_equal(maps.nr, 7);
	assert_int_equal(m[0].start, 0x400000);
	assert_int_equal(m[0].last, 0x451fff);
	assert_string_equal(m[0].perms, "r-xp");
	assert_string_equal(m[0].name, "/usr/bin/my prog (deleted)");
	assert_string_equal(m[3].name, "");
	assert_string_equal(m[4].name, "/tmp/new\nline");
	assert_int_equal(m[4].offset, 0x12345678000);
	assert_int_equal(m[4].dev_major, 0x103);
	assert_int_equal(m[4].dev_minor, 0x1f);
	assert_true(m[4].inode == UINT64_MAX);
	assert_true(m[6].start == 0xfffffffffffff000);
	maps_free(&maps);
}

/* The end of .bss is in no file; what lies behind a device isn't the device's. */
static void behind_files(void **state)
{
	struct maps maps = parsed("00001000-00002000 rw-p 00000000 08:01 5 /bin/prog\n"
				  "00002000-00003000 rw-p 00000000 00:00 0 \n"
				  "00005000-00006000 rw-s 00000000 00:05 9 /dev/mine\n"
				  "00006000-00007000 rw-p 00000000 00:00 0 \n"
				  "00009000-0000a000 rw-p 00000000 00:00 0 [heap]\n"
				  "0000a000-0000b000 rw-p 00000000 00:00 0 \n");
	uint64_t addr;

	assert_null(maps_address(&maps, "prog+1fff", &addr));
	assert_int_equal(addr, 0x2fff);
	assert_non_null(maps_address(&maps, "prog+2000", &addr));
	assert_non_null(maps_address(&maps, "mine+1000", &addr));
	assert_non_null(maps_address(&maps, "[heap]+1000", &addr));
	maps_free(&maps);
}

static void lookups(void **state)
{
	struct maps maps = parsed(text);

	assert_ptr_equal(maps_at(&maps, 0x400000), &maps.map[0]);
	assert_ptr_equal(maps_at(&maps, 0x451fff), &maps.map[0]);
	assert_null(maps_at(&maps, 0x452000));
	assert_null(maps_at(&maps, 0));
	assert_null(maps_at(&maps, UINT64_MAX));
	assert_string_equal(maps_name_at(&maps, 0xe03000), "[heap]");
	assert_string_equal(maps_name_at(&maps, 0xe02000), "");
	maps_free(&maps);
}

static void addresses(void **state)
{
	struct maps maps = parsed(text);
	uint64_t addr = 42;

	assert_null(maps_address(&maps, "[heap]", &addr));
	assert_int_equal(addr, 0xe03000);
	assert_null(maps_address(&maps, "[heap]+1f", &addr));
	assert_int_equal(addr, 0xe0301f);
	assert_null(maps_address(&maps, "/tmp/a+b", &addr));
	assert_int_equal(addr, 0x7f00cc000000);
	assert_null(maps_address(&maps, "/tmp/a+b+0x10", &addr));
	assert_int_equal(addr, 0x7f00cc000010);
	assert_null(maps_address(&maps, "0x1234", &addr));
	assert_int_equal(addr, 0x1234);
	assert_string_equal(maps_address(&maps, "[hea]", &addr),
			    "no mapping of that name");
	assert_string_equal(maps_address(&maps, "[heap]+zz", &addr),
			    "not a hexadecimal number");
	assert_string_equal(maps_address(&maps, "[heap]+", &addr), "empty");
	assert_string_equal(maps_address(&maps, "[heap]+ffffffffffffffff",
					 &addr),
			    "no mapping of that name at that offset");
	/* The last byte of a mapping, and the first behind it. */
	assert_null(maps_address(&maps, "[heap]+20fff", &addr));
	assert_int_equal(addr, 0xe23fff);
	assert_string_equal(maps_address(&maps, "[heap]+21000", &addr),
			    "no mapping of that name at that offset");
	assert_null(maps_nearest(&maps, "[heap]+21000"));
	assert_int_equal(addr, 0xe23fff);
	maps_free(&maps);
}

static void range_names(void **state)
{
	struct maps maps = parsed(text);
	struct ranges ranges = { 0 };

	assert_null(maps_ranges(&maps, "/usr/bin/my prog (deleted)", &ranges));
	assert_int_equal(ranges.nr, 2);
	assert_int_equal(ranges.range[1].start, 0x651000);
	assert_int_equal(ranges.range[1].last, 0x651fff);
	assert_null(maps_ranges(&maps, "401000+1000", &ranges));
	assert_int_equal(ranges.nr, 3);
	/* The first byte of a mapping, and the last, are in it. */
	assert_null(maps_ranges(&maps, "651000+1", &ranges));
	assert_null(maps_ranges(&maps, "651fff+1", &ranges));
	assert_int_equal(ranges.nr, 5);
	assert_string_equal(maps_ranges(&maps, "1000+1000", &ranges),
			    "no mapping there");
	assert_string_equal(maps_ranges(&maps, "[stack]", &ranges),
			    "no mapping of that name");
	assert_string_equal(maps_ranges(&maps, "2000-1000", &ranges),
			    "ends before it starts");
	assert_int_equal(ranges.nr, 5);
	ranges_free(&ranges);
	maps_free(&maps);
}

static const char odd[] =
	"1000-2000 r-xp 00000000 08:02 1      /bin/busybox\n"
	"3000-4000 r-xp 00000000 08:02 2      /tmp/a\\012b\tc \033[31m\\d\n"
	"5000-6000 r-xp 00000000 08:02 3      /tmp/caf\351\n"
	"7000-8000 r-xp 00000000 08:02 4      /tmp/caf\303\251\n"
	"9000-a000 rw-p 00000000 00:00 0      [heap]\n"
	"b000-c000 r-xp 00000000 08:02 5      /lib/a/x.so\n"
	"d000-e000 r-xp 00000000 08:02 6      /lib/b/x.so\n"
	"f000-10000 r-xp 00000000 08:02 7     /tmp/gone (deleted)\n"
	"11000-12000 r-xp 00000000 08:02 1    /bin/busybox\n"
	"13000-14000 rw-p 00000000 00:00 0    [anon: a b]\n"
	"15000-16000 rw-s 00000000 00:05 8    /memfd:x y (deleted)\n";

/* What maps and what ptwalk print is taken, and what a person would type. */
static void odd_names(void **state)
{
	static const struct { const char *arg; uint64_t start; } cases[] = {
		{ "/bin/busybox", 0x1000 }, { "busybox", 0x1000 },
		{ "/tmp/a\\012b\tc \033[31m\\d", 0x3000 },
		{ "/tmp/a\\012b\\011c \\033[31m\\d", 0x3000 },
		{ "/tmp/a\nb\tc \033[31m\\d", 0x3000 },
		{ "/tmp/caf\351", 0x5000 }, { "/tmp/caf\\351", 0x5000 },
		{ "/tmp/caf\303\251", 0x7000 }, { "heap", 0x9000 },
		{ "/lib/b/x.so", 0xd000 }, { "gone", 0xf000 },
		{ "gone (deleted)", 0xf000 }, { "/tmp/gone", 0xf000 }, { "/tmp/gone (deleted)", 0xf000 },
		{ "[anon: a b]", 0x13000 }, { "memfd:x y", 0x15000 },
	};
	struct maps maps = parsed(odd);
	struct ranges ranges = { 0 };
	uint64_t addr;
	char *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ranges.nr = 0;
		assert_null(maps_ranges(&maps, cases[i].arg, &ranges));
		assert_int_equal(ranges.range[0].start, cases[i].start);
		assert_int_equal(ranges.nr, cases[i].start == 0x1000 ? 2 : 1);
		assert_null(maps_address(&maps, cases[i].arg, &addr));
		assert_int_equal(addr, cases[i].start);
	}
	assert_null(maps_address(&maps, "busybox+10", &addr));
	assert_int_equal(addr, 0x1010);
	for (size_t i = 0; i < maps.nr; i++) {
		text = escape_text(maps.map[i].name);
		ranges.nr = 0;
		assert_null(maps_ranges(&maps, text, &ranges));
		assert_int_equal(ranges.range[0].start, maps.map[i].start ==
				 0x11000 ? 0x1000 : maps.map[i].start);
		free(text);
	}
	assert_string_equal(maps_ranges(&maps, "x.so", &ranges),
			    "mappings of several files of that name, give the path");
	assert_string_equal(maps_ranges(&maps, "busy", &ranges),
			    "no mapping of that name");
	assert_string_equal(maps_ranges(&maps, "/busybox", &ranges),
			    "no mapping of that name");
	ranges_free(&ranges);
	maps_free(&maps);
}

static void escapes(void **state)
{
	static const struct { const char *raw, *text; } cases[] = {
		{ "", "" }, { "a b", "a b" }, { "\n\t\033\177", "\\012\\011\\033\\177" },
		{ "\303\251 \342\202\254 \360\237\220\247", "\303\251 \342\202\254 \360\237\220\247" },
		{ "\302\233", "\\302\\233" },		/* a control character, too */
		{ "\300\257", "\\300\\257" },		/* overlong */
		{ "\355\240\200", "\\355\\240\\200" },	/* a surrogate */
		{ "\364\220\200\200", "\\364\\220\\200\\200" },
		{ "\303", "\\303" }, { "\377x", "\\377x" },
		/* Turned around, of no width, and beside these a letter and a dash. */
		{ "a\342\200\256b", "a\\342\\200\\256b" },
		{ "\342\201\246", "\\342\\201\\246" }, { "\342\200\213", "\\342\\200\\213" },
		{ "\357\273\277", "\\357\\273\\277" }, { "\330\234", "\\330\\234" },
		{ "\363\240\200\201", "\\363\\240\\200\\201" },
		{ "\330\235 \342\200\224", "\330\235 \342\200\224" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = escape_text(cases[i].raw);

		assert_string_equal(text, cases[i].text);
		assert_true(escape_is(cases[i].raw, text));
		assert_true(escape_is(cases[i].raw, cases[i].raw));
		assert_false(escape_is(cases[i].raw, "other"));
		free(text);
	}
}

/* Nothing is counted twice. */
static void merged(void **state)
{
	struct ranges r = { 0 };

	ranges_add(&r, 0x5000, 0x5fff);
	ranges_add(&r, 0x1000, 0x1fff);
	assert_int_equal(ranges_merge(&r), 0);
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.range[0].start, 0x5000);
	ranges_add(&r, 0x1800, 0x2fff);
	ranges_add(&r, 0x5000, 0x5fff);
	ranges_add(&r, 0xfffffffffffff000, UINT64_MAX);
	ranges_add(&r, 0xfffffffffffff800, UINT64_MAX);
	assert_int_equal(ranges_merge(&r), 0);
	/* In the order in which they were typed, which --expect is about. */
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.range[0].start, 0x5000);
	assert_int_equal(r.range[0].last, 0x5fff);
	assert_int_equal(r.range[1].start, 0x1000);
	assert_int_equal(r.range[1].last, 0x2fff);
	assert_true(r.range[2].last == UINT64_MAX);
	ranges_sort(&r);
	assert_int_equal(r.range[0].start, 0x1000);
	ranges_free(&r);
}

static void nothing(void **state)
{
	FILE *stream = fopen("/dev/null", "r");
	struct maps maps = { 0 };
	size_t line;

	assert_int_equal(maps_parse(stream, &maps, &line), 0);
	assert_int_equal(maps.nr, 0);
	assert_null(maps_at(&maps, 0));
	fclose(stream);
}

static void many(void **state)
{
	struct maps maps = { 0 };
	char *buf = NULL;
	size_t size, line, i;
	FILE *stream = open_memstream(&buf, &size);

	for (i = 1; i <= 70000; i++)
		fprintf(stream, "%zx000-%zx000 rw-p 00000000 00:00 0\n", 2 * i,
			2 * i + 1);
	fclose(stream);
	stream = fmemopen(buf, size, "r");
	assert_int_equal(maps_parse(stream, &maps, &line), 0);
	assert_int_equal(maps.nr, 70000);
	assert_ptr_equal(maps_at(&maps, 140000 * 0x1000ULL), &maps.map[69999]);
	fclose(stream);
	free(buf);
	maps_free(&maps);
}

static void garbage(void **state)
{
	static const char *const lines[] = {
		"garbage\n", "2000-1000 r--p 0 0:0 0\n",
		"1000-1000 r--p 0 0:0 0\n", "1000-2000 r-- 0 0:0 0\n",
		"1000-2000 r--p 0 0:0\n", "\n",
	};
	size_t i, line;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		FILE *stream = fmemopen((void *)lines[i], strlen(lines[i]),
					"r");
		struct maps maps = { 0 };

		assert_int_equal(maps_parse(stream, &maps, &line), -EINVAL);
		assert_int_equal(line, 1);
		fclose(stream);
		maps_free(&maps);
	}
}

/* What people type, and how many mappings they get. */
static void typed_names(void **state)
{
	static const char text[] =
		"1000-2000 rw-p 00000000 00:00 0 \n"
		"2000-3000 rw-s 00000000 00:0d 1 anon_inode:[io_uring]\n"
		"3000-4000 rw-s 00000000 00:0d 1 anon_inode:dmabuf\n"
		"4000-5000 rw-s 00000000 00:0d 2 /dmabuf:one\n"
		"5000-6000 rw-s 00000000 00:0d 3 /dmabuf:two\n"
		"6000-7000 rw-s 00000000 00:0d 4 /memfd:blob (deleted)\n"
		"7000-8000 rw-p 00000000 00:00 0 [anon:glibc]\n"
		"8000-9000 rw-p 00000000 00:00 0 [heap]\n"
		"a000-b000 r-xp 00000000 08:01 9 /usr/lib/libc.so.6\n"
		"c000-d000 r-xp 00000000 08:01 8 /usr/lib/libc-data\n"
		"e000-f000 r-xp 00000000 08:01 7 /usr/lib/libm.so.6\n"
		"10000-11000 rw-s 00000000 00:01 0 /SYSV00000000 (deleted)\n"
		"11000-12000 rw-s 00000000 00:01 1 /SYSV0052e2c1 (deleted)\n"
		"12000-13000 rw-s 00000000 00:06 3 /dev/nvidia0\n"
		"13000-14000 rw-s 00000000 00:06 4 /dev/nvidia12\n"
		"14000-15000 rw-s 00000000 00:06 5 /dev/nvidiactl\n"
		"15000-16000 rw-s 00000000 00:0d 6 anon_inode:kvm-vcpu:0\n"
		"16000-17000 rw-s 00000000 00:20 7 /dev/hugepages/rtemap_7\n"
		"17000-18000 r-xp 00000000 08:01 7 /opt/tool10\n"
		/* Not what is meant with a kind, of which they have the name. */
		"20000-21000 r-xp 00000000 08:01 6 /usr/lib/memfd-shim.so\n"
		"21000-22000 r-xp 00000000 08:01 5 /usr/lib/anon.so.1\n";
	static const struct {
		const char *arg;
		size_t ranges;
		uint64_t first;
	} cases[] = {
		{ "dmabuf", 1, 0x3000 }, { "dmabuf:one", 1, 0x4000 }, { "one", 1, 0x4000 },
		{ "io_uring", 1, 0x2000 }, { "memfd", 1, 0x6000 }, { "blob", 1, 0x6000 },
		{ "glibc", 1, 0x7000 }, { "anon", 2, 0x1000 }, { "anonymous", 1, 0x1000 },
		{ "anon_inode", 3, 0x2000 }, { "heap", 1, 0x8000 }, { "5008", 1, 0x5000 },
		{ "0x8fff", 1, 0x8000 }, { "9000", 0, 0 }, { "dma", 0, 0 }, { "", 0, 0 },
		{ "libm", 1, 0xe000 }, { "libm.so", 1, 0xe000 }, { "lib/libm.so.6", 1, 0xe000 },
		{ "ib/libm.so.6", 0, 0 }, { "lib", 0, 0 }, { "libc", 0, 0 }, { "[anon]", 1, 0x1000 },
		{ "memfd-shim", 1, 0x20000 }, { "anon.so", 1, 0x21000 },
		{ "SYSV", 2, 0x10000 }, { "sysv", 2, 0x10000 }, { "sysv0052e2c1", 1, 0x11000 },
		{ "SYSV0052e2c1", 1, 0x11000 }, { "SYS", 0, 0 }, { "SYSV0052e2", 0, 0 },
		{ "nvidia", 2, 0x12000 }, { "nvidia1", 0, 0 }, { "nvidia0", 1, 0x12000 },
		{ "kvm-vcpu", 1, 0x15000 }, { "kvm-vcpu:0", 1, 0x15000 }, { "vcpu", 0, 0 },
		{ "rtemap", 1, 0x16000 }, { "tool", 1, 0x17000 }, { "tool1", 0, 0 },
		{ "MEMFD", 1, 0x6000 }, { "ANON", 2, 0x1000 }, { "[Anon]", 1, 0x1000 },
		{ "Anonymous", 1, 0x1000 },
		{ "Heap", 1, 0x8000 }, { "[HEAP]", 1, 0x8000 }, { "HEAP+10", 1, 0x8000 },
		{ "LibM", 1, 0xe000 }, { "LIBM.SO.6", 1, 0xe000 }, { "BLOB", 1, 0x6000 },
		{ "GLibC", 1, 0x7000 }, { "NVIDIA0", 1, 0x12000 }, { "LIBC", 0, 0 },
		{ "LIB", 0, 0 }, { "HEA", 0, 0 }, { "[HEAP", 0, 0 },
		{ "heap+10", 1, 0x8000 }, { "libm+fff", 1, 0xe000 }, { "nvidia+8", 1, 0x12000 },
		{ "heap+1000", 0, 0 }, { "heap+x", 0, 0 }, { "haep+0", 0, 0 },
	};
	FILE *stream = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct maps maps = { 0 };
	uint64_t first;

	assert_int_equal(maps_parse(stream, &maps, NULL), 0);
	fclose(stream);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ranges r = { 0 };
		const char *why = maps_ranges(&maps, cases[i].arg, &r);

		if (r.nr != cases[i].ranges || !why != !!r.nr ||
		    (r.nr && r.range[0].start != cases[i].first))
			fail_msg("'%s': %zu ranges, %s", cases[i].arg, r.nr, why ? why : "fine");
		ranges_free(&r);
	}
	assert_null(maps_address(&maps, "memfd", &first));
	assert_int_equal(first, 0x6000);
	assert_null(maps_address(&maps, "nvidia+fff", &first));
	assert_int_equal(first, 0x12fff);
	assert_null(maps_address(&maps, "anon+10", &first));
	assert_int_equal(first, 0x1010);
	assert_string_equal(maps_address(&maps, "nvidia+2000", &first),
			    "no mapping of that name at that offset");
	assert_null(maps_address(&maps, "[anon]", &first));
	assert_int_equal(first, 0x1000);
	assert_null(maps_address(&maps, "anon", &first));
	assert_int_equal(first, 0x1000);
	assert_non_null(maps_address(&maps, "sock", &first));
	assert_string_equal(maps_nearest(&maps, "haep"), "[heap]");
	assert_string_equal(maps_nearest(&maps, "[hep]"), "[heap]");
	assert_null(maps_nearest(&maps, "nosuch"));
	maps_free(&maps);
}

/* What may be a file or a kind of files, of which none is rather meant. */
static void several_names(void **state)
{
	static const char why[] = "mappings of several files of that name, give the path";
	struct maps maps = parsed("1000-2000 r--p 00000000 08:01 1 /x/data.db\n"
				  "2000-3000 r--p 00000000 08:01 2 /x/data1\n"
				  "3000-4000 r--p 00000000 08:01 3 /a/log\n"
				  "4000-5000 r--p 00000000 08:01 4 /b/log\n"
				  "5000-6000 r--p 00000000 08:01 5 /x/log1\n"
				  "6000-7000 r--p 00000000 08:01 6 /a/disk\n"
				  "7000-8000 r--p 00000000 08:01 7 /x/disk1\n"
				  "8000-9000 r--p 00000000 08:01 8 /x/Heap\n"
				  "9000-a000 rw-p 00000000 00:00 0 [heap]\n");
	struct ranges ranges = { 0 };
	uint64_t addr;

	assert_string_equal(maps_ranges(&maps, "data", &ranges), why);
	assert_string_equal(maps_ranges(&maps, "data+1", &ranges), why);
	assert_string_equal(maps_ranges(&maps, "log", &ranges), why);
	assert_string_equal(maps_ranges(&maps, "Log", &ranges), why);
	assert_string_equal(maps_address(&maps, "data", &addr), why);
	assert_string_equal(maps_address(&maps, "log+1", &addr), why);
	assert_int_equal(ranges.nr, 0);
	/* A whole name is. */
	assert_null(maps_ranges(&maps, "disk", &ranges));
	assert_int_equal(ranges.nr, 1);
	assert_int_equal(ranges.range[0].start, 0x6000);
	/* A name in these very letters, too. */
	assert_null(maps_address(&maps, "heap", &addr));
	assert_int_equal(addr, 0x9000);
	assert_null(maps_address(&maps, "Heap", &addr));
	assert_int_equal(addr, 0x8000);
	assert_string_equal(maps_address(&maps, "HEAP", &addr), why);
	ranges_free(&ranges);
	maps_free(&maps);
}

/* What is written wrong is no lack of the process. */
static void mistakes(void **state)
{
	static const struct {
		char *arg;
		bool usage;
		const char *text;
	} cases[] = {
		{ "heap+xyz", true, "range 'heap+xyz': not a hexadecimal number" },
		{ "heap+", true, "range 'heap+': empty" },
		{ "2000-1000", true, "range '2000-1000': ends before it starts" },
		{ "haep+xyz", false, "'haep+xyz': process 5 has no mapping of that name" },
		{ "heap+21000", false, "process 5 has no mapping of that name at that offset" },
		{ "heap+ffffffffffffffff", false, "process 5 has no mapping of that name at" },
		{ "1000", false, "range '1000': process 5 has no mapping there" },
	};
	const struct subject subject = { .pid = 5 };
	struct maps maps = parsed(text);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ranges ranges = { 0 };
		char *arg = cases[i].arg;
		int err = subject_ranges(&subject, &maps, &arg, 1, &ranges);

		if (err >= 0 || error_is_usage(err) != cases[i].usage ||
		    !strstr(error_text(), cases[i].text))
			fail_msg("'%s': %d, %s", arg, err, error_text());
		ranges_free(&ranges);
	}
	maps_free(&maps);
}

/* What no process has, and what looks so. */
static void refused(void **state)
{
	static const struct {
		const char *machine;
		bool five;
		uint64_t addr;
		const char *why;
	} cases[] = {
		{ "x86_64", false, 0xffffffff81000000, "kernel" },
		{ "x86_64", false, 0xffff888000000000, "kernel" },
		{ "x86_64", false, 0x00007ffffffff000, NULL },
		{ "x86_64", false, 0x0000800000000000, "canonical" },
		{ "x86_64", true, 0x0000800000000000, NULL },
		{ "x86_64", true, 0x0100000000000000, "canonical" },
		{ "x86_64", false, 0x8000000000000000, "canonical" },
		{ "x86_64", true, 0xff11000000000000, "kernel" },
		{ "x86_64", false, 0x7e007f0000001000, NULL },	/* a tag */
		{ "x86_64", false, 0x1000, NULL }, { "x86_64", false, 0, NULL },
		{ "aarch64", false, 0xffff800080000000, "kernel" },
		{ "aarch64", false, 0xff00ffff80000000, NULL },	/* a tag */
		{ "aarch64", false, 0x0080000000000000, "kernel" },
		{ "riscv64", false, 0xffffffff80000000, "kernel" },
		{ "ppc64le", false, 0xc000000000000000, "kernel" },
		{ "s390x", false, 0xffffffffffff0000, NULL },
		{ "i686", false, 0xc0000000, NULL }, { "armv7l", false, 0xffff0000, NULL },
		{ "i686", false, 0x100000000, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = address_refused(cases[i].machine, cases[i].five,
						  cases[i].addr);

		if (!why != !cases[i].why || (why && !strstr(why, cases[i].why)))
			fail_msg("%s %llx: %s", cases[i].machine,
				 (unsigned long long)cases[i].addr, why ? why : "it can");
	}
	assert_int_equal(address_untagged("aarch64", 0xb400ffff8a001000), 0xffff8a001000);
	assert_int_equal(address_untagged("aarch64", 0xffff800080000000), 0xffff800080000000);
	assert_int_equal(address_untagged("x86_64", 0xb400ffff8a001000), 0xb400ffff8a001000);
}

SUITE(suite_maps, cmocka_unit_test(refused), cmocka_unit_test(typed_names),
      cmocka_unit_test(several_names), cmocka_unit_test(mistakes),
      cmocka_unit_test(fields), cmocka_unit_test(lookups),
      cmocka_unit_test(behind_files),
      cmocka_unit_test(addresses), cmocka_unit_test(range_names),
      cmocka_unit_test(odd_names), cmocka_unit_test(escapes),
      cmocka_unit_test(merged),
      cmocka_unit_test(nothing), cmocka_unit_test(many),
      cmocka_unit_test(garbage));
