// SPDX-License-Identifier: GPL-2.0
/* pins DEVICE: what a device has mapped through VFIO, against its holders' page tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/bus_look.h"
#include "cmd/interrupt.h"
#include "cmd/alike_places.h"
#include "cmd/pins_device.h"
#include "module/client.h"
#include "module/names.h"
#include "pins/charge.h"
#include "pins/device.h"
#include "pins/doubts.h"
#include "pins/pins.h"
#include "proc/iomem.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "proc/vfio.h"

/* Where the memory of the holders is, is looked for in pieces, in so many at most. */
#define CHUNK		(UINT64_C(1) << 30)
#define MAX_CHUNKS	1024

#define TEXT	160

/**
 * struct seen - what a look saw
 * @holders: Who has the device; @truth has the tables of each.
 * @parts: What was judged.
 * @unread: Holders whose tables couldn't be read, and processes that may be one.
 * @charge_known: What is charged to all holders could be read; @not_found is how many
 *	pages of that are beyond those that are mapped for the device.
 */
struct seen {
	struct vfio_holders holders;
	struct truth *truth;
	struct device_parts parts;
	size_t unread;
	bool charge_known;
	uint64_t not_found;
};

/**
 * struct job - a device being looked at
 * @look: The device, and its bus addresses.
 * @ram: As far as it is known.
 * @rounds: The looks at it.
 * @seen: By the last that could read all holders, if @any.
 * @doubts: In how many looks it was wrong.
 */
struct job {
	struct pins_devices *sum;
	struct bus_look look;
	struct ranges ram;
	struct rounds rounds;
	bool any;
	struct seen seen;
	struct doubts doubts;
};

static const char *device_name(const struct job *j)
{
	return strchr(j->look.facts.name, '/') + 1;
}

static unsigned int job_shift(const struct job *j)
{
	return ptwalk_kernel(j->look.client)->page_shift;
}

static void seen_free(struct seen *s)
{
	for (size_t i = 0; s->truth && i < s->holders.nr; i++)
		truth_free(&s->truth[i]);
	free(s->truth);
	vfio_holders_free(&s->holders);
	device_parts_free(&s->parts);
	memset(s, 0, sizeof(*s));
}

/*
 * The rounds are those of the only process that has the device in all looks: of several,
 * one may change what the others have.
 */
static void note_device_holders(struct job *j, const struct vfio_holders *holders)
{
	const pid_t pid = holders->nr == 1 ? holders->holder[0].pid : 0;

	if (j->any && pid == j->rounds.pid)
		return;
	j->rounds.asleep = pid && !j->any ? procs_asleep(pid) : 0;
	j->rounds.pid = pid;
}

/* If the kernel has charged any of them, it has charged who mapped memory for the device. */
static void leave_out_bystanders(struct seen *s)
{
	bool any = false;

	for (size_t i = 0; i < s->holders.nr; i++)
		any |= s->holders.holder[i].is_charged;
	for (size_t i = 0; any && i < s->holders.nr; i++)
		if (!s->holders.holder[i].is_charged)
			device_keep_shared(&s->truth[i]);
}

/* Between two messages. */
static int stop_reading(struct truth *truth, const struct ptwalk_extent *extents,
			const struct ptwalk_page *pages, size_t nr)
{
	return interrupted ? INTERRUPT_STOP : 0;
}

static int read_holders(struct job *j, struct seen *s)
{
	char node[32];
	int err;

	vfio_node(device_name(j), node, sizeof(node));
	err = vfio_holders_find(&s->holders, j->look.facts.group, node);
	if (err)
		return err;
	note_device_holders(j, &s->holders);
	s->unread = s->holders.unread;
	s->truth = calloc(s->holders.nr + 1, sizeof(*s->truth));
	if (!s->truth)
		return error_no_memory();
	for (size_t i = 0; !err && i < s->holders.nr; i++) {
		s->truth[i].take = stop_reading;
		err = truth_read(j->look.client, s->holders.holder[i].pid, 0, UINT64_MAX,
				 &s->truth[i]);
		s->unread += err == -EBUSY || err == -ESRCH;
		if (err == -EBUSY || err == -ESRCH)
			err = 0;
	}
	leave_out_bystanders(s);
	return err;
}

/* Others charge, too: io_uring, RDMA, another device. */
static struct charge charge_of(const struct job *j, const struct seen *s)
{
	struct charge charge = { .ram = &j->ram };

	for (size_t i = 0; i < s->holders.nr; i++)
		if (s->holders.holder[i].is_known)
			charge.charged += charge_of_process(&s->holders.holder[i].charges,
							    &s->truth[i]);
	return charge;
}

/* Of a look, before what it found is judged, which sorts that. */
static void note_not_found(const struct job *j, struct seen *s)
{
	struct charge charge = charge_of(j, s);

	s->charge_known = true;
	for (size_t i = 0; i < s->holders.nr; i++)
		s->charge_known &= s->holders.holder[i].is_known;
	s->not_found = charge_missing(&charge, &j->look.map) >> job_shift(j);
}

/*
 * Bus addresses that are addresses of a holder, as DPDK and SPDK have them, where it has
 * pages; with @charge wherever it has mappings, until all of that is found.
 */
static int look_at_own(struct job *j, const struct truth *truth, struct charge *charge,
		       unsigned int *left)
{
	const struct ptwalk_device *f = &j->look.facts;
	uint64_t next = 0;
	int status = 0;

	for (size_t i = 0; !status && *left && i < truth->nr_extents; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];
		const uint64_t last = e->addr + (e->pages << job_shift(j)) - 1;
		uint64_t at = e->addr & ~(CHUNK - 1);

		if (interrupted)
			return INTERRUPT_STOP;
		if (!charge && !ptwalk_bits_present(e->bits))
			continue;
		if (at < next)
			at = next;
		for (; !status && at <= last && at <= f->aperture_last && *left; at += CHUNK) {
			struct range chunk = { at, at + CHUNK - 1 };

			if (bus_look_cut(f, &chunk) &&
			    !ranges_have(&j->look.scanned, chunk.start)) {
				status = bus_look(&j->look, chunk.start, chunk.last);
				--*left;
				if (charge && !charge_missing(charge, &j->look.map))
					*left = 0;
			}
			next = at + CHUNK;
			if (!next)
				return status;
		}
	}
	return status;
}

static int look_first(struct job *j, const struct seen *s)
{
	const struct ranges *iovas = &j->sum->iovas;
	struct charge charge = charge_of(j, s);
	unsigned int left = MAX_CHUNKS;
	int status = iovas->nr ? 0 : bus_look_everywhere(&j->look);

	for (size_t i = 0; !status && i < iovas->nr; i++)
		status = bus_look(&j->look, iovas->range[i].start, iovas->range[i].last);
	if (iovas->nr)
		return status;
	for (size_t i = 0; !status && i < s->holders.nr; i++) {
		bus_look_tidy(&j->look);
		status = look_at_own(j, &s->truth[i], NULL, &left);
	}
	for (size_t i = 0; !status && i < s->holders.nr; i++) {
		bus_look_tidy(&j->look);
		if (charge_missing(&charge, &j->look.map))
			status = look_at_own(j, &s->truth[i], &charge, &left);
	}
	return status;
}

/* At the same bus addresses. */
static int look_up_again(struct job *j)
{
	struct busmap before = j->look.map;
	int status = 0;

	j->look.map = (struct busmap){ 0 };
	for (size_t i = 0, end; !status && i < before.nr; i = end) {
		const uint64_t start = before.stretch[i].iova;
		uint64_t last = start + before.stretch[i].bytes - 1;

		for (end = i + 1; end < before.nr && before.stretch[end].iova == last + 1; end++)
			last += before.stretch[end].bytes;
		status = bus_look(&j->look, start, last);
	}
	busmap_free(&before);
	return status;
}

static int stop_judging(void *arg)
{
	return interrupted ? INTERRUPT_STOP : 0;
}

/*
 * Adds to @page at @pfn, of which the module tells nothing, whether it is free: it knows
 * the lists of each CPU alone.
 */
static void find_if_free(const struct job *j, uint64_t pfn, struct ptwalk_page *page)
{
	uint64_t flags;

	if (!page->flags && !page->counts &&
	    frameflags_read_free(ptwalk_kernel(j->look.client), pfn, &flags, 1) &&
	    flags & KPF_BIT(BUDDY))
		page->flags = PTWALK_PAGE_FLAG_FREE;
}

static int frames(void *arg, uint64_t pfn, size_t nr, struct ptwalk_page *pages)
{
	struct job *j = arg;
	uint64_t pfns[PTWALK_MAX_ADDRESSES] = { 0 };
	int err;

	for (size_t i = 0; i < nr; i++)
		pfns[i] = pfn + i;
	err = ptwalk_frames(j->look.client, pfns, nr, pages);
	if (err)
		return client_error(j->look.client, 0, err);
	for (size_t i = 0; i < nr; i++)
		find_if_free(j, pfn + i, &pages[i]);
	return 0;
}

static int judge_device(struct job *j, struct seen *s)
{
	const struct device_tables tables = {
		.truth = s->truth, .nr = s->holders.nr, .frames = frames,
		.stop = stop_judging, .arg = j, .page_shift = job_shift(j),
	};
	const int err = device_parts_add(&s->parts, &j->look.map, &tables);

	return err == -ENOMEM ? error_no_memory() : err;
}

/*
 * The tables of the device are read before those of the holders, but for the first time.
 * Without those of all holders, nothing can be judged.
 */
static int read_device_look(struct job *j, struct seen *now)
{
	int status = j->any ? look_up_again(j) : 0;

	if (!status)
		status = read_holders(j, now);
	if (!status && !j->any && !now->unread)
		status = look_first(j, now);
	if (status || now->unread)
		return status;
	note_not_found(j, now);
	return judge_device(j, now);
}

/* Takes a look into account. */
static int take_device_look(struct job *j, struct seen *now)
{
	const bool near = doubts_near(&j->doubts);
	struct doubts wrong = { 0 };
	int err;

	seen_free(&j->seen);
	j->seen = *now;
	j->any = true;
	memset(now, 0, sizeof(*now));
	err = device_parts_doubt(&j->seen.parts, &wrong, job_shift(j));
	if (!err)
		err = doubts_look(&j->doubts, &wrong, !near || rounds_slept(&j->rounds));
	return err ? error_no_memory() : 0;
}

/*
 * Until what is wrong is proven to be. A look that couldn't read a holder tells nothing,
 * nor does one that is stopped.
 */
static int look_at_device(struct job *j)
{
	enum rounds_state state = ROUNDS_OPEN;
	bool unread = false;
	int status = 0;

	while (!status && !interrupted && rounds_next(&j->rounds, state)) {
		struct seen now = { 0 };

		status = read_device_look(j, &now);
		unread = now.unread;
		if (!status && !unread)
			status = take_device_look(j, &now);
		seen_free(&now);
		/* A process that is busy needs time rather than rounds. */
		state = unread ? ROUNDS_OPEN : doubts_state(&j->doubts);
	}
	if (!j->any) {
		j->sum->unread += unread;
		return status ? status : INTERRUPT_STOP;
	}
	if (status && status != INTERRUPT_STOP)
		return status;
	return device_parts_settle(&j->seen.parts, &j->doubts, job_shift(j),
				   &j->sum->unproven) ? error_no_memory() : 0;
}

/* The process that is named: that of the part, or who surely has the device. */
static const struct vfio_holder *holder_of(const struct job *j, const struct device_part *part)
{
	const bool known = part->now != NOW_UNKNOWN || part->state == PART_HELD ||
			   part->state == PART_MOVED;

	return &j->seen.holders.holder[known ? part->holder : 0];
}

static const char *const now_words[NR_NOW] = {
	[NOW_UNKNOWN] = "no page table has the page any more",
	[NOW_UNMAPPED] = "nothing is mapped",
	[NOW_ABSENT] = "no page is there",
	[NOW_OTHER] = "another page",
};

static const char *const free_words = "what the device has is free memory";

static void now_text(const struct device_part *part, char buf[TEXT])
{
	int n = 0;

	if (part->now == NOW_OTHER)
		n = snprintf(buf, TEXT, "physical 0x%" PRIx64 ": ", part->now_phys);
	n += snprintf(buf + n, TEXT - n, "%s", now_words[part->now]);
	if (part->state == PART_FREE)
		snprintf(buf + n, TEXT - n, "; %s", free_words);
	if (part->state == PART_MOVED)
		snprintf(buf + n, TEXT - n, "; the page is at 0x%" PRIx64 " now",
			 part->elsewhere);
}

static void seen_text(const struct job *j, const struct device_part *part, char buf[TEXT])
{
	snprintf(buf, TEXT, "%s has what was there: fd %d, bus address 0x%" PRIx64 ", physical 0x%" PRIx64,
		 device_name(j), holder_of(j, part)->fd, part->bus, part->phys);
}

static void part_finding_json(const struct job *j, const struct device_part *part, const char *comm)
{
	const struct vfio_holder *holder = holder_of(j, part);
	char text[TEXT];

	jsonw_begin("finding");
	jsonw_number("pid", holder->pid);
	jsonw_text("comm", comm);
	jsonw_hex_if("start", part->now != NOW_UNKNOWN, part->vaddr);
	jsonw_number("pages", part->bytes >> job_shift(j));
	jsonw_text("verdict", "mismatch");
	jsonw_text("rule", PINNED_REPLACED);
	jsonw_text("source", "iommu");
	jsonw_number("fd", holder->fd);
	jsonw_text("device", device_name(j));
	jsonw_hex("bus", part->bus);
	jsonw_hex_if("paddr", part->now == NOW_OTHER, part->now_phys);
	now_text(part, text);
	jsonw_text("truth", text);
	seen_text(j, part, text);
	jsonw_text("seen", text);
	jsonw_end();
}

static void print_part_finding(const struct job *j, const struct device_part *part)
{
	const uint64_t pages = part->bytes >> job_shift(j);
	const pid_t pid = holder_of(j, part)->pid;
	char text[TEXT], comm[64];

	procs_comm(pid, comm, sizeof(comm));
	if (j->sum->json) {
		part_finding_json(j, part, comm);
		return;
	}
	printf("%smismatch%s: %d (", out_colour(OUT_BAD), out_colour(OUT_PLAIN), (int)pid);
	out_text(comm);
	putchar(')');
	if (part->now != NOW_UNKNOWN)
		printf(" 0x%" PRIx64, part->vaddr);
	now_text(part, text);
	printf(", %" PRIu64 " page%s, %s\n  truth     %s\n", pages, plural(pages),
	       PINNED_REPLACED, text);
	seen_text(j, part, text);
	printf("  vfio      %s\n", text);
	out_check();
}

/* Whether @b is told with @a, which is before it: only the frames are not in a row. */
static bool part_goes_on(const struct device_part *a, const struct device_part *b)
{
	return b->state == a->state && b->now == a->now && b->holder == a->holder &&
	       b->bus == a->bus + a->bytes && b->vaddr == a->vaddr + a->bytes &&
	       (a->state != PART_MOVED || b->elsewhere == a->elsewhere + a->bytes);
}

/* People are told the first ones that are alike. */
static void tell_part_findings(const struct job *j)
{
	struct alike_places alike[NR_NOW] = { 0 }, free_ones = { 0 };

	for (size_t i = 0; i < j->seen.parts.nr; i++) {
		struct device_part part = j->seen.parts.part[i];

		if (!part_is_wrong(&part))
			continue;
		for (; i + 1 < j->seen.parts.nr &&
		     part_goes_on(&part, &j->seen.parts.part[i + 1]); i++)
			part.bytes += j->seen.parts.part[i + 1].bytes;
		if (j->sum->json ||
		    alike_places_tell(part.state == PART_FREE ? &free_ones : &alike[part.now],
				    part.bytes >> job_shift(j)))
			print_part_finding(j, &part);
	}
	for (unsigned int now = 0; now < NR_NOW; now++)
		alike_places_end(&alike[now], now_words[now]);
	alike_places_end(&free_ones, free_words);
}

/**
 * struct run - bus addresses in a row that lead somewhere
 * @start: The first; @bytes: how many.
 * @first: A part that somebody has, or else the first one.
 * @pages: By state.
 */
struct run {
	uint64_t start, bytes;
	const struct device_part *first;
	uint64_t pages[NR_PART_STATES];
};

static uint64_t replaced(const struct run *run)
{
	return run->pages[PART_MOVED] + run->pages[PART_LOST] + run->pages[PART_FREE];
}

static void device_run_json(const struct job *j, const struct run *run, const char *comm)
{
	const struct vfio_holder *holder = holder_of(j, run->first);

	jsonw_begin("dma");
	jsonw_text("device", device_name(j));
	jsonw_number("pid", holder->pid);
	jsonw_text("comm", comm);
	jsonw_text("holder", "vfio");
	jsonw_number("fd", holder->fd);
	jsonw_hex("bus", run->start);
	jsonw_hex("last", run->start + run->bytes - 1);
	jsonw_number("pages", run->bytes >> job_shift(j));
	jsonw_number("held", run->pages[PART_HELD]);
	jsonw_number("replaced", replaced(run));
	jsonw_number("unknown", run->pages[PART_UNKNOWN]);
	jsonw_end();
}

static void print_device_run(const struct job *j, const struct run *run)
{
	const struct vfio_holder *holder = holder_of(j, run->first);
	char range[FORMAT_RANGE], comm[64];

	procs_comm(holder->pid, comm, sizeof(comm));
	if (j->sum->json) {
		device_run_json(j, run, comm);
		return;
	}
	if (!j->sum->header)
		printf("%-7s %-8s %3s %-37s %8s %8s %8s %8s %s\n", "PID", "HOLDER", "FD",
		       "BUS ADDRESSES", "PAGES", "HELD", "REPLACED", "UNKNOWN", "NAME");
	j->sum->header = true;
	printf("%-7d %-8s %3d %-37s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " ",
	       (int)holder->pid, "vfio", holder->fd,
	       format_range(run->start, run->start + run->bytes - 1, range),
	       run->bytes >> job_shift(j), run->pages[PART_HELD],
	       replaced(run), run->pages[PART_UNKNOWN]);
	out_text(comm);
	putchar('\n');
	out_check();
}

static size_t tell_run(const struct job *j, size_t at, struct run *sum)
{
	struct run run = { .start = j->seen.parts.part[at].bus, .first = &j->seen.parts.part[at] };

	for (; at < j->seen.parts.nr; at++) {
		const struct device_part *part = &j->seen.parts.part[at];
		const uint64_t pages = part->bytes >> job_shift(j);

		if (part->bus != run.start + run.bytes)
			break;
		run.bytes += part->bytes;
		run.pages[part->state] += pages;
		sum->pages[part->state] += pages;
		if (part->state == PART_HELD && run.first->state != PART_HELD)
			run.first = part;
	}
	sum->bytes += run.bytes;
	print_device_run(j, &run);
	return at;
}

static void device_sum_json(const struct job *j, const struct run *sum, uint64_t runs,
			    const struct ranges *unscanned)
{
	jsonw_begin("device");
	jsonw_text("device", device_name(j));
	jsonw_number("places", runs);
	jsonw_number("pages", sum->bytes >> job_shift(j));
	jsonw_number("held", sum->pages[PART_HELD]);
	jsonw_number("replaced", replaced(sum));
	jsonw_number("unknown", sum->pages[PART_UNKNOWN]);
	bus_ranges_json("scanned", &j->look.scanned);
	bus_ranges_json("unscanned", unscanned);
	jsonw_number_if("not_found", unscanned->nr && j->seen.charge_known, j->seen.not_found);
	jsonw_end();
}

static int tell_device(const struct job *j)
{
	struct ranges unscanned = { 0 };
	struct run sum = { 0 };
	const uint64_t more = j->seen.charge_known ? j->seen.not_found : 0;
	uint64_t runs = 0;

	if (bus_look_unscanned(&j->look, &unscanned))
		return error_no_memory();
	for (size_t at = 0; at < j->seen.parts.nr; runs++)
		at = tell_run(j, at, &sum);
	tell_part_findings(j);
	j->sum->replaced += replaced(&sum);
	if (j->sum->json) {
		device_sum_json(j, &sum, runs, &unscanned);
		ranges_free(&unscanned);
		return 0;
	}
	printf("%s: %" PRIu64 " page%s at %" PRIu64 " place%s: %" PRIu64 " held, %" PRIu64 " replaced, %" PRIu64 " unknown\n",
	       device_name(j), sum.bytes >> job_shift(j), plural(sum.bytes >> job_shift(j)), runs,
	       plural(runs), sum.pages[PART_HELD],
	       replaced(&sum), sum.pages[PART_UNKNOWN]);
	if (sum.pages[PART_UNKNOWN])
		printf("unknown: %" PRIu64 " page%s, of files, of other processes, or no memory: --orphans finds what was cut out of a file\n",
		       sum.pages[PART_UNKNOWN], plural(sum.pages[PART_UNKNOWN]));
	printf("looked up");
	bus_ranges_print(&j->look.scanned);
	if (unscanned.nr) {
		printf("\nnot looked up");
		bus_ranges_print(&unscanned);
		printf(": --iova RANGE of it is looked up by itself");
		if (more)
			printf("\nnot found: %" PRIu64 " page%s that %s charged to its processes (VmLck, VmPin), for this device or another, io_uring or RDMA",
			       more, plural(more), more == 1 ? "is" : "are");
	}
	putchar('\n');
	ranges_free(&unscanned);
	return 0;
}

static int judged(struct job *j, const char *name)
{
	const uint64_t none = 0;
	char domain[NAME_SIZE];
	int status = device_read(j->look.client, name, &none, 1, &j->look.facts);

	if (status)
		return status;
	if (j->look.facts.domain == PTWALK_DOMAIN_BLOCKED)
		return error_set(-EINVAL, "%s: nothing is mapped for it: its domain is 'blocked'",
				 device_name(j));
	if (j->look.facts.domain != PTWALK_DOMAIN_UNMANAGED)
		return error_set(-EINVAL, "%s: nobody has it through VFIO: its domain is '%s'",
				 device_name(j),
				 name_of(&names_domain, j->look.facts.domain, domain));
	status = look_at_device(j);
	if (status)
		return status == INTERRUPT_STOP ? 0 : status;
	if (!j->seen.holders.nr)
		return error_set(-EINVAL, "%s: no process has it through VFIO, that /proc shows",
				 device_name(j));
	bus_look_tidy(&j->look);
	return tell_device(j);
}

/* Without it, all that was found counts. */
static int read_ram(struct ranges *ram)
{
	struct iomem iomem = { 0 };
	int err = 0;

	iomem_read(&iomem);
	for (size_t i = 0; !err && i < iomem.nr; i++) {
		const struct iomem_resource *r = &iomem.resource[i];

		if (!strncmp(r->name, "System RAM", strlen("System RAM")))
			err = ranges_add(ram, r->start, r->last);
	}
	iomem_free(&iomem);
	return err ? error_no_memory() : 0;
}

int pins_device(struct pins_devices *sum, struct ptwalk *client, const char *name)
{
	struct job job = {
		.sum = sum, .look = { .client = client },
		.rounds = doubts_rounds(0, 0),
	};
	int status;

	status = read_ram(&job.ram) ?: judged(&job, name);
	seen_free(&job.seen);
	doubts_free(&job.doubts);
	busmap_free(&job.look.map);
	ranges_free(&job.look.scanned);
	ranges_free(&job.ram);
	return status;
}
