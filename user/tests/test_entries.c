// SPDX-License-Identifier: GPL-2.0
/* Requests to a made-up file of entries that has a bug, which must be noticed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "proc/interfaces.h"
#include "proc/raw_reads.h"
#include "sources/entries.h"
#include "sources/source.h"
#include "tests.h"

#define SHIFT	12
#define LIMIT	(8 * sizeof(long) - SHIFT)	/* bits of a page's number */

enum bug {
	NONE,
	NO_MEMORY,		/* which is none */
	ANSWERS_PARTS,
	REFUSES_EMPTY,
	REFUSES_BEHIND,		/* the end */
	LACKS_THE_LAST,		/* page, in all reads */
	LACKS_THE_LAST_OVER,	/* the end */
	ENDS_A_TABLE_EARLY,	/* over the end */
	NOTHING_OVER,		/* the end */
	TELLS_BEHIND,
	MOVES_BY_WHAT_IS_ASKED,
	STAYS,
};

static bool faked;
static enum bug bug;
static uint64_t end;		/* in pages */

ssize_t __real_raw_pread(int fd, void *buf, size_t size, uint64_t at);
ssize_t __wrap_raw_pread(int fd, void *buf, size_t size, uint64_t at);
ssize_t __real_raw_read(int fd, void *buf, size_t size, uint64_t at, int64_t *moved);
ssize_t __wrap_raw_read(int fd, void *buf, size_t size, uint64_t at, int64_t *moved);
bool __real_raw_maps(uint64_t addr);
bool __wrap_raw_maps(uint64_t addr);

static ssize_t fake_read(size_t size, uint64_t at)
{
	const uint64_t page = at / 8, nr = size / 8;
	uint64_t last = page + nr > end ? end : page + nr;

	if (size % 8 || at % 8)
		return bug == ANSWERS_PARTS ? 8 : -EINVAL;
	if (bug == NO_MEMORY)
		return size ? -ENOMEM : 0;
	if (!size)
		return bug == REFUSES_EMPTY ? -EINVAL : 0;
	if (bug == REFUSES_BEHIND && page >= end)
		return -EINVAL;
	if (bug == LACKS_THE_LAST && last == end)
		last--;
	if (page + nr > end) {
		if (bug == LACKS_THE_LAST_OVER)
			last--;
		else if (bug == ENDS_A_TABLE_EARLY)
			last = (end - 1) & -512ULL;
		else if (bug == NOTHING_OVER)
			last = page;
		else if (bug == TELLS_BEHIND && page < end)
			last = page + nr;
	}
	return last > page ? (last - page) * 8 : 0;
}

ssize_t __wrap_raw_pread(int fd, void *buf, size_t size, uint64_t at)
{
	return faked ? fake_read(size, at) : __real_raw_pread(fd, buf, size, at);
}

ssize_t __wrap_raw_read(int fd, void *buf, size_t size, uint64_t at, int64_t *moved)
{
	ssize_t n;

	if (!faked)
		return __real_raw_read(fd, buf, size, at, moved);
	n = fake_read(size, at);
	*moved = bug == MOVES_BY_WHAT_IS_ASKED ? (ssize_t)size : bug == STAYS ? 0 : n;
	return n;
}

bool __wrap_raw_maps(uint64_t addr)
{
	return faked ? addr >> SHIFT < end : __real_raw_maps(addr);
}

static const char *found(enum bug present)
{
	static struct source_fault fault;

	fault = (struct source_fault){ 0 };
	bug = present;
	faked = true;
	entries_try(-1, 1ULL << LIMIT, SHIFT, &fault);
	faked = false;
	if (*fault.does)
		assert_non_null(fault.must);
	return fault.does;
}

static void finds_all(void)
{
	assert_string_equal(found(NONE), "");
	assert_string_equal(found(NO_MEMORY), "");
	assert_string_equal(found(ANSWERS_PARTS), "a read of half an entry is answered");
	assert_string_equal(found(REFUSES_EMPTY), "a read of no entry is refused");
	assert_true(end >> (LIMIT - 1) ||
		    !strcmp(found(REFUSES_BEHIND), "a read behind the end is refused"));
	assert_string_equal(found(LACKS_THE_LAST),
			    "the end is found before a page that ptwalk may map");
	assert_true(*found(LACKS_THE_LAST_OVER));
	assert_true(*found(ENDS_A_TABLE_EARLY));
	assert_string_equal(found(NOTHING_OVER),
			    "a read over the end, or behind it, finds something else");
	assert_true(*found(TELLS_BEHIND));
	assert_string_equal(found(MOVES_BY_WHAT_IS_ASKED),
			    "a read moves the position on by something else");
	assert_true(*found(STAYS));
}

/* Addresses end at a power of two, or a page before that. */
static void next_to_a_power_of_two(void **state)
{
	for (unsigned int bits = 16; bits < LIMIT; bits++) {
		end = 1ULL << bits;
		finds_all();
		end--;
		finds_all();
	}
	end = (1ULL << LIMIT) - 1;
	finds_all();
}

/* Or anywhere below what a long can hold. */
static void elsewhere(void **state)
{
	const uint64_t ends[] = {
		0xbf000, 0xc0000, 0xffffe, 0x7ffff0, 3ULL << 34, 5, 0x200, 3, 2, 1,
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (ends[i] >> LIMIT)
			continue;
		end = ends[i];
		finds_all();
	}
}

/* What pread() answers instead: so many bytes, or a negative errno. */
static bool answers;
static ssize_t answer;

/* Its name where files may be large, as all is built. */
ssize_t __real_pread64(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t size, off_t at);

ssize_t __wrap_pread64(int fd, void *buf, size_t size, off_t at)
{
	if (!answers)
		return __real_pread64(fd, buf, size, at);
	errno = answer < 0 ? -answer : 0;
	return answer < 0 ? -1 : answer;
}

/* What answers wrongly is there, so that a check finds it. */
static void answers_wrongly(void **state)
{
	static const ssize_t wrong[] = { 0, 4, -EIO, -EINVAL };
	static const char *const files[] = {
		"/proc/self/pagemap", "/proc/kpageflags", "/proc/self/smaps",
	};
	struct interface found[NR_INTERFACES];
	size_t tried = 0;

	for (size_t n = 0; n < sizeof(files) / sizeof(files[0]); n++) {
		if (access(files[n], R_OK)) {
			assert_non_null(interface_lacks(files[n]));
			continue;
		}
		tried++;
		assert_null(interface_lacks(files[n]));
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			answer = wrong[i];
			answers = true;
			assert_null(interface_lacks(files[n]));
			interfaces_try(found);
			answers = false;
			assert_true(!found[0].usable && *found[0].detail);
		}
	}
	assert_true(tried);
}

/* Scans that the kernel has, and one that it doesn't. */
static int scan_error;

static int refuse(unsigned long request, void *arg)
{
	errno = scan_error;
	return -1;
}

static void refuses_scans(void **state)
{
	const int lacking[] = { ENOTTY, EINVAL, EPERM }, wrong[] = { EIO, EFAULT, ENOMEM };

	if (access("/proc/self/pagemap", R_OK))
		skip();
	test_ioctl = refuse;
	for (size_t i = 0; i < 3; i++) {
		scan_error = lacking[i];
		assert_non_null(interface_lacks("PAGEMAP_SCAN"));
		scan_error = wrong[i];
		assert_null(interface_lacks("PAGEMAP_SCAN"));
	}
	test_ioctl = NULL;
}

/* Pieces as long as 64 bits can say. */
static void any_pieces(void **state)
{
	const uint64_t sizes[] = { UINT64_MAX, 1ULL << 32, 1ULL << 63, 5, 4, 3, 2, 1, 0 };
	const uint64_t size = sysconf(_SC_PAGESIZE), first = (uintptr_t)&size / size - 3;
	struct source_pages pages = { .addr = first * size, .nr = 4 };
	uint64_t right[4] = { 0 }, values[4];
	const struct source *s = &source_pagemap_unaligned;
	struct source_file *file;

	if (s->open(s, getpid(), &file))
		skip();
	assert_int_equal(s->read(file, &pages, right), 4);
	assert_true(right[3]);
	for (size_t i = 0; i < 9 * 9 * 3; i++) {
		pages.arg[0] = i / 81;
		pages.arg[1] = sizes[i / 9 % 9];
		pages.arg[2] = sizes[i % 9];
		memset(values, 0xff, sizeof(values));
		assert_int_equal(s->read(file, &pages, values), 4);
		assert_memory_equal(values, right, sizeof(right));
	}
	s->close(file);
}

/* Where the next read of a pagemap begins that we have open, in pages; or -1. */
static off_t position(void)
{
	char name[32], link[64];
	ssize_t len;

	for (int fd = 3; fd < 64; fd++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		len = readlink(name, link, sizeof(link));
		if (len > 8 && !memcmp(link + len - 8, "/pagemap", 8))
			return lseek(fd, 0, SEEK_CUR) / 8;
	}
	return -1;
}

/* One at a time, each behind the last; pread() says where. */
static void goes_on(void **state)
{
	const uint64_t size = sysconf(_SC_PAGESIZE), first = (uintptr_t)&size / size;
	struct source_pages pages = { .addr = first * size, .nr = 1, .arg = { 1 } };
	struct source_pages more = { .addr = (first - 3) * size, .nr = 4, .arg = { 1 } };
	struct source_file *file;
	uint64_t value, values[4] = { 0 };

	if (source_pagemap_single.open(&source_pagemap_single, getpid(), &file))
		skip();
	assert_int_equal(source_pagemap_single.read(file, &pages, &value), 1);
	assert_int_equal(position(), first + 1);
	assert_int_equal(source_pagemap_single.read(file, &more, values), 4);
	assert_int_equal(position(), first + 1);
	assert_true(values[3] == value);
	memset(values, 0, sizeof(values));
	more.arg[0] = 2;
	more.nr = 3;
	assert_int_equal(source_pagemap_single.read(file, &more, values), 3);
	assert_int_equal(position(), first + 1);
	pages.arg[0] = 0;
	source_pagemap_single.close(file);
}

SUITE(suite_entries, cmocka_unit_test(next_to_a_power_of_two),
      cmocka_unit_test(elsewhere), cmocka_unit_test(goes_on),
      cmocka_unit_test(any_pieces), cmocka_unit_test(answers_wrongly),
      cmocka_unit_test(refuses_scans));
