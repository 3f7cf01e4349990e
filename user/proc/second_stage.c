// SPDX-License-Identifier: GPL-2.0
/* The second stage of a virtual machine: kmod/guest/main.c says what the file is. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/lines.h"
#include "base/parse.h"
#include "proc/lockdown.h"
#include "proc/processes.h"
#include "proc/second_stage.h"

#define LINK	"anon_inode:kvm-vm"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#endif
/* Of linux/pidfd.h from Linux 6.9 on. */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

static int take_stage_header(struct fields *f, struct second_stage *s)
{
	char arch[32];

	if (s->page_shift)
		return -EINVAL;
	if (fields_hex(f, UINT64_MAX) != 1)
		return -EPROTO;
	fields_word(f, arch, sizeof(arch));
	s->page_shift = fields_hex(f, 20);
	s->cpus = fields_hex(f, UINT32_MAX);
	return f->bad || s->page_shift < 12 ? -EINVAL : 0;
}

static bool stage_in_pages(const struct second_stage *s, const struct stage_extent *e)
{
	const uint64_t below = (1ULL << s->page_shift) - 1;

	return s->page_shift && e->bytes && !((e->gpa | e->bytes | e->hpa | e->hva) & below) &&
	       e->bytes - 1 <= UINT64_MAX - e->gpa && e->bytes - 1 <= UINT64_MAX - e->hpa &&
	       e->bytes - 1 <= UINT64_MAX - e->hva;
}

/* Of what isn't compared, in @bytes, only the length matters. */
static int take_stage_extent(struct fields *f, struct second_stage *s, bool slotless,
			     uint64_t *bytes)
{
	struct stage_extent e = { .gpa = fields_hex(f, UINT64_MAX), .slotless = slotless };
	char rights[16];

	e.bytes = fields_hex(f, UINT64_MAX);
	e.hpa = fields_hex(f, UINT64_MAX);
	e.level = fields_hex(f, 5);
	fields_word(f, rights, sizeof(rights));
	if (!bytes)
		e.hva = slotless ? e.gpa : fields_hex(f, UINT64_MAX);
	if (f->bad || !e.level || strlen(rights) < 2 || !stage_in_pages(s, &e))
		return -EINVAL;
	e.write = rights[1] == 'w';
	e.read_only = rights[2] == '-';
	s->lines++;
	if (bytes) {
		*bytes += e.bytes;
		return 0;
	}
	return array_add(s->extent, s->nr, s->max, e) ? 0 : -ENOMEM;
}

static int take_stage_end(struct fields *f, struct second_stage *s)
{
	s->complete = fields_hex(f, UINT64_MAX) == s->lines;
	s->roots = fields_hex(f, UINT64_MAX);
	s->rootless = fields_hex(f, UINT64_MAX);
	s->shadow = fields_hex(f, UINT64_MAX);
	s->nested = fields_hex(f, UINT64_MAX);
	s->lost = fields_hex(f, UINT64_MAX);
	return f->bad ? -EINVAL : 0;
}

int second_stage_line(const char *line, struct second_stage *stage)
{
	char word[16];
	struct fields f = fields_behind(line, word, sizeof(word));

	if (!strcmp(word, "ptwalk-guest"))
		return take_stage_header(&f, stage);
	if (!strcmp(word, "extent"))
		return take_stage_extent(&f, stage, false, NULL);
	if (!strcmp(word, "private"))
		return take_stage_extent(&f, stage, false, &stage->private_bytes);
	if (!strcmp(word, "no-slot"))
		return take_stage_extent(&f, stage, true, NULL);
	if (!strcmp(word, "device"))
		return take_stage_extent(&f, stage, true, &stage->device_bytes);
	if (!strcmp(word, "end"))
		return take_stage_end(&f, stage);
	return 0;
}

static int take_stage_line(char *line, void *arg)
{
	return second_stage_line(line, arg);
}

int second_stage_parse(FILE *stream, struct second_stage *stage)
{
	int err = lines_each(stream, take_stage_line, stage, NULL);

	return err ? err : stage->complete && stage->page_shift ? 0 : -EIO;
}

static int stage_missing(void)
{
	if (access("/sys/module/ptwalk_guest", F_OK))
		return error_set(-ENOENT, "the module ptwalk_guest isn't loaded: modprobe ptwalk_guest, on x86-64 or arm64 with KVM");
	return error_set(-ENOENT, SECOND_STAGE " isn't there: mount -t debugfs none /sys/kernel/debug");
}

static int stage_refused(void)
{
	char mode[LOCKDOWN_MODE];

	lockdown_read(mode);
	if (*mode && strcmp(mode, "none"))
		return error_set(-EPERM, "the kernel is locked down (%s), and shows a second stage to nobody",
				 mode);
	return error_set(-EPERM, "the second stage takes CAP_SYS_ADMIN and CAP_SYS_RAWIO in the initial user namespace");
}

static int stage_not_opened(int err)
{
	if (err == -ENOENT)
		return stage_missing();
	if (err != -EACCES && err != -EPERM)
		return error_set(err, SECOND_STAGE ": %s", strerror(-err));
	return geteuid() || !access("/sys/module/ptwalk_guest", F_OK) ? stage_refused() :
	       stage_missing();
}

/* The module takes both in one line. */
static int name_machine(int file, int vm, pid_t pid)
{
	if (dprintf(file, "%d %d\n", vm, (int)pid) >= 0)
		return 0;
	switch (errno) {
	case ENOTTY:
		return error_set(-ENOTTY, "this is no virtual machine of KVM");
	case EXDEV:
		return error_set(-EXDEV, "process %d: the virtual machine has the memory of another process, which made it",
				 (int)pid);
	default:
		return error_set(-errno, SECOND_STAGE ": %s", strerror(errno));
	}
}

static int not_read(int err)
{
	return err != -EPROTO ? lines_failed(SECOND_STAGE, err) :
	       error_set(err, "the module ptwalk_guest speaks another version of its protocol");
}

int second_stage_read(struct second_stage *stage, int vm, pid_t pid)
{
	int file = open(SECOND_STAGE, O_RDWR | O_CLOEXEC), err;
	FILE *stream;

	if (file < 0)
		return stage_not_opened(-errno);
	err = name_machine(file, vm, pid);
	stream = err ? NULL : fdopen(file, "r");
	if (!stream) {
		close(file);
		return err ? err : error_no_memory();
	}
	err = second_stage_parse(stream, stage);
	fclose(stream);
	return err ? not_read(err) : 0;
}

void second_stage_free(struct second_stage *stage)
{
	free(stage->extent);
	memset(stage, 0, sizeof(*stage));
}

/**
 * struct machines - descriptors of a process being looked through
 * @dir: Their folder.
 */
struct machines {
	int dir;
	int (*take)(int fd, void *arg);
	void *arg;
};

static int take_kvm_fd(const char *name, void *arg)
{
	const struct machines *m = arg;
	char target[sizeof(LINK)];
	ssize_t n = readlinkat(m->dir, name, target, sizeof(target));

	return n == sizeof(LINK) - 1 && !memcmp(target, LINK, n) ?
	       m->take(atoi(name), m->arg) : 0;
}

int machines_each(pid_t pid, int (*take)(int fd, void *arg), void *arg)
{
	struct machines m = { .dir = procs_open(pid, "fd"), .take = take, .arg = arg };

	if (m.dir < 0)
		return error_set(m.dir, "/proc/%d/fd: %s", (int)pid, strerror(-m.dir));
	return folder_each_of(m.dir, take_kvm_fd, &m);
}

int machine_open(pid_t pid, int fd)
{
	const pid_t tid = procs_living_thread(pid);
	/* A first thread that has exited has no descriptors any more. */
	const bool of_other = tid > 0 && tid != pid;
	int process = syscall(SYS_pidfd_open, of_other ? tid : pid,
			      of_other ? PIDFD_THREAD : 0), own, err;

	if (process < 0 && errno == EINVAL && of_other)
		return error_set(-EINVAL, "process %d: its first thread has exited, and a kernel before Linux 6.9 gives no descriptors of the others",
				 (int)pid);
	if (process < 0)
		return error_set(-errno, "process %d: %s", (int)pid, strerror(errno));
	own = syscall(SYS_pidfd_getfd, process, fd, 0);
	err = -errno;
	close(process);
	if (own < 0)
		return error_set(err, "process %d, descriptor %d: %s", (int)pid, fd,
				 strerror(-err));
	return own;
}
