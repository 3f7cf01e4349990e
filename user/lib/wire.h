/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses the family's messages into plain structures: no socket, no output.
 *
 * Every function returns 0, or -EBADMSG for a message that makes no sense: one
 * that lacks what the protocol promises, holds half a record, or records that
 * are smaller than those known here. The rest of larger ones is ignored.
 */
#ifndef PTWALK_LIB_WIRE_H
#define PTWALK_LIB_WIRE_H

#include <stdbool.h>
#include <linux/netlink.h>
#include "lib/ptwalk.h"

/**
 * struct wire_translations - the reply to one batch of addresses
 * @translations: Copy of the records; room for PTWALK_MAX_ADDRESSES.
 * @pages: The pages behind them, as many, if @has_pages: only a request that
 *	wants them is told of them.
 * @cgroups: What each page is charged to; PTWALK_NO_CGROUP if that isn't told.
 * @nr: Number of those.
 * @vmas: The VMAs told with them; room for PTWALK_MAX_ADDRESSES.
 * @nr_vmas: Number of those.
 * @levels: As in struct truth.
 */
struct wire_translations {
	struct ptwalk_translation translations[PTWALK_MAX_ADDRESSES];
	struct ptwalk_page pages[PTWALK_MAX_ADDRESSES];
	bool has_pages;
	uint64_t cgroups[PTWALK_MAX_ADDRESSES];
	size_t nr;
	struct ptwalk_vma vmas[PTWALK_MAX_ADDRESSES];
	size_t nr_vmas;
	uint32_t levels;
};

int wire_info(const struct nlmsghdr *msg, struct ptwalk_kernel *info);

/* Runs that carry pages, in one message at the most. */
#define WIRE_PAGE_RUNS	(UINT16_MAX / sizeof(struct ptwalk_page_run))

/*
 * The runs stay in the message's own buffer and are valid as long as it. All
 * of them are whole, have pages, and lie inside the VMA. Moves them where they
 * aren't aligned or have words that we don't know, so a message can be read only
 * once. The first message of a dump has no runs, and only @levels are set.
 * @pages, if not NULL, has room for WIRE_PAGE_RUNS and receives the page that
 * each run carries: of a message that was asked for with them.
 */
int wire_walk(struct nlmsghdr *msg, unsigned int page_shift,
	      struct ptwalk_runs *runs, struct ptwalk_page *pages);

int wire_translations(const struct nlmsghdr *msg,
		      struct wire_translations *out);

/* The pages of @nr frames, as many as were asked for. */
int wire_frames(const struct nlmsghdr *msg, struct ptwalk_page *pages, size_t nr);

/* The policies of the first addresses; returns how many, at most @max, or -EBADMSG. */
ssize_t wire_policies(const struct nlmsghdr *msg, struct ptwalk_policy *policies, size_t max);

int wire_device(const struct nlmsghdr *msg, struct ptwalk_device *facts);

/*
 * Returns 0, 1 for the message before the first that tells of a piece, or -EBADMSG.
 * The stretches stay in the message's own buffer, where @stretch may be written
 * to. They have bytes, follow each other, and begin inside the piece.
 */
int wire_iova(struct nlmsghdr *msg, struct ptwalk_stretches *out,
	      struct ptwalk_stretch **stretch);

#endif /* PTWALK_LIB_WIRE_H */
