// SPDX-License-Identifier: GPL-2.0
/*
 * Reads IOMMU tables in the formats of generic page tables, of which root and number of
 * levels are exported: AMD's v1, the second stage of VT-d, and the format of x86-64,
 * which the IOMMUs of both have, too.
 *
 * No lock keeps these tables: the driver frees one as soon as it has unmapped all of it,
 * and its page may be anything then. So each entry is read from memory that is online
 * RAM, without a fault, and all entries are read a second time, from the root on. Unless
 * they are the same both times, nothing is told, and it is tried again. The entry that
 * leads to a table is cleared before the table is freed: so what is told was in the
 * tables between the first reading and the second. It wasn't only if, both times, a table
 * was freed, was used for something else, came back to its place, and had the same value
 * here when it was no table. That is harmless: the value is told as an address, and
 * nothing is read there. Who finds something wrong looks again.
 *
 * AMD's v1 repeats the entry of a page that is larger than those of its level. It counts
 * as mapped as a whole once the entry that is read was written, until that is cleared.
 */
#include <linux/bitfield.h>
#include <linux/generic_pt/iommu.h>
#include <linux/mem_encrypt.h>
#include <linux/memory_hotplug.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "iommu_pt.h"
#include "../lock.h"

/* MODULE_IMPORT_NS() takes a name or a string, as the kernel has it. */
MODULE_INFO(import_ns, "GENERIC_PT_IOMMU");

#define MOST_LEVELS	6

#define ENTRY_ADDRESS	GENMASK_ULL(51, 12)

/* Of AMD's v1. */
#define AMDV1_PRESENT	BIT_ULL(0)
#define AMDV1_NEXT	GENMASK_ULL(11, 9)
/* No table follows, but a page: of this level, or of a size that its address has. */
#define AMDV1_PAGE	0
#define AMDV1_SIZED	7

/* Of VT-d: either bit is set. */
#define VTDSS_ACCESS	GENMASK_ULL(1, 0)

#define X86_64_PRESENT	BIT_ULL(0)

/* Of both, in levels that may have pages. */
#define ENTRY_HUGE	BIT_ULL(7)
#define HUGE_LEVELS	3

enum iommu_pt_format {
	FORMAT_UNKNOWN,
	FORMAT_AMDV1,
	FORMAT_VTDSS,
	FORMAT_X86_64,
};

/**
 * struct iommu_pt_root - where the tables begin
 * @format: Of the tables.
 * @phys: The highest table.
 * @levels: How many levels there are; 1 is that of the smallest pages.
 * @encrypted: Entries have the bit of encrypted memory.
 * @extends: The highest bit of a bus address is repeated above it.
 */
struct iommu_pt_root {
	enum iommu_pt_format format;
	u64 phys;
	unsigned int levels;
	bool encrypted, extends;
};

/**
 * struct iommu_pt_path - the entries from the root to one that leads to no table
 * @level: Of that one.
 * @entry: By level.
 */
struct iommu_pt_path {
	unsigned int level;
	u64 entry[MOST_LEVELS + 1];
};

/* Drivers take this function from the format; what isn't built in isn't called. */
static enum iommu_pt_format iommu_pt_format_of(struct iommu_domain *domain)
{
	if (!IS_ENABLED(CONFIG_64BIT) || !iommupt_from_domain(domain))
		return FORMAT_UNKNOWN;
	if (IS_BUILTIN(CONFIG_IOMMU_PT_AMDV1) &&
	    domain->ops->iova_to_phys == pt_iommu_amdv1_iova_to_phys)
		return FORMAT_AMDV1;
	if (IS_BUILTIN(CONFIG_IOMMU_PT_VTDSS) &&
	    domain->ops->iova_to_phys == pt_iommu_vtdss_iova_to_phys)
		return FORMAT_VTDSS;
	if (IS_BUILTIN(CONFIG_IOMMU_PT_X86_64) &&
	    domain->ops->iova_to_phys == pt_iommu_x86_64_iova_to_phys)
		return FORMAT_X86_64;
	return FORMAT_UNKNOWN;
}

static void iommu_pt_amdv1_root(struct pt_iommu *pt, struct iommu_pt_root *root)
{
	struct pt_iommu_amdv1 *table = container_of(pt, struct pt_iommu_amdv1, iommu);
	struct pt_iommu_amdv1_hw_info info;

	pt_iommu_amdv1_hw_info(table, &info);
	root->phys = info.host_pt_root;
	root->levels = info.mode;
	root->encrypted = table->amdpt.common.features &
			  BIT(PT_FEAT_AMDV1_ENCRYPT_TABLES);
}

static void iommu_pt_vtdss_root(struct pt_iommu *pt, struct iommu_pt_root *root)
{
	struct pt_iommu_vtdss *table = container_of(pt, struct pt_iommu_vtdss, iommu);
	struct pt_iommu_vtdss_hw_info info;

	pt_iommu_vtdss_hw_info(table, &info);
	root->phys = info.ssptptr;
	/* As the IOMMU has it: 1 for three levels. */
	root->levels = info.aw + 2;
}

static void iommu_pt_x86_64_root(struct pt_iommu *pt, struct iommu_pt_root *root)
{
	struct pt_iommu_x86_64 *table = container_of(pt, struct pt_iommu_x86_64, iommu);
	struct pt_iommu_x86_64_hw_info info;

	pt_iommu_x86_64_hw_info(table, &info);
	root->phys = info.gcr3_pt;
	root->levels = info.levels;
	root->encrypted = table->x86_64_pt.common.features &
			  BIT(PT_FEAT_X86_64_AMD_ENCRYPT_TABLES);
	root->extends = table->x86_64_pt.common.features & BIT(PT_FEAT_SIGN_EXTEND);
}

/* The root of AMD's v1 may change meanwhile; both are read from one word. */
static void iommu_pt_root(struct iommu_domain *domain, struct iommu_pt_root *root)
{
	struct pt_iommu *pt = iommupt_from_domain(domain);

	*root = (struct iommu_pt_root) { .format = iommu_pt_format_of(domain) };
	if (IS_BUILTIN(CONFIG_IOMMU_PT_AMDV1) && root->format == FORMAT_AMDV1)
		iommu_pt_amdv1_root(pt, root);
	else if (IS_BUILTIN(CONFIG_IOMMU_PT_VTDSS) && root->format == FORMAT_VTDSS)
		iommu_pt_vtdss_root(pt, root);
	else if (IS_BUILTIN(CONFIG_IOMMU_PT_X86_64) && root->format == FORMAT_X86_64)
		iommu_pt_x86_64_root(pt, root);
	root->levels = min(root->levels, MOST_LEVELS);
}

/* Bytes below an entry of a level, as a power of two. */
static unsigned int iommu_pt_shift(unsigned int level)
{
	return 12 + (level - 1) * 9;
}

static bool iommu_pt_is_covered(const struct iommu_pt_root *root, u64 iova)
{
	const unsigned int bits = iommu_pt_shift(root->levels + 1);

	if (bits >= 64)
		return true;
	if (root->extends)
		return (u64)((s64)(iova << (64 - bits)) >> (64 - bits)) == iova;
	return !(iova >> bits);
}

static u64 iommu_pt_address(const struct iommu_pt_root *root, u64 entry)
{
	return (root->encrypted ? __sme_clr(entry) : entry) & ENTRY_ADDRESS;
}

static bool iommu_pt_is_present(const struct iommu_pt_root *root, u64 entry)
{
	switch (root->format) {
	case FORMAT_AMDV1:
		return entry & AMDV1_PRESENT;
	case FORMAT_VTDSS:
		return entry & VTDSS_ACCESS;
	default:
		return entry & X86_64_PRESENT;
	}
}

static bool iommu_pt_is_table(const struct iommu_pt_root *root, u64 entry,
			      unsigned int level)
{
	const u64 next = FIELD_GET(AMDV1_NEXT, entry);

	if (level == 1 || !iommu_pt_is_present(root, entry))
		return false;
	if (root->format == FORMAT_AMDV1)
		return next != AMDV1_PAGE && next != AMDV1_SIZED;
	return level > HUGE_LEVELS || !(entry & ENTRY_HUGE);
}

/* AMD's entries may leave out levels; Linux doesn't make any that do. */
static bool iommu_pt_leads_down(const struct iommu_pt_root *root, u64 entry,
				unsigned int level)
{
	return root->format != FORMAT_AMDV1 ||
	       FIELD_GET(AMDV1_NEXT, entry) == level - 1;
}

/* Bytes of the page of an entry, as a power of two. */
static unsigned int iommu_pt_page_shift(const struct iommu_pt_root *root, u64 entry,
					unsigned int level)
{
	/* The lowest bit of the address that is 0 is half of the size. */
	if (root->format == FORMAT_AMDV1 && FIELD_GET(AMDV1_NEXT, entry) == AMDV1_SIZED)
		return 13 + ffz(iommu_pt_address(root, entry) >> 12);
	return iommu_pt_shift(level);
}

/* Under the RCU read lock: the memory may go offline, but isn't removed (memory.h). */
static bool iommu_pt_copy(u64 *to, u64 phys)
{
	return pfn_to_online_page(PHYS_PFN(phys)) &&
	       !copy_from_kernel_nofault(to, __va(phys), sizeof(*to));
}

/* Returns false for what can't be read, or be an entry: a table was freed meanwhile. */
static bool iommu_pt_read_path(const struct iommu_pt_root *root, u64 iova,
			       struct iommu_pt_path *path)
{
	u64 table = root->phys, entry = 0;
	unsigned int level;
	bool read = true;

	memset(path, 0, sizeof(*path));
	rcu_read_lock();
	for (level = root->levels; level; level--) {
		table += ((iova >> iommu_pt_shift(level)) & 511) * sizeof(u64);
		read = iommu_pt_copy(&entry, table);
		path->entry[level] = entry;
		path->level = level;
		if (!read || !iommu_pt_is_table(root, entry, level))
			break;
		read = iommu_pt_leads_down(root, entry, level);
		if (!read)
			break;
		table = iommu_pt_address(root, entry);
	}
	rcu_read_unlock();
	return read;
}

static void iommu_pt_decode(const struct iommu_pt_root *root,
			    const struct iommu_pt_path *path, u64 iova,
			    struct ptwalk_iommu_place *place)
{
	const u64 entry = path->entry[path->level];
	unsigned int shift = iommu_pt_shift(path->level);
	u64 within;

	place->mapped = iommu_pt_is_present(root, entry);
	if (place->mapped)
		shift = iommu_pt_page_shift(root, entry, path->level);
	within = BIT_ULL(shift) - 1;
	place->last = iova | within;
	place->phys = (iommu_pt_address(root, entry) & ~within) | (iova & within);
}

/* Returns whether the entries were the same both times that they were read. */
static bool iommu_pt_try(struct iommu_domain *domain, u64 iova,
			 struct ptwalk_iommu_place *place)
{
	struct iommu_pt_path path, again;
	struct iommu_pt_root root, now;

	iommu_pt_root(domain, &root);
	if (!iommu_pt_is_covered(&root, iova)) {
		*place = (struct ptwalk_iommu_place) {
			.last = root.extends ?
				(U64_MAX << (iommu_pt_shift(root.levels + 1) - 1)) - 1 : U64_MAX,
		};
		return true;
	}
	if (!iommu_pt_read_path(&root, iova, &path))
		return false;
	/* All was read once before the root is read again. */
	smp_rmb();
	iommu_pt_root(domain, &now);
	if (now.phys != root.phys || now.levels != root.levels ||
	    !iommu_pt_read_path(&now, iova, &again) || path.level != again.level ||
	    memcmp(path.entry, again.entry, sizeof(path.entry)))
		return false;
	iommu_pt_decode(&root, &path, iova, place);
	return true;
}

/**
 * ptwalk_iommu_pt_knows() - whether the tables of a domain can be read here
 * @domain: A domain that translates.
 *
 * Context: The mutex of the IOMMU group is held.
 * Return: Whether ptwalk_iommu_pt_look_up() can.
 */
bool ptwalk_iommu_pt_knows(struct iommu_domain *domain)
{
	return iommu_pt_format_of(domain) != FORMAT_UNKNOWN;
}

/**
 * ptwalk_iommu_pt_look_up() - read what a domain does with a bus address
 * @domain: Of which ptwalk_iommu_pt_knows() is true.
 * @iova: The bus address.
 * @place: Receives it.
 *
 * Context: The mutex of the IOMMU group is held, which keeps the domain and its root.
 * Return: 0, or -EBUSY if the entries changed for PTWALK_WAIT_SHARED each time.
 */
int ptwalk_iommu_pt_look_up(struct iommu_domain *domain, u64 iova,
			    struct ptwalk_iommu_place *place)
{
	struct ptwalk_wait wait = ptwalk_wait_begin(PTWALK_WAIT_SHARED);

	while (!iommu_pt_try(domain, iova, place)) {
		if (ptwalk_wait_is_over(&wait))
			return -EBUSY;
		wait.tries++;
		cond_resched();
	}
	return 0;
}
