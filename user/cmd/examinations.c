// SPDX-License-Identifier: GPL-2.0
#include "check/examine.h"

const struct examination *const examinations[] = {
	&examination_expect,
	&examination_lint,
	&examination_smaps,
	&examination_smaps_rollup,
	&examination_numa_maps,
	&examination_status,
	&examination_statm,
	&examination_prove,
	NULL
};
