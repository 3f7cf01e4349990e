// SPDX-License-Identifier: GPL-2.0
/*
 * stress [-s SEED] [-t SECONDS]
 *
 * Runs many instances of the command on processes whose memory changes in every
 * possible way, while the kernel also moves and reclaims their pages. Whatever
 * changes, no page may be called a mismatch, nor break a law. Meanwhile, claims
 * and recordings of a process that doesn't change are made wrong by a page and a
 * bit, entries of one that does break a law, and each must be reported. Prints
 * what was done, and exits with 1 if anything was wrong. The seed gives the same
 * choices, but not the same timing.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "build_driver.h"
#include "build_swap.h"
#include "command.h"
#include "mapping.h"
#include "mutate.h"
#include "stress_held.h"
#include "system.h"
#include "watcher.h"
#include "workers.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CHANGING	4	/* processes */
#define ASKING		4
#define STILL_PAGES	64
#define LOOKS		100	/* of watch at a process, before it goes on to another */
#define LOST_PAGES	4

enum kind { CHECK, CHECK_ALL, LINT, DUMP, TRANSLATE, FRAME, SHARE, RSS, KERNEL, NR_KINDS };

static const char *const kind_name[NR_KINDS] = {
	"check", "check --all", "check --lint", "dump", "translate", "frame", "share", "rss",
	"kernel --check",
};

/* How often, of as many as all of them have. */
static const unsigned char weight[NR_KINDS] = { 6, 1, 2, 2, 2, 1, 1, 2, 2 };

/**
 * struct figures - what all processes of this program have done
 * @changes: By mutator.
 * @asked: Requests by kind.
 * @gone: Those that could not be answered, for the process had gone.
 * @busy: Those whose pages never held still.
 * @number: Of the summaries of checks, as in summary_name.
 * @wrong: Requests that ended as none may.
 * @claims: Wrong claims that were made.
 * @claims_found: Those that were found to be wrong.
 * @recordings: Wrong recordings likewise.
 * @recordings_found: Likewise.
 * @looks: Of watch --laws, those in vain not counted.
 * @losses: Entries that broke a law while it watched, as a driver made them wrongly.
 * @losses_found: Likewise.
 * @lost: Where the last of them are.
 * @held: Of memory that a ring and a device hold.
 */
static struct figures {
	unsigned long changes[16];
	unsigned long asked[NR_KINDS], gone, busy, number[5], wrong;
	unsigned long claims, claims_found, recordings, recordings_found;
	unsigned long looks, losses, losses_found;
	u64 lost;
	struct held_figures held;
} *figures;

enum { PAGES, MATCH_, EXPLAINED, UNSTABLE_, MISMATCH_ };

static const char *const summary_name[] = {
	"\"pages\":", "\"match\":", "\"explained\":", "\"unstable\":", "\"mismatch\":",
};

static pid_t changing[CHANGING];
static int asker;
static bool has_kernel_tables;
static double end;

static void *change_forever(void *arg)
{
	u32 seed = *(u32 *)arg, nr;

	free(arg);
	for (;;) {
		nr = chance(&seed) % nr_mutators;
		mutators[nr].change(&seed);
		worker_count(&figures->changes[nr], 1);
	}
	return NULL;
}

/* Two threads, so that one faults where the other one unmaps. */
static void change(u32 *seed)
{
	pthread_t thread;
	u32 *other = malloc(sizeof(*other)), *own = malloc(sizeof(*own));

	if (!other || !own)
		_exit(1);
	/* Who asks shall not have to wait for long. */
	if (nice(5) < 0)
		_exit(1);
	*other = chance(seed);
	*own = chance(seed);
	if (pthread_create(&thread, NULL, change_forever, other))
		_exit(1);
	change_forever(own);
}

static void change_machine(u32 *seed)
{
	for (;;)
		mutate_machine(seed);
}

/* Prints what a request said: up to four findings, or else eight beginnings. */
static void complain(const char *what, const struct output *out)
{
	static const char mismatch[] = "\"verdict\":\"mismatch\"";
	const char *word = strstr(out->text, mismatch) ? mismatch : "";
	const size_t most = *word ? 1500 : 700;
	char text[8192];
	int n, lines = 0;

	worker_count(&figures->wrong, 1);
	n = snprintf(text, sizeof(text), "# wrong: %s: status %d\n", what, out->status);
	for (const char *line = out->text; *line && lines < (*word ? 4 : 8);) {
		size_t length = strcspn(line, "\n");

		if (memmem(line, length, word, strlen(word))) {
			n += snprintf(text + n, sizeof(text) - n, "#   %.*s\n",
				      (int)(length < most ? length : most), line);
			lines++;
		}
		line += length + (line[length] == '\n');
	}
	if (write(1, text, n) < 0)
		_exit(1);
}

static void take_summary(const struct output *out)
{
	const char *summary = strstr(out->text, "\"type\":\"summary\"");

	if (!summary)
		return;
	while (summary > out->text && summary[-1] != '\n')
		summary--;
	for (size_t i = 0; i < ARRAY_SIZE(summary_name); i++) {
		const char *at = strstr(summary, summary_name[i]);

		if (at)
			worker_count(&figures->number[i],
				     strtoul(at + strlen(summary_name[i]), NULL, 10));
	}
}

static enum kind some_kind(u32 *seed)
{
	u32 all = 0, n;
	int i;

	for (i = 0; i < NR_KINDS; i++)
		all += weight[i];
	n = chance(seed) % all;
	for (i = 0; n >= weight[i]; i++)
		n -= weight[i];
	return i;
}

/* An address in some VMA of the process. */
static u64 some_address(pid_t pid, u32 *seed)
{
	struct proc_vma vma;
	u64 addr = 0;
	int skip = chance(seed) % 40;

	while (!proc_vma(pid, addr, &vma) && vma.end && skip--)
		addr = vma.end;
	return addr ? addr - 4096 : 0x1000;
}

static void ask(u32 *seed)
{
	static struct output out;
	char pid[16], other[16], where[32];
	/* Each kind once, by some process, before any is left to chance. */
	int nr = 0;
	enum kind kind;
	pid_t target;

	while (seconds_now() < end) {
		kind = nr < 3 ? (3 * asker + nr) % NR_KINDS : some_kind(seed);
		nr++;
		if ((kind == FRAME && !kernel_since(6, 2)) ||
		    (kind == KERNEL && !has_kernel_tables))
			continue;
		target = changing[chance(seed) % CHANGING];
		snprintf(pid, sizeof(pid), "%d", target);
		snprintf(other, sizeof(other), "%d", changing[chance(seed) % CHANGING]);
		switch (kind) {
		case CHECK:
			run(&out, "ptwalk", "check", "--known-bugs", "--json",
			    without_crash(), pid);
			break;
		case CHECK_ALL:
			run(&out, "ptwalk", "check", "--known-bugs", "--json",
			    without_crash(), "--all");
			break;
		case LINT:
			run(&out, "ptwalk", "check", "--lint", "--json", pid);
			break;
		case DUMP:
			run(&out, "ptwalk", "dump", pid);
			break;
		case TRANSLATE:
			snprintf(where, sizeof(where), "%#llx", some_address(target, seed));
			run(&out, "ptwalk", "translate", "-v", pid, where);
			break;
		case FRAME:
			snprintf(where, sizeof(where), "%#x", chance(seed) % 0x180000);
			run(&out, "ptwalk", "frame", where);
			break;
		case SHARE:
			run(&out, "ptwalk", "share", pid, strcmp(pid, other) ? other : "self");
			break;
		case KERNEL:
			run(&out, "ptwalk", "kernel", "--check", "--lint", "--known-bugs",
			    "--json");
			break;
		default:
			run(&out, "ptwalk", "rss", "--known-bugs", pid);
			break;
		}
		worker_count(&figures->asked[kind], 1);
		if (kind == CHECK || kind == CHECK_ALL)
			take_summary(&out);
		if (out.status == UNCHECKED)
			worker_count(&figures->gone, 1);
		else if (out.status == UNSTABLE)
			worker_count(&figures->busy, 1);
		else if (out.status != MATCH)
			complain(kind_name[kind], &out);
	}
}

static u64 page_size;

/**
 * struct still - memory of this process that nobody changes
 * @at: Where.
 * @addr: The address of each page.
 * @page: What ptwalk says of each.
 */
static struct still {
	char *at;
	u64 addr[STILL_PAGES];
	struct ptw_page page[STILL_PAGES], after[STILL_PAGES];
} still;

static bool where_it_was(struct ptw *ptw)
{
	if (ptw_translate(ptw, getpid(), still.addr, STILL_PAGES, still.after))
		return false;
	for (int i = 0; i < STILL_PAGES; i++)
		if (still.page[i].t.value != still.after[i].t.value)
			return false;
	return true;
}

/* Claims of all pages, the one of @index off by a page; -1 for none. */
static bool write_claims(const char *path, int index)
{
	FILE *f = fopen(path, "we");

	for (int i = 0; f && i < STILL_PAGES; i++)
		fprintf(f, "%llx %llx\n", still.addr[i],
			(still.page[i].t.value + (i == index)) * page_size);
	return f && !fclose(f);
}

/*
 * The kernel may move the pages meanwhile: then nothing is known, and nothing
 * counted.
 */
static void plant_claim(struct ptw *ptw, u32 *seed)
{
	static struct output good, bad;
	char path[] = "/tmp/claims.XXXXXX", pid[16];
	int fd = mkstemp(path);

	if (fd >= 0)
		close(fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (ptw_translate(ptw, getpid(), still.addr, STILL_PAGES, still.page))
		return;
	if (!write_claims(path, -1))
		return;
	run(&good, "ptwalk", "check", "--partial", "--claims", path, pid);
	if (!write_claims(path, chance(seed) % STILL_PAGES))
		return;
	run(&bad, "ptwalk", "check", "--partial", "--claims", path, pid);
	unlink(path);
	if (!where_it_was(ptw))
		return;
	worker_count(&figures->claims, 1);
	if (good.status != MATCH)
		complain("right claims", &good);
	if (bad.status == MISMATCH && strstr(bad.text, " 1 mismatch"))
		worker_count(&figures->claims_found, 1);
	else
		complain("a wrong claim", &bad);
}

/* Turns the lowest bit of the frame that pagemap showed, on one line. */
static bool spoil(const char *path)
{
	FILE *f = fopen(path, "r+e");
	char line[512], source[64], seen[32];
	long at = 0;
	bool done = false;

	while (f && !done && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %*s %*s %*s %*s %*s %*s %31s match", source, seen) == 2 &&
		    !strcmp(source, "pagemap") && strlen(seen) == 16 && seen[0] >= '8') {
			char *digit = strrchr(line, ' ') - 1;

			fseek(f, at + (digit - line), SEEK_SET);
			fputc(*digit == '0' ? '1' : '0', f);
			done = true;
		}
		at = ftell(f);
	}
	return f && !fclose(f) && done;
}

static void plant_recording(void)
{
	static struct output record, good, bad;
	char path[] = "/tmp/recording.XXXXXX", pid[16], range[64];
	int fd = mkstemp(path);

	if (fd >= 0)
		close(fd);
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%#llx+%#llx", still.addr[0], STILL_PAGES * page_size);
	run(&record, "ptwalk", "check", "--known-bugs", "--record", path, pid, range);
	run(&good, "ptwalk", "check", "--known-bugs", "--replay", path);
	if (record.status == MATCH) {
		if (good.status != MATCH)
			complain("a right recording", &good);
		if (spoil(path)) {
			run(&bad, "ptwalk", "check", "--known-bugs", "--replay", path);
			worker_count(&figures->recordings, 1);
			if (bad.status == MISMATCH)
				worker_count(&figures->recordings_found, 1);
			else
				complain("a wrong recording", &bad);
		}
	} else if (record.status != UNSTABLE) {
		complain("recording", &record);
	}
	unlink(path);
}

#define BROKEN	"\"type\":\"broken\""

/* A look that isn't in vain; NULL if the watch has ended. */
static const char *look(struct watcher *w)
{
	const char *text;

	do {
		text = watcher_look(w, BROKEN);
	} while (text && w->busy);
	if (text)
		worker_count(&figures->looks, 1);
	return text;
}

/* Looks at one changing process after the other, all the time. */
static void keep_watching(u32 *seed)
{
	static struct watcher w;
	static struct output out;
	const char *text;
	char pid[16];

	for (int nr = chance(seed) % CHANGING; seconds_now() < end; nr++) {
		snprintf(pid, sizeof(pid), "%d", changing[nr % CHANGING]);
		if (!watcher_start(&w, (const char *[]){ "--laws", pid, NULL }))
			_exit(1);
		for (int i = 0; i < LOOKS && seconds_now() < end; i++) {
			text = look(&w);
			if (!text || *text)
				break;
			usleep(50000);
		}
		snprintf(out.text, sizeof(out.text), "%s", w.text);
		out.status = watcher_end(&w);
		if (out.status != MATCH)
			complain("watch --laws", &out);
	}
}

/**
 * struct loser - a process that changes, and gets entries that break a law
 * @m: The driver's device.
 * @region: What is mapped of it.
 * @seed: For its changes.
 */
struct loser {
	struct mapping m;
	struct driver_region region;
	u32 seed;
};

static void lose(void *arg, int nr)
{
	struct loser *loser = arg;
	pthread_t thread;
	u32 *seed;

	if (nr) {
		figures->lost = (uintptr_t)mmap(NULL, LOST_PAGES * page_size, PROT_READ,
						MAP_SHARED, loser->m.fd,
						loser->region.offset);
		return;
	}
	seed = malloc(sizeof(*seed));
	if (!seed)
		_exit(1);
	*seed = loser->seed;
	if (nice(5) < 0 || pthread_create(&thread, NULL, change_forever, seed))
		_exit(1);
}

/* What is lost between two looks is told by the second. */
static void plant_loss(struct loser *loser, u32 *seed)
{
	static struct output out;
	static struct watcher w;
	char pid[16], told[64] = "";
	const char *before, *after = NULL;
	struct target target;

	loser->seed = chance(seed);
	if (target_start(&target, lose, loser))
		_exit(1);
	snprintf(pid, sizeof(pid), "%d", target.pid);
	if (!watcher_start(&w, (const char *[]){ "--laws", pid, NULL }))
		_exit(1);
	before = look(&w);
	if (before && !*before && !target_step(&target)) {
		snprintf(told, sizeof(told), "\"start\":\"%#llx\"", figures->lost);
		after = look(&w);
		worker_count(&figures->losses, 1);
	}
	snprintf(out.text, sizeof(out.text), "%s", w.text);
	target_end(&target);
	out.status = watcher_end(&w);
	if (after && strstr(after, told) && strstr(after, "\"rule\":\"more-than-vma\"") &&
	    out.status == MISMATCH)
		worker_count(&figures->losses_found, 1);
	else
		complain("a loss beside watch", &out);
}

static void plant(u32 *seed)
{
	size_t size = STILL_PAGES * page_size;
	static struct loser loser = { .m.fd = -1 };
	bool can_lose;
	struct ptw ptw;

	still.at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (still.at == MAP_FAILED || ptw_open(&ptw))
		_exit(1);
	madvise(still.at, size, MADV_NOHUGEPAGE);
	mlock(still.at, size);
	for (int i = 0; i < STILL_PAGES; i++) {
		*(int *)(still.at + i * page_size) = i + 1;
		still.addr[i] = (uintptr_t)still.at + i * page_size;
	}
	loser.m.page_size = page_size;
	can_lose = !ptw_info(&ptw, &loser.m.info) &&
		   build_driver_open(&loser.m, "wrong-writable", &loser.region);
	if (!can_lose)
		printf("# no loss is planted: %s\n",
		       loser.m.lacks[0] ? loser.m.lacks : loser.m.broken);
	/* Once at least, however slow the machine is. */
	do {
		plant_claim(&ptw, seed);
		plant_recording();
		if (can_lose)
			plant_loss(&loser, seed);
	} while (seconds_now() < end);
}

static void hold(u32 *seed)
{
	keep_held(&figures->held, end, complain, seed);
}

/*
 * Kernel threads that give way to everybody: where all processors are busy, a
 * lock that one of them holds would be held for minutes.
 */
static void hurry_kernel_threads(void)
{
	char path[32], name[32];

	for (int pid = 2; pid < getpid(); pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (!proc_read(path, name, sizeof(name)) &&
		    (!strcmp(name, "khugepaged\n") || !strcmp(name, "ksmd\n")))
			setpriority(PRIO_PROCESS, pid, 0);
	}
}

/* What makes the kernel change things, where it can. */
static void stir_up(void)
{
	static const char *const settings[][2] = {
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "always" },
		{ "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", "10" },
		{ "/sys/kernel/mm/ksm/run", "1" },
		{ "/sys/kernel/mm/ksm/sleep_millisecs", "5" },
		{ "/proc/sys/kernel/numa_balancing", "1" },
		{ "/proc/sys/vm/nr_hugepages", "16" },
	};
	struct mapping m = { .page_size = page_size, .fd = -1 };

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		proc_write(settings[i][0], settings[i][1]);
	has_kernel_tables = !module_load("ptwalk_kernel") &&
			    !proc_write("/proc/sys/kernel/kptr_restrict", "1");
	hurry_kernel_threads();
	if (!swap_on(&m))
		printf("# no swap: %s\n", m.lacks[0] ? m.lacks : m.broken);
}

static int tell(u32 seed, long seconds, unsigned int unplugged)
{
	const struct held_figures *held = &figures->held;
	bool good = !figures->wrong && !figures->number[MISMATCH_] &&
		    figures->number[PAGES] && figures->claims && figures->recordings &&
		    figures->looks && figures->claims == figures->claims_found &&
		    figures->losses == figures->losses_found &&
		    held->replaced == held->replaced_found &&
		    figures->recordings == figures->recordings_found;

	printf("seed %u, %ld seconds\nchanges:", seed, seconds);
	for (size_t i = 0; i < nr_mutators; i++)
		printf(" %lu %s%s", figures->changes[i], mutators[i].name,
		       i < nr_mutators - 1 ? "," : "\nrequests:");
	for (int i = 0; i < NR_KINDS; i++)
		printf(" %lu %s%s", figures->asked[i], kind_name[i],
		       i < NR_KINDS - 1 ? "," : "\n");
	printf("%u devices with memory unplugged\n", unplugged);
	printf("%lu of them of processes that went, %lu with pages that never held still, %lu wrong\n",
	       figures->gone, figures->busy + held->busy, figures->wrong);
	printf("%lu pages compared, %lu match, %lu explained, %lu unstable, %lu mismatch\n",
	       figures->number[PAGES], figures->number[MATCH_], figures->number[EXPLAINED],
	       figures->number[UNSTABLE_], figures->number[MISMATCH_]);
	printf("%lu looks of watch --laws\n", figures->looks);
	printf("held memory that is right: %lu looks of pins at a process's, %lu at a device's, %lu of check --lint, %lu for orphans; %lu pages replaced, %lu told\n",
	       held->pins, held->device, held->lints, held->orphans, held->replaced,
	       held->replaced_found);
	printf("planted: %lu wrong claims, %lu found; %lu wrong recordings, %lu found; %lu losses beside watch, %lu told at once\n",
	       figures->claims, figures->claims_found, figures->recordings,
	       figures->recordings_found, figures->losses, figures->losses_found);
	printf("stress: %s\n", good ? "passed" : "failed");
	return !good;
}

int main(int argc, char **argv)
{
	pid_t asking[ASKING + 3], machine;
	u32 seed = time(NULL), next;
	int opt, i, seconds = 60;
	unsigned int plugged;
	struct ptw_info info;
	struct ptw ptw;
	double begin;
	bool ended;

	while ((opt = getopt(argc, argv, "s:t:")) != -1) {
		if (opt == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (opt == 't')
			seconds = atoi(optarg);
		else
			return 2;
	}
	if (!ptwalk_command() || ptw_open(&ptw) || ptw_info(&ptw, &info)) {
		fprintf(stderr, "stress: the module or the command is missing\n");
		return 3;
	}
	ptw_close(&ptw);
	seed = seed ? seed : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %u, %d seconds\n", seed, seconds);
	page_size = (u64)1 << info.page_shift;
	mutate_setup(&info);
	figures = mmap(NULL, sizeof(*figures), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (figures == MAP_FAILED)
		return 3;
	stir_up();
	plugged = memory_devices();
	begin = seconds_now();
	end = begin + seconds;
	next = seed;
	for (i = 0; i < CHANGING; i++)
		changing[i] = worker_start(change, chance(&next));
	machine = worker_start(change_machine, chance(&next));
	for (asker = 0; asker < ASKING; asker++)
		asking[asker] = worker_start(ask, chance(&next));
	asking[ASKING] = worker_start(plant, chance(&next));
	asking[ASKING + 1] = worker_start(keep_watching, chance(&next));
	asking[ASKING + 2] = worker_start(hold, chance(&next));
	ended = true;
	for (i = 0; i < ASKING + 3; i++)
		ended &= worker_ends(asking[i], end, "a request");
	for (i = 0; i < CHANGING; i++) {
		int status;

		if (waitpid(changing[i], &status, WNOHANG)) {
			printf("# wrong: a process whose memory changes has died of %d\n",
			       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
			ended = false;
			continue;
		}
		process_end(changing[i]);
	}
	process_end(machine);
	i = tell(seed, seconds_now() - begin, plugged - memory_devices());
	return ended ? i : 1;
}
