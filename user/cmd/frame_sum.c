// SPDX-License-Identifier: GPL-2.0
/* Ranges of frames as the kernel writes them, and what many frames are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "cmd/frame_sum.h"
#include "proc/pagemap_bits.h"
#include "report/page.h"

#define PHYSICAL	"phys:"
#define MEM		"mem "

/* The number before @end, without blanks. */
static const char *parse_trimmed_hex(const char *from, const char *end, uint64_t *value)
{
	char word[32];

	while (from < end && *from == ' ')
		from++;
	while (end > from && end[-1] == ' ')
		end--;
	if ((size_t)(end - from) >= sizeof(word))
		return "not a hexadecimal number";
	snprintf(word, sizeof(word), "%.*s", (int)(end - from), from);
	return parse_hex(word, value);
}

/* "A-B" or "A, B", with each end open or not. */
static const char *two(const char *from, const char *end, bool open_first, bool open_last,
		       uint64_t *first, uint64_t *last)
{
	const char *between = from + strcspn(from, ",-");
	const char *why;

	if (between >= end)
		return "no end";
	why = parse_trimmed_hex(from, between, first);
	if (!why)
		why = parse_trimmed_hex(between + 1, end, last);
	if (why)
		return why;
	if (*last < *first + open_first + open_last || *first + open_first < *first)
		return "it ends before it begins";
	*first += open_first;
	*last -= open_last;
	return NULL;
}

/* Whether @from begins with @words; sets it behind them. */
static bool begins_with(const char **from, const char *words)
{
	bool does = !strncmp(*from, words, strlen(words));

	*from += does ? strlen(words) : 0;
	return does;
}

/* The range ends at @end, or before words such as "64bit pref" and "flags 0x200". */
static const char *range_end(const char *from, const char *end, bool mem)
{
	const char *blank = mem ? strchr(from, ' ') : NULL;

	return blank && blank < end ? blank : end;
}

/* In brackets or in parentheses. */
static const char *bracketed(const char *arg, uint64_t *first, uint64_t *last, bool *bytes)
{
	const size_t len = strlen(arg);
	const char *from = arg + 1;

	if (len < 3 || !strchr("])", arg[len - 1]))
		return "the bracket isn't closed";
	*bytes = begins_with(&from, MEM);
	return two(from, range_end(from, arg + len - 1, *bytes), *arg == '(',
		   arg[len - 1] == ')', first, last);
}

/* Bytes to frames; an end that begins a page is the one behind the last byte. */
static void to_frames(unsigned int page_shift, uint64_t *first, uint64_t *last)
{
	if (*last > *first && !(*last & ((1ULL << page_shift) - 1)))
		(*last)--;
	*first >>= page_shift;
	*last >>= page_shift;
}

/* START+LENGTH: of frames, or, if @bytes or with a unit, in bytes. */
static const char *with_length(const char *from, bool bytes, unsigned int page_shift,
			       uint64_t *first, uint64_t *last)
{
	const bool unit = strchr("KMGTkmgt", from[strlen(from) - 1]);
	struct range range;
	const char *why = parse_range(from, &range);
	uint64_t left;

	if (why)
		return why;
	left = range.last - range.start;
	*first = range.start;
	*last = range.last;
	if (bytes) {
		*first >>= page_shift;
		*last >>= page_shift;
	} else if (unit) {
		if ((left + 1) & ((1ULL << page_shift) - 1))
			return "the length isn't whole frames";
		*last = *first + (left >> page_shift);
	}
	return NULL;
}

const char *frame_range(const char *arg, unsigned int page_shift, uint64_t *first,
			uint64_t *last, bool *physical)
{
	const char *why, *from = arg;
	bool mem;

	*physical = false;
	if (*arg == '[' || *arg == '(') {
		why = bracketed(arg, first, last, physical);
	} else {
		mem = begins_with(&from, MEM);
		*physical = mem || begins_with(&from, PHYSICAL);
		if (strchr(from, '+'))
			return with_length(from, *physical, page_shift, first, last);
		if (strchr(from + (*from == '-'), '-')) {
			why = two(from, range_end(from, from + strlen(from), mem), false, false,
				  first, last);
		} else {
			why = parse_hex(from, first);
			*last = *first;
		}
	}
	if (!why && *physical)
		to_frames(page_shift, first, last);
	return why;
}

static const char *const kind_name[NR_FRAME_KINDS] = {
	[FRAME_UNKNOWN] = "unknown", [FRAME_NO_PAGE] = "no struct page",
	[FRAME_FREE] = "free", [FRAME_ANON] = "anonymous", [FRAME_FILE] = "file",
	[FRAME_SHMEM] = "shmem", [FRAME_HUGETLB] = "hugetlb", [FRAME_SLAB] = "slab",
	[FRAME_TABLE] = "page table", [FRAME_RESERVED] = "reserved",
	[FRAME_FAILED] = "failed", [FRAME_OFFLINE] = "offline", [FRAME_KERNEL] = "kernel",
};

enum frame_kind frame_kind(uint64_t flags, bool has_flags)
{
	static const struct {
		unsigned int bit;
		enum frame_kind kind;
	} kinds[] = {
		{ KPF_NOPAGE, FRAME_NO_PAGE }, { KPF_HWPOISON, FRAME_FAILED },
		{ KPF_OFFLINE, FRAME_OFFLINE }, { KPF_BUDDY, FRAME_FREE },
		{ KPF_SLAB, FRAME_SLAB }, { KPF_PGTABLE, FRAME_TABLE },
		{ KPF_HUGE, FRAME_HUGETLB }, { KPF_ANON, FRAME_ANON },
	};

	if (!has_flags)
		return FRAME_UNKNOWN;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (flags >> kinds[i].bit & 1)
			return kinds[i].kind;
	if (flags >> KPF_LRU & 1)
		return flags >> KPF_SWAPBACKED & 1 ? FRAME_SHMEM : FRAME_FILE;
	return flags >> 32 & 1 ? FRAME_RESERVED : FRAME_KERNEL;
}

static bool page_is_pinned(const struct ptwalk_page *page)
{
	return page->counts && page_maybe_pinned(page);
}

bool frame_is_movable(enum frame_kind kind, const struct ptwalk_page *page)
{
	switch (kind) {
	case FRAME_FREE:
	case FRAME_OFFLINE:
		return true;
	case FRAME_ANON:
	case FRAME_FILE:
	case FRAME_SHMEM:
	case FRAME_HUGETLB:
		return !page_is_pinned(page);
	default:
		return false;
	}
}

enum frame_obstacle frame_obstacle(enum frame_kind kind, const struct ptwalk_page *page)
{
	if (frame_is_movable(kind, page))
		return FRAME_NO_OBSTACLE;
	if (page_is_pinned(page))
		return FRAME_PINNED;
	return kind == FRAME_UNKNOWN ? FRAME_NO_OBSTACLE : FRAME_FIXED;
}

void frame_sum_add(struct frame_sum *sum, enum frame_kind kind, bool mapped,
		   const struct ptwalk_page *page)
{
	sum->of[kind].frames++;
	sum->of[kind].mapped += mapped;
	sum->of[kind].pinned += page_is_pinned(page);
	sum->of[kind].movable += frame_is_movable(kind, page);
}

void frame_sum_print(const struct frame_sum *sum)
{
	printf("%-16s %8s %8s %8s %8s\n", "KIND", "FRAMES", "MAPPED", "PINNED", "MOVABLE");
	for (int i = 0; i < NR_FRAME_KINDS; i++) {
		if (!sum->of[i].frames)
			continue;
		printf("%-16s %8" PRIu64 " %8" PRIu64 " %8" PRIu64, kind_name[i],
		       sum->of[i].frames, sum->of[i].mapped, sum->of[i].pinned);
		if (i == FRAME_UNKNOWN)
			printf(" %8s\n", "-");
		else
			printf(" %8" PRIu64 "\n", sum->of[i].movable);
	}
	out_check();
}

void frame_sum_json(const struct frame_sum *sum)
{
	jsonw_begin("summary");
	jsonw_object("kinds");
	for (int i = 0; i < NR_FRAME_KINDS; i++) {
		if (!sum->of[i].frames)
			continue;
		jsonw_object(kind_name[i]);
		jsonw_number("frames", sum->of[i].frames);
		jsonw_number("mapped", sum->of[i].mapped);
		jsonw_number("pinned", sum->of[i].pinned);
		jsonw_number_if("movable", i != FRAME_UNKNOWN, sum->of[i].movable);
		jsonw_close();
	}
	jsonw_close();
	jsonw_end();
}
