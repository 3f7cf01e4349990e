// SPDX-License-Identifier: GPL-2.0
/*
 * The command as users see it: exit statuses, and the output that people and
 * scripts rely on. mappings.c tests what check says of each kind of page.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "command.h"
#include "test.h"

#define NOBODY	65534

static struct output out;

FIXTURE(command)
{
	struct ptw ptw;
	struct mapping m;
	const char *ptwalk;
	char pid[16];
	char range[64];
	char claims[32];
};

FIXTURE_SETUP(command)
{
	int fd;

	self->ptwalk = ptwalk_command();
	if (!self->ptwalk)
		SKIP(return, "there is no ptwalk command in PATH");
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_anon_written));
	ASSERT_EQ('\0', self->m.broken[0]);
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	snprintf(self->range, sizeof(self->range), "%llx-%llx", self->m.start,
		 self->m.start + self->m.pages * self->m.page_size);
	strcpy(self->claims, "/tmp/claims-XXXXXX");
	fd = mkstemp(self->claims);
	ASSERT_LE(0, fd);
	close(fd);
}

FIXTURE_TEARDOWN(command)
{
	unlink(self->claims);
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

#define PTWALK(...)	run(&out, self->ptwalk, __VA_ARGS__)

/* Writes claims of the mapping; @wrong is the page to lie about, or -1. */
static void claim(struct ptw *ptw, struct mapping *m, const char *path, int wrong)
{
	FILE *file = fopen(path, "we");
	u64 i;

	for (i = 0; i < m->pages; i++) {
		struct ptw_page page;

		if (ptw_translate_one(ptw, m->pid, m->start + i * m->page_size, &page))
			abort();
		fprintf(file, "%#llx %#llx\n", (u64)page.t.addr,
			(page.t.value + ((int)i == wrong)) * m->page_size);
	}
	fclose(file);
}

/* What is there of the member "ops" of a line, or nothing. */
static void copy_ops(const char *line, char *to, size_t size)
{
	const char *ops = strstr(line, "\"ops\":\""), *end = strchr(line, '\n');

	*to = '\0';
	if (ops && (!end || ops < end))
		snprintf(to, size, "%.*s", (int)strcspn(ops, ","), ops);
}

/*
 * A dump names the operations of each VMA as translate does, which asks about one alone:
 * of mappings in a row that share some of them, and of those between that have none.
 */
TEST_F(command, operations_of_neighbours)
{
	static const char *const files[] = { "/proc/self/exe", "/dev/zero" };
	const size_t size = 16 * self->m.page_size;
	static struct output all;
	char *at = mmap(NULL, 6 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char dumped[256], translated[256], named[256] = "";
	unsigned int vmas = 0, changes = 0;

	ASSERT_NE(MAP_FAILED, at);
	for (int i = 0; i < 6; i++) {
		int fd = i == 4 ? memfd_create("neighbour", 0) :
			 i % 2 ? -1 : open(files[i / 2], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		ASSERT_NE(MAP_FAILED, mmap(at + i * size, size, PROT_READ,
					   (i == 4 ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED, fd, 0));
		close(fd);
	}
	run(&all, self->ptwalk, "dump", "--json", "--present", self->pid);
	ASSERT_EQ(MATCH, all.status);
	for (const char *line = all.text; line; line = strchr(line, '\n')) {
		const char *start = strstr(line, "\"start\":\"");
		char addr[32];

		line += *line == '\n';
		if (strncmp(line, "{\"type\":\"vma\"", 13) || !start)
			continue;
		start += strlen("\"start\":\"");
		snprintf(addr, sizeof(addr), "%.*s", (int)strcspn(start, "\""), start);
		copy_ops(line, dumped, sizeof(dumped));
		PTWALK("translate", "-v", "--json", self->pid, addr);
		copy_ops(out.text, translated, sizeof(translated));
		EXPECT_STREQ(translated, dumped) TH_LOG("the VMA at %s", addr);
		changes += *dumped && strcmp(dumped, named);
		strcpy(named, dumped);
		vmas++;
	}
	EXPECT_LE(10, vmas);
	EXPECT_LE(4, changes);
	munmap(at, 6 * size);
}

TEST_F(command, check_finds_all_well)
{
	PTWALK("check", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	PTWALK("check", "--json", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"pages\":16");
	EXPECT_PRINTED("\"mismatch\":0");
}

TEST_F(command, check_of_everything)
{
	const char *pages;

	PTWALK("check", "--all", "--json");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"type\":\"summary\"");
	EXPECT_PRINTED("\"mismatch\":0");
	pages = strstr(out.text, "\"summary\"");
	pages = pages ? strstr(pages, "\"pages\":") : NULL;
	ASSERT_NE(NULL, pages);
	EXPECT_LT(1000, atoll(pages + strlen("\"pages\":")));
}

/* What a process is told of its own memory alone. */
TEST_F(command, check_of_its_own_memory)
{
	PTWALK("check", "--json", "--source", "mincore", "self");
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("\"pages\":0,", "\"pages\":");
	PTWALK("check", "--json", "--source", "mincore", self->pid);
	EXPECT_PRINTED("\"pages\":0,");
	EXPECT_PRINTED("of its own memory only");
	PTWALK("check", "--request", "mincore:400000-401000", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("give self");
}

/* Pages that a child has more than its parent, whose mappings are the same. */
#define MORE_PAGES	4096

/*
 * A child of ours, in which all sums are other ones, as of @size bytes it has
 * touched @pages pages at equal distances; its memory is at rest when this
 * returns. -1 if there is no place for so many.
 */
static pid_t fork_with_more(size_t size, size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	int ready[2];
	char *more, byte;
	pid_t pid;

	more = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (more == MAP_FAILED || pipe(ready))
		return -1;
	madvise(more, size, MADV_NOHUGEPAGE);
	pid = fork();
	if (!pid) {
		mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mmap(NULL, page, PROT_READ, MAP_PRIVATE,
		     open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 0);
		for (i = 0; i < pages; i++)
			more[size / pages * i] = 1;
		byte = 0;
		if (write(ready[1], &byte, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* Each file of sums is a mismatch if it is that of another process. */
TEST_F(command, check_notices_the_sums_of_another)
{
	static const struct {
		const char *name, *source, *field;
	} files[] = {
		{ "smaps", "smaps", "Rss of " },
		{ "smaps_rollup", "smaps_rollup", "Rss: " },
		{ "numa_maps", "numa_maps", "anon of " },
		{ "status", "status", "RssAnon: " },
		{ "statm", "statm", "resident: " },
		{ "stat", "stat", "vsize: " },
		{ "maps", "maps", "mapping of " },
		{ "maps", "procmap-query", "mapping of " },
		{ "map_files", "map_files", "mapping of " },
	};
	char ours[64], theirs[64];
	pid_t child;
	size_t i;

	child = fork_with_more(MORE_PAGES * sysconf(_SC_PAGESIZE), MORE_PAGES);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(ours, sizeof(ours), "/proc/%d/%s", getpid(), files[i].name);
		snprintf(theirs, sizeof(theirs), "/proc/%d/%s", child, files[i].name);
		if (access(ours, R_OK)) {
			TH_LOG("the kernel has no %s", files[i].name);
			continue;
		}
		PTWALK("check", "--source", files[i].source, self->pid);
		if (out.status == UNCHECKED &&
		    strstr(out.text, "this kernel does not have it")) {
			TH_LOG("the kernel has no %s", files[i].source);
			continue;
		}
		EXPECT_STATUS(MATCH);
		ASSERT_EQ(0, mount(theirs, ours, NULL, MS_BIND, NULL));
		PTWALK("check", "--source", files[i].source, self->pid);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("mismatch: ");
		EXPECT_PRINTED(files[i].field);
		ASSERT_EQ(0, umount(ours));
	}
	process_end(child);
}

/* What a finding prints to be repeated shows it again, and nothing else. */
TEST_F(command, check_repeats_a_request)
{
	u64 last = self->m.start + self->m.pages * self->m.page_size;
	char request[64], ours[64];

	snprintf(request, sizeof(request), "pagemap:0x%llx-0x%llx", self->m.start, last);
	snprintf(ours, sizeof(ours), "/proc/%d/pagemap", getpid());
	PTWALK("check", "--request", request, self->pid);
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount("/proc/1/pagemap", ours, NULL, MS_BIND, NULL));
	PTWALK("check", "--source", "pagemap", self->pid, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("again     ptwalk check --request pagemap:0x");
	PTWALK("check", "--request", request, self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("ptwalk check --request pagemap:0x");
	PTWALK("check", "--json", "--request", request, self->pid);
	EXPECT_PRINTED("\"request\":\"pagemap:0x");
	ASSERT_EQ(0, umount(ours));
	PTWALK("check", "--request", request, self->pid);
	EXPECT_STATUS(MATCH);
	PTWALK("check", "--request", "pagemap:0-1001", self->pid);
	EXPECT_STATUS(USAGE);
	PTWALK("check", "--request", request, "--all");
	EXPECT_STATUS(USAGE);
}

/* Its smaps, with a page of LazyFree in the mapping that has the most pages. */
static int write_lazyfree(pid_t pid, const char *path)
{
	unsigned long page_kb = sysconf(_SC_PAGESIZE) / 1024, rss = 0, written = 0;
	char name[32], line[512];
	FILE *from, *to;

	snprintf(name, sizeof(name), "/proc/%d/smaps", pid);
	from = fopen(name, "re");
	to = fopen(path, "we");
	while (from && to && fgets(line, sizeof(line), from)) {
		sscanf(line, "Rss: %lu kB", &rss);
		if (!strncmp(line, "LazyFree:", 9) && rss >= MORE_PAGES * page_kb)
			written += fprintf(to, "LazyFree: %lu kB\n", page_kb);
		else
			fputs(line, to);
	}
	if (from)
		fclose(from);
	return !to || fclose(to) || !written ? -1 : 0;
}

/* A plain file refuses nothing, and ends where nothing else does. */
TEST_F(command, check_notices_what_kpage_files_must_refuse)
{
	static const char *const names[] = { "kpageflags", "kpagecount", "kpagecgroup" };
	char path[32];
	size_t i;

	ASSERT_EQ(0, truncate(self->claims, 8 << 20));
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/proc/%s", names[i]);
		if (access(path, R_OK)) {
			TH_LOG("the kernel has no %s", names[i]);
			continue;
		}
		PTWALK("check", "--source", names[i], "--known-bugs", self->pid,
		       self->range);
		EXPECT_STATUS(MATCH);
		ASSERT_EQ(0, mount(self->claims, path, NULL, MS_BIND, NULL));
		PTWALK("check", "--source", names[i], "--known-bugs", self->pid,
		       self->range);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("half an entry");
		ASSERT_EQ(0, umount(path));
	}
}

/* A field that needs each page, of a process that has many. */
TEST_F(command, check_of_a_large_process)
{
	char pid[16], smaps[32];
	pid_t child;

	child = fork_with_more(MORE_PAGES * sysconf(_SC_PAGESIZE), MORE_PAGES);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	snprintf(pid, sizeof(pid), "%d", child);
	snprintf(smaps, sizeof(smaps), "/proc/%d/smaps", child);
	PTWALK("check", pid);
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, write_lazyfree(child, self->claims));
	ASSERT_EQ(0, mount(self->claims, smaps, NULL, MS_BIND, NULL));
	PTWALK("check", pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("LazyFree of ");
	EXPECT_EQ(0, umount(smaps));
	process_end(child);
}

/*
 * Of as much as an address space has room for, nearly nothing is there: what a
 * program under AddressSanitizer reserves. Each page asked for would take days.
 */
TEST_F(command, check_of_reserved_memory)
{
	unsigned long long size;
	pid_t child = -1;
	char pid[16];

	for (size = 126ULL << 40; child < 0 && size > 1ULL << 40; size /= 2)
		if (size <= SIZE_MAX)
			child = fork_with_more(size, 512);
	if (child < 0)
		SKIP(return, "there is no room for 1 TiB");
	snprintf(pid, sizeof(pid), "%d", child);
	PTWALK("check", "--source", "all", pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" of empty memory left out between samples");
	process_end(child);
}

/* Of a range, only what is about mappings is compared. */
TEST_F(command, check_of_sums_in_a_range)
{
	PTWALK("check", "--source", "smaps", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" figures");
	PTWALK("check", "--source", "status", self->pid, self->range);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("leave out the range");
	PTWALK("check", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_UNPRINTED("\nsource ", "1 process on ");
	PTWALK("check", "-v", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("status, statm, stat not used: ");
}

/* A VM_PFNMAP region is explained, by its rule. */
TEST_F(command, check_explains_the_fixture)
{
	mapping_release(&self->m);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_fixture_region));
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	snprintf(self->range, sizeof(self->range), "%llx+%llx", self->m.start,
		 self->m.pages * self->m.page_size);
	PTWALK("check", "--json", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("pfnmap-hidden");
	EXPECT_PRINTED("\"explained\":16");
}

TEST_F(command, translate_finds_the_published_address)
{
	char addr[32], published[32];

	mapping_release(&self->m);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_fixture_region));
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	snprintf(addr, sizeof(addr), "%llx", self->m.start + 2 * self->m.page_size + 0x123);
	snprintf(published, sizeof(published), "%llx",
		 (self->m.expect[0].pfn + 2) * self->m.page_size + 0x123);
	PTWALK("translate", self->pid, addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(published);
	PTWALK("translate", "--json", self->pid, addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(published);
}

/* The example of libptwalk(3), which scripts/vm brings into its guests. */
TEST_F(command, library_example)
{
	static const char example[] = "/usr/bin/libptwalk-example";
	char addr[32], published[32];

	if (access(example, X_OK))
		SKIP(return, "there is no %s", example);
	mapping_release(&self->m);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_fixture_region));
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	snprintf(addr, sizeof(addr), "%llx", self->m.start + 0x123);
	snprintf(published, sizeof(published), "0x%llx\n",
		 self->m.expect[0].pfn * self->m.page_size + 0x123);
	run(&out, example, self->pid, addr);
	EXPECT_STATUS(0);
	EXPECT_STREQ(published, out.text);
	run(&out, example, self->pid, "0");
	EXPECT_STATUS(0);
	EXPECT_STREQ("", out.text);
}

static void nothing(void *arg, int nr)
{
}

/* The other one counts what is present, as `ptwalk dump` does, of one that stands still. */
TEST_F(command, library_example_runs)
{
	static const char example[] = "/usr/bin/libptwalk-example-runs";
	unsigned long long counted, sum = 0;
	const char *pages;
	struct target target;
	char pid[16];

	if (access(example, X_OK))
		SKIP(return, "there is no %s", example);
	ASSERT_EQ(0, target_start(&target, nothing, NULL));
	snprintf(pid, sizeof(pid), "%d", target.pid);
	run(&out, example, pid);
	EXPECT_STATUS(0);
	counted = strtoull(out.text, NULL, 10);
	PTWALK("dump", "--summary", "--json", pid);
	EXPECT_STATUS(MATCH);
	for (const char *at = out.text; (at = strstr(at, "\"kind\":\"present\"")); at++) {
		pages = strstr(at, "\"pages\":");
		ASSERT_NE(NULL, pages);
		sum += strtoull(pages + strlen("\"pages\":"), NULL, 10);
	}
	EXPECT_EQ(sum, counted);
	EXPECT_LT(0, sum);
	target_end(&target);
}

TEST_F(command, right_claims)
{
	claim(&self->ptw, &self->m, self->claims, -1);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MATCH);
}

TEST_F(command, every_wrong_claim_is_named)
{
	char named[32];
	u64 i;

	for (i = 0; i < self->m.pages; i += 5) {
		claim(&self->ptw, &self->m, self->claims, i);
		snprintf(named, sizeof(named), "%llx", self->m.start + i * self->m.page_size);
		PTWALK("check", self->pid, "--partial", "--claims", self->claims);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED(named);
	}
}

/* Claims of each page the frame that the page @by further on has, and of the first ones right. */
static void claim_others(struct ptw *ptw, struct mapping *m, const char *path, u64 right, u64 by)
{
	FILE *file = fopen(path, "we");
	struct ptw_page page;
	u64 i, other;

	for (i = 0; i < m->pages; i++) {
		other = i < right ? i : (i + by) % m->pages;
		if (ptw_translate_one(ptw, m->pid, m->start + other * m->page_size, &page))
			abort();
		fprintf(file, "%#llx %#llx\n", m->start + i * m->page_size + 8,
			page.t.value * m->page_size + 8);
	}
	fclose(file);
}

static void claim_consecutive(struct ptw *ptw, struct mapping *m, const char *path)
{
	FILE *file = fopen(path, "we");
	struct ptw_page page;

	if (ptw_translate_one(ptw, m->pid, m->start, &page))
		abort();
	for (u64 i = 0; i < m->pages; i++)
		fprintf(file, "%#llx %#llx\n", m->start + i * m->page_size,
			(page.t.value + i) * m->page_size);
	fclose(file);
}

static int by_frame(const void *a, const void *b)
{
	const struct ptw_page *x = a, *y = b;

	return x->t.value < y->t.value ? -1 : x->t.value > y->t.value;
}

#define APART	3

/* Pages whose frames ascend and lie apart, whichever the kernel gives. */
static int build_apart(struct ptw *ptw, struct mapping *m)
{
	const u64 nr = APART * m->pages;
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *all = mmap(NULL, nr * m->page_size, prot, flags, -1, 0);
	char *at = mmap(NULL, m->pages * m->page_size, PROT_NONE, flags, -1, 0);
	struct ptw_page page[nr];
	u64 i;

	if (all == MAP_FAILED || at == MAP_FAILED)
		return -1;
	madvise(all, nr * m->page_size, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++) {
		all[i * m->page_size] = 1;
		if (ptw_translate_one(ptw, m->pid, (uintptr_t)all + i * m->page_size, &page[i]))
			return -1;
	}
	qsort(page, nr, sizeof(*page), by_frame);
	for (i = 0; i < m->pages; i++)
		if (mremap((char *)(uintptr_t)page[APART * i].t.addr, m->page_size, m->page_size,
			   MREMAP_MAYMOVE | MREMAP_FIXED, at + i * m->page_size) == MAP_FAILED)
			return -1;
	m->start = (uintptr_t)at;
	return 0;
}

/*
 * Frames of other pages: of the next one, which is a known mistake, and of one further on,
 * which is none, but all of them together are told. A few of that are no such thing.
 */
TEST_F(command, claims_of_other_pages)
{
	static const char another[] = "wrong by no known mistake";
	struct mapping apart = self->m;
	struct ptw_page page;
	char paddr[64];

	ASSERT_EQ(0, build_apart(&self->ptw, &apart));
	claim_others(&self->ptw, &apart, self->claims, 4, 1);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("the page behind: off by one page");
	EXPECT_UNPRINTED(another, "off by one page");
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, apart.pid, apart.start + 4 * apart.page_size,
				       &page));
	snprintf(paddr, sizeof(paddr), ", paddr 0x%llx", page.t.value * apart.page_size + 8);
	EXPECT_PRINTED(paddr);

	claim_others(&self->ptw, &apart, self->claims, 0, 5);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MISMATCH);
	EXPECT_UNPRINTED("off by one page", another);
	EXPECT_PRINTED(another);

	/* As if frames were consecutive: the first of these has a hint, the others go on. */
	claim_consecutive(&self->ptw, &apart, self->claims);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("frames aren't consecutive here");
	EXPECT_UNPRINTED(another, "mismatch");

	claim_others(&self->ptw, &apart, self->claims, 10, 3);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MISMATCH);
	EXPECT_UNPRINTED(another, "mismatch");
}

/* Which pages the file of claims has, of the 16 that are there. */
static void claim_some(struct ptw *ptw, struct mapping *m, const char *path,
		       bool (*which)(u64 index))
{
	FILE *file = fopen(path, "we");
	struct ptw_page page;
	u64 i;

	for (i = 0; i < m->pages; i++) {
		if (!which(i))
			continue;
		if (ptw_translate_one(ptw, m->pid, m->start + i * m->page_size, &page))
			abort();
		fprintf(file, "%#llx %#llx\n", (u64)page.t.addr,
			(u64)page.t.value * m->page_size);
	}
	fclose(file);
}

static bool every(u64 index)
{
	return true;
}

static bool first_half(u64 index)
{
	return index < 8;
}

static bool odd(u64 index)
{
	return index & 1;
}

static bool no_page(u64 index)
{
	return false;
}

static int times(const char *text, const char *what)
{
	int nr = 0;

	while ((text = strstr(text, what))) {
		text++;
		nr++;
	}
	return nr;
}

/* Whoever leaves pages out isn't right, however right the rest is. */
TEST_F(command, unclaimed)
{
	static const struct {
		bool (*which)(u64 index);
		int claims, findings;
	} cases[] = {
		{ every, 16, 0 }, { first_half, 8, 1 }, { odd, 8, 8 }, { no_page, 0, 1 },
	};
	static const char *const formats[] = { "text", "json", "ktap", "junit", "kcidb" };
	const u64 size = 8 * self->m.page_size;
	char line[96], half[2][64];

	for (u64 i = 0; i < 2; i++)
		snprintf(half[i], sizeof(half[i]), "%llx+%llx",
			 self->m.start + i * size, size);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		claim_some(&self->ptw, &self->m, self->claims, cases[i].which);
		PTWALK("check", self->pid, "--claims", self->claims, self->range, "--json");
		EXPECT_EQ(cases[i].findings ? MISMATCH : MATCH, out.status)
			TH_LOG("%d claims: %.900s", cases[i].claims, out.text);
		snprintf(line, sizeof(line), "\"pages\":16,\"match\":%d,", cases[i].claims);
		EXPECT_PRINTED(line);
		snprintf(line, sizeof(line), "\"unclaimed\":%d,", 16 - cases[i].claims);
		EXPECT_PRINTED(line);
		EXPECT_EQ(cases[i].findings, times(out.text, "\"rule\":\"unclaimed\""));
		/* The same in two parts, the last one first. */
		PTWALK("check", self->pid, "--claims", self->claims, half[1], half[0], "--json");
		EXPECT_EQ(cases[i].findings ? MISMATCH : MATCH, out.status)
			TH_LOG("%d claims: %.900s", cases[i].claims, out.text);
		EXPECT_PRINTED(line);
		for (size_t f = 0; cases[i].findings && f < ARRAY_SIZE(formats); f++) {
			PTWALK("check", self->pid, "--claims", self->claims, self->range,
			       "--format", formats[f]);
			EXPECT_STATUS(MISMATCH);
			EXPECT_PRINTED("unclaimed");
		}
		PTWALK("check", self->pid, "--partial", "--claims", self->claims, self->range);
		EXPECT_EQ(cases[i].claims ? MATCH : USAGE, out.status)
			TH_LOG("%.900s", out.text);
		/* Of the whole process. */
		PTWALK("check", self->pid, "--claims", self->claims);
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("[stack], unclaimed");
	}
	PTWALK("check", self->pid, "--partial");
	EXPECT_STATUS(USAGE);
	PTWALK("check", self->pid, "--partial=maps", "--claims", self->claims);
	EXPECT_STATUS(USAGE);
	PTWALK("explain", "unclaimed");
	EXPECT_STATUS(MATCH);
}

/* A translator that reads pagemap, of what is before @end. */
static void claim_by_pagemap(pid_t pid, const char *path, u64 page_size, u64 end)
{
	FILE *maps, *file = fopen(path, "we");
	unsigned long long start, last;
	char line[4096];
	u64 entry;
	int fd;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	maps = fopen(line, "re");
	snprintf(line, sizeof(line), "/proc/%d/pagemap", pid);
	fd = open(line, O_RDONLY | O_CLOEXEC);
	if (!maps || !file || fd < 0)
		abort();
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx", &start, &last) != 2)
			abort();
		for (; start < last && start < end; start += page_size)
			if (pread(fd, &entry, 8, start / page_size * 8) == 8 &&
			    entry >> 63)
				fprintf(file, "%llx %llx\n", start,
					(entry & ((1ULL << 55) - 1)) * page_size);
	}
	fclose(maps);
	fclose(file);
	close(fd);
}

/* What pagemap doesn't show by design may be left out, and nothing else. */
TEST_F(command, claims_of_pagemap)
{
	struct target target;
	bool hidden;

	ASSERT_EQ(0, target_start(&target, nothing, NULL));
	snprintf(self->pid, sizeof(self->pid), "%d", target.pid);
	claim_by_pagemap(target.pid, self->claims, self->m.page_size, ~0ULL);
	PTWALK("check", self->pid, "--claims", self->claims);
	hidden = out.status == MISMATCH;
	EXPECT_EQ(hidden, !!strstr(out.text, "--partial=pagemap"));
	PTWALK("check", self->pid, "--claims", self->claims, "--partial=pagemap");
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(hidden, !!strstr(out.text, "explained by pfnmap-hidden"));
	if (sizeof(long) == 8) {
		claim_by_pagemap(target.pid, self->claims, self->m.page_size, 1ULL << 31);
		PTWALK("check", self->pid, "--claims", self->claims, "--partial=pagemap");
		EXPECT_STATUS(MISMATCH);
		EXPECT_PRINTED("[stack], unclaimed");
	}
	target_end(&target);
}

/* We stand still, and are who reads what is printed: more than the pipe takes. */
TEST_F(command, claims_about_who_reads)
{
	const u64 page = self->m.page_size, nr = 2000;
	char *at = mmap(NULL, 2 * nr * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
			MAP_NORESERVE, -1, 0);
	FILE *file = fopen(self->claims, "we");
	char buf[4096];
	u64 i, read_all = 0;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_NE(NULL, file);
	for (i = 0; i < nr; i++)
		fprintf(file, "%lx 1000\n", (unsigned long)((uintptr_t)at + 2 * i * page));
	fclose(file);
	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		execl(self->ptwalk, "ptwalk", "check", self->pid, "--partial",
		      "--claims", self->claims, "--freeze", "--json", NULL);
		_exit(127);
	}
	close(fds[1]);
	while ((n = read(fds[0], buf, sizeof(buf))) > 0)
		read_all += n;
	close(fds[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(MISMATCH, WEXITSTATUS(status));
	EXPECT_LT(65536, read_all);
	munmap(at, 2 * nr * page);
}

/* A file that was cut in the middle of a line proves nothing. */
TEST_F(command, truncated_claims)
{
	struct stat st;
	off_t cut;

	claim(&self->ptw, &self->m, self->claims, -1);
	ASSERT_EQ(0, stat(self->claims, &st));
	/* Less than the last line: without that, all is well. */
	for (cut = 1; cut < 18; cut += 5) {
		ASSERT_EQ(0, truncate(self->claims, st.st_size - cut));
		PTWALK("check", self->pid, "--partial", "--claims", self->claims);
		EXPECT_TRUE(out.status != MATCH)
			TH_LOG("%d bytes cut: %.600s", (int)cut, out.text);
		EXPECT_NE('\0', out.text[0]);
	}
	ASSERT_EQ(0, truncate(self->claims, 0));
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_NE(MATCH, out.status);
	PTWALK("check", self->pid, "--claims", "/nonexistent");
	EXPECT_STATUS(UNCHECKED);
}

/* The first line of the claims again, and @wrong ones that have it at @wrong_at. */
static int repeat_claim(const char *path, int again, int wrong, u64 wrong_at)
{
	unsigned long long vaddr, paddr;
	FILE *file = fopen(path, "re");

	if (!file || fscanf(file, "%llx %llx", &vaddr, &paddr) != 2)
		return -1;
	fclose(file);
	file = fopen(path, "ae");
	while (file && again--)
		fprintf(file, "%llx %llx\n", vaddr, paddr);
	while (file && wrong--)
		fprintf(file, "%llx %llx\n", vaddr, wrong_at);
	return file ? fclose(file) : -1;
}

/* Each line counts, however often an address is claimed. */
TEST_F(command, repeated_claims)
{
	static const char *const with[] = { "claims", "prove" };
	/* What --prove reads; test proof has where it can't. */
	size_t ways = access("/proc/kcore", R_OK) ? 1 : ARRAY_SIZE(with);
	/* RAM of other contents, on each machine. */
	u64 zero = self->m.info.zero_pfn << self->m.info.page_shift;
	char line[96];

	claim(&self->ptw, &self->m, self->claims, -1);
	ASSERT_EQ(0, repeat_claim(self->claims, 1, 3, zero));
	for (size_t i = 0; i < ways; i++) {
		if (i)
			PTWALK("check", self->pid, "--partial", "--claims", self->claims, "--json",
			       "--source", with[i]);
		else
			PTWALK("check", self->pid, "--partial", "--claims", self->claims, "--json");
		EXPECT_STATUS(MISMATCH);
		snprintf(line, sizeof(line), "\"pages\":%d,\"match\":%d,",
			 (int)self->m.pages + 4, (int)self->m.pages + 1);
		EXPECT_PRINTED(line);
		EXPECT_PRINTED("\"mismatch\":3,");
		snprintf(line, sizeof(line), "%s:%d: repeats line 1:", self->claims,
			 (int)self->m.pages + 1);
		EXPECT_PRINTED(line);
		snprintf(line, sizeof(line), "%s:%d: contradicts line 1:", self->claims,
			 (int)self->m.pages + 2);
		EXPECT_PRINTED(line);
	}
	/* One that both ways of judging find wrong is one claim. */
	if (ways > 1) {
		PTWALK("check", self->pid, "--partial", "--claims", self->claims, "--prove");
		snprintf(line, sizeof(line),
			 "%d claims compared, %d match, 0 explained, 0 unstable, 3 mismatch",
			 (int)self->m.pages + 4, (int)self->m.pages + 1);
		EXPECT_PRINTED(line);
	}
	/* Of many, some are named. */
	ASSERT_EQ(0, repeat_claim(self->claims, 20000, 0, 0));
	PTWALK("check", self->pid, "--partial", "--claims", self->claims);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("more lines repeat or contradict others");
	EXPECT_PRINTED("\n1 process on ");
	snprintf(line, sizeof(line), " %d claims compared, %d match,",
		 (int)self->m.pages + 20004, (int)self->m.pages + 20001);
	EXPECT_PRINTED(line);
}

/* Those that weren't asked about are counted, and don't pass. */
TEST_F(command, claims_outside_of_the_ranges)
{
	claim(&self->ptw, &self->m, self->claims, 0);
	PTWALK("check", self->pid, "--claims", self->claims, "[stack]");
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("[stack], unclaimed");
	PTWALK("check", self->pid, "--partial", "--claims", self->claims, "[stack]");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED(": 16 claims outside of the ranges, not judged\n");
	EXPECT_PRINTED("no claim lies in the ranges");
	snprintf(self->range, sizeof(self->range), "%llx+%x", self->m.start,
		 (unsigned int)self->m.page_size);
	PTWALK("check", self->pid, "--partial", "--claims", self->claims, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(": 15 claims outside of the ranges, not judged\n");
	EXPECT_PRINTED("1 claim compared, 0 match, 0 explained, 0 unstable, 1 mismatch");
	PTWALK("check", self->pid, "--claims", "/");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("ptwalk: /: is a directory\n");
}

/* One that has no end, and a line that has none. */
TEST_F(command, endless_claims)
{
	PTWALK("check", self->pid, "--claims", "/dev/zero");
	EXPECT_STATUS(USAGE);
	EXPECT_PRINTED("/dev/zero:1: a NUL byte");
	EXPECT_ONE_LINE();
}

/* What was recorded is judged again, but not if half of it is missing. */
TEST_F(command, recordings)
{
	struct stat st;
	int status;

	PTWALK("check", self->pid, self->range, "--known-bugs", "--record", self->claims);
	EXPECT_STATUS(MATCH);
	PTWALK("check", "--known-bugs", "--replay", self->claims);
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, stat(self->claims, &st));
	ASSERT_EQ(0, truncate(self->claims, st.st_size / 2));
	PTWALK("check", "--known-bugs", "--replay", self->claims);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("cut off");

	PTWALK("rss", self->pid, "--known-bugs", "--record", self->claims);
	status = out.status;
	PTWALK("rss", "--known-bugs", "--replay", self->claims);
	/* What was right at another look only, nobody can look at again. */
	if (status != MATCH || out.status != UNSTABLE) {
		EXPECT_STATUS(status);
	}
	EXPECT_PRINTED(" figures: ");
	ASSERT_EQ(0, stat(self->claims, &st));
	ASSERT_EQ(0, truncate(self->claims, st.st_size / 2));
	PTWALK("rss", "--known-bugs", "--replay", self->claims);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("cut off");
	PTWALK("rss", "--replay", self->claims, self->pid);
	EXPECT_STATUS(USAGE);
	PTWALK("rss", self->pid, "--known-bugs", "--record", "/dev/full");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("/dev/full: ");
}

TEST_F(command, process_that_does_not_exist)
{
	static const char *const commands[] = { "check", "dump", "pagemap" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		PTWALK(commands[i], "4194303");
		EXPECT_STATUS(UNCHECKED);
		EXPECT_NE('\0', out.text[0]);
	}
	PTWALK("translate", "4194303", "1000");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
}

/* The name is repeated: of many in a script, it is one that is wrong. */
TEST_F(command, device_that_does_not_exist)
{
	PTWALK("iova", "0000:7f:1f.7");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("device 'pci/0000:7f:1f.7': no such device");
	EXPECT_ONE_LINE();
	PTWALK("iova", "platform/no-such", "1000+1000");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("device 'platform/no-such': no such device");
	EXPECT_ONE_LINE();
	PTWALK("iova", "/sys/devices/no-such");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("device '/sys/devices/no-such': no such path");
	EXPECT_ONE_LINE();
}

/* The fixture driver's own device, which exists on paper only. */
TEST_F(command, device_without_iommu)
{
	if (driver_load())
		SKIP(return, "there is no ptwalk_fixture module");
	PTWALK("iova", "platform/ptwalk_fixture");
	/* Where bus addresses follow from physical ones, that is the answer. */
	if (strstr(out.text, "  BUS ")) {
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED("\nno IOMMU that translates: the bus address is");
	} else {
		EXPECT_STATUS(UNCHECKED);
		EXPECT_PRINTED("ptwalk: platform/ptwalk_fixture: no IOMMU");
	}
}

TEST_F(command, kernel_thread)
{
	PTWALK("check", "2");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("kernel thread");
	PTWALK("dump", "2");
	EXPECT_STATUS(UNCHECKED);
	PTWALK("translate", "2", "1000");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("kernel thread");
}

TEST_F(command, bad_words)
{
	PTWALK("check", self->pid, "2000-1000");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	PTWALK("dump", self->pid, "2000-1000");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	PTWALK("pagemap", self->pid, "2000-1000");
	EXPECT_STATUS(USAGE);
	PTWALK("translate", self->pid, "1000zz");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	PTWALK("translate", self->pid, "0x");
	EXPECT_STATUS(USAGE);
	PTWALK("translate", self->pid, "10000000000000000");
	EXPECT_STATUS(USAGE);
	PTWALK("translate", "12x", "1000");
	EXPECT_STATUS(USAGE);
	PTWALK("translate", "-1", "1000");
	EXPECT_STATUS(USAGE);
	PTWALK("check", "0");
	EXPECT_STATUS(USAGE);
	PTWALK("check", self->pid, "1000-2000x");
	EXPECT_STATUS(USAGE);
	PTWALK("check");
	EXPECT_STATUS(USAGE);
	PTWALK("check", "--nonsense", self->pid);
	EXPECT_STATUS(USAGE);
	PTWALK("nonsense");
	EXPECT_STATUS(USAGE);
	PTWALK("decode", "zz");
	EXPECT_STATUS(USAGE);
}

TEST_F(command, no_permission)
{
	const char *const argv[][5] = {
		{ self->ptwalk, "check", self->pid },
		{ self->ptwalk, "check", "--all" },
		{ self->ptwalk, "translate", self->pid, "1000" },
		{ self->ptwalk, "dump", self->pid },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(argv); i++) {
		run_as(&out, NOBODY, argv[i]);
		EXPECT_STATUS(UNCHECKED);
		EXPECT_TRUE(strstr(out.text, "CAP_SYS_ADMIN") ||
			    strstr(out.text, "Permission denied"))
			TH_LOG("printed: %.600s", out.text);
	}
}

TEST_F(command, no_module)
{
	if (!module_loaded("ptwalk") || !module_file_exists("ptwalk"))
		SKIP(return, "ptwalk is built in, or has no file");
	ASSERT_EQ(0, module_settles("ptwalk", 0));
	ASSERT_EQ(0, module_unload("ptwalk"));
	PTWALK("check", self->pid, self->range);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("module");
	PTWALK("translate", self->pid, "1000");
	EXPECT_STATUS(UNCHECKED);
	PTWALK("dump", self->pid);
	EXPECT_STATUS(UNCHECKED);
	/* These don't need it. */
	PTWALK("pagemap", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	PTWALK("decode", "8000000000001234");
	EXPECT_STATUS(MATCH);
	ASSERT_EQ(0, module_load("ptwalk"));
	PTWALK("check", self->pid, self->range);
	EXPECT_STATUS(MATCH);
}

static size_t lines_with(const char *text, const char *words)
{
	size_t nr = 0;

	for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
		nr++;
	return nr;
}

/* What differs in its frames only is a line; a few pages have one each, and -v has all. */
TEST_F(command, pagemap_of_scattered)
{
	const size_t size = self->m.page_size, half = 256;
	char *const pages = mmap(NULL, 2 * half * size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char range[64], few[64], line[96];
	size_t runs;

	ASSERT_NE(MAP_FAILED, pages);
	madvise(pages, 2 * half * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < half; i++) {
		pages[i * size] = 1;
		pages[(2 * half - 1 - i) * size] = 1;
	}
	snprintf(range, sizeof(range), "%#lx+%#zx", (long)pages, half * size);
	PTWALK("pagemap", "--json", self->pid, range);
	EXPECT_STATUS(MATCH);
	runs = lines_with(out.text, "\"type\":\"run\"");
	if (runs <= 8)
		SKIP(return, "the kernel gave frames in a row");
	EXPECT_EQ(runs, lines_with(out.text, "\"pfn\":"));
	/* How many there are may change at any time: the kernel moves pages. */
	snprintf(line, sizeof(line), "%#lx %8zu pages  present in ", (long)pages, half);
	PTWALK("pagemap", self->pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(line);
	EXPECT_PRINTED(" scattered pieces");
	EXPECT_ONE_LINE();
	PTWALK("pagemap", "-v", self->pid, range);
	EXPECT_UNPRINTED("scattered", " pfn 0x");
	EXPECT_LT(4, lines_with(out.text, " pfn 0x"));
	snprintf(few, sizeof(few), "%#lx+%#zx", (long)pages, 4 * size);
	PTWALK("pagemap", self->pid, few);
	EXPECT_UNPRINTED("scattered", " pfn 0x");
	munmap(pages, 2 * half * size);
}

TEST_F(command, decode_of_both_formats)
{
	PTWALK("decode", "86000000000FD6D6");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("fd6d6");
	PTWALK("decode", "0600000000000000");
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("4.2");
}

/* What the kernel keeps to itself isn't a matter of the offset. */
TEST_F(command, map_refused_memory)
{
	if (access("/dev/mem", R_OK))
		SKIP(return, "there is no /dev/mem");
	PTWALK("translate", "--map", "/dev/mem:0x8000000:0x1000", "self", "/dev/mem");
	if (!out.status)
		SKIP(return, "this kernel lets all RAM be mapped");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("IO_STRICT_DEVMEM");
	EXPECT_ONE_LINE();
}

TEST_HARNESS_MAIN
