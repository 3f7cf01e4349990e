// SPDX-License-Identifier: GPL-2.0
/* Stopping a process where no child can be made to do it. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "proc/freeze.h"
#include "tests.h"

static bool no_children;
static int killed;

/* In the place of the C library's. */
pid_t fork(void)
{
	if (!no_children)
		return _Fork();
	errno = EAGAIN;
	return -1;
}

/* kill(-1) ends all that the caller may kill: it must never come to that. */
int kill(pid_t pid, int sig)
{
	if (pid > 0)
		return syscall(SYS_kill, pid, sig);
	killed++;
	errno = EPERM;
	return -1;
}

static void no_child(void **state)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	no_children = true;
	assert_int_equal(freeze(getppid()), -EAGAIN);
	no_children = false;
	assert_int_equal(thaw(), 0);
	assert_int_equal(killed, 0);
	signal(SIGPIPE, before);
}

SUITE(suite_freeze, cmocka_unit_test(no_child));
