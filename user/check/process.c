// SPDX-License-Identifier: GPL-2.0
/* A process that is being checked: what was found in it, and the sum of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "check/findings.h"
#include "check/process.h"
#include "check/rules.h"
#include "module/client.h"
#include "proc/processes.h"
#include "sources/source.h"

void *process_grow(void *array, size_t *max, size_t nr, size_t size)
{
	if (!array_room(&array, max, nr + 1, size))
		exit_no_memory();
	return array;
}

bool is_gate(const struct map *map)
{
	return !strcmp(map->name, "[vsyscall]") ||
	       !strcmp(map->name, "[vectors]");
}

bool process_is_gate(const struct process *p, uint64_t addr)
{
	const struct map *map = maps_at(&p->maps, addr);

	return map && is_gate(map);
}

/* Keeps the verdict on the pages of a finding. */
static void keep_verdict(struct process *p, const struct report_finding *f)
{
	const uint64_t first = f->truth.addr >> p->page_shift;
	const uint64_t end = first + f->pages;
	struct judged *last = p->nr_judged ? &p->judged[p->nr_judged - 1] : NULL;

	if (last && last->pages && f->pages && last->verdict == f->verdict &&
	    last->first <= first && first <= last->first + last->pages) {
		if (end > last->first + last->pages)
			last->pages = end - last->first;
		return;
	}
	p->judged = process_grow(p->judged, &p->max_judged, p->nr_judged,
				 sizeof(*p->judged));
	p->judged[p->nr_judged++] = (struct judged){
		.first = first,
		.pages = f->pages,
		.verdict = f->verdict,
	};
}

/* Prints the first @nr of what was found, and keeps of them only the verdicts. */
static void tell(struct process *p, size_t nr)
{
	nr = findings_order(p->found, nr, p->page_shift);
	for (size_t i = 0; i < nr; i++) {
		if (p->found[i].finding.truth.vma)
			p->found[i].finding.truth.vma = &p->found[i].vma;
		keep_verdict(p, &p->found[i].finding);
	}
	findings_tell(p->found, nr, p->check->renderer->finding);
	for (size_t i = 0; i < nr; i++)
		free(p->found[i].remark);
}

/*
 * Whether a finding has no use but to be printed: what isn't explained is put
 * in order with the others in the end, and rules about page tables may be
 * withdrawn (see process_recheck_tables()).
 */
static bool is_over(const struct report_finding *f)
{
	return f->verdict == VERDICT_EXPLAINED && !f->remark &&
	       !rules_of_tables(f->rules);
}

/* Prints what is over, if there is much; a process may have some in each VMA. */
static void make_room(struct process *p)
{
	struct found *over, *rest;
	size_t nr = 0, left = 0;

	if (p->frozen || p->nr_found < p->rest + FOUND_MOST)
		return;
	rest = calloc(p->nr_found, sizeof(*rest));
	if (!rest)
		exit_no_memory();
	over = p->found;
	for (size_t i = 0; i < p->nr_found; i++) {
		if (is_over(&p->found[i].finding))
			over[nr++] = p->found[i];
		else
			rest[left++] = p->found[i];
	}
	tell(p, nr);
	memcpy(p->found, rest, left * sizeof(*rest));
	free(rest);
	p->nr_found = p->rest = left;
	memset(p->latest, 0, sizeof(p->latest));
}

static struct found *add_found(struct process *p)
{
	make_room(p);
	p->found = process_grow(p->found, &p->max_found, p->nr_found,
				sizeof(*p->found));
	return &p->found[p->nr_found++];
}

void process_count(struct process *p, size_t source, const struct page_truth *truth,
		   uint64_t pages, enum verdict verdict)
{
	p->counts.verdict[verdict] += pages;
	p->counts.comparisons += pages;
	p->compared[source] += pages;
	if (truth->vma || truth->gate)
		p->counts.in_vmas += pages;
}

bool process_only_draws(const struct process *p, size_t source)
{
	return p->check->source[source]->drawn && !p->check->whole;
}

/* Counts pages with a verdict and, unless they match, notes the finding. */
struct report_finding *process_note(struct process *p, size_t source,
				    const struct page_truth *truth, uint64_t seen,
				    bool has_data, uint64_t pages,
				    enum verdict verdict, uint64_t rules)
{
	struct report_finding finding;
	struct found *found;
	uint64_t set;

	/* All of it was told by the plain read. */
	if (p->drawing && verdict <= VERDICT_EXPLAINED && !process_only_draws(p, source))
		verdict = VERDICT_MATCH;
	process_count(p, source, truth, pages, verdict);
	if (p->check->recording)
		recording_page(p->check->recording,
			       p->check->source[source]->name, truth, seen,
			       has_data, verdict);
	if (verdict == VERDICT_MATCH)
		return NULL;
	for (set = rules; set; set &= set - 1)
		p->check->rules[__builtin_ctzll(set)] += pages;
	finding = (struct report_finding){
		.pid = p->pid,
		.comm = p->comm,
		.map = maps_at(&p->maps, truth->addr),
		.truth = *truth,
		.seen = seen,
		.has_data = has_data,
		.pages = pages,
		.verdict = verdict,
		.rules = rules,
		.source = p->check->source[source],
		.env = &p->check->env,
	};
	found = p->latest[source] ? &p->found[p->latest[source] - 1] : NULL;
	if (found && findings_go_on(found, &finding, truth->vma, p->page_shift)) {
		found->finding.pages += pages;
		return NULL;
	}
	if (verdict != VERDICT_EXPLAINED && has_data && finding.source &&
	    finding.source->expect)
		finding.differs = compare_difference(finding.env, finding.source, truth,
						     seen);
	/* They are the caller's. */
	finding.truth.facts = NULL;
	found = add_found(p);
	found->finding = finding;
	found->remark = NULL;
	if (truth->vma)
		found->vma = *truth->vma;
	p->latest[source] = p->nr_found;
	return &found->finding;
}

struct read_request process_request(const struct process *p, size_t source,
				    const struct source_pages *pages)
{
	const struct env *env = &p->check->env;

	struct read_request request = {
		.source = p->check->source[source],
		.start = pages->addr,
		.last = pages->addr +
			((uint64_t)pages->nr << p->page_shift) - 1,
		.freeze = p->check->freeze,
		.known_bugs = env->known_bugs ||
			      source_around_bugs(p->check->source[source], env),
	};

	memcpy(request.arg, pages->arg, sizeof(request.arg));
	return request;
}

static const struct source_fault *fault_of(const struct process *p, size_t source)
{
	const struct source *s = p->check->source[source];

	return s->fault ? s->fault(p->file[source]) : NULL;
}

/* Whether it is the same that is wrong, of one interface. */
static bool is_same_fault(const struct process *p, size_t a, size_t b)
{
	const struct source *const *source = p->check->source;
	const struct source_fault *x = fault_of(p, a), *y = fault_of(p, b);

	return x && y && !strcmp(x->function, y->function) && !strcmp(x->must, y->must) &&
	       !strcmp(source_interface(source[a]), source_interface(source[b]));
}

/* Notes the fault of a source, with those behind it that have the same. */
static void note_fault(struct process *p, size_t source)
{
	const struct source_fault *fault = fault_of(p, source);
	struct remark remark = {
		.verdict = VERDICT_MISMATCH,
		.field = "request",
		.function = fault->function,
		.times = fault->times,
	};
	const struct source_pages asked = {
		.addr = fault->start,
		.nr = (fault->last - fault->start + 1) >> p->page_shift,
	};
	const struct examinee x = { .process = p };
	struct report_finding *f;
	unsigned int also = 0;
	size_t i;

	for (i = source + 1; i < p->check->nr_sources; i++)
		remark.times += is_same_fault(p, source, i) ? fault_of(p, i)->times : 0;
	snprintf(remark.truth, sizeof(remark.truth), "%s", fault->must);
	snprintf(remark.seen, sizeof(remark.seen), "%s", fault->does);
	if (remark.times > 1)
		snprintf(remark.seen, sizeof(remark.seen), "%s; %" PRIu64 " times so",
			 fault->does, remark.times);
	p->examination = p->check->source[source]->name;
	examine_remark(&x, &remark);
	f = &p->found[p->nr_found - 1].finding;
	if (fault->last)
		f->request = process_request(p, source, &asked);
	for (i = source + 1; i < p->check->nr_sources && also < FINDING_ALSO; i++)
		if (is_same_fault(p, source, i))
			f->also[also++] = p->check->source[i];
}

void process_note_faults(struct process *p)
{
	size_t i, before;

	for (i = 0; i < p->check->nr_sources; i++) {
		for (before = 0; before < i; before++)
			if (is_same_fault(p, before, i))
				break;
		if (before == i && fault_of(p, i))
			note_fault(p, i);
	}
}

void process_judged_claim(struct process *p, size_t index, enum verdict verdict)
{
	struct claim *claim = &p->claims->claim[index];

	if ((int)verdict > claim->verdict)
		claim->verdict = verdict;
}

void examine_none(const struct examinee *x, const char *why)
{
	x->process->none = why;
}

void examine_claim(const struct examinee *x, size_t index, enum verdict verdict)
{
	process_judged_claim(x->process, index, verdict);
}

void examine_compared(const struct examinee *x, uint64_t pages)
{
	struct process *p = x->process;

	p->examined += pages;
	*p->asked_for += pages;
	p->counts.comparisons += pages;
	p->counts.in_vmas += pages;
	if (p->examined > p->most)
		p->most = p->examined;
}

void examine_figures(const struct examinee *x, uint64_t figures)
{
	struct process *p = x->process;

	p->counts.figures += figures;
	*p->asked_for += figures;
	p->counts.comparisons += figures;
	p->counts.in_vmas += figures;
}

void examine_unsettled(const struct examinee *x, uint64_t figures)
{
	x->process->counts.unsettled += figures;
}

void examine_unproven(const struct examinee *x, uint64_t claims)
{
	if (x->process->check->by_bytes)
		x->process->unproven += claims;
}

bool examine_asks(const struct examinee *x, const struct examination *other)
{
	const struct check *c = x->process->check;

	for (size_t i = 0; i < c->nr_asked; i++)
		if (c->asked[i].examination == other)
			return true;
	return false;
}

/* For the summary, which tells how often each reason held. */
static void count_reason(struct check *c, const char *rule)
{
	size_t i;

	for (i = 0; i < c->nr_reasons; i++)
		if (!strcmp(c->reason[i].rule, rule))
			break;
	if (i == CHECK_MAX_REASONS)
		return;
	c->reason[i].rule = rule;
	c->reason[i].findings++;
	if (i == c->nr_reasons)
		c->nr_reasons++;
}

void examine_remark(const struct examinee *x, const struct remark *remark)
{
	struct process *p = x->process;
	struct found *found;

	if (remark->verdict == VERDICT_EXPLAINED && remark->rule)
		count_reason(p->check, remark->rule);
	found = add_found(p);
	memset(found, 0, sizeof(*found));
	found->remark = malloc(sizeof(*remark));
	if (!found->remark)
		exit_no_memory();
	*found->remark = *remark;
	found->finding = (struct report_finding) {
		.pid = p->pid,
		.comm = p->comm,
		.map = remark->pages && !remark->beyond ?
		       maps_at(&p->maps, remark->start) : NULL,
		.truth.addr = remark->start,
		.pages = remark->pages,
		.verdict = remark->verdict,
		.examination = p->examination,
		.remark = found->remark,
		.env = &p->check->env,
	};
}

void process_look_again(struct process *p, size_t source, uint64_t addr,
			uint64_t pages, size_t request_nr, size_t seen)
{
	struct suspects *s = &p->suspects[source];
	struct suspect *last = s->nr ? &s->suspect[s->nr - 1] : NULL;

	if (last && last->addr + (last->pages << p->page_shift) == addr &&
	    last->request_nr == request_nr && !last->seen == !seen &&
	    (!seen || last->seen + last->pages == seen)) {
		last->pages += pages;
		return;
	}
	s->suspect = process_grow(s->suspect, &s->max, s->nr, sizeof(*s->suspect));
	s->suspect[s->nr++] = (struct suspect){
		.addr = addr,
		.pages = pages,
		.request_nr = request_nr,
		.seen = seen,
	};
}

int process_error(struct process *p, size_t source, int err)
{
	if (procs_gone(p->pid, err))
		return client_gone(p->pid);
	return error_set(err, "%s of process %d: %s",
			 p->check->source[source]->name, (int)p->pid,
			 strerror(-err));
}

/* A read of a source that failed: once a line, and nothing more of it. */
void process_unreadable(struct process *p, size_t source, int err)
{
	if (!p->unreadable)
		p->unreadable = process_error(p, source, err);
}

static int compare_judged(const void *a, const void *b)
{
	const struct judged *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Pages of which at least one source has @verdict or a worse one. */
static uint64_t pages_from(const struct process *p, enum verdict verdict)
{
	uint64_t pages = 0, done = 0;
	size_t i;

	for (i = 0; i < p->nr_judged; i++) {
		const struct judged *j = &p->judged[i];
		uint64_t end = j->first + j->pages;

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
	uint64_t pages = p->most, worse = 0, from;
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++)
		if (p->compared[i] > pages)
			pages = p->compared[i];
	if (!pages)
		pages = p->counts.figures;
	if (p->nr_judged)
		qsort(p->judged, p->nr_judged, sizeof(*p->judged), compare_judged);
	for (i = VERDICT_MISMATCH; i > VERDICT_MATCH; i--) {
		from = pages_from(p, i);
		p->counts.verdict[i] = from - worse;
		worse = from;
	}
	p->counts.verdict[VERDICT_MATCH] = pages > worse ? pages - worse : 0;
}

/* Of claims, each line counts: several may be about one page. */
static void count_claims(struct process *p)
{
	struct claim *claim;
	size_t i;

	memset(p->counts.verdict, 0, sizeof(p->counts.verdict));
	for (i = 0; i < p->claims->nr; i++) {
		claim = &p->claims->claim[i];
		if (claim->verdict >= 0)
			p->counts.verdict[claim->verdict]++;
		claim->verdict = -1;
	}
}

void process_settle(struct process *p)
{
	size_t i;

	if (!p->frozen) {
		tell(p, p->nr_found);
		p->nr_found = p->rest = 0;
	}
	memset(p->latest, 0, sizeof(p->latest));
	if (p->claims)
		count_claims(p);
	else
		one_verdict(p);
	p->nr_judged = 0;
	p->most = 0;
	for (i = 0; i < p->check->nr_sources; i++)
		p->check->compared[i] += p->compared[i];
	memset(p->compared, 0, sizeof(p->compared));
	for (i = 0; i < NR_VERDICTS; i++) {
		p->settled[i] += p->counts.verdict[i];
		p->counts.verdict[i] = 0;
	}
}

/* Prints what was found, and adds it up. */
void process_report(struct process *p, const char *why)
{
	struct check *c = p->check;
	struct report_counts *sum = &c->summary.counts;
	size_t i;

	process_settle(p);
	memcpy(p->counts.verdict, p->settled, sizeof(p->settled));
	c->renderer->process(p->pid, p->comm, &p->counts, why);
	for (i = 0; i < NR_VERDICTS; i++)
		sum->verdict[i] += p->counts.verdict[i];
	sum->sampled += p->counts.sampled;
	sum->requests += p->counts.requests;
	sum->cost += p->counts.cost;
	sum->left_out += p->counts.left_out;
	sum->comparisons += p->counts.comparisons;
	sum->in_vmas += p->counts.in_vmas;
	sum->figures += p->counts.figures;
	sum->unsettled += p->counts.unsettled;
	sum->unclaimed += p->counts.unclaimed;
	sum->of_claims |= p->counts.of_claims;
}

/* The frame of the first page of a folio, from the facts of any page of it. */
uint64_t folio_head(uint64_t frame, const struct ptwalk_page *facts)
{
	return facts ? frame - (facts->place >> 32) : frame;
}
