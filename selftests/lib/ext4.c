// SPDX-License-Identifier: GPL-2.0
/* See the kernel's Documentation/filesystems/ext4 for the layout. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <linux/loop.h>
#include <unistd.h>
#include "ext4.h"

#define BLOCK		4096
#define BLOCKS		4096
#define INODES		16	/* a block of them */
#define INODE_SIZE	(BLOCK / INODES)

/*
 * The blocks below count as used, so that the first file begins at a multiple
 * of what a PMD maps.
 */
#define FIRST_FREE	512

/* Where what is, by block. */
enum { SUPER, GROUPS, BLOCK_BITMAP, INODE_BITMAP, INODE_TABLE, ROOT, USED };

static unsigned char image[USED][BLOCK];

static void put16(unsigned char *at, uint16_t value)
{
	value = htole16(value);
	memcpy(at, &value, sizeof(value));
}

static void put32(unsigned char *at, u32 value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

/* Bits from @from on, up to the end of the block. */
static void set_from(unsigned char *bitmap, int from)
{
	int i;

	for (i = from; i < 8 * BLOCK; i++)
		bitmap[i / 8] |= 1 << i % 8;
}

static void make_super(unsigned char *s)
{
	put32(s, INODES);
	put32(s + 4, BLOCKS);
	put32(s + 12, BLOCKS - FIRST_FREE);
	put32(s + 16, INODES - 10);
	put32(s + 24, 2);		/* log2 of the size of a block, less 10 */
	put32(s + 28, 2);		/* of a cluster */
	put32(s + 32, 8 * BLOCK);	/* blocks of a group */
	put32(s + 36, 8 * BLOCK);
	put32(s + 40, INODES);
	put16(s + 54, 0xffff);		/* mounts without a check */
	put16(s + 56, 0xef53);
	put16(s + 58, 1);		/* clean */
	put16(s + 60, 1);		/* errors: go on */
	put32(s + 76, 1);		/* revision */
	put32(s + 84, 11);		/* first inode for files */
	put16(s + 88, INODE_SIZE);
	put32(s + 96, 0x42);		/* file types in directories, extents */
	memset(s + 104, 0x5a, 16);	/* UUID */
}

static void make_group(unsigned char *g)
{
	put32(g, BLOCK_BITMAP);
	put32(g + 4, INODE_BITMAP);
	put32(g + 8, INODE_TABLE);
	put16(g + 12, BLOCKS - FIRST_FREE);
	put16(g + 14, INODES - 10);
	put16(g + 16, 1);		/* directories */
}

static void make_root(unsigned char *inode, unsigned char *dir)
{
	put16(inode, 040755);
	put32(inode + 4, BLOCK);
	put16(inode + 26, 2);		/* links */
	put32(inode + 28, BLOCK / 512);
	put32(inode + 32, 0x80000);	/* has extents */
	put16(inode + 40, 0xf30a);
	put16(inode + 42, 1);		/* extent, of no more than four */
	put16(inode + 44, 4);
	put16(inode + 56, 1);		/* block */
	put32(inode + 60, ROOT);

	put32(dir, 2);
	put16(dir + 4, 12);
	dir[6] = 1;
	dir[7] = 2;
	dir[8] = '.';
	put32(dir + 12, 2);
	put16(dir + 16, BLOCK - 12);
	dir[18] = 2;
	dir[19] = 2;
	memcpy(dir + 20, "..", 2);
}

bool ext4_make(int fd)
{
	memset(image, 0, sizeof(image));
	make_super(image[SUPER] + 1024);
	make_group(image[GROUPS]);
	memset(image[BLOCK_BITMAP], 0xff, FIRST_FREE / 8);
	set_from(image[BLOCK_BITMAP], BLOCKS);
	image[INODE_BITMAP][0] = 0xff;
	image[INODE_BITMAP][1] = 0x03;
	set_from(image[INODE_BITMAP], INODES);
	make_root(image[INODE_TABLE] + INODE_SIZE, image[ROOT]);
	return pwrite(fd, image, sizeof(image), 0) == sizeof(image);
}

/* A loop device over an empty file system; its path, or false. */
static bool make_disk(struct mapping *m, char *path, size_t size)
{
	static struct output out;
	struct loop_config config = {
		.block_size = BLOCK,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR,
	};
	int control, image_fd, nr, loop;

	run(&out, "modprobe", "-q", "loop");
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	nr = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	if (control >= 0)
		close(control);
	if (nr < 0) {
		mapping_lacks(m, "there is no loop device");
		return false;
	}
	snprintf(path, size, "/dev/loop%d", nr);
	image_fd = memfd_create("ext4", MFD_CLOEXEC);
	if (image_fd < 0 || ftruncate(image_fd, (off_t)BLOCKS * BLOCK) ||
	    !ext4_make(image_fd)) {
		mapping_broken(m, "an image of a file system: %s", strerror(errno));
		return false;
	}
	config.fd = image_fd;
	loop = open(path, O_RDWR | O_CLOEXEC);
	if (loop < 0 || ioctl(loop, LOOP_CONFIGURE, &config)) {
		mapping_lacks(m, "%s: %s", path, strerror(errno));
		return false;
	}
	close(image_fd);
	/* Open until it is mounted, or it would be gone again. */
	m->saved_number = loop;
	return true;
}

bool ext4_open(struct mapping *m, const char *disk, const char *options)
{
	char dir[] = "/tmp/ptwalk-XXXXXX", path[64];
	static struct output out;

	run(&out, "modprobe", "-q", "ext4");
	/* By the name of its algorithm, for kernels before 6.15. */
	run(&out, "modprobe", "-q", "crc32c_generic");
	if (!mkdtemp(dir)) {
		mapping_broken(m, "%s: %s", dir, strerror(errno));
		return false;
	}
	if (mount(disk, dir, "ext4", 0, options)) {
		mapping_lacks(m, "ext4 on %s can't be mounted: %s", disk,
			      strerror(errno));
		rmdir(dir);
		return false;
	}
	snprintf(path, sizeof(path), "%s/file", dir);
	m->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (m->fd < 0)
		mapping_broken(m, "a file of ext4: %s", strerror(errno));
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return m->fd >= 0;
}

bool ext4_file(struct mapping *m, size_t size)
{
	char disk[32], *text;
	bool opened;
	size_t i;

	if (!make_disk(m, disk, sizeof(disk)))
		return false;
	opened = ext4_open(m, disk, NULL);
	close(m->saved_number);
	if (!opened)
		return false;
	text = malloc(size);
	if (!text) {
		mapping_broken(m, "no memory");
		return false;
	}
	for (i = 0; i < size; i += m->page_size) {
		memset(text + i, 'a' + i / m->page_size % 26, m->page_size);
		if (mapping_fill)
			mapping_fill(text + i, m->page_size);
	}
	if (write(m->fd, text, size) != (ssize_t)size || fsync(m->fd))
		mapping_broken(m, "writing a file of ext4: %s", strerror(errno));
	free(text);
	return !m->broken[0];
}
