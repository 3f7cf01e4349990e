// SPDX-License-Identifier: GPL-2.0
/*
 * The sums that the kernel shows of a process, against its pages counted: one
 * examination for each file, and one reading of the truth for all of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "check/examine.h"
#include "proc/procmap_query.h"
#include "proc/untraced.h"
#include "sums/figure.h"
#include "sums/rss.h"

/*
 * The sums of a process at work change while they are read. Who didn't ask for
 * them doesn't wait for it to come to rest, but for what has differed all the time.
 */
#define ROUNDS_BRIEF		(JUDGE_PAGE_ROUNDS + 1)

/* What is known of the process under examination, if @of is one. */
static struct {
	const struct process *of;
	struct rss rss;
	int status;
} known;

static const struct examination *const examination_of[NR_FIGURE_SOURCES] = {
	[FIGURE_STATUS] = &examination_status,
	[FIGURE_STATM] = &examination_statm,
	[FIGURE_STAT] = &examination_stat,
	[FIGURE_SMAPS] = &examination_smaps,
	[FIGURE_ROLLUP] = &examination_smaps_rollup,
	[FIGURE_NUMA_MAPS] = &examination_numa_maps,
	[FIGURE_MAPS] = &examination_maps,
	[FIGURE_QUERY] = &examination_procmap_query,
	[FIGURE_MAP_FILES] = &examination_map_files,
};

static void release(void)
{
	rss_free(&known.rss);
	known.of = NULL;
}

/* What an ioctl takes that asks about one mapping, in instructions, about. */
#define QUERY_COST		2000
/* How many are made about each. */
#define QUERIES_PLAIN		2

static struct procmap_draw queries_of(const struct examinee *x)
{
	const uint64_t least = x->least / QUERY_COST, plain = QUERIES_PLAIN * x->maps->nr;

	return (struct procmap_draw){
		.seed = x->seed,
		.queries = x->effort * (plain > least ? plain : least),
		.mappings = x->maps->nr,
	};
}

static int read_once(const struct examinee *x)
{
	const struct procmap_draw draw = queries_of(x);
	struct rss_options options = {
		.rounds = x->retries,
		.known_bugs = x->env->known_bugs,
		.ranges = x->whole ? NULL : x->ranges,
		.draw = x->thorough ? NULL : &draw,
	};

	if (known.of == x->process)
		return known.status;
	if (!x->thorough && options.rounds > ROUNDS_BRIEF)
		options.rounds = ROUNDS_BRIEF;
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		if (examine_asks(x, examination_of[i]))
			options.sources |= 1U << i;
	/*
	 * The slack of one depends on the number of threads in another, and
	 * the executable's code is only told in stat.
	 */
	if (options.sources & (1U << FIGURE_STATM | 1U << FIGURE_STAT))
		options.sources |= 1U << FIGURE_STATUS;
	if (options.sources & (1U << FIGURE_STATM | 1U << FIGURE_STATUS))
		options.sources |= 1U << FIGURE_STAT;
	/* With which the names in others are compared. */
	if (options.sources & (1U << FIGURE_SMAPS | 1U << FIGURE_QUERY |
			       1U << FIGURE_MAP_FILES | 1U << FIGURE_NUMA_MAPS))
		options.sources |= 1U << FIGURE_MAPS;
	known.of = x->process;
	known.status = rss_read(x->client, x->pid, &options, &known.rss);
	return known.status;
}

static void put_figure(const struct examinee *x, const struct figure *f)
{
	const struct slack *why = f->verdict == FIGURE_MISMATCH ? f->bug :
				  f->verdict == FIGURE_SLACK ? f->why : NULL;
	static const enum verdict verdicts[NR_FIGURE_VERDICTS] = {
		[FIGURE_SLACK] = VERDICT_EXPLAINED,
		[FIGURE_UNSTABLE] = VERDICT_UNSTABLE,
		[FIGURE_MISMATCH] = VERDICT_MISMATCH,
	};
	struct remark remark = {
		.start = f->start,
		.verdict = verdicts[f->verdict],
		.rule = why ? why->name : NULL,
		.field = f->field,
		.function = f->where,
	};

	figure_difference(f, &remark.lacks, &remark.excess);
	figure_sides(f, remark.truth, remark.seen, REMARK_TEXT);
	examine_remark(x, &remark);
}

/* The file could not be read; that of a process that is gone is no matter. */
static int unreadable(const struct examinee *x, enum figure_source source)
{
	return error_set(-EIO, "%s of process %d: %s",
			 figure_source_name[source], (int)x->pid,
			 known.rss.why_not[source]);
}

/* Figures that never held still are findings only for who asked for them. */
static void put_unstable(const struct examinee *x, const struct figure *f)
{
	if (x->thorough)
		put_figure(x, f);
	else
		examine_unsettled(x, 1);
}

/* What must be refused isn't: it is so whatever process it is about. */
static void put_untraced(const struct examinee *x, enum figure_source source)
{
	const struct remark remark = {
		.verdict = VERDICT_MISMATCH,
		.field = "open()",
		.function = "proc_mem_open()",
		.excess = 1,
		.truth = "open(): refused to who may not trace the process",
		.seen = "open(): done (proc_mem_open())",
	};

	if (untraced_opens(figure_source_name[source]))
		examine_remark(x, &remark);
}

static int examine_file(const struct examinee *x)
{
	const struct figures *figures = &known.rss.figures;
	enum figure_source source = 0;
	const struct figure *f;
	uint64_t nr;
	int status;

	while (examination_of[source] != x->examination)
		source++;
	status = read_once(x);
	if (status)
		return status;
	if (known.rss.none & 1U << source) {
		examine_none(x, "no map_files: " RSS_NONE);
		return 0;
	}
	if (known.rss.why_not[source][0])
		return unreadable(x, source);
	nr = figures->matched[source];
	for (size_t i = 0; i < figures->nr; i++) {
		f = &figures->figure[i];
		if (f->source != source)
			continue;
		nr++;
		if (f->verdict == FIGURE_UNSTABLE)
			put_unstable(x, f);
		else if (f->verdict != FIGURE_MATCH)
			put_figure(x, f);
	}
	put_untraced(x, source);
	examine_figures(x, nr);
	return 0;
}

static const char *probe_file(const struct examination *self)
{
	char path[32];

	if (self == &examination_procmap_query)
		return procmap_query_probe();
	snprintf(path, sizeof(path), "/proc/self/%s", self->name);
	return access(path, R_OK) ? "not there, or not to be read" : NULL;
}

/* The fields that this kernel's file doesn't have: "this kernel has no KSM, ProtectionKey". */
static const char *lacks(const struct examination *self,
			 const struct ptwalk_kernel *kernel, struct ptwalk *client)
{
	static char buf[100];
	const bool status = self == &examination_status;
	const struct proc_field *fields = status ? status_field : smaps_field;
	const size_t nr = status ? NR_STATUS_FIELDS :
			  self == &examination_smaps ? NR_SMAPS_FIELDS : SMAPS_THP_ELIGIBLE;
	size_t used = 0;

	for (size_t i = 0; i < nr; i++)
		if (!proc_field_due(&fields[i], kernel) && used < sizeof(buf))
			used += snprintf(buf + used, sizeof(buf) - used, "%s%s",
					 used ? ", " : "this kernel has no ", fields[i].name);
	return used ? buf : NULL;
}

static const char *lacks_policies(const struct examination *self,
				  const struct ptwalk_kernel *kernel, struct ptwalk *client)
{
	const uint64_t addr = (uintptr_t)&self;
	struct ptwalk_policy policy;
	int err = ptwalk_policies(client, getpid(), &addr, 1, &policy);

	return err == -ENOENT || err == -EOPNOTSUPP ?
	       "without the module ptwalk_device of this release, no policy is compared" : NULL;
}

#define EXAMINATION(ident, title, ...)					\
	const struct examination examination_##ident = {		\
		.name = title, .probe = probe_file, .examine = examine_file,	\
		.release = release, __VA_ARGS__				\
	}

EXAMINATION(smaps, "smaps",
	    .limit = "of files and shared memory, THPeligible is compared only where it is forbidden; Referenced, and SwapPss of shared swap entries, within bounds",
	    .lacks = lacks, .help = "every field of each mapping");
EXAMINATION(smaps_rollup, "smaps_rollup", .whole = true,
	    .lacks = lacks, .help = "the sums of smaps, of the whole process");
EXAMINATION(numa_maps, "numa_maps",
	    .limit = "the policy of processes that share their memory is not compared",
	    .lacks = lacks_policies,
	    .help = "policy and kind of each mapping, and its pages by node");
EXAMINATION(status, "status", .whole = true,
	    .lacks = lacks, .help = "VmSize to HugetlbPages");
EXAMINATION(statm, "statm", .whole = true,
	    .help = "size, resident, shared, text, data");
EXAMINATION(stat, "stat", .whole = true,
	    .help = "vsize and rss");
EXAMINATION(maps, "maps",
	    .help = "ends, permissions, offset, device, inode, kind of name");
EXAMINATION(procmap_query, "procmap-query",
	    .help = "the same by the ioctl PROCMAP_QUERY on maps");
EXAMINATION(map_files, "map_files",
	    .help = "a link for each mapping of a file, and its name");
