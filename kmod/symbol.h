/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of what stands in the kernel or in a module. */
#ifndef PTWALK_SYMBOL_H
#define PTWALK_SYMBOL_H

#include <linux/types.h>

bool ptwalk_symbol_name(const void *at, char *name, size_t size);

#endif /* PTWALK_SYMBOL_H */
