// SPDX-License-Identifier: GPL-2.0
/* What stands in the page tables of a process, as the module tells it. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/progress.h"
#include "module/client.h"
#include "module/timer.h"
#include "module/truth.h"

static void tell_progress(const struct ptwalk_runs *runs)
{
	const struct ptwalk_run *run;
	uint64_t pages = 0;

	ptwalk_for_each_run(run, runs)
		pages += run->pages;
	progress_pages(pages);
}

/* A walk can wait for the process's mmap lock; a timer ends that. */
static int next_runs(struct ptwalk_walk *walk, const struct ptwalk_runs **runs)
{
	int ret;

	timer_begin();
	ret = ptwalk_walk_runs(walk, runs);
	timer_end();
	if (ret > 0 && progress_on)
		tell_progress(*runs);
	return ret;
}

static int next_timed_extents(struct ptwalk_walk *walk,
			      const struct ptwalk_extent **extents, size_t *nr,
			      const struct ptwalk_vma **vma)
{
	uint64_t pages = 0;
	int ret;

	timer_begin();
	ret = ptwalk_walk_extents(walk, extents, nr, vma);
	timer_end();
	for (size_t i = 0; ret > 0 && progress_on && i < *nr; i++)
		pages += (*extents)[i].pages;
	progress_pages(pages);
	return ret;
}

/* All runs of @walk, which is ended; @ret is what its start returned. */
static int all_runs(struct ptwalk *client, pid_t pid, struct ptwalk_walk *walk, int ret,
		    int (*each)(const struct ptwalk_runs *runs, void *arg),
		    void *arg)
{
	const struct ptwalk_runs *runs;
	int status = 0;

	if (!ret)
		while (!status && (ret = next_runs(walk, &runs)) > 0)
			status = each(runs, arg);
	ptwalk_walk_end(walk);
	return ret < 0 ? client_error(client, pid, ret) : status;
}

int truth_runs(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
	       int (*each)(const struct ptwalk_runs *runs, void *arg),
	       void *arg)
{
	struct ptwalk_walk *walk;
	int ret = ptwalk_walk_start(client, pid, start, last, &walk);

	if (!ret)
		ptwalk_walk_mixed(walk);
	return all_runs(client, pid, walk, ret, each, arg);
}

int truth_entries(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		  int (*each)(const struct ptwalk_runs *runs, void *arg),
		  void *arg)
{
	struct ptwalk_walk *walk;
	int ret = ptwalk_walk_start(client, pid, start, last, &walk);

	if (!ret) {
		ptwalk_walk_mixed(walk);
		ptwalk_walk_entries_only(walk);
	}
	return all_runs(client, pid, walk, ret, each, arg);
}

int truth_frames(struct ptwalk *client, pid_t pid, uint64_t first, uint64_t last,
		 int (*each)(const struct ptwalk_runs *runs, void *arg),
		 void *arg)
{
	struct ptwalk_walk *walk;
	int ret = ptwalk_walk_start(client, pid, 0, UINT64_MAX, &walk);

	if (!ret)
		ret = ptwalk_walk_frames(walk, first, last);
	return all_runs(client, pid, walk, ret, each, arg);
}

static int stream_extents(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
			  bool outside, truth_each *each, void *arg)
{
	const struct ptwalk_extent *extents;
	const struct ptwalk_vma *vma;
	struct ptwalk_walk *walk;
	int status = 0, ret;
	size_t nr;

	ret = ptwalk_walk_start(client, pid, start, last, &walk);
	if (!ret)
		ptwalk_walk_mixed(walk);
	if (!ret && outside)
		ret = ptwalk_walk_outside(walk);
	if (!ret)
		while (!status && (ret = next_timed_extents(walk, &extents, &nr, &vma)) > 0)
			status = each(vma, extents, nr, arg);
	ptwalk_walk_end(walk);
	return ret < 0 ? client_error(client, pid, ret) : status;
}

int truth_stream(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		 truth_each *each, void *arg)
{
	return stream_extents(client, pid, start, last, false, each, arg);
}

int truth_outside(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
		  truth_each *each, void *arg)
{
	return stream_extents(client, pid, start, last, true, each, arg);
}

/**
 * struct collector - what truth_read() keeps from message to message
 * @truth: Receives it all.
 * @page_shift: Of the base page.
 * @next: What lies before that address has been told.
 * @seen: The VMA of the latest message, as it came.
 */
struct collector {
	struct truth *truth;
	unsigned int page_shift;
	uint64_t next;
	struct ptwalk_vma seen;
};

/* @vma is @seen, that of the latest message, or that with another end. */
static bool same_vma(struct ptwalk_vma *seen, const struct ptwalk_vma *vma)
{
	seen->last = vma->last;
	return !memcmp(seen, vma, sizeof(*vma));
}

/*
 * A VMA of many extents comes with several messages, and may have grown, been
 * split or been replaced between two of them. What the earlier messages said
 * of it, @prev, then ends where the later one's extents begin at @first.
 */
static void place_vma(struct ptwalk_vma *added, struct ptwalk_vma *prev,
		      const struct ptwalk_vma *vma, uint64_t first,
		      unsigned int page_shift)
{
	memcpy(added, vma, sizeof(*vma));
	if (!prev || prev->last < vma->start)
		return;
	if (prev->last >= first)
		prev->last = first - 1;
	added->pgoff += (prev->last + 1 - vma->start) >> page_shift;
	added->start = prev->last + 1;
}

static int collect_vma(struct collector *c, const struct ptwalk_vma *vma,
		       uint64_t first)
{
	struct truth *t = c->truth;

	if (t->nr_vmas && same_vma(&c->seen, vma)) {
		t->vmas[t->nr_vmas - 1].last = vma->last;
		return 0;
	}
	if (!array_room(&t->vmas, &t->max_vmas, t->nr_vmas + 1,
			sizeof(*t->vmas)))
		return error_no_memory();

	place_vma(&t->vmas[t->nr_vmas],
		  t->nr_vmas ? &t->vmas[t->nr_vmas - 1] : NULL, vma, first,
		  c->page_shift);
	memcpy(&c->seen, vma, sizeof(*vma));
	t->nr_vmas++;
	return 0;
}

static int collect(struct collector *c, const struct ptwalk_vma *vma,
		   const struct ptwalk_extent *extents,
		   const struct ptwalk_page *pages, size_t nr)
{
	struct truth *t = c->truth;
	int err = collect_vma(c, vma, extents[0].addr);

	if (!err && t->take)
		err = t->take(t, extents, pages, nr);
	if (err || t->passing)
		return err;
	if (!array_room(&t->extents, &t->max_extents, t->nr_extents + nr,
			sizeof(*extents)))
		return error_no_memory();
	if (pages && !array_room(&t->pages, &t->max_pages, t->nr_extents + nr,
				 sizeof(*pages)))
		return error_no_memory();
	if (pages)
		memcpy(&t->pages[t->nr_extents], pages, nr * sizeof(*pages));
	memcpy(&t->extents[t->nr_extents], extents, nr * sizeof(*extents));
	t->nr_extents += nr;
	return 0;
}

static int pass_runs(struct collector *c, const struct ptwalk_runs *runs,
		     const struct ptwalk_page *pages)
{
	uint64_t from = runs->start > c->next ? runs->start : c->next;
	const struct ptwalk_run *run;
	int err = collect_vma(c, &runs->vma, from);

	if (!err)
		err = c->truth->take_runs(c->truth, runs, pages, from);
	c->next = runs->start;
	ptwalk_for_each_run(run, runs)
		c->next += run->pages << c->page_shift;
	return err;
}

/* All messages of a walk. Returns 0 or an error of the library; @status of the taker. */
static int pass_all(struct collector *c, struct ptwalk_walk *walk, int *status)
{
	const struct ptwalk_runs *runs;
	int ret = 0;

	while (!*status && (ret = next_runs(walk, &runs)) > 0)
		*status = pass_runs(c, runs, ptwalk_walk_pages(walk));
	return ret;
}

static int collect_all(struct collector *c, struct ptwalk_walk *walk, int *status)
{
	const struct ptwalk_extent *extents;
	const struct ptwalk_vma *vma;
	int ret = 0;
	size_t nr;

	while (!*status && (ret = next_timed_extents(walk, &extents, &nr, &vma)) > 0)
		*status = collect(c, vma, extents, ptwalk_walk_pages(walk), nr);
	return ret;
}

int truth_read(struct ptwalk *client, pid_t pid, uint64_t start, uint64_t last,
	       struct truth *truth)
{
	struct collector c = {
		.truth = truth,
		.page_shift = ptwalk_kernel(client)->page_shift,
		.next = start,
	};
	struct ptwalk_walk *walk;
	int status = 0, ret;

	truth->nr_extents = 0;
	truth->nr_vmas = 0;
	ret = ptwalk_walk_start(client, pid, start, last, &walk);
	if (!ret && truth->want_pages)
		ret = ptwalk_walk_want_pages(walk);
	if (!ret)
		ret = truth->take_runs ? pass_all(&c, walk, &status) :
					 collect_all(&c, walk, &status);
	truth->levels = walk ? ptwalk_walk_levels(walk) : 0;
	ptwalk_walk_end(walk);
	return ret < 0 ? client_error(client, pid, ret) : status;
}

int truth_reader_begin(struct truth_reader *reader, struct ptwalk *client,
		       pid_t pid)
{
	int ret;

	*reader = (struct truth_reader){ .client = client, .pid = pid };
	ret = ptwalk_walk_start(client, pid, 0, UINT64_MAX, &reader->walk);
	return ret ? client_error(client, pid, ret) : 0;
}

int truth_reader_next(struct truth_reader *reader)
{
	struct ptwalk_vma prev = reader->vma;
	const struct ptwalk_vma *vma;
	int ret;

	ret = next_timed_extents(reader->walk, &reader->extents, &reader->nr, &vma);
	if (ret <= 0)
		return ret ? client_error(reader->client, reader->pid, ret) : 0;
	if (reader->vma_number && same_vma(&reader->seen, vma)) {
		reader->vma.last = vma->last;
		return 1;
	}
	place_vma(&reader->vma, reader->vma_number ? &prev : NULL, vma,
		  reader->extents[0].addr,
		  ptwalk_kernel(reader->client)->page_shift);
	memcpy(&reader->seen, vma, sizeof(*vma));
	reader->vma_number++;
	return 1;
}

void truth_reader_end(struct truth_reader *reader)
{
	ptwalk_walk_end(reader->walk);
	*reader = (struct truth_reader){ 0 };
}

void truth_free(struct truth *truth)
{
	free(truth->extents);
	free(truth->pages);
	free(truth->vmas);
	memset(truth, 0, sizeof(*truth));
}

const struct ptwalk_vma *truth_vma_among(const struct ptwalk_vma *vmas, size_t nr,
					 uint64_t addr)
{
	size_t at = array_from(vmas, nr, last, addr);

	return at < nr && vmas[at].start <= addr ? &vmas[at] : NULL;
}

const struct ptwalk_vma *truth_vma_at(const struct truth *truth, uint64_t addr)
{
	return truth_vma_among(truth->vmas, truth->nr_vmas, addr);
}

bool truth_busy(struct ptwalk *client, pid_t pid)
{
	struct ptwalk *own = client ? NULL : ptwalk_open();
	bool busy = false;

	if (own)
		client = own;
	if (client) {
		timer_begin();
		busy = ptwalk_busy(client, pid) > 0;
		timer_end();
	}
	ptwalk_close(own);
	return busy;
}

int truth_translate_cgroups(struct ptwalk *client, pid_t pid,
			    const uint64_t *addrs, size_t nr,
			    struct ptwalk_translation *out,
			    struct ptwalk_page *pages, uint64_t *cgroups,
			    struct ptwalk_vma **vmas, size_t *nr_vmas,
			    uint32_t *levels)
{
	int err = ptwalk_translate_cgroups(client, pid, addrs, nr, out, pages,
					   cgroups, vmas, nr_vmas, levels);

	return err ? client_error(client, pid, err) : 0;
}

int truth_translate_pages(struct ptwalk *client, pid_t pid,
			  const uint64_t *addrs, size_t nr,
			  struct ptwalk_translation *out,
			  struct ptwalk_page *pages, struct ptwalk_vma **vmas,
			  size_t *nr_vmas, uint32_t *levels)
{
	return truth_translate_cgroups(client, pid, addrs, nr, out, pages, NULL,
				       vmas, nr_vmas, levels);
}

int truth_translate(struct ptwalk *client, pid_t pid, const uint64_t *addrs,
		    size_t nr, struct ptwalk_translation *out,
		    struct ptwalk_vma **vmas, size_t *nr_vmas, uint32_t *levels)
{
	return truth_translate_pages(client, pid, addrs, nr, out, NULL, vmas,
				     nr_vmas, levels);
}
