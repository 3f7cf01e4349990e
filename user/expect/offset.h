/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a driver heeds the offset of a mapping, by mapping it again. */
#ifndef PTWALK_EXPECT_OFFSET_H
#define PTWALK_EXPECT_OFFSET_H

#include "check/examine.h"
#include "proc/selfmap.h"

/*
 * Maps what @map is about once more, a page before it in the file, and tells
 * if the same frames are there, as of an offset that makes no difference.
 * Nothing is told of a mapping at offset 0, or if there can't be another: then
 * @judged is false. With @touch its pages are read. Returns what an examination
 * does.
 */
int offset_examine(const struct examinee *x, const struct selfmap *map,
		   bool touch, bool *judged);

#endif /* PTWALK_EXPECT_OFFSET_H */
