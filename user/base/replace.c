// SPDX-License-Identifier: GPL-2.0
/* Writes a file beside the one that is meant, and renames it into place. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/parse.h"
#include "base/print.h"
#include "base/replace.h"

/**
 * struct replacement - a file being written
 * @path: Its place.
 * @beside: Where it is until then; NULL for what is written to as it is.
 * @finish: Writes what makes it whole, with @arg; or NULL.
 * @next: The one that was begun before it.
 */
struct replacement {
	FILE *stream;
	char *path, *beside;
	void (*finish)(FILE *stream, void *arg);
	void *arg;
	struct replacement *next;
};

static struct replacement *replacements;

static int failed(const char *path)
{
	return error_set(-errno, "%s: %s", path, strerror(errno));
}

/* Opens a new file; @name receives its name, to be freed, if there is one. */
static int open_beside(const char *path, char **name)
{
	int fd;

	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return error_no_memory();
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	return failed(path);
}

/* A signal that ends the program finds a new file in the list, or none made. */
static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
}

#define OURS	"/proc/self/fd/"

/* The descriptor that @path is a name of, which the shell has given us, or -1. */
static int given(const char *path)
{
	char link[sizeof(OURS) + 16] = "";
	uint64_t fd;

	/* The others in /dev are links to its names. */
	if (!strncmp(path, "/dev/fd/", strlen("/dev/fd/")))
		snprintf(link, sizeof(link), OURS "%s", path + strlen("/dev/fd/"));
	else if (!strncmp(path, OURS, strlen(OURS)))
		snprintf(link, sizeof(link), "%s", path);
	else if (readlink(path, link, sizeof(link) - 1) < 0)
		return -1;
	if (strncmp(link, OURS, strlen(OURS)) ||
	    parse_decimal(link + strlen(OURS), INT_MAX, &fd))
		return -1;
	/* What we have opened ourselves is closed at exec(). */
	return fcntl((int)fd, F_GETFD) ? -1 : (int)fd;
}

/*
 * A device or a pipe, which isn't one that somebody has put there to read along. It is
 * opened after that is known: that may wait for a reader, or move a tape.
 */
static int open_as_it_is(const char *path)
{
	int at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd;
	char name[32];
	struct stat st;

	if (at < 0)
		return failed(path);
	if (fstat(at, &st) || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ||
	    (st.st_uid && st.st_uid != geteuid())) {
		close(at);
		return error_set(-EPERM, "%s: belongs to somebody else, who would read it",
				 path);
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	fd = open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = failed(path);
	close(at);
	return fd;
}

/* Opens at *@fd what is written to as it is; that stays -1 where a new file is made. */
static int open_there(const char *path, int *fd)
{
	int number = given(path);
	struct stat st;

	*fd = -1;
	if (number >= 0) {
		*fd = fcntl(number, F_DUPFD_CLOEXEC, 0);
		return *fd < 0 ? failed(path) : 0;
	}
	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	if (S_ISLNK(st.st_mode))
		return error_set(-ELOOP, "%s: a symbolic link: name the file itself", path);
	*fd = open_as_it_is(path);
	return *fd < 0 ? *fd : 0;
}

static void free_replacement(struct replacement *r)
{
	struct replacement **at = &replacements;

	while (*at && *at != r)
		at = &(*at)->next;
	if (*at)
		*at = r->next;
	free(r->path);
	free(r->beside);
	free(r);
}

static struct replacement *replacement_of(FILE *stream)
{
	struct replacement *r = replacements;

	while (r && r->stream != stream)
		r = r->next;
	return r;
}

static void finish_all(void)
{
	while (replacements) {
		struct replacement *r = replacements;

		if (!r->finish) {
			replace_drop(r->stream);
			continue;
		}
		r->finish(r->stream, r->arg);
		if (replace_end(r->stream))
			tell_at_exit();
	}
}

/* Opens @r and adds it to the list. */
static int open_replacement(struct replacement *r)
{
	sigset_t before;
	int fd = -1, err;

	err = r->path ? open_there(r->path, &fd) : error_no_memory();
	if (err)
		return err;
	hold_signals(&before);
	if (fd < 0)
		fd = open_beside(r->path, &r->beside);
	r->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (r->stream) {
		r->next = replacements;
		replacements = r;
	} else if (fd >= 0) {
		err = failed(r->path);
		close(fd);
		if (r->beside)
			unlink(r->beside);
	} else {
		err = fd;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int replace_begin(const char *path, void (*finish)(FILE *stream, void *arg),
		  void *arg, FILE **stream)
{
	static bool registered;
	struct replacement *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return error_no_memory();
	r->path = strdup(path);
	r->finish = finish;
	r->arg = arg;
	err = open_replacement(r);
	if (err) {
		free_replacement(r);
		return err;
	}
	if (!registered)
		registered = !atexit(finish_all);
	*stream = r->stream;
	return 0;
}

void replace_drop(FILE *stream)
{
	struct replacement *r = replacement_of(stream);

	fclose(stream);
	if (r->beside)
		unlink(r->beside);
	free_replacement(r);
}

/* A device has nothing to wait for. */
static int sync_stream(const struct replacement *r)
{
	if (fflush(r->stream))
		return -errno;
	if (ferror(r->stream))
		return -EIO;
	if (!r->beside || !fsync(fileno(r->stream)))
		return 0;
	/* Some file systems can't, and lose nothing of it that they would have kept. */
	return errno == EINVAL || errno == EROFS || errno == ENOSYS ? 0 : -errno;
}

int replace_end(FILE *stream)
{
	struct replacement *r = replacement_of(stream);
	int err = sync_stream(r);

	if (err || (r->beside && !ftell(stream))) {
		err = err ? error_set(err, "%s: %s", r->path, strerror(-err)) : 0;
		replace_drop(stream);
		return err;
	}
	if (fclose(stream) || (r->beside && rename(r->beside, r->path))) {
		err = failed(r->path);
		if (r->beside)
			unlink(r->beside);
	}
	free_replacement(r);
	return err;
}

void replace_drop_all(void)
{
	for (struct replacement *r = replacements; r; r = r->next)
		if (r->beside)
			unlink(r->beside);
}

int replace_try(const char *path)
{
	sigset_t before;
	struct stat st;
	char *name;
	int fd;

	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return error_set(-EINVAL, "%s: not a regular file, which would be replaced",
				 path);
	hold_signals(&before);
	fd = open_beside(path, &name);
	if (fd >= 0) {
		close(fd);
		unlink(name);
		free(name);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd < 0 ? fd : 0;
}

int replace_file(const char *path, const char *text, size_t size)
{
	mode_t mask = umask(077);
	FILE *stream;
	int err;

	umask(mask);
	err = replace_begin(path, NULL, NULL, &stream);
	if (err)
		return err;
	fwrite(text, 1, size, stream);
	/* A device keeps its mode. */
	if (replacement_of(stream)->beside && fchmod(fileno(stream), 0666 & ~mask)) {
		err = failed(path);
		replace_drop(stream);
		return err;
	}
	return replace_end(stream);
}
