// SPDX-License-Identifier: GPL-2.0
/*
 * The memory cgroup that pages are charged to: of a process in one of its own,
 * and when that is gone, of its parent.
 */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "test.h"

#define PATIENCE	60	/* seconds that a kernel may take to end a cgroup */

FIXTURE(cgroups)
{
	struct ptw ptw;
	struct mapping m;
	char root[64], own[80];
	u64 root_inode, own_inode;
};

FIXTURE_VARIANT(cgroups)
{
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(cgroups, name) { .build = build_##name }
ADD(anon_written);
ADD(shmem);
ADD(thp);
ADD(mthp_64k);

static bool write_text(const char *dir, const char *file, const char *text)
{
	char path[128];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	stream = fopen(path, "we");
	if (!stream)
		return false;
	fputs(text, stream);
	return !fclose(stream);
}

static u64 inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

FIXTURE_SETUP(cgroups)
{
	strcpy(self->root, "/tmp/cgroups-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	if (mount("none", self->root, "cgroup2", 0, NULL))
		SKIP(return, "the kernel has no cgroup2");
	if (!write_text(self->root, "cgroup.subtree_control", "+memory"))
		SKIP(return, "cgroup2 has no memory controller");
	snprintf(self->own, sizeof(self->own), "%s/ptwalk-%d", self->root, getpid());
	ASSERT_EQ(0, mkdir(self->own, 0700));
	self->root_inode = inode_of(self->root);
	self->own_inode = inode_of(self->own);
	ASSERT_TRUE(write_text(self->own, "cgroup.procs", "0"));
	SETUP_MAPPING(self, variant->build);
	self->ptw.want_pages = true;
}

FIXTURE_TEARDOWN(cgroups)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
	write_text(self->root, "cgroup.procs", "0");
	rmdir(self->own);
	umount(self->root);
	rmdir(self->root);
}

/* Each page, which kpagecgroup says, too, but of tails before Linux 6.4. */
TEST_F(cgroups, charged)
{
	const struct expect *e = &self->m.expect[0];
	const double begun = seconds_now();
	struct ptw_page page;
	u64 i, word;

	for (i = 0; i < e->pages; i++) {
		ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid,
					       e->addr + i * self->m.page_size, &page));
		ASSERT_EQ(self->own_inode, page.cgroup);
		if (page.page.place >> 32 && !kernel_since(6, 4))
			continue;
		ASSERT_EQ(0, proc_kpage("/proc/kpagecgroup", page.t.value, &word));
		ASSERT_EQ(self->own_inode, word);
	}
	ASSERT_TRUE(write_text(self->root, "cgroup.procs", "0"));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, e->addr, &page));
	EXPECT_EQ(self->own_inode, page.cgroup);
	ASSERT_EQ(0, rmdir(self->own));
	do {
		usleep(10000);
		ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, e->addr, &page));
	} while (page.cgroup == self->own_inode && seconds_now() < begun + PATIENCE);
	EXPECT_EQ(self->root_inode, page.cgroup);
}

TEST_HARNESS_MAIN
