// SPDX-License-Identifier: GPL-2.0
/* The kernel's tables against the kernel's own dump of them, entry by entry. */
#include <stdio.h>
#include "kernel/findings.h"
#include "module/client.h"
#include "module/names.h"
#include "pte/pte.h"

/**
 * struct state - what stands at an address
 * @last: The last one with the same.
 * @phys: Where it leads to, of what the module reads.
 * @unknown: It isn't told.
 * @mapped: There is a leaf.
 * @level: Of it; @write, @exec, @user: what it allows.
 * @type: An enum ptwalk_memory_type.
 */
struct state {
	uint64_t last, phys;
	bool unknown, mapped, write, exec, user;
	unsigned int level, type;
};

/* Of what the module reads: extent @i is the first that ends behind @addr. */
static struct state read_state(const struct kernel_tables *t, size_t i, uint64_t addr)
{
	const struct kernel_extent *e = &t->extent[i];

	if (i == t->nr)
		return (struct state){ .last = UINT64_MAX };
	if (e->start > addr)
		return (struct state){ .last = e->start - 1 };
	return (struct state){
		.last = e->start + (e->bytes - 1), .phys = e->phys + (addr - e->start),
		.unknown = e->kind != KERNEL_MAPPED,
		.mapped = true, .level = e->level, .write = e->write, .exec = e->exec,
		.user = e->user, .type = e->type,
	};
}

/* Of what the kernel prints. Without memory tagging, tagged memory is ordinary. */
static struct state dumped_state(const struct kernel_tables *t, const struct ptdump_run *run,
				 const struct state *read)
{
	struct state s = {
		.last = run->last, .mapped = run->mapped, .level = run->level,
		.write = run->write, .exec = run->exec, .user = run->user, .type = run->type,
	};

	if (!s.type && run->index < t->nr_types)
		s.type = t->type[run->index];
	if (s.type == PTWALK_MEMORY_TYPE_NORMAL_TAGGED &&
	    read->type == PTWALK_MEMORY_TYPE_NORMAL)
		s.type = read->type;
	return s;
}

static bool same_state(const struct state *a, const struct state *b)
{
	return a->mapped == b->mapped &&
	       (!a->mapped || (a->level == b->level && a->write == b->write &&
			       a->exec == b->exec && a->user == b->user && a->type == b->type));
}

#define STATE_TEXT	64
static const char *text_of_state(const struct state *s, char buf[STATE_TEXT])
{
	char type[NAME_SIZE];

	if (!s->mapped)
		return "nothing";
	snprintf(buf, STATE_TEXT, "%s r%c%c%c %s", pte_level_name[s->level - 1],
		 s->write ? 'w' : '-', s->exec ? 'x' : '-', s->user ? 'u' : '-',
		 name_of(&names_memory_type, s->type, type));
	return buf;
}

/* What both readings have at @at and behind, if it is the same; else it isn't known. */
static struct state lasting_state(const struct kernel_facts *facts, const size_t extent[2],
				  uint64_t at)
{
	struct state s = read_state(&facts->tables, extent[0], at);
	const struct state again = read_state(&facts->tables_after, extent[1], at);

	s.unknown |= again.unknown || !same_state(&s, &again) || s.phys != again.phys;
	if (again.last < s.last)
		s.last = again.last;
	return s;
}

/* Whether the extent @i ends with @last. */
static bool ends_with(const struct kernel_tables *t, size_t i, uint64_t last)
{
	return i < t->nr && last == t->extent[i].start + (t->extent[i].bytes - 1);
}

static void compare_run(const struct kernel_facts *facts, const struct ptdump_run *run,
			struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables, *after = &facts->tables_after;
	size_t extent[2] = { kernel_extent_from(t, run->start),
			     kernel_extent_from(after, run->start) };
	char one[STATE_TEXT], other[STATE_TEXT];
	struct state read, dumped;
	struct kernel_finding *f;
	uint64_t at, last;

	for (at = run->start; ; at = last + 1) {
		read = lasting_state(facts, extent, at);
		last = read.last < run->last ? read.last : run->last;
		dumped = dumped_state(t, run, &read);
		f = read.unknown || same_state(&read, &dumped) ? NULL :
		    kernel_found(findings, "ptdump", at, last - at + 1,
				 "%s by the module, %s by the kernel's own dump",
				 text_of_state(&read, one), text_of_state(&dumped, other));
		/* Of what comes and goes, another page has the same address. */
		if (f)
			f->more = read.phys;
		if (last == run->last)
			return;
		extent[0] += ends_with(t, extent[0], last);
		extent[1] += ends_with(after, extent[1], last);
	}
}

void kernel_compare_ptdump(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	for (size_t i = 0; i < facts->ptdump.nr; i++) {
		compare_run(facts, &facts->ptdump.run[i], findings);
		findings->dumped += facts->ptdump.run[i].mapped;
	}
}
