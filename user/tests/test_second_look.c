// SPDX-License-Identifier: GPL-2.0
/*
 * Both looks at a made-up process through a made-up interface that is wrong
 * only for some requests: which requests follow, and what is told of it.
 */
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <signal.h>
#include "base/error.h"
#include "check/process.h"
#include "check/rules.h"
#include "claims/claims.h"
#include "proc/pagemap_bits.h"
#include "report/describe.h"
#include "tests.h"

#define PAGES	64
#define PFN	0x1000

/**
 * struct source_file - a file that remembers
 * @reads: How often it was read.
 */
struct source_file {
	unsigned int reads;
};

/**
 * struct asked - a request as it came
 * @frames: Pages whose frames were asked about.
 */
struct asked {
	const struct source_file *file;
	uint64_t addr;
	size_t nr, frames;
};

static struct ptwalk_vma vma = {
	.start = TEST_ADDR, .last = TEST_ADDR + (PAGES << 12) - 1,
	.flags = PTWALK_VMA_FLAG_READ,
};
static uint64_t mapped = PAGES;
static uint64_t mapped_later;	/* what the second look finds of it, or 0: all */
static struct asked asked[256];
static unsigned int nr_asked, reads;
static uint64_t asked_pages, asked_pieces;
static struct process process;
static uint64_t asleep;
static bool shared;
static uint64_t space;	/* as procs_space() */
static bool faked;

/* Whether this answer is wrong of this page: its PFN. */
static bool (*is_wrong)(const struct source_file *file,
			const struct source_pages *pages, uint64_t page);

int __real_truth_runs(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last,
		      int (*each)(const struct ptwalk_runs *runs, void *arg),
		      void *arg);
int __wrap_truth_runs(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last,
		      int (*each)(const struct ptwalk_runs *runs, void *arg),
		      void *arg);
int __real_truth_read(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last, struct truth *truth);
int __wrap_truth_read(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last, struct truth *truth);
int __real_truth_translate_cgroups(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
				   size_t nr, struct ptwalk_translation *out,
				   struct ptwalk_page *pages, uint64_t *cgroups,
				   struct ptwalk_vma **vmas, size_t *nr_vmas, uint32_t *levels);
int __wrap_truth_translate_cgroups(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
				   size_t nr, struct ptwalk_translation *out,
				   struct ptwalk_page *pages, uint64_t *cgroups,
				   struct ptwalk_vma **vmas, size_t *nr_vmas, uint32_t *levels);
int __real_truth_translate(struct ptwalk *client, pid_t pid, const uint64_t *addrs, size_t nr,
			   struct ptwalk_translation *out, struct ptwalk_vma **vmas,
			   size_t *nr_vmas, uint32_t *levels);
int __wrap_truth_translate(struct ptwalk *client, pid_t pid, const uint64_t *addrs, size_t nr,
			   struct ptwalk_translation *out, struct ptwalk_vma **vmas,
			   size_t *nr_vmas, uint32_t *levels);
uint64_t __wrap_procs_asleep(pid_t pid);
uint64_t __wrap_procs_space(pid_t pid);
bool __wrap_space_may_be_shared(pid_t pid);

#define BITS	ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,			\
			    PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |	\
			    PTWALK_FLAG_EXCLUSIVE)

/* The frames in lists, of so many pages a message; each replaces the last one. */
static uint64_t list_pages;

static int each_list(int (*each)(const struct ptwalk_runs *runs, void *arg), void *arg)
{
	uint64_t words[2 + 4096], first, nr;
	struct ptwalk_runs runs;
	int err = 0;

	assert_true(list_pages <= 4096);
	for (first = 0; !err && first < mapped; first += nr) {
		nr = mapped - first < list_pages ? mapped - first : list_pages;
		memset(&runs, 0xff, sizeof(runs));
		runs = (struct ptwalk_runs){
			.vma = vma, .start = vma.start + (first << 12),
			.word = words, .nr = 2 + nr,
		};
		words[0] = BITS | 1ULL << PTWALK_BITS_LIST_SHIFT;
		words[1] = nr;
		for (uint64_t i = 0; i < nr; i++)
			words[2 + i] = PFN + first + i;
		err = each(&runs, arg);
		memset(words, 0xff, sizeof(words));
		memset(&runs, 0xff, sizeof(runs));
	}
	return err;
}

/* A message with a mixed list: the pages, and what pagemap shows of each kind of them. */
#define MIXED_PAGES	4096

static const struct {
	uint32_t kind, aux, flags;
	unsigned int shift;
	uint64_t shows;
} mixed_kinds[] = {
	{ PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON, 0, PM_PRESENT },
	{ PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE,
	  0, PM_PRESENT | PM_EXCLUSIVE },
	{ PTWALK_KIND_SWAP, 1, 0, 5, PM_SWAP | 1 },
	{ PTWALK_KIND_NONE, 0, 0, 0, 0 },
};

#define MIXED_KINDS	(sizeof(mixed_kinds) / sizeof(mixed_kinds[0]))

static uint64_t mixed[MIXED_PAGES];
static bool is_mixed;

static int each_mixed(int (*each)(const struct ptwalk_runs *runs, void *arg), void *arg)
{
	uint64_t words[2 + MIXED_PAGES];
	struct ptwalk_runs runs = {
		.vma = vma, .start = vma.start, .word = words, .nr = 2 + mapped,
		.nr_mixed = MIXED_KINDS,
	};

	for (size_t i = 0; i < MIXED_KINDS; i++)
		runs.mixed[i] = ptwalk_bits(mixed_kinds[i].kind, 0, mixed_kinds[i].aux,
					    mixed_kinds[i].flags);
	words[0] = ptwalk_bits(PTWALK_KIND_MIXED, 0, 0, 0) | 1ULL << PTWALK_BITS_LIST_SHIFT;
	words[1] = mapped;
	memcpy(words + 2, mixed, mapped * sizeof(*words));
	return each(&runs, arg);
}

static uint64_t shown_of_mixed(uint64_t page)
{
	const size_t kind = ptwalk_mixed_number(mixed[page]);

	return mixed_kinds[kind].shows | ptwalk_mixed_value(mixed[page]) << mixed_kinds[kind].shift;
}

/* Many mappings, or one that has a page now and then. */
static struct {
	uint64_t vmas, stride, pages, every;
} many;

static bool is_mapped(uint64_t page)
{
	if (!many.vmas)
		return page < mapped;
	return page / many.stride < many.vmas &&
	       page % many.stride < many.pages &&
	       !(page % many.stride % many.every);
}

static int each_of_many(int (*each)(const struct ptwalk_runs *runs, void *arg), void *arg)
{
	static uint64_t words[3 * 2 * 8192];
	struct ptwalk_runs runs = { .word = words };
	uint64_t *word, i, page;
	int err = 0;

	for (i = 0; !err && i < many.vmas; i++) {
		runs.vma = vma;
		runs.start = runs.vma.start = vma.start + (i * many.stride << 12);
		runs.vma.last = runs.start + (many.pages << 12) - 1;
		word = words;
		for (page = 0; page < many.pages; page += many.every) {
			*word++ = BITS;
			*word++ = 1;
			*word++ = PFN + i * many.stride + page;
			if (many.every == 1)
				continue;
			*word++ = ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0);
			*word++ = many.every - 1;
			*word++ = 0;
		}
		runs.nr = word - words;
		assert_true(runs.nr <= sizeof(words) / sizeof(words[0]));
		err = each(&runs, arg);
	}
	return err;
}

int __wrap_truth_runs(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last,
		      int (*each)(const struct ptwalk_runs *runs, void *arg),
		      void *arg)
{
	const uint64_t words[] = { BITS, mapped, PFN };
	const struct ptwalk_runs runs = {
		.vma = vma, .start = vma.start, .word = words, .nr = 3,
	};

	if (faked && is_mixed)
		return each_mixed(each, arg);
	if (faked && many.vmas)
		return each_of_many(each, arg);
	if (faked && list_pages)
		return each_list(each, arg);
	return faked ? each(&runs, arg) :
		       __real_truth_runs(client, pid, start, last, each, arg);
}

int (*test_truth_read)(pid_t pid, uint64_t start, uint64_t last, struct truth *truth);
bool test_asleep;

int __wrap_truth_read(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last, struct truth *truth)
{
	const uint64_t nr = mapped_later ? mapped_later : mapped;
	const struct truth wanted = *truth;
	uint64_t first, behind;

	if (test_truth_read)
		return test_truth_read(pid, start, last, truth);
	if (!faked)
		return __real_truth_read(client, pid, start, last, truth);
	truth_free(truth);
	truth->arg = wanted.arg;
	/* Clipped, as those of the module are. */
	first = start > vma.start ? (start - vma.start) >> 12 : 0;
	behind = last < vma.start ? 0 : ((last - vma.start) >> 12) + 1;
	if (behind > nr)
		behind = nr;
	if (first >= behind)
		return 0;
	truth->extents = calloc(1, sizeof(*truth->extents));
	truth->vmas = calloc(1, sizeof(*truth->vmas));
	truth->extents[0] = (struct ptwalk_extent){
		.addr = vma.start + (first << 12), .pages = behind - first,
		.value = PFN + first, .bits = BITS,
	};
	truth->vmas[0] = vma;
	truth->nr_extents = truth->nr_vmas = 1;
	if (wanted.want_pages)
		truth->pages = calloc(1, sizeof(*truth->pages));
	return wanted.take ? wanted.take(truth, truth->extents, truth->pages, 1) : 0;
}

int __wrap_truth_translate_cgroups(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
				   size_t nr, struct ptwalk_translation *out,
				   struct ptwalk_page *pages, uint64_t *cgroups,
				   struct ptwalk_vma **vmas, size_t *nr_vmas, uint32_t *levels)
{
	const uint64_t all = mapped_later ? mapped_later : mapped;
	uint64_t page;

	if (!faked)
		return __real_truth_translate_cgroups(client, pid, addrs, nr, out, pages,
						      cgroups, vmas, nr_vmas, levels);
	*vmas = malloc(sizeof(vma));
	**vmas = vma;
	*nr_vmas = 1;
	for (size_t i = 0; i < nr; i++) {
		page = (addrs[i] - vma.start) >> 12;
		out[i] = (struct ptwalk_translation){
			.value = page < all ? PFN + page : 0,
			.bits = page < all ? BITS : ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
		};
	}
	return 0;
}

/* What is told with a finding is asked for so; it may fail where the pages were looked at. */
static int fails_beside;

int __wrap_truth_translate(struct ptwalk *client, pid_t pid, const uint64_t *addrs, size_t nr,
			   struct ptwalk_translation *out, struct ptwalk_vma **vmas,
			   size_t *nr_vmas, uint32_t *levels)
{
	if (!faked)
		return __real_truth_translate(client, pid, addrs, nr, out, vmas, nr_vmas, levels);
	return fails_beside ?: __wrap_truth_translate_cgroups(client, pid, addrs, nr, out, NULL,
							      NULL, vmas, nr_vmas, levels);
}

uint64_t __wrap_procs_asleep(pid_t pid)
{
	return test_truth_read ? test_asleep : asleep;
}

uint64_t __real_procs_space(pid_t pid);

uint64_t __wrap_procs_space(pid_t pid)
{
	return faked ? space : __real_procs_space(pid);
}

bool __real_space_may_be_shared(pid_t pid);

bool __wrap_space_may_be_shared(pid_t pid)
{
	return test_truth_read ? false : faked ? shared : __real_space_may_be_shared(pid);
}

static int fake_open(const struct source *source, pid_t pid, struct source_file **file)
{
	*file = calloc(1, sizeof(**file));
	return 0;
}

static void fake_close(struct source_file *file)
{
	free(file);
}

static size_t frames_in(const struct source_pages *pages)
{
	size_t nr = 0;

	for (size_t i = 0; pages->frame && i < pages->nr; i++)
		nr += pages->frame[i] != SOURCE_NO_FRAME;
	return nr;
}

static ssize_t fake_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	uint64_t i, page;

	asked_pages += pages->nr;
	asked_pieces += process.batch.nr;
	if (nr_asked < 256)
		asked[nr_asked] = (struct asked){
			file, pages->addr, pages->nr, frames_in(pages),
		};
	nr_asked++;
	file->reads++;
	reads++;
	for (i = 0; i < pages->nr; i++) {
		page = (pages->addr + (i << 12) - vma.start) >> 12;
		values[i] = is_mixed ? shown_of_mixed(page) : is_mapped(page) ?
			    PM_PRESENT | PM_EXCLUSIVE | (PFN + page) : 0;
		values[i] += is_wrong(file, pages, page);
	}
	return pages->nr;
}

/* Where it shows something if a whole hole is asked about. */
static uint64_t in_hole = UINT64_MAX;

static bool fake_hole(struct source_file *file, uint64_t start, uint64_t last,
		      uint64_t *addr, uint64_t *value)
{
	*addr = in_hole;
	*value = PM_PRESENT;
	return in_hole >= start && in_hole < last;
}

static struct source fake = {
	.name = "pagemap",
	.open = fake_open,
	.read = fake_read,
	.hole = fake_hole,
	.close = fake_close,
	.expect = expect_pagemap,
};

static struct report_finding told[8];
static unsigned int nr_told;
static uint64_t told_times;

static void tell(const struct report_finding *finding)
{
	assert_true(nr_told < 8);
	told[nr_told++] = *finding;
	if (finding->remark && finding->remark->times)
		told_times = finding->remark->times;
}

static const struct renderer renderer = { .finding = tell };

static struct ptwalk_kernel kernel;
static struct check check;
static const struct source *second;	/* beside the fake one, or NULL */

static struct map map = {
	.start = TEST_ADDR, .last = TEST_ADDR + (PAGES << 12) - 1, .name = "",
};

/* For done(). */
static void begin_process(void)
{
	process = (struct process){ .check = &check, .pid = 1, .page_shift = 12 };
	process.batch.values = calloc(BATCH_PAGES, sizeof(uint64_t));
	process.batch.frame = calloc(BATCH_PAGES, sizeof(uint64_t));
	process.batch.lists = calloc(BATCH_PAGES, sizeof(uint64_t));
	process.batch.known = calloc(CHECK_MAX_SOURCES, sizeof(*process.batch.known));
	process.batch.vmas = calloc(BATCH_VMAS, sizeof(*process.batch.vmas));
}

static void look_at(struct range range, bool (*wrong)(const struct source_file *file,
			       const struct source_pages *pages, uint64_t page),
		 bool sleeps)
{
	kernel = test_kernel(6, 12);
	for (int level = 0; level < PTWALK_LEVELS; level++)
		kernel.level_entries[level] = 512;
	check.renderer = &renderer;
	check.effort.retries = 12;
	check.source[0] = &fake;
	check.source[1] = second;
	check.nr_sources = second ? 2 : 1;
	check.env.kernel = &kernel;
	begin_process();
	process.maps = (struct maps){ .map = &map, .nr = 1 };
	is_wrong = wrong;
	nr_told = nr_asked = reads = 0;
	asleep = process.asleep = sleeps;
	fake_open(&fake, 1, &process.file[0]);
	fake_open(&fake, 1, &process.file[1]);
	faked = true;
	if (check.request)
		process_repeat(&process, check.request);
	else
		assert_int_equal(process_check_range(&process, &range),
				 space ? -ESRCH : 0);
	faked = false;
	process_settle(&process);
}

static void look(bool (*wrong)(const struct source_file *file,
			       const struct source_pages *pages, uint64_t page),
		 bool sleeps)
{
	look_at((struct range){ vma.start, vma.last }, wrong, sleeps);
}

/* A signal ends it before the next message of the module is taken. */
static void stopped(void **state)
{
	static const volatile sig_atomic_t stop = SIGTERM;
	const struct range range = { vma.start, vma.last };

	check = (struct check){ .stop = &stop };
	process = (struct process){ .check = &check, .pid = 1, .page_shift = 12 };
	faked = true;
	assert_int_equal(process_check_range(&process, &range), -EINTR);
	faked = false;
	assert_string_equal(error_text(), "interrupted");
	check.stop = NULL;
}

static void done(void)
{
	fake_close(process.file[0]);
	fake_close(process.file[1]);
	free(process.batch.values);
	free(process.batch.frame);
	free(process.batch.lists);
	free(process.batch.known);
	free(process.batch.vmas);
	free(process.findings.found);
	free(process.findings.judged);
	free(process.batch.piece);
	free(process.again.suspects[0].suspect);
	free(process.again.suspects[1].suspect);
}

static bool never(const struct source_file *file,
		  const struct source_pages *pages, uint64_t page)
{
	return false;
}

/* Behind the fortieth entry of a read: shorter reads are right. */
static bool by_length(const struct source_file *file,
		      const struct source_pages *pages, uint64_t page)
{
	return page - ((pages->addr - vma.start) >> 12) >= 40 && page < 50;
}

static bool by_start(const struct source_file *file,
		     const struct source_pages *pages, uint64_t page)
{
	return page == 50 && !(pages->addr & 0x1ffff);
}

/* Only an open file that was read before. */
static bool by_history(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	return page == 7 && file == process.file[0];
}

static bool first_time(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	return page == 7 && reads == 1;
}

/* Somebody who changes the page is in step with us for some time. */
static bool in_step(const struct source_file *file,
		    const struct source_pages *pages, uint64_t page)
{
	return page == 7 && reads <= 20;
}

static bool once_awake(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	if (reads == 4)
		asleep = 0;
	return in_step(file, pages, page);
}

/* One differs each time, another one each second time. */
static bool beside_another(const struct source_file *file,
			   const struct source_pages *pages, uint64_t page)
{
	return page == 7 || (page == 9 && reads % 2);
}

static bool fourth_time(const struct source_file *file,
			const struct source_pages *pages, uint64_t page)
{
	return page == 7 && (reads == 1 || reads == 4);
}

static bool always(const struct source_file *file,
		   const struct source_pages *pages, uint64_t page)
{
	return page == 7;
}

static void assert_told(enum verdict verdict, uint64_t page, uint64_t pages)
{
	assert_int_equal(nr_told, 1);
	assert_int_equal(told[0].verdict, verdict);
	assert_int_equal((told[0].truth.addr - vma.start) >> 12, page);
	assert_int_equal(told[0].pages, pages);
	assert_ptr_equal(told[0].request.source, &fake);
}

static void assert_request(uint64_t first, uint64_t last)
{
	assert_int_equal((told[0].request.start - vma.start) >> 12, first);
	assert_int_equal((told[0].request.last - vma.start) >> 12, last);
}

static void nothing_wrong(void **state)
{
	look(never, true);
	assert_int_equal(nr_told, 0);
	assert_int_equal(nr_asked, 1);
	done();
}

/* The same question comes first, on the same file; then on another one. */
static void repeated(void **state)
{
	look(by_length, true);
	assert_told(VERDICT_MISMATCH, 40, 10);
	assert_request(0, 40);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(asked[i].addr, vma.start);
		assert_int_equal(asked[i].nr, PAGES);
		assert_int_equal(asked[i].file == process.file[0],
				 i == 0 || i % 2 == 1);
	}
	done();
}

static bool in_two_places(const struct source_file *file,
			  const struct source_pages *pages, uint64_t page)
{
	return page == 7 || page == 9;
}

static bool on_the_open_file(const struct source_file *file,
			     const struct source_pages *pages, uint64_t page)
{
	return page == 7 && file == process.file[0];
}

static void narrowed(void **state)
{
	look(on_the_open_file, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	assert_request(7, 7);
	done();
	look(in_two_places, true);
	assert_int_equal(nr_told, 2);
	assert_request(7, 7);
	told[0] = told[1];
	assert_request(9, 9);
	done();
	look(always, false);
	assert_told(VERDICT_MISMATCH, 7, 1);
	assert_request(7, 7);
	done();
	look(by_start, false);
	assert_told(VERDICT_MISMATCH, 50, 1);
	assert_request(0, 50);
	done();
}

/* What isn't seen again counts if nobody can have changed the page. */
static void not_again(void **state)
{
	look(first_time, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	assert_request(0, PAGES - 1);
	assert_int_equal(told[0].seen & PM_PFN_MASK, PFN + 8);
	done();
	look(first_time, false);
	assert_int_equal(nr_told, 0);
	done();
	look(fourth_time, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	done();
	look(fourth_time, false);
	assert_told(VERDICT_UNSTABLE, 7, 1);
	done();
	look(by_history, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	done();
	look(by_history, false);
	assert_told(VERDICT_UNSTABLE, 7, 1);
	done();
	/* Another process with the same memory may run. */
	shared = true;
	look(fourth_time, true);
	shared = false;
	assert_told(VERDICT_UNSTABLE, 7, 1);
	done();
	/* It has called exec since the files were opened. */
	space = 1;
	look(first_time, true);
	space = 0;
	assert_int_equal(nr_told, 0);
	done();
}

/* Six times are enough only if nobody can have changed the page. */
static void woke_up(void **state)
{
	look(once_awake, true);
	assert_told(VERDICT_UNSTABLE, 7, 1);
	done();
	shared = true;
	look(in_step, true);
	shared = false;
	assert_told(VERDICT_UNSTABLE, 7, 1);
	done();
}

/* What one page takes beyond the retries is not taken from another one. */
static void rounds_of_each(void **state)
{
	unsigned int i, nr = 0;

	look(beside_another, false);
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[0].verdict, VERDICT_MISMATCH);
	assert_int_equal(told[1].verdict, VERDICT_UNSTABLE);
	for (i = 0; i < nr_asked; i++)
		nr += asked[i].addr == vma.start && asked[i].nr == PAGES;
	assert_int_equal(nr, 1 + check.effort.retries + 48 - 6);
	done();
}

/* When a request is made again, frames that are the process's no more aren't read. */
static void frames_again(void **state)
{
	fake.trait.framed = true;
	look(always, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	assert_int_equal(asked[0].frames, PAGES);
	assert_int_equal(asked[1].nr, PAGES);
	assert_int_equal(asked[1].frames, PAGES);
	done();
	mapped_later = 20;
	look(always, true);
	assert_told(VERDICT_MISMATCH, 7, 1);
	assert_int_equal(asked[0].frames, PAGES);
	for (unsigned int i = 1; i < nr_asked; i++)
		assert_in_range(asked[i].frames, 1, 20);
	assert_int_equal(asked[1].nr, PAGES);
	assert_int_equal(asked[1].frames, 20);
	done();
	mapped_later = 0;
	fake.trait.framed = false;
}

/* What is printed makes the same request in the same way. */
static void printed(void **state)
{
	static const struct {
		bool freeze, known_bugs, around_bugs, bugs;
		const char *options;
	} ways[] = {
		{ .options = "" },
		{ .freeze = true, .options = "--freeze " },
		{ .known_bugs = true, .options = "--known-bugs " },
		{ .freeze = true, .known_bugs = true,
		  .options = "--freeze --known-bugs " },
		{ .around_bugs = true, .options = "" },
		{ .around_bugs = true, .bugs = true, .options = "--known-bugs " },
	};
	char wanted[DESCRIBE_SIZE], text[DESCRIBE_SIZE];

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		check.freeze = ways[i].freeze;
		check.env.known_bugs = ways[i].known_bugs;
		check.env.around_bugs = ways[i].around_bugs;
		fake.trait.bugs = ways[i].bugs;
		look(always, false);
		assert_told(VERDICT_MISMATCH, 7, 1);
		snprintf(wanted, sizeof(wanted),
			 "ptwalk check %s--request pagemap:0x%llx-0x%llx 1",
			 ways[i].options, TEST_ADDR + 0x7000ULL, TEST_ADDR + 0x8000ULL);
		assert_string_equal(request_text(&told[0], text), "again");
		assert_string_equal(text, wanted);
		done();
	}
	fake.trait.bugs = false;
	check = (struct check){ 0 };

	/* Of ptwalk itself there is nothing left to ask. */
	told[0].pid = getpid();
	assert_string_equal(request_text(&told[0], text), "request");
	assert_memory_equal(text, "pagemap:", 8);
	told[0].request.source = NULL;
	assert_null(request_text(&told[0], text));
}

/* Where a read of some pages doesn't show it. */
static void whole_hole(void **state)
{
	const struct range range = { vma.start, vma.last + (1ULL << 32) };

	in_hole = vma.last + 1 + 0x12345000;
	look_at(range, never, true);
	assert_told(VERDICT_MISMATCH, PAGES + 0x12345, 1);
	assert_int_equal(told[0].seen, PM_PRESENT);
	done();
	look_at(range, never, false);
	assert_int_equal(nr_told, 0);
	done();
	in_hole = UINT64_MAX;
}

/* Behind 128 KiB of one read that begins with the mapping. */
static bool far_inside(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	return page == 16384 && pages->addr == vma.start;
}

static void make_mapping(uint64_t pages)
{
	mapped = pages;
	vma.last = map.last = vma.start + (pages << 12) - 1;
}

static void inside(void **state)
{
	make_mapping(24000);
	look(far_inside, false);
	assert_told(VERDICT_MISMATCH, 16384, 1);
	assert_request(0, 16384);
	done();
	/* However many messages the module tells of it in. */
	list_pages = 4000;
	look(far_inside, false);
	assert_told(VERDICT_MISMATCH, 16384, 1);
	done();
	list_pages = 0;
	make_mapping(PAGES);
}

static bool of_a_table(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	return page < mapped && page % 512 == 300;
}

static enum source_grain needs_facts(const struct env *env, const struct page_truth *truth)
{
	return page_kind(truth) == PTWALK_KIND_PRESENT ? SOURCE_FACTS : SOURCE_SKIPS;
}

static bool one_of_all(const struct source_file *file,
		       const struct source_pages *pages, uint64_t page)
{
	return page == 137;
}

/* Of a small process, all pages are compared with their facts; of others, some. */
static void with_facts(void **state)
{
	const uint64_t left = 1ULL << 50;
	uint64_t budget = left;
	unsigned int found = 0;

	fake.trait.drawn = true;
	fake.grain = needs_facts;
	fake.cost.call = 30000;
	fake.cost.page = 1000;
	check.effort.times = 1;
	for (unsigned int large = 0; large < 2; large++) {
		make_mapping(large ? 4000 : 500);
		for (check.effort.seed = 0; check.effort.seed < 8; check.effort.seed++) {
			look(one_of_all, true);
			assert_in_range(process.counts.cost, PLAIN_LEAST * 3 / 4,
					PLAIN_LEAST * 5 / 4);
			assert_int_equal(nr_told <= 1, 1);
			if (nr_told)
				assert_told(VERDICT_MISMATCH, 137, 1);
			found += !large && nr_told;
			assert_int_equal(asked[0].nr == 500, !large);
			done();
		}
	}
	assert_int_equal(found, 8);
	/* However much may be spent. */
	make_mapping(500);
	look(never, true);
	faked = true;
	assert_int_equal(facts_look(&process, &budget), 0);
	faked = false;
	assert_in_range(left - budget, 500, 500 * 5000);
	done();
	check.effort.times = 0;
	fake.grain = NULL;
	fake.trait.drawn = false;
	fake.cost.call = fake.cost.page = 0;
	make_mapping(PAGES);
}

static bool before_it(const struct source_file *file,
		      const struct source_pages *pages, uint64_t page)
{
	return page == 0 && pages->addr < vma.start && pages->nr < 300;
}

/* A way that is drawn is asked as much as the effort says, and the seed decides what. */
static void drawn(void **state)
{
	struct asked first[256];
	unsigned int nr;

	fake.trait.drawn = true;
	fake.cost.call = 30000;
	fake.cost.page = 1000;
	make_mapping(4000);
	look(of_a_table, false);
	assert_int_equal(nr_asked, 0);
	assert_int_equal(nr_told, 0);
	done();
	check.effort.times = 1;
	check.effort.seed = 5;
	for (int i = 0; i < 3; i++) {
		check.effort.draws = 0;
		check.effort.seed += i == 2;
		look(never, false);
		assert_int_equal(nr_told, 0);
		assert_in_range(nr_asked, 10, 1024);
		assert_int_equal(process.counts.requests, nr_asked);
		assert_in_range(process.counts.cost, PLAIN_LEAST * 3 / 4, PLAIN_LEAST * 5 / 4);
		if (i)
			assert_int_equal(!memcmp(&first[0].addr, &asked[0].addr, 16) &&
					 nr == nr_asked, i == 1);
		memcpy(first, asked, sizeof(first));
		nr = nr_asked;
		done();
	}
	/* What is compared whole, too, has no more requests drawn, whatever that costs. */
	check.effort.whole = true;
	fake.cost.page = 10000;
	look(never, false);
	assert_in_range(process.counts.cost, PLAIN_LEAST * 3 / 4, PLAIN_LEAST * 5 / 4);
	done();
	check.effort.whole = false;
	fake.cost.page = 200;
	look(of_a_table, false);
	assert_in_range(nr_told, 1, 8);
	done();
	/* Also from what is before a mapping on. */
	look_at((struct range){ 0, vma.last }, before_it, false);
	assert_in_range(nr_told, 1, 8);
	assert_int_equal(told[0].truth.addr, vma.start);
	assert_true(told[0].request.start < vma.start);
	done();
	/* None that begins before the range. */
	look(before_it, false);
	assert_int_equal(nr_told, 0);
	done();
	check.effort.times = 0;
	fake.trait.drawn = false;
	fake.cost.call = fake.cost.page = 0;
	make_mapping(PAGES);
}

/*
 * Requests are drawn for as much as the plain read costs, if that is more than the least,
 * which those share that are still to be checked.
 */
static void budgets(void **state)
{
	static const struct { uint32_t page_cost; size_t left; uint64_t budget; } cases[] = {
		{ 100, 0, PLAIN_LEAST }, { 100, 1, PLAIN_LEAST }, { 100, 32, PLAIN_LEAST },
		{ 100, 64, PLAIN_LEAST_SHARED / 64 }, { 8000, 64, 4000 * 8000 },
		{ 16000, 0, 4000 * 16000 },
	};
	struct source way = fake;

	way.trait.drawn = true;
	way.cost.call = 30000;
	way.cost.page = 1000;
	second = &way;
	make_mapping(4000);
	check.effort.seed = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (check.effort.times = 1; check.effort.times < 3; check.effort.times++) {
			fake.cost.page = cases[i].page_cost;
			check.effort.shared = PLAIN_LEAST_SHARED;
			check.effort.left = cases[i].left;
			look(never, false);
			assert_int_equal(nr_told, 0);
			assert_int_equal(PLAIN_LEAST_SHARED - check.effort.shared, !cases[i].left ? 0 :
					 draw_plain_least(PLAIN_LEAST_SHARED, cases[i].left));
			assert_in_range(process.counts.cost,
					check.effort.times * cases[i].budget * 3 / 4,
					check.effort.times * cases[i].budget * 5 / 4);
			done();
		}
	fake.cost.page = 0;
	second = NULL;
	check.effort.times = check.effort.left = 0;
	make_mapping(PAGES);
}

/* Many mappings, and small holes between them, are read at once. */
static void in_a_row(void **state)
{
	many.vmas = 400;
	many.pages = 2;
	many.every = 1;
	many.stride = 5;
	look_at((struct range){ vma.start, vma.start + (1999ULL << 12) - 1 }, never, false);
	assert_int_equal(nr_asked, 1);
	assert_int_equal(process.counts.verdict[VERDICT_MATCH], 1999);
	done();
	memset(&many, 0, sizeof(many));
}

/* A mapping that comes in pieces is read at once, and all of it is compared. */
static bool of_the_second(const struct source_file *file,
			  const struct source_pages *pages, uint64_t page)
{
	return page == 150;
}

static void in_messages(void **state)
{
	make_mapping(400);
	list_pages = 100;
	look(never, false);
	assert_int_equal(nr_told, 0);
	assert_int_equal(nr_asked, 1);
	assert_int_equal(process.counts.comparisons, 400);
	done();
	look(of_the_second, false);
	assert_told(VERDICT_MISMATCH, 150, 1);
	done();
	list_pages = 0;
	make_mapping(PAGES);
}

static struct source_fault fault;

static const struct source_fault *fake_fault(const struct source_file *file)
{
	return *fault.does ? &fault : NULL;
}

static const struct source_fault *other_fault(const struct source_file *file)
{
	static const struct source_fault other = { "pagemap_open()", "refused", "open" };

	return &other;
}

/* What is no page's is told once of an interface, with how often it was seen. */
static void faults(void **state)
{
	struct source way = fake, other = fake;

	way.name = "pagemap-4k";
	way.rules = "pagemap";
	way.fault = fake_fault;
	other.name = "mincore";
	other.fault = other_fault;
	fake.fault = fake_fault;
	kernel = test_kernel(6, 12);
	check = (struct check){ .source = { &fake, &way, &other }, .nr_sources = 3,
				.renderer = &renderer, .env.kernel = &kernel };
	for (int wrong = 0; wrong < 2; wrong++) {
		process = (struct process){ .check = &check, .pid = 1, .page_shift = 12 };
		if (wrong)
			fault = (struct source_fault){ "pagemap_read()", "the end",
						       "more", .times = 4205,
						       .start = 0x5000, .last = 0x8fff };
		nr_told = 0;
		process_note_faults(&process);
		process_settle(&process);
		assert_int_equal(nr_told, 1 + wrong);
		assert_int_equal(process.counts.verdict[VERDICT_MISMATCH], 1 + wrong);
		assert_string_equal(told[wrong].examination, "mincore");
		assert_null(told[wrong].also[0]);
		assert_null(told[wrong].request.source);
		done();
	}
	assert_string_equal(told[0].examination, "pagemap");
	assert_ptr_equal(told[0].also[0], &way);
	assert_null(told[0].also[1]);
	assert_int_equal(told[0].pages, 0);
	assert_ptr_equal(told[0].request.source, &fake);
	assert_true(told[0].request.start == 0x5000 && told[0].request.last == 0x8fff);
	assert_int_equal(told_times, 2 * 4205);
	memset(&fault, 0, sizeof(fault));
	fake.fault = NULL;
}

/* What a look costs, as requests and the pages that they are about. */
static uint64_t cost_of(uint64_t last)
{
	const struct range range = { vma.start, vma.start + (last << 12) - 1 };

	asked_pages = nr_asked = 0;
	begin_process();
	is_wrong = never;
	fake_open(&fake, 1, &process.file[0]);
	faked = true;
	assert_int_equal(process_check_range(&process, &range), 0);
	faked = false;
	assert_int_equal(process.again.suspects[0].nr, 0);
	done();
	return asked_pages + 10 * nr_asked;
}

static unsigned int expected;

static void count_expected(const struct env *env, const struct page_truth *truth,
			   struct expectation *out)
{
	expected++;
	expect_pagemap(env, truth, out);
}

/* Draws rows of pages of a kind, of up to 1 << @bits. Returns how many. */
static uint64_t draw_mixed(struct random *random, unsigned int bits)
{
	uint64_t rows = 0, kind = MIXED_KINDS, last, value, nr;

	for (uint64_t i = 0; i < MIXED_PAGES; rows++) {
		last = kind;
		while (kind == last)
			kind = random_below(random, MIXED_KINDS);
		for (nr = random_size(random, bits); nr && i < MIXED_PAGES; nr--, i++) {
			value = mixed_kinds[kind].shows ? PFN + random_below(random, 1 << 20) : 0;
			mixed[i] = kind << PTWALK_MIXED_SHIFT | value;
		}
	}
	return rows;
}

/*
 * Of a mixed list, wherever its frames are, each row of pages with the same bits is
 * compared at once, and what is expected of its kind is known from the one before.
 */
static void mixed_lists(void **state)
{
	struct random random = { 1 };
	uint64_t rows;

	is_mixed = true;
	make_mapping(MIXED_PAGES);
	fake.expect = count_expected;
	for (unsigned int bits = 0; bits <= 12; bits++) {
		rows = draw_mixed(&random, bits);
		expected = asked_pieces = 0;
		look(never, false);
		assert_int_equal(process.again.suspects[0].nr, 0);
		assert_int_equal(process.counts.verdict[VERDICT_MATCH], MIXED_PAGES);
		assert_int_equal(asked_pieces, rows);
		assert_in_range(expected, 1, MIXED_KINDS);
		done();
	}
	fake.expect = expect_pagemap;
	is_mixed = false;
	make_mapping(PAGES);
}

static void assert_straight(const uint64_t cost[3])
{
	const uint64_t first = cost[1] - cost[0], second = cost[2] - cost[1];

	if (second > first * 2 + first / 5)
		fail_msg("%ju, %ju, %ju", (uintmax_t)cost[0], (uintmax_t)cost[1],
			 (uintmax_t)cost[2]);
}

/* More pages, mappings, or pages of a reserved mapping cost as much more. */
static void curves(void **state)
{
	uint64_t cost[3];

	kernel = test_kernel(6, 12);
	kernel.level_entries[PTWALK_LEVEL_PTE] = 512;
	check = (struct check){ .source = { &fake }, .nr_sources = 1,
				.renderer = &renderer, .env.kernel = &kernel };
	for (int i = 0; i < 3; i++) {
		make_mapping(100000 << i);
		cost[i] = cost_of(mapped);
	}
	assert_straight(cost);
	assert_true(cost[2] < 401000);
	for (int i = 0; i < 3; i++) {
		many.vmas = 500 << i;
		many.pages = 2;
		many.every = 1;
		many.stride = 3;
		cost[i] = cost_of(many.vmas * many.stride);
	}
	assert_straight(cost);
	assert_true(cost[2] < 2000 * 3 + 100);
	/* One of 1 TiB. */
	for (int i = 0; i < 3; i++) {
		many.vmas = 1;
		many.pages = many.stride = 1 << 28;
		many.every = (1 << 28) / (2000 << i);
		cost[i] = cost_of(many.stride);
	}
	assert_straight(cost);
	/* Both sides of 8,000 pages, and what is read in any case. */
	assert_true(cost[2] < 8000 * (2 * 32 + 2 * 10) + (1 << 16));
	memset(&many, 0, sizeof(many));
	make_mapping(PAGES);
}

/* What is printed can be given back. */
static void written_down(void **state)
{
	static const struct {
		const char *source;
		struct read_request request;
		const char *text;
	} good[] = {
		{ "pagemap", { NULL, 0x1000, 0x2fff }, "pagemap:0x1000-0x3000" },
		{ "pagemap-unaligned", { NULL, 0x5000, 0x5fff, .arg = { 2, 0, 7 } },
		  "pagemap-unaligned:0x5000-0x6000:history=0x2,first=0x7" },
	};
	static const char *const bad[] = {
		"", "pagemap", "pagemap:", "nothing:0-1000", "pagemap:1-1000",
		"pagemap:1000-1800", "pagemap:1000-0", "pagemap:0-10001000",
		"pagemap:1000-2000:", "pagemap:1000-2000:history=1",
		"pagemap-single:1000-2000:history", "pagemap-single:1000-2000:history=",
		"pagemap-single:1000-2000:history=1x", "pagemap-single:1000-2000:piece=1",
	};
	struct read_request request;
	char text[READ_REQUEST_TEXT];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_null(read_request_parse(good[i].text, 4096, &request));
		assert_string_equal(request.source->name, good[i].source);
		assert_int_equal(request.start, good[i].request.start);
		assert_int_equal(request.last, good[i].request.last);
		assert_memory_equal(request.arg, good[i].request.arg, sizeof(request.arg));
		read_request_text(&request, text);
		assert_string_equal(text, good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!read_request_parse(bad[i], 4096, &request))
			fail_msg("'%s' is taken", bad[i]);
}

static void ignore(const char *message)
{
}

/* Claims of @text, so many a window: "PAGE FRAME", counted from the first ones. */
static void judge_claims(const char *text, size_t most, struct claims *claims)
{
	const struct ranges all = {
		.range = (struct range[]){ { 0, UINT64_MAX } }, .nr = 1,
	};
	char *file, frame[20];
	unsigned int page;
	size_t size;
	FILE *stream = open_memstream(&file, &size);
	int used;

	for (; sscanf(text, "%u %19s%n", &page, frame, &used) == 2; text += used)
		if (*frame == '-')
			fprintf(stream, "%llx -\n", TEST_ADDR + ((unsigned long long)page << 12));
		else
			fprintf(stream, "%llx %llx\n",
				TEST_ADDR + ((unsigned long long)page << 12),
				(PFN + strtoull(frame, NULL, 0)) << 12);
	fclose(stream);
	stream = fmemopen(file, size, "r");
	assert_int_equal(claims_open(claims, stream, "text", most), 0);
	kernel = test_kernel(6, 12);
	check = (struct check){
		.renderer = &renderer, .source[0] = &source_claims, .nr_sources = 1,
		.env.kernel = &kernel, .warn = ignore, .effort.retries = 12,
		.claims = { .list = claims, .partial = CLAIMS_PARTIAL },
	};
	begin_process();
	process.maps = (struct maps){ .map = &map, .nr = 1 };
	process.counts.of_claims = true;
	nr_told = 0;
	faked = true;
	assert_int_equal(claims_judge(&process, claims, &all, false), 0);
	faked = false;
	done();
	claims_close(claims);
	free(file);
}

/* What goes on from a wrong claim is wrong as that is, wherever a window ends. */
static void claims_go_on(void **state)
{
	static const struct {
		const char *text;
		uint64_t mapped, unlike;
	} cases[] = {
		{ "62 63 63 64 64 65 65 66 66 67", 5, 0 },
		{ "62 63 63 64 64 - 65 66 66 67", 4, 0 },
		{ "62 900 63 901 64 - 65 903 66 904", 4, 4 },
		/* A right one is between, or they don't go on. */
		{ "61 62 62 62 64 65 65 66", 4, 2 },
		{ "62 63 64 66 65 68", 3, 2 },
	};
	struct claims claims;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t most = 1; most < 7; most++) {
			judge_claims(cases[i].text, most, &claims);
			if (claims.mapped != cases[i].mapped || claims.unlike != cases[i].unlike)
				fail_msg("%s, %zu a window: %llu of %llu", cases[i].text, most,
					 (unsigned long long)claims.unlike,
					 (unsigned long long)claims.mapped);
		}
}

/* A claim stays wrong if nobody says any more what lies beside it. */
static void claims_alone(void **state)
{
	static const int fails[] = { 0, -EIO };
	struct claims claims;

	for (size_t most = 1; most < 6; most++)
		for (int i = 0; i < 2; i++) {
			fails_beside = fails[i];
			judge_claims("3 3 5 6 8 8 20 20", most, &claims);
			assert_int_equal(claims.unlike, 0);
			assert_int_equal(process.counts.verdict[VERDICT_MATCH], 3);
			assert_int_equal(process.counts.verdict[VERDICT_MISMATCH], 1);
			assert_int_equal(nr_told, 1);
			assert_true(told[0].truth.addr == TEST_ADDR + (5 << 12));
			assert_true(told[0].beside.before == (i ? SOURCE_NO_FRAME : PFN + 4));
			assert_true(told[0].beside.behind == (i ? SOURCE_NO_FRAME : PFN + 6));
			/* Nor is it counted as wrong by no known mistake. */
			judge_claims("3 3 5 900 8 8 20 20", most, &claims);
			assert_int_equal(claims.unlike, !fails[i]);
			fails_beside = 0;
		}
}

SUITE(suite_second_look,
      cmocka_unit_test(claims_go_on), cmocka_unit_test(claims_alone),
      cmocka_unit_test(nothing_wrong), cmocka_unit_test(repeated),
      cmocka_unit_test(narrowed), cmocka_unit_test(not_again),
      cmocka_unit_test(woke_up), cmocka_unit_test(rounds_of_each),
      cmocka_unit_test(frames_again),
      cmocka_unit_test(drawn), cmocka_unit_test(with_facts), cmocka_unit_test(budgets),
      cmocka_unit_test(in_a_row),
      cmocka_unit_test(whole_hole), cmocka_unit_test(inside),
      cmocka_unit_test(in_messages),
      cmocka_unit_test(faults), cmocka_unit_test(curves), cmocka_unit_test(mixed_lists),
      cmocka_unit_test(written_down), cmocka_unit_test(printed),
      cmocka_unit_test(stopped));
