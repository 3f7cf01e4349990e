// SPDX-License-Identifier: GPL-2.0
/* The check of a process from its opening to its report. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/error.h"
#include "base/format.h"
#include "base/progress.h"
#include "check/check.h"
#include "check/process.h"
#include "module/client.h"
#include "proc/freeze.h"
#include "proc/maps.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "sources/source.h"

void check_warn(struct check *check, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	check->warn(len < 0 ? "out of memory" : text);
	if (len >= 0)
		free(text);
}

int check_stopped(const struct check *check)
{
	progress_pages(0);
	if (!check->stop || !*check->stop)
		return 0;
	return error_set(-EINTR, "%s", *check->stop == SIGALRM ?
			 CHECK_OUT_OF_TIME : CHECK_INTERRUPTED);
}

void process_close(struct process *p)
{
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++) {
		if (p->file[i])
			p->check->source[i]->close(p->file[i]);
		free(p->suspects[i].suspect);
		requests_free(&p->requests[i]);
	}
	for (i = 0; i < p->nr_found; i++)
		free(p->found[i].remark);
	maps_free(&p->maps);
	ranges_free(&p->left_out);
	free(p->found);
	free(p->judged);
	free(p->batch);
	free(p->values);
	free(p->known);
	free(p->vmas);
}

/* It can't be checked, or no further. */
static void not_checked(struct process *p, const char *why)
{
	check_warn(p->check, "process %d: %s", (int)p->pid, why);
	p->check->summary.unchecked++;
	process_report(p, why);
}

/* Of all processes some go meanwhile; those that are named should be there. */
static void gone(struct process *p)
{
	if (!p->check->all) {
		not_checked(p, CLIENT_WENT_AWAY);
		return;
	}
	p->check->summary.gone++;
	if (p->counts.comparisons)
		process_report(p, NULL);
}

/* Without anything to look at. */
static void passed_over(struct process *p, enum procs_state state)
{
	struct report_summary *s = &p->check->summary;

	if (p->check->all && state == PROCS_NONE)
		s->gone++;
	else if (p->check->all && state != PROCS_HIDDEN)
		s->no_memory++;
	else
		not_checked(p, state == PROCS_THERE ? "it has no mappings" :
						      procs_state_text[state]);
}

/* A process that can't be looked at, whose files in /proc can't be read. */
static void busy(struct process *p)
{
	check_warn(p->check, "process %d: not checked: busy: it holds its mmap lock, in mmap() or the like",
		   (int)p->pid);
	p->check->summary.unchecked++;
	process_report(p, "busy");
}

/* A file of it can't be opened; returns @err. */
static int not_opened(struct process *p, int err)
{
	if (err == -ESRCH) {
		gone(p);
		return err;
	}
	p->check->warn(error_text());
	p->check->summary.unchecked++;
	process_report(p, error_text());
	return err;
}

int process_open(struct process *p)
{
	const size_t size = 4 * BATCH_PAGES * sizeof(*p->values);
	enum procs_state state = procs_state(p->pid);
	struct check *c = p->check;
	bool filled;
	size_t i;
	int err;

	procs_comm(p->pid, p->comm, sizeof(p->comm));
	if (state != PROCS_THERE) {
		passed_over(p, state);
		return -ESRCH;
	}
	if (truth_busy(c->client, p->pid)) {
		busy(p);
		return -EBUSY;
	}
	p->space = procs_space(p->pid);
	p->asleep = procs_asleep(p->pid);
	err = maps_read(p->pid, &p->maps);
	if (err)
		return not_opened(p, err);
	/* That of a program which is no more is empty as well. */
	if (!p->maps.nr) {
		if (procs_space(p->pid) != p->space)
			gone(p);
		else
			passed_over(p, procs_state(p->pid));
		return -ESRCH;
	}
	for (i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->open)
			continue;
		err = c->source[i]->open(p->pid, &p->file[i]);
		if (err)
			return not_opened(p, process_error(p, i, err));
	}
	/*
	 * Aligned to its size, it can be a huge page: one fault for much memory. Of that
	 * little is needed for a sample, or for few pages: to clear it takes longer then.
	 */
	filled = c->whole && maps_bytes(&p->maps) >> p->page_shift >= BATCH_PAGES;
	p->values = aligned_alloc(filled ? size : 1UL << p->page_shift, size);
	if (!p->values)
		exit_no_memory();
	if (!filled)
		madvise(p->values, size, MADV_NOHUGEPAGE);
	p->frame = p->values + BATCH_PAGES;
	p->head = p->frame + BATCH_PAGES;
	p->lists = p->head + BATCH_PAGES;
	p->known = calloc(c->nr_sources + 1, sizeof(*p->known));
	p->vmas = calloc(BATCH_VMAS, sizeof(*p->vmas));
	if (!p->known || !p->vmas)
		exit_no_memory();
	return 0;
}

/* The ranges of the command line, or everything. */
int process_ranges(struct process *p, char **args, int nr_args,
		   struct ranges *ranges)
{
	struct subject subject = { .pid = p->pid };
	int err;

	if (!p->check->all || !nr_args) {
		err = subject_ranges(&subject, &p->maps, args, nr_args, ranges);
		if (err)
			p->why = "nothing is mapped there";
		return err;
	}
	/* What one process lacks, another may have. */
	for (int i = 0; i < nr_args; i++)
		maps_ranges(&p->maps, args[i], ranges);
	return ranges_merge(ranges) ? error_no_memory() : 0;
}

void check_ask(struct check *check, const struct examination *examination,
	       const void *arg)
{
	size_t i;

	for (i = 0; i < check->nr_asked; i++)
		if (check->asked[i].examination == examination)
			return;
	if (i == CHECK_MAX_SOURCES)
		return;
	check->asked[i].examination = examination;
	check->asked[i].arg = arg;
	check->nr_asked++;
}

int process_examine(struct process *p, const struct ranges *ranges, bool whole)
{
	struct check *c = p->check;
	struct examinee x = {
		.client = c->client,
		.env = &c->env,
		.pid = p->pid,
		.maps = &p->maps,
		.ranges = ranges,
		.whole = whole,
		.thorough = c->whole,
		.all = c->all,
		.retries = c->retries,
		.process = p,
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && !p->no_sums && i < c->nr_asked; i++) {
		err = check_stopped(c);
		if (err)
			break;
		x.arg = c->asked[i].arg;
		p->examination = c->asked[i].examination->name;
		p->examined = 0;
		p->asked_for = &c->compared[c->nr_sources + i];
		err = c->asked[i].examination->examine(&x);
	}
	for (i = 0; i < c->nr_asked; i++)
		if (c->asked[i].examination->release)
			c->asked[i].examination->release();
	return err;
}

/* Reports it as checked or not; @held is whether it stood still if it had to. */
static void conclude(struct process *p, int err, const char *message, bool held)
{
	struct check *c = p->check;

	if (err == -ESRCH) {
		gone(p);
		return;
	}
	if (err == -EBUSY) {
		busy(p);
		return;
	}
	if (err) {
		c->summary.unchecked++;
		process_report(p, p->why ? p->why : message);
		return;
	}
	if (!held) {
		c->summary.unchecked++;
		process_report(p, "it was let go meanwhile");
		return;
	}
	if (p->unproven) {
		check_warn(c, "process %d: %" PRIu64 " claim%s can't be proven by bytes; without --source prove the module judges them",
			   (int)p->pid, p->unproven, plural(p->unproven));
		c->summary.unchecked++;
		process_report(p, "claims that can't be proven");
		return;
	}
	if (!p->counts.in_vmas && !p->counts.verdict[VERDICT_MISMATCH] &&
	    !c->all && !c->request) {
		if (p->counts.left_out)
			p->none = "nothing to compare that doesn't crash this kernel";
		not_checked(p, p->none ? p->none :
			    "nothing to compare: no mapping there");
		return;
	}
	c->summary.processes++;
	process_report(p, NULL);
}

int process_freeze(struct process *p)
{
	int err;

	if (!p->check->freeze)
		return 0;
	err = freeze(p->pid);
	p->frozen = !err;
	p->asleep = procs_asleep(p->pid);
	return err;
}

void process_finish(struct process *p, int err)
{
	struct check *c = p->check;
	char *message = NULL;
	bool held;

	if (err && err != -ESRCH && err != -EBUSY) {
		message = strdup(error_text());
		if (!message)
			exit_no_memory();
	}
	/* Part of what was compared may be of another program, then. */
	if (procs_space(p->pid) != p->space)
		err = -ESRCH;
	held = !thaw();
	p->frozen = false;
	if (message)
		c->warn(message);
	if (!held)
		c->warn(error_text());
	conclude(p, err, message, held);
	free(message);
}

void check_process(struct check *check, pid_t pid, char **args, int nr_args)
{
	struct process p = {
		.check = check,
		.pid = pid,
		.page_shift = check->env.kernel->page_shift,
	};
	struct ranges ranges = { 0 };
	size_t i;
	int err;

	if (check->all && spaces_add(&check->spaces, pid)) {
		check->summary.same_memory++;
		return;
	}
	if (process_open(&p)) {
		process_close(&p);
		return;
	}
	err = process_ranges(&p, args, nr_args, &ranges);
	if (!err && !ranges.nr) {
		check->summary.elsewhere++;
		process_close(&p);
		return;
	}
	if (!err)
		err = process_freeze(&p);
	if (!err && check->request)
		err = process_repeat(&p, check->request);
	for (i = 0; !err && !check->request && check->nr_sources &&
	     i < ranges.nr; i++)
		err = process_check_range(&p, &ranges.range[i]);
	process_note_faults(&p);
	if (!err)
		err = process_examine(&p, &ranges, !nr_args);
	process_finish(&p, err);
	ranges_free(&ranges);
	process_close(&p);
}
