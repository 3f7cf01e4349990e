// SPDX-License-Identifier: GPL-2.0
/*
 * The page-table entries against the model, where ptwalk is loaded: what no file of /proc
 * shows. What must be true of any entry stands in laws.c; the rest is what the model adds.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "hunt.h"
#include "laws.h"
#include "system.h"

#define HAS(p, flag)	(ptwalk_bits_flags((p)->bits) & PTWALK_FLAG_##flag)

static struct ptw ptw;
static struct ptw_info info;

/* Of this process, which has a socket of its own. */
static bool can_see(void)
{
	static int of;

	if (world.sees && of != getpid()) {
		if (of)
			ptw_close(&ptw);
		world.sees = !ptw_open(&ptw);
		ptw.want_pages = true;
		of = getpid();
	}
	return world.sees;
}

void hunt_truth_begin(void)
{
	world.sees = true;
	world.sees = can_see() && !ptw_info(&ptw, &info);
}

/* All that was written to and is nowhere else: zap_present_folio_ptes(), try_to_unmap_one(). */
static bool loses(const struct hunt_page *p, const struct look_page *is)
{
	return p->unsaved && !HAS(is, DIRTY) && !(is->page.flags & PTWALK_PAGE_FLAG_DIRTY);
}

/* A page of a file that is mapped privately is copied before it is written to. */
static bool writes_to_file(const struct hunt_page *p, const struct look_page *is)
{
	return p->private && p->file != ANONYMOUS && HAS(is, WRITE) && !HAS(is, ANON);
}

/* vma_set_page_prot(), change_pte_range(). */
static bool has_other_key(const struct hunt_page *p, const struct look_page *is)
{
	return info.features & PTWALK_FEATURE_PKEYS && !HAS(is, PROT_NONE) &&
	       ptwalk_bits_pkey(is->bits) != p->key;
}

static const struct {
	const char *law;
	bool (*is_broken)(const struct hunt_page *p, const struct look_page *is);
} of_model[] = {
	{ "dirty lost", loses },
	{ "permissions", writes_to_file },
	{ "protection key", has_other_key },
};

static __attribute__((noreturn)) void tell(const char *law, const struct hunt_area *a, word i,
					   const struct look_page *is)
{
	hunt_say("\treturn entry_is_wrong(%#lx);\n", page_at(a, i));
	hunt_tell(law, "entry %#llx of PFN %#llx, page flags %#llx: %s", is->bits, is->value,
		  (unsigned long long)is->page.flags, page_text(a, i));
}

/* An entry that is there: as if there had been none before, and it may have come from anywhere. */
static void look_at_page(const struct hunt_area *a, word i, const struct look_page *is)
{
	const struct look_page nothing = { .vma = is->vma };
	const struct moments m = {
		.info = &info, .page_size = page_size, .before = &nothing, .after = is,
		.may = MAY_SET_UFFD_WP | MAY_LEAVE_PROTECTED | (shared_is_untracked() ? MAY_UNTRACK : 0),
		.wrote = true,
	};
	const u32 broken = laws_broken(&m);

	if (broken)
		tell(laws[__builtin_ctz(broken)].name, a, i, is);
	for (size_t k = 0; k < sizeof(of_model) / sizeof(of_model[0]); k++)
		if (ptwalk_bits_kind(is->bits) == PTWALK_KIND_PRESENT && a->page[i].mapped &&
		    of_model[k].is_broken(&a->page[i], is))
			tell(of_model[k].law, a, i, is);
}

void look_at_truth(const struct hunt_area *a)
{
	struct ptw_dump dump;
	int err;

	if (!can_see())
		return;
	err = ptw_dump(&ptw, getpid(), a->start, a->start + a->nr * a->unit - 1, &dump);
	for (size_t k = 0; !err && k < dump.nr; k++) {
		const struct ptw_extent *e = &dump.record[k].extent;
		const struct look_page is = { .bits = e->bits, .value = e->value, .page = e->page,
					      .vma = dump.record[k].vma.flags };
		const word first = (e->addr - a->start) / a->unit;
		const word last = (e->addr + e->pages * page_size - 1 - a->start) / a->unit;

		for (word i = first; i <= last; i++)
			look_at_page(a, i, &is);
	}
	ptw_dump_free(&dump);
	if (err)
		hunt_tell("ptwalk", "refuses a dump: %d, %s", err, ptw.error.message);
}

void look_at_all_truth(void)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		if (any_is_mapped(&world.area[k]))
			look_at_truth(&world.area[k]);
}
