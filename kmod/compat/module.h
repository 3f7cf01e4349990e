/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in where a module's code is, and whose a module is. */
#ifndef PTWALK_COMPAT_MODULE_H
#define PTWALK_COMPAT_MODULE_H

#include <linux/module.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>

/*
 * With CONFIG_MODVERSIONS, a module for another release is let in if the symbols are
 * the same, which don't tell of all structures of the headers: none does of struct
 * shmem_inode_info, for one. Returns 0 or -ENOEXEC.
 */
static inline int ptwalk_check_release(void)
{
	if (!strcmp(init_utsname()->release, UTS_RELEASE))
		return 0;
	pr_err(KBUILD_MODNAME ": built for Linux " UTS_RELEASE ", and for no other\n");
	return -ENOEXEC;
}

/**
 * struct ptwalk_text - code in a row
 * @start: First address.
 * @bytes: Length; 0: there is none.
 */
struct ptwalk_text {
	unsigned long start, bytes;
};

/* Linux 6.4, ac3b43283923: a module has memory of several types, not two layouts. */
static inline struct ptwalk_text ptwalk_module_text(const struct module *mod, bool init)
{
#ifdef for_each_mod_mem_type
	const struct module_memory *m = &mod->mem[init ? MOD_INIT_TEXT : MOD_TEXT];

	return (struct ptwalk_text){ (unsigned long)m->base, m->size };
#else
	const struct module_layout *m = init ? &mod->init_layout : &mod->core_layout;

	return (struct ptwalk_text){ (unsigned long)m->base, m->text_size };
#endif
}

#endif /* PTWALK_COMPAT_MODULE_H */
