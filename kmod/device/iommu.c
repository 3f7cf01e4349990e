// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the IOMMU domain of a device.
 *
 * A domain is owned by whoever attached it: the IOMMU core for the DMA API, or
 * VFIO, which frees it when its user is done. The mutex of the IOMMU group
 * keeps an attached domain from being freed. The only way for a module to take
 * it is iommu_group_for_each_dev(), which waits for it uninterruptibly.
 */
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../compat/iommu.h"
#include "device.h"
#include "iommu_pt.h"

static bool iommu_walk;
module_param(iommu_walk, bool, 0444);
MODULE_PARM_DESC(iommu_walk, "Look up bus addresses in IOMMU tables of a format that isn't known, too, which IOMMU drivers may free meanwhile: a device that unmaps at that moment can crash the kernel");

/* How long ptwalk_domain_read() waits at a time, in ms. */
#define FACTS_WAIT	10

/*
 * Limits of concurrent readers: per group, so that a group whose mutex is held
 * doesn't use up all of them, and in total.
 */
#define FACTS_GROUP_READERS	4
#define FACTS_READERS		64

/* Pages or holes that are looked up under one hold of the group's mutex. */
#define PIECE_STEPS	1024

/**
 * struct ptwalk_iommu_question - arguments of ptwalk_iommu_ask_one()
 * @dev: The device.
 * @ask: Called with the domain, or NULL, under the mutex of the group.
 * @arg: Passed to @ask.
 * @ret: Receives the return value of @ask.
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

/*
 * Calls @ask under the mutex of the group. Returns what @ask returns, or
 * -ENODEV if the device has left its group, which it does when it is removed.
 */
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
	/* SVA and nested domains use the tables of a process or a guest. */
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
	out->readable = ptwalk_iommu_pt_knows(domain);
	out->page_sizes = domain->pgsize_bitmap;
	out->last = (dma_addr_t)~0ULL;
	if (domain->geometry.force_aperture) {
		out->first = domain->geometry.aperture_start;
		out->last = domain->geometry.aperture_end;
	}
	return 0;
}

static struct workqueue_struct *facts_queue;

/* All readers and their number; protected by readers_lock. */
static LIST_HEAD(readers);
static unsigned int nr_readers;
static DEFINE_SPINLOCK(readers_lock);

/**
 * struct ptwalk_iommu_reader - reads a domain from a workqueue
 * @list: Entry of the list readers.
 * @work: Reads the domain; may wait for the mutex of the group without limit.
 * @device: The device, with references of its own.
 * @facts: Valid when @done is completed.
 * @ret: Likewise; 0 or a negative error.
 * @done: Completed by @work.
 * @users: References, one of @work and one of the caller.
 *
 * Holds a reference to the module, so that removing the module fails while a
 * reader waits, and doesn't wait with it.
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

/* Adds @reader to the list; false if there are too many readers. */
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
	/*
	 * The module may be removed now, but not before this has returned:
	 * genl_unregister_family() waits for requests, destroy_workqueue() for
	 * @work.
	 */
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
 * ptwalk_domain_read() - read the facts of a device's IOMMU domain
 * @device: The device.
 * @wait: How long the mutex of the group is waited for.
 * @out: Receives the facts.
 *
 * The mutex of the group is held while a domain is attached, and only the
 * IOMMU core can try it. So a workqueue waits for it, and the caller for that with
 * a timeout, in parts: on a virtual CPU that got no time meanwhile, one wait is over before
 * the workqueue has run.
 *
 * Context: Process context, may be under cb_lock. Sleeps for @wait, of which
 * each try takes FACTS_WAIT ms.
 * Return: 0, -ENODEV if the device is gone, -EBUSY if the mutex is held for
 * that long or there are too many readers, -ENOMEM.
 */
int ptwalk_domain_read(const struct ptwalk_device *device,
		       struct ptwalk_wait wait, struct ptwalk_domain_facts *out)
{
	struct ptwalk_iommu_reader *reader;
	unsigned long done = 0;
	int ret = -EBUSY;

	if (!device->group)
		return ptwalk_iommu_read_domain(NULL, out);
	if (ptwalk_wait_is_over(&wait))
		return -EBUSY;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	/* It fails if the module is about to be removed. */
	if (!try_module_get(THIS_MODULE)) {
		kfree(reader);
		return -EBUSY;
	}
	reader->device = *device;
	if (!ptwalk_iommu_admit_reader(reader)) {
		module_put(THIS_MODULE);
		kfree(reader);
		return -EBUSY;
	}
	get_device(device->dev);
	iommu_group_ref_get(device->group);
	INIT_WORK(&reader->work, ptwalk_iommu_run_reader);
	init_completion(&reader->done);
	refcount_set(&reader->users, 2);
	queue_work(facts_queue, &reader->work);
	for (; !done && !ptwalk_wait_is_over(&wait); wait.tries++)
		done = wait_for_completion_timeout(&reader->done,
						   msecs_to_jiffies(FACTS_WAIT));
	if (done) {
		*out = reader->facts;
		ret = reader->ret;
	}
	ptwalk_iommu_put_reader(reader);
	return ret;
}

/**
 * ptwalk_iommu_init() - create the workqueue
 *
 * Context: Module init, before the family is registered.
 * Return: 0, -ENOMEM, or -EPERM for a parameter that a kernel which is locked
 * down doesn't take.
 */
int ptwalk_iommu_init(void)
{
	/* What can crash the kernel isn't for root then. */
	if (iommu_walk && security_locked_down(LOCKDOWN_MODULE_PARAMETERS)) {
		pr_err("ptwalk_device: iommu_walk=1 is refused: the kernel is locked down\n");
		return -EPERM;
	}
	facts_queue = alloc_workqueue("ptwalk_device", WQ_UNBOUND, FACTS_READERS);
	return facts_queue ? 0 : -ENOMEM;
}

/**
 * ptwalk_iommu_exit() - destroy the workqueue
 *
 * Context: Module exit, after the family is unregistered. No reader waits for a
 * group then: each holds a reference to the module.
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

/* Whether a walk can be made in a domain; returns 0 or a negative error. */
static int ptwalk_iommu_check_walk(const struct ptwalk_domain_facts *facts,
				   const struct ptwalk_iova_walk *walk,
				   struct netlink_ext_ack *extack)
{
	if (!ptwalk_iommu_translates(facts->kind)) {
		NL_SET_ERR_MSG(extack,
			       "the device has no IOMMU domain that translates");
		return -EOPNOTSUPP;
	}
	if (walk->next > facts->last || walk->last < facts->first) {
		NL_SET_ERR_MSG(extack,
			       "the range is outside of what the IOMMU domain can translate");
		return -ERANGE;
	}
	if (!facts->readable && !iommu_walk) {
		NL_SET_ERR_MSG(extack,
			       "not allowed: IOMMU drivers free tables that are being looked at, which can crash the kernel, and the format of these isn't known; whoever takes that risk sets ptwalk_device.iommu_walk=1");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int ptwalk_iommu_begin(struct iommu_domain *domain, void *arg)
{
	struct ptwalk_iommu_beginning *beginning = arg;
	struct ptwalk_iova_walk *walk = beginning->walk;
	struct ptwalk_domain_facts facts;
	int err;

	ptwalk_iommu_read_domain(domain, &facts);
	err = ptwalk_iommu_check_walk(&facts, walk, beginning->extack);
	if (err)
		return err;
	walk->step = facts.page_sizes ? facts.page_sizes & -facts.page_sizes :
					PAGE_SIZE;
	walk->next = max(walk->next, facts.first) & ~(walk->step - 1);
	walk->last = min(walk->last, facts.last);
	walk->domain = domain;
	walk->facts = facts;
	return 0;
}

/*
 * Whether the device still has the domain that the walk began with. A domain
 * may be freed and another be allocated at its address. If that has the same
 * facts it isn't noticed, as nothing outside of the core identifies a domain; but
 * each bus address is still translated as it was when it was looked up.
 */
static bool ptwalk_iommu_is_same(const struct ptwalk_iova_walk *walk,
				 struct iommu_domain *domain)
{
	struct ptwalk_domain_facts facts;

	ptwalk_iommu_read_domain(domain, &facts);
	return domain == walk->domain && facts.kind == walk->facts.kind &&
	       facts.readable == walk->facts.readable &&
	       facts.page_sizes == walk->facts.page_sizes &&
	       facts.first == walk->facts.first && facts.last == walk->facts.last;
}

/**
 * ptwalk_iova_begin() - begin the walk of a range of bus addresses
 * @device: The device.
 * @walk: Its range is cut to what the domain can translate.
 * @extack: Receives the reason of a failure.
 *
 * Context: Process context, not under cb_lock: waits for the mutex of the IOMMU
 * group, with iommu_walk=1 without limit, otherwise for PTWALK_WAIT_SHARED; but
 * having got it once, without limit then, too.
 * Return: 0, -ENODEV if the device is gone, -EOPNOTSUPP if the domain doesn't
 * translate, or by tables of a format that isn't known while the module was loaded
 * without iommu_walk=1, -ERANGE if the domain can't translate any of the range, or
 * an error of ptwalk_domain_read().
 */
int ptwalk_iova_begin(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk,
		      struct netlink_ext_ack *extack)
{
	struct ptwalk_iommu_beginning beginning = {
		.walk = walk,
		.extack = extack,
	};
	struct ptwalk_domain_facts facts;
	int err;

	if (!iommu_walk) {
		err = ptwalk_domain_read(device, ptwalk_wait_begin(PTWALK_WAIT_SHARED),
					 &facts);
		if (err == -EBUSY)
			NL_SET_ERR_MSG(extack,
				       "the device is busy: the lock of its IOMMU group is held all the time");
		err = err ?: ptwalk_iommu_check_walk(&facts, walk, extack);
		if (err)
			return err;
	}
	return ptwalk_iommu_with_domain(device, ptwalk_iommu_begin, &beginning);
}

/*
 * iommu_iova_to_phys() returns 0 for what isn't mapped, but also for what is mapped
 * to physical address 0; the last byte of the page tells these apart.
 *
 * The driver may sleep: arm-smmu may have to resume the device. No lock outside
 * of the driver keeps a concurrent unmap from freeing a table while it is read:
 * the IOMMU API leaves that to the owner of the addresses. The comment in
 * domain_translation_struct_show() says the same of the Intel driver's own
 * walk. So this requires iommu_walk=1.
 */
static void ptwalk_iommu_ask_driver(struct iommu_domain *domain, u64 iova, u64 step,
				    struct ptwalk_iommu_place *place)
{
	place->last = iova + step - 1;
	place->phys = iommu_iova_to_phys(domain, iova);
	place->mapped = place->phys || iommu_iova_to_phys(domain, place->last);
}

static int ptwalk_iommu_look_up(struct iommu_domain *domain,
				const struct ptwalk_iova_walk *walk,
				struct ptwalk_iommu_place *place)
{
	if (walk->facts.readable)
		return ptwalk_iommu_pt_look_up(domain, walk->next, place);
	ptwalk_iommu_ask_driver(domain, walk->next, walk->step, place);
	return 0;
}

/* Adds @bytes at @walk->next; returns false if there is no room. */
static bool ptwalk_iommu_add(struct ptwalk_iova_walk *walk, u64 phys, u64 bytes)
{
	struct ptwalk_stretch *last = walk->stretch + walk->nr - 1;

	if (walk->nr && last->iova + last->bytes == walk->next &&
	    last->phys + last->bytes == phys) {
		last->bytes += bytes;
		return true;
	}
	if (walk->nr == walk->max)
		return false;
	walk->stretch[walk->nr++] = (struct ptwalk_stretch) {
		.iova = walk->next,
		.bytes = bytes,
		.phys = phys,
	};
	return true;
}

static int ptwalk_iommu_piece(struct iommu_domain *domain, void *arg)
{
	struct ptwalk_iova_walk *walk = arg;
	struct ptwalk_iommu_place place;
	unsigned int steps;
	u64 end;
	int err;

	if (!ptwalk_iommu_is_same(walk, domain))
		return -ESTALE;
	for (steps = 0; steps < PIECE_STEPS; steps++) {
		err = ptwalk_iommu_look_up(domain, walk, &place);
		if (err)
			return err;
		/* A page or a hole may go on behind the range. */
		end = min(place.last, walk->last | (walk->step - 1));
		if (place.mapped &&
		    !ptwalk_iommu_add(walk, place.phys, end - walk->next + 1))
			return -ENOSPC;
		walk->finished = end >= walk->last;
		if (walk->finished)
			return 0;
		walk->next = end + 1;
	}
	return 0;
}

/**
 * ptwalk_iova_piece() - look up the next PIECE_STEPS pages or holes
 * @device: The device.
 * @walk: The walk.
 *
 * Context: Process context, not under cb_lock. Takes the mutex of the IOMMU
 * group and releases it before it returns.
 * Return: 0, -ENOSPC if there is no room for another stretch, -ENODEV if the
 * device is gone, -ESTALE if it has another domain now, -EBUSY if its tables
 * changed all the time.
 */
int ptwalk_iova_piece(const struct ptwalk_device *device,
		      struct ptwalk_iova_walk *walk)
{
	return ptwalk_iommu_with_domain(device, ptwalk_iommu_piece, walk);
}
