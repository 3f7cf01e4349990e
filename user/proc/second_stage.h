/* SPDX-License-Identifier: GPL-2.0 */
/* The second stage of a virtual machine of KVM, by the file of the module ptwalk_guest. */
#ifndef PTWALK_PROC_SECOND_STAGE_H
#define PTWALK_PROC_SECOND_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define SECOND_STAGE	"/sys/kernel/debug/ptwalk_guest/second_stage"

/**
 * struct stage_extent - guest-physical addresses that are mapped alike
 * @gpa: First address in the guest.
 * @bytes: Length.
 * @hpa: Physical address of the first byte.
 * @hva: What its slot has there: an address of the process.
 * @level: Of the entries: 1 is that of PTEs.
 * @write: The guest can write to it.
 * @read_only: Its slot says that it can't.
 * @slotless: It is in no slot; @hva is the address in the guest then.
 */
struct stage_extent {
	uint64_t gpa, bytes, hpa, hva;
	unsigned int level;
	bool write, read_only, slotless;
};

/**
 * struct second_stage - the file; all zero is a valid empty one
 * @page_shift: Of a page.
 * @cpus: Virtual CPUs.
 * @extent: Of slots with memory of the process, or in none, root by root, with @nr.
 * @private_bytes: Of slots with a guest_memfd.
 * @device_bytes: Where no slot is, nor memory.
 * @roots: Tables that were walked, each once; the other virtual CPUs have the same, but:
 * @rootless: those that have none, as before they first run;
 * @shadow: those without a second stage: KVM shadows their page tables;
 * @nested: how many have tables for a guest of the guest, too.
 * @lost: Roots that went away before their end, or that can't be read.
 * @lines: Extents of all kinds.
 * @complete: The file was read to its end.
 */
struct second_stage {
	unsigned int page_shift;
	uint64_t cpus;
	struct stage_extent *extent;
	size_t nr, max;
	uint64_t private_bytes, device_bytes;
	uint64_t roots, rootless, shadow, nested, lost, lines;
	bool complete;
};

/* Takes one line. Returns 0 or a negative errno. */
int second_stage_line(const char *line, struct second_stage *stage);

/* Reads @stream to its end. Returns 0 or a negative errno; -EIO: it isn't complete. */
int second_stage_parse(FILE *stream, struct second_stage *stage);

/*
 * Reads that of our own descriptor @vm, a virtual machine with the memory of process
 * @pid. Returns 0 or a negative errno with a message.
 */
int second_stage_read(struct second_stage *stage, int vm, pid_t pid);
void second_stage_free(struct second_stage *stage);

/*
 * Calls @take with each descriptor of the process that is a virtual machine, until it
 * returns other than 0. Returns that, or a negative errno with a message.
 */
int machines_each(pid_t pid, int (*take)(int fd, void *arg), void *arg);

/* Our own descriptor for descriptor @fd of a process, or a negative errno with a message. */
int machine_open(pid_t pid, int fd);

#endif /* PTWALK_PROC_SECOND_STAGE_H */
