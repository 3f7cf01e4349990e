// SPDX-License-Identifier: GPL-2.0
/*
 * hold BUILDER [SECONDS]
 *
 * Makes one of the mappings of the tests, prints "PID START PAGES", and waits
 * for SECONDS, or until it is killed. For examining a kind of page by hand, and
 * for tests in other languages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mapping.h"

static const struct {
	const char *name;
	builder_t build;
} builders[] = {
#define NAME(builder)	{ #builder, build_##builder },
	BUILDERS(NAME)
	LONE_BUILDERS(NAME)
	EDGE_BUILDERS(NAME)
};

#define NR_BUILDERS	(sizeof(builders) / sizeof(builders[0]))

int main(int argc, char **argv)
{
	struct mapping m;
	struct ptw ptw;
	size_t i;

	for (i = 0; argc > 1 && i < NR_BUILDERS; i++)
		if (!strcmp(builders[i].name, argv[1]))
			break;
	if (argc < 2 || i == NR_BUILDERS) {
		fprintf(stderr, "usage: hold BUILDER [SECONDS]; builders are");
		for (i = 0; i < NR_BUILDERS; i++)
			fprintf(stderr, " %s", builders[i].name);
		fprintf(stderr, "\n");
		return 2;
	}
	if (ptw_open(&ptw) || mapping_build(&m, &ptw, builders[i].build)) {
		fprintf(stderr, "hold: the module doesn't answer\n");
		return 3;
	}
	if (m.lacks[0] || m.broken[0]) {
		fprintf(stderr, "hold: %s\n", m.lacks[0] ? m.lacks : m.broken);
		mapping_release(&m);
		return m.lacks[0] ? 4 : 1;
	}
	printf("%d %#llx %llu\n", m.pid, m.start, m.pages);
	fflush(stdout);
	if (argc > 2)
		sleep(atoi(argv[2]));
	else
		pause();
	mapping_release(&m);
	return 0;
}
