// SPDX-License-Identifier: GPL-2.0
/*
 * How many bugs a check finds, and what it costs: drawn from a seed, and listed. See
 * model.h.
 *
 *   curve [BUGS [SEED]]     prints the table; [PROCESSES=N], of as many; [TOGETHER=N], as
 *                           of check --all of N
 *   curve quiet CALLS       no bug: exits with 1 if a check finds anything
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proc/pagemap_bits.h"
#include "tests/model.h"

/* Or as many as PROCESSES says, or TOGETHER: those share what is drawn. */
#define PROCESSES	8

/* Of those that scripts/mutants plants into a kernel, some that ask for a request. */
static const struct model_bug listed[] = {
	{ MODEL_PAGEMAP, 2, false, { { WHEN_CROSSED, 0 }, { WHEN_LENGTH, 1 } },
	  "one entry and two tables, which no read has" },
	{ MODEL_PAGEMAP, 0, true, { { WHEN_START, 1 }, { WHEN_LENGTH, 1 } },
	  "one entry behind the border of a table is a stale one" },
	{ MODEL_PAGEMAP, PM_SOFT_DIRTY, false, { { WHEN_GOES_BACK }, { WHEN_OFFSET, 0 } },
	  "the first entry of a read that goes back" },
	{ MODEL_PAGEMAP, 7, false, { { WHEN_UNPRIVILEGED }, { WHEN_CROSSED, 0 } },
	  "the unprivileged see the first frame of a read's second table" },
	{ MODEL_PAGEMAP, 7, false, { { WHEN_UNPRIVILEGED }, { WHEN_CROSSED, 1 } },
	  "the unprivileged see the second frame of a read's second table" },
	{ MODEL_PAGEMAP, 1, false, { { WHEN_LONGER, 16384 }, { WHEN_BEHIND, 16384 } },
	  "behind 128 KiB of a read" },
	{ MODEL_SCAN, SCAN_SOFT_DIRTY, false, { { WHEN_WANTED, SCAN_FILE } },
	  "soft-dirty unless FILE is of interest" },
	{ MODEL_SCAN, SCAN_HUGE, false, { { WHEN_START, 511 }, { WHEN_OFFSET, 0 } },
	  "huge if a scan begins with the last page of a table" },
	{ MODEL_SCAN, SCAN_PRESENT, false, { { WHEN_REQUIRED, SCAN_HUGE | SCAN_PRESENT } },
	  "category_mask of a huge page that is present" },
	{ MODEL_SCAN, SCAN_PFNZERO, false,
	  { { WHEN_ANY_OF, SCAN_PFNZERO | SCAN_SOFT_DIRTY } },
	  "any-of the zero page and soft-dirty" },
	{ MODEL_SCAN, SCAN_PRESENT, false, { { WHEN_VECTOR, 3 }, { WHEN_REGION, 2 } },
	  "the third region of a short vector" },
	{ MODEL_KPAGEFLAGS, KPF_BIT(MMAP), false, { { WHEN_BEHIND, 8192 } },
	  "kpageflags from the 8193rd entry of a read on" },
	{ MODEL_KPAGECOUNT, 1, false, { { WHEN_BEHIND, 8192 } },
	  "kpagecount from the 8193rd entry of a read on" },
	{ MODEL_KPAGECOUNT, 1, false, { { WHEN_LAST }, { WHEN_PAGE, 3, 4 } },
	  "kpagecount of the last entry of a read" },
	{ MODEL_KPAGECGROUP, 2, false, { { WHEN_OFFSET, 34 } },
	  "kpagecgroup of the 35th entry of a read" },
	{ MODEL_MOVE_PAGES, 1, false, { { WHEN_BEHIND, 16 } },
	  "move_pages from the 17th page on" },
};

static uint64_t draw_bits(enum model_interface of, uint64_t *seed)
{
	static const uint64_t pagemap[] = {
		1, 2, 0x80, 0x1000, PM_SOFT_DIRTY, PM_EXCLUSIVE, PM_UFFD_WP, PM_FILE,
		PM_PRESENT, PM_SWAP,
	};
	static const uint64_t flags[] = {
		KPF_BIT(MMAP), KPF_BIT(ANON), KPF_BIT(KSM), KPF_BIT(HUGE), KPF_BIT(THP),
		KPF_BIT(SLAB),
	};

	switch (of) {
	case MODEL_PAGEMAP:
		return pagemap[model_draw(seed, sizeof(pagemap) / sizeof(pagemap[0]))];
	case MODEL_SCAN:
		return 4ULL << model_draw(seed, 6);
	case MODEL_KPAGEFLAGS:
		return flags[model_draw(seed, sizeof(flags) / sizeof(flags[0]))];
	default:
		return 1ULL << model_draw(seed, 2);
	}
}

/* A number that is small more often than not. */
static uint64_t draw_size(uint64_t *seed, unsigned int most_bits)
{
	return 1 + model_draw(seed, 1ULL << (1 + model_draw(seed, most_bits)));
}

static struct model_condition draw_condition(enum model_interface of, uint64_t *seed)
{
	struct model_condition c = { .when = 1 + model_draw(seed, NR_WHEN - 1) };
	const bool scan = of == MODEL_SCAN, pagemap = of == MODEL_PAGEMAP;

	/* What no request of the interface has is drawn again. */
	if ((c.when >= WHEN_REQUIRED && !scan) ||
	    (c.when == WHEN_UNPRIVILEGED && !pagemap) ||
	    ((c.when == WHEN_GOES_ON || c.when == WHEN_GOES_BACK) && !pagemap && !scan) ||
	    (c.when == WHEN_GOES_ON && scan) ||
	    (c.when >= WHEN_FIRST && c.when <= WHEN_LEAF && of >= MODEL_KPAGEFLAGS) ||
	    (c.when == WHEN_CROSSED && of != MODEL_PAGEMAP && of != MODEL_SCAN))
		return draw_condition(of, seed);
	switch (c.when) {
	case WHEN_PAGE:
		c.of = 2ULL << model_draw(seed, 9);
		c.number = model_draw(seed, c.of);
		break;
	case WHEN_START:
		c.number = (model_draw(seed, 40) - 20) % 512;
		break;
	case WHEN_CROSSED:
		c.number = model_draw(seed, 8);
		break;
	case WHEN_CALL:
		c.number = 2 + model_draw(seed, 15);
		break;
	case WHEN_REQUIRED:
	case WHEN_INVERTED:
	case WHEN_ANY_OF:
	case WHEN_WANTED:
		c.number = 4ULL << model_draw(seed, 6);
		if (!model_draw(seed, 3))
			c.number |= 4ULL << model_draw(seed, 6);
		break;
	case WHEN_VECTOR:
		c.number = 1 + model_draw(seed, 8);
		break;
	default:
		c.number = draw_size(seed, scan ? 8 : 12);
		break;
	}
	return c;
}

static struct model_bug draw_bug(uint64_t seed)
{
	static const enum model_interface share[] = {
		MODEL_PAGEMAP, MODEL_PAGEMAP, MODEL_PAGEMAP, MODEL_PAGEMAP, MODEL_SCAN,
		MODEL_SCAN, MODEL_SCAN, MODEL_KPAGEFLAGS, MODEL_KPAGECOUNT,
		MODEL_KPAGECGROUP, MODEL_MOVE_PAGES,
	};
	struct model_bug bug = {
		.interface = share[model_draw(&seed, sizeof(share) / sizeof(share[0]))],
	};

	bug.bits = draw_bits(bug.interface, &seed);
	bug.next = bug.interface == MODEL_PAGEMAP && !model_draw(&seed, 5);
	bug.condition[0] = draw_condition(bug.interface, &seed);
	if (!model_draw(&seed, 4))
		return bug;
	do
		bug.condition[1] = draw_condition(bug.interface, &seed);
	while (bug.condition[1].when == bug.condition[0].when);
	return bug;
}

static unsigned int processes(void)
{
	const char *many = getenv("TOGETHER") ? getenv("TOGETHER") : getenv("PROCESSES");

	return many ? atoi(many) : PROCESSES;
}

/* In how many of the processes it is found. */
static unsigned int processes_with(const struct model_bug *bug, bool large,
				   struct model_cost *cost)
{
	unsigned int found = 0;

	for (uint64_t i = 0; i < processes(); i++) {
		model_make(i + 1, large);
		found += model_check(bug, i, cost) > 0;
	}
	return found;
}

static const char *const when_name[NR_WHEN] = {
	"always", "page", "offset", "behind", "last", "length", "longer", "shorter", "start",
	"crossed", "goes on", "goes back", "unprivileged", "first of VMA", "end of VMA",
	"over VMAs", "in leaf", "call", "required", "inverted", "any of", "wanted", "vector",
	"max_pages", "region",
};

/* Each bug, and in how many of the processes it is found. */
static void print_each(unsigned int nr, uint64_t seed)
{
	static const char *const of[] = {
		"pagemap", "scan", "kpageflags", "kpagecount", "kpagecgroup", "move_pages",
	};

	for (unsigned int i = 0; i < nr; i++) {
		const struct model_bug bug = draw_bug(seed + i);

		printf("%u %u %s 0x%" PRIx64 "%s", processes_with(&bug, false, NULL),
		       processes_with(&bug, true, NULL), of[bug.interface], bug.bits,
		       bug.next ? " next" : "");
		for (size_t k = 0; k < 2; k++)
			if (bug.condition[k].when)
				printf(", %s %" PRIu64 "/%" PRIu64,
				       when_name[bug.condition[k].when],
				       bug.condition[k].number, bug.condition[k].of);
		printf("\n");
		fflush(stdout);
	}
}

static void print_row(const char *what, unsigned int nr, uint64_t seed, bool large)
{
	struct model_cost cost = { 0 };
	unsigned int one = 0, any = 0, found;

	for (unsigned int i = 0; i < nr; i++) {
		const struct model_bug bug = draw_bug(seed + i);

		found = processes_with(&bug, large, NULL);
		one += found;
		any += found > 0;
	}
	processes_with(NULL, large, &cost);
	printf("%-8s %5u %8.1f%% %8u %12.2f %9" PRIu64 "\n", what, nr,
	       100.0 * one / (nr * processes()), any,
	       cost.instructions / (processes() * 1e6), cost.calls / processes());
	fflush(stdout);
}

static int be_quiet(uint64_t calls)
{
	struct model_cost cost = { 0 };
	unsigned int found;

	for (uint64_t seed = 1000; cost.calls < calls; seed++) {
		model_make(seed, !(seed % 16));
		found = model_check(NULL, seed, &cost);
		if (found) {
			fprintf(stderr, "process %" PRIu64 ": %u findings without a bug\n",
				seed, found);
			return EXIT_FAILURE;
		}
	}
	printf("%" PRIu64 " calls without a bug: nothing found\n", cost.calls);
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned int bugs = argc > 1 ? atoi(argv[1]) : 200;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	if (argc > 2 && !strcmp(argv[1], "quiet"))
		return be_quiet(strtoull(argv[2], NULL, 0));
	if (argc > 3 && !strcmp(argv[1], "each")) {
		print_each(atoi(argv[2]), strtoull(argv[3], NULL, 0) << 32);
		return 0;
	}
	printf("process   bugs  in one of  in any    million ins.    calls\n"
	       "                 %u, avg      of %u     a process  a process\n", processes(),
	       processes());
	print_row("small", bugs, seed << 32, false);
	print_row("large", bugs, seed << 32, true);
	printf("\nListed bugs, and in how many of %u small and large processes they are found:\n",
	       processes());
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		printf("%3u %3u  %s\n", processes_with(&listed[i], false, NULL),
		       processes_with(&listed[i], true, NULL), listed[i].name);
	return 0;
}
