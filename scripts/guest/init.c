// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's first process: mounts what a Linux program expects, loads the
 * modules, runs one command, sends what it prints and how it ended to the
 * host over the console, sends the kernel's log, and powers off.
 *
 * What to do stands in files that scripts/vm puts into the initramfs:
 *   /job/argv     the command, each argument ended by a NUL
 *   /job/modules  a line for each module: FILE [PARAMETERS]
 *   /job/gdb      is there if the host is to be told where the modules are, and
 *                 when to begin
 *   /job/shares   where to mount the host's folders, a line for each
 *   /job/stdin    the command's standard input, if it has one
 *   /job/terminal the value of TERM, if the command has a terminal instead
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "frame.h"

static int console = -1;
static char outbuf[16 * 1024];
static size_t outlen;

static void flush(void)
{
	size_t done = 0;

	while (done < outlen) {
		ssize_t n = write(console, outbuf + done, outlen - done);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
		if (n > 0)
			done += n;
	}
	outlen = 0;
}

static void send_frame(char channel, const void *data, size_t len)
{
	const unsigned char *p = data;

	do {
		size_t n = len < FRAME_PAYLOAD ? len : FRAME_PAYLOAD;

		if (outlen + FRAME_LINE + 2 > sizeof(outbuf))
			flush();
		outlen += frame_write(outbuf + outlen, channel, p, n);
		p += n;
		len -= n;
	} while (len);
}

static void send_text(char channel, const char *format, ...)
{
	char text[FRAME_PAYLOAD];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	send_frame(channel, text, n);
	flush();
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 0, used = 0;
	char *text = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		if (room - used < 4096) {
			char *more = realloc(text, room + 64 * 1024);

			if (!more)
				break;
			text = more;
			room += 64 * 1024;
		}
		n = read(fd, text + used, room - used - 1);
		if (n > 0)
			used += n;
	} while (n > 0);
	close(fd);
	if (text)
		text[used] = '\0';
	if (len)
		*len = used;
	return text;
}

/* Files that were put there shall be seen. */
static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	bool empty = true;

	for (struct dirent *e; dir && (e = readdir(dir));)
		empty &= !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir, *options;
	} mounts[] = {
		{ "proc", "/proc", NULL },
		{ "sysfs", "/sys", NULL },
		{ "devtmpfs", "/dev", "mode=755" },
		{ "devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666" },
		{ "tmpfs", "/dev/shm", "mode=1777" },
		{ "tmpfs", "/tmp", "mode=1777" },
		{ "tmpfs", "/run", "mode=755" },
		{ "debugfs", "/sys/kernel/debug", NULL },
		{ "tracefs", "/sys/kernel/tracing", NULL },
		{ "cgroup2", "/sys/fs/cgroup", NULL },
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		if (!strcmp(mounts[i].type, "tmpfs") && !is_empty(mounts[i].dir))
			continue;
		if (!mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0,
			   mounts[i].options))
			continue;
		if (strcmp(mounts[i].type, "devtmpfs"))
			continue;
		/* A kernel without devtmpfs: the least that programs need. */
		mount("tmpfs", "/dev", "tmpfs", 0, "mode=755");
		mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3));
		mknod("/dev/zero", S_IFCHR | 0666, makedev(1, 5));
		mknod("/dev/random", S_IFCHR | 0666, makedev(1, 8));
		mknod("/dev/urandom", S_IFCHR | 0666, makedev(1, 9));
		mknod("/dev/kmsg", S_IFCHR | 0600, makedev(1, 11));
		mknod("/dev/mem", S_IFCHR | 0600, makedev(1, 1));
		mknod("/dev/console", S_IFCHR | 0600, makedev(5, 1));
		mknod("/dev/tty", S_IFCHR | 0666, makedev(5, 0));
	}
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void open_console(void)
{
	struct termios t;

	console = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (console < 0)
		return;
	if (!tcgetattr(console, &t)) {
		cfmakeraw(&t);
		cfsetspeed(&t, B115200);
		tcsetattr(console, TCSANOW, &t);
	}
}

/* The name under which a module shows up in /sys/module. */
static void module_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');

	snprintf(name, size, "%s", base ? base + 1 : path);
	name[strcspn(name, ".")] = '\0';
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

/* What is built in and takes no parameters isn't in /sys/module. */
static bool family_exists(const char *name)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
		struct nlattr attr;
		char name[GENL_NAMSIZ];
	} request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = GENL_ID_CTRL,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.genl = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attr = { sizeof(request.attr) + GENL_NAMSIZ, CTRL_ATTR_FAMILY_NAME },
	};
	static char answer[64 * 1024] __attribute__((aligned(8)));
	struct nlmsghdr *head = (struct nlmsghdr *)answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	bool found = false;

	memcpy(request.name, name, strnlen(name, sizeof(request.name) - 1));
	if (fd >= 0 && send(fd, &request, sizeof(request), 0) > 0 &&
	    recv(fd, answer, sizeof(answer), 0) >= (ssize_t)sizeof(*head))
		found = head->nlmsg_type == GENL_ID_CTRL;
	if (fd >= 0)
		close(fd);
	return found;
}

/*
 * As modprobe does: NAME.PARAMETER=VALUE of the kernel's command line is for the
 * module NAME. Those of /job/modules come last, and so win.
 */
static void module_params(const char *name, const char *given, char *params,
			  size_t size)
{
	char *line = read_file("/proc/cmdline", NULL), *save = NULL;
	size_t length = strlen(name), used = 0;

	params[0] = '\0';
	for (char *word = line ? strtok_r(line, "\n ", &save) : NULL; word;
	     word = strtok_r(NULL, "\n ", &save))
		if (!strncmp(word, name, length) && word[length] == '.' &&
		    used + strlen(word) < size)
			used += sprintf(params + used, "%s ", word + length + 1);
	free(line);
	snprintf(params + used, size - used, "%s", given);
}

static bool load_module(char *line)
{
	char *given = line + strcspn(line, " ");
	char name[64], sys[96], params[1024];
	int fd;

	if (*given)
		*given++ = '\0';
	module_name(line, name, sizeof(name));
	snprintf(sys, sizeof(sys), "/sys/module/%s", name);
	if (!access(sys, F_OK) || family_exists(name))
		return true;	/* built in */
	fd = open(line, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		send_text(FRAME_FAIL, "module %s: %s", line, strerror(errno));
		return false;
	}
	module_params(name, given, params, sizeof(params));
	if (syscall(SYS_finit_module, fd, params, 0)) {
		send_text(FRAME_FAIL, "module %s does not load: %s", name,
			  strerror(errno));
		close(fd);
		return false;
	}
	close(fd);
	return true;
}

/* Devices behind a virtio-iommu have no driver before that has, which is a module. */
static void load_iommu(void)
{
	system("grep -qx 0x1057 /sys/bus/pci/devices/*/device 2>/dev/null && "
	       "exec modprobe -a virtio_pci virtio_iommu >/dev/null 2>&1");
}

static bool load_modules(void)
{
	char *list = read_file("/job/modules", NULL), *save = NULL;

	if (!list)
		return true;
	load_iommu();
	for (char *line = strtok_r(list, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (!load_module(line))
			return false;
	free(list);
	return true;
}

/*
 * The command's terminal is a pseudoterminal of the guest, which so has job
 * control and a size, whatever the console is.
 */
static struct {
	int master, slave;
	unsigned char typed[FRAME_PAYLOAD + 4];
	size_t begin, end;
	bool sized;
} terminal = { .master = -1, .slave = -1 };

static bool open_terminal(void)
{
	char *name = read_file("/job/terminal", NULL), path[64];

	if (!name)
		return true;
	setenv("TERM", name, 1);
	free(name);
	terminal.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (terminal.master >= 0 && !unlockpt(terminal.master) &&
	    !ptsname_r(terminal.master, path, sizeof(path)))
		terminal.slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal.slave >= 0)
		return true;
	send_text(FRAME_FAIL, "--shell takes a kernel with CONFIG_UNIX98_PTYS");
	return false;
}

static pid_t command;

static void take_frame(const char *line, size_t len)
{
	unsigned char data[FRAME_PAYLOAD + 4];
	struct winsize size = { 0 };
	int n = frame_read(data, line, len);

	if (n > 0 && line[0] == FRAME_IN) {
		memcpy(terminal.typed, data, n);
		terminal.begin = 0;
		terminal.end = n;
		return;		/* taken when the terminal has it */
	}
	if (n > 0 && line[0] == FRAME_INTERRUPT && command > 0)
		kill(-command, SIGINT);
	if (n > 0 && line[0] == FRAME_SIZE) {
		data[n] = '\0';
		terminal.sized = true;
		if (sscanf((char *)data, "%hu %hu", &size.ws_row, &size.ws_col) == 2 &&
		    terminal.master >= 0)
			ioctl(terminal.master, TIOCSWINSZ, &size);
	}
	send_text(FRAME_TAKEN, "-");
}

/* Returns false when there is no more to come. */
static bool listen_to_host(void)
{
	static char line[FRAME_LINE + 1];
	static size_t len;
	char text[256];
	ssize_t n = read(console, text, sizeof(text));

	for (ssize_t i = 0; i < n; i++) {
		if (text[i] == FRAME_STX) {
			len = 0;
		} else if (text[i] == '\n') {
			line[len] = '\0';
			take_frame(line, len);
			len = 0;
		} else if (len < FRAME_LINE) {
			line[len++] = text[i];
		}
	}
	return n > 0 || (n < 0 && errno == EINTR);
}

static void type(void)
{
	ssize_t n = write(terminal.master, terminal.typed + terminal.begin,
			  terminal.end - terminal.begin);

	if (n > 0)
		terminal.begin += n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		terminal.begin = terminal.end;
	if (terminal.begin == terminal.end)
		send_text(FRAME_TAKEN, "-");
}

static void send_symbols(char *path)
{
	static const char *const sections[] = {
		".data", ".bss", ".rodata", ".text.unlikely", ".exit.text",
	};
	char name[64], file[160], text[FRAME_PAYLOAD];
	size_t used;
	char *addr;

	path[strcspn(path, " ")] = '\0';
	module_name(path, name, sizeof(name));
	snprintf(file, sizeof(file), "/sys/module/%s/sections/.text", name);
	addr = read_file(file, NULL);
	if (!addr)
		return;		/* built in */
	used = snprintf(text, sizeof(text), "%s %.18s", path, strtok(addr, "\n"));
	free(addr);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		snprintf(file, sizeof(file), "/sys/module/%s/sections/%s", name, sections[i]);
		addr = read_file(file, NULL);
		if (addr && used < sizeof(text) - 64)
			used += sprintf(text + used, " -s %s %.18s", sections[i],
					strtok(addr, "\n"));
		free(addr);
	}
	send_text(FRAME_SYMBOLS, "%s", text);
}

/* Of the modules that were loaded from files, in the order of their loading. */
static void send_all_symbols(void)
{
	char *list = read_file("/job/modules", NULL), *save = NULL;

	for (char *line = list ? strtok_r(list, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		send_symbols(line);
	free(list);
}

static void make_folders(const char *path)
{
	char part[4096];

	for (const char *p = path; (p = strchr(p + 1, '/'));) {
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		mkdir(part, 0755);
	}
	mkdir(path, 0755);
}

static bool mount_shares(void)
{
	static const char options[] = "trans=virtio,version=9p2000.L,msize=262144,cache=mmap";
	char *list = read_file("/job/shares", NULL), *save = NULL, tag[16];
	unsigned int n = 0;

	if (!list)
		return true;
	/* What is built in needs none of them. */
	system("exec modprobe -a virtio_pci 9pnet_virtio 9p >/dev/null 2>&1");
	for (char *path = strtok_r(list, "\n", &save); path;
	     path = strtok_r(NULL, "\n", &save)) {
		make_folders(path);
		snprintf(tag, sizeof(tag), "share%u", n++);
		if (!mount(tag, path, "9p", 0, options))
			continue;
		if (errno == ENODEV || errno == EINVAL)
			send_text(FRAME_FAIL, "--share takes a kernel with %s, which this one lacks",
				  "CONFIG_9P_FS and CONFIG_NET_9P_VIRTIO");
		else
			send_text(FRAME_FAIL, "--share: %s: %s", path, strerror(errno));
		return false;
	}
	free(list);
	return true;
}

static char **read_command(void)
{
	static char *argv[4096];
	size_t len, n = 0;
	char *text = read_file("/job/argv", &len);

	for (char *p = text; text && p < text + len && n < 4095;
	     p += strlen(p) + 1)
		argv[n++] = p;
	return n ? argv : NULL;
}

static pid_t start(char **argv, int out, int err)
{
	sigset_t none;
	pid_t pid = fork();
	int in;

	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	in = terminal.slave;
	if (in >= 0)
		ioctl(in, TIOCSCTTY, 0);
	else
		in = open("/job/stdin", O_RDONLY);
	if (in < 0)
		in = open("/dev/null", O_RDWR);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (in > 2)
		close(in);
	chdir("/root");
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("SHELL", "/bin/sh", 1);
	setenv("TERM", "dumb", terminal.slave < 0);
	setenv("PS1", "\\h:\\w\\$ ", 1);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	execvp(argv[0], argv);
	in = errno;
	dprintf(2, "%s: %s\n", argv[0], strerror(in));
	_exit(in == ENOENT ? 127 : 126);
}

/* Returns false at the end of the pipe. */
static bool forward(int fd, char channel)
{
	static char buf[64 * 1024];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		send_frame(channel, buf, n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* What is in the pipes already, though somebody may still hold them open. */
static void drain(struct pollfd *fds)
{
	while (poll(fds, 2, 0) > 0)
		for (int i = 0; i < 2; i++)
			if (fds[i].revents && !forward(fds[i].fd, "oe"[i]))
				fds[i].fd = -1;
	flush();
}

/*
 * One that can't be ended hangs in the kernel: that must not keep the log from
 * the host, and is worth a complaint in it.
 */
static void end_all(void)
{
	int left = 60 * 200;

	kill(-1, SIGKILL);
	while (left > 0) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0)
			return;
		if (!pid) {
			usleep(5000);
			left--;
		}
	}
	write_file("/dev/kmsg", "BUG: guest: a process does not end when it is killed\n");
}

static int run(char **argv)
{
	struct pollfd fds[4];
	int out[2], err[2], status = -1;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		return 125;
	if (terminal.master >= 0) {
		dup3(terminal.master, out[0], O_CLOEXEC);
		dup3(terminal.slave, out[1], O_CLOEXEC);
		dup3(terminal.slave, err[1], O_CLOEXEC);
	}
	fcntl(out[0], F_SETPIPE_SZ, 256 * 1024);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	/* One stream keeps the order of what is printed to both. */
	if (!access("/job/together", F_OK))
		dup3(out[1], err[1], O_CLOEXEC);
	command = start(argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	if (terminal.slave >= 0)
		close(terminal.slave);
	fds[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK),
				  .events = POLLIN };
	fds[3] = (struct pollfd){ .fd = console, .events = POLLIN };
	while (status < 0) {
		fds[0].events = POLLIN | (terminal.begin < terminal.end ? POLLOUT : 0);
		if (poll(fds, 4, -1) < 0 && errno != EINTR)
			break;
		if (fds[3].revents && !listen_to_host())
			fds[3].fd = -1;
		if (fds[0].revents & POLLOUT)
			type();
		for (int i = 0; i < 2; i++)
			if (fds[i].revents && !forward(fds[i].fd, "oe"[i]))
				fds[i].fd = -1;
		flush();
		if (fds[2].revents) {
			struct signalfd_siginfo info;
			int s;

			while (read(fds[2].fd, &info, sizeof(info)) > 0)
				;
			for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) > 0;)
				if (p == command)
					status = s;
		}
	}
	drain(fds);
	end_all();
	drain(fds);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Only objects older than five seconds are reported, so: look, wait, look. */
static void check_leaks(void)
{
	static const char path[] = "/sys/kernel/debug/kmemleak";
	size_t len;
	char *text;

	if (access(path, W_OK) || !write_file(path, "scan"))
		return;
	sleep(6);
	write_file(path, "scan");
	text = read_file(path, &len);
	if (text && len)
		send_frame(FRAME_KMSG, text, len);
	free(text);
}

static void send_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	static char lines[64 * 1024];
	char record[8192];
	size_t used = 0;
	unsigned long long usec;
	unsigned int prio;
	ssize_t n;

	if (fd < 0)
		return;
	for (;;) {
		char *text, *end;

		n = read(fd, record, sizeof(record) - 1);
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* overwritten: go on with the next */
		if (n <= 0)
			break;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%u,%*u,%llu", &prio, &usec) != 2)
			continue;
		end = strchr(++text, '\n');
		if (end)
			*end = '\0';
		used += snprintf(lines + used, sizeof(lines) - used,
				 "<%u>[%5llu.%06llu] %s\n", prio,
				 usec / 1000000, usec % 1000000, text);
		if (used + sizeof(record) + 64 > sizeof(lines)) {
			send_frame(FRAME_KMSG, lines, used);
			used = 0;
		}
	}
	send_frame(FRAME_KMSG, lines, used);
	close(fd);
	flush();
}

int main(void)
{
	char **argv;
	bool gdb;
	int status;

	mount_all();
	open_console();
	/* Warnings and worse still go to the console, should we never end. */
	write_file("/proc/sys/kernel/printk", "5");
	write_file("/proc/sys/kernel/printk_devkmsg", "on");
	mkdir("/root", 0700);
	sethostname("guest", 5);
	argv = read_command();
	if (!argv) {
		send_text(FRAME_FAIL, "no command given");
	} else if (load_modules() && mount_shares() && open_terminal()) {
		/* scripts/vm shows what the kernel says from here on. */
		write_file("/dev/kmsg", "guest: the command begins\n");
		gdb = !access("/job/gdb", F_OK);
		if (gdb)
			send_all_symbols();
		send_text(FRAME_UP, "%s", argv[0]);
		while ((gdb || terminal.master >= 0) && !terminal.sized && listen_to_host())
			;
		status = run(argv);
		check_leaks();
		send_log();
		send_text(FRAME_EXIT, "%d", status);
	} else {
		send_log();
	}
	tcdrain(console);
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
