// SPDX-License-Identifier: GPL-2.0
#include "examine.h"

const struct examination *const examinations[] = {
	&examination_expect,
	&examination_lint,
	NULL
};
