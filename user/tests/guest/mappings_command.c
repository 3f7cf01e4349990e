// SPDX-License-Identifier: GPL-2.0
/* Runs the command on every kind of mapping (selftests/lib/mapping.h). */
#include "command.h"
#include "mapping_checks.h"
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

TEST_F(mapping, command)
{
	NEED_COMMAND();
	EXPECT_GOOD(check_command(&self->ptw, &self->m));
	EXPECT_GOOD(check_claims(&self->ptw, &self->m));
	EXPECT_GOOD(check_decode(&self->ptw, &self->m));
	EXPECT_GOOD(check_pinning(&self->ptw, &self->m));
	/* A kernel that forbids no execution breaks a law everywhere (x86-pae-nx). */
	if (kernel_forbids_execution() || !processor_can_forbid_execution())
		EXPECT_GOOD(check_lints(&self->m));
	KNOWN_BUG_OF(&self->m);
}

TEST_HARNESS_MAIN
