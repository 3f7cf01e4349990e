// SPDX-License-Identifier: GPL-2.0
/*
 * The host's side of scripts/oracle, which has its head comment: reads what
 * the guest prints, looks for it in the guest's memory and asks QEMU's monitor,
 * and prints TAP.
 *
 *   oracle ARCH MONITOR SEED SHIFT NAME=PATH...
 *
 * ARCH is Debian's name, MONITOR a socket, SEED what the guest was given, SHIFT
 * a number of pages by which all of ptwalk's addresses are made wrong, and
 * NAME=PATH a memory of the guest and the file that has it. The first of them
 * is its RAM.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../selftests/lib/pattern.h"
#include "bytes.h"
#include "layout.h"
#include "monitor.h"
#include "report.h"
#include "tables.h"
#include "tap.h"

/* A word that is no address. */
#define UNMAPPED	UINT64_MAX

static struct report report;
static struct layout layout;
static struct monitor *monitor;
static const char *arch;
static uint64_t seed;

/**
 * struct tally - how many pages of a kind
 * @ram: Were found in RAM.
 * @device: In memory or registers of a device.
 * @told: What the monitor said is the same.
 * @told_device: That, of addresses of devices.
 * @holes: Nothing is mapped, as the monitor says, too.
 * @wrong: Are elsewhere.
 */
struct tally {
	unsigned int ram, device, told, told_device, holes, wrong;
};

/* Where a page is, as ptwalk says; UNMAPPED if nowhere. */
static uint64_t phys_of(const struct page *p, const struct extent **extent)
{
	*extent = report_extent(&report, p->pid, p->addr);
	return *extent ? (*extent)->phys + (p->addr - (*extent)->start) : UNMAPPED;
}

static bool in_ram(uint64_t phys)
{
	const struct region *r = layout_find(&layout, phys);

	return r && !strcmp(r->name, layout.file[0].name);
}

static uint64_t gpa_of(uint64_t addr)
{
	const char *text = monitor_ask(monitor, "gva2gpa 0x%" PRIx64, addr);

	return strncmp(text, "gpa: ", 5) ? UNMAPPED : strtoull(text + 5, NULL, 16);
}

static void tell_wrong(const struct page *p, uint64_t phys, const char *why)
{
	tap_note("%s: %#" PRIx64 " of process %d, at %#" PRIx64 " by ptwalk: %s",
		 report.kind[p->kind].name, p->addr, p->pid, phys, why);
}

/* Found, wrong, or nothing to be found. */
static const char *judge_bytes(const struct page *p, uint64_t phys)
{
	if (p->content == CONTENT_ANY)
		return NULL;
	if (phys == UNMAPPED)
		return "there is a page";
	return bytes_wrong(&layout, monitor, seed, p, phys, report.page_size);
}

static const char *judge_told(const struct extent *e, uint64_t phys, uint64_t gpa)
{
	static char why[80];

	/* A processor can't tell what the kernel has hidden from it. */
	if (e && e->prot_none)
		phys = UNMAPPED;
	if (gpa == phys)
		return NULL;
	if (gpa == UNMAPPED)
		return "the monitor says that nothing is mapped";
	snprintf(why, sizeof(why), "the monitor says %#" PRIx64, gpa);
	return why;
}

static void judge(const struct page *p, struct tally *t)
{
	const struct extent *e;
	uint64_t phys = phys_of(p, &e), gpa;
	const char *why = judge_bytes(p, phys);

	if (why) {
		if (!t->wrong++)
			tell_wrong(p, phys, why);
	} else if (p->content != CONTENT_ANY) {
		t->ram += in_ram(phys);
		t->device += !in_ram(phys);
	}
	if (p->pid != report.pid)
		return;
	gpa = gpa_of(p->addr);
	why = judge_told(e, phys, gpa);
	if (why) {
		if (!t->wrong++)
			tell_wrong(p, phys, why);
	} else if (gpa == UNMAPPED) {
		t->holes++;
	} else {
		t->told++;
		t->told_device += !in_ram(phys);
	}
}

static void add(struct tally *to, const struct tally *t)
{
	to->ram += t->ram;
	to->device += t->device;
	to->told += t->told;
	to->told_device += t->told_device;
	to->holes += t->holes;
	to->wrong += t->wrong;
}

static void judge_kinds(void)
{
	unsigned int ram = 0, device = 0, told = 0;
	struct tally sum = { 0 };

	for (size_t i = 0; i < report.nr_kinds; i++) {
		const struct kind *k = &report.kind[i];
		struct tally t = { 0 };

		if (*k->lacks) {
			tap_result(true, "%s # SKIP %s%s", k->name,
				   k->broken ? "not to be had beside the others: " : "", k->lacks);
			continue;
		}
		for (size_t j = 0; j < report.nr_pages; j++)
			if (report.page[j].kind == i)
				judge(&report.page[j], &t);
		tap_result(!t.wrong && t.ram + t.device + t.told + t.holes,
			   "%s: %u pages in RAM, %u of devices, %u addresses and %u holes by the monitor",
			   k->name, t.ram, t.device, t.told, t.holes);
		ram += !!t.ram;
		device += !!t.device;
		told += !!t.told;
		add(&sum, &t);
	}
	tap_result(ram, "pages in RAM");
	tap_note("oracle: %u pages of %u kinds of mapping found in RAM, %u wrong", sum.ram,
		 ram, sum.wrong);
	tap_note("oracle: %u pages of %u kinds of mapping found in devices", sum.device, device);
	tap_note("oracle: %u addresses of %u kinds of mapping by QEMU's monitor, %u of them of devices",
		 sum.told, told, sum.told_device);
	tap_note("oracle: %u pages that are not there, by QEMU's monitor", sum.holes);
}

/* On a machine where RAM has a hole, this is about both sides of it. */
static void judge_hole(void)
{
	unsigned int regions[MAX_REGIONS] = { 0 }, sides[2] = { 0 };
	const struct extent *e;

	for (size_t i = 0; i < report.nr_pages; i++) {
		uint64_t phys = phys_of(&report.page[i], &e);
		const struct region *r = phys == UNMAPPED ? NULL : layout_find(&layout, phys);

		if (r && in_ram(phys) && report.page[i].content != CONTENT_ANY)
			regions[r - layout.region]++;
	}
	for (size_t i = 0; i < layout.nr; i++)
		sides[layout.region[i].start != layout.region[i].offset] += regions[i];
	if (!strcmp(arch, "amd64"))
		tap_result(sides[0] && sides[1],
			   "both sides of the hole in RAM: %u pages below, %u above", sides[0],
			   sides[1]);
}

/* Of each kind, and of all: what is wrong by a page is found wrong. */
static void judge_shifted(void)
{
	unsigned int pages = 0, by_bytes = 0, addresses = 0, by_monitor = 0, missed = 0;
	const struct extent *e;

	for (size_t i = 0; i < report.nr_pages; i++) {
		const struct page *p = &report.page[i];
		uint64_t phys = phys_of(p, &e), gpa;

		if (phys == UNMAPPED)
			continue;
		for (int up = 0; up <= 1; up++) {
			uint64_t shifted = up ? phys + report.page_size :
						phys - report.page_size;

			if (p->content == CONTENT_PATTERN) {
				pages++;
				if (judge_bytes(p, shifted))
					by_bytes++;
				else if (!missed++)
					tell_wrong(p, shifted, "not found to be wrong");
			}
			if (p->pid != report.pid || e->prot_none || i % 16)
				continue;
			addresses++;
			gpa = gpa_of(p->addr);
			by_monitor += !!judge_told(e, shifted, gpa);
		}
	}
	tap_result(pages && by_bytes == pages,
		   "made wrong by a page: %u of %u told by their bytes", by_bytes, pages);
	tap_result(addresses && by_monitor == addresses,
		   "made wrong by a page: %u of %u told by the monitor", by_monitor, addresses);
}

static void judge_tables(void)
{
	unsigned int found = 0, walks = 0, told = 0, altered = 0;
	uint64_t root = 0;
	const char *cr3, *why;
	bool good = true;

	if (!tables_known(arch))
		return;
	if (!strcmp(arch, "amd64")) {
		cr3 = strstr(monitor_ask(monitor, "info registers"), "CR3=");
		root = cr3 ? strtoull(cr3 + 4, NULL, 16) & 0x000ffffffffff000 : 0;
	}
	for (size_t i = 0; i < report.nr_walks; i++) {
		struct walk w = report.walk[i];
		unsigned int none = 0;

		why = tables_wrong(&layout, &report, arch, &w, root, &found);
		if (why) {
			tap_note("%s", why);
			good = false;
		}
		walks++;
		for (int level = 0; level < LEVELS - !root; level++) {
			if (!w.has[level])
				continue;
			altered++;
			w.entry[level] ^= 1ULL << 13;
			told += !!tables_wrong(&layout, &report, arch, &w, root, &none);
			w.entry[level] ^= 1ULL << 13;
		}
	}
	tap_result(good && found,
		   "raw entries of tables: %u of %u walks, found in RAM%s", found, walks,
		   root ? ", from CR3 on" : "");
	tap_result(altered && told == altered, "raw entries made wrong: %u of %u told", told,
		   altered);
}

/* One of the entries made wrong, in each way that shows. */
static void judge_altered_tlb(struct tlb *tlb, size_t nr)
{
	unsigned int told = 0, altered = 0;

	for (size_t i = 0; i < nr; i += 1 + nr / 16) {
		const struct tlb saved = tlb[i];

		tlb[i].phys ^= report.page_size;
		told += tlb_compare(&report, tlb, nr, true) == 1;
		altered++;
		tlb[i] = saved;
		for (int f = 0; f < 9; f++) {
			const struct extent *e = report_extent(&report, report.pid, saved.addr);

			/* What is read-only is dirty in two ways. */
			if (f == 3 && e && e->dirty && !e->write)
				continue;
			tlb[i].flags[f] = saved.flags[f] == '-' ? "XGPDACTUW"[f] : '-';
			told += tlb_compare(&report, tlb, nr, true) == 1;
			altered++;
			tlb[i] = saved;
		}
	}
	told += tlb_compare(&report, tlb, nr - 1, true) == 1;
	told += tlb_compare(&report, tlb + 1, nr - 1, true) == 1;
	altered += 2;
	tap_result(told == altered, "info tlb made wrong: %u of %u told", told, altered);
}

static void judge_tlb(void)
{
	struct tlb *tlb;
	unsigned int n;
	size_t nr;

	if (strcmp(arch, "amd64"))
		return;
	nr = tlb_parse(monitor_ask(monitor, "info tlb"), &tlb);
	n = tlb_compare(&report, tlb, nr, false);
	tap_result(nr && !n, "info tlb: %zu entries of the process, %u differ in address or flags",
		   nr, n);
	if (nr && !n)
		judge_altered_tlb(tlb, nr);
	free(tlb);
}

/* Stops the machine while the program runs on its processor. */
static bool catch(void)
{
	uint64_t words[2], gpa;

	for (int tries = 0; tries < 500; tries++) {
		monitor_execute(monitor, "stop");
		gpa = gpa_of(report.mailbox);
		if (gpa != UNMAPPED && layout_read(&layout, gpa, words, sizeof(words)) &&
		    le64toh(words[0]) == PATTERN_MARK && le64toh(words[1]) == ~seed)
			return true;
		monitor_execute(monitor, "cont");
		usleep(20000);
	}
	return false;
}

enum { END = 1, AGAIN };

/* Lets the program go on. */
static void release(uint64_t what)
{
	what = htole64(what);
	layout_write(&layout, gpa_of(report.mailbox) + 3 * sizeof(what), &what, sizeof(what));
	monitor_execute(monitor, "cont");
}

static int bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	return 1;
}

int main(int argc, char **argv)
{
	int rounds;
	long shift;

	if (argc < 6)
		return bail_out("usage: oracle ARCH MONITOR SEED SHIFT NAME=PATH...");
	arch = argv[1];
	seed = strtoull(argv[3], NULL, 16);
	shift = strtol(argv[4], NULL, 10);
	for (int i = 5; i < argc; i++)
		if (!layout_add_file(&layout, argv[i]))
			return bail_out("a file of the guest's memory can't be opened");

	/*
	 * The kernel may have cleared an accessed bit since it was printed. What
	 * is wrong is so again.
	 */
	for (rounds = shift ? 1 : 3; rounds; rounds--) {
		report_read(&report, stdin);
		if (!report.held)
			return bail_out("the guest's program did not get as far as to hold still");
		if (!monitor)
			monitor = monitor_open(argv[2]);
		if (!monitor)
			return bail_out("QEMU's monitor doesn't answer");
		layout_parse(&layout, monitor_ask(monitor, "info mtree -f"));
		if (!catch())
			return bail_out("the program isn't on the processor");
		for (size_t i = 0; i < report.nr_extents; i++)
			report.extent[i].phys += shift * report.page_size;
		tap_begin();
		judge_kinds();
		judge_hole();
		judge_tables();
		judge_tlb();
		if (!shift)
			judge_shifted();
		if (tap_good())
			break;
		if (rounds > 1)
			release(AGAIN);
	}
	if (tap_good() && !shift && rounds < 3)
		tap_note("%d looks before had differences, which were gone at the next",
			 3 - rounds);
	release(END);
	monitor_close(monitor);
	/* The guest ends. */
	while (getchar() != EOF)
		;
	tap_print();
	return tap_good() ? 0 : 1;
}
