/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in mapped files. */
#ifndef PTWALK_COMPAT_FILE_H
#define PTWALK_COMPAT_FILE_H

#include <linux/fs.h>

/*
 * The inode that /proc/PID/maps shows. Linux 6.8, 3efdc78fdc21: for a file on
 * overlayfs, that of the file which user space opened; before, that of the
 * underlying file, which is mapped.
 */
static inline const struct inode *ptwalk_maps_inode(const struct file *file)
{
#ifdef PTWALK_HAS_file_user_inode
	return file_user_inode(file);
#else
	return file_inode(file);
#endif
}

/*
 * The function that maps a file, for its symbol. Linux 6.16, c84bf6dd2b83: a
 * file may have ->mmap_prepare() instead of ->mmap().
 */
static inline const void *ptwalk_file_mmap(const struct file *file)
{
	const struct file_operations *ops = file->f_op;

#ifdef PTWALK_HAS_mmap_prepare
	if (ops->mmap_prepare)
		return ops->mmap_prepare;
#endif
	return ops->mmap;
}

#endif /* PTWALK_COMPAT_FILE_H */
