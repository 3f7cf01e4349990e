// SPDX-License-Identifier: GPL-2.0
/* ptwalk translate: where virtual addresses really are. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "iomem.h"
#include "maps.h"
#include "options.h"
#include "out.h"
#include "pcibar.h"
#include "record.h"
#include "truth.h"

/**
 * struct translate - the command at work
 * @subject: The process, and what --map maps.
 * @verbose: With every level, the VMA, and what the physical address is.
 * @json: As JSON lines.
 * @addrs: What is asked for.
 * @maps: Of the process, where names are wanted.
 * @iomem: With @bars, where @verbose.
 * @info: What the module says of the kernel.
 * @vmas: Those that the addresses lie in.
 * @levels: Mask of the levels that the process's tables have.
 */
struct translate {
	struct subject subject;
	bool verbose, json;
	uint64_t *addrs;
	size_t nr_addrs, max_addrs;
	struct maps maps;
	bool maps_known;
	struct iomem iomem;
	struct pcibars bars;
	const struct kernel_info *info;
	struct truth_vma *vmas;
	size_t nr_vmas;
	uint32_t levels;
};

static int read_maps(struct translate *t)
{
	if (t->maps_known)
		return 0;
	t->maps_known = true;
	return subject_status(&t->subject,
			      maps_read(t->subject.pid, &t->maps));
}

static int push_address(struct translate *t, uint64_t addr)
{
	size_t max = t->max_addrs ? t->max_addrs * 2 : 64;
	void *p;

	if (t->nr_addrs == t->max_addrs) {
		p = reallocarray(t->addrs, max, sizeof(*t->addrs));
		if (!p)
			return fail(EXIT_UNCHECKED, "out of memory");
		t->addrs = p;
		t->max_addrs = max;
	}
	t->addrs[t->nr_addrs++] = addr;
	return 0;
}

/* @where tells which argument or line @arg is. */
static int add_address(struct translate *t, const char *arg, const char *where)
{
	const char *why;
	uint64_t addr;
	int status;

	if (selfmap_address(&t->subject.map, arg, &addr))
		return push_address(t, addr);
	if (parse_is_name(arg)) {
		status = read_maps(t);
		if (status)
			return status;
	}
	why = maps_address(&t->maps, arg, &addr);
	if (why)
		return fail(parse_is_name(arg) ? EXIT_UNCHECKED : EXIT_USAGE,
			    "%saddress '%s': %s: give it in hexadecimal, or as NAME or NAME+OFFSET from /proc/PID/maps",
			    where, arg, why);
	return push_address(t, addr);
}

static int add_from_stdin(struct translate *t)
{
	char where[48], *line = NULL, *s;
	unsigned long nr = 0;
	size_t size = 0;
	int status = 0;
	ssize_t len;

	while (!status && (len = getline(&line, &size, stdin)) > 0) {
		nr++;
		while (len && strchr(" \t\r\n", line[len - 1]))
			line[--len] = '\0';
		s = line + strspn(line, " \t");
		if (!*s || *s == '#')
			continue;
		snprintf(where, sizeof(where), "standard input, line %lu: ", nr);
		status = strlen(line) == (size_t)len ? add_address(t, s, where) :
			 fail(EXIT_USAGE, "%sa zero byte", where);
	}
	if (!status && ferror(stdin))
		status = fail(EXIT_UNCHECKED, "standard input cannot be read");
	free(line);
	return status;
}

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
		status = strcmp(argv[i], "-") ? add_address(t, argv[i], "") :
						add_from_stdin(t);
	return status;
}

static const struct truth_vma *find_vma(const struct translate *t,
					uint64_t addr)
{
	const struct truth truth = { .vmas = t->vmas, .nr_vmas = t->nr_vmas };

	return truth_vma_at(&truth, addr);
}

static uint64_t page_offset(const struct translate *t, uint64_t addr)
{
	return addr & ((1ULL << t->info->page_shift) - 1);
}

static uint64_t physical(const struct translate *t,
			 const struct ptwalk_translation *tr)
{
	return (tr->value << t->info->page_shift) | page_offset(t, tr->addr);
}

static bool is_present(const struct ptwalk_translation *tr)
{
	return ptwalk_bits_kind(tr->bits) == PTWALK_KIND_PRESENT;
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

static void print_levels(const struct translate *t,
			 const struct ptwalk_translation *tr)
{
	char name[NAME_SIZE], size[RECORD_SIZE];

	for (int level = PTWALK_LEVELS - 1; level >= 0; level--) {
		if (!has_level(t, tr, level))
			continue;
		printf("  %-9s %s[%" PRIu64 "] 0x%016" PRIx64 "%s",
		       "entry", name_of(&names_level, level, name),
		       entry_index(t, tr->addr, level),
		       (uint64_t)tr->entry[level],
		       level > (int)ptwalk_bits_level(tr->bits) ? " table\n" : "");
		if (level == (int)ptwalk_bits_level(tr->bits))
			printf(" %s of %s\n", is_present(tr) ? "page" : "no page",
			       record_size(1ULL << t->info->level_shift[level],
					     size));
	}
}

static void print_physical(const struct translate *t, uint64_t paddr)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	const struct pcibar *bar = pcibars_at(&t->bars, paddr);
	size_t nr = iomem_at(&t->iomem, paddr, chain);
	char text[PCIBAR_TEXT];

	printf("  %-9s ", "physical");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			printf(" / ");
		out_text(chain[i]->name);
	}
	if (!nr)
		printf("%s", t->iomem.why_not ? t->iomem.why_not :
						"in no resource of /proc/iomem");
	if (bar)
		printf(" (PCI %s %s, offset 0x%" PRIx64 ")", bar->device,
		       pcibar_text(bar, text), paddr - bar->start);
	putchar('\n');
}

static void print_verbose(const struct translate *t,
			  const struct ptwalk_translation *tr)
{
	const struct truth_vma *vma = find_vma(t, tr->addr);
	char type[RECORD_SIZE];

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
	print_levels(t, tr);
	if (!is_present(tr))
		return;
	printf("  %-9s %s\n", "memory",
	       record_memory_type(t->info, tr->bits, type));
	print_physical(t, physical(t, tr));
}

static void print_text(const struct translate *t,
		       const struct ptwalk_translation *tr)
{
	char vaddr[HEX_SIZE], paddr[HEX_SIZE];
	char size[RECORD_SIZE], flags[RECORD_FLAGS], absent[RECORD_TEXT];

	hex(tr->addr, vaddr);
	if (is_present(tr))
		printf("%-18s %-18s %-4s %s\n", vaddr,
		       hex(physical(t, tr), paddr),
		       record_size(record_entry_size(t->info, tr->bits),
				     size),
		       record_flags(tr->bits, flags));
	else
		printf("%-18s %-18s %-4s %s%s%s\n", vaddr, "-", "-",
		       record_absent(tr->value, tr->bits, absent),
		       ptwalk_bits_flags(tr->bits) ? " " : "",
		       ptwalk_bits_flags(tr->bits) ?
		       record_flags(tr->bits, flags) : "");
	if (t->verbose)
		print_verbose(t, tr);
}

static json_t *json_physical(const struct translate *t, uint64_t paddr)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr = iomem_at(&t->iomem, paddr, chain);
	json_t *array;

	if (t->iomem.why_not)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, json_text(chain[i]->name));
	return array;
}

static void json_verbose(const struct translate *t, json_t *object,
			 const struct ptwalk_translation *tr)
{
	const struct truth_vma *vma = find_vma(t, tr->addr);
	json_t *entries = json_object();
	const struct pcibar *bar;
	char buf[PCIBAR_TEXT];

	for (int level = PTWALK_LEVELS - 1; level >= 0; level--)
		if (has_level(t, tr, level))
			json_object_set_new(entries,
					    name_of(&names_level, level, buf),
					    json_hex(tr->entry[level]));
	json_object_set_new(object, "entries", entries);
	json_object_set_new(object, "vma", !vma ? json_null() :
			    record_vma_json(vma, maps_name_at(&t->maps,
							      tr->addr)));
	if (!is_present(tr))
		return;

	json_object_set_new(object, "resources",
			    json_physical(t, physical(t, tr)));
	bar = pcibars_at(&t->bars, physical(t, tr));
	if (!bar)
		return;
	json_object_set_new(object, "pci_device", json_text(bar->device));
	json_object_set_new(object, "pci_resource",
			    json_string(pcibar_text(bar, buf)));
	json_object_set_new(object, "pci_offset",
			    json_hex(physical(t, tr) - bar->start));
}

static void print_json(const struct translate *t,
		       const struct ptwalk_translation *tr)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string("translation"));
	json_object_set_new(object, "pid", json_integer(t->subject.pid));
	json_object_set_new(object, "vaddr", json_hex(tr->addr));
	record_json(object, t->info, tr->value, tr->bits,
		      page_offset(t, tr->addr));
	if (t->verbose)
		json_verbose(t, object, tr);
	out_json(object);
}

static int translate(struct translate *t)
{
	struct ptwalk_translation *out = NULL;
	struct client *client;
	int status;

	status = client_open(&client);
	if (status)
		return status;
	t->info = client_info(client);

	out = calloc(t->nr_addrs ? t->nr_addrs : 1, sizeof(*out));
	if (!out)
		status = fail(EXIT_UNCHECKED, "out of memory");
	if (!status)
		status = subject_status(&t->subject,
			truth_translate(client, t->subject.pid, t->addrs,
					t->nr_addrs, out, &t->vmas,
					&t->nr_vmas, &t->levels));
	/* After the module, whose word for what went wrong is the better. */
	if (!status && t->verbose) {
		status = read_maps(t);
		iomem_read(&t->iomem);
		pcibars_read(&t->bars);
	}
	for (size_t i = 0; !status && i < t->nr_addrs; i++) {
		if (t->json)
			print_json(t, &out[i]);
		else
			print_text(t, &out[i]);
	}
	free(out);
	client_close(client);
	return status;
}

static int run(struct translate *t, int argc, char **argv)
{
	int status;

	status = subject_open(&t->subject, argc ? argv[0] : NULL);
	if (!status)
		status = add_addresses(t, argc - 1, argv + 1);
	if (!status)
		status = translate(t);
	return status;
}

int cmd_translate(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "map", required_argument, NULL, 'm' },
		{ "touch", no_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },
		{ 0 }
	};
	struct translate t = { 0 };
	int status = 0;
	int c;

	optind = 0;
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":v", options,
					   NULL)) != -1) {
		switch (c) {
		case 'j':
			t.json = true;
			break;
		case 'm':
			status = subject_take_map(&t.subject, optarg);
			break;
		case 't':
			t.subject.touch = true;
			break;
		case 'v':
			t.verbose = true;
			break;
		default:
			status = option_refused(c, argv);
		}
	}
	if (!status)
		status = run(&t, argc - optind, argv + optind);

	free(t.addrs);
	free(t.vmas);
	maps_free(&t.maps);
	iomem_free(&t.iomem);
	pcibars_free(&t.bars);
	subject_close(&t.subject);
	return status;
}
