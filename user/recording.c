// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has a line "kernel ..." and then one for each page:
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
#include "pagemap_bits.h"
#include "recording.h"

#define SAME_CLASS	2	/* pages of a class that are recorded */

/**
 * struct recording_class - pages that differ in where they are and no more
 * @source: Name of the interface.
 * @bits: As in struct page_truth.
 * @marks: A hash of everything else that counts.
 * @nr: How many were recorded.
 */
struct recording_class {
	char source[32];
	uint64_t bits, marks;
	unsigned int nr;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* What is left of a value without the frame or the number that it carries. */
static uint64_t kind_of_value(const char *source, uint64_t seen)
{
	if (!strncmp(source, "pagemap-scan", strlen("pagemap-scan")))
		return seen;
	if (!strncmp(source, "pagemap", strlen("pagemap")))
		return seen & ~PM_PFN_MASK;
	if (!strcmp(source, "kpagecount"))
		return seen > 2 && seen != KPAGE_END ? 2 : seen;
	if (!strcmp(source, "kpagecgroup"))
		return seen & ~KPAGE_INODE_MASK;
	/* Of flags those that are not compared come and go. */
	return seen & (KPF_BIT(MMAP) | KPF_BIT(ANON) | KPF_BIT(KSM) |
		       KPF_BIT(HUGE) | KPF_BIT(COMPOUND_HEAD) | KPF_BIT(THP) |
		       KPF_BIT(NOPAGE) | KPF_BIT(ZERO_PAGE) |
		       KPF_BIT(HWPOISON));
}

/* The accessed and dirty bits and the like are nothing that a source shows. */
static uint64_t bits_that_count(uint64_t bits)
{
	const uint32_t ignored = PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
				 PTWALK_FLAG_EXEC | PTWALK_FLAG_YOUNG |
				 PTWALK_FLAG_DIRTY | PTWALK_FLAG_GLOBAL;

	return bits & ~((uint64_t)ignored << PTWALK_BITS_FLAGS_SHIFT);
}

static bool wanted(struct recording *r, const char *source,
		   const struct page_truth *truth, uint64_t seen,
		   bool has_data, enum verdict verdict)
{
	struct recording_class new = { .bits = bits_that_count(truth->bits) };
	uint64_t flags = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP |
			 PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SOFTDIRTY |
			 PTWALK_VMA_FLAG_UFFD_WP;
	size_t i;

	snprintf(new.source, sizeof(new.source), "%s", source);
	new.marks = mix(verdict, has_data ? kind_of_value(source, seen) : 1);
	new.marks = mix(new.marks, has_data | truth->gate << 1);
	if (truth->vma)
		new.marks = mix(new.marks, truth->vma->flags & flags);
	if (truth->facts)
		new.marks = mix(new.marks, (truth->facts->place & 0xff) |
				(truth->facts->place >> 32 != 0) << 8);
	for (i = 0; i < r->nr; i++)
		if (r->class[i].bits == new.bits &&
		    r->class[i].marks == new.marks &&
		    !strcmp(r->class[i].source, source))
			return r->class[i].nr++ < SAME_CLASS;
	if (r->nr == r->max) {
		r->max = r->max ? r->max * 2 : 256;
		r->class = reallocarray(r->class, r->max, sizeof(*r->class));
		if (!r->class)
			abort();
	}
	new.nr = 1;
	r->class[r->nr++] = new;
	return true;
}

void recording_begin(struct recording *r, FILE *stream, const struct env *env)
{
	const struct kernel_info *k = env->kernel;
	unsigned int i;

	*r = (struct recording){ .stream = stream, .env = env };
	fprintf(stream, "kernel %s %x %x %x", k->release, k->page_shift,
		k->swap_type_bits, k->features);
	for (i = 0; i < PTWALK_LEVELS; i++)
		fprintf(stream, " %x", k->level_shift[i]);
	fprintf(stream, " %x %" PRIx64 " %x %x %x %s\n", env->pfn_hidden,
		env->scan_categories, env->memcg, k->flags, k->levels,
		*k->machine ? k->machine : "-");
}

void recording_page(struct recording *r, const char *source,
		    const struct page_truth *truth, uint64_t seen,
		    bool has_data, enum verdict verdict)
{
	if (!wanted(r, source, truth, seen, has_data, verdict))
		return;
	fprintf(r->stream, "%s %" PRIx64 " %" PRIx64 " %" PRIx64, source,
		truth->addr, truth->value, truth->bits);
	if (truth->vma)
		fprintf(r->stream, " %" PRIx64 ":%x", truth->vma->flags,
			truth->vma->page_shift);
	else
		fprintf(r->stream, " -");
	fprintf(r->stream, " %x", truth->gate);
	if (truth->facts)
		fprintf(r->stream, " %" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64,
			(uint64_t)truth->facts->flags,
			(uint64_t)truth->facts->counts,
			(uint64_t)truth->facts->folio_counts,
			(uint64_t)truth->facts->place);
	else
		fprintf(r->stream, " -");
	if (has_data)
		fprintf(r->stream, " %" PRIx64, seen);
	else
		fprintf(r->stream, " -");
	fprintf(r->stream, " %s\n", verdict_name[verdict]);
}

int recording_end(struct recording *r)
{
	int err = ferror(r->stream) ? -EIO : 0;

	if (fclose(r->stream))
		err = -errno;
	free(r->class);
	return err;
}

static int parse_kernel(const char *line, struct kernel_info *k,
			struct env *env)
{
	unsigned int hidden, memcg, *s = k->level_shift;

	/* Older recordings end with what follows the categories. */
	memset(k, 0, sizeof(*k));
	if (sscanf(line, "kernel %64s %x %x %x %x %x %x %x %x %x %" SCNx64 " %x %x %x %64s",
		   k->release, &k->page_shift, &k->swap_type_bits,
		   &k->features, &s[0], &s[1], &s[2], &s[3], &s[4], &hidden,
		   &env->scan_categories, &memcg, &k->flags,
		   &k->levels, k->machine) < 12 ||
	    sscanf(k->release, "%u.%u", &k->major, &k->minor) != 2)
		return -EINVAL;
	env->kernel = k;
	env->pfn_hidden = hidden;
	env->memcg = memcg;
	return 0;
}

static int parse_facts(const char *text, struct recorded *page)
{
	uint64_t w[4];

	if (!strcmp(text, "-"))
		return 0;
	if (sscanf(text, "%" SCNx64 ":%" SCNx64 ":%" SCNx64 ":%" SCNx64, &w[0],
		   &w[1], &w[2], &w[3]) != 4)
		return -EINVAL;
	page->facts.flags = w[0];
	page->facts.counts = w[1];
	page->facts.folio_counts = w[2];
	page->facts.place = w[3];
	page->truth.facts = &page->facts;
	return 0;
}

static int parse_page(const char *line, struct recorded *page)
{
	char vma[64], facts[80], seen[32], verdict[16];
	struct page_truth *t = &page->truth;
	unsigned int gate;

	memset(page, 0, sizeof(*page));
	if (sscanf(line, "%31s %" SCNx64 " %" SCNx64 " %" SCNx64 " %63s %x %79s %31s %15s",
		   page->source, &t->addr, &t->value, &t->bits, vma, &gate,
		   facts, seen, verdict) != 9)
		return -EINVAL;
	t->gate = gate;
	if (strcmp(vma, "-")) {
		if (sscanf(vma, "%" SCNx64 ":%x", &page->vma.flags,
			   &page->vma.page_shift) != 2)
			return -EINVAL;
		page->vma.start = t->addr;
		page->vma.last = t->addr;
		t->vma = &page->vma;
	}
	if (parse_facts(facts, page))
		return -EINVAL;
	page->has_data = strcmp(seen, "-");
	if (page->has_data && sscanf(seen, "%" SCNx64, &page->seen) != 1)
		return -EINVAL;
	while (page->verdict < NR_VERDICTS &&
	       strcmp(verdict, verdict_name[page->verdict]))
		page->verdict++;
	return page->verdict < NR_VERDICTS ? 0 : -EINVAL;
}

int recording_next(FILE *stream, struct kernel_info *kernel, struct env *env,
		   struct recorded *page, size_t *line)
{
	char buf[512];

	while (fgets(buf, sizeof(buf), stream)) {
		++*line;
		if (!strchr(buf, '\n'))
			return -EINVAL;
		if (*buf == '#' || *buf == '\n')
			continue;
		if (strncmp(buf, "kernel ", 7))
			return env->kernel && !parse_page(buf, page) ?
			       1 : -EINVAL;
		if (parse_kernel(buf, kernel, env))
			return -EINVAL;
	}
	return 0;
}
