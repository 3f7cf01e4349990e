// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of Documentation/drivers.md: maps its buffer of 64K into processes,
 * and asks for a memory type that they don't get.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#define ORDER	4

static unsigned long buffer;

static int mydriver_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff >= 1 << ORDER ||
	    vma_pages(vma) > (1 << ORDER) - vma->vm_pgoff)
		return -EINVAL;
	vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	return remap_pfn_range(vma, vma->vm_start,
			       PHYS_PFN(virt_to_phys((void *)buffer)) + vma->vm_pgoff,
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

static const struct file_operations mydriver_fops = {
	.owner = THIS_MODULE,
	.mmap = mydriver_mmap,
};

static struct miscdevice mydriver = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "mydriver",
	.fops = &mydriver_fops,
};

static int __init mydriver_init(void)
{
	int err;

	buffer = __get_free_pages(GFP_KERNEL | __GFP_ZERO, ORDER);
	if (!buffer)
		return -ENOMEM;
	err = misc_register(&mydriver);
	if (err)
		free_pages(buffer, ORDER);
	return err;
}

static void __exit mydriver_exit(void)
{
	misc_deregister(&mydriver);
	free_pages(buffer, ORDER);
}

module_init(mydriver_init);
module_exit(mydriver_exit);
MODULE_DESCRIPTION("A buffer that is mapped with remap_pfn_range()");
MODULE_LICENSE("GPL");
