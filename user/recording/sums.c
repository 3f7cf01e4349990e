// SPDX-License-Identifier: GPL-2.0
/*
 * A recording has these lines; all numbers are hexadecimal:
 *
 *   kernel ... CPUS EXACT, and levels (recording/head.h)
 *   [thp SIZES-ALWAYS SIZES-ADVISED]
 *   vma START LAST FLAGS PAGE-SHIFT [PKEY [RAW-FLAGS PGOFF MAJOR MINOR INODE
 *       [POLICY NODES]]]
 *   extent ADDR VALUE PAGES BITS
 *   page ADDR NUMBER BITS FLAGS COUNTS FOLIO-COUNTS PLACE
 *   moving NAME FIELD START NODE
 *   file NAME
 *
 * and an end mark (base/lines.h). A line page is about so many pages in a row that
 * are told alike, see struct ptwalk_page_run. One that is moving is a figure that differs between the two sides, as
 * they are of different moments. What follows the line of a file, behind a bar,
 * are the lines of that file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "recording/head.h"
#include "recording/sums.h"

/* Returns how many lines it wrote, as do those after it. */
static uint64_t record_thp(FILE *stream, const struct thp_settings *thp)
{
	if (!thp->known)
		return 0;
	fprintf(stream, "thp %" PRIx64 " %" PRIx64 "\n", thp->always,
		thp->advised);
	return 1;
}

static uint64_t record_pages(FILE *stream, const struct rss *rss)
{
	const struct ptwalk_extent *e;
	const struct ptwalk_page *p;
	uint64_t lines = 0;

	for (size_t i = 0; i < rss->truth.nr_extents; i++) {
		e = &rss->truth.extents[i];
		p = &rss->truth.pages[i];
		if (!totals_has_page(e->bits))
			continue;
		fprintf(stream, "page %" PRIx64 " %" PRIx64 " %" PRIx64
			" %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
			e->addr, e->pages, e->bits, (uint64_t)p->flags,
			(uint64_t)p->counts, (uint64_t)p->folio_counts,
			(uint64_t)p->place);
		lines++;
	}
	return lines;
}

/* What differs in what is written, but was judged well with other readings. */
static int record_moving(FILE *stream, const struct rss *rss, uint64_t *lines)
{
	struct figures again = { 0 };
	int err = reconcile(&rss->counted, &rss->shown, &again);

	for (size_t i = 0; !err && i < again.nr && i < rss->figures.nr; i++) {
		const struct figure *f = &again.figure[i];

		if (f->verdict != FIGURE_MISMATCH ||
		    rss->figures.figure[i].verdict == FIGURE_MISMATCH)
			continue;
		fprintf(stream, "moving %s %s %" PRIx64 " %x\n",
			figure_source_name[f->source], f->field, f->start,
			f->node);
		++*lines;
	}
	figures_free(&again);
	return err;
}

static uint64_t record_files(FILE *stream, const struct rss *rss)
{
	uint64_t lines = 0;
	const char *line;
	size_t len;

	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (!rss->text[i] || !(rss->shown.has & 1U << i))
			continue;
		fprintf(stream, "file %s\n", figure_source_name[i]);
		lines++;
		for (line = rss->text[i]; *line; line += len, lines++) {
			len = strcspn(line, "\n");
			fprintf(stream, "|%.*s\n", (int)len, line);
			len += line[len] == '\n';
		}
	}
	return lines;
}

int rss_record(FILE *stream, const struct rss *rss)
{
	uint64_t lines = 2 + rss->truth.nr_vmas + rss->truth.nr_extents;

	head_write_kernel(stream, rss->counted.info);
	fprintf(stream, " %x %x\n", rss->shown.cpus, rss->shown.exact_counters);
	head_write_levels(stream, rss->counted.info, rss->counted.levels);
	lines += record_thp(stream, &rss->shown.thp);
	for (size_t i = 0; i < rss->truth.nr_vmas; i++) {
		const struct ptwalk_vma *v = &rss->truth.vmas[i];

		fprintf(stream, "vma %" PRIx64 " %" PRIx64 " %" PRIx64
			" %x %x %" PRIx64 " %" PRIx64 " %x %x %" PRIx64,
			v->start, v->last, v->flags, v->page_shift, v->pkey,
			v->raw_flags, v->pgoff, v->dev_major, v->dev_minor,
			v->inode);
		if (v->has_policy)
			fprintf(stream, " %x %" PRIx64, v->policy, v->policy_nodes);
		fputc('\n', stream);
	}
	for (size_t i = 0; i < rss->truth.nr_extents; i++) {
		const struct ptwalk_extent *e = &rss->truth.extents[i];

		fprintf(stream, "extent %" PRIx64 " %" PRIx64 " %" PRIx64
			" %" PRIx64 "\n", e->addr, e->value, e->pages, e->bits);
	}
	lines += record_pages(stream, rss);
	if (record_moving(stream, rss, &lines))
		return -ENOMEM;
	lines += record_files(stream, rss);
	lines_mark_end(stream, lines);
	if (fflush(stream))
		return -errno;
	return ferror(stream) ? -EIO : 0;
}

/* What no kernel has. */
#define MOST_NODES		1024

static int read_recorded_kernel(struct fields *f, struct rss_replay *r)
{
	int err = head_read_kernel(f, &r->info);

	r->shown.cpus = fields_hex(f, UINT16_MAX);
	r->shown.exact_counters = fields_hex(f, 1);
	return err;
}

static int read_levels(struct fields *f, struct rss_replay *r)
{
	return head_read_levels(f, &r->info, &r->counted.levels);
}

static int read_thp(struct fields *f, struct rss_replay *r)
{
	r->shown.thp.always = fields_hex(f, UINT64_MAX);
	r->shown.thp.advised = fields_hex(f, UINT64_MAX);
	r->shown.thp.known = true;
	return 0;
}

/* In ascending order, as all else is. */
static int read_vma(struct fields *f, struct rss_replay *r)
{
	uint64_t mask = (1ULL << r->info.page_shift) - 1;
	struct truth *t = &r->truth;
	struct ptwalk_vma v = { 0 };

	v.start = fields_hex(f, UINT64_MAX);
	v.last = fields_hex(f, UINT64_MAX);
	v.flags = fields_hex(f, UINT64_MAX);
	v.page_shift = fields_hex(f, MOST_SHIFT);
	v.pkey = *f->at ? fields_hex(f, UINT8_MAX) : 0;
	if (*f->at) {
		v.raw_flags = fields_hex(f, UINT64_MAX);
		v.pgoff = fields_hex(f, UINT64_MAX);
		v.dev_major = fields_hex(f, UINT32_MAX);
		v.dev_minor = fields_hex(f, UINT32_MAX);
		v.inode = fields_hex(f, UINT64_MAX);
		v.has_policy = *f->at;
	}
	if (v.has_policy) {
		v.policy = fields_hex(f, UINT32_MAX);
		v.policy_nodes = fields_hex(f, UINT64_MAX);
	}
	if (v.start >= v.last || v.start & mask || (v.last & mask) != mask ||
	    v.page_shift < r->info.page_shift ||
	    (t->nr_vmas && t->vmas[t->nr_vmas - 1].last >= v.start))
		return -EINVAL;
	return array_add(t->vmas, t->nr_vmas, t->max_vmas, v) ? 0 : -ENOMEM;
}

/* Whether @pages from @addr on lie in one VMA. */
static bool in_vma(const struct rss_replay *r, uint64_t addr, uint64_t pages)
{
	const struct ptwalk_vma *v = truth_vma_at(&r->truth, addr);

	return v && !(addr & ((1ULL << r->info.page_shift) - 1)) && pages &&
	       pages - 1 <= (v->last - addr) >> r->info.page_shift;
}

/* At a level that the kernel has. */
static bool kernel_has_level(const struct rss_replay *r, uint64_t bits)
{
	uint32_t level = ptwalk_bits_level(bits);

	return level < PTWALK_LEVELS && r->info.levels & 1U << level;
}

static int read_extent(struct fields *f, struct rss_replay *r)
{
	struct truth *t = &r->truth;
	const struct ptwalk_extent *prev = t->nr_extents ? &t->extents[t->nr_extents - 1] : NULL;
	struct ptwalk_extent e = { 0 };

	e.addr = fields_hex(f, UINT64_MAX);
	e.value = fields_hex(f, UINT64_MAX);
	e.pages = fields_hex(f, UINT64_MAX);
	e.bits = fields_hex(f, UINT64_MAX);
	if (!in_vma(r, e.addr, e.pages) || !kernel_has_level(r, e.bits) ||
	    (prev && prev->addr + (prev->pages << r->info.page_shift) - 1 >= e.addr))
		return -EINVAL;
	return array_add(t->extents, t->nr_extents, t->max_extents, e) ? 0 : -ENOMEM;
}

static int read_page(struct fields *f, struct rss_replay *r)
{
	struct rss_page p = { 0 };

	p.addr = fields_hex(f, UINT64_MAX);
	p.nr = fields_hex(f, UINT64_MAX);
	p.bits = fields_hex(f, UINT64_MAX);
	p.page.flags = fields_hex(f, UINT64_MAX);
	p.page.counts = fields_hex(f, UINT64_MAX);
	p.page.folio_counts = fields_hex(f, UINT64_MAX);
	p.page.place = fields_hex(f, UINT64_MAX);
	if (!in_vma(r, p.addr, p.nr) || !kernel_has_level(r, p.bits) ||
	    (p.page.place >> 8 & 0xffffff) >= MOST_NODES)
		return -EINVAL;
	return array_add(r->page, r->nr_pages, r->max_pages, p) ? 0 : -ENOMEM;
}

/**
 * struct rss_moving - which figure it is
 */
struct rss_moving {
	char source[16], field[32];
	uint64_t start;
	uint32_t node;
};

static int read_moving(struct fields *f, struct rss_replay *r)
{
	struct rss_moving m = { .source = "" };

	fields_word(f, m.source, sizeof(m.source));
	fields_word(f, m.field, sizeof(m.field));
	m.start = fields_hex(f, UINT64_MAX);
	m.node = fields_hex(f, UINT32_MAX);
	return array_add(r->moving, r->nr_moving, r->max_moving, m) ? 0 : -ENOMEM;
}

/* The kernel comes first, with its levels, and the VMAs before all in them. */
static int read_record(const char *line, struct rss_replay *r)
{
	static const struct {
		const char *word;
		int (*read)(struct fields *fields, struct rss_replay *r);
	} words[] = {
		{ "kernel", read_recorded_kernel }, { "levels", read_levels },
		{ "thp", read_thp },
		{ "vma", read_vma }, { "extent", read_extent },
		{ "page", read_page }, { "moving", read_moving },
	};
	struct fields f = { .at = line };
	char word[16];
	int err;

	fields_word(&f, word, sizeof(word));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i].word))
			continue;
		/* One kernel, and it comes first. */
		if (r->info.page_shift ? words[i].read == read_recorded_kernel :
					 words[i].read != read_recorded_kernel)
			return -EINVAL;
		err = words[i].read(&f, r);
		return err || fields_end(&f) ? err : -EINVAL;
	}
	return -EINVAL;
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
	int err = 0;
	size_t line;

	if (!text->stream)
		return 0;
	if (ferror(text->stream))
		err = -ENOMEM;
	/* It is made smaller in the end, which can fail, too. */
	if (fclose(text->stream) || !text->buf)
		err = -ENOMEM;
	text->stream = err || !text->size ? NULL :
		       fmemopen(text->buf, text->size, "r");
	if (!err && text->size && !text->stream)
		err = -ENOMEM;
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
	for (int i = 0; i < NR_FIGURE_SOURCES; i++) {
		if (strcmp(figure_source_name[i], name))
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
		return fprintf(text->stream, "%s\n", line + 1) < 0 ? -ENOMEM : 0;
	err = end_text(text, r);
	if (!err && !strncmp(line, "file ", 5))
		return begin_text(text, line + 5);
	return err ? err : read_record(line, r);
}

int rss_replay_read(struct lines *lines, struct rss_replay *r)
{
	struct text text = { 0 };
	int err = 0, more = 0, end;

	while (!err && (more = lines_next_recorded(lines)) > 0)
		err = read_line(lines->text, &text, r);
	end = end_text(&text, r);
	if (more < 0)
		return more;
	lines->reason = "no line of a recording: `ptwalk rss --record FILE PID` makes one";
	if (err && !strncmp(lines->text, "check ", 6))
		lines->reason = "of `ptwalk check`: only `ptwalk check --replay` takes it";
	if (err && lines->counted == 1 && !strncmp(lines->text, "kernel ", 7))
		lines->reason = "no line of `ptwalk rss --record`, or " RECORDING_OLDER;
	if (!err)
		err = end;
	if (!err && !r->truth.nr_vmas)
		err = -EINVAL;
	if (!err)
		err = rss_replay_count(r);
	if (!err && !totals_all_detailed(&r->counted.sum)) {
		lines->reason = "the pages of its extents are missing: record it again";
		err = -EINVAL;
	}
	return err;
}

const char *rss_replay_name(const struct rss_replay *r,
			    const struct ptwalk_vma *vma)
{
	const struct smaps_vma *shown = smaps_at(&r->shown.smaps, vma->start);

	if (!shown)
		shown = smaps_at(&r->shown.maps, vma->start);
	return shown ? shown->name : "";
}

static bool is_moving(const struct rss_replay *r, const struct figure *f)
{
	for (size_t i = 0; i < r->nr_moving; i++)
		if (r->moving[i].start == f->start &&
		    r->moving[i].node == f->node &&
		    !strcmp(r->moving[i].field, f->field) &&
		    !strcmp(r->moving[i].source, figure_source_name[f->source]))
			return true;
	return false;
}

int rss_replay_judge(const struct rss_replay *r, struct figures *figures)
{
	int err = reconcile(&r->counted, &r->shown, figures);

	for (size_t i = 0; !err && i < figures->nr; i++) {
		struct figure *f = &figures->figure[i];

		if (f->verdict == FIGURE_MISMATCH && is_moving(r, f))
			f->verdict = FIGURE_UNSTABLE;
	}
	return err;
}

static void free_counts(struct rss_replay *r)
{
	if (r->each)
		totals_free_all(r->each, r->counted.nr);
	r->each = NULL;
	totals_free(&r->counted.sum);
}

int rss_replay_count(struct rss_replay *r)
{
	struct counted *c = &r->counted;
	const struct ptwalk_extent *e;
	const struct ptwalk_vma *vma;
	int err = 0;

	free_counts(r);
	memset(&c->tables, 0, sizeof(c->tables));
	c->info = &r->info;
	c->vmas = r->truth.vmas;
	c->nr = r->truth.nr_vmas;
	c->start = c->nr ? c->vmas[0].start : 0;
	c->last = c->nr ? c->vmas[c->nr - 1].last : 0;
	c->each = r->each = calloc(c->nr + 1, sizeof(*r->each));
	if (!r->each)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++)
		totals_vma(&r->each[i], &c->vmas[i], r->info.page_shift);
	for (size_t i = 0; i < r->truth.nr_extents; i++) {
		e = &r->truth.extents[i];
		vma = truth_vma_at(&r->truth, e->addr);
		totals_extent(&r->each[vma - c->vmas], &r->info, vma, e);
		totals_tables_extent(&c->tables, &r->info, vma, e);
	}
	for (size_t i = 0; !err && i < r->nr_pages; i++) {
		vma = truth_vma_at(&r->truth, r->page[i].addr);
		err = !vma ? -EINVAL :
		      totals_pages(&r->each[vma - c->vmas], &r->info, vma,
				   r->page[i].addr, r->page[i].nr,
				   r->page[i].bits, &r->page[i].page);
	}
	for (size_t i = 0; !err && i < c->nr; i++)
		err = totals_add(&c->sum, &r->each[i]);
	return err;
}

void rss_replay_free(struct rss_replay *r)
{
	free_counts(r);
	free(r->page);
	free(r->moving);
	truth_free(&r->truth);
	shown_free(&r->shown);
	memset(r, 0, sizeof(*r));
}
