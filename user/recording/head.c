// SPDX-License-Identifier: GPL-2.0
/* The kernel of a recording, and the file that it is in. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/error.h"
#include "base/input.h"
#include "recording/head.h"

/* What no kernel has, and what would be shifted or counted by too much. */
#define LEAST_PAGE_SHIFT	12
#define MOST_PAGE_SHIFT		20
#define MOST_ENTRIES		(1 << 20)

void head_write_kernel(FILE *stream, const struct ptwalk_kernel *k)
{
	fprintf(stream, "kernel %s %x %x %" PRIx64 " %x %x", k->release, k->page_shift,
		k->flags, k->vma_flags, k->features, k->phys_bits);
}

void head_write_levels(FILE *stream, const struct ptwalk_kernel *k, uint32_t of_process)
{
	fprintf(stream, "levels %x %x", k->levels, of_process);
	for (int i = 0; i < PTWALK_LEVELS; i++)
		fprintf(stream, " %x:%x:%x", k->level_shift[i],
			k->level_entries[i], k->entry_size[i]);
	fputc('\n', stream);
}

int head_read_kernel(struct fields *f, struct ptwalk_kernel *k)
{
	fields_word(f, k->release, sizeof(k->release));
	k->page_shift = fields_hex(f, MOST_PAGE_SHIFT);
	k->flags = fields_hex(f, UINT32_MAX);
	k->vma_flags = fields_hex(f, UINT64_MAX);
	k->features = fields_hex(f, UINT32_MAX);
	k->phys_bits = fields_hex(f, MOST_SHIFT);
	return k->page_shift >= LEAST_PAGE_SHIFT &&
	       sscanf(k->release, "%5u.%5u", &k->major, &k->minor) == 2 ?
	       0 : -EINVAL;
}

int head_read_levels(struct fields *f, struct ptwalk_kernel *k, uint32_t *of_process)
{
	if (k->levels)
		return -EINVAL;
	k->levels = fields_hex(f, (1U << PTWALK_LEVELS) - 1);
	*of_process = fields_hex(f, (1U << PTWALK_LEVELS) - 1);
	for (int i = 0; i < PTWALK_LEVELS; i++) {
		k->level_shift[i] = fields_hex(f, MOST_SHIFT);
		k->level_entries[i] = fields_hex(f, MOST_ENTRIES);
		k->entry_size[i] = fields_hex(f, sizeof(uint64_t));
		/* A level that isn't there may have all zeros. */
		if (k->levels & 1U << i && k->level_shift[i] < k->page_shift)
			return -EINVAL;
	}
	return 0;
}

int recording_open(struct lines *lines, const char *path)
{
	FILE *stream = input_open(path);

	if (!stream)
		return error_set(-errno, "%s: %s", input_name(path), strerror(errno));
	lines_begin(lines, stream);
	return 0;
}

int recording_close(struct lines *lines, const char *path, int err)
{
	const char *name = input_name(path);

	input_close(lines->stream);
	if (err == -EINVAL)
		return error_usage("%s:%zu: %s", name, lines->number, lines->reason);
	if (err == -ENODATA)
		return lines->number ?
		       error_set(err, "%s:%zu: %s", name, lines->number, lines->reason) :
		       error_set(err, "%s: an empty recording", name);
	return err ? error_set(err, "%s: %s", name, strerror(-err)) : 0;
}
