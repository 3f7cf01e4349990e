// SPDX-License-Identifier: GPL-2.0
/* A picture as JSON: one object for each thing that is drawn. */
#include <inttypes.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "report/picture.h"

static void begin_record(const char *type, pid_t pid)
{
	jsonw_begin(type);
	if (pid)
		jsonw_number("pid", pid);
}

/* Numbers of pages by kind, and by bytes of the leaf. */
static void map_count_json(const struct map_count *count)
{
	char size[24];

	jsonw_object("kinds");
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		if (count->pages[i])
			jsonw_number(map_kinds[i].name, count->pages[i]);
	jsonw_close();
	jsonw_object("leaves");
	for (unsigned int i = 0; i < 64; i++) {
		if (!count->leaf[i])
			continue;
		snprintf(size, sizeof(size), "%" PRIu64, (uint64_t)1 << i);
		jsonw_number(size, count->leaf[i]);
	}
	jsonw_close();
}

static void map_vma_json(const struct map_input *in, const struct map_vma *v, pid_t pid)
{
	struct map_count count = { 0 };

	map_count_vma(in, v, &count);
	begin_record("vma", pid);
	jsonw_hex("start", v->vma->start);
	jsonw_hex("last", v->vma->last);
	jsonw_text("name", v->name);
	if (in->compared)
		jsonw_bool("gone", v->gone);
	map_count_json(&count);
	jsonw_end();
}

static void print_area(const struct map_input *in, const struct map_area *a, pid_t pid)
{
	const unsigned int shift = in->kernel->page_shift;

	begin_record("area", pid);
	jsonw_hex("start", a->start << shift);
	jsonw_hex("last", ((a->last + 1) << shift) - 1);
	jsonw_text("name", a->name);
	jsonw_number("pages", a->pages);
	jsonw_end();
}

static void map_finding_json(const struct map_finding *f, pid_t pid)
{
	begin_record("finding", pid);
	jsonw_hex("start", f->addr);
	jsonw_hex("last", f->last);
	jsonw_text("rule", f->name);
	jsonw_text("text", f->text);
	jsonw_end();
}

void picture_print_json(const struct map_picture *p, pid_t pid, void (*end)(void))
{
	const struct map_input *in = p->input;

	for (size_t i = 0; i < in->nr_vmas; i++)
		map_vma_json(in, &in->vma[i], pid);
	for (size_t i = 0; i < p->memory.nr; i++)
		if (p->memory.area[i].pages)
			print_area(in, &p->memory.area[i], pid);
	for (size_t i = 0; i < in->nr_findings; i++)
		map_finding_json(&in->finding[i], pid);
	begin_record("summary", pid);
	jsonw_number("vmas", in->nr_vmas);
	jsonw_number("mapped", map_count_mapped(&p->count));
	jsonw_number("findings", in->nr_findings);
	map_count_json(&p->count);
	end();
	jsonw_end();
}
