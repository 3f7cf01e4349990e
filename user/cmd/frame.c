// SPDX-License-Identifier: GPL-2.0
/* ptwalk frame: what a physical page is, and who maps it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/folder.h"
#include "base/format.h"
#include "base/error.h"
#include "base/jsonw.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/text.h"
#include "check/rules.h"
#include "cmd/cmd.h"
#include "cmd/frame_sum.h"
#include "cmd/interrupt.h"
#include "cmd/options.h"
#include "module/client.h"
#include "module/entry.h"
#include "module/names.h"
#include "proc/cgroups.h"
#include "proc/iomem.h"
#include "proc/kpageflags.h"
#include "proc/maps.h"
#include "proc/pagemap_bits.h"
#include "proc/pci_bars.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/procmap_query.h"
#include "proc/spaces.h"
#include "report/page.h"
#include "report/record.h"
#include "rmap/frames.h"
#include "sources/source.h"

#define PHYSICAL	"phys:"
#define MOST		(1U << 19)	/* frames of one range: blocks of memory have 2G at most */
#define LISTED		20	/* frames of ranges that are printed */
#define OWNERS		20	/* processes that are named in the sum */

/*
 * The module finds one frame fastest, or those of a range that differ in their last
 * bits only. So many frames at the most are looked for in more than one request.
 */
#define ALONE		8
#define NEAR		64

/* The process whose runs come has the address space of one that was searched. */
#define SAME_SPACE	1

/* Files of /proc with a word for each frame. */
enum { KPAGEFLAGS, KPAGECOUNT, KPAGECGROUP, NR_KPAGE };

static const char *const kpage_name[NR_KPAGE] = {
	"kpageflags", "kpagecount", "kpagecgroup",
};

/**
 * struct fact - what is known of a frame besides its mappings
 * @kpage: By file, if @kpage_has has its bit.
 * @node: NUMA node, or -1.
 * @page: What the module tells of it, if @has_page; @others the same without the
 *	mappings of this command itself.
 * @kind: What it is.
 */
struct fact {
	uint64_t kpage[NR_KPAGE];
	unsigned int kpage_has;
	int node;
	struct ptwalk_page page, others;
	bool has_page;
	enum frame_kind kind;
};

/**
 * struct owner - a process that maps some of the frames
 * @pid: It.
 * @frames: How many of them.
 */
struct owner {
	pid_t pid;
	uint64_t frames;
};

/**
 * struct command - the command at work
 * @frames: What is asked about.
 * @fact: The same of each.
 * @pids: Of --pid; all processes without.
 * @spaces: The address spaces in which some were found.
 * @searched: How many of the processes have been dealt with, of which
 *	@looked_at have been read; @missed couldn't be, and that was told.
 * @pid: The one whose truth is streaming.
 * @found_in: The latest one in which some were found.
 * @told_counts: The module has told what the kernel counts of the frames.
 * @unread: Why files of /proc with a word for each frame can't be read, or 0.
 * @ranges: Ranges were asked about: a sum comes in the end, @sum, with @nr_owners
 *	processes.
 * @left_out: How many of their frames were not printed, though they are in the way;
 *	@strange: how many, because it isn't known what they are.
 */
struct command {
	bool json, verbose;
	struct frames frames;
	struct fact *fact;
	struct pids pids;
	struct spaces spaces;
	bool restricted;
	uint64_t searched, looked_at, missed;
	struct cgroups cgroups;
	struct iomem iomem;
	struct pcibars bars;
	struct ptwalk *client;
	const struct ptwalk_kernel *info;
	pid_t pid, found_in;
	bool told_counts;
	int unread[NR_KPAGE];
	bool ranges;
	struct frame_sum sum;
	struct owner *owner;
	size_t nr_owners, max_owners, left_out, strange;
};

/* What frame_range() takes, of not too many frames. */
static const char *parse_frames(const struct command *c, const char *arg,
				uint64_t *first, uint64_t *last, bool *physical)
{
	const unsigned int own = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	const unsigned int shift = c->info ? c->info->page_shift : own;
	const char *why = frame_range(arg, shift, first, last, physical);

	if (!why && *last - *first >= MOST)
		why = "more than 524288 frames";
	if (!why && !*physical && c->info && *last > UINT64_MAX >> shift)
		why = "no such frame";
	return why;
}

/* An argument; before the module is known, only whether it makes sense. */
static int take_frame(struct command *c, const char *arg)
{
	uint64_t first = 0, last = 0;
	bool physical;
	const char *why = parse_frames(c, arg, &first, &last, &physical);

	if (why)
		return fail(EXIT_USAGE, "frame '%s': %s: give frame numbers in hexadecimal, PFN, FIRST-LAST, FIRST+NUMBER or \"[FIRST, END)\", or phys:ADDRESS",
			    arg, why);
	if (!c->info)
		return 0;	/* the command line first */
	c->ranges |= last != first;
	for (uint64_t pfn = first; pfn <= last; pfn++) {
		const struct frame frame = {
			.pfn = pfn, .as_number = !physical, .alone = first == last,
		};

		if (frames_add(&c->frames, &frame))
			return error_no_memory();
	}
	return 0;
}

static int take_frame_runs(const struct ptwalk_runs *runs, void *arg)
{
	struct command *c = arg;

	if (interrupted)
		return INTERRUPT_STOP;
	if (c->found_in != c->pid && spaces_add(&c->spaces, c->pid))
		return SAME_SPACE;
	c->found_in = c->pid;
	return frames_take(&c->frames, c->pid, c->info->page_shift, runs) ?
	       error_no_memory() : 0;
}

/*
 * Names for the VMAs in which this process was just found to have frames: the kernel
 * is asked for each, or maps is read if it can't be. Either waits for the mmap lock,
 * which the search that ended this moment has had.
 */
static int name_vmas(struct command *c, pid_t pid)
{
	struct maps maps = { 0 };
	bool are_read = false;
	int status = 0, err;

	for (size_t i = c->frames.nr_vmas; i-- && c->frames.vma[i].pid == pid;) {
		struct frame_vma *v = &c->frames.vma[i];

		if (!are_read)
			v->name = procmap_query_name(pid, v->addr, &err);
		/* It was unmapped meanwhile. */
		if (v->name || (!are_read && err == -ENOENT))
			continue;
		if (!are_read)
			status = maps_read(pid, &maps);
		if (status)
			break;
		are_read = true;
		v->name = strdup(maps_name_at(&maps, v->addr));
	}
	maps_free(&maps);
	return status;
}

static bool found_in(const struct command *c, pid_t pid)
{
	for (size_t i = 0; i < c->frames.nr; i++)
		if (c->frames.frame[i].latest == pid)
			return true;
	return false;
}

static int search_process(struct command *c, pid_t pid)
{
	const struct frames *f = &c->frames;
	int status = 0;

	for (size_t first = 0, last; !status && first < f->nr; first = last + 1) {
		last = f->nr > ALONE ? f->nr - 1 : first;
		while (last + 1 < f->nr &&
		       (f->frame[last + 1].pfn ^ f->frame[first].pfn) < NEAR)
			last++;
		status = truth_frames(c->client, pid, f->frame[first].pfn,
				      f->frame[last].pfn, take_frame_runs, c);
	}
	return status;
}

/*
 * A process that goes away meanwhile, or is busy, is passed over; of those that
 * have one address space all but the first are, as it is one mapping that counts.
 * Most processes have none of the frames: of these, neither maps is read nor are
 * address spaces compared, which takes more than the search.
 */
static int look_into(struct command *c, pid_t pid)
{
	int status = 0;

	c->pid = pid;
	if (c->restricted)
		status = procs_look(pid);
	if (!status)
		status = search_process(c, pid);
	if (status == SAME_SPACE)
		return 0;
	if (status == -EINVAL && procs_state(pid) == PROCS_KERNEL)
		return 0;
	if (!status && found_in(c, pid))
		status = name_vmas(c, pid);
	c->looked_at += !status;
	if (status == -ESRCH && !c->restricted)
		return 0;
	if (status == -EBUSY || (status == -ESRCH && c->pids.nr > 1)) {
		c->missed++;
		error_status(status);
		return 0;
	}
	return status;
}

/* The files end behind the last frame of RAM. */
static void read_word(struct command *c, int k, int fd, size_t i)
{
	uint64_t pfn = c->frames.frame[i].pfn;
	ssize_t got = 0;

	if (pfn <= INT64_MAX / sizeof(uint64_t))
		got = pread(fd, &c->fact[i].kpage[k], sizeof(uint64_t),
			    pfn * sizeof(uint64_t));
	if (got == sizeof(uint64_t))
		c->fact[i].kpage_has |= 1U << k;
	else if (got < 0)
		c->unread[k] = errno;
}

static void read_kpage(struct command *c)
{
	char path[32];
	int fd;

	for (int k = 0; k < NR_KPAGE; k++) {
		snprintf(path, sizeof(path), "/proc/%s", kpage_name[k]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			c->unread[k] = errno;
		for (size_t i = 0; fd >= 0 && i < c->frames.nr; i++)
			read_word(c, k, fd, i);
		if (fd >= 0)
			close(fd);
	}
}

/* Each mapping of a page is counted, and holds a reference. */
static void leave_out_own(struct ptwalk_page *page, uint64_t own)
{
	if (own > page->counts >> 32 || own > (uint32_t)page->counts ||
	    own > (uint32_t)page->folio_counts)
		return;
	page->counts -= own << 32 | own;
	page->folio_counts -= own;
}

/* Nothing is told of what has no struct page, either; kpageflags says of which. */
static bool has_struct_page(const struct fact *fact)
{
	return fact->kpage_has & 1U << KPAGEFLAGS &&
	       !(fact->kpage[KPAGEFLAGS] & KPF_BIT(NOPAGE));
}

static bool is_free(const struct ptwalk_page *page)
{
	return page->flags & PTWALK_PAGE_FLAG_FREE;
}

/*
 * The pages of all frames; of a frame without a reference there is nothing to tell, but
 * that it is in a list of free ones.
 */
static int read_frame_pages(struct command *c)
{
	struct ptwalk_page pages[PTWALK_MAX_ADDRESSES];
	uint64_t pfns[PTWALK_MAX_ADDRESSES];
	size_t at = 0;
	int err;

	for (size_t i = 0; i < c->frames.nr; i++) {
		struct fact *fact = &c->fact[i];

		if (i % PTWALK_MAX_ADDRESSES == 0) {
			for (at = 0; at < PTWALK_MAX_ADDRESSES && i + at < c->frames.nr; at++)
				pfns[at] = c->frames.frame[i + at].pfn;
			err = ptwalk_frames(c->client, pfns, at, pages);
			/* Who maps them is told all the same. */
			if (err == -EOPNOTSUPP || err == -ENOENT) {
				fprintf(stderr, "ptwalk: what the kernel counts of frames isn't told: %s\n",
					ptwalk_strerror(c->client));
				return 0;
			}
			if (err)
				return client_error(c->client, 0, err);
		}
		fact->page = pages[i % PTWALK_MAX_ADDRESSES];
		fact->has_page = (uint32_t)fact->page.counts || is_free(&fact->page);
		fact->others = fact->page;
		leave_out_own(&fact->others, c->frames.frame[i].own_counted);
	}
	c->told_counts = true;
	return 0;
}

static int take_block_node(const char *name, void *arg)
{
	return sscanf(name, "node%d", (int *)arg) == 1;
}

/* The node of a block of memory that can be plugged in. */
static int memory_block_node(uint64_t paddr)
{
	uint64_t size = 0;
	char path[64], text[64];
	int node = -1;

	text_of("/sys/devices/system/memory/block_size_bytes", text, sizeof(text));
	if (sscanf(text, "%" SCNx64, &size) != 1 || !size)
		return -1;
	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%" PRIu64,
		 paddr / size);
	folder_each(path, take_block_node, &node);
	return node;
}

/* Why the kernel counts another number of mappings than were found, or NULL. */
static const char *doubt(const struct command *c, const struct frame *f,
			 const struct fact *fact)
{
	uint64_t expected;

	if (fact->has_page)
		expected = fact->page.counts >> 32;
	else if (fact->kpage_has & 1U << KPAGECOUNT)
		expected = fact->kpage[KPAGECOUNT];
	else
		return NULL;
	if (!(c->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT) &&
	    fact->has_page && fact->page.place & 0xff)
		return NULL;	/* told of the folio as a whole */
	if (f->counted == expected)
		return NULL;
	if (f->counted > expected)
		return "more entries map it than the kernel counts: it changed meanwhile, or the kernel does not tell which processes share one address space (CONFIG_KCMP)";
	if (interrupted)
		return "the kernel counts more mappings than were found: not all processes were looked at";
	if (c->restricted)
		return "the kernel counts more mappings than were found: only the processes of --pid were looked at";
	return "the kernel counts more mappings than were found: the others belong to the kernel itself, to processes outside of this PID namespace, or to some that came or went meanwhile";
}

static uint64_t frame_paddr(const struct command *c, const struct frame *f)
{
	return f->pfn << c->info->page_shift;
}

static void print_where(const struct command *c, const struct frame *f,
			const struct fact *fact)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	uint64_t paddr = frame_paddr(c, f);
	size_t nr = iomem_at(&c->iomem, paddr, chain);
	const struct pcibar *bar = pcibars_at(&c->bars, paddr);
	char range[FORMAT_RANGE], text[PCIBAR_TEXT];

	printf("frame 0x%" PRIx64 ": %s, ", f->pfn,
	       format_range(paddr, paddr + (1ULL << c->info->page_shift) - 1,
			    range));
	for (size_t i = 0; i < nr; i++) {
		printf(i ? " / " : "");
		out_text(chain[i]->name);
	}
	if (!nr)
		printf("%s", c->iomem.why_not ? c->iomem.why_not :
						"in no resource of /proc/iomem");
	if (bar)
		printf(", PCI %s %s offset 0x%" PRIx64, bar->device,
		       pcibar_text(bar, text), paddr - bar->start);
	if (fact->node >= 0)
		printf(", node %d", fact->node);
	putchar('\n');
}

/* The bug by which this kernel's kpageflags may call anonymous memory KSM. */
static const struct rule *ksm_bug(const struct command *c)
{
	const struct rule *bug = rule_find("kpageflags-ksm-bug");
	const struct env env = { .kernel = c->info };
	const struct page_truth anon = {
		.bits = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0,
				    PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
				    PTWALK_FLAG_RAM),
	};

	return rules_for(&env, &source_kpageflags, &anon) >> (bug - rules) & 1 ?
	       bug : NULL;
}

/*
 * What kpageflags says that is to be believed; *@bug: why KSM is left out,
 * which the page itself doesn't show.
 */
static uint64_t believed(const struct command *c, const struct fact *fact,
			 const struct rule **bug)
{
	uint64_t flags = fact->kpage[KPAGEFLAGS];

	*bug = NULL;
	if (flags & KPF_BIT(KSM) && flags & KPF_BIT(ANON) &&
	    !(fact->has_page && fact->page.flags & PTWALK_PAGE_FLAG_KSM))
		*bug = ksm_bug(c);
	return *bug ? flags & ~KPF_BIT(KSM) : flags;
}

/*
 * For a group that was removed, page_cgroup_ino() takes the nearest one above it that
 * is online. That one may go away before the path is looked for.
 */
static void print_cgroup(const struct command *c, uint64_t inode)
{
	const char *path = cgroups_path(&c->cgroups, inode);

	printf("  kpagecgroup  ");
	out_text(path ? path : c->cgroups.nr ? "none that is there any more" :
					       "not known, as cgroupfs isn't mounted");
	printf(" (inode %" PRIu64 ")\n", inode);
}

static void print_facts(const struct command *c, const struct fact *fact)
{
	const struct ptwalk_page *page = &fact->others;
	const struct rule *bug;
	char flags[512];

	if (fact->kpage_has & 1U << KPAGEFLAGS) {
		names_mask(&names_kpageflags, believed(c, fact, &bug), ",",
			   flags, sizeof(flags));
		printf("  kpageflags   %s%s%s%s\n", flags,
		       bug ? " (and KSM, which is not to be believed: " : "",
		       bug ? bug->name : "", bug ? ")" : "");
	} else if (!c->unread[KPAGEFLAGS]) {
		printf("  kpageflags   ends before this frame\n");
	}
	for (int k = 0; k < NR_KPAGE; k++)
		if (c->unread[k])
			printf("  %-12s cannot be read: %s\n", kpage_name[k],
			       strerror(c->unread[k]));
	if (fact->kpage_has & 1U << KPAGECOUNT)
		printf("  kpagecount   %" PRIu64 "\n", fact->kpage[KPAGECOUNT]);
	if (fact->kpage_has & 1U << KPAGECGROUP && fact->kpage[KPAGECGROUP])
		print_cgroup(c, fact->kpage[KPAGECGROUP]);
	if (!fact->has_page && c->told_counts && has_struct_page(fact))
		printf("  page         no references\n");
	if (!fact->has_page)
		return;
	printf("  page         ");
	page_write(page);
	putchar('\n');
	if (page->place & 0xff)
		printf("  folio        of %llu pages, this is 0x%" PRIx64
		       "; mapped %" PRIu32 " times, %" PRIu64
		       " of them as a whole\n", 1ULL << (page->place & 0xff),
		       (uint64_t)page->place >> 32,
		       (uint32_t)page->folio_counts,
		       (uint64_t)page->folio_counts >> 32);
}

static bool is_own_mapping(const struct command *c, const struct frame_mapping *m)
{
	return m->pid == c->frames.self;
}

static void print_mapping(const struct command *c,
			  const struct frame_mapping *m)
{
	const char *name = c->frames.vma[m->vma].name;
	char comm[32], kind[NAME_SIZE], level[NAME_SIZE];
	char flags[ENTRY_FLAGS];

	procs_comm(m->pid, comm, sizeof(comm));
	printf("  %d (", (int)m->pid);
	out_text(comm);
	printf("%s) 0x%" PRIx64, is_own_mapping(c, m) ? ", this command itself" : "",
	       m->addr);
	if (m->pages > 1)
		printf(" and %" PRIu64 " more in a row", m->pages - 1);
	printf(" %s %s %s ",
	       name_of(&names_kind, ptwalk_bits_kind(m->bits), kind),
	       name_of(&names_level, ptwalk_bits_level(m->bits), level),
	       entry_flags(m->bits, flags));
	/* maps couldn't be read any more. */
	out_text(!name ? "name unknown" : maps_title(name));
	putchar('\n');
	out_check();
}

static void print_frame_text(const struct command *c, const struct frame *f,
			     const struct fact *fact)
{
	const char *why = doubt(c, f, fact);

	print_where(c, f, fact);
	print_facts(c, fact);
	if (f->entries == f->own)
		printf("  mapped by nobody%s among %" PRIu64 " process%s\n",
		       f->own ? " else" : "", c->looked_at,
		       c->looked_at == 1 ? "" : "es");
	if (f->own)
		printf("  own          %" PRIu64 " of %" PRIu64 " entr%s found %s of this command itself\n",
		       f->own, f->entries, f->entries == 1 ? "y" : "ies",
		       f->own == 1 ? "is" : "are");
	for (size_t i = 0; i < f->nr; i++)
		print_mapping(c, &f->mapping[i]);
	if (f->nr == FRAME_MAPPINGS)
		printf("  and more: %" PRIu64 " entries in %" PRIu64 " processes in all\n",
		       f->entries, f->processes);
	if (why)
		printf("  %swarning%s: %" PRIu64 " found: %s\n",
		       out_colour(OUT_WARN), out_colour(OUT_PLAIN), f->counted,
		       why);
}

static void mapping_json(const struct command *c, const struct frame_mapping *m)
{
	const struct frame_vma *v = &c->frames.vma[m->vma];
	char buf[NAME_SIZE];

	jsonw_object(NULL);
	jsonw_number("pid", m->pid);
	jsonw_bool("own", is_own_mapping(c, m));
	jsonw_hex("vaddr", m->addr);
	jsonw_number("pages", m->pages);
	jsonw_text("kind", name_of(&names_kind, ptwalk_bits_kind(m->bits), buf));
	jsonw_text("level", name_of(&names_level, ptwalk_bits_level(m->bits), buf));
	jsonw_mask("flags", &names_flag, ptwalk_bits_flags(m->bits));
	jsonw_object("vma");
	record_vma_json(&v->vma, false, v->name ? v->name : "");
	jsonw_close();
	jsonw_close();
}

static void where_json(const struct command *c, uint64_t paddr)
{
	const struct pcibar *bar = pcibars_at(&c->bars, paddr);
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr = iomem_at(&c->iomem, paddr, chain);
	char text[PCIBAR_TEXT];

	if (c->iomem.why_not) {
		jsonw_null("resources");
	} else {
		jsonw_array("resources");
		for (size_t i = 0; i < nr; i++)
			jsonw_text(NULL, chain[i]->name);
		jsonw_close();
	}
	if (!bar)
		return;
	jsonw_text("pci_device", bar->device);
	jsonw_text("pci_resource", pcibar_text(bar, text));
	jsonw_hex("pci_offset", paddr - bar->start);
}

static void kpage_json(const struct command *c, const struct fact *fact)
{
	const struct rule *bug = NULL;

	if (fact->kpage_has & 1U << KPAGEFLAGS)
		jsonw_mask("kpageflags", &names_kpageflags, believed(c, fact, &bug));
	else
		jsonw_null("kpageflags");
	if (bug)
		jsonw_text("kpageflags_bug", bug->name);
	for (int k = KPAGECOUNT; k < NR_KPAGE; k++)
		jsonw_number_if(kpage_name[k], fact->kpage_has & 1U << k,
				fact->kpage[k]);
	if (fact->kpage_has & 1U << KPAGECGROUP && fact->kpage[KPAGECGROUP])
		jsonw_text("cgroup", cgroups_path(&c->cgroups,
						  fact->kpage[KPAGECGROUP]));
	jsonw_object("unread");
	for (int k = 0; k < NR_KPAGE; k++)
		if (c->unread[k])
			jsonw_text(kpage_name[k], strerror(c->unread[k]));
	jsonw_close();
}

static void print_frame_json(const struct command *c, const struct frame *f,
			     const struct fact *fact)
{
	jsonw_begin("frame");
	jsonw_hex("pfn", f->pfn);
	jsonw_hex("paddr", frame_paddr(c, f));
	where_json(c, frame_paddr(c, f));
	jsonw_number_if("node", fact->node >= 0, fact->node);
	kpage_json(c, fact);
	if (fact->has_page) {
		jsonw_object("page");
		page_json(&fact->others);
		jsonw_close();
	} else {
		jsonw_null("page");
	}
	jsonw_array("mappings");
	for (size_t i = 0; i < f->nr; i++)
		mapping_json(c, &f->mapping[i]);
	jsonw_close();
	jsonw_number("entries", f->entries);
	jsonw_number("own", f->own);
	jsonw_number("counted", f->counted);
	jsonw_number("processes", f->processes);
	jsonw_text("warning", doubt(c, f, fact));
	interrupt_json();
	jsonw_end();
}

/*
 * Whoever has an address from translate takes it for a frame number: nothing is
 * there, and something is at that address.
 */
static bool is_address(const struct command *c, const struct frame *f)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];

	return f->as_number && !f->entries && !c->iomem.why_not &&
	       !iomem_at(&c->iomem, frame_paddr(c, f), chain) &&
	       iomem_at(&c->iomem, f->pfn, chain);
}

/* Beyond what the processor can address; an entry may have it all the same. */
static bool frame_is_beyond(const struct command *c, const struct frame *f)
{
	uint32_t bits = c->info->phys_bits;

	return !f->entries && bits > c->info->page_shift && bits < 64 &&
	       f->pfn >> (bits - c->info->page_shift);
}

static void add_owner(struct command *c, pid_t pid)
{
	size_t i = 0;

	while (i < c->nr_owners && c->owner[i].pid != pid)
		i++;
	if (i == c->nr_owners) {
		if (!array_room(&c->owner, &c->max_owners, i + 1, sizeof(*c->owner)))
			exit_no_memory();
		c->owner[c->nr_owners++] = (struct owner){ .pid = pid };
	}
	c->owner[i].frames++;
}

static enum frame_kind frame_kind_of(const struct command *c, const struct fact *fact)
{
	const bool has_flags = fact->kpage_has & 1U << KPAGEFLAGS;
	const struct rule *bug;

	return is_free(&fact->page) ? FRAME_FREE :
	       frame_kind(has_flags ? believed(c, fact, &bug) : 0, has_flags);
}

/* One more frame for the sum. */
static void add_up(struct command *c, const struct frame *f, const struct fact *fact)
{
	pid_t last = 0;

	frame_sum_add(&c->sum, fact->kind, f->entries > f->own, &fact->others);
	for (size_t i = 0; i < f->nr; i++) {
		if (f->mapping[i].pid != last && !is_own_mapping(c, &f->mapping[i]))
			add_owner(c, f->mapping[i].pid);
		last = f->mapping[i].pid;
	}
}

static int by_owner_frames(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->frames > y->frames ? -1 : x->frames < y->frames;
}

static void print_owners(struct command *c)
{
	char comm[32];

	if (c->nr_owners)
		qsort(c->owner, c->nr_owners, sizeof(*c->owner), by_owner_frames);
	for (size_t i = 0; i < c->nr_owners && i < OWNERS; i++) {
		procs_comm(c->owner[i].pid, comm, sizeof(comm));
		printf("%8" PRIu64 " mapped by %d (", c->owner[i].frames,
		       (int)c->owner[i].pid);
		out_text(comm);
		puts(")");
	}
	if (c->nr_owners > OWNERS)
		printf("and by %zu more processes\n", c->nr_owners - OWNERS);
}

/* Of ranges, what all of their frames are, and whose. */
static void print_frame_sum(struct command *c)
{
	if (!c->ranges)
		return;
	if (c->json) {
		frame_sum_json(&c->sum);
		return;
	}
	if (c->left_out)
		printf("and %zu more frame%s that can't be moved away: -v has all\n",
		       c->left_out, plural(c->left_out));
	if (c->strange)
		printf("left out: %zu frame%s: what is there isn't known: /proc/kpageflags %s%s\n",
		       c->strange, plural(c->strange),
		       c->unread[KPAGEFLAGS] ? "cannot be read: " : "has nothing of it",
		       c->unread[KPAGEFLAGS] ? strerror(c->unread[KPAGEFLAGS]) : "");
	putchar('\n');
	frame_sum_print(&c->sum);
	print_owners(c);
}

static bool frame_is_wanted(const struct command *c, size_t i)
{
	return c->json || c->verbose || c->frames.frame[i].alone;
}

/* The pages behind the first one of a folio are as that. */
static bool is_behind(const struct command *c, size_t i)
{
	const struct frame *f = &c->frames.frame[i];

	return i && f[-1].pfn + 1 == f->pfn && c->fact[i].has_page &&
	       c->fact[i].others.place >> 32;
}

static void print_frame(struct command *c, size_t i)
{
	const struct frame *f = &c->frames.frame[i];
	struct fact *fact = &c->fact[i];

	fact->node = fact->has_page ? (int)(fact->page.place >> 8 & 0xffffff) :
		     memory_block_node(frame_paddr(c, f));
	if (c->json)
		print_frame_json(c, f, fact);
	else
		print_frame_text(c, f, fact);
	if (is_address(c, f))
		fail(0, "frame 0x%" PRIx64 " is nowhere: if that is a physical address, ask for " PHYSICAL "%" PRIx64,
		     f->pfn, f->pfn);
}

/* Of ranges only what can't be moved out of the way for this reason. */
static void print_obstacles(struct command *c, enum frame_obstacle why, size_t *listed)
{
	bool is_left = false;	/* the folio so far */

	for (size_t i = 0; i < c->frames.nr; i++) {
		const struct fact *fact = &c->fact[i];

		if (frame_is_wanted(c, i) || frame_is_beyond(c, &c->frames.frame[i]) ||
		    frame_obstacle(fact->kind, &fact->others) != why) {
			is_left = false;
			continue;
		}
		if (!is_behind(c, i)) {
			is_left = (*listed)++ >= LISTED;
			if (!is_left)
				print_frame(c, i);
		}
		c->left_out += is_left;
	}
}

static void print_wanted(struct command *c)
{
	for (size_t i = 0; i < c->frames.nr; i++) {
		const struct fact *fact = &c->fact[i];

		if (frame_is_beyond(c, &c->frames.frame[i]))
			continue;
		if (frame_is_wanted(c, i))
			print_frame(c, i);
		else if (fact->kind == FRAME_UNKNOWN &&
			 frame_obstacle(fact->kind, &fact->others) == FRAME_NO_OBSTACLE)
			c->strange++;
	}
}

/* Returns the exit status. */
static int print_all_frames(struct command *c)
{
	size_t listed = 0;
	int beyond = 0;

	for (size_t i = 0; i < c->frames.nr; i++) {
		const struct frame *f = &c->frames.frame[i];
		struct fact *fact = &c->fact[i];

		if (frame_is_beyond(c, f)) {
			beyond = fail(EXIT_USAGE, "frame 0x%" PRIx64 ": no such frame: physical addresses have %u bits here",
				      f->pfn, c->info->phys_bits);
			continue;
		}
		fact->kind = frame_kind_of(c, fact);
		add_up(c, f, fact);
	}
	/* What is pinned comes before what is the kernel's. */
	print_obstacles(c, FRAME_PINNED, &listed);
	print_obstacles(c, FRAME_FIXED, &listed);
	print_wanted(c);
	return beyond;
}

/* RAM is in no BAR. */
static bool any_device(const struct command *c)
{
	for (size_t i = 0; i < c->frames.nr; i++)
		if (!iomem_is_ram(&c->iomem, frame_paddr(c, &c->frames.frame[i])))
			return true;
	return false;
}

static int look_up_frames(struct command *c)
{
	const char *hidden = NULL;
	int status = 0, beyond;

	c->fact = calloc(c->frames.nr, sizeof(*c->fact));
	if (!c->fact)
		return error_no_memory();
	if (!c->restricted) {
		hidden = procs_hidden();
		status = pids_add_all(&c->pids);
	}
	interrupt_begin();
	progress_begin("process", c->pids.nr);
	for (size_t i = 0; !status && !interrupted && i < c->pids.nr; i++) {
		progress_next();
		status = look_into(c, c->pids.pid[i]);
		c->searched += !status;
	}
	if (status && status != INTERRUPT_STOP)
		return status;
	cgroups_read(&c->cgroups);
	iomem_read(&c->iomem);
	status = any_device(c) ? pcibars_read(&c->bars) : 0;
	if (status)
		return status;
	/* This first: what this command takes itself meanwhile is free by it. */
	status = read_frame_pages(c);
	if (status)
		return status;
	read_kpage(c);
	beyond = print_all_frames(c);
	print_frame_sum(c);
	if (interrupted && !c->json)
		printf("partial: interrupted after %" PRIu64 " of %zu process%s\n",
		       c->searched, c->pids.nr, c->pids.nr == 1 ? "" : "es");
	if (interrupted)
		return interrupt_end();
	if (hidden)
		return fail(EXIT_UNCHECKED, "%s", hidden);
	return c->missed ? EXIT_UNCHECKED : beyond;
}

static int run_frame(struct command *c, int argc, char **argv)
{
	int status = 0;

	if (!argc)
		return fail(EXIT_USAGE, "a frame number is missing: give some in hexadecimal, or phys:ADDRESS");
	for (int i = 0; !status && i < argc; i++)
		status = take_frame(c, argv[i]);
	if (!status)
		status = procs_ready();
	if (!status)
		status = client_open(&c->client);
	if (status)
		return status;
	c->info = ptwalk_kernel(c->client);
	for (int i = 0; !status && i < argc; i++)
		status = take_frame(c, argv[i]);
	frames_sort(&c->frames);
	if (!status)
		status = look_up_frames(c);
	ptwalk_close(c->client);
	return status;
}

static int take_pids(void *to)
{
	struct command *c = to;

	c->restricted = true;
	return pids_add_list(&c->pids, optarg);
}

int cmd_frame(int argc, char **argv)
{
	struct command command = { .frames.self = getpid() };
	const struct command_option options[] = {
		{ "json", .flag = &command.json },
		{ "pid", .take = take_pids, .to = &command },
		{ "verbose", 'v', .flag = &command.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = run_frame(&command, argc - optind, argv + optind);
	frames_free(&command.frames);
	free(command.fact);
	pids_free(&command.pids);
	spaces_free(&command.spaces);
	cgroups_free(&command.cgroups);
	iomem_free(&command.iomem);
	pcibars_free(&command.bars);
	return status;
}
