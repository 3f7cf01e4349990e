// SPDX-License-Identifier: GPL-2.0
/* What stands in the page tables of a process, as the module tells it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <netlink/attr.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "lib/request.h"
#include "lib/truth.h"
#include "lib/wire.h"

/* How often a dump that the kernel calls interrupted is taken up again. */
#define MAX_RETRIES	100

/* How long a process may be busy, in seconds, before it is given up. */
#define MAX_BUSY	3

/* Internal: the caller's function wants no more. */
#define STREAM_STOP	1000

/**
 * struct patience - with a request that the kernel doesn't get done
 * @busy_since: When the process was found busy, by CLOCK_MONOTONIC; or 0.
 * @retries: How often the request was interrupted.
 */
struct patience {
	time_t busy_since;
	int retries;
};

/* Whether a request that ended with @status shall be made again. */
static bool try_again(struct patience *patience, int status)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	struct timespec now;

	if (status == REQUEST_AGAIN)
		return patience->retries++ < MAX_RETRIES;
	if (status != CLIENT_BUSY)
		return false;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!patience->busy_since)
		patience->busy_since = now.tv_sec;
	if (now.tv_sec - patience->busy_since >= MAX_BUSY)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/**
 * struct stream - a dump under way
 * @start: First address that is still wanted.
 * @last: Last one.
 * @page_shift: Of the base page.
 * @levels: As the messages say.
 * @patience: What is left of it.
 * @each: Takes the runs of a message, with the argument @arg.
 * @stopped: What @each returned when it was not 0.
 * @done: The runs have reached @last.
 */
struct stream {
	uint64_t start, last;
	unsigned int page_shift;
	uint32_t levels;
	struct patience patience;
	int (*each)(const struct truth_runs *runs, void *arg);
	void *arg;
	int stopped;
	bool done;
};

/* The last address of the last run. */
static uint64_t runs_last(const struct truth_runs *runs, unsigned int shift)
{
	const struct ptwalk_run *run;
	uint64_t pages = 0;

	truth_for_each_run(run, runs)
		pages += run->pages;
	return runs->start + (pages << shift) - 1;
}

/* Only runs are looked at here, not pages: much memory takes this path. */
static int take_walk(struct nlmsghdr *msg, void *arg)
{
	struct stream *s = arg;
	struct truth_runs runs;
	uint64_t reached;
	int err;

	if (wire_walk(msg, s->page_shift, &runs))
		return REQUEST_NONSENSE;
	s->levels |= runs.levels;
	if (!runs.nr)
		return 0;
	s->patience.busy_since = 0;
	reached = runs_last(&runs, s->page_shift);
	if (reached < s->start || runs.start > s->last)
		return 0;

	err = s->each(&runs, s->arg);
	if (err) {
		s->stopped = err;
		return STREAM_STOP;
	}
	if (reached >= s->last)
		s->done = true;
	else
		s->start = reached + 1;
	return 0;
}

static int ask_walk(struct client *client, pid_t pid, struct stream *s)
{
	struct nl_msg *msg;

	msg = request_new(client, PTWALK_CMD_WALK, NLM_F_DUMP);
	if (!msg)
		return EXIT_UNCHECKED;
	if (nla_put_u32(msg, PTWALK_A_WALK_PID, pid) < 0 ||
	    nla_put_u64(msg, PTWALK_A_WALK_START, s->start) < 0 ||
	    nla_put_u64(msg, PTWALK_A_WALK_LAST, s->last) < 0) {
		nlmsg_free(msg);
		return request_no_memory();
	}
	return request_run(client, msg, take_walk, s);
}

static int run_stream(struct client *client, pid_t pid, struct stream *s)
{
	int status;

	s->page_shift = client_info(client)->page_shift;
	do {
		status = ask_walk(client, pid, s);
	} while (!s->done && try_again(&s->patience, status));

	if (status == STREAM_STOP)
		return s->stopped;
	if (s->done && (status == REQUEST_AGAIN || status == CLIENT_BUSY))
		return 0;
	if (status == REQUEST_AGAIN)
		return fail(EXIT_UNCHECKED,
			    "the dump of process %d was interrupted %d times: try again",
			    (int)pid, MAX_RETRIES);
	return status;
}

int truth_runs(struct client *client, pid_t pid, uint64_t start, uint64_t last,
	       int (*each)(const struct truth_runs *runs, void *arg),
	       void *arg)
{
	struct stream s = {
		.start = start,
		.last = last,
		.each = each,
		.arg = arg,
	};

	return run_stream(client, pid, &s);
}

/* Makes room for @more elements behind the @nr that *@array has. */
static int grow(void **array, size_t *max, size_t nr, size_t more, size_t size)
{
	size_t wanted = *max ? *max : 64;
	void *p;

	if (nr + more <= *max)
		return 0;
	while (wanted < nr + more)
		wanted *= 2;
	p = reallocarray(*array, wanted, size);
	if (!p)
		return request_no_memory();
	*array = p;
	*max = wanted;
	return 0;
}

/**
 * struct expander - turns runs into extents
 * @start: First address that is wanted.
 * @last: Last one.
 * @page_shift: Of the base page.
 * @extents: Of the message under way.
 * @nr: Number of those.
 * @max: Room for those.
 * @each: The caller's function, with its argument @arg.
 */
struct expander {
	uint64_t start, last;
	unsigned int page_shift;
	struct extent *extents;
	size_t nr, max;
	int (*each)(const struct truth_vma *vma,
		    const struct extent *extents, size_t nr, void *arg);
	void *arg;
};

static uint64_t extent_last(const struct extent *e, unsigned int shift)
{
	return e->addr + (e->pages << shift) - 1;
}

/*
 * The extents of a run that lists a value for each of its pages, from @e on.
 * Returns the place behind the last one.
 */
static struct extent *expand_list(const struct ptwalk_run *run, uint64_t addr,
				  unsigned int shift, struct extent *e)
{
	uint64_t bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
	uint64_t step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));

	*e = (struct extent){ addr, run->value[0], 1, bits };
	for (uint64_t i = 1; i < run->pages; i++) {
		addr += 1ULL << shift;
		if (run->value[i] == run->value[i - 1] + step)
			e->pages++;
		else
			*++e = (struct extent){ addr, run->value[i], 1, bits };
	}
	return e + 1;
}

/* @x->extents has room for all. */
static void expand(struct expander *x, const struct truth_runs *runs)
{
	struct extent *e = x->extents;
	uint64_t addr = runs->start;
	const struct ptwalk_run *run;

	truth_for_each_run(run, runs) {
		if (ptwalk_bits_list(run->bits)) {
			e = expand_list(run, addr, x->page_shift, e);
		} else {
			*e++ = (struct extent){ addr, run->value[0],
						run->pages, run->bits };
		}
		addr += run->pages << x->page_shift;
	}
	x->nr = e - x->extents;
}

/* Cuts what lies before the start and behind the end of what is wanted. */
static struct extent *clip(struct expander *x)
{
	struct extent *e = x->extents, *end = e + x->nr;
	unsigned int shift = x->page_shift;
	uint64_t cut;

	while (e < end && extent_last(e, shift) < x->start)
		e++;
	while (e < end && end[-1].addr > x->last)
		end--;
	x->nr = end - e;
	if (!x->nr)
		return e;

	if (e->addr < x->start) {
		cut = (x->start - e->addr) >> shift;
		e->addr += cut << shift;
		e->pages -= cut;
		if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
			e->value += cut;
	}
	if (extent_last(&end[-1], shift) > x->last)
		end[-1].pages = ((x->last - end[-1].addr) >> shift) + 1;
	return e;
}

static int expand_each(const struct truth_runs *runs, void *arg)
{
	struct expander *x = arg;
	struct extent *extents;

	/* No run has more extents than words. */
	if (grow((void **)&x->extents, &x->max, 0, runs->nr,
		 sizeof(*x->extents)))
		return EXIT_UNCHECKED;
	expand(x, runs);
	extents = clip(x);
	return x->nr ? x->each(&runs->vma, extents, x->nr, x->arg) : 0;
}

static int stream_extents(struct client *client, pid_t pid,
			  struct expander *x, uint32_t *levels)
{
	struct stream s = {
		.start = x->start,
		.last = x->last,
		.each = expand_each,
		.arg = x,
	};
	int status;

	x->page_shift = client_info(client)->page_shift;
	status = run_stream(client, pid, &s);
	free(x->extents);
	*levels = s.levels;
	return status;
}

int truth_stream(struct client *client, pid_t pid, uint64_t start,
		 uint64_t last,
		 int (*each)(const struct truth_vma *vma,
			     const struct extent *extents, size_t nr,
			     void *arg),
		 void *arg)
{
	struct expander x = {
		.start = start,
		.last = last,
		.each = each,
		.arg = arg,
	};
	uint32_t levels;

	return stream_extents(client, pid, &x, &levels);
}

/**
 * struct collector - what truth_read() keeps from message to message
 * @truth: Receives it all.
 * @page_shift: Of the base page.
 * @seen: The VMA of the latest message, as it came.
 */
struct collector {
	struct truth *truth;
	unsigned int page_shift;
	struct truth_vma seen;
};

/* @vma is the one of the latest message, or that with another end. */
static bool same_vma(struct collector *c, const struct truth_vma *vma)
{
	c->seen.last = vma->last;
	return !memcmp(&c->seen, vma, sizeof(*vma));
}

/*
 * A VMA of many extents comes with several messages, and may have grown, been
 * split or been replaced between two of them. What the earlier messages said
 * of it then ends where the later one's extents begin at @first.
 */
static int add_vma(struct collector *c, const struct truth_vma *vma,
		   uint64_t first)
{
	struct truth *t = c->truth;
	struct truth_vma *prev, *added;

	if (t->nr_vmas && same_vma(c, vma)) {
		t->vmas[t->nr_vmas - 1].last = vma->last;
		return 0;
	}
	if (grow((void **)&t->vmas, &t->max_vmas, t->nr_vmas, 1,
		 sizeof(*t->vmas)))
		return EXIT_UNCHECKED;

	prev = t->nr_vmas ? &t->vmas[t->nr_vmas - 1] : NULL;
	added = &t->vmas[t->nr_vmas++];
	memcpy(added, vma, sizeof(*vma));
	memcpy(&c->seen, vma, sizeof(*vma));
	if (prev && prev->last >= vma->start) {
		if (prev->last >= first)
			prev->last = first - 1;
		added->pgoff += (prev->last + 1 - vma->start) >> c->page_shift;
		added->start = prev->last + 1;
	}
	return 0;
}

static int collect(const struct truth_vma *vma,
		   const struct extent *extents, size_t nr, void *arg)
{
	struct collector *c = arg;
	struct truth *t = c->truth;

	if (add_vma(c, vma, extents[0].addr) ||
	    grow((void **)&t->extents, &t->max_extents, t->nr_extents, nr,
		 sizeof(*extents)))
		return EXIT_UNCHECKED;
	memcpy(&t->extents[t->nr_extents], extents, nr * sizeof(*extents));
	t->nr_extents += nr;
	return 0;
}

int truth_read(struct client *client, pid_t pid, uint64_t start, uint64_t last,
	       struct truth *truth)
{
	struct collector c = {
		.truth = truth,
		.page_shift = client_info(client)->page_shift,
	};
	struct expander x = {
		.start = start,
		.last = last,
		.each = collect,
		.arg = &c,
	};

	truth->nr_extents = 0;
	truth->nr_vmas = 0;
	return stream_extents(client, pid, &x, &truth->levels);
}

void truth_free(struct truth *truth)
{
	free(truth->extents);
	free(truth->vmas);
	memset(truth, 0, sizeof(*truth));
}

const struct truth_vma *truth_vma_among(const struct truth_vma *vmas, size_t nr,
					uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (vmas[mid].last < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < nr && vmas[low].start <= addr ? &vmas[low] : NULL;
}

const struct truth_vma *truth_vma_at(const struct truth *truth, uint64_t addr)
{
	return truth_vma_among(truth->vmas, truth->nr_vmas, addr);
}

/**
 * struct batches - the answers to the batches of one truth_translate()
 * @reply: Of the batch under way.
 * @out: Where its translations go.
 * @pages: Where its pages go, or NULL.
 * @wanted: Number of those.
 * @vmas: Of all batches; each once after compact().
 */
struct batches {
	struct wire_translations reply;
	struct ptwalk_translation *out;
	struct ptwalk_page *pages;
	size_t wanted;
	struct truth_vma *vmas;
	size_t nr_vmas, max_vmas;
	uint32_t levels;
};

static int compare_vmas(const void *a, const void *b)
{
	const struct truth_vma *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return memcmp(x, y, sizeof(*x));
}

static void compact(struct batches *b)
{
	size_t kept = 0;

	if (!b->nr_vmas)
		return;
	qsort(b->vmas, b->nr_vmas, sizeof(*b->vmas), compare_vmas);
	for (size_t i = 1; i < b->nr_vmas; i++)
		if (memcmp(&b->vmas[kept], &b->vmas[i], sizeof(*b->vmas)))
			b->vmas[++kept] = b->vmas[i];
	b->nr_vmas = kept + 1;
}

static int take_translations(struct nlmsghdr *msg, void *arg)
{
	struct batches *b = arg;

	if (wire_translations(msg, &b->reply) || b->reply.nr != b->wanted)
		return REQUEST_NONSENSE;
	if (b->pages && !b->reply.has_pages)
		return REQUEST_NONSENSE;
	memcpy(b->out, b->reply.translations, b->wanted * sizeof(*b->out));
	if (b->pages)
		memcpy(b->pages, b->reply.pages, b->wanted * sizeof(*b->pages));
	b->wanted = 0;
	b->levels |= b->reply.levels;

	if (b->nr_vmas + b->reply.nr_vmas > b->max_vmas)
		compact(b);
	if (grow((void **)&b->vmas, &b->max_vmas, b->nr_vmas, b->reply.nr_vmas,
		 sizeof(*b->vmas)))
		return EXIT_UNCHECKED;
	memcpy(&b->vmas[b->nr_vmas], b->reply.vmas,
	       b->reply.nr_vmas * sizeof(*b->vmas));
	b->nr_vmas += b->reply.nr_vmas;
	return 0;
}

static int ask_batch_once(struct client *client, pid_t pid, const uint64_t *addrs,
		     struct batches *b)
{
	struct nl_msg *msg;
	int status;

	msg = request_new(client, PTWALK_CMD_TRANSLATE, 0);
	if (!msg)
		return EXIT_UNCHECKED;
	if (nla_put_u32(msg, PTWALK_A_TRANSLATE_PID, pid) < 0 ||
	    nla_put(msg, PTWALK_A_TRANSLATE_ADDRESSES,
		    b->wanted * sizeof(*addrs), addrs) < 0 ||
	    (b->pages &&
	     nla_put_flag(msg, PTWALK_A_TRANSLATE_WANT_PAGES) < 0)) {
		nlmsg_free(msg);
		return request_no_memory();
	}

	status = request_run(client, msg, take_translations, b);
	if (!status && b->wanted)
		status = fail(EXIT_UNCHECKED,
			      "the module answered translate without a translation");
	return status;
}

static int ask_batch(struct client *client, pid_t pid, const uint64_t *addrs,
		     struct batches *b)
{
	struct patience patience = { 0 };
	int status;

	do {
		status = ask_batch_once(client, pid, addrs, b);
	} while (try_again(&patience, status));
	return status;
}

/* Walks one page, for the sake of the lock. */
static int ask_busy(struct client *client, pid_t pid)
{
	struct nl_msg *msg;

	msg = request_new(client, PTWALK_CMD_WALK, NLM_F_DUMP);
	if (!msg)
		return 0;
	nla_put_u32(msg, PTWALK_A_WALK_PID, pid);
	nla_put_u64(msg, PTWALK_A_WALK_LAST, 0);
	return request_try(client, msg);
}

bool truth_busy(struct client *client, pid_t pid)
{
	struct client *own = client ? NULL : client_open_quietly();
	struct patience patience = { 0 };
	int status = 0;

	if (own)
		client = own;
	do {
		if (client)
			status = ask_busy(client, pid);
	} while (try_again(&patience, status));
	client_close(own);
	return status == CLIENT_BUSY;
}

int truth_translate_pages(struct client *client, pid_t pid,
			  const uint64_t *addrs, size_t nr,
			  struct ptwalk_translation *out,
			  struct ptwalk_page *pages, struct truth_vma **vmas,
			  size_t *nr_vmas, uint32_t *levels)
{
	struct batches *b = calloc(1, sizeof(*b));
	int status = 0;

	if (!b)
		return request_no_memory();

	for (size_t i = 0; !status && i < nr; i += PTWALK_MAX_ADDRESSES) {
		b->out = out + i;
		b->pages = pages ? pages + i : NULL;
		b->wanted = nr - i < PTWALK_MAX_ADDRESSES ?
				    nr - i : PTWALK_MAX_ADDRESSES;
		status = ask_batch(client, pid, addrs + i, b);
	}

	if (status) {
		free(b->vmas);
	} else {
		compact(b);
		*vmas = b->vmas;
		*nr_vmas = b->nr_vmas;
		*levels = b->levels;
	}
	free(b);
	return status;
}

int truth_translate(struct client *client, pid_t pid, const uint64_t *addrs,
		    size_t nr, struct ptwalk_translation *out,
		    struct truth_vma **vmas, size_t *nr_vmas, uint32_t *levels)
{
	return truth_translate_pages(client, pid, addrs, nr, out, NULL, vmas,
				     nr_vmas, levels);
}
