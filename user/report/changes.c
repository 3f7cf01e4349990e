// SPDX-License-Identifier: GPL-2.0
/* Changes between two readings in words and in JSON, for watch and diff. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/print.h"
#include "module/entry.h"
#include "report/changes.h"
#include "report/record.h"

static void print_title(struct changes_report *r)
{
	if (r->title)
		printf("%s\n", r->title);
	r->title = NULL;
}

static uint64_t last_of(const struct changes_report *r,
			const struct change *change)
{
	return change->addr + (change->pages << r->info->page_shift) - 1;
}

/* "0x1234000 4K write,user,dirty", "swap type 0 offset 0x1f2 -" */
static void print_side(const struct changes_report *r, const char *when,
		       const struct change_side *side)
{
	char absent[ENTRY_TEXT], flags[ENTRY_FLAGS], size[FORMAT_SIZE];

	printf("    %-6s ", when);
	if (ptwalk_bits_kind(side->bits) == PTWALK_KIND_PRESENT)
		printf("0x%" PRIx64 " %s", side->value << r->info->page_shift,
		       format_size(entry_size(r->info, side->bits), size));
	else
		printf("%s", entry_absent(side->value, side->bits, absent));
	printf(" %s\n", entry_flags(side->bits, flags));
}

static void print_text(struct changes_report *r, const struct change *change,
		       const char *name)
{
	char range[FORMAT_RANGE], what[256];

	print_title(r);
	names_mask(&names_change, change->what, ",", what, sizeof(what));
	printf("  %-37s %8" PRIu64 " %-24s ",
	       format_range(change->addr, last_of(r, change), range),
	       change->pages, what);
	out_text(name);
	if (change->what & 1U << CHANGE_REMAPPED)
		printf("%s%s 0x%" PRIx64, *name ? " " : "",
		       change_is_away(change) ? "to" : "from", change->other);
	putchar('\n');
	if (r->verbose) {
		print_side(r, "before", &change->before);
		print_side(r, "after", &change->after);
	}
}

static json_t *begin_json(const struct changes_report *r, const char *type)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string(type));
	if (r->about)
		json_object_update(object, r->about);
	return object;
}

static json_t *side_json(const struct changes_report *r,
			 const struct change_side *side)
{
	struct record_words words = { 0 };
	char text[RECORD_JSON + 2], *end;

	/* The first comma gives way to the brace. */
	end = record_json(text, &words, r->info, side->value, side->bits, 0);
	text[0] = '{';
	*end++ = '}';
	return json_loadb(text, end - text, 0, NULL);
}

static void print_json(const struct changes_report *r,
		       const struct change *change, const char *name)
{
	json_t *object = begin_json(r, "change");

	json_object_set_new(object, "start", json_hex(change->addr));
	json_object_set_new(object, "last", json_hex(last_of(r, change)));
	json_object_set_new(object, "pages", json_integer(change->pages));
	json_object_set_new(object, "name", json_text(name));
	json_object_set_new(object, "changes",
			    json_mask(&names_change, change->what));
	if (change->what & 1U << CHANGE_REMAPPED)
		json_object_set_new(object, change_is_away(change) ? "to" : "from",
				    json_hex(change->other));
	json_object_set_new(object, "before", side_json(r, &change->before));
	json_object_set_new(object, "after", side_json(r, &change->after));
	out_json(object);
}

/* It is one page, though told at both addresses. */
static bool counts_elsewhere(const struct change *change)
{
	return change->what & 1U << CHANGE_REMAPPED && change_is_away(change);
}

void changes_print(struct changes_report *r, const struct change *change,
		   const char *name)
{
	for (unsigned int i = 0; i < NR_CHANGES; i++)
		if (change->what & 1U << i && !counts_elsewhere(change))
			r->pages[i] += change->pages;
	if (r->json)
		print_json(r, change, name);
	else
		print_text(r, change, name);
}

static json_t *vma_members(const struct changes_report *r, const struct ptwalk_vma *vma,
			   const char *name)
{
	json_t *members = record_vma_json(vma, name);

	if (r->recorded)
		json_object_del(members, "page_prot");
	return members;
}

typedef const char *vma_name(const struct ptwalk_vma *vma, bool later, void *arg);

static json_t *vma_list(const struct changes_report *r,
			const struct ptwalk_vma *const *vma, size_t nr, bool later,
			vma_name *name, void *arg)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, vma_members(r, vma[i],
							 name(vma[i], later, arg)));
	return array;
}

static void print_vma_json(struct changes_report *r, const struct vma_change *change,
			   vma_name *name, void *arg)
{
	const bool gone = change->what & 1U << VMA_GONE;
	const size_t nr = gone ? change->nr_before : change->nr_after;
	json_t *object, *members;

	if (change->what & ~(1U << VMA_NEW | 1U << VMA_GONE)) {
		object = begin_json(r, "vma");
		json_object_set_new(object, "change", json_string("changed"));
		json_object_set_new(object, "changes",
				    json_mask(&names_vma_word, change->what));
		json_object_set_new(object, "before",
			vma_list(r, change->before, change->nr_before, false, name, arg));
		json_object_set_new(object, "after",
			vma_list(r, change->after, change->nr_after, true, name, arg));
		out_json(object);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct ptwalk_vma *vma = (gone ? change->before :
							change->after)[i];

		object = begin_json(r, "vma");
		json_object_set_new(object, "change", json_string(gone ? "gone" : "new"));
		members = vma_members(r, vma, name(vma, !gone, arg));
		json_object_update(object, members);
		json_decref(members);
		out_json(object);
	}
}

/* Either there were none, or there are none. */
static bool is_one_sided(const struct vma_change *change)
{
	return change->what & (1U << VMA_NEW | 1U << VMA_GONE);
}

void changes_print_vma(struct changes_report *r, const struct vma_change *change,
		       const char *(*name)(const struct ptwalk_vma *vma, bool later,
					   void *arg),
		       void *arg)
{
	const bool one_sided = is_one_sided(change);
	char what[64];

	for (unsigned int i = 0; i < NR_VMA_WORDS; i++)
		if (change->what & 1U << i)
			r->vmas[i] += one_sided ? change->nr_before + change->nr_after : 1;
	if (r->json) {
		print_vma_json(r, change, name, arg);
		return;
	}
	print_title(r);
	for (size_t i = 0; i < change->nr_after; i++) {
		printf("  %c ", one_sided ? '+' : '~');
		record_vma(change->after[i], name(change->after[i], true, arg));
		putchar('\n');
	}
	names_mask(&names_vma_word, change->what, ",", what, sizeof(what));
	for (size_t i = 0; i < change->nr_before; i++) {
		if (one_sided)
			printf("  - ");
		else
			printf("    %s: was ", what);
		record_vma(change->before[i], name(change->before[i], false, arg));
		putchar('\n');
	}
}

void changes_print_vma_sums(const struct changes_report *r)
{
	printf("%" PRIu64 " VMA%s new, %" PRIu64 " gone", r->vmas[VMA_NEW],
	       plural(r->vmas[VMA_NEW]), r->vmas[VMA_GONE]);
	for (unsigned int i = VMA_GREW; i < NR_VMA_WORDS; i++)
		if (r->vmas[i])
			printf(", %" PRIu64 " %s", r->vmas[i], names_vma_word.name[i]);
}

void changes_vma_sums_json(const struct changes_report *r, json_t *object)
{
	char member[32];

	for (unsigned int i = 0; i < NR_VMA_WORDS; i++) {
		snprintf(member, sizeof(member), "vmas_%s", names_vma_word.name[i]);
		if (i <= VMA_GONE || r->vmas[i])
			json_object_set_new(object, member, json_integer(r->vmas[i]));
	}
}

void changes_print_broken(struct changes_report *r, const struct lint_finding *f,
			  const char *name)
{
	const uint64_t last = f->addr + (f->pages << r->info->page_shift) - 1;
	char range[FORMAT_RANGE], found[LINT_TEXT], against[LINT_TEXT];
	json_t *object;

	lint_found(f, r->info, found);
	lint_against(f, r->info, against);
	if (!r->json) {
		print_title(r);
		printf("  ! %-37s %6" PRIu64 " %-24s ",
		       format_range(f->addr, last, range), f->pages, lint_name[f->lint]);
		out_text(name);
		printf("\n    entry  %s\n    law    %s\n", found, against);
		return;
	}
	object = begin_json(r, "broken");
	json_object_set_new(object, "start", json_hex(f->addr));
	json_object_set_new(object, "last", json_hex(last));
	json_object_set_new(object, "pages", json_integer(f->pages));
	json_object_set_new(object, "name", json_text(name));
	json_object_set_new(object, "rule", json_string(lint_name[f->lint]));
	json_object_set_new(object, "entry", json_string(found));
	json_object_set_new(object, "law", json_string(against));
	out_json(object);
}

void changes_print_sums(const struct changes_report *r)
{
	const char *separator = "";

	printf("pages changed: ");
	for (unsigned int i = 0; i < NR_CHANGES; i++) {
		if (!r->pages[i])
			continue;
		printf("%s%" PRIu64 " %s", separator, r->pages[i],
		       names_change.name[i]);
		separator = ", ";
	}
	if (!*separator)
		printf("none");
}

json_t *changes_sums_json(const struct changes_report *r)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < NR_CHANGES; i++)
		if (r->pages[i])
			json_object_set_new(object, names_change.name[i],
					    json_integer(r->pages[i]));
	return object;
}
