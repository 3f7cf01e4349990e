// SPDX-License-Identifier: GPL-2.0
/* mincore(2): which pages of the caller's own memory are there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "sources/source.h"

/* No answers of mincore(). */
#define INVENTED	2
#define DENIED		3

/**
 * struct source_file - our memory
 * @page_size: Of the base page.
 * @wrong: INVENTED, if it tells that what nobody touched is there; DENIED, if
 *	the zero page isn't; or 0.
 */
struct source_file {
	size_t page_size;
	int wrong;
};

static int ask(uint64_t addr, size_t size, unsigned char *there)
{
	return mincore((void *)(uintptr_t)addr, size, there) ? -errno : 0;
}

static const char *core_probe(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	volatile char here = 0;
	unsigned char there;
	int err = ask((uintptr_t)&here & -size, size, &there);

	return err ? strerror(-err) : NULL;
}

/* Of ours, none may be empty for as long as a whole table. */
static bool invents(size_t page_size)
{
	/* Whole tables, of 8 bytes a page, and more than mincore() does at once. */
	const size_t pages = page_size + page_size / 8;
	unsigned char *there = calloc(pages, 1), any = 0;
	void *memory = mmap(NULL, pages * page_size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (there && memory != MAP_FAILED && !mincore(memory, pages * page_size, there))
		for (size_t i = 0; i < pages; i++)
			any |= there[i] & 1;
	if (memory != MAP_FAILED)
		munmap(memory, pages * page_size);
	free(there);
	return any;
}

/* What was only read is the zero page, which nobody takes away. */
static bool denies(size_t page_size)
{
	volatile char *memory = mmap(NULL, page_size, PROT_READ,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there = 1;

	if (memory == MAP_FAILED)
		return false;
	(void)*memory;
	ask((uintptr_t)memory, page_size, &there);
	munmap((void *)memory, page_size);
	return !(there & 1);
}

static int core_open(pid_t pid, struct source_file **out)
{
	struct source_file *file = malloc(sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->page_size = sysconf(_SC_PAGESIZE);
	file->wrong = pid != getpid() ? 0 :
		      invents(file->page_size) ? INVENTED :
		      denies(file->page_size) ? DENIED : 0;
	*out = file;
	return 0;
}

static void core_close(struct source_file *file)
{
	free(file);
}

/* One at a time where some of them are in no mapping. */
static ssize_t core_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	const size_t size = file->page_size;
	unsigned char *there = malloc(pages->nr + 1);
	int64_t status;
	int err;

	if (!there)
		return -ENOMEM;
	err = ask(pages->addr, pages->nr * size, there);
	for (size_t i = 0; (!err || err == -ENOMEM) && i < pages->nr; i++) {
		status = err ? ask(pages->addr + i * size, size, &there[i]) : 0;
		values[i] = file->wrong ? file->wrong : status ? status : there[i] & 1;
	}
	free(there);
	return err && err != -ENOMEM ? err : (ssize_t)pages->nr;
}

static const char *core_limit(struct env *env)
{
	return "of ptwalk's own memory, as nobody is told of another process's; not of what is in a file or swap alone";
}

static const char *words(uint64_t value)
{
	return value == 1 ? "there" : value == INVENTED ?
	       "there, as it says of memory that nobody touched" :
	       value == DENIED ? "not there, as it says of the zero page" :
	       strerror(-(int)value);
}

static void core_text(const struct env *env, uint64_t addr, uint64_t value,
		      char *buf, size_t size)
{
	snprintf(buf, size, "%s", value ? words(value) : "not there");
}

static json_t *core_json(const struct env *env, uint64_t addr, uint64_t value)
{
	return value > 1 ? json_pack("{ss}", "error", words(value)) :
			   json_pack("{sb}", "there", (int)value);
}

const struct source source_mincore = {
	.name = "mincore",
	.help = "mincore(2), of ptwalk itself",
	.own = true,
	.probe = core_probe,
	.open = core_open,
	.read = core_read,
	.close = core_close,
	.limit = core_limit,
	.grain = grain_mincore,
	.expect = expect_mincore,
	.text = core_text,
	.json = core_json,
};
