/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where in a mapping its file ends. Behind that there is no page, and none is brought:
 * an access is a SIGBUS.
 */
#ifndef PTWALK_PROC_FILE_END_H
#define PTWALK_PROC_FILE_END_H

#include <stdint.h>
#include <sys/types.h>
#include "lib/ptwalk.h"

/*
 * The first address of @vma, of process @pid, that is behind its file; UINT64_MAX if none
 * is, or if the file isn't known: it takes what CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE
 * allows. A driver's file has no size, and one of the kernel's own often says 0.
 */
uint64_t file_end(pid_t pid, const struct ptwalk_vma *vma, unsigned int page_shift);

#endif /* PTWALK_PROC_FILE_END_H */
