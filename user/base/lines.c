// SPDX-License-Identifier: GPL-2.0
/* A text file read line by line, and the fields of its lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/error.h"
#include "base/lines.h"
#include "base/parse.h"

void lines_begin(struct lines *l, FILE *stream)
{
	l->stream = stream;
	l->number = 0;
	l->counted = 0;
	l->ended = false;
	l->reason = NULL;
}

static int refuse_line(struct lines *l, int err, const char *reason)
{
	l->reason = reason;
	return err;
}

int lines_next(struct lines *l)
{
	size_t len = 0;
	int c;

	l->number++;
	errno = 0;
	while ((c = getc_unlocked(l->stream)) != EOF && c != '\n') {
		if (!c)
			return refuse_line(l, -EINVAL, "a NUL byte");
		if (len == sizeof(l->text) - 1)
			return refuse_line(l, -EINVAL, "the line is too long");
		l->text[len++] = c;
	}
	l->text[len] = '\0';
	if (c == '\n')
		return 1;
	if (ferror(l->stream))
		return errno ? -errno : -EIO;
	if (len)
		return refuse_line(l, -ENODATA,
				   "the last line doesn't end; is the file cut off?");
	l->number--;
	return 0;
}

int lines_next_recorded(struct lines *l)
{
	struct fields fields;
	int more;

	while ((more = lines_next(l)) > 0) {
		if (!*l->text || *l->text == '#')
			continue;
		if (l->ended)
			return refuse_line(l, -EINVAL, "a line after the end mark");
		if (strncmp(l->text, "end ", 4)) {
			l->counted++;
			return 1;
		}
		fields = (struct fields){ .at = l->text + 3 };
		if (fields_hex(&fields, UINT64_MAX) != l->counted ||
		    !fields_end(&fields))
			return refuse_line(l, -EINVAL,
					   "the end mark counts other lines than there are");
		l->ended = true;
	}
	if (!more && !l->ended)
		return refuse_line(l, -ENODATA, "no end mark; is the file cut off?");
	return more;
}

/*
 * Returns 1, 0 at the end of the file, or a negative errno. getline() says of a line
 * for which there is no memory what it says at the end, and the beginning of one
 * that couldn't be read to its end is no line.
 */
static int next_line(struct long_lines *l)
{
	ssize_t len;

	errno = 0;
	len = getline(&l->text, &l->size, l->stream);
	if (ferror_unlocked(l->stream) || (len < 0 && !feof_unlocked(l->stream)))
		return errno ? -errno : -EIO;
	if (len < 0)
		return 0;
	l->number++;
	if (l->text[len - 1] == '\n')
		l->text[len - 1] = '\0';
	return 1;
}

int lines_until(struct long_lines *l, int (*take)(char *line, void *arg), void *arg)
{
	int ret = 0, more = 1;

	while (!ret) {
		if (!l->again)
			more = next_line(l);
		if (more <= 0)
			return more;
		l->again = false;
		ret = take(l->text, arg);
	}
	l->again = ret > 0;
	return ret;
}

int lines_each(FILE *stream, int (*take)(char *line, void *arg), void *arg,
	       size_t *line)
{
	struct long_lines lines = { .stream = stream };
	int err = lines_until(&lines, take, arg);

	if (line)
		*line = lines.number;
	free(lines.text);
	return err;
}

int lines_failed(const char *path, int err)
{
	return err == -ENOMEM ? error_no_memory() :
	       error_set(err, "%s: %s", path,
			 err == -EINVAL ? "a line isn't understood" : strerror(-err));
}

int lines_in(const char *path, int (*take)(char *line, void *arg), void *arg)
{
	FILE *stream = fopen(path, "re");
	int ret;

	if (!stream)
		return -errno;
	ret = lines_each(stream, take, arg, NULL);
	fclose(stream);
	return ret;
}

void lines_mark_end(FILE *stream, uint64_t lines)
{
	fprintf(stream, "end %" PRIx64 "\n", lines);
}

static bool ends_field(char c)
{
	return !c || c == ' ' || c == ':';
}

/* Copies the next field, and goes on behind it. */
static void next_field(struct fields *f, char *buf, size_t size, const char *ends)
{
	size_t len;

	*buf = '\0';
	if (*f->at == ' ' || *f->at == ':')
		f->at++;
	len = strcspn(f->at, ends);
	if (f->bad || !len || len >= size) {
		f->bad = true;
		return;
	}
	memcpy(buf, f->at, len);
	buf[len] = '\0';
	f->at += len;
}

struct fields fields_behind(const char *line, char *word, size_t size)
{
	const size_t length = strcspn(line, " ");
	const size_t kept = length < size ? length : 0;

	memcpy(word, line, kept);
	word[kept] = '\0';
	return (struct fields){ .at = line + length };
}

uint64_t fields_hex(struct fields *f, uint64_t most)
{
	uint64_t value = 0;
	char text[32];

	next_field(f, text, sizeof(text), " :");
	if (!f->bad && (parse_hex(text, &value) || value > most))
		f->bad = true;
	return f->bad ? 0 : value;
}

bool fields_none(struct fields *f)
{
	if (f->bad || f->at[0] != ' ' || f->at[1] != '-' ||
	    !ends_field(f->at[2]))
		return false;
	f->at += 2;
	return true;
}

void fields_word(struct fields *f, char *buf, size_t size)
{
	next_field(f, buf, size, " ");
}

bool fields_end(const struct fields *f)
{
	return !f->bad && !*f->at;
}

FILE *lines_scratch(void)
{
	int fd = memfd_create("", MFD_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

FILE *lines_scratch_end(FILE *stream, int *err)
{
	if (!stream)
		return NULL;
	if (!*err && (fflush(stream) || ferror(stream)))
		*err = errno ? -errno : -EIO;
	if (*err) {
		fclose(stream);
		return NULL;
	}
	rewind(stream);
	return stream;
}
