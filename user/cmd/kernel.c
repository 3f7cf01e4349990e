// SPDX-License-Identifier: GPL-2.0
/* ptwalk kernel: the kernel's own tables, and what it says of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/input.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/replace.h"
#include "check/examine.h"
#include "cmd/cmd.h"
#include "cmd/kernel_recording.h"
#include "cmd/options.h"
#include "kernel/compare.h"
#include "kernel/pieces.h"
#include "kernel/recording.h"
#include "module/names.h"
#include "proc/iomem.h"
#include "pte/pte.h"
#include "report/changes.h"

/*
 * A finding must be there in each of so many looks, up to so long after each other: the
 * tables aren't read at once, and who maps and unmaps in step with that would be told.
 */
#define LOOKS		8
#define BETWEEN_LOOKS	200000000	/* ns */

static const char *const kind_name[] = {
	[KERNEL_MAPPED] = "mapped",
	[KERNEL_SAME_TABLE] = "same-table",
	[KERNEL_UNREADABLE] = "unreadable",
	[KERNEL_CHANGING] = "changing",
};

/**
 * struct kernel_cmd - the command at work
 * @json: And so on: the options.
 * @range: What of it is wanted, with @nr_ranges; none: all.
 * @phys: Physical addresses that are meant, or NULL: all; @frames is what they are.
 * @record: Where what was read is written, or NULL.
 * @replay: Where it is read from instead of the kernel, or NULL.
 * @before: Of which recording the differences are wanted, or NULL.
 * @kernel: Of which kernel it is.
 * @facts: What was read.
 * @header: It was printed; @told: so was an extent.
 */
struct kernel_cmd {
	bool json, summary, verbose, check, lint, known_bugs;
	const char *phys, *record, *replay, *before;
	struct range frames;
	struct kernel_recorded kernel;
	struct range *range;
	size_t nr_ranges, max_ranges;
	struct kernel_facts facts;
	bool header, told;
};

static int add_range(struct kernel_cmd *k, struct range range)
{
	return array_add(k->range, k->nr_ranges, k->max_ranges, range) ? 0 : error_no_memory();
}

static int range_refused(const char *arg, const char *why)
{
	return fail(EXIT_USAGE, "range '%s': %s: give START-END, START+LENGTH, an address, or a part that `ptwalk kernel --summary` lists",
		    arg, why);
}

/* A RANGE, or a region's name; these are known when the tables were read. */
static int take_kernel_range(struct kernel_cmd *k, const char *arg, bool is_read)
{
	const struct kernel_region *r = kernel_region_named(&k->facts.tables, arg);
	struct range range;
	const char *why;
	bool single;

	if (parse_is_name(arg) && !r)
		return is_read ? range_refused(arg, "no part of the kernel's address space") : 0;
	if (r)
		return add_range(k, (struct range){ r->start, r->last });
	why = parse_range_or_address(arg, &range, &single);
	if (why)
		return range_refused(arg, why);
	return is_read ? add_range(k, range) : 0;
}

static struct kernel_wanted wanted_extents(const struct kernel_cmd *k)
{
	return (struct kernel_wanted){ k->range, k->nr_ranges, k->phys ? &k->frames : NULL };
}

/* Whether some of it is in a RANGE: a line is printed in whole. */
static bool is_in_ranges(const struct kernel_cmd *k, const struct kernel_extent *e)
{
	for (size_t i = 0; i < k->nr_ranges; i++)
		if (e->start <= k->range[i].last &&
		    e->start + (e->bytes - 1) >= k->range[i].start)
			return true;
	return !k->nr_ranges;
}

/* The innermost name that /proc/iomem has for all of it, or "". */
static const char *iomem_name(const struct kernel_cmd *k, const struct kernel_extent *e)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr = e->kind == KERNEL_MAPPED ? iomem_at(&k->facts.iomem, e->phys, chain) : 0;

	while (nr && chain[nr - 1]->last - e->phys < e->bytes - 1)
		nr--;
	return nr ? chain[nr - 1]->name : "";
}

/* Whose memory it is, beyond the region; "" if that says all. */
static const char *owner(const struct kernel_cmd *k, const struct kernel_piece *p)
{
	const char *name = iomem_name(k, &p->extent);

	if ((!p->area || p->area->has_phys) && *name && strcmp(name, "System RAM") &&
	    strcmp(name, "Reserved"))
		return name;
	return p->area ? p->area->caller : "";
}

static void print_piece_json(const struct kernel_cmd *k, const struct kernel_piece *p)
{
	const struct kernel_extent *e = &p->extent;
	char type[NAME_SIZE];

	jsonw_begin("extent");
	jsonw_hex("start", e->start);
	jsonw_hex("last", e->start + (e->bytes - 1));
	jsonw_number("pages", e->bytes >> k->facts.tables.page_shift);
	jsonw_text("kind", kind_name[e->kind]);
	jsonw_hex("paddr", e->phys);
	jsonw_text("level", pte_level_name[e->level - 1]);
	jsonw_bool("write", e->write);
	jsonw_bool("exec", e->exec);
	jsonw_bool("user", e->user);
	jsonw_text("memory_type", e->kind == KERNEL_MAPPED ?
		   name_of(&names_memory_type, e->type, type) : NULL);
	jsonw_text("part", p->region ? p->region->name : NULL);
	jsonw_text("caller", p->area && *p->area->caller ? p->area->caller : NULL);
	jsonw_text("memory", *iomem_name(k, e) ? iomem_name(k, e) : NULL);
	jsonw_end();
}

static void print_piece_text(struct kernel_cmd *k, const struct kernel_piece *p)
{
	const struct kernel_extent *e = &p->extent;
	char range[FORMAT_RANGE], size[FORMAT_SIZE], phys[HEX_SIZE], type[NAME_SIZE];

	if (!k->header)
		printf("%-37s %6s %-18s %-10s %-6s %-8s %s\n", "START-END", "SIZE", "PHYS",
		       "LEVEL", "RIGHTS", "TYPE", "WHAT");
	k->header = true;
	printf("%-37s %6s %-18s ", format_range(e->start, e->start + (e->bytes - 1), range),
	       format_human(e->bytes, size), p->in_row ? hex(e->phys, phys) : "scattered");
	if (e->kind == KERNEL_MAPPED)
		printf("%-10s r%c%c%c   %-8s ", pte_level_name[e->level - 1], e->write ? 'w' : '-',
		       e->exec ? 'x' : '-', e->user ? 'u' : '-',
		       name_of(&names_memory_type, e->type, type));
	else
		printf("%-10s %-6s %-8s ", kind_name[e->kind], "-", "-");
	out_text(p->region ? p->region->name : "-");
	if (*owner(k, p)) {
		putchar(' ');
		out_text(owner(k, p));
	}
	putchar('\n');
	out_check();
}

/* Whether the line of @p can tell of @next, too: scattered memory takes one line. */
static bool piece_goes_on(const struct kernel_cmd *k, const struct kernel_piece *p,
			  const struct kernel_piece *next)
{
	const struct kernel_extent *a = &p->extent, *b = &next->extent;

	return a->bytes && !k->verbose && !k->json && a->start + a->bytes == b->start &&
	       a->kind == b->kind && a->level == b->level && a->write == b->write &&
	       a->exec == b->exec && a->user == b->user && a->type == b->type &&
	       p->region == next->region && p->area == next->area;
}

static void put_piece(struct kernel_cmd *k, const struct kernel_piece *p)
{
	if (!p->extent.bytes)
		return;
	k->told = true;
	if (k->json)
		print_piece_json(k, p);
	else
		print_piece_text(k, p);
}

static void list_piece(struct kernel_cmd *k, struct kernel_piece *line, const struct kernel_piece *next)
{
	if (piece_goes_on(k, line, next)) {
		line->in_row &= next->extent.phys == line->extent.phys + line->extent.bytes;
		line->extent.bytes += next->extent.bytes;
		return;
	}
	put_piece(k, line);
	*line = *next;
}

static int list_extents(struct kernel_cmd *k)
{
	struct kernel_piece line = { 0 }, next;
	struct kernel_extent e;

	for (size_t i = 0; i < k->facts.tables.nr; i++) {
		e = k->facts.tables.extent[i];
		while (e.bytes) {
			next = kernel_piece_cut(&k->facts, &e);
			if (is_in_ranges(k, &next.extent) &&
			    kernel_clip_frames(wanted_extents(k).frames, &next.extent))
				list_piece(k, &line, &next);
		}
	}
	put_piece(k, &line);
	if (!k->told && !k->json)
		printf("nothing is mapped there\n");
	if (k->facts.areas.why_not && !k->json)
		fprintf(stderr, "ptwalk: areas have no names: %s\n", k->facts.areas.why_not);
	return 0;
}

/**
 * struct part_sum - what is mapped of a part
 * @level: Bytes by the level of their leaves; 0 is of those that have none.
 * @write: Bytes that can be written to; @exec: that can be executed.
 */
struct part_sum {
	uint64_t level[6], write, exec;
};

static void part_sum_json(const struct kernel_region *r, const struct part_sum *sum)
{
	jsonw_begin("part");
	jsonw_text("part", r ? r->name : NULL);
	jsonw_hex("start", r ? r->start : 0);
	jsonw_hex("last", r ? r->last : UINT64_MAX);
	jsonw_object("bytes");
	for (int level = 1; level <= 3; level++)
		jsonw_number(pte_level_name[level - 1], sum->level[level]);
	jsonw_close();
	jsonw_number("writable", sum->write);
	jsonw_number("executable", sum->exec);
	jsonw_end();
}

static void part_sum_text(const struct kernel_region *r, const struct part_sum *sum)
{
	char range[FORMAT_RANGE], size[5][FORMAT_SIZE];

	if (r)
		format_range(r->start, r->last, range);
	else
		strcpy(range, "-");
	printf("%-10s %-37s %8s %8s %8s %8s %10s\n", r ? r->name : "other", range,
	       format_human(sum->level[1], size[0]), format_human(sum->level[2], size[1]),
	       format_human(sum->level[3], size[2]), format_human(sum->write, size[3]),
	       format_human(sum->exec, size[4]));
}

static void sum_add(struct part_sum *sum, const struct kernel_extent *e)
{
	sum->level[e->level <= 5 ? e->level : 0] += e->bytes;
	sum->write += e->write ? e->bytes : 0;
	sum->exec += e->exec ? e->bytes : 0;
}

/* Each byte counts for the smallest part that it is in. */
static int summarize(struct kernel_cmd *k)
{
	const struct kernel_tables *t = &k->facts.tables;
	struct part_sum *sums = calloc(t->nr_regions + 1, sizeof(*sums)), *sum;
	const struct kernel_wanted w = wanted_extents(k);
	const struct kernel_region *r;
	struct kernel_extent e, part;
	struct kernel_piece p;

	if (!sums)
		return error_no_memory();
	for (size_t i = 0; i < t->nr; i++) {
		e = t->extent[i];
		while (e.bytes) {
			p = kernel_piece_cut(&k->facts, &e);
			sum = &sums[p.region ? (size_t)(p.region - t->region) : t->nr_regions];
			if (p.extent.kind == KERNEL_MAPPED)
				while (kernel_wanted_cut(&w, &p.extent, &part))
					sum_add(sum, &part);
		}
	}
	if (!k->json)
		printf("%-10s %-37s %8s %8s %8s %8s %10s\n", "PART", "START-END", "PTE", "PMD",
		       "PUD", "WRITABLE", "EXECUTABLE");
	for (size_t i = 0; i <= t->nr_regions; i++) {
		r = i < t->nr_regions ? &t->region[i] : NULL;
		sum = &sums[i];
		if (!r && !(sum->level[1] + sum->level[2] + sum->level[3]))
			continue;
		if (k->json)
			part_sum_json(r, sum);
		else
			part_sum_text(r, sum);
	}
	free(sums);
	return 0;
}

/* Reads what the tables are compared with, but for areas. */
static int read_lists(struct kernel_facts *facts)
{
	int err;

	directmap_read(&facts->directmap);
	vmalloc_used_read(&facts->used);
	facts->kcore_why_not = kcore_open(&facts->kcore);
	if (facts->kcore_why_not)
		facts->kcore = (struct kcore){ .fd = -1 };
	err = module_sections_read(&facts->sections_after, MODULES_SYSFS);
	if (!err)
		err = memtype_list_read(&facts->memtypes);
	if (!err)
		err = ptdump_read(&facts->ptdump);
	return err || !facts->ptdump.nr ? err : kernel_tables_read(&facts->tables_after);
}

/* Reads the tables between two looks at the lists of what they should be. */
static int read_facts(const struct kernel_cmd *k, struct kernel_facts *facts)
{
	int err;

	iomem_read(&facts->iomem);
	err = k->check ? module_sections_read(&facts->sections, MODULES_SYSFS) : 0;
	vmallocinfo_read(&facts->before);
	if (!err)
		err = kernel_tables_read(&facts->tables);
	if (!err && k->lint)
		area_frames_read(&facts->frames, &facts->tables, &facts->before, &facts->iomem);
	vmallocinfo_read(&facts->areas);
	return err || !k->check ? err : read_lists(facts);
}

static void compare_and_lint(const struct kernel_cmd *k, const struct kernel_facts *facts,
			     struct kernel_findings *findings)
{
	if (k->check) {
		kernel_compare_areas(facts, findings);
		kernel_compare_directmap(facts, findings);
		kernel_compare_used(facts, findings);
		kernel_compare_modules(facts, findings);
		kernel_compare_kcore(facts, findings);
		kernel_compare_memtypes(facts, findings);
		kernel_compare_ptdump(facts, findings);
	}
	if (k->lint) {
		kernel_lint_rights(facts, findings);
		kernel_lint_aliases(facts, findings);
		kernel_lint_areas(facts, findings);
	}
	kernel_count_unread(facts, findings);
}

/* Whether one is left that makes a difference. */
static bool has_news(const struct kernel_cmd *k, const struct kernel_findings *findings)
{
	for (size_t i = 0; i < findings->nr; i++)
		if (!(findings->finding[i].known && k->known_bugs))
			return true;
	return false;
}

/* Looks again until no finding is left, or all have been there often enough. */
static int confirm_findings(struct kernel_cmd *k, struct kernel_findings *findings)
{
	struct kernel_findings again;
	struct kernel_facts facts;
	int err = 0;

	for (int look = 1; !err && has_news(k, findings) && look < LOOKS; look++) {
		pause_out_of_step(BETWEEN_LOOKS);
		memset(&facts, 0, sizeof(facts));
		memset(&again, 0, sizeof(again));
		err = read_facts(k, &facts);
		if (!err) {
			compare_and_lint(k, &facts, &again);
			kernel_findings_keep(findings, &again);
		}
		kernel_findings_free(&again);
		kernel_facts_free(&facts);
	}
	return err;
}

static void print_kernel_finding(const struct kernel_cmd *k, const struct kernel_finding *f)
{
	const bool counts = !(f->known && k->known_bugs);

	if (k->json) {
		jsonw_begin("finding");
		jsonw_text("verdict", counts ? "mismatch" : "explained");
		jsonw_text("rule", f->rule);
		jsonw_hex_if("start", f->bytes, f->start);
		jsonw_hex_if("last", f->bytes, f->start + (f->bytes - 1));
		jsonw_bool("known", f->known);
		jsonw_text("text", f->text);
		jsonw_end();
		return;
	}
	printf("%s%s%s ", out_colour(counts ? OUT_BAD : OUT_WARN),
	       counts ? "mismatch" : "explained", out_colour(OUT_PLAIN));
	if (f->bytes)
		printf("%s: 0x%" PRIx64 "+0x%" PRIx64 ": ", f->rule, f->start, f->bytes);
	else
		printf("%s: ", f->rule);
	out_text(f->text);
	printf("\n  explain   ptwalk explain %s\n", f->rule);
}

/* Why areas were not examined, or NULL. */
static const char *areas_why_not(const struct kernel_cmd *k)
{
	return k->check && k->facts.areas.why_not ? k->facts.areas.why_not :
	       k->lint ? k->facts.frames.why_not : NULL;
}

/**
 * struct lacking - something that a kernel may lack, and so isn't compared
 * @what: In words; @member: in JSON.
 * @why: Why it isn't, or NULL.
 */
struct lacking {
	const char *what, *member, *why;
};

#define NR_LACKING	3

/* x86 and s390 have sizes of the direct mapping, and x86 a list of memory types. */
static void find_lacking(const struct kernel_cmd *k, struct lacking lacking[NR_LACKING])
{
	const struct kernel_facts *facts = &k->facts;
	const bool *sizes = facts->directmap.has;

	lacking[0] = (struct lacking){
		"sizes of the direct mapping", "directmap_why_not",
		sizes[0] || sizes[1] || sizes[2] ? NULL : "/proc/meminfo has none",
	};
	lacking[1] = (struct lacking){
		"memory types", "memtypes_why_not",
		facts->memtypes.is_there ? NULL : "there is no " MEMTYPE_LIST,
	};
	lacking[2] = (struct lacking){
		"the kernel's own dump", "dumped_why_not", facts->ptdump.why_not,
	};
	for (int i = 0; !k->check && i < NR_LACKING; i++)
		lacking[i].why = NULL;
}

/* What a kernel doesn't have at all can't be compared; what can't be read could be. */
static bool is_incomplete(const struct kernel_cmd *k)
{
	return areas_why_not(k) || (k->facts.kcore_why_not && !access("/proc/kcore", F_OK));
}

static void print_why_not(const char *what, const char *why_not)
{
	if (why_not)
		printf("not compared: %s: %s\n", what, why_not);
}

static void print_nr_compared(const struct kernel_findings *f)
{
	printf("; %" PRIu64 " areas of vmallocinfo, %" PRIu64 " sizes of meminfo, %" PRIu64
	       " segments of kcore", f->areas, f->sizes, f->segments);
	if (f->sections)
		printf(", %" PRIu64 " sections of modules", f->sections);
	if (f->memtypes)
		printf(", %" PRIu64 " ranges of pat_memtype_list", f->memtypes);
	if (f->dumped)
		printf(", %" PRIu64 " lines of the kernel's own dump", f->dumped);
	fputs(" compared", stdout);
}

static void print_kernel_summary(const struct kernel_cmd *k, const struct kernel_findings *f,
				 uint64_t mismatches)
{
	const struct kernel_tables *t = &k->facts.tables;
	struct lacking lacking[NR_LACKING];

	find_lacking(k, lacking);
	if (k->json) {
		jsonw_begin("summary");
		jsonw_number("extents", t->nr);
		jsonw_number("tables", t->tables);
		jsonw_number("areas", f->areas);
		jsonw_text("areas_why_not", areas_why_not(k));
		jsonw_number("sizes", f->sizes);
		jsonw_number("dumped", f->dumped);
		jsonw_number("segments", f->segments);
		jsonw_text("segments_why_not", k->facts.kcore_why_not);
		jsonw_number("sections", f->sections);
		jsonw_number("memtypes", f->memtypes);
		for (int i = 0; i < NR_LACKING; i++)
			jsonw_text(lacking[i].member, lacking[i].why);
		jsonw_number("frames", f->frames);
		jsonw_number("by_design", f->by_design >> t->page_shift);
		jsonw_number("unstable", f->unread >> t->page_shift);
		jsonw_number("mismatch", mismatches);
		jsonw_end();
		return;
	}
	printf("%" PRIu64 " tables, %zu extents", t->tables, t->nr);
	if (k->check)
		print_nr_compared(f);
	if (f->frames)
		printf("; %" PRIu64 " pages of areas looked at", f->frames);
	if (f->by_design)
		printf("; %" PRIu64 " pages of coherent DMA memory with a type of their own",
		       f->by_design >> t->page_shift);
	if (f->unread)
		printf("; %" PRIu64 " pages could not be looked at",
		       f->unread >> t->page_shift);
	printf(": %" PRIu64 " mismatch%s\n", mismatches, mismatches == 1 ? "" : "es");
	print_why_not("areas", areas_why_not(k));
	print_why_not("segments of kcore", k->facts.kcore_why_not);
	for (int i = 0; i < NR_LACKING; i++)
		print_why_not(lacking[i].what, lacking[i].why);
}

static int examine_kernel(struct kernel_cmd *k)
{
	struct kernel_findings findings = { 0 };
	uint64_t mismatches = 0;
	int err;

	compare_and_lint(k, &k->facts, &findings);
	err = confirm_findings(k, &findings);
	if (!err && findings.no_memory)
		err = error_no_memory();
	for (size_t i = 0; !err && i < findings.nr; i++) {
		print_kernel_finding(k, &findings.finding[i]);
		mismatches += !(findings.finding[i].known && k->known_bugs);
	}
	if (!err) {
		print_kernel_summary(k, &findings, mismatches);
		err = mismatches ? EXIT_MISMATCH : findings.unread ? EXIT_UNSTABLE :
		      is_incomplete(k) ? EXIT_UNCHECKED : EXIT_MATCH;
	}
	kernel_findings_free(&findings);
	return err;
}

static int read_kernel(struct kernel_cmd *k)
{
	if (k->replay)
		return kernel_recording_read(k->replay, &k->kernel, &k->facts);
	kernel_recorded_now(&k->kernel);
	return read_facts(k, &k->facts);
}

static int write_kernel_recording(const struct kernel_cmd *k)
{
	FILE *stream;
	int err = replace_begin(k->record, NULL, NULL, &stream);

	if (err)
		return err;
	err = kernel_record(stream, &k->kernel, &k->facts);
	if (!err)
		return replace_end(stream);
	replace_drop(stream);
	return fail(EXIT_UNCHECKED, "%s: %s", k->record, strerror(-err));
}

/**
 * struct comparing - two moments that are compared
 * @before: What was read at the first of them.
 */
struct comparing {
	const struct kernel_cmd *k;
	const struct kernel_facts *before;
	struct changes_report report;
};

static int tell_kernel_change(const struct change *change, void *arg)
{
	struct comparing *c = arg;
	const struct kernel_facts *facts = change->after.vma ? &c->k->facts : c->before;
	const struct kernel_region *r = kernel_region_at(&facts->tables, change->addr);
	const struct vmalloc_area *area = vmallocinfo_at(&facts->areas, change->addr);
	char name[160];

	snprintf(name, sizeof(name), "%s%s%s", r ? r->name : "", area && r ? " " : "",
		 area ? area->caller : "");
	changes_print(&c->report, change, name);
	return 0;
}

static int compare_recorded(struct comparing *c)
{
	struct truth before = { 0 }, after = { 0 };
	const struct kernel_wanted w = wanted_extents(c->k);
	const uint64_t unread = kernel_pieces_unread(c->before, &c->k->facts, &w);
	struct ptwalk_kernel info = { 0 };
	int err;

	kernel_pieces_describe(&c->k->facts, &info);
	c->report.info = &info;
	err = kernel_pieces_truth(c->before, &c->k->facts, &w, &before);
	if (!err)
		err = kernel_pieces_truth(&c->k->facts, c->before, &w, &after);
	if (!err && changes_between(&info, &before, &after, CHANGES_ALL, tell_kernel_change, c) < 0)
		err = error_no_memory();
	truth_free(&before);
	truth_free(&after);
	if (err)
		return err;
	if (c->k->json) {
		jsonw_begin("summary");
		jsonw_text("kernel", c->k->kernel.release);
		jsonw_number("unstable", unread >> info.page_shift);
		jsonw_object("changes");
		changes_sums_json(&c->report);
		jsonw_close();
		jsonw_end();
		return unread ? EXIT_UNSTABLE : 0;
	}
	changes_print_sums(&c->report);
	if (unread)
		printf("; %" PRIu64 " pages could not be looked at", unread >> info.page_shift);
	putchar('\n');
	return unread ? EXIT_UNSTABLE : 0;
}

static int diff_kernel(const struct kernel_cmd *k)
{
	const char *now = k->replay ? input_name(k->replay) : "this kernel";
	struct kernel_recorded kernel = { 0 };
	struct kernel_facts before = { 0 };
	struct comparing c = {
		.k = k, .before = &before,
		.report = { .json = k->json, .verbose = k->verbose, .typed = true },
	};
	int status = kernel_recording_read(k->before, &kernel, &before);

	if (!status)
		status = kernel_recording_fits(input_name(k->before), &kernel, &before.tables, now,
					       &k->kernel, &k->facts.tables);
	if (!status)
		status = compare_recorded(&c);
	kernel_facts_free(&before);
	return status;
}

/* What can't be together. */
static int check_options(struct kernel_cmd *k, int argc)
{
	const char *why;
	bool single;

	if (argc && (k->check || k->lint))
		return fail(EXIT_USAGE, "kernel: --check and --lint look at all of it: no RANGE");
	if ((k->check || k->lint) && k->summary)
		return fail(EXIT_USAGE, "kernel: --summary is of what is mapped: not with --check or --lint");
	if (k->known_bugs && !(k->check || k->lint))
		return fail(EXIT_USAGE, "kernel: --known-bugs is for --check and --lint");
	if ((k->check || k->lint) && (k->phys || k->replay || k->before || k->record))
		return fail(EXIT_USAGE, "kernel: --check and --lint look at this kernel, now, and at all of it: no --phys, --record, --replay or --diff");
	if (k->record && (argc || k->json || k->verbose || k->summary || k->phys || k->replay ||
			  k->before))
		return fail(EXIT_USAGE, "kernel: --record writes all of it, and prints nothing: no RANGE, and no other option");
	if (k->before && k->summary)
		return fail(EXIT_USAGE, "kernel: --diff has a summary of its own: no --summary");
	if (k->before && k->replay && !strcmp(k->before, "-") && !strcmp(k->replay, "-"))
		return fail(EXIT_USAGE, "only one of the recordings can be standard input");
	why = k->phys ? parse_range_or_address(k->phys, &k->frames, &single) : NULL;
	return !why ? 0 : fail(EXIT_USAGE, "--phys '%s': %s: give a physical address, START-END or START+LENGTH",
			       k->phys, why);
}

static int run_kernel(struct kernel_cmd *k, int argc, char **argv)
{
	int err = check_options(k, argc);
	uint64_t page;

	for (int i = 0; !err && i < argc; i++)
		err = take_kernel_range(k, argv[i], false);
	if (!err)
		err = read_kernel(k);
	for (int i = 0; !err && i < argc; i++)
		err = take_kernel_range(k, argv[i], true);
	if (err)
		return err;
	page = 1ULL << k->facts.tables.page_shift;
	k->frames.start &= ~(page - 1);
	k->frames.last |= page - 1;
	for (size_t i = 0; i < k->nr_ranges; i++) {
		k->range[i].start &= ~(page - 1);
		k->range[i].last |= page - 1;
	}
	if (k->check || k->lint)
		return examine_kernel(k);
	if (k->record)
		return write_kernel_recording(k);
	if (k->before)
		return diff_kernel(k);
	return k->summary ? summarize(k) : list_extents(k);
}

int cmd_kernel(int argc, char **argv)
{
	struct kernel_cmd k = { 0 };
	const struct command_option options[] = {
		{ "check", .flag = &k.check },
		{ "diff", .once = &k.before },
		{ "json", .flag = &k.json },
		{ "known-bugs", .flag = &k.known_bugs },
		{ "lint", .flag = &k.lint },
		{ "phys", .once = &k.phys },
		{ "record", .output = &k.record },
		{ "replay", .once = &k.replay },
		{ "summary", 's', .flag = &k.summary },
		{ "verbose", 'v', .flag = &k.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_kernel(&k, argc - optind, argv + optind);
	kernel_facts_free(&k.facts);
	free(k.range);
	return status;
}
