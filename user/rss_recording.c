// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has these lines; all numbers are hexadecimal:
 *
 *   kernel RELEASE PAGE-SHIFT FLAGS VMA-FLAGS FEATURES PHYS-BITS CPUS EXACT
 *   levels MASK OF-PROCESS SHIFT:ENTRIES...
 *   vma START LAST FLAGS PAGE-SHIFT
 *   extent ADDR VALUE PAGES BITS
 *   page ADDR NUMBER BITS FLAGS COUNTS FOLIO-COUNTS PLACE
 *   file NAME
 *
 * A line page is about so many pages of one folio in a row. What follows the
 * line of a file, behind a bar, are the lines of that file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "rss_recording.h"

static void record_kernel(FILE *stream, const struct rss *rss)
{
	const struct kernel_info *k = rss->counted.info;

	fprintf(stream, "kernel %s %x %x %" PRIx64 " %x %x %x %x\n",
		k->release, k->page_shift, k->flags, k->vma_flags,
		k->features, k->phys_bits, rss->shown.cpus,
		rss->shown.exact_counters);
	fprintf(stream, "levels %x %x", k->levels, rss->counted.levels);
	for (int i = 0; i < PTWALK_LEVELS; i++)
		fprintf(stream, " %x:%x:%x", k->level_shift[i],
			k->level_entries[i], k->entry_size[i]);
	fputc('\n', stream);
}

/* Whether @next follows @page in its folio, @step behind it in memory. */
static bool follows(const struct rss_page *page, const struct rss_page *next,
		    uint64_t nr, uint64_t step)
{
	return next->addr == page->addr + nr * step &&
	       next->bits == page->bits &&
	       next->page.flags == page->page.flags &&
	       next->page.counts == page->page.counts &&
	       next->page.folio_counts == page->page.folio_counts &&
	       next->page.place == page->page.place + (nr << 32);
}

static void record_pages(FILE *stream, const struct rss *rss)
{
	uint64_t step = 1ULL << rss->counted.info->page_shift, n;
	const struct rss_page *p;

	for (size_t i = 0; i < rss->nr_pages; i += n) {
		p = &rss->page[i];
		for (n = 1; i + n < rss->nr_pages; n++)
			if (!follows(p, &p[n], n, step))
				break;
		fprintf(stream, "page %" PRIx64 " %" PRIx64 " %" PRIx64
			" %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
			p->addr, n, p->bits, (uint64_t)p->page.flags,
			(uint64_t)p->page.counts,
			(uint64_t)p->page.folio_counts,
			(uint64_t)p->page.place);
	}
}

int rss_record(FILE *stream, const struct rss *rss)
{
	const char *line;
	size_t len;

	record_kernel(stream, rss);
	for (size_t i = 0; i < rss->truth.nr_vmas; i++) {
		const struct truth_vma *v = &rss->truth.vmas[i];

		fprintf(stream, "vma %" PRIx64 " %" PRIx64 " %" PRIx64 " %x\n",
			v->start, v->last, v->flags, v->page_shift);
	}
	for (size_t i = 0; i < rss->truth.nr_extents; i++) {
		const struct extent *e = &rss->truth.extents[i];

		fprintf(stream, "extent %" PRIx64 " %" PRIx64 " %" PRIx64
			" %" PRIx64 "\n", e->addr, e->value, e->pages, e->bits);
	}
	record_pages(stream, rss);
	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (!rss->text[i] || !(rss->shown.has & 1U << i))
			continue;
		fprintf(stream, "file %s\n", figure_source_name[i]);
		for (line = rss->text[i]; *line; line += len) {
			len = strcspn(line, "\n");
			fprintf(stream, "|%.*s\n", (int)len, line);
			len += line[len] == '\n';
		}
	}
	return fflush(stream) || ferror(stream) ? -EIO : 0;
}

static void *append(void **array, size_t *nr, size_t *max, size_t size)
{
	size_t wanted = *max ? *max * 2 : 64;
	void *p;

	if (*nr == *max) {
		p = reallocarray(*array, wanted, size);
		if (!p)
			return NULL;
		*array = p;
		*max = wanted;
	}
	return memset((char *)*array + (*nr)++ * size, 0, size);
}

static int read_kernel(const char *line, struct rss_replay *r)
{
	struct kernel_info *k = &r->info;
	unsigned int exact;

	if (sscanf(line, "kernel %64s %x %x %" SCNx64 " %x %x %x %x",
		   k->release, &k->page_shift, &k->flags, &k->vma_flags,
		   &k->features, &k->phys_bits, &r->shown.cpus, &exact) != 8 ||
	    sscanf(k->release, "%u.%u", &k->major, &k->minor) != 2)
		return -EINVAL;
	r->shown.exact_counters = exact;
	return 0;
}

static int read_levels(const char *line, struct rss_replay *r)
{
	uint32_t *s = r->info.level_shift, *e = r->info.level_entries;
	uint32_t *z = r->info.entry_size;

	return sscanf(line, "levels %x %x %x:%x:%x %x:%x:%x %x:%x:%x %x:%x:%x %x:%x:%x",
		      &r->info.levels, &r->counted.levels, &s[0], &e[0], &z[0],
		      &s[1], &e[1], &z[1], &s[2], &e[2], &z[2], &s[3], &e[3],
		      &z[3], &s[4], &e[4], &z[4]) == 17 ? 0 : -EINVAL;
}

static int read_vma(const char *line, struct rss_replay *r)
{
	struct truth_vma *v = append((void **)&r->truth.vmas,
				     &r->truth.nr_vmas, &r->truth.max_vmas,
				     sizeof(*v));

	if (!v)
		return -ENOMEM;
	return sscanf(line, "vma %" SCNx64 " %" SCNx64 " %" SCNx64 " %x",
		      &v->start, &v->last, &v->flags, &v->page_shift) == 4 ?
	       0 : -EINVAL;
}

static int read_extent(const char *line, struct rss_replay *r)
{
	struct extent *e = append((void **)&r->truth.extents,
				  &r->truth.nr_extents, &r->truth.max_extents,
				  sizeof(*e));

	if (!e)
		return -ENOMEM;
	return sscanf(line, "extent %" SCNx64 " %" SCNx64 " %" SCNx64
		      " %" SCNx64, &e->addr, &e->value, &e->pages,
		      &e->bits) == 4 && r->truth.nr_vmas ? 0 : -EINVAL;
}

static int read_page(const char *line, struct rss_replay *r)
{
	uint64_t n, flags, counts, folio_counts, place;
	struct rss_page first, *p;

	if (sscanf(line, "page %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64 " %" SCNx64, &first.addr, &n,
		   &first.bits, &flags, &counts, &folio_counts, &place) != 7)
		return -EINVAL;
	for (uint64_t i = 0; i < n; i++) {
		p = append((void **)&r->page, &r->nr_pages, &r->max_pages,
			   sizeof(*p));
		if (!p)
			return -ENOMEM;
		p->addr = first.addr + (i << r->info.page_shift);
		p->bits = first.bits;
		p->page = (struct ptwalk_page){ .flags = flags,
						.counts = counts,
						.folio_counts = folio_counts,
						.place = place + (i << 32) };
	}
	return 0;
}

static int read_record(const char *line, struct rss_replay *r)
{
	static const struct {
		const char *word;
		int (*read)(const char *line, struct rss_replay *r);
	} words[] = {
		{ "kernel ", read_kernel }, { "levels ", read_levels },
		{ "vma ", read_vma }, { "extent ", read_extent },
		{ "page ", read_page },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(line, words[i].word, strlen(words[i].word)))
			return words[i].read(line, r);
	return *line == '#' || *line == '\n' ? 0 : -EINVAL;
}

/**
 * struct text - the lines of a file, as they are gathered
 */
struct text {
	int source;
	char *buf;
	size_t size;
	FILE *stream;
};

static int end_text(struct text *text, struct rss_replay *r)
{
	size_t line;
	int err = 0;

	if (!text->stream)
		return 0;
	fclose(text->stream);
	text->stream = text->size ? fmemopen(text->buf, text->size, "r") : NULL;
	if (text->stream) {
		err = shown_parse(&r->shown, text->source, text->stream, &line);
		fclose(text->stream);
	}
	text->stream = NULL;
	free(text->buf);
	text->buf = NULL;
	return err;
}

static int begin_text(struct text *text, const char *name)
{
	size_t len = strcspn(name, "\n");

	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (strlen(figure_source_name[i]) != len ||
		    memcmp(figure_source_name[i], name, len))
			continue;
		text->source = i;
		text->stream = open_memstream(&text->buf, &text->size);
		return text->stream ? 0 : -ENOMEM;
	}
	return -EINVAL;
}

static int read_line(const char *line, struct text *text, struct rss_replay *r)
{
	int err;

	if (*line == '|' && text->stream)
		return fputs(line + 1, text->stream) < 0 ? -ENOMEM : 0;
	err = end_text(text, r);
	if (!err && !strncmp(line, "file ", 5))
		return begin_text(text, line + 5);
	return err ? err : read_record(line, r);
}

int rss_replay_read(FILE *stream, struct rss_replay *r, size_t *line)
{
	struct text text = { 0 };
	char *buf = NULL;
	size_t size = 0;
	int err = 0, end;

	*line = 0;
	while (!err && getline(&buf, &size, stream) > 0) {
		++*line;
		err = read_line(buf, &text, r);
	}
	end = end_text(&text, r);
	free(buf);
	if (!err)
		err = end;
	if (!err && (!r->info.page_shift || !r->truth.nr_vmas))
		err = -EINVAL;
	return err ? err : rss_replay_count(r);
}

static void free_counts(struct rss_replay *r)
{
	for (size_t i = 0; r->each && i < r->counted.nr; i++)
		totals_free(&r->each[i]);
	free(r->each);
	r->each = NULL;
	totals_free(&r->counted.sum);
}

int rss_replay_count(struct rss_replay *r)
{
	struct counted *c = &r->counted;
	const struct truth_vma *vma;
	int err = 0;

	free_counts(r);
	memset(&c->tables, 0, sizeof(c->tables));
	r->each = totals_of(&r->info, &r->truth, &c->tables);
	if (!r->each)
		return -ENOMEM;
	c->info = &r->info;
	c->vmas = r->truth.vmas;
	c->each = r->each;
	c->nr = r->truth.nr_vmas;
	for (size_t i = 0; !err && i < r->nr_pages; i++) {
		vma = truth_vma_at(&r->truth, r->page[i].addr);
		err = !vma ? -EINVAL :
		      totals_page(&r->each[vma - r->truth.vmas], &r->info, vma,
				  r->page[i].addr, r->page[i].bits,
				  &r->page[i].page);
	}
	for (size_t i = 0; !err && i < c->nr; i++)
		err = totals_add(&c->sum, &r->each[i]);
	return err;
}

void rss_replay_free(struct rss_replay *r)
{
	free_counts(r);
	free(r->page);
	truth_free(&r->truth);
	shown_free(&r->shown);
	memset(r, 0, sizeof(*r));
}
