// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "checks.h"
#include "command.h"
#include "mapping_checks.h"
#include "pin.h"
#include "system.h"

static char text[1024];

#define wrong(...)	(snprintf(text, sizeof(text), __VA_ARGS__), text)

static struct output out;

/* What the command printed, cut so that a test's log stays readable. */
static const char *printed(const char *what, int status)
{
	return wrong("%s: exit status %d, not %d: %.700s", what, out.status, status,
		     out.text);
}

/*
 * The lines that the command printed, one for each of @nr things that it was asked
 * about at once; NULL if it printed another number of them.
 */
static char **printed_lines(size_t nr)
{
	static char *line[SAMPLE_PAGES + 1];
	char *at = out.text;

	for (size_t i = 0; i < nr; i++) {
		line[i] = at;
		at = strchr(at, '\n');
		if (!at)
			return NULL;
		*at++ = '\0';
	}
	return *at ? NULL : line;
}

/* Runs the command with @nr numbers behind these arguments, which NULL ends. */
static void run_with(const char *const *args, const u64 *number, size_t nr)
{
	static char texts[SAMPLE_PAGES][20];
	static const char *argv[SAMPLE_PAGES + 32];
	size_t n;

	for (n = 0; args[n]; n++)
		argv[n] = args[n];
	for (size_t i = 0; i < nr; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%llx", number[i]);
		argv[n++] = texts[i];
	}
	argv[n] = NULL;
	run_as(&out, 0, argv);
}

static bool has_rule(const char *line, size_t length, const char *name)
{
	char rule[64];

	if (!name)
		return false;
	snprintf(rule, sizeof(rule), "\"%s\"", name);
	return memmem(line, length, rule, strlen(rule));
}

/*
 * Whether all that a check calls a mismatch is the mapping's bug. That which
 * 32-bit kernels have in the Pss of huge pages may show in any mapping.
 */
static bool is_bug(struct mapping *m)
{
	static const char mismatch[] = "\"verdict\":\"mismatch\"";
	const char *overflow = sizeof(long) == 4 ? "pss-overflow" : NULL;
	const char *line, *end;
	bool found = false;

	if (!m->bug)
		m->bug = overflow;
	for (line = out.text; m->bug && *line; line = *end ? end + 1 : end) {
		size_t length = strcspn(line, "\n");

		end = line + length;
		if (!memmem(line, length, mismatch, strlen(mismatch)))
			continue;
		if (!has_rule(line, length, m->bug) && !has_rule(line, length, overflow))
			return false;
		found = true;
	}
	return found;
}

/* A range where no process can have memory is a mistake in the command line. */
static bool is_refused(const struct mapping *m)
{
	return m->unmapped && out.status == 2 && strstr(out.text, "it is an address of the kernel");
}

const char *check_command(struct ptw *ptw, struct mapping *m)
{
	char pid[16], range[64];

	snprintf(pid, sizeof(pid), "%d", m->pid);
	snprintf(range, sizeof(range), "%llx+%llx", m->start, m->pages * m->page_size);
	run(&out, ptwalk_command(), "check", "--json", pid, range);
	if (out.status == 1 && is_bug(m))
		m->shown = true;
	else if (is_refused(m))
		return NULL;
	else if (out.status != (m->unmapped ? 3 : 0))
		return printed("check", m->unmapped ? 3 : 0);
	else if (!strstr(out.text, "\"summary\"") || !strstr(out.text, "\"mismatch\":0"))
		return wrong("check: no summary without mismatch: %.700s", out.text);
	if (m->unmapped)
		return NULL;
	run(&out, ptwalk_command(), "check", "--source", "all", "--known-bugs", pid,
	    range);
	if (out.status)
		return printed("check of all sources", 0);
	run(&out, ptwalk_command(), "check", "--source",
	    "smaps,smaps_rollup,status,statm,stat", "--known-bugs", pid);
	if (out.status)
		return printed("check of the sums", 0);
	return NULL;
}

const char *check_lints(const struct mapping *m)
{
	char pid[16], range[64];

	snprintf(pid, sizeof(pid), "%d", m->pid);
	snprintf(range, sizeof(range), "%llx+%llx", m->start, m->pages * m->page_size);
	run(&out, ptwalk_command(), "check", "--lint", "--json", pid, range);
	/* Of what isn't there, nothing is checked. */
	if (out.status != 0 && out.status != 3 && !is_refused(m))
		return printed("check --lint", 0);
	return NULL;
}

/* Writes claims of all pages that are present; returns how many. */
static size_t write_claims(const char *path, const struct ptw_page *pages,
			   size_t nr, u64 page_size, size_t lie)
{
	FILE *file = fopen(path, "we");
	size_t i, claims = 0;

	if (!file)
		return 0;
	for (i = 0; i < nr; i++) {
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_PRESENT)
			continue;
		fprintf(file, "%llx %llx\n", (u64)pages[i].t.addr,
			(pages[i].t.value + (i == lie)) * page_size);
		claims++;
	}
	return fclose(file) ? 0 : claims;
}

const char *check_claims(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), lie = nr, i;
	char path[] = "/tmp/claims-XXXXXX", pid[16], named[32], page[48];
	const char *why = NULL;
	int fd, err;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return wrong("translate: %s (%s)", strerror(-err), ptw->error.message);
	for (i = 0; i < nr; i++)
		if (ptwalk_bits_kind(pages[i].t.bits) == PTWALK_KIND_PRESENT)
			lie = i;
	if (lie == nr)
		return NULL;

	fd = mkstemp(path);
	if (fd < 0)
		return wrong("no temporary file");
	close(fd);
	snprintf(pid, sizeof(pid), "%d", m->pid);
	snprintf(named, sizeof(named), "%llx", addrs[lie]);
	if (!write_claims(path, pages, nr, m->page_size, nr))
		why = wrong("claims can't be written");
	run(&out, ptwalk_command(), "check", pid, "--partial", "--claims", path);
	if (!why && out.status)
		why = printed("right claims", 0);
	snprintf(page, sizeof(page), "%llx+%llx", addrs[lie], m->page_size);
	run(&out, ptwalk_command(), "check", pid, "--claims", path, page);
	if (!why && out.status)
		why = printed("right claims of a page", 0);
	if (!why && !write_claims(path, pages, lie, m->page_size, nr) && lie)
		why = wrong("claims can't be written");
	run(&out, ptwalk_command(), "check", pid, "--claims", path, page);
	if (!why && (out.status != 1 || !strstr(out.text, "unclaimed")))
		why = printed("a page without a claim", 1);
	write_claims(path, pages, nr, m->page_size, lie);
	run(&out, ptwalk_command(), "check", pid, "--partial", "--claims", path);
	if (!why && out.status != 1)
		why = printed("one wrong claim", 1);
	if (!why && !strstr(out.text, named))
		why = wrong("the wrong claim about %s isn't named: %.700s", named,
			    out.text);
	unlink(path);
	return why;
}

/* The number behind "name": in a line of JSON, written as a string or not. */
static bool json_number(const char *line, const char *name, u64 *value)
{
	char word[32];
	const char *at;

	snprintf(word, sizeof(word), "\"%s\":", name);
	at = strstr(line, word);
	if (!at)
		return false;
	at += strlen(word);
	*value = strtoull(at + (*at == '"'), NULL, 0);
	return true;
}

/* What decode --pte can know of an entry without knowing the kernel. */
#define DECODED_FLAGS	(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
			 PTWALK_FLAG_YOUNG | PTWALK_FLAG_DIRTY | PTWALK_FLAG_GLOBAL | \
			 PTWALK_FLAG_SPECIAL | PTWALK_FLAG_SOFT_DIRTY | \
			 PTWALK_FLAG_UFFD_WP | PTWALK_FLAG_PROT_NONE | PTWALK_FLAG_CONT | \
			 PTWALK_FLAG_DEVMAP | PTWALK_FLAG_SWAP_EXCLUSIVE)

static const struct {
	u32 flag;
	const char *name;
} flag_names[] = {
	{ PTWALK_FLAG_WRITE, "\"write\"" }, { PTWALK_FLAG_USER, "\"user\"" },
	{ PTWALK_FLAG_EXEC, "\"exec\"" }, { PTWALK_FLAG_YOUNG, "\"young\"" },
	{ PTWALK_FLAG_DIRTY, "\"dirty\"" }, { PTWALK_FLAG_GLOBAL, "\"global\"" },
	{ PTWALK_FLAG_SPECIAL, "\"special\"" },
	{ PTWALK_FLAG_SOFT_DIRTY, "\"soft-dirty\"" },
	{ PTWALK_FLAG_UFFD_WP, "\"uffd-wp\"" },
	{ PTWALK_FLAG_PROT_NONE, "\"prot-none\"" }, { PTWALK_FLAG_CONT, "\"cont\"" },
	{ PTWALK_FLAG_DEVMAP, "\"devmap\"" },
	{ PTWALK_FLAG_SWAP_EXCLUSIVE, "\"swap-exclusive\"" },
};

/* What of a page's flags its entry alone tells. */
static u32 expected_flags(const struct ptw_page *page, const struct ptw_info *info)
{
	u32 flags = ptwalk_bits_flags(page->t.bits) & info->flags & DECODED_FLAGS;
	const u32 swap = PTWALK_FLAG_SOFT_DIRTY | PTWALK_FLAG_UFFD_WP |
			 PTWALK_FLAG_SWAP_EXCLUSIVE;

	return ptwalk_bits_kind(page->t.bits) == PTWALK_KIND_PRESENT ? flags : flags & swap;
}

static u32 decoded_flags(const char *line)
{
	const char *at = strstr(line, "\"flags\":[");
	char list[256] = "";
	u32 flags = 0;

	if (at)
		snprintf(list, sizeof(list), "%.*s", (int)strcspn(at, "]"), at);
	for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (strstr(list, flag_names[i].name))
			flags |= flag_names[i].flag;
	return flags;
}

/* What decode --pte says of the entry of a page, against what the module says. */
static const char *judge_decoded(const struct mapping *m, const struct ptw_page *page,
				 const char *line)
{
	const u32 kind = ptwalk_bits_kind(page->t.bits);
	const u32 level = ptwalk_bits_level(page->t.bits);
	const u64 leaf = 1ULL << m->info.shift[level], entry = page->t.entry[level];
	u64 index = (page->t.addr & (leaf - 1)) >> m->info.page_shift, value, type;
	const u32 want = expected_flags(page, &m->info);
	u32 got = decoded_flags(line) & m->info.flags & DECODED_FLAGS;
	/* Without the offset in it, and without what migration keeps above the PFN. */
	const u64 frame = (1ULL << 34) - 1;

	if (kind == PTWALK_KIND_PRESENT) {
		if (!strstr(line, "\"kind\":\"present\"") || !json_number(line, "pfn", &value))
			return wrong("%#llx, present: %.300s", entry, line);
		/* Blocks of riscv say the first page. */
		if (value + index != page->t.value &&
		    !(strstr(line, "of a block") && page->t.value - value < 16))
			return wrong("%#llx: PFN %#llx, not %#llx: %.300s", entry, value,
				     (u64)page->t.value, line);
		if (got != want)
			return wrong("%#llx: flags %#x, not %#x: %.300s", entry, got, want, line);
		return NULL;
	}
	if (kind == PTWALK_KIND_NONE || kind == PTWALK_KIND_BAD || kind == PTWALK_KIND_UNKNOWN)
		return strstr(line, "\"kind\":\"present\"") ?
		       wrong("%#llx isn't present: %.300s", entry, line) : NULL;
	if (!json_number(line, "swap_type", &type) || !json_number(line, "swap_offset", &value))
		return wrong("%#llx, kind %u: %.300s", entry, kind, line);
	if (type != ptwalk_bits_aux(page->t.bits))
		return wrong("%#llx: type %llu, not %u: %.300s", entry, type,
			     ptwalk_bits_aux(page->t.bits), line);
	if (kind == PTWALK_KIND_SWAP || kind == PTWALK_KIND_MARKER ?
	    value != page->t.value - (kind == PTWALK_KIND_SWAP ? index : 0) :
	    (value & frame) != ((page->t.value - index) & frame))
		return wrong("%#llx: offset %#llx, not %#llx: %.300s", entry, value,
			     (u64)page->t.value, line);
	if (kind == PTWALK_KIND_SWAP && got != want)
		return wrong("%#llx: flags %#x, not %#x: %.300s", entry, got, want, line);
	return NULL;
}

/* By what uname says, and the width of the entries. */
static const char *decode_arch(const struct ptw_info *info)
{
	static struct utsname name;
	bool wide = false;

	/* Of three levels, one covers 1 GiB. */
	for (int level = 0; level < PTWALK_LEVELS; level++)
		wide |= info->shift[level] == 30;
	uname(&name);
	if (!strncmp(name.machine, "armv", 4))
		return wide ? "arm-lpae" : "arm";
	if (name.machine[0] == 'i' && !strcmp(name.machine + 2, "86"))
		return wide ? "i386-pae" : "i386";
	return name.machine;
}

/* Decodes the entries of pages, all of the same level. */
static const char *decode_level(const struct mapping *m, const struct ptw_page *const *page,
				size_t nr, u32 level)
{
	static const char *const levels[] = { "pte", "pmd", "pud", "p4d", "pgd" };
	static u64 entry[SAMPLE_PAGES];
	const char *why = NULL;
	struct utsname name;
	char size[24], **line;

	if (uname(&name))
		return wrong("uname");
	snprintf(size, sizeof(size), "%llu", (u64)1 << m->info.page_shift);
	for (size_t i = 0; i < nr; i++)
		entry[i] = page[i]->t.entry[level];
	run_with((const char *const []){ ptwalk_command(), "decode", "--pte", "--json",
		 "--kernel", name.release, "--page-size", size, "--arch",
		 decode_arch(&m->info), "--level", levels[level], NULL }, entry, nr);
	if (out.status)
		return printed("decode --pte", 0);
	line = printed_lines(nr);
	if (!line)
		return wrong("decode --pte: not a line for each of %zu entries", nr);
	for (size_t i = 0; !why && i < nr; i++)
		why = judge_decoded(m, page[i], line[i]);
	return why;
}

const char *check_decode(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static const struct ptw_page *picked[PTWALK_LEVELS][SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs);
	size_t count[PTWALK_LEVELS] = { 0 };
	const char *why = NULL;
	int err;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return wrong("translate: %s (%s)", strerror(-err), ptw->error.message);
	for (size_t i = 0; i < nr; i++) {
		u32 level = ptwalk_bits_level(pages[i].t.bits);

		if (ptwalk_bits_kind(pages[i].t.bits) == PTWALK_KIND_NO_VMA)
			continue;
		/* Entries like the one before are decoded alike. */
		if (i && i + 1 < nr && pages[i].t.bits == pages[i - 1].t.bits)
			continue;
		picked[level][count[level]++] = &pages[i];
	}
	for (u32 level = 0; !why && level < PTWALK_LEVELS; level++)
		if (count[level])
			why = decode_level(m, picked[level], count[level], level);
	return why;
}

/* Through get_user_pages(): of our own memory vmsplice(), of others' process_vm_readv(). */
static ssize_t really_pin(const struct mapping *m, u64 addr)
{
	static char byte;
	struct iovec remote = { (void *)(uintptr_t)addr, 1 }, local = { &byte, 1 };
	int fds[2];
	ssize_t n;

	if (m->pid != getpid())
		return process_vm_readv(m->pid, &local, 1, &remote, 1, 0);
	if (pipe(fds))
		return -1;
	n = vmsplice(fds[1], &remote, 1, 0);
	close(fds[0]);
	close(fds[1]);
	return n;
}

/* The same for writing: its byte is put back. */
static bool really_write(const struct mapping *m, u64 addr)
{
	static char byte;
	struct iovec remote = { (void *)(uintptr_t)addr, 1 }, local = { &byte, 1 };

	return process_vm_readv(m->pid, &local, 1, &remote, 1, 0) == 1 &&
	       process_vm_writev(m->pid, &local, 1, &remote, 1, 0) == 1;
}

/* What translate says of addresses of the mapping: a line of each, or NULL. */
static char **ask(const struct mapping *m, const u64 *addrs, size_t nr)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", m->pid);
	run_with((const char *const []){ ptwalk_command(), "translate", "-v", "--json", pid,
		 NULL }, addrs, nr);
	return out.status ? NULL : printed_lines(nr);
}

static const char *unanswered(size_t nr)
{
	return wrong("translate -v: exit status %d, or not a line for each of %zu pages: %.700s",
		     out.status, nr, out.text);
}

static bool says_lasting(const char *line)
{
	return strstr(line, "\"write\":true,\"why\":") && !strstr(line, "not FOLL_LONGTERM");
}

/* Pins and ends that: 0 or a negative errno. */
static int pin_for_long(u64 addr, u64 size)
{
	int ring = pin_begin((void *)(uintptr_t)addr, size);

	if (ring < 0)
		return ring;
	pin_end(ring);
	return 0;
}

/* io_uring itself refuses all files but those of memory before Linux 6.5. */
static const char *judge_lasting(u64 addr, int err, const char *line)
{
	if (err == -ENOSYS || (err == -EOPNOTSUPP && !kernel_since(6, 5)))
		return NULL;
	if (says_lasting(line) != !err)
		return wrong("%llx can%s be pinned for long (%s): %.800s", addr,
			     err ? "not" : "", err ? strerror(-err) : "", line);
	return NULL;
}

/*
 * Pinned for long and for writing, as by RDMA, exactly where translate says so, before and
 * after. Pages of which it says something else then are pinned again: a frame buffer's entry
 * is write-protected a moment after each write.
 */
static const char *check_lasting(const struct mapping *m, const u64 *addrs, size_t nr)
{
	static u64 left[SAMPLE_PAGES];
	static bool said[SAMPLE_PAGES];
	static int err[SAMPLE_PAGES];
	const char *why = NULL;
	size_t i, again;
	char **line;

	memcpy(left, addrs, nr * sizeof(*left));
	for (; !why && nr; nr = again) {
		line = ask(m, left, nr);
		if (!line)
			return unanswered(nr);
		for (i = 0; i < nr; i++)
			said[i] = says_lasting(line[i]);
		for (i = 0; i < nr; i++)
			err[i] = pin_for_long(left[i], m->page_size);
		line = ask(m, left, nr);
		if (!line)
			return unanswered(nr);
		for (i = again = 0; !why && i < nr; i++) {
			if (said[i] == says_lasting(line[i]))
				why = judge_lasting(left[i], err[i], line[i]);
			else
				left[again++] = left[i];
		}
	}
	return why;
}

/* Written to as @line, which translate printed before, says. */
static const char *check_write(const struct mapping *m, u64 addr, const char *line, bool *can)
{
	const bool readable = strstr(line, "\"pinning\":{\"read\":true");
	const bool writable = strstr(line, "\"write\":true,\"why\":");
	/* Where the file is asked first, it decides. */
	const bool may = strstr(line, "EFAULT if it refuses");

	*can = really_write(m, addr);
	if (readable && writable != *can && !may)
		return wrong("%llx can%s be written to (%s): %.800s", addr, *can ? "" : "not",
			     strerror(errno), line);
	return NULL;
}

/* Pinned for writing, and of our own memory for long before and after that. */
static const char *check_written(const struct mapping *m, const u64 *addrs, size_t nr)
{
	static u64 written[SAMPLE_PAGES];
	const bool own = m->pid == getpid();
	const char *why = own ? check_lasting(m, addrs, nr) : NULL;
	size_t nr_written = 0;
	char **line;
	bool can;

	if (why || !nr)
		return why;
	line = ask(m, addrs, nr);
	if (!line)
		return unanswered(nr);
	for (size_t i = 0; !why && i < nr; i++) {
		why = check_write(m, addrs[i], line[i], &can);
		if (can)
			written[nr_written++] = addrs[i];
	}
	return !why && own ? check_lasting(m, written, nr_written) : why;
}

/* Pinned for reading as @line says. */
static const char *check_read(const struct mapping *m, u64 addr, const char *line)
{
	const bool said = strstr(line, "\"pinning\":{\"read\":true");
	const bool can = really_pin(m, addr) == 1;

	if (said != can)
		return wrong("%llx can%s be pinned (%s): %.800s", addr, can ? "" : "not",
			     strerror(errno), line);
	/* process_vm_readv() makes one errno of all. */
	if (!can && m->pid == getpid() && !strstr(line, "\"why\":\"EEXIST") != (errno != EEXIST))
		return wrong("%llx: %s: %.800s", addr, strerror(errno), line);
	return NULL;
}

const char *check_pinning(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES], writing[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), nr_writing = 0, i;
	size_t picked = 0;
	const char *why = NULL;
	char **line;
	int err;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return wrong("translate: %s (%s)", strerror(-err), ptw->error.message);
	for (i = 0; i < nr; i++) {
		/* What isn't there is brought first, which may wait for somebody. */
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_PRESENT)
			continue;
		if (i && i + 1 < nr && pages[i].t.bits == pages[i - 1].t.bits)
			continue;
		/* A fault there would wait for whoever handles it. */
		if (!(ptwalk_bits_flags(pages[i].t.bits) & PTWALK_FLAG_UFFD_WP))
			writing[nr_writing++] = addrs[i];
		addrs[picked++] = addrs[i];
	}
	if (!picked)
		return NULL;
	line = ask(m, addrs, picked);
	if (!line)
		return unanswered(picked);
	for (i = 0; !why && i < picked; i++)
		why = check_read(m, addrs[i], line[i]);
	return why ? why : check_written(m, writing, nr_writing);
}
