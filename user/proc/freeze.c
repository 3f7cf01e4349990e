// SPDX-License-Identifier: GPL-2.0
/* Processes stopped while they are looked at. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "module/client.h"
#include "proc/freeze.h"
#include "proc/hold.h"
#include "proc/processes.h"

/**
 * frozen - what is held still
 * @pid: The process, or 0.
 * @holder: The child that holds it.
 * @to: A pipe to the child; @from one from it.
 */
static struct {
	pid_t pid, holder;
	int to, from;
} frozen;

static void forget(void)
{
	kill(frozen.holder, SIGKILL);
	while (waitpid(frozen.holder, NULL, 0) < 0 && errno == EINTR)
		;
	close(frozen.to);
	close(frozen.from);
	frozen.pid = 0;
}

static int start_holder(pid_t pid)
{
	int to[2], from[2], err;
	pid_t holder;

	if (pipe2(to, O_CLOEXEC))
		return -errno;
	if (pipe2(from, O_CLOEXEC)) {
		close(to[0]);
		close(to[1]);
		return -errno;
	}
	holder = fork();
	err = -errno;
	if (!holder) {
		close(to[1]);
		close(from[0]);
		hold(pid, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	frozen.to = to[1];
	frozen.from = from[0];
	frozen.holder = holder;
	if (holder > 0) {
		frozen.pid = pid;
		return 0;
	}
	close(to[1]);
	close(from[0]);
	return err;
}

static int hold_refused(pid_t pid, const struct hold_report *report)
{
	pid_t tracer = procs_tracer(pid, report->tid);

	if (tracer)
		return error_set(-EPERM,
				 "process %d can't be stopped: process %d traces it already (a debugger or strace?)",
				 (int)pid, (int)tracer);
	return error_set(-EPERM,
			 "process %d can't be stopped: %s (CAP_SYS_PTRACE, kernel.yama.ptrace_scope)",
			 (int)pid, strerror(report->err));
}

static int hold_error(pid_t pid, const struct hold_report *report)
{
	switch (report->outcome) {
	case HOLD_HELD:
		return 0;
	case HOLD_GONE:
		return client_gone(pid);
	case HOLD_REFUSED:
		return hold_refused(pid, report);
	case HOLD_STUCK:
		return error_set(-ETIMEDOUT,
				 "process %d can't be stopped: its thread %d didn't stop in %d s: it waits in the kernel, or a cgroup has frozen it",
				 (int)pid, (int)report->tid, HOLD_SECONDS);
	case HOLD_NO_MEMORY:
		break;
	}
	return error_no_memory();
}

int freeze(pid_t pid)
{
	struct hold_report report;
	int err;

	if (pid == getpid())
		return 0;
	err = start_holder(pid);
	if (err)
		return error_set(err, "process %d can't be stopped: %s",
				 (int)pid, strerror(-err));
	err = read(frozen.from, &report, sizeof(report)) == sizeof(report) ?
	      hold_error(pid, &report) :
	      error_set(-ECHILD,
			"process %d can't be stopped: what should do so was killed",
			(int)pid);
	if (err)
		forget();
	return err;
}

int thaw(void)
{
	pid_t pid = frozen.pid;
	char how = HOLD_LET_GO;
	bool held;

	if (!pid)
		return 0;
	held = write(frozen.to, "", 1) == 1 &&
	       read(frozen.from, &how, 1) == 1 && how == HOLD_TO_THE_END;
	forget();
	return held ? 0 :
	       error_set(-ECHILD,
			 "process %d: it was let go while it was looked at: ptwalk was stopped, or its child killed",
			 (int)pid);
}
