// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include "maps.h"
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
			    "ends behind the last address");
	assert_int_equal(addr, 0x1234);
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
	assert_null(maps_ranges(&maps, "1000+1000", &ranges));
	assert_int_equal(ranges.nr, 3);
	assert_string_equal(maps_ranges(&maps, "[stack]", &ranges),
			    "no mapping of that name");
	assert_string_equal(maps_ranges(&maps, "2000-1000", &ranges),
			    "ends before it starts");
	assert_int_equal(ranges.nr, 3);
	ranges_free(&ranges);
	maps_free(&maps);
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

SUITE(suite_maps,
      cmocka_unit_test(fields), cmocka_unit_test(lookups),
      cmocka_unit_test(addresses), cmocka_unit_test(range_names),
      cmocka_unit_test(nothing), cmocka_unit_test(many),
      cmocka_unit_test(garbage));
