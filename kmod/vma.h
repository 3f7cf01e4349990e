/* SPDX-License-Identifier: GPL-2.0 */
/* What is reported of a VMA. */
#ifndef PTWALK_VMA_H
#define PTWALK_VMA_H

#include <linux/string.h>
#include <linux/types.h>

struct sk_buff;
struct vm_area_struct;

/* Size of the symbol name in PTWALK_A_VMA_OPS at most, with the final NUL. */
#define PTWALK_VMA_OPS_LEN	128

/*
 * Whose mapping a VMA is: vm_ops, f_op of the mapped file, and its ->mmap() or
 * ->mmap_prepare(). Only their symbols are looked up; they must not be dereferenced, since
 * the module that they are in may be gone.
 */
struct ptwalk_vma_ops {
	const void *ops, *file, *mmap;
};

/* Facts of a VMA, copied under the mmap lock. */
struct ptwalk_vma {
	u64 start, last;		/* the last address is inclusive */
	u64 flags;			/* mask of enum ptwalk_vma_flag */
	u64 raw_flags;			/* vm_flags */
	u64 page_prot;			/* vm_page_prot */
	u64 pgoff;			/* vm_pgoff */
	u64 inode;			/* of the mapped file, if @has_file */
	struct ptwalk_vma_ops ops;
	u32 page_shift;			/* log2 of the page size of the mapping */
	u32 pkey;			/* protection key of the VMA */
	u32 dev_major, dev_minor;	/* of @inode */
	bool has_file;			/* a file is mapped */
};

/*
 * Whose mapping the last VMA was that a driver has made: the first symbol of @ops, or "". To
 * find a symbol takes longer than the rest of a VMA, and mappings in a row often have the same.
 * All zero is a valid one.
 */
struct ptwalk_driver {
	struct ptwalk_vma_ops ops;
	char name[PTWALK_VMA_OPS_LEN];
};

void ptwalk_vma_read(struct ptwalk_vma *out, struct vm_area_struct *vma);
int ptwalk_vma_put(struct sk_buff *skb, int attrtype, const struct ptwalk_vma *vma,
		   struct ptwalk_driver *driver);
u64 ptwalk_vma_flags_known(void);

/* Whether two copies are taken to be of the same VMA, unchanged in between. */
static inline bool ptwalk_vma_same(const struct ptwalk_vma *a, const struct ptwalk_vma *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Bytes that ptwalk_vma_put() adds to a message at most, with headers. */
#define PTWALK_VMA_ROOM	(160 + PTWALK_VMA_OPS_LEN)

#endif /* PTWALK_VMA_H */
