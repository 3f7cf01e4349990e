/* SPDX-License-Identifier: GPL-2.0 */
/* Ways in which a process changes its memory while others read it. */
#ifndef PTWALK_TEST_MUTATE_H
#define PTWALK_TEST_MUTATE_H

#include <stdbool.h>
#include "ptw.h"

/* A random number that depends on nothing but @seed, which isn't 0. */
u32 chance(u32 *seed);

/* Before the others: what sizes pages have. */
void mutate_setup(const struct ptw_info *info);

/* Each does one thing, or nothing where the kernel has no such memory. */
void mutate_map(u32 *seed);		/* mmap, mprotect, munmap */
void mutate_move(u32 *seed);		/* mremap */
void mutate_huge(u32 *seed);		/* THP that come, split, collapse, go */
void mutate_fork(u32 *seed);		/* copy-on-write, exit */
void mutate_exec(u32 *seed);		/* a program that starts and ends */
void mutate_thread(u32 *seed);		/* a thread that starts and ends */
void mutate_advise(u32 *seed);		/* madvise: swap, KSM, guards, ... */
void mutate_shmem(u32 *seed);		/* shared memory with holes */
void mutate_node(u32 *seed);		/* from one NUMA node to another */
void mutate_uffd(u32 *seed);		/* write protection by userfaultfd */
void mutate_hugetlb(u32 *seed);		/* shared, unshared, forked */

/*
 * A block of memory goes and comes back, or a device with memory goes for good, which the
 * kernel does later, if it can. Returns whether a block did.
 */
bool mutate_memory(u32 *seed);

/* How many devices with memory are there still. */
unsigned int memory_devices(void);

/* Of the whole machine: compaction, caches, modules, memory. */
void mutate_machine(u32 *seed);

/**
 * struct mutator - one of those of a process
 * @name: Of what it changes.
 * @change: It.
 */
struct mutator {
	const char *name;
	void (*change)(u32 *seed);
};

extern const struct mutator mutators[];
extern const size_t nr_mutators;

#endif /* PTWALK_TEST_MUTATE_H */
