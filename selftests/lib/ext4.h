/* SPDX-License-Identifier: GPL-2.0 */
/* For builders: a file of a file system on a disk. */
#ifndef PTWALK_TEST_EXT4_H
#define PTWALK_TEST_EXT4_H

#include "mapping.h"

/*
 * Writes an empty ext4 of blocks of 4 KiB and some 16 MiB to a file or device:
 * one group, no journal. There need be no mkfs where the tests run.
 */
bool ext4_make(int fd);

/*
 * Has @m->fd be a new file in such a file system on @disk, which is mounted
 * with @options; it goes with the last who uses the file. False, with
 * mapping_lacks() or mapping_broken() called, if that fails.
 */
bool ext4_open(struct mapping *m, const char *disk, const char *options);

/*
 * Has @m->fd be a file of @size bytes in such a file system, on a loop device
 * over shared memory; all of it goes with the last who uses the file. The file
 * is written at once, and nothing of it is left to be written to the disk.
 * False, with mapping_lacks() or mapping_broken() called, if that fails.
 */
bool ext4_file(struct mapping *m, size_t size);

#endif /* PTWALK_TEST_EXT4_H */
