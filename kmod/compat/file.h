/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernel versions in mapped files. */
#ifndef PTWALK_COMPAT_FILE_H
#define PTWALK_COMPAT_FILE_H

#include <linux/fs.h>
#include <linux/version.h>

/*
 * The inode that /proc/PID/maps tells of. Linux 6.8, "fs/proc: show correct
 * device and inode numbers in /proc/pid/maps": of a file in overlayfs, the one
 * that its user opened and no longer the one that is really mapped.
 */
static inline const struct inode *ptwalk_maps_inode(const struct file *file)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	return file_inode(file);
#else
	return file_user_inode(file);
#endif
}

/*
 * The function that maps a file, to be named. Linux 6.16, c84bf6dd2b83: a file
 * may have mmap_prepare() instead of mmap().
 */
static inline const void *ptwalk_file_mmap(const struct file *file)
{
	const struct file_operations *ops = file->f_op;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	if (ops->mmap_prepare)
		return ops->mmap_prepare;
#endif
	return ops->mmap;
}

#endif /* PTWALK_COMPAT_FILE_H */
