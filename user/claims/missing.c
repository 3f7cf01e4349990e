// SPDX-License-Identifier: GPL-2.0
/*
 * Present pages that nobody has claimed. A translator that leaves out what it can't
 * translate would be right about all the rest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "check/judge.h"
#include "check/process.h"
#include "check/rules.h"
#include "claims/claims.h"
#include "claims/missing.h"
#include "sources/source.h"

/* One that is on its way will soon be there: then it counts. */
static bool may_be_present(uint64_t bits)
{
	return ptwalk_bits_present(bits) ||
	       ptwalk_bits_kind(bits) == PTWALK_KIND_MIGRATION;
}

uint64_t missing_hidden(const struct env *env, const struct page_truth *truth)
{
	uint64_t set = rules_for(env, &source_pagemap, truth), hidden = 0;

	for (; set; set &= set - 1)
		if (rules[__builtin_ctzll(set)].blind)
			hidden |= set & -set;
	return hidden;
}

/* Whether of all pages of the leaf at @addr the first is claimed, and no other. */
static bool in_claimed_leaf(const struct missing *m, uint64_t addr, uint64_t bits)
{
	const struct ptwalk_kernel *kernel = m->env->kernel;
	uint64_t leaf = 1ULL << kernel->level_shift[ptwalk_bits_level(bits)];
	uint64_t first = (addr & ~(leaf - 1)) >> kernel->page_shift;
	uint64_t last = first + (leaf >> kernel->page_shift) - 1;
	struct range run;

	return first < addr >> kernel->page_shift &&
	       claims_pages_next(m->claimed, first, first, true, &run) &&
	       !claims_pages_next(m->claimed, first + 1, last, true, &run);
}

/* Unclaimed pages of an extent, which all may be present. */
static int add_missing_run(struct missing *m, const struct ptwalk_vma *vma,
			   const struct ptwalk_extent *e, const struct range *pages)
{
	const unsigned int shift = m->env->kernel->page_shift;
	const struct page_truth truth = {
		.addr = e->addr, .value = e->value, .bits = e->bits, .vma = vma,
	};
	struct missing_run *last = m->nr ? &m->run[m->nr - 1] : NULL, run = {
		.addr = pages->start << shift,
		.pages = pages->last - pages->start + 1,
		.value = e->value + (pages->start - (e->addr >> shift)),
		.bits = e->bits,
		.rules = missing_hidden(m->env, &truth),
	};
	int err = claims_pages_append(&m->pages, pages->start, pages->last);

	if (err)
		return err;
	run.in_leaf = in_claimed_leaf(m, run.addr, run.bits);
	if (last && last->addr + (last->pages << shift) == run.addr &&
	    run.addr != vma->start && last->rules == run.rules &&
	    last->in_leaf == run.in_leaf &&
	    ptwalk_bits_level(last->bits) == ptwalk_bits_level(run.bits) &&
	    ptwalk_bits_kind(last->bits) == ptwalk_bits_kind(run.bits)) {
		last->pages += run.pages;
		return 0;
	}
	return array_add(m->run, m->nr, m->max, run) ? 0 : error_no_memory();
}

/* The unclaimed ones of [@first, @last], which are pages of an extent. */
static int take_missing_pages(struct missing *m, const struct ptwalk_vma *vma,
			      const struct ptwalk_extent *e, uint64_t first, uint64_t last)
{
	struct range run;
	int err = 0;

	while (!err && claims_pages_next(m->claimed, first, last, false, &run)) {
		err = add_missing_run(m, vma, e, &run);
		if (run.last == last)
			break;
		first = run.last + 1;
	}
	return err;
}

/* Those of an extent that are in the ranges and among those that are looked at. */
static int take_unclaimed(struct missing *m, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *e)
{
	const unsigned int shift = m->env->kernel->page_shift;
	const uint64_t first = e->addr >> shift, last = first + e->pages - 1;
	struct range part;
	int err = 0;

	for (size_t i = 0; !err && i < m->ranges->nr; i++) {
		uint64_t from = m->ranges->range[i].start >> shift;
		uint64_t to = m->ranges->range[i].last >> shift;

		from = from > first ? from : first;
		to = to < last ? to : last;
		if (from > to)
			continue;
		if (!m->among)
			err = take_missing_pages(m, vma, e, from, to);
		while (!err && m->among &&
		       claims_pages_next(m->among, from, to, true, &part)) {
			err = take_missing_pages(m, vma, e, part.start, part.last);
			if (part.last == to)
				break;
			from = part.last + 1;
		}
	}
	return err;
}

int missing_take(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
		 size_t nr, void *arg)
{
	struct missing *m = arg;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		if (may_be_present(extents[i].bits))
			err = take_unclaimed(m, vma, &extents[i]);
	return err;
}

void missing_free(struct missing *missing)
{
	free(missing->run);
	claims_pages_free(&missing->pages);
	missing->run = NULL;
	missing->nr = missing->max = 0;
}

/* One walk of all that the ranges, or the pages looked at, span. */
static int walk_unclaimed(struct process *p, struct missing *m)
{
	const unsigned int shift = p->page_shift;
	const struct claims_pages *among = m->among;
	uint64_t start = m->ranges->range[0].start;
	uint64_t last = m->ranges->range[m->ranges->nr - 1].last;

	if (among) {
		start = among->run[0].start << shift;
		last = among->run[among->nr - 1].last << shift | ((1ULL << shift) - 1);
	}
	return truth_stream(p->check->client, p->pid, start, last, missing_take, m);
}

static void describe(const struct process *p, const struct missing_run *run,
		     struct remark *remark)
{
	const unsigned int *level_shift = p->check->env.kernel->level_shift;
	const unsigned int shift = level_shift[ptwalk_bits_level(run->bits)];
	char leaf[FORMAT_SIZE];

	format_size(1ULL << shift, leaf);
	remark->start = run->addr;
	remark->pages = run->pages;
	remark->has_found = ptwalk_bits_present(run->bits);
	remark->found = run->value << p->page_shift;
	if (remark->has_found)
		snprintf(remark->truth, sizeof(remark->truth),
			 "present, %s at physical 0x%" PRIx64 ", by %s of %s",
			 run->pages == 1 ? "the page" : "the first page",
			 (uint64_t)remark->found, run->pages == 1 ? "a leaf" : "leaves", leaf);
	else
		snprintf(remark->truth, sizeof(remark->truth), "migrating");
	if (run->rules)
		snprintf(remark->seen, sizeof(remark->seen),
			 "no claim: pagemap shows nothing of them by design; --partial=pagemap, if that is what is decoded");
	else if (run->in_leaf)
		snprintf(remark->seen, sizeof(remark->seen),
			 "no claim: each page of a leaf of %s has a line of its own, not the first one alone",
			 leaf);
	else
		snprintf(remark->seen, sizeof(remark->seen), "no claim");
}

static void tell_missing(struct process *p, const struct missing_run *run,
			 enum verdict verdict)
{
	const struct examinee x = { .process = p };
	struct remark remark = { .verdict = verdict };
	struct found *found;

	describe(p, run, &remark);
	remark.rule = verdict == VERDICT_EXPLAINED ? NULL : "unclaimed";
	p->examining.name = source_claims.name;
	examine_remark(&x, &remark);
	p->counts.verdict[verdict] += run->pages;
	p->findings.compared[0] += run->pages;
	p->counts.unclaimed += run->pages;
	p->counts.comparisons += run->pages;
	p->counts.in_vmas += run->pages;
	if (verdict != VERDICT_EXPLAINED)
		return;
	found = &p->findings.found[p->findings.nr - 1];
	found->finding.rules = run->rules;
	found->remark->rule = rules[__builtin_ctzll(run->rules)].name;
	p->check->tally.rules[__builtin_ctzll(run->rules)] += run->pages;
}

/* What was there in the first round, and not in all of them. */
static void tell_unstable(struct process *p, const struct missing *first,
			  const struct missing *last)
{
	const unsigned int shift = p->page_shift;
	struct missing_run gone;
	struct range part;

	for (size_t i = 0; i < first->nr; i++) {
		uint64_t page = first->run[i].addr >> shift;
		uint64_t end = page + first->run[i].pages - 1;

		while (page <= end &&
		       claims_pages_next(&last->pages, page, end, false, &part)) {
			gone = first->run[i];
			gone.addr = part.start << shift;
			gone.pages = part.last - part.start + 1;
			gone.value += part.start - (first->run[i].addr >> shift);
			tell_missing(p, &gone, VERDICT_UNSTABLE);
			page = part.last + 1;
		}
	}
}

static enum verdict verdict_of_missing(const struct process *p, const struct missing_run *run)
{
	if (!ptwalk_bits_present(run->bits))
		return VERDICT_UNSTABLE;
	return run->rules && p->check->claims.partial == CLAIMS_AS_PAGEMAP ? VERDICT_EXPLAINED :
								     VERDICT_MISMATCH;
}

unsigned int missing_width(uint64_t end, uint64_t missing)
{
	for (unsigned int bits = 32; bits >= 31; bits--)
		if (end < 1ULL << bits && missing >= 1ULL << bits)
			return bits;
	return 0;
}

unsigned int missing_cut(const struct missing *m, uint64_t *example)
{
	static const unsigned char widths[] = { 32, 31, 36, 40, 44 };
	const unsigned int shift = m->env->kernel->page_shift;
	struct range run;

	for (size_t i = 0; i < sizeof(widths); i++) {
		size_t cut = 0;

		for (size_t j = 0; j < m->nr; j++) {
			uint64_t addr = m->run[j].addr;
			uint64_t page = (addr & ((1ULL << widths[i]) - 1)) >> shift;

			if (!(addr >> widths[i]) ||
			    !claims_pages_next(m->claimed, page, page, true, &run))
				continue;
			*example = cut++ ? *example : addr;
		}
		if (2 * cut > m->nr)
			return widths[i];
	}
	return 0;
}

/* Those who take addresses for 31 or 32 bits leave out all that is behind. */
static void warn_of_width(struct process *p, const struct missing *last,
			  const struct claims_pages *claimed)
{
	unsigned int bits;
	uint64_t end;

	if (!claimed->nr)
		return;
	bits = missing_cut(last, &end);
	if (bits) {
		check_warn(p->check,
			   "%s: 0x%" PRIx64 " isn't claimed, and 0x%" PRIx64 " is: are addresses cut off at %u bits?",
			   p->check->claims.list->name, end, (uint64_t)(end & ((1ULL << bits) - 1)), bits);
		return;
	}
	end = (claimed->run[claimed->nr - 1].last << p->page_shift) |
	      ((1ULL << p->page_shift) - 1);
	bits = missing_width(end, last->run[0].addr);
	if (bits)
		check_warn(p->check,
			   "%s: no page from 0x%llx on is claimed: are addresses cut off at %u bits?",
			   p->check->claims.list->name, 1ULL << bits, bits);
}

int claims_missing(struct process *p, const struct ranges *ranges,
		   const struct claims_pages *claimed)
{
	struct missing first = { .env = &p->check->env, .claimed = claimed,
				 .ranges = ranges };
	struct missing last = { 0 };
	int err = ranges->nr ? walk_unclaimed(p, &first) : 0;

	for (unsigned int round = 1; !err && first.nr && round < JUDGE_ROUNDS; round++) {
		struct missing next = { .env = first.env, .claimed = claimed,
					.ranges = ranges,
					.among = round > 1 ? &last.pages : &first.pages };

		pause_before_round(round);
		if (next.among->nr)
			err = walk_unclaimed(p, &next);
		missing_free(&last);
		last = next;
		last.among = NULL;
	}
	for (size_t i = 0; !err && i < last.nr; i++) {
		tell_missing(p, &last.run[i], verdict_of_missing(p, &last.run[i]));
		/* There may be millions; of claims, a look has so many at most, too. */
		if (i % WINDOW_PAGES == WINDOW_PAGES - 1)
			process_settle(p);
	}
	if (!err)
		tell_unstable(p, &first, &last);
	if (!err && last.nr)
		warn_of_width(p, &last, claimed);
	missing_free(&first);
	missing_free(&last);
	return err;
}
