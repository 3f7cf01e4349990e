// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checks.h"
#include "command.h"
#include "mapping_checks.h"

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

const char *check_command(struct ptw *ptw, struct mapping *m)
{
	char pid[16], range[64];

	snprintf(pid, sizeof(pid), "%d", m->pid);
	snprintf(range, sizeof(range), "%llx+%llx", m->start, m->pages * m->page_size);
	run(&out, ptwalk_command(), "check", "--json", pid, range);
	if (out.status == 1 && is_bug(m))
		m->shown = true;
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
	if (out.status != 0 && out.status != 3)
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
