// SPDX-License-Identifier: GPL-2.0
/* Episodes: each in a process of its own, drawn or done again, and shrunk. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <alloca.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hunt.h"
#include "proc.h"
#include "swap.h"
#include "system.h"

/* After which an episode, of less than one where nothing else runs, is taken for one that hangs. */
#define SECONDS		120

#define THP		"/sys/kernel/mm/transparent_hugepage/"

#define HUGETLB_POOL	"/proc/sys/vm/nr_hugepages"

static int kernel_log = -1;

/* As many as the areas may have, with copies; of large ones less. */
static char hugetlb_pages[24], other_pages[24];

/* Of the smallest pages that aren't the default. */
static char other_pool[80];

void (*hunt_spoil)(void);

const char *hunt_check;

/* A setting of the system, which hunt_end() puts back. */
static struct setting {
	const char *path, *value;
	char before[128];
} settings[] = {
	{ THP "enabled", "madvise" },
	{ THP "shmem_enabled", "advise" },
	{ THP "khugepaged/scan_sleep_millisecs", "3600000" },
	{ THP "hugepages-64kB/enabled", "madvise" },
	{ THP "hugepages-64kB/shmem_enabled", "advise" },
	{ HUGETLB_POOL, hugetlb_pages },
	{ other_pool, other_pages },
	{ "/sys/kernel/mm/ksm/run", "0" },
	{ "/sys/kernel/mm/ksm/sleep_millisecs", "1" },
	{ "/sys/kernel/mm/ksm/pages_to_scan", "10000" },
};

#define NR_SETTINGS	(sizeof(settings) / sizeof(settings[0]))

/* Of a choice, that which is in brackets. */
static void read_setting(struct setting *s)
{
	char text[256] = "", *open;
	int fd = openat(AT_FDCWD, s->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	open = strchr(text, '[');
	if (open)
		open[strcspn(open, "]")] = 0;
	snprintf(s->before, sizeof(s->before), "%.100s", open ? open + 1 : text);
}

static int count_nodes(void)
{
	return access("/sys/devices/system/node/node1", F_OK) ? 1 : 2;
}

/* The area that this has switched on, if there was none. */
static const char *own_swap;

static bool has_swap(void)
{
	char text[512] = "";

	return !proc_read("/proc/swaps", text, sizeof(text)) && strchr(text, '/');
}

static bool swap_is_on(void)
{
	const char *lacks;

	return swap_area_on(&lacks);
}

static void begin_swap(void)
{
	const bool had = has_swap();
	const char *lacks, *device = swap_area_on(&lacks);

	world.can_swap = device;
	if (!had)
		own_swap = device;
}

/* A mapping that is new is soft-dirty. */
static bool tracks_dirty(void)
{
	void *new = mmap(NULL, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const bool is = new != MAP_FAILED && entry_of((word)new) >> 55 & 1;

	munmap(new, page_size);
	return is;
}

/* Who has more of them keeps those. */
static void size_pool(char *text, const char *path, word pages)
{
	const long has = number_in(path);

	snprintf(text, sizeof(other_pages), "%ld", has > (long)pages ? has : (long)pages);
}

/* Takes at most half of the memory that is free. */
static void find_other_pool(void)
{
	DIR *sizes = opendir("/sys/kernel/mm/hugepages");
	struct sysinfo memory;
	struct dirent *e;
	word kb, free;

	while (sizes && (e = readdir(sizes)))
		if (sscanf(e->d_name, "hugepages-%lukB", &kb) == 1 && kb << 10 != huge_size &&
		    (!world.other_size || kb << 10 < world.other_size))
			world.other_size = kb << 10;
	if (sizes)
		closedir(sizes);
	if (!world.other_size || sysinfo(&memory))
		return;
	snprintf(other_pool, sizeof(other_pool),
		 "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages", world.other_size >> 10);
	free = memory.freeram * memory.mem_unit / 2 / world.other_size;
	size_pool(other_pages, other_pool, free < 4 ? free : 4);
}

void hunt_begin(void)
{
	prepare();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		exit(1);
	size_pool(hugetlb_pages, HUGETLB_POOL,
		  huge_size > 2UL << 20 ? (256UL << 20) / huge_size : 24);
	find_other_pool();
	for (size_t i = 0; i < NR_SETTINGS; i++) {
		read_setting(&settings[i]);
		put(settings[i].path, settings[i].value);
	}
	if (world.other_size && number_in(other_pool) <= 0)
		world.other_size = 0;
	begin_swap();
	world.nodes = count_nodes();
	world.tracks = tracks_dirty();
	kernel_log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kernel_log >= 0)
		lseek(kernel_log, 0, SEEK_END);
	hunt_world_make();
	hunt_truth_begin();
}

void hunt_end(void)
{
	if (own_swap)
		swapoff(own_swap);
	for (size_t i = 0; i < NR_SETTINGS; i++)
		if (settings[i].before[0])
			put(settings[i].path, settings[i].before);
}

bool hunt_is_complaint(const char *line)
{
	static const char *const word[] = { "BUG", "WARNING:", "Bad page", "Oops", "KASAN" };

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (strstr(line, word[i]))
			return true;
	return false;
}

static void read_kernel_log(struct hunt_finding *f)
{
	static char line[2048];
	ssize_t n;

	while ((n = read(kernel_log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		const char *text;

		if (n < 0)
			continue;
		line[n] = 0;
		text = strchr(line, ';');
		if (!text || f->law[0] || !hunt_is_complaint(text))
			continue;
		snprintf(f->law, sizeof(f->law), "kernel log");
		snprintf(f->text, sizeof(f->text), "%.300s", text + 1);
	}
}

/* A bug that is planted (scripts/check-mutants) is there until the episode has ended. */
static void switch_mutant(bool on)
{
	const char *number = getenv("MUTANT");

	if (number)
		put("/sys/module/kernel/parameters/mutant", on ? number : "0");
}

static void get_ready(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Pages in a list of another processor aren't reclaimed. */
	stay_on_cpu();
	alarm(SECONDS);
	make_files(world.file_pages[0] * page_size, world.file_pages[1] * page_size,
		   world.file_pages[2] * huge_size);
	hunt_say("\tmake_files(%#lx, %#lx, %#lx);\n", world.file_pages[0] * page_size,
		 world.file_pages[1] * page_size, world.file_pages[2] * huge_size);
	DO(take_key, );
	/* The stack grows no more, and so doesn't VmSize. */
	memset(alloca(256 << 10), 0, 256 << 10);
	look_at_mappings();
	world.base[0] = status_field("VmSize:");
	world.base[1] = status_field("VmData:");
	world.base[2] = status_field("VmLck:");
	world.base[3] = status_field("HugetlbPages:");
	hunt_say("\tbefore_S = status_field(\"VmSize:\");\n"
		 "\tbefore_D = status_field(\"VmData:\");\n"
		 "\tbefore_L = status_field(\"VmLck:\");\n"
		 "\tbefore_g = status_field(\"HugetlbPages:\");\n");
}

/* What is done again may have lost what it was done to. */
static bool is_possible(const struct hunt_step *s)
{
	const struct hunt_operation *o = &hunt_operations[s->operation];
	const struct hunt_area *a = step_area(s);

	for (word k = 0; o->wants != ANYWHERE && k < s->count; k++)
		if (a->page[s->first + k].mapped == (o->wants == UNMAPPED) ||
		    (o->uniform && !same_vma(&a->page[s->first], &a->page[s->first + k], k)))
			return false;
	return true;
}

static void do_step(const struct hunt_step *s, int nr)
{
	const struct hunt_operation *o = &hunt_operations[s->operation];
	const enum hunt_kind kind = step_area(s)->kind;
	const enum hunt_entry entry = entry_state(step_start(s));
	int err;

	if (!is_possible(s))
		return;
	shared->at = nr;
	shared->operations++;
	shared->tried[s->operation][kind][entry]++;
	hunt_say("\t/* %s of %s */\n", o->name, hunt_kind_name[kind]);
	err = o->operate(o, s);
	if (!err)
		shared->done[s->operation][kind][entry]++;
}

/* First of all at what needs nothing of ours to be shown. */
static void look(const struct hunt_step *s, int nr, bool thoroughly)
{
	const bool all = thoroughly || nr % 4 == 0;

	if (all)
		look_at_all_entries();
	else
		look_at_entries(step_area(s));
	if (thoroughly || nr % 3 == 0)
		look_at_counters();
	if (thoroughly || nr % 3 == 0 || hunt_operations[s->operation].operate == run_mremap)
		look_at_mappings();
	if (all)
		look_at_all_truth();
	else
		look_at_truth(step_area(s));
}

/* All that there is, to the end: contents, too. */
static void end_episode(void)
{
	shared->at = HUNT_STEPS;
	look_at_all_entries();
	look_at_counters();
	look_at_mappings();
	look_at_all_truth();
	if (hunt_check)
		look_by_command();
	look_at_all_contents();
	/* What is mapped again since is dirty still. */
	look_at_mappings();
	_exit(0);
}

static void draw_all(u64 seed, int steps, unsigned int kinds)
{
	struct hunt_step *last = NULL;

	hunt_seed(seed);
	get_ready();
	switch_mutant(true);
	hunt_draw_episode(kinds);
	for (int i = 0; i < steps && i < HUNT_STEPS; i++) {
		struct hunt_step *s = &shared->step[i];

		if (!hunt_draw(s, last))
			break;
		/* What was lost shows when pages come back. */
		if (i == steps - 1 && seed % 2)
			*s = (struct hunt_step) { .operation = hunt_operation_named("reclaim") };
		shared->nr = i + 1;
		do_step(s, i);
		look(s, i, false);
		/* Not where, what is done to everything, was drawn for. */
		if (hunt_operations[s->operation].wants != ANYWHERE)
			last = s;
	}
	end_episode();
}

static void do_all(const struct hunt_step *steps, int nr)
{
	get_ready();
	switch_mutant(true);
	for (int i = 0; i < nr; i++) {
		do_step(&steps[i], i);
		look(&steps[i], i, true);
	}
	if (hunt_spoil)
		hunt_spoil();
	end_episode();
}

/* What has become of an episode; whether anything was found. */
static bool judge(pid_t pid)
{
	struct hunt_finding *f = &shared->finding;
	int status;

	if (pid < 0)
		return false;
	waitpid(pid, &status, 0);
	switch_mutant(false);
	shared->lacks = WIFEXITED(status) && WEXITSTATUS(status) == 3;
	if (WIFSIGNALED(status) && !f->law[0]) {
		snprintf(f->law, sizeof(f->law), "process");
		snprintf(f->text, sizeof(f->text), "ended by signal %d in step %d",
			 WTERMSIG(status), shared->at);
		f->step = shared->at;
	}
	read_kernel_log(f);
	/* What an operation didn't get to. */
	if (world.can_swap)
		swap_is_on();
	return f->law[0];
}

bool hunt_episode(u64 seed, int steps, unsigned int kinds)
{
	pid_t pid;

	shared->finding.law[0] = 0;
	shared->nr = 0;
	shared->seed = seed;
	put(HUGETLB_POOL, hugetlb_pages);
	pid = fork();
	if (!pid)
		draw_all(seed, steps, kinds);
	return judge(pid);
}

bool hunt_replay(const struct hunt_step *steps, int nr)
{
	pid_t pid;

	shared->finding.law[0] = 0;
	put(HUGETLB_POOL, hugetlb_pages);
	pid = fork();
	if (!pid)
		do_all(steps, nr);
	return judge(pid);
}

/* How often it may be tried while a finding is shrunk. */
#define TRIES		300
#define SHRINK_SECONDS	(4 * SECONDS)

static int tries_left;
static double shrink_until;

static bool still(const struct hunt_step *steps, int nr, const char *law)
{
	if (tries_left-- <= 0 || seconds_now() > shrink_until)
		return false;
	for (int tries = 0; tries < 2; tries++)
		if (hunt_replay(steps, nr) && !strcmp(shared->finding.law, law))
			return true;
	return false;
}

/* As many steps at once as can be left out, from the end. */
static int drop_steps(struct hunt_step *steps, int nr, const char *law)
{
	struct hunt_step fewer[HUNT_STEPS + 1];

	for (int n = nr / 2 > 0 ? nr / 2 : 1; n > 0; n /= 2)
		for (int i = nr - n; i >= 0; i--) {
			memcpy(fewer, steps, i * sizeof(*steps));
			memcpy(fewer + i, steps + i + n, (nr - i - n) * sizeof(*steps));
			if (!still(fewer, nr - n, law))
				continue;
			nr -= n;
			memcpy(steps, fewer, nr * sizeof(*steps));
			i = i > nr - n ? nr - n + 1 : i;
		}
	return nr;
}

static void simplify(struct hunt_step *steps, int nr, const char *law)
{
	for (int i = 0; i < nr; i++) {
		struct hunt_step *s = &steps[i], before = *s;

		while (s->count > 1) {
			before = *s;
			s->count /= 2;
			if (!still(steps, nr, law)) {
				*s = before;
				break;
			}
		}
		while (s->count > 1) {
			before = *s;
			s->count--;
			s->first++;
			if (before.count > 16 || !still(steps, nr, law)) {
				*s = before;
				break;
			}
		}
		before = *s;
		s->short_by = 0;
		if (before.short_by && !still(steps, nr, law))
			*s = before;
		before = *s;
		s->argument = 0;
		if (before.argument && !still(steps, nr, law))
			*s = before;
	}
}

/* Leaves out steps, halves lengths; the law that is broken stays the same. */
int hunt_shrink(struct hunt_step *steps, int nr, const char *law)
{
	tries_left = TRIES;
	shrink_until = seconds_now() + SHRINK_SECONDS;
	nr = drop_steps(steps, nr, law);
	simplify(steps, nr, law);
	return drop_steps(steps, nr, law);
}
