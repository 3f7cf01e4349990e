// SPDX-License-Identifier: GPL-2.0
/* The architectures whose entries are known. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <linux/ptwalk_record.h>
#include "module/names.h"
#include "module/version.h"
#include "pte/pte.h"

#define LIKELY_BITS	46	/* of a physical address: what 4 levels of x86 can map */

/* Those of enum ptwalk_flag as they are called everywhere. */
static const char *const names[64] = {
	[0] = "write", "user", "exec", "young", "dirty", "global", "special", "soft-dirty",
	"uffd-wp", "prot-none", "cont", "devmap", "swap-exclusive", [28] = "encrypted",
	[32] = "saved-dirty", "kernel-no-exec", "guarded", "shareable",
	"privileged", "hw-read-only", "invalid",
};
const struct names names_pte = { names, 64 };

const char *const pte_level_name[5] = { "pte", "pmd", "pud", "p4d", "pgd" };
const char *const pte_kind_name[] = {
	[PTE_EMPTY] = "empty", [PTE_TABLE] = "table", [PTE_PRESENT] = "present",
	[PTE_SWAP] = "swap", [PTE_MARKER] = "marker", [PTE_BAD] = "bad",
};

const struct pte_arch pte_archs[] = {
	{ "x86_64", ",x86-64,amd64,x64,x86,", 64, 12, 31, pte_x86_64 },
	{ "arm64", ",aarch64,armv8,", 64, 12, 31, pte_arm64 },
	{ "riscv64", ",riscv,rv64,", 64, 12, 31, pte_riscv64 },
	{ "s390x", ",s390,", 64, 12, 31, pte_s390x },
	{ "ppc64le", ",ppc64,ppc64el,powerpc,powerpc64,", 64, 16, 23, pte_ppc64 },
	{ "i386", ",i486,i586,i686,", 32, 12, 19, pte_i386 },
	{ "i386-pae", ",pae,i686-pae,686-pae,", 64, 12, 19, pte_i386_pae },
	{ "arm", ",armhf,armv7,armv7l,armmp,", 32, 12, 19, pte_arm },
	{ "arm-lpae", ",lpae,armmp-lpae,", 64, 12, 19, pte_arm_lpae },
};
const unsigned int nr_pte_archs = sizeof(pte_archs) / sizeof(pte_archs[0]);

const struct pte_arch *pte_arch_named(const char *name)
{
	char word[32];

	snprintf(word, sizeof(word), ",%s,", name);
	for (unsigned int i = 0; i < nr_pte_archs; i++)
		if (!strcasecmp(pte_archs[i].name, name) ||
		    strcasestr(pte_archs[i].also, word))
			return &pte_archs[i];
	return NULL;
}

int pte_level_named(const char *name)
{
	for (int i = 0; i < 5; i++)
		if (!strcasecmp(pte_level_name[i], name))
			return i;
	return -1;
}

void pte_note(struct pte *out, const char *format, ...)
{
	size_t len = strlen(out->note);
	va_list args;

	if (len && len + 2 < PTE_NOTE)
		len += snprintf(out->note + len, PTE_NOTE - len, "; ");
	va_start(args, format);
	vsnprintf(out->note + len, PTE_NOTE - len, format, args);
	va_end(args);
}

/*
 * include/linux/swap.h: the last types are special, and how many there are of each
 * depends on the configuration; the last of all is that of markers.
 */
void pte_swap(struct pte *out, unsigned int type, uint64_t offset)
{
	out->kind = type == 31 ? PTE_MARKER : PTE_SWAP;
	out->type = type;
	out->offset = offset;
	if (type >= 23 && type < 31)
		pte_note(out, "type %u is migration, poison or a device's, as the kernel is configured; the offset begins with the PFN",
			 type);
}

void pte_decode(const struct pte_arch *arch, uint64_t value,
		const struct pte_request *r, struct pte *out)
{
	*out = (struct pte){ .kind = PTE_EMPTY };
	if (arch->bits == 32 && value >> 32) {
		out->kind = PTE_BAD;
		pte_note(out, "an entry of %s has 32 bits", arch->name);
	} else if (value) {
		arch->decode(value, r, out);
	}
	/* No access, even if the entry lacks a no-execute bit; s390's huge ones have one. */
	if (out->flags & PTWALK_FLAG_PROT_NONE && (arch->decode != pte_s390x || !r->level))
		out->flags &= ~(uint64_t)PTWALK_FLAG_EXEC;
}

uint64_t pte_turned(const struct pte_arch *arch, uint64_t value)
{
	return arch->bits == 32 ? __builtin_bswap32(value) : __builtin_bswap64(value);
}

bool pte_is_likely(const struct pte_arch *arch, unsigned int level, uint64_t value)
{
	const struct pte_request r = {
		.level = level, .page_shift = arch->page_shift, .version = KERNEL(99, 0),
	};
	const uint64_t user = PTWALK_FLAG_USER | PTWALK_FLAG_YOUNG;
	struct pte pte;

	pte_decode(arch, value, &r, &pte);
	return pte.kind == PTE_PRESENT && !*pte.note && pte.paddr >> 20 &&
	       !(pte.paddr >> LIKELY_BITS) && (pte.flags & user) == user;
}
