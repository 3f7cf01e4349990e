// SPDX-License-Identifier: GPL-2.0
/* Frames, each counted once, and the processes of control groups. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "proc/cgroups.h"
#include "proc/swapped.h"
#include "rmap/distinct.h"
#include "tests.h"

static void once(void **state)
{
	struct distinct a = { 0 }, b = { 0 };

	assert_int_equal(distinct_count(&a), 0);
	/* The same memory three times, in other pieces each time. */
	distinct_add(&a, 100, 50);
	distinct_add(&a, 120, 10);
	distinct_add(&a, 90, 20);
	distinct_add(&a, 150, 1);
	distinct_add(&a, 200, 3);
	assert_int_equal(distinct_count(&a), 61 + 3);
	assert_int_equal(a.nr, 2);
	assert_int_equal(a.piece[0].pfn, 90);
	assert_int_equal(distinct_count(&a), 64);
	distinct_add(&b, 202, 2);
	assert_int_equal(distinct_add_all(&b, &a), 0);
	assert_int_equal(distinct_count(&b), 65);
	distinct_free(&a);
	distinct_free(&b);
}

/* What is mapped by very many takes no more room for that. */
static void bounded(void **state)
{
	struct distinct set = { 0 };

	for (unsigned int process = 0; process < 50; process++)
		for (uint64_t pfn = 0; pfn < 20000; pfn += 2)
			assert_int_equal(distinct_add(&set, pfn, 1), 0);
	assert_true(set.max < 4 * 65536);
	assert_int_equal(distinct_count(&set), 10000);
	distinct_free(&set);
}

/* Lines of /proc/PID/cgroup, of either version. */
static void group_lines(void **state)
{
	static const struct {
		const char *line, *path;
		int version;
	} cases[] = {
		{ "0::/g2", "/g2", 2 },
		{ "0::/a:b/c", "/a:b/c", 2 },
		{ "4:memory:/g1", "/g1", 1 },
		{ "12:cpu,memory:/g1", "/g1", 1 },
		{ "3:cpu,cpuacct:/g1", NULL, 0 },
		{ "1:name=systemd:/g1", NULL, 0 },
		{ "/g2", NULL, 0 },
		{ "g2", NULL, 0 },
		{ "0:/g2", NULL, 0 },
	};
	const char *path;
	int version;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		path = cgroup_line_path(cases[i].line, &version);
		if (!cases[i].path) {
			assert_null(path);
			continue;
		}
		assert_non_null(path);
		assert_string_equal(path, cases[i].path);
		assert_int_equal(version, cases[i].version);
	}
}

static void members(void **state)
{
	char dir[] = "/tmp/ptwalk-XXXXXX", below[64], found[256], command[96];
	struct pids pids = { 0 };
	uint64_t hidden;
	int here;

	assert_non_null(mkdtemp(dir));
	snprintf(below, sizeof(below), "%s/below", dir);
	assert_int_equal(cgroup_find(dir, found, sizeof(found)), -ENOENT);
	assert_int_equal(mkdir(below, 0700), 0);
	test_put(dir, "cgroup.procs", "12\n0\n7\n");
	test_put(below, "cgroup.procs", "9\n12\n0\n");
	test_put(below, "memory.current", "4096\n");
	assert_int_equal(cgroup_find(dir, found, sizeof(found)), 0);
	assert_string_equal(found, dir);
	/* From where one stands, and not the root of cgroupfs. */
	here = open(".", O_PATH | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(cgroup_find(".", found, sizeof(found)), 0);
	assert_string_equal(found, ".");
	assert_int_equal(cgroup_find("below", found, sizeof(found)), 0);
	assert_string_equal(found, "below");
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_int_equal(cgroup_pids(dir, &pids, &hidden), 0);
	assert_int_equal(pids.nr, 3);
	assert_int_equal(hidden, 2);
	assert_int_equal(pids.pid[2], 9);
	assert_int_equal(cgroup_charge(below), 4096);
	assert_int_equal(cgroup_charge(dir), -1);
	pids_free(&pids);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Which files are asked what they have in swap. */
static void files(void **state)
{
	const long page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("test", MFD_CLOEXEC), other = open("/proc/self/exe", O_RDONLY);
	struct swapped s = { 0 };
	uint64_t start;
	char *at;

	assert_int_equal(ftruncate(fd, 3 * page), 0);
	at = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	start = (uintptr_t)at;
	at[page] = 1;
	if (!swapped_open(&s, getpid(), start, start + 3 * page - 1, 0))
		skip();	/* map_files is for the privileged */
	/* A hole, a page, a hole: of none is there anything in swap. */
	assert_int_equal(swapped_pages(&s, start, 3 * page), 0);
	assert_int_equal(swapped_pages(&s, start + page, page), 0);
	munmap(at, 3 * page);
	/* No file but of a tmpfs is opened. */
	at = mmap(NULL, page, PROT_READ, MAP_PRIVATE, other, 0);
	start = (uintptr_t)at;
	assert_false(swapped_open(&s, getpid(), start, start + page - 1, 0));
	assert_int_equal(swapped_pages(&s, start, page), 0);
	munmap(at, page);
	swapped_close(&s);
	close(fd);
	close(other);
}

SUITE(suite_distinct,
      cmocka_unit_test(once), cmocka_unit_test(bounded), cmocka_unit_test(group_lines),
      cmocka_unit_test(members), cmocka_unit_test(files),
);
