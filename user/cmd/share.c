// SPDX-License-Identifier: GPL-2.0
/* ptwalk share: which frames processes share, and which have parted. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
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
 * @vma: The mapping, number @mapping of process @first; 0 for none.
 * @pages: By class.
 * @some: Of those that are shared, the pages that not all processes share.
 */
struct row {
	struct ptwalk_vma vma;
	uint64_t mapping;
	unsigned int first;
	uint64_t pages[NR_SHARE_CLASSES];
	uint64_t some;
};

/**
 * struct source - a process that is being read
 * @group: For the frames of the VMA numbered @vma_number.
 */
struct source {
	struct share *share;
	unsigned int index;
	struct truth_reader reader;
	struct maps maps;
	struct share_group *group;
	uint64_t vma_number;
};

/**
 * struct share - the command at work
 * @pids: The processes, with their @sources and @processes; @nr of each.
 * @width: Of a column of pages.
 * @row: The mapping under way.
 * @sum: All mappings.
 * @latest: The segment that was told last, for -v; 0 pages for none.
 * @frames: Its frames.
 * @groups: Frames, for those in common anywhere.
 * @at: Where the last segment began that was compared.
 */
struct share {
	bool json, verbose, human;
	const struct ptwalk_kernel *info;
	struct pids pids;
	struct source *sources;
	struct share_process *processes;
	unsigned int nr;
	int width;
	struct row row, sum;
	struct share_segment latest;
	uint64_t *frames;
	struct share_groups groups;
	bool header;
	uint64_t at;
};

/* In the order of the columns. */
static const enum share_class columns[] = {
	SHARE_COW, SHARE_FILE, SHARE_PARTED, SHARE_SINGLE, SHARE_ZERO,
	SHARE_KSM, SHARE_SWAP, SHARE_SPECIAL,
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static const char *mapping_name(const struct share *s, unsigned int process,
				uint64_t addr)
{
	const char *name = maps_name_at(&s->sources[process].maps, addr);

	return maps_title(name);
}

static bool row_is_empty(const struct row *row)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (row->pages[columns[i]])
			return false;
	return true;
}

static void print_share_header(struct share *s)
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
		printf(" %*s", s->width, title);
	}
	if (s->nr > 2)
		printf(" %*s", s->width, "SOME");
	printf(" NAME\n");
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

/* A number of pages, or with -h how much that is. */
static const char *share_amount(const struct share *s, uint64_t pages, char buf[FORMAT_SIZE])
{
	return format_amount(pages, s->info->page_shift, s->human, buf);
}

static void print_share_columns(const struct share *s, const struct row *row)
{
	char text[FORMAT_SIZE];

	for (size_t i = 0; i < NR_COLUMNS; i++) {
		uint64_t pages = row->pages[columns[i]];

		if (pages)
			printf(" %s%*s%s", out_colour(colour_of(columns[i])),
			       s->width, share_amount(s, pages, text), out_colour(OUT_PLAIN));
		else
			printf(" %*s", s->width, "-");
	}
	if (s->nr > 2)
		printf(" %*s", s->width, share_amount(s, row->some, text));
}

static void share_row_json(const struct row *row)
{
	jsonw_object("pages");
	for (size_t i = 0; i < NR_COLUMNS; i++)
		jsonw_number(share_class_name[columns[i]], row->pages[columns[i]]);
	jsonw_number("some", row->some);
	jsonw_close();
}

static void print_share_row(struct share *s)
{
	const struct ptwalk_vma *vma = &s->row.vma;
	char range[FORMAT_RANGE], perms[VMA_PERMISSIONS];

	if (s->json) {
		jsonw_begin("mapping");
		jsonw_number("pid", s->pids.pid[s->row.first]);
		jsonw_hex("start", vma->start);
		jsonw_hex("last", vma->last);
		jsonw_text("name",
			   maps_name_at(&s->sources[s->row.first].maps, vma->start));
		share_row_json(&s->row);
		jsonw_end();
		return;
	}
	print_share_header(s);
	printf("%-37s %s", format_range(vma->start, vma->last, range),
	       vma_permissions(vma, perms));
	print_share_columns(s, &s->row);
	putchar(' ');
	out_text(mapping_name(s, s->row.first, vma->start));
	putchar('\n');
	out_check();
}

static void segment_json(const struct share *s)
{
	jsonw_begin("segment");
	jsonw_number("pid", s->pids.pid[s->row.first]);
	jsonw_hex("start", s->latest.start);
	jsonw_number("pages", s->latest.pages);
	jsonw_text("class", share_class_name[s->latest.class]);
	jsonw_number("holders", s->latest.holders);
	jsonw_array("frames");
	for (unsigned int i = 0; i < s->nr; i++)
		jsonw_hex_if(NULL, s->frames[i] != SHARE_NO_FRAME, s->frames[i]);
	jsonw_close();
	jsonw_end();
}

static void print_segment(const struct share *s)
{
	uint64_t bytes = s->latest.pages << s->info->page_shift;
	char range[FORMAT_RANGE], buf[HEX_SIZE], text[FORMAT_SIZE];

	if (s->json) {
		segment_json(s);
		return;
	}
	printf("  %-37s %s%-7s%s %*s%s, frames",
	       format_range(s->latest.start, s->latest.start + bytes - 1,
			    range),
	       out_colour(colour_of(s->latest.class)),
	       share_class_name[s->latest.class], out_colour(OUT_PLAIN), s->width,
	       share_amount(s, s->latest.pages, text), s->human ? "" :
	       s->latest.pages == 1 ? " page " : " pages");
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
static bool segment_goes_on(const struct share *s, const struct share_segment *next)
{
	uint64_t bytes = s->latest.pages << s->info->page_shift;

	return s->latest.pages && s->latest.class == next->class &&
	       s->latest.holders == next->holders &&
	       s->latest.first == next->first &&
	       s->latest.mapping == next->mapping &&
	       s->latest.start + bytes == next->start;
}

static void end_segment(struct share *s)
{
	if (s->verbose && s->latest.pages && s->latest.class != SHARE_NOTHING)
		print_segment(s);
	s->latest.pages = 0;
}

static void end_mapping_row(struct share *s)
{
	if (s->row.mapping && (s->json || !s->verbose) && !row_is_empty(&s->row))
		print_share_row(s);
	for (int i = 0; i < NR_SHARE_CLASSES; i++)
		s->sum.pages[i] += s->row.pages[i];
	s->sum.some += s->row.some;
	s->row = (struct row){ 0 };
}

static bool class_is_shared(enum share_class class)
{
	return class == SHARE_COW || class == SHARE_FILE ||
	       class == SHARE_KSM || class == SHARE_SPECIAL;
}

static void begin_row(struct share *s, const struct share_segment *next)
{
	end_mapping_row(s);
	s->row.mapping = next->mapping;
	s->row.first = next->first;
	if (s->verbose && !s->json) {
		record_vma(next->vma, mapping_name(s, next->first, next->start));
		putchar('\n');
	}
}

static int take_segment(const struct share_segment *next, void *arg)
{
	struct share *s = arg;

	if (!segment_goes_on(s, next)) {
		end_segment(s);
		if (next->mapping != s->row.mapping ||
		    next->first != s->row.first)
			begin_row(s, next);
		/* It may have grown. */
		s->row.vma = *next->vma;
		s->latest = *next;
		memcpy(s->frames, next->frames, s->nr * sizeof(*s->frames));
	} else {
		s->latest.pages += next->pages;
	}
	s->row.pages[next->class] += next->pages;
	if (class_is_shared(next->class) && next->holders < s->nr)
		s->row.some += next->pages;
	s->at = next->start;
	return interrupted ? INTERRUPT_STOP : 0;
}

/* By name; those of one name become one, and the others empty. */
static int by_name(const void *a, const void *b)
{
	const struct share_group *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int by_group_frames(const void *a, const void *b)
{
	const struct share_group *const *x = a, *const *y = b;

	if ((*x)->frames != (*y)->frames)
		return (*x)->frames > (*y)->frames ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

static void join_names(struct share_groups *groups)
{
	struct share_group **g = groups->group;

	if (!groups->nr)
		return;
	qsort(g, groups->nr, sizeof(*g), by_name);
	for (size_t i = 1; i < groups->nr; i++) {
		if (by_name(&g[i - 1], &g[i]))
			continue;
		g[i]->frames += g[i - 1]->frames;
		g[i]->all += g[i - 1]->all;
		g[i - 1]->frames = 0;
		g[i - 1]->all = 0;
	}
	qsort(g, groups->nr, sizeof(*g), by_group_frames);
}

static void print_named(const struct share *s)
{
	const struct share_groups *groups = &s->groups;
	char frames[FORMAT_SIZE], all[FORMAT_SIZE];

	if (!s->json && groups->nr && groups->group[0]->frames)
		printf("\nframes in common, at whatever address:\n%10s %10s NAME\n",
		       "FRAMES", "OF ALL");
	for (size_t i = 0; i < groups->nr && groups->group[i]->frames; i++) {
		const struct share_group *g = groups->group[i];

		if (!s->json) {
			printf("%10s %10s ", share_amount(s, g->frames, frames),
			       share_amount(s, g->all, all));
			out_text(g->name);
			putchar('\n');
			continue;
		}
		jsonw_begin("frames");
		jsonw_text("name", g->name);
		jsonw_number("frames", g->frames);
		jsonw_number("all", g->all);
		jsonw_end();
	}
}

static void print_share_sum(struct share *s)
{
	char frames[FORMAT_SIZE], of_all[FORMAT_SIZE];
	uint64_t anywhere = 0, all = 0;

	for (size_t i = 0; i < s->groups.nr; i++) {
		anywhere += s->groups.group[i]->frames;
		all += s->groups.group[i]->all;
	}

	if (!s->json) {
		s->header &= !s->verbose;
		print_share_header(s);
		printf("%-37s %4s", "total", "");
		print_share_columns(s, &s->sum);
		putchar('\n');
		print_named(s);
		printf("%10s %10s total\n", share_amount(s, anywhere, frames),
		       share_amount(s, all, of_all));
		if (interrupted)
			printf("partial: interrupted at 0x%" PRIx64 "\n", s->at);
		return;
	}
	print_named(s);
	jsonw_begin("summary");
	jsonw_array("pids");
	for (unsigned int i = 0; i < s->nr; i++)
		jsonw_number(NULL, s->pids.pid[i]);
	jsonw_close();
	share_row_json(&s->sum);
	jsonw_number("frames", anywhere);
	jsonw_number("all", all);
	interrupt_json();
	jsonw_end();
}

/* A stack grows at its start, behind the back of maps, and a heap at its end. */
static struct share_group *group_of(const struct source *source)
{
	const struct ptwalk_vma *vma = &source->reader.vma;
	bool known = maps_at(&source->maps, vma->start);

	return share_group(&source->share->groups, source->index,
			   mapping_name(source->share, source->index,
					known ? vma->start : vma->last));
}

/* A message more of a process, of which the frames are noted. */
static int next_noted_extents(struct share_process *process)
{
	struct source *source = process->arg;
	struct truth_reader *reader = &source->reader;
	int ret = truth_reader_next(reader), err = 0;

	process->extents = reader->extents;
	process->nr = ret > 0 ? reader->nr : 0;
	process->vma = &reader->vma;
	process->mapping = reader->vma_number;
	if (ret <= 0)
		return ret;
	if (source->vma_number != reader->vma_number) {
		source->group = group_of(source);
		source->vma_number = reader->vma_number;
	}
	for (size_t i = 0; source->group && !err && i < process->nr; i++)
		err = share_note(source->group, &process->extents[i]);
	return err || !source->group ? error_no_memory() : 1;
}

static int begin_process(struct share *s, struct ptwalk *client, unsigned int i)
{
	struct subject subject = { .pid = s->pids.pid[i] };
	int status;

	s->sources[i].share = s;
	s->sources[i].index = i;
	s->processes[i].next = next_noted_extents;
	s->processes[i].arg = &s->sources[i];
	status = procs_look(subject.pid);
	if (!status)
		status = subject_maps(&subject, client, &s->sources[i].maps);
	if (!status)
		status = truth_reader_begin(&s->sources[i].reader, client,
					    subject.pid);
	return status;
}

/* Side by side, so that no process is kept as a whole. */
static int compare_processes(struct share *s)
{
	uint64_t bytes = 0;
	int err;

	for (unsigned int i = 0; i < s->nr; i++)
		bytes += maps_bytes(&s->sources[i].maps);
	s->width = format_columns(bytes >> s->info->page_shift, 7);
	err = share_walk(s->processes, s->nr, s->info->page_shift, take_segment, s);
	if (err && err != INTERRUPT_STOP)
		return err == -ENOMEM ? error_no_memory() : err;
	end_segment(s);
	end_mapping_row(s);
	if (share_count(&s->groups, s->nr))
		return error_no_memory();
	join_names(&s->groups);
	print_share_sum(s);
	return interrupted ? interrupt_end() : 0;
}

static int same_memory(struct spaces *spaces, pid_t pid)
{
	pid_t other = spaces_add(spaces, pid);

	return other ? fail(EXIT_USAGE, "PID '%d': it has the address space of process %d (vfork() or clone(CLONE_VM))",
			    (int)pid, (int)other) : 0;
}

static int run_share(struct share *s, int argc, char **argv)
{
	struct spaces spaces = { 0 };
	struct ptwalk *client;
	int status = 0;

	if (argc < 2)
		return fail(EXIT_USAGE, "share: give two PIDs or more");
	status = whole_processes(argv, argc, "each mapping has a line; translate and frame say who else maps a page of one");
	if (status)
		return status;
	s->nr = argc;
	s->sources = calloc(argc, sizeof(*s->sources));
	s->processes = calloc(argc, sizeof(*s->processes));
	s->frames = calloc(argc, sizeof(*s->frames));
	if (!s->sources || !s->processes || !s->frames)
		return error_no_memory();
	for (int i = 0; !status && i < argc; i++) {
		status = pids_add(&s->pids, argv[i]);
		if (!status && s->pids.nr == (size_t)i)
			status = fail(EXIT_USAGE, "PID '%s': given twice, or a thread of another: leave it out", argv[i]);
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
	interrupt_begin();
	progress_begin(NULL, 0);
	for (int i = 0; !status && i < argc; i++)
		status = begin_process(s, client, i);
	if (!status)
		status = compare_processes(s);
	for (int i = 0; i < argc; i++)
		truth_reader_end(&s->sources[i].reader);
	ptwalk_close(client);
	return status;
}

int cmd_share(int argc, char **argv)
{
	struct share s = { 0 };
	const struct command_option options[] = {
		{ "human", 'h', .flag = &s.human },
		{ "json", .flag = &s.json },
		{ "verbose", 'v', .flag = &s.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_share(&s, argc - optind, argv + optind);
	share_groups_free(&s.groups);
	for (unsigned int i = 0; s.sources && i < s.nr; i++)
		maps_free(&s.sources[i].maps);
	pids_free(&s.pids);
	free(s.sources);
	free(s.processes);
	free(s.frames);
	return status;
}
