// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "watcher.h"

#define MAX_ARGS	8

bool watcher_start(struct watcher *w, const char *const *args)
{
	const char *argv[MAX_ARGS + 5] = { "ptwalk", "watch", "--enter", "--json" };
	int in[2], out[2];

	for (int i = 0; i < MAX_ARGS && args[i]; i++)
		argv[4 + i] = args[i];
	if (pipe2(in, O_CLOEXEC))
		return false;
	if (pipe2(out, O_CLOEXEC)) {
		close(in[0]);
		close(in[1]);
		return false;
	}
	/* A watch may end before it is told to look. */
	signal(SIGPIPE, SIG_IGN);
	w->looks = 0;
	w->pid = fork();
	if (!w->pid) {
		signal(SIGPIPE, SIG_DFL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		exec_without_aslr();
		execv(ptwalk_command(), (char *const *)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	w->in = fdopen(in[1], "w");
	w->out = fdopen(out[0], "r");
	return w->pid > 0 && w->in && w->out;
}

const char *watcher_look(struct watcher *w, const char *word)
{
	size_t room = 0, used = 0, length;
	char *line = NULL;
	bool done = false;

	if (w->looks++) {
		fputc('\n', w->in);
		fflush(w->in);
	}
	w->text[0] = '\0';
	while (!done && getline(&line, &room, w->out) > 0) {
		length = strlen(line);
		done = strstr(line, "\"type\":\"look\"");
		w->busy = done && strstr(line, "\"busy\":true");
		if (done || !strstr(line, word) || length >= sizeof(w->text) - used)
			continue;
		memcpy(w->text + used, line, length + 1);
		used += length;
	}
	free(line);
	return done ? w->text : NULL;
}

int watcher_end(struct watcher *w)
{
	int status = -1;

	fclose(w->in);
	while (fgetc(w->out) != EOF)
		;
	fclose(w->out);
	if (waitpid(w->pid, &status, 0) != w->pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
