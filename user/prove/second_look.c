// SPDX-License-Identifier: GPL-2.0
/* The second look at pages whose bytes weren't the same at the first. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/error.h"
#include "claims/claims.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "prove/prove.h"

/* A frame that the kernel itself doesn't read, but shows zeros for. */
static bool has_failed(uint64_t frame)
{
	uint64_t flags;

	if (frameflags_read(frame, &flags, 1) != 1)
		return false;
	return flags & (1ULL << KPF_HWPOISON | 1ULL << KPF_OFFLINE);
}

static void finish(struct target *t, enum verdict result, enum reason why)
{
	t->done = true;
	t->result = result;
	t->why = why;
}

/**
 * struct reading - a page in one round
 * @before: As the page tables had it before its bytes were read.
 * @vma: The VMA that it lay in, or NULL.
 * @bytes: What was said of the bytes, if @read.
 * @zeros: There were but zeros at the physical address.
 */
struct reading {
	struct ptwalk_translation before;
	const struct ptwalk_vma *vma;
	bool read, zeros;
	enum bytes bytes;
};

static uint64_t target_paddr(const struct prover *p, const struct target *t,
			     const struct reading *r)
{
	return p->claims ? t->paddr : r->before.value * p->page_size;
}

/* Reads a page twice in each way. */
static void read_twice(struct prover *p, struct target *t, struct reading *r)
{
	struct bytes_pair pair = {
		.virt = { p->peek.virt[0], p->peek.virt[1] },
		.phys = { p->peek.phys[0], p->peek.phys[1] },
	};
	bool refused, special = prove_is_special(r->before.bits, r->vma);
	uint64_t paddr = target_paddr(p, t, r), offset;
	enum reason why;
	int i;

	r->read = false;
	t->frame = r->before.value;
	/* Nothing is said of a page on its way. */
	if (ptwalk_bits_kind(r->before.bits) == PTWALK_KIND_MIGRATION)
		return;
	if (!prove_has_bytes(p, r->before.bits, r->vma, &why))
		why = NOT_THERE;
	else if (why == CAN_BE_READ && peek_is_own(&p->peek, t->addr))
		why = OUR_OWN;
	else if (why == CAN_BE_READ &&
		 kcore_find(p->kcore, paddr, &offset) < p->page_size)
		why = NOT_IN_KCORE;
	if (why != CAN_BE_READ) {
		finish(t, VERDICT_MATCH, why);
		return;
	}
	for (i = 0; i < 2; i++) {
		if (!p->asleep)
			pause_out_of_step(200000);
		if (!peek_virtual(&p->peek, t->addr, 1, special,
				  p->peek.virt[i], &refused)) {
			if (refused)
				finish(t, VERDICT_MATCH, REFUSED);
			return;
		}
		if (!p->asleep)
			pause_out_of_step(200000);
		if (kcore_read(p->kcore, paddr, p->peek.phys[i],
			       p->page_size) != (ssize_t)p->page_size)
			return;
	}
	r->read = true;
	r->zeros = bytes_zero(p->peek.phys[0], p->page_size);
	r->bytes = bytes_judge(&pair, p->page_size, &t->words);
	if (r->bytes == BYTES_SAME) {
		finish(t, VERDICT_MATCH, CAN_BE_READ);
		prove_page(p, paddr / p->page_size, p->peek.virt[0]);
	}
	if (r->bytes == BYTES_APART &&
	    !bytes_again(&t->streak, &pair, p->page_size, &t->words))
		exit_no_memory();
}

/* What follows from a round, now that it is known whether the page held. */
static void judge_target(struct prover *p, struct target *t,
			 const struct reading *r,
			 const struct ptwalk_translation *after)
{
	bool held = r->before.value == after->value &&
		    ptwalk_bits_present(after->bits);

	if (t->done)
		return;
	if (!r->read || !held || r->bytes != BYTES_APART)
		t->streak.rounds = 0;
	if (t->streak.rounds < PROVE_ROUNDS)
		return;
	if (r->zeros && has_failed(target_paddr(p, t, r) / p->page_size))
		finish(t, VERDICT_MATCH, FAILED_MEMORY);
	else
		finish(t, VERDICT_MISMATCH, CAN_BE_READ);
}

static int translate_targets(struct prover *p, const struct target *t, size_t nr,
			     struct ptwalk_translation *out, struct ptwalk_vma **vmas,
			     size_t *nr_vmas)
{
	uint64_t addr[PROVE_WINDOW];
	uint32_t levels;
	size_t i;

	for (i = 0; i < nr; i++)
		addr[i] = t[i].addr;
	free(*vmas);
	*vmas = NULL;
	return truth_translate(p->x->client, p->x->pid, addr, nr, out, vmas,
			       nr_vmas, &levels);
}

static int prove_round(struct prover *p, struct target *t, size_t nr)
{
	struct ptwalk_translation before[PROVE_WINDOW], after[PROVE_WINDOW];
	struct reading reading[PROVE_WINDOW];
	struct ptwalk_vma *vmas = NULL;
	size_t nr_vmas = 0, i;
	int err;

	err = translate_targets(p, t, nr, before, &vmas, &nr_vmas);
	for (i = 0; !err && i < nr; i++) {
		if (t[i].done)
			continue;
		reading[i].before = before[i];
		reading[i].vma = truth_vma_among(vmas, nr_vmas, t[i].addr);
		read_twice(p, &t[i], &reading[i]);
	}
	if (!err)
		err = translate_targets(p, t, nr, after, &vmas, &nr_vmas);
	for (i = 0; !err && i < nr; i++)
		if (!t[i].done)
			judge_target(p, &t[i], &reading[i], &after[i]);
	free(vmas);
	return err;
}

void prove_say(struct prover *p)
{
	if (p->remark.pages)
		examine_remark(p->x, &p->remark);
	p->remark.pages = 0;
}

static void note_target(struct prover *p, const struct target *t)
{
	struct remark *r = &p->remark;

	if (r->pages && (r->verdict != t->result ||
			 r->start + r->pages * p->page_size != t->addr))
		prove_say(p);
	if (r->pages++)
		return;
	*r = (struct remark) {
		.start = t->addr,
		.pages = 1,
		.verdict = t->result,
		.has_found = !p->claims,
		.found = t->frame * p->page_size,
		.has_expected = p->claims,
		.expected = t->paddr,
	};
	if (t->result == VERDICT_UNSTABLE) {
		r->rule = bytes_rule[BYTES_MOVING];
		snprintf(r->truth, sizeof(r->truth), "PFN 0x%" PRIx64, t->frame);
		snprintf(r->seen, sizeof(r->seen), "the page or its bytes never held still");
		return;
	}
	/* What the bytes are is nobody's business. */
	r->rule = bytes_rule[BYTES_APART];
	snprintf(r->truth, sizeof(r->truth), p->claims ?
		 "paddr 0x%" PRIx64 ", as claimed" : "paddr 0x%" PRIx64,
		 p->claims ? t->paddr : t->frame * p->page_size);
	snprintf(r->seen, sizeof(r->seen),
		 "other bytes there than at the virtual address: %zu of %zu words, the first at offset 0x%zx",
		 t->words.apart, t->words.words, t->words.first);
}

static void settle_target(struct prover *p, const struct target *t)
{
	if (p->claims && t->why == CAN_BE_READ)
		examine_claim(p->x, t->claim, t->result);
	if (t->why != CAN_BE_READ)
		prove_leave_out(p, t->why, 1);
	else if (t->result != VERDICT_MATCH)
		note_target(p, t);
	else
		return;		/* prove_page() has counted it */
	p->compared += t->why == CAN_BE_READ;
}

int prove_again(struct prover *p, struct target *t, size_t nr)
{
	const unsigned int most = p->x->retries + PROVE_ROUNDS;
	unsigned int round, paused = 0;
	size_t i, open = nr, insist = 0;
	int err = 0;

	for (i = 0; i < nr; i++)
		t[i].result = VERDICT_UNSTABLE;
	p->asleep = procs_asleep(p->x->pid);
	for (round = 0; !err && open && round < most; round++) {
		/* What stands apart needs no time, but more rounds. */
		if (insist < open && paused < p->x->retries)
			pause_before_round(paused++);
		else if (!insist)
			break;
		/* After an exec an open one is about the memory that was. */
		err = peek_reopen(&p->peek);
		if (!err)
			err = prove_round(p, t, nr);
		for (i = open = insist = 0; i < nr; i++) {
			open += !t[i].done;
			insist += !t[i].done && t[i].streak.rounds;
		}
	}
	for (i = 0; i < nr; i++) {
		if (!err)
			settle_target(p, &t[i]);
		bytes_streak_free(&t[i].streak);
	}
	return err;
}
