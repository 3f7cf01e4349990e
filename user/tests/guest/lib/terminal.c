// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "terminal.h"

int terminal_show(unsigned short columns, const char *const *argv, const char **text)
{
	static char shown[1 << 20];	/* which is enough */
	const struct winsize size = { .ws_col = columns, .ws_row = 24 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, status;
	size_t length = 0;
	ssize_t part;
	pid_t pid;

	*text = shown;
	shown[0] = '\0';
	if (master < 0 || grantpt(master) || unlockpt(master) ||
	    ioctl(master, TIOCSWINSZ, &size))
		return -1;
	pid = fork();
	if (!pid) {
		setenv("NO_COLOR", "1", 1);
		slave = open(ptsname(master), O_RDWR | O_NOCTTY);
		dup2(slave, STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		close(slave);
		execv(argv[0], (char *const *)argv);
		_exit(126);
	}
	while (length < sizeof(shown) - 1 &&
	       (part = read(master, shown + length, sizeof(shown) - 1 - length)) > 0)
		length += part;
	shown[length] = '\0';
	close(master);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t terminal_widest(const char *text, const char **line)
{
	size_t most = 0, columns;
	const char *at, *end;

	for (at = text; *at; at = end + !!*end) {
		end = at + strcspn(at, "\n");
		columns = 0;
		for (const char *p = at; p < end; p++)
			columns += (*p & 0xc0) != 0x80 && *p != '\r';
		if (columns > most) {
			most = columns;
			*line = at;
		}
	}
	return most;
}
