// SPDX-License-Identifier: GPL-2.0
/* mincore(2): which pages of the caller's own memory are there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "sources/source.h"

/* What is wrong whatever pages are asked about. */
static const struct source_fault
invented = { "do_mincore()", "not there",
	     "of memory that nobody touched, a page is there" },
lost = { "do_mincore()", "there",
	 "a page far behind a call's first, which was read, is not there" },
denied = { "do_mincore()", "there",
	   "the zero page in the second of two mappings is not there" },
forgotten = { "do_mincore()", "there",
	      "shared memory without an entry is not there" },
unrefused = { "mincore()", "it must be refused",
	      "a call that begins inside of a page is answered" };

/**
 * struct source_file - our memory
 * @page_size: Of the base page.
 * @fault: What is wrong, or NULL.
 */
struct source_file {
	size_t page_size;
	const struct source_fault *fault;
};

static int ask_mincore(uint64_t addr, size_t size, unsigned char *there)
{
	return mincore((void *)(uintptr_t)addr, size, there) ? -errno : 0;
}

/*
 * Of memory of ours, larger than what mincore() does at once, which is as many pages as
 * a page has bytes, only these are touched: the last one of the first such part, the
 * second one of the next, and the last of all. Nothing else is there.
 */
static const struct source_fault *try_parts(size_t page_size)
{
	const size_t pages = page_size + page_size / 8;
	const size_t touched[] = { page_size - 1, page_size + 1, pages - 1, pages };
	unsigned char *there = calloc(pages, 1);
	volatile char *memory = mmap(NULL, pages * page_size, PROT_READ,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *start = (void *)memory;
	const struct source_fault *found = NULL;
	size_t next = 0;

	if (start != MAP_FAILED) {
		/* Lest one that is touched brings others with it. */
		madvise(start, pages * page_size, MADV_NOHUGEPAGE);
		for (size_t i = 0; touched[i] < pages; i++)
			(void)memory[touched[i] * page_size];
	}
	if (there && start != MAP_FAILED && !mincore(start, pages * page_size, there))
		for (size_t i = 0; i < pages && !found; i++) {
			const bool is_touched = i == touched[next];

			next += is_touched;
			if ((there[i] & 1) != is_touched)
				found = is_touched ? &lost : &invented;
		}
	if (start != MAP_FAILED)
		munmap(start, pages * page_size);
	free(there);
	return found;
}

/*
 * What was only read is the zero page, which nobody takes away. It is asked about
 * with a part of the page behind it, which is of another mapping.
 */
static const struct source_fault *try_zero(size_t page_size)
{
	volatile char *memory = mmap(NULL, 2 * page_size, PROT_READ,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *first = (void *)memory, *second = (char *)first + page_size;
	unsigned char there[2] = { 0 };
	const struct source_fault *found = NULL;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	(void)memory[0];
	(void)memory[page_size];
	mprotect(second, page_size, PROT_NONE);
	err = ask_mincore((uintptr_t)first, page_size + 1, there);
	if (err != -EAGAIN && !(there[0] & there[1] & 1))
		found = &denied;
	else if (!ask_mincore((uintptr_t)first + 1, page_size, there))
		found = &unrefused;
	munmap(first, 2 * page_size);
	return found;
}

/* Locked, so that it stays, in one mapping, and asked about in another one. */
static bool forgets(size_t page_size)
{
	char *locked = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *other = locked == MAP_FAILED ? MAP_FAILED :
		      mremap(locked, 0, page_size, MREMAP_MAYMOVE);
	unsigned char there = 0;
	bool asked;

	asked = other != MAP_FAILED && !mlock(locked, page_size) &&
		!ask_mincore((uintptr_t)other, page_size, &there);
	if (other != MAP_FAILED)
		munmap(other, page_size);
	if (locked != MAP_FAILED)
		munmap(locked, page_size);
	return asked && !(there & 1);
}

static const struct source_fault *find_fault(size_t page_size)
{
	const struct source_fault *found = try_zero(page_size);

	if (!found)
		found = try_parts(page_size);
	return found ? found : forgets(page_size) ? &forgotten : NULL;
}

static int core_open(const struct source *source, pid_t pid, struct source_file **out)
{
	struct source_file *file = malloc(sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->page_size = sysconf(_SC_PAGESIZE);
	file->fault = pid == getpid() ? find_fault(file->page_size) : NULL;
	*out = file;
	return 0;
}

static void core_close(struct source_file *file)
{
	free(file);
}

/* In halves where some of them are in no mapping. Returns 0 or a negative errno. */
static int ask_parts(uint64_t addr, size_t nr, size_t page_size, unsigned char *there,
		     uint64_t *values)
{
	const size_t half = nr / 2;
	int err = ask_mincore(addr, nr * page_size, there);

	if (err == -ENOMEM && nr > 1) {
		err = ask_parts(addr, half, page_size, there, values);
		return err ? err : ask_parts(addr + half * page_size, nr - half, page_size,
					     there, values + half);
	}
	if (err && err != -ENOMEM)
		return err;
	for (size_t i = 0; i < nr; i++)
		values[i] = err ? err : there[i] & 1;
	return 0;
}

static ssize_t core_read(struct source_file *file,
			 const struct source_pages *pages, uint64_t *values)
{
	unsigned char *there = malloc(pages->nr + 1);
	int err;

	if (!there)
		return -ENOMEM;
	err = ask_parts(pages->addr, pages->nr, file->page_size, there, values);
	free(there);
	return err ? err : (ssize_t)pages->nr;
}

static const char *core_limit(struct env *env)
{
	return "of ptwalk's own memory, as nobody is told of another process's; not of what is in a file or swap alone";
}

static const struct source_fault *core_fault(const struct source_file *file)
{
	return file->fault;
}

static void core_text(const struct env *env, uint64_t addr, uint64_t value,
		      char *buf, size_t size)
{
	snprintf(buf, size, "%s", !value ? "not there" : value == 1 ? "there" :
		 strerror(-(int)value));
}

static void core_json(const struct env *env, uint64_t addr, uint64_t value)
{
	if (value > 1)
		jsonw_text("error", strerror(-(int)value));
	else
		jsonw_bool("there", value);
}

static bool is_in_no_mapping(const struct page_truth *truth)
{
	return ptwalk_bits_kind(truth->bits) == PTWALK_KIND_NO_VMA || !truth->vma;
}

/* Mapped memory of a file, even if it is private, is asked for in its cache. */
static bool is_of_no_file(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_ANONYMOUS &&
	       !vma->inode && !vma->dev_major && !vma->dev_minor;
}

enum source_grain grain_mincore(const struct env *env,
				const struct page_truth *truth)
{
	if (is_in_no_mapping(truth))
		return SOURCE_RUN;
	switch (ptwalk_bits_kind(truth->bits)) {
	case PTWALK_KIND_PRESENT:
	case PTWALK_KIND_MIGRATION:
	case PTWALK_KIND_HWPOISON:
		return SOURCE_RUN;
	case PTWALK_KIND_NONE:
		return is_of_no_file(truth->vma) ? SOURCE_RUN : SOURCE_SKIPS;
	default:
		return SOURCE_SKIPS;
	}
}

/*
 * What mincore(2) says of a page: 1 if it is mapped, or on its way; 0 for empty
 * anonymous memory; ENOMEM in no mapping. What isn't mapped may still be in the
 * cache of a file or of swap, which the page tables don't tell.
 */
void expect_mincore(const struct env *env, const struct page_truth *truth,
		    struct expectation *out)
{
	*out = (struct expectation){ .mask = UINT64_MAX };
	if (is_in_no_mapping(truth))
		out->value = (int64_t)-ENOMEM;
	else if (ptwalk_bits_kind(truth->bits) != PTWALK_KIND_NONE)
		out->value = 1;
}

const struct source source_mincore = {
	.name = "mincore",
	.help = "mincore(2), for ptwalk itself",
	.trait.own = true,
	.asks = "mincore",
	.open = core_open,
	.read = core_read,
	.fault = core_fault,
	.close = core_close,
	.limit = core_limit,
	.grain = grain_mincore,
	.expect = expect_mincore,
	.text = core_text,
	.json = core_json,
};
