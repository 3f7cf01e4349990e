// SPDX-License-Identifier: GPL-2.0
/* Copies facts of a VMA and puts them into messages. */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pkeys.h>
#include <linux/string.h>
#include "compat/file.h"
#include "compat/genetlink.h"
#include "compat/mm.h"
#include "compat/pgtable.h"
#include "request.h"
#include "vma.h"
#include "uapi/linux/ptwalk.h"

static const struct {
	vm_flags_t kernel;
	u64 flag;
} ptwalk_vma_flag_table[] = {
	{ VM_READ,		PTWALK_VMA_FLAG_READ },
	{ VM_WRITE,		PTWALK_VMA_FLAG_WRITE },
	{ VM_EXEC,		PTWALK_VMA_FLAG_EXEC },
	{ VM_SHARED,		PTWALK_VMA_FLAG_SHARED },
	{ VM_MAYREAD,		PTWALK_VMA_FLAG_MAYREAD },
	{ VM_MAYWRITE,		PTWALK_VMA_FLAG_MAYWRITE },
	{ VM_MAYEXEC,		PTWALK_VMA_FLAG_MAYEXEC },
	{ VM_MAYSHARE,		PTWALK_VMA_FLAG_MAYSHARE },
	{ VM_GROWSDOWN,		PTWALK_VMA_FLAG_GROWSDOWN },
#ifdef CONFIG_STACK_GROWSUP
	{ VM_GROWSUP,		PTWALK_VMA_FLAG_GROWSUP },
#endif
	{ VM_PFNMAP,		PTWALK_VMA_FLAG_PFNMAP },
	{ VM_MIXEDMAP,		PTWALK_VMA_FLAG_MIXEDMAP },
	{ VM_IO,		PTWALK_VMA_FLAG_IO },
	{ VM_HUGETLB,		PTWALK_VMA_FLAG_HUGETLB },
	{ VM_SOFTDIRTY,		PTWALK_VMA_FLAG_SOFTDIRTY },
	{ VM_UFFD_MISSING,	PTWALK_VMA_FLAG_UFFD_MISSING },
	{ VM_UFFD_WP,		PTWALK_VMA_FLAG_UFFD_WP },
	{ VM_UFFD_MINOR,	PTWALK_VMA_FLAG_UFFD_MINOR },
	{ VM_LOCKED,		PTWALK_VMA_FLAG_LOCKED },
	{ VM_LOCKONFAULT,	PTWALK_VMA_FLAG_LOCKONFAULT },
	{ VM_DONTCOPY,		PTWALK_VMA_FLAG_DONTCOPY },
	{ VM_DONTEXPAND,	PTWALK_VMA_FLAG_DONTEXPAND },
	{ VM_DONTDUMP,		PTWALK_VMA_FLAG_DONTDUMP },
	{ VM_ACCOUNT,		PTWALK_VMA_FLAG_ACCOUNT },
	{ VM_NORESERVE,		PTWALK_VMA_FLAG_NORESERVE },
	{ VM_HUGEPAGE,		PTWALK_VMA_FLAG_HUGEPAGE },
	{ VM_NOHUGEPAGE,	PTWALK_VMA_FLAG_NOHUGEPAGE },
	{ VM_MERGEABLE,		PTWALK_VMA_FLAG_MERGEABLE },
	{ VM_WIPEONFORK,	PTWALK_VMA_FLAG_WIPEONFORK },
	{ VM_SYNC,		PTWALK_VMA_FLAG_SYNC },
	{ VM_SEQ_READ,		PTWALK_VMA_FLAG_SEQ_READ },
	{ VM_RAND_READ,		PTWALK_VMA_FLAG_RAND_READ },
	{ VM_SEALED,		PTWALK_VMA_FLAG_SEALED },
	{ VM_SHADOW_STACK,	PTWALK_VMA_FLAG_SHADOW_STACK },
	{ VM_MTE,		PTWALK_VMA_FLAG_MTE },
	{ VM_DROPPABLE,		PTWALK_VMA_FLAG_DROPPABLE },
	{ VM_UFFD_RWP,		PTWALK_VMA_FLAG_UFFD_RWP },
	{ VM_MAYBE_GUARD,	PTWALK_VMA_FLAG_MAYBE_GUARD },
};

/* A flag that the kernel configuration lacks is 0 in the table. */
static u64 ptwalk_vma_flags(vm_flags_t kernel)
{
	u64 flags = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ptwalk_vma_flag_table); i++)
		if (kernel & ptwalk_vma_flag_table[i].kernel)
			flags |= ptwalk_vma_flag_table[i].flag;
	return flags;
}

/* The flags that can occur on this kernel, as a mask of enum ptwalk_vma_flag. */
u64 ptwalk_vma_flags_known(void)
{
	return ptwalk_vma_flags(~(vm_flags_t)0) |
	       PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_SHMEM |
	       PTWALK_VMA_FLAG_HEAP | PTWALK_VMA_FLAG_STACK |
	       PTWALK_VMA_FLAG_THP_DISABLED;
}

/* As vma_kernel_pagesize(), which smaps shows: of hugetlb and device DAX. */
static u32 ptwalk_vma_page_shift(struct vm_area_struct *vma)
{
	unsigned long size = 0;

	if (vma->vm_ops && vma->vm_ops->pagesize)
		size = vma->vm_ops->pagesize(vma);
	return size > PAGE_SIZE ? ilog2(size) : PAGE_SHIFT;
}

/* Copies the facts of a VMA. The mmap lock is held. */
void ptwalk_vma_read(struct ptwalk_vma *out, struct vm_area_struct *vma)
{
	/* ptwalk_vma_same() compares the padding, too. */
	memset(out, 0, sizeof(*out));
	out->start = vma->vm_start;
	out->last = (u64)vma->vm_end - 1;
	out->flags = ptwalk_vma_flags(vma->vm_flags);
	out->raw_flags = vma->vm_flags;
	out->page_prot = pgprot_val(vma->vm_page_prot);
	out->pgoff = vma->vm_pgoff;
	out->page_shift = ptwalk_vma_page_shift(vma);
	out->pkey = vma_pkey(vma);
	if (vma_is_anonymous(vma))
		out->flags |= PTWALK_VMA_FLAG_ANONYMOUS;
	if (ptwalk_vma_is_heap(vma))
		out->flags |= PTWALK_VMA_FLAG_HEAP;
	if (ptwalk_vma_is_stack(vma))
		out->flags |= PTWALK_VMA_FLAG_STACK;
	if (ptwalk_vma_thp_disabled(vma))
		out->flags |= PTWALK_VMA_FLAG_THP_DISABLED;
	out->ops.ops = vma->vm_ops;
	if (vma->vm_file) {
		const struct inode *inode = file_inode(vma->vm_file);
		const struct inode *told = ptwalk_maps_inode(vma->vm_file);

		out->ops.file = vma->vm_file->f_op;
		out->ops.mmap = ptwalk_file_mmap(vma->vm_file);
		out->has_file = true;
		out->inode = told->i_ino;
		out->dev_major = MAJOR(told->i_sb->s_dev);
		out->dev_minor = MINOR(told->i_sb->s_dev);
		/* Regular files only: device nodes are on a tmpfs as well. */
		if (S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC)
			out->flags |= PTWALK_VMA_FLAG_SHMEM;
	}
}

/*
 * The vm_ops that the kernel sets for mappings whose driver has none aren't exported, so
 * they are recognized by their symbol: vma_dummy_vm_ops, and in Linux 6.1 a static
 * dummy_vm_ops in each file, to which the compiler may append a number.
 */
static bool ptwalk_vma_name_ops(const void *ops, char name[PTWALK_VMA_OPS_LEN])
{
	if (ptwalk_symbol_name(ops, name, PTWALK_VMA_OPS_LEN) &&
	    !strstarts(name, "dummy_vm_ops") && strcmp(name, "vma_dummy_vm_ops"))
		return true;
	name[0] = '\0';
	return false;
}

/*
 * Names the driver by the first of these that has a symbol. Without
 * CONFIG_KALLSYMS_ALL only functions do.
 */
static int ptwalk_vma_put_ops(struct sk_buff *skb, const struct ptwalk_vma *vma,
			      struct ptwalk_driver *driver)
{
	if (!vma->ops.ops && !vma->has_file)
		return 0;
	if (memcmp(&vma->ops, &driver->ops, sizeof(vma->ops))) {
		driver->ops = vma->ops;
		if (!ptwalk_vma_name_ops(vma->ops.ops, driver->name) &&
		    !ptwalk_vma_name_ops(vma->ops.file, driver->name))
			ptwalk_vma_name_ops(vma->ops.mmap, driver->name);
	}
	return *driver->name ? nla_put_string(skb, PTWALK_A_VMA_OPS, driver->name) : 0;
}

/*
 * Adds a VMA to a message. @driver is that of the VMA before, of the same process; receives
 * that of this one. Returns 0, or -EMSGSIZE if there is no room; nothing was added then.
 */
int ptwalk_vma_put(struct sk_buff *skb, int attrtype, const struct ptwalk_vma *vma,
		   struct ptwalk_driver *driver)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_VMA_START, vma->start) ||
	    nla_put_uint(skb, PTWALK_A_VMA_LAST, vma->last) ||
	    nla_put_uint(skb, PTWALK_A_VMA_FLAGS, vma->flags) ||
	    nla_put_uint(skb, PTWALK_A_VMA_RAW_FLAGS, vma->raw_flags) ||
	    nla_put_uint(skb, PTWALK_A_VMA_PAGE_PROT, vma->page_prot) ||
	    nla_put_uint(skb, PTWALK_A_VMA_PGOFF, vma->pgoff) ||
	    nla_put_uint(skb, PTWALK_A_VMA_PAGE_SHIFT, vma->page_shift))
		goto cancel;
	if (vma->has_file &&
	    (nla_put_uint(skb, PTWALK_A_VMA_DEV_MAJOR, vma->dev_major) ||
	     nla_put_uint(skb, PTWALK_A_VMA_DEV_MINOR, vma->dev_minor) ||
	     nla_put_uint(skb, PTWALK_A_VMA_INODE, vma->inode)))
		goto cancel;
	if (arch_pkeys_enabled() && nla_put_uint(skb, PTWALK_A_VMA_PKEY, vma->pkey))
		goto cancel;
	if (ptwalk_vma_put_ops(skb, vma, driver))
		goto cancel;
	nla_nest_end(skb, nest);
	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}
