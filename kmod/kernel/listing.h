/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file of debugfs that lists what a walk finds: a header, a line for each extent, and
 * the end. For the main file of a module, once in each.
 *
 * Nothing is kept between two opens. The rights of who opens it decide, as for
 * /proc/kcore: those to administer and to read memory, in the initial user namespace.
 * A kernel that is locked down refuses it; debugfs_locked_down() lets pass a file that
 * can only be read.
 */
#ifndef PTWALK_LISTING_H
#define PTWALK_LISTING_H

#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>

/**
 * struct listing - an open file; the first member of what its module has of it
 * @found: Extents that were found; the last one is that of this number.
 * @ended: There is none behind it, and @found is one more.
 *
 * All is under the lock of the seq_file.
 */
struct listing {
	u64 found;
	bool ended;
};

/*
 * The module defines these, of its own struct. One begins the walk, and one finds the
 * next extent: 1, or 0 if there is none. Both may return a negative error.
 */
static int listing_begin(void *file);
static int listing_next(void *file);
static void listing_show_header(struct seq_file *m, const void *file);
static void listing_show_extent(struct seq_file *m, const void *file);
static void listing_show_end(struct seq_file *m, const void *file);

/* Position 0 is the header, 1 the first extent, and the end has one of its own. */
static void *listing_seek(struct listing *listing, loff_t pos)
{
	int ret;

	if (pos < listing->found || !pos) {
		ret = listing_begin(listing);
		if (ret < 0)
			return ERR_PTR(ret);
		listing->found = 0;
		listing->ended = false;
	}
	while (listing->found < pos) {
		if (listing->ended)
			return NULL;
		ret = listing_next(listing);
		if (ret < 0)
			return ERR_PTR(ret);
		listing->ended = !ret;
		listing->found++;
	}
	return listing;
}

static void *listing_seq_start(struct seq_file *m, loff_t *pos)
{
	return listing_seek(m->private, *pos);
}

static void *listing_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	return listing_seek(m->private, ++*pos);
}

static void listing_seq_stop(struct seq_file *m, void *v)
{
}

static int listing_seq_show(struct seq_file *m, void *v)
{
	const struct listing *listing = v;

	if (!listing->found)
		listing_show_header(m, listing);
	else if (listing->ended)
		listing_show_end(m, listing);
	else
		listing_show_extent(m, listing);
	return 0;
}

/* @size is that of what begins with the struct listing; seq_release_private() frees it. */
static int listing_open(struct file *file, size_t size)
{
	static const struct seq_operations ops = {
		.start = listing_seq_start,
		.next = listing_seq_next,
		.stop = listing_seq_stop,
		.show = listing_seq_show,
	};
	int err;

	if (!capable(CAP_SYS_ADMIN) || !capable(CAP_SYS_RAWIO))
		return -EPERM;
	err = security_locked_down(LOCKDOWN_DEBUGFS);
	if (err)
		return err;
	return __seq_open_private(file, &ops, size) ? 0 : -ENOMEM;
}

/* As ptwalk_init(): what a walk needs of headers isn't in the versions of symbols. */
static bool __init listing_fits(void)
{
	if (!strcmp(init_utsname()->release, UTS_RELEASE))
		return true;
	pr_err(KBUILD_MODNAME ": built for Linux " UTS_RELEASE ", and for no other\n");
	return false;
}

/* Returns the folder with the file, or an error. */
static struct dentry * __init listing_create(const char *folder, const char *name,
					     umode_t mode, const struct file_operations *fops)
{
	struct dentry *dir = debugfs_create_dir(folder, NULL), *file;

	if (IS_ERR(dir))
		return dir;
	file = debugfs_create_file(name, mode, dir, NULL, fops);
	if (!IS_ERR(file))
		return dir;
	debugfs_remove(dir);
	return file;
}

#endif /* PTWALK_LISTING_H */
