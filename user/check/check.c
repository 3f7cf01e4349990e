// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a page through a check, from the process that has it to the exit status.
 * From the end of this file to its beginning: check_process() has each range of a
 * process read and compared; process_note() keeps what differs, process_settle() has it
 * printed and makes one verdict of all that were on a page, and check_status() is what
 * the command returns.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/exit_status.h"
#include "base/progress.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/process.h"
#include "check/rules.h"
#include "sources/source.h"

#define EMPTY_PAGES	65536	/* of a process that are read before only ends are */

void check_warn(struct check *check, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	check->warn(len < 0 ? "out of memory" : text);
	if (len >= 0)
		free(text);
}

int check_stopped(const struct check *check)
{
	progress_pages(0);
	if (!check->stop || !*check->stop)
		return 0;
	return error_set(-EINTR, "%s", *check->stop == SIGALRM ?
			 CHECK_OUT_OF_TIME : CHECK_INTERRUPTED);
}

int check_status(const struct report_summary *s)
{
	if (s->counts.verdict[VERDICT_MISMATCH])
		return EXIT_MISMATCH;
	if (report_incomplete(s))
		return EXIT_UNCHECKED;
	if (s->counts.verdict[VERDICT_UNSTABLE])
		return EXIT_UNSTABLE;
	return EXIT_MATCH;
}

/* Keeps the verdict on the pages of a finding. */
static void keep_verdict(struct findings *findings, const struct report_finding *f,
			 unsigned int page_shift)
{
	const uint64_t first = f->truth.addr >> page_shift, end = first + f->pages;
	struct judged *last = findings->nr_judged ?
			      &findings->judged[findings->nr_judged - 1] : NULL;

	if (last && last->pages && f->pages && last->verdict == f->verdict &&
	    last->first <= first && first <= last->first + last->pages) {
		if (end > last->first + last->pages)
			last->pages = end - last->first;
		return;
	}
	findings->judged = process_grow(findings->judged, &findings->max_judged,
					findings->nr_judged, sizeof(*findings->judged));
	findings->judged[findings->nr_judged++] = (struct judged){
		.first = first,
		.pages = f->pages,
		.verdict = f->verdict,
	};
}

/* Prints the first @nr of what was found, and keeps of them only the verdicts. */
static void tell_findings(struct process *p, size_t nr)
{
	struct found *found = p->findings.found;

	nr = findings_order(found, nr, p->page_shift);
	for (size_t i = 0; i < nr; i++) {
		if (found[i].finding.truth.vma)
			found[i].finding.truth.vma = &found[i].vma;
		keep_verdict(&p->findings, &found[i].finding, p->page_shift);
	}
	findings_tell(found, nr, p->check->renderer->finding);
	for (size_t i = 0; i < nr; i++)
		free(found[i].remark);
}

/*
 * Whether a finding has no use but to be printed: what isn't explained is put
 * in order with the others in the end.
 */
static bool is_over(const struct report_finding *f)
{
	return f->verdict == VERDICT_EXPLAINED && !f->remark;
}

/* Prints what is over, if there is much; a process may have some in each VMA. */
static void tell_explained(struct process *p)
{
	struct findings *f = &p->findings;
	struct found *rest;
	size_t nr = 0, left = 0;

	if (p->frozen || f->nr < f->rest + FOUND_MOST)
		return;
	rest = calloc(f->nr, sizeof(*rest));
	if (!rest)
		exit_no_memory();
	for (size_t i = 0; i < f->nr; i++) {
		if (is_over(&f->found[i].finding))
			f->found[nr++] = f->found[i];
		else
			rest[left++] = f->found[i];
	}
	tell_findings(p, nr);
	memcpy(f->found, rest, left * sizeof(*rest));
	free(rest);
	f->nr = f->rest = left;
	memset(f->latest, 0, sizeof(f->latest));
}

struct found *process_add_found(struct process *p)
{
	struct findings *f = &p->findings;

	tell_explained(p);
	f->found = process_grow(f->found, &f->max, f->nr, sizeof(*f->found));
	return &f->found[f->nr++];
}

void process_count(struct process *p, size_t source, const struct page_truth *truth,
		   uint64_t pages)
{
	p->counts.comparisons += pages;
	p->findings.compared[source] += pages;
	if (truth->vma || truth->gate)
		p->counts.in_vmas += pages;
}

/* What was found, if it is a finding of its own. */
static struct report_finding report_finding_of(struct process *p, size_t source,
					       const struct page_truth *truth, uint64_t seen,
					       bool has_data, uint64_t pages,
					       enum verdict verdict, uint64_t rules)
{
	struct report_finding finding = {
		.pid = p->pid,
		.comm = p->comm,
		.map = maps_at(&p->maps, truth->addr),
		.truth = *truth,
		.beside = { SOURCE_NO_FRAME, SOURCE_NO_FRAME },
		.seen = seen,
		.has_data = has_data,
		.pages = pages,
		.verdict = verdict,
		.rules = rules,
		.source = p->check->source[source],
		.env = &p->check->env,
	};

	/* They are the caller's. */
	finding.truth.facts = NULL;
	return finding;
}

struct report_finding *process_note(struct process *p, size_t source,
				    const struct page_truth *truth, uint64_t seen,
				    bool has_data, uint64_t pages,
				    enum verdict verdict, uint64_t rules)
{
	struct report_finding finding;
	struct found *found;

	/* The plain read has told what is explained; random requests tell it again. */
	if (p->draw.on && verdict <= VERDICT_EXPLAINED && !process_only_draws(p, source))
		verdict = VERDICT_MATCH;
	process_count(p, source, truth, pages);
	if (p->check->record)
		p->check->record(p->check->recording, p->check->source[source], truth,
				 seen, has_data, verdict);
	if (verdict == VERDICT_MATCH)
		return NULL;
	for (uint64_t set = rules; set; set &= set - 1)
		p->check->tally.rules[__builtin_ctzll(set)] += pages;
	finding = report_finding_of(p, source, truth, seen, has_data, pages, verdict, rules);
	found = p->findings.latest[source] ?
		&p->findings.found[p->findings.latest[source] - 1] : NULL;
	if (found && findings_go_on(found, &finding, truth->vma, p->page_shift)) {
		found->finding.pages += pages;
		return NULL;
	}
	if (verdict != VERDICT_EXPLAINED && has_data)
		finding.differs = compare_difference(finding.env, finding.source, truth,
						     seen);
	found = process_add_found(p);
	*found = (struct found){ .finding = finding };
	if (truth->vma)
		found->vma = *truth->vma;
	p->findings.latest[source] = p->findings.nr;
	return &found->finding;
}

static int compare_judged(const void *a, const void *b)
{
	const struct judged *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Pages of which at least one source has @verdict or a worse one. */
static uint64_t pages_from(const struct findings *f, enum verdict verdict)
{
	uint64_t pages = 0, done = 0, end;

	for (const struct judged *j = f->judged; j < f->judged + f->nr_judged; j++) {
		end = j->first + j->pages;
		if (j->verdict < verdict)
			continue;
		if (!j->pages)
			pages++;
		if (!j->pages || end <= done)
			continue;
		pages += end - (j->first < done ? done : j->first);
		done = end;
	}
	return pages;
}

/*
 * Makes of the verdicts of all sources and examinations one for each page: the
 * worst. A figure counts as a page if it doesn't match, or if nothing but figures
 * was compared.
 */
static void one_verdict(struct process *p)
{
	struct findings *f = &p->findings;
	uint64_t pages = p->examining.most, worse = 0, from;
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++)
		if (f->compared[i] > pages)
			pages = f->compared[i];
	if (!pages)
		pages = p->counts.figures;
	if (f->nr_judged)
		qsort(f->judged, f->nr_judged, sizeof(*f->judged), compare_judged);
	for (i = VERDICT_MISMATCH; i > VERDICT_MATCH; i--) {
		from = pages_from(f, i);
		p->counts.verdict[i] += from - worse;
		worse = from;
	}
	p->counts.verdict[VERDICT_MATCH] += pages > worse ? pages - worse : 0;
}

void process_settle(struct process *p)
{
	struct findings *f = &p->findings;

	/* A frozen one is told of once it goes on: it may be who reads it. */
	if (!p->frozen) {
		tell_findings(p, f->nr);
		f->nr = f->rest = 0;
	}
	/* Claims are counted by themselves. */
	if (!p->counts.of_claims)
		one_verdict(p);
	f->nr_judged = 0;
	p->examining.most = 0;
	memset(f->latest, 0, sizeof(f->latest));
	for (size_t i = 0; i < p->check->nr_sources; i++)
		p->check->tally.compared[i] += f->compared[i];
	memset(f->compared, 0, sizeof(f->compared));
}

/* What comes before @of_claims are numbers. */
static void add_counts(struct report_counts *sum, const struct report_counts *counts)
{
	const uint64_t *from = (const uint64_t *)counts;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < offsetof(struct report_counts, of_claims) / sizeof(*to); i++)
		to[i] += from[i];
	sum->of_claims |= counts->of_claims;
}

void process_report(struct process *p, const char *why)
{
	process_settle(p);
	p->check->renderer->process(p->pid, p->comm, &p->counts, why);
	add_counts(&p->check->summary.counts, &p->counts);
}

/* Of sources that are drawn alone, no more pages count than all that there are. */
static void count_once(struct process *p, const uint64_t *compared)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->check->nr_sources; i++)
		if (!process_only_draws(p, i) && compared[i] > most)
			most = compared[i];
	for (size_t i = 0; i < p->check->nr_sources; i++)
		if (!process_only_draws(p, i))
			p->findings.compared[i] = compared[i];
		else if (p->findings.compared[i] > (most ? most : p->walk.mapped))
			p->findings.compared[i] = most ? most : p->walk.mapped;
}

/* Nothing more is drawn where the plain read has found something. */
static void pass_over_found(struct process *p)
{
	memset(p->draw.differing, 0, sizeof(p->draw.differing));
	for (size_t i = 0; i < p->findings.nr; i++)
		for (size_t k = 0; k < p->check->nr_sources; k++)
			if (p->findings.found[i].finding.source == p->check->source[k] &&
			    p->findings.found[i].finding.verdict > VERDICT_EXPLAINED)
				p->draw.differing[k] = UINT_MAX;
}

static int draw_in_process(struct process *p)
{
	struct effort *effort = &p->check->effort;
	const uint64_t least = draw_plain_least(effort->shared, effort->left);
	const uint64_t plain = p->draw.plain > least ? p->draw.plain : least;
	uint64_t compared[CHECK_MAX_SOURCES];
	int err;

	memcpy(compared, p->findings.compared, sizeof(compared));
	pass_over_found(p);
	err = p->walk.span.last ? draw_requests(p, effort->times * plain) : 0;
	count_once(p, compared);
	if (effort->left)
		effort->shared -= least;
	return err;
}

/* Nothing of it is known yet. */
static void begin_range(struct process *p, const struct range *range)
{
	uint64_t mask = (1ULL << p->page_shift) - 1;

	p->walk.range.start = range->start & ~mask;
	p->walk.range.last = range->last | mask;
	p->walk.left_out.nr = 0;
	p->walk.span = (struct range){ 0 };
	p->walk.empty = EMPTY_PAGES;
	p->walk.present = 0;
	p->draw.plain = 0;
	p->walk.mapped = maps_bytes(&p->maps) >> p->page_shift;
	p->draw.random.state = p->check->effort.seed + p->check->effort.draws++ * 0x100000001ULL;
	memset(&p->draw.places, 0, sizeof(p->draw.places));
}

int process_check_range(struct process *p, const struct range *range)
{
	int err;

	begin_range(p, range);
	err = process_walk(p);
	for (size_t source = 0; !err && source < p->check->nr_sources; source++)
		err = process_recheck(p, source);
	if (!err)
		err = draw_in_process(p);
	return err ? err : p->walk.unreadable;
}

int check_process(struct check *check, pid_t pid, char **args, int nr_args)
{
	struct process p = {
		.check = check, .pid = pid,
		.page_shift = check->env.kernel->page_shift,
	};
	struct ranges ranges = { 0 };
	int err = 0;

	if (check->all && spaces_add(&check->spaces, pid)) {
		check->summary.processes.same_memory++;
		return 0;
	}
	if (process_open(&p))
		goto close;
	err = process_ranges(&p, args, nr_args, &ranges);
	if (error_is_usage(err) || (!err && !ranges.nr)) {
		check->summary.processes.elsewhere += !err;
		goto close;
	}
	if (!err)
		err = process_freeze(&p);
	if (!err && check->request)
		err = process_repeat(&p, check->request);
	for (size_t i = 0; !err && !check->request && check->nr_sources && i < ranges.nr; i++)
		err = process_check_range(&p, &ranges.range[i]);
	process_note_faults(&p);
	if (!err)
		err = process_examine(&p, &ranges, !nr_args);
	/* Tells what ended it; the summary has a process that isn't checked. */
	process_finish(&p, err);
	err = 0;
close:
	ranges_free(&ranges);
	process_close(&p);
	return err;
}
