// SPDX-License-Identifier: GPL-2.0
/* Protection keys of entries and VMAs, and in smaps. */
#include <sys/mman.h>
#include "test.h"

FIXTURE(keyed)
{
	struct ptw ptw;
	size_t size;
	char *at;
	int key;
};

FIXTURE_SETUP(keyed)
{
	struct ptw_info info;

	self->size = sysconf(_SC_PAGESIZE);
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, ptw_info(&self->ptw, &info));
	self->at = mmap(NULL, 3 * self->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->at);
	self->key = pkey_alloc(0, 0);
	EXPECT_EQ(self->key >= 0, !!(info.features & PTWALK_FEATURE_PKEYS));
	if (self->key < 0)
		SKIP(return, "the processor or the kernel has no protection keys");
}

FIXTURE_TEARDOWN(keyed)
{
	pkey_free(self->key);
	munmap(self->at, 3 * self->size);
	ptw_close(&self->ptw);
}

/* The keys of the three pages, by translation and by dump. */
static const char *keys_are(struct ptw *ptw, const char *at, size_t size,
			    const u32 *keys)
{
	u64 start = (uintptr_t)at;
	static char why[120];
	struct ptw_dump dump;
	int i;

	if (ptw_dump(ptw, getpid(), start, start + 3 * size - 1, &dump))
		return "the dump failed";
	why[0] = '\0';
	for (i = 0; i < 3 && !why[0]; i++) {
		struct ptw_extent extent;
		struct ptw_page page;
		struct ptw_vma vma;

		if (ptw_translate_one(ptw, getpid(), start + i * size, &page) ||
		    !ptw_dump_find(&dump, __builtin_ctzll(size), start + i * size,
				   &extent, &vma))
			snprintf(why, sizeof(why), "page %d isn't found", i);
		else if (ptwalk_bits_pkey(page.t.bits) != keys[i] ||
			 ptwalk_bits_pkey(extent.bits) != keys[i])
			snprintf(why, sizeof(why), "page %d has the keys %u and %u, not %u",
				 i, ptwalk_bits_pkey(page.t.bits),
				 ptwalk_bits_pkey(extent.bits), keys[i]);
	}
	ptw_dump_free(&dump);
	return why[0] ? why : NULL;
}

TEST_F(keyed, entries)
{
	const u32 keys[3] = { 0, self->key, 0 };

	ASSERT_EQ(0, pkey_mprotect(self->at + self->size, self->size,
				   PROT_READ | PROT_WRITE, self->key));
	EXPECT_GOOD(keys_are(&self->ptw, self->at, self->size, keys));
}

/* Memory that may be executed only has a key of its own, where the kernel so does. */
TEST_F(keyed, execute_only)
{
	struct ptw_page page;

	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_EXEC));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, getpid(), (uintptr_t)self->at, &page));
	EXPECT_EQ(PTWALK_KIND_PRESENT, ptwalk_bits_kind(page.t.bits));
#ifdef __x86_64__
	EXPECT_NE(0, ptwalk_bits_pkey(page.t.bits));
#else
	EXPECT_EQ(0, ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_USER);
#endif
}

TEST_HARNESS_MAIN
