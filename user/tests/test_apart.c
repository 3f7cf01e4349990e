// SPDX-License-Identifier: GPL-2.0
/* Long reads of a made-up file that shows their entries wrongly, or changes. */
#include <string.h>
#include "sources/apart.h"
#include "tests.h"

#define NR	8448

static enum { RIGHT, RESTARTS, LASTS, CHANGES, ONCE, FAILS } bug;
static bool alike;	/* nearly all entries are */
static unsigned int calls, reads;	/* so far, and those of all at once */

static ssize_t read_fake(int fd, uint64_t first, uint64_t *value, size_t nr)
{
	const bool all = nr == NR;

	calls++;
	reads += all;
	if (bug == FAILS && reads == 3)
		return -5;
	for (size_t i = 0; i < nr; i++) {
		uint64_t frame = first + i - (bug == RESTARTS && i >= 512 ? 512 : 0);

		value[i] = !alike ? frame : frame < 0x2388 || frame > 0x238b;
	}
	if (all && (bug == LASTS || bug == FAILS))
		value[NR - 1] = 0;
	/* One that changes each time that it is read, or had changed. */
	if (bug == CHANGES)
		value[nr - 1] = calls;
	if (all && bug == ONCE && reads == 1)
		value[NR - 1] = 0;
	return nr;
}

static void apart(void **state)
{
	static const char *const does[] = {
		[RIGHT] = "", [CHANGES] = "", [ONCE] = "", [FAILS] = "",
		[RESTARTS] = "a read of 8448 entries from 0x1000 on shows 0x2eff of 0x30ff, and one of that alone 0x30ff",
		[LASTS] = "a read of 8448 entries from 0x1000 on shows 0x0 of 0x30ff, and one of that alone 0x30ff",
	};
	struct source_fault fault;
	uint64_t shown[NR];

	for (bug = RIGHT; bug <= FAILS; bug++) {
		fault = (struct source_fault){ .function = "f()" };
		reads = 0;
		assert_int_equal(read_fake(0, 0x1000, shown, NR), NR);
		read_apart(read_fake, 0, 0x1000, shown, NR, &fault);
		assert_string_equal(fault.does, does[bug]);
		assert_string_equal(fault.function, "f()");
	}
	/* Less than it would take. */
	bug = RIGHT;
	read_apart(read_fake, 0, 1, shown, 0, &fault);
	shown[0] = 1;
	shown[1] = 2;
	fault = (struct source_fault){ 0 };
	read_apart(read_fake, 0, 1, shown, 2, &fault);
	assert_string_equal(fault.does, "");
}

/* Where nearly all frames show the same, those that don't are in another place. */
static void ends_of_what_is_alike(void **state)
{
	struct source_fault fault = { 0 };
	uint64_t shown[NR];

	alike = true;
	bug = RIGHT;
	read_fake(0, 0x1000, shown, NR);
	read_apart(read_fake, 0, 0x1000, shown, NR, &fault);
	assert_string_equal(fault.does, "");
	bug = RESTARTS;
	read_fake(0, 0x1000, shown, NR);
	read_apart(read_fake, 0, 0x1000, shown, NR, &fault);
	assert_string_equal(fault.does,
			    "a read of 8448 entries from 0x1000 on shows 0x0 of 0x258b, and one of that alone 0x1");
	alike = false;
}

SUITE(suite_apart, cmocka_unit_test(apart), cmocka_unit_test(ends_of_what_is_alike));
