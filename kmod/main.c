// SPDX-License-Identifier: GPL-2.0
/* Module init and exit. */
#include <linux/init.h>
#include <linux/module.h>
#include "compat/module.h"
#include "memory.h"
#include "page.h"
#include "request.h"
#include "uapi/linux/ptwalk.h"

static int __init ptwalk_init(void)
{
	int err = ptwalk_check_release();

	if (err)
		return err;
	ptwalk_memtypes_init();
	err = ptwalk_memory_init(&ptwalk_memory_changes);
	if (err)
		return err;
	err = genl_register_family(&ptwalk_nl_family);
	if (err)
		ptwalk_memory_exit();
	return err;
}

/* Waits for running requests. A dump holds a reference to the module. */
static void __exit ptwalk_exit(void)
{
	genl_unregister_family(&ptwalk_nl_family);
	ptwalk_memory_exit();
}

module_init(ptwalk_init);
module_exit(ptwalk_exit);

MODULE_DESCRIPTION("Page table walker for debugging and testing");
MODULE_SOFTDEP("post: ptwalk_device");
MODULE_LICENSE("GPL");
