/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /proc/kcore: memory by its physical address. Its program headers say where
 * in the file the kernel's own mapping of all RAM is, and which physical
 * address that begins at; nothing here comes from the module.
 */
#ifndef PTWALK_PROC_KCORE_H
#define PTWALK_PROC_KCORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct kcore_segment - memory that the file holds in a row
 * @vaddr: Address of its first byte in the kernel's half.
 * @paddr: Physical address of that.
 * @size: In bytes.
 * @offset: Where it is in the file.
 */
struct kcore_segment {
	uint64_t vaddr, paddr, size, offset;
};

/**
 * struct kcore - the file
 * @fd: It, open.
 * @segment: What it holds by physical address, the longest first, with @nr.
 */
struct kcore {
	int fd;
	struct kcore_segment *segment;
	size_t nr;
};

/* Opens /proc/kcore. Returns NULL, or why it can't be used. */
const char *kcore_open(struct kcore *kcore);
void kcore_close(struct kcore *kcore);

/* The same for a file that is open, which stays the caller's. */
const char *kcore_parse(int fd, struct kcore *kcore);

/*
 * Where in the file @paddr is. Returns how many bytes from there on are in a
 * row, 0 if it isn't in the file.
 *
 * Memory can be in it twice: the kernel's image has a segment of its own, and
 * is part of RAM. Of the two the longer is taken, for what the kernel has
 * given back of its image is no longer mapped in the other.
 */
uint64_t kcore_find(const struct kcore *kcore, uint64_t paddr,
		    uint64_t *offset);

/*
 * Reads @size bytes at @paddr; returns how many could be, from the beginning,
 * or a negative errno. The kernel shows zeros for pages that it won't read:
 * offline ones, and those with failed memory.
 */
ssize_t kcore_read(const struct kcore *kcore, uint64_t paddr, void *buf,
		   size_t size);

#endif /* PTWALK_PROC_KCORE_H */
