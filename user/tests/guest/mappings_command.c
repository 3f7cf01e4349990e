// SPDX-License-Identifier: GPL-2.0
/* Runs the command on every kind of mapping (selftests/lib/mapping.h). */
#include "command.h"
#include "mapping_checks.h"
#include "mapping_fixture.h"

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
