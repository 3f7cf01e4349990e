// SPDX-License-Identifier: GPL-2.0
/*
 * Module init and exit, and the family. ynl-gen-c makes none of a specification that
 * says how its constants are called in C.
 */
#include <linux/init.h>
#include <linux/module.h>
#include "../compat/module.h"
#include "../memory.h"
#include "../request.h"
#include "device.h"
#include "netlink-gen.h"

/* As ptwalk_nl_family has it. */
struct genl_family ptwalk_device_nl_family __ro_after_init = {
	.name		= PTWALK_DEVICE_FAMILY_NAME,
	.version	= PTWALK_DEVICE_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= ptwalk_device_nl_ops,
	.n_split_ops	= ARRAY_SIZE(ptwalk_device_nl_ops),
};

static int __init ptwalk_device_init(void)
{
	int err = ptwalk_check_release();

	if (err)
		return err;
	err = ptwalk_iommu_init();
	if (err)
		return err;
	err = ptwalk_memory_init(NULL);
	if (err)
		goto exit_iommu;
	err = genl_register_family(&ptwalk_device_nl_family);
	if (!err)
		return 0;
	ptwalk_memory_exit();
exit_iommu:
	ptwalk_iommu_exit();
	return err;
}

/* Waits for running requests. A dump holds a reference to the module. */
static void __exit ptwalk_device_exit(void)
{
	genl_unregister_family(&ptwalk_device_nl_family);
	ptwalk_memory_exit();
	ptwalk_iommu_exit();
}

module_init(ptwalk_device_init);
module_exit(ptwalk_device_exit);

MODULE_DESCRIPTION("How devices reach memory, what frames are, and NUMA policies, for debugging and testing");
MODULE_LICENSE("GPL");
