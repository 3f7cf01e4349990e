// SPDX-License-Identifier: GPL-2.0
/* Queries of a made-up PROCMAP_QUERY that has a bug, which must be told. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "proc/procmap_query.h"
#include "tests.h"

/* struct procmap_query */
struct query {
	uint64_t size, flags, addr, start, end, perms, page_size, offset, inode;
	uint32_t major, minor, name_size, build_size;
	uint64_t name, build;
};

enum bug {
	NONE,
	WRITES_BEHIND,		/* a short struct */
	WRITES_PAST_THE_NAME,
	REFUSES_LONGER,
	TAKES_FLAGS, TAKES_SHORT, TAKES_HUGE, TAKES_MORE,
	TAKES_NO_NAME, TAKES_NO_NAME_SIZE, TAKES_NO_BUILD, TAKES_NO_BUILD_SIZE,
	NR_BUGS,
};

static enum bug bug;

static const struct mapping {
	uint64_t start, end, perms, inode;
	const char *name;
} mappings[] = {
	{ 0, 0x1000, 3, 0, "" },
	{ 0x1000, 0x3000, 1, 0, "" },
	{ 0x5000, 0x6000, 3, 7, "/a/file" },
	{ 0x6000, 0x9000, 0, 0, "[anon:x]" },
};

static char longest[5000];

static const struct mapping odd[] = {
	{ 0xa000, 0xb000, 0, 7, "/a\nb" },
	{ 0xb000, 0xc000, 0, 7, longest },
};

#define NR_MAPPINGS	(sizeof(mappings) / sizeof(mappings[0]))
#define SPACE		0x100000

/* Where something of ours is asked about, that there is. */
static const struct mapping ours = { SPACE, -1ULL, 3, 0, "" };

static const struct mapping *find(uint64_t addr, uint64_t flags)
{
	const uint64_t perms = flags & 15;

	if (addr >= SPACE)
		return &ours;
	for (size_t i = 0; i < 2; i++)
		if (!(flags & 16) && addr >= odd[i].start && addr < odd[i].end)
			return &odd[i];
	for (size_t i = 0; i < NR_MAPPINGS; i++) {
		const struct mapping *m = &mappings[i];
		bool wanted = (m->perms & perms) == perms && (!(flags & 32) || m->inode);

		if (addr >= m->end)
			continue;
		if (wanted && (flags & 16 || addr >= m->start))
			return m;
		if (!(flags & 16))
			return NULL;
	}
	return NULL;
}

static bool has_more(const void *asked, uint64_t size)
{
	const char *bytes = asked;

	for (size_t i = sizeof(struct query); i < size; i++)
		if (bytes[i])
			return true;
	return false;
}

/* What it is refused with, of what its first fields are @arg. */
static int error_of(const void *asked, const struct query *arg)
{
	const bool name = arg->name_size, build = arg->build_size;

	if (arg->size > 0x1000)
		return bug == TAKES_HUGE ? 0 : E2BIG;
	if (arg->size < offsetof(struct query, start))
		return bug == TAKES_SHORT ? 0 : EINVAL;
	if (arg->size > sizeof(*arg) &&
	    (bug == REFUSES_LONGER || (bug != TAKES_MORE && has_more(asked, arg->size))))
		return E2BIG;
	if (arg->flags & ~63ULL)
		return bug == TAKES_FLAGS ? 0 : EINVAL;
	if (name != !!arg->name)
		return bug == (name ? TAKES_NO_NAME : TAKES_NO_NAME_SIZE) ? 0 : EINVAL;
	if (build != !!arg->build)
		return bug == (build ? TAKES_NO_BUILD : TAKES_NO_BUILD_SIZE) ? 0 : EINVAL;
	return 0;
}

static int tell_name(const struct mapping *m, struct query *arg)
{
	const uint32_t size = *m->name ? strlen(m->name) + 1 : 0;
	char *name = (char *)(uintptr_t)arg->name;

	if (!name || !arg->name_size)
		return 0;
	if (size > arg->name_size)
		return ENAMETOOLONG;
	if (size && bug == WRITES_PAST_THE_NAME)
		memset(name, 0, arg->name_size);
	memcpy(name, m->name, size);
	arg->name_size = size;
	return 0;
}

static int fake_query(unsigned long request, void *asked)
{
	const uint64_t told = *(uint64_t *)asked;
	const size_t size = told < sizeof(struct query) ? told : sizeof(struct query);
	const struct mapping *m;
	struct query arg = { 0 };

	memcpy(&arg, asked, size);
	errno = error_of(asked, &arg);
	m = find(arg.addr, arg.flags);
	if (!errno)
		errno = m ? tell_name(m, &arg) : ENOENT;
	if (errno)
		return -1;
	arg.start = m->start;
	arg.end = m->end;
	arg.perms = m->perms;
	arg.page_size = 4096;
	arg.inode = m->inode;
	memcpy(asked, &arg, bug == WRITES_BEHIND ? sizeof(arg) : size);
	return 0;
}

/* What it tells of the made-up process; the caller frees it. */
static char *lines_drawn(enum bug present, const struct procmap_draw *draw)
{
	size_t size = 0;
	char *text = NULL;
	FILE *stream;
	int err;

	bug = present;
	test_ioctl = fake_query;
	stream = procmap_query_fopen(getpid(), draw, &err);
	test_ioctl = NULL;
	assert_non_null(stream);
	assert_true(getdelim(&text, &size, '\0', stream) > 0);
	fclose(stream);
	return text;
}

static char *lines(enum bug present)
{
	return lines_drawn(present, NULL);
}

static const char right[] =
	"0-1000 rw-p 0 0:0 0 \nKernelPageSize: 4 kB\n"
	"1000-3000 r--p 0 0:0 0 \nKernelPageSize: 4 kB\n"
	"5000-6000 rw-p 0 0:0 7 /a/file\nKernelPageSize: 4 kB\n"
	"6000-9000 ---p 0 0:0 0 [anon:x]\nKernelPageSize: 4 kB\n";

static void tells_others(void **state)
{
	char *text = lines(NONE);

	assert_string_equal(text, right);
	free(text);
	for (enum bug present = NONE + 1; present < NR_BUGS; present++) {
		text = lines(present);
		if (!strcmp(text, right))
			fail_msg("bug %d isn't told", present);
		free(text);
	}
}

/* How many of so many seeds tell one that a short struct shows, each the same twice. */
static int tell(uint64_t queries, int seeds)
{
	struct procmap_draw draw = { .queries = queries, .mappings = NR_MAPPINGS };
	char *text, *again;
	int telling = 0;

	for (draw.seed = 0; draw.seed < (uint64_t)seeds; draw.seed++) {
		text = lines_drawn(WRITES_BEHIND, &draw);
		again = lines_drawn(WRITES_BEHIND, &draw);
		assert_string_equal(text, again);
		telling += strcmp(text, right) != 0;
		free(text);
		free(again);
	}
	return telling;
}

/* Of one query in nine of each mapping, one or more in 38 of 100 is of that kind. */
static void draws(void **state)
{
	assert_int_equal(tell(0, 100), 0);
	assert_in_range(tell(NR_MAPPINGS, 100), 25, 50);
	assert_int_equal(tell(9 * NR_MAPPINGS, 100), 100);
}

static int no_query(unsigned long request, void *asked)
{
	errno = ENOTTY;
	return -1;
}

static void expect_name(uint64_t addr, const char *expected, int wanted)
{
	int err;
	char *name = procmap_query_name(getpid(), addr, &err);

	assert_int_equal(err, wanted);
	assert_int_equal(!name, !expected);
	if (name)
		assert_string_equal(name, expected);
	free(name);
}

/* Of the mapping at an address, as maps has it; or why it isn't told. */
static void names(void **state)
{
	memset(longest, 'x', sizeof(longest) - 1);
	bug = NONE;
	test_ioctl = fake_query;
	expect_name(0xfff, "", 0);
	expect_name(0x5000, "/a/file", 0);
	expect_name(0x8fff, "[anon:x]", 0);
	expect_name(0xa123, "/a\\012b", 0);
	expect_name(0x3000, NULL, -ENOENT);
	expect_name(0xb000, NULL, -ENAMETOOLONG);
	test_ioctl = no_query;
	expect_name(0x5000, NULL, -ENOTTY);
	test_ioctl = NULL;
}

SUITE(suite_procmap_query, cmocka_unit_test(tells_others), cmocka_unit_test(draws),
      cmocka_unit_test(names));
