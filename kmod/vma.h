/* SPDX-License-Identifier: GPL-2.0 */
/* What is reported of a VMA. */
#ifndef PTWALK_VMA_H
#define PTWALK_VMA_H

#include <linux/string.h>
#include <linux/types.h>

struct sk_buff;
struct vm_area_struct;

/**
 * struct ptwalk_vma - facts of a VMA, copied under the mmap lock
 * @start: First address.
 * @last: Last address, inclusive.
 * @flags: Mask of enum ptwalk_vma_flag.
 * @raw_flags: vm_flags.
 * @page_prot: vm_page_prot.
 * @pgoff: vm_pgoff.
 * @inode: Inode number of the mapped file, if @has_file.
 * @ops: vm_ops, or NULL. Only its symbol is looked up; it must not be
 *	dereferenced, since the module that it is in may be gone.
 * @file_ops: f_op of the mapped file, likewise.
 * @file_mmap: Its ->mmap() or ->mmap_prepare(), likewise.
 * @page_shift: log2 of the page size of the mapping.
 * @pkey: Protection key of the VMA.
 * @dev_major: Major number of the device of @inode.
 * @dev_minor: Its minor number.
 * @has_file: Whether a file is mapped.
 * @has_policy: Whether its NUMA policy is known.
 * @policy: Mode and mode flags of that.
 * @policy_nodes: Its nodes, of the first 64.
 */
struct ptwalk_vma {
	u64 start, last;
	u64 flags, raw_flags;
	u64 page_prot;
	u64 pgoff;
	u64 inode;
	const void *ops, *file_ops, *file_mmap;
	u32 page_shift;
	u32 pkey;
	u32 dev_major, dev_minor;
	u32 policy;
	u64 policy_nodes;
	bool has_file, has_policy;
};

/* Size of the symbol name in PTWALK_A_VMA_OPS at most, with the final NUL. */
#define PTWALK_VMA_OPS_LEN	128

/**
 * struct ptwalk_driver - whose mapping the last VMA was that a driver has made
 * @ops: As in struct ptwalk_vma, and so
 * @file_ops: this,
 * @file_mmap: and this.
 * @name: The first symbol of them, or "".
 *
 * To find a symbol takes longer than the rest of a VMA, and mappings in a row often have
 * the same. All zero is a valid one.
 */
struct ptwalk_driver {
	const void *ops, *file_ops, *file_mmap;
	char name[PTWALK_VMA_OPS_LEN];
};

void ptwalk_vma_read(struct ptwalk_vma *out, struct vm_area_struct *vma);
int ptwalk_vma_put(struct sk_buff *skb, int attrtype, const struct ptwalk_vma *vma,
		   struct ptwalk_driver *driver);
u64 ptwalk_vma_flags_known(void);

/* Whether two copies are taken to be of the same VMA, unchanged in between. */
static inline bool ptwalk_vma_same(const struct ptwalk_vma *a,
				   const struct ptwalk_vma *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Bytes that ptwalk_vma_put() adds to a message at most, with headers. */
#define PTWALK_VMA_ROOM	(160 + PTWALK_VMA_OPS_LEN)

#endif /* PTWALK_VMA_H */
