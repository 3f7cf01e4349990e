// SPDX-License-Identifier: GPL-2.0
/* Changes between two readings in words and in JSON, for watch and diff. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "report/changes.h"
#include "report/record.h"

static void print_title(struct changes_report *r)
{
	if (r->title)
		printf("%s\n", r->title);
	r->title = NULL;
}

static uint64_t last_of_change(const struct changes_report *r,
			       const struct change *change)
{
	return change->addr + (change->pages << r->info->page_shift) - 1;
}

/* "0x1234000 4K write,user,dirty", "swap type 0 offset 0x1f2 -" */
static void print_side(const struct changes_report *r, const char *when,
		       const struct change_side *side, bool typed)
{
	char type[MEMTYPE_TEXT], absent[ENTRY_TEXT], flags[ENTRY_FLAGS], size[FORMAT_SIZE];

	printf("    %-6s ", when);
	if (ptwalk_bits_present(side->bits))
		printf("0x%" PRIx64 " %s%s%s", side->value << r->info->page_shift,
		       format_size(entry_size(r->info, side->bits), size), typed ? " " : "",
		       typed ? memtype_text(r->info, side->bits, type) : "");
	else
		printf("%s", r->typed ? "not mapped" :
		       entry_absent(side->value, side->bits, absent));
	printf(" %s\n", entry_flags(side->bits, flags));
}

static void print_change_text(struct changes_report *r, const struct change *change,
			      const char *name)
{
	char range[FORMAT_RANGE], what[256];

	print_title(r);
	names_mask(&names_change, change->what, ",", what, sizeof(what));
	printf("  %-37s %8" PRIu64 " %-24s ",
	       format_range(change->addr, last_of_change(r, change), range),
	       change->pages, what);
	out_text(name);
	if (change->what & 1U << CHANGE_REMAPPED)
		printf("%s%s 0x%" PRIx64, *name ? " " : "",
		       change_is_away(change) ? "to" : "from", change->other);
	putchar('\n');
	if (r->verbose) {
		const bool typed = r->typed || change->what & 1U << CHANGE_RETYPED;

		print_side(r, "before", &change->before, typed);
		print_side(r, "after", &change->after, typed);
	}
}

static void begin_json(const struct changes_report *r, const char *type)
{
	jsonw_begin(type);
	if (r->about)
		r->about(r->about_arg);
}

static void change_side_json(const struct changes_report *r, const char *name,
			     const struct change_side *side)
{
	struct record_words words = { 0 };

	jsonw_object(name);
	record_json(&words, r->info, side->value, side->bits, 0);
	jsonw_close();
}

static void print_change_json(const struct changes_report *r,
			      const struct change *change, const char *name)
{
	begin_json(r, "change");
	jsonw_hex("start", change->addr);
	jsonw_hex("last", last_of_change(r, change));
	jsonw_number("pages", change->pages);
	jsonw_text("name", name);
	jsonw_mask("changes", &names_change, change->what);
	if (change->what & 1U << CHANGE_REMAPPED)
		jsonw_hex(change_is_away(change) ? "to" : "from", change->other);
	change_side_json(r, "before", &change->before);
	change_side_json(r, "after", &change->after);
	jsonw_end();
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
		print_change_json(r, change, name);
	else
		print_change_text(r, change, name);
}

typedef const char *vma_name(const struct ptwalk_vma *vma, bool later, void *arg);

static void vma_list_json(const struct changes_report *r, const char *member,
			  const struct ptwalk_vma *const *vma, size_t nr, bool later,
			  vma_name *name, void *arg)
{
	jsonw_array(member);
	for (size_t i = 0; i < nr; i++) {
		jsonw_object(NULL);
		record_vma_json(vma[i], r->recorded, name(vma[i], later, arg));
		jsonw_close();
	}
	jsonw_close();
}

static void print_vma_json(struct changes_report *r, const struct vma_change *change,
			   vma_name *name, void *arg)
{
	const bool gone = change->what & 1U << VMA_GONE;
	const size_t nr = gone ? change->nr_before : change->nr_after;

	if (change->what & ~(1U << VMA_NEW | 1U << VMA_GONE)) {
		begin_json(r, "vma");
		jsonw_text("change", "changed");
		jsonw_mask("changes", &names_vma_word, change->what);
		vma_list_json(r, "before", change->before, change->nr_before, false,
			      name, arg);
		vma_list_json(r, "after", change->after, change->nr_after, true,
			      name, arg);
		jsonw_end();
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct ptwalk_vma *vma = (gone ? change->before :
							change->after)[i];

		begin_json(r, "vma");
		jsonw_text("change", gone ? "gone" : "new");
		record_vma_json(vma, r->recorded, name(vma, !gone, arg));
		jsonw_end();
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

void changes_vma_sums_json(const struct changes_report *r)
{
	char member[32];

	for (unsigned int i = 0; i < NR_VMA_WORDS; i++) {
		snprintf(member, sizeof(member), "vmas_%s", names_vma_word.name[i]);
		if (i <= VMA_GONE || r->vmas[i])
			jsonw_number(member, r->vmas[i]);
	}
}

void changes_print_broken(struct changes_report *r, const struct lint_finding *f,
			  const char *name)
{
	const uint64_t last = f->addr + (f->pages << r->info->page_shift) - 1;
	char range[FORMAT_RANGE], found[LINT_TEXT], against[LINT_TEXT];

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
	begin_json(r, "broken");
	jsonw_hex("start", f->addr);
	jsonw_hex("last", last);
	jsonw_number("pages", f->pages);
	jsonw_text("name", name);
	jsonw_text("rule", lint_name[f->lint]);
	jsonw_text("entry", found);
	jsonw_text("law", against);
	jsonw_end();
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

void changes_sums_json(const struct changes_report *r)
{
	for (unsigned int i = 0; i < NR_CHANGES; i++)
		if (r->pages[i])
			jsonw_number(names_change.name[i], r->pages[i]);
}
