// SPDX-License-Identifier: GPL-2.0
/*
 * Maps one huge page of memory that isn't counted, in a VM_MIXEDMAP mapping of
 * /dev/special_pmd, as vmf_insert_pfn_pmd() allows. For x86-64 and Linux 6.12 to 7.3:
 *
 *	make -C /lib/modules/`uname -r`/build M=$PWD modules
 */
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#if __has_include(<linux/pfn_t.h>)
#include <linux/pfn_t.h>
#else
#define pfn_to_pfn_t(pfn) (pfn)
#endif

static struct page *memory;

static vm_fault_t special_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	if (order != HPAGE_PMD_ORDER)
		return VM_FAULT_FALLBACK;
	return vmf_insert_pfn_pmd(vmf, pfn_to_pfn_t(page_to_pfn(memory)), true);
}

static vm_fault_t special_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct special_vm_ops = {
	.fault = special_fault,
	.huge_fault = special_huge_fault,
};

static int special_mmap(struct file *file, struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_MIXEDMAP | VM_HUGEPAGE);
	vma->vm_ops = &special_vm_ops;
	return 0;
}

static const struct file_operations special_fops = {
	.owner = THIS_MODULE,
	.mmap = special_mmap,
};

static struct miscdevice special_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "special_pmd",
	.fops = &special_fops,
};

static int __init special_init(void)
{
	int err;

	memory = alloc_pages(GFP_KERNEL | __GFP_ZERO, HPAGE_PMD_ORDER);
	if (!memory)
		return -ENOMEM;
	err = misc_register(&special_device);
	if (err)
		__free_pages(memory, HPAGE_PMD_ORDER);
	return err;
}
module_init(special_init);

static void __exit special_exit(void)
{
	misc_deregister(&special_device);
	__free_pages(memory, HPAGE_PMD_ORDER);
}
module_exit(special_exit);

MODULE_DESCRIPTION("A huge page that is mapped and not counted");
MODULE_LICENSE("GPL");
