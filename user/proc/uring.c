// SPDX-License-Identifier: GPL-2.0
/* Registered buffers of io_uring, by /proc/PID/fdinfo (io_uring_show_fdinfo()). */
#include <ctype.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/parse.h"
#include "proc/descriptors.h"
#include "proc/processes.h"
#include "proc/uring.h"

/* So often a ring is read that is busy, a millisecond apart. */
#define ATTEMPTS	20

/**
 * struct fdinfo - one being parsed
 * @in_buffers: The lines are those of UserBufs.
 * @has_buffers: There was a line UserBufs, which says that there are @wanted.
 * @seen: Lines of that list.
 * @bad: One of them wasn't understood.
 */
struct fdinfo {
	struct uring *ring;
	bool in_buffers, has_buffers, bad;
	uint64_t wanted, seen;
};

/* "UserBufs:\t2": whether @line begins with @key; the number behind it. */
static bool take_count(const char *line, const char *key, uint64_t *nr)
{
	size_t length = strlen(key);

	return !strncmp(line, key, length) &&
	       !parse_decimal(line + length, UINT32_MAX, nr);
}

/* An empty slot is <none>, or before Linux 6.13 a buffer at the last address. */
static bool is_none(const char *text, uint64_t addr)
{
	return !strcmp(text, "<none>") || addr == UINT64_MAX || addr == UINT32_MAX;
}

/* "    0: 0x7f1234560000/65536" */
static int take_buffer(struct fdinfo *info, char *line)
{
	struct uring *ring = info->ring;
	struct uring_buffer buffer = { .fd = ring->fd };
	char *number = line + strspn(line, " "), *text = strstr(line, ": ");
	char *slash = text ? strchr(text, '/') : NULL;
	uint64_t index;

	if (!text)
		return -EINVAL;
	*text = '\0';
	text += 2;
	if (slash)
		*slash = '\0';
	if (parse_decimal(number, UINT32_MAX, &index) ||
	    (strcmp(text, "<none>") &&
	     (!slash || parse_hex(text, &buffer.addr) ||
	      parse_decimal(slash + 1, UINT64_MAX, &buffer.length))))
		return -EINVAL;
	info->seen++;
	buffer.index = index;
	if (is_none(text, buffer.addr))
		return 0;
	if (!buffer.addr || !buffer.length ||
	    buffer.length - 1 > UINT64_MAX - buffer.addr) {
		ring->kernel++;
		return 0;
	}
	return array_add(ring->buffer, ring->nr, ring->max, buffer) ? 0 : -ENOMEM;
}

static int take_uring_line(char *line, void *arg)
{
	struct fdinfo *info = arg;
	int err;

	take_count(line, "UserFiles:\t", &info->ring->files);
	if (take_count(line, "UserBufs:\t", &info->wanted)) {
		/* The name of a registered file may have had such lines in it. */
		info->ring->nr = 0;
		info->seen = info->ring->kernel = 0;
		info->in_buffers = info->has_buffers = true;
		info->bad = false;
		return 0;
	}
	/* From the 10000th on, no blank stands before the number. */
	if (info->in_buffers && *line != ' ' && !isdigit((unsigned char)*line))
		info->in_buffers = false;
	if (info->in_buffers && !info->bad)
		snprintf(info->ring->strange, sizeof(info->ring->strange), "%s", line);
	err = info->in_buffers ? take_buffer(info, line) : 0;
	info->bad |= err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

static int by_index(const void *a, const void *b)
{
	const struct uring_buffer *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

int uring_parse(FILE *fdinfo, struct uring *ring)
{
	struct fdinfo info = { .ring = ring };
	int err = lines_each(fdinfo, take_uring_line, &info, NULL);

	/* Without its lock, the kernel leaves out the list, or all but the position. */
	if (!err && info.bad)
		err = -EINVAL;
	if (!err && (!info.has_buffers || info.seen < info.wanted))
		err = -EAGAIN;
	if (err)
		ring->nr = ring->files = ring->kernel = 0;
	if (ring->nr)
		qsort(ring->buffer, ring->nr, sizeof(*ring->buffer), by_index);
	ring->state = !err ? URING_READ : err == -EINVAL ? URING_STRANGE : URING_BUSY;
	return err;
}

bool uring_link(const char *target)
{
	return !strcmp(target, "anon_inode:[io_uring]");
}

static bool is_ring(int dir, const char *name)
{
	char target[64];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = '\0';
	return uring_link(target);
}

int uring_read(struct uring *ring, pid_t pid, int fd)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int dir = procs_open(pid, "fd"), err = -EAGAIN;
	char name[32];
	FILE *stream;
	bool is;

	*ring = (struct uring){ .fd = fd };
	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "%d", fd);
	is = is_ring(dir, name);
	close(dir);
	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	for (int i = 0; is && i < ATTEMPTS && err == -EAGAIN; i++) {
		if (i)
			nanosleep(&pause, NULL);
		stream = procs_fopen(pid, name, &err);
		if (!stream)
			break;
		err = uring_parse(stream, ring);
		fclose(stream);
	}
	/* Closed meanwhile: open() says so, or read(), seq_show() of fs/proc/fd.c. */
	if (err == -ENOENT)
		ring->state = URING_GONE;
	return err == -EAGAIN || err == -ENOENT || err == -EINVAL ? 0 : err;
}

/* As kcmp() orders both: 1 and 2 are for an order of files; a negative errno says nothing. */
static int ring_order(pid_t a, int fd_a, pid_t b, int fd_b)
{
	const int order = syscall(SYS_kcmp, a, b, KCMP_FILE, fd_a, fd_b);

	return order < 0 ? -errno : order;
}

bool uring_same(pid_t tid, int a, int b)
{
	return !ring_order(tid, a, tid, b);
}

/* The process whose descriptors are being read. */
struct reading {
	struct uring_owners *all;
	pid_t pid;
};

static int add_uring_owner(struct reading *r, int fd)
{
	const struct uring_owner owner = { r->pid, fd };

	return array_add(r->all->owner, r->all->nr, r->all->max, owner) ? 0 : error_no_memory();
}

static int take_ring(int fd, const char *target, void *arg)
{
	return uring_link(target) ? add_uring_owner(arg, fd) : 0;
}

int uring_owners_read(struct uring_owners *all, const volatile sig_atomic_t *stop)
{
	struct uring_owners now = { .is_read = true };
	struct pids pids = { 0 };
	int err = pids_add_all(&pids);

	for (size_t i = 0; !err && i < pids.nr; i++) {
		struct reading r = { &now, pids.pid[i] };

		if (stop && *stop) {
			err = 1;
			break;
		}
		err = descriptors_each(r.pid, take_ring, &r);
		if (err && err != -ENOMEM)
			err = procs_gone(r.pid, err) ? 0 : add_uring_owner(&r, -1);
	}
	pids_free(&pids);
	if (!err) {
		const struct uring_owners former = *all;

		*all = now;
		now = former;
	}
	uring_owners_free(&now);
	return err;
}

void uring_owners_free(struct uring_owners *all)
{
	free(all->owner);
	memset(all, 0, sizeof(*all));
}

bool uring_owners_have(const struct uring_owners *all, pid_t pid, int fd)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->owner[i].fd == fd && procs_same(all->owner[i].pid, pid))
			return true;
	return false;
}

/* Whether @o may be the ring @fd of a process, of which @tid is a thread. */
static bool may_be_same(const struct uring_owner *o, pid_t tid, int fd)
{
	int order = o->fd < 0 ? -EACCES : ring_order(tid, fd, o->pid, o->fd);
	pid_t other;

	/* A first thread that has exited has no descriptors any more. */
	if (order == -EBADF) {
		other = procs_living_thread(o->pid);
		order = other > 0 && other != o->pid ? ring_order(tid, fd, other, o->fd) : order;
	}
	return order < 0 ? order != -EBADF && !procs_gone(o->pid, 0) : !order;
}

int uring_sharers(struct pids *out, size_t *unread, const struct uring_owners *all, pid_t pid,
		  int fd)
{
	const pid_t tid = procs_living_thread(pid);
	int err = 0;

	*unread = 0;
	for (size_t i = 0; !err && i < all->nr; i++) {
		const struct uring_owner *o = &all->owner[i];

		if ((out->nr && out->pid[out->nr - 1] == o->pid) || !may_be_same(o, tid, fd) ||
		    procs_same(o->pid, pid))
			continue;
		*unread += o->fd < 0;
		err = array_add(out->pid, out->nr, out->max, o->pid) ? 0 : error_no_memory();
	}
	return err;
}

void uring_free(struct uring *ring)
{
	free(ring->buffer);
	memset(ring, 0, sizeof(*ring));
}
