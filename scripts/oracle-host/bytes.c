// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../selftests/lib/pattern.h"
#include "bytes.h"

#define MAX_PAGE	(64 * 1024)

static char why[160];

static const char *pattern_wrong(const uint64_t *words, uint64_t seed, uint64_t number,
				 uint64_t size)
{
	if (words[0] != pattern_word(seed, number, 0))
		return "there is no page that the program has filled";
	if (words[1] != pattern_word(seed, number, 1)) {
		snprintf(why, sizeof(why), "there is page %#" PRIx64 ", not %#" PRIx64,
			 le64toh(words[1]), number);
		return why;
	}
	for (size_t i = 2; i < size / sizeof(*words); i++)
		if (words[i] != pattern_word(seed, number, i))
			return "a part of the page is something else";
	return NULL;
}

/* Memory that is in no file, QEMU puts into one. */
static bool saved_read(struct monitor *m, uint64_t phys, void *to, size_t size)
{
	char path[256];
	bool good = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s.page", monitor_path(m));
	monitor_ask(m, "pmemsave 0x%" PRIx64 " %zu %s", phys, size, path);
	file = fopen(path, "re");
	if (file) {
		good = fread(to, 1, size, file) == size;
		fclose(file);
	}
	unlink(path);
	return good;
}

static bool page_read(const struct layout *l, struct monitor *m, uint64_t phys, void *to,
		      size_t size)
{
	const struct region *r = layout_find(l, phys);

	if (!r || !strcmp(r->type, "i/o"))
		return false;
	return r->fd < 0 ? saved_read(m, phys, to, size) : layout_read(l, phys, to, size);
}

/* Registers aren't memory: QEMU has to ask the device. */
static const char *word_wrong(struct monitor *m, uint64_t phys, uint64_t word)
{
	const char *text = monitor_ask(m, "xp /1wx 0x%" PRIx64, phys);
	const char *at = strstr(text, ": ");

	if (at && strtoull(at + 2, NULL, 16) == word)
		return NULL;
	snprintf(why, sizeof(why), "the device says %.*s there, not %#" PRIx64,
		 (int)strcspn(text, "\n"), text, word);
	return why;
}

const char *bytes_wrong(const struct layout *l, struct monitor *m, uint64_t seed,
			const struct page *page, uint64_t phys, uint64_t page_size)
{
	static uint64_t words[MAX_PAGE / sizeof(uint64_t)];

	if (page->content == CONTENT_ANY)
		return NULL;
	if (page->content == CONTENT_WORD)
		return word_wrong(m, phys, page->value);
	if (page_size > MAX_PAGE || !page_read(l, m, phys, words, page_size)) {
		const struct region *r = layout_find(l, phys);

		snprintf(why, sizeof(why), "there is %s", r ? r->name : "nothing");
		return why;
	}
	if (page->content == CONTENT_PATTERN)
		return pattern_wrong(words, seed, page->value, page_size);
	return pattern_digest((unsigned char *)words, page_size) == page->value ? NULL :
		"there is something else";
}
