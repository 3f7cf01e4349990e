// SPDX-License-Identifier: GPL-2.0
/* The kernel's mappings by the memory that they reach. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "kernel/aliases.h"
#include "module/names.h"

static bool is_direct(const struct kernel_aliases *a, const struct kernel_extent *e)
{
	return a->direct && e->start >= a->direct->start && e->start <= a->direct->last;
}

static int by_phys(const void *a, const void *b)
{
	const struct kernel_by_phys *x = a, *y = b;

	if (x->extent->phys != y->extent->phys)
		return x->extent->phys < y->extent->phys ? -1 : 1;
	return x->extent->start < y->extent->start ? -1 : 1;
}

/* All of the direct mapping is at the same distance: what one extent has is enough. */
static void find_direct_region(struct kernel_aliases *a)
{
	const struct kernel_tables *t = &a->tables;
	const struct kernel_region *r = kernel_region_named(t, "direct");

	for (size_t i = r ? kernel_extent_from(t, r->start) : t->nr;
	     i < t->nr && t->extent[i].start <= r->last; i++) {
		if (t->extent[i].kind != KERNEL_MAPPED)
			continue;
		a->direct = r;
		a->offset = t->extent[i].start - t->extent[i].phys;
		return;
	}
}

int kernel_aliases_sort(struct kernel_aliases *a)
{
	const struct kernel_tables *t = &a->tables;
	const struct kernel_extent *e;
	uint64_t furthest = 0;

	find_direct_region(a);
	a->by_phys = calloc(t->nr + 1, sizeof(*a->by_phys));
	if (!a->by_phys)
		return error_no_memory();
	for (size_t i = 0; i < t->nr; i++)
		if (t->extent[i].kind == KERNEL_MAPPED && !is_direct(a, &t->extent[i]))
			a->by_phys[a->nr++].extent = &t->extent[i];
	qsort(a->by_phys, a->nr, sizeof(*a->by_phys), by_phys);
	for (size_t i = 0; i < a->nr; i++) {
		e = a->by_phys[i].extent;
		if (e->phys + e->bytes > furthest)
			furthest = e->phys + e->bytes;
		a->by_phys[i].furthest = furthest;
	}
	return 0;
}

int kernel_aliases_read(struct kernel_aliases *a)
{
	int err = kernel_tables_read(&a->tables);

	if (err)
		return err;
	vmallocinfo_read(&a->areas);
	return kernel_aliases_sort(a);
}

void kernel_aliases_free(struct kernel_aliases *a)
{
	kernel_tables_free(&a->tables);
	vmallocinfo_free(&a->areas);
	free(a->by_phys);
	memset(a, 0, sizeof(*a));
}

/**
 * struct query - what is looked for, and who is told
 */
struct query {
	const struct kernel_aliases *aliases;
	uint64_t phys, bytes;
	void (*each)(const struct kernel_alias *alias, void *arg);
	void *arg;
};

/* Tells of what is wanted of an extent, an area at a time. */
static void tell_alias(const struct query *q, const struct kernel_extent *e)
{
	const uint64_t skip = q->phys > e->phys ? q->phys - e->phys : 0;
	const uint64_t end = q->phys + q->bytes < e->phys + e->bytes ?
			     q->phys + q->bytes : e->phys + e->bytes;
	struct kernel_alias alias = {
		.addr = e->start + skip, .phys = e->phys + skip, .type = e->type,
		.write = e->write, .exec = e->exec, .is_direct = is_direct(q->aliases, e),
		.region = kernel_region_at(&q->aliases->tables, e->start),
	};

	for (; alias.phys < end; alias.addr += alias.bytes, alias.phys += alias.bytes) {
		alias.bytes = end - alias.phys;
		alias.area = vmallocinfo_at(&q->aliases->areas, alias.addr);
		if (alias.area && alias.area->end - alias.addr < alias.bytes)
			alias.bytes = alias.area->end - alias.addr;
		q->each(&alias, q->arg);
	}
}

static void tell_direct(const struct query *q)
{
	const struct kernel_aliases *a = q->aliases;
	const struct kernel_tables *t = &a->tables;
	const uint64_t from = q->phys + a->offset;

	if (!a->direct || from < a->direct->start || from > a->direct->last)
		return;
	for (size_t i = kernel_extent_from(t, from); i < t->nr && is_direct(a, &t->extent[i]) &&
	     t->extent[i].start < from + q->bytes; i++)
		if (t->extent[i].kind == KERNEL_MAPPED)
			tell_alias(q, &t->extent[i]);
}

void kernel_aliases_of(const struct kernel_aliases *a, uint64_t phys, uint64_t bytes,
		       void (*each)(const struct kernel_alias *alias, void *arg), void *arg)
{
	const struct query q = { a, phys, bytes, each, arg };

	for (size_t i = array_from(a->by_phys, a->nr, furthest, phys + 1);
	     i < a->nr && a->by_phys[i].extent->phys < phys + bytes; i++)
		if (a->by_phys[i].extent->phys + a->by_phys[i].extent->bytes > phys)
			tell_alias(&q, a->by_phys[i].extent);
	tell_direct(&q);
}

const char *kernel_alias_kind(const struct kernel_alias *alias)
{
	const struct vmalloc_area *area = alias->area;

	return !area ? NULL : area->is_coherent ? "dma-coherent" : area->has_phys ? "ioremap" :
	       area->is_vmalloc ? "vmalloc" : "vmap";
}

/* The function that made the area, without the offset in it, and its module. */
static void caller_text(const char *caller, char *buf, size_t size)
{
	const char *module = strchr(caller, '[');

	snprintf(buf, size, ", %.*s%s%s", (int)strcspn(caller, "+ "), caller,
		 module ? " " : "", module ?: "");
}

void kernel_alias_text(const struct kernel_alias *alias, char buf[KERNEL_ALIAS_TEXT])
{
	const char *kind = kernel_alias_kind(alias);
	char type[NAME_SIZE], caller[96] = "";

	if (kind && *alias->area->caller)
		caller_text(alias->area->caller, caller, sizeof(caller));
	snprintf(buf, KERNEL_ALIAS_TEXT, "%s [%s%s]",
		 name_of(&names_memory_type, alias->type, type),
		 kind ?: alias->region ? alias->region->name : "nothing", caller);
}
