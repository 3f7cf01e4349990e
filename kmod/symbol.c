// SPDX-License-Identifier: GPL-2.0
/* The one place where addresses of the kernel are turned into text. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "symbol.h"

/**
 * ptwalk_symbol_name() - the symbol that begins at an address
 * @at: Something in the kernel or in a module; may be gone, or NULL.
 * @name: Receives the symbol, with the module in brackets, or "".
 * @size: Size of @name.
 *
 * The address itself is never told. Where there is no symbol (%pS prints the
 * address then: without CONFIG_KALLSYMS, or of data without CONFIG_KALLSYMS_ALL)
 * or where it begins elsewhere, there is no name.
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
