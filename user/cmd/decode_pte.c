// SPDX-License-Identifier: GPL-2.0
/* ptwalk decode --pte: raw entries of page tables. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/decode_pte.h"
#include "module/names.h"
#include "module/version.h"
#include "proc/pagemap_entry.h"

#define NEWEST	KERNEL(999, 0)

static const struct pte_arch *here(void)
{
	const struct pte_arch *arch = NULL;
	struct utsname name;

	if (!uname(&name))
		arch = pte_arch_named(name.machine);
	return arch ? arch : &pte_archs[0];
}

static int take_arch(struct pte_options *o)
{
	const char *meant = NULL;
	char list[128] = "";

	o->as = o->arch ? pte_arch_named(o->arch) : here();
	if (o->as)
		return 0;
	for (unsigned int i = 0; i < nr_pte_archs; i++) {
		meant = parse_nearer(o->arch, pte_archs[i].name, meant);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			 i ? ", " : "", pte_archs[i].name);
	}
	if (meant)
		return fail(EXIT_USAGE, "--arch '%s': not known: did you mean '%s'? There are %s",
			    o->arch, meant, list);
	return fail(EXIT_USAGE, "--arch '%s': not known: there are %s", o->arch, list);
}

static int take_level(struct pte_options *o)
{
	int level = o->level ? pte_level_named(o->level) : 0;

	if (level < 0)
		return fail(EXIT_USAGE, "--level '%s': give pte, pmd, pud, p4d or pgd", o->level);
	if (!(o->as->levels & 1U << level))
		return fail(EXIT_USAGE, "--level '%s': %s has no such level", o->level,
			    o->as->name);
	o->request.level = level;
	return 0;
}

static int take_kernel_version(struct pte_options *o)
{
	unsigned int major, minor;
	int end = 0;

	o->request.version = NEWEST;
	if (!o->kernel)
		return 0;
	if (sscanf(o->kernel, "%u.%u%n", &major, &minor, &end) != 2 ||
	    (o->kernel[end] && !strchr(".-+", o->kernel[end])))
		return fail(EXIT_USAGE, "--kernel '%s': give a version, such as 6.12", o->kernel);
	o->request.version = KERNEL(major, minor);
	return 0;
}

static int take_c_bit(struct pte_options *o)
{
	const char *option = o->c_bit ? "--c-bit" : "--shared-bit";
	const char *given = o->c_bit ? o->c_bit : o->shared_bit;
	uint64_t bit;

	if (!given)
		return 0;
	if (o->c_bit && o->shared_bit)
		return fail(EXIT_USAGE, "--c-bit and --shared-bit exclude each other");
	if (strncmp(o->as->name, "x86", 3))
		return fail(EXIT_USAGE, "%s is for x86_64", option);
	if (parse_decimal(given, 51, &bit) || bit < 32)
		return fail(EXIT_USAGE, "%s '%s': give 32 to 51", option, given);
	o->request.c_bit = bit;
	o->request.c_shares = o->shared_bit;
	return 0;
}

int pte_options_take(struct pte_options *o)
{
	int err;

	if (!o->pte && o->level)
		return fail(EXIT_USAGE, "--level goes with --pte only");
	err = take_arch(o);
	if (!err)
		err = take_level(o);
	if (!err)
		err = take_kernel_version(o);
	if (!err)
		err = take_c_bit(o);
	if (!err && !o->request.page_shift)
		o->request.page_shift = o->as->page_shift;
	return err;
}

static void print_swap(const struct pte *pte)
{
	char text[64];

	if (pte->kind == PTE_MARKER) {
		names_mask(&names_marker, pte->offset, ",", text, sizeof(text));
		printf(" %s", text);
	}
	printf(" type %u offset 0x%" PRIx64, pte->type, pte->offset);
}

/* As it is it is hardly a page's, and in the other byte order it is. */
static bool is_turned(const struct pte_options *o, uint64_t value, const struct pte *pte)
{
	return (pte->kind != PTE_PRESENT || *pte->note) &&
	       !pte_is_likely(o->as, o->request.level, value) &&
	       pte_is_likely(o->as, o->request.level, pte_turned(o->as, value));
}

/* It is hardly a page's, and pagemap shows such values of pages. */
static bool is_of_pagemap(const struct pte_options *o, uint64_t value, const struct pte *pte)
{
	struct decoded d;

	if (o->as->bits < 64 || (pte->kind == PTE_PRESENT && !*pte->note) ||
	    pte->kind == PTE_TABLE || is_turned(o, value, pte))
		return false;
	decode(value, DECODE_AUTO, &d);
	return d.present && d.pfn && !decode_unlikely(&d);
}

static void print_pte_text(const struct pte_options *o, uint64_t value, const struct pte *pte)
{
	char text[256], size[FORMAT_SIZE];

	printf("0x%0*" PRIx64 " %s %s: %s", o->as->bits / 4, value, o->as->name,
	       pte_level_name[o->request.level], pte_kind_name[pte->kind]);
	if (pte->kind == PTE_PRESENT)
		printf(" pfn 0x%" PRIx64 ", paddr 0x%" PRIx64 ", %s",
		       pte->paddr >> o->request.page_shift, pte->paddr,
		       format_size(pte->bytes, size));
	else if (pte->kind == PTE_TABLE)
		printf(" at 0x%" PRIx64, pte->paddr);
	else if (pte->kind == PTE_SWAP || pte->kind == PTE_MARKER)
		print_swap(pte);
	if (pte->flags) {
		names_mask(&names_pte, pte->flags, ",", text, sizeof(text));
		printf(", %s", text);
	}
	if (pte->memory_type)
		printf(", memory %s (%u)", pte->memory_type, pte->index);
	if (pte->pkey)
		printf(", pkey %u", pte->pkey);
	printf("%s%s", *pte->note ? "; " : "", pte->note);
	if (is_turned(o, value, pte))
		printf("; it makes sense byte-swapped: 0x%0*" PRIx64, o->as->bits / 4,
		       pte_turned(o->as, value));
	if (is_of_pagemap(o, value, pte))
		printf("; looks like an entry of pagemap: try `ptwalk decode 0x%016" PRIx64 "`",
		       value);
	putchar('\n');
	out_check();
}

static void print_pte_json(const struct pte_options *o, uint64_t value, const struct pte *pte)
{
	jsonw_begin("pte");
	jsonw_text("arch", o->as->name);
	jsonw_text("level", pte_level_name[o->request.level]);
	jsonw_hex("entry", value);
	jsonw_text("kind", pte_kind_name[pte->kind]);
	if (pte->kind == PTE_PRESENT) {
		jsonw_hex("pfn", pte->paddr >> o->request.page_shift);
		jsonw_number("size", pte->bytes);
	}
	if (pte->kind == PTE_PRESENT || pte->kind == PTE_TABLE)
		jsonw_hex("paddr", pte->paddr);
	if (pte->kind == PTE_SWAP || pte->kind == PTE_MARKER) {
		jsonw_number("swap_type", pte->type);
		jsonw_hex("swap_offset", pte->offset);
	}
	if (pte->kind == PTE_MARKER)
		jsonw_mask("marker", &names_marker, pte->offset);
	jsonw_mask("flags", &names_pte, pte->flags);
	if (pte->memory_type)
		jsonw_text("memory_type", pte->memory_type);
	if (pte->has_pkey)
		jsonw_number("pkey", pte->pkey);
	if (*pte->note)
		jsonw_text("note", pte->note);
	if (is_turned(o, value, pte))
		jsonw_bool("byte_swapped", true);
	if (is_of_pagemap(o, value, pte))
		jsonw_bool("may_be_pagemap", true);
	jsonw_end();
}

void pte_print(const struct pte_options *o, uint64_t value, bool json)
{
	struct pte pte;

	pte_decode(o->as, value, &o->request, &pte);
	if (json)
		print_pte_json(o, value, &pte);
	else
		print_pte_text(o, value, &pte);
}

const struct pte_arch *pte_likely(uint64_t value, unsigned int most, unsigned int *level)
{
	for (*level = 0; *level <= most; ++*level) {
		if (pte_is_likely(here(), *level, value))
			return here();
		for (unsigned int i = 0; i < nr_pte_archs; i++)
			if (pte_archs[i].bits == 64 &&
			    pte_is_likely(&pte_archs[i], *level, value))
				return &pte_archs[i];
	}
	return NULL;
}
