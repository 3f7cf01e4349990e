// SPDX-License-Identifier: GPL-2.0
/* How much there is, as tables of a page: by kind, and by mapping. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/format.h"
#include "map/table.h"
#include "map/words.h"
#include "module/entry.h"

/**
 * struct row - a mapping
 * @vma: It.
 * @count: Its pages; @huge of them are mapped by leaves above the base size.
 * @findings: How many are in it.
 */
struct row {
	const struct map_vma *vma;
	struct map_count count;
	uint64_t huge;
	size_t findings;
};

static double mib(const struct map_picture *p, uint64_t pages)
{
	return (double)(pages << p->input->kernel->page_shift) / (1 << 20);
}

static uint64_t huge_of(const struct map_picture *p, const struct map_count *count)
{
	uint64_t pages = 0;

	for (unsigned int i = p->input->kernel->page_shift + 1; i < 64; i++)
		pages += count->leaf[i];
	return pages;
}

static void put_kinds(FILE *to, const struct map_picture *p)
{
	const uint64_t mapped = map_count_mapped(&p->count);

	fputs("<table id=\"kinds\"><thead><tr><th>kind</th><th class=\"n\">MiB</th>"
	      "<th class=\"n\">pages</th></tr></thead>\n<tbody>\n", to);
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		if (p->count.pages[i])
			fprintf(to, "<tr><td><i class=\"k%s\"></i> %s</td><td class=\"n\">%.2f</td>"
				"<td class=\"n\">%" PRIu64 "</td></tr>\n", map_kinds[i].name,
				map_kinds[i].text, mib(p, p->count.pages[i]), p->count.pages[i]);
	fprintf(to, "</tbody>\n<tfoot><tr><td>mapped</td><td class=\"n\">%.2f</td>"
		"<td class=\"n\">%" PRIu64 "</td></tr>\n"
		"<tr><td>of it in huge leaves</td><td class=\"n\">%.2f</td><td class=\"n\">%"
		PRIu64 "</td></tr></tfoot></table>\n", mib(p, mapped), mapped,
		mib(p, huge_of(p, &p->count)), huge_of(p, &p->count));
}

/* A line of the page's data, of which the script makes rows: amounts in pages. */
static void put_row(FILE *to, const struct map_picture *p, const struct row *row)
{
	const struct ptwalk_vma *v = row->vma->vma;
	const uint64_t *pages = row->count.pages;
	char perms[VMA_PERMISSIONS];

	fprintf(to, "%" PRIx64 "\t%" PRIx64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%"
		PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\t", v->start, v->last,
		vma_permissions(v, perms), map_vma_pages(p->input, row->vma),
		map_count_mapped(&row->count), pages[MAP_ANON] + pages[MAP_KSM], pages[MAP_FILE],
		pages[MAP_SHMEM], row->huge, pages[MAP_SWAP], row->findings);
	map_xml(to, map_vma_name(row->vma));
	fputs(row->vma->gone ? " (gone)\n" : "\n", to);
}

static int most_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const uint64_t p = map_count_mapped(&x->count), q = map_count_mapped(&y->count);

	if (p != q)
		return p > q ? -1 : 1;
	return x->vma < y->vma ? -1 : 1;
}

static void count_row(const struct map_picture *p, const struct map_vma *v, struct row *row)
{
	const struct map_input *in = p->input;

	row->vma = v;
	map_count_vma(in, v, &row->count);
	row->huge = huge_of(p, &row->count);
	for (size_t i = 0; i < in->nr_findings; i++)
		row->findings += in->finding[i].addr <= v->vma->last &&
				 in->finding[i].last >= v->vma->start;
}

int map_table(FILE *to, const struct map_picture *p)
{
	const struct map_input *in = p->input;
	struct row *rows = calloc(in->nr_vmas + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < in->nr_vmas; i++)
		count_row(p, &in->vma[i], &rows[i]);
	qsort(rows, in->nr_vmas, sizeof(*rows), most_first);
	fputs("<div id=\"much\">\n", to);
	put_kinds(to, p);
	fprintf(to, "<div id=\"rows\"><table id=\"maps\"><thead><tr><th>mapping</th><th>rights</th>"
		"<th class=\"n\">MiB</th><th class=\"n\">mapped</th><th class=\"n\">anon</th>"
		"<th class=\"n\">file</th><th class=\"n\">shared</th><th class=\"n\">huge</th>"
		"<th class=\"n\">swap</th><th class=\"n\">findings</th><th>name</th></tr></thead>"
		"<tbody></tbody></table>\n<p id=\"more\"></p></div>\n</div>\n"
		"<pre id=\"data\" hidden=\"hidden\" data-shift=\"%u\">\n", in->kernel->page_shift);
	for (size_t i = 0; i < in->nr_vmas; i++)
		put_row(to, p, &rows[i]);
	fputs("</pre>\n", to);
	free(rows);
	return 0;
}
