// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel shows against the model. Looking changes nothing, but for the
 * contents, which are looked at by an operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "hunt.h"

struct hunt_shared *shared;

/* Where the program is printed to, or -1. */
int hunt_program_fd = -1;

void hunt_say(const char *format, ...)
{
	va_list list;

	if (hunt_program_fd < 0)
		return;
	va_start(list, format);
	vdprintf(hunt_program_fd, format, list);
	va_end(list);
}

void hunt_say_call(const char *name, int nr, const word *arguments)
{
	hunt_say("\t%s(", name);
	for (int i = 0; i < nr; i++)
		hunt_say(arguments[i] < 4096 ? "%s%lu" : "%s%#lx", i ? ", " : "", arguments[i]);
	hunt_say(");\n");
}

void hunt_tell(const char *law, const char *format, ...)
{
	struct hunt_finding *f = &shared->finding;
	va_list list;

	snprintf(f->law, sizeof(f->law), "%s", law);
	va_start(list, format);
	vsnprintf(f->text, sizeof(f->text), format, list);
	va_end(list);
	f->step = shared->at;
	if (world.child)
		hunt_say("\t}\n");
	_exit(1);
}

static const char *known(int value)
{
	static const char *const name[] = { "no", "yes", "may" };

	return name[value];
}

const char *page_text(const struct hunt_area *a, word i)
{
	static char text[360];
	const struct hunt_page *p = &a->page[i];

	snprintf(text, sizeof(text),
		 "%s page %lu at %#lx (pagemap %016llx): prot %d%s, %s %#lx%s%s, file %d page %u%s, registered %d, wp %s, soft-dirty %s, guard %s",
		 hunt_kind_name[a->kind], i, page_at(a, i),
		 (unsigned long long)entry_of(page_at(a, i)), p->prot,
		 p->private ? "p" : "s", p->own ? "own" : "base", p->own ? p->value :
		 p->mapped ? base_of(p) : 0, p->lazy ? " or base" : "", p->any ? " or any" : "",
		 p->file == ANONYMOUS ? -1 : p->file, p->offset, p->locked ? ", locked" : "",
		 p->registered, known(p->wp), known(p->dirty), known(p->guard));
	return text;
}

static void bit(const struct hunt_area *a, word i, u64 entry, int nr, int must, const char *law)
{
	if (must == MAY || (int)(entry >> nr & 1) == must)
		return;
	hunt_say("\treturn bit_is_wrong(%#lx, %d, %d);\n", page_at(a, i), nr, must);
	hunt_tell(law, "%s: %s", must ? "lost" : "without cause", page_text(a, i));
}

/* Where the file has a hole, pagemap shows no bit of a guard before Linux 6.15. */
static void look_at_entry(const struct hunt_area *a, word i, u64 entry)
{
	const struct hunt_page *p = &a->page[i];

	if (!p->mapped) {
		if (!entry)
			return;
		hunt_say("\treturn is_mapped_wrongly(%#lx);\n", page_at(a, i));
		hunt_tell("unmapped", "an entry where nothing is mapped: %s", page_text(a, i));
	}
	bit(a, i, entry, 57, p->wp, p->wp ? "uffd-wp lost" : "uffd-wp without cause");
	if (world.tracks)
		bit(a, i, entry, 55, p->fresh ? YES : p->dirty, p->fresh || p->dirty ? "soft-dirty lost" : "soft-dirty without cause");
	if (kernel_is_since(6, 15) && p->guard != MAY)
		bit(a, i, entry, 58, p->guard, p->guard ? "guard lost" : "guard without cause");
}

/* Whether one entry maps a huge page there (PAGE_IS_HUGE); before Linux 6.7 nobody says so. */
static bool maps_huge(word start)
{
	struct { u64 start, end, categories; } region;
	struct {
		u64 size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask;
		u64 any_of, wanted;
	} scan = {
		.size = sizeof(scan), .start = start, .end = start + page_size,
		.vec = (uintptr_t)&region, .vec_len = 1, .mask = 1 << 6, .wanted = 1 << 6,
	};
	int fd = openat(AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int nr = ioctl(fd, _IOWR('f', 16, scan), &scan);

	close(fd);
	return nr == 1;
}

enum hunt_entry entry_state(word start)
{
	const u64 value = entry_of(start);

	if (value >> 58 & 1)
		return ENTRY_GUARD;
	if (value >> 63 && maps_huge(start))
		return value >> 57 & 1 ? ENTRY_WP_HUGE : ENTRY_HUGE;
	if (value >> 57 & 1)
		return value >> 63 ? ENTRY_WP : ENTRY_WP_ABSENT;
	return value >> 63 ? ENTRY_PRESENT : value >> 62 & 1 ? ENTRY_SWAPPED : ENTRY_HOLE;
}

bool any_is_mapped(const struct hunt_area *a)
{
	for (word i = 0; i < a->nr; i++)
		if (a->page[i].mapped)
			return true;
	return false;
}

static int pagemap(void)
{
	static int fd = -1, of;

	if (of != getpid()) {
		if (fd >= 0)
			close(fd);
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		of = getpid();
	}
	return fd;
}

void look_at_entries(const struct hunt_area *a)
{
	const word times = a->unit / page_size;
	static u64 entry[512];

	for (word i = 0; i < a->nr; ) {
		word nr = a->nr - i < 512 ? a->nr - i : 512;

		if (times > 1)
			nr = 1;
		/* Of a huge page, any page shows it. */
		if (pread(pagemap(), entry, nr * sizeof(u64),
			  (page_at(a, i) / page_size +
			   (times > 1 ? (i * 77 + shared->at) % times : 0)) * sizeof(u64)) != (ssize_t)(nr * sizeof(u64)))
			hunt_tell("pagemap", "ends at %s", page_text(a, i));
		for (word k = 0; k < nr; k++)
			look_at_entry(a, i + k, entry[k]);
		i += nr;
	}
}

void look_at_all_entries(void)
{
	for (int k = 0; k < HUNT_AREAS; k++)
		if (any_is_mapped(&world.area[k]))
			look_at_entries(&world.area[k]);
}

static void counter(const char *name, long before, long must)
{
	const long is = status_field(name) - before;

	if (is == must)
		return;
	hunt_say("\treturn field_is_wrong(\"%s\", before_%c, %ld);\n", name, name[2], must);
	hunt_tell("counters", "%s of /proc/self/status is %ld kB more than at first, must be %ld",
		  name, is, must);
}

static u64 entry_at(const struct hunt_area *a, word i)
{
	u64 entry;

	if (pread(pagemap(), &entry, sizeof(entry), page_at(a, i) / page_size * sizeof(entry)) !=
	    (ssize_t)sizeof(entry))
		hunt_tell("pagemap", "ends at %s", page_text(a, i));
	return entry;
}

/*
 * total_vm, data_vm and locked_vm are sums of VMAs: vm_stat_account(), is_data_mapping(),
 * mlock_fixup(); hugetlb_usage of entries: hugetlb_count_add().
 */
void look_at_counters(void)
{
	long size = 0, data = 0, locked = 0, huge = 0;

	for (int k = 0; k < HUNT_AREAS; k++) {
		const struct hunt_area *a = &world.area[k];
		const long kb = a->unit >> 10;

		for (word i = 0; i < a->nr; i++) {
			const struct hunt_page *p = &a->page[i];

			if (!p->mapped)
				continue;
			size += kb;
			if (p->private && p->prot & PROT_WRITE)
				data += kb;
			if (p->locked)
				locked += kb;
			if (is_huge(a) && entry_at(a, i) >> 63)
				huge += kb;
		}
	}
	counter("VmSize:", world.base[0], size);
	counter("VmData:", world.base[1], data);
	counter("VmLck:", world.base[2], locked);
	counter("HugetlbPages:", world.base[3], huge);
}

static void flag(const struct hunt_area *a, word i, const char *line, const char *name, bool must)
{
	if (!!strstr(line, name) == must)
		return;
	hunt_say("\treturn flag_is_wrong(%#lx, \"%s\", %d);\n", page_at(a, i), name, must);
	hunt_tell("VmFlags", "%s is %s: %s", name, must ? "missing" : "there", page_text(a, i));
}

static void look_at_flags(const struct hunt_area *a, word i, const char *line)
{
	const struct hunt_page *p = &a->page[i];

	flag(a, i, line, " rd", p->prot & PROT_READ);
	flag(a, i, line, " wr", p->prot & PROT_WRITE);
	flag(a, i, line, " sh", !p->private);
	flag(a, i, line, " lo", p->locked);
	flag(a, i, line, " um", p->registered & MISSING);
	flag(a, i, line, " uw", p->registered & PROTECT);
	flag(a, i, line, " ui", p->registered & MINOR);
	flag(a, i, line, " mg", p->merge);
	flag(a, i, line, " wf", p->wipe);
	flag(a, i, line, " dc", p->dont_fork);
	flag(a, i, line, " dd", p->dont_dump);
	if (p->fresh && world.tracks)
		flag(a, i, line, " sd", true);
	if (!is_huge(a)) {
		flag(a, i, line, " hg", p->huge == 1);
		flag(a, i, line, " nh", p->huge == 2);
	}
	/* accountable_mapping(), mprotect_fixup(). */
	if (!is_huge(a) && p->private && !p->droppable && p->prot & PROT_WRITE)
		flag(a, i, line, " ac", true);
}

/* The area's page that the VMA begins with, or NULL. */
static const struct hunt_area *area_of(word start, word end, word *first)
{
	for (int k = 0; k < HUNT_AREAS; k++) {
		const struct hunt_area *a = &world.area[k];

		if (end <= a->start || start >= a->start + a->nr * a->unit)
			continue;
		*first = start > a->start ? (start - a->start) / a->unit : 0;
		return a;
	}
	return NULL;
}

/*
 * What of a VMA is dirty, in kB, must be at least that which was written to and is
 * present: smaps_account(). Of hugetlb it isn't said.
 */
static void look_at_dirty(const struct hunt_area *a, word start, word end, long is)
{
	const word first = (start - a->start) / a->unit, nr = (end - start) / a->unit;
	static u64 entry[1024];
	word huge = 0;
	bool whole = false;
	long must = 0;

	if (is_huge(a) || nr > 1024 || pread(pagemap(), entry, nr * sizeof(u64), start / page_size *
					     sizeof(u64)) != (ssize_t)(nr * sizeof(u64)))
		return;
	/* Documentation/kernel-bugs/smaps-thp-prot-none.txt */
	if (!a->page[first].prot && !kernel_is_since(6, 12))
		return;
	for (word i = 0; i < nr; i++) {
		const word at = page_at(a, first + i);

		if (!a->page[first + i].unsaved || !(entry[i] >> 63))
			continue;
		/* All of a huge page, if one entry maps it. */
		if (at / huge_size != huge) {
			huge = at / huge_size;
			whole = !is_tight(a) && maps_huge(at);
			must += whole ? huge_size >> 10 : 0;
		}
		must += whole ? 0 : a->unit >> 10;
	}
	if (is >= must)
		return;
	hunt_say("\treturn dirty_is_less(%#lx, %ld);\n", start, must);
	hunt_tell("dirty lost", "%ld kB are dirty, must be %ld or more: %s", is, must,
		  page_text(a, first));
}

/*
 * What has no entry is not there, of private memory without a file: it has no page cache.
 * mincore(2), mincore_hugetlb(), __mincore_unmapped_range().
 */
static void look_at_residence(const struct hunt_area *a, word i)
{
	const word at = page_at(a, i);
	unsigned char is = 0;

	if (entry_at(a, i) >> 62 || mincore((void *)at, page_size, &is) || !(is & 1))
		return;
	hunt_say("\treturn residence_is_wrong(%#lx, 0);\n", at);
	hunt_tell("residence", "mincore() says that it is there: %s", page_text(a, i));
}

static void look_at_residences(const struct hunt_area *a)
{
	const word every = is_huge(a) ? 1 : a->nr / 4;

	for (word i = 0; i < a->nr; i += every) {
		const struct hunt_page *p = &a->page[i];

		if (p->mapped && p->private && p->file == ANONYMOUS)
			look_at_residence(a, i);
	}
}

void look_at_mappings(void)
{
	static char line[512];
	FILE *smaps = fopen("/proc/self/smaps", "re");
	const struct hunt_area *a = NULL;
	word start = 0, end = 0, first = 0, mapped = 0, must = 0, from, to;
	long dirty = 0, kb;
	int number;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
			start = from;
			end = to;
			a = area_of(start, end, &first);
			if (a && !a->page[first].mapped) {
				fclose(smaps);
				hunt_tell("mappings", "mapped, must not be: %s", page_text(a, first));
			}
			mapped += a ? end - start : 0;
			dirty = 0;
		} else if (a && (sscanf(line, "Private_Dirty: %ld", &kb) == 1 ||
				 sscanf(line, "Shared_Dirty: %ld", &kb) == 1)) {
			dirty += kb;
		} else if (a && sscanf(line, "ProtectionKey: %d", &number) == 1 &&
			   number != a->page[first].key) {
			hunt_tell("protection key", "%d, must be %d: %s", number, a->page[first].key,
				  page_text(a, first));
		} else if (a && !strncmp(line, "VmFlags:", 8)) {
			look_at_flags(a, first, line);
			look_at_dirty(a, start, end, dirty);
		}
	}
	if (smaps)
		fclose(smaps);
	for (int k = 0; k < HUNT_AREAS; k++) {
		for (word i = 0; i < world.area[k].nr; i++)
			must += world.area[k].page[i].mapped ? world.area[k].unit : 0;
		look_at_residences(&world.area[k]);
	}
	if (mapped != must)
		hunt_tell("mappings", "%#lx bytes, must be %#lx", mapped, must);
}

#define AT_ONCE		128

/* The first and last words of pages in a row that may be read, in one call; false if one can't. */
static bool read_at_once(const struct hunt_area *a, word first, word count, word *value)
{
	struct iovec here = { value, 2 * count * sizeof(word) }, there[2 * AT_ONCE];

	for (word k = 0; k < 2 * count; k++)
		there[k] = (struct iovec) {
			.iov_base = (void *)(page_at(a, first + k / 2) +
					     (k % 2 ? a->unit - sizeof(word) : 0)),
			.iov_len = sizeof(word),
		};
	return process_vm_readv(getpid(), &here, 1, there, 2 * count, 0) ==
		(ssize_t)here.iov_len;
}

static bool are_good(const struct hunt_area *a, word first, word count)
{
	word value[2 * AT_ONCE];

	for (word i = first; i < first + count; i++)
		if (a->page[i].mapped && (!(a->page[i].prot & PROT_READ) || a->page[i].guard ||
					  a->page[i].poison))
			return false;
	if (!read_at_once(a, first, count, value))
		return false;
	for (word k = 0; k < 2 * count; k++)
		if (!may_contain(&a->page[first + k / 2], value[k]))
			return false;
	return true;
}

static bool all_are_mapped(const struct hunt_area *a, word first, word count)
{
	for (word i = first; i < first + count; i++)
		if (!a->page[i].mapped)
			return false;
	return true;
}

void look_at_all_contents(void)
{
	for (int k = 0; k < HUNT_AREAS; k++) {
		const struct hunt_area *a = &world.area[k];

		for (word i = 0, n; i < a->nr; i += n) {
			n = a->nr - i < AT_ONCE ? a->nr - i : AT_ONCE;
			if (!all_are_mapped(a, i, n) || !are_good(a, i, n))
				look_at_contents(a, i, n, 1);
			/* As in touch_page(). */
			for (word k = i; k < i + n; k++)
				if (a->page[k].private)
					a->page[k].unsaved = false;
		}
	}
}

void look_at_contents(const struct hunt_area *a, word first, word count, word way)
{
	for (word i = first; i < first + count && i < a->nr; i++)
		if (a->page[i].mapped)
			touch_page(a, i, way, "contents");
}

/* What it says first of what it finds. */
void look_by_command(void)
{
	char command[300], line[300] = "", first[300] = "";
	FILE *out;
	int status;

	snprintf(command, sizeof(command), "%s --seed %llu %d", hunt_check,
		 (unsigned long long)shared->seed, getpid());
	out = popen(command, "re");
	while (out && fgets(line, sizeof(line), out))
		if (!first[0] || (!strncmp(line, "mismatch", 8) && strncmp(first, line, 8)))
			memcpy(first, line, sizeof(first));
	status = out ? pclose(out) : -1;
	if (!status)
		return;
	hunt_say("\treturn command_finds(\"%s --seed %llu\");\n", hunt_check,
		 (unsigned long long)shared->seed);
	hunt_tell("check", "%s: status %#x: %s", command, status, first);
}
