/* SPDX-License-Identifier: GPL-2.0 */
/* Made by scripts/protocol --update from kmod/ptwalk*.yaml. Not to be edited. */
#ifndef PTWALK_TEST_SPEC_H
#define PTWALK_TEST_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ptwalk.h>
#include <linux/ptwalk_device.h>

enum spec_type { SPEC_FLAG, SPEC_U32, SPEC_UINT, SPEC_STRING, SPEC_BINARY };

/**
 * struct spec_attribute - what may be in a request
 * @number: Its type on the wire.
 * @type: Of its payload.
 * @min: The least value.
 * @max: The most bytes, without the NUL of a string.
 * @unit: Bytes of one element.
 */
struct spec_attribute {
	int number;
	enum spec_type type;
	unsigned int min, max, unit;
};

/**
 * struct spec_operation - a request
 * @command: Its number.
 * @is_dump: It is answered by a dump.
 * @attribute: What it may have.
 * @nr: How many those are.
 */
struct spec_operation {
	int command;
	bool is_dump;
	const struct spec_attribute *attribute;
	size_t nr;
};

static const struct spec_attribute spec_translate[] = {
	{ PTWALK_A_TRANSLATE_PID, SPEC_U32, .min = 1 },
	{ PTWALK_A_TRANSLATE_ADDRESSES, SPEC_BINARY, .max = 1024, .unit = 8 },
	{ PTWALK_A_TRANSLATE_WANT_PAGES, SPEC_FLAG },
};

static const struct spec_attribute spec_walk[] = {
	{ PTWALK_A_WALK_PID, SPEC_U32, .min = 1 },
	{ PTWALK_A_WALK_START, SPEC_UINT },
	{ PTWALK_A_WALK_LAST, SPEC_UINT },
	{ PTWALK_A_WALK_WANT_PAGES, SPEC_FLAG },
	{ PTWALK_A_WALK_OUTSIDE, SPEC_FLAG },
	{ PTWALK_A_WALK_FIRST_FRAME, SPEC_UINT },
	{ PTWALK_A_WALK_LAST_FRAME, SPEC_UINT },
	{ PTWALK_A_WALK_WANT_MIXED, SPEC_FLAG },
	{ PTWALK_A_WALK_ENTRIES_ONLY, SPEC_FLAG },
};

static const struct spec_attribute spec_device[] = {
	{ PTWALK_A_DEVICE_NAME, SPEC_STRING, .max = 127 },
	{ PTWALK_A_DEVICE_ADDRESSES, SPEC_BINARY, .max = 1024, .unit = 8 },
};

static const struct spec_attribute spec_iova[] = {
	{ PTWALK_A_IOVA_NAME, SPEC_STRING, .max = 127 },
	{ PTWALK_A_IOVA_START, SPEC_UINT },
	{ PTWALK_A_IOVA_LAST, SPEC_UINT },
};

static const struct spec_attribute spec_frames[] = {
	{ PTWALK_A_FRAMES_FRAMES, SPEC_BINARY, .max = 1024, .unit = 8 },
};

static const struct spec_attribute spec_policies[] = {
	{ PTWALK_A_POLICIES_PID, SPEC_U32, .min = 1 },
	{ PTWALK_A_POLICIES_ADDRESSES, SPEC_BINARY, .max = 1024, .unit = 8 },
};

static const struct spec_operation spec_operations[] = {
	{ PTWALK_CMD_INFO, false, NULL, 0 },
	{ PTWALK_CMD_TRANSLATE, false, spec_translate, 3 },
	{ PTWALK_CMD_WALK, true, spec_walk, 9 },
	{ PTWALK_CMD_DEVICE, false, spec_device, 2 },
	{ PTWALK_CMD_IOVA, true, spec_iova, 3 },
	{ PTWALK_CMD_FRAMES, false, spec_frames, 1 },
	{ PTWALK_CMD_POLICIES, false, spec_policies, 2 },
};

#endif /* PTWALK_TEST_SPEC_H */
