// SPDX-License-Identifier: GPL-2.0
/* A process that is checked: how it is opened, and what becomes of one that can't be. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "check/process.h"
#include "module/client.h"
#include "proc/freeze.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "sources/source.h"

void *process_grow(void *array, size_t *max, size_t nr, size_t size)
{
	if (!array_room(&array, max, nr + 1, size))
		exit_no_memory();
	return array;
}

bool process_is_gate(const struct process *p, uint64_t addr)
{
	const struct map *map = maps_at(&p->maps, addr);

	return map && maps_is_gate(map->name);
}

bool process_only_draws(const struct process *p, size_t source)
{
	return p->check->source[source]->trait.drawn && !p->check->effort.whole;
}

struct read_request process_request(const struct process *p, size_t source,
				    const struct source_pages *pages)
{
	const struct env *env = &p->check->env;

	struct read_request request = {
		.source = p->check->source[source],
		.start = pages->addr,
		.last = pages->addr +
			((uint64_t)pages->nr << p->page_shift) - 1,
		.freeze = p->check->freeze,
		.known_bugs = env->known_bugs ||
			      source_around_bugs(p->check->source[source], env),
	};

	memcpy(request.arg, pages->arg, sizeof(request.arg));
	return request;
}

void process_suspect(struct process *p, size_t source, uint64_t addr,
			uint64_t pages, size_t request_nr, size_t sighting)
{
	struct suspects *s = &p->again.suspects[source];
	struct suspect *last = s->nr ? &s->suspect[s->nr - 1] : NULL;

	if (last && last->addr + (last->pages << p->page_shift) == addr &&
	    last->request_nr == request_nr && !last->sighting == !sighting &&
	    (!sighting || last->sighting + last->pages == sighting)) {
		last->pages += pages;
		return;
	}
	s->suspect = process_grow(s->suspect, &s->max, s->nr, sizeof(*s->suspect));
	s->suspect[s->nr++] = (struct suspect){
		.addr = addr,
		.pages = pages,
		.request_nr = request_nr,
		.sighting = sighting,
	};
}

int process_error(struct process *p, size_t source, int err)
{
	if (procs_gone(p->pid, err))
		return client_gone(p->pid);
	return error_set(err, "%s of process %d: %s",
			 p->check->source[source]->name, (int)p->pid,
			 strerror(-err));
}

void process_unreadable(struct process *p, size_t source, int err)
{
	if (!p->walk.unreadable)
		p->walk.unreadable = process_error(p, source, err);
}

/* It can't be checked, or no further. */
static void not_checked(struct process *p, const char *why)
{
	check_warn(p->check, "process %d: %s", (int)p->pid, why);
	p->check->summary.processes.unchecked++;
	process_report(p, why);
}

/* Of all processes some go meanwhile; those that are named should be there. */
static void gone(struct process *p)
{
	if (!p->check->all) {
		not_checked(p, CLIENT_WENT_AWAY);
		return;
	}
	p->check->summary.processes.gone++;
	if (p->counts.comparisons)
		process_report(p, NULL);
}

/* Without anything to look at. */
static void nothing_to_look_at(struct process *p, enum procs_state state)
{
	struct report_summary *s = &p->check->summary;

	if (p->check->all && state == PROCS_NONE)
		s->processes.gone++;
	else if (p->check->all && state != PROCS_HIDDEN)
		s->processes.no_memory++;
	else
		not_checked(p, state == PROCS_THERE ? "it has no mappings" :
						      procs_state_text[state]);
}

/* A process that can't be looked at, whose files in /proc can't be read. */
static void busy(struct process *p)
{
	check_warn(p->check, "process %d: not checked: busy: it holds its mmap lock, in mmap() or the like",
		   (int)p->pid);
	p->check->summary.processes.unchecked++;
	process_report(p, "busy");
}

/* A file of it can't be opened; returns @err. */
static int file_not_opened(struct process *p, int err)
{
	if (err == -ESRCH) {
		gone(p);
		return err;
	}
	p->check->warn(error_text());
	p->check->summary.processes.unchecked++;
	process_report(p, error_text());
	return err;
}

int process_open(struct process *p)
{
	/* A power of two, as an alignment must be; three quarters are used. */
	const size_t size = 4 * BATCH_PAGES * sizeof(*p->batch.values);
	enum procs_state state = procs_state(p->pid);
	struct check *c = p->check;
	bool filled;
	size_t i;
	int err;

	procs_comm(p->pid, p->comm, sizeof(p->comm));
	if (state != PROCS_THERE) {
		nothing_to_look_at(p, state);
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
		return file_not_opened(p, err);
	/* That of a program which is no more is empty as well. */
	if (!p->maps.nr) {
		if (procs_space(p->pid) != p->space)
			gone(p);
		else
			nothing_to_look_at(p, procs_state(p->pid));
		return -ESRCH;
	}
	for (i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->open)
			continue;
		err = c->source[i]->open(c->source[i], p->pid, &p->file[i]);
		if (err)
			return file_not_opened(p, process_error(p, i, err));
	}
	/*
	 * Aligned to its size, it can be a huge page: one fault for much memory. Of that
	 * little is needed for a sample, or for few pages: to clear it takes longer then.
	 */
	filled = c->effort.whole && maps_bytes(&p->maps) >> p->page_shift >= BATCH_PAGES;
	p->batch.values = aligned_alloc(filled ? size : 1UL << p->page_shift, size);
	if (!p->batch.values)
		exit_no_memory();
	if (!filled)
		madvise(p->batch.values, size, MADV_NOHUGEPAGE);
	p->batch.frame = p->batch.values + BATCH_PAGES;
	p->batch.lists = p->batch.frame + BATCH_PAGES;
	p->batch.known = calloc(c->nr_sources + 1, sizeof(*p->batch.known));
	p->batch.vmas = malloc(BATCH_VMAS * sizeof(*p->batch.vmas));
	if (!p->batch.known || !p->batch.vmas)
		exit_no_memory();
	return 0;
}

void process_close(struct process *p)
{
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++) {
		if (p->file[i])
			p->check->source[i]->close(p->file[i]);
		free(p->again.suspects[i].suspect);
		requests_free(&p->again.requests[i]);
	}
	for (i = 0; i < p->findings.nr; i++)
		free(p->findings.found[i].remark);
	maps_free(&p->maps);
	ranges_free(&p->walk.left_out);
	free(p->findings.found);
	free(p->findings.judged);
	free(p->batch.piece);
	free(p->batch.values);
	free(p->batch.known);
	free(p->batch.vmas);
}

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

/* Reports it as checked or not; @held is whether it stood still if it had to. */
static void conclude_process(struct process *p, int err, const char *message, bool held)
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
		c->summary.processes.unchecked++;
		process_report(p, p->why ? p->why : message);
		return;
	}
	if (!held) {
		c->summary.processes.unchecked++;
		process_report(p, "it was let go meanwhile");
		return;
	}
	if (p->examining.unproven) {
		check_warn(c, "process %d: %" PRIu64 " claim%s can't be proven by bytes; without --source prove the module judges them",
			   (int)p->pid, p->examining.unproven, plural(p->examining.unproven));
		c->summary.processes.unchecked++;
		process_report(p, "claims that can't be proven");
		return;
	}
	if (!p->counts.in_vmas && !c->all && !c->request) {
		if (p->counts.left_out)
			p->none = "nothing to compare that doesn't crash this kernel";
		not_checked(p, p->none ? p->none :
			    "nothing to compare: no mapping there");
		return;
	}
	c->summary.processes.checked++;
	process_report(p, NULL);
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
	conclude_process(p, err, message, held);
	free(message);
}
