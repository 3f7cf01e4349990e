// SPDX-License-Identifier: GPL-2.0
/* Mappings that are wrong whatever their driver meant. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/array.h"
#include "lint/laws.h"
#include "lint/lints.h"
#include "module/entry.h"
#include "module/memory_types.h"
#include "proc/pagemap_bits.h"

const char *const lint_name[NR_LINTS] = {
	[LINT_TWO_TYPES] = "two-memory-types",
	[LINT_RAM_UNCACHED] = "ram-uncached",
	[LINT_DEVICE_CACHED] = "device-cached",
	[LINT_PAST_RESOURCE] = "past-resource",
	[LINT_SPECIAL] = "special-outside",
	[LINT_MORE] = "more-than-vma",
	[LINT_NOWHERE] = "no-resource",
	[LINT_OTHERS] = "frame-of-others",
	[LINT_OUTSIDE] = "outside-vma",
	[LINT_SHARED_WRITABLE] = "shared-writable",
	[LINT_COMMON_WRITABLE] = "common-writable",
	[LINT_UNTRACKED] = "soft-dirty-untracked",
	[LINT_UNPROTECTED] = "uffd-wp-writable",
	[LINT_OTHER_KEY] = "other-pkey",
	[LINT_FREED] = "freed-while-mapped",
	[LINT_CONTIGUOUS] = "contiguous-differs",
};

#define TYPE(name)	(1U << PTWALK_MEMORY_TYPE_##name)
#define X86_TYPES	(TYPE(WT) | TYPE(WC) | TYPE(UC) | TYPE(UC_MINUS) | \
			 TYPE(WP))

/* Who maps /dev/mem has asked for these very addresses, and for no resource. */
#define DEV_MEM_OPS	"mmap_mem_ops"

static void *grow(void *array, size_t *max, size_t nr, size_t size, bool *failed)
{
	if (!array_room(&array, max, nr + 1, size))
		*failed = true;
	return array;
}

static bool lint_goes_on(const struct linter *l, const struct lint_finding *last,
			 const struct lint_finding *f)
{
	uint64_t bytes = last->pages << l->kernel->page_shift;

	return last->lint == f->lint && last->addr + bytes == f->addr &&
	       ptwalk_bits_aux(last->bits) == ptwalk_bits_aux(f->bits) &&
	       last->other_pid == f->other_pid &&
	       last->other_bits == f->other_bits && last->more == f->more &&
	       (!f->other_pid || last->other + bytes == f->other) &&
	       /* lint_holds() has no list of frames. */
	       (!f->other_pid || f->other_pid == l->pid ||
		last->value + last->pages == f->value) &&
	       !strcmp(last->text, f->text);
}

static bool lint_is_wanted(const struct linter *l, enum lint lint)
{
	return !l->only || l->only & 1U << lint;
}

static void report_lint(struct linter *l, const struct lint_finding *f)
{
	struct lint_findings *out = l->out;
	size_t i;

	if (!lint_is_wanted(l, f->lint))
		return;
	/* Lints take turns; of each one, the last finding is near the end. */
	for (i = out->nr; i && i + NR_LINTS > out->nr; i--)
		if (lint_goes_on(l, &out->finding[i - 1], f)) {
			out->finding[i - 1].pages += f->pages;
			return;
		}
	out->finding = grow(out->finding, &out->max, out->nr,
			    sizeof(*out->finding), &out->failed);
	if (!out->failed)
		out->finding[out->nr++] = *f;
}

/* What @range has of an extent; false: nothing. */
static bool clip_extent(const struct linter *l, const struct ptwalk_extent *e,
			const struct range *range, struct ptwalk_extent *part)
{
	unsigned int shift = l->kernel->page_shift;
	uint64_t mask = (1ULL << shift) - 1;
	uint64_t start = range->start & ~mask, last = range->last | mask;
	uint64_t end = e->addr + (e->pages << shift) - 1;

	if (end < start || e->addr > last)
		return false;
	*part = *e;
	if (start > e->addr) {
		if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
			part->value += (start - e->addr) >> shift;
		part->addr = start;
	}
	if (end > last)
		end = last;
	part->pages = ((end - part->addr) >> shift) + 1;
	return true;
}

/**
 * struct place - what the physical addresses from one on are
 * @last: Last address of which this holds.
 * @ram: System RAM.
 * @device: The memory of a device; @text says which.
 * @nothing: No resource is there, or none but windows to buses.
 * @text: In words.
 */
struct place {
	uint64_t last;
	bool ram, device, nothing;
	char text[128];
};

/* Whether a word of @name begins with @word. */
static bool has_word(const char *name, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = name; *p; p++)
		if (!strncasecmp(p, word, len) &&
		    (p == name || !isalnum((unsigned char)p[-1])))
			return true;
	return false;
}

/* Resources that a process may well see as it sees memory. */
static bool is_memory(const char *name)
{
	static const char *const words[] = {
		"ram", "rom", "reserved", "memory", "acpi", "kernel", "crash",
		"dax", "namespace", "cxl",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(name, words[i]))
			return true;
	return false;
}

/* Windows to what lies behind them. */
static bool is_window(const char *name)
{
	return has_word(name, "PCI Bus") || has_word(name, "pcie@") ||
	       has_word(name, "pci@") || has_word(name, "bus@");
}

/*
 * Nothing but windows to buses, which no device behind them has a part of. In
 * the first megabyte devices have addresses that no BAR tells of.
 */
static bool is_empty_window(const struct iomem_resource *const *chain, size_t nr,
			    const struct pcibar *bar, uint64_t addr)
{
	size_t windows = 0;

	while (windows < nr && is_window(chain[windows]->name))
		windows++;
	return nr && windows == nr && addr >= 1 << 20 && (!bar || bar->index > 6);
}

/*
 * A BAR of a PCI device if it is one, or else the outermost resource that
 * isn't memory, nor a window to a bus, nor inside of memory.
 */
static struct place lint_place(const struct linter *l, uint64_t addr)
{
	const struct pcibar *bar = pcibars_at(l->bars, addr);
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr = iomem_at(l->iomem, addr, chain), i;
	struct place place = { .last = addr };
	char text[PCIBAR_TEXT];

	if (!nr && !bar && l->iomem->nr && !l->iomem->why_not) {
		place.nothing = true;
		place.last = iomem_gap(l->iomem, addr);
		return place;
	}
	if (is_empty_window(chain, nr, bar, addr)) {
		place.nothing = true;
		place.last = iomem_gap(l->iomem, addr);
		if (place.last > chain[nr - 1]->last)
			place.last = chain[nr - 1]->last;
		return place;
	}
	for (i = 0; i < nr && !place.ram; i++)
		place.ram = !strncmp(chain[i]->name, "System RAM", 10);
	if (place.ram) {
		place.last = chain[i - 1]->last;
		snprintf(place.text, sizeof(place.text), "System RAM");
		return place;
	}
	if (bar && bar->index < 6) {
		place.device = true;
		place.last = bar->last;
		snprintf(place.text, sizeof(place.text), "%s of PCI device %s",
			 pcibar_text(bar, text), bar->device);
		return place;
	}
	for (i = 0; i < nr; i++) {
		const char *name = chain[i]->name;

		if (is_window(name))
			continue;
		if (is_memory(name))
			break;
		place.device = true;
		place.last = chain[i]->last;
		snprintf(place.text, sizeof(place.text), "%s of /proc/iomem",
			 name);
		break;
	}
	return place;
}

/* Pages of an extent from @page on that are in the same place, at least one. */
static uint64_t pages_in_place(const struct linter *l, const struct place *place,
			       uint64_t paddr, uint64_t pages)
{
	uint64_t n = ((place->last - paddr) >> l->kernel->page_shift) + 1;

	return n < pages ? n : pages;
}

/*
 * On x86 the kernel keeps book of the memory type of each page of RAM and
 * gives special entries that one, whatever a driver asks for; nobody looks
 * after others, whose driver must have told the kernel. Elsewhere, DMA memory
 * for devices that don't snoop is mapped so that writes combine, but never as
 * a device's registers are.
 */
static bool ram_is_wrong(const struct linter *l, uint64_t bits)
{
	unsigned int type = memtype_of(l->kernel, bits);
	enum caching caching = memtype_caching(type);

	if (caching == CACHING_UNKNOWN || caching == CACHING_FULL)
		return false;
	if (!(1U << type & X86_TYPES))
		return caching == CACHING_NONE;
	return !bits_have(bits, PTWALK_FLAG_SPECIAL) &&
	       (bits_have(bits, PTWALK_FLAG_TYPE_DIFFERS) ||
		!(l->kernel->flags & PTWALK_FLAG_TYPE_DIFFERS));
}

/* The other way round: the driver has told the kernel, and forgets it here. */
bool lint_kernel_is_other(const struct ptwalk_kernel *kernel, uint64_t bits)
{
	return bits_have(bits, PTWALK_FLAG_TYPE_DIFFERS) &&
	       !bits_have(bits, PTWALK_FLAG_SPECIAL) &&
	       memtype_caching(memtype_of(kernel, bits)) == CACHING_FULL;
}

/* What has no struct page; of what has one, the kernel's own code takes care. */
static bool device_is_wrong(const struct linter *l, uint64_t bits)
{
	bool special = bits_have(bits, PTWALK_FLAG_SPECIAL) ||
		       !(l->kernel->features & PTWALK_FEATURE_PTE_SPECIAL);

	return special && !bits_have(bits, PTWALK_FLAG_DEVMAP | PTWALK_FLAG_PAGE) &&
	       l->kernel->nr_memory_types > 1 &&
	       memtype_caching(memtype_of(l->kernel, bits)) == CACHING_FULL;
}

/* What is written through such a mapping may stay in the caches, and one without misses it. */
static bool is_cached(enum caching caching)
{
	return caching == CACHING_FULL || caching == CACHING_THROUGH;
}

static struct lint_finding new_finding(enum lint lint, const struct ptwalk_extent *e,
				       uint64_t skip, uint64_t pages,
				       unsigned int shift)
{
	struct lint_finding f = {
		.lint = lint,
		.addr = e->addr + (skip << shift),
		.pages = pages,
		.value = e->value + skip,
		.bits = e->bits,
	};

	return f;
}

/* Only the zero page, and memory of ZONE_DEVICE, may be special anywhere. */
static void lint_special(struct linter *l, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *e)
{
	struct lint_finding f;

	if (!bits_have(e->bits, PTWALK_FLAG_SPECIAL) ||
	    bits_have(e->bits, PTWALK_FLAG_ZERO | PTWALK_FLAG_DEVMAP) ||
	    vma->flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP))
		return;
	f = new_finding(LINT_SPECIAL, e, 0, e->pages, l->kernel->page_shift);
	report_lint(l, &f);
}

#define ANY_ACCESS							\
	(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_EXEC)

/*
 * What the process may do, and its VMA doesn't say so. An entry of a shadow
 * stack counts as writable, and stays one when mprotect() takes VM_WRITE away.
 */
static uint32_t more_than(const struct linter *l, const struct ptwalk_vma *vma,
			  uint64_t bits)
{
	uint32_t more = 0;

	if (bits_have(bits, PTWALK_FLAG_PROT_NONE))
		return 0;
	if (!(vma->flags & (PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_SHADOW_STACK)))
		more |= PTWALK_FLAG_WRITE;
	if (!(vma->flags & PTWALK_VMA_FLAG_EXEC) && l->denies_exec)
		more |= PTWALK_FLAG_EXEC;
	if (!(vma->flags & ANY_ACCESS) && !bits_have(bits, PTWALK_FLAG_SPECIAL))
		more |= PTWALK_FLAG_USER;
	return ptwalk_bits_flags(bits) & more;
}

static void lint_more(struct linter *l, const struct ptwalk_vma *vma,
		      const struct ptwalk_extent *e)
{
	uint32_t more = more_than(l, vma, e->bits);
	struct lint_finding f;

	if (!more)
		return;
	f = new_finding(LINT_MORE, e, 0, e->pages, l->kernel->page_shift);
	f.more = more;
	vma_permissions(vma, f.text);
	report_lint(l, &f);
}

static void lint_laws(struct linter *l, const struct ptwalk_vma *vma,
		      const struct ptwalk_extent *e)
{
	struct lint_finding f;

	for (unsigned int i = 0; i < nr_laws; i++) {
		if ((!ptwalk_bits_present(e->bits) && !laws[i].migrating) ||
		    !laws[i].broken(l->kernel, vma, e->bits))
			continue;
		f = new_finding(laws[i].lint, e, 0, e->pages, l->kernel->page_shift);
		f.more = ptwalk_bits_flags(e->bits) & PTWALK_FLAG_WRITE;
		report_lint(l, &f);
	}
}

/* No physical address has so many bits. */
static bool beyond(const struct ptwalk_kernel *kernel, uint64_t pfn)
{
	return kernel->phys_bits > kernel->page_shift &&
	       pfn >> (kernel->phys_bits - kernel->page_shift);
}

/*
 * x86 and its firmware list all that there is. Elsewhere there are devices
 * that no driver has requested, but those aren't mapped as RAM is.
 */
static bool nothing_is_there(const struct linter *l, const struct place *place,
			     const struct ptwalk_extent *e)
{
	return place->nothing && !bits_have(e->bits, PTWALK_FLAG_RAM) &&
	       (memtypes_there(l->kernel) & TYPE(UC_MINUS) ||
		memtype_caching(memtype_of(l->kernel, e->bits)) == CACHING_FULL ||
		beyond(l->kernel, e->value));
}

/* So many frames are asked about at a time. */
#define FRAMES	64

static const char is_free[] = "the frame is free, for whoever asks next";

/* Who has a frame with these /proc/kpageflags, or NULL; shmem is for drivers. */
static const char *owner_of(uint64_t flags)
{
	if (flags & KPF_BIT(SLAB))
		return "the kernel's slab allocator has the frame";
	if (flags & KPF_BIT(BUDDY))
		return is_free;
	if (flags & KPF_BIT(PGTABLE))
		return "the frame is a page table";
	if (flags & KPF_BIT(ANON))
		return "the frame is anonymous memory of a process";
	if (flags & KPF_BIT(LRU) && !(flags & KPF_BIT(SWAPBACKED)))
		return "the frame is in the page cache of a file";
	return NULL;
}

/*
 * The kernel's own code and data, by the innermost resource at a frame that was
 * reserved before there was an allocator; what was freed of it is reserved no more.
 */
static bool is_of_image(const struct linter *l, uint64_t pfn, uint64_t flags,
			char *text, size_t size)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr;

	if (!(flags & KPF_BIT(RESERVED)))
		return false;
	nr = iomem_at(l->iomem, pfn << l->kernel->page_shift, chain);
	if (iomem_in_use(chain, nr) == nr)
		return false;
	snprintf(text, size, "the frame is the kernel's own, of %s in /proc/iomem",
		 chain[nr - 1]->name);
	return true;
}

#define MAY_BE_WRITTEN	(PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_MAYWRITE)

#define DRIVERS	(PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO | \
		 PTWALK_VMA_FLAG_DONTEXPAND)

/**
 * struct beside - pages of a driver, and what the kernel maps of them
 */
struct beside {
	struct linter *l;
	const struct ptwalk_extent *extent;
};

/*
 * The direct mapping is left out: DMA memory may have another type there, by design.
 * Of memory that isn't RAM, what isn't cached is told apart by its driver.
 */
bool lint_alias_differs(const struct ptwalk_kernel *kernel, uint64_t bits,
			const struct kernel_alias *alias)
{
	const enum caching here = memtype_caching(memtype_of(kernel, bits));
	const enum caching there = memtype_caching(alias->type);

	return !alias->is_direct && here != there && here != CACHING_UNKNOWN &&
	       there != CACHING_UNKNOWN &&
	       (bits_have(bits, PTWALK_FLAG_RAM) || is_cached(here) != is_cached(there));
}

static void compare_alias(const struct kernel_alias *alias, void *arg)
{
	const struct beside *b = arg;
	const unsigned int shift = b->l->kernel->page_shift;
	struct lint_finding f;

	if (!lint_alias_differs(b->l->kernel, b->extent->bits, alias))
		return;
	f = new_finding(LINT_TWO_TYPES, b->extent,
			(alias->phys >> shift) - b->extent->value, alias->bytes >> shift, shift);
	f.other = alias->addr;
	kernel_alias_text(alias, f.text);
	report_lint(b->l, &f);
}

/* hugetlbfs_file_mmap() sets VM_DONTEXPAND, too, as drivers do. */
static bool is_compared_with_kernel(const struct linter *l, const struct ptwalk_vma *vma,
				    const struct ptwalk_extent *e)
{
	return lint_is_wanted(l, LINT_TWO_TYPES) && l->kernel_aliases && vma->inode &&
	       vma->flags & DRIVERS && !(vma->flags & PTWALK_VMA_FLAG_HUGETLB) &&
	       !bits_have(e->bits, PTWALK_FLAG_ANON) &&
	       !lint_kernel_is_other(l->kernel, e->bits);
}

/* Of what a driver has mapped: does the kernel itself have it with another type? */
static void lint_kernel(struct linter *l, const struct ptwalk_vma *vma,
			const struct ptwalk_extent *e)
{
	const struct kernel_aliases *aliases;
	struct beside beside = { l, e };

	if (!is_compared_with_kernel(l, vma, e))
		return;
	aliases = l->kernel_aliases();
	if (aliases)
		kernel_aliases_of(aliases, e->value << l->kernel->page_shift,
				  e->pages << l->kernel->page_shift, compare_alias, &beside);
	else
		l->out->alone += e->pages;
}

/**
 * struct uncached - pages of RAM that are mapped uncached
 * @next: The first page of the extent that isn't reported yet, nor left out.
 */
struct uncached {
	struct linter *l;
	const struct ptwalk_extent *extent;
	uint64_t next;
};

static void report_uncached(struct uncached *u, uint64_t end)
{
	struct lint_finding f;

	if (u->next >= end)
		return;
	f = new_finding(LINT_RAM_UNCACHED, u->extent, u->next, end - u->next,
			u->l->kernel->page_shift);
	report_lint(u->l, &f);
}

/* lint_kernel() tells of these how the kernel's driver has them, which mayn't be cached. */
static void leave_out_alias(const struct kernel_alias *alias, void *arg)
{
	struct uncached *u = arg;
	const unsigned int shift = u->l->kernel->page_shift;
	const uint64_t first = (alias->phys >> shift) - u->extent->value;
	const uint64_t end = first + (alias->bytes >> shift);

	if (!lint_alias_differs(u->l->kernel, u->extent->bits, alias))
		return;
	report_uncached(u, first);
	u->next = u->next > end ? u->next : end;
}

static void lint_uncached(struct linter *l, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *e, uint64_t skip, uint64_t pages)
{
	const unsigned int shift = l->kernel->page_shift;
	struct uncached u = { l, e, skip };
	const struct kernel_aliases *aliases =
		is_compared_with_kernel(l, vma, e) ? l->kernel_aliases() : NULL;

	if (aliases)
		kernel_aliases_of(aliases, (e->value + skip) << shift, pages << shift,
				  leave_out_alias, &u);
	report_uncached(&u, skip + pages);
}

/* Memory types that don't fit what the physical address is. */
static void lint_types(struct linter *l, const struct ptwalk_vma *vma,
		       const struct ptwalk_extent *e)
{
	unsigned int shift = l->kernel->page_shift;
	bool ram = ram_is_wrong(l, e->bits) && bits_have(e->bits, PTWALK_FLAG_RAM);
	bool device = device_is_wrong(l, e->bits);
	struct lint_finding f;
	struct place place;
	uint64_t i, n;

	if (lint_kernel_is_other(l->kernel, e->bits)) {
		f = new_finding(LINT_TWO_TYPES, e, 0, e->pages, shift);
		report_lint(l, &f);
	}
	/* Where nothing is known of places, RAM is what has a page. */
	if (ram && (!l->iomem->nr || l->iomem->why_not)) {
		lint_uncached(l, vma, e, 0, e->pages);
		return;
	}
	for (i = 0; (ram || device) && i < e->pages; i += n) {
		uint64_t paddr = (e->value + i) << shift;

		place = lint_place(l, paddr);
		n = pages_in_place(l, &place, paddr, e->pages - i);
		if (ram && place.ram) {
			lint_uncached(l, vma, e, i, n);
		} else if (device && place.device) {
			f = new_finding(LINT_DEVICE_CACHED, e, i, n, shift);
			memcpy(f.text, place.text, sizeof(f.text));
			report_lint(l, &f);
		}
	}
}

static bool is_raw(const struct ptwalk_vma *vma, const struct ptwalk_extent *e)
{
	return bits_have(e->bits, PTWALK_FLAG_SPECIAL) &&
	       !bits_have(e->bits, PTWALK_FLAG_ZERO | PTWALK_FLAG_DEVMAP) &&
	       strncmp(vma->ops, DEV_MEM_OPS, strlen(DEV_MEM_OPS));
}

/*
 * Of those without an owner by their flags: the ones in a CPU's list of free pages, of
 * which the module alone can tell.
 */
static void free_of(const struct linter *l, uint64_t pfn, const uint64_t *flags, size_t nr,
		    bool free[FRAMES])
{
	struct ptwalk_page pages[FRAMES];
	uint64_t pfns[FRAMES];
	size_t of[FRAMES], n = 0;

	memset(free, 0, FRAMES * sizeof(*free));
	for (size_t i = 0; i < nr; i++)
		if (!owner_of(flags[i]) && !(flags[i] & KPF_BIT(RESERVED))) {
			of[n] = i;
			pfns[n++] = pfn + i;
		}
	if (!n || !l->frame_pages)
		return;
	if (!l->frame_pages(pfns, n, pages)) {
		l->out->uncounted += n;
		return;
	}
	for (size_t i = 0; i < n; i++)
		free[of[i]] = pages[i].flags & PTWALK_PAGE_FLAG_FREE;
}

/* No page of a file, nor of a driver, is anonymous, and shared mappings aren't copied. */
static void lint_anon(struct linter *l, const struct ptwalk_vma *vma,
		      const struct ptwalk_extent *e)
{
	struct lint_finding f;

	if (!vma->inode || !(vma->flags & PTWALK_VMA_FLAG_SHARED) ||
	    !bits_have(e->bits, PTWALK_FLAG_ANON))
		return;
	f = new_finding(LINT_OTHERS, e, 0, e->pages, l->kernel->page_shift);
	snprintf(f.text, sizeof(f.text), "%s", owner_of(KPF_BIT(ANON)));
	report_lint(l, &f);
}

/* RAM that a driver has mapped by its number alone: is it the driver's? */
static void lint_others(struct linter *l, const struct ptwalk_vma *vma,
			const struct ptwalk_extent *e)
{
	uint64_t flags[FRAMES], i;
	struct lint_finding f;
	bool free[FRAMES];
	const char *owner;
	size_t got, n;

	if (!lint_is_wanted(l, LINT_OTHERS) || !l->frame_flags || !is_raw(vma, e) ||
	    !bits_have(e->bits, PTWALK_FLAG_RAM))
		return;
	for (i = 0; i < e->pages; i += got) {
		n = e->pages - i < FRAMES ? e->pages - i : FRAMES;
		got = l->frame_flags(e->value + i, flags, n);
		if (!got)
			return;
		free_of(l, e->value + i, flags, got, free);
		for (n = 0; n < got; n++) {
			f = new_finding(LINT_OTHERS, e, i + n, 1,
					l->kernel->page_shift);
			owner = free[n] ? is_free : owner_of(flags[n]);
			if (owner)
				snprintf(f.text, sizeof(f.text), "%s", owner);
			/*
			 * What the kernel maps of itself is of no file ([vvar]), or can
			 * never be written to (/sys/kernel/btf/vmlinux, since 6.16).
			 */
			else if (!vma->inode || !(vma->flags & MAY_BE_WRITTEN) ||
				 !is_of_image(l, f.value, flags[n], f.text, sizeof(f.text)))
				continue;
			report_lint(l, &f);
		}
	}
}

/*
 * Each mapping holds a reference: with fewer, the page is free, or will be too early.
 */
static bool is_freed(const struct ptwalk_page *page)
{
	const int32_t references = page->counts;

	return references <= 0 || (uint32_t)references < (uint32_t)page->folio_counts ||
	       (uint32_t)references < page->counts >> 32;
}

/*
 * Of a driver's large page, whose references are common, the module reads the map count of
 * one page each. Gives the pages in a row that belong to one the sum of these, if another
 * reading is the same: others may map and unmap it meanwhile. What lies further apart, or
 * is read later, isn't added.
 */
static void join_mappings(const struct linter *l, const uint64_t *pfns,
			  struct ptwalk_page *pages, size_t nr)
{
	struct ptwalk_page again[FRAMES];
	bool large = false;
	size_t n;

	for (size_t i = 0; i < nr; i++)
		large |= pages[i].place & 0xff;
	if (!large || !l->frame_pages(pfns, nr, again))
		return;
	for (size_t i = 0; i < nr; i += n) {
		const struct ptwalk_page first = pages[i];
		bool same = !first.folio_counts && !(first.flags & PTWALK_PAGE_FLAG_LRU);
		uint32_t mapped = 0;

		for (n = 0; i + n < nr && (!n || first.place & 0xff) &&
		     pages[i + n].place == first.place + ((uint64_t)n << 32); n++) {
			same &= (uint32_t)pages[i + n].counts == (uint32_t)first.counts &&
				pages[i + n].counts == again[i + n].counts;
			mapped += pages[i + n].counts >> 32;
		}
		for (size_t j = i; same && n > 1 && j < i + n; j++)
			pages[j].folio_counts = mapped;
	}
}

/*
 * Whether the last unmapping frees it, as the mappings hold all references: so it shall be
 * if the driver has given it away, but not if it goes on using it.
 */
static bool is_given(const struct ptwalk_page *page)
{
	const uint32_t mapped = page->counts >> 32, of_folio = page->folio_counts;

	return mapped && (uint32_t)page->counts == (of_folio > mapped ? of_folio : mapped);
}

/*
 * Whether a driver may have put its pages there: vm_insert_page() sets VM_MIXEDMAP, a fault
 * handler that returns pages sets nothing. That a file's are of the page cache one tells.
 */
static bool may_be_a_drivers(const struct linter *l, const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_MIXEDMAP ||
	       (vma->inode && l->cached_last != vma->last &&
		!(vma->flags & (PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_HUGETLB)));
}

/* What no driver can insert (validate_page_before_insert()): the page was freed, and taken. */
#define OF_THE_KERNEL	(KPF_BIT(SLAB) | KPF_BIT(BUDDY) | KPF_BIT(PGTABLE))

/*
 * Pages that a driver has inserted one by one, which it frees itself. The module tells
 * nothing of memory that isn't online, such as a device's with struct pages.
 */
static void lint_freed(struct linter *l, const struct ptwalk_vma *vma,
		       const struct ptwalk_extent *e)
{
	const bool mixed = vma->flags & PTWALK_VMA_FLAG_MIXEDMAP;
	struct ptwalk_page pages[FRAMES];
	uint64_t pfns[FRAMES], flags[FRAMES];
	struct lint_finding f;
	size_t n, got;

	if ((!lint_is_wanted(l, LINT_FREED) && !lint_is_wanted(l, LINT_OTHERS)) ||
	    !l->frame_pages || !may_be_a_drivers(l, vma) ||
	    !bits_have(e->bits, PTWALK_FLAG_PAGE) || !bits_have(e->bits, PTWALK_FLAG_RAM) ||
	    bits_have(e->bits, PTWALK_FLAG_ZERO | PTWALK_FLAG_DEVMAP | PTWALK_FLAG_ANON))
		return;
	for (uint64_t i = 0; i < e->pages; i += n) {
		for (n = 0; n < FRAMES && i + n < e->pages; n++)
			pfns[n] = e->value + i + n;
		if (!l->frame_pages(pfns, n, pages)) {
			l->out->uncounted += mixed ? e->pages - i : 0;
			return;
		}
		join_mappings(l, pfns, pages, n);
		/* Of the page cache none is the kernel's. */
		got = l->free_flags && (mixed || !(pages[0].flags & PTWALK_PAGE_FLAG_LRU)) ?
		      l->free_flags(l->kernel, e->value + i, flags, n) : 0;
		for (size_t j = 0; j < n; j++) {
			if (!mixed && pages[j].flags & PTWALK_PAGE_FLAG_LRU) {
				l->cached_last = vma->last;
				return;
			}
			if (is_freed(&pages[j])) {
				f = new_finding(LINT_FREED, e, i + j, 1, l->kernel->page_shift);
				snprintf(f.text, sizeof(f.text), "%" PRId32,
					 (int32_t)pages[j].counts);
			} else if (j < got && flags[j] & OF_THE_KERNEL) {
				f = new_finding(LINT_OTHERS, e, i + j, 1, l->kernel->page_shift);
				snprintf(f.text, sizeof(f.text), "%s", owner_of(flags[j]));
			} else {
				l->out->given += is_given(&pages[j]);
				continue;
			}
			report_lint(l, &f);
		}
	}
}

/* Of all the pages one finding, with the owner of the first. */
static void report_outside(struct linter *l, const struct ptwalk_extent *e)
{
	struct lint_finding f = new_finding(LINT_OUTSIDE, e, 0, e->pages,
					    l->kernel->page_shift);
	const char *owner = NULL;
	bool free[FRAMES];
	uint64_t flags;

	if (l->frame_flags && bits_have(e->bits, PTWALK_FLAG_RAM) &&
	    l->frame_flags(e->value, &flags, 1)) {
		free_of(l, e->value, &flags, 1, free);
		owner = free[0] ? is_free : owner_of(flags);
	}
	snprintf(f.text, sizeof(f.text), "%s", owner ?: "");
	report_lint(l, &f);
}

/*
 * What may have been given for a PFN at an address where nothing is: a physical address, or
 * what virt_to_phys() makes of memory that isn't in the direct mapping.
 */
static void guess_nowhere(const struct linter *l, struct lint_finding *f)
{
	const uint64_t page = 1ULL << l->kernel->page_shift;
	const struct place place = lint_place(l, f->value);

	const char *wide = beyond(l->kernel, f->value) ?
			   ", which has more bits than the processor" : "";

	if (f->value && !(f->value & (page - 1)) && (place.ram || place.device))
		snprintf(f->text, sizeof(f->text),
			 "%s; was a physical address given for a PFN? There is %.32s", wide,
			 place.text);
	else
		snprintf(f->text, sizeof(f->text), "%s%s", wide,
			 iomem_gap(l->iomem, f->value << l->kernel->page_shift) == UINT64_MAX ?
			 "; was virt_to_phys() given memory of vmalloc()?" : "");
}

/* A mapping ends where the resource ends in which it begins, or before. */
static void end_run(struct linter *l)
{
	unsigned int shift = l->kernel->page_shift;
	struct lint_run *r = &l->run;
	struct ptwalk_extent e = { r->addr, r->value, r->pages, r->bits };
	struct place first, place;
	struct lint_finding f;
	uint64_t i, n;

	r->pages = 0;
	if (!e.pages)
		return;
	first = lint_place(l, e.value << shift);
	n = pages_in_place(l, &first, e.value << shift, e.pages);
	if (nothing_is_there(l, &first, &e)) {
		f = new_finding(LINT_NOWHERE, &e, 0, n, shift);
		guess_nowhere(l, &f);
		report_lint(l, &f);
	}
	if (!first.ram && !first.device)
		return;
	for (i = n; i < e.pages; i += n) {
		uint64_t paddr = (e.value + i) << shift;

		place = lint_place(l, paddr);
		n = pages_in_place(l, &place, paddr, e.pages - i);
		if (first.ram && place.ram)
			continue;
		f = new_finding(LINT_PAST_RESOURCE, &e, i, e.pages - i, shift);
		memcpy(f.text, first.text, sizeof(f.text));
		report_lint(l, &f);
		return;
	}
}

uint64_t lint_device_rest(const struct linter *l, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *e, char text[LINT_TEXT])
{
	const uint64_t paddr = e->value << l->kernel->page_shift;
	struct place place;

	if (!ptwalk_bits_present(e->bits) || !is_raw(vma, e))
		return 0;
	place = lint_place(l, paddr);
	snprintf(text, LINT_TEXT, "%s", place.text);
	return place.device ? place.last + 1 - paddr : 0;
}

static void lint_run(struct linter *l, const struct ptwalk_vma *vma,
		     const struct ptwalk_extent *e)
{
	struct lint_run *r = &l->run;

	if (r->pages && r->vma_start == vma->start &&
	    r->addr + (r->pages << l->kernel->page_shift) == e->addr &&
	    r->value + r->pages == e->value) {
		r->pages += e->pages;
		return;
	}
	end_run(l);
	if (!is_raw(vma, e))
		return;
	*r = (struct lint_run) {
		.addr = e->addr,
		.pages = e->pages,
		.value = e->value,
		.bits = e->bits,
		.vma_start = vma->start,
	};
}

static void end_block(struct linter *l, struct contiguous *block)
{
	struct ptwalk_extent whole = block->first, part;
	char text[CONTIGUOUS_TEXT];
	struct lint_finding f;

	if (contiguous_broken(block, l->kernel, text)) {
		whole.pages = (block->end - whole.addr) >> l->kernel->page_shift;
		for (size_t i = 0; i < l->ranges->nr; i++) {
			if (!clip_extent(l, &whole, &l->ranges->range[i], &part))
				continue;
			f = new_finding(LINT_CONTIGUOUS, &part, 0, part.pages,
					l->kernel->page_shift);
			snprintf(f.text, sizeof(f.text), "%s", text);
			report_lint(l, &f);
		}
	}
	*block = (struct contiguous){ 0 };
}

/*
 * A block stays one if its VMA is split, and if a part of it is asked about. Entries that
 * aren't present are left out: those that are must be all of the block.
 */
static void lint_contiguous(struct linter *l, const struct ptwalk_extent *e)
{
	const enum ptwalk_level level = ptwalk_bits_level(e->bits);
	const unsigned int entries = contiguous_entries(l->kernel, level);
	const unsigned int page_shift = l->kernel->page_shift;
	struct ptwalk_extent part = *e;
	struct contiguous *block;
	uint64_t size, left;

	if (!entries || !ptwalk_bits_present(e->bits) || !lint_is_wanted(l, LINT_CONTIGUOUS))
		return;
	block = &l->block[level];
	size = (uint64_t)entries << l->kernel->level_shift[level];
	for (left = e->pages; left; left -= part.pages) {
		const uint64_t start = part.addr & ~(size - 1);

		if (block->seen && block->start != start)
			end_block(l, block);
		block->start = start;
		part.pages = (start + size - part.addr) >> page_shift;
		if (part.pages > left)
			part.pages = left;
		contiguous_add(block, l->kernel, &part);
		part.addr += part.pages << page_shift;
		part.value += part.pages;
	}
}

/*
 * A driver may have ignored vm_pgoff, which one mapping alone doesn't show; in
 * /dev/mem the offset is the address.
 */
static void count_offset(struct linter *l, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *e)
{
	if (e->addr == vma->start && vma->inode && vma->pgoff &&
	    vma->flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP) &&
	    e->value != vma->pgoff && !vma_pgoff_is_pfn(vma) &&
	    !(l->judged && ranges_have(l->judged, vma->start)))
		l->out->offsets++;
}

void lint_extents(struct linter *l, const struct ptwalk_vma *vma,
		  const struct ptwalk_extent *extents, size_t nr)
{
	struct ptwalk_extent e;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		lint_contiguous(l, &extents[i]);
		for (j = 0; j < l->ranges->nr; j++) {
			if (!clip_extent(l, &extents[i], &l->ranges->range[j], &e))
				continue;
			if (!ptwalk_bits_present(e.bits)) {
				l->out->absent += e.pages;
				if (ptwalk_bits_kind(e.bits) == PTWALK_KIND_MIGRATION)
					lint_laws(l, vma, &e);
				continue;
			}
			l->out->pages += e.pages;
			count_offset(l, vma, &e);
			lint_types(l, vma, &e);
			lint_kernel(l, vma, &e);
			lint_special(l, vma, &e);
			lint_more(l, vma, &e);
			lint_laws(l, vma, &e);
			lint_anon(l, vma, &e);
			lint_others(l, vma, &e);
			lint_freed(l, vma, &e);
			lint_run(l, vma, &e);
		}
	}
}

void lint_truth(struct linter *l, const struct truth *truth)
{
	size_t i = 0, first;

	for (size_t v = 0; v < truth->nr_vmas; v++) {
		for (first = i; i < truth->nr_extents &&
		     truth->extents[i].addr <= truth->vmas[v].last; i++)
			;
		lint_extents(l, &truth->vmas[v], &truth->extents[first], i - first);
	}
	lint_end(l);
	lint_sort(l->out);
}

void lint_outside(struct linter *l, const struct ptwalk_extent *extents, size_t nr)
{
	struct ptwalk_extent e;
	size_t i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < l->ranges->nr; j++)
			if (ptwalk_bits_kind(extents[i].bits) != PTWALK_KIND_NONE &&
			    clip_extent(l, &extents[i], &l->ranges->range[j], &e))
				report_outside(l, &e);
}

void lint_end(struct linter *l)
{
	end_run(l);
	for (size_t i = 0; i < sizeof(l->block) / sizeof(l->block[0]); i++)
		end_block(l, &l->block[i]);
}

/* How far from ordinary memory; types of a rank don't get in each other's way. */
static unsigned int rank_of(const struct linter *l, uint64_t bits)
{
	unsigned int type = memtype_of(l->kernel, bits);
	enum caching caching = memtype_caching(type);

	if (type == PTWALK_MEMORY_TYPE_UC_MINUS)
		type = PTWALK_MEMORY_TYPE_UC;
	/* Where the address tells, it tells the same of both mappings. */
	if (type == PTWALK_MEMORY_TYPE_PMA)
		caching = CACHING_FULL;
	if (caching == CACHING_UNKNOWN || caching == CACHING_FULL)
		return caching;
	return caching << 8 | type;
}

void lint_note_uses(const struct linter *l, const struct ptwalk_extent *extents,
		    size_t nr, struct lint_uses *uses)
{
	size_t i;

	for (i = 0; i < nr && !uses->failed; i++) {
		const struct ptwalk_extent *e = &extents[i];

		if (!ptwalk_bits_present(e->bits) || rank_of(l, e->bits) <= CACHING_FULL)
			continue;
		uses->use = grow(uses->use, &uses->max, uses->nr,
				 sizeof(*uses->use), &uses->failed);
		if (!uses->failed)
			uses->use[uses->nr++] = (struct lint_use) {
				.value = e->value,
				.pages = e->pages,
				.bits = e->bits,
				.addr = e->addr,
				.pid = l->pid,
			};
	}
}

static int by_frame(const void *a, const void *b)
{
	const struct lint_use *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

void lint_sort_uses(struct lint_uses *uses)
{
	uint64_t furthest = 0;
	size_t i;

	if (uses->nr)
		qsort(uses->use, uses->nr, sizeof(*uses->use), by_frame);
	for (i = 0; i < uses->nr; i++) {
		struct lint_use *u = &uses->use[i];

		if (u->value + u->pages > furthest)
			furthest = u->value + u->pages;
		u->furthest = furthest;
	}
}

/* Index behind the last use that begins before frame @end. */
static size_t uses_before(const struct lint_uses *uses, uint64_t end)
{
	return array_from(uses->use, uses->nr, value, end);
}

/* The same frames, mapped in two ways; told of one of the two places. */
static void two_types(struct linter *l, pid_t pid, const struct ptwalk_extent *e,
		      const struct lint_use *u)
{
	unsigned int shift = l->kernel->page_shift;
	unsigned int mine = rank_of(l, e->bits), other = rank_of(l, u->bits);
	uint64_t first = e->value > u->value ? e->value : u->value;
	uint64_t end = e->value + e->pages < u->value + u->pages ?
		       e->value + e->pages : u->value + u->pages;
	uint64_t here = e->addr + ((first - e->value) << shift);
	uint64_t there = u->addr + ((first - u->value) << shift);
	struct lint_finding f = {
		.lint = LINT_TWO_TYPES,
		.pages = end - first,
		.value = first,
	};
	bool at_use = u->pid == l->pid && ranges_have(l->ranges, there);
	bool at_extent = pid == l->pid && ranges_have(l->ranges, here);

	if (mine == other || mine == CACHING_UNKNOWN || first >= end)
		return;
	/* Of two uses each is looked at; one of them is enough. */
	if ((pid == u->pid && mine > other) ||
	    (pid != l->pid && mine != CACHING_FULL))
		return;
	if (at_use) {
		f.addr = there;
		f.bits = u->bits;
		f.other = here;
		f.other_bits = e->bits;
		f.other_pid = pid;
	} else if (at_extent) {
		f.addr = here;
		f.bits = e->bits;
		f.other = there;
		f.other_bits = u->bits;
		f.other_pid = u->pid;
	} else {
		return;
	}
	f.other_bits &= ~((uint64_t)PTWALK_FLAG_YOUNG << PTWALK_BITS_FLAGS_SHIFT |
			  (uint64_t)PTWALK_FLAG_DIRTY << PTWALK_BITS_FLAGS_SHIFT);
	report_lint(l, &f);
}

void lint_compare_uses(struct linter *l, pid_t pid, const struct ptwalk_extent *extents,
		       size_t nr, const struct lint_uses *uses)
{
	size_t i, j;

	for (i = 0; i < nr && uses->nr; i++) {
		const struct ptwalk_extent *e = &extents[i];

		if (!ptwalk_bits_present(e->bits))
			continue;
		j = uses_before(uses, e->value + e->pages);
		while (j-- && uses->use[j].furthest > e->value)
			two_types(l, pid, e, &uses->use[j]);
	}
}

/* Whether @truth still has the other side of a finding. */
bool lint_holds(const struct lint_finding *f, const struct truth *truth,
		unsigned int page_shift)
{
	uint64_t page = 0;
	size_t i;

	for (i = 0; i < truth->nr_extents && page < f->pages; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];
		uint64_t skip = f->other + (page << page_shift) - e->addr;

		if (!ptwalk_bits_present(e->bits) || e->addr > f->other + (page << page_shift) ||
		    (skip >>= page_shift) >= e->pages ||
		    e->value + skip != f->value + page ||
		    ptwalk_bits_aux(e->bits) != ptwalk_bits_aux(f->other_bits))
			return false;
		page += e->pages - skip;
	}
	return page >= f->pages;
}

struct range lint_block(const struct lint_finding *f, const struct ptwalk_kernel *kernel)
{
	const enum ptwalk_level level = ptwalk_bits_level(f->bits);
	const uint64_t size = (uint64_t)contiguous_entries(kernel, level) <<
			      kernel->level_shift[level];

	return (struct range) { f->addr & ~(size - 1), f->addr | (size - 1) };
}

bool lint_block_holds(const struct lint_finding *f, const struct truth *truth,
		      const struct ptwalk_kernel *kernel)
{
	struct contiguous block = { .start = lint_block(f, kernel).start };
	char text[CONTIGUOUS_TEXT];

	for (size_t i = 0; i < truth->nr_extents; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];

		if (ptwalk_bits_present(e->bits) &&
		    ptwalk_bits_level(e->bits) == ptwalk_bits_level(f->bits))
			contiguous_add(&block, kernel, e);
	}
	return contiguous_broken(&block, kernel, text) && !strcmp(text, f->text);
}

static int by_finding_address(const void *a, const void *b)
{
	const struct lint_finding *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->lint < y->lint ? -1 : x->lint > y->lint;
}

void lint_sort(struct lint_findings *findings)
{
	if (findings->nr)
		qsort(findings->finding, findings->nr,
		      sizeof(*findings->finding), by_finding_address);
}

bool lint_same(const struct lint_findings *a, const struct lint_findings *b)
{
	size_t i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++) {
		const struct lint_finding *f = &a->finding[i];
		const struct lint_finding *g = &b->finding[i];

		if (f->lint != g->lint || f->addr != g->addr ||
		    f->pages != g->pages || f->value != g->value ||
		    f->more != g->more ||
		    ptwalk_bits_aux(f->bits) != ptwalk_bits_aux(g->bits) ||
		    (f->lint == LINT_CONTIGUOUS && strcmp(f->text, g->text)))
			return false;
	}
	return true;
}

void lint_found(const struct lint_finding *f, const struct ptwalk_kernel *kernel,
		char buf[LINT_TEXT])
{
	uint64_t paddr = f->value << kernel->page_shift;
	char type[MEMTYPE_TEXT], absent[ENTRY_TEXT];

	if (!ptwalk_bits_present(f->bits)) {
		snprintf(buf, LINT_TEXT, "%s", entry_absent(f->value, f->bits, absent));
		return;
	}
	snprintf(buf, LINT_TEXT, "physical 0x%" PRIx64 ", memory type %s%s%s%s%s",
		 paddr, memtype_text(kernel, f->bits, type),
		 f->lint == LINT_SPECIAL ? ", a special entry" : "",
		 f->more & PTWALK_FLAG_USER ? ", accessible" : "",
		 f->more & PTWALK_FLAG_WRITE ? ", writable" : "",
		 f->more & PTWALK_FLAG_EXEC ? ", executable" : "");
}

void lint_against(const struct lint_finding *f, const struct ptwalk_kernel *kernel,
		  char buf[LINT_TEXT])
{
	char type[MEMTYPE_TEXT];

	switch (f->lint) {
	case LINT_TWO_TYPES:
		if (!f->other_pid && *f->text) {
			snprintf(buf, LINT_TEXT, "the kernel itself has the frame at 0x%" PRIx64
				 " as %s", f->other, f->text);
			break;
		}
		if (!f->other_pid) {
			snprintf(buf, LINT_TEXT,
				 "the kernel itself has the frame with another memory type");
			break;
		}
		snprintf(buf, LINT_TEXT,
			 "the same frame has memory type %s at 0x%" PRIx64 " of process %d",
			 memtype_text(kernel, f->other_bits, type),
			 (uint64_t)f->other, (int)f->other_pid);
		break;
	case LINT_RAM_UNCACHED:
		snprintf(buf, LINT_TEXT,
			 "it is RAM, which the kernel itself has cached");
		break;
	case LINT_DEVICE_CACHED:
		snprintf(buf, LINT_TEXT, "it is a device's memory: %s", f->text);
		break;
	case LINT_PAST_RESOURCE:
		snprintf(buf, LINT_TEXT,
			 "the mapping began in %s, which has ended", f->text);
		break;
	case LINT_NOWHERE:
		snprintf(buf, LINT_TEXT,
			 "nothing is there: no resource of /proc/iomem but windows to buses has the address%s",
			 f->text);
		break;
	case LINT_OTHERS:
		snprintf(buf, LINT_TEXT, "%s", f->text);
		break;
	case LINT_FREED:
		snprintf(buf, LINT_TEXT,
			 "the kernel counts %s reference%s, fewer than mappings: the page was freed once too often",
			 f->text, strcmp(f->text, "1") ? "s" : "");
		break;
	case LINT_CONTIGUOUS:
		snprintf(buf, LINT_TEXT, "the processor may take the entries of the block for one: %s",
			 f->text);
		break;
	case LINT_OUTSIDE:
		snprintf(buf, LINT_TEXT, "no VMA is there, and the process reaches it all the same%s%s",
			 *f->text ? ": " : "", f->text);
		break;
	case LINT_MORE:
		snprintf(buf, LINT_TEXT, "the VMA allows %s and no more", f->text);
		break;
	case LINT_SPECIAL:
		snprintf(buf, LINT_TEXT,
			 "the mapping is neither VM_PFNMAP nor VM_MIXEDMAP");
		break;
	default:
		for (unsigned int i = 0; i < nr_laws; i++)
			if (laws[i].lint == f->lint)
				snprintf(buf, LINT_TEXT, "%s", laws[i].against);
	}
}
