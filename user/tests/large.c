// SPDX-License-Identifier: GPL-2.0
/*
 * Commands on processes of many pages or VMAs, of which a made-up module tells.
 *
 *   large                               what each takes of the heap, at three
 *                                       sizes; prints what is wrong, -v all
 *   large COMMAND PAGES VMAS [ARG...]   runs one, for a profiler to look at:
 *                                       PAGES scattered pages in VMAS VMAs;
 *                                       Ctrl-C, or SIGNAL by its number, comes
 *                                       at message INTERRUPT, an error in the
 *                                       place of message ERROR
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "base/error.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "lib/exchange.h"
#include "heap.h"

#define SHIFT		12
#define FIRST		0x10000000000ULL
#define RUN_PAGES	2000	/* of a message */
#define LIST		(1ULL << PTWALK_BITS_LIST_SHIFT)

static uint64_t nr_pages, nr_vmas;
static unsigned long messages, interrupt_at, error_at;

struct ptwalk {
	struct ptwalk_kernel kernel;
	int error;
	char message[256];
};

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
	return p->message;
}

bool ptwalk_interrupted(const struct ptwalk *p)
{
	return false;
}

struct ptwalk *ptwalk_open(void)
{
	struct ptwalk *p = calloc(1, sizeof(*p));

	p->kernel = (struct ptwalk_kernel){
		.page_shift = SHIFT,
		.levels = 0x17,
		.level_shift = { 12, 21, 30, 39, 39 },
		.level_entries = { 512, 512, 512, 1, 512 },
		.entry_size = { 8, 8, 8, 8, 8 },
		.features = UINT32_MAX,
		.memory_types = { 1, 2, 5, 4, 1, 6, 5, 2 },
		.nr_memory_types = 8,
		.phys_bits = 46,
		.machine = "x86_64",
		.major = 6,
		.minor = 12,
	};
	return p;
}

void ptwalk_close(struct ptwalk *p)
{
	free(p);
}

int handle_fail(struct ptwalk *p, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->message, sizeof(p->message), format, args);
	va_end(args);
	p->error = err;
	return err;
}

int handle_no_memory(struct ptwalk *p)
{
	return handle_fail(p, -ENOMEM, "out of memory");
}

struct nl_msg *exchange_message(struct ptwalk *p, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(RUN_PAGES * 8 + 2048);

	genlmsg_put(msg, 0, 1, 0x20, 0, flags, cmd, 1);
	return msg;
}

int exchange_nonsense(struct exchange *ex)
{
	return handle_fail(ex->p, -EBADMSG, "nonsense");
}

static void put_vma(struct nl_msg *msg, int type, uint64_t vma)
{
	const uint64_t bytes = nr_pages / nr_vmas << SHIFT;
	struct nlattr *nest = nla_nest_start(msg, type);

	nla_put_u64(msg, PTWALK_A_VMA_START, FIRST + vma * (bytes + (1 << SHIFT)));
	nla_put_u64(msg, PTWALK_A_VMA_LAST,
		    FIRST + vma * (bytes + (1 << SHIFT)) + bytes - 1);
	nla_put_u64(msg, PTWALK_A_VMA_FLAGS, PTWALK_VMA_FLAG_READ |
		    PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_ANONYMOUS);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, SHIFT);
	nla_nest_end(msg, nest);
}

/* No page's frame follows that of the page before it, and each comes once. */
static uint64_t frame_of(uint64_t page)
{
	return 0x100000 + ((page * 0x9e3779b1 & ((1ULL << 22) - 1)) | page >> 22 << 22);
}

static uint64_t bits_of(void)
{
	return ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0,
			   PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_RAM |
			   PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
			   PTWALK_FLAG_YOUNG | PTWALK_FLAG_DIRTY |
			   PTWALK_FLAG_EXCLUSIVE);
}

/* What a walk is about, as ex->buf; the message is kept as ex->request. */
struct walk {
	uint64_t start, last, page;
	bool want_pages;
};

int exchange_begin(struct exchange *ex, struct ptwalk *p,
		   struct nl_msg *request)
{
	struct nlattr *tb[PTWALK_A_WALK_MAX + 1];
	struct walk *w = calloc(1, sizeof(*w));

	*ex = (struct exchange){ .p = p, .buf = (void *)w };
	genlmsg_parse(nlmsg_hdr(request), 0, tb, PTWALK_A_WALK_MAX, NULL);
	w->start = nla_get_u64(tb[PTWALK_A_WALK_START]);
	w->last = nla_get_u64(tb[PTWALK_A_WALK_LAST]);
	w->want_pages = tb[PTWALK_A_WALK_WANT_PAGES];
	nlmsg_free(request);
	return 0;
}

void exchange_end(struct exchange *ex)
{
	nlmsg_free(ex->request);
	free(ex->buf);
	memset(ex, 0, sizeof(*ex));
}

static const struct ptwalk_page a_page = {
	.flags = PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_SWAPBACKED,
	.counts = 1 | 1ULL << 32, .folio_counts = 1, .place = 0,
};

static int signal_of(void)
{
	return getenv("SIGNAL") ? atoi(getenv("SIGNAL")) : SIGINT;
}

int exchange_next(struct exchange *ex, struct nlmsghdr **out)
{
	struct walk *w = (struct walk *)ex->buf;
	const uint64_t in_vma = nr_pages / nr_vmas;
	const size_t head = w->want_pages ? 6 : 2;
	uint64_t vma, at, nr, *word;
	struct nlattr *runs;

	if (++messages == interrupt_at)
		raise(signal_of());
	if (messages == error_at)
		return handle_fail(ex->p, -EIO, "an error was asked for");
	/* It has heard, and reads on. */
	if (interrupted && messages > interrupt_at + 2)
		_exit(99);
	for (;; w->page += nr) {
		vma = w->page / in_vma;
		at = w->page % in_vma;
		nr = in_vma - at < RUN_PAGES ? in_vma - at : RUN_PAGES;
		at = FIRST + (vma * (in_vma + 1) + at) * (1 << SHIFT);
		if (vma == nr_vmas || at > w->last)
			return 0;
		if (at + (nr << SHIFT) > w->start)
			break;
	}
	nlmsg_free(ex->request);
	ex->request = exchange_message(ex->p, PTWALK_CMD_WALK, 0);
	nla_put_u32(ex->request, PTWALK_A_WALK_LEVELS, 0x17);
	nla_put_u32(ex->request, PTWALK_A_WALK_RUN_BYTES, head * 8);
	nla_put_u64(ex->request, PTWALK_A_WALK_START, at);
	put_vma(ex->request, PTWALK_A_WALK_VMA, vma);
	runs = nla_reserve(ex->request, PTWALK_A_WALK_RUNS, (head + nr) * 8);
	word = nla_data(runs);
	memcpy(word, (uint64_t[]){ bits_of() | LIST, nr }, 16);
	if (w->want_pages)
		memcpy((char *)word + 16, &a_page, sizeof(a_page));
	for (uint64_t i = 0; i < nr; i++)
		memcpy((char *)word + (head + i) * 8,
		       (uint64_t[]){ frame_of(w->page + i) }, 8);
	w->page += nr;
	*out = nlmsg_hdr(ex->request);
	return 1;
}

/* Each frame is a page as all others. */
static int run_frames(struct ptwalk *p, struct nl_msg *request,
		      int (*take)(struct nlmsghdr *msg, void *arg), void *arg)
{
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_FRAMES, 0);
	struct nlattr *attr;
	size_t nr;
	int err;

	nr = nla_len(nlmsg_find_attr(nlmsg_hdr(request), GENL_HDRLEN,
				     PTWALK_A_FRAMES_FRAMES)) / 8;
	nla_put_u32(msg, PTWALK_A_FRAMES_PAGE_BYTES, sizeof(a_page));
	attr = nla_reserve(msg, PTWALK_A_FRAMES_PAGES, nr * sizeof(a_page));
	for (size_t i = 0; i < nr; i++)
		memcpy((char *)nla_data(attr) + i * sizeof(a_page), &a_page, sizeof(a_page));
	err = take(nlmsg_hdr(msg), arg);
	nlmsg_free(msg);
	nlmsg_free(request);
	return err;
}

/* A reply to translate. */
int exchange_run(struct ptwalk *p, struct nl_msg *request,
		 int (*take)(struct nlmsghdr *msg, void *arg), void *arg)
{
	struct nlattr *tb[PTWALK_A_TRANSLATE_MAX + 1], *attr;
	struct nl_msg *msg = exchange_message(p, PTWALK_CMD_TRANSLATE, 0);
	const struct genlmsghdr *genl = nlmsg_data(nlmsg_hdr(request));
	struct ptwalk_translation t;
	size_t nr;
	int err;

	if (genl->cmd == PTWALK_CMD_FRAMES) {
		err = run_frames(p, request, take, arg);
		nlmsg_free(msg);
		return err;
	}
	/* As without the module that tells policies. */
	if (genl->cmd == PTWALK_CMD_POLICIES) {
		nlmsg_free(msg);
		nlmsg_free(request);
		return -ENOENT;
	}
	genlmsg_parse(nlmsg_hdr(request), 0, tb, PTWALK_A_TRANSLATE_MAX, NULL);
	nr = nla_len(tb[PTWALK_A_TRANSLATE_ADDRESSES]) / 8;
	nla_put_u32(msg, PTWALK_A_TRANSLATE_LEVELS, 0x17);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(t));
	nla_put_u32(msg, PTWALK_A_TRANSLATE_PAGE_BYTES, sizeof(a_page));
	put_vma(msg, PTWALK_A_TRANSLATE_VMA, 0);
	attr = nla_reserve(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, nr * sizeof(t));
	for (size_t i = 0; i < nr; i++) {
		memcpy(&t.addr, (char *)nla_data(tb[PTWALK_A_TRANSLATE_ADDRESSES]) +
		       i * 8, 8);
		t.value = frame_of((t.addr - FIRST) >> SHIFT);
		t.bits = bits_of();
		memset(t.entry, 0, sizeof(t.entry));
		memcpy((char *)nla_data(attr) + i * sizeof(t), &t, sizeof(t));
	}
	if (tb[PTWALK_A_TRANSLATE_WANT_PAGES]) {
		attr = nla_reserve(msg, PTWALK_A_TRANSLATE_PAGES,
				   nr * sizeof(a_page));
		for (size_t i = 0; i < nr; i++)
			memcpy((char *)nla_data(attr) + i * sizeof(a_page),
			       &a_page, sizeof(a_page));
	}
	err = take(nlmsg_hdr(msg), arg);
	nlmsg_free(msg);
	nlmsg_free(request);
	return err;
}

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "dump", cmd_dump }, { "translate", cmd_translate },
	{ "frame", cmd_frame }, { "share", cmd_share }, { "rss", cmd_rss },
	{ "huge", cmd_huge }, { "watch", cmd_watch }, { "check", cmd_check },
	{ "map", cmd_map },
};

static int run(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[0], commands[i].name))
			return out_finish(error_status(commands[i].run(argc, argv)));
	fprintf(stderr, "large: no command %s\n", argv[0]);
	return 99;
}

/* The heap, as those see it who ask for some of it. */
static struct heap {
	size_t now, peak, calls;
} heap;

static void *given(void *memory)
{
	heap.calls++;
	heap.now += malloc_usable_size(memory);
	if (heap.now > heap.peak)
		heap.peak = heap.now;
	return memory;
}

static void taken(void *memory)
{
	heap.now -= malloc_usable_size(memory);
}

void *malloc(size_t size)
{
	return given(__libc_malloc(size));
}

void *calloc(size_t nr, size_t size)
{
	return given(__libc_calloc(nr, size));
}

void *realloc(void *old, size_t size)
{
	taken(old);
	return given(__libc_realloc(old, size));
}

void free(void *memory)
{
	taken(memory);
	__libc_free(memory);
}

/* As many mappings of our own, which maps tells of; children get them, too. */
static void make_mappings(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * nr_vmas * page, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (size_t i = 0; mem != MAP_FAILED && nr_vmas > 1 && i < nr_vmas / 2; i++)
		mprotect(mem + 2 * i * page, page, PROT_READ);
}

static pid_t make_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

/**
 * struct test - a command whose heap is measured
 * @words: The command line; "PID" becomes a child's.
 * @page: Bytes that each page may take, and @vma each VMA, above @base.
 */
struct test {
	const char *words[8];
	double page, vma;
};

#define BASE	(1024 * 1024)
#define MANY	(1 << 17)

/* Runs it in a process of its own. */
static struct heap measure(const struct test *t, uint64_t pages, uint64_t vmas)
{
	char *argv[9] = { 0 }, pids[8][16];
	struct heap found = { 0 };
	pid_t child[8] = { 0 }, pid;
	int pipes[2], argc;

	nr_pages = pages;
	nr_vmas = vmas;
	fflush(stdout);
	if (pipe(pipes))
		return found;
	pid = fork();
	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		make_mappings();
		for (argc = 0; t->words[argc]; argc++) {
			argv[argc] = (char *)t->words[argc];
			if (strcmp(argv[argc], "PID"))
				continue;
			child[argc] = make_child();
			snprintf(pids[argc], sizeof(pids[argc]), "%d",
				 (int)child[argc]);
			argv[argc] = pids[argc];
		}
		heap = (struct heap){ 0 };
		if (run(argc, argv))
			heap.calls = 0;
		for (int i = 0; i < argc; i++)
			if (child[i])
				kill(child[i], SIGKILL);
		if (write(pipes[1], &heap, sizeof(heap)) < 0)
			_exit(1);
		_exit(0);
	}
	close(pipes[1]);
	if (read(pipes[0], &found, sizeof(found)) != sizeof(found))
		found.calls = 0;
	close(pipes[0]);
	waitpid(pid, NULL, 0);
	return found;
}

/* Whether it takes no more than it may, and its curve has no bend. */
static bool is_good(const struct test *t, const struct heap found[3],
		    const uint64_t pages[3], const uint64_t vmas[3])
{
	const double slack = 128 * 1024;
	double limit, grown = (double)found[1].peak - found[0].peak;
	bool good = true;

	for (int i = 0; i < 3; i++) {
		limit = BASE + pages[i] * t->page + vmas[i] * t->vma;
		good &= found[i].calls && found[i].peak <= limit;
		/* Nothing is allocated page by page. */
		good &= found[i].calls <= 1000 + pages[i] / 100 + 100 * vmas[i];
	}
	/* From the second size to the third it is twice as far. */
	grown = grown > 0 ? grown : 0;
	return good && found[2].peak <= found[1].peak + 2.5 * grown + slack;
}

static const struct test tests[] = {
	{ { "dump", "self" }, 0, 200 },
	{ { "dump", "--json", "self" }, 0, 200 },
	{ { "dump", "--summary", "self" }, 0, 0 },
	{ { "frame", "--pid", "PID", "1" }, 0, 0 },
	{ { "frame", "--pid", "PID", "100000" }, 0, 200 },
	{ { "share", "PID", "PID" }, 16, 400 },
	{ { "huge", "self" }, 0, 200 },
	{ { "watch", "--looks", "2", "--interval", "0", "self" }, 64, 1200 },
};

static void print_curve(const struct test *t, bool good, const uint64_t pages[3],
			const struct heap found[3])
{
	printf("%s of the heap:", good ? "a good use" : "too much");
	for (int i = 0; t->words[i]; i++)
		printf(" %s", t->words[i]);
	printf(pages[0] < MANY ? ", VMAs" : ", pages");
	for (int i = 0; i < 3; i++)
		printf("%s %" PRIu64 ": %zu KiB in %zu calls", i ? "," : "",
		       pages[i], found[i].peak >> 10, found[i].calls);
	printf("\n");
}

static int measure_all(bool verbose)
{
	static const uint64_t many[] = { MANY, 2 * MANY, 4 * MANY };
	static const uint64_t few[] = { 7500, 15000, 30000 };
	static const uint64_t one[] = { 1, 1, 1 };
	const size_t nr = sizeof(tests) / sizeof(tests[0]);
	const uint64_t *pages, *vmas;
	struct heap found[3];
	int failed = 0;
	bool good;

	for (size_t i = 0; i < 2 * nr; i++) {
		pages = i % 2 ? few : many;
		vmas = i % 2 ? few : one;
		for (int j = 0; j < 3; j++)
			found[j] = measure(&tests[i / 2], pages[j], vmas[j]);
		good = is_good(&tests[i / 2], found, pages, vmas);
		failed |= !good;
		if (verbose || !good)
			print_curve(&tests[i / 2], good, pages, found);
	}
	return failed;
}

int main(int argc, char **argv)
{
	out_begin();
	if (argc < 4)
		return measure_all(argc > 1);
	nr_pages = strtoull(argv[2], NULL, 0);
	nr_vmas = strtoull(argv[3], NULL, 0);
	if (getenv("INTERRUPT"))
		interrupt_at = strtoul(getenv("INTERRUPT"), NULL, 0);
	if (getenv("ERROR"))
		error_at = strtoul(getenv("ERROR"), NULL, 0);
	argv[3] = argv[1];
	return run(argc - 3, argv + 3);
}
