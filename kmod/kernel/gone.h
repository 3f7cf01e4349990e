/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of modules that were unloaded since this one was loaded: what they have
 * left behind names it.
 */
#ifndef PTWALK_KERNEL_GONE_H
#define PTWALK_KERNEL_GONE_H

#include <linux/types.h>

int ktable_gone_init(void);
void ktable_gone_exit(void);

typedef void (*ktable_take_gone)(void *arg, const char *name, u64 start, u64 last, u64 text);

/*
 * Calls @take with each place that had the code of one module alone; with a mutex held.
 * @text is where that code began, or 0: it is start-up code.
 */
void ktable_gone(ktable_take_gone take, void *arg);

#endif /* PTWALK_KERNEL_GONE_H */
