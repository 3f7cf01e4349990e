// SPDX-License-Identifier: GPL-2.0
/* Errors: what is returned, printed, and becomes of it as an exit status. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "base/exit_status.h"
#include "base/print.h"
#include "check/events.h"
#include "cmd/interrupt.h"
#include "module/client.h"
#include "proc/maps.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "tests.h"

/* More than any kernel gives. */
#define NOBODY	((pid_t)0x7ffffff0)

static void statuses(void **state)
{
	assert_int_equal(error_status(0), 0);
	assert_int_equal(error_status(EXIT_UNSTABLE), EXIT_UNSTABLE);
	assert_int_equal(error_usage("word '%s'", "x"), -EINVAL);
	assert_int_equal(error_status(-EINVAL), EXIT_USAGE);
	assert_string_equal(error_text(), "word 'x'");
	assert_true(error_is_usage(-EINVAL));
	assert_false(error_is_usage(-EIO));
	assert_false(error_is_usage(0));
	/* What a kernel calls invalid is no fault of the command line. */
	assert_int_equal(error_set(-EINVAL, "file %d", 1), -EINVAL);
	assert_int_equal(error_status(-EINVAL), EXIT_UNCHECKED);
	assert_string_equal(error_text(), "file 1");
	assert_false(error_is_usage(-EINVAL));
	assert_int_equal(error_no_memory(), -ENOMEM);
	assert_int_equal(error_status(-ENOMEM), EXIT_UNCHECKED);
	assert_string_equal(error_text(), "out of memory");
}

/* Those who read leave it to their callers to print. */
static void readers(void **state)
{
	struct maps maps = { 0 };
	struct pids pids = { 0 };
	pid_t pid;

	assert_int_equal(maps_read(NOBODY, &maps), -ESRCH);
	assert_string_equal(error_text(),
			    "process 2147483632: " CLIENT_WENT_AWAY);
	assert_int_equal(error_status(-ESRCH), EXIT_UNCHECKED);

	assert_int_equal(procs_look(NOBODY), -ESRCH);
	assert_int_equal(error_status(-ESRCH), EXIT_UNCHECKED);
	assert_string_equal(error_text(), "process 2147483632: no such process");

	assert_int_equal(pid_take("1x", &pid), -EINVAL);
	assert_int_equal(error_status(-EINVAL), EXIT_USAGE);
	assert_string_equal(error_text(),
			    "PID '1x': trailing garbage: give a number or `self`");
	assert_true(pids_add_threads(&pids, NOBODY) < 0);
	assert_int_equal(pids.nr, 0);
	pids_free(&pids);
}

/* The first SIGINT is noted; in the end it is the cause, as a shell expects. */
static void interrupts(void **state)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		interrupt_begin();
		raise(SIGINT);
		if (interrupted)
			interrupt_end();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

/* What is told of a process is out before the next one, whatever ends ptwalk then. */
static void killed(void **state)
{
	static const struct renderer *const renderers[] = {
		&render_text, &render_json, &render_ktap,
	};
	static const struct report_counts none;

	for (size_t i = 0; i < sizeof(renderers) / sizeof(renderers[0]); i++) {
		int status, ends[2];
		char text[512];
		ssize_t len;
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		fflush(stdout);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			dup2(ends[1], STDOUT_FILENO);
			renderers[i]->process(1, "init", &none, NULL);
			raise(SIGKILL);
		}
		close(ends[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		len = read(ends[0], text, sizeof(text));
		close(ends[0]);
		assert_true(len > 0);
		assert_int_equal(text[len - 1], '\n');
	}
}

/* Messages that nobody reads any more end it as well. */
/* How a process ends that says something after SIGPIPE. */
static int status_of_speaker(int error_to, int sig)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (error_to >= 0)
			dup2(error_to, STDERR_FILENO);
		out_begin();
		if (sig)
			raise(sig);
		(fail)(0, "somebody may hear that");	/* cmocka has a macro */
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void unread(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(status_of_speaker(ends[1], 0), EXIT_PIPE);
	close(ends[1]);
	/* It was another pipe. */
	assert_int_equal(status_of_speaker(-1, SIGPIPE), 0);
}

SUITE(suite_error,
      cmocka_unit_test(unread), cmocka_unit_test(interrupts),
      cmocka_unit_test(killed), cmocka_unit_test(statuses),
      cmocka_unit_test(readers));
