// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has a line "kernel ...", then one for each page, and the end mark
 * (base/lines.h):
 *
 *   SOURCE ADDR VALUE BITS VMA GATE FACTS SEEN VERDICT
 *
 * All numbers are hexadecimal. VMA is FLAGS:PAGE-SHIFT or -, FACTS the words
 * of struct ptwalk_page with colons between them or -, SEEN is - where the
 * interface had ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "recording/pages.h"

#define SAME_CLASS	2	/* pages of a class that are recorded */

/**
 * struct recording_class - pages that differ in where they are and no more
 * @source: The interface.
 * @bits: As in struct page_truth.
 * @marks: A hash of everything else that counts.
 * @nr: How many were recorded.
 */
struct recording_class {
	const struct source *source;
	uint64_t bits, marks;
	unsigned int nr;
};

static uint64_t mix_marks(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/*
 * What is left of a value without the frame or the number that it carries, and without
 * what isn't compared: by which bits it differs from what is documented.
 */
static uint64_t difference_of(const struct env *env, const struct source *source,
			      const struct page_truth *truth, uint64_t seen)
{
	struct expectation e;

	source->expect(env, truth, &e);
	return (seen ^ e.value) & e.mask;
}

/* The accessed and dirty bits and the like are nothing that a source shows. */
static uint64_t bits_that_count(uint64_t bits)
{
	const uint32_t ignored = PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
				 PTWALK_FLAG_EXEC | PTWALK_FLAG_YOUNG |
				 PTWALK_FLAG_DIRTY | PTWALK_FLAG_GLOBAL;

	return bits & ~((uint64_t)ignored << PTWALK_BITS_FLAGS_SHIFT);
}

static bool wanted(struct recording *r, const struct source *source,
		   const struct page_truth *truth, uint64_t seen,
		   bool has_data, enum verdict verdict)
{
	struct recording_class new = { .bits = bits_that_count(truth->bits) };
	uint64_t flags = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP |
			 PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SOFTDIRTY |
			 PTWALK_VMA_FLAG_UFFD_WP;
	size_t i;

	new.source = source;
	new.marks = mix_marks(verdict, has_data ? difference_of(r->env, source, truth, seen) : 1);
	new.marks = mix_marks(new.marks, has_data | truth->gate << 1);
	if (truth->vma)
		new.marks = mix_marks(new.marks, truth->vma->flags & flags);
	if (truth->facts)
		new.marks = mix_marks(new.marks, (truth->facts->place & 0xff) |
				      (truth->facts->place >> 32 != 0) << 8);
	for (i = 0; i < r->nr; i++)
		if (r->class[i].bits == new.bits &&
		    r->class[i].marks == new.marks &&
		    r->class[i].source == source)
			return r->class[i].nr++ < SAME_CLASS;
	if (!array_room(&r->class, &r->max, r->nr + 1, sizeof(*r->class)))
		exit_no_memory();
	new.nr = 1;
	r->class[r->nr++] = new;
	return true;
}

void recording_begin(struct recording *r, FILE *stream, const struct env *env)
{
	const struct ptwalk_kernel *k = env->kernel;
	unsigned int i;

	*r = (struct recording){ .stream = stream, .env = env, .lines = 1 };
	fprintf(stream, "kernel %s %x %x %x", k->release, k->page_shift,
		k->swap_type_bits, k->features);
	for (i = 0; i < PTWALK_LEVELS; i++)
		fprintf(stream, " %x", k->level_shift[i]);
	fprintf(stream, " %x %" PRIx64 " %x %x %x %s\n", env->pfn_hidden,
		env->scan_categories, env->memcg, k->flags, k->levels,
		*k->machine ? k->machine : "-");
}

static void record_facts(FILE *stream, const struct page_truth *truth)
{
	if (!truth->facts) {
		fprintf(stream, " -");
		return;
	}
	fprintf(stream, " %" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64,
		(uint64_t)truth->facts->flags, (uint64_t)truth->facts->counts,
		(uint64_t)truth->facts->folio_counts,
		(uint64_t)truth->facts->place);
	if (truth->has_cgroup)
		fprintf(stream, ":%" PRIx64, truth->cgroup);
}

void recording_page(struct recording *r, const struct source *source,
		    const struct page_truth *truth, uint64_t seen,
		    bool has_data, enum verdict verdict)
{
	if (!wanted(r, source, truth, seen, has_data, verdict))
		return;
	fprintf(r->stream, "%s %" PRIx64 " %" PRIx64 " %" PRIx64, source->name,
		truth->addr, truth->value, truth->bits);
	if (truth->vma)
		fprintf(r->stream, " %" PRIx64 ":%x", truth->vma->flags,
			truth->vma->page_shift);
	else
		fprintf(r->stream, " -");
	fprintf(r->stream, " %x", truth->gate);
	record_facts(r->stream, truth);
	if (has_data)
		fprintf(r->stream, " %" PRIx64, seen);
	else
		fprintf(r->stream, " -");
	fprintf(r->stream, " %s\n", verdict_name[verdict]);
	r->lines++;
}

void recording_end(struct recording *r)
{
	lines_mark_end(r->stream, r->lines);
	free(r->class);
	r->class = NULL;
}

/* Larger ones would be shifted by, or be no kernel's. */
#define LEAST_PAGE_SHIFT	12
#define MOST_PAGE_SHIFT		20
#define MOST_SWAP_TYPE_BITS	16
#define MOST_SHIFT		63

static int parse_kernel(const char *line, struct ptwalk_kernel *k,
			struct env *env)
{
	struct fields f = { .at = line };
	unsigned int i;

	memset(k, 0, sizeof(*k));
	fields_word(&f, k->release, sizeof(k->release));
	k->page_shift = fields_hex(&f, MOST_PAGE_SHIFT);
	k->swap_type_bits = fields_hex(&f, MOST_SWAP_TYPE_BITS);
	k->features = fields_hex(&f, UINT32_MAX);
	for (i = 0; i < PTWALK_LEVELS; i++)
		k->level_shift[i] = fields_hex(&f, MOST_SHIFT);
	env->pfn_hidden = fields_hex(&f, 1);
	env->scan_categories = fields_hex(&f, UINT64_MAX);
	env->memcg = fields_hex(&f, 1);
	/* Older recordings end here. */
	if (*f.at) {
		k->flags = fields_hex(&f, UINT32_MAX);
		k->levels = fields_hex(&f, (1U << PTWALK_LEVELS) - 1);
		fields_word(&f, k->machine, sizeof(k->machine));
	}
	if (!fields_end(&f) || k->page_shift < LEAST_PAGE_SHIFT ||
	    sscanf(k->release, "%5u.%5u", &k->major, &k->minor) != 2)
		return -EINVAL;
	env->kernel = k;
	return 0;
}

static void parse_vma(struct fields *f, struct recorded *page)
{
	if (fields_none(f))
		return;
	page->vma.flags = fields_hex(f, UINT64_MAX);
	page->vma.page_shift = fields_hex(f, MOST_SHIFT);
	page->vma.start = page->truth.addr;
	page->vma.last = page->truth.addr;
	page->truth.vma = &page->vma;
}

static void parse_facts(struct fields *f, struct recorded *page)
{
	if (fields_none(f))
		return;
	page->facts.flags = fields_hex(f, UINT64_MAX);
	page->facts.counts = fields_hex(f, UINT64_MAX);
	page->facts.folio_counts = fields_hex(f, UINT64_MAX);
	page->facts.place = fields_hex(f, UINT64_MAX);
	page->truth.facts = &page->facts;
	page->truth.has_cgroup = *f->at == ':';
	if (page->truth.has_cgroup)
		page->truth.cgroup = fields_hex(f, UINT64_MAX);
}

static int parse_page(const char *line, struct recorded *page)
{
	struct page_truth *t = &page->truth;
	struct fields f = { .at = line };
	char verdict[16];

	memset(page, 0, sizeof(*page));
	fields_word(&f, page->source, sizeof(page->source));
	t->addr = fields_hex(&f, UINT64_MAX);
	t->value = fields_hex(&f, UINT64_MAX);
	t->bits = fields_hex(&f, UINT64_MAX);
	parse_vma(&f, page);
	t->gate = fields_hex(&f, 1);
	parse_facts(&f, page);
	page->has_data = !fields_none(&f);
	if (page->has_data)
		page->seen = fields_hex(&f, UINT64_MAX);
	fields_word(&f, verdict, sizeof(verdict));
	if (!fields_end(&f))
		return -EINVAL;
	while (page->verdict < NR_VERDICTS &&
	       strcmp(verdict, verdict_name[page->verdict]))
		page->verdict++;
	return page->verdict < NR_VERDICTS ? 0 : -EINVAL;
}

int recording_next(struct lines *lines, struct ptwalk_kernel *kernel,
		   struct env *env, struct recorded *page)
{
	static const char word[] = "kernel ";
	int more;

	while ((more = lines_next_recorded(lines)) > 0) {
		lines->reason = "no line of a recording: `ptwalk check --record FILE PID` makes one";
		if (strncmp(lines->text, word, strlen(word)))
			return env->kernel && !parse_page(lines->text, page) ?
			       1 : -EINVAL;
		if (!env->kernel && lines_words(lines) == LINES_KERNEL_OF_RSS)
			lines->reason = "of `ptwalk rss`: replay it with `ptwalk rss --replay`";
		if (env->kernel ||
		    parse_kernel(lines->text + strlen(word) - 1, kernel, env))
			return -EINVAL;
	}
	return more;
}
