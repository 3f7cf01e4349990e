// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "edu.h"
#include "held.h"
#include "mutate.h"
#include "stress_held.h"
#include "system.h"
#include "workers.h"

static struct held_figures *figures;
static void (*complain)(const char *what, const struct output *out);

/* In vain if a process that went is the reason; else one more of @looks. */
static void expect_silence(const struct output *out, unsigned long *looks)
{
	if (out->status == UNSTABLE)
		worker_count(&figures->busy, 1);
	else if (out->status != MATCH)
		complain("pins of memory that is right", out);
	else
		worker_count(looks, 1);
}

/*
 * Has a page replaced that is held, and then the new one held. Not at an end of it, where
 * nothing says which bus address is whose.
 */
static void plant_replaced(struct held *h, const char *whose, u32 *seed)
{
	static struct output out;
	const unsigned int nr = 1 + chance(seed) % (HELD_PAGES - 2);
	char told[64];

	if (!held_replace(h, nr))
		_exit(1);
	snprintf(told, sizeof(told), ") %#lx, 1 page, pinned-replaced\n",
		 (unsigned long)(h->small + nr * h->page));
	run(&out, "ptwalk", "pins", whose);
	worker_count(&figures->replaced, 1);
	if (out.status == MISMATCH && strstr(out.text, told))
		worker_count(&figures->replaced_found, 1);
	else
		complain("a page that was replaced while it was held", &out);
	if (!held_mend(h))
		_exit(1);
}

/**
 * struct holder - who has memory of this process
 * @h: The memory, and the ring or device.
 * @whose: What pins is asked about: the process, or the device.
 * @looks: A figure to which its looks are added.
 */
struct holder {
	struct held h;
	char whose[32];
	unsigned long *looks;
};

static bool ring_holds(struct holder *holder)
{
	const int err = held_start(&holder->h, sysconf(_SC_PAGESIZE));

	if (err && err != -ENOSYS)
		_exit(1);
	snprintf(holder->whose, sizeof(holder->whose), "%d", getpid());
	holder->looks = &figures->pins;
	if (err)
		printf("# nothing is registered: the kernel has no io_uring\n");
	return !err;
}

static bool device_holds(struct holder *holder)
{
	static struct edu e = { .m.fd = -1 };
	struct vfio *vfio = &holder->h.vfio;

	*vfio = (struct vfio){ .container = -1, .group = -1, .fd = -1 };
	e.m.page_size = sysconf(_SC_PAGESIZE);
	if (ptw_open(&e.ptw) || ptw_info(&e.ptw, &e.m.info))
		_exit(1);
	edu_map(&e, "edu-stream");
	snprintf(holder->whose, sizeof(holder->whose), "%.31s", e.name + strlen("pci/"));
	holder->looks = &figures->device;
	if (e.m.lacks[0] || e.m.broken[0] || !e.translated ||
	    !vfio_open(vfio, holder->whose, "ptwalk_fixture", e.device.group)) {
		printf("# nothing is mapped for a device: %s\n",
		       e.m.lacks[0] ? e.m.lacks : e.m.broken[0] ? e.m.broken :
		       e.translated ? vfio->lacks : "no IOMMU stands before it");
		return false;
	}
	if (held_start_device(&holder->h, sysconf(_SC_PAGESIZE)))
		_exit(1);
	return true;
}

void keep_held(struct held_figures *all, double end,
	       void (*wrong)(const char *what, const struct output *out), u32 *seed)
{
	static struct output out;
	static struct holder holder[2];
	size_t nr = 0;
	char pid[16];

	figures = all;
	complain = wrong;
	nr += ring_holds(&holder[nr]);
	nr += device_holds(&holder[nr]);
	snprintf(pid, sizeof(pid), "%d", getpid());
	do {
		for (size_t i = 0; i < 4 * nr; i++) {
			struct holder *one = &holder[i % nr];

			held_disturb(&one->h, seed);
			run(&out, "ptwalk", "pins", one->whose);
			expect_silence(&out, one->looks);
			held_disturb(&one->h, seed);
			run(&out, "ptwalk", "check", "--lint", pid);
			expect_silence(&out, &figures->lints);
		}
		run(&out, "ptwalk", "pins", "--orphans");
		expect_silence(&out, &figures->orphans);
		for (size_t i = 0; i < nr; i++)
			plant_replaced(&holder[i].h, holder[i].whose, seed);
	} while (nr && seconds_now() < end);
	for (size_t i = 0; i < nr; i++)
		if (holder[i].h.vfio.device)
			vfio_close(&holder[i].h.vfio);
}
