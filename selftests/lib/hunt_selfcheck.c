// SPDX-License-Identifier: GPL-2.0
/* Each law of the hunt must tell when it is broken: the model is made wrong. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "hunt.h"

/* The area that is operated on. */
#define AREA		0
#define PAGE(i)		(&world.area[AREA].page[i])

/* And one of private memory of a file. */
#define OF_A_FILE	KIND_private
#define FILE_PAGE	(&world.area[OF_A_FILE].page[0])

/* And one of shared memory. */
#define SHARED_PAGE	(&world.area[KIND_shmem].page[0])

/* And one of huge pages: of zeros, and another that is written to. */
#define HUGE		KIND_thp
#define PER_HUGE	(huge_size / page_size)

static struct hunt_step step(const char *operation, unsigned int first, unsigned int count,
			     unsigned int argument)
{
	return (struct hunt_step) { .operation = hunt_operation_named(operation), .area = AREA,
				    .first = first, .count = count, .argument = argument };
}

/* Does nothing to pages whose state isn't known to be this. */
static void unless(bool is)
{
	if (!is)
		_exit(3);
}

#define SPOIL(name)	static void name(void)

SPOIL(nothing) { }
SPOIL(value) { PAGE(1)->value++; }
SPOIL(not_written) { PAGE(1)->own = false; }
SPOIL(never_mapped) { PAGE(1)->mapped = false; }
SPOIL(larger) { world.base[0] += 4; }
SPOIL(less_data) { world.base[1] += 4; }
SPOIL(less_huge) { world.base[3] += 4; }
SPOIL(locked) { PAGE(6)->locked = false; }
SPOIL(dumped) { PAGE(0)->dont_dump = true; }
SPOIL(killed) { raise(SIGKILL); }
SPOIL(barred) { PAGE(1)->guard = YES; }
SPOIL(poisoned) { PAGE(1)->poison = YES; }
SPOIL(not_there) { PAGE(20)->mapped = true; }

SPOIL(shared_vma)
{
	PAGE(0)->private = false;
	world.base[1] += page_size >> 10;
}

SPOIL(hidden)
{
	PAGE(7)->mapped = false;
	world.base[0] += page_size >> 10;
	world.base[1] += page_size >> 10;
}

SPOIL(clean)
{
	unless(world.tracks && PAGE(2)->dirty == YES);
	PAGE(2)->dirty = NO;
}

SPOIL(dirty)
{
	unless(world.tracks && PAGE(1)->dirty == NO);
	PAGE(1)->dirty = YES;
}

SPOIL(unprotected)
{
	unless(PAGE(0)->wp == YES);
	PAGE(0)->wp = NO;
}

SPOIL(protected)
{
	unless(uffd >= 0);
	PAGE(1)->wp = YES;
}

/* What failed leaves what must be. */
SPOIL(failed)
{
	const struct hunt_step s = step("collapse", 0, 2, 0);

	protected();
	unless(hunt_operations[s.operation].operate(&hunt_operations[s.operation], &s));
}

SPOIL(other_key)
{
	unless(key);
	PAGE(0)->key = 5;
}

SPOIL(unguarded)
{
	unless(kernel_is_since(6, 15) && PAGE(8)->guard == YES);
	PAGE(8)->guard = NO;
}

SPOIL(saved)
{
	touch_page(&world.area[AREA], 5, 0, "selfcheck");
	PAGE(5)->unsaved = true;
}

/* The VMA has more that is dirty than that page. */
SPOIL(saved_huge)
{
	struct hunt_area *a = &world.area[HUGE];

	unless(entry_state(page_at(a, 0)) == ENTRY_HUGE &&
	       entry_state(page_at(a, PER_HUGE)) == ENTRY_HUGE);
	a->page[0].unsaved = true;
}

SPOIL(fresh_entry)
{
	unless(world.tracks && PAGE(1)->dirty == NO);
	PAGE(1)->fresh = true;
}

SPOIL(fresh_flag)
{
	fresh_entry();
	store_page(&world.area[AREA], 1, 1, 0);
}

/* What may be written to is mapped as if a file had to be copied first. */
SPOIL(of_file)
{
	unless(world.sees);
	SHARED_PAGE->private = true;
	look_at_all_truth();
}

SPOIL(command_fails)
{
	hunt_check = "false";
}

SPOIL(no_file)
{
	unless(!(entry_of(page_at(&world.area[OF_A_FILE], 0)) >> 62));
	FILE_PAGE->file = ANONYMOUS;
}

SPOIL(write_forbidden)
{
	PAGE(1)->prot = PROT_READ;
	store_page(&world.area[AREA], 1, 1, 0);
}

SPOIL(read_forbidden)
{
	PAGE(1)->prot = PROT_NONE;
	touch_page(&world.area[AREA], 1, 0, "selfcheck");
}

SPOIL(write_allowed)
{
	PAGE(9)->prot = PROT_READ | PROT_WRITE;
	store_page(&world.area[AREA], 9, 1, 0);
}

SPOIL(refuse_mprotect)
{
	const struct hunt_step s = step("mprotect", 20, 1, 0);

	not_there();
	hunt_operations[s.operation].operate(&hunt_operations[s.operation], &s);
}

SPOIL(scan_short)
{
	const struct hunt_step s = step("scan_protect", 0, 1, 0);

	scan_end = 0;
	look_at_scan_end(&s);
}

static const struct {
	const char *law;
	void (*spoil)(void);
	bool has_no_program;
} spoilt[] = {
	{ "", nothing, true },
	{ "contents", value },
	{ "contents", not_written },
	{ "unmapped", never_mapped },
	{ "counters", larger, true },
	{ "counters", less_data, true },
	{ "counters", less_huge, true },
	{ "counters", locked },
	{ "counters", not_there },
	{ "mappings", hidden, true },
	{ "VmFlags", dumped },
	{ "VmFlags", shared_vma },
	{ "soft-dirty lost", dirty },
	{ "soft-dirty without cause", clean },
	{ "soft-dirty lost", fresh_entry },
	{ "VmFlags", fresh_flag },
	{ "dirty lost", saved },
	{ "dirty lost", saved_huge },
	{ "uffd-wp lost", protected },
	{ "uffd-wp lost", failed },
	{ "uffd-wp without cause", unprotected },
	{ "residence", no_file },
	{ "protection key", other_key, true },
	{ "guard lost", barred },
	{ "guard without cause", unguarded },
	{ "poison lost", poisoned },
	{ "permissions", write_forbidden },
	{ "permissions", read_forbidden },
	{ "access refused", write_allowed },
	{ "permissions", of_file, true },
	{ "check", command_fails },
	{ "mprotect", refuse_mprotect, true },
	{ "scan end", scan_short },
	{ "process", killed, true },
};

#define NR_SPOILT	(sizeof(spoilt) / sizeof(spoilt[0]))

/* Of pages 0 to 9: all but the last ones written, one protected, locked, guarded, read-only. */
static int make_steps(struct hunt_step *s)
{
	int nr = 0;

	s[nr++] = step("mmap", 0, 10, 1);
	s[nr++] = step("write", 0, 5, 0);
	s[nr++] = step("mlock", 6, 1, 0);
	s[nr++] = step("guard", 8, 1, 0);
	s[nr++] = step("mprotect", 9, 1, 1);
	s[nr++] = step("register", 0, 1, 1);
	s[nr++] = step("protect", 0, 1, 0);
	s[nr++] = step("clear_refs", 0, 1, 0);
	s[nr++] = step("write", 2, 1, 0);
	for (int i = 0; i < 3; i++) {
		static const char *const name[] = { "mmap", "read", "dontneed" };

		s[nr] = step(name[i], 0, 1, 96);
		s[nr++].area = OF_A_FILE;
	}
	for (int i = 0; i < 2; i++) {
		s[nr] = step(i ? "write" : "mmap", 0, 1, 1);
		s[nr++].area = KIND_shmem;
	}
	for (int i = 0; i < 3; i++) {
		static const char *const name[] = { "mmap", "read", "write" };

		s[nr] = step(name[i], i == 2 ? PER_HUGE : 0, i ? 1 : 2 * PER_HUGE, 1);
		s[nr++].area = HUGE;
	}
	return nr;
}

const char *hunt_flaw(void)
{
	static char why[700];
	struct hunt_step steps[20];
	const int nr = make_steps(steps);

	for (size_t i = 0; i < NR_SPOILT; i++) {
		hunt_spoil = spoilt[i].spoil;
		hunt_replay(steps, nr);
		hunt_spoil = NULL;
		if (shared->lacks || !strcmp(shared->finding.law, spoilt[i].law))
			continue;
		snprintf(why, sizeof(why), "change %zu: '%s' was told, not '%s': %.400s", i,
			 shared->finding.law, spoilt[i].law, shared->finding.text);
		return why;
	}
	if (!hunt_is_complaint("WARNING: CPU: 0") || hunt_is_complaint("random: crng init done"))
		return "what the kernel complains of";
	return NULL;
}

void hunt_print_examples(void)
{
	struct hunt_step steps[20];
	const int nr = make_steps(steps);

	for (size_t i = 0; i < NR_SPOILT; i++) {
		if (spoilt[i].has_no_program)
			continue;
		hunt_spoil = spoilt[i].spoil;
		hunt_replay(steps, nr);
		if (!shared->lacks)
			hunt_print_program("-", steps, nr, " * Of a model that was made wrong.\n");
		hunt_spoil = NULL;
	}
}
