// SPDX-License-Identifier: GPL-2.0
/* The metrics of a check, and how their file comes into place. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "base/exit_status.h"
#include "base/replace.h"
#include "check/check.h"
#include "check/rules.h"
#include "module/client.h"
#include "report/prometheus.h"
#include "tests.h"

#define FILE_NAME	"metrics.prom"

static char folder[] = "/tmp/ptwalk-test-XXXXXX", path[64];
static char text[256 * 1024];
static struct ptwalk_kernel kernel;
static struct env env;
static struct report_source asked[3];
static struct report_summary sum;

static void clean(int status)
{
	kernel = test_kernel(6, 12);
	strcpy(kernel.release, "6.12.0-1-amd64");
	env.kernel = &kernel;
	memset(asked, 0, sizeof(asked));
	asked[0] = (struct report_source){ .name = "pagemap", .used = true,
					   .compared = 7 };
	asked[1] = (struct report_source){ .name = "smaps", .used = true };
	asked[2] = (struct report_source){ .name = "pagemap-scan", .why = "Linux < 6.7" };
	sum = (struct report_summary){
		.processes.checked = 3, .sources = asked, .nr_sources = 3,
		.kernel = &kernel, .status = status,
		.counts.verdict = { [VERDICT_MATCH] = 7 },
	};
	render_prometheus.begin(false, 0);
}

/* Longer than any number of what is counted, and later than any time until 2038. */
#define PID		2147483647
#define PID_TEXT	"2147483647"

static void find(const struct source *source, uint64_t rules, uint64_t pages,
		 enum verdict verdict)
{
	render_prometheus.finding(&(struct report_finding){
		.pid = PID, .comm = "a", .verdict = verdict, .rules = rules,
		.truth = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 1, NULL),
		.pages = pages, .source = source, .env = &env,
	});
}

static void find_sum(const char *examination, struct remark remark)
{
	render_prometheus.finding(&(struct report_finding){
		.pid = PID, .comm = "a", .verdict = remark.verdict,
		.examination = examination, .remark = &remark, .env = &env,
	});
}

static void checked(enum verdict verdict, const char *note)
{
	struct report_counts counts = { .of_claims = false };

	counts.verdict[verdict] = 1;
	render_prometheus.process(PID, "a", &counts, note);
}

/* What is in the file, after the summary. */
static const char *metrics(void)
{
	FILE *file;

	render_prometheus.summary(&sum);
	assert_int_equal(prometheus_save(path), 0);
	file = fopen(path, "re");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* A line of its own. */
static void assert_line(const char *line)
{
	size_t length = strlen(line);
	const char *p = text;

	while ((p = strstr(p, line)) && (p[-1] != '\n' || p[length] != '\n'))
		p++;
	if (!p)
		fail_msg("no line %s in:\n%s", line, text);
}

static bool is_like(const char *pattern, const char *line)
{
	regex_t regex;
	bool like;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	like = !regexec(&regex, line, 0, NULL, 0);
	regfree(&regex);
	return like;
}

#define LABELS	"\\{([a-z_]+=\"([^\"\\]|\\\\[\"\\n])*\",?)+\\}"

/*
 * As the text format has it, and promtool check metrics: a family's HELP, TYPE
 * and samples follow one another; no sample twice; gauges without _total; and
 * nothing that varies from process to process.
 */
static void assert_format(void)
{
	char *copy = strdup(text), *rest = copy, *line, *line2, *again;
	char family[64] = "", pattern[256];

	assert_int_equal(text[strlen(text) - 1], '\n');
	while ((line = strsep(&rest, "\n")) && *line) {
		if (!strncmp(line, "# HELP ", 7)) {
			assert_int_equal(sscanf(line, "# HELP %63s", family), 1);
			assert_true(is_like("^ptwalk_check_[a-z_]+$", family));
			assert_false(is_like("_(total|count|sum|bucket|gauge)$", family));
			line2 = strsep(&rest, "\n");
			snprintf(pattern, sizeof(pattern), "# TYPE %s gauge", family);
			assert_string_equal(line2, pattern);
			continue;
		}
		snprintf(pattern, sizeof(pattern), "^%s(" LABELS ")? [0-9.e+-]+$", family);
		if (!is_like(pattern, line))
			fail_msg("not of %s: %s", family, line);
		assert_true(asprintf(&again, "\n%.*s ",
				     (int)(strrchr(line, ' ') - line), line) > 0);
		line2 = strstr(text, again) + 1;
		assert_null(strstr(line2, again));
		free(again);
	}
	assert_null(rest ? strsep(&rest, "\n") : NULL);
	assert_null(strstr(text, PID_TEXT));
	assert_null(strstr(text, "0x"));
	free(copy);
}

static void values(void **state)
{
	clean(EXIT_MISMATCH);
	find(&test_pagemap, 0, 5, VERDICT_MISMATCH);
	find(&test_pagemap, 0, 2, VERDICT_MISMATCH);
	find(&test_pagemap, 0, 3, VERDICT_EXPLAINED);
	find_sum("smaps", (struct remark){ .verdict = VERDICT_MISMATCH, .field = "Rss",
		 .function = "smaps_account(), fs/proc/task_mmu.c" });
	checked(VERDICT_MISMATCH, NULL);
	checked(VERDICT_MATCH, NULL);
	checked(VERDICT_UNSTABLE, NULL);
	checked(VERDICT_MATCH, "busy");
	sum.processes.unchecked = 1;
	metrics();
	assert_format();
	assert_line("ptwalk_check_up 1");
	assert_line("ptwalk_check_partial 0");
	assert_line("ptwalk_check_exit_status 1");
	assert_line("ptwalk_check_processes{result=\"ok\"} 1");
	assert_line("ptwalk_check_processes{result=\"mismatch\"} 1");
	assert_line("ptwalk_check_processes{result=\"unstable\"} 1");
	assert_line("ptwalk_check_processes_not_checked{reason=\"busy\"} 1");
	assert_line("ptwalk_check_processes_not_checked{reason=\"other\"} 0");
	assert_line("ptwalk_check_pages{verdict=\"match\"} 7");
	assert_line("ptwalk_check_interface_used{source=\"pagemap-scan\"} 0");
	assert_line("ptwalk_check_interface_compared{source=\"pagemap\"} 7");
	assert_line("ptwalk_check_interface_differences{source=\"pagemap\",verdict=\"mismatch\"} 7");
	assert_line("ptwalk_check_interface_differences{source=\"pagemap\",verdict=\"explained\"} 3");
	assert_line("ptwalk_check_interface_differences{source=\"pagemap-scan\",verdict=\"mismatch\"} 0");
	assert_line("ptwalk_check_mismatches{source=\"pagemap\",field=\"present\",function=\"\",rule=\"\"} 7");
	assert_line("ptwalk_check_mismatches{source=\"smaps\",field=\"Rss\",function=\"smaps_account(), fs/proc/task_mmu.c\",rule=\"\"} 1");
	/* All is new with the next run. */
	clean(EXIT_MATCH);
	metrics();
	assert_format();
	assert_null(strstr(text, "verdict=\"mismatch\"} 7"));
	assert_line("ptwalk_check_processes{result=\"ok\"} 3");
}

static void bugs(void **state)
{
	char line[128];
	unsigned int bug = 0;

	while (!rules[bug].bug)
		bug++;
	clean(EXIT_MISMATCH);
	find(&test_pagemap, 1ULL << bug, 2, VERDICT_EXPLAINED);
	find(&test_pagemap, 1ULL << bug, 2, VERDICT_MISMATCH);
	find_sum("smaps", (struct remark){ .verdict = VERDICT_MISMATCH, .field = "Pss",
		 .rule = "thp-prot-none-bug" });
	find_sum("lint", (struct remark){ .verdict = VERDICT_MISMATCH,
		 .rule = "past-resource" });
	metrics();
	assert_format();
	snprintf(line, sizeof(line), "ptwalk_check_known_bugs{bug=\"%s\"} 4",
		 rules[bug].name);
	assert_line(line);
	assert_line("ptwalk_check_known_bugs{bug=\"thp-prot-none-bug\"} 1");
	assert_null(strstr(text, "known_bugs{bug=\"past-resource"));
	assert_line("ptwalk_check_mismatches{source=\"lint\",field=\"\",function=\"\",rule=\"past-resource\"} 1");
}

/* Of those that weren't reported, the reason is that of the run. */
static void partial(void **state)
{
	clean(EXIT_UNCHECKED);
	checked(VERDICT_MATCH, CHECK_OUT_OF_TIME);
	checked(VERDICT_MISMATCH, CLIENT_WENT_AWAY);
	sum.processes.unchecked = 5;
	sum.partial = "budget";
	metrics();
	assert_format();
	assert_line("ptwalk_check_partial 1");
	assert_line("ptwalk_check_processes_not_checked{reason=\"budget\"} 4");
	assert_line("ptwalk_check_processes_not_checked{reason=\"went_away\"} 1");
	assert_line("ptwalk_check_processes{result=\"mismatch\"} 1");
	assert_line("ptwalk_check_processes{result=\"ok\"} 3");
	clean(EXIT_UNCHECKED);
	checked(VERDICT_MATCH, CHECK_INTERRUPTED);
	sum.processes.unchecked = 2;
	sum.partial = "signal";
	metrics();
	assert_line("ptwalk_check_processes_not_checked{reason=\"signal\"} 2");
	/* Nothing could be checked at all. */
	clean(EXIT_UNCHECKED);
	sum.processes.checked = sum.nr_sources = 0;
	metrics();
	assert_format();
	assert_line("ptwalk_check_up 0");
	assert_line("ptwalk_check_exit_status 3");
}

/* However much is found, there are so many series. */
static void bounded(void **state)
{
	static char names[1000][16];
	unsigned int lines = 0;

	clean(EXIT_MISMATCH);
	for (int i = 0; i < 1000; i++) {
		snprintf(names[i], sizeof(names[i]), "F%d", i);
		find_sum(names[i], (struct remark){ .verdict = VERDICT_MISMATCH,
			 .field = names[i] });
	}
	metrics();
	assert_format();
	for (const char *p = text; (p = strstr(p, "check_mismatches{")); p++)
		lines++;
	assert_int_equal(lines, 256);
	assert_line("ptwalk_check_mismatches{source=\"other\",field=\"\",function=\"\",rule=\"\"} 745");
}

static void odd_release(void **state)
{
	clean(EXIT_MATCH);
	strcpy(kernel.release, "6\"\\\n\xff\xc3\xa9");
	metrics();
	assert_format();
	assert_non_null(strstr(text, "{kernel=\"6\\\"\\\\\\\\012\\\\377\xc3\xa9\","));
}

static void both_are_told(void **state)
{
	static struct renderer one;
	const struct renderer *both;

	one = render_prometheus;
	one.name = "one";
	both = prometheus_beside(&one);
	assert_string_equal(both->name, "one");
	clean(EXIT_MATCH);
	both->begin(false, 1);
	both->process(1, "a", &sum.counts, "busy");
	metrics();
	/* Once by each, here the same one. */
	assert_line("ptwalk_check_processes_not_checked{reason=\"busy\"} 2");
}

static unsigned int files(void)
{
	DIR *dir = opendir(folder);
	unsigned int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2;
}

static void assert_content(const char *expected)
{
	char buf[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	assert_int_equal(n, strlen(expected));
	buf[n] = '\0';
	assert_string_equal(buf, expected);
}

/* Others may read it; and what can't be written leaves all as it was. */
static void replaces(void **state)
{
	struct rlimit limit, small;
	struct stat st;
	char gone[96];
	mode_t mask = umask(022);
	int reader;

	assert_int_equal(replace_try(path), 0);
	assert_int_equal(replace_file(path, "first\n", 6), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	umask(mask);
	assert_content("first\n");
	assert_int_equal(replace_file(path, "other\n", 6), 0);
	assert_content("other\n");
	assert_int_equal(files(), 1);

	/* As on a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(replace_file(path, "third\n", 6), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_non_null(strstr(error_text(), path));
	assert_content("other\n");
	assert_int_equal(files(), 1);

	snprintf(gone, sizeof(gone), "%s/none/x", folder);
	assert_int_equal(replace_try(gone), -ENOENT);
	assert_int_equal(replace_file(gone, "x", 1), -ENOENT);
	assert_int_equal(replace_try("/dev/null"), -EINVAL);
	assert_int_equal(replace_try(folder), -EINVAL);
	/* A link would be replaced, not what it leads to. */
	snprintf(gone, sizeof(gone), "%s/link", folder);
	assert_int_equal(symlink(path, gone), 0);
	assert_int_equal(replace_try(gone), -EINVAL);
	unlink(gone);
	/* What is written to as it is keeps its mode. */
	assert_int_equal(mkfifo(gone, 0600), 0);
	reader = open(gone, O_RDWR | O_CLOEXEC);
	assert_int_equal(replace_file(gone, "x", 1), 0);
	assert_int_equal(stat(gone, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(reader);
	unlink(gone);
}

static void finish(FILE *stream, void *arg)
{
	fputs(arg, stream);
}

/* What a command writes is nobody else's to read, however it ends. */
static void writes_beside(void **state)
{
	mode_t mask = umask(0);
	char other[96], word[] = " end\n";
	struct stat st;
	FILE *stream;
	int status;
	pid_t pid;

	unlink(path);
	assert_int_equal(replace_begin(path, NULL, NULL, &stream), 0);
	fputs("first\n", stream);
	/* Nothing is there before it is whole. */
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(replace_end(stream), 0);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_content("first\n");

	/* What was there stays if nothing comes, or what comes is given up. */
	assert_int_equal(replace_begin(path, NULL, NULL, &stream), 0);
	assert_int_equal(replace_end(stream), 0);
	assert_content("first\n");
	assert_int_equal(replace_begin(path, NULL, NULL, &stream), 0);
	fputs("other\n", stream);
	replace_drop(stream);
	assert_content("first\n");
	assert_int_equal(files(), 1);

	/* The program exits before the end. */
	for (int i = 0; i < 2; i++) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			replace_begin(path, i ? finish : NULL, word, &stream);
			fputs("last", stream);
			exit(0);
		}
		waitpid(pid, NULL, 0);
		assert_content(i ? "last end\n" : "first\n");
		assert_int_equal(files(), 1);
	}

	/* What can't be put in its place then is told by the exit status. */
	pid = fork();
	if (!pid) {
		const struct rlimit none = { 0 };

		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		signal(SIGXFSZ, SIG_IGN);
		replace_begin(path, finish, word, &stream);
		setrlimit(RLIMIT_FSIZE, &none);
		exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_UNCHECKED);
	assert_content("last end\n");
	assert_int_equal(files(), 1);

	/* Through a link nothing is written; a pipe of our own is written to. */
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(replace_begin(other, NULL, NULL, &stream), -ELOOP);
	assert_content("last end\n");
	unlink(other);
	assert_int_equal(replace_begin("/dev/full", NULL, NULL, &stream), 0);
	fputs("last", stream);
	assert_int_equal(replace_end(stream), -ENOSPC);
	assert_non_null(strstr(error_text(), "/dev/full"));
	assert_int_equal(mkfifo(other, 0600), 0);
	pid = fork();
	if (!pid) {
		stream = fopen(other, "r");
		_exit(fgetc(stream) != 'x');
	}
	assert_int_equal(replace_begin(other, NULL, NULL, &stream), 0);
	fputc('x', stream);
	assert_int_equal(replace_end(stream), 0);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	unlink(other);
}

/* Raised by mkostemp() as soon as the file is there, unless 0. */
static int raised;

/* Instead of libc's. */
int mkostemp(char *template, int flags)
{
	int fd;

	snprintf(template + strlen(template) - 6, 7, "%06u", (unsigned int)getpid() % 1000000);
	fd = open(template, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
	if (raised)
		raise(raised);
	return fd;
}

static void on_signal(int sig)
{
	replace_drop_all();
	_exit(files());
}

/* A signal that comes just then leaves nothing behind. */
static void leaves_nothing(void **state)
{
	FILE *stream;
	int status;

	for (int i = 0; i < 2; i++) {
		pid_t pid;

		fflush(NULL);
		pid = fork();
		if (!pid) {
			signal(SIGTERM, on_signal);
			raised = SIGTERM;
			if (i)
				replace_try(path);
			else
				replace_begin(path, NULL, NULL, &stream);
			_exit(99);
		}
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

/* What the shell has opened is written to as it is, and nothing of ours. */
static void writes_to_what_is_given(void **state)
{
	char name[32], other[96], got[16] = "";
	int pipes[2];
	FILE *stream;

	assert_int_equal(pipe(pipes), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", pipes[1]);
	assert_int_equal(replace_begin(name, NULL, NULL, &stream), 0);
	fputs("last", stream);
	assert_int_equal(replace_end(stream), 0);
	assert_int_equal(read(pipes[0], got, sizeof(got)), 4);
	assert_string_equal(got, "last");
	assert_int_equal(fcntl(pipes[1], F_SETFD, FD_CLOEXEC), 0);
	assert_int_equal(replace_begin(name, NULL, NULL, &stream), -ELOOP);
	assert_int_equal(replace_begin("/dev/fd/1x", NULL, NULL, &stream), -ENOENT);
	assert_int_equal(replace_begin("/dev/fd/", NULL, NULL, &stream), -EISDIR);
	close(pipes[0]);
	close(pipes[1]);

	/* A stranger's pipe isn't opened, which would wait for the stranger. */
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(mkfifo(other, 0666), 0);
	if (!geteuid() && !chown(other, 65534, -1)) {
		alarm(60);
		assert_int_equal(replace_begin(other, NULL, NULL, &stream), -EPERM);
		alarm(0);
	}
	unlink(other);
}

static void ends_by_budget(void **state)
{
	static volatile sig_atomic_t stop;
	struct check check = { .stop = NULL };

	assert_int_equal(check_stopped(&check), 0);
	check.stop = &stop;
	assert_int_equal(check_stopped(&check), 0);
	stop = SIGALRM;
	assert_int_equal(check_stopped(&check), -EINTR);
	assert_string_equal(error_text(), CHECK_OUT_OF_TIME);
	stop = SIGINT;
	assert_int_equal(check_stopped(&check), -EINTR);
	assert_string_equal(error_text(), CHECK_INTERRUPTED);
}

static int make_folder(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/" FILE_NAME, folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(path);
	return rmdir(folder);
}

#define TEST(test)	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

SUITE(suite_prometheus, TEST(values), TEST(bugs), TEST(partial), TEST(bounded),
      TEST(odd_release), TEST(both_are_told), TEST(replaces), TEST(writes_beside),
      TEST(leaves_nothing), TEST(writes_to_what_is_given), TEST(ends_by_budget));
