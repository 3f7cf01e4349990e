// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/smaps, smaps_rollup and numa_maps, parsed. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <linux/mempolicy.h>
#include <linux/ptwalk.h>
#include "base/array.h"
#include "base/lines.h"
#include "base/parse.h"
#include "proc/map_line.h"
#include "proc/smaps.h"

/* Of Linux 5.12; the headers of older systems don't have it. */
#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING	(1 << 13)
#endif

const struct proc_field smaps_field[NR_SMAPS_FIELDS] = {
	[SMAPS_SIZE] = { "Size" },
	[SMAPS_KERNEL_PAGE_SIZE] = { "KernelPageSize" },
	[SMAPS_MMU_PAGE_SIZE] = { "MMUPageSize" },
	[SMAPS_RSS] = { "Rss" },
	[SMAPS_PSS] = { "Pss" },
	[SMAPS_PSS_DIRTY] = { "Pss_Dirty" },
	[SMAPS_PSS_ANON] = { "Pss_Anon" },
	[SMAPS_PSS_FILE] = { "Pss_File" },
	[SMAPS_PSS_SHMEM] = { "Pss_Shmem" },
	[SMAPS_SHARED_CLEAN] = { "Shared_Clean" },
	[SMAPS_SHARED_DIRTY] = { "Shared_Dirty" },
	[SMAPS_PRIVATE_CLEAN] = { "Private_Clean" },
	[SMAPS_PRIVATE_DIRTY] = { "Private_Dirty" },
	[SMAPS_REFERENCED] = { "Referenced" },
	[SMAPS_ANONYMOUS] = { "Anonymous" },
	[SMAPS_KSM] = { "KSM", KERNEL(6, 7) },
	[SMAPS_LAZYFREE] = { "LazyFree" },
	[SMAPS_ANON_HUGE_PAGES] = { "AnonHugePages" },
	[SMAPS_SHMEM_PMD_MAPPED] = { "ShmemPmdMapped" },
	[SMAPS_FILE_PMD_MAPPED] = { "FilePmdMapped" },
	[SMAPS_SHARED_HUGETLB] = { "Shared_Hugetlb" },
	[SMAPS_PRIVATE_HUGETLB] = { "Private_Hugetlb" },
	[SMAPS_SWAP] = { "Swap" },
	[SMAPS_SWAP_PSS] = { "SwapPss" },
	[SMAPS_LOCKED] = { "Locked" },
	[SMAPS_THP_ELIGIBLE] = { "THPeligible" },
	[SMAPS_PROTECTION_KEY] = { "ProtectionKey", 0, PTWALK_FEATURE_PKEYS },
};

const char *const numa_field_name[NR_NUMA_FIELDS] = {
	[NUMA_ANON] = "anon",
	[NUMA_DIRTY] = "dirty",
	[NUMA_MAPPED] = "mapped",
	[NUMA_MAPMAX] = "mapmax",
	[NUMA_SWAPCACHE] = "swapcache",
	[NUMA_ACTIVE] = "active",
	[NUMA_WRITEBACK] = "writeback",
	[NUMA_KERNEL_PAGE_SIZE] = "kernelpagesize_kB",
};

/*
 * show_smap_vma_flags(); what isn't listed is passed over. Two were flags first, and
 * "??"; since when they have letters, as of struct proc_field.
 */
static const struct {
	char mnemonic[3];
	uint64_t flag;
	unsigned int since;
} vm_flags[] = {
	{ "rd", PTWALK_VMA_FLAG_READ },
	{ "wr", PTWALK_VMA_FLAG_WRITE },
	{ "ex", PTWALK_VMA_FLAG_EXEC },
	{ "sh", PTWALK_VMA_FLAG_SHARED },
	{ "mr", PTWALK_VMA_FLAG_MAYREAD },
	{ "mw", PTWALK_VMA_FLAG_MAYWRITE },
	{ "me", PTWALK_VMA_FLAG_MAYEXEC },
	{ "ms", PTWALK_VMA_FLAG_MAYSHARE },
	{ "gd", PTWALK_VMA_FLAG_GROWSDOWN },
	{ "pf", PTWALK_VMA_FLAG_PFNMAP },
	{ "lo", PTWALK_VMA_FLAG_LOCKED },
	{ "io", PTWALK_VMA_FLAG_IO },
	{ "sr", PTWALK_VMA_FLAG_SEQ_READ },
	{ "rr", PTWALK_VMA_FLAG_RAND_READ },
	{ "dc", PTWALK_VMA_FLAG_DONTCOPY },
	{ "de", PTWALK_VMA_FLAG_DONTEXPAND },
	{ "ac", PTWALK_VMA_FLAG_ACCOUNT },
	{ "nr", PTWALK_VMA_FLAG_NORESERVE },
	{ "ht", PTWALK_VMA_FLAG_HUGETLB },
	{ "wf", PTWALK_VMA_FLAG_WIPEONFORK },
	{ "dd", PTWALK_VMA_FLAG_DONTDUMP },
	{ "mm", PTWALK_VMA_FLAG_MIXEDMAP },
	{ "hg", PTWALK_VMA_FLAG_HUGEPAGE },
	{ "nh", PTWALK_VMA_FLAG_NOHUGEPAGE },
	{ "mg", PTWALK_VMA_FLAG_MERGEABLE },
	{ "um", PTWALK_VMA_FLAG_UFFD_MISSING },
	{ "uw", PTWALK_VMA_FLAG_UFFD_WP },
	{ "ui", PTWALK_VMA_FLAG_UFFD_MINOR },
	{ "ur", PTWALK_VMA_FLAG_UFFD_RWP },
	{ "sd", PTWALK_VMA_FLAG_SOFTDIRTY },
	{ "lf", PTWALK_VMA_FLAG_LOCKONFAULT, KERNEL(6, 3) },
	{ "sf", PTWALK_VMA_FLAG_SYNC },
	{ "sl", PTWALK_VMA_FLAG_SEALED, KERNEL(6, 11) },
	{ "ss", PTWALK_VMA_FLAG_SHADOW_STACK },
	{ "mt", PTWALK_VMA_FLAG_MTE },
	{ "dp", PTWALK_VMA_FLAG_DROPPABLE },
	{ "gu", PTWALK_VMA_FLAG_MAYBE_GUARD },
};

#define NR_VM_FLAGS	(sizeof(vm_flags) / sizeof(vm_flags[0]))

uint64_t smaps_vm_flags_known(void)
{
	uint64_t known = 0;

	for (size_t i = 0; i < NR_VM_FLAGS; i++)
		known |= vm_flags[i].flag;
	return known;
}

uint64_t smaps_vm_flags_nameless(const struct ptwalk_kernel *kernel)
{
	uint64_t nameless = 0;

	for (size_t i = 0; i < NR_VM_FLAGS; i++)
		if (kernel_version(kernel) < vm_flags[i].since)
			nameless |= vm_flags[i].flag;
	return nameless;
}

/* A new element, all zero, at the end of an array; NULL without memory. */
static void *append_zeroed(void *array, size_t *nr, size_t *max, size_t size)
{
	char *p;

	if (!array_room(array, max, *nr + 1, size))
		return NULL;
	memcpy(&p, array, sizeof(p));
	return memset(p + (*nr)++ * size, 0, size);
}

/* What lines_until() is told by a line of a mapping that begins too far. */
#define BEHIND	1

/* Returns 0, BEHIND if the mapping begins behind @last, or a negative errno. */
static int add_header(const char *line, uint64_t last, struct smaps *smaps)
{
	struct smaps_vma *vma;
	struct map_line l;

	/* An empty rollup, of a process without mappings, is 0-0. */
	if (!map_line_parse(line, &l) || (l.end <= l.start && (l.start || l.end)))
		return -EINVAL;
	if (l.start > last)
		return BEHIND;
	vma = append_zeroed(&smaps->vma, &smaps->nr, &smaps->max, sizeof(*vma));
	if (!vma)
		return -ENOMEM;
	vma->start = l.start;
	vma->last = l.end - 1;
	memcpy(vma->perms, l.perms, sizeof(l.perms));
	vma->offset = l.offset;
	vma->dev_major = l.dev_major;
	vma->dev_minor = l.dev_minor;
	vma->inode = l.inode;
	vma->name = strdup(l.name);
	/* A line that comes again, or overlaps, and its other one are no mapping's. */
	if (smaps->nr > 1 && vma[-1].last >= vma->start)
		vma[-1].perms[0] = vma->perms[0] = '?';
	return vma->name ? 0 : -ENOMEM;
}

static void take_vm_flags(const char *s, struct smaps_vma *vma)
{
	size_t len;

	for (; *(s += strspn(s, " ")); s += len) {
		len = strcspn(s, " ");
		vma->nr_flags++;
		vma->unknown_flags += s[0] == '?' && s[1] == '?';
		for (size_t i = 0; len == 2 && i < NR_VM_FLAGS; i++)
			if (s[0] == vm_flags[i].mnemonic[0] &&
			    s[1] == vm_flags[i].mnemonic[1]) {
				vma->vm_flags |= vm_flags[i].flag;
				break;
			}
	}
}

/* The field of that name, or NR_SMAPS_FIELDS; @likely is the first that is tried. */
static unsigned int find_field(const char *name, size_t len, unsigned int likely)
{
	for (unsigned int n = 0; n < NR_SMAPS_FIELDS; n++) {
		unsigned int i = (likely + n) % NR_SMAPS_FIELDS;

		if (!strncmp(smaps_field[i].name, name, len) &&
		    !smaps_field[i].name[len])
			return i;
	}
	return NR_SMAPS_FIELDS;
}

static int take_field(const char *line, size_t len, struct smaps_vma *vma)
{
	const char *unit, *s = line + len + 1;
	unsigned int i;

	if (len == strlen("VmFlags") && !memcmp(line, "VmFlags", len)) {
		take_vm_flags(s, vma);
		return 0;
	}
	/* They are in the order in which the kernel has them. */
	i = find_field(line, len, vma->has ? 32 - __builtin_clz(vma->has) : 0);
	if (i == NR_SMAPS_FIELDS)
		return 0;	/* of a later kernel */
	unit = i >= SMAPS_THP_ELIGIBLE ? "" : " kB";
	while (*s == ' ')
		s++;
	if (!map_line_number(&s, 10, &vma->value[i]) || strcmp(s, unit))
		return -EINVAL;
	vma->has |= 1U << i;
	return 0;
}

/* The part of a file that is read into @smaps or @maps, up to @last. */
struct part {
	uint64_t last;
	struct smaps *smaps;
	struct numa_maps *maps;
};

/* "Rss: 12 kB" has a colon behind its first word, "1000-2000 r--p" has none. */
static int smaps_line(char *line, void *arg)
{
	const struct part *part = arg;
	struct smaps *smaps = part->smaps;
	size_t len = 0;

	while (line[len] && line[len] != ':' && line[len] != ' ')
		len++;
	if (line[len] != ':')
		return add_header(line, part->last, smaps);
	if (!smaps->nr)
		return -EINVAL;
	return take_field(line, len, &smaps->vma[smaps->nr - 1]);
}

int smaps_parse(FILE *stream, struct smaps *smaps, size_t *line)
{
	struct part part = { .last = UINT64_MAX, .smaps = smaps };

	return lines_each(stream, smaps_line, &part, line);
}

int smaps_parse_until(struct long_lines *lines, uint64_t last, struct smaps *smaps)
{
	struct part part = { .last = last, .smaps = smaps };
	int ret = lines_until(lines, smaps_line, &part);

	return ret == BEHIND ? 0 : ret;
}

void smaps_free(struct smaps *smaps)
{
	for (size_t i = 0; i < smaps->nr; i++)
		free(smaps->vma[i].name);
	free(smaps->vma);
	memset(smaps, 0, sizeof(*smaps));
}

static int by_smaps_start(const void *key, const void *element)
{
	uint64_t start = *(const uint64_t *)key;
	uint64_t other = *(const uint64_t *)element;

	return start < other ? -1 : start > other;
}

const struct smaps_vma *smaps_at(const struct smaps *smaps, uint64_t start)
{
	_Static_assert(!offsetof(struct smaps_vma, start), "the key is first");
	return smaps->nr ? bsearch(&start, smaps->vma, smaps->nr,
				   sizeof(*smaps->vma), by_smaps_start) : NULL;
}

static int add_node(struct numa_vma *vma, const char *word)
{
	struct numa_node *p;
	uint64_t node, pages;

	word++;
	if (!map_line_number(&word, 10, &node) || node > UINT32_MAX || *word++ != '=' ||
	    !map_line_number(&word, 10, &pages) || *word)
		return 0;	/* another word that begins so */
	p = reallocarray(vma->nodes, vma->nr_nodes + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	vma->nodes = p;
	p[vma->nr_nodes++] = (struct numa_node){ .node = node, .pages = pages };
	return 0;
}

/* mpol_to_str(), by mode; not all are in older headers. */
static const char *const mode_name[] = {
	"default", "prefer", "bind", "interleave", "local", "prefer (many)",
	"weighted interleave",
};

#define NR_MODES	(sizeof(mode_name) / sizeof(mode_name[0]))

const char *numa_policy_name(uint32_t policy)
{
	uint32_t mode = policy & UINT16_MAX;

	return mode < NR_MODES ? mode_name[mode] : "?";
}

/* The same, by mode flags; balancing goes with either of the others. */
static const struct {
	const char *name;
	uint32_t flags;
} policy_flag[] = {
	{ "static", MPOL_F_STATIC_NODES },
	{ "relative", MPOL_F_RELATIVE_NODES },
	{ "balancing", MPOL_F_NUMA_BALANCING },
	{ "static|balancing", MPOL_F_STATIC_NODES | MPOL_F_NUMA_BALANCING },
	{ "relative|balancing", MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING },
};

#define NR_POLICY_FLAGS	(sizeof(policy_flag) / sizeof(policy_flag[0]))

const char *numa_policy_flags(uint32_t policy)
{
	for (size_t i = 0; i < NR_POLICY_FLAGS; i++)
		if (policy_flag[i].flags == policy >> 16)
			return policy_flag[i].name;
	return policy >> 16 ? "?" : "";
}

bool numa_policy_balances(uint32_t policy)
{
	return policy >> 16 & MPOL_F_NUMA_BALANCING;
}

/* "0-3,8" */
static void take_policy_nodes(const char *s, struct numa_vma *vma)
{
	unsigned int first, last;
	int used = 0;

	for (; sscanf(s, "%u%n", &first, &used) == 1; s += *s == ',') {
		s += used;
		last = first;
		if (sscanf(s, "-%u%n", &last, &used) == 1)
			s += used;
		for (; first <= last && first < 64; first++)
			vma->policy_nodes |= 1ULL << first;
		vma->cut |= first <= last;
	}
	vma->cut |= *s && *s != ' ';
}

/* The kernel's buffer, show_numa_map(). */
#define POLICY_SIZE	64

/* The mode flags of that word; 0 for one that means none. */
static uint32_t policy_flags(const char *s, size_t len)
{
	for (size_t i = 0; i < NR_POLICY_FLAGS; i++)
		if (strlen(policy_flag[i].name) == len &&
		    !memcmp(policy_flag[i].name, s, len))
			return policy_flag[i].flags;
	return 0;
}

/* "prefer (many)=static:0-3", what is said first. Returns what is behind it. */
static char *take_policy(char *line, struct numa_vma *vma)
{
	size_t mode = NR_MODES, len = 0;
	uint32_t flags;
	char *s, *end;

	/* Backwards, as "prefer (many)" begins with another one. */
	while (mode--) {
		len = strlen(mode_name[mode]);
		if (!strncmp(line, mode_name[mode], len) &&
		    strchr("=: ", line[len]))
			break;
	}
	vma->policy = mode < NR_MODES ? mode : NUMA_NO_POLICY;
	if (mode >= NR_MODES)
		return line + strcspn(line, " ");
	s = line + len;
	end = s + strcspn(s, " ");
	if (*s == '=') {
		flags = policy_flags(s + 1, strcspn(s + 1, ": "));
		vma->policy = flags ? vma->policy | flags << 16 : NUMA_NO_POLICY;
	}
	s += strcspn(s, ": ");
	if (*s == ':')
		take_policy_nodes(s + 1, vma);
	vma->cut |= end - line >= POLICY_SIZE - 1;
	return end;
}

static int take_file(const char *name, struct numa_vma *vma)
{
	free(vma->file);
	vma->file = strdup(name);
	vma->name = NUMA_FILE;
	return vma->file ? 0 : -ENOMEM;
}

static void take_flag(const char *word, struct numa_vma *vma)
{
	if (!strcmp(word, "heap"))
		vma->name = NUMA_HEAP;
	else if (!strcmp(word, "stack"))
		vma->name = NUMA_STACK;
	else if (!strcmp(word, "huge"))
		vma->huge = true;
}

static int numa_word(const char *word, struct numa_vma *vma)
{
	static const char file[] = "file=";
	size_t len = strcspn(word, "=");
	const char *value;

	if (word[0] == 'N')
		return add_node(vma, word);
	if (!strncmp(word, file, strlen(file)))
		return take_file(word + strlen(file), vma);
	if (!word[len]) {
		take_flag(word, vma);
		return 0;
	}
	for (int i = 0; i < NR_NUMA_FIELDS; i++) {
		if (!parse_is_word(word, len, numa_field_name[i]))
			continue;
		value = word + len + 1;
		if (!map_line_number(&value, 10, &vma->value[i]) || *value)
			return -EINVAL;
		vma->has |= 1U << i;
	}
	return 0;
}

/* "7f00aa000 default file=/a\040path anon=1 N0=1 kernelpagesize_kB=4" */
static int numa_line(char *line, void *arg)
{
	const struct part *part = arg;
	struct numa_maps *maps = part->maps;
	struct numa_vma *vma;
	const char *policy = line;
	uint64_t start;
	char *word, *save;
	int err = 0;

	if (!map_line_number(&policy, 16, &start) || *policy++ != ' ' || !*policy)
		return -EINVAL;
	if (start > part->last)
		return BEHIND;
	vma = append_zeroed(&maps->vma, &maps->nr, &maps->max, sizeof(*vma));
	if (!vma)
		return -ENOMEM;
	vma->start = start;
	for (word = strtok_r(take_policy(line + (policy - line), vma), " ", &save); word && !err;
	     word = strtok_r(NULL, " ", &save))
		err = numa_word(word, vma);
	return err;
}

int numa_maps_parse(FILE *stream, struct numa_maps *maps, size_t *line)
{
	struct part part = { .last = UINT64_MAX, .maps = maps };

	return lines_each(stream, numa_line, &part, line);
}

int numa_maps_parse_until(struct long_lines *lines, uint64_t last,
			  struct numa_maps *maps)
{
	struct part part = { .last = last, .maps = maps };
	int ret = lines_until(lines, numa_line, &part);

	return ret == BEHIND ? 0 : ret;
}

void numa_maps_free(struct numa_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++) {
		free(maps->vma[i].nodes);
		free(maps->vma[i].file);
	}
	free(maps->vma);
	memset(maps, 0, sizeof(*maps));
}

const struct numa_vma *numa_maps_at(const struct numa_maps *maps,
				    uint64_t start)
{
	_Static_assert(!offsetof(struct numa_vma, start), "the key is first");
	return maps->nr ? bsearch(&start, maps->vma, maps->nr,
				  sizeof(*maps->vma), by_smaps_start) : NULL;
}
