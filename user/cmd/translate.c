// SPDX-License-Identifier: GPL-2.0
/* ptwalk translate: where virtual addresses really are. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/put.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/words.h"
#include "kernel/aliases.h"
#include "lint/lints.h"
#include "module/client.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "module/names.h"
#include "module/truth.h"
#include "proc/dmabuf.h"
#include "proc/file_end.h"
#include "proc/maps.h"
#include "proc/places.h"
#include "proc/subject.h"
#include "proc/swapped.h"
#include "report/page.h"
#include "report/pinning.h"
#include "report/record.h"

#define MOST	4096	/* pages of one range */

/**
 * struct translate - the command at work
 * @subject: The process, and what --map maps.
 * @verbose: With every level, the VMA, and what the physical address is.
 * @json: As JSON lines.
 * @addrs: What is asked for.
 * @maps: Of the process, where names are wanted.
 * @places: What physical addresses are, where @verbose.
 * @client: The module.
 * @info: What it says of the kernel.
 * @vmas: Those that the addresses lie in.
 * @levels: Mask of the levels that the process's tables have.
 * @page: That behind the address that is being printed, where @verbose.
 * @aliases: What the kernel maps itself, read at the first page of each answer, or not,
 *	as @aliases_err says; @aliases_hinted: so was the user.
 * @columns: Of the translation that was printed last; @words the same in JSON.
 * @lines: That wait to be written.
 */
struct translate {
	struct subject subject;
	bool verbose, json;
	uint64_t *addrs;
	size_t nr_addrs, max_addrs;
	struct maps maps;
	bool maps_known;
	struct places places;
	struct ptwalk *client;
	const struct ptwalk_kernel *info;
	struct ptwalk_vma *vmas;
	size_t nr_vmas;
	uint32_t levels;
	const struct ptwalk_page *page;
	struct kernel_aliases aliases;
	bool aliases_read, aliases_hinted;
	int aliases_err;
	struct entry_columns columns;
	struct record_words words;
	struct swapped swapped;
	struct out_lines lines;
};

static int read_maps(struct translate *t)
{
	if (t->maps_known)
		return 0;
	t->maps_known = true;
	return subject_maps(&t->subject, t->client, &t->maps);
}

static int push_address(struct translate *t, uint64_t addr)
{
	return array_add(t->addrs, t->nr_addrs, t->max_addrs, addr) ? 0 : error_no_memory();
}

/* Nothing is mapped at an address of the kernel, whatever is asked of the process. */
static int push_number(struct translate *t, uint64_t addr, const char *arg, size_t line)
{
	const struct maps none = { 0 };
	const char *why = maps_refuse(&none, addr);
	int status = why ? read_maps(t) : 0;

	if (status)
		return status;
	/* But for the gate area. */
	why = why ? maps_refuse(&t->maps, addr) : NULL;
	if (why)
		return fail(EXIT_USAGE, "%saddress '%s': %s", words_where(line), arg, why);
	return push_address(t, addr);
}

/* An address of each page of a range: what that has to tell is more than dump's. */
static int push_range(struct translate *t, const struct range *range, const char *arg,
		      size_t line)
{
	const uint64_t mask = sysconf(_SC_PAGESIZE) - 1;
	uint64_t addr = range->start;
	int status;

	if ((range->last & ~mask) - (addr & ~mask) > (MOST - 1) * (mask + 1))
		return fail(EXIT_USAGE, "%srange '%s': more than %d pages: dump has them as extents",
			    words_where(line), arg, MOST);
	do {
		status = push_number(t, addr, arg, line);
		addr = (addr | mask) + 1;
	} while (!status && addr && addr <= range->last);
	return status;
}

/*
 * One name may be that of many mappings, as drivers have them. A program's or a library's
 * ascend in the file; its code and its data may have parts of one page.
 */
static void hint_at_others(const struct translate *t, const char *arg, uint64_t addr)
{
	const char *name = maps_name_at(&t->maps, addr);
	const struct map *last = NULL;
	size_t nr = 0, again = 0;

	for (size_t i = 0; i < t->maps.nr; i++) {
		const struct map *map = &t->maps.map[i];

		if (strcmp(map->name, name))
			continue;
		again += last && (map->offset < last->offset ||
				  (map->offset == last->offset && map->perms[3] == 's'));
		last = map;
		nr++;
	}
	if (again)
		fail(0, "'%s' is in the first of %zu mappings of that name; dump shows all",
		     arg, nr);
}

/* @arg is in that line of standard input, or an argument: 0. */
static int add_address(struct translate *t, const char *arg, size_t line)
{
	const char *why, *meant;
	struct range range;
	uint64_t addr;
	bool single;
	int status;

	if (selfmap_address(&t->subject.map, arg, &addr))
		return push_address(t, addr);
	if (!parse_hex(arg, &addr))
		return push_number(t, addr, arg, line);
	if (!parse_is_name(arg) && !parse_range_or_address(arg, &range, &single))
		return push_range(t, &range, arg, line);
	if (parse_is_name(arg)) {
		status = read_maps(t);
		if (status)
			return status;
	}
	why = maps_address(&t->maps, arg, &addr);
	meant = why && parse_is_name(arg) ? maps_nearest(&t->maps, arg) : NULL;
	if (meant)
		return fail(EXIT_UNCHECKED, "%saddress '%s': %s: did you mean '%s'?",
			    words_where(line), arg, why, meant);
	if (why)
		return fail(maps_is_mistake(arg, why) ? EXIT_USAGE : EXIT_UNCHECKED,
			    "%saddress '%s': %s: give it in hexadecimal, or as NAME or NAME+OFFSET from /proc/PID/maps",
			    words_where(line), arg, why);
	/* The command line is read twice; what is said is said once. */
	if (t->client && parse_is_name(arg))
		hint_at_others(t, arg, addr);
	return push_address(t, addr);
}

/* Each word of the command line but "-". */
static int add_addresses(struct translate *t, int argc, char **argv)
{
	int status = 0;

	/* Of a mapping of one's own, the beginning is what one asks for. */
	if (!argc && t->subject.map.addr)
		return push_address(t, (uintptr_t)t->subject.map.addr);
	if (!argc)
		return fail(EXIT_USAGE,
			    "an address is missing: give some, or `-` to read them from standard input");

	for (int i = 0; !status && i < argc; i++)
		if (strcmp(argv[i], "-"))
			status = add_address(t, argv[i], 0);
	return status;
}

static const struct ptwalk_vma *find_vma(const struct translate *t,
					 uint64_t addr)
{
	const struct truth truth = { .vmas = t->vmas, .nr_vmas = t->nr_vmas };

	return truth_vma_at(&truth, addr);
}

static uint64_t page_offset(const struct translate *t, uint64_t addr)
{
	return addr & ((1ULL << t->info->page_shift) - 1);
}

static uint64_t physical_of(const struct translate *t,
			    const struct ptwalk_translation *tr)
{
	return (tr->value << t->info->page_shift) | page_offset(t, tr->addr);
}

/* Index of the entry for @addr in its table at @level. */
static uint64_t entry_index(const struct translate *t, uint64_t addr,
			    unsigned int level)
{
	uint64_t index = addr >> t->info->level_shift[level];
	uint32_t entries = t->info->level_entries[level];

	return entries ? index % entries : index;
}

/* The levels that were passed, from the top down to where the descent ended. */
static bool has_level(const struct translate *t,
		      const struct ptwalk_translation *tr, unsigned int level)
{
	return ptwalk_bits_kind(tr->bits) != PTWALK_KIND_NO_VMA &&
	       t->levels & 1U << level && level >= ptwalk_bits_level(tr->bits);
}

static void print_entries(const struct translate *t,
			  const struct ptwalk_translation *tr)
{
	char name[NAME_SIZE], size[FORMAT_SIZE];

	for (int level = PTWALK_LEVELS - 1; level >= 0; level--) {
		if (!has_level(t, tr, level))
			continue;
		printf("  %-9s %s[%" PRIu64 "] 0x%016" PRIx64 "%s",
		       "entry", name_of(&names_level, level, name),
		       entry_index(t, tr->addr, level),
		       (uint64_t)tr->entry[level],
		       level > (int)ptwalk_bits_level(tr->bits) ? " table\n" : "");
		if (level == (int)ptwalk_bits_level(tr->bits))
			printf(" %s of %s\n", ptwalk_bits_present(tr->bits) ? "page" : "no page",
			       format_size(1ULL << t->info->level_shift[level],
					     size));
	}
}

/**
 * struct block - the pages around an address that follow each other, in virtual
 *	memory and in physical memory, with the same memory type
 * @addr: Address that is looked for.
 * @start: First virtual address.
 * @pages: How many.
 * @value: Frame of the first page.
 * @aux: Memory type index.
 * @shift: log2 of the page size.
 */
struct block {
	uint64_t addr;
	uint64_t start, pages, value;
	uint32_t aux;
	unsigned int shift;
};

#define BLOCK_DONE	1	/* stops a stream */

static bool block_holds(const struct block *b)
{
	return b->pages && b->addr >= b->start &&
	       (b->addr - b->start) >> b->shift < b->pages;
}

static int collect_block(const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	struct block *b = arg;

	for (size_t i = 0; i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];
		bool present = ptwalk_bits_kind(e->bits) ==
			       PTWALK_KIND_PRESENT;

		if (b->pages && present &&
		    e->addr == b->start + (b->pages << b->shift) &&
		    e->value == b->value + b->pages &&
		    ptwalk_bits_aux(e->bits) == b->aux) {
			b->pages += e->pages;
			continue;
		}
		if (block_holds(b))
			return BLOCK_DONE;
		b->start = e->addr;
		b->pages = present ? e->pages : 0;
		b->value = e->value;
		b->aux = ptwalk_bits_aux(e->bits);
	}
	return 0;
}

/* A look of its own at all of the mapping; false: the page isn't there now. */
static bool find_block(const struct translate *t, const struct ptwalk_vma *vma,
		       uint64_t addr, struct block *b)
{
	int status;

	*b = (struct block) { .addr = addr, .shift = t->info->page_shift };
	status = truth_stream(t->client, t->subject.pid, vma->start, vma->last,
			      collect_block, b);
	return (!status || status == BLOCK_DONE) && block_holds(b);
}

static bool is_one_page(const struct translate *t, const struct ptwalk_vma *vma)
{
	return !((vma->last - vma->start) >> t->info->page_shift);
}

static void print_block(const struct translate *t, const struct ptwalk_vma *vma,
			uint64_t addr)
{
	char range[FORMAT_RANGE];
	struct block b;
	uint64_t paddr;

	if (!find_block(t, vma, addr, &b))
		return;
	paddr = b.value << b.shift;
	if (b.pages == 1)
		printf("  %-9s 1 page%s\n", "block", is_one_page(t, vma) ?
		       ", all of the mapping" :
		       ": no page beside it in the mapping follows it in memory");
	else
		printf("  %-9s %" PRIu64 " pages in a row from 0x%" PRIx64
		       " on, %s; this is page %" PRIu64 "\n", "block", b.pages,
		       b.start,
		       format_range(paddr, paddr + (b.pages << b.shift) - 1,
				    range),
		       (addr - b.start) >> b.shift);
}

static void block_json(const struct translate *t, const struct ptwalk_vma *vma,
		       uint64_t addr)
{
	struct block b;

	if (!find_block(t, vma, addr, &b))
		return;
	jsonw_object("block");
	jsonw_hex("start", b.start);
	jsonw_hex("paddr", b.value << b.shift);
	jsonw_number("pages", b.pages);
	jsonw_close();
}

/* Where in the file: what a driver gets as an offset. */
static uint64_t file_offset(const struct translate *t,
			    const struct ptwalk_vma *vma, uint64_t addr)
{
	return (vma->pgoff << t->info->page_shift) + (addr - vma->start);
}

/* What the kernel itself has there for all processes, and maps lists as theirs. */
static bool is_gate(const struct translate *t, const struct ptwalk_translation *tr)
{
	const struct map *map = maps_at(&t->maps, tr->addr);

	return ptwalk_bits_kind(tr->bits) == PTWALK_KIND_NO_VMA && map &&
	       maps_is_gate(map->name);
}

static struct pinning pinning_at(const struct translate *t, const struct ptwalk_translation *tr,
				 const struct ptwalk_vma *vma)
{
	const bool behind = vma && vma->inode && !ptwalk_bits_present(tr->bits) &&
			    tr->addr >= file_end(t->subject.pid, vma, t->info->page_shift);

	if (is_gate(t, tr))
		return (struct pinning){
			.why = "EFAULT: access_ok(); process_vm_readv() may read it, get_gate_page()",
		};
	return pinning_of(t->info, tr->bits, tr->value, t->page, vma, behind);
}

static void print_pinning(const struct translate *t, const struct ptwalk_translation *tr,
			  const struct ptwalk_vma *vma)
{
	const struct pinning p = pinning_at(t, tr, vma);

	printf("  %-9s %s: %s\n", "pinning", pinning_text(&p), p.why);
}

/* The same as an object. */
static void pinning_json(const struct translate *t, const struct ptwalk_translation *tr,
			 const struct ptwalk_vma *vma)
{
	const struct pinning p = pinning_at(t, tr, vma);

	jsonw_object("pinning");
	jsonw_bool("read", p.read);
	jsonw_bool("write", p.write);
	jsonw_text("why", p.why);
	jsonw_close();
}

/* Of a dma-buf, who has made it; or NULL. */
static const char *exporter_of(const struct translate *t, const struct ptwalk_vma *vma,
			       uint64_t addr, char exporter[DMABUF_EXPORTER])
{
	return vma && dmabuf_is(maps_name_at(&t->maps, addr)) &&
	       dmabuf_exporter(t->subject.pid, vma->inode, exporter) ? exporter : NULL;
}

/* The VMA, who handles it, and the entries. */
static void print_above(const struct translate *t, const struct ptwalk_translation *tr,
			const struct ptwalk_vma *vma)
{
	char exporter[DMABUF_EXPORTER];
	const char *name;

	printf("  %-9s ", "vma");
	if (vma)
		record_vma(vma, maps_name_at(&t->maps, tr->addr));
	else
		printf("none");
	putchar('\n');
	if (vma && *vma->ops) {
		printf("  %-9s ", "handler");
		out_text(vma->ops);
		putchar('\n');
	}
	name = exporter_of(t, vma, tr->addr, exporter);
	if (name) {
		printf("  %-9s ", "exporter");
		out_text(name);
		putchar('\n');
	}
	if (vma && vma->inode && vma_pgoff_is_pfn(vma))
		printf("  %-9s 0x%" PRIx64 " in the mapping; in the file not known: vm_pgoff is the first PFN\n",
		       "offset", (uint64_t)(tr->addr - vma->start));
	else if (vma && vma->inode)
		printf("  %-9s 0x%" PRIx64 " in the file, 0x%" PRIx64
		       " in the mapping\n", "offset",
		       file_offset(t, vma, tr->addr),
		       (uint64_t)(tr->addr - vma->start));
	print_entries(t, tr);
}

#define ALIASES	8

/**
 * struct beside - what the kernel maps itself of a page
 * @alias: The first ones, of @nr.
 * @kernel: The kernel.
 * @bits: Of the process's mapping.
 * @differs: The frame has two memory types, as check --lint judges it.
 */
struct beside {
	struct kernel_alias alias[ALIASES];
	size_t nr;
	const struct ptwalk_kernel *kernel;
	uint64_t bits;
	bool differs;
};

static void take_alias(const struct kernel_alias *alias, void *arg)
{
	struct beside *b = arg;

	if (b->nr < ALIASES)
		b->alias[b->nr] = *alias;
	b->nr++;
	b->differs |= lint_alias_differs(b->kernel, b->bits, alias);
}

/* False: nothing is known of the kernel's own mappings. */
static bool find_aliases(struct translate *t, const struct ptwalk_translation *tr,
			 struct beside *b)
{
	if (!t->aliases_read)
		t->aliases_err = kernel_aliases_read(&t->aliases);
	t->aliases_read = true;
	*b = (struct beside) {
		.kernel = t->info,
		.bits = tr->bits,
		.differs = lint_kernel_is_other(t->info, tr->bits),
	};
	if (!t->aliases_err)
		kernel_aliases_of(&t->aliases, tr->value << t->info->page_shift,
				  1ULL << t->info->page_shift, take_alias, b);
	return !t->aliases_err;
}

static bool is_drivers(const struct ptwalk_vma *vma)
{
	return vma && vma->inode &&
	       vma->flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP |
			     PTWALK_VMA_FLAG_IO);
}

static void print_aliases(struct translate *t, const struct ptwalk_translation *tr,
			  const struct ptwalk_vma *vma)
{
	char text[KERNEL_ALIAS_TEXT];
	struct beside b;

	if (!find_aliases(t, tr, &b)) {
		/* There is nothing to be done about it where the module can't be. */
		if (is_drivers(vma) && !t->aliases_hinted && t->aliases_err != -ENOTSUP)
			printf("  %-9s not known: %s\n", "kernel", error_text());
		t->aliases_hinted |= is_drivers(vma);
		return;
	}
	printf("  %-9s %s", "kernel", b.nr ? "" : "not mapped");
	for (size_t i = 0; i < b.nr && i < ALIASES; i++) {
		kernel_alias_text(&b.alias[i], text);
		printf("%s0x%" PRIx64 " ", i ? "; " : "", b.alias[i].addr);
		out_text(text);
	}
	if (b.nr > ALIASES)
		printf("; %zu more", b.nr - ALIASES);
	printf("%s\n", b.differs ? ": two memory types" : "");
}

static void aliases_json(struct translate *t, const struct ptwalk_translation *tr)
{
	const struct kernel_alias *a;
	char type[NAME_SIZE];
	struct beside b;

	if (!find_aliases(t, tr, &b))
		return;
	jsonw_array("kernel");
	for (size_t i = 0; i < b.nr && i < ALIASES; i++) {
		a = &b.alias[i];
		jsonw_object(NULL);
		jsonw_hex("vaddr", a->addr);
		jsonw_text("memory_type", name_of(&names_memory_type, a->type, type));
		jsonw_bool("write", a->write);
		jsonw_bool("exec", a->exec);
		jsonw_text("part", a->region ? a->region->name : NULL);
		jsonw_text("area", kernel_alias_kind(a));
		jsonw_text("caller", a->area && *a->area->caller ? a->area->caller : NULL);
		jsonw_close();
	}
	jsonw_close();
	jsonw_bool("two_types", b.differs);
}

/* The page that is mapped. */
static void print_behind(struct translate *t, const struct ptwalk_translation *tr,
			 const struct ptwalk_vma *vma)
{
	char type[ENTRY_TEXT];
	const char *place;
	size_t len;

	printf("  %-9s %s\n", "memory",
	       entry_memory_decoded(t->info, tr->bits, type));
	print_aliases(t, tr, vma);
	if (vma)
		print_block(t, vma, tr->addr);
	if (t->page && ptwalk_bits_flags(tr->bits) & PTWALK_FLAG_PAGE) {
		printf("  %-9s ", "page");
		page_write(t->page);
		putchar('\n');
	}
	printf("  %-9s ", "physical");
	place = places_text(&t->places, physical_of(t, tr), tr->bits, vma, &len);
	out_bytes(place, place + len);
	putchar('\n');
}

static void print_verbose(struct translate *t,
			  const struct ptwalk_translation *tr)
{
	const struct ptwalk_vma *vma = find_vma(t, tr->addr);

	print_above(t, tr, vma);
	if (ptwalk_bits_present(tr->bits))
		print_behind(t, tr, vma);
	print_pinning(t, tr, vma);
}

/* Whether the entry is empty because the page is in swap, by its file. */
static bool is_in_swap(struct translate *t, const struct ptwalk_translation *tr)
{
	const struct ptwalk_vma *vma = find_vma(t, tr->addr);

	return ptwalk_bits_kind(tr->bits) == PTWALK_KIND_NONE && vma &&
	       vma->flags & PTWALK_VMA_FLAG_SHMEM &&
	       swapped_open(&t->swapped, t->subject.pid, vma->start, vma->last,
			    vma->pgoff << t->info->page_shift) &&
	       swapped_pages(&t->swapped, tr->addr - page_offset(t, tr->addr),
			     1ULL << t->info->page_shift);
}

/* The address in virtual and in physical memory, and the entry's columns. */
static void print_present(struct translate *t,
			  const struct ptwalk_translation *tr)
{
	char *line = out_lines_room(&t->lines, 64 + ENTRY_COLUMNS), *p, *column;

	p = put_hex(line, tr->addr);
	p = put_blanks(p, line, 18);
	*p++ = ' ';
	column = p;
	p = put_hex(p, physical_of(t, tr));
	p = put_blanks(p, column, 18);
	*p++ = ' ';
	out_lines_take(&t->lines, entry_columns(p, &t->columns, t->info, tr->bits, false));
}

static void print_translation_text(struct translate *t,
				   const struct ptwalk_translation *tr)
{
	char vaddr[HEX_SIZE], flags[ENTRY_FLAGS], absent[ENTRY_TEXT];

	if (ptwalk_bits_present(tr->bits)) {
		print_present(t, tr);
		if (!t->verbose)
			return;
	}
	out_lines_end(&t->lines);
	if (!ptwalk_bits_present(tr->bits))
		printf("%-18s %-18s %-4s %s%s%s%s%s\n", hex(tr->addr, vaddr),
		       "-", "-",
		       entry_absent(tr->value, tr->bits, absent),
		       is_in_swap(t, tr) ? " here; the page of the file is in swap" : "",
		       is_gate(t, tr) ?
		       " of the process; it is the gate area, which the kernel has for all" : "",
		       ptwalk_bits_flags(tr->bits) ? " " : "",
		       ptwalk_bits_flags(tr->bits) ?
		       entry_flags(tr->bits, flags) : "");
	if (t->verbose)
		print_verbose(t, tr);
	out_check();
}

/* What is told of each address with -v. */
static void verbose_json(struct translate *t, const struct ptwalk_translation *tr)
{
	const struct ptwalk_vma *vma = find_vma(t, tr->addr);
	char buf[NAME_SIZE], exporter[DMABUF_EXPORTER];

	jsonw_object("entries");
	for (int level = PTWALK_LEVELS - 1; level >= 0; level--)
		if (has_level(t, tr, level))
			jsonw_hex(name_of(&names_level, level, buf), tr->entry[level]);
	jsonw_close();
	if (vma) {
		jsonw_object("vma");
		record_vma_json(vma, false, maps_name_at(&t->maps, tr->addr));
		jsonw_close();
	} else {
		jsonw_null("vma");
	}
	if (vma && vma->inode && !vma_pgoff_is_pfn(vma))
		jsonw_hex("file_offset", file_offset(t, vma, tr->addr));
	if (exporter_of(t, vma, tr->addr, exporter))
		jsonw_text("exporter", exporter);
	pinning_json(t, tr, vma);
	if (!ptwalk_bits_present(tr->bits))
		return;

	jsonw_number("memory_type_index", ptwalk_bits_aux(tr->bits));
	aliases_json(t, tr);
	if (vma)
		block_json(t, vma, tr->addr);
	if (t->page && ptwalk_bits_flags(tr->bits) & PTWALK_FLAG_PAGE) {
		jsonw_object("page");
		page_json(t->page);
		jsonw_close();
	}
	places_json(&t->places, physical_of(t, tr), tr->bits, vma);
}

static void print_translation_json(struct translate *t,
				   const struct ptwalk_translation *tr)
{
	jsonw_begin("translation");
	jsonw_number("pid", t->subject.pid);
	jsonw_hex("vaddr", tr->addr);
	record_json(&t->words, t->info, tr->value, tr->bits, page_offset(t, tr->addr));
	if (is_in_swap(t, tr))
		jsonw_bool("file_in_swap", true);
	if (is_gate(t, tr))
		jsonw_bool("gate", true);
	if (t->verbose)
		verbose_json(t, tr);
	jsonw_end();
}

/* Translates and prints what has been gathered. */
static int print_gathered(void *arg)
{
	struct translate *t = arg;
	struct ptwalk_translation *out;
	struct ptwalk_page *pages = NULL;
	int status = 0;

	out = malloc((t->nr_addrs ? t->nr_addrs : 1) * sizeof(*out));
	if (t->verbose)
		pages = calloc(t->nr_addrs ? t->nr_addrs : 1, sizeof(*pages));
	if (!out || (t->verbose && !pages))
		status = error_no_memory();
	if (!status)
		status = truth_translate_pages(t->client, t->subject.pid, t->addrs,
					       t->nr_addrs, out, pages, &t->vmas,
					       &t->nr_vmas, &t->levels);
	/* After the module, whose word for what went wrong is the better. */
	if (!status && t->verbose)
		status = read_maps(t);
	for (size_t i = 0; !status && i < t->nr_addrs; i++) {
		t->page = pages ? &pages[i] : NULL;
		if (t->json)
			print_translation_json(t, &out[i]);
		else
			print_translation_text(t, &out[i]);
	}
	out_lines_end(&t->lines);
	t->nr_addrs = 0;
	/* The next time there may be other mappings. */
	kernel_aliases_free(&t->aliases);
	t->aliases_read = false;
	maps_free(&t->maps);
	t->maps_known = false;
	free(t->vmas);
	t->vmas = NULL;
	free(pages);
	free(out);
	return out_finish(status);
}

static int take_address_line(const char *word, size_t line, void *arg)
{
	return add_address(arg, word, line);
}

/* The words before and between what comes from standard input, in that order. */
static int translate_words(struct translate *t, int argc, char **argv)
{
	int status = 0;

	if (!argc)
		return print_gathered(t);
	t->nr_addrs = 0;
	for (int i = 0; !status && i < argc; i++) {
		if (strcmp(argv[i], "-")) {
			status = add_address(t, argv[i], 0);
			continue;
		}
		if (t->nr_addrs)
			status = print_gathered(t);
		if (!status)
			status = words_read(take_address_line, print_gathered, "address", t);
	}
	return !status && t->nr_addrs ? print_gathered(t) : status;
}

static int run_translate(struct translate *t, int argc, char **argv)
{
	int status;

	subject_args(&t->subject, &argv, &argc);
	status = subject_open(&t->subject, argc ? argv[0] : NULL);
	if (!status)
		status = add_addresses(t, argc - 1, argv + 1);
	if (!status)
		status = client_open(&t->client);
	if (status)
		return status;
	t->info = ptwalk_kernel(t->client);
	if (t->verbose)
		status = places_read(&t->places);
	if (!status)
		status = translate_words(t, argc - 1, argv + 1);
	ptwalk_close(t->client);
	return status;
}

int cmd_translate(int argc, char **argv)
{
	static struct translate t;
	const struct command_option options[] = {
		{ "json", .flag = &t.json },
		{ OPTION_MAP(&t.subject) },
		{ "touch", .flag = &t.subject.touch },
		{ "verbose", 'v', .flag = &t.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_translate(&t, argc - optind, argv + optind);

	free(t.addrs);
	free(t.vmas);
	maps_free(&t.maps);
	places_free(&t.places);
	swapped_close(&t.swapped);
	subject_close(&t.subject);
	return status;
}
