/* SPDX-License-Identifier: GPL-2.0 */
/* What is told of a VMA. */
#ifndef PTWALK_VMA_H
#define PTWALK_VMA_H

#include <linux/types.h>

struct sk_buff;
struct vm_area_struct;

/**
 * struct ptwalk_vma - the facts of a VMA, copied under the mmap lock
 * @start: First address.
 * @last: Last address, inclusive.
 * @flags: Mask of enum ptwalk_vma_flag.
 * @raw_flags: vm_flags.
 * @page_prot: vm_page_prot.
 * @pgoff: vm_pgoff.
 * @inode: Inode number of the mapped file, if @has_file.
 * @ops: The mapping's vm_operations_struct, or NULL. Only for looking up its
 *	symbol: it may be gone.
 * @file_ops: The same of the file's file_operations.
 * @file_mmap: The same of the function that maps the file.
 * @page_shift: log2 of the page size of the mapping.
 * @pkey: Its protection key.
 * @dev_major: Device of that inode, with @dev_minor.
 * @dev_minor: See @dev_major.
 * @has_file: Whether a file is mapped.
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
	bool has_file;
};

void ptwalk_vma_read(struct ptwalk_vma *out, struct vm_area_struct *vma);
int ptwalk_vma_put(struct sk_buff *skb, int attrtype,
		   const struct ptwalk_vma *vma);
u64 ptwalk_vma_flags_known(void);

/* Whether two readings tell the same. */
static inline bool ptwalk_vma_same(const struct ptwalk_vma *a,
				   const struct ptwalk_vma *b)
{
	return a->start == b->start && a->last == b->last &&
	       a->flags == b->flags && a->raw_flags == b->raw_flags &&
	       a->page_prot == b->page_prot && a->pgoff == b->pgoff &&
	       a->inode == b->inode && a->ops == b->ops &&
	       a->file_ops == b->file_ops;
}

/* Room that ptwalk_vma_put() needs in a message at most, headers included. */
#define PTWALK_VMA_ROOM	(160 + PTWALK_VMA_OPS_LEN)

/* The longest symbol of operations that is told, with the final NUL. */
#define PTWALK_VMA_OPS_LEN	128

#endif /* PTWALK_VMA_H */
