// SPDX-License-Identifier: GPL-2.0
/*
 * All that the command parses, in two ways: under libFuzzer, by hand
 *
 *   make fuzz O=DIR CC=clang [SECONDS=60]
 *
 * and from fuzz_replay.c. A new parser is a line in fuzz_parsers[], with a function here
 * or in readers.c, and a folder with samples in tests/corpus.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include "dma/device_names.h"
#include "expect/layout.h"
#include "lib/extack.h"
#include "lib/wire.h"
#include "proc/cpuinfo.h"
#include "proc/dmabuf.h"
#include "proc/kcore.h"
#include "proc/selfmap.h"
#include "claims/file.h"
#include "recording/pages.h"
#include "recording/sums.h"
#include "tests/fuzz.h"
#include "tests/readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct lines lines;

static FILE *stream_of(const uint8_t *data, size_t size)
{
	FILE *stream = fmemopen((void *)data, size, "r");

	if (!stream)
		abort();
	return stream;
}

static int read_claims(const uint8_t *data, size_t size)
{
	struct claims claims;
	int err;

	if (claims_open(&claims, stream_of(data, size), "claims", 16))
		abort();
	do
		err = claims_next(&claims);
	while (!err && !claims.last);
	claims_close(&claims);
	return err;
}

/* Recordings are judged as well: each number must be fit for that. */
static int read_pages(FILE *stream)
{
	static const struct source kinds[] = {
		{ .name = "pagemap", .expect = expect_pagemap },
		{ .name = "pagemap-scan", .expect = expect_scan },
		{ .name = "kpageflags", .expect = expect_kpageflags },
		{ .name = "kpagecount", .expect = expect_kpagecount },
		{ .name = "kpagecgroup", .expect = expect_kpagecgroup },
		{ .name = "move_pages", .expect = expect_move_pages },
		{ .name = "mincore", .expect = expect_mincore },
	};
	struct env env = { .kernel = NULL };
	struct ptwalk_kernel kernel;
	struct recorded page;
	int more;

	lines_begin(&lines, stream);
	while ((more = recording_next(&lines, &kernel, &env, &page)) > 0)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			compare_page(&env, &kinds[i], &page.truth, page.seen,
				     page.has_data);
	return more;
}

static int read_sums(FILE *stream)
{
	struct rss_replay replay = { 0 };
	struct figures figures = { 0 };
	int err;

	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, &replay);
	/* Cut off: else none but a few of the altered ones would be judged. */
	if (err == -ENODATA)
		err = rss_replay_count(&replay);
	if (!err)
		rss_replay_judge(&replay, &figures);
	figures_free(&figures);
	rss_replay_free(&replay);
	return err;
}

static int read_mountinfo(FILE *stream)
{
	int err = reader_mount(stream);

	rewind(stream);
	return err ? err : reader_tmpfs(stream);
}

static int read_dmabuf(FILE *stream)
{
	char exporter[DMABUF_EXPORTER];
	int found = dmabuf_parse_bufinfo(stream, 7, exporter);

	rewind(stream);
	if (!found)
		found = dmabuf_parse_fdinfo(stream, exporter);
	return found < 0 ? found : !found || strlen(exporter) >= sizeof(exporter);
}

static int read_cpuinfo(FILE *stream)
{
	const struct ptwalk_kernel kernel = {
		.machine = "x86_64",
		.flags = PTWALK_FLAG_EXEC,
		.levels = 1 << PTWALK_LEVEL_PTE | 1 << PTWALK_LEVEL_PMD,
	};

	return noexec_parse(&kernel, stream) <= 0;
}

static int read_kcore(const uint8_t *data, size_t size)
{
	int fd = memfd_create("kcore", MFD_CLOEXEC);
	struct kcore kcore = { 0 };
	const char *reason;
	uint64_t offset;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	reason = kcore_parse(fd, &kcore);
	if (!reason) {
		for (size_t i = 0; i < kcore.nr; i++)
			kcore_find(&kcore, kcore.segment[i].paddr, &offset);
		free(kcore.segment);
	}
	close(fd);
	return !!reason;
}

/*
 * A line says which of the things that people type, and then comes that: a
 * letter, a blank, and the argument.
 */
static int read_argument(const char *line)
{
	struct layout layout = { 0 };
	char name[DEVNAME_SIZE];
	struct selfmap map = { 0 };
	struct range range;
	const char *reason;
	uint64_t value;
	pid_t pid;

	switch (*line) {
	case 'a':
		return !!parse_hex(line + 2, &value);
	case 'd':
		return !!parse_decimal(line + 2, 1000, &value);
	case 's':
		return !!parse_size(line + 2, &value);
	case 'r':
		return !!parse_range(line + 2, &range);
	case 'p':
		return !!parse_pid(line + 2, &pid);
	case 'n':
		return !!devname_parse(line + 2, name);
	case 'e':
		reason = layout_add(&layout, line + 2, 4096);
		layout_free(&layout);
		return !!reason;
	case 'm':
		reason = selfmap_parse(line + 2, &map);
		free(map.file);
		return !!reason;
	default:
		return 1;
	}
}

static int read_arguments(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *next = text, *line;
	int refused = 0;

	if (!text)
		abort();
	while ((line = strsep(&next, "\n")))
		if (strlen(line) >= 2)
			refused |= read_argument(line);
	free(text);
	return refused;
}

/* The attributes of a message, after a byte that says of which. */
static int read_reply(const uint8_t *data, size_t size)
{
	static struct wire_translations translations;
	static struct ptwalk_device facts;
	static struct ptwalk_page page[WIRE_PAGE_RUNS];
	static struct ptwalk_policy policies[2];
	struct ptwalk_stretches stretches;
	struct ptwalk_stretch *stretch;
	const struct ptwalk_run *run;
	struct ptwalk_kernel info = { 0 };
	struct ptwalk_runs runs;
	struct nlmsghdr *msg;
	uint64_t pages = 0;
	int err;

	msg = calloc(1, NLMSG_HDRLEN + GENL_HDRLEN + size - 1);
	if (!msg)
		abort();
	msg->nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + size - 1;
	memcpy((char *)msg + NLMSG_HDRLEN + GENL_HDRLEN, data + 1, size - 1);
	switch (*data) {
	case 'i':
		err = wire_info(msg, &info);
		break;
	case 'w':
	case 'W':
		err = wire_walk(msg, 12, &runs, *data == 'W' ? page : NULL);
		if (!err)
			ptwalk_for_each_run(run, &runs)
				pages += run->pages;
		/* All of them lie in one VMA. */
		if (pages > UINT64_MAX >> 12)
			abort();
		break;
	case 't':
		err = wire_translations(msg, &translations);
		break;
	case 'd':
		err = wire_device(msg, &facts);
		break;
	case 'f':
		err = wire_frames(msg, page, 2);
		break;
	case 'p':
		err = wire_policies(msg, policies, 2) < 0;
		break;
	case 'v':
		err = wire_iova(msg, &stretches, &stretch) < 0;
		break;
	default:
		err = 1;
	}
	free(msg);
	return err;
}

/* What the kernel says of a request that it refused: all after the header. */
static int read_extack(const uint8_t *data, size_t size)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr family;
		uint32_t attribute[4];
	} request = {
		.header.nlmsg_len = sizeof(request),
		.family.cmd = PTWALK_CMD_WALK,
		.attribute = { PTWALK_A_WALK_PID << 16 | 8 },
	};
	struct nlmsghdr *msg = calloc(1, NLMSG_HDRLEN + size);
	struct extack extack;
	int err;

	if (!msg)
		abort();
	msg->nlmsg_len = NLMSG_HDRLEN + size;
	msg->nlmsg_type = NLMSG_ERROR;
	msg->nlmsg_flags = NLM_F_ACK_TLVS;
	memcpy((char *)msg + NLMSG_HDRLEN, data, size);
	err = extack_parse(msg, &request.header, &extack);
	free(msg);
	return err;
}

const struct fuzz_parser fuzz_parsers[] = {
	{ "arguments", read_arguments },
	{ "claims", read_claims },
	{ "cpuinfo", .read = read_cpuinfo },
	{ "dma-dump", .read = reader_dma_dump },
	{ "dmabuf", .read = read_dmabuf },
	{ "extack", read_extack },
	{ "iomem", .read = reader_iomem },
	{ "kernel-recording", .read = reader_kernel_recording },
	{ "kernel-tables", .read = reader_kernel_tables },
	{ "vmallocinfo", .read = reader_vmallocinfo },
	{ "memtypes", .read = reader_memtypes },
	{ "ptdump", .read = reader_ptdump },
	{ "directmap", .read = reader_directmap },
	{ "kcore", read_kcore },
	{ "maps", .read = reader_maps },
	{ "mountinfo", .read = read_mountinfo },
	{ "numa_maps", .read = reader_numa_maps },
	{ "pages", .read = read_pages },
	{ "pci-bars", .read = reader_pci_bars },
	{ "reply", read_reply },
	{ "smaps", .read = reader_smaps },
	{ "stat", .read = reader_stat },
	{ "statm", .read = reader_statm },
	{ "status", .read = reader_status },
	{ "sums", .read = read_sums },
	{ "second-stage", .read = reader_second_stage },
	{ "uring", .read = reader_uring },
	{ "zoneinfo", .read = reader_zones },
	{ }
};

int fuzz_parse(const struct fuzz_parser *parser, const uint8_t *data, size_t size)
{
	FILE *stream;
	int err;

	if (parser->parse)
		return parser->parse(data, size);
	stream = stream_of(data, size);
	err = parser->read(stream);
	fclose(stream);
	return err;
}

const struct fuzz_parser *fuzz_parser_of(const char *name)
{
	for (const struct fuzz_parser *p = fuzz_parsers; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static const struct fuzz_parser *parser;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("PARSER");

	parser = fuzz_parser_of(name ? name : "");
	if (parser)
		return 0;
	fprintf(stderr, "PARSER names a parser of tests/fuzz.c\n");
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		fuzz_parse(parser, data, size);
	return 0;
}
