// SPDX-License-Identifier: GPL-2.0
/* Rules about whole page tables: what one of its pages is right without holds for none. */
#include "base/error.h"
#include "check/rules.h"
#include "check/second_look.h"
#include "proc/processes.h"
#include "sources/source.h"

#define BORDERS		64	/* of findings, where rules about tables are tried */

/* Rules about page tables that hold for a page before and after the reading. */
static uint64_t table_rules(const struct env *env, const struct source *s,
			    const struct look *before, const struct look *after,
			    size_t judge)
{
	return rules_of_tables(rules_for(env, s, &before->page[judge]) &
			       rules_for(env, s, &after->page[judge]));
}

/* Whether that page was shown right without any rule. */
static bool is_right(struct process *p, const struct source *s,
		     const struct window *w, const struct look *look,
		     size_t judge, size_t got)
{
	const uint64_t at = window_place(p, w, look, judge);
	struct outcome outcome;

	if (at >= got)
		return false;
	outcome = s->grain ? compare_page(&p->check->env, s, &look->page[judge],
					  p->batch.values[at], true) : w->outcome[judge];
	return outcome.verdict == VERDICT_MATCH && !outcome.rules;
}

void window_contradict(struct process *p, const struct source *s,
		       struct window *w, const struct look *before,
		       const struct look *after, size_t got)
{
	const struct env *env = &p->check->env;
	uint64_t set = 0, wrong = 0, table, latest = UINT64_MAX;
	size_t i, first = 0;

	for (i = 0; i < w->nr_judges; i++) {
		if (!i || !look_is_same(before, i) || !look_is_same(after, i))
			set = table_rules(env, s, before, after, i);
		w->judge[i].without = 0;
		if (!set)
			continue;
		table = rules_table_of(env, &before->page[i]);
		if (table != latest) {
			latest = table;
			first = i;
			wrong = 0;
		}
		if (!(set & ~wrong) || !is_right(p, s, w, before, i, got)) {
			w->judge[i].without = set & wrong;
			continue;
		}
		wrong |= set;
		for (size_t k = first; k <= i; k++)
			w->judge[k].without =
				wrong & table_rules(env, s, before, after, k);
	}
}

/**
 * struct refuted - what two pages in a row have refuted
 * @request: Shows both.
 * @rules: Rules about their page table that one of them is right without.
 */
struct refuted {
	struct read_request request;
	uint64_t rules;
};

/* Looks at two pages in a row. Returns 0 or a negative errno. */
static int refute(struct process *p, size_t source,
		  const struct source_pages *pages, struct refuted *refuted)
{
	struct suspect suspect = { .addr = pages->addr, .pages = 2 };
	struct judge judge[2] = { 0 };
	struct outcome outcome[2];
	struct window w = {
		.first = pages->addr,
		.pages = 2,
		.request = *pages,
		.asleep = procs_asleep(p->pid),
		.suspect = &suspect,
		.nr = 1,
		.judge = judge,
		.outcome = outcome,
		.nr_judges = 2,
	};
	struct look before, after;
	unsigned int rounds;
	int err;

	look_init(&before, 2);
	look_init(&after, 2);
	err = window_judge(p, source, &w, &before, &after, &rounds);
	refuted->rules = 0;
	for (int i = 0; !err && i < 2; i++)
		if (judge[i].verdict == VERDICT_MISMATCH)
			refuted->rules |= judge[i].without;
	refuted->request = process_request(p, source, pages);
	look_free(&before);
	look_free(&after);
	return err;
}

/* What was found in a page table without the rules that don't hold for it. */
static void withdraw(struct process *p, uint64_t table,
		     const struct refuted *refuted)
{
	const struct env *env = &p->check->env;
	struct report_finding *f;
	uint64_t set;

	for (size_t i = 0; i < p->findings.nr; i++) {
		f = &p->findings.found[i].finding;
		if (!f->source || !(f->rules & refuted->rules) ||
		    rules_table_of(env, &f->truth) != table)
			continue;
		for (set = f->rules & refuted->rules; set; set &= set - 1)
			p->check->rules[__builtin_ctzll(set)] -= f->pages;
		f->rules &= ~refuted->rules;
		f->verdict = VERDICT_MISMATCH;
		if (f->source == refuted->request.source)
			f->request = refuted->request;
	}
}

/* The two pages where a finding begins or ends, if that is inside of its table. */
static bool border(struct process *p, const struct report_finding *f, bool end,
		   struct source_pages *pages)
{
	const uint64_t size = 1ULL << p->page_shift;
	const struct page_truth last = page_at(&f->truth, f->pages - 1,
					       p->page_shift);
	const uint64_t table = rules_table_of(&p->check->env, &f->truth);
	struct page_truth other = end ? last : f->truth;

	*pages = (struct source_pages){ .addr = other.addr, .nr = 1 };
	pages->addr = end ? last.addr : f->truth.addr - size;
	pages->nr = 2;
	other.addr = end ? last.addr + size : f->truth.addr - size;
	return rules_table_of(&p->check->env, &last) == table &&
	       rules_table_of(&p->check->env, &other) == table &&
	       pages->addr >= p->walk.range.start &&
	       pages->addr + 2 * size - 1 <= p->walk.range.last &&
	       !process_left_out(p, pages->addr, pages->addr + 2 * size - 1);
}

int process_recheck_tables(struct process *p)
{
	const struct env *env = &p->check->env;
	struct report_finding *f;
	struct source_pages pages;
	struct refuted refuted;
	unsigned int borders = 0;
	size_t source;
	int err = 0;

	for (size_t i = 0; !err && i < p->findings.nr; i++)
		for (int end = 0; !err && end < 2; end++) {
			f = &p->findings.found[i].finding;
			if (!f->source || !rules_of_tables(f->rules) ||
			    f->truth.addr < p->walk.range.start ||
			    f->truth.addr > p->walk.range.last ||
			    !border(p, f, end, &pages) || borders++ >= BORDERS)
				continue;
			for (source = 0; p->check->source[source] != f->source;)
				source++;
			err = refute(p, source, &pages, &refuted);
			if (!err && refuted.rules)
				withdraw(p, rules_table_of(env, &f->truth),
					 &refuted);
		}
	return err;
}
