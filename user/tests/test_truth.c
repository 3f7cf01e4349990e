// SPDX-License-Identifier: GPL-2.0
/* Reading the truth from a module that is made of a script. */
#include <stdlib.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "base/exit_status.h"
#include "lib/exchange.h"
#include "base/print.h"
#include "module/client.h"
#include "module/truth.h"
#include "tests.h"

/**
 * struct step - what the module does next
 * @vma_start: The VMA of a message; it has one run, from @addr on.
 * @end: Ends the request with this, if @is_end.
 * @list: Values of the pages, where the run has the list bit.
 * @page: Behind the first of them, for who wants pages.
 */
struct step {
	uint64_t vma_start, vma_last, addr, value, pages, bits;
	bool is_end;
	int end;
	const uint64_t *list;
	struct ptwalk_page page;
};

static const struct step *script;
static uint64_t asked_start[4];
static unsigned int nr_asked;
static bool asked_pages, asked_outside, asked_frames;
static uint64_t first_frame, last_frame;

struct ptwalk {
	struct ptwalk_kernel kernel;
	int error;
};

static struct ptwalk client = { .kernel = { .page_shift = 12 } };

const struct ptwalk_kernel *ptwalk_kernel(const struct ptwalk *p)
{
	return &p->kernel;
}

int ptwalk_error(const struct ptwalk *p)
{
	return p->error;
}

const char *ptwalk_strerror(const struct ptwalk *p)
{
	return "as the script says";
}

struct ptwalk *ptwalk_open(void)
{
	return NULL;
}

void ptwalk_close(struct ptwalk *p)
{
}

int handle_fail(struct ptwalk *p, int err, const char *format, ...)
{
	p->error = err;
	return err;
}

int handle_no_memory(struct ptwalk *p)
{
	return handle_fail(p, -ENOMEM, "by the script");
}

struct nl_msg *exchange_message(struct ptwalk *p, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 1, 0x20, 0, flags, cmd, 1);
	return msg;
}

int exchange_nonsense(struct exchange *ex)
{
	return handle_fail(ex->p, -EBADMSG, "by the script");
}

int exchange_begin(struct exchange *ex, struct ptwalk *p,
		   struct nl_msg *request)
{
	struct nlattr *tb[PTWALK_A_WALK_MAX + 1];

	*ex = (struct exchange){ .p = p };
	genlmsg_parse(nlmsg_hdr(request), 0, tb, PTWALK_A_WALK_MAX, NULL);
	asked_start[nr_asked++ % 4] = nla_get_u64(tb[PTWALK_A_WALK_START]);
	asked_pages = tb[PTWALK_A_WALK_WANT_PAGES];
	asked_outside = tb[PTWALK_A_WALK_OUTSIDE];
	asked_frames = tb[PTWALK_A_WALK_FIRST_FRAME] && tb[PTWALK_A_WALK_LAST_FRAME];
	if (asked_frames) {
		first_frame = nla_get_u64(tb[PTWALK_A_WALK_FIRST_FRAME]);
		last_frame = nla_get_u64(tb[PTWALK_A_WALK_LAST_FRAME]);
	}
	nlmsg_free(request);
	return 0;
}

/* Each message is kept until the next as @ex->request. */
void exchange_end(struct exchange *ex)
{
	nlmsg_free(ex->request);
	ex->request = NULL;
}

int exchange_next(struct exchange *ex, struct nlmsghdr **out)
{
	const struct step *s = script++;
	const size_t head = asked_pages ? 2 + sizeof(s->page) / 8 : 2;
	const size_t nr = s->list ? s->pages : 1;
	uint64_t words[6 + 8] = { s->bits, s->pages };
	struct nlattr *nest;
	struct nl_msg *msg;

	if (s->is_end)
		return s->end;
	exchange_end(ex);
	msg = exchange_message(ex->p, PTWALK_CMD_WALK, 0);
	ex->request = msg;
	nla_put_u32(msg, PTWALK_A_WALK_LEVELS, 0x0f);
	nla_put_u32(msg, PTWALK_A_WALK_RUN_BYTES, head * 8);
	memcpy(words + 2, &s->page, sizeof(s->page));
	memcpy(words + head, s->list ? s->list : &s->value, nr * sizeof(*words));
	nla_put(msg, PTWALK_A_WALK_RUNS, (head + nr) * sizeof(*words), words);
	nla_put_u64(msg, PTWALK_A_WALK_START, s->addr);
	nest = nla_nest_start(msg, PTWALK_A_WALK_VMA);
	nla_put_u64(msg, PTWALK_A_VMA_START, s->vma_start);
	nla_put_u64(msg, PTWALK_A_VMA_LAST, s->vma_last);
	nla_put_u64(msg, PTWALK_A_VMA_FLAGS, 3);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, 12);
	nla_nest_end(msg, nest);
	*out = nlmsg_hdr(msg);
	return 1;
}

static void put_vma(struct nl_msg *msg, uint64_t flags)
{
	struct nlattr *nest = nla_nest_start(msg, PTWALK_A_TRANSLATE_VMA);

	nla_put_u64(msg, PTWALK_A_VMA_START, 0);
	nla_put_u64(msg, PTWALK_A_VMA_LAST, UINT64_MAX);
	nla_put_u64(msg, PTWALK_A_VMA_FLAGS, flags);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, 12);
	nla_nest_end(msg, nest);
}

/* Translations in a reply: as many as were asked for, but no more than this. */
static size_t most_answered;

/*
 * The address plus one is its translation, plus two what is told of the page.
 * The VMA of all changes its flags to and fro.
 */
int exchange_run(struct ptwalk *p, struct nl_msg *request,
		 int (*take)(struct nlmsghdr *msg, void *arg), void *arg)
{
	struct nlattr *tb[PTWALK_A_TRANSLATE_MAX + 1];
	struct ptwalk_translation out[PTWALK_MAX_ADDRESSES] = { 0 };
	struct ptwalk_page pages[PTWALK_MAX_ADDRESSES] = { 0 };
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_TRANSLATE, 0);
	size_t nr;
	int err;

	genlmsg_parse(nlmsg_hdr(request), 0, tb, PTWALK_A_TRANSLATE_MAX, NULL);
	nr = nla_len(tb[PTWALK_A_TRANSLATE_ADDRESSES]) / 8;
	assert_in_range(nr, 1, PTWALK_MAX_ADDRESSES);
	if (nr > most_answered)
		nr = most_answered;
	for (size_t i = 0; i < nr; i++) {
		memcpy(&out[i].addr, (char *)nla_data(
			tb[PTWALK_A_TRANSLATE_ADDRESSES]) + i * 8, 8);
		out[i].value = out[i].addr + 1;
		pages[i].flags = out[i].addr + 2;
	}
	nla_put_u32(msg, PTWALK_A_TRANSLATE_LEVELS, 3);
	put_vma(msg, 3);
	put_vma(msg, 5);
	msg = (nlmsg_expand(msg, 32768), msg);
	if (tb[PTWALK_A_TRANSLATE_WANT_PAGES]) {
		nla_put_u32(msg, PTWALK_A_TRANSLATE_PAGE_BYTES,
			    sizeof(pages[0]));
		nla_put(msg, PTWALK_A_TRANSLATE_PAGES, nr * sizeof(pages[0]),
			pages);
	}
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(out[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, nr * sizeof(out[0]), out);
	err = take(nlmsg_hdr(msg), arg);
	nlmsg_free(msg);
	nlmsg_free(request);
	return err;
}

static int read_script(const struct step *steps, uint64_t start, uint64_t last,
		       struct truth *truth)
{
	script = steps;
	nr_asked = 0;
	return truth_read(&client, 1, start, last, truth);
}

#define PRESENT	PTWALK_KIND_PRESENT
#define HIGH	0x7fff00000000

static void clipped(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x8fff, 0x1000, 100, 8, PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	/* Part of a page is all of it. */
	assert_int_equal(read_script(steps, 0x3800, 0x5001, &t), 0);
	assert_int_equal(t.nr_extents, 1);
	assert_int_equal(t.extents[0].addr, 0x3000);
	assert_int_equal(t.extents[0].value, 102);
	assert_int_equal(t.extents[0].pages, 3);
	assert_int_equal(t.levels, 0x0f);
	assert_ptr_equal(truth_vma_at(&t, 0x1000), &t.vmas[0]);
	assert_null(truth_vma_at(&t, 0xfff));
	assert_null(truth_vma_at(&t, 0x9000));
	truth_free(&t);
}

/* Pages that are listed one by one make extents where they follow. */
static void listed(void **state)
{
	static const uint64_t values[] = { 7, 8, 9, 4, 4, 5, 0, UINT64_MAX };
	static const uint64_t list = UINT64_C(1) << PTWALK_BITS_LIST_SHIFT;
	const struct step steps[] = {
		{ 0x1000, 0xffff, 0x1000, 0, 8, PRESENT | list,
		  .list = values },
		{ 0x1000, 0xffff, 0x9000, 0, 3, PTWALK_KIND_MARKER | list,
		  .list = (const uint64_t[]){ 4, 4, 2 } },
		{ HIGH, HIGH + 0x1fff, HIGH, 0, 2, PRESENT | list,
		  .list = (const uint64_t[]){ 6, 3 } },
		{ .is_end = true },
	};
	static const struct ptwalk_extent extents[] = {
		{ 0x2000, 8, 2, PRESENT }, { 0x4000, 4, 1, PRESENT },
		{ 0x5000, 4, 2, PRESENT }, { 0x7000, 0, 1, PRESENT },
		{ 0x8000, UINT64_MAX, 1, PRESENT },
		{ 0x9000, 4, 2, PTWALK_KIND_MARKER },
		{ 0xb000, 2, 1, PTWALK_KIND_MARKER },
		{ HIGH, 6, 1, PRESENT }, { HIGH + 0x1000, 3, 1, PRESENT },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(steps, 0x2000, UINT64_MAX, &t), 0);
	assert_int_equal(t.nr_extents, 9);
	assert_memory_equal(t.extents, extents, sizeof(extents));
	truth_free(&t);
}

/* Takes extents as they come, and ends with the value of the last one if told to. */
static int take_some(struct truth *t, const struct ptwalk_extent *extents,
		     const struct ptwalk_page *pages, size_t nr)
{
	struct ptwalk_page **next = t->arg;

	assert_int_equal(t->nr_vmas, 1);
	for (size_t i = 0; i < nr; i++)
		*(*next)++ = pages[i];
	return extents[nr - 1].value == 9 ? -ENOMEM : 0;
}

/* Runs as they came, with the page of the first entry of each. */
static int take_runs(struct truth *t, const struct ptwalk_runs *runs,
		     const struct ptwalk_page *pages, uint64_t from)
{
	struct ptwalk_page **next = t->arg;

	assert_int_equal(from, runs->start < 0x3000 ? 0x3000 : runs->start);
	*(*next)++ = pages[0];
	return *(const uint64_t *)runs->word == (uint64_t)PRESENT ? 0 : -ENOMEM;
}

/* The page behind each extent, where a run is listed, and where it is cut. */
static void paged(void **state)
{
	static const uint64_t list = UINT64_C(1) << PTWALK_BITS_LIST_SHIFT;
	const struct step steps[] = {
		{ 0x1000, 0xffff, 0x1000, 96, 4, PRESENT,
		  .page = { 1, 2, 3, 2 | 1ULL << 32 } },
		{ 0x1000, 0xffff, 0x5000, 0, 4, PRESENT | list,
		  .list = (const uint64_t[]){ 7, 8, 4, 9 },
		  .page = { 5, 6, 7, 3 | 2ULL << 32 } },
		{ 0x1000, 0xffff, 0x9000, 0, 3, PRESENT | list,
		  .list = (const uint64_t[]){ 4, 6, 7 },
		  .page = { 8, 9, 10, 1 << 8 } },
		{ .is_end = true },
	};
	static const struct ptwalk_page pages[] = {
		{ 1, 2, 3, 2 | 3ULL << 32 },
		{ 5, 6, 7, 3 | 2ULL << 32 }, { 5, 6, 7, 3 | 4ULL << 32 },
		{ 5, 6, 7, 3 | 5ULL << 32 },
		{ 8, 9, 10, 1 << 8 }, { 8, 9, 10, 1 << 8 },
	};
	struct truth t = { .want_pages = true };
	struct ptwalk_page taken[8], *next = taken;

	assert_int_equal(read_script(steps, 0x3000, UINT64_MAX, &t), -EOPNOTSUPP);
	client.kernel.features = PTWALK_FEATURE_WALK_PAGES;
	assert_int_equal(read_script(steps, 0x3000, UINT64_MAX, &t), 0);
	assert_true(asked_pages);
	assert_int_equal(t.nr_extents, 6);
	assert_memory_equal(t.pages, pages, sizeof(pages));
	assert_int_equal(t.extents[0].value, 98);
	assert_int_equal(t.extents[3].value, 9);

	/* The same as they come, until that isn't wanted any more. */
	t.take = take_some;
	t.arg = &next;
	t.passing = true;
	assert_int_equal(read_script(steps, 0x3000, UINT64_MAX, &t), -ENOMEM);
	assert_int_equal(t.nr_extents, 0);
	assert_int_equal(next - taken, 4);
	assert_memory_equal(taken, pages, 4 * sizeof(pages[0]));

	next = taken;
	t.take_runs = take_runs;
	assert_int_equal(read_script(steps, 0x3000, UINT64_MAX, &t), -ENOMEM);
	assert_int_equal(next - taken, 2);
	assert_memory_equal(&taken[0], &steps[0].page, sizeof(taken[0]));
	assert_memory_equal(&taken[1], &steps[1].page, sizeof(taken[0]));
	assert_int_equal(t.nr_vmas, 1);
	truth_free(&t);
}

/* The last page of 64 bits. */
static void last_page(void **state)
{
	static const struct step steps[] = {
		{ 0xffffffffffffe000, UINT64_MAX, 0xffffffffffffe000, 5, 2,
		  PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(steps, 0xfffffffffffff000, UINT64_MAX, &t),
			 0);
	assert_int_equal(t.nr_extents, 1);
	assert_true(t.extents[0].addr == 0xfffffffffffff000);
	assert_int_equal(t.extents[0].value, 6);
	assert_int_equal(t.extents[0].pages, 1);
	assert_non_null(truth_vma_at(&t, UINT64_MAX));
	truth_free(&t);
}

/* One that grows stays one; one that is replaced ends where the next begins. */
static void vmas(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 1, PRESENT },
		{ 0x1000, 0x8fff, 0x2000, 5, 1, PRESENT },
		{ 0x1000, 0x8fff, 0x3000, 9, 1, PRESENT },
		{ 0x2000, 0x9fff, 0x4000, 9, 1, 0 },
		{ 0x2000, 0x9fff, 0x5000, 9, 1, PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(steps, 0, UINT64_MAX, &t), 0);
	assert_int_equal(t.nr_extents, 5);
	assert_int_equal(t.nr_vmas, 2);
	assert_int_equal(t.vmas[0].last, 0x3fff);
	assert_int_equal(t.vmas[1].start, 0x4000);
	assert_int_equal(t.vmas[1].pgoff, 2);
	assert_int_equal(t.vmas[1].last, 0x9fff);
	truth_free(&t);
}

static void interrupted(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 2, PRESENT },
		{ .is_end = true, .end = -EBUSY },
		{ 0x1000, 0x4fff, 0x3000, 7, 2, PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(steps, 0, UINT64_MAX, &t), 0);
	assert_int_equal(nr_asked, 2);
	assert_int_equal(asked_start[1], 0x3000);
	assert_int_equal(t.nr_extents, 2);
	assert_int_equal(t.nr_vmas, 1);
	truth_free(&t);
}

static void gone(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 2, PRESENT },
		{ .is_end = true, .end = -ESRCH },
	};
	static const struct step nonsense[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 0, PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(steps, 0, UINT64_MAX, &t), -ESRCH);
	assert_int_equal(read_script(nonsense, 0, UINT64_MAX, &t),
			 -EBADMSG);
	assert_int_equal(client.error, -EBADMSG);
	truth_free(&t);
}

/* Pages in the middle of a VMA that no message tells of aren't passed over. */
static void left_out(void **state)
{
	static const struct step between[] = {
		{ 0x1000, 0x8fff, 0x1000, 1, 2, PRESENT },
		{ 0x1000, 0x8fff, 0x4000, 4, 1, PRESENT },
		{ .is_end = true },
	};
	static const struct step at_the_start[] = {
		{ 0x1000, 0x8fff, 0x3000, 1, 2, PRESENT },
		{ .is_end = true },
	};
	/* Where it was a moment ago nothing is mapped any more. */
	static const struct step unmapped[] = {
		{ 0x1000, 0x8fff, 0x1000, 1, 2, PRESENT },
		{ 0x5000, 0x8fff, 0x5000, 4, 1, PRESENT },
		{ .is_end = true },
	};
	struct truth t = { 0 };

	assert_int_equal(read_script(between, 0, UINT64_MAX, &t),
			 -EBADMSG);
	assert_int_equal(client.error, -EBADMSG);
	assert_int_equal(read_script(at_the_start, 0x2800, UINT64_MAX, &t),
			 -EBADMSG);
	assert_int_equal(read_script(at_the_start, 0x3800, UINT64_MAX, &t), 0);
	assert_int_equal(read_script(unmapped, 0, UINT64_MAX, &t), 0);
	truth_free(&t);
}

/* Asked again from where it stood, and not for ever. */
static void busy(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x8fff, 0x1000, 1, 2, PRESENT },
		{ .is_end = true, .end = -EBUSY },
		{ .is_end = true, .end = -EBUSY },
		{ 0x1000, 0x8fff, 0x3000, 3, 6, PRESENT },
		{ .is_end = true },
	};
	struct step stuck[400];
	struct truth t = { 0 };

	nr_asked = 0;
	assert_int_equal(read_script(steps, 0, UINT64_MAX, &t), 0);
	assert_int_equal(nr_asked, 3);
	assert_true(asked_start[1] == 0x3000 && asked_start[2] == 0x3000);
	assert_int_equal(t.nr_vmas, 1);

	for (size_t i = 0; i < 400; i++)
		stuck[i] = (struct step){ .is_end = true, .end = -EBUSY };
	assert_int_equal(read_script(stuck, 0, UINT64_MAX, &t), -EBUSY);
	truth_free(&t);
}

static int stop(const struct ptwalk_vma *vma,
		const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	++*(int *)arg;
	return -ESRCH;
}

/* What the caller's function returns isn't taken for anything else. */
static void stopped(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 2, PRESENT },
		{ 0x1000, 0x4fff, 0x3000, 1, 2, PRESENT },
		{ .is_end = true },
	};
	int calls = 0;

	script = steps;
	assert_int_equal(truth_stream(&client, 1, 0, UINT64_MAX, stop, &calls),
			 -ESRCH);
	assert_int_equal(calls, 1);
	assert_false(asked_outside);
}

static void outside(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x4fff, 0x1000, 1, 2, PRESENT },
		{ .is_end = true },
	};
	int calls = 0;

	client.kernel.features = 0;
	script = steps;
	assert_int_equal(truth_outside(&client, 1, 0, UINT64_MAX, stop, &calls), -EOPNOTSUPP);
	assert_int_equal(calls, 0);
	client.kernel.features = PTWALK_FEATURE_WALK_OUTSIDE;
	assert_int_equal(truth_outside(&client, 1, 0, UINT64_MAX, stop, &calls), -ESRCH);
	assert_int_equal(calls, 1);
	assert_true(asked_outside);
}

static int count_runs(const struct ptwalk_runs *runs, void *arg)
{
	++*(int *)arg;
	return 0;
}

/* What isn't looked for is left out, in the middle of a VMA, too. */
static void frames(void **state)
{
	static const struct step steps[] = {
		{ 0x1000, 0x9fff, 0x3000, 7, 1, PRESENT },
		{ 0x1000, 0x9fff, 0x6000, 8, 1, PRESENT },
		{ .is_end = true },
	};
	int calls = 0;

	client.kernel.features = 0;
	script = steps;
	assert_int_equal(truth_frames(&client, 1, 7, 8, count_runs, &calls), -EOPNOTSUPP);
	client.kernel.features = PTWALK_FEATURE_WALK_FRAMES;
	assert_int_equal(truth_frames(&client, 1, 7, 8, count_runs, &calls), 0);
	assert_int_equal(calls, 2);
	assert_true(asked_frames);
	assert_int_equal(first_frame, 7);
	assert_int_equal(last_frame, 8);

	/* Without a search that makes no sense. */
	script = steps;
	assert_int_equal(truth_runs(&client, 1, 0, UINT64_MAX, count_runs, &calls), -EBADMSG);
	assert_false(asked_frames);
}

static void translate_batches(size_t answered)
{
	size_t nr = 2 * PTWALK_MAX_ADDRESSES + 1, nr_vmas;
	struct ptwalk_translation *out = calloc(nr, sizeof(*out));
	struct ptwalk_page *pages = calloc(nr, sizeof(*pages));
	uint64_t *addrs = calloc(nr, sizeof(*addrs));
	struct ptwalk_vma *found;
	uint32_t levels;

	most_answered = answered;
	for (size_t i = 0; i < nr; i++)
		addrs[i] = (uint64_t)i << 40;
	assert_int_equal(truth_translate_pages(&client, 1, addrs, nr, out,
					       pages, &found, &nr_vmas,
					       &levels), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_true(out[i].value == addrs[i] + 1);
		assert_true(pages[i].flags == addrs[i] + 2);
	}
	assert_int_equal(nr_vmas, 2);
	assert_true(found[0].last == UINT64_MAX);
	assert_int_equal(levels, 3);
	free(found);
	free(addrs);
	free(pages);
	free(out);
}

static void batches(void **state)
{
	translate_batches(PTWALK_MAX_ADDRESSES);
}

/* A reply may answer the first of the addresses only. */
static void batches_in_part(void **state)
{
	translate_batches(50);
	translate_batches(1);
}

static void batch_unanswered(void **state)
{
	uint64_t addr = 0x1000;
	struct ptwalk_translation out;
	struct ptwalk_vma *found;
	uint32_t levels;
	size_t nr_vmas;

	most_answered = 0;
	assert_int_equal(ptwalk_translate_all(&client, 1, &addr, 1, &out, NULL,
					      &found, &nr_vmas, &levels),
			 -EBADMSG);
}

SUITE(suite_truth,
      cmocka_unit_test(clipped), cmocka_unit_test(listed), cmocka_unit_test(paged), cmocka_unit_test(last_page),
      cmocka_unit_test(vmas), cmocka_unit_test(interrupted),
      cmocka_unit_test(gone), cmocka_unit_test(left_out), cmocka_unit_test(busy), cmocka_unit_test(stopped),
      cmocka_unit_test(outside), cmocka_unit_test(frames),
      cmocka_unit_test(batches), cmocka_unit_test(batches_in_part),
      cmocka_unit_test(batch_unanswered));
