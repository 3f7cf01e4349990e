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

const char *check_decode(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), i;
	static const char *const levels[] = { "pte", "pmd", "pud", "p4d", "pgd" };
	char entry[32], size[24], *end;
	const char *why = NULL;
	struct utsname name;
	int err;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return wrong("translate: %s (%s)", strerror(-err), ptw->error.message);
	if (uname(&name))
		return wrong("uname");
	snprintf(size, sizeof(size), "%llu", (u64)1 << m->info.page_shift);
	for (i = 0; !why && i < nr; i++) {
		u32 level = ptwalk_bits_level(pages[i].t.bits);

		if (ptwalk_bits_kind(pages[i].t.bits) == PTWALK_KIND_NO_VMA)
			continue;
		/* Entries like the one before are decoded alike. */
		if (i && i + 1 < nr && pages[i].t.bits == pages[i - 1].t.bits)
			continue;
		snprintf(entry, sizeof(entry), "%llx", (u64)pages[i].t.entry[level]);
		run(&out, ptwalk_command(), "decode", "--pte", "--json", "--kernel",
		    name.release, "--page-size", size, "--arch", decode_arch(&m->info),
		    "--level", levels[level], entry);
		if (out.status)
			return printed("decode --pte", 0);
		end = strchr(out.text, '\n');
		if (end)
			*end = '\0';
		why = judge_decoded(m, &pages[i], out.text);
	}
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

/* What translate says of @addr of process @pid; into out. */
static bool ask(const char *pid, u64 addr)
{
	char text_addr[24];

	snprintf(text_addr, sizeof(text_addr), "%llx", addr);
	run(&out, ptwalk_command(), "translate", "-v", "--json", pid, text_addr);
	return !out.status;
}

static bool says_lasting(void)
{
	return strstr(out.text, "\"write\":true,\"why\":") &&
	       !strstr(out.text, "not FOLL_LONGTERM");
}

/*
 * Pinned for long and for writing, as by RDMA, exactly where translate says so, before and
 * after: a frame buffer's entry is write-protected a moment after each write. io_uring itself
 * refuses all files but those of memory before Linux 6.5.
 */
static const char *check_lasting(const struct mapping *m, const char *pid, u64 addr)
{
	bool said;
	int ring;

	if (!ask(pid, addr))
		return printed("translate -v", 0);
	do {
		said = says_lasting();
		ring = pin_begin((void *)(uintptr_t)addr, m->page_size);
		if (ring >= 0)
			pin_end(ring);
		if (!ask(pid, addr))
			return printed("translate -v", 0);
	} while (said != says_lasting());
	if (ring == -ENOSYS || (ring == -EOPNOTSUPP && !kernel_since(6, 5)))
		return NULL;
	if (said != (ring >= 0))
		return wrong("%llx can%s be pinned for long (%s): %.800s", addr,
			     ring < 0 ? "not" : "", ring < 0 ? strerror(-ring) : "", out.text);
	return NULL;
}

/* Pinned for writing, and for long before and after that. */
static const char *check_written(const struct mapping *m, const char *pid, u64 addr)
{
	const bool readable = strstr(out.text, "\"pinning\":{\"read\":true");
	const bool writable = strstr(out.text, "\"write\":true,\"why\":");
	/* Where the file is asked first, it decides. */
	const bool may = strstr(out.text, "EFAULT if it refuses");
	const char *why = m->pid == getpid() ? check_lasting(m, pid, addr) : NULL;
	bool can;

	if (why)
		return why;
	can = really_write(m, addr);
	if (readable && writable != can && !may)
		return wrong("%llx can%s be written to (%s): %.800s", addr, can ? "" : "not",
			     strerror(errno), out.text);
	return m->pid == getpid() && can ? check_lasting(m, pid, addr) : NULL;
}

const char *check_pinning(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), i;
	char pid[16];
	const char *why;
	bool can, said;
	int err;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return wrong("translate: %s (%s)", strerror(-err), ptw->error.message);
	snprintf(pid, sizeof(pid), "%d", m->pid);
	for (i = 0; i < nr; i++) {
		/* What isn't there is brought first, which may wait for somebody. */
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_PRESENT)
			continue;
		if (i && i + 1 < nr && pages[i].t.bits == pages[i - 1].t.bits)
			continue;
		if (!ask(pid, addrs[i]))
			return printed("translate -v", 0);
		said = strstr(out.text, "\"pinning\":{\"read\":true");
		can = really_pin(m, addrs[i]) == 1;
		if (said != can)
			return wrong("%llx can%s be pinned (%s): %.800s", addrs[i], can ? "" : "not",
				     strerror(errno), out.text);
		/* process_vm_readv() makes one errno of all. */
		if (!can && m->pid == getpid() &&
		    !strstr(out.text, "\"why\":\"EEXIST") != (errno != EEXIST))
			return wrong("%llx: %s: %.800s", addrs[i], strerror(errno), out.text);
		/* A fault there would wait for whoever handles it. */
		why = ptwalk_bits_flags(pages[i].t.bits) & PTWALK_FLAG_UFFD_WP ? NULL :
		      check_written(m, pid, addrs[i]);
		if (why)
			return why;
	}
	return NULL;
}
