// SPDX-License-Identifier: GPL-2.0
/* ptwalk map: the address space and the memory behind it, as a picture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fold.h"
#include "base/input.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/replace.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/kernel_recording.h"
#include "cmd/options.h"
#include "cmd/replay.h"
#include "cmd/topics.h"
#include "map/gather.h"
#include "map/html.h"
#include "map/svg.h"
#include "map/terminal.h"
#include "module/client.h"
#include "proc/subject.h"
#include "report/picture.h"

/**
 * struct command - the command at work
 * @output: "-" for standard output; NULL: no picture but letters.
 * @format: Of --format.
 * @html: @output is HTML, not SVG.
 * @before: Name of a recording to compare with, read into @old.
 * @replay: Name of one to show, read into @now.
 * @kernel: These are of the kernel's own tables, read into @tables and @old_tables.
 */
struct command {
	struct subject subject;
	bool json, html, kernel;
	const char *output, *format, *replay, *before;
	struct rss_replay now, old;
	struct kernel_facts tables, old_tables;
	struct map_gathered gathered;
};

static const char *why(const char *name)
{
	for (unsigned int i = 0; i < nr_topics; i++)
		if (!strcmp(topics[i].name, name))
			return topics[i].what;
	for (const struct slack *s = kernel_bugs; s->name; s++)
		if (!strcmp(s->name, name))
			return s->text;
	return "";
}

#define LEAST_WIDTH	40
#define MOST_WIDTH	1000

/* That of the terminal, or what COLUMNS says. */
static unsigned int width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t number;

	if (columns && !parse_decimal(columns, MOST_WIDTH, &number) &&
	    number >= LEAST_WIDTH)
		return number;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_col >= LEAST_WIDTH)
		return size.ws_col;
	return 80;
}

static int write_picture(const struct command *c, const struct map_picture *p, FILE *file)
{
	if (c->html)
		return map_html(file, p) ? error_no_memory() : 0;
	map_svg(file, p);
	return 0;
}

static bool to_stdout(const struct command *c)
{
	return c->output && !strcmp(c->output, "-");
}

static int write_file(const struct command *c, const struct map_picture *p)
{
	FILE *file;
	int err;

	if (to_stdout(c)) {
		fold_off = true;
		return write_picture(c, p, stdout);
	}
	err = replace_begin(c->output, NULL, NULL, &file);
	if (err)
		return err;
	err = write_picture(c, p, file);
	if (!err)
		return replace_end(file);
	replace_drop(file);
	return err;
}

static int show_picture(struct command *c)
{
	struct map_picture *p = malloc(sizeof(*p));
	int status = 0;

	map_gather_end(&c->gathered, why);
	if (!p || map_picture_make(&c->gathered.input, p))
		status = error_no_memory();
	if (!status && c->output)
		status = write_file(c, p);
	if (!status && c->json)
		picture_print_json(p, c->subject.pid, interrupt_json);
	else if (!status && !c->output)
		map_terminal(stdout, p, width(), *out_colour(OUT_DIM));
	else if (!status && c->gathered.partial && !to_stdout(c))
		map_terminal_title(stdout, p);
	if (p)
		map_picture_free(p);
	free(p);
	return status;
}

static int gather_process(struct command *c, const char *pid)
{
	struct ptwalk *client = NULL;
	struct maps maps = { 0 };
	int status;

	status = subject_open(&c->subject, pid);
	interrupt_begin();
	progress_begin(NULL, 0);
	if (!status)
		status = client_open(&client);
	if (!status)
		status = subject_maps(&c->subject, client, &maps);
	c->gathered.stop = &interrupted;
	if (!status)
		status = map_gather_process(client, c->subject.pid, &maps,
					    &c->gathered);
	if (!status && c->before)
		status = replay_same_kernel(input_name(c->before), &c->old.info,
					    "the running kernel",
					    ptwalk_kernel(client));
	if (!status && c->before && !interrupted)
		status = map_gather_before(&c->old, &c->gathered);
	if (!status)
		status = show_picture(c);
	maps_free(&maps);
	ptwalk_close(client);
	return interrupted && !status ? interrupt_end() : status;
}

static int gather_recording(struct command *c)
{
	int status = replay_read(c->replay, &c->now);

	if (!status && c->before)
		status = replay_same_kernel(input_name(c->before), &c->old.info,
					    input_name(c->replay), &c->now.info);
	if (!status)
		status = map_gather_recording(&c->now, &c->gathered);
	if (!status && c->before)
		status = map_gather_before(&c->old, &c->gathered);
	return status ? status : show_picture(c);
}

static int gather_kernel(struct command *c)
{
	struct kernel_recorded now = { 0 }, old = { 0 };
	int status = kernel_recording_read(c->replay, &now, &c->tables);

	if (!status && c->before)
		status = kernel_recording_read(c->before, &old, &c->old_tables);
	if (!status && c->before)
		status = kernel_recording_fits(input_name(c->before), &old, &c->old_tables.tables,
					       input_name(c->replay), &now, &c->tables.tables);
	if (!status)
		status = map_gather_kernel(&c->tables, c->before ? &c->old_tables : NULL,
					   &c->gathered);
	snprintf(c->gathered.of, sizeof(c->gathered.of), "the kernel's own tables, Linux %s",
		 now.release);
	return status ? status : show_picture(c);
}

/* What --format says, or the name of the file; standard output has none. */
static int choose_format(struct command *c)
{
	const char *dot, *format = c->format;

	if (format && !c->output)
		c->output = "-";
	if (!c->output)
		return 0;
	if (to_stdout(c) && c->json)
		return fail(EXIT_USAGE, "-o '-': standard output has the JSON: give a file");
	if (!format) {
		dot = strrchr(c->output, '.');
		format = to_stdout(c) ? "html" : dot ? dot + 1 : "";
	}
	c->html = !strcmp(format, "html") || !strcmp(format, "htm");
	if (c->html || !strcmp(format, "svg"))
		return 0;
	if (c->format)
		return fail(EXIT_USAGE, "--format '%s': give html or svg", format);
	return fail(EXIT_USAGE, "-o '%s': give a file whose name ends with .html or .svg, or --format",
		    c->output);
}

static int run_map(struct command *c, int argc, char **argv)
{
	int status = c->replay ? 0 :
		whole_processes(argv, argc, "the page for a browser (-o) zooms to a mapping");

	if (status)
		return status;
	if (argc > 1 || (argc && c->replay))
		return fail(EXIT_USAGE, c->replay ?
			    "--replay takes nothing but the recording" :
			    "'%s' is too much: give one PID", argv[argc - 1]);
	if (c->replay && (c->subject.map.file || c->subject.touch))
		return fail(EXIT_USAGE, "--replay takes nothing but the recording");
	if (c->kernel && !c->replay)
		return fail(EXIT_USAGE, "map: --kernel is of a recording of `ptwalk kernel --record`: give it with --replay");
	if (c->replay && c->before && !strcmp(c->replay, "-") &&
	    !strcmp(c->before, "-"))
		return fail(EXIT_USAGE, "only one of the recordings can be standard input");
	if (c->kernel)
		return gather_kernel(c);
	subject_args(&c->subject, &argv, &argc);
	status = c->before ? replay_read(c->before, &c->old) : 0;
	if (status)
		return status;
	return c->replay ? gather_recording(c) :
			   gather_process(c, argc ? argv[0] : NULL);
}

static int take_output(void *to)
{
	struct command *c = to;

	return option_once(&c->output, "-o");
}

int cmd_map(int argc, char **argv)
{
	struct command command = { 0 };
	const struct command_option options[] = {
		{ "before", .once = &command.before },
		{ "format", .once = &command.format },
		{ "json", .flag = &command.json },
		{ "kernel", .flag = &command.kernel },
		{ OPTION_MAP(&command.subject) },
		{ "output", 'o', .take = take_output, .to = &command },
		{ "replay", .once = &command.replay },
		{ "touch", .flag = &command.subject.touch },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = choose_format(&command);
	if (!status)
		status = run_map(&command, argc - optind, argv + optind);
	map_gathered_free(&command.gathered);
	rss_replay_free(&command.now);
	rss_replay_free(&command.old);
	kernel_facts_free(&command.tables);
	kernel_facts_free(&command.old_tables);
	subject_close(&command.subject);
	return status;
}
