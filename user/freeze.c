// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freeze.h"

static volatile sig_atomic_t frozen;

void thaw(void)
{
	pid_t pid = frozen;

	frozen = 0;
	if (pid)
		kill(pid, SIGCONT);
}

static void on_signal(int signal)
{
	thaw();
	raise(signal);	/* SA_RESETHAND has restored the default */
}

static void prepare(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE,
				    SIGSEGV, SIGBUS, SIGABRT };
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESETHAND,
	}, old;
	static bool done;
	size_t i;

	if (done)
		return;
	done = true;
	atexit(thaw);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaction(ends[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
}

/* The state letter of /proc/PID/stat, behind the name in parentheses. */
static char state(pid_t pid)
{
	char path[32], line[512], *p = NULL;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stream = fopen(path, "re");
	if (stream && fgets(line, sizeof(line), stream))
		p = strrchr(line, ')');
	if (stream)
		fclose(stream);
	return p && p[1] ? p[2] : '\0';
}

bool freeze(pid_t pid)
{
	int i;
	char c;

	if (pid == getpid())
		return false;
	c = state(pid);
	if (c == 'T' || c == 't')
		return true;
	prepare();
	frozen = pid;
	if (kill(pid, SIGSTOP)) {
		frozen = 0;
		return false;
	}
	for (i = 0; i < 200; i++) {
		c = state(pid);
		if (c == 'T' || c == 't')
			return true;
		if (!c || c == 'Z')
			break;
		usleep(1000);
	}
	return false;
}
