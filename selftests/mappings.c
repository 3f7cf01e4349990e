// SPDX-License-Identifier: GPL-2.0
/* Runs every check on every kind of mapping (lib/mapping.h). */
#include "mapping_fixture.h"

TEST_F(mapping, truth)
{
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
	EXPECT_GOOD(check_vma(&self->ptw, &self->m));
	EXPECT_GOOD(check_frames(&self->ptw, &self->m));
}

TEST_F(mapping, dump)
{
	EXPECT_GOOD(check_dump(&self->ptw, &self->m));
	EXPECT_GOOD(check_search(&self->ptw, &self->m));
}

TEST_F(mapping, pagemap)
{
	EXPECT_GOOD(check_pagemap(&self->ptw, &self->m));
	KNOWN_BUG_OF(&self->m);
}

TEST_HARNESS_MAIN
