// SPDX-License-Identifier: GPL-2.0
/* Symbol names of kernel addresses; the only place that prints pointers. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "symbol.h"

/**
 * ptwalk_symbol_name() - the symbol that begins at an address
 * @at: Address in the kernel or in a module; may be stale, or NULL.
 * @name: Receives the symbol, with the module in brackets, or "".
 * @size: Size of @name.
 *
 * Never gives the address itself, which is what %pS prints for what has no
 * symbol: everything without CONFIG_KALLSYMS, data without CONFIG_KALLSYMS_ALL.
 * There is no name then, nor for an address inside of a symbol.
 *
 * Return: true if there is one.
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
