// SPDX-License-Identifier: GPL-2.0
/* What an IOMMU translates against what drivers have mapped by the DMA API. */
#include <string.h>
#include "base/error.h"
#include "dma/dmacheck.h"

static int collect_stretches(const struct ptwalk_stretches *s, void *arg)
{
	for (size_t i = 0; i < s->nr; i++)
		if (busmap_add(arg, &s->stretch[i]))
			return error_no_memory();
	return 0;
}

/* *@differs is whether it was listed and translated otherwise, each time. */
static int judge_mapping(struct ptwalk *client, const struct ptwalk_device *facts,
			 const struct dma_mapping *mapping, bool *differs,
			 struct dma_finding *finding)
{
	const char *device = strchr(facts->name, '/') + 1;
	const struct range range = {
		mapping->bus, mapping->bus + mapping->known - 1
	};
	struct dmadump again = { 0 };
	struct busmap map = { 0 };
	int status = 0;

	*differs = true;
	for (int i = 0; !status && *differs && i < DMACHECK_ROUNDS; i++) {
		map.nr = 0;
		status = device_stream(client, facts->name, &range, collect_stretches, &map);
		if (status || !dmadump_differs(mapping, device_page(facts), &map,
					       finding)) {
			*differs = false;
			break;
		}
		dmadump_read(device, device_page(facts), &again);
		*differs = dmadump_has(&again, mapping);
	}
	busmap_free(&map);
	dmadump_free(&again);
	return status;
}

int dmacheck(struct ptwalk *client, const struct ptwalk_device *facts,
	     const struct dmadump *dump, uint64_t *pages,
	     void (*each)(const struct dma_finding *finding, void *arg),
	     void *arg)
{
	struct dma_finding finding;
	int status = 0;
	bool differs;

	*pages = 0;
	for (size_t i = 0; !status && i < dump->nr; i++) {
		const struct dma_mapping *m = &dump->mapping[i];
		uint64_t nr = dmadump_pages(m, device_page(facts));

		if (!nr)
			continue;
		status = judge_mapping(client, facts, m, &differs, &finding);
		*pages += nr;
		if (!status && differs)
			each(&finding, arg);
	}
	return status;
}
