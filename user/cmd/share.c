// SPDX-License-Identifier: GPL-2.0
/* ptwalk share: which frames processes share, and which have parted. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "module/client.h"
#include "module/entry.h"
#include "proc/maps.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/spaces.h"
#include "proc/subject.h"
#include "report/record.h"
#include "rmap/share.h"

/**
 * struct row - pages of a mapping by outcome
 * @vma: The mapping, of process @first; NULL for none.
 * @pages: By class.
 * @some: Of those that are shared, the pages that not all processes share.
 */
struct row {
	const struct ptwalk_vma *vma;
	unsigned int first;
	uint64_t pages[NR_SHARE_CLASSES];
	uint64_t some;
};

/**
 * struct named - frames in common, by the name of what they are of
 */
struct named {
	const char *name;
	uint64_t frames, all;
};

/**
 * struct share - the command at work
 * @pids: The processes, with their @truths and @maps; @nr of each.
 * @row: The mapping under way.
 * @sum: All mappings.
 * @latest: The segment that was told last, for -v; 0 pages for none.
 * @frames: Its frames.
 * @named: Frames in common anywhere.
 * @anywhere: Frames in common, and of these @anywhere_all by all.
 */
struct share {
	bool json, verbose;
	const struct ptwalk_kernel *info;
	struct pids pids;
	struct truth *truths;
	struct maps *maps;
	unsigned int nr;
	struct row row, sum;
	struct share_segment latest;
	uint64_t *frames;
	struct named *named;
	size_t nr_named, max_named;
	uint64_t anywhere, anywhere_all;
	bool header;
};

/* In the order of the columns. */
static const enum share_class columns[] = {
	SHARE_COW, SHARE_FILE, SHARE_PARTED, SHARE_SINGLE, SHARE_ZERO,
	SHARE_KSM, SHARE_SWAP, SHARE_SPECIAL,
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static const char *name_at(const struct share *s, unsigned int process,
			   uint64_t addr)
{
	const char *name = maps_name_at(&s->maps[process], addr);

	return *name ? name : "anonymous memory";
}

static bool is_empty(const struct row *row)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (row->pages[columns[i]])
			return false;
	return true;
}

static void print_header(struct share *s)
{
	if (s->header)
		return;
	s->header = true;
	printf("%-37s %-4s", "START-END", "PERM");
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		char title[16];
		size_t n = 0;

		for (const char *p = share_class_name[columns[i]]; *p; p++)
			title[n++] = *p - 'a' + 'A';
		title[n] = '\0';
		printf(" %7s", title);
	}
	printf("%s NAME\n", s->nr > 2 ? "    SOME" : "");
}

static enum out_colour colour_of(enum share_class class)
{
	switch (class) {
	case SHARE_COW:
	case SHARE_FILE:
	case SHARE_KSM:
		return OUT_GOOD;
	case SHARE_PARTED:
		return OUT_BAD;
	default:
		return OUT_PLAIN;
	}
}

static void print_columns(const struct share *s, const struct row *row)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		uint64_t pages = row->pages[columns[i]];

		if (pages)
			printf(" %s%7" PRIu64 "%s",
			       out_colour(colour_of(columns[i])), pages,
			       out_colour(OUT_PLAIN));
		else
			printf(" %7s", "-");
	}
	if (s->nr > 2)
		printf(" %7" PRIu64, row->some);
}

static void row_json(const struct share *s, json_t *object,
		     const struct row *row)
{
	json_t *pages = json_object();

	for (size_t i = 0; i < NR_COLUMNS; i++)
		json_object_set_new(pages, share_class_name[columns[i]],
				    json_integer(row->pages[columns[i]]));
	json_object_set_new(pages, "some", json_integer(row->some));
	json_object_set_new(object, "pages", pages);
}

static void print_row(struct share *s)
{
	const struct ptwalk_vma *vma = s->row.vma;
	char range[FORMAT_RANGE], perms[VMA_PERMISSIONS];
	json_t *object;

	if (s->json) {
		object = json_object();
		json_object_set_new(object, "type", json_string("mapping"));
		json_object_set_new(object, "pid",
				    json_integer(s->pids.pid[s->row.first]));
		json_object_set_new(object, "start", json_hex(vma->start));
		json_object_set_new(object, "last", json_hex(vma->last));
		json_object_set_new(object, "name",
			json_text(maps_name_at(&s->maps[s->row.first],
					       vma->start)));
		row_json(s, object, &s->row);
		out_json(object);
		return;
	}
	print_header(s);
	printf("%-37s %s", format_range(vma->start, vma->last, range),
	       vma_permissions(vma, perms));
	print_columns(s, &s->row);
	putchar(' ');
	out_text(name_at(s, s->row.first, vma->start));
	putchar('\n');
	out_check();
}

static void segment_json(const struct share *s)
{
	json_t *object = json_object(), *array = json_array();

	json_object_set_new(object, "type", json_string("segment"));
	json_object_set_new(object, "pid",
			    json_integer(s->pids.pid[s->row.first]));
	json_object_set_new(object, "start", json_hex(s->latest.start));
	json_object_set_new(object, "pages", json_integer(s->latest.pages));
	json_object_set_new(object, "class",
			    json_string(share_class_name[s->latest.class]));
	json_object_set_new(object, "holders",
			    json_integer(s->latest.holders));
	for (unsigned int i = 0; i < s->nr; i++)
		json_array_append_new(array, s->frames[i] == SHARE_NO_FRAME ?
				      json_null() : json_hex(s->frames[i]));
	json_object_set_new(object, "frames", array);
	out_json(object);
}

static void print_segment(const struct share *s)
{
	uint64_t bytes = s->latest.pages << s->info->page_shift;
	char range[FORMAT_RANGE], buf[HEX_SIZE];

	if (s->json) {
		segment_json(s);
		return;
	}
	printf("  %-37s %s%-7s%s %7" PRIu64 " page%s, frames",
	       format_range(s->latest.start, s->latest.start + bytes - 1,
			    range),
	       out_colour(colour_of(s->latest.class)),
	       share_class_name[s->latest.class], out_colour(OUT_PLAIN),
	       s->latest.pages, s->latest.pages == 1 ? " " : "s");
	for (unsigned int i = 0; i < s->nr; i++)
		printf(" %s", s->frames[i] == SHARE_NO_FRAME ? "-" :
						hex(s->frames[i], buf));
	putchar('\n');
	out_check();
}

/*
 * Segments come by extent; for the eye those in a row with the same outcome
 * are one. With -v the frames told are those of the first page.
 */
static bool goes_on(const struct share *s, const struct share_segment *next)
{
	uint64_t bytes = s->latest.pages << s->info->page_shift;

	return s->latest.pages && s->latest.class == next->class &&
	       s->latest.holders == next->holders &&
	       s->latest.vma == next->vma &&
	       s->latest.start + bytes == next->start;
}

static void end_segment(struct share *s)
{
	if (s->verbose && s->latest.pages && s->latest.class != SHARE_NOTHING)
		print_segment(s);
	s->latest.pages = 0;
}

static void end_row(struct share *s)
{
	if (s->row.vma && (s->json || !s->verbose) && !is_empty(&s->row))
		print_row(s);
	for (int i = 0; i < NR_SHARE_CLASSES; i++)
		s->sum.pages[i] += s->row.pages[i];
	s->sum.some += s->row.some;
	s->row = (struct row){ 0 };
}

static bool is_shared(enum share_class class)
{
	return class == SHARE_COW || class == SHARE_FILE ||
	       class == SHARE_KSM || class == SHARE_SPECIAL;
}

static int take_segment(const struct share_segment *next, void *arg)
{
	struct share *s = arg;

	if (!goes_on(s, next)) {
		end_segment(s);
		if (next->vma != s->row.vma) {
			end_row(s);
			s->row.vma = next->vma;
			s->row.first = next->first;
			if (s->verbose && !s->json) {
				record_vma(next->vma,
					   name_at(s, next->first,
						   next->start));
				putchar('\n');
			}
		}
		s->latest = *next;
		memcpy(s->frames, next->frames, s->nr * sizeof(*s->frames));
	} else {
		s->latest.pages += next->pages;
	}
	s->row.pages[next->class] += next->pages;
	if (is_shared(next->class) && next->holders < s->nr)
		s->row.some += next->pages;
	return 0;
}

static int take_frames(const struct share_frames *f, void *arg)
{
	struct share *s = arg;
	const char *name = name_at(s, f->first, f->addr);
	struct named *named;
	size_t i;

	s->anywhere += f->pages;
	if (f->holders == s->nr)
		s->anywhere_all += f->pages;
	for (i = 0; i < s->nr_named; i++)
		if (!strcmp(s->named[i].name, name))
			break;
	if (!array_room(&s->named, &s->max_named, i + 1, sizeof(*s->named)))
		exit_no_memory();
	named = &s->named[i];
	if (i == s->nr_named) {
		s->nr_named++;
		*named = (struct named){ .name = name };
	}
	named->frames += f->pages;
	if (f->holders == s->nr)
		named->all += f->pages;
	return 0;
}

static int by_frames(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void print_named(const struct share *s)
{
	json_t *object;

	if (!s->json && s->nr_named)
		printf("\nframes in common, at whatever address:\n%10s %10s NAME\n",
		       "FRAMES", "OF ALL");
	for (size_t i = 0; i < s->nr_named; i++) {
		const struct named *n = &s->named[i];

		if (!s->json) {
			printf("%10" PRIu64 " %10" PRIu64 " ", n->frames,
			       n->all);
			out_text(n->name);
			putchar('\n');
			continue;
		}
		object = json_object();
		json_object_set_new(object, "type", json_string("frames"));
		json_object_set_new(object, "name", json_text(n->name));
		json_object_set_new(object, "frames", json_integer(n->frames));
		json_object_set_new(object, "all", json_integer(n->all));
		out_json(object);
	}
}

static void print_sum(struct share *s)
{
	json_t *object, *pids;

	if (!s->json) {
		s->header &= !s->verbose;
		print_header(s);
		printf("%-37s %4s", "total", "");
		print_columns(s, &s->sum);
		putchar('\n');
		print_named(s);
		printf("%10" PRIu64 " %10" PRIu64 " total\n", s->anywhere,
		       s->anywhere_all);
		return;
	}
	print_named(s);
	object = json_object();
	pids = json_array();
	for (unsigned int i = 0; i < s->nr; i++)
		json_array_append_new(pids, json_integer(s->pids.pid[i]));
	json_object_set_new(object, "type", json_string("summary"));
	json_object_set_new(object, "pids", pids);
	row_json(s, object, &s->sum);
	json_object_set_new(object, "frames", json_integer(s->anywhere));
	json_object_set_new(object, "all", json_integer(s->anywhere_all));
	out_json(object);
}

static int read_process(struct share *s, struct ptwalk *client, unsigned int i)
{
	struct subject subject = { .pid = s->pids.pid[i] };
	int status;

	status = procs_look(subject.pid);
	if (!status)
		status = subject_maps(&subject, client, &s->maps[i]);
	if (!status)
		status = truth_read(client, subject.pid, 0, UINT64_MAX,
				    &s->truths[i]);
	return status;
}

static int compare(struct share *s)
{
	unsigned int shift = s->info->page_shift;
	int err;

	err = share_walk(s->truths, s->nr, shift, take_segment, s);
	if (!err) {
		end_segment(s);
		end_row(s);
		err = share_by_frame(s->truths, s->nr, shift, take_frames, s);
	}
	if (err)
		return error_no_memory();
	if (s->nr_named)
		qsort(s->named, s->nr_named, sizeof(*s->named), by_frames);
	print_sum(s);
	return 0;
}

static int same_memory(struct spaces *spaces, pid_t pid)
{
	pid_t other = spaces_add(spaces, pid);

	return other ? fail(EXIT_USAGE, "PID '%d': it has the address space of process %d (vfork() or clone(CLONE_VM))",
			    (int)pid, (int)other) : 0;
}

static int run(struct share *s, int argc, char **argv)
{
	struct spaces spaces = { 0 };
	struct ptwalk *client;
	int status = 0;

	if (argc < 2)
		return fail(EXIT_USAGE, "share: give two PIDs or more");
	s->nr = argc;
	s->truths = calloc(argc, sizeof(*s->truths));
	s->maps = calloc(argc, sizeof(*s->maps));
	s->frames = calloc(argc, sizeof(*s->frames));
	if (!s->truths || !s->maps || !s->frames)
		return error_no_memory();
	for (int i = 0; !status && i < argc; i++) {
		status = pids_add(&s->pids, argv[i]);
		if (!status && s->pids.nr == (size_t)i)
			status = fail(EXIT_USAGE, "PID '%s': given twice, or a thread of another", argv[i]);
		else if (!status)
			status = same_memory(&spaces, s->pids.pid[i]);
	}
	spaces_free(&spaces);
	if (!status)
		status = procs_ready();
	if (!status)
		status = client_open(&client);
	if (status)
		return status;
	s->info = ptwalk_kernel(client);
	for (int i = 0; !status && i < argc; i++)
		status = read_process(s, client, i);
	if (!status)
		status = compare(s);
	ptwalk_close(client);
	return status;
}

int cmd_share(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "verbose", no_argument, NULL, 'v' },
		{ 0 }
	};
	struct share s = { 0 };
	int status = 0;
	int c;

	optind = 0;
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":v", options,
					   NULL)) != -1) {
		switch (c) {
		case 'j':
			s.json = true;
			break;
		case 'v':
			s.verbose = true;
			break;
		default:
			status = option_refused(c, argv);
		}
	}
	if (!status)
		status = run(&s, argc - optind, argv + optind);
	for (unsigned int i = 0; s.truths && i < s.nr; i++)
		truth_free(&s.truths[i]);
	for (unsigned int i = 0; s.maps && i < s.nr; i++)
		maps_free(&s.maps[i]);
	pids_free(&s.pids);
	free(s.truths);
	free(s.maps);
	free(s.frames);
	free(s.named);
	return status;
}
