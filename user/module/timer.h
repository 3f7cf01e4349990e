/* SPDX-License-Identifier: GPL-2.0 */
/* Ends a system call that waits for a lock of the kernel. */
#ifndef PTWALK_MODULE_TIMER_H
#define PTWALK_MODULE_TIMER_H

void timer_begin(void);
void timer_end(void);

#endif /* PTWALK_MODULE_TIMER_H */
