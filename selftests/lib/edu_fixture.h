/* SPDX-License-Identifier: GPL-2.0 */
/* Fixtures with the device of edu.h. EDU_NEEDS() skips a test without what it needs beside. */
#ifndef PTWALK_TEST_EDU_FIXTURE_H
#define PTWALK_TEST_EDU_FIXTURE_H

#include "edu.h"
#include "test.h"

FIXTURE(edu)
{
	struct edu e;
};

FIXTURE_VARIANT(edu)
{
	const char *region;
};

FIXTURE_VARIANT_ADD(edu, coherent) { .region = "edu-coherent" };
FIXTURE_VARIANT_ADD(edu, block) { .region = "edu-block" };
FIXTURE_VARIANT_ADD(edu, stream) { .region = "edu-stream" };

FIXTURE_SETUP(edu)
{
	EDU_NEEDS();
	SETUP_EDU(&self->e, variant->region);
}

FIXTURE_TEARDOWN(edu)
{
	mapping_release(&self->e.m);
	ptw_close(&self->e.ptw);
}

/* What is the same of all regions is tried on one whose memory lies low. */
FIXTURE(device)
{
	struct edu e;
};

FIXTURE_SETUP(device)
{
	EDU_NEEDS();
	SETUP_EDU(&self->e, "edu-stream");
}

FIXTURE_TEARDOWN(device)
{
	mapping_release(&self->e.m);
	ptw_close(&self->e.ptw);
}

#endif /* PTWALK_TEST_EDU_FIXTURE_H */
