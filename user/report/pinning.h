/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the kernel will pin a page for I/O, by its entry and its VMA. Pure. */
#ifndef PTWALK_REPORT_PINNING_H
#define PTWALK_REPORT_PINNING_H

#include <stdbool.h>
#include <stdint.h>
#include "lib/ptwalk.h"

/**
 * struct pinning - what get_user_pages() and its like will do
 * @read: They take the page for data that goes out of it, as write(2) to a file with
 *	O_DIRECT, vmsplice(2), and a device that only reads.
 * @write: They take it for data that comes in, as RDMA and buffers of io_uring.
 * @why: Why not, or what happens first, with the kernel's function; static.
 */
struct pinning {
	bool read, write;
	const char *why;
};

/*
 * Of an entry with @bits and @value of that kernel, of @page if it is known, in @vma, or in
 * none (NULL). @behind: behind the end of the file, as file_end() says.
 */
struct pinning pinning_of(const struct ptwalk_kernel *info, uint64_t bits, uint64_t value,
			  const struct ptwalk_page *page, const struct ptwalk_vma *vma,
			  bool behind);

/* "for reading and writing", "for reading only", "for writing only", "no". */
const char *pinning_text(const struct pinning *pinning);

#endif /* PTWALK_REPORT_PINNING_H */
