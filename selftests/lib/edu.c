// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <glob.h>
#include <string.h>
#include "edu.h"
#include "proc.h"

bool edu_may_walk(void)
{
	char answer[8] = "";

	proc_read("/sys/module/ptwalk_device/parameters/iommu_walk", answer, sizeof(answer));
	return answer[0] == 'Y';
}

bool edu_tables_are_known(void)
{
	static const struct {
		const char *iommus, *symbol;
	} known[] = {
		{ "/sys/class/iommu/dmar*", "pt_iommu_vtdss_hw_info" },
		{ "/sys/class/iommu/ivhd*", "pt_iommu_amdv1_hw_info" },
	};
	glob_t found;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (glob(known[i].iommus, 0, NULL, &found))
			continue;
		globfree(&found);
		return proc_symbol(known[i].symbol);
	}
	return false;
}

void edu_map(struct edu *e, const char *region)
{
	int err;

	if (e->ptw.devices < 0)
		return mapping_lacks(&e->m, NO_DEVICES);
	if (!build_driver_open(&e->m, region, &e->region))
		return;
	err = edu_name(e->name, sizeof(e->name)) ?
	      ptw_device(&e->ptw, e->name, NULL, 0, &e->device) : -ENODEV;
	if (err)
		return mapping_broken(&e->m, "%s: %s (%s)", e->name, strerror(-err),
				      e->ptw.error.message);
	e->translated = ptw_translates(&e->device);
	if (e->translated && !edu_may_walk() && !edu_tables_are_known())
		return mapping_lacks(&e->m, "ptwalk_device was loaded without iommu_walk=1");
	e->pages = e->region.length / e->m.page_size;
	if (e->pages < 8)
		return mapping_broken(&e->m, "%s has %llu pages", region, e->pages);
	e->at = build_driver_map(&e->m, &e->region, 0, e->pages);
}
