// SPDX-License-Identifier: GPL-2.0
/* Protection keys, as the command shows them, and compares them with smaps. */
#include <sys/mman.h>
#include "command.h"
#include "test.h"

FIXTURE(keyed)
{
	size_t size;
	char *at;
	int key;
};

FIXTURE_SETUP(keyed)
{
	self->size = sysconf(_SC_PAGESIZE);
	self->at = mmap(NULL, 3 * self->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->at);
	self->key = pkey_alloc(0, 0);
	if (self->key < 0)
		SKIP(return, "the processor or the kernel has no protection keys");
}

FIXTURE_TEARDOWN(keyed)
{
	pkey_free(self->key);
	munmap(self->at, 3 * self->size);
}

/* What is told as shown by the command, and what smaps says of it. */
TEST_F(keyed, command)
{
	static struct output out;
	char pid[16], addr[40], key[16];

	NEED_COMMAND();
	ASSERT_EQ(0, pkey_mprotect(self->at + self->size, self->size,
				   PROT_READ | PROT_WRITE, self->key));
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(addr, sizeof(addr), "%lx", (long)self->at + (long)self->size);
	run(&out, ptwalk_command(), "translate", "-v", pid, addr);
	EXPECT_STATUS(MATCH);
	snprintf(key, sizeof(key), ",pkey=%d\n", self->key);
	EXPECT_PRINTED(key);
	snprintf(key, sizeof(key), " pkey %d", self->key);
	EXPECT_PRINTED(key);
	snprintf(addr, sizeof(addr), "%lx+%zx", (long)self->at + (long)self->size, self->size);
	run(&out, ptwalk_command(), "dump", "--json", pid, addr);
	snprintf(key, sizeof(key), "\"pkey\":%d", self->key);
	EXPECT_PRINTED(key);
	run(&out, ptwalk_command(), "check", "--source", "smaps", pid);
	EXPECT_STATUS(MATCH);
}

TEST_HARNESS_MAIN
