// SPDX-License-Identifier: GPL-2.0
/* ptwalk pins: who holds memory for I/O, and what of it the process no longer has. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "cmd/alike_places.h"
#include "cmd/pins_device.h"
#include "cmd/pins_orphans.h"
#include "dma/device_names.h"
#include "module/client.h"
#include "pins/pins.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/vfio.h"

/**
 * struct pins_cmd - the command at work
 * @all: Of all processes: those that are gone, or are none, are no error.
 * @header: It was printed.
 * @looked: At all that there are, or that were named, to the end of the list.
 * @wants_orphans: Of --orphans, which are @orphans.
 * @devices: What was found of devices.
 * @any: Some of what was asked about has been looked at; @failed: the exit status for
 *	what couldn't be.
 * @vfio: Devices that VFIO has and that aren't looked at, such as @vfio_device.
 * @hidden: Why there may be processes that weren't seen at all, or NULL.
 * @owners: Of rings, as far as that is needed.
 * @budget: What --budget said, in seconds; negative: without one.
 * @shift: Of pages.
 * @sum: Of all processes; the buffers and pages are of those with any, @processes. Of
 *	the pages, @unproven looked replaced, and aren't proven to be. @looked_at are the
 *	processes that could be looked at; @unread couldn't be, the first one for @why.
 *	Of the buffers that aren't judged, @others may be other processes'; of those that are
 *	@untold, one couldn't be asked.
 */
struct pins_cmd {
	bool json, all, header, looked, wants_orphans, any;
	int failed;
	const char *hidden;
	double budget;
	struct orphans orphans;
	struct pins_devices devices;
	size_t vfio;
	char vfio_device[64];
	struct pids pids;
	struct uring_owners owners;
	struct ptwalk *client;
	unsigned int shift;
	struct {
		uint64_t processes, rings, busy, strange, buffers, others, kernel, files;
		uint64_t looked_at, unread, unproven, untold;
		char why[128];
		uint64_t pages[NR_PIN_STATES];
	} sum;
};

static uint64_t buffer_pages(const struct pins_cmd *c, const struct uring_buffer *b)
{
	return ((b->addr + b->length - 1) >> c->shift) - (b->addr >> c->shift) + 1;
}

static void buffer_json(const struct pins_cmd *c, pid_t pid, const char *comm,
			const struct uring_buffer *buffer, const struct pinned_buffer *b)
{
	jsonw_begin("buffer");
	jsonw_number("pid", pid);
	jsonw_text("comm", comm);
	jsonw_text("holder", "io_uring");
	jsonw_number("fd", buffer->fd);
	jsonw_number("index", buffer->index);
	jsonw_hex("start", buffer->addr);
	jsonw_hex("last", buffer->addr + buffer->length - 1);
	jsonw_number("pages", buffer_pages(c, buffer));
	jsonw_bool("judged", b->judged);
	jsonw_number_if("held", b->judged, b->pages[PIN_HELD]);
	jsonw_number_if("replaced", b->judged, pin_wrong(b->pages));
	jsonw_number_if("unknown", b->judged, b->pages[PIN_UNKNOWN]);
	jsonw_end();
}

static void buffer_text(struct pins_cmd *c, pid_t pid, const char *comm,
			const struct uring_buffer *buffer, const struct pinned_buffer *b)
{
	char range[FORMAT_RANGE];

	if (!c->header)
		printf("%-7s %-8s %3s %6s %-37s %8s %8s %8s %8s %s\n", "PID", "HOLDER", "FD",
		       "BUFFER", "START-END", "PAGES", "HELD", "REPLACED", "UNKNOWN", "NAME");
	c->header = true;
	printf("%-7d %-8s %3d %6u %-37s %8" PRIu64 " ", (int)pid, "io_uring", buffer->fd,
	       buffer->index,
	       format_range(buffer->addr, buffer->addr + buffer->length - 1, range),
	       buffer_pages(c, buffer));
	if (b->judged)
		printf("%8" PRIu64 " %8" PRIu64 " %8" PRIu64 " ", b->pages[PIN_HELD],
		       pin_wrong(b->pages), b->pages[PIN_UNKNOWN]);
	else
		printf("%8s %8s %8s ", "-", "-", "-");
	out_text(comm);
	putchar('\n');
	out_check();
}

static void buffer_finding_json(const struct pins_cmd *c, pid_t pid, const char *comm,
				const struct pin_stretch *s)
{
	char found[PIN_TEXT], against[PIN_TEXT];

	pin_stretch_found(s, c->shift, found);
	pin_stretch_against(s, against);
	jsonw_begin("finding");
	jsonw_number("pid", pid);
	jsonw_text("comm", comm);
	jsonw_hex("start", s->addr);
	jsonw_number("pages", s->pages);
	jsonw_text("verdict", "mismatch");
	jsonw_text("rule", PINNED_REPLACED);
	jsonw_text("source", "fdinfo");
	jsonw_number("fd", s->buffer.fd);
	jsonw_number("index", s->buffer.index);
	jsonw_hex_if("paddr", s->state == PIN_REPLACED, s->value << c->shift);
	jsonw_text("truth", found);
	jsonw_text("seen", against);
	jsonw_end();
}

/* Whether @b is behind @a, and alike but for the frame. */
static bool pin_stretch_goes_on(const struct pins_cmd *c, const struct pin_stretch *a,
				const struct pin_stretch *b)
{
	return a->buffer.index == b->buffer.index && a->state == b->state &&
	       a->addr + (a->pages << c->shift) == b->addr;
}

/* Of @nr in a row, @pages in all: they differ in their frames alone. */
static void buffer_finding_text(const struct pins_cmd *c, pid_t pid, const char *comm,
				const struct pin_stretch *s, size_t nr, uint64_t pages)
{
	char text[PIN_TEXT];

	printf("%smismatch%s: %d (", out_colour(OUT_BAD), out_colour(OUT_PLAIN), (int)pid);
	out_text(comm);
	printf(") 0x%" PRIx64 ", %" PRIu64 " page%s, %s\n", s->addr, pages, plural(pages),
	       PINNED_REPLACED);
	pin_stretch_found(s, c->shift, text);
	printf("  truth     %s%s\n", text,
	       nr > 1 && s->state == PIN_REPLACED ? ", nor those behind it" : "");
	pin_stretch_against(s, text);
	printf("  fdinfo    %s\n  explain   ptwalk explain %s\n", text, PINNED_REPLACED);
	out_check();
}

static void tell_buffers(struct pins_cmd *c, pid_t pid, const char *comm,
			 const struct pinned_ring *ring)
{
	for (size_t i = 0; i < ring->ring.nr; i++) {
		const struct uring_buffer *buffer = &ring->ring.buffer[i];
		const struct pinned_buffer *b = &ring->buffer[i];

		if (c->json)
			buffer_json(c, pid, comm, buffer, b);
		else
			buffer_text(c, pid, comm, buffer, b);
		c->sum.others += !b->judged && !b->untold;
		c->sum.untold += b->untold != 0;
		if (b->untold == -EACCES)
			c->failed = EXIT_UNCHECKED;
		for (unsigned int state = 0; state < NR_PIN_STATES; state++)
			c->sum.pages[state] += b->pages[state];
	}
}

/* Of people, those of a process that are alike are counted in @alike, by their state. */
static void tell_pin_findings(const struct pins_cmd *c, pid_t pid, const char *comm,
			      const struct pinned_ring *ring, struct alike_places *alike)
{
	const struct pin_stretches *wrong = &ring->wrong;
	uint64_t pages;
	size_t nr;

	for (size_t i = 0; i < wrong->nr; i += nr) {
		nr = 1;
		pages = wrong->stretch[i].pages;
		if (c->json) {
			buffer_finding_json(c, pid, comm, &wrong->stretch[i]);
			continue;
		}
		while (i + nr < wrong->nr &&
		       pin_stretch_goes_on(c, &wrong->stretch[i + nr - 1],
					   &wrong->stretch[i + nr]))
			pages += wrong->stretch[i + nr++].pages;
		if (alike_places_tell(&alike[wrong->stretch[i].state], pages))
			buffer_finding_text(c, pid, comm, &wrong->stretch[i], nr, pages);
	}
}

static void count(struct pins_cmd *c, pid_t pid, const struct pinned_ring *ring)
{
	const struct uring *r = &ring->ring;

	if (r->state == URING_STRANGE)
		fail(0, "process %d: a line of fdinfo/%d that isn't understood: '%s'",
		     (int)pid, r->fd, r->strange);
	c->sum.strange += r->state == URING_STRANGE;
	c->sum.rings += r->state == URING_READ;
	c->sum.busy += r->state == URING_BUSY;
	c->sum.files += r->files;
	c->sum.kernel += r->kernel;
	c->sum.buffers += r->nr;
	c->sum.unproven += ring->unproven;
}

static void tell(struct pins_cmd *c, pid_t pid, const struct pins *pins)
{
	struct alike_places alike[NR_PIN_STATES] = { 0 };
	bool any = false;
	char comm[64];

	procs_comm(pid, comm, sizeof(comm));
	for (size_t i = 0; i < pins->nr; i++)
		tell_buffers(c, pid, comm, &pins->ring[i]);
	for (size_t i = 0; i < pins->nr; i++) {
		tell_pin_findings(c, pid, comm, &pins->ring[i], alike);
		count(c, pid, &pins->ring[i]);
		any |= pins->ring[i].ring.state != URING_GONE;
	}
	for (unsigned int state = 0; state < NR_PIN_STATES; state++)
		alike_places_end(&alike[state], pin_state_text[state]);
	c->sum.processes += any;
}

/* Pages that looked replaced, and aren't proven to be. */
static uint64_t unproven(const struct pins_cmd *c)
{
	return c->sum.unproven + c->devices.unproven;
}

static void pins_sum_json(const struct pins_cmd *c)
{
	jsonw_begin("summary");
	jsonw_number("processes", c->sum.processes);
	jsonw_number("rings", c->sum.rings);
	jsonw_number("busy", c->sum.busy);
	jsonw_number("not_understood", c->sum.strange);
	jsonw_number("buffers", c->sum.buffers);
	jsonw_number("not_judged", c->sum.others);
	jsonw_number("untold", c->sum.untold);
	jsonw_number("kernel_buffers", c->sum.kernel);
	jsonw_number("files", c->sum.files);
	jsonw_number("unread", c->sum.unread);
	jsonw_number("held", c->sum.pages[PIN_HELD]);
	jsonw_number("replaced", pin_wrong(c->sum.pages));
	jsonw_number("unknown", c->sum.pages[PIN_UNKNOWN]);
	jsonw_number("unproven", unproven(c));
	jsonw_number("replaced_for_devices", c->devices.replaced);
	jsonw_number("vfio_devices", c->vfio);
	if (c->wants_orphans) {
		jsonw_number("frames", c->orphans.scanned);
		jsonw_number("orphans", c->orphans.pages);
		jsonw_number("unknown_orphans", c->orphans.unknown + c->orphans.of_dmabuf);
		jsonw_number("parted", c->orphans.parted);
		jsonw_number("uncounted", c->orphans.uncounted);
	}
	if (c->hidden)
		jsonw_text("hidden", c->hidden);
	if (interrupted == SIGALRM)
		jsonw_text("partial", "budget");
	else
		interrupt_json();
	jsonw_end();
}

static void print_left_out(uint64_t nr, const char *what, const char *why)
{
	if (nr)
		printf("left out: %" PRIu64 " %s%s: %s\n", nr, what, plural(nr), why);
}

static void pins_sum_text(const struct pins_cmd *c)
{
	const uint64_t nr = c->sum.processes;
	const uint64_t unmapped = c->sum.pages[PIN_UNKNOWN] - c->sum.unproven;
	char vfio[128];

	snprintf(vfio, sizeof(vfio), "its driver is VFIO's: ptwalk pins %s looks at such",
		 c->vfio_device);
	if (!nr && c->all && c->looked && !c->sum.unread && !interrupted)
		printf("looked at all processes: no descriptor of an io_uring ring\n");
	else if (!nr && !c->all && c->sum.looked_at && !c->sum.unread && !interrupted)
		printf("looked at %" PRIu64 " process%s: no descriptor of an io_uring ring\n",
		       c->sum.looked_at, c->sum.looked_at == 1 ? "" : "es");
	else
		printf("%" PRIu64 " process%s, %" PRIu64 " ring%s with %" PRIu64 " buffer%s: %" PRIu64 " pages held, %" PRIu64 " replaced, %" PRIu64 " unknown\n",
		       nr, nr == 1 ? "" : "es", c->sum.rings, plural(c->sum.rings),
		       c->sum.buffers, plural(c->sum.buffers), c->sum.pages[PIN_HELD],
		       pin_wrong(c->sum.pages), c->sum.pages[PIN_UNKNOWN]);
	if (unmapped)
		printf("unknown: %" PRIu64 " page%s, of files and not mapped now, on the move, with a memory error, or without a struct page: access those of files and ask again; --orphans finds what was cut out of a file\n",
		       unmapped, plural(unmapped));
	print_left_out(c->sum.others, "buffer",
		       "it may be that of another process that has the ring, such as a parent");
	print_left_out(c->sum.untold, "buffer",
		       "pages of it look replaced, unless it is that of another process that has the ring, and is busy or may not be looked at: ask again");
	print_left_out(c->sum.kernel, "buffer", "it is the kernel's own");
	print_left_out(c->sum.files, "registered file", "it is no memory");
	print_left_out(c->sum.busy, "ring", "somebody worked with it each time that it was read");
	print_left_out(c->sum.strange, "ring", "it lists what this program doesn't understand");
	print_left_out(c->sum.unread, "address space", c->sum.why);
	print_left_out(c->vfio, "device", vfio);
	print_left_out(c->orphans.unknown, "pinned page", interrupted ?
		       "it was not looked at often enough" :
		       "moving, waiting for an LRU list, or referred to by others, such as a pipe, in most looks");
	print_left_out(c->orphans.of_dmabuf, "pinned page",
		       "cut out of a file, and a dma-buf of udmabuf may have it rightly");
	print_left_out(c->orphans.parted, "page",
		       "no process maps it, but its large folio is pinned and mapped, and it may be another page of that which is pinned");
	print_left_out(c->orphans.uncounted, "page",
		       "its large folio is pinned and mapped, and this kernel doesn't tell which of its pages are (CONFIG_NO_PAGE_MAPCOUNT)");
	if (c->wants_orphans)
		printf("%" PRIu64 " frames looked at: %" PRIu64 " pinned and in nobody's tables\n",
		       c->orphans.scanned, c->orphans.pages);
}

/* One that can't be looked at doesn't hide what was found of the others. */
static int look_at_process(struct pins_cmd *c, pid_t pid)
{
	struct pins pins = { 0 };
	int err = c->all ? 0 : procs_look(pid);
	bool seen;

	if (!err)
		err = pins_read(&pins, c->client, pid, &c->owners, &interrupted);
	seen = pins.seen;
	if (seen)
		tell(c, pid, &pins);
	pins_free(&pins);
	c->sum.looked_at += !err;
	c->any |= seen || !err;
	if (c->all && err == -ESRCH && !seen)
		return 0;	/* or it has no memory, as kernel threads */
	if (err == -EBUSY || (err == -ESRCH && seen) || (c->all && err == -EACCES)) {
		c->any = true;
		if (!c->sum.unread++)
			snprintf(c->sum.why, sizeof(c->sum.why), "%s", error_text());
		if (err == -EACCES)
			c->failed = EXIT_UNCHECKED;
		return 0;
	}
	if (err == -ESRCH || err == -EACCES) {
		c->failed = error_status(err);
		return 0;
	}
	return err;
}

static bool is_device(const char *arg)
{
	return strpbrk(arg, ":/");
}

/* A word of the command line. */
static int take_word(struct pins_cmd *c, const char *word)
{
	char name[DEVNAME_SIZE];

	if (is_device(word))
		return devname_parse(word, name);
	if (word[strspn(word, "0123456789")] && strcmp(word, "self"))
		return error_usage("'%s': neither a PID nor a device: give a number, `self`, or a device such as "
				   DEVNAME_FORMS, word);
	return pids_add(&c->pids, word);
}

static void look_at_devices(struct pins_cmd *c, int nr, char **args)
{
	char name[DEVNAME_SIZE];

	for (int i = 0; i < nr && !interrupted; i++) {
		int err;

		if (!is_device(args[i]))
			continue;
		err = devname_parse(args[i], name);
		if (!err)
			err = pins_device(&c->devices, c->client, name);
		if (err)
			c->failed = error_status(err);
		else
			c->any = true;
	}
}

/* Whether anything is to be said of processes and rings. */
static bool wants_processes(const struct pins_cmd *c)
{
	return c->all || c->pids.nr;
}

static void tell_sums(const struct pins_cmd *c)
{
	if (c->json) {
		pins_sum_json(c);
		return;
	}
	if (wants_processes(c))
		pins_sum_text(c);
	if (unproven(c))
		printf("%" PRIu64 " page%s looked replaced, but not in so many looks that it is sure: ask again\n",
		       unproven(c), plural(unproven(c)));
	if (interrupted)
		printf("partial: %s\n", interrupted == SIGALRM ? "ended by the budget" :
		       "interrupted");
}

static int look_at_processes(struct pins_cmd *c, int nr, char **args)
{
	int err = client_open(&c->client);

	if (err)
		return err;
	c->shift = ptwalk_kernel(c->client)->page_shift;
	c->vfio = c->all ? vfio_devices(c->vfio_device, sizeof(c->vfio_device)) : 0;
	look_at_devices(c, nr, args);
	for (size_t i = 0; !err && i < c->pids.nr && !interrupted; i++) {
		progress_next();
		err = look_at_process(c, c->pids.pid[i]);
	}
	c->looked = !err && !c->hidden;
	if (!err && c->wants_orphans && !interrupted)
		err = orphans_find(&c->orphans, c->client);
	if (err)
		c->failed = error_status(err);
	if (c->failed && !c->any)
		return c->failed;
	if (c->hidden)
		c->failed = fail(EXIT_UNCHECKED, "%s", c->hidden);
	tell_sums(c);
	if (c->devices.unread)
		fail(0, "a process that has the device, or may, couldn't be read: ask again");
	if (interrupted && interrupted != SIGALRM)
		return interrupt_end();
	return pin_wrong(c->sum.pages) + c->orphans.pages + c->devices.replaced ? EXIT_MISMATCH :
	       c->failed ? c->failed :
	       c->sum.busy + c->sum.strange + c->sum.unread + c->sum.untold +
	       c->devices.unread + unproven(c) +
	       c->orphans.unknown + c->orphans.of_dmabuf + interrupted ?
	       EXIT_UNSTABLE : EXIT_MATCH;
}

static int run_pins(struct pins_cmd *c, int argc, char **argv)
{
	int err = 0, devices = 0;

	if (c->all && argc)
		return fail(EXIT_USAGE, "'%s': --all is every process", argv[0]);
	c->all |= !argc;
	if (c->wants_orphans && !c->all)
		return fail(EXIT_USAGE, "'%s': --orphans searches all memory, and all processes: leave it out", argv[0]);
	for (int i = 0; i < argc; i++)
		devices += is_device(argv[i]);
	if (!devices)
		err = whole_processes(argv, argc, "each buffer has a line");
	for (int i = 0; !err && i < argc; i++)
		err = take_word(c, argv[i]);
	if (!err && c->devices.iovas.nr && !devices)
		err = error_usage("--iova goes with a device: " DEVNAME_SUCH_AS);
	if (!err)
		err = procs_ready();
	if (!err && c->all)
		err = pids_add_all(&c->pids);
	c->hidden = c->all ? procs_hidden() : NULL;
	if (err)
		return err;
	interrupt_begin();
	if (c->budget >= 0)
		interrupt_after(c->budget);
	progress_begin("process", c->pids.nr);
	return look_at_processes(c, argc, argv);
}

static int take_budget(void *to)
{
	struct pins_cmd *c = to;

	return option_seconds("--budget", &c->budget);
}

static int take_iova(void *to)
{
	struct pins_cmd *c = to;
	const uint64_t mask = sysconf(_SC_PAGESIZE) - 1;
	struct range range;
	bool single;
	const char *why = parse_range_or_address(optarg, &range, &single);

	if (why)
		return fail(EXIT_USAGE, "range '%s': %s: give ADDRESS, START-END or START+LENGTH in hexadecimal",
			    optarg, why);
	if (single) {
		range.start &= ~mask;
		range.last |= mask;
	}
	return ranges_add(&c->devices.iovas, range.start, range.last) ? error_no_memory() : 0;
}

int cmd_pins(int argc, char **argv)
{
	struct pins_cmd c = { .budget = -1 };
	const struct command_option options[] = {
		{ "all", .flag = &c.all },
		{ "orphans", .flag = &c.wants_orphans },
		{ "budget", .take = take_budget, .to = &c },
		{ "iova", .take = take_iova, .to = &c },
		{ "json", .flag = &c.json },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	c.orphans.json = c.json;
	c.devices.json = c.json;
	if (!status)
		status = run_pins(&c, argc - optind, argv + optind);
	ptwalk_close(c.client);
	pids_free(&c.pids);
	uring_owners_free(&c.owners);
	ranges_free(&c.devices.iovas);
	return status;
}
