// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up devices, and the device operation, which reports how a device
 * reaches memory.
 */
#include <linux/amba/bus.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/dma-direct.h>
#include <linux/dma-map-ops.h>
#include <linux/iommu.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/swiotlb.h>
#include "../compat/iommu.h"
#include "device.h"
#include "../lock.h"
#include "../request.h"
#include "netlink-gen.h"

static struct device *ptwalk_device_find(const char *name)
{
#ifdef CONFIG_PCI
	if (str_has_prefix(name, "pci/"))
		return bus_find_device_by_name(&pci_bus_type, NULL, name + 4);
#endif
#ifdef CONFIG_ARM_AMBA
	if (str_has_prefix(name, "amba/"))
		return bus_find_device_by_name(&amba_bustype, NULL, name + 5);
#endif
	if (str_has_prefix(name, "platform/"))
		return bus_find_device_by_name(&platform_bus_type, NULL, name + 9);
	return NULL;
}

static int ptwalk_device_missing(const struct nlattr *name,
				 struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG_ATTR(extack, name,
			    "no such device; /sys/bus/pci/devices and /sys/bus/platform/devices list them");
	return -ENODEV;
}

/**
 * ptwalk_device_check() - check that a device exists
 * @name: Attribute with bus and name, as in pci/0000:00:04.0.
 * @extack: Receives the reason of a failure.
 *
 * Context: Doesn't take the lock of the device.
 * Return: 0, or -ENODEV if there is no such device.
 */
int ptwalk_device_check(const struct nlattr *name, struct netlink_ext_ack *extack)
{
	struct device *dev = ptwalk_device_find(nla_data(name));

	put_device(dev);
	return dev ? 0 : ptwalk_device_missing(name, extack);
}

/*
 * Its owner may wait for hardware, so the lock is only tried. Returns 0 or an
 * error of ptwalk_lock_pause().
 */
static int ptwalk_device_lock(struct device *dev, struct ptwalk_wait wait)
{
	int err = 0;

	while (!err && !device_trylock(dev))
		err = ptwalk_lock_pause(&wait);
	return err;
}

/**
 * ptwalk_device_get_locked() - find, pin and lock a device
 * @device: Filled on success; ptwalk_device_put() releases it.
 * @name: Attribute with bus and name, as in pci/0000:00:04.0.
 * @wait: How long the lock is tried.
 * @extack: Receives the reason of a failure.
 *
 * The lock keeps the driver bound, and with it the DMA mask and
 * dma_range_map. The device may be removed before the lock is taken, so it is
 * looked up again after that. A device that is on its bus and locked has its
 * IOMMU group: device_del() takes it off the bus, then waits for the lock, and
 * lets go of the group after that.
 *
 * Context: Process context. Sleeps for @wait at most. On success the
 * lock of the device is held until ptwalk_device_unlock().
 * Return: 0, -ENODEV if there is no such device, -EBUSY if its lock can't be
 * taken in time, -EINTR on a fatal signal.
 */
int ptwalk_device_get_locked(struct ptwalk_device *device,
			     const struct nlattr *name, struct ptwalk_wait wait,
			     struct netlink_ext_ack *extack)
{
	struct device *dev = ptwalk_device_find(nla_data(name)), *again;
	int err;

	if (!dev)
		return ptwalk_device_missing(name, extack);
	err = ptwalk_device_lock(dev, wait);
	if (err) {
		if (err == -EBUSY)
			NL_SET_ERR_MSG_ATTR(extack, name,
					    "the device is busy: its lock is held all the time");
		put_device(dev);
		return err;
	}
	again = ptwalk_device_find(nla_data(name));
	put_device(again);
	if (again != dev) {
		device_unlock(dev);
		put_device(dev);
		return ptwalk_device_missing(name, extack);
	}
	device->dev = dev;
	device->group = iommu_group_get(dev);
	return 0;
}

void ptwalk_device_unlock(struct ptwalk_device *device)
{
	device_unlock(device->dev);
}

/**
 * ptwalk_device_put() - drop the references of ptwalk_device_get_locked()
 * @device: A device that isn't locked.
 */
void ptwalk_device_put(struct ptwalk_device *device)
{
	if (device->group)
		iommu_group_put(device->group);
	put_device(device->dev);
	device->dev = NULL;
}

/**
 * struct ptwalk_device_facts - facts of a device
 * @domain: Facts of its IOMMU domain.
 * @flags: Mask of enum ptwalk_device_flag.
 * @group: Number of its IOMMU group, or -1.
 * @mask: DMA mask.
 * @coherent_mask: DMA mask for coherent memory.
 * @bus_limit: Last address that the bus can reach (bus_dma_limit), or 0.
 * @ops: Its struct dma_map_ops, or NULL. Only its symbol is looked up.
 * @driver: Name of its driver, or empty.
 */
struct ptwalk_device_facts {
	struct ptwalk_domain_facts domain;
	u32 flags;
	int group;
	u64 mask;
	u64 coherent_mask;
	u64 bus_limit;
	const struct dma_map_ops *ops;
	char driver[64];
};

/* Fills @facts except for the domain. The device is locked. */
static void ptwalk_device_read_facts(const struct ptwalk_device *device,
				     struct ptwalk_device_facts *facts)
{
	struct device *dev = device->dev;

	*facts = (struct ptwalk_device_facts) {
		.group = device->group ? iommu_group_id(device->group) : -1,
		.coherent_mask = dev->coherent_dma_mask,
		.bus_limit = dev->bus_dma_limit,
	};
	if (dev->driver)
		strscpy(facts->driver, dev->driver->name, sizeof(facts->driver));
	if (dev->dma_mask) {
		facts->flags |= PTWALK_DEVICE_FLAG_DMA;
		facts->mask = *dev->dma_mask;
		facts->ops = get_dma_ops(dev);
	}
	if (dev_is_dma_coherent(dev))
		facts->flags |= PTWALK_DEVICE_FLAG_COHERENT;
	if (is_swiotlb_force_bounce(dev))
		facts->flags |= PTWALK_DEVICE_FLAG_BOUNCE;
}

/* Whether phys_to_dma() gives the bus address of any memory. */
static bool ptwalk_device_is_direct(const struct ptwalk_device_facts *facts)
{
	return facts->domain.kind <= PTWALK_DOMAIN_IDENTITY &&
	       facts->domain.kind != PTWALK_DOMAIN_BLOCKED && !facts->ops &&
	       PTWALK_PHYS_TO_DMA;
}

/* @bus has room for as many addresses as @addresses. The device is locked. */
static void ptwalk_device_read_addresses(const struct ptwalk_device *device,
					 const struct nlattr *addresses, u64 *bus)
{
	u32 nr = nla_len(addresses) / sizeof(u64), i;

	for (i = 0; i < nr; i++) {
		dma_addr_t dma = DMA_MAPPING_ERROR;
		u64 phys;

		memcpy(&phys, nla_data(addresses) + i * sizeof(u64), sizeof(u64));
#if PTWALK_PHYS_TO_DMA
		if (phys == (phys_addr_t)phys)
			dma = phys_to_dma(device->dev, phys);
#endif
		bus[i] = dma == DMA_MAPPING_ERROR ? U64_MAX : dma;
	}
}

static int ptwalk_device_put_facts(struct sk_buff *skb,
				   const struct ptwalk_device_facts *facts)
{
	const struct ptwalk_domain_facts *domain = &facts->domain;
	char ops[64];

	if (facts->driver[0] &&
	    nla_put_string(skb, PTWALK_A_DEVICE_DRIVER, facts->driver))
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_DEVICE_FLAGS, facts->flags))
		return -EMSGSIZE;
	if (facts->flags & PTWALK_DEVICE_FLAG_DMA &&
	    nla_put_uint(skb, PTWALK_A_DEVICE_DMA_MASK, facts->mask))
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_DEVICE_COHERENT_MASK,
			 facts->coherent_mask))
		return -EMSGSIZE;
	if (facts->bus_limit &&
	    nla_put_uint(skb, PTWALK_A_DEVICE_BUS_LIMIT, facts->bus_limit))
		return -EMSGSIZE;
	if (facts->ops) {
		/* The name is empty if there is no symbol. */
		ptwalk_symbol_name(facts->ops, ops, sizeof(ops));
		if (nla_put_string(skb, PTWALK_A_DEVICE_DMA_OPS, ops))
			return -EMSGSIZE;
	}
	if (facts->group >= 0 &&
	    nla_put_uint(skb, PTWALK_A_DEVICE_GROUP, facts->group))
		return -EMSGSIZE;
	if (nla_put_uint(skb, PTWALK_A_DEVICE_DOMAIN, domain->kind))
		return -EMSGSIZE;
	if (!domain->last)
		return 0;
	if (nla_put_uint(skb, PTWALK_A_DEVICE_PAGE_SIZES, domain->page_sizes) ||
	    nla_put_uint(skb, PTWALK_A_DEVICE_APERTURE_START, domain->first) ||
	    nla_put_uint(skb, PTWALK_A_DEVICE_APERTURE_LAST, domain->last))
		return -EMSGSIZE;
	return 0;
}

static int ptwalk_device_read(const struct sk_buff *skb, struct genl_info *info,
			      struct ptwalk_device_facts *facts, u64 *bus)
{
	const struct nlattr *name = info->attrs[PTWALK_A_DEVICE_NAME];
	const struct ptwalk_wait wait = ptwalk_wait_shared(skb);
	struct ptwalk_device device;
	int err;

	err = ptwalk_device_get_locked(&device, name, wait, info->extack);
	if (err)
		return err;
	ptwalk_device_read_facts(&device, facts);
	if (bus)
		ptwalk_device_read_addresses(&device,
					     info->attrs[PTWALK_A_DEVICE_ADDRESSES],
					     bus);
	ptwalk_device_unlock(&device);

	err = ptwalk_domain_read(&device, wait, &facts->domain);
	if (err == -ENODEV)
		NL_SET_ERR_MSG_ATTR(info->extack, name, "the device is gone");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "the device is busy: the lock of its IOMMU group is held all the time");
	ptwalk_device_put(&device);
	return err;
}

static int ptwalk_device_reply(const struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[PTWALK_A_DEVICE_NAME];
	const struct nlattr *addresses = info->attrs[PTWALK_A_DEVICE_ADDRESSES];
	struct sk_buff *reply;
	struct ptwalk_device_facts facts;
	u64 *bus = NULL;
	void *header;
	int err;

	if (addresses) {
		bus = kmalloc(nla_len(addresses), GFP_KERNEL);
		if (!bus)
			return -ENOMEM;
	}
	err = ptwalk_device_read(skb, info, &facts, bus);
	if (err)
		goto free_bus;

	err = -ENOMEM;
	reply = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply)
		goto free_bus;
	err = -EMSGSIZE;
	header = genlmsg_put_reply(reply, info, &ptwalk_device_nl_family, 0,
				   PTWALK_CMD_DEVICE);
	if (!header ||
	    nla_put_string(reply, PTWALK_A_DEVICE_NAME, nla_data(name)) ||
	    ptwalk_device_put_facts(reply, &facts))
		goto free;
	if (bus && ptwalk_device_is_direct(&facts) &&
	    nla_put_64bit(reply, PTWALK_A_DEVICE_BUS_ADDRESSES,
			  nla_len(addresses), bus, PTWALK_A_DEVICE_PAD))
		goto free;
	kfree(bus);
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);

free:
	nlmsg_free(reply);
free_bus:
	kfree(bus);
	return err;
}

/**
 * ptwalk_device_nl_device_doit() - answer PTWALK_CMD_DEVICE
 * @skb: The request.
 * @info: The parsed request.
 *
 * Context: Process context, under cb_lock. Waits for the lock of the device
 * and in ptwalk_domain_read(), for ptwalk_wait_shared() each.
 * Return: 0 or a negative error: among others -EBUSY if a lock can't be taken
 * in time, or an error of ptwalk_may_ask().
 */
int ptwalk_device_nl_device_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *addresses;
	int err;

	err = ptwalk_may_ask(skb, info->extack);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, PTWALK_A_DEVICE_NAME)) {
		NL_SET_ERR_MSG(info->extack, "the name of a device is needed");
		return -EINVAL;
	}
	addresses = info->attrs[PTWALK_A_DEVICE_ADDRESSES];
	if (addresses &&
	    (!nla_len(addresses) || nla_len(addresses) % sizeof(u64))) {
		NL_SET_ERR_MSG_ATTR(info->extack, addresses,
				    "one or more addresses of 8 bytes each are needed");
		return -EINVAL;
	}
	return ptwalk_device_reply(skb, info);
}
