// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "monitor.h"

/* What the answer to a command begins with; other lines are events. */
#define ANSWER	"{\"return\": "

struct monitor {
	const char *path;
	FILE *in;
	int fd;
	char *line;
	size_t room;
};

/* The next answer, or an end of the program: without it nothing can be said. */
static char *answer(struct monitor *m)
{
	for (;;) {
		ssize_t n = getline(&m->line, &m->room, m->in);

		if (n <= 0) {
			fprintf(stderr, "oracle: QEMU's monitor is gone\n");
			exit(1);
		}
		if (!strncmp(m->line, ANSWER, strlen(ANSWER)))
			return m->line + strlen(ANSWER);
		if (strstr(m->line, "\"error\":")) {
			fprintf(stderr, "oracle: QEMU's monitor: %s", m->line);
			exit(1);
		}
	}
}

static char *ask(struct monitor *m, const char *request)
{
	if (write(m->fd, request, strlen(request)) != (ssize_t)strlen(request)) {
		perror("oracle: writing to QEMU's monitor");
		exit(1);
	}
	return answer(m);
}

struct monitor *monitor_open(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct monitor *m = calloc(1, sizeof(*m));

	if (!m || strlen(path) >= sizeof(address.sun_path)) {
		fprintf(stderr, "oracle: %s: too long for a socket\n", path);
		exit(1);
	}
	strcpy(address.sun_path, path);
	m->path = path;
	m->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	m->in = m->fd < 0 ? NULL : fdopen(m->fd, "r");
	if (!m->in || connect(m->fd, (struct sockaddr *)&address, sizeof(address))) {
		fprintf(stderr, "oracle: %s: %s\n", path, strerror(errno));
		free(m);
		return NULL;
	}
	ask(m, "{\"execute\": \"qmp_capabilities\"}\n");
	return m;
}

void monitor_close(struct monitor *m)
{
	fclose(m->in);
	free(m->line);
	free(m);
}

const char *monitor_path(const struct monitor *m)
{
	return m->path;
}

void monitor_execute(struct monitor *m, const char *command)
{
	char request[128];

	snprintf(request, sizeof(request), "{\"execute\": \"%s\"}\n", command);
	ask(m, request);
}

/* A JSON string, in place; returns its beginning. */
static const char *unescape(char *text)
{
	char *from = text + 1, *to = text;

	if (*text != '"')
		return "";
	for (; *from && *from != '"'; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'n')
			*to++ = '\n';
		else if (*from == 't')
			*to++ = '\t';
		else if (*from != 'r')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

const char *monitor_ask(struct monitor *m, const char *format, ...)
{
	char command[512], request[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(request, sizeof(request),
		 "{\"execute\": \"human-monitor-command\", \"arguments\": {\"command-line\": \"%s\"}}\n",
		 command);
	return unescape(ask(m, request));
}
