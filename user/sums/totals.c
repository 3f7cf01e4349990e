// SPDX-License-Identifier: GPL-2.0
/* What the page tables hold, counted: the truth behind smaps and status. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "sums/totals.h"

static bool is_hugetlb(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_HUGETLB;
}

/* vm_stat_account(): what each page of the VMA is counted as, or NULL. */
static uint64_t *account_of(struct totals *t, uint64_t flags)
{
	const uint64_t stack = PTWALK_VMA_FLAG_GROWSDOWN |
			       PTWALK_VMA_FLAG_GROWSUP;

	if (flags & PTWALK_VMA_FLAG_EXEC &&
	    !(flags & (PTWALK_VMA_FLAG_WRITE | stack)))
		return &t->exec;
	if (flags & (stack | PTWALK_VMA_FLAG_SHADOW_STACK))
		return &t->stack;
	if (flags & PTWALK_VMA_FLAG_WRITE && !(flags & PTWALK_VMA_FLAG_SHARED))
		return &t->data;
	return NULL;
}

void totals_vma(struct totals *t, const struct ptwalk_vma *vma,
		unsigned int page_shift)
{
	uint64_t size = ((vma->last - vma->start) >> page_shift) + 1;
	uint64_t *account = account_of(t, vma->flags);

	t->vmas++;
	t->size += size;
	if (account)
		*account += size;
	if (vma->flags & PTWALK_VMA_FLAG_LOCKED)
		t->locked_size += size;
	if (vma->flags & PTWALK_VMA_FLAG_SHMEM && !is_hugetlb(vma))
		t->shmem_size += size;
}

/* mm_counter(): by the page, or by the VMA where nothing is known of it. */
static enum totals_class totals_class_of(const struct ptwalk_vma *vma, uint32_t flags)
{
	if (flags & PTWALK_FLAG_ANON)
		return CLASS_ANON;
	return vma->flags & PTWALK_VMA_FLAG_SHMEM ? CLASS_SHMEM : CLASS_FILE;
}

static bool is_exclusive(const struct ptwalk_kernel *info, uint32_t flags)
{
	if (!(info->features & PTWALK_FEATURE_PAGE_MAPCOUNT) &&
	    flags & PTWALK_FLAG_LARGE)
		return !(flags & PTWALK_FLAG_MAYBE_SHARED);
	return flags & PTWALK_FLAG_EXCLUSIVE;
}

static void count_hugetlb(struct totals *t, const struct ptwalk_extent *e)
{
	const uint32_t flags = ptwalk_bits_flags(e->bits);
	const uint64_t pages = e->pages;

	switch (ptwalk_bits_kind(e->bits)) {
	case PTWALK_KIND_PRESENT:
		t->hugetlb += pages;
		if (flags & PTWALK_FLAG_PMD_SHARED)
			t->hugetlb_pmd_shared += pages;
		if (!(flags & (PTWALK_FLAG_MAYBE_SHARED | PTWALK_FLAG_PMD_SHARED)))
			t->hugetlb_other_tables += ptwalk_bits_level(e->bits) ==
						   PTWALK_LEVEL_PMD ? 0 : pages;
		else
			t->hugetlb_shared += pages;
		break;
	case PTWALK_KIND_NONE:
		t->none += pages;
		break;
	case PTWALK_KIND_MARKER:
		t->marker += pages;
		break;
	case PTWALK_KIND_HWPOISON:
		t->hugetlb_poisoned += pages;
		/* fall through */
	case PTWALK_KIND_MIGRATION:
		t->hugetlb_absent += pages;
		break;
	default:
		t->other += pages;
	}
}

/* Pages of a mapping that show what its file has there, or hide it. */
static void count_seen(struct totals *t, const struct ptwalk_vma *vma, bool copies,
		       uint64_t pages)
{
	if (!(vma->flags & PTWALK_VMA_FLAG_SHMEM))
		return;
	t->shmem_seen += pages;
	if (copies && !(vma->flags & (PTWALK_VMA_FLAG_SHARED | PTWALK_VMA_FLAG_WRITE)))
		t->shmem_kept += pages;
}

static void count_present(struct totals *t, const struct ptwalk_kernel *info,
			  const struct ptwalk_vma *vma, uint32_t level,
			  uint32_t flags, uint64_t pages)
{
	enum totals_class class = totals_class_of(vma, flags);

	if (flags & PTWALK_FLAG_ZERO) {
		*(level == PTWALK_LEVEL_PTE ? &t->zero : &t->huge_zero) += pages;
		return;
	}
	if (!(flags & PTWALK_FLAG_PAGE)) {
		t->special += pages;
		return;
	}
	t->present[class] += pages;
	if (is_exclusive(info, flags))
		t->exclusive += pages;
	if (flags & PTWALK_FLAG_KSM)
		t->ksm += pages;
	if (level == PTWALK_LEVEL_PMD) {
		t->pmd[class] += pages;
		if (flags & PTWALK_FLAG_PROT_NONE)
			t->pmd_prot_none += pages;
	}
	if (vma->flags & PTWALK_VMA_FLAG_LOCKED)
		t->locked += pages;
	count_seen(t, vma, class == CLASS_ANON, pages);
}

static void count_absent(struct totals *t, const struct ptwalk_vma *vma,
			 uint32_t kind, uint32_t level, uint32_t flags,
			 uint64_t pages)
{
	enum totals_class class = totals_class_of(vma, flags);

	if (!(flags & PTWALK_FLAG_PAGE))
		return;
	t->absent[class] += pages;
	if (kind == PTWALK_KIND_HWPOISON)
		t->poisoned[class] += pages;
	if (flags & PTWALK_FLAG_KSM)
		t->ksm += pages;
	if (level == PTWALK_LEVEL_PMD)
		t->pmd[class] += pages;
	if (vma->flags & PTWALK_VMA_FLAG_LOCKED)
		t->locked += pages;
	if (class == CLASS_ANON)
		count_seen(t, vma, true, pages);
}

/* The mixer of SplitMix64. */
static uint64_t digest_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Of many pages, each with a number of its own to be multiplied by. */
static uint64_t mix_page(uint64_t x)
{
	return __builtin_bswap64(x * 0x9e3779b97f4a7c15ULL);
}

/* What the digest is made of: of a PTE, all but the accessed bit. */
static uint64_t digest_bits(uint64_t bits)
{
	return digest_mix(bits & ~((uint64_t)PTWALK_FLAG_YOUNG << PTWALK_BITS_FLAGS_SHIFT));
}

/*
 * The sum over all pages of the page's number times what its entry is: the
 * same for an extent as for its parts. What ascends with the address is told
 * by how far it is from it.
 */
static uint64_t digest_of(const struct ptwalk_kernel *info,
			  const struct ptwalk_extent *e)
{
	uint64_t first = e->addr >> info->page_shift, n = e->pages;
	uint64_t what = e->value, pairs;

	if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
		what -= first;
	pairs = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
	return mix_page(digest_bits(e->bits) + what) * (n * first + pairs);
}

/*
 * The same of a list of values, one a page. This loop runs for nearly every page, so
 * that a sum of sums stands for the products: it has the first page as often as there
 * are pages, and the last one once.
 */
static uint64_t digest_list(const struct ptwalk_kernel *info,
			    const struct ptwalk_extent *e, const uint64_t *value)
{
	const bool ascends = ptwalk_kind_ascends(ptwalk_bits_kind(e->bits));
	const uint64_t first = e->addr >> info->page_shift;
	uint64_t what = digest_bits(e->bits) - (ascends ? first : 0);
	uint64_t sum = 0, sums = 0;

#pragma GCC unroll 8
	for (uint64_t i = 0; i < e->pages; i++, what -= ascends) {
		sum += mix_page(what + value[i]);
		sums += sum;
	}
	return sum * (first + e->pages) - sums;
}

/* Of @run without its first @cut pages, which is @row but for the values. */
static void add_digest(struct totals *t, const struct ptwalk_kernel *info,
		       const struct ptwalk_run *run, struct ptwalk_extent *row,
		       uint64_t cut)
{
	if (ptwalk_bits_list(run->bits)) {
		t->digest += digest_list(info, row, (const void *)(run->value + cut));
		return;
	}
	row->value = run->value[0];
	if (ptwalk_kind_ascends(ptwalk_bits_kind(run->bits)))
		row->value += cut;
	t->digest += digest_of(info, row);
}

static void count_entries(struct totals *t, const struct ptwalk_kernel *info,
			  const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *extent)
{
	uint32_t kind = ptwalk_bits_kind(extent->bits);
	uint32_t level = ptwalk_bits_level(extent->bits);
	uint32_t flags = ptwalk_bits_flags(extent->bits);
	uint64_t pages = extent->pages;

	if (is_hugetlb(vma)) {
		count_hugetlb(t, extent);
		return;
	}
	switch (kind) {
	case PTWALK_KIND_NONE:
		t->none += pages;
		return;
	case PTWALK_KIND_PRESENT:
		count_present(t, info, vma, level, flags, pages);
		return;
	case PTWALK_KIND_SWAP:
		t->swap += pages;
		if (flags & PTWALK_FLAG_SWAP_EXCLUSIVE)
			t->swap_exclusive += pages;
		count_seen(t, vma, true, pages);
		return;
	case PTWALK_KIND_MARKER:
		t->marker += pages;
		return;
	case PTWALK_KIND_MIGRATION:
		t->migration += pages;
		break;
	case PTWALK_KIND_HWPOISON:
		t->hwpoison += pages;
		break;
	case PTWALK_KIND_DEVICE_PRIVATE:
		t->device_private += pages;
		break;
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		t->device_exclusive += pages;
		break;
	default:
		t->other += pages;
		return;
	}
	count_absent(t, vma, kind, level, flags, pages);
}

void totals_extent(struct totals *t, const struct ptwalk_kernel *info,
		   const struct ptwalk_vma *vma, const struct ptwalk_extent *extent)
{
	t->digest += digest_of(info, extent);
	count_entries(t, info, vma, extent);
}

/* How many multiples of 1 << @shift are from @addr on in @bytes. */
static uint64_t multiples(uint64_t addr, uint64_t bytes, unsigned int shift)
{
	return ((addr + bytes - 1) >> shift) - (addr >> shift) +
	       !(addr & ((1ULL << shift) - 1));
}

static int totals_add_node(struct totals *t, uint32_t node, uint64_t pages)
{
	struct numa_node *p;
	size_t i;

	for (i = 0; i < t->nr_nodes; i++)
		if (t->nodes[i].node == node) {
			t->nodes[i].pages += pages;
			return 0;
		}
	p = reallocarray(t->nodes, t->nr_nodes + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	t->nodes = p;
	p[t->nr_nodes++] = (struct numa_node){ node, pages };
	return 0;
}

static uint32_t page_refs(const struct ptwalk_page *page)
{
	return page->counts;
}

static uint32_t page_mapcount(const struct ptwalk_page *page)
{
	return page->counts >> 32;
}

/* gather_stats(), and can_gather_numa_stats() before it. */
static int count_numa(struct totals *t, const struct ptwalk_kernel *info,
		      const struct ptwalk_vma *vma, uint64_t addr, uint64_t nr,
		      uint64_t bits, const struct ptwalk_page *page)
{
	unsigned int level = ptwalk_bits_level(bits);
	unsigned int leaf = level < PTWALK_LEVELS ? info->level_shift[level] :
						    info->page_shift;
	uint64_t bytes = nr << info->page_shift;
	uint32_t flags = ptwalk_bits_flags(bits);

	if (is_hugetlb(vma)) {
		leaf = vma->page_shift;
		nr = multiples(addr, bytes, leaf);
	} else if (page->flags & PTWALK_PAGE_FLAG_RESERVED ||
		   !(flags & PTWALK_FLAG_RAM)) {
		return 0;
	}
	t->numa_pages += nr;
	if (flags & PTWALK_FLAG_DIRTY || page->flags & PTWALK_PAGE_FLAG_DIRTY)
		t->numa_dirty += nr;
	if (page->flags & PTWALK_PAGE_FLAG_SWAPCACHE)
		t->numa_swapcache += nr;
	if (page->flags & (PTWALK_PAGE_FLAG_ACTIVE |
			   PTWALK_PAGE_FLAG_UNEVICTABLE))
		t->numa_active += nr;
	if (page->flags & PTWALK_PAGE_FLAG_WRITEBACK)
		t->numa_writeback += nr;
	if (flags & PTWALK_FLAG_ANON)
		t->numa_anon += nr;
	/* Of a huge leaf the kernel asks the first page only. */
	if (page_mapcount(page) > t->numa_mapmax && multiples(addr, bytes, leaf))
		t->numa_mapmax = page_mapcount(page);
	return nr ? totals_add_node(t, page->place >> 8 & 0xffffff, nr) : 0;
}

/* smaps_account() and smaps_page_accumulate(). */
static void count_smaps(struct totals *t, const struct ptwalk_kernel *info,
			const struct ptwalk_vma *vma, uint64_t nr, uint64_t bits,
			const struct ptwalk_page *page)
{
	uint32_t flags = ptwalk_bits_flags(bits);
	bool dirty = flags & PTWALK_FLAG_DIRTY ||
		     page->flags & PTWALK_PAGE_FLAG_DIRTY;
	uint64_t pss = 1ULL << info->page_shift << TOTALS_PSS_SHIFT;
	enum totals_class class = CLASS_FILE;
	bool private = true;

	if (page->flags & PTWALK_PAGE_FLAG_ANON)
		class = CLASS_ANON;
	else if (page->flags & PTWALK_PAGE_FLAG_SWAPBACKED)
		class = CLASS_SHMEM;
	if (page_refs(page) != 1) {
		private = is_exclusive(info, flags) || !page_mapcount(page);
		if (page_mapcount(page) >= 2)
			pss /= page_mapcount(page);
	}
	pss *= nr;

	t->detailed += nr;
	t->detailed_class[class] += nr;
	if (ptwalk_bits_level(bits) == PTWALK_LEVEL_PMD &&
	    (class == CLASS_ANON || flags & PTWALK_FLAG_RAM))
		t->detailed_pmd[class] += nr;
	t->split[private][dirty] += nr;
	t->pss += pss;
	t->pss_class[class] += pss;
	if (dirty)
		t->pss_dirty += pss;
	if (vma->flags & PTWALK_VMA_FLAG_LOCKED)
		t->pss_locked += pss;
	if (page_refs(page) == 1 &&
	    ptwalk_bits_level(bits) == PTWALK_LEVEL_PMD) {
		t->whole += pss;
		t->whole_class[class] += pss;
		if (dirty)
			t->whole_dirty += pss;
		if (vma->flags & PTWALK_VMA_FLAG_LOCKED)
			t->whole_locked += pss;
	}
	if (flags & PTWALK_FLAG_YOUNG ||
	    page->flags & PTWALK_PAGE_FLAG_REFERENCED)
		t->referenced += nr;
	if (class == CLASS_ANON && !dirty &&
	    !(page->flags & PTWALK_PAGE_FLAG_SWAPBACKED))
		t->lazyfree += nr;
}

int totals_pages(struct totals *t, const struct ptwalk_kernel *info,
		 const struct ptwalk_vma *vma, uint64_t addr, uint64_t nr,
		 uint64_t bits, const struct ptwalk_page *page)
{
	if (is_hugetlb(vma))
		t->detailed += multiples(addr, nr << info->page_shift,
					 vma->page_shift)
			       << (vma->page_shift - info->page_shift);
	else
		count_smaps(t, info, vma, nr, bits, page);
	return count_numa(t, info, vma, addr, nr, bits, page);
}

/* All that comes before the nodes is a number of pages, but one. */
#define NR_NUMBERS	(offsetof(struct totals, nodes) / sizeof(uint64_t))

int totals_add(struct totals *to, const struct totals *from)
{
	uint64_t mapmax = to->numa_mapmax > from->numa_mapmax ?
				  to->numa_mapmax : from->numa_mapmax;
	const uint64_t *source = (const uint64_t *)from;
	uint64_t *sum = (uint64_t *)to;

	_Static_assert(offsetof(struct totals, nodes) % sizeof(uint64_t) == 0,
		       "numbers only before the nodes");
	for (size_t i = 0; i < NR_NUMBERS; i++)
		sum[i] += source[i];
	to->numa_mapmax = mapmax;
	for (size_t i = 0; i < from->nr_nodes; i++)
		if (totals_add_node(to, from->nodes[i].node, from->nodes[i].pages))
			return -ENOMEM;
	return 0;
}

void totals_free(struct totals *t)
{
	free(t->nodes);
	memset(t, 0, sizeof(*t));
}

void totals_free_all(struct totals *each, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		totals_free(&each[i]);
	free(each);
}

bool totals_has_page(uint64_t bits)
{
	return ptwalk_bits_present(bits) &&
	       ptwalk_bits_flags(bits) & PTWALK_FLAG_PAGE;
}

uint64_t totals_present(const struct totals *t)
{
	return t->present[CLASS_ANON] + t->present[CLASS_FILE] +
	       t->present[CLASS_SHMEM];
}

uint64_t totals_absent(const struct totals *t)
{
	return t->absent[CLASS_ANON] + t->absent[CLASS_FILE] +
	       t->absent[CLASS_SHMEM];
}

uint64_t totals_swap_unseen(const struct totals *t)
{
	return t->shmem_size > t->shmem_seen ? t->shmem_size - t->shmem_seen : 0;
}

bool totals_all_detailed(const struct totals *t)
{
	return t->detailed == totals_present(t) + t->hugetlb;
}

void totals_tables_extent(struct totals_tables *t,
			  const struct ptwalk_kernel *info,
			  const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *extent)
{
	uint64_t last = extent->addr + (extent->pages << info->page_shift) - 1;
	uint32_t kind = ptwalk_bits_kind(extent->bits);
	uint32_t flags = ptwalk_bits_flags(extent->bits);
	uint32_t level = ptwalk_bits_level(extent->bits);
	uint64_t span, from, to;

	for (unsigned int l = level; l < PTWALK_LEVELS; l++) {
		span = (uint64_t)info->level_entries[l] << info->level_shift[l];
		if (!(info->levels & 1U << l) || !span)
			continue;
		from = extent->addr / span + 1;
		to = last / span + 1;
		if (from <= t->latest[l])
			from = t->latest[l] + 1;
		/* In a table that was counted, and so were those above it. */
		if (to < from)
			break;
		t->tables[l] += to - from + 1;
		t->latest[l] = to;
	}
	/* pgtable_trans_huge_deposit(): for the day that it is split. */
	if (level == PTWALK_LEVEL_PMD && !is_hugetlb(vma) &&
	    kind != PTWALK_KIND_NONE &&
	    (flags & PTWALK_FLAG_ANON ||
	     (flags & PTWALK_FLAG_ZERO &&
	      vma->flags & PTWALK_VMA_FLAG_ANONYMOUS)))
		t->deposited += extent->pages;
}

int totals_take(struct totals *t, struct totals_tables *tables,
		const struct ptwalk_kernel *info, const struct ptwalk_runs *runs,
		const struct ptwalk_page *pages, uint64_t from)
{
	const struct ptwalk_vma *vma = &runs->vma;
	uint64_t addr = runs->start, cut, bytes;
	const struct ptwalk_run *run;
	struct ptwalk_extent row;
	int err = 0;

	ptwalk_for_each_run(run, runs) {
		bytes = run->pages << info->page_shift;
		cut = addr >= from ? 0 : from - addr < bytes ?
			(from - addr) >> info->page_shift : run->pages;
		row = (struct ptwalk_extent){
			.addr = addr + (cut << info->page_shift),
			.pages = run->pages - cut,
			.bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT),
		};
		addr += bytes;
		if (!err && row.pages) {
			add_digest(t, info, run, &row, cut);
			count_entries(t, info, vma, &row);
			totals_tables_extent(tables, info, vma, &row);
			if (totals_has_page(row.bits))
				err = totals_pages(t, info, vma, row.addr,
						   row.pages, row.bits, pages);
		}
		pages++;
	}
	return err;
}

uint64_t totals_tables_count(const struct totals_tables *t,
			     const struct ptwalk_kernel *info, uint32_t levels,
			     unsigned int level)
{
	uint64_t count;

	/* mm_p4d_folded() and its like: the top of this process's tables. */
	if (level > PTWALK_LEVEL_PUD || !(info->levels & 1U << level) ||
	    !(levels >> level >> 1))
		return 0;
	count = t->tables[level];
	if (level == PTWALK_LEVEL_PTE &&
	    info->level_entries[PTWALK_LEVEL_PTE] && t->deposited)
		count += t->deposited >> (info->level_shift[PTWALK_LEVEL_PMD] -
					  info->page_shift);
	return count;
}

uint64_t totals_tables_bytes(const struct totals_tables *t,
			     const struct ptwalk_kernel *info, uint32_t levels)
{
	uint64_t bytes = 0;

	for (unsigned int l = 0; l <= PTWALK_LEVEL_PUD; l++)
		bytes += totals_tables_count(t, info, levels, l) *
			 info->level_entries[l] * info->entry_size[l];
	return bytes;
}
