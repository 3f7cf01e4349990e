// SPDX-License-Identifier: GPL-2.0
#include "examine.h"

const struct examination *const examinations[] = {
	NULL
};
