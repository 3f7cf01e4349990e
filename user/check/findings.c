// SPDX-License-Identifier: GPL-2.0
/*
 * A bug of pagemap shows in every way in which pagemap is read. Some ways read
 * all pages, some a sample, so what is alike need not be as long. And one of
 * smaps shows in many mappings.
 */
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "check/examine.h"
#include "check/findings.h"
#include "check/process.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"

bool findings_go_on(const struct found *prev, const struct report_finding *next,
		    const struct ptwalk_vma *vma, unsigned int page_shift)
{
	const struct report_finding *f = &prev->finding;

	return f->verdict == next->verdict && f->rules == next->rules &&
	       f->has_data == next->has_data && f->map == next->map &&
	       f->truth.addr + (f->pages << page_shift) == next->truth.addr &&
	       ptwalk_bits_kind(f->truth.bits) == ptwalk_bits_kind(next->truth.bits) &&
	       (!f->truth.vma) == (!vma) && (!vma || prev->vma.flags == vma->flags);
}

/* Of those that begin at one page the longest is first, then by source. */
static int compare_found(const void *a, const void *b)
{
	const struct report_finding *x = &((const struct found *)a)->finding;
	const struct report_finding *y = &((const struct found *)b)->finding;

	if (x->truth.addr != y->truth.addr)
		return x->truth.addr < y->truth.addr ? -1 : 1;
	if (x->pages != y->pages)
		return x->pages > y->pages ? -1 : 1;
	return strcmp(x->source ? x->source->name : "",
		      y->source ? y->source->name : "");
}

/* By what bits one that is explained differs from what is documented. */
static uint64_t explained_difference(const struct found *found)
{
	const struct report_finding *f = &found->finding;
	struct page_truth truth = f->truth;
	struct expectation e;

	if (!f->has_data)
		return 0;
	truth.vma = truth.vma ? &found->vma : NULL;
	f->source->expect(f->env, &truth, &e);
	return (f->seen ^ e.value) & e.mask;
}

/* By what bits a finding differs; of a PFN all, whichever they are. */
static uint64_t difference(const struct found *found)
{
	const struct report_finding *f = &found->finding;
	uint64_t differs = f->verdict == VERDICT_EXPLAINED ? explained_difference(found) :
			   f->differs.lacks | f->differs.excess;

	if (!strcmp(source_interface(f->source), "pagemap") && differs & PM_PFN_MASK)
		differs |= PM_PFN_MASK;
	return differs;
}

/*
 * Whether they say the same of one interface: in the same words, or, if one way
 * to read it hides what another shows, by the same bits.
 */
static bool differ_alike(const struct found *x, const struct found *y)
{
	const struct report_finding *a = &x->finding, *b = &y->finding;

	return a->source && b->source &&
	       !strcmp(source_interface(a->source), source_interface(b->source)) &&
	       a->verdict == b->verdict && a->rules == b->rules &&
	       a->has_data == b->has_data && a->map == b->map &&
	       ptwalk_bits_kind(a->truth.bits) == ptwalk_bits_kind(b->truth.bits) &&
	       (a->source->text != b->source->text ||
		a->truth.addr != b->truth.addr || a->seen == b->seen) &&
	       difference(x) == difference(y);
}

static uint64_t finding_last(const struct report_finding *f, unsigned int shift)
{
	return f->truth.addr + (f->pages << shift) - 1;
}

/* Names @source in @head; false if there is no room. */
static bool add_source(struct report_finding *head, const struct source *source)
{
	unsigned int i;

	if (head->source == source)
		return true;
	for (i = 0; i < FINDING_ALSO && head->also[i]; i++)
		if (head->also[i] == source)
			return true;
	if (i == FINDING_ALSO)
		return false;
	head->also[i] = source;
	return true;
}

/* Has what is explained and goes on with @head, which names no other way, be of it. */
static bool join_explained(struct found *head, const struct found *next, unsigned int page_shift)
{
	const struct report_finding *f = &next->finding;

	if (f->verdict != VERDICT_EXPLAINED || f->source != head->finding.source ||
	    head->finding.also[0] ||
	    !findings_go_on(head, f, f->truth.vma ? &next->vma : NULL, page_shift))
		return false;
	head->finding.pages += f->pages;
	return true;
}

size_t findings_order(struct found *found, size_t nr, unsigned int page_shift)
{
	/* Those that reach to where the last one begins, or beyond, as their indices. */
	size_t *open = calloc(nr + 1, sizeof(*open)), nr_open = 0;
	size_t kept = 0, i, k, left;
	struct report_finding *f, *head;
	bool joined;

	if (!open)
		exit_no_memory();
	if (nr)
		qsort(found, nr, sizeof(*found), compare_found);
	for (i = 0; i < nr; i++) {
		f = &found[i].finding;
		joined = false;
		left = 0;
		for (k = 0; k < nr_open; k++) {
			head = &found[open[k]].finding;
			joined = joined || join_explained(&found[open[k]], &found[i], page_shift);
			if (finding_last(head, page_shift) + 1 < f->truth.addr)
				continue;
			joined = joined ||
				 (finding_last(f, page_shift) <= finding_last(head, page_shift) &&
				  differ_alike(&found[open[k]], &found[i]) &&
				  add_source(head, f->source));
			open[left++] = open[k];
		}
		nr_open = left;
		if (joined)
			continue;
		if (f->source)
			open[nr_open++] = kept;
		found[kept++] = found[i];
	}
	free(open);
	return kept;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool findings_differ_alike(const struct report_finding *a,
			   const struct report_finding *b)
{
	const struct remark *x = a->remark, *y = b->remark;

	return x && y && x->field && y->field &&
	       a->verdict == b->verdict && a->verdict != VERDICT_EXPLAINED &&
	       x->lacks == y->lacks && x->excess == y->excess &&
	       same_text(x->field, y->field) &&
	       same_text(a->examination, b->examination) &&
	       same_text(x->rule, y->rule) && same_text(x->function, y->function);
}

void findings_tell(struct found *found, size_t nr,
		   void (*tell)(const struct report_finding *finding))
{
	const struct report_finding *f;

	for (size_t i = 0; i < nr; i++) {
		f = &found[i].finding;
		if (found[i].told)
			continue;
		tell(f);
		/* What is like nothing else isn't like itself, either. */
		for (size_t k = i + 1; k < nr && findings_differ_alike(f, f); k++) {
			if (found[k].told || !findings_differ_alike(f, &found[k].finding))
				continue;
			tell(&found[k].finding);
			found[k].told = true;
		}
	}
}
