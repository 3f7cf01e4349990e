// SPDX-License-Identifier: GPL-2.0
/*
 * oracle SEED
 *
 * The guest's side of scripts/oracle, which checks ptwalk's answers from
 * outside the guest: has one process map memory in every way that lib/mapping.h
 * knows, and in some more, fills the pages with bytes that are found nowhere
 * else, prints what is where and what ptwalk says of it, and waits in user mode
 * until the host writes to its mailbox, to have it all printed again or to end
 * it. The lines that it prints:
 *
 *	oracle PAGESIZE PID MAILBOX
 *	kind NAME [lacks | broken TEXT]
 *	pages NAME PID ADDR COUNT CONTENT [VALUE]
 *	{...}	lines of ptwalk translate -v --json and dump --json
 *	hold
 *
 * Addresses and values are hexadecimal. CONTENT is what the process reads at
 * ADDR, or what it wrote before it made the page unreadable:
 *	pattern VALUE	pages of lib/pattern.h, VALUE the number of the first
 *	digest VALUE	something else, and its digest
 *	word VALUE	memory of a device, VALUE the first four bytes
 *	any		unknown, or nothing at all
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "build_driver.h"
#include "mapping.h"
#include "pattern.h"

#define PTR(p)		((u64)(uintptr_t)(p))
#define MAX_PAGE	(64 * 1024)
#define OWN_PAGES	4

/* The host looks for the first two words, and writes the fourth. */
enum { HOLD, END, AGAIN };
static volatile u64 mailbox[MAX_PAGE / sizeof(u64)] __attribute__((aligned(MAX_PAGE)));

static u64 seed;

/* What was written where, for pages that can't be read any more. */
static struct {
	u64 addr, number;
} filled[1 << 15];
static size_t nr_filled;

/* By words: memory of a device wants no other accesses. */
static void fill(void *page, u64 size)
{
	/* A child goes on counting where its parent does. */
	u64 number = ++nr_filled | (u64)getpid() << 32, i;
	volatile u64 *word = page;

	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = pattern_word(seed, number, i);
	if (nr_filled <= sizeof(filled) / sizeof(filled[0])) {
		filled[nr_filled - 1].addr = PTR(page);
		filled[nr_filled - 1].number = number;
	}
}

static u64 number_filled(u64 addr)
{
	size_t i = nr_filled;

	while (i--)
		if (i < sizeof(filled) / sizeof(filled[0]) && filled[i].addr == addr)
			return filled[i].number;
	return 0;
}

/* Mappings that the other tests don't need. */

static void own(struct mapping *m, void *at, u64 pages)
{
	struct expect *e;

	m->start = (PTR(at) + m->page_size - 1) & ~(m->page_size - 1);
	m->pages = pages;
	e = mapping_expect(m, expect_anon(m, NULL, pages));
	e->addr = m->start;
}

static BUILDER(own_heap)
{
	char *at = sbrk((OWN_PAGES + 1) * m->page_size);

	if (at == (char *)-1)
		return mapping_broken(m, "sbrk: %s", strerror(errno));
	own(m, at, OWN_PAGES);
}

static char zeroed[(OWN_PAGES + 1) * MAX_PAGE];
static char initialised[(OWN_PAGES + 1) * MAX_PAGE] = { 1 };
static char *on_the_stack;

static BUILDER(own_bss)
{
	own(m, zeroed, OWN_PAGES);
}

static BUILDER(own_data)
{
	own(m, initialised, OWN_PAGES);
}

static BUILDER(own_stack)
{
	own(m, on_the_stack, OWN_PAGES);
}

/* A page of this program, as it is in its file. */
static BUILDER(own_text)
{
	struct expect e = { .pages = 1, .kinds = KIND(PRESENT) };

	m->start = PTR(build_own_text) & ~(m->page_size - 1);
	m->pages = 1;
	e.addr = m->start;
	mapping_expect(m, e);
}

static BUILDER(own_shm)
{
	int id = shmget(IPC_PRIVATE, OWN_PAGES * m->page_size, 0600);
	char *at = id < 0 ? NULL : shmat(id, NULL, 0);

	if (!at || at == (char *)-1)
		return mapping_lacks(m, "System V shared memory: %s", strerror(errno));
	shmctl(id, IPC_RMID, NULL);
	own(m, at, OWN_PAGES);
}

/* Memory that the kernel itself has unmapped. */
static BUILDER(own_secret)
{
	char *at;

#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif
	m->fd = syscall(SYS_memfd_secret, 0);
	if (m->fd < 0 || ftruncate(m->fd, OWN_PAGES * m->page_size))
		return mapping_lacks(m, "memfd_secret: %s", strerror(errno));
	at = mmap(NULL, OWN_PAGES * m->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  m->fd, 0);
	if (at == MAP_FAILED)
		return mapping_lacks(m, "memfd_secret: mmap: %s", strerror(errno));
	own(m, at, OWN_PAGES);
}

/* The path of a file of the first PCI device of this kind, or NULL. */
static const char *pci_file(const char *vendor, const char *device, const char *file)
{
	static char path[320];
	char text[16];
	glob_t found;
	size_t i;

	if (glob("/sys/bus/pci/devices/*", 0, NULL, &found))
		return NULL;
	for (i = 0; i < found.gl_pathc; i++) {
		snprintf(path, sizeof(path), "%s/vendor", found.gl_pathv[i]);
		if (proc_read(path, text, sizeof(text)) || strncmp(text, vendor, 6))
			continue;
		snprintf(path, sizeof(path), "%s/device", found.gl_pathv[i]);
		if (proc_read(path, text, sizeof(text)) || strncmp(text, device, 6))
			continue;
		snprintf(path, sizeof(path), "%s/%s", found.gl_pathv[i], file);
		globfree(&found);
		return path;
	}
	globfree(&found);
	return NULL;
}

/* Registers of QEMU's edu, by the file that every PCI device has. */
static BUILDER(own_registers)
{
	const char *path = pci_file("0x1234", "0x11e8", "resource0");
	struct expect e = {
		.pages = OWN_PAGES,
		.kinds = KIND(PRESENT),
		.clear = PTWALK_FLAG_RAM,
	};
	char *at;

	if (!path)
		return mapping_lacks(m, "no PCI device edu");
	m->fd = open(path, O_RDWR | O_CLOEXEC);
	if (m->fd < 0)
		return mapping_lacks(m, "%s: %s", path, strerror(errno));
	at = mmap(NULL, OWN_PAGES * m->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  m->fd, 0);
	if (at == MAP_FAILED)
		return mapping_lacks(m, "%s: mmap: %s", path, strerror(errno));
	m->start = PTR(at);
	m->pages = OWN_PAGES;
	e.addr = m->start;
	mapping_expect(m, e);
}

/* Regions that the driver maps wrongly, which is told as truly. */
#define REGION(function, region)			\
	static BUILDER(function)			\
	{						\
		build_driver_part(m, region, 0, 0);	\
	}

REGION(wrong_offset, "wrong-offset")
REGION(wrong_scattered, "wrong-scattered")
REGION(wrong_alias, "wrong-alias")
REGION(wrong_uncached_remap, "wrong-uncached-remap")
REGION(wrong_uncached_page, "wrong-uncached-page")
REGION(huge_pmd_mixed, "huge-pmd-mixed")

static struct kind {
	const char *name;
	builder_t build;
	struct mapping m;
} kinds[] = {
#define KIND_OF(builder)	{ #builder, build_##builder },
	BUILDERS(KIND_OF)
	KIND_OF(own_heap)
	KIND_OF(own_bss)
	KIND_OF(own_data)
	KIND_OF(own_stack)
	KIND_OF(own_text)
	KIND_OF(own_shm)
	KIND_OF(own_secret)
	KIND_OF(own_registers)
	KIND_OF(wrong_offset)
	KIND_OF(wrong_scattered)
	KIND_OF(wrong_alias)
	KIND_OF(wrong_uncached_remap)
	KIND_OF(wrong_uncached_page)
	KIND_OF(huge_pmd_mixed)
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Memory of a device: reading and writing it may do something. */
static bool is_device(const struct expect *e)
{
	return e->clear & PTWALK_FLAG_RAM;
}

/* The process can't read it any more. */
static bool is_hidden(const struct expect *e)
{
	return e->set & PTWALK_FLAG_PROT_NONE || e->vma_clear & PTWALK_VMA_FLAG_READ;
}

/* What the driver takes for its regions if it is there: memory, no registers. */
static bool is_harmless(const struct kind *k)
{
	return !strncmp(k->name, "driver_", 7) && strstr(k->name, "_pci") &&
	       pci_file("0x1af4", "0x1110", "resource2");
}

/* What must be there, if it must be something that is in memory. */
static const struct expect *expected(const struct mapping *m, u64 addr)
{
	int i;

	for (i = 0; i < m->nr_expects; i++) {
		const struct expect *e = &m->expect[i];

		if (e->kinds == KIND(PRESENT) && addr >= e->addr &&
		    addr < e->addr + e->pages * m->page_size)
			return e;
	}
	return NULL;
}

/* Of the pages of a huge mapping, those where something could go wrong. */
static bool is_chosen(const struct mapping *m, u64 index)
{
	return index < 256 || index + 256 >= m->pages || index % 512 == 0 ||
	       index % 512 == 511;
}

static bool has_pattern(u64 addr)
{
	return *(volatile u64 *)(uintptr_t)addr == htole64(PATTERN_MARK);
}

/* Fills what the process may write to and the builder left as it was. */
static void fill_rest(struct kind *k)
{
	struct mapping *m = &k->m;
	const struct expect *e;
	u64 i, addr;

	bool harmless = is_harmless(k);

	/* That one is in use. */
	if (!strcmp(k->name, "stack"))
		return;
	for (i = 0; i < m->pages; i++) {
		addr = m->start + i * m->page_size;
		e = is_chosen(m, i) ? expected(m, addr) : NULL;
		if (!e || !(e->set & PTWALK_FLAG_WRITE) || is_hidden(e) ||
		    (is_device(e) && !harmless))
			continue;
		if (!has_pattern(addr))
			fill((void *)(uintptr_t)addr, m->page_size);
	}
}

/* For whoever has to find out why we died. */
static const struct kind *at_work;

static void on_crash(int sig, siginfo_t *info, void *context)
{
	dprintf(STDERR_FILENO, "oracle: signal %d at %p, with %s\n", sig, info->si_addr,
		at_work ? at_work->name : "none");
	_exit(128 + sig);
}

static void build(struct ptw *ptw, bool forking)
{
	size_t i;

	for (i = 0; i < NR_KINDS; i++) {
		struct kind *k = &kinds[i];

		at_work = k;
		/* What is there when a process forks is no more its own. */
		if (!!strstr(k->name, "fork") != forking)
			continue;
		if (mapping_build(&k->m, ptw, k->build))
			mapping_broken(&k->m, "the module doesn't answer");
		if (!k->m.lacks[0] && !k->m.broken[0])
			fill_rest(k);
	}
}

struct content {
	const char *word;
	u64 value;
};

static bool is_zero(const u64 *words, size_t size)
{
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		if (words[i])
			return false;
	return true;
}

static struct content content(const struct kind *k, pid_t pid, u64 addr)
{
	static u64 page[MAX_PAGE / sizeof(u64)];
	const struct mapping *m = &k->m;
	const struct expect *e = expected(m, addr);
	struct iovec to = { page, m->page_size }, from = { (void *)(uintptr_t)addr, m->page_size };
	size_t i;

	/* The stack changes while we look at it. */
	if (!e || !strcmp(k->name, "stack"))
		return (struct content){ "any" };
	if (is_device(e) && !number_filled(addr))
		return (struct content){ "word", *(volatile u32 *)(uintptr_t)addr };
	if (is_hidden(e))
		return number_filled(addr) ?
			(struct content){ "pattern", number_filled(addr) } :
			(struct content){ "any" };
	if (pid == getpid()) {
		for (i = 0; i < m->page_size / sizeof(*page); i++)
			page[i] = ((volatile u64 *)(uintptr_t)addr)[i];
	} else if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)m->page_size) {
		return (struct content){ "any" };
	}
	if (page[0] == htole64(PATTERN_MARK))
		return (struct content){ "pattern", le64toh(page[1]) };
	/* That could be anywhere. */
	if (is_zero(page, m->page_size))
		return (struct content){ "any" };
	return (struct content){ "digest", pattern_digest((unsigned char *)page, m->page_size) };
}

/* Pages in a row in one line, as long as their numbers are. */
static void list_pages(FILE *out, const struct kind *k, pid_t pid)
{
	const struct mapping *m = &k->m;
	struct content first = { NULL }, c;
	u64 start = 0, count = 0, i, addr;

	for (i = 0; i <= m->pages; i++) {
		addr = m->start + i * m->page_size;
		c = i < m->pages && is_chosen(m, i) ? content(k, pid, addr) :
						      (struct content){ NULL };
		if (count && c.word && addr == start + count * m->page_size &&
		    !strcmp(c.word, first.word) &&
		    (!strcmp(c.word, "any") ||
		     (!strcmp(c.word, "pattern") && c.value == first.value + count))) {
			count++;
			continue;
		}
		if (count)
			fprintf(out, "pages %s %d %llx %llu %s %llx\n", k->name, pid, start,
				count, first.word, first.value);
		first = c;
		start = addr;
		count = !!c.word;
	}
}

static void list(FILE *out)
{
	size_t i;

	fprintf(out, "oracle %ld %d %llx\n", sysconf(_SC_PAGESIZE), getpid(), PTR(mailbox));
	for (i = 0; i < NR_KINDS; i++) {
		const struct kind *k = &kinds[i];
		const struct mapping *m = &k->m;

		at_work = k;
		if (m->lacks[0] || m->broken[0]) {
			fprintf(out, "kind %s %s %s\n", k->name,
				m->broken[0] ? "broken" : "lacks",
				m->broken[0] ? m->broken : m->lacks);
			continue;
		}
		fprintf(out, "kind %s\n", k->name);
		list_pages(out, k, m->pid);
		if (m->target.pid)
			list_pages(out, k, m->target.pid);
	}
	fflush(out);
}

/* Nothing of the memory of this process changes by it. */
static void run_ptwalk(int out, char **argv)
{
	posix_spawn_file_actions_t actions;
	int status = -1, err;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	err = posix_spawnp(&pid, "ptwalk", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err || waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "oracle: ptwalk %s: %s, status %#x\n", argv[1],
			strerror(err), status);
		exit(1);
	}
}

/* All of this process, and what is looked at of others. */
static void ask(int out)
{
	static char words[NR_KINDS + 8][48], *argv[NR_KINDS + 8];
	size_t i, nr = 0;

#define ADD(...) (snprintf(words[nr], sizeof(words[nr]), __VA_ARGS__), argv[nr] = words[nr], nr++)
	ADD("ptwalk");
	ADD("translate");
	ADD("-v");
	ADD("--json");
	ADD("%d", getpid());
	for (i = 0; i < NR_KINDS; i++)
		/* The last page of all is the kernel's, and refused. */
		if (kinds[i].m.pages && !kinds[i].m.lacks[0] && !kinds[i].m.unmapped)
			ADD("%llx", kinds[i].m.start);
	argv[nr] = NULL;
	run_ptwalk(out, argv);
	for (i = 0; i <= NR_KINDS; i++) {
		const struct mapping *m = i ? &kinds[i - 1].m : NULL;

		if (m && !m->target.pid)
			continue;
		nr = 0;
		ADD("ptwalk");
		ADD("dump");
		ADD("--json");
		ADD("--present");
		ADD("%d", m ? m->target.pid : getpid());
		if (m)
			ADD("%llx+%llx", m->start, m->pages * m->page_size);
		argv[nr] = NULL;
		run_ptwalk(out, argv);
	}
#undef ADD
}

/* Says it all, and returns what the host wants then. */
static u64 say_and_hold(FILE *out, u64 state)
{
	mailbox[3] = htole64(state);
	list(out);
	ask(fileno(out));
	write(fileno(out), "hold\n", 5);
	while (mailbox[3] == htole64(HOLD))
		;
	return le64toh(mailbox[3]);
}

int main(int argc, char **argv)
{
	struct sigaction crash = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };
	char room[(OWN_PAGES + 1) * MAX_PAGE];
	struct ptw ptw;
	FILE *null;

	seed = argc == 2 ? strtoull(argv[1], NULL, 16) : 0;
	if (!seed) {
		fprintf(stderr, "usage: oracle SEED\n");
		return 2;
	}
	if (ptw_open(&ptw)) {
		fprintf(stderr, "oracle: the module doesn't answer\n");
		return 3;
	}
	sigaction(SIGSEGV, &crash, NULL);
	/* So that a host that is gone doesn't keep the guest. */
	alarm(840);
	/* What clears accessed bits: DAMON, and reclaim for the sake of free blocks. */
	proc_write("/sys/module/damon_stat/parameters/enabled", "N");
	proc_write("/proc/sys/vm/watermark_boost_factor", "0");
	exec_without_aslr();
	on_the_stack = room;
	mapping_fill = fill;
	build(&ptw, true);
	build(&ptw, false);

	mailbox[0] = htole64(PATTERN_MARK);
	mailbox[1] = htole64(~seed);
	/* What happens first marks entries as accessed; so it happens now. */
	null = fopen("/dev/null", "we");
	say_and_hold(null, END);
	while (say_and_hold(stdout, HOLD) == AGAIN)
		;
	return 0;
}
