/* SPDX-License-Identifier: GPL-2.0 */
/* For the builders of mappings that the kernel's own drivers make. */
#ifndef PTWALK_TEST_BUILD_FOREIGN_H
#define PTWALK_TEST_BUILD_FOREIGN_H

#include "mapping.h"

/**
 * enum foreign_window - how a file is to be mapped
 * @FOREIGN_READ: Shared, to read from.
 * @FOREIGN_WRITE: Shared, to read from and write to.
 * @FOREIGN_PRIVATE: Private, to read from.
 */
enum foreign_window {
	FOREIGN_READ,
	FOREIGN_WRITE,
	FOREIGN_PRIVATE,
};

/* Maps a part of @fd; NULL if the driver refuses, with errno set. */
char *foreign_map(struct mapping *m, int fd, u64 offset, u64 size,
		  enum foreign_window window);

/*
 * What is true of @pages that a driver has mapped and that were touched. What
 * kind of VMA the driver made of it, smaps tells; what pagemap must show of it
 * follows from that. @ram: they are memory, not a device's registers.
 */
struct expect foreign_expect(struct mapping *m, const char *at, u64 pages,
			     bool ram);

/*
 * The builder of buffers whose addresses nobody tells: maps @fd twice and
 * expects the same frames in both windows.
 */
void foreign_buffer(struct mapping *m, int fd, u64 offset, u64 size,
		    enum foreign_window window);

#endif /* PTWALK_TEST_BUILD_FOREIGN_H */
