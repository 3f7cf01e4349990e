// SPDX-License-Identifier: GPL-2.0
/* The table of what check asks beside the sources. */
#include "check/examine.h"

const struct examination *const examinations[] = {
	&examination_expect,
	&examination_lint,
	&examination_smaps,
	&examination_smaps_rollup,
	&examination_numa_maps,
	&examination_status,
	&examination_statm,
	&examination_stat,
	&examination_maps,
	&examination_procmap_query,
	&examination_map_files,
	&examination_prove,
	NULL
};
