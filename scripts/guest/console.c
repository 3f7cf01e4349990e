// SPDX-License-Identifier: GPL-2.0
/*
 * The host's side of the guest's console: starts QEMU, takes the frames of
 * init.c out of what the console says, writes the command's output to our own,
 * and keeps the rest.
 *
 *   console [-gisvw] -t SECONDS -b SECONDS [-o SECONDS] -d DIR -- QEMU ARG...
 *
 * -t is the command's time, -b the boot's, and 0 no limit. With -s the command
 * gets what is typed on our terminal; with -i it gets the first SIGINT, and only
 * the next one ends us. With -g the machine is stopped before the
 * command, by the monitor at DIR/qmp.in and DIR/qmp.out, and DIR/gdb, what gdb is
 * to read, gets where the modules of DIR/stage are. DIR/patterns has extended
 * expressions for lines of the kernel: behind "+", for complaints, which are shown
 * at once; behind "!", for those after which the machine is ended when the command
 * has said nothing for -o seconds; behind "-", for lines that are neither. With -w it says when it waits.
 * DIR/console gets the kernel's text as it came, DIR/kmsg the kernel's log as
 * the guest read it at the end, DIR/reason why the guest gave up, and DIR/result
 * one word: "exited" (and we exit with the command's status), "down" (no command
 * was started), "slow" (nor was one in the boot's time), "lost" (the guest went
 * away while the command ran), "late", "torn" (output was damaged on its way),
 * or "crashed" (a signal ended QEMU).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

/* Pressed so often one after the other, this key ends the machine. */
#define ESCAPE		(']' & 0x1f)
#define ESCAPE_TIMES	3

static volatile sig_atomic_t caught, resized, interrupts;
static pid_t qemu;
static int to_guest = -1;
static const char *dir;
static bool verbose, gdb, waits, passes_on;
static FILE *text, *kmsg;

static struct {
	bool up, failed, exited;
	int status;
	unsigned int damaged;
	bool busy;		/* with the frame that it was sent last */
	bool said;		/* something, as the command's output */
	bool interrupted;	/* the command was sent SIGINT */
} guest;

/* What the kernel says, line by line. */
static struct {
	regex_t pattern[64];
	char kind[64];
	size_t nr;
	char line[1024];
	size_t len;
	unsigned int shown;
	bool oops;
} said;

/* When the command printed last, or the kernel said that it may not go on. */
static double last;

static struct {
	bool wanted, raw;
	struct termios before;
	char typed[64 * 1024];
	size_t used;
	unsigned int escapes;
} terminal;

/*
 * Ctrl-C comes from the terminal, and once more from the script, which has got
 * it, too, and passes on all that it gets: as SIGUSR1, since of two signals of one
 * kind that wait to be handled, the kernel keeps one.
 */
static void on_signal(int sig)
{
	static volatile sig_atomic_t times[2];
	const bool passed = sig == SIGUSR1;

	if (passed)
		sig = SIGINT;
	if (sig == SIGWINCH)
		resized = 1;
	else if (sig != SIGINT || !passes_on || !guest.up)
		caught = sig;
	else if (++times[passed] > interrupts && ++interrupts > 1)
		caught = sig;
}

static void restore_terminal(void)
{
	if (terminal.raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
	terminal.raw = false;
}

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("scripts/vm: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
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

static void send_frame(char channel, const char *data, size_t n)
{
	char frame[FRAME_LINE + 2];
	size_t len = frame_write(frame, channel, (const unsigned char *)data, n);

	/* Nothing else is in the pipe. */
	guest.busy = write(to_guest, frame, len) == (ssize_t)len;
}

static void send_size(void)
{
	struct winsize size = { 0 };
	char text[32];

	resized = 0;
	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	send_frame(FRAME_SIZE, text, sprintf(text, "%hu %hu", size.ws_row, size.ws_col));
}

static void send_typed(void)
{
	size_t n = terminal.used < FRAME_PAYLOAD ? terminal.used : FRAME_PAYLOAD;

	if (!n)
		return;
	send_frame(FRAME_IN, terminal.typed, n);
	terminal.used -= n;
	memmove(terminal.typed, terminal.typed + n, terminal.used);
}

/* A machine that is stopped waits for gdb to go on. */
static bool stop_machine(void)
{
	static const char stop[] = "{\"execute\":\"qmp_capabilities\"}\n{\"execute\":\"stop\"}\n";
	char path[4096], answer[4096] = "";
	struct pollfd p = { .events = POLLIN };
	size_t used = 0;
	ssize_t n;
	int in;

	snprintf(path, sizeof(path), "%s/qmp.in", dir);
	in = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/qmp.out", dir);
	p.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (in < 0 || p.fd < 0 || write(in, stop, sizeof(stop) - 1) < 0)
		return false;
	while (!caught && !strstr(answer, "\"STOP\"") && used < sizeof(answer) - 1 &&
	       poll(&p, 1, 60 * 1000) > 0) {
		n = read(p.fd, answer + used, sizeof(answer) - 1 - used);
		if (n <= 0)
			break;
		used += n;
	}
	close(in);
	close(p.fd);
	return strstr(answer, "\"STOP\"");
}

static void wait_for_gdb(void)
{
	if (stop_machine())
		say("the machine is stopped before the command, until gdb says continue");
	else if (!caught)
		say("the machine could not be stopped for gdb");
}

static void send_interrupt(void)
{
	guest.interrupted = true;
	send_frame(FRAME_INTERRUPT, "-", 1);
	say("Ctrl-C is passed on to the command; once more, and the machine ends");
}

static void say_next(void)
{
	if (to_guest < 0 || guest.busy)
		return;
	if (interrupts && !guest.interrupted)
		send_interrupt();
	else if (resized)
		send_size();
	else
		send_typed();
}

static bool has_room(void)
{
	return terminal.raw && terminal.used < sizeof(terminal.typed);
}

/* Also while the guest takes nothing, so that the escape is always seen. */
static void read_typed(void)
{
	char *at = terminal.typed + terminal.used;
	ssize_t n = read(STDIN_FILENO, at, sizeof(terminal.typed) - terminal.used);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		caught = SIGHUP;
	for (; n > 0; n--, terminal.used++) {
		terminal.escapes = *at++ == ESCAPE ? terminal.escapes + 1 : 0;
		if (terminal.escapes == ESCAPE_TIMES)
			caught = SIGINT;
	}
}

static void take_terminal(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &terminal.before))
		return;
	raw = terminal.before;
	cfmakeraw(&raw);
	terminal.raw = !tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static void add_symbols(const char *text, int n)
{
	char path[4096];
	FILE *commands;

	snprintf(path, sizeof(path), "%s/gdb", dir);
	commands = fopen(path, "ae");
	if (!commands)
		return;
	fprintf(commands, "add-symbol-file %s/stage%.*s\n", dir, n, text);
	fclose(commands);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void read_patterns(void)
{
	char path[4096], line[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/patterns", dir);
	f = fopen(path, "re");
	while (f && said.nr < 64 && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		said.kind[said.nr] = line[0];
		if (!regcomp(&said.pattern[said.nr], line + 1, REG_EXTENDED | REG_NOSUB))
			said.nr++;
	}
	if (f)
		fclose(f);
}

static bool is_like(char kind, const char *line)
{
	for (size_t i = 0; i < said.nr; i++) {
		if (said.kind[i] == kind && !regexec(&said.pattern[i], line, 0, NULL, 0))
			return true;
	}
	return false;
}

/* A line without its time: "[   12.345678] [    T1] ". */
static const char *without_time(const char *line)
{
	size_t n;

	while (*line == '[') {
		n = 1 + strspn(line + 1, " 0123456789.TC");
		if (line[n] != ']')
			break;
		line += n + 1;
		line += strspn(line, " ");
	}
	return line;
}

static void judge_line(void)
{
	const char *line = without_time(said.line);
	bool oops = is_like('!', line);

	if (is_like('-', line) || !(oops || is_like('+', line)))
		return;
	if (!verbose && said.shown++ < 5)
		fprintf(stderr, "kernel: %s%s", line, terminal.raw ? "\r\n" : "\n");
	if (oops && !said.oops) {
		said.oops = true;
		last = now();
	}
}

static void take_frame(char *line, size_t len)
{
	unsigned char data[FRAME_PAYLOAD + 4];
	FILE *reason;
	int n;

	line[len] = '\0';
	n = frame_read(data, line, len);
	if (n < 0) {
		guest.damaged++;
		return;
	}
	switch (line[0]) {
	case FRAME_OUT:
		guest.said = true;
		last = now();
		write_out(STDOUT_FILENO, data, n);
		break;
	case FRAME_ERR:
		guest.said = true;
		last = now();
		write_out(STDERR_FILENO, data, n);
		break;
	case FRAME_KMSG:
		fwrite(data, 1, n, kmsg);
		break;
	case FRAME_UP:
		guest.up = true;
		break;
	case FRAME_SYMBOLS:
		add_symbols((const char *)data, n);
		break;
	case FRAME_TAKEN:
		guest.busy = false;
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
	if (c == '\n') {
		said.line[said.len] = '\0';
		judge_line();
		said.len = 0;
	} else if (said.len < sizeof(said.line) - 1) {
		said.line[said.len++] = c;
	}
	if (verbose && terminal.raw && c == '\n')
		putc('\r', stderr);
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

static int start(char **argv)
{
	int fds[2], in[2] = { -1, -1 }, log = fileno(create("qemu"));

	if (pipe2(fds, O_CLOEXEC) ||
	    ((terminal.wanted || gdb || passes_on) && pipe2(in, O_CLOEXEC)))
		return -1;
	fcntl(fds[0], F_SETPIPE_SZ, 1024 * 1024);
	qemu = fork();
	if (!qemu) {
		if (in[0] < 0)
			in[0] = open("/dev/null", O_RDONLY);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* QEMU would end by a terminal's Ctrl-C. */
		setpgid(0, 0);
		dup2(in[0], 0);
		dup2(fds[1], 1);
		dup2(log, 2);
		execvp(argv[0], argv);
		dprintf(2, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(fds[1]);
	if (in[0] >= 0)
		close(in[0]);
	to_guest = in[1];
	return fds[0];
}

/* Once, of a command that is silent for so long. */
static void say_wait(double begin, double limit)
{
	static bool said;

	if (said || guest.said || !waits || now() - begin < 5)
		return;
	said = true;
	if (limit)
		say("waiting for the command, which may take %g seconds", limit);
	else
		say("waiting for the command, which may take any time");
}

/* Whether the command has been silent for so long after an Oops that it may hang. */
static bool is_dead(double silence)
{
	if (!said.oops || !silence || now() - last < silence)
		return false;
	say("the kernel may not go on, and the command has said nothing for %g seconds", silence);
	return true;
}

static const char *follow(int fd, double boot, double limit, double silence)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .events = POLLIN } };
	static char buf[64 * 1024];
	double deadline = boot ? now() + boot : HUGE_VAL, begin = 0;
	bool up = false;
	int status;
	ssize_t n;

	while (!guest.exited && !guest.failed && !caught) {
		double left = deadline - now();

		if (left <= 0)
			return up ? "late" : "slow";
		if (up) {
			say_next();
			say_wait(begin, limit);
			if (is_dead(silence))
				return "lost";
		}
		p[1].fd = has_room() ? STDIN_FILENO : -1;
		if (poll(p, 2, left < 1 ? 100 : 1000) <= 0)
			continue;
		if (p[1].revents)
			read_typed();
		if (!p[0].revents)
			continue;
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		take(buf, n);
		if (guest.up && !up) {
			up = true;
			begin = now();
			deadline = limit ? now() + limit : HUGE_VAL;
			if (gdb)
				wait_for_gdb();
			if (terminal.wanted)
				take_terminal();
			resized = terminal.wanted || gdb;
		}
	}
	/* The log that explains the failure is still to come. */
	if (guest.failed)
		while (!caught && poll(p, 1, 3000) > 0 &&
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
	double boot = 300, limit = 600, silence = 0;
	const char *result;
	FILE *f;
	int opt, fd;

	while ((opt = getopt(argc, argv, "+gisvwt:b:o:d:")) != -1) {
		switch (opt) {
		case 'g':
			gdb = true;
			break;
		case 'i':
			passes_on = true;
			break;
		case 'w':
			waits = true;
			break;
		case 's':
			terminal.wanted = true;
			break;
		case 'v':
			verbose = true;
			break;
		case 't':
			limit = atof(optarg);
			break;
		case 'b':
			boot = atof(optarg);
			break;
		case 'o':
			silence = atof(optarg);
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
	/* Or QEMU goes on, and the terminal stays raw. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	atexit(restore_terminal);
	for (const int *s = (int[]){ SIGINT, SIGUSR1, SIGTERM, SIGHUP, SIGWINCH, 0 }; *s; s++)
		sigaction(*s, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	read_patterns();
	text = create("console");
	kmsg = create("kmsg");
	fd = start(argv + optind);
	if (fd < 0) {
		perror("console");
		return 125;
	}
	result = follow(fd, boot, limit, terminal.wanted || gdb ? 0 : silence);
	if (qemu) {
		kill(qemu, SIGKILL);
		waitpid(qemu, NULL, 0);
	}
	fclose(text);
	fclose(kmsg);
	if (caught) {
		restore_terminal();
		signal(caught, SIG_DFL);
		raise(caught);
	}
	f = create("result");
	fprintf(f, "%s\n", result);
	fclose(f);
	return guest.exited ? guest.status : 125;
}
