/* SPDX-License-Identifier: GPL-2.0 */
/* Where modules have their code and data, by the sections in sysfs. */
#ifndef PTWALK_PROC_MODULE_SECTIONS_H
#define PTWALK_PROC_MODULE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct module_section - the beginning of a section
 * @addr: Where it is.
 * @write: Whether it is to be written to; @exec: executed. Neither: constants.
 * @name: Of the section; @module: of the module.
 */
struct module_section {
	uint64_t addr;
	bool write, exec;
	const char *name;
	char module[64];
};

/**
 * struct module_sections - all of them; all zero is a valid empty one
 * @section: In no order, with @nr.
 */
struct module_sections {
	struct module_section *section;
	size_t nr, max;
};

#define MODULES_SYSFS	"/sys/module"

/*
 * Reads those of the modules below @sysfs that run; a module that is going may have
 * some of its own alone, and who may not see addresses has none. Returns 0 or a negative
 * errno with a message.
 */
int module_sections_read(struct module_sections *sections, const char *sysfs);
void module_sections_free(struct module_sections *sections);

#endif /* PTWALK_PROC_MODULE_SECTIONS_H */
