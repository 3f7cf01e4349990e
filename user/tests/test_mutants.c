// SPDX-License-Identifier: GPL-2.0
#include "tests.h"

static void none(void **state)
{
}

SUITE(suite_mutants, cmocka_unit_test(none));
