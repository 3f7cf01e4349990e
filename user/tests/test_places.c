// SPDX-License-Identifier: GPL-2.0
/* What physical addresses are, and what --map takes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>
#include "proc/iomem.h"
#include "proc/lockdown.h"
#include "proc/numa_nodes.h"
#include "proc/pci_bars.h"
#include "proc/places.h"
#include "proc/selfmap.h"
#include "proc/zones.h"
#include "tests.h"

static void resources(void **state)
{
	static const char text[] =
		"00000000-00000fff : Reserved\n"
		"00001000-3ffdffff : System RAM\n"
		"  01000000-01dfffff : Kernel code\n"
		"c0000000-febfffff : PCI Bus 0000:00\n"
		"  fd000000-fdffffff : 0000:00:02.0\n"
		"    fd000000-fd0fffff : a : b\n"
		"100000000-fffffffffffffffff : too long\n";
	const struct iomem_resource *chain[IOMEM_DEPTH];
	struct iomem iomem = { 0 };
	FILE *stream = test_stream(text);

	assert_int_equal(iomem_parse(stream, &iomem), -EINVAL);
	fclose(stream);
	assert_int_equal(iomem.nr, 6);

	assert_int_equal(iomem_at(&iomem, 0x1000000, chain), 2);
	assert_string_equal(chain[0]->name, "System RAM");
	assert_string_equal(chain[1]->name, "Kernel code");
	/* Freed by the kernel: another's now. */
	assert_int_equal(iomem_in_use(chain, 2), 1);
	assert_int_equal(iomem_in_use(chain, 1), 1);
	assert_int_equal(iomem_at(&iomem, 0x1e00000, chain), 1);
	assert_int_equal(iomem_at(&iomem, 0xfd000000, chain), 3);
	assert_string_equal(chain[2]->name, "a : b");
	assert_int_equal(iomem_in_use(chain, 3), 3);
	assert_int_equal(iomem_at(&iomem, 0xfd100000, chain), 2);
	assert_int_equal(iomem_at(&iomem, 0x3ffe0000, chain), 0);
	assert_int_equal(iomem_at(&iomem, 0xfff, chain), 1);
	iomem_free(&iomem);
}

static void zones_of_nodes(void **state)
{
	static const char text[] =
		"Node 0, zone      DMA\n"
		"  per-node stats\n"
		"      nr_zone_spanned 77\n"
		"        spanned  4095\n"
		"        present  3998\n"
		"  start_pfn:           1\n"
		"Node 0, zone  Movable\n"
		"        spanned  0\n"
		"  start_pfn:           0\n"
		"Node 12, zone   Normal\n"
		"        spanned  16\n"
		"  start_pfn:           1048576\n"
		"Node 13, zone   Normal\n"
		"        spanned  2\n"
		"  start_pfn:           99999999999999999999\n";
	struct zones zones = { 0 };
	FILE *stream = test_stream(text);

	assert_int_equal(zones_parse(stream, &zones), -EINVAL);
	fclose(stream);
	assert_int_equal(zones.nr, 2);
	assert_int_equal(zones.zone[0].start, 1);
	assert_int_equal(zones.zone[0].last, 4095);
	assert_int_equal(zones.zone[0].node, 0);
	assert_string_equal(zones.zone[0].name, "DMA");
	assert_int_equal(zones.zone[1].start, 1048576);
	assert_int_equal(zones.zone[1].last, 1048591);
	assert_int_equal(zones.zone[1].node, 12);
	assert_string_equal(zones.zone[1].name, "Normal");
	zones_free(&zones);
}

/* In words, with what is odd in a name escaped. */
static void in_words(void **state)
{
	static const char text[] = "fd000000-fdffffff : a\tb\n"
				   "  fd000000-fd0fffff : c\n"
				   "fe000000-fe0fffff : System RAM\n";
	/* Each beside another one, so that none is taken for the one before. */
	static const struct {
		uint64_t addr;
		const char *words;
	} cases[] = {
		{ 0xfd000000, "a\\011b / c" }, { 0xfcffffff, "in no resource of /proc/iomem" },
		{ 0xfd0fffff, "a\\011b / c" }, { 0xfd100000, "a\\011b" },
		{ 0xfdffffff, "a\\011b" }, { 0xfe000000, "System RAM, node 0" },
		{ 0xfe0fffff, "System RAM, node 0" }, { 0xfe100000, "in no resource of /proc/iomem" },
		{ UINT64_MAX, "in no resource of /proc/iomem" },
		{ 0, "in no resource of /proc/iomem" }, { 0xfd080000, "a\\011b / c" },
	};
	struct places places = { 0 };
	FILE *stream = test_stream(text);
	const char *words;
	size_t len;

	assert_int_equal(iomem_parse(stream, &places.iomem), 0);
	fclose(stream);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		words = places_text(&places, cases[i].addr, 0, NULL, &len);
		assert_int_equal(len, strlen(cases[i].words));
		assert_memory_equal(words, cases[i].words, len);
	}
	places_free(&places);
}

static void bars(void **state)
{
	static const char bridge[] =
		"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		"0x00000000fd000000 0x00000000fdffffff 0x0000000000040200\n";
	static const char device[] =
		"0x00000000fd000000 0x00000000fd0fffff 0x0000000000042208\n"
		"0x000000000000c000 0x000000000000c01f 0x0000000000040101\n"
		"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		"0x00000000fe000000 0x00000000fe00ffff 0x0000000000046200\n";
	struct pcibars found = { 0 };
	char buf[PCIBAR_TEXT];
	FILE *stream;

	stream = test_stream(bridge);
	assert_int_equal(pcibars_parse(stream, "0000:00:01.0", &found), 0);
	fclose(stream);
	stream = test_stream(device);
	assert_int_equal(pcibars_parse(stream, "0000:01:00.0", &found), 0);
	fclose(stream);

	assert_int_equal(found.nr, 3);
	assert_string_equal(pcibars_at(&found, 0xfd0fffff)->device,
			    "0000:01:00.0");
	assert_string_equal(pcibars_at(&found, 0xfd100000)->device,
			    "0000:00:01.0");
	assert_string_equal(pcibar_text(pcibars_at(&found, 0xfe000000), buf),
			    "ROM");
	assert_string_equal(pcibar_text(pcibars_at(&found, 0xfd000000), buf),
			    "BAR 0");
	/* I/O ports are no memory. */
	assert_null(pcibars_at(&found, 0xc000));
	pcibars_free(&found);
}

static void map_arguments(void **state)
{
	static const struct {
		const char *spec, *file;
		uint64_t offset, length;
		enum selfmap_way way;
	} good[] = {
		{ "/dev/x", "/dev/x", 0, 0 },
		{ "/dev/x:ro", "/dev/x", 0, 0, SELFMAP_RO },
		{ "/dev/x:4096:wo", "/dev/x", 4096, 0, SELFMAP_WO },
		{ "/dev/x:0:12:private", "/dev/x", 0, 12, SELFMAP_PRIVATE },
		{ "/dev/x:private:ro", "/dev/x:private", 0, 0, SELFMAP_RO },
		{ "/dev/x:rw", "/dev/x:rw", 0, 0 },
		{ "/dev/x:65536", "/dev/x", 65536, 0 },
		{ "/dev/x:0x10000:0x2001", "/dev/x", 65536, 0x2001 },
		{ "/dev/x:0:12", "/dev/x", 0, 12 },
		{ "a:b:c", "a:b:c", 0, 0 },
		{ "/dev/x:0x", "/dev/x:0x", 0, 0 },
		{ "/dev/x:-1", "/dev/x:-1", 0, 0 },
	};
	static const char * const bad[] = {
		"", "/dev/x:1", "/dev/x:0:0", "/dev/x:0xffffffffffff0000",
		"/dev/null:rw",
	};
	struct selfmap map;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_null(selfmap_parse(good[i].spec, &map));
		assert_string_equal(map.file, good[i].file);
		assert_true(map.offset == good[i].offset);
		assert_true(map.length == good[i].length);
		assert_int_equal(map.way, good[i].way);
		selfmap_close(&map);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_non_null(selfmap_parse(bad[i], &map));
		selfmap_close(&map);
	}
}

static void mapping(void **state)
{
	char name[] = "/tmp/ptwalk:1:XXXXXX", spec[64];
	const long page = sysconf(_SC_PAGESIZE);
	int fd = mkstemp(name);
	struct selfmap map;
	uint64_t addr;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100000), 0);
	close(fd);
	snprintf(spec, sizeof(spec), "%s:65536", name);
	assert_null(selfmap_parse(spec, &map));
	assert_false(selfmap_address(&map, name, &addr));
	assert_int_equal(selfmap_open(&map), 0);
	assert_int_equal(map.length, (100000 - 65536 + page - 1) / page * page);
	assert_int_equal(selfmap_touch(&map), 0);
	assert_true(selfmap_address(&map, name, &addr));
	assert_true(addr == (uintptr_t)map.addr);
	snprintf(spec, sizeof(spec), "%s+1f", name);
	assert_true(selfmap_address(&map, spec, &addr));
	assert_true(addr == (uintptr_t)map.addr + 0x1f);
	snprintf(spec, sizeof(spec), "%sx", name);
	assert_false(selfmap_address(&map, spec, &addr));
	unlink(name);
	selfmap_close(&map);
}

/* What is there of @map, as /proc/self/maps has it. */
static void rights_of(const struct selfmap *map, char rights[5])
{
	char line[512], wanted[32];
	FILE *maps = fopen("/proc/self/maps", "r");

	snprintf(wanted, sizeof(wanted), "%08lx-", (unsigned long)map->addr);
	*rights = '\0';
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (!strncmp(line, wanted, strlen(wanted)))
			snprintf(rights, 5, "%s", strchr(line, ' ') + 1);
	fclose(maps);
}

static void ways(void **state)
{
	static const struct {
		const char *word, *rights;
	} ways[] = {
		{ "", "rw-s" }, { ":ro", "r--s" }, { ":wo", "-w-s" }, { ":private", "rw-p" },
	};
	char name[] = "/tmp/ptwalk-XXXXXX", spec[64], rights[5];
	int fd = mkstemp(name);
	struct selfmap map;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100000), 0);
	close(fd);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(spec, sizeof(spec), "%s%s", name, ways[i].word);
		assert_null(selfmap_parse(spec, &map));
		assert_int_equal(selfmap_open(&map), 0);
		rights_of(&map, rights);
		assert_string_equal(rights, ways[i].rights);
		selfmap_close(&map);
	}
	unlink(name);
}

static void remove_all(const char *top)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
}

static void lockdown(void **state)
{
	static const char *const texts[][2] = {
		{ "none [integrity] confidentiality\n", "integrity" },
		{ "[none] integrity confidentiality\n", "none" },
		{ "none integrity [confidentiality]\n", "confidentiality" },
		{ "", "" }, { "none integrity", "" }, { "[integrity", "" },
		{ "[a word that is longer than any mode]", "" },
	};
	char mode[LOCKDOWN_MODE];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(lockdown_parse(texts[i][0], mode), texts[i][1]);
}

static void numa_nodes(void **state)
{
	char top[] = "/tmp/ptwalk-nodes-XXXXXX";
	struct nodes nodes;

	assert_non_null(mkdtemp(top));
	nodes_read(&nodes, top);
	assert_int_equal(nodes_at(&nodes, 0x1000), -1);
	nodes_free(&nodes);

	/* One node needs no blocks. */
	test_put(top, "node", NULL);
	test_put(top, "node/node3", NULL);
	test_put(top, "node/possible", "0-3");
	nodes_read(&nodes, top);
	assert_int_equal(nodes_at(&nodes, 0x1000), 3);
	nodes_free(&nodes);

	/* Two do. */
	test_put(top, "node/node1", NULL);
	nodes_read(&nodes, top);
	assert_int_equal(nodes_at(&nodes, 0x1000), -1);
	nodes_free(&nodes);
	test_put(top, "memory", NULL);
	test_put(top, "memory/block_size_bytes", "8000000\n");
	test_put(top, "node/node1/memory0", NULL);
	test_put(top, "node/node1/memory12", NULL);
	test_put(top, "node/node3/memory1", NULL);
	test_put(top, "node/node3/memory_side_cache", NULL);
	test_put(top, "node/node1/memory2", NULL);
	test_put(top, "node/node3/memory2", NULL);
	nodes_read(&nodes, top);
	assert_int_equal(nodes_at(&nodes, 0x1000), 1);
	assert_int_equal(nodes_at(&nodes, 0x7ffffff), 1);
	assert_int_equal(nodes_at(&nodes, 0x8000000), 3);
	assert_int_equal(nodes_at(&nodes, 0x10000000), -1);
	assert_int_equal(nodes_at(&nodes, 0x18000000), -1);
	assert_int_equal(nodes_at(&nodes, 0x60000000), 1);
	nodes_free(&nodes);
	remove_all(top);
}

SUITE(suite_places,
	cmocka_unit_test(lockdown), cmocka_unit_test(numa_nodes), cmocka_unit_test(in_words),
      cmocka_unit_test(resources), cmocka_unit_test(zones_of_nodes),
      cmocka_unit_test(bars),
      cmocka_unit_test(map_arguments), cmocka_unit_test(mapping),
      cmocka_unit_test(ways));
