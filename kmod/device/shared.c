// SPDX-License-Identifier: GPL-2.0
/*
 * What this module and ptwalk both have, each by itself: this one also stands beside a
 * kernel that ptwalk is a part of.
 */
#include "../family.c"
#include "../page_read.c"
#include "../symbol.c"
#include "../target.c"
