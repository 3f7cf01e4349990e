// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has these lines, those of the kernel between the first one and those of
 * the pages (recording/head.h), and the end mark (base/lines.h):
 *
 *   check SWAP-TYPE-BITS PFN-HIDDEN CATEGORIES MEMCG MACHINE
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
#include "recording/head.h"
#include "recording/pages.h"

#define HEAD_LINES	3	/* check, kernel and levels */
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

static bool class_is_wanted(struct recording *r, const struct source *source,
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

	*r = (struct recording){ .stream = stream, .env = env, .lines = HEAD_LINES };
	fprintf(stream, "check %x %x %" PRIx64 " %x %s\n", k->swap_type_bits,
		env->pfn_hidden, env->scan_categories, env->memcg,
		*k->machine ? k->machine : "-");
	head_write_kernel(stream, k);
	fputc('\n', stream);
	head_write_levels(stream, k, k->levels);
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
	if (!class_is_wanted(r, source, truth, seen, has_data, verdict))
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

/* More are no kernel's. */
#define MOST_SWAP_TYPE_BITS	16

/* The lines before all pages. */
static int parse_head(const struct lines *lines, struct ptwalk_kernel *k, struct env *env)
{
	static const char *const words[HEAD_LINES] = { "check", "kernel", "levels" };
	uint32_t of_process;
	char word[16];
	struct fields f = fields_behind(lines->text, word, sizeof(word));
	int err = 0;

	if (strcmp(word, words[lines->counted - 1]))
		return -EINVAL;
	if (lines->counted == 1) {
		memset(k, 0, sizeof(*k));
		k->swap_type_bits = fields_hex(&f, MOST_SWAP_TYPE_BITS);
		env->pfn_hidden = fields_hex(&f, 1);
		env->scan_categories = fields_hex(&f, UINT64_MAX);
		env->memcg = fields_hex(&f, 1);
		fields_word(&f, k->machine, sizeof(k->machine));
	} else if (lines->counted == 2) {
		err = head_read_kernel(&f, k);
	} else {
		err = head_read_levels(&f, k, &of_process);
		env->kernel = k;
	}
	return err || fields_end(&f) ? err : -EINVAL;
}

static void parse_recorded_vma(struct fields *f, struct recorded *page)
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
	parse_recorded_vma(&f, page);
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
	int more, err = 0;

	while (!err && (more = lines_next_recorded(lines)) > 0) {
		lines->reason = lines->counted > 1 || strncmp(lines->text, "kernel ", 7) ?
			"no line of a recording: `ptwalk check --record FILE PID` makes one" :
			"of `ptwalk rss`, for `ptwalk rss --replay`, or " RECORDING_OLDER;
		if (lines->counted > HEAD_LINES)
			return parse_page(lines->text, page) ? -EINVAL : 1;
		err = parse_head(lines, kernel, env);
	}
	return err ? err : more;
}
