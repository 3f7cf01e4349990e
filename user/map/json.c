// SPDX-License-Identifier: GPL-2.0
/* A picture as JSON: one object for each thing that is drawn. */
#include <inttypes.h>
#include "base/print.h"
#include "map/json.h"

static json_t *object_of(const char *type, pid_t pid)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string(type));
	if (pid)
		json_object_set_new(object, "pid", json_integer(pid));
	return object;
}

/* Numbers of pages by kind, and by bytes of the leaf. */
static void set_count(json_t *object, const struct map_count *count)
{
	json_t *kinds = json_object(), *leaves = json_object();
	char size[24];

	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		if (count->pages[i])
			json_object_set_new(kinds, map_kinds[i].name,
					    json_integer(count->pages[i]));
	for (unsigned int i = 0; i < 64; i++) {
		if (!count->leaf[i])
			continue;
		snprintf(size, sizeof(size), "%" PRIu64, (uint64_t)1 << i);
		json_object_set_new(leaves, size, json_integer(count->leaf[i]));
	}
	json_object_set_new(object, "kinds", kinds);
	json_object_set_new(object, "leaves", leaves);
}

static json_t *vma_json(const struct map_input *in, const struct map_vma *v,
			pid_t pid)
{
	json_t *object = object_of("vma", pid);
	struct map_count count = { 0 };

	map_count_vma(in, v, &count);
	json_object_set_new(object, "start", json_hex(v->vma->start));
	json_object_set_new(object, "last", json_hex(v->vma->last));
	json_object_set_new(object, "name", json_text(v->name));
	if (in->compared)
		json_object_set_new(object, "gone", json_boolean(v->gone));
	set_count(object, &count);
	return object;
}

static json_t *area_json(const struct map_input *in, const struct map_area *a,
			 pid_t pid)
{
	const unsigned int shift = in->kernel->page_shift;
	json_t *object = object_of("area", pid);

	json_object_set_new(object, "start", json_hex(a->start << shift));
	json_object_set_new(object, "last",
			    json_hex(((a->last + 1) << shift) - 1));
	json_object_set_new(object, "name", json_text(a->name));
	json_object_set_new(object, "pages", json_integer(a->pages));
	return object;
}

static json_t *finding_json(const struct map_finding *f, pid_t pid)
{
	json_t *object = object_of("finding", pid);

	json_object_set_new(object, "start", json_hex(f->addr));
	json_object_set_new(object, "last", json_hex(f->last));
	json_object_set_new(object, "rule", json_string(f->name));
	json_object_set_new(object, "text", json_text(f->text));
	return object;
}

void map_json(const struct map_picture *p, pid_t pid,
	      void (*each)(json_t *object, void *arg), void *arg)
{
	const struct map_input *in = p->input;
	json_t *summary;

	for (size_t i = 0; i < in->nr_vmas; i++)
		each(vma_json(in, &in->vma[i], pid), arg);
	for (size_t i = 0; i < p->memory.nr; i++)
		if (p->memory.area[i].pages)
			each(area_json(in, &p->memory.area[i], pid), arg);
	for (size_t i = 0; i < in->nr_findings; i++)
		each(finding_json(&in->finding[i], pid), arg);
	summary = object_of("summary", pid);
	json_object_set_new(summary, "vmas", json_integer(in->nr_vmas));
	json_object_set_new(summary, "mapped",
			    json_integer(map_count_mapped(&p->count)));
	json_object_set_new(summary, "findings", json_integer(in->nr_findings));
	set_count(summary, &p->count);
	each(summary, arg);
}
