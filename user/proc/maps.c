// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/maps, and what people mean by a name from there. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/array.h"
#include "base/escape.h"
#include "base/error.h"
#include "base/lines.h"
#include "module/client.h"
#include "proc/map_line.h"
#include "proc/maps.h"
#include "proc/processes.h"

/* What the kernel puts behind the path of a file that has none any more. */
#define DELETED	" (deleted)"

/* The kernel escapes a newline in a name as \012, and nothing else. */
static void unescape(char *name)
{
	char *to = name;

	for (; *name; name++) {
		if (!strncmp(name, "\\012", 4)) {
			*to++ = '\n';
			name += 3;
		} else {
			*to++ = *name;
		}
	}
	*to = '\0';
}

/* Whether the @nr-th has the memory of its name from the one before it. */
static bool borrows_name(const struct maps *maps, size_t nr)
{
	return nr && maps->map[nr].name == maps->map[nr - 1].name;
}

/* @name for the next one: of many mappings in a row it is the same. */
static char *take_map_name(const struct maps *maps, char *name)
{
	unescape(name);
	if (maps->nr && !strcmp(maps->map[maps->nr - 1].name, name))
		return maps->map[maps->nr - 1].name;
	return strdup(name);
}

static int add_line(char *line, void *arg)
{
	struct maps *maps = arg;
	struct map_line parsed;
	struct map *map;

	if (!array_room(&maps->map, &maps->max, maps->nr + 1, sizeof(*map)))
		return -ENOMEM;
	map = &maps->map[maps->nr];
	if (!map_line_parse(line, &parsed) || strlen(parsed.perms) != 4 ||
	    parsed.end == parsed.start || parsed.end - 1 < parsed.start)
		return -EINVAL;
	*map = (struct map){
		.start = parsed.start, .last = parsed.end - 1,
		.offset = parsed.offset, .inode = parsed.inode,
		.dev_major = parsed.dev_major, .dev_minor = parsed.dev_minor,
	};
	memcpy(map->perms, parsed.perms, sizeof(map->perms));
	map->name = take_map_name(maps, line + (parsed.name - line));
	if (!map->name)
		return -ENOMEM;
	maps->nr++;
	return 0;
}

int maps_parse(FILE *stream, struct maps *maps, size_t *line)
{
	return lines_each(stream, add_line, maps, line);
}

int maps_read(pid_t pid, struct maps *maps)
{
	size_t line = 0;
	FILE *stream;
	int err;

	stream = procs_fopen(pid, "maps", &err);
	if (stream) {
		err = maps_parse(stream, maps, &line);
		fclose(stream);
	}
	if (!err)
		return 0;
	if (procs_gone(pid, err))
		return client_gone(pid);
	if (err == -EINVAL)
		return error_set(err, "/proc/%d/maps:%zu: not understood",
				 (int)pid, line);
	return error_set(err, "/proc/%d/maps: %s", (int)pid, strerror(-err));
}

void maps_free(struct maps *maps)
{
	for (size_t i = maps->nr; i-- > 0;)
		if (!borrows_name(maps, i))
			free(maps->map[i].name);
	free(maps->map);
	memset(maps, 0, sizeof(*maps));
}

const struct map *maps_at(const struct maps *maps, uint64_t addr)
{
	size_t at = array_from(maps->map, maps->nr, last, addr);

	return at < maps->nr && maps->map[at].start <= addr ? &maps->map[at] :
							      NULL;
}

bool maps_is_gate(const char *name)
{
	return !strcmp(name, "[vsyscall]") || !strcmp(name, "[vectors]");
}

uint64_t maps_bytes(const struct maps *maps)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < maps->nr; i++)
		bytes += maps->map[i].last - maps->map[i].start + 1;
	return bytes;
}

const char *maps_name_at(const struct maps *maps, uint64_t addr)
{
	const struct map *map = maps_at(maps, addr);

	return map ? map->name : "";
}

#define KERNEL_HAS	"it is an address of the kernel, which no process has: see `ptwalk kernel`"
#define NOBODY_HAS	"it is no address (not canonical)"

/*
 * By the bit that chooses the half: of arm64 bit 55, as the byte above may be a tag;
 * else the highest. s390 has no halves: kernel and processes have an address space
 * each. Of 32-bit ones nobody tells where the kernel begins, and it may be anywhere.
 */
const char *address_refused(const char *machine, bool five_levels, uint64_t addr)
{
	const bool x86 = !strcmp(machine, "x86_64");

	if (!strcmp(machine, "aarch64"))
		return addr >> 55 & 1 ? KERNEL_HAS : NULL;
	if (!x86 && strcmp(machine, "riscv64") && strncmp(machine, "ppc64", 5) &&
	    strcmp(machine, "loongarch64"))
		return NULL;
	if (x86 && addr >> 63 && ~addr >> (five_levels ? 56 : 47))
		return NOBODY_HAS;
	if (addr >> 63)
		return KERNEL_HAS;
	/* Bits 57 to 62 may be a tag (LAM). */
	return x86 && (addr & ((1ULL << 57) - 1)) >> (five_levels ? 56 : 47) ?
	       NOBODY_HAS : NULL;
}

static int find_la57(char *line, void *arg)
{
	const char *at = strstr(line, " la57");
	bool *found = arg;

	*found |= at && (!at[5] || at[5] == ' ');
	return 0;
}

/* Whether the processor can have five levels; the kernel may do with four. In doubt, it can. */
static bool may_have_five_levels(void)
{
	FILE *cpuinfo = fopen("/proc/cpuinfo", "re");
	bool found = false;
	int err;

	if (!cpuinfo)
		return true;
	err = lines_each(cpuinfo, find_la57, &found, NULL);
	fclose(cpuinfo);
	return err || found;
}

uint64_t address_untagged(const char *machine, uint64_t addr)
{
	return !strcmp(machine, "aarch64") && !(addr >> 55 & 1) ? addr << 8 >> 8 : addr;
}

const char *maps_refuse(const struct maps *maps, uint64_t addr)
{
	static struct utsname machine;
	static bool five;

	if (!*machine.machine) {
		if (uname(&machine))
			return NULL;
		five = may_have_five_levels();
	}
	return maps_at(maps, addr) ? NULL : address_refused(machine.machine, five, addr);
}

/* The last part of a path. */
static const char *base_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* How many bytes @name has without @end, if it ends so. */
static size_t length_without(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !strcmp(name + len - end_len, end) ?
	       len - end_len : len;
}

/* Without the folders, " (deleted)", or the brackets of [heap]. */
static bool is_called(const char *name, const char *arg)
{
	const char *base = base_of(name);
	size_t len = length_without(base, DELETED);

	return escape_is(base, arg) || escape_is_part(base, len, arg) ||
	       escape_is_part(name, base - name + len, arg) ||
	       (*base == '[' && base[strcspn(base, "]")] && !strchr(base, ']')[1] &&
		escape_is_part(base + 1, strlen(base) - 2, arg));
}

/* libc for libc.so.6, and bin/true for /usr/bin/true. */
static bool is_part_of(const char *name, const char *arg)
{
	const char *base = base_of(name);
	const size_t len = strlen(arg), all = strlen(name);

	if (!strncmp(base, arg, len) && (base[len] == '.' || base[len] == '-'))
		return true;
	return all > len && name[all - len - 1] == '/' && !strcmp(name + all - len, arg);
}

/* The end of a name: of maps, with or without the bracket. */
static bool is_end(const char *text)
{
	return !*text || !strcmp(text, "]") || !strcmp(text, DELETED);
}

/*
 * @arg and a number: SYSV for SYSV0052e2c1, with a key, nvidia for nvidia0, kvm-vcpu for
 * kvm-vcpu:0, rtemap for rtemap_0.
 */
static bool is_numbered(const char *word, const char *arg)
{
	const size_t len = strlen(arg);

	if (!len || isdigit((unsigned char)arg[len - 1]) || strncasecmp(word, arg, len))
		return false;
	word += len;
	word += *word == ':' || *word == '_';
	if (strspn(word, "0123456789abcdef") == 8)
		return is_end(word + 8);
	return isdigit((unsigned char)*word) && is_end(word + strspn(word, "0123456789"));
}

/* What stands behind the colon of anon_inode:[io_uring] and /memfd:x, or NULL. */
static const char *behind_colon(const char *name)
{
	const char *class = name + (*name == '/' || *name == '[');
	const char *colon = class + strcspn(class, ":/");

	return *colon == ':' ? colon + 1 + (colon[1] == '[') : NULL;
}

/* What stands before the colon in /memfd:x, /dmabuf:x, [anon:x] and anon_inode:x. */
static bool is_before_colon(const char *name, const char *arg)
{
	const char *class = name + (*name == '/' || *name == '[');

	if (!*name)
		return !strcasecmp(arg, MAPS_NO_NAME) || !strcasecmp(arg, "anon") ||
		       !strcasecmp(arg, "[anon]");
	return behind_colon(name) && strcspn(class, ":") == strlen(arg) &&
	       !strncasecmp(class, arg, strlen(arg));
}

/* The same, or what stands before a number. */
static bool is_of_class(const char *name, const char *arg)
{
	const char *rest = behind_colon(name);

	return is_before_colon(name, arg) || is_numbered(rest ? rest : base_of(name), arg);
}

/* io_uring for anon_inode:[io_uring], x for /memfd:x. */
static bool is_behind_colon(const char *name, const char *arg)
{
	const char *rest = behind_colon(name);
	size_t len = strlen(arg);

	return rest && len && !strncmp(rest, arg, len) && is_end(rest + len);
}

/* As it stands in maps, without folders or what is before a colon, or with its end left out. */
static bool is_called_in_any_case(const char *name, const char *arg)
{
	const char *base = base_of(name), *rest = behind_colon(name);
	const size_t len = strlen(arg);

	if (!strcasecmp(name, arg))
		return true;
	if (!rest && *base == '[')
		rest = base + 1;
	if (rest && len && !strncasecmp(rest, arg, len) && is_end(rest + len))
		return true;
	return len && *base != '[' && !strncasecmp(base, arg, len) &&
	       (is_end(base + len) || base[len] == '.' || base[len] == '-');
}

static const char no_name[] = "no mapping of that name";
static const char many_names[] = "mappings of several files of that name, give the path";

/* The first mapping of the kind @arg, from the @from-th on, or NULL: each has its own name. */
static const struct map *find_class(const struct maps *maps, const char *arg, size_t from)
{
	for (size_t i = from; i < maps->nr; i++)
		if (is_of_class(maps->map[i].name, arg))
			return &maps->map[i];
	return NULL;
}

static bool has_before_colon(const struct maps *maps, const char *arg)
{
	for (size_t i = 0; i < maps->nr; i++)
		if (is_before_colon(maps->map[i].name, arg))
			return true;
	return false;
}

/* Where nothing has that very name. */
static const char *find_in_any_case(const struct maps *maps, const char *arg,
				    const char **reason)
{
	const char *found = NULL;

	if (has_before_colon(maps, arg))
		return NULL;
	for (size_t i = 0; i < maps->nr; i++) {
		if (!is_called_in_any_case(maps->map[i].name, arg))
			continue;
		if (found ? strcmp(found, maps->map[i].name) : !!find_class(maps, arg, 0)) {
			*reason = many_names;
			return NULL;
		}
		found = maps->map[i].name;
	}
	return found;
}

/*
 * The name of mappings that is meant with @arg: as it stands in maps or is
 * printed, or short, if only one file is called so, or begins or ends so and @arg
 * is no kind. NULL with a reason: @arg may be a kind if that is no_name.
 */
static const char *find_name(const struct maps *maps, const char *arg,
			     const char **reason)
{
	const char *found = NULL;

	*reason = no_name;
	for (size_t i = 0; *arg && i < maps->nr; i++)
		if (escape_is(maps->map[i].name, arg))
			return maps->map[i].name;
	for (int part = 0; !found && part <= !has_before_colon(maps, arg); part++) {
		for (size_t i = 0; *arg && i < maps->nr; i++) {
			const char *name = maps->map[i].name;

			if (part ? !is_part_of(name, arg) :
				   !is_called(name, arg) && !is_behind_colon(name, arg))
				continue;
			if (found ? strcmp(found, name) : part && find_class(maps, arg, 0)) {
				*reason = many_names;
				return NULL;
			}
			found = name;
		}
	}
	return found ? found : find_in_any_case(maps, arg, reason);
}

/* Without the folders and the brackets, as people type it, in @word. */
static const char *short_name(const char *name, char *word, size_t size)
{
	const char *base = strrchr(name, '/');
	size_t len;

	base = base ? base + 1 : name;
	base += *base == '[';
	len = strcspn(base, "] ");
	snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), base);
	return word;
}

const char *maps_nearest(const struct maps *maps, const char *arg)
{
	const char *best = NULL;
	char word[64], typed[64];

	short_name(arg, typed, sizeof(typed));
	for (size_t i = 0; i < maps->nr; i++) {
		const char *name = short_name(maps->map[i].name, word, sizeof(word));

		/* The name is right, and what is behind the plus is not. */
		if (*name && !strcmp(typed, name) && strchr(arg, '+'))
			return NULL;
		/* The kept one is of @maps, and compared by its short name. */
		if (*name && strlen(typed) > 2 && parse_distance(typed, name) <= 2)
			best = best ? best : maps->map[i].name;
	}
	return best;
}

static const struct map *find_map(const struct maps *maps, const char *name,
				  size_t from)
{
	for (; from < maps->nr; from++)
		if (!strcmp(maps->map[from].name, name))
			return &maps->map[from];
	return NULL;
}

/*
 * What lies between mappings of one name, or behind them, is somebody else's, but for
 * the part of a program's .bss that isn't in its file.
 */
static bool map_is_named(const struct maps *maps, uint64_t addr, const char *name)
{
	const struct map *map = maps_at(maps, addr);

	if (!map || !strcmp(map->name, name))
		return map;
	return map > maps->map && !*map->name && map[-1].last + 1 == map->start &&
	       map[-1].perms[3] == 'p' && map[-1].inode && !strcmp(map[-1].name, name);
}

/* The first mapping of a name, or of a kind: of anonymous memory, of memfds... */
static const struct map *find_first(const struct maps *maps, const char *arg,
				    const char **reason)
{
	const char *name = find_name(maps, arg, reason);
	const struct map *map = NULL;

	if (name)
		map = find_map(maps, name, 0);
	else if (*reason == no_name)
		map = find_class(maps, arg, 0);
	if (map)
		*reason = NULL;
	return map;
}

const char *maps_address(const struct maps *maps, const char *arg,
			 uint64_t *addr)
{
	const char *plus, *reason;
	const struct map *map;
	uint64_t offset = 0;
	char *head;

	if (!parse_is_name(arg))
		return parse_hex(arg, addr);

	/* A path may hold a plus itself, so the whole is tried first. */
	map = find_first(maps, arg, &reason);
	plus = strrchr(arg, '+');
	if (!map && plus) {
		head = strndup(arg, plus - arg);
		if (!head)
			return "out of memory";
		map = find_first(maps, head, &reason);
		free(head);
		if (map)
			reason = parse_hex(plus + 1, &offset);
	}
	if (reason)
		return reason;
	if (offset > UINT64_MAX - map->start ||
	    !map_is_named(maps, map->start + offset, map->name))
		return "no mapping of that name at that offset";
	*addr = map->start + offset;
	return NULL;
}

bool maps_is_mistake(const char *arg, const char *why)
{
	const char *plus = strrchr(arg, '+'), *reason;
	struct range range;
	uint64_t offset;
	bool single;

	if (!parse_is_name(arg))
		return parse_range_or_address(arg, &range, &single);
	reason = plus ? parse_hex(plus + 1, &offset) : NULL;
	return reason && !strcmp(reason, why);
}

int ranges_add(struct ranges *ranges, uint64_t start, uint64_t last)
{
	if (!array_room(&ranges->range, &ranges->max, ranges->nr + 1,
			sizeof(*ranges->range)))
		return -ENOMEM;
	ranges->range[ranges->nr].start = start;
	ranges->range[ranges->nr++].last = last;
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->range);
	memset(ranges, 0, sizeof(*ranges));
}

void ranges_sort(struct ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->range, ranges->nr, sizeof(*ranges->range), array_order);
}

int ranges_copy(const struct ranges *ranges, struct ranges *copy)
{
	*copy = (struct ranges){ 0 };
	for (size_t i = 0; i < ranges->nr; i++)
		if (ranges_add(copy, ranges->range[i].start, ranges->range[i].last)) {
			ranges_free(copy);
			return -ENOMEM;
		}
	return 0;
}

/* Of ranges in order, makes one of those that overlap. */
static void join_sorted(struct ranges *ranges)
{
	struct range *r = ranges->range;
	size_t nr = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		if (!nr || r[i].start > r[nr - 1].last)
			r[nr++] = r[i];
		else if (r[i].last > r[nr - 1].last)
			r[nr - 1].last = r[i].last;
	}
	ranges->nr = nr;
}

int ranges_merge(struct ranges *ranges)
{
	struct ranges whole;
	size_t nr = 0, at;
	bool *placed;

	if (ranges_copy(ranges, &whole))
		return -ENOMEM;
	placed = calloc(ranges->nr + 1, sizeof(*placed));
	if (!placed) {
		ranges_free(&whole);
		return -ENOMEM;
	}
	ranges_sort(&whole);
	join_sorted(&whole);
	for (size_t i = 0; i < ranges->nr; i++) {
		at = array_from(whole.range, whole.nr, last, ranges->range[i].last);
		if (!placed[at])
			ranges->range[nr++] = whole.range[at];
		placed[at] = true;
	}
	ranges->nr = nr;
	free(placed);
	ranges_free(&whole);
	return 0;
}

bool ranges_touch(const struct ranges *ranges, uint64_t start, uint64_t last)
{
	for (size_t i = 0; i < ranges->nr; i++)
		if (ranges->range[i].start <= last &&
		    ranges->range[i].last >= start)
			return true;
	return false;
}

bool ranges_have(const struct ranges *ranges, uint64_t addr)
{
	return ranges_touch(ranges, addr, addr);
}

/* A pointer with a tag, as allocators give them out, is one to the same memory without. */
static void untag(struct range *range)
{
	struct utsname machine;

	if (uname(&machine))
		return;
	range->start = address_untagged(machine.machine, range->start);
	range->last = address_untagged(machine.machine, range->last);
}

static bool any_in(const struct maps *maps, const struct range *range)
{
	for (size_t i = 0; i < maps->nr; i++)
		if (maps->map[i].start <= range->last &&
		    maps->map[i].last >= range->start)
			return true;
	return false;
}

/* All of the page that an address is in. */
static void to_page(struct range *range)
{
	const uint64_t mask = sysconf(_SC_PAGESIZE) - 1;

	range->start &= ~mask;
	range->last |= mask;
}

/* All mappings of a kind that have names of their own: each dma-buf, say. */
static const char *class_ranges(const struct maps *maps, const char *arg,
				const char *reason, struct ranges *ranges)
{
	const struct map *map;

	if (reason != no_name)
		return reason;
	for (map = find_class(maps, arg, 0); map;
	     map = find_class(maps, arg, map - maps->map + 1)) {
		if (ranges_add(ranges, map->start, map->last))
			return "out of memory";
		reason = NULL;
	}
	return reason;
}

/* The page at a place in a mapping: of [heap]+1000, say. */
static const char *place_range(const struct maps *maps, const char *arg,
			       const char *reason, struct ranges *ranges)
{
	struct range range;

	if (strchr(arg, '+'))
		reason = maps_address(maps, arg, &range.start);
	if (reason)
		return reason;
	range.last = range.start;
	to_page(&range);
	return ranges_add(ranges, range.start, range.last) ? "out of memory" : NULL;
}

static const char *nothing_there(const struct maps *maps, uint64_t addr)
{
	static char reason[96];
	const char *why = maps_refuse(maps, addr);

	if (!why)
		return "no mapping there";
	snprintf(reason, sizeof(reason), "no mapping there: %s", why);
	return reason;
}

const char *maps_ranges(const struct maps *maps, const char *arg,
			struct ranges *ranges)
{
	const struct map *map;
	const char *reason, *name;
	struct range range;
	bool single;

	if (!parse_is_name(arg)) {
		reason = parse_range_or_address(arg, &range, &single);
		if (!reason && single)
			to_page(&range);
		if (!reason && (!maps || !any_in(maps, &range)))
			untag(&range);
		if (!reason && maps && !any_in(maps, &range))
			return nothing_there(maps, range.start);
		if (!reason && ranges_add(ranges, range.start, range.last))
			return "out of memory";
		return reason;
	}
	name = find_name(maps, arg, &reason);
	if (!name && class_ranges(maps, arg, reason, ranges))
		return place_range(maps, arg, reason, ranges);
	if (!name)
		return NULL;
	for (map = find_map(maps, name, 0); map;
	     map = find_map(maps, name, map - maps->map + 1))
		if (ranges_add(ranges, map->start, map->last))
			return "out of memory";
	return NULL;
}
