// SPDX-License-Identifier: GPL-2.0
/*
 * hunt [--seed N] [--seconds S | --episodes N] [--ops N] [--kinds NAME,...]
 *	[--check COMMAND] [--program FILE] [--coverage] [--keep-going] [--as-found]
 *	[--examples]
 *
 * Draws sequences of operations on memory, and compares what the kernel shows with a
 * model of what must be true (Documentation/laws.md). What is found is done again,
 * shrunk, and printed as a program that needs nothing of ours. Without an option it
 * is a test: fixed seeds, and what they find fails. As root; the module isn't needed, but
 * shows more. COMMAND is called with the process's number at the end of each episode.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "hunt.h"
#include "system.h"

#define PASS	0
#define FAIL	1
#define SKIP	4

/* How much the test does: by number, so that it takes no longer on a slow machine. */
#define TEST_SEED	1
#define TEST_EPISODES	120

static struct options {
	u64 seed;
	double seconds;
	long episodes;
	int ops;
	unsigned int kinds;
	const char *program, *only;
	bool coverage, keep_going, as_found, is_test, lists, examples;
} options = { .ops = 48, .kinds = ~0U, .is_test = true };

static const struct option names[] = {
	{ "seed", required_argument, NULL, 's' },
	{ "seconds", required_argument, NULL, 't' },
	{ "episodes", required_argument, NULL, 'e' },
	{ "ops", required_argument, NULL, 'o' },
	{ "kinds", required_argument, NULL, 'k' },
	{ "check", required_argument, NULL, 'C' },
	{ "program", required_argument, NULL, 'p' },
	{ "coverage", no_argument, NULL, 'c' },
	{ "keep-going", no_argument, NULL, 'g' },
	{ "as-found", no_argument, NULL, 'a' },
	{ "examples", no_argument, NULL, 'x' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void usage(FILE *to)
{
	fprintf(to, "usage: hunt [--seed N] [--seconds S | --episodes N] [--ops N] [--kinds NAME,...]\n"
		"            [--check COMMAND] [--program FILE] [--coverage] [--keep-going] [--as-found]\n"
		"            [--examples]\n");
}

static unsigned int kinds_named(const char *list)
{
	unsigned int kinds = 0;

	for (int k = 0; k < NR_HUNT_KINDS; k++) {
		const char *p = strstr(list, hunt_kind_name[k]);
		const size_t n = strlen(hunt_kind_name[k]);

		for (; p; p = strstr(p + 1, hunt_kind_name[k]))
			if ((p == list || p[-1] == ',') && (!p[n] || p[n] == ','))
				kinds |= 1U << k;
	}
	return kinds;
}

static bool parse(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "r:t:lh", names, NULL)) != -1) {
		if (option != 'r' && option != 'l')
			options.is_test = false;
		switch (option) {
		case 's':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			options.seconds = atof(optarg);
			break;
		case 'e':
			options.episodes = atol(optarg);
			break;
		case 'o':
			options.ops = atoi(optarg);
			break;
		case 'k':
			options.kinds = kinds_named(optarg);
			break;
		case 'C':
			hunt_check = optarg;
			break;
		case 'p':
			options.program = optarg;
			break;
		case 'c':
			options.coverage = true;
			break;
		case 'g':
			options.keep_going = true;
			break;
		case 'a':
			options.as_found = true;
			break;
		case 'x':
			options.examples = true;
			break;
		case 'r':
			options.only = optarg;
			break;
		case 'l':
			options.lists = true;
			break;
		case 'h':
			usage(stdout);
			exit(PASS);
		default:
			usage(stderr);
			exit(2);
		}
	}
	return optind == argc && options.ops > 0 && options.ops <= HUNT_STEPS && options.kinds;
}

/* What is found in one episode is told once it is known what it needs. */
static void tell(u64 seed)
{
	static struct hunt_step steps[HUNT_STEPS + 1];
	struct hunt_finding first = shared->finding;
	const double begin = seconds_now();
	int nr = first.step < shared->nr ? first.step + 1 : shared->nr, again = 0, before = nr;
	struct utsname name;
	char head[1400];

	memcpy(steps, shared->step, sizeof(steps));
	if (options.as_found) {
		printf("# found: %s: %s\n# seed %llu, step %d\n", first.law, first.text,
		       (unsigned long long)seed, first.step);
		return hunt_print_steps(steps, nr);
	}
	for (int i = 0; i < 3; i++)
		again += hunt_replay(steps, nr) && !strcmp(shared->finding.law, first.law);
	printf("# found: %s: %s\n", first.law, first.text);
	printf("# seed %llu, step %d; again %d of 3 times\n", (unsigned long long)seed, first.step,
	       again);
	if (!again) {
		hunt_print_steps(steps, nr);
		return;
	}
	nr = hunt_shrink(steps, nr, first.law);
	hunt_replay(steps, nr);
	if (!shared->finding.law[0])
		hunt_replay(steps, nr);
	printf("# shrunk from %d to %d steps in %.1f s: %s: %s\n", before, nr,
	       seconds_now() - begin, shared->finding.law, shared->finding.text);
	hunt_print_steps(steps, nr);
	uname(&name);
	snprintf(head, sizeof(head),
		 " * Linux %.60s, %.30s: %s: %.400s\n * By %s. Seed %llu.\n", name.release,
		 name.machine, shared->finding.law, shared->finding.text,
		 nr ? hunt_operations[steps[nr - 1].operation].source : "nothing",
		 (unsigned long long)seed);
	if (options.program)
		hunt_print_program(options.program, steps, nr, head);
	fflush(stdout);
}

/* Returns how many findings there were. */
static int hunt(void)
{
	const double begin = seconds_now();
	u64 seed = options.seed;
	int found = 0;
	long n;

	for (n = 0; options.episodes ? n < options.episodes :
	     seconds_now() - begin < options.seconds; n++, seed++) {
		if (!hunt_episode(seed, options.ops, options.kinds))
			continue;
		found++;
		printf("# after %ld episodes, %lu operations, %.1f s:\n", n + 1, shared->operations,
		       seconds_now() - begin);
		tell(seed);
		if (!options.keep_going)
			break;
	}
	printf("# seeds %llu to %llu, %lu operations in %.1f s, %d findings\n",
	       (unsigned long long)options.seed, (unsigned long long)seed, shared->operations,
	       seconds_now() - begin, found);
	return found;
}

static const char *selfcheck(void)
{
	return hunt_flaw();
}

/* How many operations of the table did something. */
static int reached(void)
{
	int nr = 0;

	for (int i = 0; i < nr_hunt_operations; i++) {
		unsigned int done = 0;

		for (int k = 0; k < NR_HUNT_KINDS; k++)
			for (int e = 0; e < NR_HUNT_ENTRIES; e++)
				done += shared->done[i][k][e];
		nr += done > 0;
	}
	return nr;
}

/*
 * On which it was drawn for long enough, and nothing found. One that checks itself takes
 * minutes for what takes others a second.
 */
static bool is_tried(void)
{
	static const char *const tried[][2] = {
		{ "6.1.", "x86_64" }, { "6.12.", "x86_64" }, { "7.2.", "x86_64" },
		{ "7.2.", "aarch64" }, { "7.3.", "x86_64" },
	};
	struct utsname name;

	if (uname(&name) || page_size != 4096 || strstr(name.release, "debug") ||
	    strstr(name.release, "-rt"))
		return false;
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
		if (!strncmp(name.release, tried[i][0], strlen(tried[i][0])) &&
		    !strcmp(name.machine, tried[i][1]))
			return true;
	return false;
}

static const char *drawn(void)
{
	options.seed = TEST_SEED;
	options.episodes = TEST_EPISODES;
	options.keep_going = true;
	if (hunt())
		return "a law is broken";
	printf("# %d of %d operations did something\n", reached(), nr_hunt_operations);
	return reached() * 3 < nr_hunt_operations * 2 ? "too few operations did something" : NULL;
}

static const struct test {
	const char *name;
	const char *(*operate)(void);
	bool of_tried;
} tests[] = { { "hunt.selfcheck", selfcheck }, { "hunt.drawn", drawn, true } };

#define NR_TESTS	(int)(sizeof(tests) / sizeof(tests[0]))

static int run_tests(void)
{
	int nr = 0, bad = 0;

	for (int i = 0; i < NR_TESTS; i++)
		nr += !options.only || !strcmp(options.only, tests[i].name);
	printf("TAP version 13\n1..%d\n", nr);
	nr = 0;
	for (int i = 0; i < NR_TESTS; i++) {
		const char *why;

		if (options.only && strcmp(options.only, tests[i].name))
			continue;
		if (tests[i].of_tried && !is_tried()) {
			printf("ok %d %s # SKIP nobody has tried that on this kernel\n", ++nr,
			       tests[i].name);
			continue;
		}
		printf("#  RUN           %s ...\n", tests[i].name);
		fflush(stdout);
		why = tests[i].operate();
		if (why)
			printf("# %s\n", why);
		bad += !!why;
		printf("%sok %d %s\n", why ? "not " : "", ++nr, tests[i].name);
		fflush(stdout);
	}
	return bad ? FAIL : PASS;
}

static const char *lacks(void)
{
	if (sizeof(word) < 8)
		return "the areas lie beyond 32 bits";
	if (geteuid())
		return "only root may";
	if (access("/proc/self/pagemap", R_OK))
		return "the kernel has no pagemap";
	return NULL;
}

int main(int argc, char **argv)
{
	const char *why;
	int status;

	if (!parse(argc, argv)) {
		usage(stderr);
		return 2;
	}
	if (options.lists) {
		for (int i = 0; i < NR_TESTS; i++)
			printf("%s\n", tests[i].name);
		return PASS;
	}
	why = lacks();
	if (why) {
		printf("TAP version 13\n1..0 # SKIP %s\n", why);
		return SKIP;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	hunt_begin();
	if (!options.seconds && !options.episodes)
		options.episodes = 100;
	if (!world.other_size)
		options.kinds &= ~(1U << KIND_hugetlb_other);
	if (!options.kinds) {
		printf("TAP version 13\n1..0 # SKIP no memory for hugetlb pages of another size\n");
		hunt_end();
		return SKIP;
	}
	if (options.examples) {
		hunt_print_examples();
		hunt_end();
		return PASS;
	}
	status = options.is_test ? run_tests() : hunt() ? FAIL : PASS;
	if (options.coverage)
		hunt_print_coverage();
	hunt_end();
	return status;
}
