// SPDX-License-Identifier: GPL-2.0
/* ptwalk decode: entries of pagemap taken apart. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/decode_pte.h"
#include "cmd/options.h"
#include "cmd/words.h"
#include "proc/pagemap_entry.h"
#include "proc/zones.h"

#define BLANKS	" \t\r\n"

/**
 * struct request - how entries are to be read
 * @level: A word that said the level of the value that follows; @has_level.
 * @bad: "bad" was before it, as pmd_ERROR() has it.
 */
struct request {
	enum decode_format format;
	unsigned int page_shift;
	bool json, has_format, has_level, bad;
	int level;
	struct pte_options raw;
};

/**
 * struct doubt - why a value may be something else than an entry of pagemap
 * @why: What speaks against it, or NULL.
 * @arch: Of whose page tables it may be an entry, of level @level, or NULL.
 * @swapped: It makes sense with its bytes turned round, as that or else for pagemap.
 */
struct doubt {
	const char *why;
	const struct pte_arch *arch;
	unsigned int level;
	bool swapped;
};

/* Behind the last frame of this machine; the value may be of another one. */
static uint64_t memory_end(void)
{
	static uint64_t end;
	struct zones zones = { 0 };

	if (end)
		return end;
	zones_read(&zones);
	end = UINT64_MAX;
	for (size_t i = 0; i < zones.nr; i++)
		if (end == UINT64_MAX || zones.zone[i].last >= end)
			end = zones.zone[i].last + 1;
	zones_free(&zones);
	return end;
}

static bool is_beyond_memory(const struct decoded *d)
{
	return d->present && d->pfn >= memory_end();
}

static struct doubt doubt_of(const struct decoded *d)
{
	struct doubt doubt = { .why = decode_unlikely(d) };
	struct decoded turned;

	if (!d->entry)
		return doubt;
	/* Many good ones could be an entry of a higher level. */
	doubt.arch = pte_likely(d->entry, doubt.why ? 1 : 0, &doubt.level);
	decode(__builtin_bswap64(d->entry), DECODE_AUTO, &turned);
	/* Where memory ends takes long to read. */
	doubt.swapped = !doubt.arch && turned.format == DECODE_NEW &&
			(turned.present || turned.swapped) && !decode_unlikely(&turned) &&
			(doubt.why || is_beyond_memory(d)) && !is_beyond_memory(&turned);
	if (!doubt.why && (doubt.arch || doubt.swapped) && is_beyond_memory(d))
		doubt.why = "the PFN is beyond this machine's memory";
	if (!doubt.why || doubt.arch || doubt.swapped)
		return doubt;
	doubt.arch = pte_likely(__builtin_bswap64(d->entry), 0, &doubt.level);
	doubt.swapped = doubt.arch;
	return doubt;
}

/* ": it can't be ...; looks like ..." */
static void print_doubt(const struct doubt *doubt, uint64_t entry)
{
	if (doubt->why)
		printf("; hardly an entry of pagemap: %s", doubt->why);
	if (doubt->swapped && doubt->arch)
		printf("; it makes sense byte-swapped, as a page-table entry: try `ptwalk decode --pte --arch %s 0x%016" PRIx64 "`",
		       doubt->arch->name, __builtin_bswap64(entry));
	else if (doubt->swapped)
		printf("; it makes sense byte-swapped");
	else if (doubt->arch && doubt->why)
		printf("; looks like a page-table entry: try `ptwalk decode --pte --arch %s%s`",
		       doubt->arch->name, doubt->level ? " --level pmd" : "");
	else if (doubt->arch)
		printf("; a page-table entry of %s may look so, too (--pte)",
		       doubt->arch->name);
	else if (doubt->why)
		printf("; a page-table entry? See --pte");
}

static const char *format_name(enum decode_format format)
{
	return format == DECODE_OLD ? "old" : "new";
}

static const char *parse_page_size(const char *arg, unsigned int *shift)
{
	uint64_t size;
	const char *reason = parse_size(arg, &size);

	if (reason)
		return reason;
	if (!size || size & (size - 1))
		return "not a power of two";
	*shift = __builtin_ctzll(size);
	return NULL;
}

static void print_entry_json(const struct request *r, const struct decoded *d)
{
	const struct doubt doubt = doubt_of(d);
	uint64_t paddr;

	jsonw_begin("entry");
	decode_json(d);
	jsonw_text("format", format_name(d->format));
	jsonw_bool("ambiguous", d->ambiguous);
	if (d->why)
		jsonw_text("why", d->why);
	if (decode_paddr(d, r->page_shift, &paddr))
		jsonw_hex("paddr", paddr);
	if (doubt.why)
		jsonw_text("unlikely", doubt.why);
	if (doubt.swapped)
		jsonw_bool("byte_swapped", true);
	if (doubt.arch)
		jsonw_text("may_be_pte_of", doubt.arch->name);
	if (doubt.arch && doubt.level)
		jsonw_text("may_be_level", pte_level_name[doubt.level]);
	jsonw_end();
}

static void print_entry_text(const struct request *r, const struct decoded *d)
{
	const struct doubt doubt = doubt_of(d);
	char text[DECODE_TEXT_SIZE];
	uint64_t paddr;

	decode_text(d, text, sizeof(text));
	printf("0x%016" PRIx64 " %s", d->entry, text);
	if (d->format == DECODE_OLD && d->page_shift < 10)
		printf(", page shift %u", d->page_shift);
	else if (d->format == DECODE_OLD && d->page_shift < 40)
		printf(", %" PRIu64 "K page",
		       (uint64_t)1 << (d->page_shift - 10));
	else if (d->format == DECODE_OLD)
		printf(", page shift %u", d->page_shift);
	if (decode_paddr(d, r->page_shift, &paddr))
		printf(", paddr 0x%" PRIx64, paddr);
	else if (d->present)
		printf(", paddr beyond 64 bits");
	printf("; %s format (%s)%s%s", format_name(d->format),
	       d->format == DECODE_OLD ? "before Linux 4.2" :
					 "since Linux 4.2",
	       d->ambiguous ? ", ambiguous: " : d->why ? ": " : "",
	       d->why ? d->why : "");
	print_doubt(&doubt, d->entry);
	putchar('\n');
	out_check();
}

/* Of such a name; oopses of i386 have two more. */
static int level_of(const char *name, size_t length)
{
	char copy[8];

	if (parse_is_word(name, length, "pde"))
		return pte_level_named("pmd");
	if (parse_is_word(name, length, "pdpt"))
		return pte_level_named("pgd");
	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	return length < sizeof(copy) ? pte_level_named(copy) : -1;
}

/*
 * As the kernel prints entries: "pmd:06535067", "*pgd=80000040004003,", "*pde = 3fff067",
 * "PGD 1f70067", "bad pmd 06535067."; behind "pgd" stands where the table is if @bad
 * isn't set. The level that the word begins with, or -1; @value is what follows in the word.
 */
static int level_before(const char *word, bool bad, const char **value)
{
	const char *name = word + (*word == '*');
	const size_t length = strcspn(name, ":=" BLANKS);
	const bool sign = name[length] && strchr(":=", name[length]);
	int level = level_of(name, length);

	if (!sign && !bad && name == word && strcspn(name, "ptemudg") < length)
		level = -1;
	*value = level < 0 ? word : name + length + sign;
	return level;
}

/* How long a value is without what the kernel has behind it: "4001141e(bad)". */
static size_t value_length(const char *value)
{
	const size_t length = strcspn(value, "(.,)");
	const char *end = value + length;

	if (!strncmp(end, "(bad)", strlen("(bad)")))
		end += strlen("(bad)");
	return end[strspn(end, ".,)")] ? strlen(value) : length;
}

static const char *parse_part(const char *text, size_t length, uint64_t *value)
{
	char *copy = strndup(text, length);
	const char *reason = copy ? parse_hex(copy, value) : "out of memory";

	free(copy);
	return reason;
}

static int without_value(struct request *r, size_t line)
{
	if (!r->has_level)
		return 0;
	r->has_level = false;
	r->bad = false;
	return fail(EXIT_USAGE, "%sentry '%s': there is no value behind it", words_where(line),
		    pte_level_name[r->level]);
}

static int decode_one(struct request *r, const char *arg, size_t line)
{
	struct pte_options raw = r->raw;
	const char *reason, *value;
	int level = level_before(arg, r->bad, &value);
	struct decoded d;
	uint64_t entry;

	if (r->has_level && !strcmp(arg, "="))
		return 0;
	if (level >= 0 && !*value) {
		r->has_level = true;
		r->level = level;
		return 0;
	}
	if (level < 0 && r->has_level)
		level = r->level;
	/* Behind the address of the entry: "bad pmd 00000000a2b4c6d8(06535067)". */
	if (r->bad && strchr(value, '('))
		value = strrchr(value, '(') + 1;
	r->has_level = false;
	r->bad = false;
	if (level >= 0 && !(raw.as->levels & 1U << level))
		return fail(EXIT_USAGE, "%sentry '%s': %s has no such level",
			    words_where(line), arg, raw.as->name);
	if (level >= 0 && r->has_format)
		return fail(EXIT_USAGE, "%sentry '%s': --format is of pagemap",
			    words_where(line), arg);
	if (level >= 0) {
		raw.pte = true;
		raw.request.level = level;
	}
	if (!raw.pte && (raw.arch || raw.kernel || raw.c_bit || raw.shared_bit))
		return fail(EXIT_USAGE,
			    "%sentry '%s': %s goes with --pte, or a level before the value",
			    words_where(line), arg,
			    raw.arch ? "--arch" : raw.kernel ? "--kernel" :
			    raw.c_bit ? "--c-bit" : "--shared-bit");
	reason = parse_part(value, level < 0 ? strlen(value) : value_length(value), &entry);
	if (reason)
		return fail(EXIT_USAGE, "%sentry '%s': %s: give a value of %s in hexadecimal",
			    words_where(line), arg, reason, raw.pte ? "a page table" : "pagemap");
	if (raw.pte && (raw.request.page_shift < 12 || raw.request.page_shift > 16))
		return fail(EXIT_USAGE, "%sentry '%s': pages have 4K to 64K: see --page-size",
			    words_where(line), arg);
	if (raw.pte) {
		pte_print(&raw, entry, r->json);
		return 0;
	}
	decode(entry, r->format, &d);
	if (r->json)
		print_entry_json(r, &d);
	else
		print_entry_text(r, &d);
	return 0;
}

/* A level before another one has no value. */
static int decode_word(struct request *r, const char *word, size_t line)
{
	const char *value;
	int err = level_before(word, r->bad, &value) < 0 ? 0 : without_value(r, line);
	int status = decode_one(r, word, line);

	return err ? err : status;
}

/* A line of the kernel's log, which has other words beside the entries of tables. */
static bool has_levels(const char *text)
{
	const char *value;
	bool bad = false;

	for (; *text; text += strcspn(text, BLANKS)) {
		text += strspn(text, BLANKS);
		if (level_before(text, bad, &value) >= 0)
			return true;
		bad = parse_is_word(text, strcspn(text, BLANKS), "bad");
	}
	return false;
}

/* The entries of a line, all of which are decoded, as far as they are some. */
static int decode_line(const char *text, size_t line, void *arg)
{
	char *copy = strdup(text), *rest = copy, *word;
	const bool of_log = has_levels(text);
	struct request *r = arg;
	int status = 0, err;
	const char *value;

	if (!copy)
		return error_no_memory();
	r->bad = false;
	while ((word = strsep(&rest, BLANKS))) {
		if (!*word)
			continue;
		if (of_log && !r->has_level && level_before(word, r->bad, &value) < 0) {
			r->bad = !strcmp(word, "bad");
			continue;
		}
		err = decode_word(r, word, line);
		status = status ? status : err;
	}
	free(copy);
	err = without_value(r, line);
	return status ? status : err;
}

static int flush_lines(void *arg)
{
	return out_finish(0);
}

/* An argument; a line of the kernel's log may be one, or several. */
static int decode_argument(struct request *r, const char *arg, const char *next)
{
	const char *value;

	if (!strcmp(arg, "-"))
		return without_value(r, 0) ? EXIT_USAGE :
		       words_read(decode_line, flush_lines, "entry", r);
	if (arg[strcspn(arg, BLANKS)] && arg[strspn(arg, BLANKS)])
		return without_value(r, 0) ? EXIT_USAGE : decode_line(arg, 0, r);
	if (!r->has_level && !strcmp(arg, "bad") && next && level_before(next, true, &value) >= 0) {
		r->bad = true;
		return 0;
	}
	return decode_word(r, arg, 0);
}

/**
 * struct command - the command line
 * @format: As it was given, or NULL, as are the others.
 */
struct command {
	struct request request;
	const char *format, *page_size;
};

static int take_format(void *to)
{
	static const char *const names[] = {
		[DECODE_AUTO] = "auto", [DECODE_NEW] = "new", [DECODE_OLD] = "old",
	};
	struct command *c = to;

	if (option_once(&c->format, "--format"))
		return EXIT_USAGE;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(optarg, names[i])) {
			c->request.format = i;
			return 0;
		}
	return fail(EXIT_USAGE, "--format '%s': give auto, new or old", optarg);
}

static int take_page_size(void *to)
{
	struct command *c = to;
	const char *reason;

	if (option_once(&c->page_size, "--page-size"))
		return EXIT_USAGE;
	reason = parse_page_size(optarg, &c->request.page_shift);
	return reason ? fail(EXIT_USAGE, "--page-size '%s': %s: give 4K, 16384 or 0x10000",
			     optarg, reason) : 0;
}

int cmd_decode(int argc, char **argv)
{
	struct command c = {
		.request.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};
	struct request *r = &c.request;
	const struct command_option options[] = {
		{ "format", .take = take_format, .to = &c },
		{ "page-size", .take = take_page_size, .to = &c },
		{ "json", .flag = &r->json },
		{ "pte", .flag = &r->raw.pte },
		{ "arch", .once = &r->raw.arch },
		{ "level", .once = &r->raw.level },
		{ "kernel", .once = &r->raw.kernel },
		{ "c-bit", .once = &r->raw.c_bit },
		{ "shared-bit", .once = &r->raw.shared_bit },
		{ 0 }
	};
	int i, err = options_take(argc, argv, options);

	if (err)
		return err;
	if (r->raw.pte && c.format)
		return fail(EXIT_USAGE, "--format is of pagemap, and excludes --pte");
	r->has_format = c.format;
	r->raw.request.page_shift = c.page_size ? r->page_shift : 0;
	if (pte_options_take(&r->raw))
		return EXIT_USAGE;
	if (r->raw.pte && (r->raw.request.page_shift < 12 || r->raw.request.page_shift > 16))
		return fail(EXIT_USAGE, "--page-size '%s': pages have 4K to 64K", c.page_size);
	if (optind == argc)
		return fail(EXIT_USAGE,
			    "decode: give pagemap entries, or - to read them from standard input");
	for (i = optind; !err && i < argc; i++)
		err = decode_argument(r, argv[i], argv[i + 1]);
	return err ? err : without_value(r, 0);
}
