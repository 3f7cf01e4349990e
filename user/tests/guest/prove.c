// SPDX-License-Identifier: GPL-2.0
/*
 * check --prove on every kind of mapping: what it proves, what it can't read,
 * what it must detect, and what it must not change.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include "build_driver.h"
#include "command.h"
#include "stepped.h"
#include "test.h"

/* As much of a mapping as is read. */
#define MOST_BYTES	(32UL << 20)
#ifndef MAP_HUGE_1GB
#define MAP_HUGE_1GB	(30 << 26)
#endif
/* Pages that are claimed to be somewhere. */
#define CLAIMS		64

static struct output out;

#define PTWALK(...)	run(&out, ptwalk_command(), __VA_ARGS__)

/* A number of the summary, or -1. */
static long long number(const char *name)
{
	const char *at = strstr(out.text, "\"type\":\"summary\"");
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "\"%s\":", name);
	at = at ? strstr(at, quoted) : NULL;
	return at ? atoll(at + strlen(quoted)) : -1;
}

/* Whether this kernel has what it takes; *why if not. */
static bool can_prove(const char **why)
{
	int fd;

	*why = "there is no ptwalk command in PATH";
	if (!ptwalk_command())
		return false;
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	*why = "the kernel has no /proc/kcore, or keeps it closed";
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool is_present(u64 bits)
{
	return ptwalk_bits_kind(bits) == PTWALK_KIND_PRESENT;
}

/*
 * Whether it is memory that /proc/PID/mem and /proc/kcore have. What the first
 * refuses is for the kernel to know: special entries, secrets, and what the
 * process itself may not read, with CONFIG_PROC_MEM_FORCE_PTRACE.
 */
static bool is_provable(int mem, u64 addr, u64 bits, u64 vma_flags)
{
	char byte;

	if (!is_present(bits) || !(ptwalk_bits_flags(bits) & PTWALK_FLAG_RAM) ||
	    vma_flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO))
		return false;
	if (lseek(mem, addr, SEEK_SET) == -1)
		return false;
	return read(mem, &byte, 1) == 1;
}

/* A page of the test's own that no other is like. */
static char *strange_page(u64 page_size)
{
	char *page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (page == MAP_FAILED || getrandom(page, page_size, 0) < 256)
		abort();
	mlock(page, page_size);
	return page;
}

FIXTURE(prove)
{
	struct ptw ptw;
	struct mapping m;
	u64 pages;
	int mem;
	char pid[16], range[64];
};

FIXTURE_VARIANT(prove)
{
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(prove, name) { .build = build_##name };
BUILDERS(ADD)

FIXTURE_SETUP(prove)
{
	const char *why;
	char path[32];

	if (!can_prove(&why))
		SKIP(return, "%s", why);
	SETUP_MAPPING(self, variant->build);
	snprintf(path, sizeof(path), "/proc/%d/mem", self->m.pid);
	self->mem = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->mem);
	self->pages = MOST_BYTES / self->m.page_size;
	if (self->pages > self->m.pages)
		self->pages = self->m.pages;
	snprintf(self->pid, sizeof(self->pid), "%d", self->m.pid);
	snprintf(self->range, sizeof(self->range), "%llx+%llx", self->m.start,
		 self->pages * self->m.page_size);
}

FIXTURE_TEARDOWN(prove)
{
	close(self->mem);
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* All of the pages, as the module tells them. */
static void dump(struct __test_metadata *_metadata, FIXTURE_DATA(prove) *self,
		 struct ptw_dump *d)
{
	memset(d, 0, sizeof(*d));
	ASSERT_EQ(0, ptw_dump(&self->ptw, self->m.pid, self->m.start,
			      self->m.start + self->pages * self->m.page_size - 1, d));
}

/* How many pages must be proven, by what the builder made of them. */
static u64 must_be_proven(const struct mapping *m, u64 pages)
{
	struct proc_vma vma;
	u64 sum = 0;
	int i;

	for (i = 0; i < m->nr_expects; i++) {
		const struct expect *e = &m->expect[i];
		u64 nr = (e->addr - m->start) / m->page_size;

		if (e->kinds != KIND(PRESENT) || nr >= pages ||
		    !(e->set & PTWALK_FLAG_PAGE) ||
		    !(e->vma_set & PTWALK_VMA_FLAG_READ) ||
		    (!proc_vma(m->pid, e->addr, &vma) && strstr(vma.name, "secretmem")))
			continue;
		sum += e->pages < pages - nr ? e->pages : pages - nr;
	}
	return sum;
}

/*
 * All that can be read is proven, nothing is left out in silence, nothing is
 * faulted in or parted: nothing but accessed bits may change.
 */
TEST_F(prove, all_that_can_be_read)
{
	const u64 young = (u64)PTWALK_FLAG_YOUNG << PTWALK_BITS_FLAGS_SHIFT;
	u64 provable = 0, others = 0, i;
	struct ptw_dump before, after;
	struct ptw_extent a, b;

	dump(_metadata, self, &before);
	for (i = 0; i < self->pages; i++) {
		u64 addr = self->m.start + i * self->m.page_size;
		struct ptw_vma vma;

		if (!ptw_dump_find(&before, self->m.info.page_shift, addr, &a, &vma))
			continue;
		if (is_provable(self->mem, addr, a.bits, vma.flags))
			provable++;
		else if (ptwalk_bits_kind(a.bits) != PTWALK_KIND_NONE &&
			 ptwalk_bits_kind(a.bits) != PTWALK_KIND_MARKER)
			others++;
	}
	EXPECT_LE(must_be_proven(&self->m, self->pages), provable);

	PTWALK("check", "--source", "prove", "--json", self->pid, self->range);
	/* No process can have memory there, so that the range is a mistake. */
	if (self->m.unmapped && out.status == USAGE &&
	    strstr(out.text, "it is an address of the kernel"))
		return;
	EXPECT_STATUS(provable ? MATCH : UNCHECKED);
	EXPECT_EQ(0, number("mismatch"));
	EXPECT_EQ(0, number("unstable"));
	EXPECT_EQ(provable, number("proven"))
		TH_LOG("printed: %.700s", out.text);
	EXPECT_EQ(others, number("unreadable"))
		TH_LOG("printed: %.700s", out.text);

	dump(_metadata, self, &after);
	for (i = 0; i < self->pages; i++) {
		u64 addr = self->m.start + i * self->m.page_size;

		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		ASSERT_EQ(ptw_dump_find(&before, self->m.info.page_shift, addr, &a, NULL),
			  ptw_dump_find(&after, self->m.info.page_shift, addr, &b, NULL));
		ASSERT_EQ(a.value, b.value)
			TH_LOG("%#llx is another page", addr);
		/* Memory nearby may have brought a table to where there was none. */
		if (ptwalk_bits_kind(a.bits) == PTWALK_KIND_NONE &&
		    ptwalk_bits_kind(b.bits) == PTWALK_KIND_NONE)
			continue;
		ASSERT_EQ(a.bits | young, b.bits | young)
			TH_LOG("%#llx has changed", addr);
	}
	ptw_dump_free(&before);
	ptw_dump_free(&after);
}

static int write_claims(const char *path, const struct ptw_page *pages,
			const u64 *paddr, size_t nr)
{
	FILE *file = fopen(path, "we");
	size_t i;

	if (!file)
		return -1;
	for (i = 0; i < nr; i++)
		fprintf(file, "%llx %llx\n", (u64)pages[i].t.addr, paddr[i]);
	return fclose(file);
}

/* The pages that can be proven, or the first of them. */
static size_t provable_pages(FIXTURE_DATA(prove) *self, struct ptw_page *pages)
{
	struct ptw_page page;
	size_t nr = 0;
	u64 i;

	for (i = 0; i < self->pages && i < 4 * CLAIMS && nr < CLAIMS; i++) {
		if (ptw_translate_one(&self->ptw, self->m.pid,
				      self->m.start + i * self->m.page_size, &page))
			abort();
		if (is_provable(self->mem, page.t.addr, page.t.bits, page.vma.flags))
			pages[nr++] = page;
	}
	return nr;
}

/*
 * Claims are proven without asking the module where the pages are: right ones
 * pass, and whichever is wrong is found, by the bytes alone.
 */
TEST_F(prove, claims)
{
	char path[] = "/tmp/claims-XXXXXX", named[32];
	static struct ptw_page pages[CLAIMS], strange;
	static u64 paddr[CLAIMS];
	size_t nr = provable_pages(self, pages), i, lies;
	int fd;

	if (!nr)
		return;		/* the other test has seen why */
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), (uintptr_t)
				       strange_page(self->m.page_size), &strange));
	fd = mkstemp(path);
	ASSERT_LE(0, fd);
	close(fd);
	for (i = 0; i < nr; i++)
		paddr[i] = pages[i].t.value * self->m.page_size;

	ASSERT_EQ(0, write_claims(path, pages, paddr, nr));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ((long long)nr, number("proven"));
	EXPECT_EQ((long long)nr, number("pages"));

	/* The first, a middle and the last one. */
	lies = nr < 3 ? 1 : 3;
	for (i = 0; i < lies; i++)
		paddr[i * (nr - 1) / 2] = strange.t.value * self->m.page_size;
	ASSERT_EQ(0, write_claims(path, pages, paddr, nr));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(lies, number("mismatch"));
	EXPECT_EQ((long long)(nr - lies), number("proven"));
	EXPECT_PRINTED("\"source\":\"prove\"");
	for (i = 0; i < lies; i++) {
		snprintf(named, sizeof(named), "\"start\":\"0x%llx\"",
			 (u64)pages[i * (nr - 1) / 2].t.addr);
		/* Neighbours are one finding. */
		if (!i || nr > 4)
			EXPECT_PRINTED(named);
	}
	unlink(path);
}

FIXTURE(proof)
{
	struct ptw ptw;
	struct mapping m;
	pid_t busy;
	char pid[16], range[64];
};

FIXTURE_SETUP(proof)
{
	const char *why;

	if (!can_prove(&why))
		SKIP(return, "%s", why);
	SETUP_MAPPING(self, NULL);
}

FIXTURE_TEARDOWN(proof)
{
	process_end(self->busy);
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/*
 * Off by one page, which every second translator has been. What is claimed
 * are frames of ours, so that what they hold is known and stands still.
 */
TEST_F(proof, claims_off_by_one)
{
	char path[] = "/tmp/claims-XXXXXX", *at;
	static struct ptw_page pages[16];
	u64 paddr[16], i;
	int fd = mkstemp(path);

	ASSERT_LE(0, fd);
	close(fd);
	at = mapping_small(&self->m, 16);
	ASSERT_NE(NULL, at);
	ASSERT_LT(0, getrandom(at, 16 * self->m.page_size, 0));
	mapping_write(&self->m, at, 16);
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->m.start +
					       i * self->m.page_size, &pages[i]));
	for (i = 0; i < 16; i++)
		paddr[i] = pages[(i + 1) % 16].t.value * self->m.page_size;
	ASSERT_EQ(0, write_claims(path, pages, paddr, 16));
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(0, number("proven"));
	EXPECT_EQ(16, number("mismatch"));

	/* With the truth as well as by the bytes: both say so, of each page. */
	PTWALK("check", "--partial", "--claims", path, "--prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(16, number("mismatch"));
	EXPECT_PRINTED("\"source\":\"claims\"");
	EXPECT_PRINTED("\"source\":\"prove\"");

	/* An offset into the page belongs to the address, and to the place. */
	for (i = 0; i < 16; i++) {
		pages[i].t.addr += 8 * i;
		paddr[i] = pages[i].t.value * self->m.page_size + 8 * i;
	}
	ASSERT_EQ(0, write_claims(path, pages, paddr, 16));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(16, number("proven"));
	for (i = 0; i < 16; i++)
		paddr[i] += 8;
	ASSERT_EQ(0, write_claims(path, pages, paddr, 16));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(16, number("mismatch"));
	unlink(path);
}

/* What no bytes can show, right or wrong, hasn't been proven. */
TEST_F(proof, claims_that_cannot_be_read)
{
	char path[] = "/tmp/claims-XXXXXX", *at;
	static struct ptw_page pages[4];
	u64 paddr[4], i;
	FILE *file;
	int fd = mkstemp(path);

	ASSERT_LE(0, fd);
	close(fd);
	at = mapping_small(&self->m, 4);
	ASSERT_NE(NULL, at);
	ASSERT_LT(0, getrandom(at, 4 * self->m.page_size, 0));
	mapping_write(&self->m, at, 4);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), self->m.start +
					       i * self->m.page_size, &pages[i]));
		paddr[i] = pages[i].t.value * self->m.page_size;
	}
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());

	/* One is where no memory is. */
	paddr[1] = 1ULL << 51;
	ASSERT_EQ(0, write_claims(path, pages, paddr, 4));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("1 claim can't be proven");
	EXPECT_EQ(3, number("proven"));
	EXPECT_EQ(1, number("unreadable"));
	/* Who asks the module as well gets an answer. */
	PTWALK("check", "--partial", "--claims", path, "--prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);
	EXPECT_EQ(1, number("mismatch"));

	/* A mismatch beside it is one. */
	paddr[2] = paddr[3];
	ASSERT_EQ(0, write_claims(path, pages, paddr, 4));
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(MISMATCH);

	/* Nor do bytes show that something isn't mapped. */
	file = fopen(path, "we");
	ASSERT_NE(NULL, file);
	fprintf(file, "%llx -\n", (u64)pages[0].t.addr);
	fclose(file);
	PTWALK("check", "--partial", "--claims", path, "--source", "prove", "--json", self->pid);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("claimed-absent");
	unlink(path);
}

/* Documentation/kernel-bugs/gup-pud-prot-none.txt: a read would not end. */
TEST(page_of_a_pud_without_access)
{
	const size_t size = 1UL << 30;
	char pid[16], addr[32], *at;
	const char *why;

	if (!can_prove(&why))
		SKIP(return, "%s", why);
	if (sizeof(long) < 8)
		SKIP(return, "no room for 1 GiB");
	at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_1GB, -1, 0);
	if (at == MAP_FAILED)
		SKIP(return, "no hugetlb page of 1 GiB");
	*at = 1;
	ASSERT_EQ(0, mprotect(at, size, PROT_NONE));
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(addr, sizeof(addr), "%#lx", (unsigned long)at);
	PTWALK("check", "--source", "prove", "--json", pid, addr);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("never-ends");
	/* It is proven where it may be read. */
	ASSERT_EQ(0, mprotect(at, size, PROT_READ));
	PTWALK("check", "--source", "prove", "--json", pid, addr);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(1, number("proven"));
	ASSERT_EQ(0, munmap(at, size));
}

/* One word of a page changes all the time, and all words of another. */
static void hurry(struct mapping *m)
{
	volatile u64 *at = (u64 *)(uintptr_t)m->start;
	size_t words = m->page_size / sizeof(*at), i;
	u64 n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mapping_read(m, (char *)at, 4);
	at[1] = 0;
	for (n = 0;; n++) {
		at[words + 5] = n;
		for (i = 0; i < words; i++)
			at[3 * words + i] = n + i;
	}
}

/*
 * Whatever moves is never a mismatch, and doesn't keep what stands still from
 * being proven. In a process that is stopped, nothing moves.
 */
TEST_F(proof, busy_pages)
{
	char *at = mapping_shared(&self->m, 4);
	volatile u64 *begun;

	ASSERT_NE(NULL, at);
	ASSERT_LT(0, getrandom(at, 4 * self->m.page_size, 0));
	mapping_write(&self->m, at, 4);
	begun = (u64 *)at + 1;
	*begun = 1;
	self->busy = fork();
	if (!self->busy)
		hurry(&self->m);
	ASSERT_LT(0, self->busy);
	snprintf(self->pid, sizeof(self->pid), "%d", self->busy);
	snprintf(self->range, sizeof(self->range), "%llx+%llx", self->m.start,
		 4 * self->m.page_size);
	while (*begun)
		usleep(1000);
	PTWALK("check", "--source", "prove", "--json", self->pid, self->range);
	EXPECT_TRUE(out.status == MATCH || out.status == UNSTABLE)
		TH_LOG("printed: %.700s", out.text);
	EXPECT_EQ(0, number("mismatch"));
	EXPECT_LE(2, number("proven"));
	PTWALK("check", "--source", "prove", "--freeze", "--json", self->pid,
	       self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ(4, number("proven"));
	EXPECT_EQ(4, number("alone"));
}

/* It has the memory, and sleeps. */
static void hold(void *arg, int nr)
{
	struct mapping *m = arg;

	mapping_read(m, (char *)(uintptr_t)m->start, 2);
}

/* Runs the command, and makes each second word of a page 0 or 1 at each of its steps. */
static void run_flipping(struct __test_metadata *_metadata, const char *const *argv,
			 volatile u64 *at, size_t words)
{
	struct stepped stepped;
	u64 bits = 1;
	size_t i;

	ASSERT_EQ(0, stepped_start(&stepped, argv));
	while (stepped_step(&stepped, &out)) {
		for (i = 1; i < words; i += 2) {
			bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
			at[i] = bits >> 63;
		}
	}
}

/*
 * By chance a word is one thing whenever it is read through the process, and another
 * one in between. It isn't always the same word: the page is right, and a wrong
 * one is told by what stands still beside it.
 */
TEST_F(proof, two_values)
{
	char path[] = "/tmp/claims-XXXXXX", *at = mapping_shared(&self->m, 2);
	const char *const pages[] = {
		ptwalk_command(), "check", "--source", "prove", "--json", self->pid,
		self->range, NULL
	};
	const char *const claims[] = {
		ptwalk_command(), "check", "--source", "prove", "--json", self->pid,
		"--partial", "--claims", path, NULL
	};
	const size_t words = self->m.page_size / sizeof(u64);
	static struct ptw_page page, other;
	struct target target;
	int fd = mkstemp(path);
	u64 paddr;

	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_NE(NULL, at);
	ASSERT_LT(0, getrandom(at, 2 * self->m.page_size, 0));
	mapping_write(&self->m, at, 2);
	ASSERT_EQ(0, target_start(&target, hold, &self->m));
	snprintf(self->pid, sizeof(self->pid), "%d", target.pid);
	snprintf(self->range, sizeof(self->range), "%llx+%llx", self->m.start,
		 self->m.page_size);
	run_flipping(_metadata, pages, (u64 *)at, words);
	EXPECT_TRUE(out.status == MATCH || out.status == UNSTABLE)
		TH_LOG("printed: %.700s", out.text);
	EXPECT_EQ(0, number("mismatch"));

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, target.pid, self->m.start, &page));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, target.pid,
				       self->m.start + self->m.page_size, &other));
	paddr = other.t.value * self->m.page_size;
	ASSERT_EQ(0, write_claims(path, &page, &paddr, 1));
	run_flipping(_metadata, claims, (u64 *)at, words);
	EXPECT_STATUS(MISMATCH);
	unlink(path);
	target_end(&target);
}

/* Something else in the place of /proc/kcore, as where it can't be read. */
TEST_F(proof, without_kcore)
{
	char *at = mapping_small(&self->m, 4);

	ASSERT_NE(NULL, at);
	mapping_write(&self->m, at, 4);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("/dev/null", "/proc/kcore", NULL, MS_BIND, NULL))
		SKIP(return, "nothing can be mounted over /proc/kcore: %s", strerror(errno));
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	snprintf(self->range, sizeof(self->range), "%llx+%llx", self->m.start,
		 4 * self->m.page_size);
	PTWALK("check", "--prove", self->pid, self->range);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_STREQ("ptwalk: --prove: /proc/kcore is empty\n", out.text);
	PTWALK("check", "--source", "prove", self->pid, self->range);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_STREQ("ptwalk: source prove: /proc/kcore is empty\n", out.text);
	/* It isn't missed where it isn't asked for. */
	PTWALK("check", self->pid, self->range);
	EXPECT_STATUS(MATCH);
}

/* Memory of a driver, mapped into ptwalk itself, which may read it all. */
FIXTURE(driver_memory)
{
	struct ptw ptw;
	struct mapping m;
	struct driver_region region;
};

FIXTURE_VARIANT(driver_memory)
{
	const char *name;
	builder_t build;
};

#define ADD_DRIVER(name_) \
	FIXTURE_VARIANT_ADD(driver_memory, name_) { \
		.name = #name_, .build = build_##name_ };
DRIVER_BUILDERS(ADD_DRIVER)

FIXTURE_SETUP(driver_memory)
{
	const char *why;

	if (!can_prove(&why))
		SKIP(return, "%s", why);
	SETUP_MAPPING(self, variant->build);
	ASSERT_EQ(0, build_driver_region(variant->name, &self->region));
}

FIXTURE_TEARDOWN(driver_memory)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

TEST_F(driver_memory, proven)
{
	u64 pages = self->region.length / self->m.page_size;
	char map[128];

	if (pages > 512)
		pages = 512;
	snprintf(map, sizeof(map), "%s:0x%llx:0x%llx", DRIVER_DEVICE,
		 self->region.offset, pages * self->m.page_size);
	if (self->region.device) {
		/* Its registers aren't even looked at. */
		PTWALK("check", "--source", "prove", "--json", "--map", map, "self",
		       DRIVER_DEVICE);
		EXPECT_STATUS(UNCHECKED);
		EXPECT_EQ(0, number("proven"));
		return;
	}
	ASSERT_LT(0, getrandom((void *)(uintptr_t)self->m.start, self->m.page_size, 0));
	mapping_write(&self->m, (char *)(uintptr_t)self->m.start, pages);
	PTWALK("check", "--source", "prove", "--json", "--map", map, "--touch",
	       "self", DRIVER_DEVICE);
	EXPECT_STATUS(MATCH);
	EXPECT_EQ((long long)pages, number("proven"));
	EXPECT_EQ((long long)pages, number("alone"));
	EXPECT_EQ(0, number("unreadable"));
}

TEST_HARNESS_MAIN
