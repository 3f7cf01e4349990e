// SPDX-License-Identifier: GPL-2.0
/* check --guest: the second stage of a virtual machine against its process. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/check_guest.h"
#include "cmd/cmd.h"
#include "cmd/alike_places.h"
#include "guest/guest.h"
#include "module/client.h"
#include "module/entry.h"
#include "proc/pids.h"
#include "proc/processes.h"

#define SIDE	(ENTRY_TEXT + 32)

/**
 * struct guest_cmd - the command at work
 * @pid: The process; @comm is its name.
 * @fd: Descriptor of the machine that is looked at; -1 before the first.
 * @shift: Of pages.
 * @lost: Roots of all machines whose pages weren't all read.
 * @pages: Of all @machines, by verdict.
 * @unchecked: Machines that couldn't be looked at.
 */
struct guest_cmd {
	bool json;
	pid_t pid;
	char comm[64];
	int fd;
	struct ptwalk *client;
	unsigned int shift;
	uint64_t machines, pages, unstable, mismatch, lost, unchecked;
};

static const char *physical_text(char buf[SIDE], uint64_t addr, bool write)
{
	snprintf(buf, SIDE, "physical 0x%" PRIx64 ", %s", addr,
		 write ? "writable" : "read-only");
	return buf;
}

/* What the guest has. */
static const char *stage_of(const struct guest_cmd *c, const struct stale_page *p,
			    char buf[SIDE])
{
	physical_text(buf, p->frame << c->shift, p->write);
	if (p->read_only)
		strcat(buf, " in a read-only slot");
	return buf;
}

/* What the process has. */
static const char *truth_of(const struct guest_cmd *c, const struct stale_page *p,
			    char buf[SIDE])
{
	char entry[ENTRY_TEXT];

	if (p->slotless)
		return strcpy(buf, "no slot is there");
	if (ptwalk_bits_present(p->bits) &&
	    !(ptwalk_bits_flags(p->bits) & PTWALK_FLAG_PROT_NONE))
		return physical_text(buf, p->value << c->shift,
				     ptwalk_bits_flags(p->bits) & PTWALK_FLAG_WRITE);
	if (ptwalk_bits_present(p->bits))
		snprintf(buf, SIDE, "physical 0x%" PRIx64 ", without access", p->value << c->shift);
	else
		snprintf(buf, SIDE, "%s", p->bits ? entry_absent(p->value, p->bits, entry) :
					    "no page is there");
	return buf;
}

static void stale_finding_json(const struct guest_cmd *c, const struct stale_page *p, size_t pages)
{
	char truth[SIDE], seen[SIDE];

	jsonw_begin("finding");
	jsonw_number("pid", c->pid);
	jsonw_text("comm", c->comm);
	if (p->slotless)
		jsonw_null("start");
	else
		jsonw_hex("start", p->hva);
	jsonw_number("pages", pages);
	jsonw_text("verdict", p->moved ? "unstable" : "mismatch");
	jsonw_text("rule", SECOND_STAGE_STALE);
	jsonw_text("source", "guest");
	jsonw_number("fd", c->fd);
	jsonw_hex("gpa", p->gpa);
	jsonw_text("truth", truth_of(c, p, truth));
	jsonw_text("seen", stage_of(c, p, seen));
	jsonw_end();
}

static void stale_finding_text(const struct guest_cmd *c, const struct stale_page *p, size_t pages)
{
	char text[SIDE];

	printf("%s%s%s: %d (", out_colour(p->moved ? OUT_WARN : OUT_BAD),
	       p->moved ? "unstable" : "mismatch", out_colour(OUT_PLAIN), (int)c->pid);
	out_text(c->comm);
	if (p->slotless)
		printf(") no address");
	else
		printf(") 0x%" PRIx64, p->hva);
	printf(", %zu page%s, %s\n", pages, plural(pages), SECOND_STAGE_STALE);
	printf("  truth     %s\n", truth_of(c, p, text));
	printf("  guest     %s at 0x%" PRIx64 " of the guest\n",
	       stage_of(c, p, text), p->gpa);
	printf("  explain   ptwalk explain %s\n", SECOND_STAGE_STALE);
	out_check();
}

/* What findings have in common that differ in their place alone. */
enum stale_sort {
	STALE_SLOTLESS,
	STALE_ABSENT,
	STALE_OTHER,
	STALE_RIGHTS,
	NR_STALE_SORTS
};

static const char *const stale_sort_words[NR_STALE_SORTS] = {
	[STALE_SLOTLESS] = "no slot is there",
	[STALE_ABSENT] = "no page is there",
	[STALE_OTHER] = "another page",
	[STALE_RIGHTS] = "the same page, with more rights",
};

static enum stale_sort stale_sort_of(const struct stale_page *p)
{
	if (p->slotless)
		return STALE_SLOTLESS;
	if (!ptwalk_bits_present(p->bits))
		return STALE_ABSENT;
	return p->value == p->frame ? STALE_RIGHTS : STALE_OTHER;
}

/* People are told the first ones that are alike. */
static void print_stale_findings(struct guest_cmd *c, const struct guest *guest, uint64_t *unstable)
{
	struct alike_places alike[2][NR_STALE_SORTS] = { 0 };

	for (size_t i = 0, nr; i < guest->wrong.nr; i += nr) {
		const struct stale_page *p = &guest->wrong.page[i];

		nr = stale_stretch(&guest->wrong, i, c->shift);
		*unstable += p->moved ? nr : 0;
		if (c->json)
			stale_finding_json(c, p, nr);
		else if (alike_places_tell(&alike[p->moved][stale_sort_of(p)], nr))
			stale_finding_text(c, p, nr);
	}
	for (unsigned int i = 0; i < NR_STALE_SORTS; i++) {
		alike_places_end(&alike[0][i], stale_sort_words[i]);
		alike_places_end(&alike[1][i], stale_sort_words[i]);
	}
}

static void stale_verdicts_json(uint64_t pages, uint64_t unstable, uint64_t mismatch)
{
	jsonw_number("pages", pages);
	jsonw_number("match", pages - unstable - mismatch);
	jsonw_number("explained", 0);
	jsonw_number("unstable", unstable);
	jsonw_number("mismatch", mismatch);
}

static void machine_json(const struct guest_cmd *c, const struct guest *guest,
			 uint64_t unstable)
{
	const struct second_stage *s = &guest->stage;

	jsonw_begin("machine");
	jsonw_number("pid", c->pid);
	jsonw_text("comm", c->comm);
	jsonw_number("fd", c->fd);
	jsonw_number("cpus", s->cpus);
	jsonw_number("second_stages", s->roots);
	jsonw_number("cpus_without", s->rootless);
	jsonw_number("cpus_shadowed", s->shadow);
	jsonw_number("cpus_nested", s->nested);
	jsonw_number("lost", s->lost);
	jsonw_number("private_pages", s->private_bytes >> c->shift);
	jsonw_number("device_pages", s->device_bytes >> c->shift);
	stale_verdicts_json(guest->wrong.pages, unstable, guest->wrong.nr - unstable);
	jsonw_end();
}

static void print_not_compared(uint64_t nr, const char *what, const char *why)
{
	if (nr)
		printf("not compared: %" PRIu64 " %s%s: %s\n", nr, what, plural(nr), why);
}

static void verdicts_text(uint64_t pages, uint64_t unstable, uint64_t mismatch)
{
	printf("%" PRIu64 " page%s compared, %" PRIu64 " match, %" PRIu64 " unstable, %" PRIu64 " mismatch\n",
	       pages, plural(pages), pages - unstable - mismatch, unstable, mismatch);
}

static void machine_text(const struct guest_cmd *c, const struct guest *guest,
			 uint64_t unstable)
{
	const struct second_stage *s = &guest->stage;

	printf("%d (", (int)c->pid);
	out_text(c->comm);
	printf("), descriptor %d: %" PRIu64 " virtual CPU%s, %" PRIu64 " second stage%s: ",
	       c->fd, s->cpus, plural(s->cpus), s->roots, plural(s->roots));
	verdicts_text(guest->wrong.pages, unstable, guest->wrong.nr - unstable);
	print_not_compared(s->rootless, "virtual CPU", "it has no tables now, as before it runs");
	print_not_compared(s->shadow, "virtual CPU",
			   "it has no second stage: KVM shadows its page tables");
	print_not_compared(s->nested, "virtual CPU",
			   "it has tables for a guest of the guest, which aren't looked at");
	print_not_compared(s->private_bytes >> c->shift, "page", "its slot has a guest_memfd");
	print_not_compared(s->device_bytes >> c->shift, "page",
			   "it is in no slot, and no memory, as a part of the GIC");
	print_not_compared(s->lost, "second stage", "it was replaced while it was read");
	out_check();
}

static int look_at_machine(int fd, void *arg)
{
	struct guest_cmd *c = arg;
	struct guest guest = { 0 };
	uint64_t unstable = 0;
	int vm = machine_open(c->pid, fd), err;

	if (vm < 0)
		return vm;
	c->fd = fd;
	err = guest_compare(&guest, c->client, vm, c->pid);
	close(vm);
	if (!err) {
		print_stale_findings(c, &guest, &unstable);
		if (c->json)
			machine_json(c, &guest, unstable);
		else
			machine_text(c, &guest, unstable);
		c->machines++;
		c->pages += guest.wrong.pages;
		c->unstable += unstable;
		c->mismatch += guest.wrong.nr - unstable;
		c->lost += guest.stage.lost;
	}
	guest_free(&guest);
	return err;
}

/* One of several machines: what is wrong with it keeps nobody from the others. */
static int look_at_each(int fd, void *arg)
{
	struct guest_cmd *c = arg;
	int err = look_at_machine(fd, c);

	if (err != -EBADF && err != -EXDEV)
		return err;
	c->unchecked++;
	fail(0, "descriptor %d: %s", fd, error_text());
	return 0;
}

static int end(const struct guest_cmd *c)
{
	if (c->json) {
		jsonw_begin("summary");
		jsonw_number("machines", c->machines);
		jsonw_number("unchecked", c->unchecked);
		stale_verdicts_json(c->pages, c->unstable, c->mismatch);
		jsonw_end();
	}
	if (!c->machines && !c->unchecked)
		return fail(EXIT_UNCHECKED, "process %d has no virtual machine of KVM open",
			    (int)c->pid);
	if (c->mismatch)
		return EXIT_MISMATCH;
	if (c->unchecked)
		return EXIT_UNCHECKED;
	if (c->unstable || c->lost)
		return EXIT_UNSTABLE;
	return c->pages ? EXIT_MATCH : fail(EXIT_UNCHECKED, "nothing to compare: no second stage maps memory of the process, as before the guest runs, or after fork(): let it run, and ask again");
}

static int take_which(struct guest_cmd *c, const char *which)
{
	const char *colon = strchr(which, ':');
	size_t length = colon ? (size_t)(colon - which) : strlen(which);
	char pid[32];
	uint64_t fd;

	snprintf(pid, sizeof(pid), "%.*s", (int)length, which);
	if (colon) {
		if (parse_decimal(colon + 1, INT_MAX, &fd))
			return error_usage("--guest '%s': give PID, or PID:FD", which);
		c->fd = fd;
	}
	return pid_take(pid, &c->pid);
}

int check_guest(const char *which, bool json)
{
	struct guest_cmd c = { .json = json, .fd = -1 };
	int err = take_which(&c, which);

	if (!err)
		err = procs_ready();
	if (!err)
		err = procs_look(c.pid);
	if (!err)
		err = client_open(&c.client);
	if (err)
		return err;
	c.shift = ptwalk_kernel(c.client)->page_shift;
	procs_comm(c.pid, c.comm, sizeof(c.comm));
	err = c.fd >= 0 ? look_at_machine(c.fd, &c) : machines_each(c.pid, look_at_each, &c);
	ptwalk_close(c.client);
	if (err && !c.machines)
		return err;
	/* What was found is told all the same. */
	if (err) {
		c.unchecked++;
		fail(0, "%s", error_text());
	}
	return end(&c);
}
