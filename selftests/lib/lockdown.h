/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel that refuses one thing as if it were locked down. */
#ifndef PTWALK_TEST_LOCKDOWN_H
#define PTWALK_TEST_LOCKDOWN_H

/*
 * Has security_locked_down() refuse @reason, by its name in enum lockdown_reason
 * (include/linux/security.h), until the descriptor is closed that is returned. For other
 * reasons nothing changes: a kernel that is really locked down takes no module that isn't
 * signed. A program of the LSM "bpf" does it (Documentation/bpf/prog_lsm.rst). Returns
 * -EOPNOTSUPP if the kernel has no such LSM, no BTF, or another negative errno.
 */
int locked_down(const char *reason);

#endif /* PTWALK_TEST_LOCKDOWN_H */
