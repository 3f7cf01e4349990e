// SPDX-License-Identifier: GPL-2.0
/* Runs every check on every kind of mapping (lib/mapping.h). */
#include "test.h"

FIXTURE(mapping)
{
	struct ptw ptw;
	struct mapping m;
};

FIXTURE_VARIANT(mapping)
{
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(mapping, name) { .build = build_##name };
BUILDERS(ADD)
LONE_BUILDERS(ADD)

FIXTURE_SETUP(mapping)
{
	SETUP_MAPPING(self, variant->build);
}

FIXTURE_TEARDOWN(mapping)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

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
