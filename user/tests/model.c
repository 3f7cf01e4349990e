// SPDX-License-Identifier: GPL-2.0
/*
 * The address space and the interfaces of model.h. What a page shows is what is
 * documented (expect_pagemap() and so on): the model is about requests, not about pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include "check/process.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "proc/spaces.h"
#include "tests/model.h"

#define PID		3999999
#define FIRST_FD	100000
#define MAX_FILES	64
#define TABLE		512
#define FRAMES		(1 << 18)
#define MAX_VMAS	512
#define MAX_PAGES	(1 << 17)
#define TASK_PAGES	(1ULL << 35)

/*
 * About what a call takes, and a page of it: as measured by instructions on Linux
 * 6.12, x86-64 (see scripts/bench), rounded.
 */
static const struct {
	uint32_t call, page;
} costs[] = {
	[MODEL_PAGEMAP] = { 3000, 150 },
	[MODEL_SCAN] = { 5000, 160 },
	[MODEL_KPAGEFLAGS] = { 1500, 120 },
	[MODEL_KPAGECOUNT] = { 1500, 60 },
	[MODEL_KPAGECGROUP] = { 1500, 90 },
	[MODEL_MOVE_PAGES] = { 1500, 400 },
};

#define WALK_CALL	40000	/* of the module, and its messages */
#define WALK_RUN	40
#define FACTS_PAGE	1500
#define HOLE_PAGE	10	/* of any interface, where nothing is or a leaf is, */
#define LEAF_PAGE	45	/* but of pagemap in a leaf */

struct entry {
	uint64_t bits, value;
};

struct model_vma {
	struct ptwalk_vma vma;
	size_t first, pages;
};

struct file {
	int of;		/* enum model_interface, or -1 */
	off_t at;
	uint64_t last;
	bool unprivileged;
};

/* A call, as conditions see it. */
struct call {
	enum model_interface of;
	uint64_t start, nr, number, regions;
	bool goes_on, goes_back, unprivileged;
	const struct pm_scan_arg *scan;
};

static struct model_vma vmas[MAX_VMAS];
static size_t nr_vmas, nr_entries;
static struct entry entries[MAX_PAGES];
static int32_t owner[FRAMES];
static uint32_t next_frame;
static struct file files[MAX_FILES];
static const struct model_bug *bug;
static struct model_cost spent;
static uint64_t numbers[MODEL_INTERFACES];
static bool unprivileged, found_any;
static unsigned int mismatches;
static struct ptwalk_kernel kernel;
static struct env env;

uint64_t model_draw(uint64_t *state, uint64_t below)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return below ? (z ^ z >> 31) % below : 0;
}

static uint64_t bits_of(unsigned int kind, unsigned int level, uint32_t flags)
{
	return ptwalk_bits(kind, level, 0, flags);
}

#define ANON_FLAGS	(PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_ANON | \
			 PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_WRITE | PTWALK_FLAG_USER)
#define FILE_FLAGS	(PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_USER)

static void map_frame(struct entry *e, uint64_t bits, uint64_t frame)
{
	*e = (struct entry){ bits, frame };
	owner[frame] = e - entries;
}

/* Fills @nr pages with one kind of what mappings have. */
static void fill_some(uint64_t *seed, struct entry *e, size_t nr, unsigned int what,
		      bool dirty)
{
	const uint32_t soft = dirty ? PTWALK_FLAG_SOFT_DIRTY : 0;

	if (model_draw(seed, 3) == 0)
		next_frame += model_draw(seed, 900);
	for (size_t i = 0; i < nr; i++) {
		e[i] = (struct entry){ bits_of(PTWALK_KIND_NONE, 0, 0), 0 };
		if (what == 1 && i % 2)
			continue;
		if (what == 4)
			e[i] = (struct entry){
				bits_of(PTWALK_KIND_SWAP, 0, soft), 5000 + i * 3,
			};
		else if (what == 5)
			e[i] = (struct entry){
				bits_of(PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_RAM |
					PTWALK_FLAG_ZERO | PTWALK_FLAG_USER), kernel.zero_pfn,
			};
		else if (what != 3)
			map_frame(&e[i], bits_of(PTWALK_KIND_PRESENT, 0, soft |
						 (what == 2 ? FILE_FLAGS : ANON_FLAGS)),
				  next_frame += 1 + (what == 6) * model_draw(seed, 4));
	}
}

static void fill_leaf(struct entry *e)
{
	next_frame = (next_frame + 2 * TABLE) & -TABLE;
	for (size_t i = 0; i < TABLE; i++)
		map_frame(&e[i], bits_of(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD,
					 ANON_FLAGS | PTWALK_FLAG_LARGE), next_frame + i);
	next_frame += TABLE;
}

static void add_vma(uint64_t *seed, uint64_t page, size_t pages, bool leaves)
{
	struct model_vma *v = &vmas[nr_vmas++];
	const bool dirty = model_draw(seed, 4);
	size_t at, nr;

	*v = (struct model_vma){ .first = nr_entries, .pages = pages };
	v->vma.start = page << 12;
	v->vma.last = ((page + pages) << 12) - 1;
	v->vma.page_shift = 12;
	v->vma.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE;
	v->vma.pgoff = nr_vmas;
	if (!model_draw(seed, 8))
		v->vma.flags |= PTWALK_VMA_FLAG_SOFTDIRTY;
	if (!model_draw(seed, 10))
		v->vma.flags |= PTWALK_VMA_FLAG_UFFD_WP;
	for (at = 0; at < pages; at += nr) {
		struct entry *e = &entries[nr_entries + at];

		nr = pages - at;
		if (leaves && !((page + at) % TABLE) && nr >= TABLE && model_draw(seed, 3)) {
			nr = TABLE;
			fill_leaf(e);
			continue;
		}
		if (leaves && nr > TABLE - (page + at) % TABLE)
			nr = TABLE - (page + at) % TABLE;
		if (model_draw(seed, 2))
			nr = 1 + model_draw(seed, nr);
		fill_some(seed, e, nr, model_draw(seed, 8), dirty);
	}
	nr_entries += pages;
}

void model_make(uint64_t seed, bool large)
{
	uint64_t page = 0x7f0000000 + model_draw(&seed, 1 << 20), pages;
	const size_t nr = 24;

	kernel = (struct ptwalk_kernel){
		.page_shift = 12, .levels = 0x1f, .level_shift = { 12, 21, 30, 39, 48 },
		.level_entries = { TABLE, TABLE, TABLE, TABLE, 1 },
		.flags = ~0U, .swap_type_bits = 5, .zero_pfn = 0x30, .phys_bits = 46,
		.features = PTWALK_FEATURE_SOFT_DIRTY | PTWALK_FEATURE_UFFD_WP |
			    PTWALK_FEATURE_PTE_SPECIAL | PTWALK_FEATURE_PAGE_MAPCOUNT |
			    PTWALK_FEATURE_THP | PTWALK_FEATURE_HUGETLB,
		.machine = "x86_64", .major = 6, .minor = 12,
	};
	nr_vmas = nr_entries = 0;
	next_frame = 0x1000;
	memset(owner, 0xff, sizeof(owner));
	for (size_t i = 0; i < nr; i++) {
		pages = 1 + model_draw(&seed, model_draw(&seed, 2) ? 16 : 300);
		add_vma(&seed, page, pages, false);
		page += pages;
		if (model_draw(&seed, 3))
			page += 1 + model_draw(&seed, model_draw(&seed, 2) ? 40 : 300000);
		if (large && i == nr / 2) {
			add_vma(&seed, page, 64 << 8, true);
			page += (64 << 8) + 100;
		}
	}
}

/* The VMA with the page, or the one behind it; @nr_vmas: none. */
static size_t vma_from(uint64_t page)
{
	size_t low = 0, high = nr_vmas, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (vmas[mid].vma.last >> 12 < page)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct page_truth truth_of(uint64_t page, struct ptwalk_page *facts)
{
	const size_t i = vma_from(page);
	const struct model_vma *v = &vmas[i];
	struct page_truth t = {
		.addr = page << 12, .bits = bits_of(PTWALK_KIND_NO_VMA, 0, 0),
	};
	const struct entry *e;

	if (i == nr_vmas || v->vma.start >> 12 > page)
		return t;
	e = &entries[v->first + page - (v->vma.start >> 12)];
	t.vma = &v->vma;
	t.bits = e->bits;
	t.value = e->value;
	if (!facts || !(ptwalk_bits_flags(e->bits) & PTWALK_FLAG_PAGE))
		return t;
	*facts = (struct ptwalk_page){
		.flags = PTWALK_PAGE_FLAG_UPTODATE | PTWALK_PAGE_FLAG_SWAPBACKED,
		.counts = 1ULL << 32,
	};
	if (ptwalk_bits_flags(e->bits) & PTWALK_FLAG_LARGE) {
		facts->place = 9 | (e->value % TABLE) << 32;
		facts->folio_counts = 1ULL << 32 | 1;
	}
	t.facts = facts;
	t.cgroup = 77;
	t.has_cgroup = true;
	return t;
}

/* What is documented of the page, or frame, with that number. */
static uint64_t right(const struct call *call, uint64_t number)
{
	struct expectation e = { 0 };
	struct ptwalk_page facts;
	struct page_truth t;
	uint64_t page = number;
	int32_t of;

	if (call->of >= MODEL_KPAGEFLAGS && call->of <= MODEL_KPAGECGROUP) {
		of = number < FRAMES ? owner[number] : -1;
		if (of < 0 && number == kernel.zero_pfn)
			return call->of == MODEL_KPAGEFLAGS ?
			       KPF_BIT(ZERO_PAGE) | KPF_BIT(RESERVED) : 0;
		if (of < 0)
			return call->of == MODEL_KPAGEFLAGS ? KPF_BIT(BUDDY) : 0;
		for (size_t i = 0; i < nr_vmas; i++)
			if ((size_t)of - vmas[i].first < vmas[i].pages)
				page = (vmas[i].vma.start >> 12) + of - vmas[i].first;
	}
	t = truth_of(page, &facts);
	switch (call->of) {
	case MODEL_PAGEMAP:
		(call->unprivileged ? expect_pagemap_hidden : expect_pagemap)(&env, &t, &e);
		break;
	case MODEL_SCAN:
		expect_scan(&env, &t, &e);
		if (t.vma && !(t.vma->flags & PTWALK_VMA_FLAG_UFFD_WP) &&
		    ptwalk_bits_kind(t.bits) == PTWALK_KIND_PRESENT)
			e.value |= SCAN_WRITTEN;
		break;
	case MODEL_KPAGEFLAGS:
		expect_kpageflags(&env, &t, &e);
		break;
	case MODEL_KPAGECOUNT:
		expect_kpagecount(&env, &t, &e);
		break;
	case MODEL_KPAGECGROUP:
		expect_kpagecgroup(&env, &t, &e);
		e.value &= KPAGE_INODE_MASK;
		break;
	default:
		expect_move_pages(&env, &t, &e);
		break;
	}
	return e.value;
}

static bool goes_over_vma(uint64_t start, uint64_t page)
{
	const size_t i = vma_from(start);

	return i < nr_vmas && vmas[i].vma.start >> 12 <= page && vmas[i].vma.last >> 12 < page;
}

static bool is_edge(uint64_t page, bool last)
{
	const size_t i = vma_from(page);

	return i < nr_vmas && (last ? vmas[i].vma.last : vmas[i].vma.start) >> 12 == page;
}

static bool has_masks(const struct pm_scan_arg *arg, const struct model_condition *c)
{
	const uint64_t mask[] = {
		arg->category_mask, arg->category_inverted, arg->category_anyof_mask,
		~arg->return_mask,
	};

	return (mask[c->when - WHEN_REQUIRED] & c->number) == c->number;
}

/* Whether a condition holds of entry @i of a call. */
static bool holds(const struct model_condition *c, const struct call *call, uint64_t i)
{
	const uint64_t page = call->start + i, in_table = page % TABLE;

	switch (c->when) {
	case WHEN_PAGE:
		return page % c->of == c->number;
	case WHEN_OFFSET:
		return i == c->number;
	case WHEN_BEHIND:
		return i >= c->number;
	case WHEN_LAST:
		return i == call->nr - 1;
	case WHEN_LENGTH:
		return call->nr == c->number;
	case WHEN_LONGER:
		return call->nr > c->number;
	case WHEN_SHORTER:
		return call->nr < c->number;
	case WHEN_START:
		return call->start % TABLE == c->number;
	case WHEN_CROSSED:
		return page / TABLE != call->start / TABLE && in_table == c->number;
	case WHEN_GOES_ON:
		return call->goes_on;
	case WHEN_GOES_BACK:
		return call->goes_back;
	case WHEN_UNPRIVILEGED:
		return call->unprivileged;
	case WHEN_FIRST:
		return is_edge(page, false);
	case WHEN_END:
		return is_edge(page, true);
	case WHEN_VMAS:
		return goes_over_vma(call->start, page);
	case WHEN_LEAF:
		return ptwalk_bits_level(truth_of(page, NULL).bits) && in_table;
	case WHEN_CALL:
		return call->number % c->number == 0;
	case WHEN_REQUIRED:
	case WHEN_INVERTED:
	case WHEN_ANY_OF:
	case WHEN_WANTED:
		return call->scan && has_masks(call->scan, c);
	case WHEN_VECTOR:
		return call->scan && call->scan->vec_len <= c->number;
	case WHEN_MAX_PAGES:
		return call->scan && call->scan->max_pages;
	case WHEN_REGION:
		return call->regions >= c->number;
	default:
		return true;
	}
}

/* What the kernel with the bug shows of entry @i. */
static uint64_t shown(const struct call *call, uint64_t i)
{
	uint64_t value = right(call, call->start + i);

	if (!bug || bug->interface != call->of || !holds(&bug->condition[0], call, i) ||
	    !holds(&bug->condition[1], call, i))
		return value;
	if (bug->next)
		return right(call, call->start + i + 1);
	/* What isn't there is told by its own bits alone. */
	if (call->of == MODEL_PAGEMAP && !(value & (PM_PRESENT | PM_SWAP)))
		return value ^ (bug->bits & ~PM_PFN_MASK);
	return value ^ bug->bits;
}

static void pay_call(enum model_interface of)
{
	spent.calls++;
	numbers[of]++;
	spent.instructions += costs[of].call;
}

/* Pages that stand alone in their table; of leaves and holes there are few. */
static void pay_page(enum model_interface of, uint64_t page)
{
	const struct page_truth t = truth_of(page, NULL);
	const bool alone = of == MODEL_MOVE_PAGES ||
			   (t.vma && ptwalk_bits_kind(t.bits) != PTWALK_KIND_NONE &&
			    (of != MODEL_SCAN || !ptwalk_bits_level(t.bits)));

	const bool leaf = of == MODEL_PAGEMAP && ptwalk_bits_level(t.bits);

	spent.instructions += leaf ? LEAF_PAGE :
			      alone || of >= MODEL_KPAGEFLAGS ? costs[of].page : HOLE_PAGE;
}

/* What stands in for the system calls, and for what reads /proc and the module. */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
ssize_t __real_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
off_t __real_lseek(int fd, off_t at, int whence);
off_t __wrap_lseek(int fd, off_t at, int whence);
int __wrap_ioctl(int fd, unsigned long request, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_procs_open(pid_t pid, const char *name);
pid_t __wrap_procs_living_thread(pid_t pid);
enum procs_state __wrap_procs_state(pid_t pid);
uint64_t __wrap_procs_space(pid_t pid);
uint64_t __wrap_procs_asleep(pid_t pid);
bool __wrap_space_may_be_shared(pid_t pid);
bool __wrap_truth_busy(struct ptwalk *client, pid_t pid);
int __wrap_maps_read(pid_t pid, struct maps *maps);
int __wrap_truth_runs(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		      int (*each)(const struct ptwalk_runs *runs, void *arg), void *arg);
int __wrap_truth_read(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		      struct truth *truth);
int __wrap_truth_translate_cgroups(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
				   size_t nr, struct ptwalk_translation *out,
				   struct ptwalk_page *pages, uint64_t *cgroups,
				   struct ptwalk_vma **of, size_t *nr_of, uint32_t *levels);
void __wrap_entries_try(int fd, uint64_t most, unsigned int shift, void *fault);
void __wrap_scan_own(uint64_t categories, unsigned int part, void *fault);
bool __wrap_untraced_opens(const char *file);
bool __wrap_untraced_sees_frames(void);

static int open_file(int of)
{
	int i = 0;

	while (i < MAX_FILES && files[i].of >= 0)
		i++;
	if (i == MAX_FILES)
		return -EMFILE;
	files[i] = (struct file){ .of = of, .unprivileged = unprivileged };
	spent.instructions += 4000;
	return FIRST_FD + i;
}

int __wrap_open(const char *path, int flags, ...)
{
	static const char *const paths[] = {
		[MODEL_PAGEMAP] = "/proc/self/pagemap",
		[MODEL_SCAN] = "/proc/" "3999999/pagemap",
		[MODEL_KPAGEFLAGS] = "/proc/kpageflags",
		[MODEL_KPAGECOUNT] = "/proc/kpagecount",
		[MODEL_KPAGECGROUP] = "/proc/kpagecgroup",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!strcmp(path, paths[i]))
			return open_file(i == MODEL_SCAN ? MODEL_PAGEMAP : (int)i);
	return __real_open(path, flags, 0600);
}

int __wrap_procs_open(pid_t pid, const char *name)
{
	return strcmp(name, "pagemap") ? -ENOENT : open_file(MODEL_PAGEMAP);
}

int __wrap_close(int fd)
{
	if (fd < FIRST_FD)
		return __real_close(fd);
	files[fd - FIRST_FD].of = -1;
	return 0;
}

static ssize_t read_file(struct file *file, void *buf, size_t size, off_t at, bool goes_on)
{
	const uint64_t end = file->of == MODEL_PAGEMAP ? TASK_PAGES : FRAMES;
	struct call call = {
		.of = file->of, .start = at / 8, .nr = size / 8,
		.goes_on = goes_on && at, .goes_back = (uint64_t)at / 8 < file->last,
		.unprivileged = file->unprivileged,
	};
	uint64_t *value = buf;

	if (size % 8 || at % 8) {
		errno = EINVAL;
		return -1;
	}
	if (call.start >= end)
		return 0;
	if (call.nr > end - call.start)
		call.nr = end - call.start;
	pay_call(call.of);
	call.number = numbers[call.of];
	for (uint64_t i = 0; i < call.nr; i++) {
		value[i] = shown(&call, i);
		pay_page(call.of, call.start + i);
	}
	file->last = call.start + call.nr;
	return call.nr * 8;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
	return fd < FIRST_FD ? __real_pread(fd, buf, size, at) :
			       read_file(&files[fd - FIRST_FD], buf, size, at, false);
}

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	struct file *file = &files[fd - FIRST_FD];
	ssize_t n;

	if (fd < FIRST_FD)
		return __real_read(fd, buf, size);
	n = read_file(file, buf, size, file->at, file->last == (uint64_t)file->at / 8);
	file->at += n > 0 ? n : 0;
	return n;
}

off_t __wrap_lseek(int fd, off_t at, int whence)
{
	struct file *file = &files[fd - FIRST_FD];

	if (fd < FIRST_FD)
		return __real_lseek(fd, at, whence);
	file->at = whence == SEEK_CUR ? file->at + at : at;
	return file->at;
}

/* As they are called where files may be large. */
#define ALSO_64(type, name, ...)						\
	type __wrap_##name##64(__VA_ARGS__) __attribute__((alias("__wrap_" #name)))

ALSO_64(int, open, const char *path, int flags, ...);
ALSO_64(ssize_t, pread, int fd, void *buf, size_t size, off_t at);
ALSO_64(off_t, lseek, int fd, off_t at, int whence);

/* Adds a page to the regions. Returns whether there was room. */
static bool tell(struct pm_scan_arg *arg, uint64_t page, uint64_t categories,
		 uint64_t *nr, bool goes_on)
{
	struct page_region *region = (void *)(uintptr_t)arg->vec, *last;

	last = *nr ? &region[*nr - 1] : NULL;
	if (goes_on && last && last->end == page << 12 && last->categories == categories) {
		last->end += 1 << 12;
		return true;
	}
	if (*nr >= arg->vec_len)
		return false;
	region[(*nr)++] = (struct page_region){ page << 12, (page + 1) << 12, categories };
	return true;
}

static bool is_interesting(const struct pm_scan_arg *arg, uint64_t categories)
{
	categories ^= arg->category_inverted;
	return (categories & arg->category_mask) == arg->category_mask &&
	       (!arg->category_anyof_mask || categories & arg->category_anyof_mask);
}

static int scan(struct file *file, struct pm_scan_arg *arg)
{
	const uint64_t end = (arg->end + 4095) >> 12, start = arg->start >> 12;
	struct call call = {
		.of = MODEL_SCAN, .start = start, .nr = end - start, .scan = arg,
		.goes_back = start < file->last,
	};
	uint64_t nr = 0, pages = 0, value, i = 0;

	pay_call(MODEL_SCAN);
	call.number = numbers[MODEL_SCAN];
	for (; i < call.nr; i++) {
		size_t v = vma_from(start + i);

		/* Where nothing is mapped, the walk goes on with the next. */
		if (v == nr_vmas)
			break;
		if (vmas[v].vma.start >> 12 > start + i) {
			i = (vmas[v].vma.start >> 12) - start - 1;
			continue;
		}
		pay_page(MODEL_SCAN, start + i);
		call.regions = nr;
		value = shown(&call, i);
		if (!(value & SCAN_REPORTED) ||
		    !is_interesting(arg, value & SCAN_VALUE_MASK & ~SCAN_REPORTED))
			continue;
		if (arg->max_pages && pages == arg->max_pages)
			break;
		if (arg->vec_len && !tell(arg, start + i, value & arg->return_mask, &nr,
					  !is_edge(start + i, false)))
			break;
		pages++;
	}
	if (i > call.nr)
		i = call.nr;
	arg->walk_end = i == call.nr || vma_from(start + i) == nr_vmas ? end << 12 :
			(start + i) << 12;
	file->last = start + i;
	return nr;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const uint64_t all = env.scan_categories;
	struct pm_scan_arg *arg;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, struct pm_scan_arg *);
	va_end(args);
	errno = EINVAL;
	if (fd < FIRST_FD || request != PAGEMAP_SCAN || arg->size != sizeof(*arg) ||
	    arg->start % 4096 || arg->flags & ~3ULL || (arg->vec_len && !arg->vec) ||
	    (arg->return_mask | arg->category_mask | arg->category_inverted |
	     arg->category_anyof_mask) & ~all)
		return -1;
	if (arg->flags & 2) {
		errno = EPERM;
		return -1;
	}
	return scan(&files[fd - FIRST_FD], arg);
}

static long ask_nodes(size_t nr, void **pages, int *status)
{
	struct call call = { .of = MODEL_MOVE_PAGES, .nr = nr };

	pay_call(MODEL_MOVE_PAGES);
	call.number = numbers[MODEL_MOVE_PAGES];
	call.start = nr ? (uintptr_t)pages[0] >> 12 : 0;
	for (size_t i = 0; i < nr; i++) {
		status[i] = shown(&call, i);
		pay_page(MODEL_MOVE_PAGES, call.start + i);
	}
	return 0;
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct __user_cap_data_struct *caps = (void *)b;

	switch (number) {
	case SYS_move_pages:
		return ask_nodes(b, (void *)c, (void *)e);
	case SYS_capget:
		memset(caps, 0xff, 2 * sizeof(*caps));
		return 0;
	case SYS_capset:
		unprivileged = !(caps[0].effective & 1U << CAP_SYS_ADMIN);
		return 0;
	default:
		errno = ENOSYS;
		return -1;
	}
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	return 0;
}

pid_t __wrap_procs_living_thread(pid_t pid)
{
	return pid;
}

enum procs_state __wrap_procs_state(pid_t pid)
{
	return PROCS_THERE;
}

uint64_t __wrap_procs_space(pid_t pid)
{
	return 1;
}

uint64_t __wrap_procs_asleep(pid_t pid)
{
	return 1;
}

bool __wrap_space_may_be_shared(pid_t pid)
{
	return false;
}

bool __wrap_truth_busy(struct ptwalk *client, pid_t pid)
{
	return false;
}

void __wrap_entries_try(int fd, uint64_t most, unsigned int shift, void *fault)
{
}

void __wrap_scan_own(uint64_t categories, unsigned int part, void *fault)
{
}

bool __wrap_untraced_opens(const char *file)
{
	return false;
}

bool __wrap_untraced_sees_frames(void)
{
	return false;
}

int __wrap_maps_read(pid_t pid, struct maps *maps)
{
	maps->map = calloc(nr_vmas, sizeof(*maps->map));
	maps->nr = maps->max = nr_vmas;
	for (size_t i = 0; i < nr_vmas; i++)
		maps->map[i] = (struct map){
			.start = vmas[i].vma.start, .last = vmas[i].vma.last,
			.perms = "rw-p", .name = strdup(""),
		};
	return 0;
}

/* The pages of a VMA from @from on that a run has, up to @end. */
static size_t run_from(const struct model_vma *v, size_t from, size_t end)
{
	const struct entry *e = &entries[v->first];
	size_t i = from + 1;

	while (i < end && e[i].bits == e[from].bits &&
	       e[i].value - e[from].value ==
	       (ptwalk_kind_ascends(ptwalk_bits_kind(e[from].bits)) ? i - from : 0))
		i++;
	return i - from;
}

/* The part of a VMA in a range; false if there is none. */
static bool clip(const struct model_vma *v, uint64_t start, uint64_t last, size_t *from,
		 size_t *end)
{
	if (v->vma.last < start || v->vma.start > last)
		return false;
	*from = start > v->vma.start ? (start - v->vma.start) >> 12 : 0;
	*end = last < v->vma.last ? ((last - v->vma.start) >> 12) + 1 : v->pages;
	return true;
}

int __wrap_truth_runs(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		      int (*each)(const struct ptwalk_runs *runs, void *arg), void *arg)
{
	static uint64_t words[3 * MAX_PAGES];
	size_t from, end, n;
	int err = 0;

	spent.instructions += WALK_CALL;
	for (size_t i = vma_from(start >> 12); !err && i < nr_vmas; i++) {
		struct ptwalk_runs runs = { .vma = vmas[i].vma, .word = words };

		if (!clip(&vmas[i], start, last, &from, &end))
			break;
		runs.start = runs.vma.start + (from << 12);
		for (; from < end; from += n) {
			n = run_from(&vmas[i], from, end);
			words[runs.nr++] = entries[vmas[i].first + from].bits;
			words[runs.nr++] = n;
			words[runs.nr++] = entries[vmas[i].first + from].value;
		}
		spent.instructions += runs.nr / 3 * WALK_RUN;
		err = each(&runs, arg);
	}
	return err;
}

int __wrap_truth_read(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		      struct truth *truth)
{
	size_t from, end, n;

	const struct truth asked = *truth;
	int stopped = 0;

	truth_free(truth);
	truth->want_pages = asked.want_pages;
	truth->take = asked.take;
	truth->arg = asked.arg;
	truth->extents = calloc(nr_entries, sizeof(*truth->extents));
	if (truth->want_pages)
		truth->pages = calloc(nr_entries, sizeof(*truth->pages));
	truth->vmas = calloc(nr_vmas, sizeof(*truth->vmas));
	spent.instructions += WALK_CALL;
	for (size_t i = vma_from(start >> 12); i < nr_vmas; i++) {
		const struct entry *e = &entries[vmas[i].first];

		if (!clip(&vmas[i], start, last, &from, &end))
			break;
		truth->vmas[truth->nr_vmas++] = vmas[i].vma;
		for (; from < end; from += n) {
			n = run_from(&vmas[i], from, end);
			struct ptwalk_extent *x = &truth->extents[truth->nr_extents++];

			*x = (struct ptwalk_extent){
				.addr = vmas[i].vma.start + (from << 12), .pages = n,
				.value = e[from].value, .bits = e[from].bits,
			};
			if (truth->want_pages)
				truth_of(x->addr >> 12, &truth->pages[truth->nr_extents - 1]);
			spent.instructions += WALK_RUN + (truth->want_pages ? n * 360 : 0);
			if (truth->take)
				stopped = truth->take(truth, x, truth->pages, 1);
			if (stopped) {
				truth->nr_extents--;
				return stopped;
			}
		}
	}
	return 0;
}

int __wrap_truth_translate_cgroups(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
				   size_t nr, struct ptwalk_translation *out,
				   struct ptwalk_page *pages, uint64_t *cgroups,
				   struct ptwalk_vma **of, size_t *nr_of, uint32_t *levels)
{
	*of = calloc(nr_vmas, sizeof(**of));
	for (size_t i = 0; i < nr_vmas; i++)
		(*of)[i] = vmas[i].vma;
	*nr_of = nr_vmas;
	*levels = 0x1f;
	spent.instructions += WALK_CALL;
	for (size_t i = 0; i < nr; i++) {
		struct ptwalk_page page = { 0 };
		struct page_truth t = truth_of(addrs[i] >> 12, &page);

		out[i].value = t.value;
		out[i].bits = t.bits;
		if (pages) {
			pages[i] = page;
			cgroups[i] = t.has_cgroup ? t.cgroup : PTWALK_NO_CGROUP;
		}
		spent.instructions += FACTS_PAGE;
	}
	return 0;
}

static void take_finding(const struct report_finding *finding)
{
	if (getenv("MODEL_VERBOSE") && !finding->remark)
		fprintf(stderr, "%s: %s %zu page(s) at 0x%llx, saw 0x%llx\n",
			verdict_name[finding->verdict],
			finding->source ? finding->source->name : "?", (size_t)finding->pages,
			(unsigned long long)finding->truth.addr,
			(unsigned long long)finding->seen);
	else if (getenv("MODEL_VERBOSE"))
		fprintf(stderr, "%s: %s\n", finding->examination, finding->remark->seen);
	mismatches += finding->verdict == VERDICT_MISMATCH;
	found_any = true;
}

static void take_process(pid_t pid, const char *comm, const struct report_counts *counts,
			 const char *why)
{
	if (!why)
		return;
	fprintf(stderr, "not checked: %s\n", why);
	abort();
}

static void warn(const char *message)
{
	fprintf(stderr, "warning: %s\n", message);
}

unsigned int model_check(const struct model_bug *of, uint64_t seed, struct model_cost *cost)
{
	static const struct renderer renderer = {
		.finding = take_finding, .process = take_process,
	};
	static struct check check;

	memset(files, 0xff, sizeof(files));
	check = (struct check){
		.renderer = &renderer, .warn = warn,
		.effort = {
			.times = getenv("EFFORT") ? atoi(getenv("EFFORT")) : DRAW_EFFORT,
			.retries = 12, .seed = seed << 32,
			.shared = PLAIN_LEAST_SHARED,
			.left = getenv("TOGETHER") ? atoi(getenv("TOGETHER")) : 0,
		},
	};
	env = (struct env){ .kernel = &kernel, .scan_categories = SCAN_OLDEST };
	check.env = env;
	bug = NULL;
	for (size_t i = 0; sources[i]; i++)
		if (!sources[i]->trait.own) {
			check.source[check.nr_sources++] = sources[i];
			if (sources[i]->limit)
				sources[i]->limit(&check.env);
		}
	check.env = env;	/* and not of what this machine is like */
	bug = of;
	mismatches = 0;
	spent = (struct model_cost){ 0 };
	memset(numbers, 0, sizeof(numbers));
	check_process(&check, PID, NULL, 0);
	if (cost) {
		cost->calls += spent.calls;
		cost->instructions += spent.instructions;
	}
	return mismatches;
}
