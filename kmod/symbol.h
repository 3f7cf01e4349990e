/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol names of kernel addresses. */
#ifndef PTWALK_SYMBOL_H
#define PTWALK_SYMBOL_H

#include <linux/types.h>

bool ptwalk_symbol_name(const void *at, char *name, size_t size);

#endif /* PTWALK_SYMBOL_H */
