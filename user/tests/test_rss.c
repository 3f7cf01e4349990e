// SPDX-License-Identifier: GPL-2.0
/*
 * Pages counted, and the files of /proc that must show them. One made-up
 * process has a bit of everything; its files are as a kernel writes them. Each
 * field that is compared is then changed until it must not pass any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check/examine.h"
#include "sums/figure.h"
#include "sums/reconcile.h"
#include "sums/judge_figures.h"
#include "sums/rss.h"
#include "tests.h"

#define ANON	0x10000000ULL
#define SHMEM	0x20000000ULL
#define FILE_AT	0x30000000ULL
#define HUGETLB	0x40000000ULL
#define ABSENT	0x50000000ULL

static const char status_text[] =
	"Name:\ta b:c\nUmask:\t0022\nState:\tS (sleeping)\n"
	"VmPeak:\t    9000 kB\nVmSize:\t    8544 kB\nVmLck:\t    4096 kB\n"
	"VmPin:\t       0 kB\nVmHWM:\t    3000 kB\nVmRSS:\t    2264 kB\n"
	"RssAnon:\t    2120 kB\nRssFile:\t      64 kB\n"
	"RssShmem:\t      80 kB\nVmData:\t    8224 kB\nVmStk:\t       0 kB\n"
	"VmExe:\t      32 kB\nVmLib:\t      32 kB\nVmPTE:\t      32 kB\n"
	"VmSwap:\t      12 kB\nHugetlbPages:\t    4096 kB\nThreads:\t3\n";

static const char statm_text[] = "2136 566 36 8 0 2056 0\n";

/* A name that looks like the fields behind it. */
static const char stat_text[] =
	"7 (a) S 1 (b) S 1 7 7 0 -1 4194304 59 0 0 0 1 2 3 4 20 0 3 0 99 "
	"8749056 566 18446744073709551615 805310464 805341184 9 0 0 0\n";

#define BLANK_THP(anon)							\
	"AnonHugePages:  " anon " kB\nShmemPmdMapped:       0 kB\n"	\
	"FilePmdMapped:        0 kB\n"
#define NO_HUGETLB							\
	"Shared_Hugetlb:        0 kB\nPrivate_Hugetlb:       0 kB\n"

static const char smaps_text[] =
	"10000000-10400000 rw-p 00000000 00:00 0                          [heap]\n"
	"Size:               4096 kB\nKernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\nRss:                2108 kB\n"
	"Pss:                2100 kB\nPss_Dirty:          2088 kB\n"
	"Shared_Clean:         16 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         4 kB\nPrivate_Dirty:      2088 kB\n"
	"Referenced:         2048 kB\nAnonymous:          2108 kB\n"
	"KSM:                  16 kB\nLazyFree:              4 kB\n"
	BLANK_THP("     2048") NO_HUGETLB
	"Swap:                 12 kB\nSwapPss:               8 kB\n"
	"Locked:             2100 kB\nTHPeligible:           1\n"
	"ProtectionKey:         0\nVmFlags: rd wr mr mw me lo ac sd \n"
	"20000000-20040000 rw-s 00000000 00:01 7   /dev/zero (deleted)\n"
	"Size:                256 kB\nKernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\nRss:                  80 kB\n"
	"Pss:                  80 kB\nPss_Dirty:            80 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         0 kB\nPrivate_Dirty:        80 kB\n"
	"Referenced:           80 kB\nAnonymous:             0 kB\n"
	"KSM:                   0 kB\nLazyFree:              0 kB\n"
	BLANK_THP("        0") NO_HUGETLB
	"Swap:                 40 kB\nSwapPss:               0 kB\n"
	"Locked:                0 kB\nTHPeligible:           0\n"
	"ProtectionKey:         3\n"
	"VmFlags: rd wr sh mr mw me ms \n"
	"30000000-30010000 r-xp 00001000 08:02 173521   /usr/lib/a N0=9.so\n"
	"Size:                 64 kB\nKernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\nRss:                  64 kB\n"
	"Pss:                  21 kB\nPss_Dirty:             0 kB\n"
	"Shared_Clean:         64 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         0 kB\nPrivate_Dirty:         0 kB\n"
	"Referenced:           64 kB\nAnonymous:             0 kB\n"
	"KSM:                   0 kB\nLazyFree:              0 kB\n"
	BLANK_THP("        0") NO_HUGETLB
	"Swap:                  0 kB\nSwapPss:               0 kB\n"
	"Locked:                0 kB\nTHPeligible:           0\n"
	"ProtectionKey:         0\n"
	"VmFlags: rd ex mr mw me \n"
	"40000000-40400000 rw-p 00000000 00:0f 99   /anon_hugepage (deleted)\n"
	"Size:               4096 kB\nKernelPageSize:     2048 kB\n"
	"MMUPageSize:        2048 kB\nRss:                   0 kB\n"
	"Pss:                   0 kB\nPss_Dirty:             0 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         0 kB\nPrivate_Dirty:         0 kB\n"
	"Referenced:            0 kB\nAnonymous:             0 kB\n"
	"KSM:                   0 kB\nLazyFree:              0 kB\n"
	BLANK_THP("        0")
	"Shared_Hugetlb:     2048 kB\nPrivate_Hugetlb:    2048 kB\n"
	"Swap:                  0 kB\nSwapPss:               0 kB\n"
	"Locked:                0 kB\nTHPeligible:           0\n"
	"ProtectionKey:         0\n"
	"VmFlags: rd wr mr mw me ht \n"
	"50000000-50008000 rw-p 00000000 00:00 0 \n"
	"Size:                 32 kB\nKernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\nRss:                  16 kB\n"
	"Pss:                  16 kB\nPss_Dirty:             0 kB\n"
	"Shared_Clean:         12 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         4 kB\nPrivate_Dirty:         0 kB\n"
	"Referenced:            0 kB\nAnonymous:            16 kB\n"
	"KSM:                   0 kB\nLazyFree:              0 kB\n"
	BLANK_THP("        0") NO_HUGETLB
	"Swap:                  0 kB\nSwapPss:               0 kB\n"
	"Locked:                0 kB\nTHPeligible:           0\n"
	"ProtectionKey:        15\n"
	"VmFlags: rd wr mr mw me ac \n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n"
	"Size:                  4 kB\nRss:                   0 kB\n";

static const char rollup_text[] =
	"10000000-50008000 ---p 00000000 00:00 0                          [rollup]\n"
	"Rss:                2268 kB\nPss:                2217 kB\n"
	"Pss_Dirty:          2168 kB\nPss_Anon:           2116 kB\n"
	"Pss_File:             21 kB\nPss_Shmem:            80 kB\n"
	"Shared_Clean:         92 kB\nShared_Dirty:          0 kB\n"
	"Private_Clean:         8 kB\nPrivate_Dirty:      2168 kB\n"
	"Referenced:         2192 kB\nAnonymous:          2124 kB\n"
	"KSM:                  16 kB\nLazyFree:              4 kB\n"
	BLANK_THP("     2048")
	"Shared_Hugetlb:     2048 kB\nPrivate_Hugetlb:    2048 kB\n"
	"Swap:                 52 kB\nSwapPss:               8 kB\n"
	"Locked:             2100 kB\n";

static const char numa_text[] =
	"10000000 default heap anon=527 dirty=522 mapmax=2 swapcache=1 active=512 writeback=2 N0=523 N1=4 kernelpagesize_kB=4\n"
	"20000000 default file=/dev/zero\\040(deleted) dirty=20 active=0 N0=20 kernelpagesize_kB=4\n"
	"30000000 bind=relative:0-1 file=/usr/lib/a\\040N0\\0759.so mapped=16 mapmax=3 N0=16 kernelpagesize_kB=4\n"
	"40000000 default file=/anon_hugepage\\040(deleted) huge anon=1 dirty=1 mapped=2 mapmax=2 N0=2 kernelpagesize_kB=2048\n"
	"50000000 default\n";

/* Not exclusive, of the given class, mapped and referenced so often. */
#define PAGE(fl, refs, maps, node)					\
	{ .flags = fl, .counts = (refs) | (uint64_t)(maps) << 32,	\
	  .place = (node) << 8 }

#define SWAPBACKED	PTWALK_PAGE_FLAG_SWAPBACKED
#define ANON_PAGE	(PTWALK_PAGE_FLAG_ANON | SWAPBACKED)

#define ANON_FLAGS	(PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_ANON)

static const struct piece {
	unsigned int vma;
	uint64_t pages;
	unsigned int kind, level;
	uint32_t flags;
	struct ptwalk_page page;
} pieces[] = {
	/* The heap: a THP, and pages of all sorts. */
	{ 0, 512, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD,
	  ANON_FLAGS | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_DIRTY |
	  PTWALK_FLAG_YOUNG | PTWALK_FLAG_LARGE,
	  PAGE(ANON_PAGE | PTWALK_PAGE_FLAG_ACTIVE, 1, 1, 0) },
	{ 0, 9, PTWALK_KIND_PRESENT, 0,
	  ANON_FLAGS | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_DIRTY,
	  PAGE(ANON_PAGE, 1, 1, 0) },
	{ 0, 1, PTWALK_KIND_PRESENT, 0, ANON_FLAGS | PTWALK_FLAG_EXCLUSIVE,
	  PAGE(ANON_PAGE | PTWALK_PAGE_FLAG_DIRTY |
	       PTWALK_PAGE_FLAG_SWAPCACHE, 2, 1, 0) },
	{ 0, 4, PTWALK_KIND_PRESENT, 0, ANON_FLAGS | PTWALK_FLAG_KSM,
	  PAGE(ANON_PAGE | PTWALK_PAGE_FLAG_KSM, 3, 2, 1) },
	{ 0, 1, PTWALK_KIND_PRESENT, 0, ANON_FLAGS | PTWALK_FLAG_EXCLUSIVE,
	  PAGE(PTWALK_PAGE_FLAG_ANON, 2, 1, 0) },
	{ 0, 2, PTWALK_KIND_SWAP, 0, PTWALK_FLAG_SWAP_EXCLUSIVE },
	{ 0, 1, PTWALK_KIND_SWAP, 0, 0 },
	{ 0, 2, PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_ZERO },
	{ 0, 492, PTWALK_KIND_NONE, 0, 0 },
	/* Shared memory, some of it perhaps in swap. */
	{ 1, 20, PTWALK_KIND_PRESENT, 0,
	  PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_EXCLUSIVE,
	  PAGE(SWAPBACKED | PTWALK_PAGE_FLAG_DIRTY, 2, 1, 0) },
	{ 1, 44, PTWALK_KIND_NONE, 0, 0 },
	/* A library. */
	{ 2, 16, PTWALK_KIND_PRESENT, 0,
	  PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_YOUNG,
	  PAGE(PTWALK_PAGE_FLAG_UNEVICTABLE, 4, 3, 0) },
	/* Two hugetlb pages, one of them shared with somebody. */
	{ 3, 512, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD,
	  ANON_FLAGS | PTWALK_FLAG_HUGETLB | PTWALK_FLAG_DIRTY,
	  PAGE(PTWALK_PAGE_FLAG_ANON, 1, 1, 0) },
	{ 3, 512, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD,
	  PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_HUGETLB |
	  PTWALK_FLAG_MAYBE_SHARED, PAGE(0, 3, 2, 0) },
	/* On the move, or out of reach. */
	{ 4, 2, PTWALK_KIND_MIGRATION, 0, ANON_FLAGS },
	{ 4, 1, PTWALK_KIND_HWPOISON, 0, ANON_FLAGS },
	{ 4, 1, PTWALK_KIND_DEVICE_PRIVATE, 0,
	  PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON },
	{ 4, 1, PTWALK_KIND_MARKER, 0, 0 },
	{ 4, 1, PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_SPECIAL },
	{ 4, 2, PTWALK_KIND_NONE, 0, 0 },
};

#define RW	(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |		\
		 PTWALK_VMA_FLAG_MAYREAD | PTWALK_VMA_FLAG_MAYWRITE |	\
		 PTWALK_VMA_FLAG_MAYEXEC)

static const struct ptwalk_vma vmas[] = {
	{ .start = ANON, .last = ANON + 0x3fffff, .page_shift = 12,
	  .raw_flags = 0xff,
	  .flags = RW | PTWALK_VMA_FLAG_LOCKED | PTWALK_VMA_FLAG_ACCOUNT |
		   PTWALK_VMA_FLAG_SOFTDIRTY | PTWALK_VMA_FLAG_ANONYMOUS |
		   PTWALK_VMA_FLAG_HEAP,
	  .has_policy = true },
	{ .start = SHMEM, .last = SHMEM + 0x3ffff, .page_shift = 12, .pkey = 3,
	  .raw_flags = 0x3000000fb, .dev_minor = 1, .inode = 7,
	  .flags = RW | PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_MAYSHARE |
		   PTWALK_VMA_FLAG_SHMEM },
	{ .start = FILE_AT, .last = FILE_AT + 0xffff, .page_shift = 12,
	  .raw_flags = 0x75, .pgoff = 1, .dev_major = 8, .dev_minor = 2,
	  .inode = 173521,
	  .has_policy = true, .policy = 2 | 1 << 30, .policy_nodes = 3,
	  .flags = (RW & ~(uint64_t)PTWALK_VMA_FLAG_WRITE) |
		   PTWALK_VMA_FLAG_EXEC },
	{ .start = HUGETLB, .last = HUGETLB + 0x3fffff, .page_shift = 21,
	  .flags = RW | PTWALK_VMA_FLAG_HUGETLB },
	{ .start = ABSENT, .last = ABSENT + 0x7fff, .page_shift = 12, .pkey = 15,
	  .raw_flags = 0xf0000003f,
	  .flags = RW | PTWALK_VMA_FLAG_ACCOUNT | PTWALK_VMA_FLAG_ANONYMOUS },
};

#define NR_VMAS		(sizeof(vmas) / sizeof(vmas[0]))
#define NR_PIECES	(sizeof(pieces) / sizeof(pieces[0]))

/**
 * struct process - the made-up process
 */
struct process {
	struct ptwalk_kernel info;
	struct totals each[NR_VMAS];
	struct counted counted;
	struct shown shown;
	struct figures figures;
};

/* The lines of smaps that maps has, too, and those of PROCMAP_QUERY, with @sizes. */
static void show_lines(struct smaps *lines, bool sizes)
{
	static char text[4096];
	const char *p;
	FILE *stream;
	size_t line, len, used = 0;

	for (p = smaps_text; *p; p += len) {
		len = strcspn(p, "\n") + 1;
		if ((*p >= '0' && *p <= '9' && p[8] == '-') ||
		    (!sizes && *p == 'f') ||
		    (sizes && !strncmp(p, "KernelPageSize", 14))) {
			memcpy(text + used, p, len);
			used += len;
		}
	}
	text[used] = '\0';
	stream = test_stream(text);
	assert_int_equal(smaps_parse(stream, lines, &line), 0);
	fclose(stream);
	assert_int_equal(lines->nr, NR_VMAS + !sizes);
}

static const char links_text[] =
	"20000000-20040000 ---p 0 0:0 0 /dev/zero (deleted)\n"
	"30000000-30010000 ---p 0 0:0 0 /usr/lib/a N0=9.so\n";

static void show(struct shown *s)
{
	FILE *stream;
	size_t line;

	stream = test_stream(links_text);
	assert_int_equal(smaps_parse(stream, &s->map_files, &line), 0);
	fclose(stream);
	show_lines(&s->maps, false);
	show_lines(&s->query, true);

	stream = test_stream(status_text);
	assert_int_equal(procstatus_parse(stream, &s->status), 0);
	fclose(stream);
	stream = test_stream(statm_text);
	assert_int_equal(statm_parse(stream, &s->statm), 0);
	fclose(stream);
	stream = test_stream(stat_text);
	assert_int_equal(procstat_parse(stream, &s->stat), 0);
	fclose(stream);
	stream = test_stream(smaps_text);
	assert_int_equal(smaps_parse(stream, &s->smaps, &line), 0);
	fclose(stream);
	stream = test_stream(rollup_text);
	assert_int_equal(smaps_parse(stream, &s->rollup, &line), 0);
	fclose(stream);
	stream = test_stream(numa_text);
	assert_int_equal(numa_maps_parse(stream, &s->numa, &line), 0);
	fclose(stream);
	s->has = (1 << NR_FIGURE_SOURCES) - 1;
	s->exact_counters = s->only_mlock = true;
	s->thp = (struct thp_settings){ .always = 2 << 20, .known = true };
	s->cpus = 2;
}

static void count_piece(struct process *p, const struct piece *piece,
			uint64_t addr)
{
	const struct ptwalk_vma *vma = &vmas[piece->vma];
	struct totals *t = &p->each[piece->vma];
	struct ptwalk_extent e = {
		.addr = addr,
		.pages = piece->pages,
		.bits = ptwalk_bits(piece->kind, piece->level, 0, piece->flags),
	};
	struct ptwalk_page page = piece->page;
	uint64_t nr = 0;

	totals_extent(t, &p->info, vma, &e);
	totals_tables_extent(&p->counted.tables, &p->info, vma, &e);
	if (!totals_has_page(e.bits))
		return;
	/* Two pages of the heap are being written out. */
	if (piece->vma == 0 && piece->pages == 9) {
		nr = 2;
		page.flags |= PTWALK_PAGE_FLAG_WRITEBACK;
		assert_int_equal(totals_pages(t, &p->info, vma, addr, nr, e.bits,
					      &page), 0);
	}
	assert_int_equal(totals_pages(t, &p->info, vma, addr + (nr << 12),
				      piece->pages - nr, e.bits, &piece->page), 0);
}

static struct process *make(void)
{
	struct process *p = calloc(1, sizeof(*p));
	uint64_t next = 0;

	assert_non_null(p);
	p->info = test_kernel(7, 2);
	p->info.vma_flags = UINT64_MAX;
	p->info.features |= PTWALK_FEATURE_PKEYS;
	for (int l = 0; l < PTWALK_LEVELS; l++) {
		p->info.level_shift[l] = 12 + 9 * l;
		p->info.level_entries[l] = 512;
		p->info.entry_size[l] = 8;
	}
	for (size_t i = 0; i < NR_VMAS; i++)
		totals_vma(&p->each[i], &vmas[i], 12);
	for (size_t i = 0; i < NR_PIECES; i++) {
		if (!i || pieces[i].vma != pieces[i - 1].vma)
			next = vmas[pieces[i].vma].start;
		count_piece(p, &pieces[i], next);
		next += pieces[i].pages << 12;
	}
	for (size_t i = 0; i < NR_VMAS; i++)
		assert_int_equal(totals_add(&p->counted.sum, &p->each[i]), 0);
	p->counted.info = &p->info;
	p->counted.levels = 0x1f;
	p->counted.vmas = vmas;
	p->counted.each = p->each;
	p->counted.nr = NR_VMAS;
	p->counted.start = vmas[0].start;
	p->counted.last = vmas[NR_VMAS - 1].last;
	show(&p->shown);
	return p;
}

static void destroy(struct process *p)
{
	for (size_t i = 0; i < NR_VMAS; i++)
		totals_free(&p->each[i]);
	totals_free(&p->counted.sum);
	smaps_free(&p->shown.smaps);
	smaps_free(&p->shown.rollup);
	smaps_free(&p->shown.maps);
	smaps_free(&p->shown.query);
	smaps_free(&p->shown.map_files);
	numa_maps_free(&p->shown.numa);
	figures_free(&p->figures);
	free(p);
}

static uint64_t compare(struct process *p, enum figure_verdict verdict)
{
	uint64_t nr = 0;

	assert_int_equal(reconcile(&p->counted, &p->shown, &p->figures), 0);
	for (size_t i = 0; i < p->figures.nr; i++)
		nr += p->figures.figure[i].verdict == verdict;
	return nr;
}

static const struct figure *find(struct process *p, enum figure_source source,
				 const char *field, uint64_t start)
{
	char name[FIGURE_NAME];

	for (size_t i = 0; i < p->figures.nr; i++) {
		const struct figure *f = &p->figures.figure[i];

		if (f->source == source && f->start == start &&
		    !strcmp(figure_name(f, name), field))
			return f;
	}
	return NULL;
}

static void parsers(void **state)
{
	struct process *p = make();
	const struct shown *s = &p->shown;

	assert_int_equal(s->status.value[STATUS_VMRSS], 2264);
	assert_int_equal(s->status.value[STATUS_THREADS], 3);
	assert_int_equal(s->statm.shared, 36);
	assert_int_equal(s->smaps.nr, 6);
	assert_string_equal(s->smaps.vma[2].name, "/usr/lib/a N0=9.so");
	assert_int_equal(s->smaps.vma[0].vm_flags & PTWALK_VMA_FLAG_LOCKED,
			 PTWALK_VMA_FLAG_LOCKED);
	assert_ptr_equal(smaps_at(&s->smaps, HUGETLB), &s->smaps.vma[3]);
	assert_null(smaps_at(&s->smaps, HUGETLB + 1));
	assert_int_equal(s->rollup.nr, 1);
	assert_int_equal(s->numa.nr, 5);
	assert_int_equal(s->numa.vma[0].nr_nodes, 2);
	/* A file whose name looks like a field of the line. */
	assert_int_equal(s->numa.vma[2].nr_nodes, 1);
	assert_int_equal(s->numa.vma[2].nodes[0].pages, 16);
	assert_ptr_equal(numa_maps_at(&s->numa, FILE_AT), &s->numa.vma[2]);
	destroy(p);
}

static void garbage(void **state)
{
	static const char *const bad_smaps[] = {
		"Rss: 4 kB\n", "1000-0 r--p 0 0:0 0\n", "1000-2000\n",
		"1000-2000 r--p 0 0:0 0\nRss: x kB\n",
		"1000-2000 r--p 0 0:0 0\nRss: 4 MB\n", "\n",
	};
	static const char *const bad_numa[] = {
		"x default\n", "1000\n", "1000 default anon=x\n",
		"1000 default anon=1x\n",
	};
	static const char *const bad_status[] = {
		"VmRSS:\tx kB\n", "VmRSS:\t12 MB\n", "VmRSS:\t12\n",
	};
	struct procstatus status;
	struct numa_maps numa = { 0 };
	struct smaps smaps = { 0 };
	struct statm statm;
	FILE *stream;
	size_t i, line;

	for (i = 0; i < sizeof(bad_smaps) / sizeof(*bad_smaps); i++) {
		stream = test_stream(bad_smaps[i]);
		assert_int_equal(smaps_parse(stream, &smaps, &line), -EINVAL);
		fclose(stream);
		smaps_free(&smaps);
	}
	for (i = 0; i < sizeof(bad_numa) / sizeof(*bad_numa); i++) {
		stream = test_stream(bad_numa[i]);
		assert_int_equal(numa_maps_parse(stream, &numa, &line), -EINVAL);
		assert_int_equal(line, 1);
		fclose(stream);
		numa_maps_free(&numa);
	}
	for (i = 0; i < sizeof(bad_status) / sizeof(*bad_status); i++) {
		stream = test_stream(bad_status[i]);
		assert_int_equal(procstatus_parse(stream, &status), -EINVAL);
		fclose(stream);
	}
	stream = test_stream("x 34\n");
	assert_int_equal(statm_parse(stream, &statm), -EINVAL);
	fclose(stream);
	/* The rollup of a process without mappings, and a kernel thread. */
	stream = test_stream("00000000-00000000 ---p 0 00:00 0  [rollup]\nRss: 0 kB\n");
	assert_int_equal(smaps_parse(stream, &smaps, &line), 0);
	fclose(stream);
	smaps_free(&smaps);
	stream = test_stream("Name:\tkthreadd\nThreads:\t1\n");
	assert_int_equal(procstatus_parse(stream, &status), 0);
	assert_int_equal(status.has, 1 << STATUS_THREADS);
	fclose(stream);
}

/* A line that is there twice is shown as no mapping's. */
static void repeated(void **state)
{
	FILE *stream = test_stream("1000-2000 r--p 0 00:00 0 \n"
				 "2000-3000 rw-p 0 00:00 0 \n"
				 "2000-3000 rw-p 0 00:00 0 \n"
				 "3000-5000 r-xp 0 00:00 0 \n");
	struct smaps maps = { 0 };
	size_t line;

	assert_int_equal(smaps_parse(stream, &maps, &line), 0);
	fclose(stream);
	assert_int_equal(maps.nr, 4);
	assert_string_equal(maps.vma[0].perms, "r--p");
	assert_string_equal(maps.vma[1].perms, "?w-p");
	assert_string_equal(maps.vma[2].perms, "?w-p");
	assert_string_equal(maps.vma[3].perms, "r-xp");
	smaps_free(&maps);
}

static void tables(void **state)
{
	struct process *p = make();
	const struct totals_tables *t = &p->counted.tables;

	/* Four in use, and one held back for the THP. */
	assert_int_equal(totals_tables_count(t, &p->info, 0x1f, 0), 5);
	assert_int_equal(totals_tables_count(t, &p->info, 0x1f, 1), 2);
	assert_int_equal(totals_tables_count(t, &p->info, 0x1f, 2), 1);
	assert_int_equal(totals_tables_count(t, &p->info, 0x1f, 3), 0);
	/* A process whose topmost table is that of the PUD. */
	assert_int_equal(totals_tables_count(t, &p->info, 0x07, 2), 0);
	assert_int_equal(totals_tables_bytes(t, &p->info, 0x1f), 8 * 4096);
	p->info.entry_size[PTWALK_LEVEL_PTE] = 4;
	assert_int_equal(totals_tables_bytes(t, &p->info, 0x1f), 8 * 4096 - 5 * 2048);
	destroy(p);
}

static void all_match(void **state)
{
	struct process *p = make();
	uint64_t nr;

	nr = compare(p, FIGURE_MATCH);
	assert_int_equal(nr, p->figures.nr);
	assert_int_equal(find(p, FIGURE_STATUS, "RssAnon", 0)->low, 2120);
	assert_int_equal(find(p, FIGURE_SMAPS, "Pss", FILE_AT)->low, 21);
	assert_int_equal(find(p, FIGURE_NUMA_MAPS, "N1", ANON)->low, 4);
	destroy(p);
	/* Without map counts of pages, bounds still hold all of it. */
	p = make();
	p->info.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	nr = compare(p, FIGURE_MATCH);
	assert_int_equal(nr, p->figures.nr);
	assert_int_equal(find(p, FIGURE_SMAPS, "Rss", ANON)->high, 2108);
	destroy(p);
}

/*
 * Puts *@value out of the bounds of a figure, on either side, and sees that
 * it is told. Returns the number of times.
 */
static unsigned int harm(struct process *p, enum figure_source source,
			 const char *field, uint64_t start, uint64_t *value)
{
	uint64_t was = *value;
	const struct figure *f = find(p, source, field, start);
	uint64_t low, high;
	unsigned int killed = 0;

	assert_non_null(f);
	low = f->low - f->below;
	high = f->high;
	if (high != UINT64_MAX) {
		*value = high + f->above + 1;
		assert_true(compare(p, FIGURE_MISMATCH) > 0);
		assert_int_equal(find(p, source, field, start)->verdict,
				 FIGURE_MISMATCH);
		killed++;
	}
	if (low) {
		*value = low - 1;
		assert_true(compare(p, FIGURE_MISMATCH) > 0);
		assert_int_equal(find(p, source, field, start)->verdict,
				 FIGURE_MISMATCH);
		killed++;
	}
	*value = was;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	return killed;
}

static void mutants_of_totals(struct process *p)
{
	unsigned int killed;
	int i;

	compare(p, FIGURE_MATCH);
	for (i = 0; i < NR_STATUS_FIELDS; i++)
		if (i != STATUS_THREADS) {
			killed = harm(p, FIGURE_STATUS, status_field[i].name, 0,
				      &p->shown.status.value[i]);
			assert_true(killed > 0);
		}
	harm(p, FIGURE_STATM, "size", 0, &p->shown.statm.size);
	harm(p, FIGURE_STATM, "resident", 0, &p->shown.statm.resident);
	harm(p, FIGURE_STATM, "shared", 0, &p->shown.statm.shared);
	harm(p, FIGURE_STATM, "text", 0, &p->shown.statm.text);
	harm(p, FIGURE_STATM, "data", 0, &p->shown.statm.data);
	harm(p, FIGURE_STAT, "vsize", 0, &p->shown.stat.vsize);
	harm(p, FIGURE_STAT, "rss", 0, &p->shown.stat.rss);
	for (i = SMAPS_RSS; i <= SMAPS_LOCKED; i++) {
		killed = harm(p, FIGURE_ROLLUP, smaps_field[i].name, 0,
			      &p->shown.rollup.vma[0].value[i]);
		assert_true(killed > 0);
	}
}

static void mutants_of_vmas(struct process *p)
{
	struct smaps_vma *v;
	unsigned int killed;

	for (size_t n = 0; n < NR_VMAS; n++) {
		v = &p->shown.smaps.vma[n];
		for (int i = 0; i < NR_SMAPS_FIELDS; i++) {
			if (!(v->has & 1U << i) ||
			    !find(p, FIGURE_SMAPS, smaps_field[i].name, v->start))
				continue;
			killed = harm(p, FIGURE_SMAPS, smaps_field[i].name,
				      v->start, &v->value[i]);
			assert_true(killed > 0);
		}
	}
	v = &p->shown.smaps.vma[0];
	/* Every flag, set where it isn't and the other way round. */
	for (int bit = 0; bit < 64; bit++) {
		if (!(smaps_vm_flags_known() >> bit & 1))
			continue;
		v->vm_flags ^= 1ULL << bit;
		assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
		assert_int_equal(find(p, FIGURE_SMAPS, "VmFlags",
				      ANON)->verdict, FIGURE_MISMATCH);
		v->vm_flags ^= 1ULL << bit;
	}
}

/* One field after the other isn't there; @due: it should be. */
static void lose(struct process *p, enum figure_source source, const char *field,
		 uint64_t start, uint32_t *has, unsigned int bit, bool due)
{
	const struct figure *f;
	char text[FIGURE_TEXT];
	uint64_t lacks, excess;

	assert_int_not_equal(*has & 1U << bit, 0);
	*has &= ~(1U << bit);
	assert_int_equal(compare(p, FIGURE_MISMATCH), due);
	f = find(p, source, field, start);
	assert_int_equal(!!f, due);
	if (f) {
		assert_int_equal(f->verdict, FIGURE_MISMATCH);
		assert_null(f->why);
		assert_null(f->bug);
		assert_string_equal(figure_shown(f, text), "not there");
		figure_difference(f, &lacks, &excess);
		assert_int_equal(lacks, 1);
		assert_int_equal(excess, 0);
	}
	*has |= 1U << bit;
}

/* A field that isn't there, by kernels that have it, and that don't. */
static void fields(void **state)
{
	struct process *p = make();
	struct smaps_vma *v = p->shown.smaps.vma;
	struct smaps_vma *rollup = p->shown.rollup.vma;
	struct procstatus *status = &p->shown.status;

	p->shown.known_bugs = true;
	for (int i = 0; i < NR_SMAPS_FIELDS; i++)
		for (size_t n = 0; n < NR_VMAS; n++)
			if (i < SMAPS_PSS_ANON || i > SMAPS_PSS_SHMEM)
				lose(p, FIGURE_SMAPS, smaps_field[i].name,
				     v[n].start, &v[n].has, i, true);
	for (int i = SMAPS_RSS; i <= SMAPS_LOCKED; i++)
		lose(p, FIGURE_ROLLUP, smaps_field[i].name, 0, &rollup->has, i, true);
	for (int i = 0; i < STATUS_THREADS; i++)
		lose(p, FIGURE_STATUS, status_field[i].name, 0, &status->has, i,
		     true);
	for (size_t n = 0; n < 4; n++)
		lose(p, FIGURE_NUMA_MAPS, "kernelpagesize_kB", vmas[n].start,
		     &p->shown.numa.vma[n].has, NUMA_KERNEL_PAGE_SIZE, true);
	/* What would be any amount at all. */
	p->info.flags |= PTWALK_FLAG_PMD_SHARED;
	lose(p, FIGURE_STATUS, "HugetlbPages", 0, &status->has,
	     STATUS_HUGETLBPAGES, true);
	v->vm_flags = 0;
	v->nr_flags = 0;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	assert_true(find(p, FIGURE_SMAPS, "VmFlags", ANON)->absent);
	destroy(p);

	p = make();
	v = p->shown.smaps.vma;
	assert_null(examination_smaps.lacks(&examination_smaps, &p->info, NULL));
	assert_null(examination_smaps_rollup.lacks(&examination_smaps_rollup, &p->info, NULL));
	assert_null(examination_status.lacks(&examination_status, &p->info, NULL));
	p->info.features &= ~(PTWALK_FEATURE_PKEYS | PTWALK_FEATURE_HUGETLB);
	lose(p, FIGURE_SMAPS, "ProtectionKey", ANON, &v->has,
	     SMAPS_PROTECTION_KEY, false);
	lose(p, FIGURE_STATUS, "HugetlbPages", 0, &p->shown.status.has,
	     STATUS_HUGETLBPAGES, false);
	p->info.major = 6;
	p->info.minor = 7;
	lose(p, FIGURE_SMAPS, "KSM", ANON, &v->has, SMAPS_KSM, true);
	p->info.minor = 6;
	lose(p, FIGURE_SMAPS, "KSM", ANON, &v->has, SMAPS_KSM, false);
	lose(p, FIGURE_ROLLUP, "KSM", 0, &p->shown.rollup.vma->has, SMAPS_KSM,
	     false);
	assert_string_equal(examination_smaps.lacks(&examination_smaps, &p->info, NULL),
			    "this kernel has no KSM, ProtectionKey");
	assert_string_equal(examination_smaps_rollup.lacks(&examination_smaps_rollup, &p->info,
							   NULL),
			    "this kernel has no KSM");
	assert_string_equal(examination_status.lacks(&examination_status, &p->info, NULL),
			    "this kernel has no HugetlbPages");
	destroy(p);
}

static int policies_told;

int __wrap_ptwalk_policies(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
			   size_t nr, struct ptwalk_policy *policies);
int __wrap_ptwalk_policies(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
			   size_t nr, struct ptwalk_policy *policies)
{
	return policies_told;
}

/* Without a module that tells them, or with one that doesn't. */
static void policies_not_told(void **state)
{
	static const int errors[] = { -ENOENT, -EOPNOTSUPP, 0, -EPERM };
	const struct examination *e = &examination_numa_maps;

	for (int i = 0; i < 4; i++) {
		policies_told = errors[i];
		assert_int_equal(!e->lacks(e, NULL, NULL), i > 1);
	}
}

/* A line of statm with fewer numbers; one of the kernel always has seven. */
static void statm_short(void **state)
{
	static const char *const lines[] = { "2136 566 36 8 0 2056\n", "2136\n" };
	static const char *const first[] = { "dt", "resident" };
	struct process *p = make();
	FILE *stream;

	for (int i = 0; i < 2; i++) {
		stream = test_stream(lines[i]);
		assert_int_equal(statm_parse(stream, &p->shown.statm), 0);
		fclose(stream);
		assert_true(compare(p, FIGURE_MISMATCH) > 0);
		assert_true(find(p, FIGURE_STATM, first[i], 0)->absent);
		assert_true(find(p, FIGURE_STATM, "dt", 0)->absent);
		assert_false(find(p, FIGURE_STATM, "size", 0)->absent);
	}
	stream = test_stream("\n");
	assert_int_equal(statm_parse(stream, &p->shown.statm), -EINVAL);
	fclose(stream);
	destroy(p);
}

/* Whether the letters of the file's VMA are a mismatch. */
static bool flags_wrong(struct process *p)
{
	compare(p, FIGURE_MISMATCH);
	return find(p, FIGURE_SMAPS, "VmFlags", FILE_AT)->verdict == FIGURE_MISMATCH;
}

/* All letters count, and "??" passes only where a kernel has none for the flag. */
static void vm_flags(void **state)
{
	struct process *p = make();
	struct smaps_vma *v = &p->shown.smaps.vma[2];
	static const struct {
		uint64_t flag;
		uint32_t last;	/* Linux 6 of this number has no letters for it */
	} cases[] = {
		{ PTWALK_VMA_FLAG_LOCKONFAULT, 2 }, { PTWALK_VMA_FLAG_SEALED, 10 },
	};
	struct ptwalk_vma late[NR_VMAS];

	assert_int_equal(v->nr_flags, 5);
	p->info.vma_flags &= ~(uint64_t)PTWALK_VMA_FLAG_MTE;
	compare(p, FIGURE_MATCH);
	for (int more = -1; more <= 1; more += 2) {
		v->nr_flags += more;
		assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
		assert_int_equal(find(p, FIGURE_SMAPS, "number of VmFlags",
				      FILE_AT)->verdict, FIGURE_MISMATCH);
		v->nr_flags -= more;
	}
	/* One without letters on arm64 with memory tags. */
	v->nr_flags--;
	p->info.vma_flags = UINT64_MAX;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	v->nr_flags++;

	p->counted.vmas = late;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(late, vmas, sizeof(vmas));
		late[2].flags |= cases[i].flag;
		p->info.major = 6;
		p->info.minor = cases[i].last;
		v->unknown_flags = 0;
		assert_int_equal(flags_wrong(p), 1);
		v->unknown_flags = 1;
		assert_int_equal(flags_wrong(p), 0);
		p->info.minor++;
		assert_int_equal(flags_wrong(p), 1);
		p->info.minor--;
		late[2].flags |= PTWALK_VMA_FLAG_SYNC;
		assert_int_equal(flags_wrong(p), 1);
	}
	destroy(p);
}

/* Where the huge pages that a mapping may have would fit into it. */
static void thp_eligible(void **state)
{
	const uint64_t pmd = 2 << 20, small = 64 << 10;
	const struct {
		uint64_t pages, flags, always, advised;
		int eligible;		/* -1: either is well */
	} cases[] = {
		{ 1024, 0, pmd, pmd, 1 }, { 1024, 0, 0, pmd, 0 },
		{ 1024, 0, small, pmd, 1 }, { 511, 0, pmd, pmd, 0 },
		{ 511, 0, small, 0, 1 }, { 15, 0, small, small, 0 },
		{ 1024, PTWALK_VMA_FLAG_HUGEPAGE, 0, pmd, 1 },
		{ 1024, PTWALK_VMA_FLAG_HUGEPAGE, 0, 0, 0 },
		{ 1024, PTWALK_VMA_FLAG_NOHUGEPAGE, pmd, pmd, 0 },
		{ 1024, PTWALK_VMA_FLAG_THP_DISABLED, pmd, pmd, 0 },
		{ 1024, PTWALK_VMA_FLAG_DONTEXPAND, pmd, pmd, -1 },
	};
	struct process *p = make();
	struct smaps_vma *v = &p->shown.smaps.vma[0];
	struct ptwalk_vma other[NR_VMAS];
	const struct figure *f;

	p->counted.vmas = other;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(other, vmas, sizeof(vmas));
		other[0].flags |= cases[i].flags;
		other[0].last = v->last = ANON + (cases[i].pages << 12) - 1;
		p->shown.thp.always = cases[i].always;
		p->shown.thp.advised = cases[i].advised;
		for (int seen = 0; seen < 2; seen++) {
			p->shown.thp.known = true;
			v->value[SMAPS_THP_ELIGIBLE] = seen;
			compare(p, FIGURE_MISMATCH);
			f = find(p, FIGURE_SMAPS, "THPeligible", ANON);
			if (cases[i].eligible < 0)
				assert_null(f);
			else
				assert_int_equal(f->verdict,
						 seen == cases[i].eligible ?
						 FIGURE_MATCH : FIGURE_MISMATCH);
			p->shown.thp.known = false;
			compare(p, FIGURE_MISMATCH);
			assert_null(find(p, FIGURE_SMAPS, "THPeligible", ANON));
		}
	}
	/* A file's can be forbidden to have some. */
	memcpy(other, vmas, sizeof(vmas));
	p->shown.thp = (struct thp_settings){ .known = true, .always = pmd };
	p->shown.smaps.vma[2].value[SMAPS_THP_ELIGIBLE] = 1;
	p->shown.smaps.vma[2].has |= 1U << SMAPS_THP_ELIGIBLE;
	compare(p, FIGURE_MISMATCH);
	assert_null(find(p, FIGURE_SMAPS, "THPeligible", FILE_AT));
	other[2].flags |= PTWALK_VMA_FLAG_NOHUGEPAGE;
	compare(p, FIGURE_MISMATCH);
	assert_int_equal(find(p, FIGURE_SMAPS, "THPeligible", FILE_AT)->verdict,
			 FIGURE_MISMATCH);
	destroy(p);
}

/* One that ends below the size of a huge page may be called eligible. */
static void thp_eligible_low(void **state)
{
	const uint64_t pmd = 2 << 20, small = 64 << 10;
	const struct {
		uint64_t start, last, flags, always;
		bool bug;
	} cases[] = {
		{ small, 2 * small - 1, 0, pmd, true },
		{ small, pmd - 4097, 0, pmd, true },
		{ small, pmd - 1, 0, pmd, false },
		{ pmd - 4096, pmd + 4095, 0, pmd, false },
		{ small + 4096, 2 * small - 1, 0, small, false },
		{ small + 4096, 2 * small - 1, 0, small | pmd, true },
		{ 4096, small - 1, 0, small, false },
		{ 4096, small - 4097, 0, small, true },
		/* No single size is more than where it ends. */
		{ small + 4096, (80 << 10) - 1, 0, small | 32 << 10, false },
		{ small, 2 * small - 1, PTWALK_VMA_FLAG_NOHUGEPAGE, pmd, false },
		{ small, 2 * small - 1, PTWALK_VMA_FLAG_THP_DISABLED, pmd, false },
	};
	struct process *p = make();
	struct smaps_vma *v = &p->shown.smaps.vma[0];
	struct ptwalk_vma other[NR_VMAS];
	const struct figure *f;

	p->counted.vmas = other;
	p->shown.thp.known = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(other, vmas, sizeof(vmas));
		other[0].flags |= cases[i].flags;
		other[0].start = v->start = cases[i].start;
		other[0].last = v->last = cases[i].last;
		p->shown.thp.always = cases[i].always;
		for (int seen = 0; seen < 3; seen++) {
			v->value[SMAPS_THP_ELIGIBLE] = seen;
			p->shown.known_bugs = true;
			compare(p, FIGURE_MISMATCH);
			f = find(p, FIGURE_SMAPS, "THPeligible", cases[i].start);
			assert_int_equal(f->verdict, !seen ? FIGURE_MATCH :
					 seen == 1 && cases[i].bug ?
					 FIGURE_SLACK : FIGURE_MISMATCH);
			if (f->verdict == FIGURE_SLACK)
				assert_string_equal(f->why->name,
						    "thp-eligible-low");
			p->shown.known_bugs = false;
			compare(p, FIGURE_MISMATCH);
			f = find(p, FIGURE_SMAPS, "THPeligible", cases[i].start);
			assert_int_equal(f->verdict,
					 seen ? FIGURE_MISMATCH : FIGURE_MATCH);
		}
	}
	/* What has room is eligible by right, and 0 is no such bug. */
	other[0] = vmas[0];
	other[0].start = v->start = small;
	other[0].last = v->last = 2 * small - 1;
	p->shown.thp.always = small | pmd;
	p->shown.known_bugs = true;
	v->value[SMAPS_THP_ELIGIBLE] = 0;
	compare(p, FIGURE_MISMATCH);
	assert_int_equal(find(p, FIGURE_SMAPS, "THPeligible", small)->verdict,
			 FIGURE_MISMATCH);
	destroy(p);
}

/* Shows something else in the place of @size bytes at @value. */
static void show_other(struct process *p, enum figure_source source,
		       const char *field, uint64_t start, void *value,
		       const void *other, size_t size)
{
	char was[sizeof(uint64_t)];

	memcpy(was, value, size);
	memcpy(value, other, size);
	assert_int_not_equal(compare(p, FIGURE_MISMATCH), 0);
	assert_int_equal(find(p, source, field, start)->verdict,
			 FIGURE_MISMATCH);
	memcpy(value, was, size);
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
}

/* Each word of a line, in each file that has it, of a file and of none. */
static void lines_of_mappings(void **state)
{
	static const char *const perms[] = {
		"--xp", "rwxp", "r--p", "r-xs", "w-xp", "r-x-",
	};
	static const enum figure_source sources[] = {
		FIGURE_MAPS, FIGURE_QUERY, FIGURE_SMAPS,
	};
	struct process *p = make();
	struct smaps *files[] = {
		&p->shown.maps, &p->shown.query, &p->shown.smaps,
	};
	char *other = strdup("/other"), *none = strdup(""), **name;
	char *heap = strdup("[heap]"), *stack = strdup("[stack]");
	struct smaps_vma *v;

	for (size_t i = 0; i < 3; i++) {
		v = &files[i]->vma[2];
#define OTHER(field, member, ...) do {					\
	typeof(v->member) other_value = __VA_ARGS__;			\
	show_other(p, sources[i], field, FILE_AT, &v->member,		\
		   &other_value, sizeof(other_value));			\
} while (0)
		for (size_t n = 0; n < sizeof(perms) / sizeof(perms[0]); n++)
			show_other(p, sources[i], "permissions", FILE_AT,
				   v->perms, perms[n], 5);
		OTHER("offset", offset, 0x2000);
		OTHER("inode", inode, 173522);
		OTHER("device", dev_major, 9);
		OTHER("device", dev_minor, 0);
		OTHER("file name", name, none);
		OTHER("end", last, v->last + 0x1000);
		OTHER("mapping", start, v->start - 0x1000);
		v = &files[i]->vma[1];
		show_other(p, sources[i], "permissions", SHMEM, v->perms,
			   "rw-p", 5);
		name = &files[i]->vma[0].name;
		show_other(p, sources[i], "place", ANON, name, &none, sizeof(none));
		show_other(p, sources[i], "place", ANON, name, &stack,
			   sizeof(stack));
		name = &files[i]->vma[4].name;
		show_other(p, sources[i], "place", ABSENT, name, &heap,
			   sizeof(heap));
	}
	/* Whose name it is, only the files can say. */
	for (size_t i = 1; i < 3; i++) {
		name = &files[i]->vma[2].name;
		show_other(p, sources[i], "name", FILE_AT, name, &other,
			   sizeof(other));
	}
	v = &p->shown.query.vma[3];
	show_other(p, FIGURE_QUERY, "KernelPageSize", HUGETLB,
		   &v->value[SMAPS_KERNEL_PAGE_SIZE], &(uint64_t){ 4 }, 8);
	show_other(p, FIGURE_ROLLUP, "start", 0, &p->shown.rollup.vma[0].start,
		   &(uint64_t){ ANON + 0x1000 }, 8);
	show_other(p, FIGURE_ROLLUP, "end", 0, &p->shown.rollup.vma[0].last,
		   &(uint64_t){ ABSENT }, 8);
	/* One more, in one file. */
	p->shown.has = 1 << FIGURE_QUERY;
	p->counted.nr--;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	/* No pages of another mapping decide whether it held still. */
	assert_int_not_equal(p->each[p->counted.nr - 1].digest, 0);
	for (size_t i = 0; i < p->figures.nr; i++)
		if (p->figures.figure[i].verdict == FIGURE_MISMATCH)
			assert_int_equal(p->figures.figure[i].digest, 0);
	free(other);
	free(none);
	free(heap);
	free(stack);
	destroy(p);
}

/* What the kernel maps by itself, under the name of the other. */
static void code_and_data(void **state)
{
	struct process *p = make();
	struct ptwalk_vma other[NR_VMAS];
	char *name[] = { strdup("[vdso]"), strdup("[vvar]"), strdup("[vvar_vclock]") };
	char **shown = &p->shown.maps.vma[4].name;

	memcpy(other, vmas, sizeof(vmas));
	other[4].flags &= ~(uint64_t)PTWALK_VMA_FLAG_ANONYMOUS;
	p->counted.vmas = other;
	p->shown.has = 1 << FIGURE_MAPS;
	free(*shown);
	for (size_t i = 0; i < 3; i++) {
		*shown = name[i];
		other[4].flags &= ~(uint64_t)PTWALK_VMA_FLAG_MAYEXEC;
		assert_int_equal(compare(p, FIGURE_MISMATCH), i < 1);
		other[4].flags |= PTWALK_VMA_FLAG_MAYEXEC;
		assert_int_equal(compare(p, FIGURE_MISMATCH), i > 0);
	}
	free(name[0]);
	free(name[1]);
	p->counted.vmas = vmas;
	destroy(p);
}

/* A link for each mapping of a file, and for no other. */
static void links(void **state)
{
	struct process *p = make();
	struct smaps_vma *v = p->shown.map_files.vma;
	struct ptwalk_vma other[NR_VMAS];
	char *name = strdup("/other"), *named = strdup("[anon_shmem:x]");
	size_t nr;

	p->shown.has = 1 << FIGURE_MAP_FILES | 1 << FIGURE_MAPS;
	show_other(p, FIGURE_MAP_FILES, "name", FILE_AT, &v[1].name, &name,
		   sizeof(name));
	show_other(p, FIGURE_MAP_FILES, "end", FILE_AT, &v[1].last,
		   &(uint64_t){ FILE_AT + 0xfff }, 8);
	p->shown.map_files.nr--;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.map_files.nr++;
	memcpy(other, vmas, sizeof(vmas));
	other[2].inode = other[2].dev_major = other[2].dev_minor = 0;
	p->shown.has = 1 << FIGURE_MAP_FILES;
	p->counted.vmas = other;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->counted.vmas = vmas;
	/* Shared memory to which prctl() gave a name. */
	p->shown.has |= 1 << FIGURE_MAPS;
	free(p->shown.maps.vma[1].name);
	p->shown.maps.vma[1].name = named;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	free(name);
	/* One that comes twice, first the last one and then another. */
	for (int i = 1; i >= 0; i--) {
		nr = p->shown.map_files.nr++;
		v = reallocarray(p->shown.map_files.vma, nr + 1, sizeof(*v));
		assert_non_null(v);
		p->shown.map_files.vma = v;
		memmove(&v[i + 1], &v[i], (nr - i) * sizeof(*v));
		v[i + 1].name = strdup(v[i].name);
		assert_int_equal(compare(p, FIGURE_MISMATCH), 2 - i);
		assert_int_equal(find(p, FIGURE_MAP_FILES, "links", v[i].start)->seen, 2);
	}
	destroy(p);
}

/* Pages that are told together count as if they were told one by one. */
static void together(void **state)
{
	static const struct {
		unsigned int vma, level;
		uint64_t skip, pages, mapcount, mapmax;
	} cases[] = {
		{ 0, PTWALK_LEVEL_PTE, 3, 5, 3, 3 },
		{ 0, PTWALK_LEVEL_PMD, 0, 1024, 2, 2 },
		/* The kernel asks the first page of a huge leaf only. */
		{ 0, PTWALK_LEVEL_PMD, 1, 511, 2, 0 },
		{ 0, PTWALK_LEVEL_PMD, 511, 2, 2, 2 },
		{ 3, PTWALK_LEVEL_PMD, 0, 1024, 2, 2 },
		{ 3, PTWALK_LEVEL_PMD, 512, 512, 1, 1 },
	};
	struct process *p = make();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma *vma = &vmas[cases[i].vma];
		uint64_t bits = ptwalk_bits(PTWALK_KIND_PRESENT, cases[i].level, 0,
					    ANON_FLAGS | PTWALK_FLAG_DIRTY |
					    PTWALK_FLAG_RAM);
		uint64_t addr = (1ULL << 30) + (cases[i].skip << 12);
		struct ptwalk_page page = {
			.flags = PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_ACTIVE,
			.counts = 7 | cases[i].mapcount << 32,
			.place = 1 << 8,
		};
		struct totals all = { 0 }, each = { 0 };

		assert_int_equal(totals_pages(&all, &p->info, vma, addr,
					      cases[i].pages, bits, &page), 0);
		for (uint64_t j = 0; j < cases[i].pages; j++)
			assert_int_equal(totals_pages(&each, &p->info, vma,
						      addr + (j << 12), 1, bits,
						      &page), 0);
		assert_memory_equal(&all, &each, offsetof(struct totals, nodes));
		assert_int_equal(all.nodes[0].pages, each.nodes[0].pages);
		assert_int_equal(all.detailed, cases[i].pages);
		assert_int_equal(all.numa_mapmax, cases[i].mapmax);
		totals_free(&all);
		totals_free(&each);
	}
	destroy(p);
}

/* What is code, what is a stack, and what is data. */
static void accounts(void **state)
{
	static const struct {
		uint64_t flags;
		char as;
	} cases[] = {
		{ RW, 'd' }, { RW | PTWALK_VMA_FLAG_SHARED, 0 },
		{ PTWALK_VMA_FLAG_READ, 0 },
		{ PTWALK_VMA_FLAG_EXEC, 'x' },
		{ PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_SHARED, 'x' },
		{ PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_WRITE, 'd' },
		{ RW | PTWALK_VMA_FLAG_GROWSDOWN, 's' },
		{ PTWALK_VMA_FLAG_EXEC | PTWALK_VMA_FLAG_GROWSDOWN, 's' },
		{ RW | PTWALK_VMA_FLAG_SHADOW_STACK, 's' },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma vma = {
			.start = 0x1000, .last = 0x3fff, .flags = cases[i].flags,
		};
		struct totals t = { 0 };

		totals_vma(&t, &vma, 12);
		assert_int_equal(t.exec, cases[i].as == 'x' ? 3 : 0);
		assert_int_equal(t.stack, cases[i].as == 's' ? 3 : 0);
		assert_int_equal(t.data, cases[i].as == 'd' ? 3 : 0);
	}
}

/* Without stat, only bounds of the executable's code are known. */
static void code(void **state)
{
	struct process *p = make();
	uint64_t *exe = &p->shown.status.value[STATUS_VMEXE];
	uint64_t *lib = &p->shown.status.value[STATUS_VMLIB];

	*exe += 4;
	*lib -= 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.has &= ~(1U << FIGURE_STAT);
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	*lib += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*exe = 68;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 2);
	/* Who may not trace the process is told 1 instead. */
	p->shown.has |= 1U << FIGURE_STAT;
	p->shown.stat.code_start = p->shown.stat.code_end = 1;
	*exe = 0;
	*lib = 64;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	/* A driver may charge pages, but take none off. */
	p->shown.status.value[STATUS_VMLCK] += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.only_mlock = false;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	/* The three are what the same lines add up. */
	p->shown.exact_counters = false;
	p->shown.status.value[STATUS_RSSANON] += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.status.value[STATUS_VMRSS] += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	p->shown.status.value[STATUS_VMHWM] = 2267;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

static void mutants(void **state)
{
	struct process *p = make();

	mutants_of_totals(p);
	mutants_of_vmas(p);
	destroy(p);
	p = make();
	p->info.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	mutants_of_totals(p);
	mutants_of_vmas(p);
	destroy(p);
}

static void numa_mutants(void **state)
{
	static const enum numa_field fields[] = {
		NUMA_ANON, NUMA_DIRTY, NUMA_SWAPCACHE, NUMA_ACTIVE,
		NUMA_WRITEBACK, NUMA_MAPMAX, NUMA_KERNEL_PAGE_SIZE,
	};
	struct process *p = make();
	struct numa_vma *v = p->shown.numa.vma;

	compare(p, FIGURE_MATCH);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		harm(p, FIGURE_NUMA_MAPS, numa_field_name[fields[i]], ANON,
		     &v[0].value[fields[i]]);
	harm(p, FIGURE_NUMA_MAPS, "N0", ANON, &v[0].nodes[0].pages);
	harm(p, FIGURE_NUMA_MAPS, "N1", ANON, &v[0].nodes[1].pages);
	harm(p, FIGURE_NUMA_MAPS, "mapped", FILE_AT, &v[2].value[NUMA_MAPPED]);
	harm(p, FIGURE_NUMA_MAPS, "N0", HUGETLB, &v[3].nodes[0].pages);

	/* A page on a node where none was counted. */
	v[0].nodes[1].node = 2;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 2);
	v[0].nodes[1].node = 1;
	/* A field that should have been left out. */
	v[1].value[NUMA_MAPPED] = 20;
	v[1].has |= 1U << NUMA_MAPPED;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* The first word of a line of numa_maps, and those that say what it is. */
static void numa_words(void **state)
{
	static const struct {
		const char *text;
		uint32_t policy;
		uint64_t nodes;
		bool cut;
		enum numa_name name;
	} cases[] = {
		{ "default", 0, 0, false, NUMA_NAMELESS },
		{ "local stack", 4, 0, false, NUMA_STACK },
		{ "prefer:2 heap", 1, 4, false, NUMA_HEAP },
		{ "prefer (many)=static:0,2-3 N0=1", 5 | 1U << 31, 13, false,
		  NUMA_NAMELESS },
		{ "weighted interleave:0-63", 6, UINT64_MAX, false, NUMA_NAMELESS },
		{ "interleave:0,64 huge", 3, 1, true, NUMA_NAMELESS },
		{ "bind:0-100", 2, UINT64_MAX, true, NUMA_NAMELESS },
		{ "bind:1,", 2, 2, false, NUMA_NAMELESS },
		{ "bind:1-x", 2, 2, true, NUMA_NAMELESS },
		{ "bind=static:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36",
		  2 | 1U << 31, 0x1555555555, true, NUMA_NAMELESS },
		{ "preferred heap", NUMA_NO_POLICY, 0, false, NUMA_HEAP },
		{ "bind=odd:0", NUMA_NO_POLICY, 1, false, NUMA_NAMELESS },
		{ "bind=balancing:0-1", 2 | 1U << 29, 3, false, NUMA_NAMELESS },
		{ "bind=static|balancing:1", 2 | 5U << 29, 2, false, NUMA_NAMELESS },
		{ "prefer (many)=relative|balancing:0 heap", 5 | 3U << 29, 1, false,
		  NUMA_HEAP },
		{ "bind=balancing|static:1", NUMA_NO_POLICY, 2, false,
		  NUMA_NAMELESS },
		{ "bind=:1", NUMA_NO_POLICY, 2, false, NUMA_NAMELESS },
	};
	struct numa_maps numa;
	const struct numa_vma *v;
	char text[160];
	FILE *stream;
	size_t line;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&numa, 0, sizeof(numa));
		snprintf(text, sizeof(text), "1000 %s\n", cases[i].text);
		stream = test_stream(text);
		assert_int_equal(numa_maps_parse(stream, &numa, &line), 0);
		fclose(stream);
		v = numa_maps_at(&numa, 0x1000);
		assert_int_equal(v->policy, cases[i].policy);
		assert_true(v->policy_nodes == cases[i].nodes);
		assert_int_equal(v->cut, cases[i].cut);
		assert_int_equal(v->name, cases[i].name);
		assert_int_equal(v->huge, !!strstr(cases[i].text, "huge"));
		numa_maps_free(&numa);
	}
}

/* A policy with NUMA balancing, which older kernels take for none. */
static void numa_balancing(void **state)
{
	struct process *p = make();
	struct numa_vma *v = &p->shown.numa.vma[2];
	struct ptwalk_vma balanced[NR_VMAS];
	const struct figure *f;
	char text[FIGURE_TEXT];

	memcpy(balanced, vmas, sizeof(vmas));
	balanced[2].policy = v->policy = 2 | 5U << 29;
	p->counted.vmas = balanced;
	p->shown.known_bugs = true;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	f = find(p, FIGURE_NUMA_MAPS, "policy", FILE_AT);
	assert_string_equal(figure_counted(f, text), "bind=static|balancing");
	p->info.major = 6;
	p->info.minor = 10;
	v->policy &= ~(1U << 29);
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);

	v->policy = v->policy_nodes = 0;
	compare(p, FIGURE_MISMATCH);
	f = find(p, FIGURE_NUMA_MAPS, "policy", FILE_AT);
	assert_int_equal(f->verdict, FIGURE_SLACK);
	assert_string_equal(f->why->name, "numa-balancing-policy-bug");
	assert_int_equal(find(p, FIGURE_NUMA_MAPS, "nodes", FILE_AT)->verdict,
			 FIGURE_SLACK);
	p->info.minor = 11;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 2);
	destroy(p);
}

/* Each of these words wrong, or missing. */
static void numa_word_mutants(void **state)
{
	struct process *p = make();
	struct numa_vma *v = p->shown.numa.vma;

	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	v[0].policy = 2;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[0].policy = 0;
	v[0].policy_nodes = 1;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[0].policy_nodes = 0;
	v[0].name = NUMA_NAMELESS;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[0].name = NUMA_HEAP;
	v[0].huge = true;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[0].huge = false;

	v[2].policy = 2;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[2].policy |= 1 << 30;
	v[2].policy_nodes = 1;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[2].cut = true;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	v[2].file[9] ^= 1;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	v[2].file[9] ^= 1;
	strcpy(strstr(v[2].file, "\\040"), " ");
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* VmRSS is what the three lines below it add up to, whatever they are. */
static uint64_t compare_sum(struct process *p)
{
	uint64_t *value = p->shown.status.value;

	value[STATUS_VMRSS] = value[STATUS_RSSANON] + value[STATUS_RSSFILE] +
			      value[STATUS_RSSSHMEM];
	return compare(p, FIGURE_MISMATCH);
}

/* What a slack is for, and no kB further. */
static void counter_slacks(void **state)
{
	struct process *p = make();
	uint64_t *anon = &p->shown.status.value[STATUS_RSSANON];
	uint64_t *file = &p->shown.status.value[STATUS_RSSFILE];
	uint64_t *tables = &p->shown.status.value[STATUS_VMPTE];
	const struct figure *f;

	*anon -= 4;
	assert_int_equal(compare_sum(p), 2);
	p->shown.exact_counters = false;
	assert_int_equal(compare_sum(p), 0);
	f = find(p, FIGURE_STATUS, "RssAnon", 0);
	assert_int_equal(f->verdict, FIGURE_SLACK);
	assert_string_equal(f->why->name, "percpu-batch");
	*anon = 2120 + 2 * 32 * 4;
	assert_int_equal(compare_sum(p), 0);
	*anon += 1;
	assert_int_equal(compare_sum(p), 1);

	p->info.major = 6;
	p->info.minor = 1;
	*anon = 2120 - 3 * 66 * 4;
	*file = 0;
	assert_int_equal(compare_sum(p), 0);
	f = find(p, FIGURE_STATUS, "RssFile", 0);
	assert_string_equal(f->why->name, "split-rss");
	*anon -= 1;
	assert_int_equal(compare_sum(p), 1);
	*anon = 2120;
	assert_int_equal(compare_sum(p), 0);
	/* VmPTE is no such counter. */
	*tables += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	/* Two PMD tables of five are in use. */
	p->info.level_entries[PTWALK_LEVEL_PGD] = 4;
	strcpy(p->info.machine, "i686");
	*tables += 8;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	f = find(p, FIGURE_STATUS, "VmPTE", 0);
	assert_string_equal(f->why->name, "preallocated-pmds");
	*tables += 1;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*tables -= 1;
	strcpy(p->info.machine, "armv7l");
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	/* A level that ptwalk's own process hasn't. */
	p->info.levels &= ~(1U << PTWALK_LEVEL_P4D);
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	f = find(p, FIGURE_STATUS, "VmPTE", 0);
	assert_string_equal(f->why->name, "own-levels");
	*tables = 0;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* Counters are exact if one reader is: what mended it did so for all. */
static void readers(void **state)
{
	static const struct {
		long shown[4], page;
		bool exact;
	} cases[] = {
		{ { 100, 104, 108, 112 }, 4, true },
		{ { 50, 51, 52, 53 }, 1, true },
		{ { 50, 50, 50, 50 }, 1, false },
		/* Only now and then, or more than a page. */
		{ { 100, 104, 104, 108 }, 4, false },
		{ { 50, 50, 51, 52 }, 1, false },
		{ { 50, 51, 52, 52 }, 1, false },
		{ { 50, 52, 54, 56 }, 1, false },
		/* What can't be read. */
		{ { -1, -1, -1, -1 }, 1, false },
		{ { -1, 3, 7, 11 }, 4, false },
		{ { -1, 0, 1, 2 }, 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rss_seen_at_once(cases[i].shown, 4, cases[i].page),
				 cases[i].exact);
}

/* That a file lacks a mapping, or has one more, is a mismatch of its own. */
static void other_mappings(void **state)
{
	struct process *p = make();
	const struct figure *f;
	char text[FIGURE_TEXT];

	p->shown.smaps.vma[4].last += 0x1000;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	f = find(p, FIGURE_SMAPS, "end", ABSENT);
	assert_true(f->low == ABSENT + 0x7fff);
	assert_true(f->seen == ABSENT + 0x8fff);
	assert_string_equal(figure_counted(f, text), "0x50007fff");
	assert_string_equal(figure_shown(f, text), "0x50008fff");
	p->shown.smaps.vma[4].last -= 0x1000;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	p->shown.smaps.vma[4].start += 0x1000;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 2);
	f = find(p, FIGURE_SMAPS, "mapping", ABSENT);
	assert_int_equal(f->low, 1);
	assert_int_equal(f->seen, 0);
	p->shown.smaps.vma[4].start -= 0x1000;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	p->shown.numa.vma[4].start += 0x1000;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.numa.vma[4].start -= 0x1000;

	p->counted.nr--;
	p->shown.has = 1 << FIGURE_SMAPS;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	f = find(p, FIGURE_SMAPS, "mapping", ABSENT);
	assert_int_equal(f->low, 0);
	assert_int_equal(f->seen, 1);
	destroy(p);
}

/* A mapping that a file lacks is none for the function that shows those of this file. */
static void lacking_mappings(void **state)
{
	struct process *p = make();
	uint64_t *const starts[NR_FIGURE_SOURCES] = {
		[FIGURE_MAPS] = &p->shown.maps.vma[2].start,
		[FIGURE_SMAPS] = &p->shown.smaps.vma[2].start,
		[FIGURE_QUERY] = &p->shown.query.vma[2].start,
		[FIGURE_NUMA_MAPS] = &p->shown.numa.vma[2].start,
		[FIGURE_MAP_FILES] = &p->shown.map_files.vma[0].start,
	};
	static const struct {
		enum figure_source source;
		const char *by;
	} cases[] = {
		{ FIGURE_MAPS, "show_map_vma(), fs/proc/task_mmu.c" },
		{ FIGURE_SMAPS, "show_smap(), fs/proc/task_mmu.c" },
		{ FIGURE_QUERY, "do_procmap_query(), fs/proc/task_mmu.c" },
		{ FIGURE_NUMA_MAPS, "show_numa_map(), fs/proc/task_mmu.c" },
		{ FIGURE_MAP_FILES, "proc_map_files_readdir(), fs/proc/base.c" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t *start = starts[cases[i].source];

		++*start;
		compare(p, FIGURE_MISMATCH);
		assert_string_equal(find(p, cases[i].source, "mapping", FILE_AT)->where,
				    cases[i].by);
		--*start;
	}
	destroy(p);
}

static void expect_sides(const struct figure *f, const char *truth, const char *seen)
{
	char texts[2][FIGURE_TEXT];

	figure_sides(f, texts[0], texts[1], FIGURE_TEXT);
	assert_string_equal(texts[0], truth);
	assert_string_equal(texts[1], seen);
}

/* With a blank between two words, and none else. */
static void words_of_figures(void **state)
{
	struct process *p = make();
	struct smaps_vma *v = &p->shown.smaps.vma[2];

	v->start++;
	compare(p, FIGURE_MISMATCH);
	expect_sides(find(p, FIGURE_SMAPS, "mapping", FILE_AT),
		     "mapping of 0x30000000-0x30010000: there",
		     "mapping of 0x30000000-0x30010000: not there (show_smap(), fs/proc/task_mmu.c)");
	v->start--;
	v->nr_flags++;
	compare(p, FIGURE_MISMATCH);
	expect_sides(find(p, FIGURE_SMAPS, "number of VmFlags", FILE_AT),
		     "number of VmFlags of 0x30000000-0x30010000: 4..5",
		     "number of VmFlags of 0x30000000-0x30010000: 6 (show_smap_vma_flags(), fs/proc/task_mmu.c)");
	v->nr_flags--;
	v->vm_flags |= PTWALK_VMA_FLAG_LOCKED;
	compare(p, FIGURE_MISMATCH);
	expect_sides(find(p, FIGURE_SMAPS, "VmFlags", FILE_AT),
		     "VmFlags of 0x30000000-0x30010000: the mapping has nothing besides",
		     "VmFlags of 0x30000000-0x30010000: shows locked besides (show_smap_vma_flags(), fs/proc/task_mmu.c)");
	v->vm_flags &= ~(uint64_t)PTWALK_VMA_FLAG_LOCKED;
	v->value[SMAPS_RSS] += 4;
	compare(p, FIGURE_MISMATCH);
	expect_sides(find(p, FIGURE_SMAPS, "Rss", FILE_AT),
		     "Rss of 0x30000000-0x30010000: 64 kB",
		     "Rss of 0x30000000-0x30010000: 68 kB (smaps_account(), fs/proc/task_mmu.c)");
	destroy(p);
}

/* What is no mapping of the process, but a line of both files. */
static void gate(void **state)
{
	static const enum figure_source files[] = { FIGURE_MAPS, FIGURE_SMAPS };
	const uint64_t at = 0xffffffffff600000;
	struct process *p = make();
	struct smaps *lines[] = { &p->shown.maps, &p->shown.smaps };
	const struct figure *f;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
		lines[i]->nr--;
		assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
		f = find(p, files[i], "mapping", at);
		assert_int_equal(f->verdict, FIGURE_MISMATCH);
		assert_int_equal(f->low, 1);
		assert_int_equal(f->seen, 0);
		/* With one of them, nothing is known. */
		p->shown.has &= ~(1U << files[i]);
		assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
		p->shown.has |= 1U << files[i];
		lines[i]->nr++;
	}
	/* A kernel, or a process, without. */
	lines[0]->nr--;
	lines[1]->nr--;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	lines[0]->nr++;
	lines[1]->nr++;
	destroy(p);
}

/* Pages of a shared PMD table may be counted, or not, and none else. */
static void shared_tables(void **state)
{
	struct process *p = make();
	uint64_t *shown = &p->shown.status.value[STATUS_HUGETLBPAGES];

	p->counted.sum.hugetlb_pmd_shared = 512;
	*shown = 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	*shown = 2047;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*shown = 4100;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* A known bug is a mismatch all the same, and only this very one. */
static void known_bugs(void **state)
{
	struct process *p = make();
	uint64_t *huge = &p->shown.status.value[STATUS_HUGETLBPAGES];
	uint64_t *pss = &p->shown.smaps.vma[0].value[SMAPS_PSS];
	const struct figure *f;

	p->info.flags = PTWALK_FLAG_PMD_SHARED;
	*huge += 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	f = find(p, FIGURE_STATUS, "HugetlbPages", 0);
	assert_string_equal(f->bug->name, "hugetlb-unshared");
	assert_string_equal(f->where, "__unmap_hugepage_range(), mm/hugetlb.c");
	p->shown.known_bugs = true;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	*huge += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*huge = 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*huge = 4096;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);

	p->shown.smaps.vma[1].value[SMAPS_SWAP] = 44 * 512 * 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	p->shown.smaps.vma[1].value[SMAPS_SWAP]++;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.smaps.vma[1].value[SMAPS_SWAP] = 40;
	p->shown.smaps.vma[2].value[SMAPS_SWAP] = 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.smaps.vma[2].value[SMAPS_SWAP] = 0;

	/* A 64-bit kernel has no such excuse. */
	*pss -= 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->info.level_entries[PTWALK_LEVEL_PGD] = 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	f = find(p, FIGURE_SMAPS, "Pss", ANON);
	assert_int_equal(f->verdict, FIGURE_SLACK);
	assert_string_equal(f->why->name, "pss-overflow");
	p->shown.known_bugs = false;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.known_bugs = true;
	*pss += 1;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* What comes of hugetlb figures of the process in which 2048 kB aren't shared. */
static void assert_hugetlb(struct process *p, uint64_t shared, uint64_t private,
			   unsigned int mismatches)
{
	uint64_t *value = p->shown.smaps.vma[3].value;
	const struct figure *f;

	value[SMAPS_SHARED_HUGETLB] = shared;
	value[SMAPS_PRIVATE_HUGETLB] = private;
	assert_int_equal(compare(p, FIGURE_MISMATCH), mismatches);
	f = find(p, FIGURE_SMAPS, "Shared_Hugetlb", HUGETLB);
	if (f->verdict == FIGURE_SLACK)
		assert_string_equal(f->why->name, "hugetlb-share-count-bug");
}

/* Of tables other than the PMD's, a kernel may call all pages of some shared. */
static void share_count(void **state)
{
	struct process *p = make();
	struct totals *t = &p->each[3];

	p->info.flags = PTWALK_FLAG_PMD_SHARED;
	p->info.major = 7;
	p->info.minor = 2;
	p->shown.known_bugs = true;
	assert_hugetlb(p, 4096, 0, 2);
	t->hugetlb_other_tables = 512;
	assert_hugetlb(p, 4096, 0, 0);
	assert_hugetlb(p, 2048 + 128, 2048 - 128, 0);
	assert_hugetlb(p, 2048 + 256, 2048 - 256, 0);
	assert_hugetlb(p, 2048 + 1792, 2048 - 1792, 0);
	assert_hugetlb(p, 2048 + 1920, 2048 - 1920, 0);
	/* More than there is. */
	assert_hugetlb(p, 4100, 0, 2);
	/* Each by itself could be, but none may be lost or told twice. */
	assert_hugetlb(p, 2048 + 128, 2048, 1);
	assert_hugetlb(p, 2048, 2048 - 128, 1);
	assert_hugetlb(p, 2048 + 128, 2048 - 256, 1);
	/* What is shared can't be called private. */
	assert_hugetlb(p, 2048 - 128, 2048 + 128, 2);
	assert_hugetlb(p, 2044, 2052, 2);
	/* Of a page that isn't there nobody knows. */
	t->hugetlb_absent = 16;
	assert_hugetlb(p, 2048 + 128 + 64, 2048 - 128, 0);
	assert_hugetlb(p, 2048 + 128, 2048 - 128 + 64, 0);
	t->hugetlb_absent = 0;

	p->shown.known_bugs = false;
	assert_hugetlb(p, 4096, 0, 2);
	assert_string_equal(find(p, FIGURE_SMAPS, "Private_Hugetlb",
				 HUGETLB)->bug->name, "hugetlb-share-count-bug");
	p->shown.known_bugs = true;
	p->info.minor = 1;
	p->info.major = 6;
	assert_hugetlb(p, 4096, 0, 2);
	p->info.major = 7;
	p->info.flags = 0;
	assert_hugetlb(p, 4096, 0, 2);
	t->hugetlb_other_tables = 0;
	destroy(p);
}

/* Pages that nobody else maps, by the tables in which they stand. */
static void odd_tables(void **state)
{
	struct ptwalk_kernel info = test_kernel(7, 2);
	const struct ptwalk_vma vma = {
		.start = 0, .last = (1ULL << 41) - 1, .page_shift = 30,
		.flags = RW | PTWALK_VMA_FLAG_HUGETLB,
	};
	const uint64_t page = 1 << 18;
	const struct {
		uint64_t addr, pages;
		unsigned int kind, level;
		uint32_t flags;
	} cases[] = {
		{ 5ULL << 30, page, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD },
		{ 7ULL << 30, page, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD,
		  PTWALK_FLAG_MAYBE_SHARED },
		{ 8ULL << 30, page, PTWALK_KIND_NONE, PTWALK_LEVEL_PUD },
		{ 9ULL << 30, page, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD },
		{ 510ULL << 30, 515 * page, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD },
	};
	struct totals t = { 0 }, twice = { 0 };

	info.level_entries[PTWALK_LEVEL_PMD] = 512;
	info.level_entries[PTWALK_LEVEL_PUD] = 512;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_extent e = {
			.addr = cases[i].addr, .pages = cases[i].pages,
			.bits = ptwalk_bits(cases[i].kind, cases[i].level, 0,
					    cases[i].flags),
		};

		totals_extent(&t, &info, &vma, &e);
	}
	assert_int_equal(t.hugetlb_other_tables, 516 * page);
	assert_int_equal(totals_add(&twice, &t), 0);
	assert_int_equal(totals_add(&twice, &t), 0);
	assert_int_equal(twice.hugetlb_other_tables, 2 * 516 * page);
	totals_free(&t);
	totals_free(&twice);
}

/* A huge entry that allows nothing may be passed over, and no more than that. */
static void huge_prot_none(void **state)
{
	struct process *p = make();
	uint64_t *rss = &p->shown.smaps.vma[0].value[SMAPS_RSS];
	uint64_t *swap = &p->shown.smaps.vma[0].value[SMAPS_SWAP];

	p->info.major = 6;
	p->info.minor = 1;
	p->shown.known_bugs = true;
	*rss -= 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->each[0].pmd_prot_none = 512;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	assert_string_equal(find(p, FIGURE_SMAPS, "Rss", ANON)->why->name,
			    "thp-prot-none-bug");
	p->shown.known_bugs = false;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->shown.known_bugs = true;
	p->info.minor = 12;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	p->info.minor = 1;
	*rss -= 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*rss += 2052;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 0);
	*rss += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	*rss -= 4;
	/* What isn't in huge entries is no excuse. */
	*swap += 2048;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* What others decide, too, by mapping the same pages. */
static void map_counts(void **state)
{
	struct process *p = make();
	static const char *const fields[] = {
		"Pss", "Pss_Dirty", "Shared_Clean", "Private_Dirty", "Locked",
	};

	compare(p, FIGURE_MATCH);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_true(figure_is(find(p, FIGURE_SMAPS, fields[i], FILE_AT)) &
			    OF_MAP_COUNTS);
	assert_true(figure_is(find(p, FIGURE_ROLLUP, "Pss", 0)) & OF_MAP_COUNTS);
	assert_true(figure_is(find(p, FIGURE_NUMA_MAPS, "mapmax", FILE_AT)) & OF_MAP_COUNTS);
	assert_false(figure_is(find(p, FIGURE_SMAPS, "Rss", FILE_AT)) & OF_MAP_COUNTS);
	assert_false(figure_is(find(p, FIGURE_SMAPS, "Size", FILE_AT)) & OF_MAP_COUNTS);
	destroy(p);
}

/* Of some mappings only what is about mappings can be compared. */
static void part(void **state)
{
	struct process *p = make();

	p->counted.part = true;
	p->counted.nr = 2;
	reconcile(&p->counted, &p->shown, &p->figures);
	assert_true(p->figures.nr > 0);
	for (size_t i = 0; i < p->figures.nr; i++) {
		assert_int_not_equal(p->figures.figure[i].last, 0);
		assert_int_equal(p->figures.figure[i].verdict, FIGURE_MATCH);
	}
	p->shown.smaps.vma[1].value[SMAPS_RSS] += 4;
	assert_int_equal(compare(p, FIGURE_MISMATCH), 1);
	destroy(p);
}

/* VmLck is exact only where sysfs is there to say that nobody else counts. */
static void locked_vm(void **state)
{
	static const struct {
		const char *folder;
		bool exact, exact_arm;	/* with it and those before it */
	} cases[] = {
		{ "", false, false }, { "class", false, false },
		{ "class/misc", false, false }, { "bus", true, true },
		{ "class/misc/kvm", true, false },
		{ "class/misc/vfio", false, false },
	};
	enum { NR = sizeof(cases) / sizeof(cases[0]) };
	const struct ptwalk_kernel x86 = { .machine = "x86_64" };
	const struct ptwalk_kernel arm = { .machine = "aarch64" };
	char sys[] = "/tmp/ptwalk-tests-XXXXXX", path[NR][64];
	bool exact[NR], exact_arm[NR];

	assert_non_null(mkdtemp(sys));
	for (int i = 0; i < NR; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%s", sys,
			 cases[i].folder);
		mkdir(path[i], 0700);
		exact[i] = rss_only_mlock(sys, &x86);
		exact_arm[i] = rss_only_mlock(sys, &arm);
	}
	for (int i = NR; i--;)
		rmdir(path[i]);
	for (int i = 0; i < NR; i++) {
		assert_int_equal(exact[i], cases[i].exact);
		assert_int_equal(exact_arm[i], cases[i].exact_arm);
	}
	assert_false(rss_only_mlock("/none", &x86));
}

static const struct figure_round asleep = { .slept = true };
static const struct figure_round forked = { .forked = true, .slept = true };

/* One figure, and what becomes of it in a round. */
static enum figure_verdict round_of(struct strikes *strikes, uint64_t before,
				    uint64_t after, uint64_t seen, bool last,
				    int decided)
{
	struct figure f[2] = {
		{ .field = "Rss", .unit = "kB", .low = before, .high = before,
		  .seen = seen, .digest = 1 },
		{ .field = "Rss", .unit = "kB", .low = after, .high = after,
		  .seen = seen, .digest = 1 },
	};
	struct figures a = { .figure = &f[0], .nr = 1 };
	struct figures b = { .figure = &f[1], .nr = 1 };

	for (int i = 0; i < 2; i++)
		f[i].verdict = f[i].low == seen ? FIGURE_MATCH :
						  FIGURE_MISMATCH;
	assert_int_equal(judge_figures(&a, &b,
				       &(struct figure_round){ .slept = true,
							       .last = last },
				       strikes) == ROUNDS_DECIDED,
			 decided);
	return f[0].verdict;
}

/* As often as a figure may differ without a verdict. */
static void almost(struct strikes *s)
{
	for (int i = 1; i < JUDGE_PAGE_ROUNDS; i++)
		assert_int_equal(round_of(s, 8, 8, 12, false, 0),
				 FIGURE_UNSTABLE);
}

/* One figure of mappings in a round with the process asleep or not. */
static int of_mappings(struct figures *figures, struct strikes *s, uint64_t seen, bool slept)
{
	struct figure f = {
		.source = FIGURE_MAPS, .field = "inode", .unit = "", .start = 0x1000,
		.last = 0x1fff, .low = 7, .high = 7, .seen = seen,
		.verdict = seen == 7 ? FIGURE_MATCH : FIGURE_MISMATCH,
	};
	struct figures after = { .figure = &f, .nr = 1 };

	figures_restart(figures);
	assert_false(figures_add(figures, &f));
	return judge_figures(figures, &after,
			     &(struct figure_round){ .slept = slept }, s);
}

/* Once is enough if the process slept; what is shown right later doesn't matter. */
static void mappings_alone(void **state)
{
	for (int sieve = 0; sieve < 2; sieve++) {
		struct figures figures = { .sieve = sieve };
		struct strikes s = { 0 };

		assert_int_equal(of_mappings(&figures, &s, 8, false), ROUNDS_OPEN);
		assert_int_equal(figures.figure[0].verdict, FIGURE_UNSTABLE);
		assert_int_equal(of_mappings(&figures, &s, 7, false), ROUNDS_DECIDED);
		assert_true(sieve ? !figures.nr :
				    figures.figure[0].verdict == FIGURE_MATCH);
		assert_int_equal(of_mappings(&figures, &s, 8, true), ROUNDS_DECIDED);
		assert_int_equal(figures.figure[0].verdict, FIGURE_MISMATCH);
		for (int i = 0; i < 4; i++) {
			of_mappings(&figures, &s, 7 + 2 * (i % 2), false);
			assert_int_equal(figures.nr, 1);
			assert_int_equal(figures.figure[0].verdict, FIGURE_MISMATCH);
			assert_int_not_equal(figures.figure[0].seen, 7);
			assert_int_equal(figures.matched[FIGURE_MAPS], 0);
		}
		strikes_free(&s);
		figures_free(&figures);
	}
}

/* The same number of pages, but in other places: before, or from then on. */
static void elsewhere(void **state)
{
	struct figure f[2] = {
		{ .field = "N", .unit = "pages", .low = 8, .high = 8,
		  .seen = 12, .verdict = FIGURE_MISMATCH },
	};
	struct figures a = { .figure = &f[0], .nr = 1 };
	struct figures b = { .figure = &f[1], .nr = 1 };
	struct strikes s = { 0 };

	for (int i = 0; i < 3 * JUDGE_PAGE_ROUNDS; i++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		f[1].digest++;
		assert_int_equal(judge_figures(&a, &b, &asleep, &s), ROUNDS_OPEN);
		f[0].digest++;
	}
	for (int i = 0; i < 3 * JUDGE_PAGE_ROUNDS; i++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[0].digest++;
		f[1] = f[0];
		assert_int_equal(judge_figures(&a, &b, &asleep, &s), ROUNDS_OPEN);
	}
	strikes_free(&s);
}

/* What depends on map counts of shared pages, while processes come and go. */
static void forking(void **state)
{
	struct figure f[2] = {
		{ .field = "mapmax", .unit = "pages", .low = 12, .high = 12,
		  .seen = 11 },
	};
	struct figures a = { .figure = &f[0], .nr = 1 };
	struct figures b = { .figure = &f[1], .nr = 1 };
	struct strikes s = { 0 };
	int rounds;

	for (int i = 0; i < 3 * JUDGE_PAGE_ROUNDS; i++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		assert_int_equal(judge_figures(&a, &b, &forked, &s),
				 ROUNDS_OPEN);
	}
	/* What was proved in between stays proved. */
	for (rounds = 1; rounds <= 2 * JUDGE_PAGE_ROUNDS; rounds++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		assert_int_equal(judge_figures(&a, &b, rounds % 2 ? &forked : &asleep, &s),
				 rounds == 2 * JUDGE_PAGE_ROUNDS ?
				 ROUNDS_DECIDED : ROUNDS_OPEN);
	}
	assert_int_equal(f[0].verdict, FIGURE_MISMATCH);
	strikes_free(&s);

	/* A field that isn't there, while what it should show changes. */
	for (rounds = 1; rounds <= JUDGE_PAGE_ROUNDS; rounds++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[0].absent = true;
		f[0].low = rounds;
		f[0].high = rounds;
		f[0].digest = rounds;
		f[0].field = "mapped";
		f[1] = f[0];
		f[1].low = 0;
		assert_int_equal(judge_figures(&a, &b, &forked, &s),
				 rounds == JUDGE_PAGE_ROUNDS ?
				 ROUNDS_DECIDED : ROUNDS_OPEN);
	}
	assert_int_equal(f[0].verdict, FIGURE_MISMATCH);
	strikes_free(&s);
	memset(f, 0, sizeof(f));
	f[0].field = "mapmax";
	f[0].unit = "pages";

	/* What isn't of map counts, or another figure each time. */
	for (rounds = 1; rounds <= JUDGE_PAGE_ROUNDS; rounds++) {
		f[0].field = "mapped";
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		assert_int_equal(judge_figures(&a, &b, &forked, &s),
				 rounds == JUDGE_PAGE_ROUNDS ?
				 ROUNDS_DECIDED : ROUNDS_OPEN);
	}
	strikes_free(&s);
	for (rounds = 1; rounds <= 3 * JUDGE_PAGE_ROUNDS; rounds++) {
		f[0].low = f[0].high = 12 + rounds % 2;
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		assert_int_equal(judge_figures(&a, &b, &asleep, &s),
				 ROUNDS_OPEN);
	}
	strikes_free(&s);
}

/*
 * A process that runs may give a page back and take the same one again each time
 * that only the file is read; one that sleeps can't.
 */
static void running(void **state)
{
	static const struct {
		unsigned int nr, slept;	/* rounds; those from this one on */
		int state;		/* of the last */
	} cases[] = {
		{ JUDGE_PAGE_ROUNDS - 1, 99, ROUNDS_OPEN },
		{ JUDGE_PAGE_ROUNDS, 99, ROUNDS_INSIST },
		{ JUDGE_RUNNING_ROUNDS - 1, 99, ROUNDS_INSIST },
		{ JUDGE_RUNNING_ROUNDS, 99, ROUNDS_DECIDED },
		{ JUDGE_PAGE_ROUNDS, 2, ROUNDS_DECIDED },
		{ JUDGE_PAGE_ROUNDS, 3, ROUNDS_INSIST },
		{ 20, 16, ROUNDS_DECIDED },
		{ 20, 17, ROUNDS_INSIST },
	};
	struct figure f[2] = {
		{ .field = "Rss", .unit = "kB", .low = 2048, .high = 2048,
		  .seen = 2044, .digest = 1 },
	};
	struct figures a = { .figure = &f[0], .nr = 1 };
	struct figures b = { .figure = &f[1], .nr = 1 };
	struct figure_round round = { .last = true };
	struct strikes s = { 0 };
	int got = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int nr = 1; nr <= cases[i].nr; nr++) {
			f[0].verdict = FIGURE_MISMATCH;
			f[1] = f[0];
			round.slept = nr >= cases[i].slept;
			got = judge_figures(&a, &b, &round, &s);
		}
		assert_int_equal(got, cases[i].state);
		assert_int_equal(f[0].verdict, got == ROUNDS_DECIDED ?
				 FIGURE_MISMATCH : FIGURE_UNSTABLE);
		strikes_free(&s);
	}

	/* What was told for certain isn't taken back when it wakes up. */
	for (unsigned int nr = 1; nr <= JUDGE_PAGE_ROUNDS + 1; nr++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		round.slept = nr <= JUDGE_PAGE_ROUNDS;
		got = judge_figures(&a, &b, &round, &s);
		assert_int_equal(got == ROUNDS_DECIDED,
				 nr >= JUDGE_PAGE_ROUNDS);
	}
	strikes_free(&s);

	/* It sleeps now and then. */
	for (unsigned int nr = 1; nr < JUDGE_RUNNING_ROUNDS; nr++) {
		f[0].verdict = FIGURE_MISMATCH;
		f[1] = f[0];
		round.slept = nr % JUDGE_PAGE_ROUNDS > 1;
		assert_int_not_equal(judge_figures(&a, &b, &round, &s),
				     ROUNDS_DECIDED);
	}
	strikes_free(&s);
}

/* The digest of extents, which is that of their parts and of no others. */
static void digests(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	const struct ptwalk_vma vma = { .flags = PTWALK_VMA_FLAG_READ };
	const uint64_t here = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
					  PTWALK_FLAG_PAGE);
	const uint64_t swap = ptwalk_bits(PTWALK_KIND_SWAP, 0, 1, 0);
	const struct ptwalk_extent whole[] = {
		{ .addr = 0x1000, .value = 0x50, .pages = 7, .bits = here },
		{ .addr = 0x8000, .value = 9, .pages = 1, .bits = swap },
	};
	struct ptwalk_extent parts[] = {
		{ .addr = 0x1000, .value = 0x50, .pages = 2, .bits = here },
		{ .addr = 0x3000, .value = 0x52, .pages = 5,
		  .bits = here | (uint64_t)PTWALK_FLAG_YOUNG <<
				 PTWALK_BITS_FLAGS_SHIFT },
		{ .addr = 0x8000, .value = 9, .pages = 1, .bits = swap },
	};
	struct totals a = { 0 }, b;

	for (size_t i = 0; i < 2; i++)
		totals_extent(&a, &kernel, &vma, &whole[i]);
#define DIGEST_IS(same) do { \
	memset(&b, 0, sizeof(b)); \
	for (size_t i = 0; i < 3; i++) \
		totals_extent(&b, &kernel, &vma, &parts[i]); \
	assert_int_equal(a.digest == b.digest, same); \
} while (0)
	DIGEST_IS(true);
	parts[1].value++;
	DIGEST_IS(false);
	parts[1].value = 0x50;
	parts[0].value = 0x55;	/* the same frames, changed about */
	DIGEST_IS(false);
	parts[0].value = 0x50;
	parts[1].value = 0x52;
	parts[2].value++;
	DIGEST_IS(false);
	parts[2].value--;
	parts[0].bits |= (uint64_t)PTWALK_FLAG_DIRTY << PTWALK_BITS_FLAGS_SHIFT;
	DIGEST_IS(false);
}

/* Counted from address @from on; with @list, these are the values. */
static void take_run(struct totals *t, struct totals_tables *tables,
		     const struct ptwalk_kernel *kernel, const struct ptwalk_vma *vma,
		     const struct ptwalk_extent *e, const uint64_t *list,
		     const struct ptwalk_page *page, uint64_t from)
{
	uint64_t words[2 + 8] = { e->bits, e->pages, e->value };
	struct ptwalk_runs runs = {
		.vma = *vma, .start = e->addr, .word = words, .nr = 3,
	};

	if (list) {
		words[0] |= 1ULL << PTWALK_BITS_LIST_SHIFT;
		memcpy(&words[2], list, e->pages * sizeof(*list));
		runs.nr = 2 + e->pages;
	}
	assert_int_equal(0, totals_take(t, tables, kernel, &runs, page, from));
}

/* Runs, and lists, are counted as each of their pages by itself. */
static void rows(void **state)
{
	enum { NR = 4096 };
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	const struct ptwalk_vma small = { .flags = PTWALK_VMA_FLAG_READ };
	const struct ptwalk_vma huge = {
		.flags = PTWALK_VMA_FLAG_HUGETLB, .page_shift = 21,
	};
	struct totals_tables in_a_row, by_itself;
	struct ptwalk_extent *e = calloc(NR, sizeof(*e));
	struct ptwalk_page *page = calloc(NR, sizeof(*page));
	uint64_t addr = 0x7f0000000000, rnd = 1;
	struct totals a, b;

	for (size_t i = 0; i < NR; i++) {
		rnd = rnd * 6364136223846793005ULL + 1442695040888963407ULL;
		addr += (rnd >> 60 ? 0 : 0x1000);
		e[i] = (struct ptwalk_extent){
			.addr = addr, .value = 1000 * i, .pages = 1 + (rnd >> 56 & 3),
			.bits = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
					    PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM |
					    PTWALK_FLAG_EXCLUSIVE),
		};
		page[i] = (struct ptwalk_page){
			.counts = 1ULL << 32 | 1, .place = 1 << 8,
		};
		addr += e[i].pages << 12;
		switch (rnd >> 40 & 31) {
		case 0:
			e[i].bits |= (uint64_t)PTWALK_FLAG_DIRTY
				     << PTWALK_BITS_FLAGS_SHIFT;
			break;
		case 1:
			e[i].bits = ptwalk_bits(PTWALK_KIND_SWAP, 0, 1, 0);
			break;
		case 2:
			page[i].counts = 3ULL << 32 | 3;
			break;
		case 3:
			page[i].flags = PTWALK_PAGE_FLAG_DIRTY;
			break;
		case 4:
			page[i].place = 2 << 8;
			break;
		}
	}
	for (const struct ptwalk_vma *vma = &small; vma; vma = vma == &small ? &huge : NULL) {
		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		memset(&in_a_row, 0, sizeof(in_a_row));
		memset(&by_itself, 0, sizeof(by_itself));
		for (size_t i = 0; i < NR; i++) {
			uint64_t list[8];

			for (uint64_t j = 0; j < e[i].pages; j++)
				list[j] = e[i].value + (i % 2 ? j : j * i % 7);
			/* The first page has been counted before, of some. */
			take_run(&a, &in_a_row, &kernel, vma, &e[i],
				 i % 2 && i % 4 == 1 ? NULL : list, &page[i],
				 e[i].addr + (i % 3 ? 0 : 0x1000));
			for (uint64_t j = i % 3 ? 0 : 1; j < e[i].pages; j++)
				take_run(&b, &by_itself, &kernel, vma,
					 &(struct ptwalk_extent){
						.addr = e[i].addr + (j << 12),
						.value = list[j], .pages = 1,
						.bits = e[i].bits },
					 NULL, &page[i], 0);
		}
		assert_memory_equal(&a, &b, offsetof(struct totals, nodes));
		assert_memory_equal(&in_a_row, &by_itself, sizeof(in_a_row));
		assert_int_equal(a.nr_nodes, 2);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(a.nodes[i].node, b.nodes[i].node);
			assert_int_equal(a.nodes[i].pages, b.nodes[i].pages);
		}
		totals_free(&a);
		totals_free(&b);
	}
	free(e);
	free(page);
}

static void rounds(void **state)
{
	struct strikes s = { 0 };

	assert_int_equal(round_of(&s, 8, 8, 8, false, 1), FIGURE_MATCH);
	/* The truth after has it. */
	assert_int_equal(round_of(&s, 8, 12, 12, false, 1),
			 FIGURE_MATCH);
	/* So many times in a row, and the truth held still. */
	almost(&s);
	assert_int_equal(round_of(&s, 8, 8, 12, false, 1),
			 FIGURE_MISMATCH);
	/* A round in which it moved begins anew. */
	strikes_free(&s);
	almost(&s);
	assert_int_equal(round_of(&s, 8, 9, 12, false, 0),
			 FIGURE_UNSTABLE);
	/* Between two truths, but only in the last round. */
	strikes_free(&s);
	assert_int_equal(round_of(&s, 8, 20, 12, false, 0),
			 FIGURE_UNSTABLE);
	assert_int_equal(round_of(&s, 20, 8, 12, true, 1),
			 FIGURE_MATCH);
	assert_int_equal(round_of(&s, 8, 20, 24, true, 0),
			 FIGURE_UNSTABLE);
	assert_int_equal(round_of(&s, 8, 20, 4, true, 0),
			 FIGURE_UNSTABLE);
	assert_int_equal(round_of(&s, 8, 8, 12, true, 0),
			 FIGURE_UNSTABLE);
	strikes_free(&s);
}

static void add(struct totals *t, const struct ptwalk_vma *vma, unsigned int kind,
		unsigned int level, uint64_t pages, uint32_t flags)
{
	const struct ptwalk_kernel info = test_kernel(7, 2);
	const struct ptwalk_extent e = {
		.addr = vma->start, .pages = pages,
		.bits = ptwalk_bits(kind, level, 0, flags),
	};

	totals_extent(t, &info, vma, &e);
}

/* Pages of shmem that may be in swap: those that show nothing here. */
static void unseen(void **state)
{
	const struct ptwalk_vma private = {
		.start = SHMEM, .last = SHMEM + 0xffff, .page_shift = 12,
		.flags = RW | PTWALK_VMA_FLAG_SHMEM,
	};
	struct totals t = { 0 };

	totals_vma(&t, &private, 12);
	assert_int_equal(totals_swap_unseen(&t), 16);
	add(&t, &private, PTWALK_KIND_PRESENT, 0, 3, PTWALK_FLAG_PAGE);
	assert_int_equal(totals_swap_unseen(&t), 13);
	add(&t, &private, PTWALK_KIND_SWAP, 0, 4, 0);
	assert_int_equal(totals_swap_unseen(&t), 9);
	/* A copy hides the page that it was made from, wherever it is. */
	add(&t, &private, PTWALK_KIND_PRESENT, 0, 2, ANON_FLAGS);
	add(&t, &private, PTWALK_KIND_MIGRATION, 0, 1, ANON_FLAGS);
	assert_int_equal(totals_swap_unseen(&t), 6);
	add(&t, &private, PTWALK_KIND_MIGRATION, 0, 1, PTWALK_FLAG_PAGE);
	add(&t, &private, PTWALK_KIND_PRESENT, 0, 1, PTWALK_FLAG_ZERO);
	add(&t, &private, PTWALK_KIND_MARKER, 0, 1, 0);
	add(&t, &private, PTWALK_KIND_NONE, 0, 3, 0);
	assert_int_equal(totals_swap_unseen(&t), 6);
	add(&t, &private, PTWALK_KIND_SWAP, 0, 7, 0);
	assert_int_equal(totals_swap_unseen(&t), 0);
	assert_int_equal(t.swap, 11);
	/* None of these stands where no more can be written. */
	assert_int_equal(t.shmem_kept, 0);
}

/* Private copies that stay where nothing can be written to any more. */
static void kept(void **state)
{
	const struct {
		uint64_t flags, shmem_kept;
	} cases[] = {
		{ PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_READ, 6 },
		{ PTWALK_VMA_FLAG_SHMEM, 6 },
		{ PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_WRITE, 0 },
		{ PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_SHARED, 0 },
		{ PTWALK_VMA_FLAG_READ, 0 },
		{ PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_HUGETLB, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma vma = {
			.start = SHMEM, .last = SHMEM + 0xffff, .page_shift = 12,
			.flags = cases[i].flags,
		};
		struct totals t = { 0 };

		totals_vma(&t, &vma, 12);
		add(&t, &vma, PTWALK_KIND_PRESENT, 0, 3, ANON_FLAGS);
		add(&t, &vma, PTWALK_KIND_SWAP, 0, 2, 0);
		add(&t, &vma, PTWALK_KIND_MIGRATION, 0, 1, ANON_FLAGS);
		add(&t, &vma, PTWALK_KIND_PRESENT, 0, 1, PTWALK_FLAG_PAGE);
		add(&t, &vma, PTWALK_KIND_MIGRATION, 0, 1, PTWALK_FLAG_PAGE);
		add(&t, &vma, PTWALK_KIND_PRESENT, 0, 1, PTWALK_FLAG_ZERO);
		add(&t, &vma, PTWALK_KIND_NONE, 0, 7, 0);
		assert_int_equal(t.shmem_kept, cases[i].shmem_kept);
		totals_free(&t);
	}
}

/**
 * struct swap_case - what Swap of a shmem mapping of 64 pages is taken for
 * @swap: Pages in swap, of which and of others @kept are private copies in a
 *	mapping that may not be written to; @seen as in struct totals.
 * @shown: What smaps shows, in kB.
 * @bug: It is this known bug; NULL is none.
 * @good: It is what it should be.
 */
struct swap_case {
	unsigned int major, minor;
	uint64_t swap, seen, kept, shown;
	const char *bug;
	bool good;
};

#define READONLY	"shmem-readonly-swap"
#define ORDER		"shmem-swap-order"

static const struct swap_case swap_cases[] = {
	/* No copies: up to all that isn't seen; above, large folios of 6.12. */
	{ 6, 1, 0, 20, 0, 176, NULL, true },
	{ 6, 1, 0, 20, 0, 177, NULL, false },
	{ 6, 11, 0, 20, 0, 177, NULL, false },
	{ 6, 12, 0, 20, 0, 176, NULL, true },
	{ 6, 12, 0, 20, 0, 177, ORDER, false },
	{ 7, 3, 0, 20, 0, 44 * 512 * 4, ORDER, false },
	{ 7, 3, 0, 20, 0, 44 * 512 * 4 + 1, NULL, false },
	/* All are copies that can be written to. */
	{ 7, 3, 8, 64, 0, 32, NULL, true },
	{ 7, 3, 8, 64, 0, 36, NULL, false },
	{ 7, 3, 8, 64, 0, 28, NULL, false },
	/* Those that can't: no more than each of them twice. */
	{ 6, 1, 8, 64, 64, 32, NULL, true },
	{ 6, 1, 8, 64, 64, 28, NULL, false },
	{ 6, 1, 8, 64, 64, 36, READONLY, false },
	{ 6, 1, 8, 64, 64, 288, READONLY, false },
	{ 6, 1, 8, 64, 64, 289, NULL, false },
	{ 7, 3, 8, 64, 64, 288, READONLY, false },
	{ 7, 3, 8, 64, 64, 289, ORDER, false },
	/* Some copies, and empty entries. */
	{ 6, 1, 2, 20, 3, 8 + 176, NULL, true },
	{ 6, 1, 2, 20, 3, 8 + 176 + 1, READONLY, false },
	{ 6, 1, 2, 20, 3, 8 + 176 + 12, READONLY, false },
	{ 6, 1, 2, 20, 3, 8 + 176 + 13, NULL, false },
	{ 6, 12, 2, 20, 3, 8 + 176 + 12, READONLY, false },
	{ 6, 12, 2, 20, 3, 8 + 176 + 13, ORDER, false },
	{ 6, 12, 2, 20, 3, 8 + 47 * 512 * 4, ORDER, false },
	{ 6, 12, 2, 20, 3, 8 + 47 * 512 * 4 + 1, NULL, false },
};

static void check_swap_case(struct process *p, const struct swap_case *c,
			    enum figure_source source, struct totals *t,
			    struct smaps_vma *v, uint64_t start)
{
	const uint64_t other = t->swap - p->each[1].swap;
	const struct figure *f;

	v->value[SMAPS_SWAP] = c->shown + (other << 2);
	compare(p, FIGURE_MISMATCH);
	f = find(p, source, "Swap", start);
	if (c->good) {
		assert_int_equal(f->verdict, FIGURE_MATCH);
		assert_null(f->bug);
		return;
	}
	assert_int_equal(f->verdict, c->bug && p->shown.known_bugs ? FIGURE_SLACK :
								     FIGURE_MISMATCH);
	if (!c->bug) {
		assert_null(f->bug);
		assert_string_equal(f->where, "smaps_pte_entry(), fs/proc/task_mmu.c");
		return;
	}
	assert_string_equal(f->bug->name, c->bug);
	assert_string_equal(f->where, f->bug->where);
}

/* Swap of shmem by smaps and by smaps_rollup, and the two bugs of it. */
static void swap_of_shmem(void **state)
{
	struct process *p = make();
	struct totals *t = &p->each[1], *sum = &p->counted.sum;
	const struct totals before = *sum;

	for (size_t i = 0; i < 2 * sizeof(swap_cases) / sizeof(swap_cases[0]); i++) {
		const struct swap_case *c = &swap_cases[i / 2];

		p->shown.known_bugs = i % 2;
		p->info.major = c->major;
		p->info.minor = c->minor;
		t->swap = c->swap;
		t->shmem_seen = c->seen;
		t->shmem_kept = c->kept;
		sum->swap = before.swap + c->swap;
		sum->shmem_seen = c->seen;
		sum->shmem_kept = c->kept;
		check_swap_case(p, c, FIGURE_SMAPS, t, &p->shown.smaps.vma[1], SHMEM);
		check_swap_case(p, c, FIGURE_ROLLUP, sum, &p->shown.rollup.vma[0], 0);
	}
	/* A kernel without huge pages swaps no large folios, nor one without a PMD. */
	p->shown.thp.absent = true;
	p->shown.smaps.vma[1].value[SMAPS_SWAP] = 8 + 176 + 13;
	compare(p, FIGURE_MISMATCH);
	assert_null(find(p, FIGURE_SMAPS, "Swap", SHMEM)->bug);
	p->shown.thp.absent = false;
	compare(p, FIGURE_MISMATCH);
	assert_non_null(find(p, FIGURE_SMAPS, "Swap", SHMEM)->bug);
	p->info.levels &= ~(1U << PTWALK_LEVEL_PMD);
	compare(p, FIGURE_MISMATCH);
	assert_null(find(p, FIGURE_SMAPS, "Swap", SHMEM)->bug);
	destroy(p);
}

/* A huge page of anonymous memory has a table put by, of a file it has none. */
static void deposits(void **state)
{
	const struct {
		unsigned int vma, kind, level;
		uint32_t flags;
		uint64_t deposited;
	} cases[] = {
		{ 0, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, ANON_FLAGS, 512 },
		{ 0, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, PTWALK_FLAG_ZERO, 512 },
		{ 0, PTWALK_KIND_MIGRATION, PTWALK_LEVEL_PMD, ANON_FLAGS, 512 },
		{ 0, PTWALK_KIND_NONE, PTWALK_LEVEL_PMD, 0, 0 },
		{ 0, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, ANON_FLAGS, 0 },
		{ 1, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, PTWALK_FLAG_PAGE, 0 },
		{ 2, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, PTWALK_FLAG_PAGE, 0 },
		{ 2, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, PTWALK_FLAG_ZERO, 0 },
		{ 3, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, ANON_FLAGS, 0 },
	};
	const struct ptwalk_kernel info = test_kernel(7, 2);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_extent e = {
			.addr = 0x40000000, .pages = 512,
			.bits = ptwalk_bits(cases[i].kind, cases[i].level, 0,
					    cases[i].flags),
		};
		struct totals_tables t = { 0 };

		totals_tables_extent(&t, &info, &vmas[cases[i].vma], &e);
		assert_int_equal(t.deposited, cases[i].deposited);
	}
}

SUITE(suite_rss,
      cmocka_unit_test(share_count), cmocka_unit_test(odd_tables),
      cmocka_unit_test(part),
	      cmocka_unit_test(huge_prot_none),
      cmocka_unit_test(rounds), cmocka_unit_test(elsewhere),
      cmocka_unit_test(forking), cmocka_unit_test(running), cmocka_unit_test(map_counts),
      cmocka_unit_test(mappings_alone),
      cmocka_unit_test(digests), cmocka_unit_test(rows), cmocka_unit_test(unseen),
      cmocka_unit_test(kept), cmocka_unit_test(swap_of_shmem),
      cmocka_unit_test(locked_vm),
      cmocka_unit_test(deposits),
      cmocka_unit_test(parsers), cmocka_unit_test(garbage),
      cmocka_unit_test(repeated),
      cmocka_unit_test(tables), cmocka_unit_test(all_match),
      cmocka_unit_test(mutants), cmocka_unit_test(numa_mutants), cmocka_unit_test(thp_eligible),
      cmocka_unit_test(thp_eligible_low),
      cmocka_unit_test(numa_words), cmocka_unit_test(numa_word_mutants), cmocka_unit_test(numa_balancing),
      cmocka_unit_test(vm_flags), cmocka_unit_test(policies_not_told),
      cmocka_unit_test(statm_short),
      cmocka_unit_test(fields),
      cmocka_unit_test(gate),
      cmocka_unit_test(readers),
      cmocka_unit_test(accounts),
      cmocka_unit_test(lines_of_mappings), cmocka_unit_test(together),
      cmocka_unit_test(code_and_data),
      cmocka_unit_test(links),
      cmocka_unit_test(code),
      cmocka_unit_test(counter_slacks), cmocka_unit_test(other_mappings),
      cmocka_unit_test(lacking_mappings), cmocka_unit_test(words_of_figures),
      cmocka_unit_test(shared_tables), cmocka_unit_test(known_bugs));
