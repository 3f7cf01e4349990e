/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps a file or device into ptwalk itself, so that the author of a driver can
 * examine its mmap() without writing a program.
 */
#ifndef PTWALK_PROC_SELFMAP_H
#define PTWALK_PROC_SELFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum selfmap_way - how it is mapped
 * @SELFMAP_SHARED: Shared, for writing if the file allows that.
 * @SELFMAP_RO: Shared, of a file that is open for reading: never for writing.
 * @SELFMAP_WO: Shared, with PROT_WRITE alone.
 * @SELFMAP_PRIVATE: Copied when it is written to.
 */
enum selfmap_way {
	SELFMAP_SHARED,
	SELFMAP_RO,
	SELFMAP_WO,
	SELFMAP_PRIVATE,
	NR_SELFMAP_WAYS
};

/**
 * struct selfmap - such a mapping; all zero is none
 * @file: As given.
 * @offset: In the file, in bytes.
 * @length: In bytes, whole pages once it is open; 0 in a parsed one means: all
 *	of a file, a page of a device.
 * @way: How it is mapped.
 * @addr: Where it is mapped.
 */
struct selfmap {
	char *file;
	uint64_t offset;
	uint64_t length;
	enum selfmap_way way;
	void *addr;
};

/*
 * Parses FILE[:OFFSET[:LENGTH]][:ro|:wo|:private]; the numbers are as parse_size() takes
 * them. Returns NULL, or the reason why it can't be.
 */
const char *selfmap_parse(const char *spec, struct selfmap *map);

/*
 * Maps it; touches no page.
 * Returns 0 or a negative errno, see base/error.h.
 */
int selfmap_open(struct selfmap *map);

/*
 * Maps another part of the same file in the same way. Returns 0 or a negative
 * errno; selfmap_unmap() @another, which has no name of its own.
 */
int selfmap_another(const struct selfmap *map, uint64_t offset, uint64_t length,
		    struct selfmap *another);
void selfmap_unmap(struct selfmap *map);

/*
 * Reads a byte of each page, so that a fault handler has its say. Returns 0
 * or a negative errno, see base/error.h.
 */
int selfmap_touch(const struct selfmap *map);

void selfmap_close(struct selfmap *map);

/*
 * Whether @arg is the file's name as given, or that and "+OFFSET"; if so
 * @addr receives the address that is meant. The name in /proc/self/maps can be
 * another, that of the file behind a symbolic link.
 */
bool selfmap_address(const struct selfmap *map, const char *arg, uint64_t *addr);

#endif /* PTWALK_PROC_SELFMAP_H */
