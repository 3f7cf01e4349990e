// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that makes the mappings that are hard to get right, and publishes
 * what must be found in the page tables of a process that has mapped them.
 *
 * Reading /dev/ptwalk_fixture gives a line for each region:
 *
 *	NAME OFFSET LENGTH PHYSICAL DMA
 *
 * with numbers in hexadecimal. mmap() at OFFSET maps the region; a mapping may
 * begin anywhere in it and must not run past its end.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

/* Regions stand this far apart in the file. */
#define REGION_SPACING	SZ_16M

#define COHERENT_SIZE	(16 * PAGE_SIZE)

/**
 * struct region - something that can be mapped
 * @name: For people and tests.
 * @size: Length in bytes, a multiple of the page size.
 * @setup: Makes the memory and fills in what is published.
 * @teardown: Undoes @setup.
 * @mmap: Maps @vma, which begins @skip bytes into the region.
 * @cpu: The kernel's address of the memory.
 * @phys: Physical address of the first byte.
 * @dma: Bus address of the first byte.
 */
struct region {
	const char *name;
	size_t size;
	int (*setup)(struct region *region, struct device *dev);
	void (*teardown)(struct region *region, struct device *dev);
	int (*mmap)(struct region *region, struct vm_area_struct *vma,
		    size_t skip);
	void *cpu;
	phys_addr_t phys;
	dma_addr_t dma;
};

static struct platform_device *fixture;

static int coherent_setup(struct region *region, struct device *dev)
{
	region->cpu = dma_alloc_coherent(dev, region->size, &region->dma,
					 GFP_KERNEL);
	if (!region->cpu)
		return -ENOMEM;
	/* Memory for a device that doesn't snoop may be remapped uncached. */
	region->phys = is_vmalloc_addr(region->cpu) ?
		       page_to_phys(vmalloc_to_page(region->cpu)) :
		       virt_to_phys(region->cpu);
	return 0;
}

static void coherent_teardown(struct region *region, struct device *dev)
{
	dma_free_coherent(dev, region->size, region->cpu, region->dma);
}

static int coherent_remap(struct region *region, struct vm_area_struct *vma,
			  size_t skip)
{
	if (!dev_is_dma_coherent(&fixture->dev))
		vma->vm_page_prot = pgprot_dmacoherent(vma->vm_page_prot);
	return remap_pfn_range(vma, vma->vm_start,
			       PHYS_PFN(region->phys + skip),
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

static struct region regions[] = {
	{
		.name		= "coherent-remap",
		.size		= COHERENT_SIZE,
		.setup		= coherent_setup,
		.teardown	= coherent_teardown,
		.mmap		= coherent_remap,
	},
};

static int fixture_mmap(struct file *file, struct vm_area_struct *vma)
{
	size_t length = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 index = offset / REGION_SPACING;
	struct region *region;
	size_t skip;

	if (index >= ARRAY_SIZE(regions))
		return -ENXIO;
	region = &regions[index];
	skip = offset % REGION_SPACING;
	if (skip >= region->size || length > region->size - skip)
		return -EINVAL;
	return region->mmap(region, vma, skip);
}

static int fixture_show(struct seq_file *seq, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regions); i++)
		seq_printf(seq, "%s %#llx %#zx %#llx %#llx\n", regions[i].name,
			   (u64)i * REGION_SPACING, regions[i].size,
			   (u64)regions[i].phys, (u64)regions[i].dma);
	return 0;
}

static int fixture_open(struct inode *inode, struct file *file)
{
	/* misc_open() leaves the device here, and seq_file wants the place. */
	file->private_data = NULL;
	return single_open(file, fixture_show, NULL);
}

static const struct file_operations fixture_fops = {
	.owner		= THIS_MODULE,
	.open		= fixture_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
	.mmap		= fixture_mmap,
};

static struct miscdevice fixture_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ptwalk_fixture",
	.fops	= &fixture_fops,
	.mode	= 0600,
};

static void teardown_regions(size_t nr)
{
	while (nr--)
		regions[nr].teardown(&regions[nr], &fixture->dev);
}

static int __init fixture_init(void)
{
	size_t i;
	int err;

	fixture = platform_device_register_simple("ptwalk_fixture",
						  PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(fixture))
		return PTR_ERR(fixture);

	err = dma_set_mask_and_coherent(&fixture->dev, DMA_BIT_MASK(32));
	if (err)
		goto unregister;

	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		err = regions[i].setup(&regions[i], &fixture->dev);
		if (err)
			goto teardown;
	}

	err = misc_register(&fixture_misc);
	if (err)
		goto teardown;
	return 0;

teardown:
	teardown_regions(i);
unregister:
	platform_device_unregister(fixture);
	return err;
}

static void __exit fixture_exit(void)
{
	misc_deregister(&fixture_misc);
	teardown_regions(ARRAY_SIZE(regions));
	platform_device_unregister(fixture);
}

module_init(fixture_init);
module_exit(fixture_exit);

MODULE_DESCRIPTION("Mappings that are hard to get right, for testing ptwalk");
MODULE_LICENSE("GPL");
