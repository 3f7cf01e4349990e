// SPDX-License-Identifier: GPL-2.0
/* Pages that the fixture driver holds in migration, or in a device's memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "build_huge.h"
#include "driver.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16
#define DEVICE	"/dev/ptwalk_fixture_pages"

static char text[64 * 1024];

/* Asks for @what; 0 or a negative errno. The kernel may want to be asked again. */
static int request(struct mapping *m, const char *what, const char *at, u64 pages)
{
	char line[64];
	int tries;

	snprintf(line, sizeof(line), "%s %llx %llu", what, PTR(at), pages);
	for (tries = 0; tries < 1000; tries++) {
		if (write(m->fd, line, strlen(line)) == (ssize_t)strlen(line))
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			break;
		usleep(10000);
	}
	return -errno;
}

/*
 * Has the driver hold all pages of the mapping; false, with mapping_lacks() or
 * mapping_broken() called, if it doesn't. Nobody may touch them from then on.
 */
static bool hold(struct mapping *m, const char *what, const char *at)
{
	int err = driver_load();

	m->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (m->fd < 0) {
		mapping_lacks(m, "%s: %s (loading the module: %s)", DEVICE,
			      strerror(errno), strerror(-err));
		return false;
	}
	err = request(m, what, at, m->pages);
	if (err == -EOPNOTSUPP)
		mapping_lacks(m, "the kernel can't do that: %s", what);
	else if (err)
		mapping_broken(m, "%s: %s", what, strerror(-err));
	return !err;
}

/* The frames that the driver has published, one line for each page. */
static bool published(struct mapping *m, u64 *pfn, u64 pages)
{
	char *line, *save = NULL;
	u64 addr, i = 0;
	ssize_t n;

	n = pread(m->fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	for (line = strtok_r(text, "\n", &save); line && i < pages;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%llx %llx", &addr, &pfn[i]) != 2 ||
		    addr != m->start + i * m->page_size)
			break;
		i++;
	}
	if (i != pages)
		mapping_broken(m, "%s: %llu frames, not %llu", DEVICE, i, pages);
	return i == pages;
}

/* All frames from page @from on, each in an expectation of its own. */
static void expect_held(struct mapping *m, struct expect *e, int from)
{
	u64 pfn[PAGES];
	int i;

	if (!published(m, pfn, PAGES))
		return;
	e->pages = 1;
	for (i = from; i < PAGES; i++) {
		e->addr = m->start + i * m->page_size;
		e->pfn = pfn[i];
		mapping_expect(m, *e);
	}
}

static void expect_held_huge(struct mapping *m, struct expect *e)
{
	u64 pfn;

	if (!published(m, &pfn, 1))
		return;
	e->addr = m->start;
	e->pages = m->pages;
	e->pfn = pfn;
	mapping_expect(m, *e);
}

static struct expect expect_special(u32 kind, int level, bool file)
{
	bool counted = kind != KIND(MIGRATION);

	return (struct expect) {
		.kinds = kind,
		.level = level,
		/* Its folio may be split right now. */
		.clear = counted ? 0 : PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_LARGE,
		.pfn = ANY_PFN,
		.pagemap_set = PM_SWAP | (file ? PM_FILE : 0),
		.pagemap_clear = PM_PRESENT | PM_UFFD_WP | PM_GUARD |
				 (file ? 0 : PM_FILE),
		.distinct = true,
	};
}

static char *held(struct mapping *m, const char *what)
{
	char *at;

	stay_on_cpu();
	at = mapping_small(m, PAGES);
	if (!at)
		return NULL;
	mapping_write(m, at, PAGES);
	return hold(m, what, at) ? at : NULL;
}

BUILDER(migrating)
{
	struct expect e = expect_special(KIND(MIGRATION), PTWALK_LEVEL_PTE, false);

	if (held(m, "migrate"))
		expect_held(m, &e, 0);
}

BUILDER(migrating_shmem)
{
	struct expect e = expect_special(KIND(MIGRATION), PTWALK_LEVEL_PTE, true);
	char *at;

	stay_on_cpu();
	at = mapping_shared(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (hold(m, "migrate", at))
		expect_held(m, &e, 0);
}

/* Two processes have the pages, and neither may write to them. */
static void wait_here(void *arg, int nr)
{
}

BUILDER(migrating_forked)
{
	struct expect e = expect_special(KIND(MIGRATION), PTWALK_LEVEL_PTE, false);
	char *at;

	stay_on_cpu();
	at = mapping_small(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (target_start(&m->target, wait_here, NULL))
		return mapping_broken(m, "no second process");
	if (hold(m, "migrate", at))
		expect_held(m, &e, 0);
}

/* A huge page, held by a huge entry; NULL with mapping_lacks() without one. */
static char *held_huge(struct mapping *m, const char *what)
{
	struct ptw_page page;
	struct ptw ptw;
	size_t size;
	char *at;

	stay_on_cpu();
	at = thp_write(m, &size);
	if (!at)
		return NULL;
	if (size > 2 << 20) {
		mapping_lacks(m, "a huge page of %zu MB is too large", size >> 20);
		return NULL;
	}
	if (!hold(m, what, at))
		return NULL;
	if (ptw_open(&ptw) || ptw_translate_one(&ptw, m->pid, PTR(at), &page)) {
		mapping_broken(m, "the first page can't be translated");
		return NULL;
	}
	ptw_close(&ptw);
	if (ptwalk_bits_level(page.t.bits) == PTWALK_LEVEL_PMD)
		return at;
	mapping_lacks(m, "the kernel splits huge pages first");
	return NULL;
}

BUILDER(migrating_thp)
{
	struct expect e = expect_special(KIND(MIGRATION), PTWALK_LEVEL_PMD, false);

	if (held_huge(m, "migrate-huge"))
		expect_held_huge(m, &e);
}

/* The first page has come back, since it was touched, with what was in it. */
static void build_device(struct mapping *m, const char *what, u32 kind)
{
	struct expect e = expect_special(kind, PTWALK_LEVEL_PTE, false), *back;
	char *at = held(m, what);

	if (!at)
		return;
	if (*(volatile u64 *)at != PTR(at))
		return mapping_broken(m, "what came back isn't what was there");
	back = mapping_expect(m, expect_anon(m, at, 1));
	back->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_DIRTY);
	expect_held(m, &e, 1);
}

BUILDER(device_private)
{
	build_device(m, "private", KIND(DEVICE_PRIVATE));
}

BUILDER(device_exclusive)
{
	build_device(m, "exclusive", KIND(DEVICE_EXCLUSIVE));
}

/* The whole page has come back once, and has gone again. */
BUILDER(device_private_thp)
{
	struct expect e = expect_special(KIND(DEVICE_PRIVATE), PTWALK_LEVEL_PMD, false);
	char *at = held_huge(m, "private-huge");
	u64 i;

	if (!at)
		return;
	for (i = 0; i < m->pages; i++)
		if (*(volatile u64 *)(at + i * m->page_size) != PTR(at) + i)
			return mapping_broken(m, "what came back isn't what was there");
	close(m->fd);
	if (hold(m, "private-huge", at))
		expect_held_huge(m, &e);
}
