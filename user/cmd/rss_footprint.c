// SPDX-License-Identifier: GPL-2.0
/* The tables of ptwalk rss that answer where memory goes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/rss_footprint.h"
#include "proc/numa_nodes.h"

/* In the order of enum footprint_column; the names in JSON are the same in small letters. */
static const struct {
	const char *title, *member;
} columns[NR_FOOTPRINT_COLUMNS] = {
	[FOOTPRINT_SIZE] = { "SIZE", "size" },
	[FOOTPRINT_RSS] = { "RSS", "rss" },
	[FOOTPRINT_PSS] = { "PSS", "pss" },
	[FOOTPRINT_PRIVATE] = { "PRIVATE", "private" },
	[FOOTPRINT_SHARED] = { "SHARED", "shared" },
	[FOOTPRINT_SWAP] = { "SWAP", "swap" },
	[FOOTPRINT_HUGE] = { "HUGE", "huge" },
	[FOOTPRINT_ZEROS] = { "ZEROS", "zeros" },
};

static unsigned int nr_columns(const struct footprint_report *r)
{
	return r->zeros ? NR_FOOTPRINT_COLUMNS : FOOTPRINT_ZEROS;
}

static void print_kb(const struct footprint_report *r,
		     const uint64_t kb[NR_FOOTPRINT_COLUMNS])
{
	char amount[FORMAT_SIZE];

	for (unsigned int i = 0; i < nr_columns(r); i++)
		printf(" %8s", format_amount(kb[i], 10, r->human, amount));
}

static void print_footprint_header(const struct footprint_report *r, const char *first)
{
	printf("%-22s", first);
	for (unsigned int i = 0; i < nr_columns(r); i++)
		printf(" %8s", columns[i].title);
	printf("  %s\n", r->human ? "" : "(kB)");
}

static void print_footprint_row(const struct footprint_report *r, const struct footprint_row *row)
{
	char first[64];

	if (r->processes > 1)
		snprintf(first, sizeof(first), "%d 0x%" PRIx64, (int)row->pid, row->start);
	else
		snprintf(first, sizeof(first), "0x%" PRIx64, row->start);
	printf("%-22s", first);
	print_kb(r, row->kb);
	printf("  ");
	out_text(*row->name ? row->name : footprint_kind_name[row->kind]);
	putchar('\n');
	out_check();
}

static void footprint_row_json(const struct footprint_row *row, const struct footprint_report *r)
{
	jsonw_begin("mapping");
	jsonw_number("pid", row->pid);
	jsonw_hex("start", row->start);
	jsonw_hex("last", row->last);
	jsonw_text("kind", footprint_kind_name[row->kind]);
	jsonw_text("name", row->name);
	for (unsigned int i = 0; i < nr_columns(r); i++)
		jsonw_number(columns[i].member, row->kb[i]);
	jsonw_end();
}

/**
 * struct kind_sum - all mappings of a kind
 */
struct kind_sum {
	uint64_t mappings, kb[NR_FOOTPRINT_COLUMNS];
};

static void add_to(struct kind_sum *sum, const struct footprint_row *row)
{
	sum->mappings++;
	for (unsigned int i = 0; i < NR_FOOTPRINT_COLUMNS; i++)
		sum->kb[i] += row->kb[i];
}

static void print_kind_sum(const struct footprint_report *r, const char *name,
			   const struct kind_sum *sum)
{
	if (!r->json) {
		printf("%-22s", name);
		print_kb(r, sum->kb);
		printf("  %" PRIu64 " mapping%s\n", sum->mappings, plural(sum->mappings));
		return;
	}
	jsonw_begin("kind");
	jsonw_text("kind", name);
	jsonw_number("mappings", sum->mappings);
	for (unsigned int i = 0; i < nr_columns(r); i++)
		jsonw_number(columns[i].member, sum->kb[i]);
	jsonw_end();
}

static void print_footprint(const struct footprint *f, const struct footprint_report *r)
{
	struct kind_sum by_kind[NR_FOOTPRINT_KINDS] = { { 0 } }, all = { 0 };
	const uint64_t most = r->top && r->top < f->nr ? r->top : f->nr;

	for (size_t i = 0; i < f->nr; i++) {
		add_to(&by_kind[f->row[i].kind], &f->row[i]);
		add_to(&all, &f->row[i]);
	}
	if (!r->json)
		print_footprint_header(r, r->processes > 1 ? "PROCESS, START" : "START");
	for (size_t i = 0; i < most; i++) {
		if (r->json)
			footprint_row_json(&f->row[i], r);
		else
			print_footprint_row(r, &f->row[i]);
	}
	if (!r->json && most < f->nr)
		printf("and %" PRIu64 " more: --all has them\n",
		       (uint64_t)(f->nr - most));
	if (!r->json) {
		putchar('\n');
		print_footprint_header(r, "KIND");
	}
	for (unsigned int i = 0; i < NR_FOOTPRINT_KINDS; i++)
		if (by_kind[i].mappings)
			print_kind_sum(r, footprint_kind_name[i], &by_kind[i]);
	print_kind_sum(r, "total", &all);
	if (!r->json)
		putchar('\n');
}

#define NODES	1024	/* more aren't told apart */

/* Frames of RAM by the node of their memory block; the last one is of those unknown. */
static void count_nodes(const struct distinct *set, const struct nodes *nodes,
			unsigned int page_shift, uint64_t pages[NODES + 1])
{
	const uint64_t block = nodes->block_size ? nodes->block_size >> page_shift : 0;

	for (size_t i = 0; i < set->nr; i++) {
		uint64_t pfn = set->piece[i].pfn, left = set->piece[i].pages, part;

		for (; left; pfn += part, left -= part) {
			const int node = nodes_at(nodes, pfn << page_shift);

			part = block ? block - pfn % block : left;
			part = part < left ? part : left;
			pages[node >= 0 && node < NODES ? node : NODES] += part;
		}
	}
}

static void print_frames(const struct footprint_report *r, unsigned int kb,
			 const char *what, uint64_t frames)
{
	char amount[FORMAT_SIZE];

	if (frames)
		printf("  %-20s %12" PRIu64 " %12s\n", what, frames,
		       format_amount(frames << kb, 10, r->human, amount));
}

static void print_nodes(const struct footprint_report *r, unsigned int kb,
			const uint64_t pages[NODES + 1])
{
	char what[32];

	if (r->json)
		jsonw_object("nodes");
	for (unsigned int i = 0; i <= NODES; i++) {
		if (!pages[i])
			continue;
		if (r->json)
			snprintf(what, sizeof(what), i < NODES ? "%u" : "unknown", i);
		else
			snprintf(what, sizeof(what), i < NODES ? "on node %u" :
							       "on no known node", i);
		if (r->json)
			jsonw_number(what, pages[i]);
		else
			print_frames(r, kb, what, pages[i]);
	}
	if (r->json)
		jsonw_close();
}

/* Each frame once, of memory and of devices. */
static void print_distinct(struct footprint *f, const struct footprint_report *r,
			   const struct ptwalk_kernel *kernel)
{
	const unsigned int kb = kernel->page_shift - 10;
	static uint64_t by_node[NODES + 1];
	struct distinct memory = { 0 };
	struct nodes nodes = { 0 };
	uint64_t frames[NR_FRAMES_CLASSES], all, zeros;
	char amount[FORMAT_SIZE];
	bool room = true;

	for (unsigned int i = 0; i < NR_FRAMES_CLASSES; i++) {
		frames[i] = distinct_count(&f->frames[i]);
		if (i != FRAMES_DEVICE)
			room &= !distinct_add_all(&memory, &f->frames[i]);
	}
	all = distinct_count(&memory);
	zeros = distinct_count(&f->zeros);
	nodes_read(&nodes, NODES_SYSFS);
	memset(by_node, 0, sizeof(by_node));
	count_nodes(&memory, &nodes, kernel->page_shift, by_node);
	if (r->json) {
		jsonw_begin("distinct");
		jsonw_number("processes", r->processes);
		jsonw_number("page_size", 1ULL << kernel->page_shift);
		jsonw_number("entries", f->mapped);
		jsonw_object("classes");
		for (unsigned int i = 0; i < NR_FRAMES_CLASSES; i++)
			jsonw_number(footprint_class_name[i], frames[i]);
		jsonw_close();
		if (room)
			jsonw_number("frames", all);
		print_nodes(r, kb, by_node);
		if (r->zeros) {
			jsonw_number("zeros", zeros);
			jsonw_number("unread", f->unread);
		}
		if (r->charge >= 0)
			jsonw_number("charged", r->charge);
		jsonw_end();
	} else {
		printf("each frame once, of %" PRIu64 " process%s; %" PRIu64 " pages are mapped in all\n",
		       r->processes, r->processes == 1 ? "" : "es", f->mapped);
		printf("  %-20s %12s %12s\n", "FRAMES", "PAGES", r->human ? "AMOUNT" : "KB");
		for (unsigned int i = 0; i < NR_FRAMES_CLASSES; i++)
			print_frames(r, kb, footprint_class_name[i], frames[i]);
		if (room)
			print_frames(r, kb, "all memory", all);
		print_nodes(r, kb, by_node);
		if (r->zeros) {
			print_frames(r, kb, "of zeros only", zeros);
			if (!zeros)
				printf("  no page has only zeros\n");
			if (f->unread)
				printf("  %" PRIu64 " pages could not be read\n", f->unread);
		}
		if (r->charge >= 0)
			printf("  the control group is charged %s%s, with page cache that nobody maps and the kernel's own\n",
			       format_amount(r->charge >> 10, 10, r->human, amount),
			       r->human ? "" : " kB");
	}
	distinct_free(&memory);
	nodes_free(&nodes);
}

void footprint_print(struct footprint *f, const struct footprint_report *r,
		     const struct ptwalk_kernel *kernel)
{
	footprint_sort(f);
	if (r->mappings)
		print_footprint(f, r);
	else if (!r->json)
		putchar('\n');
	print_distinct(f, r, kernel);
}
