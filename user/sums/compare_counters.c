// SPDX-License-Identifier: GPL-2.0
/* The counters of a process: status, statm and stat. Pure. */
#include "module/version.h"
#include "sums/job.h"

/* TASK_RSS_EVENTS_THRESH, and one more, as it is passed before it counts. */
#define SPLIT_RSS_FAULTS	66
#define FAULT_AROUND_BYTES	65536	/* the default, fault_around_bytes */

static uint64_t of_class(const struct totals *t, enum totals_class class)
{
	/* The pages know better than the VMA what they are. */
	return t->detailed_class[class];
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
	if (kernel_version(j->info) < KERNEL(6, 2)) {
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

static bool status_has_all(const struct job *j, uint32_t fields)
{
	return (j->shown->status.has & fields) == fields;
}

static void put_status(struct job *j, enum status_field field,
		       struct figure figure)
{
	figure.absent = !status_has_all(j, 1U << field);
	if (figure.absent && !proc_field_due(&status_field[field], j->info))
		return;
	figure.source = FIGURE_STATUS;
	figure.field = status_field[field].name;
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
		.low = job_kb(j, pages), .high = job_kb(j, pages),
		.below = job_kb(j, below) * counters,
		.above = job_kb(j, above) * counters, .why = why });
}

/* Whether processes can share tables of huge pages on this architecture. */
static bool can_share(const struct job *j)
{
	uint64_t huge;

	if (!(j->info->flags & PTWALK_FLAG_PMD_SHARED) ||
	    !(j->info->levels & 1U << PTWALK_LEVEL_PMD))
		return false;
	huge = job_kb(j, 1) << (j->info->level_shift[PTWALK_LEVEL_PMD] -
			    j->info->page_shift);
	return !(j->shown->status.value[STATUS_HUGETLBPAGES] % huge);
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

	if (!job_is_32_bit(j) || k->machine[0] != 'i' || used >= all)
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
	uint64_t text = code_pages(j), exec = job_kb(j, t->exec);
	uint64_t high = text && text < t->exec ? job_kb(j, text) : exec;
	uint64_t low = text ? high : 0;

	put_status(j, STATUS_VMEXE, (struct figure){
		.low = low, .high = high, .why = &slacks[CODE] });
	if (status_has_all(j, 1U << STATUS_VMEXE)) {
		low = j->shown->status.value[STATUS_VMEXE];
		high = low;
	}
	put_status(j, STATUS_VMLIB, (struct figure){
		.low = exec - high, .high = exec - low, .why = &slacks[CODE] });
}

void compare_status(struct job *j)
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
		.low = job_kb(j, t->size), .high = UINT64_MAX,
		.why = &slacks[PEAK] });
	put_status(j, STATUS_VMSIZE, (struct figure){
		.low = job_kb(j, t->size), .high = job_kb(j, t->size),
		.where = "vm_stat_account(), mm/mmap.c" });
	put_status(j, STATUS_VMLCK, (struct figure){
		.low = job_kb(j, t->locked_size),
		.high = j->shown->only_mlock ? job_kb(j, t->locked_size) :
					       UINT64_MAX,
		.why = &slacks[LOCKED_VM] });
	put_status(j, STATUS_VMHWM, (struct figure){
		.low = value[STATUS_VMRSS], .high = UINT64_MAX,
		.why = &slacks[PEAK] });
	put_counter(j, STATUS_VMRSS, anon + file + shmem, true, 3);
	put_counter(j, STATUS_RSSANON, anon, false, 1);
	put_counter(j, STATUS_RSSFILE, file, true, 1);
	put_counter(j, STATUS_RSSSHMEM, shmem, true, 1);
	if (status_has_all(j, 1U << STATUS_VMRSS | 1U << STATUS_RSSANON |
			   1U << STATUS_RSSFILE | 1U << STATUS_RSSSHMEM))
		job_put(j, (struct figure){
			.source = FIGURE_STATUS, .field = "Rss*",
			.unit = "kB", .where = "task_mem(), fs/proc/task_mmu.c",
			.low = value[STATUS_VMRSS], .high = value[STATUS_VMRSS],
			.seen = value[STATUS_RSSANON] + value[STATUS_RSSFILE] +
				value[STATUS_RSSSHMEM] });
	put_status(j, STATUS_VMDATA, (struct figure){
		.low = job_kb(j, t->data), .high = job_kb(j, t->data) });
	put_status(j, STATUS_VMSTK, (struct figure){
		.low = job_kb(j, t->stack), .high = job_kb(j, t->stack) });
	compare_exec(j, t);
	put_counter(j, STATUS_VMSWAP, t->swap, false, 1);
	uncounted = j->counted->levels & ~j->info->levels;
	put_status(j, STATUS_VMPTE, (struct figure){
		.low = tables,
		.high = uncounted ? UINT64_MAX : tables + (preallocated(j) >> 10),
		.why = &slacks[uncounted ? OWN_LEVELS : PREALLOCATED],
		.where = "mm_pgtables_bytes(), include/linux/mm.h" });
	put_status(j, STATUS_HUGETLBPAGES, (struct figure){
		.low = job_kb(j, hugetlb - t->hugetlb_pmd_shared),
		.high = job_kb(j, hugetlb), .why = &slacks[HUGETLB_PMD_SHARE],
		.bug = can_share(j) ? &kernel_bugs[HUGETLB_UNSHARED] : NULL,
		.bug_low = job_kb(j, hugetlb) + 1, .bug_high = UINT64_MAX,
		.where = "hugetlb_report_usage(), mm/hugetlb.c" });
}

/* The number @nr of the line, from 0 on. */
static void put_statm(struct job *j, int nr, const char *field, uint64_t seen,
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
		.above = above * counters, .seen = seen, .why = why,
		.absent = nr >= j->shown->statm.nr });
}

void compare_statm(struct job *j)
{
	const struct statm *s = &j->shown->statm;
	const struct totals *t = &j->counted->sum;
	uint64_t shared = rss_class(t, CLASS_FILE) + rss_class(t, CLASS_SHMEM);

	put_statm(j, 0, "size", s->size, t->size, 0);
	put_statm(j, 1, "resident", s->resident, shared + rss_class(t, CLASS_ANON), 3);
	put_statm(j, 2, "shared", s->shared, shared, 2);
	if (code_pages(j))
		put_statm(j, 3, "text", s->text, code_pages(j), 0);
	put_statm(j, 4, "lib", s->lib, 0, 0);
	put_statm(j, 5, "data", s->data, t->data + t->stack, 0);
	put_statm(j, 6, "dt", s->dt, 0, 0);
}

/* Its counters are read as they stand, whether others are added up or not. */
void compare_stat(struct job *j)
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
