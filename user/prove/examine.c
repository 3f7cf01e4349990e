// SPDX-License-Identifier: GPL-2.0
/*
 * The proof by the bytes: what the process sees at a virtual address must be
 * what the kernel has at the physical one. Neither way is ours: the one is
 * /proc/PID/mem, the other /proc/kcore.
 *
 * A first pass reads each side once, and takes what is equal. What isn't is
 * looked at again: truth, virtual, physical, virtual, physical, truth; until
 * the page is the same, or some of its words were not, and were what they were,
 * in each of PROVE_ROUNDS rounds in a row in which the page tables held still.
 *
 * Only what is present is read: a read of /proc/PID/mem would fault the rest in.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "claims/claims.h"
#include "prove/prove.h"

static const struct {
	const char *name;	/* for programs */
	const char *text;
} reasons[NR_REASONS] = {
	[ELSEWHERE] = { "not-in-memory",
			"not in memory (swapped out, migrating, failed)" },
	[NOT_RAM] = { "not-ram", "no RAM (a device's memory, or nothing)" },
	[NOT_READ] = { "not-read",
		       "in a VM_IO or VM_PFNMAP mapping of another process" },
	[NEVER_ENDS] = { "never-ends",
			 "huge pages in PROT_NONE that PUDs map, where a read may never end" },
	[REFUSED] = { "refused", "refused by /proc/PID/mem (special, secret, inaccessible)" },
	[NOT_IN_KCORE] = { "not-in-kcore", "not in /proc/kcore" },
	[FAILED_MEMORY] = { "failed-memory",
			    "failed or offline memory, shown as zeros" },
	[OUR_OWN] = { "own", "ptwalk's own buffers and stack" },
	[NOT_THERE] = { "not-there", "not mapped, or no longer" },
	[CLAIMED_ABSENT] = { "claimed-absent",
			     "claimed not to be mapped, which no bytes show" },
};

/* Of all processes, for the end of the report. */
static struct {
	struct kcore kcore;
	uint64_t proven;
	uint64_t why_not[NR_REASONS];
	struct bytes_seen seen;
} all;

static const char *probe(const struct examination *self)
{
	static const char *why;
	static bool probed;

	if (!probed)
		why = kcore_open(&all.kcore);
	probed = true;
	return why;
}

/*
 * A read by /proc/PID/mem of a page that a PUD maps without any access doesn't end on
 * x86-64 since Linux 6.10, but for SIGKILL: Documentation/kernel-bugs/gup-pud-prot-none.txt
 */
static bool may_never_end(uint64_t bits, const struct ptwalk_vma *vma)
{
	return ptwalk_bits_level(bits) > PTWALK_LEVEL_PMD && vma &&
	       !(vma->flags & (PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |
			       PTWALK_VMA_FLAG_EXEC));
}

/*
 * VM_IO and VM_PFNMAP memory isn't read through /proc/PID/mem: where a driver
 * allows that, it may map a device's registers anew, and reading those can do
 * anything. What is mapped into ourselves, and is RAM, we may read.
 */
bool prove_has_bytes(const struct prover *p, uint64_t bits,
		     const struct ptwalk_vma *vma, enum reason *why)
{
	bool driver = vma && vma->flags & (PTWALK_VMA_FLAG_PFNMAP |
					   PTWALK_VMA_FLAG_IO);

	*why = CAN_BE_READ;
	switch (ptwalk_bits_kind(bits)) {
	case PTWALK_KIND_PRESENT:
		break;
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_NO_VMA:
	case PTWALK_KIND_MARKER:
		return false;
	default:
		*why = ELSEWHERE;
		return true;
	}
	if (!(ptwalk_bits_flags(bits) & PTWALK_FLAG_RAM))
		*why = NOT_RAM;
	else if (driver && !p->peek.self)
		*why = NOT_READ;
	else if (may_never_end(bits, vma))
		*why = NEVER_ENDS;
	return true;
}

bool prove_is_special(uint64_t bits, const struct ptwalk_vma *vma)
{
	return (vma && vma->flags & (PTWALK_VMA_FLAG_PFNMAP |
				     PTWALK_VMA_FLAG_IO)) ||
	       ptwalk_bits_flags(bits) & PTWALK_FLAG_SPECIAL;
}

static size_t read_physical(struct prover *p, uint64_t paddr, size_t nr,
			    char *buf)
{
	ssize_t got = kcore_read(p->kcore, paddr, buf, nr * p->page_size);

	return got < 0 ? 0 : got / p->page_size;
}

void prove_leave_out(struct prover *p, enum reason why, uint64_t pages)
{
	p->why_not[why] += pages;
	all.why_not[why] += pages;
}

void prove_page(struct prover *p, uint64_t frame, const char *bytes)
{
	p->proven++;
	all.proven++;
	if (!bytes_see(&all.seen, frame, bytes, p->page_size))
		exit_no_memory();
}

static struct target *add_suspect(struct prover *p, uint64_t addr)
{
	if (!array_room(&p->suspect, &p->max, p->nr + 1, sizeof(*p->suspect)))
		exit_no_memory();
	p->suspect[p->nr] = (struct target){ .addr = addr };
	return &p->suspect[p->nr++];
}

/* Compares pages in a row, both ways in a row; at most PEEK_BYTES of them. */
static void compare_batch(struct prover *p, uint64_t addr, uint64_t frame,
			  size_t nr, bool special)
{
	size_t i, virt, phys;
	uint64_t offset;
	bool refused;

	while (nr) {
		virt = peek_virtual(&p->peek, addr, nr, special, p->peek.virt[0],
				    &refused);
		phys = read_physical(p, frame * p->page_size, virt,
				     p->peek.phys[0]);
		for (i = 0; i < virt; i++) {
			uint64_t at = addr + i * p->page_size;
			const char *bytes = p->peek.virt[0] + i * p->page_size;

			if (peek_is_own(&p->peek, at))
				prove_leave_out(p, OUR_OWN, 1);
			else if (i < phys &&
				 !memcmp(bytes, p->peek.phys[0] + i * p->page_size,
					 p->page_size))
				prove_page(p, frame + i, bytes);
			else if (!kcore_find(p->kcore, (frame + i) *
					     p->page_size, &offset))
				prove_leave_out(p, NOT_IN_KCORE, 1);
			else
				add_suspect(p, at);
		}
		if (!virt) {
			if (refused)
				prove_leave_out(p, REFUSED, 1);
			else
				add_suspect(p, addr);
			virt = 1;
		}
		addr += virt * p->page_size;
		frame += virt;
		nr -= virt;
	}
}

static int prove_extents(const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	struct prover *p = arg;
	const size_t most = PEEK_BYTES / p->page_size;
	uint64_t done, n;
	enum reason why;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];

		if (!prove_has_bytes(p, e->bits, vma, &why))
			continue;
		/* It will soon be there. */
		if (ptwalk_bits_kind(e->bits) == PTWALK_KIND_MIGRATION) {
			for (n = 0; n < e->pages; n++)
				add_suspect(p, e->addr + n * p->page_size);
			continue;
		}
		if (why != CAN_BE_READ) {
			prove_leave_out(p, why, e->pages);
			continue;
		}
		for (done = 0; done < e->pages; done += n) {
			n = e->pages - done < most ? e->pages - done : most;
			compare_batch(p, e->addr + done * p->page_size,
				      e->value + done, n,
				      prove_is_special(e->bits, vma));
		}
	}
	return 0;
}

/* The pages that are claimed. */
static void take_claims(struct prover *p)
{
	const uint64_t mask = p->page_size - 1;
	struct target *t;
	size_t i;

	for (i = 0; i < p->claims->nr; i++) {
		const struct claim *c = &p->claims->claim[i];

		if (!ranges_have(p->x->ranges, c->vaddr))
			continue;
		if (!c->mapped) {
			prove_leave_out(p, CLAIMED_ABSENT, 1);
			continue;
		}
		t = add_suspect(p, c->vaddr & ~mask);
		t->paddr = c->paddr - (c->vaddr & mask);
		t->claim = i;
	}
}

static int first_pass(struct prover *p)
{
	const uint64_t mask = p->page_size - 1;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < p->x->ranges->nr; i++)
		err = truth_stream(p->x->client, p->x->pid,
				   p->x->ranges->range[i].start & ~mask,
				   p->x->ranges->range[i].last | mask,
				   prove_extents, p);
	return err;
}

/* Writes why pages can't be read, and returns how many. */
static uint64_t list_reasons(const uint64_t why_not[NR_REASONS], char *buf,
			     size_t size)
{
	uint64_t pages = 0;
	size_t at = 0;
	int i, n;

	buf[0] = '\0';
	for (i = CAN_BE_READ + 1; i < NR_REASONS; i++) {
		if (!why_not[i])
			continue;
		n = snprintf(buf + at, size - at, "%s%" PRIu64 " %s",
			     pages ? ", " : "", why_not[i], reasons[i].text);
		at += (size_t)n < size - at ? (size_t)n : size - at - 1;
		pages += why_not[i];
	}
	return pages;
}

static int nothing_proven(const struct prover *p)
{
	uint64_t pages;
	char why[512];

	pages = list_reasons(p->why_not, why, sizeof(why));
	if (!pages)
		return error_set(-ENODATA,
				 "process %d: nothing to prove: no page is present there",
				 (int)p->x->pid);
	return error_set(-ENODATA,
			 "process %d: not a page can be proven; %" PRIu64 " not readable: %s",
			 (int)p->x->pid, pages, why);
}

static int examine(const struct examinee *x)
{
	struct prover p = {
		.x = x,
		.claims = x->arg,
		.kcore = &all.kcore,
		.page_size = 1ULL << x->env->kernel->page_shift,
	};
	size_t i, n;
	int err;

	err = peek_open(&p.peek, x->pid, p.page_size,
			__builtin_frame_address(0));
	if (!err && p.claims)
		take_claims(&p);
	else if (!err)
		err = first_pass(&p);
	for (i = 0; !err && i < p.nr; i += n) {
		n = p.nr - i < PROVE_WINDOW ? p.nr - i : PROVE_WINDOW;
		err = prove_again(&p, p.suspect + i, n);
	}
	prove_say(&p);
	p.compared += p.proven;
	examine_compared(x, p.compared);
	for (i = 0; p.claims && i < NR_REASONS; i++)
		examine_unproven(x, p.why_not[i]);
	if (!err && !p.compared && !p.claims && !x->all)
		err = nothing_proven(&p);
	peek_close(&p.peek);
	free(p.suspect);
	return err;
}

static void sum_text(char *buf, size_t size)
{
	struct bytes_sum sum = bytes_sum(&all.seen);
	char why[512];
	uint64_t pages = list_reasons(all.why_not, why, sizeof(why));
	int n;

	n = snprintf(buf, size, "%" PRIu64 " page%s proven by their bytes, in %s%"
		     PRIu64 " frame%s, %" PRIu64
		     " of them with contents of their own and %" PRIu64 " with zeros only",
		     all.proven, plural(all.proven),
		     all.seen.left_out ? "more than " : "", sum.frames,
		     plural(sum.frames), sum.alone, sum.zero);
	if (pages && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - n, "; %" PRIu64 " not readable: %s",
			 pages, why);
}

static void sum_json(void)
{
	struct bytes_sum sum = bytes_sum(&all.seen);
	uint64_t pages = 0;
	int i;

	for (i = CAN_BE_READ + 1; i < NR_REASONS; i++)
		pages += all.why_not[i];
	jsonw_number("proven", all.proven);
	jsonw_number("frames", sum.frames);
	jsonw_number("alone", sum.alone);
	jsonw_number("zero", sum.zero);
	jsonw_number("unreadable", pages);
	jsonw_object("reasons");
	for (i = CAN_BE_READ + 1; i < NR_REASONS; i++)
		if (all.why_not[i])
			jsonw_number(reasons[i].name, all.why_not[i]);
	jsonw_close();
}

const struct examination examination_prove = {
	.name = "prove",
	.help = "the bytes at the virtual and at the physical address",
	.wanted = true,
	.probe = probe,
	.examine = examine,
	.sum_text = sum_text,
	.sum_json = sum_json,
};
