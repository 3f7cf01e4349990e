// SPDX-License-Identifier: GPL-2.0
/*
 * The IOMMU domain of a device.
 *
 * A domain belongs to whoever attached it: the core for the DMA API, or VFIO,
 * which frees it when its user is done. The group's mutex keeps it from being
 * freed, and iommu_group_for_each_dev() is the only way for a module to take it.
 */
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "compat/iommu.h"
#include "device.h"

static bool iommu_walk;
module_param(iommu_walk, bool, 0444);
MODULE_PARM_DESC(iommu_walk, "Look up bus addresses in IOMMU tables, which IOMMU drivers may free meanwhile: a device that unmaps at that moment can crash the kernel");

/* How long to wait for the mutex of a group under cb_lock, in ms. */
#define FACTS_WAIT	200

/*
 * Limits of readers that wait at the same time: for one group, so that one whose
 * mutex is held leaves room for the others, and in all.
 */
#define FACTS_GROUP_READERS	4
#define FACTS_READERS		64

/* Bus addresses looked up for each time that the group's mutex is taken. */
#define PIECE_STEPS	1024

/**
 * struct ptwalk_iommu_question - a question about the domain of a device
 * @dev: The device.
 * @ask: Called with the domain, or NULL, under the lock of the group.
 * @arg: For @ask.
 * @ret: What it returned.
 */
struct ptwalk_iommu_question {
	struct device *dev;
	int (*ask)(struct iommu_domain *domain, void *arg);
	void *arg;
	int ret;
};

static int ptwalk_iommu_ask_one(struct device *dev, void *data)
{
	struct ptwalk_iommu_question *asked = data;

	if (dev != asked->dev)
		return 0;
	asked->ret = asked->ask(ptwalk_group_domain(dev), asked->arg);
	return 1;
}

/* -ENODEV if the device has gone from its group, and so from the system. */
static int ptwalk_iommu_with_domain(const struct ptwalk_device *device,
				    int (*ask)(struct iommu_domain *domain, void *arg),
				    void *arg)
{
	struct ptwalk_iommu_question asked = {
		.dev = device->dev,
		.ask = ask,
		.arg = arg,
		.ret = -ENODEV,
	};

	if (!device->group)
		return ask(NULL, arg);
	iommu_group_for_each_dev(device->group, &asked, ptwalk_iommu_ask_one);
	return asked.ret;
}

static u32 ptwalk_iommu_domain_kind(const struct iommu_domain *domain)
{
	if (!domain)
		return PTWALK_DOMAIN_NONE;
	switch (domain->type) {
	case IOMMU_DOMAIN_BLOCKED:
		return PTWALK_DOMAIN_BLOCKED;
	case IOMMU_DOMAIN_IDENTITY:
		return PTWALK_DOMAIN_IDENTITY;
	}
	/* Tables of a process or of a guest (SVA, nested): not walked here. */
	if (!(domain->type & __IOMMU_DOMAIN_PAGING) || !domain->ops ||
	    !domain->ops->iova_to_phys)
		return PTWALK_DOMAIN_OPAQUE;
	switch (domain->type) {
	case IOMMU_DOMAIN_DMA:
		return PTWALK_DOMAIN_DMA;
	case IOMMU_DOMAIN_DMA_FQ:
		return PTWALK_DOMAIN_DMA_LAZY;
	default:
		return PTWALK_DOMAIN_UNMANAGED;
	}
}

static bool ptwalk_iommu_translates(u32 kind)
{
	return kind == PTWALK_DOMAIN_DMA || kind == PTWALK_DOMAIN_DMA_LAZY ||
	       kind == PTWALK_DOMAIN_UNMANAGED;
}

static int ptwalk_iommu_read_domain(struct iommu_domain *domain, void *arg)
{
	struct ptwalk_domain_facts *out = arg;

	*out = (struct ptwalk_domain_facts) {
		.kind = ptwalk_iommu_domain_kind(domain),
	};
	if (!ptwalk_iommu_translates(out->kind))
		return 0;
	out->page_sizes = domain->pgsize_bitmap;
	out->last = (dma_addr_t)~0ULL;
	if (domain->geometry.force_aperture) {
		out->first = domain->geometry.aperture_start;
		out->last = domain->geometry.aperture_end;
	}
	return 0;
}

static struct workqueue_struct *facts_queue;

/* All readers; both protected by @readers_lock. */
static LIST_HEAD(readers);
static unsigned int nr_readers;
static DEFINE_SPINLOCK(readers_lock);

/**
 * struct ptwalk_iommu_reader - reads a domain in place of a caller who can't wait
 * @list: In readers.
 * @work: Reads, and may wait for the mutex of the group.
 * @device: The device, with references of its own.
 * @facts: Valid once @done is completed.
 * @ret: Likewise.
 * @done: Completed by @work.
 * @users: References: of @work, and of the caller.
 *
 * It has a reference to the module: while it waits, removing the module is
 * refused instead of waiting, too.
 */
struct ptwalk_iommu_reader {
	struct list_head list;
	struct work_struct work;
	struct ptwalk_device device;
	struct ptwalk_domain_facts facts;
	int ret;
	struct completion done;
	refcount_t users;
};

/* False if as many wait as may. */
static bool ptwalk_iommu_admit_reader(struct ptwalk_iommu_reader *reader)
{
	const struct ptwalk_iommu_reader *other;
	unsigned int same = 0;
	bool room;

	spin_lock(&readers_lock);
	list_for_each_entry(other, &readers, list)
		same += other->device.group == reader->device.group;
	room = same < FACTS_GROUP_READERS && nr_readers < FACTS_READERS;
	if (room) {
		list_add(&reader->list, &readers);
		nr_readers++;
	}
	spin_unlock(&readers_lock);
	return room;
}

static void ptwalk_iommu_put_reader(struct ptwalk_iommu_reader *reader)
{
	if (!refcount_dec_and_test(&reader->users))
		return;
	spin_lock(&readers_lock);
	list_del(&reader->list);
	nr_readers--;
	spin_unlock(&readers_lock);
	ptwalk_device_put(&reader->device);
	kfree(reader);
	/* ptwalk_iommu_exit() waits for the end of this function. */
	module_put(THIS_MODULE);
}

static void ptwalk_iommu_run_reader(struct work_struct *work)
{
	struct ptwalk_iommu_reader *reader =
		container_of(work, struct ptwalk_iommu_reader, work);

	reader->ret = ptwalk_iommu_with_domain(&reader->device,
					       ptwalk_iommu_read_domain,
					       &reader->facts);
	complete(&reader->done);
	ptwalk_iommu_put_reader(reader);
}

/**
 * ptwalk_domain_read() - the facts of a device's IOMMU domain
 * @device: The device.
 * @out: Filled.
 *
 * There is no trylock for the mutex of a group, which is held for as long as
 * attaching a domain takes.
 *
 * Context: May sleep, for FACTS_WAIT ms.
 * Return: 0, -ENODEV if the device is gone, -EBUSY if the lock is held for that
 * long or enough others wait for it already, -ENOMEM.
 */
int ptwalk_domain_read(const struct ptwalk_device *device,
		       struct ptwalk_domain_facts *out)
{
	struct ptwalk_iommu_reader *reader;
	int ret = -EBUSY;

	if (!device->group)
		return ptwalk_iommu_read_domain(NULL, out);
	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	reader->device = *device;
	if (!ptwalk_iommu_admit_reader(reader)) {
		kfree(reader);
		return -EBUSY;
	}
	get_device(device->dev);
	iommu_group_ref_get(device->group);
	__module_get(THIS_MODULE);
	INIT_WORK(&reader->work, ptwalk_iommu_run_reader);
	init_completion(&reader->done);
	refcount_set(&reader->users, 2);
	queue_work(facts_queue, &reader->work);
	if (wait_for_completion_timeout(&reader->done,
					msecs_to_jiffies(FACTS_WAIT))) {
		*out = reader->facts;
		ret = reader->ret;
	}
	ptwalk_iommu_put_reader(reader);
	return ret;
}

/**
 * ptwalk_iommu_init() - before the first request
 *
 * Return: 0 or -ENOMEM.
 */
int ptwalk_iommu_init(void)
{
	facts_queue = alloc_workqueue("ptwalk", WQ_UNBOUND, FACTS_READERS);
	return facts_queue ? 0 : -ENOMEM;
}

/**
 * ptwalk_iommu_exit() - after the last request
 *
 * Context: May sleep, but waits for nobody: readers that do keep the module.
 */
void ptwalk_iommu_exit(void)
{
	destroy_workqueue(facts_queue);
}

/* Arguments of ptwalk_iommu_begin(). */
struct ptwalk_iommu_beginning {
	struct ptwalk_iova_walk *walk;
	struct netlink_ext_ack *extack;
};

static int ptwalk_iommu_begin(struct iommu_domain *domain, void *arg)
{
	struct ptwalk_iommu_beginning *beginning = arg;
	struct ptwalk_iova_walk *walk = beginning->walk;
	struct ptwalk_domain_facts facts;

	ptwalk_iommu_read_domain(domain, &facts);
	if (!ptwalk_iommu_translates(facts.kind)) {
		NL_SET_ERR_MSG(beginning->extack,
			       "the device has no IOMMU domain that translates");
		return -EOPNOTSUPP;
	}
	if (walk->next > facts.last || walk->last < facts.first) {
		NL_SET_ERR_MSG(beginning->extack,
			       "the range is outside of what the IOMMU domain can translate");
		return -ERANGE;
	}
	if (!iommu_walk) {
		NL_SET_ERR_MSG(beginning->extack,
			       "not allowed: IOMMU drivers free tables that are being looked at, which can crash the kernel; whoever takes that risk loads ptwalk with iommu_walk=1");
		return -EOPNOTSUPP;
	}
	walk->step = facts.page_sizes ? facts.page_sizes & -facts.page_sizes :
					PAGE_SIZE;
	walk->next = max(walk->next, facts.first) & ~(walk->step - 1);
	walk->last = min(walk->last, facts.last);
	walk->domain = domain;
	walk->facts = facts;
	return 0;
}

/*
 * A domain may be freed and another made at its address. One that translates as
 * the first did is not told from it: nothing that is exported names a domain.
 * What its tables then give is right for the time at which it was read.
 */
static bool ptwalk_iommu_is_same(const struct ptwalk_iova_walk *walk,
				 struct iommu_domain *domain)
{
	struct ptwalk_domain_facts facts;

	ptwalk_iommu_read_domain(domain, &facts);
	return domain == walk->domain && facts.kind == walk->facts.kind &&
	       facts.page_sizes == walk->facts.page_sizes &&
	       facts.first == walk->facts.first && facts.last == walk->facts.last;
}

/**
 * ptwalk_iova_begin() - begin to look at a range of bus addresses
 * @device: The device.
 * @walk: Its range is cut to what the domain can translate.
 * @extack: Receives the reason of a failure.
 *
 * Context: May sleep; waits for the lock of the IOMMU group.
 * Return: 0, -ENODEV if the device is gone, -EOPNOTSUPP if nothing translates or
 * tables aren't to be looked at, -ERANGE if nothing is left of the range.
 */
int ptwalk_iova_begin(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk,
		      struct netlink_ext_ack *extack)
{
	struct ptwalk_iommu_beginning beginning = {
		.walk = walk,
		.extack = extack,
	};

	return ptwalk_iommu_with_domain(device, ptwalk_iommu_begin, &beginning);
}

/*
 * 0 is the answer for what isn't mapped and for what is mapped to physical
 * address 0; the last byte of the page tells them apart.
 *
 * A driver may sleep here: arm-smmu may have to resume. No lock that a module
 * can take keeps an unmap elsewhere from freeing a table while it is read: the
 * IOMMU API leaves that to the owner of the addresses. The comment in
 * domain_translation_struct_show() says the same of the Intel driver's own walk.
 * So this is done only where iommu_walk=1 allows it.
 */
static bool ptwalk_iommu_look_up(struct iommu_domain *domain, u64 iova,
				 u64 step, u64 *phys)
{
	*phys = iommu_iova_to_phys(domain, iova);
	return *phys || iommu_iova_to_phys(domain, iova + step - 1);
}

/* Returns false if there was no room. */
static bool ptwalk_iommu_add(struct ptwalk_iova_walk *walk, u64 phys)
{
	struct ptwalk_stretch *last = walk->stretch + walk->nr - 1;

	if (walk->nr && last->iova + last->bytes == walk->next &&
	    last->phys + last->bytes == phys) {
		last->bytes += walk->step;
		return true;
	}
	if (walk->nr == walk->max)
		return false;
	walk->stretch[walk->nr++] = (struct ptwalk_stretch) {
		.iova = walk->next,
		.bytes = walk->step,
		.phys = phys,
	};
	return true;
}

static int ptwalk_iommu_piece(struct iommu_domain *domain, void *arg)
{
	struct ptwalk_iova_walk *walk = arg;
	unsigned int steps;
	u64 phys;

	if (!ptwalk_iommu_is_same(walk, domain))
		return -ESTALE;
	for (steps = 0; steps < PIECE_STEPS; steps++) {
		if (ptwalk_iommu_look_up(domain, walk->next, walk->step, &phys) &&
		    !ptwalk_iommu_add(walk, phys))
			return -ENOSPC;
		walk->finished = walk->last - walk->next < walk->step;
		if (walk->finished)
			return 0;
		walk->next += walk->step;
	}
	return 0;
}

/**
 * ptwalk_iova_piece() - look at a piece of a range of bus addresses
 * @device: The device.
 * @walk: Where it stands.
 *
 * Context: May sleep. The lock of the IOMMU group is held for PIECE_STEPS
 * look-ups and not on return.
 * Return: 0, -ENOSPC if there is no room for another stretch, -ENODEV if the
 * device is gone, -ESTALE if it has another domain now.
 */
int ptwalk_iova_piece(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk)
{
	return ptwalk_iommu_with_domain(device, ptwalk_iommu_piece, walk);
}
