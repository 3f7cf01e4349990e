/* SPDX-License-Identifier: GPL-2.0 */
/* A fixture with a variant for each kind of mapping (mapping.h). */
#ifndef PTWALK_TEST_MAPPING_FIXTURE_H
#define PTWALK_TEST_MAPPING_FIXTURE_H

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

#endif /* PTWALK_TEST_MAPPING_FIXTURE_H */
