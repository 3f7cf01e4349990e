// SPDX-License-Identifier: GPL-2.0
/* ptwalk decode: entries of pagemap taken apart. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/words.h"
#include "proc/pagemap_entry.h"

struct request {
	enum decode_format format;
	unsigned int page_shift;
	bool json;
};

enum { OPT_FORMAT = 256, OPT_PAGE_SIZE, OPT_JSON };

static const struct option options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "page-size", required_argument, NULL, OPT_PAGE_SIZE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ }
};

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

static void print_json(const struct request *r, const struct decoded *d)
{
	uint64_t paddr;

	jsonw_begin("entry");
	decode_json(d);
	jsonw_text("format", format_name(d->format));
	jsonw_bool("ambiguous", d->ambiguous);
	if (d->why)
		jsonw_text("why", d->why);
	if (decode_paddr(d, r->page_shift, &paddr))
		jsonw_hex("paddr", paddr);
	jsonw_end();
}

static void print_text(const struct request *r, const struct decoded *d)
{
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
	printf("; %s format (%s)%s%s\n", format_name(d->format),
	       d->format == DECODE_OLD ? "before Linux 4.2" :
					 "since Linux 4.2",
	       d->ambiguous ? ", ambiguous: " : d->why ? ": " : "",
	       d->why ? d->why : "");
	out_check();
}

static int decode_one(const struct request *r, const char *arg,
		      const char *where)
{
	struct decoded d;
	const char *reason;
	uint64_t entry;

	reason = parse_hex(arg, &entry);
	if (reason)
		return fail(EXIT_USAGE, "%sentry '%s': %s: give a value of pagemap in hexadecimal",
			    where, arg, reason);
	decode(entry, r->format, &d);
	if (r->json)
		print_json(r, &d);
	else
		print_text(r, &d);
	return 0;
}

static int decode_line(const char *word, const char *where, void *arg)
{
	return decode_one(arg, word, where);
}

static int flush_lines(void *arg)
{
	return out_finish(0);
}

int cmd_decode(int argc, char **argv)
{
	struct request r = {
		.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};
	const char *reason, *format = NULL, *page_size = NULL;
	int o, i, err = 0;

	opterr = 0;
	while ((o = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (o) {
		case OPT_FORMAT:
			if (option_once(&format, "--format"))
				return EXIT_USAGE;
			if (!strcmp(optarg, "auto"))
				r.format = DECODE_AUTO;
			else if (!strcmp(optarg, "new"))
				r.format = DECODE_NEW;
			else if (!strcmp(optarg, "old"))
				r.format = DECODE_OLD;
			else
				return fail(EXIT_USAGE, "--format '%s': give auto, new or old",
					    optarg);
			break;
		case OPT_PAGE_SIZE:
			if (option_once(&page_size, "--page-size"))
				return EXIT_USAGE;
			reason = parse_page_size(optarg, &r.page_shift);
			if (reason)
				return fail(EXIT_USAGE, "--page-size '%s': %s: give 4K, 16384 or 0x10000",
					    optarg, reason);
			break;
		case OPT_JSON:
			r.json = true;
			break;
		default:
			return option_refused(o, argv, options);
		}
	}
	if (optind == argc)
		return fail(EXIT_USAGE,
			    "decode: give pagemap entries, or - to read them from standard input");
	for (i = optind; !err && i < argc; i++)
		err = strcmp(argv[i], "-") ? decode_one(&r, argv[i], "") :
					     words_read(decode_line, flush_lines, "entry",
							&r);
	return err;
}
