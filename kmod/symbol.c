// SPDX-License-Identifier: GPL-2.0
/* Symbol names of kernel addresses; the only place that prints pointers. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "request.h"

/*
 * Finds the symbol that begins at an address of the kernel or of a module, with the module
 * in brackets, or "". @at may be NULL, or stale, and isn't dereferenced.
 *
 * %pS prints the address itself if it has no symbol: without CONFIG_KALLSYMS,
 * for data without CONFIG_KALLSYMS_ALL, and after the module was removed.
 * Addresses must not get to user space, so only a name with the offset 0 is
 * returned.
 */
bool ptwalk_symbol_name(const void *at, char *name, size_t size)
{
	char *offset = NULL, *module;

	if (at) {
		snprintf(name, size, "%pS", at);
		offset = strstr(name, "+0x0/");
	}
	if (!offset) {
		name[0] = '\0';
		return false;
	}
	module = strchr(offset, ' ') ?: strchr(offset, 0);
	memmove(offset, module, strlen(module) + 1);
	return true;
}
