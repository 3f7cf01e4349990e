// SPDX-License-Identifier: GPL-2.0
/*
 * The host's side of the guest's console: starts QEMU, takes the frames of
 * init.c out of what the console says, writes the command's output to our own,
 * and keeps the rest.
 *
 *   console [-v] -t SECONDS -b SECONDS -d DIR -- QEMU ARG...
 *
 * -t is the command's time, -b the boot's. DIR/console gets the kernel's text
 * as it came, DIR/kmsg the kernel's log as the guest read it at the end,
 * DIR/reason why the guest gave up, and DIR/result one word: "exited" (and we
 * exit with the command's status), "down" (no command was started), "lost"
 * (the guest went away while the command ran), "late", "torn" (output was
 * damaged on its way), or "crashed" (a signal ended QEMU).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

static volatile sig_atomic_t caught;
static pid_t qemu;
static const char *dir;
static bool verbose;
static FILE *text, *kmsg;

static struct {
	bool up, failed, exited;
	int status;
	unsigned int damaged;
} guest;

static void on_signal(int sig)
{
	caught = sig;
}

static FILE *create(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f) {
		perror(path);
		exit(125);
	}
	return f;
}

static void write_out(int fd, const unsigned char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR && !caught)
			continue;
		if (w <= 0) {
			caught = caught ? caught : SIGPIPE;
			return;
		}
		p += w;
		n -= w;
	}
}

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the number of bytes, or -1 if the text is no base64. */
static int unbase64(unsigned char *to, const char *from, size_t n)
{
	unsigned char *start = to;

	if (n % 4)
		return -1;
	for (; n; n -= 4, from += 4) {
		int a = digit(from[0]), b = digit(from[1]);
		int c = digit(from[2]), d = digit(from[3]);

		if (a < 0 || b < 0 || (n > 4 && (c < 0 || d < 0)))
			return -1;
		*to++ = a << 2 | b >> 4;
		if (c >= 0)
			*to++ = b << 4 | c >> 2;
		if (d >= 0)
			*to++ = c << 6 | d;
	}
	return to - start;
}

static void take_frame(char *line, size_t len)
{
	unsigned char data[FRAME_PAYLOAD + 4];
	char channel = line[0], *dot;
	FILE *reason;
	int n;

	line[len] = '\0';
	dot = memchr(line, '.', len);
	if (len < 6 || len > FRAME_LINE || !dot || dot + 5 != line + len) {
		guest.damaged++;
		return;
	}
	n = unbase64(data, line + 1, dot - line - 1);
	if (n < 0 || frame_crc(data, n) != strtoul(dot + 1, NULL, 16)) {
		guest.damaged++;
		return;
	}
	switch (channel) {
	case FRAME_OUT:
		write_out(STDOUT_FILENO, data, n);
		break;
	case FRAME_ERR:
		write_out(STDERR_FILENO, data, n);
		break;
	case FRAME_KMSG:
		fwrite(data, 1, n, kmsg);
		break;
	case FRAME_UP:
		guest.up = true;
		break;
	case FRAME_FAIL:
		guest.failed = true;
		reason = create("reason");
		fprintf(reason, "%.*s\n", n, data);
		fclose(reason);
		break;
	case FRAME_EXIT:
		data[n] = '\0';
		guest.status = atoi((char *)data);
		guest.exited = true;
		break;
	default:
		guest.damaged++;
	}
}

static void take_text(char c)
{
	if (c == '\r')
		return;
	putc(c, text);
	if (verbose)
		putc(c, stderr);
}

static void take(const char *p, size_t n)
{
	static enum { TEXT, FRAME, INSIDE } state;
	static char line[FRAME_LINE + 3];
	static size_t len;

	for (; n; n--, p++) {
		switch (state) {
		case TEXT:
			if (*p == FRAME_STX) {
				state = FRAME;
				len = 0;
			} else {
				take_text(*p);
			}
			break;
		case FRAME:
			if (*p == '\n') {
				take_frame(line, len);
				state = TEXT;
			} else if (*p == '[') {
				state = INSIDE;
				take_text(*p);
			} else if (*p == FRAME_STX) {
				guest.damaged++;
				len = 0;
			} else if (*p != '\r' && len < sizeof(line) - 1) {
				line[len++] = *p;
			}
			break;
		case INSIDE:
			take_text(*p);
			if (*p == '\n')
				state = FRAME;
			break;
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int start(char **argv)
{
	int fds[2], log = fileno(create("qemu"));

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	fcntl(fds[0], F_SETPIPE_SZ, 1024 * 1024);
	qemu = fork();
	if (!qemu) {
		int null = open("/dev/null", O_RDONLY);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGINT, SIG_IGN);
		dup2(null, 0);
		dup2(fds[1], 1);
		dup2(log, 2);
		execvp(argv[0], argv);
		dprintf(2, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(fds[1]);
	return fds[0];
}

static const char *follow(int fd, double boot, double limit)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static char buf[64 * 1024];
	double deadline = now() + boot;
	bool up = false;
	int status;
	ssize_t n;

	while (!guest.exited && !guest.failed && !caught) {
		double left = deadline - now();

		if (left <= 0)
			return up ? "late" : "down";
		if (poll(&p, 1, left < 1 ? 100 : 1000) <= 0)
			continue;
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		take(buf, n);
		if (guest.up && !up) {
			up = true;
			deadline = now() + limit;
		}
	}
	/* The log that explains the failure is still to come. */
	if (guest.failed)
		while (!caught && poll(&p, 1, 3000) > 0 &&
		       (n = read(fd, buf, sizeof(buf))) > 0)
			take(buf, n);
	if (guest.exited)
		return guest.damaged ? "torn" : "exited";
	/* At the end of its output QEMU has ended, or is about to. */
	if (!guest.failed && !caught && waitpid(qemu, &status, 0) == qemu) {
		qemu = 0;
		if (WIFSIGNALED(status))
			return "crashed";
	}
	return up ? "lost" : "down";
}

int main(int argc, char **argv)
{
	double boot = 300, limit = 600;
	const char *result;
	FILE *f;
	int opt, fd;

	while ((opt = getopt(argc, argv, "+vt:b:d:")) != -1) {
		switch (opt) {
		case 'v':
			verbose = true;
			break;
		case 't':
			limit = atof(optarg);
			break;
		case 'b':
			boot = atof(optarg);
			break;
		case 'd':
			dir = optarg;
			break;
		default:
			return 2;
		}
	}
	if (!dir || optind == argc)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	for (const int *s = (int[]){ SIGINT, SIGTERM, SIGHUP, 0 }; *s; s++)
		sigaction(*s, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	text = create("console");
	kmsg = create("kmsg");
	fd = start(argv + optind);
	if (fd < 0) {
		perror("console");
		return 125;
	}
	result = follow(fd, boot, limit);
	if (qemu) {
		kill(qemu, SIGKILL);
		waitpid(qemu, NULL, 0);
	}
	fclose(text);
	fclose(kmsg);
	if (caught) {
		signal(caught, SIG_DFL);
		raise(caught);
	}
	f = create("result");
	fprintf(f, "%s\n", result);
	fclose(f);
	return guest.exited ? guest.status : 125;
}
