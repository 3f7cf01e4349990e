// SPDX-License-Identifier: GPL-2.0
/* What was found, as a program; what was done, as a table. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hunt.h"

/* Of hunt_calls.c, see there. */
extern const char hunt_calls_text[];

#define PIECES		128
#define PROGRAM		(1 << 20)

/**
 * struct piece - a part of that text: a function, or something else
 * @text: Of this many
 * @length: bytes.
 * @name: Of the function, or empty.
 * @taken: The program needs it.
 */
static struct piece {
	const char *text;
	size_t length;
	char name[48];
	bool taken;
} piece[PIECES];

static int pieces;

/* A function's name stands before the first bracket of a line that isn't indented. */
static void find_name(struct piece *p)
{
	const char *end = p->text + p->length, *line = p->text, *bracket, *name;

	while (line < end && (*line == '/' || *line == ' ' || *line == '#')) {
		line = memchr(line, '\n', end - line);
		line = line ? line + 1 : end;
	}
	bracket = line < end ? memchr(line, '(', end - line) : NULL;
	if (!bracket || memchr(line, '\n', bracket - line) || memchr(line, '=', bracket - line) ||
	    memchr(line, ';', bracket - line))
		return;
	for (name = bracket; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_'); )
		name--;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(bracket - name), name);
}

/* Pieces begin behind an empty line, with one that isn't indented. */
static void split_text(void)
{
	const char *at = strstr(hunt_calls_text, "#ifndef _GNU_SOURCE"), *next;

	for (pieces = 0; at && *at && pieces < PIECES; at = next) {
		struct piece *p = &piece[pieces++];

		for (next = strstr(at, "\n\n"); next && (next[2] == '\t' || next[2] == ' '); )
			next = strstr(next + 2, "\n\n");
		*p = (struct piece) { .text = at,
				      .length = next ? (size_t)(next + 1 - at) : strlen(at) };
		find_name(p);
		next = next ? next + 2 : NULL;
		p->taken = !p->name[0];
		/* But for what is ours. */
		if (!strncmp(at, "#include \"", 10))
			pieces--;
		if (!next)
			break;
	}
}

static bool calls(const char *text, size_t length, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = text; (p = memmem(p, text + length - p, name, n)); p += n)
		if (!isalnum((unsigned char)p[-1]) && p[-1] != '_' &&
		    !isalnum((unsigned char)p[n]) && p[n] != '_')
			return true;
	return false;
}

/* Those that are called from what is taken, too. */
static void take_pieces(const char *body)
{
	bool more = true;

	while (more) {
		more = false;
		for (int i = 0; i < pieces; i++) {
			bool needed = !piece[i].taken &&
				      (calls(body, strlen(body), piece[i].name) ||
				       !strcmp(piece[i].name, "prepare"));

			for (int k = 0; !needed && !piece[i].taken && k < pieces; k++)
				needed = piece[k].taken && piece[k].name[0] &&
					 calls(piece[k].text + 1, piece[k].length - 1,
					       piece[i].name);
			if (needed)
				more = piece[i].taken = true;
		}
	}
}

/* Has the steps done once more, and what they do noted. */
static char *record(const struct hunt_step *steps, int nr)
{
	static char body[PROGRAM];
	FILE *file = tmpfile();
	ssize_t n;

	body[0] = ' ';
	if (!file)
		return NULL;
	hunt_program_fd = dup(fileno(file));
	hunt_replay(steps, nr);
	n = pread(hunt_program_fd, body + 1, sizeof(body) - 2, 0);
	close(hunt_program_fd);
	hunt_program_fd = -1;
	fclose(file);
	body[1 + (n > 0 ? n : 0)] = 0;
	return body;
}

static const char needs[] =
	" * As root; what it takes as far as it is used here: a swap area, 24 hugetlb pages\n"
	" * (vm.nr_hugepages), four of another size (/sys/kernel/mm/hugepages), huge pages on\n"
	" * advice (transparent_hugepage/enabled madvise, shmem_enabled advise), two NUMA nodes.\n"
	" * Exits with 1 if it shows the bug.\n";

void hunt_print_program(const char *path, const struct hunt_step *steps, int nr, const char *head)
{
	const char *body = record(steps, nr);
	FILE *out = !strcmp(path, "-") ? stdout : fopen(path, "we");

	if (!out || !body)
		return;
	split_text();
	take_pieces(body);
	fprintf(out, "// SPDX-License-Identifier: GPL-2.0\n/*\n%s *\n%s */\n", head, needs);
	for (int i = 0; i < pieces; i++)
		if (piece[i].taken)
			fprintf(out, "%.*s\n", (int)piece[i].length, piece[i].text);
	fprintf(out, "int main(void)\n{\n\tlong before_S, before_D, before_L, before_g;\n"
		"\tint pid = -1;\n\n"
		"\tprepare();\n%s", body + 1);
	fprintf(out, "\t(void)pid;\n\t(void)before_S;\n\t(void)before_D;\n"
		"\t(void)before_L;\n\t(void)before_g;\n"
		"\tputs(\"ended\");\n\treturn 0;\n}\n");
	if (out != stdout)
		fclose(out);
	else
		fflush(out);
}

void hunt_print_steps(const struct hunt_step *steps, int nr)
{
	for (int i = 0; i < nr; i++) {
		const struct hunt_step *s = &steps[i];

		printf("#  %2d %-16s %-14s %4u+%-4u", i, hunt_operations[s->operation].name,
		       hunt_kind_name[world.area[s->area].kind], s->first, s->count);
		if (hunt_operations[s->operation].operate == run_mremap ||
		    hunt_operations[s->operation].operate == run_uffd_move)
			printf(" to %u", s->to_first);
		printf(" argument %#x, short by %u: %s\n", s->argument, s->short_by,
		       hunt_operations[s->operation].source);
	}
}

static const char *const entry_name[NR_HUNT_ENTRIES] = {
	"hole", "present", "huge", "marker", "swapped", "protected", "prot. huge", "guard",
};

/* Operation by entry: how often done and tried; and where never. */
void hunt_print_coverage(void)
{
	unsigned int never = 0, cells = 0;

	printf("# %-16s", "operation");
	for (int e = 0; e < NR_HUNT_ENTRIES; e++)
		printf(" %11s", entry_name[e]);
	printf("  kinds in which it was never done\n");
	for (int i = 0; i < nr_hunt_operations; i++) {
		printf("# %-16s", hunt_operations[i].name);
		for (int e = 0; e < NR_HUNT_ENTRIES; e++) {
			unsigned int done = 0, tried = 0;

			for (int k = 0; k < NR_HUNT_KINDS; k++) {
				done += shared->done[i][k][e];
				tried += shared->tried[i][k][e];
				cells++;
				never += !shared->done[i][k][e];
			}
			printf(" %5u/%-5u", done, tried);
		}
		for (int k = 0; k < NR_HUNT_KINDS; k++) {
			unsigned int done = 0;

			for (int e = 0; e < NR_HUNT_ENTRIES; e++)
				done += shared->done[i][k][e];
			if (!done)
				printf(" %s", hunt_kind_name[k]);
		}
		printf("\n");
	}
	printf("# of %u cells (operation, kind, entry) %u were never reached\n", cells, never);
}
