// SPDX-License-Identifier: GPL-2.0
/* ptwalk check: the kernel's interfaces against the page tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fold.h"
#include "base/format.h"
#include "base/input.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/replace.h"
#include "check/judge.h"
#include "check/process.h"
#include "check/rules.h"
#include "claims/claims.h"
#include "cmd/check_guest.h"
#include "cmd/cmd.h"
#include "cmd/during.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "expect/layout.h"
#include "module/client.h"
#include "module/memory_types.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "recording/pages.h"
#include "report/prometheus.h"
#include "sources/scan.h"
#include "sources/source.h"

#define DEFAULT_RETRIES	12

/**
 * struct options - the command line
 * @check: What some options are about.
 * @all: Check every process.
 * @prove: Compare the bytes, too.
 * @verbose: Print explained findings, too, and the limits of all interfaces.
 * @lint: Look for mappings that are wrong whatever was meant.
 * @sources: What --source said, or NULL; @without what --without said.
 * @format: What --format said, or NULL; @format_by is the option that chose one.
 * @claims: What --claims said, or NULL.
 * @record: What --record said, or NULL.
 * @replay: What --replay said, or NULL.
 * @effort: What --effort said, or NULL; @seed and @retries what those said.
 * @guest: What --guest said, or NULL; @beside_guest is how many options were that or one
 *	for the format.
 * @prometheus: What --prometheus said, or NULL.
 * @budget: What --budget said, in seconds; negative: without one.
 * @request: What --request said, or NULL; @read is it.
 * @command: What --during is to run, or NULL; @during is it.
 * @pids: The processes.
 * @ranges: The ranges, with @nr_ranges.
 * @subject: For --map.
 * @layout: What --expect said.
 * @map_range: The mapping of --map as a range; @map_arg points there.
 */
struct options {
	struct check *check;
	bool all, prove, verbose, lint;
	const char *sources, *without, *format, *format_by, *claims, *record, *replay;
	const char *request;
	const char *effort, *seed, *retries;
	const char *prometheus, *guest;
	unsigned int beside_guest;
	double budget;
	struct read_request read;
	char **command;
	struct during during;
	struct pids pids;
	char **ranges;
	int nr_ranges;
	struct subject subject;
	struct layout layout;
	char map_range[FORMAT_RANGE];
	char *map_arg;
};

/* Some have an option of their own name, which is short for --format. */
static const struct renderer *const formats[] = {
	&render_text,
	&render_json,
	&render_ktap,
	&render_kcidb,
	&render_junit,
};

/* Digits of the largest PID, PID_MAX_LIMIT. */
#define PID_DIGITS	7

/* A word of so many digits alone, or "self"; anything else is meant as a range. */
static bool looks_like_pid(const char *arg)
{
	const size_t digits = strspn(arg, "0123456789");

	return !strcmp(arg, "self") || (digits && !arg[digits] && digits <= PID_DIGITS);
}

/* What an option takes with = only is no argument. */
static bool stands_alone(const char *word, char **args, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(args[i], word))
			return true;
	return false;
}

static int take_arguments(struct options *opts, char **args, int nr)
{
	int nr_pids = 0, status;

	if (!opts->all)
		subject_args(&opts->subject, &args, &nr);
	while (!opts->all && nr_pids < nr &&
	       (!nr_pids || looks_like_pid(args[nr_pids])))
		nr_pids++;
	opts->ranges = args + nr_pids;
	opts->nr_ranges = nr - nr_pids;

	if (opts->replay && (nr || opts->all || opts->claims || opts->sources ||
			     opts->record || opts->prove))
		return fail(EXIT_USAGE, "--replay takes nothing but the recording");
	if (opts->request && (opts->all || nr_pids != 1 || opts->nr_ranges || opts->claims ||
			      opts->replay || opts->sources || opts->record || opts->prove ||
			      opts->layout.nr || opts->lint))
		return fail(EXIT_USAGE, "--request is about one process, and excludes ranges and other sources");
	if (opts->claims && opts->record)
		return fail(EXIT_USAGE, "--claims can't be recorded");
	if (opts->claims && !opts->all && !nr_pids)
		return fail(EXIT_USAGE, "check --claims: give the PID of the process that they are about");
	if (!opts->all && !nr_pids && !opts->replay)
		return fail(EXIT_USAGE, "check: give a PID, or --all");
	for (int i = 0; i < nr_pids; i++) {
		status = error_status(pids_add(&opts->pids, args[i]));
		if (status)
			return status;
	}
	for (int i = 0; opts->all && i < opts->nr_ranges; i++)
		if (looks_like_pid(opts->ranges[i]))
			return fail(EXIT_USAGE, "'%s': --all is every process: leave out the PID, or give a RANGE",
				    opts->ranges[i]);
	if (ranges_check(opts->ranges, opts->nr_ranges))
		return EXIT_USAGE;
	if (!opts->subject.map.file && opts->subject.touch)
		return fail(EXIT_USAGE, "--touch goes with --map only");
	if (opts->subject.map.file &&
	    (opts->all || nr_pids != 1 || strcmp(args[0], "self")))
		return fail(EXIT_USAGE, "--map is for the process 'self'");
	if (opts->claims && (opts->all || nr_pids != 1))
		return fail(EXIT_USAGE, "--claims is about one process");
	if ((opts->layout.nr || opts->lint) && (opts->replay || opts->claims || opts->record))
		return fail(EXIT_USAGE,
			    "--%s excludes --claims, --record and --replay",
			    opts->lint ? "lint" : "expect");
	if (opts->layout.nr && (opts->all || nr_pids != 1))
		return fail(EXIT_USAGE, "--expect is about one process");
	if (opts->layout.nr && !opts->nr_ranges && !opts->subject.map.file)
		return fail(EXIT_USAGE,
			    "--expect: which memory? Give a RANGE, or a name from /proc/PID/maps");
	if (opts->claims && opts->sources && strcmp(opts->sources, "prove"))
		return fail(EXIT_USAGE,
			    "--claims and --source exclude each other, but for --source prove");
	return 0;
}

static const struct renderer *format_named(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (parse_is_word(name, len, formats[i]->name))
			return formats[i];
	return NULL;
}

static int unknown_format(const char *name)
{
	const char *meant = NULL;
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, ","), name);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		meant = parse_nearer(word, formats[i]->name, meant);
	if (meant)
		return fail(EXIT_USAGE,
			    "--format '%s': no such format: did you mean '%s'? See `ptwalk help check`",
			    name, meant);
	return fail(EXIT_USAGE, "--format '%s': no such format: see `ptwalk help check`", name);
}

/* @option is "format" or what is short for it. */
static int take_renderer(struct options *opts, struct check *c, const char *option)
{
	const char *reason = "nothing can follow the name";
	size_t len;

	if (opts->format_by && strcmp(opts->format_by, option))
		return fail(EXIT_USAGE, "--%s and --%s exclude each other",
			    opts->format_by, option);
	opts->format_by = option;
	if (!opts->format) {
		c->renderer = format_named(option, strlen(option));
		fold_off = true;
		return 0;
	}
	len = strcspn(opts->format, ",");
	c->renderer = format_named(opts->format, len);
	if (!c->renderer)
		return unknown_format(opts->format);
	fold_off = c->renderer != &render_text;
	if (!opts->format[len])
		return 0;
	if (c->renderer->configure)
		reason = c->renderer->configure(optarg + len + 1);
	return reason ? fail(EXIT_USAGE, "--format %s: %s", c->renderer->name,
			     reason) : 0;
}

/* The words before the "--" of --during, or all; @command receives those behind. */
static int own_words(int argc, char **argv, char ***command)
{
	const size_t least = strlen("--d");
	bool during = false;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		during |= strlen(argv[i]) >= least &&
			  !strncmp(argv[i], "--during", strlen(argv[i]));
	if (!during || i == argc)
		return argc;
	*command = argv + i + 1;
	return i;
}

/* The claims need not be of all pages that are present. */
static int take_partial(void *to)
{
	struct check *c = to;
	enum claims_of partial = optarg ? CLAIMS_AS_PAGEMAP : CLAIMS_PARTIAL;

	if (optarg && strcmp(optarg, "pagemap"))
		return fail(EXIT_USAGE, "--partial '%s': give pagemap, or nothing", optarg);
	if (c->claims.partial && c->claims.partial != partial)
		return fail(EXIT_USAGE, "--partial and --partial=pagemap exclude each other");
	c->claims.partial = partial;
	return 0;
}

/**
 * struct format_option - an option that is short for --format
 */
struct format_option {
	struct options *opts;
	const char *name;
};

#define FORMAT_OPTION(format)						\
	{ format, .take = take_short, .bare = true,			\
	  .to = &(struct format_option){ opts, format } }

static int take_short(void *to)
{
	const struct format_option *o = to;

	o->opts->beside_guest++;
	return take_renderer(o->opts, o->opts->check, o->name);
}

static int take_long(void *to)
{
	struct options *opts = to;

	opts->beside_guest++;
	return option_once(&opts->format, "--format") ? EXIT_USAGE :
	       take_renderer(opts, opts->check, "format");
}

static int take_guest(void *to)
{
	struct options *opts = to;

	opts->beside_guest++;
	return option_once(&opts->guest, "--guest");
}

static int take_retries(void *to)
{
	struct options *opts = to;

	return option_retries(&opts->retries, &opts->check->effort.retries);
}

static int take_budget(void *to)
{
	struct options *opts = to;

	return option_seconds("--budget", &opts->budget);
}

static int take_effort(void *to)
{
	struct options *opts = to;
	uint64_t value;

	if (option_once(&opts->effort, "--effort"))
		return EXIT_USAGE;
	if (parse_decimal(optarg, 100000, &value))
		return fail(EXIT_USAGE, "--effort '%s': give 0 to 100000", optarg);
	opts->check->effort.times = value;
	return 0;
}

static int take_seed(void *to)
{
	struct options *opts = to;

	if (option_once(&opts->seed, "--seed"))
		return EXIT_USAGE;
	return parse_decimal(optarg, UINT32_MAX, &opts->check->effort.seed) ?
	       fail(EXIT_USAGE, "--seed '%s': give 0 to 4294967295", optarg) : 0;
}

static int take_request(void *to)
{
	struct options *opts = to;
	const char *reason;

	if (option_once(&opts->request, "--request"))
		return EXIT_USAGE;
	reason = read_request_parse(optarg, sysconf(_SC_PAGESIZE), &opts->read);
	opts->check->request = &opts->read;
	return reason ? fail(EXIT_USAGE, "--request '%s': %s", optarg, reason) : 0;
}

static int take_expect(void *to)
{
	struct options *opts = to;
	const char *reason = layout_add(&opts->layout, optarg, sysconf(_SC_PAGESIZE));

	return reason ? fail(EXIT_USAGE, "--expect '%s': %s", optarg, reason) : 0;
}

static int take_options(int argc, char **argv, struct options *opts,
			struct check *c)
{
	bool during = false;
	const struct command_option options[] = {
		{ "all", .flag = &opts->all },
		{ "budget", .take = take_budget, .to = opts },
		{ "claims", .once = &opts->claims },
		{ "during", .flag = &during },
		{ "partial", .take = take_partial, .to = c, .optional = true },
		{ "effort", .take = take_effort, .to = opts },
		{ "seed", .take = take_seed, .to = opts },
		{ "source", .once = &opts->sources },
		{ "without", .once = &opts->without },
		{ "expect", .take = take_expect, .to = opts },
		{ "format", .take = take_long, .to = opts },
		FORMAT_OPTION("json"),
		FORMAT_OPTION("ktap"),
		{ "guest", .take = take_guest, .to = opts },
		{ "lint", .flag = &opts->lint },
		{ "prove", .flag = &opts->prove },
		{ "retries", .take = take_retries, .to = opts },
		{ "record", .output = &opts->record },
		{ "replay", .once = &opts->replay },
		{ "request", .take = take_request, .to = opts },
		{ "prometheus", .output = &opts->prometheus },
		{ "freeze", .flag = &c->freeze },
		{ "known-bugs", .flag = &c->env.known_bugs },
		{ OPTION_MAP(&opts->subject) },
		{ "touch", .flag = &opts->subject.touch },
		{ "verbose", 'v', .flag = &opts->verbose },
		{ 0 }
	};
	int status;

	argc = own_words(argc, argv, &opts->command);
	opts->check = c;
	status = options_take(argc, argv, options);
	if (status)
		return error_status(status);
	c->all = opts->all;
	if (opts->guest)
		return optind < argc || options_given > opts->beside_guest || opts->command ?
			fail(EXIT_USAGE, "--guest goes with --json alone: leave out the rest") :
		       c->renderer != &render_text && c->renderer != &render_json ?
			fail(EXIT_USAGE, "--guest tells in text or JSON: leave out --%s",
			     opts->format_by) : 0;
	if (during ? !opts->command || !*opts->command : !!opts->command)
		return fail(EXIT_USAGE, "--during: give the command behind `--`");
	if (during && c->renderer != &render_text && c->renderer != &render_json)
		return fail(EXIT_USAGE, "--during tells in text or JSON: leave out --%s",
			    opts->format_by);
	if (during && (opts->subject.map.file || opts->claims || opts->record ||
		       opts->replay || opts->request))
		return fail(EXIT_USAGE, "--during excludes --claims, --map, --record, --replay and --request");
	if (c->claims.partial && !opts->claims)
		return fail(EXIT_USAGE, "--partial goes with --claims only");
	if (opts->without && (opts->claims || opts->replay || opts->request))
		return fail(EXIT_USAGE, "--without excludes --claims, --replay and --request");
	if (opts->prometheus && (during || opts->claims))
		return fail(EXIT_USAGE, "--prometheus excludes --claims and --during");
	if (opts->budget >= 0 && (during || opts->claims || opts->replay))
		return fail(EXIT_USAGE, "--budget excludes --claims, --during and --replay");
	if (during && optind == argc)
		opts->all = c->all = true;
	if (c->claims.partial == CLAIMS_PARTIAL &&
	    stands_alone("pagemap", argv + optind, argc - optind))
		return fail(EXIT_USAGE, "--partial pagemap: give --partial=pagemap, in one word");
	return take_arguments(opts, argv + optind, argc - optind);
}

static bool listed(const char *list, const char *name)
{
	const char *p;

	for (p = list; *p; p += strcspn(p, ","), p += *p == ',')
		if (parse_is_word(p, strcspn(p, ","), name))
			return true;
	return false;
}

void cmd_check_sources(void)
{
	puts("\nThe NAMEs of --source:");
	for (size_t i = 0; sources[i]; i++)
		printf("  %-20s %s\n", sources[i]->name, sources[i]->help);
	for (size_t i = 0; examinations[i]; i++)
		printf("  %-20s %s\n", examinations[i]->name, examinations[i]->help);
	puts("\nThe FORMATs of --format:");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		printf("  %-20s %s\n", formats[i]->name, formats[i]->help);
}

/* The source that @word is, or may have been meant; or NULL. */
static const char *source_meant(const char *word, const char *all)
{
	const char *meant = all ? parse_nearer(word, all, NULL) : NULL;
	size_t i;

	for (i = 0; sources[i]; i++)
		meant = parse_nearer(word, sources[i]->name, meant);
	for (i = 0; examinations[i]; i++)
		meant = parse_nearer(word, examinations[i]->name, meant);
	return meant;
}

/* @all: What stands for all of them, or NULL. */
static int unknown_source(const char *option, const char *list, const char *all)
{
	const char *p = list, *meant;
	char word[64];
	size_t len;

	for (;; p += len + 1) {
		len = strcspn(p, ",");
		if (!len)
			return fail(EXIT_USAGE, "%s '%s': a name is missing %s a comma",
				    option, list, p == list ? "before" : "behind");
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		meant = source_meant(word, all);
		if (!meant)
			return fail(EXIT_USAGE,
				    "%s '%.*s': no such source: see `ptwalk help check`",
				    option, (int)len, p);
		if (!parse_is_word(p, len, meant))
			return fail(EXIT_USAGE,
				    "%s '%s': no such source: did you mean '%s'? See `ptwalk help check`",
				    option, word, meant);
		if (!p[len])
			return 0;
	}
}

/* Why it isn't used, whatever the kernel has; or NULL. */
static const char *why_not(const struct options *opts, const char *name)
{
	return opts->without && listed(opts->without, name) ? "--without leaves it out" : NULL;
}

/* What isn't compared of an examination unless it was chosen, or isn't there. */
static const char *why_left_out(const struct check *c, const struct examination *e)
{
	static char texts[CHECK_MAX_SOURCES][400];
	static size_t nr;
	const char *limit = c->effort.whole ? NULL : e->limit;
	const char *lacks = e->lacks ? e->lacks(e, c->env.kernel, c->client) : NULL;

	if (!lacks || nr == CHECK_MAX_SOURCES)
		return limit;
	snprintf(texts[nr], sizeof(texts[0]), "%s%s%s",
		 limit ? limit : "", limit ? "; " : "", lacks);
	return texts[nr++];
}

/* What is asked beside the sources; those that are @wanted only by name. */
static int choose_examinations(struct check *c, const struct options *opts,
			       struct report_source *info)
{
	struct report_summary *s = &c->summary;
	bool all = !opts->sources || listed(opts->sources, "all");
	size_t i;

	for (i = 0; i < CHECK_MAX_SOURCES && examinations[i]; i++) {
		const struct examination *e = examinations[i];

		bool named = opts->sources && listed(opts->sources, e->name);

		if (!named && (!all || e->wanted))
			continue;
		info->name = e->name;
		info->examination = e;
		info->why = why_not(opts, e->name);
		if (!info->why && e->probe)
			info->why = e->probe(e);
		if (!info->why && e->whole && opts->nr_ranges)
			info->why = "it shows sums of the whole process: leave out the range";
		info->used = !info->why;
		if (info->used) {
			check_ask(c, e, NULL);
			info->why = why_left_out(c, e);
		} else if (named) {
			return fail(EXIT_UNCHECKED, "source %s: %s",
				    info->name, info->why);
		}
		info++;
		s->nr_sources++;
	}
	return 0;
}

/*
 * What isn't compared of a source unless it was chosen, or isn't told, and what its
 * @limit is; or NULL.
 */
static const char *why_not_compared(const struct check *c, const struct source *source,
				    const char *limit)
{
	static char texts[CHECK_MAX_SOURCES][400];
	static size_t nr;
	char *text = texts[nr], bug[160] = "";
	const bool drawn = source->trait.drawn && !c->effort.whole;
	const struct rule *rule = source_around_bugs(source, &c->env) ?
				  rules_bug_of(&c->env, source) : NULL;

	if (rule)
		snprintf(bug, sizeof(bug),
			 "a bug of this kernel (%s) is passed over: --source %s reports it",
			 rule->name, source->name);
	if ((!drawn && !*bug) || nr == CHECK_MAX_SOURCES)
		return limit;
	nr++;
	snprintf(text, sizeof(texts[0]), "%s%s%s%s%s", drawn ? "by requests drawn at random" : "",
		 drawn && *bug ? "; " : "", bug, limit ? "; " : "", limit ? limit : "");
	return text;
}

/* Finds out which of the sources there are, and uses those that are wanted. */
static int choose_sources(struct check *c, const struct options *opts,
			  struct report_source *info)
{
	struct report_summary *s = &c->summary;
	bool all = !opts->sources || listed(opts->sources, "all");
	size_t i;

	s->sources = info;
	s->effort = c->effort.times;
	s->seed = c->effort.seed;
	c->effort.whole = opts->sources;
	/* "all" asks for no bug by its name, and would tell nothing but that one. */
	c->env.around_bugs = !c->env.known_bugs;
	for (i = 0; opts->sources && sources[i]; i++)
		if (sources[i]->trait.bugs && listed(opts->sources, sources[i]->name))
			c->env.around_bugs = false;
	c->env.careful = !opts->sources;
	for (i = 0; sources[i]; i++) {
		bool named = opts->sources && listed(opts->sources, sources[i]->name);

		if (!named && !all)
			continue;
		info->name = sources[i]->name;
		info->why = why_not(opts, info->name);
		if (!info->why)
			info->why = source_lacks(sources[i]);
		info->used = !info->why;
		if (info->used) {
			c->source[c->nr_sources++] = sources[i];
			if (sources[i]->limit)
				info->why = sources[i]->limit(&c->env);
			info->why = why_not_compared(c, sources[i], info->why);
		} else if (named) {
			return fail(EXIT_UNCHECKED, "source %s: %s",
				    info->name, info->why);
		}
		info++;
		s->nr_sources++;
	}
	if (choose_examinations(c, opts, info))
		return EXIT_UNCHECKED;
	if (!c->nr_sources && !c->nr_asked)
		return fail(EXIT_UNCHECKED, "no interface of the kernel to check: %s",
			    s->nr_sources ? s->sources[0].why : "none is known");
	return 0;
}

/* One interface, by one request. */
static int choose_request(struct check *c, const struct options *opts,
			  struct report_source *info)
{
	const struct source *source = opts->read.source;

	info->name = source->name;
	info->why = source->trait.own && opts->pids.pid[0] != getpid() ?
		    "it tells a process of its own memory only: give self" : source_lacks(source);
	if (info->why)
		return fail(EXIT_UNCHECKED, "source %s: %s", info->name,
			    info->why);
	info->used = true;
	if (source->limit)
		info->why = source->limit(&c->env);
	c->source[c->nr_sources++] = source;
	c->summary.nr_sources = 1;
	return 0;
}

/* In the summary, once. */
static void name_examination(struct check *c, const struct examination *e,
			     struct report_source *info)
{
	struct report_summary *s = &c->summary;
	size_t i;

	for (i = 0; i < s->nr_sources; i++)
		if (!strcmp(info[i].name, e->name))
			return;
	info[s->nr_sources].name = e->name;
	info[s->nr_sources].examination = e;
	info[s->nr_sources++].used = true;
}

/* What has an option of its own: judged alone unless there is a --source. */
static int ask_by_option(struct check *c, const struct options *opts,
			 struct report_source *info)
{
	int err = 0;

	c->summary.sources = info;
	if (opts->layout.nr)
		check_ask(c, &examination_expect, &opts->layout);
	if (opts->lint)
		check_ask(c, &examination_lint, opts->subject.map.file ? &opts->subject.map : NULL);
	if (opts->sources)
		err = choose_sources(c, opts, info);
	if (opts->layout.nr)
		name_examination(c, &examination_expect, info);
	if (opts->lint)
		name_examination(c, &examination_lint, info);
	return err;
}

/* Beside whatever else is asked; of claims, if they aren't NULL. */
static int ask_for_proof(struct check *c, const struct claims *claims,
			 struct report_source *info)
{
	const char *why = examination_prove.probe(&examination_prove);

	if (why)
		return fail(EXIT_UNCHECKED, "--prove: %s", why);
	check_ask(c, &examination_prove, claims);
	name_examination(c, &examination_prove, info);
	return 0;
}

/* Now that the kernel is known: does it have what is expected? */
static int unknown_type(const struct options *opts, const struct ptwalk_kernel *kernel)
{
	const struct layout_piece *piece = layout_beyond(&opts->layout, kernel);
	char text[160];

	if (!piece)
		return 0;
	memtypes_text(memtypes_there(kernel), text, sizeof(text));
	return fail(EXIT_USAGE,
		    "--expect '%s': this kernel has no such memory type: it has %s",
		    piece->text, text);
}

static int open_claims(const char *path, struct claims *claims)
{
	const char *name = input_name(path);
	FILE *stream = input_open(path);
	struct stat st;

	if (!stream)
		return fail(EXIT_UNCHECKED, "%s: %s", name, strerror(errno));
	if (!fstat(fileno(stream), &st) && S_ISDIR(st.st_mode)) {
		input_close(stream);
		return fail(EXIT_UNCHECKED, "%s: is a directory", name);
	}
	if (claims_open(claims, stream, name, WINDOW_PAGES))
		exit_no_memory();
	return 0;
}

/* Every process there is, or those that were named. */
static int run_round(struct check *c, struct options *opts)
{
	int err = 0;

	opts->during.report.rounds++;
	spaces_free(&c->spaces);
	if (opts->all) {
		pids_free(&opts->pids);
		err = pids_add_all(&opts->pids);
	}
	c->effort.shared = PLAIN_LEAST_SHARED;
	for (size_t i = 0; !err && !interrupted && i < opts->pids.nr; i++) {
		/* But for the first one, a round ends with the command. */
		if (opts->during.report.rounds > 1 && !during_runs(&opts->during))
			break;
		c->effort.left = opts->pids.nr - i;
		err = check_process(c, opts->pids.pid[i], opts->ranges, opts->nr_ranges);
		during_progress(&opts->during, &c->summary.counts);
	}
	/* Those that were named may end, too, once they have been there. */
	c->all = true;
	return err;
}

static void warn(const char *message)
{
	fail(0, "%s", message);
}

static void warn_once(const char *message)
{
	if (during_is_new(message))
		warn(message);
}

/* Else the command, which may take hours, would run for nothing. */
static int look_for_named(const struct options *opts)
{
	for (size_t i = 0; !opts->all && i < opts->pids.nr; i++)
		if (procs_look(opts->pids.pid[i]))
			return fail(EXIT_UNCHECKED, "%s: '%s' was not started",
				    error_text(), opts->command[0]);
	return 0;
}

static int run_during(struct check *c, struct options *opts)
{
	struct during *d = &opts->during;
	int err = look_for_named(opts);

	if (!err)
		err = during_start(d, opts->command, c->renderer == &render_json);
	if (err)
		return err;
	d->verbose = opts->verbose;
	c->renderer = during_renderer(c->renderer, opts->verbose);
	c->warn = warn_once;
	c->summary.during = &d->report;
	if (opts->all)
		c->summary.hidden = procs_hidden();
	do {
		err = run_round(c, opts);
	} while (!err && during_pause(d));
	during_wait(d);
	return err;
}

/* For a budget that is too small each time: not the same ones are left out. */
static void begin_anywhere(struct pids *pids)
{
	struct pids turned = { 0 };
	size_t first = 0;

	getrandom(&first, sizeof(first), GRND_INSECURE);
	turned.pid = malloc(pids->nr * sizeof(*turned.pid));
	if (!turned.pid)
		exit_no_memory();
	for (turned.max = pids->nr; turned.nr < pids->nr; turned.nr++)
		turned.pid[turned.nr] =
			pids->pid[(first % pids->nr + turned.nr) % pids->nr];
	pids_free(pids);
	*pids = turned;
}

static int check_processes(struct check *c, struct options *opts, struct claims *claims)
{
	struct report_summary *s = &c->summary;
	int err = 0;

	if (opts->all) {
		s->hidden = procs_hidden();
		err = pids_add_all(&opts->pids);
	}
	if (!err && opts->all && opts->budget >= 0)
		begin_anywhere(&opts->pids);
	progress_begin("process", opts->pids.nr);
	c->effort.shared = PLAIN_LEAST_SHARED;
	for (size_t i = 0; !err && i < opts->pids.nr; i++) {
		progress_next();
		c->effort.left = opts->pids.nr - i;
		if (interrupted) {
			s->processes.unchecked += opts->pids.nr - i;
			fail(0, "%s: %zu process%s not checked",
			     interrupted == SIGALRM ? CHECK_OUT_OF_TIME :
						      CHECK_INTERRUPTED,
			     opts->pids.nr - i, opts->pids.nr - i == 1 ? "" : "es");
			break;
		} else if (opts->claims) {
			err = check_claims(c, opts->pids.pid[i], claims,
					   opts->ranges, opts->nr_ranges);
		} else {
			err = check_process(c, opts->pids.pid[i], opts->ranges,
					    opts->nr_ranges);
		}
	}
	if (interrupted && (s->processes.unchecked || opts->claims))
		s->partial = interrupted == SIGALRM ? "budget" : "signal";
	return err;
}

/* What was found is recorded, whatever ends the program. */
static void finish_recording(FILE *stream, void *arg)
{
	recording_end(arg);
}

static int start_recording(struct check *c, const char *path)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	FILE *stream;
	int err;

	if (!recording)
		return error_no_memory();
	err = replace_begin(path, finish_recording, recording, &stream);
	if (err) {
		free(recording);
		return err;
	}
	recording_begin(recording, stream, &c->env);
	c->recording = recording;
	c->record = recording_page;
	return 0;
}

/* Without a process that was checked the file stays as it was. */
static int stop_recording(struct check *c, bool found)
{
	FILE *stream = c->recording->stream;

	recording_end(c->recording);
	free(c->recording);
	c->recording = NULL;
	c->record = NULL;
	if (found)
		return error_status(replace_end(stream));
	replace_drop(stream);
	return 0;
}

/* Of each interface that the summary names. */
static void count_compared(const struct check *c, struct report_source *info)
{
	struct report_source *end = info + c->summary.nr_sources;
	const char *name;

	for (; info < end; info++)
		for (size_t i = 0; i < c->nr_sources + c->nr_asked; i++) {
			name = i < c->nr_sources ? c->source[i]->name :
			       c->asked[i - c->nr_sources].examination->name;
			if (!strcmp(info->name, name))
				info->compared = c->tally.compared[i];
		}
}

static int report_run(struct check *c, struct options *opts,
		      struct claims *claims, struct report_source *info)
{
	struct report_summary *s = &c->summary;
	int err;

	s->rules = c->tally.rules;
	c->renderer->begin(opts->verbose, s->nr_sources);
	err = opts->record ? start_recording(c, opts->record) : 0;
	if (!err)
		err = opts->replay ? check_replay(c, opts->replay) :
		      opts->command ? run_during(c, opts) : check_processes(c, opts, claims);
	/* What was found is told all the same. */
	if (c->recording && stop_recording(c, !err && s->processes.checked))
		s->processes.unchecked++;
	if (err)
		return err;
	s->kernel = c->env.kernel;
	s->reasons = c->tally.reason;
	s->nr_reasons = c->tally.nr_reasons;
	if (!s->processes.checked && !s->processes.unchecked)
		fail(0, s->processes.elsewhere ? "no process has a mapping there" :
				       "no process could be checked");
	if (s->hidden)
		fail(0, "%s", s->hidden);
	s->status = check_status(s);
	if (!s->status && opts->command && during_failed(&opts->during))
		s->status = EXIT_COMMAND;
	s->why = fail_said();
	count_compared(c, info);
	c->renderer->summary(s);
	return s->status;
}

static int run_check(struct check *c, struct options *opts,
		     struct claims *claims)
{
	struct report_source info[2 * CHECK_MAX_SOURCES] = { { 0 } };
	struct report_summary *s = &c->summary;
	bool prove = opts->prove || (opts->claims && opts->sources);
	int err = 0;

	s->sources = info;
	if (opts->claims) {
		/* With --source prove by the bytes alone, but for those that are missing. */
		c->claims.by_bytes = opts->sources;
		c->source[c->nr_sources++] = &source_claims;
		info[0].name = source_claims.name;
		info[0].used = true;
		s->nr_sources = 1;
	} else if (opts->request) {
		err = choose_request(c, opts, info);
	} else if (opts->layout.nr || opts->lint) {
		err = ask_by_option(c, opts, info);
	} else if (!opts->replay) {
		err = choose_sources(c, opts, info);
	}
	if (!err && prove)
		err = ask_for_proof(c, opts->claims ? claims : NULL, info);
	return err ? err : report_run(c, opts, claims, info);
}

/* Makes the mapping of --map: the range, or what its name means. */
static int map_subject(struct options *opts)
{
	const struct selfmap *map = &opts->subject.map;
	int status = subject_open(&opts->subject, "self"), i;
	uint64_t start;

	if (status)
		return status;
	opts->layout.map = map;
	opts->layout.touched = opts->subject.touch;
	start = (uintptr_t)map->addr;
	format_range(start, start + map->length - 1, opts->map_range);
	opts->map_arg = opts->map_range;
	if (!opts->nr_ranges) {
		opts->ranges = &opts->map_arg;
		opts->nr_ranges = 1;
	}
	for (i = 0; i < opts->nr_ranges; i++)
		if (!strcmp(opts->ranges[i], map->file))
			opts->ranges[i] = opts->map_arg;
	return 0;
}

/* There was no summary: one says why nothing was checked. */
static void tell_failure(struct check *c, const struct renderer *renderer,
			 int status, bool replay)
{
	static struct ptwalk_kernel kernel = { .release = "unknown" };
	struct report_summary *s = &c->summary;
	struct utsname name;

	if (!replay && !uname(&name))
		snprintf(kernel.release, sizeof(kernel.release), "%.64s",
			 name.release);
	s->kernel = &kernel;
	s->status = status;
	s->why = fail_said();
	s->nr_sources = 0;
	renderer->begin(false, 0);
	renderer->summary(s);
}

/* The file that the metrics of this run aren't in yet, or NULL. */
static const char *metrics;

/* Output that can't be written ends the program; they are told all the same. */
static void save_metrics(void)
{
	if (metrics)
		error_status(prometheus_save(metrics));
}

/* Metrics go into their file beside what is printed, if that can be written. */
static int begin_prometheus(struct check *c, struct options *opts)
{
	int status;

	if (!opts->prometheus)
		return 0;
	status = error_status(replace_try(opts->prometheus));
	if (status)
		opts->prometheus = NULL;
	else
		c->renderer = prometheus_beside(c->renderer);
	metrics = opts->prometheus;
	atexit(save_metrics);
	return status;
}

/* A mismatch is more than a file that can't be written. */
static int end_prometheus(const struct options *opts, int status)
{
	int err = opts->prometheus ? error_status(prometheus_save(opts->prometheus)) : 0;

	metrics = NULL;
	return err && status != EXIT_MISMATCH ? err : status;
}

/* On this kernel, as opposed to that of a recording. */
static int check_here(struct check *c, struct options *opts, struct claims *claims)
{
	int status;

	/*
	 * Those who read claims may wait for the next one; --during begins with its
	 * command.
	 */
	c->stop = &interrupted;
	if (opts->claims)
		interrupt_input(fileno(claims->lines.stream));
	if (!opts->command)
		interrupt_begin();
	claims->stop = c->stop;
	if (opts->budget >= 0)
		interrupt_after(opts->budget);
	status = procs_ready();
	if (!status)
		status = subject_refuse(opts->ranges, opts->nr_ranges);
	if (!status)
		status = client_open(&c->client);
	if (status)
		return status;
	c->env.kernel = ptwalk_kernel(c->client);
	status = unknown_type(opts, c->env.kernel);
	if (!status)
		status = run_check(c, opts, claims);
	ptwalk_close(c->client);
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct check c = {
		.renderer = &render_text,
		.warn = warn,
		.effort = { .times = DRAW_EFFORT, .retries = DEFAULT_RETRIES },
	};
	struct options opts = { .budget = -1 };
	struct claims claims = { 0 };
	int status;

	getrandom(&c.effort.seed, sizeof(uint32_t), GRND_INSECURE);
	c.effort.seed &= UINT32_MAX;
	status = take_options(argc, argv, &opts, &c);
	if (status)
		goto out;
	scan_own_begin(c.effort.seed, c.effort.times);
	if (opts.guest) {
		status = check_guest(opts.guest, c.renderer == &render_json);
		goto out;
	}
	status = begin_prometheus(&c, &opts);
	if (!status && opts.sources)
		status = unknown_source("--source", opts.sources, "all");
	if (!status && opts.without)
		status = unknown_source("--without", opts.without, NULL);
	if (!status && opts.sources && listed(opts.sources, "expect") && !opts.layout.nr)
		status = fail(EXIT_USAGE, "--source expect: give what is expected with --expect");
	if (!status && opts.claims)
		status = open_claims(opts.claims, &claims);
	if (!status && opts.subject.map.file)
		status = map_subject(&opts);
	if (!status)
		status = opts.replay ? run_check(&c, &opts, &claims) :
				    check_here(&c, &opts, &claims);
	if ((c.renderer->document || opts.prometheus) && !c.summary.kernel) {
		status = error_status(status);
		tell_failure(&c, c.renderer->document ? c.renderer : &render_prometheus,
			     status, opts.replay);
	}
	status = end_prometheus(&opts, status);
out:
	during_end(&opts.during);
	if (opts.subject.map.file)
		subject_close(&opts.subject);
	pids_free(&opts.pids);
	spaces_free(&c.spaces);
	claims_close(&claims);
	layout_free(&opts.layout);
	return c.stop && interrupted && interrupted != SIGALRM ?
	       interrupt_end() : status;
}
