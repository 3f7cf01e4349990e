// SPDX-License-Identifier: GPL-2.0
/*
 * Counted pages against what smaps, status and their like show. Each field
 * has bounds, which are equal where all that the kernel adds up is known, and
 * a slack beside them where the kernel's own sum may be off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "sums/job.h"

const char *const figure_source_name[NR_FIGURE_SOURCES] = {
	[FIGURE_STATUS] = "status",
	[FIGURE_STATM] = "statm",
	[FIGURE_STAT] = "stat",
	[FIGURE_SMAPS] = "smaps",
	[FIGURE_ROLLUP] = "smaps_rollup",
	[FIGURE_NUMA_MAPS] = "numa_maps",
	[FIGURE_MAPS] = "maps",
	[FIGURE_QUERY] = "procmap-query",
	[FIGURE_MAP_FILES] = "map_files",
};

const char *const figure_verdict_name[NR_FIGURE_VERDICTS] = {
	[FIGURE_MATCH] = "match",
	[FIGURE_SLACK] = "slack",
	[FIGURE_UNSTABLE] = "unstable",
	[FIGURE_MISMATCH] = "mismatch",
};

enum {
	SPLIT_RSS,
	PERCPU_BATCH,
	SHMEM_SWAP,
	NOT_TOLD,
	ABSENT_PAGES,
	YOUNG_PAGES,
	SWAP_COUNT,
	HUGETLB_PMD_SHARE,
	LOCKED_VM,
	PEAK,
	CODE,
	AS_IT_STANDS,
	SILENT_FLAGS,
	PREALLOCATED,
	OWN_LEVELS,
};

const struct slack slacks[] = {
	[SPLIT_RSS] = {
		"split-rss",
		"each thread keeps the counts of its last page faults to itself",
		"check_sync_rss_stat(), mm/memory.c",
		"before 6.2",
	},
	[PERCPU_BATCH] = {
		"percpu-batch",
		"the sum leaves out what each processor has not handed over",
		"get_mm_counter(), include/linux/mm.h",
		"since 6.2, before 6.16; older ones may have what ended it",
	},
	[SHMEM_SWAP] = {
		"shmem-swap",
		"swapped pages of shmem leave no trace in the page tables, and smaps adds those of the object",
		"smap_gather_stats(), fs/proc/task_mmu.c",
	},
	[NOT_TOLD] = {
		"not-told",
		"the pages were not asked about one by one, so that only bounds are known",
		"smaps_page_accumulate(), fs/proc/task_mmu.c",
	},
	[ABSENT_PAGES] = {
		"absent-pages",
		"of a migrating, poisoned or device page the kernel cannot tell who else maps it, and versions guess differently",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[YOUNG_PAGES] = {
		"young-pages",
		"pages that idle tracking found accessed count, too",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[SWAP_COUNT] = {
		"swap-count",
		"how many processes share a swap entry is not in the page tables",
		"swp_swapcount(), mm/swapfile.c",
	},
	[HUGETLB_PMD_SHARE] = {
		"hugetlb-pmd-share",
		"pages in a shared PMD table are counted only for the process that faulted them in",
		"huge_pmd_share(), mm/hugetlb.c",
	},
	[LOCKED_VM] = {
		"locked-vm",
		"drivers such as VFIO charge pages that they pin to the same counter",
		"account_locked_vm(), mm/util.c",
	},
	[PEAK] = {
		"peak",
		"the highest figure so far",
		"task_mem(), fs/proc/task_mmu.c",
	},
	[CODE] = {
		"code",
		"where the executable's code begins and ends is not in the page tables, and was not told",
		"task_mem(), fs/proc/task_mmu.c",
	},
	[AS_IT_STANDS] = {
		"as-it-stands",
		"the counters are read without what each thread or processor has not handed over, also where status adds that up",
		"get_mm_rss(), include/linux/mm.h",
	},
	[SILENT_FLAGS] = {
		"silent-flags",
		"VM_MTE_ALLOWED is a flag that has no letters",
		"show_smap_vma_flags(), fs/proc/task_mmu.c",
	},
	[PREALLOCATED] = {
		"preallocated-pmds",
		"with PAE a process has its PMD tables from the start, the empty ones, too",
		"preallocate_pmds(), arch/x86/mm/pgtable.c",
	},
	[OWN_LEVELS] = {
		"own-levels",
		"the process has more levels of tables than ptwalk's own, and those are not counted",
		"crst_table_upgrade(), arch/s390/mm/pgalloc.c",
	},
	{ NULL },
};

enum {
	HUGETLB_UNSHARED,
	PSS_OVERFLOW,
	SHMEM_SWAP_ORDER,
	HUGETLB_SHARE_COUNT,
	THP_PROT_NONE,
};

const struct slack kernel_bugs[] = {
	[HUGETLB_UNSHARED] = {
		"hugetlb-unshared",
		"when a shared table of huge pages is given up, the pages in it that were counted stay so for ever",
		"__unmap_hugepage_range(), mm/hugetlb.c",
	},
	[PSS_OVERFLOW] = {
		"pss-overflow",
		"the share of a huge page that is mapped once does not fit into 32 bits, and nothing is left of it",
		"smaps_account(), fs/proc/task_mmu.c",
	},
	[SHMEM_SWAP_ORDER] = {
		"shmem-swap-order",
		"each empty entry over a large folio of shmem that is in swap counts as all of that folio",
		"shmem_partial_swap_usage(), mm/shmem.c",
		"since 6.12",
	},
	[HUGETLB_SHARE_COUNT] = {
		"hugetlb-share-count-bug",
		"of huge pages that stand in another table than the PMD's, a share count is read that is not there, and calls them shared at random",
		"smaps_hugetlb_range(), fs/proc/task_mmu.c",
		"since 6.12",
	},
	[THP_PROT_NONE] = {
		"thp-prot-none-bug",
		"a huge entry that allows nothing, of PROT_NONE memory or as a NUMA hint, is passed over",
		"smaps_pmd_entry(), fs/proc/task_mmu.c",
		"since 6.1, not in 6.12",
	},
	{ NULL },
};

int shown_parse(struct shown *s, enum figure_source source, FILE *stream,
		size_t *line)
{
	int err;

	*line = 0;
	if (source == FIGURE_STATUS)
		err = procstatus_parse(stream, &s->status);
	else if (source == FIGURE_STATM)
		err = statm_parse(stream, &s->statm);
	else if (source == FIGURE_STAT)
		err = procstat_parse(stream, &s->stat);
	else if (source == FIGURE_SMAPS)
		err = smaps_parse(stream, &s->smaps, line);
	else if (source == FIGURE_ROLLUP)
		err = smaps_parse(stream, &s->rollup, line);
	else if (source == FIGURE_MAPS)
		err = smaps_parse(stream, &s->maps, line);
	else if (source == FIGURE_QUERY)
		err = smaps_parse(stream, &s->query, line);
	else if (source == FIGURE_MAP_FILES)
		err = smaps_parse(stream, &s->map_files, line);
	else
		err = numa_maps_parse(stream, &s->numa, line);
	if (!err)
		s->has |= 1U << source;
	return err;
}

void shown_free(struct shown *s)
{
	smaps_free(&s->smaps);
	smaps_free(&s->rollup);
	smaps_free(&s->maps);
	smaps_free(&s->query);
	smaps_free(&s->map_files);
	numa_maps_free(&s->numa);
	s->has = 0;
}

/* TASK_RSS_EVENTS_THRESH, and one more, as it is passed before it counts. */
#define SPLIT_RSS_FAULTS	66
#define FAULT_AROUND_BYTES	65536	/* the default, fault_around_bytes */

static enum figure_verdict judge(const struct figure *f)
{
	if (f->seen >= f->low && f->seen <= f->high)
		return FIGURE_MATCH;
	if (f->seen < f->low && f->low - f->seen <= f->below)
		return FIGURE_SLACK;
	if (f->seen > f->high && f->seen - f->high <= f->above)
		return FIGURE_SLACK;
	return FIGURE_MISMATCH;
}

int figure_order(const struct figure *a, const struct figure *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return strcmp(a->field, b->field);
}

static int compare_wanted(const void *a, const void *b)
{
	const struct figure *const *x = a, *const *y = b;

	return figure_order(*x, *y);
}

int figures_want(struct figures *figures, const struct figures *differ)
{
	const struct figure **wanted;

	wanted = reallocarray(figures->wanted, differ->nr + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	figures->wanted = wanted;
	figures->nr_wanted = 0;
	for (size_t i = 0; i < differ->nr; i++)
		if (differ->figure[i].verdict == FIGURE_MISMATCH)
			wanted[figures->nr_wanted++] = &differ->figure[i];
	if (figures->nr_wanted)
		qsort(wanted, figures->nr_wanted, sizeof(*wanted), compare_wanted);
	return 0;
}

static bool is_kept(const struct figures *figures, const struct figure *f)
{
	if (figures->wanted)
		return figures->nr_wanted &&
		       bsearch(&f, figures->wanted, figures->nr_wanted,
			       sizeof(f), compare_wanted);
	return !figures->sieve || f->verdict != FIGURE_MATCH;
}

void job_put(struct job *j, struct figure figure)
{
	figure.start = j->start;
	figure.last = j->last;
	figure.digest = j->digest;
	if (figure.low == figure.high && !figure.below && !figure.above)
		figure.why = NULL;
	figure.verdict = judge(&figure);
	if (j->lost && !figure.bug) {
		figure.bug = &kernel_bugs[THP_PROT_NONE];
		figure.bug_low = figure.low > j->lost ? figure.low - j->lost : 0;
		figure.bug_high = figure.high;
	}
	if (figure.verdict != FIGURE_MISMATCH ||
	    figure.seen < figure.bug_low || figure.seen > figure.bug_high)
		figure.bug = NULL;
	if (figure.bug && j->shown->known_bugs) {
		figure.verdict = FIGURE_SLACK;
		figure.why = figure.bug;
	}
	if (!is_kept(j->figures, &figure)) {
		j->figures->matched[figure.source] += figure.verdict == FIGURE_MATCH;
		return;
	}
	if (!array_room(&j->figures->figure, &j->figures->max,
			j->figures->nr + 1, sizeof(figure))) {
		j->error = -ENOMEM;
		return;
	}
	j->figures->figure[j->figures->nr++] = figure;
}

/* Pages as kB. */
static uint64_t kb(const struct job *j, uint64_t pages)
{
	return pages << (j->info->page_shift - 10);
}

static uint64_t pss_kb(uint64_t pss)
{
	return pss >> TOTALS_PSS_SHIFT >> 10;
}

static uint64_t page_pss(const struct job *j, uint64_t pages)
{
	return pages << j->info->page_shift << TOTALS_PSS_SHIFT;
}

static uint64_t of_class(const struct totals *t, enum totals_class class)
{
	/* The pages know better than the VMA what they are. */
	return totals_all_detailed(t) ? t->detailed_class[class] : t->present[class];
}

/* What mm->rss_stat has: a poisoned page was taken off when it was unmapped. */
static uint64_t rss_class(const struct totals *t, enum totals_class class)
{
	return of_class(t, class) + t->absent[class] - t->poisoned[class];
}

/* The slack of the counters in mm->rss_stat, in pages, if they aren't @exact. */
static const struct slack *slack_unless(const struct job *j, bool exact,
					uint64_t *below, uint64_t *above,
					bool around)
{
	const struct shown *s = j->shown;
	uint64_t threads = s->status.value[STATUS_THREADS];
	uint64_t pages = FAULT_AROUND_BYTES >> j->info->page_shift;
	uint64_t batch;

	*below = *above = 0;
	if (exact)
		return NULL;
	if (j->info->major < 6 || (j->info->major == 6 && j->info->minor < 2)) {
		*above = (threads ? threads : 1) * SPLIT_RSS_FAULTS;
		*below = *above * (around && pages ? pages : 1);
		return &slacks[SPLIT_RSS];
	}
	/* percpu_counter_batch */
	batch = 2 * s->cpus > 32 ? 2 * s->cpus : 32;
	*below = *above = batch * s->cpus;
	return &slacks[PERCPU_BATCH];
}

static const struct slack *counter_slack(const struct job *j, uint64_t *below,
					 uint64_t *above, bool around)
{
	return slack_unless(j, j->shown->exact_counters, below, above, around);
}

static void put_status(struct job *j, enum status_field field,
		       struct figure figure)
{
	if (!(j->shown->status.has & 1U << field))
		return;
	figure.source = FIGURE_STATUS;
	figure.field = status_field_name[field];
	figure.unit = "kB";
	figure.seen = j->shown->status.value[field];
	if (!figure.where)
		figure.where = "task_mem(), fs/proc/task_mmu.c";
	job_put(j, figure);
}

static void put_counter(struct job *j, enum status_field field, uint64_t pages,
			bool around, unsigned int counters)
{
	uint64_t below, above;
	const struct slack *why = counter_slack(j, &below, &above, around);

	put_status(j, field, (struct figure){
		.low = kb(j, pages), .high = kb(j, pages),
		.below = kb(j, below) * counters,
		.above = kb(j, above) * counters, .why = why });
}

/* Whether processes can share tables of huge pages on this architecture. */
static bool can_share(const struct job *j)
{
	uint64_t huge;

	if (!(j->info->flags & PTWALK_FLAG_PMD_SHARED) ||
	    !(j->info->levels & 1U << PTWALK_LEVEL_PMD))
		return false;
	huge = kb(j, 1) << (j->info->level_shift[PTWALK_LEVEL_PMD] -
			    j->info->page_shift);
	return !(j->shown->status.value[STATUS_HUGETLBPAGES] % huge);
}

/* PAE and LPAE: what isn't 64-bit and has huge pages. */
static bool is_32_bit(const struct job *j)
{
	return j->info->levels & 1U << PTWALK_LEVEL_PMD &&
	       j->info->level_entries[PTWALK_LEVEL_PGD] == 4;
}

/*
 * Bytes of PMD tables in which nothing is, of a PAE process: pgd_alloc() gives it
 * one for each entry of the PGD, with page-table isolation two for the kernel's.
 */
static uint64_t preallocated(const struct job *j)
{
	const struct ptwalk_kernel *k = j->info;
	uint64_t used = totals_tables_count(&j->counted->tables, k,
					    j->counted->levels,
					    PTWALK_LEVEL_PMD);
	uint64_t all = k->level_entries[PTWALK_LEVEL_PGD] + 1;

	if (!is_32_bit(j) || k->machine[0] != 'i' || used >= all)
		return 0;
	return (all - used) * k->level_entries[PTWALK_LEVEL_PMD] *
	       k->entry_size[PTWALK_LEVEL_PMD];
}

/* Pages from the first to the last one of the executable's code; 0: not told. */
static uint64_t code_pages(const struct job *j)
{
	const struct procstat *stat = &j->shown->stat;
	uint64_t size = 1ULL << j->info->page_shift;

	if (!(j->shown->has & 1U << FIGURE_STAT) || stat->code_end <= 1)
		return 0;
	return (((stat->code_end + size - 1) & -size) -
		(stat->code_start & -size)) >> j->info->page_shift;
}

/* VmExe is what the executable has of exec_vm, and VmLib the rest. */
static void compare_exec(struct job *j, const struct totals *t)
{
	const uint64_t *value = j->shown->status.value;
	uint64_t text = code_pages(j), exec = kb(j, t->exec);
	uint64_t high = text && text < t->exec ? kb(j, text) : exec;

	put_status(j, STATUS_VMEXE, (struct figure){
		.low = text ? high : 0, .high = high, .why = &slacks[CODE] });
	put_status(j, STATUS_VMLIB, (struct figure){
		.low = exec - value[STATUS_VMEXE],
		.high = exec - value[STATUS_VMEXE] });
}

static void compare_status(struct job *j)
{
	const struct totals *t = &j->counted->sum;
	uint64_t anon = rss_class(t, CLASS_ANON);
	uint64_t file = rss_class(t, CLASS_FILE);
	uint64_t shmem = rss_class(t, CLASS_SHMEM);
	uint64_t hugetlb = t->hugetlb + t->hugetlb_absent - t->hugetlb_poisoned;
	uint64_t tables = totals_tables_bytes(&j->counted->tables, j->info,
					      j->counted->levels) >> 10;
	const uint64_t *value = j->shown->status.value;
	uint32_t uncounted;

	/* Both peaks are those of what the same lines show, at the least. */
	put_status(j, STATUS_VMPEAK, (struct figure){
		.low = kb(j, t->size), .high = UINT64_MAX,
		.why = &slacks[PEAK] });
	put_status(j, STATUS_VMSIZE, (struct figure){
		.low = kb(j, t->size), .high = kb(j, t->size),
		.where = "vm_stat_account(), mm/mmap.c" });
	put_status(j, STATUS_VMLCK, (struct figure){
		.low = kb(j, t->locked_size),
		.high = j->shown->only_mlock ? kb(j, t->locked_size) :
					       UINT64_MAX,
		.why = &slacks[LOCKED_VM] });
	put_status(j, STATUS_VMHWM, (struct figure){
		.low = value[STATUS_VMRSS], .high = UINT64_MAX,
		.why = &slacks[PEAK] });
	put_counter(j, STATUS_VMRSS, anon + file + shmem, true, 3);
	put_counter(j, STATUS_RSSANON, anon, false, 1);
	put_counter(j, STATUS_RSSFILE, file, true, 1);
	put_counter(j, STATUS_RSSSHMEM, shmem, true, 1);
	job_put(j, (struct figure){
		.source = FIGURE_STATUS, .field = "Rss*",
		.unit = "kB", .where = "task_mem(), fs/proc/task_mmu.c",
		.low = value[STATUS_VMRSS], .high = value[STATUS_VMRSS],
		.seen = value[STATUS_RSSANON] + value[STATUS_RSSFILE] +
			value[STATUS_RSSSHMEM] });
	put_status(j, STATUS_VMDATA, (struct figure){
		.low = kb(j, t->data), .high = kb(j, t->data) });
	put_status(j, STATUS_VMSTK, (struct figure){
		.low = kb(j, t->stack), .high = kb(j, t->stack) });
	compare_exec(j, t);
	put_counter(j, STATUS_VMSWAP, t->swap, false, 1);
	uncounted = j->counted->levels & ~j->info->levels;
	put_status(j, STATUS_VMPTE, (struct figure){
		.low = tables,
		.high = uncounted ? UINT64_MAX : tables + (preallocated(j) >> 10),
		.why = &slacks[uncounted ? OWN_LEVELS : PREALLOCATED],
		.where = "mm_pgtables_bytes(), include/linux/mm.h" });
	put_status(j, STATUS_HUGETLBPAGES, (struct figure){
		.low = kb(j, hugetlb - t->hugetlb_pmd_shared),
		.high = kb(j, hugetlb), .why = &slacks[HUGETLB_PMD_SHARE],
		.bug = can_share(j) ? &kernel_bugs[HUGETLB_UNSHARED] : NULL,
		.bug_low = kb(j, hugetlb) + 1, .bug_high = UINT64_MAX,
		.where = "hugetlb_report_usage(), mm/hugetlb.c" });
}

static void put_statm(struct job *j, const char *field, uint64_t seen,
		      uint64_t pages, unsigned int counters)
{
	uint64_t below = 0, above = 0;
	const struct slack *why = NULL;

	if (counters)
		why = counter_slack(j, &below, &above, true);
	job_put(j, (struct figure){
		.source = FIGURE_STATM, .field = field, .unit = "pages",
		.where = "task_statm(), fs/proc/task_mmu.c",
		.low = pages, .high = pages, .below = below * counters,
		.above = above * counters, .seen = seen, .why = why });
}

static void compare_statm(struct job *j)
{
	const struct totals *t = &j->counted->sum;
	uint64_t shared = rss_class(t, CLASS_FILE) + rss_class(t, CLASS_SHMEM);

	put_statm(j, "size", j->shown->statm.size, t->size, 0);
	put_statm(j, "resident", j->shown->statm.resident,
		  shared + rss_class(t, CLASS_ANON), 3);
	put_statm(j, "shared", j->shown->statm.shared, shared, 2);
	if (code_pages(j))
		put_statm(j, "text", j->shown->statm.text, code_pages(j), 0);
	put_statm(j, "data", j->shown->statm.data, t->data + t->stack, 0);
}

/* Its counters are read as they stand, whether others are added up or not. */
static void compare_stat(struct job *j)
{
	const struct totals *t = &j->counted->sum;
	const struct procstat *stat = &j->shown->stat;
	uint64_t rss = rss_class(t, CLASS_ANON) + rss_class(t, CLASS_FILE) +
		       rss_class(t, CLASS_SHMEM);
	uint64_t below, above;
	uint64_t size = t->size << j->info->page_shift;

	slack_unless(j, false, &below, &above, true);

	job_put(j, (struct figure){
		.source = FIGURE_STAT, .field = "vsize", .unit = "bytes",
		.where = "task_vsize(), fs/proc/task_mmu.c",
		.low = size, .high = size, .seen = stat->vsize });
	job_put(j, (struct figure){
		.source = FIGURE_STAT, .field = "rss", .unit = "pages",
		.where = "get_mm_rss(), include/linux/mm.h",
		.low = rss > below * 3 ? rss - below * 3 : 0,
		.high = rss + above * 3, .seen = stat->rss,
		.why = &slacks[AS_IT_STANDS] });
}

/**
 * struct bounds - between what an expected figure lies
 */
struct bounds {
	uint64_t low, high;
	unsigned int why;
	const struct slack *bug;
	uint64_t bug_low, bug_high;
};

static void put_smaps(struct job *j, enum figure_source source,
		      const struct smaps_vma *v, enum smaps_field field,
		      struct bounds b)
{
	static const char *const where[NR_SMAPS_FIELDS] = {
		[SMAPS_SIZE] = "show_smap(), fs/proc/task_mmu.c",
		[SMAPS_KERNEL_PAGE_SIZE] = "vma_kernel_pagesize(), mm/hugetlb.c",
		[SMAPS_MMU_PAGE_SIZE] = "vma_mmu_pagesize(), mm/hugetlb.c",
		[SMAPS_ANON_HUGE_PAGES] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_SHMEM_PMD_MAPPED] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_FILE_PMD_MAPPED] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_SHARED_HUGETLB] = "smaps_hugetlb_range(), fs/proc/task_mmu.c",
		[SMAPS_PRIVATE_HUGETLB] = "smaps_hugetlb_range(), fs/proc/task_mmu.c",
		[SMAPS_SWAP] = "smaps_pte_entry(), fs/proc/task_mmu.c",
		[SMAPS_SWAP_PSS] = "smaps_pte_entry(), fs/proc/task_mmu.c",
	};

	if (!(v->has & 1U << field))
		return;
	job_put(j, (struct figure){
		.source = source, .field = smaps_field_name[field],
		.where = where[field] ? where[field] :
				"smaps_account(), fs/proc/task_mmu.c",
		.unit = "kB", .low = b.low, .high = b.high,
		.seen = v->value[field], .why = &slacks[b.why], .bug = b.bug,
		.bug_low = b.bug_low, .bug_high = b.bug_high });
}

static struct bounds exactly(uint64_t value)
{
	return (struct bounds){ value, value, 0 };
}

/* A share of @pss, and @absent pages more or not; @whole is lost by a bug. */
static struct bounds share_of(const struct job *j, uint64_t pss,
			      uint64_t absent, uint64_t whole)
{
	struct bounds b = {
		.low = pss_kb(pss),
		.high = pss_kb(pss + page_pss(j, absent)),
		.why = ABSENT_PAGES,
	};

	if (is_32_bit(j) && whole) {
		b.bug = &kernel_bugs[PSS_OVERFLOW];
		b.bug_low = pss_kb(pss - whole);
		b.bug_high = pss_kb(pss - whole + page_pss(j, absent));
	}
	return b;
}

/* Fields that add up the pages' shares. */
static void compare_pss(struct job *j, enum figure_source source,
			const struct smaps_vma *v, const struct totals *t)
{
	static const enum smaps_field field[NR_CLASSES] = {
		[CLASS_ANON] = SMAPS_PSS_ANON,
		[CLASS_FILE] = SMAPS_PSS_FILE,
		[CLASS_SHMEM] = SMAPS_PSS_SHMEM,
	};
	bool by_page = j->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT;
	bool detailed = totals_all_detailed(t) && by_page;
	uint64_t present = totals_present(t), absent = totals_absent(t);
	uint64_t max = page_pss(j, present + absent);
	struct bounds b = { .why = NOT_TOLD };
	uint64_t min = 0;

	if (detailed) {
		put_smaps(j, source, v, SMAPS_PSS,
			  share_of(j, t->pss, absent, t->whole));
		put_smaps(j, source, v, SMAPS_PSS_DIRTY,
			  share_of(j, t->pss_dirty, absent, t->whole_dirty));
		put_smaps(j, source, v, SMAPS_LOCKED,
			  share_of(j, t->pss_locked, t->locked ? absent : 0,
				   t->whole_locked));
		for (int c = 0; c < NR_CLASSES; c++)
			put_smaps(j, source, v, field[c],
				  share_of(j, t->pss_class[c], t->absent[c],
					   t->whole_class[c]));
		return;
	}

	if (by_page) {
		/* What others map too counts for half at the most. */
		min = page_pss(j, t->exclusive);
		max = min + page_pss(j, present - t->exclusive) / 2 +
		      page_pss(j, absent);
	}
	b.low = is_32_bit(j) ? 0 : pss_kb(min);
	b.high = pss_kb(max);
	put_smaps(j, source, v, SMAPS_PSS, b);
	b.low = 0;
	put_smaps(j, source, v, SMAPS_PSS_DIRTY, b);
	b.high = kb(j, t->locked);
	put_smaps(j, source, v, SMAPS_LOCKED, b);
	for (int c = 0; c < NR_CLASSES; c++) {
		b.high = kb(j, t->present[c] + t->absent[c]);
		put_smaps(j, source, v, field[c], b);
	}
}

/* Shared_ and Private_, Clean and Dirty, and the two sums that are certain. */
static void compare_sharing(struct job *j, enum figure_source source,
			    const struct smaps_vma *v, const struct totals *t)
{
	static const enum smaps_field field[2][2] = {
		{ SMAPS_SHARED_CLEAN, SMAPS_SHARED_DIRTY },
		{ SMAPS_PRIVATE_CLEAN, SMAPS_PRIVATE_DIRTY },
	};
	uint64_t absent = totals_absent(t);
	uint64_t half[2] = { totals_present(t) - t->exclusive, t->exclusive };
	uint64_t seen[2], all = kb(j, totals_present(t) + absent);
	bool detailed = totals_all_detailed(t);
	uint64_t low, high;

	for (int private = 0; private < 2; private++) {
		for (int dirty = 0; dirty < 2; dirty++) {
			if (detailed) {
				low = high = t->split[private][dirty];
			} else {
				low = dirty ? t->dirty[private] : 0;
				high = half[private] -
				       (dirty ? 0 : t->dirty[private]);
			}
			put_smaps(j, source, v, field[private][dirty],
				  (struct bounds){
					kb(j, low), kb(j, high + absent),
					detailed ? ABSENT_PAGES : NOT_TOLD });
		}
		seen[private] = v->value[field[private][0]] +
				v->value[field[private][1]];
	}
	if (!(v->has & 1U << SMAPS_PRIVATE_DIRTY))
		return;
	job_put(j, (struct figure){
		.source = source, .field = "Private_*", .unit = "kB",
		.where = "smaps_page_accumulate(), fs/proc/task_mmu.c",
		.low = kb(j, half[1]), .high = kb(j, half[1] + absent),
		.seen = seen[1], .why = &slacks[ABSENT_PAGES] });
	job_put(j, (struct figure){
		.source = source, .field = "Shared_*+Private_*", .unit = "kB",
		.where = "smaps_page_accumulate(), fs/proc/task_mmu.c",
		.low = all, .high = all, .seen = seen[0] + seen[1] });
}

static uint64_t pmd_class(const struct totals *t, enum totals_class class)
{
	return totals_all_detailed(t) && !t->absent[class] ? t->detailed_pmd[class] :
							 t->pmd[class];
}

/* See hugetlb-share-count-bug in check/rules.c, which is the same in pagemap. */
static bool reads_share_count(const struct job *j)
{
	return j->info->flags & PTWALK_FLAG_PMD_SHARED &&
	       (j->info->major > 6 ||
		(j->info->major == 6 && j->info->minor >= 12));
}

static void compare_hugetlb(struct job *j, enum figure_source source,
			    const struct smaps_vma *v, const struct totals *t)
{
	uint64_t private = t->hugetlb - t->hugetlb_shared;
	const struct slack *bug = t->hugetlb_odd && reads_share_count(j) ?
				  &kernel_bugs[HUGETLB_SHARE_COUNT] : NULL;

	put_smaps(j, source, v, SMAPS_SHARED_HUGETLB, (struct bounds){
		.low = kb(j, t->hugetlb_shared),
		.high = kb(j, t->hugetlb_shared + t->hugetlb_absent),
		.why = ABSENT_PAGES, .bug = bug,
		.bug_low = kb(j, t->hugetlb_shared),
		.bug_high = kb(j, t->hugetlb_shared + t->hugetlb_absent +
				  t->hugetlb_odd) });
	put_smaps(j, source, v, SMAPS_PRIVATE_HUGETLB, (struct bounds){
		.low = kb(j, private),
		.high = kb(j, private + t->hugetlb_absent),
		.why = ABSENT_PAGES, .bug = bug,
		.bug_low = kb(j, private - t->hugetlb_odd),
		.bug_high = kb(j, private + t->hugetlb_absent) });
}

/* smaps got at huge pages as ptrace does, which such entries stop. */
static uint64_t passed_over(const struct job *j, const struct totals *t)
{
	return j->info->major == 6 && j->info->minor < 12 ?
		       kb(j, t->pmd_prot_none) : 0;
}

static void compare_smaps_totals(struct job *j, enum figure_source source,
				 const struct smaps_vma *v,
				 const struct totals *t)
{
	uint64_t present = totals_present(t), absent = totals_absent(t);
	uint64_t anon = t->present[CLASS_ANON] + t->absent[CLASS_ANON];
	unsigned int huge = j->info->levels & 1U << PTWALK_LEVEL_PMD ?
		j->info->level_shift[PTWALK_LEVEL_PMD] - j->info->page_shift : 0;
	bool detailed = totals_all_detailed(t);

	j->lost = passed_over(j, t);
	put_smaps(j, source, v, SMAPS_RSS, exactly(kb(j, present + absent)));
	compare_pss(j, source, v, t);
	compare_sharing(j, source, v, t);
	put_smaps(j, source, v, SMAPS_REFERENCED, (struct bounds){
		kb(j, detailed ? t->referenced : t->young), kb(j, present + absent),
		YOUNG_PAGES });
	put_smaps(j, source, v, SMAPS_ANONYMOUS, exactly(kb(j, anon)));
	put_smaps(j, source, v, SMAPS_KSM, exactly(kb(j, t->ksm)));
	put_smaps(j, source, v, SMAPS_LAZYFREE, (struct bounds){
		detailed ? kb(j, t->lazyfree) : 0,
		kb(j, detailed ? t->lazyfree + t->absent[CLASS_ANON] : anon),
		detailed ? ABSENT_PAGES : NOT_TOLD });
	put_smaps(j, source, v, SMAPS_ANON_HUGE_PAGES,
		  exactly(kb(j, t->pmd[CLASS_ANON])));
	put_smaps(j, source, v, SMAPS_SHMEM_PMD_MAPPED,
		  exactly(kb(j, pmd_class(t, CLASS_SHMEM))));
	put_smaps(j, source, v, SMAPS_FILE_PMD_MAPPED,
		  exactly(kb(j, pmd_class(t, CLASS_FILE))));
	j->lost = 0;
	compare_hugetlb(j, source, v, t);
	put_smaps(j, source, v, SMAPS_SWAP, (struct bounds){
		.low = kb(j, t->swap), .high = kb(j, t->swap + t->swap_unseen),
		.why = SHMEM_SWAP,
		.bug = t->swap_unseen ? &kernel_bugs[SHMEM_SWAP_ORDER] : NULL,
		.bug_low = kb(j, t->swap + t->swap_unseen) + 1,
		.bug_high = kb(j, t->swap + (t->swap_unseen << huge)) });
	put_smaps(j, source, v, SMAPS_SWAP_PSS, (struct bounds){
		kb(j, t->swap_exclusive), kb(j, t->swap), SWAP_COUNT });
}

/*
 * The letters of the flags that the module knows, and the number of all: each
 * bit of vm_flags has some, "??" if need be, but for the protection key and, on
 * arm64, VM_MTE_ALLOWED.
 */
static void compare_vm_flags(struct job *j, const struct smaps_vma *v,
			     const struct ptwalk_vma *vma)
{
	static const char where[] = "show_smap_vma_flags(), fs/proc/task_mmu.c";
	/* Older kernels have these flags, but no letters for them. */
	const uint64_t late = PTWALK_VMA_FLAG_LOCKONFAULT |
			      PTWALK_VMA_FLAG_SEALED;
	uint64_t known = smaps_vm_flags_known() & j->info->vma_flags;
	uint64_t flags = vma->flags & known, seen = v->vm_flags & known;
	uint64_t silent = !!(j->info->vma_flags & PTWALK_VMA_FLAG_MTE);
	uint64_t nr = __builtin_popcountll(vma->raw_flags) -
		      __builtin_popcount(vma->pkey);

	if (__builtin_popcountll(flags & late & ~seen) <= v->unknown_flags)
		seen |= flags & late;
	job_put(j, (struct figure){
		.source = FIGURE_SMAPS, .field = "VmFlags", .unit = "flags",
		.where = where, .low = flags, .high = flags, .seen = seen });
	if (vma->raw_flags)
		job_put(j, (struct figure){
			.source = FIGURE_SMAPS, .field = "VmFlags*",
			.unit = "", .where = where, .low = nr - silent,
			.high = nr, .seen = v->nr_flags,
			.why = &slacks[SILENT_FLAGS] });
}

static void compare_smaps_vma(struct job *j, const struct smaps_vma *v,
			      const struct ptwalk_vma *vma,
			      const struct totals *t)
{
	put_smaps(j, FIGURE_SMAPS, v, SMAPS_SIZE,
		  exactly((vma->last - vma->start + 1) >> 10));
	put_smaps(j, FIGURE_SMAPS, v, SMAPS_KERNEL_PAGE_SIZE,
		  exactly(1ULL << vma->page_shift >> 10));
	put_smaps(j, FIGURE_SMAPS, v, SMAPS_MMU_PAGE_SIZE,
		  exactly(1ULL << vma->page_shift >> 10));
	compare_smaps_totals(j, FIGURE_SMAPS, v, t);
	if (j->info->features & PTWALK_FEATURE_PKEYS)
		job_put(j, (struct figure){
			.source = FIGURE_SMAPS, .field = "ProtectionKey",
			.unit = "", .where = "show_smap(), fs/proc/task_mmu.c",
			.low = vma->pkey, .high = vma->pkey,
			.seen = v->has & 1U << SMAPS_PROTECTION_KEY ?
				v->value[SMAPS_PROTECTION_KEY] : UINT64_MAX });
	if (v->vm_flags)
		compare_vm_flags(j, v, vma);
}

static void put_numa(struct job *j, const char *field, uint64_t seen,
		     struct bounds b)
{
	job_put(j, (struct figure){
		.source = FIGURE_NUMA_MAPS, .field = field, .unit = "pages",
		.where = "gather_stats(), fs/proc/task_mmu.c",
		.low = b.low, .high = b.high, .seen = seen,
		.why = &slacks[b.why] });
}

static uint64_t counted_on(const struct totals *t, uint32_t node)
{
	for (size_t i = 0; i < t->nr_nodes; i++)
		if (t->nodes[i].node == node)
			return t->nodes[i].pages;
	return 0;
}

static uint64_t shown_on(const struct numa_vma *v, uint32_t node)
{
	for (size_t i = 0; i < v->nr_nodes; i++)
		if (v->nodes[i].node == node)
			return v->nodes[i].pages;
	return 0;
}

static void put_node(struct job *j, uint32_t node, uint64_t seen,
		     uint64_t counted)
{
	job_put(j, (struct figure){
		.source = FIGURE_NUMA_MAPS, .field = "N", .node = node,
		.unit = "pages", .where = "gather_stats(), fs/proc/task_mmu.c",
		.low = counted, .high = counted, .seen = seen });
}

/* Every node that either side has pages on. */
static void compare_nodes(struct job *j, const struct numa_vma *v,
			  const struct totals *t)
{
	uint32_t node;

	for (size_t i = 0; i < t->nr_nodes; i++) {
		node = t->nodes[i].node;
		put_node(j, node, shown_on(v, node), t->nodes[i].pages);
	}
	for (size_t i = 0; i < v->nr_nodes; i++) {
		node = v->nodes[i].node;
		if (!counted_on(t, node))
			put_node(j, node, v->nodes[i].pages, 0);
	}
}

static void compare_numa_vma(struct job *j, const struct numa_vma *v,
			     const struct ptwalk_vma *vma,
			     const struct totals *t)
{
	bool huge = vma->flags & PTWALK_VMA_FLAG_HUGETLB;
	unsigned int unit = huge ? vma->page_shift - j->info->page_shift : 0;
	uint64_t present = (totals_present(t) + t->hugetlb) >> unit;
	uint64_t all = 0, seen;

	for (size_t i = 0; i < v->nr_nodes; i++)
		all += v->nodes[i].pages;

	if (!totals_all_detailed(t)) {
		/* Of files, some pages may be reserved, which aren't counted. */
		put_numa(j, "N*", all, (struct bounds){
			huge ? present : t->anon_online,
			huge ? present : t->online, NOT_TOLD });
		if (!huge)
			put_numa(j, "anon", v->value[NUMA_ANON],
				 exactly(t->anon_online));
		return;
	}
	compare_nodes(j, v, t);
	put_numa(j, "anon", v->value[NUMA_ANON], exactly(t->numa_anon));
	put_numa(j, "dirty", v->value[NUMA_DIRTY], exactly(t->numa_dirty));
	/* Left out where it would repeat another. */
	if (t->numa_pages != t->numa_anon && t->numa_pages != t->numa_dirty)
		put_numa(j, "mapped", v->value[NUMA_MAPPED],
			 exactly(t->numa_pages));
	else if (v->has & 1U << NUMA_MAPPED)
		put_numa(j, "mapped", v->value[NUMA_MAPPED], exactly(0));
	put_numa(j, "swapcache", v->value[NUMA_SWAPCACHE],
		 exactly(t->numa_swapcache));
	put_numa(j, "writeback", v->value[NUMA_WRITEBACK],
		 exactly(t->numa_writeback));
	if (!huge) {
		seen = v->has & 1U << NUMA_ACTIVE ? v->value[NUMA_ACTIVE] : all;
		put_numa(j, "active", seen, exactly(t->numa_active));
	}
	if (j->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT)
		put_numa(j, "mapmax", v->value[NUMA_MAPMAX],
			 exactly(t->numa_mapmax > 1 ? t->numa_mapmax : 0));
	if (v->has & 1U << NUMA_KERNEL_PAGE_SIZE)
		put_numa(j, "kernelpagesize_kB",
			 v->value[NUMA_KERNEL_PAGE_SIZE],
			 exactly(1ULL << vma->page_shift >> 10));
}

/* Whether a file has a mapping, from the first to the last address. */
static void put_mapping(struct job *j, enum figure_source source,
			bool counted, bool seen)
{
	job_put(j, (struct figure){
		.source = source, .field = "mapping", .unit = "",
		.where = source == FIGURE_MAP_FILES ?
				 "proc_map_files_readdir(), fs/proc/base.c" :
				 "show_map_vma(), fs/proc/task_mmu.c",
		.low = counted, .high = counted, .seen = seen });
}

/* The files that have a line for each mapping, as in maps. */
static const struct smaps *lines_of(const struct shown *s,
				    enum figure_source source)
{
	if (!(s->has & 1U << source))
		return NULL;
	return source == FIGURE_SMAPS ? &s->smaps :
	       source == FIGURE_MAPS ? &s->maps :
	       source == FIGURE_QUERY ? &s->query :
	       source == FIGURE_MAP_FILES ? &s->map_files : NULL;
}

/* Returns the mapping in that file, if it has it. */
static const struct smaps_vma *compare_mapping(struct job *j,
					       enum figure_source source,
					       const struct ptwalk_vma *vma)
{
	const struct smaps *lines = lines_of(j->shown, source);
	const struct smaps_vma *v;

	if (!lines)
		return NULL;
	v = smaps_at(lines, vma->start);
	if (v && v->last != vma->last)
		v = NULL;
	put_mapping(j, source, true, v);
	if (v)
		compare_line(j, source, v, vma);
	return v;
}

/* Only mappings of files have a link. */
static void compare_link(struct job *j, const struct ptwalk_vma *vma)
{
	const struct smaps *links = lines_of(j->shown, FIGURE_MAP_FILES);
	const struct smaps_vma *v;

	if (!links || !vma->raw_flags)
		return;
	v = smaps_at(links, vma->start);
	if (v && v->last != vma->last)
		v = NULL;
	put_mapping(j, FIGURE_MAP_FILES, line_of_file(vma), v);
	if (v)
		compare_name(j, FIGURE_MAP_FILES, v);
}

/* The VMAs in the order of addresses. */
static void compare_vmas(struct job *j)
{
	const struct counted *c = j->counted;
	const struct shown *s = j->shown;
	const struct ptwalk_vma *vma;
	const struct smaps_vma *v;
	const struct numa_vma *numa;

	for (size_t i = 0; i < c->nr; i++) {
		vma = &c->vmas[i];
		j->start = vma->start;
		j->last = vma->last;
		j->digest = c->each[i].digest;
		compare_mapping(j, FIGURE_MAPS, vma);
		compare_link(j, vma);
		v = compare_mapping(j, FIGURE_QUERY, vma);
		if (v)
			put_smaps(j, FIGURE_QUERY, v, SMAPS_KERNEL_PAGE_SIZE,
				  exactly(1ULL << vma->page_shift >> 10));
		v = compare_mapping(j, FIGURE_SMAPS, vma);
		if (v)
			compare_smaps_vma(j, v, vma, &c->each[i]);
		if (s->has & 1U << FIGURE_NUMA_MAPS) {
			numa = numa_maps_at(&s->numa, j->start);
			put_mapping(j, FIGURE_NUMA_MAPS, true, numa);
			if (numa)
				compare_numa_vma(j, numa, vma, &c->each[i]);
		}
	}
}

static bool is_counted(const struct counted *c, uint64_t start)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->vmas[mid].start < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->nr && c->vmas[low].start == start;
}

/* Mappings that only the file has; the gate area is none of the process's. */
static void compare_others(struct job *j, enum figure_source source)
{
	const struct smaps *lines = lines_of(j->shown, source);
	const struct smaps_vma *v;

	for (size_t i = 0; lines && i < lines->nr; i++) {
		v = &lines->vma[i];
		if (is_counted(j->counted, v->start) ||
		    !strcmp(v->name, "[vsyscall]") ||
		    !strcmp(v->name, "[vectors]"))
			continue;
		j->start = v->start;
		j->last = v->last;
		j->digest = 0;
		put_mapping(j, source, false, true);
	}
}

/* The rollup goes from the first mapping to the last one. */
static void compare_rollup(struct job *j)
{
	const struct counted *c = j->counted;
	const struct smaps_vma *v = &j->shown->rollup.vma[0];
	const char *where = "show_smaps_rollup(), fs/proc/task_mmu.c";

	compare_smaps_totals(j, FIGURE_ROLLUP, v, &c->sum);
	if (!c->nr)
		return;
	job_put(j, (struct figure){
		.source = FIGURE_ROLLUP, .field = "start", .unit = "",
		.where = where, .low = c->vmas[0].start,
		.high = c->vmas[0].start, .seen = v->start });
	job_put(j, (struct figure){
		.source = FIGURE_ROLLUP, .field = "end", .unit = "",
		.where = where, .low = c->vmas[c->nr - 1].last,
		.high = c->vmas[c->nr - 1].last, .seen = v->last });
}

int reconcile(const struct counted *counted, const struct shown *shown,
	      struct figures *figures)
{
	struct job j = {
		.counted = counted,
		.shown = shown,
		.info = counted->info,
		.figures = figures,
		.digest = counted->sum.digest,
	};

	figures->nr = 0;
	memset(figures->matched, 0, sizeof(figures->matched));
	if (shown->has & 1U << FIGURE_STATUS && !counted->part)
		compare_status(&j);
	if (shown->has & 1U << FIGURE_STATM && !counted->part)
		compare_statm(&j);
	if (shown->has & 1U << FIGURE_STAT && !counted->part)
		compare_stat(&j);
	if (shown->has & 1U << FIGURE_ROLLUP && shown->rollup.nr &&
	    !counted->part)
		compare_rollup(&j);
	compare_vmas(&j);
	for (int i = 0; i < NR_FIGURE_SOURCES && !counted->part; i++)
		compare_others(&j, i);
	return j.error;
}

const char *figure_name(const struct figure *figure, char buf[FIGURE_NAME])
{
	if (strcmp(figure->field, "N"))
		return figure->field;
	snprintf(buf, FIGURE_NAME, "N%u", figure->node);
	return buf;
}

void figures_free(struct figures *figures)
{
	free(figures->figure);
	free(figures->wanted);
	memset(figures, 0, sizeof(*figures));
}
