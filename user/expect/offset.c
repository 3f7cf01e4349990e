// SPDX-License-Identifier: GPL-2.0
/* Whether a mapping is the same at another offset of its file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "check/judge.h"
#include "check/process.h"
#include "expect/offset.h"

/* The first extent, if it maps something. */
static const struct ptwalk_extent *first_mapped(const struct truth *truth)
{
	const struct ptwalk_extent *e = truth->extents;

	return truth->nr_extents &&
	       ptwalk_bits_present(e->bits) ? e : NULL;
}

/*
 * Whether all of a mapping that has pages is the same in its twin, but for the @distance of
 * the frames: 0, or that of an offset in the wrong unit.
 */
static bool twin_is_same(const struct examinee *x, const struct selfmap *map,
			 const struct selfmap *twin, uint64_t *frame, uint64_t *distance, int *err)
{
	const uint64_t in_bytes = 1ULL << x->env->kernel->page_shift;
	uint64_t a = (uintptr_t)map->addr, b = (uintptr_t)twin->addr;
	struct truth here = { 0 }, there = { 0 };
	const struct ptwalk_extent *e, *f;
	bool same = false;
	size_t i;

	*err = truth_read(x->client, x->pid, a, a + map->length - 1, &here);
	if (!*err)
		*err = truth_read(x->client, x->pid, b, b + map->length - 1,
				  &there);
	if (!*err && here.nr_extents == there.nr_extents)
		same = here.nr_extents;
	*distance = same ? here.extents->value - there.extents->value : 0;
	for (i = 0; same && i < here.nr_extents; i++) {
		e = &here.extents[i];
		f = &there.extents[i];
		same = e->addr - a == f->addr - b && e->pages == f->pages &&
		       e->value - f->value == *distance &&
		       ptwalk_bits_kind(e->bits) == ptwalk_bits_kind(f->bits);
	}
	e = same ? first_mapped(&here) : NULL;
	*frame = e ? e->value : 0;
	truth_free(&here);
	truth_free(&there);
	return e && (!*distance || *distance == in_bytes);
}

int offset_examine(const struct examinee *x, const struct selfmap *map,
		   bool touch, bool *judged)
{
	unsigned int shift = x->env->kernel->page_shift;
	struct remark remark = {
		.verdict = VERDICT_MISMATCH,
		.start = (uintptr_t)map->addr,
		.pages = ((map->length - 1) >> shift) + 1,
		.rule = "expect-offset",
		.has_found = true,
	};
	unsigned int round = 0;
	struct selfmap twin;
	uint64_t frame = 0, distance, other;
	bool same;
	int err;

	*judged = false;
	if (!map->offset)
		return 0;
	other = map->offset - (1ULL << shift);
	err = selfmap_another(map, other, map->length, &twin);
	if (err) {
		check_warn(x->process->check, "%s cannot be mapped at offset 0x%" PRIx64 " as well (%s): whether it ignores the offset is not known",
			   map->file, other, strerror(-err));
		return 0;
	}
	err = touch ? selfmap_touch(&twin) : 0;
	do
		same = !err && twin_is_same(x, map, &twin, &frame, &distance, &err);
	while (same && ++round < JUDGE_ROUNDS);
	if (same && distance)
		check_warn(x->process->check, "%s: a page further in the file is %" PRIu64 " pages further in memory: was vm_pgoff, in bytes, added to a frame number?",
			   map->file, distance);
	else if (same) {
		remark.found = frame << shift;
		snprintf(remark.truth, sizeof(remark.truth),
			 "physical 0x%" PRIx64 " at offset 0x%" PRIx64
			 " of the file, and so at offset 0x%" PRIx64,
			 remark.found, map->offset, twin.offset);
		snprintf(remark.seen, sizeof(remark.seen),
			 "other frames at another offset; was the offset of the mapping ignored?");
		examine_remark(x, &remark);
	}
	*judged = !err;
	selfmap_unmap(&twin);
	return err;
}
