// SPDX-License-Identifier: GPL-2.0
/*
 * What is found of a process beside its pages: by examinations, and of requests that
 * are answered wrongly whatever pages they are about.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "check/check.h"
#include "check/draw.h"
#include "check/process.h"
#include "sources/source.h"

void check_ask(struct check *check, const struct examination *examination,
	       const void *arg)
{
	size_t i;

	for (i = 0; i < check->nr_asked; i++)
		if (check->asked[i].examination == examination)
			return;
	if (i == CHECK_MAX_SOURCES)
		return;
	check->asked[i].examination = examination;
	check->asked[i].arg = arg;
	check->nr_asked++;
}

/* For the summary, which tells how often each reason held. */
static void count_reason(struct check *c, const char *rule)
{
	size_t i;

	for (i = 0; i < c->tally.nr_reasons; i++)
		if (!strcmp(c->tally.reason[i].rule, rule))
			break;
	if (i == CHECK_MAX_REASONS)
		return;
	c->tally.reason[i].rule = rule;
	c->tally.reason[i].findings++;
	if (i == c->tally.nr_reasons)
		c->tally.nr_reasons++;
}

void examine_remark(const struct examinee *x, const struct remark *remark)
{
	struct process *p = x->process;
	struct found *found;

	if (remark->verdict == VERDICT_EXPLAINED && remark->rule)
		count_reason(p->check, remark->rule);
	found = process_add_found(p);
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
		.examination = p->examining.name,
		.remark = found->remark,
		.env = &p->check->env,
	};
}

void examine_none(const struct examinee *x, const char *why)
{
	x->process->none = why;
}

const volatile sig_atomic_t *examine_stop(const struct examinee *x)
{
	return x->process->check->stop;
}

int examine_stopped(const struct examinee *x)
{
	return check_stopped(x->process->check);
}

void examine_compared(const struct examinee *x, uint64_t pages)
{
	struct process *p = x->process;

	p->examining.pages += pages;
	*p->examining.counted += pages;
	p->counts.comparisons += pages;
	p->counts.in_vmas += pages;
	if (p->examining.pages > p->examining.most)
		p->examining.most = p->examining.pages;
}

void examine_figures(const struct examinee *x, uint64_t figures)
{
	struct process *p = x->process;

	p->counts.figures += figures;
	*p->examining.counted += figures;
	p->counts.comparisons += figures;
	p->counts.in_vmas += figures;
}

void examine_unsettled(const struct examinee *x, uint64_t figures)
{
	x->process->counts.unsettled += figures;
}

void examine_unproven(const struct examinee *x, uint64_t claims)
{
	if (x->process->check->claims.by_bytes)
		x->process->examining.unproven += claims;
}

bool examine_asks(const struct examinee *x, const struct examination *other)
{
	const struct check *c = x->process->check;

	for (size_t i = 0; i < c->nr_asked; i++)
		if (c->asked[i].examination == other)
			return true;
	return false;
}

int process_examine(struct process *p, const struct ranges *ranges, bool whole)
{
	struct check *c = p->check;
	struct examinee x = {
		.client = c->client,
		.env = &c->env,
		.pid = p->pid,
		.maps = &p->maps,
		.ranges = ranges,
		.whole = whole,
		.thorough = c->effort.whole,
		.all = c->all,
		.retries = c->effort.retries,
		.seed = c->effort.seed + c->effort.draws,
		.effort = c->effort.times,
		.least = draw_plain_least(c->effort.shared, c->effort.left),
		.process = p,
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && !p->walk.no_sums && i < c->nr_asked; i++) {
		err = check_stopped(c);
		if (err)
			break;
		x.arg = c->asked[i].arg;
		x.examination = c->asked[i].examination;
		p->examining.name = x.examination->name;
		p->examining.pages = 0;
		p->examining.counted = &c->tally.compared[c->nr_sources + i];
		err = x.examination->examine(&x);
	}
	for (i = 0; i < c->nr_asked; i++)
		if (c->asked[i].examination->release)
			c->asked[i].examination->release();
	return err;
}

static const struct source_fault *source_fault_of(const struct process *p, size_t source)
{
	const struct source *s = p->check->source[source];

	return s->fault ? s->fault(p->file[source]) : NULL;
}

/* Whether it is the same that is wrong, of one interface. */
static bool is_same_fault(const struct process *p, size_t a, size_t b)
{
	const struct source *const *source = p->check->source;
	const struct source_fault *x = source_fault_of(p, a), *y = source_fault_of(p, b);

	return x && y && !strcmp(x->function, y->function) && !strcmp(x->must, y->must) &&
	       !strcmp(source_interface(source[a]), source_interface(source[b]));
}

/* Notes the fault of a source, with those behind it that have the same. */
static void note_fault(struct process *p, size_t source)
{
	const struct source_fault *fault = source_fault_of(p, source);
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
		remark.times += is_same_fault(p, source, i) ? source_fault_of(p, i)->times : 0;
	snprintf(remark.truth, sizeof(remark.truth), "%s", fault->must);
	snprintf(remark.seen, sizeof(remark.seen), "%s", fault->does);
	if (remark.times > 1)
		snprintf(remark.seen, sizeof(remark.seen), "%s; %" PRIu64 " times so",
			 fault->does, remark.times);
	p->examining.name = p->check->source[source]->name;
	examine_remark(&x, &remark);
	f = &p->findings.found[p->findings.nr - 1].finding;
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
		if (before == i && source_fault_of(p, i))
			note_fault(p, i);
	}
}
