// SPDX-License-Identifier: GPL-2.0
/*
 * Lints over a process, and over those that were looked at before: of frames
 * that aren't mapped as ordinary memory is, all are remembered, so that the
 * others need to be walked again only if a process has new ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "check/examine.h"
#include "check/judge.h"
#include "check/process.h"
#include "lint/lints.h"
#include "module/client.h"
#include "pins/pins.h"
#include "proc/cpuinfo.h"
#include "proc/kpageflags.h"
#include "proc/selfmap.h"

/* So far around a range, entries outside of all VMAs are told, in bytes. */
#define BESIDE	(1ULL << 20)

/* What lasts from process to process. */
static struct {
	bool read;
	struct iomem iomem;
	struct pcibars bars;
	bool denies_exec;
	struct lint_uses uses;
	pid_t *pid;
	size_t nr_pids, max_pids;
	uint64_t absent, offsets, given, unread, busy, unproven, vfio;
	/* By whether examine_lints() had a mask. */
	uint64_t alone[2], uncounted[2];
	struct ranges judged;	/* in the process that comes next */
	struct uring_owners owners;
	struct kernel_aliases aliases;
	time_t aliases_since;
	enum { ALIASES_OLD, ALIASES_READ, ALIASES_FAILED, ALIASES_NEVER } aliases_are;
	char why_alone[192];	/* of ALIASES_FAILED */
	struct ptwalk *client;	/* of the examination under way */
} known;

/*
 * So many seconds what the kernel maps itself serves further processes. A run over all may
 * take minutes, in which drivers map and unmap.
 */
#define ALIASES_LAST	1

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* What the kernel maps itself, read only where drivers' pages are. */
static const struct kernel_aliases *kernel_aliases(void)
{
	int err;

	if (known.aliases_are == ALIASES_OLD) {
		kernel_aliases_free(&known.aliases);
		known.aliases_since = seconds_now();
		err = kernel_aliases_read(&known.aliases);
		known.aliases_are = !err ? ALIASES_READ :
				    err == -ENOTSUP ? ALIASES_NEVER : ALIASES_FAILED;
		snprintf(known.why_alone, sizeof(known.why_alone),
			 " of drivers not compared with the kernel's own mappings: %s",
			 err ? error_text() : "");
	}
	return known.aliases_are == ALIASES_READ ? &known.aliases : NULL;
}

/**
 * struct walk - a walk over a process
 * @linter: The lints, for the process under examination.
 * @pid: The process that is walked.
 * @uses: What @pass adds to, or compares with.
 * @pass: What is done with extents.
 */
struct walk {
	struct linter *linter;
	pid_t pid;
	struct lint_uses *uses;
	void (*pass)(struct walk *w, const struct ptwalk_vma *vma,
		     const struct ptwalk_extent *extents, size_t nr);
};

static int each(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
		size_t nr, void *arg)
{
	struct walk *w = arg;

	w->pass(w, vma, extents, nr);
	return 0;
}

static int walk_process(const struct examinee *x, struct walk *w)
{
	return truth_stream(x->client, w->pid, 0, UINT64_MAX, each, w);
}

static void lint_and_note(struct walk *w, const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *extents, size_t nr)
{
	lint_extents(w->linter, vma, extents, nr);
	if (!w->linter->only)
		lint_note_uses(w->linter, extents, nr, w->uses);
}

static int each_outside(const struct ptwalk_vma *gap,
			const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	lint_outside(arg, extents, nr);
	return 0;
}

static void compare_uses(struct walk *w, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *extents, size_t nr)
{
	lint_compare_uses(w->linter, w->pid, extents, nr, w->uses);
}

/* A process that was looked at before, and may have gone. */
static int compare_earlier(const struct examinee *x, struct walk *w)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < known.nr_pids; i++) {
		w->pid = known.pid[i];
		if (w->pid == x->pid)
			continue;
		err = walk_process(x, w);
		if (err == -ESRCH || err == -EBUSY)
			err = 0;
	}
	return err;
}

/* What another side has, or a block at one moment. Sets @holds. Returns 0 or a negative errno. */
static int ask_again(const struct examinee *x, const struct lint_finding *f,
		     struct truth *truth, bool *holds)
{
	const struct ptwalk_kernel *kernel = x->env->kernel;
	const bool block = f->lint == LINT_CONTIGUOUS;
	const struct range range = block ? lint_block(f, kernel) : (struct range) {
		f->other, f->other + (f->pages << kernel->page_shift) - 1
	};
	int err = truth_read(x->client, block ? x->pid : f->other_pid, range.start, range.last,
			     truth);

	*holds = !err && (block ? lint_block_holds(f, truth, kernel) :
				  lint_holds(f, truth, kernel->page_shift));
	return err;
}

/*
 * What is known of others may no longer be so, and a block may have been read in two holds
 * of the mmap lock, between which its entries were changed.
 */
static int drop_stale(const struct examinee *x, struct lint_findings *findings)
{
	struct truth truth = { 0 };
	size_t i, nr = 0;
	int err = 0;

	for (i = 0; !err && i < findings->nr; i++) {
		const struct lint_finding *f = &findings->finding[i];
		const bool of_other = f->other_pid && f->other_pid != x->pid;
		bool holds = true;

		if (of_other || f->lint == LINT_CONTIGUOUS)
			err = ask_again(x, f, &truth, &holds);
		if (of_other && (err == -ESRCH || err == -EBUSY))
			err = 0;
		if (holds)
			findings->finding[nr++] = *f;
	}
	findings->nr = nr;
	truth_free(&truth);
	return err;
}

/*
 * What a driver has mapped too much lies beside the mapping. A process may be so
 * busy that its mmap lock can't be had for writing; the rest is told all the same.
 */
static int outside(const struct examinee *x, struct linter linter)
{
	struct ranges wide = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < x->ranges->nr; i++) {
		const struct range *r = &x->ranges->range[i];

		err = ranges_add(&wide, r->start - (r->start < BESIDE ? r->start : BESIDE),
				 UINT64_MAX - r->last < BESIDE ? UINT64_MAX :
				 r->last + BESIDE);
	}
	if (!err)
		err = ranges_merge(&wide);
	if (err)
		err = error_no_memory();
	linter.ranges = &wide;
	for (size_t i = 0; !err && i < wide.nr; i++)
		err = truth_outside(x->client, x->pid, wide.range[i].start,
				    wide.range[i].last, each_outside, &linter);
	ranges_free(&wide);
	linter.out->unread = err == -EBUSY || err == -EOPNOTSUPP;
	return linter.out->unread ? 0 : err;
}

static bool read_linted_pages(const uint64_t *pfns, size_t nr, struct ptwalk_page *pages)
{
	return !ptwalk_frames(known.client, pfns, nr, pages);
}

/*
 * One round: the lints, then the same frames in this process, in what is
 * known of others, and in the others themselves.
 */
static int lint_round(const struct examinee *x, uint32_t only,
		      struct lint_uses *uses, struct lint_findings *findings)
{
	struct linter linter = {
		.kernel = x->env->kernel,
		.iomem = &known.iomem,
		.bars = &known.bars,
		.pid = x->pid,
		.ranges = x->ranges,
		.judged = &known.judged,
		.frame_flags = frameflags_read,
		.free_flags = frameflags_read_free,
		.kernel_aliases = kernel_aliases,
		.frame_pages = read_linted_pages,
		.only = only,
		.denies_exec = known.denies_exec,
		.out = findings,
	};
	struct walk w = {
		.linter = &linter,
		.pid = x->pid,
		.uses = uses,
		.pass = lint_and_note,
	};
	int err;

	known.client = x->client;
	uses->nr = 0;
	findings->nr = 0;
	findings->pages = 0;
	findings->absent = 0;
	findings->offsets = 0;
	findings->alone = 0;
	findings->uncounted = 0;
	findings->given = 0;
	findings->unread = false;
	err = walk_process(x, &w);
	if (err)
		return err;
	lint_end(&linter);
	if (!only) {
		err = outside(x, linter);
		if (err)
			return err;
	}
	lint_sort_uses(uses);
	w.pass = compare_uses;
	if (uses->nr)
		err = walk_process(x, &w);
	if (!err && !only && known.uses.nr) {
		w.uses = &known.uses;
		err = walk_process(x, &w);
		w.uses = uses;
	}
	if (!err && uses->nr)
		err = compare_earlier(x, &w);
	if (!err && (findings->failed || uses->failed))
		return error_no_memory();
	lint_sort(findings);
	return err ? err : drop_stale(x, findings);
}

static void tell_lint_findings(const struct examinee *x, const struct lint_findings *findings,
			       enum verdict verdict)
{
	struct remark remark = { .verdict = verdict };
	size_t i;

	for (i = 0; i < findings->nr; i++) {
		const struct lint_finding *f = &findings->finding[i];

		remark.start = f->addr;
		remark.pages = f->pages;
		remark.rule = lint_name[f->lint];
		remark.has_found = true;
		remark.found = f->value << x->env->kernel->page_shift;
		lint_found(f, x->env->kernel, remark.truth);
		lint_against(f, x->env->kernel, remark.seen);
		examine_remark(x, &remark);
	}
}

/* Of a registered buffer what the ranges have; false: nothing. */
static bool clip_buffer(const struct range *range, const struct pin_stretch *s,
			unsigned int shift, struct pin_stretch *part)
{
	const uint64_t end = s->addr + (s->pages << shift) - 1;
	const uint64_t start = range->start & ~((1ULL << shift) - 1);

	if (end < start || s->addr > range->last)
		return false;
	*part = *s;
	if (start > s->addr) {
		part->addr = start;
		part->value += (start - s->addr) >> shift;
	}
	part->pages = (((end < range->last ? end : range->last) - part->addr) >> shift) + 1;
	return true;
}

static void tell_pins(const struct examinee *x, const struct pin_stretches *wrong,
		      enum verdict verdict)
{
	const unsigned int shift = x->env->kernel->page_shift;
	struct pin_stretch part;

	for (size_t i = 0; i < wrong->nr; i++)
		for (size_t j = 0; j < x->ranges->nr; j++) {
			struct remark remark = {
				.verdict = verdict, .rule = PINNED_REPLACED,
			};

			if (!clip_buffer(&x->ranges->range[j], &wrong->stretch[i], shift, &part))
				continue;
			remark.start = part.addr;
			remark.pages = part.pages;
			remark.has_found = part.state == PIN_REPLACED;
			remark.found = part.value << shift;
			pin_stretch_found(&part, shift, remark.truth);
			pin_stretch_against(&part, remark.seen);
			examine_remark(x, &remark);
		}
}

/* Memory that io_uring holds, and that the process has no more. */
static int lint_pins(const struct examinee *x)
{
	struct pins pins = { 0 };
	int err = pins_read(&pins, x->client, x->pid, &known.owners, examine_stop(x));

	for (size_t i = 0; pins.seen && i < pins.nr; i++) {
		const struct pinned_ring *ring = &pins.ring[i];

		tell_pins(x, &ring->wrong, VERDICT_MISMATCH);
		tell_pins(x, &ring->open, VERDICT_UNSTABLE);
		known.busy += ring->ring.state == URING_BUSY ||
			      ring->ring.state == URING_STRANGE || pins_untold(ring);
		known.unproven += ring->unproven;
	}
	known.vfio += pins.vfio;
	pins_free(&pins);
	return err ? err : examine_stopped(x);
}

/* Something was found by what the kernel maps itself, which it may have no more. */
static bool tells_of_kernel(const struct lint_findings *findings)
{
	for (size_t i = 0; i < findings->nr; i++)
		if (findings->finding[i].lint == LINT_TWO_TYPES && !findings->finding[i].other_pid)
			return true;
	return false;
}

/* What is found must be found again and again: memory may be on the move. */
static int lint_process(const struct examinee *x, uint32_t only,
			struct lint_uses *uses, struct lint_findings found[2])
{
	unsigned int round, same = 0;
	int err;

	for (round = 0; round < x->retries && same < JUDGE_ROUNDS; round++) {
		struct lint_findings *now = &found[round % 2];

		/* Else what the kernel maps serves all rounds. */
		if (known.aliases_are == ALIASES_READ &&
		    (round ? tells_of_kernel(&found[!(round % 2)]) :
			     seconds_now() > known.aliases_since + ALIASES_LAST))
			known.aliases_are = ALIASES_OLD;
		pause_before_round(round);
		err = lint_round(x, only, uses, now);
		if (err)
			return err;
		same = judge_same(same, now->nr,
				  lint_same(now, &found[!(round % 2)]));
	}
	tell_lint_findings(x, &found[!(round % 2)],
			   same < JUDGE_ROUNDS ? VERDICT_UNSTABLE : VERDICT_MISMATCH);
	return 0;
}

/* For the processes to come. */
static void remember_uses(const struct examinee *x, const struct lint_uses *uses)
{
	struct lint_uses *all = &known.uses;
	size_t i;

	known.pid = process_grow(known.pid, &known.max_pids, known.nr_pids,
				 sizeof(*known.pid));
	known.pid[known.nr_pids++] = x->pid;
	for (i = 0; i < uses->nr; i++) {
		all->use = process_grow(all->use, &all->max, all->nr,
					sizeof(*all->use));
		all->use[all->nr++] = uses->use[i];
	}
	lint_sort_uses(all);
}

/* Of the page of a mapping of ours at @addr: how far its device's memory goes, or 0. */
static int device_rest(const struct examinee *x, uint64_t addr, uint64_t *rest,
		       struct ptwalk_extent *first, char text[LINT_TEXT])
{
	const struct linter linter = {
		.kernel = x->env->kernel, .iomem = &known.iomem, .bars = &known.bars,
	};
	struct truth truth = { 0 };
	int err = truth_read(x->client, x->pid, addr, addr, &truth);

	*rest = 0;
	*first = (struct ptwalk_extent){ 0 };
	if (!err && truth.nr_vmas && truth.nr_extents) {
		*first = truth.extents[0];
		*rest = lint_device_rest(&linter, &truth.vmas[0], first, text);
	}
	truth_free(&truth);
	return err;
}

/* Whether the page of a mapping of ours at @addr is the frame @pfn. */
static int maps_frame(const struct examinee *x, uint64_t addr, uint64_t pfn, bool *is)
{
	struct ptwalk_extent e;
	char text[LINT_TEXT];
	uint64_t rest;
	int err = device_rest(x, addr, &rest, &e, text);

	*is = !err && ptwalk_bits_present(e.bits) && e.value == pfn;
	return err;
}

/* A table entry a page: what a driver that compares nothing makes of more may be too much. */
#define LONGEST_ASKED	(1ULL << 30)

/* Whether a driver maps @length bytes at @offset, the last page of which is the frame @pfn. */
static int lint_maps_too(const struct examinee *x, const struct selfmap *map,
			 uint64_t offset, uint64_t length, uint64_t pfn, bool *is)
{
	const uint64_t page = 1ULL << x->env->kernel->page_shift;
	struct selfmap another;
	int err;

	*is = false;
	if (length > LONGEST_ASKED)
		return 0;
	err = selfmap_another(map, offset, length, &another);
	if (err == -EBUSY || err == -ENOMEM || err == -EAGAIN || err == -EMFILE || err == -ENFILE)
		check_warn(x->process->check, "%s cannot be opened and mapped once more (%s): whether a longer mapping goes past the end of its device is not known",
			   map->file, strerror(-err));
	if (err)
		return 0;
	err = maps_frame(x, (uintptr_t)another.addr + length - page, pfn, is);
	selfmap_unmap(&another);
	return err;
}

/*
 * Whether a driver maps more than its device has: the last page of the device's memory and
 * the one behind, or, of a driver that refuses this offset, all of the rest and a page.
 */
static int lint_longer(const struct examinee *x, const struct selfmap *map)
{
	const unsigned int shift = x->env->kernel->page_shift;
	const uint64_t page = 1ULL << shift;
	struct remark remark = {
		.verdict = VERDICT_MISMATCH,
		.start = (uintptr_t)map->addr,
		.pages = map->length >> shift,
		.rule = lint_name[LINT_PAST_RESOURCE],
		.has_found = true,
	};
	struct ptwalk_extent first;
	char text[LINT_TEXT];
	uint64_t rest, offset, length, behind;
	bool is;
	int err = device_rest(x, (uintptr_t)map->addr, &rest, &first, text);

	rest = (rest + page - 1) & ~(page - 1);
	if (err || !rest || map->length > rest)
		return err;
	behind = first.value + (rest >> shift);
	offset = map->offset + rest - page;
	length = 2 * page;
	err = lint_maps_too(x, map, offset, length, behind, &is);
	if (!err && !is) {
		offset = map->offset;
		length = rest + page;
		err = lint_maps_too(x, map, offset, length, behind, &is);
	}
	if (err || !is)
		return err;
	remark.found = behind << shift;
	snprintf(remark.truth, sizeof(remark.truth),
		 "0x%" PRIx64 " bytes at offset 0x%" PRIx64 " of the file can be mapped, to physical 0x%" PRIx64,
		 length, offset, remark.found);
	snprintf(remark.seen, sizeof(remark.seen),
		 "a longer mapping goes past the end of %.128s: the driver compares no length",
		 text);
	examine_remark(x, &remark);
	return 0;
}

/* Where ptwalk_kernel can't be, there is nothing to be done about it. */
static void count_unknown(const struct lint_findings *found, bool masked)
{
	known.alone[masked] += known.aliases_are == ALIASES_FAILED ? found->alone : 0;
	known.uncounted[masked] += found->uncounted;
}

/* Of all of a process much is empty; who asks about a mapping wants to know. */
static void count_lint_pages(const struct examinee *x, const struct lint_findings *found)
{
	examine_compared(x, found->pages);
	if (!found->pages && found->absent)
		examine_none(x, "nothing is present there");
	known.absent += x->whole ? 0 : found->absent;
	known.offsets += found->offsets;
	known.given += found->given;
	known.unread += found->unread;
}

int lint_offsets_judged(const struct ranges *ranges)
{
	int err = 0;

	for (size_t i = 0; !err && i < ranges->nr; i++)
		err = ranges_add(&known.judged, ranges->range[i].start,
				 ranges->range[i].last);
	return err ? error_no_memory() : 0;
}

static int read_machine(const struct ptwalk_kernel *kernel)
{
	int err;

	iomem_read(&known.iomem);
	err = pcibars_read(&known.bars);
	if (!err)
		err = noexec_read(kernel, &known.denies_exec);
	known.read = !err;
	return err;
}

static int examine_in_order(const struct examinee *x, uint32_t only)
{
	struct lint_findings found[2] = { 0 };
	struct lint_uses uses = { 0 };
	int err;

	err = known.read ? 0 : read_machine(x->env->kernel);
	if (err)
		return err;
	err = lint_process(x, only, &uses, found);
	if (!err && !only)
		err = lint_pins(x);
	if (!err && !only) {
		count_lint_pages(x, &found[0]);
		remember_uses(x, &uses);
	}
	if (!err)
		count_unknown(&found[0], only);
	if (!only)
		ranges_free(&known.judged);
	free(uses.use);
	free(found[0].finding);
	free(found[1].finding);
	return err;
}

/* As they were typed, ranges may descend; what is in a row is looked for upwards. */
int examine_lints(const struct examinee *x, uint32_t only)
{
	struct ranges ascending;
	struct examinee in_order = *x;
	int err;

	if (ranges_copy(x->ranges, &ascending))
		return error_no_memory();
	ranges_sort(&ascending);
	in_order.ranges = &ascending;
	err = examine_in_order(&in_order, only);
	ranges_free(&ascending);
	return err;
}

static int examine(const struct examinee *x)
{
	const int err = examine_lints(x, 0);

	return err || !x->arg ? err : lint_longer(x, x->arg);
}

/* So many of something, which weren't looked at. */
struct part {
	uint64_t nr;
	const char *what, *more;
};

static void parts_text(const struct part *parts, size_t nr, char *buf, size_t size)
{
	size_t at = 0;

	*buf = '\0';
	for (size_t i = 0; i < nr && at < size; i++)
		if (parts[i].nr)
			at += snprintf(buf + at, size - at, "%s%" PRIu64 " %s%s%s",
				       at ? "; " : "", parts[i].nr, parts[i].what,
				       parts[i].nr == 1 ? "" :
				       !strcmp(parts[i].what, "process") ? "es" : "s",
				       parts[i].more);
}

#define WHY_UNCOUNTED \
	" of drivers may be free, or freed while they are mapped: the module is older than this program, or told nothing of them"

static void sum_text(char *buf, size_t size)
{
	const struct part parts[] = {
		{ known.unread, "process",
		  " not read outside of its mappings: it was busy, or the module is older than this program" },
		{ known.absent, "page",
		  " not present, and so not looked at (a driver may map them when they are touched: --map with --touch)" },
		{ known.offsets, "mapping",
		  " of a driver at an offset: whether the driver ignores it shows only with --map FILE:OFFSET:LENGTH and --expect any:LENGTH" },
		{ known.given, "page",
		  " of drivers with as many references as mappings: unmapping frees what the driver may still use, unless it has given it away (a fault handler without get_page()?)" },
		{ known.alone[false], "page", known.why_alone },
		{ known.uncounted[false], "page", WHY_UNCOUNTED },
		{ known.busy, "ring",
		  " of io_uring not read, or not all of it judged: somebody worked with it each time, it lists what isn't understood, or another process that has it couldn't be read (ptwalk pins)" },
		{ known.unproven, "page",
		  " of io_uring that looked replaced, but not so often that it is sure (ptwalk pins)" },
		{ known.vfio, "process",
		  " with VFIO or iommufd: what its devices have of its memory isn't compared (ptwalk pins DEVICE)" },
	};

	parts_text(parts, sizeof(parts) / sizeof(parts[0]), buf, size);
}

static void sum_json(void)
{
	jsonw_number("absent", known.absent);
	jsonw_number("offsets_not_judged", known.offsets);
	jsonw_number("given_away", known.given);
	jsonw_number("outside_not_read", known.unread);
	jsonw_number("rings_not_read", known.busy);
	jsonw_number("pins_not_proven", known.unproven);
	jsonw_number("vfio_not_compared", known.vfio);
	jsonw_number("kernel_not_compared", known.alone[false]);
	jsonw_number("frames_not_read", known.uncounted[false]);
}

void lints_for_expect_text(char *buf, size_t size)
{
	const struct part parts[] = {
		{ known.alone[true], "page", known.why_alone },
		{ known.uncounted[true], "page", WHY_UNCOUNTED },
	};

	parts_text(parts, sizeof(parts) / sizeof(parts[0]), buf, size);
}

void lints_for_expect_json(void)
{
	jsonw_number("kernel_not_compared", known.alone[true]);
	jsonw_number("frames_not_read", known.uncounted[true]);
}

const struct examination examination_lint = {
	.name = "lint",
	.help = "mappings that are wrong whatever their driver meant",
	.wanted = true,
	.examine = examine,
	.sum_text = sum_text,
	.sum_json = sum_json,
};
