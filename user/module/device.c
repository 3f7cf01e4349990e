// SPDX-License-Identifier: GPL-2.0
/* How a device gets at memory, as the module tells it. */
#include <errno.h>
#include "module/client.h"
#include "module/device.h"

int device_read(struct ptwalk *client, const char *name, const uint64_t *phys,
		size_t nr, struct ptwalk_device *facts)
{
	int err = ptwalk_device(client, name, phys, nr, facts);

	return err ? client_error(client, 0, err) : 0;
}

bool device_translates(const struct ptwalk_device *facts)
{
	return facts->domain == PTWALK_DOMAIN_DMA ||
	       facts->domain == PTWALK_DOMAIN_DMA_LAZY ||
	       facts->domain == PTWALK_DOMAIN_UNMANAGED;
}

bool device_is_refused(struct ptwalk *client, const struct ptwalk_device *facts)
{
	const struct ptwalk_stretches *stretches;
	struct ptwalk_iova *iova;
	int ret;

	ret = ptwalk_iova_start(client, facts->name, facts->aperture_start,
				facts->aperture_start, &iova);
	if (!ret)
		ret = ptwalk_iova_next(iova, &stretches);
	ptwalk_iova_end(iova);
	return ret == -EOPNOTSUPP;
}

uint64_t device_reach(const struct ptwalk_device *facts)
{
	if (facts->bus_limit && facts->bus_limit < facts->dma_mask)
		return facts->bus_limit;
	return facts->dma_mask;
}

uint64_t device_page(const struct ptwalk_device *facts)
{
	return facts->page_sizes ? facts->page_sizes & -facts->page_sizes : 4096;
}

int device_stream(struct ptwalk *client, const char *name,
		  const struct range *range,
		  int (*each)(const struct ptwalk_stretches *s, void *arg),
		  void *arg)
{
	const struct ptwalk_stretches *stretches;
	struct ptwalk_iova *iova;
	int status = 0, ret;

	ret = ptwalk_iova_start(client, name, range->start, range->last, &iova);
	if (!ret)
		while (!status && (ret = ptwalk_iova_next(iova, &stretches)) > 0)
			status = each(stretches, arg);
	ptwalk_iova_end(iova);
	return ret < 0 ? client_error(client, 0, ret) : status;
}
