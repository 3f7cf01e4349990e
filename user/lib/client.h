/* SPDX-License-Identifier: GPL-2.0 */
/* The module's netlink family, spoken through libnl-genl-3. */
#ifndef PTWALK_LIB_CLIENT_H
#define PTWALK_LIB_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <linux/ptwalk_record.h>

struct client;

/**
 * struct kernel_info - what the module tells about the running kernel
 * @version: Version of the family, which is that of the protocol.
 * @page_shift: log2 of the base page size.
 * @levels: Mask of enum ptwalk_level that the kernel uses.
 * @level_shift: log2 of the bytes that an entry covers, by level.
 * @level_entries: Entries in one table, by level.
 * @entry_size: Bytes of one entry, by level.
 * @flags: Mask of enum ptwalk_flag that can occur.
 * @kinds: Mask of (1 << enum ptwalk_kind) that can occur.
 * @vma_flags: Mask of enum ptwalk_vma_flag that can occur.
 * @features: Mask of enum ptwalk_feature.
 * @swap_type_bits: Width of the swap type in pagemap.
 * @swap_type: Swap types of each special kind, as a mask of (1 << type).
 * @memory_types: enum ptwalk_memory_type by memory type index.
 * @nr_memory_types: Number of those.
 * @zero_pfn: PFN of the zero page.
 * @phys_bits: Width of a physical address.
 * @release: Release of the kernel as in uname -r; @major and @minor from it.
 *	For texts and rules that name a version, never to guess a feature.
 * @machine: As in uname -m, for rules about code of one architecture.
 */
struct kernel_info {
	uint32_t version;
	uint32_t page_shift;
	uint32_t levels;
	uint32_t level_shift[PTWALK_LEVELS];
	uint32_t level_entries[PTWALK_LEVELS];
	uint32_t entry_size[PTWALK_LEVELS];
	uint32_t flags;
	uint32_t kinds;
	uint64_t vma_flags;
	uint32_t features;
	uint32_t swap_type_bits;
	uint32_t swap_type[32];
	uint8_t memory_types[32];
	size_t nr_memory_types;
	uint64_t zero_pfn;
	uint32_t phys_bits;
	char release[65];
	char machine[65];
	unsigned int major, minor;
};

/*
 * Each function that can fail prints one clear line on stderr (the kernel's
 * extended ack and the attribute at fault where there is one) and returns the
 * exit status that the failure means (EXIT_UNCHECKED for no module, another
 * protocol version, no permission, no such process), or 0. A process that is
 * gone is told apart with CLIENT_GONE, without a line, so that a check of all
 * processes can go on.
 */
#define CLIENT_GONE	(-1)

/* So is one whose memory can't be read as it holds its mmap lock for writing. */
#define CLIENT_BUSY	(-4)

int client_open(struct client **client);
void client_close(struct client *client);

/* Asked once, at client_open(); valid as long as @client. */
const struct kernel_info *client_info(const struct client *client);

#endif /* PTWALK_LIB_CLIENT_H */
