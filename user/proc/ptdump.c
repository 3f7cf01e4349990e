// SPDX-License-Identifier: GPL-2.0
/* The kernel's own dump of its tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/lines.h"
#include "base/parse.h"
#include "module/client.h"
#include "proc/ptdump.h"
#include "pte/pte.h"

static const char *const files[] = {
	"/sys/kernel/debug/page_tables/current_kernel",	/* x86 */
	"/sys/kernel/debug/kernel_page_tables",
};

/* Returns whether the word is the name of a memory type. */
static bool take_type(const char *word, struct ptdump_run *run)
{
	static const struct {
		const char *word;
		unsigned int type;
	} types[] = {
		{ "DEVICE/nGnRnE", PTWALK_MEMORY_TYPE_DEVICE_NGNRNE },
		{ "DEVICE/nGnRE", PTWALK_MEMORY_TYPE_DEVICE_NGNRE },
		{ "MEM/NORMAL-NC", PTWALK_MEMORY_TYPE_NORMAL_NC },
		{ "MEM/NORMAL", PTWALK_MEMORY_TYPE_NORMAL },
		{ "MEM/NORMAL-TAGGED", PTWALK_MEMORY_TYPE_NORMAL_TAGGED },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(word, types[i].word)) {
			run->type = types[i].type;
			return true;
		}
	return false;
}

static void take_ptdump_word(const char *word, struct ptdump_run *run)
{
	static const char *const bit[] = { "PWT", "PCD", "PAT" };
	const int level = pte_level_named(word);

	if (level >= 0)
		run->level = level + 1;
	for (unsigned int i = 0; i < sizeof(bit) / sizeof(bit[0]); i++)
		if (!strcmp(word, bit[i]))
			run->index |= 1U << i;
	if (take_type(word, run))
		return;
	run->write |= !strcmp(word, "RW");
	run->mapped |= !strcmp(word, "RW") || !strcmp(word, "ro");
	run->exec |= !strcmp(word, "x");
	run->user |= !strcmp(word, "USR");
}

/*
 * "0xSTART-0xEND     4K USR RW PWT PCD PSE PAT GLB NX pte", without the words that
 * don't hold, or "0xSTART-0xEND     4K PTE       RW NX SHD AF NG     UXN    MEM/NORMAL";
 * "F" in it is of an entry that isn't valid. END is 0 behind the last address.
 */
static int parse_ptdump_run(char *line, struct ptdump_run *run)
{
	char *rest, *word = strtok_r(line, " ", &rest), *dash = strchr(line, '-');
	bool valid = true;
	uint64_t end;

	memset(run, 0, sizeof(*run));
	if (!word || !dash)
		return -EINVAL;
	*dash = '\0';
	if (parse_hex(word, &run->start) || parse_hex(dash + 1, &end))
		return -EINVAL;
	run->last = end - 1;
	/* The size is the distance. riscv64 has the physical address there. */
	word = strtok_r(NULL, " ", &rest);
	if (!word || !strncmp(word, "0x", 2))
		return word ? -EOPNOTSUPP : -EINVAL;
	while ((word = strtok_r(NULL, " ", &rest))) {
		take_ptdump_word(word, run);
		valid &= strcmp(word, "F") != 0;
		/* Of s390, whose kernel has the lower half, too. */
		if (!strcmp(word, "RO") || !strcmp(word, "I"))
			return -EOPNOTSUPP;
	}
	run->mapped &= valid;
	return run->level && run->last >= run->start ? 0 : -EINVAL;
}

static int add_ptdump_run(struct ptdump *dump, const struct ptdump_run *run)
{
	return array_add(dump->run, dump->nr, dump->max, *run) ? 0 : -ENOMEM;
}

/* Headings begin otherwise, and "... 12 entries skipped ..." instead of these. */
static int take_ptdump_line(char *line, void *arg)
{
	struct ptdump *dump = arg;
	struct ptdump_run run, gap = { 0 };
	int err;

	if (strncmp(line, "0x", 2)) {
		dump->left_out |= !strncmp(line, "...", 3);
		return 0;
	}
	err = parse_ptdump_run(line, &run);
	if (err || !(run.start >> 63))
		return err;
	if (dump->nr) {
		gap.start = dump->run[dump->nr - 1].last + 1;
		gap.last = run.start - 1;
		if (!gap.start || run.start < gap.start)
			return -EINVAL;
		if (run.start > gap.start && !dump->left_out)
			err = add_ptdump_run(dump, &gap);
	}
	dump->left_out = false;
	return err ? err : add_ptdump_run(dump, &run);
}

int ptdump_parse(FILE *stream, struct ptdump *dump)
{
	return lines_each(stream, take_ptdump_line, dump, NULL);
}

int ptdump_read(struct ptdump *dump)
{
	int err = -ENOENT;
	size_t i;

	for (i = 0; err == -ENOENT && i < sizeof(files) / sizeof(files[0]); i++)
		err = lines_in(files[i], take_ptdump_line, dump);
	if (err == -ENOENT)
		dump->why_not = "this kernel has none (CONFIG_PTDUMP_DEBUGFS)";
	else if (err == -EOPNOTSUPP)
		dump->why_not = "its columns on this architecture aren't read";
	return !err || dump->why_not ? 0 : lines_failed(files[i - 1], err);
}

void ptdump_free(struct ptdump *dump)
{
	free(dump->run);
	memset(dump, 0, sizeof(*dump));
}
