// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include "device.h"

static int device_reply(struct nlmsghdr *header, void *arg)
{
	struct nlattr *tb[PTWALK_A_DEVICE_MAX + 1], *bus;
	struct ptw_device *d = arg;

	if (genlmsg_parse(header, 0, tb, PTWALK_A_DEVICE_MAX, NULL) < 0 ||
	    !tb[PTWALK_A_DEVICE_NAME] || !tb[PTWALK_A_DEVICE_DOMAIN] ||
	    !tb[PTWALK_A_DEVICE_FLAGS])
		return -EPROTO;
	d->domain = ptw_uint(tb[PTWALK_A_DEVICE_DOMAIN]);
	d->flags = ptw_uint(tb[PTWALK_A_DEVICE_FLAGS]);
	d->mask = ptw_uint(tb[PTWALK_A_DEVICE_DMA_MASK]);
	if (tb[PTWALK_A_DEVICE_DRIVER])
		nla_strlcpy(d->driver, tb[PTWALK_A_DEVICE_DRIVER], sizeof(d->driver));
	d->group = tb[PTWALK_A_DEVICE_GROUP] ? (int)ptw_uint(tb[PTWALK_A_DEVICE_GROUP]) : -1;
	d->page_sizes = ptw_uint(tb[PTWALK_A_DEVICE_PAGE_SIZES]);
	d->first = ptw_uint(tb[PTWALK_A_DEVICE_APERTURE_START]);
	d->last = ptw_uint(tb[PTWALK_A_DEVICE_APERTURE_LAST]);
	bus = tb[PTWALK_A_DEVICE_BUS_ADDRESSES];
	if (!bus)
		return 0;
	if (nla_len(bus) % sizeof(u64) || (size_t)nla_len(bus) > sizeof(d->bus))
		return -EPROTO;
	memcpy(d->bus, nla_data(bus), nla_len(bus));
	d->nr_bus = nla_len(bus) / sizeof(u64);
	return 0;
}

int ptw_device(struct ptw *ptw, const char *name, const u64 *phys, size_t nr,
	       struct ptw_device *device)
{
	struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_DEVICE, NLM_F_ACK);

	memset(device, 0, sizeof(*device));
	nla_put_string(msg, PTWALK_A_DEVICE_NAME, name);
	if (nr)
		nla_put(msg, PTWALK_A_DEVICE_ADDRESSES, nr * sizeof(*phys), phys);
	return ptw_ask_each(ptw, msg, device_reply, device);
}

struct nl_msg *ptw_iova_request(struct ptw *ptw, const char *name, u64 start,
				u64 last)
{
	struct nl_msg *msg = ptw_request(ptw, PTWALK_CMD_IOVA, NLM_F_DUMP);

	nla_put_string(msg, PTWALK_A_IOVA_NAME, name);
	nla_put_u64(msg, PTWALK_A_IOVA_START, start);
	nla_put_u64(msg, PTWALK_A_IOVA_LAST, last);
	return msg;
}

static int flaw(struct ptw_iova *iova, const char *what)
{
	iova->flaw = what;
	return -EPROTO;
}

int ptw_iova_reply(struct nlmsghdr *header, void *arg)
{
	struct nlattr *tb[PTWALK_A_IOVA_MAX + 1];
	struct ptw_iova *iova = arg;
	u64 start, last, next;
	size_t nr, i;

	if (genlmsg_parse(header, 0, tb, PTWALK_A_IOVA_MAX, NULL) < 0 ||
	    !tb[PTWALK_A_IOVA_STRETCH_BYTES])
		return flaw(iova, "no message of this kind");
	/* Nothing is waited for, nor told, before this one. */
	if (!iova->headers++)
		return tb[PTWALK_A_IOVA_START] ? flaw(iova, "no header") : 0;
	if (!tb[PTWALK_A_IOVA_START] || !tb[PTWALK_A_IOVA_LAST] ||
	    !tb[PTWALK_A_IOVA_STRETCHES])
		return flaw(iova, "an attribute is missing");
	start = ptw_uint(tb[PTWALK_A_IOVA_START]);
	last = ptw_uint(tb[PTWALK_A_IOVA_LAST]);
	nr = nla_len(tb[PTWALK_A_IOVA_STRETCHES]) / sizeof(*iova->stretch);
	if (ptw_uint(tb[PTWALK_A_IOVA_STRETCH_BYTES]) != sizeof(*iova->stretch) ||
	    nla_len(tb[PTWALK_A_IOVA_STRETCHES]) % sizeof(*iova->stretch))
		return flaw(iova, "half a stretch");
	if (last < start)
		return flaw(iova, "a message ends before it starts");
	if (iova->messages++ && start != iova->next)
		return flaw(iova, "a message doesn't follow the one before it");
	if (iova->nr + nr > PTW_STRETCHES)
		return flaw(iova, "more stretches than there is room for");
	memcpy(&iova->stretch[iova->nr], nla_data(tb[PTWALK_A_IOVA_STRETCHES]),
	       nr * sizeof(*iova->stretch));
	next = start;
	for (i = iova->nr; i < iova->nr + nr; i++) {
		const struct ptwalk_stretch *s = &iova->stretch[i];

		if (!s->bytes || s->iova < next || s->iova > last)
			return flaw(iova, "stretches out of order, or of the message");
		if (i > iova->nr && s->iova == next &&
		    s[-1].phys + s[-1].bytes == s->phys)
			return flaw(iova, "two stretches that are one");
		next = s->iova + s->bytes;
	}
	iova->nr += nr;
	iova->next = last + 1;
	return 0;
}

int ptw_iova(struct ptw *ptw, const char *name, u64 start, u64 last,
	     struct ptw_iova *iova)
{
	memset(iova, 0, sizeof(*iova));
	return ptw_ask_each(ptw, ptw_iova_request(ptw, name, start, last),
			    ptw_iova_reply, iova);
}

bool ptw_translates(const struct ptw_device *device)
{
	return device->domain == PTWALK_DOMAIN_DMA ||
	       device->domain == PTWALK_DOMAIN_DMA_LAZY ||
	       device->domain == PTWALK_DOMAIN_UNMANAGED;
}

bool ptw_iova_find(const struct ptw_iova *iova, u64 bus, u64 *phys)
{
	size_t i;

	for (i = 0; i < iova->nr; i++) {
		const struct ptwalk_stretch *s = &iova->stretch[i];

		if (bus >= s->iova && bus - s->iova < s->bytes) {
			*phys = s->phys + (bus - s->iova);
			return true;
		}
	}
	return false;
}

bool edu_name(char *name, size_t size)
{
	DIR *dir = opendir("/sys/bus/pci/drivers/ptwalk_fixture");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (!strchr(entry->d_name, ':'))
			continue;
		snprintf(name, size, "pci/%s", entry->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}
